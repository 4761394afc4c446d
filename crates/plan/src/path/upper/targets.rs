//! What the steps of a query give each other: expressions are computed as late as they can be (PostgreSQL's
//! `make_…_input_target`), sets on levels of their own ([`crate::path::upper::sets`]).

use std::rc::Rc;

use analyze::query::*;

use crate::path::clauses::{contains_volatile, pull_vars};
use crate::path::cost::costsize;
use crate::path::state::*;
use crate::path::upper::sets::{Level, split};
use crate::planner_info::PlannerInfo;

/// What each step gives, from its first node to the nodes above that for functions which return sets.
pub struct Targets {
    /// Scans and joins.
    pub scan: Vec<Level>,
    pub grouping: Vec<Level>,
    /// Windows; what is sorted.
    pub sort: Vec<Level>,
    /// What the query gives.
    pub last: Vec<Level>,
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
        // Most steps give the same.
        let last = Rc::new(of_list(root, &query.targets));
        let sort = if query.sort_clause.is_empty() { last.clone() } else { sort_input(root, &last) };
        let grouping = if windows { Rc::new(window_input(root, &last)) } else { sort.clone() };
        let scan = if groups { Rc::new(group_input(root, &last)) } else { grouping.clone() };
        Targets {
            last: split(root, &last, Some(&sort)),
            sort: split(root, &sort, Some(&grouping)),
            grouping: split(root, &grouping, Some(&scan)),
            scan: split(root, &scan, None),
            groups,
            windows,
        }
    }
}

/// What is sorted: sets, volatile and, with LIMIT, expensive expressions wait until it is (`make_sort_input_target`).
fn sort_input(root: &PlannerInfo, last: &Rc<PathTarget>) -> Rc<PathTarget> {
    let query = &root.query;
    let exprs = || last.exprs.iter().enumerate().map(|(at, expr)| (expr, last.reference(at)));
    let sorts_sets = exprs().any(|(expr, reference)| reference != 0 && expr.returns_set());
    let limited = query.limit.is_some() || root.paths.tuple_fraction > 0.0;
    let expensive_cost = 10.0 * root.planner.settings.cpu_operator_cost;
    let mut postponed = vec![false; last.exprs.len()];
    let (mut any_other, mut any_expensive) = (false, false);
    for (at, (expr, reference)) in exprs().enumerate() {
        if reference != 0 {
            continue;
        }
        if expr.returns_set() {
            postponed[at] = !sorts_sets;
            any_other |= postponed[at];
        } else if contains_volatile(root.planner.catalog, expr) {
            postponed[at] = true;
            any_other = true;
        } else if costsize::qual_cost(root, [expr]).per_tuple > expensive_cost {
            postponed[at] = true;
            any_expensive = true;
        }
    }
    let postpones = any_other || (any_expensive && limited);
    if !postpones {
        return last.clone();
    }
    let mut made = PathTarget::default();
    let mut rest = Vec::new();
    for (at, (expr, reference)) in exprs().enumerate() {
        if postponed[at] {
            pull_vars(expr, &mut rest, upper);
        } else {
            made.push(expr.clone(), reference);
        }
    }
    rest.iter().for_each(|expr| made.push_new(expr));
    costsize::set_target_cost(root, &mut made);
    Rc::new(made)
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
