//! Result: one row, or a child's rows under a condition that is asked once. SubqueryScan, and what else does no more than
//! conditions and targets.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use async_trait::async_trait;
use plan::plan::Plan;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::{Filter, Output};
use crate::expr::pace::Parts;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    child: Option<&Plan>,
    one_time: &[Expr],
) -> types::Result<Compiled> {
    let one_time = compiler.filter(one_time, &Layout::default())?;
    let child = child.map(|child| compiler.plan_in_order_of_mine(child)).transpose()?;
    let layout = child.as_ref().map_or_else(Layout::default, |child| Layout::outer(&child.reprs));
    let output = compiler.output(plan, &layout)?;
    if let Some(child) = &child
        && one_time.is_empty()
    {
        return Ok(over(child.clone(), output));
    }
    let reprs = output.reprs().clone();
    Ok(Compiled::new(ResultNode { child, one_time, output }, reprs))
}

pub fn compile_subquery(
    compiler: &Compiler<'_>,
    plan: &Plan,
    relation: RangeTableIndex,
    child: &Plan,
) -> types::Result<Compiled> {
    let child = compiler.plan_in_order_of_mine(child)?;
    // Its own columns are the subquery's that are no junk.
    let output = compiler.output(plan, &Layout::default().with(relation, &child.reprs))?;
    Ok(over(child, output))
}

/// A child's rows, through conditions and targets.
pub fn over(child: Compiled, output: Output) -> Compiled {
    if output.is_identity() {
        return child;
    }
    let reprs = output.reprs().clone();
    Compiled::new(ResultNode { child: Some(child), one_time: Filter::default(), output }, reprs)
}

struct ResultNode {
    child: Option<Compiled>,
    one_time: Filter,
    output: Output,
}

impl ResultNode {
    fn rows(self: Arc<Self>, run: &Run, child: Option<BoxRows>) -> BoxRows {
        let parts = Parts::of(&self.output, run);
        Box::new(ResultRows { node: self, run: run.clone(), child, begun: false, parts })
    }
}

impl ExecNode for ResultNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let child = self.child.as_ref().map(|child| child.start_first(run)).transpose()?;
        Ok(self.rows(run, child))
    }

    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        let child = match &self.child {
            Some(child) if self.output.filter.is_empty() => Some(child.node.clone().start_bounded(run, bound)?),
            Some(child) => Some(child.start_first(&run.with_first_rows(bound))?),
            None => None,
        };
        Ok(self.rows(&run.bounded(bound), child))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let Some(child) = self.child.as_ref().filter(|_| self.one_time.is_empty()) else { return Ok(None) };
        let parts = child.start_parts(run)?;
        Ok(parts.map(|parts| parts.into_iter().map(|part| self.clone().rows(run, Some(part))).collect()))
    }
}

struct ResultRows {
    node: Arc<ResultNode>,
    run: Run,
    child: Option<BoxRows>,
    begun: bool,
    parts: Parts,
}

#[async_trait]
impl Rows for ResultRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let ResultNode { one_time, output, .. } = &*self.node;
        if !self.begun {
            self.begun = true;
            if !one_time.holds(&self.run).await? {
                self.child = None;
                return Ok(None);
            }
            if self.child.is_none() {
                return output.apply(Batch::one_row(), &self.run).await;
            }
        }
        let Some(child) = &mut self.child else { return Ok(None) };
        loop {
            let part = match self.parts.next() {
                Some(part) => part,
                None => match child.next().await? {
                    Some(batch) => self.parts.put(batch),
                    None => return Ok(None),
                },
            };
            if let Some(batch) = output.apply(part, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
