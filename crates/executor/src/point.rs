//! A plan that is one look-up of a row by a unique key, and gives plain columns of it: it runs without batches and without
//! nodes. It is a physical choice and nothing else: the same plan has its nodes, too.

use access::row::{ColumnBuilder, value_bytes};
use arrow_array::Array;
use engine::{EngineError, Table};
use expression::{Execution, ExprState};
use plan::plan::{IndexCondition, Node, PlannedStmt};
use txn::Snapshot;
use types::{Datum, Oid, Repr};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::nodes::place::{Place, is_comparable, place};
use crate::nodes::scan::padded;

pub struct Point {
    pub table: Oid,
    /// The index's position among the table's.
    index: usize,
    /// A value for each column of the key, how that column lies, and the width of its values where those of the value do.
    key: Vec<(ExprState, Repr, Option<usize>)>,
    /// What the result's columns are.
    pub columns: Vec<PointColumn>,
}

/// A column of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PointColumn {
    /// Position in the table.
    pub column: usize,
    /// How its bytes are to be understood: numbers are little-endian.
    pub repr: Repr,
    /// `character(n)`: the blanks up to this length are not among the bytes.
    pub padded: Option<usize>,
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
        if facts.computed {
            return Ok(None);
        }
        let mut columns = Vec::with_capacity(plan.targets.len());
        for target in &plan.targets {
            let analyze::query::Expr::Var(var) = &target.expr else { return Ok(None) };
            let Ok(at) = usize::try_from(i32::from(var.attribute) - 1) else { return Ok(None) };
            let column = match var.relation == plan::plan::INDEX {
                true => facts.columns.get(at).copied().flatten(),
                false => Some(at),
            };
            let Some(column) = column.filter(|_| !target.junk) else { return Ok(None) };
            columns.push(PointColumn { column, repr: table[column].repr, padded: table[column].padded });
        }
        let mut key = Vec::with_capacity(facts.keys.len());
        for (at, &repr) in facts.keys.iter().enumerate() {
            let equal = |condition: &&IndexCondition| {
                matches!(condition, IndexCondition::Compare { column, strategy, .. }
                    if *column == at && *strategy == catalog::strategy::EQUAL)
            };
            let Some(IndexCondition::Compare { value, .. }) = conditions.iter().find(equal) else { return Ok(None) };
            let value = compiler.expr(value, &Layout::default())?;
            if value.waits() {
                return Ok(None);
            }
            if !is_comparable(value.repr(), repr) {
                return Ok(None);
            }
            let width = repr.arrow().primitive_width().filter(|_| value.repr() == repr);
            key.push((value, repr, width));
        }
        let whole = facts.unique && conditions.len() == key.len();
        Ok(whole.then_some(Point { table: scan.scan.table, index: facts.position, key, columns }))
    }

    /// The row that a snapshot sees, if there is one.
    pub async fn row(
        &self,
        table: &Table,
        session: &aio::Session,
        snapshot: &Snapshot,
        execution: &Execution,
    ) -> Result<Option<Batch>> {
        let shape = &table.heap().shape;
        let builder = |column: &PointColumn| ColumnBuilder::new(&shape.columns[column.column], 1);
        let mut builders: Vec<ColumnBuilder> = self.columns.iter().map(builder).collect();
        let put = |values: &[Option<&[u8]>]| {
            for (builder, column) in builders.iter_mut().zip(&self.columns) {
                builder.append(values[column.column]);
            }
        };
        if self.look(table, session, snapshot, execution, put).await?.is_none() {
            return Ok(None);
        }
        let mut columns = Vec::with_capacity(builders.len());
        for (builder, column) in builders.into_iter().zip(&self.columns) {
            let values = builder.finish().map_err(|reason| EngineError::new("XX001", reason))?;
            columns.push(match column.padded {
                Some(length) => padded(&values, length),
                None => values,
            });
        }
        Ok(Some(Batch::new(columns, 1)))
    }

    /// Shows the row that a snapshot sees, if there is one, by the bytes of all columns of the table.
    pub async fn look<T>(
        &self,
        table: &Table,
        session: &aio::Session,
        snapshot: &Snapshot,
        execution: &Execution,
        show: impl FnOnce(&[Option<&[u8]>]) -> T,
    ) -> Result<Option<T>> {
        let index = &table.indexes[self.index];
        let mut key = Vec::with_capacity(16);
        for ((value, repr, width), column) in self.key.iter().zip(&index.keys.shape.columns) {
            let from = value.repr();
            let value = value.evaluate(&[], 1, execution)?;
            let value = value.array();
            if value.is_null(0) {
                return Ok(None);
            }
            if width.is_some() {
                column.encode(&mut key, value_bytes(value, *width, 0));
                continue;
            }
            match place(&Datum::of(value, 0), from, *repr) {
                Place::At(bytes) => column.encode(&mut key, Some(&bytes)),
                Place::Unknown => return Err(EngineError::new("XX000", "a key has another type").into()),
                _ => return Ok(None),
            }
        }
        let mut show = Some(show);
        for tid in index.lookup(session, &key).await? {
            let mut current = Vec::with_capacity(key.len());
            let look = |values: &[Option<&[u8]>]| {
                // The entry may be of a key that this version of the row does not have.
                let same = index.keys.shape.encode(&mut current, |column| values[column]).is_ok() && current == key;
                if same { show.take().map(|show| show(values)) } else { None }
            };
            if let Some(Some(shown)) = table.heap().look(session, tid, snapshot, look).await? {
                return Ok(Some(shown));
            }
        }
        Ok(None)
    }
}
