//! The table whose rows are changed: how new rows are stored, and what they have to satisfy.

use std::sync::Arc;

use access::Tid;
use analyze::query::{RangeTableIndex, ReturningRows};
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow_schema::{Field, Schema, SchemaRef};
use engine::{EngineError, Table, TableScan};
use expression::Selection;
use plan::plan::{CTID, ModifyTable, OUTER, TABLE_OID};
use txn::Snapshot;
use types::{Oid, Repr, decimal};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::convert::convert;
use crate::error::Result;
use crate::estate::Run;
use crate::facts::TableColumn;
use crate::node::Compiled;
use crate::nodes::scan::{attributes_of, padded, without_padding};
use crate::output::{Filter, Projection};

pub struct Target {
    pub table: Oid,
    pub relation: RangeTableIndex,
    pub columns: Vec<TableColumn>,
    pub reprs: Arc<[Repr]>,
    /// Any of its columns may be NULL: what the rules are is asked here.
    schema: SchemaRef,
    checks: Vec<(String, Filter)>,
    /// WITH CHECK OPTION: the views' names.
    view_checks: Vec<(String, Filter)>,
    pub returning: Option<Projection>,
    /// RETURNING names the rows before the change and after it.
    returned_rows: ReturningRows,
    /// RETURNING names the rows' places.
    pub returns_place: bool,
    /// The columns of the table that checks and RETURNING name.
    pub named: Vec<usize>,
    /// The columns of the row before the change that RETURNING names.
    pub named_before: Vec<usize>,
}

/// Rows that were changed, as RETURNING sees them.
pub struct Returned<'t> {
    /// What is meant by a column's name alone.
    pub rows: Batch,
    /// Where the rows are; empty: nobody asks.
    pub tids: &'t [Tid],
    /// As they were and as they are; `None`: there were or are none.
    pub old: Option<Batch>,
    pub new: Option<Batch>,
    /// The child's rows that the change comes from.
    pub child: Batch,
}

impl Target {
    pub fn compile(compiler: &Compiler<'_>, modify: &ModifyTable, child: &Compiled) -> types::Result<Target> {
        let (table, relation) = (modify.scan.table, modify.scan.relation);
        let columns = compiler.facts.columns(table)?;
        let reprs: Arc<[Repr]> = columns.iter().map(|column| column.repr).collect();
        let field = |column: &TableColumn| Field::new(&column.name, column.repr.arrow(), true);
        let schema = Arc::new(Schema::new(columns.iter().map(field).collect::<Vec<_>>()));
        let own = Layout::default().with(relation, &reprs);
        let mut attributes = Vec::new();
        let mut checks = Vec::new();
        for check in compiler.facts.checks(table, relation)? {
            attributes_of(&check.condition, relation, &mut attributes);
            checks.push((check.name, compiler.filter(&[not_false(check.condition)], &own)?));
        }
        let mut view_checks = Vec::new();
        for (name, condition) in &modify.checks {
            attributes_of(condition, relation, &mut attributes);
            view_checks.push((name.clone(), compiler.filter(std::slice::from_ref(condition), &own)?));
        }
        let mut before = Vec::new();
        let ReturningRows { old, new } = modify.returning_rows;
        for target in &modify.returning {
            attributes_of(&target.expr, relation, &mut attributes);
            new.iter().for_each(|new| attributes_of(&target.expr, *new, &mut attributes));
            old.iter().for_each(|old| attributes_of(&target.expr, *old, &mut before));
        }
        // The row, its place and its table, the rows before and after, then the child's row.
        let mut layout = own.with_column(relation, CTID, Repr::Tid).with_column(relation, TABLE_OID, Repr::Oid);
        for row in [old, new].into_iter().flatten() {
            layout = layout.with(row, &reprs).with_column(row, CTID, Repr::Tid).with_column(row, TABLE_OID, Repr::Oid);
        }
        let layout = layout.with(OUTER, &child.reprs).with_computed(analyze::query::Expr::MergeAction, Repr::Text);
        let returning = match modify.returning.is_empty() {
            true => None,
            false => Some(compiler.projection(&modify.returning, &layout)?),
        };
        Ok(Target {
            table,
            relation,
            returns_place: attributes.contains(&CTID) || before.contains(&CTID),
            named: places_of(&attributes, columns.len()),
            named_before: places_of(&before, columns.len()),
            columns,
            reprs,
            schema,
            checks,
            view_checks,
            returning,
            returned_rows: modify.returning_rows,
        })
    }

    /// RETURNING asks for rows as they were.
    pub fn returns_old(&self) -> bool {
        self.returned_rows.old.is_some()
    }

    /// A value for a column in the representation that the column has.
    pub fn column(&self, column: usize, values: &ArrayRef, from: Repr) -> Result<ArrayRef> {
        let to = self.columns[column].repr;
        Ok(match (from, to) {
            (Repr::Decimal { .. } | Repr::Numeric, Repr::Decimal { precision, scale }) if from != to => {
                let numeric = convert(values, from, Repr::Numeric);
                Arc::new(decimal::from_numeric(numeric.as_binary(), (precision, scale))?)
            }
            _ => convert(values, from, to),
        })
    }

    /// Rows as the table stores them.
    pub fn stored(&self, rows: &Batch) -> Result<RecordBatch> {
        let columns = self.columns.iter().zip(&rows.columns).map(|(column, values)| match column.padded {
            Some(_) => without_padding(values),
            None => values.clone(),
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows.rows));
        Ok(RecordBatch::try_new_with_options(self.schema.clone(), columns.collect(), &options)?)
    }

    /// Refuses rows that have NULL in a column that has none, that a CHECK constraint says no to, or that a view would not
    /// have. `changed`: the other columns are as they were.
    pub async fn check(&self, table: &Table, rows: &Batch, changed: Option<&[usize]>, run: &Run) -> Result<()> {
        for (at, (column, values)) in self.columns.iter().zip(&rows.columns).enumerate() {
            let concerned = changed.is_none_or(|changed| changed.contains(&at));
            if !column.not_null || values.null_count() == 0 || !concerned {
                continue;
            }
            let row = (0..rows.rows).find(|&row| values.is_null(row)).expect("there is a NULL");
            let message = format!(
                "null value in column \"{}\" of relation \"{}\" violates not-null constraint",
                column.name, table.def.name
            );
            let detail = self.failing(rows, row, run)?;
            return Err(EngineError::new("23502", message).detail(detail).column(&table.def, &column.name).into());
        }
        for (name, condition) in &self.checks {
            if let Some(row) = failed(condition, rows, run).await? {
                let relation = &table.def.name;
                let message = format!("new row for relation \"{relation}\" violates check constraint \"{name}\"");
                let detail = self.failing(rows, row, run)?;
                return Err(EngineError::new("23514", message).detail(detail).constraint(&table.def, name).into());
            }
        }
        for (name, condition) in &self.view_checks {
            if let Some(row) = failed(condition, rows, run).await? {
                let message = format!("new row violates check option for view \"{name}\"");
                return Err(EngineError::new("44000", message).detail(self.failing(rows, row, run)?).into());
            }
        }
        Ok(())
    }

    fn failing(&self, rows: &Batch, row: usize, run: &Run) -> Result<String> {
        let all: Vec<usize> = (0..self.columns.len()).collect();
        let describe = run.environment().settings.write.describe;
        Ok(format!("Failing row contains ({}).", describe(&self.stored(rows)?, row, &all)))
    }

    /// Some columns of rows as a snapshot sees them; NULL in the others. Rows that it does not see are left out.
    pub async fn fetch(
        &self,
        table: &Arc<Table>,
        tids: &[Tid],
        columns: &[usize],
        snapshot: &Snapshot,
        run: &Run,
    ) -> Result<Batch> {
        let scan = TableScan::new(table, snapshot.clone(), columns.into());
        let read = Batch::from(scan.fetch(run.session(), tids).await?);
        let mut all = Batch::nulls(&self.reprs, read.rows);
        for (&column, values) in columns.iter().zip(&read.columns) {
            all.columns[column] = match self.columns[column].padded {
                Some(length) => padded(values, length),
                None => values.clone(),
            };
        }
        Ok(all)
    }

    /// RETURNING's rows.
    pub async fn return_rows(&self, returned: Returned<'_>, run: &Run) -> Result<Option<Batch>> {
        let Some(returning) = &self.returning else { return Ok(None) };
        let count = returned.rows.rows;
        if count == 0 {
            return Ok(None);
        }
        let place: ArrayRef = match returned.tids.len() == count {
            true => crate::nodes::scan::tids_to_column(returned.tids.iter().copied()),
            false => arrow_array::new_null_array(&Repr::Tid.arrow(), count),
        };
        let table: ArrayRef = Arc::new(UInt32Array::from_value(self.table, count));
        let where_it_is = Batch::new(vec![place, table], count);
        let mut all = returned.rows.beside(where_it_is.clone());
        let ReturningRows { old, new } = self.returned_rows;
        for row in [old.map(|_| returned.old), new.map(|_| returned.new)].into_iter().flatten() {
            all = match row {
                Some(row) => all.beside(row).beside(where_it_is.clone()),
                None => {
                    all.beside(Batch::nulls(&self.reprs, count)).beside(Batch::nulls(&[Repr::Tid, Repr::Oid], count))
                }
            };
        }
        // MERGE's child has the action behind its own columns; nobody else's expressions name it.
        returning.apply(all.beside(returned.child), run).await.map(Some)
    }
}

/// The columns that attributes are; the whole row is all.
fn places_of(attributes: &[i16], width: usize) -> Vec<usize> {
    if attributes.contains(&0) {
        return (0..width).collect();
    }
    attributes.iter().filter_map(|&at| usize::try_from(at - 1).ok()).collect()
}

/// CHECK: unknown is no no.
fn not_false(condition: analyze::query::Expr) -> analyze::query::Expr {
    use analyze::query::{BooleanTest, BooleanTestKind, Expr, Location};
    let kind = BooleanTestKind::IsNotFalse;
    Expr::BooleanTest(Box::new(BooleanTest { argument: condition, kind, location: Location::NONE }))
}

/// The first row for which a condition does not hold.
async fn failed(condition: &Filter, rows: &Batch, run: &Run) -> Result<Option<usize>> {
    Ok(match condition.select(rows, run).await? {
        Selection::All => None,
        Selection::None => (rows.rows > 0).then_some(0),
        Selection::Some(holds) => (0..rows.rows).find(|&row| !holds.value(row)),
    })
}
