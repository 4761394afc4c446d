//! Transaction ids, their fate, snapshots and locks. Ids are 64 bits: they never wrap, and nothing ever has to be frozen
//! for the sake of the counter.
//!
//! * [`Transactions`]: who is in progress, and what a statement sees.
//! * [`LockManager`]: tables, rows, names and other transactions, with PostgreSQL's modes, queues and deadlock detection.

mod locks;
mod owned_locks;
mod transactions;

pub use locks::{LockError, LockManager, LockMode, LockTag, LockView, Owner, Until};
pub use transactions::{
    CommitDependency, FIRST_XID, FROZEN, Holder, Proc, Snapshot, Transaction, Transactions, UndoPtr, Xid,
};
