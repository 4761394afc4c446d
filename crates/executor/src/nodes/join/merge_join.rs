//! MergeJoin: both sides come sorted by the keys, and are read along with each other (`nodeMergejoin.c`). Neither is read on once
//! nothing more of it can have a partner, and each comes in batches that are small at first ([`crate::expr::pace`]): the other side may
//! end soon.
//!
//! # Invariants
//! * The parts of the inner side begin with the first row that may be a partner of the current outer row or of one behind it. What
//!   is before it is given, if rows without partners are, and gone.
//! * Pairs that are joined together are of one batch of each side.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use aio::Turn;
use arrow_array::{Array, ArrayRef};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer};
use arrow_ord::sort::SortOptions;
use arrow_row::{RowConverter, SortField};
use async_trait::async_trait;
use plan::plan::{MergeClause, MergeJoin, Plan};

use crate::batch::{BATCH_BYTES, BATCH_ROWS, Batch};
use crate::compile::Compiler;
use crate::error::{Error, Result};
use crate::expr::pace::Pace;
use crate::keys::{key_type, null_rows};
use crate::memory::Reservation;
use crate::nodes::join::join_keys::{JoinKeys, Side};
use crate::nodes::join::{JoinNode, Matches, Pairs};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

/// So many rows of a side are read at first.
const FIRST_ROWS: usize = 32;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, merge: &MergeJoin) -> types::Result<Compiled> {
    let sides = (compiler.plan(&merge.join.outer)?, compiler.plan(&merge.join.inner)?);
    let join = JoinNode::compile(compiler, plan, &merge.join, sides)?;
    let keys = JoinKeys::compile(compiler, &join, merge.clauses.iter().map(|clause| &clause.clause))?;
    let options = |c: &MergeClause| SortOptions { descending: c.descending, nulls_first: c.nulls_first };
    let order: Vec<SortOptions> = merge.clauses.iter().map(options).collect();
    let reprs = join.reprs();
    Ok(Compiled::new(MergeJoinNode { join, keys, order }, reprs))
}

struct MergeJoinNode {
    join: JoinNode,
    keys: JoinKeys,
    /// How both sides are sorted by the keys.
    order: Vec<SortOptions>,
}

impl MergeJoinNode {
    /// Rows whose first key is NULL are the last ones.
    fn ends_with_nulls(&self) -> bool {
        self.order.first().is_some_and(|options| !options.nulls_first)
    }
}

impl ExecNode for MergeJoinNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let fields = self.keys.reprs().zip(&self.order);
        let fields = fields.map(|(repr, options)| SortField::new_with_options(key_type(repr), *options));
        let converter = RowConverter::new(fields.collect())?;
        let outer = self.join.outer.start_leaving(run, FIRST_ROWS)?;
        let inner = self.join.inner.start_leaving(run, FIRST_ROWS)?;
        let turn = Turn::new(run.environment().database.engine());
        Ok(Box::new(MergeRows {
            run: run.clone(),
            converter,
            outer: Some(outer),
            inner: Some(inner),
            current: None,
            row: 0,
            parts: VecDeque::new(),
            mark: 0,
            next: (0, 0),
            gone: None,
            matches: Matches::new(0),
            pace: Pace::of(self.join.cost(), run),
            memory: run.reserve_value("Merge"),
            turn,
            node: self,
        }))
    }
}

/// A batch of a side.
struct Part {
    batch: Batch,
    /// `None`: there is no key, and all rows are equal.
    keys: Option<arrow_row::Rows>,
    /// Rows with a NULL among their keys: they have no partners.
    nulls: Option<NullBuffer>,
    /// How many rows come before those whose first key is NULL, where these are the last ones.
    before_nulls: usize,
    /// Rows that have a partner, where that is noted.
    matched: BooleanBufferBuilder,
    /// Rows with one key, as they were found last: outer rows with the same key may follow.
    equal: Range<usize>,
    bytes: usize,
}

impl Part {
    fn is_null(&self, row: usize) -> bool {
        self.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row))
    }

    fn compare(&self, row: usize, other: &Part, other_row: usize) -> Ordering {
        match (&self.keys, &other.keys) {
            (Some(keys), Some(others)) => keys.row(row).cmp(&others.row(other_row)),
            _ => Ordering::Equal,
        }
    }

    /// Where the rows end that have the key of one of them, from that one on.
    fn end_of_equal(&mut self, row: usize) -> usize {
        if !self.equal.contains(&row) {
            let is_equal = |other: &usize| self.compare(*other, self, row) == Ordering::Equal;
            let others = (row + 1..self.batch.rows).take_while(is_equal).count();
            self.equal = row..row + 1 + others;
        }
        self.equal.end
    }

    fn bytes_of_row(&self) -> usize {
        self.bytes / self.batch.rows.max(1)
    }
}

struct MergeRows {
    node: Arc<MergeJoinNode>,
    run: Run,
    converter: RowConverter,
    /// `None`: nothing more of it is wanted.
    outer: Option<BoxRows>,
    inner: Option<BoxRows>,
    /// The outer batch, and the row whose partners are looked for.
    current: Option<Part>,
    row: usize,
    /// Batches of the inner side; of the first one the rows from the mark on may have partners.
    parts: VecDeque<Part>,
    mark: usize,
    /// The part and the row in it at which the search for the current row's partners goes on.
    next: (usize, usize),
    /// A part of the inner side that was passed, whose rows from that one on are given if they have no partner.
    gone: Option<(Part, usize)>,
    matches: Matches,
    pace: Pace,
    memory: Reservation,
    turn: Turn,
}

/// Why the search for pairs ends.
enum Found {
    /// There are enough, or what comes next is in another part.
    Some,
    /// The next part of the inner side is to be read.
    WantsInner,
    /// The outer batch is through.
    End,
}

#[async_trait]
impl Rows for MergeRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            self.turn.pass().await;
            let given = match (self.gone.is_some(), self.current.is_some()) {
                (true, _) => self.give_gone().await?,
                (false, true) => self.join_some().await?,
                (false, false) if self.read_outer().await? => continue,
                (false, false) if self.pass_inner().await? => continue,
                (false, false) => return Ok(None),
            };
            if given.is_some() {
                return Ok(given);
            }
        }
    }
}

impl MergeRows {
    /// Reads the next batch of the outer side. `false`: there is none, or none that is wanted.
    async fn read_outer(&mut self) -> Result<bool> {
        let is_hopeless = self.inner.is_none() && self.parts.is_empty();
        if is_hopeless && !self.node.join.gives_without_inner() {
            self.outer = None;
        }
        let Some(outer) = &mut self.outer else { return Ok(false) };
        let Some(batch) = outer.next().await? else {
            self.outer = None;
            return Ok(false);
        };
        let keys = self.node.keys.of(Side::Outer, &batch, &self.run).await?;
        let part = self.part(Side::Outer, batch, &keys)?;
        self.matches.begin(part.batch.rows);
        (self.current, self.row, self.next) = (Some(part), 0, (0, self.mark));
        Ok(true)
    }

    /// Reads the next batch of the inner side, unless it has ended.
    async fn read_inner(&mut self) -> Result<()> {
        let Some(inner) = &mut self.inner else { return Ok(()) };
        let Some(batch) = inner.next().await? else {
            self.inner = None;
            return Ok(());
        };
        let keys = self.node.keys.of(Side::Inner, &batch, &self.run).await?;
        let part = self.part(Side::Inner, batch, &keys)?;
        if part.before_nulls < part.batch.rows && !self.node.join.gives_inner_alone() {
            self.inner = None;
        }
        self.parts.push_back(part);
        self.memory.resize(self.parts.iter().map(|part| part.bytes).sum())
    }

    /// The outer side has ended: what is left of the inner one has no partners. `false`: nothing, or nothing that is wanted.
    async fn pass_inner(&mut self) -> Result<bool> {
        if !self.node.join.gives_inner_alone() {
            (self.inner, self.parts) = (None, VecDeque::new());
            return Ok(false);
        }
        if self.parts.is_empty() {
            self.read_inner().await?;
        }
        self.pass_part();
        Ok(self.gone.is_some())
    }

    /// No row of the first part has a partner that is still to come.
    fn pass_part(&mut self) {
        let Some(part) = self.parts.pop_front() else { return };
        self.mark = 0;
        if self.node.join.gives_inner_alone() {
            self.gone = Some((part, 0));
        }
    }

    /// Rows without partners of a part that was passed.
    async fn give_gone(&mut self) -> Result<Option<Batch>> {
        let Some((mut part, mut from)) = self.gone.take() else { return Ok(None) };
        std::mem::swap(&mut self.matches.inner, &mut part.matched);
        let given = self.node.join.without_partner(&part.batch, &self.matches, &mut from, &self.run).await?;
        std::mem::swap(&mut self.matches.inner, &mut part.matched);
        if from < part.batch.rows {
            self.gone = Some((part, from));
        }
        Ok(given)
    }

    /// A batch with its keys.
    fn part(&self, side: Side, batch: Batch, columns: &[ArrayRef]) -> Result<Part> {
        let keys = match columns.is_empty() {
            true => None,
            false => Some(self.converter.convert_columns(columns)?),
        };
        // Partners would be missed.
        if keys.as_ref().is_some_and(|keys| !keys.iter().is_sorted()) {
            return Err(Error::internal("rows come to a merge join out of order"));
        }
        let first = columns.first().and_then(|column| column.nulls());
        let before_nulls = match first.filter(|_| self.node.ends_with_nulls()) {
            Some(nulls) => batch.rows - nulls.null_count(),
            None => batch.rows,
        };
        let mut matched = BooleanBufferBuilder::new(0);
        if side == Side::Inner && self.node.join.keeps_inner() {
            matched.append_n(batch.rows, false);
        }
        let bytes = batch.memory();
        Ok(Part { nulls: null_rows(columns), batch, keys, before_nulls, matched, equal: 0..0, bytes })
    }

    /// Joins rows of the outer batch with their next partners.
    async fn join_some(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        let mut pairs = Pairs::default();
        let (found, of) = self.find(&mut pairs);
        pairs.done = self.row;
        if of.is_some() {
            self.pace.grow();
        }
        let Some(outer) = &self.current else { return Ok(None) };
        let outer = outer.batch.clone();
        let given = match of.and_then(|of| self.parts.get_mut(of)) {
            Some(part) => {
                std::mem::swap(&mut self.matches.inner, &mut part.matched);
                let given = node.join.rows(&outer, &part.batch, pairs, &mut self.matches, &self.run).await;
                std::mem::swap(&mut self.matches.inner, &mut part.matched);
                given?
            }
            None => {
                let none = Batch::empty(&node.join.inner.reprs);
                node.join.rows(&outer, &none, pairs, &mut self.matches, &self.run).await?
            }
        };
        match found {
            Found::End => self.current = None,
            Found::WantsInner if given.is_none() => self.read_inner().await?,
            Found::WantsInner | Found::Some => {}
        }
        Ok(given)
    }

    /// Do the rows of the inner side from the mark on have no first key?
    fn begins_with_null(&self) -> bool {
        self.parts.front().is_some_and(|part| self.mark >= part.before_nulls && self.mark < part.batch.rows)
    }

    /// Finds the next pairs, and of which part of the inner side they are.
    fn find(&mut self, pairs: &mut Pairs) -> (Found, Option<usize>) {
        let (node, mut of) = (self.node.clone(), None);
        let (join, first_only) = (&node.join, node.join.first_only);
        let Some(outer) = &self.current else { return (Found::End, of) };
        let inner_bytes = self.parts.front().map_or(0, Part::bytes_of_row);
        let most = (BATCH_BYTES / (outer.bytes_of_row() + inner_bytes).max(1)).clamp(1, BATCH_ROWS);
        let most = most.min(self.pace.rows());
        loop {
            if self.row == outer.batch.rows {
                return (Found::End, of);
            }
            if pairs.outer.len() >= most {
                return (Found::Some, of);
            }
            let is_null = outer.is_null(self.row);
            let (at, row) = self.next;
            let ended = self.inner.is_none() && at == self.parts.len();
            let has_none = ended && at == 0;
            // What is left of the inner side has no partners, or what is left of this one has none.
            let has_none = has_none || (at, row) == (0, self.mark) && self.begins_with_null();
            let is_last = is_null && self.row >= outer.before_nulls || has_none;
            if is_last && !join.gives_without_inner() {
                (self.outer, self.row) = (None, outer.batch.rows);
                return (Found::End, of);
            }
            if is_null || ended || first_only && self.matches.has_partner(self.row) {
                (self.row, self.next) = (self.row + 1, (0, self.mark));
                continue;
            }
            let Some(part) = self.parts.get(at) else { return (Found::WantsInner, of) };
            if row == part.batch.rows {
                self.next = (at + 1, 0);
                continue;
            }
            match part.compare(row, outer, self.row) {
                Ordering::Less if row + 1 < part.batch.rows => {
                    debug_assert_eq!((at, row), (0, self.mark), "rows before the current one's partners");
                    (self.mark, self.next) = (row + 1, (0, row + 1));
                }
                // The part is passed, once its pairs are joined.
                Ordering::Less if of.is_some() => return (Found::Some, of),
                Ordering::Less => {
                    self.next = (0, 0);
                    self.pass_part();
                    return (Found::Some, None);
                }
                Ordering::Greater => (self.row, self.next) = (self.row + 1, (0, self.mark)),
                Ordering::Equal if of.is_some_and(|of| of != at) => return (Found::Some, of),
                Ordering::Equal => {
                    of = Some(at);
                    let one = first_only && join.has_no_conditions();
                    let end = if one { row + 1 } else { self.parts[at].end_of_equal(row) };
                    let end = end.min(row + most - pairs.outer.len());
                    pairs.outer.resize(pairs.outer.len() + end - row, self.row as u32);
                    pairs.inner.extend(row as u32..end as u32);
                    self.next = (at, end);
                    if one {
                        (self.row, self.next) = (self.row + 1, (0, self.mark));
                    }
                }
            }
        }
    }
}
