//! The buffer pool: `shared_buffers` pages in memory, found by relation and block.
//!
//! * `map`: which frame has a page; `frames`: where they are. `clock`: which page makes room for another.
//! * `pinned_page`, `pin`, `read`, `extend`: pages that sessions use. `forget`: those of relations that go.
//! * `write_stream`, `write_pin`, `write`, `clean`: pages on their way to the disk. `view`: what statistics show.
//!
//! Each of these is a part of [`BufferPool`]; this file has what they share, and uses none of them but `map` and `frames`.
//!
//! # Invariants
//! * A frame's page memory is present exactly when the frame is not being read. While it is, the memory belongs to the
//!   operation, and the frame is `reading`.
//! * A page is found in at most one frame: the map's shard lock decides who reads it, all others wait for that read.
//! * Lock order: map shard, then frame. Page latches come after both and are never held across an await.
//! * A page is written by one at a time: of two writes under way the older one might be the last to reach the disk.
//! * A dirty page is never evicted. Sessions that find no clean page wait for the cleaner ([`BufferPool::clean`]); they
//!   do not write.

mod clean;
mod clock;
mod extend;
mod forget;
mod frames;
mod map;
mod pin;
mod pinned_page;
mod read;
mod view;
mod write;
mod write_pin;
mod write_stream;

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use aio::lwlock::Mutex;
use aio::{BufferArena, Engine, IoContext};

use self::frames::Frames;
use self::map::BufferMap;
use crate::condition_variable::ConditionVariable;
use crate::error::StorageError;
use crate::page::{Lsn, PAGE_SIZE};

pub use self::clock::ScanRing;
pub(crate) use self::pin::Lookup;
pub use self::pinned_page::PinnedPage;
pub(crate) use self::read::Started;
pub use self::view::BufferView;
pub use self::write::{DirtyPage, WritePriority, Written};
pub use self::write_stream::WriteStream;

/// Buffers for pages on their way to the disk: 2 MiB, and 16 MiB for bulk writes, which may keep some while they wait for
/// a session that waits for pages to be written.
const WRITE_BUFFERS: usize = 256;
const BULK_BUFFERS: usize = 2048;
/// A walk over all frames lets others work after so many.
const WALKED: u32 = 16384;
/// A pool is no smaller.
const LEAST_PAGES: usize = 16;

/// What must be durable before a page may be written.
pub trait LogGate: Send + Sync {
    /// Resolves when the log is durable up to `lsn`.
    fn flush_to<'a>(&'a self, lsn: Lsn) -> Pin<Box<dyn Future<Output = std::result::Result<(), String>> + Send + 'a>>;
}

/// Totals of the pool, for statistics.
#[derive(Debug, Default)]
pub struct PoolCounters {
    pub reads: AtomicU64,
    pub evictions: AtomicU64,
    pub written: AtomicU64,
}

/// Parts of its rounds that the clock's hand has gone through, and seconds: on a cache line of its own, where every use of a page looks.
#[derive(Default)]
#[repr(align(64))]
struct Period(AtomicU32);

/// Pages that read streams have pinned ahead of those that read them: see `ahead_pins.rs`.
#[derive(Default)]
pub(crate) struct PinnedAhead {
    pub(crate) streams: AtomicUsize,
    pub(crate) pages: AtomicUsize,
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
    map: BufferMap,
    hand: AtomicUsize,
    period: Period,
    write_arena: BufferArena,
    bulk_arena: BufferArena,
    gate: OnceLock<Arc<dyn LogGate>>,
    counters: PoolCounters,
    pinned_ahead: PinnedAhead,
    /// A session found too few clean pages.
    cleaning_wanted: ConditionVariable,
    wanted: AtomicU64,
    /// The cleaner ended a round; what kept it from writing any page, if that was the outcome.
    cleaned: ConditionVariable,
    rounds: AtomicU64,
    /// Sessions that wait for that.
    waiting: AtomicU64,
    round_failed: Mutex<Option<StorageError>>,
    /// A write of a page has ended.
    written: ConditionVariable,
    /// Writes that were under way when their stream was given up.
    orphans: Mutex<Vec<aio::IoRef>>,
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
            map: BufferMap::new(),
            hand: AtomicUsize::new(0),
            period: Period::default(),
            write_arena: BufferArena::new(WRITE_BUFFERS.min(pages), PAGE_SIZE)?,
            bulk_arena: BufferArena::new(BULK_BUFFERS.min(pages), PAGE_SIZE)?,
            gate: OnceLock::new(),
            counters: PoolCounters::default(),
            cleaning_wanted: ConditionVariable::default(),
            wanted: AtomicU64::new(0),
            cleaned: ConditionVariable::default(),
            rounds: AtomicU64::new(0),
            pinned_ahead: PinnedAhead::default(),
            waiting: AtomicU64::new(0),
            round_failed: Mutex::default(),
            written: ConditionVariable::default(),
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

    /// Pages that the pool may hold.
    pub fn len(&self) -> usize {
        self.frames.limit()
    }

    /// Pages that it has memory for.
    pub fn held(&self) -> usize {
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

    pub(crate) fn pinned_ahead(&self) -> &PinnedAhead {
        &self.pinned_ahead
    }

    /// Pages that find room without another having to go, about.
    pub fn room(&self) -> usize {
        self.frames.limit().saturating_sub(self.frames.active())
    }

    /// Does a session wait for clean pages?
    pub(crate) fn is_waited_for(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    fn ask_for_cleaning(&self) {
        if self.wanted.fetch_add(1, Ordering::AcqRel) == 0 {
            self.cleaning_wanted.notify();
        }
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
}
