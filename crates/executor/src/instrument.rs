//! What nodes did, for EXPLAIN ANALYZE: a plan that is prepared for it counts what each of its nodes gives and how long it
//! takes, what is below included.

use std::sync::Arc;
use std::time::{Duration, Instant};

use aio::{BufferUsage, SharedUsage};
use async_trait::async_trait;
use parking_lot::Mutex;

use crate::batch::Batch;
use crate::error::Result;
use crate::estate::Run;
use crate::node::{BoxRows, Compiled, ExecNode, Rows};

/// What a node did, all its runs together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Instrumentation {
    /// How often it ran, each task that ran it counted.
    pub loops: u64,
    /// Tasks that ran it together, at most; 0: it was never one of several.
    pub workers: u64,
    pub rows: u64,
    /// Until it had given its first rows.
    pub startup: Duration,
    pub total: Duration,
    /// Rows for which conditions did not hold, and pairs of them.
    pub removed_by_filter: u64,
    pub removed_by_join_filter: u64,
    pub removed_by_recheck: u64,
    /// Blocks that a bitmap led to, all tasks together.
    pub blocks: HeapBlocks,
    /// Entries whose rows an index-only scan looked at.
    pub heap_fetches: u64,
    /// Ranges of an index that were looked for.
    pub index_searches: u64,
    /// Without what is below.
    pub usage: BufferUsage,
}

/// Blocks that a bitmap led to: those of which it had the rows, and others.
pub type HeapBlocks = [u64; 2];

/// A node's counters while it runs.
#[derive(Default)]
pub struct NodeCounters {
    counters: Mutex<Instrumentation>,
    /// The blocks of each task that reads a bitmap.
    participants: Mutex<Vec<HeapBlocks>>,
    /// Its pages: its session counts them.
    pub usage: SharedUsage,
}

impl NodeCounters {
    pub fn note(&self, note: impl FnOnce(&mut Instrumentation)) {
        note(&mut self.counters.lock());
    }

    /// A task, one of several, has read blocks.
    pub fn note_blocks(&self, participant: usize, [exact, lossy]: HeapBlocks) {
        let mut participants = self.participants.lock();
        if participants.len() <= participant {
            participants.resize(participant + 1, HeapBlocks::default());
        }
        participants[participant][0] += exact;
        participants[participant][1] += lossy;
    }

    /// The blocks of each task; none where no more than one has read any.
    pub fn participants(&self) -> Vec<HeapBlocks> {
        let participants = self.participants.lock();
        if participants.len() > 1 { participants.clone() } else { Vec::new() }
    }

    pub fn get(&self) -> Instrumentation {
        let all = |[a, b]: HeapBlocks, [exact, lossy]: &HeapBlocks| [a + exact, b + lossy];
        let blocks = self.participants.lock().iter().fold(HeapBlocks::default(), all);
        Instrumentation { usage: *self.usage.lock(), blocks, ..*self.counters.lock() }
    }
}

/// A node that is watched.
pub struct Instrumented {
    pub child: Compiled,
    /// Its number: nodes are counted from 0 as they are printed, the statement's plan first, then its sub plans.
    pub number: usize,
}

impl Instrumented {
    fn watch(&self, run: &Run, start: impl FnOnce(&Compiled, &Run) -> Result<BoxRows>) -> Result<BoxRows> {
        let counters = run.estate.instrumentation[self.number].clone();
        counters.note(|counters| counters.loops += 1);
        let begun = Instant::now();
        let rows = start(&self.child, &run.watched(&counters))?;
        counters.note(|counters| counters.total += begun.elapsed());
        Ok(Box::new(Watched { rows, counters, first: true }))
    }
}

impl ExecNode for Instrumented {
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows> {
        self.watch(run, |child, run| child.start_first(run))
    }

    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        self.watch(run, |child, run| child.node.clone().start_bounded(run, bound))
    }

    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let counters = run.estate.instrumentation[self.number].clone();
        let Some(parts) = self.child.start_parts(&run.watched(&counters))? else { return Ok(None) };
        counters.note(|counters| {
            counters.loops += parts.len() as u64;
            counters.workers = counters.workers.max(parts.len() as u64);
        });
        let watch = |rows| Box::new(Watched { rows, counters: counters.clone(), first: true }) as BoxRows;
        Ok(Some(parts.into_iter().map(watch).collect()))
    }
}

struct Watched {
    rows: BoxRows,
    counters: Arc<NodeCounters>,
    first: bool,
}

#[async_trait]
impl Rows for Watched {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let begun = Instant::now();
        let batch = self.rows.next().await;
        let took = begun.elapsed();
        let rows = batch.as_ref().map_or(0, |batch| batch.as_ref().map_or(0, |batch| batch.rows as u64));
        let first = std::mem::take(&mut self.first);
        self.counters.note(|counters| {
            counters.total += took;
            counters.startup += if first { took } else { Duration::ZERO };
            counters.rows += rows;
        });
        batch
    }
}
