//! A data directory: made, opened, recovered, checkpointed, closed.
//!
//! ```text
//! DIR/inflight.conf, inflight.auto.conf    settings
//! DIR/inflight.pid                         locked while a server runs
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

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::future::Future;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use access::redo::Reservations;
use access::{Heap, TableShape, redo};
use aio::{BackendKind, Engine, IoContext, IoMethod, Session, VolumeSpec};
use parking_lot::{Mutex, RwLock};
use storage::{BlockNumber, BufferPool, FileSet, LogGate, Lsn, PAGE_SIZE, RelationId, WriteStream};
use txn::{Snapshot, Transactions, Xid};
use wal::{FIRST_LSN, Log, LogConfig, LogReader, Record, RecordHeader, SEGMENT_SIZE, format_lsn};

use crate::activity::{Activity, Backend};
use crate::catalog::{Catalog, Change, ColumnDef, DatabaseDef, TableDef};
use crate::control::{Control, FORMAT};
use crate::error::{EngineError, Result};
use crate::settings::{Settings, Source};
use crate::table::Table;

/// The catalog's and the transactions' numbers among the log's resource managers.
const CATALOG: u8 = 2;
const TRANSACTION: u8 = 3;
const COMMIT: u8 = 1;
const ABORT: u8 = 2;

/// Sessions beside `max_connections`: parallel workers, checkpointer, writer, startup.
const EXTRA_SESSIONS: usize = 40;

/// How to open a data directory.
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    pub root: PathBuf,
    /// `--set NAME=VALUE`, which win over the files.
    pub overrides: Vec<(String, String)>,
    /// Seconds of the simulator's seed; `None` outside of tests.
    pub method: Option<IoMethod>,
}

struct Inner {
    root: PathBuf,
    settings: RwLock<Settings>,
    /// What the files and the command line said at start, for `RESET` and `pg_settings.reset_val`.
    engine: Engine,
    io: Session,
    files: FileSet,
    pool: Arc<BufferPool>,
    log: Log,
    txns: Transactions,
    activity: Activity,
    catalog: RwLock<Arc<Catalog>>,
    tables: Mutex<HashMap<RelationId, Arc<Table>>>,
    /// One change of the catalog at a time.
    ddl: tokio::sync::Mutex<()>,
    /// One checkpoint at a time.
    checkpoint: tokio::sync::Mutex<()>,
    /// Commit records inserted whose transactions are not yet marked committed.
    committing: Mutex<BTreeSet<Xid>>,
    reserved: Mutex<Reservations>,
    system_identifier: u64,
    started: SystemTime,
    /// Why the server must stop.
    fatal: OnceLock<String>,
    fatal_event: tokio::sync::Notify,
    closed: AtomicBool,
    last_redo: AtomicU64,
    method_note: Option<String>,
    _lock: fs::File,
}

/// An open data directory. Clones are the same.
#[derive(Clone)]
pub struct Database {
    inner: Arc<Inner>,
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

fn file_error(action: &str, path: &Path, error: &std::io::Error) -> EngineError {
    let code = match error.raw_os_error() {
        Some(libc::ENOSPC) => "53100",
        Some(libc::EACCES | libc::EPERM) => "42501",
        _ => "58030",
    };
    EngineError::new(code, format!("could not {action} \"{}\": {error}", path.display()))
}

/// The operating system's user, who gets a role of the same name.
fn system_user() -> String {
    std::env::var("USER").or_else(|_| std::env::var("LOGNAME")).ok().filter(|u| !u.is_empty()).unwrap_or_else(|| {
        let passwd = fs::read_to_string("/etc/passwd").unwrap_or_default();
        let own = fs::metadata("/proc/self").map(|m| std::os::unix::fs::MetadataExt::uid(&m).to_string());
        let line = passwd.lines().find(|l| l.split(':').nth(2) == own.as_deref().ok());
        line.and_then(|l| l.split(':').next()).unwrap_or("postgres").to_string()
    })
}

/// Takes the directory for this process. Fails if another server has it.
fn lock_directory(root: &Path) -> Result<fs::File> {
    let path = root.join("inflight.pid");
    let failed = |e: std::io::Error| file_error("open lock file", &path, &e);
    let file = fs::File::options().read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => {
            let owner = fs::read_to_string(&path).unwrap_or_default();
            let owner = owner.lines().next().unwrap_or("?").to_string();
            return Err(EngineError::new("F0001", format!("lock file \"{}\" already exists", path.display()))
                .hint(format!("Is another inflight (PID {owner}) running in data directory \"{}\"?", root.display())));
        }
        Err(fs::TryLockError::Error(e)) => return Err(failed(e)),
    }
    fs::write(&path, format!("{}\n", std::process::id())).map_err(failed)?;
    Ok(file)
}

impl Database {
    /// Makes the directory if it is new, reads the settings, and recovers.
    pub async fn open(options: OpenOptions) -> Result<Database> {
        let (settings, lock) = Self::prepare(&options)?;
        let (engine, method_note) = Self::start_engine(&settings, options.method)?;
        Self::open_with(options.root, settings, engine, method_note, lock).await
    }

    /// The first step of opening, for callers that drive the engine themselves: locks the directory and reads the settings.
    pub fn prepare(options: &OpenOptions) -> Result<(Settings, fs::File)> {
        let root = &options.root;
        fs::create_dir_all(root).map_err(|e| file_error("create directory", root, &e))?;
        let lock = lock_directory(root)?;
        for dir in ["global", "base", "pg_wal"] {
            let path = root.join(dir);
            fs::create_dir_all(&path).map_err(|e| file_error("create directory", &path, &e))?;
        }
        let conf = root.join("inflight.conf");
        if !conf.exists() {
            let text = "# Inflight's settings, in postgresql.conf's syntax. SHOW ALL lists them.\n";
            fs::write(&conf, text).map_err(|e| file_error("create", &conf, &e))?;
        }
        let mut settings = Settings::default();
        for name in ["inflight.conf", "inflight.auto.conf"] {
            match fs::read_to_string(root.join(name)) {
                Ok(text) => settings.read_file(&text, name)?,
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(file_error("read", &root.join(name), &e)),
            }
        }
        for (name, value) in &options.overrides {
            settings.set(name, value, Source::CommandLine)?;
        }
        let shown = fs::canonicalize(root).unwrap_or(root.clone());
        settings.set("data_directory", &shown.display().to_string(), Source::Override)?;
        if settings.integer("io_min_workers") > settings.integer("io_max_workers") {
            return Err(EngineError::new("22023", "io_min_workers must not be larger than io_max_workers"));
        }
        Ok((settings, lock))
    }

    /// The second step: the engine, and why it is not the wanted one, if so.
    pub fn start_engine(settings: &Settings, method: Option<IoMethod>) -> Result<(Engine, Option<String>)> {
        let volume = match settings.get("simulate_volume") {
            "" => None,
            text => Some(text.parse::<VolumeSpec>().map_err(|reason| {
                EngineError::new("22023", format!("invalid value for parameter \"simulate_volume\": {reason}"))
            })?),
        };
        let wanted = method.unwrap_or(settings.get("io_method").parse().expect("checked when it was set"));
        let mut config = aio::Config {
            method: wanted,
            max_sessions: settings.integer("max_connections") as usize + EXTRA_SESSIONS,
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
                let engine = Engine::new(config).map_err(|e| EngineError::new("58000", e.to_string()))?;
                Ok((engine, Some(format!("{error}; using io_method = worker"))))
            }
            Err(error) => Err(EngineError::new("58000", error.to_string())),
        }
    }

    /// The third step: recovery. The engine's completions must be driven by now.
    pub async fn open_with(
        root: PathBuf,
        mut settings: Settings,
        engine: Engine,
        method_note: Option<String>,
        lock: fs::File,
    ) -> Result<Database> {
        if method_note.is_some() {
            settings.set("io_method", "worker", Source::Override)?;
        }
        let direct = settings.bool("io_direct");
        let files = FileSet::new(&root, direct);
        let pool = BufferPool::new(&engine, settings.integer("shared_buffers") as usize)
            .map_err(|e| EngineError::new("53200", format!("could not allocate shared_buffers: {e}")))?;
        let io = engine.session(0, BackendKind::Startup).expect("a fresh engine has sessions");
        let control = match Control::read(&root)? {
            Some(control) => control,
            None => Self::initialise(&root, &files)?,
        };
        pool.set_read_depth(control.read_depth);
        let wal_dir = root.join("pg_wal");
        let mut reader = LogReader::new(&wal_dir, direct, control.redo)?;
        let mut recovery = Recovery {
            catalog: control.catalog,
            next_xid: control.next_xid,
            failed: control.failed.into_iter().collect(),
            reserved: Reservations::new(),
            shapes: HashMap::new(),
            records: 0,
        };
        for (xid, (database, file, first, end)) in control.reserved {
            recovery.reserved.entry(xid).or_default().push((RelationId { database, file }, first..end));
        }
        let started = std::time::Instant::now();
        while let Some(record) = reader.next(&io).await? {
            if recovery.records == 0 {
                tracing::info!(
                    "database system was not properly shut down; redo starts at {}",
                    format_lsn(record.start)
                );
            }
            recovery.replay(&record, &pool, &files, &io).await?;
            if recovery.records.is_multiple_of(100_000) {
                tracing::info!("redo in progress: {} records, at {}", recovery.records, format_lsn(record.end));
            }
        }
        let end = reader.position();
        let tail = reader.tail().to_vec();
        if recovery.records > 0 {
            tracing::info!(
                "redo done at {}: {} records in {:.2} s",
                format_lsn(end),
                recovery.records,
                started.elapsed().as_secs_f64()
            );
        }
        recovery.undo_loads(&pool, &files, &io).await?;
        let log_config = LogConfig { buffers: settings.bytes("wal_buffers"), direct };
        let log = Log::open(&wal_dir, &log_config, end, &tail)?;
        pool.set_gate(Arc::new(Gate { log: log.clone(), io: io.clone() }));
        let database = Database {
            inner: Arc::new(Inner {
                activity: Activity::new(&engine),
                settings: RwLock::new(settings),
                txns: Transactions::new(recovery.next_xid, recovery.failed),
                catalog: RwLock::new(Arc::new(recovery.catalog)),
                tables: Mutex::default(),
                ddl: tokio::sync::Mutex::new(()),
                checkpoint: tokio::sync::Mutex::new(()),
                committing: Mutex::default(),
                reserved: Mutex::default(),
                system_identifier: control.system_identifier,
                started: SystemTime::now(),
                fatal: OnceLock::new(),
                fatal_event: tokio::sync::Notify::new(),
                closed: AtomicBool::new(false),
                last_redo: AtomicU64::new(control.redo),
                root,
                engine,
                io,
                files,
                pool,
                log,
                method_note,
                _lock: lock,
            }),
        };
        database.checkpoint().await?;
        Ok(database)
    }

    fn initialise(root: &Path, files: &FileSet) -> Result<Control> {
        let occupied = |dir: &str| fs::read_dir(root.join(dir)).is_ok_and(|mut d| d.next().is_some());
        if occupied("base") || occupied("pg_wal") {
            return Err(EngineError::new(
                "58P01",
                format!("\"{}\" has data but no file \"global/inflight_control\"", root.display()),
            ));
        }
        let catalog = Catalog::new(&system_user());
        for database in catalog.databases.values() {
            files.create_database(database.oid)?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let control = Control {
            format: FORMAT,
            page_size: PAGE_SIZE,
            system_identifier: (now.as_secs() << 32)
                | (u64::from(now.subsec_micros()) << 12)
                | (u64::from(std::process::id()) & 0xfff),
            redo: FIRST_LSN,
            clean: true,
            next_xid: txn::FIRST_XID,
            failed: vec![],
            reserved: vec![],
            catalog,
            read_depth: 0,
        };
        control.write(root)?;
        Ok(control)
    }

    // What it consists of.

    pub fn engine(&self) -> &Engine {
        &self.inner.engine
    }

    pub fn pool(&self) -> &Arc<BufferPool> {
        &self.inner.pool
    }

    pub fn log(&self) -> &Log {
        &self.inner.log
    }

    pub fn activity(&self) -> &Activity {
        &self.inner.activity
    }

    pub fn root(&self) -> &Path {
        &self.inner.root
    }

    pub fn started(&self) -> SystemTime {
        self.inner.started
    }

    pub fn system_identifier(&self) -> u64 {
        self.inner.system_identifier
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
        self.inner.catalog.read().clone()
    }

    pub fn snapshot(&self, own: Option<Xid>) -> Snapshot {
        self.inner.txns.snapshot(own)
    }

    // Transactions.

    pub fn begin(&self) -> Xid {
        self.inner.txns.begin()
    }

    /// Commits. With `durable` it returns when the commit survives a power loss.
    pub async fn commit(&self, session: &Session, xid: Xid, durable: bool) -> Result<()> {
        if let Err(error) = self.inner.log.reserve(session, 64).await {
            self.abort(session, xid).await;
            return Err(error.into());
        }
        let header = RecordHeader { xid, manager: TRANSACTION, kind: COMMIT };
        let committing = &self.inner.committing;
        // A checkpoint that begins after this record must not count the transaction as failed.
        let lsn = self.inner.log.insert_with(header, &[], || {
            committing.lock().insert(xid);
        });
        if durable && let Err(error) = self.inner.log.flush_to(session, lsn).await {
            // Whether it committed, only recovery can tell.
            self.fail(error.to_string());
            return Err(error.into());
        }
        self.inner.txns.commit(xid);
        committing.lock().remove(&xid);
        self.inner.reserved.lock().remove(&xid);
        Ok(())
    }

    /// Aborts. Blocks of its unfinished loads become empty again.
    pub async fn abort(&self, session: &Session, xid: Xid) {
        let reserved = self.inner.reserved.lock().remove(&xid).unwrap_or_default();
        for (relation, range) in reserved {
            if let Err(error) = self.empty_blocks(session, relation, range.clone()).await {
                // They stay hidden from scans until recovery empties them.
                tracing::error!(%relation, ?range, %error, "could not undo a bulk load");
                continue;
            }
            if let Some(table) = self.inner.tables.lock().get(&relation) {
                table.loading.lock().retain(|(x, r)| *x != xid || *r != range);
            }
        }
        if self.inner.log.reserve(session, 64).await.is_ok() {
            self.inner.log.insert(RecordHeader { xid, manager: TRANSACTION, kind: ABORT }, &[]);
        }
        self.inner.txns.abort(xid);
    }

    async fn empty_blocks(&self, session: &Session, id: RelationId, range: Range<BlockNumber>) -> Result<()> {
        let relation = self.inner.files.open(id)?;
        // The blocks stay reserved: a write of the load may still be on its way to them.
        write_zeros(&self.inner.pool, session, &relation, range).await
    }

    pub(crate) fn note_reservation(&self, xid: Xid, relation: RelationId, range: Range<BlockNumber>) {
        self.inner.reserved.lock().entry(xid).or_default().push((relation, range));
    }

    // The catalog.

    async fn change(&self, session: &Session, change: Change) -> Result<()> {
        let json = serde_json::to_vec(&change).expect("catalog changes are plain data");
        self.inner.log.reserve(session, json.len() + 64).await?;
        let header = RecordHeader { xid: 0, manager: CATALOG, kind: 1 };
        let catalog = &self.inner.catalog;
        // Logged and applied in one step, so that a checkpoint has either both or neither.
        let lsn = self.inner.log.insert_with(header, &[&json], || {
            let mut catalog = catalog.write();
            let mut changed = Catalog::clone(&catalog);
            changed.apply(change);
            *catalog = Arc::new(changed);
        });
        self.inner.log.flush_to(session, lsn).await.inspect_err(|e| self.fail(e.to_string()))?;
        Ok(())
    }

    pub async fn create_database(&self, session: &Session, name: &str, owner: &str) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        if catalog.databases.contains_key(name) {
            return Err(EngineError::new("42P04", format!("database \"{name}\" already exists")));
        }
        let oid = catalog.next_oid;
        self.inner.files.create_database(oid)?;
        let database = DatabaseDef {
            oid,
            name: name.into(),
            owner: owner.into(),
            is_template: false,
            allow_connections: true,
            tables: BTreeMap::new(),
        };
        self.change(session, Change::PutDatabase(database)).await
    }

    pub async fn drop_database(&self, session: &Session, name: &str) -> Result<()> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        let database = catalog
            .databases
            .get(name)
            .ok_or_else(|| EngineError::new("3D000", format!("database \"{name}\" does not exist")))?;
        if database.is_template {
            return Err(EngineError::new("42809", "cannot drop a template database"));
        }
        let others = self.inner.activity.sessions_in(database.oid);
        if others > 0 {
            let detail = match others {
                1 => "There is 1 other session using the database.".to_string(),
                n => format!("There are {n} other sessions using the database."),
            };
            return Err(EngineError::new("55006", format!("database \"{name}\" is being accessed by other users"))
                .detail(detail));
        }
        self.change(session, Change::DropDatabase(name.into())).await?;
        for table in database.tables.values() {
            let id = RelationId { database: database.oid, file: table.file };
            self.inner.tables.lock().remove(&id);
            self.inner.pool.forget(id).await;
        }
        Ok(self.inner.files.remove_database(database.oid)?)
    }

    /// Creates a table; the caller checked that its schema exists.
    pub async fn create_table(
        &self,
        session: &Session,
        database: u32,
        schema: &str,
        name: &str,
        owner: &str,
        columns: Vec<ColumnDef>,
    ) -> Result<Arc<Table>> {
        let _ddl = self.inner.ddl.lock().await;
        let catalog = self.catalog();
        let exists = catalog.database_by_oid(database).and_then(|d| d.table(schema, name)).is_some();
        if exists {
            return Err(EngineError::new("42P07", format!("relation \"{name}\" already exists")));
        }
        let oid = catalog.next_oid;
        let def = Arc::new(TableDef {
            oid,
            file: oid,
            schema: schema.into(),
            name: name.into(),
            owner: owner.into(),
            columns,
        });
        self.inner.files.create(RelationId { database, file: oid })?;
        self.change(session, Change::PutTable { database, table: def.clone(), next_oid: oid + 1 }).await?;
        self.table(database, &def)
    }

    pub async fn drop_table(&self, session: &Session, database: u32, def: &Arc<TableDef>) -> Result<()> {
        let table = self.table(database, def)?;
        let _exclusive = table.exclude().await;
        let _ddl = self.inner.ddl.lock().await;
        self.still_there(database, def)?;
        self.change(session, Change::DropTable { database, oid: def.oid }).await?;
        self.remove_files(RelationId { database, file: def.file }).await
    }

    /// Gives the table new, empty files.
    pub async fn truncate_table(&self, session: &Session, database: u32, def: &Arc<TableDef>) -> Result<()> {
        let table = self.table(database, def)?;
        let _exclusive = table.exclude().await;
        let _ddl = self.inner.ddl.lock().await;
        self.still_there(database, def)?;
        let file = self.catalog().next_oid;
        self.inner.files.create(RelationId { database, file })?;
        let emptied = Arc::new(TableDef { file, ..TableDef::clone(def) });
        self.change(session, Change::PutTable { database, table: emptied, next_oid: file + 1 }).await?;
        self.remove_files(RelationId { database, file: def.file }).await
    }

    /// While one waited for the lock, somebody else may have dropped or truncated the table.
    fn still_there(&self, database: u32, def: &TableDef) -> Result<()> {
        let catalog = self.catalog();
        let now = catalog.database_by_oid(database).and_then(|d| d.tables.get(&def.oid));
        match now {
            Some(now) if now.file == def.file => Ok(()),
            Some(_) => Err(EngineError::new("40001", format!("table \"{}\" was changed by another session", def.name))),
            None => Err(EngineError::new("42P01", format!("table \"{}\" does not exist", def.name))),
        }
    }

    async fn remove_files(&self, id: RelationId) -> Result<()> {
        self.inner.tables.lock().remove(&id);
        self.inner.pool.forget(id).await;
        self.inner.reserved.lock().values_mut().for_each(|ranges| ranges.retain(|(relation, _)| *relation != id));
        Ok(self.inner.files.remove(id)?)
    }

    /// Opens a table.
    pub fn table(&self, database: u32, def: &Arc<TableDef>) -> Result<Arc<Table>> {
        let id = RelationId { database, file: def.file };
        let mut tables = self.inner.tables.lock();
        if let Some(table) = tables.get(&id) {
            return Ok(table.clone());
        }
        let schema = def.arrow_schema();
        let shape = Arc::new(TableShape::new(&schema)?);
        let heap = Heap {
            pool: self.inner.pool.clone(),
            log: self.inner.log.clone(),
            relation: self.inner.files.open(id)?,
            shape,
            target_block: Arc::new(AtomicU32::new(u32::MAX)),
        };
        let table =
            Arc::new(Table { def: def.clone(), schema, database, heap, lock: Arc::default(), loading: Arc::default() });
        tables.insert(id, table.clone());
        Ok(table)
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
        let text = format!(
            "# Do not edit this file manually!\n# It will be overwritten by the ALTER SYSTEM command.\n{}\n",
            lines.join("\n")
        );
        let temporary = self.inner.root.join("inflight.auto.conf.tmp");
        let write = || -> std::io::Result<()> {
            fs::write(&temporary, text)?;
            fs::File::open(&temporary)?.sync_all()?;
            fs::rename(&temporary, &path)?;
            fs::File::open(&self.inner.root)?.sync_all()
        };
        write().map_err(|e| file_error("write", &path, &e))
    }

    // Checkpoints and the end.

    /// Writes everything that is dirty, flushes it, and moves the redo position up.
    pub async fn checkpoint(&self) -> Result<()> {
        self.checkpoint_as(&self.inner.io, false).await
    }

    async fn checkpoint_as(&self, io: &Session, clean: bool) -> Result<()> {
        let _one = self.inner.checkpoint.lock().await;
        let inner = &self.inner;
        let mut state = None;
        let redo = inner.log.begin_checkpoint(|| {
            let committing = inner.committing.lock().clone();
            state = Some((committing, inner.catalog.read().clone()));
        });
        let (committing, catalog) = state.expect("the closure ran");
        let (next_xid, failed) = inner.txns.for_checkpoint();
        let failed = failed.into_iter().filter(|x| !committing.contains(x)).collect();
        let reserved = {
            let reserved = inner.reserved.lock();
            let open = reserved.iter().filter(|(xid, _)| !committing.contains(xid));
            open.flat_map(|(xid, ranges)| ranges.iter().map(|(r, b)| (*xid, (r.database, r.file, b.start, b.end))))
                .collect()
        };
        let pages = inner.pool.dirty_pages();
        let count = pages.len();
        inner.log.flush_to(io, redo).await.inspect_err(|e| self.fail(e.to_string()))?;
        inner.pool.write_dirty(io, &inner.files, pages, IoContext::Normal).await?;
        for relation in inner.files.open_relations() {
            if let Err(error) = WriteStream::sync(io, &relation).await {
                // After a failed flush the kernel may call the pages clean; only the log still has them.
                self.fail(error.to_string());
                return Err(error.into());
            }
        }
        let control = Control {
            format: FORMAT,
            page_size: PAGE_SIZE,
            system_identifier: inner.system_identifier,
            redo,
            clean,
            next_xid,
            failed,
            reserved,
            catalog: Catalog::clone(&catalog),
            read_depth: inner.pool.read_depth(),
        };
        control.write(&inner.root)?;
        inner.last_redo.store(redo, Ordering::Release);
        let keep = (inner.settings.read().integer("max_wal_size") as u64 * (1 << 20) / SEGMENT_SIZE / 4).min(16);
        inner.log.recycle_before(redo, keep as usize)?;
        tracing::debug!(pages = count, redo = format_lsn(redo), "checkpoint complete");
        Ok(())
    }

    /// The checkpointer: runs until the database is closed.
    pub async fn run_checkpointer(&self, mut sleep: impl FnMut(Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>) {
        let Ok(backend) = self.auxiliary(BackendKind::Checkpointer) else { return };
        let mut last = self.inner.engine.clock().now();
        loop {
            sleep(Duration::from_secs(1)).await;
            if self.inner.closed.load(Ordering::Acquire) {
                return;
            }
            let (timeout, max_wal) = {
                let settings = self.inner.settings.read();
                (settings.integer("checkpoint_timeout") as u64, settings.bytes("max_wal_size") as u64)
            };
            let position = self.inner.log.insert_position();
            let redo = self.inner.last_redo.load(Ordering::Acquire);
            let now = self.inner.engine.clock().now();
            let due = now - last > timeout * 1_000_000_000 && position > redo;
            if due || position - redo > max_wal / 2 {
                last = now;
                if let Err(error) = self.checkpoint_as(&backend.io, false).await {
                    tracing::error!(%error, "checkpoint failed");
                }
            }
        }
    }

    /// The background writer: cleans pages when somebody needs them.
    pub async fn run_background_writer(&self) {
        let Ok(backend) = self.auxiliary(BackendKind::BackgroundWriter) else { return };
        let limit = (self.inner.pool.len() / 8).clamp(16, 1024);
        loop {
            self.inner.pool.cleaning_wanted().await;
            if self.inner.closed.load(Ordering::Acquire) {
                return;
            }
            if let Err(error) = self.inner.pool.clean(&backend.io, &self.inner.files, limit).await {
                tracing::error!(%error, "could not write dirty pages");
            }
        }
    }

    fn auxiliary(&self, kind: BackendKind) -> Result<Arc<Backend>> {
        self.inner.activity.enter(kind, None, None, None, 0, None)
    }

    /// Something happened after which nothing may be promised: the server must stop, and recovery start from the log.
    pub fn fail(&self, reason: String) {
        tracing::error!(reason, "the server must stop");
        let _ = self.inner.fatal.set(reason);
        self.inner.fatal_event.notify_waiters();
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
        self.checkpoint_as(&self.inner.io, true).await
    }
}

/// Fills blocks with zeros, durably, and forgets what the pool has of them.
async fn write_zeros(
    pool: &Arc<BufferPool>,
    session: &Session,
    relation: &Arc<storage::Relation>,
    range: Range<BlockNumber>,
) -> Result<()> {
    let mut stream = WriteStream::new(pool, session, IoContext::BulkWrite);
    for block in range {
        let mut buf = stream.buffer().await?;
        buf.fill(0);
        stream.put_zeros(relation, block, buf).await?;
    }
    stream.finish().await?;
    WriteStream::sync(session, relation).await?;
    Ok(())
}

/// The state that recovery builds up.
struct Recovery {
    catalog: Catalog,
    next_xid: Xid,
    failed: BTreeSet<Xid>,
    reserved: Reservations,
    shapes: HashMap<RelationId, Arc<TableShape>>,
    records: u64,
}

impl Recovery {
    async fn replay(&mut self, record: &Record, pool: &Arc<BufferPool>, files: &FileSet, io: &Session) -> Result<()> {
        self.records += 1;
        let RecordHeader { xid, manager, kind } = record.header;
        if xid >= self.next_xid {
            // Ids between were given out too, and cannot have committed without a record.
            self.failed.extend(self.next_xid..=xid);
            self.next_xid = xid + 1;
        }
        match (manager, kind) {
            (TRANSACTION, COMMIT) => {
                self.failed.remove(&xid);
                self.reserved.remove(&xid);
            }
            (TRANSACTION, ABORT) => {}
            (CATALOG, _) => {
                let change = serde_json::from_slice(&record.payload).map_err(|e| {
                    EngineError::new("XX001", format!("invalid catalog record at {}: {e}", format_lsn(record.start)))
                })?;
                self.replay_change(change, pool, files).await?;
            }
            (redo::HEAP, _) => {
                let (catalog, shapes) = (&self.catalog, &mut self.shapes);
                let relation = record_relation(record);
                let shape = match relation {
                    Some(id) => match shapes.get(&id) {
                        Some(shape) => Some(shape.clone()),
                        None => shape_of(catalog, id).inspect(|shape| {
                            shapes.insert(id, shape.clone());
                        }),
                    },
                    None => None,
                };
                redo::replay(record, pool, files, io, |_| shape.clone(), &mut self.reserved).await?;
            }
            _ => {
                return Err(EngineError::new(
                    "XX001",
                    format!("unknown record {manager}/{kind} at {} in the log", format_lsn(record.start)),
                ));
            }
        }
        Ok(())
    }

    async fn replay_change(&mut self, change: Change, pool: &Arc<BufferPool>, files: &FileSet) -> Result<()> {
        // Files: made again if a later drop removed them, removed where the crash came before that.
        let gone = match &change {
            Change::PutDatabase(database) => {
                files.create_database(database.oid)?;
                vec![]
            }
            Change::PutTable { database, table, .. } => {
                let id = RelationId { database: *database, file: table.file };
                if self.catalog.database_by_oid(*database).is_some() && files.open(id).is_err() {
                    files.create(id)?;
                }
                let old = self.catalog.database_by_oid(*database).and_then(|d| d.tables.get(&table.oid));
                old.filter(|old| old.file != table.file)
                    .map(|old| RelationId { database: *database, file: old.file })
                    .into_iter()
                    .collect()
            }
            Change::DropTable { database, oid } => {
                let old = self.catalog.database_by_oid(*database).and_then(|d| d.tables.get(oid));
                old.map(|old| RelationId { database: *database, file: old.file }).into_iter().collect()
            }
            Change::DropDatabase(name) => {
                if let Some(database) = self.catalog.databases.get(name) {
                    for table in database.tables.values() {
                        pool.forget(RelationId { database: database.oid, file: table.file }).await;
                    }
                    files.remove_database(database.oid)?;
                }
                vec![]
            }
        };
        self.catalog.apply(change);
        for id in gone {
            pool.forget(id).await;
            self.shapes.remove(&id);
            self.reserved.values_mut().for_each(|ranges| ranges.retain(|(relation, _)| *relation != id));
            files.remove(id)?;
        }
        Ok(())
    }

    /// Empties the blocks of bulk loads whose transactions did not commit: they may be torn.
    async fn undo_loads(&mut self, pool: &Arc<BufferPool>, files: &FileSet, io: &Session) -> Result<()> {
        for (_, ranges) in std::mem::take(&mut self.reserved) {
            for (id, range) in ranges {
                if shape_of(&self.catalog, id).is_none() {
                    continue;
                }
                let relation = files.open(id)?;
                relation.extend_to(range.end);
                relation.materialise()?;
                write_zeros(pool, io, &relation, range).await?;
            }
        }
        Ok(())
    }
}

fn record_relation(record: &Record) -> Option<RelationId> {
    let database = u32::from_le_bytes(record.payload.get(0..4)?.try_into().ok()?);
    let file = u32::from_le_bytes(record.payload.get(4..8)?.try_into().ok()?);
    Some(RelationId { database, file })
}

fn shape_of(catalog: &Catalog, id: RelationId) -> Option<Arc<TableShape>> {
    let database = catalog.database_by_oid(id.database)?;
    let table = database.tables.values().find(|t| t.file == id.file)?;
    TableShape::new(&table.arrow_schema()).ok().map(Arc::new)
}
