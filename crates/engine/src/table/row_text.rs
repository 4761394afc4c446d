//! Values of rows as messages show them: by the output functions of their types.

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef, RecordBatch};
use types::base_type::base_type;
use types::{Context, Repr, decimal};

use crate::catalog::{ColumnDef, TableDef};
use crate::column_type::ColumnType;
use crate::{EngineError, Result};

impl TableDef {
    /// The texts of some columns of a row, given by their positions in the table and in the batch.
    pub fn values_text(
        &self,
        context: &Context,
        rows: &RecordBatch,
        row: usize,
        columns: &[usize],
    ) -> Result<Vec<String>> {
        columns.iter().map(|&at| self.columns[at].text(context, rows.column(at), row)).collect()
    }
}

impl ColumnDef {
    /// The text of a value as it is stored.
    pub fn text(&self, context: &Context, values: &ArrayRef, row: usize) -> Result<String> {
        let unsupported = || EngineError::unsupported(format_args!("the text of column \"{}\"", self.name));
        self.ty.text(context, values, row)?.ok_or_else(unsupported)
    }
}

impl ColumnType {
    /// The text of a value as it is stored; `None`: values of this type are not stored.
    pub fn text(self, context: &Context, values: &ArrayRef, row: usize) -> Result<Option<String>> {
        if values.is_null(row) {
            return Ok(Some("null".to_string()));
        }
        let (Some(repr), Some(ty)) = (self.repr(), base_type(self.value.0)) else { return Ok(None) };
        let mut text = Vec::new();
        let mut put = |values: &dyn Array, row: usize| (ty.output)(context, values, row, &mut text);
        match repr {
            Repr::Decimal { .. } => {
                let value = values.as_primitive::<Decimal128Type>().slice(row, 1);
                put(&decimal::to_numeric(&value), 0)?;
            }
            _ => put(values, row)?,
        }
        let mut text = String::from_utf8_lossy(&text).into_owned();
        if let Some(length) = self.padding() {
            let blanks = length.saturating_sub(text.chars().count());
            text.extend(std::iter::repeat_n(' ', blanks));
        }
        Ok(Some(text))
    }
}
