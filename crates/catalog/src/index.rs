//! Finds rows by a key.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::FixedState;

/// The rows that have each key: chains of row numbers.
pub struct Index<K> {
    first: HashMap<K, u32, FixedState>,
    /// For each row, the next one that has its key, or [`END`].
    next: Vec<u32>,
}

const END: u32 = u32::MAX;

impl<K: Hash + Eq> Index<K> {
    pub fn new<R>(rows: &'static [R], key: impl Fn(&'static R) -> K) -> Index<K> {
        let mut first = HashMap::with_capacity_and_hasher(rows.len(), FixedState::default());
        let mut next = vec![END; rows.len()];
        // From the end, so that a chain has the rows in their order.
        for (number, row) in rows.iter().enumerate().rev() {
            if let Some(later) = first.insert(key(row), number as u32) {
                next[number] = later;
            }
        }
        Index { first, next }
    }

    /// The numbers of the rows that have a key.
    pub fn get<'a, Q>(&'a self, key: &Q) -> impl Iterator<Item = usize> + use<'a, K, Q>
    where
        K: std::borrow::Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let mut at = self.first.get(key).copied().unwrap_or(END);
        std::iter::from_fn(move || {
            let row = at;
            (row != END).then(|| {
                at = self.next[row as usize];
                row as usize
            })
        })
    }
}
