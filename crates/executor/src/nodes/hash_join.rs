//! HashJoin: the inner side's rows in a hash table, where those of the outer side find their partners. They come in the
//! order of the outer side, so MergeJoin is the same here: its inner side is hashed instead of read along.

use std::sync::Arc;

use aio::Turn;
use arrow_array::{ArrayRef, BooleanArray, UInt32Array};
use arrow_ord::cmp::eq;
use arrow_ord::sort::SortOptions;
use arrow_select::take::take;
use async_trait::async_trait;
use datafusion_common::hash_utils::create_hashes;
use expression::ExprState;
use hashbrown::HashTable;
use plan::plan::{HashClause, Join, MergeJoin, Plan};
use types::Repr;

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::convert::{common, convert};
use crate::error::{Error, Result};
use crate::estate::Run;
use crate::keys::{Groups, KeyColumn, null_rows};
use crate::memory::Reservation;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::join::{JoinNode, Matches, Pairs};
use crate::output::evaluate;

/// No row.
const END: u32 = u32::MAX;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, hash: &plan::plan::HashJoin) -> types::Result<Compiled> {
    let Join { outer, inner, .. } = &hash.join;
    let (inner, outer) = (compiler.plan_unordered(inner)?, compiler.plan_unordered(outer)?);
    let clauses: Vec<&HashClause> = hash.clauses.iter().collect();
    compile_with(compiler, plan, &hash.join, (outer, inner), &clauses)
}

/// Rows come in the outer side's order, as a merge join's do; the inner side's does not matter.
pub fn compile_merge(compiler: &Compiler<'_>, plan: &Plan, merge: &MergeJoin) -> types::Result<Compiled> {
    let Join { outer, inner, .. } = &merge.join;
    let (inner, outer) = (compiler.plan_unordered(inner)?, compiler.plan(outer)?);
    let clauses: Vec<&HashClause> = merge.clauses.iter().map(|clause| &clause.clause).collect();
    compile_with(compiler, plan, &merge.join, (outer, inner), &clauses)
}

fn compile_with(
    compiler: &Compiler<'_>,
    plan: &Plan,
    join: &Join,
    sides: (Compiled, Compiled),
    clauses: &[&HashClause],
) -> types::Result<Compiled> {
    let node = JoinNode::compile(compiler, plan, join, sides)?;
    let inner_layout = Layout::default().with(plan::plan::INNER, &node.inner.reprs);
    let outer_layout = Layout::outer(&node.outer.reprs);
    let clause = |clause: &&HashClause| {
        let outer = compiler.expr(&clause.outer, &outer_layout)?;
        let inner = compiler.expr(&clause.inner, &inner_layout)?;
        let repr = common([outer.repr(), inner.repr()].into_iter());
        Ok(Clause { outer, inner, repr })
    };
    let clauses = clauses.iter().map(clause).collect::<types::Result<_>>()?;
    let reprs = node.reprs();
    Ok(Compiled::new(HashJoin { join: node, clauses }, reprs))
}

struct HashJoin {
    join: JoinNode,
    clauses: Vec<Clause>,
}

struct Clause {
    outer: ExprState,
    inner: ExprState,
    /// In which both are compared.
    repr: Repr,
}

/// The inner side.
struct Table {
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
        let outer = self.join.outer.start(run)?;
        Ok(self.rows(run, outer, Arc::default()))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        if self.join.keeps_inner() {
            return Ok(None);
        }
        let Some(parts) = self.join.outer.start_parts(run)? else { return Ok(None) };
        let shared = Arc::default();
        // Whoever comes first makes the table, with workers of its own; the others wait for it.
        let part = |outer| self.clone().rows(run, outer, Arc::clone(&shared));
        Ok(Some(parts.into_iter().map(part).collect()))
    }
}

impl HashJoin {
    fn rows(self: Arc<Self>, run: &Run, outer: BoxRows, shared: Shared) -> BoxRows {
        let turn = Turn::new(run.environment().database.engine());
        let (run, matches) = (run.clone(), Matches::new(0));
        let outer = Some(outer);
        Box::new(HashJoinRows { node: self, run, outer, shared, table: None, probe: None, matches, rest: 0, turn })
    }
}

/// The table that the parts of a join share.
type Shared = Arc<tokio::sync::OnceCell<Arc<Table>>>;

struct HashJoinRows {
    node: Arc<HashJoin>,
    run: Run,
    /// `None` at its end.
    outer: Option<BoxRows>,
    shared: Shared,
    table: Option<Arc<Table>>,
    probe: Option<Probe>,
    matches: Matches,
    /// At the end: the inner rows that are still to be looked at.
    rest: usize,
    turn: Turn,
}

#[async_trait]
impl Rows for HashJoinRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        if self.table.is_none() {
            let build = || async { node.build(&self.run).await.map(Arc::new) };
            let table = self.shared.get_or_try_init(build).await?.clone();
            self.matches = Matches::new(if node.join.keeps_inner() { table.rows.rows } else { 0 });
            self.table = Some(table);
        }
        let table = self.table.clone().expect("it is built");
        loop {
            self.turn.pass().await;
            let Some(probe) = &mut self.probe else {
                // Nobody can have a partner in an empty table.
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
            let pairs = verified(probe.candidates(&table), &probe.keys, &table.keys)?;
            let outer = probe.outer.clone();
            if pairs.done == outer.rows {
                self.probe = None;
            }
            if let Some(batch) = node.join.rows(&outer, &table.rows, pairs, &mut self.matches, &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}

impl HashJoin {
    async fn build(&self, run: &Run) -> Result<Table> {
        let (batches, mut memory) = self.join.inner.collect(run).await?;
        let mut rows = Batch::concat(&batches, &self.join.inner.reprs)?;
        drop(batches);
        if rows.rows >= END as usize {
            return Err(Error::new("54000", "too many rows for a hash join"));
        }
        memory.resize(rows.memory() + rows.rows * 24)?;
        let mut keys = Vec::with_capacity(self.clauses.len());
        for clause in &self.clauses {
            keys.push(clause.key(&clause.inner, &rows, run).await?);
        }
        if self.join.asks_keys_only() {
            (rows, keys) = self.distinct(keys, rows.rows)?;
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

    /// Each key once; of the rows nothing is left.
    fn distinct(&self, keys: Vec<ArrayRef>, rows: usize) -> Result<(Batch, Vec<ArrayRef>)> {
        // They are keys already.
        let key = |(column, clause): (usize, &Clause)| KeyColumn {
            column,
            repr: clause.repr,
            options: SortOptions::default(),
        };
        let columns: Vec<KeyColumn> = self.clauses.iter().enumerate().map(key).collect();
        let (mut groups, mut of_rows) = (Groups::new(&columns)?, Vec::new());
        groups.of_keys(&keys, rows, &mut of_rows)?;
        let first = groups.beginning(&of_rows, 0);
        let keys = Batch::new(keys, rows).take(&first)?.columns;
        Ok((Batch::nulls(&self.join.inner.reprs, first.len()), keys))
    }

    async fn probe(&self, outer: Batch, run: &Run) -> Result<Probe> {
        let mut keys = Vec::with_capacity(self.clauses.len());
        for clause in &self.clauses {
            keys.push(clause.key(&clause.outer, &outer, run).await?);
        }
        let (hashes, nulls) = (hashes(&keys, outer.rows)?, null_rows(&keys));
        Ok(Probe { outer, keys, hashes, nulls, row: 0, candidate: None })
    }
}

impl Clause {
    async fn key(&self, state: &ExprState, batch: &Batch, run: &Run) -> Result<ArrayRef> {
        let column = evaluate(state, batch, run).await?;
        Ok(types::key::key(self.repr, &convert(&column, state.repr(), self.repr)))
    }
}

impl Probe {
    /// Rows whose hashes are the same, about a batch of them.
    fn candidates(&mut self, table: &Table) -> Pairs {
        let mut pairs = Pairs::default();
        while self.row < self.outer.rows && pairs.outer.len() < BATCH_ROWS {
            let mut candidate = match self.candidate.take() {
                Some(candidate) => candidate,
                None if self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(self.row)) => END,
                None => {
                    let hash = self.hashes[self.row];
                    table.first.find(hash, |(other, _)| *other == hash).map_or(END, |(_, row)| *row)
                }
            };
            while candidate != END && pairs.outer.len() < BATCH_ROWS {
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

fn hashes(keys: &[ArrayRef], rows: usize) -> Result<Vec<u64>> {
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
