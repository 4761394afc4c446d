//! A partition that is too large to be held is computed piece by piece, as its rows come, if its calls need no more than this:
//!
//! * What counts rows or groups of peers counts on from those before the piece.
//! * Rows near by (`lag`, `lead`, frames of some ROWS): pieces overlap by so many rows.
//! * All rows up to this one or its peers, of an aggregate: its state goes on.
//! * All rows of the partition, of an aggregate: rows are kept, in files where they are many, until its result is known.
//!
//! Others need the partition as a whole (`ntile`, `first_value` of a frame without a bound, an offset that is not the same in all
//! rows).
//!
//! # Invariant
//! A piece ends between groups of peers where a call asks for that. So one group has to fit into memory.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, UInt32Array};
use arrow_row::OwnedRow;
use arrow_select::take::take;
use types::aggregate::{GroupStates, Members, Rows};
use types::window::{Bound, Exclusion, Frame, Frames, Partition, Reach, Window, aggregate_on, aggregate_over};
use types::{ColumnBuilder, Repr};

use super::{Call, Inputs, What, WindowNode};
use crate::batch::Batch;
use crate::error::{Error, Result};
use crate::keys::RowKeys;
use crate::memory::tuplestore::TupleStore;
use crate::run::estate::Run;
use crate::run::rows::BoxRows;

/// Pieces overlap by so many rows on either side, at most.
const MOST_NEAR: i64 = 4096;

/// What a call needs for the rows of a piece.
enum Needs {
    /// Those rows, and how many rows came before them.
    Rows,
    /// How many groups of peers came before them.
    Groups,
    /// Rows near by, too.
    Near,
    /// The rows before, which this has.
    Running(Box<dyn GroupStates>),
    /// All rows of the partition.
    Whole(Box<dyn GroupStates>),
}

type Offsets = [Bound<(ArrayRef, Repr)>; 2];

/// A partition that comes in pieces.
pub struct Pieces {
    /// Its key; `None`: there is no other partition.
    key: Option<OwnedRow>,
    offsets: Offsets,
    /// Of each call.
    needs: Vec<Needs>,
    /// So many rows before and behind a piece are needed for it.
    before: usize,
    behind: usize,
    /// Groups of peers are not divided.
    whole_groups: bool,
    /// The first of the rows that are held are of the piece before.
    overlap: usize,
    /// With fewer rows there is no use in trying.
    enough: usize,
    /// Rows and groups of peers in the pieces before.
    rows: usize,
    groups: usize,
    /// Rows with what is known of them, if something is known only at the end.
    kept: Option<TupleStore>,
}

impl Pieces {
    /// `None`: a call needs more than that.
    pub fn begin(node: &WindowNode, offsets: Offsets, key: Option<OwnedRow>, run: &Run) -> Result<Option<Pieces>> {
        let mut pieces = Pieces {
            key,
            needs: Vec::with_capacity(node.calls.len()),
            before: 0,
            behind: 0,
            whole_groups: false,
            overlap: 0,
            enough: 1,
            rows: 0,
            groups: 0,
            kept: None,
            offsets,
        };
        for call in &node.calls {
            let Some(needs) = pieces.needs_of(node, call, run)? else { return Ok(None) };
            pieces.needs.push(needs);
        }
        let is_kept = |needs: &Needs| !matches!(needs, Needs::Whole(_));
        if !pieces.needs.iter().all(is_kept) {
            let known = node.calls.iter().zip(&pieces.needs).filter(|(_, needs)| is_kept(needs));
            let reprs = node.child.reprs.iter().copied().chain(known.map(|(call, _)| call.result));
            pieces.kept = Some(TupleStore::new(&reprs.collect(), run, "WindowAgg"));
        }
        Ok(Some(pieces))
    }

    fn needs_of(&mut self, node: &WindowNode, call: &Call, run: &Run) -> Result<Option<Needs>> {
        let (what, has_peers) = (&call.what, !node.peers.is_empty());
        if let What::Function(function) = what
            && !function.framed
        {
            return Ok(match function.reach {
                Reach::Rows => Some(Needs::Rows),
                Reach::RowsOfGroups | Reach::Groups if has_peers => {
                    self.whole_groups = true;
                    Some(if function.reach == Reach::Groups { Needs::Groups } else { Needs::Rows })
                }
                Reach::Away(direction) => {
                    let away = call.away.map(|away| direction * away);
                    self.near(call, [away, away])
                }
                _ => None,
            });
        }
        let frame = &node.frame;
        let known = frame.frame(&self.offsets, &Batch::empty(&node.child.reprs))?;
        let in_rows = matches!(known, Frame::Rows(..));
        let peers_are_all = !in_rows && !has_peers;
        let (from_start, to_end) = match (&frame.start, &frame.end) {
            (Bound::UnboundedPreceding, Bound::UnboundedFollowing) => (true, true),
            (Bound::UnboundedPreceding, Bound::CurrentRow) => (true, peers_are_all),
            (Bound::CurrentRow, Bound::CurrentRow | Bound::UnboundedFollowing) => (peers_are_all, peers_are_all),
            _ => (false, false),
        };
        if from_start && frame.exclusion == Exclusion::NoOthers {
            let Some(states) = call.states(run)? else { return Ok(None) };
            self.whole_groups |= !in_rows && !to_end;
            return Ok(Some(if to_end { Needs::Whole(states) } else { Needs::Running(states) }));
        }
        let Frame::Rows(start, end) = known else { return Ok(None) };
        if !matches!(frame.exclusion, Exclusion::NoOthers | Exclusion::CurrentRow) {
            return Ok(None);
        }
        let away = |bound: Bound<i64>| match bound {
            Bound::Preceding(rows) => Some(-rows),
            Bound::CurrentRow => Some(0),
            Bound::Following(rows) => Some(rows),
            Bound::UnboundedPreceding | Bound::UnboundedFollowing => None,
        };
        Ok(self.near(call, [away(start), away(end)]))
    }

    /// Rows so far away are looked at, if they are not too far and are the same each time.
    fn near(&mut self, call: &Call, away: [Option<i64>; 2]) -> Option<Needs> {
        let [Some(from), Some(to)] = away else { return None };
        if call.is_volatile || [from, to].iter().any(|away| away.unsigned_abs() > MOST_NEAR as u64) {
            return None;
        }
        self.before = self.before.max(-from.min(to).min(0) as usize);
        self.behind = self.behind.max(from.max(to).max(0) as usize);
        Some(Needs::Near)
    }

    /// Are all rows kept until the partition ends?
    pub fn keeps_rows(&self) -> bool {
        self.kept.is_some()
    }

    /// May a piece be made of so many rows that are held?
    pub fn are_enough(&self, rows: usize) -> bool {
        rows >= self.enough
    }

    /// How many of the first rows are of the partition.
    pub fn own_rows(&self, rows: &Batch, keys: &RowKeys) -> Result<usize> {
        let Some(own) = &self.key else { return Ok(rows.rows) };
        let keys = keys.of(rows)?;
        Ok((0..rows.rows).find(|&row| keys.row(row) != own.row()).unwrap_or(rows.rows))
    }

    /// Computes what can be of the rows that are held, which are of the partition; `ended`: there are no more of it. Gives the rows
    /// that can be given on, and those that are still to be held.
    pub async fn compute(
        &mut self,
        node: &WindowNode,
        all: Batch,
        ended: bool,
        run: &Run,
    ) -> Result<(Option<Batch>, Option<Batch>)> {
        let around = Partition::new(0..all.rows, &node.peers_of(&all));
        let end = self.end_of_piece(&around, ended);
        if end <= self.overlap {
            self.enough = 2 * all.rows.max(1);
            return Ok((None, (!ended).then_some(all)));
        }
        let mut piece = all.slice(self.overlap, end - self.overlap);
        let (known, groups) = self.known(node, (&all, &around), &piece, run).await?;
        piece.columns.extend(known);
        (self.rows, self.groups) = (self.rows + piece.rows, self.groups + groups);
        self.overlap = self.before.min(end);
        // Rows that pieces have in common are looked at with each.
        self.enough = 2 * (self.overlap + self.behind);
        // A copy: what has been given is not held.
        let held = UInt32Array::from_iter_values((end - self.overlap) as u32..all.rows as u32);
        let rest = if ended { None } else { Some(all.take(&held)?) };
        match &mut self.kept {
            Some(kept) => {
                kept.push(piece, run).await?;
                Ok((None, rest))
            }
            None => Ok((Some(piece), rest)),
        }
    }

    /// Up to which of the rows that are held the results can be known.
    fn end_of_piece(&self, held: &Partition, ended: bool) -> usize {
        let rows = held.rows().len();
        let end = if ended { rows } else { rows.saturating_sub(self.behind) };
        match self.whole_groups && !ended && end > 0 {
            // The last group may go on.
            true => held.peers(end.min(rows - 1)).start,
            false => end,
        }
    }

    /// The results for the rows of a piece, of the calls of which they are known, and how many groups of peers it has.
    async fn known(
        &mut self,
        node: &WindowNode,
        (all, around): (&Batch, &Partition),
        piece: &Batch,
        run: &Run,
    ) -> Result<(Vec<ArrayRef>, usize)> {
        let context = &run.execution.context;
        let frames_of = |batch: &Batch, partition: &Partition| {
            let frame = node.frame.frame(&self.offsets, batch)?;
            Ok::<_, Error>(Frames::new(context, partition, &frame, node.frame.exclusion)?)
        };
        let partition = Partition::new(0..piece.rows, &node.peers_of(piece));
        let is_framed = |(call, needs): (&Call, &Needs)| call.is_framed() && matches!(needs, Needs::Near);
        let looks_near = node.calls.iter().zip(&self.needs).any(is_framed);
        let near = if looks_near { Some(frames_of(all, around)?) } else { None };
        let goes_on = self.needs.iter().any(|needs| matches!(needs, Needs::Running(_)));
        let running = if goes_on { Some(frames_of(piece, &partition)?) } else { None };
        let mut known = Vec::with_capacity(self.needs.len());
        for (call, needs) in node.calls.iter().zip(&mut self.needs) {
            let is_near = matches!(needs, Needs::Near);
            let batch = if is_near { all } else { piece };
            let Inputs { arguments, filter } = call.inputs(batch, run).await?;
            let (filter, mut out) = (filter.as_ref(), ColumnBuilder::new(call.result, batch.rows));
            let (partition, frames) = if is_near { (around, &near) } else { (&partition, &running) };
            let window = Window { partition, frames: frames.as_ref(), arguments: &arguments };
            match (needs, &call.what, frames) {
                (Needs::Whole(states), ..) => {
                    let (rows, members) = (0..piece.rows, Members::OneGroup);
                    states.update(&Rows { arguments: &arguments, rows, members, filter, groups: 1 })?;
                    continue;
                }
                (Needs::Running(states), _, Some(frames)) => {
                    aggregate_on(&mut **states, &window, frames, filter, &mut out)?;
                    known.push(out.finish());
                }
                (Needs::Near, What::Aggregate(_), Some(frames)) => {
                    let mut states = call.states(run)?.expect("an aggregate has states");
                    aggregate_over(&mut *states, &window, frames, filter, &mut out)?;
                    known.push(out.finish().slice(self.overlap, piece.rows));
                }
                (Needs::Near, What::Function(function), _) => {
                    (function.evaluate)(&window, &mut out)?;
                    known.push(out.finish().slice(self.overlap, piece.rows));
                }
                (needs @ (Needs::Rows | Needs::Groups), What::Function(function), _) => {
                    (function.evaluate)(&window, &mut out)?;
                    let before = if matches!(needs, Needs::Rows) { self.rows } else { self.groups } as i64;
                    let counted = out.finish();
                    let on = counted.as_primitive::<Int64Type>().unary::<_, Int64Type>(|number| number + before);
                    known.push(Arc::new(on));
                }
                _ => return Err(Error::internal("a call in pieces lacks what it needs")),
            }
        }
        Ok((known, partition.group_count()))
    }

    /// The partition has ended: its rows, if they were kept.
    pub fn finish(self, node: &WindowNode) -> Result<Option<KeptRows>> {
        let Some(rows) = self.kept else { return Ok(None) };
        let mut results = Vec::with_capacity(self.needs.len());
        for (call, needs) in node.calls.iter().zip(self.needs) {
            let Needs::Whole(mut states) = needs else {
                results.push(None);
                continue;
            };
            let mut out = ColumnBuilder::new(call.result, 1);
            states.results(0..1, &[], &mut out)?;
            results.push(Some(out.finish()));
        }
        Ok(Some(KeptRows { rows: rows.into_rows(), results, width: node.child.reprs.len() }))
    }
}

/// The rows of a partition with what was known of them as they came.
pub struct KeptRows {
    rows: BoxRows,
    /// Of each call, in their order: what is the same in all rows, if it is.
    results: Vec<Option<ArrayRef>>,
    /// The child's columns.
    width: usize,
}

impl KeptRows {
    /// The next rows with all results; `None` at the end.
    pub async fn next(&mut self) -> Result<Option<Batch>> {
        let Some(mut batch) = self.rows.next().await? else { return Ok(None) };
        let mut known = batch.columns.split_off(self.width).into_iter();
        let first = UInt32Array::from_value(0, batch.rows);
        for result in &self.results {
            batch.columns.push(match result {
                Some(value) => take(value, &first, None)?,
                None => known.next().ok_or_else(|| Error::internal("a kept row lacks a result"))?,
            });
        }
        Ok(Some(batch))
    }
}
