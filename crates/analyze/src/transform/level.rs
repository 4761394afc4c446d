//! To which query the columns, aggregates and windows in an expression belong (`rewriteManip.c`, `var.c`).

use std::ops::ControlFlow;

use crate::query::*;

/// Calls `each` for an expression and all in it, subqueries too, with the number of queries that it is further in.
pub(crate) fn visit(expr: &Expr, depth: u32, each: &mut dyn FnMut(&Expr, u32) -> ControlFlow<()>) -> ControlFlow<()> {
    each(expr, depth)?;
    let each = std::cell::RefCell::new(each);
    let stopped = expr.walk(&mut |child| walked(visit(child, depth, &mut **each.borrow_mut())), &mut |query| {
        walked(visit_query(query, depth + 1, &mut **each.borrow_mut()))
    });
    if stopped == Walk::Stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// As [`visit`], for all of a query.
pub(crate) fn visit_query(
    query: &Query,
    depth: u32,
    each: &mut dyn FnMut(&Expr, u32) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let each = std::cell::RefCell::new(each);
    let stopped = walk_query(query, &mut |child| walked(visit(child, depth, &mut **each.borrow_mut())), &mut |inner| {
        walked(visit_query(inner, depth + 1, &mut **each.borrow_mut()))
    });
    if stopped == Walk::Stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

fn walked(flow: ControlFlow<()>) -> Walk {
    if flow.is_break() { Walk::Stop } else { Walk::On }
}

/// Where a column of the query so many further out stands, if there is one (`locate_var_of_level`).
pub(crate) fn column_of_level(expr: &Expr, level: u32) -> Option<Location> {
    let mut found = None;
    let _ = visit(expr, 0, &mut |e, depth| match e {
        Expr::Var(var) if var.levels_up == depth + level => {
            found = Some(var.location);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found
}

/// As [`column_of_level`], of a whole query.
pub(crate) fn column_in_query(query: &Query, level: u32) -> Option<Location> {
    let mut found = None;
    let _ = visit_query(query, 0, &mut |e, depth| match e {
        Expr::Var(var) if var.levels_up == depth + level => {
            found = Some(var.location);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    found
}

/// Where an aggregate of the query itself stands (`locate_agg_of_level`).
pub(crate) fn aggregate_of_level(expr: &Expr, level: u32) -> Option<Location> {
    let mut found = None;
    let _ = visit(expr, 0, &mut |e, depth| {
        let place = match e {
            Expr::Aggref(aggregate) if aggregate.levels_up == depth + level => aggregate.location,
            Expr::GroupingFunc(grouping) if grouping.levels_up == depth + level => grouping.location,
            _ => return ControlFlow::Continue(()),
        };
        found = Some(place);
        ControlFlow::Break(())
    });
    found
}

/// Where a window function stands, outside of subqueries (`locate_windowfunc`).
pub(crate) fn window_function(expr: &Expr) -> Option<Location> {
    let mut found = None;
    expr.contains(&mut |e| match e {
        Expr::WindowFunc(window) => {
            found = Some(window.location);
            true
        }
        _ => false,
    });
    found
}
