//! Many entries at once into one leaf, which becomes several if need be: what comes is merged with what is there, and pages are
//! written whole. So a load's entries are not put in one by one, and what they add to an index is in the log once.

use std::sync::atomic::Ordering;

use aio::{IoContext, Session};
use storage::{BlockNumber, Page};

use crate::Result;
use crate::edit::{Edit, PAGE_RECORD, commit};
use crate::index::btree::BTree;
use crate::index::btree::insert::{NewPage, Tried, Wanted};
use crate::index::btree::layout::{Filling, Items};
use crate::index::btree::page::{self, Node};

/// So many entries of one leaf are worth writing it anew.
pub(super) const RUN: usize = 32;
/// A leaf becomes so many at most at once, which are one record in the log.
const RUN_PAGES: usize = 8;

impl BTree {
    /// Puts those of these entries that belong into a leaf, which is latched, in at once if it has room for them.
    pub(super) fn merge(
        &self,
        edit: &mut Edit<'_>,
        block: BlockNumber,
        entries: &[&[u8]],
        wanted: Wanted,
    ) -> Result<Tried> {
        let node = self.parse(edit, block)?;
        let merged = Merged::of(&node, entries, wanted, 2);
        match merged.pages.len() {
            _ if merged.refused && merged.done == 0 => Ok(Tried::Taken),
            1 if merged.done > 0 => {
                page::rewrite(edit, &merged.pages[0].items);
                commit(&self.store.log, None, &mut [edit]);
                Ok(Tried::Done(merged.done))
            }
            _ => Ok(Tried::Full),
        }
    }

    /// Puts the first of several entries in, which are in order, and those behind it that belong into the same leaf, or as many as
    /// make several of it. Gives how many these are; 0 where the first is not wanted. The caller holds `splitting`.
    pub(super) async fn insert_run(&self, session: &Session, entries: &[&[u8]], wanted: Wanted) -> Result<usize> {
        let mut new: Vec<NewPage> = Vec::new();
        loop {
            let (block, pinned) = self.page_to_split(session, wanted.place_of(entries[0]), 0).await?;
            self.store.log.reserve(session, RUN_PAGES * PAGE_RECORD).await?;
            let (merged, lsn) = {
                let latched = pinned.read();
                (Merged::of(&self.parse(&latched, block)?, entries, wanted, RUN_PAGES), latched.lsn())
            };
            if merged.done == 0 {
                return Ok(0);
            }
            while new.len() + 1 < merged.pages.len() {
                new.push(self.store.pool.extend(session, &self.relation, IoContext::Normal).await?);
            }
            let separators = merged.separators();
            {
                let mut latched = pinned.latch();
                // Others have come to the leaf meanwhile.
                if latched.lsn() != lsn {
                    continue;
                }
                let mut edit = Edit::new(&self.relation, block, &pinned, &mut latched);
                let parts: Vec<&Items> = merged.pages.iter().map(|page| &page.items).collect();
                self.divide(&mut edit, &parts, &separators, &new);
            }
            drop(pinned);
            let mut left = block;
            for (separator, (right, _)) in separators.iter().zip(&new) {
                if self.rightmost.load(Ordering::Relaxed) == left {
                    self.rightmost.store(*right, Ordering::Relaxed);
                }
                self.note_split(session, left, *right, separator, 0).await?;
                left = *right;
            }
            return Ok(merged.done);
        }
    }
}

/// A leaf's entries with new ones among them.
struct Merged {
    /// The pages that they take.
    pages: Vec<Filling>,
    /// How many of the new entries they have, those that were there already included.
    done: usize,
    /// The next one is not wanted, or it cannot be told here.
    refused: bool,
}

impl Merged {
    /// Takes entries, which are in order, as far as they belong into a leaf, are wanted, and fit `most` pages (2 or more) together with
    /// what is in the leaf.
    fn of(node: &Node<'_>, entries: &[&[u8]], wanted: Wanted, most: usize) -> Merged {
        let high_key = node.high_key().map_or(0, <[u8]>::len);
        let mut merged = Merged { pages: vec![Filling::new(0, high_key)], done: 0, refused: false };
        let (mut at, mut old) = (0, Vec::new());
        let mut before: Option<&[u8]> = None;
        for &entry in entries {
            let place = wanted.place_of(entry);
            let next = node.lower_bound_from(at, place);
            let is_taken = wanted != Wanted::Any && before.is_some_and(|before| wanted.place_of(before) == place);
            if node.is_beyond(entry) || is_taken || wanted.refuses(node, next, entry) {
                merged.refused = true;
                break;
            }
            merged.push_old(node, at..next, &mut old, most);
            at = next;
            let is_there = before == Some(entry) || node.is_at(at, entry);
            if !is_there && !merged.push_new(entry, most) {
                break;
            }
            before = Some(entry);
            merged.done += 1;
        }
        merged.push_old(node, at..node.len(), &mut old, most);
        merged
    }

    /// What tells the pages apart.
    fn separators(&self) -> Vec<Vec<u8>> {
        let between = |pair: &[Filling]| page::separator(pair[0].items.last(), pair[1].items.entry(0)).to_vec();
        self.pages.windows(2).map(between).collect()
    }

    fn push_old(&mut self, node: &Node<'_>, entries: std::ops::Range<usize>, scratch: &mut Vec<u8>, most: usize) {
        for index in entries {
            scratch.clear();
            node.append_entry(index, scratch);
            // What was in one page has room in the last one, which has nothing else.
            if self.pages.len() == most {
                self.last().push(scratch, 0);
            } else {
                self.push(scratch);
            }
        }
    }

    /// `false`: there is no room, as the last page is for what is in the leaf.
    fn push_new(&mut self, entry: &[u8], most: usize) -> bool {
        if self.pages.len() + 1 >= most {
            return self.pages.len() < most && self.last().try_push(entry, 0);
        }
        self.push(entry);
        true
    }

    /// To the last page, or a new one.
    fn push(&mut self, entry: &[u8]) {
        if !self.last().try_push(entry, 0) {
            let mut next = self.last().next();
            next.push(entry, 0);
            self.pages.push(next);
        }
    }

    fn last(&mut self) -> &mut Filling {
        self.pages.last_mut().expect("there is one at least")
    }
}
