//! MERGE as a join of its target with its source: PostgreSQL's `transform_MERGE_to_join`.

use analyze::query::*;
use types::oid;

use crate::manip::{and, make_bool, make_bool_const, make_var, relations_in_tree};
use crate::plan::CTID;

/// Makes the join. What tells a row that matched from one that has no source becomes a part of the actions' conditions.
pub fn transform(query: &mut Query) {
    let Some(target) = query.result_relation.filter(|_| query.command == CommandType::Merge) else {
        return;
    };
    let has = |when: MergeMatch| query.merge_actions.iter().any(|action| action.when == when);
    let without_source = has(MergeMatch::NotMatchedBySource);
    let kind = match (without_source, has(MergeMatch::NotMatchedByTarget)) {
        (true, true) => JoinType::Full,
        (true, false) => JoinType::Left,
        (false, true) => JoinType::Right,
        (false, false) => JoinType::Inner,
    };
    let mut source = std::mem::take(&mut query.join_tree);
    // Which of the table's rows a view shows: the others match nothing, and are not there.
    let shown = source.condition.take();
    source.from.retain(|tree| !matches!(tree, JoinTree::Relation(relation) if *relation == target));
    let condition = query.merge_condition.take();
    if without_source {
        let present = presence(query, &source);
        tell_apart(query, and(Some(present), condition.clone()));
    }
    let right = match source.from.len() {
        1 => source.from.remove(0),
        _ => JoinTree::From(source),
    };
    let left = match shown {
        None => JoinTree::Relation(target),
        shown => JoinTree::From(FromExpr { from: vec![JoinTree::Relation(target)], condition: shown }),
    };
    let join = JoinExpr { kind, left, right, condition, relation: RangeTableIndex(0) };
    query.join_tree.from.push(JoinTree::Join(Box::new(join)));
}

/// Whether there is a row of the source.
fn presence(query: &Query, source: &FromExpr) -> Expr {
    let mut present = Vec::new();
    for tree in &source.from {
        for relation in relations_in_tree(tree, false).iter() {
            let (attribute, ty) = match query.entry(relation).kind {
                RangeTableKind::Relation { .. } => (CTID, oid::TID),
                _ => (0, oid::RECORD),
            };
            let var = Expr::Var(make_var(relation, attribute, TypeRef::of(ty)));
            let test = NullTest { argument: var, is_null: false, row: false, location: Location::NONE };
            present.push(Expr::NullTest(Box::new(test)));
        }
    }
    make_bool(BoolOperator::Or, present).unwrap_or_else(|| make_bool_const(true))
}

fn tell_apart(query: &mut Query, matched: Option<Expr>) {
    let is = |kind| {
        let argument = matched.clone()?;
        Some(Expr::BooleanTest(Box::new(BooleanTest { argument, kind, location: Location::NONE })))
    };
    for action in &mut query.merge_actions {
        let test = match action.when {
            MergeMatch::Matched => is(BooleanTestKind::IsTrue),
            MergeMatch::NotMatchedBySource => is(BooleanTestKind::IsNotTrue),
            MergeMatch::NotMatchedByTarget => continue,
        };
        action.condition = and(test, action.condition.take());
    }
}
