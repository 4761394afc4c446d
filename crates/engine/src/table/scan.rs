//! Scans of a table: which blocks may be read, and who takes part.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use ::error::sqlstate;
use access::{BatchBuilder, HeapScan, Pages, Tid};
use aio::lwlock::Mutex;
use aio::{IoContext, Session};
use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use storage::{BlockNumber, Concurrency, ReadStream, Relation};
use txn::Snapshot;

use crate::{EngineError, Result};

use super::{Loading, Table};

/// Blocks a scan's participants take at a time from the shared counter: enough for a few combined reads.
pub(crate) const CHUNK_BLOCKS: u32 = 64;
/// A relation larger than this part of the pool is scanned in a ring.
const RING_FRACTION: u32 = 4;

/// What the participants of one scan share.
pub struct TableScan {
    pub(crate) table: Arc<Table>,
    next: Arc<AtomicU32>,
    pub(crate) settled: Settled,
    pub(crate) snapshot: Snapshot,
    pub(crate) projection: Arc<[usize]>,
    pub(crate) schema: SchemaRef,
}

/// The blocks of one of a table's files that may be read: loads write some around the pool, which no scan may read yet.
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

    /// Its end, unless a load is under way: the blocks of loads are at the end.
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

    /// The same for a caller that has made the projection's schema before ([`Table::tested_schema`]).
    pub fn with_schema(
        table: &Arc<Table>,
        snapshot: Snapshot,
        projection: Arc<[usize]>,
        schema: SchemaRef,
    ) -> TableScan {
        let settled = Settled::of(&table.loading, &table.heap.relation);
        TableScan { table: table.clone(), next: Arc::new(AtomicU32::new(0)), settled, snapshot, projection, schema }
    }

    /// May this block be read? Others are being loaded, or not there: no snapshot sees a row in them.
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
