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
