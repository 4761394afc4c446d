//! A call of an aggregate: what it is given for each row.

use analyze::query::{Aggref, Expr};
use arrow_array::{ArrayRef, BooleanArray};
use arrow_ord::sort::SortOptions;
use expression::ExprState;
use types::aggregate::{Aggregate, AggregateCall, GroupStates, SortOrder};
use types::{Argument, Oid, Repr};

use crate::batch::Batch;
use crate::compile::rights::require_operator;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::{evaluate, evaluate_argument};
use crate::expr::output::Filter;
use crate::keys::KeyColumn;
use crate::run::estate::Run;

pub struct AggCall {
    aggregate: &'static Aggregate,
    arguments: Vec<ExprState>,
    reprs: Vec<Repr>,
    types: Vec<Oid>,
    /// Those that the aggregate gets; the others are only sorted by.
    shown: usize,
    filter: Filter,
    /// Over the columns of groups.
    pub direct: Vec<ExprState>,
    result_type: Oid,
    pub result: Repr,
    /// How an ordered-set aggregate sorts.
    order: Vec<SortOrder>,
    /// By which of its arguments its rows are sorted before it gets them.
    pub sorted_by: Vec<KeyColumn>,
    pub distinct: bool,
    /// Its rows come sorted.
    presorted: bool,
    /// Its result is the same in whatever order they are.
    pub any_order: bool,
}

/// What a call is given for the rows of a batch.
pub struct Input {
    pub arguments: Vec<Argument>,
    pub filter: Option<BooleanArray>,
}

impl AggCall {
    /// `presorted`: rows come in the order that was found for the calls.
    pub fn compile(
        compiler: &Compiler<'_>,
        call: &Aggref,
        presorted: bool,
        below: &Layout,
        groups: &Layout,
    ) -> types::Result<AggCall> {
        compiler.catalog.require_execute_of_aggregate(call.function)?;
        let aggregate = compiler.catalog.require_aggregate_implementation(call.function)?;
        let arguments = compiler.exprs(&call.arguments, below)?;
        let filter: &[Expr] = call.filter.as_slice();
        let kind = compiler.catalog.aggregate(call.function).map_or(b'n', |row| row.aggkind);
        let descending = |sort: Oid| compiler.catalog.ordering_properties(sort).is_some_and(|order| order.descending);
        let mut order = Vec::new();
        let mut sorted_by: Vec<KeyColumn> = Vec::new();
        for by in &call.order {
            let (descending, nulls_first) = (descending(by.clause.sort), by.clause.nulls_first);
            match kind {
                b'n' => sorted_by.push(KeyColumn {
                    column: by.argument,
                    repr: arguments[by.argument].repr(),
                    options: SortOptions { descending, nulls_first },
                }),
                _ => order.push(SortOrder { descending, nulls_first }),
            }
        }
        if call.distinct && kind == b'n' {
            // A single argument is compared without asking.
            let compared = call.order.iter().filter(|_| call.arguments_shown > 1);
            compared.map(|by| by.clause.equality).try_for_each(|equal| require_operator(compiler.catalog, equal))?;
            // Equal rows stand together when they are sorted by all that is given.
            let missing = (0..call.arguments_shown).filter(|at| sorted_by.iter().all(|key| key.column != *at));
            let missing: Vec<usize> = missing.collect();
            sorted_by.extend(missing.into_iter().map(|column| KeyColumn {
                column,
                repr: arguments[column].repr(),
                options: SortOptions { descending: false, nulls_first: false },
            }));
        }
        Ok(AggCall {
            aggregate,
            reprs: arguments.iter().map(ExprState::repr).collect(),
            types: call.arguments.iter().map(|argument| argument.ty().oid).collect(),
            arguments,
            shown: call.arguments_shown,
            filter: compiler.filter(filter, below)?,
            direct: compiler.exprs(&call.direct_arguments, groups)?,
            result_type: call.result.oid,
            result: compiler.repr(call.result.oid)?,
            order,
            sorted_by,
            distinct: call.distinct && kind == b'n',
            presorted: presorted && call.presorted,
            any_order: compiler.catalog.function(call.function).is_some_and(|row| row.proname == "count"),
        })
    }

    /// Its rows are gathered before it gets them.
    pub fn gathers(&self) -> bool {
        self.wants_order() && !self.presorted
    }

    /// Its rows are to be sorted, or to be different.
    pub fn wants_order(&self) -> bool {
        !self.sorted_by.is_empty()
    }

    pub fn states(&self, run: &Run) -> Result<Box<dyn GroupStates>> {
        let call = AggregateCall {
            context: &run.execution.context,
            arguments: &self.types[..self.shown],
            reprs: &self.reprs[..self.shown],
            result: self.result_type,
            order: &self.order,
        };
        Ok(self.aggregate.start(&call)?)
    }

    pub async fn input(&self, batch: &Batch, run: &Run) -> Result<Input> {
        let filter = self.filter.mask(batch, run).await?;
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for (at, argument) in self.arguments.iter().enumerate() {
            // What is left out is not evaluated.
            if let Some(filter) = &filter {
                arguments.push(Argument::column(self.spread(argument, batch, filter, at, run).await?));
                continue;
            }
            arguments.push(match self.wants_order() {
                true => Argument::column(evaluate(argument, batch, run).await?),
                false => evaluate_argument(argument, batch, run).await?,
            });
        }
        Ok(Input { arguments, filter })
    }

    /// An argument's values for the rows that a filter lets through; NULL for the others.
    async fn spread(
        &self,
        argument: &ExprState,
        batch: &Batch,
        filter: &BooleanArray,
        at: usize,
        run: &Run,
    ) -> Result<ArrayRef> {
        let some = batch.filter(filter)?;
        if some.rows == 0 {
            return Ok(arrow_array::new_null_array(&self.reprs[at].arrow(), batch.rows));
        }
        let values = evaluate(argument, &some, run).await?;
        let mut next = 0;
        let places = filter.values().iter().map(|passes| {
            passes.then(|| {
                next += 1;
                next - 1
            })
        });
        let places: arrow_array::UInt32Array = places.collect();
        Ok(arrow_select::take::take(&values, &places, None)?)
    }

    /// What it is given for no row at all.
    pub fn no_arguments(&self) -> Vec<Argument> {
        let empty = |repr: &Repr| Argument::column(arrow_array::new_empty_array(&repr.arrow()));
        self.reprs[..self.shown].iter().map(empty).collect()
    }

    /// Of its arguments, and what it is sorted by besides.
    pub fn reprs(&self) -> &[Repr] {
        &self.reprs
    }

    pub fn shown(&self) -> usize {
        self.shown
    }
}
