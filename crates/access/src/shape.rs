//! How a table's columns lie in a page.

use arrow_schema::{DataType, Schema};
use serde::{Deserialize, Serialize};

use crate::{AccessError, Result};

/// What may be done about a long value (`pg_type.typstorage`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Storage {
    /// Nothing.
    Plain,
    /// It may go out of line, as it is.
    External,
    /// It is compressed, and goes out of line if that is not enough.
    Extended,
    /// It is compressed, and goes out of line if the row does not fit a page otherwise.
    Main,
}

/// A column, as the page sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnShape {
    pub data_type: DataType,
    pub nullable: bool,
    /// Bytes of a value; `None` for values of variable length.
    pub width: Option<usize>,
    pub storage: Storage,
}

impl ColumnShape {
    /// Do values lie in the same way?
    pub(crate) fn lies_as(&self, other: &ColumnShape) -> bool {
        (self.width, self.nullable) == (other.width, other.nullable)
    }
}

/// A table's columns, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct TableShape {
    pub columns: Vec<ColumnShape>,
    /// Longer rows are made shorter, if they have values for it, in bytes (`toast_tuple_target`).
    pub target: usize,
}

/// A quarter of a page (`TOAST_TUPLE_TARGET`).
pub const TOAST_TUPLE_TARGET: usize = 2032;

impl TableShape {
    /// Fails for Arrow types that no PostgreSQL type of ours maps to.
    pub fn new(schema: &Schema) -> Result<TableShape> {
        let columns = schema.fields().iter().map(|field| {
            let width = match field.data_type() {
                DataType::Boolean => Some(1),
                DataType::Utf8 | DataType::Binary => None,
                DataType::FixedSizeBinary(n) if *n > 0 => Some(*n as usize),
                DataType::Decimal128(_, _) => Some(16),
                other => match other.primitive_width() {
                    Some(width) => Some(width),
                    None => return Err(AccessError::Unsupported(other.to_string())),
                },
            };
            let storage = if width.is_some() { Storage::Plain } else { Storage::Extended };
            Ok(ColumnShape { data_type: field.data_type().clone(), nullable: field.is_nullable(), width, storage })
        });
        Ok(TableShape { columns: columns.collect::<Result<_>>()?, target: TOAST_TUPLE_TARGET })
    }

    /// Are a column's values of variable length?
    #[inline]
    pub fn is_variable(&self, column: usize) -> bool {
        self.columns[column].width.is_none()
    }

    /// The columns whose values are of variable length.
    pub fn variable(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&column| self.is_variable(column))
    }

    /// Bytes a row takes at least, without its variable values, rounded up.
    pub fn fixed_row_bytes(&self) -> usize {
        let bits: usize = self.columns.iter().map(|c| usize::from(c.nullable)).sum();
        self.columns.iter().map(|c| c.width.unwrap_or(4)).sum::<usize>() + bits.div_ceil(8)
    }
}
