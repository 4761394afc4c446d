//! Which blocks of a table everybody sees alike: PostgreSQL's visibility map. A block's bit says that every row in it is there
//! for everybody, and that no index has an entry that leads into it and to no row with its key. So a scan that needs only what
//! is in an index need not look at the row, and VACUUM need not look at the block.
//!
//! # Invariants
//! * VACUUM alone sets bits, in two steps: it *proposes* blocks that it finds at rest, removes the entries that lead to nothing
//!   from all indexes, and then sets what is still proposed. Whoever changes a page clears both, under its latch and before the
//!   change is logged.
//! * Bits are no part of the log. Checkpoints write those that were changed, behind the log that was there when they were set;
//!   recovery clears the bits of all blocks that the log has changes of. What a crash loses is bits that are set again.
//! * Whoever trusts a bit asks for it under the latch of the leaf that has the entry: VACUUM may remove the entry, and then set
//!   the bit, at any other time.
//!
//! # The file
//! `<file>_vm`: pages with the common header; behind it a bit a block, from the lowest bit of the first byte on. A page that
//! cannot be read counts as one without bits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

use aio::Session;
use parking_lot::{RwLock, RwLockReadGuard};

use crate::error::Result;
use crate::page::{BlockNumber, HEADER_LEN, Lsn, PAGE_SIZE, Page, PageKind, PageMut, verify};
use crate::pool::BufferPool;
use crate::relation::{FileSet, RelationId};
use crate::write_stream::write_map;

/// Blocks that a page has bits for: 256 MiB of the table.
const BLOCKS: u32 = 1 << 15;
const WORDS: usize = BLOCKS as usize / 32;
const FORMAT_VERSION: u8 = 1;

/// The lower bit of each block in a word: it is set; the upper one: it is proposed.
const SET: u64 = 0x5555_5555_5555_5555;
const PROPOSED: u64 = SET << 1;

/// The bits of a relation's blocks. They are in memory as a whole: a 32,768th of the relation.
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
    /// A bit is not as it is in the file.
    changed: AtomicBool,
}

/// The bits, for many looks.
pub struct Bitmap<'a>(RwLockReadGuard<'a, Vec<Box<Bits>>>);

impl Bitmap<'_> {
    #[inline]
    pub fn is_set(&self, block: BlockNumber) -> bool {
        let Some(page) = self.0.get((block / BLOCKS) as usize) else { return false };
        let (word, shift) = page.word(block);
        word.load(Ordering::Acquire) >> shift & 1 != 0
    }

    /// Was it proposed, and has nobody changed it since?
    #[inline]
    pub fn is_proposed(&self, block: BlockNumber) -> bool {
        let Some(page) = self.0.get((block / BLOCKS) as usize) else { return false };
        let (word, shift) = page.word(block);
        word.load(Ordering::Acquire) >> shift & 2 != 0
    }
}

impl Bits {
    fn new() -> Box<Bits> {
        Box::new(Bits { words: std::array::from_fn(|_| AtomicU64::new(0)), changed: AtomicBool::new(false) })
    }

    #[inline]
    fn word(&self, block: BlockNumber) -> (&AtomicU64, u32) {
        (&self.words[(block % BLOCKS / 32) as usize], block % 32 * 2)
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

    /// A block is being changed. The caller has its page latched.
    pub fn clear(&self, block: BlockNumber) {
        if block >= self.end.load(Ordering::Acquire) {
            return;
        }
        let pages = self.pages.read();
        let page = &pages[(block / BLOCKS) as usize];
        let (word, shift) = page.word(block);
        if word.fetch_and(!(3 << shift), Ordering::AcqRel) >> shift & 1 != 0 {
            self.set.fetch_sub(1, Ordering::Relaxed);
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
        word.fetch_or(2 << shift, Ordering::AcqRel);
    }

    /// What was proposed, by a VACUUM that did not come to its end, counts no more.
    pub fn forget_proposed(&self) {
        for word in self.pages.read().iter().flat_map(|page| &page.words) {
            word.fetch_and(!PROPOSED, Ordering::AcqRel);
        }
    }

    /// Sets the bits of the blocks that are still proposed.
    pub fn set_proposed(&self) {
        for page in self.pages.read().iter() {
            for word in page.words.iter().filter(|word| word.load(Ordering::Acquire) & PROPOSED != 0) {
                let set = |word: u64| Some(word & SET | (word & PROPOSED) >> 1);
                let before = word.fetch_update(Ordering::AcqRel, Ordering::Acquire, set).unwrap_or_else(|word| word);
                let new = (before & PROPOSED) >> 1 & !before;
                self.set.fetch_add(new.count_ones(), Ordering::Relaxed);
                if new != 0 {
                    page.changed.store(true, Ordering::Release);
                }
            }
        }
    }

    /// The relation ends at this block: of what comes there later nothing is known.
    pub(crate) fn truncate(&self, end: BlockNumber) {
        (end..self.end.load(Ordering::Acquire)).for_each(|block| self.clear(block));
    }

    fn grow(&self, pages: usize) {
        let mut there = self.pages.write();
        while there.len() < pages {
            there.push(Bits::new());
        }
        self.end.store(there.len() as u32 * BLOCKS, Ordering::Release);
    }

    /// Reads the file, if there is one. Gives the numbers of pages that make no sense.
    pub(crate) fn load(&self, path: &Path, id: RelationId) -> std::io::Result<Vec<BlockNumber>> {
        let bytes = match std::fs::read(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            bytes => bytes?,
        };
        let mut bad = Vec::new();
        for (number, page) in bytes.chunks_exact(PAGE_SIZE).enumerate() {
            let is_known = page.is_new() || (page[12], page[13]) == (PageKind::Visibility as u8, FORMAT_VERSION);
            if verify(page, id.vm(), number as u32).is_err() || !is_known {
                bad.push(number as u32);
                continue;
            }
            self.grow(number + 1);
            let pages = self.pages.read();
            for (word, bits) in pages[number].words.iter().zip(page[HEADER_LEN..].chunks_exact(4)) {
                let bits = u32::from_le_bytes(bits.try_into().expect("4 bytes"));
                let spread = (0..32).filter(|at| bits >> at & 1 != 0).fold(0, |word, at| word | 1 << (at * 2));
                word.store(spread, Ordering::Release);
                self.set.fetch_add(bits.count_ones(), Ordering::Relaxed);
            }
        }
        Ok(bad)
    }

    /// The pages with bits that are not in the file; they count as written from here on.
    fn take_changed(&self) -> Vec<u32> {
        let pages = self.pages.read();
        let changed = pages.iter().map(|page| page.changed.swap(false, Ordering::AcqRel));
        (0..).zip(changed).filter_map(|(number, changed)| changed.then_some(number)).collect()
    }

    fn copy_page(&self, number: u32, page: &mut [u8]) {
        page.init(PageKind::Visibility, FORMAT_VERSION);
        let pages = self.pages.read();
        for (word, out) in pages[number as usize].words.iter().zip(page[HEADER_LEN..].chunks_exact_mut(4)) {
            let word = word.load(Ordering::Acquire);
            let bits = (0..32).filter(|at| word >> (at * 2) & 1 != 0).fold(0u32, |bits, at| bits | 1 << at);
            out.copy_from_slice(&bits.to_le_bytes());
        }
    }
}

/// Writes the bits that were changed since the last time, for a checkpoint, which flushes the files afterwards. `logged` gives
/// the end of the log.
pub async fn write_visibility_maps(
    pool: &Arc<BufferPool>,
    session: &Session,
    files: &FileSet,
    logged: impl Fn() -> Lsn,
) -> Result<()> {
    for relation in files.open_relations() {
        let changed = relation.visibility().take_changed();
        if changed.is_empty() {
            continue;
        }
        let fill = |number: u32, page: &mut [u8]| {
            relation.visibility().copy_page(number, page);
            // The changes that made the blocks be at rest must be on the disk before it says so.
            page.set_lsn(logged());
        };
        let note_changed = |number: u32| {
            relation.visibility().pages.read()[number as usize].changed.store(true, Ordering::Release);
        };
        write_map(pool, session, files, relation.id().vm(), &changed, fill, note_changed).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_changed_since_it_was_proposed_is_not_set() {
        let map = VisibilityMap::default();
        map.clear(7);
        for block in [0, 31, 32, BLOCKS - 1, BLOCKS] {
            map.propose(block);
        }
        map.clear(31);
        assert!(!map.is_set(0), "indexes come first");
        map.set_proposed();
        let set = |blocks: &[u32]| blocks.iter().map(|block| map.is_set(*block)).collect::<Vec<_>>();
        assert_eq!(set(&[0, 1, 31, 32, BLOCKS - 1, BLOCKS, BLOCKS + 1]), [true, false, false, true, true, true, false]);
        assert_eq!((map.count(), map.take_changed()), (4, vec![0, 1]));
        map.propose(5);
        map.forget_proposed();
        map.propose(0);
        map.set_proposed();
        assert_eq!((map.count(), map.take_changed()), (4, vec![]), "nothing has changed");
        map.clear(BLOCKS);
        assert_eq!((map.is_set(BLOCKS), map.count(), map.take_changed()), (false, 3, vec![1]));
        map.propose(33);
        map.truncate(32);
        map.set_proposed();
        assert_eq!(set(&[0, 32, 33, BLOCKS - 1]), [true, false, false, false]);
        assert_eq!((map.count(), map.take_changed()), (1, vec![0]));
    }

    #[test]
    fn files_have_the_bits_and_bad_pages_have_none() {
        let (map, id) = (VisibilityMap::default(), RelationId { database: 5, file: 16384 });
        for block in [0, 9, 40, BLOCKS + 3] {
            map.propose(block);
        }
        map.set_proposed();
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
            let bad = map.load(&path, id).unwrap();
            (bad, map.count(), [0, 1, 9, 40, BLOCKS + 3].map(|block| map.is_set(block)))
        };
        assert_eq!(load(&bytes), (vec![], 4, [true, false, true, true, true]));
        bytes[100] ^= 1;
        assert_eq!(load(&bytes), (vec![0], 1, [false, false, false, false, true]));
        assert_eq!(load(&bytes[..PAGE_SIZE]), (vec![0], 0, [false; 5]));
    }
}
