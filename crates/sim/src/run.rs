//! One seed: a data directory and its lives. Each life opens it (and may end while it does), compares what it finds with
//! the model, lets clients work, and ends in a crash or cleanly.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use ::error::sqlstate;
use aio::{BackendKind, Config, Engine, Fault, IoMethod, OpKind, Random, SimConfig, SimDisk};
use engine::{Database, EngineError, OpenOptions};

use crate::clients::{self, BANK, BANK_ACCOUNTS, BANK_BALANCE, JOURNAL, PGBENCH, World};
use crate::columns;
use crate::definitions;
use crate::draws;
use crate::executor::{Ended, Executor};
use crate::model::{Model, Rows};
use crate::table;

/// A bug put in on purpose, to see whether the simulator finds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Bug {
    /// A checkpoint does not flush the files it has written.
    SkipFlush,
    /// A commit is reported before it is durable.
    EarlyAck,
    /// A reader is told of a commit before it is durable.
    EarlyTell,
    /// The first change of a page after a checkpoint does not log the whole page.
    NoImages,
    /// VACUUM takes blocks for all-visible before it has looked at them and at the indexes.
    EarlyVisible,
    /// VACUUM takes slots for free that a transaction has: they are given out twice.
    EarlyReuse,
    /// VACUUM gives blocks at a table's end back that the log since the last checkpoint is about.
    EarlyCut,
    /// A definition is put as the session saw it, over what others have changed of it meanwhile.
    StaleDefinitions,
    /// Added columns are known by their positions, which others have after a rollback.
    ReusedNumbers,
    /// DROP TABLE removes files before it has committed: a crash or a rollback leaves rows of the catalog without them.
    EarlyRemoval,
}

/// What a seed did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub lives: u64,
    pub crashes: u64,
    pub commits: u64,
    pub steps: u64,
    /// Blocks that VACUUM gave back.
    pub blocks_cut: u64,
    /// Of everything that happened: two runs of a seed have the same.
    pub digest: u64,
}

/// The most steps that opening, checking or closing may take: beyond that it counts as hanging.
const PATIENCE: u64 = 2_000_000;

struct Sim {
    dir: tempfile::TempDir,
    disk: Arc<SimDisk>,
    random: Rc<Random>,
    model: Rc<RefCell<Model>>,
    next: Rc<Cell<i32>>,
    told: Rc<Cell<i64>>,
    bug: Option<Bug>,
    report: Report,
}

/// How opening went.
enum Opened {
    Ready(Database),
    Crashed,
}

/// Runs a seed. The error says what was wrong.
pub fn run(seed: u64, bug: Option<Bug>) -> Result<Report, String> {
    let parent = if Path::new("/dev/shm").is_dir() { "/dev/shm".into() } else { std::env::temp_dir() };
    let dir = tempfile::Builder::new().prefix("inflight-sim-").tempdir_in(parent).map_err(|e| e.to_string())?;
    let mut sim = Sim {
        dir,
        disk: Arc::default(),
        random: Rc::new(Random::new(seed)),
        model: Rc::default(),
        next: Rc::default(),
        told: Rc::default(),
        bug,
        report: Report::default(),
    };
    let lives = 2 + sim.random.below(3);
    for life in 0..lives {
        sim.life(life + 1 == lives)?;
    }
    sim.flip_a_bit()?;
    let mut report = sim.report;
    report.commits = sim.model.borrow().commits;
    report.blocks_cut = sim.model.borrow().blocks_cut;
    Ok(report)
}

impl Sim {
    fn engine(&self) -> Engine {
        let random = &self.random;
        let sim = SimConfig {
            seed: random.next(),
            latency: (10_000, 20_000 + random.below(1_000_000)),
            short_permille: [0, 20, 100][random.below(3) as usize],
            interrupt_permille: [0, 20][random.below(2) as usize],
            disk: Some(self.disk.clone()),
        };
        let config = Config { method: IoMethod::Sim, max_sessions: 24, max_concurrency: 8, sim, ..Config::default() };
        Engine::new(config).expect("the simulated method can always be set up")
    }

    fn options(&self) -> OpenOptions {
        let buffers = ["512kB", "1MB", "4MB"][self.random.below(3) as usize];
        let images = if self.bug == Some(Bug::NoImages) { "off" } else { "on" };
        let overrides = [
            ("shared_buffers", buffers),
            ("io_max_concurrency", "8"),
            ("max_connections", "10"),
            ("wal_buffers", "2MB"),
            ("max_wal_size", "4MB"),
            ("min_wal_size", "2MB"),
            ("io_direct", "off"),
            ("full_page_writes", images),
            ("wal_compression", ["lz4", "off"][self.random.below(2) as usize]),
            ("wal_sync_method", ["auto", "open_datasync", "fdatasync"][self.random.below(3) as usize]),
        ];
        OpenOptions {
            root: self.dir.path().join("data"),
            overrides: overrides.map(|(name, value)| (name.to_string(), value.to_string())).into(),
            method: Some(IoMethod::Sim),
            wal_segment_size: Some(1 << 20),
            skip_checkpoint_flushes: self.bug == Some(Bug::SkipFlush),
        }
    }

    /// The power goes, and comes back; or the server alone dies.
    fn crash(&mut self, engine: Engine, executor: Executor<'_>, rest: impl Sized) {
        self.report.steps += executor.steps;
        self.digest(&[executor.steps, engine.clock().now()]);
        drop(executor);
        engine.lose_power();
        drop(rest);
        drop(engine);
        let seed = self.random.next();
        if self.random.percent(75) {
            self.disk.crash(seed);
        } else {
            self.disk.kill(seed);
        }
        self.report.crashes += 1;
    }

    fn digest(&mut self, values: &[u64]) {
        for value in values {
            self.report.digest = (self.report.digest ^ value).wrapping_mul(0x0000_0100_0000_01b3).rotate_left(17);
        }
    }

    /// Opens the directory; crashes in the middle of it if `steps` do not suffice.
    fn open(&self, engine: &Engine, executor: &mut Executor<'_>, steps: u64, faulty: bool) -> Result<Opened, String> {
        let options = self.options();
        let (settings, lock) = Database::prepare(&options).map_err(|e| format!("opening: {e}"))?;
        let outcome: Rc<RefCell<Option<Result<Database, EngineError>>>> = Rc::default();
        let (result, of) = (outcome.clone(), engine.clone());
        executor.spawn(async move {
            let opened = Database::open_with(options, settings, of, None, lock).await;
            *result.borrow_mut() = Some(opened);
        });
        match executor.run(steps, || outcome.borrow().is_some()) {
            Ended::Stuck => return Err("opening never ends: no task can go on".into()),
            Ended::Steps if steps == PATIENCE => return Err("opening does not end".into()),
            Ended::Steps => return Ok(Opened::Crashed),
            Ended::Done => {}
        }
        match outcome.take().expect("it is done") {
            Ok(db) => Ok(Opened::Ready(db)),
            Err(_) if faulty => Ok(Opened::Crashed),
            Err(error) => Err(format!("the directory cannot be opened: {} {error}", error.code)),
        }
    }

    fn inject(&self, engine: &Engine) {
        let random = &self.random;
        let (kind, file, errno) = match random.below(9) {
            0 => (OpKind::Read, "base/", libc::EIO),
            1 => (OpKind::Write, "base/", libc::EIO),
            2 => (OpKind::Write, "base/", libc::ENOSPC),
            3 => (OpKind::Write, "pg_wal", libc::ENOSPC),
            4 => (OpKind::WriteFlush, "pg_wal", libc::EIO),
            5 => (OpKind::Write, "pg_wal", libc::EIO),
            6 => (OpKind::Fsync, "", libc::EIO),
            7 => (OpKind::Allocate, "base/", libc::ENOSPC),
            _ => (OpKind::Fdatasync, "", libc::EIO),
        };
        let (skip, count) = (random.below(60) as u32, 1 + random.below(3) as u32);
        engine.inject(Fault { kind, file: file.into(), skip, count, errno: Some(errno) });
    }

    /// Runs a task to its end.
    fn finish<T: 'static>(
        executor: &mut Executor<'_>,
        what: &str,
        task: impl Future<Output = T> + 'static,
    ) -> Result<T, String> {
        let outcome: Rc<RefCell<Option<T>>> = Rc::default();
        let result = outcome.clone();
        executor.spawn(async move {
            let value = task.await;
            *result.borrow_mut() = Some(value);
        });
        match executor.run(PATIENCE, || outcome.borrow().is_some()) {
            Ended::Done => Ok(outcome.take().expect("it is done")),
            Ended::Stuck => Err(format!("{what}: no task can go on, and nothing is to come")),
            Ended::Steps => Err(format!("{what} does not end")),
        }
    }

    fn compare(&self, mut found: BTreeMap<String, Rows>) -> Result<(), String> {
        let mut model = self.model.borrow_mut();
        if let Some(journal) = found.get_mut(JOURNAL) {
            // It has its own rule; the model's table stays empty.
            let keys: Vec<i32> = std::mem::take(journal).into_keys().collect();
            let contiguous = keys.iter().enumerate().all(|(at, key)| at as i32 == *key);
            if !contiguous || keys.len() < model.journal_durable || keys.len() > model.journal.len() + 1 {
                return Err(format!(
                    "the journal has {keys:?}, of which {} were durable and {} reported",
                    model.journal_durable,
                    model.journal.len()
                ));
            }
            model.journal_durable = keys.len();
            model.journal = keys;
        }
        model.recover(&found)
    }

    fn life(&mut self, last: bool) -> Result<(), String> {
        self.report.lives += 1;
        let engine = self.engine();
        let random = self.random.clone();
        let mut executor = Executor::new(&engine, &random);
        let faulty = !last && random.percent(30);
        if faulty && random.percent(30) {
            self.inject(&engine);
        }
        // The crash may come while the last one is being mended.
        let steps = if !last && random.percent(25) { random.below(1500) } else { PATIENCE };
        let db = match self.open(&engine, &mut executor, steps, faulty)? {
            Opened::Ready(db) => db,
            Opened::Crashed => {
                self.crash(engine, executor, ());
                return Ok(());
            }
        };
        let world = Rc::new(World {
            db: db.clone(),
            random: random.clone(),
            model: self.model.clone(),
            faulty: Cell::new(faulty),
            early_ack: self.bug == Some(Bug::EarlyAck),
            early_tell: self.bug == Some(Bug::EarlyTell),
            early_visible: self.bug == Some(Bug::EarlyVisible),
            early_reuse: self.bug == Some(Bug::EarlyReuse),
            early_cut: self.bug == Some(Bug::EarlyCut),
            stale_definitions: self.bug == Some(Bug::StaleDefinitions),
            reused_numbers: self.bug == Some(Bug::ReusedNumbers),
            early_removal: self.bug == Some(Bug::EarlyRemoval),
            stopping: Cell::new(false),
            clients: Cell::new(0),
            problem: RefCell::default(),
            next: self.next.clone(),
            told: self.told.clone(),
        });
        // Pages are cleaned whatever needs room for others.
        let writer = db.clone();
        executor.spawn(async move { writer.run_background_writer().await });
        let backend = world.backend(BackendKind::Client);
        let of = db.clone();
        let found =
            Self::finish(&mut executor, "reading everything", async move { table::everything(&of, &backend).await })?;
        match found {
            Ok(found) => self.compare(found)?,
            Err(_) if faulty => {
                self.crash(engine, executor, (db, world));
                return Ok(());
            }
            Err(error) => return Err(format!("after opening: {} {error}", error.code)),
        }
        if faulty {
            self.inject(&engine);
        }
        let maker = world.clone();
        Self::finish(&mut executor, "making tables", async move { clients::set_up(&maker).await })?;
        if world.model.borrow().tables.is_empty() {
            // A fault was in the way.
            if let Some(problem) = world.problem.take() {
                return Err(problem);
            }
            self.crash(engine, executor, (db, world));
            return Ok(());
        }
        let of = db.clone();
        executor.spawn(async move { of.run_log_writer().await });
        let of = db.clone();
        executor.spawn(async move { of.run_checkpointer().await });
        let clients = 1 + random.below(6) as usize;
        // Not both: a commit that changes the catalog waits for others' to be durable when its locks are given back, and the model
        // knows of it only then.
        let defines = random.percent(50);
        world.clients.set(clients + if defines { 5 } else { 4 });
        (0..clients).for_each(|_| executor.spawn(clients::run(world.clone())));
        executor.spawn(clients::journal(world.clone()));
        executor.spawn(draws::run(world.clone()));
        match defines {
            true => (0..2).for_each(|_| executor.spawn(definitions::run(world.clone()))),
            false => executor.spawn(columns::run(world.clone())),
        }
        executor.spawn(clients::maintain(world.clone()));
        let steps = random.below(if random.percent(5) { 10_000 } else { 800 });
        let ended = executor.run(steps, || world.is_over());
        if let Some(problem) = world.problem.take() {
            return Err(problem);
        }
        if ended == Ended::Stuck {
            return Err("clients: no task can go on, and nothing is to come".into());
        }
        if world.db.failure().is_some() && !faulty {
            return Err(format!("the server stopped: {:?}", world.db.failure()));
        }
        let clean = last || random.percent(25);
        if !clean || faulty {
            self.crash(engine, executor, (db, world));
            return if last { Err("the last life has no faults".into()) } else { Ok(()) };
        }
        world.stopping.set(true);
        let ended = executor.run(PATIENCE, || world.clients.get() == 0);
        if let Some(problem) = world.problem.take() {
            return Err(problem);
        }
        if ended != Ended::Done {
            return Err(format!("clients do not end: {ended:?}"));
        }
        self.sums()?;
        let (of, backend) = (db.clone(), world.backend(BackendKind::Client));
        let checked = async move { table::check_chunks(&of, &backend).await };
        Self::finish(&mut executor, "counting chunks", checked)?.map_err(|e| format!("chunks: {e}"))?;
        let of = db.clone();
        Self::finish(&mut executor, "closing", async move { of.close().await })?
            .map_err(|e| format!("closing: {e}"))?;
        self.report.steps += executor.steps;
        self.digest(&[executor.steps, engine.clock().now()]);
        drop(executor);
        drop((world, db));
        drop(engine);
        // What was not flushed may go all the same.
        self.disk.crash(self.random.next());
        let mut model = self.model.borrow_mut();
        model.journal_durable = model.journal.len();
        Ok(())
    }

    /// What must hold whatever the clients did.
    fn sums(&self) -> Result<(), String> {
        let model = self.model.borrow();
        let sum = |name: &str| model.tables[name].values().map(|row| i64::from(row.value)).sum::<i64>();
        if sum(BANK) != i64::from(BANK_ACCOUNTS) * i64::from(BANK_BALANCE) {
            return Err(format!("the bank has {}", sum(BANK)));
        }
        let sums = PGBENCH.map(|(name, _)| sum(name));
        if sums.iter().any(|s| *s != sums[0]) {
            return Err(format!("pgbench's sums are {sums:?}"));
        }
        Ok(())
    }

    /// A bit changes on the disk: a client that reads that page is told, and none is given anything wrong.
    fn flip_a_bit(&mut self) -> Result<(), String> {
        let base = self.dir.path().join("data/base/5");
        let mut files: Vec<_> =
            std::fs::read_dir(&base).map_err(|e| e.to_string())?.flatten().map(|e| e.path()).collect();
        files.sort();
        files.retain(|path| path.metadata().is_ok_and(|m| m.len() > 0));
        if files.is_empty() {
            return Ok(());
        }
        let path = &files[self.random.below(files.len() as u64) as usize];
        let mut bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        let at = self.random.below(bytes.len() as u64) as usize;
        bytes[at] ^= 1 << self.random.below(8);
        std::fs::write(path, bytes).map_err(|e| e.to_string())?;
        let engine = self.engine();
        let random = self.random.clone();
        let mut executor = Executor::new(&engine, &random);
        let Ok(Opened::Ready(db)) = self.open(&engine, &mut executor, PATIENCE, true) else { return Ok(()) };
        let writer = db.clone();
        executor.spawn(async move { writer.run_background_writer().await });
        let backend =
            db.activity().enter(BackendKind::Client, None, None, None, None).map_err(|e| format!("entering: {e}"))?;
        let of = db.clone();
        match Self::finish(&mut executor, "reading everything", async move { table::everything(&of, &backend).await })?
        {
            Err(error) if error.code == sqlstate::DATA_CORRUPTED => Ok(()),
            Err(error) => Err(format!("a changed bit: {} {error}", error.code)),
            Ok(found) => self.compare(found).map_err(|problem| format!("a changed bit was not noticed: {problem}")),
        }
    }
}
