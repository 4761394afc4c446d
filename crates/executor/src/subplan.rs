//! Plans that expressions run (`nodeSubplan.c`): what [`expression`] asks for while it waits, and init plans, which give
//! parameters their values when somebody asks for them first.

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::{SubLinkKind, SubPlan};
use arrow_array::{ArrayRef, BooleanArray, new_null_array};
use expression::wait::{self, Lasting, Runner, Wait, filter_async};
use expression::{Execution, ExprState, Parameter, Selection, to_column};
use parking_lot::Mutex;
use plan::plan::Plan;
use types::array::ArrayBuilder;
use types::{Datum, Repr};

use crate::batch::Batch;
use crate::convert::{convert, general};
use crate::cte::CteStore;
use crate::error::{Error, Result};
use crate::estate::{Run, RunState};
use crate::node::{BoxRows, Compiled, ExecNode};

/// An init plan and the part of the statement that it belongs to.
pub struct InitPlan {
    plan: SubPlan,
    run: Run,
    parameters: Vec<Parameter>,
    /// Held while it runs: it runs once.
    running: tokio::sync::Mutex<()>,
}

impl InitPlan {
    async fn fill(&self) -> Result<()> {
        let _one = self.running.lock().await;
        if self.parameters.iter().all(|parameter| parameter.get().is_some()) {
            return Ok(());
        }
        let compiled = &self.run.estate.plan.sub_plans[self.plan.plan];
        let mut rows = start(compiled, self.plan.kind, &self.run)?;
        let first = rows.next().await?;
        match self.plan.kind {
            SubLinkKind::Exists => self.set(0, Arc::new(BooleanArray::from(vec![first.is_some()]))),
            SubLinkKind::Scalar | SubLinkKind::RowCompare | SubLinkKind::MultiExpr => {
                let more = match &first {
                    Some(batch) if batch.rows == 1 => rows.next().await?.is_some(),
                    Some(_) => true,
                    None => false,
                };
                if more {
                    let message = "more than one row returned by a subquery used as an expression";
                    return Err(Error::new(sqlstate::CARDINALITY_VIOLATION, message));
                }
                self.set_row(compiled, first.as_ref());
            }
            SubLinkKind::Array => self.set(0, self.array(compiled, rows, first).await?),
            SubLinkKind::All | SubLinkKind::Any | SubLinkKind::Cte => {
                return Err(Error::internal("this subquery is no init plan"));
            }
        }
        Ok(())
    }

    /// All values of the only column.
    async fn array(&self, compiled: &Compiled, mut rows: BoxRows, first: Option<Batch>) -> Result<ArrayRef> {
        let result = self.plan.result.oid;
        let element = self.run.estate.catalog().element_type(result);
        let element = element.ok_or_else(|| Error::internal("ARRAY of a subquery gives no array"))?;
        let (from, repr) = (compiled.reprs[0], general(compiled.reprs[0]));
        if repr == Repr::Array {
            return Err(Error::unsupported("ARRAY of a subquery that gives arrays"));
        }
        let mut array = ArrayBuilder::new(element, repr);
        let mut memory = self.run.reserve_value("array");
        let mut next = first;
        while let Some(batch) = next {
            array.extend_column(&convert(&batch.columns[0], from, repr), 0..batch.rows)?;
            memory.resize(array.memory())?;
            next = rows.next().await?;
        }
        Ok(Datum::bytes(array.finish_list()?).to_array(Repr::Array))
    }

    fn set(&self, at: usize, value: ArrayRef) {
        self.parameters[at].set(value);
    }

    fn set_row(&self, compiled: &Compiled, row: Option<&Batch>) {
        let wanted = &self.run.estate.plan.parameters;
        for (at, &number) in self.plan.set_parameters.iter().enumerate() {
            let repr = wanted[number as usize];
            self.set(
                at,
                match row {
                    Some(batch) => convert(&batch.columns[at], compiled.reprs[at], repr),
                    None => new_null_array(&repr.arrow(), 1),
                },
            );
        }
    }
}

/// Starts a sub plan. Where it is asked whether there is a row, nothing is computed for a second one; a comparison with all rows
/// ends with the first that decides.
fn start(compiled: &Compiled, kind: SubLinkKind, run: &Run) -> Result<BoxRows> {
    match kind {
        SubLinkKind::Exists => compiled.start_for_one(run),
        SubLinkKind::Any | SubLinkKind::All => compiled.start_leaving(run, 1),
        _ => compiled.start(run),
    }
}

/// Puts a plan's init plans around its node.
pub fn with_init_plans(plan: &Plan, compiled: Compiled) -> Compiled {
    if plan.init_plans.is_empty() {
        return compiled;
    }
    let reprs = compiled.reprs.clone();
    Compiled::new(WithInitPlans { plans: plan.init_plans.clone(), child: compiled }, reprs)
}

struct WithInitPlans {
    plans: Vec<SubPlan>,
    child: Compiled,
}

impl WithInitPlans {
    /// The run in which the child runs.
    fn scope(&self, run: &Run) -> Run {
        let mut inner = RunState::clone(run);
        for plan in &self.plans {
            if plan.kind == SubLinkKind::Cte {
                // Some are there for the whole statement.
                if inner.scope.ctes.iter().any(|(number, _)| *number == plan.plan) {
                    continue;
                }
                let store = CteStore::new(plan.plan, &inner);
                Arc::make_mut(&mut inner.scope).ctes.push((plan.plan, Arc::new(store)));
                continue;
            }
            let numbers = plan.set_parameters.iter();
            let parameters: Vec<Parameter> = numbers.map(|_| Parameter::default()).collect();
            for (&number, parameter) in plan.set_parameters.iter().zip(&parameters) {
                Arc::make_mut(&mut inner.execution.parameters)[number as usize] = parameter.clone();
            }
            let run = Arc::new(inner.clone());
            let running = tokio::sync::Mutex::new(());
            let init = Arc::new(InitPlan { plan: plan.clone(), run, parameters, running });
            let numbers = plan.set_parameters.iter();
            Arc::make_mut(&mut inner.scope).init_plans.extend(numbers.map(|&number| (number, init.clone())));
        }
        Arc::new(inner)
    }
}

impl ExecNode for WithInitPlans {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        self.child.start_first(&self.scope(run))
    }

    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        self.child.node.clone().start_bounded(&self.scope(run), bound)
    }
}

/// Does for expressions what they wait for.
struct Waiter<'a> {
    run: &'a Run,
    /// The engine's error, which expressions do not know.
    failed: Arc<Mutex<Option<Error>>>,
}

impl<'a> Waiter<'a> {
    fn new(run: &'a Run) -> Waiter<'a> {
        Waiter { run, failed: Arc::default() }
    }

    fn result<T>(&self, result: types::Result<T>) -> Result<T> {
        result.map_err(|report| self.failed.lock().take().unwrap_or(Error::Report(report)))
    }
}

/// What stands for an error while expressions hand it on.
fn put(failed: &Mutex<Option<Error>>, error: Error) -> types::Error {
    match error {
        Error::Report(report) => report,
        Error::Engine(engine) => {
            let report = types::Error::new(engine.code, engine.message.clone());
            *failed.lock() = Some(Error::Engine(engine));
            report
        }
    }
}

impl Runner for Waiter<'_> {
    fn run<'a>(&'a self, plan: &'a SubPlan, execution: Execution) -> Wait<'a, Box<dyn wait::Rows + 'a>> {
        let started = || {
            let run: Run = Arc::new(RunState { execution, parallel: false, ..RunState::clone(self.run) });
            let compiled = &self.run.estate.plan.sub_plans[plan.plan];
            let (rows, reprs) = (start(compiled, plan.kind, &run)?, compiled.reprs.clone());
            Ok::<_, Error>(SubPlanRows { rows, reprs, failed: self.failed.clone() })
        };
        let rows = match started() {
            Ok(rows) => Ok(Box::new(rows) as Box<dyn wait::Rows + 'a>),
            Err(error) => Err(put(&self.failed, error)),
        };
        Box::pin(std::future::ready(rows))
    }

    fn grow(&self, bytes: usize) -> Wait<'_, ()> {
        Box::pin(async move { self.run.grow_hashed(bytes).await.map_err(|error| put(&self.failed, error)) })
    }

    fn lasting(&self, plan: &SubPlan) -> Lasting {
        self.run.estate.plan.lasting[plan.plan]
    }

    fn looks_up(&self, plan: &SubPlan) -> bool {
        self.run.estate.plan.looking_up[plan.plan]
    }

    fn init_plan<'a>(&'a self, parameter: u32, _: &'a Execution) -> Wait<'a, ()> {
        let found = self.run.scope.init_plans.iter().rev().find(|(number, _)| *number == parameter);
        let init = found.map(|(_, init)| init.clone());
        Box::pin(async move {
            let missing =
                || types::Error::new(sqlstate::INTERNAL_ERROR, format!("no init plan gives parameter {parameter}"));
            init.ok_or_else(missing)?.fill().await.map_err(|error| put(&self.failed, error))
        })
    }
}

/// Rows as expressions take them: without decimals.
struct SubPlanRows {
    rows: BoxRows,
    reprs: Arc<[Repr]>,
    failed: Arc<Mutex<Option<Error>>>,
}

impl wait::Rows for SubPlanRows {
    fn next(&mut self) -> Wait<'_, Option<wait::Batch>> {
        Box::pin(async move {
            let batch = self.rows.next().await.map_err(|error| put(&self.failed, error))?;
            Ok(batch.map(|batch| {
                let columns = batch.columns.iter().zip(self.reprs.iter());
                let columns = columns.map(|(column, &repr)| convert(column, repr, general(repr)));
                wait::Batch { columns: columns.collect(), rows: batch.rows }
            }))
        })
    }
}

/// The values of an expression that waits, as a column.
pub async fn evaluate_waiting(state: &ExprState, batch: &Batch, run: &Run) -> Result<ArrayRef> {
    let waiter = Waiter::new(run);
    let value = waiter.result(state.evaluate_async(&batch.columns, batch.rows, &run.execution, &waiter).await)?;
    Ok(to_column(&value, batch.rows)?)
}

/// The rows for which conditions hold, of which some wait.
pub async fn filter_waiting(conditions: &[ExprState], batch: &Batch, run: &Run) -> Result<Selection> {
    let waiter = Waiter::new(run);
    let selection = filter_async(conditions, &batch.columns, batch.rows, &run.execution, &waiter).await;
    waiter.result(selection)
}
