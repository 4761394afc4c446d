//! ProjectSet: targets that give sets. Those of one row go along with each other; the others are computed for each row that
//! they are in, and once more where it turns out that the sets have ended (`ExecProjectSRF`), which is felt of some.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use aio::Turn;
use arrow_array::{ArrayRef, BooleanArray, UInt32Array};
use async_trait::async_trait;
use expression::ExprState;
use expression::clauses::{Felt, contain_volatile_functions, felt_calls};
use plan::plan::Plan;
use types::{Argument, ColumnBuilder, Datum, Repr};

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate;
use crate::expr::output::Cost;
use crate::expr::pace::Pace;
use crate::nodes::sets::{Columns, SetExpr, SetRows};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

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
    let felt = |of_set: bool| {
        let exprs = plan.targets.iter().zip(&targets);
        let exprs = exprs.filter(|(_, target)| matches!(target, Target::Set(_)) == of_set);
        felt_calls(compiler.catalog, exprs.map(|(target, _)| &target.expr))
    };
    // A set's arguments are computed for its first row.
    let felt = match is_volatile {
        false => Felt::Nothing,
        true if felt(true) == Felt::Nothing => felt(false),
        true => Felt::Order,
    };
    let reprs: Arc<[Repr]> = reprs.into();
    Ok(Compiled::new(ProjectSet { child, sets, values, targets, reprs: reprs.clone(), cost, felt }, reprs))
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
    reprs: Arc<[Repr]>,
    /// Of a row.
    cost: Cost,
    /// Of its calls.
    felt: Felt,
}

impl ExecNode for ProjectSet {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let child = self.child.start_first(run)?;
        let turn = Turn::new(run.environment().database.engine());
        let pace = Pace::of(self.cost, run);
        if self.felt == Felt::Order {
            let sets = self.sets.iter().map(|_| None).collect();
            let (child, run) = (Some(child), run.clone());
            return Ok(Box::new(RowsInOrder { node: self, run, child, batch: None, sets, pace, turn }));
        }
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
    /// The next rows, at most so many; fewer at the end.
    fn fill(&mut self, node: &ProjectSet, most: usize, run: &Run) -> Result<Filled> {
        let mut columns = Columns::new(node.sets.iter().map(|set| &set.reprs[..]), most);
        let (mut of, mut ends) = (Vec::new(), Vec::new());
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
                if node.felt == Felt::Number {
                    ends.push(of.len());
                    of.push(self.row as u32);
                }
                self.row += 1;
                self.sets = None;
            }
        }
        Ok(Filled { columns, of, ends })
    }
}

/// Rows of sets.
struct Filled {
    columns: Columns,
    /// For each the row of the batch that it is of.
    of: Vec<u32>,
    /// Which of these are no rows: there the sets were found to have ended.
    ends: Vec<usize>,
}

impl Filled {
    /// The other targets' values.
    async fn values(&self, node: &ProjectSet, batch: &Batch, run: &Run) -> Result<Vec<ArrayRef>> {
        let repeated = batch.take(&UInt32Array::from_iter_values(self.of.iter().copied()))?;
        let mut values = Vec::with_capacity(node.values.len());
        for value in &node.values {
            values.push(evaluate(value, &repeated, run).await?);
        }
        if self.ends.is_empty() {
            return Ok(values);
        }
        let mut is_row = vec![true; self.of.len()];
        self.ends.iter().for_each(|&end| is_row[end] = false);
        Ok(Batch::new(values, is_row.len()).filter(&BooleanArray::from(is_row))?.columns)
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
            let filled = current.fill(&node, most, &self.run)?;
            self.pace.grow();
            let batch = current.batch.clone();
            if current.row == batch.rows {
                self.current = None;
            }
            if filled.of.is_empty() {
                continue;
            }
            let values = filled.values(&node, &batch, &self.run).await?;
            let rows = filled.columns.rows;
            if rows == 0 {
                continue;
            }
            if let Some(bound) = &self.run.bound {
                bound.store(left.saturating_sub(rows), Ordering::Relaxed);
            }
            let sets: Vec<_> = filled.columns.finish().collect();
            let column = |target: &Target| match target {
                Target::Set(at) => sets[*at].clone(),
                Target::Value(at) => values[*at].clone(),
            };
            return Ok(Some(Batch::new(node.targets.iter().map(column).collect(), rows)));
        }
    }
}

/// The same where it is felt in which order targets are computed: row by row.
struct RowsInOrder {
    node: Arc<ProjectSet>,
    run: Run,
    /// `None`: it has ended.
    child: Option<BoxRows>,
    /// The rows of the child that are there; the sets are those of the first one.
    batch: Option<Batch>,
    /// `None`: not begun.
    sets: Vec<Option<SetRows>>,
    pace: Pace,
    turn: Turn,
}

impl RowsInOrder {
    /// The next row of a child's row; `None`: its sets have ended.
    async fn row(&mut self, of: &Batch) -> Result<Option<Batch>> {
        let ProjectSet { sets, values, targets, .. } = &*self.node;
        let (mut columns, mut found) = (Vec::with_capacity(targets.len()), false);
        for target in targets {
            columns.push(match target {
                Target::Value(at) => evaluate(&values[*at], of, &self.run).await?,
                Target::Set(at) => {
                    let set = &sets[*at];
                    if self.sets[*at].is_none() {
                        let arguments = set.arguments(of, &self.run).await?;
                        self.sets[*at] = Some(set.start(&arguments, 0, &self.run)?);
                    }
                    let rows = self.sets[*at].as_mut().expect("it was begun");
                    let mut column = ColumnBuilder::new(set.reprs[0], 1);
                    match rows.fill(1, std::slice::from_mut(&mut column))? {
                        0 => column.push(&Datum::Null),
                        _ => found = true,
                    }
                    column.finish()
                }
            });
        }
        Ok(found.then(|| Batch::new(columns, 1)))
    }
}

#[async_trait]
impl Rows for RowsInOrder {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let left = self.run.bound.as_ref().map_or(usize::MAX, |left| left.load(Ordering::Relaxed));
        let most = left.min(self.pace.rows()).clamp(1, BATCH_ROWS);
        let mut given = Vec::new();
        while given.len() < most {
            self.turn.pass().await;
            let Some(batch) = self.batch.clone() else {
                let Some(child) = &mut self.child else { break };
                self.batch = child.next().await?;
                if self.batch.is_none() {
                    self.child = None;
                }
                continue;
            };
            match self.row(&batch.slice(0, 1)).await? {
                Some(row) => given.push(row),
                None => {
                    self.sets.fill_with(|| None);
                    self.batch = (batch.rows > 1).then(|| batch.slice(1, batch.rows - 1));
                }
            }
        }
        if let Some(bound) = &self.run.bound {
            bound.store(left.saturating_sub(given.len()), Ordering::Relaxed);
        }
        match &given[..] {
            [] => Ok(None),
            rows => Batch::concat(rows, &self.node.reprs).map(Some),
        }
    }
}
