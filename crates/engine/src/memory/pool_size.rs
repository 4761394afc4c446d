//! `shared_buffers = auto` while the server runs: the pool grows with use into memory that no program needs, and gives it back
//! when one does. Once a second it is compared with what the machine, or the control group, has left.
//!
//! # Invariants
//! * What statements may take together is never lent to the pool, nor what sessions take that may still come: they need not wait
//!   for it to shrink.
//! * Some of the memory stays free, for what grows faster than this looks.
//! * It never gives back more than half of what it had at first: that much was found to be there.
//! * Shrinking takes clean pages that no session has pinned, and no lock for longer than one page: no session waits for it. Dirty
//!   ones are written first, by the cleaner.

use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

use aio::BackendKind;
use storage::PAGE_SIZE;

use crate::database::Database;
use crate::memory::{Division, LEAST_POOL, Left};
use config::find;

/// Between two looks.
const LOOK: Duration = Duration::from_secs(1);
/// It grows by this part of itself at a time, and a little, and not by less than `LEAST_STEP` bytes.
const GROWTH: u64 = 4;
const LEAST_STEP: u64 = 1 << 20;
/// Under pressure it shrinks by this part of itself at a time.
const SHRINKAGE: u64 = 16;
/// Tasks wait for memory for more than so many hundredths of the last ten seconds (`some avg10`, `Documentation/accounting/psi`).
const PRESSURE: f64 = 10.0;
/// After that it does not grow for so many looks.
const CALM: u32 = 30;

/// The pool's size, and what decides it, in bytes.
#[derive(Clone, Copy, Debug)]
struct Size {
    /// Pages it may hold, and those it has memory for.
    limit: u64,
    held: u64,
    /// It is no smaller than this.
    least: u64,
    /// What there is left, less what is promised to others.
    left: i64,
    /// Tasks wait for memory.
    pressed: bool,
    may_grow: bool,
}

impl Size {
    /// What it is to be from now on.
    fn next(&self) -> u64 {
        let fits = (self.held as i64 + self.left).max(self.least as i64) as u64;
        if self.pressed {
            return fits.min(self.held - self.held / SHRINKAGE).max(self.least);
        }
        if fits < self.limit {
            return fits;
        }
        let is_full = self.held + LEAST_STEP > self.limit;
        let grown = fits.min(self.limit + self.limit / GROWTH + LEAST_STEP);
        if is_full && self.may_grow && grown >= self.limit + LEAST_STEP { grown } else { self.limit }
    }
}

impl Database {
    /// Tells the pool how time goes by, and fits its size to the memory there is unless it was set, until the database is closed.
    pub async fn run_pool_sizer(&self) {
        let memory = &self.inner.memory;
        let mut calm = 0u32;
        loop {
            self.inner.engine.sleep(LOOK).await;
            if self.inner.closed.load(Ordering::Acquire) {
                return;
            }
            self.inner.store.pool.begin_period();
            if !memory.auto {
                continue;
            }
            let Some(left) = memory.left(Path::new("/")) else { continue };
            calm = if left.pressure > PRESSURE { CALM } else { calm.saturating_sub(1) };
            self.fit_pool(memory, &left, calm).await;
        }
    }

    async fn fit_pool(&self, memory: &Division, left: &Left, calm: u32) {
        let pool = &self.inner.store.pool;
        let sessions = self.inner.activity.count(BackendKind::Client) as u64;
        let promised = memory.promised(self.inner.work_memory.used() as u64, sessions);
        let bytes = |pages: usize| (pages * PAGE_SIZE) as u64;
        let size = Size {
            limit: bytes(pool.len()),
            held: bytes(pool.held()),
            least: (memory.pool / 2).max(LEAST_POOL),
            left: left.bytes - promised as i64,
            pressed: left.pressure > PRESSURE,
            may_grow: calm == 0,
        };
        let next = size.next();
        // What was dirty or pinned the last time may be neither now.
        if next == size.limit && size.held <= size.limit {
            return;
        }
        let pages = pool.resize(next as usize / PAGE_SIZE).await;
        tracing::debug!(
            from = size.limit >> 20,
            to = next >> 20,
            held = bytes(pages) >> 20,
            "shared_buffers resized, MB"
        );
        let definition = find("shared_buffers").expect("a setting of ours");
        let mut settings = self.inner.settings.write();
        let source = settings.source(definition);
        settings.set(definition.name, &pool.len().to_string(), source).expect("it takes any number of pages");
        let sized = Database::size_cache(&mut settings, pool.len());
        debug_assert!(sized.is_ok(), "it takes any number of pages, too");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    fn next(limit: u64, held: u64, left: i64) -> u64 {
        let (limit, held, left) = (limit * MB, held * MB, left * MB as i64);
        Size { limit, held, left, least: 4 * MB, pressed: false, may_grow: true }.next() / MB
    }

    #[test]
    fn it_grows_with_use_and_shrinks_to_what_is_left() {
        assert_eq!(next(40, 20, 500), 40, "half of it is not used");
        assert_eq!(next(40, 40, 500), 51);
        assert_eq!(next(40, 40, 3), 43);
        assert_eq!(next(40, 40, 0), 40);
        assert_eq!(next(40, 40, -10), 30);
        assert_eq!(next(40, 20, 10), 30, "what it has not taken yet is not there any more");
        assert_eq!(next(40, 40, -100), 4);
    }

    #[test]
    fn under_pressure_it_gives_back_and_stays_small_for_a_while() {
        let (limit, held, least) = (64 * MB, 64 * MB, 62 * MB);
        let size = Size { limit, held, least: 0, left: 100 << 20, pressed: true, may_grow: false };
        assert_eq!((size.next() / MB, Size { least, ..size }.next() / MB), (60, 62));
        assert_eq!(Size { pressed: false, ..size }.next() / MB, 64);
        assert_eq!(Size { pressed: false, may_grow: true, ..size }.next() / MB, 81);
    }
}
