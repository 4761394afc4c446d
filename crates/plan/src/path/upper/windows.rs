//! Window functions (PostgreSQL's `create_window_paths`): a node for each window, those with the same order after each other.

use std::rc::Rc;

use analyze::query::*;

use crate::path::cost::costsize;
use crate::path::cost::costsize::Costs;
use crate::path::pathkeys;
use crate::path::pathkeys::contained_in;
use crate::path::pathnode;
use crate::path::state::*;
use crate::planner_info::PlannerInfo;

/// The windows that functions use, those whose orders begin alike together (`select_active_windows`).
fn active_windows(root: &PlannerInfo) -> Vec<usize> {
    let mut used: Vec<usize> = (0..root.query.windows.len())
        .filter(|window| {
            let is = |e: &Expr| matches!(e, Expr::WindowFunc(call) if call.window.0 as usize == *window);
            root.query.targets.iter().any(|target| target.expr.contains(&mut |e| is(e)))
        })
        .collect();
    // Longest orders first among those that begin alike.
    let keys = |window: &usize| {
        let window = &root.query.windows[*window];
        window
            .partition
            .iter()
            .chain(&window.order)
            .map(|clause| (clause.reference, clause.sort, clause.nulls_first))
            .collect::<Vec<_>>()
    };
    used.sort_by(|a, b| {
        let (a, b) = (keys(a), keys(b));
        let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
        match (a.get(same), b.get(same)) {
            (Some(x), Some(y)) => y.cmp(x).reverse(),
            _ => b.len().cmp(&a.len()),
        }
    });
    used
}

/// The order that a window's rows have to be in.
fn window_keys(root: &mut PlannerInfo, window: usize) -> PathKeys {
    let clauses: Vec<SortGroupClause> = {
        let window = &root.query.windows[window];
        window.partition.iter().chain(&window.order).copied().collect()
    };
    let targets = root.query.targets.clone();
    pathkeys::for_clauses(root, &clauses, &targets).0
}

/// The first window's order: the query may be asked for it.
pub fn first_window_keys(root: &mut PlannerInfo) -> PathKeys {
    if !root.query.has_window_functions || root.query.windows.is_empty() {
        return PathKeys::new();
    }
    match active_windows(root).first() {
        Some(first) => window_keys(root, *first),
        None => PathKeys::new(),
    }
}

/// `create_window_paths`.
pub fn window_paths(root: &mut PlannerInfo, paths: Vec<P>, output: &Rc<PathTarget>) -> Vec<P> {
    let windows = active_windows(root);
    let best = pathnode::cheapest(&paths);
    let first = windows.first().map(|first| window_keys(root, *first)).unwrap_or_default();
    let mut result = Vec::new();
    let consider_startup = root.paths.tuple_fraction > 0.0;
    for path in paths {
        let is_best = best.as_ref().is_some_and(|best| Rc::ptr_eq(best, &path));
        if is_best || contained_in(&first, &path.pathkeys) || pathkeys::common(&first, &path.pathkeys) > 0 {
            let path = one_path(root, path, &windows, output);
            pathnode::add_upper(&mut result, path, consider_startup);
        }
    }
    result
}

fn one_path(root: &mut PlannerInfo, mut path: P, windows: &[usize], output: &Rc<PathTarget>) -> P {
    let mut target = (*path.target).clone();
    for (at, &window) in windows.iter().enumerate() {
        let keys = window_keys(root, window);
        if let Some(sorted) = crate::path::upper::grouping::sorted(root, &path, &keys, true, -1.0) {
            path = sorted;
        }
        let calls = window_calls(root, window);
        let last = at + 1 == windows.len();
        let made = if last {
            output.clone()
        } else {
            calls.iter().for_each(|call| target.push_new(&Expr::WindowFunc(Box::new(call.clone()))));
            costsize::set_target_cost(root, &mut target);
            Rc::new(target.clone())
        };
        let listed: Vec<&WindowFunc> = calls.iter().collect();
        let clause = &root.query.windows[window];
        let keys = clause.partition.len() + clause.order.len();
        // Without a frame's start all peers are read before the first row.
        let startup_rows = if clause.order.is_empty() { path.rows } else { 1.0 };
        let costs = costsize::cost_windowagg(root, &listed, Costs::of(&path), path.rows, keys, startup_rows);
        // What other windows are made of has all rows.
        let conditions = if last {
            root.run_conditions.iter().filter_map(|condition| condition.of_window(root, window)).collect()
        } else {
            Vec::new()
        };
        path = Rc::new(Path {
            node: PathNode::WindowAgg { child: path.clone(), window, conditions },
            rel: NO_REL,
            rows: path.rows,
            param: None,
            disabled: costs.disabled,
            startup: costs.startup + made.cost.startup,
            total: costs.total + made.cost.startup + made.cost.per_tuple * path.rows,
            pathkeys: path.pathkeys.clone(),
            target: made,
        });
    }
    path
}

/// The functions of a window.
fn window_calls(root: &PlannerInfo, window: usize) -> Vec<WindowFunc> {
    let mut found: Vec<WindowFunc> = Vec::new();
    for target in &root.query.targets {
        let mut all = Vec::new();
        crate::path::clauses::pull_vars(&target.expr, &mut all, |e| matches!(e, Expr::WindowFunc(_)));
        for expr in all {
            if let Expr::WindowFunc(call) = expr
                && call.window.0 as usize == window
                && !found.contains(&call)
            {
                found.push(*call);
            }
        }
    }
    found
}
