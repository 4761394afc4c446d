//! What nodes did, for EXPLAIN ANALYZE: a plan that is prepared for it counts what each of its nodes gives and how long it
//! takes, what is below included. (`instrumented.rs` has the node that counts.)

use std::time::Duration;

use aio::{BufferUsage, SharedUsage};
use parking_lot::Mutex;

/// What a node did, all its runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Instrumentation {
    /// How often it ran, each task that ran it counted.
    pub loops: u64,
    /// Tasks that ran it together, at most; 0: it was never one of several.
    pub workers: u64,
    pub rows: u64,
    /// Until it had given its first rows.
    pub startup: Duration,
    pub total: Duration,
    /// Rows for which conditions did not hold, and pairs of them.
    pub removed_by_filter: u64,
    pub removed_by_join_filter: u64,
    pub removed_by_recheck: u64,
    /// Blocks that a bitmap led to, all tasks together.
    pub blocks: HeapBlocks,
    /// Entries whose rows an index-only scan looked at.
    pub heap_fetches: u64,
    /// Ranges of an index that were looked for.
    pub index_searches: u64,
    /// Without what is below.
    pub usage: BufferUsage,
}

/// Blocks that a bitmap led to: those of which it had the rows, and others.
pub type HeapBlocks = [u64; 2];

/// A node's counters while it runs.
#[derive(Default)]
pub struct NodeCounters {
    counters: Mutex<Instrumentation>,
    /// The blocks of each task that reads a bitmap.
    participants: Mutex<Vec<HeapBlocks>>,
    /// Its pages: its session counts them.
    pub usage: SharedUsage,
}

impl NodeCounters {
    pub fn note(&self, note: impl FnOnce(&mut Instrumentation)) {
        note(&mut self.counters.lock());
    }

    /// A task, one of several, has read blocks.
    pub fn note_blocks(&self, participant: usize, [exact, lossy]: HeapBlocks) {
        let mut participants = self.participants.lock();
        if participants.len() <= participant {
            participants.resize(participant + 1, HeapBlocks::default());
        }
        participants[participant][0] += exact;
        participants[participant][1] += lossy;
    }

    /// The blocks of each task; none where no more than one has read any.
    pub fn participants(&self) -> Vec<HeapBlocks> {
        let participants = self.participants.lock();
        if participants.len() > 1 { participants.clone() } else { Vec::new() }
    }

    pub fn get(&self) -> Instrumentation {
        let all = |[a, b]: HeapBlocks, [exact, lossy]: &HeapBlocks| [a + exact, b + lossy];
        let blocks = self.participants.lock().iter().fold(HeapBlocks::default(), all);
        Instrumentation { usage: *self.usage.lock(), blocks, ..*self.counters.lock() }
    }
}
