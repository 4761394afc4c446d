//! ProjectSet: targets that give sets. Those of one row go along with each other; the others are the same in all its rows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aio::Turn;
use arrow_array::UInt32Array;
use async_trait::async_trait;
use expression::ExprState;
use expression::clauses::contain_volatile_functions;
use plan::plan::Plan;
use types::Argument;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::sets::{Columns, SetExpr, SetRows};
use crate::output::{Cost, evaluate};
use crate::pace::Pace;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, child: &Plan) -> types::Result<Compiled> {
    let child = compiler.plan(child)?;
    let layout = Layout::outer(&child.reprs);
    let (mut sets, mut values, mut targets, mut reprs) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for target in &plan.targets {
        match SetExpr::compile_value(compiler, &target.expr, &layout)? {
            Some(set) => {
                reprs.extend(&set.reprs);
                targets.push(Target::Set(sets.len()));
                sets.push(set);
            }
            None => {
                let value = compiler.expr(&target.expr, &layout)?;
                reprs.push(value.repr());
                targets.push(Target::Value(values.len()));
                values.push(value);
            }
        }
    }
    let is_volatile = plan.targets.iter().any(|e| contain_volatile_functions(compiler.catalog, &e.expr));
    let cost = if is_volatile { Cost::Felt } else { Cost::Low };
    Ok(Compiled::new(ProjectSet { child, sets, values, targets, cost }, reprs))
}

enum Target {
    Set(usize),
    Value(usize),
}

struct ProjectSet {
    child: Compiled,
    sets: Vec<SetExpr>,
    values: Vec<ExprState>,
    targets: Vec<Target>,
    /// Of a row.
    cost: Cost,
}

impl ExecNode for ProjectSet {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let child = self.child.start_first(run)?;
        let turn = Turn::new(run.environment().database.engine());
        let pace = Pace::of(self.cost, run);
        Ok(Box::new(ProjectSetRows { node: self, run: run.clone(), child, current: None, pace, turn }))
    }
}

struct ProjectSetRows {
    node: Arc<ProjectSet>,
    run: Run,
    child: BoxRows,
    current: Option<Current>,
    pace: Pace,
    turn: Turn,
}

/// A batch of the child.
struct Current {
    batch: Batch,
    /// Of each set.
    arguments: Vec<Vec<Argument>>,
    row: usize,
    /// The current row's sets.
    sets: Option<Vec<SetRows>>,
}

impl Current {
    /// The next rows, at most so many, with the row of the batch that each is of; fewer at the end.
    fn fill(&mut self, node: &ProjectSet, most: usize, run: &Run) -> Result<(Columns, Vec<u32>)> {
        let mut columns = Columns::new(node.sets.iter().map(|set| &set.reprs[..]), most);
        let mut of = Vec::new();
        while self.row < self.batch.rows && columns.rows < most {
            if self.sets.is_none() {
                let started = node.sets.iter().zip(&self.arguments).map(|(set, args)| set.start(args, self.row, run));
                self.sets = Some(started.collect::<Result<_>>()?);
            }
            let sets = self.sets.as_mut().expect("they were started");
            let wanted = most - columns.rows;
            let count = columns.fill(sets, wanted)?;
            of.resize(of.len() + count, self.row as u32);
            if count < wanted {
                self.row += 1;
                self.sets = None;
            }
        }
        Ok((columns, of))
    }
}

#[async_trait]
impl Rows for ProjectSetRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        loop {
            self.turn.pass().await;
            let Some(current) = &mut self.current else {
                let Some(batch) = self.child.next().await? else { return Ok(None) };
                let mut arguments = Vec::with_capacity(node.sets.len());
                for set in &node.sets {
                    arguments.push(set.arguments(&batch, &self.run).await?);
                }
                self.current = Some(Current { batch, arguments, row: 0, sets: None });
                continue;
            };
            let left = self.run.bound.as_ref().map_or(usize::MAX, |left| left.load(Ordering::Relaxed));
            let most = left.min(self.pace.rows()).clamp(1, BATCH_ROWS);
            let (columns, of) = current.fill(&node, most, &self.run)?;
            self.pace.grow();
            let batch = current.batch.clone();
            if current.row == batch.rows {
                self.current = None;
            }
            if of.is_empty() {
                continue;
            }
            let rows = of.len();
            if let Some(bound) = &self.run.bound {
                bound.store(left.saturating_sub(rows), Ordering::Relaxed);
            }
            // A value is computed once for each row that it is in, as volatile ones have to be.
            let repeated = batch.take(&UInt32Array::from(of))?;
            let mut values = Vec::with_capacity(node.values.len());
            for value in &node.values {
                values.push(evaluate(value, &repeated, &self.run).await?);
            }
            let sets: Vec<_> = columns.finish().collect();
            let column = |target: &Target| match target {
                Target::Set(at) => sets[*at].clone(),
                Target::Value(at) => values[*at].clone(),
            };
            return Ok(Some(Batch::new(node.targets.iter().map(column).collect(), rows)));
        }
    }
}
