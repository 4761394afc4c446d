//! The indexes of a table that is being loaded: entries are put aside while rows come, and go into the indexes in the order of
//! their keys when all are there. So each leaf is read and changed once, whatever the order of the rows is.
//!
//! Memory is bounded by `maintenance_work_mem`, or 2 MB for each index if that is more; what is more goes to temporary files
//! ([`crate::sort`]).

use std::sync::Arc;

use access::Tid;
use access::index::{Entries, RowEntries};
use aio::Turn;
use arrow_array::{ArrayRef, RecordBatch};

use crate::Result;
use crate::catalog::{IndexDef, TableDef};
use crate::index::build::{LEAST_SORT, merge_worker};
use crate::index::keys::IndexKeys;
use crate::index::{Index, WriteOptions};
use crate::memory::Grant;
use crate::sort::Sorter;
use crate::sort::merge::Merged;
use crate::table::{Table, TableScan};
use crate::transaction::Transaction;

/// The entries of a load, put aside.
pub(crate) struct IndexLoad {
    table: Arc<Table>,
    /// One for each index.
    sorters: Vec<Sorter>,
    memory: Grant,
    scratch: RowEntries,
}

impl IndexLoad {
    pub fn new(table: &Arc<Table>, transaction: &Transaction, options: &WriteOptions) -> IndexLoad {
        let least = LEAST_SORT * table.indexes.len();
        let memory = transaction.db.work_memory().grant(least, options.maintenance_work_mem.max(least));
        // The other half is for merging.
        let limit = memory.bytes() / 2 / table.indexes.len();
        let session = &transaction.backend.io;
        let sorter = |_| Sorter::new(transaction.db.root(), session, limit, &options.temporary);
        let sorters = table.indexes.iter().map(sorter).collect();
        IndexLoad { table: table.clone(), sorters, memory, scratch: RowEntries::default() }
    }

    /// Rows that are where these say.
    pub async fn add(&mut self, rows: &RecordBatch, tids: &[Tid]) -> Result<()> {
        let table = &self.table;
        for (index, sorter) in table.indexes.iter().zip(&mut self.sorters) {
            let rows = (rows.num_rows(), |row| tids[row], |column| rows.column(column));
            sort_keys(&table.def, &index.def, &index.keys, rows, sorter, &mut self.scratch).await?;
        }
        Ok(())
    }

    /// Puts the entries in. The rows are in the table.
    pub async fn finish(self, transaction: &mut Transaction, options: &WriteOptions) -> Result<()> {
        // Entries are sorted where the statement runs.
        aio::announce_long_work().await;
        let session = transaction.backend.io.clone();
        for (index, sorter) in self.table.indexes.iter().zip(self.sorters) {
            let worker = merge_worker(transaction, options, self.table.blocks());
            let mut merged = Merged::new(vec![sorter.finish()], &session, self.memory.bytes() / 2, worker).await?;
            let (mut checked, mut others) = (Entries::default(), Entries::default());
            let mut turn = Turn::new(transaction.db.engine());
            while let Some(next) = merged.next().await? {
                for (entry, null) in next.iter() {
                    let entries = if index.is_checked(null) { &mut checked } else { &mut others };
                    entries.push(entry);
                }
                if checked.are_enough() {
                    put(&self.table, index, transaction, &mut checked, true, options).await?;
                }
                if others.are_enough() {
                    put(&self.table, index, transaction, &mut others, false, options).await?;
                }
                turn.pass().await;
            }
            put(&self.table, index, transaction, &mut checked, true, options).await?;
            put(&self.table, index, transaction, &mut others, false, options).await?;
        }
        Ok(())
    }
}

/// Puts entries into an index, and forgets them.
async fn put(
    table: &Arc<Table>,
    index: &Index,
    transaction: &mut Transaction,
    entries: &mut Entries,
    is_checked: bool,
    options: &WriteOptions,
) -> Result<()> {
    let sorted = entries.sorted();
    let taken = table.put_entries(index, transaction, &sorted, is_checked, |tid| tid, options).await?;
    if let Some(tid) = taken {
        transaction.next_command();
        let projection: Arc<[usize]> = (0..=table.def.columns.len()).collect();
        let scan = TableScan::new(table, transaction.latest_snapshot(), projection);
        let rows = scan.fetch(&transaction.backend.io, &[tid], options.concurrency).await?;
        return Err(index.duplicate(&table.def, &rows, 0, options));
    }
    entries.clear();
    Ok(())
}

/// Adds the entries of so many rows, whose identities and columns are told, to a sorter; those with a NULL are marked.
pub(crate) async fn sort_keys<'r>(
    table: &TableDef,
    def: &IndexDef,
    keys: &'r IndexKeys,
    (rows, tid_of, column): (usize, impl Fn(usize) -> Tid, impl Fn(usize) -> &'r ArrayRef + Copy),
    sorter: &mut Sorter,
    of_row: &mut RowEntries,
) -> Result<usize> {
    let keyed = keys.of_batch(column, rows)?;
    let mut entries = 0;
    for place in 0..keyed.len() {
        let tid = tid_of(keyed.row(place));
        let extracted = keyed.extract(place, tid, column, of_row);
        extracted.map_err(|error| def.too_long(table, Some(tid), error))?;
        for (entry, null) in of_row.iter() {
            sorter.add(entry, null).await?;
            entries += 1;
        }
    }
    Ok(entries)
}
