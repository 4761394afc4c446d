//! Orders of rows (PostgreSQL's `pathkeys.c`).

use analyze::query::*;
use catalog::strategy;
use types::Oid;

use super::state::*;
use crate::path::join::equivclass;
use crate::path::join::equivclass::class_for_sort;
use crate::plan::{JoinKind, ScanDirection};
use crate::planner_info::PlannerInfo;

/// The number of an order (`make_canonical_pathkey`).
pub fn canonical(root: &mut PlannerInfo, key: PathKey) -> PathKeyId {
    let key = PathKey { class: root.paths.canonical(key.class), ..key };
    let known = root.paths.pathkeys.iter().position(|other| *other == key);
    known.unwrap_or_else(|| {
        root.paths.pathkeys.push(key);
        root.paths.pathkeys.len() - 1
    }) as PathKeyId
}

pub fn key(root: &PlannerInfo, id: PathKeyId) -> PathKey {
    root.paths.pathkeys[id as usize]
}

pub fn class_of(root: &PlannerInfo, id: PathKeyId) -> ClassId {
    root.paths.canonical(key(root, id).class)
}

/// Is it said already, by a constant or by keys before (`pathkey_is_redundant`)?
fn is_redundant(root: &PlannerInfo, id: PathKeyId, keys: &[PathKeyId]) -> bool {
    let class = class_of(root, id);
    let known = &root.paths.classes[class];
    (known.has_const && !known.below_outer_join) || keys.iter().any(|other| class_of(root, *other) == class)
}

pub fn add(root: &PlannerInfo, keys: &mut PathKeys, id: PathKeyId) {
    if !is_redundant(root, id, keys) {
        keys.push(id);
    }
}

/// The key of sorting by an expression (`make_pathkey_from_sortinfo`). `of`: as [`class_for_sort`] has it.
pub fn from_sort_info(
    root: &mut PlannerInfo,
    expr: &Expr,
    (family, ty): (Oid, Oid),
    descending: bool,
    nulls_first: bool,
    of: (u32, bool),
    create: bool,
) -> Option<PathKeyId> {
    let catalog = root.planner.catalog;
    let equality = catalog.opfamily_member(family, ty, ty, strategy::EQUAL)?;
    let families = catalog.mergejoin_opfamilies(equality);
    let class = class_for_sort(root, expr, &families, ty, of, create)?;
    Some(canonical(root, PathKey { class, family, descending, nulls_first }))
}

/// By a clause's operator (`make_pathkey_from_sortop`).
pub fn from_sort_operator(
    root: &mut PlannerInfo,
    expr: &Expr,
    clause: &SortGroupClause,
    create: bool,
) -> Option<PathKeyId> {
    let ordering = root.planner.catalog.ordering_properties(clause.sort)?;
    from_sort_info(
        root,
        expr,
        (ordering.family, ordering.ty),
        ordering.descending,
        clause.nulls_first,
        (clause.reference, !root.grouping_sets.is_empty()),
        create,
    )
}

/// The order of clauses over targets; the second: all could be sorted by (`make_pathkeys_for_sortclauses`).
pub fn for_clauses(root: &mut PlannerInfo, clauses: &[SortGroupClause], targets: &[TargetEntry]) -> (PathKeys, bool) {
    let mut keys = PathKeys::new();
    let mut all = true;
    for clause in clauses {
        let Some(target) = targets.iter().find(|target| target.reference == clause.reference) else {
            all = false;
            continue;
        };
        match from_sort_operator(root, &target.expr, clause, true) {
            Some(id) => add(root, &mut keys, id),
            None => all = false,
        }
    }
    (keys, all)
}

/// Are rows that are sorted by `by` sorted by `wanted` too (`pathkeys_contained_in`)?
pub fn contained_in(wanted: &[PathKeyId], by: &[PathKeyId]) -> bool {
    by.len() >= wanted.len() && by[..wanted.len()] == *wanted
}

/// How many of the first keys are the same (`pathkeys_count_contained_in`).
pub fn common(wanted: &[PathKeyId], by: &[PathKeyId]) -> usize {
    wanted.iter().zip(by).take_while(|(a, b)| a == b).count()
}

/// What order an index gives (`build_index_pathkeys`).
pub fn index_keys(root: &mut PlannerInfo, index: &IndexOptInfo, direction: ScanDirection) -> PathKeys {
    let mut keys = PathKeys::new();
    if !index.info.method.capabilities().can_order {
        return keys;
    }
    let backward = direction == ScanDirection::Backward;
    for (column, expr) in index.info.columns.iter().zip(&index.columns) {
        let (descending, nulls_first) = (column.descending != backward, column.nulls_first != backward);
        let key =
            from_sort_info(root, expr, (column.family, column.class_type), descending, nulls_first, (0, false), false);
        match key {
            Some(id) => add(root, &mut keys, id),
            // No order by this column is asked for, unless it is always the same.
            None => break,
        }
    }
    keys
}

/// The order of a subquery's rows, by its columns here (`convert_subquery_pathkeys`).
pub fn from_subquery(root: &mut PlannerInfo, rel: RelId, sub_keys: &[PathKeyId]) -> PathKeys {
    let mut keys = PathKeys::new();
    let relation = root.paths.rels[rel].relation;
    for &sub_key in sub_keys {
        let Some(sub) = root.paths.rels[rel].subroot.as_ref() else { break };
        let inner = key(sub, sub_key);
        let class = &sub.paths.classes[sub.paths.canonical(inner.class)];
        let visible = || sub.query.targets.iter().filter(|target| !target.junk);
        let mut candidates = Vec::new();
        for member in &class.members {
            for (position, target) in visible().enumerate() {
                let same = equivclass::canonical_expr(&target.expr, member.ty) == member.expr;
                if same && (!class.has_volatile || target.reference == class.reference) {
                    let var = Var {
                        relation,
                        attribute: position as i16 + 1,
                        ty: target.expr.ty(),
                        collation: Collation::NONE,
                        levels_up: 0,
                        location: Location::NONE,
                    };
                    candidates.push((var, member.ty));
                }
            }
        }
        let families: Vec<Oid> = class.families.to_vec();
        let found = candidates.into_iter().find_map(|(var, ty)| {
            let class = class_for_sort(root, &Expr::Var(var), &families, ty, (0, false), false)?;
            Some(canonical(root, PathKey { class, ..inner }))
        });
        match found {
            Some(id) => add(root, &mut keys, id),
            None => break,
        }
    }
    keys
}

/// The order that a join keeps of its outer side (`build_join_pathkeys`).
pub fn of_join(root: &PlannerInfo, rel: RelId, kind: JoinKind, outer: &PathKeys) -> PathKeys {
    match kind {
        JoinKind::Full | JoinKind::Right | JoinKind::RightAnti | JoinKind::RightSemi => PathKeys::new(),
        _ => truncate_useless(root, rel, outer.clone()),
    }
}

/// Without the last keys that are of no use (`truncate_useless_pathkeys`).
pub fn truncate_useless(root: &PlannerInfo, rel: RelId, mut keys: PathKeys) -> PathKeys {
    let useful = useful_for_merging(root, rel, &keys)
        .max(common(&root.paths.query_keys, &keys))
        .max(useful_for_grouping(&root.paths.group_keys, &keys))
        .max(useful_for_grouping(&root.paths.distinct_keys, &keys));
    keys.truncate(useful);
    keys
}

fn useful_for_grouping(group: &[PathKeyId], keys: &[PathKeyId]) -> usize {
    keys.iter().take_while(|id| group.contains(id)).count()
}

fn useful_for_merging(root: &PlannerInfo, rel: RelId, keys: &[PathKeyId]) -> usize {
    let known = &root.paths.rels[rel];
    let useful = |id: &&PathKeyId| {
        let class = class_of(root, **id);
        (known.has_eclass_joins && equivclass::useful_for_merging(root, class, known))
            || known.join_clauses.iter().any(|clause| {
                let is = |side: Option<ClassId>| side.map(|id| root.paths.canonical(id)) == Some(class);
                !clause.merge_families.is_empty() && (is(clause.left_class.get()) || is(clause.right_class.get()))
            })
    };
    keys.iter().take_while(useful).count()
}

/// Is there any order of the relation that could be used (`has_useful_pathkeys`)?
pub fn any_useful(root: &PlannerInfo, rel: RelId) -> bool {
    let known = &root.paths.rels[rel];
    !known.join_clauses.is_empty()
        || known.has_eclass_joins
        || !root.paths.query_keys.is_empty()
        || !root.paths.group_keys.is_empty()
}

/// The class of a merge clause's side that is in these relations.
pub fn side_class(clause: &R, outer: super::relset::Rels, root: &PlannerInfo) -> (ClassId, ClassId) {
    let canon = |class: &std::cell::Cell<Option<ClassId>>| root.paths.canonical(class.get().expect("a merge clause"));
    let (left, right) = (canon(&clause.left_class), canon(&clause.right_class));
    if clause.left.is_subset(outer) { (left, right) } else { (right, left) }
}

/// The clauses that the first keys of the outer side can be merged by (`find_mergeclauses_for_outer_pathkeys`).
pub fn merge_clauses(root: &PlannerInfo, keys: &[PathKeyId], outer: super::relset::Rels, clauses: &[R]) -> Vec<R> {
    let mut found = Vec::new();
    for id in keys {
        let class = class_of(root, *id);
        let matching: Vec<R> =
            clauses.iter().filter(|clause| side_class(clause, outer, root).0 == class).cloned().collect();
        if matching.is_empty() {
            break;
        }
        found.extend(matching);
    }
    found
}

/// An order of the outer side by which all clauses can be merged (`select_outer_pathkeys_for_merge`).
pub fn outer_keys_for_merge(root: &mut PlannerInfo, clauses: &[R], outer: super::relset::Rels) -> PathKeys {
    let mut classes: Vec<ClassId> = Vec::new();
    for clause in clauses {
        let class = side_class(clause, outer, root).0;
        if !classes.contains(&class) {
            classes.push(class);
        }
    }
    let mut keys = PathKeys::new();
    // The query's own order, if the merge can give all of it.
    let query = root.paths.query_keys.clone();
    if !query.is_empty() && query.iter().all(|id| classes.contains(&class_of(root, *id))) {
        keys = query;
        classes.retain(|class| !keys.iter().any(|id| class_of(root, *id) == *class));
    }
    for class in classes {
        let family = root.paths.classes[class].families[0];
        let id = canonical(root, PathKey { class, family, descending: false, nulls_first: false });
        add(root, &mut keys, id);
    }
    keys
}

/// The inner side's order that goes with clauses and the outer's (`make_inner_pathkeys_for_merge`).
pub fn inner_keys_for_merge(
    root: &mut PlannerInfo,
    clauses: &[R],
    outer_keys: &[PathKeyId],
    outer: super::relset::Rels,
) -> PathKeys {
    let mut keys = PathKeys::new();
    for clause in clauses {
        let (outer_class, inner_class) = side_class(clause, outer, root);
        let Some(outer_key) = outer_keys.iter().find(|id| class_of(root, **id) == outer_class) else { continue };
        let id = if inner_class == outer_class {
            *outer_key
        } else {
            let like = key(root, *outer_key);
            canonical(root, PathKey { class: inner_class, ..like })
        };
        add(root, &mut keys, id);
    }
    keys
}
