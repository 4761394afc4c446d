//! Expressions that have to wait: for subqueries, sequences, and functions that wait ([`types::asynchronous`]). What is in
//! them that does not wait is evaluated as everywhere else, and rows that do not reach what waits do not make it run.

mod evaluate;
pub(crate) mod hashed;
mod memo;
mod sub_plan;

use analyze::query::SubPlan;
use arrow_array::ArrayRef;
use types::asynchronous::WaitingFunction;
pub use types::session::Wait;
use types::{Argument, Oid, Repr, Result};

use crate::execution::Execution;
use crate::frame::Frame;
use crate::mask::Mask;
use crate::node::Node;
use crate::state::{ExprState, Selection};

use hashed::Compared;
pub(crate) use memo::Memo;

/// What runs subqueries: the executor. Dropping what it gives ends the waiting.
pub trait Runner: Send + Sync {
    /// Begins to run a subquery's plan. `execution` has the values of its parameters.
    fn run<'a>(&'a self, plan: &'a SubPlan, execution: Execution) -> Wait<'a, Box<dyn Rows + 'a>>;

    /// How long a subquery gives the same rows for the same values of what it takes from a row.
    fn lasting(&self, plan: &SubPlan) -> Lasting;

    /// Does a subquery do no more than looking rows up, so that several may do so at once?
    fn looks_up(&self, plan: &SubPlan) -> bool;

    /// Can it look up for many rows together?
    fn looks_up_together(&self, plan: &SubPlan) -> bool;

    /// The rows that a subquery finds for each of so many rows, by the values of its parameters for these, one's behind the other's. For
    /// EXISTS one is enough; of one that has two others may be missing. `None`: it has to run for each.
    fn look_up<'a>(
        &'a self,
        plan: &'a SubPlan,
        execution: &'a Execution,
        values: Vec<ArrayRef>,
        rows: usize,
    ) -> Wait<'a, Option<Vec<LookedUp>>>;

    /// Runs the init plan that gives a parameter its value, in an execution: [`crate::Parameter::set`].
    fn init_plan<'a>(&'a self, parameter: u32, execution: &'a Execution) -> Wait<'a, ()>;

    /// A hash table of a subquery's rows has grown by so many bytes. Fails with 53200 where there is no memory for it.
    fn grow(&self, _bytes: usize) -> Wait<'_, ()> {
        Box::pin(std::future::ready(Ok(())))
    }
}

/// How long what a subquery has given is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasting {
    /// It may give other rows each time.
    Never,
    /// As long as the parameters of the execution have their values.
    Parameters,
    Statement,
}

/// The rows of a subquery, batch by batch.
pub trait Rows: Send {
    /// The columns of the next rows; `None` at the end. Batches without columns have no rows.
    fn next(&mut self) -> Wait<'_, Option<Batch>>;
}

/// Some of the rows that a subquery has found for many rows, and for which of these each was.
#[derive(Clone, Debug)]
pub struct LookedUp {
    pub batch: Batch,
    pub owners: Vec<u32>,
}

/// Some rows of a subquery.
#[derive(Clone, Debug)]
pub struct Batch {
    pub columns: Vec<ArrayRef>,
    pub rows: usize,
}

/// What a node waits for.
#[derive(Debug)]
pub(crate) enum Waiting {
    SubPlan(Box<SubPlanNode>),
    /// The parameter of an init plan.
    InitPlan(usize),
    NextValue {
        sequence: Oid,
    },
    /// A function, with the children as arguments.
    Call {
        function: &'static WaitingFunction,
        arguments: Box<[Oid]>,
        result: Oid,
    },
}

/// A subquery. The node's first children are the parameters that it takes from a row, the others what its test takes.
#[derive(Debug)]
pub(crate) struct SubPlanNode {
    pub plan: SubPlan,
    /// Over locals: the subquery's columns, then what the test takes from the row.
    pub test: Option<Node>,
    /// How the subquery's columns lie where the test takes them; `None`: it does not.
    pub columns: Vec<Option<Repr>>,
    /// By what a hash table of the subquery's rows compares, if there is to be one.
    pub hashed: Option<Vec<Compared>>,
    pub array: Option<Gathered>,
}

/// What the rows of `ARRAY(SELECT …)` become.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Gathered {
    pub element: Oid,
    pub repr: Repr,
    /// The rows are arrays, and the result has a dimension more.
    pub arrays: bool,
}

/// While the test of a subquery is compiled: the subquery's columns, and what the test takes from the row.
pub(crate) struct TestColumns {
    pub columns: Vec<u32>,
    /// How the test takes them.
    pub reprs: Vec<Option<Repr>>,
    pub from_row: Vec<Node>,
}

impl TestColumns {
    pub fn new(columns: &[u32]) -> TestColumns {
        TestColumns { columns: columns.to_vec(), reprs: vec![None; columns.len()], from_row: Vec::new() }
    }
}

impl ExprState {
    /// The values for the rows of a batch, also where that takes waiting.
    pub async fn evaluate_async(
        &self,
        columns: &[ArrayRef],
        rows: usize,
        execution: &Execution,
        runner: &dyn Runner,
    ) -> Result<Argument> {
        match (rows, self.waits()) {
            (0, _) => Ok(self.of_no_rows()),
            (_, false) => self.evaluate(columns, rows, execution),
            _ => {
                let frame = Frame::new(columns, rows, execution);
                self.node.evaluate_async(&frame, runner).await
            }
        }
    }
}

/// As [`crate::filter`], of conditions some of which wait.
pub async fn filter_async(
    conditions: &[ExprState],
    columns: &[ArrayRef],
    rows: usize,
    execution: &Execution,
    runner: &dyn Runner,
) -> Result<Selection> {
    if rows == 0 {
        return Ok(Selection::None);
    }
    let frame = Frame::new(columns, rows, execution);
    let mut left = Mask::all(rows);
    for condition in conditions {
        let narrow = (!left.is_full()).then(|| frame.narrow(&left));
        let frame = narrow.as_ref().unwrap_or(&frame);
        let value = match condition.waits() {
            true => condition.node.evaluate_async(frame, runner).await?,
            false => condition.with_stack(|| condition.node.evaluate(frame))?,
        };
        left = left.pick(&Mask::trues(&value, frame.rows));
        if left.is_empty() {
            break;
        }
    }
    Ok(left.into())
}
