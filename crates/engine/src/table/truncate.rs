//! Giving the blocks without rows at a table's end back to the file system: PostgreSQL's `lazy_truncate_heap`.
//!
//! # Invariants
//! * A cut is no part of the log. So recovery must need nothing of what is cut off: no block goes that was changed behind the redo
//!   position of the last checkpoint, and those who changed it before have ended, durably.
//! * The session that cuts has the table to itself: no other is on the way to a block that goes. Readers of blocks without a lock
//!   on the table keep it from being cut ([`storage::Relation::keep_length`]).
//! * Index entries may lead behind the end. They lead to no row there, and to a row of another key when the table has grown again,
//!   as those that lead to free slots: readers look, and VACUUM removes them.

use std::sync::atomic::Ordering;

use access::Heap;
use access::progress::vacuum as report;
use access::vacuum::Vacuum;
use storage::{BlockNumber, Lsn};

use crate::Result;
use crate::database::Database;
use crate::table::{Settled, Table};

/// A cut is worth a lock that keeps all other sessions away where so many blocks go, or one of so many
/// (`REL_TRUNCATE_MINIMUM`, `REL_TRUNCATE_FRACTION`).
const LEAST: BlockNumber = 1000;
const LEAST_FRACTION: BlockNumber = 16;

impl Table {
    /// Its rows, and its long values.
    fn heaps(&self) -> Result<Vec<Heap>> {
        let mut heaps = vec![self.heap.clone()];
        heaps.extend(self.heap.toast()?);
        Ok(heaps)
    }

    /// Would a cut give back enough, of blocks that were not changed behind `newest`?
    pub async fn is_worth_truncating(&self, by: &mut Vacuum, newest: Lsn) -> Result<bool> {
        for heap in self.heaps()? {
            // Others may be loading rows there, around the pool.
            let Some(blocks) = Settled::of(&self.loading, &heap.relation).end() else { continue };
            let empty = blocks - by.empty_end(&heap, blocks, newest, || false).await?;
            if empty > 0 && (empty >= LEAST || empty >= blocks / LEAST_FRACTION) {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Database {
    /// Where recovery begins to read the log: the last checkpoint's redo position.
    pub fn redo_position(&self) -> Lsn {
        self.inner.last_redo.load(Ordering::Acquire)
    }

    /// Cuts the blocks without rows off a table's end, as far as they were not changed behind `newest`, which is a redo position;
    /// gives how many of the table's own. The caller holds the lock that keeps all other sessions away; the cut is given up where
    /// a session waits for that lock (`is_wanted`).
    pub async fn truncate_end(
        &self,
        table: &Table,
        by: &mut Vacuum,
        newest: Lsn,
        is_wanted: impl Fn() -> bool,
    ) -> Result<BlockNumber> {
        let store = &self.inner.store;
        by.progress.set(report::PHASE, report::TRUNCATING_HEAP);
        // Others may have ended, for all but their clients, before their last record is durable.
        store.log.flush_to(&by.session, store.log.insert_position()).await.map_err(access::AccessError::Log)?;
        let before = table.blocks();
        for heap in table.heaps()? {
            let Some(_changing) = heap.relation.change_length() else { continue };
            let Some(blocks) = Settled::of(&table.loading, &heap.relation).end() else { continue };
            let end = by.empty_end(&heap, blocks, newest, &is_wanted).await?;
            if end < blocks {
                heap.forget_target();
                store.pool.truncate(&heap.relation, end).await?;
            }
        }
        Ok(before.saturating_sub(table.blocks()))
    }
}
