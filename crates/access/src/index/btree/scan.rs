//! Reading along the leaves.
//!
//! Entries are copied leaf by leaf, and looked at when the leaf's latch is free again; a page gives entries to its right only,
//! so that none is missed and none comes twice. Once [`Cursor::read_ahead`] was asked for, leaves are read before they are
//! needed: their parents say which come next.

use std::ops::Range;
use std::sync::Arc;

use aio::{Session, Turn};
use storage::{BlockNumber, Concurrency, PinnedPage, ReadAhead};

use crate::Result;
use crate::index::btree::BTree;
use crate::index::btree::page::Node;
use crate::index::scan::{Cursor, EntryBatch};
use crate::index::scan_keys::{KeyFilter, KeyRange, Verdict};

/// Fewer entries are not copied by themselves where there are more.
const FEW: usize = 16;

/// So many ranges are looked for in a leaf while it is latched.
const RANGES_AT_ONCE: usize = 256;

/// Where a scan is in the tree.
pub(crate) struct LeafCursor {
    tree: Arc<BTree>,
    session: Session,
    backward: bool,
    /// Those that are still to be begun, the next one last.
    ranges: Vec<KeyRange>,
    /// What is left of the one that is being read: leaves are looked for with it.
    range: KeyRange,
    next: Next,
    leaves: Option<Leaves>,
    /// Leaves are read ahead from the first one on that is not in memory.
    ahead_if_cold: Option<Concurrency>,
    searches: u64,
    /// From where on entries may pass the range's filter again.
    target: Vec<u8>,
    /// So many entries of a leaf are copied at once.
    most: usize,
}

/// What of the range being read comes next.
enum Next {
    Start,
    Leaf(BlockNumber),
    /// Nothing: the next range is to be begun.
    End,
}

/// Leaves that are read ahead.
struct Leaves {
    ahead: ReadAhead,
    /// How many of the ranges that are still to be begun are planned.
    ranges: usize,
    /// What is left to plan of the last of them.
    rest: Option<KeyRange>,
}

impl LeafCursor {
    pub fn new(tree: &Arc<BTree>, session: &Session, mut ranges: Vec<KeyRange>, backward: bool) -> LeafCursor {
        if !backward {
            ranges.reverse();
        }
        LeafCursor {
            tree: tree.clone(),
            session: session.clone(),
            backward,
            ranges,
            range: KeyRange::new(Vec::new(), None),
            next: Next::End,
            leaves: None,
            ahead_if_cold: None,
            searches: 0,
            target: Vec::new(),
            most: usize::MAX,
        }
    }
}

impl Cursor for LeafCursor {
    fn may_load_more(&self) -> bool {
        !matches!(self.next, Next::End) || !self.ranges.is_empty()
    }

    fn is_within_range(&self) -> bool {
        !matches!(self.next, Next::End)
    }

    fn leave_range(&mut self) {
        self.next = Next::End;
    }

    fn searches(&self) -> u64 {
        self.searches
    }

    fn want_first(&mut self, entries: usize) {
        self.most = entries.max(FEW);
    }

    fn read_ahead(&mut self, concurrency: Concurrency) {
        if self.leaves.is_some() {
            return;
        }
        let pool = &self.tree.store.pool;
        let ahead = ReadAhead::new(pool, &self.session, &self.tree.relation, concurrency);
        let rest = (!matches!(self.next, Next::End)).then(|| self.range.clone());
        self.leaves = Some(Leaves { ahead, ranges: 0, rest });
    }

    fn read_ahead_if_cold(&mut self, concurrency: Concurrency) {
        self.ahead_if_cold = Some(concurrency);
    }

    async fn load(&mut self, batch: &mut EntryBatch) -> Result<bool> {
        if matches!(self.next, Next::Leaf(_))
            && self.range.filter.is_none()
            && let Some(last) = batch.last()
        {
            self.range.from = last.to_vec();
        }
        batch.forget_consumed();
        let loaded = batch.len();
        let mut turn = None;
        while batch.len() == loaded {
            // Many leaves may have no entry that passes.
            if self.range.filter.is_some() {
                turn.get_or_insert_with(|| Turn::new(self.tree.store.pool.engine())).pass().await;
            }
            if matches!(self.next, Next::End) && !self.begin_range(batch) {
                return Ok(false);
            }
            self.plan_leaves().await?;
            if self.backward { self.load_backward(batch).await? } else { self.load_forward(batch).await? }
        }
        Ok(true)
    }
}

impl LeafCursor {
    /// `false`: there is no further range.
    fn begin_range(&mut self, batch: &mut EntryBatch) -> bool {
        let Some(range) = self.ranges.pop() else { return false };
        if let Some(leaves) = &mut self.leaves {
            match leaves.ranges.checked_sub(1) {
                Some(left) => leaves.ranges = left,
                None => leaves.rest = Some(range.clone()),
            }
        }
        batch.begin_range();
        (self.range, self.next) = (range, Next::Start);
        self.searches += 1;
        true
    }

    /// Plans the leaves that come next, as many as are worth reading ahead.
    async fn plan_leaves(&mut self) -> Result<()> {
        let Some(leaves) = &mut self.leaves else { return Ok(()) };
        while leaves.ahead.wants_more() {
            if leaves.rest.is_none() {
                let next = self.ranges.len().checked_sub(leaves.ranges + 1);
                let Some(range) = next.and_then(|next| self.ranges.get(next)) else { break };
                leaves.rest = Some(range.clone());
                leaves.ranges += 1;
            }
            let Some(rest) = leaves.rest.take() else { break };
            let (blocks, rest) = self.tree.leaves(&self.session, rest, self.backward).await?;
            blocks.into_iter().for_each(|block| leaves.ahead.plan(block));
            leaves.rest = rest;
        }
        Ok(())
    }

    async fn pin(&mut self, block: BlockNumber) -> Result<PinnedPage> {
        if self.leaves.is_none()
            && let Some(concurrency) = self.ahead_if_cold
        {
            if let Some(page) = self.tree.pin_cached(&self.session, block) {
                return Ok(page);
            }
            if self.may_load_more() {
                self.read_ahead(concurrency);
                self.plan_leaves().await?;
            }
        }
        if let Some(leaves) = &mut self.leaves
            && let Some(page) = leaves.ahead.page(block).await?
        {
            return Ok(page);
        }
        self.tree.pin(&self.session, block).await
    }

    /// Copies the entries of the leaf before. Leaves do not know what is to their left, so each is looked for from the root: the
    /// one with the greatest entries below where the last one began.
    async fn load_backward(&mut self, batch: &mut EntryBatch) -> Result<()> {
        let (tree, session) = (self.tree.clone(), self.session.clone());
        let to = self.range.to.clone();
        if self.leaves.is_some()
            && let Some(block) = tree.leaf_before(&session, to.as_deref()).await?
        {
            // As a rule it is the one that is found below, and in memory then.
            self.pin(block).await?;
        }
        let (block, page, least) = tree.descend_before(&session, to.as_deref(), 0).await?;
        let latched = page.read();
        let node = tree.parse(&latched, block)?;
        let end = to.as_deref().map_or(node.len(), |to| node.lower_bound(to));
        let loaded = batch.len();
        let filter = self.range.filter.clone();
        let first = node.lower_bound(&self.range.from);
        let rest = (filter.is_none() && end.saturating_sub(first) > self.most).then(|| end - self.most);
        for index in (rest.unwrap_or(first)..end).rev() {
            let check = |entry: &[u8]| match &filter {
                Some(filter) => filter.check(entry, &mut self.target),
                None => Verdict::Passes,
            };
            batch.push_passing(|bytes| node.append_entry(index, bytes), check);
        }
        batch.note_visible(loaded);
        if let Some(rest) = rest {
            self.leave_rest(&node, rest, |range, entry| range.to = Some(entry));
            return Ok(());
        }
        drop(latched);
        self.next = if least <= self.range.from { Next::End } else { Next::Start };
        self.range.to = Some(least);
        Ok(())
    }

    /// Copies the entries of a leaf that pass, and says where the scan goes on. `high`: the leaf's high key, if the range goes on
    /// behind it.
    fn load_passing(
        &mut self,
        batch: &mut EntryBatch,
        node: &Node<'_>,
        entries: Range<usize>,
        high: Option<&[u8]>,
        filter: &KeyFilter,
    ) {
        let (mut index, loaded) = (entries.start, batch.len());
        while index < entries.end {
            let check = |entry: &[u8]| filter.check(entry, &mut self.target);
            match batch.push_passing(|bytes| node.append_entry(index, bytes), check) {
                Verdict::Passes => index += 1,
                Verdict::FailsTo => index = node.next_bound(index + 1, &self.target),
                Verdict::Ends => {
                    self.next = Next::End;
                    return;
                }
            }
        }
        let Some(high) = high else { return };
        // Behind a leaf with entries that pass there is often another one. Leaves that are read ahead are planned already.
        if batch.len() == loaded && entries.end > entries.start && self.leaves.is_none() && *high < self.target[..] {
            self.range.from.clone_from(&self.target);
            self.next = Next::Start;
            self.searches += 1;
        } else if let Some(last) = entries.end.checked_sub(1) {
            // Leaves may be read ahead from there on.
            self.range.from.clear();
            node.append_entry(last, &mut self.range.from);
        }
    }

    /// The entries from this one on (backward: before it) may not be wanted. If they are, they are looked for again, and more of
    /// them are copied.
    fn leave_rest(&mut self, node: &Node<'_>, at: usize, bound: impl FnOnce(&mut KeyRange, Vec<u8>)) {
        let mut entry = Vec::new();
        node.append_entry(at, &mut entry);
        bound(&mut self.range, entry);
        self.next = Next::Start;
        self.most = self.most.saturating_mul(4);
    }

    /// The ranges that come next, as long as they lie in this leaf, which has what the last one began with: it need not be looked for
    /// again. (A caller that looks up for rows has its ranges in the order of these.) Leaves that are read ahead are planned range
    /// by range.
    fn load_ranges_within(&mut self, batch: &mut EntryBatch, node: &Node<'_>) {
        let mut ranges = 0;
        while ranges < RANGES_AT_ONCE
            && self.leaves.is_none()
            && matches!(self.next, Next::End)
            && let Some(KeyRange { from, to: Some(to), filter: None }) = self.ranges.last()
            && node.high_key().is_none_or(|high| **to <= *high)
        {
            let first = node.lower_bound(from);
            if first == 0 && *from < self.range.from {
                // It may begin in a leaf to the left.
                return;
            }
            batch.begin_range();
            for index in first..node.lower_bound_from(first, to) {
                batch.push(|bytes| node.append_entry(index, bytes));
            }
            // PostgreSQL looks for each row's anew, but for the next value of a list only in another leaf.
            self.searches += u64::from(batch.knows_ranges());
            self.ranges.pop();
            ranges += 1;
        }
    }

    /// Copies the next leaf's entries.
    async fn load_forward(&mut self, batch: &mut EntryBatch) -> Result<()> {
        let (mut block, mut page) = match self.next {
            Next::End => return Ok(()),
            Next::Leaf(block) => (block, self.pin(block).await?),
            Next::Start if self.leaves.is_some() || self.ahead_if_cold.is_some() => {
                let block = self.tree.leaf_for(&self.session, &self.range.from).await?;
                (block, self.pin(block).await?)
            }
            Next::Start => self.tree.descend(&self.session, &self.range.from, 0, &mut None).await?,
        };
        loop {
            let right = {
                let latched = page.read();
                let node = self.tree.parse(&latched, block)?;
                let KeyRange { from, to, filter } = &self.range;
                if matches!(self.next, Next::Start) && node.is_beyond(from) {
                    // It was split while the scan came down.
                    node.right
                } else {
                    let first = if matches!(self.next, Next::Start) { node.lower_bound(from) } else { 0 };
                    let loaded = batch.len();
                    let end = to.as_deref().map_or(node.len(), |to| node.lower_bound_from(first, to));
                    let goes_on = |high: &&[u8]| end == node.len() && to.as_deref().is_none_or(|to| *high < to);
                    let high = node.high_key().filter(goes_on);
                    self.next = if high.is_some() { Next::Leaf(node.right) } else { Next::End };
                    let rest = (filter.is_none() && end.saturating_sub(first) > self.most).then(|| first + self.most);
                    match filter.clone() {
                        None => {
                            for index in first..rest.unwrap_or(end) {
                                batch.push(|bytes| node.append_entry(index, bytes));
                            }
                        }
                        Some(filter) => self.load_passing(batch, &node, first..end, high, &filter),
                    }
                    match rest {
                        Some(rest) => self.leave_rest(&node, rest, |range, entry| range.from = entry),
                        None => self.load_ranges_within(batch, &node),
                    }
                    batch.note_visible(loaded);
                    return Ok(());
                }
            };
            block = right;
            page = self.pin(block).await?;
        }
    }
}
