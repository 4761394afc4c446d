//! What VACUUM remembers of the rows that it has looked at: which entries of the indexes lead to one of them, and need no look at
//! the row's page.
//!
//! How much it takes depends on how stale entries into a block may be ([`Staleness`]): nothing where there are none, the slots
//! without a row where no row's key has changed, and elsewhere the key of each row in each index.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use access::index::key::{tid_of, tuple_of};
use access::page::HeapPage;
use access::vacuum::{Leads, RowsSeen};
use access::{PageRow, TableShape};
use storage::{BlockNumber, Staleness};

use crate::index::Index;
use crate::index::keys::IndexKeys;

/// There is no row, or it is not in the index.
const NONE: u64 = 0;
/// Its key cannot be told from its page alone.
const UNKNOWN: u64 = 1;

/// Blocks into which stale entries may lead. Of keys there are hashes, by 64 bits that no client can foresee: two keys with one
/// are not to be expected.
pub struct SeenKeys {
    /// In order.
    blocks: Vec<(BlockNumber, Seen)>,
    /// Slots without a row, those of a block in order.
    free: Vec<u16>,
    indexes: Vec<(Arc<IndexKeys>, Vec<u64>)>,
    hasher: RandomState,
    key: Vec<u8>,
    /// Entries that lead there or behind may lead to nothing.
    end: BlockNumber,
    /// Bytes that all of it may take, and whether it does.
    limit: usize,
    full: Arc<AtomicBool>,
}

/// What is known of a block's rows.
#[derive(Clone, Copy)]
enum Seen {
    /// They have the keys that entries say, but for those that are not there: the free slots from this one on, and all from `rows`.
    SameKeys { free: u32, count: u16, rows: u16 },
    /// The hashes of their keys, from this one on.
    Keys { first: u32, rows: u16 },
    /// Each of them is to be looked at.
    Unknown,
}

impl SeenKeys {
    /// Of a table's rows, which end at this block. It is full when it takes more than `limit` bytes.
    pub fn new(indexes: &[Index], end: BlockNumber, limit: usize) -> SeenKeys {
        SeenKeys {
            blocks: vec![],
            free: vec![],
            indexes: indexes.iter().map(|index| (index.keys.clone(), Vec::new())).collect(),
            hasher: RandomState::new(),
            key: vec![],
            end,
            limit,
            full: Arc::default(),
        }
    }

    /// Does no stale entry lead to the rows that it has looked at?
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Is it full? For the scan that finds the blocks to be looked at.
    pub fn full(&self) -> Arc<AtomicBool> {
        self.full.clone()
    }

    /// Does it take as much as it may, or are there about as many rows as can be counted?
    fn are_enough(&self) -> bool {
        // As many in each index.
        let keys = self.indexes.first().map_or(0, |(_, hashes)| hashes.len());
        let used = self.blocks.len() * size_of::<(BlockNumber, Seen)>()
            + self.free.len() * size_of::<u16>()
            + keys * self.indexes.len() * size_of::<u64>();
        used > self.limit || keys.max(self.free.len()) > u32::MAX as usize / 2
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.free.clear();
        self.indexes.iter_mut().for_each(|(_, hashes)| hashes.clear());
        self.full.store(false, Ordering::Release);
    }

    /// What an index by its position knows of its entries.
    pub fn of_index(&self, index: usize) -> impl Fn(&[u8]) -> Leads + Sync + '_ {
        let hashes = &self.indexes[index].1;
        move |entry| {
            let tid = tid_of(entry);
            let Some(at) = self.position(tid.block) else {
                return if tid.block >= self.end { Leads::Unknown } else { Leads::ToItsRow };
            };
            match self.blocks[at].1 {
                Seen::Unknown => Leads::Unknown,
                Seen::SameKeys { free, count, rows } => {
                    let free = &self.free[free as usize..][..usize::from(count)];
                    let is_there = tid.row < rows && free.binary_search(&tid.row).is_err();
                    if is_there { Leads::ToItsRow } else { Leads::Nowhere }
                }
                Seen::Keys { first, rows } => {
                    match hashes[first as usize..][..usize::from(rows)].get(usize::from(tid.row)) {
                        Some(&UNKNOWN) => Leads::Unknown,
                        Some(&hash) if hash != NONE && hash == hash_of(&self.hasher, tuple_of(entry)) => {
                            Leads::ToItsRow
                        }
                        _ => Leads::Nowhere,
                    }
                }
            }
        }
    }

    /// Where a block is among those that are remembered. As a rule they lie side by side: then there is nothing to search.
    fn position(&self, block: BlockNumber) -> Option<usize> {
        let first = self.blocks.first()?.0;
        let most = (block.checked_sub(first)? as usize).min(self.blocks.len() - 1);
        if self.blocks[most].0 == block {
            return Some(most);
        }
        self.blocks[..most].binary_search_by_key(&block, |(block, _)| *block).ok()
    }

    fn push(&mut self, block: BlockNumber, seen: Seen) {
        assert!(self.blocks.last().is_none_or(|(last, _)| *last < block), "blocks come in order");
        self.blocks.push((block, seen));
        if self.are_enough() {
            self.full.store(true, Ordering::Release);
        }
    }

    fn note_keys(&mut self, page: &HeapPage<'_>, shape: &TableShape) -> Seen {
        let first = self.indexes.first().map_or(0, |(_, hashes)| hashes.len() as u32);
        for (keys, hashes) in &mut self.indexes {
            for row in 0..page.rows {
                let row = page.live_row(shape, row);
                hashes.push(row.map_or(NONE, |row| key_hash(keys, row, &mut self.key, &self.hasher)));
            }
        }
        Seen::Keys { first, rows: page.rows as u16 }
    }

    fn note_free(&mut self, page: &HeapPage<'_>) -> Seen {
        let free = self.free.len() as u32;
        self.free.extend((0..page.rows).filter(|row| page.is_free(*row)).map(|row| row as u16));
        Seen::SameKeys { free, count: page.free as u16, rows: page.rows as u16 }
    }
}

fn hash_of(hasher: &RandomState, key: &[u8]) -> u64 {
    hasher.hash_one(key).max(UNKNOWN + 1)
}

impl RowsSeen for SeenKeys {
    fn page(&mut self, block: BlockNumber, page: &HeapPage<'_>, shape: &TableShape, staleness: Staleness) {
        // A continuation does not come to be at rest: rows are where they were first.
        if self.indexes.is_empty() || staleness == Staleness::None || page.is_continuation() {
            return;
        }
        let seen = match staleness {
            _ if !page.stands_alone() => Seen::Unknown,
            Staleness::Dead if page.free == 0 => return,
            Staleness::Rekeyed => self.note_keys(page, shape),
            _ => self.note_free(page),
        };
        self.push(block, seen);
    }

    fn new_page(&mut self, block: BlockNumber, staleness: Staleness) {
        if !self.indexes.is_empty() && staleness > Staleness::None {
            self.push(block, Seen::Unknown);
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
    match keys.of_row(&keys.shape, key, value) {
        Ok(Some(_)) if !bad.get() => hash_of(hasher, key),
        Ok(None) if !bad.get() => NONE,
        _ => UNKNOWN,
    }
}
