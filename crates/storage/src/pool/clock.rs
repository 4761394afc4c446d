//! Which page makes room for another one: the clock, with usage counts, and the rings of large scans.

use std::collections::VecDeque;
use std::sync::atomic::Ordering;

use super::frames::{Meta, ReadState};
use super::map::remove_frame;
use super::{BufferPool, LEAST_PAGES};

/// Usage counts stop here; the clock needs as many rounds to evict the busiest page.
const MAX_USAGE: u8 = 5;
/// In so many parts of the clock's round a page that is used again and again is used once.
const PERIODS: usize = 8;
/// Dirty pages that a search for a clean one passes by before it waits for cleaning, and before it asks for it on its way. Those that
/// it passes by stay, and clean ones that are used more go in their place.
const DIRTY_PASSED: usize = 1024;
const DIRTY_NOTED: usize = 2;
/// A walk over all frames that gives their memory back lets others work after so many.
const RETIRED: u32 = 128;

/// Is a frame the caller's now?
#[derive(PartialEq)]
enum Evicted {
    Yes,
    /// Pinned, being read, or used lately.
    InUse,
    /// It would have been.
    Dirty,
}

/// The frames a large scan goes round in, so that it does not evict other sessions' pages.
pub struct ScanRing {
    pub(super) frames: VecDeque<u32>,
    limit: usize,
}

impl ScanRing {
    /// `limit` pages; a scan needs as many as it keeps in flight, and some to work on.
    pub fn new(limit: usize) -> ScanRing {
        ScanRing { frames: VecDeque::new(), limit: limit.max(16) }
    }
}

impl BufferPool {
    /// Lets the pool hold so many pages, as far as it may. Memory beyond goes back to the system, of clean pages that no session has
    /// pinned; the cleaner is asked to write others, for the next call. Gives how many pages there is memory for now.
    pub async fn resize(&self, pages: usize) -> usize {
        self.frames.set_limit(pages.max(LEAST_PAGES));
        // From the end: whole stretches of memory are given back, and huge pages with them.
        for frame in (0..self.frames.used() as u32).rev() {
            if self.frames.active() <= self.frames.limit() {
                break;
            }
            if self.evict(frame, MAX_USAGE) == Evicted::Yes {
                self.frames.retire(frame);
            }
            if frame % RETIRED == 0 {
                aio::yield_once().await;
            }
        }
        if self.frames.active() > self.frames.limit() {
            self.ask_for_cleaning();
        }
        self.frames.active()
    }

    /// A frame without identity, pinned once by the caller; `None` when no clean, unpinned one was found.
    pub(super) fn victim(&self, ring: Option<&mut ScanRing>) -> Option<u32> {
        if let Some(ring) = ring
            && ring.frames.len() >= ring.limit
        {
            // The oldest page of this scan, unless another session has come to need it.
            while let Some(frame) = ring.frames.pop_front() {
                if self.evict(frame, 0) == Evicted::Yes {
                    return Some(frame);
                }
                if ring.frames.len() < ring.limit / 2 {
                    break;
                }
            }
        }
        if let Some(frame) = self.frames.take_empty() {
            return Some(frame);
        }
        // After MAX_USAGE rounds every unpinned page has reached zero.
        let attempts = self.frames.used() * (MAX_USAGE as usize + 2);
        let mut dirty = 0;
        for _ in 0..attempts {
            let frame = self.advance();
            match self.evict(frame, 0) {
                Evicted::Yes => {
                    if dirty >= DIRTY_NOTED {
                        self.ask_for_cleaning();
                    }
                    return Some(frame);
                }
                Evicted::Dirty if dirty == DIRTY_PASSED => return None,
                Evicted::Dirty => dirty += 1,
                Evicted::InUse => {}
            }
        }
        None
    }

    /// To be called once a second: pages are used, more and less, where the hand stands still because all have room, too.
    pub fn begin_period(&self) {
        self.period.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Moves the clock's hand; gives the frame where it was.
    fn advance(&self) -> u32 {
        let used = self.frames.used();
        let hand = self.hand.fetch_add(1, Ordering::Relaxed);
        if hand.is_multiple_of((used / PERIODS).max(1)) {
            self.begin_period();
        }
        (hand % used) as u32
    }

    pub(super) fn period(&self) -> u32 {
        self.period.0.load(Ordering::Relaxed)
    }

    /// The page is used. What a statement, or the next ones of a transaction, do with a page that they have found says nothing
    /// about whether it is used again (the correlated references of LRU-K, O'Neil et al., SIGMOD 1993). Rows that were
    /// changed once, and so looked at three times, drove pages of indexes out that were used more often.
    pub(super) fn note_use(&self, meta: &mut Meta) {
        let period = self.period();
        if meta.period != period {
            meta.period = period;
            meta.usage = (meta.usage + 1).min(MAX_USAGE);
        }
    }

    /// Takes a frame if it is unpinned, clean and used no more than `usage` times lately; ages it otherwise.
    fn evict(&self, frame: u32, usage: u8) -> Evicted {
        let tag = {
            let mut meta = self.frames[frame].meta.lock();
            if meta.pins > 0 || matches!(meta.read, ReadState::Reading(_)) {
                return Evicted::InUse;
            }
            if meta.usage > usage {
                meta.usage -= 1;
                return Evicted::InUse;
            }
            if meta.dirty {
                return Evicted::Dirty;
            }
            meta.pins = 1;
            match meta.tag {
                None => return Evicted::Yes,
                Some(tag) => tag,
            }
        };
        let mut shard = self.map.shard(&tag).lock();
        let mut meta = self.frames[frame].meta.lock();
        if meta.pins > 1 || meta.dirty {
            meta.pins -= 1;
            return Evicted::InUse;
        }
        debug_assert!(meta.writes == 0, "a page that is being written is pinned");
        remove_frame(&mut shard, &tag, frame);
        meta.tag = None;
        meta.usage = 0;
        meta.read = ReadState::Idle;
        self.counters.evictions.fetch_add(1, Ordering::Relaxed);
        Evicted::Yes
    }

    /// A victim that is not needed after all.
    pub(super) fn give_back(&self, frame: u32) {
        self.frames[frame].meta.lock().pins -= 1;
        self.frames.note_empty(frame);
    }
}
