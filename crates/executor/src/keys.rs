//! By what rows are compared: columns in which equal values look the same and whose order is the values' ([`types::key`]).

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_ord::sort::{SortColumn, SortOptions, lexsort_to_indices, sort_to_indices};
use arrow_row::{RowConverter, SortField};
use arrow_schema::{Field, Schema};
use datafusion_physical_plan::aggregates::group_values::{GroupValues, new_group_values};
use datafusion_physical_plan::aggregates::order::GroupOrdering;
use plan::plan::{GroupKey, SortKey};
use types::Repr;

use crate::batch::Batch;
use crate::error::Result;

/// A column by which rows are compared.
#[derive(Clone, Copy, Debug)]
pub struct KeyColumn {
    pub column: usize,
    pub repr: Repr,
    pub options: SortOptions,
}

impl KeyColumn {
    fn key(&self, batch: &Batch) -> ArrayRef {
        types::key::key(self.repr, &batch.columns[self.column])
    }
}

/// What plans say of the columns of rows, from 1.
pub fn sort_keys(keys: &[SortKey], reprs: &[Repr]) -> Vec<KeyColumn> {
    let key = |key: &SortKey| {
        let column = key.column as usize - 1;
        let options = SortOptions { descending: key.descending, nulls_first: key.nulls_first };
        KeyColumn { column, repr: reprs[column], options }
    };
    keys.iter().map(key).collect()
}

pub fn group_keys(keys: &[GroupKey], reprs: &[Repr]) -> Vec<KeyColumn> {
    let key = |key: &GroupKey| {
        let column = key.column as usize - 1;
        KeyColumn { column, repr: reprs[column], options: SortOptions::default() }
    };
    keys.iter().map(key).collect()
}

pub fn key_columns(batch: &Batch, keys: &[KeyColumn]) -> Vec<ArrayRef> {
    keys.iter().map(|key| key.key(batch)).collect()
}

/// The order in which rows are sorted, or the first `limit` of it.
pub fn sorted(batch: &Batch, keys: &[KeyColumn], limit: Option<usize>) -> Result<UInt32Array> {
    match keys {
        [] => Ok(UInt32Array::from_iter_values(0..batch.rows.min(limit.unwrap_or(usize::MAX)) as u32)),
        [key] => Ok(sort_to_indices(&key.key(batch), Some(key.options), limit)?),
        keys => {
            let columns: Vec<SortColumn> =
                keys.iter().map(|key| SortColumn { values: key.key(batch), options: Some(key.options) }).collect();
            Ok(lexsort_to_indices(&columns, limit)?)
        }
    }
}

/// Makes of rows' keys bytes that compare as the rows do.
pub struct RowKeys {
    keys: Vec<KeyColumn>,
    converter: RowConverter,
}

impl RowKeys {
    pub fn new(keys: Vec<KeyColumn>) -> Result<RowKeys> {
        let field = |key: &KeyColumn| SortField::new_with_options(key_type(key.repr), key.options);
        let converter = RowConverter::new(keys.iter().map(field).collect())?;
        Ok(RowKeys { keys, converter })
    }

    pub fn of(&self, batch: &Batch) -> Result<arrow_row::Rows> {
        Ok(self.converter.convert_columns(&key_columns(batch, &self.keys))?)
    }
}

/// Finds of rows that are equal and stand together, in a batch or in several, the first.
pub struct FirstOfEqual {
    keys: RowKeys,
    /// The key of the last row.
    last: Option<Box<[u8]>>,
}

impl FirstOfEqual {
    pub fn new(keys: Vec<KeyColumn>) -> Result<FirstOfEqual> {
        Ok(FirstOfEqual { keys: RowKeys::new(keys)?, last: None })
    }

    /// Those of the next batch.
    pub fn of(&mut self, batch: Batch) -> Result<Batch> {
        if batch.rows == 0 {
            return Ok(batch);
        }
        let keys = self.keys.of(&batch)?;
        let mut first = Vec::new();
        for row in 0..batch.rows {
            let key = keys.row(row);
            let same = match row {
                0 => self.last.as_deref() == Some(key.data()),
                _ => keys.row(row - 1) == key,
            };
            if !same {
                first.push(row as u32);
            }
        }
        self.last = Some(keys.row(batch.rows - 1).data().into());
        if first.len() == batch.rows { Ok(batch) } else { batch.take(&UInt32Array::from(first)) }
    }
}

pub fn key_type(repr: Repr) -> arrow_schema::DataType {
    repr.key().unwrap_or_else(|| repr.arrow())
}

/// In place of the number of a group that has come up in no row yet.
const UNSEEN: usize = usize::MAX;

/// Numbers groups of rows, in the order in which they come up. NULLs are equal.
pub struct Groups {
    keys: Vec<KeyColumn>,
    values: Option<Box<dyn GroupValues>>,
    /// The groups by the numbers that `values` has for them: of several columns it does not number them in the rows' order.
    numbers: Vec<usize>,
    /// How many there are.
    pub count: usize,
}

impl Groups {
    pub fn new(keys: &[KeyColumn]) -> Result<Groups> {
        let field = |key: &KeyColumn| Field::new("", key_type(key.repr), true);
        let schema = Arc::new(Schema::new(keys.iter().map(field).collect::<Vec<_>>()));
        let values = match keys {
            [] => None,
            _ => Some(new_group_values(schema, &GroupOrdering::None)?),
        };
        Ok(Groups { keys: keys.to_vec(), values, numbers: Vec::new(), count: 0 })
    }

    /// The group of each row of a batch.
    pub fn of(&mut self, batch: &Batch, groups: &mut Vec<usize>) -> Result<()> {
        let keys = key_columns(batch, &self.keys);
        self.of_keys(&keys, batch.rows, groups)
    }

    /// The same for rows whose keys are at hand.
    pub fn of_keys(&mut self, keys: &[ArrayRef], rows: usize, groups: &mut Vec<usize>) -> Result<()> {
        match &mut self.values {
            None => {
                groups.clear();
                groups.resize(rows, 0);
                self.count = self.count.max(usize::from(rows > 0));
            }
            Some(values) => {
                values.intern(keys, groups)?;
                self.numbers.resize(values.len(), UNSEEN);
                for group in groups.iter_mut() {
                    let number = &mut self.numbers[*group];
                    if *number == UNSEEN {
                        *number = self.count;
                        self.count += 1;
                    }
                    *group = *number;
                }
                debug_assert_eq!(self.count, values.len());
            }
        }
        Ok(())
    }

    /// The group of each row of a batch that has the same keys in other columns.
    pub fn of_other(&mut self, batch: &Batch, keys: &[KeyColumn], groups: &mut Vec<usize>) -> Result<()> {
        let own = std::mem::replace(&mut self.keys, keys.to_vec());
        let result = self.of(batch, groups);
        self.keys = own;
        result
    }

    /// Forgets all groups and begins with that of a row, which has the same keys in other columns.
    pub fn begin_with(&mut self, row: &Batch, keys: &[KeyColumn]) -> Result<()> {
        *self = Groups::new(&self.keys)?;
        self.of_other(row, keys, &mut Vec::new())
    }

    /// The rows that begin a group, given the groups of the last batch's rows and how many there were before it.
    pub fn beginning(&self, groups: &[usize], before: usize) -> UInt32Array {
        let mut known = before;
        let begins = groups.iter().enumerate().filter(|(_, group)| {
            let new = **group == known;
            known += usize::from(new);
            new
        });
        let begins = UInt32Array::from_iter_values(begins.map(|(row, _)| row as u32));
        debug_assert_eq!(before + begins.len(), self.count);
        begins
    }

    /// Bytes, about.
    pub fn memory(&self) -> usize {
        self.values.as_ref().map_or(0, |values| values.size()) + self.numbers.capacity() * size_of::<usize>()
    }
}

/// Rows of which one key is NULL.
pub fn null_rows(keys: &[ArrayRef]) -> Option<arrow_buffer::NullBuffer> {
    keys.iter().fold(None, |nulls, key| arrow_buffer::NullBuffer::union(nulls.as_ref(), key.nulls()))
}

#[cfg(test)]
mod tests {
    use arrow_array::Int32Array;

    use super::*;

    fn batch(rows: &[[Option<i32>; 3]]) -> Batch {
        let column = |at: usize| Arc::new(Int32Array::from_iter(rows.iter().map(|row| row[at]))) as ArrayRef;
        Batch::new((0..3).map(column).collect(), rows.len())
    }

    /// NULL leaves a row's hash as it is, so that the first two rows have the same one, and DataFusion sees to the second
    /// after all others.
    #[test]
    fn groups_are_numbered_as_they_come_up() {
        let key = |column| KeyColumn { column, repr: Repr::Int4, options: SortOptions::default() };
        let mut groups = Groups::new(&[key(0), key(1), key(2)]).unwrap();
        let mut of_rows = Vec::new();
        let first = batch(&[[Some(1), None, Some(2)], [Some(1), Some(2), None], [Some(2); 3]]);
        groups.of(&first, &mut of_rows).unwrap();
        assert_eq!((&of_rows[..], groups.count), (&[0, 1, 2][..], 3));
        assert_eq!(groups.beginning(&of_rows, 0).values()[..], [0, 1, 2]);
        let second = batch(&[[Some(2); 3], [Some(3), None, Some(4)], [Some(3), Some(4), None], [Some(7); 3]]);
        groups.of(&second, &mut of_rows).unwrap();
        assert_eq!((&of_rows[..], groups.count), (&[2, 3, 4, 5][..], 6));
        assert_eq!(groups.beginning(&of_rows, 3).values()[..], [1, 2, 3]);
    }
}
