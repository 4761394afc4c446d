//! The log buffer: inserting records, and room for them.
//!
//! Inserting copies a record to the buffer under a mutex and returns at once; [`crate::flush`] takes the bytes to the disk.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Waker};

use aio::lwlock::Mutex;
use aio::{BufferArena, Engine, Session};

use crate::flush::{Queue, WRITE_BUFFERS};
use crate::probe::SyncMethod;
use crate::record::{FILLER_LEN, HEADER_LEN, MAX_RECORD, RecordHeader, encode, filler, padded};
use crate::segment::Segments;
use crate::{BLOCK, LogError, Lsn};

/// What only transactions may use that take back or end what they have logged: see [`Log::reserve_to_end`].
const KEPT_BACK: u64 = 1;

#[derive(Clone, Debug)]
pub struct LogConfig {
    /// `wal_buffers`, in bytes: inserted and not yet durable.
    pub buffers: usize,
    /// `wal_segment_size`: a power of two, 1 MiB or more.
    pub segment_size: u64,
    pub direct: bool,
    pub sync: SyncMethod,
    /// Larger, modulo 2^16, than at every earlier opening: what an earlier run left behind is told apart by it.
    pub epoch: u16,
}

/// Totals since the start, for `pg_stat_wal`.
#[derive(Debug, Default)]
pub struct LogCounters {
    pub records: AtomicU64,
    pub bytes: AtomicU64,
    pub full_page_images: AtomicU64,
    /// Each with its flush.
    pub writes: AtomicU64,
    /// Nanoseconds that writes took, flushes included.
    pub write_time: AtomicU64,
    /// Waits for a commit to be durable.
    pub commits: AtomicU64,
    pub buffers_full: AtomicU64,
}

pub(crate) struct State {
    /// Bytes from `start` (a multiple of [`BLOCK`], at or before the durable position) to the insert position.
    pub(crate) buffer: VecDeque<u8>,
    pub(crate) start: Lsn,
    pub(crate) inserted: Lsn,
    pub(crate) failed: Option<String>,
    pub(crate) queue: Queue,
    scratch: Vec<u8>,
}

pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) state: Mutex<State>,
    pub(crate) durable: Arc<AtomicU64>,
    /// The state's `inserted`, `start` and whether it has failed, for callers that only look: all that are about to insert.
    pub(crate) inserted: AtomicU64,
    pub(crate) start: AtomicU64,
    pub(crate) has_failed: AtomicBool,
    /// Where the redo of the latest checkpoint starts. Changed under the state's lock.
    redo: AtomicU64,
    pub(crate) segments: Segments,
    pub(crate) arena: BufferArena,
    limit: usize,
    epoch: u16,
    pub(crate) sync: SyncMethod,
    pub(crate) counters: LogCounters,
    /// Pages changed for the first time after a checkpoint are logged whole.
    full_page_writes: AtomicBool,
    compresses_images: AtomicBool,
    /// A caller is making a segment; others wait.
    making: Mutex<Making>,
    /// Segments below this number exist.
    ready: AtomicU64,
    /// There was no space for a segment.
    full: AtomicBool,
}

#[derive(Default)]
struct Making {
    busy: bool,
    waiters: Vec<Waker>,
}

/// Where a checkpoint begins.
#[derive(Clone, Copy, Debug)]
pub struct Begun {
    pub redo: Lsn,
    /// Where its record ends; `None`: the disk has no room for one.
    pub record_end: Option<Lsn>,
}

/// An open log. Clones are the same log.
#[derive(Clone)]
pub struct Log {
    pub(crate) shared: Arc<Shared>,
}

impl Log {
    /// Opens the log in `dir` for inserting at `end`, where reading it has stopped. `tail` are the bytes of the last,
    /// partly filled block before `end`.
    pub fn open(engine: &Engine, dir: &Path, config: &LogConfig, end: Lsn, tail: &[u8]) -> Result<Log, LogError> {
        let start = end / BLOCK * BLOCK;
        assert_eq!(tail.len() as u64, end - start, "the tail fills the last block up to the end");
        let segments = Segments::new(dir, config.segment_size, config.direct, config.sync == SyncMethod::OpenDatasync);
        segments.find_spares()?;
        let arena = BufferArena::new(WRITE_BUFFERS, BLOCK as usize)
            .map_err(|e| LogError::Failed(format!("no memory for log buffers: {e}")))?;
        let state = State {
            buffer: tail.iter().copied().collect(),
            start,
            inserted: end,
            failed: None,
            queue: Queue::new(end),
            scratch: Vec::new(),
        };
        Ok(Log {
            shared: Arc::new(Shared {
                engine: engine.clone(),
                state: Mutex::new(state),
                durable: Arc::new(AtomicU64::new(end)),
                inserted: AtomicU64::new(end),
                start: AtomicU64::new(start),
                has_failed: AtomicBool::new(false),
                redo: AtomicU64::new(end),
                segments,
                arena,
                limit: config.buffers.max(2 * MAX_RECORD),
                epoch: config.epoch,
                sync: config.sync,
                counters: LogCounters::default(),
                full_page_writes: AtomicBool::new(true),
                compresses_images: AtomicBool::new(false),
                making: Mutex::default(),
                ready: AtomicU64::new(0),
                full: AtomicBool::new(false),
            }),
        })
    }

    /// Where the next record will start.
    pub fn insert_position(&self) -> Lsn {
        self.shared.inserted.load(Ordering::Acquire)
    }

    /// Everything before this survives a power loss.
    pub fn durable(&self) -> Lsn {
        self.shared.durable.load(Ordering::Acquire)
    }

    /// [`Log::durable`], as it will be: for callers that ask often and do not know the log.
    pub fn durable_position(&self) -> Arc<AtomicU64> {
        self.shared.durable.clone()
    }

    pub fn counters(&self) -> &LogCounters {
        &self.shared.counters
    }

    /// How writes are made durable.
    pub fn sync_method(&self) -> SyncMethod {
        self.shared.sync
    }

    /// Waits until `bytes` of records can be inserted and their segments exist: the place where a full disk is noticed,
    /// before anything was promised. Call it before latching the page that the records are about.
    pub async fn reserve(&self, session: &Session, bytes: usize) -> Result<(), LogError> {
        self.reserve_segments(session, bytes, KEPT_BACK).await
    }

    /// [`Log::reserve`] for a transaction that takes back or ends what it has logged: it may use the segment that all
    /// others leave free, so that a full disk fails statements and not the server.
    pub async fn reserve_to_end(&self, session: &Session, bytes: usize) -> Result<(), LogError> {
        self.reserve_segments(session, bytes, 0).await
    }

    async fn reserve_segments(&self, session: &Session, bytes: usize, beyond: u64) -> Result<(), LogError> {
        let size = self.shared.segments.size;
        loop {
            if let Some(reason) = self.failure() {
                return Err(LogError::Failed(reason));
            }
            // Before the position, which is never before it then.
            let start = self.shared.start.load(Ordering::Acquire);
            let position = self.insert_position();
            let queued = (position - start) as usize;
            // One segment more than needed: others insert too.
            let last = (position + bytes as u64) / size + 1 + beyond;
            if self.shared.ready.load(Ordering::Acquire) <= last {
                self.make_segments(session, position / size, last).await?;
                continue;
            }
            // What is more than half of all there is goes beyond the limit when the other half is free: nothing waits for ever.
            if queued + bytes.min(self.shared.limit / 2) <= self.shared.limit {
                return Ok(());
            }
            self.shared.counters.buffers_full.fetch_add(1, Ordering::Relaxed);
            self.flush_to(session, position).await?;
        }
    }

    /// Makes segments, one caller at a time; returns when a caller has made one, or failed to.
    async fn make_segments(&self, session: &Session, first: u64, last: u64) -> Result<(), LogError> {
        /// Lets the others try when the maker is done, failed or cancelled.
        struct Maker<'a>(&'a Mutex<Making>);
        impl Drop for Maker<'_> {
            fn drop(&mut self) {
                let mut making = self.0.lock();
                making.busy = false;
                let waiters = std::mem::take(&mut making.waiters);
                drop(making);
                waiters.into_iter().for_each(Waker::wake);
            }
        }
        let mut waited = false;
        let maker = std::future::poll_fn(|cx| {
            let mut making = self.shared.making.lock();
            if making.busy {
                waited = true;
                making.waiters.push(cx.waker().clone());
                return Poll::Pending;
            }
            if waited {
                return Poll::Ready(None);
            }
            making.busy = true;
            Poll::Ready(Some(Maker(&self.shared.making)))
        });
        let Some(_maker) = maker.await else { return Ok(()) };
        for number in first.max(self.shared.ready.load(Ordering::Acquire))..=last {
            if let Err(error) = self.shared.segments.ensure(number, session).await {
                self.shared.full.fetch_or(error.is_out_of_space(), Ordering::AcqRel);
                return Err(error);
            }
            self.shared.ready.store(number + 1, Ordering::Release);
        }
        Ok(())
    }

    /// Has the disk been too full for a segment since this was asked last? A checkpoint frees what it no longer needs.
    pub fn ran_full(&self) -> bool {
        self.shared.full.swap(false, Ordering::AcqRel)
    }

    /// Appends a record; gives its end, which is the LSN for the pages it changes. Copies and returns.
    ///
    /// # Panics
    /// When the payload is longer than [`MAX_RECORD`] allows: callers split what they log.
    pub fn insert(&self, header: RecordHeader, payload: &[&[u8]]) -> Lsn {
        self.insert_locked(&mut self.shared.state.lock(), header, payload)
    }

    /// [`Log::insert_with`], unless a checkpoint has begun since the caller read [`Log::redo_position`] and decided from
    /// it that the pages need no full images.
    pub fn insert_if_redo(
        &self,
        redo: Lsn,
        header: RecordHeader,
        payload: &[&[u8]],
        atomically: impl FnOnce(),
    ) -> Option<Lsn> {
        let mut state = self.shared.state.lock();
        (self.redo_position() == redo).then(|| {
            let end = self.insert_locked(&mut state, header, payload);
            atomically();
            end
        })
    }

    /// Does something that the log need not have unless a checkpoint has begun since the caller read [`Log::redo_position`]: `false`
    /// then. One that begins later finds what was done.
    pub fn while_redo(&self, redo: Lsn, act: impl FnOnce()) -> bool {
        let _state = self.shared.state.lock();
        let is_so = self.redo_position() == redo;
        if is_so {
            act();
        }
        is_so
    }

    /// Where the redo of the latest checkpoint, finished or not, starts. A page whose LSN is not beyond it must be logged
    /// as a full image.
    pub fn redo_position(&self) -> Lsn {
        self.shared.redo.load(Ordering::Acquire)
    }

    /// `full_page_writes`: without it a page that a power loss tears stays torn. On until told otherwise.
    pub fn set_full_page_writes(&self, on: bool) {
        self.shared.full_page_writes.store(on, Ordering::Relaxed);
    }

    /// `wal_compression`: are whole pages to be compressed? Not until told so.
    pub fn set_compresses_images(&self, on: bool) {
        self.shared.compresses_images.store(on, Ordering::Relaxed);
    }

    pub fn compresses_images(&self) -> bool {
        self.shared.compresses_images.load(Ordering::Relaxed)
    }

    pub fn full_page_writes(&self) -> bool {
        self.shared.full_page_writes.load(Ordering::Relaxed)
    }

    /// A checkpoint begins: its redo starts at the insert position, with a record that says so, if there is room for it: see
    /// [`Log::reserve_to_end`]. `atomically` runs while nothing can be inserted.
    pub fn begin_checkpoint(&self, header: RecordHeader, payload: &[&[u8]], atomically: impl FnOnce()) -> Begun {
        let mut state = self.shared.state.lock();
        let redo = state.inserted;
        self.shared.redo.store(redo, Ordering::Release);
        let len = padded(HEADER_LEN + payload.iter().map(|part| part.len()).sum::<usize>()) as u64;
        let has_room = (redo + len) / self.shared.segments.size < self.shared.ready.load(Ordering::Acquire);
        let record_end = has_room.then(|| self.insert_locked(&mut state, header, payload));
        atomically();
        Begun { redo, record_end }
    }

    /// [`Log::insert`], and `atomically` before anything else can be inserted or a checkpoint begin.
    pub fn insert_with(&self, header: RecordHeader, payload: &[&[u8]], atomically: impl FnOnce(Lsn)) -> Lsn {
        self.insert_all_with(&[(header, payload)], atomically)
    }

    /// The same for several records, at least one, with no other between them.
    pub fn insert_all_with(&self, records: &[(RecordHeader, &[&[u8]])], atomically: impl FnOnce(Lsn)) -> Lsn {
        let mut state = self.shared.state.lock();
        let ends = records.iter().map(|(header, payload)| self.insert_locked(&mut state, *header, payload));
        let end = ends.last().expect("there is a record");
        atomically(end);
        end
    }

    fn insert_locked(&self, state: &mut State, header: RecordHeader, payload: &[&[u8]]) -> Lsn {
        state.scratch.clear();
        encode(&mut state.scratch, state.inserted, state.queue.whole, self.shared.epoch, header, payload);
        assert!(state.scratch.len() <= padded(MAX_RECORD), "a log record is too long");
        state.buffer.extend(state.scratch.iter());
        self.advance(state, state.scratch.len() as u64);
        self.shared.counters.records.fetch_add(1, Ordering::Relaxed);
        self.shared.counters.bytes.fetch_add(state.scratch.len() as u64, Ordering::Relaxed);
        state.inserted
    }

    /// Fills the block at the insert position up: what is inserted later goes to the next one, and a write of it need not
    /// wait for the write of this one.
    pub(crate) fn seal(&self, state: &mut State) {
        let rest = state.inserted.next_multiple_of(BLOCK) - state.inserted;
        if rest > 0 {
            state.buffer.extend(filler(state.inserted, rest, self.shared.epoch));
            state.buffer.extend(std::iter::repeat_n(0, rest as usize - FILLER_LEN));
            self.advance(state, rest);
        }
    }

    fn advance(&self, state: &mut State, bytes: u64) {
        state.inserted += bytes;
        self.shared.inserted.store(state.inserted, Ordering::Release);
    }

    /// The reason why the log failed, if it did: the server must stop.
    pub fn failure(&self) -> Option<String> {
        if !self.shared.has_failed.load(Ordering::Acquire) {
            return None;
        }
        self.shared.state.lock().failed.clone()
    }

    /// Segments wholly before `lsn` are no longer needed.
    pub fn recycle_before(&self, lsn: Lsn, keep: usize) -> Result<(), LogError> {
        self.shared.segments.recycle_before(lsn, keep)
    }
}
