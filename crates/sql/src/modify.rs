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
use datafusion::arrow::array::{ArrayRef, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, Schema};
use datafusion::arrow::error::ArrowError;
use datafusion::physical_plan::execute_stream;
use datafusion::sql::sqlparser::ast::helpers::attached_token::AttachedToken;
use datafusion::sql::sqlparser::ast::{
    self, Assignment, AssignmentTarget, Delete, Expr as AstExpr, FromTable, Ident, ObjectName, ObjectNamePart, Query,
    SelectItem, SetExpr, Statement, TableAlias, TableFactor, TableWithJoins, Update, UpdateTableFromKind, With,
};
use engine::{EngineError, Identity, Result, TID_COLUMN, Table};
use futures::StreamExt;
use txn::LockMode;

use crate::cast::{Purpose, cast};
use crate::ddl::{ident, object_name};
use crate::errors::translate;
use crate::insert::{check_assignment, check_nulls, default_of, is_default, without_padding};
use crate::over_rows::in_memory;
use crate::returning::{Change, Returning, columns_of, name_all};
use crate::rewrite::qualify;
use crate::session::{Extra, Planned, Reply, Session, done};
use crate::tables::{ROWS, TARGET};

/// What a statement does with the rows it finds.
pub struct Plan {
    pub table: Arc<Table>,
    /// The query that gives identity and new values.
    query: Statement,
    /// Columns of the table that get new values, ascending; `None`: the rows are deleted.
    assigned: Option<Vec<usize>>,
    /// The columns of the table are in the query's result, behind the identity; others that RETURNING needs may follow.
    whole: bool,
    /// The changed rows are wanted.
    keep: bool,
    returning: Option<Returning>,
    /// UPDATE or DELETE.
    pub tag: &'static str,
}

/// Runs an UPDATE or a DELETE, which may begin with `with`.
pub async fn modify(session: &mut Session, with: Option<With>, statement: Statement) -> Result<Reply> {
    session.require_writable(if matches!(statement, Statement::Update(_)) { "UPDATE" } else { "DELETE" })?;
    let (plan, planned) = plan(session, with, statement).await?;
    let mut changed = Changed { rows: 0, returned: Vec::new() };
    change_all(session, &plan, &planned, &mut changed).await?;
    match plan.returning {
        None => Ok(done(&format!("{} {}", plan.tag, changed.rows))),
        Some(returning) => returning.reply(session, changed.returned, plan.tag).await,
    }
}

/// Locks the table and plans the statement, an UPDATE or a DELETE.
pub async fn plan(session: &mut Session, with: Option<With>, statement: Statement) -> Result<(Plan, Planned)> {
    match &statement {
        Statement::Update(update) => lock_target(session, &update.table).await?,
        Statement::Delete(delete) => lock_target(session, target_of(delete)?).await?,
        _ => unreachable!("the caller looked"),
    }
    let plan = understand(session, with, statement).await?;
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
pub async fn for_preparing(
    session: &mut Session,
    with: Option<With>,
    statement: &Statement,
) -> Result<(Arc<Table>, Statement, Option<Returning>)> {
    let plan = understand(session, with, statement.clone()).await?;
    Ok((plan.table, plan.query, plan.returning))
}

async fn understand(session: &mut Session, with: Option<With>, statement: Statement) -> Result<Plan> {
    match statement {
        Statement::Update(update) => plan_update(session, with, update).await,
        Statement::Delete(delete) => plan_delete(session, with, delete).await,
        _ => unreachable!("the caller looked"),
    }
}

pub fn target_of(delete: &Delete) -> Result<&TableWithJoins> {
    let (FromTable::WithFromKeyword(from) | FromTable::WithoutKeyword(from)) = &delete.from;
    match from.as_slice() {
        [one] if delete.tables.is_empty() && delete.order_by.is_empty() && delete.limit.is_none() => Ok(one),
        _ => Err(EngineError::new("42601", "syntax error in DELETE")),
    }
}

pub fn target_name(target: &TableWithJoins) -> Result<(&ObjectName, &Option<TableAlias>)> {
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
pub fn skeleton(
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

pub fn column_of(alias: &Ident, name: &str) -> AstExpr {
    AstExpr::CompoundIdentifier(vec![alias.clone(), quoted(name)])
}

fn select(query: &mut Query, items: Vec<AstExpr>, others: Vec<SelectItem>) {
    if let SetExpr::Select(select) = &mut *query.body {
        select.projection = items.into_iter().map(SelectItem::UnnamedExpr).chain(others).collect();
    }
}

async fn plan_update(session: &mut Session, with: Option<With>, update: Update) -> Result<Plan> {
    if !update.order_by.is_empty() || update.limit.is_some() || update.or.is_some() {
        return Err(EngineError::new("42601", "syntax error in UPDATE"));
    }
    let (name, alias) = target_name(&update.table)?;
    let table = find(session, name)?;
    let named = alias.as_ref().map_or_else(|| quoted(&table.def.name), |a| a.name.clone());
    let mut others = match update.from {
        None => vec![],
        Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)) => from,
    };
    name_all(&mut others);
    let returning = match update.returning {
        None => None,
        Some(items) => {
            let columns = columns_of(session, with.clone(), &others).await?;
            Some(Returning::new(session, &table, named.clone(), with.clone(), items, &columns, Change::Update)?)
        }
    };
    for assignment in &update.assignments {
        session.refuse_aggregates(&assignment.value, "UPDATE")?;
    }
    let assignments = assignments(session, &table, &update.assignments)?;
    let mut query = skeleton(TARGET, &table, &named, others, update.selection)?;
    query.with = with;
    let mut items = vec![column_of(&named, TID_COLUMN)];
    for (index, column) in table.def.columns.iter().enumerate() {
        let assigned = assignments.iter().find(|(column, _)| *column == index);
        items.push(assigned.map_or_else(|| column_of(&named, &column.name), |(_, expr)| expr.clone()));
    }
    select(&mut query, items, returning.as_ref().map(Returning::query_items).unwrap_or_default());
    let mut assigned: Vec<usize> = assignments.iter().map(|(column, _)| *column).collect();
    assigned.sort_unstable();
    Ok(Plan {
        table,
        query: Statement::Query(Box::new(query)),
        assigned: Some(assigned),
        whole: true,
        keep: returning.is_some(),
        returning,
        tag: "UPDATE",
    })
}

/// Which columns get which values.
pub fn assignments(session: &Session, table: &Table, assignments: &[Assignment]) -> Result<Vec<(usize, AstExpr)>> {
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
            (AssignmentTarget::Tuple(names), value) => {
                let values = values_of_row(session, value, names.len())?;
                if names.len() != values.len() {
                    return Err(EngineError::new("42601", "number of columns does not match number of values"));
                }
                names.iter().zip(values).try_for_each(|(name, value)| assign(name, value))?;
            }
        }
    }
    Ok(found)
}

/// The values of `(…)`, `ROW(…)` or `(SELECT …)`, of which the last gives `width`.
fn values_of_row(session: &Session, row: &AstExpr, width: usize) -> Result<Vec<AstExpr>> {
    let refused = || {
        let message = "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression";
        EngineError::unsupported(message)
    };
    match row {
        AstExpr::Tuple(values) => Ok(values.clone()),
        AstExpr::Nested(value) if width == 1 => Ok(vec![(**value).clone()]),
        AstExpr::Function(function) => {
            let name = function.name.0.last().and_then(|p| p.as_ident()).map(ident);
            let ast::FunctionArguments::List(list) = &function.args else { return Err(refused()) };
            let values = list.args.iter().map(|argument| match argument {
                ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(value)) => Ok(value.clone()),
                _ => Err(refused()),
            });
            if name.as_deref() == Some("row") { values.collect() } else { Err(refused()) }
        }
        // A subquery for each column; the rows that they read are the statement's, so all of them find the same. (But
        // random() is called for each.)
        AstExpr::Subquery(query) => (0..width).map(|index| column_of_subquery(session, query, index, width)).collect(),
        _ => Err(refused()),
    }
}

/// One column of a subquery that gives `width`.
fn column_of_subquery(session: &Session, query: &Query, index: usize, width: usize) -> Result<AstExpr> {
    let mut one = query.clone();
    let plain = |items: &[SelectItem]| {
        items.iter().all(|item| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. }))
    };
    let aggregates = |item: &SelectItem| session.refuse_aggregates(item, "").is_err();
    if let SetExpr::Select(select) = &mut *one.body
        && plain(&select.projection)
        && query.order_by.is_none()
        && select.distinct.is_none()
        && select.having.is_none()
        && matches!(&select.group_by, ast::GroupByExpr::Expressions(by, _) if by.is_empty())
    {
        if select.projection.len() != width {
            return Err(EngineError::new("42601", "number of columns does not match number of values"));
        }
        let any = select.projection.iter().any(aggregates);
        select.projection = vec![select.projection.swap_remove(index)];
        // Alone it gives the same rows as with the others if either none aggregates, or all.
        if let [SelectItem::UnnamedExpr(item) | SelectItem::ExprWithAlias { expr: item, .. }] =
            &mut select.projection[..]
            && any
            && session.refuse_aggregates(item, "").is_ok()
            && let AstExpr::Case { mut conditions, .. } =
                crate::parse::expression("CASE WHEN count(*) >= 0 THEN 1 END")?
        {
            std::mem::swap(&mut conditions[0].result, item);
            let (operand, else_result) = (None, None);
            let (case_token, end_token) = (AttachedToken::empty(), AttachedToken::empty());
            *item = AstExpr::Case { case_token, end_token, operand, conditions, else_result };
        }
        return Ok(AstExpr::Subquery(Box::new(one)));
    }
    let name = |index: usize| quoted(&format!("?column?{index}"));
    let column = |index: usize| ast::TableAliasColumnDef { name: name(index), data_type: None };
    let mut outer = crate::parse::query("SELECT x FROM (SELECT 1) AS r")?;
    if let SetExpr::Select(select) = &mut *outer.body {
        select.projection = vec![SelectItem::UnnamedExpr(AstExpr::Identifier(name(index)))];
        if let TableFactor::Derived { subquery, alias: Some(alias), .. } = &mut select.from[0].relation {
            **subquery = one;
            alias.columns = (0..width).map(column).collect();
        }
    }
    Ok(AstExpr::Subquery(Box::new(outer)))
}

async fn plan_delete(session: &mut Session, with: Option<With>, delete: Delete) -> Result<Plan> {
    let (name, alias) = target_name(target_of(&delete)?)?;
    let table = find(session, name)?;
    let named = alias.as_ref().map_or_else(|| quoted(&table.def.name), |a| a.name.clone());
    let mut others = delete.using.unwrap_or_default();
    name_all(&mut others);
    let returning = match delete.returning {
        None => None,
        Some(items) => {
            let columns = columns_of(session, with.clone(), &others).await?;
            Some(Returning::new(session, &table, named.clone(), with.clone(), items, &columns, Change::Delete)?)
        }
    };
    let mut query = skeleton(TARGET, &table, &named, others, delete.selection)?;
    query.with = with;
    let mut items = vec![column_of(&named, TID_COLUMN)];
    let whole = returning.is_some();
    if whole {
        items.extend(table.def.columns.iter().map(|c| column_of(&named, &c.name)));
    }
    select(&mut query, items, returning.as_ref().map(Returning::query_items).unwrap_or_default());
    Ok(Plan {
        table,
        query: Statement::Query(Box::new(query)),
        assigned: None,
        whole,
        keep: whole,
        returning,
        tag: "DELETE",
    })
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
    /// The changed rows, with what RETURNING needs besides.
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
    let mut turn = aio::Turn::new(session.db().engine());
    while at < order.len() {
        turn.pass().await;
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
        let others = batch.columns().iter().skip(1 + rows.len());
        let failed = |e: ArrowError| EngineError::new("XX000", e.to_string());
        let take = |array: &ArrayRef| datafusion::arrow::compute::take(array, &indexes, None).map_err(failed);
        let own = rows.iter().map(take).collect::<Result<Vec<_>>>()?;
        if plan.keep {
            let mut fields = plan.table.schema.fields().to_vec();
            fields.extend(batch.schema().fields().iter().skip(1 + rows.len()).cloned());
            let arrays = own.iter().cloned().map(Ok).chain(others.map(take)).collect::<Result<Vec<_>>>()?;
            changed.returned.push(RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).map_err(failed)?);
        }
        let batch = RecordBatch::try_new(plan.table.schema.clone(), own).map_err(failed)?;
        if let Some(assigned) = &plan.assigned {
            let done_tids: Vec<Tid> = done_rows.iter().map(|&row| tids[row as usize]).collect();
            let table = plan.table.clone();
            let options = session.write_options();
            table.index_rows(session.transaction(), &batch, &done_tids, Some(assigned), &options).await?;
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
        let again = Extra { only: Some(Arc::new([Some(tid)])), rows: None };
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
    let assignments = assignments(session, table, assigned)?;
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
    select(&mut query, items, vec![]);
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
        keep,
        returning: None,
        tag: "INSERT",
    };
    let extra = Extra { only: Some(Arc::new([Some(tid)])), ..in_memory(table, &[], vec![excluded.clone()])? };
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

/// An expression whose bare column names are the table's, but for those in subqueries, which may have tables of their own.
fn qualified(mut expr: AstExpr, table: &Table, named: &Ident) -> AstExpr {
    let tables = table.def.columns.iter().map(|column| (column.name.clone(), named.clone())).collect();
    qualify(&mut expr, &tables);
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
