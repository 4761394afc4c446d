//! The clock of an engine. Everything that measures or schedules asks this one, so that the simulated method
//! can run on virtual time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Nanoseconds since the clock was made.
pub type Nanos = u64;

/// Monotonic time: the machine's, or a virtual one that moves only when it is told to.
#[derive(Debug)]
pub struct Clock {
    start: Instant,
    /// `Some` makes the clock virtual.
    virtual_now: Option<AtomicU64>,
}

impl Clock {
    pub fn real() -> Clock {
        Clock { start: Instant::now(), virtual_now: None }
    }

    pub fn simulated() -> Clock {
        Clock { start: Instant::now(), virtual_now: Some(AtomicU64::new(0)) }
    }

    pub fn now(&self) -> Nanos {
        match &self.virtual_now {
            Some(now) => now.load(Ordering::Relaxed),
            None => self.start.elapsed().as_nanos() as Nanos,
        }
    }

    /// Moves a virtual clock forward to `to`; never backward. A real clock takes no orders.
    pub(crate) fn advance_to(&self, to: Nanos) {
        let now = self.virtual_now.as_ref().expect("only a simulated clock is advanced");
        now.fetch_max(to, Ordering::Relaxed);
    }
}
