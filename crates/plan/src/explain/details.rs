//! Conditions and keys of nodes.

use analyze::query::*;
use types::Result;

use super::names::Frame;
use super::nodes::Shower;
use super::{Shown, Value};
use crate::path::clauses::make_opclause;
use crate::plan::*;

impl Shower<'_> {
    pub fn details(&self, frame: &Frame<'_>, shown: &mut Shown) -> Result<()> {
        let plan = frame.plan;
        let upper = self.qualified();
        let scan = self.explain.options.verbose || matches!(plan.node, Node::SubqueryScan { .. });
        match &plan.node {
            Node::IndexScan(node) | Node::IndexOnlyScan(node) => {
                self.add(frame, "Index Cond", &node.index_conditions, scan, shown)?;
                self.filter(frame, scan, shown)?;
                if matches!(plan.node, Node::IndexOnlyScan(_)) {
                    self.count("Heap Fetches", |run| run.heap_fetches, shown);
                }
                self.count("Index Searches", |run| run.index_searches, shown);
                Ok(())
            }
            Node::BitmapIndexScan(node) => {
                self.add(frame, "Index Cond", &node.index_conditions, scan, shown)?;
                self.count("Index Searches", |run| run.index_searches, shown);
                Ok(())
            }
            Node::BitmapHeapScan { recheck, .. } => {
                self.add(frame, "Recheck Cond", recheck, scan, shown)?;
                self.removed("Rows Removed by Index Recheck", |run| run.removed_by_recheck, shown);
                shown.heap_blocks = shown.run.flatten().map(|run| run.heap_blocks);
                self.filter(frame, scan, shown)
            }
            Node::TidScan { conditions, .. } => {
                self.add(frame, "TID Cond", conditions, scan, shown)?;
                self.filter(frame, scan, shown)
            }
            Node::FunctionScan { functions, .. } => {
                if self.explain.options.verbose {
                    let calls = functions.iter().map(|function| self.text(frame, &function.call, true, false));
                    let calls = calls.collect::<Result<Vec<_>>>()?;
                    shown.details.push(("Function Call".to_string(), Value::List(calls)));
                }
                self.filter(frame, scan, shown)
            }
            Node::SeqScan(_)
            | Node::SubqueryScan { .. }
            | Node::ValuesScan { .. }
            | Node::CteScan { .. }
            | Node::WorkTableScan { .. } => self.filter(frame, scan, shown),
            Node::NestLoop(node) => self.join(frame, &node.join, shown),
            Node::HashJoin(node) => {
                let clauses: Vec<&HashClause> = node.clauses.iter().collect();
                self.keys(frame, "Hash Cond", &clauses, shown)?;
                self.join(frame, &node.join, shown)
            }
            Node::MergeJoin(node) => {
                let clauses: Vec<&HashClause> = node.clauses.iter().map(|clause| &clause.clause).collect();
                self.keys(frame, "Merge Cond", &clauses, shown)?;
                self.join(frame, &node.join, shown)
            }
            Node::Agg(node) => self.agg(frame, node, shown),
            Node::WindowAgg(node) => self.window(frame, node, shown),
            Node::Sort { keys, .. } => self.sort_keys(frame, "Sort Key", keys, shown),
            Node::MergeAppend { keys, .. } => self.sort_keys(frame, "Sort Key", keys, shown),
            Node::IncrementalSort { keys, presorted, .. } => {
                self.sort_keys(frame, "Sort Key", keys, shown)?;
                let list = keys[..*presorted].iter().map(|key| self.own_target(frame, key.column));
                let list = list.collect::<Result<Vec<_>>>()?;
                shown.details.push(("Presorted Key".to_string(), Value::List(list)));
                Ok(())
            }
            Node::Result { one_time, .. } => {
                self.add(frame, "One-Time Filter", one_time, upper, shown)?;
                self.filter(frame, upper, shown)
            }
            Node::ModifyTable(node) => self.modify(frame, node, shown),
            Node::Memoize { keys, .. } => {
                let list = keys.iter().map(|key| self.text(frame, key, upper, false)).collect::<Result<Vec<_>>>()?;
                shown.details.push(("Cache Key".to_string(), Value::List(list)));
                Ok(())
            }
            _ => self.filter(frame, upper, shown),
        }
    }

    fn add(&self, frame: &Frame<'_>, label: &str, list: &[Expr], qualified: bool, shown: &mut Shown) -> Result<()> {
        if let Some(text) = self.conditions(frame, list, qualified)? {
            shown.details.push((label.to_string(), Value::Text(text)));
        }
        Ok(())
    }

    fn removed(&self, label: &str, rows: impl Fn(super::NodeRun) -> f64, shown: &mut Shown) {
        if let Some(Some(run)) = shown.run
            && run.loops > 0.0
            && rows(run) > 0.0
        {
            shown.details.push((label.to_string(), Value::Number(format!("{:.0}", rows(run) / run.loops))));
        }
    }

    /// What a node did in all its loops, also where that is nothing.
    fn count(&self, label: &str, count: impl Fn(super::NodeRun) -> f64, shown: &mut Shown) {
        if let Some(run) = shown.run {
            shown.details.push((label.to_string(), Value::Number(format!("{:.0}", run.map_or(0.0, count)))));
        }
    }

    fn filter(&self, frame: &Frame<'_>, qualified: bool, shown: &mut Shown) -> Result<()> {
        self.add(frame, "Filter", &frame.plan.conditions, qualified, shown)?;
        if !frame.plan.conditions.is_empty() {
            self.removed("Rows Removed by Filter", |run| run.removed_by_filter, shown);
        }
        Ok(())
    }

    fn join(&self, frame: &Frame<'_>, join: &Join, shown: &mut Shown) -> Result<()> {
        let upper = self.qualified();
        if self.explain.options.verbose {
            shown.details.push(("Inner Unique".to_string(), Value::Bool(join.inner_unique)));
        }
        self.add(frame, "Join Filter", &join.conditions, upper, shown)?;
        if !join.conditions.is_empty() {
            self.removed("Rows Removed by Join Filter", |run| run.removed_by_join_filter, shown);
        }
        self.filter(frame, upper, shown)
    }

    fn keys(&self, frame: &Frame<'_>, label: &str, clauses: &[&HashClause], shown: &mut Shown) -> Result<()> {
        let catalog = self.explain.catalog;
        let clause =
            |clause: &&HashClause| make_opclause(catalog, clause.operator, clause.outer.clone(), clause.inner.clone());
        let list: Vec<Expr> = clauses.iter().map(clause).collect();
        self.add(frame, label, &list, true, shown)
    }

    /// A target of the node itself.
    fn own_target(&self, frame: &Frame<'_>, column: i16) -> Result<String> {
        let target = &frame.plan.targets[column as usize - 1];
        self.text(frame, &target.expr, self.qualified(), true)
    }

    /// `show_sort_group_keys`.
    fn sort_keys(&self, frame: &Frame<'_>, label: &str, keys: &[SortKey], shown: &mut Shown) -> Result<()> {
        let one = |key: &SortKey| Ok(self.own_target(frame, key.column)? + &direction(key));
        let list = keys.iter().map(one).collect::<Result<Vec<_>>>()?;
        shown.details.push((label.to_string(), Value::List(list)));
        Ok(())
    }

    /// Keys are the child's targets.
    fn group_keys(&self, frame: &Frame<'_>, child: &Plan, keys: &[GroupKey]) -> Result<Vec<String>> {
        let below = frame.child(child);
        let text = |key: &GroupKey| {
            let target = &child.targets[key.column as usize - 1];
            self.text(&below, &target.expr, self.qualified(), true)
        };
        keys.iter().map(text).collect()
    }

    fn agg(&self, frame: &Frame<'_>, node: &Agg, shown: &mut Shown) -> Result<()> {
        let list = self.group_keys(frame, &node.child, &node.keys)?;
        if node.grouping_sets.is_empty() {
            if !list.is_empty() {
                shown.details.push(("Group Key".to_string(), Value::List(list)));
            }
        } else {
            // The set without keys is not hashed: it comes last.
            let (all, keyed): (Vec<_>, Vec<_>) = node.grouping_sets.iter().partition(|set| set.is_empty());
            for set in keyed.into_iter().chain(all) {
                let keys: Vec<String> = set.iter().map(|key| list[*key].clone()).collect();
                let (label, keys) = match keys.is_empty() {
                    true => ("Group Key", vec!["()".to_string()]),
                    false if node.strategy == AggStrategy::Hashed => ("Hash Key", keys),
                    false => ("Group Key", keys),
                };
                shown.details.push((label.to_string(), Value::List(keys)));
            }
        }
        self.filter(frame, self.qualified(), shown)
    }

    /// `show_window_def`.
    fn window(&self, frame: &Frame<'_>, node: &WindowAgg, shown: &mut Shown) -> Result<()> {
        let mut parts = Vec::new();
        if !node.partition.is_empty() {
            parts.push(format!("PARTITION BY {}", self.group_keys(frame, &node.child, &node.partition)?.join(", ")));
        }
        if !node.order.is_empty() {
            let keys: Vec<GroupKey> =
                node.order.iter().map(|key| GroupKey { column: key.column, equality: 0 }).collect();
            let mut list = self.group_keys(frame, &node.child, &keys)?;
            list.iter_mut().zip(&node.order).for_each(|(text, key)| text.push_str(&direction(key)));
            parts.push(format!("ORDER BY {}", list.join(", ")));
        }
        if node.frame.written {
            parts.push(self.frame(frame, &node.frame)?);
        }
        let text = format!("{} AS ({})", catalog::quote_identifier(&node.name), parts.join(" "));
        shown.details.push(("Window".to_string(), Value::Text(text)));
        self.add(frame, "Run Condition", &node.run_condition, self.qualified(), shown)?;
        self.filter(frame, self.qualified(), shown)
    }

    fn frame(&self, at: &Frame<'_>, frame: &WindowFrame) -> Result<String> {
        let bound = |bound: &FrameBound| -> Result<String> {
            Ok(match bound {
                FrameBound::UnboundedPreceding => "UNBOUNDED PRECEDING".to_string(),
                FrameBound::CurrentRow => "CURRENT ROW".to_string(),
                FrameBound::UnboundedFollowing => "UNBOUNDED FOLLOWING".to_string(),
                FrameBound::Preceding(offset) => format!("{} PRECEDING", self.text(at, offset, false, false)?),
                FrameBound::Following(offset) => format!("{} FOLLOWING", self.text(at, offset, false, false)?),
            })
        };
        let mode = match frame.mode {
            FrameMode::Range => "RANGE",
            FrameMode::Rows => "ROWS",
            FrameMode::Groups => "GROUPS",
        };
        let start = bound(&frame.start)?;
        let mut text = match frame.between {
            true => format!("{mode} BETWEEN {start} AND {}", bound(&frame.end)?),
            false => format!("{mode} {start}"),
        };
        text += match frame.exclusion {
            FrameExclusion::NoOthers => "",
            FrameExclusion::CurrentRow => " EXCLUDE CURRENT ROW",
            FrameExclusion::Group => " EXCLUDE GROUP",
            FrameExclusion::Ties => " EXCLUDE TIES",
        };
        Ok(text)
    }

    fn modify(&self, frame: &Frame<'_>, node: &ModifyTable, shown: &mut Shown) -> Result<()> {
        let Some(conflict) = &node.on_conflict else { return Ok(()) };
        let (resolution, condition) = match &conflict.action {
            ConflictAction::Nothing => ("NOTHING", None),
            ConflictAction::Update { condition, .. } => ("UPDATE", condition.as_ref()),
        };
        shown.details.push(("Conflict Resolution".to_string(), Value::Text(resolution.to_string())));
        if let Some(indexes) = &conflict.arbiters {
            let names = indexes.iter().map(|oid| self.relation_name(*oid)).collect();
            shown.details.push(("Conflict Arbiter Indexes".to_string(), Value::List(names)));
        }
        if let Some(condition) = condition {
            self.add(frame, "Conflict Filter", std::slice::from_ref(condition), true, shown)?;
        }
        Ok(())
    }
}

/// What is not usual of an order.
fn direction(key: &SortKey) -> String {
    let nulls = match (key.nulls_first, key.descending) {
        (true, false) => " NULLS FIRST",
        (false, true) => " NULLS LAST",
        _ => "",
    };
    format!("{}{nulls}", if key.descending { " DESC" } else { "" })
}
