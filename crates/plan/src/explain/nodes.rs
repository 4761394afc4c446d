//! What is said of a node (`ExplainNode`).

use analyze::query::*;
use analyze::ruleutils::{Deparse, deparse_expression};
use types::Result;

use super::names::{Frame, Names};
use super::{Explain, Shown, Value};
use crate::manip;
use crate::plan::*;

pub struct Shower<'a> {
    pub explain: Explain<'a>,
    pub deparse: Deparse<'a>,
    pub numbers: Vec<*const Plan>,
    /// Of the entries.
    pub names: Vec<String>,
}

/// Does a setting disable this very node (`plan_is_disabled`)?
fn is_disabled(plan: &Plan) -> bool {
    plan.cost.disabled > plan.children().map(|child| child.cost.disabled).sum()
}

impl Shower<'_> {
    /// A node and those below it. `relationship`: what it is to the node above.
    pub fn node(&self, frame: &Frame<'_>, relationship: Option<&'static str>, name: Option<String>) -> Result<Shown> {
        let plan = frame.plan;
        let options = self.explain.options;
        let number = self.numbers.iter().position(|known| std::ptr::eq(*known, plan));
        let run = self.explain.instrumentation.filter(|_| options.analyze);
        let mut shown = Shown {
            plan_name: name,
            cost: options.costs.then_some(plan.cost),
            disabled: is_disabled(plan),
            run: run.map(|run| number.and_then(|number| run.node(number))),
            worker_blocks: run.zip(number).map_or(Vec::new(), |(run, number)| run.worker_blocks(number)),
            timing: options.timing,
            ..Shown::default()
        };
        self.head(plan, relationship, &mut shown);
        if options.verbose && !plan.targets.is_empty() && !matches!(plan.node, Node::ModifyTable(_)) {
            self.output(frame, &plan.targets, &mut shown)?;
        }
        self.details(frame, &mut shown)?;
        let is_split = matches!(plan.node, Node::SeqScan(_) | Node::BitmapHeapScan { .. });
        if let Some(workers) = shown.run.flatten().map(|run| run.workers).filter(|workers| is_split && *workers > 0.0) {
            shown.details.push(("Workers Launched".to_string(), Value::Number(format!("{workers:.0}"))));
        }
        self.children(frame, &mut shown)?;
        if options.buffers && options.analyze {
            let mut buffers = shown.run.flatten().unwrap_or_default().usage;
            shown.children.iter().filter_map(|child| child.buffers).for_each(|below| buffers += below);
            shown.buffers = Some(buffers);
        }
        Ok(shown)
    }

    /// Names with tables: where there are several (`useprefix`).
    pub fn qualified(&self) -> bool {
        self.explain.statement.range_table.len() > 1 || self.explain.options.verbose
    }

    pub fn text(&self, frame: &Frame<'_>, expr: &Expr, qualified: bool, implicit: bool) -> Result<String> {
        let names = Names { shower: self, frame: *frame, qualified };
        deparse_expression(self.deparse, expr, &names, implicit)
    }

    /// Conditions that all hold (`show_expression`).
    pub fn conditions(&self, frame: &Frame<'_>, list: &[Expr], qualified: bool) -> Result<Option<String>> {
        let Some(all) = manip::make_and(list.to_vec()) else { return Ok(None) };
        self.text(frame, &all, qualified, false).map(Some)
    }

    fn output(&self, frame: &Frame<'_>, targets: &[TargetEntry], shown: &mut Shown) -> Result<()> {
        let qualified = self.qualified();
        let list =
            targets.iter().map(|target| self.text(frame, &target.expr, qualified, false)).collect::<Result<_>>()?;
        shown.details.push(("Output".to_string(), Value::List(list)));
        Ok(())
    }

    fn children(&self, frame: &Frame<'_>, shown: &mut Shown) -> Result<()> {
        let plan = frame.plan;
        for init in &plan.init_plans {
            let Some(below) = self.explain.statement.sub_plans.get(init.plan) else { continue };
            let child = Frame { plan: below, parent: Some(frame), sub_plan: Some(init) };
            shown.children.push(self.node(&child, Some("InitPlan"), Some(init.name.clone()))?);
        }
        match &plan.node {
            Node::HashJoin(node) => {
                shown.children.push(self.node(&frame.child(&node.join.outer), Some("Outer"), None)?);
                let inner = self.node(&frame.child(&node.join.inner), Some("Outer"), None)?;
                shown.children.push(self.hash_node(&node.join.inner, inner));
            }
            _ => {
                let several = matches!(
                    plan.node,
                    Node::Append { .. } | Node::MergeAppend { .. } | Node::BitmapAnd { .. } | Node::BitmapOr { .. }
                );
                let within = matches!(plan.node, Node::SubqueryScan { .. });
                for (at, child) in plan.children().enumerate() {
                    let relationship = match at {
                        _ if several => "Member",
                        _ if within => "Subquery",
                        0 => "Outer",
                        _ => "Inner",
                    };
                    shown.children.push(self.node(&frame.child(child), Some(relationship), None)?);
                }
            }
        }
        for sub in &plan.sub_plans() {
            let Some(below) = self.explain.statement.sub_plans.get(sub.plan) else { continue };
            let child = Frame { plan: below, parent: Some(frame), sub_plan: Some(sub) };
            shown.children.push(self.node(&child, Some("SubPlan"), Some(sub.name.clone()))?);
        }
        Ok(())
    }

    /// PostgreSQL has a node for the hash table.
    fn hash_node(&self, inner: &Plan, child: Shown) -> Shown {
        let cost = Cost { startup: inner.cost.total, ..inner.cost };
        let mut shown = Shown {
            title: "Hash".to_string(),
            cost: self.explain.options.costs.then_some(cost),
            run: child.run,
            timing: child.timing,
            buffers: child.buffers,
            ..Shown::default()
        };
        shown.properties.push(("Node Type", Value::Text("Hash".to_string())));
        shown.properties.push(("Parent Relationship", Value::Text("Inner".to_string())));
        shown.children.push(child);
        shown
    }

    /// Title and properties.
    fn head(&self, plan: &Plan, relationship: Option<&'static str>, shown: &mut Shown) {
        let text = |text: &str| Value::Text(text.to_string());
        let (title, kind) = titles(plan);
        shown.title = title;
        shown.properties.push(("Node Type", text(kind)));
        if let Some(strategy) = strategy_of(plan) {
            shown.properties.push(("Strategy", text(strategy)));
        }
        if let Node::Agg(_) = plan.node {
            shown.properties.push(("Partial Mode", text("Simple")));
        }
        if let Node::ModifyTable(node) = &plan.node {
            shown.properties.push(("Operation", text(command_name(node.command))));
        }
        if let Some(relationship) = relationship {
            shown.properties.push(("Parent Relationship", text(relationship)));
        }
        if let Some(name) = &shown.plan_name {
            shown.properties.push(("Subplan Name", Value::Text(name.clone())));
        }
        shown.properties.push(("Parallel Aware", Value::Bool(false)));
        shown.properties.push(("Async Capable", Value::Bool(false)));
        if let Some(kind) = join_kind(plan) {
            shown.properties.push(("Join Type", text(kind)));
        }
        if let Node::SetOp(node) = &plan.node {
            shown.properties.push(("Command", text(set_command(node))));
        }
        if let Node::IndexScan(scan) | Node::IndexOnlyScan(scan) = &plan.node {
            let direction = match scan.direction {
                Some(ScanDirection::Backward) => "Backward",
                _ => "Forward",
            };
            let name = self.relation_name(scan.index);
            shown.title += if direction == "Backward" { " Backward" } else { "" };
            shown.title += &format!(" using {}", catalog::quote_identifier(&name));
            shown.properties.push(("Scan Direction", text(direction)));
            shown.properties.push(("Index Name", Value::Text(name)));
        }
        if let Node::BitmapIndexScan(scan) = &plan.node {
            let name = self.relation_name(scan.index);
            shown.title += &format!(" on {}", catalog::quote_identifier(&name));
            shown.properties.push(("Index Name", Value::Text(name)));
        }
        self.target(plan, shown);
    }

    pub fn relation_name(&self, oid: types::Oid) -> String {
        self.explain.catalog.relation(oid).map_or_else(|| oid.to_string(), |row| row.relname.to_string())
    }

    /// What is scanned or changed (`ExplainTargetRel`).
    fn target(&self, plan: &Plan, shown: &mut Shown) {
        let Some(relation) = plan.scanned() else { return };
        let Some(entry) = self.explain.statement.range_table.get(relation.index()) else { return };
        let alias = self.names[relation.index()].clone();
        let mut label = "Relation Name";
        let mut schema = None;
        let object = match &plan.node {
            Node::FunctionScan { functions, .. } => {
                label = "Function Name";
                match functions.as_slice() {
                    [FunctionColumns { call: Expr::FuncExpr(call), .. }] => {
                        self.explain.catalog.function(call.function).map(|row| {
                            schema = Some(row.pronamespace);
                            row.proname.to_string()
                        })
                    }
                    _ => None,
                }
            }
            Node::CteScan { .. } | Node::WorkTableScan { .. } => {
                label = "CTE Name";
                match &entry.kind {
                    RangeTableKind::Cte { name, .. } => Some(name.clone()),
                    _ => None,
                }
            }
            _ => match &entry.kind {
                RangeTableKind::Relation { oid, .. } => {
                    schema = self.explain.catalog.relation(*oid).map(|row| row.relnamespace);
                    Some(self.relation_name(*oid))
                }
                _ => None,
            },
        };
        let quoted = |name: &str| catalog::quote_identifier(name).into_owned();
        shown.title += " on";
        if let Some(object) = &object {
            let schema = schema.filter(|_| self.explain.options.verbose);
            let schema = schema.and_then(|oid| self.explain.catalog.namespace(oid)).map(|row| row.nspname.to_string());
            match &schema {
                Some(schema) => shown.title += &format!(" {}.{}", quoted(schema), quoted(object)),
                None => shown.title += &format!(" {}", quoted(object)),
            }
            shown.properties.push((label, Value::Text(object.clone())));
            if let Some(schema) = schema {
                shown.properties.push(("Schema", Value::Text(schema)));
            }
        }
        if object.as_ref() != Some(&alias) {
            shown.title += &format!(" {}", quoted(&alias));
        }
        shown.properties.push(("Alias", Value::Text(alias)));
    }
}

fn command_name(command: CommandType) -> &'static str {
    match command {
        CommandType::Insert => "Insert",
        CommandType::Update => "Update",
        CommandType::Delete => "Delete",
        CommandType::Merge => "Merge",
        CommandType::Select => "Select",
    }
}

fn join_kind(plan: &Plan) -> Option<&'static str> {
    Some(match plan.join()?.kind {
        JoinKind::Inner => "Inner",
        JoinKind::Left => "Left",
        JoinKind::Full => "Full",
        JoinKind::Right => "Right",
        JoinKind::Semi => "Semi",
        JoinKind::Anti => "Anti",
        JoinKind::RightSemi => "Right Semi",
        JoinKind::RightAnti => "Right Anti",
    })
}

fn set_command(node: &SetOp) -> &'static str {
    match (node.operator, node.all) {
        (SetOperator::Intersect, false) => "Intersect",
        (SetOperator::Intersect, true) => "Intersect All",
        (SetOperator::Except, true) => "Except All",
        _ => "Except",
    }
}

/// Does it compute aggregates?
fn has_aggregates(plan: &Plan) -> bool {
    let exprs = plan.targets.iter().map(|target| &target.expr).chain(&plan.conditions);
    exprs.into_iter().any(expression::clauses::contain_agg_clause)
}

fn strategy_of(plan: &Plan) -> Option<&'static str> {
    match &plan.node {
        Node::Agg(node) => Some(match node.strategy {
            AggStrategy::Plain => "Plain",
            AggStrategy::Sorted => "Sorted",
            AggStrategy::Hashed => "Hashed",
        }),
        Node::SetOp(node) => Some(if node.hashed { "Hashed" } else { "Sorted" }),
        _ => None,
    }
}

/// What the text format and the others call the node.
fn titles(plan: &Plan) -> (String, &'static str) {
    let join = |kind: &'static str, plain: &str| {
        let title = match join_kind(plan) {
            Some("Inner") | None => plain.to_string(),
            Some(how) => format!("{kind} {how} Join"),
        };
        (title, kind)
    };
    let name = match &plan.node {
        Node::NestLoop(_) => return join("Nested Loop", "Nested Loop"),
        Node::MergeJoin(_) => {
            let (title, _) = join("Merge", "Merge Join");
            return (title, "Merge Join");
        }
        Node::HashJoin(_) => {
            let (title, _) = join("Hash", "Hash Join");
            return (title, "Hash Join");
        }
        Node::ModifyTable(node) => return (command_name(node.command).to_string(), "ModifyTable"),
        Node::Agg(node) => {
            let title = match node.strategy {
                AggStrategy::Plain => "Aggregate",
                AggStrategy::Sorted if node.grouping_sets.is_empty() && !has_aggregates(plan) => {
                    return ("Group".to_string(), "Group");
                }
                AggStrategy::Sorted => "GroupAggregate",
                AggStrategy::Hashed if node.grouping_sets.iter().any(Vec::is_empty) => "MixedAggregate",
                AggStrategy::Hashed => "HashAggregate",
            };
            return (title.to_string(), "Aggregate");
        }
        Node::SetOp(node) => {
            let title = format!("{} {}", if node.hashed { "HashSetOp" } else { "SetOp" }, set_command(node));
            return (title, "SetOp");
        }
        Node::Result { .. } => "Result",
        Node::ProjectSet { .. } => "ProjectSet",
        Node::Append { .. } => "Append",
        Node::MergeAppend { .. } => "Merge Append",
        Node::RecursiveUnion(_) => "Recursive Union",
        Node::SeqScan(_) => "Seq Scan",
        Node::IndexScan(_) => "Index Scan",
        Node::IndexOnlyScan(_) => "Index Only Scan",
        Node::BitmapHeapScan { .. } => "Bitmap Heap Scan",
        Node::BitmapIndexScan(_) => "Bitmap Index Scan",
        Node::BitmapAnd { .. } => "BitmapAnd",
        Node::BitmapOr { .. } => "BitmapOr",
        Node::TidScan { .. } => "Tid Scan",
        Node::SubqueryScan { .. } => "Subquery Scan",
        Node::FunctionScan { .. } => "Function Scan",
        Node::ValuesScan { .. } => "Values Scan",
        Node::CteScan { .. } => "CTE Scan",
        Node::WorkTableScan { .. } => "WorkTable Scan",
        Node::Material { .. } => "Materialize",
        Node::Memoize { .. } => "Memoize",
        Node::Sort { .. } => "Sort",
        Node::IncrementalSort { .. } => "Incremental Sort",
        Node::WindowAgg(_) => "WindowAgg",
        Node::Unique { .. } => "Unique",
        Node::LockRows { .. } => "LockRows",
        Node::Limit { .. } => "Limit",
    };
    (name.to_string(), name)
}
