//! A table in use: its files, its layout, and who may use it how. Scans and insertions start here.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use ::error::sqlstate;
use access::bulk::Reserving;
use access::{BatchBuilder, BulkLoad, Heap, HeapScan, Pages, TableShape, Tid};
use aio::lwlock::Mutex;
use aio::{IoContext, Session};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use storage::{BlockNumber, Concurrency, ReadStream, Relation, RelationId};
use txn::{Snapshot, Xid};

use crate::catalog::TableDef;
use crate::index::load::IndexLoad;
use crate::index::{Index, WriteOptions};
use crate::transaction::Transaction;
use crate::{EngineError, Result};

/// Statements with more rows than this load in bulk, around pool and log: the load has to be flushed before the commit's record,
/// and the entries of indexes, which wait for its end, are to be worth sorting.
const BULK_ROWS: u64 = 10_000;
/// Where there are no indexes many rows that take more than this are enough. As long as that is open they are held back.
const BULK_BYTES: usize = 1 << 20;
/// Until then rows go into an indexed table so many at a time. Fewer are not many, whatever they take.
const HELD_ROWS: usize = 1000;
/// Blocks a scan's participants take at a time from the shared counter: enough for a few combined reads.
pub(crate) const CHUNK_BLOCKS: u32 = 64;
/// A relation larger than this part of the pool is scanned in a ring.
const RING_FRACTION: u32 = 4;

/// The name of the column with the rows' identities, in schemas that have it.
pub const TID_COLUMN: &str = "?ctid?";

/// Ranges of blocks of a table's files that transactions are loading.
pub(crate) type Loading = Vec<(Xid, RelationId, Range<BlockNumber>)>;

/// An open table. Dropped with its files' name: TRUNCATE makes another.
pub struct Table {
    pub def: Arc<TableDef>,
    pub schema: SchemaRef,
    pub database: u32,
    pub indexes: Vec<Index>,
    pub(crate) heap: Heap,
    /// Blocks of bulk loads under way: nobody may look at them yet.
    pub(crate) loading: Arc<Mutex<Loading>>,
}

impl Table {
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Where is counted what is done with it.
    pub fn counters(&self) -> Option<&storage::RelationCounters> {
        self.heap.relation.counters()
    }

    /// Blocks of the table, loads under way included.
    pub fn blocks(&self) -> BlockNumber {
        self.heap.relation.blocks()
    }

    /// The schema of some of its columns; one past the last is the rows' identity.
    pub fn projected_schema(&self, projection: &[usize]) -> SchemaRef {
        self.tested_schema(projection, &[])
    }

    /// The same where of some places in the projection only NULL is told from values ([`BatchBuilder::new`]).
    pub fn tested_schema(&self, projection: &[usize], tested: &[usize]) -> SchemaRef {
        let tid = || Arc::new(Field::new(TID_COLUMN, DataType::Int64, false));
        let field = |(place, &column): (usize, &usize)| {
            let field = self.schema.fields().get(column).cloned().unwrap_or_else(tid);
            match tested.contains(&place) {
                true => Arc::new(field.as_ref().clone().with_data_type(DataType::Boolean)),
                false => field,
            }
        };
        Arc::new(Schema::new(projection.iter().enumerate().map(field).collect::<Vec<_>>()))
    }

    /// An estimate of its rows, as PostgreSQL's planner makes it: from its size now, and how many rows pages had when they
    /// were counted, or how many would fit if they never were.
    pub fn estimated_rows(&self) -> f64 {
        if let Some(analyzed) = self.def.analyzed.as_ref().filter(|a| a.pages > 0) {
            return analyzed.rows / f64::from(analyzed.pages) * f64::from(self.blocks());
        }
        let shape: &TableShape = &self.heap.shape;
        let width: usize = shape.columns.iter().map(|c| c.width.unwrap_or(32)).sum::<usize>().max(1);
        f64::from(self.blocks()) * (access::page::SPACE / width).min(access::page::MAX_ROWS) as f64
    }
}

/// What the participants of one scan share.
pub struct TableScan {
    pub(crate) table: Arc<Table>,
    next: Arc<AtomicU32>,
    pub(crate) settled: Settled,
    pub(crate) snapshot: Snapshot,
    pub(crate) projection: Arc<[usize]>,
    pub(crate) schema: SchemaRef,
}

/// The blocks of one of a table's files that may be read: loads write some around the pool, which are nobody's yet.
#[derive(Clone)]
pub(crate) struct Settled {
    pub(crate) end: BlockNumber,
    skip: Arc<[Range<BlockNumber>]>,
}

impl Settled {
    /// Those that are there now: loads that begin later reserve blocks beyond the end, which is looked at while none can.
    pub fn of(loading: &Mutex<Loading>, relation: &Relation) -> Settled {
        let loading = loading.lock();
        let own = loading.iter().filter(|(_, of, _)| *of == relation.id());
        let skip = match loading.is_empty() {
            true => NO_BLOCKS.clone(),
            false => own.map(|(.., range)| range.clone()).collect(),
        };
        Settled { end: relation.blocks(), skip }
    }

    /// Its end, unless somebody loads it: the blocks of loads are at the end.
    pub fn end(&self) -> Option<BlockNumber> {
        self.skip.iter().all(Range::is_empty).then_some(self.end)
    }

    pub fn contains(&self, block: BlockNumber) -> bool {
        block < self.end && !self.skip.iter().any(|range| range.contains(&block))
    }

    pub fn blocks(self) -> impl Iterator<Item = BlockNumber> + Send + 'static {
        (0..self.end).filter(move |&block| self.contains(block))
    }
}

static NO_BLOCKS: LazyLock<Arc<[Range<BlockNumber>]>> = LazyLock::new(|| Arc::new([]));

impl TableScan {
    /// The rows that `snapshot` sees, of the columns in `projection`; one past the last is the rows' identity
    /// ([`access::Tid::pack`]). The caller's transaction holds a lock on the table.
    pub fn new(table: &Arc<Table>, snapshot: Snapshot, projection: Arc<[usize]>) -> TableScan {
        let schema = table.projected_schema(&projection);
        TableScan::with_schema(table, snapshot, projection, schema)
    }

    pub fn table(&self) -> &Arc<Table> {
        &self.table
    }

    /// The same for whoever has made the projection's schema before ([`Table::tested_schema`]).
    pub fn with_schema(
        table: &Arc<Table>,
        snapshot: Snapshot,
        projection: Arc<[usize]>,
        schema: SchemaRef,
    ) -> TableScan {
        let settled = Settled::of(&table.loading, &table.heap.relation);
        TableScan { table: table.clone(), next: Arc::new(AtomicU32::new(0)), settled, snapshot, projection, schema }
    }

    /// May this block be read? Others are nobody's yet, or not there: no snapshot sees a row in them.
    pub fn is_settled(&self, block: BlockNumber) -> bool {
        self.settled.contains(block)
    }

    /// Of these rows the ones that the snapshot sees. Their pages are read ahead.
    pub async fn fetch(&self, session: &Session, tids: &[Tid], concurrency: Concurrency) -> Result<RecordBatch> {
        let heap = &self.table.heap;
        let mut builder = self.batch_builder(tids.len());
        let runs = || tids.chunk_by(|a, b| a.block == b.block);
        let mut pages = Pages::new(heap, session, concurrency, runs().map(|run| run[0].block).collect());
        for (at, run) in runs().enumerate() {
            // It stays in memory while its rows are looked at.
            let _page = pages.page(at).await?;
            for &tid in run {
                let add = |stored: &[Option<&[u8]>], _: &[Option<&[u8]>]| builder.add_row(tid, stored);
                heap.look(session, tid, &self.snapshot, |_| false, add).await?;
            }
        }
        let rows = builder.finish().map_err(|reason| EngineError::new(sqlstate::DATA_CORRUPTED, reason))?;
        Ok(heap.detoast_batch(session, rows).await?)
    }

    /// Starts one participant, which shares the blocks with the others.
    pub fn participant(&self, session: &Session, concurrency: Concurrency, participants: usize) -> HeapScan {
        let (next, end, settled) = (self.next.clone(), self.settled.end, self.settled.clone());
        let mut chunk = 0..0;
        let alone = participants <= 1;
        let next_block = Box::new(move || {
            loop {
                if chunk.is_empty() {
                    let size = if alone { end.max(1) } else { CHUNK_BLOCKS };
                    let first = next.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
                        (n < end).then(|| n + size.min(end - n))
                    });
                    let first = first.ok()?;
                    chunk = first..(first + size.min(end - first));
                }
                let block = chunk.next()?;
                if settled.contains(block) {
                    return Some(block);
                }
            }
        });
        self.over(session, concurrency, next_block)
    }

    /// Scans these blocks.
    pub(crate) fn over(
        &self,
        session: &Session,
        concurrency: Concurrency,
        next_block: Box<dyn FnMut() -> Option<BlockNumber> + Send>,
    ) -> HeapScan {
        let heap = &self.table.heap;
        let pool = &heap.store.pool;
        let large = self.settled.end > pool.len() as u32 / RING_FRACTION;
        let ring = large.then(|| (pool.len() / 8).clamp(64, 2048));
        let context = if large { IoContext::BulkRead } else { IoContext::Normal };
        let stream = ReadStream::new(pool, session, &heap.relation, concurrency, context, ring, next_block);
        HeapScan::new(heap, session, stream, self.projection.clone(), self.schema.clone(), self.snapshot.clone())
    }

    /// For batches of about so many rows.
    pub(crate) fn batch_builder(&self, rows: usize) -> BatchBuilder {
        BatchBuilder::new(self.table.heap.shape.clone(), &self.projection, self.schema.clone(), rows)
    }
}

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

    /// The same, but everybody sees the rows who sees the table, which the transaction has made (COPY FREEZE): VACUUM finds nothing
    /// to do.
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
            // Nobody takes them for blocks that can be read while they are neither given back nor there ([`Settled`]).
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
            // A rollback empties these blocks: nobody else may put rows there, whatever room is made there meanwhile.
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
            // Whoever came by a row's identity may have read them before they were written.
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
