//! Going through plans.

use analyze::query::{Expr, FrameBound, RangeTableIndex, Walk};
use plan::plan::{IndexCondition, Join, Node, Plan};

/// Calls `each` for a plan and every plan in it.
pub fn visit(plan: &Plan, each: &mut dyn FnMut(&Plan)) {
    each(plan);
    plan.children().for_each(|child| visit(child, each));
}

/// Whether a node in it changes or locks rows.
pub fn changes_rows(plan: &Plan) -> bool {
    let mut changes = false;
    visit(plan, &mut |plan| changes |= matches!(plan.node, Node::ModifyTable(_) | Node::LockRows { .. }));
    changes
}

/// Calls `each` for the expressions of a plan and the plans in it.
pub fn exprs_of(plan: &Plan, each: &mut dyn FnMut(&Expr) -> Walk) {
    visit(plan, &mut |plan| {
        for expr in plan.targets.iter().map(|target| &target.expr).chain(asked_of(plan)) {
            if each(expr) == Walk::Stop {
                break;
            }
        }
    });
}

/// The expressions of a plan's own node but for its targets.
pub fn asked_of(plan: &Plan) -> Vec<&Expr> {
    let mut all = plan.conditions.iter().collect();
    of_node(&plan.node, &mut all);
    all
}

fn of_node<'p>(node: &'p Node, all: &mut Vec<&'p Expr>) {
    let mut of_join = |join: &'p Join| all.extend(&join.conditions);
    match node {
        Node::NestLoop(loops) => of_join(&loops.join),
        Node::MergeJoin(join) => {
            of_join(&join.join);
            all.extend(join.clauses.iter().flat_map(|clause| [&clause.clause.outer, &clause.clause.inner]));
        }
        Node::HashJoin(join) => {
            of_join(&join.join);
            all.extend(join.clauses.iter().flat_map(|clause| [&clause.outer, &clause.inner]));
        }
        Node::Result { one_time, .. } => all.extend(one_time),
        Node::BitmapHeapScan { recheck, .. } => all.extend(recheck),
        Node::IndexScan(scan) | Node::IndexOnlyScan(scan) | Node::BitmapIndexScan(scan) => {
            scan.ranges.iter().flatten().for_each(|condition| match condition {
                IndexCondition::Compare { value, .. } => all.push(value),
                IndexCondition::Any { array, .. } => all.push(array),
                IndexCondition::Row { values, .. } => all.extend(values),
                IndexCondition::IsNull { .. } | IndexCondition::IsNotNull { .. } => {}
            });
        }
        Node::TidScan { conditions, .. } => all.extend(conditions),
        Node::FunctionScan { functions, .. } => all.extend(functions.iter().map(|function| &function.call)),
        Node::ValuesScan { rows, .. } => all.extend(rows.iter().flatten()),
        Node::Memoize { keys, .. } => all.extend(keys),
        Node::Limit { offset, count, .. } => all.extend(offset.iter().chain(count).map(|expr| &**expr)),
        Node::WindowAgg(window) => {
            for bound in [&window.frame.start, &window.frame.end] {
                if let FrameBound::Preceding(offset) | FrameBound::Following(offset) = bound {
                    all.push(offset);
                }
            }
            all.extend(&window.run_condition);
        }
        _ => {}
    }
}

/// The attributes of an entry that an expression names, each once.
pub fn attributes_of(expr: &Expr, relation: RangeTableIndex, found: &mut Vec<i16>) {
    if let Expr::Var(var) = expr {
        if var.relation == relation && var.levels_up == 0 && !found.contains(&var.attribute) {
            found.push(var.attribute);
        }
        return;
    }
    expr.walk(
        &mut |child| {
            attributes_of(child, relation, found);
            Walk::On
        },
        &mut |_| Walk::On,
    );
}
