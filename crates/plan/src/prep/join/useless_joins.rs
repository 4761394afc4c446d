//! Left joins with a table that has at most one row for each and none of whose columns is used go away: PostgreSQL's
//! `remove_useless_joins` (`analyzejoins.c`).

use analyze::query::*;
use catalog::Catalog;
use expression::clauses::contain_volatile_functions;
use types::Oid;

use crate::manip::{and_slice, relations_in_tree, relations_of, visit, visit_query};
use crate::planner_info::PlannerInfo;
use crate::relids::Relids;

/// Removes them from a query's join tree.
pub fn remove_useless_joins(root: &mut PlannerInfo) {
    let mut uses = vec![0; root.query.range_table.len()];
    visit_query(&mut count(&mut uses, 1), &root.query, 0);
    for marked in root.row_marks.iter().map(|mark| mark.relation).chain(root.query.result_relation) {
        uses[marked.index()] += 1;
    }
    let mut from = std::mem::take(&mut root.query.join_tree);
    let mut work = Removal { root, uses };
    // What is left of a join may be what another one needed.
    while from.from.iter_mut().fold(false, |removed, tree| work.remove(tree) | removed) {}
    root.query.join_tree = from;
}

/// Counts how often each entry's columns are named.
fn count(uses: &mut [i32], by: i32) -> impl FnMut(&Expr, u32) -> bool {
    move |expr, depth| {
        if let Expr::Var(var) = expr
            && var.levels_up == depth
            && let Some(count) = uses.get_mut(var.relation.index())
        {
            *count += by;
        }
        true
    }
}

struct Removal<'r, 'a> {
    root: &'r PlannerInfo<'a>,
    uses: Vec<i32>,
}

impl Removal<'_, '_> {
    fn remove(&mut self, tree: &mut JoinTree) -> bool {
        match tree {
            JoinTree::Relation(_) => false,
            JoinTree::From(from) => from.from.iter_mut().fold(false, |removed, part| self.remove(part) | removed),
            JoinTree::Join(join) => {
                let below = self.remove(&mut join.left) | self.remove(&mut join.right);
                if !self.is_useless(join) {
                    return below;
                }
                if let Some(condition) = &join.condition {
                    visit(&mut count(&mut self.uses, -1), condition, 0);
                }
                *tree = std::mem::replace(&mut join.left, JoinTree::From(FromExpr::default()));
                true
            }
        }
    }

    fn is_useless(&self, join: &JoinExpr) -> bool {
        let (JoinType::Left, JoinTree::Relation(right), Some(condition)) = (join.kind, &join.right, &join.condition)
        else {
            return false;
        };
        let RangeTableKind::Relation { oid, .. } = self.root.query.entry(*right).kind else {
            return false;
        };
        let mut own = vec![0; self.uses.len()];
        visit(&mut count(&mut own, 1), condition, 0);
        own[right.index()] == self.uses[right.index()]
            && self.has_one_row(oid, *right, condition, &relations_in_tree(&join.left, false))
    }

    /// Do equalities with the other side name all columns of a unique key (`relation_has_unique_index_for`)?
    fn has_one_row(&self, table: Oid, right: RangeTableIndex, condition: &Expr, left: &Relids) -> bool {
        let catalog = self.root.planner.catalog;
        let equal: Vec<(i16, Vec<Oid>)> =
            and_slice(condition).iter().filter_map(|part| equality(catalog, part, right, left)).collect();
        if equal.is_empty() {
            return false;
        }
        let family = |class: Option<&Oid>| Some(catalog.opclass(*class?)?.opcfamily);
        catalog.indexes_of_relation(table).any(|index| {
            index.indisunique
                && index.indimmediate
                && index.indisvalid
                && index.indpred.is_none()
                && (0..index.indnkeyatts as usize).all(|at| {
                    let (column, family) = (index.indkey[at], family(index.indclass.get(at)));
                    equal.iter().any(|(name, families)| {
                        *name == column && family.is_some_and(|family| families.contains(&family))
                    })
                })
        })
    }
}

/// The column of `column = value of the other side`, and the families in which this is equality.
fn equality(catalog: Catalog, part: &Expr, right: RangeTableIndex, left: &Relids) -> Option<(i16, Vec<Oid>)> {
    let Expr::OpExpr(op) = part else {
        return None;
    };
    let [a, b] = &op.arguments[..] else {
        return None;
    };
    let column = |e: &Expr| match e {
        Expr::Var(var) if var.relation == right && var.levels_up == 0 => Some(var.attribute),
        Expr::RelabelType(relabel) => match &relabel.argument {
            Expr::Var(var) if var.relation == right && var.levels_up == 0 => Some(var.attribute),
            _ => None,
        },
        _ => None,
    };
    let other = |e: &Expr| relations_of(e).is_subset(left) && !contain_volatile_functions(catalog, e);
    let attribute = match (column(a), column(b)) {
        (Some(attribute), _) if other(b) => attribute,
        (_, Some(attribute)) if other(a) => attribute,
        _ => return None,
    };
    Some((attribute, catalog.mergejoin_opfamilies(op.operator)))
}
