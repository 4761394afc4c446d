//! BitmapHeapScan: the rows of a bitmap, in the table's order; and the nodes below it, which make the bitmap and give no rows:
//! BitmapIndexScan, BitmapAnd and BitmapOr.

use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use aio::Turn;
use analyze::query::Expr;
use async_trait::async_trait;
use engine::{BitmapRows, TableScan, TidBitmap};
use plan::plan::{Node, Plan, Scan};

use crate::batch::Batch;
use crate::compile::{Compiler, Layout};
use crate::error::Result;
use crate::estate::Run;
use crate::instrument::Instrumentation;
use crate::memory::Reservation;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};
use crate::nodes::ranges::Ranges;
use crate::nodes::scan::{LongRows, ScanColumns, ScanNode, looked_at_again};
use crate::output::{Filter, Output};

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
    Ok(Compiled::new(BitmapHeapScan { columns, bitmap, recheck, output }, reprs))
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
    columns: ScanColumns,
    bitmap: Bitmap,
    /// What the bitmap says: it may have too many rows.
    recheck: Filter,
    output: Output,
}

impl ExecNode for BitmapHeapScan {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        let table = run.estate.table(self.columns.table)?;
        let turn = Turn::new(run.environment().database.engine());
        if let Some(row) = looked_at_again(&self, &table, run) {
            return Ok(row);
        }
        let scan = Arc::new(self.columns.scan(&table, run.snapshot.clone()));
        let (state, memory) = (State::Begin, run.reserve("bitmap"));
        let long = LongRows::of(&table);
        Ok(Box::new(BitmapHeapRows { node: self, scan, long, run: run.clone(), state, memory, turn }))
    }
}

impl ScanNode for BitmapHeapScan {
    fn columns(&self) -> &ScanColumns {
        &self.columns
    }

    fn recheck(&self) -> Option<&Filter> {
        Some(&self.recheck)
    }

    fn output(&self) -> &Output {
        &self.output
    }

    fn removed_by_recheck(counters: &mut Instrumentation) -> &mut u64 {
        &mut counters.removed_by_recheck
    }
}

#[expect(clippy::large_enum_variant, reason = "there is one for each scan, in its box")]
enum State {
    Begin,
    Rows(BitmapRows),
}

struct BitmapHeapRows {
    node: Arc<BitmapHeapScan>,
    scan: Arc<TableScan>,
    long: LongRows,
    run: Run,
    state: State,
    /// The bitmap's.
    memory: Reservation,
    turn: Turn,
}

impl BitmapHeapRows {
    async fn begin(&mut self) -> Result<BitmapRows> {
        let settings = &self.run.environment().settings;
        let bitmap = self.node.bitmap.make(&self.scan, &self.run, settings.work_mem).await?;
        self.memory.grow(bitmap.memory())?;
        Ok(self.scan.through_bitmap(self.run.session(), settings.concurrency, bitmap))
    }

    /// The blocks that were read go to the node's counters.
    fn note_blocks(&self, (exact, lossy): (u64, u64)) {
        if let Some(watched) = &self.run.watched {
            watched.note(|counters| {
                counters.exact_blocks += exact;
                counters.lossy_blocks += lossy;
            });
        }
    }
}

#[async_trait]
impl Rows for BitmapHeapRows {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let node = self.node.clone();
        loop {
            let batch = match &mut self.state {
                State::Begin => {
                    self.state = State::Rows(self.begin().await?);
                    continue;
                }
                State::Rows(rows) => match self.long.next(&self.run).await? {
                    Some(batch) => Some(batch),
                    None => {
                        let batch = rows.next().await?;
                        let blocks = rows.take_blocks();
                        self.note_blocks(blocks);
                        let Some(batch) = batch else { return Ok(None) };
                        self.long.put(batch, &*node, &self.run).await?
                    }
                },
            };
            let Some(batch) = batch else {
                self.turn.pass().await;
                continue;
            };
            let given = node.give(batch, &self.run).await?;
            if given.is_some() {
                return Ok(given);
            }
            self.turn.pass().await;
        }
    }
}
