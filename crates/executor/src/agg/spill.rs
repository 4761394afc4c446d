//! Groups that are too many for the memory. The states of those that fit are rows like others; they go through a sort that
//! writes to disk, behind which the states of a group stand side by side and are put together.

use std::collections::VecDeque;
use std::sync::Arc;

use async_trait::async_trait;
use types::Repr;

use super::{AggNode, Grouping};
use crate::batch::Batch;
use crate::error::Result;
use crate::keys::KeyColumn;
use crate::nodes::sort::{external, rows_of_batch};
use crate::run::estate::Run;
use crate::run::rows::{BoxRows, Rows};

/// With which part of what the statement may have groups are full: half of it. `None`: their states cannot be put together, or
/// rows come group by group, of which one is there at a time.
pub fn most(node: &AggNode) -> Option<usize> {
    let hashed = !node.sorted && node.sets.len() == 1 && !node.keys.is_empty();
    let alone = hashed && node.calls.iter().all(|call| !call.gathers());
    alone.then_some(2)
}

/// How the states of groups lie as rows, and the keys among them.
pub fn shape(like: &Grouping) -> (Vec<Repr>, Vec<KeyColumn>) {
    let set = &like.sets[0];
    (set.partial_reprs(&like.node), set.keys_of_groups(&like.node))
}

/// The states of groups that were made, and of those that are made of the rows, in the order of their keys.
pub async fn sorted(
    (reprs, keys): (Vec<Repr>, Vec<KeyColumn>),
    mut made: Vec<Grouping>,
    rest: Vec<BoxRows>,
    (node, run): (Arc<AggNode>, &Run),
) -> Result<BoxRows> {
    run.estate.memory.wait_for_share(run).await;
    // The largest comes first, at the end: the sort has the memory that the others leave it.
    made.sort_unstable_by_key(|groups| groups.memory.held());
    let bytes: usize = made.iter().map(|groups| groups.memory.held()).sum();
    let groups: usize = made.iter().map(|groups| groups.sets[0].groups()).sum();
    let batch_rows = rows_of_batch(groups, bytes, run);
    let partials = Partials { node, run: run.clone(), made, rest, ready: VecDeque::new(), batch_rows };
    external(&reprs, &keys, Box::new(partials), (groups, bytes), run).await
}

struct Partials {
    node: Arc<AggNode>,
    run: Run,
    made: Vec<Grouping>,
    rest: Vec<BoxRows>,
    ready: VecDeque<Batch>,
    /// Groups of a batch.
    batch_rows: usize,
}

impl Partials {
    /// Makes rows of the groups, which need no memory then.
    fn give(&mut self, mut groups: Grouping) -> Result<()> {
        let set = &mut groups.sets[0];
        if set.groups() > 0 {
            let batch = set.partials(&self.node)?;
            let pieces = (0..batch.rows).step_by(self.batch_rows);
            self.ready.extend(pieces.map(|at| batch.slice(at, self.batch_rows.min(batch.rows - at))));
        }
        Ok(())
    }

    /// Reads on until groups are full, or all rows were read.
    async fn read(&mut self) -> Result<()> {
        let mut groups = Grouping::new(self.node.clone(), &self.run)?;
        // The sort needs some, too.
        groups.most = groups.most.map(|part| 2 * part);
        while let Some(rows) = self.rest.last_mut() {
            match rows.next().await? {
                Some(batch) => {
                    if groups.take(&batch).await? {
                        break;
                    }
                }
                None => drop(self.rest.pop()),
            }
        }
        self.made.push(groups);
        Ok(())
    }
}

#[async_trait]
impl Rows for Partials {
    async fn next(&mut self) -> Result<Option<Batch>> {
        loop {
            if let Some(batch) = self.ready.pop_front() {
                return Ok(Some(batch));
            }
            match self.made.pop() {
                Some(groups) => self.give(groups)?,
                None if self.rest.is_empty() => return Ok(None),
                None => self.read().await?,
            }
        }
    }
}
