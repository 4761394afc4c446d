//! NestLoop: each row of the outer side with each of the inner side's. An inner side that takes parameters from the outer
//! row runs anew for each, several at once if it only looks rows up; any other runs once and is kept.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use aio::Turn;
use arrow_array::ArrayRef;
use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use plan::plan::{JoinKind, NestLoop, Node, Plan};
use types::Repr;

use crate::batch::{BATCH_BYTES, BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::convert;
use crate::error::{Error, Result};
use crate::estate::Run;
use crate::memory::Reservation;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::index_look_up::{IndexLookUp, LookUpRows, Partners};
use crate::nodes::join::{JoinNode, Matches, Pairs};
use crate::nodes::seq_scan::workers;
use crate::share::shares;

/// So many look-ups are under way at once, if each is one for itself.
const AT_ONCE: usize = 16;
/// An outer row's partners are looked up together with others' if no more of them are expected.
const FEW: f64 = 100.0;
/// Several tasks find partners if so many outer rows are expected, with so many partners.
const FEWEST_SHARED: f64 = 128.0;
const FEWEST_PAIRS: f64 = 5000.0;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, join: &NestLoop) -> types::Result<Compiled> {
    if !matches!(join.join.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Semi | JoinKind::Anti) {
        return Err(types::Error::unsupported(format_args!("a nested loop of kind {:?}", join.join.kind)));
    }
    let inner = compiler.plan(&join.join.inner)?;
    let outer = compiler.plan_in_order_of_mine(&join.join.outer)?;
    let node = JoinNode::compile(compiler, plan, &join.join, (outer, inner))?;
    let layout = Layout::outer(&node.outer.reprs);
    let parameter = |(number, var): &(u32, analyze::query::Var)| {
        let missing = || types::Error::new("XX000", "a parameter of a nested loop is no column of its outer side");
        let (column, from) = layout.find(var).ok_or_else(missing)?;
        Ok(Parameter { number: *number, column, from, to: compiler.parameters[*number as usize] })
    };
    let parameters = join.parameters.iter().map(parameter).collect::<types::Result<Vec<_>>>()?;
    let given: Vec<(u32, Repr)> = parameters.iter().map(|parameter| (parameter.number, parameter.to)).collect();
    let looks_up = is_look_up(&join.join.inner);
    let look_up = match looks_up && !given.is_empty() {
        true => IndexLookUp::compile(compiler, &join.join.inner, &given)?,
        false => None,
    };
    let look_up = look_up.filter(|scan| !node.first_only || scan.suits_first_only(&node.conditions));
    let reprs = node.reprs();
    Ok(match parameters.is_empty() {
        true => Compiled::new(Kept { join: node }, reprs),
        false => {
            let in_order = compiler.ordered.get() && has_order(&join.join.outer);
            let shares_outer = !in_order && is_worth_sharing(join);
            Compiled::new(Anew { join: node, parameters, looks_up, look_up, shares_outer }, reprs)
        }
    })
}

/// Is there work enough on the inner side for several tasks?
fn is_worth_sharing(join: &NestLoop) -> bool {
    let (outer, inner) = (join.join.outer.cost.rows, join.join.inner.cost.rows);
    outer >= FEWEST_SHARED && outer * inner.max(1.0) >= FEWEST_PAIRS
}

/// May the planner count on the order of a plan's rows?
fn has_order(plan: &Plan) -> bool {
    match &plan.node {
        Node::SeqScan(_) | Node::BitmapHeapScan { .. } | Node::HashJoin(_) => false,
        Node::NestLoop(join) => has_order(&join.join.outer),
        Node::Result { child: Some(child), .. } | Node::SubqueryScan { child, .. } => has_order(child),
        _ => true,
    }
}

/// Whether it is cheap to have all rows of it at once.
fn is_look_up(plan: &Plan) -> bool {
    let few = plan.cost.rows <= FEW;
    match &plan.node {
        Node::IndexScan(_) | Node::IndexOnlyScan(_) => few,
        Node::Result { child: Some(child), .. } | Node::SubqueryScan { child, .. } | Node::Memoize { child, .. } => {
            few && is_look_up(child)
        }
        _ => false,
    }
}

struct Parameter {
    number: u32,
    /// Of the outer side.
    column: usize,
    from: Repr,
    to: Repr,
}

/// The inner side is kept.
struct Kept {
    join: JoinNode,
}

impl ExecNode for Kept {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let outer = self.join.outer.start_first(run)?;
        let turn = Turn::new(run.environment().database.engine());
        let matches = Matches::new(0);
        let (run, current) = (run.clone(), None);
        Ok(Box::new(KeptRows { node: self, run, outer, inner: None, current, matches, row: 0, at: 0, turn }))
    }
}

struct KeptRows {
    node: Arc<Kept>,
    run: Run,
    outer: BoxRows,
    inner: Option<(Batch, Reservation)>,
    current: Option<Batch>,
    matches: Matches,
    /// The outer row whose candidates come next, and the first of them.
    row: usize,
    at: usize,
    turn: Turn,
}

#[async_trait]
impl Rows for KeptRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        loop {
            self.turn.pass().await;
            let Some(outer) = &self.current else {
                let Some(outer) = self.outer.next().await? else { return Ok(None) };
                self.matches.begin(outer.rows);
                (self.row, self.at) = (0, 0);
                self.current = Some(outer);
                continue;
            };
            if self.inner.is_none() {
                let (batches, mut memory) = node.join.inner.collect(&self.run).await?;
                let inner = Batch::concat(&batches, &node.join.inner.reprs)?;
                if inner.rows >= u32::MAX as usize {
                    return Err(Error::new("54000", "too many rows for a nested loop"));
                }
                memory.resize(inner.memory())?;
                self.inner = Some((inner, memory));
            }
            let inner = &self.inner.as_ref().expect("it was read").0;
            let outer = outer.clone();
            let pairs = candidates((&mut self.row, &mut self.at), &outer, inner, |row| {
                node.join.first_only && self.matches.has_partner(row)
            });
            if pairs.done == outer.rows {
                self.current = None;
            }
            if let Some(batch) = node.join.rows(&outer, inner, pairs, &mut self.matches, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}

/// The next pairs of all rows with all rows, about a batch of them; none for rows that have enough.
fn candidates(
    (row, at): (&mut usize, &mut usize),
    outer: &Batch,
    inner: &Batch,
    enough: impl Fn(usize) -> bool,
) -> Pairs {
    let (mut pairs, most) = (Pairs::default(), outer.pairs_with(inner));
    while *row < outer.rows && pairs.outer.len() < most {
        let end = inner.rows.min(*at + most - pairs.outer.len());
        if !enough(*row) {
            pairs.outer.resize(pairs.outer.len() + end - *at, *row as u32);
            pairs.inner.extend(*at as u32..end as u32);
            *at = end;
            if end < inner.rows {
                break;
            }
        }
        (*row, *at) = (*row + 1, 0);
    }
    pairs.done = *row;
    pairs
}

/// The inner side runs anew for each outer row.
struct Anew {
    join: JoinNode,
    parameters: Vec<Parameter>,
    looks_up: bool,
    /// Several tasks find the partners of outer rows that one task reads.
    shares_outer: bool,
    /// The inner side for many outer rows at once.
    look_up: Option<IndexLookUp>,
}

impl Anew {
    /// The run of the inner side for an outer row.
    fn run_for(&self, values: &[ArrayRef], row: usize, run: &Run) -> Run {
        let values = self.parameters.iter().zip(values);
        run.with_parameters(values.map(|(parameter, column)| (parameter.number, column.slice(row, 1))))
    }

    fn values(&self, outer: &Batch) -> Vec<ArrayRef> {
        let value = |p: &Parameter| convert(&outer.columns[p.column], p.from, p.to);
        self.parameters.iter().map(value).collect()
    }

    /// One partner of an outer row is enough.
    fn first_only(&self) -> bool {
        self.join.first_only && self.join.conditions.is_empty()
    }

    /// The partners of an outer row; about the first `most`, and what gives the others, where they are more.
    async fn look_up(&self, row: usize, run: Run, most: usize) -> Result<Found> {
        let first_only = self.first_only();
        let mut rows = self.join.inner.start(&run)?;
        let (mut batches, mut count, mut bytes) = (Vec::new(), 0, 0);
        while let Some(batch) = rows.next().await? {
            if first_only {
                return Ok(Found { row, batches: vec![batch.slice(0, 1)], others: None });
            }
            (count, bytes) = (count + batch.rows, bytes + batch.memory());
            batches.push(batch);
            if count >= most || bytes >= BATCH_BYTES {
                return Ok(Found { row, batches, others: Some(rows) });
            }
        }
        Ok(Found { row, batches, others: None })
    }

    /// The partners of some outer rows, each of which is looked up for itself.
    async fn look_up_each(
        &self,
        run: &Run,
        values: &[ArrayRef],
        rows: Range<usize>,
        most: usize,
    ) -> Result<VecDeque<Found>> {
        let runs: Vec<(usize, Run)> = rows.map(|row| (row, self.run_for(values, row, run))).collect();
        let looking = futures::stream::iter(runs).map(|(row, run)| self.look_up(row, run, most));
        looking.buffered(AT_ONCE).try_collect().await
    }
}

/// The partners of an outer row, and what gives those that are not here.
struct Found {
    row: usize,
    batches: Vec<Batch>,
    others: Option<BoxRows>,
}

impl ExecNode for Anew {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let outer = self.join.outer.start_first(run)?;
        Ok(self.rows(run, outer))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        if let Some(parts) = self.join.outer.start_parts(run)? {
            return Ok(Some(parts.into_iter().map(|outer| self.clone().rows(run, outer)).collect()));
        }
        let Some(workers) = self.shares_outer.then(|| workers(run)).flatten() else { return Ok(None) };
        let shares = shares(self.join.outer.start(run)?, workers.len());
        Ok(Some(workers.iter().zip(shares).map(|(worker, outer)| self.clone().rows(worker, outer)).collect()))
    }
}

impl Anew {
    fn rows(self: Arc<Self>, run: &Run, outer: BoxRows) -> BoxRows {
        let turn = Turn::new(run.environment().database.engine());
        let (run, matches) = (run.clone(), Matches::new(0));
        let (looking, found) = (None, VecDeque::new());
        Box::new(AnewRows { node: self, run, outer, current: None, looking, found, matches, inner: None, turn })
    }
}

struct AnewRows {
    node: Arc<Anew>,
    run: Run,
    outer: BoxRows,
    /// The outer batch, the parameters' columns, and the next row.
    current: Option<(Batch, Vec<ArrayRef>, usize)>,
    /// What finds the partners of some rows from that on.
    looking: Option<LookUpRows>,
    /// The partners of the next rows, where each is looked up for itself.
    found: VecDeque<Found>,
    matches: Matches,
    /// The inner side for the current row.
    inner: Option<BoxRows>,
    turn: Turn,
}

#[async_trait]
impl Rows for AnewRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            self.turn.pass().await;
            if self.current.is_none() {
                let Some(outer) = self.outer.next().await? else { return Ok(None) };
                self.matches.begin(outer.rows);
                let values = self.node.values(&outer);
                self.current = Some((outer, values, 0));
            }
            let given = match self.node.looks_up && self.inner.is_none() {
                true => self.look_up_some().await?,
                false => self.next_of_row().await?,
            };
            if given.is_some() {
                return Ok(given);
            }
        }
    }
}

impl AnewRows {
    /// Looks up the partners of the next outer rows, until there is about a batch of them.
    async fn look_up_some(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        let (outer, values, next) = self.current.as_mut().expect("there is a batch");
        let mut pairs = Pairs::default();
        let mut inner: Vec<Batch> = Vec::new();
        let (mut count, mut bytes) = (0, 0);
        // Each pair has the outer row's columns.
        let most = outer.pairs_with(&Batch::empty(&[]));
        let together = node.look_up.as_ref().filter(|scan| self.run.looked_at_again(scan.relation()).is_none());
        while *next < outer.rows && count < most && bytes < BATCH_BYTES && self.inner.is_none() {
            let end = outer.rows.min(*next + if together.is_some() { BATCH_ROWS / 8 } else { 4 * AT_ONCE });
            let partners: Vec<Partners> = match together {
                Some(scan) => {
                    let looking = match &mut self.looking {
                        Some(looking) => looking,
                        None => self.looking.insert(scan.begin(&self.run, values, *next..end, node.first_only())?),
                    };
                    let partners = scan.next(looking, values, most - count).await?;
                    if partners.is_none() {
                        *next = looking.end;
                        self.looking = None;
                    }
                    partners.into_iter().collect()
                }
                None => {
                    if self.found.is_empty() {
                        self.found = node.look_up_each(&self.run, values, *next..end, most).await?;
                    }
                    let Some(Found { row, batches, others }) = self.found.pop_front() else { break };
                    *next = if others.is_some() { row } else { row + 1 };
                    self.inner = others;
                    let outer = |batch: &Batch| vec![row as u32; batch.rows];
                    batches.into_iter().map(|batch| Partners { outer: outer(&batch), batch }).collect()
                }
            };
            for Partners { batch, outer } in partners.into_iter().filter(|some| some.batch.rows > 0) {
                pairs.outer.extend(outer);
                pairs.inner.extend(count as u32..(count + batch.rows) as u32);
                count += batch.rows;
                bytes += batch.memory();
                inner.push(batch);
            }
            self.turn.pass().await;
        }
        // Of rows whose partners are still looked for, those before the last one that had one have all of theirs.
        pairs.done = self.looking.as_ref().map_or(*next, |looking| looking.row);
        let outer = outer.clone();
        if *next == outer.rows {
            self.current = None;
        }
        let inner = Batch::concat(&inner, &node.join.inner.reprs)?;
        node.join.rows(&outer, &inner, pairs, &mut self.matches, &self.run).await
    }

    /// The next rows of the inner side for the current outer row.
    async fn next_of_row(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        let (outer, values, row) = self.current.as_mut().expect("there is a batch");
        let inner = match &mut self.inner {
            Some(inner) => inner,
            None => self.inner.insert(node.join.inner.start(&node.run_for(values, *row, &self.run))?),
        };
        let enough = node.join.first_only && self.matches.has_partner(*row);
        let batch = if enough { None } else { inner.next().await? };
        let current = *row as u32;
        let (batch, pairs) = match batch {
            Some(batch) => {
                let inner = (0..batch.rows as u32).collect();
                let pairs = Pairs { outer: vec![current; batch.rows], inner, done: *row };
                (batch, pairs)
            }
            None => {
                *row += 1;
                self.inner = None;
                (Batch::empty(&node.join.inner.reprs), Pairs { done: *row, ..Pairs::default() })
            }
        };
        let outer = outer.clone();
        if *row == outer.rows {
            self.current = None;
        }
        node.join.rows(&outer, &batch, pairs, &mut self.matches, &self.run).await
    }
}
