//! Inserting, splitting.

use std::sync::atomic::Ordering;

use aio::{IoContext, Session, Turn};
use storage::{BlockNumber, Concurrency, PAGE_SIZE, PinnedPage};

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, Part, commit};
use crate::index::btree::BTree;
use crate::index::btree::layout::Items;
use crate::index::btree::leaves_ahead::LeavesAhead;
use crate::index::btree::merge::RUN;
use crate::index::btree::page::{self, Node};
use crate::index::btree::tree::{META, Unfinished};
use crate::index::key::{key_of, tuple_of};

/// A page that was made for the upper part of another.
pub(super) type NewPage = (BlockNumber, PinnedPage);

impl BTree {
    /// Puts entries in, which are in order, up to the first that is not wanted; gives how many. Those of one leaf are one change of it.
    /// Leaves are read ahead from the first one on that is not in memory. Nothing happens where one is there.
    pub(super) async fn insert_wanted(
        &self,
        session: &Session,
        entries: &[&[u8]],
        wanted: Wanted,
        concurrency: Concurrency,
    ) -> Result<usize> {
        debug_assert!(entries.is_sorted());
        let mut turn = Turn::new(self.store.pool.engine());
        let mut rest = entries;
        let mut ahead: Option<LeavesAhead> = None;
        while !rest.is_empty() {
            if let Some(ahead) = &mut ahead {
                ahead.wait(self, session, rest).await?;
            }
            let Inserted { done, was_read } = self.insert_first(session, rest, wanted).await?;
            if done == 0 {
                break;
            }
            rest = &rest[done..];
            match &mut ahead {
                Some(ahead) => ahead.pass(done),
                None if was_read && rest.len() > 1 => ahead = Some(LeavesAhead::new(self, session, concurrency)),
                None => {}
            }
            turn.pass().await;
        }
        Ok(entries.len() - rest.len())
    }

    /// Puts the first of several entries in, which are in order, and those behind it that its leaf has room for.
    async fn insert_first(&self, session: &Session, entries: &[&[u8]], wanted: Wanted) -> Result<Inserted> {
        self.store.check_writable(session, &self.relation).await?;
        self.store.log.reserve(session, PAGE_RECORD).await?;
        let first = wanted.place_of(entries[0]);
        let Leaf { mut block, mut pinned, was_read } = self.leaf_to_insert(session, first).await?;
        let inserted = |done| Ok(Inserted { done, was_read });
        loop {
            match self.try_insert(&pinned, block, entries, wanted)? {
                Tried::Done(count) => return inserted(count),
                Tried::Right(right) => {
                    block = right;
                    pinned = self.pin(session, block).await?;
                }
                Tried::Taken => return inserted(0),
                Tried::Full => break,
            }
        }
        drop(pinned);
        let _one = self.splitting.lock().await;
        if entries.len() >= RUN {
            return inserted(Box::pin(self.insert_run(session, entries, wanted)).await?);
        }
        let first = Entry { key: entries[0], child: 0, wanted };
        inserted(usize::from(Box::pin(self.insert_splitting(session, first, 0)).await?))
    }

    /// The leaf that `key` belongs to, or was before it was split: the last one, if the key before went there and this one
    /// is not left of it.
    async fn leaf_to_insert(&self, session: &Session, key: &[u8]) -> Result<Leaf> {
        let block = self.rightmost.load(Ordering::Relaxed);
        if block != 0 && block < self.relation.blocks() {
            let pinned = self.pin(session, block).await?;
            let is_there = {
                let latched = pinned.read();
                let node = self.parse(&latched, block)?;
                node.level == 0 && node.right == 0 && !node.is_empty() && node.lower_bound(key) > 0
            };
            if is_there {
                return Ok(Leaf { block, pinned, was_read: false });
            }
            self.rightmost.store(0, Ordering::Relaxed);
        }
        let (block, pinned) = self.descend(session, key, 1, &mut None).await?;
        let block = {
            let latched = pinned.read();
            let node = self.parse(&latched, block)?;
            if node.level == 0 {
                drop(latched);
                return Ok(Leaf { block, pinned, was_read: false });
            }
            node.child_for(key)
        };
        Ok(match self.pin_cached(session, block) {
            Some(pinned) => Leaf { block, pinned, was_read: false },
            None => Leaf { block, pinned: self.pin(session, block).await?, was_read: true },
        })
    }

    fn try_insert(&self, pinned: &PinnedPage, block: BlockNumber, entries: &[&[u8]], wanted: Wanted) -> Result<Tried> {
        let mut latched = pinned.latch();
        let mut edit = Edit::new(&self.relation, block, pinned, &mut latched);
        let node = self.parse(&edit, block)?;
        if node.is_beyond(wanted.place_of(entries[0])) {
            return Ok(Tried::Right(node.right));
        }
        let is_last = node.right == 0;
        // A leaf is not gone through for a few: where one of the first is not wanted, the next may not be either.
        let is_run =
            entries.get(..RUN).is_some_and(|run| !node.is_beyond(run[RUN - 1]) && wanted.takes_all(&node, run));
        if is_run {
            let merged = self.merge(&mut edit, block, entries, wanted)?;
            if is_last && matches!(merged, Tried::Done(_)) {
                self.rightmost.store(block, Ordering::Relaxed);
            }
            return Ok(merged);
        }
        let (mut done, mut at) = (0, 0);
        let mut ended = Tried::Full;
        for entry in entries {
            let node = Node::parse(&edit).expect("it was checked, and entries do not spoil it");
            let place = wanted.place_of(entry);
            at = node.lower_bound_from(at, place);
            if wanted.refuses(&node, at, entry) || node.is_beyond(entry) {
                ended = Tried::Taken;
                break;
            }
            if !node.is_at(at, entry) {
                if !node.has_room_for(entry) {
                    break;
                }
                page::insert(&mut edit, at, entry, 0);
            }
            done += 1;
        }
        if done == 0 {
            return Ok(ended);
        }
        if is_last {
            self.rightmost.store(block, Ordering::Relaxed);
        }
        if edit.is_changed() {
            commit(&self.store.log, None, &mut [&mut edit]);
        }
        Ok(Tried::Done(done))
    }

    /// Puts an entry into the page of its level, splitting what is full on the way up; `false`: it is not wanted. The caller
    /// holds `splitting`.
    async fn insert_splitting(&self, session: &Session, entry: Entry<'_>, level: usize) -> Result<bool> {
        debug_assert!(self.splitting.try_lock().is_err(), "one split at a time in a tree");
        let place = entry.wanted.place_of(entry.key);
        loop {
            let (block, pinned) = self.page_to_split(session, place, level).await?;
            self.store.log.reserve(session, 3 * PAGE_RECORD).await?;
            let fitted = {
                let mut latched = pinned.latch();
                let mut edit = Edit::new(&self.relation, block, &pinned, &mut latched);
                self.fit(&mut edit, block, entry)?
            };
            match fitted {
                Some(Split::Moved) => continue,
                Some(fitted) => return Ok(!matches!(fitted, Split::Taken)),
                None => {}
            }
            let new = self.store.pool.extend(session, &self.relation, IoContext::Normal).await?;
            let new_block = new.0;
            match self.split(&pinned, block, entry, new)? {
                Split::Fitted | Split::Present => return Ok(true),
                Split::Taken => return Ok(false),
                Split::Moved => continue,
                Split::Done(separator) => {
                    if level == 0 && self.rightmost.load(Ordering::Relaxed) == block {
                        self.rightmost.store(new_block, Ordering::Relaxed);
                    }
                    self.note_split(session, block, new_block, &separator, level).await?;
                }
            }
        }
    }

    /// The page of a level that a key belongs to, for the session that holds `splitting`. Splits that were not noted above come first.
    pub(super) async fn page_to_split(
        &self,
        session: &Session,
        place: &[u8],
        level: usize,
    ) -> Result<(BlockNumber, PinnedPage)> {
        loop {
            let mut unfinished = None;
            let found = self.descend(session, place, level, &mut unfinished).await?;
            let Some(Unfinished { block, right, separator, level }) = unfinished else { return Ok(found) };
            Box::pin(self.note_split(session, block, right, &separator, level)).await?;
        }
    }

    /// Puts an entry into a page if it has room for it, or has when it is written anew without what was removed. `None`: it must
    /// be split.
    fn fit(&self, edit: &mut Edit<'_>, block: BlockNumber, entry: Entry<'_>) -> Result<Option<Split>> {
        let Entry { key, child, wanted } = entry;
        let node = self.parse(edit, block)?;
        let place = wanted.place_of(key);
        if node.is_beyond(place) {
            return Ok(Some(Split::Moved));
        }
        let at = node.lower_bound(place);
        if wanted.refuses(&node, at, key) {
            return Ok(Some(Split::Taken));
        }
        if node.is_at(at, key) {
            return Ok(Some(Split::Present));
        }
        if node.has_room_for(key) {
            page::insert(edit, at, key, child);
            commit(&self.store.log, None, &mut [edit]);
            return Ok(Some(Split::Fitted));
        }
        let high_key = node.high_key().map_or(0, <[u8]>::len);
        let items = node.items().with(at, key, child);
        let contents = items.contents(node.level, 0..items.len());
        // Not for a few bytes, or it would be written anew for each of the next ones. An entry that its layout cannot hold comes
        // seldom, and a single one cannot be split.
        let is_worth_it = !node.can_hold(key) || node.len() < 2;
        let most = if is_worth_it { PAGE_SIZE } else { PAGE_SIZE * 3 / 4 };
        if contents.size(high_key) > most || contents.is_too_long() {
            return Ok(None);
        }
        page::rewrite(edit, &items);
        commit(&self.store.log, None, &mut [edit]);
        Ok(Some(Split::Fitted))
    }

    /// Splits a page that has no room for an entry, unless it has by now. The entry comes later: how much room there is for it
    /// then is up to the entries that it has beside it.
    fn split(&self, pinned: &PinnedPage, block: BlockNumber, entry: Entry<'_>, new: NewPage) -> Result<Split> {
        let mut latched = pinned.latch();
        let mut edit = Edit::new(&self.relation, block, pinned, &mut latched);
        if let Some(fitted) = self.fit(&mut edit, block, entry)? {
            return Ok(fitted);
        }
        let node = self.parse(&edit, block)?;
        let level = node.level;
        // Growing at the end, the left page stays nearly full.
        let ascending = node.right == 0 && node.lower_bound(entry.key) == node.len();
        let items = node.items();
        let mut cut = items.cut(if ascending { 90 } else { 50 });
        let separator_at = |cut: usize| {
            let first = items.entry(cut);
            if level == 0 { page::separator(items.entry(cut - 1), first) } else { first }
        };
        let size = |cut: usize| items.contents(level, 0..cut).size(separator_at(cut).len());
        // The left page has to have room for the separator, which may be longer than what goes to the right.
        while cut > 1 && size(cut) > PAGE_SIZE {
            cut -= cut.div_ceil(8).min(cut - 1);
        }
        let separator = separator_at(cut).to_vec();
        let (mut lower, mut upper) = (Items::default(), Items::default());
        items.iter(0..cut).for_each(|(key, child)| lower.push(key, child));
        for (number, (key, child)) in items.iter(cut..items.len()).enumerate() {
            // The first entry of an inner page is less than everything.
            upper.push(if level > 0 && number == 0 { &[] } else { key }, child);
        }
        self.divide(&mut edit, &[&lower, &upper], std::slice::from_ref(&separator), &[new]);
        Ok(Split::Done(separator))
    }

    /// Makes several of a page, which is latched: the first part of its entries stays, the new pages have the others, and are to its
    /// right. That is one record in the log; what is noted above comes later ([`BTree::note_split`]).
    pub(super) fn divide(&self, edit: &mut Edit<'_>, parts: &[&Items], separators: &[Vec<u8>], new: &[NewPage]) {
        let node = Node::parse(edit).expect("the caller has checked the page");
        let (level, right, high) = (node.level, node.right, node.high_key().map(<[u8]>::to_vec));
        // Of a page: what is to its right begins with this.
        let end = |number: usize| match separators.get(number) {
            Some(separator) => Some((&separator[..], new[number].0)),
            None => high.as_deref().map(|high| (high, right)),
        };
        page::refill(edit, level, end(0), parts[0].all());
        if parts.len() > 1 {
            page::set_incomplete(edit, true);
        }
        let mut latches: Vec<_> = new[..separators.len()].iter().map(|(_, page)| page.latch()).collect();
        let mut edits: Vec<Edit<'_>> = Vec::with_capacity(latches.len());
        for (((block, page), latched), (number, part)) in
            new.iter().zip(&mut latches).zip(parts.iter().enumerate().skip(1))
        {
            let mut edit = Edit::new(&self.relation, *block, page, latched);
            page::fill(&mut edit, level, end(number), part.all());
            page::set_incomplete(&mut edit, number + 1 < parts.len());
            edits.push(edit);
        }
        let mut changed: Vec<&mut dyn Part> = vec![edit];
        changed.extend(edits.iter_mut().map(|edit| edit as &mut dyn Part));
        commit(&self.store.log, None, &mut changed);
    }

    /// Notes a split in the level above, which may split in turn; or makes a new root.
    pub(super) async fn note_split(
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
            let (mut latched, mut meta_latched, mut root_latched) = (pinned.latch(), meta.latch(), root.latch());
            let mut edit = Edit::new(&self.relation, block, &pinned, &mut latched);
            let mut meta_edit = Edit::new(&self.relation, META, &meta, &mut meta_latched);
            let mut root_edit = Edit::new(&self.relation, root_block, &root, &mut root_latched);
            let entries = [(&[][..], block), (separator, new_block)];
            page::fill(&mut root_edit, level + 1, None, entries.into_iter());
            page::set_root(&mut meta_edit, root_block);
            page::set_incomplete(&mut edit, false);
            commit(&self.store.log, None, &mut [&mut edit, &mut meta_edit, &mut root_edit]);
            return Ok(());
        }
        let above = Entry { key: separator, child: new_block, wanted: Wanted::Any };
        Box::pin(self.insert_splitting(session, above, level + 1)).await?;
        self.store.log.reserve(session, PAGE_RECORD).await?;
        let mut latched = pinned.latch();
        let mut edit = Edit::new(&self.relation, block, &pinned, &mut latched);
        page::set_incomplete(&mut edit, false);
        commit(&self.store.log, None, &mut [&mut edit]);
        Ok(())
    }
}

/// Which entries are put in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    Any,
    /// Those whose key no other entry has; `includes`: there is more than keys in the tree's tuples.
    Absent {
        includes: bool,
    },
}

impl Wanted {
    /// What is looked for to put an entry in.
    pub(super) fn place_of(self, entry: &[u8]) -> &[u8] {
        match self {
            Wanted::Any => entry,
            Wanted::Absent { includes } => key_of(tuple_of(entry), includes),
        }
    }

    /// Does a leaf have none of the keys of these entries?
    fn takes_all(self, node: &Node<'_>, entries: &[&[u8]]) -> bool {
        let mut at = 0;
        self == Wanted::Any
            || entries.iter().all(|entry| {
                at = node.lower_bound_from(at, self.place_of(entry));
                !self.refuses(node, at, entry)
            })
    }

    /// May a leaf, or the next one, have the entry's key already, and not in this very entry alone? (A row that takes back a key
    /// that it had has its entry still.) `at` is the lower bound of its place.
    pub(super) fn refuses(self, node: &Node<'_>, at: usize, entry: &[u8]) -> bool {
        if self == Wanted::Any {
            return false;
        }
        let behind = at + usize::from(node.is_at(at, entry));
        node.is_beyond(entry) || node.may_have(behind, self.place_of(entry))
    }
}

/// A leaf that is there to put entries in.
struct Leaf {
    block: BlockNumber,
    pinned: PinnedPage,
    /// It was not in memory.
    was_read: bool,
}

/// What was put into a leaf.
struct Inserted {
    /// How many entries; 0 where the first is not wanted.
    done: usize,
    /// The leaf was not in memory.
    was_read: bool,
}

/// An entry to be put in; in inner pages with the child's block.
#[derive(Clone, Copy)]
struct Entry<'a> {
    key: &'a [u8],
    child: u32,
    wanted: Wanted,
}

/// What came of an attempt to put entries into a leaf.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tried {
    /// So many are in.
    Done(usize),
    Right(BlockNumber),
    /// The first has no room.
    Full,
    /// The first is not wanted.
    Taken,
}

enum Split {
    /// There was room after all.
    Fitted,
    Present,
    Taken,
    /// The key belongs further right by now.
    Moved,
    Done(Vec<u8>),
}
