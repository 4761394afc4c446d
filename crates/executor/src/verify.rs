//! Does a node that is ready to run give what its plan says, and are tables and indexes as the plan takes them to be? Debug
//! builds ask before a statement runs; what is found is a bug of the planner, of compiling, or of what keeps plans beyond a
//! change of their tables, and panics.

use analyze::query::TypeRef;
use arrow_schema::DataType;
use plan::plan::{IndexCondition, IndexScan, Node, Plan, Scan};
use types::Repr;

use crate::compile::Compiler;
use crate::run::node::Compiled;

type Checked = std::result::Result<(), String>;

/// A node that has been compiled.
pub fn compiled(compiler: &Compiler<'_>, plan: &Plan, compiled: &Compiled) {
    if cfg!(debug_assertions)
        && let Err(finding) = verified(compiler, plan, &compiled.reprs)
    {
        panic!("before execution: {finding}");
    }
}

fn verified(compiler: &Compiler<'_>, plan: &Plan, reprs: &[Repr]) -> Checked {
    let targets: Vec<TypeRef> = plan.types().collect();
    if targets.len() != reprs.len() {
        return Err(format!("a node of {} targets gives {} columns", targets.len(), reprs.len()));
    }
    for ((&ty, &repr), number) in targets.iter().zip(reprs).zip(1..) {
        let found = lies(compiler, ty, repr).map_err(|finding| format!("column {number}: {finding}"));
        if !may_be_late(compiler, ty, repr) {
            found?;
        }
    }
    match &plan.node {
        Node::SeqScan(scan) | Node::TidScan { scan, .. } | Node::BitmapHeapScan { scan, .. } => table(compiler, scan),
        Node::IndexScan(scan) | Node::IndexOnlyScan(scan) => {
            table(compiler, &scan.scan)?;
            index(compiler, scan)
        }
        Node::ModifyTable(modify) => table(compiler, &modify.scan),
        _ => Ok(()),
    }
}

/// Values of any length may be passed on as they are stored, or as whether they are NULL ([`crate::late_detoast`]).
fn may_be_late(compiler: &Compiler<'_>, ty: TypeRef, repr: Repr) -> bool {
    let is_long = |own: Repr| matches!(own.arrow(), DataType::Utf8 | DataType::Binary);
    matches!(repr, Repr::Bytea | Repr::Bool) && expression::representation(compiler.catalog, ty).is_ok_and(is_long)
}

/// Fails unless values of a type lie as the column does. Where `numeric` values are computed, their digits are not counted.
fn lies(compiler: &Compiler<'_>, ty: TypeRef, repr: Repr) -> Checked {
    let is_numeric = |repr: Repr| matches!(repr, Repr::Decimal { .. } | Repr::Numeric);
    match expression::representation(compiler.catalog, ty) {
        Ok(own) if own.arrow() == repr.arrow() || is_numeric(own) && is_numeric(repr) => Ok(()),
        Ok(own) => Err(format!("values of type {} lie as {own:?}, not as {repr:?}", ty.oid)),
        // There is none.
        Err(_) => Ok(()),
    }
}

fn is_users(scan: &Scan) -> bool {
    scan.table >= catalog::FIRST_NORMAL_OBJECT_ID
}

/// Fails unless a table has the columns of its entry.
fn table(compiler: &Compiler<'_>, scan: &Scan) -> Checked {
    let Ok(columns) = compiler.facts.columns(scan.table) else { return Ok(()) };
    // Plans that tests make by hand have no entries; that others have them, the planner has seen to.
    let entry = compiler.planned.range_table.get(scan.relation.index()).filter(|_| is_users(scan));
    let Some(entry) = entry else { return Ok(()) };
    if entry.columns.len() != columns.len() {
        return Err(format!("table {} has {} columns, not {}", scan.table, columns.len(), entry.columns.len()));
    }
    for (own, column) in entry.columns.iter().zip(&columns).filter(|(_, column)| !column.dropped) {
        lies(compiler, own.ty, column.repr)
            .map_err(|finding| format!("column {} of table {}: {finding}", column.name, scan.table))?;
    }
    Ok(())
}

/// Fails unless an index has the columns by which it is asked.
fn index(compiler: &Compiler<'_>, scan: &IndexScan) -> Checked {
    if !is_users(&scan.scan) {
        return Ok(());
    }
    let found = compiler.facts.index(scan.scan.table, scan.index);
    let found = found.map_err(|error| format!("index {}: {}", scan.index, error.0.message))?;
    let last = scan.ranges.iter().flatten().map(last_column).max();
    match last {
        Some(last) if last >= found.keys.len() => Err(format!("index {} has no key column {last}", scan.index)),
        _ => Ok(()),
    }
}

fn last_column(condition: &IndexCondition) -> usize {
    match condition {
        IndexCondition::Compare { column, .. } | IndexCondition::Any { column, .. } => *column,
        IndexCondition::Row { column, values, .. } => column + values.len().saturating_sub(1),
        IndexCondition::IsNull { column } | IndexCondition::IsNotNull { column } => *column,
    }
}
