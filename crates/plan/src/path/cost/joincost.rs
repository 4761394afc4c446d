//! What joins cost (the joins' part of PostgreSQL's `costsize.c`).

use std::rc::Rc;

use crate::path::cost::costsize;
use crate::path::cost::costsize::{Costs, relation_bytes, restrict_cost};
use crate::path::estimate::clausesel;
use crate::path::estimate::clausesel::For;
use crate::path::estimate::selfuncs;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::relset::Rels;
use crate::path::state::*;
use crate::plan::JoinKind;
use crate::planner_info::PlannerInfo;

/// What all paths of one join share (`JoinPathExtraData`).
pub struct JoinExtra {
    pub clauses: Vec<R>,
    pub join: SpecialJoinInfo,
    pub inner_unique: bool,
    /// The part of the outer rows that have a partner, and how many those have.
    pub match_fraction: f64,
    pub match_count: f64,
    pub param_sources: Rels,
    pub join_rels: Rels,
}

/// `compute_semi_anti_join_factors`.
pub fn semi_factors(root: &PlannerInfo, outer: RelId, inner: RelId, kind: JoinKind, extra: &mut JoinExtra) {
    let (outer_rows, inner_rows) = (root.paths.rels[outer].rows, root.paths.rels[inner].rows);
    let own: Vec<R> = if costsize::is_outer_join(kind) {
        extra.clauses.iter().filter(|clause| !costsize::is_pushed_down(clause, extra.join_rels)).cloned().collect()
    } else {
        extra.clauses.clone()
    };
    let semi = if kind == JoinKind::Anti { JoinKind::Anti } else { JoinKind::Semi };
    let info = SpecialJoinInfo {
        min_left: root.paths.rels[outer].relids,
        min_right: root.paths.rels[inner].relids,
        syn_left: root.paths.rels[outer].relids,
        syn_right: root.paths.rels[inner].relids,
        kind: semi,
        ..extra.join.clone()
    };
    let matching = fresh(root, &own, For::join(&info, semi, inner_rows));
    let normal = SpecialJoinInfo { kind: JoinKind::Inner, ..info.clone() };
    let all = clausesel::clauselist(root, &own, For::join(&normal, JoinKind::Inner, inner_rows));
    extra.match_count = if matching > 0.0 { (all * inner_rows / matching).max(1.0) } else { 1.0 };
    extra.match_fraction = matching;
    let _ = outer_rows;
}

/// A semijoin's estimate of clauses whose kept estimate may be another kind's.
fn fresh(root: &PlannerInfo, clauses: &[R], what: For) -> f64 {
    clauses.iter().map(|clause| clausesel::clause(root, &clause.clause, what)).product()
}

/// The join's rows, or those of a parameterized one.
fn output_rows(rel: &RelOptInfo, param: &Option<Rc<ParamInfo>>) -> f64 {
    param.as_ref().map_or(rel.rows, |param| param.rows)
}

/// Is the inner side looked up by an index by all that joins (`has_indexed_join_quals`)?
fn has_indexed_quals(inner: &Path, clauses: &[R], outer: Rels) -> bool {
    if !clauses.is_empty() || inner.param.is_none() {
        // What is not looked up is asked of every row.
        let _ = outer;
        return false;
    }
    matches!(inner.node, PathNode::Index(_))
}

/// `initial_cost_nestloop`, `final_cost_nestloop`.
#[allow(clippy::too_many_arguments)]
pub fn cost_nestloop(
    root: &PlannerInfo,
    rel: RelId,
    kind: JoinKind,
    outer: &P,
    inner: &P,
    clauses: &[R],
    extra: &JoinExtra,
    param: &Option<Rc<ParamInfo>>,
) -> Costs {
    let settings = root.planner.settings;
    let rel = &root.paths.rels[rel];
    let outer_rows = outer.rows.max(1.0);
    let inner_rows = inner.rows.max(1.0);
    let (rescan_startup, rescan_total) = costsize::cost_rescan(root, inner);
    let mut startup = outer.startup + inner.startup;
    let mut run = outer.total - outer.startup;
    if outer_rows > 1.0 {
        run += (outer_rows - 1.0) * rescan_startup;
    }
    let more_io = costsize::io_of_fewer_loops(root, inner, outer_rows);
    let inner_run = inner.total - inner.startup + more_io;
    let rescan_run = rescan_total - rescan_startup + more_io;
    let tuples = if matches!(kind, JoinKind::Semi | JoinKind::Anti) || extra.inner_unique {
        let matched = (outer_rows * extra.match_fraction).round_ties_even();
        let unmatched = outer_rows - matched;
        let scan_fraction = 2.0 / (extra.match_count + 1.0);
        let indexed = has_indexed_quals(inner, clauses, outer.required());
        if indexed {
            run += inner_run * scan_fraction;
            if matched > 1.0 {
                run += (matched - 1.0) * rescan_run * scan_fraction;
            }
            run += unmatched * rescan_run / inner_rows;
            matched * inner_rows * scan_fraction
        } else {
            let mut matched = matched;
            let mut unmatched = unmatched;
            let mut all = matched * inner_rows * scan_fraction;
            all += unmatched * inner_rows;
            run += inner_run;
            if unmatched >= 1.0 {
                unmatched -= 1.0;
            } else {
                matched -= 1.0;
            }
            if matched > 0.0 {
                run += matched * rescan_run * scan_fraction;
            }
            if unmatched > 0.0 {
                run += unmatched * rescan_run;
            }
            all
        }
    } else {
        run += inner_run;
        if outer_rows > 1.0 {
            run += (outer_rows - 1.0) * rescan_run;
        }
        outer_rows * inner_rows
    };
    let quals = restrict_cost(root, clauses);
    startup += quals.startup;
    run += (settings.cpu_tuple_cost + quals.per_tuple) * tuples;
    startup += rel.target.cost.startup;
    run += rel.target.cost.per_tuple * output_rows(rel, param);
    Costs {
        startup,
        total: startup + run,
        disabled: outer.disabled + inner.disabled + u32::from(!settings.enable_nestloop),
    }
}

/// `initial_cost_hashjoin`, `final_cost_hashjoin`.
#[allow(clippy::too_many_arguments)]
pub fn cost_hashjoin(
    root: &PlannerInfo,
    rel: RelId,
    kind: JoinKind,
    outer: &P,
    inner: &P,
    hash_clauses: &[R],
    extra: &JoinExtra,
    param: &Option<Rc<ParamInfo>>,
) -> Costs {
    let settings = root.planner.settings;
    let known = &root.paths.rels[rel];
    let (outer_rows, inner_rows) = (outer.rows, inner.rows);
    let keys = hash_clauses.len() as f64;
    let mut startup = outer.startup;
    let mut run = outer.total - outer.startup;
    startup += inner.total;
    startup += (settings.cpu_operator_cost * keys + settings.cpu_tuple_cost) * inner_rows;
    run += settings.cpu_operator_cost * keys * outer_rows;
    let (buckets, batches) = costsize::hash_table_size(settings, inner_rows, inner.target.width);
    if batches > 1.0 {
        let outer_pages = costsize::page_size(outer_rows, outer.target.width);
        let inner_pages = costsize::page_size(inner_rows, inner.target.width);
        startup += settings.seq_page_cost * inner_pages;
        run += settings.seq_page_cost * (inner_pages + 2.0 * outer_pages);
    }
    let virtual_buckets = buckets * batches;
    let (mut bucket_size, mut mcv): (f64, f64) = (1.0, 1.0);
    if matches!(inner.node, PathNode::Unique { .. }) {
        (bucket_size, mcv) = (1.0 / virtual_buckets, 0.0);
    } else {
        let inner_rels = root.paths.rels[inner.rel].relids;
        for clause in hash_clauses {
            let Some((left, right)) = crate::path::join::restrictinfo::sides(clause) else { continue };
            let key = if clause.right.is_subset(inner_rels) { right } else { left };
            let (common, size) = selfuncs::hash_bucket_stats(root, key, virtual_buckets);
            bucket_size = bucket_size.min(size);
            mcv = mcv.min(common);
        }
    }
    let mut disabled = outer.disabled + inner.disabled + u32::from(!settings.enable_hashjoin);
    if relation_bytes(clamp_rows(inner_rows * mcv), inner.target.width) > costsize::hash_mem(settings) {
        disabled += 1;
    }
    let hash_cost = restrict_cost(root, hash_clauses);
    let all_cost = restrict_cost(root, &extra.clauses);
    let rest =
        QualCost { startup: all_cost.startup - hash_cost.startup, per_tuple: all_cost.per_tuple - hash_cost.per_tuple };
    let tuples = if matches!(kind, JoinKind::Semi | JoinKind::Anti) || extra.inner_unique {
        let matched = (outer_rows * extra.match_fraction).round_ties_even();
        let scan_fraction = 2.0 / (extra.match_count + 1.0);
        startup += hash_cost.startup;
        run += hash_cost.per_tuple * matched * clamp_rows(inner_rows * bucket_size * scan_fraction) * 0.5;
        run += hash_cost.per_tuple * (outer_rows - matched) * clamp_rows(inner_rows / virtual_buckets) * 0.05;
        if kind == JoinKind::Anti { outer_rows - matched } else { matched }
    } else {
        startup += hash_cost.startup;
        run += hash_cost.per_tuple * outer_rows * clamp_rows(inner_rows * bucket_size) * 0.5;
        approximate_rows(root, outer, inner, hash_clauses, &extra.join)
    };
    startup += rest.startup;
    run += (settings.cpu_tuple_cost + rest.per_tuple) * tuples;
    startup += known.target.cost.startup;
    run += known.target.cost.per_tuple * output_rows(known, param);
    Costs { startup, total: startup + run, disabled }
}

/// Rows that pass the clauses that are looked up by (`approx_tuple_count`).
fn approximate_rows(root: &PlannerInfo, outer: &P, inner: &P, clauses: &[R], join: &SpecialJoinInfo) -> f64 {
    let normal = SpecialJoinInfo { kind: JoinKind::Inner, ..join.clone() };
    let what = For::join(&normal, JoinKind::Inner, inner.rows);
    let selectivity: f64 = clauses.iter().map(|clause| clausesel::restriction(root, clause, what)).product();
    clamp_rows(selectivity * outer.rows * inner.rows)
}

/// `initial_cost_mergejoin`, `final_cost_mergejoin`; and whether the inner side is to be kept.
pub fn cost_mergejoin(
    root: &PlannerInfo,
    rel: RelId,
    kind: JoinKind,
    path: &MergePath,
    extra: &JoinExtra,
    param: &Option<Rc<ParamInfo>>,
) -> (Costs, bool) {
    let settings = root.planner.settings;
    let known = &root.paths.rels[rel];
    let (outer, inner) = (&path.join.outer, &path.join.inner);
    let (outer_rows, inner_rows) = (outer.rows.max(1.0), inner.rows.max(1.0));
    let (mut outer_start, mut outer_end, mut inner_start, mut inner_end) = (0.0, 1.0, 0.0, 1.0);
    if let Some(first) = path.clauses.first()
        && kind != JoinKind::Full
        && let Some((left, right)) = crate::path::join::restrictinfo::sides(first)
    {
        let scan = first.merge_scan.get().unwrap_or_else(|| selfuncs::merge_scan(root, left, right));
        first.merge_scan.set(Some(scan));
        if first.left.is_subset(root.paths.rels[outer.rel].relids) {
            (outer_start, outer_end) = (scan.left_start, scan.left_end);
            (inner_start, inner_end) = (scan.right_start, scan.right_end);
        } else {
            (outer_start, outer_end) = (scan.right_start, scan.right_end);
            (inner_start, inner_end) = (scan.left_start, scan.left_end);
        }
        match kind {
            JoinKind::Left | JoinKind::Anti => (outer_start, outer_end) = (0.0, 1.0),
            JoinKind::Right | JoinKind::RightAnti => (inner_start, inner_end) = (0.0, 1.0),
            _ => {}
        }
    }
    let outer_skip = (outer_rows * outer_start).round_ties_even();
    let inner_skip = (inner_rows * inner_start).round_ties_even();
    let outer_read = clamp_rows(outer_rows * outer_end);
    let inner_read = clamp_rows(inner_rows * inner_end);
    let (outer_start, outer_end) = (outer_skip / outer_rows, outer_read / outer_rows);
    let (inner_start, inner_end) = (inner_skip / inner_rows, inner_read / inner_rows);
    let sorted = |child: &P, sort: bool| {
        if sort {
            costsize::cost_sort(settings, Costs::of(child), child.rows, child.target.width, -1.0)
        } else {
            Costs::of(child)
        }
    };
    let outer_cost = sorted(outer, path.sort_outer);
    let inner_cost = sorted(inner, path.sort_inner);
    let part = |cost: Costs, start: f64, end: f64| {
        let run = cost.total - cost.startup;
        (cost.startup + run * start, run * (end - start))
    };
    let (outer_startup, outer_run) = part(outer_cost, outer_start, outer_end);
    let (inner_startup, inner_run) = part(inner_cost, inner_start, inner_end);
    let mut startup = outer_startup + inner_startup;
    let mut run = outer_run;
    let merge_cost = restrict_cost(root, &path.clauses);
    let all_cost = restrict_cost(root, &path.join.conditions);
    let rest = QualCost {
        startup: all_cost.startup - merge_cost.startup,
        per_tuple: all_cost.per_tuple - merge_cost.per_tuple,
    };
    let first_only = matches!(kind, JoinKind::Semi | JoinKind::Anti) || extra.inner_unique;
    let skip_mark = first_only && path.join.conditions.len() == path.clauses.len();
    let tuples = approximate_rows(root, outer, inner, &path.clauses, &extra.join);
    let rescanned =
        if matches!(outer.node, PathNode::Unique { .. }) || skip_mark { 0.0 } else { (tuples - inner_rows).max(0.0) };
    let rescan_ratio = 1.0 + rescanned / inner_read.max(1.0);
    let bare = inner_run * rescan_ratio;
    let kept = inner_run + settings.cpu_operator_cost * inner_read * rescan_ratio;
    let spills = root.planner.settings.enable_material
        && path.sort_inner
        && relation_bytes(inner.rows, inner.target.width) > settings.work_mem * 1024.0;
    let must_keep = !path.sort_inner && !can_mark(inner);
    let materialize = !skip_mark && ((settings.enable_material && kept < bare) || must_keep || spills);
    run += if materialize { kept } else { bare };
    startup += merge_cost.startup;
    startup += merge_cost.per_tuple * (outer_skip + inner_skip * rescan_ratio);
    run += merge_cost.per_tuple * ((outer_read - outer_skip) + (inner_read - inner_skip) * rescan_ratio);
    startup += rest.startup;
    run += (settings.cpu_tuple_cost + rest.per_tuple) * tuples;
    startup += known.target.cost.startup;
    run += known.target.cost.per_tuple * output_rows(known, param);
    let disabled = outer_cost.disabled + inner_cost.disabled + u32::from(!settings.enable_mergejoin);
    (Costs { startup, total: startup + run, disabled }, materialize)
}

/// Can it go back to a row (`ExecSupportsMarkRestore`)?
fn can_mark(path: &Path) -> bool {
    matches!(path.node, PathNode::Index(_) | PathNode::Material(_) | PathNode::Sort(_))
}
