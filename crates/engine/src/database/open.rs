//! The first steps of opening a database: its directory and settings are read, the engine starts, memory is divided, and a new
//! directory gets what a cluster begins with.

use super::configuration::read_configuration;
use crate::data_directory::files::{file_error, system_user};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use ::error::sqlstate;
use access::UNDO;
use aio::{BackendKind, Engine, IoMethod, Session, VolumeSpec};
use storage::{BufferPool, FileSet, PAGE_SIZE};
use wal::{Probe, SyncMethod, probe_sync_method};

use super::Database;
use crate::catalog::file::CatalogFile;
use crate::catalog::new_cluster;
use crate::checkpoint::clean_as_needed;
use crate::checkpoint::counters::BackgroundWriterCounters;
use crate::data_directory::DataDirectory;
use crate::data_directory::control::{Control, FORMAT};
use crate::memory::{Division, watch_long_values};
use crate::sort::temporary_directory;
use crate::{EngineError, Result};
use config::{Settings, Source, find};

/// Sessions beside clients and workers: checkpointer, writers, startup and its tasks, clients that are about to be gone.
const EXTRA_SESSIONS: usize = 40;

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

    /// How many may do I/O at once. None takes another's place: clients have places, workers have places, and so have the hands
    /// by which leaders of workers take part.
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
        let uncounted = BackgroundWriterCounters::default();
        // Recovery makes more pages dirty than there may be buffers.
        tokio::select! {
            biased;
            opened = Self::recover(options, settings, engine, memory, method_note, directory, &files, &pool) => opened,
            () = clean_as_needed(&pool, &files, &cleaner, &uncounted, || false) => unreachable!("it ends when it is told to"),
        }
    }

    /// How the log is flushed; under `wal_sync_method = auto` tries which way is best, and shows that.
    pub(super) async fn choose_sync_method(
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

    pub(super) fn initialise(root: &Path, files: &FileSet, segment_size: u64) -> Result<Control> {
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
}
