//! LockRows: SELECT … FOR UPDATE and its like. A row of which another transaction has changed a part is looked at again.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use access::{Outcome, Tid};
use analyze::query::{LockStrength, LockWait, RangeTableIndex};
use async_trait::async_trait;
use engine::Table;
use error::sqlstate;
use plan::plan::{Node, Plan, PlanRowMark};
use txn::{LockMode, Snapshot};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::output::Output;
use crate::modify_table::recheck::{
    PartOfRow, Place, again, leave_queue, new_snapshot, rows_of, try_lock, wait_for_row,
};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, child: &Plan, marks: &[PlanRowMark]) -> types::Result<Compiled> {
    let child = compiler.plan(child)?;
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    let reprs = output.reprs().clone();
    let root = &compiler.planned.plan;
    // With ties it is not known how many will be wanted.
    let is_limited = matches!(&root.node, Node::Limit { child, with_ties: None, .. } if std::ptr::eq(&**child, plan));
    let gives_result = std::ptr::eq(root, plan) || is_limited;
    Ok(Compiled::new(LockRows { child, marks: marks.to_vec(), output, gives_result }, reprs))
}

struct LockRows {
    child: Compiled,
    marks: Vec<PlanRowMark>,
    output: Output,
    /// Its rows are the statement's result, but for a LIMIT.
    gives_result: bool,
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
        Ok(Box::new(LockedRows { locker, child, waiting: None }))
    }
}

struct LockedRows {
    locker: Locker,
    child: BoxRows,
    /// Rows of the child that are still to be locked: one at a time where the reader may want only the first, and lock no others.
    waiting: Option<Batch>,
}

struct Locker {
    node: Arc<LockRows>,
    run: Run,
    /// The marks' tables, where they are locked.
    tables: Vec<Option<Arc<Table>>>,
}

/// What came of a row that was to be locked.
enum Locked<T> {
    /// It is gone, or skipped.
    No,
    AsItWas,
    /// Others have had it meanwhile.
    Newer(T),
}

impl Locker {
    /// Locks rows, one after the other; gives them as they are now, without those that are not wanted any more, or skipped.
    async fn lock(&self, rows: Batch) -> Result<Vec<Batch>> {
        let (mut locked, mut from) = (Vec::new(), 0);
        for row in 0..rows.rows {
            let now = match self.lock_row(&rows, row).await? {
                Locked::AsItWas => continue,
                Locked::No => None,
                Locked::Newer(now) => now,
            };
            let as_they_were = (from < row).then(|| rows.slice(from, row - from));
            locked.extend(as_they_were.into_iter().chain(now));
            from = row + 1;
        }
        locked.extend((from < rows.rows).then(|| rows.slice(from, rows.rows - from)));
        Ok(locked)
    }

    /// Locks the rows that a row is made of; gives it as it is now, if it is another and still wanted.
    async fn lock_row(&self, rows: &Batch, row: usize) -> Result<Locked<Option<Batch>>> {
        let parts = rows_of(&self.node.marks, rows, row);
        let mut newer: Vec<(RangeTableIndex, Snapshot)> = Vec::new();
        for ((mark, table), (_, part)) in self.node.marks.iter().zip(&self.tables).zip(&parts) {
            let (Some(strength), Some(table)) = (mark.strength, table) else { continue };
            let Some(PartOfRow::Tid(tid)) = part else { continue };
            match self.lock_one(mark, mode(strength), table, *tid).await? {
                Locked::No => return Ok(Locked::No),
                Locked::AsItWas => {}
                Locked::Newer(snapshot) => newer.push((mark.relation, snapshot)),
            }
        }
        // Once for all of them: until all are locked, the new version of one would meet the old one of another.
        match newer.is_empty() {
            true => Ok(Locked::AsItWas),
            false => again(&self.node.child, &parts, &newer, &self.run).await.map(Locked::Newer),
        }
    }

    /// Locks one of them; where it is newer gives the snapshot that sees it.
    async fn lock_one(
        &self,
        mark: &PlanRowMark,
        mode: LockMode,
        table: &Arc<Table>,
        tid: Tid,
    ) -> Result<Locked<Snapshot>> {
        let heap = table.heap();
        let mut place = Place::default();
        let mut newer = None;
        let wanted = loop {
            let snapshot = newer.as_ref().unwrap_or(&self.run.snapshot);
            let outcome = try_lock(table, tid, mode, snapshot, &self.run).await?;
            match (outcome, mark.wait) {
                (Outcome::Done, _) => break Ok(true),
                // Looked at again for another row of the command, it is what it was.
                (Outcome::Mine, _) => break Ok(self.run.scope.recheck.is_some()),
                (Outcome::Busy(_) | Outcome::Locked { .. }, LockWait::Error) => {
                    let message = format!("could not obtain lock on row in relation \"{}\"", table.def.name);
                    break Err(Error::new(sqlstate::LOCK_NOT_AVAILABLE, message));
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
}

impl LockedRows {
    /// So many rows are wanted for sure.
    fn wanted(&self) -> usize {
        let run = &self.locker.run;
        match self.locker.node.gives_result && run.estate.all_wanted.load(Ordering::Relaxed) {
            true => run.bound.as_ref().map_or(usize::MAX, |left| left.load(Ordering::Relaxed)).max(1),
            false => 1,
        }
    }
}

#[async_trait]
impl Rows for LockedRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let mut given = Vec::new();
        while given.is_empty() {
            let batch = match self.waiting.take() {
                Some(batch) => batch,
                None => match self.child.next().await? {
                    Some(batch) => batch,
                    None => return Ok(None),
                },
            };
            let wanted = self.wanted().min(batch.rows);
            self.waiting = (wanted < batch.rows).then(|| batch.slice(wanted, batch.rows - wanted));
            for locked in self.locker.lock(batch.slice(0, wanted)).await? {
                given.extend(self.locker.node.output.apply(locked, &self.locker.run).await?);
            }
        }
        Batch::concat(&given, self.locker.node.output.reprs()).map(Some)
    }
}
