//! Expressions that give sets of rows: calls of set-returning functions, in FROM and in a select list.

use std::sync::Arc;

use analyze::funcapi::result_columns;
use analyze::query::Expr;
use arrow_array::ArrayRef;
use expression::ExprState;
use types::record::column::row_of;
use types::record::{RowNames, RowShape};
use types::set_returning::{Given, Set, SetCall, SetFunction};
use types::{Argument, ColumnBuilder, Datum, Oid, Repr};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::general;
use crate::error::Result;
use crate::expr::evaluate::evaluate;
use crate::run::estate::Run;

/// A call of a set-returning function.
pub struct SetExpr {
    function: &'static SetFunction,
    /// It gives one row in any case, of NULLs if it is strict and an argument is NULL.
    one_row: bool,
    arguments: Vec<ExprState>,
    result: Oid,
    /// Of its columns.
    pub reprs: Vec<Repr>,
    /// What the rows have that are its only column.
    row: Option<Arc<RowShape>>,
}

impl SetExpr {
    /// `None`: the expression gives one value.
    pub fn compile(compiler: &Compiler<'_>, expr: &Expr, layout: &Layout) -> types::Result<Option<SetExpr>> {
        let Expr::FuncExpr(call) = expr else { return Ok(None) };
        // Functions that give one row of several columns are declared as those that give many.
        if !call.returns_set && compiler.catalog.set_implementation(call.function).is_none() {
            return Ok(None);
        }
        compiler.catalog.require_execute(call.function)?;
        let function = compiler.catalog.require_set_implementation(call.function)?;
        let argument = |argument: &Expr| {
            let state = compiler.expr(argument, layout)?;
            let repr = general(state.repr());
            state.into_repr(repr)
        };
        let arguments = call.arguments.iter().map(argument).collect::<types::Result<_>>()?;
        let reprs = match result_columns(compiler.catalog, call) {
            None => vec![compiler.repr(call.result.oid)?],
            Some(columns) => columns.iter().map(|column| compiler.repr(column.ty.oid)).collect::<types::Result<_>>()?,
        };
        let one_row = !call.returns_set;
        Ok(Some(SetExpr { function, one_row, arguments, result: call.result.oid, reprs, row: None }))
    }

    /// The set whose rows are one column each: rows, where they have several.
    pub fn compile_value(compiler: &Compiler<'_>, expr: &Expr, layout: &Layout) -> types::Result<Option<SetExpr>> {
        let Some(mut set) = SetExpr::compile(compiler, expr, layout)? else { return Ok(None) };
        if let Expr::FuncExpr(call) = expr
            && let Some(columns) = result_columns(compiler.catalog, call)
        {
            let reprs = std::mem::replace(&mut set.reprs, vec![Repr::Record]);
            set.row = Some(Arc::new(RowShape {
                ty: types::oid::RECORD,
                names: RowNames::new(columns.iter().map(|column| &*column.name)),
                columns: columns.iter().map(|column| column.ty.oid).zip(reprs).collect(),
            }));
        }
        Ok(Some(set))
    }

    /// The arguments for the rows of a batch.
    pub async fn arguments(&self, batch: &Batch, run: &Run) -> Result<Vec<Argument>> {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(Argument::column(evaluate(argument, batch, run).await?));
        }
        Ok(arguments)
    }

    /// The set for one of these rows.
    pub fn start(&self, arguments: &[Argument], row: usize, run: &Run) -> Result<SetRows> {
        let call = SetCall { context: &run.execution.context, arguments, row, result: self.result };
        let nothing = || Given::rows(if self.one_row { vec![vec![Datum::Null; self.reprs.len()]] } else { Vec::new() });
        let set = self.function.rows(&call)?.unwrap_or_else(nothing);
        Ok(SetRows {
            set: Some(match &self.row {
                Some(shape) => Box::new(AsRows { set, shape: shape.clone() }),
                None => set,
            }),
        })
    }
}

/// A set of several columns as one of rows.
struct AsRows {
    set: Box<dyn Set>,
    shape: Arc<RowShape>,
}

impl Set for AsRows {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> types::Result<usize> {
        let mut columns: Vec<_> =
            self.shape.columns.iter().map(|(_, repr)| ColumnBuilder::new(*repr, most.min(64))).collect();
        let count = self.set.fill(most, &mut columns)?;
        let columns: Vec<_> = columns.into_iter().map(|column| Argument::column(column.finish())).collect();
        let rows = row_of(count, &self.shape, &columns)?;
        (0..count).for_each(|row| out[0].push(&Datum::of(&rows, row)));
        Ok(count)
    }
}

/// The rows of a set, until there are no more.
pub struct SetRows {
    set: Option<Box<dyn Set>>,
}

impl SetRows {
    /// The next rows, `most` unless they are the last.
    pub fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let mut count = 0;
        while let Some(set) = &mut self.set
            && count < most
        {
            match set.fill(most - count, out)? {
                0 => self.set = None,
                some => count += some,
            }
        }
        Ok(count)
    }
}

/// The columns of several sets that go along with each other: those that end first go on with NULL.
pub struct Columns {
    /// For each set the builders of its columns.
    builders: Vec<Vec<ColumnBuilder>>,
    pub rows: usize,
}

impl Columns {
    pub fn new<'r>(reprs: impl Iterator<Item = &'r [Repr]>, rows: usize) -> Columns {
        let builders = |reprs: &[Repr]| reprs.iter().map(|&repr| ColumnBuilder::new(repr, rows)).collect();
        Columns { builders: reprs.map(builders).collect(), rows: 0 }
    }

    /// Appends the next rows of all sets; gives how many, at most `most`: 0 when all have ended.
    pub fn fill(&mut self, sets: &mut [SetRows], most: usize) -> Result<usize> {
        let mut counts = Vec::with_capacity(sets.len());
        for (set, builders) in sets.iter_mut().zip(&mut self.builders) {
            counts.push(set.fill(most, builders)?);
        }
        let longest = counts.iter().copied().max().unwrap_or(0);
        for (count, builders) in counts.into_iter().zip(&mut self.builders) {
            for _ in count..longest {
                builders.iter_mut().for_each(|builder| builder.push(&Datum::Null));
            }
        }
        self.rows += longest;
        Ok(longest)
    }

    pub fn finish(self) -> impl Iterator<Item = ArrayRef> {
        self.builders.into_iter().flatten().map(ColumnBuilder::finish)
    }
}

/// A set of one row.
pub struct One {
    row: Option<Vec<ArrayRef>>,
}

impl One {
    pub fn rows(row: Vec<ArrayRef>) -> SetRows {
        SetRows { set: Some(Box::new(One { row: Some(row) })) }
    }
}

impl Set for One {
    fn fill(&mut self, _: usize, out: &mut [ColumnBuilder]) -> types::Result<usize> {
        let Some(row) = self.row.take() else { return Ok(0) };
        out.iter_mut().zip(&row).for_each(|(builder, value)| builder.push(&Datum::of(value, 0)));
        Ok(1)
    }
}
