//! EXPLAIN, in PostgreSQL's words: DataFusion's physical plan as the tree that PostgreSQL would print.

use std::sync::Arc;
use std::time::{Duration, Instant};

use datafusion::arrow::datatypes::DataType;
use datafusion::common::ScalarValue;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::logical_expr::{LogicalPlan, Operator};
use datafusion::physical_expr::expressions::{
    BinaryExpr, CastExpr, Column, InListExpr, IsNotNullExpr, IsNullExpr, Literal, NotExpr,
};
use datafusion::physical_expr::{PhysicalExpr, PhysicalSortExpr, ScalarFunctionExpr};
use datafusion::physical_plan::aggregates::{AggregateExec, AggregateMode};
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::filter::FilterExec;
use datafusion::physical_plan::joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::sorts::sort::SortExec;
use datafusion::physical_plan::sorts::sort_preserving_merge::SortPreservingMergeExec;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::sql::sqlparser::ast::{Expr, Statement, Value};
use engine::{EngineError, Result};
use futures::StreamExt;
use serde_json::{Map, Value as Json, json};

use crate::append::AppendExec;
use crate::errors::translate;
use crate::fence::FenceExec;
use crate::heap_scan::HeapScanExec;
use crate::output::Column as ResultColumn;
use crate::session::{Planned, Reply, Session};
use crate::settings::text_rows;
use crate::{insert, modify, stages};

/// Does the plan read a table that repays parallel participants?
pub fn scans_large_table(plan: &LogicalPlan) -> bool {
    let mut large = false;
    let _ = plan.apply_with_subqueries(|node| {
        if let LogicalPlan::TableScan(scan) = node {
            let statistics = datafusion::datasource::source_as_provider(&scan.source).ok().and_then(|p| p.statistics());
            large |= statistics.and_then(|s| s.num_rows.get_value().copied()).is_some_and(|rows| rows > 100_000);
        }
        Ok(TreeNodeRecursion::Continue)
    });
    large
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Text,
    Json,
}

#[derive(Clone, Copy, Debug)]
struct Options {
    analyze: bool,
    verbose: bool,
    costs: bool,
    buffers: bool,
    timing: bool,
    summary: bool,
    format: Format,
}

fn boolean(name: &str, arg: Option<&Expr>) -> Result<bool> {
    let Some(arg) = arg else { return Ok(true) };
    let text = word(arg);
    engine::settings::parse_bool(&text)
        .ok_or_else(|| EngineError::new("42601", format!("{name} requires a Boolean value")))
}

fn word(expr: &Expr) -> String {
    match expr {
        Expr::Identifier(i) => i.value.to_lowercase(),
        Expr::Value(v) => match &v.value {
            Value::SingleQuotedString(s) => s.to_lowercase(),
            other => other.to_string().to_lowercase(),
        },
        other => other.to_string().to_lowercase(),
    }
}

fn options(statement: &Statement) -> Result<Options> {
    let Statement::Explain { analyze, verbose, format, options, .. } = statement else {
        unreachable!("the caller looked")
    };
    let mut result = Options {
        analyze: *analyze,
        verbose: *verbose,
        costs: true,
        buffers: false,
        timing: true,
        summary: false,
        format: match format {
            Some(f) if f.to_string().to_lowercase().contains("json") => Format::Json,
            _ => Format::Text,
        },
    };
    let (mut buffers, mut timing, mut summary) = (None, None, None);
    for option in options.iter().flatten() {
        let name = option.name.value.to_lowercase();
        let arg = option.arg.as_ref();
        match name.as_str() {
            "analyze" | "analyse" => result.analyze = boolean(&name, arg)?,
            "verbose" => result.verbose = boolean(&name, arg)?,
            "costs" => result.costs = boolean(&name, arg)?,
            "buffers" => buffers = Some(boolean(&name, arg)?),
            "timing" => timing = Some(boolean(&name, arg)?),
            "summary" => summary = Some(boolean(&name, arg)?),
            "format" => {
                result.format = match arg.map(word).as_deref() {
                    Some("text") => Format::Text,
                    Some("json") => Format::Json,
                    Some(other @ ("xml" | "yaml")) => {
                        return Err(EngineError::unsupported(format!("EXPLAIN (FORMAT {other})")));
                    }
                    other => {
                        let value = other.unwrap_or_default();
                        return Err(EngineError::new(
                            "22023",
                            format!("unrecognized value for EXPLAIN option \"format\": \"{value}\""),
                        ));
                    }
                };
            }
            "wal" | "settings" | "generic_plan" | "serialize" | "memory" => {
                return Err(EngineError::unsupported(format!("EXPLAIN option {}", name.to_uppercase())));
            }
            _ => return Err(EngineError::new("42601", format!("unrecognized EXPLAIN option \"{name}\""))),
        }
    }
    if timing.is_some() && !result.analyze {
        return Err(EngineError::new("22023", "EXPLAIN option TIMING requires ANALYZE"));
    }
    result.timing = timing.unwrap_or(true);
    // PostgreSQL 18: ANALYZE shows buffers unless told not to.
    result.buffers = buffers.unwrap_or(result.analyze);
    result.summary = summary.unwrap_or(result.analyze);
    Ok(result)
}

pub fn columns(_: &Statement) -> Vec<ResultColumn> {
    vec![ResultColumn::text("QUERY PLAN")]
}

/// What the explained statement does with the rows it finds.
enum Action {
    Read,
    Insert(Box<insert::Destination>),
    Modify(Box<modify::Plan>),
}

pub async fn run(session: &mut Session, statement: Statement) -> Result<Reply> {
    let options = options(&statement)?;
    let columns = columns(&statement);
    let Statement::Explain { statement: inner, .. } = statement else { unreachable!("the caller looked") };
    let start = Instant::now();
    if stages::has_stages(&inner) {
        return Err(EngineError::unsupported("EXPLAIN of locks in subqueries and of WITH queries that change rows"));
    }
    let mut locks = false;
    let (planned, action) = match stages::split(*inner) {
        (_, Statement::Query(mut query)) => {
            locks = !std::mem::take(&mut query.locks).is_empty();
            if locks && options.analyze {
                return Err(EngineError::unsupported("EXPLAIN ANALYZE of SELECT ... FOR UPDATE/SHARE"));
            }
            (session.plan(Statement::Query(query)).await?, Action::Read)
        }
        (_, Statement::Insert(insert)) => {
            insert::lock_target(session, &insert).await?;
            let (planned, insertion) = insert::plan(session, insert).await?;
            (planned, Action::Insert(Box::new(insertion)))
        }
        (with, change @ (Statement::Update(_) | Statement::Delete(_))) => {
            let (plan, planned) = modify::plan(session, with, change).await?;
            (planned, Action::Modify(Box::new(plan)))
        }
        _ => return Err(EngineError::unsupported("EXPLAIN of anything but SELECT, INSERT, UPDATE and DELETE")),
    };
    let planning = start.elapsed();
    let mut execution = None;
    let changes = match &action {
        Action::Read => None,
        Action::Insert(insertion) => Some(("Insert", insertion.table.def.name.clone())),
        Action::Modify(plan) if plan.tag == "UPDATE" => Some(("Update", plan.table.def.name.clone())),
        Action::Modify(plan) => Some(("Delete", plan.table.def.name.clone())),
    };
    if options.analyze {
        if let Some((name, _)) = &changes {
            session.require_writable(&name.to_uppercase())?;
        }
        let start = Instant::now();
        match action {
            Action::Read => {
                let context = planned.state.task_ctx();
                let mut batches = execute_stream(planned.physical.clone(), context).map_err(translate)?;
                while let Some(batch) = batches.next().await {
                    batch.map_err(translate)?;
                }
            }
            Action::Insert(insertion) => {
                insert::load(session, &planned, *insertion, None).await?;
            }
            Action::Modify(plan) => modify::execute(session, &plan, &planned).await?,
        }
        execution = Some(start.elapsed());
    }
    let mut root = tree(&planned, execution);
    if locks {
        root = passthrough("LockRows", root);
    }
    if let Some((name, table)) = changes {
        root = passthrough(name, root);
        root.on = Some(table);
        (root.rows, root.width, root.output) = (0.0, 0, vec![]);
        if let Some(actual) = &mut root.actual {
            actual.rows = 0.0;
            actual.total = execution.unwrap_or_default();
            actual.startup = actual.total;
        }
    }
    let rows = match options.format {
        Format::Text => {
            let mut lines = Vec::new();
            root.text(&mut lines, &options, 0);
            if options.summary {
                lines.push(format!("Planning Time: {:.3} ms", millis(planning)));
                if let Some(execution) = execution {
                    lines.push(format!("Execution Time: {:.3} ms", millis(execution)));
                }
            }
            lines.into_iter().map(|l| vec![l]).collect()
        }
        Format::Json => {
            let mut top = Map::new();
            top.insert("Plan".into(), root.json(&options, None));
            if options.summary {
                top.insert("Planning Time".into(), number(millis(planning)));
                if let Some(execution) = execution {
                    top.insert("Triggers".into(), json!([]));
                    top.insert("Execution Time".into(), number(millis(execution)));
                }
            }
            let text = serde_json::to_string_pretty(&json!([top])).expect("plain data");
            vec![vec![text]]
        }
    };
    Ok(text_rows(columns, rows, "EXPLAIN"))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

fn number(value: f64) -> Json {
    json!((value * 1000.0).round() / 1000.0)
}

/// Nodes that change a table.
const MODIFY: [&str; 3] = ["Insert", "Update", "Delete"];

/// A node as PostgreSQL shows it.
struct Node {
    name: String,
    /// `Node Type` in JSON, where the text has more.
    kind: String,
    /// Behind the name: `on test`.
    on: Option<String>,
    /// `Filter`, `Sort Key`, `Workers Planned` and so on, in order.
    details: Vec<(String, String)>,
    /// Shown only by ANALYZE.
    analyzed: Vec<(String, String)>,
    rows: f64,
    width: usize,
    cost: (f64, f64),
    actual: Option<Actual>,
    io: Io,
    output: Vec<String>,
    children: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Actual {
    startup: Duration,
    total: Duration,
    rows: f64,
    loops: u64,
}

/// Buffers and I/O of a node and everything below it.
#[derive(Clone, Copy, Debug, Default)]
struct Io {
    hit: u64,
    read: u64,
    operations: u64,
    waited: u64,
    device: u64,
    depth_sum: u64,
}

impl Io {
    fn add(&mut self, other: Io) {
        self.hit += other.hit;
        self.read += other.read;
        self.operations += other.operations;
        self.waited += other.waited;
        self.device += other.device;
        self.depth_sum += other.depth_sum;
    }
}

/// PostgreSQL's cost constants.
const SEQ_PAGE: f64 = 1.0;
const TUPLE: f64 = 0.01;
const OPERATOR: f64 = 0.0025;
const PARALLEL_SETUP: f64 = 1000.0;
const PARALLEL_TUPLE: f64 = 0.1;

fn tree(planned: &Planned, execution: Option<Duration>) -> Node {
    build(&planned.physical, execution, false, 1)
}

/// An expression as PostgreSQL prints it.
fn sql(expr: &Arc<dyn PhysicalExpr>) -> String {
    let any: &dyn PhysicalExpr = expr.as_ref();
    if let Some(column) = any.downcast_ref::<Column>() {
        return column.name().to_string();
    }
    if let Some(literal) = any.downcast_ref::<Literal>() {
        return constant(literal.value());
    }
    if let Some(binary) = any.downcast_ref::<BinaryExpr>() {
        let op = *binary.op();
        if matches!(op, Operator::And | Operator::Or) {
            let mut parts = Vec::new();
            chain(expr, op, &mut parts);
            return format!("({})", parts.join(&format!(" {op} ")));
        }
        let op = match op {
            Operator::NotEq => "<>".to_string(),
            op => op.to_string(),
        };
        return format!("({} {op} {})", sql(binary.left()), sql(binary.right()));
    }
    if let Some(not) = any.downcast_ref::<NotExpr>() {
        return format!("(NOT {})", sql(not.arg()));
    }
    if let Some(is_null) = any.downcast_ref::<IsNullExpr>() {
        return format!("({} IS NULL)", sql(is_null.arg()));
    }
    if let Some(is_not_null) = any.downcast_ref::<IsNotNullExpr>() {
        return format!("({} IS NOT NULL)", sql(is_not_null.arg()));
    }
    if let Some(cast) = any.downcast_ref::<CastExpr>() {
        return format!("({})::{}", sql(cast.expr()), crate::output::type_name(cast.cast_type()));
    }
    if let Some(list) = any.downcast_ref::<InListExpr>() {
        let items: Vec<_> = list.list().iter().map(sql).collect();
        let (op, quantifier) = if list.negated() { ("<>", "ALL") } else { ("=", "ANY") };
        return format!("({} {op} {quantifier} ('{{{}}}'))", sql(list.expr()), items.join(","));
    }
    if let Some(function) = any.downcast_ref::<ScalarFunctionExpr>() {
        let args: Vec<_> = function.args().iter().map(sql).collect();
        let op = match function.name() {
            "pg_add" | "pg_numeric_add" | "pg_add_days" => "+",
            "pg_subtract" | "pg_numeric_subtract" => "-",
            "pg_multiply" | "pg_numeric_multiply" => "*",
            "pg_divide" => "/",
            "pg_cast" => return format!("({})::{}", args[0], crate::output::type_name(function.return_type())),
            "pg_exact" => return format!("({})::numeric", args[0]),
            name => return format!("{}({})", name.strip_prefix("pg_").unwrap_or(name), args.join(", ")),
        };
        return format!("({} {op} {})", args[0], args[1]);
    }
    expr.to_string()
}

/// The operands of `a AND b AND c`.
fn chain(expr: &Arc<dyn PhysicalExpr>, op: Operator, parts: &mut Vec<String>) {
    let any: &dyn PhysicalExpr = expr.as_ref();
    match any.downcast_ref::<BinaryExpr>() {
        Some(binary) if *binary.op() == op => {
            chain(binary.left(), op, parts);
            chain(binary.right(), op, parts);
        }
        _ => parts.push(sql(expr)),
    }
}

fn constant(value: &ScalarValue) -> String {
    let ty = crate::output::type_name(&value.data_type());
    if value.is_null() {
        return format!("NULL::{ty}");
    }
    let text = value.to_array().and_then(|a| crate::output::text_array(&a).map_err(crate::errors::wrap));
    let text = text.map_or_else(|_| value.to_string(), |a| a.value(0).to_string());
    match value.data_type() {
        DataType::Int32 | DataType::Boolean => text,
        DataType::Decimal128(_, _) if !text.starts_with('-') => text,
        _ => format!("'{}'::{ty}", text.replace('\'', "''")),
    }
}

fn metrics(plan: &Arc<dyn ExecutionPlan>) -> (Option<f64>, Duration) {
    let Some(metrics) = plan.metrics() else { return (None, Duration::ZERO) };
    (metrics.output_rows().map(|r| r as f64), Duration::from_nanos(metrics.elapsed_compute().unwrap_or(0) as u64))
}

fn build(plan: &Arc<dyn ExecutionPlan>, execution: Option<Duration>, parallel: bool, loops: u64) -> Node {
    let plan_ref: &dyn ExecutionPlan = plan.as_ref();
    if let Some(scan) = plan_ref.downcast_ref::<HeapScanExec>() {
        return scan_node(scan, execution.is_some(), parallel);
    }
    if plan_ref.downcast_ref::<FenceExec>().is_some() || plan_ref.downcast_ref::<AppendExec>().is_some() {
        return build(plan.children()[0], execution, parallel, loops);
    }
    if let Some(gather) = plan_ref.downcast_ref::<CoalescePartitionsExec>() {
        return gather_node("Gather", gather.input(), execution, vec![]);
    }
    if let Some(merge) = plan_ref.downcast_ref::<SortPreservingMergeExec>()
        && merge.input().properties().output_partitioning().partition_count() > 1
    {
        return gather_node("Gather Merge", merge.input(), execution, vec![]);
    }
    let children: Vec<Node> = plan.children().into_iter().map(|c| build(c, execution, parallel, loops)).collect();
    let (rows, compute) = metrics(plan);
    let first_rows = children.first().map_or(1.0, |c| c.rows);
    let child_cost = children.iter().fold(0.0, |sum, c| sum + c.cost.1);
    let mut node = Node {
        name: plan.name().trim_end_matches("Exec").to_string(),
        kind: String::new(),
        on: None,
        details: vec![],
        analyzed: vec![],
        rows: first_rows,
        width: width(&plan.schema()),
        cost: (child_cost, child_cost),
        actual: None,
        io: Io::default(),
        output: plan.schema().fields().iter().map(|f| f.name().clone()).collect(),
        children,
    };
    if let Some(limit) = execution {
        let below = node.children.iter().filter_map(|c| c.actual).map(|a| a.total).max().unwrap_or_default();
        let startup = node.children.iter().filter_map(|c| c.actual).map(|a| a.startup).max().unwrap_or_default();
        let rows = rows.unwrap_or_else(|| node.children.first().and_then(|c| c.actual).map_or(0.0, |a| a.rows));
        node.actual = Some(Actual { startup, total: (below + compute).min(limit), rows: rows / loops as f64, loops });
    }
    for child in &node.children {
        node.io.add(child.io);
    }
    if let Some(aggregate) = plan_ref.downcast_ref::<AggregateExec>() {
        let grouped = !aggregate.group_expr().is_empty();
        let base = if grouped { "HashAggregate" } else { "Aggregate" };
        let prefix = match aggregate.mode() {
            AggregateMode::Partial => "Partial ",
            AggregateMode::Final | AggregateMode::FinalPartitioned => "Finalize ",
            _ => "",
        };
        node.name = format!("{prefix}{base}");
        node.kind = "Aggregate".into();
        if grouped {
            let keys: Vec<_> = aggregate.group_expr().expr().iter().map(|(e, _)| sql(e)).collect();
            node.details.push(("Group Key".into(), keys.join(", ")));
            node.rows = 200f64.min(first_rows);
        } else {
            node.rows = 1.0;
        }
        node.cost = (child_cost + OPERATOR * first_rows, child_cost + OPERATOR * first_rows + TUPLE * node.rows);
        if let Some(actual) = &mut node.actual {
            actual.startup = actual.total;
        }
    } else if let Some(sort) = plan_ref.downcast_ref::<SortExec>() {
        node.name = "Sort".into();
        node.details.push(("Sort Key".into(), sort.expr().iter().map(sort_key).collect::<Vec<_>>().join(", ")));
        let work = 2.0 * OPERATOR * first_rows * first_rows.max(2.0).log2();
        node.cost = (child_cost + work, child_cost + work + OPERATOR * first_rows);
        if let Some(actual) = &mut node.actual {
            actual.startup = actual.total;
        }
        if let Some(fetch) = sort.fetch() {
            node.analyzed.push(("Sort Method".into(), "top-N heapsort".into()));
            let mut limit = passthrough("Limit", node);
            limit.rows = limit.rows.min(fetch as f64);
            return limit;
        }
    } else if let Some(filter) = plan_ref.downcast_ref::<FilterExec>() {
        return filter_node(filter, node);
    } else if plan_ref.downcast_ref::<ProjectionExec>().is_some() && node.children.len() == 1 {
        let mut child = node.children.remove(0);
        child.output = node.output;
        child.width = node.width;
        return child;
    } else if let Some(join) = plan_ref.downcast_ref::<HashJoinExec>() {
        node.name = match join.join_type().to_string().as_str() {
            "Inner" => "Hash Join".into(),
            other => format!("Hash {other} Join"),
        };
        node.kind = "Hash Join".into();
        let on: Vec<_> = join.on().iter().map(|(l, r)| format!("({} = {})", sql(l), sql(r))).collect();
        node.details.push(("Hash Cond".into(), on.join(" AND ")));
    } else if plan_ref.downcast_ref::<NestedLoopJoinExec>().is_some()
        || plan_ref.downcast_ref::<CrossJoinExec>().is_some()
    {
        node.name = "Nested Loop".into();
        node.rows = node.children.iter().map(|c| c.rows).product();
    } else {
        match plan.name() {
            "GlobalLimitExec" | "LocalLimitExec" => node.name = "Limit".into(),
            "UnionExec" | "InterleaveExec" => {
                node.name = "Append".into();
                node.rows = node.children.iter().map(|c| c.rows).sum();
            }
            "PlaceholderRowExec" => {
                node.name = "Result".into();
                node.rows = 1.0;
                node.cost = (0.0, TUPLE);
            }
            "StreamingTableExec" => {
                node.name = "Function Scan".into();
                node.on = Some("generate_series".into());
                node.rows = 1000.0;
                node.cost = (0.0, 10.0);
            }
            "DataSourceExec" => {
                node.name = "Values Scan".into();
                node.on = Some("\"*VALUES*\"".into());
            }
            "EmptyExec" => {
                node.name = "Result".into();
                node.details.push(("One-Time Filter".into(), "false".into()));
                node.rows = 0.0;
            }
            "WindowAggExec" | "BoundedWindowAggExec" => node.name = "WindowAgg".into(),
            // Exchanges between participants and batching have no counterpart.
            "CoalesceBatchesExec"
            | "CooperativeExec"
            | "PacedExec"
            | "RepartitionExec"
            | "OutputRequirementExec"
            | "SortPreservingMergeExec"
                if node.children.len() == 1 =>
            {
                return node.children.remove(0);
            }
            _ => {}
        }
    }
    if node.kind.is_empty() {
        node.kind = node.name.clone();
    }
    node
}

/// PostgreSQL names only what differs from ASC NULLS LAST and DESC NULLS FIRST.
fn sort_key(key: &PhysicalSortExpr) -> String {
    let order = match (key.options.descending, key.options.nulls_first) {
        (false, false) => "",
        (false, true) => " NULLS FIRST",
        (true, true) => " DESC",
        (true, false) => " DESC NULLS LAST",
    };
    sql(&key.expr) + order
}

fn passthrough(name: &str, child: Node) -> Node {
    Node {
        name: name.into(),
        kind: name.into(),
        on: None,
        details: vec![],
        analyzed: vec![],
        rows: child.rows,
        width: child.width,
        cost: child.cost,
        actual: child.actual,
        io: child.io,
        output: child.output.clone(),
        children: vec![child],
    }
}

fn bracketed(text: String) -> String {
    if text.starts_with('(') { text } else { format!("({text})") }
}

fn filter_node(filter: &FilterExec, mut node: Node) -> Node {
    let predicate = sql(filter.predicate());
    let own = node.actual;
    let mut child = node.children.remove(0);
    if child.name.contains("Aggregate") || child.name.contains("Scan") || child.name == "Result" {
        let before = child.actual;
        child.details.push(("Filter".into(), bracketed(predicate)));
        if let (Some(before), Some(own)) = (before, own) {
            child
                .analyzed
                .push(("Rows Removed by Filter".into(), format!("{}", (before.rows - own.rows).max(0.0) as u64)));
        }
        child.rows = (child.rows / 3.0).max(1.0);
        child.actual = own;
        return child;
    }
    let mut node = passthrough("Result", child);
    node.details.push(("Filter".into(), bracketed(predicate)));
    node.actual = own;
    node
}

fn gather_node(
    name: &str,
    input: &Arc<dyn ExecutionPlan>,
    execution: Option<Duration>,
    details: Vec<(String, String)>,
) -> Node {
    let partitions = input.properties().output_partitioning().partition_count() as u64;
    let workers = partitions.saturating_sub(1);
    let child = build(input, execution, partitions > 1, if execution.is_some() { partitions } else { 1 });
    if workers == 0 {
        return child;
    }
    let mut node = passthrough(name, child);
    node.details = details;
    node.details.push(("Workers Planned".into(), workers.to_string()));
    node.analyzed.push(("Workers Launched".into(), workers.to_string()));
    node.rows *= partitions as f64;
    node.cost = (node.cost.0 + PARALLEL_SETUP, node.cost.1 + PARALLEL_SETUP + PARALLEL_TUPLE * node.rows);
    if let Some(actual) = &mut node.actual {
        actual.rows *= partitions as f64;
        actual.loops = 1;
    }
    node
}

fn scan_node(scan: &HeapScanExec, analyzed: bool, parallel: bool) -> Node {
    let counters = scan.counters();
    let participants = scan.partitions().max(1) as f64;
    let shared = parallel && scan.partitions() > 1;
    let divisor = if shared { participants } else { 1.0 };
    let pages = f64::from(scan.table.blocks());
    let estimated = scan.table.estimated_rows();
    let index = scan.index.as_ref().map(|range| &scan.table.indexes[range.index].def);
    let filtered = match (index, &scan.filter) {
        (Some(index), _) if index.unique => 1.0,
        (Some(_), _) => (estimated / 200.0).max(1.0),
        (None, Some(_)) => (estimated / 3.0).max(1.0),
        (None, None) => estimated,
    };
    let cpu = (TUPLE + if scan.filter.is_some() { OPERATOR } else { 0.0 }) * estimated / divisor;
    let mut details = Vec::new();
    let mut after = Vec::new();
    if let Some(condition) = &scan.shown.0 {
        details.push(("Index Cond".to_string(), bracketed(sql(condition))));
    }
    if let Some(filter) = &scan.shown.1 {
        details.push(("Filter".to_string(), bracketed(sql(filter))));
        after.push((
            "Rows Removed by Filter".to_string(),
            (counters.removed / counters.participants.max(1)).to_string(),
        ));
    }
    let loops = if shared { participants as u64 } else { 1 };
    Node {
        name: match index {
            Some(index) => format!("Index Scan using {}", index.name),
            None if shared => "Parallel Seq Scan".into(),
            None => "Seq Scan".into(),
        },
        kind: if index.is_some() { "Index Scan".into() } else { "Seq Scan".into() },
        on: Some(scan.table.def.name.clone()),
        details,
        analyzed: after,
        rows: (filtered / divisor).round().max(1.0),
        width: width(&scan.schema()),
        cost: match index {
            // PostgreSQL's: a page at random for each level and row, about.
            Some(_) => (0.0, 4.0 * SEQ_PAGE + filtered * (4.0 * SEQ_PAGE + TUPLE)),
            None => (0.0, pages * SEQ_PAGE + cpu),
        },
        actual: analyzed.then(|| Actual {
            startup: Duration::from_nanos(counters.startup),
            total: Duration::from_nanos(counters.total),
            rows: counters.rows as f64 / loops as f64,
            loops,
        }),
        io: Io {
            hit: counters.stream.hits,
            read: counters.stream.reads,
            operations: counters.stream.operations,
            waited: counters.stream.waited,
            device: counters.stream.device,
            depth_sum: counters.stream.depth_sum,
        },
        output: scan.schema().fields().iter().map(|f| f.name().clone()).collect(),
        children: vec![],
    }
}

fn width(schema: &datafusion::arrow::datatypes::Schema) -> usize {
    schema.fields().iter().map(|f| f.data_type().primitive_width().unwrap_or(32)).sum()
}

impl Node {
    fn text(&self, lines: &mut Vec<String>, options: &Options, depth: usize) {
        let (arrow, indent) =
            if depth == 0 { (String::new(), 2) } else { (format!("{}->  ", " ".repeat(depth * 6 - 4)), depth * 6 + 2) };
        let mut line = format!("{arrow}{}", self.name);
        if let Some(on) = &self.on {
            let named = self.name.ends_with("Seq Scan") || MODIFY.contains(&self.name.as_str());
            let schema = if options.verbose && named { "public." } else { "" };
            line.push_str(&format!(" on {schema}{on}"));
        }
        if options.costs {
            line.push_str(&format!(
                "  (cost={:.2}..{:.2} rows={:.0} width={})",
                self.cost.0, self.cost.1, self.rows, self.width
            ));
        }
        if let Some(a) = self.actual {
            line.push_str(if options.costs { " " } else { "  " });
            if options.timing {
                line.push_str(&format!(
                    "(actual time={:.3}..{:.3} rows={:.2} loops={})",
                    millis(a.startup),
                    millis(a.total),
                    a.rows,
                    a.loops
                ));
            } else {
                line.push_str(&format!("(actual rows={:.2} loops={})", a.rows, a.loops));
            }
        }
        lines.push(line);
        let pad = " ".repeat(indent);
        if options.verbose && !self.output.is_empty() {
            lines.push(format!("{pad}Output: {}", self.output.join(", ")));
        }
        for (name, value) in &self.details {
            lines.push(format!("{pad}{name}: {value}"));
        }
        if self.actual.is_some() {
            for (name, value) in &self.analyzed {
                lines.push(format!("{pad}{name}: {value}"));
            }
            if options.buffers {
                self.buffers_text(lines, &pad);
            }
        }
        for child in &self.children {
            child.text(lines, options, depth + 1);
        }
    }

    fn buffers_text(&self, lines: &mut Vec<String>, pad: &str) {
        let io = self.io;
        if io.hit + io.read == 0 {
            return;
        }
        let mut line = format!("{pad}Buffers: shared");
        if io.hit > 0 {
            line.push_str(&format!(" hit={}", io.hit));
        }
        if io.read > 0 {
            line.push_str(&format!(" read={}", io.read));
        }
        lines.push(line);
        if io.operations > 0 {
            // What the query waited, as PostgreSQL has it, and beside it what the device did for it.
            lines.push(format!(
                "{pad}I/O Timings: shared read={:.3} device={:.3}",
                io.waited as f64 / 1e6,
                io.device as f64 / 1e6
            ));
            lines.push(format!(
                "{pad}I/O: count={} size={:.0}kB depth={:.1}",
                io.operations,
                io.read as f64 * 8.0 / io.operations as f64,
                io.depth_sum as f64 / io.operations as f64
            ));
        }
    }

    fn json(&self, options: &Options, relationship: Option<&str>) -> Json {
        let mut map = Map::new();
        map.insert("Node Type".into(), json!(self.kind));
        if MODIFY.contains(&self.kind.as_str()) {
            map.insert("Node Type".into(), json!("ModifyTable"));
            map.insert("Operation".into(), json!(self.kind));
        }
        if self.kind == "Aggregate" {
            map.insert("Strategy".into(), json!(if self.name.contains("Hash") { "Hashed" } else { "Plain" }));
            let mode = if self.name.starts_with("Partial") {
                "Partial"
            } else if self.name.starts_with("Finalize") {
                "Finalize"
            } else {
                "Simple"
            };
            map.insert("Partial Mode".into(), json!(mode));
        }
        if let Some(relationship) = relationship {
            map.insert("Parent Relationship".into(), json!(relationship));
        }
        map.insert("Parallel Aware".into(), json!(self.name.starts_with("Parallel")));
        map.insert("Async Capable".into(), json!(false));
        if let Some(on) = &self.on {
            let key = if self.kind == "Function Scan" { "Function Name" } else { "Relation Name" };
            map.insert(key.into(), json!(on));
            map.insert("Alias".into(), json!(on));
        }
        if options.costs {
            map.insert("Startup Cost".into(), number((self.cost.0 * 100.0).round() / 100.0));
            map.insert("Total Cost".into(), number((self.cost.1 * 100.0).round() / 100.0));
            map.insert("Plan Rows".into(), json!(self.rows as u64));
            map.insert("Plan Width".into(), json!(self.width));
        }
        if let Some(a) = self.actual {
            if options.timing {
                map.insert("Actual Startup Time".into(), number(millis(a.startup)));
                map.insert("Actual Total Time".into(), number(millis(a.total)));
            }
            map.insert("Actual Rows".into(), json!((a.rows * 100.0).round() / 100.0));
            map.insert("Actual Loops".into(), json!(a.loops));
        }
        if options.verbose && !self.output.is_empty() {
            map.insert("Output".into(), json!(self.output));
        }
        let shown = self.details.iter().chain(self.analyzed.iter().filter(|_| self.actual.is_some()));
        for (name, value) in shown {
            let list = name.ends_with("Key");
            let value = match value.parse::<u64>() {
                Ok(n) => json!(n),
                Err(_) if list => json!(value.split(", ").collect::<Vec<_>>()),
                Err(_) => json!(value),
            };
            map.insert(name.clone(), value);
        }
        if self.actual.is_some() && options.buffers {
            let io = self.io;
            for (name, value) in [
                ("Shared Hit Blocks", io.hit),
                ("Shared Read Blocks", io.read),
                ("Shared Dirtied Blocks", 0),
                ("Shared Written Blocks", 0),
            ] {
                map.insert(name.into(), json!(value));
            }
            map.insert("Shared I/O Read Time".into(), number(io.waited as f64 / 1e6));
            map.insert("Shared I/O Device Time".into(), number(io.device as f64 / 1e6));
            map.insert("I/O Count".into(), json!(io.operations));
        }
        if !self.children.is_empty() {
            let children: Vec<_> = self
                .children
                .iter()
                .enumerate()
                .map(|(i, c)| c.json(options, Some(if i == 0 { "Outer" } else { "Inner" })))
                .collect();
            map.insert("Plans".into(), json!(children));
        }
        Json::Object(map)
    }
}
