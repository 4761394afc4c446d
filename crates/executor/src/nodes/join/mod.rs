//! What joins have in common: from pairs of rows to the join's rows, for each kind of join.

pub mod hash_batches;
pub mod hash_join;
pub mod join_keys;
pub mod memoize;
pub mod merge_join;
pub mod nest_loop;

use std::sync::Arc;

use analyze::query::Expr;
use arrow_array::{BooleanArray, UInt32Array};
use arrow_buffer::BooleanBufferBuilder;
use expression::Selection;
use plan::plan::{INNER, Join, JoinKind, Plan};
use types::Repr;

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::output::{Cost, Filter, Output};
use crate::run::estate::Run;
use crate::run::node::Compiled;

/// A join without the way in which it finds pairs.
pub struct JoinNode {
    pub kind: JoinKind,
    pub outer: Compiled,
    pub inner: Compiled,
    /// The join's own, over the columns of both sides.
    pub conditions: Filter,
    pub output: Output,
    /// The rows that the join gives have columns of both sides.
    wide: bool,
    /// No other partner of an outer row is looked for.
    pub first_only: bool,
}

/// Candidates: positions in a batch of the outer side and one of the inner side, sorted by the first. Rows of the outer
/// side before `done` have no others.
#[derive(Default)]
pub struct Pairs {
    pub outer: Vec<u32>,
    pub inner: Vec<u32>,
    pub done: usize,
}

/// Which rows have found partners.
pub struct Matches {
    /// Of the outer batch.
    outer: Vec<bool>,
    /// The first of the outer rows that are not given yet.
    given: usize,
    /// Of the inner side.
    pub inner: BooleanBufferBuilder,
}

impl Matches {
    pub fn new(inner_rows: usize) -> Matches {
        let mut inner = BooleanBufferBuilder::new(inner_rows);
        inner.append_n(inner_rows, false);
        Matches { outer: Vec::new(), given: 0, inner }
    }

    /// A new batch of the outer side.
    pub fn begin(&mut self, rows: usize) {
        self.outer.clear();
        self.outer.resize(rows, false);
        self.given = 0;
    }

    /// Whether an outer row has a partner already.
    pub fn has_partner(&self, row: usize) -> bool {
        self.outer[row]
    }
}

/// Whether rows of the inner side are given that have no partner, or one.
pub fn keeps_inner(kind: JoinKind) -> bool {
    matches!(kind, JoinKind::Right | JoinKind::Full | JoinKind::RightSemi | JoinKind::RightAnti)
}

impl JoinNode {
    pub fn compile(
        compiler: &Compiler<'_>,
        plan: &Plan,
        join: &Join,
        (outer, inner): (Compiled, Compiled),
    ) -> types::Result<JoinNode> {
        let layout = Layout::both(&outer.reprs, &inner.reprs);
        let conditions = compiler.filter(&join.conditions, &layout)?;
        let output = compiler.output(plan, &layout)?;
        let pairs = matches!(join.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full);
        let first_only = matches!(join.kind, JoinKind::Semi | JoinKind::Anti) || (join.inner_unique && pairs);
        // What equals a column of the one side may stand for it above.
        let is_inner = |e: &Expr| matches!(e, Expr::Var(var) if var.relation == INNER);
        let mut above = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions);
        let wide = match join.kind {
            JoinKind::Semi => above.any(|expr| expr.contains(&mut |e| is_inner(e))),
            kind => pairs || kind == JoinKind::RightSemi,
        };
        Ok(JoinNode { kind: join.kind, outer, inner, conditions, output, wide, first_only })
    }

    pub fn keeps_inner(&self) -> bool {
        keeps_inner(self.kind)
    }

    /// What it costs to look at a pair.
    pub fn cost(&self) -> Cost {
        self.conditions.cost().max(self.output.cost())
    }

    /// Every pair that is found is one.
    pub fn has_no_conditions(&self) -> bool {
        self.conditions.is_empty()
    }

    /// Whether of the inner side only matters which keys there are.
    pub fn asks_keys_only(&self) -> bool {
        matches!(self.kind, JoinKind::Semi | JoinKind::Anti) && self.conditions.is_empty() && !self.wide
    }

    /// Whether rows of the inner side are given alone.
    pub fn gives_inner_alone(&self) -> bool {
        matches!(self.kind, JoinKind::Right | JoinKind::Full | JoinKind::RightAnti)
    }

    /// Whether rows may be given though the inner side has none.
    pub fn gives_without_inner(&self) -> bool {
        self.keeps_outer()
    }

    fn keeps_outer(&self) -> bool {
        matches!(self.kind, JoinKind::Left | JoinKind::Full | JoinKind::Anti)
    }

    /// The rows of the join that candidates and rows without partners give.
    pub async fn rows(
        &self,
        outer: &Batch,
        inner: &Batch,
        pairs: Pairs,
        matches: &mut Matches,
        run: &Run,
    ) -> Result<Option<Batch>> {
        let done = pairs.done;
        let (outer_rows, inner_rows) = self.qualifying(outer, inner, pairs, run).await?;
        let mut left: Vec<u32> = Vec::new();
        let mut right: Vec<Option<u32>> = Vec::new();
        let mut next = 0;
        let to_done = |matches: &mut Matches, upto: usize, left: &mut Vec<u32>, right: &mut Vec<Option<u32>>| {
            while matches.given < upto {
                let row = matches.given;
                matches.given += 1;
                if self.keeps_outer() && !matches.outer[row] {
                    left.push(row as u32);
                    right.push(None);
                }
            }
        };
        while next < outer_rows.len() {
            let (row, partner) = (outer_rows[next], inner_rows[next]);
            next += 1;
            to_done(matches, row as usize, &mut left, &mut right);
            let first = !std::mem::replace(&mut matches.outer[row as usize], true);
            let wanted = match self.kind {
                JoinKind::Anti | JoinKind::RightAnti => false,
                JoinKind::Semi => first,
                JoinKind::RightSemi => !matches.inner.get_bit(partner as usize),
                _ => first || !self.first_only,
            };
            if self.keeps_inner() {
                matches.inner.set_bit(partner as usize, true);
            }
            if wanted {
                left.push(row);
                right.push(Some(partner));
            }
        }
        to_done(matches, done, &mut left, &mut right);
        self.assemble(outer, inner, left, right, run).await
    }

    /// The pairs for which the join's conditions hold.
    async fn qualifying(&self, outer: &Batch, inner: &Batch, pairs: Pairs, run: &Run) -> Result<(Vec<u32>, Vec<u32>)> {
        if self.conditions.is_empty() || pairs.outer.is_empty() {
            return Ok((pairs.outer, pairs.inner));
        }
        let left = UInt32Array::from(pairs.outer);
        let right = UInt32Array::from(pairs.inner);
        let both = outer.take(&left)?.beside(inner.take(&right)?);
        let keep = |rows: &UInt32Array, keep: &BooleanArray| {
            let rows = rows.values().iter().zip(keep.values().iter());
            rows.filter(|(_, keep)| *keep).map(|(row, _)| *row).collect()
        };
        let kept = match self.conditions.select(&both, run).await? {
            Selection::All => (left.values().to_vec(), right.values().to_vec()),
            Selection::None => Default::default(),
            Selection::Some(kept) => (keep(&left, &kept), keep(&right, &kept)),
        };
        if let Some(watched) = &run.watched {
            watched.note(|counters| counters.removed_by_join_filter += (left.len() - kept.0.len()) as u64);
        }
        Ok(kept)
    }

    async fn assemble(
        &self,
        outer: &Batch,
        inner: &Batch,
        left: Vec<u32>,
        right: Vec<Option<u32>>,
        run: &Run,
    ) -> Result<Option<Batch>> {
        if left.is_empty() {
            return Ok(None);
        }
        let rows = left.len();
        let inner = match self.wide {
            true => inner.take(&UInt32Array::from(right))?,
            false => Batch::nulls(&self.inner.reprs, rows),
        };
        let batch = outer.take(&UInt32Array::from(left))?.beside(inner);
        self.output.apply(batch, run).await
    }

    /// At the end: rows of the inner side from `from` on that have no partner, in a batch.
    pub async fn without_partner(
        &self,
        inner: &Batch,
        matches: &Matches,
        from: &mut usize,
        run: &Run,
    ) -> Result<Option<Batch>> {
        if !self.gives_inner_alone() {
            return Ok(None);
        }
        while *from < inner.rows {
            let end = inner.rows.min(*from + crate::batch::BATCH_ROWS);
            let alone = (*from..end).filter(|&row| !matches.inner.get_bit(row)).map(|row| row as u32);
            let alone = UInt32Array::from_iter_values(alone);
            *from = end;
            if !alone.is_empty() {
                let batch = Batch::nulls(&self.outer.reprs, alone.len()).beside(inner.take(&alone)?);
                if let Some(batch) = self.output.apply(batch, run).await? {
                    return Ok(Some(batch));
                }
            }
        }
        Ok(None)
    }

    pub fn reprs(&self) -> Arc<[Repr]> {
        self.output.reprs().clone()
    }
}
