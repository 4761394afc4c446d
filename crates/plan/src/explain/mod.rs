//! EXPLAIN (PostgreSQL's `explain.c`): a plan as PostgreSQL shows it. [`show`] makes of each node what is said of it, and
//! [`format`] writes that as text, JSON, XML or YAML.

mod buffers;
mod details;
pub mod format;
mod names;
mod nodes;

use analyze::relations::Relations;
use analyze::ruleutils::Deparse;
use catalog::Catalog;
use types::{Context, Result};

pub use self::buffers::BufferUsage;
use crate::plan::{Plan, PlannedStmt};

/// EXPLAIN's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub verbose: bool,
    pub costs: bool,
    /// With what [`Instrumentation`] knows.
    pub analyze: bool,
    pub timing: bool,
    pub buffers: bool,
}

impl Default for Options {
    fn default() -> Options {
        Options { verbose: false, costs: true, analyze: false, timing: true, buffers: false }
    }
}

/// What happened when a plan ran. Nodes have the numbers that they get when the statement's plan, and then each of its sub
/// plans, is gone through from the top, each node before its children, from 0.
pub trait Instrumentation {
    /// `None`: it never ran.
    fn node(&self, number: usize) -> Option<NodeRun>;

    /// The blocks that each worker has read through the node's bitmap, exact and lossy, if several did.
    fn worker_blocks(&self, number: usize) -> Vec<[f64; 2]>;
}

/// A node's runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeRun {
    /// Milliseconds, of all loops.
    pub startup: f64,
    pub total: f64,
    pub rows: f64,
    pub loops: f64,
    /// Tasks that ran it together; 0: it was never one of several.
    pub workers: f64,
    /// Rows that conditions kept back.
    pub removed_by_filter: f64,
    pub removed_by_join_filter: f64,
    pub removed_by_recheck: f64,
    /// Blocks of which a bitmap had the rows, and those of which it had no more than that there are some.
    pub heap_blocks: [f64; 2],
    /// Entries whose rows an index-only scan looked at, and searches in an index.
    pub heap_fetches: f64,
    pub index_searches: f64,
    /// Without what is below.
    pub usage: BufferUsage,
}

/// What is shown of a node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shown {
    /// As the text format calls it.
    pub title: String,
    /// `InitPlan 1`, `SubPlan 2`, `CTE x`.
    pub plan_name: Option<String>,
    /// What the other formats say instead of the title.
    pub properties: Vec<(&'static str, Value)>,
    pub cost: Option<crate::plan::Cost>,
    /// A setting disables it, and there was no other way.
    pub disabled: bool,
    pub run: Option<Option<NodeRun>>,
    pub timing: bool,
    /// With what is below.
    pub buffers: Option<BufferUsage>,
    /// What all formats say.
    pub details: Vec<(String, Value)>,
    /// The blocks that a bitmap led to, exact and lossy ones (`show_tidbitmap_info`).
    pub heap_blocks: Option<[f64; 2]>,
    /// The same of each worker, where there were several.
    pub worker_blocks: Vec<[f64; 2]>,
    pub children: Vec<Shown>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Text(String),
    /// Digits as they are shown.
    Number(String),
    Bool(bool),
    /// With commas in the text format.
    List(Vec<String>),
    /// What there is of each worker; the text format has lines of their own for it.
    Workers(Vec<Vec<(&'static str, String)>>),
}

/// With what a plan is shown.
#[derive(Clone, Copy)]
pub struct Explain<'a> {
    pub statement: &'a PlannedStmt,
    pub catalog: Catalog<'a>,
    pub relations: &'a dyn Relations,
    pub context: &'a Context,
    pub options: Options,
    pub instrumentation: Option<&'a dyn Instrumentation>,
}

/// The statement's plan (`ExplainPrintPlan`).
pub fn show(explain: Explain<'_>) -> Result<Shown> {
    let deparse =
        Deparse { catalog: explain.catalog, relations: explain.relations, context: explain.context, pretty: false };
    let numbers = numbers(explain.statement);
    let names = names::relation_names(explain.statement);
    let shower = nodes::Shower { explain, deparse, numbers, names };
    shower.node(&names::Frame::top(&explain.statement.plan), None, None)
}

/// The numbers of nodes, by where they are.
fn numbers(statement: &PlannedStmt) -> Vec<*const Plan> {
    fn add(plan: &Plan, found: &mut Vec<*const Plan>) {
        found.push(plan);
        plan.children().for_each(|child| add(child, found));
    }
    let mut found = Vec::new();
    std::iter::once(&statement.plan).chain(&statement.sub_plans).for_each(|plan| add(plan, &mut found));
    found
}
