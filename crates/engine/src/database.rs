//! A data directory: made, opened, recovered, checkpointed, closed.
//!
//! ```text
//! DIR/inflight.conf, inflight.auto.conf    settings
//! DIR/inflight.pid                         who has the directory (`data_directory.rs`)
//! DIR/global/inflight_control              catalog and checkpoint
//! DIR/base/<database>/<file>[.n]           relations
//! DIR/pg_wal/                              the log
//! ```
//!
//! # Invariants
//! * A change of the catalog is in the log, durable, before it is reported; files are made before the record that names
//!   them and removed after the record that forgets them.
//! * A transaction's commit record is durable before anybody sees it committed.
//! * A checkpoint's redo position is taken first; everything logged before it is on disk, flushed, when the control file
//!   says so.

use std::collections::HashMap;
use std::fs;
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ::error::sqlstate;
use access::bulk::Reservations;
use access::index::Index as IndexEntries;
use access::rollback::roll_back;
use access::{Heap, Store, UNDO, UndoLog, UndoWriter};
use aio::descriptors::with_room;
use aio::lwlock::{Mutex, RwLock};
use aio::{BackendKind, Engine, IoContext, IoMethod, Session, VolumeSpec};
use catalog::RowChange;
use catalog::catalogs::PgTablespace;
use storage::{BlockNumber, BufferPool, FileSet, LogGate, Lsn, PAGE_SIZE, RelationId, StorageError};
use txn::{LockManager, Snapshot, Transactions, UndoPtr, Xid};
use types::names::{PG_DATABASE, PG_TABLESPACE};
use wal::{Log, LogConfig, LogReader, Probe, RecordHeader, SyncMethod, probe_sync_method};

use crate::activity::{Activity, Backend};
use crate::catalog::file::{self, CatalogFile};
use crate::catalog::{
    Catalog, DatabaseChange, TableDef, new_cluster, new_database, owner_dependency, put_shared, without_shared,
};
use crate::checkpoint::{CheckpointCounters, clean_as_needed};
use crate::control::{Control, FORMAT};
use crate::current_catalog::CurrentCatalog;
use crate::data_directory::DataDirectory;
use crate::database_counters::{DatabaseCount, DatabaseCounts};
use crate::deferred::Deferred;
use crate::exported_snapshots::ExportedSnapshots;
use crate::index::Index;
use crate::index::keys::KeyCompiler;
use crate::memory::{Division, WorkMemory, watch_long_values};
use crate::prewarm::BEHIND;
use crate::recovery::{
    ABORT, CATALOG, Recovery, TRANSACTION, create_missing, find_checkpoint, open_visibility_maps, remove_orphans,
    replay_log,
};
use crate::statistics::Statistics;
use crate::table::{Loading, Table};
use crate::{EngineError, Result};
use config::{Settings, Source, find};

/// Sessions beside clients and workers: checkpointer, writers, startup and its tasks, clients that are about to be gone.
const EXTRA_SESSIONS: usize = 40;
/// From one look at the lock file to the next.
const DIRECTORY_WATCH: Duration = Duration::from_secs(1);
/// Locks held at once, rows that `SELECT … FOR UPDATE` holds included: about 100 MB of them.
const MAX_LOCKS: usize = 1 << 20;
/// Blocks of the undo log that have space on the disk from the beginning: what some ten thousand pages of deleted rows need.
const UNDO_SPACE: BlockNumber = 128;

/// How to open a data directory.
#[derive(Clone, Default)]
pub struct OpenOptions {
    pub root: PathBuf,
    /// `--set NAME=VALUE`, which win over the files.
    pub overrides: Vec<(String, String)>,
    /// Instead of `io_method`, in tests.
    pub method: Option<IoMethod>,
    /// Of a new directory, in bytes: a power of two from 1 MiB on. `None`: 16 MiB.
    pub wal_segment_size: Option<u64>,
    /// A bug for the simulator to find: checkpoints do not flush what they have written.
    pub skip_checkpoint_flushes: bool,
}

pub(crate) struct Inner {
    pub root: PathBuf,
    pub settings: RwLock<Settings>,
    pub reloads: AtomicU64,
    /// How often somebody wanted the files read again, whether they were right or not.
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
    /// Who makes what computes indexes' keys.
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
    /// Somebody waits for one: the one under way takes its time no more.
    pub checkpoint_wanted: AtomicBool,
    pub checkpoints: CheckpointCounters,
    /// Commit records inserted whose transactions still count as in progress.
    pub committing: Mutex<std::collections::BTreeSet<Xid>>,
    /// Where the log record of the latest change of the catalog ends, of those that are to be durable: everybody sees them from
    /// their insertion on.
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

/// Replaces a file, so that there is always one complete version of it, also after a power loss.
pub fn replace_file(path: &Path, text: &str) -> std::io::Result<()> {
    let temporary = path.with_added_extension("tmp");
    let mut file = with_room(|| fs::File::create(&temporary))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    with_room(|| fs::File::open(path.parent().expect("a file is in a directory")))?.sync_all()
}

pub(crate) fn file_error(action: &str, path: &Path, error: &std::io::Error) -> EngineError {
    let code = match error.raw_os_error() {
        Some(libc::ENOSPC) => sqlstate::DISK_FULL,
        Some(libc::EMFILE | libc::ENFILE) => sqlstate::INSUFFICIENT_RESOURCES,
        Some(libc::EACCES | libc::EPERM) => sqlstate::INSUFFICIENT_PRIVILEGE,
        _ => sqlstate::IO_ERROR,
    };
    EngineError::new(code, format!("could not {action} \"{}\": {error}", path.display()))
}

/// The operating system's user, who gets a role of the same name. Who this process belongs to counts: so does libpq see it.
pub fn system_user() -> String {
    let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let own = fs::metadata("/proc/self").map(|m| std::os::unix::fs::MetadataExt::uid(&m).to_string());
    let line = passwd.lines().find(|l| l.split(':').nth(2) == own.as_deref().ok());
    let known = line.and_then(|l| l.split(':').next()).map(str::to_string);
    let named = || std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok();
    known.or_else(named).filter(|user| !user.is_empty()).unwrap_or_else(|| "postgres".into())
}

/// Below the data directory `root`.
pub(crate) fn temporary_directory(root: &Path) -> PathBuf {
    root.join("base").join("pgsql_tmp")
}

/// Passes on the settings that the log's writers look at.
fn tell_log(log: &Log, settings: &Settings) {
    log.set_full_page_writes(settings.bool("full_page_writes"));
    log.set_compresses_images(settings.get("wal_compression") != "off");
}

fn read_configuration(root: &Path, settings: &mut Settings) -> Result<()> {
    for name in ["inflight.conf", "inflight.auto.conf"] {
        match fs::read_to_string(root.join(name)) {
            Ok(text) => settings.read_file(&text, name)?,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
            Err(e) => return Err(file_error("read", &root.join(name), &e)),
        }
    }
    Ok(())
}

impl Database {
    /// Makes the directory if it is new, reads the settings, and recovers.
    pub async fn open(options: OpenOptions) -> Result<Database> {
        let (settings, directory) = Self::prepare(&options)?;
        let (engine, method_note) = Self::start_engine(&settings, options.method)?;
        Self::open_with(options, settings, engine, method_note, directory).await
    }

    /// The first step of opening, for callers that drive the engine themselves: takes the directory and reads the settings.
    pub fn prepare(options: &OpenOptions) -> Result<(Settings, DataDirectory)> {
        let root = &options.root;
        let directory = DataDirectory::take(root)?;
        directory.furnish(root)?;
        // What a server that was killed has left.
        let temporary = temporary_directory(root);
        match fs::remove_dir_all(&temporary) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(file_error("remove", &temporary, &e)),
            _ => {}
        }
        let mut settings = Settings::default();
        read_configuration(root, &mut settings)?;
        for (name, value) in &options.overrides {
            settings.set(name, value, Source::CommandLine)?;
        }
        let shown = fs::canonicalize(root).unwrap_or(root.clone());
        settings.set("data_directory", &shown.display().to_string(), Source::Override)?;
        settings.set("data_directory_mode", &directory.mode.to_string(), Source::Override)?;
        for (name, file) in [("hba_file", "pg_hba.conf"), ("ident_file", "pg_ident.conf")] {
            let path = match settings.get(name) {
                "" => shown.join(file),
                given => shown.join(given),
            };
            settings.set(name, &path.display().to_string(), Source::Override)?;
        }
        if settings.integer("io_min_workers") > settings.integer("io_max_workers") {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "io_min_workers must not be larger than io_max_workers",
            ));
        }
        let [most, superusers, others] =
            ["max_connections", "superuser_reserved_connections", "reserved_connections"].map(|n| settings.integer(n));
        if superusers + others >= most {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                format!(
                    "\"superuser_reserved_connections\" ({superusers}) plus \"reserved_connections\" ({others}) must be less \
                     than \"max_connections\" ({most})"
                ),
            ));
        }
        Ok((settings, directory))
    }

    /// Those who may do I/O at once. Nobody takes another's place: clients have theirs, workers have theirs, and so have those that
    /// leaders of workers take part by.
    fn sessions(settings: &Settings) -> usize {
        let [clients, workers, vacuuming] =
            ["max_connections", "max_worker_processes", "autovacuum_max_workers"].map(|n| settings.integer(n) as usize);
        clients + 2 * workers + vacuuming + EXTRA_SESSIONS
    }

    /// The second step: the engine, and why it is not the wanted one, if so.
    pub fn start_engine(settings: &Settings, method: Option<IoMethod>) -> Result<(Engine, Option<String>)> {
        let volume = match settings.get("simulate_volume") {
            "" => None,
            text => Some(text.parse::<VolumeSpec>().map_err(|reason| {
                EngineError::new(
                    sqlstate::INVALID_PARAMETER_VALUE,
                    format!("invalid value for parameter \"simulate_volume\": {reason}"),
                )
            })?),
        };
        let wanted = method.unwrap_or(settings.get("io_method").parse().expect("checked when it was set"));
        let mut config = aio::Config {
            method: wanted,
            max_sessions: Self::sessions(settings),
            max_concurrency: settings.integer("io_max_concurrency") as usize,
            combine_limit: settings.integer("io_combine_limit") as u64 * PAGE_SIZE as u64,
            min_workers: settings.integer("io_min_workers") as usize,
            max_workers: settings.integer("io_max_workers") as usize,
            rings: std::thread::available_parallelism().map_or(1, |n| n.get()),
            volume,
            sim: aio::SimConfig::default(),
        };
        match Engine::new(config.clone()) {
            Ok(engine) => Ok((engine, None)),
            Err(error) if wanted == IoMethod::IoUring => {
                config.method = IoMethod::Worker;
                let engine =
                    Engine::new(config).map_err(|e| EngineError::new(sqlstate::SYSTEM_ERROR, e.to_string()))?;
                Ok((engine, Some(format!("{error}; using io_method = worker"))))
            }
            Err(error) => Err(EngineError::new(sqlstate::SYSTEM_ERROR, error.to_string())),
        }
    }

    /// The third step: recovery. The engine's completions must be driven by now.
    pub async fn open_with(
        options: OpenOptions,
        mut settings: Settings,
        engine: Engine,
        method_note: Option<String>,
        directory: DataDirectory,
    ) -> Result<Database> {
        let files = FileSet::new(&options.root, settings.bool("io_direct"));
        let memory = Division::new(&settings);
        memory.check()?;
        watch_long_values();
        let log = (memory.log as usize / PAGE_SIZE).to_string();
        settings.set("wal_buffers", &log, settings.source(find("wal_buffers").expect("a setting of ours")))?;
        let pool = Self::make_pool(&engine, &mut settings, &memory)?;
        let cleaner = engine.session(0, BackendKind::Startup).expect("a fresh engine has sessions");
        // Recovery makes more pages dirty than there may be buffers.
        tokio::select! {
            biased;
            opened = Self::recover(options, settings, engine, memory, method_note, directory, &files, &pool) => opened,
            () = clean_as_needed(&pool, &files, &cleaner, || false) => unreachable!("it ends when it is told to"),
        }
    }

    /// How the log is flushed; under `wal_sync_method = auto` tries which way is best, and shows that.
    async fn choose_sync_method(
        settings: &mut Settings,
        wal_dir: &Path,
        direct: bool,
        io: &Session,
    ) -> Result<(Option<Probe>, SyncMethod)> {
        let wanted = settings.get("wal_sync_method");
        if wanted != "auto" {
            return Ok((None, wanted.parse().expect("checked when it was set")));
        }
        let probe = match probe_sync_method(wal_dir, direct, io).await {
            Err(error) if error.is_out_of_space() => {
                tracing::warn!(%error, "wal_sync_method is fdatasync: there is no room to try which is best");
                None
            }
            outcome => Some(outcome?),
        };
        let best = probe.as_ref().map_or(SyncMethod::Fdatasync, |probe| probe.best);
        let source = settings.source(find("wal_sync_method").expect("a setting of ours"));
        settings.set("wal_sync_method", best.name(), source)?;
        Ok((probe, best))
    }

    /// Reserves the buffer pool; under `shared_buffers = auto` decides how large it is.
    fn make_pool(engine: &Engine, settings: &mut Settings, memory: &Division) -> Result<Arc<BufferPool>> {
        let auto = memory.auto;
        let mut pages = if auto { memory.pages() } else { settings.integer("shared_buffers") as usize };
        let mut most = memory.most_pool as usize / PAGE_SIZE;
        let pool = loop {
            match BufferPool::resizable(engine, pages, most.max(pages)) {
                Ok(pool) => break pool,
                // The system, or a limit of the process, allows less address space than there is memory.
                Err(error) if auto && pages > 1024 => {
                    tracing::warn!("could not reserve {} MB for shared_buffers: {error}", (pages * PAGE_SIZE) >> 20);
                    (pages, most) = (pages / 2, most / 2);
                }
                Err(error) => {
                    return Err(EngineError::new(
                        sqlstate::OUT_OF_MEMORY,
                        format!("could not allocate shared_buffers: {error}"),
                    ));
                }
            }
        };
        if auto {
            let definition = find("shared_buffers").expect("a setting of ours");
            settings.set("shared_buffers", &pages.to_string(), settings.source(definition))?;
            tracing::info!("shared_buffers = auto: {}, {memory}", definition.show(settings.get("shared_buffers")));
        }
        Self::size_cache(settings, pages)?;
        Ok(pool)
    }

    /// Reads that go straight to the device find no other cache than the pool: the planner has to know, or it takes an
    /// index scan's reads for free.
    pub(crate) fn size_cache(settings: &mut Settings, pages: usize) -> Result<()> {
        let definition = find("effective_cache_size").expect("a setting of PostgreSQL's");
        if settings.bool("io_direct") && settings.source(definition) == Source::Default {
            settings.set("effective_cache_size", &pages.to_string(), Source::Default)?;
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)] // What opening has gathered so far.
    async fn recover(
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
        // Whoever looks now began after all indexes were made.
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
        database.inner.store.undo.set_room(crate::undo_limit::Limit::of(&database.inner));
        database.undo_unfinished(recovery.unfinished, recovery.reserved).await?;
        database.checkpoint().await?;
        database.inner.started_up.store(true, Ordering::Release);
        // Nobody has a snapshot: what rows were before is of no use any more.
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
        // Who did nothing else has no undo, and nobody asks how it ended.
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

    fn initialise(root: &Path, files: &FileSet, segment_size: u64) -> Result<Control> {
        let catalog = new_cluster(&system_user());
        files.create_database(UNDO.database)?;
        for database in catalog.databases() {
            files.create_database(database.oid)?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let control = Control {
            format: FORMAT,
            page_size: PAGE_SIZE,
            system_identifier: (now.as_secs() << 32)
                | (u64::from(now.subsec_micros()) << 12)
                | (u64::from(std::process::id()) & 0xfff),
            redo: wal::first_lsn(segment_size),
            wal_segment_size: segment_size,
            redo_epoch: 0,
            has_record: false,
            epoch: 0,
            clean: true,
            next_xid: txn::FIRST_XID,
            unfinished: vec![],
            reserved: vec![],
            catalog: CatalogFile::create(root, &catalog)?.place(),
            next_oid: catalog.next_oid,
            read_speeds: Default::default(),
            mock_secret: String::new(),
        };
        control.write(root, true)?;
        Ok(control)
    }

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

    /// What somebody without a transaction sees now.
    pub fn snapshot(&self) -> Snapshot {
        self.inner.store.transactions.snapshot(None, 0, None)
    }

    /// Waits until everything is durable that a backend has seen. Whoever is about to tell a client of it calls this before.
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

    // The catalog.

    /// Changes what exists at once, outside of any transaction.
    async fn change(&self, session: &Session, changes: Vec<DatabaseChange>) -> Result<()> {
        let bytes = file::encode(changes.iter().map(|(database, change)| (*database, change)));
        let log = &self.inner.store.log;
        let turn = self.inner.catalog_turn.lock().await;
        log.reserve(session, bytes.len() + 64).await?;
        let header = RecordHeader { xid: 0, manager: CATALOG, kind: 1 };
        let mut changed = Catalog::clone(&self.catalog());
        changed.apply(&changes);
        // Logged and applied in one step, so that a checkpoint has either both or neither.
        let lsn = log.insert_with(header, &[&bytes], |end| {
            self.inner.catalog_lsn.store(end, Ordering::Release);
            self.inner.catalog.replace(Arc::new(changed));
            self.inner.catalog_changes.lock().push(bytes.clone());
        });
        drop(turn);
        log.flush_to(session, lsn).await.inspect_err(|e| self.fail(e.to_string()))?;
        Ok(())
    }

    /// Makes a database; `owner` is a role's oid.
    pub async fn create_database(&self, session: &Session, name: &str, owner: u32) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        if self.catalog().database(name).is_some() {
            return Err(EngineError::new(sqlstate::DUPLICATE_DATABASE, format!("database \"{name}\" already exists")));
        }
        let oid = self.new_oid();
        self.inner.files.create_database(oid)?;
        let row = new_database(oid, name, owner);
        let mut changes = vec![put_shared(row)];
        changes.extend(owner_dependency(0, (PG_DATABASE, oid), owner).map(put_shared));
        self.change(session, changes).await
    }

    pub async fn drop_database(&self, session: &Session, name: &str) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        let database = catalog.database(name).ok_or_else(|| {
            EngineError::new(sqlstate::UNDEFINED_DATABASE, format!("database \"{name}\" does not exist"))
        })?;
        if database.datistemplate {
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, "cannot drop a template database"));
        }
        let others = self.inner.activity.sessions_in(database.oid);
        if others > 0 {
            return Err(database_in_use(name, others));
        }
        self.change(session, gone(&catalog, PG_DATABASE, database.oid)).await?;
        // From here on no worker begins with it.
        while self.inner.activity.end_autovacuum_in(database.oid) {
            self.inner.engine.sleep(Duration::from_millis(10)).await;
        }
        self.inner.tables.write().retain(|id, _| id.database != database.oid);
        self.inner.open_indexes.lock().retain(|id, _| id.database != database.oid);
        // All that has been opened, and not only what the catalog names: a page that stayed could never be written.
        let opened = self.inner.files.open_relations();
        for relation in opened.iter().filter(|relation| relation.id().database == database.oid) {
            self.inner.store.pool.forget(relation.id(), Some(0..relation.blocks())).await;
        }
        Ok(self.inner.files.remove_database(database.oid)?)
    }

    /// Makes a tablespace at `location`, a directory that is there; an empty one stands for a directory of the server's own.
    pub async fn create_tablespace(&self, session: &Session, row: PgTablespace, location: &str) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        if self.catalog().tablespace(&row.spcname).is_some() {
            return Err(EngineError::new(
                sqlstate::DUPLICATE_OBJECT,
                format!("tablespace \"{}\" already exists", row.spcname),
            ));
        }
        self.inner.files.create_tablespace(row.oid, location).map_err(|error| match error {
            StorageError::File { errno: libc::EEXIST, .. } => EngineError::new(
                sqlstate::OBJECT_IN_USE,
                format!("directory \"{location}\" already in use as a tablespace"),
            ),
            StorageError::File { errno: libc::ENOENT, .. } => {
                EngineError::new(sqlstate::UNDEFINED_FILE, format!("directory \"{location}\" does not exist"))
            }
            error => error.into(),
        })?;
        let owner = owner_dependency(0, (PG_TABLESPACE, row.oid), row.spcowner);
        self.change(session, [put_shared(row)].into_iter().chain(owner.map(put_shared)).collect()).await
    }

    /// Drops a tablespace, in which there is nothing.
    pub async fn drop_tablespace(&self, session: &Session, oid: u32) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        let Some(tablespace) = catalog.tablespace_by_oid(oid) else { return Ok(()) };
        if catalog.databases_in(oid).next().is_some() {
            let message = format!("tablespace \"{}\" is not empty", tablespace.spcname);
            return Err(EngineError::new(sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE, message));
        }
        // Files that are still being removed, or that nobody knows, keep it.
        self.inner.files.empty_tablespace(oid).map_err(|error| match error {
            StorageError::File { errno: libc::ENOTEMPTY | libc::EEXIST, .. } => EngineError::new(
                sqlstate::OBJECT_NOT_IN_PREREQUISITE_STATE,
                format!("tablespace \"{}\" is not empty", tablespace.spcname),
            ),
            error => error.into(),
        })?;
        self.change(session, gone(&catalog, PG_TABLESPACE, oid)).await?;
        Ok(self.inner.files.remove_tablespace(oid)?)
    }

    /// Drops what is in memory of a relation.
    async fn forget(&self, id: RelationId) {
        let (files, pool) = (&self.inner.files, &self.inner.store.pool);
        if let Ok(Some(fork)) = files.open_if_exists(id.toast()) {
            pool.forget(id.toast(), Some(0..fork.blocks())).await;
        }
        let blocks = files.open(id).map(|relation| 0..relation.blocks());
        pool.forget(id, blocks.ok()).await;
    }

    /// Removes a relation's files, and what is in memory of it.
    pub async fn remove_files(&self, id: RelationId) -> Result<()> {
        self.inner.tables.write().remove(&id);
        self.inner.open_indexes.lock().remove(&id);
        self.forget(id).await;
        self.inner.reserved.lock().values_mut().for_each(|ranges| ranges.retain(|(relation, _)| relation.main() != id));
        Ok(self.inner.files.remove(id)?)
    }

    /// Somebody who waits for locks besides the sessions.
    pub fn new_owner(&self) -> txn::Owner {
        self.inner.store.transactions.new_owner()
    }

    /// A relation's files.
    pub fn relation(&self, id: RelationId) -> Result<Arc<storage::Relation>> {
        Ok(self.inner.files.open(id)?)
    }

    /// The same, if there are any.
    pub fn relation_if_exists(&self, id: RelationId) -> Result<Option<Arc<storage::Relation>>> {
        Ok(self.inner.files.open_if_exists(id)?)
    }

    /// Opens a table.
    pub fn table(&self, database: u32, def: &Arc<TableDef>) -> Result<Arc<Table>> {
        let id = RelationId { database, file: def.file };
        let is_open = |table: &&Arc<Table>| Arc::ptr_eq(&table.def, def);
        if let Some(table) = self.inner.tables.read().get(&id).filter(is_open) {
            return Ok(table.clone());
        }
        let mut tables = self.inner.tables.write();
        let open = tables.get(&id);
        // Somebody may have been quicker.
        if let Some(table) = open.filter(is_open) {
            return Ok(table.clone());
        }
        let schema = def.arrow_schema()?;
        let files = self.inner.files.open(id)?;
        let activity = self.inner.statistics.open_table(database, def, &files, || self.catalog());
        let (heap, loading) = match open {
            // Its definition has changed, its files have not; or they were made under another oid.
            Some(table) => (table.heap.with_shape(def.shape()?).counted_in(activity), table.loading.clone()),
            None => {
                let heap = Heap::new(&self.inner.store, files, Arc::new(def.shape()?));
                (heap.counted_in(activity), Arc::default())
            }
        };
        let mut indexes = Vec::with_capacity(def.indexes.len());
        for index in &def.indexes {
            let id = RelationId { database, file: index.file };
            let files = self.inner.files.open(id)?;
            self.inner.statistics.open_index(database, index.oid, &files);
            let keys = self.index_keys(def, index)?;
            let made = || IndexEntries::open(keys.method, &self.inner.store, files, &keys.shape);
            let entries = self.inner.open_indexes.lock().entry(id).or_insert_with(made).clone();
            indexes.push(Index { def: index.clone(), keys, entries });
        }
        let table = Arc::new(Table { def: def.clone(), schema, database, indexes, heap, loading });
        tables.insert(id, table.clone());
        Ok(table)
    }

    /// What was done to a table's rows, if anything was.
    pub fn table_activity(&self, database: u32, oid: u32) -> Option<Arc<access::activity::Activity>> {
        self.inner.statistics.activity(database, oid)
    }

    /// What was done to a table's long values; `oid` is theirs.
    pub fn toast_activity(&self, database: u32, oid: u32) -> Arc<access::activity::Activity> {
        self.inner.statistics.of_toast(database, oid)
    }

    /// What was done to and with the tables and indexes of a database.
    pub fn relation_statistics(
        &self,
        database: u32,
    ) -> Vec<(u32, access::activity::TableEntry, storage::RelationCounts)> {
        self.inner.statistics.of_relations(database)
    }

    /// What was done with a table or an index.
    pub fn relation_counts(&self, database: u32, oid: u32) -> storage::RelationCounts {
        self.inner.statistics.counts(database, oid)
    }

    /// What happened in a database, sessions that are there included.
    pub fn database_counts(&self, oid: u32) -> DatabaseCounts {
        let mut counts = self.inner.statistics.database_counts(oid);
        let time: Duration = self.inner.activity.session_times(oid).sum();
        counts.add(DatabaseCount::SessionTime, time.as_micros() as u64);
        counts
    }

    /// A table that is open already.
    pub fn open_table(&self, database: u32, def: &TableDef) -> Option<Arc<Table>> {
        self.inner.tables.read().get(&RelationId { database, file: def.file }).cloned()
    }

    /// The loads under way into a relation.
    pub(crate) fn loading(&self, id: RelationId) -> Option<Arc<Mutex<Loading>>> {
        self.inner.tables.read().get(&id.main()).map(|table| table.loading.clone())
    }

    /// Reads the configuration files again. What needs a restart stays; sessions follow with their next transaction.
    /// `false` when a file is wrong: that is logged, and nothing has changed.
    pub fn reload(&self) -> bool {
        let read = self.read_configuration_again();
        self.inner.reload_requests.send_modify(|requests| *requests += 1);
        read
    }

    /// How often [`Database::reload`] was called: files beside the configuration are read again then too.
    pub fn reload_requests(&self) -> tokio::sync::watch::Receiver<u64> {
        self.inner.reload_requests.subscribe()
    }

    fn read_configuration_again(&self) -> bool {
        let mut fresh = Settings::default();
        if let Err(error) = read_configuration(&self.inner.root, &mut fresh) {
            tracing::error!(%error, "the configuration files are wrong: nothing has changed");
            return false;
        }
        let mut settings = self.inner.settings.write();
        settings.reload(&fresh);
        tell_log(&self.inner.store.log, &settings);
        self.inner.reloads.fetch_add(1, Ordering::AcqRel);
        tracing::info!("the configuration files were read again");
        true
    }

    /// How often the configuration was read again.
    pub fn reloads(&self) -> u64 {
        self.inner.reloads.load(Ordering::Acquire)
    }

    /// `ALTER SYSTEM`: keeps a setting in `inflight.auto.conf`, or removes it (`None`).
    pub fn alter_system(&self, name: &str, value: Option<&str>) -> Result<()> {
        let path = self.inner.root.join("inflight.auto.conf");
        let text = fs::read_to_string(&path).unwrap_or_default();
        let mut lines: Vec<String> = text.lines().filter(|l| !l.starts_with('#')).map(str::to_string).collect();
        lines.retain(|l| l.split(['=', ' ']).next() != Some(name));
        if let Some(value) = value {
            lines.push(format!("{name} = '{}'", value.replace('\\', "\\\\").replace('\'', "''")));
        }
        self.write_auto_conf(&lines)
    }

    /// Forgets all that ALTER SYSTEM has set.
    pub fn alter_system_reset_all(&self) -> Result<()> {
        self.write_auto_conf(&[])
    }

    fn write_auto_conf(&self, lines: &[String]) -> Result<()> {
        let path = self.inner.root.join("inflight.auto.conf");
        let text = format!(
            "# Do not edit this file manually!\n# It will be overwritten by the ALTER SYSTEM command.\n{}\n",
            lines.join("\n")
        );
        replace_file(&path, &text).map_err(|e| file_error("write", &path, &e))
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
}

/// The changes that delete an object that all databases share.
fn gone(catalog: &Catalog, class: u32, oid: u32) -> Vec<DatabaseChange> {
    without_shared(catalog, class, oid).into_iter().map(|key| (0, RowChange::Delete(key))).collect()
}
/// What is not done to a database while there are sessions in it.
pub fn database_in_use(name: &str, others: usize) -> EngineError {
    let detail = match others {
        1 => "There is 1 other session using the database.".to_string(),
        n => format!("There are {n} other sessions using the database."),
    };
    let message = format!("database \"{name}\" is being accessed by other users");
    EngineError::new(sqlstate::OBJECT_IN_USE, message).detail(detail)
}
