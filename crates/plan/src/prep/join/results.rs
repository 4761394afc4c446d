//! Joins with the one row of an empty FROM go away, and lists of FROM with one member: PostgreSQL's
//! `remove_useless_result_rtes`.

use analyze::query::*;

use crate::manip::and;

/// Simplifies a query's join tree.
pub fn remove_useless_results(query: &mut Query) {
    let FromExpr { from, mut condition } = std::mem::take(&mut query.join_tree);
    let from = members(query, from, &mut condition);
    query.join_tree = FromExpr { from, condition };
}

fn is_result(query: &Query, tree: &JoinTree) -> bool {
    matches!(tree, JoinTree::Relation(relation) if matches!(query.entry(*relation).kind, RangeTableKind::Result))
}

/// The members of a FROM list, simplified; their conditions go to the list's.
fn members(query: &Query, from: Vec<JoinTree>, condition: &mut Option<Expr>) -> Vec<JoinTree> {
    let mut left = from.len();
    let mut kept = Vec::with_capacity(left);
    for member in from {
        let member = simplify(query, member, Some(condition));
        if left > 1 && is_result(query, &member) {
            left -= 1;
        } else {
            kept.push(member);
        }
    }
    kept
}

/// `above`: conditions may go there.
fn simplify(query: &Query, tree: JoinTree, above: Option<&mut Option<Expr>>) -> JoinTree {
    match tree {
        JoinTree::Relation(_) => tree,
        JoinTree::From(FromExpr { from, mut condition }) => {
            let mut from = members(query, from, &mut condition);
            match (from.len(), above) {
                (1, Some(above)) => {
                    *above = and(condition, above.take());
                    from.remove(0)
                }
                (1, None) if condition.is_none() => from.remove(0),
                _ => JoinTree::From(FromExpr { from, condition }),
            }
        }
        JoinTree::Join(join) => simplify_join(query, *join, above),
    }
}

fn simplify_join(query: &Query, join: JoinExpr, mut above: Option<&mut Option<Expr>>) -> JoinTree {
    let JoinExpr { kind, left, right, mut condition, relation } = join;
    let left = match kind {
        JoinType::Inner => simplify(query, left, Some(&mut condition)),
        JoinType::Left => simplify(query, left, above.as_deref_mut()),
        _ => simplify(query, left, None),
    };
    let right = match kind {
        JoinType::Inner | JoinType::Left => simplify(query, right, Some(&mut condition)),
        _ => simplify(query, right, None),
    };
    let (left_result, right_result) = (is_result(query, &left), is_result(query, &right));
    let kept = match kind {
        JoinType::Inner if left_result => right,
        JoinType::Inner | JoinType::Semi if right_result => left,
        // Each row on the left is there once, whatever the condition.
        JoinType::Left if right_result => return left,
        _ => return JoinTree::Join(Box::new(JoinExpr { kind, left, right, condition, relation })),
    };
    match (condition, above) {
        (None, _) => kept,
        (condition, Some(above)) => {
            *above = and(condition, above.take());
            kept
        }
        (condition, None) => JoinTree::From(FromExpr { from: vec![kept], condition }),
    }
}
