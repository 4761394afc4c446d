//! Descending, inserting, splitting.
//!
//! # Invariants
//! * A page is latched alone while descending and reading. A split latches the page, then the new one; noting it one level
//!   up latches the page, then its parent. Nothing is awaited under a latch.
//! * One split at a time in a tree: whoever needs one holds the tree's `splitting`. A split that was not noted above (a
//!   crash, a cancelled statement) is marked in the page, found through the link to the right, and finished by the next.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use aio::{IoContext, Session};
use storage::{BlockNumber, PinnedPage, Relation};

use crate::btree::key::{TID, tid_of};
use crate::btree::page::{self, Node};
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::heap::Store;
use crate::{AccessError, Result, Tid};

/// The page that says where the root is.
const META: BlockNumber = 0;

/// An open B-tree.
pub struct BTree {
    pub(crate) store: Arc<Store>,
    pub(crate) relation: Arc<Relation>,
    splitting: tokio::sync::Mutex<()>,
    /// The root, or what was it; 0 is unknown.
    root: AtomicU32,
    /// The last leaf, as far as is known: where ever-growing keys go.
    rightmost: AtomicU32,
}

impl BTree {
    pub fn new(store: &Arc<Store>, relation: Arc<Relation>) -> BTree {
        let splitting = tokio::sync::Mutex::new(());
        BTree { store: store.clone(), relation, splitting, root: AtomicU32::new(0), rightmost: AtomicU32::new(0) }
    }

    /// Makes an empty tree in empty files.
    pub async fn create(store: &Arc<Store>, relation: &Arc<Relation>, session: &Session) -> Result<()> {
        store.log.reserve(session, 2 * PAGE_RECORD).await?;
        let (meta_block, meta) = store.pool.extend(session, relation, IoContext::Normal).await?;
        let (root_block, root) = store.pool.extend(session, relation, IoContext::Normal).await?;
        assert_eq!((meta_block, root_block), (META, 1), "the files are empty");
        let (mut meta_latched, mut root_latched) = (meta.latch(), root.latch());
        let mut meta_edit = Edit::new(relation.id(), META, &meta, &mut meta_latched);
        let mut root_edit = Edit::new(relation.id(), root_block, &root, &mut root_latched);
        page::init(&mut meta_edit, 0);
        page::set_root(&mut meta_edit, root_block);
        page::init(&mut root_edit, 0);
        commit(&store.log, None, &mut [&mut meta_edit, &mut root_edit]);
        Ok(())
    }

    pub fn blocks(&self) -> BlockNumber {
        self.relation.blocks()
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

    /// The page at `level` that `key` belongs to. A split that was not noted above, met on the way, goes to `unfinished`.
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
                if node.is_incomplete()
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

    /// The leaf that has the greatest entries before `key` (`None`: of all), if there are any, and what none of its entries
    /// is less than.
    pub(crate) async fn descend_before(
        &self,
        session: &Session,
        key: Option<&[u8]>,
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
                    _ if node.level == 0 => {
                        drop(latched);
                        return Ok((block, pinned, least));
                    }
                    _ => {
                        let index = key.map_or(node.len(), |key| node.lower_bound(key)).saturating_sub(1);
                        if index > 0 {
                            least = node.key(index).to_vec();
                        }
                        node.child(index)
                    }
                }
            };
            block = next;
        }
    }

    /// The rows that entries with exactly this key lead to.
    pub async fn lookup(&self, session: &Session, key: &[u8]) -> Result<Vec<Tid>> {
        let mut tids = Vec::new();
        let (mut block, mut pinned) = self.descend(session, key, 0, &mut None).await?;
        loop {
            let right = {
                let latched = pinned.read();
                let node = self.parse(&latched, block)?;
                let mut index = node.lower_bound(key);
                while index < node.len() && node.key(index).starts_with(key) {
                    // A longer key may begin with this one.
                    if node.key(index).len() == key.len() + TID {
                        tids.push(tid_of(node.key(index)));
                    }
                    index += 1;
                }
                // Up to the end: there may be more to the right.
                if index < node.len() || node.high_key().is_none_or(|high| high > key && !high.starts_with(key)) {
                    return Ok(tids);
                }
                node.right
            };
            block = right;
            pinned = self.pin(session, block).await?;
        }
    }

    /// Puts an entry in; nothing happens if it is there.
    pub async fn insert(&self, session: &Session, entry: &[u8]) -> Result<()> {
        self.store.log.reserve(session, PAGE_RECORD).await?;
        let rightmost = self.rightmost.load(Ordering::Relaxed);
        if rightmost != 0 && rightmost < self.relation.blocks() {
            let pinned = self.pin(session, rightmost).await?;
            if self.try_insert(&pinned, rightmost, entry, true)? == Tried::Done {
                return Ok(());
            }
        }
        let (mut block, mut pinned) = self.descend(session, entry, 0, &mut None).await?;
        loop {
            match self.try_insert(&pinned, block, entry, false)? {
                Tried::Done => return Ok(()),
                Tried::Right(right) => {
                    block = right;
                    pinned = self.pin(session, block).await?;
                }
                Tried::Full => break,
            }
        }
        drop(pinned);
        let _one = self.splitting.lock().await;
        self.insert_splitting(session, entry, 0, 0).await
    }

    fn try_insert(&self, pinned: &PinnedPage, block: BlockNumber, entry: &[u8], blind: bool) -> Result<Tried> {
        let mut latched = pinned.latch();
        let mut edit = Edit::new(self.relation.id(), block, pinned, &mut latched);
        let node = self.parse(&edit, block)?;
        // Coming from nowhere, the page must be the last leaf, and the key not before it.
        if blind && (node.level != 0 || node.right != 0 || node.is_empty() || entry < node.key(0)) {
            return Ok(Tried::Full);
        }
        if node.is_beyond(entry) {
            return Ok(Tried::Right(node.right));
        }
        let at = node.lower_bound(entry);
        if at < node.len() && node.key(at) == entry {
            return Ok(Tried::Done);
        }
        if node.room() < node.needed(entry.len()) {
            return Ok(Tried::Full);
        }
        if node.right == 0 {
            self.rightmost.store(block, Ordering::Relaxed);
        }
        page::insert(&mut edit, at, entry, 0);
        commit(&self.store.log, None, &mut [&mut edit]);
        Ok(Tried::Done)
    }

    /// Puts an entry into the page of its level, splitting what is full on the way up. The caller holds `splitting`.
    async fn insert_splitting(&self, session: &Session, key: &[u8], child: u32, level: usize) -> Result<()> {
        loop {
            self.store.log.reserve(session, 3 * PAGE_RECORD).await?;
            let mut unfinished = None;
            let (mut block, mut pinned) = self.descend(session, key, level, &mut unfinished).await?;
            // A split that was not noted above comes first.
            if let Some(Unfinished { block, right, separator, level }) = unfinished {
                Box::pin(self.note_split(session, block, right, &separator, level)).await?;
                continue;
            }
            loop {
                let moved = {
                    let latched = pinned.read();
                    let node = self.parse(&latched, block)?;
                    node.is_beyond(key).then_some(node.right)
                };
                let Some(right) = moved else { break };
                block = right;
                pinned = self.pin(session, block).await?;
            }
            let fitted = {
                let mut latched = pinned.latch();
                let mut edit = Edit::new(self.relation.id(), block, &pinned, &mut latched);
                self.fit(&mut edit, block, key, child)?
            };
            match fitted {
                Some(Split::Moved) => continue,
                Some(_) => return Ok(()),
                None => {}
            }
            let (new_block, new_page) = self.store.pool.extend(session, &self.relation, IoContext::Normal).await?;
            match self.split(&pinned, block, key, child, &new_page, new_block)? {
                Split::Fitted | Split::Present => return Ok(()),
                Split::Moved => continue,
                Split::Done(separator) => {
                    if level == 0 && self.rightmost.load(Ordering::Relaxed) == block {
                        self.rightmost.store(new_block, Ordering::Relaxed);
                    }
                    return self.note_split(session, block, new_block, &separator, level).await;
                }
            }
        }
    }

    /// Puts an entry into a page if it has room for it, or has when it is written anew without what was removed. `None`: it must
    /// be split.
    fn fit(&self, edit: &mut Edit<'_>, block: BlockNumber, key: &[u8], child: u32) -> Result<Option<Split>> {
        let node = self.parse(edit, block)?;
        if node.is_beyond(key) {
            return Ok(Some(Split::Moved));
        }
        let at = node.lower_bound(key);
        if at < node.len() && node.key(at) == key {
            return Ok(Some(Split::Present));
        }
        if node.room() >= node.needed(key.len()) {
            page::insert(edit, at, key, child);
            commit(&self.store.log, None, &mut [edit]);
            return Ok(Some(Split::Fitted));
        }
        // Not for a few bytes, or it would be written anew for each of the next ones.
        if node.size() + node.needed(key.len()) > node.capacity() * 3 / 4 {
            return Ok(None);
        }
        let entries = with_entry(&node, at, key, child);
        let (level, right) = (node.level, node.right);
        let high = node.high_key().map(<[u8]>::to_vec);
        let all = entries.iter().map(|(key, child)| (&key[..], *child));
        page::refill(edit, level, high.as_deref().map(|h| (h, right)), all);
        commit(&self.store.log, None, &mut [edit]);
        Ok(Some(Split::Fitted))
    }

    /// Splits a page and puts the entry into the half that it belongs to.
    fn split(
        &self,
        pinned: &PinnedPage,
        block: BlockNumber,
        key: &[u8],
        child: u32,
        new_page: &PinnedPage,
        new_block: BlockNumber,
    ) -> Result<Split> {
        let id = self.relation.id();
        let mut latched = pinned.latch();
        let mut edit = Edit::new(id, block, pinned, &mut latched);
        if let Some(fitted) = self.fit(&mut edit, block, key, child)? {
            return Ok(fitted);
        }
        let node = self.parse(&edit, block)?;
        let at = node.lower_bound(key);
        let entries = with_entry(&node, at, key, child);
        let (level, right) = (node.level, node.right);
        let high = node.high_key().map(<[u8]>::to_vec);
        // Growing at the end, the left page stays nearly full.
        let ascending = right == 0 && at + 1 == entries.len();
        let cut = cut(&entries, level, if ascending { 90 } else { 50 });
        let separator = if level == 0 {
            page::separator(&entries[cut - 1].0, &entries[cut].0).to_vec()
        } else {
            entries[cut].0.clone()
        };
        let mut new_latched = new_page.latch();
        let mut new_edit = Edit::new(id, new_block, new_page, &mut new_latched);
        let upper = entries[cut..].iter().enumerate().map(|(i, (key, child))| {
            // The first entry of an inner page is less than everything.
            (if level > 0 && i == 0 { &[][..] } else { &key[..] }, *child)
        });
        page::fill(&mut new_edit, level, high.as_deref().map(|h| (h, right)), upper);
        let lower = entries[..cut].iter().map(|(key, child)| (&key[..], *child));
        page::refill(&mut edit, level, Some((&separator, new_block)), lower);
        page::set_incomplete(&mut edit, true);
        commit(&self.store.log, None, &mut [&mut edit, &mut new_edit]);
        Ok(Split::Done(separator))
    }

    /// Notes a split in the level above, which may split in turn; or makes a new root.
    async fn note_split(
        &self,
        session: &Session,
        block: BlockNumber,
        new_block: BlockNumber,
        separator: &[u8],
        level: usize,
    ) -> Result<()> {
        self.store.log.reserve(session, 3 * PAGE_RECORD).await?;
        let meta = self.pin(session, META).await?;
        let pinned = self.pin(session, block).await?;
        let root = Node::root(&meta.read());
        if root == block {
            let (root_block, root) = self.store.pool.extend(session, &self.relation, IoContext::Normal).await?;
            let id = self.relation.id();
            let (mut latched, mut meta_latched, mut root_latched) = (pinned.latch(), meta.latch(), root.latch());
            let mut edit = Edit::new(id, block, &pinned, &mut latched);
            let mut meta_edit = Edit::new(id, META, &meta, &mut meta_latched);
            let mut root_edit = Edit::new(id, root_block, &root, &mut root_latched);
            let entries = [(&[][..], block), (separator, new_block)];
            page::fill(&mut root_edit, level + 1, None, entries.into_iter());
            page::set_root(&mut meta_edit, root_block);
            page::set_incomplete(&mut edit, false);
            commit(&self.store.log, None, &mut [&mut edit, &mut meta_edit, &mut root_edit]);
            return Ok(());
        }
        Box::pin(self.insert_splitting(session, separator, new_block, level + 1)).await?;
        self.store.log.reserve(session, PAGE_RECORD).await?;
        let mut latched = pinned.latch();
        let mut edit = Edit::new(self.relation.id(), block, &pinned, &mut latched);
        page::set_incomplete(&mut edit, false);
        commit(&self.store.log, None, &mut [&mut edit]);
        Ok(())
    }
}

/// A split that the level above does not know of.
pub(crate) struct Unfinished {
    block: BlockNumber,
    right: BlockNumber,
    separator: Vec<u8>,
    level: usize,
}

/// What came of an attempt to put an entry into a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tried {
    Done,
    Right(BlockNumber),
    Full,
}

enum Split {
    /// There was room after all.
    Fitted,
    Present,
    /// The key belongs further right by now.
    Moved,
    Done(Vec<u8>),
}

/// A page's entries, with another one at a position.
fn with_entry(node: &Node<'_>, at: usize, key: &[u8], child: u32) -> Vec<(Vec<u8>, u32)> {
    let mut entries: Vec<(Vec<u8>, u32)> = (0..node.len()).map(|i| (node.key(i).to_vec(), node.child(i))).collect();
    entries.insert(at, (key.to_vec(), child));
    entries
}

/// Where to cut so that about `percent` of the bytes stay in the left page, and both halves have something.
fn cut(entries: &[(Vec<u8>, u32)], level: usize, percent: usize) -> usize {
    let size = |entry: &(Vec<u8>, u32)| entry.0.len() + if level == 0 { 4 } else { 8 };
    let total: usize = entries.iter().map(size).sum();
    let mut sum = 0;
    let cut = entries.iter().position(|entry| {
        sum += size(entry);
        sum * 100 > total * percent
    });
    cut.unwrap_or(entries.len() - 1).clamp(1, entries.len() - 1)
}
