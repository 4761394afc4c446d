//! ON COMMIT of temporary tables: which of them do something when a transaction commits. What they do, a
//! [`crate::Utility`] does.

/// A temporary table whose rows, or which itself, does not outlive a transaction.
#[derive(Clone, Copy)]
pub struct OnCommit {
    pub table: u32,
    /// The table goes; else its rows do.
    pub drop: bool,
}
