//! A subquery's rows in a hash table: `x IN (SELECT …)` without looking at each row each time (`ExecHashSubPlan`).

use std::collections::HashSet;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int16Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use foldhash::fast::RandomState;
use types::{Datum, Repr, Result, key};

use super::sub_plan::in_repr;

/// What a pair of columns is compared by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Compared {
    /// Values of one type, which are represented so.
    Alike(Repr),
    /// Integers of any width.
    Integers,
    /// Floating-point numbers of any width.
    Floats,
}

impl Compared {
    fn keys(self, column: &ArrayRef) -> Result<ArrayRef> {
        Ok(match (self, column.data_type()) {
            (Compared::Alike(repr), _) => key::key(repr, &in_repr(column, repr)?),
            (Compared::Integers, DataType::Int16) => {
                Arc::new(column.as_primitive::<Int16Type>().unary::<_, Int64Type>(i64::from))
            }
            (Compared::Integers, DataType::Int32) => {
                Arc::new(column.as_primitive::<Int32Type>().unary::<_, Int64Type>(i64::from))
            }
            (Compared::Integers, _) => column.clone(),
            (Compared::Floats, DataType::Float32) => {
                let wide = column.as_primitive::<Float32Type>().unary::<_, Float64Type>(f64::from);
                key::key(Repr::Float8, &(Arc::new(wide) as ArrayRef))
            }
            (Compared::Floats, _) => key::key(Repr::Float8, column),
        })
    }
}

/// The values of a row's columns where they are compared; NULL is one of them.
type Key = Box<[Datum]>;

#[derive(Debug, Default)]
pub(crate) struct HashedRows {
    whole: HashSet<Key, RandomState>,
    /// Those that have a NULL.
    partial: HashSet<Key, RandomState>,
}

impl HashedRows {
    /// Adds rows; gives the bytes that this takes.
    pub fn add(&mut self, compared: &[Compared], columns: &[ArrayRef], rows: usize) -> Result<usize> {
        let keys = keys(compared, columns)?;
        let mut bytes = 0;
        for row in 0..rows {
            let key = key_of(&keys, row);
            let size = 16 + key.iter().map(super::memo::size).sum::<usize>();
            let set = if key.iter().any(Datum::is_null) { &mut self.partial } else { &mut self.whole };
            if set.insert(key) {
                bytes += size;
            }
        }
        Ok(bytes)
    }

    pub fn is_empty(&self) -> bool {
        self.whole.is_empty() && self.partial.is_empty()
    }

    /// Whether a row is among them; `None`: that is not known, because of NULLs.
    pub fn contains(&self, key: &Key) -> Option<bool> {
        if self.is_empty() {
            return Some(false);
        }
        let may_be = |rows: &HashSet<Key, RandomState>| rows.iter().any(|row| matches(row, key));
        match key.iter().any(Datum::is_null) {
            false if self.whole.contains(key) => Some(true),
            false => (!may_be(&self.partial)).then_some(false),
            // With nothing known, any row may be it.
            true if key.iter().all(Datum::is_null) => None,
            true => (!may_be(&self.whole) && !may_be(&self.partial)).then_some(false),
        }
    }
}

/// Whether two rows may be equal: NULL may be anything.
fn matches(a: &Key, b: &Key) -> bool {
    a.iter().zip(b.iter()).all(|(a, b)| a.is_null() || b.is_null() || a == b)
}

/// Columns of what stands for values where they are compared.
pub(crate) fn keys(compared: &[Compared], columns: &[ArrayRef]) -> Result<Vec<ArrayRef>> {
    compared.iter().zip(columns).map(|(compared, column)| compared.keys(column)).collect()
}

pub(crate) fn key_of(keys: &[ArrayRef], row: usize) -> Key {
    keys.iter().map(|column| Datum::of(column, row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nulls_may_be_anything() {
        let key = |values: &[Option<i32>]| -> Key {
            values.iter().map(|value| value.map_or(Datum::Null, Datum::I32)).collect()
        };
        let mut rows = HashedRows::default();
        assert_eq!(rows.contains(&key(&[None, None])), Some(false));
        rows.whole.insert(key(&[Some(1), Some(2)]));
        assert_eq!(rows.contains(&key(&[Some(1), Some(2)])), Some(true));
        assert_eq!(rows.contains(&key(&[Some(1), Some(3)])), Some(false));
        assert_eq!(rows.contains(&key(&[Some(1), None])), None);
        assert_eq!(rows.contains(&key(&[Some(2), None])), Some(false));
        rows.partial.insert(key(&[Some(4), None]));
        assert_eq!(rows.contains(&key(&[Some(4), Some(9)])), None);
        assert_eq!(rows.contains(&key(&[Some(5), Some(9)])), Some(false));
        assert_eq!(rows.contains(&key(&[Some(1), Some(2)])), Some(true));
        assert_eq!(rows.contains(&key(&[None, None])), None);
    }
}
