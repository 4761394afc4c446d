//! Waiting for locks, and for the ends of transactions.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use super::deadlock::cycle;
use super::mode::LockMode;
use super::queue::{Cell, Lock, Waiter};
use super::table::LockTable;
use super::tag::{LockTag, Until};
use super::{LockError, LockManager};
use crate::id::{Owner, Xid};

impl LockManager {
    /// Takes a lock, waiting in the queue for it. Dropping the future gives up.
    pub async fn lock(&self, owner: Owner, tag: LockTag, mode: LockMode) -> Result<(), LockError> {
        self.lock_until(owner, tag, mode, Until::TransactionEnd).await
    }

    /// As [`LockManager::lock`], and says how long it is held.
    pub async fn lock_until(&self, owner: Owner, tag: LockTag, mode: LockMode, until: Until) -> Result<(), LockError> {
        if self.take_fast(owner, tag, mode, until) {
            return Ok(());
        }
        let cell = {
            let mut state = self.state.lock();
            let _strong = self.expect(&mut state, tag, mode);
            if self.take(&mut state, owner, tag, mode, until)? {
                return Ok(());
            }
            self.enqueue(&mut state, owner, tag, mode, until)?
        };
        Waiting { manager: self, owner, tag, mode, until, cell, done: false }.await;
        Ok(())
    }

    /// Waits until transaction `xid`, which `holder` runs, has ended or rolled back to a savepoint. `holds` is asked once more
    /// when the session that does that has to look for those who wait, so it is not missed.
    pub async fn wait_for_transaction(
        &self,
        owner: Owner,
        xid: Xid,
        holder: Owner,
        holds: impl FnOnce() -> bool,
    ) -> Result<(), LockError> {
        let tag = LockTag::Transaction(xid);
        let cell = {
            let mut state = self.state.lock();
            // Counted before it is asked: see `transaction_ended`.
            self.ends.fetch_add(1, Ordering::SeqCst);
            let queued = holds().then(|| self.enqueue_for_end(&mut state, owner, tag, holder));
            self.ends.fetch_sub(1, Ordering::AcqRel);
            let Some(queued) = queued else { return Ok(()) };
            queued?
        };
        self.wait_for_end(owner, tag, cell).await;
        Ok(())
    }

    /// Waits until the transaction of `holder` ends, if it holds `tag` in a mode that conflicts with this one.
    pub async fn wait_for_holder(
        &self,
        owner: Owner,
        holder: Owner,
        tag: LockTag,
        mode: LockMode,
    ) -> Result<(), LockError> {
        let end = LockTag::VirtualTransaction(holder);
        let cell = {
            let mut state = self.state.lock();
            self.transfer(&mut state, tag);
            let held = |lock: &Lock| lock.holders_against(owner, mode).any(|other| other == holder);
            if !state.locks.get(&tag).is_some_and(held) {
                return Ok(());
            }
            self.enqueue_for_end(&mut state, owner, end, holder)?
        };
        self.wait_for_end(owner, end, cell).await;
        Ok(())
    }

    async fn wait_for_end(&self, owner: Owner, tag: LockTag, cell: Arc<Cell>) {
        let (mode, until) = (LockMode::Share, Until::TransactionEnd);
        Waiting { manager: self, owner, tag, mode, until, cell, done: false }.await;
    }

    /// Takes a place in the queue for the end of a transaction that `holder` runs.
    fn enqueue_for_end(
        &self,
        state: &mut LockTable,
        owner: Owner,
        tag: LockTag,
        holder: Owner,
    ) -> Result<Arc<Cell>, LockError> {
        if !state.locks.contains_key(&tag) {
            self.count(&tag, 1);
        }
        let lock = state.locks.entry(tag).or_default();
        if !lock.holds(holder) {
            lock.add(holder, LockMode::Exclusive);
        }
        let queued = self.enqueue(state, owner, tag, LockMode::Share, Until::TransactionEnd);
        if queued.is_err() {
            self.wake_waiters(state, tag);
        }
        queued
    }

    fn enqueue(
        &self,
        state: &mut LockTable,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        until: Until,
    ) -> Result<Arc<Cell>, LockError> {
        debug_assert!(!state.waiting.contains_key(&owner), "an owner waits for one thing at a time");
        if let Some(cycle) = cycle(state, owner, tag, mode) {
            return Err(LockError::Deadlock(cycle));
        }
        let cell = Arc::new(Cell::default());
        let lock = state.locks.entry(tag).or_default();
        lock.queue.push_back(Waiter { owner, mode, until, cell: cell.clone() });
        self.note_strength(tag, lock);
        state.waiting.insert(owner, (tag, mode));
        Ok(cell)
    }
}

/// A place in a queue.
struct Waiting<'a> {
    manager: &'a LockManager,
    owner: Owner,
    tag: LockTag,
    mode: LockMode,
    until: Until,
    cell: Arc<Cell>,
    done: bool,
}

impl Future for Waiting<'_> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let granted = {
            let mut cell = self.cell.0.lock();
            if !cell.0 {
                cell.1 = Some(cx.waker().clone());
            }
            cell.0
        };
        self.done = granted;
        if granted { Poll::Ready(()) } else { Poll::Pending }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.done {
            return;
        }
        let mut state = self.manager.state.lock();
        if self.cell.0.lock().0 {
            // Granted, and not taken.
            drop(state);
            self.manager.unlock_until(self.owner, self.tag, self.mode, self.until);
            return;
        }
        state.waiting.remove(&self.owner);
        if let Some(lock) = state.locks.get_mut(&self.tag) {
            lock.queue.retain(|w| !Arc::ptr_eq(&w.cell, &self.cell));
        }
        self.manager.wake_waiters(&mut state, self.tag);
    }
}
