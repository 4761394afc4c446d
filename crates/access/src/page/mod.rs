//! A heap page, to the byte (behind the common header of 16 bytes; little-endian):
//!
//! ```text
//! offset  bytes  field
//!     16      2  rows: slots given out so far, free ones included
//!     18      2  capacity: rows the arrays have room for
//!     20      2  columns of the file's first layout
//!     22      2  flags: 1 = a continuation of another page; from 16 on: in how many columns it differs from the first layout
//!     24      2  entries
//!     26      2  free slots among the rows
//!     28      2  where the lowest variable-length value starts
//!     30      2  continuations of this page
//!     32      4  of a continuation: the page that its rows belong to
//!     36      2  of a continuation: the number of its first row there
//!     38      2  bytes of the entries
//!     40         a bit a slot that says it is free
//!                then the differences from the first layout, 6 bytes each, in the table's order: a column (4) and what is so of it
//!                (2). A first column, by its position: 0xffff = it is not here, 0xfffe = it has NULL bits. A column that was added
//!                later, by its number: the width of its values, 0 = of variable length; it has NULL bits
//!                then for each column: a bit a row that says NULL (nullable columns only), and the values, or for
//!                variable lengths the offset and length of each (2 + 2 bytes); length 0xffff: the column's missing value
//!                then the continuations, 8 bytes each: first row (2), zero (2), block (4)
//!                then the entries, in the order of the rows they begin with: row (2), number of rows and flags (11 + 5 bits), command (4),
//!                transaction (8), undo record (8); of rows that do not lie side by side a bit each ([`RowSet`])
//!    …8192       variable-length values, from the end downward
//! ```
//!
//! # Versions
//! The page has the newest version of each row, in a place that never changes: block and row number are the row's identity
//! for indexes and locks. What an update replaced goes to the undo log. A row whose newest version not all snapshots see yet
//! is covered by an *entry*: who made this version, and where in the undo log the one before is. Rows that a statement changes
//! alike share one, wherever they are on the page. Rows without an entry are there for all snapshots; once all see a version
//! its entry is dropped, so a table at rest has none and takes no more than its values. (The design is InnoDB's and zheap's, on a
//! columnar page.)
//!
//! # Continuations
//! When a page has no room for what a change needs (entries, longer values), the upper part of its rows moves to another
//! page, which works like any other; the rows keep their numbers, and the first page says where they are.

pub(crate) mod entries;
pub mod modify;
pub mod row_set;

use smallvec::SmallVec;
use storage::{PAGE_SIZE, PageKind};
use txn::{FROZEN, UndoPtr, Xid};

use crate::page::entries::Entry;
use crate::page::row_set::RowSet;
use crate::shape::{Before, Layout, Lying, PLACE, Since, TableShape};
use crate::toast::stored::Pointer;

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
/// Above the flags is the number of differences.
const DIFFERENCES: usize = 4;
const DIFFERENCE: usize = 6;
/// What is said of a first column.
const NOT_HERE: usize = 0xffff;
const HAS_NULLS: usize = 0xfffe;
/// The length of a value of variable length that is the column's missing value.
const MISSING: usize = 0xffff;
/// A page can say so many differences and have a row all the same; a table with more is written anew.
pub const MAX_DIFFERENCES: usize = SPACE / 2 / DIFFERENCE;

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

/// Which transaction made a version of a row, what kind of version it is, and what was before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    pub xid: Xid,
    /// The number of the command in its transaction.
    pub command: u32,
    /// There was no row before.
    pub inserted: bool,
    /// There is no row any more.
    pub deleted: bool,
    /// Columns of a key were changed: a transaction that only shares the key must wait, too.
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
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColumnPlace {
    /// [`NO_BITS`]: no value is NULL; [`ALL_NULL`]: the page lacks the column, and all are.
    nulls: u16,
    /// 0: the page lacks the column.
    values: u16,
}

const NO_BITS: u16 = 0;
const ALL_NULL: u16 = 1;

impl ColumnPlace {
    /// Places beyond all pages are kept as one: the parser of a page looks where its arrays end.
    fn new(nulls: Option<usize>, values: usize) -> ColumnPlace {
        let within = |at: usize| at.min(usize::from(u16::MAX)) as u16;
        ColumnPlace { nulls: nulls.map_or(NO_BITS, within), values: within(values) }
    }

    /// Of a column that the page lacks.
    fn nowhere(has_missing: bool) -> ColumnPlace {
        ColumnPlace { nulls: if has_missing { NO_BITS } else { ALL_NULL }, values: 0 }
    }

    /// The page has the column.
    #[inline]
    pub fn is_here(self) -> bool {
        self.values > 0
    }

    #[inline]
    pub fn is_all_null(self) -> bool {
        self.nulls == ALL_NULL
    }

    #[inline]
    pub fn nulls(self) -> Option<usize> {
        (self.nulls > ALL_NULL).then_some(usize::from(self.nulls))
    }

    /// Of a column that is here.
    #[inline]
    pub fn values(self) -> usize {
        debug_assert!(self.is_here());
        usize::from(self.values)
    }

    fn lying(self) -> Lying {
        match (self.is_here(), self.nulls()) {
            (false, _) => Lying::Nowhere,
            (true, None) => Lying::Values,
            (true, Some(_)) => Lying::Nullable,
        }
    }
}

pub type PlaceList = SmallVec<[ColumnPlace; 8]>;

/// Where the arrays of a page's columns are.
#[derive(Clone, Debug)]
pub(crate) enum Places<'s> {
    /// The page says nothing of its layout, as most do: places follow from how many rows it has room for. Pages are parsed often,
    /// and few of their columns are looked at.
    First { before: &'s [Before], capacity: usize },
    /// It says how it differs.
    Own(PlaceList),
}

impl Places<'_> {
    #[inline]
    pub fn at(&self, column: usize) -> ColumnPlace {
        match self {
            Places::First { before, capacity } => first_place(&before[column], *capacity),
            Places::Own(places) => places[column],
        }
    }
}

/// Where a column's arrays are on a page of the first layout with room for so many rows.
#[inline]
fn first_place(before: &Before, capacity: usize) -> ColumnPlace {
    let at = end_of(before, capacity);
    match before.lying {
        Lying::Nowhere => ColumnPlace::nowhere(before.has_missing),
        Lying::Values => ColumnPlace::new(None, at),
        Lying::Nullable => ColumnPlace::new(Some(at), at + capacity.div_ceil(8)),
    }
}

/// Where what lies before a column ends.
#[inline]
fn end_of(before: &Before, capacity: usize) -> usize {
    let bits = capacity.div_ceil(8);
    CONTENT + bits + before.bits * bits + before.bytes * capacity
}

/// Hands out a page's room to its columns' arrays, one after the other.
struct Arrays {
    at: usize,
    capacity: usize,
}

impl Arrays {
    /// Those of a page with room for `capacity` rows that has so many differences.
    fn behind(capacity: usize, differences: usize) -> Arrays {
        Arrays { at: CONTENT + capacity.div_ceil(8) + differences * DIFFERENCE, capacity }
    }

    fn place(&mut self, lying: Lying, width: Option<usize>) -> Option<ColumnPlace> {
        let nulls = match lying {
            Lying::Nowhere => return None,
            Lying::Values => None,
            Lying::Nullable => {
                self.at += self.capacity.div_ceil(8);
                Some(self.at - self.capacity.div_ceil(8))
            }
        };
        let values = self.at;
        self.at += self.capacity * width.unwrap_or(PLACE);
        Some(ColumnPlace::new(nulls, values))
    }
}

/// Each column's place in a page that is laid out like this with room for `capacity` rows, and where the arrays end.
pub fn places(shape: &TableShape, layout: &[Lying], capacity: usize) -> (PlaceList, usize) {
    let mut arrays = Arrays::behind(capacity, shape.differences(layout));
    let places = shape.columns.iter().zip(layout).map(|(column, lying)| {
        let nowhere = || ColumnPlace::nowhere(column.missing.is_some());
        arrays.place(*lying, column.width).unwrap_or_else(nowhere)
    });
    let places = places.collect();
    (places, arrays.at)
}

/// Those of a page, by its header.
pub(crate) fn places_of<'s>(bytes: &[u8], shape: &'s TableShape) -> Result<(Places<'s>, usize), &'static str> {
    let capacity = get_u16(bytes, CAPACITY);
    match get_u16(bytes, FLAGS) >> DIFFERENCES {
        0 => {
            let (before, all) = shape.before_first();
            Ok((Places::First { before, capacity }, end_of(&all, capacity)))
        }
        count => {
            let (places, end) = differing_places(shape, bytes, capacity, count)?;
            Ok((Places::Own(places), end))
        }
    }
}

/// The same of a page that says how it differs from the first layout.
fn differing_places(
    shape: &TableShape,
    bytes: &[u8],
    capacity: usize,
    count: usize,
) -> Result<(PlaceList, usize), &'static str> {
    let mut arrays = Arrays::behind(capacity, count);
    let said = CONTENT + capacity.div_ceil(8);
    let said = bytes.get(said..said + count * DIFFERENCE).ok_or("more differences than room")?;
    let difference = |said: &[u8]| (get_u32(said, 0), get_u16(said, 4));
    let mut differences = said.chunks_exact(DIFFERENCE).map(difference).peekable();
    let nowhere = |column: usize| ColumnPlace::nowhere(shape.columns[column].missing.is_some());
    let mut places: PlaceList = (0..shape.columns.len()).map(nowhere).collect();
    for (column, first) in shape.first()[..shape.first_columns].iter().enumerate() {
        let lying = match differences.next_if(|(number, _)| *number as usize == column) {
            None => *first,
            Some((_, NOT_HERE)) => Lying::Nowhere,
            Some((_, HAS_NULLS)) => Lying::Nullable,
            Some(_) => return Err("an unknown difference of a column"),
        };
        places[column] = arrays.place(lying, shape.columns[column].width).unwrap_or(places[column]);
    }
    let mut next = shape.first_columns;
    for (number, width) in differences {
        let width = (width > 0).then_some(width);
        let place = arrays.place(Lying::Nullable, width).expect("it lies here");
        // Others were never committed.
        let known = shape.columns[next..].iter().position(|column| column.since == Since::Added(number));
        if let Some(known) = known {
            if shape.columns[next + known].width != width {
                return Err("a column of another width");
            }
            places[next + known] = place;
            next += known + 1;
        }
    }
    Ok((places, arrays.at))
}

/// What a page that is laid out like this says of it.
pub(crate) fn differences(shape: &TableShape, layout: &[Lying]) -> Vec<u8> {
    let mut out = Vec::new();
    for (column, (first, own)) in shape.first().iter().zip(layout).enumerate().filter(|(_, (first, own))| first != own)
    {
        let (number, what) = match shape.columns[column].since {
            Since::Added(number) => (number, shape.columns[column].width.unwrap_or(0)),
            Since::First(_) if *own == Lying::Nowhere => (column as u32, NOT_HERE),
            Since::First(_) => {
                debug_assert_eq!((*first, *own), (Lying::Values, Lying::Nullable));
                (column as u32, HAS_NULLS)
            }
        };
        out.extend_from_slice(&number.to_le_bytes());
        out.extend_from_slice(&(what as u16).to_le_bytes());
    }
    out
}

/// Above a page's flags: how many differences it says.
pub(crate) fn differences_flag(differences: &[u8]) -> usize {
    (differences.len() / DIFFERENCE) << DIFFERENCES
}

/// Where the arrays end, without the places.
pub fn arrays_end(shape: &TableShape, layout: &[Lying], capacity: usize) -> usize {
    let row = shape.array_bytes(layout);
    let bits = 1 + layout.iter().filter(|lying| **lying == Lying::Nullable).count();
    CONTENT + capacity * row + capacity.div_ceil(8) * bits + shape.differences(layout) * DIFFERENCE
}

/// The most rows a page that is laid out like this may have.
pub fn max_rows(shape: &TableShape, layout: &[Lying]) -> usize {
    let mut there = shape.columns.iter().zip(layout).filter(|(_, lying)| **lying != Lying::Nowhere);
    if there.any(|(column, _)| column.width.is_none()) { MAX_VARIABLE_ROWS } else { MAX_ROWS }
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
pub fn capacity_for(shape: &TableShape, layout: &[Lying], variable: usize, entries_len: usize) -> usize {
    let room = |rows: usize| PAGE_SIZE.saturating_sub(entries_len + spare_for_entries(rows).max(2 * entries_len));
    let fits = |rows: usize| arrays_end(shape, layout, rows) + rows * variable <= room(rows);
    let per_row = shape.array_bytes(layout) + variable;
    let mut rows = (SPACE.min(room(0)) / per_row.max(1)).clamp(1, max_rows(shape, layout));
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
    /// How many columns the table has.
    columns: usize,
    pub(crate) places: Places<'a>,
}

impl<'a> HeapPage<'a> {
    /// `Ok(None)` for a page that was never written. The reason if the bytes make no sense.
    pub fn parse(bytes: &'a [u8], shape: &'a TableShape) -> Result<Option<HeapPage<'a>>, &'static str> {
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
        if get_u16(bytes, COLUMNS) != shape.first_columns {
            return Err("wrong number of columns");
        }
        let (places, arrays_end) = places_of(bytes, shape)?;
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
            columns: shape.columns.len(),
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

    /// How the table's columns lie here.
    pub fn layout(&self) -> Layout {
        (0..self.columns).map(|column| self.places.at(column).lying()).collect()
    }

    #[inline]
    pub fn is_null(&self, column: usize, row: usize) -> bool {
        let place = self.places.at(column);
        match place.nulls() {
            Some(at) => self.bytes[at + row / 8] & (1 << (row % 8)) != 0,
            None => place.is_all_null(),
        }
    }

    /// Where the bytes of a variable-length value of a column that is here are; `None`: it is the column's missing value.
    #[inline]
    fn slot(&self, column: usize, row: usize) -> Option<(usize, usize)> {
        let at = self.places.at(column).values() + row * 4;
        let len = get_u16(self.bytes, at + 2);
        (len != MISSING).then(|| (get_u16(self.bytes, at), len))
    }

    /// Does the page not have the value, which is its column's missing one?
    #[inline]
    pub(crate) fn is_missing(&self, shape: &TableShape, column: usize, row: usize) -> bool {
        match self.places.at(column).is_here() {
            false => true,
            true => shape.is_variable(column) && !self.is_null(column, row) && self.slot(column, row).is_none(),
        }
    }

    /// A value's bytes, `None` for NULL. The reason if they lie outside the page.
    #[inline]
    pub fn value(&self, shape: &'a TableShape, column: usize, row: usize) -> Result<Option<&'a [u8]>, &'static str> {
        if self.is_null(column, row) {
            return Ok(None);
        }
        let place = self.places.at(column);
        let shape = &shape.columns[column];
        match shape.width {
            _ if !place.is_here() => Ok(shape.missing.as_deref()),
            Some(width) => Ok(Some(&self.bytes[place.values() + row * width..][..width])),
            None => match self.slot(column, row) {
                Some((offset, len)) => {
                    self.bytes.get(offset..offset + len).map(Some).ok_or("a value lies outside the page")
                }
                None => Ok(shape.missing.as_deref()),
            },
        }
    }

    /// All values of a row.
    pub fn row(&self, shape: &'a TableShape, row: usize) -> Result<SmallVec<[Option<&'a [u8]>; 8]>, &'static str> {
        (0..shape.columns.len()).map(|column| self.value(shape, column, row)).collect()
    }

    /// Bytes of variable length that one more row may have, once what no snapshot needs is out of the way; `None`: there is no slot.
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
        self.variable_bytes_of(shape, &self.layout())
    }

    /// The same of the columns that a layout has, which is the page's or lacks some of it.
    pub(crate) fn variable_bytes_of(&self, shape: &TableShape, layout: &[Lying]) -> usize {
        let is_kept = |column: &usize| self.places.at(*column).is_here() && layout[*column] != Lying::Nowhere;
        let here = shape.variable().filter(is_kept);
        let len = |column: usize, row: usize| {
            if self.is_free(row) || self.is_null(column, row) {
                return 0;
            }
            self.slot(column, row).map_or(0, |(_, len)| len)
        };
        here.map(|column| (0..self.rows).map(|row| len(column, row)).sum::<usize>()).sum()
    }

    /// The bytes of variable length that the page has of a value.
    pub(crate) fn held_bytes(&self, shape: &TableShape, column: usize, row: usize) -> usize {
        let is_held = shape.is_variable(column) && self.places.at(column).is_here() && !self.is_null(column, row);
        if is_held { self.slot(column, row).map_or(0, |(_, len)| len) } else { 0 }
    }

    /// Has the page no place for this value of a column? What a dropped column has does not matter.
    pub(crate) fn lacks_place_for(&self, shape: &TableShape, column: usize, value: Option<&[u8]>) -> bool {
        let place = self.places.at(column);
        let shape = &shape.columns[column];
        match place.is_here() {
            _ if shape.dropped.is_some() => false,
            true => value.is_none() && place.nulls().is_none(),
            false => value != shape.missing.as_deref(),
        }
    }

    /// This page's layout without dropped columns that no transaction may bring back: their drop is before the horizon. One with values out of
    /// line stays: these go with their rows.
    pub(crate) fn without_dropped(&self, shape: &TableShape, horizon: Xid) -> Layout {
        let mut layout = self.layout();
        let is_gone = |column: usize| {
            let is_long = |row: usize| self.is_out_of_line(shape, column, row);
            shape.columns[column].dropped.is_some_and(|by| by < horizon) && !(0..self.rows).any(is_long)
        };
        let here = layout.iter_mut().enumerate().filter(|(_, lying)| **lying != Lying::Nowhere);
        here.filter(|(column, _)| is_gone(*column)).for_each(|(_, lying)| *lying = Lying::Nowhere);
        layout
    }

    fn is_out_of_line(&self, shape: &TableShape, column: usize, row: usize) -> bool {
        let value = || self.value(shape, column, row).ok().flatten();
        shape.is_variable(column) && !self.is_free(row) && value().is_some_and(|value| Pointer::of(value).is_ok())
    }

    /// This page's layout with places for all values that the table's columns may have.
    pub(crate) fn widened(&self, shape: &TableShape) -> Layout {
        let both = self.layout().into_iter().zip(shape.current());
        both.map(|(own, now)| if *now == Lying::Nullable || own == Lying::Nowhere { *now } else { own }).collect()
    }
}

/// Of a value of variable length that is the column's missing one.
pub(crate) const MISSING_SLOT: [u8; 4] = [0, 0, MISSING as u8, (MISSING >> 8) as u8];

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
            && self.value(column).is_ok_and(|value| value.is_some_and(crate::toast::stored::is_extended))
    }

    /// Whose version it is.
    pub fn xid(self) -> Xid {
        self.page.version(self.row).xid
    }
}

#[cfg(test)]
mod tests {
    use arrow_schema::DataType;

    use super::*;
    use crate::shape::{ColumnShape, Storage};

    #[test]
    fn places_of_first_pages_are_those_of_their_layout() {
        let of = |nullable, width| ColumnShape::first(DataType::Int32, nullable, width, Storage::Plain);
        let added = |missing| ColumnShape { since: Since::Added(7), missing, ..of(true, Some(8)) };
        let gone = ColumnShape { since: Since::First(Lying::Nowhere), ..of(true, Some(2)) };
        let columns = vec![of(false, Some(4)), of(true, None), gone, of(true, Some(16)), of(false, None)];
        let columns = columns.into_iter().chain([added(None), added(Some(vec![1; 8]))]).collect();
        let shape = TableShape::of(columns);
        for capacity in [1, 7, 8, 9, 100, MAX_VARIABLE_ROWS, MAX_ROWS] {
            let (before, all) = shape.before_first();
            let first = before.iter().map(|before| first_place(before, capacity)).collect();
            let known = (first, end_of(&all, capacity));
            assert_eq!(known, places(&shape, shape.first(), capacity), "{capacity} rows");
        }
    }
}
