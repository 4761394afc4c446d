//! IndexScan and IndexOnlyScan: rows by ranges of an index's keys, in the index's order or its opposite.

use std::sync::Arc;

use access::StoredBatch;
use engine::{Index, IndexRows, IndexScanCounters, TableScan};
use plan::plan::{INDEX, IndexScan, Node, Plan, ScanDirection};

use crate::compile::facts::IndexFacts;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::nodes::scan::point_scan::PointScan;
use crate::nodes::scan::ranges::Ranges;
use crate::nodes::scan::system_scan;
use crate::nodes::scan::{ScanColumns, StoredRows, TableNode};
use crate::point::Point;
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::BoxRows;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &IndexScan) -> types::Result<Compiled> {
    if scan.scan.table < catalog::FIRST_NORMAL_OBJECT_ID {
        return system_scan::compile(compiler, plan);
    }
    let facts = compiler.facts.index(scan.scan.table, scan.index)?;
    let ranges = Ranges::compile(compiler, &facts, &scan.ranges, &Layout::default())?;
    let stored = compiler.late.of_scan(plan);
    let plan = to_table_columns(plan, scan, &facts);
    let (columns, layout) = ScanColumns::of_plan(compiler, &plan, &scan.scan, &scan.index_conditions, stored)?;
    let recheck = compiler.filter(&scan.index_conditions, &layout)?;
    let output = compiler.output(&plan, &layout)?;
    let reprs = output.reprs().clone();
    let backward = scan.direction == Some(ScanDirection::Backward);
    let (index, only) = (facts.position, matches!(plan.node, Node::IndexOnlyScan(_)));
    // A long value would be fetched before the conditions are asked.
    let is_short = plan.conditions.is_empty() || !compiler.facts.has_long_values(scan.scan.table);
    if let ([conditions], true) = (scan.ranges.as_slice(), is_short)
        && let Some(read) = columns.of_point(compiler)?
        && let Some(point) = Point::of_scan(compiler, &facts, (scan.scan.table, conditions), read, only)?
    {
        return Ok(Compiled::new(PointScan { node: TableNode::new(columns, recheck, output), point }, reprs));
    }
    let node = TableNode::new(columns, recheck, output);
    Ok(Compiled::new(IndexScanNode { node, index, only, ranges, backward }, reprs))
}

/// The plan with columns of its table where it names the index's: those are what rows are read by, wherever they come from.
pub(super) fn to_table_columns(plan: &Plan, scan: &IndexScan, facts: &IndexFacts) -> Plan {
    let mut plan = plan.clone();
    let key = |at: usize| facts.columns.get(at).copied().flatten().map(|column| column as i16 + 1);
    let mut own = |expr: &mut analyze::query::Expr| to_table(expr, scan, &key);
    plan.targets.iter_mut().for_each(|target| own(&mut target.expr));
    plan.conditions.iter_mut().for_each(&mut own);
    plan
}

/// Makes columns of the index, whose positions `key` knows, columns of its table.
pub(super) fn to_table(expr: &mut analyze::query::Expr, scan: &IndexScan, key: &dyn Fn(usize) -> Option<i16>) {
    if let analyze::query::Expr::Var(var) = expr
        && var.relation == INDEX
    {
        if let Some(attribute) = usize::try_from(var.attribute - 1).ok().and_then(key) {
            (var.relation, var.attribute) = (scan.scan.relation, attribute);
        }
        return;
    }
    expr.mutate(&mut |child| to_table(child, scan, key), &mut |_| {});
}

struct IndexScanNode {
    node: Arc<TableNode>,
    /// The index's position among the table's.
    index: usize,
    /// Rows are taken from the index alone, as far as they can be.
    only: bool,
    ranges: Ranges,
    backward: bool,
}

impl ExecNode for IndexScanNode {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.node.columns.table)?;
        if let Some(row) = self.node.looked_at_again(&table, run) {
            return Ok(row);
        }
        let scan = Arc::new(self.node.columns.scan(&table, run.snapshot.clone()));
        let node = self.node.clone();
        Ok(node.rows(&table, RowsInRanges { scanned: self, scan, rows: None, lossy: false }, run))
    }
}

struct RowsInRanges {
    scanned: Arc<IndexScanNode>,
    scan: Arc<TableScan>,
    /// `None` before the first ones are asked for.
    rows: Option<IndexRows>,
    lossy: bool,
}

impl RowsInRanges {
    async fn begin(&mut self, run: &Run) -> Result<IndexRows> {
        let IndexScanNode { index, only, ranges, backward, .. } = &*self.scanned;
        let keys = &self.scan.table().indexes[*index].keys.shape;
        let (ranges, lossy) = ranges.evaluate(keys, run).await?;
        self.lossy = lossy;
        let rows = self.scan.through_ranges(run.session(), *index, ranges, *backward);
        let mut rows = rows.with_concurrency(run.concurrency(self.scan.table()));
        if let Some(first) = run.first_rows {
            rows = rows.at_first(first);
        }
        Ok(if *only { rows.index_only() } else { rows })
    }
}

/// What a scan of an index did meanwhile, and how many rows it gave, goes to the index's statistics and the node's counters.
pub(super) fn note_index_scan(
    run: &Run,
    index: &Index,
    only: bool,
    (before, now): (IndexScanCounters, IndexScanCounters),
    rows: usize,
) {
    if let Some(counters) = index.entries.counters() {
        counters.note_scans(now.searches - before.searches);
        counters.note_returned(rows as u64);
        counters.note_fetched(if only { now.heap_fetches - before.heap_fetches } else { rows as u64 });
    }
    if let Some(watched) = &run.watched {
        watched.note(|counters| {
            counters.heap_fetches += now.heap_fetches - before.heap_fetches;
            counters.index_searches += now.searches - before.searches;
        });
    }
}

impl StoredRows for RowsInRanges {
    async fn next(&mut self, run: &Run, _: usize) -> Result<Option<StoredBatch>> {
        if self.rows.is_none() {
            self.rows = Some(self.begin(run).await?);
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let before = rows.counters();
        let found = rows.next().await?;
        let IndexScanNode { index, only, .. } = &*self.scanned;
        let given = found.as_ref().map_or(0, StoredBatch::rows);
        note_index_scan(run, &self.scan.table().indexes[*index], *only, (before, rows.counters()), given);
        Ok(found)
    }

    fn is_lossy(&self) -> bool {
        self.lossy
    }
}
