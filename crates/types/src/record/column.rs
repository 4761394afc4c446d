//! Columns of rows: `ROW(…)`, and the columns of rows.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{Array, ArrayRef};

use crate::array::column::{append, plain};
use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::repr::Repr;
use crate::scalar::{self, Scalar};

use super::builder::RecordBuilder;
use super::shape::RowShape;
use super::value::record;
use super::view::RecordView;

/// For each row of a batch, the row of a shape whose columns have these values.
pub fn row_of(rows: usize, shape: &RowShape, columns: &[Argument]) -> Result<ArrayRef> {
    let values: Vec<ArrayRef> = columns.iter().map(|argument| plain(argument.array())).collect();
    let mut out = BinaryBuilder::with_capacity(rows, rows * 16 * (columns.len() + 1));
    for row in 0..rows {
        let mut builder = RecordBuilder::new(shape.ty, &shape.names);
        for ((argument, (ty, repr)), values) in columns.iter().zip(&shape.columns).zip(&values) {
            builder.push(*ty, *repr, Scalar::of(values, argument.index(row)))?;
        }
        append(&mut out, &builder.finish())?;
    }
    Ok(Arc::new(out.finish()))
}

/// A column of each row, from 0, which is represented so; NULL where the row is NULL or has no such column.
pub fn field(rows: usize, records: &Argument, index: usize, repr: Repr) -> ArrayRef {
    let column = records.of::<record>();
    let mut out = ColumnBuilder::new(repr, rows);
    for row in 0..rows {
        let at = records.index(row);
        let field = (!column.is_null(at)).then(|| RecordView::new(column.value(at)).get(index)).flatten();
        scalar::append(&mut out, field.and_then(|field| field.value));
    }
    out.finish()
}
