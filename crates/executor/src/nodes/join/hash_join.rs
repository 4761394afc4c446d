//! HashJoin: the inner side's rows in a hash table, where those of the outer side find their partners. An inner side that is too
//! large for the memory is divided ([`crate::nodes::join::hash_batches`]).

use std::sync::Arc;

use aio::Turn;
use arrow_array::{ArrayRef, BooleanArray, UInt32Array};
use arrow_ord::cmp::eq;
use arrow_ord::sort::SortOptions;
use arrow_select::take::take;
use async_trait::async_trait;
use datafusion_common::hash_utils::create_hashes;
use error::sqlstate;
use hashbrown::HashTable;
use plan::plan::{HashClause, Join, Plan};

use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::{Error, Result};
use crate::expr::pace::Pace;
use crate::keys::{Groups, KeyColumn, null_rows};
use crate::memory::Reservation;
use crate::nodes::join::hash_batches::{BatchRows, Batches, MOST_DEPTH};
use crate::nodes::join::join_keys::{JoinKeys, Side};
use crate::nodes::join::{JoinNode, Matches, Pairs};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Continued, Ready, Rows};

/// No row.
const END: u32 = u32::MAX;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, hash: &plan::plan::HashJoin) -> types::Result<Compiled> {
    let Join { outer, inner, .. } = &hash.join;
    let sides = (compiler.plan_unordered(outer)?, compiler.plan_unordered(inner)?);
    let peeks = |join: &JoinNode| !join.gives_inner_alone() && outer.cost.startup < inner.cost.total;
    compile_with(compiler, plan, &hash.join, sides, hash.clauses.iter(), peeks)
}

/// A full join without keys (ON true), which the planner takes for a merge join: all rows have the same key.
pub fn compile_keyless(compiler: &Compiler<'_>, plan: &Plan, join: &Join) -> types::Result<Compiled> {
    let sides = (compiler.plan_unordered(&join.outer)?, compiler.plan_unordered(&join.inner)?);
    compile_with(compiler, plan, join, sides, [].iter(), |_| false)
}

fn compile_with<'c>(
    compiler: &Compiler<'_>,
    plan: &Plan,
    join: &Join,
    sides: (Compiled, Compiled),
    clauses: impl Iterator<Item = &'c HashClause>,
    peeks: impl FnOnce(&JoinNode) -> bool,
) -> types::Result<Compiled> {
    let join = JoinNode::compile(compiler, plan, join, sides)?;
    let keys = JoinKeys::compile(compiler, &join, clauses)?;
    let (reprs, peeks) = (join.reprs(), peeks(&join));
    Ok(Compiled::new(HashJoin { join, keys, peeks }, reprs))
}

pub struct HashJoin {
    pub join: JoinNode,
    pub keys: JoinKeys,
    /// It looks whether there is an outer row before it reads the inner side.
    peeks: bool,
}

/// A join's inner side, or a part of it, made once for all who read parts of the outer one.
pub struct Inner {
    rows: InnerRows,
    /// How often it was divided.
    depth: u32,
    built: tokio::sync::OnceCell<Built>,
}

/// Where its rows come from.
pub enum InnerRows {
    Plan,
    /// One of the batches that it was divided into.
    Of(Arc<Batches>, usize),
}

#[derive(Clone)]
enum Built {
    Table(Arc<Table>),
    /// Too large for a table.
    Batches(Arc<Batches>),
}

/// Bytes of a row in the table, beside its own.
const ROW: usize = 24;

impl Inner {
    pub fn new(rows: InnerRows, depth: u32) -> Inner {
        Inner { rows, depth, built: tokio::sync::OnceCell::new() }
    }

    fn of_plan() -> Arc<Inner> {
        Arc::new(Inner::new(InnerRows::Plan, 0))
    }
}

/// Rows by their keys.
pub struct Table {
    rows: Batch,
    keys: Vec<ArrayRef>,
    /// By hash, the first row that has it.
    first: HashTable<(u64, u32)>,
    /// The next row with the same hash.
    next: Vec<u32>,
    _memory: Reservation,
}

/// Where the search for an outer batch's partners goes on.
struct Probe {
    outer: Batch,
    keys: Vec<ArrayRef>,
    hashes: Vec<u64>,
    nulls: Option<arrow_buffer::NullBuffer>,
    row: usize,
    /// The next candidate for this row, if it was begun.
    candidate: Option<u32>,
}

impl ExecNode for HashJoin {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let outer = self.join.outer.start_first(run)?;
        let peeks = self.peeks;
        Ok(Box::new(HashJoinRows { peeks, ..self.begin(run, outer, Inner::of_plan()) }))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        if self.join.keeps_inner() {
            return Ok(None);
        }
        let Some(parts) = self.join.outer.start_parts(run)? else { return Ok(None) };
        let inner = Inner::of_plan();
        // The first task makes the table, with workers of its own; the others wait for it.
        let part = |outer| self.clone().rows(run, outer, inner.clone());
        Ok(Some(parts.into_iter().map(part).collect()))
    }
}

impl HashJoin {
    pub fn rows(self: Arc<Self>, run: &Run, outer: BoxRows, inner: Arc<Inner>) -> BoxRows {
        Box::new(self.begin(run, outer, inner))
    }

    fn begin(self: Arc<Self>, run: &Run, outer: BoxRows, inner: Arc<Inner>) -> HashJoinRows {
        let turn = Turn::new(run.environment().database.engine());
        let (pace, run, matches) = (Pace::of(self.join.cost(), run), run.clone(), Matches::new(0));
        let (outer, table, otherwise, probe) = (Some(outer), None, None, None);
        let (node, peeks, rest) = (self, false, 0);
        HashJoinRows { node, run, outer, peeks, inner, table, otherwise, probe, matches, rest, pace, turn }
    }
}

struct HashJoinRows {
    node: Arc<HashJoin>,
    run: Run,
    /// `None` at its end.
    outer: Option<BoxRows>,
    /// Whether there is a row of it is to be seen first.
    peeks: bool,
    inner: Arc<Inner>,
    table: Option<Arc<Table>>,
    /// The join without one table of the inner side.
    otherwise: Option<BoxRows>,
    probe: Option<Probe>,
    matches: Matches,
    /// At the end: the inner rows that are still to be looked at.
    rest: usize,
    pace: Pace,
    turn: Turn,
}

#[async_trait]
impl Rows for HashJoinRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        if let Some(otherwise) = &mut self.otherwise {
            return otherwise.next().await;
        }
        if std::mem::take(&mut self.peeks) && !self.peek().await? {
            self.outer = None;
            return Ok(None);
        }
        let table = match &self.table {
            Some(table) => table.clone(),
            None => match self.inner.built.get_or_try_init(|| node.build(&self.inner, &self.run)).await?.clone() {
                Built::Table(table) => {
                    self.matches = Matches::new(if node.join.keeps_inner() { table.rows.rows } else { 0 });
                    self.table.insert(table).clone()
                }
                built => return self.join_otherwise(built)?.next().await,
            },
        };
        loop {
            self.turn.pass().await;
            let Some(probe) = &mut self.probe else {
                // No row can have a partner in an empty table.
                let hopeless = table.rows.rows == 0 && !node.join.gives_without_inner();
                let next = match &mut self.outer {
                    Some(outer) if !hopeless => outer.next().await?,
                    _ => None,
                };
                let Some(outer) = next else {
                    self.outer = None;
                    return node.join.without_partner(&table.rows, &self.matches, &mut self.rest, &self.run).await;
                };
                self.matches.begin(outer.rows);
                self.probe = Some(node.probe(outer, &self.run).await?);
                continue;
            };
            let pairs = verified(probe.candidates(&table, self.pace.rows()), &probe.keys, &table.keys)?;
            let outer = probe.outer.clone();
            if pairs.done == outer.rows {
                self.probe = None;
            }
            let joined = node.join.rows(&outer, &table.rows, pairs, &mut self.matches, &self.run).await?;
            self.pace.grow();
            if joined.is_some() {
                return Ok(joined);
            }
        }
    }
}

impl HashJoinRows {
    /// Is there an outer row?
    async fn peek(&mut self) -> Result<bool> {
        let Some(mut outer) = self.outer.take() else { return Ok(false) };
        let Some(batch) = outer.next().await? else { return Ok(false) };
        self.outer = Some(Continued::boxed(vec![batch], outer));
        Ok(true)
    }

    /// Begins the join with an inner side that is too large for a table.
    fn join_otherwise(&mut self, built: Built) -> Result<&mut BoxRows> {
        let outer = self.outer.take().ok_or_else(|| Error::internal("a join begins twice"))?;
        let (node, run) = (self.node.clone(), self.run.clone());
        let Built::Batches(inner) = built else { return Err(Error::internal("a table was not divided")) };
        Ok(self.otherwise.insert(Box::new(BatchRows::new(node, run, inner, outer))))
    }
}

impl HashJoin {
    /// Reads the inner side, into a table or, when it gets too large, into files.
    async fn build(&self, inner: &Inner, run: &Run) -> Result<Built> {
        let mut rows = match &inner.rows {
            InnerRows::Plan => self.join.inner.start(run)?,
            InnerRows::Of(batches, at) => batches.read(*at)?,
        };
        let mut memory = run.reserve("Hash");
        // What cannot be divided may have what others leave.
        if inner.depth < MOST_DEPTH {
            memory = memory.can_spill();
        }
        let (mut held, mut bytes) = (Vec::new(), 0);
        while let Some(batch) = rows.next().await? {
            bytes += batch.memory() + batch.rows * ROW;
            held.push(batch);
            if let Err(error) = memory.secure(bytes, run).await {
                drop(memory);
                return self.divide(Continued::boxed(held, rows), (inner.depth, error), run).await;
            }
        }
        let all = Batch::concat(&held, &self.join.inner.reprs)?;
        drop(held);
        match memory.secure(all.memory() + all.rows * ROW, run).await {
            Ok(()) => Ok(Built::Table(Arc::new(self.table(all, memory, run).await?))),
            Err(error) => {
                drop(memory);
                self.divide(Ready::boxed(vec![all]), (inner.depth, error), run).await
            }
        }
    }

    /// What is done with an inner side that there is no memory for.
    async fn divide(&self, rows: BoxRows, (depth, error): (u32, Error), run: &Run) -> Result<Built> {
        match depth {
            MOST_DEPTH => Err(error),
            _ => Ok(Built::Batches(Arc::new(Batches::write(self, rows, depth, run).await?))),
        }
    }

    async fn table(&self, mut rows: Batch, memory: Reservation, run: &Run) -> Result<Table> {
        if rows.rows >= END as usize {
            return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, "too many rows for a hash join"));
        }
        let mut keys = self.keys.of(Side::Inner, &rows, run).await?;
        if self.join.asks_keys_only() {
            let first = self.first_of_keys(&keys, rows.rows)?;
            keys = Batch::new(keys, rows.rows).take(&first)?.columns;
            rows = Batch::nulls(&self.join.inner.reprs, first.len());
        }
        let hashes = hashes(&keys, rows.rows)?;
        let nulls = null_rows(&keys);
        let mut first: HashTable<(u64, u32)> = HashTable::with_capacity(rows.rows);
        let mut next = vec![END; rows.rows];
        // From the end, so that rows with the same hash come in their order.
        for row in (0..rows.rows).rev() {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                continue;
            }
            let hash = hashes[row];
            match first.entry(hash, |(other, _)| *other == hash, |(hash, _)| *hash) {
                hashbrown::hash_table::Entry::Occupied(mut entry) => {
                    next[row] = std::mem::replace(&mut entry.get_mut().1, row as u32);
                }
                hashbrown::hash_table::Entry::Vacant(entry) => {
                    entry.insert((hash, row as u32));
                }
            }
        }
        Ok(Table { rows, keys, first, next, _memory: memory })
    }

    /// The first row that has each key.
    pub fn first_of_keys(&self, keys: &[ArrayRef], rows: usize) -> Result<UInt32Array> {
        // They are keys already.
        let key = |(column, repr)| KeyColumn { column, repr, options: SortOptions::default() };
        let columns: Vec<KeyColumn> = self.keys.reprs().enumerate().map(key).collect();
        let (mut groups, mut of_rows) = (Groups::new(&columns)?, Vec::new());
        groups.of_keys(keys, rows, &mut of_rows)?;
        Ok(groups.beginning(&of_rows, 0))
    }

    async fn probe(&self, outer: Batch, run: &Run) -> Result<Probe> {
        let keys = self.keys.of(Side::Outer, &outer, run).await?;
        let (hashes, nulls) = (hashes(&keys, outer.rows)?, null_rows(&keys));
        Ok(Probe { outer, keys, hashes, nulls, row: 0, candidate: None })
    }
}

impl Probe {
    /// Rows whose hashes are the same, about a batch of them, no more than so many.
    fn candidates(&mut self, table: &Table, most: usize) -> Pairs {
        let (mut pairs, most) = (Pairs::default(), self.outer.pairs_with(&table.rows).min(most));
        while self.row < self.outer.rows && pairs.outer.len() < most {
            let mut candidate = match self.candidate.take() {
                Some(candidate) => candidate,
                None if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(self.row)) => END,
                None => {
                    let hash = self.hashes[self.row];
                    table.first.find(hash, |(other, _)| *other == hash).map_or(END, |(_, row)| *row)
                }
            };
            while candidate != END && pairs.outer.len() < most {
                pairs.outer.push(self.row as u32);
                pairs.inner.push(candidate);
                candidate = table.next[candidate as usize];
            }
            if candidate != END {
                self.candidate = Some(candidate);
                break;
            }
            self.row += 1;
        }
        pairs.done = self.row;
        pairs
    }
}

pub fn hashes(keys: &[ArrayRef], rows: usize) -> Result<Vec<u64>> {
    let mut hashes = vec![0; rows];
    create_hashes(keys, &datafusion_common::hash_utils::RandomState::default(), &mut hashes)?;
    Ok(hashes)
}

/// The candidates whose keys are equal.
fn verified(pairs: Pairs, outer: &[ArrayRef], inner: &[ArrayRef]) -> Result<Pairs> {
    if pairs.outer.is_empty() {
        return Ok(pairs);
    }
    let done = pairs.done;
    let (left, right) = (UInt32Array::from(pairs.outer), UInt32Array::from(pairs.inner));
    let mut equal: Option<BooleanArray> = None;
    for (a, b) in outer.iter().zip(inner) {
        let (a, b) = (take(a, &left, None)?, take(b, &right, None)?);
        let same = eq(&a, &b)?;
        equal = Some(match equal {
            None => same,
            Some(equal) => both(&equal, &same),
        });
    }
    let (left, right) = (left.values(), right.values());
    Ok(match equal {
        Some(equal) if equal.true_count() < equal.len() => {
            let rows: Vec<usize> = equal.values().set_indices().collect();
            let pick = |of: &[u32]| rows.iter().map(|&row| of[row]).collect();
            Pairs { outer: pick(left), inner: pick(right), done }
        }
        _ => Pairs { outer: left.to_vec(), inner: right.to_vec(), done },
    })
}

/// Keys of candidates are never NULL.
fn both(a: &BooleanArray, b: &BooleanArray) -> BooleanArray {
    BooleanArray::new(a.values() & b.values(), None)
}
