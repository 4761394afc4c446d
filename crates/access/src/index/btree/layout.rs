//! How a page keeps its entries: what they have in common is there once.
//!
//! In a leaf all keys begin with the same *prefix*, which is there once; rows are told by their distance from a *least
//! block*, in as many bytes as this page needs; and where all keys have the same length, so have all items, and their places
//! need not be said. So an `int` that counts up takes 5 bytes where it took 15, and a key that thousands of rows have takes
//! 3 a row. (Bayer and Unterauer, "Prefix B-Trees", TODS 1977; PostgreSQL's posting lists, and InnoDB's page compression, are
//! for the same.) Inner pages are few, and keep separators as they are.
//!
//! A layout follows from entries ([`Contents`]). One that comes later and that it cannot hold has the page written anew.

use storage::PAGE_SIZE;

use crate::index::btree::page::{ITEMS, SLOT};
use crate::index::key::{TID, tid_of, tuple_of};
use crate::page::Tid;

/// Pages are filled so far: later entries find room.
const FILL: usize = PAGE_SIZE * 9 / 10;
/// Entries of a leaf have so many bytes at most outside of it, where nothing is shared: readers copy them.
pub const MAX_EXPANDED: usize = 64 << 10;
/// Bytes of a child's block in an inner page.
pub const CHILD: usize = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Bytes that all keys begin with.
    pub prefix_len: usize,
    /// Bytes of each key behind the prefix; `None`: each item says how many, and has a slot.
    pub key_len: Option<usize>,
    /// Bytes of a row's block, counted from the least one, and of its number there. None in inner pages.
    pub block_len: usize,
    pub row_len: usize,
    pub least_block: u32,
}

impl Layout {
    /// One for any entry of any row.
    pub const LOOSE: Layout = Layout { prefix_len: 0, key_len: None, block_len: 4, row_len: 2, least_block: 0 };
    /// One for any separator.
    pub const INNER: Layout = Layout { prefix_len: 0, key_len: None, block_len: 0, row_len: 0, least_block: 0 };

    pub fn loosest(level: usize) -> Layout {
        if level == 0 { Layout::LOOSE } else { Layout::INNER }
    }

    pub fn is_inner(&self) -> bool {
        self.block_len == 0
    }

    /// Bytes behind an item's key.
    pub fn payload_len(&self) -> usize {
        if self.is_inner() { CHILD } else { self.block_len + self.row_len }
    }

    /// Bytes from one item to the next, slots if there are any.
    pub fn step(&self) -> usize {
        self.key_len.map_or(SLOT, |len| len + self.payload_len())
    }

    /// Bytes that an item takes with a key of this length, the prefix included.
    pub fn needed(&self, key_len: usize) -> usize {
        let slot_and_len = if self.key_len.is_none() { SLOT + 2 } else { 0 };
        slot_and_len + key_len - self.prefix_len + self.payload_len()
    }

    /// Can it say which row this is?
    pub fn can_hold_row(&self, tid: Tid) -> bool {
        let fits = |number: u32, len: usize| u64::from(number) < 1 << (8 * len);
        tid.block.checked_sub(self.least_block).is_some_and(|block| fits(block, self.block_len))
            && fits(u32::from(tid.row), self.row_len)
    }
}

/// What a page's layout follows from, of entries in their order.
#[derive(Clone, Copy, Debug)]
pub struct Contents {
    level: usize,
    count: usize,
    /// Bytes of all keys.
    bytes: usize,
    /// Bytes that all keys begin with.
    common: usize,
    /// The first key's length, and whether all have it.
    first_len: usize,
    same_len: bool,
    blocks: (u32, u32),
    row: u16,
}

impl Contents {
    pub fn new(level: usize) -> Contents {
        let (first_len, same_len) = (0, true);
        Contents { level, count: 0, bytes: 0, common: 0, first_len, same_len, blocks: (u32::MAX, 0), row: 0 }
    }

    pub fn of<'e>(level: usize, mut entries: impl Iterator<Item = &'e [u8]>) -> Contents {
        let mut contents = Contents::new(level);
        if let Some(first) = entries.next() {
            contents.add(first, first);
            entries.for_each(|entry| contents.add(first, entry));
        }
        contents
    }

    /// Counts the next entry in; `first` is the first of all.
    pub fn add(&mut self, first: &[u8], entry: &[u8]) {
        self.count += 1;
        if self.level > 0 {
            self.bytes += entry.len();
            return;
        }
        let (key, tid) = (tuple_of(entry), tid_of(entry));
        if self.count == 1 {
            (self.common, self.first_len) = (key.len(), key.len());
        } else {
            let same = |(a, b): &(&u8, &u8)| a == b;
            self.common = first[..self.common].iter().zip(key).take_while(same).count();
        }
        self.same_len &= key.len() == self.first_len;
        self.bytes += key.len();
        self.blocks = (self.blocks.0.min(tid.block), self.blocks.1.max(tid.block));
        self.row = self.row.max(tid.row);
    }

    pub fn layout(&self) -> Layout {
        if self.level > 0 || self.count == 0 {
            return Layout::loosest(self.level);
        }
        let bytes_for = |number: u32| (32 - number.leading_zeros()).div_ceil(8).max(1) as usize;
        let span = self.blocks.1 - self.blocks.0;
        let block_len = bytes_for(span);
        // As much room below as above: rows that come may be in either.
        let spare = (u64::from(u32::MAX) >> (32 - 8 * block_len)) - u64::from(span);
        Layout {
            prefix_len: self.common,
            key_len: self.same_len.then(|| self.first_len - self.common),
            block_len,
            row_len: bytes_for(u32::from(self.row)),
            least_block: self.blocks.0.saturating_sub((spare / 2) as u32),
        }
    }

    /// Are there so many long entries that they should be in several leaves, however little room they take in one?
    pub fn is_too_long(&self) -> bool {
        self.bytes > MAX_EXPANDED && self.count > 2
    }

    /// Bytes of a page that has nothing but these, with a high key of this length.
    pub fn size(&self, high_key: usize) -> usize {
        let layout = self.layout();
        let each = layout.needed(layout.prefix_len);
        ITEMS + self.count * each + (self.bytes - self.count * layout.prefix_len) + layout.prefix_len + high_key
    }
}

/// Entries out of their page, in order; in inner pages with their children.
#[derive(Clone, Debug, Default)]
pub struct Items {
    bytes: Vec<u8>,
    ends: Vec<usize>,
    children: Vec<u32>,
}

impl Items {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn push(&mut self, entry: &[u8], child: u32) {
        self.push_with(|bytes| bytes.extend_from_slice(entry), child);
    }

    /// The same for an entry that has to be put together.
    pub fn push_with(&mut self, append: impl FnOnce(&mut Vec<u8>), child: u32) {
        append(&mut self.bytes);
        self.ends.push(self.bytes.len());
        self.children.push(child);
    }

    /// The same with another one at a position.
    pub fn with(self, at: usize, entry: &[u8], child: u32) -> Items {
        let mut all = Items::default();
        let (before, behind) = (self.iter(0..at), self.iter(at..self.len()));
        before.chain([(entry, child)]).chain(behind).for_each(|(entry, child)| all.push(entry, child));
        all
    }

    pub fn entry(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    pub fn last(&self) -> &[u8] {
        self.entry(self.len() - 1)
    }

    pub fn iter(&self, range: std::ops::Range<usize>) -> impl Iterator<Item = (&[u8], u32)> + Clone {
        range.map(|at| (self.entry(at), self.children[at]))
    }

    pub fn all(&self) -> impl Iterator<Item = (&[u8], u32)> + Clone {
        self.iter(0..self.len())
    }

    /// What some of them have in common.
    pub fn contents(&self, level: usize, range: std::ops::Range<usize>) -> Contents {
        Contents::of(level, self.iter(range).map(|(entry, _)| entry))
    }

    /// Where to cut so that about `percent` of the bytes are before, and both parts have something.
    pub fn cut(&self, percent: usize) -> usize {
        // What an item takes beside its key.
        const ABOUT: usize = SLOT + TID;
        assert!(self.len() > 1, "two parts of what has {} entries", self.len());
        let total = self.bytes.len() + ABOUT * self.len();
        let cut = (0..self.len()).find(|at| (self.ends[*at] + ABOUT * (at + 1)) * 100 > total * percent);
        cut.unwrap_or(self.len() - 1).clamp(1, self.len() - 1)
    }
}

/// A page that is being filled, in order.
pub struct Filling {
    pub items: Items,
    contents: Contents,
    /// Bytes kept free for the high key: one that is known, or the longest entry. (Of an inner page it may be longer yet.)
    kept_free: usize,
    high_key: usize,
}

impl Filling {
    /// The high key may be one of this length.
    pub fn new(level: usize, high_key: usize) -> Filling {
        Filling { items: Items::default(), contents: Contents::new(level), kept_free: high_key, high_key }
    }

    /// An empty one like this.
    pub fn next(&self) -> Filling {
        Filling::new(self.contents.level, self.high_key)
    }

    /// Adds an entry; `false`: it has enough without it.
    pub fn try_push(&mut self, entry: &[u8], child: u32) -> bool {
        let (with, kept_free) = self.with(entry);
        if !self.items.is_empty() && (with.size(0) > FILL.min(PAGE_SIZE - kept_free) || with.is_too_long()) {
            return false;
        }
        self.items.push(entry, child);
        (self.contents, self.kept_free) = (with, kept_free);
        true
    }

    /// Adds an entry that there is room for.
    pub fn push(&mut self, entry: &[u8], child: u32) {
        (self.contents, self.kept_free) = self.with(entry);
        self.items.push(entry, child);
    }

    fn with(&self, entry: &[u8]) -> (Contents, usize) {
        let mut with = self.contents;
        with.add(if self.items.is_empty() { entry } else { self.items.entry(0) }, entry);
        (with, self.kept_free.max(entry.len()))
    }
}
