//! Bulk load: around pool and log.
//!
//! It reserves blocks at the end of the relation, logs the reservation, packs pages and writes them through a write
//! stream; its rows are nobody's business until the transaction commits, and the commit record comes only after the data is
//! flushed. A crash before that leaves blocks that recovery fills with zeros: it finds them through the reservation
//! records, which the write stream makes durable before the first page they cover (they are those pages' LSN). So bulk data
//! is written once, not twice.

use std::collections::BTreeMap;
use std::ops::Range;

use aio::{IoContext, Session};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use storage::{BlockNumber, FileSet, Lsn, PAGE_SIZE, PageMut, RelationId, WriteStream};
use txn::Xid;
use wal::{Record, RecordHeader};

use crate::edit::{Edit, PAGES, RESERVE};
use crate::heap::Heap;
use crate::page::*;
use crate::row::{primitive_values, value_bytes};
use crate::shape::ColumnShape;
use crate::{AccessError, Result, modify};

/// The smallest and largest number of blocks a bulk load reserves at once: small loads waste little, large ones log little.
const RESERVATION: (u32, u32) = (16, 2048);

/// Blocks that bulk loads reserved, by transaction.
pub type Reservations = BTreeMap<Xid, Vec<(RelationId, Range<BlockNumber>)>>;

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
    version: Version,
    columns: Vec<Packed>,
    rows: usize,
    variable: usize,
    /// Rows that fit if nothing is of variable length.
    fixed_capacity: usize,
    reserved: Range<BlockNumber>,
    reservation: u32,
    reservation_lsn: Lsn,
    /// Every range it reserved, for whoever undoes it.
    on_reserve: Box<dyn FnMut(Range<BlockNumber>) + Send + Sync>,
}

impl BulkLoad {
    /// `on_reserve` learns of each range of blocks before anything is written there.
    pub fn new(
        heap: &Heap,
        session: &Session,
        xid: Xid,
        command: u32,
        on_reserve: Box<dyn FnMut(Range<BlockNumber>) + Send + Sync>,
    ) -> BulkLoad {
        let columns =
            heap.shape.columns.iter().map(|_| Packed { nulls: vec![], values: vec![], ends: vec![] }).collect();
        BulkLoad {
            heap: heap.clone(),
            session: session.clone(),
            stream: WriteStream::new(&heap.store.pool, session, IoContext::BulkWrite),
            version: Version { xid, command, inserted: true, ..Version::FROZEN },
            columns,
            rows: 0,
            variable: 0,
            fixed_capacity: capacity_for(&heap.shape, 0, 0),
            reserved: 0..0,
            reservation: RESERVATION.0,
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
            if arrays_end(shape, 1) - CONTENT > MAX_ROW {
                return Err(AccessError::RowTooBig { size: arrays_end(shape, 1) - CONTENT, max: MAX_ROW });
            }
            return Ok(left.min(self.fixed_capacity - self.rows));
        }
        let (mut count, mut variable) = (0, self.variable);
        while count < left && self.rows + count < MAX_VARIABLE_ROWS {
            for (column, array) in shape.columns.iter().zip(batch.columns()) {
                if column.width.is_none() {
                    variable += value_bytes(array, None, row + count).map_or(0, <[u8]>::len);
                }
            }
            let size = arrays_end(shape, self.rows + count + 1) + variable;
            if size - CONTENT > MAX_ROW && self.rows + count == 0 {
                return Err(AccessError::RowTooBig { size: size - CONTENT, max: MAX_ROW });
            }
            let spare = if self.rows + count == 0 { 2 } else { SPARE_ENTRIES };
            if size > PAGE_SIZE - spare * ENTRY {
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
        modify::init(&mut Edit::detached(&mut page), shape, self.rows);
        let (places, end) = places(shape, self.rows);
        let mut low = PAGE_SIZE;
        for ((column, place), packed) in shape.columns.iter().zip(places).zip(&mut self.columns) {
            if let Some(nulls) = place.nulls() {
                page[nulls..nulls + packed.nulls.len()].copy_from_slice(&packed.nulls);
            }
            match column.width {
                Some(_) => page[place.values()..place.values() + packed.values.len()].copy_from_slice(&packed.values),
                None => {
                    // A column's values lie together, in order.
                    low -= packed.values.len();
                    page[low..low + packed.values.len()].copy_from_slice(&packed.values);
                    let mut start = 0;
                    for (row, &end) in packed.ends.iter().enumerate() {
                        put_u16(&mut page, place.values() + row * 4, low + start);
                        put_u16(&mut page, place.values() + row * 4 + 2, end - start);
                        start = end;
                    }
                }
            }
            packed.nulls.clear();
            packed.values.clear();
            packed.ends.clear();
        }
        Entry { row: 0, count: self.rows, version: self.version }.write(&mut page[end..end + ENTRY]);
        put_u16(&mut page, ENTRIES, 1);
        put_u16(&mut page, ROWS, self.rows);
        put_u16(&mut page, LOW, low);
        page.set_lsn(self.reservation_lsn);
        (self.rows, self.variable) = (0, 0);
        self.stream.put(&self.heap.relation, block, page).await?;
        Ok(())
    }

    async fn reserve(&mut self) -> Result<()> {
        let log = &self.heap.store.log;
        log.reserve(&self.session, 256).await?;
        let first = self.heap.relation.reserve(self.reservation);
        self.reserved = first..first + self.reservation;
        self.reservation = (self.reservation * 2).min(RESERVATION.1);
        (self.on_reserve)(self.reserved.clone());
        let id = self.heap.relation.id();
        let header = RecordHeader { xid: self.version.xid, manager: PAGES, kind: RESERVE };
        let numbers = [id.database, id.file, self.reserved.start, self.reserved.end].map(u32::to_le_bytes);
        self.reservation_lsn = log.insert(header, &[&numbers.concat()]);
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

/// Replays a reservation: notes it, for whoever empties the blocks of loads that did not commit.
pub fn replay(record: &Record, files: &FileSet, reserved: &mut Reservations) -> Result<()> {
    let payload = &record.payload;
    if payload.len() != 16 {
        let reason = format!("record at {}: a truncated reservation", wal::format_lsn(record.start));
        return Err(AccessError::Log(wal::LogError::Failed(reason)));
    }
    let id = RelationId { database: get_u32(payload, 0), file: get_u32(payload, 4) };
    let range = get_u32(payload, 8)..get_u32(payload, 12);
    let relation = files.open_or_create(id)?;
    relation.extend_to(range.end);
    relation.materialise()?;
    reserved.entry(record.header.xid).or_default().push((id, range));
    Ok(())
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
