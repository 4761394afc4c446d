//! What looks for conflicts of many new rows will need is brought into memory before: the leaves that their keys belong to, and the
//! pages of the rows with these keys. ON CONFLICT goes row by row, and would wait for each of them alone.

use access::Pages;
use aio::Session;
use arrow_array::RecordBatch;
use storage::{BlockNumber, Concurrency};

use crate::error::Result;
use crate::index::Index;
use crate::table::Table;

impl Table {
    /// Brings in what the looks for these rows need; advice, and nothing else. `arbiters`: the indexes (by position) that decide
    /// which rows are in the way.
    pub async fn read_conflicts_ahead(
        &self,
        session: &Session,
        rows: &RecordBatch,
        arbiters: &[usize],
        concurrency: Concurrency,
    ) -> Result<()> {
        let mut blocks: Vec<BlockNumber> = Vec::new();
        for (at, index) in self.indexes.iter().enumerate() {
            let decides = arbiters.contains(&at);
            let keys = index.sorted_keys_of(rows);
            let keys: Vec<&[u8]> = keys.iter().map(Vec::as_slice).collect();
            let found = |tid: access::Tid| blocks.extend(decides.then_some(tid.block));
            index.tree.lookup_sorted(session, &keys, concurrency, found).await?;
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
    /// The keys of rows in their order; without those that cannot be: the rows' insertion will tell.
    fn sorted_keys_of(&self, rows: &RecordBatch) -> Vec<Vec<u8>> {
        let Ok(keyed) = self.keys.of_batch(|column| rows.column(column), rows.num_rows()) else { return Vec::new() };
        let mut keys = Vec::with_capacity(keyed.len());
        let mut tuple = Vec::new();
        for place in 0..keyed.len() {
            if keyed.encode(place, |column| rows.column(column), &mut tuple).is_ok() {
                keys.push(self.key_of_tuple(&tuple).to_vec());
            }
        }
        keys.sort_unstable();
        keys.dedup();
        keys
    }
}
