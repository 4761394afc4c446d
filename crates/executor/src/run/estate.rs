//! A statement that runs: PostgreSQL's `EState`.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::sync::{Arc, OnceLock};

use access::Tid;
use analyze::query::RangeTableIndex;
use arrow_array::ArrayRef;
use async_trait::async_trait;
use catalog::Catalog;
use datafusion_common::DataFusionError;
use datafusion_execution::TaskContext;
use datafusion_execution::config::SessionConfig;
use datafusion_execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion_execution::memory_pool::MemoryPool;
use datafusion_execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use engine::{Backend, Database, SequenceDef, Table, WriteOptions};
use error::sqlstate;
use expression::Execution;
use hashbrown::HashMap;
use parking_lot::Mutex;
use storage::Concurrency;
use txn::Snapshot;
use types::{Datum, Oid};

use crate::batch::{BATCH_ROWS, Batch};
use crate::error::{Error, Result};
use crate::memory::counted_files::CountedFiles;
use crate::memory::{QueryMemory, Reservation, SORT_PART, SortMemory, ValueMemory};
use crate::run::instrument::NodeCounters;
use crate::run::plan_tree::PlanTree;
use crate::run::rows::BoxRows;
use crate::run::transaction::{Guard, SharedTransaction};

/// What a statement runs in: what the session gives to [`crate::ExecPlan::start`].
#[derive(Clone)]
pub struct Environment {
    pub database: Database,
    pub backend: Arc<Backend>,
    pub transaction: SharedTransaction,
    pub snapshot: Snapshot,
    /// Opens tables.
    pub tables: Arc<dyn Tables>,
    /// The users' objects and the search path, for what looks into the catalogs when it runs.
    pub objects: Option<Arc<catalog::Objects>>,
    pub search_path: Arc<[Oid]>,
    /// The session's state for functions, and the values of `$1`, `$2` …
    pub execution: Execution,
    pub settings: Settings,
    /// The portal that takes the statement's rows may leave before the end: so many of the first ones may be enough.
    pub first_rows: Option<usize>,
}

/// The tables of a database, as the statement's transaction sees them.
pub trait Tables: Send + Sync {
    /// Opens a table.
    fn open(&self, table: Oid) -> Result<Arc<Table>>;

    /// A sequence, and the database that it is in.
    fn sequence(&self, sequence: Oid) -> Result<(Oid, Arc<SequenceDef>)>;
}

/// Settings that running a statement asks for.
#[derive(Clone)]
pub struct Settings {
    /// In bytes.
    pub work_mem: usize,
    /// Tasks that may scan one table at once, the session included.
    pub participants: usize,
    /// Workers of all sessions together, at most.
    pub parallel_workers: usize,
    pub concurrency: Concurrency,
    pub write: WriteOptions,
}

/// What all parts of a running statement share.
pub struct EState {
    pub environment: Environment,
    pub plan: Arc<PlanTree>,
    pub memory: Arc<QueryMemory>,
    /// For what cannot go to disk.
    values: OnceLock<Arc<dyn MemoryPool>>,
    task: OnceLock<Arc<TaskContext>>,
    /// What nodes keep from one run of theirs to the next.
    pub caches: Vec<Arc<Mutex<Cache>>>,
    /// What nodes did, if they are watched.
    pub instrumentation: Vec<Arc<NodeCounters>>,
    /// What hash tables of subqueries hold.
    pub hashed: tokio::sync::Mutex<Option<Reservation>>,
    /// Rows that the statement has inserted, updated or deleted.
    pub processed: std::sync::atomic::AtomicU64,
    /// What is told when the statement is asked for more rows, for those before it were given; and whose it is.
    pub failure: Mutex<Option<(usize, Error)>>,
    /// The caller that has asked for its rows will ask for all of them.
    pub all_wanted: AtomicBool,
}

/// A part of a running statement: what is the same for all nodes of the part. Parameters differ from part to part: what
/// runs for each row of another part runs in a `Run` of its own.
pub type Run = Arc<RunState>;

#[derive(Clone)]
pub struct RunState {
    pub estate: Arc<EState>,
    pub snapshot: Snapshot,
    pub execution: Execution,
    pub scope: Arc<Scope>,
    /// What runs it: the session, or a worker of it.
    pub backend: Arc<Backend>,
    /// Which of the tasks that read one table together it is.
    pub participant: usize,
    /// It may be read by several tasks at once, where all rows are wanted.
    pub parallel: bool,
    /// So many more rows are wanted of the node that was started with this, and nothing is computed for others: they might
    /// fail, or call what may be called for these rows only.
    pub bound: Option<Arc<AtomicUsize>>,
    /// The node above may leave early: so many of its first rows may be enough. It may give more. `None`: it
    /// takes all of them. See [`crate::expr::pace`].
    pub first_rows: Option<usize>,
    /// What pages are asked for with.
    pub io: aio::Session,
    /// The node that runs, if it is watched.
    pub watched: Option<Arc<NodeCounters>>,
}

/// What nodes further in find by number.
#[derive(Clone, Default)]
pub struct Scope {
    /// What fills `Exec` parameters that have no value yet.
    pub init_plans: Vec<(u32, Arc<dyn ParamPlan>)>,
    pub ctes: Vec<(usize, Arc<dyn SharedRows>)>,
    pub work_tables: Vec<(u32, Arc<WorkTable>)>,
    /// Rows are looked at again (EvalPlanQual).
    pub recheck: Option<Arc<Recheck>>,
}

/// A plan that gives parameters their values when one is asked for first: an init plan.
#[async_trait]
pub trait ParamPlan: Send + Sync {
    /// Computes them, unless they are there (`ExecSetParamPlan`).
    async fn set_parameters(&self) -> Result<()>;
}

/// Rows that several read: those of a CTE.
pub trait SharedRows: Send + Sync {
    /// All of them, from the first on. `first_rows`: so many may be enough; the first of the readers says how the rows begin.
    fn read(self: Arc<Self>, first_rows: Option<usize>) -> BoxRows;
}

/// The rows of the last round of a recursive query.
#[derive(Default)]
pub struct WorkTable(pub Mutex<Vec<Batch>>);

/// What a Memoize node keeps while a statement runs: rows, by the values that they are for.
#[derive(Default)]
pub struct Cache {
    pub entries: HashMap<Vec<Datum>, Vec<Batch>>,
    pub bytes: usize,
}

/// The rows that scans are to give instead of all they would find; `None`: there is none.
pub struct Recheck {
    pub rows: Vec<(RangeTableIndex, Option<RecheckedRow>)>,
}

/// The row that an entry has in a recheck.
pub enum RecheckedRow {
    /// A table's, as a snapshot sees it.
    Of(Tid, Snapshot),
    /// That of what is no table: a column with one record, which was carried along (`ROW_MARK_COPY`).
    Copy(ArrayRef),
}

impl EState {
    pub fn new(environment: Environment, plan: Arc<PlanTree>) -> EState {
        let memory = QueryMemory::new(environment.database.work_memory(), environment.settings.work_mem);
        let caches = (0..plan.slots).map(|_| Arc::default()).collect();
        let (memory, values, task) = (Arc::new(memory), OnceLock::new(), OnceLock::new());
        let instrumentation = (0..plan.watched).map(|_| Arc::default()).collect();
        let (hashed, processed, failure, all_wanted) = Default::default();
        EState {
            environment,
            plan,
            memory,
            values,
            task,
            caches,
            instrumentation,
            hashed,
            processed,
            failure,
            all_wanted,
        }
    }

    /// What the statement's nodes may hold, in bytes. It may be less when the statement has its share.
    pub fn memory_limit(&self) -> usize {
        self.memory.limit()
    }

    /// This part of it, but no more than `most` bytes.
    pub fn part_of_memory(&self, part: usize, most: usize) -> usize {
        most.min(self.memory_limit() / part)
    }

    pub fn catalog(&self) -> Catalog<'_> {
        Catalog {
            search_path: &self.environment.search_path,
            objects: self.environment.objects.as_deref(),
            viewer: None,
        }
    }

    pub fn table(&self, table: Oid) -> Result<Arc<Table>> {
        let table = self.environment.tables.open(table)?;
        let moved_by = table.def.moved_by;
        if moved_by != 0 && !self.environment.snapshot.sees(moved_by, 0) {
            let message = format!(
                "could not serialize access: table \"{}\" was written anew since the transaction began",
                table.def.name
            );
            return Err(Error::new(sqlstate::T_R_SERIALIZATION_FAILURE, message));
        }
        Ok(table)
    }

    /// What DataFusion's operators run in.
    pub fn task(&self) -> Result<Arc<TaskContext>> {
        if let Some(task) = self.task.get() {
            return Ok(task.clone());
        }
        let directory: PathBuf = self.environment.database.temporary_directory();
        // DataFusion makes it, too, but fails where another statement does so at the same time.
        std::fs::create_dir_all(&directory).map_err(DataFusionError::from)?;
        // Which session may have how much of the disk `temp_file_limit` says.
        let disk = DiskManagerBuilder::default()
            .with_mode(DiskManagerMode::Directories(vec![directory]))
            .with_max_temp_directory_size(u64::MAX);
        let files = self.environment.settings.write.temporary.clone();
        let files = Arc::new(CountedFiles { disk: Arc::new(disk.build().map_err(Error::from)?), files });
        let disk = DiskManagerBuilder::default().with_temp_file_factory(files);
        let runtime =
            RuntimeEnvBuilder::new().with_memory_pool(self.memory.clone()).with_disk_manager_builder(disk).build_arc();
        let task = TaskContext::default().with_runtime(runtime.map_err(Error::from)?);
        Ok(self.task.get_or_init(|| Arc::new(task)).clone())
    }

    /// The same for a sort that writes and merges batches of so many rows, once the statement has its share.
    pub fn sort_task(&self, rows: usize) -> Result<Arc<TaskContext>> {
        let task = self.task()?;
        let memory_pool = Arc::new(SortMemory::new(&self.memory));
        let runtime = RuntimeEnv { memory_pool, ..RuntimeEnv::clone(&task.runtime_env()) };
        // What is kept for merging: little of little.
        let merging = self.part_of_memory(SORT_PART, 10 << 20);
        let config =
            SessionConfig::new().with_batch_size(rows.min(BATCH_ROWS)).with_sort_spill_reservation_bytes(merging);
        Ok(Arc::new(TaskContext::default().with_runtime(Arc::new(runtime)).with_session_config(config)))
    }
}

impl RunState {
    /// The whole statement.
    pub fn new(estate: &Arc<EState>) -> Run {
        let environment = &estate.environment;
        let execution = environment.execution.clone().with_parameters(estate.plan.parameters.len());
        Arc::new(RunState {
            estate: estate.clone(),
            snapshot: environment.snapshot.clone(),
            execution,
            scope: Arc::default(),
            backend: environment.backend.clone(),
            participant: 0,
            parallel: estate.plan.parallel && environment.settings.participants > 1,
            bound: None,
            first_rows: environment.first_rows,
            io: environment.backend.io.clone(),
            watched: None,
        })
    }

    /// The same for a node of which so many rows are wanted.
    pub fn bounded(&self, bound: usize) -> Run {
        Arc::new(RunState { bound: Some(Arc::new(bound.into())), first_rows: Some(bound), ..self.clone() })
    }

    /// The same for a node of which all rows are wanted.
    pub fn for_all_rows(self: &Arc<Self>) -> Run {
        match (&self.bound, self.first_rows) {
            (None, None) => self.clone(),
            _ => Arc::new(RunState { bound: None, first_rows: None, ..RunState::clone(self) }),
        }
    }

    /// The same for a node of which so many rows may be enough.
    pub fn with_first_rows(&self, rows: usize) -> Run {
        Arc::new(RunState { bound: None, first_rows: Some(rows), ..self.clone() })
    }

    /// The same for several tasks that share the work: the session, by a hand of its own, and as many workers as there are places for.
    /// `None`: there are none.
    pub fn shared(&self) -> Option<Vec<Run>> {
        let settings = &self.environment().settings;
        let (activity, leader) = (self.environment().database.activity(), &self.environment().backend);
        let workers =
            (1..settings.participants).map_while(|_| activity.enter_parallel(leader, settings.parallel_workers));
        let mut hands: Vec<Arc<Backend>> = workers.collect();
        if hands.is_empty() {
            return None;
        }
        hands.insert(0, activity.own_hand(leader)?);
        Some(hands.into_iter().enumerate().map(|(participant, hand)| self.in_hand(participant, hand)).collect())
    }

    fn in_hand(&self, participant: usize, backend: Arc<Backend>) -> Run {
        let io = match &self.watched {
            Some(node) => backend.io.watched(node.usage.clone()),
            None => backend.io.clone(),
        };
        Arc::new(RunState { backend, io, participant, parallel: false, ..self.clone() })
    }

    /// The same, but some parameters have these values, which are in the parameters' representations.
    pub fn with_parameters(&self, values: impl IntoIterator<Item = (u32, ArrayRef)>) -> Run {
        Arc::new(RunState { execution: self.execution.with(values), parallel: false, ..self.clone() })
    }

    pub fn with_scope(&self, change: impl FnOnce(&mut Scope)) -> Run {
        let mut run = self.clone();
        change(Arc::make_mut(&mut run.scope));
        Arc::new(run)
    }

    /// The same for a node that is watched.
    pub fn watched(&self, node: &Arc<NodeCounters>) -> Run {
        let io = self.io.watched(node.usage.clone());
        Arc::new(RunState { io, watched: Some(node.clone()), ..self.clone() })
    }

    /// The transaction, to write with.
    pub async fn transaction(&self) -> Guard<'_> {
        let transaction = &self.environment().transaction;
        match self.watched {
            Some(_) => transaction.lock_watched(&self.io).await,
            None => transaction.lock().await,
        }
    }

    pub fn reserve(&self, name: &'static str) -> Reservation {
        let memory: Arc<dyn MemoryPool> = self.estate.memory.clone();
        Reservation::new(&memory, name)
    }

    /// The same for what has to be in memory as a whole.
    pub fn reserve_value(&self, name: &'static str) -> Reservation {
        let shared = self.environment().database.work_memory();
        let values = self.estate.values.get_or_init(|| Arc::new(ValueMemory::new(shared)));
        Reservation::new(values, name)
    }

    pub fn environment(&self) -> &Environment {
        &self.estate.environment
    }

    /// How deep a table is read: as its tablespace says, or the session.
    pub fn concurrency(&self, table: &Table) -> Concurrency {
        let environment = self.environment();
        let said = match table.def.tablespace {
            0 => None,
            tablespace => environment.database.catalog().concurrency(tablespace, "effective_io_concurrency"),
        };
        said.unwrap_or(environment.settings.concurrency)
    }

    /// The row of an entry that is looked at again: the outer `None`: it is scanned as always; the inner one: there is no row.
    pub fn looked_at_again(&self, relation: RangeTableIndex) -> Option<Option<&RecheckedRow>> {
        let rows = &self.scope.recheck.as_ref()?.rows;
        rows.iter().find(|(entry, _)| *entry == relation).map(|(_, row)| row.as_ref())
    }

    pub fn session(&self) -> &aio::Session {
        &self.io
    }
}
