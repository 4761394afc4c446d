//! The rows that a node gives when it runs.

use async_trait::async_trait;

use crate::batch::Batch;
use crate::error::Result;

/// The rows of a node that runs. A reader that has seen enough drops it.
#[async_trait]
pub trait Rows: Send {
    /// The next rows, one at least; `None` at the end, after which it is not asked.
    async fn next(&mut self) -> Result<Option<Batch>>;
}

pub type BoxRows = Box<dyn Rows>;

/// Rows of which some were read already.
pub struct Continued {
    held: std::vec::IntoIter<Batch>,
    rows: BoxRows,
}

impl Continued {
    pub fn boxed(held: Vec<Batch>, rows: BoxRows) -> BoxRows {
        Box::new(Continued { held: held.into_iter(), rows })
    }
}

#[async_trait]
impl Rows for Continued {
    async fn next(&mut self) -> Result<Option<Batch>> {
        match self.held.next() {
            Some(batch) => Ok(Some(batch)),
            None => self.rows.next().await,
        }
    }
}

/// Rows that are there already.
pub struct Ready(pub std::vec::IntoIter<Batch>);

impl Ready {
    pub fn boxed(batches: Vec<Batch>) -> BoxRows {
        Box::new(Ready(batches.into_iter()))
    }
}

#[async_trait]
impl Rows for Ready {
    async fn next(&mut self) -> Result<Option<Batch>> {
        Ok(self.0.by_ref().find(|batch| batch.rows > 0))
    }
}
