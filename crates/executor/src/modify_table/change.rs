//! UPDATE and DELETE of the rows that the child names.

use std::sync::Arc;

use ::error::sqlstate;
use access::row::value_bytes;
use access::{Outcome, Pages, RowChange, Tid};
use aio::Turn;
use arrow_array::{RecordBatch, UInt32Array};
use engine::{EngineError, Table};
use plan::plan::{ModifyTable, PlanRowMark};
use txn::{LockMode, Snapshot};
use types::Repr;

use super::recheck::{PartOfRow, Place, again, leave_queue, leave_queue_with_row, new_snapshot, rows_of, wait_for_row};
use super::target::{Made, Refusal, Returned, Target};
use crate::batch::Batch;
use crate::error::Result;
use crate::nodes::scan::tid_at;
use crate::run::estate::Run;
use crate::run::node::Compiled;

pub struct Change {
    /// The columns that get new values, and how the child gives them, in its order; `None`: rows are deleted.
    pub assigned: Option<Vec<(usize, Repr)>>,
    /// The batch's first column with a new value.
    first: usize,
    /// The child's column with the rows' identities.
    row: usize,
    marks: Vec<PlanRowMark>,
    /// The transaction has locked the rows before.
    locked: bool,
}

/// What came of some rows.
#[derive(Default)]
pub struct Changed {
    pub rows: u64,
    pub returned: Vec<Batch>,
    /// What something stood in the way of.
    pub blocked: Vec<Blocked>,
    /// Which of those that were to be changed the same statement has changed before.
    pub own: Vec<usize>,
}

/// A row that is not to be had as it was found.
pub struct Blocked {
    /// Which of those that were to be changed.
    row: usize,
    pub tid: Tid,
    pub outcome: Outcome,
}

/// Rows that are to be changed, in the order of their places, in which they are locked.
struct Pending {
    /// The child's.
    child: Batch,
    tids: Vec<Tid>,
    /// Where the rows of each page begin, and where the last end.
    pages: Vec<usize>,
    /// What they are to become, or are where they are deleted.
    new: Batch,
    /// The same as it is stored; `None`: they are deleted.
    stored: Option<RecordBatch>,
    /// As they are, if RETURNING asks.
    before: Option<Batch>,
    /// What a view says of the first one that it would not show, once that is there.
    refusal: Option<Refusal>,
}

/// What rows are to become.
struct NewRows {
    new: Batch,
    /// As they are, if RETURNING asks.
    before: Option<Batch>,
    /// Which of the rows the snapshot sees, if not all.
    seen: Option<Vec<u32>>,
}

impl Change {
    pub fn update(modify: &ModifyTable, target: &Target, child: &Compiled) -> types::Result<Change> {
        let assign = |(at, &number): (usize, &i16)| {
            let column = usize::try_from(number - 1).ok().filter(|&column| column < target.columns.len());
            let missing = || types::Error::new(sqlstate::INTERNAL_ERROR, format!("column {number} cannot be updated"));
            Ok((column.ok_or_else(missing)?, child.reprs[at]))
        };
        let assigned = modify.columns.iter().enumerate().map(assign).collect::<types::Result<_>>()?;
        Ok(Change::of(modify, Some(assigned), 0))
    }

    pub fn delete(modify: &ModifyTable) -> Change {
        Change::of(modify, None, 0)
    }

    /// A change whose new values begin at a column of the batches.
    pub fn of(modify: &ModifyTable, assigned: Option<Vec<(usize, Repr)>>, first: usize) -> Change {
        let row = (modify.row as usize).saturating_sub(1);
        Change { assigned, first, row, marks: modify.marks.clone(), locked: false }
    }

    /// An update of rows that the transaction has locked; the batches' column `row` has their identities, those behind it the new
    /// values.
    pub fn of_locked(assigned: Vec<(usize, Repr)>, row: usize) -> Change {
        Change { assigned: Some(assigned), first: row + 1, row, marks: Vec::new(), locked: true }
    }

    /// The lock that a change of a row takes: that of [`RowChange::lock_mode`].
    pub fn mode(&self, table: &Table) -> LockMode {
        let Some(columns) = self.columns() else { return RowChange::Delete.lock_mode() };
        let key = table.has_key_among(&columns);
        RowChange::Update { values: &[], key, indexed: false }.lock_mode()
    }

    /// Does a key that only one row may have, or whether it has one, depend on what is assigned?
    pub fn assigns_key(&self, table: &Table) -> bool {
        let is_assigned = |column: usize| self.assigned.iter().flatten().any(|(own, _)| *own == column);
        table.indexes.iter().filter(|index| index.def.unique).any(|index| index.def.inputs().any(is_assigned))
    }

    /// Changes the rows of a batch; gives how many, and RETURNING's. One that others are at is waited for before any behind it
    /// is changed, as two who change the same rows would otherwise have rows that the other one waits for.
    pub async fn rows(
        &self,
        child: &Compiled,
        target: &Target,
        table: &Arc<Table>,
        batch: Batch,
        run: &Run,
    ) -> Result<(u64, Vec<Batch>)> {
        let mut changed = Changed::default();
        let mut most = if may_have_long_values(table)? { LONG_ROWS } else { usize::MAX };
        let mut at = 0;
        while at < batch.rows {
            let part = batch.slice(at, most.min(batch.rows - at));
            let pending = self.prepare(target, table, &part, &run.snapshot, run).await?;
            if pending.refusal.is_some() && part.rows > 1 {
                // Others may change a row that is refused, and then it is another one.
                most = 1;
                continue;
            }
            let values = self.values(table, &pending);
            let mut next = 0;
            while next < pending.tids.len() {
                next = self.write(target, table, (&pending, &values), next, &run.snapshot, run, &mut changed).await?;
                for blocked in std::mem::take(&mut changed.blocked) {
                    Box::pin(self.blocked(child, target, table, &pending.child, blocked, run, &mut changed)).await?;
                }
            }
            at += part.rows;
        }
        Ok((changed.rows, changed.returned))
    }

    /// Waits for the transaction that has changed or locked a row, looks at it again and changes it if it is still wanted.
    #[allow(clippy::too_many_arguments)] // The statement, the table, and a row of it.
    async fn blocked(
        &self,
        child: &Compiled,
        target: &Target,
        table: &Arc<Table>,
        batch: &Batch,
        Blocked { row, tid, mut outcome }: Blocked,
        run: &Run,
        changed: &mut Changed,
    ) -> Result<()> {
        let (heap, mode) = (table.heap(), self.mode(table));
        let mut rows = rows_of(&self.marks, batch, row);
        rows.push((target.relation, Some(PartOfRow::Tid(tid))));
        let mut place = Place::default();
        loop {
            let wanted = wait_for_row(run, heap, tid, mode, outcome, &mut place).await;
            let done = match wanted {
                Ok(true) => {
                    let snapshot = new_snapshot(run).await;
                    match again(child, &rows, &[(target.relation, snapshot.clone())], run).await {
                        Ok(None) => Ok(true),
                        Ok(Some(batch)) => {
                            self.change(target, table, &batch, &snapshot, run, changed).await.map(|()| false)
                        }
                        Err(error) => Err(error),
                    }
                }
                Ok(false) => Ok(true),
                Err(error) => Err(error),
            };
            match (done, changed.blocked.pop()) {
                (Ok(false), Some(still)) => outcome = still.outcome,
                (Ok(false), None) => {
                    leave_queue_with_row(run, heap, tid, mode, place).await;
                    return Ok(());
                }
                (done, _) => {
                    leave_queue(run, heap, tid, mode, place).await;
                    return done.map(drop);
                }
            }
        }
    }

    /// Changes rows, up to one that others are at.
    pub async fn change(
        &self,
        target: &Target,
        table: &Arc<Table>,
        batch: &Batch,
        snapshot: &Snapshot,
        run: &Run,
        changed: &mut Changed,
    ) -> Result<()> {
        let pending = self.prepare(target, table, batch, snapshot, run).await?;
        let values = self.values(table, &pending);
        self.write(target, table, (&pending, &values), 0, snapshot, run, changed).await.map(drop)
    }

    /// Finds out what rows are to become.
    async fn prepare(
        &self,
        target: &Target,
        table: &Arc<Table>,
        batch: &Batch,
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<Pending> {
        let tids: Vec<Option<Tid>> = (0..batch.rows).map(|row| tid_at(&batch.columns[self.row], row)).collect();
        // A join may give a row several times: the first counts.
        let mut order: Vec<usize> = (0..batch.rows).filter(|&row| tids[row].is_some()).collect();
        order.sort_by_key(|&row| tids[row]);
        order.dedup_by_key(|row| tids[*row]);
        let child = match order.iter().copied().eq(0..batch.rows) {
            true => batch.clone(),
            false => batch.take(&UInt32Array::from_iter_values(order.iter().map(|&row| row as u32)))?,
        };
        let tids: Vec<Tid> = order.iter().filter_map(|&row| tids[row]).collect();
        let old = self.old_columns(target, table);
        let NewRows { new, before, seen } = self.new_rows(target, table, &child, (&tids, &old), snapshot, run).await?;
        // What is no longer there for the snapshot has been changed by this very command, or is gone.
        let (child, tids) = match seen {
            None => (child, tids),
            Some(seen) => {
                let tids = seen.iter().map(|&row| tids[row as usize]).collect();
                (child.take(&UInt32Array::from(seen))?, tids)
            }
        };
        let refusal = match self.columns() {
            Some(columns) => {
                let found = (&child, &tids[..], &columns[..], &new);
                self.refusal(target, table, found, snapshot, run).await?
            }
            None => None,
        };
        if let Some(refusal) = refusal.as_ref().filter(|refusal| !refusal.is_late) {
            return Err(refusal.error.clone().into());
        }
        let stored = self.assigned.is_some().then(|| target.stored(&new)).transpose()?;
        let mut pages = vec![0];
        pages.extend(tids.chunk_by(|a, b| a.block == b.block).scan(0, |end, of_page| {
            *end += of_page.len();
            Some(*end)
        }));
        Ok(Pending { child, tids, pages, new, stored, before, refusal })
    }

    /// What is not to be of the rows that these are to become, and what is said about it shows all of the row.
    async fn refusal(
        &self,
        target: &Target,
        table: &Arc<Table>,
        (child, tids, columns, new): (&Batch, &[Tid], &[usize], &Batch),
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<Option<Refusal>> {
        let Some(first) = target.violation(table, new, Made::Updated(columns), run).await? else { return Ok(None) };
        let row = first.row;
        let all: Vec<usize> = (0..target.columns.len()).collect();
        let one = (&tids[row..=row], &all[..]);
        let whole = self.new_rows(target, table, &child.slice(row, 1), one, snapshot, run).await?;
        let shown = target.violation(table, &whole.new, Made::Updated(columns), run).await?;
        Ok(Some(shown.map_or(first, |shown| Refusal { row, ..shown })))
    }

    /// The columns that get new values, if rows are not deleted.
    fn columns(&self) -> Option<Vec<usize>> {
        self.assigned.as_ref().map(|assigned| assigned.iter().map(|(column, _)| *column).collect())
    }

    /// What the pending rows' columns become, in the order of the columns.
    fn values<'p>(&self, table: &Table, pending: &'p Pending) -> Vec<Values<'p>> {
        let Some(stored) = &pending.stored else { return Vec::new() };
        let shape = &table.heap().shape;
        let columns = self.sorted_columns();
        let value = |column: usize, row| value_bytes(stored.column(column), shape.columns[column].width, row);
        let of_row = |row| columns.iter().map(|&column| (column, value(column, row))).collect();
        (0..stored.num_rows()).map(of_row).collect()
    }

    fn sorted_columns(&self) -> Vec<usize> {
        let mut columns = self.columns().unwrap_or_default();
        columns.sort_unstable();
        columns
    }

    /// Changes pending rows, from one on and up to one that others are at; gives the one to go on with.
    #[allow(clippy::too_many_arguments)] // The statement, the table, and rows of it.
    async fn write(
        &self,
        target: &Target,
        table: &Arc<Table>,
        (pending, values): (&Pending, &[Values<'_>]),
        from: usize,
        snapshot: &Snapshot,
        run: &Run,
        changed: &mut Changed,
    ) -> Result<usize> {
        let outcomes = self.write_rows(table, (pending, values), from, snapshot, run).await?;
        let (mut done, mut stopped) = (Vec::new(), None);
        for (row, outcome) in (from..).zip(outcomes) {
            // Rows behind the one that stopped it are tried again, those that were changed too: they are this command's then, which
            // stays the same to the end of the statement.
            let Some(outcome) = outcome else { continue };
            match outcome {
                Outcome::Done => done.push(row as u32),
                // The command has dealt with it before.
                Outcome::Mine => changed.own.push(row),
                outcome => changed.blocked.push(Blocked { row, tid: pending.tids[row], outcome }),
            }
            if outcome.is_conflict() {
                stopped = Some(row + 1);
            }
        }
        if !done.is_empty() {
            changed.rows += done.len() as u64;
            self.finish(target, table, pending, done, run, changed).await?;
        }
        Ok(stopped.unwrap_or(pending.tids.len()))
    }

    /// Makes the index entries of rows that have been changed, and RETURNING's rows.
    async fn finish(
        &self,
        target: &Target,
        table: &Arc<Table>,
        pending: &Pending,
        done: Vec<u32>,
        run: &Run,
        changed: &mut Changed,
    ) -> Result<()> {
        let refusal = pending.refusal.as_ref().filter(|refusal| done.contains(&(refusal.row as u32)));
        let is_before = |row: &u32| refusal.is_none_or(|refusal| *row <= refusal.row as u32);
        let rows = UInt32Array::from_iter_values(done.into_iter().filter(is_before));
        let tids: Vec<Tid> = rows.values().iter().map(|&row| pending.tids[row as usize]).collect();
        let all = rows.len() == pending.new.rows;
        let of = |batch: &Batch| if all { Ok(batch.clone()) } else { batch.take(&rows) };
        let new = of(&pending.new)?;
        if let (Some(columns), Some(stored)) = (self.columns(), &pending.stored)
            && table.is_indexed_by(&columns)
        {
            let options = run.environment().settings.write.clone();
            let stored = if all { stored.clone() } else { target.stored(&new)? };
            let mut transaction = run.transaction().await;
            Box::pin(table.index_rows(&mut transaction, &stored, &tids, Some(&columns), &options)).await?;
        }
        if let Some(refusal) = refusal {
            return Err(refusal.error.clone().into());
        }
        if target.returning.is_some() {
            let (child, old) = (of(&pending.child)?, pending.before.as_ref().map(of).transpose()?);
            let after = self.assigned.is_some().then(|| new.clone());
            let ended = self.assigned.is_none() || self.locked;
            let returned = Returned { rows: new, tids: &tids, old, new: after, child, ended };
            changed.returned.extend(target.return_rows(returned, run).await?);
        }
        Ok(())
    }

    /// The columns that are not assigned and that are asked for, and those that are asked for as they were.
    fn old_columns(&self, target: &Target, table: &Table) -> Vec<usize> {
        let assigned = self.assigned.as_deref().unwrap_or_default();
        let is_assigned = |column: usize| assigned.iter().any(|(own, _)| *own == column);
        let mut old: Vec<usize> = target.named.clone();
        // Entries of indexes depend on several columns.
        for index in &table.indexes {
            if index.def.inputs().any(is_assigned) {
                old.extend(index.def.inputs());
            }
        }
        old.retain(|&column| !is_assigned(column));
        old.extend(&target.named_before);
        old.sort_unstable();
        old.dedup();
        old
    }

    /// The rows as they are to be (or were, where they are deleted), with these columns as they are beside what is assigned.
    async fn new_rows(
        &self,
        target: &Target,
        table: &Arc<Table>,
        batch: &Batch,
        (tids, old): (&[Tid], &[usize]),
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<NewRows> {
        let mut batch = batch.clone();
        let (mut rows, mut seen) = match old.is_empty() {
            true => (target.nulls(batch.rows), None),
            false => (target.fetch(table, tids, old, snapshot, run).await?, None),
        };
        if rows.rows < tids.len() {
            let found = visible(table, tids, snapshot, run).await?;
            batch = batch.take(&UInt32Array::from(found.clone()))?;
            seen = Some(found);
        }
        let before = target.returns_old().then(|| rows.clone());
        for (at, &(column, from)) in self.assigned.iter().flatten().enumerate() {
            rows.columns[column] = target.column(column, &batch.columns[self.first + at], from)?;
        }
        Ok(NewRows { new: rows, before, seen })
    }

    /// Changes pending rows in the heap, from one on and up to one that others are at; gives what became of them, as far as it
    /// came.
    async fn write_rows(
        &self,
        table: &Arc<Table>,
        (pending, values): (&Pending, &[Values<'_>]),
        from: usize,
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<Vec<Option<Outcome>>> {
        let columns = self.sorted_columns();
        let (key, indexed) = (table.has_key_among(&columns), table.is_indexed_by(&columns));
        let mut outcomes = Vec::new();
        let mut turn = Turn::new(run.environment().database.engine());
        let left = pending.pages.partition_point(|&begin| begin <= from);
        let ends = &pending.pages[left..];
        let blocks = ends.iter().map(|end| pending.tids[end - 1].block).collect();
        let mut pages = Pages::new(table.heap(), run.session(), run.concurrency(table), blocks);
        for (page, &end) in ends.iter().enumerate() {
            turn.pass().await;
            let first = from + outcomes.len();
            let tids = &pending.tids[first..end];
            let change = |row: usize| match &self.assigned {
                None => RowChange::Delete,
                Some(_) => RowChange::Update { values: &values[row], key, indexed },
            };
            let changes: Vec<(u16, RowChange<'_>)> =
                (first..).zip(tids).map(|(row, tid)| (tid.row, change(row))).collect();
            // It stays in memory while its rows are changed.
            let _page = pages.page(page).await?;
            let mut transaction = run.transaction().await;
            let came = table.heap().change(transaction.writer(), snapshot, tids[0].block, &changes).await?;
            let stops = came.iter().flatten().any(|outcome| outcome.is_conflict());
            outcomes.extend(came);
            if stops {
                break;
            }
        }
        Ok(outcomes)
    }
}

/// So many rows that are locked first are changed at once, and so many others where they may be long: what is looked at again of
/// each is in memory.
const MOST_ROWS: usize = 1024;
const LONG_ROWS: usize = 64;

/// So many rows of a table are looked at and locked before they are changed.
pub fn rows_at_once(table: &Table) -> Result<usize> {
    Ok(if may_have_long_values(table)? { LONG_ROWS } else { MOST_ROWS })
}

fn may_have_long_values(table: &Table) -> Result<bool> {
    Ok(table.heap().toast().map_err(EngineError::from)?.is_some())
}

/// A row's new values, by their columns.
type Values<'a> = Vec<(usize, Option<&'a [u8]>)>;

/// Which of these rows a snapshot sees.
async fn visible(table: &Arc<Table>, tids: &[Tid], snapshot: &Snapshot, run: &Run) -> Result<Vec<u32>> {
    let mut found = Vec::new();
    for (row, &tid) in tids.iter().enumerate() {
        if table.heap().look(run.session(), tid, snapshot, |_| false, |_, _| ()).await?.is_some() {
            found.push(row as u32);
        }
    }
    Ok(found)
}
