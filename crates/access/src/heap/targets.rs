//! The pages that rows go to: PostgreSQL's `smgr_targblock`.
//!
//! As long as writers do not get in each other's way there is one, so that tables stay dense and rows lie in the order in which
//! they came. A session that finds its page latched by another goes to one of several others, by its thread.

use std::sync::atomic::{AtomicU32, Ordering};

use storage::BlockNumber;

/// With one page 16 processors inserted 60,000 rows a second, each in its own transaction: less than two of them do.
const COUNT: usize = 16;

/// No page is known to have room.
const NONE: u32 = u32::MAX;

#[derive(Debug)]
pub(crate) struct Targets([AtomicU32; COUNT]);

impl Targets {
    pub(crate) fn new() -> Targets {
        Targets(std::array::from_fn(|_| AtomicU32::new(NONE)))
    }

    /// The number of the target for a thread that others are in the way of at the first one.
    pub(crate) fn of_thread() -> usize {
        1 + aio::thread_number() % (COUNT - 1)
    }

    /// The page of a target, below `end`.
    pub(crate) fn get(&self, target: usize, end: BlockNumber) -> Option<BlockNumber> {
        Some(self.0[target].load(Ordering::Relaxed)).filter(|block| *block < end)
    }

    /// Rows go to this page from now on; gives the one that they went to.
    pub(crate) fn aim_at(&self, target: usize, block: BlockNumber) -> BlockNumber {
        self.0[target].swap(block, Ordering::Relaxed)
    }

    /// The page is full: rows go elsewhere, unless another session has found where by now.
    pub(crate) fn leave(&self, target: usize, block: BlockNumber) {
        let _ = self.0[target].compare_exchange(block, NONE, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// The table was cut: what comes at its end later is not where rows went.
    pub(crate) fn forget(&self) {
        self.0.iter().for_each(|target| target.store(NONE, Ordering::Relaxed));
    }
}
