//! Paths are made here, and the good ones kept (PostgreSQL's `pathnode.c`).

use std::rc::Rc;

use analyze::query::*;

use super::pathkeys::contained_in;
use super::relset::Rels;
use super::state::*;
use crate::path::cost::costsize;
use crate::path::cost::costsize::Costs;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::planner_info::PlannerInfo;

/// Costs that differ by less are equal.
pub const FUZZ: f64 = 1.01;
const STANDARD_FUZZ: f64 = 1.000_000_000_1;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    Better1,
    Better2,
    Different,
}

/// `compare_path_costs_fuzzily`.
fn compare_fuzzily(a: &Path, b: &Path, fuzz: f64, startup_a: bool, startup_b: bool) -> Comparison {
    if a.disabled != b.disabled {
        return if a.disabled < b.disabled { Comparison::Better1 } else { Comparison::Better2 };
    }
    if a.total > b.total * fuzz {
        if startup_a && b.startup > a.startup * fuzz {
            return Comparison::Different;
        }
        return Comparison::Better2;
    }
    if b.total > a.total * fuzz {
        if startup_b && a.startup > b.startup * fuzz {
            return Comparison::Different;
        }
        return Comparison::Better1;
    }
    if a.startup > b.startup * fuzz {
        return Comparison::Better2;
    }
    if b.startup > a.startup * fuzz {
        return Comparison::Better1;
    }
    Comparison::Equal
}

/// Which is cheaper: negative, the first (`compare_path_costs`).
pub fn compare_costs(a: &Path, b: &Path, startup: bool) -> std::cmp::Ordering {
    let key = |path: &Path| if startup { (path.startup, path.total) } else { (path.total, path.startup) };
    a.disabled.cmp(&b.disabled).then(key(a).partial_cmp(&key(b)).unwrap_or(std::cmp::Ordering::Equal))
}

/// Keeps a path unless another one is better in every way, and drops what it is better than (`add_path`).
pub fn add_path(paths: &mut Vec<P>, new: P, consider_startup: bool, consider_param_startup: bool) {
    let mut accept = true;
    let new_keys: &[PathKeyId] = if new.param.is_some() { &[] } else { &new.pathkeys };
    let startup_of = |path: &Path| if path.param.is_none() { consider_startup } else { consider_param_startup };
    let mut insert_at = 0;
    let mut at = 0;
    while at < paths.len() {
        let old = paths[at].clone();
        let mut remove_old = false;
        let costs = compare_fuzzily(&new, &old, FUZZ, startup_of(&new), startup_of(&old));
        if costs != Comparison::Different {
            let old_keys: &[PathKeyId] = if old.param.is_some() { &[] } else { &old.pathkeys };
            let keys = compare_keys(new_keys, old_keys);
            if keys != Comparison::Different {
                let (new_needs, old_needs) = (new.required(), old.required());
                match costs {
                    Comparison::Equal => {
                        let same = new_needs == old_needs;
                        let new_less = new_needs.is_subset(old_needs);
                        let old_less = old_needs.is_subset(new_needs);
                        match keys {
                            Comparison::Better1 => remove_old = new_less && new.rows <= old.rows,
                            Comparison::Better2 => accept = !(old_less && new.rows >= old.rows),
                            _ if same => {
                                if new.rows < old.rows {
                                    remove_old = true;
                                } else if new.rows > old.rows {
                                    accept = false;
                                } else if compare_fuzzily(&new, &old, STANDARD_FUZZ, true, true) == Comparison::Better1
                                {
                                    remove_old = true;
                                } else {
                                    accept = false;
                                }
                            }
                            _ if new_less && new.rows <= old.rows => remove_old = true,
                            _ if old_less && new.rows >= old.rows => accept = false,
                            _ => {}
                        }
                    }
                    Comparison::Better1 => {
                        remove_old =
                            keys != Comparison::Better2 && new_needs.is_subset(old_needs) && new.rows <= old.rows;
                    }
                    Comparison::Better2 => {
                        if keys != Comparison::Better1 && old_needs.is_subset(new_needs) && new.rows >= old.rows {
                            accept = false;
                        }
                    }
                    Comparison::Different => {}
                }
            }
        }
        if remove_old {
            paths.remove(at);
        } else {
            if (new.disabled, new.total) >= (old.disabled, old.total) {
                insert_at = at + 1;
            }
            at += 1;
        }
        if !accept {
            break;
        }
    }
    if accept {
        paths.insert(insert_at.min(paths.len()), new);
    }
}

fn compare_keys(a: &[PathKeyId], b: &[PathKeyId]) -> Comparison {
    match (contained_in(b, a), contained_in(a, b)) {
        (true, true) => Comparison::Equal,
        (true, false) => Comparison::Better1,
        (false, true) => Comparison::Better2,
        (false, false) => Comparison::Different,
    }
}

/// To a relation's.
pub fn add_to(root: &mut PlannerInfo, rel: RelId, path: P) {
    let known = &mut root.paths.rels[rel];
    let (startup, param) = (known.consider_startup, known.consider_param_startup);
    add_path(&mut known.paths, path, startup, param);
}

/// To a list above the joins.
pub fn add_upper(paths: &mut Vec<P>, path: P, consider_startup: bool) {
    add_path(paths, path, consider_startup, false);
}

/// `set_cheapest`.
pub fn set_cheapest(root: &mut PlannerInfo, rel: RelId) {
    let known = &mut root.paths.rels[rel];
    let (mut startup, mut total): (Option<P>, Option<P>) = (None, None);
    let mut best_param: Option<P> = None;
    let mut parameterized = Vec::new();
    for path in &known.paths {
        if path.param.is_some() {
            parameterized.push(path.clone());
            if total.is_some() {
                continue;
            }
            best_param = Some(match best_param {
                None => path.clone(),
                Some(best) => {
                    let (new, old) = (path.required(), best.required());
                    let better = if new == old {
                        compare_costs(path, &best, false).is_lt()
                    } else {
                        new.is_subset(old) || (!old.is_subset(new) && compare_costs(path, &best, false).is_lt())
                    };
                    if better { path.clone() } else { best }
                }
            });
            continue;
        }
        let better = |best: &Option<P>, by_startup| {
            best.as_ref().is_none_or(|best| {
                let order = compare_costs(path, best, by_startup);
                order.is_lt() || (order.is_eq() && compare_keys(&path.pathkeys, &best.pathkeys) == Comparison::Better1)
            })
        };
        if better(&startup, true) {
            startup = Some(path.clone());
        }
        if better(&total, false) {
            total = Some(path.clone());
        }
    }
    if let Some(total) = &total {
        parameterized.insert(0, total.clone());
    }
    known.cheapest_startup = startup;
    known.cheapest_total = total.or(best_param);
    known.cheapest_parameterized = parameterized;
    known.cheapest_unique = None;
}

/// The cheapest of paths (`set_cheapest` above the joins).
pub fn cheapest(paths: &[P]) -> Option<P> {
    let mut best: Option<&P> = None;
    for path in paths.iter().filter(|path| path.param.is_none()) {
        if best.is_none_or(|best| compare_costs(path, best, false).is_lt()) {
            best = Some(path);
        }
    }
    best.or(paths.first()).cloned()
}

/// The cheapest for the part of the rows that is wanted (`get_cheapest_fractional_path`).
pub fn cheapest_fractional(paths: &[P], tuple_fraction: f64) -> Option<P> {
    let best = cheapest(paths)?;
    if tuple_fraction <= 0.0 {
        return Some(best);
    }
    let fraction = if tuple_fraction >= 1.0 && best.rows > 0.0 { tuple_fraction / best.rows } else { tuple_fraction };
    let mut chosen = best.clone();
    for path in paths.iter().filter(|path| path.param.is_none()) {
        if !Rc::ptr_eq(path, &best) && compare_fractional(path, &chosen, fraction).is_lt() {
            chosen = path.clone();
        }
    }
    Some(chosen)
}

/// `compare_fractional_path_costs`.
pub fn compare_fractional(a: &Path, b: &Path, fraction: f64) -> std::cmp::Ordering {
    if fraction <= 0.0 || fraction >= 1.0 {
        return compare_costs(a, b, false);
    }
    let cost = |path: &Path| path.startup + fraction * (path.total - path.startup);
    a.disabled.cmp(&b.disabled).then(cost(a).partial_cmp(&cost(b)).unwrap_or(std::cmp::Ordering::Equal))
}

/// The cheapest that is sorted so (`get_cheapest_path_for_pathkeys`).
pub fn cheapest_for_keys(paths: &[P], keys: &[PathKeyId], required: Rels, startup: bool) -> Option<P> {
    let mut best: Option<&P> = None;
    for path in paths {
        if best.is_some_and(|best| compare_costs(best, path, startup).is_le()) {
            continue;
        }
        if contained_in(keys, &path.pathkeys) && path.required().is_subset(required) {
            best = Some(path);
        }
    }
    best.cloned()
}

/// A path of one child whose target and rows are the child's.
pub fn over(child: &P, node: PathNode, costs: Costs, rows: f64, pathkeys: PathKeys) -> P {
    Rc::new(Path {
        node,
        rel: child.rel,
        target: child.target.clone(),
        param: child.param.clone(),
        rows,
        disabled: costs.disabled,
        startup: costs.startup,
        total: costs.total,
        pathkeys,
    })
}

pub fn sort(root: &PlannerInfo, child: &P, keys: PathKeys, limit: f64) -> P {
    let costs = costsize::cost_sort(root.planner.settings, Costs::of(child), child.rows, child.target.width, limit);
    over(child, PathNode::Sort(child.clone()), costs, child.rows, keys)
}

pub fn incremental_sort(root: &PlannerInfo, child: &P, keys: PathKeys, presorted: usize, limit: f64) -> P {
    let exprs: Vec<Expr> = keys[..presorted]
        .iter()
        .filter_map(|id| {
            let class = &root.paths.classes[super::pathkeys::class_of(root, *id)];
            class.members.first().map(|member| member.expr.clone())
        })
        .collect();
    let unknown = exprs.iter().any(|expr| super::relset::rels_of(expr).is_empty());
    let groups = if unknown {
        selfuncs_default(child.rows)
    } else {
        crate::path::estimate::selfuncs::estimate_num_groups(root, &exprs, child.rows)
    };
    let costs = costsize::cost_incremental_sort(
        root.planner.settings,
        Costs::of(child),
        child.rows,
        groups,
        child.target.width,
        limit,
    );
    over(child, PathNode::IncrementalSort { child: child.clone(), presorted }, costs, child.rows, keys)
}

fn selfuncs_default(rows: f64) -> f64 {
    crate::path::estimate::selfuncs::DEFAULT_DISTINCT.min(rows.max(1.0))
}

pub fn material(root: &PlannerInfo, child: &P) -> P {
    let costs = costsize::cost_material(root.planner.settings, Costs::of(child), child.rows, child.target.width);
    over(child, PathNode::Material(child.clone()), costs, child.rows, child.pathkeys.clone())
}

/// Gives a path another target: within its own node where that can compute it, else by a node above
/// (`apply_projection_to_path`, `create_projection_path`).
pub fn project(root: &PlannerInfo, child: &P, target: &Rc<PathTarget>) -> P {
    if child.target.exprs == target.exprs {
        if child.target.references == target.references {
            return child.clone();
        }
        // The same rows by other names.
        return Rc::new(Path {
            node: PathNode::Projection { child: child.clone(), dummy: true },
            target: target.clone(),
            ..shallow(child)
        });
    }
    let dummy = can_project(child);
    let (old, new) = (child.target.cost, target.cost);
    let mut startup = child.startup;
    let mut total = child.total;
    if dummy {
        startup += new.startup - old.startup;
        total += new.startup - old.startup + (new.per_tuple - old.per_tuple) * child.rows;
    } else {
        startup += new.startup;
        total += new.startup + (root.planner.settings.cpu_tuple_cost + new.per_tuple) * child.rows;
    }
    Rc::new(Path {
        node: PathNode::Projection { child: child.clone(), dummy },
        target: target.clone(),
        startup,
        total,
        ..shallow(child)
    })
}

/// All but the node.
fn shallow(path: &Path) -> Path {
    Path {
        node: PathNode::Dummy,
        rel: path.rel,
        target: path.target.clone(),
        param: path.param.clone(),
        rows: path.rows,
        disabled: path.disabled,
        startup: path.startup,
        total: path.total,
        pathkeys: path.pathkeys.clone(),
    }
}

/// Can its node compute expressions (`is_projection_capable_path`)?
pub fn can_project(path: &Path) -> bool {
    match &path.node {
        PathNode::Material(_)
        | PathNode::Sort(_)
        | PathNode::IncrementalSort { .. }
        | PathNode::Unique { .. }
        | PathNode::UpperUnique { .. }
        | PathNode::SetOp { .. }
        | PathNode::LockRows(_)
        | PathNode::Limit { .. }
        | PathNode::ModifyTable(_)
        | PathNode::Append(_)
        | PathNode::MergeAppend(_)
        | PathNode::RecursiveUnion { .. }
        | PathNode::ProjectSet(_) => false,
        // A Result takes any target.
        _ => true,
    }
}

/// `create_set_projection_path`.
pub fn project_set(root: &PlannerInfo, child: &P, target: &Rc<PathTarget>) -> P {
    let settings = root.planner.settings;
    let per_row =
        target.exprs.iter().map(|expr| crate::path::estimate::selfuncs::function_rows(root, expr)).fold(1.0, f64::max);
    let rows = clamp_rows(child.rows * per_row);
    let startup = child.startup + target.cost.startup;
    let total = child.total
        + target.cost.startup
        + (settings.cpu_tuple_cost + target.cost.per_tuple) * child.rows
        + (rows - child.rows) * settings.cpu_tuple_cost / 2.0;
    Rc::new(Path {
        node: PathNode::ProjectSet(child.clone()),
        target: target.clone(),
        rows,
        startup,
        total,
        ..shallow(child)
    })
}

/// `create_limit_path`; what is known of OFFSET and LIMIT: below 0, that there is one of unknown size; 0, none.
pub fn limit(
    root: &PlannerInfo,
    child: &P,
    offset: Option<Expr>,
    count: Option<Expr>,
    offset_rows: f64,
    count_rows: f64,
) -> P {
    let _ = root;
    let (mut rows, mut startup, mut total) = (child.rows, child.startup, child.total);
    if offset_rows != 0.0 {
        let skipped = if offset_rows > 0.0 { offset_rows } else { clamp_rows(child.rows * 0.1) }.min(rows);
        if rows > 0.0 {
            startup += (child.total - child.startup) * skipped / child.rows;
        }
        rows = (rows - skipped).max(1.0);
    }
    if count_rows != 0.0 {
        let most = if count_rows > 0.0 { count_rows } else { clamp_rows(child.rows * 0.1) }.min(rows);
        if rows > 0.0 {
            total = startup + (child.total - child.startup) * most / child.rows;
        }
        rows = most.max(1.0);
    }
    Rc::new(Path {
        node: PathNode::Limit { child: child.clone(), offset, count },
        rows,
        startup,
        total,
        ..shallow(child)
    })
}

/// A path with other costs above a child.
pub fn simple(child: &P, node: PathNode, total_more: f64) -> P {
    Rc::new(Path { node, total: child.total + total_more, ..shallow(child) })
}

/// What the parameters of a path let through (`get_baserel_parampathinfo`).
pub fn base_param_info(root: &mut PlannerInfo, rel: RelId, required: Rels) -> Option<Rc<ParamInfo>> {
    if required.is_empty() {
        return None;
    }
    if let Some(known) = root.paths.rels[rel].param_infos.iter().find(|info| info.required == required) {
        return Some(known.clone());
    }
    let relids = root.paths.rels[rel].relids;
    let with = relids | required;
    let mut clauses: Vec<R> = root.paths.rels[rel]
        .join_clauses
        .iter()
        .filter(|clause| crate::path::join::restrictinfo::is_movable_into(clause, relids, with))
        .cloned()
        .collect();
    clauses.extend(crate::path::join::equivclass::join_implied_equalities(root, with, required, relids));
    let all: Vec<R> = clauses.iter().chain(&root.paths.rels[rel].conditions).cloned().collect();
    let selectivity = crate::path::estimate::clausesel::clauselist(
        root,
        &all,
        crate::path::estimate::clausesel::For::rel(root.paths.rels[rel].relation),
    );
    let known = &root.paths.rels[rel];
    let rows = clamp_rows(known.tuples * selectivity).min(known.rows);
    let info = Rc::new(ParamInfo { required, rows, clauses });
    root.paths.rels[rel].param_infos.push(info.clone());
    Some(info)
}

/// It gives no rows.
pub fn mark_dummy(root: &mut PlannerInfo, rel: RelId) {
    let known = &mut root.paths.rels[rel];
    if known.dummy {
        return;
    }
    known.dummy = true;
    known.rows = 0.0;
    known.paths.clear();
    let path = Rc::new(Path {
        node: PathNode::Dummy,
        rel,
        target: known.target.clone(),
        param: None,
        rows: 0.0,
        disabled: 0,
        startup: 0.0,
        total: 0.0,
        pathkeys: PathKeys::new(),
    });
    known.paths.push(path);
    set_cheapest(root, rel);
}
