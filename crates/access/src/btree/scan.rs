//! Reading along the leaves.
//!
//! Entries are copied leaf by leaf, and looked at when the leaf's latch is free again; a page gives entries to its right only,
//! so that none is missed and none comes twice. Once [`IndexScan::read_ahead`] was asked for, leaves are read before they are
//! needed: their parents say which come next.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use aio::{Session, Turn};
use storage::{BlockNumber, Concurrency, PinnedPage, ReadAhead, Relation};

use crate::Result;
use crate::btree::filter::{KeyFilter, Verdict};
use crate::btree::key::tid_of;
use crate::btree::page::Node;
use crate::btree::tree::BTree;

/// Consumed entries stay in memory up to so many, unless they are the greater part.
const KEPT: usize = 512;

/// A range of an index's keys.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRange {
    pub from: Vec<u8>,
    /// Exclusive; `None`: to the end.
    pub to: Option<Vec<u8>>,
    /// Entries of the range that do not pass are left out.
    pub filter: Option<Arc<KeyFilter>>,
}

impl KeyRange {
    pub fn new(from: Vec<u8>, to: Option<Vec<u8>>) -> KeyRange {
        KeyRange { from, to, filter: None }
    }
}

/// A scan of the entries in ranges of keys, in order.
pub struct IndexScan {
    tree: Arc<BTree>,
    session: Session,
    backward: bool,
    /// Those that are still to be begun, the next one last.
    ranges: Vec<KeyRange>,
    /// What is left of the one that is being read: leaves are looked for with it.
    range: KeyRange,
    next: Next,
    /// Loaded entries, one after the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    position: usize,
    begins: Option<Begins>,
    leaves: Option<Leaves>,
    /// Leaves are read ahead from the first one on that is not in memory.
    ahead_if_cold: Option<Concurrency>,
    visible: Option<Visible>,
    searches: u64,
    /// From where on entries may pass the range's filter again.
    target: Vec<u8>,
}

/// Which loaded entries lead to rows that everybody sees.
struct Visible {
    heap: Arc<Relation>,
    /// Of each loaded entry, asked under its leaf's latch: later the entry may be gone, and its block at rest.
    entries: Vec<bool>,
}

/// What of the range being read comes next.
enum Next {
    Start,
    Leaf(BlockNumber),
    /// Nothing: the next range is to be begun.
    End,
}

/// Which entries belong to which range.
#[derive(Default)]
struct Begins {
    /// The places of the first entries of ranges, among the loaded ones.
    places: VecDeque<usize>,
    /// Ranges whose places were passed.
    passed: usize,
}

/// Leaves that are read ahead.
struct Leaves {
    ahead: ReadAhead,
    /// How many of the ranges that are still to be begun are planned.
    ranges: usize,
    /// What is left to plan of the last of them.
    rest: Option<KeyRange>,
}

impl IndexScan {
    /// The ranges are in order and have no entry in common; `backward`: the last one first, and its last entry.
    pub fn new(tree: &Arc<BTree>, session: &Session, mut ranges: Vec<KeyRange>, backward: bool) -> IndexScan {
        if !backward {
            ranges.reverse();
        }
        IndexScan {
            tree: tree.clone(),
            session: session.clone(),
            backward,
            ranges,
            range: KeyRange::new(Vec::new(), None),
            next: Next::End,
            bytes: Vec::new(),
            ends: Vec::new(),
            position: 0,
            begins: None,
            leaves: None,
            ahead_if_cold: None,
            visible: None,
            searches: 0,
            target: Vec::new(),
        }
    }

    /// The same, but it knows which entries lead to rows that everybody sees, in this heap.
    pub fn with_visibility(mut self, heap: &Arc<Relation>) -> IndexScan {
        self.visible = Some(Visible { heap: heap.clone(), entries: Vec::new() });
        self
    }

    /// The same, but it knows which range each entry belongs to.
    pub fn with_ranges_known(mut self) -> IndexScan {
        self.begins = Some(Begins::default());
        self
    }

    /// Reads ahead from the first leaf on that is not in memory. For whoever reads entries alone: no row's page may ever be missing.
    pub fn read_ahead_if_cold(&mut self, concurrency: Concurrency) {
        self.ahead_if_cold = Some(concurrency);
    }

    /// The next entry.
    pub async fn next(&mut self) -> Result<Option<&[u8]>> {
        if !self.load_as_needed().await? {
            return Ok(None);
        }
        self.advance(1);
        Ok(Some(self.entry(self.position - 1)))
    }

    /// Is there an entry to come? Then [`IndexScan::upcoming`] has it.
    pub async fn load_as_needed(&mut self) -> Result<bool> {
        Ok(self.position < self.ends.len() || self.load_more().await?)
    }

    /// May there be entries that are not loaded?
    pub fn may_load_more(&self) -> bool {
        !matches!(self.next, Next::End) || !self.ranges.is_empty()
    }

    /// May the range of the last loaded entry go on?
    pub fn is_within_range(&self) -> bool {
        !matches!(self.next, Next::End)
    }

    /// The entry that so many others come before; `None`: it is not loaded.
    #[inline]
    pub fn upcoming(&self, at: usize) -> Option<&[u8]> {
        let at = self.position + at;
        (at < self.ends.len()).then(|| self.entry(at))
    }

    /// Does this upcoming entry lead to a row that everybody sees, with the entry's key? `false`: it is to be looked at.
    #[inline]
    pub fn is_visible(&self, at: usize) -> bool {
        self.visible.as_ref().is_some_and(|visible| visible.entries[self.position + at])
    }

    /// The next entry, which is visible, does not have all that is wanted: it is to be looked at all the same.
    pub fn look_at_next(&mut self) {
        if let Some(visible) = &mut self.visible {
            visible.entries[self.position] = false;
        }
    }

    /// How often an entry was looked for: ranges that were begun, and entries that others were passed over for.
    pub fn searches(&self) -> u64 {
        self.searches
    }

    /// So many upcoming entries have been looked at.
    #[inline]
    pub fn advance(&mut self, entries: usize) {
        self.position += entries;
        debug_assert!(self.position <= self.ends.len());
    }

    #[inline]
    fn entry(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// The number of the range, counted from 0 in the order of reading, that the next entry belongs to, which is loaded; and
    /// how many loaded entries it has.
    pub fn range_of_next(&mut self) -> (usize, usize) {
        let begins = self.begins.as_mut().expect("the ranges are known");
        while begins.places.front().is_some_and(|place| *place <= self.position) {
            begins.places.pop_front();
            begins.passed += 1;
        }
        (begins.passed - 1, begins.places.front().unwrap_or(&self.ends.len()) - self.position)
    }

    /// Is this upcoming entry the first one of a range?
    pub fn begins_range(&self, at: usize) -> bool {
        let place = self.position + at;
        self.begins.as_ref().is_some_and(|begins| begins.places.binary_search(&place).is_ok())
    }

    /// Leaves out what comes of the range that the next entry belongs to. Gives how many loaded entries those are.
    pub fn skip_range(&mut self) -> usize {
        let begins = self.begins.as_ref().expect("the ranges are known");
        let end = match begins.places.front() {
            Some(place) => *place,
            None => {
                self.next = Next::End;
                self.ends.len()
            }
        };
        std::mem::replace(&mut self.position, end).abs_diff(end)
    }

    /// From now on leaves are read ahead, if they are not yet.
    pub fn read_ahead(&mut self, concurrency: Concurrency) {
        if self.leaves.is_some() {
            return;
        }
        let pool = &self.tree.store.pool;
        let ahead = ReadAhead::new(pool, &self.session, &self.tree.relation, concurrency);
        let rest = (!matches!(self.next, Next::End)).then(|| self.range.clone());
        self.leaves = Some(Leaves { ahead, ranges: 0, rest });
    }

    /// Loads the entries of a further leaf; `false` at the end.
    pub async fn load_more(&mut self) -> Result<bool> {
        if matches!(self.next, Next::Leaf(_))
            && self.range.filter.is_none()
            && let Some(last) = self.ends.len().checked_sub(1)
        {
            self.range.from = self.entry(last).to_vec();
        }
        self.forget_consumed();
        let loaded = self.ends.len();
        let mut turn = None;
        while self.ends.len() == loaded {
            // Many leaves may have no entry that passes.
            if self.range.filter.is_some() {
                turn.get_or_insert_with(|| Turn::new(self.tree.store.pool.engine())).pass().await;
            }
            if matches!(self.next, Next::End) && !self.begin_range() {
                return Ok(false);
            }
            self.plan_leaves().await?;
            if self.backward { self.load_backward().await? } else { self.load().await? }
        }
        Ok(true)
    }

    fn forget_consumed(&mut self) {
        let passed = self.position;
        if passed == self.ends.len() {
            self.bytes.clear();
            self.ends.clear();
            self.visible.iter_mut().for_each(|visible| visible.entries.clear());
        } else if passed > KEPT && passed * 2 > self.ends.len() {
            let bytes = self.ends[passed - 1];
            self.bytes.drain(..bytes);
            self.ends.drain(..passed);
            self.ends.iter_mut().for_each(|end| *end -= bytes);
            self.visible.iter_mut().for_each(|visible| drop(visible.entries.drain(..passed)));
        } else {
            return;
        }
        self.position = 0;
        if let Some(begins) = &mut self.begins {
            begins.places.iter_mut().for_each(|place| *place = place.saturating_sub(passed));
        }
    }

    /// `false`: there is no further range.
    fn begin_range(&mut self) -> bool {
        let Some(range) = self.ranges.pop() else { return false };
        if let Some(leaves) = &mut self.leaves {
            match leaves.ranges.checked_sub(1) {
                Some(left) => leaves.ranges = left,
                None => leaves.rest = Some(range.clone()),
            }
        }
        if let Some(begins) = &mut self.begins {
            begins.places.push_back(self.ends.len());
        }
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

    /// Copies the entries of the leaf before. Leaves do not know who is to their left, so each is looked for from the root: the
    /// one with the greatest entries below where the last one began.
    async fn load_backward(&mut self) -> Result<()> {
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
        let loaded = self.ends.len();
        let filter = self.range.filter.clone();
        for index in (node.lower_bound(&self.range.from)..end).rev() {
            let start = self.bytes.len();
            node.append_entry(index, &mut self.bytes);
            let check = |filter: &Arc<KeyFilter>| filter.check(&self.bytes[start..], &mut self.target);
            match filter.as_ref().map_or(Verdict::Passes, check) {
                Verdict::Passes => self.ends.push(self.bytes.len()),
                _ => self.bytes.truncate(start),
            }
        }
        self.note_visible(loaded);
        drop(latched);
        self.next = if least <= self.range.from { Next::End } else { Next::Start };
        self.range.to = Some(least);
        Ok(())
    }

    /// Asks for the visibility of the entries from this one on. Their leaf is latched.
    fn note_visible(&mut self, loaded: usize) {
        let Some(mut visible) = self.visible.take() else { return };
        let bitmap = visible.heap.visibility().bitmap();
        visible.entries.extend((loaded..self.ends.len()).map(|at| bitmap.is_set(tid_of(self.entry(at)).block)));
        drop(bitmap);
        self.visible = Some(visible);
    }

    /// Copies the entries of a leaf that pass, and says where the scan goes on. `high`: the leaf's high key, if the range goes on
    /// behind it.
    fn load_passing(&mut self, node: &Node<'_>, entries: Range<usize>, high: Option<&[u8]>, filter: &KeyFilter) {
        let (mut index, loaded) = (entries.start, self.ends.len());
        while index < entries.end {
            let start = self.bytes.len();
            node.append_entry(index, &mut self.bytes);
            match filter.check(&self.bytes[start..], &mut self.target) {
                Verdict::Passes => {
                    self.ends.push(self.bytes.len());
                    index += 1;
                    continue;
                }
                Verdict::FailsTo => index = node.next_bound(index + 1, &self.target),
                Verdict::Ends => {
                    self.bytes.truncate(start);
                    self.next = Next::End;
                    return;
                }
            }
            self.bytes.truncate(start);
        }
        let Some(high) = high else { return };
        // Behind a leaf with entries that pass there is often another one. Leaves that are read ahead are planned already.
        if self.ends.len() == loaded && entries.end > entries.start && self.leaves.is_none() && *high < self.target[..]
        {
            self.range.from.clone_from(&self.target);
            self.next = Next::Start;
            self.searches += 1;
        } else if let Some(last) = entries.end.checked_sub(1) {
            // Leaves may be read ahead from there on.
            self.range.from.clear();
            node.append_entry(last, &mut self.range.from);
        }
    }

    /// Copies the next leaf's entries.
    async fn load(&mut self) -> Result<()> {
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
                    let loaded = self.ends.len();
                    let end = to.as_deref().map_or(node.len(), |to| node.lower_bound_from(first, to));
                    let goes_on = |high: &&[u8]| end == node.len() && to.as_deref().is_none_or(|to| *high < to);
                    let high = node.high_key().filter(goes_on);
                    self.next = if high.is_some() { Next::Leaf(node.right) } else { Next::End };
                    match filter.clone() {
                        None => {
                            for index in first..end {
                                node.append_entry(index, &mut self.bytes);
                                self.ends.push(self.bytes.len());
                            }
                        }
                        Some(filter) => self.load_passing(&node, first..end, high, &filter),
                    }
                    self.note_visible(loaded);
                    return Ok(());
                }
            };
            block = right;
            page = self.pin(block).await?;
        }
    }
}
