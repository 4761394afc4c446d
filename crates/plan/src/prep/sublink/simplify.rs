//! What is common to sublinks that become joins and those that become plans.

use analyze::query::*;
use expression::clauses::contain_subplans;
use types::{Datum, Result};

use crate::manip::*;
use crate::planner_info::Planner;

/// The test of a sublink over these values of the subquery's columns (`convert_testexpr`). A sublink in its left side has
/// parameters of its own.
pub fn convert_test(mut test: Expr, columns: &[Expr]) -> Expr {
    fn convert(expr: &mut Expr, columns: &[Expr]) {
        match expr {
            Expr::Param(Param { kind: ParamKind::SubLink, number, .. }) => {
                if let Some(column) = columns.get(*number as usize - 1) {
                    *expr = column.clone();
                }
            }
            Expr::SubLink(_) => {}
            _ => expr.mutate(&mut |child| convert(child, columns), &mut |_| {}),
        }
    }
    convert(&mut test, columns);
    test
}

/// Takes from a query of which is only asked whether it has rows what does not matter for that (`simplify_EXISTS_query`).
/// False: it cannot be simplified.
pub fn simplify_exists(planner: &Planner, query: &mut Query) -> Result<bool> {
    let returns_set = || query.targets.iter().any(|target| target.expr.returns_set());
    if query.command != CommandType::Select
        || query.set_operations.is_some()
        || query.has_aggregates
        || !query.grouping_sets.is_empty()
        || query.has_window_functions
        || query.has_modifying_cte
        || query.having.is_some()
        || query.offset.is_some()
        || !query.row_marks.is_empty()
        || returns_set()
    {
        return Ok(false);
    }
    if let Some(limit) = &mut query.limit {
        planner.fold(limit)?;
    }
    match query.limit.as_ref().map(positive_limit) {
        None | Some(true) => query.limit = None,
        Some(false) => return Ok(false),
    }
    query.targets.clear();
    query.group_clause.clear();
    query.windows.clear();
    query.distinct = Distinct::None;
    query.sort_clause.clear();
    query.with_ties = false;
    Ok(true)
}

/// A constant above 0, or NULL.
fn positive_limit(limit: &Expr) -> bool {
    match limit {
        Expr::Const(limit) => match limit.value {
            Datum::Null => true,
            Datum::I64(rows) => rows > 0,
            _ => false,
        },
        _ => false,
    }
}

/// Operator and function of `outer = inner`, and its sides: a value of the query around, and one of the query's own.
pub fn equality_with_outer<'e>(
    planner: &Planner,
    part: &'e Expr,
) -> Option<(types::Oid, types::Oid, &'e Expr, &'e Expr)> {
    let Expr::OpExpr(op) = part else {
        return None;
    };
    let [left, right] = &op.arguments[..] else {
        return None;
    };
    if part.is_indeterminate() {
        return None;
    }
    let catalog = planner.catalog;
    let hashable = |operator, side: &Expr| {
        let row = catalog.operator(operator)?;
        let strict = catalog.function(row.oprcode).is_some_and(|row| row.proisstrict);
        (strict && catalog.is_hashjoinable(operator, side.ty().oid)).then_some(row.oprcode)
    };
    let outer_only = |side: &Expr| has_level(side, 1) && !has_level(side, 0) && !contain_subplans(side);
    let (operator, outer, inner) = if outer_only(left) && !has_level(right, 1) {
        (op.operator, left, right)
    } else if outer_only(right) && !has_level(left, 1) {
        (catalog.commutator(op.operator)?, right, left)
    } else {
        return None;
    };
    Some((operator, hashable(operator, outer)?, outer, inner))
}
