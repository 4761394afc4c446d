//! Which relations are joined, in which order (PostgreSQL's `joinrels.c`): all orders by dynamic programming; of very many
//! relations greedily, where PostgreSQL has its genetic search.

use std::rc::Rc;

use analyze::query::*;
use error::sqlstate;
use types::{Error, Result};

use crate::path::clauses::is_false;
use crate::path::cost::costsize;
use crate::path::join::equivclass;
use crate::path::join::initsplan::JoinList;
use crate::path::join::joinpath::{How, add_paths};
use crate::path::pathnode::{mark_dummy, set_cheapest};
use crate::path::relset::Rels;
use crate::path::state::*;
use crate::plan::JoinKind;
use crate::planner_info::PlannerInfo;

/// The greedy search gives up after so many joins that led nowhere.
const MOST_DEAD_ENDS: usize = 1000;

/// The relation that a list of relations is joined to (`make_rel_from_joinlist`).
pub fn make_rel(root: &mut PlannerInfo, list: &JoinList) -> Result<RelId> {
    match list {
        JoinList::Relation(relation) => Ok(root.paths.base_rel(*relation)),
        JoinList::List(parts) => {
            let rels = parts.iter().map(|part| make_rel(root, part)).collect::<Result<Vec<RelId>>>()?;
            match rels.as_slice() {
                [only] => Ok(*only),
                many if root.planner.settings.geqo && many.len() >= root.planner.settings.geqo_threshold => {
                    greedy(root, rels)
                }
                _ => search(root, rels),
            }
        }
    }
}

fn no_plan() -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "could not devise a query plan for the given query")
}

/// `standard_join_search`.
fn search(root: &mut PlannerInfo, initial: Vec<RelId>) -> Result<RelId> {
    let count = initial.len();
    let mut levels: Vec<Vec<RelId>> = vec![Vec::new(), initial.clone()];
    for level in 2..=count {
        let made = one_level(root, &levels, &initial, level);
        for &rel in &made {
            set_cheapest(root, rel);
        }
        levels.push(made);
    }
    match levels[count].as_slice() {
        [only] if root.paths.rels[*only].cheapest_total.is_some() => Ok(*only),
        _ => Err(full_join_error(root)),
    }
}

fn full_join_error(root: &PlannerInfo) -> Error {
    if root.paths.join_info.iter().any(|join| join.kind == JoinKind::Full) {
        return Error::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions",
        );
    }
    no_plan()
}

/// Joins of so many relations (`join_search_one_level`).
fn one_level(root: &mut PlannerInfo, levels: &[Vec<RelId>], initial: &[RelId], level: usize) -> Vec<RelId> {
    let mut made = Vec::new();
    for (at, &old) in levels[level - 1].iter().enumerate() {
        let clauses = {
            let known = &root.paths.rels[old];
            !known.join_clauses.is_empty() || known.has_eclass_joins || has_restriction(root, old)
        };
        let others: Vec<RelId> = if level == 2 { levels[1][at + 1..].to_vec() } else { initial.to_vec() };
        for other in others {
            if root.paths.rels[old].relids.overlaps(root.paths.rels[other].relids) {
                continue;
            }
            if !clauses || relevant(root, old, other) {
                make_join(root, old, other, &mut made);
            }
        }
    }
    // Joins of joins.
    for small in 2..=level / 2 {
        let large = level - small;
        for (at, &old) in levels[small].iter().enumerate() {
            let known = &root.paths.rels[old];
            if known.join_clauses.is_empty() && !known.has_eclass_joins && !has_restriction(root, old) {
                continue;
            }
            let others: Vec<RelId> =
                if small == large { levels[small][at + 1..].to_vec() } else { levels[large].to_vec() };
            for other in others {
                if !root.paths.rels[old].relids.overlaps(root.paths.rels[other].relids) && relevant(root, old, other) {
                    make_join(root, old, other, &mut made);
                }
            }
        }
    }
    if made.is_empty() {
        // Nothing is connected: every join that is allowed.
        for &old in &levels[level - 1] {
            for &other in initial {
                if !root.paths.rels[old].relids.overlaps(root.paths.rels[other].relids) {
                    make_join(root, old, other, &mut made);
                }
            }
        }
    }
    made
}

/// The cheapest join of any two, again and again. Where no two that are left may be joined, the join before was a wrong one:
/// the next cheapest is tried in its place.
fn greedy(root: &mut PlannerInfo, rels: Vec<RelId>) -> Result<RelId> {
    let mut dead_ends = MOST_DEAD_ENDS;
    join_greedily(root, rels, &mut dead_ends).ok_or_else(|| full_join_error(root))
}

fn join_greedily(root: &mut PlannerInfo, rels: Vec<RelId>, dead_ends: &mut usize) -> Option<RelId> {
    if let [only] = rels.as_slice() {
        return Some(*only);
    }
    for connected in [true, false] {
        for (_, one, two, rel) in joins_of_two(root, &rels, connected) {
            let mut joined = rels.clone();
            joined.remove(two);
            joined[one] = rel;
            let found = join_greedily(root, joined, dead_ends);
            if found.is_some() || *dead_ends == 0 {
                return found;
            }
        }
    }
    *dead_ends -= 1;
    None
}

/// The joins of any two that are connected, or are not, cheapest first: what they cost, the places of the two, and the join.
fn joins_of_two(root: &mut PlannerInfo, rels: &[RelId], connected: bool) -> Vec<(f64, usize, usize, RelId)> {
    let mut joins = Vec::new();
    for one in 0..rels.len() {
        for two in one + 1..rels.len() {
            if connected != relevant(root, rels[one], rels[two]) {
                continue;
            }
            let Some(rel) = make_join_rel(root, rels[one], rels[two]) else { continue };
            set_cheapest(root, rel);
            if let Some(path) = &root.paths.rels[rel].cheapest_total {
                joins.push((root.paths.rels[rel].rows + path.total / 1e6, one, two, rel));
            }
        }
    }
    joins.sort_by(|a, b| a.0.total_cmp(&b.0));
    joins
}

/// Is there a condition, or an order of joins, that says to join them?
fn relevant(root: &PlannerInfo, one: RelId, two: RelId) -> bool {
    have_clause(root, one, two) || have_order_restriction(root, one, two)
}

/// `have_relevant_joinclause`.
fn have_clause(root: &PlannerInfo, one: RelId, two: RelId) -> bool {
    let (a, b) = (&root.paths.rels[one], &root.paths.rels[two]);
    let (list, other) = if a.join_clauses.len() <= b.join_clauses.len() { (a, b) } else { (b, a) };
    list.join_clauses.iter().any(|clause| other.relids.overlaps(clause.required))
        || (a.has_eclass_joins && b.has_eclass_joins && equivclass::have_relevant_join(root, a.relids, b.relids))
}

/// `have_join_order_restriction`.
fn have_order_restriction(root: &PlannerInfo, one: RelId, two: RelId) -> bool {
    let (a, b) = (&root.paths.rels[one], &root.paths.rels[two]);
    if a.direct_lateral.overlaps(b.relids)
        || b.direct_lateral.overlaps(a.relids)
        || a.lateral.overlaps(b.relids)
        || b.lateral.overlaps(a.relids)
    {
        return true;
    }
    let (a, b) = (a.relids, b.relids);
    let mut result = false;
    for join in root.paths.join_info.iter().filter(|join| join.kind != JoinKind::Full) {
        if (join.min_left.is_subset(a) && join.min_right.is_subset(b))
            || (join.min_left.is_subset(b) && join.min_right.is_subset(a))
        {
            return true;
        }
        // Part of one side: it has to be put together first.
        if (join.min_right.overlaps(a) && join.min_right.overlaps(b))
            || (join.min_left.overlaps(a) && join.min_left.overlaps(b))
        {
            result = true;
        }
    }
    result && !has_legal_clause(root, one) && !has_legal_clause(root, two)
}

/// `has_join_restriction`.
fn has_restriction(root: &PlannerInfo, rel: RelId) -> bool {
    let known = &root.paths.rels[rel];
    if !known.lateral.is_empty() || !known.lateral_referencers.is_empty() {
        return true;
    }
    root.paths.join_info.iter().filter(|join| join.kind != JoinKind::Full).any(|join| {
        let done = join.min_left.is_subset(known.relids) && join.min_right.is_subset(known.relids);
        !done && (join.min_left.overlaps(known.relids) || join.min_right.overlaps(known.relids))
    })
}

/// Could it be joined with any base relation by a clause (`has_legal_joinclause`)?
fn has_legal_clause(root: &PlannerInfo, rel: RelId) -> bool {
    let bases: Vec<RelId> = root.paths.base.iter().flatten().copied().collect();
    bases.into_iter().any(|other| {
        let (a, b) = (root.paths.rels[rel].relids, root.paths.rels[other].relids);
        !a.overlaps(b) && have_clause(root, rel, other) && is_legal(root, rel, other, a | b).is_some()
    })
}

/// The join that two relations make, if it is allowed: what kind, and whether the sides are exchanged (`join_is_legal`).
fn is_legal(root: &PlannerInfo, one: RelId, two: RelId, join_rels: Rels) -> Option<(Option<SpecialJoinInfo>, bool)> {
    let (a, b) = (root.paths.rels[one].relids, root.paths.rels[two].relids);
    let mut matched: Option<(&SpecialJoinInfo, bool)> = None;
    let (mut unique_ified, mut must_be_left) = (false, false);
    for join in &root.paths.join_info {
        if !join.min_right.overlaps(join_rels) || join_rels.is_subset(join.min_right) {
            continue;
        }
        let done = |rels: Rels| join.min_left.is_subset(rels) && join.min_right.is_subset(rels);
        if done(a) || done(b) {
            continue;
        }
        // A semijoin's right side that was made unique below.
        if join.kind == JoinKind::Semi && join.syn_right.is_subset(a) && join.syn_right != a {
            continue;
        }
        if join.kind == JoinKind::Semi && join.syn_right.is_subset(b) && join.syn_right != b {
            continue;
        }
        let can_unique =
            |rels: Rels| join.kind == JoinKind::Semi && join.syn_right == rels && (join.can_btree || join.can_hash);
        if join.min_left.is_subset(a) && join.min_right.is_subset(b) {
            if matched.is_some() {
                return None;
            }
            matched = Some((join, false));
        } else if join.min_left.is_subset(b) && join.min_right.is_subset(a) {
            if matched.is_some() {
                return None;
            }
            matched = Some((join, true));
        } else if can_unique(b) {
            if matched.is_some() {
                return None;
            }
            matched = Some((join, false));
            unique_ified = true;
        } else if can_unique(a) {
            if matched.is_some() {
                return None;
            }
            matched = Some((join, true));
            unique_ified = true;
        } else {
            // Joining within or across its right side: allowed if it may be done by associating outer joins.
            if a.overlaps(join.min_right) && b.overlaps(join.min_right) {
                continue;
            }
            if join.kind != JoinKind::Left || join_rels.overlaps(join.min_left) {
                return None;
            }
            must_be_left = true;
        }
    }
    if must_be_left && matched.is_none_or(|(join, _)| join.kind != JoinKind::Left || !join.lhs_strict) {
        return None;
    }
    // LATERAL: the side that takes values is inside.
    let (rel_a, rel_b) = (&root.paths.rels[one], &root.paths.rels[two]);
    let (a_takes, b_takes) = (rel_b.lateral_for(a), rel_a.lateral_for(b));
    if a_takes && b_takes {
        return None;
    }
    if a_takes || b_takes {
        // The taker is `b` if a_takes: its values come from `a`.
        let swapped_taker = b_takes;
        if let Some((join, swapped)) = matched
            && (swapped != swapped_taker || unique_ified || join.kind == JoinKind::Full)
        {
            return None;
        }
        let direct = if a_takes { rel_b.direct_lateral.overlaps(a) } else { rel_a.direct_lateral.overlaps(b) };
        if !direct {
            return None;
        }
    }
    if takes_of_inner_sides(root, (rel_a.lateral | rel_b.lateral) - join_rels, join_rels) {
        return None;
    }
    Some(matched.map_or((None, false), |(join, swapped)| (Some(join.clone()), swapped)))
}

/// Does a join take values of relations that have to come to the right of outer joins with it? Then it could never be joined
/// with them.
fn takes_of_inner_sides(root: &PlannerInfo, lateral: Rels, join_rels: Rels) -> bool {
    if lateral.is_empty() {
        return false;
    }
    let mut with_right = join_rels;
    loop {
        let before = with_right;
        for join in root.paths.join_info.iter().filter(|join| join.kind != JoinKind::Full) {
            if join.min_left.overlaps(with_right) {
                with_right |= join.min_right;
            }
        }
        if with_right == before {
            return with_right.overlaps(lateral);
        }
    }
}

impl RelOptInfo<'_> {
    /// Does it take values of these relations?
    fn lateral_for(&self, rels: Rels) -> bool {
        self.lateral.overlaps(rels)
    }
}

fn make_join(root: &mut PlannerInfo, one: RelId, two: RelId, made: &mut Vec<RelId>) {
    if let Some(rel) = make_join_rel(root, one, two)
        && !made.contains(&rel)
    {
        made.push(rel);
    }
}

/// The relation that two are joined to, with the paths of this pair (`make_join_rel`).
pub fn make_join_rel(root: &mut PlannerInfo, one: RelId, two: RelId) -> Option<RelId> {
    let rels = root.paths.rels[one].relids | root.paths.rels[two].relids;
    let (join, swapped) = is_legal(root, one, two, rels)?;
    let (one, two) = if swapped { (two, one) } else { (one, two) };
    let join = join.unwrap_or_else(|| inner_join(root.paths.rels[one].relids, root.paths.rels[two].relids));
    let (rel, clauses) = build_join_rel(root, rels, one, two, &join);
    if !root.paths.rels[rel].dummy {
        populate(root, one, two, rel, &join, &clauses);
    }
    Some(rel)
}

fn inner_join(left: Rels, right: Rels) -> SpecialJoinInfo {
    SpecialJoinInfo {
        min_left: left,
        min_right: right,
        syn_left: left,
        syn_right: right,
        kind: JoinKind::Inner,
        lhs_strict: false,
        delay_upper: false,
        can_btree: false,
        can_hash: false,
        semi_operators: Vec::new(),
        semi_exprs: Vec::new(),
    }
}

/// The conditions that are asked at a join of these sides (`build_joinrel_restrictlist`).
fn restrict_list(root: &mut PlannerInfo, rels: Rels, one: RelId, two: RelId) -> Vec<R> {
    let mut list: Vec<R> = Vec::new();
    for rel in [one, two] {
        for clause in &root.paths.rels[rel].join_clauses {
            if clause.required.is_subset(rels) && !list.iter().any(|known| Rc::ptr_eq(known, clause)) {
                list.push(clause.clone());
            }
        }
    }
    let (a, b) = (root.paths.rels[one].relids, root.paths.rels[two].relids);
    if root.paths.rels[one].has_eclass_joins && root.paths.rels[two].has_eclass_joins {
        list.extend(equivclass::join_implied_equalities(root, rels, a, b));
    }
    list
}

/// `build_join_rel`.
fn build_join_rel(
    root: &mut PlannerInfo,
    rels: Rels,
    one: RelId,
    two: RelId,
    join: &SpecialJoinInfo,
) -> (RelId, Vec<R>) {
    if let Some(rel) = root.paths.joins.get(&rels).copied() {
        let list = restrict_list(root, rels, one, two);
        return (rel, list);
    }
    let mut target = PathTarget::default();
    for rel in [one, two] {
        for expr in &root.paths.rels[rel].target.exprs {
            if let Expr::Var(var) = expr
                && root.paths.needed_above(var, rels)
            {
                target.exprs.push(expr.clone());
            }
        }
    }
    costsize::set_target_cost(root, &mut target);
    let list = restrict_list(root, rels, one, two);
    let mut join_clauses: Vec<R> = Vec::new();
    for rel in [one, two] {
        for clause in &root.paths.rels[rel].join_clauses {
            if !clause.required.is_subset(rels) && !join_clauses.iter().any(|known| Rc::ptr_eq(known, clause)) {
                join_clauses.push(clause.clone());
            }
        }
    }
    let has_eclass_joins = root.paths.classes.iter().any(|class| {
        class.merged.is_none()
            && !class.has_const
            && class.members.len() > 1
            && class.rels.overlaps(rels)
            && !class.rels.is_subset(rels)
    });
    let rows = costsize::join_size(root, root.paths.rels[one].rows, root.paths.rels[two].rows, join, &list, rels);
    let (a, b) = (&root.paths.rels[one], &root.paths.rels[two]);
    let mut made = RelOptInfo::new(rels, RangeTableIndex(0));
    made.is_join = true;
    made.rows = rows;
    made.target = Rc::new(target);
    made.join_clauses = join_clauses;
    made.has_eclass_joins = has_eclass_joins;
    made.direct_lateral = (a.direct_lateral | b.direct_lateral) - rels;
    made.lateral = (a.lateral | b.lateral) - rels;
    made.lateral_referencers = (a.lateral_referencers | b.lateral_referencers) - rels;
    made.consider_startup = root.paths.tuple_fraction > 0.0;
    root.paths.rels.push(made);
    let rel = root.paths.rels.len() - 1;
    root.paths.joins.insert(rels, rel);
    (rel, list)
}

impl PathInfo<'_> {
    /// Is a column needed where more than these relations are joined, or in the result?
    pub fn needed_above(&self, var: &Var, rels: Rels) -> bool {
        let Some(rel) = self.base.get(var.relation.0 as usize).copied().flatten() else { return true };
        let at = (var.attribute + FIRST_ATTRIBUTE) as usize;
        self.rels[rel].needed.get(at).is_some_and(|needed| !needed.is_subset(rels))
    }
}

/// `restriction_is_constant_false`.
fn is_constant_false(clauses: &[R], rels: Rels, only_pushed_down: bool) -> bool {
    clauses
        .iter()
        .any(|clause| is_false(&clause.clause) && (!only_pushed_down || costsize::is_pushed_down(clause, rels)))
}

/// `populate_joinrel_with_paths`.
fn populate(root: &mut PlannerInfo, one: RelId, two: RelId, rel: RelId, join: &SpecialJoinInfo, clauses: &[R]) {
    let rels = root.paths.rels[rel].relids;
    let (dummy_one, dummy_two) = (root.paths.rels[one].dummy, root.paths.rels[two].dummy);
    let kinds = |one_two: JoinKind, two_one: JoinKind| [(one, two, How::Kind(one_two)), (two, one, How::Kind(two_one))];
    match join.kind {
        JoinKind::Left | JoinKind::Anti => {
            if dummy_one || is_constant_false(clauses, rels, true) {
                return mark_dummy(root, rel);
            }
            if is_constant_false(clauses, rels, false) && join.min_right.is_subset(root.paths.rels[two].relids) {
                mark_dummy(root, two);
            }
            let back = if join.kind == JoinKind::Left { JoinKind::Right } else { JoinKind::RightAnti };
            for (outer, inner, how) in kinds(join.kind, back) {
                add_paths(root, rel, outer, inner, how, join, clauses);
            }
        }
        JoinKind::Full => {
            if (dummy_one && dummy_two) || is_constant_false(clauses, rels, true) {
                return mark_dummy(root, rel);
            }
            for (outer, inner, how) in kinds(JoinKind::Full, JoinKind::Full) {
                add_paths(root, rel, outer, inner, how, join, clauses);
            }
        }
        JoinKind::Semi => {
            if dummy_one || dummy_two || is_constant_false(clauses, rels, false) {
                return mark_dummy(root, rel);
            }
            let (a, b) = (root.paths.rels[one].relids, root.paths.rels[two].relids);
            if join.min_left.is_subset(a) && join.min_right.is_subset(b) {
                add_paths(root, rel, one, two, How::Kind(JoinKind::Semi), join, clauses);
                add_paths(root, rel, two, one, How::Kind(JoinKind::RightSemi), join, clauses);
            }
            let total = root.paths.rels[two].cheapest_total.clone();
            if join.syn_right == b
                && let Some(total) = total
                && crate::path::join::unique::unique_path(root, two, &total, join).is_some()
            {
                add_paths(root, rel, one, two, How::UniqueInner, join, clauses);
                add_paths(root, rel, two, one, How::UniqueOuter, join, clauses);
            }
        }
        _ => {
            if dummy_one || dummy_two || is_constant_false(clauses, rels, false) {
                return mark_dummy(root, rel);
            }
            for (outer, inner, how) in kinds(JoinKind::Inner, JoinKind::Inner) {
                add_paths(root, rel, outer, inner, how, join, clauses);
            }
        }
    }
}
