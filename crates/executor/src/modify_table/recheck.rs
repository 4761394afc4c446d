//! Rows that another transaction has changed or locked: waiting for them, and looking at them again as they are now (PostgreSQL's
//! EvalPlanQual).

use std::sync::Arc;

use access::{Heap, Outcome, Tid};
use analyze::query::RangeTableIndex;
use arrow_array::{Array, ArrayRef};
use engine::{Table, Transaction};
use error::sqlstate;
use plan::plan::PlanRowMark;
use txn::{LockMode, Snapshot};

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::nodes::scan::tid_at;
use crate::run::estate::{Recheck, RecheckedRow, Run, RunState};
use crate::run::node::Compiled;
use crate::run::rows::BoxRows;

/// What a transaction has while it waits for a row.
#[derive(Clone, Copy, Default)]
pub struct Place {
    /// The first place in its queue.
    queued: bool,
    /// The row's lock, from the wait for others who had it: given back only after the next attempt, for two who gave it back
    /// before would pass it to each other for ever; or before something else is waited for.
    locked: bool,
}

impl Place {
    /// The same for a transaction that keeps the row's lock.
    pub fn with_lock_kept(self) -> Place {
        Place { locked: false, ..self }
    }
}

/// Waits until a row that was not to be had in a mode may be. `false`: it is gone. (PostgreSQL's `heap_acquire_tuplock`.)
pub async fn wait_for_row(
    run: &Run,
    heap: &Heap,
    tid: Tid,
    mode: LockMode,
    outcome: Outcome,
    place: &mut Place,
) -> Result<bool> {
    let timeout = run.environment().settings.write.lock_timeout;
    let transaction = run.transaction().await;
    let repeatable = transaction.is_repeatable();
    let conflict = |what: &str| {
        Error::new(sqlstate::T_R_SERIALIZATION_FAILURE, format!("could not serialize access due to concurrent {what}"))
    };
    match outcome {
        Outcome::Gone if repeatable => return Err(conflict("delete")),
        Outcome::Changed if repeatable => return Err(conflict("update")),
        Outcome::Gone => return Ok(false),
        Outcome::Changed | Outcome::Done | Outcome::Mine => {}
        Outcome::Locked { .. } | Outcome::Busy(_) => {
            // One of those who wait for the row waits for its holder, the others queue behind. One that has changed or locked
            // the row does not: those in the queue wait for it.
            let row = heap.row_tag(tid);
            let is_own = outcome == Outcome::Locked { own: true };
            let queues = !place.queued && !is_own && !transaction.holds(row);
            if queues {
                transaction.lock(heap.tuple_tag(tid), mode, timeout).await?;
                place.queued = true;
            }
            match outcome {
                Outcome::Busy(holder) => {
                    // The transaction that has changed the row may want to once more.
                    give_lock_back(&transaction, heap, tid, mode, place);
                    transaction.wait_for(holder, timeout).await?;
                }
                // It was perhaps the queue alone that stood in the way.
                _ if queues => {}
                // Others have it in a mode that conflicts, so this one has not.
                _ => {
                    transaction.lock(row, mode, timeout).await?;
                    place.locked = true;
                }
            }
        }
    }
    Ok(true)
}

/// Gives back the row's lock from the wait for others who had it. One that waits for a transaction that has changed the row must
/// not have it.
pub fn give_lock_back(transaction: &Transaction, heap: &Heap, tid: Tid, mode: LockMode, place: &mut Place) {
    if std::mem::take(&mut place.locked) {
        transaction.unlock(heap.row_tag(tid), mode);
    }
}

/// Gives back what the wait for a row has left.
pub async fn leave_queue(run: &Run, heap: &Heap, tid: Tid, mode: LockMode, mut place: Place) {
    if !place.locked && !place.queued {
        return;
    }
    let transaction = run.transaction().await;
    give_lock_back(&transaction, heap, tid, mode, &mut place);
    if place.queued {
        transaction.unlock(heap.tuple_tag(tid), mode);
    }
}

/// The same for a transaction that has changed the row. Where others wait it keeps its place to the end of its transaction, when the next
/// one can have the row: that one is woken once, and not once to find out whom to wait for.
pub async fn leave_queue_with_row(run: &Run, heap: &Heap, tid: Tid, mode: LockMode, place: Place) {
    let keeps = place.queued && run.transaction().await.db.store().locks.is_waited_for(heap.tuple_tag(tid));
    leave_queue(run, heap, tid, mode, Place { queued: place.queued && !keeps, ..place }).await;
}

/// Locks a row as a snapshot sees it, if it is that and no other transaction is at it.
pub async fn try_lock(table: &Table, tid: Tid, mode: LockMode, snapshot: &Snapshot, run: &Run) -> Result<Outcome> {
    let mut transaction = run.transaction().await;
    match table.heap().lock_row(transaction.writer(), snapshot, tid, mode).await? {
        Ok(outcome) => Ok(outcome),
        Err(error) => Err(run.environment().database.lock_error(error).into()),
    }
}

/// Gives back the locks of rows, in the order they were taken: the rows have been changed since, which keeps others away.
pub async fn unlock_changed(table: &Table, locks: impl DoubleEndedIterator<Item = (Tid, LockMode)>, run: &Run) {
    let transaction = run.transaction().await;
    // What was taken last is found first.
    for (tid, mode) in locks.rev() {
        transaction.unlock(table.heap().row_tag(tid), mode);
    }
}

/// What the statement sees now, if it may see more than at its beginning.
pub async fn new_snapshot(run: &Run) -> Snapshot {
    run.transaction().await.snapshot()
}

/// A part of a row of the child: the row of one entry. `None`: there was none.
pub type Part = (RangeTableIndex, Option<PartOfRow>);

#[derive(Clone)]
pub enum PartOfRow {
    Tid(Tid),
    /// What is no table's row, in a column of one record.
    Copy(ArrayRef),
}

/// The rows that a row of the child is made of.
pub fn rows_of(marks: &[PlanRowMark], batch: &Batch, row: usize) -> Vec<Part> {
    let part = |mark: &PlanRowMark| {
        let column = &batch.columns[mark.row as usize - 1];
        let part = match mark.is_copy() {
            true => column.is_valid(row).then(|| PartOfRow::Copy(column.slice(row, 1))),
            false => tid_at(column, row).map(PartOfRow::Tid),
        };
        (mark.relation, part)
    };
    marks.iter().map(part).collect()
}

/// The child's rows when it runs again for these parts of a row alone, some of them as a newer snapshot sees them.
fn run_again(child: &Compiled, parts: &[Part], newer: &[(RangeTableIndex, Snapshot)], run: &Run) -> Result<BoxRows> {
    let row = |(relation, part): &Part| {
        let newer = newer.iter().find(|(entry, _)| entry == relation).map(|(_, snapshot)| snapshot);
        let row = part.as_ref().map(|part| match part {
            PartOfRow::Tid(tid) => RecheckedRow::Of(*tid, newer.unwrap_or(&run.snapshot).clone()),
            PartOfRow::Copy(row) => RecheckedRow::Copy(row.clone()),
        });
        (*relation, row)
    };
    let recheck = Arc::new(Recheck { rows: parts.iter().map(row).collect() });
    let mut inner = RunState::clone(run);
    Arc::make_mut(&mut inner.scope).recheck = Some(recheck);
    child.start(&Arc::new(inner))
}

/// Runs the child again for these parts of a row, some of them as a newer snapshot sees them; gives its row, if there is one
/// still.
pub async fn again(
    child: &Compiled,
    parts: &[Part],
    newer: &[(RangeTableIndex, Snapshot)],
    run: &Run,
) -> Result<Option<Batch>> {
    let mut rows = run_again(child, parts, newer, run)?;
    Ok(rows.next().await?.map(|batch| batch.slice(0, 1)))
}

/// The same for an outer join, which may make two rows of what was one: gives each in a batch of its own.
pub async fn all_again(
    child: &Compiled,
    parts: &[Part],
    newer: &[(RangeTableIndex, Snapshot)],
    run: &Run,
) -> Result<Vec<Batch>> {
    let mut rows = run_again(child, parts, newer, run)?;
    let mut found = Vec::new();
    while let Some(batch) = rows.next().await? {
        found.extend((0..batch.rows).map(|row| batch.slice(row, 1)));
    }
    Ok(found)
}
