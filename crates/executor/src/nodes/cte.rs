//! Rows that several read: CTEs, and the working tables of recursive ones.

use std::collections::BTreeSet;
use std::sync::Arc;

use analyze::query::RangeTableIndex;
use async_trait::async_trait;
use error::sqlstate;
use plan::plan::Plan;
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::output::Output;
use crate::expr::pace::Parts;
use crate::memory::tuplestore::{Next, Reader, TupleStore};
use crate::run::estate::{Run, RunState, SharedRows};
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

/// The rows of a CTE, computed as far as the readers have come.
pub struct CteStore {
    plan: usize,
    /// The part of the statement that it belongs to. It must not know the store, nor what comes after it: the rows that
    /// run keep it, and would keep themselves.
    run: Run,
    state: tokio::sync::Mutex<State>,
}

enum State {
    /// They were not asked for yet.
    Waiting,
    Running(BoxRows, TupleStore),
    Done(TupleStore),
}

impl CteStore {
    pub fn new(plan: usize, run: &RunState) -> CteStore {
        let run = Arc::new(RunState { bound: None, first_rows: None, ..run.clone() });
        CteStore { plan, run, state: tokio::sync::Mutex::new(State::Waiting) }
    }

    /// The next batch of a reader; `None`: there is none. `first_rows`: so many rows may be enough for it; the first of the readers
    /// says how the rows begin.
    async fn next(&self, reader: &mut Reader, first_rows: Option<usize>) -> Result<Option<Batch>> {
        loop {
            if let Some(batch) = reader.next_of_file().await? {
                return Ok(Some(batch));
            }
            match self.kept(reader, first_rows).await? {
                Next::Batch(batch) => return Ok(Some(batch)),
                Next::InFile(skip) => reader.open(skip).await?,
                Next::End => return Ok(None),
            }
        }
    }

    /// Where the next batch of a reader is kept. Reads on if it is not there yet.
    async fn kept(&self, reader: &mut Reader, first_rows: Option<usize>) -> Result<Next> {
        let mut state = self.state.lock().await;
        loop {
            match &mut *state {
                State::Waiting => {
                    let plan = &self.run.estate.plan.sub_plans[self.plan];
                    let kept = TupleStore::new(&plan.reprs, &self.run, "CTE");
                    let rows = match first_rows {
                        Some(rows) => plan.start_leaving(&self.run, rows)?,
                        None => plan.start(&self.run)?,
                    };
                    *state = State::Running(rows, kept);
                }
                State::Done(kept) => return Ok(kept.next(reader)),
                State::Running(rows, kept) => {
                    match kept.next(reader) {
                        Next::End => {}
                        next => return Ok(next),
                    }
                    match rows.next().await? {
                        Some(batch) => kept.push(batch, &self.run).await?,
                        None => {
                            if let State::Running(_, kept) = std::mem::replace(&mut *state, State::Waiting) {
                                *state = State::Done(kept);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The statement's data-modifying CTEs are there for all of it, and so are those beside them, which they may read.
pub fn with_modifying(run: &Run, modifying: &[usize], beside: &[usize]) -> Result<Run> {
    if modifying.is_empty() {
        return Ok(run.clone());
    }
    // In WITH's order: each may read those before it.
    let plans: BTreeSet<usize> = modifying.iter().chain(beside).copied().collect();
    let mut inner = RunState::clone(run);
    for plan in plans {
        let store = CteStore::new(plan, &inner);
        Arc::make_mut(&mut inner.scope).ctes.push((plan, Arc::new(store)));
    }
    Ok(Arc::new(inner))
}

/// What was not read of data-modifying CTEs is done all the same.
pub async fn finish_modifying(run: &Run, modifying: &[usize]) -> Result<()> {
    for (plan, store) in &run.scope.ctes {
        let mut rows = store.clone().read(None);
        while modifying.contains(plan) && rows.next().await?.is_some() {}
    }
    Ok(())
}

pub fn compile_scan(
    compiler: &Compiler<'_>,
    plan: &Plan,
    relation: RangeTableIndex,
    sub_plan: usize,
) -> types::Result<Compiled> {
    let given = compiler.sub_plan(sub_plan)?.reprs;
    let output = compiler.output(plan, &Layout::default().with(relation, &given))?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(CteScan { sub_plan, output }, reprs))
}

struct CteScan {
    sub_plan: usize,
    output: Output,
}

/// One of a store's readers.
struct StoreReader {
    store: Arc<CteStore>,
    reader: Reader,
    first_rows: Option<usize>,
}

impl SharedRows for CteStore {
    fn read(self: Arc<Self>, first_rows: Option<usize>) -> BoxRows {
        Box::new(StoreReader { store: self, reader: Reader::default(), first_rows })
    }
}

#[async_trait]
impl Rows for StoreReader {
    async fn next(&mut self) -> Result<Option<Batch>> {
        self.store.next(&mut self.reader, self.first_rows).await
    }
}

impl ExecNode for CteScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let found = run.scope.ctes.iter().rev().find(|(plan, _)| *plan == self.sub_plan);
        let store: Arc<dyn SharedRows> = match found {
            Some((_, store)) => store.clone(),
            // This node alone reads it.
            None => Arc::new(CteStore::new(self.sub_plan, run)),
        };
        let parts = Parts::of(&self.output, run);
        Ok(Box::new(CteRows { node: self, run: run.clone(), rows: store.read(run.first_rows), parts }))
    }
}

struct CteRows {
    node: Arc<CteScan>,
    run: Run,
    rows: BoxRows,
    parts: Parts,
}

#[async_trait]
impl Rows for CteRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let part = match self.parts.next() {
                Some(part) => part,
                None => match self.rows.next().await? {
                    Some(batch) => self.parts.put(batch),
                    None => return Ok(None),
                },
            };
            if let Some(batch) = self.node.output.apply(part, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}

pub fn compile_work_table(
    compiler: &Compiler<'_>,
    plan: &Plan,
    relation: RangeTableIndex,
    number: u32,
) -> types::Result<Compiled> {
    let missing = || types::Error::new(sqlstate::INTERNAL_ERROR, "a work table has no recursive union around");
    let tables = compiler.work_tables.borrow();
    let reprs: Arc<[Repr]> =
        tables.iter().find(|(table, _)| *table == number).map(|(_, reprs)| reprs.clone()).ok_or_else(missing)?;
    drop(tables);
    let output = compiler.output(plan, &Layout::default().with(relation, &reprs))?;
    let given = output.reprs().clone();
    Ok(Compiled::new(WorkTableScan { number, output }, given))
}

struct WorkTableScan {
    number: u32,
    output: Output,
}

impl ExecNode for WorkTableScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let found = run.scope.work_tables.iter().rev().find(|(number, _)| *number == self.number);
        let (_, table) = found.ok_or_else(|| Error::internal("a work table is read outside of its union"))?;
        let batches = table.0.lock().clone().into_iter();
        let parts = Parts::of(&self.output, run);
        Ok(Box::new(WorkTableRows { node: self, run: run.clone(), batches, parts }))
    }
}

struct WorkTableRows {
    node: Arc<WorkTableScan>,
    run: Run,
    batches: std::vec::IntoIter<Batch>,
    parts: Parts,
}

#[async_trait]
impl Rows for WorkTableRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let part = match self.parts.next() {
                Some(part) => part,
                None => match self.batches.next() {
                    Some(batch) => self.parts.put(batch),
                    None => return Ok(None),
                },
            };
            if let Some(batch) = self.node.output.apply(part, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
