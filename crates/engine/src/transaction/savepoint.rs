//! Savepoints: where ROLLBACK TO takes a transaction back to.

use super::{Savepoint, Transaction};

use access::rollback::roll_back;
use storage::RelationId;
use txn::UndoPtr;

use crate::Result;

impl Transaction {
    /// Where a statement may go back to.
    pub fn savepoint(&self) -> Savepoint {
        let undo = self.writer.as_ref().map_or(UndoPtr::NONE, |w| w.transaction.undo());
        let reservations = self.xid().map_or(0, |xid| self.db.inner.reserved.lock().get(&xid).map_or(0, Vec::len));
        Savepoint {
            undo,
            locks: self.db.inner.store.locks.held(self.owner),
            changes: self.changes.len(),
            created: self.created.len(),
            dropped: self.dropped.len(),
            reservations,
            nest_level: self.nest_level + 1,
        }
    }

    /// SAVEPOINT: what comes is a subtransaction, until it is released or the transaction ends.
    pub fn begin_subtransaction(&mut self) -> Savepoint {
        let savepoint = self.savepoint();
        self.nest_level = savepoint.nest_level;
        if let Some(writer) = &mut self.writer {
            writer.status.begin_subtransaction();
        }
        savepoint
    }

    /// RELEASE: the subtransaction is a part of the one above, as are those that began in it.
    pub fn release(&mut self, savepoint: &Savepoint) {
        self.nest_level = savepoint.nest_level - 1;
        if let Some(writer) = &mut self.writer {
            writer.status.commit_subtransaction(savepoint.nest_level);
        }
    }

    /// Takes back everything since the savepoint.
    pub async fn roll_back_to(&mut self, savepoint: &Savepoint) -> Result<()> {
        // What is left of it can only be rolled back as a whole, or once more to here.
        self.take_back(savepoint).await?;
        let store = &self.db.inner.store;
        store.locks.release_after(self.owner, savepoint.locks);
        self.nest_level = self.nest_level.min(savepoint.nest_level);
        if let Some(writer) = &mut self.writer {
            writer.status.abort_subtransaction(savepoint.nest_level);
        }
        if let Some(xid) = self.xid() {
            // A transaction that waits for a row, or is about to, may find it free now.
            store.transactions.subaborted();
            store.locks.transaction_ended(xid);
        }
        Ok(())
    }

    pub(super) async fn take_back(&mut self, savepoint: &Savepoint) -> Result<()> {
        let catalog = self.catalog();
        self.changes.truncate(savepoint.changes);
        self.catalog = None;
        let replaced = self.dropped.split_off(savepoint.dropped);
        let made = &self.created[..savepoint.created];
        self.put_back.extend(replaced.into_iter().filter(|id| made.contains(id)));
        if let Some(writer) = &mut self.writer {
            let db = &self.db;
            let io = &self.backend.io;
            let created = &self.created[savepoint.created..];
            let heap_of = |id: RelationId| match created.contains(&id.main()) {
                true => Ok(None),
                false => db.heap_of(&catalog, id),
            };
            roll_back(&db.inner.store, io, &writer.transaction, savepoint.undo, heap_of).await?;
            let xid = writer.transaction.xid;
            db.inner.store.pool.wait_for_orphans().await;
            // One after the other, each forgotten once it is empty: this may fail half-way.
            let last = || {
                let reserved = db.inner.reserved.lock();
                reserved.get(&xid).and_then(|ranges| ranges.get(savepoint.reservations..)?.last().cloned())
            };
            while let Some((id, range)) = last() {
                // Of a database or table that was dropped nothing is left.
                if !created.contains(&id.main()) && db.heap_of(&catalog, id)?.is_some() {
                    db.empty_blocks(io, id, range.clone()).await?;
                }
                if let Some(loading) = db.loading(id) {
                    loading.lock().retain(|(x, of, r)| *x != xid || *of != id || *r != range);
                }
                if let Some(ranges) = db.inner.reserved.lock().get_mut(&xid) {
                    ranges.pop();
                }
                db.open_to_others([(id, range)]);
            }
        }
        for id in self.created.split_off(savepoint.created) {
            self.remove_files(id).await;
        }
        Ok(())
    }

    /// Files that cannot be removed stay for now: the next start of the server finds that nothing has them.
    pub(super) async fn remove_files(&self, id: RelationId) {
        if let Err(error) = self.db.remove_files(id).await {
            tracing::warn!(relation = %id, %error, "files could not be removed");
        }
    }
}
