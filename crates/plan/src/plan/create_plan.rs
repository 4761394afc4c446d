//! Paths become plans (PostgreSQL's `createplan.c`). Expressions are over the query's entries still; [`super::setrefs`] makes
//! them columns of children.

use analyze::query::*;
use catalog::strategy;
use error::sqlstate;
use types::{Error, Oid, Result};

use super::arbiter::infer_arbiters;
use super::join_plan;
use super::scan_plan;
use super::setrefs;
use super::*;
use crate::manip;
use crate::path::clauses::strip_relabel;
use crate::path::cost::costsize;
use crate::path::pathkeys;
use crate::path::pathnode;
use crate::path::relset::Rels;
use crate::path::state::{Path, PathKeyId, PathKeys, PathNode, PathTarget, RelId};
use crate::planner_info::{PlannerGlobal, PlannerInfo, in_stack};

/// The plan of a query's best path, finished.
pub fn create_plan<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    tuple_fraction: f64,
) -> Result<Plan> {
    let path = pathnode::cheapest_fractional(&root.paths.result, tuple_fraction);
    let path = path.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a query has no path"))?;
    level_plan(global, root, &path)
}

/// The finished plan of one of a query's paths.
pub fn level_plan<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, path: &Path) -> Result<Plan> {
    in_stack(global.planner, || {
        root.paths.outer_rels = Rels::EMPTY;
        root.paths.outer_params.clear();
        let offset = setrefs::flatten_range_table(global, root);
        let mut plan = create(global, root, path)?;
        if !matches!(plan.node, Node::ModifyTable(_)) {
            label_targets(&mut plan.targets, &root.query.targets);
        }
        setrefs::set_plan_references(root, &mut plan, offset)?;
        // They run before its first row (`SS_charge_for_initplans`).
        let init = root.init_cost();
        plan.cost.startup += init;
        plan.cost.total += init;
        plan.init_plans.append(&mut root.init_plans);
        Ok(plan)
    })
}

/// The names and origins of the query's targets (`apply_tlist_labeling`).
fn label_targets(targets: &mut [TargetEntry], labels: &[TargetEntry]) {
    for (target, label) in targets.iter_mut().zip(labels) {
        target.name.clone_from(&label.name);
        (target.junk, target.origin) = (label.junk, label.origin);
    }
}

/// A node with targets and costs.
pub fn make(node: Node, targets: Vec<TargetEntry>, conditions: Vec<Expr>, path: &Path) -> Plan {
    Plan { node, targets, conditions, cost: path.cost(), init_plans: Vec::new() }
}

/// A path's targets (`build_path_tlist`).
pub fn targets_of(global: &mut PlannerGlobal, root: &mut PlannerInfo, path: &Path) -> Vec<TargetEntry> {
    let replace = path.param.is_some() || !root.paths.outer_rels.is_empty();
    targets_from(global, root, &path.target, replace)
}

fn targets_from(
    global: &mut PlannerGlobal,
    root: &mut PlannerInfo,
    target: &PathTarget,
    replace: bool,
) -> Vec<TargetEntry> {
    let mut made = Vec::with_capacity(target.exprs.len());
    for (at, expr) in target.exprs.iter().enumerate() {
        let mut expr = expr.clone();
        if replace {
            scan_plan::replace_params(global, root, &mut expr);
        }
        made.push(TargetEntry {
            reference: target.reference(at),
            ..TargetEntry::new(expr, at as i16 + 1, String::new())
        });
    }
    made
}

/// `create_plan_recurse`.
pub fn create<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, path: &Path) -> Result<Plan> {
    match &path.node {
        PathNode::SeqScan
        | PathNode::Index(_)
        | PathNode::BitmapHeap(_)
        | PathNode::Tid(_)
        | PathNode::Subquery(_)
        | PathNode::Function
        | PathNode::Values
        | PathNode::Cte
        | PathNode::WorkTable => scan_plan::create_scan(global, root, path),
        PathNode::NestLoop(_) | PathNode::MergeJoin(_) | PathNode::HashJoin { .. } => {
            join_plan::create_join(global, root, path)
        }
        PathNode::Dummy => {
            let targets = targets_of(global, root, path);
            let never = vec![manip::make_bool_const(false)];
            Ok(make(Node::Result { child: None, one_time: never }, targets, Vec::new(), path))
        }
        PathNode::Result { child: None, one_time } => {
            let targets = targets_of(global, root, path);
            Ok(make(Node::Result { child: None, one_time: one_time.clone() }, targets, Vec::new(), path))
        }
        PathNode::Result { child: Some(child), one_time } => {
            let child = Box::new(create(global, root, child)?);
            let targets = targets_of(global, root, path);
            Ok(make(Node::Result { child: Some(child), one_time: one_time.clone() }, targets, Vec::new(), path))
        }
        PathNode::Projection { child, .. } => projection(global, root, path, child),
        PathNode::ProjectSet(child) => {
            let child = Box::new(create(global, root, child)?);
            let targets = targets_of(global, root, path);
            Ok(make(Node::ProjectSet { child }, targets, Vec::new(), path))
        }
        PathNode::Append(children) => {
            let children = children.iter().map(|child| create(global, root, child)).collect::<Result<Vec<_>>>()?;
            let targets = targets_of(global, root, path);
            Ok(make(Node::Append { children }, targets, Vec::new(), path))
        }
        PathNode::MergeAppend(children) => {
            let children = children.iter().map(|child| create(global, root, child)).collect::<Result<Vec<_>>>()?;
            let mut targets = targets_of(global, root, path);
            let keys = sort_keys(root, &path.pathkeys, &mut targets, path.rel)?;
            Ok(make(Node::MergeAppend { children, keys }, targets, Vec::new(), path))
        }
        PathNode::Material(child) => {
            let child = Box::new(create(global, root, child)?);
            Ok(over(child, |child| Node::Material { child }, path))
        }
        PathNode::Sort(child) => {
            let child = create(global, root, child)?;
            sort_plan(root, child, &path.pathkeys, None, path)
        }
        PathNode::IncrementalSort { child, presorted } => {
            let child = create(global, root, child)?;
            sort_plan(root, child, &path.pathkeys, Some(*presorted), path)
        }
        PathNode::LockRows(child) => {
            let child = Box::new(create(global, root, child)?);
            let marks = row_marks(root, &child.targets);
            Ok(over(child, |child| Node::LockRows { child, marks }, path))
        }
        PathNode::ModifyTable(child) => modify_table(global, root, path, child),
        _ => upper(global, root, path),
    }
}

/// What comes from grouping, windows, DISTINCT and set operations.
fn upper<'a>(global: &mut PlannerGlobal<'a>, root: &mut PlannerInfo<'a>, path: &Path) -> Result<Plan> {
    match &path.node {
        PathNode::Unique { child, hashed, exprs, operators } => {
            unique_plan(global, root, path, child, *hashed, exprs, operators)
        }
        PathNode::UpperUnique { child, clauses } => {
            let child = Box::new(create(global, root, child)?);
            let columns = group_keys(&child.targets, clauses)?;
            Ok(over(child, |child| Node::Unique { child, columns }, path))
        }
        PathNode::Agg(agg) => {
            let child = create(global, root, &agg.child)?;
            let keys = group_keys(&child.targets, &agg.clauses)?;
            let targets = targets_of(global, root, path);
            let (strategy, grouping_sets) = (agg.strategy, agg.sets.clone());
            let node = Node::Agg(Box::new(Agg { child, strategy, keys, grouping_sets, presorted: agg.presorted }));
            Ok(make(node, targets, agg.conditions.clone(), path))
        }
        PathNode::WindowAgg { child, window, conditions } => {
            window_plan(global, root, path, child, *window, conditions)
        }
        PathNode::SetOp { left, right, operator, all, hashed, clauses } => {
            let (left, right) = (create(global, root, left)?, create(global, root, right)?);
            let columns = group_keys(&left.targets, clauses)?;
            let targets = targets_of(global, root, path);
            let node = SetOp { operator: *operator, all: *all, hashed: *hashed, left, right, columns };
            Ok(make(Node::SetOp(Box::new(node)), targets, Vec::new(), path))
        }
        PathNode::RecursiveUnion { left, right, clauses, number } => {
            let (left, right) = (create(global, root, left)?, create(global, root, right)?);
            let distinct = group_keys(&left.targets, clauses)?;
            let targets = targets_of(global, root, path);
            let node = RecursiveUnion { left, right, work_table: *number, distinct };
            Ok(make(Node::RecursiveUnion(Box::new(node)), targets, Vec::new(), path))
        }
        PathNode::Limit { child, offset, count } => {
            let child = Box::new(create(global, root, child)?);
            let with_ties =
                if root.query.with_ties { Some(group_keys(&child.targets, &root.query.sort_clause)?) } else { None };
            let (offset, count) = (offset.clone().map(Box::new), count.clone().map(Box::new));
            Ok(over(child, |child| Node::Limit { child, offset, count, with_ties }, path))
        }
        _ => Err(Error::new(sqlstate::INTERNAL_ERROR, "an unknown path")),
    }
}

/// A node that gives its child's rows as they are.
fn over(child: Box<Plan>, node: impl FnOnce(Box<Plan>) -> Node, path: &Path) -> Plan {
    let targets = child.targets.clone();
    make(node(child), targets, Vec::new(), path)
}

/// `create_projection_plan`.
fn projection<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    child: &Path,
) -> Result<Plan> {
    let mut plan = create(global, root, child)?;
    let targets = targets_of(global, root, path);
    let same = plan.targets.len() == targets.len() && plan.targets.iter().zip(&targets).all(|(a, b)| a.expr == b.expr);
    if same {
        for (old, new) in plan.targets.iter_mut().zip(&targets) {
            old.reference = new.reference;
        }
        return Ok(plan);
    }
    if can_project(&plan) {
        plan.targets = targets;
        plan.cost = path.cost();
        return Ok(plan);
    }
    Ok(make(Node::Result { child: Some(Box::new(plan)), one_time: Vec::new() }, targets, Vec::new(), path))
}

/// Can the node compute expressions (`is_projection_capable_plan`)?
fn can_project(plan: &Plan) -> bool {
    !matches!(
        plan.node,
        Node::Material { .. }
            | Node::Memoize { .. }
            | Node::Sort { .. }
            | Node::IncrementalSort { .. }
            | Node::Unique { .. }
            | Node::SetOp(_)
            | Node::LockRows { .. }
            | Node::Limit { .. }
            | Node::ModifyTable(_)
            | Node::Append { .. }
            | Node::MergeAppend { .. }
            | Node::RecursiveUnion(_)
            | Node::ProjectSet { .. }
    )
}

/// The targets that clauses name.
fn group_keys(targets: &[TargetEntry], clauses: &[SortGroupClause]) -> Result<Vec<GroupKey>> {
    let key = |clause: &SortGroupClause| {
        let at = targets.iter().position(|target| target.reference == clause.reference);
        let at = at
            .ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "ORDER/GROUP BY expression not found in targetlist"))?;
        Ok(GroupKey { column: at as i16 + 1, equality: clause.equality })
    };
    clauses.iter().map(key).collect()
}

/// The columns that an order is by; what is not there is added (`prepare_sort_from_pathkeys`).
pub fn sort_keys(
    root: &PlannerInfo,
    keys: &PathKeys,
    targets: &mut Vec<TargetEntry>,
    rel: RelId,
) -> Result<Vec<SortKey>> {
    keys.iter().map(|id| sort_key(root, *id, targets, rel)).collect()
}

fn sort_key(root: &PlannerInfo, id: PathKeyId, targets: &mut Vec<TargetEntry>, rel: RelId) -> Result<SortKey> {
    let key = pathkeys::key(root, id);
    let class = &root.paths.classes[root.paths.canonical(key.class)];
    let mut found: Option<(usize, Oid)> = None;
    if class.has_volatile {
        let at = targets.iter().position(|target| target.reference != 0 && target.reference == class.reference);
        found = at.map(|at| (at, class.members[0].ty));
    } else {
        for (at, target) in targets.iter().enumerate() {
            let mut members = class.members.iter().filter(|member| !member.is_const);
            if let Some(member) = members.find(|member| sorts_alike(root, &target.expr, &member.expr)) {
                found = Some((at, member.ty));
                break;
            }
        }
    }
    let (at, ty) = match found {
        Some(found) => found,
        None => {
            // An expression over columns that are there.
            let rels = root.paths.rels.get(rel).map(|rel| rel.relids);
            let usable = |expr: &Expr| {
                let mut vars = Vec::new();
                crate::path::clauses::pull_vars(expr, &mut vars, |e| {
                    matches!(e, Expr::Aggref(_) | Expr::WindowFunc(_) | Expr::GroupingFunc(_))
                });
                vars.iter().all(|var| targets.iter().any(|target| target.expr == *var))
            };
            let member = class.members.iter().find(|member| {
                !member.is_const && rels.is_none_or(|rels| member.rels.is_subset(rels)) && usable(&member.expr)
            });
            let member =
                member.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "could not find pathkey item to sort"))?;
            let number = targets.len() as i16 + 1;
            targets.push(TargetEntry { junk: true, ..TargetEntry::new(member.expr.clone(), number, String::new()) });
            (targets.len() - 1, member.ty)
        }
    };
    let wanted = if key.descending { strategy::GREATER } else { strategy::LESS };
    let catalog = root.planner.catalog;
    // Families of arrays, rows and the like have members for any of them.
    let of_any = || {
        let comparison = catalog.comparison(ty);
        if key.descending { comparison.greater } else { comparison.less }
    };
    let operator = catalog.opfamily_member(key.family, ty, ty, wanted).or_else(of_any);
    let operator = operator.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "an order has no operator"))?;
    Ok(SortKey { column: at as i16 + 1, operator, descending: key.descending, nulls_first: key.nulls_first })
}

/// Are these the same values in the same order, but for the type's name? Rows are sorted by how values lie, not by operators.
fn sorts_alike(root: &PlannerInfo, a: &Expr, b: &Expr) -> bool {
    if strip_relabel(a) != strip_relabel(b) {
        return false;
    }
    let (a, b) = (a.ty().oid, b.ty().oid);
    let repr = |ty: Oid| expression::representation(root.planner.catalog, TypeRef::of(ty)).ok();
    a == b || repr(a).is_some_and(|repr_of_a| repr(b) == Some(repr_of_a))
}

/// The plan with more targets than it has, if these are more.
fn with_targets(mut plan: Plan, targets: &[TargetEntry]) -> Plan {
    if targets.len() == plan.targets.len() {
        return plan;
    }
    if can_project(&plan) {
        plan.targets = targets.to_vec();
        return plan;
    }
    let cost = plan.cost;
    let node = Node::Result { child: Some(Box::new(plan)), one_time: Vec::new() };
    Plan { node, targets: targets.to_vec(), conditions: Vec::new(), cost, init_plans: Vec::new() }
}

/// A sort above a child, whose targets get what is sorted by.
pub fn sort_plan(
    root: &PlannerInfo,
    child: Plan,
    keys: &PathKeys,
    presorted: Option<usize>,
    path: &Path,
) -> Result<Plan> {
    let mut targets = child.targets.clone();
    let keys = sort_keys(root, keys, &mut targets, path.rel)?;
    let child = Box::new(with_targets(child, &targets));
    let node = match presorted {
        Some(presorted) => Node::IncrementalSort { child, keys, presorted },
        None => Node::Sort { child, keys },
    };
    Ok(make(node, targets, Vec::new(), path))
}

/// `create_unique_plan`.
fn unique_plan<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    child: &Path,
    hashed: bool,
    exprs: &[Expr],
    operators: &[Oid],
) -> Result<Plan> {
    let child = create(global, root, child)?;
    let mut targets = child.targets.clone();
    let mut keys = Vec::with_capacity(exprs.len());
    for (expr, &equality) in exprs.iter().zip(operators) {
        let at = targets.iter().position(|target| target.expr == *expr).unwrap_or_else(|| {
            let number = targets.len() as i16 + 1;
            targets.push(TargetEntry::new(expr.clone(), number, String::new()));
            targets.len() - 1
        });
        keys.push(GroupKey { column: at as i16 + 1, equality });
    }
    let child = with_targets(child, &targets);
    if hashed {
        let (strategy, grouping_sets) = (AggStrategy::Hashed, Vec::new());
        let node = Agg { child, strategy, keys, grouping_sets, presorted: false };
        return Ok(make(Node::Agg(Box::new(node)), targets, Vec::new(), path));
    }
    let catalog = root.planner.catalog;
    let sorted = |key: &GroupKey| {
        let less = catalog.ordering_of_equality(key.equality, false);
        let operator = less.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "an equality has no order"))?;
        Ok(SortKey { column: key.column, operator, descending: false, nulls_first: false })
    };
    let order = keys.iter().map(sorted).collect::<Result<Vec<_>>>()?;
    let mut cost = child.cost;
    let sort = costsize::cost_sort(
        root.planner.settings,
        costsize::Costs { startup: cost.startup, total: cost.total, disabled: 0 },
        cost.rows,
        cost.width,
        -1.0,
    );
    (cost.startup, cost.total) = (sort.startup, sort.total);
    let node = Node::Sort { child: Box::new(child), keys: order };
    let sort = Plan { node, targets: targets.clone(), conditions: Vec::new(), cost, init_plans: Vec::new() };
    Ok(make(Node::Unique { child: Box::new(sort), columns: keys }, targets, Vec::new(), path))
}

/// `create_windowagg_plan`.
fn window_plan<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    child: &Path,
    window: usize,
    conditions: &[Expr],
) -> Result<Plan> {
    let child = create(global, root, child)?;
    let targets = targets_of(global, root, path);
    let clause = root.query.windows[window].clone();
    let partition = group_keys(&child.targets, &clause.partition)?;
    let peers = group_keys(&child.targets, &clause.order)?;
    let catalog = root.planner.catalog;
    let order = clause.order.iter().zip(&peers).map(|(clause, key)| SortKey {
        column: key.column,
        operator: clause.sort,
        descending: catalog.ordering_properties(clause.sort).is_some_and(|ordering| ordering.descending),
        nulls_first: clause.nulls_first,
    });
    let node = WindowAgg {
        partition,
        order: order.collect(),
        peers,
        child,
        name: clause.name.clone().unwrap_or_else(|| format!("w{}", window + 1)),
        frame: clause.frame.clone(),
        run_condition: conditions.to_vec(),
    };
    Ok(make(Node::WindowAgg(Box::new(node)), targets, Vec::new(), path))
}

/// The marks of entries, with the targets that say which row it is.
fn row_marks(root: &PlannerInfo, targets: &[TargetEntry]) -> Vec<PlanRowMark> {
    let wanted = |mark: &crate::planner_info::RowMarkInfo| {
        let own = mark.var();
        let is_own = |var: &Var| var.relation == own.relation && var.attribute == own.attribute && var.levels_up == 0;
        let at = targets.iter().position(|target| matches!(&target.expr, Expr::Var(var) if is_own(var)))?;
        let (relation, table, strength, wait) = (mark.relation, mark.table, mark.strength, mark.wait);
        Some(PlanRowMark { relation, table, strength, wait, row: at as i16 + 1 })
    };
    root.row_marks.iter().filter_map(wanted).collect()
}

/// INSERT, UPDATE, DELETE, MERGE (`create_modifytable_plan`).
fn modify_table<'a>(
    global: &mut PlannerGlobal<'a>,
    root: &mut PlannerInfo<'a>,
    path: &Path,
    child: &Path,
) -> Result<Plan> {
    let mut child = create(global, root, child)?;
    label_targets(&mut child.targets, &root.query.targets);
    let relation =
        root.query.result_relation.ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "no table is changed"))?;
    let RangeTableKind::Relation { oid: table, .. } = root.query.entry(relation).kind else {
        return Err(crate::planner_info::unsupported("changing what is not a table"));
    };
    let on_conflict = match &root.query.on_conflict {
        None => None,
        Some(conflict) => {
            let arbiters = infer_arbiters(root, conflict, table)?;
            Some(PlanOnConflict { arbiters, action: conflict.action.clone() })
        }
    };
    let row =
        child.targets.iter().position(|target| target.junk && target.name == "ctid").map_or(0, |at| at as i16 + 1);
    let marks = row_marks(root, &child.targets);
    let query = &root.query;
    let merge = query.merge_actions.iter().map(|action| {
        let (command, targets) = match &action.action {
            MergeCommand::Insert { targets, .. } => (Some(CommandType::Insert), targets.clone()),
            MergeCommand::Update { targets } => (Some(CommandType::Update), targets.clone()),
            MergeCommand::Delete => (Some(CommandType::Delete), Vec::new()),
            MergeCommand::Nothing => (None, Vec::new()),
        };
        let conditions = action.condition.iter().flat_map(|condition| manip::and_slice(condition).to_vec()).collect();
        PlanMergeAction { when: action.when, conditions, command, targets }
    });
    let node = ModifyTable {
        command: query.command,
        scan: Scan { relation, table },
        columns: root.update_columns.clone(),
        row,
        marks,
        returning: query.returning.clone(),
        returning_rows: query.returning_rows,
        on_conflict,
        merge: merge.collect(),
        given: query.given_columns.clone(),
        checks: query.with_check_options.clone(),
        child,
    };
    let targets = query.returning.clone();
    Ok(make(Node::ModifyTable(Box::new(node)), targets, Vec::new(), path))
}
