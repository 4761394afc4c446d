//! ON CONFLICT … DO UPDATE: rows that are in the way of new ones are locked as they are found, and updated some at a time, page
//! by page as UPDATE does.
//!
//! # Invariants
//! * A row that is to be updated stays locked until then: it is what it was when it was locked.
//! * No key of a unique index depends on what is assigned, and nothing volatile is computed, or each row is updated at once: what is
//!   looked for next may be it.

use access::{Outcome, Tid};
use analyze::query::{CheckKind, Expr, ParamKind, RangeTableIndex, TargetEntry};
use arrow_array::UInt32Array;
use engine::{Found, Table};
use error::sqlstate;
use expression::Selection;
use expression::clauses::contain_volatile_functions;
use txn::Snapshot;

use super::change::{Change, Changed, rows_at_once};
use super::conflict::Proposed;
use super::recheck::{
    Place, give_lock_back, leave_queue, leave_queue_with_row, new_snapshot, try_lock, unlock_changed, wait_for_row,
};
use super::target::{Target, places_of};
use crate::batch::Batch;
use crate::compile::walk::attributes_of;
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::output::{Filter, Projection};
use crate::nodes::scan::tids_to_column;
use crate::run::estate::Run;

/// What DO UPDATE says, over the columns of the row that is there and those of `excluded`.
pub struct Update {
    condition: Filter,
    values: Projection,
    /// Those of the values that are assigned, the others are junk.
    live: Vec<usize>,
    /// The columns of the row that is there that are named.
    named: Vec<usize>,
    change: Change,
    /// Volatile functions, or what WITH changes, show in what order rows are updated and others come.
    shows_order: bool,
}

/// Rows that are in the way and locked, in the order of those that are proposed.
#[derive(Default)]
pub struct Locked {
    rows: Vec<Conflicting>,
}

struct Conflicting {
    tid: Tid,
    /// Which of the proposed rows it is in the way of.
    row: u32,
    /// The transaction had locked it before.
    was_locked: bool,
}

impl Locked {
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub async fn contains(&self, tid: Tid, table: &Table, run: &Run) -> bool {
        let is_locked = run.transaction().await.holds(table.heap().row_tag(tid));
        is_locked && self.rows.iter().any(|row| row.tid == tid)
    }
}

impl Update {
    /// `width`: the child's columns.
    pub fn compile(
        compiler: &Compiler<'_>,
        target: &Target,
        (targets, condition): (&[TargetEntry], &Option<Expr>),
        (relation, excluded): (RangeTableIndex, RangeTableIndex),
        width: usize,
    ) -> types::Result<Update> {
        let layout = Layout::default().with(relation, &target.reprs).with(excluded, &target.reprs);
        let values = Projection::compile(compiler, targets, &layout)?;
        let mut attributes = Vec::new();
        let exprs = targets.iter().map(|target| &target.expr).chain(condition);
        exprs.clone().for_each(|expr| attributes_of(expr, relation, &mut attributes));
        attributes.extend(target.options.before());
        // A WITH query that changes rows, which runs as it is read, may come to rows that are locked or to be found.
        let changes = !compiler.planned.modifying.is_empty();
        let shows_order = { exprs }.any(|expr| {
            contain_volatile_functions(compiler.catalog, expr) || changes && expr.contains(&mut is_of_subquery)
        });
        let live: Vec<usize> = (0..targets.len()).filter(|&at| !targets[at].junk).collect();
        let assigned = live.iter().map(|&at| (targets[at].number as usize - 1, values.reprs()[at])).collect();
        Ok(Update {
            condition: compiler.filter(condition.as_slice(), &layout)?,
            values,
            live,
            named: places_of(&attributes, target.columns.len()),
            change: Change::of_locked(assigned, width),
            shows_order,
        })
    }

    /// So many rows may be locked before they are updated.
    pub fn rows_at_once(&self, table: &Table) -> Result<usize> {
        if self.shows_order || self.change.assigns_key(table) { Ok(1) } else { rows_at_once(table) }
    }

    /// Locks the row that was found to be in the way of a proposed one after `snapshot` was taken. `false`: it is not any more.
    pub async fn lock(
        &self,
        proposed: &Proposed<'_>,
        row: usize,
        (tid, snapshot): (Tid, Snapshot),
        locked: &mut Locked,
    ) -> Result<bool> {
        let Proposed { table, run, .. } = *proposed;
        let was_locked = run.transaction().await.holds(table.heap().row_tag(tid));
        let is_locked = self.wait(proposed, row, tid, snapshot).await?;
        if is_locked {
            locked.rows.push(Conflicting { tid, row: row as u32, was_locked });
        }
        Ok(is_locked)
    }

    /// Updates the rows that are locked; gives how many, and RETURNING's in the order of the proposed ones.
    pub async fn apply(&self, proposed: &Proposed<'_>, locked: &mut Locked) -> Result<(u64, Option<Batch>)> {
        let Proposed { target, table, run, .. } = *proposed;
        let mut rows = std::mem::take(&mut locked.rows);
        if rows.is_empty() {
            return Ok((0, None));
        }
        rows.sort_unstable_by_key(|row| row.tid);
        let snapshot = new_snapshot(run).await;
        let tids: Vec<Tid> = rows.iter().map(|row| row.tid).collect();
        let there = target.fetch(table, &tids, &self.named, &snapshot, run).await?;
        if there.rows < tids.len() {
            return Err(Error::new(sqlstate::INTERNAL_ERROR, "a row that is locked is not there"));
        }
        let mut at = UInt32Array::from_iter_values(rows.iter().map(|row| row.row));
        let mut both = there.beside(proposed.rows.take(&at)?);
        let kept = match self.condition.select(&both, run).await? {
            Selection::All => None,
            Selection::None => return Ok((0, None)),
            Selection::Some(kept) => Some(kept),
        };
        if let Some(kept) = &kept {
            let mut holds = kept.iter().map(|holds| holds == Some(true));
            rows.retain(|_| holds.next() == Some(true));
            (at, both) = (UInt32Array::from_iter_values(rows.iter().map(|row| row.row)), both.filter(kept)?);
        }
        // They begin with the columns of the rows that are there.
        target.check_existing(CheckKind::Conflict, &both, run).await?;
        let values = self.values.apply(both, run).await?;
        let mut batch = proposed.child.take(&at)?;
        batch.columns.push(tids_to_column(rows.iter().map(|row| row.tid)));
        batch.columns.extend(self.live.iter().map(|&at| values.columns[at].clone()));
        let mut changed = Changed::default();
        self.change.change(target, table, &batch, &snapshot, run, &mut changed).await?;
        if changed.rows + changed.own.len() as u64 != rows.len() as u64 {
            return Err(Error::new(sqlstate::INTERNAL_ERROR, "a row that is locked is not to be had"));
        }
        // What was computed may have run a WITH query that has changed a row meanwhile: that counts, as in PostgreSQL.
        for own in changed.own.into_iter().rev() {
            rows.remove(own);
        }
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_unstable_by_key(|&at| rows[at as usize].row);
        let mode = self.change.mode(table);
        let locks = order.iter().map(|&at| &rows[at as usize]).filter(|row| !row.was_locked);
        unlock_changed(table, locks.map(|row| (row.tid, mode)), run).await;
        let Some(returned) = changed.returned.pop() else { return Ok((changed.rows, None)) };
        Ok((changed.rows, Some(returned.take(&UInt32Array::from(order))?)))
    }

    /// Waits until a row is locked for this transaction. `false`: it is no longer in the way.
    async fn wait(&self, proposed: &Proposed<'_>, row: usize, tid: Tid, mut snapshot: Snapshot) -> Result<bool> {
        let Proposed { table, run, .. } = *proposed;
        let (heap, mode) = (table.heap(), self.change.mode(table));
        let timeout = run.environment().settings.write.lock_timeout;
        let mut place = Place::default();
        loop {
            refuse_own(table, tid, run).await?;
            let outcome = try_lock(table, tid, mode, &snapshot, run).await?;
            // The transaction that has changed the row since it was found is told from the snapshot, which is older than that.
            if outcome == Outcome::Done {
                leave_queue_with_row(run, heap, tid, mode, place.with_lock_kept()).await;
                return Ok(true);
            }
            let mut there = wait_for_row(run, heap, tid, mode, outcome, &mut place).await;
            if matches!(there, Ok(true)) {
                let mut transaction = run.transaction().await;
                if transaction.is_repeatable() {
                    // What has become of the row is told when it is locked.
                    continue;
                }
                let stored = proposed.stored.slice(row, 1);
                there = loop {
                    snapshot = transaction.snapshot();
                    match table.look_for_conflict(&mut transaction, &stored, &proposed.arbiters).await {
                        Ok(Found::Row(found)) => break Ok(found == tid),
                        Ok(Found::Nothing) => break Ok(false),
                        Ok(Found::Busy(holder)) => {
                            // The transaction that has changed the row may want to once more. It is looked for again behind that: another may be
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
                return there.map(|_| false);
            }
        }
    }
}

fn is_of_subquery(expr: &Expr) -> bool {
    matches!(expr, Expr::SubPlan(_)) || matches!(expr, Expr::Param(param) if param.kind == ParamKind::Exec)
}

/// Fails with 21000 when a row was made or changed by this very command.
async fn refuse_own(table: &Table, tid: Tid, run: &Run) -> Result<()> {
    let (own, command) = {
        let mut transaction = run.transaction().await;
        let writer = transaction.writer();
        (writer.transaction.xid, writer.command)
    };
    let newest = table.heap().newest(run.session(), tid).await?;
    if newest.is_some_and(|n| n.version.xid == own && n.version.command == command) {
        let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
        let hint =
            "Ensure that no rows proposed for insertion within the same command have duplicate constrained values.";
        return Err(types::Error::new(sqlstate::CARDINALITY_VIOLATION, message).hint(hint).into());
    }
    Ok(())
}
