//! INSERT … ON CONFLICT: each row is looked for in the unique indexes before it is put in.
//!
//! A row that comes in between, after the look, makes the insertion fail; what it did is taken back to before the row, and
//! the row is looked for again. A row that was found and then changed by somebody else may have another key: it is looked for
//! again, too. So DO UPDATE either inserts or updates a row with that key, whoever else is at work.

use std::sync::Arc;

use access::row::value_bytes;
use access::{Outcome, RowChange, Tid};
use analyze::query::{ConflictAction, TargetEntry};
use arrow_array::RecordBatch;
use engine::{EngineError, Found, Table};
use plan::plan::{ModifyTable, PlanOnConflict};
use txn::{LockMode, Snapshot};
use types::Oid;

use super::change::update_mode;
use super::insert::Insert;
use super::recheck::{Place, give_lock_back, leave_queue, leave_queue_with_row, wait_for_row};
use super::target::{Returned, Target};
use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::estate::Run;
use crate::output::{Filter, Projection};

pub struct Conflict {
    /// Indexes that decide; `None`: all unique ones.
    arbiters: Option<Vec<Oid>>,
    /// `None`: DO NOTHING.
    update: Option<Update>,
}

/// DO UPDATE, over the columns of the row that is there and those of `excluded`.
struct Update {
    condition: Filter,
    /// The values, and which column each is for; none: it is junk.
    values: Projection,
    assigned: Vec<Option<usize>>,
}

/// A row that was inserted or updated.
struct Put {
    now: Batch,
    before: Option<Batch>,
    tid: Tid,
}

/// A row that is proposed, as it is and as it is stored, and the positions of the indexes that decide.
struct Proposed<'a> {
    row: &'a Batch,
    stored: RecordBatch,
    arbiters: &'a [usize],
}

/// What became of a row that was in the way.
enum Upsert {
    Updated {
        now: Batch,
        before: Batch,
    },
    NotWanted,
    /// It is not there any more, or somebody is at it.
    Again,
}

impl Conflict {
    pub fn compile(
        compiler: &Compiler<'_>,
        modify: &ModifyTable,
        on: &PlanOnConflict,
        target: &Target,
    ) -> types::Result<Conflict> {
        let update = match &on.action {
            ConflictAction::Nothing => None,
            ConflictAction::Update { targets, condition, excluded } => {
                let layout = Layout::default().with(modify.scan.relation, &target.reprs).with(*excluded, &target.reprs);
                let condition = compiler.filter(condition.as_slice(), &layout)?;
                let values = Projection::compile(compiler, targets, &layout)?;
                let column = |entry: &TargetEntry| (!entry.junk).then(|| entry.number as usize - 1);
                Some(Update { condition, values, assigned: targets.iter().map(column).collect() })
            }
        };
        Ok(Conflict { arbiters: on.arbiters.clone(), update })
    }

    /// The positions of the indexes that decide.
    fn positions(&self, table: &Table) -> Vec<usize> {
        let indexes = table.indexes.iter().enumerate();
        let decides = |oid: Oid| self.arbiters.as_ref().is_none_or(|arbiters| arbiters.contains(&oid));
        indexes.filter(|(_, index)| index.def.unique && decides(index.def.oid)).map(|(at, _)| at).collect()
    }

    /// Inserts or updates the rows of a batch; gives how many, and RETURNING's.
    pub async fn rows(
        &self,
        insert: &Insert,
        target: &Target,
        table: &Arc<Table>,
        batch: Batch,
        run: &Run,
    ) -> Result<(u64, Vec<Batch>)> {
        let rows = insert.new_rows(target, &batch)?;
        target.check(table, &rows, None, run).await?;
        let arbiters = self.positions(table);
        let (mut count, mut returned) = (0, Vec::new());
        let session = run.session();
        let (mut waits, mut ahead) = (session.waits(), 1);
        for row in 0..rows.rows {
            // A row has waited for a page: those of the next ones come together.
            if row >= ahead && session.waits() != waits {
                ahead = rows.rows.min(row + table.conflicts_read_together());
                if let Ok(next) = target.stored(&rows.slice(row, ahead - row)) {
                    table.read_conflicts_ahead(session, &next, &arbiters, run.concurrency(table)).await;
                }
                waits = session.waits();
            }
            let one = rows.slice(row, 1);
            if let Some(Put { now, before, tid }) = self.row(target, table, &one, &arbiters, run).await? {
                count += 1;
                let (new, child) = (Some(now.clone()), batch.slice(row, 1));
                // A row that was in the way was locked before it was updated.
                let ended = before.is_some();
                let put = Returned { rows: now, tids: &[tid], old: before, new, child, ended };
                returned.extend(target.return_rows(put, run).await?);
            }
        }
        Ok((count, returned))
    }

    /// Inserts or updates a row; gives it as it is now, if it did either.
    async fn row(
        &self,
        target: &Target,
        table: &Arc<Table>,
        row: &Batch,
        arbiters: &[usize],
        run: &Run,
    ) -> Result<Option<Put>> {
        let proposed = Proposed { row, stored: target.stored(row)?, arbiters };
        let stored = &proposed.stored;
        let options = run.environment().settings.write.clone();
        loop {
            let mut transaction = run.transaction().await;
            let snapshot = transaction.snapshot();
            let found = table.find_conflict(&mut transaction, stored, arbiters, options.lock_timeout).await?;
            let Some(tid) = found else {
                let before = transaction.savepoint();
                let tids = table.heap().insert_batch(transaction.writer(), stored).await?;
                match table.index_rows(&mut transaction, stored, &tids, None, &options).await {
                    Ok(()) => return Ok(Some(Put { now: row.clone(), before: None, tid: tids[0] })),
                    Err(error) if error.code == "23505" => {
                        transaction.roll_back_to(&before).await?;
                        // It may be a key that ON CONFLICT does not speak of.
                        match is_about(&error, table, arbiters) {
                            true => continue,
                            false => return Err(error.into()),
                        }
                    }
                    Err(error) => return Err(error.into()),
                }
            };
            drop(transaction);
            refuse_unseen(table, tid, run).await?;
            let Some(update) = &self.update else { return Ok(None) };
            match update.apply(target, table, tid, snapshot, &proposed, run).await? {
                Upsert::Updated { now, before } => return Ok(Some(Put { now, before: Some(before), tid })),
                Upsert::NotWanted => return Ok(None),
                Upsert::Again => {}
            }
        }
    }
}

/// Is an error about a key that one of these indexes keeps unique?
fn is_about(error: &EngineError, table: &Table, indexes: &[usize]) -> bool {
    let constraint = error.about.as_ref().and_then(|about| about.constraint.as_deref());
    indexes.iter().any(|&index| Some(&*table.indexes[index].def.name) == constraint)
}

impl Update {
    /// Updates a row that was found to be in the way after `snapshot` was taken.
    async fn apply(
        &self,
        target: &Target,
        table: &Arc<Table>,
        tid: Tid,
        snapshot: Snapshot,
        proposed: &Proposed<'_>,
        run: &Run,
    ) -> Result<Upsert> {
        let (row_tag, mode) = (table.heap().row_tag(tid), self.mode(table));
        let was_locked = run.transaction().await.holds(row_tag);
        let Some(snapshot) = self.wait(table, tid, snapshot, proposed, run).await? else { return Ok(Upsert::Again) };
        let excluded = proposed.row;
        let all: Vec<usize> = (0..target.columns.len()).collect();
        let row = target.fetch(table, &[tid], &all, &snapshot, run).await?;
        if row.rows == 0 {
            return Ok(Upsert::Again);
        }
        let both = row.clone().beside(excluded.clone());
        if self.condition.apply(both.clone(), run).await?.is_none() {
            return Ok(Upsert::NotWanted);
        }
        let mut now = row.clone();
        let values = self.values.apply(both, run).await?;
        for (at, column) in self.assigned.iter().enumerate() {
            if let Some(column) = *column {
                now.columns[column] = target.column(column, &values.columns[at], self.values.reprs()[at])?;
            }
        }
        let mut columns: Vec<usize> = self.assigned.iter().copied().flatten().collect();
        columns.sort_unstable();
        target.check(table, &now, Some(&columns), run).await?;
        let stored = target.stored(&now)?;
        let shape = &table.heap().shape;
        let value = |&column: &usize| (column, value_bytes(stored.column(column), shape.columns[column].width, 0));
        let values: Vec<_> = columns.iter().map(value).collect();
        let (key, indexed) = (table.has_key_among(&columns), table.is_indexed_by(&columns));
        let change = RowChange::Update { values: &values, key, indexed };
        let mut transaction = run.transaction().await;
        let outcomes = table.heap().change(transaction.writer(), &snapshot, tid.block, &[(tid.row, change)]).await?;
        match outcomes[0] {
            Some(Outcome::Done) => {
                let options = run.environment().settings.write.clone();
                table.index_rows(&mut transaction, &stored, &[tid], Some(&columns), &options).await?;
                // The change keeps others away from now on.
                if !was_locked {
                    transaction.unlock(row_tag, mode);
                }
                Ok(Upsert::Updated { now, before: row })
            }
            _ => Ok(Upsert::Again),
        }
    }

    fn mode(&self, table: &Table) -> LockMode {
        update_mode(table, self.assigned.iter().copied().flatten())
    }

    /// Waits until the row is locked for this transaction; gives the snapshot that sees it. `None`: it is no longer in the way.
    async fn wait(
        &self,
        table: &Arc<Table>,
        tid: Tid,
        mut snapshot: Snapshot,
        proposed: &Proposed<'_>,
        run: &Run,
    ) -> Result<Option<Snapshot>> {
        let (heap, mode) = (table.heap(), self.mode(table));
        let timeout = run.environment().settings.write.lock_timeout;
        let mut place = Place::default();
        loop {
            let outcome = self.lock(table, tid, mode, &snapshot, run).await?;
            // Whoever has changed the row since it was found is told from the snapshot, which is older than that.
            if outcome == Outcome::Done {
                leave_queue_with_row(run, heap, tid, mode, place.with_lock_kept()).await;
                return Ok(Some(snapshot));
            }
            let mut there = wait_for_row(run, heap, tid, mode, outcome, &mut place).await;
            if matches!(there, Ok(true)) {
                let mut transaction = run.transaction().await;
                if transaction.is_repeatable() {
                    // What has become of the row is told when it is locked.
                    continue;
                }
                there = loop {
                    snapshot = transaction.snapshot();
                    match table.look_for_conflict(&mut transaction, &proposed.stored, proposed.arbiters).await {
                        Ok(Found::Row(found)) => break Ok(found == tid),
                        Ok(Found::Nothing) => break Ok(false),
                        Ok(Found::Busy(holder)) => {
                            // Who has changed the row may want to once more. It is looked for again behind that: another may be
                            // in the way by then.
                            give_lock_back(&transaction, heap, tid, mode, &mut place);
                            if let Err(error) = transaction.wait_for(holder, timeout).await {
                                break Err(error.into());
                            }
                        }
                        Err(error) => break Err(error.into()),
                    }
                };
            }
            if !matches!(there, Ok(true)) {
                leave_queue(run, heap, tid, mode, place).await;
                return there.map(|_| None);
            }
        }
    }

    /// Locks the row that is in the way. Fails with 21000 when this very command made it.
    async fn lock(
        &self,
        table: &Arc<Table>,
        tid: Tid,
        mode: LockMode,
        snapshot: &txn::Snapshot,
        run: &Run,
    ) -> Result<Outcome> {
        let mut transaction = run.transaction().await;
        let (own, command) = {
            let writer = transaction.writer();
            (writer.transaction.xid, writer.command)
        };
        let newest = table.heap().newest(run.session(), tid).await?;
        if newest.is_some_and(|n| n.version.xid == own && n.version.command == command) {
            let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
            let hint =
                "Ensure that no rows proposed for insertion within the same command have duplicate constrained values.";
            return Err(types::Error::new("21000", message).hint(hint).into());
        }
        match table.heap().lock_row(transaction.writer(), snapshot, tid, mode).await? {
            Ok(outcome) => Ok(outcome),
            Err(error) => Err(run.environment().database.lock_error(error).into()),
        }
    }
}

/// REPEATABLE READ must not act on a row that it does not see.
async fn refuse_unseen(table: &Table, tid: Tid, run: &Run) -> Result<()> {
    let mut transaction = run.transaction().await;
    if !transaction.is_repeatable() {
        return Ok(());
    }
    let (xid, snapshot) = (transaction.xid(), transaction.snapshot());
    let newest = table.heap().newest(run.session(), tid).await?;
    let unseen = newest.is_some_and(|n| Some(n.version.xid) != xid && !snapshot.sees(n.version.xid, n.version.command));
    if unseen {
        return Err(Error::new("40001", "could not serialize access due to concurrent update"));
    }
    Ok(())
}
