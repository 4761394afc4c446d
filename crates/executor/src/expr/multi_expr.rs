//! `(a, b) = (SELECT …)` of UPDATE, where the subquery depends on the row: its columns are computed before the targets that
//! name them, for each row of a batch.

use analyze::query::{Expr, SubLinkKind, SubPlan};
use arrow_array::ArrayRef;
use error::sqlstate;
use expression::ExprState;
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::{convert, convert_batch};
use crate::error::{Error, Result};
use crate::expr::evaluate::evaluate;
use crate::run::estate::Run;

pub struct MultiExpr {
    plan: usize,
    /// What the subquery takes from the row: parameters, their representations and values.
    arguments: Vec<(u32, Repr, ExprState)>,
    /// Of the columns that it gives.
    reprs: Vec<Repr>,
}

impl MultiExpr {
    /// `None`: the target is something else.
    pub fn plan_of(target: &Expr) -> Option<&SubPlan> {
        match target {
            Expr::SubPlan(plan) if plan.kind == SubLinkKind::MultiExpr => Some(plan),
            _ => None,
        }
    }

    /// Its columns stand behind those of the layout, as parameters.
    pub fn compile(compiler: &Compiler<'_>, plan: &SubPlan, layout: &mut Layout) -> types::Result<MultiExpr> {
        let repr = |number: u32| compiler.parameters[number as usize];
        let argument = |(&number, value): (&u32, &Expr)| Ok((number, repr(number), compiler.expr(value, layout)?));
        let arguments = plan.parameters.iter().zip(&plan.arguments).map(argument).collect::<types::Result<_>>()?;
        let reprs: Vec<Repr> = plan.set_parameters.iter().map(|&number| repr(number)).collect();
        for (&number, &repr) in plan.set_parameters.iter().zip(&reprs) {
            *layout = std::mem::take(layout).with_parameter(number, repr);
        }
        Ok(MultiExpr { plan: plan.plan, arguments, reprs })
    }

    /// Its columns for the rows of a batch.
    pub async fn columns(&self, batch: &Batch, run: &Run) -> Result<Vec<ArrayRef>> {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for (number, repr, value) in &self.arguments {
            let column = evaluate(value, batch, run).await?;
            arguments.push((*number, convert(&column, value.repr(), *repr)));
        }
        let mut rows = Vec::with_capacity(batch.rows);
        for row in 0..batch.rows {
            let values = arguments.iter().map(|(number, column)| (*number, column.slice(row, 1)));
            rows.push(self.row(&run.with_parameters(values)).await?);
        }
        Ok(Batch::concat(&rows, &self.reprs)?.columns)
    }

    async fn row(&self, run: &Run) -> Result<Batch> {
        let plan = &run.estate.plan.sub_plans[self.plan];
        let mut rows = plan.start(run)?;
        let Some(first) = rows.next().await? else { return Ok(Batch::nulls(&self.reprs, 1)) };
        if first.rows > 1 || rows.next().await?.is_some() {
            return Err(Error::new(
                sqlstate::CARDINALITY_VIOLATION,
                "more than one row returned by a subquery used as an expression",
            ));
        }
        // Junk columns are behind the others.
        let columns = first.columns[..self.reprs.len()].to_vec();
        convert_batch(Batch::new(columns, 1), &plan.reprs[..self.reprs.len()], &self.reprs)
    }
}
