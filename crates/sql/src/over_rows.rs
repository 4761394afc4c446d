//! Expressions over rows that are in memory and stand for a table's: conditions of constraints, RETURNING.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::sql::sqlparser::ast::{Expr as AstExpr, Ident, Query, SelectItem, SetExpr, Statement};
use engine::{EngineError, Result, Table};

use crate::modify::skeleton;
use crate::session::{Extra, Session};
use crate::tables::{ROWS, described_schema};

/// `SELECT items` from the rows of [`in_memory`], which the items know by the name `named`.
pub fn query(table: &Table, named: &Ident, items: &[SelectItem]) -> Result<Query> {
    let mut query = skeleton(ROWS, table, named, vec![], None)?;
    let SetExpr::Select(select) = &mut *query.body else { unreachable!("it is a SELECT") };
    select.projection = items.to_vec();
    Ok(query)
}

/// Rows for a query's plan: the table's columns, and `others` behind them.
pub fn in_memory(table: &Table, others: &[Field], batches: Vec<RecordBatch>) -> Result<Extra> {
    let mut fields = described_schema(&table.def.columns, false).fields().to_vec();
    fields.extend(others.iter().cloned().map(Arc::new));
    let rows = memory_table(Arc::new(Schema::new(fields)), batches)?;
    Ok(Extra { only: None, rows: Some(rows) })
}

/// Rows as a table whose columns are named and described by `schema`.
pub fn memory_table(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Arc<dyn TableProvider>> {
    let failed = |e: String| EngineError::new("XX000", e);
    let described = |batch: RecordBatch| {
        // Without columns, the number is all there is.
        let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
        RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &options)
    };
    let batches: std::result::Result<Vec<_>, _> = batches.into_iter().map(described).collect();
    let batches = batches.map_err(|e| failed(e.to_string()))?;
    Ok(Arc::new(MemTable::try_new(schema, vec![batches]).map_err(|e| failed(e.to_string()))?))
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
    let extra = in_memory(table, &[], vec![rows])?;
    let named = Ident::with_quote('"', &table.def.name);
    let planned = session.plan_for(Statement::Query(Box::new(query(table, &named, &items)?)), false, extra).await?;
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
