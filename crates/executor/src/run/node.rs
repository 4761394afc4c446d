//! What nodes are: a plan's node made ready to run.

use std::sync::Arc;

use types::Repr;

use crate::batch::Batch;
use crate::error::Result;
use crate::run::estate::Run;
use crate::run::gather::Gather;
use crate::run::rows::BoxRows;

/// A plan's node with everything looked up and compiled. It has no state of an execution: it is kept and shared.
pub trait ExecNode: Send + Sync {
    /// Begins to run. Nothing is read before rows are asked for.
    fn start(self: Arc<Self>, run: &Run) -> Result<BoxRows>;

    /// The same for a reader that takes only so many of the first rows.
    fn start_bounded(self: Arc<Self>, run: &Run, bound: usize) -> Result<BoxRows> {
        self.start(&run.bounded(bound))
    }

    /// The same in parts, which several tasks may read at once. `None`: there are none, or that would be of no use.
    fn start_parts(self: Arc<Self>, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        let _ = run;
        Ok(None)
    }
}

/// A node and how the columns of its rows lie.
#[derive(Clone)]
pub struct Compiled {
    pub node: Arc<dyn ExecNode>,
    pub reprs: Arc<[Repr]>,
}

impl Compiled {
    pub fn new(node: impl ExecNode + 'static, reprs: impl Into<Arc<[Repr]>>) -> Compiled {
        Compiled { node: Arc::new(node), reprs: reprs.into() }
    }

    /// Begins to run for a reader that takes all rows.
    pub fn start(&self, run: &Run) -> Result<BoxRows> {
        // They were those of the node above.
        let run = &run.for_all_rows();
        match self.start_parts(run)? {
            Some(parts) => Ok(Gather::boxed(parts)),
            None => self.node.clone().start(run),
        }
    }

    /// The same for a reader that takes one row. Several tasks may still look for it together.
    pub fn start_for_one(&self, run: &Run) -> Result<BoxRows> {
        match self.start_parts(run)? {
            Some(parts) => Ok(Gather::boxed(parts)),
            None => self.node.clone().start_bounded(run, 1),
        }
    }

    /// The same below a node whose first rows are made of the first of these: if few of those are enough, few of these may be.
    pub fn start_first(&self, run: &Run) -> Result<BoxRows> {
        match run.first_rows {
            // As it is, if it says nothing else of the node above.
            Some(_) if run.bound.is_none() => self.node.clone().start(run),
            Some(rows) => self.node.clone().start(&run.with_first_rows(rows)),
            None => self.start(run),
        }
    }

    /// The same for a reader that may leave at any time, even if the node above that one wants all of its rows; so many rows may be
    /// enough for the beginning.
    pub fn start_leaving(&self, run: &Run, rows: usize) -> Result<BoxRows> {
        match run.first_rows {
            Some(_) => self.start_first(run),
            None => self.node.clone().start(&run.with_first_rows(rows)),
        }
    }

    pub fn start_parts(&self, run: &Run) -> Result<Option<Vec<BoxRows>>> {
        if run.parallel && run.first_rows.is_none() { self.node.clone().start_parts(run) } else { Ok(None) }
    }

    /// All rows. They count as memory of `run`'s until the reservation is dropped.
    pub async fn collect(&self, run: &Run) -> Result<(Vec<Batch>, crate::memory::Reservation)> {
        let mut held = run.reserve_value("collected rows");
        let mut rows = self.start(run)?;
        let mut all = Vec::new();
        while let Some(batch) = rows.next().await? {
            held.grow(batch.memory())?;
            all.push(batch);
        }
        Ok((all, held))
    }
}
