//! Sets of rows. Those of small batches need no memory.

use arrow_array::{Array, BooleanArray};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer};
use smallvec::SmallVec;
use types::Argument;

/// Some of a batch's rows: a bit for each.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Mask {
    words: SmallVec<[u64; 2]>,
    rows: usize,
}

impl Mask {
    pub fn none(rows: usize) -> Mask {
        Mask { words: SmallVec::from_elem(0, rows.div_ceil(64)), rows }
    }

    pub fn all(rows: usize) -> Mask {
        let mut mask = Mask { words: SmallVec::from_elem(u64::MAX, rows.div_ceil(64)), rows };
        if !rows.is_multiple_of(64) {
            mask.words[rows / 64] = (1 << (rows % 64)) - 1;
        }
        mask
    }

    fn uniform(rows: usize, value: bool) -> Mask {
        if value { Mask::all(rows) } else { Mask::none(rows) }
    }

    fn of(bits: &BooleanBuffer) -> Mask {
        // Without what is padded behind the last bits.
        let words = bits.bit_chunks().iter_padded().take(bits.len().div_ceil(64)).collect();
        Mask { words, rows: bits.len() }
    }

    /// The rows that have no value.
    pub fn nulls(argument: &Argument, rows: usize) -> Mask {
        if argument.is_constant() {
            return Mask::uniform(rows, argument.array().is_null(0));
        }
        match argument.array().nulls().filter(|nulls| nulls.null_count() > 0) {
            None => Mask::none(rows),
            Some(nulls) => Mask::of(nulls.inner()).complement(),
        }
    }

    /// The rows whose value is true.
    pub fn trues(argument: &Argument, rows: usize) -> Mask {
        let values = booleans(argument);
        if argument.is_constant() {
            return Mask::uniform(rows, values.is_valid(0) && values.value(0));
        }
        let trues = Mask::of(values.values());
        match values.nulls().filter(|nulls| nulls.null_count() > 0) {
            None => trues,
            Some(nulls) => trues.and(&Mask::of(nulls.inner())),
        }
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&word| word == 0)
    }

    pub fn is_full(&self) -> bool {
        self.count() == self.rows
    }

    pub fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    fn with(&self, other: &Mask, of: impl Fn(u64, u64) -> u64) -> Mask {
        debug_assert_eq!(self.rows, other.rows);
        let words = self.words.iter().zip(&other.words).map(|(&a, &b)| of(a, b)).collect();
        Mask { words, rows: self.rows }
    }

    pub fn and(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a & b)
    }

    pub fn or(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a | b)
    }

    pub fn without(&self, other: &Mask) -> Mask {
        self.with(other, |a, b| a & !b)
    }

    pub fn complement(&self) -> Mask {
        Mask::all(self.rows).without(self)
    }

    /// The rows in it, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            let mut word = word;
            std::iter::from_fn(move || {
                (word != 0).then(|| {
                    let bit = word.trailing_zeros() as usize;
                    word &= word - 1;
                    index * 64 + bit
                })
            })
        })
    }

    /// `part` says of each row in this set, by its position among them, whether it is in the result.
    pub fn pick(&self, part: &Mask) -> Mask {
        let mut picked = Mask::none(self.rows);
        let mut rows = part.iter().peekable();
        for (position, row) in self.iter().enumerate() {
            if rows.next_if_eq(&position).is_some() {
                picked.insert(row);
            }
        }
        picked
    }

    pub fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    fn buffer(&self) -> BooleanBuffer {
        BooleanBuffer::new(Buffer::from_slice_ref(&self.words), 0, self.rows)
    }

    /// True for the rows in it.
    pub fn to_booleans(&self) -> BooleanArray {
        BooleanArray::new(self.buffer(), None)
    }

    /// True for the rows in it, NULL for those in `nulls`.
    pub fn to_booleans_with(&self, nulls: &Mask) -> BooleanArray {
        let nulls = (!nulls.is_empty()).then(|| NullBuffer::new(nulls.complement().buffer()));
        BooleanArray::new(self.buffer(), nulls)
    }
}

/// A column of type `boolean`. Panics for another one, which is a bug of the caller.
pub(crate) fn booleans(argument: &Argument) -> &BooleanArray {
    argument.of::<types::sql::boolean>()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn sets_are_sets() {
        for rows in [0, 1, 20, 63, 64, 65, 128, 200] {
            let all = Mask::all(rows);
            assert!(all.is_full() && all.count() == rows && all.complement().is_empty());
            let values: Vec<Option<bool>> = (0..rows).map(|row| [Some(true), Some(false), None][row % 3]).collect();
            let array = BooleanArray::from(values.clone());
            // Bits that do not begin where a byte does.
            for from in [0, 1, 13].into_iter().filter(|from| *from <= rows) {
                let argument = Argument::column(Arc::new(array.slice(from, rows - from)));
                let (trues, nulls) = (Mask::trues(&argument, rows - from), Mask::nulls(&argument, rows - from));
                let expected = |wanted| (from..rows).filter(move |row| row % 3 == wanted).map(move |row| row - from);
                assert!(trues.iter().eq(expected(0)) && nulls.iter().eq(expected(2)));
                assert_eq!(trues.to_booleans_with(&nulls), array.slice(from, rows - from));
                let both = trues.or(&nulls);
                assert_eq!(both.count(), both.iter().count());
                let part = both.pick(&Mask::trues(
                    &Argument::column(Arc::new(BooleanArray::from_iter(both.iter().map(|row| Some(row % 2 == 0))))),
                    both.count(),
                ));
                assert!(part.iter().eq(both.iter().filter(|row| row % 2 == 0)));
            }
        }
    }
}
