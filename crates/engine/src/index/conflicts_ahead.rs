//! What looks for conflicts of many new rows will need is brought into memory before: the leaves that their entries belong to, and
//! the pages of the rows that have their keys. ON CONFLICT goes row by row, and would wait for each of them alone.

use access::index::RowEntries;
use access::{Pages, Tid};
use aio::Session;
use arrow_array::RecordBatch;
use storage::{BlockNumber, Concurrency};

use crate::Result;
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
                let keys = index.sorted_keys(rows)?;
                let found = |tid: Tid| blocks.push(tid.block);
                index.entries.lookup_sorted(session, &as_slices(&keys), concurrency, found).await?;
            } else {
                let entries = index.sorted_entries(rows)?;
                index.entries.prefetch(session, &as_slices(&entries), concurrency).await?;
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
    /// The keys of rows, in their order, that others must not have.
    fn sorted_keys(&self, rows: &RecordBatch) -> Result<Vec<Vec<u8>>> {
        let keyed = self.keys.of_batch(|column| rows.column(column), rows.num_rows())?;
        let mut keys = Vec::with_capacity(keyed.len());
        for place in 0..keyed.len() {
            let mut key = Vec::new();
            if self.is_checked(keyed.encode(&self.keys.key, place, |column| rows.column(column), &mut key)?) {
                keys.push(key);
            }
        }
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// The entries that rows would have, in their order, behind all that have their tuples: rows that come get the last places as a rule.
    fn sorted_entries(&self, rows: &RecordBatch) -> Result<Vec<Vec<u8>>> {
        let last = Tid { block: BlockNumber::MAX, row: u16::MAX };
        let keyed = self.keys.of_batch(|column| rows.column(column), rows.num_rows())?;
        let (mut entries, mut of_row) = (Vec::with_capacity(keyed.len()), RowEntries::default());
        for place in 0..keyed.len() {
            keyed.extract(place, last, |column| rows.column(column), &mut of_row)?;
            entries.extend(of_row.iter().map(|(entry, _)| entry.to_vec()));
        }
        entries.sort_unstable();
        entries.dedup();
        Ok(entries)
    }
}

fn as_slices(keys: &[Vec<u8>]) -> Vec<&[u8]> {
    keys.iter().map(Vec::as_slice).collect()
}
