//! Clients that have not logged in yet. There are only so many of them: the one that has been there longest makes room for
//! the next, so whoever knows what to say gets in, however many others say nothing.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;

/// At least so many are there at once.
const LEAST: usize = 256;

pub struct Lobby {
    places: usize,
    waiting: Mutex<Waiting>,
}

/// Places in the lobby that there ought to be: twice as many as sessions, as in PostgreSQL, or some more.
pub fn wanted(max_connections: usize) -> usize {
    LEAST.max(2 * max_connections)
}

#[derive(Default)]
struct Waiting {
    next: u64,
    /// In the order in which they came.
    guests: VecDeque<(u64, Arc<Notify>)>,
}

/// A place in the lobby, while it lives.
pub struct Guest<'a> {
    lobby: &'a Lobby,
    number: u64,
    sent_away: Arc<Notify>,
}

impl Lobby {
    pub fn new(places: usize) -> Lobby {
        Lobby { places, waiting: Mutex::default() }
    }

    /// Takes a place.
    pub fn enter(&self) -> Guest<'_> {
        let mut waiting = self.waiting.lock();
        while waiting.guests.len() >= self.places {
            let (_, oldest) = waiting.guests.pop_front().expect("there is one");
            oldest.notify_one();
        }
        let (number, sent_away) = (waiting.next, Arc::new(Notify::new()));
        waiting.next += 1;
        waiting.guests.push_back((number, sent_away.clone()));
        Guest { lobby: self, number, sent_away }
    }
}

impl Guest<'_> {
    /// Resolves when others need the place.
    pub async fn sent_away(&self) {
        self.sent_away.notified().await;
    }
}

impl Drop for Guest<'_> {
    fn drop(&mut self) {
        let mut waiting = self.lobby.waiting.lock();
        if let Ok(at) = waiting.guests.binary_search_by_key(&self.number, |guest| guest.0) {
            waiting.guests.remove(at);
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
        let lobby = Lobby::new(LEAST);
        let first = lobby.enter();
        let second = lobby.enter();
        let others: Vec<_> = (2..LEAST).map(|_| lobby.enter()).collect();
        assert!(first.sent_away().now_or_never().is_none());
        let last = lobby.enter();
        assert!(first.sent_away().now_or_never().is_some());
        assert!(second.sent_away().now_or_never().is_none());
        drop((first, others, second));
        assert_eq!(lobby.waiting.lock().guests.len(), 1);
        drop(last);
        assert!(lobby.waiting.lock().guests.is_empty());
    }
}
