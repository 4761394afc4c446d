//! The engine: the slab of handles, sessions that own parts of it, and the way of an operation through its states.
//!
//! Locks, in the order they may be taken: a session's staged list, then one slot's body. The method's own locks are
//! leaves. No lock is held while a target's completion or a waker runs, nor while a method works.

use std::future::Future;
use std::os::fd::RawFd;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, Waker};

use parking_lot::Mutex;

use crate::activity::SessionCounters;
use crate::buffer::IoBuf;
use crate::clock::{Clock, Nanos};
use crate::config::{Config, IoMethod, SetupError};
use crate::device::Devices;
use crate::executor::Parker;
use crate::file::File;
use crate::merge::{MergeItem, plan_merge};
use crate::method::{self, Fault, KernelOp, Method};
use crate::op::{Completed, IoError, OpInfo, OpKind, Target};
use crate::slab::{Slab, Unused};
use crate::slot::{ReturnCell, Slot, State};
use crate::stats::{BackendKind, IoContext, IoObject, IoStats, StatKey};
use crate::timer::Timers;
use crate::usage::{BufferUsage, SharedUsage};
use crate::volume::SimulatedVolume;

/// A session's staged operations go to the kernel at the latest when this many are waiting.
const BATCH: usize = 32;
/// With this many waiting they go as soon as one comes that does not continue the last: nothing is left to merge, and the
/// device works while the next are defined. (8 KiB random reads 16 deep: 0.97 of fio's IOPS, where 32 gave 0.84.)
const EARLY_BATCH: usize = 8;

/// The issuer's own completion: runs once in the owner's context when it collects the outcome.
pub type LocalCompletion = Box<dyn FnOnce(&Result<u64, IoError>) + Send>;

/// What the engine shares with its methods and their threads.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) clock: Clock,
    pub(crate) stats: IoStats,
    pub(crate) volume: Option<Arc<SimulatedVolume>>,
    pub(crate) timers: Timers,
    pub(crate) devices: Devices,
    pub(crate) slots: Slab,
    pub(crate) sessions: Box<[SessionCell]>,
    free_sessions: Mutex<Vec<u32>>,
    pub(crate) method: Box<dyn Method>,
    faults: Mutex<Vec<Fault>>,
    any_faults: AtomicBool,
}

#[derive(Default)]
pub(crate) struct SessionCell {
    pub(crate) pid: AtomicI32,
    pub(crate) backend: AtomicU8,
    /// A session has it.
    pub(crate) open: AtomicBool,
    pub(crate) counters: SessionCounters,
    /// The session is gone, but the kernel still works for it.
    closing: AtomicBool,
    unused: Mutex<Unused>,
    staged: Mutex<Staged>,
    /// Tasks that wait for a handle of this session.
    starved: Mutex<Vec<Waker>>,
}

/// The staged operations of a session and the scratch space to merge them, reused from batch to batch.
#[derive(Default)]
struct Staged {
    slots: Vec<u32>,
    items: Vec<MergeItem>,
    order: Vec<usize>,
    runs: Vec<usize>,
    leaders: Vec<u32>,
}

/// What became of an answer from the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    Done,
    /// Interrupted or short: the rest must be submitted again.
    Again,
}

impl Shared {
    /// The operation as the kernel is to be asked for it now. Valid while the slot is `SUBMITTED`.
    pub(crate) fn kernel_op(&self, slot: u32) -> KernelOp {
        let body = self.slots[slot as usize].body.lock();
        debug_assert_eq!(self.slots[slot as usize].state(), State::Submitted);
        let vectors = &body.vectors[body.vector_at..];
        KernelOp {
            kind: body.kind,
            file: body.file.as_ref().expect("a submitted operation has a file").clone(),
            offset: body.offset + body.run_done,
            len: body.run_len - body.run_done,
            vectors: vectors.as_ptr().cast(),
            vector_count: vectors.len(),
        }
    }

    /// Asks the simulated volume, if any, when `slot` may end; methods that block sleep until then themselves.
    pub(crate) fn admit(&self, slot: u32) -> Nanos {
        let Some(volume) = &self.volume else { return 0 };
        let mut body = self.slots[slot as usize].body.lock();
        body.due = volume.admit(self.clock.now(), body.run_len - body.run_done);
        body.due
    }

    /// The answer to the first half of a write-then-flush.
    pub(crate) fn note_write_answer(&self, slot: u32, answer: i64) {
        self.slots[slot as usize].body.lock().write_answer = answer;
    }

    /// The answer to the second half; gives the answer to the whole and whether the flush is what failed.
    pub(crate) fn flush_answer(&self, slot: u32, answer: i64) -> (i64, bool) {
        let body = self.slots[slot as usize].body.lock();
        let complete = body.write_answer >= 0 && body.run_done + body.write_answer as u64 >= body.run_len;
        if complete && answer < 0 { (answer, true) } else { (body.write_answer, false) }
    }

    /// A method without threads of its own has an answer: through the simulated volume if there is one.
    pub(crate) fn answer(&self, slot: u32, result: i64) {
        if let Some(volume) = &self.volume {
            let due = self.slots[slot as usize].body.lock().due;
            if due > self.clock.now() {
                volume.defer(due, slot, result);
                return;
            }
        }
        self.finish(slot, result);
    }

    /// [`Shared::step`], resubmitting the rest where there is one.
    pub(crate) fn finish(&self, slot: u32, result: i64) {
        if self.step(slot, result, false) == Step::Again {
            self.method.submit(self, &[slot]);
        }
    }

    /// Takes the kernel's `answer` (bytes or `-errno`) to the run led by `slot`. `flush` says that a negative answer is
    /// the flush's.
    pub(crate) fn step(&self, slot: u32, answer: i64, flush: bool) -> Step {
        let leader = &self.slots[slot as usize];
        let mut body = leader.body.lock();
        debug_assert_eq!(leader.state(), State::Submitted);
        // The simulated method asks for them itself, so that its disk knows.
        let answer = match self.config.method {
            IoMethod::Sim => answer,
            _ => self.with_faults(answer, || body.info()),
        };
        let mut failed = None;
        if answer < 0 {
            let errno = -answer as i32;
            if errno == libc::EINTR || errno == libc::EAGAIN || body.was_given_up(errno) {
                return Step::Again;
            }
            failed = Some((if flush { OpKind::Fdatasync } else { body.kind }, errno));
        } else if body.kind.is_transfer() {
            body.advance(answer as u64);
            let file = body.file.as_ref().expect("a submitted operation has a file");
            if body.run_done < body.run_len {
                let at_end = answer == 0 || (file.is_direct() && !body.run_done.is_multiple_of(512));
                if !at_end {
                    return Step::Again;
                }
                if body.kind != OpKind::Read {
                    // A write that makes no progress has nothing to wait for.
                    failed = Some((body.kind, libc::EIO));
                }
            }
        }
        let now = self.clock.now();
        let device_time = now.saturating_sub(body.submitted_at);
        let mut left = body.run_done;
        self.stats.count_completion(
            body.stat,
            body.kind,
            if body.kind == OpKind::Allocate { body.run_len } else { body.run_done },
            device_time,
        );
        let file = body.file.as_ref().expect("a submitted operation has a file");
        self.devices.of(file.device_number()).ended(body.kind, body.run_done, device_time, now);
        // Before the target hears of it, so that no reader takes pages for clean and their file for flushed.
        match body.kind {
            OpKind::Read => {}
            OpKind::Write | OpKind::WriteFlush | OpKind::Allocate => file.note_written(),
            OpKind::Fsync | OpKind::Fdatasync if failed.is_none() => file.note_flushed(body.flushes),
            OpKind::Fsync | OpKind::Fdatasync => {}
        }
        self.sessions[self.session_of(slot)].counters.ended(device_time);
        drop(body);
        let mut member = Some(slot);
        while let Some(index) = member {
            member = self.complete_member(index, answer, failed, &mut left, device_time);
        }
        Step::Done
    }

    /// Completes one member of a run with its share of `left` bytes; gives the next member.
    fn complete_member(
        &self,
        index: u32,
        answer: i64,
        failed: Option<(OpKind, i32)>,
        left: &mut u64,
        device_time: Nanos,
    ) -> Option<u32> {
        let slot = &self.slots[index as usize];
        let mut body = slot.body.lock();
        let next = body.next_member;
        slot.become_state(State::CompletedIo);
        let bytes = if body.kind.is_transfer() { body.len.min(*left) } else { 0 };
        *left -= bytes;
        let result = match failed {
            Some((kind, errno)) => Err(body.error(kind, errno)),
            None => Ok(bytes),
        };
        body.raw_result = Some(if failed.is_some() || !body.kind.is_transfer() { answer } else { bytes as i64 });
        body.device_time = device_time;
        let info = body.info();
        let target = body.target.clone().expect("a submitted operation has a target");
        let mut bufs = std::mem::take(&mut body.bufs);
        let mut data = std::mem::take(&mut body.data);
        drop(body);

        // No lock of ours is held from here on: the target may take its own.
        target.complete(&info, &result, &mut bufs, &data);

        let mut body = slot.body.lock();
        data.clear();
        body.data = data;
        body.bufs = bufs;
        body.result = Some(result);
        // Before any waiter can hear of it: it finds it counted.
        let session = &self.sessions[self.session_of(index)];
        session.counters.completed();
        slot.become_state(State::CompletedShared);
        let mut waiters = std::mem::take(&mut body.waiters);
        if body.abandoned {
            self.release(index, slot, body);
        } else {
            drop(body);
        }
        waiters.drain(..).for_each(Waker::wake);
        let starved = std::mem::take(&mut *session.starved.lock());
        starved.into_iter().for_each(Waker::wake);
        next
    }

    /// `COMPLETED_SHARED` → `COMPLETED_LOCAL` → `IDLE`: the outcome goes to the owner's return cell.
    fn release(&self, index: u32, slot: &Slot, mut body: parking_lot::MutexGuard<'_, crate::slot::Body>) {
        let local = body.local.take();
        let ret = body.ret.take();
        // One that goes may wake a waiter.
        let target = body.target.take();
        let completed = Completed {
            result: body.result.take().expect("a completed operation has a result"),
            bufs: std::mem::take(&mut body.bufs),
            device_time: body.device_time,
        };
        slot.become_state(State::CompletedLocal);
        slot.recycle(&mut body);
        drop(body);
        drop(target);
        if let Some(local) = local {
            local(&completed.result);
        }
        if let Some(ret) = ret {
            *ret.outcome.lock() = Some(completed);
        }
        self.give_back(index);
    }

    /// An answer to an operation, as the injected faults would have it.
    pub(crate) fn with_faults(&self, answer: i64, info: impl FnOnce() -> OpInfo) -> i64 {
        if !self.any_faults.load(Ordering::Relaxed) {
            return answer;
        }
        // Before the lock: the operation's own is taken first elsewhere.
        let info = info();
        method::apply_faults(&mut self.faults.lock(), &info, answer)
    }

    pub(crate) fn info(&self, slot: u32) -> OpInfo {
        self.slots[slot as usize].body.lock().info()
    }

    fn give_back(&self, index: u32) {
        let session = self.session_of(index);
        let cell = &self.sessions[session];
        let mut unused = cell.unused.lock();
        unused.give_back(index);
        if unused.is_all() && cell.closing.swap(false, Ordering::AcqRel) {
            drop(unused);
            self.free_sessions.lock().push(session as u32);
        }
    }

    pub(crate) fn session_of(&self, slot: u32) -> usize {
        slot as usize / self.config.max_concurrency
    }

    fn stage(&self, index: u32) {
        let session = self.session_of(index);
        let slot = &self.slots[index as usize];
        let mut staged = self.sessions[session].staged.lock();
        let continues;
        {
            let body = slot.body.lock();
            let file = body.file.as_ref().expect("a defined operation has a file").id();
            continues = staged
                .items
                .last()
                .is_some_and(|last| (last.file, last.kind, last.offset + last.len) == (file, body.kind, body.offset));
            staged.items.push(MergeItem {
                file,
                kind: body.kind,
                offset: body.offset,
                len: body.len,
                vectors: body.bufs.len(),
            });
            slot.become_state(State::Staged);
        }
        staged.slots.push(index);
        debug_assert!(staged.slots.len() <= self.config.max_concurrency, "no more is staged than there are handles");
        let full = staged.slots.len() >= if continues { BATCH } else { EARLY_BATCH };
        drop(staged);
        if full {
            self.submit_session(session);
        }
    }

    /// Merges what the session has staged and hands it to the method in one call. Any thread may do this for a session
    /// that is slow.
    fn submit_session(&self, session: usize) {
        let mut guard = self.sessions[session].staged.lock();
        let staged = &mut *guard;
        if staged.slots.is_empty() {
            return;
        }
        let now = self.clock.now();
        plan_merge(&staged.items, self.config.combine_limit, &mut staged.order, &mut staged.runs);
        let mut leaders = std::mem::take(&mut staged.leaders);
        let mut start = 0;
        for &end in &staged.runs {
            let leader = staged.slots[staged.order[start]];
            let mut vectors = std::mem::take(&mut self.slots[leader as usize].body.lock().vectors);
            let mut run_len = 0;
            for position in start..end {
                let index = staged.slots[staged.order[position]];
                let slot = &self.slots[index as usize];
                let mut body = slot.body.lock();
                body.next_member = (position + 1 < end).then(|| staged.slots[staged.order[position + 1]]);
                body.submitted_at = now;
                vectors.extend(body.bufs.iter_mut().map(|b| crate::slot::Vector(b.as_iovec())));
                run_len += body.len;
                slot.become_state(State::Submitted);
            }
            let mut body = self.slots[leader as usize].body.lock();
            body.vectors = vectors;
            body.vector_at = 0;
            body.run_len = run_len;
            body.run_done = 0;
            body.given_up = 0;
            let file = body.file.as_ref().expect("a staged operation has a file");
            self.devices.of(file.device_number()).started();
            self.sessions[session].counters.started((end - start) as u64);
            leaders.push(leader);
            start = end;
        }
        staged.slots.clear();
        staged.items.clear();
        drop(guard);
        self.method.submit(self, &leaders);
        leaders.clear();
        self.sessions[session].staged.lock().leaders = leaders;
    }

    /// Has the operation ended (or its handle gone on to another)? Otherwise sees to it that it is on its way and that
    /// `cx` is woken.
    fn poll_done(&self, index: u32, generation: u64, cx: &mut Context<'_>) -> bool {
        let slot = &self.slots[index as usize];
        let done = || slot.generation() != generation || slot.state() >= State::CompletedShared;
        if done() {
            return true;
        }
        if slot.state() <= State::Staged {
            self.submit_session(self.session_of(index));
        }
        if self.method.poll(self) > 0 && done() {
            return true;
        }
        let mut body = slot.body.lock();
        if done() {
            return true;
        }
        if !body.waiters.iter().any(|w| w.will_wake(cx.waker())) {
            body.waiters.push(cx.waker().clone());
        }
        false
    }
}

/// A running I/O engine. Clones are the same engine; its threads end with the last clone and session.
#[derive(Clone)]
pub struct Engine {
    inner: Arc<EngineInner>,
}

struct EngineInner {
    shared: Arc<Shared>,
}

impl Drop for EngineInner {
    fn drop(&mut self) {
        self.shared.method.shut_down();
        self.shared.timers.stop();
    }
}

impl Engine {
    /// Sets up the slab and the method. [`IoMethod::IoUring`] fails with the reason where the kernel refuses it; the
    /// caller decides what to use instead.
    pub fn new(config: Config) -> Result<Engine, SetupError> {
        assert!(config.max_sessions > 0 && config.max_concurrency > 0, "an engine has handles");
        assert!(config.min_workers > 0 && config.max_workers >= config.min_workers, "a pool has workers");
        let total = config.max_sessions * config.max_concurrency;
        let vectors = (config.combine_limit as usize / crate::ALIGNMENT).clamp(1, 16);
        let idle = StatKey::new(BackendKind::Client, IoObject::Relation, IoContext::Normal);
        let method = method::make(&config)?;
        let shared = Arc::new(Shared {
            clock: if config.method == IoMethod::Sim { Clock::simulated() } else { Clock::real() },
            stats: IoStats::default(),
            volume: config.volume.map(SimulatedVolume::new),
            timers: Timers::default(),
            devices: Devices::default(),
            slots: Slab::new(total, idle, vectors),
            sessions: (0..config.max_sessions).map(|_| SessionCell::default()).collect(),
            free_sessions: Mutex::new((0..config.max_sessions as u32).rev().collect()),
            method,
            faults: Mutex::default(),
            any_faults: AtomicBool::new(false),
            config,
        });
        shared.method.start(&shared)?;
        if let Some(volume) = &shared.volume {
            let (volume, weak): (_, Weak<Shared>) = (volume.clone(), Arc::downgrade(&shared));
            std::thread::Builder::new()
                .name("inflight-volume".into())
                .spawn(move || volume.run(weak))
                .map_err(SetupError::Thread)?;
        }
        Ok(Engine { inner: Arc::new(EngineInner { shared }) })
    }

    pub(crate) fn shared(&self) -> &Shared {
        &self.inner.shared
    }

    pub(crate) fn downgrade(&self) -> Weak<Shared> {
        Arc::downgrade(&self.inner.shared)
    }

    pub fn config(&self) -> &Config {
        &self.shared().config
    }

    pub fn clock(&self) -> &Clock {
        &self.shared().clock
    }

    pub fn stats(&self) -> &IoStats {
        &self.shared().stats
    }

    /// Opens a session for `pid` (the number that the views show).
    pub fn session(&self, pid: i32, backend: BackendKind) -> Result<Session, SetupError> {
        let shared = self.shared();
        let index = shared.free_sessions.lock().pop().ok_or(SetupError::TooManySessions(shared.config.max_sessions))?;
        let cell = &shared.sessions[index as usize];
        cell.pid.store(pid, Ordering::Relaxed);
        cell.backend.store(backend as u8, Ordering::Relaxed);
        cell.counters.reset();
        cell.open.store(true, Ordering::Release);
        Ok(Session {
            inner: Arc::new(SessionInner { engine: self.clone(), index, backend, waiting: AtomicU32::new(0) }),
            usage: None,
        })
    }

    /// Completes whatever the kernel has finished, without waiting. Says how many operations that were.
    pub fn poll(&self) -> usize {
        self.shared().method.poll(self.shared())
    }

    /// Descriptors that become readable when [`Engine::poll`] has something to do: for an event loop to watch.
    /// Empty for methods that complete from threads of their own.
    pub fn driver_fds(&self) -> Vec<RawFd> {
        self.shared().method.driver_fds()
    }

    /// Simulated: lets time pass to the next event, which happens. `false`: nothing is to come.
    pub fn advance(&self) -> bool {
        assert_eq!(self.config().method, IoMethod::Sim, "only simulated time is advanced");
        self.shared().method.advance(self.shared())
    }

    /// Simulated: the power goes. Of the operations under way some have reached the disk. Nothing may be done with the
    /// engine afterwards but drop it, before [`SimDisk::crash`](crate::SimDisk::crash).
    pub fn lose_power(&self) {
        assert_eq!(self.config().method, IoMethod::Sim, "only simulated power is lost");
        let shared = self.shared();
        shared.method.lose_power(shared);
        for (_, slot) in shared.slots.iter() {
            // Targets may hold the engine: nothing would ever be freed.
            let dropped = {
                let mut body = slot.body.lock();
                let left = (body.target.take(), body.file.take(), body.local.take(), std::mem::take(&mut body.bufs));
                (left, std::mem::take(&mut body.waiters))
            };
            drop(dropped);
        }
    }

    /// Sleeps until something may have completed or `parker` is notified.
    pub(crate) fn park(&self, parker: &Parker) {
        self.shared().method.park(self.shared(), parker);
    }

    /// Waits, as any session may, for the operation that `reference` names; at once if its handle was reused.
    pub async fn wait(&self, reference: IoRef) {
        std::future::poll_fn(|cx| {
            if self.shared().poll_done(reference.slot, reference.generation, cx) {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await
    }

    /// Adds a fault for the operations to come; for tests.
    pub fn inject(&self, fault: Fault) {
        let shared = self.shared();
        shared.faults.lock().push(fault);
        shared.any_faults.store(true, Ordering::Relaxed);
    }

    /// Removes all injected faults.
    pub fn clear_faults(&self) {
        let shared = self.shared();
        shared.faults.lock().clear();
        shared.any_faults.store(false, Ordering::Relaxed);
    }
}

/// Names an operation for sessions that want to wait for it. Outlives the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IoRef {
    slot: u32,
    generation: u64,
}

/// A part of the engine's handles, owned by one backend. Clones are the same session.
#[derive(Clone)]
pub struct Session {
    inner: Arc<SessionInner>,
    /// Where pages are counted, if the session's statement is watched.
    usage: Option<SharedUsage>,
}

struct SessionInner {
    engine: Engine,
    index: u32,
    backend: BackendKind,
    /// Tasks of this session that wait for an operation.
    waiting: AtomicU32,
}

/// Marks a session as waiting for an operation while it lives.
pub struct Waiting<'a> {
    session: &'a Session,
    since: Nanos,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.session.inner.waiting.fetch_sub(1, Ordering::Relaxed);
        let now = self.session.engine().clock().now();
        self.session.cell().counters.waited(now.saturating_sub(self.since));
    }
}

impl Drop for SessionInner {
    fn drop(&mut self) {
        let shared = self.engine.shared();
        shared.submit_session(self.index as usize);
        let cell = &shared.sessions[self.index as usize];
        cell.open.store(false, Ordering::Release);
        // The thread that gives the last handle back frees the session: this thread, or a completion.
        cell.closing.store(true, Ordering::Release);
        let all_free = cell.unused.lock().is_all();
        if all_free && cell.closing.swap(false, Ordering::AcqRel) {
            shared.free_sessions.lock().push(self.index);
        }
    }
}

impl Session {
    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    pub fn backend(&self) -> BackendKind {
        self.inner.backend
    }

    fn cell(&self) -> &SessionCell {
        &self.engine().shared().sessions[self.inner.index as usize]
    }

    /// How often a task of it has waited for an operation.
    pub fn waits(&self) -> u64 {
        self.cell().counters.waits()
    }

    /// An unused handle, or `None` when all are busy.
    pub fn try_get(&self) -> Option<Handle> {
        let shared = self.engine().shared();
        let unused = self.take_unused();
        let index = match unused {
            Some(index) => index,
            None => self.reclaim()?,
        };
        shared.slots.make(index as usize).become_state(State::HandedOut);
        Some(Handle { session: self.clone(), slot: index, armed: true })
    }

    /// An unused handle. Submits what is staged and waits for one of the session's own operations when all are busy;
    /// never fails.
    pub async fn get(&self) -> Handle {
        std::future::poll_fn(|cx| {
            if let Some(handle) = self.try_get() {
                return Poll::Ready(handle);
            }
            self.submit();
            self.engine().poll();
            self.cell().starved.lock().push(cx.waker().clone());
            // An operation may have ended between the look and the registration.
            self.try_get().map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }

    /// Releases one finished operation whose owner has not looked yet; its outcome waits in the return cell.
    fn reclaim(&self) -> Option<u32> {
        let shared = self.engine().shared();
        let per_session = shared.config.max_concurrency;
        let first = self.inner.index as usize * per_session;
        for (index, slot) in shared.slots.within(first..first + per_session) {
            if slot.state() == State::CompletedShared {
                let body = slot.body.lock();
                if slot.state() == State::CompletedShared {
                    shared.release(index as u32, slot, body);
                }
            }
        }
        self.take_unused()
    }

    fn take_unused(&self) -> Option<u32> {
        let count = self.engine().shared().config.max_concurrency;
        self.cell().unused.lock().take(self.inner.index as usize * count, count)
    }

    /// The same session; what is done through this one is counted there too.
    pub fn watched(&self, usage: SharedUsage) -> Session {
        Session { usage: Some(usage), ..self.clone() }
    }

    /// Counts something, if the session's statement is watched.
    #[inline]
    pub fn note_usage(&self, note: impl FnOnce(&mut BufferUsage)) {
        if let Some(usage) = &self.usage {
            note(&mut usage.lock());
        }
    }

    /// Its tasks that wait for an operation now.
    pub fn waiters(&self) -> u32 {
        self.inner.waiting.load(Ordering::Relaxed)
    }

    /// Shows the session as waiting until the guard is dropped.
    pub fn waiting(&self) -> Waiting<'_> {
        self.inner.waiting.fetch_add(1, Ordering::Relaxed);
        Waiting { session: self, since: self.engine().clock().now() }
    }

    pub fn is_waiting(&self) -> bool {
        self.inner.waiting.load(Ordering::Relaxed) > 0
    }

    /// Sends everything staged to the kernel.
    pub fn submit(&self) {
        self.engine().shared().submit_session(self.inner.index as usize);
    }
}

/// An unused handle, to define one operation on.
pub struct Handle {
    session: Session,
    slot: u32,
    armed: bool,
}

impl Drop for Handle {
    fn drop(&mut self) {
        if self.armed {
            let shared = self.session.engine().shared();
            let slot = &shared.slots[self.slot as usize];
            slot.recycle(&mut slot.body.lock());
            shared.give_back(self.slot);
        }
    }
}

impl Handle {
    /// What the target's completion gets back: buffer numbers, for instance.
    pub fn set_data(&mut self, data: impl IntoIterator<Item = u32>) {
        let shared = self.session.engine().shared();
        let mut body = shared.slots[self.slot as usize].body.lock();
        body.data.clear();
        body.data.extend(data);
    }

    /// Sets the local completion.
    pub fn on_collected(&mut self, local: LocalCompletion) {
        self.session.engine().shared().slots[self.slot as usize].body.lock().local = Some(local);
    }

    /// Reads into `bufs`, one after the other, from `offset` bytes.
    pub fn read(
        self,
        file: &File,
        offset: u64,
        bufs: impl IntoIterator<Item = IoBuf>,
        target: &Arc<dyn Target>,
        stat: (IoObject, IoContext),
    ) -> Io {
        self.define(OpKind::Read, file, offset, None, bufs, target, stat)
    }

    /// Writes `bufs`, one after the other, to `offset` bytes.
    pub fn write(
        self,
        file: &File,
        offset: u64,
        bufs: impl IntoIterator<Item = IoBuf>,
        target: &Arc<dyn Target>,
        stat: (IoObject, IoContext),
    ) -> Io {
        self.define(OpKind::Write, file, offset, None, bufs, target, stat)
    }

    /// Writes and then flushes the file's data; complete when both are.
    pub fn write_flush(
        self,
        file: &File,
        offset: u64,
        bufs: impl IntoIterator<Item = IoBuf>,
        target: &Arc<dyn Target>,
        stat: (IoObject, IoContext),
    ) -> Io {
        self.define(OpKind::WriteFlush, file, offset, None, bufs, target, stat)
    }

    /// Flushes data and metadata.
    pub fn fsync(self, file: &File, target: &Arc<dyn Target>, stat: (IoObject, IoContext)) -> Io {
        self.define(OpKind::Fsync, file, 0, None, [], target, stat)
    }

    /// Flushes data, and the metadata needed to read it back.
    pub fn fdatasync(self, file: &File, target: &Arc<dyn Target>, stat: (IoObject, IoContext)) -> Io {
        self.define(OpKind::Fdatasync, file, 0, None, [], target, stat)
    }

    /// Sets space for `len` bytes from `offset` aside, so that writes there do not run out of it. The file's length stays.
    pub fn allocate(
        self,
        file: &File,
        offset: u64,
        len: u64,
        target: &Arc<dyn Target>,
        stat: (IoObject, IoContext),
    ) -> Io {
        self.define(OpKind::Allocate, file, offset, Some(len), [], target, stat)
    }

    #[allow(clippy::too_many_arguments)] // One private place where an operation's seven properties meet.
    fn define(
        mut self,
        kind: OpKind,
        file: &File,
        offset: u64,
        len: Option<u64>,
        bufs: impl IntoIterator<Item = IoBuf>,
        target: &Arc<dyn Target>,
        (object, context): (IoObject, IoContext),
    ) -> Io {
        self.armed = false;
        let shared = self.session.engine().shared();
        let slot = &shared.slots[self.slot as usize];
        let ret = Arc::new(ReturnCell::default());
        let now = shared.clock.now();
        {
            let mut body = slot.body.lock();
            body.kind = kind;
            body.flushes = file.written();
            body.file = Some(file.clone());
            body.offset = offset;
            body.bufs.extend(bufs);
            body.len = len.unwrap_or_else(|| body.bufs.iter().map(|b| b.len() as u64).sum());
            assert!(!kind.is_transfer() || body.len > 0, "a transfer has bytes");
            assert!(body.bufs.len() <= crate::merge::MAX_VECTORS, "more vectors than the kernel takes");
            body.target = Some(target.clone());
            body.stat = StatKey::new(self.session.backend(), object, context);
            body.ret = Some(ret.clone());
            body.prepared_at = now;
            slot.become_state(State::Defined);
        }
        let io =
            Io { session: self.session.clone(), slot: self.slot, generation: slot.generation(), ret, collected: false };
        shared.stage(self.slot);
        io
    }
}

/// An operation under way, in its owner's hands. As a future, or through [`Io::wait`], it gives the outcome. Dropping it
/// lets the operation finish by itself: the target's completion still runs, the owner's outcome is lost.
#[must_use = "an operation whose outcome is not looked at can fail unseen"]
pub struct Io {
    session: Session,
    slot: u32,
    generation: u64,
    ret: Arc<ReturnCell>,
    collected: bool,
}

impl Io {
    /// For others to wait for this operation.
    pub fn reference(&self) -> IoRef {
        IoRef { slot: self.slot, generation: self.generation }
    }

    /// Has it ended? (A look at memory, no system call.)
    pub fn is_done(&self) -> bool {
        let slot = &self.session.engine().shared().slots[self.slot as usize];
        slot.generation() != self.generation || slot.state() >= State::CompletedShared
    }

    /// Lets the operation go its way: the target's completion is all that matters. Unlike dropping it, this leaves a
    /// staged operation staged, to be merged with its neighbours.
    pub fn detach(mut self) {
        self.collected = true;
        self.abandon();
    }

    /// Leaves the release of the handle to the thread that completes the operation, or releases it if that is done. `true`
    /// if the operation is still staged.
    fn abandon(&self) -> bool {
        let shared = self.session.engine().shared();
        let slot = &shared.slots[self.slot as usize];
        let mut body = slot.body.lock();
        if slot.generation() != self.generation {
            return false;
        }
        if slot.state() == State::CompletedShared {
            shared.release(self.slot, slot, body);
            return false;
        }
        body.abandoned = true;
        slot.state() <= State::Staged
    }

    /// The outcome.
    pub async fn wait(self) -> Completed {
        self.await
    }

    fn collect(&mut self) -> Completed {
        let shared = self.session.engine().shared();
        let slot = &shared.slots[self.slot as usize];
        let body = slot.body.lock();
        if slot.generation() == self.generation {
            shared.release(self.slot, slot, body);
        } else {
            drop(body);
        }
        self.collected = true;
        // Only the session's own task releases its handles, and it has put the outcome here before the generation
        // changed hands.
        self.ret.outcome.lock().take().expect("a released operation left its outcome")
    }
}

impl Future for Io {
    type Output = Completed;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Completed> {
        let shared = self.session.engine().shared();
        if shared.poll_done(self.slot, self.generation, cx) { Poll::Ready(self.collect()) } else { Poll::Pending }
    }
}

impl Drop for Io {
    fn drop(&mut self) {
        if !self.collected && self.abandon() {
            self.session.submit();
        }
    }
}
