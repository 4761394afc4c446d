//! A pool of threads that make blocking calls. It grows while operations queue up and no thread is idle, and shrinks
//! when threads have had nothing to do for a while, between `io_min_workers` and `io_max_workers`.
//!
//! The queue holds at most one entry per handle of the engine, so it needs no limit of its own.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use super::{Method, run_blocking};
use crate::activity::WorkerView;
use crate::config::{Config, SetupError};
use crate::engine::Shared;
use crate::op::OpKind;
use crate::volume::precise_timers;

/// A thread above the minimum leaves when it was idle this long.
const IDLE_TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Default)]
struct Pool {
    queue: VecDeque<u32>,
    idle: usize,
    /// Per worker id: is there a thread, and what is it doing?
    threads: Vec<Option<Option<OpKind>>>,
    handles: Vec<std::thread::JoinHandle<()>>,
    stopping: bool,
    engine: Weak<Shared>,
}

struct Inner {
    min: usize,
    max: usize,
    pool: Mutex<Pool>,
    work: Condvar,
}

pub(crate) struct Workers {
    inner: Arc<Inner>,
}

impl Workers {
    pub(crate) fn new(config: &Config) -> Workers {
        let handles = config.max_sessions * config.max_concurrency;
        Workers {
            inner: Arc::new(Inner {
                min: config.min_workers,
                max: config.max_workers,
                pool: Mutex::new(Pool {
                    queue: VecDeque::with_capacity(handles),
                    threads: vec![None; config.max_workers],
                    ..Pool::default()
                }),
                work: Condvar::new(),
            }),
        }
    }
}

impl Inner {
    fn spawn(self: &Arc<Self>, pool: &mut Pool) -> std::io::Result<()> {
        let id = pool.threads.iter().position(Option::is_none).expect("the caller saw room in the pool");
        let (inner, engine) = (self.clone(), pool.engine.clone());
        pool.handles.retain(|h| !h.is_finished());
        let handle =
            std::thread::Builder::new().name(format!("inflight-io-{id}")).spawn(move || inner.run(id, &engine))?;
        pool.threads[id] = Some(None);
        pool.handles.push(handle);
        Ok(())
    }

    fn size(pool: &Pool) -> usize {
        pool.threads.iter().flatten().count()
    }

    fn run(&self, id: usize, engine: &Weak<Shared>) {
        precise_timers();
        let mut pool = self.pool.lock();
        loop {
            if let Some(slot) = pool.queue.pop_front() {
                drop(pool);
                // Submitted operations keep their session, and so the engine, alive.
                let Some(shared) = engine.upgrade() else { return };
                let kind = shared.kernel_op(slot).kind;
                self.pool.lock().threads[id] = Some(Some(kind));
                run_blocking(&shared, slot);
                drop(shared);
                pool = self.pool.lock();
                pool.threads[id] = Some(None);
                continue;
            }
            if pool.stopping {
                pool.threads[id] = None;
                return;
            }
            pool.idle += 1;
            let timed_out = self.work.wait_for(&mut pool, IDLE_TIMEOUT).timed_out();
            pool.idle -= 1;
            if timed_out && pool.queue.is_empty() && Self::size(&pool) > self.min {
                pool.threads[id] = None;
                return;
            }
        }
    }
}

impl Method for Workers {
    fn start(&self, shared: &Arc<Shared>) -> Result<(), SetupError> {
        let mut pool = self.inner.pool.lock();
        pool.engine = Arc::downgrade(shared);
        for _ in 0..self.inner.min {
            self.inner.spawn(&mut pool).map_err(SetupError::Thread)?;
        }
        Ok(())
    }

    fn submit(&self, _: &Shared, leaders: &[u32]) {
        let mut pool = self.inner.pool.lock();
        for &slot in leaders {
            pool.queue.push_back(slot);
            if pool.idle > 0 {
                self.inner.work.notify_one();
            }
        }
        // A thread that was just notified still counts as idle, hence the comparison with the whole queue.
        let mut coming = pool.idle;
        while pool.queue.len() > coming && Inner::size(&pool) < self.inner.max {
            if let Err(error) = self.inner.spawn(&mut pool) {
                // The threads there are will get to it.
                tracing::warn!(%error, "could not start another io worker");
                break;
            }
            coming += 1;
        }
    }

    fn workers(&self) -> Vec<WorkerView> {
        let pool = self.inner.pool.lock();
        let busy = pool.threads.iter().enumerate();
        busy.filter_map(|(id, thread)| thread.map(|busy| WorkerView { id, busy })).collect()
    }

    fn shut_down(&self) {
        let handles = {
            let mut pool = self.inner.pool.lock();
            pool.stopping = true;
            std::mem::take(&mut pool.handles)
        };
        self.inner.work.notify_all();
        let this = std::thread::current().id();
        for handle in handles {
            // The last user of the engine may be one of the workers, through a completion.
            if handle.thread().id() != this {
                let _ = handle.join();
            }
        }
    }
}
