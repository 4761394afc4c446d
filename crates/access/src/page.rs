//! A heap page, to the byte (behind the common header of 16 bytes; little-endian):
//!
//! ```text
//! offset  bytes  field
//!     16      2  rows
//!     18      2  capacity: rows the arrays have room for
//!     20      2  columns
//!     22      2  flags: 1 = rows have their own transaction ids
//!     24      8  base: with flag 1 ids are counted from here, without it every row was inserted by this transaction
//!                (0: visible to all) and none was deleted
//!     32      2  where the lowest variable-length value starts
//!     34      2  zero
//!     36      4  block with the versions that did not fit (reserved, 0)
//!     40         with flag 1: inserting ids, 4 bytes a row, counted from the base; 0 = visible to all
//!                with flag 1: deleting ids likewise; 0 = not deleted
//!                then for each column: a bit a row that says NULL (nullable columns only), and the values, or for
//!                variable lengths the offset and length of each (2 + 2 bytes)
//!    …8192       variable-length values, from the end downward
//! ```
//! A page is laid out once, for a capacity; the arrays then fill from the front. A bulk load packs pages exactly and needs
//! no ids: `test(id int)` takes 4.1 bytes a row, and 12.1 when rows come one by one.

use storage::{PAGE_SIZE, PageKind, PageMut};
use txn::{FROZEN, Xid};

use crate::shape::TableShape;

pub const FORMAT_VERSION: u8 = 1;
pub const CONTENT: usize = 40;
/// Bytes for arrays and values.
pub const SPACE: usize = PAGE_SIZE - CONTENT;
const HAS_IDS: u16 = 1;
/// Offsets and counts are 16 bits wide; one row takes at least a byte of the page or a bit, so this many suffice.
pub const MAX_ROWS: usize = 8000;

pub(crate) fn get_u16(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

pub(crate) fn put_u16(bytes: &mut [u8], at: usize, value: usize) {
    bytes[at..at + 2].copy_from_slice(&(value as u16).to_le_bytes());
}

pub(crate) fn get_u32(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"))
}

/// Where a column's parts are in a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnPlace {
    /// The bits that say NULL, for nullable columns.
    pub nulls: Option<usize>,
    /// Values, or offsets and lengths.
    pub values: usize,
}

/// Bytes of the arrays for `capacity` rows, and each column's place.
pub fn places(shape: &TableShape, ids: bool, capacity: usize) -> (Vec<ColumnPlace>, usize) {
    let mut at = CONTENT + if ids { capacity * 8 } else { 0 };
    let places = shape.columns.iter().map(|column| {
        let nulls = column.nullable.then_some(at);
        if column.nullable {
            at += capacity.div_ceil(8);
        }
        let values = at;
        at += capacity * column.width.unwrap_or(4);
        ColumnPlace { nulls, values }
    });
    let places = places.collect();
    (places, at)
}

/// The largest capacity whose arrays leave `variable` bytes a row for values; at least one row.
pub fn capacity_for(shape: &TableShape, ids: bool, variable: usize) -> usize {
    let fits = |rows: usize| places(shape, ids, rows).1 + rows * variable <= PAGE_SIZE;
    let per_row =
        shape.columns.iter().map(|c| c.width.unwrap_or(4)).sum::<usize>() + variable + if ids { 8 } else { 0 };
    let mut rows = (SPACE / per_row.max(1)).clamp(1, MAX_ROWS);
    while rows > 1 && !fits(rows) {
        rows -= 1;
    }
    rows
}

/// Makes an empty heap page. `ids` gives the base for rows that come one by one.
pub fn init(page: &mut [u8], shape: &TableShape, capacity: usize, ids: bool, base: Xid) {
    page.init(PageKind::Heap, FORMAT_VERSION);
    put_u16(page, 18, capacity);
    put_u16(page, 20, shape.columns.len());
    put_u16(page, 22, usize::from(if ids { HAS_IDS } else { 0 }));
    page[24..32].copy_from_slice(&base.to_le_bytes());
    put_u16(page, 32, PAGE_SIZE);
}

/// A heap page, checked to be one that `shape` can read.
#[derive(Clone, Debug)]
pub struct HeapPage<'a> {
    pub bytes: &'a [u8],
    pub rows: usize,
    pub capacity: usize,
    pub ids: bool,
    pub base: Xid,
    pub places: Vec<ColumnPlace>,
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
        let (rows, capacity) = (get_u16(bytes, 16), get_u16(bytes, 18));
        let ids = get_u16(bytes, 22) & usize::from(HAS_IDS) != 0;
        if rows > capacity {
            return Err("more rows than room");
        }
        if get_u16(bytes, 20) != shape.columns.len() {
            return Err("wrong number of columns");
        }
        let (places, end) = places(shape, ids, capacity);
        if end > PAGE_SIZE || get_u16(bytes, 32) < end || get_u16(bytes, 32) > PAGE_SIZE {
            return Err("arrays do not fit the page");
        }
        let base = u64::from_le_bytes(bytes[24..32].try_into().expect("8 bytes"));
        Ok(Some(HeapPage { bytes, rows, capacity, ids, base, places }))
    }

    /// The transaction that inserted a row.
    pub fn inserted_by(&self, row: usize) -> Xid {
        if !self.ids {
            return self.base;
        }
        match get_u32(self.bytes, CONTENT + row * 4) {
            0 => FROZEN,
            delta => self.base + u64::from(delta),
        }
    }

    /// The transaction that deleted a row, or none.
    pub fn deleted_by(&self, row: usize) -> Option<Xid> {
        if !self.ids {
            return None;
        }
        match get_u32(self.bytes, CONTENT + self.capacity * 4 + row * 4) {
            0 => None,
            delta => Some(self.base + u64::from(delta)),
        }
    }

    pub fn is_null(&self, column: usize, row: usize) -> bool {
        self.places[column].nulls.is_some_and(|at| self.bytes[at + row / 8] & (1 << (row % 8)) != 0)
    }

    /// The bytes of a variable-length value. The reason if they lie outside the page.
    pub fn variable(&self, column: usize, row: usize) -> Result<&'a [u8], &'static str> {
        let at = self.places[column].values + row * 4;
        let (offset, len) = (get_u16(self.bytes, at), get_u16(self.bytes, at + 2));
        self.bytes.get(offset..offset + len).ok_or("a value lies outside the page")
    }
}
