//! Aggregates of a subquery without GROUP BY, for many rows at once that the subquery is asked for: these rows are the owners of the
//! rows that are aggregated, and each owner has a group, an empty one too.

use analyze::query::Expr;
use arrow_array::ArrayRef;
use plan::plan::{Agg, AggStrategy, Plan};
use types::ColumnBuilder;
use types::aggregate::{GroupStates, Members, Rows};

use super::Found;
use super::call::AggCall;
use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::Output;
use crate::memory::Reservation;
use crate::run::estate::Run;

pub struct AggByOwner {
    calls: Vec<AggCall>,
    /// Over the calls' results and what the subquery takes from an owner.
    output: Output,
}

/// The groups of some owners.
pub struct OwnersGroups<'a> {
    node: &'a AggByOwner,
    owners: usize,
    states: Vec<Box<dyn GroupStates>>,
    memory: Reservation,
    of_rows: Vec<usize>,
}

impl AggByOwner {
    /// `below` is how rows lie that are aggregated; `given` adds what the subquery takes from an owner. `None`: there is HAVING or
    /// GROUP BY, or a call wants its rows in an order of its own.
    pub fn compile(
        compiler: &Compiler<'_>,
        plan: &Plan,
        agg: &Agg,
        below: &Layout,
        given: impl Fn(Layout) -> Layout,
    ) -> types::Result<Option<AggByOwner>> {
        let is_plain = agg.strategy == AggStrategy::Plain && agg.keys.is_empty() && agg.grouping_sets.is_empty();
        if !is_plain || !plan.conditions.is_empty() || !plan.init_plans.is_empty() {
            return Ok(None);
        }
        let mut found = Found::default();
        plan.targets.iter().for_each(|target| found.look(&target.expr));
        if !found.columns.is_empty() || !found.grouping.is_empty() {
            return Ok(None);
        }
        let (mut layout, mut calls) = (Layout::default(), Vec::new());
        for expr in found.aggregates {
            let Expr::Aggref(aggref) = &expr else { continue };
            let call = AggCall::compile(compiler, aggref, agg.presorted, below, &Layout::default())?;
            if call.wants_order() || !call.direct.is_empty() {
                return Ok(None);
            }
            layout = layout.with_computed(expr, call.result);
            calls.push(call);
        }
        let output = compiler.output(plan, &given(layout))?;
        Ok(Some(AggByOwner { calls, output }))
    }

    pub fn begin(&self, owners: usize, run: &Run) -> Result<OwnersGroups<'_>> {
        let states = self.calls.iter().map(|call| call.states(run)).collect::<Result<_>>()?;
        let memory = run.reserve_value("Agg");
        Ok(OwnersGroups { node: self, owners, states, memory, of_rows: Vec::new() })
    }
}

impl OwnersGroups<'_> {
    /// Takes rows, and which owner each has.
    pub async fn take(&mut self, batch: &Batch, owners: impl Iterator<Item = usize>, run: &Run) -> Result<()> {
        self.of_rows.clear();
        self.of_rows.extend(owners);
        debug_assert!(self.of_rows.len() == batch.rows && self.of_rows.iter().all(|owner| *owner < self.owners));
        for (call, states) in self.node.calls.iter().zip(&mut self.states) {
            let input = call.input(batch, run).await?;
            let (arguments, filter) = (&input.arguments[..call.shown()], input.filter.as_ref());
            let (rows, members) = (0..batch.rows, Members::Of(&self.of_rows));
            states.update(&Rows { arguments, rows, members, filter, groups: self.owners })?;
        }
        self.memory.resize(2 * self.states.iter().map(|states| states.memory()).sum::<usize>())
    }

    /// The subquery's row for each owner; `values` is what it takes from them.
    pub async fn finish(mut self, values: &[ArrayRef], run: &Run) -> Result<Batch> {
        let mut columns = Vec::with_capacity(self.states.len() + values.len());
        for (call, states) in self.node.calls.iter().zip(&mut self.states) {
            let (arguments, members) = (call.no_arguments(), Members::Of(&[]));
            states.update(&Rows { arguments: &arguments, rows: 0..0, members, filter: None, groups: self.owners })?;
            let mut out = ColumnBuilder::new(call.result, self.owners);
            states.results(0..self.owners, &[], &mut out)?;
            columns.push(out.finish());
        }
        columns.extend(values.iter().cloned());
        self.node.output.projection.apply(Batch::new(columns, self.owners), run).await
    }
}
