//! Statements that never wait give way: between any two operators of a plan stands a [`PacedExec`], which lets the task
//! wait for its next turn when it has run for [`TURN`]. So whatever is to end a statement is looked at, and others get
//! their turn.
//!
//! DataFusion's own `EnsureCooperative` counts batches (128 before a task gives way), which may each take a second: a row
//! can be compared with all rows of the other side of a join, or be the argument of a function that takes long. Therefore
//! an operator that takes long over the rows that it is given gets fewer at once, one at first.

use std::cell::Cell;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Result;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::execution::{RecordBatchStream, SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::aggregates::AggregateExec;
use datafusion::physical_plan::execution_plan::replace_children_if_necessary;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::windows::WindowAggExec;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use futures::Stream;

/// How long a task runs before it gives way.
const TURN: Duration = Duration::from_millis(1);
/// An operator that needs longer for what it is given gets less.
const SLOW: Duration = Duration::from_millis(2);
/// One that needs less than this gets [`GROWTH`] times as much.
const QUICK: Duration = Duration::from_micros(250);
const GROWTH: usize = 8;

/// The operator that is being polled, as those below see it.
#[derive(Clone, Copy)]
struct Consumer {
    /// Rows that it gets at once.
    rows: usize,
    /// When it got its last ones in the current call, and how many.
    given: Option<(Instant, usize)>,
}

impl Consumer {
    /// Whoever is not an operator of ours takes what comes.
    const OUTSIDE: Consumer = Consumer { rows: usize::MAX, given: None };

    /// It is done with what it was given.
    fn learn(&mut self, now: Instant) {
        let Some((given, count)) = self.given.take() else { return };
        let took = now - given;
        if took > SLOW {
            let share = TURN.as_secs_f64() / took.as_secs_f64();
            self.rows = ((count as f64 * share) as usize).max(1);
        } else if took < QUICK && count >= self.rows {
            self.rows = self.rows.saturating_mul(GROWTH);
        }
    }
}

thread_local! {
    static CONSUMER: Cell<Consumer> = const { Cell::new(Consumer::OUTSIDE) };
}

/// Puts a [`PacedExec`] above every operator of a plan.
pub fn paced(plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
    below(plan, Use::Whole)
}

fn below(plan: Arc<dyn ExecutionPlan>, used: Use) -> Result<Arc<dyn ExecutionPlan>> {
    let children = plan.children();
    let count = children.len();
    let uses = (0..count).map(|index| Use::of(&plan, index == count - 1));
    let children: Vec<_> =
        children.into_iter().zip(uses).map(|(child, used)| below(child.clone(), used)).collect::<Result<_>>()?;
    let plan = if children.is_empty() { plan } else { replace_children_if_necessary(plan, children)? };
    Ok(Arc::new(PacedExec::new(plan, used)))
}

/// What an operator does with the rows of an input.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Use {
    /// It may get fewer of them at once.
    Cut,
    /// It may keep them, within the memory that it has; a slice would hold on to the whole of its batch.
    Whole,
    /// It keeps all of them and counts no memory: that is done here.
    Kept,
}

impl Use {
    /// Of an input of `plan`, perhaps the last one: that is the one that joins do not keep.
    fn of(plan: &Arc<dyn ExecutionPlan>, last: bool) -> Use {
        let joins = plan.is::<NestedLoopJoinExec>() || plan.is::<HashJoinExec>() || plan.is::<CrossJoinExec>();
        if plan.is::<ProjectionExec>() || plan.is::<FilterExec>() || plan.is::<AggregateExec>() || (joins && last) {
            Use::Cut
        } else if plan.is::<WindowAggExec>() {
            Use::Kept
        } else {
            Use::Whole
        }
    }
}

/// Are there operators whose inputs run as tasks of their own?
pub fn makes_tasks(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let exchanges = plan.properties().output_partitioning().partition_count() > 1;
    exchanges || plan.children().into_iter().any(makes_tasks)
}

#[derive(Clone, Debug)]
pub struct PacedExec {
    input: Arc<dyn ExecutionPlan>,
    used: Use,
}

impl PacedExec {
    fn new(input: Arc<dyn ExecutionPlan>, used: Use) -> PacedExec {
        PacedExec { input, used }
    }
}

impl DisplayAs for PacedExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PacedExec")
    }
}

impl ExecutionPlan for PacedExec {
    fn name(&self) -> &str {
        "PacedExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        vec![true]
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(self: Arc<Self>, mut children: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(PacedExec::new(children.swap_remove(0), self.used)))
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let kept = MemoryConsumer::new("WindowAgg").register(context.memory_pool());
        let inner = self.input.execute(partition, context)?;
        Ok(Box::pin(PacedStream { inner, used: self.used, kept, turn: None, rows: 1, rest: None }))
    }
}

struct PacedStream {
    inner: SendableRecordBatchStream,
    used: Use,
    /// What the consumer keeps of it, if that counts no memory.
    kept: MemoryReservation,
    /// Since when the task runs, as far as this stream has seen.
    turn: Option<Instant>,
    /// What the operator inside gets at once: [`Consumer::rows`], between two calls.
    rows: usize,
    /// Rows of the last batch that are still to be given.
    rest: Option<RecordBatch>,
}

impl PacedStream {
    /// Polls the operator inside, and learns how much it can take at once.
    fn poll_inner(&mut self, cx: &mut Context<'_>) -> (Poll<Option<Result<RecordBatch>>>, Instant) {
        let above = CONSUMER.replace(Consumer { rows: self.rows, given: None });
        let polled = self.inner.as_mut().poll_next(cx);
        let now = Instant::now();
        let mut inside = CONSUMER.replace(above);
        inside.learn(now);
        self.rows = inside.rows;
        (polled, now)
    }

    /// What the consumer gets of `batch`; it keeps the rest.
    fn cut(&mut self, batch: RecordBatch, rows: usize) -> RecordBatch {
        if batch.num_rows() <= rows {
            return batch;
        }
        self.rest = Some(batch.slice(rows, batch.num_rows() - rows));
        batch.slice(0, rows)
    }
}

impl Stream for PacedStream {
    type Item = Result<RecordBatch>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<RecordBatch>>> {
        let this = &mut *self;
        let mut now = Instant::now();
        let mut consumer = CONSUMER.get();
        consumer.learn(now);
        CONSUMER.set(consumer);
        if now - *this.turn.get_or_insert(now) >= TURN {
            this.turn = None;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let batch = match this.rest.take() {
            Some(rest) => rest,
            None => {
                let (polled, after) = this.poll_inner(cx);
                now = after;
                match polled {
                    Poll::Ready(Some(Ok(batch))) => batch,
                    Poll::Ready(other) => return Poll::Ready(other),
                    Poll::Pending => {
                        this.turn = None;
                        return Poll::Pending;
                    }
                }
            }
        };
        let batch = match this.used {
            Use::Cut => this.cut(batch, consumer.rows),
            Use::Whole => batch,
            Use::Kept => {
                this.kept.try_grow(batch.get_array_memory_size())?;
                batch
            }
        };
        consumer.given = Some((now, batch.num_rows()));
        CONSUMER.set(consumer);
        Poll::Ready(Some(Ok(batch)))
    }
}

impl RecordBatchStream for PacedStream {
    fn schema(&self) -> SchemaRef {
        self.inner.schema()
    }
}
