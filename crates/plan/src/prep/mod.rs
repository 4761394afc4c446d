//! Queries made ready for paths: PostgreSQL's `optimizer/prep`. What they mean stays; FROM gets flat, conditions get their
//! normal form, sublinks become joins or plans.

mod expression;
pub mod failing;
pub mod grouping;
mod join;
mod live_first;
mod merge;
pub mod min_max;
pub mod qual;
mod row_marks;
pub mod sublink;
pub mod target_list;
pub mod windows;

use analyze::query::*;
use types::Result;

use crate::planner_info::{PlannerGlobal, PlannerInfo};
use crate::subselect;

/// What `subquery_planner` does before paths are made.
pub fn prepare<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>) -> Result<()> {
    if !root.query.ctes.is_empty() {
        subselect::process_ctes(global, root)?;
    }
    merge::transform(&mut root.query);
    join::pull_up::flatten_from(root.planner, &mut root.query)?;
    live_first::put_live_entries_first(&mut root.query);
    let mut has_results = false;
    for entry in &root.query.range_table {
        has_results |= matches!(entry.kind, RangeTableKind::Result);
    }
    let kinds = join_kinds(&root.query.join_tree);
    root.row_marks = row_marks::collect(root.planner, &root.query)?;
    root.has_having = root.query.having.is_some();
    expression::preprocess_all(global, root)?;
    if !root.query.grouping_sets.is_empty() {
        grouping::set_grouping_sets(root)?;
    }
    if root.query.having.is_some() {
        grouping::move_having(root);
    }
    if kinds.outer {
        join::outer_joins::reduce_outer_joins(root)?;
    }
    if has_results || kinds.any {
        join::results::remove_useless_results(&mut root.query);
    }
    if kinds.outer {
        join::useless_joins::remove_useless_joins(root);
    }
    windows::select_active(root.planner.catalog, &mut root.query);
    Ok(())
}

struct Kinds {
    any: bool,
    outer: bool,
}

/// Which joins there are.
fn join_kinds(from: &FromExpr) -> Kinds {
    let mut kinds = Kinds { any: false, outer: false };
    let mut trees: Vec<&JoinTree> = from.from.iter().collect();
    while let Some(tree) = trees.pop() {
        match tree {
            JoinTree::Relation(_) => {}
            JoinTree::From(from) => {
                kinds.any = true;
                trees.extend(&from.from);
            }
            JoinTree::Join(join) => {
                kinds.any = true;
                kinds.outer |= matches!(join.kind, JoinType::Left | JoinType::Right | JoinType::Full);
                trees.extend([&join.left, &join.right]);
            }
        }
    }
    kinds
}
