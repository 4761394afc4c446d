//! BitmapHeapScan: the rows of a bitmap, in the table's order; and the nodes below it, which make the bitmap and give no rows:
//! BitmapIndexScan, BitmapAnd and BitmapOr.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use access::StoredBatch;
use analyze::query::Expr;
use engine::{BitmapRows, TableScan, TidBitmap};
use plan::plan::{Node, Plan, Scan};

use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::memory::Reservation;
use crate::node::{BoxRows, Compiled, ExecNode};
use crate::nodes::ranges::Ranges;
use crate::nodes::scan::{ScanColumns, StoredRows, TableNode};

pub fn compile(
    compiler: &Compiler<'_>,
    plan: &Plan,
    scan: &Scan,
    child: &Plan,
    recheck: &[Expr],
) -> types::Result<Compiled> {
    let (columns, layout) = ScanColumns::of_plan(compiler, plan, scan, recheck)?;
    let bitmap = Bitmap::compile(compiler, child)?;
    let recheck = compiler.filter(recheck, &layout)?;
    let output = compiler.output(plan, &layout)?;
    let reprs = output.reprs().clone();
    let node = TableNode { columns, recheck, removed_by_recheck: |counters| &mut counters.removed_by_recheck, output };
    let node = Arc::new(node);
    Ok(Compiled::new(BitmapHeapScan { node, bitmap }, reprs))
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
            _ => return Err(types::Error::new("XX000", "a node makes no bitmap")),
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
                let concurrency = run.environment().settings.concurrency;
                Ok(scan.bitmap(run.session(), *index, ranges, concurrency, bytes).await?)
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
}

impl ExecNode for BitmapHeapScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.node.columns.table)?;
        if let Some(row) = self.node.looked_at_again(&table, run) {
            return Ok(row);
        }
        let scan = Arc::new(self.node.columns.scan(&table, run.snapshot.clone()));
        let (node, memory) = (self.node.clone(), run.reserve("bitmap"));
        Ok(node.rows(&table, RowsOfBitmap { scanned: self, scan, rows: None, memory }, run))
    }
}

struct RowsOfBitmap {
    scanned: Arc<BitmapHeapScan>,
    scan: Arc<TableScan>,
    /// `None` before the first ones are asked for.
    rows: Option<BitmapRows>,
    /// The bitmap's.
    memory: Reservation,
}

impl RowsOfBitmap {
    async fn begin(&mut self, run: &Run) -> Result<BitmapRows> {
        let settings = &run.environment().settings;
        let bitmap = self.scanned.bitmap.make(&self.scan, run, settings.work_mem).await?;
        self.memory.grow(bitmap.memory())?;
        Ok(self.scan.through_bitmap(run.session(), settings.concurrency, bitmap))
    }
}

/// The blocks that were read go to the node's counters.
fn note_blocks(run: &Run, (exact, lossy): (u64, u64)) {
    if let Some(watched) = &run.watched {
        watched.note(|counters| {
            counters.exact_blocks += exact;
            counters.lossy_blocks += lossy;
        });
    }
}

impl StoredRows for RowsOfBitmap {
    async fn next(&mut self, run: &Run) -> Result<Option<StoredBatch>> {
        if self.rows.is_none() {
            self.rows = Some(self.begin(run).await?);
        }
        let Some(rows) = &mut self.rows else { return Ok(None) };
        let batch = rows.next().await?;
        note_blocks(run, rows.take_blocks());
        Ok(batch)
    }

    fn is_lossy(&self) -> bool {
        true
    }
}
