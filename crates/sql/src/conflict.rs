//! INSERT … ON CONFLICT: each row is looked for in the unique indexes before it is put in.
//!
//! A row that comes in between, after the look, makes the insertion fail; what it did is taken back to before the row, and
//! the row is looked for again. So DO UPDATE either inserts or updates, whoever else is at work.

use std::sync::Arc;

use access::Tid;
use datafusion::arrow::array::RecordBatch;
use datafusion::sql::sqlparser::ast::{self, ConflictTarget, Expr as AstExpr, OnConflict, OnConflictAction};
use engine::{EngineError, Result, Table};

use crate::ddl::ident;
use crate::modify::{self, Upsert};
use crate::session::Session;

/// What an ON CONFLICT clause says, for a table.
pub struct Conflict {
    /// Unique indexes, by position among the table's, in which a conflict counts.
    arbiters: Vec<usize>,
    /// `None`: DO NOTHING.
    update: Option<(Vec<ast::Assignment>, Option<AstExpr>)>,
    alias: Option<ast::Ident>,
}

impl Conflict {
    pub fn new(table: &Table, clause: OnConflict, alias: Option<ast::Ident>) -> Result<Conflict> {
        let unique = || table.def.indexes.iter().enumerate().filter(|(_, index)| index.unique);
        let arbiters: Vec<usize> = match &clause.conflict_target {
            None => unique().map(|(position, _)| position).collect(),
            Some(ConflictTarget::OnConstraint(name)) => {
                let name = name.0.last().and_then(|p| p.as_ident()).map(ident).unwrap_or_default();
                let found = unique().find(|(_, index)| index.constraint && index.name == name);
                let message = || format!("constraint \"{name}\" for table \"{}\" does not exist", table.def.name);
                vec![found.map(|(position, _)| position).ok_or_else(|| EngineError::new("42704", message()))?]
            }
            Some(ConflictTarget::Columns(names)) => {
                let mut columns = Vec::new();
                for name in names {
                    let name = ident(name);
                    let column = table.def.column(&name);
                    columns.push(
                        column.ok_or_else(|| EngineError::new("42703", format!("column \"{name}\" does not exist")))?,
                    );
                }
                columns.sort_unstable();
                columns.dedup();
                let matches = |index: &engine::IndexDef| {
                    let mut own: Vec<usize> = index.columns.iter().map(|c| c.column).collect();
                    own.sort_unstable();
                    own == columns
                };
                let found: Vec<usize> = unique().filter(|(_, i)| matches(i)).map(|(position, _)| position).collect();
                if found.is_empty() {
                    let message = "there is no unique or exclusion constraint matching the ON CONFLICT specification";
                    return Err(EngineError::new("42P10", message));
                }
                found
            }
        };
        let update = match clause.action {
            OnConflictAction::DoNothing => None,
            OnConflictAction::DoUpdate(update) => Some((update.assignments, update.selection)),
        };
        if update.is_some() && clause.conflict_target.is_none() {
            let message = "ON CONFLICT DO UPDATE requires inference specification or constraint name";
            return Err(EngineError::new("42601", message).hint("For example, ON CONFLICT (column_name)."));
        }
        Ok(Conflict { arbiters, update, alias })
    }
}

/// Inserts or updates the rows of a batch; gives how many, and the rows as they are now if `keep`.
pub async fn upsert(
    session: &mut Session,
    table: &Arc<Table>,
    conflict: &Conflict,
    rows: &RecordBatch,
    keep: bool,
) -> Result<(u64, Vec<RecordBatch>)> {
    let options = session.write_options();
    let (mut count, mut kept) = (0, Vec::new());
    for row in 0..rows.num_rows() {
        let one = rows.slice(row, 1);
        loop {
            let found =
                table.find_conflict(session.transaction(), rows, row, &conflict.arbiters, options.lock_timeout).await?;
            let Some(tid) = found else {
                let before = session.transaction().savepoint();
                let writer = session.transaction().writer();
                let tids = table.heap().insert_batch(writer, &one).await?;
                match table.index_rows(session.transaction(), &one, &tids, None, &options).await {
                    Ok(()) => {
                        count += 1;
                        if keep {
                            kept.push(one);
                        }
                        break;
                    }
                    Err(error) if error.code == "23505" => {
                        session.transaction().roll_back_to(&before).await?;
                        let arbiters = &conflict.arbiters;
                        let transaction = session.transaction();
                        let again = table.find_conflict(transaction, rows, row, arbiters, options.lock_timeout).await?;
                        if again.is_none() {
                            // It is a key that ON CONFLICT does not speak of.
                            return Err(error);
                        }
                        continue;
                    }
                    Err(error) => return Err(error),
                }
            };
            let Some((assignments, selection)) = &conflict.update else {
                refuse_unseen(session, table, tid).await?;
                break;
            };
            let (own, command) = {
                let writer = session.transaction().writer();
                (writer.transaction.xid, writer.command)
            };
            let newest = table.heap().newest(session.io(), tid).await?;
            if newest.is_some_and(|n| n.version.xid == own && n.version.command == command) {
                let message = "ON CONFLICT DO UPDATE command cannot affect row a second time";
                return Err(EngineError::new("21000", message).hint(
                    "Ensure that no rows proposed for insertion within the same command have duplicate constrained \
                     values.",
                ));
            }
            refuse_unseen(session, table, tid).await?;
            let upsert = modify::update_conflicting(
                session,
                table,
                conflict.alias.as_ref(),
                assignments,
                selection.as_ref(),
                tid,
                &one,
                keep,
            );
            match upsert.await? {
                Upsert::Updated(row) => {
                    count += 1;
                    kept.extend(row);
                    break;
                }
                Upsert::NotWanted => break,
                Upsert::Again => {}
            }
        }
    }
    Ok((count, kept))
}

/// REPEATABLE READ must not act on a row that it does not see.
async fn refuse_unseen(session: &mut Session, table: &Table, tid: Tid) -> Result<()> {
    let transaction = session.transaction();
    if !transaction.is_repeatable() {
        return Ok(());
    }
    let xid = transaction.xid();
    let snapshot = transaction.snapshot();
    let newest = table.heap().newest(session.io(), tid).await?;
    let unseen = newest.is_some_and(|n| Some(n.version.xid) != xid && !snapshot.sees(n.version.xid, n.version.command));
    if unseen {
        return Err(EngineError::new("40001", "could not serialize access due to concurrent update"));
    }
    Ok(())
}
