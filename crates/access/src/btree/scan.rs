//! Reading along the leaves.

use std::sync::Arc;

use aio::Session;
use storage::BlockNumber;

use crate::Result;
use crate::btree::tree::BTree;

/// A scan of the entries in a range of keys, in order.
pub struct IndexScan {
    tree: Arc<BTree>,
    session: Session,
    /// Where to start: the first leaf is looked for with it.
    from: Vec<u8>,
    /// Where it ends, exclusive; `None`: with the tree.
    to: Option<Vec<u8>>,
    backward: bool,
    next: Next,
    /// The leaf's entries, one after the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    position: usize,
}

enum Next {
    Start,
    Leaf(BlockNumber),
    End,
}

impl IndexScan {
    /// Entries from `from` on, before `to`.
    pub fn new(tree: &Arc<BTree>, session: &Session, from: Vec<u8>, to: Option<Vec<u8>>) -> IndexScan {
        IndexScan {
            tree: tree.clone(),
            session: session.clone(),
            from,
            to,
            backward: false,
            next: Next::Start,
            bytes: Vec::new(),
            ends: Vec::new(),
            position: 0,
        }
    }

    /// Another range of the same tree, with the buffers of the scan before.
    pub fn again(mut before: IndexScan, from: Vec<u8>, to: Option<Vec<u8>>) -> IndexScan {
        before.bytes.clear();
        before.ends.clear();
        IndexScan { from, to, next: Next::Start, position: 0, ..before }
    }

    /// The same entries, the last one first.
    pub fn backward(tree: &Arc<BTree>, session: &Session, from: Vec<u8>, to: Option<Vec<u8>>) -> IndexScan {
        IndexScan { backward: true, ..IndexScan::new(tree, session, from, to) }
    }

    /// The next entry.
    pub async fn next(&mut self) -> Result<Option<&[u8]>> {
        if !self.load_as_needed().await? {
            return Ok(None);
        }
        self.advance(1);
        Ok(Some(self.entry(self.position - 1)))
    }

    /// Is there an entry to come? Then [`IndexScan::upcoming`] has it, and others of its leaf.
    pub async fn load_as_needed(&mut self) -> Result<bool> {
        while self.position == self.ends.len() {
            let more = if self.backward { self.load_backward().await? } else { self.load().await? };
            if !more {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The entry that so many others of its leaf come before; `None`: it is not loaded.
    #[inline]
    pub fn upcoming(&self, at: usize) -> Option<&[u8]> {
        let at = self.position + at;
        (at < self.ends.len()).then(|| self.entry(at))
    }

    /// So many upcoming entries have been looked at.
    #[inline]
    pub fn advance(&mut self, entries: usize) {
        self.position += entries;
        debug_assert!(self.position <= self.ends.len());
    }

    fn entry(&self, position: usize) -> &[u8] {
        let at = if self.backward { self.ends.len() - 1 - position } else { position };
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// Copies the entries of the leaf before; `false` at the end. Leaves do not know who is to their left, so each is looked
    /// for from the root: the one with the greatest entries below where the last one began.
    async fn load_backward(&mut self) -> Result<bool> {
        if matches!(self.next, Next::End) {
            return Ok(false);
        }
        let (block, page, least) = self.tree.descend_before(&self.session, self.to.as_deref()).await?;
        let latched = page.read();
        let node = self.tree.parse(&latched, block)?;
        self.bytes.clear();
        self.ends.clear();
        self.position = 0;
        let end = self.to.as_deref().map_or(node.len(), |to| node.lower_bound(to));
        for index in node.lower_bound(&self.from)..end {
            self.bytes.extend_from_slice(node.key(index));
            self.ends.push(self.bytes.len());
        }
        self.next = if least <= self.from { Next::End } else { Next::Start };
        self.to = Some(least);
        Ok(true)
    }

    /// Copies the next leaf's entries; `false` at the end.
    async fn load(&mut self) -> Result<bool> {
        let (mut block, mut page) = match self.next {
            Next::End => return Ok(false),
            Next::Start => self.tree.descend(&self.session, &self.from, 0, &mut None).await?,
            Next::Leaf(block) => (block, self.tree.pin(&self.session, block).await?),
        };
        loop {
            let right = {
                let latched = page.read();
                let node = self.tree.parse(&latched, block)?;
                if matches!(self.next, Next::Start) && node.is_beyond(&self.from) {
                    // It was split while the scan came down.
                    node.right
                } else {
                    self.bytes.clear();
                    self.ends.clear();
                    self.position = 0;
                    let first = if matches!(self.next, Next::Start) { node.lower_bound(&self.from) } else { 0 };
                    let mut ended = node.right == 0;
                    for index in first..node.len() {
                        let key = node.key(index);
                        if self.to.as_deref().is_some_and(|to| key >= to) {
                            ended = true;
                            break;
                        }
                        self.bytes.extend_from_slice(key);
                        self.ends.push(self.bytes.len());
                    }
                    self.next = if ended { Next::End } else { Next::Leaf(node.right) };
                    return Ok(true);
                }
            };
            block = right;
            page = self.tree.pin(&self.session, block).await?;
        }
    }
}
