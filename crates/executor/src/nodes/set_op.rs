//! SetOp: INTERSECT and EXCEPT. Rows are counted by group; ALL gives as many as the counts say. Sorted sides are merged, so that
//! the rows of a group stand together; others are hashed, and where groups are too many for the memory, sorted.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use analyze::query::SetOperator;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Int64Array, UInt32Array};
use arrow_ord::sort::SortOptions;
use async_trait::async_trait;
use plan::plan::{Plan, SetOp};
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::convert_batch;
use crate::error::Result;
use crate::expr::output::Output;
use crate::keys::{Groups, KeyColumn, RowKeys, group_keys};
use crate::memory::Reservation;
use crate::nodes::append::common_reprs;
use crate::nodes::merge_append::Merged;
use crate::nodes::sort::external;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, operation: &SetOp) -> types::Result<Compiled> {
    let sides = [compiler.plan(&operation.left)?, compiler.plan(&operation.right)?];
    let reprs = common_reprs(&sides);
    let output = compiler.output(plan, &Layout::outer(&reprs))?;
    let keys = group_keys(&operation.columns, &reprs);
    let given = output.reprs().clone();
    let (operator, all, in_order) = (operation.operator, operation.all, !operation.hashed);
    Ok(Compiled::new(SetOpNode { sides, reprs, keys, operator, all, in_order, output }, given))
}

/// So many rows of a sorted side are read at first: the other one may end soon.
const FIRST_ROWS: usize = 32;

struct SetOpNode {
    sides: [Compiled; 2],
    reprs: Arc<[Repr]>,
    keys: Vec<KeyColumn>,
    operator: SetOperator,
    all: bool,
    /// The rows of both sides are sorted by the keys, NULLs last.
    in_order: bool,
    output: Output,
}

impl SetOpNode {
    /// How rows lie that have the counts of both sides behind them.
    fn reprs_with_counts(&self) -> Arc<[Repr]> {
        self.reprs.iter().copied().chain([Repr::Int8; 2]).collect()
    }

    /// How often a group's row is given of which the sides have so many.
    fn times(&self, [left, right]: [u64; 2]) -> u64 {
        match (self.operator, self.all) {
            (SetOperator::Intersect, true) => left.min(right),
            (SetOperator::Intersect, false) => u64::from(left > 0 && right > 0),
            (_, true) => left.saturating_sub(right),
            (_, false) => u64::from(left > 0 && right == 0),
        }
    }

    /// Of a side that has ended no rows are to come: may groups without any be given?
    fn gives_without(&self, side: usize) -> bool {
        side == 1 && self.operator != SetOperator::Intersect
    }
}

impl ExecNode for SetOpNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        Ok(Box::new(SetOpRows { node: self, run: run.clone(), rows: None, memory: run.reserve("SetOp") }))
    }
}

/// Rows with so many of either side behind them.
fn with_counts(mut rows: Batch, counts: impl Fn(usize) -> [u64; 2]) -> Batch {
    for side in 0..2 {
        let column = Int64Array::from_iter_values((0..rows.rows).map(|row| counts(row)[side] as i64));
        rows.columns.push(Arc::new(column));
    }
    rows
}

struct SetOpRows {
    node: Arc<SetOpNode>,
    run: Run,
    rows: Option<BoxRows>,
    memory: Reservation,
}

impl SetOpRows {
    async fn compute(&mut self) -> Result<BoxRows> {
        let node = self.node.clone();
        if node.in_order {
            return self.merge();
        }
        let mut sides: VecDeque<_> = node.sides.iter().enumerate().collect();
        let mut counted = Counted::new(&node)?;
        while let Some((side, child)) = sides.pop_front() {
            let mut rows = child.start(&self.run)?;
            while let Some(batch) = rows.next().await? {
                counted.take(&convert_batch(batch, &child.reprs, &node.reprs)?, side)?;
                let bytes = counted.memory();
                let granted = self.memory.secure(bytes, &self.run).await;
                if granted.is_err() || bytes > self.run.estate.memory_limit() / 4 {
                    self.memory.free();
                    let rest = sides.pop_front().map(|(_, right)| right.start(&self.run)).transpose()?;
                    let rest = VecDeque::from_iter([(side, rows)].into_iter().chain(rest.map(|rows| (1, rows))));
                    return self.external(counted, bytes, rest).await;
                }
            }
            // What only the right side has is not given.
            if counted.groups.count == 0 {
                break;
            }
        }
        let (all, counts) = counted.finish(&node)?;
        let given: Vec<_> = (0..).zip(counts).map(|(row, counts)| (row, node.times(counts))).collect();
        Ok(Box::new(Repeated { all, given: given.into_iter(), left: (0, 0) }))
    }

    fn merge(&self) -> Result<BoxRows> {
        let node = self.node.clone();
        let (reprs, ended) = (node.reprs_with_counts(), Ended::default());
        let mut inputs: Vec<(BoxRows, _)> = Vec::new();
        for (side, child) in node.sides.iter().enumerate() {
            let rest = VecDeque::from([(side, child.start_leaving(&self.run, FIRST_ROWS)?)]);
            let rows = WithCounts { node: node.clone(), groups: None, rest, ended: ended.clone() };
            inputs.push((Box::new(rows), reprs.clone()));
        }
        let last = |key: &KeyColumn| KeyColumn { options: SortOptions { nulls_first: false, ..key.options }, ..*key };
        let keys: Vec<KeyColumn> = node.keys.iter().map(last).collect();
        let merged = Merged::new(inputs, &reprs, &keys)?.if_first_has_rows();
        Counting::boxed(node.clone(), Box::new(merged), ended)
    }

    /// The groups are too many for the memory: they and the rest of the rows are sorted, on disk.
    async fn external(&mut self, counted: Counted, bytes: usize, rest: VecDeque<(usize, BoxRows)>) -> Result<BoxRows> {
        let node = self.node.clone();
        let like = (counted.groups.count, bytes);
        let (groups, counts) = counted.finish(&node)?;
        let groups = with_counts(groups, |row| counts[row]);
        let reprs = node.reprs_with_counts();
        let input = WithCounts { node: node.clone(), groups: Some(groups), rest, ended: Ended::default() };
        // Of equal rows that look different the left side's is given.
        let left = KeyColumn {
            column: node.reprs.len(),
            repr: Repr::Int8,
            options: SortOptions { descending: true, nulls_first: false },
        };
        let keys: Vec<KeyColumn> = node.keys.iter().copied().chain([left]).collect();
        let rows = external(&reprs, &keys, Box::new(input), like, &self.run).await?;
        // By then both sides have come to their ends.
        Counting::boxed(node, rows, Ended::default())
    }
}

#[async_trait]
impl Rows for SetOpRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if self.rows.is_none() {
            self.rows = Some(self.compute().await?);
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        while let Some(batch) = rows.next().await? {
            if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}

/// How many rows of each group either side has.
struct Counted {
    groups: Groups,
    counts: Vec<[u64; 2]>,
    firsts: Vec<Batch>,
    /// What those take.
    held: usize,
    of_rows: Vec<usize>,
}

impl Counted {
    fn new(node: &SetOpNode) -> Result<Counted> {
        let groups = Groups::new(&node.keys)?;
        Ok(Counted { groups, counts: Vec::new(), firsts: Vec::new(), held: 0, of_rows: Vec::new() })
    }

    fn take(&mut self, batch: &Batch, side: usize) -> Result<()> {
        let before = self.groups.count;
        self.groups.of(batch, &mut self.of_rows)?;
        self.counts.resize(self.groups.count, [0; 2]);
        self.of_rows.iter().for_each(|&group| self.counts[group][side] += 1);
        if self.groups.count > before {
            let first = batch.take(&self.groups.beginning(&self.of_rows, before))?;
            self.held += first.memory();
            self.firsts.push(first);
        }
        Ok(())
    }

    /// With the rows in one piece, and how often they are given.
    fn memory(&self) -> usize {
        2 * self.held + self.groups.memory() + self.counts.len() * (size_of::<[u64; 2]>() + size_of::<(u32, u64)>())
    }

    fn finish(self, node: &SetOpNode) -> Result<(Batch, Vec<[u64; 2]>)> {
        Ok((Batch::concat(&self.firsts, &node.reprs)?, self.counts))
    }
}

/// Rows, each so many times.
struct Repeated {
    all: Batch,
    given: std::vec::IntoIter<(u32, u64)>,
    /// How often the current one is still to be given.
    left: (u32, u64),
}

impl Repeated {
    fn next(&mut self) -> Result<Option<Batch>> {
        let mut rows: Vec<u32> = Vec::new();
        while rows.len() < BATCH_ROWS {
            if self.left.1 == 0 {
                let Some(next) = self.given.next() else { break };
                self.left = next;
            }
            let times = self.left.1.min((BATCH_ROWS - rows.len()) as u64);
            rows.extend(std::iter::repeat_n(self.left.0, times as usize));
            self.left.1 -= times;
        }
        if rows.is_empty() { Ok(None) } else { self.all.take(&UInt32Array::from(rows)).map(Some) }
    }
}

#[async_trait]
impl Rows for Repeated {
    async fn next(&mut self) -> Result<Option<Batch>> {
        Repeated::next(self)
    }
}

/// Groups that were counted, then rows of the sides, with their counts behind them.
struct WithCounts {
    node: Arc<SetOpNode>,
    groups: Option<Batch>,
    rest: VecDeque<(usize, BoxRows)>,
    ended: Ended,
}

/// Which sides have no more rows.
type Ended = Arc<[AtomicBool; 2]>;

#[async_trait]
impl Rows for WithCounts {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if let Some(groups) = self.groups.take() {
            return Ok(Some(groups));
        }
        while let Some((side, rows)) = self.rest.front_mut() {
            if let Some(batch) = rows.next().await? {
                let batch = convert_batch(batch, &self.node.sides[*side].reprs, &self.node.reprs)?;
                let mut one = [0; 2];
                one[*side] = 1;
                return Ok(Some(with_counts(batch, |_| one)));
            }
            self.ended[*side].store(true, Ordering::Relaxed);
            self.rest.pop_front();
        }
        Ok(None)
    }
}

/// Sorted rows with counts: those that are equal are one group.
struct Counting {
    node: Arc<SetOpNode>,
    rows: BoxRows,
    keys: RowKeys,
    /// Which sides have no more rows behind the last one that came.
    ended: Ended,
    /// The last group, of which more rows may come.
    open: Option<Open>,
    ready: VecDeque<Repeated>,
}

struct Open {
    key: Box<[u8]>,
    row: Batch,
    counts: [u64; 2],
}

impl Counting {
    fn boxed(node: Arc<SetOpNode>, rows: BoxRows, ended: Ended) -> Result<BoxRows> {
        let keys = RowKeys::new(node.keys.clone())?;
        Ok(Box::new(Counting { node, rows, keys, ended, open: None, ready: VecDeque::new() }))
    }

    /// Counts the rows of a batch; groups that are whole by then become ready.
    fn take(&mut self, batch: &Batch) -> Result<()> {
        let keys = self.keys.of(batch)?;
        let width = self.node.reprs.len();
        let sides: [&[i64]; 2] =
            std::array::from_fn(|side| batch.columns[width + side].as_primitive::<Int64Type>().values().as_ref());
        let columns = Batch::new(batch.columns[..width].to_vec(), batch.rows);
        let mut given = Vec::new();
        // Where the last group begins in this batch, and its counts.
        let mut last: Option<(usize, [u64; 2])> = None;
        for (row, (left, right)) in sides[0].iter().zip(sides[1]).enumerate() {
            let key = keys.row(row);
            let same = match row {
                0 => self.open.as_ref().is_some_and(|open| *open.key == *key.data()),
                _ => keys.row(row - 1) == key,
            };
            if !same {
                match last {
                    Some((begin, counts)) => given.push((begin as u32, self.node.times(counts))),
                    None => self.close(),
                }
                last = Some((row, [0; 2]));
            }
            let Some(counts) =
                last.as_mut().map(|(_, counts)| counts).or(self.open.as_mut().map(|open| &mut open.counts))
            else {
                continue;
            };
            *counts = [counts[0] + *left as u64, counts[1] + *right as u64];
        }
        if let Some((begin, counts)) = last {
            let key = keys.row(batch.rows - 1).data().into();
            self.open = Some(Open { key, row: columns.slice(begin, 1), counts });
        }
        self.ready.push_back(Repeated { all: columns, given: given.into_iter(), left: (0, 0) });
        Ok(())
    }

    /// Is no group behind the last one given?
    fn is_done(&self) -> bool {
        let lacks = |side: usize, open: &Open| {
            self.ended[side].load(Ordering::Relaxed) && open.counts[side] == 0 && !self.node.gives_without(side)
        };
        self.open.as_ref().is_some_and(|open| lacks(0, open) || lacks(1, open))
    }

    /// The last group is whole.
    fn close(&mut self) {
        if let Some(open) = self.open.take() {
            let given = vec![(0, self.node.times(open.counts))].into_iter();
            self.ready.push_back(Repeated { all: open.row, given, left: (0, 0) });
        }
    }
}

#[async_trait]
impl Rows for Counting {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            while let Some(ready) = self.ready.front_mut() {
                match ready.next()? {
                    Some(batch) => return Ok(Some(batch)),
                    None => self.ready.pop_front(),
                };
            }
            if self.is_done() {
                return Ok(None);
            }
            match self.rows.next().await? {
                Some(batch) => self.take(&batch)?,
                None if self.open.is_some() => self.close(),
                None => return Ok(None),
            }
        }
    }
}
