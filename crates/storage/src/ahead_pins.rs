//! How many pages read streams may pin ahead of those that read them: all together no more than half of the pool, or statements that
//! need a single page would find none, and each its fair share of that.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::pool::BufferPool;

/// What one stream has.
pub(crate) struct AheadPins {
    pool: Arc<BufferPool>,
    pages: usize,
    /// What the others know of that.
    told: usize,
}

/// Pages more or less that the others need not know of: they share a counter.
const UNTOLD: usize = 8;

impl AheadPins {
    pub fn new(pool: &Arc<BufferPool>) -> AheadPins {
        pool.pinned_ahead().streams.fetch_add(1, Ordering::Relaxed);
        AheadPins { pool: pool.clone(), pages: 0, told: 0 }
    }

    /// Pages that are pinned ahead.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// More were pinned.
    pub fn add(&mut self, pages: usize) {
        self.pages += pages;
        if self.pages >= self.told + UNTOLD {
            self.tell();
        }
    }

    /// One was given to the reader.
    pub fn give(&mut self) {
        self.pages -= 1;
        if self.pages + UNTOLD <= self.told {
            self.tell();
        }
    }

    fn tell(&mut self) {
        let all = &self.pool.pinned_ahead().pages;
        match self.pages >= self.told {
            true => all.fetch_add(self.pages - self.told, Ordering::Relaxed),
            false => all.fetch_sub(self.told - self.pages, Ordering::Relaxed),
        };
        self.told = self.pages;
    }

    /// So many may be, one at least.
    pub fn most(&self) -> usize {
        let all = self.pool.pinned_ahead();
        let most = self.pool.len() / 2;
        let fair = most / (all.streams.load(Ordering::Relaxed) + 1);
        let others = all.pages.load(Ordering::Relaxed).saturating_sub(self.told);
        fair.min(most.saturating_sub(others)).max(1)
    }
}

impl Drop for AheadPins {
    fn drop(&mut self) {
        let all = self.pool.pinned_ahead();
        all.streams.fetch_sub(1, Ordering::Relaxed);
        all.pages.fetch_sub(self.told, Ordering::Relaxed);
    }
}
