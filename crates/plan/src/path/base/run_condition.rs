//! Conditions on a window function's result after which no row of a partition can pass (PostgreSQL's
//! `find_window_run_conditions`): `row_number() OVER (…) <= 10`. The subquery's WindowAgg asks them, and stops.

use analyze::query::*;
use catalog::{Catalog, strategy};
use types::Oid;

use crate::path::clauses;
use crate::path::state::RunCondition;
use crate::planner_info::PlannerInfo;
use crate::prep::windows::{counts_rows, support_function};

/// Where a window function's values go from row to row. They are never NULL: `ntile(NULL)` is, so it is not among them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Monotonic {
    up: bool,
    down: bool,
}

/// What follows from a condition on the subquery. The second: it says all that the condition does.
pub fn from(
    catalog: Catalog<'_>,
    query: &Query,
    clause: &Expr,
    relation: RangeTableIndex,
) -> Option<(RunCondition, bool)> {
    let rows_stay = matches!(query.distinct, Distinct::None) && !query.has_target_sets;
    if !query.has_window_functions || query.set_operations.is_some() || !rows_stay {
        return None;
    }
    let Expr::OpExpr(op) = clause else { return None };
    let [left, right] = &op.arguments[..] else { return None };
    let column = |expr: &Expr| match expr {
        Expr::Var(var) if var.relation == relation && var.levels_up == 0 => (var.attribute as usize).checked_sub(1),
        _ => None,
    };
    let (column, value, operator, value_first) = match (column(left), column(right)) {
        (Some(column), None) => (column, right, op.operator, false),
        (None, Some(column)) => (column, left, catalog.commutator(op.operator)?, true),
        _ => return None,
    };
    let varies = |e: &Expr| matches!(e, Expr::Var(_) | Expr::Aggref(_) | Expr::SubPlan(_));
    if value.contains(&mut |e| varies(e)) || clauses::contains_volatile(catalog, value) {
        return None;
    }
    let target = query.targets.iter().filter(|target| !target.junk).nth(column)?;
    let Expr::WindowFunc(call) = &target.expr else { return None };
    // It is computed once: a subplan in it would stand in two places.
    if crate::manip::has_sublinks(&target.expr) {
        return None;
    }
    let to = monotonic(catalog, call, &query.windows[call.window.0 as usize]);
    let (mut operator, whole) = stopping(catalog, operator, to)?;
    if value_first {
        operator = catalog.commutator(operator)?;
    }
    // Of several windows only the last one stops.
    let whole = whole && query.windows.len() == 1;
    Some((RunCondition { column, operator, value: value.clone(), value_first }, whole))
}

impl RunCondition {
    /// As the window's node asks it, if it is of that window.
    pub fn of_window(&self, root: &PlannerInfo, window: usize) -> Option<Expr> {
        let target = root.query.targets.iter().filter(|target| !target.junk).nth(self.column)?;
        let is_it = matches!(&target.expr, Expr::WindowFunc(call) if call.window.0 as usize == window);
        let mut sides = [target.expr.clone(), self.value.clone()];
        if self.value_first {
            sides.reverse();
        }
        let [left, right] = sides;
        is_it.then(|| clauses::make_opclause(root.planner.catalog, self.operator, left, right))
    }
}

/// Which operator holds up to some row and then no more, if `operator` is to hold. The second: it is the same one.
fn stopping(catalog: Catalog<'_>, operator: Oid, to: Monotonic) -> Option<(Oid, bool)> {
    for meaning in catalog.operator_interpretations(operator) {
        let (left, right) = (meaning.left, meaning.right);
        match meaning.strategy? {
            strategy::LESS | strategy::LESS_EQUAL if to.up => return Some((operator, true)),
            strategy::GREATER | strategy::GREATER_EQUAL if to.down => return Some((operator, true)),
            strategy::EQUAL if to.up && to.down => return Some((operator, true)),
            strategy::EQUAL if to.up || to.down => {
                let until = if to.up { strategy::LESS_EQUAL } else { strategy::GREATER_EQUAL };
                return Some((catalog.opfamily_member(meaning.family, left, right, until)?, false));
            }
            _ => {}
        }
    }
    None
}

/// As its support function says (`SupportRequestWFuncMonotonic`).
fn monotonic(catalog: Catalog<'_>, call: &WindowFunc, window: &WindowClause) -> Monotonic {
    let (up, down) = match support_function(catalog, call.function) {
        "int8inc_support" => counts(window),
        "window_ntile_support" => (false, false),
        support => (counts_rows(support), false),
    };
    Monotonic { up, down }
}

/// How many rows are in a frame.
fn counts(window: &WindowClause) -> (bool, bool) {
    let frame = &window.frame;
    if frame.exclusion != FrameExclusion::NoOthers {
        return (false, false);
    }
    // Without an order all rows are peers of the current one.
    let all_peers = window.order.is_empty() && frame.mode != FrameMode::Rows;
    let from_first = |bound: &FrameBound| match bound {
        FrameBound::UnboundedPreceding => true,
        FrameBound::CurrentRow => all_peers,
        _ => false,
    };
    let to_last = |bound: &FrameBound| match bound {
        FrameBound::UnboundedFollowing => true,
        FrameBound::CurrentRow => all_peers,
        _ => false,
    };
    (from_first(&frame.start), to_last(&frame.end))
}
