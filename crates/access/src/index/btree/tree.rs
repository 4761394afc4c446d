//! Descending, and the entries of a key.
//!
//! # Invariants
//! * A page is latched alone while descending and reading. A split latches the page, then the new ones; noting it one level
//!   up latches the page, then its parent. Nothing is awaited under a latch.
//! * One split at a time in a tree: a session that needs one holds the tree's `splitting`. A split that was not noted above (a
//!   crash, a cancelled statement) is marked in the page, found through the link to the right, and finished by the next.
//! * A page stays what it is, and what it begins with: it gives entries to pages on its right, and none to its left. So
//!   a session that has found where a key belongs finds it later from there, going right.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aio::{IoContext, Session};
use storage::{BlockNumber, PinnedPage, Relation};

use crate::heap::Store;
use crate::index::btree::page::Node;
use crate::index::scan_keys::KeyRange;
use crate::{AccessError, Result};

/// The page that says where the root is.
pub(crate) const META: BlockNumber = 0;

/// An open B-tree.
pub struct BTree {
    pub(crate) store: Arc<Store>,
    pub(crate) relation: Arc<Relation>,
    /// Its tuples have more than their keys.
    pub(crate) includes: bool,
    pub(crate) splitting: tokio::sync::Mutex<()>,
    /// The root, or what was it; 0 is unknown.
    root: AtomicU32,
    /// The last leaf, if the last entry went there: ever-growing keys need not descend. 0 otherwise.
    pub(crate) rightmost: AtomicU32,
}

impl BTree {
    pub fn new(store: &Arc<Store>, relation: Arc<Relation>, includes: bool) -> BTree {
        BTree {
            store: store.clone(),
            relation,
            includes,
            splitting: tokio::sync::Mutex::new(()),
            root: AtomicU32::new(0),
            rightmost: AtomicU32::new(0),
        }
    }

    pub(crate) fn bad(&self, block: BlockNumber, reason: &'static str) -> AccessError {
        AccessError::BadIndexPage { relation: self.relation.id(), block, reason }
    }

    pub(crate) async fn pin(&self, session: &Session, block: BlockNumber) -> Result<PinnedPage> {
        if block >= self.relation.blocks() {
            return Err(self.bad(block, "it does not exist"));
        }
        Ok(self.store.pool.pin(session, &self.relation, block, IoContext::Normal).await?)
    }

    pub(crate) fn pin_cached(&self, session: &Session, block: BlockNumber) -> Option<PinnedPage> {
        self.store.pool.pin_cached(session, &self.relation, block, IoContext::Normal)
    }

    pub(crate) fn parse<'a>(&self, bytes: &'a [u8], block: BlockNumber) -> Result<Node<'a>> {
        Node::parse(bytes).map_err(|reason| self.bad(block, reason))
    }

    /// The root as the first page has it.
    async fn find_root(&self, session: &Session) -> Result<BlockNumber> {
        let meta = self.pin(session, META).await?;
        let latched = meta.read();
        self.parse(&latched, META)?;
        let root = Node::root(&latched);
        self.root.store(root, Ordering::Relaxed);
        Ok(root)
    }

    /// The page at `level` that `key` belongs to. The first split that was not noted above, met on the way, goes to `unfinished`.
    pub(crate) async fn descend(
        &self,
        session: &Session,
        key: &[u8],
        level: usize,
        unfinished: &mut Option<Unfinished>,
    ) -> Result<(BlockNumber, PinnedPage)> {
        let mut block = self.root.load(Ordering::Relaxed);
        // It may have been split since it was the root.
        let mut doubtful = block != 0;
        if !doubtful {
            block = self.find_root(session).await?;
        }
        loop {
            let pinned = self.pin(session, block).await?;
            let next = {
                let latched = pinned.read();
                let node = self.parse(&latched, block)?;
                // The first of several comes first: those to its right may have become of it.
                if unfinished.is_none()
                    && node.is_incomplete()
                    && let Some(separator) = node.high_key()
                {
                    let separator = separator.to_vec();
                    *unfinished = Some(Unfinished { block, right: node.right, separator, level: node.level });
                }
                if std::mem::take(&mut doubtful) && node.right != 0 {
                    None
                } else if node.is_beyond(key) {
                    Some(node.right)
                } else if node.level <= level {
                    drop(latched);
                    return Ok((block, pinned));
                } else {
                    Some(node.child_for(key))
                }
            };
            block = match next {
                Some(block) => block,
                None => self.find_root(session).await?,
            };
        }
    }

    /// The page at `level` (or the root, if it is lower) that has the greatest entries before `key` (`None`: of all), if there
    /// are any, and what none of its entries is less than.
    pub(crate) async fn descend_before(
        &self,
        session: &Session,
        key: Option<&[u8]>,
        level: usize,
    ) -> Result<(BlockNumber, PinnedPage, Vec<u8>)> {
        let mut block = self.find_root(session).await?;
        let mut least = Vec::new();
        loop {
            let pinned = self.pin(session, block).await?;
            let next = {
                let latched = pinned.read();
                let node = self.parse(&latched, block)?;
                match node.high_key() {
                    // It was split, and what is wanted may be further right.
                    Some(high) if key.is_none_or(|key| high < key) => {
                        least = high.to_vec();
                        node.right
                    }
                    _ if node.level <= level => {
                        drop(latched);
                        return Ok((block, pinned, least));
                    }
                    _ => {
                        let index = node.child_before(key);
                        if index > 0 {
                            least = node.separator(index).to_vec();
                        }
                        node.child(index)
                    }
                }
            };
            block = next;
        }
    }

    /// The leaf that `key` belongs to as its parent has it, unread: it may have been split since.
    pub(crate) async fn leaf_for(&self, session: &Session, key: &[u8]) -> Result<BlockNumber> {
        let (block, page) = self.descend(session, key, 1, &mut None).await?;
        let latched = page.read();
        let node = self.parse(&latched, block)?;
        Ok(if node.level == 0 { block } else { node.child_for(key) })
    }

    /// The leaves that the first of these entries belong to, which are in order, as one parent has them, and how many entries these
    /// are: one at least.
    pub(super) async fn leaves_of(&self, session: &Session, entries: &[&[u8]]) -> Result<(Vec<BlockNumber>, usize)> {
        let (block, page) = self.descend(session, entries[0], 1, &mut None).await?;
        let latched = page.read();
        let node = self.parse(&latched, block)?;
        if node.level == 0 {
            return Ok((vec![block], entries.len()));
        }
        let here = entries.iter().take_while(|entry| !node.is_beyond(entry)).count().max(1);
        let mut leaves: Vec<BlockNumber> = entries[..here].iter().map(|entry| node.child_for(entry)).collect();
        leaves.dedup();
        Ok((leaves, here))
    }

    /// The leaf that has the greatest entries before `key`, likewise; `None`: the root is a leaf.
    pub(crate) async fn leaf_before(&self, session: &Session, key: Option<&[u8]>) -> Result<Option<BlockNumber>> {
        let (block, page, _) = self.descend_before(session, key, 1).await?;
        let latched = page.read();
        let node = self.parse(&latched, block)?;
        Ok((node.level > 0).then(|| node.child(node.child_before(key))))
    }

    /// Leaves with entries in a range, in order or the opposite, as one of their parents has them; and the part of the range
    /// that others have.
    pub(crate) async fn leaves(
        &self,
        session: &Session,
        range: KeyRange,
        backward: bool,
    ) -> Result<(Vec<BlockNumber>, Option<KeyRange>)> {
        let KeyRange { from, to, .. } = range;
        if backward {
            let (block, page, least) = self.descend_before(session, to.as_deref(), 1).await?;
            let latched = page.read();
            let node = self.parse(&latched, block)?;
            if node.level == 0 {
                return Ok((vec![block], None));
            }
            let first = node.child_index(&from);
            let leaves = (first..=node.child_before(to.as_deref())).rev().map(|index| node.child(index)).collect();
            return Ok((leaves, (least > from).then(|| KeyRange::new(from, Some(least)))));
        }
        let (block, page) = self.descend(session, &from, 1, &mut None).await?;
        let latched = page.read();
        let node = self.parse(&latched, block)?;
        if node.level == 0 {
            return Ok((vec![block], None));
        }
        let before_end = |key: &[u8]| to.as_deref().is_none_or(|to| key < to);
        let first = node.child_index(&from);
        let wanted = |&index: &usize| index == first || before_end(node.separator(index));
        let leaves = (first..node.len()).take_while(wanted).map(|index| node.child(index)).collect();
        let high = node.high_key().filter(|high| before_end(high)).map(<[u8]>::to_vec);
        Ok((leaves, high.map(|from| KeyRange::new(from, to))))
    }

    /// Shows each entry of a key while its leaf is latched.
    pub(super) async fn visit(
        &self,
        session: &Session,
        key: &[u8],
        mut found: impl FnMut(&Node<'_>, usize),
    ) -> Result<()> {
        let (mut block, mut pinned) = self.descend(session, key, 0, &mut None).await?;
        loop {
            let right = {
                let latched = pinned.read();
                let node = self.parse(&latched, block)?;
                let mut index = node.lower_bound(key);
                while index < node.len() && node.starts_with(index, key) {
                    if self.has_key(&node, index, key) {
                        found(&node, index);
                    }
                    index += 1;
                }
                // Up to the end: there may be more to the right.
                if index < node.len() || node.high_key().is_none_or(|high| high > key && !high.starts_with(key)) {
                    return Ok(());
                }
                node.right
            };
            block = right;
            pinned = self.pin(session, block).await?;
        }
    }

    /// Is this the key of the entry at `index` of a leaf? (No key is the beginning of another; what a tuple includes is behind it.)
    pub(super) fn has_key(&self, node: &Node<'_>, index: usize, key: &[u8]) -> bool {
        if self.includes { node.starts_with(index, key) } else { node.has_tuple(index, key) }
    }
}

/// A split that the level above does not know of.
pub(crate) struct Unfinished {
    pub block: BlockNumber,
    pub right: BlockNumber,
    pub separator: Vec<u8>,
    pub level: usize,
}
