//! A subquery in an expression that looks rows up by what it takes from a row, for many of these rows at once: what it takes are
//! columns then, and no parameters of a run of its own.
//!
//! It is for subqueries that give one value, or are asked whether there is a row (EXISTS), and do nothing besides: a scan by keys, with a
//! condition on what they take before it (Result's one-time filter), and aggregates without GROUP BY of what it finds. Whether a failure is the one that rows in turn would
//! meet first, is not known here: the caller finds out by running the subquery for each row then.

use std::sync::Arc;

use aio::Turn;
use analyze::query::{Expr, SubLinkKind, Walk};
use arrow_array::cast::AsArray;
use arrow_array::types::UInt32Type;
use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::filter::filter;
use arrow_select::take::take;
use hashbrown::HashMap;
use plan::plan::{Node, Plan, PlannedStmt};
use types::Repr;

use crate::agg::by_owner::{AggByOwner, OwnersGroups};
use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout, walk};
use crate::error::Result;
use crate::expr::output::{Filter, Output};
use crate::nodes::scan::look_up::{LookUp, Partners};
use crate::run::estate::Run;

pub struct SubPlanLookUp {
    /// What is asked of that which it takes from the row, before it looks.
    one_time: Filter,
    scan: LookUp,
    /// Over the scan's columns and what it takes from the row; `None`: what the scan gives.
    output: Option<Output>,
    /// Of these rows and what it takes from the row.
    agg: Option<AggByOwner>,
    first_only: bool,
}

/// How a subquery is called: what for, and the numbers of what it takes from a row.
#[derive(PartialEq)]
struct Call {
    kind: SubLinkKind,
    parameters: Vec<u32>,
}

/// For each of a statement's subqueries, if it looks up so.
pub fn compile_all(compiler: &Compiler<'_>, planned: &PlannedStmt) -> types::Result<Vec<Option<SubPlanLookUp>>> {
    let mut calls = HashMap::new();
    for plan in planned.sub_plans.iter().chain([&planned.plan]) {
        walk::exprs_of(plan, &mut |expr| {
            collect(expr, &mut calls);
            Walk::On
        });
    }
    let compile = |(at, plan): (usize, &Plan)| match calls.get(&at) {
        Some(Some(call)) => SubPlanLookUp::compile(compiler, plan, call),
        _ => Ok(None),
    };
    planned.sub_plans.iter().enumerate().map(compile).collect()
}

/// Of those that are called in several ways, none is known.
fn collect(expr: &Expr, calls: &mut HashMap<usize, Option<Call>>) {
    if let Expr::SubPlan(plan) = expr {
        let call = Call { kind: plan.kind, parameters: plan.parameters.clone() };
        match calls.get_mut(&plan.plan) {
            None => {
                calls.insert(plan.plan, Some(call));
            }
            Some(known) if known.as_ref() != Some(&call) => *known = None,
            Some(_) => {}
        }
    }
    let mut below = |child: &Expr| {
        collect(child, calls);
        Walk::On
    };
    expr.walk(&mut below, &mut |_| Walk::On);
}

impl SubPlanLookUp {
    fn compile(compiler: &Compiler<'_>, plan: &Plan, call: &Call) -> types::Result<Option<SubPlanLookUp>> {
        let exists = match call.kind {
            SubLinkKind::Exists => true,
            SubLinkKind::Scalar => false,
            _ => return Ok(None),
        };
        if call.parameters.is_empty() || !plan.init_plans.is_empty() {
            return Ok(None);
        }
        let given: Vec<(u32, Repr)> =
            call.parameters.iter().map(|&number| (number, compiler.parameters[number as usize])).collect();
        let with_given =
            |layout: Layout| given.iter().fold(layout, |layout, (n, repr)| layout.with_parameter(*n, *repr));
        // A node that is watched counts how often it starts.
        let (below, agg) = match &plan.node {
            Node::Agg(agg) if !exists && compiler.number(plan).is_none() => (&agg.child, Some(agg)),
            _ => (plan, None),
        };
        let (scanned, one_time) = match &below.node {
            Node::Result { child: Some(child), one_time, .. } if compiler.number(below).is_none() => {
                (&**child, &one_time[..])
            }
            _ => (below, &[][..]),
        };
        if !below.init_plans.is_empty() {
            return Ok(None);
        }
        let Some(scan) = LookUp::compile(compiler, scanned, &given)? else { return Ok(None) };
        if exists && !scan.suits_exists() {
            return Ok(None);
        }
        let one_time = compiler.filter(one_time, &with_given(Layout::default()))?;
        let output = match std::ptr::eq(scanned, below) {
            true => None,
            false => Some(compiler.output(below, &with_given(Layout::outer(scan.reprs())))?),
        };
        let agg = match agg {
            None => None,
            Some(agg) => {
                let rows = with_given(Layout::outer(output.as_ref().map_or(scan.reprs(), Output::reprs)));
                match AggByOwner::compile(compiler, plan, agg, &rows, with_given)? {
                    None => return Ok(None),
                    agg => agg,
                }
            }
        };
        Ok(Some(SubPlanLookUp { one_time, scan, output, agg, first_only: exists }))
    }

    /// The rows that it gives for each of so many rows, from which it takes these values, and for which of them each is, in their
    /// order. `None`: a row is to be looked at again, which only the scan does. With two rows for one, those behind may be missing.
    pub async fn rows(
        &self,
        run: &Run,
        mut values: Vec<ArrayRef>,
        rows: usize,
    ) -> Result<Option<Vec<(Batch, Vec<u32>)>>> {
        if run.looked_at_again(self.scan.relation()).is_some() {
            return Ok(None);
        }
        let all = values.clone();
        let mut asking = UInt32Array::from_iter_values(0..rows as u32);
        if let Some(mask) = self.one_time.mask(&Batch::new(all.clone(), rows), run).await? {
            asking = filter(&asking, &mask)?.as_primitive().clone();
            for column in &mut values {
                *column = filter(column, &mask)?;
            }
        }
        if let Some(agg) = &self.agg {
            let mut groups = agg.begin(rows, run)?;
            self.aggregate(&mut groups, run, &values, &asking).await?;
            return Ok(Some(vec![(groups.finish(&all, run).await?, (0..rows as u32).collect())]));
        }
        let mut turn = Turn::new(run.environment().database.engine());
        let (mut found, mut next) = (Vec::new(), 0);
        while next < asking.len() {
            let mut looking = self.scan.begin(run, &values, next..asking.len(), self.first_only).await?;
            while let Some(partners) = self.scan.next(&mut looking, &values, BATCH_ROWS).await? {
                turn.pass().await;
                let Some((batch, owners)) = self.given(partners, &values, run).await? else { continue };
                // A row that has two makes the statement fail.
                let is_one_each = owners.windows(2).all(|pair| pair[0] < pair[1]);
                found.push((batch, owners.iter().map(|owner| asking.value(*owner as usize)).collect()));
                if !self.first_only && !is_one_each {
                    return Ok(Some(found));
                }
            }
            next = looking.end();
        }
        Ok(Some(found))
    }

    /// Gives the rows that are found for those that ask, each of which is an owner, to their aggregates.
    async fn aggregate(
        &self,
        groups: &mut OwnersGroups<'_>,
        run: &Run,
        values: &[ArrayRef],
        asking: &UInt32Array,
    ) -> Result<()> {
        let mut turn = Turn::new(run.environment().database.engine());
        let mut next = 0;
        while next < asking.len() {
            let mut looking = self.scan.begin(run, values, next..asking.len(), false).await?;
            while let Some(partners) = self.scan.next(&mut looking, values, BATCH_ROWS).await? {
                turn.pass().await;
                let Some((mut batch, asked_by)) = self.given(partners, values, run).await? else { continue };
                let asked_by = UInt32Array::from(asked_by);
                for column in values {
                    batch.columns.push(take(column, &asked_by, None)?);
                }
                let owners = asked_by.values().iter().map(|&at| asking.value(at as usize) as usize);
                groups.take(&batch, owners, run).await?;
            }
            next = looking.end();
        }
        Ok(())
    }

    /// The targets for partners, and whose they are.
    async fn given(&self, partners: Partners, values: &[ArrayRef], run: &Run) -> Result<Option<(Batch, Vec<u32>)>> {
        let Partners { mut batch, outer, .. } = partners;
        if batch.rows == 0 {
            return Ok(None);
        }
        let Some(output) = &self.output else { return Ok(Some((batch, outer))) };
        let owners = UInt32Array::from(outer);
        for column in values {
            batch.columns.push(take(column, &owners, None)?);
        }
        batch.columns.push(Arc::new(owners));
        let Some(mut batch) = output.filter.apply(batch, run).await? else { return Ok(None) };
        let owners = batch.columns.pop().expect("it was put there");
        let owners = owners.as_primitive::<UInt32Type>().values().to_vec();
        Ok(Some((output.projection.apply(batch, run).await?, owners)))
    }
}
