//! The log's way to the disk: group commit with many writes under way.
//!
//! A transaction that needs durability calls [`Log::flush_to`] or [`Log::commit`] and waits. One of those whose bytes no
//! write covers yet is the leader: it starts the next write, at once or when [`Pace`] says so, takes along everything that
//! has been inserted, and waits like all others. Writes end in any order; `durable` is where the first unfinished one
//! starts. A write's completion advances it, in whatever thread notices, so a waiter that is slow or cancelled holds up no
//! other.
//!
//! # Invariants
//! * `durable ≤ issued ≤ inserted`; writes under way cover `durable..issued` in order and share no block.
//! * Of writes through the system's cache there is one at a time: what the device makes of a dirty page the system tells to
//!   one flush of its file, whichever looks first. With two under way the one whose bytes are lost could hear that all is well.
//! * If a caller waits for bytes beyond `issued`, there is a leader, or a write under way whose end will make one.

use std::collections::{BTreeMap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, Waker};

use aio::{IoBuf, IoContext, IoError, IoMethod, IoObject, Nanos, OpInfo, Session, Sleep, Target};

use crate::log::{Log, Shared, State};
use crate::pace::Pace;
use crate::probe::SyncMethod;
use crate::{BLOCK, LogError, Lsn};

/// Bytes in one write.
const MAX_WRITE: u64 = 1 << 20;
/// Writes under way at once.
const MAX_WRITES: usize = 16;
/// Blocks in all of them: 4 MiB.
pub(crate) const WRITE_BUFFERS: usize = 1024;

/// `commit_delay`: how long the leader of a group of commits waits for more before it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommitDelay {
    /// As the device likes it: see [`crate::pace`].
    Auto,
    /// Nanoseconds, if at least `commit_siblings` other transactions are in progress.
    Fixed(Nanos),
}

/// What the log's way to the disk looks like just now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FlushView {
    pub writes_under_way: usize,
    /// Commits waiting to be durable.
    pub commits_waiting: usize,
    /// What [`CommitDelay::Auto`] has found.
    pub delay: Nanos,
}

pub(crate) struct Queue {
    /// The last place before the durable position where a record ends: a record that begins there may have been lost.
    pub(crate) whole: Lsn,
    /// Everything before is durable, or in a write under way.
    issued: Lsn,
    writes: VecDeque<Write>,
    /// Buffers in them.
    blocks: usize,
    waiters: BTreeMap<u64, Waiter>,
    last_waiter: u64,
    /// The waiter that starts the next write, and since when it is waiting.
    leader: Option<(u64, Nanos)>,
    /// Waiters that commit; of them, those beyond `issued`.
    commits: usize,
    gathered: usize,
    /// A waiter beyond `issued` does not want to wait for others.
    urgent: bool,
    pace: Pace,
}

struct Write {
    end: Lsn,
    /// A record ends where it ends.
    whole: bool,
    blocks: usize,
    done: bool,
}

struct Waiter {
    lsn: Lsn,
    commit: bool,
    waker: Option<Waker>,
}

impl Queue {
    pub(crate) fn new(end: Lsn) -> Queue {
        Queue {
            whole: end,
            issued: end,
            writes: VecDeque::new(),
            blocks: 0,
            waiters: BTreeMap::new(),
            last_waiter: 0,
            leader: None,
            commits: 0,
            gathered: 0,
            urgent: false,
            pace: Pace::new(),
        }
    }

    /// Wakes the waiter that is to see to the next write: the leader, or one who can become it.
    fn wake_leader(&mut self) -> Option<Waker> {
        let issued = self.issued;
        match self.leader {
            Some((id, _)) => self.waiters.get_mut(&id)?.waker.take(),
            None => self.waiters.values_mut().find(|w| w.lsn > issued)?.waker.take(),
        }
    }

    fn count_gathered(&mut self) {
        let beyond = self.waiters.values().filter(|w| w.lsn > self.issued);
        self.gathered = beyond.clone().filter(|w| w.commit).count();
        self.urgent = beyond.clone().any(|w| !w.commit);
    }
}

/// What a waiter is to do.
enum Step {
    Durable,
    /// Start a write: it is the leader.
    Write,
}

/// A waiter, from its first poll on.
struct Ticket<'a> {
    log: &'a Log,
    lsn: Lsn,
    /// How the leader of a group waits; `None` for waiters that do not commit.
    delay: Option<CommitDelay>,
    id: Option<u64>,
    timer: Option<Sleep>,
}

impl Log {
    /// Returns when the log is durable up to `lsn`.
    pub async fn flush_to(&self, session: &Session, lsn: Lsn) -> Result<(), LogError> {
        self.wait_durable(session, lsn, None).await
    }

    /// [`Log::flush_to`] for a commit, which may wait for others to share its write.
    pub async fn commit(&self, session: &Session, lsn: Lsn, delay: CommitDelay) -> Result<(), LogError> {
        self.shared.counters.commits.fetch_add(1, Ordering::Relaxed);
        self.wait_durable(session, lsn, Some(delay)).await
    }

    /// Returns when the log is durable up to `lsn`, for a caller that depends on others' commits: they see to it, and are not
    /// hurried.
    pub async fn follow_commits(&self, session: &Session, lsn: Lsn) -> Result<(), LogError> {
        self.wait_durable(session, lsn, Some(CommitDelay::Auto)).await
    }

    pub fn flush_view(&self) -> FlushView {
        let state = self.shared.state.lock();
        let queue = &state.queue;
        FlushView { writes_under_way: queue.writes.len(), commits_waiting: queue.commits, delay: queue.pace.delay() }
    }

    async fn wait_durable(&self, session: &Session, lsn: Lsn, delay: Option<CommitDelay>) -> Result<(), LogError> {
        if self.durable() >= lsn {
            return Ok(());
        }
        let _waiting = session.waiting();
        let mut ticket = Ticket { log: self, lsn, delay, id: None, timer: None };
        loop {
            match std::future::poll_fn(|cx| ticket.poll(cx)).await? {
                Step::Durable => return Ok(()),
                Step::Write => self.write(session).await?,
            }
        }
    }

    /// The leader's part.
    async fn write(&self, session: &Session) -> Result<(), LogError> {
        // The handle comes first, because waiting for it must not hold the lock.
        let handle = session.get().await;
        let segment_size = self.shared.segments.size;
        let (start, end, bufs, next) = {
            let mut state = self.shared.state.lock();
            if state.failed.is_some() || !self.shared.may_start(&state.queue) {
                return Ok(());
            }
            let start = state.queue.issued / BLOCK * BLOCK;
            let segment_end = (start / segment_size + 1) * segment_size;
            let limit = segment_end.min(start + MAX_WRITE);
            if state.inserted < limit && state.queue.pace.crowd() > 1 {
                self.seal(&mut state);
            }
            let bufs = self.fill(&state, start, state.inserted.min(limit));
            let end = state.inserted.min(limit).min(start + bufs.len() as u64 * BLOCK);
            let now = self.shared.engine.clock().now();
            let whole = end == state.inserted;
            let queue = &mut state.queue;
            assert!(end > queue.issued, "a leader has something to write, and there are buffers for it");
            queue.pace.started(now, queue.writes.iter().any(|write| !write.done));
            queue.writes.push_back(Write { end, whole, blocks: bufs.len(), done: false });
            queue.blocks += bufs.len();
            queue.issued = end;
            queue.leader = None;
            queue.count_gathered();
            // What one write does not take, the next one may.
            let next = queue.wake_leader();
            self.shared.check(&state);
            (start, end, bufs, next)
        };
        if let Some(next) = next {
            next.wake();
        }
        let file = match self.shared.segments.open(start / segment_size) {
            Ok(Some(file)) => file,
            other => {
                let reason = match other {
                    Err(error) => error.to_string(),
                    _ => format!("segment {} is missing", start / segment_size),
                };
                self.shared.finish_write(end, 0, Err(reason));
                return Ok(());
            }
        };
        let target: Arc<dyn Target> = Arc::new(LogWrite { shared: self.shared.clone(), end });
        self.shared.counters.writes.fetch_add(1, Ordering::Relaxed);
        let (offset, kind) = (start % segment_size, (IoObject::Wal, IoContext::Normal));
        let io = match self.shared.sync {
            SyncMethod::OpenDatasync => handle.write(&file, offset, bufs, &target, kind),
            SyncMethod::Fdatasync => handle.write_flush(&file, offset, bufs, &target, kind),
        };
        io.detach();
        session.submit();
        Ok(())
    }

    /// The bytes from `start` to `end`, in blocks, the last one filled with zeros.
    fn fill(&self, state: &State, start: Lsn, end: Lsn) -> Vec<IoBuf> {
        let mut bufs = Vec::new();
        let mut position = (start - state.start) as usize;
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
}

impl Ticket<'_> {
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<Step, LogError>> {
        let log = self.log;
        if log.durable() >= self.lsn {
            return Poll::Ready(Ok(Step::Durable));
        }
        let now = log.shared.engine.clock().now();
        let mut guard = log.shared.state.lock();
        let state = &mut *guard;
        if let Some(reason) = &state.failed {
            return Poll::Ready(Err(LogError::Failed(reason.clone())));
        }
        if log.durable() >= self.lsn {
            return Poll::Ready(Ok(Step::Durable));
        }
        debug_assert!(state.inserted >= self.lsn, "only what was inserted can become durable");
        let queue = &mut state.queue;
        let mut wake = None;
        let id = match self.id {
            Some(id) => id,
            None => {
                queue.last_waiter += 1;
                let id = queue.last_waiter;
                let commit = self.delay.is_some();
                queue.waiters.insert(id, Waiter { lsn: self.lsn, commit, waker: None });
                self.id = Some(id);
                if commit {
                    queue.commits += 1;
                    queue.pace.waiting(now, queue.commits);
                }
                if self.lsn > queue.issued {
                    queue.gathered += usize::from(commit);
                    queue.urgent |= !commit;
                    // The last to come, or one in a hurry, ends the leader's wait.
                    if let Some((_, since)) = queue.leader
                        && (queue.urgent || queue.pace.due(queue.gathered, since) <= now)
                    {
                        wake = queue.wake_leader();
                    }
                }
                id
            }
        };
        if self.lsn > queue.issued
            && let (leader, since) = *queue.leader.get_or_insert((id, now))
            && leader == id
        {
            let due = match self.delay {
                None => 0,
                Some(_) if queue.urgent => 0,
                Some(CommitDelay::Auto) => queue.pace.due(queue.gathered, since),
                Some(CommitDelay::Fixed(delay)) => since + delay,
            };
            if log.shared.may_start(queue) {
                if due <= now {
                    self.timer = None;
                    return Poll::Ready(Ok(Step::Write));
                }
                let mut timer = log.shared.engine.sleep_until(due);
                if Pin::new(&mut timer).poll(cx).is_ready() {
                    cx.waker().wake_by_ref();
                }
                self.timer = Some(timer);
            }
        }
        queue.waiters.get_mut(&id).expect("registered").waker = Some(cx.waker().clone());
        log.shared.check(state);
        drop(guard);
        if let Some(waker) = wake {
            waker.wake();
        }
        Poll::Pending
    }
}

impl Drop for Ticket<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id else { return };
        let waker = {
            let mut state = self.log.shared.state.lock();
            let queue = &mut state.queue;
            let waiter = queue.waiters.remove(&id).expect("registered");
            queue.commits -= usize::from(waiter.commit);
            if waiter.commit && waiter.lsn > queue.issued {
                queue.gathered -= 1;
            }
            // Cancelled while it led, or when it was to: another waiter must.
            if queue.leader.is_some_and(|(leader, _)| leader == id) {
                queue.leader = None;
            }
            let next = if queue.leader.is_none() && waiter.lsn > queue.issued { queue.wake_leader() } else { None };
            self.log.shared.check(&state);
            next
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl Shared {
    /// The next write may start beside those under way: it would share no block with them.
    fn may_start(&self, queue: &Queue) -> bool {
        let room = queue.writes.len() < MAX_WRITES && queue.blocks < WRITE_BUFFERS;
        queue.writes.is_empty() || (room && queue.issued.is_multiple_of(BLOCK) && self.tells_writes_apart())
    }

    /// Each write hears of its own failure. A simulated disk's always does.
    fn tells_writes_apart(&self) -> bool {
        !self.segments.is_buffered() || self.engine.config().method == IoMethod::Sim
    }

    /// In debug builds: what the head of this module says holds, unless the log has failed.
    fn check(&self, state: &State) {
        if !cfg!(debug_assertions) || state.failed.is_some() {
            return;
        }
        let (queue, durable) = (&state.queue, self.durable.load(Ordering::Acquire));
        let order = [state.start, durable, queue.issued, state.inserted];
        assert!(order.is_sorted() && state.start.is_multiple_of(BLOCK), "the log's positions: {order:?}");
        assert_eq!(state.buffer.len() as u64, state.inserted - state.start, "the buffer ends where inserting does");
        assert!(queue.whole <= durable, "a record ends at {}, and {durable} is durable", queue.whole);
        let ends: Vec<Lsn> = [durable].into_iter().chain(queue.writes.iter().map(|write| write.end)).collect();
        assert!(ends.is_sorted_by(|one, next| one < next), "writes under way: {ends:?}");
        assert_eq!(ends.last(), Some(&queue.issued), "writes under way cover what is issued");
        let between = &ends[1..ends.len().max(2) - 1];
        assert!(between.iter().all(|end| end.is_multiple_of(BLOCK)), "writes share a block: {ends:?}");
        assert!(
            queue.writes.len() <= 1 || self.tells_writes_apart(),
            "several writes, and none hears of its own failure"
        );
        let blocks: usize = queue.writes.iter().filter(|write| !write.done).map(|write| write.blocks).sum();
        assert_eq!(queue.blocks, blocks, "blocks in writes under way");
        let mut beyond = queue.waiters.values().filter(|waiter| waiter.lsn > queue.issued);
        let is_seen_to = queue.leader.is_some() || !queue.writes.is_empty();
        // One without a waker has been woken, or is being polled: it becomes the leader.
        assert!(
            is_seen_to || beyond.clone().next().is_none() || beyond.any(|waiter| waiter.waker.is_none()),
            "no leader"
        );
    }

    fn finish_write(&self, end: Lsn, latency: Nanos, outcome: Result<(), String>) {
        let now = self.engine.clock().now();
        let mut guard = self.state.lock();
        let state = &mut *guard;
        let queue = &mut state.queue;
        let mut wakers: Vec<Waker> = Vec::new();
        match outcome {
            // What follows a lost write is lost too.
            _ if state.failed.is_some() => {}
            Ok(()) => {
                self.counters.write_time.fetch_add(latency, Ordering::Relaxed);
                queue.pace.finished(now, latency);
                let write = queue.writes.iter_mut().find(|w| w.end == end).expect("a write under way");
                write.done = true;
                queue.blocks -= write.blocks;
                let mut durable = None;
                while queue.writes.front().is_some_and(|w| w.done) {
                    let write = queue.writes.pop_front().expect("it is there");
                    durable = Some(write.end);
                    if write.whole {
                        queue.whole = write.end;
                    }
                }
                if let Some(durable) = durable {
                    let start = durable / BLOCK * BLOCK;
                    state.buffer.drain(..(start - state.start) as usize);
                    state.start = start;
                    self.start.store(start, Ordering::Release);
                    self.durable.store(durable, Ordering::Release);
                    wakers
                        .extend(queue.waiters.values_mut().filter(|w| w.lsn <= durable).filter_map(|w| w.waker.take()));
                }
                wakers.extend(queue.wake_leader());
                self.check(state);
            }
            Err(reason) => {
                state.failed = Some(reason);
                self.has_failed.store(true, Ordering::Release);
                wakers.extend(queue.waiters.values_mut().filter_map(|w| w.waker.take()));
            }
        }
        drop(guard);
        wakers.into_iter().for_each(Waker::wake);
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

    fn complete(&self, op: &OpInfo, result: &Result<u64, IoError>, bufs: &mut Vec<IoBuf>, _: &[u32]) {
        bufs.clear();
        self.shared.finish_write(self.end, op.device_time, result.as_ref().map(drop).map_err(IoError::to_string));
    }
}
