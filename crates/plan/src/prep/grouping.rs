//! What is grouped by: grouping sets one by one, HAVING that can be WHERE, columns that depend on others (PostgreSQL's
//! `expand_grouping_sets`, and parts of `planner.c`).

use analyze::query::*;
use error::sqlstate;
use expression::clauses::{contain_agg_clause, contain_subplans, contain_volatile_functions};
use types::{Error, Result};

use crate::manip::*;
use crate::planner_info::PlannerInfo;

/// As many grouping sets as analysis allows.
const MAX_SETS: usize = 4096;

/// The references of each grouping set, in the order in which they were written; the smallest first.
fn expand_grouping_sets(query: &Query) -> Result<Vec<Vec<u32>>> {
    let too_many =
        || Error::new(sqlstate::STATEMENT_TOO_COMPLEX, format!("too many grouping sets present (maximum {MAX_SETS})"));
    let mut sets: Vec<Vec<u32>> = vec![Vec::new()];
    for part in &query.grouping_sets {
        let expanded = expand(part);
        if sets.len().saturating_mul(expanded.len()) > MAX_SETS {
            return Err(too_many());
        }
        sets = sets
            .iter()
            .flat_map(|set| expanded.iter().map(move |more| set.iter().chain(more).copied().collect()))
            .collect();
    }
    for set in &mut sets {
        let mut seen = Vec::with_capacity(set.len());
        set.retain(|reference| {
            let new = !seen.contains(reference);
            seen.push(*reference);
            new
        });
    }
    sets.sort_by_key(Vec::len);
    if query.group_distinct {
        let sorted = |set: &Vec<u32>| {
            let mut set = set.clone();
            set.sort_unstable();
            set
        };
        let mut seen = Vec::with_capacity(sets.len());
        sets.retain(|set| {
            let new = !seen.contains(&sorted(set));
            seen.push(sorted(set));
            new
        });
    }
    Ok(sets)
}

/// `expand_groupingset_node`.
fn expand(set: &GroupingSet) -> Vec<Vec<u32>> {
    let parts = |list: &[GroupingSet]| -> Vec<Vec<u32>> { list.iter().map(references).collect() };
    match set {
        GroupingSet::Empty => vec![Vec::new()],
        GroupingSet::Simple(references) => vec![references.clone()],
        GroupingSet::Rollup(list) => {
            let parts = parts(list);
            (0..=parts.len()).rev().map(|count| parts[..count].concat()).collect()
        }
        GroupingSet::Cube(list) => {
            let parts = parts(list);
            let chosen = |bits: usize| -> Vec<u32> {
                let of = |at: &usize| bits >> at & 1 == 1;
                (0..parts.len()).filter(of).flat_map(|at| parts[at].iter().copied()).collect()
            };
            (0..1_usize << parts.len()).map(chosen).collect()
        }
        GroupingSet::Sets(list) => list.iter().flat_map(expand).collect(),
    }
}

fn references(set: &GroupingSet) -> Vec<u32> {
    match set {
        GroupingSet::Simple(references) => references.clone(),
        _ => Vec::new(),
    }
}

/// Writes out the grouping sets. One alone that is not empty is a plain GROUP BY.
pub fn set_grouping_sets(root: &mut PlannerInfo) -> Result<()> {
    let sets = expand_grouping_sets(&root.query)?;
    if sets.len() == 1 && !root.query.group_clause.is_empty() {
        root.query.grouping_sets = Vec::new();
        return Ok(());
    }
    check_grouping_sets(&root.query)?;
    root.grouping_sets = sets;
    Ok(())
}

/// Refuses grouping sets by what cannot be told from its likes above the groups once it is simplified: a constant, which
/// stands there as itself where its column is NULL, and a condition, whose parts HAVING may take apart.
fn check_grouping_sets(query: &Query) -> Result<()> {
    let mut grouped = query.group_clause.iter().filter_map(|clause| query.target_of(clause.reference));
    let unknowable = |target: &TargetEntry| match &target.expr {
        Expr::Const(_) => true,
        Expr::BoolExpr(_) => query.having.is_some(),
        _ => false,
    };
    match grouped.any(unknowable) {
        true => Err(Error::unsupported("grouping sets by a constant, or by a condition with HAVING,")),
        false => Ok(()),
    }
}

/// Conditions on groups that can be asked of rows go to WHERE.
pub fn move_having(root: &mut PlannerInfo) {
    let Some(having) = root.query.having.take() else {
        return;
    };
    let query = &mut root.query;
    let has_sets = !query.grouping_sets.is_empty();
    let empty_set = query.group_clause.is_empty() || has_sets && root.grouping_sets.iter().any(Vec::is_empty);
    let (mut kept, mut moved) = (Vec::new(), Vec::new());
    for part in and_list(having) {
        let stays = contain_agg_clause(&part)
            || contain_subplans(&part)
            || contain_volatile_functions(root.planner.catalog, &part)
            || has_sets && has_vars_of_level(&part, 0);
        if stays {
            kept.push(part);
        } else if empty_set {
            // The group that is there without rows has to be asked too.
            moved.push(part.clone());
            kept.push(part);
        } else {
            moved.push(part);
        }
    }
    query.having = make_and(kept);
    query.join_tree.condition = and(query.join_tree.condition.take(), make_and(moved));
}

/// Leaves out of GROUP BY what depends on others there: the rest of a table's columns beside its primary key, or a unique
/// key that is not NULL (`remove_useless_groupby_columns`).
pub fn remove_useless_columns(root: &mut PlannerInfo) {
    let query = &mut root.query;
    if query.group_clause.len() < 2 || !query.grouping_sets.is_empty() {
        return;
    }
    let mut columns: Vec<(u32, RangeTableIndex, i16)> = Vec::new();
    for clause in &query.group_clause {
        if let Some(TargetEntry { expr: Expr::Var(var), .. }) = query.target_of(clause.reference)
            && var.levels_up == 0
        {
            columns.push((clause.reference, var.relation, var.attribute));
        }
    }
    let mut useless: Vec<u32> = Vec::new();
    for (index, entry) in query.range_table.iter().enumerate() {
        let number = RangeTableIndex(index as u32 + 1);
        let RangeTableKind::Relation { oid, .. } = entry.kind else {
            continue;
        };
        let grouped: Vec<_> = columns.iter().filter(|(_, relation, _)| *relation == number).collect();
        if grouped.len() < 2 {
            continue;
        }
        let Some(relation) = root.planner.relations.relation_by_oid(oid) else {
            continue;
        };
        let not_null = |column: i16| relation.columns.get(column as usize - 1).is_some_and(|column| column.not_null);
        let unique = relation
            .unique_indexes
            .iter()
            .filter(|index| !index.partial && index.columns.iter().all(|column| *column > 0 && not_null(*column)));
        let keys = relation.primary_key.iter().map(|key| &key.columns).chain(unique.map(|index| &index.columns));
        let is_grouped = |column: &i16| grouped.iter().any(|(.., attribute)| attribute == column);
        let usable = keys.filter(|key| key.len() < grouped.len() && key.iter().all(is_grouped));
        if let Some(key) = usable.min_by_key(|key| key.len()) {
            useless
                .extend(grouped.iter().filter(|(.., column)| !key.contains(column)).map(|(reference, ..)| *reference));
        }
    }
    query.group_clause.retain(|clause| !useless.contains(&clause.reference));
}
