//! SeqScan: all rows of a table, through a read stream.

use std::sync::Arc;

use access::{HeapScan, ScanKey, StoredBatch};
use engine::{Table, TableScan};
use plan::plan::{Plan, Scan};

use crate::compile::Compiler;
use crate::error::Result;
use crate::expr::output::Filter;
use crate::nodes::scan::scan_keys::ScanKeys;
use crate::nodes::scan::{ScanColumns, StoredRows, TableNode};
use crate::nodes::scan::{sequence_scan, system_scan};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::BoxRows;

/// Tables with so many blocks are read by several at once (`min_parallel_table_scan_size`): 8 MB.
pub const LARGE: u32 = 1024;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &Scan) -> types::Result<Compiled> {
    if scan.table < catalog::FIRST_NORMAL_OBJECT_ID {
        return system_scan::compile(compiler, plan);
    }
    if compiler.catalog.relation(scan.table).is_some_and(|relation| relation.relkind == b'S') {
        return sequence_scan::compile(compiler, plan, scan);
    }
    let (columns, layout) = ScanColumns::of_plan(compiler, plan, scan, [], compiler.late.of_scan(plan))?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    let keys = ScanKeys::compile(compiler, &plan.conditions, scan)?;
    Ok(Compiled::new(SeqScan { node: TableNode::new(columns, Filter::default(), output), keys }, reprs))
}

struct SeqScan {
    node: Arc<TableNode>,
    keys: ScanKeys,
}

impl ExecNode for SeqScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.node.columns.table)?;
        if let Some(row) = self.node.looked_at_again(&table, run) {
            return Ok(row);
        }
        let scan = self.node.columns.scan(&table, run.snapshot.clone());
        count_scan(&scan);
        Ok(self.rows(&scan, &self.keys.evaluate(run), run, 1))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let table = run.estate.table(self.node.columns.table)?;
        let again = run.looked_at_again(self.node.columns.relation).is_some();
        if again || table.blocks() < LARGE {
            return Ok(None);
        }
        let Some(workers) = workers(run) else { return Ok(None) };
        let scan = self.node.columns.scan(&table, run.snapshot.clone());
        count_scan(&scan);
        let keys = self.keys.evaluate(run);
        let part = |worker: &Run| self.rows(&scan, &keys, worker, workers.len());
        Ok(Some(workers.iter().map(part).collect()))
    }
}

/// Those who read one table together; `None`: there are none beside the session.
pub fn workers(run: &Run) -> Option<Vec<Run>> {
    tokio::runtime::Handle::try_current().ok()?;
    run.shared()
}

fn count_scan(scan: &TableScan) {
    if let Some(counters) = scan.table().counters() {
        counters.note_scans(1);
    }
}

impl SeqScan {
    fn rows(&self, scan: &TableScan, keys: &Arc<[ScanKey]>, run: &Run, participants: usize) -> BoxRows {
        let heap = scan.participant(run.session(), run.concurrency(scan.table()), participants);
        let heap = heap.with_keys(keys.clone());
        self.node.rows(scan.table(), AllRows { heap, table: scan.table().clone() }, run)
    }
}

struct AllRows {
    heap: HeapScan,
    table: Arc<Table>,
}

impl StoredRows for AllRows {
    async fn next(&mut self, run: &Run, rows: usize) -> Result<Option<StoredBatch>> {
        let before = self.heap.passed_over();
        let rows = self.heap.next_of(rows).await?;
        let passed_over = self.heap.passed_over() - before;
        if let Some(counters) = self.table.counters() {
            counters.note_returned(rows.as_ref().map_or(0, |rows| rows.rows() as u64) + passed_over);
        }
        if let Some(watched) = &run.watched {
            watched.note(|counters| counters.removed_by_filter += passed_over);
        }
        Ok(rows)
    }

    fn is_lossy(&self) -> bool {
        false
    }
}
