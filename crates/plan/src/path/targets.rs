//! What the steps of a query give each other: expressions are computed as late as they can be, sets on levels of their own
//! (PostgreSQL's `make_…_input_target`, `split_pathtarget_at_srfs`).

use std::rc::Rc;

use analyze::query::*;

use super::clauses::{contains_volatile, pull_vars};
use super::costsize;
use super::pathnode;
use super::state::*;
use crate::planner::PlannerInfo;

/// The targets of scans and joins, of grouping, and of what is sorted.
pub struct Targets {
    pub scan: Rc<PathTarget>,
    pub grouping: Rc<PathTarget>,
    /// What windows give: as `sort`, before functions return sets.
    pub window: Rc<PathTarget>,
    pub sort: Rc<PathTarget>,
    pub groups: bool,
    pub windows: bool,
}

/// `create_pathtarget`.
pub fn of_list(root: &PlannerInfo, targets: &[TargetEntry]) -> PathTarget {
    let mut made = PathTarget::default();
    for target in targets {
        made.push(target.expr.clone(), target.reference);
    }
    costsize::set_target_cost(root, &mut made);
    made
}

fn upper(e: &Expr) -> bool {
    matches!(e, Expr::Aggref(_) | Expr::WindowFunc(_) | Expr::GroupingFunc(_))
}

fn aggregate(e: &Expr) -> bool {
    matches!(e, Expr::Aggref(_) | Expr::GroupingFunc(_))
}

impl Targets {
    pub fn new(root: &PlannerInfo) -> Targets {
        let query = &root.query;
        let groups = !query.group_clause.is_empty()
            || !root.grouping_sets.is_empty()
            || query.has_aggregates
            || query.having.is_some()
            || root.has_having;
        let windows = query.has_window_functions && !query.windows.is_empty();
        let last = of_list(root, &query.targets);
        let sort = if query.sort_clause.is_empty() { last.clone() } else { sort_input(root, &last) };
        let window = without_sets(root, &sort);
        let grouping = if windows { window_input(root, &last) } else { sort.clone() };
        let grouping = if groups { without_sets(root, &grouping) } else { grouping };
        let scan = if groups { group_input(root, &last) } else { grouping.clone() };
        Targets {
            scan: Rc::new(scan),
            grouping: Rc::new(grouping),
            sort: Rc::new(sort),
            window: Rc::new(window),
            groups,
            windows,
        }
    }
}

/// What is sorted: sets, volatile and, with LIMIT, expensive expressions wait until it is (`make_sort_input_target`).
fn sort_input(root: &PlannerInfo, last: &PathTarget) -> PathTarget {
    let query = &root.query;
    let sorted =
        |reference: u32| reference != 0 && query.sort_clause.iter().any(|clause| clause.reference == reference);
    let sorts_sets = last.exprs.iter().enumerate().any(|(at, expr)| sorted(last.reference(at)) && expr.returns_set());
    let distinct = !matches!(query.distinct, Distinct::None);
    let limited = query.limit.is_some() || query.offset.is_some() || root.paths.tuple_fraction > 0.0;
    let expensive_cost = 10.0 * root.planner.settings.cpu_operator_cost;
    let mut postponed = vec![false; last.exprs.len()];
    let (mut any_other, mut any_expensive) = (false, false);
    for (at, expr) in last.exprs.iter().enumerate() {
        if last.reference(at) != 0 && (sorted(last.reference(at)) || distinct || grouped(query, last.reference(at))) {
            continue;
        }
        if expr.returns_set() {
            postponed[at] = !sorts_sets;
            any_other |= postponed[at];
        } else if contains_volatile(root.planner.catalog, expr) {
            postponed[at] = true;
            any_other = true;
        } else {
            let cost = costsize::qual_cost(root, [expr]);
            if cost.per_tuple > expensive_cost {
                postponed[at] = true;
                any_expensive = true;
            }
        }
    }
    let postpones = any_other || (any_expensive && limited);
    if distinct || !postpones {
        return last.clone();
    }
    let mut made = PathTarget::default();
    let mut rest = Vec::new();
    for (at, expr) in last.exprs.iter().enumerate() {
        if postponed[at] {
            pull_vars(expr, &mut rest, upper);
        } else {
            made.push(expr.clone(), last.reference(at));
        }
    }
    rest.iter().for_each(|expr| made.push_new(expr));
    costsize::set_target_cost(root, &mut made);
    made
}

/// What expressions with sets are made of in their places: groups and windows do not give sets.
fn without_sets(root: &PlannerInfo, target: &PathTarget) -> PathTarget {
    if !target.exprs.iter().any(Expr::returns_set) {
        return target.clone();
    }
    let mut made = PathTarget::default();
    let mut rest = Vec::new();
    for (at, expr) in target.exprs.iter().enumerate() {
        if expr.returns_set() {
            pull_vars(expr, &mut rest, upper);
        } else {
            made.push(expr.clone(), target.reference(at));
        }
    }
    rest.iter().for_each(|expr| made.push_new(expr));
    costsize::set_target_cost(root, &mut made);
    made
}

fn grouped(query: &Query, reference: u32) -> bool {
    query.group_clause.iter().any(|clause| clause.reference == reference)
}

/// What windows look at: their keys, and what functions are made of (`make_window_input_target`).
fn window_input(root: &PlannerInfo, last: &PathTarget) -> PathTarget {
    let query = &root.query;
    let keys = |reference: u32| {
        reference != 0
            && (grouped(query, reference)
                || query.windows.iter().any(|window| {
                    window.partition.iter().chain(&window.order).any(|clause| clause.reference == reference)
                }))
    };
    let mut made = PathTarget::default();
    let mut rest = Vec::new();
    for (at, expr) in last.exprs.iter().enumerate() {
        if keys(last.reference(at)) {
            made.push(expr.clone(), last.reference(at));
        } else {
            pull_vars(expr, &mut rest, aggregate);
        }
    }
    rest.iter().for_each(|expr| made.push_new(expr));
    costsize::set_target_cost(root, &mut made);
    made
}

/// What is grouped: the keys, and the columns that aggregates and the rest are made of (`make_group_input_target`).
fn group_input(root: &PlannerInfo, last: &PathTarget) -> PathTarget {
    let mut made = PathTarget::default();
    let mut rest = Vec::new();
    for (at, expr) in last.exprs.iter().enumerate() {
        if last.reference(at) != 0 && grouped(&root.query, last.reference(at)) {
            made.push(expr.clone(), last.reference(at));
        } else {
            pull_vars(expr, &mut rest, |_| false);
        }
    }
    if let Some(having) = &root.query.having {
        pull_vars(having, &mut rest, |_| false);
    }
    rest.iter().for_each(|expr| made.push_new(expr));
    costsize::set_target_cost(root, &mut made);
    made
}

fn is_set(expr: &Expr) -> bool {
    matches!(expr, Expr::FuncExpr(call) if call.returns_set)
}

/// How many functions that return sets are within each other.
fn set_depth(expr: &Expr) -> usize {
    let mut deepest = 0;
    expr.walk(
        &mut |child| {
            deepest = deepest.max(set_depth(child));
            Walk::On
        },
        &mut |_| Walk::On,
    );
    deepest + usize::from(is_set(expr))
}

/// Does the path give the expression, or all that it is made of without sets?
fn is_there(path: &PathTarget, expr: &Expr) -> bool {
    path.exprs.contains(expr)
}

/// The path with a target, in which functions may return sets.
pub fn project_with_sets(root: &PlannerInfo, path: &P, target: &Rc<PathTarget>) -> P {
    if !root.query.has_target_sets || !target.exprs.iter().any(Expr::returns_set) || path.target.exprs == target.exprs {
        return pathnode::project(root, path, target);
    }
    let pending = |expr: &Expr| !is_there(&path.target, expr) && expr.returns_set();
    let depth = target.exprs.iter().filter(|expr| pending(expr)).map(set_depth).max().unwrap_or(0);
    if depth == 0 {
        return pathnode::project(root, path, target);
    }
    let mut path = path.clone();
    for level in 1..=depth {
        let whole =
            level == depth && target.exprs.iter().all(|expr| is_set(expr) || !pending_below(&path.target, expr));
        let made = if whole { (**target).clone() } else { level_target(root, &path.target, target, level) };
        // What sets are made of is computed below.
        let input = set_input(root, &path.target, &made);
        let below = pathnode::project(root, &path, &Rc::new(input));
        path = pathnode::project_set(root, &below, &Rc::new(made));
    }
    pathnode::project(root, &path, target)
}

fn pending_below(path: &PathTarget, expr: &Expr) -> bool {
    !is_there(path, expr) && expr.returns_set()
}

/// The sets of a level, what is done already, and what later levels are made of.
fn level_target(root: &PlannerInfo, below: &PathTarget, target: &PathTarget, level: usize) -> PathTarget {
    fn gather(expr: &Expr, below: &PathTarget, level: usize, made: &mut Vec<Expr>) {
        if is_there(below, expr)
            || matches!(expr, Expr::Var(_))
            || upper(expr)
            || (is_set(expr) && set_depth(expr) <= level)
        {
            if !made.contains(expr) {
                made.push(expr.clone());
            }
            return;
        }
        expr.walk(
            &mut |child| {
                gather(child, below, level, made);
                Walk::On
            },
            &mut |_| Walk::On,
        );
    }
    let mut made = PathTarget::default();
    let mut rest = Vec::new();
    for (at, expr) in target.exprs.iter().enumerate() {
        if is_there(below, expr) || !expr.returns_set() || (is_set(expr) && set_depth(expr) <= level) {
            made.push(expr.clone(), target.reference(at));
        } else {
            gather(expr, below, level, &mut rest);
        }
    }
    rest.iter().for_each(|expr| made.push_new(expr));
    costsize::set_target_cost(root, &mut made);
    made
}

/// What a level's sets are made of, as the node below gives it.
fn set_input(root: &PlannerInfo, below: &PathTarget, made: &PathTarget) -> PathTarget {
    let mut input = PathTarget::default();
    for (at, expr) in made.exprs.iter().enumerate() {
        if !is_set(expr) || is_there(below, expr) {
            input.push(expr.clone(), made.reference(at));
        }
    }
    let mut rest = Vec::new();
    for expr in made.exprs.iter().filter(|expr| is_set(expr) && !is_there(below, expr)) {
        expr.walk(
            &mut |argument| {
                if is_there(below, argument) {
                    rest.push(argument.clone());
                } else {
                    let mut vars = Vec::new();
                    pull_vars(argument, &mut vars, upper);
                    pull_sets(argument, below, &mut vars);
                    rest.extend(vars);
                }
                Walk::On
            },
            &mut |_| Walk::On,
        );
    }
    rest.iter().for_each(|expr| input.push_new(expr));
    costsize::set_target_cost(root, &mut input);
    input
}

/// Sets that the node below has computed.
fn pull_sets(expr: &Expr, below: &PathTarget, found: &mut Vec<Expr>) {
    if is_set(expr) && is_there(below, expr) {
        found.push(expr.clone());
        return;
    }
    expr.walk(
        &mut |child| {
            pull_sets(child, below, found);
            Walk::On
        },
        &mut |_| Walk::On,
    );
}
