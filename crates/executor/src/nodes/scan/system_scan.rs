//! Scans of the catalogs: their rows are in memory. Conditions `column = value` go to the catalog, which may find by them.

use std::ops::Range;
use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use arrow_array::{ArrayRef, UInt32Array};
use async_trait::async_trait;
use catalog::strategy;
use catalog::system_table::{Condition, Found, Searches, SystemTable, system_table};
use expression::ExprState;
use expression::clauses::{contain_volatile_functions, require_execute};
use plan::plan::{IndexScan, Node, Plan, Scan, TABLE_OID};
use types::{Argument, Datum, Oid, Repr, oid};

use crate::batch::{BATCH_ROWS, Batch};
use crate::compile::walk::attributes_of;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::expr::evaluate::evaluate_argument;
use crate::expr::output::Output;
use crate::nodes::scan::index_scan::to_table;
use crate::nodes::scan::system_conditions::{SystemConditions, are_alike};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

pub fn compile(compiler: &Compiler<'_>, plan: &Plan) -> types::Result<Compiled> {
    let missing = || types::Error::unsupported("this scan of a catalog");
    let SystemPlan { read, output, .. } = SystemPlan::compile(compiler, plan, &[])?.ok_or_else(missing)?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(SystemScan { read, output }, reprs))
}

/// A scan of a catalog, ready to run.
pub(super) struct SystemPlan {
    pub read: SystemRead,
    /// Over the columns that are read, with the parameters' behind them.
    pub output: Output,
    pub relation: RangeTableIndex,
}

impl SystemPlan {
    /// `parameters`: those that have a value in each row of what is searched for. `None`: the plan is no such scan.
    pub fn compile(
        compiler: &Compiler<'_>,
        plan: &Plan,
        parameters: &[(u32, Repr)],
    ) -> types::Result<Option<SystemPlan>> {
        match &plan.node {
            Node::SeqScan(scan) if is_of_catalog(scan) => {
                let changed = (plan.clone(), Vec::new());
                SystemPlan::of(compiler, plan, changed, scan, parameters).map(Some)
            }
            Node::IndexScan(scan) | Node::IndexOnlyScan(scan) if is_of_catalog(&scan.scan) => {
                let changed = without_index(compiler, plan, scan);
                SystemPlan::of(compiler, plan, changed, &scan.scan, parameters).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn of(
        compiler: &Compiler<'_>,
        plan: &Plan,
        (mut changed, order): (Plan, Vec<usize>),
        scan: &Scan,
        parameters: &[(u32, Repr)],
    ) -> types::Result<SystemPlan> {
        let table = system_table(scan.table);
        let missing = || types::Error::unsupported(format_args!("reading relation {}", scan.table));
        let table = table.ok_or_else(missing)?;
        let given =
            |layout: Layout| parameters.iter().fold(layout, |layout, (n, repr)| layout.with_parameter(*n, *repr));
        let (mut keys, mut key_columns, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for condition in std::mem::take(&mut changed.conditions) {
            match equality(compiler, &condition, scan) {
                // The catalog gives no other rows.
                Some((column, value)) => {
                    require_execute(compiler.catalog, &condition)?;
                    key_columns.push(column);
                    keys.push(compiler.expr(value, &given(Layout::default()))?);
                }
                None => rest.push(condition),
            }
        }
        let conditions = SystemConditions::compile(compiler, &rest, scan, table)?;
        changed.conditions = rest;
        let (columns, table_oid, layout) = columns_of(compiler, &changed, scan, table)?;
        let output = compiler.changed_output(plan, &changed, &given(layout))?;
        let key_types = key_columns.iter().map(|&column| table.columns()[column].atttypid).collect();
        let read = SystemRead { table, columns, order, table_oid, keys, key_columns, key_types, conditions };
        Ok(SystemPlan { read, output, relation: scan.relation })
    }
}

fn is_of_catalog(scan: &Scan) -> bool {
    scan.table < catalog::FIRST_NORMAL_OBJECT_ID
}

/// An index of a catalog is a way to say which rows are wanted: the plan with the index's conditions among its own, and the
/// columns in the order of which rows come.
fn without_index(compiler: &Compiler<'_>, plan: &Plan, scan: &IndexScan) -> (Plan, Vec<usize>) {
    let index = compiler.catalog.index(scan.index);
    let key = |at: usize| index.and_then(|index| index.indkey.get(at).copied());
    let mut plan = plan.clone();
    plan.targets.iter_mut().for_each(|target| to_table(&mut target.expr, scan, &key));
    plan.conditions.iter_mut().for_each(|condition| to_table(condition, scan, &key));
    plan.conditions.splice(0..0, scan.index_conditions.iter().cloned());
    let columns = index.map_or(&[][..], |index| &index.indkey);
    (plan, columns.iter().filter_map(|&column| usize::try_from(column - 1).ok()).collect())
}

/// The places of the columns that a plan reads, whether the table's own oid is among them, and where they are in what is read.
fn columns_of(
    compiler: &Compiler<'_>,
    plan: &Plan,
    scan: &Scan,
    table: &dyn SystemTable,
) -> types::Result<(Vec<usize>, bool, Layout)> {
    let mut attributes = Vec::new();
    let exprs = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions);
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
    Ok((columns, table_oid, layout))
}

/// The column and the value of a condition `column = value`, whose value is the same for all rows and of a type that is compared
/// as the column's own.
fn equality<'e>(compiler: &Compiler<'_>, condition: &'e Expr, scan: &Scan) -> Option<(usize, &'e Expr)> {
    let Expr::OpExpr(call) = condition else { return None };
    let [left, right] = call.arguments.as_slice() else { return None };
    if condition.is_indeterminate() {
        return None;
    }
    [(left, right), (right, left)].into_iter().find_map(|(column, value)| {
        let Expr::Var(var) = column else { return None };
        let of_row = value.contains(&mut |e| matches!(e, Expr::Var(_) | Expr::SubPlan(_)))
            || contain_volatile_functions(compiler.catalog, value);
        let is_key = var.relation == scan.relation
            && var.attribute > 0
            && !of_row
            && are_equal(compiler, call.operator, [var.ty.oid, value.ty().oid]);
        is_key.then_some((var.attribute as usize - 1, value))
    })
}

/// Whether an operator holds for a value of a column's type and one of another's if they are the same text or number.
fn are_equal(compiler: &Compiler<'_>, operator: Oid, types: [Oid; 2]) -> bool {
    let [column, value] = types;
    if column == value {
        return compiler.catalog.comparison(column).equal == Some(operator);
    }
    let orders = || compiler.catalog.operator_interpretations(operator);
    are_alike(types) && orders().iter().any(|order| order.strategy == Some(strategy::EQUAL))
}

/// A key's value as a column's type has it; NULL, which no row has, where that does not have it.
fn in_column(value: Datum, ty: Oid) -> Datum {
    let number = match value {
        Datum::I16(number) => i64::from(number),
        Datum::I32(number) => i64::from(number),
        Datum::I64(number) => number,
        other => return other,
    };
    match ty {
        oid::INT2 => number.try_into().map_or(Datum::Null, Datum::I16),
        oid::INT4 => number.try_into().map_or(Datum::Null, Datum::I32),
        oid::INT8 => Datum::I64(number),
        _ => value,
    }
}

/// What is read of a catalog.
pub(super) struct SystemRead {
    table: &'static dyn SystemTable,
    columns: Vec<usize>,
    /// Of an index, which rows come in the order of.
    order: Vec<usize>,
    /// The table's own oid is behind the columns.
    table_oid: bool,
    /// The values that rows have in columns, and the types of these.
    keys: Vec<ExprState>,
    key_columns: Vec<usize>,
    key_types: Vec<Oid>,
    /// What else rows have to meet.
    conditions: SystemConditions,
}

/// What rows have to have in the columns of the keys, for some searches, and what they have to meet for all of them.
pub(super) struct Keys {
    values: Vec<Argument>,
    conditions: Vec<Condition>,
}

impl SystemRead {
    pub fn waits(&self) -> bool {
        self.keys.iter().any(ExprState::waits)
    }

    /// The keys of the rows of a batch of parameters.
    pub async fn keys(&self, batch: &Batch, run: &Run) -> Result<Keys> {
        let mut values = Vec::with_capacity(self.keys.len());
        for key in &self.keys {
            values.push(evaluate_argument(key, batch, run).await?);
        }
        Ok(Keys { values, conditions: self.conditions.evaluate(run) })
    }

    /// What searches by some of these keys find, until there are `most` rows or more: the rows, for each the row of its key,
    /// and the first row by which was not searched.
    pub fn find(&self, keys: &Keys, of: Range<usize>, most: usize, run: &Run) -> Result<(Batch, Vec<u32>, usize)> {
        let value = |(key, &ty): (&Argument, &Oid), row: usize| in_column(Datum::of(key.array(), key.index(row)), ty);
        let values = || keys.values.iter().zip(&self.key_types);
        let values: Vec<Datum> = of.clone().flat_map(|row| values().map(move |key| value(key, row))).collect();
        let Keys { conditions, .. } = keys;
        let searches = Searches { columns: &self.key_columns, values: &values, count: of.len(), conditions };
        let catalog = run.estate.catalog();
        let found = self.table.rows(catalog, &searches, most, &self.columns, &self.order)?;
        let Found { mut columns, mut searches, done, removed } = found;
        if let Some(watched) = &run.watched {
            watched.note(|counters| counters.removed_by_filter += removed as u64);
        }
        let rows = searches.len();
        if self.table_oid {
            columns.push(Arc::new(UInt32Array::from_value(self.table.oid(), rows)) as ArrayRef);
        }
        searches.iter_mut().for_each(|search| *search += of.start as u32);
        Ok((Batch::new(columns, rows), searches, of.start + done))
    }
}

struct SystemScan {
    read: SystemRead,
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
    /// What was read, and how much of it was given.
    rows: Option<(Batch, usize)>,
}

#[async_trait]
impl Rows for SystemRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let SystemScan { read, output } = &*self.node;
        if self.rows.is_none() {
            let keys = read.keys(&Batch::one_row(), &self.run).await?;
            let (rows, ..) = read.find(&keys, 0..1, usize::MAX, &self.run)?;
            self.rows = Some((rows, 0));
        }
        while let Some((rows, given)) = &mut self.rows
            && *given < rows.rows
        {
            let part = rows.slice(*given, BATCH_ROWS.min(rows.rows - *given));
            *given += part.rows;
            if let Some(batch) = output.apply(part, &self.run).await? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
    }
}
