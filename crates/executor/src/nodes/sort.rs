//! Sort: in memory while the rows are few, else by DataFusion's sort, which writes to disk what its memory does not hold.
//! IncrementalSort is the same for rows that come sorted by the first keys: those that are equal in them are sorted together,
//! and given before the next ones are read.

use std::fmt;
use std::sync::Arc;

use arrow_array::UInt32Array;
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion_execution::{SendableRecordBatchStream, TaskContext};
use datafusion_physical_expr::expressions::Column;
use datafusion_physical_expr::{LexOrdering, PhysicalSortExpr};
use datafusion_physical_plan::ExecutionPlan;
use datafusion_physical_plan::sorts::sort::SortExec;
use datafusion_physical_plan::stream::RecordBatchStreamAdapter;
use datafusion_physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::StreamExt;
use parking_lot::Mutex;
use plan::plan::{Plan, SortKey};
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch, schema_of};
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::output::Output;
use crate::keys::{KeyColumn, RowKeys, key_columns, key_type, sort_keys, sorted};
use crate::memory::Reservation;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Continued, Ready, Rows};

/// Rows that come with this many bytes, and are more than are wanted, are looked through for the wanted ones.
const TRIMMED: usize = 1 << 20;

/// What an operator of DataFusion's is to have in a batch, in bytes: it counts in rows. Merging takes twice this of each run.
const MERGED_BYTES: usize = 1 << 20;

/// More than this is not sorted in one piece, in bytes.
pub const IN_MEMORY: usize = 16 << 20;

/// The child's rows come sorted by the first `presorted` keys.
pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    child: &Plan,
    keys: &[SortKey],
    presorted: usize,
) -> types::Result<Compiled> {
    let child = if presorted == 0 { compiler.plan_unordered(child)? } else { compiler.plan(child)? };
    let keys = sort_keys(keys, &child.reprs);
    let output = compiler.output(plan, &Layout::outer(&child.reprs))?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(Sort { child, keys, presorted, output }, reprs))
}

struct Sort {
    child: Compiled,
    keys: Vec<KeyColumn>,
    presorted: usize,
    output: Output,
}

impl Sort {
    /// `run` is for the rows that are given: of the child's more are read.
    fn rows(self: Arc<Self>, input: BoxRows, run: Run, bound: Option<usize>) -> Result<BoxRows> {
        let prefix = match self.presorted {
            0 => None,
            count => Some(RowKeys::new(self.keys[..count].to_vec())?),
        };
        let (input, rest) = (Some(input), None);
        Ok(Box::new(SortRows { node: self, run, bound, prefix, input, rest, sorted: None, _memory: None }))
    }
}

impl ExecNode for Sort {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let input = match self.presorted {
            0 => self.child.start(run)?,
            _ => self.child.start_first(run)?,
        };
        self.rows(input, run.clone(), None)
    }

    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        let sorted = self.output.filter.is_empty().then_some(bound);
        let input = match self.presorted {
            0 => self.child.start(run)?,
            _ => self.child.start_first(&run.with_first_rows(bound))?,
        };
        self.rows(input, run.bounded(bound), sorted)
    }
}

struct SortRows {
    node: Arc<Sort>,
    run: Run,
    /// How many more rows are wanted.
    bound: Option<usize>,
    /// The keys by which the input is sorted already.
    prefix: Option<RowKeys>,
    /// `None`: it is read.
    input: Option<BoxRows>,
    /// What of it is to be sorted with what comes next.
    rest: Option<Batch>,
    sorted: Option<BoxRows>,
    _memory: Option<Reservation>,
}

#[async_trait]
impl Rows for SortRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(rows) = &mut self.sorted {
                while let Some(batch) = rows.next().await? {
                    if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                        return Ok(Some(batch));
                    }
                }
                self.sorted = None;
            }
            match self.input.take() {
                Some(input) if self.bound != Some(0) => self.sorted = Some(self.sort(input).await?),
                _ => return Ok(None),
            }
        }
    }
}

impl SortRows {
    /// Sorts all rows, or those that are equal in the first keys.
    async fn sort(&mut self, mut input: BoxRows) -> Result<BoxRows> {
        let reprs = &self.node.child.reprs;
        // The rows of the group before are given.
        self._memory = None;
        let mut memory = self.run.reserve("Sort");
        let mut held: Vec<Batch> = self.rest.take().into_iter().collect();
        let mut rows: usize = held.iter().map(|batch| batch.rows).sum();
        let mut bytes: usize = held.iter().map(Batch::memory).sum();
        // Bytes of the rows that were the first ones last time.
        let mut kept = 0;
        while let Some(batch) = input.next().await? {
            if let Some(end) = self.end_of_equal(held.first(), &batch)? {
                self.rest = Some(batch.slice(end, batch.rows - end));
                self.input = Some(input);
                held.push(batch.slice(0, end));
                break;
            }
            rows += batch.rows;
            bytes += batch.memory();
            held.push(batch);
            // Only the first ones are wanted: the others go from time to time.
            if let Some(bound) = self.bound
                && (rows / 2 > bound.saturating_add(BATCH_ROWS) || rows > bound && bytes > 2 * kept + TRIMMED)
            {
                let first = self.in_order(&held)?;
                (rows, bytes) = (first.rows, first.memory());
                kept = bytes;
                held = vec![first];
            }
            // The rows and their copy in order.
            let granted = memory.secure(2 * bytes, &self.run).await;
            if granted.is_err() || bytes > self.run.estate.part_of_memory(4, IN_MEMORY) {
                memory.free();
                let input = Continued::boxed(held, input);
                return external(reprs, &self.node.keys, input, (rows, bytes), &self.run).await;
            }
        }
        let sorted = self.in_order(&held)?;
        self.bound = self.bound.map(|bound| bound.saturating_sub(sorted.rows));
        memory.resize(sorted.memory())?;
        self._memory = Some(memory);
        debug_assert_eq!(sorted.columns.len(), reprs.len());
        let parts = (0..sorted.rows).step_by(BATCH_ROWS);
        Ok(Ready::boxed(parts.map(|at| sorted.slice(at, BATCH_ROWS.min(sorted.rows - at))).collect()))
    }

    /// Where in a batch the last rows begin that are equal in the first keys, if others were before them.
    fn end_of_equal(&self, first: Option<&Batch>, batch: &Batch) -> Result<Option<usize>> {
        let Some(prefix) = &self.prefix else { return Ok(None) };
        let first = prefix.of(&first.unwrap_or(batch).slice(0, 1))?;
        if first.row(0) == prefix.of(&batch.slice(batch.rows - 1, 1))?.row(0) {
            return Ok(None);
        }
        let keys = prefix.of(batch)?;
        let last = keys.row(batch.rows - 1);
        let equal = (0..batch.rows).rev().take_while(|row| keys.row(*row) == last).count();
        Ok(Some(batch.rows - equal))
    }

    fn in_order(&self, held: &[Batch]) -> Result<Batch> {
        let all = Batch::concat(held, &self.node.child.reprs)?;
        if all.rows <= 1 {
            return Ok(all);
        }
        all.take(&sorted(&all, &self.node.keys, self.bound)?)
    }
}

/// How many rows are a batch for DataFusion's operators, if so many have so many bytes.
pub fn rows_of_batch(rows: usize, bytes: usize, run: &Run) -> usize {
    let most = run.estate.part_of_memory(32, MERGED_BYTES);
    match rows {
        0 => BATCH_ROWS,
        _ => (most * rows / bytes.max(1)).clamp(1, BATCH_ROWS),
    }
}

/// Sorts rows with DataFusion's operator, in the statement's share of memory. `like`: so many rows of them have so many bytes.
pub async fn external(
    reprs: &[Repr],
    keys: &[KeyColumn],
    input: BoxRows,
    like: (usize, usize),
    run: &Run,
) -> Result<BoxRows> {
    run.estate.memory.wait_for_share(run).await;
    let batch_rows = rows_of_batch(like.0, like.1, run);
    let extra: Vec<usize> = (0..keys.len()).filter(|&at| keys[at].repr.key().is_some()).collect();
    let types = reprs.iter().map(|repr| repr.arrow()).chain(extra.iter().map(|&at| key_type(keys[at].repr)));
    let schema = schema_of(types);
    let column = |at: usize| match extra.iter().position(|&key| key == at) {
        Some(place) => reprs.len() + place,
        None => keys[at].column,
    };
    let order = keys.iter().enumerate().map(|(at, key)| {
        let at = column(at);
        PhysicalSortExpr::new(Arc::new(Column::new(&at.to_string(), at)), key.options)
    });
    let order = LexOrdering::new(order).ok_or_else(|| Error::internal("rows are sorted by nothing"))?;
    let extra: Vec<KeyColumn> = extra.into_iter().map(|at| keys[at]).collect();
    let input: BoxRows = Box::new(Pieces { input, rows: batch_rows, batch: None, at: 0 });
    let source = Source { schema: schema.clone(), extra, rows: Mutex::new(Some(input)) };
    let source = StreamingTableExec::try_new(schema.clone(), vec![Arc::new(source)], None, [], false, None)?;
    let sort = SortExec::new(order, Arc::new(source));
    let sorted = sort.execute(0, run.estate.sort_task(batch_rows)?)?;
    Ok(Box::new(Sorted { rows: sorted, width: reprs.len() }))
}

/// Rows as DataFusion's operators take them, with keys behind their columns.
struct Source {
    schema: SchemaRef,
    extra: Vec<KeyColumn>,
    rows: Mutex<Option<BoxRows>>,
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Source")
    }
}

impl PartitionStream for Source {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let rows = self.rows.lock().take();
        let (schema, extra) = (self.schema.clone(), self.extra.clone());
        let batches = futures::stream::try_unfold(rows, |rows| async {
            let Some(mut rows) = rows else { return Ok(None) };
            let batch = rows.next().await?;
            Ok::<_, Error>(batch.map(|batch| (batch, Some(rows))))
        });
        let batches = batches.map(move |batch| {
            let mut batch = batch?;
            let keys = key_columns(&batch, &extra);
            batch.columns.extend(keys);
            batch.with_schema(&schema).map_err(Into::into)
        });
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), batches))
    }
}

/// Batches of at most twice so many rows: copies, because a part of one counts as the whole.
struct Pieces {
    input: BoxRows,
    rows: usize,
    /// What is given in parts, and from where on.
    batch: Option<Batch>,
    at: usize,
}

#[async_trait]
impl Rows for Pieces {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let batch = match self.batch.take() {
            Some(batch) => batch,
            None => match self.input.next().await? {
                Some(batch) if batch.rows > 2 * self.rows => batch,
                other => return Ok(other),
            },
        };
        let end = batch.rows.min(self.at + self.rows);
        let piece = batch.take(&UInt32Array::from_iter_values(self.at as u32..end as u32))?;
        (self.batch, self.at) = if end < batch.rows { (Some(batch), end) } else { (None, 0) };
        Ok(Some(piece))
    }
}

/// What DataFusion gives back, without the keys.
struct Sorted {
    rows: SendableRecordBatchStream,
    width: usize,
}

#[async_trait]
impl Rows for Sorted {
    async fn next(&mut self) -> Result<Option<Batch>> {
        while let Some(batch) = self.rows.next().await {
            let mut batch = Batch::from(batch?);
            batch.columns.truncate(self.width);
            if batch.rows > 0 {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
