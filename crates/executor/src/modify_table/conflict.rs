//! INSERT … ON CONFLICT: each row is looked for in the unique indexes before it is put in.
//!
//! A row that comes in between, after the look, makes the insertion fail; what it did is taken back to before the row, and
//! the row is looked for again. A row that was found and then changed by another transaction may have another key: it is looked for
//! again, too. So DO UPDATE either inserts or updates a row with that key, whatever other transactions do.
//!
//! Rows are looked for, put in and locked one after the other, as they come: sessions with the same rows in the same order wait for
//! each other, and not in a circle. Those that are locked are updated some at a time ([`super::conflict_update`]).

use std::sync::Arc;

use ::error::sqlstate;
use access::Tid;
use analyze::query::ConflictAction;
use arrow_array::RecordBatch;
use engine::{EngineError, Table};
use plan::plan::{ModifyTable, PlanOnConflict};
use types::Oid;

use super::conflict_update::{Locked, Update};
use super::insert::Insert;
use super::target::{Made, Returned, Target};
use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::{Error, Result};
use crate::run::estate::Run;
use crate::run::node::Compiled;

pub struct Conflict {
    /// Indexes that decide; `None`: all unique ones.
    arbiters: Option<Vec<Oid>>,
    /// `None`: DO NOTHING.
    update: Option<Update>,
}

/// Rows that are proposed.
pub struct Proposed<'a> {
    pub target: &'a Target,
    pub table: &'a Arc<Table>,
    pub run: &'a Run,
    /// The child's.
    pub child: Batch,
    /// The same as rows of the table, and as they are stored.
    pub rows: Batch,
    pub stored: RecordBatch,
    /// The positions of the indexes that decide.
    pub arbiters: Vec<usize>,
}

/// What came of them.
#[derive(Default)]
struct Done {
    /// How many were inserted or updated.
    rows: u64,
    /// RETURNING's.
    returned: Vec<Batch>,
}

impl Conflict {
    pub fn compile(
        compiler: &Compiler<'_>,
        modify: &ModifyTable,
        on: &PlanOnConflict,
        target: &Target,
        child: &Compiled,
    ) -> types::Result<Conflict> {
        let update = match &on.action {
            ConflictAction::Nothing => None,
            ConflictAction::Update { targets, condition, excluded } => {
                let entries = (modify.scan.relation, *excluded);
                Some(Update::compile(compiler, target, (targets, condition), entries, child.reprs.len())?)
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
        target.check(table, &rows, Made::Proposed, run).await?;
        let (stored, arbiters) = (target.stored(&rows)?, self.positions(table));
        let proposed = Proposed { target, table, run, child: batch, rows, stored, arbiters };
        let most = self.update.as_ref().map_or(Ok(1), |update| update.rows_at_once(table))?;
        let (mut locked, mut done) = (Locked::default(), Done::default());
        let session = run.session();
        let (mut waits, mut ahead) = (session.waits(), 1);
        let count = proposed.rows.rows;
        for row in 0..count {
            // A row has waited for a page: those of the next ones come together.
            if row >= ahead && session.waits() != waits {
                ahead = count.min(row + table.conflicts_read_together());
                let next = proposed.stored.slice(row, ahead - row);
                let arbiters = &proposed.arbiters;
                table.read_conflicts_ahead(session, &next, arbiters, run.concurrency(table)).await;
                waits = session.waits();
            }
            self.row(&proposed, row, &mut locked, &mut done).await?;
            if locked.len() >= most {
                self.update(&proposed, &mut locked, &mut done).await?;
            }
        }
        self.update(&proposed, &mut locked, &mut done).await?;
        Ok((done.rows, done.returned))
    }

    /// Inserts a row, or locks the one that is in its way if that is to be updated.
    async fn row(&self, proposed: &Proposed<'_>, row: usize, locked: &mut Locked, done: &mut Done) -> Result<()> {
        let Proposed { target, table, run, arbiters, .. } = proposed;
        let stored = proposed.stored.slice(row, 1);
        let options = run.environment().settings.write.clone();
        loop {
            let mut transaction = run.transaction().await;
            let snapshot = transaction.snapshot();
            let found = table.find_conflict(&mut transaction, &stored, arbiters, options.lock_timeout).await?;
            if let Some(tid) = found {
                drop(transaction);
                refuse_unseen(table, tid, run).await?;
                let Some(update) = &self.update else { return Ok(()) };
                if locked.contains(tid, table, run).await {
                    // What came of it is to be seen.
                    self.update(proposed, locked, done).await?;
                }
                match update.lock(proposed, row, (tid, snapshot), locked).await? {
                    true => return Ok(()),
                    false => continue,
                }
            }
            let before = transaction.savepoint();
            let tids = table.heap().insert_batch(transaction.writer(), &stored).await?;
            match table.index_rows(&mut transaction, &stored, &tids, None, &options).await {
                Ok(()) => {}
                Err(error) if error.code == sqlstate::UNIQUE_VIOLATION => {
                    transaction.roll_back_to(&before).await?;
                    // As the insertion was counted.
                    transaction.writer().status.count_delete(table.heap().activity(), 1);
                    // It may be a key that ON CONFLICT does not speak of.
                    match is_about(&error, table, arbiters) {
                        true => continue,
                        false => return Err(error.into()),
                    }
                }
                Err(error) => return Err(error.into()),
            }
            drop(transaction);
            target.check_shown(table, &proposed.rows.slice(row, 1), run).await?;
            done.rows += 1;
            if target.returning.is_some() {
                // RETURNING's rows come in the order of these.
                self.update(proposed, locked, done).await?;
                let (rows, child) = (proposed.rows.slice(row, 1), proposed.child.slice(row, 1));
                let new = Some(rows.clone());
                let returned = Returned { rows, tids: &tids, old: None, new, child, ended: false };
                done.returned.extend(target.return_rows(returned, run).await?);
            }
            return Ok(());
        }
    }

    /// Updates the rows that are locked.
    async fn update(&self, proposed: &Proposed<'_>, locked: &mut Locked, done: &mut Done) -> Result<()> {
        let Some(update) = &self.update else { return Ok(()) };
        let (rows, returned) = Box::pin(update.apply(proposed, locked)).await?;
        done.rows += rows;
        done.returned.extend(returned);
        Ok(())
    }
}

/// Is an error about a key that one of these indexes keeps unique?
fn is_about(error: &EngineError, table: &Table, indexes: &[usize]) -> bool {
    let constraint = error.about.as_ref().and_then(|about| about.constraint.as_deref());
    indexes.iter().any(|&index| Some(&*table.indexes[index].def.name) == constraint)
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
        return Err(Error::new(
            sqlstate::T_R_SERIALIZATION_FAILURE,
            "could not serialize access due to concurrent update",
        ));
    }
    Ok(())
}
