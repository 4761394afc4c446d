//! Rows of a query that go into a new table while EXPLAIN ANALYZE watches the query (PostgreSQL's `DR_intorel`).

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};
use engine::{Insertion, Table, Transaction, WriteOptions};
use types::Repr;

use crate::batch::Batch;
use crate::compile::facts::{TableColumn, columns_of};
use crate::convert::fit;
use crate::convert::without_padding;
use crate::error::Result;

/// The way of a query's rows into a table that has nothing but its columns.
pub struct IntoRel {
    columns: Vec<TableColumn>,
    /// As the query's columns lie.
    from: Vec<Repr>,
    schema: SchemaRef,
    insertion: Insertion,
}

impl IntoRel {
    /// `from` is how the columns of the rows lie, of which there are as many as the table has.
    pub fn new(table: &Arc<Table>, from: &[Repr], options: WriteOptions) -> types::Result<IntoRel> {
        let columns = columns_of(&table.def)?;
        let field = |column: &TableColumn| Field::new(&column.name, column.repr.arrow(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        Ok(IntoRel { columns, from: from.to_vec(), schema, insertion: Insertion::new(table, options) })
    }

    pub async fn receive(&mut self, transaction: &mut Transaction, rows: &Batch) -> Result<()> {
        let mut stored = Vec::with_capacity(self.columns.len());
        for ((column, &from), values) in self.columns.iter().zip(&self.from).zip(&rows.columns) {
            let values = fit(values, from, column.repr)?;
            stored.push(if column.padded.is_some() { without_padding(&values) } else { values });
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows.rows));
        let stored = RecordBatch::try_new_with_options(self.schema.clone(), stored, &options)?;
        Ok(self.insertion.add(transaction, stored).await?)
    }

    pub async fn finish(self, transaction: &mut Transaction) -> Result<()> {
        self.insertion.finish(transaction).await?;
        Ok(())
    }
}
