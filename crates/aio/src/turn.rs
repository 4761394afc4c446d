//! How tasks share the processor: work that never waits gives way from time to time, and long work may be kept apart.

#![allow(unsafe_code)]

use std::cell::Cell;

use crate::clock::Nanos;
use crate::engine::Engine;
use crate::executor::yield_once;

/// How long a task works before it gives way: 1 ms.
pub const TURN: Nanos = 1_000_000;

/// The turn of a task that may find everything in memory. Under a simulated clock work takes no time, and no turn ends.
pub struct Turn {
    engine: Engine,
    since: Nanos,
}

impl Turn {
    pub fn new(engine: &Engine) -> Turn {
        Turn { engine: engine.clone(), since: engine.clock().now() }
    }

    /// Gives way if the turn is over.
    pub async fn pass(&mut self) {
        if self.engine.clock().now() - self.since >= TURN {
            yield_once().await;
            self.since = self.engine.clock().now();
        }
    }
}

thread_local!(static LONG_WORK: Cell<bool> = const { Cell::new(false) });

/// Says that the current task is about to work for long, and gives way: the runtime that polls it may let it go on where it
/// holds up no other task, together with the tasks that it is going to make.
pub async fn announce_long_work() {
    LONG_WORK.set(true);
    yield_once().await;
}

/// Has the task that this thread has just polled announced long work?
pub fn was_long_work_announced() -> bool {
    LONG_WORK.replace(false)
}

/// Gives the current thread a `nice` value of its own, from 0 to 19: the higher, the sooner others get the processor.
/// Fails with the system's error.
pub fn lower_thread_priority(nice: i32) -> std::io::Result<()> {
    // SAFETY: takes numbers only. On Linux the "process" 0 is the calling thread.
    match unsafe { libc::setpriority(libc::PRIO_PROCESS, 0, nice) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Whether the current thread, when it is woken, may take the processor from a thread that has it (as threads do), or waits until
/// that one waits (`SCHED_BATCH`). Fails with the system's error.
pub fn set_thread_preempts(preempts: bool) -> std::io::Result<()> {
    let policy = if preempts { libc::SCHED_OTHER } else { libc::SCHED_BATCH };
    let parameters = libc::sched_param { sched_priority: 0 };
    // SAFETY: the parameters live as long as the call. On Linux the "process" 0 is the calling thread.
    match unsafe { libc::sched_setscheduler(0, policy, &parameters) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}
