//! The keys of the rows that VACUUM has looked at: an index's entries that lead to one of them are right, and need no look at the
//! row's page.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use access::btree::key::{key_of, tid_of};
use access::page::HeapPage;
use access::vacuum::{Leads, RowsSeen};
use access::{PageRow, TableShape};
use storage::BlockNumber;

use crate::index::Index;
use crate::index_keys::IndexKeys;

/// There is no row, or it is not in the index.
const NONE: u64 = 0;
/// Its key cannot be told from its page alone.
const UNKNOWN: u64 = 1;

/// Hashes of keys, by 64 bits that nobody can foresee: two keys with one are not to be expected.
pub struct SeenKeys {
    /// In order, with the place of their first rows among the hashes.
    blocks: Vec<(BlockNumber, u32)>,
    rows: u32,
    indexes: Vec<(Arc<IndexKeys>, Vec<u64>)>,
    hasher: RandomState,
    key: Vec<u8>,
}

impl SeenKeys {
    pub fn new(indexes: &[Index]) -> SeenKeys {
        let indexes = indexes.iter().map(|index| (index.keys.clone(), Vec::new())).collect();
        SeenKeys { blocks: Vec::new(), rows: 0, indexes, hasher: RandomState::new(), key: Vec::new() }
    }

    /// Bytes that they take.
    pub fn bytes(&self) -> usize {
        self.blocks.len() * size_of::<(BlockNumber, u32)>() + self.rows as usize * self.indexes.len() * size_of::<u64>()
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.rows = 0;
        self.indexes.iter_mut().for_each(|(_, hashes)| hashes.clear());
    }

    /// What an index by its position knows of its entries.
    pub fn of_index(&self, index: usize) -> impl Fn(&[u8]) -> Leads + Sync + '_ {
        let hashes = &self.indexes[index].1;
        move |entry| {
            let tid = tid_of(entry);
            let Ok(at) = self.blocks.binary_search_by_key(&tid.block, |(block, _)| *block) else {
                return Leads::Unknown;
            };
            let (from, row) = (self.blocks[at].1, u32::from(tid.row));
            let end = self.blocks.get(at + 1).map_or(self.rows, |(_, next)| *next);
            match hashes[from as usize..end as usize].get(row as usize) {
                Some(&UNKNOWN) => Leads::Unknown,
                Some(&hash) if hash != NONE && hash == hash_of(&self.hasher, key_of(entry)) => Leads::ToItsRow,
                _ => Leads::Nowhere,
            }
        }
    }
}

fn hash_of(hasher: &RandomState, key: &[u8]) -> u64 {
    hasher.hash_one(key).max(UNKNOWN + 1)
}

impl RowsSeen for SeenKeys {
    fn page(&mut self, block: BlockNumber, page: &HeapPage<'_>, shape: &TableShape) {
        if !page.stands_alone() || page.is_continuation() || self.blocks.last().is_some_and(|(last, _)| *last >= block)
        {
            return;
        }
        self.blocks.push((block, self.rows));
        self.rows += page.rows as u32;
        for (keys, hashes) in &mut self.indexes {
            for row in 0..page.rows {
                let row = page.live_row(shape, row);
                hashes.push(row.map_or(NONE, |row| key_hash(keys, row, &mut self.key, &self.hasher)));
            }
        }
    }
}

fn key_hash(keys: &IndexKeys, row: PageRow<'_>, key: &mut Vec<u8>, hasher: &RandomState) -> u64 {
    if keys.variable.iter().any(|&column| row.is_extended(column)) {
        return UNKNOWN;
    }
    // Whatever reads the row is told that it makes no sense.
    let bad = Cell::new(false);
    let value = |column| {
        row.value(column).unwrap_or_else(|_| {
            bad.set(true);
            None
        })
    };
    match keys.of_row(key, value) {
        Ok(Some(_)) if !bad.get() => hash_of(hasher, key),
        Ok(None) if !bad.get() => NONE,
        _ => UNKNOWN,
    }
}
