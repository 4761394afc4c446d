//! A plan that is one look-up of a row by a unique key, and gives plain columns of it: it runs without batches and without
//! nodes. It is a physical choice and nothing else: the same plan has its nodes, too.

use access::row::ColumnBuilder;
use engine::{EngineError, Table};
use expression::Execution;
use plan::plan::{Node, PlannedStmt};
use txn::Snapshot;
use types::{Oid, Repr};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::nodes::look_up_key::LookUpKey;
use crate::nodes::scan::padded;

pub struct Point {
    pub table: Oid,
    /// The index's position among the table's.
    index: usize,
    /// With a value for each column of the index.
    key: LookUpKey,
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
        let key = LookUpKey::compile(compiler, &facts, conditions, &Layout::default())?;
        let whole = key.filter(|key| facts.unique && key.values.len() == facts.keys.len());
        Ok(whole.map(|key| Point { table: scan.scan.table, index: facts.position, key, columns }))
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
        let heap = table.heap();
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
            let (mut values, out_of_line) =
                builder.finish_stored().map_err(|reason| EngineError::new("XX001", reason))?;
            if !out_of_line.is_empty() {
                values =
                    Box::pin(heap.detoast_array(session, &values, &out_of_line)).await.map_err(EngineError::from)?;
            }
            columns.push(match column.padded {
                Some(length) => padded(&values, length),
                None => values,
            });
        }
        Ok(Some(Batch::new(columns, 1)))
    }

    /// Shows the row that a snapshot sees, if there is one, by all columns of the table as they are stored.
    pub async fn look<T>(
        &self,
        table: &Table,
        session: &aio::Session,
        snapshot: &Snapshot,
        execution: &Execution,
        show: impl FnOnce(&[Option<&[u8]>]) -> T,
    ) -> Result<Option<T>> {
        let index = &table.indexes[self.index];
        index.check_seen(snapshot)?;
        let mut key = Vec::with_capacity(16);
        for (at, value) in self.key.values.iter().enumerate() {
            let values = value.state.evaluate(&[], 1, execution)?;
            if !value.encode(&index.keys.shape, at, &values, 0, &mut key)? {
                return Ok(None);
            }
        }
        let mut show = Some(show);
        let mut shown = None;
        let mut suspects = Vec::new();
        for tid in index.lookup(session, &key).await? {
            let mut current = Vec::with_capacity(key.len());
            let look = |stored: &[Option<&[u8]>], values: &[Option<&[u8]>]| {
                // The entry may be of a key that this version of the row does not have.
                let same = index.keys.shape.encode(&mut current, |column| values[column]).is_ok() && current == key;
                if same { show.take().map(|show| show(stored)) } else { None }
            };
            let keyed = |column: usize| index.keys.shape.columns.iter().any(|key| key.column == column);
            shown = table.heap().look(session, tid, snapshot, keyed, look).await?.flatten();
            if shown.is_some() {
                break;
            }
            suspects.push(tid);
        }
        index.kill_items_of(session, table, &key, &suspects).await?;
        Ok(shown)
    }
}
