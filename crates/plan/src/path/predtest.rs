//! Does a condition follow from others (PostgreSQL's `predtest.c`)? Asked for the predicates of partial indexes: those that
//! are implied need not be asked, and the index may be used.

use std::cmp::Ordering;

use analyze::query::*;
use catalog::{Catalog, strategy};
use expression::clauses::function_is_strict;

use super::clauses::{make_opclause, strip_relabel, vars_of};
use crate::path::arrays;
use crate::path::estimate::values;
use crate::planner_info::PlannerInfo;

/// Comparisons with longer arrays are not looked into (`MAX_SAOP_ARRAY_SIZE`).
const MOST_ELEMENTS: usize = 100;

/// Do the clauses, all of which hold, say that all predicates hold (`predicate_implied_by`)?
pub fn implied_by(root: &PlannerInfo, predicates: &[Expr], clauses: &[&Expr]) -> bool {
    predicates.iter().all(|predicate| implied(root, predicate, clauses))
}

fn implied(root: &PlannerInfo, predicate: &Expr, clauses: &[&Expr]) -> bool {
    // Before each arm of one is asked of each arm of the other.
    if clauses.contains(&predicate) {
        return true;
    }
    match predicate {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => {
            arguments.iter().all(|part| implied(root, part, clauses))
        }
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::Or, arguments, .. })
            if arguments.iter().any(|part| implied(root, part, clauses)) =>
        {
            true
        }
        Expr::ScalarArrayOpExpr(op) if arms_implied(root, op, clauses) => true,
        _ => clauses.iter().any(|clause| clause_implies(root, clause, predicate)),
    }
}

fn arms_implied(root: &PlannerInfo, op: &ScalarArrayOpExpr, clauses: &[&Expr]) -> bool {
    let Some(arms) = arms(root, op) else { return false };
    match op.any {
        true => arms.iter().any(|arm| implied(root, arm, clauses)),
        false => arms.iter().all(|arm| implied(root, arm, clauses)),
    }
}

/// What a comparison with an array stands for: comparisons of which one has to hold, or all. There is at least one.
fn arms(root: &PlannerInfo, op: &ScalarArrayOpExpr) -> Option<Vec<Expr>> {
    let elements = arrays::listed(&op.array, MOST_ELEMENTS).filter(|elements| !elements.is_empty())?;
    let arm = |element| {
        let mut arm = make_opclause(root.planner.catalog, op.operator, (*op.scalar).clone(), element);
        if let Expr::OpExpr(arm) = &mut arm {
            arm.collation = op.collation;
        }
        arm
    };
    Some(elements.into_iter().map(arm).collect())
}

fn clause_implies(root: &PlannerInfo, clause: &Expr, predicate: &Expr) -> bool {
    match clause {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::And, arguments, .. }) => {
            let parts: Vec<&Expr> = arguments.iter().collect();
            implied(root, predicate, &parts)
        }
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::Or, arguments, .. }) => {
            arguments.iter().all(|part| implied(root, predicate, &[part]))
        }
        Expr::ScalarArrayOpExpr(op) if clause != predicate && !shares_column(op, predicate) => false,
        Expr::ScalarArrayOpExpr(op) if clause != predicate => match arms(root, op) {
            Some(arms) if op.any => arms.iter().all(|arm| implied(root, predicate, &[arm])),
            Some(arms) => implied(root, predicate, &arms.iter().collect::<Vec<_>>()),
            None => simple_implies(root, clause, predicate),
        },
        _ => simple_implies(root, clause, predicate),
    }
}

/// A comparison of other columns says nothing: its arms, which may be many, need not be looked at.
fn shares_column(op: &ScalarArrayOpExpr, predicate: &Expr) -> bool {
    let (own, others) = (vars_of(&op.scalar), vars_of(predicate));
    own.is_empty() || others.is_empty() || own.iter().any(|var| others.contains(var))
}

/// `predicate_implied_by_simple_clause`.
fn simple_implies(root: &PlannerInfo, clause: &Expr, predicate: &Expr) -> bool {
    if clause == predicate {
        return true;
    }
    let catalog = root.planner.catalog;
    if let Expr::NullTest(test) = predicate
        && !test.is_null
        && !test.row
    {
        return not_null_if(catalog, clause, &test.argument, true);
    }
    // `x` and `x = true`, `NOT x` and `x = false` say the same.
    if let (Some(one), Some(two)) = (boolean(clause), boolean(predicate)) {
        return one == two;
    }
    operator_implies(root, clause, predicate)
}

/// What is true, or false, where the expression is true. NULL is neither, so nothing is taken from inside of a test.
fn boolean(expr: &Expr) -> Option<(&Expr, bool)> {
    let column = |expr: &Expr| matches!(expr, Expr::Var(var) if var.ty.oid == types::oid::BOOL);
    let (inner, value) = match expr {
        Expr::BoolExpr(BoolExpr { operator: BoolOperator::Not, arguments, .. }) => (&arguments[0], false),
        Expr::BooleanTest(test) if test.kind == BooleanTestKind::IsTrue => (&test.argument, true),
        Expr::BooleanTest(test) if test.kind == BooleanTestKind::IsFalse => (&test.argument, false),
        other => (other, true),
    };
    column(inner).then_some((inner, value))
}

/// Cannot the expression be NULL where the clause holds (`clause_is_strict_for`)?
fn not_null_if(catalog: Catalog<'_>, clause: &Expr, expr: &Expr, top: bool) -> bool {
    if strip_relabel(clause) == strip_relabel(expr) {
        return true;
    }
    let any = |list: &[Expr]| list.iter().any(|part| not_null_if(catalog, part, expr, false));
    match clause {
        Expr::OpExpr(op) => function_is_strict(catalog, op.function) && any(&op.arguments),
        Expr::FuncExpr(call) => function_is_strict(catalog, call.function) && any(&call.arguments),
        Expr::ScalarArrayOpExpr(op) => {
            top && op.any && function_is_strict(catalog, op.function) && not_null_if(catalog, &op.scalar, expr, false)
        }
        Expr::RelabelType(e) => not_null_if(catalog, &e.argument, expr, top),
        Expr::CoerceViaIo(e) => not_null_if(catalog, &e.argument, expr, false),
        Expr::NullTest(test) => top && !test.is_null && !test.row && not_null_if(catalog, &test.argument, expr, false),
        Expr::BoolExpr(e) if e.operator == BoolOperator::Not => any(&e.arguments),
        _ => false,
    }
}

/// `x > 5` says `x > 3`: comparisons of one expression with constants (`operator_predicate_proof`).
fn operator_implies(root: &PlannerInfo, clause: &Expr, predicate: &Expr) -> bool {
    let catalog = root.planner.catalog;
    let Some((expr, operator, value)) = comparison(catalog, clause) else { return false };
    let Some((other_expr, other_operator, other_value)) = comparison(catalog, predicate) else { return false };
    if strip_relabel(expr) != strip_relabel(other_expr) {
        return false;
    }
    if operator == other_operator && value == other_value {
        return true;
    }
    let (Some(value), Some(other)) = (as_const(value), as_const(other_value)) else { return false };
    if value.1.is_null() || other.1.is_null() {
        return false;
    }
    let Some(order) = values::compare(value, other) else { return false };
    catalog.operator_interpretations(operator).iter().any(|one| {
        catalog
            .operator_interpretations(other_operator)
            .iter()
            .filter(|two| two.family == one.family)
            .any(|two| strategies_imply(one.strategy, two.strategy, order))
    })
}

/// Only constants: a plan that is kept must not depend on the values of parameters.
fn as_const(expr: &Expr) -> Option<(types::Oid, &types::Datum)> {
    match strip_relabel(expr) {
        Expr::Const(constant) => Some((constant.ty.oid, &constant.value)),
        _ => None,
    }
}

/// `expression operator constant`, turned round if need be.
fn comparison<'e>(catalog: Catalog<'_>, expr: &'e Expr) -> Option<(&'e Expr, types::Oid, &'e Expr)> {
    let Expr::OpExpr(op) = expr else { return None };
    let [left, right] = op.arguments.as_slice() else { return None };
    if as_const(right).is_some() {
        Some((left, op.operator, right))
    } else if as_const(left).is_some() {
        Some((right, catalog.commutator(op.operator)?, left))
    } else {
        None
    }
}

/// `x clause a` says `x predicate b`, where `a` and `b` are ordered so. `None` is `<>`.
fn strategies_imply(clause: Option<i16>, predicate: Option<i16>, order: Ordering) -> bool {
    use strategy::*;
    let (below, same, above) = (order == Ordering::Less, order == Ordering::Equal, order == Ordering::Greater);
    match (clause, predicate) {
        (Some(LESS), Some(LESS)) => !above,
        (Some(LESS), Some(LESS_EQUAL)) => !above,
        (Some(LESS_EQUAL), Some(LESS)) => below,
        (Some(LESS_EQUAL), Some(LESS_EQUAL)) => !above,
        (Some(GREATER), Some(GREATER)) => !below,
        (Some(GREATER), Some(GREATER_EQUAL)) => !below,
        (Some(GREATER_EQUAL), Some(GREATER)) => above,
        (Some(GREATER_EQUAL), Some(GREATER_EQUAL)) => !below,
        (Some(EQUAL), Some(LESS)) => below,
        (Some(EQUAL), Some(LESS_EQUAL)) => !above,
        (Some(EQUAL), Some(EQUAL)) => same,
        (Some(EQUAL), Some(GREATER_EQUAL)) => !below,
        (Some(EQUAL), Some(GREATER)) => above,
        (Some(EQUAL), None) => !same,
        (Some(LESS), None) => !above,
        (Some(LESS_EQUAL), None) => below,
        (Some(GREATER), None) => !below,
        (Some(GREATER_EQUAL), None) => above,
        (None, None) => same,
        _ => false,
    }
}
