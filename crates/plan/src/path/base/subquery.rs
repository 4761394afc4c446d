//! Subqueries in FROM, and CTEs: planned by themselves (PostgreSQL's `set_subquery_pathlist`).

use std::rc::Rc;

use analyze::query::*;
use error::sqlstate;
use expression::clauses::contain_leaked_vars;
use types::{Datum, Result};

use crate::manip;
use crate::path::base::run_condition;
use crate::path::clauses::contains_volatile;
use crate::path::pathkeys;
use crate::path::pathnode;
use crate::path::state::RunCondition;
use crate::path::state::*;
use crate::planner_info::{PlannerGlobal, PlannerInfo, SubqueryOptions};

/// Plans the subquery of an entry, with the conditions on it that may be asked inside.
pub fn plan_subquery<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, rel: RelId) -> Result<()> {
    let relation = root.paths.rels[rel].relation;
    let RangeTableKind::Subquery(query) = &root.query.entry(relation).kind else { return Ok(()) };
    let mut query = (**query).clone();
    let run_conditions = push_down(root, rel, &mut query);
    drop_unused(root, rel, &mut query);
    plan_query(global, root, rel, query, run_conditions)
}

/// Plans an arm of UNION, INTERSECT or EXCEPT, of which all columns are asked for.
pub fn plan_arm<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, rel: RelId) -> Result<()> {
    let relation = root.paths.rels[rel].relation;
    let RangeTableKind::Subquery(query) = &root.query.entry(relation).kind else { return Ok(()) };
    let query = (**query).clone();
    plan_query(global, root, rel, query, Vec::new())
}

fn plan_query<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    rel: RelId,
    query: Query,
    run_conditions: Vec<RunCondition>,
) -> Result<()> {
    // As much of it is asked for as of this query, if nothing has to see all rows.
    let whole = root.query.has_aggregates
        || !root.query.group_clause.is_empty()
        || !root.query.grouping_sets.is_empty()
        || root.query.having.is_some()
        || !matches!(root.query.distinct, Distinct::None)
        || !root.query.sort_clause.is_empty()
        || root.paths.all.len() > 1;
    let tuple_fraction = if whole { 0.0 } else { root.paths.tuple_fraction };
    let sub = global.plan_subquery(query, SubqueryOptions { tuple_fraction, run_conditions, recursive: false })?;
    let known = &mut root.paths.rels[rel];
    known.sub_params = global.take_parameters(root.level);
    known.tuples = sub.paths.result.first().map_or(0.0, |path| path.rows);
    known.subroot = Some(Box::new(sub));
    Ok(())
}

/// Columns that are not asked for become NULL: they are not computed, and cannot fail (`remove_unused_subquery_outputs`).
fn drop_unused(root: &PlannerInfo, rel: RelId, query: &mut Query) {
    if query.set_operations.is_some() || matches!(query.distinct, Distinct::All(_)) {
        return;
    }
    let known = &root.paths.rels[rel];
    let is_used = |attribute: i16| {
        let above = known.needed.get((attribute + FIRST_ATTRIBUTE) as usize).is_some_and(|rels| !rels.is_empty());
        let is_it = |var: &Var| var.levels_up == 0 && var.relation == known.relation && var.attribute == attribute;
        let in_condition = |clause: &R| clause.clause.contains(&mut |e| matches!(e, Expr::Var(var) if is_it(var)));
        above || known.conditions.iter().any(in_condition)
    };
    // A whole row is all of them.
    if is_used(0) {
        return;
    }
    let catalog = root.planner.catalog;
    let counts = |e: &Expr| matches!(e, Expr::Aggref(_) | Expr::WindowFunc(_) | Expr::GroupingFunc(_));
    for (target, attribute) in query.targets.iter_mut().filter(|target| !target.junk).zip(1..) {
        let expr = &target.expr;
        // What rows there are, and what a session may wait for to happen, stays.
        let stays = target.reference != 0
            || is_used(attribute)
            || expr.returns_set()
            || contains_volatile(catalog, expr)
            || manip::has_sublinks(expr)
            || expr.contains(&mut |e| counts(e));
        if !stays {
            target.expr = Expr::Const(Const { ty: expr.ty(), value: Datum::Null, location: Location::NONE });
        }
    }
}

/// Conditions on the subquery's columns become its own, where its rows stay the same (`subquery_push_qual`). Gives those after
/// which its windows may stop.
fn push_down(root: &mut PlannerInfo, rel: RelId, query: &mut Query) -> Vec<RunCondition> {
    let mut run_conditions = Vec::new();
    let relation = root.paths.rels[rel].relation;
    if query.limit.is_some() || query.offset.is_some() || query.command != CommandType::Select {
        return run_conditions;
    }
    let conditions = std::mem::take(&mut root.paths.rels[rel].conditions);
    let catalog = root.planner.catalog;
    let barrier = root.query.entry(relation).security_barrier;
    let mut kept = Vec::new();
    for clause in conditions {
        let leaks = barrier && contain_leaked_vars(catalog, &clause.clause);
        let repeatable = !clause.pseudoconstant
            && !leaks
            && !contains_volatile(catalog, &clause.clause)
            && !expression::clauses::contain_subplans(&clause.clause);
        if repeatable && is_safe(catalog, query, &clause.clause, relation) {
            push(query, &clause.clause, relation);
            continue;
        }
        let stops = repeatable.then(|| run_condition::from(catalog, query, &clause.clause, relation)).flatten();
        let is_said = stops.is_some_and(|(condition, whole)| {
            run_conditions.push(condition);
            whole
        });
        if !is_said {
            kept.push(clause);
        }
    }
    root.paths.rels[rel].conditions = kept;
    run_conditions
}

/// Are all columns in it such that it may be asked inside (`qual_is_pushdown_safe`)?
fn is_safe(catalog: catalog::Catalog<'_>, query: &Query, clause: &Expr, relation: RangeTableIndex) -> bool {
    let mut safe = true;
    manip::visit(
        &mut |e: &Expr, _: u32| {
            match e {
                Expr::Var(var) if var.relation == relation => {
                    safe &= var.attribute > 0 && column_is_safe(catalog, query, var.attribute);
                }
                Expr::Var(_) => safe = false,
                _ => {}
            }
            safe
        },
        clause,
        0,
    );
    safe
}

/// `subquery_is_pushdown_safe`, `check_output_expressions`.
fn column_is_safe(catalog: catalog::Catalog<'_>, query: &Query, attribute: i16) -> bool {
    if let Some(operation) = &query.set_operations {
        // What EXCEPT takes away need not look like what it is taken from.
        if has_except(operation) {
            return false;
        }
        let mut arms = Vec::new();
        leaves(operation, &mut arms);
        return arms.into_iter().all(|arm| match &query.entry(arm).kind {
            RangeTableKind::Subquery(arm) => {
                arm.limit.is_none()
                    && arm.offset.is_none()
                    && arm.set_operations.is_none()
                    && column_is_safe(catalog, arm, attribute)
                    && same_type(query, arm, attribute)
            }
            _ => false,
        });
    }
    let Some(target) = query.targets.iter().filter(|target| !target.junk).nth(attribute as usize - 1) else {
        return false;
    };
    if target.expr.returns_set() || contains_volatile(catalog, &target.expr) || manip::has_sublinks(&target.expr) {
        return false;
    }
    if !query.grouping_sets.is_empty() {
        return false;
    }
    if let Distinct::On(clauses) = &query.distinct
        && !clauses.iter().any(|clause| clause.reference == target.reference)
    {
        return false;
    }
    if query.has_window_functions {
        let partitioned =
            |window: &WindowClause| window.partition.iter().any(|clause| clause.reference == target.reference);
        if target.reference == 0 || !query.windows.iter().all(partitioned) {
            return false;
        }
    }
    true
}

fn same_type(query: &Query, arm: &Query, attribute: i16) -> bool {
    let ty = |query: &Query| {
        query
            .targets
            .iter()
            .filter(|target| !target.junk)
            .nth(attribute as usize - 1)
            .map(|target| target.expr.ty().oid)
    };
    let operation = match &query.set_operations {
        Some(SetOperation::Node { columns, .. }) => columns.get(attribute as usize - 1).map(|ty| ty.oid),
        _ => ty(query),
    };
    operation == ty(arm)
}

fn has_except(operation: &SetOperation) -> bool {
    match operation {
        SetOperation::Leaf(_) => false,
        SetOperation::Node { operator, left, right, .. } => {
            *operator == SetOperator::Except || has_except(left) || has_except(right)
        }
    }
}

fn leaves(operation: &SetOperation, arms: &mut Vec<RangeTableIndex>) {
    match operation {
        SetOperation::Leaf(relation) => arms.push(*relation),
        SetOperation::Node { left, right, .. } => {
            leaves(left, arms);
            leaves(right, arms);
        }
    }
}

fn push(query: &mut Query, clause: &Expr, relation: RangeTableIndex) {
    if let Some(operation) = &query.set_operations {
        let mut arms = Vec::new();
        leaves(operation, &mut arms);
        for arm in arms {
            if let RangeTableKind::Subquery(arm) = &mut query.range_table[arm.index()].kind {
                push(arm, clause, relation);
            }
        }
        return;
    }
    let mut clause = clause.clone();
    let columns: Vec<Expr> =
        query.targets.iter().filter(|target| !target.junk).map(|target| target.expr.clone()).collect();
    manip::mutate(
        &mut |e: &mut Expr, _: u32| {
            if let Expr::Var(var) = e
                && var.relation == relation
            {
                *e = columns[var.attribute as usize - 1].clone();
                return false;
            }
            true
        },
        &mut clause,
        0,
    );
    let grouped = query.has_aggregates || !query.group_clause.is_empty() || query.having.is_some();
    let place = if grouped { &mut query.having } else { &mut query.join_tree.condition };
    *place = manip::and(place.take(), Some(clause));
}

/// One for each path of the subquery.
pub fn subquery_paths(root: &mut PlannerInfo, rel: RelId) -> Result<()> {
    let required = root.paths.rels[rel].lateral;
    let param = pathnode::base_param_info(root, rel, required);
    let paths = root.paths.rels[rel].subroot.as_ref().map(|sub| sub.paths.result.clone()).unwrap_or_default();
    for child in paths {
        let keys = pathkeys::from_subquery(root, rel, &child.pathkeys);
        let known = &root.paths.rels[rel];
        let rows = param.as_ref().map_or(known.rows, |param| param.rows);
        let mut quals = known.condition_cost;
        if let Some(param) = &param {
            let more = crate::path::cost::costsize::restrict_cost(root, &param.clauses);
            quals.startup += more.startup;
            quals.per_tuple += more.per_tuple;
        }
        let target = known.target.clone();
        let trivial = known.conditions.is_empty() && param.is_none();
        let startup = child.startup + quals.startup + target.cost.startup;
        let mut total = child.total + quals.startup + target.cost.startup + target.cost.per_tuple * rows;
        if !trivial {
            total += (root.planner.settings.cpu_tuple_cost + quals.per_tuple) * child.rows;
        }
        let path = Path {
            disabled: child.disabled,
            node: PathNode::Subquery(child),
            rel,
            target,
            param: param.clone(),
            rows,
            startup,
            total,
            pathkeys: keys,
        };
        pathnode::add_to(root, rel, Rc::new(path));
    }
    Ok(())
}

/// How many rows a CTE, or the working table of a recursive one, has.
pub fn cte_size(global: &PlannerGlobal, root: &mut PlannerInfo, rel: RelId) -> Result<()> {
    let relation = root.paths.rels[rel].relation;
    let RangeTableKind::Cte { name, levels_up, self_reference } = &root.query.entry(relation).kind else {
        return Ok(());
    };
    let missing = || types::Error::new(sqlstate::INTERNAL_ERROR, format!("no plan was made for CTE \"{name}\""));
    let level = (root.level - 1).checked_sub(*levels_up as usize).ok_or_else(missing)?;
    let (rows, number) = if *self_reference {
        let table = global.levels.get(level + 1).and_then(|level| level.work_table).ok_or_else(missing)?;
        (crate::path::estimate::selfuncs::clamp_rows(table.rows * 10.0), table.number as usize)
    } else {
        let ctes = &global.levels[level].ctes;
        let plan = ctes.iter().rev().find(|cte| cte.name == *name).and_then(|cte| cte.plan).ok_or_else(missing)?;
        (global.sub_plans[plan].cost.rows, plan)
    };
    let known = &mut root.paths.rels[rel];
    known.tuples = rows;
    known.cte = number;
    Ok(())
}
