//! A node around one that is watched: it counts what that one gives and how long it takes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use async_trait::async_trait;

use crate::batch::Batch;
use crate::error::Result;
use crate::run::estate::Run;
use crate::run::instrument::NodeCounters;
use crate::run::node::{Compiled, ExecNode};
use crate::run::rows::{BoxRows, Rows};

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
