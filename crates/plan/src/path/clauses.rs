//! Questions about expressions (PostgreSQL's `clauses.c`).

use analyze::query::*;
use catalog::Catalog;
use expression::clauses::function_is_strict;
use types::Oid;

use super::relset::{Rels, rels_of};
use crate::manip;

/// The function that an expression calls itself, not its arguments.
fn called(catalog: Catalog<'_>, expr: &Expr) -> Option<Oid> {
    match expr {
        Expr::FuncExpr(call) => Some(call.function),
        Expr::OpExpr(op) | Expr::DistinctExpr(op) | Expr::NullIfExpr(op) => Some(op.function),
        Expr::ScalarArrayOpExpr(op) => Some(op.function),
        Expr::Aggref(aggregate) => Some(aggregate.function),
        Expr::WindowFunc(call) => Some(call.function),
        Expr::RowCompare(compare) => {
            compare.operators.first().and_then(|operator| catalog.operator(*operator)).map(|row| row.oprcode)
        }
        _ => None,
    }
}

/// May each evaluation give another value?
pub fn contains_volatile(catalog: Catalog<'_>, expr: &Expr) -> bool {
    expr.contains(&mut |e| match e {
        Expr::NextValue { .. } => true,
        _ => called(catalog, e).and_then(|function| catalog.function(function)).is_some_and(|f| f.provolatile == b'v'),
    })
}

/// The relations whose columns cannot all be NULL where the condition holds (`find_nonnullable_rels`).
pub fn nonnullable_rels(catalog: Catalog<'_>, expr: &Expr) -> Rels {
    nonnullable(catalog, expr, true)
}

fn nonnullable(catalog: Catalog<'_>, expr: &Expr, top: bool) -> Rels {
    let any = |list: &[Expr]| list.iter().fold(Rels::EMPTY, |all, e| all | nonnullable(catalog, e, false));
    match expr {
        Expr::Var(var) if var.levels_up == 0 => Rels::of(var.relation),
        Expr::FuncExpr(call) if function_is_strict(catalog, call.function) => any(&call.arguments),
        Expr::OpExpr(op) if function_is_strict(catalog, op.function) => any(&op.arguments),
        Expr::ScalarArrayOpExpr(op) if op.any && top && function_is_strict(catalog, op.function) => {
            nonnullable(catalog, &op.scalar, false) | nonnullable(catalog, &op.array, false)
        }
        Expr::BoolExpr(e) => match e.operator {
            BoolOperator::And if top => {
                e.arguments.iter().fold(Rels::EMPTY, |all, part| all | nonnullable(catalog, part, true))
            }
            BoolOperator::Not => nonnullable(catalog, &e.arguments[0], false),
            _ => {
                let mut parts = e.arguments.iter().map(|part| nonnullable(catalog, part, top));
                let first = parts.next().unwrap_or_default();
                parts.fold(first, |all, part| all & part)
            }
        },
        Expr::RelabelType(e) => nonnullable(catalog, &e.argument, top),
        Expr::CoerceViaIo(e) => nonnullable(catalog, &e.argument, top),
        Expr::ArrayCoerce(e) => nonnullable(catalog, &e.argument, top),
        Expr::NullTest(e) if top && !e.is_null && !e.row => nonnullable(catalog, &e.argument, false),
        Expr::BooleanTest(e)
            if top
                && matches!(
                    e.kind,
                    BooleanTestKind::IsTrue | BooleanTestKind::IsFalse | BooleanTestKind::IsNotUnknown
                ) =>
        {
            nonnullable(catalog, &e.argument, false)
        }
        _ => Rels::EMPTY,
    }
}

/// Has it no columns, and the same value for all rows (`is_pseudo_constant_clause`)?
pub fn is_pseudo_constant(catalog: Catalog<'_>, expr: &Expr) -> bool {
    rels_of(expr).is_empty() && !contains_volatile(catalog, expr)
}

/// Has it no columns, parameters or anything else that is to be computed again?
pub fn is_const(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(_))
}

/// A condition that never holds.
pub fn is_false(expr: &Expr) -> bool {
    matches!(expr, Expr::Const(constant) if matches!(constant.value, types::Datum::Bool(false) | types::Datum::Null))
}

/// All columns, aggregates and window functions at the bottom of an expression (`pull_var_clause` with PVC_INCLUDE flags).
pub fn pull_vars(expr: &Expr, found: &mut Vec<Expr>, whole: fn(&Expr) -> bool) {
    if matches!(expr, Expr::Var(var) if var.levels_up == 0) || whole(expr) {
        if !found.contains(expr) {
            found.push(expr.clone());
        }
        return;
    }
    expr.walk(
        &mut |child| {
            pull_vars(child, found, whole);
            Walk::On
        },
        &mut |_| Walk::On,
    );
}

/// The columns of this query in an expression.
pub fn vars_of(expr: &Expr) -> Vec<Var> {
    let mut found = Vec::new();
    pull_vars(expr, &mut found, |_| false);
    found.into_iter().filter_map(|e| if let Expr::Var(var) = e { Some(var) } else { None }).collect()
}

/// An equality whose collation could not be told, where a hash table would serve: it fails as the hash function does.
pub fn fail_in_hashing(catalog: Catalog<'_>, clause: &mut Expr) {
    if let Expr::OpExpr(op) = clause
        && let [left, _] = op.arguments.as_slice()
        && catalog.is_hashjoinable(op.operator, left.ty().oid)
        && let Some(hash) = catalog.comparison(left.ty().oid).hash
    {
        op.function = hash;
    }
}

/// Without conversions that change the type's name alone.
pub fn strip_relabel(mut expr: &Expr) -> &Expr {
    while let Expr::RelabelType(relabel) = expr {
        expr = &relabel.argument;
    }
    expr
}

/// `operator(left, right)`, which gives a boolean.
pub fn make_opclause(catalog: Catalog<'_>, operator: Oid, left: Expr, right: Expr) -> Expr {
    let row = catalog.operator(operator);
    Expr::OpExpr(OpExpr {
        operator,
        function: row.map_or(0, |row| row.oprcode),
        result: row.map_or(types::oid::BOOL, |row| row.oprresult),
        collation: types::oid::INVALID,
        arguments: vec![left, right],
        location: Location::NONE,
    })
}

/// A comparison with its sides exchanged (`CommuteOpExpr`).
pub fn commuted(catalog: Catalog<'_>, op: &OpExpr) -> Option<Expr> {
    let operator = catalog.commutator(op.operator)?;
    Some(make_opclause(catalog, operator, op.arguments[1].clone(), op.arguments[0].clone()))
}

/// AND of several; true for none.
pub fn and_of(list: Vec<Expr>) -> Expr {
    manip::make_and(list).unwrap_or_else(|| manip::make_bool_const(true))
}
