//! How far a session's transaction is. Its fields are [`crate::transaction`]'s alone.

use config::Settings;
use engine::{Savepoint, Transaction};

use crate::transaction::modes::Mode;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    Idle,
    Active,
    Failed,
}

/// A transaction block, explicit or not.
pub struct Block {
    /// Once something was to be seen or locked.
    pub(super) transaction: Option<Box<Transaction>>,
    pub(super) status: TransactionStatus,
    /// BEGIN opened it.
    pub(super) explicit: bool,
    /// No BEGIN did, but more statements than one belong to it (`TBLOCK_IMPLICIT_INPROGRESS`).
    pub(super) implicit_block: bool,
    /// What its statement has done does not wait for the next Sync (`XACT_FLAGS_NEEDIMMEDIATECOMMIT`).
    pub(super) commits_at_once: bool,
    /// What AND CHAIN of the one before has made it like.
    pub(super) handed_on: Vec<Mode>,
    pub(super) savepoints: Vec<Named>,
    /// Counts savepoints.
    pub(super) place: u64,
    pub(super) undone: Option<u64>,
}

impl Default for Block {
    fn default() -> Block {
        Block {
            transaction: None,
            status: TransactionStatus::Idle,
            explicit: false,
            implicit_block: false,
            commits_at_once: false,
            handed_on: Vec::new(),
            savepoints: Vec::new(),
            place: 0,
            undone: None,
        }
    }
}

impl Block {
    pub fn is_idle(&self) -> bool {
        self.status == TransactionStatus::Idle
    }

    pub fn has_failed(&self) -> bool {
        self.status == TransactionStatus::Failed
    }
}

/// A savepoint with its name.
pub struct Named {
    pub(super) name: String,
    /// The first [`Session::place`] after it.
    pub(super) place: u64,
    pub(super) savepoint: Savepoint,
    pub(super) settings: Settings,
}
