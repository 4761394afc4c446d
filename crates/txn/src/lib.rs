//! Transaction ids, their fate, snapshots and locks. Ids are 64 bits: they never wrap, and nothing ever has to be frozen
//! for the sake of the counter.
//!
//! * [`Transactions`]: which are in progress, and what a statement sees.
//! * [`LockManager`]: tables, rows, names and other transactions, with PostgreSQL's modes, queues and deadlock detection.

mod id;
mod locks;
mod transactions;

pub use id::{FIRST_XID, FROZEN, Owner, UndoPtr, Xid};
pub use locks::{LockError, LockManager, LockMode, LockTag, LockView, Until};
pub use transactions::{CommitDependency, Holder, Proc, Snapshot, Transaction, Transactions};
