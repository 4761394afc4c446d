//! ValuesScan: rows of expressions.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use arrow_array::{Array, ArrayRef};
use arrow_select::concat::concat;
use async_trait::async_trait;
use expression::{ExprState, constant_repr};
use plan::plan::Plan;
use types::{ColumnBuilder, Repr};

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
    let width = rows.first().map_or(0, Vec::len);
    let constants = (0..width).map(|column| constant_column(compiler, rows, column));
    let constants = constants.collect::<types::Result<Vec<Option<(ArrayRef, Repr)>>>>()?;
    let computed: Vec<usize> = (0..width).filter(|&column| constants[column].is_none()).collect();
    let states_of = |row: &Vec<Expr>| compiler.exprs(computed.iter().map(|&column| &row[column]), &Layout::default());
    let states: Vec<Vec<ExprState>> = match computed.is_empty() {
        true => Vec::new(),
        false => rows.iter().map(states_of).collect::<types::Result<_>>()?,
    };
    let computed_repr = |at: usize| common(states.iter().map(|row| row[at].repr()));
    let mut computed_reprs = (0..computed.len()).map(computed_repr);
    let repr = |constant: &Option<(ArrayRef, Repr)>| match constant {
        Some((_, repr)) => *repr,
        None => computed_reprs.next().expect("each column is constant or computed"),
    };
    let reprs: Arc<[Repr]> = constants.iter().map(repr).collect();
    let output = compiler.output(plan, &Layout::default().with(relation, &reprs))?;
    let given = output.reprs().clone();
    let constants = constants.into_iter().map(|constant| constant.map(|(column, _)| column)).collect();
    let scan = ValuesScan { count: rows.len(), constants, computed, states, reprs, output };
    Ok(Compiled::new(scan, given))
}

/// A column all of whose values are constants that are held alike: it is made once. `None`: it is another.
fn constant_column(
    compiler: &Compiler<'_>,
    rows: &[Vec<Expr>],
    column: usize,
) -> types::Result<Option<(ArrayRef, Repr)>> {
    let mut repr = None;
    let mut values: Option<ColumnBuilder> = None;
    for row in rows {
        let Expr::Const(constant) = &row[column] else { return Ok(None) };
        let own = constant_repr(constant, compiler.catalog)?;
        if *repr.get_or_insert(own) != own {
            return Ok(None);
        }
        let values = values.get_or_insert_with(|| ColumnBuilder::new(own, rows.len()));
        values.push(&constant.value);
        values.check()?;
    }
    Ok(values.map(ColumnBuilder::finish).zip(repr))
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
    /// The others.
    computed: Vec<usize>,
    /// Their values, row by row; none where there are no others.
    states: Vec<Vec<ExprState>>,
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
        let ValuesScan { count, constants, computed, states, reprs, output } = &*self.node;
        while self.next < *count {
            let from = self.next;
            let end = (*count).min(from + BATCH_ROWS.min(self.pace.rows()));
            self.next = end;
            self.pace.grow();
            let mut values: Vec<Vec<ArrayRef>> = computed.iter().map(|_| Vec::with_capacity(end - from)).collect();
            for row in states.get(from..end).unwrap_or_default() {
                for (state, (column, &at)) in row.iter().zip(values.iter_mut().zip(computed)) {
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
