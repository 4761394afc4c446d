//! What an index's columns cover: all that is needed of a relation, or the equalities that make its rows unique
//! (`check_index_only` and `relation_has_unique_index_for` of PostgreSQL's `indxpath.c`).

use analyze::query::*;

use crate::path::base::indexmatch::Column;
use crate::path::state::*;
use crate::planner_info::PlannerInfo;

/// Has the index all columns that are needed as they are, so that rows which all snapshots see are not looked at?
pub fn is_read_alone(known: &RelOptInfo, index: &IndexOptInfo) -> bool {
    has_all_needed(known, index, &|attribute| {
        index.info.columns.iter().any(|column| column.attribute == attribute && column.whole)
            || index.info.included.contains(&attribute)
    })
}

/// Has the index all columns of the relation that are needed, as far as it is asked?
pub fn has_all_needed(known: &RelOptInfo, index: &IndexOptInfo, is_there: &dyn Fn(i16) -> bool) -> bool {
    let has = |attribute: i16| attribute > 0 && is_there(attribute);
    let needed = known.needed.iter().enumerate().filter(|(_, rels)| !rels.is_empty());
    let mut columns = needed.map(|(at, _)| at as i16 - FIRST_ATTRIBUTE);
    columns.all(has)
        && index.conditions.iter().all(|clause| {
            !clause.clause.contains(&mut |e| {
                matches!(e, Expr::Var(var) if var.levels_up == 0 && var.relation == known.relation && !has(var.attribute))
            })
        })
}

/// Do the clauses make the relation's rows unique by one of its indexes (`relation_has_unique_index_for`)? They are
/// `column = something` of other relations, or constants.
pub fn has_unique_index_for(root: &PlannerInfo, rel: RelId, clauses: &[R]) -> bool {
    let known = &root.paths.rels[rel];
    let all = || clauses.iter().chain(known.conditions.iter().filter(|clause| !clause.merge_families.is_empty()));
    let has_all =
        |index: &IndexOptInfo| (0..index.columns.len()).all(|at| key_clause(known, index, at, all()).is_some());
    known.indexes.iter().any(|index| is_unique(index) && has_all(index))
}

fn is_unique(index: &IndexOptInfo) -> bool {
    index.info.unique && index.info.immediate && (index.predicate.is_empty() || index.usable)
}

/// The first clause that says what a column of a relation's index is equal to, in other relations.
fn key_clause<'c>(
    rel: &RelOptInfo,
    index: &IndexOptInfo,
    column: usize,
    mut clauses: impl Iterator<Item = &'c R>,
) -> Option<&'c R> {
    clauses.find(|clause| {
        let at = Column { index, column, rel: rel.relids };
        let Some((left, right)) = crate::path::join::restrictinfo::sides(clause) else { return false };
        clause.merge_families.contains(&index.info.columns[column].family)
            && ((at.is(left) && !clause.right.overlaps(rel.relids))
                || (at.is(right) && !clause.left.overlaps(rel.relids)))
    })
}

/// Clauses that say what all columns of a relation's unique index are equal to, one of each.
pub fn clauses_of_key(rel: &RelOptInfo, index: &IndexOptInfo, clauses: &[R]) -> Option<Vec<R>> {
    let columns = 0..index.columns.len();
    let of_column = |column| key_clause(rel, index, column, clauses.iter()).cloned();
    if is_unique(index) { columns.map(of_column).collect() } else { None }
}
