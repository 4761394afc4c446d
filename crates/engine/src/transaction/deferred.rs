//! Deferred transactions: those that could not be taken back when they ended, because a page of theirs cannot be read or
//! written just now (its volume fails, or every buffer is pinned).
//!
//! # Invariants
//! * One stays in progress, with its locks, until everything is back: no snapshot sees what it did, no transaction changes its
//!   rows. A transaction that wants them waits, as for any other, while the rest of the server goes on.
//! * The checkpointer tries again, once a second. A checkpoint keeps it among the unfinished ones, and recovery takes it back
//!   where the checkpointer could not.
//! * Where the log itself is broken nothing can be tried again: the server stops, and recovery starts from what is on disk.

use access::Writer;
use storage::RelationId;
use txn::Owner;

/// What is left to be taken back, and who holds its locks.
pub(crate) struct Deferred {
    pub owner: Owner,
    pub writer: Option<Writer>,
    /// Files of relations that it made.
    pub created: Vec<RelationId>,
}
