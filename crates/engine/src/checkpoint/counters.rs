//! What checkpoints and the background writer have done: `pg_stat_checkpointer`, `pg_stat_bgwriter`.

use std::sync::atomic::AtomicU64;

/// What checkpoints have done since the database was opened: `pg_stat_checkpointer`.
#[derive(Debug, Default)]
pub struct CheckpointCounters {
    /// Those that `checkpoint_timeout` asked for, and those that the log's size or a command did.
    pub timed: AtomicU64,
    pub requested: AtomicU64,
    pub done: AtomicU64,
    /// Nanoseconds spent writing pages, waits to spread them included, and flushing files.
    pub write_time: AtomicU64,
    pub sync_time: AtomicU64,
    pub pages: AtomicU64,
}

/// What the background writer has done since the database was opened: `pg_stat_bgwriter`.
#[derive(Debug, Default)]
pub struct BackgroundWriterCounters {
    /// Pages that it has written.
    pub pages: AtomicU64,
    /// Rounds in which it wrote as many as a round may have.
    pub full_rounds: AtomicU64,
}
