//! `SELECT … FOR UPDATE` and its sisters: the rows of one table are locked as the query gives them.
//!
//! LIMIT and OFFSET count locked rows, so they are applied here, behind the locks. A row that somebody has changed since
//! the query's snapshot is, under READ COMMITTED, looked at again.

use std::sync::Arc;

use access::{Outcome, Tid};
use datafusion::arrow::array::{AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, Schema};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::sqlparser::ast::{
    self, Expr as AstExpr, GroupByExpr, Ident, LimitClause, LockClause, LockType, NonBlock, ObjectName, ObjectNamePart,
    Query, SelectItem, SetExpr, Statement, TableAlias, TableFactor,
};
use engine::{EngineError, Result, TID_COLUMN, Table};
use txn::LockMode;

use crate::ddl::{ident, object_name};
use crate::insert::collect;
use crate::modify::wait_for_row;
use crate::parse::WEAK;
use crate::session::{Extra, Reply, RowsReply, Session};
use crate::tables::TARGET;

/// The lock that a clause asks for, and its words.
fn mode_of(clause: &LockClause) -> (LockMode, &'static str) {
    let weak = clause.of.as_ref().is_some_and(|of| of.0.first().is_some_and(|p| p.to_string().contains(WEAK)));
    match (&clause.lock_type, weak) {
        (LockType::Update, false) => (LockMode::AccessExclusive, "FOR UPDATE"),
        (LockType::Update, true) => (LockMode::Exclusive, "FOR NO KEY UPDATE"),
        (LockType::Share, false) => (LockMode::RowShare, "FOR SHARE"),
        (LockType::Share, true) => (LockMode::AccessShare, "FOR KEY SHARE"),
    }
}

pub async fn run(session: &mut Session, mut query: Query) -> Result<Reply> {
    let clauses = std::mem::take(&mut query.locks);
    let strongest = clauses.iter().map(mode_of).max().expect("the caller looked");
    let (mode, words) = strongest;
    session.require_writable(&format!("SELECT {words}"))?;
    let refused = |what: &str| EngineError::new("0A000", format!("{words} is not allowed with {what}"));
    let nowait = clauses.iter().any(|c| matches!(c.nonblock, Some(NonBlock::Nowait)));
    let skip = clauses.iter().any(|c| matches!(c.nonblock, Some(NonBlock::SkipLocked)));
    let SetExpr::Select(select) = &mut *query.body else { return Err(refused("UNION/INTERSECT/EXCEPT")) };
    if select.distinct.is_some() {
        return Err(refused("DISTINCT clause"));
    }
    if !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty()) {
        return Err(refused("GROUP BY clause"));
    }
    if select.having.is_some() {
        return Err(refused("HAVING clause"));
    }
    let [from] = select.from.as_mut_slice() else {
        return Err(EngineError::unsupported(format!("{words} of several tables")));
    };
    let TableFactor::Table { name, alias, args: None, .. } = &mut from.relation else {
        return Err(EngineError::unsupported(format!("{words} of something that is not a table")));
    };
    if !from.joins.is_empty() {
        return Err(EngineError::unsupported(format!("{words} of a join")));
    }
    let (schema, table_name) = object_name(name, &session.shared.database.1)?;
    let found = session.lock_table(&schema, &table_name, LockMode::RowShare).await?;
    let Some(table) = found else {
        return Err(EngineError::new("42P01", format!("relation \"{table_name}\" does not exist")));
    };
    let named = alias.as_ref().map_or_else(|| Ident::with_quote('"', &table.def.name), |a| a.name.clone());
    for clause in &clauses {
        let of = clause.of.as_ref().and_then(|of| of.0.last()).and_then(|p| p.as_ident());
        if let Some(of) = of.filter(|of| !of.value.contains(WEAK))
            && ident(of) != ident(&named)
        {
            let message = format!("relation \"{}\" in {words} clause not found in FROM clause", ident(of));
            return Err(EngineError::new("42P01", message));
        }
    }
    let parts = [TARGET, &table.def.name].map(|p| ObjectNamePart::Identifier(Ident::with_quote('"', p)));
    *name = ObjectName(parts.to_vec());
    *alias = Some(TableAlias { explicit: true, name: named.clone(), columns: vec![], at: None });
    let column = |name: &str| AstExpr::CompoundIdentifier(vec![named.clone(), Ident::with_quote('"', name)]);
    let mut items = Vec::new();
    for item in std::mem::take(&mut select.projection) {
        match item {
            // The identity is no column that a star stands for.
            SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                items.extend(table.def.columns.iter().map(|c| SelectItem::UnnamedExpr(column(&c.name))));
            }
            other => items.push(other),
        }
    }
    items.push(SelectItem::UnnamedExpr(column(TID_COLUMN)));
    select.projection = items;
    let (offset, limit) = bounds(session, query.limit_clause.take()).await?;
    let statement = Statement::Query(Box::new(query));
    lock(session, &table, statement, mode, Waiting { nowait, skip }, (offset, limit), words).await
}

/// OFFSET and LIMIT as numbers.
async fn bounds(session: &mut Session, clause: Option<LimitClause>) -> Result<(usize, usize)> {
    let (offset, limit) = match clause {
        None => (None, None),
        Some(LimitClause::LimitOffset { limit, offset, .. }) => (offset.map(|o| o.value), limit),
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(offset), Some(limit)),
    };
    let mut number = async |expr: Option<AstExpr>, missing: usize| match expr {
        None => Ok::<usize, EngineError>(missing),
        Some(expr) => {
            let array = crate::insert::evaluate(session, &expr, engine::PgType::Int8, 1).await?;
            let value = array.as_primitive::<Int64Type>().iter().next().flatten();
            Ok(value.map_or(missing, |v| v.max(0) as usize))
        }
    };
    Ok((number(offset, 0).await?, number(limit, usize::MAX).await?))
}

/// What to do about rows that others hold.
#[derive(Clone, Copy)]
struct Waiting {
    nowait: bool,
    skip: bool,
}

async fn lock(
    session: &mut Session,
    table: &Arc<Table>,
    statement: Statement,
    mode: LockMode,
    waiting: Waiting,
    bounds: (usize, usize),
    words: &str,
) -> Result<Reply> {
    let (offset, limit) = bounds;
    let planned =
        session.plan_for(statement.clone(), false, Extra::default()).await.map_err(|error| match error.code {
            // The identity stands beside them.
            "42803" => EngineError::new("0A000", format!("{words} is not allowed with aggregate functions")),
            _ => error,
        })?;
    let mut columns = planned.columns();
    columns.pop();
    let mut kept: Vec<RecordBatch> = Vec::new();
    let (mut seen, wanted) = (0usize, offset.saturating_add(limit));
    'rows: for batch in collect(&planned).await? {
        let last = batch.num_columns() - 1;
        let tids = batch.column(last).as_primitive::<Int64Type>().clone();
        for row in 0..batch.num_rows() {
            if seen >= wanted {
                break 'rows;
            }
            let tid = Tid::unpack(tids.value(row));
            let Some(again) = lock_one(session, table, &statement, &planned.snapshot, tid, mode, waiting).await? else {
                continue;
            };
            seen += 1;
            if seen > offset {
                kept.push(again.unwrap_or_else(|| batch.slice(row, 1)));
            }
        }
    }
    let schema = planned.schema();
    let given: Vec<usize> = (0..schema.fields().len() - 1).collect();
    let shown: Arc<Schema> = Arc::new(schema.project(&given).map_err(|e| EngineError::new("XX000", e.to_string()))?);
    let batches: Vec<_> = kept.iter().map(|b| b.project(&given).map_err(Into::into)).collect();
    let batches = Box::pin(RecordBatchStreamAdapter::new(shown, futures::stream::iter(batches)));
    Ok(Reply::Rows(RowsReply { columns: columns.into(), batches, tag: "SELECT", counted: true }))
}

/// Locks a row. `None`: it is not wanted any more, or skipped; `Some(Some(…))`: it has changed, and this is it.
async fn lock_one(
    session: &mut Session,
    table: &Arc<Table>,
    statement: &Statement,
    snapshot: &txn::Snapshot,
    tid: Tid,
    mode: LockMode,
    waiting: Waiting,
) -> Result<Option<Option<RecordBatch>>> {
    let tag = table.heap().row_tag(tid);
    let mut snapshot = snapshot.clone();
    let mut current = None;
    let mut queued = false;
    loop {
        let attempt = table.heap().lock_row(session.transaction().writer(), &snapshot, tid, mode).await?;
        let outcome = match attempt {
            Ok(outcome) => outcome,
            Err(error) => return Err(session.db().lock_error(error)),
        };
        match outcome {
            Outcome::Done | Outcome::Mine => return Ok(Some(current)),
            Outcome::Busy(_) | Outcome::Locked if waiting.nowait => {
                let message = format!("could not obtain lock on row in relation \"{}\"", table.def.name);
                return Err(EngineError::new("55P03", message));
            }
            Outcome::Busy(_) | Outcome::Locked if waiting.skip => return Ok(None),
            outcome => {
                if !wait_for_row(session, tag, mode, outcome, &mut queued).await? {
                    return Ok(None);
                }
            }
        }
        let again = Extra { only: Some(Arc::new([tid])), rows: None };
        let planned = session.plan_for(statement.clone(), false, again).await?;
        let row = collect(&planned).await?.into_iter().find(|b| b.num_rows() > 0);
        let Some(row) = row else {
            if queued {
                session.transaction().unlock(tag, mode);
            }
            return Ok(None);
        };
        snapshot = planned.snapshot.clone();
        current = Some(row.slice(0, 1));
    }
}

/// `LOCK TABLE`.
pub async fn lock_table(session: &mut Session, lock: ast::Lock) -> Result<Reply> {
    if !session.in_block() {
        return Err(EngineError::new("25P01", "LOCK TABLE can only be used in transaction blocks"));
    }
    use ast::LockTableMode as Mode;
    let mode = match lock.lock_mode {
        Some(Mode::AccessShare) => LockMode::AccessShare,
        Some(Mode::RowShare) => LockMode::RowShare,
        Some(Mode::RowExclusive) => LockMode::RowExclusive,
        Some(Mode::ShareUpdateExclusive) => LockMode::ShareUpdateExclusive,
        Some(Mode::Share) => LockMode::Share,
        Some(Mode::ShareRowExclusive) => LockMode::ShareRowExclusive,
        Some(Mode::Exclusive) => LockMode::Exclusive,
        Some(Mode::AccessExclusive) | None => LockMode::AccessExclusive,
    };
    for target in &lock.tables {
        let (schema, name) = object_name(&target.name, &session.shared.database.1)?;
        let missing = || EngineError::new("42P01", format!("relation \"{name}\" does not exist"));
        if lock.nowait {
            let table = session.shared.find_table(&schema, &name)?.ok_or_else(missing)?;
            let tag = session.shared.table_tag(&table.def);
            if !session.transaction().try_lock(tag, mode)? {
                return Err(EngineError::new("55P03", format!("could not obtain lock on relation \"{name}\"")));
            }
        } else {
            session.lock_table(&schema, &name, mode).await?.ok_or_else(missing)?;
        }
    }
    Ok(crate::session::done("LOCK TABLE"))
}
