//! The scan node: a table's blocks through read streams, as many as the plan has partitions.

use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use access::Tid;
use aio::BackendKind;
use datafusion::arrow::array::{BooleanArray, RecordBatch};
use datafusion::arrow::compute::filter_record_batch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use engine::{Backend, Database, EngineError, IndexRows, Table, TableScan};
use parking_lot::Mutex;
use storage::{Concurrency, StreamStats};
use txn::Snapshot;

use crate::errors::wrap;
use crate::index_range::IndexRange;

/// What a scan did, for EXPLAIN ANALYZE.
#[derive(Clone, Debug, Default)]
pub struct ScanCounters {
    pub stream: StreamStats,
    pub rows: u64,
    pub removed: u64,
    /// Nanoseconds until the first row, and until the last.
    pub startup: u64,
    pub total: u64,
    pub participants: u64,
}

/// A condition, for EXPLAIN.
pub type Shown = Option<Arc<dyn PhysicalExpr>>;

#[derive(Clone)]
pub struct HeapScanExec {
    database: Database,
    backend: Arc<Backend>,
    pub table: Arc<Table>,
    snapshot: Snapshot,
    concurrency: Concurrency,
    /// The columns read, filters' included.
    read: Arc<[usize]>,
    /// Of those, the columns given on: the first ones.
    given: usize,
    schema: SchemaRef,
    /// Over the columns read.
    pub filter: Option<Arc<dyn PhysicalExpr>>,
    partitions: usize,
    /// Only these rows: the others' scan is over, and these are looked at again.
    only: Option<Arc<[Tid]>>,
    /// Rows are found through an index.
    pub index: Option<IndexRange>,
    /// What the index is asked for, and what is left of the filter, for EXPLAIN.
    pub shown: (Shown, Shown),
    properties: Arc<PlanProperties>,
    /// The scan that the partitions share, made by the first.
    shared: Arc<tokio::sync::OnceCell<Arc<TableScan>>>,
    counters: Arc<Mutex<ScanCounters>>,
}

impl HeapScanExec {
    #[allow(clippy::too_many_arguments)] // What a scan is made of.
    pub fn new(
        database: &Database,
        backend: &Arc<Backend>,
        table: &Arc<Table>,
        snapshot: Snapshot,
        concurrency: Concurrency,
        read: Arc<[usize]>,
        given: usize,
        filter: Option<Arc<dyn PhysicalExpr>>,
        partitions: usize,
        only: Option<Arc<[Tid]>>,
        index: Option<IndexRange>,
        shown: (Shown, Shown),
    ) -> HeapScanExec {
        let described = crate::tables::described_schema(&table.def.columns, true);
        let schema = Arc::new(described.project(&read[..given]).expect("columns of the table"));
        let properties = PlanProperties::new(
            EquivalenceProperties::new(schema.clone()),
            Partitioning::UnknownPartitioning(partitions),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        // Waiting for the device yields often enough, and a scan without waits yields by itself.
        .with_scheduling_type(SchedulingType::Cooperative);
        HeapScanExec {
            database: database.clone(),
            backend: backend.clone(),
            table: table.clone(),
            snapshot,
            concurrency,
            read,
            given,
            schema,
            filter,
            partitions,
            only,
            index,
            shown,
            properties: Arc::new(properties),
            shared: Arc::default(),
            counters: Arc::default(),
        }
    }

    pub fn partitions(&self) -> usize {
        self.partitions
    }

    pub fn counters(&self) -> ScanCounters {
        self.counters.lock().clone()
    }
}

impl fmt::Debug for HeapScanExec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "HeapScanExec({})", self.table.def.name)
    }
}

impl DisplayAs for HeapScanExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Seq Scan on {}", self.table.def.name)
    }
}

impl ExecutionPlan for HeapScanExec {
    fn name(&self) -> &str {
        "HeapScanExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![]
    }

    fn apply_expressions(
        &self,
        f: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        match &self.filter {
            Some(filter) => f(filter),
            None => Ok(TreeNodeRecursion::Continue),
        }
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    /// To run again: a recursive query does for each of its rounds.
    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(HeapScanExec { shared: Arc::default(), ..HeapScanExec::clone(&self) }))
    }

    fn execute(&self, partition: usize, _: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let (database, leader, table) = (self.database.clone(), self.backend.clone(), self.table.clone());
        let (snapshot, concurrency, partitions) = (self.snapshot.clone(), self.concurrency, self.partitions);
        let (read, given, filter) = (self.read.clone(), self.given, self.filter.clone());
        let (shared, counters, schema) = (self.shared.clone(), self.counters.clone(), self.schema.clone());
        let (only, index) = (self.only.clone(), self.index.clone());
        let start = async move {
            // The leader takes part; the others are workers with a session and a pid of their own.
            let backend = if partition == 0 {
                leader
            } else {
                let worker = database.activity().enter(
                    BackendKind::ParallelWorker,
                    leader.database.clone(),
                    leader.user.clone(),
                    None,
                    Some(leader.pid),
                );
                match worker {
                    Ok(worker) => {
                        let query = leader.activity().query;
                        worker.update(|s| s.query = query);
                        worker
                    }
                    Err(_) => leader,
                }
            };
            let scan = shared.get_or_init(|| async { Arc::new(TableScan::new(&table, snapshot, read)) }).await.clone();
            let rows = match only {
                None => match index {
                    Some(range) => Rows::Index(scan.through_index(&backend.io, range.index, range.from, range.to)),
                    None => Rows::Scan(Box::new(scan.participant(&backend.io, concurrency, partitions))),
                },
                Some(only) => Rows::Fetch(Some(only), backend.clone()),
            };
            Ok(Participant {
                rows,
                scan,
                _backend: backend,
                filter,
                given,
                counters,
                started: Instant::now(),
                seen: StreamStats::default(),
                first: true,
            })
        };
        let batches = futures::stream::once(start);
        let batches = futures::StreamExt::flat_map(batches, |started: Result<Participant>| match started {
            Err(error) => futures::future::Either::Left(futures::stream::iter([Err(error)])),
            Ok(participant) => {
                futures::future::Either::Right(futures::stream::try_unfold(participant, Participant::step))
            }
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, batches)))
    }
}

/// Where the rows come from.
enum Rows {
    Scan(Box<access::HeapScan>),
    Index(IndexRows),
    /// These rows, until they were given.
    Fetch(Option<Arc<[Tid]>>, Arc<Backend>),
}

/// One partition at work.
struct Participant {
    rows: Rows,
    scan: Arc<TableScan>,
    /// Keeps a worker in the list of backends while it works.
    _backend: Arc<Backend>,
    filter: Option<Arc<dyn PhysicalExpr>>,
    given: usize,
    counters: Arc<Mutex<ScanCounters>>,
    started: Instant,
    seen: StreamStats,
    first: bool,
}

impl Participant {
    async fn step(mut self) -> Result<Option<(RecordBatch, Participant)>> {
        loop {
            let next = match &mut self.rows {
                Rows::Scan(heap) => heap.next().await.map_err(EngineError::from),
                Rows::Index(rows) => rows.next().await,
                Rows::Fetch(tids, backend) => match tids.take() {
                    None => Ok(None),
                    Some(tids) => self.scan.fetch(&backend.io, &tids).await.map(Some),
                },
            };
            let batch = match next {
                Ok(Some(batch)) => batch,
                Ok(None) => {
                    self.count(0, 0);
                    return Ok(None);
                }
                Err(error) => return Err(wrap(error)),
            };
            let rows = batch.num_rows();
            let batch = match &self.filter {
                None => batch,
                Some(filter) => {
                    let kept = filter.evaluate(&batch)?.into_array(rows)?;
                    let kept = kept.as_any().downcast_ref::<BooleanArray>().expect("a filter is a predicate");
                    filter_record_batch(&batch, kept)?
                }
            };
            self.count(batch.num_rows(), rows - batch.num_rows());
            // A scan of cached pages never waits; others get their turn here.
            tokio::task::consume_budget().await;
            if batch.num_rows() == 0 {
                continue;
            }
            let given: Vec<usize> = (0..self.given).collect();
            let batch = if batch.num_columns() > self.given { batch.project(&given)? } else { batch };
            return Ok(Some((batch, self)));
        }
    }

    fn count(&mut self, rows: usize, removed: usize) {
        let now = match &self.rows {
            Rows::Scan(heap) => heap.stats(),
            Rows::Index(_) | Rows::Fetch(..) => StreamStats::default(),
        };
        let mut counters = self.counters.lock();
        let elapsed = self.started.elapsed().as_nanos() as u64;
        if self.first {
            counters.participants += 1;
            counters.startup = if counters.participants == 1 { elapsed } else { counters.startup.min(elapsed) };
            self.first = false;
        }
        counters.total = counters.total.max(elapsed);
        counters.rows += rows as u64;
        counters.removed += removed as u64;
        let delta = StreamStats {
            hits: now.hits - self.seen.hits,
            reads: now.reads - self.seen.reads,
            operations: now.operations - self.seen.operations,
            waited: now.waited - self.seen.waited,
            device: now.device - self.seen.device,
            depth_sum: now.depth_sum - self.seen.depth_sum,
            max_depth: now.max_depth,
        };
        counters.stream.add(&delta);
        self.seen = now;
    }
}
