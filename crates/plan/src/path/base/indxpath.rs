//! Paths through indexes (PostgreSQL's `indxpath.c`).

use std::rc::Rc;

use analyze::query::*;

use crate::manip;
use crate::path::base::bitmap;
use crate::path::base::indexcover::has_all_needed;
use crate::path::base::indexmatch::Column;
use crate::path::cost::costsize;
use crate::path::join::equivclass;
use crate::path::join::restrictinfo::{is_movable_to, is_promotable};
use crate::path::pathkeys;
use crate::path::pathnode;
use crate::path::predtest;
use crate::path::relset::Rels;
use crate::path::state::*;
use crate::plan::ScanDirection;
use crate::planner_info::PlannerInfo;

/// Conditions by index column.
type ClauseSet = Vec<Vec<IndexClause>>;

/// All paths of a table's indexes (`create_index_paths`).
pub fn create_index_paths(root: &mut PlannerInfo, rel: RelId) {
    let mut for_bitmaps = Vec::new();
    for at in 0..root.paths.rels[rel].indexes.len() {
        let index = root.paths.rels[rel].indexes[at].clone();
        if !index.predicate.is_empty() && !index.usable {
            continue;
        }
        let mut own: ClauseSet = vec![Vec::new(); index.columns.len()];
        match_clauses(root, rel, &index, &index.conditions, &mut own);
        let cost = index_paths(root, rel, &index, &own);
        for_bitmaps.extend(bitmap_path(root, rel, &index, &own, cost));
        let joins = join_clauses(root, rel, &index);
        let classes = class_clauses(root, rel, &index);
        if joins.iter().chain(&classes).any(|list| !list.is_empty()) {
            consider_joins(root, rel, &index, &own, &joins, &classes);
        }
    }
    bitmap::create_bitmap_path(root, rel, for_bitmaps);
}

/// The paths by which indexes find the rows of a part of an OR, whose conditions these are, while `others` hold as well
/// (`build_paths_for_OR`).
pub fn paths_of_part(root: &PlannerInfo, rel: RelId, conditions: &[R], others: &[R]) -> Vec<IndexPath> {
    let mut found = Vec::new();
    for index in &root.paths.rels[rel].indexes {
        if !index.predicate.is_empty() && !index.usable {
            continue;
        }
        let mut set: ClauseSet = vec![Vec::new(); index.columns.len()];
        match_clauses(root, rel, index, conditions, &mut set);
        if set.iter().any(|list| !list.is_empty()) {
            others
                .iter()
                .filter(|other| !is_or(other))
                .for_each(|other| match_clause(root, rel, index, other, &mut set));
            found.extend(bitmap_path(root, rel, index, &set, None));
        }
    }
    found
}

/// What reading an index's entries costs, and the part of the rows that they lead to.
type EntryCost = (f64, f64);

/// An index's entries with these conditions, for a bitmap; `None`: it would have them all. `cost`: if it is known.
fn bitmap_path(
    root: &PlannerInfo,
    rel: RelId,
    index: &Rc<IndexOptInfo>,
    set: &ClauseSet,
    cost: Option<EntryCost>,
) -> Option<IndexPath> {
    let clauses: Vec<IndexClause> = set.iter().flatten().cloned().collect();
    if !index.info.method.capabilities().get_bitmap || clauses.is_empty() || lacks_key(index, set) {
        return None;
    }
    let (index, (direction, only)) = (index.clone(), (None, false));
    let reads = HeapReads::default();
    let mut path = IndexPath { index, clauses, direction, only, index_cost: 0.0, selectivity: 0.0, reads };
    (path.index_cost, path.selectivity) = cost.unwrap_or_else(|| {
        let cost = costsize::index_cost(root, &root.paths.rels[rel], &path, 1.0);
        (cost.total, cost.selectivity)
    });
    Some(path)
}

/// Is there no condition on the first column of an index that needs one?
fn lacks_key(index: &IndexOptInfo, set: &ClauseSet) -> bool {
    !index.info.method.capabilities().optional_key && set.first().is_none_or(Vec::is_empty)
}

/// Conditions into the first columns that they fit, ORs last: they ask what is known of the columns before theirs
/// (`match_clauses_to_index`).
fn match_clauses(root: &PlannerInfo, rel: RelId, index: &IndexOptInfo, clauses: &[R], set: &mut ClauseSet) {
    for clause in clauses.iter().filter(|clause| !is_or(clause)) {
        match_clause(root, rel, index, clause, set);
    }
    for clause in clauses.iter().filter(|clause| is_or(clause)) {
        match_clause(root, rel, index, clause, set);
    }
}

/// A condition into the first column that it fits (`match_clause_to_index`).
fn match_clause(root: &PlannerInfo, rel: RelId, index: &IndexOptInfo, clause: &R, set: &mut ClauseSet) {
    if clause.pseudoconstant || !is_promotable(clause, &root.paths.rels[rel]) {
        return;
    }
    let relids = root.paths.rels[rel].relids;
    // Each of an OR's parts is a range, and with another OR each of its own: one of them is enough.
    let has_ranges = |known: &IndexClause| known.quals.iter().any(|qual| matches!(qual.kind, QualKind::Or(_)));
    if is_or(clause) && set.iter().flatten().any(has_ranges) {
        return;
    }
    for (column, list) in set.iter_mut().enumerate() {
        if list.iter().any(|known| Rc::ptr_eq(&known.clause, clause)) {
            return;
        }
        if let Some(matched) = (Column { index, column, rel: relids }).matches(root, &clause.clause) {
            list.push(IndexClause { clause: clause.clone(), quals: matched.quals, lossy: matched.lossy, column });
            return;
        }
        // Ranges begin where the columns before are equal to something.
        if is_or(clause) && !list.iter().any(is_equality) {
            return;
        }
    }
}

fn is_or(clause: &R) -> bool {
    manip::is_or(&clause.clause)
}

fn is_equality(clause: &IndexClause) -> bool {
    clause.quals.iter().any(|qual| match qual.kind {
        QualKind::Compare { strategy, .. } | QualKind::Any { strategy, .. } => strategy == catalog::strategy::EQUAL,
        _ => false,
    })
}

fn join_clauses(root: &PlannerInfo, rel: RelId, index: &IndexOptInfo) -> ClauseSet {
    let mut set: ClauseSet = vec![Vec::new(); index.columns.len()];
    for clause in &root.paths.rels[rel].join_clauses {
        if is_movable_to(root, clause, rel) {
            match_clause(root, rel, index, clause, &mut set);
        }
    }
    set
}

/// What equivalence classes say of the index's columns (`match_eclass_clauses_to_index`).
fn class_clauses(root: &mut PlannerInfo, rel: RelId, index: &Rc<IndexOptInfo>) -> ClauseSet {
    let mut set: ClauseSet = vec![Vec::new(); index.columns.len()];
    if !root.paths.rels[rel].has_eclass_joins {
        return set;
    }
    let relids = root.paths.rels[rel].relids;
    let prohibited = root.paths.rels[rel].lateral_referencers;
    for column in 0..index.columns.len() {
        let at = index.clone();
        let matches = move |_: &PlannerInfo, class: &EquivalenceClass, member: &ClassMember| {
            class.families.contains(&at.info.columns[column].family)
                && Column { index: &at, column, rel: relids }.is(&member.expr)
        };
        for clause in equivclass::implied_equalities_for_column(root, rel, prohibited, &matches) {
            match_clause(root, rel, index, &clause, &mut set);
        }
    }
    set
}

/// Which relations might give values to the index together (`consider_index_join_clauses`).
fn consider_joins(
    root: &mut PlannerInfo,
    rel: RelId,
    index: &Rc<IndexOptInfo>,
    own: &ClauseSet,
    joins: &ClauseSet,
    classes: &ClauseSet,
) {
    let mut considered: Vec<Rels> = Vec::new();
    let relids = root.paths.rels[rel].relids;
    let mut count = 0;
    for column in 0..index.columns.len() {
        count += joins[column].len() + classes[column].len();
        for clause in joins[column].iter().chain(&classes[column]) {
            let rels = clause.clause.clause_rels;
            if considered.contains(&rels) {
                continue;
            }
            for at in 0..considered.len() {
                let other = considered[at];
                if rels.is_subset(other) || other.is_subset(rels) {
                    continue;
                }
                if considered.len() >= 10 * count {
                    break;
                }
                let both = rels | other;
                if !considered.contains(&both) {
                    join_paths(root, rel, index, own, joins, classes, both, &mut considered);
                }
            }
            join_paths(root, rel, index, own, joins, classes, rels, &mut considered);
        }
    }
    let _ = relids;
}

#[allow(clippy::too_many_arguments)]
fn join_paths(
    root: &mut PlannerInfo,
    rel: RelId,
    index: &Rc<IndexOptInfo>,
    own: &ClauseSet,
    joins: &ClauseSet,
    classes: &ClauseSet,
    rels: Rels,
    considered: &mut Vec<Rels>,
) {
    if considered.contains(&rels) {
        return;
    }
    considered.push(rels);
    let mut set: ClauseSet = vec![Vec::new(); index.columns.len()];
    for column in 0..set.len() {
        let usable = |clause: &&IndexClause| clause.clause.clause_rels.is_subset(rels);
        set[column].extend(joins[column].iter().filter(usable).cloned());
        // One of a class is enough.
        for clause in classes[column].iter().filter(usable) {
            let same = |known: &IndexClause| {
                known.clause.parent_class.is_some() && known.clause.parent_class == clause.clause.parent_class
            };
            if !set[column].iter().any(same) {
                set[column].push(clause.clone());
            }
        }
        set[column].extend(own[column].iter().cloned());
    }
    index_paths(root, rel, index, &set);
}

/// The index's paths with these conditions (`build_index_paths`). Gives what the entries cost, if there is a path.
fn index_paths(root: &mut PlannerInfo, rel: RelId, index: &Rc<IndexOptInfo>, set: &ClauseSet) -> Option<EntryCost> {
    let clauses: Vec<IndexClause> = set.iter().flatten().cloned().collect();
    let relids = root.paths.rels[rel].relids;
    let mut outer = root.paths.rels[rel].lateral;
    for clause in &clauses {
        outer |= clause.clause.clause_rels;
    }
    let outer = outer - relids;
    let can = index.info.method.capabilities();
    if !can.get_tuple || lacks_key(index, set) {
        return None;
    }
    let has_or = clauses.iter().any(|clause| clause.quals.iter().any(|qual| matches!(qual.kind, QualKind::Or(_))));
    // The rows of a catalog come in no order.
    let any_useful = pathkeys::any_useful(root, rel) && !has_or && index.info.table >= catalog::FIRST_NORMAL_OBJECT_ID;
    let forward = if any_useful { pathkeys::index_keys(root, index, ScanDirection::Forward) } else { PathKeys::new() };
    let forward = pathkeys::truncate_useless(root, rel, forward);
    let only = is_index_only(root, rel, index);
    let mut cost = None;
    if !clauses.is_empty() || !forward.is_empty() || only || (!index.predicate.is_empty() && index.usable) {
        let direction = (!forward.is_empty()).then_some(ScanDirection::Forward);
        cost = Some(add_index_path(root, rel, index, &clauses, forward, direction, only, outer));
    }
    if any_useful && can.can_backward {
        let backward = pathkeys::index_keys(root, index, ScanDirection::Backward);
        let backward = pathkeys::truncate_useless(root, rel, backward);
        if !backward.is_empty() {
            add_index_path(root, rel, index, &clauses, backward, Some(ScanDirection::Backward), only, outer);
        }
    }
    cost
}

#[allow(clippy::too_many_arguments)]
fn add_index_path(
    root: &mut PlannerInfo,
    rel: RelId,
    index: &Rc<IndexOptInfo>,
    clauses: &[IndexClause],
    keys: PathKeys,
    direction: Option<ScanDirection>,
    only: bool,
    outer: Rels,
) -> EntryCost {
    let param = pathnode::base_param_info(root, rel, outer);
    let rows = param.as_ref().map_or(root.paths.rels[rel].rows, |param| param.rows);
    let loops = if outer.is_empty() { 1.0 } else { loop_count(root, outer) };
    let mut asked = index.conditions.clone();
    if let Some(param) = &param {
        asked.extend(param.clauses.iter().cloned());
    }
    let mut path = IndexPath {
        index: index.clone(),
        clauses: clauses.to_vec(),
        direction,
        only,
        index_cost: 0.0,
        selectivity: 0.0,
        reads: HeapReads::default(),
    };
    let known = &root.paths.rels[rel];
    let target = known.target.clone();
    let cost = costsize::cost_index(root, known, &path, &asked, &target, rows, loops);
    let costsize::IndexScanCost { costs, index_cost, selectivity, reads } = cost;
    (path.index_cost, path.selectivity, path.reads) = (index_cost, selectivity, reads);
    let path = Rc::new(Path {
        node: PathNode::Index(path),
        rel,
        target,
        param,
        rows,
        disabled: costs.disabled,
        startup: costs.startup,
        total: costs.total,
        pathkeys: keys,
    });
    pathnode::add_to(root, rel, path);
    (index_cost, selectivity)
}

/// How often a parameterized path will be run at least (`get_loop_count`).
fn loop_count(root: &PlannerInfo, outer: Rels) -> f64 {
    let mut least = 0.0;
    for relation in outer.iter() {
        let Some(rel) = root.paths.base.get(relation.0 as usize).copied().flatten() else { continue };
        let known = &root.paths.rels[rel];
        if known.dummy {
            continue;
        }
        let mut rows = known.rows;
        // Of a semijoin's right side only different rows come.
        for join in &root.paths.join_info {
            if join.kind == crate::plan::JoinKind::Semi
                && join.syn_right.contains(relation)
                && !join.semi_exprs.is_empty()
            {
                rows = crate::path::estimate::selfuncs::estimate_num_groups(root, &join.semi_exprs, rows).min(rows);
            }
        }
        if least == 0.0 || rows < least {
            least = rows;
        }
    }
    if least > 0.0 { least } else { 1.0 }
}

/// Has the index all columns that are needed (`check_index_only`)?
fn is_index_only(root: &PlannerInfo, rel: RelId, index: &IndexOptInfo) -> bool {
    if !root.planner.settings.enable_indexonlyscan || !index.info.method.capabilities().can_return {
        return false;
    }
    has_all_needed(&root.paths.rels[rel], index, &|attribute| {
        index.info.columns.iter().any(|column| column.attribute == attribute)
            || index.info.included.contains(&attribute)
    })
}

/// Which partial indexes may be used, and what their predicates say already (`check_index_predicates`).
pub fn check_index_predicates(root: &mut PlannerInfo, rel: RelId) {
    let known = &root.paths.rels[rel];
    let conditions = known.conditions.clone();
    let any_partial = known.indexes.iter().any(|index| !index.predicate.is_empty());
    let mut movable: Vec<R> = Vec::new();
    if any_partial {
        movable.extend(known.join_clauses.iter().filter(|clause| is_movable_to(root, clause, rel)).cloned());
    }
    let is_target = root.query.result_relation == Some(known.relation)
        || root.row_marks.iter().any(|mark| mark.relation == known.relation);
    let indexes = known.indexes.iter().map(|index| {
        let mut made = IndexOptInfo {
            info: index.info.clone(),
            random_page_cost: index.random_page_cost,
            columns: index.columns.clone(),
            predicate: index.predicate.clone(),
            usable: true,
            conditions: conditions.clone(),
        };
        if !index.predicate.is_empty() {
            let clauses: Vec<&Expr> = conditions.iter().chain(&movable).map(|clause| &clause.clause).collect();
            made.usable = predtest::implied_by(root, &index.predicate, &clauses);
            // Rows that are changed are looked at again: their conditions have to be there.
            if made.usable && !is_target {
                let predicate: Vec<&Expr> = index.predicate.iter().collect();
                made.conditions
                    .retain(|clause| !predtest::implied_by(root, std::slice::from_ref(&clause.clause), &predicate));
            }
        }
        Rc::new(made)
    });
    let indexes: Vec<Rc<IndexOptInfo>> = indexes.collect();
    root.paths.rels[rel].indexes = indexes;
}
