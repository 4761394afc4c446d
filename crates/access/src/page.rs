//! A heap page, to the byte (behind the common header of 16 bytes; little-endian):
//!
//! ```text
//! offset  bytes  field
//!     16      2  rows: slots given out so far, free ones included
//!     18      2  capacity: rows the arrays have room for
//!     20      2  columns
//!     22      2  flags: 1 = a continuation of another page
//!     24      2  entries
//!     26      2  free slots among the rows
//!     28      2  where the lowest variable-length value starts
//!     30      2  continuations of this page
//!     32      4  of a continuation: the page that its rows belong to
//!     36      2  of a continuation: the number of its first row there
//!     38      2  bytes of the entries
//!     40         a bit a slot that says it is free
//!                then for each column: a bit a row that says NULL (nullable columns only), and the values, or for
//!                variable lengths the offset and length of each (2 + 2 bytes)
//!                then the continuations, 8 bytes each: first row (2), zero (2), block (4)
//!                then the entries, in the order of the rows they begin with: row (2), number of rows and flags (11 + 5 bits), command (4),
//!                transaction (8), undo record (8); of rows that do not lie side by side a bit each ([`RowSet`])
//!    …8192       variable-length values, from the end downward
//! ```
//!
//! # Versions
//! The page has the newest version of each row, in a place that never changes: block and row number are the row's identity
//! for indexes and locks. What an update replaced goes to the undo log. A row whose newest version not everybody sees yet
//! is covered by an *entry*: who made this version, and where in the undo log the one before is. Rows that a statement changes
//! alike share one, wherever they are on the page. Rows without an entry are there for everybody; once everybody sees a version
//! its entry is dropped, so a table at rest has none and takes no more than its values. (The design is InnoDB's and zheap's, on a
//! columnar page.)
//!
//! # Continuations
//! When a page has no room for what a change needs (entries, longer values), the upper part of its rows moves to another
//! page, which works like any other; the rows keep their numbers, and the first page says where they are.

use smallvec::SmallVec;
use storage::{PAGE_SIZE, PageKind};
use txn::{FROZEN, UndoPtr, Xid};

use crate::entries::Entry;
use crate::row_set::RowSet;
use crate::shape::TableShape;

pub const FORMAT_VERSION: u8 = 3;
pub const CONTENT: usize = 40;
/// Bytes for arrays and values.
pub const SPACE: usize = PAGE_SIZE - CONTENT;
/// The longest row: what it was before must fit an undo page, with a header, and its page has room for two entries and the place of
/// a continuation.
pub const MAX_ROW: usize = 8064;
/// An entry has 11 bits for the number of its rows.
pub const MAX_ROWS: usize = 2032;
/// With values of variable length: each row may end up on a page of its own, and 8 bytes a continuation must fit.
pub const MAX_VARIABLE_ROWS: usize = 800;
/// Bytes of an entry without the bits of its rows.
pub const ENTRY: usize = 24;
pub const CONTINUATION: usize = 8;
/// Entries that a page has room for when it is laid out, of rows side by side.
pub const SPARE_ENTRIES: usize = 6;
pub(crate) const IS_CONTINUATION: usize = 1;

pub(crate) const ROWS: usize = 16;
pub(crate) const CAPACITY: usize = 18;
pub(crate) const COLUMNS: usize = 20;
pub(crate) const FLAGS: usize = 22;
pub(crate) const ENTRIES: usize = 24;
pub(crate) const FREE: usize = 26;
pub(crate) const LOW: usize = 28;
pub(crate) const CONTINUATIONS: usize = 30;
pub(crate) const HOME: usize = 32;
pub(crate) const FIRST: usize = 36;
pub(crate) const ENTRIES_LEN: usize = 38;

#[inline]
pub(crate) fn get_u16(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

pub(crate) fn put_u16(bytes: &mut [u8], at: usize, value: usize) {
    bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

#[inline]
pub(crate) fn get_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

#[inline]
pub(crate) fn get_u64(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

/// A row's identity: the block it was put into, and its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Tid {
    pub block: u32,
    pub row: u16,
}

impl Tid {
    /// As one number, in the same order.
    #[inline]
    pub fn pack(self) -> i64 {
        i64::from(self.block) << 16 | i64::from(self.row)
    }

    pub fn unpack(packed: i64) -> Tid {
        Tid { block: (packed >> 16) as u32, row: packed as u16 }
    }
}

impl std::fmt::Display for Tid {
    /// As PostgreSQL prints a ctid, which counts rows from 1.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "({},{})", self.block, u32::from(self.row) + 1)
    }
}

/// Who made a version of a row, what kind of version it is, and what was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub xid: Xid,
    /// The number of the command in its transaction.
    pub command: u32,
    /// There was no row before.
    pub inserted: bool,
    /// There is no row any more.
    pub deleted: bool,
    /// Columns of a key were changed: who only shares the key must wait, too.
    pub key_changed: bool,
    /// The record that says what was before.
    pub undo: UndoPtr,
}

impl Version {
    /// What rows without an entry are.
    pub const FROZEN: Version =
        Version { xid: FROZEN, command: 0, inserted: false, deleted: false, key_changed: false, undo: UndoPtr::NONE };

    pub(crate) fn flags(&self) -> u16 {
        u16::from(self.inserted) | u16::from(self.deleted) << 1 | u16::from(self.key_changed) << 2
    }

    pub(crate) fn from_parts(flags: u16, command: u32, xid: Xid, undo: u64) -> Version {
        Version {
            xid,
            command,
            inserted: flags & 1 != 0,
            deleted: flags & 2 != 0,
            key_changed: flags & 4 != 0,
            undo: UndoPtr(undo),
        }
    }
}

/// Where a column's arrays are in a page: the bits that say NULL; the values, or their offsets and lengths. Pages are parsed
/// often, so it is small.
#[derive(Clone, Copy, Debug)]
pub struct ColumnPlace {
    /// 0: the column has no NULLs.
    nulls: u16,
    values: u16,
}

impl ColumnPlace {
    /// Places beyond all pages are kept as one: whoever parses a page looks where its arrays end.
    fn new(nulls: Option<usize>, values: usize) -> ColumnPlace {
        let within = |at: usize| at.min(usize::from(u16::MAX)) as u16;
        ColumnPlace { nulls: nulls.map_or(0, within), values: within(values) }
    }

    #[inline]
    pub fn nulls(self) -> Option<usize> {
        (self.nulls > 0).then_some(usize::from(self.nulls))
    }

    #[inline]
    pub fn values(self) -> usize {
        usize::from(self.values)
    }
}

/// Each column's place in a page with room for `capacity` rows, and where the arrays end.
pub fn places(shape: &TableShape, capacity: usize) -> (SmallVec<[ColumnPlace; 8]>, usize) {
    let mut at = CONTENT + capacity.div_ceil(8);
    let places = shape.columns.iter().map(|column| {
        let nulls = column.nullable.then_some(at);
        if column.nullable {
            at += capacity.div_ceil(8);
        }
        let values = at;
        at += capacity * column.width.unwrap_or(4);
        ColumnPlace::new(nulls, values)
    });
    let places = places.collect();
    (places, at)
}

/// Where the arrays end, without the places.
pub fn arrays_end(shape: &TableShape, capacity: usize) -> usize {
    let row: usize = shape.columns.iter().map(|c| c.width.unwrap_or(4)).sum();
    let bits = 1 + shape.columns.iter().filter(|c| c.nullable).count();
    CONTENT + capacity * row + capacity.div_ceil(8) * bits
}

/// The most rows a page of this shape may have.
pub fn max_rows(shape: &TableShape) -> usize {
    if shape.columns.iter().any(|c| c.width.is_none()) { MAX_VARIABLE_ROWS } else { MAX_ROWS }
}

/// Bytes that there must be for entries, in a page with room for so many rows, to put a row in: for its own, and one of rows here
/// and there where they are not too many.
pub(crate) fn least_for_entries(capacity: usize) -> usize {
    2 * ENTRY + capacity.div_ceil(8).min(ENTRY)
}

/// Bytes for entries to come in a page that is laid out for so many rows: a few of rows side by side, or one of rows that are put here
/// and there, and as many as are wanted to put more. (Two for rows here and there would take 7 % of a page of integers.)
pub fn spare_for_entries(capacity: usize) -> usize {
    (SPARE_ENTRIES * ENTRY).max(ENTRY + capacity.div_ceil(8) + least_for_entries(capacity))
}

/// The largest capacity whose arrays leave room for `variable` bytes a row, for entries of `entries_len` bytes that are
/// there, and for as many to come as a few, or twice those: where many transactions are in progress, or an old one keeps all
/// versions, entries and not rows fill a page. At least one row.
pub fn capacity_for(shape: &TableShape, variable: usize, entries_len: usize) -> usize {
    let room = |rows: usize| PAGE_SIZE.saturating_sub(entries_len + spare_for_entries(rows).max(2 * entries_len));
    let fits = |rows: usize| arrays_end(shape, rows) + rows * variable <= room(rows);
    let per_row = shape.columns.iter().map(|c| c.width.unwrap_or(4)).sum::<usize>() + variable;
    let mut rows = (SPACE.min(room(0)) / per_row.max(1)).clamp(1, max_rows(shape));
    while rows > 1 && !fits(rows) {
        rows -= 1;
    }
    rows
}

/// A heap page, checked to be one that `shape` can read.
#[derive(Clone, Debug)]
pub struct HeapPage<'a> {
    pub bytes: &'a [u8],
    pub rows: usize,
    pub capacity: usize,
    pub entries: usize,
    /// Bytes that they take.
    pub entries_len: usize,
    pub free: usize,
    pub low: usize,
    pub continuations: usize,
    pub arrays_end: usize,
    pub places: SmallVec<[ColumnPlace; 8]>,
}

impl<'a> HeapPage<'a> {
    /// `Ok(None)` for a page that was never written. The reason if the bytes make no sense.
    pub fn parse(bytes: &'a [u8], shape: &TableShape) -> Result<Option<HeapPage<'a>>, &'static str> {
        if bytes[12] == PageKind::New as u8 {
            return Ok(None);
        }
        if bytes[12] != PageKind::Heap as u8 {
            return Err("not a heap page");
        }
        if bytes[13] != FORMAT_VERSION {
            return Err("unknown format version");
        }
        let (rows, capacity) = (get_u16(bytes, ROWS), get_u16(bytes, CAPACITY));
        if rows > capacity || capacity > MAX_ROWS {
            return Err("more rows than room");
        }
        if get_u16(bytes, COLUMNS) != shape.columns.len() {
            return Err("wrong number of columns");
        }
        let (places, arrays_end) = places(shape, capacity);
        let page = HeapPage {
            bytes,
            rows,
            capacity,
            entries: get_u16(bytes, ENTRIES),
            entries_len: get_u16(bytes, ENTRIES_LEN),
            free: get_u16(bytes, FREE),
            low: get_u16(bytes, LOW),
            continuations: get_u16(bytes, CONTINUATIONS),
            arrays_end,
            places,
        };
        if page.low > PAGE_SIZE || page.entries_at() + page.entries_len > page.low {
            return Err("arrays do not fit the page");
        }
        if page.entries_len < page.entries * ENTRY {
            return Err("more entries than bytes of them");
        }
        Ok(Some(page))
    }

    /// Does a page that is not new have continuations, if it is a heap page at all?
    pub(crate) fn is_continued(bytes: &[u8]) -> bool {
        get_u16(bytes, CONTINUATIONS) > 0
    }

    pub(crate) fn continuations_at(&self) -> usize {
        self.arrays_end
    }

    #[inline]
    pub(crate) fn entries_at(&self) -> usize {
        self.arrays_end + self.continuations * CONTINUATION
    }

    /// Bytes between the entries and the values.
    pub fn room(&self) -> usize {
        self.low - self.entries_at() - self.entries_len
    }

    pub fn is_continuation(&self) -> bool {
        get_u16(self.bytes, FLAGS) & IS_CONTINUATION != 0
    }

    /// Neither a continuation nor continued: all its rows are here, and more may come.
    pub fn stands_alone(&self) -> bool {
        !self.is_continuation() && self.continuations == 0
    }

    /// Of a continuation: the block that its rows belong to.
    pub fn home(&self) -> u32 {
        get_u32(self.bytes, HOME)
    }

    /// The number of the first row, in the page that it belongs to.
    pub fn first(&self) -> usize {
        get_u16(self.bytes, FIRST)
    }

    pub fn entries(&self) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        let (bytes, mut at, end) = (self.bytes, self.entries_at(), self.entries_at() + self.entries_len);
        std::iter::from_fn(move || {
            let entry = Entry::read(&bytes[..end], at)?;
            at += entry.size();
            Some(entry)
        })
    }

    /// The newest version of a row.
    #[inline]
    pub fn version(&self, row: usize) -> Version {
        self.entry_of(row).map_or(Version::FROZEN, |e| e.version)
    }

    /// The entry that covers a row.
    #[inline]
    pub fn entry_of(&self, row: usize) -> Option<Entry<'a>> {
        if self.entries_len > self.entries * ENTRY {
            return self.entries().take_while(|entry| entry.row <= row).find(|entry| entry.contains(row));
        }
        // All are of rows side by side, and so of one size, one behind the other.
        let entry = |index: usize| Entry::read(self.bytes, self.entries_at() + index * ENTRY);
        let (mut low, mut high) = (0, self.entries);
        while low < high {
            let middle = (low + high) / 2;
            if entry(middle)?.end() <= row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low < self.entries).then(|| entry(low))?.filter(|e| e.row <= row)
    }

    /// The rows that there are.
    pub fn present(&self) -> RowSet {
        let mut rows = RowSet::range(0..self.rows);
        if self.free > 0 {
            rows.subtract(&self.free_slots());
        }
        rows
    }

    pub fn free_slots(&self) -> RowSet {
        RowSet::from_bits(0, &self.bytes[CONTENT..][..self.rows.div_ceil(8)])
    }

    /// A row that is there, unless its newest version deletes it.
    pub fn live_row<'p>(&'p self, shape: &'p TableShape, row: usize) -> Option<PageRow<'p>> {
        (!self.is_free(row) && !self.version(row).deleted).then_some(PageRow { page: self, shape, row })
    }

    #[inline]
    pub fn is_free(&self, row: usize) -> bool {
        self.free > 0 && self.bytes[CONTENT + row / 8] & (1 << (row % 8)) != 0
    }

    /// Continuations, with the number of their first row, in order.
    pub fn continuation(&self, index: usize) -> (usize, u32) {
        let at = self.continuations_at() + index * CONTINUATION;
        (get_u16(self.bytes, at), get_u32(self.bytes, at + 4))
    }

    /// The block with a row of this page (or, for a continuation's home, of its family); `None`: this one.
    #[inline]
    pub fn continuation_of(&self, row: usize) -> Option<u32> {
        let (mut low, mut high) = (0, self.continuations);
        while low < high {
            let middle = (low + high) / 2;
            if self.continuation(middle).0 <= row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.checked_sub(1).map(|index| self.continuation(index).1)
    }

    /// The continuation whose first row this is.
    pub fn continuation_from(&self, first: usize) -> Option<u32> {
        (0..self.continuations).map(|i| self.continuation(i)).find(|(row, _)| *row == first).map(|(_, block)| block)
    }

    #[inline]
    pub fn is_null(&self, column: usize, row: usize) -> bool {
        self.places[column].nulls().is_some_and(|at| self.bytes[at + row / 8] & (1 << (row % 8)) != 0)
    }

    /// The bytes of a variable-length value. The reason if they lie outside the page.
    #[inline]
    pub fn variable(&self, column: usize, row: usize) -> Result<&'a [u8], &'static str> {
        let at = self.places[column].values() + row * 4;
        let (offset, len) = (get_u16(self.bytes, at), get_u16(self.bytes, at + 2));
        self.bytes.get(offset..offset + len).ok_or("a value lies outside the page")
    }

    /// A value's bytes, `None` for NULL.
    #[inline]
    pub fn value(&self, shape: &TableShape, column: usize, row: usize) -> Result<Option<&'a [u8]>, &'static str> {
        if self.is_null(column, row) {
            return Ok(None);
        }
        match shape.columns[column].width {
            Some(width) => Ok(Some(&self.bytes[self.places[column].values() + row * width..][..width])),
            None => self.variable(column, row).map(Some),
        }
    }

    /// All values of a row.
    pub fn row(&self, shape: &TableShape, row: usize) -> Result<SmallVec<[Option<&'a [u8]>; 8]>, &'static str> {
        (0..shape.columns.len()).map(|column| self.value(shape, column, row)).collect()
    }

    /// Bytes of variable length that one more row may have, once what nobody needs is out of the way; `None`: there is no slot.
    pub fn room_for_row(&self, shape: &TableShape) -> Option<usize> {
        if !self.stands_alone() || self.free + self.capacity == self.rows {
            return None;
        }
        let taken =
            self.entries_at() + self.entries_len + least_for_entries(self.capacity) + self.variable_bytes(shape);
        PAGE_SIZE.checked_sub(taken)
    }

    /// Bytes of the variable-length values in use.
    pub fn variable_bytes(&self, shape: &TableShape) -> usize {
        let columns = shape.columns.iter().enumerate().filter(|(_, c)| c.width.is_none());
        let len = |column: usize, row: usize| {
            if self.is_free(row) || self.is_null(column, row) {
                return 0;
            }
            get_u16(self.bytes, self.places[column].values() + row * 4 + 2)
        };
        columns.map(|(column, _)| (0..self.rows).map(|row| len(column, row)).sum::<usize>()).sum()
    }
}

/// A row where it is.
#[derive(Clone, Copy)]
pub struct PageRow<'a> {
    pub(crate) page: &'a HeapPage<'a>,
    pub(crate) shape: &'a TableShape,
    pub(crate) row: usize,
}

impl<'a> PageRow<'a> {
    /// A column's bytes, `None` for NULL. The reason if they lie outside the page.
    pub fn value(self, column: usize) -> Result<Option<&'a [u8]>, &'static str> {
        self.page.value(self.shape, column, self.row)
    }

    #[inline]
    pub fn is_null(self, column: usize) -> bool {
        self.page.is_null(column, self.row)
    }

    /// Is a column's value stored otherwise than it is?
    #[inline]
    pub fn is_extended(self, column: usize) -> bool {
        self.shape.is_variable(column)
            && !self.page.is_null(column, self.row)
            && self.page.variable(column, self.row).is_ok_and(crate::toast::stored::is_extended)
    }

    /// Whose version it is.
    pub fn xid(self) -> Xid {
        self.page.version(self.row).xid
    }
}
