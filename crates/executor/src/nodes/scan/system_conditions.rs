//! From a catalog scan's first conditions to what is asked of the catalog's rows where they lie, so that nothing is made of the
//! others. The node's filter asks them again. As in [`scan_keys`](super::scan_keys), conditions behind one that may fail, or whose
//! asking is felt, are left to the filter: rows that it would have been asked of must not be gone by then.

use std::ops::Bound;

use analyze::query::{Expr, OpExpr, ParamKind, ScalarArrayOpExpr, Var};
use arrow_array::Array;
use arrow_array::cast::AsArray;
use catalog::is_c;
use catalog::strategy;
use catalog::system_table::{Accepts, Condition, SystemTable, is_compared};
use expression::ExprState;
use expression::clauses::contain_volatile_functions;
use plan::plan::Scan;
use types::array::ArrayView;
use types::array::column::to_column;
use types::{Datum, Oid, oid};

use crate::compile::{Compiler, Layout};
use crate::nodes::scan::scan_keys::is_felt;
use crate::run::estate::Run;

/// In the order of the conditions that they are made of.
pub struct SystemConditions(Vec<Comparison>);

/// A column with a value that is the same for all rows.
struct Comparison {
    column: usize,
    with: With,
    value: ExprState,
}

enum With {
    Value(i16),
    /// One of an array's elements.
    Elements,
}

impl SystemConditions {
    pub fn compile(
        compiler: &Compiler<'_>,
        conditions: &[Expr],
        scan: &Scan,
        table: &dyn SystemTable,
    ) -> types::Result<SystemConditions> {
        let mut found = Vec::new();
        for condition in conditions {
            if let Some(comparison) = Comparison::compile(compiler, condition, scan, table)? {
                found.push(comparison);
            } else if is_felt(compiler.catalog, condition) {
                break;
            }
        }
        Ok(SystemConditions(found))
    }

    /// What is asked of the rows now. A value that cannot be computed fails in the filter, if there is a row to ask it of: what
    /// is behind it is left to that, too.
    pub fn evaluate(&self, run: &Run) -> Vec<Condition> {
        self.0.iter().map_while(|comparison| comparison.evaluate(run).ok()).collect()
    }
}

impl Comparison {
    fn compile(
        compiler: &Compiler<'_>,
        condition: &Expr,
        scan: &Scan,
        table: &dyn SystemTable,
    ) -> types::Result<Option<Comparison>> {
        if condition.is_indeterminate() {
            return Ok(None);
        }
        let found = match condition {
            Expr::OpExpr(call) => compared(compiler, call, scan, table),
            Expr::ScalarArrayOpExpr(call) if call.any => among(compiler, call, scan, table),
            _ => None,
        };
        let Some((column, with, value)) = found.filter(|(.., value)| is_fixed(compiler, value)) else {
            return Ok(None);
        };
        let value = compiler.expr(value, &Layout::default())?;
        Ok((!value.waits()).then_some(Comparison { column, with, value }))
    }

    fn evaluate(&self, run: &Run) -> types::Result<Condition> {
        let argument = self.value.evaluate(&[], 1, &run.execution)?;
        let (values, row) = (argument.array(), argument.index(0));
        let accepts = match self.with {
            _ if values.is_null(row) => Accepts::OneOf(Vec::new()),
            With::Value(strategy) => accepting(strategy, Datum::of(values, row)),
            With::Elements => {
                let elements = to_column(&ArrayView::new(values.as_binary::<i32>().value(row)))?;
                let known = (0..elements.len()).filter(|&at| elements.is_valid(at));
                Accepts::OneOf(known.map(|at| Datum::of(&elements, at)).collect())
            }
        };
        Ok(Condition { column: self.column, accepts })
    }
}

fn accepting(strategy: i16, value: Datum) -> Accepts {
    match strategy {
        strategy::LESS => Accepts::Between(Bound::Unbounded, Bound::Excluded(value)),
        strategy::LESS_EQUAL => Accepts::Between(Bound::Unbounded, Bound::Included(value)),
        strategy::GREATER_EQUAL => Accepts::Between(Bound::Included(value), Bound::Unbounded),
        strategy::GREATER => Accepts::Between(Bound::Excluded(value), Bound::Unbounded),
        _ => Accepts::OneOf(vec![value]),
    }
}

/// `column < value` and its like, or the other way round.
fn compared<'e>(
    compiler: &Compiler<'_>,
    call: &'e OpExpr,
    scan: &Scan,
    table: &dyn SystemTable,
) -> Option<(usize, With, &'e Expr)> {
    let [left, right] = call.arguments.as_slice() else { return None };
    let (column, value, commuted) = match own_column(left, scan) {
        Some(column) => (column, right, false),
        None => (own_column(right, scan)?, left, true),
    };
    let ty = type_of(table, column)?;
    let strategy = comparison(compiler, call.operator, [ty, value.ty().oid], commuted)?;
    // Texts are compared by their bytes here. What an index is asked for has no collation: it has the index's, which is C.
    let by_bytes = call.collation == oid::INVALID || is_c(call.collation);
    let is_ordered_so = strategy == strategy::EQUAL || !matches!(ty, oid::NAME | oid::TEXT) || by_bytes;
    is_ordered_so.then_some((column, With::Value(strategy), value))
}

/// `column = ANY (array)`.
fn among<'e>(
    compiler: &Compiler<'_>,
    call: &'e ScalarArrayOpExpr,
    scan: &Scan,
    table: &dyn SystemTable,
) -> Option<(usize, With, &'e Expr)> {
    let column = own_column(&call.scalar, scan)?;
    let element = compiler.catalog.element_type(call.array.ty().oid)?;
    let strategy = comparison(compiler, call.operator, [type_of(table, column)?, element], false)?;
    (strategy == strategy::EQUAL).then_some((column, With::Elements, &*call.array))
}

/// The place of a column of the catalog.
fn own_column(expr: &Expr, scan: &Scan) -> Option<usize> {
    match expr {
        Expr::Var(Var { relation, attribute, levels_up: 0, .. }) if *relation == scan.relation => {
            usize::try_from(*attribute).ok()?.checked_sub(1)
        }
        _ => None,
    }
}

fn type_of(table: &dyn SystemTable, column: usize) -> Option<Oid> {
    table.columns().get(column).map(|column| column.atttypid).filter(|&ty| is_compared(ty))
}

/// Which comparison of a column of one type, on the left, with a value of another an operator is in all orders that it is of.
fn comparison(compiler: &Compiler<'_>, operator: Oid, types: [Oid; 2], commuted: bool) -> Option<i16> {
    let orders = compiler.catalog.operator_interpretations(operator);
    let first = orders.first()?.strategy?;
    let same = are_alike(types) && orders.iter().all(|order| order.strategy == Some(first));
    same.then_some(if commuted { strategy::commute(first) } else { first })
}

/// Are values of a column's type and of another equal if they are the same text or number?
pub(super) fn are_alike([column, value]: [Oid; 2]) -> bool {
    const NUMBERS: [Oid; 3] = [oid::INT2, oid::INT4, oid::INT8];
    column == value
        || (column, value) == (oid::NAME, oid::TEXT)
        || NUMBERS.contains(&column) && NUMBERS.contains(&value)
}

/// Is a value known when the scan starts, whichever row is asked for?
fn is_fixed(compiler: &Compiler<'_>, value: &Expr) -> bool {
    let varies = |e: &Expr| match e {
        Expr::Param(param) => param.kind == ParamKind::Exec,
        e => matches!(e, Expr::Var(_) | Expr::SubPlan(_)),
    };
    !value.contains(&mut |e| varies(e)) && !contain_volatile_functions(compiler.catalog, value)
}
