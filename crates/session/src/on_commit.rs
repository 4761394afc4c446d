//! ON COMMIT of temporary tables: which of them do something when a transaction commits. What they do, a
//! [`crate::Utility`] does.

use crate::session::Session;

/// A temporary table whose rows, or which itself, does not outlive a transaction.
#[derive(Clone, Copy)]
pub struct OnCommit {
    pub table: u32,
    /// The table goes; else its rows do.
    pub drop: bool,
}

impl Session {
    /// Remembers what a new table's definition says. For CREATE TABLE.
    pub fn register_on_commit(&mut self, action: OnCommit) {
        self.on_commit.push(action);
    }

    /// What is to be done before the transaction commits. Tables that are gone, or were never there, are forgotten.
    pub fn on_commit_actions(&mut self) -> Vec<OnCommit> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        self.on_commit.retain(|known| database.is_some_and(|database| database.has_table(known.table)));
        self.on_commit.clone()
    }
}
