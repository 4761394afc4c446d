//! The end of a transaction: commit, in the two steps that early lock release has, and rollback.

use super::{Savepoint, Transaction};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::error::sqlstate;
use access::Writer;
use config::EachStatement;
use txn::Xid;
use wal::{CommitDelay, Lsn, RecordHeader};

use crate::activity::Backend;
use crate::database::Database;
use crate::recovery::{ABORT, CHANGES, COMMIT, TRANSACTION};
use crate::statistics::database_counters::DatabaseCount;
use crate::transaction::deferred::Deferred;
use crate::{EngineError, Result};

/// `synchronous_commit`: when a commit is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// At once: a crash may take back the last of them (never part of one).
    Asynchronous,
    /// When it survives a power loss, having waited for company as `commit_delay` says; for a fixed one only if
    /// `commit_siblings` other transactions are in progress.
    Durable { delay: CommitDelay, siblings: usize },
}

impl Durability {
    /// What a session's settings ask for.
    pub fn of(settings: &EachStatement) -> Durability {
        if !settings.synchronous_commit {
            return Durability::Asynchronous;
        }
        let delay = settings.commit_delay.map_or(CommitDelay::Auto, |us| CommitDelay::Fixed(us * 1000));
        Durability::Durable { delay, siblings: settings.commit_siblings }
    }
}

impl Default for Durability {
    fn default() -> Durability {
        Durability::Durable { delay: CommitDelay::Auto, siblings: 5 }
    }
}

/// Bytes of a transaction's changes of the catalog that are one record in the log.
const PART: usize = wal::MAX_RECORD / 2;
/// All of them, at most: they are in memory several times while the transaction commits.
const MOST_CHANGES: usize = 256 << 20;

/// Calls `insert` with the records that say that a transaction has changed the catalog and committed.
fn commit_records<R>(xid: Xid, changes: &[u8], insert: impl FnOnce(&[(RecordHeader, &[&[u8]])]) -> R) -> R {
    let header = |kind| RecordHeader { xid, manager: TRANSACTION, kind };
    if changes.len() <= PART {
        return insert(&[(header(COMMIT), &[changes])]);
    }
    let (parts, last) = changes.split_at((changes.len() - 1) / PART * PART);
    let payloads: Vec<(u8, [&[u8]; 1])> =
        parts.chunks(PART).map(|part| (CHANGES, [part])).chain([(COMMIT, [last])]).collect();
    let records: Vec<(RecordHeader, &[&[u8]])> =
        payloads.iter().map(|(kind, payload)| (header(*kind), &payload[..])).collect();
    insert(&records)
}

impl Transaction {
    /// Commits, and waits until that, and everything the transaction has seen, is durable as `durability` says.
    pub async fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        self.precommit(durability).await?.finish().await
    }

    /// Puts the commit record in the log. Unless it changes the catalog the transaction ends here for all but its client: its
    /// locks are given back before the record is durable (early lock release), and a session that sees what it did waits for the
    /// record before it tells its own client ([`Database::flush_before_reply`]).
    pub async fn precommit(mut self: Box<Self>, durability: Durability) -> Result<Committing> {
        let Some(writer) = self.writer.take() else {
            self.backend.count(|counters| counters.note(DatabaseCount::Commits));
            self.finish();
            return Ok(Committing { transaction: self, writer: None, flush: None });
        };
        let db = self.db.clone();
        let inner = &db.inner;
        let xid = writer.transaction.xid;
        let changes_catalog = !self.changes.is_empty();
        // No other transaction's changes come between its own and what they were put onto, until they are in log and catalog.
        let _turn = if changes_catalog { Some(inner.catalog_turn.lock().await) } else { None };
        let (payload, changed) = match changes_catalog {
            true => {
                let changed = self.changed();
                (changed.to_log(), Some(changed.result.clone()))
            }
            false => (Vec::new(), None),
        };
        let io = &self.backend.io;
        if payload.len() > MOST_CHANGES {
            self.writer = Some(writer);
            Box::pin(self.rollback()).await;
            return Err(EngineError::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                "too many changes of the catalog in one transaction",
            ));
        }
        let parts = payload.len() / PART + 1;
        if let Err(error) = inner.store.log.reserve_to_end(io, payload.len() + parts * 64).await {
            self.writer = Some(writer);
            Box::pin(self.rollback()).await;
            return Err(error.into());
        }
        let delay = self.flush_delay(durability);
        // A checkpoint that begins after these records must neither undo the transaction nor miss its changes.
        let lsn = commit_records(xid, &payload, |records| {
            inner.store.log.insert_all_with(records, |end| {
                inner.committing.lock().insert(xid);
                if let Some(catalog) = changed {
                    if delay.is_some() {
                        inner.catalog_lsn.store(end, Ordering::Release);
                    }
                    // An index that was made of what is there now knows nothing of what was there before.
                    inner.store.transactions.all_must_see();
                    inner.catalog.replace(catalog);
                    inner.catalog_changes.lock().push(payload.clone());
                }
            })
        });
        self.backend.count(|counters| counters.note(DatabaseCount::Commits));
        let flush = delay.map(|delay| (lsn, delay));
        let mut committing = Committing { transaction: self, writer: Some(writer), flush };
        if !changes_catalog && committing.transaction.dropped.is_empty() {
            committing.end();
        }
        Ok(committing)
    }

    /// How to wait for the commit record to be durable; `None`: not at all.
    fn flush_delay(&self, durability: Durability) -> Option<CommitDelay> {
        match durability {
            Durability::Durable { delay: CommitDelay::Fixed(_), siblings }
                if self.db.inner.store.transactions.in_progress() <= siblings =>
            {
                Some(CommitDelay::Fixed(0))
            }
            Durability::Durable { delay, .. } => Some(delay),
            // Its files are about to go.
            Durability::Asynchronous => (!self.dropped.is_empty()).then_some(CommitDelay::Auto),
        }
    }

    /// Takes everything back, now or as soon as that is possible.
    pub async fn rollback(self: Box<Self>) {
        let (db, backend) = (self.db.clone(), self.backend.clone());
        backend.count(|counters| counters.note(DatabaseCount::Rollbacks));
        if let Err((deferred, error)) = self.try_rollback().await {
            // Locks that the session keeps beyond it are the session's, whose next transaction is another owner.
            let owner = db.inner.store.transactions.new_owner();
            db.inner.store.locks.move_kept(deferred.owner, owner);
            backend.set_owner(owner);
            db.defer(deferred, &error);
        }
    }

    /// A transaction that could not be taken back before.
    pub(crate) fn resume(db: &Database, backend: &Arc<Backend>, deferred: Deferred) -> Box<Transaction> {
        let mut resumed = Transaction::new(db, backend);
        (resumed.owner, resumed.writer, resumed.created) = (deferred.owner, deferred.writer, deferred.created);
        resumed.watch(None);
        resumed
    }

    /// Takes everything back, and ends; or gives what is left.
    pub(crate) async fn try_rollback(mut self: Box<Self>) -> std::result::Result<(), (Deferred, EngineError)> {
        if let Err(error) = self.take_back(&Savepoint::START).await {
            let Transaction { owner, writer, created, .. } = *self;
            return Err((Deferred { owner, writer, created }, error));
        }
        if let Some(writer) = self.writer.take() {
            let inner = &self.db.inner;
            let xid = writer.transaction.xid;
            // Without this record recovery would find nothing to do either.
            if inner.store.log.reserve_to_end(&self.backend.io, 64).await.is_ok() {
                inner.store.log.insert(RecordHeader { xid, manager: TRANSACTION, kind: ABORT }, &[]);
            }
            self.ended(writer, None);
        }
        self.finish();
        Ok(())
    }

    /// It is in progress no more: sessions that wait for it go on. `committed`: where its commit record ends, if it has to be
    /// durable; `None`: it was rolled back.
    fn ended(&self, writer: Writer, committed: Option<Lsn>) {
        writer.status.end(committed.is_some());
        let inner = &self.db.inner;
        let xid = writer.transaction.xid;
        let reserved = inner.reserved.lock().remove(&xid);
        self.db.open_to_others(reserved.into_iter().flatten());
        inner.store.transactions.precommit(xid, committed.unwrap_or(0));
        if writer.transaction.has_locked_rows() {
            // The transaction that locks them next sees nothing on them that is this one's.
            inner.store.transactions.all_must_see();
        }
        inner.store.locks.transaction_ended(xid);
        self.db.give_undo_writer(writer.undo);
    }

    fn finish(&mut self) {
        self.kept = None;
        self.exports = None;
        let store = &self.db.inner.store;
        store.locks.release_all(self.owner, || store.transactions.all_must_see());
    }
}

/// A transaction whose commit record is in the log, and may not be durable.
pub struct Committing {
    transaction: Box<Transaction>,
    /// As long as the transaction counts as in progress.
    writer: Option<Writer>,
    /// Where its record ends, and how to wait for it, if it is to be durable.
    flush: Option<(Lsn, CommitDelay)>,
}

impl Committing {
    /// Has the transaction ended, as far as others can see?
    pub fn has_ended(&self) -> bool {
        self.writer.is_none()
    }

    /// How far the log is to be durable before a client is told what it did. A transaction that does not wait for its own record
    /// hands on what it has seen of others'.
    pub fn lsn(&self) -> Lsn {
        self.flush.map_or_else(|| self.transaction.backend.proc.dependency.lsn(), |(lsn, _)| lsn)
    }

    fn end(&mut self) {
        if let Some(writer) = self.writer.take() {
            let xid = writer.transaction.xid;
            self.transaction.ended(writer, Some(self.lsn()));
            self.transaction.db.inner.committing.lock().remove(&xid);
            self.transaction.finish();
        }
    }

    /// Waits until its client may be told.
    pub async fn finish(mut self) -> Result<()> {
        let (db, backend) = (self.transaction.db.clone(), self.transaction.backend.clone());
        if let Some((lsn, delay)) = self.flush
            && let Err(error) = db.inner.store.log.commit(&backend.io, lsn, delay).await
        {
            // Whether it committed, only recovery can tell.
            db.fail(error.to_string());
            return Err(error.into());
        }
        self.end();
        for id in std::mem::take(&mut self.transaction.dropped) {
            self.transaction.remove_files(id).await;
        }
        db.flush_before_reply(&backend).await
    }
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
