//! Clients that have not logged in yet. There are only so many of them: the one that has been there longest makes room for
//! the next, so a client that knows what to say gets in, however many others say nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// At least so many are there at once.
const LEAST: usize = 256;

pub struct PendingConnections {
    places: usize,
    waiting: Mutex<Waiting>,
}

/// Places that there ought to be: twice as many as sessions, as in PostgreSQL, or some more.
pub fn wanted(max_connections: usize) -> usize {
    LEAST.max(2 * max_connections)
}

#[derive(Default)]
struct Waiting {
    next: u64,
    /// In the order in which they came.
    pending: VecDeque<(u64, Arc<Notify>)>,
}

/// A place among them, while it lives.
pub struct PendingConnection<'a> {
    pending_connections: &'a PendingConnections,
    number: u64,
    sent_away: Arc<Notify>,
}

impl PendingConnections {
    pub fn new(places: usize) -> PendingConnections {
        PendingConnections { places, waiting: Mutex::default() }
    }

    /// Takes a place.
    pub fn enter(&self) -> PendingConnection<'_> {
        let mut waiting = self.waiting.lock();
        while waiting.pending.len() >= self.places {
            let (_, oldest) = waiting.pending.pop_front().expect("there is one");
            oldest.notify_one();
        }
        let (number, sent_away) = (waiting.next, Arc::new(Notify::new()));
        waiting.next += 1;
        waiting.pending.push_back((number, sent_away.clone()));
        PendingConnection { pending_connections: self, number, sent_away }
    }
}

impl PendingConnection<'_> {
    /// Resolves when others need the place.
    pub async fn sent_away(&self) {
        self.sent_away.notified().await;
    }
}

impl Drop for PendingConnection<'_> {
    fn drop(&mut self) {
        let mut waiting = self.pending_connections.waiting.lock();
        if let Ok(at) = waiting.pending.binary_search_by_key(&self.number, |pending| pending.0) {
            waiting.pending.remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[test]
    fn the_oldest_makes_room() {
        assert_eq!((wanted(1), wanted(1000)), (LEAST, 2000));
        let pending_connections = PendingConnections::new(LEAST);
        let first = pending_connections.enter();
        let second = pending_connections.enter();
        let others: Vec<_> = (2..LEAST).map(|_| pending_connections.enter()).collect();
        assert!(first.sent_away().now_or_never().is_none());
        let last = pending_connections.enter();
        assert!(first.sent_away().now_or_never().is_some());
        assert!(second.sent_away().now_or_never().is_none());
        drop((first, others, second));
        assert_eq!(pending_connections.waiting.lock().pending.len(), 1);
        drop(last);
        assert!(pending_connections.waiting.lock().pending.is_empty());
    }
}
