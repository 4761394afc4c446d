//! A plan made ready to run, and a plan that runs: PostgreSQL's `ExecutorStart` and `ExecutorRun`. What takes time is done
//! once for a plan; starting it opens its tables and no more.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use analyze::query::{Expr, SubLinkKind};
use catalog::Catalog;
use plan::plan::{AggStrategy, Node, Plan, PlanRowMark, PlannedStmt};
use types::{Repr, Result};

use crate::batch::Batch;
use crate::compile::Compiler;
use crate::compile::deep::SHALLOW;
use crate::compile::facts::Facts;
use crate::compile::late_detoast::LateDetoast;
use crate::compile::{deep, lasting, walk};
use crate::convert::general;
use crate::error;
use crate::memory::Reservation;
use crate::memory::tuplestore::{RowStore, TupleStore};
use crate::nodes::init_node::init_node;
use crate::nodes::scan::sub_plan_look_up;
use crate::point::Point;
use crate::run::estate::{EState, Environment, Run, RunState};
use crate::run::instrument::{HeapBlocks, Instrumentation};
use crate::run::plan_tree::PlanTree;
use crate::run::rows::BoxRows;

/// Does a plan do no more than looking rows up, in memory that does not count?
fn looks_up(plan: &Plan) -> bool {
    // What these keep is made once for all rows.
    let has_sub_plan = |expr: &&Expr| expr.contains(&mut |e| matches!(e, Expr::SubPlan(_)));
    if !plan.init_plans.is_empty() || plan.exprs().iter().any(has_sub_plan) {
        return false;
    }
    match &plan.node {
        Node::IndexScan(_) | Node::IndexOnlyScan(_) => true,
        Node::Result { child: Some(child), .. } | Node::SubqueryScan { child, .. } | Node::Limit { child, .. } => {
            looks_up(child)
        }
        Node::Agg(agg) => agg.strategy == AggStrategy::Plain && looks_up(&agg.child),
        Node::NestLoop(join) => looks_up(&join.join.outer) && looks_up(&join.join.inner),
        _ => false,
    }
}

/// A plan that is ready to run, as often as one likes and by several at once.
pub struct ExecPlan {
    pub(crate) tree: Arc<PlanTree>,
    /// It is one look-up by a unique key: a caller that can write a row without a batch may do so.
    pub point: Option<Point>,
}

impl std::ops::Deref for ExecPlan {
    type Target = PlanTree;

    fn deref(&self) -> &PlanTree {
        &self.tree
    }
}

impl ExecPlan {
    /// Makes a plan ready. Fails with 0A000 for what is not here.
    pub fn prepare(planned: &PlannedStmt, catalog: Catalog<'_>, facts: &dyn Facts) -> Result<ExecPlan> {
        Self::compile(planned, catalog, facts, false)
    }

    /// The same, but its nodes are watched: [`Query::instrumentation`].
    pub fn prepare_watched(planned: &PlannedStmt, catalog: Catalog<'_>, facts: &dyn Facts) -> Result<ExecPlan> {
        Self::compile(planned, catalog, facts, true)
    }

    fn compile(planned: &PlannedStmt, catalog: Catalog<'_>, facts: &dyn Facts, watched: bool) -> Result<ExecPlan> {
        let parameters = planned.parameters.iter().map(|&ty| Ok(general(expression::representation(catalog, ty)?)));
        let parameters: Arc<[Repr]> = parameters.collect::<Result<_>>()?;
        let plans = || planned.sub_plans.iter().chain([&planned.plan]);
        let mut init_parameters = HashSet::new();
        let (mut rechecks, mut copied) = (false, HashSet::new());
        for plan in plans() {
            walk::visit(plan, &mut |plan| {
                init_parameters.extend(plan.init_plans.iter().flat_map(|init| init.set_parameters.iter().copied()));
                let marks: &[PlanRowMark] = match &plan.node {
                    Node::LockRows { marks, .. } => marks,
                    Node::ModifyTable(modify) => &modify.marks,
                    _ => return,
                };
                rechecks = true;
                copied.extend(marks.iter().filter(|mark| mark.is_copy()).map(|mark| mark.relation));
            });
        }
        let numbers = watched.then(|| {
            let mut numbers = HashMap::new();
            for plan in [&planned.plan].into_iter().chain(&planned.sub_plans) {
                walk::visit(plan, &mut |plan| {
                    numbers.insert(std::ptr::from_ref(plan), numbers.len());
                });
            }
            numbers
        });
        let watched = numbers.as_ref().map_or(0, HashMap::len);
        let compiler = Compiler {
            catalog,
            planned,
            facts,
            rechecks,
            copied,
            parameters: parameters.clone(),
            init_parameters,
            init_node,
            sub_plans: RefCell::new(vec![None; planned.sub_plans.len()]),
            work_tables: RefCell::default(),
            late: LateDetoast::of(planned, facts, rechecks)?,
            slots: Cell::new(0),
            numbers,
            ordered: Cell::new(true),
        };
        let root = compiler.plan(&planned.plan)?;
        let sub_plans = (0..planned.sub_plans.len()).map(|at| compiler.sub_plan(at)).collect::<Result<_>>()?;
        let lasting = lasting::of_sub_plans(planned, catalog);
        let targets = planned.plan.targets.iter().enumerate();
        let shown: Vec<usize> = targets.filter(|(_, target)| !target.junk).map(|(at, _)| at).collect();
        let reprs = shown.iter().map(|&at| root.reprs[at]).collect();
        let point = Point::compile(&compiler, planned)?;
        let depth = deep::depth(planned);
        let (modifying, slots) = (planned.modifying.clone(), compiler.slots.get());
        let ctes =
            planned.plan.init_plans.iter().filter(|plan| plan.kind == SubLinkKind::Cte).map(|plan| plan.plan).collect();
        let tree = PlanTree {
            root,
            shown,
            reprs,
            sub_plans,
            modifying,
            ctes,
            lasting,
            looking_up: planned.sub_plans.iter().map(looks_up).collect(),
            look_ups: sub_plan_look_up::compile_all(&compiler, planned)?,
            parameters,
            slots,
            watched,
            parallel: !rechecks && depth <= SHALLOW,
            depth,
        };
        Ok(ExecPlan { tree: Arc::new(tree), point })
    }

    /// Begins to run it.
    pub fn start(&self, environment: Environment) -> error::Result<Query> {
        let estate = Arc::new(EState::new(environment, self.tree.clone()));
        let run = crate::nodes::cte::with_modifying(&RunState::new(&estate), &self.modifying, &self.ctes)?;
        let rows = deep::with_stack_for(self.depth, || self.root.start_first(&run))?;
        Ok(Query { estate, run, rows: Some(rows), finished: None })
    }
}

/// A statement that runs. To end it early is to drop it.
pub struct Query {
    estate: Arc<EState>,
    run: Run,
    rows: Option<BoxRows>,
    /// All rows, once it has run to the end before they were asked for.
    finished: Option<BoxRows>,
}

impl Drop for Query {
    fn drop(&mut self) {
        let rows = self.rows.take();
        deep::with_stack_for(self.estate.plan.depth, || drop(rows));
    }
}

impl Query {
    /// The next rows of the result; `None` at the end, when everything that the statement changes is changed.
    pub async fn next(&mut self) -> error::Result<Option<Batch>> {
        let Some(rows) = &mut self.rows else {
            return match &mut self.finished {
                Some(rows) => rows.next().await,
                None => Ok(None),
            };
        };
        let failed = || self.estate.failure.lock().take().map(|(_, failure)| failure);
        let next = match failed() {
            Some(failure) => Err(failure),
            None => match deep::on_stack_for(self.estate.plan.depth, rows.next()).await? {
                None => failed().map_or(Ok(None), Err),
                batch => Ok(batch),
            },
        };
        if let Some(batch) = next? {
            let shown = &self.estate.plan.shown;
            if shown.len() == batch.columns.len() {
                return Ok(Some(batch));
            }
            let columns = shown.iter().map(|&at| batch.columns[at].clone()).collect();
            return Ok(Some(Batch::new(columns, batch.rows)));
        }
        self.rows = None;
        crate::nodes::cte::finish_modifying(&self.run, &self.estate.plan.modifying).await?;
        Ok(None)
    }

    /// Runs to the end. The rows are kept, on disk where they are many, and given from then on.
    pub async fn finish(&mut self) -> error::Result<()> {
        let mut rows = TupleStore::new(&self.estate.plan.reprs, &self.run, "rows of a portal");
        while let Some(batch) = self.next().await? {
            rows.push(batch, &self.run).await?;
        }
        self.finished = Some(rows.into_rows());
        Ok(())
    }

    /// Says that all rows will be asked for, from now on: a node that locks them may lock several at once.
    pub fn want_all(&self) {
        self.estate.all_wanted.store(true, Ordering::Relaxed);
    }

    /// A place for rows of the result, which go to disk where they are many; `behind`: so many were there before.
    pub fn row_store(&self, behind: u64) -> RowStore {
        RowStore::new(&self.estate.plan.reprs, &self.run, behind)
    }

    pub async fn keep(&mut self, rows: &mut RowStore, batch: Batch) -> error::Result<()> {
        rows.push(batch, &self.run).await
    }

    /// Memory of the statement for what its caller keeps.
    pub fn reserve(&self, name: &'static str) -> Reservation {
        self.run.reserve(name)
    }

    /// What the nodes of a plan that is watched did so far, by number: [`Instrumented::number`](crate::run::instrument::Instrumented).
    /// With the blocks that each task has read through a node's bitmap, if several did.
    pub fn instrumentation(&self) -> Vec<(Instrumentation, Vec<HeapBlocks>)> {
        self.estate.instrumentation.iter().map(|counters| (counters.get(), counters.participants())).collect()
    }

    /// Rows that the statement itself (not a CTE of it) has inserted, updated or deleted, so far.
    pub fn processed(&self) -> u64 {
        self.estate.processed.load(Ordering::Relaxed)
    }
}
