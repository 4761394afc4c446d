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
    let constants = (0..width).map(|column| constant_column(&states, column, reprs[column]));
    let constants: Vec<Option<ArrayRef>> = constants.collect::<types::Result<_>>()?;
    let count = states.len();
    let computed = |row: Vec<ExprState>| row.into_iter().zip(&constants).filter(|(_, known)| known.is_none());
    let rows = match constants.iter().all(Option::is_some) {
        true => Vec::new(),
        false => states.into_iter().map(|row| computed(row).map(|(state, _)| state).collect()).collect(),
    };
    Ok(Compiled::new(ValuesScan { count, constants, rows, reprs, output }, given))
}

/// A column all of whose values are constants: it is made once. `None`: it is another.
fn constant_column(rows: &[Vec<ExprState>], column: usize, repr: Repr) -> types::Result<Option<ArrayRef>> {
    let value = |row: &Vec<ExprState>| Some(convert(row[column].constant()?.array(), row[column].repr(), repr));
    match rows.iter().map(value).collect::<Option<Vec<ArrayRef>>>() {
        Some(values) => Ok(Some(joined(values)?)),
        None => Ok(None),
    }
}

fn joined(parts: Vec<ArrayRef>) -> types::Result<ArrayRef> {
    match parts.as_slice() {
        [one] => Ok(one.clone()),
        parts => {
            let parts: Vec<&dyn Array> = parts.iter().map(|part| &**part).collect();
            concat(&parts).map_err(|_| types::memory::too_long_for_a_batch())
        }
    }
}

struct ValuesScan {
    /// How many rows there are.
    count: usize,
    /// The columns that are constant.
    constants: Vec<Option<ArrayRef>>,
    /// The values of the others, row by row.
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
        let ValuesScan { count, constants, rows, reprs, output } = &*self.node;
        while self.next < *count {
            let from = self.next;
            let end = (*count).min(from + BATCH_ROWS.min(self.pace.rows()));
            self.next = end;
            self.pace.grow();
            let is_computed = |at: &usize| constants[*at].is_none();
            let computed: Vec<usize> = (0..constants.len()).filter(is_computed).collect();
            let mut values: Vec<Vec<ArrayRef>> = computed.iter().map(|_| Vec::with_capacity(end - from)).collect();
            for row in rows.get(from..end).unwrap_or_default() {
                for (state, (column, &at)) in row.iter().zip(values.iter_mut().zip(&computed)) {
                    column.push(convert(&evaluate_one(state, &self.run).await?, state.repr(), reprs[at]));
                }
            }
            let count = end - from;
            let mut values = values.into_iter();
            let column = |constant: &Option<ArrayRef>| match constant {
                Some(column) => Ok(column.slice(from, count)),
                None => joined(values.next().expect("a column is computed for each")),
            };
            let columns = constants.iter().map(column).collect::<types::Result<_>>()?;
            if let Some(batch) = output.apply(Batch::new(columns, count), &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
