//! What looks for conflicts of many new rows will need is brought into memory before: the leaves that their entries belong to, and
//! the pages of the rows that have their keys. ON CONFLICT goes row by row, and would wait for each of them alone.

use access::Pages;
use access::btree::KeyShape;
use access::btree::key::TID;
use aio::Session;
use arrow_array::RecordBatch;
use storage::{BlockNumber, Concurrency};

use crate::error::Result;
use crate::index::Index;
use crate::table::Table;

/// Rows whose pages are read together, at most, and of the pool's pages one for so many.
const MOST_ROWS: usize = 1000;
const PAGES_A_ROW: usize = 16;

impl Table {
    /// So many rows' pages are in memory still, as a rule, when the last one's turn has come.
    pub fn conflicts_read_together(&self) -> usize {
        (self.heap.store.pool.len() / PAGES_A_ROW).clamp(1, MOST_ROWS)
    }

    /// Brings in what the looks for these rows, and their insertion, need. `arbiters`: the indexes (by position) that decide which
    /// rows are in the way. It is advice: what fails here fails again where it is needed.
    pub async fn read_conflicts_ahead(
        &self,
        session: &Session,
        rows: &RecordBatch,
        arbiters: &[usize],
        concurrency: Concurrency,
    ) {
        if let Err(error) = self.try_to_read_conflicts_ahead(session, rows, arbiters, concurrency).await {
            tracing::debug!("pages are not read ahead: {}", error.message);
        }
    }

    async fn try_to_read_conflicts_ahead(
        &self,
        session: &Session,
        rows: &RecordBatch,
        arbiters: &[usize],
        concurrency: Concurrency,
    ) -> Result<()> {
        let mut blocks: Vec<BlockNumber> = Vec::new();
        for (at, index) in self.indexes.iter().enumerate() {
            if arbiters.contains(&at) {
                // Others may have them.
                let keys = index.sorted_of(rows, &index.keys.key, &[], |null| index.is_checked(null))?;
                let found = |tid: access::Tid| blocks.push(tid.block);
                index.tree.lookup_sorted(session, &as_slices(&keys), concurrency, found).await?;
            } else {
                // Behind all that have their tuples: rows that come get the last places as a rule.
                let entries = index.sorted_of(rows, &index.keys.shape, &[0xff; TID], |_| true)?;
                index.tree.read_leaves_ahead(session, &as_slices(&entries), concurrency).await?;
            }
        }
        blocks.sort_unstable();
        blocks.dedup();
        let count = blocks.len();
        let mut pages = Pages::new(&self.heap, session, concurrency, blocks);
        for at in 0..count {
            pages.page(at).await?;
        }
        Ok(())
    }
}

impl Index {
    /// The tuples or keys of rows, as `shape` says, with `end` behind each, in their order; those that are wanted, as it is asked of
    /// whether their key has a NULL.
    fn sorted_of(
        &self,
        rows: &RecordBatch,
        shape: &KeyShape,
        end: &[u8],
        is_wanted: impl Fn(bool) -> bool,
    ) -> Result<Vec<Vec<u8>>> {
        let keyed = self.keys.of_batch(|column| rows.column(column), rows.num_rows())?;
        let mut sorted = Vec::with_capacity(keyed.len());
        for place in 0..keyed.len() {
            let mut one = Vec::new();
            if is_wanted(keyed.encode(shape, place, |column| rows.column(column), &mut one)?) {
                one.extend_from_slice(end);
                sorted.push(one);
            }
        }
        sorted.sort_unstable();
        sorted.dedup();
        Ok(sorted)
    }
}

fn as_slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}
