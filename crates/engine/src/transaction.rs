//! A session's transaction: its snapshots, its writes, its changes of the catalog, its locks and savepoints.
//!
//! # Invariants
//! * It has an id only once it writes, and locks from its first statement on.
//! * Its commit record has its changes of the catalog; both count together, or neither. Files of new tables are made
//!   before, files of dropped ones removed after.
//! * A rollback puts every row back before the transaction counts as ended and its locks are given back. A transaction that
//!   cannot be put back (a volume fails, the log has no room) stays in progress and is tried again ([`crate::deferred`]).
//! * Whoever drops one without ending it leaves it in progress; sessions end theirs whatever happens.
//!
//! It lives in a box: sessions and their statements hand it to each other several times a statement.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use ::error::sqlstate;
use access::activity::{Activity, Changes};
use access::edit::{self, Edit};
use access::rollback::roll_back;
use access::{Heap, UndoWriter, Writer};
use catalog::{CatalogKey, CatalogRow, Keyed, Pending, RowChange};
use config::EachStatement;
use storage::{BlockNumber, PageKind, RelationId};
use txn::{Holder, LockError, LockMode, LockTag, Owner, Snapshot, UndoPtr, Until, Xid};
use types::Oid;
use wal::{CommitDelay, Lsn, RecordHeader};

use crate::activity::Backend;
use crate::catalog::file;
use crate::catalog::rows::{Defined, difference};
use crate::catalog::{Catalog, DatabaseChange, Named, SequenceDef, TableDef, ViewDef};
use crate::database::Database;
use crate::database_counters::DatabaseCount;
use crate::deferred::Deferred;
use crate::exported_snapshots::Exports;
use crate::recovery::{ABORT, CHANGES, COMMIT, NUMBER, TRANSACTION};
use crate::{EngineError, Result};

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

/// A change in a database; 0: of what all databases share.
type PendingChange = (Oid, Pending);

/// A catalog, and what the first of a transaction's changes make of it.
struct ChangedCatalog {
    base: Arc<Catalog>,
    /// So many of them were put onto it.
    put: usize,
    /// The last change of each row, as it was put.
    changes: BTreeMap<(Oid, CatalogKey), RowChange>,
    result: Arc<Catalog>,
}

impl ChangedCatalog {
    fn new(base: Arc<Catalog>) -> ChangedCatalog {
        ChangedCatalog { result: base.clone(), base, put: 0, changes: BTreeMap::new() }
    }

    /// Puts those of all changes that are new. What was seen of the catalog before stays as it was: others have it.
    fn put(&mut self, all: &[PendingChange]) {
        if self.put == all.len() {
            return;
        }
        let mut result = Catalog::clone(&self.result);
        let mut rest = &all[self.put..];
        while !rest.is_empty() {
            // Those of different rows are made at once.
            let mut keys = BTreeSet::new();
            let count = rest.iter().take_while(|(database, pending)| keys.insert((*database, pending.key()))).count();
            let (now, later) = rest.split_at(count);
            let onto = |(database, pending): &PendingChange| Some((*database, pending.onto(result.rows(*database))?));
            let changes: Vec<DatabaseChange> = now.iter().filter_map(onto).collect();
            result.apply(&changes);
            self.changes.extend(changes.into_iter().map(|(database, change)| ((database, change.key()), change)));
            rest = later;
        }
        self.put = all.len();
        self.result = Arc::new(result);
    }

    /// As the log has them.
    fn to_log(&self) -> Vec<u8> {
        file::encode(self.changes.iter().map(|((database, _), change)| (*database, change)))
    }
}

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
        // Who holds locks beyond a transaction goes on as the same owner.
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

    /// What is there now, whatever the transaction's statements see: for whoever reads a table to make it, or an index of it,
    /// anew.
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

    /// Writes through a clone of the backend's session that somebody watches; `None`: no longer.
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

    // The catalog.

    /// What exists, as far as this transaction is concerned.
    pub fn catalog(&mut self) -> Arc<Catalog> {
        match self.changes.is_empty() {
            true => self.db.catalog(),
            false => self.changed().result.clone(),
        }
    }

    /// What the transaction's changes make of the catalog of now.
    fn changed(&mut self) -> &ChangedCatalog {
        let base = self.db.catalog();
        let known = self.catalog.take().filter(|known| Arc::ptr_eq(&known.base, &base));
        let changed = self.catalog.insert(known.unwrap_or_else(|| ChangedCatalog::new(base)));
        changed.put(&self.changes);
        changed
    }

    /// Puts a row, new or in place of the one that the transaction sees, for this transaction now and for all when it commits.
    /// The caller holds the locks that keep others from changing the same; what others change of the row's other fields until the
    /// commit stays. `database` is passed over for what all databases share.
    pub fn put<R: Keyed>(&mut self, database: Oid, row: R) {
        let catalog = self.catalog();
        let before = R::by_key(catalog.rows(database), row.key()).cloned();
        self.note(database, [Pending::put(before.as_ref(), row)]);
    }

    /// The same with a row of any catalog.
    pub fn put_row(&mut self, database: Oid, row: CatalogRow) {
        let before = row.key().row(self.catalog().rows(database));
        self.note(database, Pending::new(before, Some(row)));
    }

    /// Deletes the row of a key, if there is one, in the same way.
    pub fn delete(&mut self, database: Oid, key: CatalogKey) {
        let row = key.row(self.catalog().rows(database));
        self.note(database, row.and_then(|row| Pending::new(Some(row), None)));
    }

    /// Puts a new table, or one in place of `before`, which it was made from: what others change of it until the commit, with
    /// locks that go together with the caller's, stays. Gives the table as it is then for this transaction.
    pub fn alter_table(&mut self, database: Oid, before: Option<&TableDef>, mut after: TableDef) -> Arc<TableDef> {
        if before.is_none() {
            after.forget_oids();
        }
        after.assign_oids(|| self.db.new_oid());
        after.temporary = self.is_temporary(database, after.namespace);
        self.replace(database, before, Some(&after));
        let catalog = self.catalog();
        let table = catalog.database_by_oid(database).and_then(|database| database.table_by_oid(after.oid)).cloned();
        table.unwrap_or_else(|| Arc::new(after))
    }

    /// The same with a view.
    pub fn alter_view(&mut self, database: Oid, before: Option<&ViewDef>, mut after: ViewDef) {
        after.assign_oids(|| self.db.new_oid());
        after.temporary = self.is_temporary(database, after.namespace);
        self.replace(database, before, Some(&after));
    }

    /// The same with a sequence.
    pub fn alter_sequence(&mut self, database: Oid, before: Option<&SequenceDef>, mut after: SequenceDef) {
        after.temporary = self.is_temporary(database, after.namespace);
        self.replace(database, before, Some(&after));
    }

    /// Deletes the rows of a table, view or sequence that the transaction sees; its files and locks are the caller's affair.
    pub fn forget_relation(&mut self, database: Oid, relation: Named) {
        let catalog = self.catalog();
        let Some(of) = catalog.database_by_oid(database) else { return };
        match relation {
            Named::Table(oid) => self.replace(database, of.table_by_oid(oid).map(|def| &**def), None),
            Named::View(oid) => self.replace(database, of.view_by_oid(oid).map(|def| &**def), None),
            Named::Sequence(oid) => self.replace(database, of.sequence_by_oid(oid).map(|def| &**def), None),
            // It goes with its table.
            Named::Index { .. } => {}
        }
    }

    fn replace<D: Defined>(&mut self, database: Oid, before: Option<&D>, after: Option<&D>) {
        let catalog = self.catalog();
        self.note(database, difference(database, before, after, catalog.rows(database)));
    }

    fn is_temporary(&mut self, database: Oid, namespace: Oid) -> bool {
        self.catalog().database_by_oid(database).is_some_and(|database| database.is_temporary_namespace(namespace))
    }

    fn note(&mut self, database: Oid, changes: impl IntoIterator<Item = Pending>) {
        self.writer();
        let of = |pending: Pending| (if pending.key().is_shared() { 0 } else { database }, pending);
        self.changes.extend(changes.into_iter().map(of));
    }

    pub fn changes_catalog(&self) -> bool {
        !self.changes.is_empty()
    }

    /// Makes the files of a new relation, which go if the transaction does not commit.
    pub fn create_files(&mut self, id: RelationId) -> Result<()> {
        self.create_files_in(id, 0)
    }

    /// The same in a tablespace; 0: the default.
    pub fn create_files_in(&mut self, id: RelationId, tablespace: u32) -> Result<()> {
        self.created.push(id);
        match tablespace {
            0 => self.db.inner.files.create(id)?,
            _ => self.db.inner.files.create_in(id, tablespace)?,
        };
        Ok(())
    }

    /// Has the transaction made these files, since a savepoint if there is one?
    pub fn has_created(&self, id: RelationId, since: Option<&Savepoint>) -> bool {
        self.created[since.map_or(0, |savepoint| savepoint.created)..].contains(&id)
    }

    /// Has the transaction replaced these files, which it has made, and taken that back? As in PostgreSQL
    /// (`rd_newRelfilelocatorSubid`) it does not remember then when it made them.
    pub fn has_put_back(&self, id: RelationId) -> bool {
        self.put_back.contains(&id)
    }

    /// Files to be removed when the transaction commits.
    pub fn drop_files(&mut self, id: RelationId) {
        self.dropped.push(id);
    }

    // Savepoints.

    /// Where a statement may go back to.
    pub fn savepoint(&self) -> Savepoint {
        let undo = self.writer.as_ref().map_or(UndoPtr::NONE, |w| w.transaction.undo());
        let reservations = self.xid().map_or(0, |xid| self.db.inner.reserved.lock().get(&xid).map_or(0, Vec::len));
        Savepoint {
            undo,
            locks: self.db.inner.store.locks.held(self.owner),
            changes: self.changes.len(),
            created: self.created.len(),
            dropped: self.dropped.len(),
            reservations,
            nest_level: self.nest_level + 1,
        }
    }

    /// SAVEPOINT: what comes is a subtransaction, until it is released or the transaction ends.
    pub fn begin_subtransaction(&mut self) -> Savepoint {
        let savepoint = self.savepoint();
        self.nest_level = savepoint.nest_level;
        if let Some(writer) = &mut self.writer {
            writer.status.begin_subtransaction();
        }
        savepoint
    }

    /// RELEASE: the subtransaction is a part of the one above, as are those that began in it.
    pub fn release(&mut self, savepoint: &Savepoint) {
        self.nest_level = savepoint.nest_level - 1;
        if let Some(writer) = &mut self.writer {
            writer.status.commit_subtransaction(savepoint.nest_level);
        }
    }

    /// Takes back everything since the savepoint.
    pub async fn roll_back_to(&mut self, savepoint: &Savepoint) -> Result<()> {
        // What is left of it can only be rolled back as a whole, or once more to here.
        self.take_back(savepoint).await?;
        let store = &self.db.inner.store;
        store.locks.release_after(self.owner, savepoint.locks);
        self.nest_level = self.nest_level.min(savepoint.nest_level);
        if let Some(writer) = &mut self.writer {
            writer.status.abort_subtransaction(savepoint.nest_level);
        }
        if let Some(xid) = self.xid() {
            // Whoever waits for a row, or is about to, may find it free now.
            store.transactions.subaborted();
            store.locks.transaction_ended(xid);
        }
        Ok(())
    }

    async fn take_back(&mut self, savepoint: &Savepoint) -> Result<()> {
        let catalog = self.catalog();
        self.changes.truncate(savepoint.changes);
        self.catalog = None;
        let replaced = self.dropped.split_off(savepoint.dropped);
        let made = &self.created[..savepoint.created];
        self.put_back.extend(replaced.into_iter().filter(|id| made.contains(id)));
        if let Some(writer) = &mut self.writer {
            let db = &self.db;
            let io = &self.backend.io;
            let created = &self.created[savepoint.created..];
            let heap_of = |id: RelationId| match created.contains(&id.main()) {
                true => Ok(None),
                false => db.heap_of(&catalog, id),
            };
            roll_back(&db.inner.store, io, &writer.transaction, savepoint.undo, heap_of).await?;
            let xid = writer.transaction.xid;
            db.inner.store.pool.wait_for_orphans().await;
            // One after the other, each forgotten once it is empty: this may fail half-way.
            let last = || {
                let reserved = db.inner.reserved.lock();
                reserved.get(&xid).and_then(|ranges| ranges.get(savepoint.reservations..)?.last().cloned())
            };
            while let Some((id, range)) = last() {
                // Of a database or table that was dropped nothing is left.
                if !created.contains(&id.main()) && db.heap_of(&catalog, id)?.is_some() {
                    db.empty_blocks(io, id, range.clone()).await?;
                }
                if let Some(loading) = db.loading(id) {
                    loading.lock().retain(|(x, of, r)| *x != xid || *of != id || *r != range);
                }
                if let Some(ranges) = db.inner.reserved.lock().get_mut(&xid) {
                    ranges.pop();
                }
                db.open_to_others([(id, range)]);
            }
        }
        for id in self.created.split_off(savepoint.created) {
            self.remove_files(id).await;
        }
        Ok(())
    }

    /// Files that cannot be removed stay for now: the next start of the server finds that nothing has them.
    async fn remove_files(&self, id: RelationId) {
        if let Err(error) = self.db.remove_files(id).await {
            tracing::warn!(relation = %id, %error, "files could not be removed");
        }
    }

    // The end.

    /// Commits, and waits until that, and everything the transaction has seen, is durable as `durability` says.
    pub async fn commit(self: Box<Self>, durability: Durability) -> Result<()> {
        self.precommit(durability).await?.finish().await
    }

    /// Puts the commit record in the log. Unless it changes the catalog the transaction ends here for everybody but its client:
    /// its locks are given back before the record is durable (early lock release), and whoever sees what it did waits for
    /// that before telling anybody ([`Database::flush_before_reply`]).
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
        // Until its changes are in the log and in the catalog, nobody else's come between what they were put onto and them.
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

    /// It is in progress no more: who waits for it goes on. `committed`: where its commit record, if it has to be durable, ends;
    /// `None`: it was rolled back.
    fn ended(&self, writer: Writer, committed: Option<Lsn>) {
        writer.status.end(committed.is_some());
        let inner = &self.db.inner;
        let xid = writer.transaction.xid;
        let reserved = inner.reserved.lock().remove(&xid);
        self.db.open_to_others(reserved.into_iter().flatten());
        inner.store.transactions.precommit(xid, committed.unwrap_or(0));
        if writer.transaction.has_locked_rows() {
            // Whoever locks them next sees nothing on them that is this one's.
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

    /// How far the log is to be durable before anybody is told what it did. Who does not wait for his own record hands on what he has
    /// seen of others'.
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
    pub(crate) fn take_undo_writer(&self) -> UndoWriter {
        let writer = self.inner.undo_writers.lock().pop();
        writer.unwrap_or_else(|| UndoWriter::new(&self.inner.store.undo))
    }

    pub(crate) fn give_undo_writer(&self, writer: UndoWriter) {
        self.inner.undo_writers.lock().push(writer);
    }

    /// A lock that is not to be had, as PostgreSQL words it.
    pub fn lock_error(&self, error: LockError) -> EngineError {
        match error {
            LockError::TooMany => EngineError::new(sqlstate::OUT_OF_MEMORY, error.to_string())
                .hint("You might need to increase \"max_locks_per_transaction\"."),
            LockError::Deadlock(cycle) => {
                if let Some(one) = cycle.iter().find_map(|(owner, ..)| self.inner.activity.client_of(*owner)) {
                    one.count(|counters| counters.note(DatabaseCount::Deadlocks));
                }
                let pid = |owner| self.inner.activity.pid_of(owner).unwrap_or(0);
                let lines: Vec<String> = cycle
                    .iter()
                    .enumerate()
                    .map(|(index, (owner, tag, mode))| {
                        let next = cycle[(index + 1) % cycle.len()].0;
                        let what = match tag {
                            LockTag::Transaction(xid) => format!("transaction {xid}"),
                            LockTag::VirtualTransaction(owner) => format!("virtual transaction {owner}"),
                            LockTag::Relation { database, oid } => format!("relation {oid} of database {database}"),
                            LockTag::Row { database, file, block, row }
                            | LockTag::Tuple { database, file, block, row } => {
                                format!("tuple ({block},{}) of relation {file} of database {database}", row + 1)
                            }
                            LockTag::Name { .. } => "object name".to_string(),
                            LockTag::Advisory { database, key, pair } => {
                                let (high, low, kind) =
                                    (key >> 32 & 0xffff_ffff, key & 0xffff_ffff, 1 + u8::from(*pair));
                                format!("advisory lock [{database},{high},{low},{kind}]")
                            }
                        };
                        let (pid, by, mode) = (pid(*owner), pid(next), mode.name());
                        format!("Process {pid} waits for {mode} on {what}; blocked by process {by}.")
                    })
                    .collect();
                EngineError::new(sqlstate::T_R_DEADLOCK_DETECTED, "deadlock detected")
                    .detail(lines.join("\n"))
                    .hint("See server log for query details.")
            }
        }
    }

    /// Takes a lock, waiting no longer than `timeout` milliseconds (0: for ever).
    pub async fn lock(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        timeout: u64,
    ) -> Result<()> {
        self.lock_until(backend, owner, tag, mode, Until::TransactionEnd, timeout).await
    }

    /// As [`Database::lock`], and says how long it is held.
    pub async fn lock_until(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        until: Until,
        timeout: u64,
    ) -> Result<()> {
        let locks = &self.inner.store.locks;
        if locks.try_lock_until(owner, tag, mode, until).map_err(|e| self.lock_error(e))? {
            self.took_lock(tag, mode);
            return Ok(());
        }
        let event = match tag {
            LockTag::Relation { .. } => "relation",
            LockTag::Row { .. } | LockTag::Tuple { .. } => "tuple",
            LockTag::Transaction(_) => "transactionid",
            LockTag::VirtualTransaction(_) => "virtualxid",
            LockTag::Name { .. } => "object",
            LockTag::Advisory { .. } => "advisory",
        };
        let _waiting = backend.wait_for("Lock", event);
        // Boxed, as what is rare or large: all that may wait for a lock has it within.
        let wait = Box::pin(self.reported(backend, event, locks.lock_until(owner, tag, mode, until)));
        self.within(timeout, wait).await?.map_err(|e| self.lock_error(e))?;
        self.took_lock(tag, mode);
        Ok(())
    }

    /// Somebody has a lock. One of a table that keeps weak ones away tells that those who had these have ended; of others it is told
    /// when they are given back.
    fn took_lock(&self, tag: LockTag, mode: LockMode) {
        if matches!(tag, LockTag::Relation { .. }) && !mode.is_weak() {
            self.inner.store.transactions.all_must_see();
        }
    }

    /// Takes a lock for the backend's transaction or session, if that needs no waiting.
    pub fn try_lock_until(&self, backend: &Backend, tag: LockTag, mode: LockMode, until: Until) -> Result<bool> {
        let locks = &self.inner.store.locks;
        let taken = locks.try_lock_until(backend.owner(), tag, mode, until).map_err(|e| self.lock_error(e))?;
        self.took_lock(tag, mode);
        Ok(taken)
    }

    /// Gives back one count of a lock that the session holds beyond its transactions.
    pub fn unlock_kept(&self, backend: &Backend, tag: LockTag, mode: LockMode) -> bool {
        self.inner.store.locks.unlock_until(backend.owner(), tag, mode, Until::SessionEnd)
    }

    /// Gives back all that the session holds beyond its transactions.
    pub fn release_kept_locks(&self, backend: &Backend) {
        self.inner.store.locks.release_kept(backend.owner());
    }

    /// Waits for the transactions of all who hold a lock now that conflicts with one of this mode (`WaitForLockers`). `told`
    /// hears how many there are, how many have ended, and who is waited for.
    pub async fn wait_for_lockers(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        (tag, mode): (LockTag, LockMode),
        timeout: u64,
        told: impl Fn(usize, usize, i32),
    ) -> Result<()> {
        let locks = &self.inner.store.locks;
        let holders = locks.conflicts(owner, tag, mode);
        for (ended, &holder) in holders.iter().enumerate() {
            told(holders.len(), ended, self.inner.activity.pid_of(holder).unwrap_or(0));
            let _waiting = backend.wait_for("Lock", "virtualxid");
            let wait = locks.wait_for_holder(owner, holder, tag, mode);
            let wait = Box::pin(self.reported(backend, "virtualxid", wait));
            self.within(timeout, wait).await?.map_err(|e| self.lock_error(e))?;
        }
        told(holders.len(), holders.len(), 0);
        Ok(())
    }

    pub(crate) async fn wait_for_transaction(
        &self,
        backend: &Arc<Backend>,
        owner: Owner,
        holder: Holder,
        timeout: u64,
    ) -> Result<()> {
        let transactions = &self.inner.store.transactions;
        let Some(other) = transactions.active(holder.xid) else { return Ok(()) };
        let _waiting = backend.wait_for("Lock", "transactionid");
        let holds = || transactions.holds(holder);
        let wait = self.inner.store.locks.wait_for_transaction(owner, holder.xid, other.owner, holds);
        let wait = Box::pin(self.reported(backend, "transactionid", wait));
        self.within(timeout, wait).await?.map_err(|e| self.lock_error(e))
    }

    /// Runs a wait for a lock; `log_lock_waits` tells of long ones.
    async fn reported<T>(&self, backend: &Backend, what: &str, wait: impl Future<Output = T>) -> T {
        let (report, after) = {
            let settings = self.inner.settings.read();
            (settings.bool("log_lock_waits"), settings.integer("deadlock_timeout") as u64)
        };
        if !report {
            return wait.await;
        }
        let sleep = self.inner.engine.sleep(std::time::Duration::from_millis(after));
        let mut wait = std::pin::pin!(wait);
        tokio::select! {
            biased;
            result = &mut wait => return result,
            () = sleep => tracing::info!("process {} still waiting for a lock ({what}) after {after} ms", backend.pid),
        }
        wait.await
    }

    /// Runs a wait for a lock, for `timeout` milliseconds at most (0: for ever).
    async fn within<T>(&self, timeout: u64, wait: impl Future<Output = T>) -> Result<T> {
        if timeout == 0 {
            return Ok(wait.await);
        }
        let sleep = self.inner.engine.sleep(std::time::Duration::from_millis(timeout));
        tokio::select! {
            biased;
            result = wait => Ok(result),
            () = sleep => Err(EngineError::new(sqlstate::LOCK_NOT_AVAILABLE, "canceling statement due to lock timeout")),
        }
    }

    /// Makes the blocks of a load that does not count empty again.
    pub(crate) async fn empty_blocks(
        &self,
        io: &aio::Session,
        id: RelationId,
        range: std::ops::Range<BlockNumber>,
    ) -> Result<()> {
        let store = &self.inner.store;
        let relation = self.inner.files.open(id)?;
        for block in range.start..range.end.min(relation.blocks()) {
            store.log.reserve_to_end(io, edit::PAGE_RECORD).await?;
            let page = store.pool.pin_for_overwrite(&relation, block).await?;
            let mut latched = page.latch();
            let mut edit = Edit::new(&relation, block, &page, &mut latched);
            edit.init(PageKind::New, 0);
            edit::commit(&store.log, None, &mut [&mut edit]);
        }
        Ok(())
    }

    /// The heap with these files, if the catalog has it. Its indexes are not needed, and may be where nothing can be read.
    pub(crate) fn heap_of(&self, catalog: &Catalog, id: RelationId) -> Result<Option<Heap>> {
        if id.is_toast() {
            let Some(heap) = self.heap_of(catalog, id.main())? else { return Ok(None) };
            return Ok(heap.toast()?);
        }
        if let Some(table) = self.inner.tables.read().get(&id) {
            return Ok(Some(table.heap.clone()));
        }
        let database = catalog.database_by_oid(id.database);
        let Some(def) = database.and_then(|database| database.table_of_file(id.file)) else { return Ok(None) };
        let shape = Arc::new(def.shape()?);
        Ok(Some(Heap::new(&self.inner.store, self.inner.files.open(id)?, shape)))
    }

    /// A number that nothing else ever has, not even after a crash of which the transaction is no more: pages may say it.
    pub async fn new_lasting_number(&self, session: &aio::Session) -> Result<u32> {
        let (log, number) = (&self.inner.store.log, self.new_oid());
        log.reserve(session, 64).await?;
        log.insert(RecordHeader { xid: 0, manager: TRANSACTION, kind: NUMBER }, &[&number.to_le_bytes()]);
        Ok(number)
    }

    /// A number for a new object or file.
    pub fn new_oid(&self) -> u32 {
        self.inner.next_oid.fetch_add(1, Ordering::Relaxed)
    }
}
