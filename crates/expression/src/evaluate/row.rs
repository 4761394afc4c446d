//! Rows as values: made, taken apart, tested.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, BooleanArray};
use types::record::column::{self, row_of};
use types::record::{RecordView, RowShape};
use types::{Argument, Repr, Result};

use crate::frame::Frame;

/// `ROW(…)`
#[derive(Debug)]
pub(crate) struct RowNode {
    /// The children are its columns.
    pub shape: RowShape,
}

fn rows(frame: &Frame<'_>, constant: bool) -> (usize, fn(arrow_array::ArrayRef) -> Argument) {
    if constant { (1, Argument::constant) } else { (frame.rows, Argument::column) }
}

impl RowNode {
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let (rows, argument) = rows(frame, values.iter().all(Argument::is_constant));
        Ok(argument(row_of(rows, &self.shape, values)?))
    }
}

/// A field of each row, from 0, which is represented so.
pub(crate) fn field(frame: &Frame<'_>, value: &Argument, index: usize, repr: Repr) -> Argument {
    let (rows, argument) = rows(frame, value.is_constant());
    argument(column::field(rows, value, index, repr))
}

/// Whether all fields of each row are NULL, or all are not. Fields that are rows count as values, dropped columns do not count.
pub(crate) fn null_test(frame: &Frame<'_>, value: &Argument, is_null: bool) -> Argument {
    let (rows, argument) = rows(frame, value.is_constant());
    let records = value.array().as_binary::<i32>();
    let test = |row: usize| match records.is_null(row) {
        true => is_null,
        false => RecordView::new(records.value(row)).present().all(|field| field.value.is_none() == is_null),
    };
    argument(Arc::new((0..rows).map(|row| Some(test(row))).collect::<BooleanArray>()))
}
