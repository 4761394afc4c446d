//! The lock manager: PostgreSQL's eight modes and their conflicts (`lock.c`), first come first served.
//!
//! Rows that were changed are not in here: the row itself says who changed it, and a transaction that wants it waits for that
//! transaction ([`LockTag::Transaction`]). Only rows locked by `SELECT … FOR UPDATE` and its sisters ([`LockTag::Row`]), and
//! the queues of those who wait for a row ([`LockTag::Tuple`]), take memory here; how much is bounded. The two are apart,
//! because a transaction that has changed or locked a row may go on with it while others queue. Weak locks of tables mostly pass this
//! table by (`owned.rs`).
//!
//! # Invariants
//! * A request is granted when it conflicts with no owner that holds or waited before; one that holds the thing in some
//!   mode already does not queue behind others.
//! * A request that would wait for its own owner, through any number of others, fails at once with a deadlock: waiting
//!   graphs have no cycle.
//! * Nothing here blocks a thread: waiting is a future, and giving it up (dropping it) leaves the queue.

mod deadlock;
mod mode;
mod owned;
mod queue;
mod release;
mod table;
mod tag;
mod view;
mod wait;

use std::sync::atomic::{AtomicUsize, Ordering};

use aio::lwlock::Mutex;

use self::owned::OwnedLocks;
use self::queue::{Lock, Waiter};
use self::table::LockTable;
use crate::id::{Owner, Xid};

pub use self::mode::LockMode;
pub use self::tag::{LockTag, Until};
pub use self::view::LockView;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Who would wait for whom, first the one who asked: process numbers are the caller's to find.
    #[error("deadlock detected")]
    Deadlock(Vec<(Owner, LockTag, LockMode)>),
    /// Too many row locks are held.
    #[error("out of shared memory")]
    TooMany,
}

/// All locks of a server.
#[derive(Debug)]
pub struct LockManager {
    state: Mutex<LockTable>,
    /// Until the transaction ends.
    owned: OwnedLocks,
    /// Ends of transactions with an entry: while there are none, no owner has to be woken.
    ends: AtomicUsize,
    /// Rows with an entry: while there are none, the table need not be looked at.
    rows: AtomicUsize,
    /// Owners with locks beyond their transaction: while there are none, the table need not be looked at.
    keepers: AtomicUsize,
    limit: usize,
}

impl LockManager {
    /// `limit` bounds the locks held at once, all owners together.
    pub fn new(limit: usize) -> LockManager {
        let zero = || AtomicUsize::new(0);
        LockManager {
            state: Mutex::default(),
            owned: OwnedLocks::new(),
            ends: zero(),
            rows: zero(),
            keepers: zero(),
            limit,
        }
    }

    /// Takes a lock if that needs no waiting.
    pub fn try_lock(&self, owner: Owner, tag: LockTag, mode: LockMode) -> Result<bool, LockError> {
        self.try_lock_until(owner, tag, mode, Until::TransactionEnd)
    }

    /// As [`LockManager::try_lock`], and says how long it is held.
    pub fn try_lock_until(&self, owner: Owner, tag: LockTag, mode: LockMode, until: Until) -> Result<bool, LockError> {
        if self.take_fast(owner, tag, mode, until) {
            return Ok(true);
        }
        let mut state = self.state.lock();
        let _strong = self.expect(&mut state, tag, mode);
        self.take(&mut state, owner, tag, mode, until)
    }

    fn take_fast(&self, owner: Owner, tag: LockTag, mode: LockMode, until: Until) -> bool {
        let is_relation = matches!(tag, LockTag::Relation { .. });
        is_relation && until == Until::TransactionEnd && self.owned.take(owner, tag, mode)
    }

    /// An owner that wants a strong lock of a table has all locks of it in the lock table, and keeps new ones there while the result
    /// lives. From then on the lock's own entry counts.
    fn expect(&self, state: &mut LockTable, tag: LockTag, mode: LockMode) -> Option<Strong<'_>> {
        if !matches!(tag, LockTag::Relation { .. }) || !mode.is_strong() {
            return None;
        }
        self.owned.count_strong(tag);
        self.transfer(state, tag);
        Some(Strong { owned: &self.owned, tag })
    }

    /// Brings the fast locks of a table to the lock table.
    fn transfer(&self, state: &mut LockTable, tag: LockTag) {
        self.owned.transfer(tag, |owner, mode| state.locks.entry(tag).or_default().add(owner, mode));
    }

    /// Has it counted whether there is a strong lock among these: to be called after each change of a table's entry.
    fn note_strength(&self, tag: LockTag, lock: &mut Lock) {
        if !matches!(tag, LockTag::Relation { .. }) || lock.strong == lock.is_strong() {
            return;
        }
        lock.strong = !lock.strong;
        if lock.strong { self.owned.count_strong(tag) } else { self.owned.forget_strong(tag) }
    }

    fn take(
        &self,
        state: &mut LockTable,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        until: Until,
    ) -> Result<bool, LockError> {
        if let Some(lock) = state.locks.get_mut(&tag) {
            // What an owner has already takes no more memory when it is taken again, as in `OwnedLocks::take`, which does
            // not look through long lists. Places in queues are given back one by one.
            let kept = state.kept.get_mut(&owner).and_then(|kept| kept.get_mut(&(tag, mode)));
            let by_transaction = lock.times(owner, mode) > u32::from(kept.is_some());
            match (until, kept) {
                (Until::SessionEnd, Some(times)) => {
                    *times += 1;
                    return Ok(true);
                }
                (Until::TransactionEnd, _) if by_transaction && !matches!(tag, LockTag::Tuple { .. }) => {
                    return Ok(true);
                }
                _ => {}
            }
            // An owner that waits for a row's holders keeps none from joining them.
            let joins = lock.holds(owner) || matches!(tag, LockTag::Row { .. }) && lock.is_held();
            let queued = || lock.queue.iter().any(|w| w.owner != owner && w.mode.conflicts_with(mode));
            if lock.is_held_against(owner, mode) || !joins && queued() {
                return Ok(false);
            }
            lock.add(owner, mode);
            self.note_strength(tag, lock);
        } else {
            if state.locks.len() >= self.limit {
                return Err(LockError::TooMany);
            }
            let mut lock = Lock::default();
            lock.add(owner, mode);
            self.note_strength(tag, &mut lock);
            state.locks.insert(tag, lock);
            self.count(&tag, 1);
        }
        self.note(state, owner, (tag, mode), until);
        Ok(true)
    }

    fn note(&self, state: &mut LockTable, owner: Owner, (tag, mode): (LockTag, LockMode), until: Until) {
        match until {
            Until::TransactionEnd => self.owned.push(owner, tag, mode),
            Until::SessionEnd => {
                let kept = state.kept.entry(owner).or_default();
                if kept.is_empty() {
                    self.keepers.fetch_add(1, Ordering::AcqRel);
                }
                let before = kept.insert((tag, mode), 1);
                debug_assert!(before.is_none(), "taking it again is counted");
            }
        }
    }

    /// An entry of the lock table has come or gone.
    fn count(&self, tag: &LockTag, change: isize) {
        let counter = match tag {
            LockTag::Row { .. } | LockTag::Tuple { .. } => &self.rows,
            LockTag::Transaction(_) | LockTag::VirtualTransaction(_) => &self.ends,
            _ => return,
        };
        counter.fetch_add(change as usize, Ordering::AcqRel);
    }

    /// Wakes those who wait for the end of `xid`, to look again. The session that ends it has taken it out of the transactions in
    /// progress before, under the lock under which others ask if it is: an owner that saw it there had been counted. The count of rollbacks
    /// to savepoints and `ends` are in one order (SeqCst).
    pub fn transaction_ended(&self, xid: Xid) {
        if self.ends.load(Ordering::SeqCst) > 0 {
            self.end(&mut self.state.lock(), LockTag::Transaction(xid));
        }
    }

    /// Wakes those who wait for the end of a transaction.
    fn end(&self, state: &mut LockTable, tag: LockTag) {
        let Some(mut lock) = state.locks.remove(&tag) else { return };
        self.count(&tag, -1);
        for waiter in lock.queue.drain(..) {
            state.waiting.remove(&waiter.owner);
            waiter.cell.grant();
        }
    }

    fn release(&self, state: &mut LockTable, owner: Owner, tag: LockTag, mode: LockMode) {
        let Some(lock) = state.locks.get_mut(&tag) else { return };
        lock.remove(owner, mode);
        self.wake_waiters(state, tag);
    }

    /// Grants what has become possible on `tag`, and forgets it when no owner is left.
    fn wake_waiters(&self, state: &mut LockTable, tag: LockTag) {
        let Some(lock) = state.locks.get_mut(&tag) else { return };
        let granted = lock.grant_waiters();
        self.note_strength(tag, lock);
        // The end of a transaction has an entry only for those who wait.
        let needed =
            !lock.granted.is_empty() && !matches!(tag, LockTag::Transaction(_) | LockTag::VirtualTransaction(_));
        if !needed && lock.queue.is_empty() {
            state.locks.remove(&tag);
            self.count(&tag, -1);
        }
        for Waiter { owner, mode, until, cell } in granted {
            state.waiting.remove(&owner);
            self.note(state, owner, (tag, mode), until);
            // Not before: the owner may give back at once what it has.
            cell.grant();
        }
    }
}

/// Counts a strong lock that is being asked for.
struct Strong<'a> {
    owned: &'a OwnedLocks,
    tag: LockTag,
}

impl Drop for Strong<'_> {
    fn drop(&mut self) {
        self.owned.forget_strong(self.tag);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::future::Future;
    use std::pin::Pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    const TABLE: LockTag = LockTag::Relation { database: 1, oid: 2 };
    const OTHER: LockTag = LockTag::Relation { database: 1, oid: 3 };

    fn poll<F: Future>(future: &mut Pin<Box<F>>) -> Poll<F::Output> {
        future.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }

    #[test]
    fn the_conflicts_are_symmetric_and_postgresqls() {
        let text: Vec<String> = LockMode::ALL
            .iter()
            .map(|a| LockMode::ALL.iter().map(|b| if a.conflicts_with(*b) { 'x' } else { '.' }).collect())
            .collect();
        assert_eq!(
            text,
            ["......" /* ACCESS SHARE */, "......", "....xx", "...xxx", "..xx.x", "..xxxx", ".xxxxx", "xxxxxx"]
                .iter()
                .zip([".x", "xx", "xx", "xx", "xx", "xx", "xx", "xx"])
                .map(|(a, b)| format!("{a}{b}"))
                .collect::<Vec<_>>()
        );
        for a in LockMode::ALL {
            for b in LockMode::ALL {
                assert_eq!(a.conflicts_with(b), b.conflicts_with(a));
            }
        }
    }

    #[test]
    fn waiters_are_served_in_order_and_leave_when_dropped() {
        let locks = LockManager::new(100);
        assert!(locks.try_lock(1, TABLE, LockMode::AccessShare).unwrap());
        let mut exclusive = Box::pin(locks.lock(2, TABLE, LockMode::AccessExclusive));
        assert!(poll(&mut exclusive).is_pending());
        // Behind the one who waits, although it would be compatible with the holder.
        let mut share = Box::pin(locks.lock(3, TABLE, LockMode::AccessShare));
        assert!(poll(&mut share).is_pending());
        assert!(locks.try_lock(1, TABLE, LockMode::AccessShare).unwrap(), "who holds it does not queue");
        drop(exclusive);
        assert!(poll(&mut share).is_ready());
        locks.release_all(1, || {});
        locks.release_all(3, || {});
        assert!(locks.list().is_empty() && locks.owned.is_empty());
    }

    #[test]
    fn a_session_keeps_locks_beyond_its_transactions() {
        let locks = LockManager::new(100);
        let tag = LockTag::Advisory { database: 1, key: 7, pair: false };
        assert!(locks.try_lock_until(1, tag, LockMode::Exclusive, Until::SessionEnd).unwrap());
        assert!(locks.try_lock(1, tag, LockMode::Exclusive).unwrap(), "one's own");
        locks.release_all(1, || {});
        assert!(locks.keeps(1) && !locks.try_lock(2, tag, LockMode::Share).unwrap());
        assert!(!locks.unlock(1, tag, LockMode::Exclusive), "the transaction's was given back");
        let mut second = Box::pin(locks.lock_until(2, tag, LockMode::Share, Until::SessionEnd));
        assert!(poll(&mut second).is_pending());
        assert!(locks.unlock_until(1, tag, LockMode::Exclusive, Until::SessionEnd));
        assert!(poll(&mut second).is_ready() && !locks.keeps(1) && locks.keeps(2));
        locks.release_kept(2);
        assert!(locks.list().is_empty() && locks.state.lock().kept.is_empty());
        assert_eq!(locks.keepers.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn a_granted_lock_that_was_not_taken_is_given_back() {
        let locks = LockManager::new(100);
        assert!(locks.try_lock(1, TABLE, LockMode::Exclusive).unwrap());
        let mut second = Box::pin(locks.lock(2, TABLE, LockMode::Exclusive));
        assert!(poll(&mut second).is_pending());
        locks.release_all(1, || {});
        drop(second);
        assert!(locks.list().is_empty());
    }

    #[test]
    fn a_table_locked_again_and_again_takes_no_more_memory() {
        let locks = LockManager::new(100);
        for _ in 0..1000 {
            assert!(locks.try_lock(1, TABLE, LockMode::RowExclusive).unwrap());
            assert!(locks.try_lock(1, TABLE, LockMode::AccessShare).unwrap());
        }
        assert_eq!(locks.held(1), 2);
        locks.release_all(1, || {});
        assert!(locks.list().is_empty());
    }

    #[test]
    fn locks_taken_again_and_again_are_counted() {
        let locks = LockManager::new(100);
        let key = LockTag::Advisory { database: 1, key: 7, pair: false };
        let row = LockTag::Row { database: 1, file: 2, block: 3, row: 4 };
        for _ in 0..1000 {
            assert!(locks.try_lock_until(1, key, LockMode::Exclusive, Until::SessionEnd).unwrap());
            assert!(locks.try_lock(1, key, LockMode::Exclusive).unwrap());
            assert!(locks.try_lock(1, row, LockMode::Exclusive).unwrap());
        }
        assert_eq!(locks.held(1), 2);
        locks.release_all(1, || {});
        for _ in 0..1000 {
            assert!(!locks.try_lock(2, key, LockMode::Exclusive).unwrap(), "not given back as often as it was taken");
            assert!(locks.unlock_until(1, key, LockMode::Exclusive, Until::SessionEnd));
        }
        assert!(!locks.unlock_until(1, key, LockMode::Exclusive, Until::SessionEnd));
        assert!(locks.list().is_empty() && !locks.keeps(1));
    }

    #[test]
    fn who_holds_a_thing_does_not_wait_for_those_who_queue_for_it() {
        let locks = LockManager::new(100);
        assert!(locks.try_lock(1, TABLE, LockMode::AccessShare).unwrap());
        assert!(locks.try_lock(2, TABLE, LockMode::Share).unwrap());
        let mut waits = Box::pin(locks.lock(3, TABLE, LockMode::AccessExclusive));
        assert!(poll(&mut waits).is_pending());
        let mut passes = Box::pin(locks.lock(1, TABLE, LockMode::RowExclusive));
        assert!(poll(&mut passes).is_pending(), "for the second owner alone: no deadlock");
        locks.release_all(2, || {});
        assert!(poll(&mut passes).is_ready() && poll(&mut waits).is_pending());
        locks.release_all(1, || {});
        assert!(poll(&mut waits).is_ready());
    }

    #[test]
    fn weak_locks_pass_by_the_table_until_a_strong_one_is_wanted() {
        let locks = LockManager::new(100);
        let fast = || locks.list().iter().map(|lock| lock.fast).collect::<Vec<_>>();
        assert!(locks.try_lock(1, TABLE, LockMode::RowExclusive).unwrap());
        assert!(locks.try_lock(1, OTHER, LockMode::AccessShare).unwrap());
        assert!(locks.try_lock(2, TABLE, LockMode::ShareUpdateExclusive).unwrap(), "VACUUM is in no owner's way");
        assert_eq!(fast().iter().filter(|fast| **fast).count(), 2);
        assert!(!locks.try_lock(3, TABLE, LockMode::Share).unwrap());
        assert_eq!(fast().iter().filter(|fast| **fast).count(), 1, "the other table's");
        assert!(locks.try_lock(4, TABLE, LockMode::AccessShare).unwrap(), "the attempt is over");
        let mut third = Box::pin(locks.lock(3, TABLE, LockMode::Share));
        assert!(poll(&mut third).is_pending());
        assert!(!locks.try_lock(5, TABLE, LockMode::RowExclusive).unwrap(), "behind the one who waits");
        let holders: HashSet<Owner> = locks.conflicts(3, TABLE, LockMode::Share).into_iter().collect();
        assert_eq!(holders, HashSet::from([1, 2]));
        // What the first has from before a savepoint stays, wherever it is written down.
        locks.release_after(1, 2);
        assert!(poll(&mut third).is_pending());
        [1, 2, 4].into_iter().for_each(|owner| locks.release_all(owner, || {}));
        assert!(poll(&mut third).is_ready());
        assert!(locks.try_lock(5, TABLE, LockMode::AccessShare).unwrap());
        [3, 5].into_iter().for_each(|owner| locks.release_all(owner, || {}));
        assert!(locks.list().is_empty() && locks.owned.is_empty());
    }

    #[test]
    fn readers_on_many_threads_never_meet_who_locks_them_out() {
        let locks = LockManager::new(100);
        // Readers add one, owners that lock them out a thousand.
        let inside = AtomicUsize::new(0);
        let owners = AtomicUsize::new(1);
        std::thread::scope(|scope| {
            for thread in 0..8 {
                let (locks, inside, owners) = (&locks, &inside, &owners);
                scope.spawn(move || {
                    let strong = thread % 4 == 0;
                    let (mode, weight) =
                        if strong { (LockMode::AccessExclusive, 1000) } else { (LockMode::AccessShare, 1) };
                    for _ in 0..500 {
                        let owner = owners.fetch_add(1, Ordering::Relaxed) as Owner;
                        let mut request = Box::pin(locks.lock(owner, TABLE, mode));
                        while poll(&mut request).is_pending() {
                            std::thread::yield_now();
                        }
                        let before = inside.fetch_add(weight, Ordering::AcqRel);
                        assert!(if strong { before == 0 } else { before < 1000 });
                        inside.fetch_sub(weight, Ordering::AcqRel);
                        locks.release_all(owner, || {});
                    }
                });
            }
        });
        assert!(locks.list().is_empty() && locks.owned.is_empty());
    }

    #[test]
    fn a_circle_is_refused_at_once() {
        let locks = LockManager::new(100);
        assert!(locks.try_lock(1, TABLE, LockMode::Exclusive).unwrap());
        assert!(locks.try_lock(2, OTHER, LockMode::Exclusive).unwrap());
        let mut first = Box::pin(locks.lock(1, OTHER, LockMode::Share));
        assert!(poll(&mut first).is_pending());
        let mut second = Box::pin(locks.lock(2, TABLE, LockMode::Share));
        let Poll::Ready(Err(LockError::Deadlock(cycle))) = poll(&mut second) else { panic!("no deadlock") };
        assert_eq!(cycle.iter().map(|c| c.0).collect::<Vec<_>>(), [2, 1]);
        locks.release_all(2, || {});
        assert!(poll(&mut first).is_ready());
    }

    #[test]
    fn the_end_of_a_transaction_wakes_all_and_closes_circles_too() {
        let locks = LockManager::new(100);
        let mut waits: Vec<_> = (2..5).map(|o| Box::pin(locks.wait_for_transaction(o, 77, 1, || true))).collect();
        assert!(waits.iter_mut().all(|w| poll(w).is_pending()));
        let mut back = Box::pin(locks.wait_for_transaction(1, 88, 2, || true));
        assert!(matches!(poll(&mut back), Poll::Ready(Err(LockError::Deadlock(_)))));
        locks.transaction_ended(77);
        assert!(waits.iter_mut().all(|w| poll(w).is_ready()));
        let mut late = Box::pin(locks.wait_for_transaction(2, 77, 1, || false));
        assert!(poll(&mut late).is_ready(), "it ended before");
        assert!(locks.list().is_empty());
    }

    #[test]
    fn row_locks_are_counted_and_bounded() {
        let locks = LockManager::new(2);
        let row = |row| LockTag::Row { database: 1, file: 2, block: 3, row };
        let queue = LockTag::Tuple { database: 1, file: 2, block: 3, row: 1 };
        let stands = |owner, queue, mode| locks.row_is_held_against(owner, row(1), queue, mode);
        assert!(!stands(2, Some(queue), LockMode::Exclusive));
        assert!(locks.try_lock(1, row(1), LockMode::RowShare).unwrap());
        assert!(stands(2, Some(queue), LockMode::Exclusive));
        assert!(!stands(2, Some(queue), LockMode::RowShare));
        assert!(!stands(1, Some(queue), LockMode::Exclusive), "one's own");
        assert!(locks.try_lock(3, queue, LockMode::Exclusive).unwrap());
        assert!(
            !stands(2, Some(queue), LockMode::RowShare),
            "an owner that waits for holders keeps none from joining them"
        );
        assert!(!stands(1, Some(queue), LockMode::Exclusive));
        assert!(locks.unlock(1, row(1), LockMode::RowShare));
        assert!(stands(2, Some(queue), LockMode::RowShare), "others were first");
        assert!(!stands(2, None, LockMode::RowShare));
        assert!(locks.unlock(3, queue, LockMode::Exclusive));
        assert!(locks.try_lock(1, row(1), LockMode::RowShare).unwrap());
        let keep = locks.held(1);
        assert!(locks.try_lock(1, row(2), LockMode::RowShare).unwrap());
        assert_eq!(locks.try_lock(1, row(3), LockMode::RowShare), Err(LockError::TooMany));
        locks.release_after(1, keep);
        assert_eq!(locks.list().len(), 1);
        locks.release_all(1, || {});
        assert_eq!(locks.rows.load(Ordering::Relaxed), 0);
    }
}
