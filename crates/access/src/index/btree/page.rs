//! A page of a B-tree, to the byte (behind the common header of 16 bytes; little-endian but for rows' identities):
//!
//! ```text
//! offset  bytes  field
//!     16      2  entries
//!     18      2  level: 0 is a leaf
//!     20      4  the page to the right, 0 if this is the last of its level
//!     24      2  where what is behind the free bytes starts
//!     26      2  flags: 1 = the page to the right has no entry in the level above yet
//!     28      4  in the first page of the file: the root's block
//!     32      2  length of the prefix, which all keys begin with
//!     34      2  length of the high key: everything in the page is less, everything to the right is not; none in the last page
//!     36      2  length of each key behind the prefix; 0xffff: each item says it, and has a slot
//!     38      1  in leaves: bytes of a row's block, counted from the least one; 0 in inner pages
//!     39      1  in leaves: bytes of a row's number in its block
//!     40      4  in leaves: the least block
//!     44         items of one length, one after the other; or 2 bytes an item: where it is. In the order of their keys
//!    …           items of several lengths, downward: length of the key (2), the item
//!    …           the prefix
//!    …8192       the high key
//! ```
//! An item is the key behind the prefix, and: in leaves the row's block and number, big-endian; in inner pages the child's
//! block (4). The first entry of an inner page has an empty key: it is less than everything.

use std::cmp::Ordering;

use storage::{PAGE_SIZE, PageKind};

use crate::edit::Edit;
use crate::index::btree::layout::{CHILD, Contents, Items, Layout, MAX_EXPANDED};
use crate::index::key::{TID, put_tid, tid_of, tuple_of};
use crate::page::{Tid, get_u16, get_u32, put_u16};

pub const FORMAT_VERSION: u8 = 2;
const COUNT: usize = 16;
const LEVEL: usize = 18;
const RIGHT: usize = 20;
const LOW: usize = 24;
const FLAGS: usize = 26;
const ROOT: usize = 28;
const PREFIX_LEN: usize = 32;
const HIGH_KEY_LEN: usize = 34;
const KEY_LEN: usize = 36;
const BLOCK_LEN: usize = 38;
const ROW_LEN: usize = 39;
const LEAST_BLOCK: usize = 40;
/// Where items, or their slots, begin.
pub const ITEMS: usize = 44;
/// Bytes of a slot.
pub const SLOT: usize = 2;
const VARIOUS: usize = 0xffff;
const INCOMPLETE: usize = 1;

/// A page, checked to be one of a B-tree.
#[derive(Clone, Copy, Debug)]
pub struct Node<'a> {
    bytes: &'a [u8],
    count: usize,
    low: usize,
    pub level: usize,
    pub right: u32,
    layout: Layout,
    prefix: &'a [u8],
}

impl<'a> Node<'a> {
    pub fn parse(bytes: &'a [u8]) -> Result<Node<'a>, &'static str> {
        if bytes[12] != PageKind::BTree as u8 {
            return Err("not a B-tree page");
        }
        if bytes[13] != FORMAT_VERSION {
            return Err("unknown format version");
        }
        let (count, low, level) = (get_u16(bytes, COUNT), get_u16(bytes, LOW), get_u16(bytes, LEVEL));
        let (block_len, row_len) = (usize::from(bytes[BLOCK_LEN]), usize::from(bytes[ROW_LEN]));
        let is_known =
            if level == 0 { (1..=4).contains(&block_len) && (1..=2).contains(&row_len) } else { block_len == 0 };
        if !is_known {
            return Err("unknown layout");
        }
        let key_len = get_u16(bytes, KEY_LEN);
        let layout = Layout {
            prefix_len: get_u16(bytes, PREFIX_LEN),
            key_len: (key_len != VARIOUS).then_some(key_len),
            block_len,
            row_len,
            least_block: get_u32(bytes, LEAST_BLOCK),
        };
        let high_key_len = get_u16(bytes, HIGH_KEY_LEN);
        let behind =
            PAGE_SIZE.checked_sub(high_key_len + layout.prefix_len).ok_or("prefix and high key do not fit the page")?;
        if ITEMS + count * layout.step() > low || low > behind {
            return Err("items do not fit the page");
        }
        let right = get_u32(bytes, RIGHT);
        if right != 0 && high_key_len == 0 {
            return Err("there is no high key");
        }
        Ok(Node { bytes, count, low, level, right, layout, prefix: &bytes[behind..behind + layout.prefix_len] })
    }

    /// In the first page of the file: where the root is.
    pub fn root(bytes: &[u8]) -> u32 {
        get_u32(bytes, ROOT)
    }

    pub fn is_incomplete(&self) -> bool {
        get_u16(self.bytes, FLAGS) & INCOMPLETE != 0
    }

    /// Entries, without the high key.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// An entry's key behind the prefix, and where what is behind that is.
    #[inline]
    fn item(&self, index: usize) -> (&'a [u8], usize) {
        debug_assert!(index < self.count);
        let (at, len) = match self.layout.key_len {
            Some(len) => (ITEMS + index * (len + self.layout.payload_len()), len),
            None => {
                let at = get_u16(self.bytes, ITEMS + index * SLOT);
                (at + 2, get_u16(self.bytes, at))
            }
        };
        (&self.bytes[at..at + len], at + len)
    }

    #[inline]
    fn tid_at(&self, at: usize) -> Tid {
        let number =
            |at: usize, len: usize| self.bytes[at..at + len].iter().fold(0, |n, byte| n << 8 | u32::from(*byte));
        let Layout { block_len, row_len, least_block, .. } = self.layout;
        let block = least_block.wrapping_add(number(at, block_len));
        Tid { block, row: number(at + block_len, row_len) as u16 }
    }

    /// In a leaf: the row that an entry leads to.
    pub fn tid(&self, index: usize) -> Tid {
        self.tid_at(self.item(index).1)
    }

    /// In a leaf: appends an entry, the row's identity included.
    #[inline]
    pub fn append_entry(&self, index: usize, out: &mut Vec<u8>) {
        let (key, behind) = self.item(index);
        out.extend_from_slice(self.prefix);
        out.extend_from_slice(key);
        put_tid(out, self.tid_at(behind));
    }

    /// In an inner page: a separator.
    pub fn separator(&self, index: usize) -> &'a [u8] {
        debug_assert!(self.level > 0);
        self.item(index).0
    }

    /// In an inner page: a child's block.
    pub fn child(&self, index: usize) -> u32 {
        debug_assert!(self.level > 0);
        get_u32(self.bytes, self.item(index).1)
    }

    pub fn high_key(&self) -> Option<&'a [u8]> {
        let len = get_u16(self.bytes, HIGH_KEY_LEN);
        (self.right != 0).then(|| &self.bytes[PAGE_SIZE - len..])
    }

    /// All entries, out of the page.
    pub fn items(&self) -> Items {
        let mut items = Items::default();
        for index in 0..self.len() {
            if self.level == 0 {
                items.push_with(|bytes| self.append_entry(index, bytes), 0);
            } else {
                items.push(self.separator(index), self.child(index));
            }
        }
        items
    }

    /// Does `key` belong further right?
    pub fn is_beyond(&self, key: &[u8]) -> bool {
        self.high_key().is_some_and(|high| key >= high)
    }

    /// How an entry compares, given what is behind the prefix.
    #[inline]
    fn compare(&self, index: usize, key: &[u8]) -> Ordering {
        let (own, behind) = self.item(index);
        if self.layout.is_inner() {
            return own.cmp(key);
        }
        let (head, tail) = key.split_at(own.len().min(key.len()));
        own.cmp(head).then_with(|| tid_bytes(self.tid_at(behind))[..].cmp(tail))
    }

    /// The first entry that is not less than `key`.
    pub fn lower_bound(&self, key: &[u8]) -> usize {
        self.lower_bound_from(0, key)
    }

    /// The same, where all entries before `low` are known to be less.
    pub fn lower_bound_from(&self, mut low: usize, key: &[u8]) -> usize {
        let mut high = self.len();
        let Some(key) = key.strip_prefix(self.prefix) else {
            return if self.prefix < key { high } else { low };
        };
        while low < high {
            let middle = (low + high) / 2;
            if self.compare(middle, key).is_lt() {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low
    }

    /// The same where the entry at `low` is often the one.
    pub fn next_bound(&self, low: usize, key: &[u8]) -> usize {
        let is_next =
            low < self.len() && key.strip_prefix(self.prefix).is_some_and(|key| self.compare(low, key).is_ge());
        if is_next { low } else { self.lower_bound_from(low.min(self.len()), key) }
    }

    /// Is the entry at `index`, if there is one, this one?
    pub fn is_at(&self, index: usize, entry: &[u8]) -> bool {
        index < self.len() && entry.strip_prefix(self.prefix).is_some_and(|rest| self.compare(index, rest).is_eq())
    }

    /// In a leaf: is this the entry at `index` without the row's identity?
    pub fn has_tuple(&self, index: usize, tuple: &[u8]) -> bool {
        tuple.strip_prefix(self.prefix) == Some(self.item(index).0)
    }

    /// In a leaf: does the entry at `index` begin with `key`?
    pub fn starts_with(&self, index: usize, key: &[u8]) -> bool {
        let Some(rest) = key.strip_prefix(self.prefix) else { return self.prefix.starts_with(key) };
        let (own, behind) = self.item(index);
        match rest.strip_prefix(own) {
            Some(rest) => tid_bytes(self.tid_at(behind)).starts_with(rest),
            None => own.starts_with(rest),
        }
    }

    /// In a leaf: is there an entry that begins with `key`, whose lower bound is `at`, here or further right?
    pub fn may_have(&self, at: usize, key: &[u8]) -> bool {
        if at < self.len() {
            self.starts_with(at, key)
        } else {
            self.high_key().is_some_and(|high| high.starts_with(key))
        }
    }

    /// In an inner page: the child that `key` belongs to.
    pub fn child_for(&self, key: &[u8]) -> u32 {
        self.child(self.child_index(key))
    }

    /// The same by its place.
    pub fn child_index(&self, key: &[u8]) -> usize {
        let index = self.lower_bound(key);
        if self.is_at(index, key) { index } else { index.saturating_sub(1) }
    }

    /// In an inner page: the place of the child with the greatest entries before `key` (`None`: of all).
    pub fn child_before(&self, key: Option<&[u8]>) -> usize {
        key.map_or(self.len(), |key| self.lower_bound(key)).saturating_sub(1)
    }

    /// Bytes that are free in the middle.
    fn room(&self) -> usize {
        self.low - ITEMS - self.count * self.layout.step()
    }

    /// Can its layout hold this entry, if there is room?
    pub fn can_hold(&self, entry: &[u8]) -> bool {
        if self.level > 0 {
            return true;
        }
        let tuple = tuple_of(entry);
        tuple.starts_with(self.prefix)
            && self.layout.key_len.is_none_or(|len| self.prefix.len() + len == tuple.len())
            && self.layout.can_hold_row(tid_of(entry))
    }

    /// Can this entry be put in as the page is?
    pub fn has_room_for(&self, entry: &[u8]) -> bool {
        let own = if self.level == 0 { tuple_of(entry) } else { entry };
        self.can_hold(entry)
            && self.room() >= self.layout.needed(own.len())
            && self.count * self.prefix.len() <= MAX_EXPANDED
    }
}

fn tid_bytes(tid: Tid) -> [u8; TID] {
    let mut bytes = [0; TID];
    bytes[..4].copy_from_slice(&tid.block.to_be_bytes());
    bytes[4..].copy_from_slice(&tid.row.to_be_bytes());
    bytes
}

/// Makes an empty page.
pub fn init(edit: &mut Edit<'_>, level: usize) {
    init_as(edit, level, &Layout::loosest(level), &[], None);
}

/// The same in a layout; gives where what is behind the free bytes starts.
fn init_as(edit: &mut Edit<'_>, level: usize, layout: &Layout, prefix: &[u8], high_key: Option<(&[u8], u32)>) -> usize {
    edit.init(PageKind::BTree, FORMAT_VERSION);
    edit.put_u16(LEVEL, level);
    edit.put_u16(PREFIX_LEN, prefix.len());
    edit.put_u16(KEY_LEN, layout.key_len.unwrap_or(VARIOUS));
    edit.put(BLOCK_LEN, &[layout.block_len as u8, layout.row_len as u8]);
    edit.put_u32(LEAST_BLOCK, layout.least_block);
    let mut low = PAGE_SIZE;
    if let Some((key, right)) = high_key {
        edit.put_u32(RIGHT, right);
        edit.put_u16(HIGH_KEY_LEN, key.len());
        low -= key.len();
        edit.put(low, key);
    }
    low -= prefix.len();
    edit.put(low, prefix);
    edit.put_u16(LOW, low);
    low
}

pub fn set_root(edit: &mut Edit<'_>, root: u32) {
    edit.put_u32(ROOT, root);
}

pub fn set_incomplete(edit: &mut Edit<'_>, incomplete: bool) {
    edit.put_u16(FLAGS, if incomplete { INCOMPLETE } else { 0 });
}

/// Puts an entry at a position; `child` is not used in leaves. The caller knows that there is room.
pub fn insert(edit: &mut Edit<'_>, index: usize, entry: &[u8], child: u32) {
    let node = Node::parse(edit).expect("the caller has checked the page");
    debug_assert!(node.has_room_for(entry), "room was checked");
    let Node { count, low, layout, .. } = node;
    let (place, step) = (ITEMS + index * layout.step(), layout.step());
    edit.shift(place..ITEMS + count * step, place + step);
    let now = put_item(edit, &layout, place, low, entry, child);
    if now != low {
        edit.put_u16(LOW, now);
    }
    edit.put_u16(COUNT, count + 1);
}

/// Writes an item, or its slot and the item below `low`; gives where what is behind the free bytes starts then.
fn put_item(edit: &mut Edit<'_>, layout: &Layout, place: usize, low: usize, entry: &[u8], child: u32) -> usize {
    let mut payload = [0; TID];
    let key = if layout.is_inner() {
        payload[..CHILD].copy_from_slice(&child.to_le_bytes());
        entry
    } else {
        put_row(layout, entry, &mut payload);
        &tuple_of(entry)[layout.prefix_len..]
    };
    let payload = &payload[..layout.payload_len()];
    // In such an order each is beside what was put before, which is one range of the page for the log.
    if layout.key_len.is_some() {
        edit.put(place, key);
        edit.put(place + key.len(), payload);
        return low;
    }
    let at = low - 2 - key.len() - payload.len();
    edit.put_u16(place, at);
    edit.put(at + 2 + key.len(), payload);
    edit.put(at + 2, key);
    edit.put_u16(at, key.len());
    at
}

/// Writes a row's block and number as the layout has them.
fn put_row(layout: &Layout, entry: &[u8], out: &mut [u8]) {
    let Tid { block, row } = tid_of(entry);
    let Layout { block_len, row_len, least_block, .. } = *layout;
    out[..block_len].copy_from_slice(&(block - least_block).to_be_bytes()[4 - block_len..]);
    out[block_len..block_len + row_len].copy_from_slice(&row.to_be_bytes()[2 - row_len..]);
}

/// Takes an entry out. What has a slot leaves its bytes until the page is written anew.
pub fn remove(edit: &mut Edit<'_>, index: usize) {
    let Node { count, layout, .. } = Node::parse(edit).expect("the caller has checked the page");
    let (place, step) = (ITEMS + index * layout.step(), layout.step());
    edit.shift(place + step..ITEMS + count * step, place);
    edit.put_u16(COUNT, count - 1);
}

/// Builds a page's bytes from entries in order, in the layout that suits them best: (entry, child).
pub fn fill<'k>(
    edit: &mut Edit<'_>,
    level: usize,
    high_key: Option<(&[u8], u32)>,
    entries: impl Iterator<Item = (&'k [u8], u32)> + Clone,
) {
    let layout = Contents::of(level, entries.clone().map(|(entry, _)| entry)).layout();
    let prefix = entries.clone().next().map_or(&[][..], |(first, _)| &first[..layout.prefix_len]);
    let mut low = init_as(edit, level, &layout, prefix, high_key);
    let mut place = ITEMS;
    let mut count = 0;
    for (entry, child) in entries {
        low = put_item(edit, &layout, place, low, entry, child);
        place += layout.step();
        count += 1;
    }
    assert!(place <= low, "the caller that fills a page knows that it has room");
    edit.put_u16(COUNT, count);
    edit.put_u16(LOW, low);
}

/// Rewrites the page with these entries, in what the log calls a change of it and not a new page.
pub fn refill<'k>(
    edit: &mut Edit<'_>,
    level: usize,
    high_key: Option<(&[u8], u32)>,
    entries: impl Iterator<Item = (&'k [u8], u32)> + Clone,
) {
    let mut bytes = [0u8; PAGE_SIZE];
    let flags = get_u16(edit, FLAGS);
    fill(&mut Edit::detached(&mut bytes), level, high_key, entries);
    put_u16(&mut bytes, FLAGS, flags);
    edit.replace(&bytes);
}

/// Rewrites the page with these entries; its high key and its neighbour stay as they are.
pub fn rewrite(edit: &mut Edit<'_>, items: &Items) {
    let node = Node::parse(edit).expect("the caller has checked the page");
    let (level, high_key) = (node.level, node.high_key().map(|key| (key.to_vec(), node.right)));
    refill(edit, level, high_key.as_ref().map(|(key, right)| (&key[..], *right)), items.all());
}

/// The shortest prefix of `right` that is greater than `left`: enough to tell the two apart.
pub fn separator<'a>(left: &[u8], right: &'a [u8]) -> &'a [u8] {
    debug_assert!(left < right);
    let same = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    &right[..(same + 1).min(right.len())]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn entry(key: &[u8], block: u32, row: u16) -> Vec<u8> {
        let mut entry = key.to_vec();
        put_tid(&mut entry, Tid { block, row });
        entry
    }

    /// Looks at a page in all ways.
    fn check(page: &[u8], expected: &BTreeSet<Vec<u8>>, probes: &[Vec<u8>]) {
        let node = Node::parse(page).unwrap();
        let all: Vec<&Vec<u8>> = expected.iter().collect();
        let items = node.items();
        assert!(items.all().map(|(entry, _)| entry).eq(all.iter().map(|entry| &entry[..])));
        for probe in probes.iter().chain(expected) {
            for key in [probe, tuple_of(probe), &probe[..1]] {
                let at = all.partition_point(|entry| &entry[..] < key);
                assert_eq!(node.lower_bound(key), at);
                let next = all.get(at);
                assert_eq!(node.is_at(at, key), next.is_some_and(|entry| &entry[..] == key));
                // Behind the last one it may be on the next page.
                let or_right = next.map_or(node.high_key(), |entry| Some(&entry[..]));
                assert_eq!(node.may_have(at, key), or_right.is_some_and(|entry| entry.starts_with(key)));
                assert_eq!(
                    at < node.len() && node.has_tuple(at, key),
                    next.is_some_and(|entry| tuple_of(entry) == key)
                );
            }
        }
        assert!((0..node.len()).all(|at| node.tid(at) == tid_of(all[at])));
    }

    /// Keys that have much in common, or little; rows that are near, or not.
    fn entries() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let key = prop_oneof![
            6 => (0..4000u32).prop_map(|n| [&[1, 0x80][..], &n.to_be_bytes()].concat()),
            2 => proptest::collection::vec(0..3u8, 1..6),
            1 => proptest::collection::vec(any::<u8>(), 1..200),
        ];
        let block = prop_oneof![5 => 1000..1200u32, 2 => 0..70_000u32, 1 => any::<u32>()];
        let row = prop_oneof![0..200u16, any::<u16>()];
        proptest::collection::vec((key, block, row).prop_map(|(key, block, row)| entry(&key, block, row)), 1..400)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn a_page_is_a_sorted_set(entries in entries(), probes in entries(), removed in any::<u64>()) {
            let mut page = vec![0u8; PAGE_SIZE];
            let mut expected = BTreeSet::new();
            init(&mut Edit::detached(&mut page), 0);
            for (number, entry) in entries.iter().enumerate() {
                let node = Node::parse(&page).unwrap();
                let at = node.lower_bound(entry);
                if node.is_at(at, entry) {
                    continue;
                }
                if !node.has_room_for(entry) {
                    let items = node.items().with(at, entry, 0);
                    let contents = items.contents(0, 0..items.len());
                    if contents.size(1) > PAGE_SIZE {
                        break;
                    }
                    refill(&mut Edit::detached(&mut page), 0, Some((&[0xff], 7)), items.all());
                } else {
                    insert(&mut Edit::detached(&mut page), at, entry, 0);
                }
                expected.insert(entry.clone());
                if removed >> (number % 64) & 1 == 1 && number % 3 == 0 {
                    let at = Node::parse(&page).unwrap().lower_bound(entry);
                    remove(&mut Edit::detached(&mut page), at);
                    expected.remove(entry);
                }
            }
            check(&page, &expected, &probes[..probes.len().min(20)]);
        }
    }

    #[test]
    fn what_entries_share_is_there_once() {
        let filled = |entry: &dyn Fn(u32) -> Vec<u8>| {
            let entries: Vec<Vec<u8>> = (0..500).map(entry).collect();
            let mut page = vec![0u8; PAGE_SIZE];
            fill(&mut Edit::detached(&mut page), 0, None, entries.iter().map(|entry| (&entry[..], 0)));
            check(&page, &entries.iter().cloned().collect(), &[]);
            PAGE_SIZE - ITEMS - Node::parse(&page).unwrap().room()
        };
        let counted =
            |n: u32| entry(&[&[1][..], &(0x8001_0000 + n).to_be_bytes()].concat(), 900 + n / 200, (n % 200) as u16);
        assert_eq!(filled(&counted), 3 + 500 * (2 + 1 + 1));
        assert_eq!(filled(&|n| entry(b"a key of many", n * 3, n as u16)), 13 + 500 * (2 + 2));
        // Texts of several lengths have slots.
        let texts = |n: u32| entry(format!("t{n:03}{}", if n % 2 == 1 { "x" } else { "" }).as_bytes(), 1, 1);
        assert_eq!(filled(&texts), 1 + 500 * (2 + 2 + 3 + 2) + 250);
    }
}
