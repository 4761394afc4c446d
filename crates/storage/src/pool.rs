//! The buffer pool: `shared_buffers` pages in memory, found by relation and block.
//!
//! # Invariants
//! * A frame's page memory is present exactly when the frame is not being read. While it is, the memory belongs to the
//!   operation, and the frame is `reading`.
//! * A page is found in at most one frame: the map's shard lock decides who reads it, everybody else waits for that read.
//! * Lock order: map shard, then frame. Page latches come after both and are never held across an await.
//! * A page is written by one at a time: of two writes under way the older one might be the last to reach the disk.
//! * A dirty page is never evicted. Sessions that find no clean page wait for the cleaner ([`BufferPool::clean`]); they
//!   do not write.

use std::collections::HashMap;
use std::collections::VecDeque;
use std::future::Future;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Poll, Waker};

use aio::{
    BufferArena, Engine, Handle, IoBuf, IoContext, IoError, IoObject, IoRef, Nanos, OpInfo, Session, StatKey, StatOp,
    Target,
    lwlock::{MappedRwLockReadGuard, MappedRwLockWriteGuard, Mutex, RwLockReadGuard, RwLockWriteGuard},
};

use crate::ahead_pins::PinnedAhead;
use crate::error::{Result, StorageError};
use crate::frames::{Frame, Frames, Meta};
use crate::page::{BlockNumber, Lsn, PAGE_SIZE, Page, verify};
use crate::relation::{FileSet, Relation, RelationId, blocks_of, describe};
use crate::write_stream::WriteStream;

/// Usage counts stop here; the clock needs as many rounds to evict the busiest page.
const MAX_USAGE: u8 = 5;
/// In so many parts of the clock's round a page that is used again and again is used once.
const PERIODS: usize = 8;
const SHARDS: usize = 128;
/// Buffers for pages on their way to the disk: 2 MiB, and 16 MiB for bulk writes, which may keep some while they wait for
/// somebody who waits for pages to be written.
const WRITE_BUFFERS: usize = 256;
const BULK_BUFFERS: usize = 2048;
/// Dirty pages that a search for a clean one passes by before it waits for cleaning, and before it asks for it on its way. Those that
/// it passes by stay, and clean ones that are used more go in their place.
const DIRTY_PASSED: usize = 1024;
const DIRTY_NOTED: usize = 2;
/// The cleaner looks at so many frames for each page that it may write, if it has found any.
const LOOKED_AHEAD: usize = 8;
/// Whoever walks over all frames lets others work after so many, and whoever gives their memory back after fewer.
const WALKED: u32 = 16384;
const RETIRED: u32 = 128;
/// A pool is no smaller.
const LEAST_PAGES: usize = 16;

/// What must be durable before a page may be written.
pub trait LogGate: Send + Sync {
    /// Resolves when the log is durable up to `lsn`.
    fn flush_to<'a>(&'a self, lsn: Lsn) -> Pin<Box<dyn Future<Output = std::result::Result<(), String>> + Send + 'a>>;
}

pub(crate) type Tag = (RelationId, BlockNumber);

/// Multiplicative hashing: tags are small numbers and come from us, not from an attacker.
#[derive(Default)]
struct TagHasher(u64);

impl Hasher for TagHasher {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }
    fn write(&mut self, bytes: &[u8]) {
        for &b in bytes {
            self.write_u32(u32::from(b));
        }
    }
    fn write_u32(&mut self, value: u32) {
        self.0 = (self.0.rotate_left(23) ^ u64::from(value)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

/// Where pages are.
type Places = HashMap<Tag, u32, BuildHasherDefault<TagHasher>>;

/// Parts of its rounds that the clock's hand has gone through, and seconds: on a cache line of its own, where every use of a page looks.
#[derive(Default)]
#[repr(align(64))]
struct Period(AtomicU32);

/// A part of the map, on cache lines of its own.
#[derive(Default)]
#[repr(align(64))]
struct Shard(Mutex<Places>);

/// Takes a frame out of the map: of a page whose read failed there may be another one by now.
fn remove_frame(places: &mut Places, tag: &Tag, frame: u32) {
    if places.get(tag) == Some(&frame) {
        places.remove(tag);
    }
}

impl std::ops::Deref for Shard {
    type Target = Mutex<Places>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

#[derive(Debug, Default)]
pub(crate) enum ReadState {
    #[default]
    Idle,
    /// The operation is being set up (`None`) or under way.
    Reading(Option<IoRef>),
    Failed(StorageError),
}

/// Tasks that wait for something to change.
#[derive(Debug, Default)]
pub(crate) struct Event {
    waiters: Mutex<Vec<Waker>>,
}

impl Event {
    pub(crate) fn notify(&self) {
        let waiters = std::mem::take(&mut *self.waiters.lock());
        waiters.into_iter().for_each(Waker::wake);
    }

    /// Waits until `ready`, which is asked again after each notification.
    pub(crate) async fn wait_until<T>(&self, mut ready: impl FnMut() -> Option<T>) -> T {
        std::future::poll_fn(|cx| {
            if let Some(value) = ready() {
                return Poll::Ready(value);
            }
            self.waiters.lock().push(cx.waker().clone());
            ready().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// Totals of the pool, for statistics.
#[derive(Debug, Default)]
pub struct PoolCounters {
    pub reads: AtomicU64,
    pub evictions: AtomicU64,
    pub written: AtomicU64,
}

/// A buffer of the pool at some moment.
#[derive(Clone, Copy, Debug)]
pub struct BufferView {
    /// Its number, from 0.
    pub buffer: u32,
    /// The page in it.
    pub tag: Option<(RelationId, BlockNumber)>,
    pub pins: u32,
    pub usage: u8,
    pub dirty: bool,
}

/// The buffer pool. Its state is [`Inner`]; pages that are pinned hold on to it through one of several counters, because a
/// count that all cores change for every hit would cost more than the hit.
pub struct BufferPool {
    inner: Arc<Inner>,
    handles: [PoolHandle; HANDLES],
}

/// A reference to the pool with a counter of its own, on a cache line of its own.
type PoolHandle = Arc<Reference>;

#[repr(align(64))]
struct Reference(Arc<Inner>);

impl std::ops::Deref for Reference {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.0
    }
}

/// Threads share the handles evenly.
const HANDLES: usize = 8;

impl std::ops::Deref for BufferPool {
    type Target = Inner;

    fn deref(&self) -> &Inner {
        &self.inner
    }
}

/// What the pool consists of.
pub struct Inner {
    engine: Engine,
    frames: Frames,
    map: Box<[Shard]>,
    hand: AtomicUsize,
    period: Period,
    write_arena: BufferArena,
    bulk_arena: BufferArena,
    gate: OnceLock<Arc<dyn LogGate>>,
    counters: PoolCounters,
    pinned_ahead: PinnedAhead,
    /// Somebody found too few clean pages.
    cleaning_wanted: Event,
    wanted: AtomicU64,
    /// The cleaner ended a round; what kept it from writing any page, if that was the outcome.
    cleaned: Event,
    rounds: AtomicU64,
    /// Who waits for that.
    waiting: AtomicU64,
    round_failed: Mutex<Option<StorageError>>,
    /// A write of a page has ended.
    written: Event,
    /// Writes that were under way when their stream was given up.
    orphans: Mutex<Vec<aio::IoRef>>,
}

/// What a look into the map gave.
pub(crate) enum Lookup {
    Cached(PinnedPage),
    /// Being read, by whoever was first.
    Reading(PinnedPage),
    Absent,
}

impl BufferPool {
    /// Reserves address space for `pages` buffers; memory comes page by page. Fails when the system refuses so much.
    pub fn new(engine: &Engine, pages: usize) -> std::io::Result<Arc<BufferPool>> {
        BufferPool::resizable(engine, pages, pages)
    }

    /// The same for a pool that may come to hold as many as `most`: see [`BufferPool::resize`].
    pub fn resizable(engine: &Engine, pages: usize, most: usize) -> std::io::Result<Arc<BufferPool>> {
        assert!(pages >= LEAST_PAGES, "a pool holds at least {LEAST_PAGES} pages");
        let inner = Arc::new(Inner {
            engine: engine.clone(),
            frames: Frames::new(pages, most)?,
            map: (0..SHARDS).map(|_| Shard::default()).collect(),
            hand: AtomicUsize::new(0),
            period: Period::default(),
            write_arena: BufferArena::new(WRITE_BUFFERS.min(pages), PAGE_SIZE)?,
            bulk_arena: BufferArena::new(BULK_BUFFERS.min(pages), PAGE_SIZE)?,
            gate: OnceLock::new(),
            counters: PoolCounters::default(),
            cleaning_wanted: Event::default(),
            wanted: AtomicU64::new(0),
            cleaned: Event::default(),
            rounds: AtomicU64::new(0),
            pinned_ahead: PinnedAhead::default(),
            waiting: AtomicU64::new(0),
            round_failed: Mutex::default(),
            written: Event::default(),
            orphans: Mutex::default(),
        });
        let handles = std::array::from_fn(|_| Arc::new(Reference(inner.clone())));
        Ok(Arc::new(BufferPool { inner, handles }))
    }

    /// The current thread's reference for a page that is pinned.
    fn handle(&self) -> PoolHandle {
        self.handles[aio::thread_number() % HANDLES].clone()
    }

    /// Sets the log that pages wait for. Once, before the first page is changed.
    pub fn set_gate(&self, gate: Arc<dyn LogGate>) {
        assert!(self.gate.set(gate).is_ok(), "a pool has one log");
    }

    pub(crate) fn gate(&self) -> Option<&Arc<dyn LogGate>> {
        self.gate.get()
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The part of a relation's first `blocks` blocks that is in memory, as a few of them say, which are spread over it. 0 to 1.
    pub fn resident_part(&self, relation: RelationId, blocks: BlockNumber) -> f64 {
        const LOOKED_AT: u32 = 8;
        let looked_at = blocks.min(LOOKED_AT);
        let place = |at: u32| (u64::from(at) * u64::from(blocks) / u64::from(looked_at)) as BlockNumber;
        let is_resident = |block: BlockNumber| self.has(&(relation, block));
        let found = (0..looked_at).filter(|&at| is_resident(place(at))).count();
        if looked_at == 0 { 1.0 } else { found as f64 / f64::from(looked_at) }
    }

    /// Pages that the pool may hold.
    pub fn len(&self) -> usize {
        self.frames.limit()
    }

    /// Pages that it has memory for.
    pub fn held(&self) -> usize {
        self.frames.active()
    }

    /// Lets the pool hold so many pages, as far as it may. Memory beyond goes back to the system, of clean pages that nobody has
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

    pub fn is_empty(&self) -> bool {
        false
    }

    pub fn counters(&self) -> &PoolCounters {
        &self.counters
    }

    /// What pages are copied to that are written.
    pub(crate) fn write_arena(&self, context: IoContext) -> &BufferArena {
        if context == IoContext::BulkWrite { &self.bulk_arena } else { &self.write_arena }
    }

    /// Looks for a page and pins it.
    pub(crate) fn lookup(self: &Arc<Self>, relation: RelationId, block: BlockNumber) -> Lookup {
        let tag = (relation, block);
        let shard = self.shard(&tag).lock();
        let Some(&frame) = shard.get(&tag) else { return Lookup::Absent };
        let mut meta = self.frames[frame].meta.lock();
        debug_assert_eq!(meta.tag, Some(tag));
        meta.pins += 1;
        self.note_use(&mut meta);
        let cached = matches!(meta.read, ReadState::Idle);
        drop(meta);
        drop(shard);
        let page = PinnedPage { pool: self.handle(), frame };
        if cached { Lookup::Cached(page) } else { Lookup::Reading(page) }
    }

    /// Pins a page that is in the pool; `None`: it is not, or still being read.
    pub fn pin_cached(
        self: &Arc<Self>,
        session: &Session,
        relation: &Relation,
        block: BlockNumber,
        context: IoContext,
    ) -> Option<PinnedPage> {
        let Lookup::Cached(page) = self.lookup(relation.id(), block) else { return None };
        self.count_hit(session, relation, context);
        Some(page)
    }

    /// A page was in the pool.
    pub(crate) fn count_hit(&self, session: &Session, relation: &Relation, context: IoContext) {
        if let Some(counters) = relation.counters() {
            counters.note_hit();
        }
        let key = StatKey::new(session.backend(), IoObject::Relation, context);
        self.engine.stats().count(key, StatOp::Hit, 1, 0, 0);
        session.note_usage(|usage| usage.hits += 1);
    }

    /// Pins a page, reading it if need be. `ring` keeps a large scan from flushing everybody's pages.
    pub async fn pin(
        self: &Arc<Self>,
        session: &Session,
        relation: &Relation,
        block: BlockNumber,
        context: IoContext,
    ) -> Result<PinnedPage> {
        loop {
            match self.lookup(relation.id(), block) {
                Lookup::Cached(page) => {
                    self.count_hit(session, relation, context);
                    return Ok(page);
                }
                Lookup::Reading(page) => {
                    session.note_usage(|usage| usage.hits += 1);
                    page.wait_read().await?;
                    return Ok(page);
                }
                Lookup::Absent => {
                    let handle = session.get().await;
                    let started = self.start_read(handle, relation, block, 1, None, context)?;
                    match started {
                        Started::Reading(mut pages) => {
                            let page = pages.pop().expect("one page was asked for");
                            self.wait_watched(session, &page).await?;
                            return Ok(page);
                        }
                        Started::Present => {}
                        Started::NoCleanBuffer => self.wait_for_cleaner().await?,
                    }
                }
            }
        }
    }

    /// Waits for a page that the session has begun to read.
    async fn wait_watched(&self, session: &Session, page: &PinnedPage) -> Result<()> {
        let begun = self.engine.clock().now();
        let _waiting = session.waiting();
        session.note_usage(|usage| usage.read_started(1, u64::from(session.waiters())));
        page.wait_read().await?;
        session.note_usage(|usage| usage.read_ended(page.device_time(), self.engine.clock().now() - begun));
        Ok(())
    }

    /// Starts one read of up to `count` blocks from `first` that are not in the pool.
    pub(crate) fn start_read(
        self: &Arc<Self>,
        mut handle: Handle,
        relation: &Relation,
        first: BlockNumber,
        count: u32,
        mut ring: Option<&mut ScanRing>,
        context: IoContext,
    ) -> Result<Started> {
        let (file, offset) = relation.locate(first, false)?;
        let count = count.min(crate::SEGMENT_BLOCKS - first % crate::SEGMENT_BLOCKS);
        let mut pages: Vec<PinnedPage> = Vec::with_capacity(count as usize);
        for block in first..first + count {
            let Some(frame) = self.victim(ring.as_deref_mut()) else {
                if pages.is_empty() {
                    return Ok(Started::NoCleanBuffer);
                }
                break;
            };
            let tag = (relation.id(), block);
            let mut shard = self.shard(&tag).lock();
            if shard.contains_key(&tag) {
                // Somebody else was faster.
                drop(shard);
                self.give_back(frame);
                if pages.is_empty() {
                    return Ok(Started::Present);
                }
                break;
            }
            let mut meta = self.frames[frame].meta.lock();
            shard.insert(tag, frame);
            meta.tag = Some(tag);
            // Whoever reads it is no sign that anybody comes again: once round the clock, and it may go.
            meta.usage = 0;
            meta.period = self.period();
            meta.read = ReadState::Reading(None);
            drop(meta);
            drop(shard);
            if let Some(ring) = ring.as_deref_mut() {
                ring.frames.push_back(frame);
            }
            pages.push(PinnedPage { pool: self.handle(), frame });
        }
        self.counters.reads.fetch_add(pages.len() as u64, Ordering::Relaxed);
        if let Some(counters) = relation.counters() {
            counters.note_reads(pages.len() as u64);
        }
        handle.set_data(pages.iter().map(|p| p.frame));
        // A frame being read owns no memory: the operation does.
        let bufs = pages
            .iter()
            .map(|p| self.frames[p.frame].page.write().take().expect("a frame that is not read has its memory"));
        let target: Arc<dyn Target> = self.inner.clone();
        let io = handle.read(&file, offset, bufs, &target, (IoObject::Relation, context));
        let reference = io.reference();
        for page in &pages {
            let mut meta = self.frames[page.frame].meta.lock();
            if let ReadState::Reading(unknown) = &mut meta.read {
                *unknown = Some(reference);
            }
        }
        // The shared completion finishes the pages; the outcome is in their frames.
        io.detach();
        Ok(Started::Reading(pages))
    }

    /// Adds a block at the end of the relation and pins its page, new and dirty, without reading. The block has space on
    /// the disk: when there is none, this fails, and not the write of a page that somebody was told is there.
    pub async fn extend(
        self: &Arc<Self>,
        session: &Session,
        relation: &Relation,
        context: IoContext,
    ) -> Result<(BlockNumber, PinnedPage)> {
        loop {
            self.find_space(session, relation, context).await?;
            // Nothing is awaited from here on: a frame or a block would be lost with a statement that is given up.
            let Some(frame) = self.victim(None) else {
                self.wait_for_cleaner().await?;
                continue;
            };
            self.blank(frame);
            while relation.space_wanted().is_none() {
                let block = relation.blocks();
                if let Some(page) = self.name_if(frame, (relation.id(), block), || relation.reserve_allocated(block)) {
                    session.note_usage(|usage| usage.written += 1);
                    return Ok((block, page));
                }
            }
            self.give_back(frame);
        }
    }

    /// Sees to it that the next block has space on the disk. Several sessions may look for the same space; nothing is
    /// lost by that.
    async fn find_space(&self, session: &Session, relation: &Relation, context: IoContext) -> Result<()> {
        match relation.space_wanted() {
            Some(space) => self.allocate(session, relation, space, context).await,
            None => Ok(()),
        }
    }

    /// Finds space on the disk for blocks at or beyond the relation's end, which stays where it is.
    pub async fn allocate(
        &self,
        session: &Session,
        relation: &Relation,
        space: Range<BlockNumber>,
        context: IoContext,
    ) -> Result<()> {
        let mut next = space.start;
        while next < space.end {
            let end = space.end.min((next / crate::SEGMENT_BLOCKS + 1) * crate::SEGMENT_BLOCKS);
            let (file, offset) = relation.locate(next, true)?;
            let len = u64::from(end - next) * PAGE_SIZE as u64;
            let target: Arc<dyn Target> = self.inner.clone();
            let handle = session.get().await;
            match handle.allocate(&file, offset, len, &target, (IoObject::Relation, context)).await.result {
                Ok(_) => {}
                // A file system that cannot: space is found when the page is written.
                Err(error) if error.errno == libc::EOPNOTSUPP => {}
                Err(error) => return Err(error.into()),
            }
            next = end;
        }
        relation.has_space(&space);
        Ok(())
    }

    /// For recovery: pins a page that a full image is about to replace, without reading it.
    pub async fn pin_for_overwrite(self: &Arc<Self>, relation: &Relation, block: BlockNumber) -> Result<PinnedPage> {
        loop {
            match self.lookup(relation.id(), block) {
                Lookup::Cached(page) => return Ok(page),
                Lookup::Reading(page) => {
                    // Whether that read finds a good page does not matter here; the image makes it one.
                    match page.wait_read().await {
                        Ok(()) => return Ok(page),
                        Err(_) => drop(page),
                    }
                }
                Lookup::Absent => match self.victim(None) {
                    Some(frame) => return Ok(self.install(frame, (relation.id(), block))),
                    None => self.wait_for_cleaner().await?,
                },
            }
        }
    }

    /// Gives a victim a new identity, with a page of zeros. The caller knows that nobody else reads this page.
    fn install(self: &Arc<Self>, frame: u32, tag: Tag) -> PinnedPage {
        self.blank(frame);
        self.name_if(frame, tag, || true).expect("it is wanted")
    }

    fn blank(&self, frame: u32) {
        self.frames[frame].page.write().as_mut().expect("a victim has its memory").fill(0);
    }

    /// Gives a blank victim a new identity if `wanted` says so, at a moment when nobody can look for the page: whoever learns from
    /// it that there is such a block finds it in the pool.
    fn name_if(self: &Arc<Self>, frame: u32, tag: Tag, wanted: impl FnOnce() -> bool) -> Option<PinnedPage> {
        let mut shard = self.shard(&tag).lock();
        if !wanted() {
            return None;
        }
        let page = PinnedPage { pool: self.handle(), frame };
        let mut meta = page.frame().meta.lock();
        let previous = shard.insert(tag, frame);
        debug_assert!(previous.is_none(), "{tag:?} is in the pool already");
        meta.tag = Some(tag);
        meta.usage = 1;
        meta.period = self.period();
        meta.dirty = true;
        drop(meta);
        drop(shard);
        Some(page)
    }

    /// A frame without identity, pinned once by the caller; `None` when no clean, unpinned one was found.
    fn victim(&self, ring: Option<&mut ScanRing>) -> Option<u32> {
        if let Some(ring) = ring
            && ring.frames.len() >= ring.limit
        {
            // The oldest page of this scan, unless somebody else has come to need it.
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

    fn period(&self) -> u32 {
        self.period.0.load(Ordering::Relaxed)
    }

    /// Somebody uses the page. What a statement, or the next ones of a transaction, do with a page that they have found says nothing
    /// about whether anybody comes back to it (the correlated references of LRU-K, O'Neil et al., SIGMOD 1993). Rows that were
    /// changed once, and so looked at three times, drove pages of indexes out that were used more often.
    fn note_use(&self, meta: &mut Meta) {
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
        let mut shard = self.shard(&tag).lock();
        let mut meta = self.frames[frame].meta.lock();
        if meta.pins > 1 || meta.dirty {
            meta.pins -= 1;
            return Evicted::InUse;
        }
        remove_frame(&mut shard, &tag, frame);
        meta.tag = None;
        meta.usage = 0;
        meta.read = ReadState::Idle;
        self.counters.evictions.fetch_add(1, Ordering::Relaxed);
        Evicted::Yes
    }

    /// A victim that is not needed after all.
    fn give_back(&self, frame: u32) {
        self.frames[frame].meta.lock().pins -= 1;
        self.frames.note_empty(frame);
    }

    /// Asks for cleaning and waits for a round of it. Fails when no page could be written, and when there was nothing to
    /// clean either: all pages are pinned.
    pub(crate) async fn wait_for_cleaner(&self) -> Result<()> {
        let before = self.rounds.load(Ordering::Acquire);
        if !self.frames.iter().any(|(_, f)| f.meta.lock().dirty) {
            // Pins may be gone by now, or go when pages are written: the caller's next attempt tells.
            let free = || self.frames.iter().any(|(_, f)| f.meta.lock().pins == 0);
            let writing = || self.frames.iter().any(|(_, f)| f.meta.lock().writes > 0);
            if !free() && !writing() {
                return Err(StorageError::NoBuffers);
            }
            self.written.wait_until(|| (free() || !writing()).then_some(())).await;
            return Ok(());
        }
        self.ask_for_cleaning();
        let _waiting = Waiting::new(&self.waiting);
        self.cleaned.wait_until(|| (self.rounds.load(Ordering::Acquire) != before).then_some(())).await;
        self.round_failed.lock().clone().map_or(Ok(()), Err)
    }

    pub(crate) fn pinned_ahead(&self) -> &PinnedAhead {
        &self.pinned_ahead
    }

    /// Does anybody wait for clean pages?
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    fn ask_for_cleaning(&self) {
        if self.wanted.fetch_add(1, Ordering::AcqRel) == 0 {
            self.cleaning_wanted.notify();
        }
    }

    /// For the background writer: resolves when somebody needs clean pages.
    pub async fn cleaning_wanted(&self) {
        self.cleaning_wanted.wait_until(|| (self.wanted.load(Ordering::Acquire) > 0).then_some(())).await;
    }

    /// Writes up to `limit` dirty, unpinned pages (those that the clock takes next), sorted and combined, and with them neighbours, which
    /// cost no operation of their own. Gives their number.
    pub async fn clean(self: &Arc<Self>, session: &Session, files: &FileSet, limit: usize) -> Result<usize> {
        self.wanted.store(0, Ordering::Release);
        let unwritable = files.unwritable();
        let mut pages = self.dirty_ahead(&unwritable, limit);
        if !self.is_waited_for() {
            self.add_neighbours(&unwritable, &mut pages);
        }
        let frames: Vec<u32> = pages.iter().map(|p| p.frame).collect();
        let result =
            self.write_dirty(session, files, pages, WritePriority::Background).await.map(|written| written.pages);
        let none = || frames.iter().all(|&frame| self.frames[frame].meta.lock().dirty);
        *self.round_failed.lock() = result.as_ref().err().filter(|_| none()).cloned();
        self.rounds.fetch_add(1, Ordering::AcqRel);
        self.cleaned.notify();
        result
    }

    /// Up to `limit` dirty, unpinned pages ahead of the clock's hand: those that nobody has used since it came by, or else others;
    /// what cannot be written just now only where there is nothing else. Looks no further than it must.
    fn dirty_ahead(&self, unwritable: &[RelationId], limit: usize) -> Vec<DirtyPage> {
        let (start, used) = (self.hand.load(Ordering::Relaxed), self.frames.used());
        let (mut idle, mut others, mut stuck) = (Vec::with_capacity(limit), Vec::new(), Vec::new());
        for step in 0..used {
            let enough = step % (LOOKED_AHEAD * limit) == 0 && (!idle.is_empty() || !others.is_empty());
            if enough || idle.len() == limit {
                break;
            }
            let frame = ((start + step) % used) as u32;
            let meta = self.frames[frame].meta.lock();
            let Some(tag) = meta.tag.filter(|_| meta.dirty && meta.pins == 0) else { continue };
            let group = match (unwritable.contains(&tag.0), meta.usage) {
                (true, _) => &mut stuck,
                (_, 0) => &mut idle,
                _ => &mut others,
            };
            if group.len() < limit {
                group.push(DirtyPage { frame, tag });
            }
        }
        [idle, others, stuck].into_iter().find(|group| !group.is_empty()).unwrap_or_default()
    }

    /// Adds dirty pages that are next to these in what one operation writes and that nobody has used in this period, so that their log
    /// has mostly been written. Not to what could not be written: it is tried alone.
    fn add_neighbours(&self, unwritable: &[RelationId], pages: &mut Vec<DirtyPage>) {
        // Others' writes need buffers, too.
        let most = self.write_arena.count() / 4 * 3;
        let run = WriteStream::run_limit(self, IoContext::Normal) as BlockNumber;
        let period = self.period();
        let idle = |relation: RelationId, block: BlockNumber| {
            let tag = (relation, block);
            let frame = self.frame_of(&tag)?;
            let meta = self.frames[frame].meta.lock();
            let is_idle = meta.tag == Some(tag) && meta.dirty && meta.pins == 0 && meta.period != period;
            is_idle.then_some(DirtyPage { frame, tag })
        };
        for at in 0..pages.len() {
            let (relation, block) = pages[at].tag;
            if pages.len() >= most || unwritable.contains(&relation) {
                continue;
            }
            let first = block - block % run;
            let behind = (block..first + run).skip(1).map_while(|block| idle(relation, block));
            let before = (first..block).rev().map_while(|block| idle(relation, block));
            pages.extend(behind.chain(before));
        }
        pages.sort_unstable_by_key(|page| page.tag);
        pages.dedup_by_key(|page| page.tag);
    }

    /// Fails while pages of a relation cannot be written: more changes would fill the pool with pages that cannot leave it. Where
    /// the last write failed one is tried now.
    pub async fn check_writable(
        self: &Arc<Self>,
        session: &Session,
        files: &FileSet,
        relation: &Relation,
    ) -> Result<()> {
        let Err(error) = relation.check_writable() else { return Ok(()) };
        if relation.is_broken() {
            return Err(error);
        }
        let is_dirty = |frame: &Frame| {
            let meta = frame.meta.lock();
            meta.tag.filter(|tag| tag.0 == relation.id() && meta.dirty)
        };
        let found = self.frames.iter().find_map(|(frame, f)| Some(DirtyPage { frame, tag: is_dirty(f)? }));
        match found {
            Some(page) => self.write_dirty(session, files, vec![page], WritePriority::Foreground).await.map(drop),
            None => {
                relation.note_write(None);
                Ok(())
            }
        }
    }

    /// Everything whose latest changes are not on the disk when this is called, for a checkpoint, in the order of the files:
    /// dirty pages, and those that somebody is writing.
    pub async fn dirty_pages(&self) -> Vec<DirtyPage> {
        let mut pages = Vec::new();
        for (frame, f) in self.frames.iter() {
            if frame % WALKED == WALKED - 1 {
                aio::yield_once().await;
            }
            let meta = f.meta.lock();
            if let Some(tag) = meta.tag.filter(|_| meta.dirty || meta.writes > 0) {
                pages.push(DirtyPage { frame, tag });
            }
        }
        pages.sort_unstable_by_key(|p| p.tag);
        pages
    }

    /// Writes the given pages where they are still dirty and nobody else is writing them. Pages changed meanwhile stay dirty.
    pub async fn write_dirty(
        self: &Arc<Self>,
        session: &Session,
        files: &FileSet,
        mut pages: Vec<DirtyPage>,
        priority: WritePriority,
    ) -> Result<Written> {
        pages.sort_unstable_by_key(|p| p.tag);
        let stream = WriteStream::new(self, session, IoContext::Normal);
        let mut stream = if priority == WritePriority::Background { stream.gently() } else { stream };
        let mut written = Written::default();
        let put = self.put_dirty(&mut stream, files, pages, &mut written).await;
        // Whatever went wrong, what is under way is waited for.
        let finished = stream.finish().await;
        put.and(finished)?;
        self.counters.written.fetch_add(written.pages as u64, Ordering::Relaxed);
        Ok(written)
    }

    async fn put_dirty(
        self: &Arc<Self>,
        stream: &mut WriteStream,
        files: &FileSet,
        pages: Vec<DirtyPage>,
        written: &mut Written,
    ) -> Result<()> {
        let mut current: Option<Arc<Relation>> = None;
        for DirtyPage { frame, tag } in pages {
            // Pinned first: while it is, nobody removes the relation's files. Those of dropped ones are out of the pool.
            let Some(page) = self.pin_for_write(frame, tag) else { continue };
            let relation = match &current {
                Some(relation) if relation.id() == tag.0 => relation.clone(),
                _ => files.open(tag.0)?,
            };
            current = Some(relation.clone());
            let mut buf = stream.buffer().await?;
            // One of the writes is this one. Beside another it has to wait: it could come to the disk before that.
            let (elsewhere, write) = {
                let latched = page.read();
                let mut meta = self.frames[frame].meta.lock();
                let (elsewhere, write) = (meta.writes > 1, meta.dirty && meta.writes == 1);
                if write {
                    meta.dirty = false;
                    buf.copy_from_slice(&latched);
                }
                (elsewhere, write)
            };
            if !write {
                written.elsewhere.extend(elsewhere.then_some(DirtyPage { frame, tag }));
                page.done();
                continue;
            }
            stream.put_page(&relation, tag.1, buf, page).await?;
            written.pages += 1;
        }
        Ok(())
    }

    /// For a checkpoint, after [`BufferPool::write_dirty`]: waits for what others were writing, and writes it if they
    /// could not.
    pub async fn write_elsewhere(
        self: &Arc<Self>,
        session: &Session,
        files: &FileSet,
        mut pages: Vec<DirtyPage>,
    ) -> Result<()> {
        while !pages.is_empty() {
            for page in &pages {
                self.written.wait_until(|| (self.frames[page.frame].meta.lock().writes == 0).then_some(())).await;
            }
            pages = self.write_dirty(session, files, pages, WritePriority::Foreground).await?.elsewhere;
        }
        Ok(())
    }

    /// Pins a frame for writing it to the disk, if it still holds `tag`.
    fn pin_for_write(self: &Arc<Self>, frame: u32, tag: Tag) -> Option<WritePin> {
        let mut meta = self.frames[frame].meta.lock();
        (meta.tag == Some(tag) && matches!(meta.read, ReadState::Idle)).then(|| {
            meta.pins += 1;
            meta.writes += 1;
            WritePin { page: PinnedPage { pool: self.handle(), frame }, done: false }
        })
    }

    pub(crate) fn adopt(&self, io: aio::Io) {
        self.orphans.lock().push(io.reference());
        io.detach();
    }

    /// Waits for the writes of streams that were given up half-way: nothing may be written to the same place before.
    pub async fn wait_for_orphans(&self) {
        // Several may wait for them, and any of these may give up: so they stay in the list until they have ended.
        let orphans = self.orphans.lock().clone();
        for io in &orphans {
            self.engine.wait(*io).await;
        }
        self.orphans.lock().retain(|io| !orphans.contains(io));
    }

    /// Drops a relation's pages, written or not: it is being dropped or truncated. The caller keeps others from using the
    /// relation. Waits for I/O alone, never for a pin: whoever has a page pinned (it may be the caller's own session)
    /// keeps it as it is, without a name, until the pin is dropped. `blocks` are those it has, where that is known, or those
    /// that are to go: few blocks are looked for one by one.
    pub async fn forget(self: &Arc<Self>, relation: RelationId, blocks: Option<Range<BlockNumber>>) {
        let used = self.frames.used() as u32;
        match blocks {
            Some(blocks) if blocks.len() < used as usize / 4 => {
                for block in blocks {
                    let tag = (relation, block);
                    if let Some(frame) = self.frame_of(&tag) {
                        self.forget_in(frame, relation, &(block..block + 1)).await;
                    }
                }
            }
            blocks => {
                let blocks = blocks.unwrap_or(0..BlockNumber::MAX);
                for frame in 0..used {
                    self.forget_in(frame, relation, &blocks).await;
                    if frame % WALKED == WALKED - 1 {
                        aio::yield_once().await;
                    }
                }
            }
        }
    }

    /// Empties a frame if it holds one of these blocks of the relation.
    async fn forget_in(self: &Arc<Self>, frame: u32, relation: RelationId, blocks: &Range<BlockNumber>) {
        loop {
            let (tag, reading) = {
                let meta = self.frames[frame].meta.lock();
                match meta.tag {
                    Some(tag) if tag.0 == relation && blocks.contains(&tag.1) => {
                        (tag, matches!(meta.read, ReadState::Reading(_)))
                    }
                    _ => return,
                }
            };
            if reading {
                // An abandoned read: it owns the frame's memory until it ends.
                if let Lookup::Reading(page) = self.lookup(tag.0, tag.1) {
                    let _ = page.wait_read().await;
                }
                continue;
            }
            if self.forget_frame(frame, tag) {
                return;
            }
            // A write of the page is under way; it ends by itself.
            aio::yield_once().await;
        }
    }

    /// Takes its name from a frame, unless its page is being read or written. `true` when it no longer holds `tag`.
    fn forget_frame(&self, frame: u32, tag: Tag) -> bool {
        let mut shard = self.shard(&tag).lock();
        let mut meta = self.frames[frame].meta.lock();
        if meta.tag != Some(tag) {
            return true;
        }
        if meta.writes > 0 || matches!(meta.read, ReadState::Reading(_)) {
            return false;
        }
        remove_frame(&mut shard, &tag, frame);
        *meta = Meta { pins: meta.pins, ..Meta::default() };
        if meta.pins == 0 {
            self.frames.note_empty(frame);
        }
        true
    }

    /// Cuts a relation after its first `blocks` blocks. The caller keeps everybody away from those behind, and knows that recovery
    /// needs none of them. Given up half-way, the relation is as long as before.
    pub async fn truncate(self: &Arc<Self>, relation: &Relation, blocks: BlockNumber) -> Result<()> {
        let end = relation.blocks();
        assert!(blocks <= end, "a cut makes nothing longer");
        // Blocks that are in the pool alone could not be read when the cut is given up.
        relation.materialise()?;
        self.forget(relation.id(), Some(blocks..end)).await;
        debug_assert!(
            (blocks..end).all(|block| !self.has(&(relation.id(), block))),
            "somebody has read what is cut off"
        );
        relation.truncate(blocks)
    }

    fn has(&self, tag: &Tag) -> bool {
        self.frame_of(tag).is_some()
    }

    /// Where a page is now.
    fn frame_of(&self, tag: &Tag) -> Option<u32> {
        self.shard(tag).lock().get(tag).copied()
    }

    /// The buffers there are, as they are now, one after the other.
    pub fn buffers(&self) -> impl Iterator<Item = BufferView> {
        self.frames.iter().filter_map(|(buffer, frame)| {
            let meta = frame.meta.lock();
            let Meta { tag, pins, usage, dirty, retired, .. } = *meta;
            (!retired).then_some(BufferView { buffer, tag, pins, usage, dirty })
        })
    }

    /// Pages that find room without another having to go, about.
    pub fn room(&self) -> usize {
        self.frames.limit().saturating_sub(self.frames.active())
    }

    /// How many of the relation's pages are in memory.
    pub fn cached_pages(&self, relation: RelationId) -> usize {
        self.frames.iter().filter(|(_, f)| f.meta.lock().tag.is_some_and(|t| t.0 == relation)).count()
    }
}

/// Is a frame the caller's now?
#[derive(PartialEq)]
enum Evicted {
    Yes,
    /// Pinned, being read, or used lately.
    InUse,
    /// It would have been.
    Dirty,
}

/// What became of the attempt to start a read.
pub(crate) enum Started {
    Reading(Vec<PinnedPage>),
    /// The first block is in the pool by now.
    Present,
    NoCleanBuffer,
}

/// The completion of page reads: verifies, and gives the frames their memory back.
impl Target for Inner {
    fn name(&self) -> &'static str {
        "smgr"
    }

    fn complete(&self, op: &OpInfo, result: &std::result::Result<u64, IoError>, bufs: &mut Vec<IoBuf>, data: &[u32]) {
        let (first, _, _) = blocks_of(op);
        for (index, (buf, &frame)) in bufs.drain(..).zip(data).enumerate() {
            let block = first + index as u32;
            let frame = &self.frames[frame];
            let relation = frame.meta.lock().tag.expect("a frame being read has an identity").0;
            let outcome = match result {
                Err(error) => Err(StorageError::Io(error.clone())),
                Ok(bytes) => {
                    let got = bytes.saturating_sub((index * PAGE_SIZE) as u64);
                    if got < PAGE_SIZE as u64 {
                        Err(StorageError::Truncated { file: op.file.clone(), block, got })
                    } else {
                        verify(&buf, relation, block).map_err(|reason| StorageError::Corrupt {
                            file: op.file.clone(),
                            block,
                            reason,
                        })
                    }
                }
            };
            *frame.page.write() = Some(buf);
            let mut meta = frame.meta.lock();
            meta.device_time = op.device_time;
            meta.read = match outcome {
                Ok(()) => ReadState::Idle,
                Err(error) => ReadState::Failed(error),
            };
        }
    }

    fn describe(&self, op: &OpInfo) -> String {
        describe(op)
    }
}

/// A page that was dirty when it was listed.
#[derive(Clone, Copy, Debug)]
pub struct DirtyPage {
    frame: u32,
    tag: Tag,
}

/// How urgent it is that pages are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePriority {
    /// Nobody waits: others' writes come first.
    Background,
    /// Somebody waits for it.
    Foreground,
}

/// Counts one who waits, until it is dropped.
struct Waiting<'a>(&'a AtomicU64);

impl Waiting<'_> {
    fn new(count: &AtomicU64) -> Waiting<'_> {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What became of pages that were to be written.
#[derive(Default)]
pub struct Written {
    pub pages: usize,
    /// Those that somebody else is writing.
    pub elsewhere: Vec<DirtyPage>,
}

/// The frames a large scan goes round in, so that it does not evict everybody's pages.
pub struct ScanRing {
    frames: VecDeque<u32>,
    limit: usize,
}

impl ScanRing {
    /// `limit` pages; a scan needs as many as it keeps in flight, and some to work on.
    pub fn new(limit: usize) -> ScanRing {
        ScanRing { frames: VecDeque::new(), limit: limit.max(16) }
    }
}

/// A page that stays where it is until this is dropped.
pub struct PinnedPage {
    pool: PoolHandle,
    frame: u32,
}

impl Clone for PinnedPage {
    fn clone(&self) -> PinnedPage {
        self.frame().meta.lock().pins += 1;
        PinnedPage { pool: self.pool.clone(), frame: self.frame }
    }
}

impl PinnedPage {
    fn frame(&self) -> &Frame {
        &self.pool.frames[self.frame]
    }

    /// Has the read of this page ended?
    pub(crate) fn is_read(&self) -> bool {
        !matches!(self.frame().meta.lock().read, ReadState::Reading(_))
    }

    /// The page's position in its relation.
    pub fn block(&self) -> BlockNumber {
        self.frame().meta.lock().tag.map_or(0, |tag| tag.1)
    }

    /// Is it still a page of a relation, and not what it was before the pool forgot it?
    pub fn is_named(&self) -> bool {
        self.frame().meta.lock().tag.is_some()
    }

    /// How long the device took to bring the page.
    pub(crate) fn device_time(&self) -> Nanos {
        self.frame().meta.lock().device_time
    }

    /// Waits for the read that brings this page. A page whose read failed leaves the pool, so that the next attempt
    /// reads again.
    pub(crate) async fn wait_read(&self) -> Result<()> {
        loop {
            let reference = {
                let mut meta = self.frame().meta.lock();
                match &meta.read {
                    ReadState::Idle => return Ok(()),
                    ReadState::Failed(error) => {
                        let error = error.clone();
                        let tag = meta.tag;
                        meta.usage = 0;
                        drop(meta);
                        if let Some(tag) = tag {
                            self.pool.shed_failed(self.frame, tag);
                        }
                        return Err(error);
                    }
                    ReadState::Reading(reference) => *reference,
                }
            };
            match reference {
                Some(reference) => self.pool.engine.wait(reference).await,
                None => aio::yield_once().await,
            }
        }
    }

    /// Latches the page for reading. Not across an await.
    pub fn read(&self) -> MappedRwLockReadGuard<'_, [u8]> {
        let page = self.frame().page.read();
        RwLockReadGuard::map(page, |p| &**p.as_ref().expect("a pinned, read page has its memory"))
    }

    /// Latches the page for writing and marks it dirty. Not across an await. The caller inserts the log record and sets
    /// the page's LSN before letting go.
    pub fn write(&self) -> MappedRwLockWriteGuard<'_, [u8]> {
        let guard = self.latch();
        self.mark_dirty();
        guard
    }

    /// Latches the page for writing, perhaps: whoever changes it calls [`PinnedPage::mark_dirty`] before the change is
    /// logged. Not across an await.
    pub fn latch(&self) -> MappedRwLockWriteGuard<'_, [u8]> {
        let page = self.frame().page.write();
        RwLockWriteGuard::map(page, |p| &mut **p.as_mut().expect("a pinned, read page has its memory"))
    }

    /// Has somebody latched it for writing?
    pub fn is_being_changed(&self) -> bool {
        self.frame().page.is_locked_exclusive()
    }

    /// The latched page is being changed. Before the log record exists: a checkpoint that starts after the record finds
    /// the page (and waits for the latch to copy it).
    pub fn mark_dirty(&self) {
        let mut meta = self.frame().meta.lock();
        // A page without a name was forgotten: there is nowhere to write it.
        meta.dirty = meta.tag.is_some();
    }

    pub fn lsn(&self) -> Lsn {
        self.read().lsn()
    }
}

impl Inner {
    fn shard(&self, tag: &Tag) -> &Shard {
        let mut hasher = TagHasher::default();
        std::hash::Hash::hash(tag, &mut hasher);
        &self.map[hasher.finish() as usize % SHARDS]
    }

    /// Takes a page whose read failed out of the map; later pins read it anew. Whoever holds a pin keeps the error.
    fn shed_failed(&self, frame: u32, tag: Tag) {
        let mut shard = self.shard(&tag).lock();
        let meta = self.frames[frame].meta.lock();
        if meta.tag == Some(tag) && matches!(meta.read, ReadState::Failed(_)) {
            remove_frame(&mut shard, &tag, frame);
        }
    }
}

/// A pinned page that is being written to the disk: until this is dropped, nobody removes the relation's files, and
/// checkpoints wait. Unless the write has ended well the page must be written again.
pub(crate) struct WritePin {
    page: PinnedPage,
    done: bool,
}

impl WritePin {
    pub(crate) fn read(&self) -> MappedRwLockReadGuard<'_, [u8]> {
        self.page.read()
    }

    pub(crate) fn done(mut self) {
        self.done = true;
    }
}

impl Drop for WritePin {
    fn drop(&mut self) {
        let mut meta = self.page.frame().meta.lock();
        meta.writes -= 1;
        // A page without a name was forgotten: there is nowhere to write it.
        if !self.done && meta.tag.is_some() {
            meta.dirty = true;
        }
        drop(meta);
        self.page.pool.written.notify();
    }
}

impl Drop for PinnedPage {
    fn drop(&mut self) {
        let mut meta = self.frame().meta.lock();
        debug_assert!(meta.pins > 0);
        meta.pins -= 1;
        if meta.pins == 0 && meta.tag.is_none() {
            // It was forgotten while it was pinned.
            drop(meta);
            self.pool.frames.note_empty(self.frame);
            return;
        }
        if meta.pins == 0 && matches!(meta.read, ReadState::Failed(_)) {
            let tag = meta.tag;
            drop(meta);
            let Some(tag) = tag else { return };
            let mut shard = self.pool.shard(&tag).lock();
            let mut meta = self.frame().meta.lock();
            if meta.pins == 0 && meta.tag == Some(tag) && matches!(meta.read, ReadState::Failed(_)) {
                remove_frame(&mut shard, &tag, self.frame);
                *meta = Meta::default();
                self.pool.frames.note_empty(self.frame);
            }
        }
    }
}
