//! NestLoop: each row of the outer side with each of the inner side's. An inner side that takes parameters from the outer
//! row runs anew for each, several at once if it only looks rows up; any other runs once and is kept.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use aio::Turn;
use arrow_array::ArrayRef;
use async_trait::async_trait;
use error::sqlstate;
use futures::{StreamExt, TryStreamExt};
use plan::plan::{JoinKind, NestLoop, Node, Plan};
use types::Repr;

use crate::batch::{BATCH_BYTES, BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::convert;
use crate::error::{Error, Result};
use crate::expr::pace::Pace;
use crate::memory::Reservation;
use crate::nodes::join::{JoinNode, Matches, Pairs};
use crate::nodes::scan::look_up::{LookUp, LookUpRows, Partners};
use crate::nodes::scan::seq_scan::workers;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};
use crate::run::share::shares;

/// So many look-ups are under way at once, if each is one for itself.
const AT_ONCE: usize = 16;
/// An outer row's partners are looked up together with others' if no more of them are expected.
const FEW: f64 = 100.0;
/// Several tasks find partners if so many outer rows are expected, with so many partners.
const FEWEST_SHARED: f64 = 128.0;
const FEWEST_PAIRS: f64 = 5000.0;
/// So many candidates of a row come at first where one partner may be enough.
const FIRST_STEP: usize = 64;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, join: &NestLoop) -> types::Result<Compiled> {
    if !matches!(join.join.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Semi | JoinKind::Anti) {
        return Err(types::Error::unsupported(format_args!("a nested loop of kind {:?}", join.join.kind)));
    }
    let inner = compiler.plan(&join.join.inner)?;
    let outer = compiler.plan_in_order_of_mine(&join.join.outer)?;
    let node = JoinNode::compile(compiler, plan, &join.join, (outer, inner))?;
    let layout = Layout::outer(&node.outer.reprs);
    let parameter = |(number, var): &(u32, analyze::query::Var)| {
        let missing = || {
            types::Error::new(sqlstate::INTERNAL_ERROR, "a parameter of a nested loop is no column of its outer side")
        };
        let (column, from) = layout.find(var).ok_or_else(missing)?;
        Ok(Parameter { number: *number, column, from, to: compiler.parameters[*number as usize] })
    };
    let parameters = join.parameters.iter().map(parameter).collect::<types::Result<Vec<_>>>()?;
    let given: Vec<(u32, Repr)> = parameters.iter().map(|parameter| (parameter.number, parameter.to)).collect();
    let looks_up = is_look_up(&join.join.inner);
    let look_up = match looks_up && !given.is_empty() {
        true => LookUp::compile(compiler, &join.join.inner, &given)?,
        false => None,
    };
    let look_up = look_up.filter(|scan| !node.first_only || scan.suits_first_only(&node.conditions));
    let reprs = node.reprs();
    Ok(match parameters.is_empty() {
        true => Compiled::new(Kept { join: node }, reprs),
        false => {
            let in_order = compiler.ordered.get() && has_order(&join.join.outer);
            let shares_outer = !in_order && is_worth_sharing(join);
            let partners = join.join.inner.cost.rows;
            Compiled::new(Anew { join: node, parameters, looks_up, look_up, shares_outer, partners }, reprs)
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
        let (matches, pace) = (Matches::new(0), Pace::of(self.join.cost(), run));
        let (run, current, place) = (run.clone(), None, Place::default());
        Ok(Box::new(KeptRows { node: self, run, outer, inner: Inner::Unread, current, matches, place, pace, turn }))
    }
}

struct KeptRows {
    node: Arc<Kept>,
    run: Run,
    outer: BoxRows,
    inner: Inner,
    current: Option<Batch>,
    matches: Matches,
    place: Place,
    pace: Pace,
    turn: Turn,
}

/// The outer row whose candidates come next, the part of the inner side and the row in it that is the first of them, and how many
/// of them come together where one may be enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    row: usize,
    part: usize,
    at: usize,
    step: usize,
}

impl Default for Place {
    fn default() -> Place {
        Place { row: 0, part: 0, at: 0, step: FIRST_STEP }
    }
}

impl Place {
    fn next_row(&mut self) {
        *self = Place { row: self.row + 1, ..Place::default() };
    }
}

/// The inner side, as far as it was read: all of it, unless the first rows may be enough.
enum Inner {
    Unread,
    Partly { rows: BoxRows, parts: Vec<Batch>, memory: Reservation },
    Whole { rows: Batch, _memory: Reservation },
}

#[async_trait]
impl Rows for KeptRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            self.turn.pass().await;
            let Some(outer) = &self.current else {
                let Some(outer) = self.outer.next().await? else { return Ok(None) };
                self.matches.begin(outer.rows);
                self.place = Place::default();
                self.current = Some(outer);
                continue;
            };
            let outer = outer.clone();
            let (inner, pairs) = match &mut self.inner {
                Inner::Unread => {
                    self.begin().await?;
                    continue;
                }
                Inner::Partly { .. } => self.next_of_row(&outer).await?,
                Inner::Whole { rows: inner, .. } => {
                    let (first_only, matches) = (self.node.join.first_only, &self.matches);
                    let most = outer.pairs_with(inner).min(self.pace.rows());
                    let enough = first_only.then_some(|row: usize| matches.has_partner(row));
                    (inner.clone(), candidates(&mut self.place, &outer, inner, most, enough))
                }
            };
            if pairs.done == outer.rows {
                self.current = None;
            }
            let joined = self.node.join.rows(&outer, &inner, pairs, &mut self.matches, &self.run).await?;
            self.pace.grow();
            if joined.is_some() {
                return Ok(joined);
            }
        }
    }
}

impl KeptRows {
    async fn begin(&mut self) -> Result<()> {
        let inner = &self.node.join.inner;
        if self.pace.is_full() && !self.node.join.first_only {
            let (batches, memory) = inner.collect(&self.run).await?;
            return self.keep(&batches, memory);
        }
        let rows = inner.start_leaving(&self.run, FIRST_STEP)?;
        self.inner = Inner::Partly { rows, parts: Vec::new(), memory: self.run.reserve_value("collected rows") };
        Ok(())
    }

    /// All of the inner side was read.
    fn keep(&mut self, batches: &[Batch], mut memory: Reservation) -> Result<()> {
        let inner = Batch::concat(batches, &self.node.join.inner.reprs)?;
        if inner.rows >= u32::MAX as usize {
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "too many rows for a nested loop"));
        }
        memory.resize(inner.memory())?;
        self.inner = Inner::Whole { rows: inner, _memory: memory };
        Ok(())
    }

    /// The next candidates for the current row, of an inner side that is read only as far as they are looked for.
    async fn next_of_row(&mut self, outer: &Batch) -> Result<(Batch, Pairs)> {
        let none = Batch::empty(&self.node.join.inner.reprs);
        let Inner::Partly { rows, parts, memory } = &mut self.inner else {
            return Err(Error::internal("the inner side of a nested loop is not read"));
        };
        let place = &mut self.place;
        if self.node.join.first_only && self.matches.has_partner(place.row) {
            place.next_row();
            return Ok((none, Pairs { done: place.row, ..Pairs::default() }));
        }
        // If there are no more than a few rows that is known soon: all outer rows meet them together.
        let few = if self.pace.is_full() || place.row >= FIRST_STEP { FIRST_STEP } else { 1 };
        while place.part == parts.len() || parts.iter().map(|part| part.rows).sum::<usize>() < few {
            let Some(batch) = rows.next().await? else {
                // The row goes on where it is.
                place.at += parts.iter().take(place.part).map(|part| part.rows).sum::<usize>();
                let (row, parts) = (place.row, std::mem::take(parts));
                let memory = std::mem::replace(memory, self.run.reserve_value("collected rows"));
                self.keep(&parts, memory)?;
                return Ok((none, Pairs { done: row, ..Pairs::default() }));
            };
            memory.grow(batch.memory())?;
            parts.push(batch);
        }
        let part = parts[place.part].clone();
        let end = part.rows.min(place.at + outer.pairs_with(&part).min(self.pace.rows()));
        let inner: Vec<u32> = (place.at as u32..end as u32).collect();
        let pairs = Pairs { outer: vec![place.row as u32; inner.len()], inner, done: place.row };
        (place.part, place.at) = if end < part.rows { (place.part, end) } else { (place.part + 1, 0) };
        Ok((part, pairs))
    }
}

/// The next pairs of all rows with all rows, so many at most. Where one partner may be enough for a row, `enough` tells of which
/// rows that is known, and more of a row's pairs come once the first of them were looked at.
fn candidates(
    place: &mut Place,
    outer: &Batch,
    inner: &Batch,
    most: usize,
    enough: Option<impl Fn(usize) -> bool>,
) -> Pairs {
    let mut pairs = Pairs::default();
    while place.row < outer.rows && pairs.outer.len() < most {
        if enough.as_ref().is_some_and(|enough| enough(place.row)) {
            place.next_row();
            continue;
        }
        let step = if enough.is_some() { place.step } else { usize::MAX };
        let end = inner.rows.min(place.at + step.min(most - pairs.outer.len()));
        pairs.outer.resize(pairs.outer.len() + end - place.at, place.row as u32);
        pairs.inner.extend(place.at as u32..end as u32);
        place.at = end;
        if end < inner.rows {
            place.step = place.step.saturating_mul(2);
            break;
        }
        place.next_row();
    }
    pairs.done = place.row;
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
    look_up: Option<LookUp>,
    /// So many partners of an outer row are expected.
    partners: f64,
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

    /// Begins to look for an outer row's partners, of which the first ones may be enough.
    fn start_inner(&self, run: &Run) -> Result<BoxRows> {
        match self.join.first_only {
            true => self.join.inner.start_leaving(run, 1),
            false => self.join.inner.start_first(run),
        }
    }

    /// The partners of an outer row; about the first `most`, and what gives the others, where they are more.
    async fn look_up(&self, row: usize, run: Run, most: usize) -> Result<Found> {
        let first_only = self.first_only();
        let mut rows = self.start_inner(&run)?;
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
        let pace = Pace::of(self.join.cost(), run).divided(self.partners);
        let (run, matches) = (run.clone(), Matches::new(0));
        let (looking, found) = (None, VecDeque::new());
        Box::new(AnewRows { node: self, run, outer, current: None, looking, found, matches, inner: None, pace, turn })
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
    /// So many outer rows and partners are looked at together.
    pace: Pace,
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
        let (mut count, mut bytes, mut looked_at) = (0, 0, 0);
        let pace = self.pace.rows();
        // Each pair has the outer row's columns.
        let most = outer.pairs_with(&Batch::empty(&[])).min(pace);
        let together = node.look_up.as_ref().filter(|scan| self.run.looked_at_again(scan.relation()).is_none());
        while *next < outer.rows && count < most && bytes < BATCH_BYTES && looked_at < pace && self.inner.is_none() {
            let at_once = if together.is_some() { BATCH_ROWS / 8 } else { 4 * AT_ONCE };
            let end = outer.rows.min(*next + at_once.min(pace - looked_at));
            let first = *next;
            let partners: Vec<Partners> = match together {
                Some(scan) => {
                    let looking = match &mut self.looking {
                        Some(looking) => looking,
                        None => {
                            let first_only = node.first_only();
                            self.looking.insert(scan.begin(&self.run, values, *next..end, first_only).await?)
                        }
                    };
                    let partners = scan.next(looking, values, most - count).await?;
                    if partners.is_none() {
                        *next = looking.end();
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
                    let partners = |batch: Batch| Partners { outer: outer(&batch), looked_at: batch.rows, batch };
                    batches.into_iter().map(partners).collect()
                }
            };
            looked_at += *next - first + partners.iter().map(|some| some.looked_at).sum::<usize>();
            for Partners { batch, outer, .. } in partners.into_iter().filter(|some| some.batch.rows > 0) {
                pairs.outer.extend(outer);
                pairs.inner.extend(count as u32..(count + batch.rows) as u32);
                count += batch.rows;
                bytes += batch.memory();
                inner.push(batch);
            }
            self.turn.pass().await;
        }
        // Of rows whose partners are still looked for, those before the last one that had one have all of theirs.
        pairs.done = self.looking.as_ref().map_or(*next, LookUpRows::row);
        let outer = outer.clone();
        if *next == outer.rows {
            self.current = None;
        }
        self.pace.grow();
        let inner = Batch::concat(&inner, &node.join.inner.reprs)?;
        node.join.rows(&outer, &inner, pairs, &mut self.matches, &self.run).await
    }

    /// The next rows of the inner side for the current outer row.
    async fn next_of_row(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        let (outer, values, row) = self.current.as_mut().expect("there is a batch");
        let inner = match &mut self.inner {
            Some(inner) => inner,
            None => self.inner.insert(node.start_inner(&node.run_for(values, *row, &self.run))?),
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
