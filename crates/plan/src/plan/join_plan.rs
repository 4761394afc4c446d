//! Plans of joins (the joins' part of PostgreSQL's `createplan.c`).

use analyze::query::*;
use catalog::strategy;
use error::sqlstate;
use types::{Error, Result};

use super::create_plan::{create, make, sort_plan, targets_of};
use super::scan_plan::{actual, gated, ordered, replace_params};
use super::*;
use crate::manip::is_true;
use crate::path::coerce::coerce;
use crate::path::cost::costsize;
use crate::path::cost::costsize::{is_outer_join, is_pushed_down};
use crate::path::join::restrictinfo::sides;
use crate::path::pathkeys;
use crate::path::relset::Rels;
use crate::path::state::{JoinPath, MergePath, Path, PathKeys, PathNode, R};
use crate::planner_info::{PlannerGlobal, PlannerInfo};

/// The join's own conditions, those above, and those that are asked once.
struct Conditions {
    own: Vec<Expr>,
    above: Vec<Expr>,
    once: Vec<Expr>,
}

/// `extract_actual_join_clauses`.
fn split(root: &PlannerInfo, kind: JoinKind, clauses: &[R], rels: Rels) -> Conditions {
    let clauses = ordered(root, clauses);
    let mut found = Conditions { own: Vec::new(), above: Vec::new(), once: Vec::new() };
    if !is_outer_join(kind) {
        (found.once, found.own) = actual(&clauses);
        return found;
    }
    for clause in clauses.iter().filter(|clause| !is_true(&clause.clause)) {
        let pushed = is_pushed_down(clause, rels);
        if clause.pseudoconstant && pushed {
            found.once.push(clause.clause.clone());
        } else if pushed {
            found.above.push(clause.clause.clone());
        } else {
            found.own.push(clause.clause.clone());
        }
    }
    found
}

/// `create_join_plan`.
pub fn create_join<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, path: &Path) -> Result<Plan> {
    match &path.node {
        PathNode::NestLoop(join) => nestloop(global, root, path, join),
        PathNode::HashJoin { join, clauses } => hashjoin(global, root, path, join, clauses),
        PathNode::MergeJoin(merge) => mergejoin(global, root, path, merge),
        _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "no join")),
    }
}

fn join_of(join: &JoinPath, outer: Plan, inner: Plan, conditions: Vec<Expr>) -> Join {
    Join { kind: join.kind, outer, inner, conditions, inner_unique: join.inner_unique }
}

fn with_params(global: &mut PlannerGlobal, root: &mut PlannerInfo, path: &Path, list: &mut [Expr]) {
    if path.param.is_some() {
        list.iter_mut().for_each(|expr| replace_params(global, root, expr));
    }
}

/// `create_nestloop_plan`.
fn nestloop<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    join: &JoinPath,
) -> Result<Plan> {
    let rels = root.paths.rels[path.rel].relids;
    let outer = create(global, root, &join.outer)?;
    let around = root.paths.outer_rels;
    let outer_rels = root.paths.rels[join.outer.rel].relids;
    root.paths.outer_rels = around | outer_rels;
    let inner = create(global, root, &join.inner);
    root.paths.outer_rels = around;
    let inner = inner?;
    // What this loop gives; the rest is for loops around.
    let (parameters, rest): (Vec<_>, Vec<_>) = std::mem::take(&mut root.paths.outer_params)
        .into_iter()
        .partition(|(_, var)| outer_rels.contains(var.relation));
    root.paths.outer_params = rest;
    let mut found = split(root, join.kind, &join.conditions, rels);
    with_params(global, root, path, &mut found.own);
    with_params(global, root, path, &mut found.above);
    let targets = targets_of(global, root, path);
    let node = NestLoop { join: join_of(join, outer, inner, found.own), parameters };
    Ok(gated(make(Node::NestLoop(Box::new(node)), targets, found.above, path), found.once))
}

/// Equalities as outer and inner keys of one type.
fn key_clauses(root: &PlannerInfo, clauses: &[R], outer: Rels) -> Result<Vec<HashClause>> {
    let catalog = root.planner.catalog;
    let key = |clause: &R| -> Option<HashClause> {
        let Expr::OpExpr(op) = &clause.clause else { return None };
        let (left, right) = sides(clause)?;
        let (operator, left, right) = if clause.left.is_subset(outer) {
            (op.operator, left.clone(), right.clone())
        } else {
            (catalog.commutator(op.operator)?, right.clone(), left.clone())
        };
        let row = catalog.operator(operator)?;
        if row.oprleft == row.oprright {
            return Some(HashClause { operator, outer: left, inner: right });
        }
        // Different types: both become the one that has all values of the other.
        let equal = |ty| {
            let mut families = catalog.mergejoin_opfamilies(operator).into_iter();
            families.find_map(|family| catalog.opfamily_member(family, ty, ty, strategy::EQUAL))
        };
        for ty in [row.oprleft, row.oprright] {
            let target = TypeRef::of(ty);
            if let (Some(outer), Some(inner), Some(operator)) =
                (coerce(catalog, left.clone(), target), coerce(catalog, right.clone(), target), equal(ty))
            {
                return Some(HashClause { operator, outer, inner });
            }
        }
        None
    };
    let missing = || crate::planner_info::unsupported("a join by values of these types");
    clauses.iter().map(|clause| key(clause).ok_or_else(missing)).collect()
}

/// The conditions without those that keys say.
fn without(list: Vec<Expr>, clauses: &[R]) -> Vec<Expr> {
    list.into_iter().filter(|expr| !clauses.iter().any(|clause| clause.clause == *expr)).collect()
}

/// `create_hashjoin_plan`.
fn hashjoin<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    join: &JoinPath,
    clauses: &[R],
) -> Result<Plan> {
    let rels = root.paths.rels[path.rel].relids;
    let outer = create(global, root, &join.outer)?;
    let inner = create(global, root, &join.inner)?;
    let mut found = split(root, join.kind, &join.conditions, rels);
    found.own = without(found.own, clauses);
    with_params(global, root, path, &mut found.own);
    with_params(global, root, path, &mut found.above);
    let mut clauses = key_clauses(root, clauses, root.paths.rels[join.outer.rel].relids)?;
    if path.param.is_some() {
        for clause in &mut clauses {
            replace_params(global, root, &mut clause.outer);
            replace_params(global, root, &mut clause.inner);
        }
    }
    let targets = targets_of(global, root, path);
    let node = HashJoin { join: join_of(join, outer, inner, found.own), clauses };
    Ok(gated(make(Node::HashJoin(Box::new(node)), targets, found.above, path), found.once))
}

/// `create_mergejoin_plan`.
fn mergejoin<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    merge: &MergePath,
) -> Result<Plan> {
    let rels = root.paths.rels[path.rel].relids;
    let join = &merge.join;
    let mut outer = create(global, root, &join.outer)?;
    let mut inner = create(global, root, &join.inner)?;
    if merge.sort_outer {
        outer = sorted(root, outer, &merge.outer_keys, &join.outer)?;
    }
    if merge.sort_inner {
        inner = sorted(root, inner, &merge.inner_keys, &join.inner)?;
    }
    if merge.materialize {
        let cost = inner.cost;
        let kept = costsize::cost_material(
            root.planner.settings,
            costsize::Costs { startup: cost.startup, total: cost.total, disabled: 0 },
            cost.rows,
            cost.width,
        );
        let targets = inner.targets.clone();
        let cost = Cost { startup: kept.startup, total: kept.total, ..cost };
        let node = Node::Material { child: Box::new(inner) };
        inner = Plan { node, targets, conditions: Vec::new(), cost, init_plans: Vec::new() };
    }
    let mut found = split(root, join.kind, &join.conditions, rels);
    found.own = without(found.own, &merge.clauses);
    with_params(global, root, path, &mut found.own);
    with_params(global, root, path, &mut found.above);
    let outer_rels = root.paths.rels[join.outer.rel].relids;
    let mut clauses = Vec::with_capacity(merge.clauses.len());
    for (clause, key) in merge.clauses.iter().zip(key_clauses(root, &merge.clauses, outer_rels)?) {
        let class = pathkeys::side_class(clause, outer_rels, root).0;
        let like = merge.outer_keys.iter().find(|id| pathkeys::class_of(root, **id) == class);
        let like = like
            .map(|id| pathkeys::key(root, *id))
            .ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a merge without order"))?;
        clauses.push(MergeClause { clause: key, descending: like.descending, nulls_first: like.nulls_first });
    }
    let targets = targets_of(global, root, path);
    let node = MergeJoin { join: join_of(join, outer, inner, found.own), clauses };
    Ok(gated(make(Node::MergeJoin(Box::new(node)), targets, found.above, path), found.once))
}

fn sorted(root: &PlannerInfo, child: Plan, keys: &PathKeys, path: &Path) -> Result<Plan> {
    let cost =
        costsize::cost_sort(root.planner.settings, costsize::Costs::of(path), path.rows, path.target.width, -1.0);
    let mut plan = sort_plan(root, child, keys, None, path)?;
    (plan.cost.startup, plan.cost.total) = (cost.startup, cost.total);
    Ok(plan)
}
