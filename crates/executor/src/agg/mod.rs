//! Agg: rows in groups, with what aggregates make of each group.
//!
//! Groups have numbers in the order in which they come up, so that of rows which come group by group the results are in
//! their order, too. A group's columns are those of its first row.
//!
//! * [`call`]: a call of an aggregate. [`gather`]: calls whose rows have to be sorted or made distinct first.
//! * [`set`]: the groups of a grouping set; a plain GROUP BY is one. [`spill`]: groups that are too many for the memory.
//! * [`by_owner`]: aggregates of a subquery for many rows that ask for it.

pub mod by_owner;
mod call;
mod gather;
mod set;
mod spill;

use std::sync::Arc;

use aio::Turn;
use analyze::query::{Aggref, Expr, GroupingFunc, Walk};
use async_trait::async_trait;
use plan::plan::{Agg, AggStrategy, OUTER, Plan};
use tokio::task::JoinSet;
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::expr::output::Output;
use crate::keys::{KeyColumn, group_keys};
use crate::memory::Reservation;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

use call::{AggCall, Input};
use set::GroupSet;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, agg: &Agg) -> types::Result<Compiled> {
    let mut found = Found::default();
    let exprs = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions);
    exprs.for_each(|expr| found.look(expr));
    // Groups are made of rows that come one after the other, or an aggregate's result shows their order.
    let ordered = |expr: &Expr| matches!(expr, Expr::Aggref(call) if shows_order(compiler, call, agg.presorted));
    let child = match agg.strategy == AggStrategy::Sorted || found.aggregates.iter().any(ordered) {
        true => compiler.plan(&agg.child)?,
        false => compiler.plan_unordered(&agg.child)?,
    };
    let below = Layout::outer(&child.reprs);
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
        let call = AggCall::compile(compiler, aggref, agg.presorted, &below, &groups_only)?;
        layout = layout.with_computed(expr, call.result);
        calls.push(call);
    }
    let mut grouping = Vec::new();
    for call in found.grouping {
        layout = layout.with_computed(Expr::GroupingFunc(call.clone()), Repr::Int4);
        grouping.push(call.references.iter().map(|&reference| (reference as usize).checked_sub(1)).collect());
    }
    let output = compiler.output(plan, &layout)?;
    let sets = match agg.grouping_sets.is_empty() {
        true => vec![(0..keys.len()).collect()],
        false => agg.grouping_sets.clone(),
    };
    let sorted = agg.strategy == AggStrategy::Sorted && agg.grouping_sets.is_empty();
    let reprs = output.reprs().clone();
    let columns = found.columns;
    let in_parts = agg.strategy != AggStrategy::Sorted && calls.iter().all(|call| !call.wants_order());
    Ok(Compiled::new(AggNode { child, columns, keys, sets, sorted, in_parts, calls, grouping, output }, reprs))
}

/// May a call's result depend on the order of its rows? What the planner has seen to is among that.
fn shows_order(compiler: &Compiler<'_>, call: &Aggref, presorted: bool) -> bool {
    const ANY_ORDER: [&str; 16] = [
        "count",
        "sum",
        "avg",
        "min",
        "max",
        "bool_and",
        "bool_or",
        "every",
        "bit_and",
        "bit_or",
        "bit_xor",
        "stddev",
        "stddev_pop",
        "stddev_samp",
        "variance",
        "var_pop",
    ];
    let name = compiler.catalog.function(call.function).map(|row| &*row.proname);
    let distinct = call.distinct && call.order_written == 0;
    match presorted && call.presorted {
        true => true,
        // Of equal ones any, and then sorted.
        false if distinct => false,
        false => !call.order.is_empty() || !name.is_some_and(|name| ANY_ORDER.contains(&name)),
    }
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
    /// Several tasks may make groups, which are put together at the end.
    in_parts: bool,
    calls: Vec<AggCall>,
    /// Of each GROUPING() the keys; `None`: what is grouped by in every set.
    grouping: Vec<Vec<Option<usize>>>,
    output: Output,
}

impl ExecNode for AggNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let parts = match self.in_parts {
            true => self.child.start_parts(&run.for_all_rows())?,
            false => None,
        };
        let child = match parts {
            Some(parts) => Source::Parts(parts),
            // The first groups may be enough.
            None if self.sorted => Source::Rows(self.child.start_first(run)?),
            None => Source::Rows(self.child.start(run)?),
        };
        Ok(Box::new(AggRows { groups: Grouping::new(self.clone(), run)?, child, set: 0, at: 0 }))
    }
}

/// Where rows come from.
enum Source {
    Rows(BoxRows),
    /// Several tasks read them, each with groups of its own.
    Parts(Vec<BoxRows>),
    /// States of groups, those of one group side by side.
    Partials(BoxRows),
    End,
}

/// The groups of all sets.
struct Grouping {
    node: Arc<AggNode>,
    run: Run,
    sets: Vec<GroupSet>,
    memory: Reservation,
    /// With which part of what the statement may have it is full, if others may go to disk.
    most: Option<usize>,
    turn: Turn,
}

impl Grouping {
    fn new(node: Arc<AggNode>, run: &Run) -> Result<Grouping> {
        let sets = node.sets.iter().map(|keys| GroupSet::new(&node, keys, run)).collect::<Result<_>>()?;
        let most = spill::most(&node);
        let memory = if most.is_some() { run.reserve("Agg") } else { run.reserve_value("Agg") };
        let turn = Turn::new(run.environment().database.engine());
        Ok(Grouping { node, run: run.clone(), sets, memory, most, turn })
    }

    /// Takes rows. `true`: it should not take more, because it is full.
    async fn take(&mut self, batch: &Batch) -> Result<bool> {
        let mut inputs: Vec<Input> = Vec::with_capacity(self.node.calls.len());
        for call in &self.node.calls {
            inputs.push(call.input(batch, &self.run).await?);
        }
        for set in &mut self.sets {
            set.update(&self.node, batch, &inputs, &self.run).await?;
        }
        let bytes = self.sets.iter().map(GroupSet::memory).sum();
        self.turn.pass().await;
        match self.most {
            Some(part) => {
                let granted = self.memory.secure(bytes, &self.run).await;
                Ok(granted.is_err() || bytes > self.run.estate.memory_limit() / part)
            }
            None => self.memory.resize(bytes).map(|()| false),
        }
    }

    /// Takes what several tasks make of parts. Gives what is left where that is too much: groups that were made, and rows.
    async fn take_parts(&mut self, parts: Vec<BoxRows>) -> Result<Option<(Vec<Grouping>, Vec<BoxRows>)>> {
        aio::announce_long_work().await;
        let mut tasks = JoinSet::new();
        for mut rows in parts {
            let mut groups = Grouping::new(self.node.clone(), &self.run)?;
            tasks.spawn(async move {
                while let Some(batch) = rows.next().await? {
                    if groups.take(&batch).await? {
                        return Ok((groups, Some(rows)));
                    }
                }
                Ok::<_, Error>((groups, None))
            });
        }
        let (mut made, mut rest) = (Vec::new(), Vec::new());
        while let Some(part) = tasks.join_next().await {
            let (groups, rows) = part.map_err(Error::internal)??;
            made.push(groups);
            rest.extend(rows);
        }
        let bytes: usize = made.iter().map(|part| part.memory.held()).sum();
        if !rest.is_empty() || self.most.is_some_and(|part| bytes > self.run.estate.memory_limit() / part) {
            return Ok(Some((made, rest)));
        }
        for part in made {
            for (own, other) in self.sets.iter_mut().zip(part.sets) {
                own.absorb(&self.node, other)?;
            }
            self.memory.resize(self.sets.iter().map(GroupSet::memory).sum())?;
        }
        Ok(None)
    }
}

struct AggRows {
    groups: Grouping,
    child: Source,
    /// The set and the group in it that are given next.
    set: usize,
    at: usize,
}

impl AggRows {
    /// Reads until groups of rows that come group by group are whole, or everything. `true`: there is no more.
    async fn read(&mut self) -> Result<bool> {
        loop {
            match &mut self.child {
                Source::End => return Ok(true),
                Source::Rows(rows) => match rows.next().await? {
                    Some(batch) => {
                        if self.groups.take(&batch).await? {
                            self.spill(Vec::new(), Vec::new()).await?;
                        }
                    }
                    None => return self.finish().await,
                },
                Source::Parts(parts) => {
                    let parts = std::mem::take(parts);
                    match self.groups.take_parts(parts).await? {
                        Some((made, rest)) => self.spill(made, rest).await?,
                        None => return self.finish().await,
                    }
                }
                Source::Partials(rows) => match rows.next().await? {
                    Some(batch) => self.groups.sets[0].absorb_partials(&self.groups.node, &batch)?,
                    None => return self.finish().await,
                },
            }
            let by_group = self.groups.node.sorted || matches!(self.child, Source::Partials(_));
            if by_group && self.groups.sets[0].groups() > 1 {
                return Ok(false);
            }
        }
    }

    /// The groups are too many for the memory: the states of those that were made, and of those that are made of the rest,
    /// go through a sort.
    async fn spill(&mut self, mut made: Vec<Grouping>, mut rest: Vec<BoxRows>) -> Result<()> {
        let (node, run) = (self.groups.node.clone(), self.groups.run.clone());
        if let Source::Rows(rows) = std::mem::replace(&mut self.child, Source::End) {
            rest.push(rows);
            made.push(std::mem::replace(&mut self.groups, Grouping::new(node.clone(), &run)?));
        }
        let shape = spill::shape(&self.groups);
        self.child = Source::Partials(spill::sorted(shape, made, rest, (node, &run)).await?);
        Ok(())
    }

    async fn finish(&mut self) -> Result<bool> {
        self.child = Source::End;
        let Grouping { node, run, sets, memory, .. } = &mut self.groups;
        for set in sets.iter_mut() {
            set.finish(node, run).await?;
        }
        memory.resize(sets.iter().map(GroupSet::memory).sum())?;
        Ok(true)
    }
}

#[async_trait]
impl Rows for AggRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.groups.node.clone();
        loop {
            let ended = match self.at {
                0 => self.read().await?,
                _ => matches!(self.child, Source::End),
            };
            let Grouping { sets, run, .. } = &mut self.groups;
            let sets_in_all = sets.len();
            let Some(set) = sets.get_mut(self.set) else { return Ok(None) };
            let groups = if ended { set.groups() } else { set.groups() - 1 };
            if self.at == groups {
                (self.set, self.at) = match ended {
                    true => (self.set + 1, 0),
                    false => {
                        set.forget(&node, groups)?;
                        (self.set, 0)
                    }
                };
                if ended && self.set == sets_in_all {
                    return Ok(None);
                }
                continue;
            }
            let end = groups.min(self.at + BATCH_ROWS);
            let rows = set.rows(&node, self.at..end, run).await?;
            self.at = end;
            if let Some(batch) = node.output.apply(rows, run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
