//! May computing something fail for some row? What the planner computes for rows that are not asked for must not.

use analyze::query::*;
use catalog::Catalog;
use expression::clauses::contain_mutable_functions;
use types::{Oid, oid};

/// `+`, `-`, `*` and the sign of `numeric`: no value that a table is likely to hold is near their bounds.
const NUMERIC_ARITHMETIC: [Oid; 4] = [1724, 1725, 1726, 1771];

/// A query of tables: may something in it fail, for rows that it would not come to in the end, too?
pub fn query_may_fail(catalog: Catalog<'_>, query: &Query) -> bool {
    let is_plain = |entry: &RangeTableEntry| {
        matches!(entry.kind, RangeTableKind::Relation { sample: None, .. } | RangeTableKind::Join { .. })
    };
    let mut each = |expr: &Expr| stop_if(may_fail(catalog, expr));
    !query.range_table.iter().all(is_plain) || walk_query(query, &mut each, &mut |_| Walk::Stop) == Walk::Stop
}

fn stop_if(found: bool) -> Walk {
    if found { Walk::Stop } else { Walk::On }
}

/// The same for an expression.
pub fn may_fail(catalog: Catalog<'_>, expr: &Expr) -> bool {
    let fails = match expr {
        Expr::Var(_) | Expr::Const(_) | Expr::Param(_) | Expr::CaseTest(_) => false,
        // It is computed while the statement is planned, wherever it stands.
        _ if is_constant(catalog, expr) => return false,
        Expr::RelabelType(_) | Expr::BoolExpr(_) | Expr::NullTest(_) | Expr::BooleanTest(_) => false,
        Expr::Case(_) | Expr::Coalesce(_) => false,
        Expr::OpExpr(op) | Expr::DistinctExpr(op) | Expr::NullIfExpr(op) => {
            let compares = op.arguments.iter().all(|argument| is_simple(catalog, argument.ty().oid));
            function_may_fail(catalog, op.function) && !(compares && is_comparison(catalog, op.operator))
        }
        Expr::ScalarArrayOpExpr(op) => {
            let compares = is_simple(catalog, op.scalar.ty().oid) && is_comparison(catalog, op.operator);
            function_may_fail(catalog, op.function) && !compares
        }
        Expr::FuncExpr(call) => call.returns_set || function_may_fail(catalog, call.function),
        Expr::Aggref(aggregate) => aggregate_may_fail(catalog, aggregate),
        _ => true,
    };
    fails || expr.walk(&mut |child| stop_if(may_fail(catalog, child)), &mut |_| Walk::Stop) == Walk::Stop
}

/// The same value for all rows and all times.
fn is_constant(catalog: Catalog<'_>, expr: &Expr) -> bool {
    let varies = |e: &Expr| {
        matches!(
            e,
            Expr::Var(_) | Expr::Param(_) | Expr::CaseTest(_) | Expr::Aggref(_) | Expr::SubLink(_) | Expr::SubPlan(_)
        )
    };
    !expr.contains(&mut |e| varies(e)) && !contain_mutable_functions(catalog, expr)
}

fn function_may_fail(catalog: Catalog<'_>, function: Oid) -> bool {
    !catalog.function(function).is_some_and(|row| row.proleakproof) && !NUMERIC_ARITHMETIC.contains(&function)
}

/// Is it `=`, `<>`, `<` and the like of an order?
fn is_comparison(catalog: Catalog<'_>, operator: Oid) -> bool {
    !catalog.operator_interpretations(operator).is_empty()
}

/// Values with parts may have some that cannot be compared.
fn is_simple(catalog: Catalog<'_>, ty: Oid) -> bool {
    !catalog.is_array(ty) && !catalog.is_complex(ty) && ty != oid::RECORD
}

/// Sums of numbers are of a type that has room for them, but for those of floats.
fn aggregate_may_fail(catalog: Catalog<'_>, aggregate: &Aggref) -> bool {
    let [argument] = &aggregate.arguments[..] else { return true };
    let ty = catalog.base_type(argument.ty().oid);
    let is_number = matches!(ty, oid::INT2 | oid::INT4 | oid::INT8 | oid::NUMERIC);
    let chooses = |name: &str| matches!(name, "min" | "max" | "bool_and" | "bool_or" | "every");
    let chooses = catalog.function(aggregate.function).is_some_and(|row| chooses(&row.proname));
    !(is_number || chooses && is_simple(catalog, ty))
}
