//! A session's transaction: its snapshots, its writes, its changes of the catalog, its locks and savepoints.
//!
//! # Invariants
//! * It has an id only once it writes, and locks from its first statement on.
//! * Its commit record has its changes of the catalog; both count together, or neither. Files of new tables are made
//!   before, files of dropped ones removed after.
//! * A rollback puts every row back before the transaction counts as ended and its locks are given back. A transaction that
//!   cannot be put back (a volume fails, the log has no room) stays in progress and is tried again ([`crate::transaction::deferred`]).
//! * One that is dropped without being ended stays in progress; sessions end theirs whatever happens.
//!
//! It lives in a box: sessions and their statements hand it to each other several times a statement.

use self::catalog_changes::{ChangedCatalog, PendingChange};
use std::sync::Arc;
use txn::UndoPtr;

use access::Writer;
use access::activity::{Activity, Changes};
use storage::RelationId;
use txn::{Holder, LockMode, LockTag, Owner, Snapshot, Xid};

use crate::Result;
use crate::activity::Backend;
use crate::activity::exported_snapshots::Exports;
use crate::database::Database;

mod catalog_changes;
mod commit;
pub(crate) mod deferred;
mod savepoint;

pub use commit::{Committing, Durability};

/// Where ROLLBACK TO goes back to.
#[derive(Clone, Debug)]
pub struct Savepoint {
    undo: UndoPtr,
    locks: usize,
    changes: usize,
    created: usize,
    dropped: usize,
    reservations: usize,
    /// That of the subtransaction which it begins.
    nest_level: usize,
}

/// [`Savepoint::nest_level`] of a transaction.
const TOP_LEVEL: usize = 1;

impl Savepoint {
    /// Before everything.
    const START: Savepoint = Savepoint {
        undo: UndoPtr::NONE,
        locks: 0,
        changes: 0,
        created: 0,
        dropped: 0,
        reservations: 0,
        nest_level: TOP_LEVEL,
    };
}

pub struct Transaction {
    pub db: Database,
    pub backend: Arc<Backend>,
    /// The session that it writes through.
    io: aio::Session,
    owner: Owner,
    /// Once it writes.
    writer: Option<Writer>,
    command: u32,
    /// Of the current subtransaction; the transaction's own is 1.
    nest_level: usize,
    /// REPEATABLE READ keeps the first statement's.
    kept: Option<Snapshot>,
    repeatable: bool,
    changes: Vec<PendingChange>,
    /// What exists for it, as far as that was asked for.
    catalog: Option<ChangedCatalog>,
    created: Vec<RelationId>,
    dropped: Vec<RelationId>,
    /// Files that it has made, and replaced in a subtransaction that was rolled back.
    put_back: Vec<RelationId>,
    exports: Option<Exports>,
}

impl Transaction {
    pub fn new(db: &Database, backend: &Arc<Backend>) -> Box<Transaction> {
        // A session that holds locks beyond a transaction goes on as the same owner.
        let keeps = db.inner.store.locks.keeps(backend.owner());
        let owner = if keeps { backend.owner() } else { db.inner.store.transactions.new_owner() };
        backend.set_owner(owner);
        Box::new(Transaction {
            db: db.clone(),
            backend: backend.clone(),
            io: backend.io.clone(),
            owner,
            writer: None,
            command: 0,
            nest_level: TOP_LEVEL,
            kept: None,
            repeatable: false,
            changes: Vec::new(),
            catalog: None,
            created: Vec::new(),
            dropped: Vec::new(),
            put_back: Vec::new(),
            exports: None,
        })
    }

    pub fn owner(&self) -> Owner {
        self.owner
    }

    pub fn xid(&self) -> Option<Xid> {
        self.writer.as_ref().map(|w| w.transaction.xid)
    }

    /// REPEATABLE READ, from its first statement on.
    pub fn set_repeatable(&mut self, repeatable: bool) {
        self.repeatable = repeatable;
    }

    pub fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    /// Has it looked at anything yet?
    pub fn has_snapshot(&self) -> bool {
        self.kept.is_some() || self.command > 0
    }

    /// What REPEATABLE READ sees from its first statement on.
    pub fn kept_snapshot(&self) -> Option<&Snapshot> {
        self.kept.as_ref()
    }

    /// A statement begins: it sees what the ones before did, and not what it does itself.
    pub fn next_command(&mut self) {
        self.command += 1;
        if let Some(writer) = &mut self.writer {
            writer.command = self.command;
        }
        if self.repeatable {
            self.snapshot();
        }
    }

    /// What the current statement sees.
    pub fn snapshot(&mut self) -> Snapshot {
        let (own, command) = (self.xid(), self.command);
        let new = || self.db.inner.store.transactions.snapshot(own, command, Some(&self.backend.proc));
        if !self.repeatable {
            return new();
        }
        self.kept.get_or_insert_with(new).own(own, command)
    }

    /// The same for a statement that changes and locks nothing: it need not see what is not durable, for which it would wait before
    /// its client is told anything.
    pub fn read_snapshot(&mut self) -> Snapshot {
        if self.repeatable || self.writer.is_some() {
            return self.snapshot();
        }
        self.db.inner.store.transactions.durable_snapshot(self.command, &self.backend.proc)
    }

    /// Lets other transactions see what this one sees, without what it does itself; gives the name under which they find it.
    /// READ COMMITTED sees what there is now, which may be more than the statement that asks began with.
    pub fn export_snapshot(&mut self) -> Result<String> {
        let snapshot = self.snapshot().own(None, 0);
        let exports = self.exports.get_or_insert_with(|| Exports::new(&self.db.inner.exported_snapshots));
        exports.export(snapshot, self.backend.database_oid(), self.backend.pid)
    }

    /// Sees what an exported snapshot sees, from its first statement on. The transaction is REPEATABLE READ and has looked at
    /// nothing.
    pub fn import_snapshot(&mut self, name: &str) -> Result<()> {
        assert!(self.repeatable && !self.has_snapshot(), "a snapshot is imported before the first statement");
        let snapshot = self.db.inner.exported_snapshots.find(name, self.backend.database_oid())?;
        self.kept = Some(snapshot.of_session(&self.backend.proc));
        Ok(())
    }

    /// What is there now, whatever the transaction's statements see: for a command that reads a table to make it, or an index of
    /// it, anew.
    pub fn latest_snapshot(&self) -> Snapshot {
        let proc = Some(&self.backend.proc);
        self.db.inner.store.transactions.snapshot(self.xid(), self.command, proc)
    }

    /// The hand it writes with; from now on the transaction has an id.
    pub fn writer(&mut self) -> &mut Writer {
        let db = &self.db;
        self.writer.get_or_insert_with(|| {
            let transaction = db.inner.store.transactions.begin(self.owner);
            Writer::new(transaction, self.io.clone(), db.take_undo_writer(), self.command, self.nest_level)
        })
    }

    /// What tells snapshots that are taken from now on from older ones ([`Snapshot::began_after`]).
    pub fn mark(&self) -> Xid {
        self.db.inner.store.transactions.mark()
    }

    /// Writes through a clone of the backend's session that a watched node counts by; `None`: no longer.
    pub fn watch(&mut self, io: Option<&aio::Session>) {
        self.io = io.unwrap_or(&self.backend.io).clone();
        if let Some(writer) = &mut self.writer {
            writer.session = self.io.clone();
        }
    }

    /// What it has done to a table's rows so far, without what was taken back.
    pub fn changes_of(&self, activity: &Arc<Activity>) -> Changes {
        self.writer.as_ref().map(|writer| writer.status.open_changes(activity)).unwrap_or_default()
    }

    /// The same with what was taken back: `pg_stat_xact_all_tables`.
    pub fn attempted_changes_of(&self, activity: &Arc<Activity>) -> Changes {
        self.writer.as_ref().map(|writer| writer.status.changes(activity)).unwrap_or_default()
    }

    // Locks.

    /// Takes a lock, waiting for it as long as `lock_timeout` (milliseconds, 0 for ever) allows.
    pub async fn lock(&self, tag: LockTag, mode: LockMode, timeout: u64) -> Result<()> {
        self.db.lock(&self.backend, self.owner, tag, mode, timeout).await
    }

    pub fn try_lock(&self, tag: LockTag, mode: LockMode) -> Result<bool> {
        let locks = &self.db.inner.store.locks;
        let taken = locks.try_lock(self.owner, tag, mode).map_err(|e| self.db.lock_error(e))?;
        self.db.took_lock(tag, mode);
        Ok(taken)
    }

    pub fn unlock(&self, tag: LockTag, mode: LockMode) -> bool {
        self.db.inner.store.locks.unlock(self.owner, tag, mode)
    }

    /// Does the transaction hold a row's lock, in any mode?
    pub fn holds(&self, row: LockTag) -> bool {
        self.db.inner.store.locks.holds(self.owner, row)
    }

    /// Waits for the end of another transaction, or until it may have given back what was found in its hands.
    pub async fn wait_for(&self, holder: Holder, timeout: u64) -> Result<()> {
        self.db.wait_for_transaction(&self.backend, self.owner, holder, timeout).await
    }
}
