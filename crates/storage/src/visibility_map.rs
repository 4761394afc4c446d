//! Which blocks of a table all snapshots see alike (PostgreSQL's visibility map), and what index entries into the others may be. A
//! block's bit says that every row in it is there for all snapshots, and that no index has an entry that leads into it and to no row
//! with its key. So a scan that needs only what is in an index need not look at the row, and VACUUM need not look at the block.
//!
//! Of a block without the bit it says how stale entries may be ([`Staleness`]): VACUUM reads the indexes only where there may be
//! something for it to remove, and remembers no more of a block's rows than it takes to tell such entries from the others.
//!
//! # Invariants
//! * VACUUM alone sets bits, in two steps: it *proposes* blocks that it finds at rest, removes the entries that lead to nothing
//!   from all indexes, and then sets what is still proposed. A session that changes a page clears both, and says how stale entries into it
//!   may be from then on, under its latch and before the change is logged.
//! * A block that is set has no stale entries. Staleness never becomes less by a change, and goes when the block is set.
//! * Nothing of it is part of the log. Checkpoints write what was changed, behind the log that was there then; recovery takes the
//!   entries into all blocks that the log has changes of for as stale as can be. What a crash loses is bits that are set again.
//! * A block that nothing is known of, in a map or beyond its end, has no stale entries: it may have been loaded in bulk.
//! * A scan that trusts a bit asks for it under the latch of the leaf that has the entry: VACUUM may remove the entry, and then set
//!   the bit, at any other time.
//!
//! # The file
//! `<file>_vm`: pages with the common header; behind it two bits a block, from the lowest of the first byte on: 3 for one that is
//! set, or how stale entries may be. Of blocks on a page that cannot be read they may be as stale as can be, and so of all
//! blocks where the file is no whole number of pages: for want of room on the disk a map was cut to that.

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use aio::lwlock::{RwLock, RwLockReadGuard};

use crate::page::{BlockNumber, HEADER_LEN, PAGE_SIZE, Page, PageKind, PageMut, verify};
use crate::smgr::RelationId;

/// Blocks that a page is about: 128 MiB of the table.
const BLOCKS: u32 = 1 << 14;
/// Blocks that a word is about.
const IN_WORD: u32 = 16;
const WORDS: usize = (BLOCKS / IN_WORD) as usize;
const FORMAT_VERSION: u8 = 2;

// Four bits of a word for each block. It is set:
const SET: u64 = 1;
/// It is proposed.
const PROPOSED: u64 = 2;
/// [`Staleness::Dead`], or more.
const DEAD: u64 = 4;
/// [`Staleness::Rekeyed`].
const REKEYED: u64 = 8;
/// The lowest bit of each block.
const ALL: u64 = 0x1111_1111_1111_1111;

/// What a file has for a block that is set.
const SET_IN_FILE: u64 = 3;

/// What index entries into a block may be that are not those of the rows in it, all versions of these counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Staleness {
    /// There are none: each entry leads to a row with its key.
    None,
    /// Some may lead to slots without a row.
    Dead,
    /// Some may lead to rows that have other keys.
    Rekeyed,
}

/// What is being done to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockChange {
    /// Values change that no index depends on, or what no snapshot needs goes.
    KeepsEntries,
    /// Rows come into slots, which others may have had.
    Inserts,
    /// Rows go.
    Removes,
    /// Anything else.
    Any,
}

/// The bits of a relation's blocks. They are in memory as a whole: a 16,384th of the relation, as far as anything is known.
#[derive(Debug, Default)]
pub struct VisibilityMap {
    /// Blocks that there are bits for.
    end: AtomicU32,
    pages: RwLock<Vec<Box<Bits>>>,
    set: AtomicU32,
}

#[derive(Debug)]
struct Bits {
    words: [AtomicU64; WORDS],
    /// Something is not as it is in the file.
    changed: AtomicBool,
}

/// The bits, for many looks.
pub struct Bitmap<'a>(RwLockReadGuard<'a, Vec<Box<Bits>>>);

impl Bitmap<'_> {
    #[inline]
    fn bits(&self, block: BlockNumber) -> u64 {
        let Some(page) = self.0.get((block / BLOCKS) as usize) else { return 0 };
        let (word, shift) = page.word(block);
        word.load(Ordering::Acquire) >> shift
    }

    #[inline]
    pub fn is_set(&self, block: BlockNumber) -> bool {
        self.bits(block) & SET != 0
    }

    /// Was it proposed, and has no session changed it since?
    #[inline]
    pub fn is_proposed(&self, block: BlockNumber) -> bool {
        self.bits(block) & PROPOSED != 0
    }
}

impl Bits {
    fn new() -> Box<Bits> {
        Box::new(Bits { words: std::array::from_fn(|_| AtomicU64::new(0)), changed: AtomicBool::new(false) })
    }

    #[inline]
    fn word(&self, block: BlockNumber) -> (&AtomicU64, u32) {
        (&self.words[(block % BLOCKS / IN_WORD) as usize], block % IN_WORD * 4)
    }
}

impl VisibilityMap {
    /// The bits as they are, for a moment in which nothing is awaited.
    pub fn bitmap(&self) -> Bitmap<'_> {
        Bitmap(self.pages.read())
    }

    pub fn is_set(&self, block: BlockNumber) -> bool {
        block < self.end.load(Ordering::Acquire) && self.bitmap().is_set(block)
    }

    /// How many blocks' bits are set.
    pub fn count(&self) -> u32 {
        self.set.load(Ordering::Relaxed)
    }

    /// How stale entries into a block may be.
    pub fn staleness(&self, block: BlockNumber) -> Staleness {
        match self.bitmap().bits(block) {
            bits if bits & REKEYED != 0 => Staleness::Rekeyed,
            bits if bits & DEAD != 0 => Staleness::Dead,
            _ => Staleness::None,
        }
    }

    /// A block is being changed. The caller has its page latched, or keeps VACUUM from setting it otherwise.
    pub fn note(&self, block: BlockNumber, change: BlockChange) {
        if block >= self.end.load(Ordering::Acquire) {
            if matches!(change, BlockChange::KeepsEntries | BlockChange::Inserts) {
                return;
            }
            self.grow((block / BLOCKS) as usize + 1);
        }
        let pages = self.pages.read();
        let page = &pages[(block / BLOCKS) as usize];
        let (word, shift) = page.word(block);
        let noted = |bits: u64| {
            let stale = match change {
                BlockChange::KeepsEntries => 0,
                // Nothing leads to a slot unless something may lead to slots without a row.
                BlockChange::Inserts if bits & DEAD == 0 => 0,
                BlockChange::Removes => DEAD,
                BlockChange::Inserts | BlockChange::Any => DEAD | REKEYED,
            };
            bits & !(SET | PROPOSED) | stale
        };
        let update = |word: u64| Some(word & !(15 << shift) | noted(word >> shift & 15) << shift);
        let before = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, update).unwrap_or_else(|word| word);
        let before = before >> shift & 15;
        debug_assert!(before & SET == 0 || before & (DEAD | REKEYED) == 0, "a block that is set has no stale entries");
        debug_assert!(before & !noted(before) & (DEAD | REKEYED) == 0, "a change makes no entries less stale");
        if before & SET != 0 {
            self.set.fetch_sub(1, Ordering::Relaxed);
        }
        if (before ^ noted(before)) & !PROPOSED != 0 {
            page.changed.store(true, Ordering::Release);
        }
    }

    /// A block is at rest. The caller has its page latched, and sees to the indexes before [`VisibilityMap::set_proposed`].
    pub fn propose(&self, block: BlockNumber) {
        if block >= self.end.load(Ordering::Acquire) {
            self.grow((block / BLOCKS) as usize + 1);
        }
        let pages = self.pages.read();
        let (word, shift) = pages[(block / BLOCKS) as usize].word(block);
        word.fetch_or(PROPOSED << shift, Ordering::AcqRel);
    }

    /// What was proposed, by a VACUUM that did not come to its end, counts no more.
    pub fn forget_proposed(&self) {
        for word in self.pages.read().iter().flat_map(|page| &page.words) {
            word.fetch_and(!(ALL * PROPOSED), Ordering::AcqRel);
        }
    }

    /// Sets the bits of the blocks that are still proposed: no stale entry leads there.
    pub fn set_proposed(&self) {
        for page in self.pages.read().iter() {
            for word in page.words.iter().filter(|word| word.load(Ordering::Acquire) & (ALL * PROPOSED) != 0) {
                let proposed = |word: u64| (word / PROPOSED) & ALL;
                let set = |word: u64| Some(word & !(proposed(word) * 15) | (proposed(word) * SET));
                let before = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, set).unwrap_or_else(|word| word);
                let new = proposed(before) & !before;
                self.set.fetch_add(new.count_ones(), Ordering::Relaxed);
                if new != 0 {
                    page.changed.store(true, Ordering::Release);
                }
            }
        }
    }

    /// The relation ends at this block: what comes there later is not at rest. Entries that lead there still do.
    pub(crate) fn truncate(&self, end: BlockNumber) {
        (end..self.end.load(Ordering::Acquire)).for_each(|block| self.note(block, BlockChange::KeepsEntries));
    }

    fn grow(&self, pages: usize) {
        let mut there = self.pages.write();
        while there.len() < pages {
            there.push(Bits::new());
        }
        self.end.store(there.len() as u32 * BLOCKS, Ordering::Release);
    }

    /// Reads the file, if there is one. Gives the numbers of pages that make no sense.
    pub(crate) fn load(&self, path: &Path, id: RelationId, blocks: BlockNumber) -> std::io::Result<Vec<BlockNumber>> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes?,
        };
        if !bytes.len().is_multiple_of(PAGE_SIZE) {
            // It was lost: nothing is known of any block.
            self.grow((blocks / BLOCKS) as usize + 1);
            for page in &*self.pages.read() {
                page.words.iter().for_each(|word| word.store(ALL * (DEAD | REKEYED), Ordering::Release));
                page.changed.store(true, Ordering::Release);
            }
            return Ok(Vec::new());
        }
        let mut bad = Vec::new();
        for (number, page) in bytes.chunks_exact(PAGE_SIZE).enumerate() {
            let is_known = page.is_new() || (page[12], page[13]) == (PageKind::Visibility as u8, FORMAT_VERSION);
            self.grow(number + 1);
            let pages = self.pages.read();
            if verify(page, id.vm(), number as u32).is_err() || !is_known {
                bad.push(number as u32);
                pages[number].words.iter().for_each(|word| word.store(ALL * (DEAD | REKEYED), Ordering::Release));
                continue;
            }
            for (word, bits) in pages[number].words.iter().zip(page[HEADER_LEN..].chunks_exact(4)) {
                let bits = u64::from(u32::from_le_bytes(bits.try_into().expect("4 bytes")));
                let spread = (0..IN_WORD).fold(0, |word, at| word | from_file(bits >> (at * 2)) << (at * 4));
                word.store(spread, Ordering::Release);
                self.set.fetch_add((spread & (ALL * SET)).count_ones(), Ordering::Relaxed);
            }
        }
        Ok(bad)
    }

    /// The pages with bits that are not in the file; they count as written from here on.
    pub(crate) fn take_changed(&self) -> Vec<u32> {
        let pages = self.pages.read();
        let changed = pages.iter().map(|page| page.changed.swap(false, Ordering::AcqRel));
        (0..).zip(changed).filter_map(|(number, changed)| changed.then_some(number)).collect()
    }

    /// A page is not as it is in the file.
    pub(crate) fn note_changed(&self, number: u32) {
        self.pages.read()[number as usize].changed.store(true, Ordering::Release);
    }

    /// Nor is any of them.
    pub(crate) fn note_all_changed(&self) {
        self.pages.read().iter().for_each(|page| page.changed.store(true, Ordering::Release));
    }

    /// A page as the file has it.
    pub(crate) fn copy_page(&self, number: u32, page: &mut [u8]) {
        page.init(PageKind::Visibility, FORMAT_VERSION);
        let pages = self.pages.read();
        for (word, out) in pages[number as usize].words.iter().zip(page[HEADER_LEN..].chunks_exact_mut(4)) {
            let word = word.load(Ordering::Acquire);
            let bits = (0..IN_WORD).fold(0, |bits, at| bits | to_file(word >> (at * 4)) << (at * 2));
            out.copy_from_slice(&(bits as u32).to_le_bytes());
        }
    }
}

/// A block's bits in memory, of those in a file.
fn from_file(bits: u64) -> u64 {
    match bits & 3 {
        SET_IN_FILE => SET,
        2 => DEAD | REKEYED,
        1 => DEAD,
        _ => 0,
    }
}

fn to_file(bits: u64) -> u64 {
    match bits {
        _ if bits & SET != 0 => SET_IN_FILE,
        _ if bits & REKEYED != 0 => 2,
        _ if bits & DEAD != 0 => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_since_it_was_proposed_is_not_set() {
        let map = VisibilityMap::default();
        map.note(7, BlockChange::Inserts);
        for block in [0, 15, 16, BLOCKS - 1, BLOCKS] {
            map.propose(block);
        }
        map.note(15, BlockChange::KeepsEntries);
        assert!(!map.is_set(0), "indexes come first");
        map.set_proposed();
        let set = |blocks: &[u32]| blocks.iter().map(|block| map.is_set(*block)).collect::<Vec<_>>();
        assert_eq!(set(&[0, 1, 15, 16, BLOCKS - 1, BLOCKS, BLOCKS + 1]), [true, false, false, true, true, true, false]);
        assert_eq!((map.count(), map.take_changed()), (4, vec![0, 1]));
        map.propose(5);
        map.forget_proposed();
        map.propose(0);
        map.set_proposed();
        assert_eq!((map.count(), map.take_changed()), (4, vec![]), "nothing has changed");
        map.note(BLOCKS, BlockChange::Inserts);
        assert_eq!((map.is_set(BLOCKS), map.count(), map.take_changed()), (false, 3, vec![1]));
        map.propose(33);
        map.truncate(16);
        map.set_proposed();
        assert_eq!(set(&[0, 16, 33, BLOCKS - 1]), [true, false, false, false]);
        assert_eq!((map.count(), map.take_changed()), (1, vec![0]));
    }

    #[test]
    fn entries_grow_stale_until_the_block_is_set() {
        let map = VisibilityMap::default();
        let set = |blocks: &[u32]| {
            blocks.iter().for_each(|block| map.propose(*block));
            map.set_proposed();
        };
        let after = |block, changes: &[BlockChange]| {
            changes.iter().for_each(|change| map.note(block, *change));
            map.staleness(block)
        };
        use BlockChange::*;
        assert_eq!(after(BLOCKS + 9, &[]), Staleness::None, "nothing is known of it");
        assert_eq!(after(BLOCKS + 9, &[Inserts, KeepsEntries]), Staleness::None);
        assert_eq!(map.take_changed(), [0u32; 0], "nor is it now");
        assert_eq!(after(BLOCKS + 9, &[Removes, KeepsEntries]), Staleness::Dead);
        assert_eq!(map.take_changed(), [1]);
        assert_eq!(after(BLOCKS + 9, &[Removes]), Staleness::Dead);
        assert_eq!(map.take_changed(), [0u32; 0]);
        assert_eq!(after(BLOCKS + 9, &[Inserts]), Staleness::Rekeyed);
        assert_eq!(after(BLOCKS + 9, &[Removes, KeepsEntries]), Staleness::Rekeyed);
        assert_eq!(after(BLOCKS + 8, &[Any]), Staleness::Rekeyed);
        assert_eq!(after(BLOCKS + 7, &[Removes]), Staleness::Dead);
        set(&[BLOCKS + 9, BLOCKS + 7]);
        assert_eq!(
            [7, 8, 9].map(|at| map.staleness(BLOCKS + at)),
            [Staleness::None, Staleness::Rekeyed, Staleness::None]
        );
        assert_eq!(after(BLOCKS + 9, &[Inserts]), Staleness::None, "nothing leads to its free slots");
        set(&[BLOCKS + 9]);
        map.truncate(0);
        assert_eq!([8, 9].map(|at| map.staleness(BLOCKS + at)), [Staleness::Rekeyed, Staleness::None]);
    }

    #[test]
    fn files_have_the_bits_and_bad_pages_have_none() {
        let (map, id) = (VisibilityMap::default(), RelationId { database: 5, file: 16384 });
        for block in [0, 9, 40, BLOCKS + 3] {
            map.propose(block);
        }
        map.set_proposed();
        map.note(1, BlockChange::Removes);
        map.note(2, BlockChange::Any);
        map.propose(3);
        let arena = aio::BufferArena::new(1, PAGE_SIZE).unwrap();
        let mut bytes = Vec::new();
        for number in 0..2 {
            let mut page = arena.take().unwrap();
            map.copy_page(number, &mut page);
            crate::page::seal(&mut page, id.vm(), number);
            bytes.extend_from_slice(&page);
        }
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("16384_vm");
        let load = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let map = VisibilityMap::default();
            let bad = map.load(&path, id, BLOCKS + 4).unwrap();
            let staleness = [0, 1, 2, 3].map(|block| map.staleness(block) as u8);
            (bad, map.count(), [0, 1, 9, 40, BLOCKS + 3].map(|block| map.is_set(block)), staleness)
        };
        assert_eq!(load(&bytes), (vec![], 4, [true, false, true, true, true], [0, 1, 2, 0]));
        bytes[100] ^= 1;
        assert_eq!(load(&bytes), (vec![0], 1, [false, false, false, false, true], [2; 4]));
        assert_eq!(load(&bytes[..PAGE_SIZE]), (vec![0], 0, [false; 5], [2; 4]));
        assert_eq!(load(&bytes[..1]), (vec![], 0, [false; 5], [2; 4]), "it was lost");
    }
}
