//! ValuesScan: rows of expressions.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use arrow_array::{Array, ArrayRef};
use arrow_select::concat::concat;
use async_trait::async_trait;
use expression::ExprState;
use plan::plan::Plan;
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::{common, convert};
use crate::error::Result;
use crate::expr::evaluate::evaluate_one;
use crate::expr::output::Output;
use crate::expr::pace::Pace;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    relation: RangeTableIndex,
    rows: &[Vec<Expr>],
) -> types::Result<Compiled> {
    let states = rows.iter().map(|row| compiler.exprs(row, &Layout::default())).collect::<types::Result<Vec<_>>>()?;
    let width = states.first().map_or(0, Vec::len);
    let repr = |column: usize| common(states.iter().map(|row| row[column].repr()));
    let reprs: Arc<[Repr]> = (0..width).map(repr).collect();
    let output = compiler.output(plan, &Layout::default().with(relation, &reprs))?;
    let given = output.reprs().clone();
    Ok(Compiled::new(ValuesScan { rows: states, reprs, output }, given))
}

struct ValuesScan {
    rows: Vec<Vec<ExprState>>,
    reprs: Arc<[Repr]>,
    output: Output,
}

impl ExecNode for ValuesScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let pace = Pace::of(self.output.cost(), run);
        Ok(Box::new(ValuesRows { node: self, run: run.clone(), next: 0, pace }))
    }
}

struct ValuesRows {
    node: Arc<ValuesScan>,
    run: Run,
    next: usize,
    pace: Pace,
}

#[async_trait]
impl Rows for ValuesRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let ValuesScan { rows, reprs, output } = &*self.node;
        while self.next < rows.len() {
            let end = rows.len().min(self.next + BATCH_ROWS.min(self.pace.rows()));
            self.pace.grow();
            let mut values: Vec<Vec<ArrayRef>> = reprs.iter().map(|_| Vec::with_capacity(end - self.next)).collect();
            for row in &rows[self.next..end] {
                for (state, (column, &repr)) in row.iter().zip(values.iter_mut().zip(reprs.iter())) {
                    column.push(convert(&evaluate_one(state, &self.run).await?, state.repr(), repr));
                }
            }
            let count = std::mem::replace(&mut self.next, end);
            let count = end - count;
            let column = |parts: Vec<ArrayRef>| match parts.as_slice() {
                [one] => Ok(one.clone()),
                parts => concat(&parts.iter().map(|part| &**part as &dyn Array).collect::<Vec<_>>()),
            };
            let columns = values.into_iter().map(column).collect::<std::result::Result<_, _>>()?;
            if let Some(batch) = output.apply(Batch::new(columns, count), &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
