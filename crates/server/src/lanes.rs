//! Where a session's statements work. Short ones do in the session's own thread (`threads.rs`). One that has worked for
//! longer than [`SHORT`] goes on in a second pool, whose few threads have a lower priority, and comes back when it waits for
//! its client: so the kernel takes the processor from long statements for a short one at once. A short statement pays
//! nothing for that, not even a change of threads. The first pool has the server's own tasks, and those of statements that
//! work with more than one thread.
//!
//! A future may go on wherever it is polled: what it waits for wakes whichever task polled it last.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use tokio::task::JoinHandle;

use crate::threads::STACK;

/// Work of a statement in its session's thread.
const SHORT: Duration = Duration::from_millis(4);
/// The second pool's `nice` value: a quarter of the processor where a session's thread, or another process, wants all of it. A
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

/// What a session tells of itself.
#[derive(Debug, Default)]
pub struct Lane {
    working: AtomicBool,
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
}

type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A session, polled in its thread.
pub struct Session {
    lane: Arc<Lane>,
    long: Handle,
    place: Place,
    /// How long the current statement has worked.
    worked: Duration,
}

enum Place {
    Here(Work),
    There(JoinHandle<Option<Work>>),
}

impl Session {
    pub fn new(long: Handle, work: impl FnOnce(Arc<Lane>) -> Work) -> Session {
        let lane = Arc::new(Lane::default());
        Session { lane: lane.clone(), long, place: Place::Here(work(lane)), worked: Duration::ZERO }
    }

    /// Polls the work here. Whether it is to go on there.
    fn poll_here(lane: &Lane, worked: &mut Duration, work: &mut Work, cx: &mut Context<'_>) -> (Poll<()>, bool) {
        let started = Instant::now();
        let polled = work.as_mut().poll(cx);
        let announced = aio::was_long_work_announced();
        *worked = if lane.is_working() { *worked + started.elapsed() } else { Duration::ZERO };
        (polled, lane.is_working() && (announced || *worked > SHORT))
    }
}

impl Future for Session {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let this = &mut *self;
        loop {
            match &mut this.place {
                Place::Here(work) => {
                    let (polled, leaves) = Session::poll_here(&this.lane, &mut this.worked, work, cx);
                    if polled.is_ready() || !leaves {
                        return polled;
                    }
                    let nothing: Work = Box::pin(std::future::pending());
                    let work = std::mem::replace(work, nothing);
                    let there = There { lane: this.lane.clone(), work: Some(work) };
                    this.place = Place::There(this.long.spawn(there));
                }
                Place::There(there) => match std::task::ready!(Pin::new(there).poll(cx)) {
                    Ok(Some(work)) => {
                        this.worked = Duration::ZERO;
                        this.place = Place::Here(work);
                    }
                    // It has ended, or panicked, which was reported.
                    Ok(None) | Err(_) => return Poll::Ready(()),
                },
            }
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Place::There(there) = &self.place {
            there.abort();
        }
    }
}

/// A session's work in the second pool, until it has ended (`None`) or waits for its client.
struct There {
    lane: Arc<Lane>,
    work: Option<Work>,
}

impl Future for There {
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
