//! A page of a B-tree, to the byte (behind the common header of 16 bytes; little-endian):
//!
//! ```text
//! offset  bytes  field
//!     16      2  items, the high key included
//!     18      2  level: 0 is a leaf
//!     20      4  the page to the right, 0 if this is the last of its level
//!     24      2  where the lowest item starts
//!     26      2  flags: 1 = the page to the right has no entry in the level above yet
//!     28      4  in the first page of the file: the root's block
//!     32         2 bytes an item: where it is; in the order of their keys. The first is the high key, unless the page
//!                is the last of its level: everything in the page is less, everything to the right is not
//!    …8192       items, from the end downward: length (2), in inner pages the child's block (4), key
//! ```
//! The first entry of an inner page has an empty key: it is less than everything.

use storage::{PAGE_SIZE, PageKind};

use crate::edit::Edit;
use crate::page::{get_u16, get_u32, put_u16};

pub const FORMAT_VERSION: u8 = 1;
const COUNT: usize = 16;
const LEVEL: usize = 18;
const RIGHT: usize = 20;
const LOW: usize = 24;
const FLAGS: usize = 26;
const ROOT: usize = 28;
const SLOTS: usize = 32;
const INCOMPLETE: usize = 1;

/// A page, checked to be one of a B-tree.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    bytes: &'a [u8],
    count: usize,
    pub level: usize,
    pub right: u32,
}

impl<'a> Node<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Node<'a>, &'static str> {
        if bytes[12] != PageKind::BTree as u8 {
            return Err("not a B-tree page");
        }
        if bytes[13] != FORMAT_VERSION {
            return Err("unknown format version");
        }
        let count = get_u16(bytes, COUNT);
        let low = get_u16(bytes, LOW);
        if SLOTS + count * 2 > low || low > PAGE_SIZE {
            return Err("items do not fit the page");
        }
        let node = Node { bytes, count, level: get_u16(bytes, LEVEL), right: get_u32(bytes, RIGHT) };
        if node.right != 0 && count == 0 {
            return Err("there is no high key");
        }
        Ok(node)
    }

    /// In the first page of the file: where the root is.
    pub fn root(bytes: &[u8]) -> u32 {
        get_u32(bytes, ROOT)
    }

    pub fn is_incomplete(&self) -> bool {
        get_u16(self.bytes, FLAGS) & INCOMPLETE != 0
    }

    fn first(&self) -> usize {
        usize::from(self.right != 0)
    }

    /// Entries, without the high key.
    pub fn len(&self) -> usize {
        self.count - self.first()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn item(&self, slot: usize) -> (&'a [u8], u32) {
        let at = get_u16(self.bytes, SLOTS + slot * 2);
        let len = get_u16(self.bytes, at);
        if self.level == 0 {
            (&self.bytes[at + 2..at + 2 + len], 0)
        } else {
            (&self.bytes[at + 6..at + 6 + len], get_u32(self.bytes, at + 2))
        }
    }

    pub fn key(&self, index: usize) -> &'a [u8] {
        self.item(index + self.first()).0
    }

    pub fn child(&self, index: usize) -> u32 {
        self.item(index + self.first()).1
    }

    pub fn high_key(&self) -> Option<&'a [u8]> {
        (self.right != 0).then(|| self.item(0).0)
    }

    /// Does `key` belong further right?
    pub fn is_beyond(&self, key: &[u8]) -> bool {
        self.high_key().is_some_and(|high| key >= high)
    }

    /// The first entry that is not less than `key`.
    pub fn lower_bound(&self, key: &[u8]) -> usize {
        self.lower_bound_from(0, key)
    }

    /// The same, where all entries before `low` are known to be less.
    pub fn lower_bound_from(&self, mut low: usize, key: &[u8]) -> usize {
        let mut high = self.len();
        while low < high {
            let middle = (low + high) / 2;
            if self.key(middle) < key {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// In a leaf: is there an entry that begins with `key`, whose lower bound is `at`, here or further right?
    pub fn may_have(&self, at: usize, key: &[u8]) -> bool {
        let next = if at < self.len() { Some(self.key(at)) } else { self.high_key() };
        next.is_some_and(|next| next.starts_with(key))
    }

    /// In an inner page: the child that `key` belongs to.
    pub fn child_for(&self, key: &[u8]) -> u32 {
        self.child(self.child_index(key))
    }

    /// The same by its place.
    pub fn child_index(&self, key: &[u8]) -> usize {
        let index = self.lower_bound(key);
        let exact = index < self.len() && self.key(index) == key;
        if exact { index } else { index.saturating_sub(1) }
    }

    /// In an inner page: the place of the child with the greatest entries before `key` (`None`: of all).
    pub fn child_before(&self, key: Option<&[u8]>) -> usize {
        key.map_or(self.len(), |key| self.lower_bound(key)).saturating_sub(1)
    }

    fn item_size(&self, len: usize) -> usize {
        2 + len + if self.level == 0 { 0 } else { 4 }
    }

    /// Bytes that entries take in a page of this level.
    pub fn size(&self) -> usize {
        (0..self.len()).map(|at| self.needed(self.key(at).len())).sum()
    }

    /// Bytes for slots and items, without the high key.
    pub fn capacity(&self) -> usize {
        PAGE_SIZE - SLOTS - self.high_key().map_or(0, |high| self.needed(high.len()))
    }

    fn low(&self) -> usize {
        get_u16(self.bytes, LOW)
    }

    /// Bytes between slots and items.
    pub fn room(&self) -> usize {
        self.low() - SLOTS - self.count * 2
    }

    /// Bytes that an entry with a key of this length takes.
    pub fn needed(&self, len: usize) -> usize {
        self.item_size(len) + 2
    }
}

/// Makes an empty page.
pub fn init(edit: &mut Edit<'_>, level: usize) {
    edit.init(PageKind::BTree, FORMAT_VERSION);
    edit.put_u16(LEVEL, level);
    edit.put_u16(LOW, PAGE_SIZE);
}

pub fn set_root(edit: &mut Edit<'_>, root: u32) {
    edit.put_u32(ROOT, root);
}

pub fn set_incomplete(edit: &mut Edit<'_>, incomplete: bool) {
    edit.put_u16(FLAGS, if incomplete { INCOMPLETE } else { 0 });
}

/// Puts an entry at a position; `child` is not used in leaves. The caller knows that there is room.
pub fn insert(edit: &mut Edit<'_>, index: usize, key: &[u8], child: u32) {
    let node = Node::parse(edit).expect("the caller has checked the page");
    insert_slot(edit, index + node.first(), key, child);
}

fn insert_slot(edit: &mut Edit<'_>, slot: usize, key: &[u8], child: u32) {
    let (count, level, low) = (get_u16(edit, COUNT), get_u16(edit, LEVEL), get_u16(edit, LOW));
    let size = 2 + key.len() + if level == 0 { 0 } else { 4 };
    let at = low - size;
    debug_assert!(at >= SLOTS + (count + 1) * 2, "room was checked");
    // Downward, so that what is touched stays one range with the item that was put in before.
    edit.put(at + size - key.len(), key);
    if level > 0 {
        edit.put_u32(at + 2, child);
    }
    edit.put_u16(at, key.len());
    let slots = SLOTS + slot * 2..SLOTS + count * 2;
    edit.shift(slots.clone(), slots.start + 2);
    edit.put_u16(slots.start, at);
    edit.put_u16(COUNT, count + 1);
    edit.put_u16(LOW, at);
}

/// Takes an entry out. Its bytes stay until the page is written anew by a split.
pub fn remove(edit: &mut Edit<'_>, index: usize) {
    let node = Node::parse(edit).expect("the caller has checked the page");
    let (slot, count) = (index + node.first(), node.count);
    edit.shift(SLOTS + (slot + 1) * 2..SLOTS + count * 2, SLOTS + slot * 2);
    edit.put_u16(COUNT, count - 1);
}

/// Builds a page's bytes from entries: (key, child) in order.
pub fn fill<'k>(
    edit: &mut Edit<'_>,
    level: usize,
    high_key: Option<(&[u8], u32)>,
    entries: impl Iterator<Item = (&'k [u8], u32)>,
) {
    init(edit, level);
    let mut slot = 0;
    if let Some((key, right)) = high_key {
        edit.put_u32(RIGHT, right);
        insert_slot(edit, 0, key, 0);
        slot = 1;
    }
    for (key, child) in entries {
        insert_slot(edit, slot, key, child);
        slot += 1;
    }
}

/// Rewrites the page with these entries, in what the log calls a change of it and not a new page.
pub fn refill<'k>(
    edit: &mut Edit<'_>,
    level: usize,
    high_key: Option<(&[u8], u32)>,
    entries: impl Iterator<Item = (&'k [u8], u32)>,
) {
    let mut bytes = [0u8; PAGE_SIZE];
    let flags = get_u16(edit, FLAGS);
    fill(&mut Edit::detached(&mut bytes), level, high_key, entries);
    put_u16(&mut bytes, FLAGS, flags);
    edit.replace(&bytes);
}

/// Points a page at another one to its right.
pub fn set_right(edit: &mut Edit<'_>, right: u32) {
    edit.put_u32(RIGHT, right);
}

/// The shortest prefix of `right` that is greater than `left`: enough to tell the two apart.
pub fn separator<'a>(left: &[u8], right: &'a [u8]) -> &'a [u8] {
    debug_assert!(left < right);
    let same = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    &right[..(same + 1).min(right.len())]
}
