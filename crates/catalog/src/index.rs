//! Finds rows by a key.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash};

use foldhash::fast::FixedState;

/// The numbers of the rows that may have a key: those whose keys have its hash.
#[derive(Clone, Debug, Default)]
pub struct Index {
    first: HashMap<u64, u32, FixedState>,
    /// For each row, the next one whose key has the same hash, or [`END`].
    next: Vec<u32>,
}

const END: u32 = u32::MAX;

/// The least and the greatest name wanted.
pub type NameRange<'n> = (Option<&'n str>, Option<&'n str>);

pub fn hash<K: Hash>(key: &K) -> u64 {
    FixedState::default().hash_one(key)
}

impl Index {
    /// `key` gives the key of a row, or what it is hashed as.
    pub fn new<'a, R: 'a, K: Hash>(rows: &'a [R], key: impl Fn(&'a R) -> K) -> Index {
        let mut first = HashMap::with_capacity_and_hasher(rows.len(), FixedState::default());
        let mut next = vec![END; rows.len()];
        // From the end, so that a chain has the rows in their order.
        for (number, row) in rows.iter().enumerate().rev() {
            if let Some(later) = first.insert(hash(&key(row)), number as u32) {
                next[number] = later;
            }
        }
        Index { first, next }
    }

    pub fn get(&self, hash: u64) -> impl Iterator<Item = usize> + use<'_> {
        let mut at = self.first.get(&hash).copied().unwrap_or(END);
        std::iter::from_fn(move || {
            let row = at;
            (row != END).then(|| {
                at = self.next[row as usize];
                row as usize
            })
        })
    }
}

/// The numbers of the rows that have a name, or one in a range.
#[derive(Clone, Debug, Default)]
pub struct NameIndex {
    by_hash: Index,
    /// All rows, in the order of their names.
    order: Vec<u32>,
}

impl NameIndex {
    pub fn new<R>(rows: &[R], name: impl Fn(&R) -> &str) -> NameIndex {
        let mut order: Vec<u32> = (0..rows.len() as u32).collect();
        order.sort_by_key(|row| name(&rows[*row as usize]));
        NameIndex { by_hash: Index::new(rows, name), order }
    }

    /// The rows whose name has a hash.
    pub fn get(&self, hash: u64) -> impl Iterator<Item = usize> + use<'_> {
        self.by_hash.get(hash)
    }

    /// The rows whose names are in a range, its ends included, in their order.
    pub fn between<R>(&self, rows: &[R], name: impl Fn(&R) -> &str, (from, to): NameRange<'_>) -> Vec<usize> {
        let first = from.map_or(0, |from| self.order.partition_point(|row| name(&rows[*row as usize]) < from));
        let end = to.map_or(rows.len(), |to| self.order.partition_point(|row| name(&rows[*row as usize]) <= to));
        self.order[first..end.max(first)].iter().map(|row| *row as usize).collect()
    }
}
