//! Rows that a statement puts into a table: few by themselves, many in bulk.

use std::ops::Range;
use std::sync::Arc;

use access::bulk::Reserving;
use access::{BulkLoad, Tid};
use aio::lwlock::Mutex;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use storage::{BlockNumber, Relation, RelationId};

use crate::Result;
use crate::index::WriteOptions;
use crate::index::load::IndexLoad;
use crate::transaction::Transaction;

use super::{Loading, Table};

/// Statements with more rows than this load in bulk, around pool and log: the load has to be flushed before the commit's record,
/// and the entries of indexes, which wait for its end, are to be worth sorting.
const BULK_ROWS: u64 = 10_000;
/// Where there are no indexes many rows that take more than this are enough. As long as that is open they are held back.
const BULK_BYTES: usize = 1 << 20;
/// Until then rows go into an indexed table so many at a time. Fewer are not many, whatever they take.
const HELD_ROWS: usize = 1000;

/// Rows on their way into a table, in one statement. Few go row by row, and into the indexes at once. Of many, what does not fit
/// the room that there is goes in bulk, and their entries wait for the end.
pub struct Insertion {
    table: Arc<Table>,
    options: WriteOptions,
    held: Vec<RecordBatch>,
    held_rows: usize,
    /// More rows than this are many.
    threshold: u64,
    frozen: bool,
    rows: u64,
    bytes: usize,
    bulk: Option<Bulk>,
    indexes: Option<IndexLoad>,
}

/// Rows that go into a table in bulk.
struct Bulk {
    load: BulkLoad,
    /// The first block of each range that it has reserved.
    reserved: Arc<Mutex<Vec<(RelationId, BlockNumber)>>>,
}

impl Insertion {
    /// The transaction that is given to the other methods holds a lock on the table.
    pub fn new(table: &Arc<Table>, options: WriteOptions) -> Insertion {
        Insertion {
            options,
            table: table.clone(),
            held: Vec::new(),
            held_rows: 0,
            threshold: BULK_ROWS,
            frozen: false,
            rows: 0,
            bytes: 0,
            bulk: None,
            indexes: None,
        }
    }

    /// The same, but more rows than this are many.
    pub fn in_bulk_from(self, rows: u64) -> Insertion {
        Insertion { threshold: rows, ..self }
    }

    /// The same, but each snapshot sees the rows whose session sees the table, which the transaction has made (COPY FREEZE):
    /// VACUUM finds nothing to do.
    pub fn frozen(self) -> Insertion {
        Insertion { frozen: true, threshold: 0, ..self }
    }

    /// Adds rows, whose columns are the table's.
    pub async fn add(&mut self, transaction: &mut Transaction, batch: RecordBatch) -> Result<()> {
        debug_assert_eq!(batch.num_columns(), self.table.def.columns.len());
        self.rows += batch.num_rows() as u64;
        self.held_rows += batch.num_rows();
        self.bytes += batch.columns().iter().map(bytes_of).sum::<usize>();
        self.held.push(batch);
        let is_indexed = !self.table.indexes.is_empty();
        let (are_some, are_large) = (self.rows > HELD_ROWS as u64, self.bytes > BULK_BYTES);
        if self.rows <= self.threshold && (is_indexed || !are_some || !are_large) {
            let is_full = if is_indexed { self.held_rows > HELD_ROWS } else { are_large };
            return if is_full { self.insert_held(transaction).await } else { Ok(()) };
        }
        if self.indexes.is_none() && !self.table.indexes.is_empty() {
            self.indexes = Some(IndexLoad::new(&self.table, transaction, &self.options));
        }
        self.held_rows = 0;
        for batch in std::mem::take(&mut self.held) {
            let tids = self.load(transaction, &batch).await?;
            if let Some(indexes) = &mut self.indexes {
                indexes.add(&batch, &tids).await?;
            }
        }
        Ok(())
    }

    /// Puts some of many rows into the table; gives where they are.
    async fn load(&mut self, transaction: &mut Transaction, batch: &RecordBatch) -> Result<Vec<Tid>> {
        let heap = &self.table.heap;
        let goes_on = self.bulk.is_some() || self.frozen;
        if !goes_on && heap.has_much_room_for(&transaction.backend.io, batch).await? {
            return Ok(heap.insert_batch(transaction.writer(), batch).await?);
        }
        if self.bulk.is_none() {
            self.bulk = Some(self.begin_bulk(transaction));
        }
        let bulk = self.bulk.as_mut().expect("it has begun");
        let mut tids = Vec::with_capacity(batch.num_rows());
        bulk.load.add(batch, &mut tids).await?;
        transaction.writer().status.count_insert(heap.activity(), batch.num_rows() as u64);
        Ok(tids)
    }

    fn begin_bulk(&self, transaction: &mut Transaction) -> Bulk {
        let database = transaction.db.clone();
        let (xid, command, session) = {
            let writer = transaction.writer();
            (writer.transaction.xid, writer.command, writer.session.clone())
        };
        let (loading, still_loading) = (self.table.loading.clone(), self.table.loading.clone());
        let of = database.clone();
        let release = Arc::new(move |relation: &Relation, unused: &Range<BlockNumber>| {
            of.note_release(xid, relation.id(), unused);
        });
        let released = Arc::new(move |relation: &Relation, unused: &Range<BlockNumber>| {
            let shorten = |loading: &mut Loading| {
                for (.., range) in loading.iter_mut().filter(|(own, id, _)| *own == xid && *id == relation.id()) {
                    access::bulk::shorten(range, unused);
                }
            };
            relation.free_space().give_free(unused);
            // No scan takes them for blocks that can be read while they are neither given back nor there ([`Settled`]).
            let mut loading = still_loading.lock();
            if !relation.give_back(unused.clone()) {
                drop(loading);
                // Others have reserved blocks behind them.
                relation.materialise()?;
                loading = still_loading.lock();
            }
            shorten(&mut loading);
            Ok(())
        });
        let reserved: Arc<Mutex<Vec<(RelationId, BlockNumber)>>> = Arc::default();
        let own = reserved.clone();
        let reserve = Arc::new(move |relation: &Relation, count: u32| {
            let mut loading = loading.lock();
            let first = relation.reserve(count);
            own.lock().push((relation.id(), first));
            loading.push((xid, relation.id(), first..first + count));
            drop(loading);
            // A rollback empties these blocks: no other session may put rows there, whatever room is made there meanwhile.
            relation.free_space().withhold(first..first + count);
            database.note_reservation(xid, relation.id(), first..first + count);
            first..first + count
        });
        let load = BulkLoad::new(&self.table.heap, &session, xid, command, Reserving { reserve, release, released });
        let load = if self.frozen { load.frozen() } else { load };
        Bulk { load, reserved }
    }

    async fn insert_held(&mut self, transaction: &mut Transaction) -> Result<()> {
        // How many rows are in the table already.
        let mut before = self.rows as usize - self.held_rows;
        self.held_rows = 0;
        for batch in std::mem::take(&mut self.held) {
            let tids = self.table.heap.insert_batch(transaction.writer(), &batch).await?;
            let indexed = self.table.index_rows(transaction, &batch, &tids, None, &self.options).await;
            indexed.map_err(|error| match error.row() {
                Some(row) => error.at_row(before + row),
                None => error,
            })?;
            before += batch.num_rows();
        }
        Ok(())
    }

    /// Everything is in the table, for those who see the transaction. Gives the number of rows.
    pub async fn finish(mut self, transaction: &mut Transaction) -> Result<u64> {
        self.insert_held(transaction).await?;
        if let Some(bulk) = self.bulk.take() {
            bulk.load.finish().await?;
            let reserved = std::mem::take(&mut *bulk.reserved.lock());
            let is_own = |id: &RelationId, range: &Range<BlockNumber>| reserved.contains(&(*id, range.start));
            // A session that came by a row's identity may have read them before they were written.
            let loading = self.table.loading.lock().clone();
            for (_, id, range) in loading.into_iter().filter(|(_, id, range)| is_own(id, range)) {
                self.table.heap.store.pool.forget(id, Some(range)).await;
            }
            // The blocks are complete: visibility is the transaction's fate alone.
            self.table.loading.lock().retain(|(_, id, range)| !is_own(id, range));
        }
        if let Some(indexes) = self.indexes.take() {
            indexes.finish(transaction, &self.options).await?;
        }
        Ok(self.rows)
    }
}

/// What a column's values take, about.
fn bytes_of(column: &ArrayRef) -> usize {
    let variable = |offsets: &[i32]| (offsets[offsets.len() - 1] - offsets[0]) as usize;
    match column.data_type() {
        DataType::Utf8 => variable(column.as_string::<i32>().value_offsets()),
        DataType::Binary => variable(column.as_binary::<i32>().value_offsets()),
        other => other.primitive_width().unwrap_or(1) * column.len(),
    }
}
