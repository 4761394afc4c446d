//! Scans of an index: entries, page by page.
//!
//! The access method's cursor loads what a page has of the ranges ([`Cursor::load`]); what is loaded is looked at here, entry by entry,
//! and the method is not asked for any of it. Entries come in the order of the ranges, each once.

use std::collections::VecDeque;
use std::sync::Arc;

use aio::Session;
use storage::{Concurrency, Relation};

use crate::Result;
use crate::index::key::tid_of;
use crate::index::method::{Index, MethodCursor};
use crate::index::scan_keys::{KeyRange, Verdict};

/// Consumed entries stay in memory up to so many, unless they are the greater part.
const KEPT: usize = 512;

/// Where a scan of a method's index is.
pub(crate) trait Cursor {
    /// Adds entries of the next page that has some; `false` at the end.
    async fn load(&mut self, batch: &mut EntryBatch) -> Result<bool>;

    /// May there be entries that are not loaded?
    fn may_load_more(&self) -> bool;

    /// May the range of the last loaded entry go on?
    fn is_within_range(&self) -> bool;

    /// What is not loaded of the range is not wanted.
    fn leave_range(&mut self);

    /// So many of the first entries may be enough: it need not add all that a page has.
    fn want_first(&mut self, entries: usize);

    /// From now on pages are read ahead, if they are not yet.
    fn read_ahead(&mut self, concurrency: Concurrency);

    /// The same from the first page on that is not in memory.
    fn read_ahead_if_cold(&mut self, concurrency: Concurrency);

    /// How often an entry was looked for: ranges that were begun, and entries that others were passed over for.
    fn searches(&self) -> u64;
}

/// Loaded entries.
#[derive(Default)]
pub(crate) struct EntryBatch {
    /// One after the other, and where each ends.
    bytes: Vec<u8>,
    ends: Vec<usize>,
    /// So many have been looked at.
    position: usize,
    begins: Option<Begins>,
    visible: Option<Visible>,
}

/// Which loaded entries lead to rows that all snapshots see.
struct Visible {
    heap: Arc<Relation>,
    /// Of each loaded entry, asked under its page's latch: later the entry may be gone, and its block at rest.
    entries: Vec<bool>,
}

/// Which entries belong to which range.
#[derive(Default)]
struct Begins {
    /// The places of the first entries of ranges, among the loaded ones.
    places: VecDeque<usize>,
    /// Ranges whose places were passed.
    passed: usize,
}

impl EntryBatch {
    /// How many are loaded.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn last(&self) -> Option<&[u8]> {
        Some(self.entry(self.len().checked_sub(1)?))
    }

    #[inline]
    fn entry(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// Adds the entry that `put` appends.
    #[inline]
    pub fn push(&mut self, put: impl FnOnce(&mut Vec<u8>)) {
        put(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }

    /// The same if it passes; gives what `check` says of it.
    #[inline]
    pub fn push_passing(&mut self, put: impl FnOnce(&mut Vec<u8>), check: impl FnOnce(&[u8]) -> Verdict) -> Verdict {
        let start = self.bytes.len();
        put(&mut self.bytes);
        let verdict = check(&self.bytes[start..]);
        match verdict {
            Verdict::Passes => self.ends.push(self.bytes.len()),
            Verdict::FailsTo | Verdict::Ends => self.bytes.truncate(start),
        }
        verdict
    }

    /// Is it known which range each entry belongs to?
    pub fn knows_ranges(&self) -> bool {
        self.begins.is_some()
    }

    /// What comes belongs to the next range.
    pub fn begin_range(&mut self) {
        if let Some(begins) = &mut self.begins {
            begins.places.push_back(self.ends.len());
        }
    }

    /// Asks for the visibility of the entries from this one on. Their page is latched.
    pub fn note_visible(&mut self, loaded: usize) {
        let Some(mut visible) = self.visible.take() else { return };
        debug_assert_eq!(visible.entries.len(), loaded, "each entry is asked for once");
        let bitmap = visible.heap.visibility().bitmap();
        visible.entries.extend((loaded..self.ends.len()).map(|at| bitmap.is_set(tid_of(self.entry(at)).block)));
        drop(bitmap);
        self.visible = Some(visible);
    }

    pub fn forget_consumed(&mut self) {
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
}

/// A scan of the entries in ranges of keys.
pub struct IndexScan {
    batch: EntryBatch,
    cursor: MethodCursor,
}

impl IndexScan {
    /// The ranges are in order and have no entry in common; `backward`: the last one first, and its last entry.
    pub fn new(index: &Index, session: &Session, ranges: Vec<KeyRange>, backward: bool) -> IndexScan {
        IndexScan { batch: EntryBatch::default(), cursor: index.cursor(session, ranges, backward) }
    }

    /// The same, but it knows which entries lead to rows that all snapshots see, in this heap.
    pub fn with_visibility(mut self, heap: &Arc<Relation>) -> IndexScan {
        self.batch.visible = Some(Visible { heap: heap.clone(), entries: Vec::new() });
        self
    }

    /// The same, but it knows which range each entry belongs to.
    pub fn with_ranges_known(mut self) -> IndexScan {
        self.batch.begins = Some(Begins::default());
        self
    }

    /// The same for a caller to whom so many of the first entries may be enough.
    pub fn at_first(mut self, entries: usize) -> IndexScan {
        self.cursor.want_first(entries);
        self
    }

    /// Reads ahead from the first page on that is not in memory. For a caller that reads entries alone: no row's page may ever be
    /// missing.
    pub fn read_ahead_if_cold(&mut self, concurrency: Concurrency) {
        self.cursor.read_ahead_if_cold(concurrency);
    }

    /// From now on pages are read ahead, if they are not yet.
    pub fn read_ahead(&mut self, concurrency: Concurrency) {
        self.cursor.read_ahead(concurrency);
    }

    /// The next entry.
    pub async fn next(&mut self) -> Result<Option<&[u8]>> {
        if !self.load_as_needed().await? {
            return Ok(None);
        }
        self.advance(1);
        Ok(Some(self.batch.entry(self.batch.position - 1)))
    }

    /// Is there an entry to come? Then [`IndexScan::upcoming`] has it.
    pub async fn load_as_needed(&mut self) -> Result<bool> {
        Ok(self.batch.position < self.batch.len() || self.load_more().await?)
    }

    /// Loads the entries of a further page; `false` at the end.
    pub async fn load_more(&mut self) -> Result<bool> {
        self.cursor.load(&mut self.batch).await
    }

    /// May there be entries that are not loaded?
    pub fn may_load_more(&self) -> bool {
        self.cursor.may_load_more()
    }

    /// May the range of the last loaded entry go on?
    pub fn is_within_range(&self) -> bool {
        self.cursor.is_within_range()
    }

    /// The entry that so many others come before; `None`: it is not loaded.
    #[inline]
    pub fn upcoming(&self, at: usize) -> Option<&[u8]> {
        let at = self.batch.position + at;
        (at < self.batch.len()).then(|| self.batch.entry(at))
    }

    /// Does this upcoming entry lead to a row that all snapshots see, with the entry's key? `false`: it is to be looked at.
    #[inline]
    pub fn is_visible(&self, at: usize) -> bool {
        self.batch.visible.as_ref().is_some_and(|visible| visible.entries[self.batch.position + at])
    }

    /// The next entry, which is visible, does not have all that is wanted: it is to be looked at all the same.
    pub fn look_at_next(&mut self) {
        if let Some(visible) = &mut self.batch.visible {
            visible.entries[self.batch.position] = false;
        }
    }

    /// How often an entry was looked for: ranges that were begun, and entries that others were passed over for.
    pub fn searches(&self) -> u64 {
        self.cursor.searches()
    }

    /// So many upcoming entries have been looked at.
    #[inline]
    pub fn advance(&mut self, entries: usize) {
        self.batch.position += entries;
        debug_assert!(self.batch.position <= self.batch.len());
    }

    /// The number of the range, counted from 0 in the order of reading, that the next entry belongs to, which is loaded; and
    /// how many loaded entries it has.
    pub fn range_of_next(&mut self) -> (usize, usize) {
        let EntryBatch { begins, position, ends, .. } = &mut self.batch;
        let begins = begins.as_mut().expect("the ranges are known");
        while begins.places.front().is_some_and(|place| place <= position) {
            begins.places.pop_front();
            begins.passed += 1;
        }
        (begins.passed - 1, begins.places.front().unwrap_or(&ends.len()) - *position)
    }

    /// Is this upcoming entry the first one of a range?
    pub fn begins_range(&self, at: usize) -> bool {
        let place = self.batch.position + at;
        self.batch.begins.as_ref().is_some_and(|begins| begins.places.binary_search(&place).is_ok())
    }

    /// Leaves out what comes of the range that the next entry belongs to. Gives how many loaded entries those are.
    pub fn skip_range(&mut self) -> usize {
        let begins = self.batch.begins.as_ref().expect("the ranges are known");
        let end = match begins.places.front() {
            Some(place) => *place,
            None => {
                self.cursor.leave_range();
                self.batch.len()
            }
        };
        std::mem::replace(&mut self.batch.position, end).abs_diff(end)
    }
}
