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
use crate::modify_table::recheck::{PartOfRow, Place, again, leave_queue, new_snapshot, rows_of, wait_for_row};
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
        // A row that is gone by now is replaced by one after the bound.
        let child = self.child.start_first(run)?;
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

/// What came of a row that was to be locked.
enum Locked {
    /// It is gone, or skipped.
    No,
    AsItWas,
    /// Others have had it meanwhile: as this snapshot sees it.
    Newer(Snapshot),
}

impl Locker {
    /// Locks the rows that a row is made of; gives it as it is now. `None`: it is not wanted any more, or skipped.
    async fn lock(&self, row: Batch) -> Result<Option<Batch>> {
        let parts = rows_of(&self.node.marks, &row, 0);
        let mut newer: Vec<(RangeTableIndex, Snapshot)> = Vec::new();
        for ((mark, table), (_, part)) in self.node.marks.iter().zip(&self.tables).zip(&parts) {
            let (Some(strength), Some(table)) = (mark.strength, table) else { continue };
            let Some(PartOfRow::Tid(tid)) = part else { continue };
            match self.lock_one(mark, mode(strength), table, *tid).await? {
                Locked::No => return Ok(None),
                Locked::AsItWas => {}
                Locked::Newer(snapshot) => newer.push((mark.relation, snapshot)),
            }
        }
        // Once for all of them: until all are locked, the new version of one would meet the old one of another.
        if newer.is_empty() { Ok(Some(row)) } else { again(&self.node.child, &parts, &newer, &self.run).await }
    }

    async fn lock_one(&self, mark: &PlanRowMark, mode: LockMode, table: &Arc<Table>, tid: Tid) -> Result<Locked> {
        let heap = table.heap();
        let mut place = Place::default();
        let mut newer = None;
        let wanted = loop {
            let outcome = self.try_lock(mode, table, tid, newer.as_ref().unwrap_or(&self.run.snapshot)).await?;
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
            newer = Some(new_snapshot(&self.run).await);
        };
        let place = if matches!(wanted, Ok(true)) { place.with_lock_kept() } else { place };
        leave_queue(&self.run, heap, tid, mode, place).await;
        Ok(match (wanted?, newer) {
            (false, _) => Locked::No,
            (true, None) => Locked::AsItWas,
            (true, Some(snapshot)) => Locked::Newer(snapshot),
        })
    }

    async fn try_lock(&self, mode: LockMode, table: &Arc<Table>, tid: Tid, snapshot: &Snapshot) -> Result<Outcome> {
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
