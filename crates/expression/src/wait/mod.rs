//! Expressions that have to wait: for subqueries, sequences, functions of the session. What is in them that does not wait is
//! evaluated as everywhere else, and rows that do not reach what waits do not make it run.

mod evaluate;
mod hashed;
mod memo;
mod sub_plan;

use std::future::Future;
use std::pin::Pin;

use analyze::query::SubPlan;
use arrow_array::ArrayRef;
use types::{Argument, Datum, Oid, Repr, Result};

use crate::execution::Execution;
use crate::frame::Frame;
use crate::node::Node;
use crate::state::ExprState;

pub(crate) use memo::Memo;

/// Something that is ready later.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Who does what expressions wait for: the executor. Dropping what it gives ends the waiting.
pub trait Runner: Send + Sync {
    /// Begins to run a subquery's plan. `execution` has the values of its parameters.
    fn run<'a>(&'a self, plan: &'a SubPlan, execution: Execution) -> Wait<'a, Box<dyn Rows + 'a>>;

    /// Whether a subquery may give other rows for the same parameters, so that none are kept.
    fn is_volatile(&self, plan: &SubPlan) -> bool;

    /// Runs the init plan that gives a parameter its value, in an execution: [`crate::Parameter::set`].
    fn init_plan<'a>(&'a self, parameter: u32, execution: &'a Execution) -> Wait<'a, ()>;

    /// The next value of a sequence.
    fn next_value(&self, sequence: Oid) -> Wait<'_, i64>;

    /// The result of a function that [`crate::Input::is_asked`], in the representation of its type. No argument of a strict
    /// one is NULL.
    fn call<'a>(&'a self, function: Oid, arguments: &'a [Datum]) -> Wait<'a, Datum>;
}

/// The rows of a subquery, batch by batch.
pub trait Rows: Send {
    /// The columns of the next rows; `None` at the end. Batches without columns have no rows.
    fn next(&mut self) -> Wait<'_, Option<Batch>>;
}

/// Some rows of a subquery.
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
    /// A function of the session, with the children as arguments.
    Call {
        function: Oid,
        strict: bool,
    },
}

/// A subquery. The node's first children are the parameters that it takes from a row, the others what its test takes.
#[derive(Debug)]
pub(crate) struct SubPlanNode {
    pub plan: SubPlan,
    /// Over locals: the subquery's columns, then what the test takes from the row.
    pub test: Option<Node>,
    /// How the columns that the test compares lie; for a hash table, if they can be in one.
    pub hashed: Option<Vec<Repr>>,
}

/// While the test of a subquery is compiled: the subquery's columns, and what the test takes from the row.
pub(crate) struct TestColumns {
    pub columns: Vec<u32>,
    pub from_row: Vec<Node>,
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
