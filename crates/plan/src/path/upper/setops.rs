//! UNION, INTERSECT, EXCEPT, and recursive queries (PostgreSQL's `prepunion.c`).

use std::rc::Rc;

use analyze::query::*;
use error::sqlstate;
use types::{Error, Result};

use crate::path::base::subquery;
use crate::path::coerce::coerce;
use crate::path::cost::costsize;
use crate::path::cost::costsize::{Costs, hash_entry_size, hash_mem};
use crate::path::estimate::selfuncs;
use crate::path::pathnode;
use crate::path::relset::Rels;
use crate::path::state::*;
use crate::path::upper::grouping::{Grouping, agg_path, one_row, unique_path};
use crate::planner_info::{PlannerGlobal, PlannerInfo, WorkTable};

/// The paths of the query's set operations, whose rows are its targets.
pub fn plan_set_operations<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>) -> Result<Vec<P>> {
    root.paths.base = vec![None; root.query.range_table.len() + 1];
    let Some(operation) = root.query.set_operations.clone() else { return Ok(Vec::new()) };
    if let Some(number) = root.work_table {
        return Ok(vec![recursive_union(global, root, &operation, number)?]);
    }
    let types: Vec<TypeRef> = root.query.targets.iter().map(|target| target.expr.ty()).collect();
    Ok(vec![recurse(global, root, &operation, &types)?])
}

/// The columns of an operation as its first arm names them.
fn exprs_of(operation: &SetOperation, columns: &[TypeRef]) -> Vec<Expr> {
    let mut first = operation;
    let relation = loop {
        match first {
            SetOperation::Leaf(relation) => break *relation,
            SetOperation::Node { left, .. } => first = left,
        }
    };
    columns_of(relation, columns)
}

fn columns_of(relation: RangeTableIndex, types: &[TypeRef]) -> Vec<Expr> {
    let var = |(at, ty): (usize, &TypeRef)| {
        let attribute = at as i16 + 1;
        Expr::Var(Var {
            relation,
            attribute,
            ty: *ty,
            collation: Collation::NONE,
            levels_up: 0,
            location: Location::NONE,
        })
    };
    types.iter().enumerate().map(var).collect()
}

/// Expressions with references from 1, by which clauses name them.
fn numbered(root: &PlannerInfo, exprs: &[Expr]) -> Rc<PathTarget> {
    let mut target =
        PathTarget { exprs: exprs.to_vec(), references: (1..=exprs.len() as u32).collect(), ..Default::default() };
    costsize::set_target_cost(root, &mut target);
    Rc::new(target)
}

fn numbered_clauses(clauses: &[SortGroupClause]) -> Vec<SortGroupClause> {
    clauses.iter().enumerate().map(|(at, clause)| SortGroupClause { reference: at as u32 + 1, ..*clause }).collect()
}

/// An operation's rows, with the types of the operation that it is an arm of (`recurse_set_operations`).
fn recurse<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    operation: &SetOperation,
    wanted: &[TypeRef],
) -> Result<P> {
    let (operator, columns) = match operation {
        SetOperation::Leaf(relation) => return leaf(global, root, *relation, wanted),
        SetOperation::Node { operator, columns, .. } => (operator, columns),
    };
    let path = match operator {
        SetOperator::Union => union(global, root, operation)?,
        _ => intersect_or_except(global, root, operation)?,
    };
    if columns.iter().zip(wanted).all(|(own, wanted)| own.oid == wanted.oid) {
        return Ok(path);
    }
    let target = converted(root, exprs_of(operation, columns), wanted)?;
    Ok(pathnode::project(root, &path, &target))
}

/// Columns as the operation above wants them, with references from 1.
fn converted(root: &PlannerInfo, columns: Vec<Expr>, wanted: &[TypeRef]) -> Result<Rc<PathTarget>> {
    let mut target = PathTarget::default();
    for (at, (column, wanted)) in columns.into_iter().zip(wanted).enumerate() {
        let expr = coerce(root.planner.catalog, column, *wanted).ok_or_else(|| {
            Error::new(sqlstate::CANNOT_COERCE, format!("set operation column {} cannot be converted", at + 1))
        })?;
        target.push(expr, at as u32 + 1);
    }
    costsize::set_target_cost(root, &mut target);
    Ok(Rc::new(target))
}

/// An arm: a subquery, its columns converted to the operation's.
fn leaf<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    relation: RangeTableIndex,
    wanted: &[TypeRef],
) -> Result<P> {
    let relids = if relation.0 <= Rels::MOST { Rels::of(relation) } else { Rels::EMPTY };
    let rel = RelOptInfo::new(relids, relation);
    root.paths.rels.push(rel);
    let rel = root.paths.rels.len() - 1;
    root.paths.base[relation.0 as usize] = Some(rel);
    subquery::plan_arm(global, root, rel)?;
    root.paths.rels[rel].rows = root.paths.rels[rel].tuples;
    let Some(sub) = &root.paths.rels[rel].subroot else {
        return Err(Error::new(sqlstate::INTERNAL_ERROR, "an arm has no plan"));
    };
    let child = pathnode::cheapest_fractional(&sub.paths.result, root.paths.tuple_fraction)
        .ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "an arm has no path"))?;
    let columns: Vec<TypeRef> = sub.query.visible_columns().iter().map(|column| column.ty).collect();
    let target = converted(root, columns_of(relation, &columns), wanted)?;
    let rows = child.rows;
    Ok(Rc::new(Path {
        rel,
        param: None,
        rows,
        disabled: child.disabled,
        startup: child.startup + target.cost.startup,
        total: child.total + target.cost.startup + target.cost.per_tuple * rows,
        pathkeys: PathKeys::new(),
        target,
        node: PathNode::Subquery(child),
    }))
}

/// The arms of unions within each other, where that makes no difference (`plan_union_children`).
fn flatten<'s>(operation: &'s SetOperation, top_all: bool, types: &[TypeRef], arms: &mut Vec<&'s SetOperation>) {
    let mut pending = vec![operation];
    while let Some(next) = pending.pop() {
        match next {
            SetOperation::Node { operator: SetOperator::Union, all, left, right, columns, .. }
                if (*all || !top_all) && columns.iter().zip(types).all(|(a, b)| a.oid == b.oid) =>
            {
                pending.push(right);
                pending.push(left);
            }
            other => arms.push(other),
        }
    }
}

fn union<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, operation: &SetOperation) -> Result<P> {
    let SetOperation::Node { all, columns, group_clauses, .. } = operation else { unreachable!("a union") };
    let mut arms = Vec::new();
    flatten(operation, *all, columns, &mut arms);
    let mut children = Vec::with_capacity(arms.len());
    for arm in arms {
        children.push(recurse(global, root, arm, columns)?);
    }
    let target = numbered(root, &exprs_of(operation, columns));
    let append = append(root, children, &target);
    if *all {
        return Ok(append);
    }
    distinct(root, append, &numbered_clauses(group_clauses), &target)
}

/// One child's rows after the other's.
pub fn append(root: &PlannerInfo, children: Vec<P>, target: &Rc<PathTarget>) -> P {
    let rows = children.iter().map(|child| child.rows).sum::<f64>();
    let total: f64 = children.iter().map(|child| child.total).sum();
    let startup = children.first().map_or(0.0, |child| child.startup);
    let disabled = children.iter().map(|child| child.disabled).sum();
    // Half of what giving on a row costs elsewhere.
    let more = root.planner.settings.cpu_tuple_cost * 0.5 * rows;
    Rc::new(Path {
        node: PathNode::Append(children),
        rel: NO_REL,
        target: target.clone(),
        param: None,
        rows,
        disabled,
        startup,
        total: total + more,
        pathkeys: PathKeys::new(),
    })
}

fn cannot(what: &str) -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("could not implement {what}"))
        .detail("Some of the datatypes only support hashing, while others only support sorting.")
}

/// A union's rows, each once.
fn distinct(root: &mut PlannerInfo, child: P, clauses: &[SortGroupClause], target: &Rc<PathTarget>) -> Result<P> {
    if clauses.is_empty() {
        return Ok(one_row(root, &child));
    }
    let groups = child.rows;
    let mut paths = Vec::new();
    if clauses.iter().all(|clause| clause.hashable) {
        let path = agg_path(root, &child, Grouping::distinct(clauses, groups, target));
        pathnode::add_upper(&mut paths, path, root.paths.tuple_fraction > 0.0);
    }
    if clauses.iter().all(|clause| clause.sort != 0) {
        let sorted = sort_by(root, &child, clauses);
        let path = unique_path(root, &sorted, clauses, groups);
        pathnode::add_upper(&mut paths, path, root.paths.tuple_fraction > 0.0);
    }
    pathnode::cheapest_fractional(&paths, root.paths.tuple_fraction).ok_or_else(|| cannot("UNION"))
}

/// Sorted by all of its columns.
fn sort_by(root: &mut PlannerInfo, child: &P, clauses: &[SortGroupClause]) -> P {
    let targets: Vec<TargetEntry> = child
        .target
        .exprs
        .iter()
        .enumerate()
        .map(|(at, expr)| TargetEntry {
            reference: at as u32 + 1,
            ..TargetEntry::new(expr.clone(), at as i16 + 1, String::new())
        })
        .collect();
    let (keys, _) = crate::path::pathkeys::for_clauses(root, clauses, &targets);
    pathnode::sort(root, child, keys, -1.0)
}

fn intersect_or_except<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    operation: &SetOperation,
) -> Result<P> {
    let SetOperation::Node { operator, all, left, right, columns, group_clauses } = operation else {
        unreachable!("an operation")
    };
    let mut left_path = recurse(global, root, left, columns)?;
    let mut right_path = recurse(global, root, right, columns)?;
    let clauses = numbered_clauses(group_clauses);
    let groups = |root: &PlannerInfo, path: &P| {
        if root.paths.rels.get(path.rel).is_some_and(|rel| rel.subroot.is_some()) {
            selfuncs::estimate_num_groups(root, &path.target.exprs, path.rows)
        } else {
            path.rows
        }
    };
    let (mut left_groups, mut right_groups) = (groups(root, &left_path), groups(root, &right_path));
    // The fewer rows are kept.
    if *operator == SetOperator::Intersect && right_groups < left_groups {
        std::mem::swap(&mut left_path, &mut right_path);
        std::mem::swap(&mut left_groups, &mut right_groups);
    }
    let target = numbered(root, &exprs_of(operation, columns));
    let number = if *operator == SetOperator::Except { left_groups } else { left_groups.min(right_groups) };
    let rows = match (operator, all) {
        (SetOperator::Except, true) => left_path.rows,
        (_, true) => left_path.rows.min(right_path.rows),
        _ => number,
    };
    let settings = root.planner.settings;
    let mut paths = Vec::new();
    let keys = clauses.len() as f64;
    let made = |left: P, right: P, hashed: bool, costs: Costs| {
        Rc::new(Path {
            node: PathNode::SetOp { left, right, operator: *operator, all: *all, hashed, clauses: clauses.clone() },
            rel: NO_REL,
            target: target.clone(),
            param: None,
            rows: rows.max(1.0),
            disabled: costs.disabled,
            startup: costs.startup,
            total: costs.total,
            pathkeys: PathKeys::new(),
        })
    };
    if clauses.iter().all(|clause| clause.hashable) {
        let startup =
            left_path.total + right_path.total + settings.cpu_operator_cost * (left_path.rows + right_path.rows) * keys;
        let total = startup + settings.cpu_tuple_cost * rows;
        let size = hash_entry_size(0.0, left_path.target.width, 0.0) * left_groups;
        let disabled = left_path.disabled
            + right_path.disabled
            + u32::from(!settings.enable_hashagg)
            + u32::from(size > hash_mem(settings));
        let costs = Costs { startup, total, disabled };
        pathnode::add_upper(&mut paths, made(left_path.clone(), right_path.clone(), true, costs), false);
    }
    if clauses.iter().all(|clause| clause.sort != 0) && !clauses.is_empty() {
        let (left, right) = (sort_by(root, &left_path, &clauses), sort_by(root, &right_path, &clauses));
        let more = root.planner.settings.cpu_operator_cost * (left.rows + right.rows) * keys;
        let costs = Costs {
            startup: left.startup + right.startup,
            total: left.total + right.total + more,
            disabled: left.disabled + right.disabled,
        };
        pathnode::add_upper(&mut paths, made(left, right, false, costs), false);
    }
    let what = if *operator == SetOperator::Except { "EXCEPT" } else { "INTERSECT" };
    pathnode::cheapest(&paths).ok_or_else(|| cannot(what))
}

/// WITH RECURSIVE (`generate_recursion_path`).
fn recursive_union<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    operation: &SetOperation,
    number: u32,
) -> Result<P> {
    let SetOperation::Node { operator: SetOperator::Union, all, left, right, columns, group_clauses } = operation
    else {
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "only UNION queries can be recursive"));
    };
    let left_path = recurse(global, root, left, columns)?;
    let (rows, width) = (left_path.rows, left_path.target.width);
    global.levels[root.level - 1].work_table = Some(WorkTable { number, rows, width });
    let right_path = recurse(global, root, right, columns)?;
    let clauses = numbered_clauses(group_clauses);
    if !*all && !clauses.iter().all(|clause| clause.hashable) {
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "could not implement recursive UNION")
            .detail("All column datatypes must be hashable."));
    }
    let target = numbered(root, &exprs_of(operation, columns));
    let all_rows = left_path.rows + right_path.rows * 10.0;
    let total = left_path.total + right_path.total * 10.0 + root.planner.settings.cpu_tuple_cost * all_rows;
    Ok(Rc::new(Path {
        rel: NO_REL,
        target,
        param: None,
        rows: all_rows,
        disabled: left_path.disabled + right_path.disabled,
        startup: left_path.startup,
        total,
        pathkeys: PathKeys::new(),
        node: PathNode::RecursiveUnion {
            left: left_path,
            right: right_path,
            clauses: if *all { Vec::new() } else { clauses },
            number,
        },
    }))
}
