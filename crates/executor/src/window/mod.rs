//! WindowAgg: window functions and aggregates over frames. Rows come sorted by partition and order; whole partitions are
//! computed at once, several of them where they are small, and large ones [in pieces](pieces) if their calls can be.

mod pieces;

use std::sync::Arc;

use aio::Turn;
use analyze::query::{Const, Expr, FrameBound, FrameExclusion, FrameMode, Walk, WindowFunc};
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, BooleanArray};
use async_trait::async_trait;
use error::sqlstate;
use expression::ExprState;
use expression::clauses::contain_volatile_functions;
use plan::plan::{Plan, SortKey, WindowAgg};
use types::aggregate::{Aggregate, AggregateCall, GroupStates};
use types::window::{
    Bound, Exclusion, Frame, Frames, Partition, RangeOffset, Window, WindowFunction, aggregate_over, frame_offset,
};
use types::{Argument, ColumnBuilder, Datum, Function, Oid, Repr};

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::{evaluate, evaluate_one};
use crate::expr::output::{Filter, Output};
use crate::expr::pace::Parts;
use crate::keys::{KeyColumn, RowKeys, group_keys};
use crate::memory::Reservation;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

use pieces::{KeptRows, Pieces};

/// Of a partition with more bytes than this, or a 32nd of the statement's memory, the rest is not held: windows stand above each
/// other.
const MOST_HELD: usize = 16 << 20;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, window: &WindowAgg) -> types::Result<Compiled> {
    let child = compiler.plan(&window.child)?;
    let below = Layout::outer(&child.reprs);
    let mut found = Vec::new();
    let exprs = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions).chain(&window.run_condition);
    exprs.for_each(|expr| functions_of(expr, &mut found));
    let (mut layout, mut calls) = (below.clone(), Vec::new());
    for expr in found {
        let Expr::WindowFunc(function) = &expr else { continue };
        let call = Call::compile(compiler, function, &below)?;
        layout = layout.with_computed(expr, call.result);
        calls.push(call);
    }
    let partition = group_keys(&window.partition, &child.reprs);
    let peers = group_keys(&window.peers, &child.reprs).iter().map(|key| (key.repr, key.column)).collect();
    let frame = FrameState::compile(compiler, window, &child)?;
    let run_condition = compiler.filter(&window.run_condition, &layout)?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(WindowNode { child, partition, peers, calls, frame, run_condition, output }, reprs))
}

fn functions_of(expr: &Expr, found: &mut Vec<Expr>) {
    if let Expr::WindowFunc(_) = expr {
        if !found.contains(expr) {
            found.push(expr.clone());
        }
        return;
    }
    expr.walk(
        &mut |child| {
            functions_of(child, found);
            Walk::On
        },
        &mut |_| Walk::On,
    );
}

struct WindowNode {
    child: Compiled,
    partition: Vec<KeyColumn>,
    /// The columns that peers are equal in.
    peers: Vec<(Repr, usize)>,
    calls: Vec<Call>,
    frame: FrameState,
    run_condition: Filter,
    output: Output,
}

impl WindowNode {
    /// Behind a row for which the run condition does not hold there is none for which it does.
    fn stops(&self) -> bool {
        self.partition.is_empty() && !self.run_condition.is_empty()
    }

    /// What peers are equal in, of these rows.
    fn peers_of(&self, rows: &Batch) -> Vec<(Repr, ArrayRef)> {
        self.peers.iter().map(|&(repr, column)| (repr, rows.columns[column].clone())).collect()
    }
}

/// A call of a window function or of an aggregate.
struct Call {
    what: What,
    arguments: Vec<ExprState>,
    reprs: Vec<Repr>,
    types: Vec<Oid>,
    filter: Filter,
    result_type: Oid,
    result: Repr,
    /// The second argument, or 1 if there is none; `None`: it is not the same in all rows.
    away: Option<i64>,
    /// Arguments and filter give something else each time.
    is_volatile: bool,
}

/// What a call is given of some rows.
struct Inputs {
    arguments: Vec<Argument>,
    filter: Option<BooleanArray>,
}

enum What {
    Function(&'static WindowFunction),
    Aggregate(&'static Aggregate),
}

impl Call {
    fn compile(compiler: &Compiler<'_>, call: &WindowFunc, below: &Layout) -> types::Result<Call> {
        if call.ignore_nulls {
            return Err(types::Error::unsupported("IGNORE NULLS"));
        }
        compiler.catalog.require_execute(call.function)?;
        let what = match call.aggregate {
            true => What::Aggregate(compiler.catalog.require_aggregate_implementation(call.function)?),
            false => What::Function(compiler.catalog.require_window_implementation(call.function)?),
        };
        let arguments = compiler.exprs(&call.arguments, below)?;
        let away = match call.arguments.get(1) {
            None => Some(1),
            Some(Expr::Const(Const { value: Datum::I32(away), .. })) => Some(i64::from(*away)),
            Some(_) => None,
        };
        let mut inputs = call.arguments.iter().chain(&call.filter);
        Ok(Call {
            away,
            is_volatile: inputs.any(|input| contain_volatile_functions(compiler.catalog, input)),
            what,
            reprs: arguments.iter().map(ExprState::repr).collect(),
            types: call.arguments.iter().map(|argument| argument.ty().oid).collect(),
            arguments,
            filter: compiler.filter(call.filter.as_slice(), below)?,
            result_type: call.result.oid,
            result: compiler.repr(call.result.oid)?,
        })
    }

    fn is_framed(&self) -> bool {
        match self.what {
            What::Function(function) => function.framed,
            What::Aggregate(_) => true,
        }
    }

    fn states(&self, run: &Run) -> Result<Option<Box<dyn GroupStates>>> {
        let What::Aggregate(aggregate) = self.what else { return Ok(None) };
        let call = AggregateCall {
            context: &run.execution.context,
            arguments: &self.types,
            reprs: &self.reprs,
            result: self.result_type,
            order: &[],
        };
        Ok(Some(aggregate.start(&call)?))
    }

    async fn inputs(&self, batch: &Batch, run: &Run) -> Result<Inputs> {
        let mut arguments = Vec::with_capacity(self.arguments.len());
        for argument in &self.arguments {
            arguments.push(Argument::column(evaluate(argument, batch, run).await?));
        }
        let filter = self.filter.mask(batch, run).await?;
        Ok(Inputs { arguments, filter })
    }

    /// Its values for each row of whole partitions.
    async fn results(&self, batch: &Batch, partitions: &[(Partition, Option<Frames>)], run: &Run) -> Result<ArrayRef> {
        let Inputs { arguments, filter } = self.inputs(batch, run).await?;
        let mut states = self.states(run)?;
        let mut out = ColumnBuilder::new(self.result, batch.rows);
        for (partition, frames) in partitions {
            let window = Window { partition, frames: frames.as_ref(), arguments: &arguments };
            match (&self.what, &mut states, frames) {
                (What::Function(function), ..) => (function.evaluate)(&window, &mut out)?,
                (What::Aggregate(_), Some(states), Some(frames)) => {
                    aggregate_over(&mut **states, &window, frames, filter.as_ref(), &mut out)?;
                }
                _ => unreachable!("an aggregate has states and frames"),
            }
        }
        Ok(out.finish())
    }
}

/// The window's frame before its offsets are known.
struct FrameState {
    mode: FrameMode,
    start: Bound<ExprState>,
    end: Bound<ExprState>,
    exclusion: Exclusion,
    /// For RANGE with an offset: `in_range` for the start and the end.
    in_range: [Option<&'static Function>; 2],
    order: Option<SortKey>,
}

impl FrameState {
    fn compile(compiler: &Compiler<'_>, window: &WindowAgg, _: &Compiled) -> types::Result<FrameState> {
        let frame = &window.frame;
        let bound = |bound: &FrameBound| -> types::Result<Bound<ExprState>> {
            let offset = |offset: &Expr| compiler.expr(offset, &Layout::default());
            Ok(match bound {
                FrameBound::UnboundedPreceding => Bound::UnboundedPreceding,
                FrameBound::Preceding(by) => Bound::Preceding(offset(by)?),
                FrameBound::CurrentRow => Bound::CurrentRow,
                FrameBound::Following(by) => Bound::Following(offset(by)?),
                FrameBound::UnboundedFollowing => Bound::UnboundedFollowing,
            })
        };
        let ranges = |bound: &FrameBound| matches!(bound, FrameBound::Preceding(_) | FrameBound::Following(_));
        let in_range = |bound: &FrameBound, function: Oid| match frame.mode == FrameMode::Range && ranges(bound) {
            true => compiler.catalog.require_implementation(function).map(Some),
            false => Ok(None),
        };
        Ok(FrameState {
            mode: frame.mode,
            start: bound(&frame.start)?,
            end: bound(&frame.end)?,
            exclusion: match frame.exclusion {
                FrameExclusion::NoOthers => Exclusion::NoOthers,
                FrameExclusion::CurrentRow => Exclusion::CurrentRow,
                FrameExclusion::Group => Exclusion::Group,
                FrameExclusion::Ties => Exclusion::Ties,
            },
            in_range: [in_range(&frame.start, frame.start_in_range)?, in_range(&frame.end, frame.end_in_range)?],
            order: window.order.first().copied(),
        })
    }

    /// The offsets, which are the same in all rows.
    async fn offsets(&self, run: &Run) -> Result<[Bound<(ArrayRef, Repr)>; 2]> {
        Ok([offset(&self.start, run).await?, offset(&self.end, run).await?])
    }

    /// The frame for rows of these columns.
    fn frame(&self, offsets: &[Bound<(ArrayRef, Repr)>; 2], batch: &Batch) -> Result<Frame> {
        let counted = |at: usize| {
            let number = |value: &(ArrayRef, Repr)| {
                let value = value.0.as_primitive::<Int64Type>();
                frame_offset(value.is_valid(0).then(|| value.value(0)), at == 0)
            };
            map(&offsets[at], number)
        };
        let ranged = |at: usize| {
            map(&offsets[at], |value: &(ArrayRef, Repr)| {
                let order =
                    self.order.ok_or_else(|| types::Error::new(sqlstate::INTERNAL_ERROR, "RANGE without an order"))?;
                Ok(RangeOffset {
                    in_range: self.in_range[at].expect("it has an offset"),
                    column: batch.columns[order.column as usize - 1].clone(),
                    descending: order.descending,
                    nulls_first: order.nulls_first,
                    offset: Argument::constant(value.0.clone()),
                })
            })
        };
        Ok(match self.mode {
            FrameMode::Rows => Frame::Rows(counted(0)?, counted(1)?),
            FrameMode::Groups => Frame::Groups(counted(0)?, counted(1)?),
            FrameMode::Range => Frame::Range(ranged(0)?, ranged(1)?),
        })
    }
}

async fn offset(bound: &Bound<ExprState>, run: &Run) -> Result<Bound<(ArrayRef, Repr)>> {
    let value = async |state: &ExprState| {
        let value = evaluate_one(state, run).await?;
        let general = crate::convert::general(state.repr());
        Ok::<_, crate::Error>((crate::convert::convert(&value, state.repr(), general), general))
    };
    Ok(match bound {
        Bound::UnboundedPreceding => Bound::UnboundedPreceding,
        Bound::Preceding(state) => Bound::Preceding(value(state).await?),
        Bound::CurrentRow => Bound::CurrentRow,
        Bound::Following(state) => Bound::Following(value(state).await?),
        Bound::UnboundedFollowing => Bound::UnboundedFollowing,
    })
}

fn map<A, B>(bound: &Bound<A>, to: impl Fn(&A) -> types::Result<B>) -> types::Result<Bound<B>> {
    Ok(match bound {
        Bound::UnboundedPreceding => Bound::UnboundedPreceding,
        Bound::Preceding(value) => Bound::Preceding(to(value)?),
        Bound::CurrentRow => Bound::CurrentRow,
        Bound::Following(value) => Bound::Following(to(value)?),
        Bound::UnboundedFollowing => Bound::UnboundedFollowing,
    })
}

impl ExecNode for WindowNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let child = Some(self.child.start_first(run)?);
        let (memory, turn) = (run.reserve_value("WindowAgg"), Turn::new(run.environment().database.engine()));
        let parts = Parts::of(&self.output, run);
        let (run, held, in_pieces) = (run.clone(), Vec::new(), InPieces::No);
        Ok(Box::new(WindowRows {
            node: self,
            run,
            child,
            coming: None,
            held,
            bytes: 0,
            in_pieces,
            ready: None,
            at: 0,
            parts,
            memory,
            turn,
        }))
    }
}

struct WindowRows {
    node: Arc<WindowNode>,
    run: Run,
    child: Option<BoxRows>,
    /// What is left of the child's last rows: a sort's may come all at once.
    coming: Option<Batch>,
    /// Rows of which the last partition may not be whole.
    held: Vec<Batch>,
    /// What they take.
    bytes: usize,
    in_pieces: InPieces,
    /// Rows of whole partitions with what was computed, and the next one that is given.
    ready: Option<Batch>,
    at: usize,
    /// What is given on its way through the targets.
    parts: Parts,
    memory: Reservation,
    turn: Turn,
}

/// How far a partition has come that is not computed at once.
enum InPieces {
    No,
    /// This one cannot be.
    Never,
    Some(Box<Pieces>),
    /// All of its rows are kept, and are given with what is known by now.
    Kept(KeptRows),
}

impl WindowRows {
    /// Holds more rows. `true`: there are no more.
    async fn read(&mut self) -> Result<bool> {
        if self.coming.is_none()
            && let Some(child) = &mut self.child
        {
            self.coming = child.next().await?;
            if self.coming.is_none() {
                self.child = None;
            }
        }
        if let Some(batch) = self.coming.take() {
            let rows = batch.rows.min(BATCH_ROWS);
            self.coming = (rows < batch.rows).then(|| batch.slice(rows, batch.rows - rows));
            let batch = batch.slice(0, rows);
            self.bytes += bytes_of(&batch);
            self.held.push(batch);
        }
        self.turn.pass().await;
        self.memory.resize(2 * self.bytes)?;
        Ok(self.coming.is_none() && self.child.is_none())
    }

    /// No more rows are needed.
    fn stop(&mut self) {
        (self.child, self.coming, self.ready) = (None, None, None);
        (self.held, self.bytes, self.in_pieces) = (Vec::new(), 0, InPieces::No);
        self.memory.free();
    }

    /// Computes the next partitions, or a piece of one. `false`: there are none.
    async fn compute(&mut self) -> Result<bool> {
        let node = self.node.clone();
        let keys = RowKeys::new(node.partition.clone())?;
        let (whole, starts) = loop {
            if let InPieces::Kept(kept) = &mut self.in_pieces {
                match kept.next().await? {
                    Some(batch) => {
                        (self.ready, self.at) = (Some(batch), 0);
                        return Ok(true);
                    }
                    None => self.in_pieces = InPieces::No,
                }
            }
            let ended = self.read().await?;
            if let InPieces::Some(_) = &self.in_pieces {
                if self.piece(&keys, ended).await? {
                    return Ok(true);
                }
                continue;
            }
            if self.held.is_empty() {
                return Ok(false);
            }
            if !ended && (node.partition.is_empty() || !self.ends_in_last(&keys)?) {
                // The first rows of the only partition may be enough.
                let few = node.stops() || node.partition.is_empty() && self.run.first_rows.is_some();
                let early = few && self.held.len() == 1;
                let is_large = self.bytes > self.run.estate.part_of_memory(32, MOST_HELD);
                if early || is_large && !matches!(self.in_pieces, InPieces::Never) {
                    self.begin_pieces(&keys, is_large).await?;
                }
                continue;
            }
            self.in_pieces = InPieces::No;
            let all = Batch::concat(&self.held, &node.child.reprs)?;
            let mut starts = starts_of(&all, &keys, node.partition.is_empty())?;
            if ended {
                (self.held, self.bytes) = (Vec::new(), 0);
                break (all, starts);
            }
            let last = starts.pop().expect("the last partition");
            let rest = all.slice(last, all.rows - last);
            (self.bytes, self.held) = (bytes_of(&rest), vec![rest]);
            break (all.slice(0, last), starts);
        };
        let offsets = node.frame.offsets(&self.run).await?;
        let frame = node.frame.frame(&offsets, &whole)?;
        let peers = node.peers_of(&whole);
        let framed = node.calls.iter().any(Call::is_framed);
        let mut partitions = Vec::with_capacity(starts.len());
        for (at, &start) in starts.iter().enumerate() {
            let end = starts.get(at + 1).copied().unwrap_or(whole.rows);
            let partition = Partition::new(start..end, &peers);
            let context = &self.run.execution.context;
            let frames = match framed {
                true => Some(Frames::new(context, &partition, &frame, node.frame.exclusion)?),
                false => None,
            };
            partitions.push((partition, frames));
        }
        let mut ready = whole;
        for call in &node.calls {
            let results = call.results(&ready, &partitions, &self.run).await?;
            ready.columns.push(results);
        }
        (self.ready, self.at) = (Some(ready), 0);
        Ok(true)
    }

    /// What is held is of one partition: the rest of it is not held, if that can be; if it is not large only where its rows need not be
    /// kept otherwise.
    async fn begin_pieces(&mut self, keys: &RowKeys, is_large: bool) -> Result<()> {
        let offsets = self.node.frame.offsets(&self.run).await?;
        let key = match self.node.partition.is_empty() {
            true => None,
            false => Some(keys.of(&self.held[0].slice(0, 1))?.row(0).owned()),
        };
        let pieces = Pieces::begin(&self.node, offsets, key, &self.run)?;
        self.in_pieces = match pieces.filter(|pieces| is_large || !pieces.keeps_rows()) {
            Some(pieces) => InPieces::Some(Box::new(pieces)),
            None if is_large => InPieces::Never,
            None => InPieces::No,
        };
        Ok(())
    }

    /// Computes a piece of the partition that comes in pieces. `false`: more rows have to come for the next one, or this was the end.
    async fn piece(&mut self, keys: &RowKeys, ended: bool) -> Result<bool> {
        let InPieces::Some(pieces) = &mut self.in_pieces else { return Ok(false) };
        let rows = self.held.iter().map(|batch| batch.rows).sum();
        if !ended && !pieces.are_enough(rows) {
            return Ok(false);
        }
        let all = Batch::concat(&self.held, &self.node.child.reprs)?;
        let own = pieces.own_rows(&all, keys)?;
        let ended = ended || own < all.rows;
        let (ready, rest) = pieces.compute(&self.node, all.slice(0, own), ended, &self.run).await?;
        let next = all.slice(own, all.rows - own);
        self.held = rest.into_iter().chain([next]).filter(|batch| batch.rows > 0).collect();
        self.bytes = self.held.iter().map(bytes_of).sum();
        if ended && let InPieces::Some(pieces) = std::mem::replace(&mut self.in_pieces, InPieces::No) {
            self.in_pieces = pieces.finish(&self.node)?.map_or(InPieces::No, InPieces::Kept);
        }
        (self.ready, self.at) = (ready, 0);
        Ok(self.ready.is_some())
    }

    /// Whether a partition begins in the batch that came last, so that those before are whole.
    fn ends_in_last(&self, keys: &RowKeys) -> Result<bool> {
        let [.., last] = self.held.as_slice() else { return Ok(false) };
        let first = keys.of(&self.held[0].slice(0, 1))?;
        let end = keys.of(&last.slice(last.rows - 1, 1))?;
        Ok(first.row(0) != end.row(0))
    }
}

/// What rows take that are held, with their places among their peers and one result.
fn bytes_of(rows: &Batch) -> usize {
    rows.memory() + rows.rows * 2 * size_of::<u32>()
}

/// Where partitions begin.
fn starts_of(batch: &Batch, keys: &RowKeys, one: bool) -> Result<Vec<usize>> {
    if one {
        return Ok(vec![0]);
    }
    let keys = keys.of(batch)?;
    Ok((0..batch.rows).filter(|&row| row == 0 || keys.row(row) != keys.row(row - 1)).collect())
}

#[async_trait]
impl Rows for WindowRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(part) = self.parts.next() {
                match self.node.output.apply(part, &self.run).await? {
                    Some(batch) => return Ok(Some(batch)),
                    None => continue,
                }
            }
            let Some(ready) = &self.ready else {
                if !self.compute().await? {
                    return Ok(None);
                }
                continue;
            };
            let end = ready.rows.min(self.at + BATCH_ROWS);
            let batch = ready.slice(self.at, end - self.at);
            self.at = end;
            if end == ready.rows {
                self.ready = None;
            }
            let batch = match self.node.run_condition.mask(&batch, &self.run).await? {
                None => batch,
                Some(holds) => {
                    if self.node.stops() && !(holds.is_valid(batch.rows - 1) && holds.value(batch.rows - 1)) {
                        self.stop();
                    }
                    batch.filter(&holds)?
                }
            };
            if let Some(batch) = self.node.output.apply(self.parts.put(batch), &self.run).await? {
                return Ok(Some(batch));
            }
        }
    }
}
