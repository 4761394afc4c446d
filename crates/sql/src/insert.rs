//! INSERT: DataFusion runs the source, the rows are converted as PostgreSQL's assignment does, and go into the table.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, StringArray};
use datafusion::physical_plan::execute_stream;
use datafusion::sql::sqlparser::ast::{
    self, AssignmentTarget, Expr as AstExpr, Insert, OnConflictAction, OnInsert, SetExpr, Statement, TableObject, Value,
};
use datafusion::sql::sqlparser::dialect::PostgreSqlDialect;
use datafusion::sql::sqlparser::parser::Parser;
use engine::{ColumnDef, EngineError, Identity, Insertion, PgType, Result, Table};
use futures::StreamExt;
use txn::LockMode;

use crate::cast::{Purpose, cast};
use crate::conflict::{Conflict, upsert};
use crate::ddl::{ident, object_name};
use crate::errors::translate;
use crate::infer;
use crate::over_rows;
use crate::parameters::{alone, column_type};
use crate::parse::Overriding;
use crate::returning::{Change, Returning};
use crate::semantics::category;
use crate::session::{Extra, Planned, Reply, Session, done};
use crate::set_operations::constant_text;
use crate::value_rows;

/// The table and the columns that an INSERT fills, in its own order.
pub struct Target {
    pub table: Arc<Table>,
    pub columns: Vec<usize>,
}

impl Target {
    pub fn find(session: &Session, insert: &Insert) -> Result<Target> {
        let TableObject::TableName(name) = &insert.table else {
            return Err(EngineError::unsupported("INSERT into something that is not a table"));
        };
        let (schema, name) = object_name(name, &session.shared.database.1)?;
        let table = session
            .shared
            .find_table(&schema, &name)?
            .ok_or_else(|| EngineError::new("42P01", format!("relation \"{name}\" does not exist")))?;
        let all = &table.def.columns;
        let mut columns = Vec::new();
        for column in &insert.columns {
            let name = column.0.last().and_then(|p| p.as_ident()).map(ident).unwrap_or_default();
            let index = all.iter().position(|c| c.name == name).ok_or_else(|| {
                let relation = &table.def.name;
                EngineError::new("42703", format!("column \"{name}\" of relation \"{relation}\" does not exist"))
            })?;
            if columns.contains(&index) {
                return Err(EngineError::new("42701", format!("column \"{name}\" specified more than once")));
            }
            columns.push(index);
        }
        if columns.is_empty() {
            columns = (0..all.len()).collect();
        }
        Ok(Target { table, columns })
    }

    /// Refuses values for columns that are always generated. `given` says whether the statement has one for the column at
    /// a position of its list.
    fn refuse_generated(&self, given: impl Fn(usize) -> bool) -> Result<()> {
        for (position, &column) in self.columns.iter().enumerate() {
            let column = &self.table.def.columns[column];
            if column.identity == Some(Identity::Always) && given(position) {
                let name = &column.name;
                let message = format!("cannot insert a non-DEFAULT value into column \"{name}\"");
                return Err(EngineError::new("428C9", message)
                    .detail(format!("Column \"{name}\" is an identity column defined as GENERATED ALWAYS."))
                    .hint("Use OVERRIDING SYSTEM VALUE to override."));
            }
        }
        Ok(())
    }

    /// Parameters that stand for a column's value have its type.
    pub fn infer(&self, insert: &Insert, parameters: &mut [u32]) -> Result<()> {
        let columns = &self.table.def.columns;
        match insert.source.as_ref().map(|source| &*source.body) {
            Some(SetExpr::Values(values)) => {
                for row in &values.rows {
                    // A row's parameters have no types before all of it was read: they must agree.
                    let before = parameters.to_vec();
                    for (expr, &column) in row.content.iter().zip(&self.columns) {
                        let Some(number) = alone(expr) else { continue };
                        let ty = columns[column].ty;
                        infer::set(parameters, number, ty.oid());
                        if before.get(number - 1) == Some(&0) && parameters[number - 1] != ty.oid() {
                            return Err(inconsistent(number, parameters[number - 1], ty));
                        }
                    }
                }
            }
            Some(SetExpr::Select(select)) => {
                let filled = self.columns.iter().map(|&column| &columns[column]);
                infer::stored(filled, select.projection.iter(), parameters);
            }
            _ => {}
        }
        if let Some(OnInsert::OnConflict(conflict)) = &insert.on
            && let OnConflictAction::DoUpdate(update) = &conflict.action
        {
            for assignment in &update.assignments {
                if let AssignmentTarget::ColumnName(name) = &assignment.target
                    && let Some(column) = name.0.last().and_then(|p| p.as_ident()).map(ident)
                    && let Some(column) = self.table.def.column(&column)
                    && let Some(number) = alone(&assignment.value)
                {
                    infer::set(parameters, number, columns[column].ty.oid());
                }
            }
        }
        Ok(())
    }
}

fn inconsistent(number: usize, known: u32, ty: PgType) -> EngineError {
    let known = column_type(known).map_or_else(|| "numeric".to_string(), PgType::name);
    EngineError::new("42P08", format!("inconsistent types deduced for parameter ${number}"))
        .detail(format!("{known} versus {}", ty.name()))
}

/// Where the rows of a plan go.
pub struct Destination {
    pub table: Arc<Table>,
    /// The column of the table for each of the plan's.
    columns: Vec<usize>,
    /// For each column of the table.
    defaults: Vec<Option<AstExpr>>,
    /// What is to be done about rows that are there already.
    conflict: Option<Conflict>,
}

impl Destination {
    /// The plan's columns are the table's.
    pub fn whole(table: &Arc<Table>) -> Destination {
        let width = table.def.columns.len();
        Destination { table: table.clone(), columns: (0..width).collect(), defaults: vec![None; width], conflict: None }
    }
}

pub async fn run(session: &mut Session, mut insert: Insert) -> Result<Reply> {
    session.require_writable("INSERT")?;
    lock_target(session, &insert).await?;
    let table = Target::find(session, &insert)?.table;
    let returning = returning(session, &table, &insert)?;
    let conflict = match insert.on.take() {
        None => None,
        Some(ast::OnInsert::OnConflict(clause)) => {
            Some(Conflict::new(&table, clause, insert.table_alias.as_ref().map(|a| a.alias.clone()))?)
        }
        Some(_) => return Err(EngineError::new("42601", "syntax error at or near \"ON\"")),
    };
    let (planned, mut destination) = plan(session, insert).await?;
    destination.conflict = conflict;
    let mut kept = returning.is_some().then(Vec::new);
    let rows = load(session, &planned, destination, kept.as_mut()).await?;
    match returning {
        None => Ok(done(&format!("INSERT 0 {rows}"))),
        Some(returning) => returning.reply(session, kept.expect("rows were kept for it"), "INSERT 0").await,
    }
}

/// The RETURNING clause.
pub fn returning(session: &Session, table: &Arc<Table>, insert: &Insert) -> Result<Option<Returning>> {
    let Some(items) = insert.returning.clone() else { return Ok(None) };
    let alias = insert.table_alias.as_ref().map(|a| a.alias.clone());
    let named = alias.unwrap_or_else(|| ast::Ident::with_quote('"', &table.def.name));
    let updates = matches!(&insert.on, Some(ast::OnInsert::OnConflict(clause))
        if matches!(clause.action, ast::OnConflictAction::DoUpdate(_)));
    let with = insert.source.as_ref().and_then(|source| source.with.clone());
    let change = if updates { Change::Upsert } else { Change::Insert };
    Returning::new(session, table, named, with, items, &[], change).map(Some)
}

/// Keeps others from changing the table's definition until the transaction ends.
pub async fn lock_target(session: &mut Session, insert: &Insert) -> Result<()> {
    if let TableObject::TableName(name) = &insert.table {
        let (schema, name) = object_name(name, &session.shared.database.1)?;
        session.lock_table(&schema, &name, LockMode::RowExclusive).await?;
    }
    Ok(())
}

/// The plan of an INSERT's source, and where its rows go.
pub async fn plan(session: &mut Session, mut insert: Insert) -> Result<(Planned, Destination)> {
    if insert.on.is_some() {
        return Err(EngineError::unsupported("INSERT ... ON CONFLICT"));
    }
    let target = Target::find(session, &insert)?;
    let overriding = Overriding::of(&insert);
    let defaults: Vec<Option<AstExpr>> = target.table.def.columns.iter().map(default_of).collect::<Result<_>>()?;
    let has_source = insert.source.is_some();
    let values = insert.source.as_ref().and_then(|source| match &*source.body {
        SetExpr::Values(values) => Some(values),
        _ => None,
    });
    if let Some(values) = values
        && overriding.is_none()
    {
        let given = |position: usize| values.rows.iter().filter_map(move |row| row.content.get(position));
        target.refuse_generated(|position| given(position).any(|expr| !is_default(expr)))?;
    }
    let (source, columns) = match insert.source.take() {
        Some(source) => (with_defaults(*source, &target, &defaults, overriding)?, target.columns.clone()),
        // DEFAULT VALUES: a row of which every column is left out. One column must stand for it.
        None => {
            let Some(first) = defaults.first().cloned() else {
                return Err(EngineError::unsupported("a row without columns"));
            };
            let first = first.unwrap_or(AstExpr::value(Value::Null));
            (select_of(first)?, vec![0])
        }
    };
    let is_values = matches!(&*source.body, SetExpr::Values(_));
    let planned = session.plan_for(Statement::Query(Box::new(source)), true, Extra::default()).await?;
    let given = planned.schema().fields().len();
    if given > columns.len() {
        return Err(EngineError::new("42601", "INSERT has more expressions than target columns"));
    }
    if given < columns.len() && !insert.columns.is_empty() {
        return Err(EngineError::new("42601", "INSERT has more target columns than expressions"));
    }
    if !is_values && has_source {
        match overriding {
            None => target.refuse_generated(|position| position < given)?,
            Some(Overriding::System) => {}
            Some(Overriding::User) => return Err(EngineError::unsupported("OVERRIDING USER VALUE with a query")),
        }
    }
    let columns = columns[..given].to_vec();
    check_types(&planned, &target.table, &columns, is_values)?;
    Ok((planned, Destination { table: target.table, columns, defaults, conflict: None }))
}

fn check_types(planned: &Planned, table: &Table, columns: &[usize], is_values: bool) -> Result<()> {
    columns
        .iter()
        .enumerate()
        .try_for_each(|(index, &column)| check_assignment(planned, index, &table.def.columns[column], is_values))
}

/// PostgreSQL converts among types of one category when it stores, and anything to text; a constant in quotes is of any type.
pub fn check_assignment(planned: &Planned, index: usize, column: &ColumnDef, is_values: bool) -> Result<()> {
    let source = planned.optimized.schema().field(index).data_type().clone();
    let (from, to) = (category(&source), category(&column.ty.arrow()));
    let constant = from == 'S' && (is_values || constant_text(&planned.optimized, index));
    if from != to && from != '-' && to != 'S' && !constant {
        let (name, wanted, given) = (&column.name, column.ty.name(), crate::output::type_name(&source));
        let message = format!("column \"{name}\" is of type {wanted} but expression is of type {given}");
        return Err(EngineError::new("42804", message).hint("You will need to rewrite or cast the expression."));
    }
    Ok(())
}

/// `SELECT expr`.
fn select_of(expr: AstExpr) -> Result<ast::Query> {
    crate::parse::query(&format!("SELECT ({expr})"))
}

pub fn default_of(column: &ColumnDef) -> Result<Option<AstExpr>> {
    let Some(text) = &column.default else { return Ok(None) };
    let expr = Parser::new(&PostgreSqlDialect {}).try_with_sql(text).and_then(|mut p| p.parse_expr());
    expr.map(Some).map_err(|e| EngineError::new("42601", format!("invalid default \"{text}\": {e}")))
}

/// Is it the word DEFAULT?
pub fn is_default(expr: &AstExpr) -> bool {
    matches!(expr, AstExpr::Identifier(i) if i.quote_style.is_none() && i.value.eq_ignore_ascii_case("default"))
}

/// In VALUES, the word DEFAULT means the column's default; with OVERRIDING USER VALUE so does whatever stands for a column
/// with an identity.
fn with_defaults(
    mut source: ast::Query,
    target: &Target,
    defaults: &[Option<AstExpr>],
    overriding: Option<Overriding>,
) -> Result<ast::Query> {
    if let SetExpr::Values(values) = &mut *source.body {
        let width = values.rows.first().map_or(0, |r| r.content.len());
        for row in &mut values.rows {
            if row.content.len() != width {
                return Err(EngineError::new("42601", "VALUES lists must all be the same length"));
            }
            for (expr, &column) in row.content.iter_mut().zip(&target.columns) {
                let generated =
                    overriding == Some(Overriding::User) && target.table.def.columns[column].identity.is_some();
                if generated || is_default(expr) {
                    *expr = defaults[column].clone().unwrap_or(AstExpr::value(Value::Null));
                }
            }
        }
        value_rows::agree(values, &target.table, &target.columns);
    }
    Ok(source)
}

/// Refuses a default that does not fit its column.
pub async fn check_default(session: &mut Session, column: &ColumnDef) -> Result<()> {
    let Some(expr) = default_of(column)? else { return Ok(()) };
    evaluate(session, &expr, column.ty, 1).await.map(drop)
}

/// A default's values for `rows` rows; evaluated for each row, because it may be random().
pub async fn evaluate(session: &mut Session, expr: &AstExpr, ty: PgType, rows: usize) -> Result<ArrayRef> {
    let query = crate::parse::query(&format!("SELECT ({expr}) FROM generate_series(1, {rows})"))?;
    let planned = session.plan(Statement::Query(Box::new(query))).await?;
    let mut arrays = Vec::new();
    for batch in collect(&planned).await? {
        arrays.push(cast(batch.column(0), ty, Purpose::Assignment)?);
    }
    let parts: Vec<&dyn Array> = arrays.iter().map(|a| &**a).collect();
    datafusion::arrow::compute::concat(&parts).map_err(|e| EngineError::new("XX000", e.to_string()))
}

/// All rows of a plan.
pub async fn collect(planned: &Planned) -> Result<Vec<RecordBatch>> {
    let mut batches = execute_stream(planned.physical.clone(), planned.state.task_ctx()).map_err(translate)?;
    let mut all = Vec::new();
    while let Some(batch) = batches.next().await {
        all.push(batch.map_err(translate)?);
    }
    Ok(all)
}

/// Runs the plan and puts its rows into the table; gives their number. The rows themselves go to `kept`, too.
pub async fn load(
    session: &mut Session,
    planned: &Planned,
    destination: Destination,
    mut kept: Option<&mut Vec<RecordBatch>>,
) -> Result<u64> {
    let Destination { table, columns, defaults, conflict } = destination;
    let mut upserted = 0;
    let mut insertion = Insertion::new(&table, session.write_options());
    let padded: Vec<bool> = planned.columns().iter().map(|c| c.oid == PgType::Char(1).oid()).collect();
    let mut batches = execute_stream(planned.physical.clone(), planned.state.task_ctx()).map_err(translate)?;
    while let Some(batch) = batches.next().await {
        let batch = batch.map_err(translate)?;
        if batch.num_rows() == 0 {
            continue;
        }
        let mut arrays: Vec<Option<ArrayRef>> = vec![None; table.def.columns.len()];
        for (source, &index) in columns.iter().enumerate() {
            let ty = table.def.columns[index].ty;
            let given = batch.column(source);
            let trimmed = padded[source] && !matches!(ty, PgType::Char(_));
            let given = if trimmed { without_padding(given)? } else { given.clone() };
            arrays[index] = Some(cast(&given, ty, Purpose::Assignment)?);
        }
        // Defaults last: what cannot be stored at all draws from no sequence.
        for (array, (column, default)) in arrays.iter_mut().zip(table.def.columns.iter().zip(&defaults)) {
            if array.is_none() {
                *array = Some(match default {
                    Some(default) => evaluate(session, default, column.ty, batch.num_rows()).await?,
                    None => datafusion::arrow::array::new_null_array(&column.ty.arrow(), batch.num_rows()),
                });
            }
        }
        let arrays: Vec<ArrayRef> = arrays.into_iter().flatten().collect();
        check_nulls(&table, &arrays)?;
        check_constraints(session, &table, &arrays).await?;
        let batch =
            RecordBatch::try_new(table.schema.clone(), arrays).map_err(|e| EngineError::new("XX000", e.to_string()))?;
        if let Some(conflict) = &conflict {
            let (count, rows) = upsert(session, &table, conflict, &batch, kept.is_some()).await?;
            upserted += count;
            if let Some(kept) = &mut kept {
                kept.extend(rows);
            }
            continue;
        }
        if let Some(kept) = &mut kept {
            kept.push(batch.clone());
        }
        insertion.add(session.transaction(), batch).await?;
    }
    Ok(upserted + insertion.finish(session.transaction()).await?)
}

/// A char(n) is stored as other text without its padding.
pub fn without_padding(array: &ArrayRef) -> Result<ArrayRef> {
    let texts = crate::output::text_array(array)?;
    let trimmed: StringArray = texts.iter().map(|t| t.map(|t| t.trim_end_matches(' '))).collect();
    Ok(Arc::new(trimmed))
}

pub fn check_nulls(table: &Table, arrays: &[ArrayRef]) -> Result<()> {
    for (column, array) in table.def.columns.iter().zip(arrays) {
        if column.not_null && array.null_count() > 0 {
            let row = (0..array.len()).find(|&r| array.is_null(r)).expect("there is a NULL");
            return Err(EngineError::new(
                "23502",
                format!(
                    "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                    column.name, table.def.name
                ),
            )
            .detail(format!("Failing row contains ({}).", row_text(arrays, row)?))
            .column(&table.def, &column.name));
        }
    }
    Ok(())
}

/// Refuses rows that a CHECK constraint says no to; NULL is no no.
pub async fn check_constraints(session: &mut Session, table: &Arc<Table>, arrays: &[ArrayRef]) -> Result<()> {
    if table.def.checks.is_empty() || arrays.first().is_none_or(|a| a.is_empty()) {
        return Ok(());
    }
    let conditions: Vec<AstExpr> =
        table.def.checks.iter().map(|check| crate::parse::expression(&check.condition)).collect::<Result<_>>()?;
    let rows = RecordBatch::try_new(table.schema.clone(), arrays.to_vec())
        .map_err(|e| EngineError::new("XX000", e.to_string()))?;
    let results = over_rows::evaluate(session, table, &conditions, rows).await?;
    for (check, result) in table.def.checks.iter().zip(results) {
        let result = result.as_boolean();
        if let Some(row) = (0..result.len()).find(|&row| result.is_valid(row) && !result.value(row)) {
            let message =
                format!("new row for relation \"{}\" violates check constraint \"{}\"", table.def.name, check.name);
            let detail = format!("Failing row contains ({}).", row_text(arrays, row)?);
            return Err(EngineError::new("23514", message).detail(detail).constraint(&table.def, &check.name));
        }
    }
    Ok(())
}

/// Some values of a row, for messages.
pub fn describe(rows: &RecordBatch, row: usize, columns: &[usize]) -> String {
    let arrays: Vec<ArrayRef> = columns.iter().map(|&c| rows.column(c).clone()).collect();
    row_text(&arrays, row).unwrap_or_default()
}

/// A row's values as error messages show them.
pub fn row_text(arrays: &[ArrayRef], row: usize) -> Result<String> {
    let mut values = Vec::new();
    let style = crate::style::current().style;
    for array in arrays {
        let mut text = Vec::new();
        let some = crate::output::encode_value(&mut text, array, row, &style)?;
        values.push(if some { String::from_utf8_lossy(&text).into_owned() } else { "null".into() });
    }
    Ok(values.join(", "))
}
