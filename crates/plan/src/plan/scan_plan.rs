//! Plans of scans (the scans' part of PostgreSQL's `createplan.c`).

use std::rc::Rc;

use analyze::query::*;
use error::sqlstate;
use types::{Error, Result};

use super::create_plan::{level_plan, make, targets_of};
use super::*;
use crate::manip;
use crate::path::clauses::contains_volatile;
use crate::path::cost::costsize;
use crate::path::estimate::selfuncs::clamp_rows;
use crate::path::predtest;
use crate::path::relset::Rels;
use crate::path::state::{BitmapPath, IndexPath, Parts, Path, PathNode, QualKind, R, RelId};
use crate::planner_info::{PlannerGlobal, PlannerInfo};

/// Columns of relations to the left become parameters (`replace_nestloop_params`).
pub fn replace_params(global: &mut PlannerGlobal, root: &mut PlannerInfo, expr: &mut Expr) {
    if root.paths.outer_rels.is_empty() {
        return;
    }
    let mut replace = |e: &mut Expr, _: u32| {
        if let Expr::Var(var) = e
            && var.levels_up == 0
            && var.relation.0 <= Rels::MOST
            && root.paths.outer_rels.contains(var.relation)
        {
            *e = nestloop_param(global, root, *var);
            return false;
        }
        true
    };
    manip::mutate(&mut replace, expr, 0);
}

/// The parameter that a column is given by (`replace_nestloop_param_var`).
fn nestloop_param(global: &mut PlannerGlobal, root: &mut PlannerInfo, var: Var) -> Expr {
    let var = Var { location: Location::NONE, ..var };
    let known = root.paths.nestloop_params.iter().find(|(other, _)| *other == var).map(|(_, number)| *number);
    let number = known.unwrap_or_else(|| {
        let number = global.new_parameter(var.ty).number;
        root.paths.nestloop_params.push((var, number));
        number
    });
    if !root.paths.outer_params.iter().any(|(other, _)| *other == number) {
        root.paths.outer_params.push((number, var));
    }
    Expr::Param(Param { kind: ParamKind::Exec, number, ty: var.ty, location: Location::NONE })
}

/// Cheap conditions first, else as written, but none before one that it must not tell of (`order_qual_clauses`).
pub fn ordered(root: &PlannerInfo, clauses: &[R]) -> Vec<R> {
    let most = 10.0 * root.planner.settings.cpu_operator_cost;
    let place = |clause: &R| {
        let cost = costsize::restrict_cost(root, [clause]).per_tuple;
        let is_free = clause.leakproof && cost < most;
        (if is_free { 0 } else { clause.security_level }, cost)
    };
    let mut list: Vec<((u32, f64), R)> = clauses.iter().map(|clause| (place(clause), clause.clone())).collect();
    list.sort_by(|(a, _), (b, _)| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    list.into_iter().map(|(_, clause)| clause).collect()
}

/// Conditions that are asked once, and those of each row (`extract_actual_clauses`).
pub fn actual(clauses: &[R]) -> (Vec<Expr>, Vec<Expr>) {
    let (mut once, mut each) = (Vec::new(), Vec::new());
    for clause in clauses {
        if manip::is_true(&clause.clause) {
            continue;
        }
        if clause.pseudoconstant { &mut once } else { &mut each }.push(clause.clause.clone());
    }
    (once, each)
}

/// A Result above, if something is asked once (`create_gating_plan`).
pub fn gated(plan: Plan, once: Vec<Expr>) -> Plan {
    if once.is_empty() {
        return plan;
    }
    let (targets, cost) = (plan.targets.clone(), plan.cost);
    let node = Node::Result { child: Some(Box::new(plan)), one_time: once };
    Plan { node, targets, conditions: Vec::new(), cost, init_plans: Vec::new() }
}

/// `create_scan_plan`.
pub fn create_scan<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, path: &Path) -> Result<Plan> {
    let rel = &root.paths.rels[path.rel];
    let relation = rel.relation;
    let mut clauses: Vec<R> = match &path.node {
        PathNode::Index(index) => index.index.conditions.clone(),
        _ => rel.conditions.clone(),
    };
    if let Some(param) = &path.param {
        clauses.extend(param.clauses.iter().cloned());
    }
    if let PathNode::Index(index) = &path.node {
        clauses.retain(|clause| !is_looked_up(root, index, clause));
    }
    if let PathNode::BitmapHeap(bitmap) = &path.node {
        clauses = not_in_bitmap(root, bitmap, clauses);
    }
    let clauses = ordered(root, &clauses);
    let (once, mut conditions) = actual(&clauses);
    let targets = targets_of(global, root, path);
    conditions.iter_mut().for_each(|condition| replace_params(global, root, condition));
    let plan = match &path.node {
        PathNode::SeqScan => Node::SeqScan(scan_of(root, relation)?),
        PathNode::Index(index) => {
            let scan = Box::new(index_scan(global, root, relation, index)?);
            if index.only { Node::IndexOnlyScan(scan) } else { Node::IndexScan(scan) }
        }
        PathNode::BitmapHeap(bitmap) => {
            let child = Box::new(bitmap_node(global, root, path.rel, bitmap)?);
            let mut recheck = bitmap.conditions();
            recheck.retain(|condition| !conditions.contains(condition));
            Node::BitmapHeapScan { scan: scan_of(root, relation)?, child, recheck }
        }
        PathNode::Tid(clauses) => {
            let mut found: Vec<Expr> = clauses.iter().map(|clause| clause.clause.clone()).collect();
            conditions.retain(|condition| !found.contains(condition));
            found.iter_mut().for_each(|condition| replace_params(global, root, condition));
            Node::TidScan { scan: scan_of(root, relation)?, conditions: found }
        }
        PathNode::Subquery(child) => {
            let rel = path.rel;
            let mut sub = root.paths.rels[rel]
                .subroot
                .take()
                .ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a subquery has no plan"))?;
            let plan = level_plan(global, &mut sub, child);
            root.paths.rels[rel].subroot = Some(sub);
            lateral_params(root, rel);
            Node::SubqueryScan { relation, child: Box::new(plan?) }
        }
        PathNode::Function => {
            let RangeTableKind::Function { functions, ordinality } = root.query.entry(relation).kind.clone() else {
                return Err(Error::new(sqlstate::INTERNAL_ERROR, "no function"));
            };
            let mut functions = functions;
            functions.iter_mut().for_each(|function| replace_params(global, root, &mut function.call));
            Node::FunctionScan { relation, functions, ordinality }
        }
        PathNode::Values => {
            // They may be many, and no other node has them.
            let RangeTableKind::Values { rows } = &mut root.query.range_table[relation.index()].kind else {
                return Err(Error::new(sqlstate::INTERNAL_ERROR, "no values"));
            };
            let mut rows = std::mem::take(rows);
            rows.iter_mut().flatten().for_each(|value| replace_params(global, root, value));
            Node::ValuesScan { relation, rows }
        }
        PathNode::Cte => Node::CteScan { relation, plan: root.paths.rels[path.rel].cte },
        _ => Node::WorkTableScan { relation, work_table: root.paths.rels[path.rel].cte as u32 },
    };
    Ok(gated(make(plan, targets, conditions, path), once))
}

fn scan_of(root: &PlannerInfo, relation: RangeTableIndex) -> Result<Scan> {
    match root.query.entry(relation).kind {
        RangeTableKind::Relation { oid: table, .. } => Ok(Scan { relation, table }),
        _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "no table")),
    }
}

/// What a subquery takes of relations to the left (`process_subquery_nestloop_params`).
fn lateral_params(root: &mut PlannerInfo, rel: RelId) {
    for given in root.paths.rels[rel].sub_params.clone() {
        if let Expr::Var(var) = given.item
            && root.paths.outer_rels.contains(var.relation)
            && !root.paths.outer_params.iter().any(|(number, _)| *number == given.parameter)
        {
            root.paths.outer_params.push((given.parameter, Var { location: Location::NONE, ..var }));
        }
    }
}

/// Does the index look it up, so that rows need not be asked?
fn is_looked_up(root: &PlannerInfo, path: &IndexPath, clause: &R) -> bool {
    path.clauses.iter().any(|known| {
        if known.lossy {
            return false;
        }
        // Another equality of the same class says the same.
        Rc::ptr_eq(&known.clause, clause)
            || known.clause.clause == clause.clause
            || (clause.parent_class.is_some()
                && known.clause.parent_class == clause.parent_class
                && !contains_volatile(root.planner.catalog, &clause.clause))
    })
}

/// The conditions that a bitmap's do not say already (`create_bitmap_scan_plan`).
fn not_in_bitmap(root: &PlannerInfo, bitmap: &BitmapPath, mut clauses: Vec<R>) -> Vec<R> {
    let asked = bitmap.found();
    let asked: Vec<&Expr> = asked.iter().collect();
    clauses.retain(|clause| {
        clause.pseudoconstant
            || contains_volatile(root.planner.catalog, &clause.clause)
            || !predtest::implied_by(root, std::slice::from_ref(&clause.clause), &asked)
    });
    clauses
}

/// `create_bitmap_subplan`.
fn bitmap_node(global: &mut PlannerGlobal, root: &mut PlannerInfo, rel: RelId, bitmap: &BitmapPath) -> Result<Plan> {
    let rows = clamp_rows(bitmap.selectivity() * root.paths.rels[rel].tuples);
    let relation = root.paths.rels[rel].relation;
    let mut children = |parts: &Parts| -> Result<Vec<Plan>> {
        parts.parts.iter().map(|part| bitmap_node(global, root, rel, part)).collect()
    };
    let (node, total) = match bitmap {
        BitmapPath::And(parts) => (Node::BitmapAnd { children: children(parts)? }, parts.cost),
        BitmapPath::Or(parts) => (Node::BitmapOr { children: children(parts)? }, parts.cost),
        BitmapPath::Index(path) => {
            (Node::BitmapIndexScan(Box::new(index_scan(global, root, relation, path)?)), path.index_cost)
        }
    };
    let startup = if matches!(node, Node::BitmapIndexScan(_)) { 0.0 } else { total };
    let cost = Cost { startup, total, rows, width: 0, disabled: 0 };
    Ok(Plan { node, targets: Vec::new(), conditions: Vec::new(), cost, init_plans: Vec::new() })
}

fn index_scan(
    global: &mut PlannerGlobal,
    root: &mut PlannerInfo,
    relation: RangeTableIndex,
    path: &IndexPath,
) -> Result<IndexScan> {
    let mut index_conditions = Vec::new();
    let mut ranges: Vec<Vec<IndexCondition>> = vec![Vec::new()];
    for qual in path.clauses.iter().flat_map(|clause| &clause.quals) {
        let mut expr = qual.expr.clone();
        replace_params(global, root, &mut expr);
        index_conditions.push(expr);
        let alternatives = conditions_of(global, root, &qual.kind)?;
        let mut next = Vec::with_capacity(ranges.len() * alternatives.len());
        for range in &ranges {
            for alternative in &alternatives {
                next.push(range.iter().chain(alternative).cloned().collect());
            }
        }
        ranges = next;
    }
    Ok(IndexScan {
        scan: scan_of(root, relation)?,
        index: path.index.info.oid,
        ranges,
        index_conditions,
        direction: path.direction,
    })
}

/// A condition as lists, one of which has to hold.
fn conditions_of(
    global: &mut PlannerGlobal,
    root: &mut PlannerInfo,
    kind: &QualKind,
) -> Result<Vec<Vec<IndexCondition>>> {
    let mut value = |expr: &Expr| {
        let mut expr = expr.clone();
        replace_params(global, root, &mut expr);
        expr
    };
    let one = match kind {
        QualKind::Compare { column, operator, strategy, value: other } => {
            IndexCondition::Compare { column: *column, operator: *operator, strategy: *strategy, value: value(other) }
        }
        QualKind::Any { column, operator, strategy, array } => {
            IndexCondition::Any { column: *column, operator: *operator, strategy: *strategy, array: value(array) }
        }
        QualKind::Row { column, strategy, operators, values } => IndexCondition::Row {
            column: *column,
            strategy: *strategy,
            operators: operators.clone(),
            values: values.iter().map(value).collect(),
        },
        QualKind::Null { column, is_null: true } => IndexCondition::IsNull { column: *column },
        QualKind::Null { column, is_null: false } => IndexCondition::IsNotNull { column: *column },
        QualKind::Or(alternatives) => {
            let mut lists = Vec::with_capacity(alternatives.len());
            for alternative in alternatives {
                let mut list = Vec::with_capacity(alternative.len());
                for qual in alternative {
                    let mut nested = conditions_of(global, root, &qual.kind)?;
                    match (nested.len(), nested.pop()) {
                        (1, Some(conditions)) => list.extend(conditions),
                        _ => return Err(Error::new(sqlstate::INTERNAL_ERROR, "alternatives within alternatives")),
                    }
                }
                lists.push(list);
            }
            return Ok(lists);
        }
    };
    Ok(vec![vec![one]])
}
