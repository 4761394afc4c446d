//! What transactions, owners of locks and undo records are called by.

/// What holds locks: a transaction, whether it has an id or not.
pub type Owner = u64;

pub type Xid = u64;

/// No transaction: rows visible to all.
pub const FROZEN: Xid = 0;
/// The first id that is given out; PostgreSQL's first normal one.
pub const FIRST_XID: Xid = 3;

/// Where an undo record is: block and byte offset. Zero is nowhere: every page begins with a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UndoPtr(pub u64);

impl UndoPtr {
    pub const NONE: UndoPtr = UndoPtr(0);

    pub fn new(block: u32, offset: u16) -> UndoPtr {
        UndoPtr(u64::from(block) << 16 | u64::from(offset))
    }

    pub fn block(self) -> u32 {
        (self.0 >> 16) as u32
    }

    pub fn offset(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}
