//! Rows that somebody else has changed or locked: waiting for them, and looking at them again as they are now (PostgreSQL's
//! EvalPlanQual).

use std::sync::Arc;

use access::{Outcome, Tid};
use analyze::query::RangeTableIndex;
use plan::plan::PlanRowMark;
use txn::{LockMode, LockTag, Snapshot};

use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::estate::{Recheck, Run, RunState};
use crate::node::Compiled;
use crate::nodes::scan::tid_at;

/// Waits until a row that was not to be had may be. `false`: it is gone. `queued`: whether this transaction has taken its
/// place in the queue for the row.
pub async fn wait_for_row(
    run: &Run,
    tag: LockTag,
    mode: LockMode,
    outcome: Outcome,
    queued: &mut bool,
) -> Result<bool> {
    let timeout = run.environment().settings.write.lock_timeout;
    let transaction = run.transaction().await;
    let repeatable = transaction.is_repeatable();
    let conflict = |what: &str| Error::new("40001", format!("could not serialize access due to concurrent {what}"));
    match outcome {
        Outcome::Gone if repeatable => return Err(conflict("delete")),
        Outcome::Changed if repeatable => return Err(conflict("update")),
        Outcome::Gone => return Ok(false),
        Outcome::Changed | Outcome::Done | Outcome::Mine => {}
        Outcome::Locked | Outcome::Busy(_) => {
            // One of those who wait for the row waits for its holder, the others queue behind.
            if !*queued {
                transaction.lock(tag, mode, timeout).await?;
                *queued = true;
            }
            if let Outcome::Busy(holder) = outcome {
                transaction.wait_for(holder, timeout).await?;
            }
        }
    }
    Ok(true)
}

/// Leaves the queue for a row.
pub async fn leave_queue(run: &Run, tag: LockTag, mode: LockMode, queued: bool) {
    if queued {
        run.transaction().await.unlock(tag, mode);
    }
}

/// The same for whoever has changed the row. Where others wait it keeps its place to the end of its transaction, when the next
/// one can have the row: that one is woken once, and not once to find out whom to wait for.
pub async fn leave_queue_with_row(run: &Run, tag: LockTag, mode: LockMode, queued: bool) {
    if queued {
        let transaction = run.transaction().await;
        if !transaction.db.store().locks.is_waited_for(tag) {
            transaction.unlock(tag, mode);
        }
    }
}

/// What the statement sees now, if it may see more than at its beginning.
pub async fn new_snapshot(run: &Run) -> Snapshot {
    run.transaction().await.snapshot()
}

/// The rows of tables that a row of the child is made of.
pub fn rows_of(marks: &[PlanRowMark], batch: &Batch, row: usize) -> Vec<(RangeTableIndex, Option<Tid>)> {
    marks.iter().map(|mark| (mark.relation, tid_at(&batch.columns[mark.row as usize - 1], row))).collect()
}

/// Runs the child again for these rows of tables, some of them as a newer snapshot sees them; gives its row, if there is
/// one still.
pub async fn again(
    child: &Compiled,
    rows: &[(RangeTableIndex, Option<Tid>)],
    newer: &[(RangeTableIndex, Snapshot)],
    run: &Run,
) -> Result<Option<Batch>> {
    let place = |&(relation, tid): &(RangeTableIndex, Option<Tid>)| {
        let snapshot = newer.iter().rev().find(|(entry, _)| *entry == relation).map(|(_, snapshot)| snapshot);
        let snapshot = snapshot.unwrap_or(&run.snapshot).clone();
        (relation, tid.map(|tid| (tid, snapshot)))
    };
    let recheck = Arc::new(Recheck { rows: rows.iter().map(place).collect() });
    let mut inner = RunState::clone(run);
    inner.scope.recheck = Some(recheck);
    let mut rows = child.start(&Arc::new(inner))?;
    Ok(rows.next().await?.map(|batch| batch.slice(0, 1)))
}
