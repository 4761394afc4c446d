//! What pages cost a part of a statement: counters that a session carries where its statement is watched, for EXPLAIN
//! (BUFFERS) (PostgreSQL's `BufferUsage`, and what asynchronous I/O adds to it).

use std::sync::Arc;

use parking_lot::Mutex;

use crate::clock::Nanos;

/// What was asked of the buffer pool, and what the device did for that.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferUsage {
    /// Pages that were in memory.
    pub hits: u64,
    /// Pages read.
    pub reads: u64,
    /// Pages added to the end of a relation.
    pub written: u64,
    /// Operations that read pages.
    pub operations: u64,
    /// Time that the session waited for pages to be read.
    pub waited: Nanos,
    /// Time the device worked on reads, summed over operations.
    pub device: Nanos,
    /// Sum over operations of the number in flight when each was started, itself included.
    pub depth_sum: u64,
    pub max_depth: u64,
}

impl BufferUsage {
    /// An operation that reads so many pages was started, and so many are now in flight.
    pub fn read_started(&mut self, pages: u64, depth: u64) {
        self.operations += 1;
        self.reads += pages;
        self.depth_sum += depth;
        self.max_depth = self.max_depth.max(depth);
    }

    /// A read ended that took the device so long, and for which the session waited so long.
    pub fn read_ended(&mut self, device: Nanos, waited: Nanos) {
        self.device += device;
        self.waited += waited;
    }
}

/// The counters of a statement that is watched.
pub type SharedUsage = Arc<Mutex<BufferUsage>>;
