//! The last step of opening a database: the log is replayed, and what had not committed is taken back.

use super::configuration::tell_log;
use super::open::OpenOptions;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use access::bulk::Reservations;
use access::rollback::roll_back;
use access::{Store, UNDO, UndoLog};
use aio::lwlock::{Mutex, RwLock};
use aio::{BackendKind, Engine, IoContext, Session};
use storage::{BlockNumber, BufferPool, FileSet, LogGate, Lsn, RelationId};
use txn::{LockManager, Transactions, UndoPtr, Xid};
use wal::{Log, LogConfig, LogReader, RecordHeader};

use super::{Database, Inner};
use crate::Result;
use crate::activity::Activity;
use crate::catalog::Catalog;
use crate::catalog::current::CurrentCatalog;
use crate::catalog::file::{self, CatalogFile};
use crate::checkpoint::counters::{BackgroundWriterCounters, CheckpointCounters};
use crate::data_directory::DataDirectory;
use crate::data_directory::control::Control;
use crate::memory::{Division, WorkMemory};
use crate::prewarm::BEHIND;
use crate::recovery::{
    ABORT, Recovery, TRANSACTION, create_missing, find_checkpoint, open_visibility_maps, remove_orphans, replay_log,
};
use crate::statistics::Statistics;
use config::{Settings, Source};

/// Locks held at once, rows that `SELECT … FOR UPDATE` holds included: about 100 MB of them.
const MAX_LOCKS: usize = 1 << 20;
/// Blocks of the undo log that have space on the disk from the beginning: what some ten thousand pages of deleted rows need.
const UNDO_SPACE: BlockNumber = 128;

/// Makes pages wait for the log.
struct Gate {
    log: Log,
    io: Session,
}

impl LogGate for Gate {
    fn flush_to<'a>(&'a self, lsn: Lsn) -> Pin<Box<dyn Future<Output = std::result::Result<(), String>> + Send + 'a>> {
        Box::pin(async move { self.log.flush_to(&self.io, lsn).await.map_err(|e| e.to_string()) })
    }
}

impl Database {
    #[allow(clippy::too_many_arguments)] // What opening has gathered so far.
    pub(super) async fn recover(
        options: OpenOptions,
        mut settings: Settings,
        engine: Engine,
        memory: Division,
        method_note: Option<String>,
        directory: DataDirectory,
        files: &FileSet,
        pool: &Arc<BufferPool>,
    ) -> Result<Database> {
        let (root, files, pool) = (options.root, files.clone(), pool.clone());
        if method_note.is_some() {
            settings.set("io_method", "worker", Source::Override)?;
        }
        let direct = settings.bool("io_direct");
        let io = engine.session(0, BackendKind::Startup).expect("a fresh engine has sessions");
        let mut control = match Control::read(&root)? {
            Some(control) => control,
            None => Self::initialise(&root, &files, options.wal_segment_size.unwrap_or(wal::SEGMENT_SIZE))?,
        };
        if control.mock_secret.is_empty() {
            control.mock_secret = auth::password::random::<32>()?.iter().map(|byte| format!("{byte:02x}")).collect();
        }
        settings.set("wal_segment_size", &control.wal_segment_size.to_string(), Source::Override)?;
        control.tell_read_speeds(&engine, &files);
        let wal_dir = root.join("pg_wal");
        let mut reader = LogReader::new(
            &wal_dir,
            control.wal_segment_size,
            direct,
            control.redo,
            control.redo_epoch,
            !control.clean,
        )?;
        let (mut catalog_file, checkpoint) = CatalogFile::open(&root, control.catalog)?;
        let mut recovery = Recovery::new(&control, checkpoint.clone());
        find_checkpoint(&control, &mut reader, &io).await?;
        replay_log(&mut recovery, &mut reader, &pool, &files, &io).await?;
        let end = reader.position();
        let tail = reader.tail()?.to_vec();
        let temporary = recovery.catalog.drop_temporary();
        catalog_file.take(recovery.changes);
        catalog_file.take(vec![file::encode(temporary.iter().map(|(database, change)| (*database, change)))]);
        create_missing(&checkpoint, &recovery.catalog, &files)?;
        open_visibility_maps(&files)?;
        remove_orphans(&recovery.catalog, &files, &pool).await?;
        let (probe, sync) = Self::choose_sync_method(&mut settings, &wal_dir, direct, &io).await?;
        // Known on disk before the first record is of it, and that the log need not end at the checkpoint any more.
        control.epoch = control.epoch.wrapping_add(1);
        control.clean = false;
        control.write(&root, false)?;
        let log_config = LogConfig {
            buffers: settings.bytes("wal_buffers"),
            segment_size: control.wal_segment_size,
            direct,
            sync,
            epoch: control.epoch,
        };
        let log = Log::open(&engine, &wal_dir, &log_config, end, &tail)?;
        tell_log(&log, &settings);
        pool.set_gate(Arc::new(Gate { log: log.clone(), io: io.clone() }));
        // Every transaction from now on begins after all indexes were made.
        let next_xid = recovery.next_xid.max(recovery.catalog.youngest_index() + 1);
        let store = Arc::new(Store {
            files: files.clone(),
            undo: Arc::new(UndoLog::new(&pool, &files.open_or_create(UNDO)?)),
            transactions: Arc::new(Transactions::new(next_xid, log.durable_position())),
            locks: Arc::new(LockManager::new(MAX_LOCKS)),
            pool,
            log,
        });
        let statistics = Arc::new(Statistics::load(&root));
        let database = Database {
            inner: Arc::new(Inner {
                activity: Activity::new(&engine, statistics.clone(), settings.integer("max_worker_processes") as usize),
                settings: RwLock::new(settings),
                reloads: AtomicU64::new(0),
                reload_requests: tokio::sync::watch::Sender::new(0),
                next_oid: AtomicU32::new(recovery.catalog.next_oid),
                catalog: CurrentCatalog::new(recovery.catalog),
                tables: RwLock::default(),
                open_indexes: Mutex::default(),
                key_compiler: OnceLock::new(),
                ddl: tokio::sync::Mutex::new(()),
                catalog_turn: tokio::sync::Mutex::new(()),
                catalog_changes: Mutex::default(),
                checkpoint: tokio::sync::Mutex::new(catalog_file),
                started_up: AtomicBool::new(false),
                checkpoint_wanted: AtomicBool::new(false),
                checkpoints: CheckpointCounters::default(),
                background_writer: BackgroundWriterCounters::default(),
                committing: Mutex::default(),
                catalog_lsn: AtomicU64::new(0),
                reserved: Mutex::default(),
                deferred: Mutex::default(),
                exported_snapshots: Arc::default(),
                prefetching: Arc::new(tokio::sync::Semaphore::new(BEHIND)),
                undo_writers: Mutex::default(),
                system_identifier: control.system_identifier,
                mock_secret: control.mock_secret,
                started: SystemTime::now(),
                fatal: OnceLock::new(),
                fatal_event: tokio::sync::Notify::new(),
                closed: AtomicBool::new(false),
                last_redo: AtomicU64::new(control.redo),
                quiet_since: AtomicU64::new(control.redo),
                epoch: control.epoch,
                wal_segment_size: control.wal_segment_size,
                skip_checkpoint_flushes: options.skip_checkpoint_flushes,
                probe,
                statistics,
                root,
                engine,
                work_memory: Arc::new(WorkMemory::new(memory.work())),
                memory,
                io,
                files,
                store,
                method_note,
                directory,
            }),
        };
        database.inner.store.undo.set_room(crate::memory::undo_limit::Limit::of(&database.inner));
        database.undo_unfinished(recovery.unfinished, recovery.reserved).await?;
        database.checkpoint().await?;
        database.inner.started_up.store(true, Ordering::Release);
        // There are no snapshots yet: what rows were before is of no use any more.
        database.empty_undo().await?;
        Ok(database)
    }

    /// The undo log begins anew, with some space on the disk: where that is full, rows can be deleted nevertheless.
    async fn empty_undo(&self) -> Result<()> {
        let (store, undo) = (&self.inner.store, self.inner.files.open(UNDO)?);
        let had = undo.blocks().min(UNDO_SPACE);
        store.pool.truncate(&undo, 0).await?;
        for blocks in [UNDO_SPACE, had] {
            match store.pool.allocate(&self.inner.io, &undo, 0..blocks, IoContext::Normal).await {
                Ok(()) => return Ok(()),
                Err(error) => tracing::debug!(%error, "no space for the undo log"),
            }
        }
        Ok(())
    }

    /// The end of recovery: what had not committed is taken back.
    async fn undo_unfinished(
        &self,
        unfinished: std::collections::BTreeMap<Xid, UndoPtr>,
        mut reserved: Reservations,
    ) -> Result<()> {
        let (store, io) = (&self.inner.store, &self.inner.io);
        let catalog = self.catalog();
        let count = unfinished.values().filter(|undo| **undo != UndoPtr::NONE).count();
        if count > 0 {
            tracing::info!("rolling back {count} unfinished transactions");
        }
        for (xid, undo) in unfinished {
            let transaction = store.transactions.resume(xid, undo);
            roll_back(store, io, &transaction, UndoPtr::NONE, |id| self.heap_of(&catalog, id)).await?;
            // Before the record that it has ended: recovery from here would forget what it had reserved.
            self.empty_reserved(&catalog, reserved.remove(&xid)).await?;
            store.log.reserve_to_end(io, 64).await?;
            store.log.insert(RecordHeader { xid, manager: TRANSACTION, kind: ABORT }, &[]);
            store.transactions.end(xid);
        }
        // A transaction that did nothing else has no undo, and no row names it: no reader asks how it ended.
        self.empty_reserved(&catalog, reserved.into_values()).await
    }

    async fn empty_reserved(
        &self,
        catalog: &Catalog,
        reserved: impl IntoIterator<Item = Vec<(RelationId, std::ops::Range<BlockNumber>)>>,
    ) -> Result<()> {
        for (id, range) in reserved.into_iter().flatten() {
            if self.heap_of(catalog, id)?.is_some() {
                self.empty_blocks(&self.inner.io, id, range).await?;
            }
        }
        Ok(())
    }
}
