//! Where a session works. It is a task of the first pool while it says little, and takes no thread. One that is asked
//! something again and again goes on in a thread of its own ([`crate::threads`]) until it is silent. In both places, one
//! whose statement has worked for longer than [`SHORT`] goes on in the second pool, whose few threads have a lower
//! priority, and comes back when it waits for its client: so the kernel takes the processor from long statements for a
//! short one at once. A short statement pays nothing for that, not even a change of threads.
//!
//! A future may go on wherever it is polled: what it waits for wakes whichever task polled it last. Sockets alone belong to
//! an event loop, and are registered anew ([`Lane::move_to`]).

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use aio::Engine;
use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

use crate::threads::{self, STACK, Thread};

/// Work of a statement before it goes to the second pool.
const SHORT: Duration = Duration::from_millis(4);
/// What is polled gives way after this. Where it took longer, others had the processor: with many sessions for each processor
/// that is no sign of a long statement.
const TURN: Duration = Duration::from_nanos(aio::TURN);
/// The second pool's `nice` value: a quarter of the processor where the first pool, or another process, wants all of it. A
/// point query beside three statements that never wait took 75 us with 0, 45 with 5, 38 with 10.
const NICE: i32 = 5;
/// Threads for reading back what operators have spilled.
const BLOCKING_THREADS: usize = 16;

/// The first pool.
pub fn short() -> std::io::Result<Runtime> {
    builder().build()
}

/// The second pool.
pub fn long() -> std::io::Result<Runtime> {
    let lower = || {
        if let Err(error) = aio::lower_thread_priority(NICE) {
            tracing::warn!(%error, "could not lower a thread's priority");
        }
    };
    builder().thread_name("inflight-long").on_thread_start(lower).max_blocking_threads(BLOCKING_THREADS).build()
}

fn builder() -> Builder {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(std::thread::available_parallelism().map_or(1, |n| n.get()));
    builder.thread_stack_size(STACK).enable_all();
    builder
}

/// After what time the pools' threads give back what a statement has left behind, and whether they are about to.
const MOMENT: Duration = Duration::from_millis(500);
static SOON: AtomicBool = AtomicBool::new(false);

/// What a session tells of itself.
#[derive(Debug)]
pub struct Lane {
    working: AtomicBool,
    /// It wants a thread of its own.
    wants_thread: AtomicBool,
    /// It is polled in one.
    in_thread: AtomicBool,
    /// The event loop of the thread that polls it.
    polled_by: Mutex<Handle>,
    /// Both pools.
    pools: [Handle; 2],
}

impl Lane {
    pub fn statement_begins(&self) {
        self.working.store(true, Ordering::Relaxed);
    }

    /// The session waits for its client.
    pub fn statement_ended(&self) {
        self.working.store(false, Ordering::Relaxed);
    }

    fn is_working(&self) -> bool {
        self.working.load(Ordering::Relaxed)
    }

    pub fn has_thread(&self) -> bool {
        self.wants_thread.load(Ordering::Relaxed)
    }

    /// What polls the session from now on: its thread, or the pool.
    pub fn is_polled_by(&self, event_loop: Handle, thread: bool) {
        *self.polled_by.lock() = event_loop;
        self.in_thread.store(thread, Ordering::Relaxed);
    }

    /// A statement has freed much: what it had is given back to the system, by this thread now, and by those of both pools in a
    /// moment. Others may have freed it, or made it; and what a thread has made and others have freed, it alone can give back.
    pub fn give_back_soon(&self) {
        aio::give_back_freed();
        if SOON.swap(true, Ordering::Relaxed) {
            return;
        }
        let pools = self.pools.clone();
        self.pools[0].spawn(async move {
            tokio::time::sleep(MOMENT).await;
            SOON.store(false, Ordering::Relaxed);
            // Each takes a while, so that other threads take the others.
            for pool in &pools {
                (0..pool.metrics().num_workers()).for_each(|_| drop(pool.spawn(async { aio::give_back_freed() })));
            }
        });
    }

    fn is_in_place(&self) -> bool {
        self.in_thread.load(Ordering::Relaxed) == self.has_thread()
    }

    /// Moves the session, which waits for nothing else, into a thread of its own, if there is one, or back into the pool.
    /// Gives the event loop that its socket is to be registered with.
    pub async fn move_to(&self, thread: bool) -> Handle {
        self.wants_thread.store(thread, Ordering::Relaxed);
        // A thread that polls it elsewhere, one of the second pool too, hands it on, and nothing else happens before.
        let arrived = |_: &mut Context<'_>| if self.is_in_place() { Poll::Ready(()) } else { Poll::Pending };
        std::future::poll_fn(arrived).await;
        self.polled_by.lock().clone()
    }
}

pub type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A session's work, until it has ended (`None`) or, in a thread, until it goes back to the pool.
pub struct Session {
    engine: Engine,
    lane: Arc<Lane>,
    long: Handle,
    place: Place,
    /// How long the current statement has worked.
    worked: Duration,
}

enum Place {
    Here(Work),
    Long(JoinHandle<Option<Work>>),
    Thread(oneshot::Receiver<Option<Work>>),
}

fn nothing() -> Work {
    Box::pin(std::future::pending())
}

impl Session {
    /// A session in the first pool, which this is called in. Its I/O is `engine`'s.
    pub fn new(engine: Engine, long: Handle, work: impl FnOnce(Arc<Lane>) -> Work) -> Session {
        let pools = [Handle::current(), long.clone()];
        let polled_by = Mutex::new(Handle::current());
        let (working, wants_thread, in_thread) = Default::default();
        let lane = Arc::new(Lane { working, wants_thread, in_thread, polled_by, pools });
        let place = Place::Here(work(lane.clone()));
        Session { engine, lane, long, place, worked: Duration::ZERO }
    }

    pub fn lane(&self) -> &Lane {
        &self.lane
    }

    /// Polls the work here. Whether it is to go on in the second pool.
    fn poll_here(lane: &Lane, worked: &mut Duration, work: &mut Work, cx: &mut Context<'_>) -> (Poll<()>, bool) {
        let started = Instant::now();
        let polled = work.as_mut().poll(cx);
        let announced = aio::was_long_work_announced();
        *worked = if lane.is_working() { *worked + started.elapsed().min(TURN) } else { Duration::ZERO };
        (polled, lane.is_working() && (announced || *worked > SHORT))
    }

    /// The work in a thread of its own, or here if there is none for it.
    fn in_a_thread(&self, work: Work) -> Place {
        match Thread::start(&self.engine) {
            Ok(Some(thread)) => {
                let (engine, lane, long) = (self.engine.clone(), self.lane.clone(), self.long.clone());
                let place = Place::Here(work);
                Place::Thread(thread.run(Session { engine, lane, long, place, worked: Duration::ZERO }))
            }
            other => {
                match other {
                    Err(error) if aio::descriptors::is_out_of_files(&error) => aio::descriptors::complain_of(&error),
                    Err(error) => tracing::warn!(%error, "could not start a thread for a session"),
                    Ok(_) => {}
                }
                self.lane.wants_thread.store(false, Ordering::Relaxed);
                Place::Here(work)
            }
        }
    }
}

impl Future for Session {
    type Output = Option<Work>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Work>> {
        let this = &mut *self;
        loop {
            let back = match &mut this.place {
                Place::Here(work) => {
                    let (polled, leaves) = Session::poll_here(&this.lane, &mut this.worked, work, cx);
                    let stays = this.lane.is_in_place();
                    if polled.is_ready() {
                        return Poll::Ready(None);
                    }
                    if !leaves && stays {
                        if this.lane.in_thread.load(Ordering::Relaxed) {
                            threads::wait_for_turns(LONG_STATEMENTS.load(Ordering::Relaxed) == 0);
                        }
                        return Poll::Pending;
                    }
                    let work = std::mem::replace(work, nothing());
                    this.place = match (leaves, this.lane.in_thread.load(Ordering::Relaxed)) {
                        (true, _) => Place::Long(this.long.spawn(Long::new(this.lane.clone(), work))),
                        (false, true) => return Poll::Ready(Some(work)),
                        (false, false) => this.in_a_thread(work),
                    };
                    continue;
                }
                Place::Long(long) => std::task::ready!(Pin::new(long).poll(cx)).unwrap_or(None),
                Place::Thread(thread) => std::task::ready!(Pin::new(thread).poll(cx)).unwrap_or(None),
            };
            // It has ended, or panicked, which was reported.
            let Some(work) = back else { return Poll::Ready(None) };
            if let Place::Thread(_) = this.place {
                this.lane.is_polled_by(Handle::current(), false);
            }
            this.worked = Duration::ZERO;
            this.place = Place::Here(work);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Place::Long(long) = &self.place {
            long.abort();
        }
    }
}

/// Statements in the second pool.
static LONG_STATEMENTS: AtomicUsize = AtomicUsize::new(0);

/// A session's work in the second pool, until it has ended (`None`) or waits for its client.
struct Long {
    lane: Arc<Lane>,
    work: Option<Work>,
}

impl Long {
    fn new(lane: Arc<Lane>, work: Work) -> Long {
        LONG_STATEMENTS.fetch_add(1, Ordering::Relaxed);
        Long { lane, work: Some(work) }
    }
}

impl Drop for Long {
    fn drop(&mut self) {
        LONG_STATEMENTS.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Future for Long {
    type Output = Option<Work>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Work>> {
        let work = self.work.as_mut().expect("polled after its end");
        if work.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        aio::was_long_work_announced();
        if self.lane.is_working() { Poll::Pending } else { Poll::Ready(self.work.take()) }
    }
}
