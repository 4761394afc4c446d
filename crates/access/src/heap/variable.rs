//! Values of variable length, row after row.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;

use crate::toast::stored::is_extended;

/// A column of texts or bytes: what type it has is looked at once, not for every value.
pub(crate) struct VariableColumn<'a> {
    /// Where each value begins, and the last one ends.
    ends: &'a [i32],
    bytes: &'a [u8],
    nulls: Option<&'a NullBuffer>,
}

impl<'a> VariableColumn<'a> {
    pub(crate) fn new(array: &'a dyn Array) -> VariableColumn<'a> {
        let nulls = array.nulls().filter(|nulls| nulls.null_count() > 0);
        match array.data_type() {
            DataType::Utf8 => {
                let array = array.as_string::<i32>();
                VariableColumn { ends: array.value_offsets(), bytes: array.value_data(), nulls }
            }
            DataType::Binary => {
                let array = array.as_binary::<i32>();
                VariableColumn { ends: array.value_offsets(), bytes: array.value_data(), nulls }
            }
            other => unreachable!("the shape gives {other} a width"),
        }
    }

    #[inline]
    fn place(&self, row: usize) -> std::ops::Range<usize> {
        self.ends[row] as usize..self.ends[row + 1] as usize
    }

    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        if self.nulls.is_some_and(|nulls| nulls.is_null(row)) {
            return None;
        }
        Some(&self.bytes[self.place(row)])
    }

    /// Bytes of a value; NULL has none.
    #[inline]
    pub(crate) fn len(&self, row: usize) -> usize {
        self.get(row).map_or(0, <[u8]>::len)
    }

    /// Adds to each row's end how many bytes end with it, the values one behind the other. The first one is that of no row.
    pub(crate) fn add_ends(&self, ends: &mut [usize]) {
        if self.nulls.is_none() {
            let first = self.ends[0];
            ends.iter_mut().zip(self.ends).for_each(|(end, of_column)| *end += (of_column - first) as usize);
            return;
        }
        let mut sum = 0;
        for (row, end) in ends.iter_mut().skip(1).enumerate() {
            sum += self.len(row);
            *end += sum;
        }
    }

    /// Lies a value otherwise than as it is?
    pub(crate) fn has_extended(&self) -> bool {
        (0..self.ends.len() - 1).any(|row| self.get(row).is_some_and(is_extended))
    }

    /// The bytes of several rows' values, one behind the other, if there is no NULL in the column.
    pub(crate) fn side_by_side(&self, rows: std::ops::Range<usize>) -> Option<&'a [u8]> {
        match self.nulls {
            None => Some(&self.bytes[self.ends[rows.start] as usize..self.ends[rows.end] as usize]),
            Some(_) => None,
        }
    }
}
