//! What can be locked, and for how long.

use crate::id::{Owner, Xid};

/// What can be locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockTag {
    /// A table, by database and OID.
    Relation { database: u32, oid: u32 },
    /// A row that is locked, by the table's database and file, block and row number.
    Row { database: u32, file: u32, block: u32, row: u16 },
    /// The first place in the queue for a row: the owner that has it waits for those who have changed or locked the row.
    Tuple { database: u32, file: u32, block: u32, row: u16 },
    /// The end of a transaction. Held by it exclusively, without an entry until another owner waits.
    Transaction(Xid),
    /// The end of an owner's transaction, whether it has an id or not; likewise.
    VirtualTransaction(Owner),
    /// A name that is being given, by database and a hash.
    Name { database: u32, hash: u64 },
    /// A user's own, by database and key: one of 64 bits, or a pair of 32 bits each.
    Advisory { database: u32, key: i64, pair: bool },
}

/// How long a lock is held unless it is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    TransactionEnd,
    /// Beyond the transaction's end and its rollback: advisory locks.
    SessionEnd,
}
