//! Outer joins become simpler ones where a condition above wants columns that are not NULL: PostgreSQL's
//! `reduce_outer_joins`. RIGHT becomes LEFT.

use analyze::query::*;
use error::sqlstate;
use expression::clauses::{Column, find_forced_null_vars, find_nonnullable_rels, find_nonnullable_vars};
use types::{Datum, Error, Result};

use crate::manip::*;
use crate::planner_info::{Planner, PlannerInfo};
use crate::relids::Relids;

/// What conditions above a part of the join tree demand.
#[derive(Clone, Default)]
struct Demands {
    not_null: Relids,
    null: Vec<Column>,
}

impl Demands {
    fn of(root: &PlannerInfo, condition: Option<&Expr>) -> Demands {
        let Some(condition) = condition else {
            return Demands::default();
        };
        Demands {
            not_null: find_nonnullable_rels(root.planner.catalog, condition).into_iter().collect(),
            null: find_forced_null_vars(condition).into_iter().collect(),
        }
    }

    fn and(mut self, other: &Demands) -> Demands {
        self.not_null.add_all(&other.not_null);
        self.null.extend_from_slice(&other.null);
        self
    }
}

/// Rows that an outer join may lack are not locked (`make_outerjoininfo`).
fn refuse_locks(query: &Query, tree: &JoinTree) -> Result<()> {
    let join = match tree {
        JoinTree::Relation(_) => return Ok(()),
        JoinTree::From(from) => return from.from.iter().try_for_each(|tree| refuse_locks(query, tree)),
        JoinTree::Join(join) => join,
    };
    let nullable = match join.kind {
        JoinType::Left | JoinType::Anti => relations_in_tree(&join.right, false),
        JoinType::Right => relations_in_tree(&join.left, false),
        JoinType::Full => relations_in_tree(tree, false),
        JoinType::Inner | JoinType::Semi => Relids::new(),
    };
    if let Some(mark) = query.row_marks.iter().find(|mark| nullable.contains(mark.relation)) {
        let name = mark.strength.name();
        let message = format!("{name} cannot be applied to the nullable side of an outer join");
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    refuse_locks(query, &join.left)?;
    refuse_locks(query, &join.right)
}

/// Simplifies the outer joins of a query.
pub fn reduce_outer_joins(root: &mut PlannerInfo) -> Result<()> {
    let mut from = std::mem::take(&mut root.query.join_tree);
    let mut always_null = Relids::new();
    let demands = Demands::of(root, from.condition.as_ref());
    for tree in &mut from.from {
        reduce(root, tree, &demands, &mut always_null);
    }
    from.from.iter().try_for_each(|tree| refuse_locks(&root.query, tree))?;
    root.query.join_tree = from;
    if !always_null.is_empty() {
        nulls_above_anti_joins(root.planner, &mut root.query, &always_null)?;
    }
    Ok(())
}

fn has_outer_joins(tree: &JoinTree) -> bool {
    let mut trees = vec![tree];
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(_) => {}
            JoinTree::From(from) => trees.extend(&from.from),
            JoinTree::Join(join) => {
                if matches!(join.kind, JoinType::Left | JoinType::Right | JoinType::Full) {
                    return true;
                }
                trees.extend([&join.left, &join.right]);
            }
        }
    }
    false
}

fn reduce(root: &PlannerInfo, tree: &mut JoinTree, demands: &Demands, always_null: &mut Relids) {
    if !has_outer_joins(tree) {
        return;
    }
    match tree {
        JoinTree::Relation(_) => {}
        JoinTree::From(from) => {
            let demands = Demands::of(root, from.condition.as_ref()).and(demands);
            from.from.iter_mut().for_each(|part| reduce(root, part, &demands, always_null));
        }
        JoinTree::Join(join) => {
            reduce_join(root, join, demands, always_null);
            let own = Demands::of(root, join.condition.as_ref());
            let (left, right) = match join.kind {
                JoinType::Full => (Demands::default(), Demands::default()),
                JoinType::Left | JoinType::Anti => (demands.clone(), own),
                _ => {
                    let both = own.and(demands);
                    (both.clone(), both)
                }
            };
            reduce(root, &mut join.left, &left, always_null);
            reduce(root, &mut join.right, &right, always_null);
        }
    }
}

fn reduce_join(root: &PlannerInfo, join: &mut JoinExpr, demands: &Demands, always_null: &mut Relids) {
    let wanted = |side: &JoinTree| demands.not_null.overlaps(&relations_in_tree(side, false));
    join.kind = match join.kind {
        JoinType::Left if wanted(&join.right) => JoinType::Inner,
        JoinType::Right if wanted(&join.left) => JoinType::Inner,
        JoinType::Full => match (wanted(&join.left), wanted(&join.right)) {
            (true, true) => JoinType::Inner,
            (true, false) => JoinType::Left,
            (false, true) => JoinType::Right,
            (false, false) => JoinType::Full,
        },
        kind => kind,
    };
    if join.kind == JoinType::Right {
        std::mem::swap(&mut join.left, &mut join.right);
        join.kind = JoinType::Left;
    }
    if join.kind != JoinType::Left || demands.null.is_empty() {
        return;
    }
    // Rows of the right side would have a column that is not NULL, and it has to be NULL: there are none.
    let Some(condition) = &join.condition else {
        return;
    };
    let right = relations_in_tree(&join.right, false);
    // Its own members may use its columns.
    if right.iter().any(|relation| root.query.entry(relation).lateral) {
        return;
    }
    let columns = find_nonnullable_vars(root.planner.catalog, condition);
    if columns.iter().any(|column| right.contains(column.0) && demands.null.contains(column)) {
        join.kind = JoinType::Anti;
        always_null.add_all(&right);
    }
}

/// What is above a left join that became an anti join sees NULLs instead of the right side's columns.
fn nulls_above_anti_joins(planner: &Planner, query: &mut Query, right: &Relids) -> Result<()> {
    let mut nulls = |expr: &mut Expr, depth: u32| {
        if let Expr::Var(var) = expr
            && var.levels_up == depth
            && right.contains(var.relation)
        {
            *expr = Expr::Const(Const { ty: var.ty, value: Datum::Null, location: var.location });
        }
        true
    };
    let mut from = std::mem::take(&mut query.join_tree);
    mutate_whole(&mut nulls, query, 0);
    let result = nulls_in_list(planner, &mut from, right, &mut nulls);
    query.join_tree = from;
    result
}

/// In the conditions that are not below the anti joins themselves.
fn nulls_in_list(planner: &Planner, from: &mut FromExpr, right: &Relids, nulls: &mut dyn Mutator) -> Result<()> {
    nulls_in_condition(planner, &mut from.condition, nulls)?;
    from.from.iter_mut().try_for_each(|tree| nulls_in_tree(planner, tree, right, nulls))
}

fn nulls_in_tree(planner: &Planner, tree: &mut JoinTree, right: &Relids, nulls: &mut dyn Mutator) -> Result<()> {
    match tree {
        JoinTree::Relation(_) => Ok(()),
        JoinTree::From(from) => nulls_in_list(planner, from, right, nulls),
        JoinTree::Join(join) => {
            let below = relations_in_tree(&join.right, false);
            if join.kind != JoinType::Anti || !below.is_subset(right) {
                nulls_in_condition(planner, &mut join.condition, nulls)?;
                nulls_in_tree(planner, &mut join.right, right, nulls)?;
            }
            nulls_in_tree(planner, &mut join.left, right, nulls)
        }
    }
}

/// What is known to be true now, as `NULL IS NULL`, is left out.
fn nulls_in_condition(planner: &Planner, condition: &mut Option<Expr>, nulls: &mut dyn Mutator) -> Result<()> {
    let Some(mut expr) = condition.take() else {
        return Ok(());
    };
    mutate(nulls, &mut expr, 0);
    planner.fold(&mut expr)?;
    let rest = and_list(expr).into_iter().filter(|part| !is_true(part)).collect();
    *condition = make_and(rest);
    Ok(())
}
