//! One look-up of a row by a unique key, which gives plain columns of it. A plan that is no more than that runs so without
//! batches and without nodes; the same plan has its nodes, too. A scan that is one is started and read with little else around
//! it ([`crate::nodes::scan::point_scan`]).

use std::sync::Arc;

use access::Tid;
use access::index::KeyValues;
use access::row::ColumnBuilder;
use arrow_array::UInt32Array;
use engine::{EngineError, Index, Table, TableDef};
use error::sqlstate;
use expression::Execution;
use plan::plan::{IndexCondition, Node, PlannedStmt};
use txn::Snapshot;
use types::Oid;

use crate::batch::Batch;
use crate::compile::facts::IndexFacts;
use crate::compile::{Compiler, Layout};
use crate::convert::padded;
use crate::error::Result;
use crate::nodes::scan::look_up_key::LookUpKey;
use crate::nodes::scan::tids_to_column;

pub struct Point {
    pub table: Oid,
    /// The index's position among the table's.
    index: usize,
    /// The row is taken from the index alone, where it can be.
    only: bool,
    /// With a value for each column of the index.
    key: LookUpKey,
    /// What the result's columns are.
    columns: Vec<PointColumn>,
}

/// A column of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointColumn {
    /// A column of the table, by its position. `padded`: of `character(n)`, whose blanks up to this length are not stored.
    Stored {
        column: usize,
        padded: Option<usize>,
    },
    /// The row's identity.
    Tid,
    TableOid,
}

impl PointColumn {
    /// The table's column that it is.
    fn stored(&self) -> Option<usize> {
        match self {
            PointColumn::Stored { column, .. } => Some(*column),
            PointColumn::Tid | PointColumn::TableOid => None,
        }
    }
}

impl Point {
    /// `None`: the plan is another.
    pub fn compile(compiler: &Compiler<'_>, planned: &PlannedStmt) -> types::Result<Option<Point>> {
        let plan = &planned.plan;
        let (Node::IndexScan(scan) | Node::IndexOnlyScan(scan)) = &plan.node else { return Ok(None) };
        let [conditions] = scan.ranges.as_slice() else { return Ok(None) };
        let simple = plan.conditions.is_empty() && plan.init_plans.is_empty() && planned.modifying.is_empty();
        if !simple || scan.scan.table < catalog::FIRST_NORMAL_OBJECT_ID {
            return Ok(None);
        }
        let table = compiler.facts.columns(scan.scan.table)?;
        let facts = compiler.facts.index(scan.scan.table, scan.index)?;
        let mut columns = Vec::with_capacity(plan.targets.len());
        for target in &plan.targets {
            let analyze::query::Expr::Var(var) = &target.expr else { return Ok(None) };
            let Ok(at) = usize::try_from(i32::from(var.attribute) - 1) else { return Ok(None) };
            let column = match var.relation == plan::plan::INDEX {
                true => facts.columns.get(at).copied().flatten(),
                false => Some(at),
            };
            let Some(column) = column.filter(|_| !target.junk) else { return Ok(None) };
            columns.push(PointColumn::Stored { column, padded: table[column].padded });
        }
        let only = matches!(plan.node, Node::IndexOnlyScan(_));
        Point::of_scan(compiler, &facts, (scan.scan.table, conditions), columns, only)
    }

    /// A scan of an index with conditions, of which such columns of its table are read, from the index alone if it may be `only`.
    /// `None`: the conditions leave more than one row.
    pub fn of_scan(
        compiler: &Compiler<'_>,
        facts: &IndexFacts,
        (table, conditions): (Oid, &[IndexCondition]),
        columns: Vec<PointColumn>,
        only: bool,
    ) -> types::Result<Option<Point>> {
        let key = LookUpKey::compile(compiler, facts, conditions, &Layout::default())?;
        let whole = key.filter(|key| facts.unique && !facts.computed && key.values.len() == facts.keys.len());
        Ok(whole.map(|key| Point { table, index: facts.position, only, key, columns }))
    }

    /// The row is taken from the index alone, where it can be.
    pub fn is_index_only(&self) -> bool {
        self.only
    }

    /// The row that a snapshot sees, if there is one.
    pub async fn row(
        &self,
        table: &Table,
        session: &aio::Session,
        snapshot: &Snapshot,
        execution: &Execution,
    ) -> Result<Option<Batch>> {
        self.row_counted(table, session, snapshot, execution, &mut 0).await
    }

    /// The same; rows of the table that were looked at are counted.
    pub async fn row_counted(
        &self,
        table: &Table,
        session: &aio::Session,
        snapshot: &Snapshot,
        execution: &Execution,
        looked_at: &mut u64,
    ) -> Result<Option<Batch>> {
        let heap = table.heap();
        let builder = |column| ColumnBuilder::new(&heap.shape.columns[column], 1);
        let mut builders: Vec<ColumnBuilder> = self.stored().map(builder).collect();
        let Some(tid) = self.look(table, session, (snapshot, looked_at), execution, &mut builders).await? else {
            return Ok(None);
        };
        let mut columns = Vec::with_capacity(self.columns.len());
        let mut builders = builders.into_iter();
        for column in &self.columns {
            let padded_to = match column {
                PointColumn::Stored { padded, .. } => *padded,
                PointColumn::Tid => {
                    columns.push(tids_to_column([tid].into_iter()));
                    continue;
                }
                PointColumn::TableOid => {
                    columns.push(Arc::new(UInt32Array::from_value(self.table, 1)));
                    continue;
                }
            };
            let builder = builders.next().expect("each column of the table has one");
            let (mut values, out_of_line) =
                builder.finish_stored().map_err(|reason| EngineError::new(sqlstate::DATA_CORRUPTED, reason))?;
            if !out_of_line.is_empty() {
                values =
                    Box::pin(heap.detoast_array(session, &values, &out_of_line)).await.map_err(EngineError::from)?;
            }
            columns.push(match padded_to {
                Some(length) => padded(&values, length),
                None => values,
            });
        }
        Ok(Some(Batch::new(columns, 1)))
    }

    /// The table's columns that the result has.
    fn stored(&self) -> impl Iterator<Item = usize> {
        self.columns.iter().filter_map(PointColumn::stored)
    }

    /// Puts the values of the row that a snapshot sees into `out`; gives where it is. `None`: there is none.
    async fn look(
        &self,
        table: &Table,
        session: &aio::Session,
        (snapshot, looked_at): (&Snapshot, &mut u64),
        execution: &Execution,
        out: &mut [ColumnBuilder],
    ) -> Result<Option<Tid>> {
        let index = &table.indexes[self.index];
        index.check_seen(snapshot)?;
        let mut key = Vec::with_capacity(16);
        for (at, value) in self.key.values.iter().enumerate() {
            let values = value.state.evaluate(&[], 1, execution)?;
            if !value.encode(&index.keys.shape, at, &values, 0, &mut key)? {
                return Ok(None);
            }
        }
        let (heap, mut tids, mut visible) = (table.heap(), Vec::new(), None);
        let found = |tid: Tid| {
            tids.push(tid);
            if self.only && heap.relation.visibility().is_set(tid.block) {
                visible = Some(tid);
            }
        };
        index.entries.lookup_with(session, &key, found).await.map_err(EngineError::from)?;
        if let Some(counters) = index.entries.counters() {
            counters.note_scans(1);
            counters.note_returned(tids.len() as u64);
        }
        if let Some(tid) = visible
            && self.take_from_key(index, &table.def, &key, out)?
        {
            return Ok(Some(tid));
        }
        let mut suspects = index.dedup(&mut tids);
        for tid in tids {
            let mut current = Vec::with_capacity(key.len());
            let look = |stored: &[Option<&[u8]>], values: &[Option<&[u8]>]| {
                // The entry may be of a key that this version of the row does not have.
                let same = index.keys.key.encode(&mut current, |column| values[column]).is_ok() && current == key;
                if same {
                    out.iter_mut().zip(self.stored()).for_each(|(out, column)| out.append(stored[column]));
                }
                same
            };
            let keyed = |column: usize| index.keys.key.has(column);
            *looked_at += 1;
            if heap.look(session, tid, snapshot, keyed, look).await? == Some(true) {
                if let Some(counters) = index.entries.counters() {
                    counters.note_fetched(1);
                }
                index.kill_items_of(session, table, &key, &suspects).await?;
                return Ok(Some(tid));
            }
            suspects.push(tid);
        }
        index.kill_items_of(session, table, &key, &suspects).await?;
        Ok(None)
    }

    /// Takes the values of a row that all snapshots see from its key; `false`: it does not have them.
    fn take_from_key(&self, index: &Index, table: &TableDef, key: &[u8], out: &mut [ColumnBuilder]) -> Result<bool> {
        let wanted: Vec<usize> = self.stored().collect();
        let Some(places) = index.places_in_key(table, &wanted) else { return Ok(false) };
        let mut values = KeyValues::default();
        index.decode(key, &places, &mut values)?;
        out.iter_mut().zip(places.places).for_each(|(out, place)| out.append_plain(values.get(place)));
        Ok(true)
    }
}
