//! What comes above the joins: grouping, windows, DISTINCT, ORDER BY, LIMIT, locks and changes (PostgreSQL's
//! `grouping_planner`).

use std::rc::Rc;

use analyze::query::*;
use error::sqlstate;
use types::{Datum, Result};

use crate::manip;
use crate::path::base::allpaths;
use crate::path::cost::costsize;
use crate::path::cost::costsize::{AggCosts, AggInput, Costs};
use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::estimate::values;
use crate::path::pathkeys;
use crate::path::pathkeys::contained_in;
use crate::path::pathnode;
use crate::path::pathnode::{add_upper, cheapest};
use crate::path::state::*;
use crate::path::upper::aggregates;
use crate::path::upper::sets;
use crate::path::upper::sets::Level;
use crate::path::upper::targets;
use crate::path::upper::{setops, windows};
use crate::plan::AggStrategy;
use crate::planner_info::{PlannerGlobal, PlannerInfo};
use crate::prep;

/// Makes the paths of a prepared query.
pub fn grouping_planner<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    tuple_fraction: f64,
) -> Result<()> {
    prep::grouping::remove_useless_columns(root);
    prep::target_list::preprocess_target_list(root)?;
    let limits = preprocess_limit(root, tuple_fraction);
    root.paths.tuple_fraction = limits.tuple_fraction;
    root.paths.limit_tuples = limits.limit_tuples;
    let paths = if root.query.set_operations.is_some() {
        root.paths.limit_tuples = if root.query.sort_clause.is_empty() { limits.limit_tuples } else { -1.0 };
        let paths = setops::plan_set_operations(global, root)?;
        let clauses = root.query.sort_clause.clone();
        let targets = root.query.targets.clone();
        root.paths.sort_keys = pathkeys::for_clauses(root, &clauses, &targets).0;
        root.paths.limit_tuples = limits.limit_tuples;
        let target = Rc::new(targets::of_list(root, &root.query.targets));
        ordered_paths(root, paths).iter().map(|path| pathnode::project(root, path, &target)).collect()
    } else {
        select_paths(global, root)?
    };
    root.paths.result = final_paths(root, paths, &limits);
    Ok(())
}

/// Paths of a query that is no set operation, up to ORDER BY.
fn select_paths<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>) -> Result<Vec<P>> {
    let rel = allpaths::query_planner(global, root, &|root| query_keys(root))?;
    let steps = targets::Targets::new(root);
    let mut paths: Vec<P> = Vec::new();
    let known = &root.paths.rels[rel];
    let scans: Vec<P> = known.paths.iter().filter(|path| path.param.is_none()).cloned().collect();
    let consider_startup = root.paths.tuple_fraction > 0.0;
    let on = |root: &PlannerInfo, paths: &[P], levels: &[Level]| -> Vec<P> {
        paths.iter().map(|path| sets::project(root, path, levels)).collect()
    };
    for path in on(root, &scans, &steps.scan) {
        add_upper(&mut paths, path, consider_startup);
    }
    if steps.groups
        && let [first, above @ ..] = &steps.grouping[..]
    {
        paths = grouping_paths(root, paths, &first.target)?;
        paths = on(root, &paths, above);
    }
    if steps.windows
        && let [first, above @ ..] = &steps.sort[..]
    {
        paths = windows::window_paths(root, paths, &first.target);
        paths = on(root, &paths, above);
    }
    if !matches!(root.query.distinct, Distinct::None) {
        paths = distinct_paths(root, paths);
    }
    paths = ordered_paths(root, paths);
    Ok(on(root, &paths, &steps.last))
}

/// The orders that are asked for (`standard_qp_callback`).
fn query_keys(root: &mut PlannerInfo) {
    let targets = root.query.targets.clone();
    let group = root.query.group_clause.clone();
    root.paths.group_keys = PathKeys::new();
    if root.grouping_sets.is_empty() {
        let (keys, all) = pathkeys::for_clauses(root, &group, &targets);
        if all {
            root.paths.group_keys = keys;
        }
    }
    root.paths.presort = aggregates::find_order(root);
    // It has marked aggregates.
    let targets = root.query.targets.clone();
    root.paths.window_keys = windows::first_window_keys(root);
    let distinct = match &root.query.distinct {
        Distinct::All(clauses) | Distinct::On(clauses) => clauses.clone(),
        Distinct::None => Vec::new(),
    };
    let (keys, all) = pathkeys::for_clauses(root, &distinct, &targets);
    root.paths.distinct_keys = if all { keys } else { PathKeys::new() };
    let sort = root.query.sort_clause.clone();
    root.paths.sort_keys = pathkeys::for_clauses(root, &sort, &targets).0;
    let paths = &mut root.paths;
    paths.query_keys = if !paths.presort.keys.is_empty() {
        paths.presort.keys.clone()
    } else if !paths.window_keys.is_empty() {
        paths.window_keys.clone()
    } else if paths.distinct_keys.len() > paths.sort_keys.len() {
        paths.distinct_keys.clone()
    } else {
        paths.sort_keys.clone()
    };
}

/// What LIMIT and OFFSET let through; below 0: not known, 0: there is none.
struct Limits {
    tuple_fraction: f64,
    limit_tuples: f64,
    offset: f64,
    count: f64,
}

/// `preprocess_limit`.
fn preprocess_limit(root: &PlannerInfo, mut tuple_fraction: f64) -> Limits {
    let number = |expr: &Option<Expr>| match expr {
        None => 0.0,
        Some(expr) => match values::known_value(root, expr) {
            Some((_, value)) if value.is_null() => 0.0,
            Some((ty, value)) => values::scalar(ty, &value).map_or(-1.0, |number| number.max(0.0)),
            None => -1.0,
        },
    };
    let mut count = number(&root.query.limit);
    if root.query.limit.is_some() && count == 0.0 && known_not_null(root, &root.query.limit) {
        count = 1.0;
    }
    let offset = number(&root.query.offset);
    let limit_tuples = if count > 0.0 && offset >= 0.0 { count + offset } else { -1.0 };
    if count != 0.0 {
        let limit_fraction = if count < 0.0 || offset < 0.0 { 0.10 } else { count + offset };
        if tuple_fraction >= 1.0 {
            if limit_fraction >= 1.0 {
                tuple_fraction = tuple_fraction.min(limit_fraction);
            }
        } else if tuple_fraction > 0.0 {
            tuple_fraction = if limit_fraction >= 1.0 { limit_fraction } else { tuple_fraction.min(limit_fraction) };
        } else {
            tuple_fraction = limit_fraction;
        }
    } else if offset != 0.0 && tuple_fraction > 0.0 {
        let more = if offset < 0.0 { 0.10 } else { offset };
        if tuple_fraction >= 1.0 {
            tuple_fraction = if more >= 1.0 { tuple_fraction + more } else { more };
        } else {
            tuple_fraction = if more >= 1.0 { more } else { (tuple_fraction + more).min(0.999) };
        }
    }
    Limits { tuple_fraction, limit_tuples, offset, count }
}

fn known_not_null(root: &PlannerInfo, expr: &Option<Expr>) -> bool {
    expr.as_ref().and_then(|expr| values::known_value(root, expr)).is_some_and(|(_, value)| !value.is_null())
}

/// Sorted by ORDER BY (`create_ordered_paths`).
pub fn ordered_paths(root: &mut PlannerInfo, paths: Vec<P>) -> Vec<P> {
    let keys = root.paths.sort_keys.clone();
    if keys.is_empty() {
        return paths;
    }
    let limit = root.paths.limit_tuples;
    let consider_startup = root.paths.tuple_fraction > 0.0;
    let best = cheapest(&paths);
    let mut ordered = Vec::new();
    for path in &paths {
        let is_best = best.as_ref().is_some_and(|best| Rc::ptr_eq(best, path));
        if let Some(path) = sorted(root, path, &keys, is_best, limit) {
            add_upper(&mut ordered, path, consider_startup);
        }
    }
    ordered
}

/// The path in an order. `None`: it would have to be sorted, and is not the cheapest.
pub fn sorted(root: &PlannerInfo, path: &P, keys: &PathKeys, is_best: bool, limit: f64) -> Option<P> {
    if contained_in(keys, &path.pathkeys) {
        return Some(path.clone());
    }
    let presorted = pathkeys::common(keys, &path.pathkeys);
    let incremental = presorted > 0 && root.planner.settings.enable_incremental_sort;
    if !is_best && !incremental {
        return None;
    }
    Some(if incremental {
        pathnode::incremental_sort(root, path, keys.clone(), presorted, limit)
    } else {
        pathnode::sort(root, path, keys.clone(), limit)
    })
}

/// Locks, LIMIT, changes.
fn final_paths(root: &mut PlannerInfo, paths: Vec<P>, limits: &Limits) -> Vec<P> {
    let mut result = Vec::new();
    let consider_startup = root.paths.tuple_fraction > 0.0;
    for mut path in paths {
        if !root.query.row_marks.is_empty() {
            let more = root.planner.settings.cpu_tuple_cost * path.rows;
            path = pathnode::simple(&path, PathNode::LockRows(path.clone()), more);
        }
        if limit_needed(root) {
            path = pathnode::limit(
                root,
                &path,
                root.query.offset.clone(),
                root.query.limit.clone(),
                limits.offset,
                limits.count,
            );
        }
        if root.query.command != CommandType::Select {
            let returning = !root.query.returning.is_empty();
            let child = path.clone();
            path = Rc::new(Path {
                node: PathNode::ModifyTable(child.clone()),
                rel: child.rel,
                target: child.target.clone(),
                param: None,
                rows: if returning { child.rows } else { 0.0 },
                disabled: child.disabled,
                startup: child.startup,
                total: child.total,
                pathkeys: PathKeys::new(),
            });
        }
        add_upper(&mut result, path, consider_startup);
    }
    result
}

/// Are LIMIT and OFFSET there, and something else than ALL and 0 (`limit_needed`)?
fn limit_needed(root: &PlannerInfo) -> bool {
    let limits = |expr: &Option<Expr>, none: fn(&Datum) -> bool| match expr {
        Some(Expr::Const(constant)) => !none(&constant.value),
        Some(_) => true,
        None => false,
    };
    limits(&root.query.limit, Datum::is_null)
        || limits(&root.query.offset, |value| matches!(value, Datum::Null | Datum::I64(0)))
}

/// The expressions that clauses name.
pub fn clause_exprs(root: &PlannerInfo, clauses: &[SortGroupClause]) -> Vec<Expr> {
    clauses
        .iter()
        .filter_map(|clause| root.query.target_of(clause.reference))
        .map(|target| target.expr.clone())
        .collect()
}

/// How many groups there are (`get_number_of_groups`).
fn number_of_groups(root: &PlannerInfo, rows: f64) -> f64 {
    let clauses = &root.query.group_clause;
    if root.grouping_sets.is_empty() {
        if clauses.is_empty() {
            return 1.0;
        }
        return selfuncs::estimate_num_groups(root, &clause_exprs(root, clauses), rows);
    }
    let set = |set: &Vec<u32>| {
        let clauses: Vec<SortGroupClause> =
            clauses.iter().filter(|clause| set.contains(&clause.reference)).copied().collect();
        if clauses.is_empty() { 1.0 } else { selfuncs::estimate_num_groups(root, &clause_exprs(root, &clauses), rows) }
    };
    root.grouping_sets.iter().map(set).sum()
}

/// GROUP BY and aggregates (`create_grouping_paths`).
fn grouping_paths(root: &mut PlannerInfo, paths: Vec<P>, target: &Rc<PathTarget>) -> Result<Vec<P>> {
    let having: Vec<Expr> = root.query.having.iter().flat_map(|having| manip::and_slice(having).to_vec()).collect();
    let clauses = root.query.group_clause.clone();
    if clauses.is_empty() && !root.query.has_aggregates && root.grouping_sets.is_empty() {
        return Ok(vec![degenerate(root, target, having)]);
    }
    let Some(best) = cheapest(&paths) else { return Ok(paths) };
    let sets = positions_of_sets(root, &clauses);
    let costs = [false, true].map(|presorted| aggregates::costs(root, best.rows, presorted));
    let (groups, having) = (number_of_groups(root, best.rows), &having[..]);
    let mut result: Vec<P> = Vec::new();
    let consider_startup = root.paths.tuple_fraction > 0.0;
    let mut aggregated = |root: &PlannerInfo, child: &P, strategy: AggStrategy, presorted: bool| {
        let (clauses, sets, costs) = (&clauses[..], &sets[..], costs[usize::from(presorted)]);
        let path =
            agg_path(root, child, Grouping { strategy, clauses, sets, having, costs, groups, presorted, target });
        add_upper(&mut result, path, consider_startup);
    };
    let sortable = clauses.iter().all(|clause| clause.sort != 0);
    let hashable = clauses.iter().all(|clause| clause.hashable) && !aggregates::any_wants_order(root);
    let strategy = if clauses.is_empty() { AggStrategy::Plain } else { AggStrategy::Sorted };
    if sortable && sets.is_empty() {
        let (keys, order) = (root.paths.group_keys.clone(), root.paths.presort.clone());
        for path in &paths {
            let is_best = Rc::ptr_eq(path, &best);
            if order.optional && !contained_in(&order.keys, &path.pathkeys) {
                let path = if keys.is_empty() && !is_best { None } else { sorted(root, path, &keys, is_best, -1.0) };
                path.inspect(|path| aggregated(root, path, strategy, false));
            } else if let Some(path) = sorted(root, path, &order.keys, is_best, -1.0) {
                aggregated(root, &path, strategy, true);
            }
        }
    }
    if strategy == AggStrategy::Sorted && hashable {
        aggregated(root, &best, AggStrategy::Hashed, false);
    } else if !sets.is_empty() && sortable {
        aggregated(root, &best, strategy, false);
    }
    if result.is_empty() {
        return Err(types::Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "could not implement GROUP BY")
            .detail("Some of the datatypes only support hashing, while others only support sorting."));
    }
    Ok(result)
}

/// HAVING alone: one row, or none.
fn degenerate(root: &PlannerInfo, target: &Rc<PathTarget>, having: Vec<Expr>) -> P {
    let cost = costsize::qual_cost(root, &having);
    let startup = target.cost.startup + cost.startup + cost.per_tuple;
    Rc::new(Path {
        node: PathNode::Result { child: None, one_time: having },
        rel: NO_REL,
        target: target.clone(),
        param: None,
        rows: 1.0,
        disabled: 0,
        startup,
        total: startup + root.planner.settings.cpu_tuple_cost + target.cost.per_tuple,
        pathkeys: PathKeys::new(),
    })
}

fn positions_of_sets(root: &PlannerInfo, clauses: &[SortGroupClause]) -> Vec<Vec<usize>> {
    let set = |set: &Vec<u32>| {
        set.iter().filter_map(|reference| clauses.iter().position(|clause| clause.reference == *reference)).collect()
    };
    root.grouping_sets.iter().map(set).collect()
}

/// How rows are grouped.
pub struct Grouping<'a> {
    pub strategy: AggStrategy,
    pub clauses: &'a [SortGroupClause],
    /// Positions in `clauses`.
    pub sets: &'a [Vec<usize>],
    pub having: &'a [Expr],
    pub costs: AggCosts,
    pub groups: f64,
    /// Rows come in the order that was found for the aggregates.
    pub presorted: bool,
    pub target: &'a Rc<PathTarget>,
}

impl<'a> Grouping<'a> {
    /// Of equal rows one, by hashing.
    pub fn distinct(clauses: &'a [SortGroupClause], groups: f64, target: &'a Rc<PathTarget>) -> Grouping<'a> {
        let (strategy, costs) = (AggStrategy::Hashed, AggCosts::default());
        Grouping { strategy, clauses, sets: &[], having: &[], costs, groups, presorted: false, target }
    }
}

pub fn agg_path(root: &PlannerInfo, child: &P, grouping: Grouping<'_>) -> P {
    let Grouping { strategy, clauses, sets, having, costs, groups, presorted, target } = grouping;
    let input = AggInput {
        strategy,
        costs,
        keys: clauses.len() as f64,
        groups,
        input: Costs::of(child),
        rows: child.rows,
        width: child.target.width,
    };
    let (costs, rows) = costsize::cost_agg(root, input, having);
    let pathkeys = if strategy == AggStrategy::Sorted && sets.is_empty() {
        // What is not grouped by is not there any more.
        let count = child.pathkeys.iter().take_while(|id| root.paths.group_keys.contains(id)).count();
        child.pathkeys[..count].into()
    } else {
        PathKeys::new()
    };
    Rc::new(Path {
        node: PathNode::Agg(Box::new(AggPath {
            child: child.clone(),
            strategy,
            clauses: clauses.to_vec(),
            sets: sets.to_vec(),
            conditions: having.to_vec(),
            presorted,
        })),
        rel: NO_REL,
        target: target.clone(),
        param: None,
        rows,
        disabled: costs.disabled,
        startup: costs.startup + target.cost.startup,
        total: costs.total + target.cost.startup + target.cost.per_tuple * rows,
        pathkeys,
    })
}

/// DISTINCT (`create_distinct_paths`).
fn distinct_paths(root: &mut PlannerInfo, paths: Vec<P>) -> Vec<P> {
    let (clauses, on) = match &root.query.distinct {
        Distinct::All(clauses) => (clauses.clone(), false),
        Distinct::On(clauses) => (clauses.clone(), true),
        Distinct::None => return paths,
    };
    let Some(best) = cheapest(&paths) else { return paths };
    let grouped = !root.query.group_clause.is_empty() || !root.grouping_sets.is_empty() || root.query.has_aggregates;
    let rows =
        if grouped { best.rows } else { selfuncs::estimate_num_groups(root, &clause_exprs(root, &clauses), best.rows) };
    let consider_startup = root.paths.tuple_fraction > 0.0;
    let mut result = Vec::new();
    let sortable = clauses.iter().all(|clause| clause.sort != 0);
    let hashable = !on && clauses.iter().all(|clause| clause.hashable) && !clauses.is_empty();
    if sortable {
        let keys = root.paths.distinct_keys.clone();
        // DISTINCT ON keeps the first row in the query's order.
        let needed =
            if on && root.paths.sort_keys.len() > keys.len() { root.paths.sort_keys.clone() } else { keys.clone() };
        let limit = if keys.is_empty() { 1.0 } else { -1.0 };
        for path in &paths {
            let is_best = Rc::ptr_eq(path, &best);
            let Some(path) = sorted(root, path, &needed, is_best, limit) else { continue };
            let path = if keys.is_empty() { one_row(root, &path) } else { unique_path(root, &path, &clauses, rows) };
            add_upper(&mut result, path, consider_startup);
        }
    }
    if hashable && (root.planner.settings.enable_hashagg || result.is_empty()) {
        let target = best.target.clone();
        let path = agg_path(root, &best, Grouping::distinct(&clauses, rows, &target));
        let path = free_target(path, &best);
        add_upper(&mut result, path, consider_startup);
    }
    if result.is_empty() { paths } else { result }
}

/// Its targets are its child's: they are computed once.
fn free_target(path: P, child: &P) -> P {
    let target = &child.target;
    let more = target.cost.startup + target.cost.per_tuple * path.rows;
    let Ok(mut path) = Rc::try_unwrap(path) else { return child.clone() };
    path.startup -= target.cost.startup;
    path.total -= more;
    Rc::new(path)
}

/// All rows are the same: the first one.
pub fn one_row(root: &PlannerInfo, child: &P) -> P {
    let one = Expr::Const(Const { ty: TypeRef::of(types::oid::INT8), value: Datum::I64(1), location: Location::NONE });
    pathnode::limit(root, child, None, Some(one), 0.0, 1.0)
}

pub fn unique_path(root: &PlannerInfo, child: &P, clauses: &[SortGroupClause], rows: f64) -> P {
    let more = root.planner.settings.cpu_operator_cost * child.rows * clauses.len() as f64;
    Rc::new(Path {
        node: PathNode::UpperUnique { child: child.clone(), clauses: clauses.to_vec() },
        rel: NO_REL,
        target: child.target.clone(),
        param: None,
        rows: clamp_rows(rows),
        disabled: child.disabled,
        startup: child.startup,
        total: child.total + more,
        pathkeys: child.pathkeys.clone(),
    })
}
