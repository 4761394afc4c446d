//! A set of rows of one page: which rows a version belongs to, and which an undo record is about.
//!
//! A statement changes rows here and there on a page. One entry and one undo record say so for all of them, with a bit a
//! row; an entry and a record for each would not find room on a full page.
//!
//! Stored, a set is the number of a row and the bits from there on, in whole bytes: the number is a multiple of 8, so that
//! the bytes are the set's own.

use crate::page::MAX_ROWS;

const WORDS: usize = MAX_ROWS.div_ceil(64);

/// Rows of a page, by their numbers, which are below [`MAX_ROWS`].
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct RowSet {
    words: [u64; WORDS],
}

/// A word's bits from `from` (included) to `to`.
fn mask(from: usize, to: usize) -> u64 {
    let below = |end: usize| if end >= 64 { u64::MAX } else { (1 << end) - 1 };
    below(to) & !below(from)
}

impl RowSet {
    pub const EMPTY: RowSet = RowSet { words: [0; WORDS] };

    /// A single row.
    pub fn of(row: usize) -> RowSet {
        RowSet::range(row..row + 1)
    }

    pub fn range(rows: std::ops::Range<usize>) -> RowSet {
        let mut set = RowSet::EMPTY;
        set.insert_range(rows);
        set
    }

    /// The set with these stored bits.
    pub fn from_bits(base: usize, bits: &[u8]) -> RowSet {
        let mut set = RowSet::EMPTY;
        for (at, byte) in (base / 8..WORDS * 8).zip(bits) {
            set.words[at / 8] |= u64::from(*byte) << (at % 8 * 8);
        }
        set
    }

    pub fn insert(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    /// The words that a range of rows touches, each with the range's bits.
    fn words_of(rows: std::ops::Range<usize>) -> impl Iterator<Item = (usize, u64)> {
        debug_assert!(rows.end <= WORDS * 64);
        let words = rows.start / 64..rows.end.div_ceil(64);
        words.map(move |word| {
            let first = word * 64;
            (word, mask(rows.start.saturating_sub(first), rows.end - first))
        })
    }

    pub fn insert_range(&mut self, rows: std::ops::Range<usize>) {
        RowSet::words_of(rows).for_each(|(word, bits)| self.words[word] |= bits);
    }

    pub fn remove_range(&mut self, rows: std::ops::Range<usize>) {
        RowSet::words_of(rows).for_each(|(word, bits)| self.words[word] &= !bits);
    }

    pub fn union(&mut self, other: &RowSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word |= other);
    }

    pub fn intersect(&mut self, other: &RowSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= other);
    }

    /// The rows from `64 * word` on, as bits.
    pub fn word(&self, word: usize) -> u64 {
        self.words[word]
    }

    /// Of the rows from `64 * word` on only those stay whose bits are set.
    pub fn intersect_word(&mut self, word: usize, bits: u64) {
        self.words[word] &= bits;
    }

    pub fn subtract(&mut self, other: &RowSet) {
        self.words.iter_mut().zip(&other.words).for_each(|(word, other)| *word &= !other);
    }

    #[inline]
    pub fn contains(&self, row: usize) -> bool {
        self.words.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 != 0)
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }

    /// The first row from this one on that is in the set.
    pub fn first_from(&self, row: usize) -> Option<usize> {
        let mut bits = *self.words.get(row / 64)? & !mask(0, row % 64);
        for word in row / 64..WORDS {
            if word > row / 64 {
                bits = self.words[word];
            }
            if bits != 0 {
                return Some(word * 64 + bits.trailing_zeros() as usize);
            }
        }
        None
    }

    pub fn first(&self) -> Option<usize> {
        self.first_from(0)
    }

    /// Behind the last one.
    pub fn end(&self) -> usize {
        let last = self.words.iter().rposition(|word| *word != 0);
        last.map_or(0, |word| (word + 1) * 64 - self.words[word].leading_zeros() as usize)
    }

    /// The rows in between are all in the set: where the run ends that begins with this row.
    fn run_end(&self, row: usize) -> usize {
        for word in row / 64..WORDS {
            let from = if word == row / 64 { row % 64 } else { 0 };
            let clear = !self.words[word] & !mask(0, from);
            if clear != 0 {
                return word * 64 + clear.trailing_zeros() as usize;
            }
        }
        WORDS * 64
    }

    /// In ascending order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(word, bits)| {
            let mut bits = *bits;
            std::iter::from_fn(move || {
                let row = (bits != 0).then(|| word * 64 + bits.trailing_zeros() as usize)?;
                bits &= bits - 1;
                Some(row)
            })
        })
    }

    /// Rows side by side, as long as they go, in ascending order.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<usize>> + '_ {
        let mut from = 0;
        std::iter::from_fn(move || {
            let start = self.first_from(from)?;
            from = self.run_end(start);
            Some(start..from)
        })
    }

    /// How many are before this row.
    pub fn rank(&self, row: usize) -> usize {
        let (whole, rest) = self.words.split_at(row / 64);
        let below = rest.first().map_or(0, |word| word & mask(0, row % 64));
        whole.iter().chain([&below]).map(|word| word.count_ones() as usize).sum()
    }

    /// How many runs there are.
    pub fn count_runs(&self) -> usize {
        let mut before = 0;
        let begins = self.words.iter().map(|word| {
            let begins = word & !(word << 1 | before);
            before = word >> 63;
            begins.count_ones() as usize
        });
        begins.sum()
    }

    /// The row that the stored bits begin with.
    pub fn base(&self) -> usize {
        self.first().map_or(0, |row| row & !7)
    }

    /// The stored bits.
    pub fn bits(&self) -> impl Iterator<Item = u8> + '_ {
        (self.base() / 8..self.end().div_ceil(8)).map(|at| (self.words[at / 8] >> (at % 8 * 8)) as u8)
    }
}

impl FromIterator<usize> for RowSet {
    fn from_iter<I: IntoIterator<Item = usize>>(rows: I) -> RowSet {
        let mut set = RowSet::EMPTY;
        rows.into_iter().for_each(|row| set.insert(row));
        set
    }
}

impl std::fmt::Debug for RowSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.runs()).finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[derive(Clone, Debug)]
    enum Step {
        Insert(usize),
        InsertRange(usize, usize),
        RemoveRange(usize, usize),
        Union(Vec<usize>),
        Subtract(Vec<usize>),
        Intersect(usize, usize),
        IntersectWord(usize, u64),
    }

    fn step() -> impl Strategy<Value = Step> {
        let rows = || proptest::collection::vec(0..MAX_ROWS, 0..40);
        let range = || (0..MAX_ROWS, 0usize..200).prop_map(|(from, len)| (from, (from + len).min(MAX_ROWS)));
        prop_oneof![
            (0..MAX_ROWS).prop_map(Step::Insert),
            range().prop_map(|(from, to)| Step::InsertRange(from, to)),
            range().prop_map(|(from, to)| Step::RemoveRange(from, to)),
            rows().prop_map(Step::Union),
            rows().prop_map(Step::Subtract),
            range().prop_map(|(from, to)| Step::Intersect(from, to)),
            (0..WORDS, any::<u64>()).prop_map(|(word, bits)| Step::IntersectWord(word, bits)),
        ]
    }

    proptest! {
        #[test]
        fn a_set_of_rows_is_a_set(steps in proptest::collection::vec(step(), 1..30), from in 0..MAX_ROWS) {
            let (mut set, mut model) = (RowSet::EMPTY, BTreeSet::new());
            for step in steps {
                match step {
                    Step::Insert(row) => {
                        set.insert(row);
                        model.insert(row);
                    }
                    Step::InsertRange(from, to) => {
                        set.insert_range(from..to);
                        model.extend(from..to);
                    }
                    Step::RemoveRange(from, to) => {
                        set.remove_range(from..to);
                        model.retain(|row| !(from..to).contains(row));
                    }
                    Step::Union(rows) => {
                        set.union(&rows.iter().copied().collect());
                        model.extend(rows);
                    }
                    Step::Subtract(rows) => {
                        set.subtract(&rows.iter().copied().collect());
                        model.retain(|row| !rows.contains(row));
                    }
                    Step::Intersect(from, to) => {
                        set.intersect(&RowSet::range(from..to));
                        model.retain(|row| (from..to).contains(row));
                    }
                    Step::IntersectWord(word, bits) => {
                        set.intersect_word(word, bits);
                        model.retain(|row| row / 64 != word || bits >> (row % 64) & 1 != 0);
                        prop_assert_eq!(set.word(word).count_ones() as usize, model.range(word * 64..(word + 1) * 64).count());
                    }
                }
                prop_assert!(set.iter().eq(model.iter().copied()));
                prop_assert!(set.runs().flatten().eq(model.iter().copied()));
                prop_assert_eq!(set.len(), model.len());
                prop_assert_eq!(set.count_runs(), set.runs().count());
                prop_assert_eq!(set.is_empty(), model.is_empty());
                prop_assert_eq!(set.first(), model.first().copied());
                prop_assert_eq!(set.first_from(from), model.range(from..).next().copied());
                prop_assert_eq!(set.end(), model.last().map_or(0, |row| row + 1));
                prop_assert_eq!(set.contains(from), model.contains(&from));
                prop_assert_eq!(set.rank(from), model.range(..from).count());
                let stored: Vec<u8> = set.bits().collect();
                prop_assert_eq!(RowSet::from_bits(set.base(), &stored), set);
                let ends: Vec<usize> = set.runs().map(|run| run.end).collect();
                prop_assert!(ends.iter().all(|end| !set.contains(*end)), "runs are as long as they go");
            }
        }
    }
}
