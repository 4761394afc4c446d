//! Parameters, CTEs and work tables are there where they are asked for: a node that gives them is above.

use std::collections::BTreeSet;

use analyze::query::*;
use analyze::verify::{Checked, holds};

use crate::plan::*;

/// What something above a node has to give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Need {
    Param(u32),
    Cte(usize),
    WorkTable(u32),
}

type Needs = BTreeSet<Need>;

/// Fails where a statement's plan asks for what nothing gives it.
pub fn satisfied(planned: &PlannedStmt) -> Checked {
    let mut finder = Finder { planned, of_plans: vec![None; planned.sub_plans.len()] };
    let left = finder.of_node(&planned.plan);
    match left.first() {
        None => Ok(()),
        Some(need) => holds(false, || format!("nothing gives {need:?}")),
    }
}

struct Finder<'a> {
    planned: &'a PlannedStmt,
    /// Of the statement's list, as far as they are known.
    of_plans: Vec<Option<Needs>>,
}

impl Finder<'_> {
    fn of_plan(&mut self, plan: usize) -> Needs {
        if let Some(known) = self.of_plans.get(plan).and_then(Option::as_ref) {
            return known.clone();
        }
        let Some(below) = self.planned.sub_plans.get(plan) else { return Needs::new() };
        let found = self.of_node(below);
        self.of_plans[plan] = Some(found.clone());
        found
    }

    /// What a node and those below it ask for and do not give each other.
    fn of_node(&mut self, plan: &Plan) -> Needs {
        syntax::with_stack_for(8, || {
            let mut needs = self.of_children(plan);
            let (mut own, mut given) = (Needs::new(), Needs::new());
            for expr in exprs(plan) {
                self.of_expr(expr, &mut own, &mut given);
            }
            match &plan.node {
                Node::CteScan { plan, .. } => {
                    own.insert(Need::Cte(*plan));
                }
                Node::WorkTableScan { work_table, .. } => {
                    own.insert(Need::WorkTable(*work_table));
                }
                _ => {}
            }
            needs.append(&mut own);
            needs.retain(|need| !given.contains(need));
            self.with_init_plans(plan, needs)
        })
    }

    fn of_children(&mut self, plan: &Plan) -> Needs {
        let mut needs = Needs::new();
        for child in plan.children() {
            let mut below = self.of_node(child);
            match &plan.node {
                Node::NestLoop(node) if std::ptr::eq(child, &node.join.inner) => {
                    node.parameters.iter().for_each(|(number, _)| {
                        below.remove(&Need::Param(*number));
                    });
                }
                Node::RecursiveUnion(node) => {
                    below.remove(&Need::WorkTable(node.work_table));
                }
                _ => {}
            }
            needs.append(&mut below);
        }
        needs
    }

    /// Init plans give those below what they set; of each other they may ask too.
    fn with_init_plans(&mut self, plan: &Plan, mut needs: Needs) -> Needs {
        for init in &plan.init_plans {
            needs.append(&mut self.of_plan(init.plan));
        }
        for init in &plan.init_plans {
            init.set_parameters.iter().for_each(|number| {
                needs.remove(&Need::Param(*number));
            });
            if init.kind == SubLinkKind::Cte {
                needs.remove(&Need::Cte(init.plan));
            }
        }
        needs
    }

    /// `given`: what a subquery for several columns sets for the targets beside it.
    fn of_expr(&mut self, expr: &Expr, needs: &mut Needs, given: &mut Needs) {
        match expr {
            Expr::Param(param) if param.kind == ParamKind::Exec => {
                needs.insert(Need::Param(param.number));
            }
            Expr::SubPlan(plan) => {
                let mut below = self.of_plan(plan.plan);
                plan.test.iter().for_each(|test| self.of_expr(test, &mut below, given));
                plan.parameters.iter().chain(&plan.columns).for_each(|number| {
                    below.remove(&Need::Param(*number));
                });
                needs.append(&mut below);
                given.extend(plan.set_parameters.iter().map(|number| Need::Param(*number)));
                plan.arguments.iter().for_each(|argument| self.of_expr(argument, needs, given));
                return;
            }
            _ => {}
        }
        let mut child = |child: &Expr| {
            self.of_expr(child, needs, given);
            Walk::On
        };
        expr.walk(&mut child, &mut |_| Walk::On);
    }
}

/// All expressions that a node computes. What is for EXPLAIN alone is none.
fn exprs(plan: &Plan) -> Vec<&Expr> {
    let mut found = plan.exprs();
    match &plan.node {
        Node::IndexScan(node) | Node::IndexOnlyScan(node) | Node::BitmapIndexScan(node) => {
            for condition in node.ranges.iter().flatten() {
                match condition {
                    IndexCondition::Compare { value, .. } => found.push(value),
                    IndexCondition::Any { array, .. } => found.push(array),
                    IndexCondition::Row { values, .. } => found.extend(values),
                    IndexCondition::IsNull { .. } | IndexCondition::IsNotNull { .. } => {}
                }
            }
        }
        Node::HashJoin(node) => found.extend(node.clauses.iter().flat_map(|clause| [&clause.outer, &clause.inner])),
        Node::MergeJoin(node) => {
            found.extend(node.clauses.iter().flat_map(|clause| [&clause.clause.outer, &clause.clause.inner]));
        }
        Node::Memoize { keys, .. } => found.extend(keys),
        Node::WindowAgg(node) => {
            for bound in [&node.frame.start, &node.frame.end] {
                if let FrameBound::Preceding(offset) | FrameBound::Following(offset) = bound {
                    found.push(offset);
                }
            }
        }
        Node::ModifyTable(node) => modified(node, &mut found),
        _ => {}
    }
    found
}

fn modified<'p>(node: &'p ModifyTable, found: &mut Vec<&'p Expr>) {
    found.extend(node.returning.iter().map(|target| &target.expr));
    for action in &node.merge {
        found.extend(&action.conditions);
        found.extend(action.targets.iter().map(|target| &target.expr));
    }
    if let Some(PlanOnConflict { action: ConflictAction::Update { targets, condition, .. }, .. }) = &node.on_conflict {
        found.extend(targets.iter().map(|target| &target.expr));
        found.extend(condition);
    }
}
