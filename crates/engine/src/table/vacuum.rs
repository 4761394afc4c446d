//! VACUUM of a table: its rows, its long values, and its indexes.
//!
//! Each of them is a pass of [`access::vacuum`]. The indexes come after the rows, and only then do the blocks at rest become
//! all-visible: no index leads into one to a row that is not there. Indexes are read only where entries into the blocks that were
//! looked at may be stale ([`storage::Staleness`]): not after a load, nor after updates of columns that are in no index.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use access::Heap;
use access::progress::vacuum as report;
use access::vacuum::{Vacuum, VacuumStats};
use aio::lwlock::Mutex;
use storage::BlockNumber;

use crate::Result;
use crate::index::seen_keys::SeenKeys;
use crate::table::{Settled, Table};

/// What is to be done.
#[derive(Clone, Copy, Debug)]
pub struct VacuumOptions {
    /// Blocks at rest, too (`DISABLE_PAGE_SKIPPING`).
    pub all_pages: bool,
    /// `INDEX_CLEANUP`.
    pub indexes: bool,
    /// `PROCESS_MAIN` and `PROCESS_TOAST`.
    pub rows: bool,
    pub long_values: bool,
}

impl Default for VacuumOptions {
    fn default() -> VacuumOptions {
        VacuumOptions { all_pages: false, indexes: true, rows: true, long_values: true }
    }
}

/// What was done.
#[derive(Clone, Debug, Default)]
pub struct Vacuumed {
    /// `None`: they were left alone.
    pub rows: Option<VacuumStats>,
    /// `None`: there are none, or they were left alone.
    pub long_values: Option<VacuumStats>,
    /// By name: pages, and entries that were removed. Empty where there was nothing to look for.
    pub indexes: Vec<(String, BlockNumber, u64)>,
    /// How many times the indexes were read.
    pub index_scans: u32,
}

impl Table {
    /// Tidies the table. The caller holds a lock that keeps other VACUUMs away.
    pub async fn vacuum(&self, by: &mut Vacuum, options: VacuumOptions) -> Result<Vacuumed> {
        let mut done = Vacuumed::default();
        let blocks = |heap: &Heap| Settled::of(&self.loading, &heap.relation).blocks();
        by.progress.set(report::PHASE, report::SCANNING_HEAP);
        by.progress.set(report::HEAP_BLOCKS_TOTAL, u64::from(self.blocks()));
        if options.rows {
            done.rows = Some(self.vacuum_rows(by, options, &mut done, blocks(&self.heap)).await?);
        }
        if options.long_values
            && let Some(chunks) = self.heap.toast()?
        {
            done.long_values = Some(by.heap(&chunks, blocks(&chunks), true, &mut ()).await?);
        }
        if options.rows && options.indexes {
            self.heap.relation.visibility().set_proposed();
        }
        Ok(done)
    }

    /// The rows, and the entries that lead to them: as many at a time as there is memory for their keys.
    async fn vacuum_rows(
        &self,
        by: &mut Vacuum,
        options: VacuumOptions,
        done: &mut Vacuumed,
        blocks: impl Iterator<Item = BlockNumber> + Send + 'static,
    ) -> Result<VacuumStats> {
        self.heap.relation.visibility().forget_proposed();
        let mut seen = SeenKeys::new(if options.indexes { &self.indexes } else { &[] }, self.blocks(), by.memory);
        let (blocks, full) = (Arc::new(Mutex::new(blocks)), seen.full());
        let mut stats = VacuumStats::default();
        loop {
            // What is being read when there is enough is still looked at.
            let (blocks, until) = (blocks.clone(), full.clone());
            let is_wanted = move || !until.load(Ordering::Acquire);
            let some = std::iter::from_fn(move || is_wanted().then(|| blocks.lock().next()).flatten());
            stats += by.heap(&self.heap, some, options.all_pages, &mut seen).await?;
            let last = !full.load(Ordering::Acquire);
            if !seen.is_empty() {
                self.vacuum_indexes(by, &seen, done).await?;
                by.progress.set(report::PHASE, report::SCANNING_HEAP);
                seen.clear();
            }
            if last {
                return Ok(stats);
            }
        }
    }

    async fn vacuum_indexes(&self, by: &mut Vacuum, seen: &SeenKeys, done: &mut Vacuumed) -> Result<()> {
        by.progress.set(report::PHASE, report::VACUUMING_INDEXES);
        by.progress.set(report::INDEXES_TOTAL, self.indexes.len() as u64);
        by.progress.set(report::INDEXES_PROCESSED, 0);
        let before: Vec<u64> = done.indexes.drain(..).map(|(.., removed)| removed).collect();
        for (at, index) in self.indexes.iter().enumerate() {
            let has_tuple = |values: &[_], tuple: &[u8]| index.keys.has_tuple(values, tuple);
            let removed = by.index(&index.entries, &has_tuple, &seen.of_index(at), &self.heap).await?;
            let before = before.get(at).copied().unwrap_or(0);
            done.indexes.push((index.def.name.clone(), index.entries.blocks(), before + removed));
            by.progress.add(report::INDEXES_PROCESSED, 1);
        }
        done.index_scans += 1;
        by.progress.add(report::INDEX_VACUUMS, 1);
        Ok(())
    }
}
