//! Going through plans.

use analyze::query::*;
use types::Oid;

use super::*;

impl PlannedStmt {
    /// Does it open this table or index when it runs? What was planned away is not opened.
    pub fn opens(&self, relation: Oid) -> bool {
        let mut plans: Vec<&Plan> = std::iter::once(&self.plan).chain(&self.sub_plans).collect();
        while let Some(plan) = plans.pop() {
            if plan.opens(relation) {
                return true;
            }
            plans.extend(plan.children());
        }
        false
    }
}

impl Plan {
    fn opens(&self, relation: Oid) -> bool {
        let is_marked = |marks: &[PlanRowMark]| marks.iter().any(|mark| mark.table == relation);
        match &self.node {
            Node::SeqScan(scan) | Node::TidScan { scan, .. } | Node::BitmapHeapScan { scan, .. } => {
                scan.table == relation
            }
            Node::IndexScan(node) | Node::IndexOnlyScan(node) | Node::BitmapIndexScan(node) => {
                node.scan.table == relation || node.index == relation
            }
            Node::LockRows { marks, .. } => is_marked(marks),
            Node::ModifyTable(node) => node.scan.table == relation || is_marked(&node.marks),
            _ => false,
        }
    }

    /// The nodes right below, the left one first.
    pub fn children(&self) -> impl Iterator<Item = &Plan> {
        let (one, two, many): (Option<&Plan>, Option<&Plan>, &[Plan]) = match &self.node {
            Node::Append { children } | Node::MergeAppend { children, .. } => (None, None, children),
            Node::BitmapAnd { children } | Node::BitmapOr { children } => (None, None, children),
            Node::RecursiveUnion(node) => (Some(&node.left), Some(&node.right), &[]),
            Node::SetOp(node) => (Some(&node.left), Some(&node.right), &[]),
            _ => (self.outer(), self.inner(), &[]),
        };
        one.into_iter().chain(two).chain(many)
    }

    /// The node whose targets are the columns of [`OUTER`].
    pub fn outer(&self) -> Option<&Plan> {
        match &self.node {
            Node::Result { child, .. } => child.as_deref(),
            Node::ProjectSet { child }
            | Node::SubqueryScan { child, .. }
            | Node::Material { child }
            | Node::Memoize { child, .. }
            | Node::Sort { child, .. }
            | Node::IncrementalSort { child, .. }
            | Node::Unique { child, .. }
            | Node::LockRows { child, .. }
            | Node::Limit { child, .. }
            | Node::BitmapHeapScan { child, .. } => Some(child),
            Node::ModifyTable(node) => Some(&node.child),
            Node::Append { children } | Node::MergeAppend { children, .. } => children.first(),
            Node::RecursiveUnion(node) => Some(&node.left),
            Node::NestLoop(node) => Some(&node.join.outer),
            Node::MergeJoin(node) => Some(&node.join.outer),
            Node::HashJoin(node) => Some(&node.join.outer),
            Node::Agg(node) => Some(&node.child),
            Node::WindowAgg(node) => Some(&node.child),
            Node::SetOp(node) => Some(&node.left),
            Node::SeqScan(_) | Node::IndexScan(_) | Node::IndexOnlyScan(_) | Node::TidScan { .. } => None,
            Node::BitmapIndexScan(_) | Node::BitmapAnd { .. } | Node::BitmapOr { .. } => None,
            Node::FunctionScan { .. } | Node::ValuesScan { .. } | Node::CteScan { .. } | Node::WorkTableScan { .. } => {
                None
            }
        }
    }

    /// The node whose targets are the columns of [`INNER`].
    pub fn inner(&self) -> Option<&Plan> {
        match &self.node {
            Node::NestLoop(node) => Some(&node.join.inner),
            Node::MergeJoin(node) => Some(&node.join.inner),
            Node::HashJoin(node) => Some(&node.join.inner),
            Node::SetOp(node) => Some(&node.right),
            Node::RecursiveUnion(node) => Some(&node.right),
            _ => None,
        }
    }

    /// What joins have in common, if it is one.
    pub fn join(&self) -> Option<&Join> {
        match &self.node {
            Node::NestLoop(node) => Some(&node.join),
            Node::MergeJoin(node) => Some(&node.join),
            Node::HashJoin(node) => Some(&node.join),
            _ => None,
        }
    }

    /// The entry that it scans.
    pub fn scanned(&self) -> Option<RangeTableIndex> {
        match &self.node {
            Node::SeqScan(scan) | Node::TidScan { scan, .. } | Node::BitmapHeapScan { scan, .. } => Some(scan.relation),
            Node::IndexScan(node) | Node::IndexOnlyScan(node) => Some(node.scan.relation),
            Node::SubqueryScan { relation, .. }
            | Node::FunctionScan { relation, .. }
            | Node::ValuesScan { relation, .. }
            | Node::CteScan { relation, .. }
            | Node::WorkTableScan { relation, .. } => Some(*relation),
            Node::ModifyTable(node) => Some(node.scan.relation),
            _ => None,
        }
    }

    /// The node's own expressions: targets, conditions, and what it computes beside them.
    pub fn exprs(&self) -> Vec<&Expr> {
        let checks = if let Node::ModifyTable(node) = &self.node { &node.checks[..] } else { &[] };
        let checks = checks.iter().map(|check| &check.condition);
        let targets = self.targets.iter().map(|target| &target.expr);
        let mut found: Vec<&Expr> = checks.chain(targets).chain(&self.conditions).collect();
        match &self.node {
            Node::Result { one_time, .. } => found.extend(one_time),
            Node::IndexScan(node) | Node::IndexOnlyScan(node) | Node::BitmapIndexScan(node) => {
                found.extend(&node.index_conditions);
            }
            Node::BitmapHeapScan { recheck, .. } => found.extend(recheck),
            Node::TidScan { conditions, .. } => found.extend(conditions),
            Node::FunctionScan { functions, .. } => found.extend(functions.iter().map(|function| &function.call)),
            Node::ValuesScan { rows, .. } => found.extend(rows.iter().flatten()),
            Node::NestLoop(node) => found.extend(&node.join.conditions),
            Node::MergeJoin(node) => found.extend(&node.join.conditions),
            Node::HashJoin(node) => found.extend(&node.join.conditions),
            Node::Limit { offset, count, .. } => found.extend(offset.iter().chain(count).map(|expr| &**expr)),
            Node::WindowAgg(node) => found.extend(&node.run_condition),
            _ => {}
        }
        found
    }

    /// The subplans in its expressions, each once.
    pub fn sub_plans(&self) -> Vec<SubPlan> {
        let mut found = Vec::new();
        for expr in self.exprs() {
            gather(expr, &mut found);
        }
        found
    }
}

fn gather(expr: &Expr, found: &mut Vec<SubPlan>) {
    if let Expr::SubPlan(plan) = expr
        && !found.iter().any(|known| known.plan == plan.plan)
    {
        found.push((**plan).clone());
    }
    expr.walk(
        &mut |child| {
            gather(child, found);
            Walk::On
        },
        &mut |_| Walk::On,
    );
}
