//! The log buffer and its way to the disk.
//!
//! Inserting copies a record to the buffer under a mutex and returns at once. Whoever needs durability calls
//! [`Log::flush_to`]: the first to come takes what is in the buffer and starts one write-then-flush; those who come while
//! it is under way wait, and the first of them takes all that has gathered meanwhile: a group commit. The operation's
//! shared completion advances `durable` in whatever thread notices, so a committer that is slow or cancelled holds up
//! nobody.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Poll, Waker};

use aio::{BufferArena, IoBuf, IoContext, IoError, IoObject, OpInfo, Session, Target, yield_once};
use parking_lot::Mutex;

use crate::record::{MAX_RECORD, RecordHeader, encode, padded};
use crate::segment::{SEGMENT_SIZE, Segments};
use crate::{LogError, Lsn};

/// The unit of log writes: what direct I/O wants on every device.
const BLOCK: u64 = 4096;
/// Bytes in one write.
const MAX_WRITE: u64 = 1 << 20;

#[derive(Clone, Debug)]
pub struct LogConfig {
    /// `wal_buffers`, in bytes: inserted and not yet durable.
    pub buffers: usize,
    pub direct: bool,
}

/// Totals since the start, for `pg_stat_wal`.
#[derive(Debug, Default)]
pub struct LogCounters {
    pub records: AtomicU64,
    pub bytes: AtomicU64,
    pub full_page_images: AtomicU64,
    pub writes: AtomicU64,
    pub buffers_full: AtomicU64,
}

struct State {
    /// Bytes from `start` (a multiple of [`BLOCK`], at or before `durable`) to the insert position.
    buffer: VecDeque<u8>,
    start: Lsn,
    inserted: Lsn,
    /// Where the write under way ends.
    writing: Option<Lsn>,
    failed: Option<String>,
    waiters: Vec<Waker>,
    scratch: Vec<u8>,
}

struct Shared {
    state: Mutex<State>,
    durable: AtomicU64,
    /// Where the redo of the latest checkpoint starts. Changed under the state's lock.
    redo: AtomicU64,
    segments: Segments,
    arena: BufferArena,
    limit: usize,
    counters: LogCounters,
    /// Somebody is making a segment.
    making: AtomicBool,
    /// Segments below this number exist.
    ready: AtomicU64,
}

/// An open log. Clones are the same log.
#[derive(Clone)]
pub struct Log {
    shared: Arc<Shared>,
}

impl Log {
    /// Opens the log in `dir` for inserting at `end`, where reading it has stopped. `tail` are the bytes of the last,
    /// partly filled block before `end`.
    pub fn open(dir: &Path, config: &LogConfig, end: Lsn, tail: &[u8]) -> Result<Log, LogError> {
        let start = end / BLOCK * BLOCK;
        assert_eq!(tail.len() as u64, end - start, "the tail fills the last block up to the end");
        let segments = Segments::new(dir, config.direct);
        segments.find_spares()?;
        let count = (MAX_WRITE / BLOCK) as usize * 2;
        let arena = BufferArena::new(count, BLOCK as usize)
            .map_err(|e| LogError::Failed(format!("no memory for log buffers: {e}")))?;
        let state = State {
            buffer: tail.iter().copied().collect(),
            start,
            inserted: end,
            writing: None,
            failed: None,
            waiters: Vec::new(),
            scratch: Vec::new(),
        };
        Ok(Log {
            shared: Arc::new(Shared {
                state: Mutex::new(state),
                durable: AtomicU64::new(end),
                redo: AtomicU64::new(end),
                segments,
                arena,
                limit: config.buffers.max(2 * MAX_RECORD),
                counters: LogCounters::default(),
                making: AtomicBool::new(false),
                ready: AtomicU64::new(0),
            }),
        })
    }

    /// Where the next record will start.
    pub fn insert_position(&self) -> Lsn {
        self.shared.state.lock().inserted
    }

    /// Everything before this survives a power loss.
    pub fn durable(&self) -> Lsn {
        self.shared.durable.load(Ordering::Acquire)
    }

    pub fn counters(&self) -> &LogCounters {
        &self.shared.counters
    }

    /// Waits until `bytes` of records can be inserted and their segments exist: the place where a full disk is noticed,
    /// before anything was promised. Call it before latching the page that the records are about.
    pub async fn reserve(&self, session: &Session, bytes: usize) -> Result<(), LogError> {
        loop {
            let (position, queued) = {
                let state = self.shared.state.lock();
                if let Some(reason) = &state.failed {
                    return Err(LogError::Failed(reason.clone()));
                }
                (state.inserted, state.buffer.len())
            };
            // One segment more than needed: others insert too.
            let last = (position + bytes as u64) / SEGMENT_SIZE + 1;
            if self.shared.ready.load(Ordering::Acquire) <= last {
                self.make_segments(session, position / SEGMENT_SIZE, last).await?;
                continue;
            }
            if queued + bytes <= self.shared.limit {
                return Ok(());
            }
            self.shared.counters.buffers_full.fetch_add(1, Ordering::Relaxed);
            self.flush_to(session, position).await?;
        }
    }

    async fn make_segments(&self, session: &Session, first: u64, last: u64) -> Result<(), LogError> {
        /// Lets the next one try when the maker is done, failed or cancelled.
        struct Making<'a>(&'a AtomicBool);
        impl Drop for Making<'_> {
            fn drop(&mut self) {
                self.0.store(false, Ordering::Release);
            }
        }
        if self.shared.making.swap(true, Ordering::AcqRel) {
            yield_once().await;
            return Ok(());
        }
        let _making = Making(&self.shared.making);
        for number in first.max(self.shared.ready.load(Ordering::Acquire))..=last {
            self.shared.segments.ensure(number, session, &self.shared.arena).await?;
            self.shared.ready.store(number + 1, Ordering::Release);
        }
        Ok(())
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

    /// Where the redo of the latest checkpoint, finished or not, starts. A page whose LSN is not beyond it must be logged
    /// as a full image.
    pub fn redo_position(&self) -> Lsn {
        self.shared.redo.load(Ordering::Acquire)
    }

    /// A checkpoint begins: its redo starts at the insert position, which this gives. `atomically` runs while nothing can
    /// be inserted.
    pub fn begin_checkpoint(&self, atomically: impl FnOnce()) -> Lsn {
        let state = self.shared.state.lock();
        self.shared.redo.store(state.inserted, Ordering::Release);
        atomically();
        state.inserted
    }

    /// [`Log::insert`], and `atomically` before anything else can be inserted or a checkpoint begin.
    pub fn insert_with(&self, header: RecordHeader, payload: &[&[u8]], atomically: impl FnOnce()) -> Lsn {
        let mut state = self.shared.state.lock();
        let end = self.insert_locked(&mut state, header, payload);
        atomically();
        end
    }

    fn insert_locked(&self, state: &mut State, header: RecordHeader, payload: &[&[u8]]) -> Lsn {
        state.scratch.clear();
        encode(&mut state.scratch, state.inserted, header, payload);
        assert!(state.scratch.len() <= padded(MAX_RECORD), "a log record is too long");
        state.inserted += state.scratch.len() as u64;
        state.buffer.extend(state.scratch.iter());
        self.shared.counters.records.fetch_add(1, Ordering::Relaxed);
        self.shared.counters.bytes.fetch_add(state.scratch.len() as u64, Ordering::Relaxed);
        state.inserted
    }

    /// Returns when the log is durable up to `lsn`.
    pub async fn flush_to(&self, session: &Session, lsn: Lsn) -> Result<(), LogError> {
        loop {
            if self.durable() >= lsn {
                return Ok(());
            }
            if self.wait_for_write(lsn).await? {
                return Ok(());
            }
            // Nobody writes: this one does. The handle comes first, because waiting for it must not hold the lock.
            let handle = session.get().await;
            let (segment, offset, end, bufs) = {
                let mut state = self.shared.state.lock();
                if state.writing.is_some() || state.failed.is_some() || self.durable() >= lsn {
                    continue;
                }
                let start = state.start;
                let segment_end = (start / SEGMENT_SIZE + 1) * SEGMENT_SIZE;
                let end = state.inserted.min(segment_end).min(start + MAX_WRITE);
                let bufs = self.fill(&state, end);
                // The making of a segment may have most of the buffers just now.
                let end = end.min(start + bufs.len() as u64 * BLOCK);
                if end > self.durable() {
                    state.writing = Some(end);
                }
                (start / SEGMENT_SIZE, start % SEGMENT_SIZE, end, bufs)
            };
            if end <= self.durable() {
                yield_once().await;
                continue;
            }
            let file = match self.shared.segments.open(segment) {
                Ok(Some(file)) => file,
                other => {
                    let reason = match other {
                        Err(error) => error.to_string(),
                        _ => format!("segment {segment} is missing"),
                    };
                    self.shared.finish_write(Err(reason));
                    continue;
                }
            };
            let target: Arc<dyn Target> = Arc::new(LogWrite { shared: self.shared.clone(), end });
            self.shared.counters.writes.fetch_add(1, Ordering::Relaxed);
            let io = handle.write_flush(&file, offset, bufs, &target, (IoObject::Wal, IoContext::Normal));
            session.submit();
            let _waiting = session.waiting();
            let outcome = io.await;
            outcome.result?;
        }
    }

    /// The bytes from the start of the buffer to `end`, in blocks, the last one filled with zeros.
    fn fill(&self, state: &State, end: Lsn) -> Vec<IoBuf> {
        let mut bufs = Vec::new();
        let mut position = 0;
        let len = (end - state.start) as usize;
        let (front, back) = state.buffer.as_slices();
        while position < len {
            let Some(mut buf) = self.shared.arena.take() else { break };
            let count = (len - position).min(BLOCK as usize);
            for (part, base) in [(front, 0), (back, front.len())] {
                let from = position.max(base);
                let to = (position + count).min(base + part.len());
                if from < to {
                    buf[from - position..to - position].copy_from_slice(&part[from - base..to - base]);
                }
            }
            buf[count..].fill(0);
            position += count;
            bufs.push(buf);
        }
        bufs
    }

    /// Waits while a write is under way. `true` when that made `lsn` durable.
    async fn wait_for_write(&self, lsn: Lsn) -> Result<bool, LogError> {
        std::future::poll_fn(|cx| {
            if self.durable() >= lsn {
                return Poll::Ready(Ok(true));
            }
            let mut state = self.shared.state.lock();
            if let Some(reason) = &state.failed {
                return Poll::Ready(Err(LogError::Failed(reason.clone())));
            }
            debug_assert!(state.inserted >= lsn, "only what was inserted can become durable");
            if state.writing.is_none() {
                return Poll::Ready(Ok(self.durable() >= lsn));
            }
            state.waiters.push(cx.waker().clone());
            Poll::Pending
        })
        .await
    }

    /// The reason why the log failed, if it did: the server must stop.
    pub fn failure(&self) -> Option<String> {
        self.shared.state.lock().failed.clone()
    }

    /// Segments wholly before `lsn` are no longer needed.
    pub fn recycle_before(&self, lsn: Lsn, keep: usize) -> Result<(), LogError> {
        self.shared.segments.recycle_before(lsn, keep)
    }
}

impl Shared {
    fn finish_write(&self, outcome: Result<(), String>) {
        let mut state = self.state.lock();
        let end = state.writing.take().expect("a write was under way");
        match outcome {
            Ok(()) => {
                let start = end / BLOCK * BLOCK;
                let done = (start - state.start) as usize;
                state.buffer.drain(..done);
                state.start = start;
                self.durable.store(end, Ordering::Release);
            }
            Err(reason) => state.failed = Some(reason),
        }
        let waiters = std::mem::take(&mut state.waiters);
        drop(state);
        waiters.into_iter().for_each(Waker::wake);
    }
}

/// The completion of a log write.
struct LogWrite {
    shared: Arc<Shared>,
    end: Lsn,
}

impl Target for LogWrite {
    fn name(&self) -> &'static str {
        "wal"
    }

    fn complete(&self, _: &OpInfo, result: &Result<u64, IoError>, bufs: &mut Vec<IoBuf>, _: &[u32]) {
        bufs.clear();
        debug_assert_eq!(self.shared.state.lock().writing, Some(self.end));
        self.shared.finish_write(result.as_ref().map(drop).map_err(IoError::to_string));
    }
}
