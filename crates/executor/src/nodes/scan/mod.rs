//! What scans of tables have in common: which columns they read, and how a column on pages becomes one of the statement.

pub mod bitmap_heap_scan;
pub mod function_scan;
pub mod index_look_up;
pub mod index_scan;
pub mod look_up;
pub mod look_up_key;
pub mod place;
pub mod point_scan;
pub mod ranges;
mod scan_keys;
pub mod seq_scan;
pub mod sequence_scan;
pub mod sub_plan_look_up;
mod system_conditions;
mod system_look_up;
pub mod system_scan;
pub mod tid_scan;
pub mod values_scan;

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use access::{Detoaster, Heap, StoredBatch, Tid};
use aio::Turn;
use analyze::query::{Expr, RangeTableIndex};
use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, ArrayRef, RecordBatch, UInt32Array};
use arrow_schema::SchemaRef;
use async_trait::async_trait;
use engine::{Table, TableScan};
use expression::Selection;
use plan::plan::{CTID, Plan, Scan, TABLE_OID};
use txn::Snapshot;
use types::{Oid, Repr};

use crate::batch::Batch;
use crate::compile::late_detoast::ReadColumns;
use crate::compile::walk::attributes_of;
use crate::compile::{Compiler, Layout};
use crate::convert::padded;
use crate::error::Result;
use crate::expr::output::{Filter, Output};
use crate::expr::pace::Pace;
use crate::point::PointColumn;
use crate::run::estate::{RecheckedRow, Run};
use crate::run::instrument::Instrumentation;
use crate::run::rows::{BoxRows, Ready, Rows};

/// What a table's column is on pages, where it is another than in the statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Adapt {
    AsItIs,
    /// The rows' identities.
    Tid,
    /// Text without the blanks that its type fills it up with.
    Padded(usize),
    TableOid,
}

/// The columns that a scan reads.
pub struct ScanColumns {
    pub table: Oid,
    pub relation: RangeTableIndex,
    /// Positions in the table; one past the last is the rows' identity.
    pub read: Arc<[usize]>,
    /// Those of `read` that the node's conditions may name.
    asked: Vec<usize>,
    /// Those of `read` that are passed on as they are stored.
    stored: Vec<usize>,
    /// Those of `read` that are only tested for NULL.
    tested: Vec<usize>,
    adapt: Vec<Adapt>,
    adapts: bool,
    /// Of what is read; the first scan makes it.
    schema: OnceLock<SchemaRef>,
}

impl ScanColumns {
    /// Those that a plan's targets and conditions, and `others`, name; and where they are then. Some are `read` otherwise than
    /// they are.
    pub fn of_plan<'e>(
        compiler: &Compiler<'_>,
        plan: &'e Plan,
        scan: &Scan,
        others: impl IntoIterator<Item = &'e Expr>,
        read: &ReadColumns,
    ) -> types::Result<(ScanColumns, Layout)> {
        let targets = plan.targets.iter().map(|target| &target.expr);
        let exprs = targets.chain(&plan.conditions).chain(others);
        let mut attributes = Vec::new();
        exprs.for_each(|expr| attributes_of(expr, scan.relation, &mut attributes));
        let (mut columns, layout) = ScanColumns::new(compiler, scan, &attributes, read)?;
        let mut asked = Vec::new();
        plan.conditions.iter().for_each(|expr| attributes_of(expr, scan.relation, &mut asked));
        if !asked.contains(&0) {
            let is_asked = |column: usize| asked.iter().any(|&attribute| usize::try_from(attribute) == Ok(column + 1));
            columns.asked.retain(|&at| is_asked(columns.read[at]));
        }
        Ok((columns, layout))
    }

    fn new(
        compiler: &Compiler<'_>,
        scan: &Scan,
        attributes: &[i16],
        otherwise: &ReadColumns,
    ) -> types::Result<(ScanColumns, Layout)> {
        let columns = compiler.facts.columns(scan.table)?;
        let (mut read, mut adapt, mut layout) = (Vec::new(), Vec::new(), Layout::default());
        let (mut stored, mut tested) = (Vec::new(), Vec::new());
        let mut attributes = attributes.to_vec();
        // A whole row is made of its columns.
        if let Some(at) = attributes.iter().position(|attribute| *attribute == 0) {
            attributes.swap_remove(at);
            for attribute in 1..=columns.len() as i16 {
                if !attributes.contains(&attribute) {
                    attributes.push(attribute);
                }
            }
        }
        for attribute in attributes {
            let (how, repr) = match attribute {
                CTID => {
                    read.push(columns.len());
                    (Adapt::Tid, Repr::Tid)
                }
                TABLE_OID => (Adapt::TableOid, Repr::Oid),
                ..0 => return Err(types::Error::unsupported(format_args!("system column {attribute}"))),
                _ => {
                    let column = usize::try_from(attribute).expect("it is positive") - 1;
                    read.push(column);
                    let column = &columns[column];
                    if otherwise.as_stored.contains(&attribute) {
                        stored.push(read.len() - 1);
                        (Adapt::AsItIs, Repr::Bytea)
                    } else if otherwise.tested.contains(&attribute) {
                        tested.push(read.len() - 1);
                        (Adapt::AsItIs, Repr::Bool)
                    } else {
                        (column.padded.map_or(Adapt::AsItIs, Adapt::Padded), column.repr)
                    }
                }
            };
            adapt.push(how);
            layout = layout.with_column(scan.relation, attribute, repr);
        }
        let adapts = adapt.iter().any(|how| *how != Adapt::AsItIs);
        let (table, relation) = (scan.table, scan.relation);
        let asked = (0..read.len()).collect();
        let schema = OnceLock::new();
        Ok((ScanColumns { table, relation, read: read.into(), asked, stored, tested, adapt, adapts, schema }, layout))
    }

    /// A scan of the columns.
    pub fn scan(&self, table: &Arc<Table>, snapshot: Snapshot) -> TableScan {
        let schema = self.schema.get_or_init(|| table.tested_schema(&self.read, &self.tested));
        TableScan::with_schema(table, snapshot, self.read.clone(), schema.clone())
    }

    /// What a look-up by a unique key gives, as the statement has it; `None`: a column is passed on otherwise than with its values.
    pub fn of_point(&self, compiler: &Compiler<'_>) -> types::Result<Option<Vec<PointColumn>>> {
        if !self.stored.is_empty() || !self.tested.is_empty() {
            return Ok(None);
        }
        let columns = compiler.facts.columns(self.table)?;
        let mut read = self.read.iter();
        let mut next = || *read.next().expect("a column is read for each");
        let of = |how: &Adapt| match how {
            Adapt::AsItIs | Adapt::Padded(_) => {
                let column = next();
                PointColumn::Stored { column, padded: columns[column].padded }
            }
            Adapt::Tid => {
                next();
                PointColumn::Tid
            }
            Adapt::TableOid => PointColumn::TableOid,
        };
        Ok(Some(self.adapt.iter().map(of).collect()))
    }

    /// The rows with what is passed on as it is stored.
    pub fn as_passed_on(&self, rows: StoredBatch) -> StoredBatch {
        if self.stored.is_empty() { rows } else { rows.with_pointers(&self.stored) }
    }

    /// Rows as they come from pages, as the statement has them.
    pub fn adapt(&self, batch: RecordBatch) -> Result<Batch> {
        let batch = Batch::from(batch);
        if !self.adapts {
            return Ok(batch);
        }
        let mut given = batch.columns.into_iter();
        let mut next = || given.next().expect("a column is read for each");
        let columns = self.adapt.iter().map(|how| match how {
            Adapt::AsItIs => next(),
            Adapt::Tid => {
                let packed = next();
                let packed = packed.as_primitive::<Int64Type>().values();
                tids_to_column(packed.iter().map(|&tid| Tid::unpack(tid)))
            }
            Adapt::Padded(length) => padded(&next(), *length),
            Adapt::TableOid => Arc::new(UInt32Array::from_value(self.table, batch.rows)),
        });
        Ok(Batch::new(columns.collect(), batch.rows))
    }
}

/// What a node does that gives rows of a table, whatever the way to them.
pub struct TableNode {
    pub columns: ScanColumns,
    /// What the way to the rows says, where it may lead to too many.
    pub recheck: Filter,
    /// Where rows that are not so are counted.
    pub removed_by_recheck: fn(&mut Instrumentation) -> &mut u64,
    pub output: Output,
}

impl TableNode {
    pub fn new(columns: ScanColumns, recheck: Filter, output: Output) -> Arc<TableNode> {
        Arc::new(TableNode { columns, recheck, removed_by_recheck: |counters| &mut counters.removed_by_filter, output })
    }

    /// What it gives of rows as they come from pages, which are asked again if they are `rechecked`.
    pub async fn give(&self, rows: RecordBatch, rechecked: bool, run: &Run) -> Result<Option<Batch>> {
        let mut rows = Some(self.columns.adapt(rows)?);
        if rechecked && let Some(some) = rows {
            rows = self.recheck.apply_counted(some, run, self.removed_by_recheck).await?;
        }
        match rows {
            Some(rows) => self.output.apply(rows, run).await,
            None => Ok(None),
        }
    }

    /// What it gives when a row of its table is looked at again; `None`: it is scanned as always.
    pub fn looked_at_again(self: &Arc<Self>, table: &Arc<Table>, run: &Run) -> Option<BoxRows> {
        let row = run.looked_at_again(self.columns.relation)?;
        Some(match row {
            Some(RecheckedRow::Of(tid, snapshot)) => {
                let scan = self.columns.scan(table, snapshot.clone());
                Box::new(OneRow { node: self.clone(), scan, run: run.clone(), tid: Some(*tid) })
            }
            // Tables' rows are not copied.
            Some(RecheckedRow::Copy(_)) | None => Ready::boxed(Vec::new()),
        })
    }

    /// The rows of a way to them.
    pub fn rows<S: StoredRows + 'static>(self: &Arc<Self>, table: &Table, source: S, run: &Run) -> BoxRows {
        let turn = Turn::new(run.environment().database.engine());
        let (heap, detoaster) = (table.heap().clone(), Detoaster::default());
        let (pace, node, run) = (Pace::of(self.output.cost(), run), self.clone(), run.clone());
        Box::new(TableRows { node, source, heap, detoaster, run, turn, ended: false, pace, rest: None })
    }

    /// The rows that the conditions leave, if these need no value that is not there.
    async fn left_of(&self, rows: StoredBatch, run: &Run) -> Result<Option<StoredBatch>> {
        if self.columns.asked.iter().any(|&column| rows.lacks(column)) {
            return Ok(Some(rows));
        }
        let batch = self.columns.adapt(rows.batch().clone())?;
        let keep = match self.output.filter.preview(&batch, run).await {
            None | Some(Selection::All) => return Ok(Some(rows)),
            Some(Selection::None) => UInt32Array::from_iter_values([]),
            Some(Selection::Some(keep)) => {
                let kept = keep.iter().zip(0..).filter(|(keep, _)| *keep == Some(true));
                UInt32Array::from_iter_values(kept.map(|(_, row)| row))
            }
        };
        if let Some(watched) = &run.watched {
            watched.note(|counters| counters.removed_by_filter += (rows.rows() - keep.len()) as u64);
        }
        if keep.is_empty() {
            return Ok(None);
        }
        Ok(Some(rows.take(&keep)?))
    }
}

struct OneRow {
    node: Arc<TableNode>,
    scan: TableScan,
    run: Run,
    tid: Option<Tid>,
}

#[async_trait]
impl Rows for OneRow {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let Some(tid) = self.tid.take() else { return Ok(None) };
        let row = self.scan.fetch(self.run.session(), &[tid], self.run.concurrency(self.scan.table())).await?;
        self.node.give(row, true, &self.run).await
    }
}

/// A way to rows of a table.
pub trait StoredRows: Send {
    /// The next ones as they are stored, those among about so many; `None` at the end.
    fn next(&mut self, run: &Run, rows: usize) -> impl Future<Output = Result<Option<StoredBatch>>> + Send;

    /// May there be rows among them that are not what the way says? Asked once there are some.
    fn is_lossy(&self) -> bool;
}

/// The rows of a node. Long values are fetched, but for those of rows that conditions rule out without them.
struct TableRows<S> {
    node: Arc<TableNode>,
    source: S,
    heap: Heap,
    detoaster: Detoaster,
    run: Run,
    turn: Turn,
    /// The source has no more rows.
    ended: bool,
    /// So many rows are looked at before some are given.
    pace: Pace,
    /// What came of the source and was not looked at.
    rest: Option<StoredBatch>,
}

impl<S: StoredRows> TableRows<S> {
    /// The next rows of the source, at most so many of them.
    async fn look(&mut self, most: usize) -> Result<Option<StoredBatch>> {
        let rows = match self.rest.take() {
            Some(rest) => rest,
            None => {
                let Some(rows) = self.source.next(&self.run, most).await? else { return Ok(None) };
                // A scan of cached pages never waits; others get their turn here.
                self.turn.pass().await;
                self.node.columns.as_passed_on(rows)
            }
        };
        if rows.rows() <= most {
            return Ok(Some(rows));
        }
        let (first, rest) = rows.cut(most);
        self.rest = Some(rest);
        Ok(Some(first))
    }
}

#[async_trait]
impl<S: StoredRows> Rows for TableRows<S> {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let mut looked_at = 0;
        loop {
            let left = self.run.bound.as_ref().map_or(usize::MAX, |left| left.load(Ordering::Relaxed));
            let waiting = self.detoaster.rows();
            let fetch = self.ended || self.detoaster.is_enough() || waiting >= left;
            let fetch = fetch || waiting > 0 && looked_at >= self.pace.rows();
            let fetched = if fetch { self.detoaster.next(&self.heap, self.run.session()).await? } else { None };
            let rows = match fetched {
                Some(rows) => rows,
                None if self.ended => return Ok(None),
                None => {
                    if looked_at >= self.pace.rows() {
                        self.pace.grow();
                        looked_at = 0;
                    }
                    let Some(rows) = self.look(self.pace.rows() - looked_at).await? else {
                        self.ended = true;
                        continue;
                    };
                    looked_at += rows.rows();
                    self.detoaster.look();
                    let waits = !rows.is_whole() || self.detoaster.rows() > 0;
                    let left = if waits { Box::pin(self.node.left_of(rows, &self.run)).await? } else { Some(rows) };
                    match left.and_then(|rows| self.detoaster.put(rows)) {
                        Some(rows) => rows,
                        None => continue,
                    }
                }
            };
            let given = self.node.give(rows, self.source.is_lossy(), &self.run).await?;
            if given.is_some() {
                self.pace.grow();
                return Ok(given);
            }
        }
    }
}

/// Rows' identities as the type `tid` has them: block and row, counted from 1, big-endian.
pub fn tids_to_column(tids: impl ExactSizeIterator<Item = Tid>) -> ArrayRef {
    let mut out = FixedSizeBinaryBuilder::with_capacity(tids.len(), 6);
    for tid in tids {
        let mut bytes = [0; 6];
        bytes[..4].copy_from_slice(&tid.block.to_be_bytes());
        bytes[4..].copy_from_slice(&(tid.row + 1).to_be_bytes());
        out.append_value(bytes).expect("six bytes");
    }
    Arc::new(out.finish())
}

/// The identity of a row from a column of type `tid`; `None`: NULL, or no row can have it.
pub fn tid_at(column: &ArrayRef, row: usize) -> Option<Tid> {
    let column = column.as_fixed_size_binary();
    if column.is_null(row) {
        return None;
    }
    let bytes = column.value(row);
    let block = u32::from_be_bytes(bytes[..4].try_into().expect("4 bytes"));
    let row = u16::from_be_bytes(bytes[4..].try_into().expect("2 bytes"));
    Some(Tid { block, row: row.checked_sub(1)? })
}
