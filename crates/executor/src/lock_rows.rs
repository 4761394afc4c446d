//! LockRows: SELECT … FOR UPDATE and its like. A row of which somebody else has changed a part is looked at again.

use std::collections::VecDeque;
use std::sync::Arc;

use access::{Outcome, Tid};
use analyze::query::{LockStrength, LockWait, RangeTableIndex};
use async_trait::async_trait;
use engine::Table;
use plan::plan::{Plan, PlanRowMark};
use txn::{LockMode, Snapshot};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::estate::Run;
use crate::modify_table::recheck::{Place, again, leave_queue, new_snapshot, rows_of, wait_for_row};
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::output::Output;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, child: &Plan, marks: &[PlanRowMark]) -> types::Result<Compiled> {
    let child = compiler.plan(child)?;
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(LockRows { child, marks: marks.to_vec(), output }, reprs))
}

struct LockRows {
    child: Compiled,
    marks: Vec<PlanRowMark>,
    output: Output,
}

fn mode(strength: LockStrength) -> LockMode {
    match strength {
        LockStrength::KeyShare => LockMode::AccessShare,
        LockStrength::Share => LockMode::RowShare,
        LockStrength::NoKeyUpdate => LockMode::Exclusive,
        LockStrength::Update => LockMode::AccessExclusive,
    }
}

impl ExecNode for LockRows {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let open =
            |mark: &PlanRowMark| Ok(if mark.strength.is_some() { Some(run.estate.table(mark.table)?) } else { None });
        let tables = self.marks.iter().map(open).collect::<Result<_>>()?;
        let child = match run.first_rows {
            // A row that is gone by now is replaced by one after the bound.
            Some(rows) => self.child.node.clone().start(&run.with_first_rows(rows))?,
            None => self.child.start(run)?,
        };
        let locker = Locker { node: self, run: run.clone(), tables };
        Ok(Box::new(LockedRows { locker, child, waiting: VecDeque::new() }))
    }
}

struct LockedRows {
    locker: Locker,
    child: BoxRows,
    /// Rows of the child that are still to be locked: one at a time, so that whoever wants only the first locks no others.
    waiting: VecDeque<Batch>,
}

struct Locker {
    node: Arc<LockRows>,
    run: Run,
    /// The marks' tables, where they are locked.
    tables: Vec<Option<Arc<Table>>>,
}

/// A row of the child, and what was found out about it.
struct Current {
    row: Batch,
    tids: Vec<(RangeTableIndex, Option<Tid>)>,
    newer: Vec<(RangeTableIndex, Snapshot)>,
}

impl Locker {
    /// Locks the rows that a row is made of; gives it as it is now. `None`: it is not wanted any more, or skipped.
    async fn lock(&self, row: Batch) -> Result<Option<Batch>> {
        let tids = rows_of(&self.node.marks, &row, 0);
        let mut current = Current { row, tids, newer: Vec::new() };
        for (mark, table) in self.node.marks.iter().zip(&self.tables) {
            let (Some(strength), Some(table)) = (mark.strength, table) else { continue };
            let tid = current.tids.iter().find(|(relation, _)| *relation == mark.relation).and_then(|(_, tid)| *tid);
            let Some(tid) = tid else { continue };
            if !self.lock_one(mark, mode(strength), table, tid, &mut current).await? {
                return Ok(None);
            }
        }
        Ok(Some(current.row))
    }

    async fn lock_one(
        &self,
        mark: &PlanRowMark,
        mode: LockMode,
        table: &Arc<Table>,
        tid: Tid,
        current: &mut Current,
    ) -> Result<bool> {
        let heap = table.heap();
        let mut place = Place::default();
        let wanted = loop {
            let outcome = self.try_lock(mark.relation, mode, table, tid, current).await?;
            match (outcome, mark.wait) {
                (Outcome::Done, _) => break Ok(true),
                // Looked at again for another row of the command, it is what it was.
                (Outcome::Mine, _) => break Ok(self.run.scope.recheck.is_some()),
                (Outcome::Busy(_) | Outcome::Locked { .. }, LockWait::Error) => {
                    let message = format!("could not obtain lock on row in relation \"{}\"", table.def.name);
                    break Err(Error::new("55P03", message));
                }
                (Outcome::Busy(_) | Outcome::Locked { .. }, LockWait::Skip) => break Ok(false),
                _ => {}
            }
            match wait_for_row(&self.run, heap, tid, mode, outcome, &mut place).await {
                Ok(true) => {}
                other => break other,
            }
            let snapshot = new_snapshot(&self.run).await;
            current.newer.push((mark.relation, snapshot));
            match again(&self.node.child, &current.tids, &current.newer, &self.run).await {
                Ok(Some(row)) => current.row = row,
                Ok(None) => break Ok(false),
                Err(error) => break Err(error),
            }
        };
        let place = if matches!(wanted, Ok(true)) { place.with_lock_kept() } else { place };
        leave_queue(&self.run, heap, tid, mode, place).await;
        wanted
    }

    async fn try_lock(
        &self,
        relation: RangeTableIndex,
        mode: LockMode,
        table: &Arc<Table>,
        tid: Tid,
        current: &Current,
    ) -> Result<Outcome> {
        let newer = current.newer.iter().rev().find(|(entry, _)| *entry == relation);
        let snapshot = newer.map_or(&self.run.snapshot, |(_, snapshot)| snapshot);
        let environment = self.run.environment();
        let mut transaction = self.run.transaction().await;
        match table.heap().lock_row(transaction.writer(), snapshot, tid, mode).await? {
            Ok(outcome) => Ok(outcome),
            Err(error) => Err(environment.database.lock_error(error).into()),
        }
    }
}

#[async_trait]
impl Rows for LockedRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(batch) = self.waiting.pop_front() else {
                let Some(batch) = self.child.next().await? else { return Ok(None) };
                self.waiting.push_back(batch);
                continue;
            };
            if batch.rows > 1 {
                self.waiting.push_front(batch.slice(1, batch.rows - 1));
            }
            let Some(row) = self.locker.lock(batch.slice(0, 1)).await? else { continue };
            if let Some(row) = self.locker.node.output.apply(row, &self.locker.run).await? {
                return Ok(Some(row));
            }
        }
    }
}
