//! BitmapHeapScan: the rows of a bitmap, in the table's order; and the nodes below it, which make the bitmap and give no rows:
//! BitmapIndexScan, BitmapAnd and BitmapOr.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use access::StoredBatch;
use analyze::query::Expr;
use engine::{BitmapRows, IndexScanCounters, SharedBitmap, TableScan, TidBitmap};
use error::sqlstate;
use plan::plan::{Node, Plan, Scan};

use crate::compile::{Compiler, Layout};
use crate::error::{Error, Result};
use crate::memory::Reservation;
use crate::nodes::scan::index_scan::note_index_scan;
use crate::nodes::scan::ranges::Ranges;
use crate::nodes::scan::seq_scan;
use crate::nodes::scan::seq_scan::LARGE;
use crate::nodes::scan::{ScanColumns, StoredRows, TableNode};
use crate::run::estate::Run;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::BoxRows;

pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    scan: &Scan,
    child: &Plan,
    recheck: &[Expr],
) -> types::Result<Compiled> {
    let (columns, layout) = ScanColumns::of_plan(compiler, plan, scan, recheck, compiler.late.of_scan(plan))?;
    let bitmap = Bitmap::compile(compiler, child)?;
    let recheck = compiler.filter(recheck, &layout)?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    let node = TableNode { columns, recheck, removed_by_recheck: |counters| &mut counters.removed_by_recheck, output };
    let node = Arc::new(node);
    Ok(Compiled::new(BitmapHeapScan { node, bitmap, expected: plan.cost.rows }, reprs))
}

/// How a bitmap is made.
struct Bitmap {
    source: Source,
    /// The node's number, if it is watched.
    number: Option<usize>,
}

enum Source {
    /// The index's position among the table's.
    Index(usize, Ranges),
    And(Vec<Bitmap>),
    Or(Vec<Bitmap>),
}

impl Bitmap {
    fn compile(compiler: &Compiler<'_>, plan: &Plan) -> types::Result<Bitmap> {
        let all = |children: &[Plan]| {
            children.iter().map(|child| Bitmap::compile(compiler, child)).collect::<types::Result<Vec<_>>>()
        };
        let source = match &plan.node {
            Node::BitmapIndexScan(scan) => {
                let facts = compiler.facts.index(scan.scan.table, scan.index)?;
                Source::Index(facts.position, Ranges::compile(compiler, &facts, &scan.ranges, &Layout::default())?)
            }
            Node::BitmapAnd { children } => Source::And(all(children)?),
            Node::BitmapOr { children } => Source::Or(all(children)?),
            _ => return Err(types::Error::new(sqlstate::INTERNAL_ERROR, "a node makes no bitmap")),
        };
        Ok(Bitmap { source, number: compiler.number(plan) })
    }

    /// The rows, in no more than so many bytes.
    fn make<'a>(
        &'a self,
        scan: &'a TableScan,
        run: &'a Run,
        bytes: usize,
    ) -> Pin<Box<dyn Future<Output = Result<TidBitmap>> + Send + 'a>> {
        Box::pin(async move {
            let Some(number) = self.number else { return Ok(self.make_unwatched(scan, run, bytes).await?.0) };
            let counters = &run.estate.instrumentation[number];
            let begun = Instant::now();
            let (bitmap, rows) = self.make_unwatched(scan, &run.watched(counters), bytes).await?;
            counters.note(|counters| {
                counters.loops += 1;
                counters.rows += rows;
                counters.startup += begun.elapsed();
                counters.total += begun.elapsed();
            });
            Ok(bitmap)
        })
    }

    /// The same, and what PostgreSQL counts as rows: what an index gives, and nothing of what is put together.
    async fn make_unwatched(&self, scan: &TableScan, run: &Run, bytes: usize) -> Result<(TidBitmap, u64)> {
        match &self.source {
            Source::Index(index, ranges) => {
                let keys = &scan.table().indexes[*index].keys.shape;
                let (ranges, _) = ranges.evaluate(keys, run).await?;
                let counters = IndexScanCounters { searches: ranges.len() as u64, ..IndexScanCounters::default() };
                let concurrency = run.concurrency(scan.table());
                let (bitmap, rows) = scan.bitmap(run.session(), *index, ranges, concurrency, bytes).await?;
                // It looks at no row.
                note_index_scan(
                    run,
                    &scan.table().indexes[*index],
                    true,
                    (IndexScanCounters::default(), counters),
                    rows as usize,
                );
                Ok((bitmap, rows))
            }
            Source::And(parts) => {
                let mut both: Option<TidBitmap> = None;
                for part in parts {
                    let made = part.make(scan, run, bytes).await?;
                    both = Some(match both {
                        Some(both) => both.and(made),
                        None => made,
                    });
                }
                Ok((both.unwrap_or_default(), 0))
            }
            Source::Or(parts) => {
                let mut all = TidBitmap::default();
                for part in parts {
                    all = all.or(part.make(scan, run, bytes).await?);
                    all.fit(bytes);
                }
                Ok((all, 0))
            }
        }
    }
}

struct BitmapHeapScan {
    node: Arc<TableNode>,
    bitmap: Bitmap,
    /// Rows, as the planner has it.
    expected: f64,
}

impl ExecNode for BitmapHeapScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.node.columns.table)?;
        if let Some(row) = self.node.looked_at_again(&table, run) {
            return Ok(row);
        }
        let scan = Arc::new(self.node.columns.scan(&table, run.snapshot.clone()));
        Ok(self.rows(&scan, run, &Arc::default(), 1))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let table = run.estate.table(self.node.columns.table)?;
        let again = run.looked_at_again(self.node.columns.relation).is_some();
        if again || self.expected_blocks(table.blocks()) < f64::from(LARGE) {
            return Ok(None);
        }
        let Some(workers) = seq_scan::workers(run) else { return Ok(None) };
        let scan = Arc::new(self.node.columns.scan(&table, run.snapshot.clone()));
        let shared = Arc::default();
        let part = |worker: &Run| self.clone().rows(&scan, worker, &shared, workers.len());
        Ok(Some(workers.iter().map(part).collect()))
    }
}

impl BitmapHeapScan {
    /// How many of the table's blocks will be read (Mackert and Lohman, as the planner).
    fn expected_blocks(&self, all: u32) -> f64 {
        let (all, rows) = (f64::from(all), self.expected);
        2.0 * all * rows / (2.0 * all + rows).max(1.0)
    }

    fn rows(self: Arc<Self>, scan: &Arc<TableScan>, run: &Run, shared: &Shared, participants: usize) -> BoxRows {
        let (node, table) = (self.node.clone(), scan.table().clone());
        let rows = RowsOfBitmap { scanned: self, scan: scan.clone(), shared: shared.clone(), participants, rows: None };
        node.rows(&table, rows, run)
    }
}

/// A bitmap and its memory. The first of the tasks that read it makes it.
type Shared = Arc<tokio::sync::OnceCell<(SharedBitmap, Reservation)>>;

struct RowsOfBitmap {
    scanned: Arc<BitmapHeapScan>,
    scan: Arc<TableScan>,
    shared: Shared,
    participants: usize,
    /// `None` before the first ones are asked for.
    rows: Option<BitmapRows>,
}

impl RowsOfBitmap {
    async fn begin(&mut self, run: &Run) -> Result<BitmapRows> {
        let make = || async {
            let bitmap = self.scanned.bitmap.make(&self.scan, run, run.environment().settings.work_mem).await?;
            let mut memory = run.reserve("bitmap");
            memory.secure(bitmap.memory(), run).await?;
            Ok::<_, Error>((SharedBitmap::from(bitmap), memory))
        };
        let (bitmap, _) = self.shared.get_or_try_init(make).await?;
        let concurrency = run.concurrency(self.scan.table());
        Ok(self.scan.through_bitmap(run.session(), concurrency, bitmap, self.participants))
    }
}

/// The blocks that were read go to the node's counters.
fn note_blocks(run: &Run, (exact, lossy): (u64, u64)) {
    if let Some(watched) = &run.watched {
        watched.note_blocks(run.participant, [exact, lossy]);
    }
}

impl StoredRows for RowsOfBitmap {
    async fn next(&mut self, run: &Run, most: usize) -> Result<Option<StoredBatch>> {
        if self.rows.is_none() {
            self.rows = Some(self.begin(run).await?);
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let batch = rows.next(most).await?;
        if let (Some(batch), Some(counters)) = (&batch, self.scan.table().counters()) {
            counters.note_fetched(batch.rows() as u64);
        }
        note_blocks(run, rows.take_blocks());
        Ok(batch)
    }

    fn is_lossy(&self) -> bool {
        true
    }
}
