//! The session's transaction, as several statements of it may use it in turn: portals are open side by side, and the nodes
//! of one statement write in turn.

use std::sync::Arc;

use engine::Transaction;
use tokio::sync::{Mutex, MutexGuard};

/// The session's place for the transaction: it is lent to the statements here while they run, and taken back to be ended, or
/// for the node that needs it alone.
#[derive(Clone, Default)]
pub struct SharedTransaction(Arc<Mutex<Option<Box<Transaction>>>>);

/// The transaction while one of them uses it.
pub struct Guard<'a> {
    place: MutexGuard<'a, Option<Box<Transaction>>>,
    /// What it writes is counted.
    watched: bool,
}

impl SharedTransaction {
    /// Gives it to the statements. None of them runs now.
    pub fn lend(&self, transaction: Box<Transaction>) {
        let mut place = self.0.try_lock().expect("no statement runs");
        assert!(place.is_none(), "a session has one transaction");
        *place = Some(transaction);
    }

    /// Takes it back, if it is here. No statement runs now.
    pub fn reclaim(&self) -> Option<Box<Transaction>> {
        self.0.try_lock().expect("no statement runs").take()
    }

    /// Asks it something. `None`: it is not here, or a statement holds it.
    pub fn with<T>(&self, ask: impl FnOnce(&mut Transaction) -> T) -> Option<T> {
        self.0.try_lock().ok()?.as_deref_mut().map(ask)
    }

    /// Waits until no other node uses it, which is never long: one that waits for another transaction with it in the hand is
    /// the one that runs.
    pub async fn lock(&self) -> Guard<'_> {
        Guard { place: self.0.lock().await, watched: false }
    }

    /// The same for a node that is watched, whose session counts what is written.
    pub async fn lock_watched(&self, io: &aio::Session) -> Guard<'_> {
        let mut guard = Guard { place: self.0.lock().await, watched: true };
        guard.watch(Some(io));
        guard
    }
}

impl std::ops::Deref for Guard<'_> {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        self.place.as_ref().expect("a statement ends before its transaction")
    }
}

impl std::ops::DerefMut for Guard<'_> {
    fn deref_mut(&mut self) -> &mut Transaction {
        self.place.as_mut().expect("a statement ends before its transaction")
    }
}

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if self.watched {
            self.watch(None);
        }
    }
}
