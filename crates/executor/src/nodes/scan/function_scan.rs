//! FunctionScan: the rows of functions in FROM, of several side by side, with their numbers behind them.

use std::sync::Arc;

use aio::Turn;
use analyze::funcapi::result_columns;
use analyze::query::{Expr, FunctionColumns, RangeTableIndex};
use arrow_array::{ArrayRef, Int64Array};
use async_trait::async_trait;
use expression::ExprState;
use plan::plan::Plan;
use types::record::column::field;
use types::{Argument, Repr};

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate_one;
use crate::expr::output::Output;
use crate::expr::pace::Parts;
use crate::nodes::sets::{Columns, One, SetExpr, SetRows};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    relation: RangeTableIndex,
    functions: &[FunctionColumns],
    ordinality: bool,
) -> types::Result<Compiled> {
    let layout = Layout::default();
    let mut sources = Vec::with_capacity(functions.len());
    for function in functions {
        let source = match SetExpr::compile(compiler, &function.call, &layout)? {
            Some(set) => Source::Set(set),
            None => {
                let value = compiler.expr(&function.call, &layout)?;
                match &function.call {
                    Expr::FuncExpr(call) if value.repr() == Repr::Record => {
                        let columns = result_columns(compiler.catalog, call).unwrap_or_default();
                        let reprs = columns.iter().map(|column| compiler.repr(column.ty.oid));
                        Source::Row(value, reprs.collect::<types::Result<_>>()?)
                    }
                    _ => {
                        let reprs = [value.repr()];
                        Source::Value(value, reprs)
                    }
                }
            }
        };
        if source.reprs().len() != function.columns {
            return Err(types::Error::unsupported("a function in FROM that gives rows of several columns"));
        }
        sources.push(source);
    }
    let mut reprs: Vec<Repr> = sources.iter().flat_map(|source| source.reprs().iter().copied()).collect();
    if ordinality {
        reprs.push(Repr::Int8);
    }
    let output = compiler.output(plan, &Layout::default().with(relation, &reprs.into()))?;
    let given = output.reprs().clone();
    Ok(Compiled::new(FunctionScan { sources, ordinality, output }, given))
}

enum Source {
    Set(SetExpr),
    /// One value.
    Value(ExprState, [Repr; 1]),
    /// One row, whose columns are these.
    Row(ExprState, Vec<Repr>),
}

impl Source {
    fn reprs(&self) -> &[Repr] {
        match self {
            Source::Set(set) => &set.reprs,
            Source::Value(_, reprs) => reprs,
            Source::Row(_, reprs) => reprs,
        }
    }

    async fn start(&self, run: &Run) -> Result<SetRows> {
        match self {
            Source::Set(set) => {
                let arguments = set.arguments(&Batch::one_row(), run).await?;
                set.start(&arguments, 0, run)
            }
            Source::Value(value, _) => Ok(One::rows(vec![evaluate_one(value, run).await?])),
            Source::Row(value, reprs) => {
                let row = Argument::column(evaluate_one(value, run).await?);
                Ok(One::rows(reprs.iter().enumerate().map(|(at, &repr)| field(1, &row, at, repr)).collect()))
            }
        }
    }
}

struct FunctionScan {
    sources: Vec<Source>,
    ordinality: bool,
    output: Output,
}

impl ExecNode for FunctionScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let turn = Turn::new(run.environment().database.engine());
        let parts = Parts::of(&self.output, run);
        Ok(Box::new(FunctionRows { node: self, run: run.clone(), sets: None, given: 0, parts, turn }))
    }
}

struct FunctionRows {
    node: Arc<FunctionScan>,
    run: Run,
    sets: Option<Vec<SetRows>>,
    /// How many rows there were.
    given: usize,
    parts: Parts,
    turn: Turn,
}

impl FunctionRows {
    /// The next rows, without conditions and targets.
    async fn fill(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        if self.sets.is_none() {
            let mut sets = Vec::with_capacity(node.sources.len());
            for source in &node.sources {
                sets.push(source.start(&self.run).await?);
            }
            self.sets = Some(sets);
        }
        self.turn.pass().await;
        // Few at first: a reader that wants no more does not wait.
        let most = if self.given == 0 { 64 } else { BATCH_ROWS };
        let mut columns = Columns::new(node.sources.iter().map(Source::reprs), most.min(1024));
        let count = columns.fill(self.sets.as_mut().expect("they were started"), most)?;
        if count == 0 {
            return Ok(None);
        }
        let mut arrays: Vec<ArrayRef> = columns.finish().collect();
        if node.ordinality {
            let numbers = self.given as i64 + 1..(self.given + count) as i64 + 1;
            arrays.push(Arc::new(Int64Array::from_iter_values(numbers)));
        }
        self.given += count;
        Ok(Some(Batch::new(arrays, count)))
    }
}

#[async_trait]
impl Rows for FunctionRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let part = match self.parts.next() {
                Some(part) => part,
                None => match self.fill().await? {
                    Some(batch) => self.parts.put(batch),
                    None => return Ok(None),
                },
            };
            if let Some(batch) = self.node.output.apply(part, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
