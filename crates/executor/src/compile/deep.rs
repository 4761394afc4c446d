//! Plans whose nodes are many within each other. A node asks the one below from where it is asked itself, so the stack grows with the
//! plan: a deep one runs on a stack of its own, which is there while the statement works and not while it waits.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll};

use analyze::query::Expr;
use plan::plan::{Plan, PlannedStmt};

/// Plans of so many nodes within each other run on any stack.
pub const SHALLOW: usize = 60;

/// Levels of [`syntax::with_stack_for`] that a node takes, with an expression around a subquery: 37 KiB of an optimized build.
pub const STACK_OF_NODE: usize = 32;

/// How many nodes are within each other, with those of subqueries.
pub fn depth(planned: &PlannedStmt) -> usize {
    let mut known = vec![None; planned.sub_plans.len()];
    depth_of(&planned.plan, planned, &mut known)
}

fn depth_of(plan: &Plan, planned: &PlannedStmt, known: &mut Vec<Option<usize>>) -> usize {
    syntax::with_stack_for(4, || {
        let mut deepest = plan.children().map(|child| depth_of(child, planned, known)).max().unwrap_or(0);
        let mut sub_plans: Vec<usize> = plan.init_plans.iter().map(|init| init.plan).collect();
        for expr in plan.exprs() {
            expr.contains(&mut |e| {
                if let Expr::SubPlan(sub_plan) = e {
                    sub_plans.push(sub_plan.plan);
                }
                false
            });
        }
        for at in sub_plans {
            // One that refers to itself (a recursive query) is being looked at.
            let depth = known[at].unwrap_or_else(|| {
                known[at] = Some(0);
                depth_of(&planned.sub_plans[at], planned, known)
            });
            known[at] = Some(depth);
            deepest = deepest.max(depth);
        }
        deepest + 1
    })
}

/// Runs what walks a plan of this depth.
pub fn with_stack_for<T>(depth: usize, walk: impl FnOnce() -> T) -> T {
    match depth {
        ..=SHALLOW => walk(),
        _ => syntax::with_stack_for(depth * STACK_OF_NODE, walk),
    }
}

/// The same of what waits.
pub async fn on_stack_for<F: Future>(depth: usize, work: F) -> F::Output {
    if depth <= SHALLOW {
        return work.await;
    }
    let mut work = Deep { depth, work: Some(Box::pin(work)) };
    poll_fn(|context| with_stack_for(depth, || work.poll(context))).await
}

/// Work that is as deep when it is given up: what waits holds what it waits for.
struct Deep<F: Future> {
    depth: usize,
    /// `None` when it is gone.
    work: Option<Pin<Box<F>>>,
}

impl<F: Future> Deep<F> {
    fn poll(&mut self, context: &mut Context<'_>) -> Poll<F::Output> {
        match &mut self.work {
            Some(work) => work.as_mut().poll(context),
            None => Poll::Pending,
        }
    }
}

impl<F: Future> Drop for Deep<F> {
    fn drop(&mut self) {
        let work = self.work.take();
        with_stack_for(self.depth, || drop(work));
    }
}
