//! Rows on their way from node to node: columns of one length. What their types are, the node that was compiled for them knows.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{
    Array, ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array, new_empty_array, new_null_array,
};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use arrow_select::{concat::concat, filter::FilterBuilder, take::take};
use types::Repr;

use crate::error::Result;

/// A node gives about so many rows at once, if it has them.
pub const BATCH_ROWS: usize = 8192;

/// Fewer are enough where they have so many bytes.
pub const BATCH_BYTES: usize = 2 << 20;

/// A part of a batch of so many rows keeps the rest alive instead of being copied.
const FEW_ROWS: usize = 64;

#[derive(Clone, Debug)]
pub struct Batch {
    pub columns: Vec<ArrayRef>,
    pub rows: usize,
}

impl Batch {
    pub fn new(columns: Vec<ArrayRef>, rows: usize) -> Batch {
        debug_assert!(columns.iter().all(|column| column.len() == rows));
        Batch { columns, rows }
    }

    /// One row without columns.
    pub fn one_row() -> Batch {
        Batch { columns: Vec::new(), rows: 1 }
    }

    pub fn empty(reprs: &[Repr]) -> Batch {
        Batch { columns: reprs.iter().map(|repr| new_empty_array(&repr.arrow())).collect(), rows: 0 }
    }

    pub fn nulls(reprs: &[Repr], rows: usize) -> Batch {
        Batch { columns: reprs.iter().map(|repr| new_null_array(&repr.arrow(), rows)).collect(), rows }
    }

    /// Some of the rows, by position; NULLs where the position is NULL.
    pub fn take(&self, rows: &UInt32Array) -> Result<Batch> {
        let columns = self
            .columns
            .iter()
            .map(|column| take(column, rows, None))
            .collect::<std::result::Result<_, ArrowError>>()?;
        Ok(Batch { columns, rows: rows.len() })
    }

    pub fn filter(&self, keep: &BooleanArray) -> Result<Batch> {
        if self.rows <= FEW_ROWS
            && let Some((from, to)) = only_run(keep)
        {
            return Ok(self.slice(from, to - from));
        }
        let filter = FilterBuilder::new(keep);
        let filter = if self.columns.len() > 1 { filter.optimize() } else { filter }.build();
        let columns =
            self.columns.iter().map(|column| filter.filter(column)).collect::<std::result::Result<_, ArrowError>>()?;
        Ok(Batch { columns, rows: filter.count() })
    }

    pub fn slice(&self, from: usize, rows: usize) -> Batch {
        if from == 0 && rows == self.rows {
            return self.clone();
        }
        Batch { columns: self.columns.iter().map(|column| column.slice(from, rows)).collect(), rows }
    }

    /// The rows of all of them, one batch's after the other's.
    pub fn concat(batches: &[Batch], reprs: &[Repr]) -> Result<Batch> {
        match batches {
            [] => Ok(Batch::empty(reprs)),
            [one] => Ok(one.clone()),
            [first, ..] => {
                let column = |at: usize| {
                    let parts: Vec<&dyn Array> = batches.iter().map(|batch| &*batch.columns[at]).collect();
                    concat(&parts)
                };
                let columns = (0..first.columns.len()).map(column).collect::<std::result::Result<_, ArrowError>>()?;
                Ok(Batch { columns, rows: batches.iter().map(|batch| batch.rows).sum() })
            }
        }
    }

    /// With the columns of `other`, which has as many rows, behind its own.
    pub fn beside(mut self, other: Batch) -> Batch {
        debug_assert_eq!(self.rows, other.rows);
        self.columns.extend(other.columns);
        self
    }

    /// As what works with Arrow's batches takes it.
    pub fn with_schema(self, schema: &SchemaRef) -> std::result::Result<RecordBatch, ArrowError> {
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(schema.clone(), self.columns, &options)
    }

    /// Bytes, about. A part of something larger counts for itself: the rest may be counted with other parts.
    pub fn memory(&self) -> usize {
        let of = |column: &ArrayRef| {
            let all = column.get_buffer_memory_size();
            match column.to_data().get_slice_memory_size() {
                Ok(part) if part < all / 2 => part,
                _ => all,
            }
        };
        self.columns.iter().map(of).sum()
    }

    /// May it have as many bytes?
    pub fn may_have(&self, bytes: usize) -> bool {
        self.columns.iter().any(|column| column.get_buffer_memory_size() >= bytes)
    }

    /// Bytes of a row's texts and the like.
    pub fn bytes_of_row(&self, row: usize) -> usize {
        let of = |column: &ArrayRef| match column.data_type() {
            DataType::Utf8 => column.as_string::<i32>().value_length(row) as usize,
            DataType::Binary => column.as_binary::<i32>().value_length(row) as usize,
            _ => 8,
        };
        self.columns.iter().map(of).sum()
    }

    /// How many pairs of these rows and those are a batch.
    pub fn pairs_with(&self, other: &Batch) -> usize {
        let row = |batch: &Batch| batch.memory() / batch.rows.max(1);
        (BATCH_BYTES / (row(self) + row(other)).max(1)).clamp(1, BATCH_ROWS)
    }
}

/// What describes batches with columns of these types, which have their numbers for names.
pub fn schema_of(types: impl Iterator<Item = DataType>) -> SchemaRef {
    let fields = types.enumerate().map(|(at, ty)| Field::new(at.to_string(), ty, true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Where the only run of rows that are kept is, if there is one alone.
fn only_run(keep: &BooleanArray) -> Option<(usize, usize)> {
    debug_assert_eq!(keep.null_count(), 0);
    let mut runs = keep.values().set_slices();
    let run = runs.next()?;
    runs.next().is_none().then_some(run)
}

impl From<RecordBatch> for Batch {
    fn from(batch: RecordBatch) -> Batch {
        let (_, columns, rows) = batch.into_parts();
        Batch { columns, rows }
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Int64Array;

    use super::*;

    #[test]
    fn parts_count_for_themselves() {
        let whole = Batch::new(vec![Arc::new(Int64Array::from_iter_values(0..80_000))], 80_000);
        let parts: usize = (0..10).map(|part| whole.slice(part * 8000, 8000).memory()).sum();
        assert!((640_000..700_000).contains(&whole.memory()), "{}", whole.memory());
        assert!((640_000..700_000).contains(&parts), "{parts}");
    }
}
