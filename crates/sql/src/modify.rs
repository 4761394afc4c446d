//! UPDATE and DELETE: DataFusion finds the rows and computes the new values, the heap changes them.
//!
//! The statement becomes a query that gives each row's identity and all its columns as they are to be; the table that is
//! changed is found under [`TARGET`], where it has a column with the identities. Its rows are changed as they come: the
//! scan does not see what its own command does.
//!
//! # Concurrency
//! A row that another transaction has changed is waited for. Then READ COMMITTED looks at it again: the same query runs
//! with a new snapshot, for this row alone, and says whether the row still qualifies and what is to become of it
//! (PostgreSQL's EvalPlanQual). REPEATABLE READ fails with 40001.

use std::sync::Arc;

use access::row::value_bytes;
use access::{Outcome, RowChange, Tid};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::datasource::MemTable;
use datafusion::physical_plan::execute_stream;
use datafusion::sql::sqlparser::ast::{
    self, Assignment, AssignmentTarget, Delete, Expr as AstExpr, FromTable, Ident, ObjectName, ObjectNamePart, Query,
    SelectItem, SetExpr, Statement, TableAlias, TableFactor, TableWithJoins, Update, UpdateTableFromKind,
};
use engine::{EngineError, Identity, Result, TID_COLUMN, Table};
use futures::StreamExt;
use txn::LockMode;

use crate::cast::{Purpose, cast};
use crate::ddl::{ident, object_name};
use crate::errors::translate;
use crate::insert::{check_assignment, check_nulls, default_of, is_default, without_padding};
use crate::output::Column;
use crate::session::{Extra, Planned, Reply, RowsReply, Session, done};
use crate::tables::{ROWS, TARGET, described_schema};

/// What a statement does with the rows it finds.
pub struct Plan {
    pub table: Arc<Table>,
    /// The query that gives identity and new values.
    query: Statement,
    /// Columns of the table that get new values, ascending; `None`: the rows are deleted.
    assigned: Option<Vec<usize>>,
    /// The columns of the table are in the query's result, behind the identity.
    whole: bool,
    returning: Option<(Option<TableAlias>, Vec<SelectItem>)>,
    /// UPDATE or DELETE.
    pub tag: &'static str,
}

/// What RETURNING is computed from: the table, its alias, the expressions.
pub type Returning = (Arc<Table>, Option<TableAlias>, Vec<SelectItem>);

pub async fn update(session: &mut Session, update: Update) -> Result<Reply> {
    session.require_writable("UPDATE")?;
    let (plan, planned) = plan(session, Statement::Update(update)).await?;
    run(session, plan, planned).await
}

pub async fn delete(session: &mut Session, delete: Delete) -> Result<Reply> {
    session.require_writable("DELETE")?;
    let (plan, planned) = plan(session, Statement::Delete(delete)).await?;
    run(session, plan, planned).await
}

/// Locks the table and plans the statement, an UPDATE or a DELETE.
pub async fn plan(session: &mut Session, statement: Statement) -> Result<(Plan, Planned)> {
    match &statement {
        Statement::Update(update) => lock_target(session, &update.table).await?,
        Statement::Delete(delete) => lock_target(session, target_of(delete)?).await?,
        _ => unreachable!("the caller looked"),
    }
    let plan = understand(session, statement)?;
    let planned = session.plan_for(plan.query.clone(), true, Extra::default()).await?;
    for &column in plan.assigned.iter().flatten() {
        check_assignment(&planned, 1 + column, &plan.table.def.columns[column], false)?;
    }
    Ok((plan, planned))
}

/// Runs a planned statement without giving back rows: for EXPLAIN ANALYZE.
pub async fn execute(session: &mut Session, plan: &Plan, planned: &Planned) -> Result<()> {
    change_all(session, plan, planned, &mut Changed { rows: 0, returned: Vec::new() }).await
}

/// The query inside an UPDATE or DELETE, and its RETURNING, to find out about parameters and columns.
pub fn for_preparing(session: &Session, statement: &Statement) -> Result<(Statement, Option<Returning>)> {
    let plan = understand(session, statement.clone())?;
    let table = plan.table;
    Ok((plan.query, plan.returning.map(|(alias, items)| (table, alias, items))))
}

fn understand(session: &Session, statement: Statement) -> Result<Plan> {
    match statement {
        Statement::Update(update) => plan_update(session, update),
        Statement::Delete(delete) => plan_delete(session, delete),
        _ => unreachable!("the caller looked"),
    }
}

fn target_of(delete: &Delete) -> Result<&TableWithJoins> {
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    match from.as_slice() {
        [one] if delete.tables.is_empty() && delete.order_by.is_empty() && delete.limit.is_none() => Ok(one),
        _ => Err(EngineError::new("42601", "syntax error in DELETE")),
    }
}

fn target_name(target: &TableWithJoins) -> Result<(&ObjectName, &Option<TableAlias>)> {
    match &target.relation {
        TableFactor::Table { name, alias, args: None, .. } if target.joins.is_empty() => Ok((name, alias)),
        other => Err(EngineError::new("42601", format!("syntax error at or near \"{other}\""))),
    }
}

async fn lock_target(session: &mut Session, target: &TableWithJoins) -> Result<()> {
    let (name, _) = target_name(target)?;
    let (schema, name) = object_name(name, &session.shared.database.1)?;
    session.lock_table(&schema, &name, LockMode::RowExclusive).await?;
    Ok(())
}

fn find(session: &Session, name: &ObjectName) -> Result<Arc<Table>> {
    let (schema, name) = object_name(name, &session.shared.database.1)?;
    if matches!(schema.as_str(), "pg_catalog" | "information_schema") {
        return Err(EngineError::new("42501", format!("permission denied for table {name}")));
    }
    let table = session.shared.find_table(&schema, &name)?;
    table.ok_or_else(|| EngineError::new("42P01", format!("relation \"{name}\" does not exist")))
}

fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

/// `SELECT … FROM schema.table AS alias, …`, with nothing selected yet.
fn skeleton(
    schema: &str,
    table: &Table,
    alias: &Ident,
    others: Vec<TableWithJoins>,
    selection: Option<AstExpr>,
) -> Result<Query> {
    let mut query = crate::parse::query("SELECT 1 FROM x")?;
    let SetExpr::Select(select) = &mut *query.body else { unreachable!("it is a SELECT") };
    if let TableFactor::Table { name, alias: given, .. } = &mut select.from[0].relation {
        let parts = [schema, &table.def.name].map(|part| ObjectNamePart::Identifier(quoted(part)));
        *name = ObjectName(parts.to_vec());
        *given = Some(TableAlias { explicit: true, name: alias.clone(), columns: vec![], at: None });
    }
    select.from.extend(others);
    select.selection = selection;
    select.projection.clear();
    Ok(query)
}

fn column_of(alias: &Ident, name: &str) -> AstExpr {
    AstExpr::CompoundIdentifier(vec![alias.clone(), quoted(name)])
}

fn select(query: &mut Query, items: Vec<AstExpr>) {
    if let SetExpr::Select(select) = &mut *query.body {
        select.projection = items.into_iter().map(SelectItem::UnnamedExpr).collect();
    }
}

fn plan_update(session: &Session, update: Update) -> Result<Plan> {
    if !update.order_by.is_empty() || update.limit.is_some() || update.or.is_some() {
        return Err(EngineError::new("42601", "syntax error in UPDATE"));
    }
    let (name, alias) = target_name(&update.table)?;
    let table = find(session, name)?;
    let named = alias.as_ref().map_or_else(|| quoted(&table.def.name), |a| a.name.clone());
    let others = match update.from {
        None => vec![],
        Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)) => from,
    };
    if update.returning.is_some() && !others.is_empty() {
        return Err(EngineError::unsupported("UPDATE ... FROM with RETURNING"));
    }
    let assignments = assignments(&table, &update.assignments)?;
    let mut query = skeleton(TARGET, &table, &named, others, update.selection)?;
    let mut items = vec![column_of(&named, TID_COLUMN)];
    for (index, column) in table.def.columns.iter().enumerate() {
        let assigned = assignments.iter().find(|(column, _)| *column == index);
        items.push(assigned.map_or_else(|| column_of(&named, &column.name), |(_, expr)| expr.clone()));
    }
    select(&mut query, items);
    let mut assigned: Vec<usize> = assignments.iter().map(|(column, _)| *column).collect();
    assigned.sort_unstable();
    Ok(Plan {
        table,
        query: Statement::Query(Box::new(query)),
        assigned: Some(assigned),
        whole: true,
        returning: update.returning.map(|items| (alias.clone(), items)),
        tag: "UPDATE",
    })
}

/// Which columns get which values.
pub fn assignments(table: &Table, assignments: &[Assignment]) -> Result<Vec<(usize, AstExpr)>> {
    let mut found: Vec<(usize, AstExpr)> = Vec::new();
    let relation = &table.def.name;
    let mut assign = |name: &ObjectName, value: AstExpr| {
        let name = name.0.first().and_then(|p| p.as_ident()).map(ident).unwrap_or_default();
        let index = table.def.column(&name).ok_or_else(|| {
            EngineError::new("42703", format!("column \"{name}\" of relation \"{relation}\" does not exist"))
        })?;
        if found.iter().any(|(column, _)| *column == index) {
            return Err(EngineError::new("42601", format!("multiple assignments to same column \"{name}\"")));
        }
        let column = &table.def.columns[index];
        if column.identity == Some(Identity::Always) && !is_default(&value) {
            return Err(EngineError::new("428C9", format!("column \"{name}\" can only be updated to DEFAULT"))
                .detail(format!("Column \"{name}\" is an identity column defined as GENERATED ALWAYS.")));
        }
        let value =
            if is_default(&value) { default_of(column)?.unwrap_or(AstExpr::value(ast::Value::Null)) } else { value };
        found.push((index, value));
        Ok(())
    };
    for Assignment { target, value } in assignments {
        match (target, value) {
            (AssignmentTarget::ColumnName(name), value) => assign(name, value.clone())?,
            (AssignmentTarget::Tuple(names), AstExpr::Tuple(values)) => {
                if names.len() != values.len() {
                    return Err(EngineError::new("42601", "number of columns does not match number of values"));
                }
                names.iter().zip(values).try_for_each(|(name, value)| assign(name, value.clone()))?;
            }
            (AssignmentTarget::Tuple(names), AstExpr::Nested(value)) if names.len() == 1 => {
                assign(&names[0], (**value).clone())?;
            }
            _ => return Err(EngineError::unsupported("assigning a row or a subquery to several columns")),
        }
    }
    Ok(found)
}

fn plan_delete(session: &Session, delete: Delete) -> Result<Plan> {
    let (name, alias) = target_name(target_of(&delete)?)?;
    let alias = alias.clone();
    let table = find(session, name)?;
    let named = alias.as_ref().map_or_else(|| quoted(&table.def.name), |a| a.name.clone());
    let others = delete.using.unwrap_or_default();
    if delete.returning.is_some() && !others.is_empty() {
        return Err(EngineError::unsupported("DELETE ... USING with RETURNING"));
    }
    let mut query = skeleton(TARGET, &table, &named, others, delete.selection)?;
    let mut items = vec![column_of(&named, TID_COLUMN)];
    let whole = delete.returning.is_some();
    if whole {
        items.extend(table.def.columns.iter().map(|c| column_of(&named, &c.name)));
    }
    select(&mut query, items);
    Ok(Plan {
        table,
        query: Statement::Query(Box::new(query)),
        assigned: None,
        whole,
        returning: delete.returning.map(|items| (alias, items)),
        tag: "DELETE",
    })
}

async fn run(session: &mut Session, plan: Plan, planned: Planned) -> Result<Reply> {
    let mut changed = Changed { rows: 0, returned: Vec::new() };
    change_all(session, &plan, &planned, &mut changed).await?;
    match plan.returning {
        None => Ok(done(&format!("{} {}", plan.tag, changed.rows))),
        Some((alias, items)) => {
            returning(session, &plan.table, alias.as_ref(), &items, changed.returned, plan.tag).await
        }
    }
}

/// Changes the rows that a planned query gives.
async fn change_all(session: &mut Session, plan: &Plan, planned: &Planned, changed: &mut Changed) -> Result<()> {
    let mut batches = execute_stream(planned.physical.clone(), planned.state.task_ctx()).map_err(translate)?;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(translate)?;
        let blocked = change_batch(session, plan, planned, batch, changed).await?;
        for (tid, outcome) in blocked {
            Box::pin(change_blocked(session, plan, tid, outcome, changed)).await?;
        }
    }
    Ok(())
}

/// New values of a row, by column.
type NewValues<'a> = Vec<(usize, Option<&'a [u8]>)>;

/// What was changed so far.
struct Changed {
    rows: u64,
    /// The rows for RETURNING.
    returned: Vec<RecordBatch>,
}

/// The new rows of a batch, as the table has them.
fn new_rows(plan: &Plan, planned: &Planned, batch: &RecordBatch) -> Result<Vec<ArrayRef>> {
    let columns = planned.columns();
    let mut arrays = Vec::with_capacity(plan.table.def.columns.len());
    for (index, column) in plan.table.def.columns.iter().enumerate() {
        let array = batch.column(1 + index);
        let assigned = plan.assigned.as_ref().is_some_and(|a| a.contains(&index));
        arrays.push(if !assigned {
            array.clone()
        } else if columns[1 + index].oid == 1042 && !matches!(column.ty, engine::PgType::Char(_)) {
            cast(&without_padding(array)?, column.ty, Purpose::Assignment)?
        } else {
            cast(array, column.ty, Purpose::Assignment)?
        });
    }
    Ok(arrays)
}

/// Changes the rows of one batch; gives those that something stood in the way of.
async fn change_batch(
    session: &mut Session,
    plan: &Plan,
    planned: &Planned,
    batch: RecordBatch,
    changed: &mut Changed,
) -> Result<Vec<(Tid, Outcome)>> {
    if batch.num_rows() == 0 {
        return Ok(vec![]);
    }
    let tids: Vec<Tid> = batch.column(0).as_primitive::<Int64Type>().values().iter().map(|&t| Tid::unpack(t)).collect();
    let rows = if plan.whole { new_rows(plan, planned, &batch)? } else { vec![] };
    if plan.assigned.is_some() {
        check_nulls(&plan.table, &rows)?;
        crate::insert::check_constraints(session, &plan.table, &rows).await?;
    }
    let shape = plan.table.heap().shape.clone();
    // A join may give a row several times: the first counts.
    let mut order: Vec<usize> = (0..tids.len()).collect();
    order.sort_by_key(|&row| tids[row]);
    order.dedup_by_key(|row| tids[*row]);
    let mut values: Vec<NewValues<'_>> = Vec::new();
    if let Some(assigned) = &plan.assigned {
        for &row in &order {
            let all: Vec<Option<&[u8]>> =
                rows.iter().zip(&shape.columns).map(|(a, c)| value_bytes(a, c.width, row)).collect();
            access::row::check_size(&shape, &all)?;
            values.push(assigned.iter().map(|&c| (c, all[c])).collect());
        }
    }
    let key = plan.assigned.as_ref().is_some_and(|assigned| plan.table.has_key_among(assigned));
    let (mut blocked, mut done_rows) = (Vec::new(), Vec::new());
    let mut at = 0;
    while at < order.len() {
        let block = tids[order[at]].block;
        let count = order[at..].iter().take_while(|&&row| tids[row].block == block).count();
        let changes: Vec<(u16, RowChange<'_>)> = (at..at + count)
            .map(|i| {
                let change = match &plan.assigned {
                    None => RowChange::Delete,
                    Some(_) => RowChange::Update { values: &values[i], key },
                };
                (tids[order[i]].row, change)
            })
            .collect();
        let outcomes =
            plan.table.heap().change(session.transaction().writer(), &planned.snapshot, block, &changes).await?;
        for (i, outcome) in (at..at + count).zip(outcomes) {
            match outcome {
                Outcome::Done => done_rows.push(order[i] as u64),
                // The command has dealt with it before.
                Outcome::Mine => {}
                other => blocked.push((tids[order[i]], other)),
            }
        }
        at += count;
    }
    changed.rows += done_rows.len() as u64;
    if plan.whole && !done_rows.is_empty() {
        let indexes = datafusion::arrow::array::UInt64Array::from(done_rows.clone());
        let take = |array: &ArrayRef| datafusion::arrow::compute::take(array, &indexes, None);
        let arrays: std::result::Result<Vec<_>, _> = rows.iter().map(take).collect();
        let arrays = arrays.map_err(|e| EngineError::new("XX000", e.to_string()))?;
        let batch = RecordBatch::try_new(plan.table.schema.clone(), arrays)
            .map_err(|e| EngineError::new("XX000", e.to_string()))?;
        if let Some(assigned) = &plan.assigned {
            let done_tids: Vec<Tid> = done_rows.iter().map(|&row| tids[row as usize]).collect();
            let table = plan.table.clone();
            let options = session.write_options();
            table.index_rows(session.transaction(), &batch, &done_tids, Some(assigned), &options).await?;
        }
        if plan.returning.is_some() {
            changed.returned.push(batch);
        }
    }
    Ok(blocked)
}

/// Waits for whoever has changed or locked a row, looks at it again and changes it if it is still wanted.
async fn change_blocked(
    session: &mut Session,
    plan: &Plan,
    tid: Tid,
    outcome: Outcome,
    changed: &mut Changed,
) -> Result<()> {
    let mut outcome = outcome;
    let tag = plan.table.heap().row_tag(tid);
    let mode = if plan.assigned.is_some() { LockMode::Exclusive } else { LockMode::AccessExclusive };
    let mut queued = false;
    let result = loop {
        match wait_for_row(session, tag, mode, outcome, &mut queued).await {
            Ok(true) => {}
            Ok(false) => break Ok(()),
            Err(error) => break Err(error),
        }
        let again = Extra { only: Some(Arc::new([tid])), rows: None };
        let planned = match session.plan_for(plan.query.clone(), true, again).await {
            Ok(planned) => planned,
            Err(error) => break Err(error),
        };
        let collected = crate::insert::collect(&planned).await;
        let mut blocked = None;
        let mut failed = None;
        match collected {
            Err(error) => failed = Some(error),
            Ok(batches) => {
                for batch in batches {
                    match change_batch(session, plan, &planned, batch, changed).await {
                        Ok(still) => blocked = still.first().map(|(_, outcome)| *outcome).or(blocked),
                        Err(error) => failed = Some(error),
                    }
                }
            }
        }
        match (failed, blocked) {
            (Some(error), _) => break Err(error),
            (None, Some(still)) => outcome = still,
            (None, None) => break Ok(()),
        }
    };
    if queued {
        session.transaction().unlock(tag, mode);
    }
    result
}

/// What became of a row that was in the way of an INSERT.
pub enum Upsert {
    /// As it is now, if that was asked for.
    Updated(Option<RecordBatch>),
    /// The WHERE clause said no.
    NotWanted,
    /// It is not there any more, or somebody is at it.
    Again,
}

/// ON CONFLICT DO UPDATE of one row; `excluded` is the row that was to be inserted.
#[allow(clippy::too_many_arguments)] // The parts of the clause.
pub async fn update_conflicting(
    session: &mut Session,
    table: &Arc<Table>,
    alias: Option<&Ident>,
    assigned: &[Assignment],
    selection: Option<&AstExpr>,
    tid: Tid,
    excluded: &RecordBatch,
    keep: bool,
) -> Result<Upsert> {
    let named = alias.cloned().unwrap_or_else(|| quoted(&table.def.name));
    let assignments = assignments(table, assigned)?;
    let mut others = skeleton(ROWS, table, &Ident::new("excluded"), vec![], None)?;
    let SetExpr::Select(other) = &mut *others.body else { unreachable!("it is a SELECT") };
    let others = std::mem::take(&mut other.from);
    let mut query = skeleton(TARGET, table, &named, others, None)?;
    let mut items = vec![column_of(&named, TID_COLUMN)];
    for (index, column) in table.def.columns.iter().enumerate() {
        let assigned = assignments.iter().find(|(column, _)| *column == index);
        // A bare name is the table's.
        items.push(match assigned {
            None => column_of(&named, &column.name),
            Some((_, expr)) => qualified(expr.clone(), table, &named),
        });
    }
    select(&mut query, items);
    if let SetExpr::Select(select) = &mut *query.body {
        select.selection = selection.map(|condition| qualified(condition.clone(), table, &named));
    }
    let mut columns: Vec<usize> = assignments.iter().map(|(column, _)| *column).collect();
    columns.sort_unstable();
    let plan = Plan {
        table: table.clone(),
        query: Statement::Query(Box::new(query)),
        assigned: Some(columns),
        whole: true,
        returning: keep.then(|| (None, vec![])),
        tag: "INSERT",
    };
    let extra = Extra { only: Some(Arc::new([tid])), ..in_memory(table, vec![excluded.clone()])? };
    let planned = session.plan_for(plan.query.clone(), true, extra).await?;
    for &column in plan.assigned.iter().flatten() {
        check_assignment(&planned, 1 + column, &table.def.columns[column], false)?;
    }
    let mut changed = Changed { rows: 0, returned: Vec::new() };
    let mut given = 0;
    for batch in crate::insert::collect(&planned).await? {
        given += batch.num_rows();
        let blocked = change_batch(session, &plan, &planned, batch, &mut changed).await?;
        if let Some((tid, outcome)) = blocked.into_iter().next() {
            let mut queued = false;
            let tag = table.heap().row_tag(tid);
            wait_for_row(session, tag, LockMode::Exclusive, outcome, &mut queued).await?;
            if queued {
                session.transaction().unlock(tag, LockMode::Exclusive);
            }
            return Ok(Upsert::Again);
        }
    }
    match (changed.rows, given) {
        (1.., _) => Ok(Upsert::Updated(changed.returned.pop())),
        (0, 1..) => Ok(Upsert::Again),
        (0, 0) => {
            // Gone since it was found, or not wanted: the row itself tells.
            let newest = table.heap().newest(session.io(), tid).await?;
            let there = newest.is_some_and(|newest| !newest.version.deleted);
            Ok(if there { Upsert::NotWanted } else { Upsert::Again })
        }
    }
}

/// An expression whose bare column names are the table's.
fn qualified(mut expr: AstExpr, table: &Table, named: &Ident) -> AstExpr {
    let _ = ast::visit_expressions_mut(&mut expr, |expr| {
        if let AstExpr::Identifier(name) = expr
            && table.def.column(&ident(name)).is_some()
        {
            *expr = AstExpr::CompoundIdentifier(vec![named.clone(), name.clone()]);
        }
        std::ops::ControlFlow::<()>::Continue(())
    });
    expr
}

/// Waits until a row that was not to be had may be. `false`: it is gone.
pub async fn wait_for_row(
    session: &mut Session,
    tag: txn::LockTag,
    mode: LockMode,
    outcome: Outcome,
    queued: &mut bool,
) -> Result<bool> {
    let timeout = session.lock_timeout();
    let repeatable = session.transaction().is_repeatable();
    let conflict =
        |what: &str| EngineError::new("40001", format!("could not serialize access due to concurrent {what}"));
    match outcome {
        Outcome::Gone if repeatable => return Err(conflict("delete")),
        Outcome::Changed if repeatable => return Err(conflict("update")),
        Outcome::Gone => return Ok(false),
        Outcome::Changed | Outcome::Done | Outcome::Mine => {}
        Outcome::Locked | Outcome::Busy(_) => {
            // One of those who wait for the row waits for its holder, the others queue behind.
            if !*queued {
                session.transaction().lock(tag, mode, timeout).await?;
                *queued = true;
            }
            if let Outcome::Busy(xid) = outcome {
                session.transaction().wait_for(xid, timeout).await?;
            }
        }
    }
    Ok(true)
}

/// A query over rows in memory that stand for a table's.
fn over_rows(table: &Table, alias: Option<&TableAlias>, items: &[SelectItem]) -> Result<Statement> {
    let named = alias.map_or_else(|| quoted(&table.def.name), |a| a.name.clone());
    let mut query = skeleton(ROWS, table, &named, vec![], None)?;
    let SetExpr::Select(select) = &mut *query.body else { unreachable!("it is a SELECT") };
    select.projection = items.to_vec();
    Ok(Statement::Query(Box::new(query)))
}

fn in_memory(table: &Table, batches: Vec<RecordBatch>) -> Result<Extra> {
    let schema = described_schema(&table.def.columns, false);
    let failed = |e: String| EngineError::new("XX000", e);
    let batches: std::result::Result<Vec<_>, _> =
        batches.into_iter().map(|b| RecordBatch::try_new(schema.clone(), b.columns().to_vec())).collect();
    let batches = batches.map_err(|e| failed(e.to_string()))?;
    let rows = MemTable::try_new(schema, vec![batches]).map_err(|e| failed(e.to_string()))?;
    Ok(Extra { only: None, rows: Some(Arc::new(rows)) })
}

/// The columns of RETURNING.
pub async fn returning_columns(
    session: &mut Session,
    table: &Arc<Table>,
    alias: Option<&TableAlias>,
    items: &[SelectItem],
) -> Result<Vec<Column>> {
    let extra = in_memory(table, vec![])?;
    Ok(session.plan_for(over_rows(table, alias, items)?, false, extra).await?.columns())
}

/// What RETURNING gives for the changed rows.
pub async fn returning(
    session: &mut Session,
    table: &Arc<Table>,
    alias: Option<&TableAlias>,
    items: &[SelectItem],
    rows: Vec<RecordBatch>,
    tag: &'static str,
) -> Result<Reply> {
    let planned = session.plan_for(over_rows(table, alias, items)?, false, in_memory(table, rows)?).await?;
    let columns = planned.columns();
    let batches = execute_stream(planned.physical, planned.state.task_ctx()).map_err(translate)?;
    Ok(Reply::Rows(RowsReply { columns: columns.into(), batches, tag, counted: true }))
}

/// [`evaluate`], of what must be conditions.
pub async fn evaluate_boolean(
    session: &mut Session,
    table: &Arc<Table>,
    conditions: &[AstExpr],
    rows: RecordBatch,
    what: &str,
) -> Result<Vec<ArrayRef>> {
    let arrays = evaluate(session, table, conditions, rows).await?;
    match arrays.iter().find(|a| !matches!(a.data_type(), DataType::Boolean | DataType::Null)) {
        None => Ok(arrays),
        Some(array) => {
            let ty = crate::output::type_name(array.data_type());
            Err(EngineError::new("42804", format!("argument of {what} must be type boolean, not type {ty}")))
        }
    }
}

/// Evaluates conditions over rows in memory, a column of booleans each.
pub async fn evaluate(
    session: &mut Session,
    table: &Arc<Table>,
    conditions: &[AstExpr],
    rows: RecordBatch,
) -> Result<Vec<ArrayRef>> {
    let items: Vec<SelectItem> = conditions.iter().cloned().map(SelectItem::UnnamedExpr).collect();
    let extra = in_memory(table, vec![rows])?;
    let planned = session.plan_for(over_rows(table, None, &items)?, false, extra).await?;
    let mut batches = crate::insert::collect(&planned).await?;
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(planned.schema()));
    }
    let columns = 0..conditions.len();
    let joined = columns.map(|index| {
        let parts: Vec<&dyn Array> = batches.iter().map(|b| &**b.column(index)).collect();
        datafusion::arrow::compute::concat(&parts).map_err(|e| EngineError::new("XX000", e.to_string()))
    });
    joined.collect()
}
