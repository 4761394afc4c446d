//! The ways to join two relations (PostgreSQL's `joinpath.c`).

use std::rc::Rc;

use analyze::query::Expr;
use types::Oid;

use crate::path::cost::costsize;
use crate::path::cost::costsize::{Costs, is_outer_join, is_pushed_down};
use crate::path::cost::joincost::*;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::join::restrictinfo::is_movable_into;
use crate::path::pathkeys;
use crate::path::pathnode;
use crate::path::relset::Rels;
use crate::path::state::*;
use crate::plan::JoinKind;
use crate::planner_info::PlannerInfo;

/// How two relations are joined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    Kind(JoinKind),
    /// A semijoin as an inner join with one of the sides made unique.
    UniqueOuter,
    UniqueInner,
}

/// `add_paths_to_joinrel`.
pub fn add_paths(
    root: &mut PlannerInfo,
    rel: RelId,
    outer: RelId,
    inner: RelId,
    how: How,
    join: &SpecialJoinInfo,
    clauses: &[R],
) {
    let join_rels = root.paths.rels[rel].relids;
    let kind = match how {
        How::Kind(kind) => kind,
        _ => JoinKind::Inner,
    };
    let mut extra = JoinExtra {
        clauses: clauses.to_vec(),
        join: join.clone(),
        inner_unique: false,
        match_fraction: 1.0,
        match_count: 1.0,
        param_sources: param_sources(root, rel),
        join_rels,
    };
    extra.inner_unique = match how {
        How::Kind(JoinKind::Semi | JoinKind::Anti) => false,
        How::UniqueInner => join.min_left.is_subset(root.paths.rels[outer].relids),
        _ => is_unique_inner(root, outer, inner, kind, clauses, join_rels),
    };
    if matches!(kind, JoinKind::Semi | JoinKind::Anti) || extra.inner_unique {
        semi_factors(root, outer, inner, kind, &mut extra);
    }
    let work = Work { rel, outer, inner, how, kind, extra };
    let merge = merge_clauses(root, &work);
    if root.planner.settings.enable_mergejoin || kind == JoinKind::Full {
        sort_inner_and_outer(root, &work, &merge);
    }
    match_unsorted_outer(root, &work, &merge);
    if root.planner.settings.enable_hashjoin || kind == JoinKind::Full {
        hash_inner_and_outer(root, &work);
    }
}

struct Work {
    rel: RelId,
    outer: RelId,
    inner: RelId,
    how: How,
    kind: JoinKind,
    extra: JoinExtra,
}

/// The relations that may give values to paths of the join.
fn param_sources(root: &PlannerInfo, rel: RelId) -> Rels {
    let rels = root.paths.rels[rel].relids;
    let mut sources = root.paths.rels[rel].lateral;
    for join in &root.paths.join_info {
        if rels.overlaps(join.min_right) && !rels.overlaps(join.min_left) {
            sources |= root.paths.all - join.min_right;
        }
        if join.kind == JoinKind::Full && rels.overlaps(join.min_left) && !rels.overlaps(join.min_right) {
            sources |= root.paths.all - join.min_left;
        }
    }
    sources
}

/// Has a row of the outer side at most one partner (`innerrel_is_unique`)?
fn is_unique_inner(
    root: &mut PlannerInfo,
    outer: RelId,
    inner: RelId,
    kind: JoinKind,
    clauses: &[R],
    join_rels: Rels,
) -> bool {
    let outer_rels = root.paths.rels[outer].relids;
    let inner_rel = &root.paths.rels[inner];
    if inner_rel.is_join || clauses.is_empty() {
        return false;
    }
    if inner_rel.unique_for.iter().any(|known| known.is_subset(outer_rels)) {
        return true;
    }
    if inner_rel.non_unique_for.iter().any(|known| outer_rels.is_subset(*known)) {
        return false;
    }
    let inner_rels = inner_rel.relids;
    let usable = |clause: &&R| {
        !(is_outer_join(kind) && is_pushed_down(clause, join_rels))
            && clause.can_join
            && !clause.merge_families.is_empty()
            && ((clause.left.is_subset(outer_rels) && clause.right.is_subset(inner_rels))
                || (clause.right.is_subset(outer_rels) && clause.left.is_subset(inner_rels)))
    };
    let list: Vec<R> = clauses.iter().filter(usable).cloned().collect();
    let unique = !list.is_empty()
        && (crate::path::base::indexcover::has_unique_index_for(root, inner, &list)
            || subquery_is_unique(root, inner, &list));
    let inner_rel = &mut root.paths.rels[inner];
    (if unique { &mut inner_rel.unique_for } else { &mut inner_rel.non_unique_for }).push(outer_rels);
    unique
}

/// Is a subquery unique by the columns that join it (`query_is_distinct_for`)?
fn subquery_is_unique(root: &PlannerInfo, rel: RelId, clauses: &[R]) -> bool {
    use analyze::query::*;
    let known = &root.paths.rels[rel];
    let RangeTableKind::Subquery(query) = &root.query.entry(known.relation).kind else { return false };
    let compared = |clause: &R| {
        let Expr::OpExpr(op) = &clause.clause else { return None };
        let (left, right) = crate::path::join::restrictinfo::sides(clause)?;
        let mine = if clause.left.is_subset(known.relids) { left } else { right };
        match crate::path::clauses::strip_relabel(mine) {
            Expr::Var(var) if var.relation == known.relation => Some((var.attribute, op.operator)),
            _ => None,
        }
    };
    let columns: Vec<(i16, Oid)> = clauses.iter().filter_map(compared).collect();
    // What the join takes for equal may be two rows to the subquery.
    let is_joined = |column: i16, equality: Oid| {
        let mut operators = columns.iter().filter(|(other, _)| *other == column).map(|(_, operator)| *operator);
        operators.any(|operator| equalities_are_compatible(root, operator, equality))
    };
    let all_of = |list: &[SortGroupClause]| {
        let joined = |clause: &SortGroupClause| {
            query.target_of(clause.reference).is_some_and(|target| is_joined(target.number, clause.equality))
        };
        list.iter().all(joined)
    };
    if query.targets.iter().any(|target| target.expr.returns_set()) {
        return false;
    }
    match &query.distinct {
        Distinct::All(list) | Distinct::On(list) if all_of(list) => return true,
        _ => {}
    }
    if !query.group_clause.is_empty() && query.grouping_sets.is_empty() {
        return all_of(&query.group_clause);
    }
    if query.has_aggregates
        && query.group_clause.is_empty()
        && query.grouping_sets.is_empty()
        && query.set_operations.is_none()
    {
        return true;
    }
    match &query.set_operations {
        Some(SetOperation::Node { all: false, group_clauses, .. }) => {
            (1..).zip(group_clauses).all(|(column, clause)| is_joined(column, clause.equality))
        }
        _ => false,
    }
}

/// Do two `=` take the same values for equal (`equality_ops_are_compatible`)?
fn equalities_are_compatible(root: &PlannerInfo, a: Oid, b: Oid) -> bool {
    let catalog = root.planner.catalog;
    let families = || catalog.mergejoin_opfamilies(b);
    a == b || catalog.mergejoin_opfamilies(a).iter().any(|family| families().contains(family))
}

/// A semijoin with a relation that is unique by its conditions is an inner join (`reduce_unique_semijoins`).
pub fn reduce_unique_semijoins(root: &mut PlannerInfo) {
    let joins = root.paths.join_info.clone();
    for join in joins.iter().filter(|join| join.kind == JoinKind::Semi) {
        let Some(inner) = join.min_right.singleton().and_then(|one| root.paths.base[one.0 as usize]) else { continue };
        if join.syn_right != join.min_right {
            continue;
        }
        let all = join.min_left | join.min_right;
        let mut clauses =
            crate::path::join::equivclass::join_implied_equalities(root, all, join.min_left, join.min_right);
        clauses.extend(
            root.paths.rels[inner].join_clauses.iter().filter(|clause| clause.required.is_subset(all)).cloned(),
        );
        let (outer_rels, inner_rels) = (join.min_left, join.min_right);
        clauses.retain(|clause| {
            clause.can_join && !clause.merge_families.is_empty() && fits(clause, outer_rels, inner_rels)
        });
        if !clauses.is_empty() && crate::path::base::indexcover::has_unique_index_for(root, inner, &clauses) {
            root.paths.join_info.retain(|known| known != join);
        }
    }
}

/// `select_mergejoin_clauses`.
fn merge_clauses(root: &PlannerInfo, work: &Work) -> Vec<R> {
    let (outer, inner) = (root.paths.rels[work.outer].relids, root.paths.rels[work.inner].relids);
    let mut found = Vec::new();
    for clause in &work.extra.clauses {
        if is_outer_join(work.kind) && is_pushed_down(clause, work.extra.join_rels) {
            continue;
        }
        if !clause.can_join || clause.merge_families.is_empty() || !fits(clause, outer, inner) {
            continue;
        }
        if clause.left_class.get().is_none() || clause.right_class.get().is_none() {
            continue;
        }
        crate::path::join::equivclass::update_classes(root, clause);
        found.push(clause.clone());
    }
    found
}

/// Does an outer join ask nothing of its rows but constants?
fn asks_constants_only(work: &Work) -> bool {
    let is_own = |clause: &&R| !is_pushed_down(clause, work.extra.join_rels);
    work.extra.clauses.iter().filter(is_own).all(|clause| matches!(clause.clause, Expr::Const(_)))
}

/// Is one side of the clause of the one relation, and the other of the other (`clause_sides_match_join`)?
fn fits(clause: &R, outer: Rels, inner: Rels) -> bool {
    (clause.left.is_subset(outer) && clause.right.is_subset(inner))
        || (clause.right.is_subset(outer) && clause.left.is_subset(inner))
}

/// Both sides sorted for the merge (`sort_inner_and_outer`).
fn sort_inner_and_outer(root: &mut PlannerInfo, work: &Work, merge: &[R]) {
    if merge.is_empty() || work.kind == JoinKind::RightSemi {
        return;
    }
    let (Some(mut outer), Some(mut inner)) =
        (root.paths.rels[work.outer].cheapest_total.clone(), root.paths.rels[work.inner].cheapest_total.clone())
    else {
        return;
    };
    let (outer_rels, inner_rels) = (root.paths.rels[work.outer].relids, root.paths.rels[work.inner].relids);
    if outer.required().overlaps(inner_rels) || inner.required().overlaps(outer_rels) {
        return;
    }
    match work.how {
        How::UniqueOuter => match crate::path::join::unique::unique_path(root, work.outer, &outer, &work.extra.join) {
            Some(path) => outer = path,
            None => return,
        },
        How::UniqueInner => match crate::path::join::unique::unique_path(root, work.inner, &inner, &work.extra.join) {
            Some(path) => inner = path,
            None => return,
        },
        _ => {}
    }
    let all_keys = pathkeys::outer_keys_for_merge(root, merge, outer_rels);
    for front in 0..all_keys.len() {
        let mut keys = all_keys.clone();
        let first = keys.remove(front);
        keys.insert(0, first);
        let clauses = pathkeys::merge_clauses(root, &keys, outer_rels, merge);
        let inner_keys = pathkeys::inner_keys_for_merge(root, &clauses, &keys, outer_rels);
        let join_keys = pathkeys::of_join(root, work.rel, work.kind, &keys);
        try_mergejoin(root, work, &outer, &inner, join_keys, clauses, keys, inner_keys);
    }
}

#[allow(clippy::too_many_arguments)]
fn try_mergejoin(
    root: &mut PlannerInfo,
    work: &Work,
    outer: &P,
    inner: &P,
    keys: PathKeys,
    clauses: Vec<R>,
    outer_keys: PathKeys,
    inner_keys: PathKeys,
) {
    let required = outer.required() | inner.required();
    if required.overlaps(work.extra.join_rels) || (!required.is_empty() && !required.overlaps(work.extra.param_sources))
    {
        return;
    }
    let sort_outer = !pathkeys::contained_in(&outer_keys, &outer.pathkeys);
    let sort_inner = !pathkeys::contained_in(&inner_keys, &inner.pathkeys);
    let (param, conditions) = join_param_info(root, work, outer, inner, required, work.extra.clauses.clone());
    let mut path = MergePath {
        join: JoinPath {
            kind: work.kind,
            outer: outer.clone(),
            inner: inner.clone(),
            inner_unique: work.extra.inner_unique,
            conditions,
        },
        clauses,
        outer_keys,
        inner_keys,
        sort_outer,
        sort_inner,
        materialize: false,
    };
    let (costs, materialize) = cost_mergejoin(root, work.rel, work.kind, &path, &work.extra, &param);
    path.materialize = materialize;
    finish(root, work, PathNode::MergeJoin(Box::new(path)), costs, keys, param);
}

fn finish(
    root: &mut PlannerInfo,
    work: &Work,
    node: PathNode,
    costs: Costs,
    pathkeys: PathKeys,
    param: Option<Rc<ParamInfo>>,
) {
    let known = &root.paths.rels[work.rel];
    let path = Rc::new(Path {
        node,
        rel: work.rel,
        target: known.target.clone(),
        rows: param.as_ref().map_or(known.rows, |param| param.rows),
        param,
        disabled: costs.disabled,
        startup: costs.startup,
        total: costs.total,
        pathkeys,
    });
    pathnode::add_to(root, work.rel, path);
}

/// What a parameterized join has to ask itself, and its rows; and the join's conditions with these
/// (`get_joinrel_parampathinfo`).
fn join_param_info(
    root: &mut PlannerInfo,
    work: &Work,
    outer: &P,
    inner: &P,
    required: Rels,
    mut conditions: Vec<R>,
) -> (Option<Rc<ParamInfo>>, Vec<R>) {
    if required.is_empty() {
        return (None, conditions);
    }
    let rels = work.extra.join_rels;
    let with = rels | required;
    let (outer_rels, inner_rels) = (root.paths.rels[work.outer].relids, root.paths.rels[work.inner].relids);
    let in_outer =
        |clause: &R| outer.param.is_some() && is_movable_into(clause, outer_rels, outer_rels | outer.required());
    let in_inner =
        |clause: &R| inner.param.is_some() && is_movable_into(clause, inner_rels, inner_rels | inner.required());
    let mut more: Vec<R> = root.paths.rels[work.rel]
        .join_clauses
        .iter()
        .filter(|clause| is_movable_into(clause, rels, with) && !in_outer(clause) && !in_inner(clause))
        .cloned()
        .collect();
    let implied = crate::path::join::equivclass::join_implied_equalities(root, with, required, rels);
    let (below, here): (Vec<R>, Vec<R>) =
        implied.into_iter().filter(|clause| !in_outer(clause)).partition(|clause| in_inner(clause));
    more.extend(here);
    // Of a class with members to the left, to the right and around, the right side asks one equality, which may be the one
    // with the left: then the left and those around are not known to be equal yet.
    let classes: Vec<ClassId> = below.iter().filter_map(|clause| clause.left_class.get()).collect();
    let left = crate::path::join::equivclass::implied_equalities_of(
        root,
        classes,
        outer_rels | required,
        required,
        outer_rels,
    );
    more.extend(left.into_iter().filter(|clause| !in_outer(clause)));
    more.retain(|clause| !conditions.iter().any(|known| Rc::ptr_eq(known, clause)));
    conditions.extend(more.iter().cloned());
    if let Some(known) = root.paths.rels[work.rel].param_infos.iter().find(|info| info.required == required) {
        return (Some(known.clone()), conditions);
    }
    let rows = costsize::join_size(root, outer.rows, inner.rows, &work.extra.join, &conditions, rels);
    let rows = clamp_rows(rows.min(root.paths.rels[work.rel].rows));
    let info = Rc::new(ParamInfo { required, rows, clauses: more });
    root.paths.rels[work.rel].param_infos.push(info.clone());
    (Some(info), conditions)
}

/// Nested loops, and merges that use the order of the outer side (`match_unsorted_outer`).
fn match_unsorted_outer(root: &mut PlannerInfo, work: &Work, merge: &[R]) {
    let nestloop = matches!(work.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Semi | JoinKind::Anti);
    if !nestloop && !matches!(work.kind, JoinKind::Right | JoinKind::RightAnti | JoinKind::Full) {
        return;
    }
    let outer_rels = root.paths.rels[work.outer].relids;
    let mut inner_total = root.paths.rels[work.inner].cheapest_total.clone();
    if inner_total.as_ref().is_some_and(|inner| inner.required().overlaps(outer_rels)) {
        inner_total = None;
    }
    let mut material = None;
    match work.how {
        How::UniqueInner => {
            let Some(inner) = &inner_total else { return };
            match crate::path::join::unique::unique_path(root, work.inner, inner, &work.extra.join) {
                Some(path) => inner_total = Some(path),
                None => return,
            }
        }
        _ if nestloop => {
            if let Some(inner) = &inner_total
                && root.planner.settings.enable_material
                && !keeps_rows(inner)
            {
                material = Some(pathnode::material(root, inner));
            }
        }
        _ => {}
    }
    let outer_paths = root.paths.rels[work.outer].paths.clone();
    let inner_rels = root.paths.rels[work.inner].relids;
    for mut outer in outer_paths {
        if outer.required().overlaps(inner_rels) {
            continue;
        }
        if work.how == How::UniqueOuter {
            let cheapest =
                root.paths.rels[work.outer].cheapest_total.as_ref().is_some_and(|best| Rc::ptr_eq(best, &outer));
            if !cheapest {
                continue;
            }
            match crate::path::join::unique::unique_path(root, work.outer, &outer, &work.extra.join) {
                Some(path) => outer = path,
                None => continue,
            }
        }
        let keys = pathkeys::of_join(root, work.rel, work.kind, &outer.pathkeys);
        if work.how == How::UniqueInner {
            if let Some(inner) = &inner_total {
                try_nestloop(root, work, &outer, inner, keys.clone());
            }
        } else if nestloop {
            for inner in root.paths.rels[work.inner].cheapest_parameterized.clone() {
                try_nestloop(root, work, &outer, &inner, keys.clone());
            }
            if let Some(material) = &material {
                try_nestloop(root, work, &outer, material, keys.clone());
            }
        }
        if work.how == How::UniqueOuter || !(root.planner.settings.enable_mergejoin || work.kind == JoinKind::Full) {
            continue;
        }
        if let Some(inner) = &inner_total {
            merge_with_order(root, work, merge, &outer, inner, keys);
        }
    }
}

/// Merges by the order that the outer side has (`generate_mergejoin_paths`).
fn merge_with_order(root: &mut PlannerInfo, work: &Work, merge: &[R], outer: &P, inner: &P, keys: PathKeys) {
    let outer_rels = root.paths.rels[work.outer].relids;
    let clauses = pathkeys::merge_clauses(root, &outer.pathkeys, outer_rels, merge);
    // A full join without any key (ON true, ON false) has no other way.
    if clauses.is_empty() && !(work.kind == JoinKind::Full && asks_constants_only(work)) {
        return;
    }
    if matches!(work.kind, JoinKind::Full | JoinKind::Right | JoinKind::RightAnti) && clauses.len() != merge.len() {
        return;
    }
    let inner_keys = pathkeys::inner_keys_for_merge(root, &clauses, &outer.pathkeys, outer_rels);
    try_mergejoin(root, work, outer, inner, keys.clone(), clauses.clone(), outer.pathkeys.clone(), inner_keys.clone());
    if work.how == How::UniqueInner {
        return;
    }
    let paths = root.paths.rels[work.inner].paths.clone();
    let mut best: Option<P> = None;
    for count in (1..=inner_keys.len()).rev() {
        let Some(path) = pathnode::cheapest_for_keys(&paths, &inner_keys[..count], Rels::EMPTY, false) else {
            continue;
        };
        if best.as_ref().is_some_and(|best| pathnode::compare_costs(&path, best, false).is_ge()) {
            continue;
        }
        let used: Vec<R> = if count == inner_keys.len() {
            clauses.clone()
        } else {
            let allowed = &inner_keys[..count];
            let is = |clause: &&R| {
                let class = pathkeys::side_class(clause, outer_rels, root).1;
                allowed.iter().any(|id| pathkeys::class_of(root, *id) == class)
            };
            clauses.iter().take_while(is).cloned().collect()
        };
        if used.is_empty()
            || (matches!(work.kind, JoinKind::Full | JoinKind::Right | JoinKind::RightAnti)
                && used.len() != merge.len())
        {
            continue;
        }
        let inner_order: PathKeys = inner_keys[..count].into();
        try_mergejoin(root, work, outer, &path, keys.clone(), used, outer.pathkeys.clone(), inner_order);
        best = Some(path);
    }
}

/// Are its rows kept already (`ExecMaterializesOutput`)?
fn keeps_rows(path: &Path) -> bool {
    matches!(
        path.node,
        PathNode::Material(_) | PathNode::Sort(_) | PathNode::Cte | PathNode::WorkTable | PathNode::Function
    )
}

fn try_nestloop(root: &mut PlannerInfo, work: &Work, outer: &P, inner: &P, keys: PathKeys) {
    let (outer_rels, inner_rels) = (root.paths.rels[work.outer].relids, root.paths.rels[work.inner].relids);
    let required = (outer.required() | inner.required()) - (outer_rels | inner_rels);
    if outer.required().overlaps(inner_rels) {
        return;
    }
    if !required.is_empty() && !required.overlaps(work.extra.param_sources) {
        // A star: several small relations give values to one large one.
        let star = inner.required().overlaps(outer_rels) && !inner.required().is_subset(outer_rels);
        if !star {
            return;
        }
    }
    // What the inner side asks by its parameters need not be asked again.
    let mut conditions = work.extra.clauses.clone();
    if inner.required().overlaps(outer_rels) {
        let with = inner_rels | inner.required();
        conditions.retain(|clause| !is_movable_into(clause, inner_rels, with));
    }
    let (param, conditions) = join_param_info(root, work, outer, inner, required, conditions);
    let costs = cost_nestloop(root, work.rel, work.kind, outer, inner, &conditions, &work.extra, &param);
    let join = JoinPath {
        kind: work.kind,
        outer: outer.clone(),
        inner: inner.clone(),
        inner_unique: work.extra.inner_unique,
        conditions,
    };
    finish(root, work, PathNode::NestLoop(join), costs, keys, param);
}

/// `hash_inner_and_outer`.
fn hash_inner_and_outer(root: &mut PlannerInfo, work: &Work) {
    let (outer_rels, inner_rels) = (root.paths.rels[work.outer].relids, root.paths.rels[work.inner].relids);
    let usable = |clause: &&R| {
        !(is_outer_join(work.kind) && is_pushed_down(clause, work.extra.join_rels))
            && clause.can_join
            && clause.hash_operator.is_some()
            && fits(clause, outer_rels, inner_rels)
    };
    let clauses: Vec<R> = work.extra.clauses.iter().filter(usable).cloned().collect();
    if clauses.is_empty() {
        return;
    }
    let (outer_rel, inner_rel) = (&root.paths.rels[work.outer], &root.paths.rels[work.inner]);
    let (Some(outer), Some(inner)) = (outer_rel.cheapest_total.clone(), inner_rel.cheapest_total.clone()) else {
        return;
    };
    if outer.required().overlaps(inner_rels) || inner.required().overlaps(outer_rels) {
        return;
    }
    let startup = outer_rel.cheapest_startup.clone();
    match work.how {
        How::UniqueOuter => {
            if let Some(outer) = crate::path::join::unique::unique_path(root, work.outer, &outer, &work.extra.join) {
                try_hashjoin(root, work, &outer, &inner, &clauses);
            }
        }
        How::UniqueInner => {
            if let Some(inner) = crate::path::join::unique::unique_path(root, work.inner, &inner, &work.extra.join) {
                try_hashjoin(root, work, &outer, &inner, &clauses);
                if let Some(startup) = startup.filter(|startup| !Rc::ptr_eq(startup, &outer)) {
                    try_hashjoin(root, work, &startup, &inner, &clauses);
                }
            }
        }
        How::Kind(_) => {
            let outers = root.paths.rels[work.outer].cheapest_parameterized.clone();
            let inners = root.paths.rels[work.inner].cheapest_parameterized.clone();
            if let Some(startup) = &startup {
                try_hashjoin(root, work, startup, &inner, &clauses);
            }
            for outer in &outers {
                if outer.required().overlaps(inner_rels) {
                    continue;
                }
                for inner in &inners {
                    if inner.required().overlaps(outer_rels) {
                        continue;
                    }
                    if startup.as_ref().is_some_and(|startup| Rc::ptr_eq(startup, outer))
                        && Rc::ptr_eq(inner, root.paths.rels[work.inner].cheapest_total.as_ref().expect("it is there"))
                    {
                        continue;
                    }
                    try_hashjoin(root, work, outer, inner, &clauses);
                }
            }
        }
    }
}

fn try_hashjoin(root: &mut PlannerInfo, work: &Work, outer: &P, inner: &P, clauses: &[R]) {
    let required = outer.required() | inner.required();
    if !required.is_empty() && !required.overlaps(work.extra.param_sources) {
        return;
    }
    let (param, conditions) = join_param_info(root, work, outer, inner, required, work.extra.clauses.clone());
    let costs = cost_hashjoin(root, work.rel, work.kind, outer, inner, clauses, &work.extra, &param);
    let join = JoinPath {
        kind: work.kind,
        outer: outer.clone(),
        inner: inner.clone(),
        inner_unique: work.extra.inner_unique,
        conditions,
    };
    finish(root, work, PathNode::HashJoin { join, clauses: clauses.to_vec() }, costs, PathKeys::new(), param);
}
