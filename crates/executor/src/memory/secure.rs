//! Waiting for memory: for a statement's share, where it has had little and others have what there is.

use std::sync::Arc;
use std::time::Duration;

use crate::error::Result;
use crate::memory::{QueryMemory, Reservation};
use crate::run::estate::{Run, RunState};

/// Where no statement that waits for its share gets one for so long, those who have them may be waiting for others.
const PATIENCE: Duration = Duration::from_secs(10);

/// An operator has this part of what the statement may have, even if others have taken all of it.
const FLOOR: usize = 16;

impl QueryMemory {
    /// Waits for a share. `false`: there is one already.
    pub async fn wait_for_share(&self, run: &Run) -> bool {
        if self.taken.lock().share.is_some() {
            return false;
        }
        let _joining = self.joining.lock().await;
        if self.taken.lock().share.is_some() {
            return true;
        }
        let engine = run.environment().database.engine();
        let share = match self.shared.try_share(self.wanted()) {
            Some(share) => share,
            None => {
                let _waiting = run.backend.wait_for("Extension", "WorkMemory");
                self.shared.share(self.wanted(), || Box::pin(engine.sleep(PATIENCE))).await
            }
        };
        self.join(&mut self.taken.lock(), share);
        true
    }
}

impl Reservation {
    /// Holds so many bytes more, for which it waits as [`Reservation::secure`] does.
    pub async fn secure_more(&mut self, bytes: usize, run: &Run) -> Result<()> {
        self.secure(self.held + bytes, run).await
    }

    /// Holds so many bytes in all, and waits for them where the statement has had little so far and others have what there is. A
    /// part of what the statement may have is there in any case. Of the statement's operators, not for values.
    pub async fn secure(&mut self, bytes: usize, run: &Run) -> Result<()> {
        let Err(refused) = self.resize(bytes) else { return Ok(()) };
        if run.estate.memory.wait_for_share(run).await && self.resize(bytes).is_ok() {
            return Ok(());
        }
        if bytes > run.estate.part_of_memory(FLOOR, usize::MAX) {
            return Err(refused);
        }
        if let Some(granted) = &self.granted {
            granted.grow(bytes - granted.size());
        }
        Ok(())
    }
}

impl RunState {
    /// A hash table of a subquery has grown, and stays until the statement ends.
    pub async fn grow_hashed(self: &Arc<Self>, bytes: usize) -> Result<()> {
        let mut hashed = self.estate.hashed.lock().await;
        hashed.get_or_insert_with(|| self.reserve("hashed SubPlan")).secure_more(bytes, self).await
    }
}
