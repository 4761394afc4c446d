//! Which pages of a table have room for more rows: PostgreSQL's free-space map. VACUUM notes what it makes, a session that finds a page
//! full that was thought to have room notes that, and INSERT asks for a page before it makes the file longer.
//!
//! # Invariants
//! * What it says is a hint: a session that is given a page looks at it under its latch, and says if there was not enough room after
//!   all. So nothing depends on it but where rows go.
//! * It is no part of the log. Checkpoints write what was changed, recovery leaves it as it is: what a crash loses is room that
//!   the next VACUUM finds again, or hints that turn out to be wrong once each.
//! * Blocks that a bulk load has reserved are withheld until its transaction has ended: its rollback empties them, whichever session has
//!   put rows there.
//! * It is read from its file when a session first asks; until then nothing is noted.
//!
//! # The file
//! `<file>_fsm`: pages with the common header; behind it a byte a block: its room in units of [`UNIT`] bytes, 0 for none. A page
//! that cannot be read counts as one without room. In memory it is as a whole (a byte for 8 KiB of table).

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicUsize, Ordering};

use aio::lwlock::{Mutex, RwLock};

use crate::page::{BlockNumber, HEADER_LEN, PAGE_SIZE, PageKind, PageMut};

/// Bytes that a step of room stands for.
pub const UNIT: usize = 32;
/// Blocks that a page has bytes for: 64 MiB of the table.
const BLOCKS: u32 = (PAGE_SIZE - HEADER_LEN) as u32;
const FORMAT_VERSION: u8 = 1;

const UNKNOWN: u8 = 0;
const LOADING: u8 = 1;
const LOADED: u8 = 2;

/// The room in a relation's blocks.
#[derive(Debug, Default)]
pub struct FreeSpaceMap {
    state: AtomicU8,
    pages: RwLock<Vec<Box<Mutex<Rooms>>>>,
    /// Ranges of blocks that no session is given, by their ends, with their first blocks; and how many there are, so that one can
    /// pass them by.
    withheld: Mutex<BTreeMap<BlockNumber, BlockNumber>>,
    withholds: AtomicUsize,
    /// Where the next search begins: pages are filled in their order.
    next: AtomicU32,
}

#[derive(Debug)]
struct Rooms {
    rooms: [u8; BLOCKS as usize],
    /// No block has more.
    most: u8,
    /// A byte is not as it is in the file.
    changed: bool,
}

impl Rooms {
    fn new() -> Box<Mutex<Rooms>> {
        Box::new(Mutex::new(Rooms { rooms: [0; BLOCKS as usize], most: 0, changed: false }))
    }

    fn set(&mut self, at: usize, room: u8) {
        if self.rooms[at] != room {
            self.rooms[at] = room;
            self.most = self.most.max(room);
            self.changed = true;
        }
    }

    /// The first place from `start` on with so much room.
    fn find(&mut self, start: usize, least: u8) -> Option<usize> {
        if self.most < least {
            return None;
        }
        let found = self.rooms[start..].iter().position(|room| *room >= least).map(|at| start + at);
        if found.is_none() && start == 0 {
            self.most = self.rooms.iter().copied().max().unwrap_or(0);
        }
        found
    }
}

/// The step of room that so many bytes are at least, at most; 0 stands for none at all.
fn step(bytes: usize) -> u8 {
    1 + (bytes / UNIT).min(254) as u8
}

/// The least step of room that a row with so many bytes needs.
fn least_step(bytes: usize) -> u8 {
    1 + bytes.div_ceil(UNIT).min(254) as u8
}

impl FreeSpaceMap {
    /// A page has room for a row with `bytes` beyond those that all rows take; `None`: it has none.
    pub fn note(&self, block: BlockNumber, bytes: Option<usize>) {
        if self.state.load(Ordering::Acquire) != LOADED {
            return;
        }
        let room = if self.is_withheld(block) { 0 } else { bytes.map_or(0, step) };
        let number = (block / BLOCKS) as usize;
        if room > 0 {
            self.grow(number + 1);
        }
        if let Some(page) = self.pages.read().get(number) {
            page.lock().set((block % BLOCKS) as usize, room);
        }
    }

    /// No session is given these blocks until [`FreeSpaceMap::give_free`].
    pub fn withhold(&self, blocks: Range<BlockNumber>) {
        let mut withheld = self.withheld.lock();
        let next = withheld.range(blocks.start + 1..).next();
        assert!(next.is_none_or(|(_, start)| *start >= blocks.end), "blocks are withheld for one transaction");
        withheld.insert(blocks.end, blocks.start);
        self.withholds.store(withheld.len(), Ordering::Release);
    }

    /// Gives a withheld range free, or its end.
    pub fn give_free(&self, blocks: &Range<BlockNumber>) {
        let mut withheld = self.withheld.lock();
        if let Some(start) = withheld.remove(&blocks.end)
            && start < blocks.start
        {
            withheld.insert(blocks.start, start);
        }
        self.withholds.store(withheld.len(), Ordering::Release);
    }

    fn is_withheld(&self, block: BlockNumber) -> bool {
        // The ranges share no block.
        let within = |withheld: &BTreeMap<_, _>| {
            withheld.range(block + 1..).next().is_some_and(|(_, start): (&BlockNumber, &BlockNumber)| *start <= block)
        };
        self.withholds.load(Ordering::Acquire) > 0 && within(&self.withheld.lock())
    }

    /// A page was found without room for more than so much; what is not known to have room is not noted.
    pub fn note_full(&self, block: BlockNumber, bytes: Option<usize>) {
        let room = bytes.map_or(0, step);
        if let Some(page) = self.pages.read().get((block / BLOCKS) as usize) {
            let (mut page, at) = (page.lock(), (block % BLOCKS) as usize);
            if page.rooms[at] > room {
                page.set(at, room);
            }
        }
    }

    /// The relation ends at this block: what comes there later may be a session's own.
    pub(crate) fn truncate(&self, end: BlockNumber) {
        let (first, start) = ((end / BLOCKS) as usize, (end % BLOCKS) as usize);
        for (number, page) in self.pages.read().iter().enumerate().skip(first) {
            let mut page = page.lock();
            (if number == first { start } else { 0 }..BLOCKS as usize).for_each(|at| page.set(at, 0));
        }
    }

    /// A block, below `end`, that has room for such a row.
    pub fn find(&self, bytes: usize, end: BlockNumber) -> Option<BlockNumber> {
        let least = least_step(bytes);
        let pages = self.pages.read();
        let next = self.next.load(Ordering::Relaxed);
        let (first, start) = ((next / BLOCKS) as usize, (next % BLOCKS) as usize);
        let first = if first < pages.len() { first } else { 0 };
        // The first page once more at the end, for what is before the start.
        for turn in 0..=pages.len() {
            let number = (first + turn) % pages.len().max(1);
            let start = if turn == 0 { start } else { 0 };
            let Some(page) = pages.get(number) else { continue };
            if let Some(at) = page.lock().find(start, least) {
                let block = number as u32 * BLOCKS + at as u32;
                if block < end {
                    self.next.store(block + 1, Ordering::Relaxed);
                    return Some(block);
                }
            }
        }
        None
    }

    /// How many blocks have room for such a row.
    pub fn count(&self, bytes: usize) -> u32 {
        let least = least_step(bytes);
        let count = |rooms: &[u8]| rooms.iter().filter(|room| **room >= least).count() as u32;
        self.pages
            .read()
            .iter()
            .map(|page| page.lock())
            .filter(|page| page.most >= least)
            .map(|page| count(&page.rooms))
            .sum()
    }

    fn grow(&self, pages: usize) {
        if self.pages.read().len() < pages {
            let mut there = self.pages.write();
            while there.len() < pages {
                there.push(Rooms::new());
            }
        }
    }

    /// Begins to read the file; `None` if a session has, or does. Given up half-way, it is for the next one.
    pub(crate) fn begin_load(&self) -> Option<Loading<'_>> {
        self.state.compare_exchange(UNKNOWN, LOADING, Ordering::AcqRel, Ordering::Acquire).ok()?;
        Some(Loading(self))
    }

    /// Takes over a page of the file, as far as it makes sense; `there`: the relation's blocks, asked for once the page is locked: a cut empties it afterwards. Others may come back, those that a
    /// crash or a cut took away, or have by now, as those of a bulk load, which are no other session's.
    fn load_page(&self, number: u32, page: &[u8], there: impl Fn() -> BlockNumber) {
        self.grow(number as usize + 1);
        if (page[12], page[13]) != (PageKind::FreeSpace as u8, FORMAT_VERSION) {
            return;
        }
        let pages = self.pages.read();
        let mut rooms = pages[number as usize].lock();
        rooms.rooms.copy_from_slice(&page[HEADER_LEN..]);
        let there = there().saturating_sub(number * BLOCKS).min(BLOCKS) as usize;
        rooms.rooms[there..].fill(0);
        rooms.most = u8::MAX;
    }

    /// A page as the file has it.
    pub(crate) fn copy_page(&self, number: u32, page: &mut [u8]) {
        page.init(PageKind::FreeSpace, FORMAT_VERSION);
        page[HEADER_LEN..].copy_from_slice(&self.pages.read()[number as usize].lock().rooms);
    }

    /// A page is not as it is in the file.
    pub(crate) fn note_changed(&self, number: u32) {
        self.pages.read()[number as usize].lock().changed = true;
    }

    /// The pages with bytes that are not in the file; they count as written from here on.
    pub(crate) fn take_changed(&self) -> Vec<u32> {
        let pages = self.pages.read();
        let changed = pages.iter().map(|page| std::mem::take(&mut page.lock().changed));
        (0..).zip(changed).filter_map(|(number, changed)| changed.then_some(number)).collect()
    }
}

/// The map's file is being read.
pub(crate) struct Loading<'a>(&'a FreeSpaceMap);

impl Loading<'_> {
    pub(crate) fn page(&self, number: u32, page: &[u8], there: impl Fn() -> BlockNumber) {
        self.0.load_page(number, page, there);
    }

    pub(crate) fn end(self) {
        self.0.state.store(LOADED, Ordering::Release);
    }
}

impl Drop for Loading<'_> {
    fn drop(&mut self) {
        let _ = self.0.state.compare_exchange(LOADING, UNKNOWN, Ordering::AcqRel, Ordering::Acquire);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaded() -> FreeSpaceMap {
        FreeSpaceMap { state: AtomicU8::new(LOADED), ..FreeSpaceMap::default() }
    }

    #[test]
    fn blocks_that_are_withheld_are_not_given() {
        let map = loaded();
        map.withhold(10..20);
        map.withhold(20..30);
        let noted = |block| {
            map.note(block, Some(100));
            let found = map.find(0, 100);
            map.note(block, None);
            found
        };
        assert_eq!([9, 10, 19, 20, 29, 30].map(noted), [Some(9), None, None, None, None, Some(30)]);
        map.give_free(&(25..30));
        map.give_free(&(10..20));
        assert_eq!([10, 19, 20, 24, 25].map(noted), [Some(10), Some(19), None, None, Some(25)]);
        map.give_free(&(20..25));
        assert_eq!([20, 24].map(noted), [Some(20), Some(24)]);
    }

    #[test]
    fn pages_are_found_by_their_room_and_in_turn() {
        let map = loaded();
        assert_eq!(map.find(0, 100), None);
        for (block, bytes) in [(3, 0), (5, 100), (7, 8000), (BLOCKS + 2, 100)] {
            map.note(block, Some(bytes));
        }
        let end = 2 * BLOCKS;
        let found = |bytes, count: usize| (0..count).map(|_| map.find(bytes, end)).collect::<Vec<_>>();
        assert_eq!(found(0, 5), [Some(3), Some(5), Some(7), Some(BLOCKS + 2), Some(3)]);
        assert_eq!(found(97, 3), [Some(7), Some(7), Some(7)], "100 bytes are not known to be more than 96");
        assert_eq!(found(96, 3), [Some(BLOCKS + 2), Some(5), Some(7)]);
        map.note_full(7, Some(96));
        map.note_full(8, Some(96));
        assert_eq!(map.find(97, end), None);
        assert_eq!(found(96, 3), [Some(BLOCKS + 2), Some(5), Some(7)]);
        map.note(7, None);
        assert_eq!(map.find(96, 7), Some(5), "what is beyond the end is not given");
        assert_eq!(map.take_changed(), [0, 1]);
        map.truncate(4);
        assert_eq!((found(0, 2), map.take_changed()), (vec![Some(3), Some(3)], vec![0, 1]));
    }

    #[test]
    fn before_it_is_loaded_nothing_is_noted() {
        let map = FreeSpaceMap::default();
        map.note(3, Some(100));
        assert_eq!((map.find(0, 100), map.take_changed()), (None, vec![]));
    }
}
