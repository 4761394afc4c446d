//! The session's transaction, as several statements of it may use it in turn: portals are open side by side, and the nodes
//! of one statement write in turn.

use std::sync::Arc;

use engine::Transaction;
use tokio::sync::{Mutex, MutexGuard};

/// The transaction; the session takes it out to end it.
#[derive(Clone)]
pub struct SharedTransaction(Arc<Mutex<Option<Transaction>>>);

/// The transaction while one of them uses it.
pub struct Guard<'a>(MutexGuard<'a, Option<Transaction>>);

impl SharedTransaction {
    pub fn new(transaction: Transaction) -> SharedTransaction {
        SharedTransaction(Arc::new(Mutex::new(Some(transaction))))
    }

    /// Waits until nobody else uses it, which is never long: whoever waits for another transaction with it in the hand is
    /// the one that runs.
    pub async fn lock(&self) -> Guard<'_> {
        Guard(self.0.lock().await)
    }

    /// For its end. `None`: it has been taken before.
    pub async fn take(&self) -> Option<Transaction> {
        self.0.lock().await.take()
    }
}

impl std::ops::Deref for Guard<'_> {
    type Target = Transaction;

    fn deref(&self) -> &Transaction {
        self.0.as_ref().expect("a statement ends before its transaction")
    }
}

impl std::ops::DerefMut for Guard<'_> {
    fn deref_mut(&mut self) -> &mut Transaction {
        self.0.as_mut().expect("a statement ends before its transaction")
    }
}
