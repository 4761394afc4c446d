//! Rows that several tasks read at once, put together in whatever order they come (PostgreSQL's Gather). There is no node for
//! it in a plan: a node that starts one that can be read in parts, and does not read parts itself, gets them this way.

use async_trait::async_trait;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::batch::Batch;
use crate::error::Result;
use crate::run::rows::{BoxRows, Rows};

/// Batches that a task may be ahead.
const AHEAD: usize = 2;

/// Parts that are not read yet.
pub struct Gather {
    parts: Vec<BoxRows>,
    running: Option<Running>,
}

struct Running {
    batches: mpsc::Receiver<Result<Batch>>,
    /// They end when this is dropped.
    _tasks: JoinSet<()>,
}

impl Gather {
    pub fn boxed(parts: Vec<BoxRows>) -> BoxRows {
        Box::new(Gather { parts, running: None })
    }

    async fn run(&mut self) -> Running {
        // The tasks are made where the statement runs.
        aio::announce_long_work().await;
        let (send, batches) = mpsc::channel(AHEAD * self.parts.len());
        let mut tasks = JoinSet::new();
        for mut rows in std::mem::take(&mut self.parts) {
            let send = send.clone();
            tasks.spawn(async move {
                while let Some(batch) = rows.next().await.transpose() {
                    let failed = batch.is_err();
                    if send.send(batch).await.is_err() || failed {
                        break;
                    }
                }
            });
        }
        Running { batches, _tasks: tasks }
    }
}

#[async_trait]
impl Rows for Gather {
    async fn next(&mut self) -> Result<Option<Batch>> {
        if self.running.is_none() {
            self.running = Some(self.run().await);
        }
        let running = self.running.as_mut().expect("it runs");
        running.batches.recv().await.transpose()
    }
}
