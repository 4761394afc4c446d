//! The undo log: what rows were before transactions changed them.
//!
//! It serves two readers. A snapshot that does not see a row's newest version follows the records back to one it sees. A
//! transaction that fails, and recovery for transactions that a crash has cut off, walk their own records backward and put
//! the rows back as they were ([`crate::undo::rollback`]).
//!
//! The log is one relation of pages that belong to one session at a time, so that no session waits for another to append. A
//! page is used again once its last transaction is before the horizon: every snapshot sees those changes, so none follows
//! a pointer into it any more. After a restart there is no snapshot, and the relation begins anew.
//!
//! # Record
//! ```text
//! offset  bytes  field
//!      0      2  length
//!      2      1  kind: 1 = inserted, 2 = updated, 3 = deleted
//!      3      1  flags of the version before; 128: all columns were changed
//!      4      4  the command that made the change
//!      8      8  the transaction that made it
//!     16      8  the transaction's record before this one
//!     24     12  relation (4 + 4) and block
//!     36      4  the rows: from which one on (a multiple of 8), and how many from there to the last
//!     40     20  the version before: command (4), transaction (8), undo record (8)
//!     60         a bit a row from there on that says if it is one of them
//!                updated: how many columns the table had (2); a bit a column that was changed, unless all were; a byte for each of
//!                these that the table's file did not begin with: the width of its values, 0 = they vary; then for each row a bit
//!                a changed column, which says if it is NULL, and the old values of the others, with their lengths (2) before if
//!                they vary
//! ```
//! So records are read whatever has become of the table's columns since: a rollback may have taken some back.

pub mod rollback;
pub mod xact_status;

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};

use aio::lwlock::Mutex;
use aio::{IoContext, Session};
use storage::{BlockNumber, BufferPool, PAGE_SIZE, Page, PageKind, PinnedPage, Relation, RelationId};
use txn::{UndoPtr, Xid};

use crate::edit::{Edit, Part};
use crate::page::row_set::RowSet;
use crate::page::{HeapPage, Version, get_u16, get_u32, get_u64};
use crate::shape::TableShape;
use crate::{AccessError, Result};

/// Where the undo log is kept.
pub const UNDO: RelationId = RelationId { database: 0, file: 1 };

const VERSION: u8 = 4;
const CONTENT: usize = 32;
const END: usize = 16;
/// Bytes of a record before its columns.
const HEADER: usize = 60;
/// Among the flags: all columns were changed.
const ALL_COLUMNS: u8 = 128;
/// The longest record.
pub const MAX_RECORD: usize = PAGE_SIZE - CONTENT;
/// A record about several rows is no longer than this, so that pages fill well.
pub const COMFORTABLE: usize = 2048;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UndoKind {
    Inserted = 1,
    Updated = 2,
    Deleted = 3,
}

/// What a record says, without the old values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UndoHeader {
    pub kind: UndoKind,
    pub xid: Xid,
    pub command: u32,
    /// The transaction's record before.
    pub previous: UndoPtr,
    pub relation: RelationId,
    pub block: BlockNumber,
    pub rows: RowSet,
    /// The rows' version before.
    pub before: Version,
}

impl UndoHeader {
    fn encode(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&[0, 0, self.kind as u8, self.before.flags() as u8]);
        out.extend_from_slice(&self.command.to_le_bytes());
        out.extend_from_slice(&self.xid.to_le_bytes());
        out.extend_from_slice(&self.previous.0.to_le_bytes());
        out.extend_from_slice(&self.relation.database.to_le_bytes());
        out.extend_from_slice(&self.relation.file.to_le_bytes());
        out.extend_from_slice(&self.block.to_le_bytes());
        let base = self.rows.base();
        out.extend_from_slice(&(base as u16).to_le_bytes());
        out.extend_from_slice(&((self.rows.end() - base) as u16).to_le_bytes());
        out.extend_from_slice(&self.before.command.to_le_bytes());
        out.extend_from_slice(&self.before.xid.to_le_bytes());
        out.extend_from_slice(&self.before.undo.0.to_le_bytes());
        debug_assert_eq!(out.len(), HEADER);
        out.extend(self.rows.bits());
    }

    fn decode(bytes: &[u8]) -> Option<UndoHeader> {
        if bytes.len() < HEADER {
            return None;
        }
        let kind = match bytes[2] {
            1 => UndoKind::Inserted,
            2 => UndoKind::Updated,
            3 => UndoKind::Deleted,
            _ => return None,
        };
        let bits = bytes[HEADER..].get(..bits_len(bytes))?;
        Some(UndoHeader {
            kind,
            command: get_u32(bytes, 4),
            xid: get_u64(bytes, 8),
            previous: UndoPtr(get_u64(bytes, 16)),
            relation: RelationId { database: get_u32(bytes, 24), file: get_u32(bytes, 28) },
            block: get_u32(bytes, 32),
            rows: RowSet::from_bits(get_u16(bytes, 36), bits),
            before: Version::from_parts(
                u16::from(bytes[3]),
                get_u32(bytes, 40),
                get_u64(bytes, 44),
                get_u64(bytes, 52),
            ),
        })
    }
}

/// Bytes of the bits that say which rows a record is about.
fn bits_len(record: &[u8]) -> usize {
    get_u16(record, 38).div_ceil(8)
}

/// Builds records.
#[derive(Debug, Default)]
pub struct RecordBuilder {
    bytes: Vec<u8>,
}

impl RecordBuilder {
    pub fn start(&mut self, header: &UndoHeader) {
        header.encode(&mut self.bytes);
    }

    /// The changed columns, in ascending order.
    pub fn columns(&mut self, shape: &TableShape, columns: &[usize]) {
        let total = shape.columns.len();
        self.bytes.extend_from_slice(&(total as u16).to_le_bytes());
        if columns.len() == total {
            self.bytes[3] |= ALL_COLUMNS;
        } else {
            let bits = self.bits(total);
            columns.iter().for_each(|&column| self.set_bit(bits, column));
        }
        let added = columns.iter().filter(|&&column| column >= shape.first_columns);
        let width = |&column: &usize| shape.columns[column].width.unwrap_or(0);
        self.bytes.extend(added.map(width).inspect(|width| debug_assert!(*width <= 255)).map(|width| width as u8));
    }

    /// The next row's old values of the changed columns.
    pub fn row<'v>(
        &mut self,
        shape: &TableShape,
        columns: &[usize],
        mut value_of: impl FnMut(usize) -> Option<&'v [u8]>,
    ) {
        let nulls = self.bits(columns.len());
        for (bit, &column) in columns.iter().enumerate() {
            let Some(value) = value_of(column) else {
                self.set_bit(nulls, bit);
                continue;
            };
            if shape.is_variable(column) {
                self.bytes.extend_from_slice(&(value.len() as u16).to_le_bytes());
            }
            self.bytes.extend_from_slice(value);
        }
    }

    /// Room for so many bits; gives where they are.
    fn bits(&mut self, count: usize) -> usize {
        let at = self.bytes.len();
        self.bytes.resize(at + count.div_ceil(8), 0);
        at
    }

    fn set_bit(&mut self, bits: usize, bit: usize) {
        self.bytes[bits + bit / 8] |= 1 << (bit % 8);
    }

    /// It is about these rows alone, the first of those that it was to be about.
    pub fn set_rows(&mut self, rows: &RowSet) {
        let len = bits_len(&self.bytes);
        self.bytes[HEADER..HEADER + len].fill(0);
        self.bytes[HEADER..].iter_mut().zip(rows.bits()).for_each(|(byte, bits)| *byte = bits);
    }

    pub fn size(&self) -> usize {
        self.bytes.len()
    }

    /// Takes back what was added beyond `len`.
    pub fn truncate(&mut self, len: usize) {
        self.bytes.truncate(len);
    }
}

/// Bytes that a record about these columns takes at most without the old values, if it is about rows among so many side by side.
pub fn record_overhead(shape: &TableShape, columns: &[usize], span: usize) -> usize {
    let total = shape.columns.len();
    let added = columns.iter().filter(|&&column| column >= shape.first_columns).count();
    HEADER + (7 + span).div_ceil(8) + 2 + added + if columns.len() == total { 0 } else { total.div_ceil(8) }
}

/// Bytes that a record takes for these columns of a row.
pub fn values_size(shape: &TableShape, page: &HeapPage<'_>, row: usize, columns: &[usize]) -> usize {
    let value = |&column: &usize| {
        let len = page.value(shape, column, row).ok().flatten().map_or(0, <[u8]>::len);
        len + if shape.columns[column].width.is_none() { 2 } else { 0 }
    };
    columns.len().div_ceil(8) + columns.iter().map(value).sum::<usize>()
}

/// A column that a record is about, and the width of its values.
type ChangedColumn = (usize, Option<usize>);

/// A record read back.
#[derive(Debug)]
pub struct UndoRecord {
    pub header: UndoHeader,
    bytes: Vec<u8>,
    /// Where each row's old values begin, once one's were asked for; `None`: the bytes make no sense.
    places: OnceLock<Option<Vec<usize>>>,
}

/// A column's old value, NULL if `None`.
pub type OldValue<'a> = (usize, Option<&'a [u8]>);

impl UndoRecord {
    /// The old values of one of the rows, of the columns that the table has. `None` if the bytes make no sense.
    pub fn old_values(&self, shape: &TableShape, row: usize) -> Option<Vec<OldValue<'_>>> {
        if self.header.kind != UndoKind::Updated {
            return Some(vec![]);
        }
        let (changed, first) = self.changed(shape)?;
        let rows = self.header.rows;
        let walk = || {
            let mut at = first;
            let each = rows.iter().map(|_| {
                let begin = at;
                at = self.row(&changed, at, |_, _| {})?;
                Some(begin)
            });
            each.collect()
        };
        let places: &Option<Vec<usize>> = self.places.get_or_init(walk);
        let index = rows.contains(row).then(|| rows.rank(row))?;
        let mut values = Vec::with_capacity(changed.len());
        self.row(&changed, *places.as_ref()?.get(index)?, |column, value| {
            if column < shape.columns.len() {
                values.push((column, value));
            }
        })?;
        Some(values)
    }

    /// The changed columns, and where the first row's old values begin.
    fn changed(&self, shape: &TableShape) -> Option<(Vec<ChangedColumn>, usize)> {
        let mut at = HEADER + bits_len(&self.bytes);
        let total = get_u16(self.bytes.get(at..at + 2)?, 0);
        at += 2;
        let columns: Vec<usize> = if self.bytes[3] & ALL_COLUMNS != 0 {
            (0..total).collect()
        } else {
            let bits = self.bytes.get(at..at + total.div_ceil(8))?;
            at += bits.len();
            (0..total).filter(|&column| has_bit(bits, column)).collect()
        };
        let mut changed = Vec::with_capacity(columns.len());
        for column in columns {
            if column < shape.first_columns {
                changed.push((column, shape.columns[column].width));
                continue;
            }
            let width = usize::from(*self.bytes.get(at)?);
            at += 1;
            changed.push((column, (width > 0).then_some(width)));
        }
        Some((changed, at))
    }

    /// Shows a row's old values of the changed columns, which begin at `at`; gives what is behind them. `None` if the bytes make
    /// no sense.
    fn row<'a>(
        &'a self,
        changed: &[ChangedColumn],
        mut at: usize,
        mut show: impl FnMut(usize, Option<&'a [u8]>),
    ) -> Option<usize> {
        let nulls = self.bytes.get(at..at + changed.len().div_ceil(8))?;
        at += nulls.len();
        for (bit, &(column, width)) in changed.iter().enumerate() {
            show(column, if has_bit(nulls, bit) { None } else { Some(self.value(width, &mut at)?) });
        }
        Some(at)
    }

    /// The value there, which is so wide. `None` if the bytes make no sense.
    fn value(&self, width: Option<usize>, at: &mut usize) -> Option<&[u8]> {
        let len = match width {
            Some(width) => width,
            None => {
                *at += 2;
                get_u16(self.bytes.get(*at - 2..*at)?, 0)
            }
        };
        let value = self.bytes.get(*at..*at + len)?;
        *at += len;
        Some(value)
    }
}

fn has_bit(bits: &[u8], bit: usize) -> bool {
    bits[bit / 8] & (1 << (bit % 8)) != 0
}

/// Decides how large the undo log may be.
pub trait UndoRoom: Send + Sync {
    /// May it have one more page than these?
    fn may_grow(&self, blocks: BlockNumber) -> bool;
    /// It may not: sees to it that some of what it has is not needed any more, or lets it grow all the same (`true`). `own` is the
    /// transaction that asks.
    fn make<'a>(&'a self, own: Xid) -> Pin<Box<dyn Future<Output = Result<bool>> + Send + 'a>>;
}

/// The undo log of a server.
pub struct UndoLog {
    pool: Arc<BufferPool>,
    relation: Arc<Relation>,
    /// Full pages, oldest first, with their last transactions.
    full: Mutex<VecDeque<(BlockNumber, Xid)>>,
    room: OnceLock<Arc<dyn UndoRoom>>,
}

impl UndoLog {
    pub fn new(pool: &Arc<BufferPool>, relation: &Arc<Relation>) -> UndoLog {
        UndoLog { pool: pool.clone(), relation: relation.clone(), full: Mutex::default(), room: OnceLock::new() }
    }

    /// Sets what decides how large it may be; without, it grows as it must. Once, before the first record is written.
    pub fn set_room(&self, room: Arc<dyn UndoRoom>) {
        assert!(self.room.set(room).is_ok(), "an undo log has one limit");
    }

    /// Pages that may be needed: those that are being filled, and those of transactions that are not before the horizon.
    pub fn kept(&self, horizon: Xid) -> BlockNumber {
        let free = self.full.lock().iter().filter(|(_, last)| *last < horizon).count();
        self.blocks().saturating_sub(free as BlockNumber)
    }

    /// Pages in use and kept.
    pub fn blocks(&self) -> BlockNumber {
        self.relation.blocks()
    }

    fn corrupt(&self, pointer: UndoPtr) -> AccessError {
        let reason = format!("there is no undo record at offset {}", pointer.offset());
        let file = self.relation.id().to_string().into();
        AccessError::Storage(storage::StorageError::Corrupt { file, block: pointer.block(), reason })
    }

    /// Reads a record.
    pub async fn read(&self, session: &Session, pointer: UndoPtr) -> Result<UndoRecord> {
        if pointer.block() >= self.relation.blocks() {
            return Err(self.corrupt(pointer));
        }
        let page = self.pool.pin(session, &self.relation, pointer.block(), IoContext::Normal).await?;
        let latched = page.read();
        let at = pointer.offset();
        let sound = latched.kind_byte() == PageKind::Undo as u8 && at >= CONTENT && at + HEADER <= PAGE_SIZE;
        let record = sound.then(|| latched.get(at..at + get_u16(&latched, at))).flatten();
        let header = record.and_then(UndoHeader::decode);
        match (record, header) {
            (Some(bytes), Some(header)) => Ok(UndoRecord { header, bytes: bytes.to_vec(), places: OnceLock::new() }),
            _ => Err(self.corrupt(pointer)),
        }
    }

    fn retire(&self, block: BlockNumber, last: Xid) {
        self.full.lock().push_back((block, last));
    }

    /// A page that is not needed, among the oldest `looked_at`.
    fn reusable(&self, horizon: Xid, looked_at: usize) -> Option<Reused<'_>> {
        let mut full = self.full.lock();
        let index = full.iter().take(looked_at).position(|(_, last)| *last < horizon)?;
        full.remove(index).map(|page| Reused { log: self, page })
    }
}

/// A page that is about to be used again. It is free once more if that does not come to be.
struct Reused<'a> {
    log: &'a UndoLog,
    page: (BlockNumber, Xid),
}

impl Drop for Reused<'_> {
    fn drop(&mut self) {
        self.log.full.lock().push_front(self.page);
    }
}

/// Pages that are looked at for one to be used again; all of them before the log is too large.
const LOOKED_AT: usize = 16;

/// A session's page of the undo log.
pub struct UndoWriter {
    log: Arc<UndoLog>,
    page: Option<(PinnedPage, BlockNumber)>,
    /// Where the next record goes; 0 in a page that is to be made empty first.
    end: usize,
    last: Xid,
    pub(crate) record: RecordBuilder,
}

impl UndoWriter {
    pub fn new(log: &Arc<UndoLog>) -> UndoWriter {
        UndoWriter { log: log.clone(), page: None, end: 0, last: 0, record: RecordBuilder::default() }
    }

    /// Sees to it that `bytes` of transaction `own` can be appended without waiting.
    pub(crate) async fn reserve(
        &mut self,
        session: &Session,
        own: Xid,
        bytes: usize,
        horizon: impl Fn() -> Xid,
    ) -> Result<()> {
        debug_assert!(bytes <= MAX_RECORD);
        if self.page.is_some() && self.end.max(CONTENT) + bytes <= PAGE_SIZE {
            return Ok(());
        }
        self.retire();
        let log = &self.log;
        let (block, page) = loop {
            let room = log.room.get().filter(|room| !room.may_grow(log.blocks()));
            let looked_at = if room.is_some() { usize::MAX } else { LOOKED_AT };
            if let Some(reused) = log.reusable(horizon(), looked_at) {
                let block = reused.page.0;
                let page = log.pool.pin_for_overwrite(&log.relation, block).await?;
                std::mem::forget(reused);
                break (block, page);
            }
            let grows = match room {
                Some(room) => room.make(own).await?,
                None => true,
            };
            if grows {
                break log.pool.extend(session, &log.relation, IoContext::Normal).await?;
            }
        };
        self.page = Some((page, block));
        self.end = 0;
        Ok(())
    }

    fn retire(&mut self) {
        if let Some((_, block)) = self.page.take() {
            self.log.retire(block, self.last);
        }
    }

    /// Latches the page and appends the record that was built. The caller commits the edit with the change that it is
    /// about, in `change`.
    pub(crate) fn append<T>(&mut self, xid: Xid, change: impl FnOnce(UndoPtr, &mut dyn Part) -> T) -> T {
        let (page, block) = self.page.as_ref().expect("room was reserved");
        let mut latched = page.latch();
        let mut edit = Edit::new(&self.log.relation, *block, page, &mut latched);
        if self.end == 0 {
            edit.init(PageKind::Undo, VERSION);
            self.end = CONTENT;
        }
        let bytes = &mut self.record.bytes;
        let len = bytes.len();
        assert!(self.end + len <= PAGE_SIZE, "room was reserved");
        bytes[0..2].copy_from_slice(&(len as u16).to_le_bytes());
        let pointer = UndoPtr::new(*block, self.end as u16);
        edit.put(self.end, bytes);
        self.end += len;
        edit.put_u16(END, self.end);
        self.last = xid;
        change(pointer, &mut edit)
    }
}

impl Drop for UndoWriter {
    fn drop(&mut self) {
        self.retire();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::{ColumnShape, Since, Storage};
    use arrow_schema::DataType;

    fn shape(added: usize) -> TableShape {
        let first = |nullable| ColumnShape::first(DataType::Int32, nullable, Some(4), Storage::Plain);
        let added = (0..added).map(|at| {
            let (ty, width) = if at % 2 == 0 { (DataType::Utf8, None) } else { (DataType::Int64, Some(8)) };
            let column = ColumnShape::first(ty, true, width, Storage::Plain);
            ColumnShape { since: Since::Added(20_000 + at as u32), ..column }
        });
        TableShape::of([first(false), first(true)].into_iter().chain(added).collect())
    }

    /// What a record of two rows says of one, to a table with fewer or more columns.
    fn read(written: &TableShape, columns: &[usize], shape: &TableShape, row: usize) -> Vec<(usize, Option<Vec<u8>>)> {
        let rows = [3, 9].into_iter().collect();
        let header = UndoHeader {
            kind: UndoKind::Updated,
            xid: 5,
            command: 1,
            previous: UndoPtr::NONE,
            relation: RelationId { database: 5, file: 6 },
            block: 7,
            rows,
            before: Version::FROZEN,
        };
        let mut record = RecordBuilder::default();
        record.start(&header);
        record.columns(written, columns);
        for row in rows.iter() {
            let value = [row as u8; 8];
            record.row(written, columns, |column| {
                (column != 1).then(|| &value[..written.columns[column].width.unwrap_or(5)])
            });
        }
        let header = UndoHeader::decode(&record.bytes).unwrap();
        let record = UndoRecord { header, bytes: record.bytes, places: OnceLock::new() };
        let values = record.old_values(shape, row).unwrap();
        values.into_iter().map(|(column, value)| (column, value.map(<[u8]>::to_vec))).collect()
    }

    #[test]
    fn records_are_read_whatever_columns_the_table_has_now() {
        let expected = |columns: &[usize], row: u8, known: usize| -> Vec<_> {
            let length = |column| [4, 4, 5, 8, 5][column];
            let value = |column| (column != 1).then(|| vec![row; length(column)]);
            columns.iter().filter(|column| **column < known).map(|&column| (column, value(column))).collect()
        };
        for columns in [&[0, 1, 2, 3, 4][..], &[1, 3], &[2, 4], &[0]] {
            for now in 0..6 {
                for row in [3, 9] {
                    let found = read(&shape(3), columns, &shape(now), row);
                    assert_eq!(found, expected(columns, row as u8, 2 + now), "{columns:?} {now}");
                }
            }
        }
    }
}
