//! Putting rows into a heap.
//!
//! Rows that come one by one go into pages of the buffer pool, each page change with its log record: the encoded rows, or
//! a full image of the page at its first change after a checkpoint.
//!
//! A bulk load goes around pool and log. It reserves blocks at the end of the relation, logs the reservation, packs pages
//! and writes them through a write stream; its rows are nobody's business until the transaction commits, and the commit
//! record comes only after the data is flushed. A crash before that leaves blocks that recovery fills with zeros: it finds
//! them through the reservation records, which the write stream makes durable before the first page they cover (they are
//! those pages' LSN). So bulk data is written once, not twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aio::{IoContext, Session};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use storage::{BlockNumber, BufferPool, Lsn, PAGE_SIZE, Page, PageMut, PinnedPage, Relation, WriteStream};
use txn::Xid;
use wal::{Log, RecordHeader};

use crate::page::{CONTENT, MAX_ROWS, SPACE, init, places, put_u16};
use crate::redo;
use crate::row::{append, encode_row, init_for, primitive_values, value_bytes};
use crate::shape::{ColumnShape, TableShape};
use crate::{AccessError, Result};

/// Log space for the largest record about one page.
const PAGE_RECORD: usize = PAGE_SIZE + 256;
/// The smallest and largest number of blocks a bulk load reserves at once: small loads waste little, large ones log little.
const RESERVE: (u32, u32) = (16, 2048);

/// A heap that can be written to.
#[derive(Clone)]
pub struct Heap {
    pub pool: Arc<BufferPool>,
    pub log: Log,
    pub relation: Arc<Relation>,
    pub shape: Arc<TableShape>,
    /// Where the last row found room; `u32::MAX` when unknown.
    pub target_block: Arc<AtomicU32>,
}

/// Inserts a batch row by row, for statements that bring few. Durable once the log is flushed to the LSN it gives.
pub async fn insert_batch(heap: &Heap, session: &Session, batch: &RecordBatch, xid: Xid) -> Result<Lsn> {
    let mut rows = Vec::new();
    let mut ends = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        encode_row(&mut rows, &heap.shape, batch, row)?;
        ends.push(rows.len());
    }
    let (mut done, mut lsn) = (0, 0);
    while done < ends.len() {
        heap.log.reserve(session, PAGE_RECORD).await?;
        let start = if done == 0 { 0 } else { ends[done - 1] };
        let (page, block, fresh) = target_page(heap, session).await?;
        match fill_page(heap, &page, block, fresh, &rows[start..], xid)? {
            Some((count, end)) => {
                done += count;
                lsn = end;
                heap.target_block.store(block, Ordering::Relaxed);
            }
            // No room: the next page is a new one.
            None => heap.target_block.store(u32::MAX, Ordering::Relaxed),
        }
    }
    Ok(lsn)
}

async fn target_page(heap: &Heap, session: &Session) -> Result<(PinnedPage, BlockNumber, bool)> {
    let block = heap.target_block.load(Ordering::Relaxed);
    if block < heap.relation.blocks() {
        let page = heap.pool.pin(session, &heap.relation, block, IoContext::Normal).await?;
        return Ok((page, block, false));
    }
    let (block, page) = heap.pool.extend(session, &heap.relation, IoContext::Normal).await?;
    Ok((page, block, true))
}

/// Appends as many of the encoded rows as fit, and logs that. Gives their number and the record's end; `None` if none fit.
fn fill_page(
    heap: &Heap,
    page: &PinnedPage,
    block: BlockNumber,
    fresh: bool,
    rows: &[u8],
    xid: Xid,
) -> Result<Option<(usize, Lsn)>> {
    let mut latched = page.write();
    let bad = |reason| AccessError::BadHeapPage { relation: heap.relation.id(), block, reason };
    let fresh = fresh || latched.is_new();
    if fresh {
        init_for(&mut latched, &heap.shape, rows, xid - 1)?;
    }
    let (mut count, mut taken) = (0, 0);
    while taken < rows.len() {
        match append(&mut latched, &heap.shape, &rows[taken..], xid).map_err(bad)? {
            Some(bytes) => {
                count += 1;
                taken += bytes;
            }
            None => break,
        }
    }
    if count == 0 {
        return Ok(None);
    }
    let header = RecordHeader { xid, manager: redo::HEAP, kind: 0 };
    let relation = heap.relation.id();
    let lsn = loop {
        let redo = heap.log.redo_position();
        let logged = if !fresh && latched.lsn() <= redo {
            redo::log_image(&heap.log, redo, header, relation, block, &latched)
        } else {
            redo::log_rows(&heap.log, redo, header, relation, block, fresh.then_some(&*latched), count, &rows[..taken])
        };
        if let Some(lsn) = logged {
            break lsn;
        }
    };
    latched.set_lsn(lsn);
    Ok(Some((count, lsn)))
}

/// One column of the page being packed.
struct Packed {
    nulls: Vec<u8>,
    values: Vec<u8>,
    /// Ends of variable-length values in `values`.
    ends: Vec<usize>,
}

/// A bulk load in progress. Nothing of it is seen before [`BulkLoad::finish`] and the transaction's commit.
pub struct BulkLoad {
    heap: Heap,
    session: Session,
    stream: WriteStream,
    xid: Xid,
    columns: Vec<Packed>,
    rows: usize,
    variable: usize,
    /// Rows that fit if nothing is of variable length.
    fixed_capacity: usize,
    reserved: std::ops::Range<BlockNumber>,
    reservation: u32,
    reservation_lsn: Lsn,
    /// Every range it reserved, for whoever undoes it.
    on_reserve: Box<dyn FnMut(std::ops::Range<BlockNumber>) + Send>,
}

impl BulkLoad {
    /// `on_reserve` learns of each range of blocks before anything is written there.
    pub fn new(
        heap: &Heap,
        session: &Session,
        xid: Xid,
        on_reserve: Box<dyn FnMut(std::ops::Range<BlockNumber>) + Send>,
    ) -> BulkLoad {
        let columns =
            heap.shape.columns.iter().map(|_| Packed { nulls: vec![], values: vec![], ends: vec![] }).collect();
        BulkLoad {
            heap: heap.clone(),
            session: session.clone(),
            stream: WriteStream::new(&heap.pool, session, IoContext::BulkWrite),
            xid,
            columns,
            rows: 0,
            variable: 0,
            fixed_capacity: crate::page::capacity_for(&heap.shape, false, 0),
            reserved: 0..0,
            reservation: RESERVE.0,
            reservation_lsn: 0,
            on_reserve,
        }
    }

    /// Adds a batch's rows.
    pub async fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut row = 0;
        while row < batch.num_rows() {
            let count = self.fits(batch, row)?;
            if count == 0 {
                self.emit().await?;
                continue;
            }
            self.pack(batch, row, count);
            row += count;
        }
        Ok(())
    }

    /// How many rows from `row` on fit the page being packed.
    fn fits(&self, batch: &RecordBatch, row: usize) -> Result<usize> {
        let shape = &self.heap.shape;
        let left = batch.num_rows() - row;
        if shape.columns.iter().all(|c| c.width.is_some()) {
            return Ok(left.min(self.fixed_capacity - self.rows));
        }
        let (mut count, mut variable) = (0, self.variable);
        while count < left && self.rows + count < MAX_ROWS {
            for (column, array) in shape.columns.iter().zip(batch.columns()) {
                if column.width.is_none() {
                    variable += value_bytes(array, None, row + count).map_or(0, <[u8]>::len);
                }
            }
            let size = places(shape, false, self.rows + count + 1).1 + variable;
            if size > PAGE_SIZE {
                if self.rows + count == 0 {
                    return Err(AccessError::RowTooBig { size: size - CONTENT, max: SPACE });
                }
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    fn pack(&mut self, batch: &RecordBatch, from: usize, count: usize) {
        for ((column, array), packed) in self.heap.shape.columns.iter().zip(batch.columns()).zip(&mut self.columns) {
            self.variable += pack_column(column, array, packed, from, count, self.rows);
        }
        self.rows += count;
    }

    /// Writes the packed page.
    async fn emit(&mut self) -> Result<()> {
        if self.reserved.is_empty() {
            self.reserve().await?;
        }
        let block = self.reserved.start;
        self.reserved.start += 1;
        let mut page = self.stream.buffer().await?;
        let shape = &self.heap.shape;
        init(&mut page, shape, self.rows, false, self.xid);
        let (places, _) = places(shape, false, self.rows);
        let mut low = PAGE_SIZE;
        for ((column, place), packed) in shape.columns.iter().zip(places).zip(&mut self.columns) {
            if let Some(nulls) = place.nulls {
                page[nulls..nulls + packed.nulls.len()].copy_from_slice(&packed.nulls);
            }
            match column.width {
                Some(_) => page[place.values..place.values + packed.values.len()].copy_from_slice(&packed.values),
                None => {
                    // A column's values lie together, in order.
                    low -= packed.values.len();
                    page[low..low + packed.values.len()].copy_from_slice(&packed.values);
                    let mut start = 0;
                    for (row, &end) in packed.ends.iter().enumerate() {
                        put_u16(&mut page, place.values + row * 4, low + start);
                        put_u16(&mut page, place.values + row * 4 + 2, end - start);
                        start = end;
                    }
                }
            }
            packed.nulls.clear();
            packed.values.clear();
            packed.ends.clear();
        }
        put_u16(&mut page, 16, self.rows);
        put_u16(&mut page, 32, low);
        page.set_lsn(self.reservation_lsn);
        (self.rows, self.variable) = (0, 0);
        self.stream.put(&self.heap.relation, block, page).await?;
        Ok(())
    }

    async fn reserve(&mut self) -> Result<()> {
        self.heap.log.reserve(&self.session, 256).await?;
        let first = self.heap.relation.reserve(self.reservation);
        self.reserved = first..first + self.reservation;
        self.reservation = (self.reservation * 2).min(RESERVE.1);
        (self.on_reserve)(self.reserved.clone());
        let header = RecordHeader { xid: self.xid, manager: redo::HEAP, kind: 0 };
        self.reservation_lsn = redo::log_reserve(&self.heap.log, header, self.heap.relation.id(), &self.reserved);
        Ok(())
    }

    /// Writes the rest and makes all of it durable. Gives back the reserved blocks that were not needed where they are
    /// the relation's last.
    pub async fn finish(mut self) -> Result<()> {
        if self.rows > 0 {
            self.emit().await?;
        }
        self.stream.finish().await?;
        self.heap.relation.give_back(self.reserved.clone());
        self.heap.relation.materialise()?;
        WriteStream::sync(&self.session, &self.heap.relation).await?;
        Ok(())
    }
}

/// Packs `count` values; gives the bytes of variable length among them. `at` rows are packed already.
fn pack_column(
    column: &ColumnShape,
    array: &dyn Array,
    packed: &mut Packed,
    from: usize,
    count: usize,
    at: usize,
) -> usize {
    if column.nullable {
        packed.nulls.resize((at + count).div_ceil(8), 0);
        if array.null_count() > 0 {
            for row in (0..count).filter(|&row| array.is_null(from + row)) {
                packed.nulls[(at + row) / 8] |= 1 << ((at + row) % 8);
            }
        }
    }
    match (column.width, &column.data_type) {
        (Some(width), DataType::Boolean | DataType::FixedSizeBinary(_)) => {
            for row in from..from + count {
                match value_bytes(array, Some(width), row) {
                    Some(bytes) => packed.values.extend_from_slice(bytes),
                    None => packed.values.resize(packed.values.len() + width, 0),
                }
            }
            0
        }
        (Some(width), _) => {
            packed.values.extend_from_slice(primitive_values(array, width, from, count));
            0
        }
        (None, _) => {
            let before = packed.values.len();
            for row in from..from + count {
                packed.values.extend_from_slice(value_bytes(array, None, row).unwrap_or(&[]));
                packed.ends.push(packed.values.len());
            }
            packed.values.len() - before
        }
    }
}
