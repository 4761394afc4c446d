//! How far a long command is: PostgreSQL's `backend_progress.c`. The session that runs it sets numbers while it goes on, others read them
//! (`pg_stat_progress_vacuum` and its like); each command has numbers of its own, in PostgreSQL's places.

use std::sync::atomic::{AtomicI64, Ordering};

/// Commands that tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    Vacuum,
    Analyze,
    Cluster,
    CreateIndex,
    Copy,
}

/// Numbers of a command.
pub const PARAMETERS: usize = 20;

#[derive(Debug)]
pub struct Progress {
    pub command: Command,
    /// The table's oid; 0: it is about none.
    pub relation: u32,
    parameters: [AtomicI64; PARAMETERS],
}

impl Progress {
    pub fn new(command: Command, relation: u32) -> Progress {
        Progress { command, relation, parameters: Default::default() }
    }

    pub fn set(&self, parameter: usize, value: u64) {
        self.parameters[parameter].store(value as i64, Ordering::Relaxed);
    }

    pub fn add(&self, parameter: usize, value: u64) {
        self.parameters[parameter].fetch_add(value as i64, Ordering::Relaxed);
    }

    pub fn parameters(&self) -> [i64; PARAMETERS] {
        std::array::from_fn(|at| self.parameters[at].load(Ordering::Relaxed))
    }
}

/// VACUUM's.
pub mod vacuum {
    pub const PHASE: usize = 0;
    pub const HEAP_BLOCKS_TOTAL: usize = 1;
    pub const HEAP_BLOCKS_SCANNED: usize = 2;
    /// Here rows go while a block is looked at.
    pub const HEAP_BLOCKS_VACUUMED: usize = 3;
    pub const INDEX_VACUUMS: usize = 4;
    pub const INDEXES_TOTAL: usize = 8;
    pub const INDEXES_PROCESSED: usize = 9;
    /// Nanoseconds.
    pub const DELAY_TIME: usize = 10;

    pub const SCANNING_HEAP: u64 = 1;
    pub const VACUUMING_INDEXES: u64 = 2;
    pub const TRUNCATING_HEAP: u64 = 5;
    pub const FINAL_CLEANUP: u64 = 6;
}

/// ANALYZE's.
pub mod analyze {
    pub const PHASE: usize = 0;

    pub const ACQUIRING_SAMPLE_ROWS: u64 = 1;
    pub const COMPUTING_STATISTICS: u64 = 3;
}

/// CLUSTER's and VACUUM FULL's.
pub mod cluster {
    pub const COMMAND: usize = 0;
    pub const PHASE: usize = 1;
    pub const INDEX_RELID: usize = 2;
    pub const HEAP_TUPLES_SCANNED: usize = 3;
    pub const HEAP_TUPLES_WRITTEN: usize = 4;
    pub const TOTAL_HEAP_BLKS: usize = 5;
    pub const HEAP_BLKS_SCANNED: usize = 6;
    pub const INDEX_REBUILD_COUNT: usize = 7;

    pub const CLUSTER: u64 = 1;
    pub const VACUUM_FULL: u64 = 2;
    pub const SEQ_SCAN_HEAP: u64 = 1;
    pub const REBUILD_INDEX: u64 = 6;
}

/// COPY's.
pub mod copy {
    pub const BYTES_PROCESSED: usize = 0;
    /// Of a file; 0 where it is not known.
    pub const BYTES_TOTAL: usize = 1;
    pub const TUPLES_PROCESSED: usize = 2;
    pub const TUPLES_EXCLUDED: usize = 3;
    pub const COMMAND: usize = 4;
    pub const TYPE: usize = 5;
    pub const TUPLES_SKIPPED: usize = 6;

    pub const FROM: u64 = 1;
    pub const TO: u64 = 2;
    pub const FILE: u64 = 1;
    pub const PIPE: u64 = 3;
}

/// CREATE INDEX's and REINDEX's.
pub mod create_index {
    pub const COMMAND: usize = 0;
    pub const LOCKERS_TOTAL: usize = 3;
    pub const LOCKERS_DONE: usize = 4;
    pub const CURRENT_LOCKER_PID: usize = 5;
    pub const INDEX: usize = 6;
    pub const PHASE: usize = 9;
    pub const SUBPHASE: usize = 10;
    pub const TUPLES_TOTAL: usize = 11;
    pub const TUPLES_DONE: usize = 12;
    pub const BLOCKS_TOTAL: usize = 15;
    pub const BLOCKS_DONE: usize = 16;

    pub const CREATE_INDEX: u64 = 1;
    pub const CREATE_INDEX_CONCURRENTLY: u64 = 2;
    pub const REINDEX: u64 = 3;
    pub const REINDEX_CONCURRENTLY: u64 = 4;
    pub const BUILDING: u64 = 2;
    /// Waiting for those who write without the index.
    pub const WAIT_2: u64 = 3;
    pub const VALIDATE_TABLESCAN: u64 = 6;
    /// Waiting for those who may have older snapshots.
    pub const WAIT_3: u64 = 7;
    /// Waiting for those who look into the old index, and for those who write into it.
    pub const WAIT_4: u64 = 8;
    pub const WAIT_5: u64 = 9;
    /// What `pg_indexam_progress_phasename` names.
    pub const SCANNING_TABLE: u64 = 2;
    pub const LOADING_TREE: u64 = 5;
}
