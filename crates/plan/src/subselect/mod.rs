//! Queries inside of expressions and WITH: PostgreSQL's `subselect.c`. A sublink that did not become a join is planned on its
//! own, and what it takes from the queries around becomes parameters.

mod cte;
mod exists;
mod sub_plan;

use std::cell::RefCell;

use analyze::query::*;
use types::Result;

use crate::manip::{increment_levels, levels_up, mutate, take};
use crate::planner_info::{PlanParameter, PlannerGlobal, PlannerInfo};

pub use cte::process_ctes;

/// Puts plans in the places of an expression's sublinks (`SS_process_sublinks`).
pub fn process_sublinks<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, expr: &mut Expr) -> Result<()> {
    match expr {
        Expr::SubLink(_) => {
            let Expr::SubLink(mut link) = take(expr) else {
                return Ok(());
            };
            if let Some(test) = &mut link.test {
                process_sublinks(global, root, test)?;
            }
            *expr = sub_plan::make_sub_plan(global, root, *link)?;
            Ok(())
        }
        // They go to the level that they belong to as they are, and what is in them is done there.
        Expr::Aggref(aggregate) if aggregate.levels_up > 0 => Ok(()),
        Expr::GroupingFunc(grouping) if grouping.levels_up > 0 => Ok(()),
        _ => {
            let mut result = Ok(());
            let each = &mut |child: &mut Expr| {
                if result.is_ok() {
                    result = process_sublinks(global, root, child);
                }
            };
            expr.mutate(each, &mut |_| {});
            result
        }
    }
}

/// Puts parameters in the places of what belongs to the queries around (`SS_replace_correlation_vars`).
pub fn replace_correlation_vars<'a>(global: &mut PlannerGlobal<'a>, root: &PlannerInfo<'a>, expr: &mut Expr) {
    let global = RefCell::new(global);
    let mut replace = |expr: &mut Expr, depth: u32| {
        if depth > 0 {
            return false;
        }
        if matches!(expr, Expr::MergeAction) {
            let level = merging_level(&global.borrow(), root);
            if let Some(level) = level {
                *expr = Expr::Param(outer_parameter(&mut global.borrow_mut(), level, Expr::MergeAction));
            }
            return false;
        }
        let levels_up = levels_up(expr).unwrap_or(0);
        if levels_up == 0 {
            return true;
        }
        let mut item = take(expr);
        increment_levels(&mut item, -(levels_up as i32), 0);
        let parameter = outer_parameter(&mut global.borrow_mut(), root.level - levels_up as usize, item);
        *expr = Expr::Param(parameter);
        false
    };
    mutate(&mut replace, expr, 0);
}

/// The MERGE around a query in its RETURNING, which knows `merge_action()` (`replace_outer_merge_support`); `None`: the query is
/// the MERGE itself.
fn merging_level(global: &PlannerGlobal, root: &PlannerInfo) -> Option<usize> {
    let (own, around) = global.levels[..root.level].split_last()?;
    if own.merges { None } else { around.iter().rposition(|level| level.merges).map(|at| at + 1) }
}

/// The parameter in which a level gives one of its values (`assign_param_for_var`, `replace_outer_agg` …).
fn outer_parameter(global: &mut PlannerGlobal, level: usize, item: Expr) -> Param {
    let ty = item.ty();
    if let Some(given) = global.levels[level - 1].plan_params.iter().find(|given| given.item == item) {
        return Param { kind: ParamKind::Exec, number: given.parameter, ty, location: Location::NONE };
    }
    let parameter = global.new_parameter(ty);
    global.levels[level - 1].plan_params.push(PlanParameter { item, parameter: parameter.number });
    parameter
}

/// Parameters for the columns of a plan (`generate_subquery_params`).
fn column_parameters(global: &mut PlannerGlobal, targets: &[TargetEntry]) -> Vec<Param> {
    targets.iter().filter(|target| !target.junk).map(|target| global.new_parameter(target.expr.ty())).collect()
}
