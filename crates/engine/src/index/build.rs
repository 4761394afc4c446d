//! Building indexes: the entries of all rows, sorted by several at once, go into an empty index in their order. An index that
//! was built while others wrote gets what it lacks in a second pass (PostgreSQL's `index.c`, `validate_index`).

use std::sync::Arc;

use access::index::key::{key_of, tid_of, tuple_of};
use access::index::{Builder, Entries, RowEntries};
use access::progress::{Command, Progress, create_index as report};
use access::{HeapScan, Tid};
use aio::Turn;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use error::sqlstate;
use storage::{BlockNumber, RelationId};

use crate::activity::Backend;
use crate::catalog::IndexDef;
use crate::index::keys::IndexKeys;
use crate::index::load::sort_keys;
use crate::index::{Found, Index, WriteOptions};
use crate::memory::Grant;
use crate::sort::Sorter;
use crate::sort::merge::{Merged, Runs};
use crate::table::{Table, TableScan};
use crate::transaction::Transaction;
use crate::{EngineError, Result};

/// An index is built with this much memory whatever statements have taken, in bytes.
pub(crate) const LEAST_SORT: usize = 2 << 20;

/// Of less a worker is not worth its start: 8 MiB, PostgreSQL's `min_parallel_table_scan_size`.
const LEAST_PARALLEL: BlockNumber = 1024;

/// The entries of a table's rows, in their order.
struct SortedRows {
    /// Of all columns of the rows.
    rows: TableScan,
    merged: Merged,
    /// What they take.
    _memory: Grant,
}

impl Table {
    /// Builds a new index over the table's rows, in files that the transaction has made; gives its pages. The caller holds a
    /// lock that keeps writers away, or sees to it that the index gets what they write meanwhile
    /// ([`Table::validate_index`]).
    pub async fn build_index(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        def: &IndexDef,
        options: &WriteOptions,
    ) -> Result<BlockNumber> {
        let session = transaction.backend.io.clone();
        let id = RelationId { database: self.database, file: def.file };
        transaction.create_files_in(id, def.tablespace)?;
        let relation = transaction.db.relation(id)?;
        let keys = transaction.db.index_keys(&self.def, def)?;
        // Told where the build is a command of its own.
        let progress = progress_of(transaction);
        let tell = |parameter, value| progress.iter().for_each(|progress| progress.set(parameter, value));
        tell(report::INDEX, u64::from(def.oid));
        tell(report::PHASE, report::BUILDING);
        tell(report::SUBPHASE, report::SCANNING_TABLE);
        let mut sorted = self.sorted_rows(transaction, def, &keys, options).await?;
        tell(report::SUBPHASE, report::LOADING_TREE);
        let mut entries = 0;
        let mut builder = Builder::new(keys.method, &self.heap.store, &relation, &session);
        // Of the entry before: its key, without the row's identity.
        let (mut before, mut any) = (Vec::new(), false);
        let mut turn = Turn::new(transaction.db.engine());
        while let Some(next) = sorted.merged.next().await? {
            for (entry, null) in next.iter() {
                let key = key_of(tuple_of(entry), keys.shape.includes());
                if def.unique && any && before == key && (!null || def.nulls_not_distinct) {
                    let rows = sorted.rows.fetch(&session, &[tid_of(entry)], options.concurrency).await?;
                    let message = format!("could not create unique index \"{}\"", def.name);
                    let detail = match def.may_show_key(&self.def, options) {
                        true => format!("{} is duplicated.", keys.text(def, &self.def, &rows, options)?),
                        false => "Duplicate keys exist.".to_string(),
                    };
                    return Err(EngineError::new(sqlstate::UNIQUE_VIOLATION, message)
                        .constraint(&self.def.schema, &self.def.name, &def.name)
                        .detail(detail));
                }
                if def.unique {
                    before.clear();
                    before.extend_from_slice(key);
                    any = true;
                }
                builder.add(entry).await?;
            }
            entries += next.len() as u64;
            tell(report::TUPLES_DONE, entries);
            turn.pass().await;
        }
        builder.finish().await?;
        Ok(relation.blocks())
    }

    /// Puts what is missing into an index that was built while others wrote. Every writer puts its rows into it by now, and the
    /// caller holds a lock that keeps VACUUM away.
    pub async fn validate_index(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        index: &Index,
        options: &WriteOptions,
    ) -> Result<()> {
        let session = transaction.backend.io.clone();
        access::rekeyed::note(&self.heap, &session).await?;
        let mut sorted = self.sorted_rows(transaction, &index.def, &index.keys, options).await?;
        let (mut checked, mut others) = (Entries::default(), Entries::default());
        while let Some(next) = sorted.merged.next().await? {
            for (entry, null) in next.iter() {
                let entries = if index.is_checked(null) { &mut checked } else { &mut others };
                entries.push(entry);
            }
            if checked.are_enough() {
                self.insert_missing(transaction, index, &sorted.rows, &checked.sorted(), options).await?;
                checked.clear();
            }
            if others.are_enough() {
                index.entries.insert(&session, &others.sorted(), options.concurrency).await?;
                others.clear();
            }
        }
        self.insert_missing(transaction, index, &sorted.rows, &checked.sorted(), options).await?;
        Ok(index.entries.insert(&session, &others.sorted(), options.concurrency).await?)
    }

    /// Puts those of these entries of a unique index in that are missing. Those that are there are checked, too, where another has
    /// their key: a writer that did not know the index may have given a row back a key that it had when the index was built.
    async fn insert_missing(
        &self,
        transaction: &mut Transaction,
        index: &Index,
        scan: &TableScan,
        entries: &[&[u8]],
        options: &WriteOptions,
    ) -> Result<()> {
        let session = transaction.backend.io.clone();
        let mut turn = Turn::new(self.heap.store.pool.engine());
        for entry in index.entries.absent_or_shared(&session, entries, options.concurrency).await? {
            turn.pass().await;
            let timeout = options.lock_timeout;
            let conflict = Box::pin(index.insert_checked(self, transaction, entry, timeout)).await?;
            // Another may have the key because the row that had it is gone by now.
            if conflict.is_none() || !self.has_key_still(transaction, index, entry, timeout).await? {
                continue;
            }
            let rows = scan.fetch(&session, &[tid_of(entry)], options.concurrency).await?;
            return Err(index.duplicate(&self.def, &rows, 0, options));
        }
        Ok(())
    }

    /// Is the row of an entry still there, with its key?
    async fn has_key_still(
        &self,
        transaction: &mut Transaction,
        index: &Index,
        entry: &[u8],
        timeout: u64,
    ) -> Result<bool> {
        loop {
            match Box::pin(index.conflict(self, transaction, index.key_of(entry), None, vec![tid_of(entry)])).await? {
                Found::Nothing => return Ok(false),
                Found::Row(_) => return Ok(true),
                Found::Busy(holder) => transaction.wait_for(holder, timeout).await?,
            }
        }
    }

    /// The entries that an index has of the rows that are there now.
    async fn sorted_rows(
        self: &Arc<Self>,
        transaction: &mut Transaction,
        def: &IndexDef,
        keys: &Arc<IndexKeys>,
        options: &WriteOptions,
    ) -> Result<SortedRows> {
        // The workers are made where the statement runs.
        aio::announce_long_work().await;
        let session = transaction.backend.io.clone();
        let progress = progress_of(transaction);
        let tell = |parameter, value| progress.iter().for_each(|progress| progress.set(parameter, value));
        tell(report::BLOCKS_TOTAL, u64::from(self.blocks()));
        tell(report::BLOCKS_DONE, 0);
        tell(report::TUPLES_TOTAL, 0);
        tell(report::TUPLES_DONE, 0);
        transaction.next_command();
        let snapshot = transaction.latest_snapshot();
        let columns = self.def.columns.len();
        let rows = TableScan::new(self, snapshot.clone(), (0..=columns).collect());
        let inputs = def.sorted_inputs();
        let scan = TableScan::new(self, snapshot, inputs.iter().copied().chain([columns]).collect());
        // Three quarters of the memory for all; the merge has the rest while what did not fill theirs is still there.
        let participants = 1 + may_have_workers(options, self.blocks());
        let memory = transaction.db.work_memory().grant(LEAST_SORT, options.maintenance_work_mem);
        let limit = memory.bytes() / 4 * 3 / participants;
        let root = transaction.db.root().to_owned();
        let mut workers = tokio::task::JoinSet::new();
        for _ in 1..participants {
            let Some(backend) = worker(transaction) else { break };
            let participant = scan.participant(&backend.io, options.concurrency, participants);
            let sorter = Sorter::new(&root, &backend.io, limit, &options.temporary);
            let (table, def, keys) = (self.clone(), def.clone(), keys.clone());
            let progress = progress.clone();
            workers.spawn(async move {
                let sorted = table.sort_keys(participant, &def, keys, sorter, progress).await;
                drop(backend);
                sorted
            });
        }
        let participant = scan.participant(&session, options.concurrency, participants);
        let sorter = Sorter::new(&root, &session, limit, &options.temporary);
        let own = self.sort_keys(participant, def, keys.clone(), sorter, progress.clone());
        let mut sorted = vec![own.await?];
        while let Some(worker) = workers.join_next().await {
            sorted.push(worker.map_err(|e| EngineError::new(sqlstate::INTERNAL_ERROR, e.to_string()))??);
        }
        tell(report::BLOCKS_DONE, u64::from(self.blocks()));
        let merged =
            Merged::new(sorted, &session, memory.bytes() / 4, merge_worker(transaction, options, self.blocks()))
                .await?;
        Ok(SortedRows { rows, merged, _memory: memory })
    }

    /// One participant's part of an index's entries, sorted; an entry with a NULL is marked.
    async fn sort_keys(
        &self,
        mut rows: HeapScan,
        def: &IndexDef,
        keys: Arc<IndexKeys>,
        mut sorter: Sorter,
        progress: Option<Arc<Progress>>,
    ) -> Result<Runs> {
        let inputs = def.sorted_inputs();
        let place = |column: usize| inputs.binary_search(&column).expect("what the index depends on is read");
        let (mut of_row, mut pages) = (RowEntries::default(), 0);
        while let Some(batch) = rows.next().await? {
            let tids = batch.column(inputs.len()).as_primitive::<Int64Type>();
            let found = (batch.num_rows(), |row| Tid::unpack(tids.value(row)), |column| batch.column(place(column)));
            let entries = sort_keys(&self.def, def, &keys, found, &mut sorter, &mut of_row).await?;
            if let Some(progress) = &progress {
                progress.add(report::TUPLES_TOTAL, entries as u64);
                progress.add(report::BLOCKS_DONE, rows.pages() - pages);
                pages = rows.pages();
            }
            aio::yield_once().await;
        }
        Ok(sorter.finish())
    }
}

/// How many workers a statement may have that makes an index over so many blocks.
fn may_have_workers(options: &WriteOptions, blocks: BlockNumber) -> usize {
    // The simulator has no threads.
    if blocks < LEAST_PARALLEL || tokio::runtime::Handle::try_current().is_err() {
        return 0;
    }
    options.maintenance_workers.min(std::thread::available_parallelism().map_or(1, usize::from) - 1)
}

/// A worker of the transaction's session; `None`: there is no place for one, and the leader does it alone.
fn worker(transaction: &Transaction) -> Option<Arc<Backend>> {
    let most = transaction.db.inner.settings.read().integer("max_parallel_workers") as usize;
    transaction.db.activity().enter_parallel(&transaction.backend, most)
}

/// The worker that merges a sort's runs, if the statement may have one.
pub(crate) fn merge_worker(
    transaction: &Transaction,
    options: &WriteOptions,
    blocks: BlockNumber,
) -> Option<Arc<Backend>> {
    (may_have_workers(options, blocks) > 0).then(|| worker(transaction)).flatten()
}

fn progress_of(transaction: &Transaction) -> Option<Arc<Progress>> {
    transaction.backend.progress().filter(|progress| progress.command == Command::CreateIndex)
}
