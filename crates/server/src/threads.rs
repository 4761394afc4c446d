//! A thread for each session that has much to do, as PostgreSQL has a process for each. Client and session take turns: a
//! thread that waits for one socket is woken where its client sleeps, by a switch of threads. Where a few threads wait for
//! all sockets, each answer interrupts another processor to wake a client there; on two virtual processors that was a
//! quarter of the server's time.
//!
//! The thread polls its session and the session's socket, no more: tasks that the session starts, and its timers, are the
//! first pool's. The kernel wakes the thread that has asked for a write when the write ends, so the thread takes the answer
//! itself: a commit does not wait for another thread to be woken, to look, and to wake this one.

use std::cell::Cell;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, mpsc};

use aio::Engine;
use tokio::runtime::{Builder, Handle};
use tokio::sync::{Semaphore, oneshot};

use crate::allocator;
use crate::lanes::{Session, Work};

/// Bytes of a thread's stack: parsing and planning recurse with the statement's nesting.
pub const STACK: usize = 16 << 20;
/// Descriptors of a thread: its event loop.
pub const FILES: usize = 3;

/// Threads for each processor: more would only wait for each other, and each has memory at hand.
const EACH: usize = 32;

/// As many as there are descriptors for: see [`set_most`].
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

static PLACES: LazyLock<Arc<Semaphore>> =
    LazyLock::new(|| Arc::new(Semaphore::new(wanted().min(MOST.load(Ordering::Relaxed)))));

/// At most so many sessions have threads; the others stay in the pool. None has where memory is scarce.
pub fn wanted() -> usize {
    let processors = std::thread::available_parallelism().map_or(1, |processors| processors.get());
    if allocator::is_sparing() { 0 } else { EACH * processors }
}

/// Before the first session: there are to be no more.
pub fn set_most(most: usize) {
    MOST.store(most, Ordering::Relaxed);
}

thread_local!(static WAITS_FOR_TURNS: Cell<bool> = const { Cell::new(false) });

/// Whether the current thread waits, when it is woken, until the thread that has the processor waits. Sessions and clients
/// on the same processors, which wake each other all the time, would take it from each other in the middle of their work:
/// sysbench's read_write had 1,590 transactions a second so, and 2,240 with turns. Beside a statement that works for long,
/// no thread waits for it.
pub fn wait_for_turns(wait: bool) {
    if WAITS_FOR_TURNS.replace(wait) != wait
        && let Err(error) = aio::set_thread_preempts(!wait)
    {
        tracing::debug!(%error, "could not change how a thread is scheduled");
    }
}

/// Moves the current thread, if it is a session's, to a processor, from where the kernel may move it on. Client and session
/// that take turns on one processor wake each other without an interrupt, but once they are apart nothing brings them
/// together again: sysbench's update_non_index had 27,000 transactions a second so, and 38,000 when sessions follow.
pub fn move_to_processor(processor: usize) {
    // Where statements work for long, processors are not to be had by sitting next to another thread.
    if WAITS_FOR_TURNS.get()
        && let Err(error) = try_move_to(processor)
    {
        tracing::debug!(%error, "could not move a session's thread to processor {processor}");
    }
}

#[cfg(target_os = "linux")]
fn try_move_to(processor: usize) -> nix::Result<()> {
    use nix::sched::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};
    use nix::unistd::Pid;
    let current_thread = Pid::from_raw(0);
    if sched_getcpu()? == processor {
        return Ok(());
    }
    let allowed = sched_getaffinity(current_thread)?;
    if !allowed.is_set(processor)? {
        return Ok(());
    }
    let mut there = CpuSet::new();
    there.set(processor)?;
    sched_setaffinity(current_thread, &there)?;
    sched_setaffinity(current_thread, &allowed)
}

#[cfg(not(target_os = "linux"))]
fn try_move_to(_: usize) -> nix::Result<()> {
    Ok(())
}

/// A thread that waits for its session.
pub struct Thread {
    session: mpsc::Sender<Session>,
    back: oneshot::Receiver<Option<Work>>,
}

impl Thread {
    /// `None`: there are enough.
    pub fn start(engine: &Engine) -> io::Result<Option<Thread>> {
        let Ok(place) = PLACES.clone().try_acquire_owned() else { return Ok(None) };
        let engine = engine.clone();
        let take_answers = move || {
            engine.poll();
        };
        let runtime = Builder::new_current_thread().enable_io().on_thread_unpark(take_answers).build()?;
        let pool = Handle::current();
        let (session, given) = mpsc::channel::<Session>();
        let (mut done, back) = oneshot::channel();
        let run = move || {
            let _place = place;
            let Ok(session) = given.recv() else { return };
            let work = runtime.block_on(async {
                session.lane().is_polled_by(Handle::current(), true);
                let _pool = pool.enter();
                tokio::select! {
                    biased;
                    work = session => work,
                    () = done.closed() => None,
                }
            });
            let _ = done.send(work);
        };
        std::thread::Builder::new().name("inflight-session".into()).stack_size(STACK).spawn(run)?;
        Ok(Some(Thread { session, back }))
    }

    /// Lets a session go on in the thread. What is given resolves when it has ended (`None`) or goes back to the pool; to
    /// drop it is to end the session.
    pub fn run(self, session: Session) -> oneshot::Receiver<Option<Work>> {
        let _ = self.session.send(session);
        self.back
    }
}
