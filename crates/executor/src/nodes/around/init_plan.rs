//! Init plans, which give parameters their values when one of these is asked for first (`nodeSubplan.c`).

use std::sync::Arc;

use ::error::sqlstate;
use analyze::query::{SubLinkKind, SubPlan};
use arrow_array::{ArrayRef, BooleanArray, new_null_array};
use async_trait::async_trait;
use expression::Parameter;
use plan::plan::Plan;
use types::array::ArrayBuilder;
use types::{Datum, Repr};

use crate::batch::Batch;
use crate::convert::{convert, general};
use crate::error::{Error, Result};
use crate::expr::wait::start;
use crate::nodes::cte::CteStore;
use crate::run::estate::{ParamPlan, Run, RunState};
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::BoxRows;

/// An init plan and the part of the statement that it belongs to.
struct InitPlan {
    plan: SubPlan,
    run: Run,
    parameters: Vec<Parameter>,
    /// Held while it runs: it runs once.
    running: tokio::sync::Mutex<()>,
}

impl InitPlan {
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

#[async_trait]
impl ParamPlan for InitPlan {
    async fn set_parameters(&self) -> Result<()> {
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
            let init: Arc<dyn ParamPlan> = Arc::new(InitPlan { plan: plan.clone(), run, parameters, running });
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
