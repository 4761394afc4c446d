//! What [`expression`] asks for while it waits: the rows of plans, and values that init plans give (`nodeSubplan.c`).

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::{SubLinkKind, SubPlan};
use arrow_array::ArrayRef;
use expression::wait::{self, Lasting, LookedUp, Runner, Wait, filter_async};
use expression::{Execution, ExprState, Selection, to_column};
use parking_lot::Mutex;
use types::Repr;

use crate::batch::Batch;
use crate::convert::{convert, general};
use crate::error::{Error, Result};
use crate::run::estate::{Run, RunState};
use crate::run::node::Compiled;
use crate::run::rows::BoxRows;

/// Starts a sub plan. Where it is asked whether there is a row, nothing is computed for a second one; a comparison with all rows
/// ends with the first that decides.
pub fn start(compiled: &Compiled, kind: SubLinkKind, run: &Run) -> Result<BoxRows> {
    match kind {
        SubLinkKind::Exists => compiled.start_for_one(run),
        SubLinkKind::Any | SubLinkKind::All => compiled.start_leaving(run, 1),
        _ => compiled.start(run),
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

    fn looks_up_together(&self, plan: &SubPlan) -> bool {
        self.run.estate.plan.look_ups[plan.plan].is_some()
    }

    fn look_up<'a>(
        &'a self,
        plan: &'a SubPlan,
        execution: &'a Execution,
        values: Vec<ArrayRef>,
        rows: usize,
    ) -> Wait<'a, Option<Vec<LookedUp>>> {
        Box::pin(async move {
            let Some(look_up) = &self.run.estate.plan.look_ups[plan.plan] else { return Ok(None) };
            let execution = execution.clone();
            let run: Run =
                Arc::new(RunState { execution, parallel: false, ..RunState::clone(&self.run.for_all_rows()) });
            // What has failed may not be what fails first, row by row.
            let Ok(Some(found)) = look_up.rows(&run, values, rows).await else { return Ok(None) };
            let reprs = &self.run.estate.plan.sub_plans[plan.plan].reprs;
            let found =
                found.into_iter().map(|(batch, owners)| LookedUp { batch: general_batch(&batch, reprs), owners });
            Ok(Some(found.collect()))
        })
    }

    fn init_plan<'a>(&'a self, parameter: u32, _: &'a Execution) -> Wait<'a, ()> {
        let found = self.run.scope.init_plans.iter().rev().find(|(number, _)| *number == parameter);
        let init = found.map(|(_, init)| init.clone());
        Box::pin(async move {
            let missing =
                || types::Error::new(sqlstate::INTERNAL_ERROR, format!("no init plan gives parameter {parameter}"));
            init.ok_or_else(missing)?.set_parameters().await.map_err(|error| put(&self.failed, error))
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
            Ok(batch.map(|batch| general_batch(&batch, &self.reprs)))
        })
    }
}

/// A batch as expressions take it.
fn general_batch(batch: &Batch, reprs: &[Repr]) -> wait::Batch {
    let columns = batch.columns.iter().zip(reprs);
    let columns = columns.map(|(column, &repr)| convert(column, repr, general(repr)));
    wait::Batch { columns: columns.collect(), rows: batch.rows }
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
