//! Changing pages, with one log record for all that belongs together.
//!
//! An [`Edit`] writes into a latched page and remembers which bytes it touched. [`commit`] logs those bytes of all pages
//! that change together, as one record, and stamps the pages with its position. So there is one kind of record for heap,
//! undo, index and sequence pages, its redo copies bytes, and it needs to know no table's columns.
//!
//! A page's first change after a checkpoint is logged as the whole page, against torn writes; a page that did not exist
//! before is logged as its bytes over zeros. [`crate::redo`] reads it.
//!
//! # Record
//! ```text
//! offset  bytes  field
//!      0      8  the transaction's latest undo record after the change
//!      8         for each page: database (4), file (4), block (4), mode (2), length (2) and as many bytes:
//!                mode 0 and 1: (offset (2), length (2), bytes) again and again, over the page (0) or over zeros (1)
//!                mode 2: the page; mode 4: compressed (lz4)
//!                mode 3: how many moves (2), (offset (2), length (2), to (2)) for each, in their order; then as mode 0
//! ```

use std::ops::Deref;
use std::sync::atomic::Ordering;

use storage::{BlockChange, BlockNumber, Lsn, PAGE_SIZE, Page, PageKind, PageMut, PinnedPage, Relation, RelationId};
use txn::{Transaction, UndoPtr};
use wal::{Log, RecordHeader};

/// The number among the log's resource managers.
pub const PAGES: u8 = 1;
/// A record of page changes.
pub const CHANGE: u8 = 1;
/// A bulk load reserved blocks.
pub const RESERVE: u8 = 2;
/// It has given the last of them back.
pub const RELEASE: u8 = 3;
/// Entries into a table's blocks may lead to rows with other keys ([`crate::heap::rekeyed`]).
pub const REKEYED: u8 = 4;

/// Log space that the change of one page takes at most.
pub const PAGE_RECORD: usize = PAGE_SIZE + 256;

pub(crate) const DELTA: u16 = 0;
pub(crate) const FRESH: u16 = 1;
pub(crate) const IMAGE: u16 = 2;
pub(crate) const MOVED: u16 = 3;
pub(crate) const COMPRESSED: u16 = 4;

/// Separate ranges that are kept; beyond, neighbours are merged.
const RANGES: usize = 24;
/// Ranges closer than this are logged as one: their headers would take more.
const NEAR: u16 = 4;
/// Moves that are logged as such; of others, and of short ones, the bytes that were moved are.
const MOVES: usize = 16;
const SHORT_MOVE: usize = 12;
/// A compressed page that is no smaller than this is logged as it is.
const MAX_COMPRESSED: usize = PAGE_SIZE * 7 / 8;
/// With more bytes than this the whole page is logged.
const MAX_DELTA: usize = PAGE_SIZE * 3 / 4;

/// What belongs to no pool is of this relation.
const NOWHERE: RelationId = RelationId { database: 0, file: 0 };

/// A page that is being changed. The caller holds its latch.
pub struct Edit<'a> {
    bytes: &'a mut [u8],
    /// `None`: it belongs to no pool.
    place: Option<Place<'a>>,
    /// What it is to the visibility map, if the page is a heap's.
    change: BlockChange,
    fresh: bool,
    /// Touched bytes, from and to, in no order. The others are what the moves make of the page as it was.
    ranges: [(u16, u16); RANGES],
    count: usize,
    moves: [Move; MOVES],
    moved: usize,
}

/// Bytes that were moved within the page.
#[derive(Clone, Copy, Default)]
struct Move {
    from: u16,
    len: u16,
    to: u16,
}

/// Which page it is.
#[derive(Clone, Copy)]
struct Place<'a> {
    relation: &'a Relation,
    block: BlockNumber,
    page: &'a PinnedPage,
}

impl<'a> Edit<'a> {
    /// `bytes` are the page's, latched for writing.
    pub fn new(relation: &'a Relation, block: BlockNumber, page: &'a PinnedPage, bytes: &'a mut [u8]) -> Edit<'a> {
        debug_assert_eq!(bytes.len(), PAGE_SIZE);
        Edit::at(Some(Place { relation, block, page }), bytes)
    }

    /// Bytes that belong to no pool: for what is built in memory, and for tests.
    pub fn detached(bytes: &'a mut [u8]) -> Edit<'a> {
        Edit::at(None, bytes)
    }

    fn at(place: Option<Place<'a>>, bytes: &'a mut [u8]) -> Edit<'a> {
        let (ranges, moves) = ([(0, 0); RANGES], [Move::default(); MOVES]);
        Edit { bytes, place, change: BlockChange::Any, fresh: false, ranges, count: 0, moves, moved: 0 }
    }

    /// Says that all of it is no more than this to the entries of indexes.
    pub fn is_just(&mut self, change: BlockChange) {
        self.change = change;
    }

    /// Makes the page an empty one of `kind`, whatever it was before.
    pub fn init(&mut self, kind: PageKind, version: u8) {
        self.bytes.init(kind, version);
        self.fresh = true;
        (self.count, self.moved) = (0, 0);
        self.touch(12, 2);
    }

    pub fn put(&mut self, at: usize, bytes: &[u8]) {
        if bytes.is_empty() {
            return;
        }
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self.touch(at, bytes.len());
    }

    pub fn put_u16(&mut self, at: usize, value: usize) {
        debug_assert!(value <= usize::from(u16::MAX));
        self.put(at, &(value as u16).to_le_bytes());
    }

    pub fn put_u32(&mut self, at: usize, value: u32) {
        self.put(at, &value.to_le_bytes());
    }

    pub fn put_u64(&mut self, at: usize, value: u64) {
        self.put(at, &value.to_le_bytes());
    }

    /// Moves bytes within the page.
    pub fn shift(&mut self, from: std::ops::Range<usize>, to: usize) {
        if from.is_empty() || from.start == to {
            return;
        }
        let (start, len) = (from.start, from.len());
        self.bytes.copy_within(from, to);
        if self.fresh || len < SHORT_MOVE || self.moved == MOVES {
            self.touch(to, len);
            return;
        }
        self.moves[self.moved] = Move { from: start as u16, len: len as u16, to: to as u16 };
        self.moved += 1;
        // What was touched before it was moved is not what the log's reader moves.
        for (from, end) in self.ranges.into_iter().take(self.count) {
            let (from, end) = (usize::from(from).max(start), usize::from(end).min(start + len));
            if from < end {
                self.touch(from - start + to, end - from);
            }
        }
    }

    /// Replaces everything behind the LSN and the checksum; what stays the same is not logged.
    pub fn replace(&mut self, page: &[u8]) {
        const STEP: usize = 64;
        let mut at = 12;
        while at < PAGE_SIZE {
            let end = (at / STEP + 1) * STEP;
            if self.bytes[at..end] != page[at..end] {
                self.put(at, &page[at..end]);
            }
            at = end;
        }
    }

    fn touch(&mut self, at: usize, len: usize) {
        let (from, to) = (at as u16, (at + len) as u16);
        for range in &mut self.ranges[..self.count] {
            if from <= range.1.saturating_add(NEAR) && range.0 <= to.saturating_add(NEAR) {
                *range = (range.0.min(from), range.1.max(to));
                return;
            }
        }
        if self.count == RANGES {
            self.merge_nearest();
        }
        self.ranges[self.count] = (from, to);
        self.count += 1;
    }

    /// Makes room for a range: the two with the smallest gap become one.
    fn merge_nearest(&mut self) {
        let ranges = &mut self.ranges[..self.count];
        ranges.sort_unstable();
        let gap = |i: &usize| ranges[i + 1].0.saturating_sub(ranges[*i].1);
        let index = (0..self.count - 1).min_by_key(gap).expect("there are several");
        ranges[index] = (ranges[index].0, ranges[index].1.max(ranges[index + 1].1));
        ranges[index + 1] = ranges[self.count - 1];
        self.count -= 1;
    }

    pub fn is_changed(&self) -> bool {
        self.count > 0 || self.moved > 0
    }
}

/// Tells a table's visibility map of a change that has made the page this one.
pub(crate) fn note_change(relation: &Relation, block: BlockNumber, page: &[u8], change: BlockChange) {
    let is_of_table = page.is_new() || page.kind_byte() == PageKind::Heap as u8;
    if is_of_table && !relation.id().is_fork() {
        relation.visibility().note(block, change);
    }
}

/// What is logged as the whole page.
#[derive(Clone, Copy)]
pub struct Images {
    /// Pages whose LSN is this or older.
    before: Lsn,
    compressed: bool,
}

/// Appends a whole page.
fn put_image(out: &mut Vec<u8>, page: &[u8], compressed: bool) {
    if compressed {
        let mut bytes = [0; lz4_flex::block::get_maximum_output_size(PAGE_SIZE)];
        let len = lz4_flex::block::compress_into(page, &mut bytes).unwrap_or(PAGE_SIZE);
        if len < MAX_COMPRESSED {
            out.extend_from_slice(&COMPRESSED.to_le_bytes());
            out.extend_from_slice(&(len as u16).to_le_bytes());
            out.extend_from_slice(&bytes[..len]);
            return;
        }
    }
    out.extend_from_slice(&IMAGE.to_le_bytes());
    out.extend_from_slice(&(PAGE_SIZE as u16).to_le_bytes());
    out.extend_from_slice(page);
}

/// A page's part of a record: an [`Edit`], whatever lifetime it has.
pub trait Part {
    /// The page is about to be logged: it is not as it is on the disk, nor at rest.
    fn mark_dirty(&self);
    fn touches(&self) -> bool;
    /// Appends the page's part; gives whether it is the whole page.
    fn log(&mut self, out: &mut Vec<u8>, images: Images) -> bool;
    fn stamp(&mut self, lsn: Lsn);
}

impl Part for Edit<'_> {
    fn mark_dirty(&self) {
        let Place { relation, block, page } = self.place.expect("only pages of the pool are logged");
        note_change(relation, block, self.bytes, self.change);
        page.mark_dirty();
    }

    fn touches(&self) -> bool {
        self.is_changed()
    }

    fn stamp(&mut self, lsn: Lsn) {
        self.bytes.set_lsn(lsn);
    }

    fn log(&mut self, out: &mut Vec<u8>, images: Images) -> bool {
        let (RelationId { database, file }, block) = self.place.map_or((NOWHERE, 0), |at| (at.relation.id(), at.block));
        out.extend_from_slice(&database.to_le_bytes());
        out.extend_from_slice(&file.to_le_bytes());
        out.extend_from_slice(&block.to_le_bytes());
        self.ranges[..self.count].sort_unstable();
        // Ranges that grew into each other.
        let mut merged: [(u16, u16); RANGES] = [(0, 0); RANGES];
        let mut count = 0;
        for &(from, to) in &self.ranges[..self.count] {
            match merged[..count].last_mut() {
                Some(last) if from <= last.1.saturating_add(NEAR) => last.1 = last.1.max(to),
                _ => {
                    merged[count] = (from, to);
                    count += 1;
                }
            }
        }
        let moves = &self.moves[..self.moved];
        let bytes: usize = merged[..count].iter().map(|(from, to)| usize::from(to - from) + 4).sum();
        let bytes = bytes + if moves.is_empty() { 0 } else { 2 + moves.len() * 6 };
        let whole = (!self.fresh && self.bytes.lsn() <= images.before) || bytes > MAX_DELTA;
        if whole {
            put_image(out, self.bytes, images.compressed);
            return true;
        }
        let mode = if self.fresh {
            FRESH
        } else if moves.is_empty() {
            DELTA
        } else {
            MOVED
        };
        out.extend_from_slice(&mode.to_le_bytes());
        out.extend_from_slice(&(bytes as u16).to_le_bytes());
        if mode == MOVED {
            out.extend_from_slice(&(moves.len() as u16).to_le_bytes());
            for number in moves.iter().flat_map(|m| [m.from, m.len, m.to]) {
                out.extend_from_slice(&number.to_le_bytes());
            }
        }
        for &(from, to) in &merged[..count] {
            out.extend_from_slice(&from.to_le_bytes());
            out.extend_from_slice(&(to - from).to_le_bytes());
            out.extend_from_slice(&self.bytes[usize::from(from)..usize::from(to)]);
        }
        false
    }
}

impl Deref for Edit<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes
    }
}

/// Logs what was changed, and stamps the pages. `by` is the transaction and its latest undo record from now on; `None` for
/// changes that no rollback takes back. Durable once the log is flushed to the position it gives. The caller has reserved
/// log space of [`PAGE_RECORD`] for each page.
pub fn commit(log: &Log, by: Option<(&Transaction, UndoPtr)>, edits: &mut [&mut dyn Part]) -> Lsn {
    for edit in edits.iter().filter(|e| e.touches()) {
        edit.mark_dirty();
    }
    let (xid, undo) = by.map_or((0, UndoPtr::NONE), |(transaction, undo)| (transaction.xid, undo));
    let header = RecordHeader { xid, manager: PAGES, kind: CHANGE };
    let mut payload = Vec::with_capacity(512);
    let lsn = loop {
        let redo = log.redo_position();
        let before = if log.full_page_writes() { redo } else { 0 };
        let images = Images { before, compressed: log.compresses_images() };
        payload.clear();
        payload.extend_from_slice(&undo.0.to_le_bytes());
        let mut logged = 0;
        for edit in edits.iter_mut().filter(|e| e.touches()) {
            logged += u64::from(edit.log(&mut payload, images));
        }
        let set_undo = || {
            if let Some((transaction, undo)) = by {
                transaction.set_undo(undo);
            }
        };
        if let Some(lsn) = log.insert_if_redo(redo, header, &[&payload], set_undo) {
            log.counters().full_page_images.fetch_add(logged, Ordering::Relaxed);
            break lsn;
        }
    };
    for edit in edits.iter_mut().filter(|e| e.touches()) {
        edit.stamp(lsn);
    }
    lsn
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::get_u16;
    use crate::redo::PageChange;
    use proptest::prelude::*;

    fn before(before: Lsn) -> Images {
        Images { before, compressed: false }
    }

    #[test]
    fn touched_bytes_are_all_logged_however_many_there_are() {
        let mut page = vec![0u8; PAGE_SIZE];
        let mut edit = Edit::detached(&mut page);
        let places: Vec<usize> = (0..60).map(|i| 20 + (i * 37) % 60 * 100).collect();
        for &at in &places {
            edit.put(at, &[7, 8]);
        }
        edit.bytes.set_lsn(10);
        let mut out = vec![];
        assert!(!edit.log(&mut out, before(5)));
        let mut copy = vec![0u8; PAGE_SIZE];
        let mut at = 16;
        while at < out.len() {
            let (offset, len) = (get_u16(&out, at), get_u16(&out, at + 2));
            copy[offset..offset + len].copy_from_slice(&out[at + 4..at + 4 + len]);
            at += 4 + len;
        }
        for at in places {
            assert_eq!(&copy[at..at + 2], &[7, 8]);
        }
    }

    #[test]
    fn the_first_change_after_a_checkpoint_is_the_whole_page() {
        let mut page = vec![0u8; PAGE_SIZE];
        page.set_lsn(5);
        let mut edit = Edit::detached(&mut page);
        edit.put(100, &[1]);
        assert!(edit.log(&mut vec![], before(5)));
        assert!(!edit.log(&mut vec![], before(4)));
        edit.init(PageKind::Undo, 1);
        assert!(!edit.log(&mut vec![], before(5)), "a fresh page needs no image");
    }

    proptest! {
        /// Whatever is put and moved, and however often, the log's reader makes the same page of what it was.
        #[test]
        fn changes_are_replayed(
            steps in proptest::collection::vec((0usize..3, 16..6000usize, 16..6000usize, 1..2000usize), 1..60),
            is_image: bool,
            compressed: bool,
        ) {
            let mut page: Vec<u8> = (0..PAGE_SIZE).map(|at| (at * 7 % 251) as u8).collect();
            page.set_lsn(5);
            let mut copy = page.clone();
            let mut edit = Edit::detached(&mut page);
            for (number, (kind, at, to, len)) in steps.into_iter().enumerate() {
                match kind {
                    0 => edit.put(at, &vec![number as u8; len % 9]),
                    1 => edit.shift(at..at + len, to),
                    _ => edit.shift(at..at + len, at + 3),
                }
            }
            let mut out = vec![];
            edit.log(&mut out, Images { before: if is_image { 5 } else { 0 }, compressed });
            let mode = get_u16(&out, 12) as u16;
            let change = PageChange { mode, data: &out[16..] };
            prop_assert_eq!(get_u16(&out, 14), out.len() - 16);
            change.apply(&mut copy).unwrap();
            prop_assert!(copy == page);
            // A record that is cut off does no harm.
            for len in 0..out.len() - 16 {
                let _ = PageChange { data: &out[16..16 + len], ..change }.apply(&mut copy);
            }
        }
    }

    #[test]
    fn replacing_a_page_touches_what_differs() {
        let mut page = vec![3u8; PAGE_SIZE];
        let mut other = page.clone();
        other[5000] = 9;
        let mut edit = Edit::detached(&mut page);
        edit.replace(&other);
        assert_eq!(edit.count, 1);
        assert!(usize::from(edit.ranges[0].1 - edit.ranges[0].0) <= 64);
        assert_eq!(page, other);
    }
}
