//! Deferred transactions: those that could not be taken back when they ended, because a page of theirs cannot be read or
//! written just now (its volume fails, or every buffer is pinned).
//!
//! # Invariants
//! * One stays in progress, with its locks, until everything is back: nobody sees what it did, nobody changes its rows.
//!   Whoever wants them waits, as for any transaction in progress, while the rest of the server goes on.
//! * The checkpointer tries again, once a second. A checkpoint keeps it among the unfinished ones, and recovery takes it back
//!   where nobody could before.
//! * Where the log itself is broken nothing can be tried again: the server stops, and recovery starts from what is on disk.

use std::sync::Arc;

use access::Writer;
use storage::RelationId;
use txn::Owner;

use crate::EngineError;
use crate::activity::Backend;
use crate::database::Database;
use crate::transaction::Transaction;

/// What is left to be taken back, and who holds its locks.
pub(crate) struct Deferred {
    pub owner: Owner,
    pub writer: Option<Writer>,
    /// Files of relations that it made.
    pub created: Vec<RelationId>,
}

impl Database {
    /// Keeps a transaction that could not be taken back.
    pub(crate) fn defer(&self, deferred: Deferred, error: &EngineError) {
        if let Some(reason) = self.inner.store.log.failure() {
            return self.fail(format!("could not roll back: {error}: {reason}"));
        }
        let xid = deferred.writer.as_ref().map(|writer| writer.transaction.xid);
        tracing::error!(xid, %error, "could not roll back, and will try again: the transaction stays in progress until then");
        self.inner.deferred.lock().push(deferred);
    }

    /// Tries again to take back what could not be.
    pub(crate) async fn take_back_deferred(&self, backend: &Arc<Backend>) {
        let deferred = std::mem::take(&mut *self.inner.deferred.lock());
        for deferred in deferred {
            let xid = deferred.writer.as_ref().map(|writer| writer.transaction.xid);
            match Transaction::resume(self, backend, deferred).try_rollback().await {
                Ok(()) => tracing::info!(xid, "rolled back at last"),
                // It was told of before.
                Err((deferred, _)) => self.inner.deferred.lock().push(deferred),
            }
        }
    }
}
