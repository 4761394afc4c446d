//! The pool's frames: made as they are needed, and found again when they are empty.
//!
//! A pool may be most of a machine's memory and hold a small database. So frames (and the memory of their pages) come a
//! chunk at a time, and a walk over all frames is one over those that were ever used. A frame that lost its page
//! because its relation is gone is used again before a new one is taken. When the pool shrinks, frames are *retired*: they stay,
//! pinned and without a page, and their memory goes back to the system until the pool grows again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aio::lwlock::{Mutex, RwLock};
use aio::{BufferArena, IoBuf, IoRef, Nanos};

use crate::error::StorageError;
use crate::page::{BlockNumber, PAGE_SIZE};
use crate::smgr::RelationId;

/// Frames that are made together: 8 MiB of pages.
const CHUNK: usize = 1024;
/// Frames whose memory is made together: 1 MB. (At their first touch they were made page by page, which was a third of the processor
/// time of a cold scan into an empty pool.)
const MADE_TOGETHER: usize = 128;

pub(crate) type Tag = (RelationId, BlockNumber);

#[derive(Debug, Default)]
pub(crate) enum ReadState {
    #[default]
    Idle,
    /// The operation is being set up (`None`) or under way.
    Reading(Option<IoRef>),
    Failed(StorageError),
}

#[derive(Default)]
pub(crate) struct Meta {
    pub(crate) tag: Option<Tag>,
    pub(crate) pins: u32,
    /// How many of the pins are `WritePin`s.
    pub(crate) writes: u32,
    pub(crate) usage: u8,
    /// When it was used last: see `BufferPool::note_use`.
    pub(crate) period: u32,
    pub(crate) dirty: bool,
    pub(crate) read: ReadState,
    /// Its memory was given back; it is pinned so that it stays so.
    pub(crate) retired: bool,
    /// How long the device took for the operation that brought the page.
    pub(crate) device_time: Nanos,
}

/// On cache lines of its own: neighbours are pinned by other cores.
#[repr(align(64))]
pub(crate) struct Frame {
    pub(crate) meta: Mutex<Meta>,
    pub(crate) page: RwLock<Option<IoBuf>>,
}

impl Frame {
    /// Pins a frame that is free.
    fn claim(&self) -> bool {
        let mut meta = self.meta.lock();
        let free = meta.tag.is_none() && meta.pins == 0 && matches!(meta.read, ReadState::Idle);
        if free {
            meta.pins = 1;
        }
        free
    }
}

pub(crate) struct Frames {
    arena: BufferArena,
    chunks: Box<[OnceLock<Box<[Frame]>>]>,
    /// Frames below this number exist.
    used: AtomicUsize,
    /// Those of them that have memory, and how many may.
    active: AtomicUsize,
    limit: AtomicUsize,
    /// Frames that may be empty; the session that takes one looks.
    empty: Mutex<Vec<u32>>,
    retired: Mutex<Vec<u32>>,
}

impl std::ops::Index<u32> for Frames {
    type Output = Frame;

    fn index(&self, frame: u32) -> &Frame {
        let chunk = self.chunks[frame as usize / CHUNK].get().expect("a frame that was given a number exists");
        &chunk[frame as usize % CHUNK]
    }
}

impl Frames {
    /// Reserves address space for `most` pages, of which `limit` may have memory for now.
    pub(crate) fn new(limit: usize, most: usize) -> std::io::Result<Frames> {
        assert!(limit <= most, "a pool is no larger than it may become");
        Ok(Frames {
            arena: BufferArena::reserve(most, PAGE_SIZE)?,
            chunks: (0..most.div_ceil(CHUNK)).map(|_| OnceLock::new()).collect(),
            used: AtomicUsize::new(0),
            active: AtomicUsize::new(0),
            limit: AtomicUsize::new(limit),
            empty: Mutex::default(),
            retired: Mutex::default(),
        })
    }

    /// Frames that there may ever be.
    fn capacity(&self) -> usize {
        self.arena.count()
    }

    /// Frames that may have memory.
    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Acquire)
    }

    /// Lets so many frames have memory, as far as there may be so many. Those beyond are for the caller to retire.
    pub(crate) fn set_limit(&self, limit: usize) {
        self.limit.store(limit.min(self.capacity()), Ordering::Release);
    }

    /// Frames that have memory.
    pub(crate) fn active(&self) -> usize {
        self.active.load(Ordering::Acquire)
    }

    /// Frames there are.
    pub(crate) fn used(&self) -> usize {
        self.used.load(Ordering::Acquire)
    }

    /// The frames there are, with their numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &Frame)> {
        let chunks = self.chunks.iter().map_while(|chunk| chunk.get()).flatten();
        (0..self.used() as u32).zip(chunks)
    }

    /// A frame without a page, pinned once; `None` when all have one, as far as is known.
    pub(crate) fn take_empty(&self) -> Option<u32> {
        loop {
            let Some(frame) = self.empty.lock().pop() else { break };
            if self[frame].claim() {
                return Some(frame);
            }
        }
        // The clock may be faster once a new frame is there.
        loop {
            let may = |active: usize| (active < self.limit()).then_some(active + 1);
            self.active.fetch_update(Ordering::AcqRel, Ordering::Acquire, may).ok()?;
            if let Some(frame) = self.retired.lock().pop() {
                self[frame].meta.lock().retired = false;
                return Some(frame);
            }
            let Some(frame) = self.make() else {
                self.active.fetch_sub(1, Ordering::AcqRel);
                return None;
            };
            if self[frame].claim() {
                return Some(frame);
            }
        }
    }

    /// A new frame, which any session may claim; `None`: there are all there may ever be.
    fn make(&self) -> Option<u32> {
        loop {
            let frame = self.used();
            if frame == self.capacity() {
                return None;
            }
            self.chunks[frame / CHUNK].get_or_init(|| self.make_chunk(frame));
            if self.used.compare_exchange(frame, frame + 1, Ordering::AcqRel, Ordering::Relaxed).is_ok() {
                if frame.is_multiple_of(MADE_TOGETHER) {
                    self.arena.populate(frame..(frame + MADE_TOGETHER).min(self.limit()).max(frame + 1));
                }
                return Some(frame as u32);
            }
        }
    }

    /// Gives the memory of a frame back, which has no page and is pinned by the caller alone, for good.
    pub(crate) fn retire(&self, frame: u32) {
        self[frame].page.write().as_mut().expect("a frame that is not read has its memory").release_memory();
        let mut meta = self[frame].meta.lock();
        debug_assert!(meta.tag.is_none() && meta.pins == 1, "it is the caller's alone");
        meta.retired = true;
        drop(meta);
        self.retired.lock().push(frame);
        self.active.fetch_sub(1, Ordering::AcqRel);
    }

    /// A frame has lost its page for good.
    pub(crate) fn note_empty(&self, frame: u32) {
        self.empty.lock().push(frame);
    }

    fn make_chunk(&self, first: usize) -> Box<[Frame]> {
        let count = CHUNK.min(self.capacity() - first);
        // What is in use by now is worth huge pages. (At the first touch they made a cold scan of 130 MB take 1.9 s, not
        // 0.7, on a busy virtual machine.)
        self.arena.ask_for_huge_pages(first.saturating_sub(CHUNK)..first);
        (0..count).map(|_| Frame { meta: Mutex::default(), page: RwLock::new(self.arena.take()) }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_come_when_they_are_needed_and_empty_ones_come_first() {
        let frames = Frames::new(3 * CHUNK + 5, 3 * CHUNK + 5).unwrap();
        assert_eq!((frames.used(), frames.iter().count()), (0, 0));
        let first: Vec<u32> = std::iter::from_fn(|| frames.take_empty()).take(CHUNK + 1).collect();
        assert_eq!(first, (0..=CHUNK as u32).collect::<Vec<_>>());
        assert_eq!((frames.used(), frames.iter().count()), (CHUNK + 1, CHUNK + 1));
        frames[7].meta.lock().pins = 0;
        frames.note_empty(7);
        // Another session has found it in the meantime.
        frames.note_empty(8);
        assert_eq!(frames.take_empty(), Some(7));
        assert_eq!(frames.take_empty(), Some(CHUNK as u32 + 1));
        assert_eq!(std::iter::from_fn(|| frames.take_empty()).count(), 2 * CHUNK + 3);
        assert_eq!(frames.used(), frames.capacity());
        assert!(frames.iter().all(|(_, frame)| frame.page.read().is_some()));
    }

    #[test]
    fn retired_frames_come_back_when_there_may_be_more() {
        let frames = Frames::new(4, 6).unwrap();
        let take = || std::iter::from_fn(|| frames.take_empty()).collect::<Vec<_>>();
        assert_eq!(take(), [0, 1, 2, 3]);
        frames.set_limit(2);
        frames.retire(3);
        frames.retire(1);
        assert_eq!((frames.active(), frames.used(), take()), (2, 4, vec![]));
        frames.set_limit(100);
        assert_eq!(take(), [1, 3, 4, 5]);
        assert!(frames.active() == 6 && frames.iter().all(|(_, frame)| !frame.meta.lock().retired));
    }
}
