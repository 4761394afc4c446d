//! VACUUM of a table: its rows, its long values, and its indexes.
//!
//! Each of them is a pass of [`access::vacuum`]. The indexes come after the rows, and only then do the blocks at rest become
//! all-visible: no index leads into one to a row that is not there. A table whose blocks are all at rest has nothing in its
//! indexes to be removed.

use access::Heap;
use access::progress::vacuum as report;
use access::vacuum::{Vacuum, VacuumStats};
use storage::BlockNumber;

use crate::error::Result;
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
}

impl Table {
    /// Tidies the table. The caller holds a lock that keeps other VACUUMs away.
    pub async fn vacuum(&self, by: &mut Vacuum, options: VacuumOptions) -> Result<Vacuumed> {
        let mut done = Vacuumed::default();
        let blocks = |heap: &Heap| Settled::of(&self.loading, &heap.relation).blocks();
        by.progress.set(report::PHASE, report::SCANNING_HEAP);
        by.progress.set(report::HEAP_BLOCKS_TOTAL, u64::from(self.blocks()));
        if options.rows {
            done.rows = Some(by.heap(&self.heap, blocks(&self.heap), options.all_pages).await?);
        }
        if options.long_values
            && let Some(chunks) = self.heap.toast()?
        {
            done.long_values = Some(by.heap(&chunks, blocks(&chunks), true).await?);
        }
        if options.rows && options.indexes {
            let map = self.heap.relation.visibility();
            if map.count() < self.blocks() || options.all_pages {
                self.vacuum_indexes(by, &mut done).await?;
            }
            map.set_proposed();
        }
        Ok(done)
    }

    async fn vacuum_indexes(&self, by: &mut Vacuum, done: &mut Vacuumed) -> Result<()> {
        by.progress.set(report::PHASE, report::VACUUMING_INDEXES);
        by.progress.set(report::INDEXES_TOTAL, self.indexes.len() as u64);
        for index in &self.indexes {
            let has_key = |values: &[_], key: &[u8]| index.keys.has_key(values, key);
            let removed = by.index(&index.tree, &has_key, &self.heap).await?;
            done.indexes.push((index.def.name.clone(), index.tree.blocks(), removed));
            by.progress.add(report::INDEXES_PROCESSED, 1);
        }
        by.progress.add(report::INDEX_VACUUMS, 1);
        Ok(())
    }
}
