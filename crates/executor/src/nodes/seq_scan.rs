//! SeqScan: all rows of a table, through a read stream.

use std::sync::Arc;

use access::HeapScan;
use aio::Turn;
use async_trait::async_trait;
use engine::TableScan;
use plan::plan::{Plan, Scan};

use crate::batch::Batch;
use crate::compile::Compiler;
use crate::error::Result;
use crate::estate::Run;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::scan::{LongRows, ScanColumns, ScanNode, looked_at_again};
use crate::nodes::{sequence_scan, system_scan};
use crate::output::{Filter, Output};

/// Tables with so many blocks are read by several at once (`min_parallel_table_scan_size`): 8 MB.
const LARGE: u32 = 1024;

pub fn compile(compiler: &Compiler<'_>, plan: &Plan, scan: &Scan) -> types::Result<Compiled> {
    if scan.table < catalog::FIRST_NORMAL_OBJECT_ID {
        return system_scan::compile(compiler, plan, scan);
    }
    if compiler.catalog.relation(scan.table).is_some_and(|relation| relation.relkind == b'S') {
        return sequence_scan::compile(compiler, plan, scan);
    }
    let (columns, layout) = ScanColumns::of_plan(compiler, plan, scan, [])?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    Ok(Compiled::new(SeqScan { columns, output }, reprs))
}

struct SeqScan {
    columns: ScanColumns,
    output: Output,
}

impl ScanNode for SeqScan {
    fn columns(&self) -> &ScanColumns {
        &self.columns
    }

    fn recheck(&self) -> Option<&Filter> {
        None
    }

    fn output(&self) -> &Output {
        &self.output
    }
}

impl ExecNode for SeqScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.columns.table)?;
        if let Some(row) = looked_at_again(&self, &table, run) {
            return Ok(row);
        }
        let scan = self.columns.scan(&table, run.snapshot.clone());
        Ok(self.rows(&scan, run, 1))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let table = run.estate.table(self.columns.table)?;
        let again = run.looked_at_again(self.columns.relation).is_some();
        if again || table.blocks() < LARGE || tokio::runtime::Handle::try_current().is_err() {
            return Ok(None);
        }
        let wanted = run.environment().settings.participants;
        let scan = self.columns.scan(&table, run.snapshot.clone());
        let workers: Vec<Run> = (0..wanted).map_while(|_| run.in_worker()).collect();
        if workers.len() < 2 {
            return Ok(None);
        }
        let part = |worker: &Run| self.clone().rows(&scan, worker, workers.len());
        Ok(Some(workers.iter().map(part).collect()))
    }
}

impl SeqScan {
    fn rows(self: Arc<Self>, scan: &TableScan, run: &Run, participants: usize) -> BoxRows {
        let heap = scan.participant(run.session(), run.environment().settings.concurrency, participants);
        let turn = Turn::new(run.environment().database.engine());
        let long = LongRows::of(scan.table());
        Box::new(SeqScanRows { node: self, heap, long, run: run.clone(), turn })
    }
}

struct SeqScanRows {
    node: Arc<SeqScan>,
    heap: HeapScan,
    long: LongRows,
    run: Run,
    turn: Turn,
}

#[async_trait]
impl Rows for SeqScanRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            let batch = match self.long.next(&self.run).await? {
                Some(batch) => Some(batch),
                None => match self.heap.next_stored().await? {
                    Some(rows) => self.long.put(rows, &*self.node, &self.run).await?,
                    None => return Ok(None),
                },
            };
            // A scan of cached pages never waits; others get their turn here.
            self.turn.pass().await;
            let Some(batch) = batch else { continue };
            let given = self.node.give(batch, &self.run).await?;
            if given.is_some() {
                return Ok(given);
            }
        }
    }
}
