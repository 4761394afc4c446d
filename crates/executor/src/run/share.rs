//! Rows of a node that can be read by one task only, dealt out to several that do more with them: a piece to the task that comes next.
//! Their order is lost.

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::Mutex;

use crate::batch::Batch;
use crate::error::Result;
use crate::run::rows::{BoxRows, Rows};

/// Rows of a piece: at least, unless there are fewer, and at most.
const FEWEST: usize = 32;
const MOST: usize = 1024;

struct Dealer {
    /// `None` at the end.
    rows: Option<BoxRows>,
    /// What of the last batch was not taken yet, and how many rows make a piece of it.
    left: Option<Batch>,
    piece: usize,
}

/// A task's part of the rows.
struct Share {
    dealer: Arc<Mutex<Dealer>>,
    participants: usize,
}

/// Deals rows out to so many.
pub fn shares(rows: BoxRows, participants: usize) -> impl Iterator<Item = BoxRows> {
    let dealer = Arc::new(Mutex::new(Dealer { rows: Some(rows), left: None, piece: 0 }));
    (0..participants).map(move |_| Box::new(Share { dealer: dealer.clone(), participants }) as BoxRows)
}

#[async_trait]
impl Rows for Share {
    async fn next(&mut self) -> Result<Option<Batch>> {
        let mut dealer = self.dealer.lock().await;
        let batch = match dealer.left.take() {
            Some(batch) => batch,
            None => {
                let Some(rows) = &mut dealer.rows else { return Ok(None) };
                let Some(batch) = rows.next().await? else {
                    dealer.rows = None;
                    return Ok(None);
                };
                dealer.piece = (batch.rows / (4 * self.participants)).clamp(FEWEST, MOST);
                batch
            }
        };
        let count = dealer.piece.min(batch.rows);
        dealer.left = (count < batch.rows).then(|| batch.slice(count, batch.rows - count));
        Ok(Some(batch.slice(0, count)))
    }
}
