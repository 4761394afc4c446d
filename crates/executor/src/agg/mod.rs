//! Agg: rows in groups, with what aggregates make of each group.
//!
//! Groups have numbers in the order in which they come up, so that of rows which come group by group the results are in
//! their order, too. A group's columns are those of its first row.
//!
//! * [`call`]: a call of an aggregate. [`gather`]: calls whose rows have to be sorted or made distinct first.
//! * [`set`]: the groups of a grouping set; a plain GROUP BY is one.

mod call;
mod gather;
mod set;

use std::sync::Arc;

use aio::Turn;
use analyze::query::{Expr, GroupingFunc, Walk};
use async_trait::async_trait;
use plan::plan::{Agg, AggStrategy, OUTER, Plan};
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::keys::{KeyColumn, group_keys};
use crate::memory::Reservation;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::output::Output;

use call::{AggCall, Input};
use set::GroupSet;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, agg: &Agg) -> types::Result<Compiled> {
    let child = compiler.plan(&agg.child)?;
    let below = Layout::outer(&child.reprs);
    let mut found = Found::default();
    let exprs = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions);
    exprs.for_each(|expr| found.look(expr));
    let keys = group_keys(&agg.keys, &child.reprs);
    keys.iter().for_each(|key| found.column(key.column));
    let mut layout = Layout::default();
    for &column in &found.columns {
        layout = layout.with_column(OUTER, column as i16 + 1, child.reprs[column]);
    }
    let groups_only = layout.clone();
    let mut calls = Vec::new();
    for expr in found.aggregates {
        let Expr::Aggref(aggref) = &expr else { continue };
        let call = AggCall::compile(compiler, aggref, &below, &groups_only)?;
        layout = layout.with_computed(expr, call.result);
        calls.push(call);
    }
    let mut grouping = Vec::new();
    for call in found.grouping {
        layout = layout.with_computed(Expr::GroupingFunc(call.clone()), Repr::Int4);
        grouping.push(call.references.iter().map(|&reference| reference as usize - 1).collect());
    }
    let output = compiler.output(plan, &layout)?;
    let sets = match agg.grouping_sets.is_empty() {
        true => vec![(0..keys.len()).collect()],
        false => agg.grouping_sets.clone(),
    };
    let sorted = agg.strategy == AggStrategy::Sorted && sets.len() == 1 && calls.iter().all(|call| !call.gathers());
    let reprs = output.reprs().clone();
    let columns = found.columns;
    Ok(Compiled::new(AggNode { child, columns, keys, sets, sorted, calls, grouping, output }, reprs))
}

/// What targets and conditions take from groups.
#[derive(Default)]
struct Found {
    /// Columns of the child.
    columns: Vec<usize>,
    aggregates: Vec<Expr>,
    grouping: Vec<GroupingFunc>,
}

impl Found {
    fn column(&mut self, column: usize) {
        if !self.columns.contains(&column) {
            self.columns.push(column);
        }
    }

    fn look(&mut self, expr: &Expr) {
        match expr {
            Expr::Var(var) if var.relation == OUTER && var.attribute > 0 => self.column(var.attribute as usize - 1),
            Expr::Aggref(call) => {
                if !self.aggregates.contains(expr) {
                    self.aggregates.push(expr.clone());
                }
                call.direct_arguments.iter().for_each(|argument| self.look(argument));
            }
            Expr::GroupingFunc(call) => {
                if !self.grouping.contains(call) {
                    self.grouping.push(call.clone());
                }
            }
            other => {
                other.walk(
                    &mut |child| {
                        self.look(child);
                        Walk::On
                    },
                    &mut |_| Walk::On,
                );
            }
        }
    }
}

pub(crate) struct AggNode {
    child: Compiled,
    /// The child's columns that a group has.
    columns: Vec<usize>,
    keys: Vec<KeyColumn>,
    /// The keys of each grouping set.
    sets: Vec<Vec<usize>>,
    /// The child's rows come group by group, and groups are given as soon as they are whole.
    sorted: bool,
    calls: Vec<AggCall>,
    /// Of each GROUPING() the keys.
    grouping: Vec<Vec<usize>>,
    output: Output,
}

impl ExecNode for AggNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let child = Some(self.child.start(run)?);
        let sets = self.sets.iter().map(|keys| GroupSet::new(&self, keys, run)).collect::<Result<_>>()?;
        let (memory, turn) = (run.reserve("Agg"), Turn::new(run.environment().database.engine()));
        Ok(Box::new(AggRows { node: self, run: run.clone(), child, sets, set: 0, at: 0, memory, turn }))
    }
}

struct AggRows {
    node: Arc<AggNode>,
    run: Run,
    child: Option<BoxRows>,
    sets: Vec<GroupSet>,
    /// The set and the group in it that are given next.
    set: usize,
    at: usize,
    memory: Reservation,
    turn: Turn,
}

impl AggRows {
    async fn take(&mut self, batch: &Batch) -> Result<()> {
        let mut inputs: Vec<Input> = Vec::with_capacity(self.node.calls.len());
        for call in &self.node.calls {
            inputs.push(call.input(batch, &self.run).await?);
        }
        for set in &mut self.sets {
            set.update(&self.node, batch, &inputs)?;
        }
        self.memory.resize(self.sets.iter().map(GroupSet::memory).sum())?;
        self.turn.pass().await;
        Ok(())
    }

    /// Reads until groups of rows that come group by group are whole, or everything. `true`: there is no more.
    async fn read(&mut self) -> Result<bool> {
        loop {
            let Some(child) = &mut self.child else { return Ok(true) };
            match child.next().await? {
                Some(batch) => self.take(&batch).await?,
                None => {
                    self.child = None;
                    for set in &mut self.sets {
                        set.finish(&self.node)?;
                    }
                    return Ok(true);
                }
            }
            if self.node.sorted && self.sets[0].groups() > 1 {
                return Ok(false);
            }
        }
    }
}

#[async_trait]
impl Rows for AggRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        loop {
            let ended = match self.at {
                0 => self.read().await?,
                _ => self.child.is_none(),
            };
            let Some(set) = self.sets.get_mut(self.set) else { return Ok(None) };
            let groups = if ended { set.groups() } else { set.groups() - 1 };
            if self.at == groups {
                (self.set, self.at) = match ended {
                    true => (self.set + 1, 0),
                    false => {
                        set.forget(&node, groups)?;
                        (self.set, 0)
                    }
                };
                if ended && self.set == self.sets.len() {
                    return Ok(None);
                }
                continue;
            }
            let end = groups.min(self.at + BATCH_ROWS);
            let rows = set.rows(&node, self.at..end, &self.run).await?;
            self.at = end;
            if let Some(batch) = node.output.apply(rows, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
