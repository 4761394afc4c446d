//! Bulk load: around pool and log.
//!
//! It reserves blocks at the end of the relation, logs the reservation, packs pages and writes them through a write
//! stream; its rows concern no other session until the transaction commits, and the commit record comes only after the data is
//! flushed. A crash before that leaves blocks that recovery fills with zeros: it finds them through the reservation
//! records, which the write stream makes durable before the first page they cover. So bulk data
//! is written once, not twice. The chunks of long values go into the table's fork in the same way.

use std::collections::BTreeMap;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;

use aio::{IoContext, Session};
use arrow_array::builder::BinaryBuilder;
use arrow_array::{Array, ArrayRef, BinaryArray, RecordBatch};
use arrow_schema::DataType;
use smallvec::SmallVec;
use storage::{BlockChange, BlockNumber, FileSet, Lsn, PAGE_SIZE, Relation, RelationId, WriteStream};
use txn::Xid;
use wal::{Record, RecordHeader};

use crate::array::{primitive_values, value_bytes};
use crate::edit::{Edit, PAGES, RELEASE, RESERVE};
use crate::heap::row::check_bytes;
use crate::heap::variable::VariableColumn;
use crate::heap::{Heap, Store};
use crate::page::*;
use crate::page::{entries, modify};
use crate::shape::{ColumnShape, Lying, TableShape};
use crate::toast::save::{Sink, Values, is_wanted, room_for_values, toast};
use crate::toast::stored::Run;
use crate::{AccessError, Result};

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
    xid: Xid,
    command: u32,
    /// Rows are as old as the table, and need no version.
    is_frozen: bool,
    columns: Vec<Packed>,
    rows: usize,
    variable: usize,
    /// Rows that fit if nothing is of variable length.
    fixed_capacity: usize,
    reserved: Range<BlockNumber>,
    reservation: u32,
    reservation_lsn: Lsn,
    reserving: Reserving,
    /// The load of the chunks of long values, if there are any.
    chunks: Option<Box<BulkLoad>>,
}

/// Reserves so many blocks at a relation's end, and notes that in one step for sessions that read the relation meanwhile.
pub type OnReserve = dyn Fn(&Relation, u32) -> Range<BlockNumber> + Send + Sync;
/// The end of what was reserved last is not needed: it is the load's no more. Called while the log is locked.
pub type OnRelease = dyn Fn(&Relation, &Range<BlockNumber>) + Send + Sync;
/// The log says so: the blocks are given back, or can be read.
pub type OnReleased = dyn Fn(&Relation, &Range<BlockNumber>) -> storage::Result<()> + Send + Sync;

/// What others are to know of the blocks that a load has reserved.
#[derive(Clone)]
pub struct Reserving {
    pub reserve: Arc<OnReserve>,
    pub release: Arc<OnRelease>,
    pub released: Arc<OnReleased>,
}

impl BulkLoad {
    pub fn new(heap: &Heap, session: &Session, xid: Xid, command: u32, reserving: Reserving) -> BulkLoad {
        let columns =
            heap.shape.columns.iter().map(|_| Packed { nulls: vec![], values: vec![], ends: vec![] }).collect();
        BulkLoad {
            heap: heap.clone(),
            session: session.clone(),
            stream: WriteStream::new(&heap.store.pool, session, IoContext::BulkWrite),
            xid,
            command,
            is_frozen: false,
            columns,
            rows: 0,
            variable: 0,
            fixed_capacity: capacity_for(&heap.shape, heap.shape.current(), 0, 0),
            reserved: 0..0,
            reservation: RESERVATION.0,
            reservation_lsn: 0,
            reserving,
            chunks: None,
        }
    }

    /// The same, but all that see the table see the rows: the transaction has made it.
    pub fn frozen(self) -> BulkLoad {
        BulkLoad { is_frozen: true, ..self }
    }

    /// Adds a batch's rows, and where they will be to `tids`.
    pub async fn add(&mut self, batch: &RecordBatch, tids: &mut Vec<Tid>) -> Result<()> {
        let mut ends = variable_ends(&self.heap.shape, batch.columns());
        let toasted = Box::pin(self.toast(batch, &ends)).await?;
        let columns = toasted.as_deref().unwrap_or(batch.columns());
        if toasted.is_some() {
            ends = variable_ends(&self.heap.shape, columns);
        }
        let (mut row, rows) = (0, batch.num_rows());
        while row < rows {
            let count = self.fits(&ends, row, rows - row)?;
            if count == 0 {
                self.emit().await?;
                continue;
            }
            let block = self.block().await?;
            tids.extend((self.rows..self.rows + count).map(|row| Tid { block, row: row as u16 }));
            self.pack(columns, row, count);
            row += count;
        }
        if let Some(chunks) = &mut self.chunks {
            chunks.stream.pause().await?;
        }
        Ok(self.stream.pause().await?)
    }

    /// A batch's columns as they are to be stored, where that is otherwise than they are. `ends`: [`variable_ends`].
    async fn toast(&mut self, batch: &RecordBatch, ends: &[usize]) -> Result<Option<Vec<ArrayRef>>> {
        let shape = self.heap.shape.clone();
        let variable: Vec<usize> = shape.variable().collect();
        let columns = variable.iter().map(|&column| (column, VariableColumn::new(batch.column(column))));
        let columns: Vec<(usize, VariableColumn<'_>)> = columns.collect();
        let values = |row: usize| columns.iter().filter_map(move |(column, values)| Some((*column, values.get(row)?)));
        let room = room_for_values(&shape);
        // Looked at one by one only where the row is long, or a value is not as it seems.
        let any_extended = columns.iter().any(|(_, values)| values.has_extended());
        let seems_long = |row: usize| any_extended || ends.get(row + 1).is_some_and(|end| end - ends[row] > room);
        let is_long = |row: &usize| seems_long(*row) && is_wanted(room, values(*row).map(|(_, value)| value));
        let long: Vec<usize> = (0..batch.num_rows()).filter(is_long).collect();
        if long.is_empty() {
            return Ok(None);
        }
        let (heap, xid) = (self.heap.clone(), self.xid);
        if self.chunks.is_none() {
            let fork = heap.toast_or_create()?;
            let reserving = self.reserving.clone();
            let load = BulkLoad::new(&fork, &self.session, xid, self.command, reserving);
            self.chunks = Some(Box::new(if self.is_frozen { load.frozen() } else { load }));
        }
        let load = self.chunks.as_mut().expect("it was begun");
        let mut toasted: Vec<(usize, Values)> = Vec::with_capacity(long.len());
        for row in long {
            let next_id = || heap.next_value_id(xid);
            toasted.push((row, toast(&shape, values(row), shape.target, next_id, &mut **load).await?));
        }
        let mut stored = batch.columns().to_vec();
        for &column in &variable {
            stored[column] = Arc::new(replaced(batch.column(column), column, &toasted));
        }
        Ok(Some(stored))
    }

    /// Adds a chunk of a long value; gives where it will be.
    async fn add_chunk(&mut self, chunk: &[u8]) -> Result<Tid> {
        let column: ArrayRef = Arc::new(BinaryArray::from_iter_values([chunk]));
        let columns = std::slice::from_ref(&column);
        if self.fits(&variable_ends(&self.heap.shape, columns), 0, 1)? == 0 {
            self.emit().await?;
        }
        let tid = Tid { block: self.block().await?, row: self.rows as u16 };
        self.pack(columns, 0, 1);
        Ok(tid)
    }

    /// How many of `left` rows from `row` on fit the page being packed. `ends`: those of the batch ([`variable_ends`]).
    fn fits(&self, ends: &[usize], row: usize, left: usize) -> Result<usize> {
        let shape = &self.heap.shape;
        if shape.variable().all(|column| shape.current()[column] == Lying::Nowhere) {
            check_bytes(shape, 0)?;
            return Ok(left.min(self.fixed_capacity - self.rows));
        }
        let size = |count: usize| {
            arrays_end(shape, shape.current(), self.rows + count) + self.variable + ends[row + count] - ends[row]
        };
        if self.rows == 0 && left > 0 && size(1) - CONTENT > MAX_ROW {
            return Err(AccessError::RowTooBig { size: size(1) - CONTENT, max: MAX_ROW });
        }
        let fits = |count: usize| {
            let spare = if self.rows + count == 1 { 2 * ENTRY } else { spare_for_entries(self.rows + count) };
            size(count) <= PAGE_SIZE - spare
        };
        // More rows never take less: the last number of them that fits is between these.
        let (mut low, mut high) = (0, left.min(MAX_VARIABLE_ROWS - self.rows));
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        Ok(low)
    }

    fn pack(&mut self, columns: &[ArrayRef], from: usize, count: usize) {
        let shape = &self.heap.shape;
        let layout = shape.columns.iter().zip(shape.current());
        for (((column, lying), array), packed) in layout.zip(columns).zip(&mut self.columns) {
            if *lying != Lying::Nowhere {
                self.variable += pack_column((column, *lying), array, packed, from, count, self.rows);
            }
        }
        self.rows += count;
    }

    /// Writes the packed page.
    async fn emit(&mut self) -> Result<()> {
        let block = self.reserved.start;
        assert!(block < self.reserved.end, "a block was reserved for the rows that were packed");
        self.reserved.start += 1;
        let mut page = self.stream.buffer().await?;
        let shape = &self.heap.shape;
        modify::init(&mut Edit::detached(&mut page), shape, shape.current(), self.rows);
        let (places, end) = places(shape, shape.current(), self.rows);
        let mut low = PAGE_SIZE;
        let here = shape.columns.iter().zip(places).zip(&mut self.columns).filter(|((_, place), _)| place.is_here());
        for ((column, place), packed) in here {
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
        if !self.is_frozen {
            let version = Version { xid: self.xid, command: self.command, inserted: true, ..Version::FROZEN };
            page[end..end + ENTRY].copy_from_slice(&entries::of_all(self.rows, &version));
            put_u16(&mut page, ENTRIES, 1);
            put_u16(&mut page, ENTRIES_LEN, ENTRY);
        }
        put_u16(&mut page, ROWS, self.rows);
        put_u16(&mut page, LOW, low);
        (self.rows, self.variable) = (0, 0);
        // Its LSN stays 0: nothing of it is in the log, so the session that changes it first has to log the whole page.
        self.stream.put_behind(&self.heap.relation, block, page, self.reservation_lsn).await?;
        Ok(())
    }

    /// Where the page being packed goes.
    async fn block(&mut self) -> Result<BlockNumber> {
        if self.reserved.is_empty() {
            self.reserve().await?;
        }
        Ok(self.reserved.start)
    }

    async fn reserve(&mut self) -> Result<()> {
        let Store { log, pool, .. } = &*self.heap.store;
        log.reserve(&self.session, 256).await?;
        // With space on the disk before other sessions know of them: a load that fails has to write them, too, as empty pages.
        let relation = &self.heap.relation;
        let next = loop {
            let first = relation.blocks();
            let next = first..first + self.reservation;
            match pool.allocate(&self.session, relation, next.clone(), IoContext::BulkWrite).await {
                Ok(()) => break next,
                // Fewer may be enough.
                Err(error) if error.is_out_of_space() && self.reservation > RESERVATION.0 => {
                    self.reservation = RESERVATION.0;
                }
                Err(error) => return Err(error.into()),
            }
        };
        self.reserved = (self.reserving.reserve)(relation, self.reservation);
        let reserved = self.reserved.clone();
        note_rows(&self.heap.relation, &self.reserved);
        self.reservation = (self.reservation * 2).min(RESERVATION.1);
        let id = self.heap.relation.id();
        let header = RecordHeader { xid: self.xid, manager: PAGES, kind: RESERVE };
        self.reservation_lsn = log.insert(header, &[&about(id, &self.reserved)]);
        if reserved != next
            && let Err(error) = pool.allocate(&self.session, relation, reserved.clone(), IoContext::BulkWrite).await
        {
            // Others were faster, and there is no more.
            self.reserved = 0..0;
            self.release(reserved).await?;
            return Err(error.into());
        }
        Ok(())
    }

    /// Gives back what was reserved and is not needed. From then on others put rows there: neither a rollback nor recovery may
    /// empty these blocks.
    async fn release(&self, unused: Range<BlockNumber>) -> Result<()> {
        if unused.is_empty() {
            return Ok(());
        }
        let log = &self.heap.store.log;
        log.reserve(&self.session, 256).await?;
        let id = self.heap.relation.id();
        let header = RecordHeader { xid: self.xid, manager: PAGES, kind: RELEASE };
        log.insert_with(header, &[&about(id, &unused)], |_| (self.reserving.release)(&self.heap.relation, &unused));
        // What cannot be given back, because others have reserved blocks behind it, is not to be written: a rollback does not
        // look at it any more if what is left to do here fails.
        Ok((self.reserving.released)(&self.heap.relation, &unused)?)
    }

    /// Writes the rest and makes all of it durable. Gives back the reserved blocks that were not needed where they are
    /// the relation's last.
    pub async fn finish(mut self) -> Result<()> {
        if let Some(chunks) = self.chunks.take() {
            Box::pin(chunks.finish()).await?;
        }
        if self.rows > 0 {
            self.emit().await?;
        }
        let unused = std::mem::take(&mut self.reserved);
        self.release(unused).await?;
        self.stream.finish().await?;
        Ok(Relation::sync(&self.session, std::slice::from_ref(&self.heap.relation)).await?)
    }
}

/// A column as it is to be stored; `toasted`: by row, the values of any column that are stored otherwise than they are.
fn replaced(array: &dyn Array, column: usize, toasted: &[(usize, Values)]) -> BinaryArray {
    let mut out = BinaryBuilder::new();
    let mut toasted = toasted.iter().peekable();
    for row in 0..array.len() {
        let stored = toasted.next_if(|(at, _)| *at == row).and_then(|(_, values)| {
            let (_, value) = values.iter().find(|(own, _)| *own == column)?;
            value.as_deref()
        });
        out.append_option(stored.or_else(|| value_bytes(array, None, row)));
    }
    out.finish()
}

/// What a record has that is about these blocks.
pub(crate) fn about(id: RelationId, blocks: &Range<BlockNumber>) -> Vec<u8> {
    [id.database, id.file, blocks.start, blocks.end].map(u32::to_le_bytes).concat()
}

/// What a record of a reservation, or of something else about a range of blocks, is about.
pub(crate) fn blocks_of(record: &Record) -> Result<(RelationId, Range<BlockNumber>)> {
    let payload = &record.payload;
    if payload.len() != 16 {
        let reason = format!("record at {}: a truncated reservation", wal::format_lsn(record.start));
        return Err(AccessError::Log(wal::LogError::Failed(reason)));
    }
    let id = RelationId { database: get_u32(payload, 0), file: get_u32(payload, 4) };
    Ok((id, get_u32(payload, 8)..get_u32(payload, 12)))
}

/// Rows will be in these blocks.
fn note_rows(relation: &Relation, blocks: &Range<BlockNumber>) {
    if !relation.id().is_fork() {
        blocks.clone().for_each(|block| relation.visibility().note(block, BlockChange::Inserts));
    }
}

/// Replays a reservation: notes it, for the session that empties the blocks of loads that did not commit.
pub fn replay(record: &Record, files: &FileSet, reserved: &mut Reservations) -> Result<()> {
    let (id, range) = blocks_of(record)?;
    let relation = files.open_or_create(id)?;
    // Others may have been there, before the relation was cut.
    note_rows(&relation, &range);
    relation.extend_to(range.end);
    relation.materialise_alone()?;
    reserved.entry(record.header.xid).or_default().push((id, range));
    Ok(())
}

/// Replays a release.
pub fn replay_release(record: &Record, reserved: &mut Reservations) -> Result<()> {
    let (id, unused) = blocks_of(record)?;
    release(reserved, record.header.xid, id, &unused);
    Ok(())
}

/// Blocks at the end of a transaction's reservation are its no more.
pub fn release(reserved: &mut Reservations, xid: Xid, id: RelationId, unused: &Range<BlockNumber>) {
    for (of, range) in reserved.get_mut(&xid).into_iter().flatten() {
        if *of == id {
            shorten(range, unused);
        }
    }
}

/// How many bytes the values of variable length take before each row of a batch, and before its end.
fn variable_ends(shape: &TableShape, columns: &[ArrayRef]) -> Vec<usize> {
    let variable = shape.variable().filter(|&column| shape.current()[column] != Lying::Nowhere);
    let variable: SmallVec<[VariableColumn<'_>; 8]> = variable.map(|at| VariableColumn::new(&columns[at])).collect();
    let rows = if variable.is_empty() { 0 } else { columns[0].len() };
    let mut ends = vec![0; rows + 1];
    variable.iter().for_each(|values| values.add_ends(&mut ends));
    ends
}

impl Sink for BulkLoad {
    fn put<'a>(
        &'a mut self,
        chunks: &'a [Vec<u8>],
        runs: &'a mut Vec<Run>,
    ) -> Pin<Box<dyn Future<Output = Result<()>> + Send + 'a>> {
        Box::pin(async move {
            for chunk in chunks {
                Run::push(runs, self.add_chunk(chunk).await?);
            }
            Ok(())
        })
    }
}

/// Takes blocks that are not needed off the end of a reserved range, if they are its.
pub fn shorten(range: &mut Range<BlockNumber>, unused: &Range<BlockNumber>) {
    if range.end == unused.end && range.start <= unused.start {
        range.end = unused.start;
    }
}

/// Packs `count` values; gives the bytes of variable length among them. `at` rows are packed already.
fn pack_column(
    (column, lying): (&ColumnShape, Lying),
    array: &dyn Array,
    packed: &mut Packed,
    from: usize,
    count: usize,
    at: usize,
) -> usize {
    if lying == Lying::Nullable {
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
            let values = VariableColumn::new(array);
            let rows = from..from + count;
            match values.side_by_side(rows.clone()) {
                Some(bytes) => packed.values.extend_from_slice(bytes),
                None => {
                    rows.clone().for_each(|row| packed.values.extend_from_slice(values.get(row).unwrap_or_default()))
                }
            }
            let mut end = before;
            packed.ends.extend(rows.map(|row| {
                end += values.len(row);
                end
            }));
            packed.values.len() - before
        }
    }
}
