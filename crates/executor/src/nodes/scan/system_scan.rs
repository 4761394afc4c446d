//! Scans of the catalogs: their rows are in memory. Conditions `column = value` go to the catalog, which may find by them.

use std::sync::Arc;

use analyze::query::Expr;
use arrow_array::{Array, ArrayRef};
use async_trait::async_trait;
use catalog::system_table::{SystemTable, system_table};
use expression::ExprState;
use plan::plan::{IndexScan, Plan, Scan, TABLE_OID};
use types::{Datum, Repr};

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::walk::attributes_of;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate_one;
use crate::expr::output::{Filter, Output};
use crate::nodes::scan::index_scan::to_table;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Ready, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &Scan) -> types::Result<Compiled> {
    compile_with(compiler, plan, scan, &[], vec![])
}

/// An index of a catalog is a way to say which rows are wanted.
pub fn compile_index(compiler: &Compiler<'_>, plan: &Plan, scan: &IndexScan) -> types::Result<Compiled> {
    let index = compiler.catalog.index(scan.index);
    let key = |at: usize| index.and_then(|index| index.indkey.get(at).copied());
    let mut plan = plan.clone();
    plan.targets.iter_mut().for_each(|target| to_table(&mut target.expr, scan, &key));
    plan.conditions.iter_mut().for_each(|condition| to_table(condition, scan, &key));
    let columns = index.map_or(&[][..], |index| &index.indkey);
    let order = columns.iter().filter_map(|&column| usize::try_from(column - 1).ok()).collect();
    compile_with(compiler, &plan, &scan.scan, &scan.index_conditions, order)
}

fn compile_with(
    compiler: &Compiler<'_>,
    plan: &Plan,
    scan: &Scan,
    others: &[Expr],
    order: Vec<usize>,
) -> types::Result<Compiled> {
    let table = system_table(scan.table);
    let missing = || types::Error::unsupported(format_args!("reading relation {}", scan.table));
    let table = table.ok_or_else(missing)?;
    let mut attributes = Vec::new();
    let exprs = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions).chain(others);
    exprs.for_each(|expr| attributes_of(expr, scan.relation, &mut attributes));
    // A whole row is made of all columns.
    if attributes.contains(&0) {
        attributes.retain(|attribute| *attribute < 0);
        attributes.extend(1..=table.columns().len() as i16);
    }
    let (mut columns, mut layout, mut table_oid) = (Vec::new(), Layout::default(), false);
    for attribute in attributes {
        if attribute == TABLE_OID {
            table_oid = true;
            continue;
        }
        let missing = || types::Error::unsupported(format_args!("column {attribute} of a catalog"));
        let place = usize::try_from(attribute).ok().and_then(|at| at.checked_sub(1)).ok_or_else(missing)?;
        let repr = compiler.repr(table.columns().get(place).ok_or_else(missing)?.atttypid)?;
        columns.push(place);
        layout = layout.with_column(scan.relation, attribute, repr);
    }
    if table_oid {
        layout = layout.with_column(scan.relation, TABLE_OID, Repr::Oid);
    }
    let (mut wanted, mut rest) = (Vec::new(), Vec::new());
    for condition in &plan.conditions {
        wanted.extend(equality(compiler, condition, scan)?);
    }
    for condition in others {
        match equality(compiler, condition, scan)? {
            // The catalog gives no other rows.
            Some(found) => wanted.push(found),
            None => rest.push(condition.clone()),
        }
    }
    let others = compiler.filter(&rest, &layout)?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(SystemScan { table, columns, order, table_oid, wanted, others, output }, reprs))
}

/// The column and the value of a condition `column = value`, whose value has no columns and the column's own type.
fn equality(compiler: &Compiler<'_>, condition: &Expr, scan: &Scan) -> types::Result<Option<(usize, ExprState)>> {
    let Expr::OpExpr(call) = condition else { return Ok(None) };
    let [left, right] = call.arguments.as_slice() else { return Ok(None) };
    if condition.is_indeterminate() {
        return Ok(None);
    }
    for (column, value) in [(left, right), (right, left)] {
        let Expr::Var(var) = column else { continue };
        let has_column = value.contains(&mut |e| matches!(e, Expr::Var(_) | Expr::SubPlan(_)));
        let equal = compiler.catalog.comparison(var.ty.oid).equal == Some(call.operator);
        if var.relation == scan.relation && var.attribute > 0 && !has_column && equal && value.ty().oid == var.ty.oid {
            let value = compiler.expr(value, &Layout::default())?;
            return Ok(Some((var.attribute as usize - 1, value)));
        }
    }
    Ok(None)
}

struct SystemScan {
    table: &'static dyn SystemTable,
    columns: Vec<usize>,
    /// Of an index, which rows come in the order of.
    order: Vec<usize>,
    /// The table's own oid is behind the columns.
    table_oid: bool,
    wanted: Vec<(usize, ExprState)>,
    others: Filter,
    output: Output,
}

impl ExecNode for SystemScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        Ok(Box::new(SystemRows { node: self, run: run.clone(), rows: None }))
    }
}

struct SystemRows {
    node: Arc<SystemScan>,
    run: Run,
    rows: Option<Ready>,
}

impl SystemRows {
    async fn read(&self) -> Result<Vec<Batch>> {
        let node = &self.node;
        let mut conditions = Vec::with_capacity(node.wanted.len());
        for (place, value) in &node.wanted {
            let value = Datum::of(&evaluate_one(value, &self.run).await?, 0);
            if value.is_null() {
                return Ok(Vec::new());
            }
            conditions.push((*place, value));
        }
        // Without a column there would be nothing to count.
        let counted = [0];
        let read = if node.columns.is_empty() { &counted[..] } else { &node.columns[..] };
        let mut columns = node.table.rows(self.run.estate.catalog(), &conditions, read, &node.order)?;
        let rows = columns.first().map_or(0, |column| column.len());
        columns.truncate(node.columns.len());
        if node.table_oid {
            columns.push(Arc::new(arrow_array::UInt32Array::from_value(node.table.oid(), rows)) as ArrayRef);
        }
        let all = Batch::new(columns, rows);
        let parts = (0..rows).step_by(BATCH_ROWS);
        Ok(parts.map(|at| all.slice(at, BATCH_ROWS.min(rows - at))).collect())
    }
}

#[async_trait]
impl Rows for SystemRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if self.rows.is_none() {
            self.rows = Some(Ready(self.read().await?.into_iter()));
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        while let Some(batch) = rows.next().await? {
            let Some(batch) = self.node.others.apply(batch, &self.run).await? else { continue };
            if let Some(batch) = self.node.output.apply(batch, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
