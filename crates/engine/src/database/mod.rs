//! A data directory: made, opened, recovered, checkpointed, closed.
//!
//! ```text
//! DIR/inflight.conf, inflight.auto.conf    settings
//! DIR/inflight.pid                         who has the directory (`data_directory`)
//! DIR/global/inflight_control              catalog and checkpoint
//! DIR/base/<database>/<file>[.n]           relations
//! DIR/pg_wal/                              the log
//! ```
//!
//! # Invariants
//! * A change of the catalog is in the log, durable, before it is reported; files are made before the record that names
//!   them and removed after the record that forgets them.
//! * A transaction's commit record is durable before any client is told that it committed, or what it did.
//! * A checkpoint's redo position is taken first; everything logged before it is on disk, flushed, when the control file
//!   says so.

mod configuration;
mod locks;
mod open;
mod recover;
mod relations;
mod shared_objects;

pub use open::OpenOptions;
pub use shared_objects::database_in_use;

use crate::recovery::NUMBER;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use ::error::sqlstate;
use access::bulk::Reservations;
use access::index::Index as IndexEntries;
use access::{Store, UndoWriter};
use aio::lwlock::{Mutex, RwLock};
use aio::{Engine, Session};
use storage::{BlockNumber, BufferPool, FileSet, Lsn, RelationId};
use txn::{Snapshot, Xid};
use wal::{Log, Probe, RecordHeader};

use crate::activity::exported_snapshots::ExportedSnapshots;
use crate::activity::{Activity, Backend};
use crate::catalog::Catalog;
use crate::catalog::current::CurrentCatalog;
use crate::catalog::file::CatalogFile;
use crate::checkpoint::counters::{BackgroundWriterCounters, CheckpointCounters};
use crate::data_directory::DataDirectory;
use crate::index::keys::KeyCompiler;
use crate::memory::{Division, WorkMemory};
use crate::recovery::TRANSACTION;
use crate::sort::temporary_directory;
use crate::statistics::Statistics;
use crate::table::Table;
use crate::transaction::deferred::Deferred;
use crate::{EngineError, Result};
use config::Settings;

/// From one look at the lock file to the next.
const DIRECTORY_WATCH: Duration = Duration::from_secs(1);

pub(crate) struct Inner {
    pub root: PathBuf,
    pub settings: RwLock<Settings>,
    pub reloads: AtomicU64,
    /// How often a reload of the files was asked for, whether they were right or not.
    reload_requests: tokio::sync::watch::Sender<u64>,
    pub engine: Engine,
    pub memory: Division,
    pub work_memory: Arc<WorkMemory>,
    pub statistics: Arc<Statistics>,
    pub io: Session,
    pub files: FileSet,
    pub store: Arc<Store>,
    pub activity: Activity,
    pub catalog: CurrentCatalog,
    pub next_oid: AtomicU32,
    /// Open tables, by their files.
    pub tables: RwLock<HashMap<RelationId, Arc<Table>, foldhash::fast::RandomState>>,
    /// Open indexes, by their files.
    pub open_indexes: Mutex<HashMap<RelationId, IndexEntries>>,
    /// What makes the programs that compute indexes' keys.
    pub key_compiler: OnceLock<Arc<dyn KeyCompiler>>,
    /// Databases come and go one at a time.
    ddl: tokio::sync::Mutex<()>,
    /// Changes of the catalog are put onto what exists, logged and applied one transaction after the other.
    pub catalog_turn: tokio::sync::Mutex<()>,
    /// The changes of the catalog since the last checkpoint began, as the log has them.
    pub catalog_changes: Mutex<Vec<Vec<u8>>>,
    /// One checkpoint at a time, which writes the catalogs' file.
    pub checkpoint: tokio::sync::Mutex<CatalogFile>,
    /// The checkpoint at the end of recovery is done.
    pub started_up: AtomicBool,
    /// A session waits for one: the one under way takes its time no more.
    pub checkpoint_wanted: AtomicBool,
    pub checkpoints: CheckpointCounters,
    pub background_writer: BackgroundWriterCounters,
    /// Commit records inserted whose transactions still count as in progress.
    pub committing: Mutex<std::collections::BTreeSet<Xid>>,
    /// Where the log record of the latest change of the catalog ends, of those that are to be durable: all sessions see them
    /// from their insertion on.
    pub catalog_lsn: AtomicU64,
    /// Blocks that transactions in progress have loaded around the log.
    pub reserved: Mutex<Reservations>,
    /// Transactions that could not be taken back yet.
    pub deferred: Mutex<Vec<Deferred>>,
    pub exported_snapshots: Arc<ExportedSnapshots>,
    /// Relations that are brought into memory behind sessions' backs.
    pub prefetching: Arc<tokio::sync::Semaphore>,
    /// Pages of the undo log that no transaction writes to just now.
    pub undo_writers: Mutex<Vec<UndoWriter>>,
    pub system_identifier: u64,
    pub mock_secret: String,
    started: SystemTime,
    /// Why the server must stop.
    fatal: OnceLock<String>,
    fatal_event: tokio::sync::Notify,
    pub closed: AtomicBool,
    pub last_redo: AtomicU64,
    /// Where the latest checkpoint's own record ends: of a log that ends there nothing is to be done.
    pub quiet_since: AtomicU64,
    pub epoch: u16,
    pub wal_segment_size: u64,
    pub skip_checkpoint_flushes: bool,
    probe: Option<Probe>,
    method_note: Option<String>,
    pub directory: DataDirectory,
}

/// An open data directory. Clones are the same.
#[derive(Clone)]
pub struct Database {
    pub(crate) inner: Arc<Inner>,
}

impl Database {
    // What it consists of.

    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    /// How memory is divided.
    pub fn memory(&self) -> &Division {
        &self.inner.memory
    }

    /// What statements share for sorting, hashing and the like.
    pub fn work_memory(&self) -> &Arc<WorkMemory> {
        &self.inner.work_memory
    }

    /// For what statements do not keep in memory. It is empty when the database is opened.
    pub fn temporary_directory(&self) -> PathBuf {
        temporary_directory(&self.inner.root)
    }

    pub fn pool(&self) -> &Arc<BufferPool> {
        &self.inner.store.pool
    }

    pub fn log(&self) -> &Log {
        &self.inner.store.log
    }

    /// Bytes of one of the log's files.
    pub fn wal_segment_size(&self) -> u64 {
        self.inner.wal_segment_size
    }

    pub fn activity(&self) -> &Activity {
        &self.inner.activity
    }

    /// The relation files.
    pub fn files(&self) -> &FileSet {
        &self.inner.files
    }

    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    pub fn started(&self) -> SystemTime {
        self.inner.started
    }

    /// What stands in for the password of a role that has none ([`auth::password::Verifier::mock`]).
    pub fn mock_verifier(&self, user: &str) -> auth::password::Verifier {
        auth::password::Verifier::mock(user, self.inner.mock_secret.as_bytes())
    }

    pub fn system_identifier(&self) -> u64 {
        self.inner.system_identifier
    }

    /// What the probe for `wal_sync_method = auto` measured.
    pub fn sync_probe(&self) -> Option<Probe> {
        self.inner.probe
    }

    /// Why another I/O method than the wanted one is in use.
    pub fn method_note(&self) -> Option<&str> {
        self.inner.method_note.as_deref()
    }

    /// The server's settings, which sessions start with.
    pub fn settings(&self) -> Settings {
        self.inner.settings.read().clone()
    }

    /// A consistent picture of what exists.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.inner.catalog.get()
    }

    /// Is this what exists now?
    pub fn is_catalog(&self, catalog: &Arc<Catalog>) -> bool {
        self.inner.catalog.is(catalog)
    }

    /// What a caller without a transaction sees now.
    pub fn snapshot(&self) -> Snapshot {
        self.inner.store.transactions.snapshot(None, 0, None)
    }

    /// Waits until everything is durable that a backend has seen. A connection calls this before it tells its client of it.
    pub async fn flush_before_reply(&self, backend: &Backend) -> Result<()> {
        self.follow_commits(backend, self.dependency(backend)).await
    }

    /// The same for changes of the catalog alone.
    pub async fn flush_catalog_before_reply(&self, backend: &Backend) -> Result<()> {
        self.follow_commits(backend, self.inner.catalog_lsn.load(Ordering::Acquire)).await
    }

    async fn follow_commits(&self, backend: &Backend, lsn: Lsn) -> Result<()> {
        if lsn <= self.log().durable() {
            return Ok(());
        }
        let outcome = self.log().follow_commits(&backend.io, lsn).await;
        outcome.inspect_err(|error| self.fail(error.to_string())).map_err(EngineError::from)
    }

    /// Is nothing to be waited for?
    pub fn is_settled(&self, backend: &Backend) -> bool {
        self.dependency(backend) <= self.log().durable()
    }

    fn dependency(&self, backend: &Backend) -> Lsn {
        backend.proc.dependency.lsn().max(self.inner.catalog_lsn.load(Ordering::Acquire))
    }

    pub fn store(&self) -> &Arc<Store> {
        &self.inner.store
    }

    pub(crate) fn note_reservation(&self, xid: Xid, relation: RelationId, range: std::ops::Range<BlockNumber>) {
        self.inner.reserved.lock().entry(xid).or_default().push((relation, range));
    }

    /// Blocks that a load had reserved are as all others: nothing will empty them any more.
    pub(crate) fn open_to_others(
        &self,
        reserved: impl IntoIterator<Item = (RelationId, std::ops::Range<BlockNumber>)>,
    ) {
        for (id, range) in reserved {
            // Of a relation that is gone there is nothing to say.
            if let Some(relation) = self.inner.files.opened(id) {
                relation.free_space().give_free(&range);
            }
        }
    }

    /// Blocks at the end of a reservation are not needed.
    pub(crate) fn note_release(&self, xid: Xid, relation: RelationId, unused: &std::ops::Range<BlockNumber>) {
        access::bulk::release(&mut self.inner.reserved.lock(), xid, relation, unused);
    }

    /// An owner that waits for locks besides the sessions'.
    pub fn new_owner(&self) -> txn::Owner {
        self.inner.store.transactions.new_owner()
    }

    // The end.

    /// Looks from time to time whether the data directory is still this server's, until the database is closed.
    pub async fn run_directory_watch(&self) {
        while !self.inner.closed.load(Ordering::Acquire) && self.check_directory().is_ok() {
            self.inner.engine.sleep(DIRECTORY_WATCH).await;
        }
    }

    /// The server must stop if it may not be alone in its data directory.
    pub(crate) fn check_directory(&self) -> Result<()> {
        self.inner.directory.check().map_err(|reason| {
            self.fail(reason.clone());
            EngineError::new(sqlstate::IO_ERROR, reason)
        })
    }

    /// Something happened after which nothing may be promised: the server must stop, and recovery start from the log.
    pub fn fail(&self, reason: String) {
        tracing::error!(reason, "the server must stop");
        let _ = self.inner.fatal.set(reason);
        self.inner.fatal_event.notify_waiters();
    }

    /// The reason why the server must stop, if it must.
    pub fn failure(&self) -> Option<&str> {
        self.inner.fatal.get().map(String::as_str)
    }

    /// Resolves with the reason when the server must stop.
    pub async fn failed(&self) -> String {
        loop {
            let notified = self.inner.fatal_event.notified();
            if let Some(reason) = self.inner.fatal.get() {
                return reason.clone();
            }
            notified.await;
        }
    }

    /// The last checkpoint. The caller has ended all sessions.
    pub async fn close(&self) -> Result<()> {
        self.inner.closed.store(true, Ordering::Release);
        self.checkpoint_as(&self.inner.io, true, None).await
    }

    // Numbers and pages of the undo log.

    pub(crate) fn take_undo_writer(&self) -> UndoWriter {
        let writer = self.inner.undo_writers.lock().pop();
        writer.unwrap_or_else(|| UndoWriter::new(&self.inner.store.undo))
    }

    pub(crate) fn give_undo_writer(&self, writer: UndoWriter) {
        self.inner.undo_writers.lock().push(writer);
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
