//! Transactions in progress, and snapshots.
//!
//! # Invariants
//! * An id is in progress from [`Transactions::begin`] until [`Transactions::end`]. A transaction that fails ends only
//!   after everything it changed has been put back, so an id below the next one that is not in progress is an id whose
//!   changes count: nobody has to remember the failures.
//! * The log record of a commit is durable (or, with `synchronous_commit = off`, inserted) before `end` is called.
//! * [`Transactions::horizon`] never passes a transaction that a living snapshot does not see.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use parking_lot::{Mutex, RwLock};

use crate::locks::Owner;

pub type Xid = u64;

/// No transaction: rows visible to everybody.
pub const FROZEN: Xid = 0;
/// The first id that is given out; PostgreSQL's first normal one.
pub const FIRST_XID: Xid = 3;

/// Where an undo record is: block and byte offset. Zero is nowhere: every page begins with a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UndoPtr(pub u64);

impl UndoPtr {
    pub const NONE: UndoPtr = UndoPtr(0);

    pub fn new(block: u32, offset: u16) -> UndoPtr {
        UndoPtr(u64::from(block) << 16 | u64::from(offset))
    }

    pub fn block(self) -> u32 {
        (self.0 >> 16) as u32
    }

    pub fn offset(self) -> usize {
        (self.0 & 0xffff) as usize
    }
}

/// A transaction that has an id.
#[derive(Debug)]
pub struct Transaction {
    pub xid: Xid,
    /// Who holds its locks.
    pub owner: Owner,
    /// Its latest undo record. Changed only while the log record of the same change is inserted, so that a checkpoint
    /// sees the one that belongs to its redo position.
    undo: AtomicU64,
}

impl Transaction {
    pub fn undo(&self) -> UndoPtr {
        UndoPtr(self.undo.load(Ordering::Acquire))
    }

    pub fn set_undo(&self, undo: UndoPtr) {
        self.undo.store(undo.0, Ordering::Release);
    }
}

#[derive(Debug)]
struct State {
    next: Xid,
    active: BTreeMap<Xid, Arc<Transaction>>,
    /// What a snapshot sees, for as long as neither of the two changes.
    seen: OnceLock<Arc<Seen>>,
}

/// How many snapshots are alive, by their oldest transaction in progress.
type Alive = Mutex<BTreeMap<Xid, u32>>;

/// All transactions of a server.
#[derive(Debug)]
pub struct Transactions {
    state: RwLock<State>,
    snapshots: Arc<Alive>,
    owners: AtomicU64,
}

impl Transactions {
    /// Goes on from a checkpoint and the log behind it.
    pub fn new(next: Xid) -> Transactions {
        let state = State { next: next.max(FIRST_XID), active: BTreeMap::new(), seen: OnceLock::new() };
        Transactions { state: RwLock::new(state), snapshots: Arc::default(), owners: AtomicU64::new(1) }
    }

    /// A new lock owner: PostgreSQL's virtual transaction id.
    pub fn new_owner(&self) -> Owner {
        self.owners.fetch_add(1, Ordering::Relaxed)
    }

    /// The id of an owner's transaction, if it has one.
    pub fn id_of(&self, owner: Owner) -> Option<Xid> {
        self.state.read().active.values().find(|transaction| transaction.owner == owner).map(|found| found.xid)
    }

    pub fn begin(&self, owner: Owner) -> Arc<Transaction> {
        let mut state = self.state.write();
        let xid = state.next;
        state.next += 1;
        state.seen.take();
        let transaction = Arc::new(Transaction { xid, owner, undo: AtomicU64::new(0) });
        state.active.insert(xid, transaction.clone());
        transaction
    }

    /// Puts a transaction that recovery found unfinished back in progress, to be rolled back.
    pub fn resume(&self, xid: Xid, undo: UndoPtr) -> Arc<Transaction> {
        let transaction = Arc::new(Transaction { xid, owner: self.new_owner(), undo: AtomicU64::new(undo.0) });
        let mut state = self.state.write();
        assert!(xid < state.next, "recovery has seen every id");
        state.seen.take();
        state.active.insert(xid, transaction.clone());
        transaction
    }

    /// The transaction has committed, or everything it did was undone.
    pub fn end(&self, xid: Xid) {
        let mut state = self.state.write();
        state.seen.take();
        let was_active = state.active.remove(&xid);
        debug_assert!(was_active.is_some(), "transaction {xid} is not in progress");
    }

    /// How many transactions have an id and have not ended.
    pub fn in_progress(&self) -> usize {
        self.state.read().active.len()
    }

    /// The transaction, if it is in progress.
    pub fn active(&self, xid: Xid) -> Option<Arc<Transaction>> {
        self.state.read().active.get(&xid).cloned()
    }

    /// What a statement that starts now sees. `own` is its transaction, if it has an id; of that one's changes it sees
    /// those of commands before `command`.
    pub fn snapshot(&self, own: Option<Xid>, command: u32) -> Snapshot {
        let state = self.state.read();
        let seen = state.seen.get_or_init(|| {
            let oldest = state.active.first_key_value().map_or(state.next, |(&x, _)| x);
            // Registered under the lock: the horizon cannot pass in between.
            *self.snapshots.lock().entry(oldest).or_default() += 1;
            let active = state.active.keys().copied().collect();
            Arc::new(Seen { next: state.next, oldest, active, alive: Some(self.snapshots.clone()) })
        });
        Snapshot { seen: seen.clone(), own, command }
    }

    /// Changes of transactions before this one are seen by every snapshot, alive or to come: what they replaced is
    /// of no use any more.
    pub fn horizon(&self) -> Xid {
        let state = self.state.read();
        let oldest = state.active.first_key_value().map_or(state.next, |(&x, _)| x);
        self.snapshots.lock().first_key_value().map_or(oldest, |(&x, _)| x.min(oldest))
    }

    /// What a checkpoint must remember: the next id, and the transactions to be undone after a crash.
    pub fn for_checkpoint(&self) -> (Xid, Vec<(Xid, UndoPtr)>) {
        let state = self.state.read();
        (state.next, state.active.values().map(|t| (t.xid, t.undo())).collect())
    }
}

#[derive(Debug)]
struct Seen {
    next: Xid,
    /// The oldest transaction that was in progress.
    oldest: Xid,
    active: Box<[Xid]>,
    /// Where the snapshot is registered.
    alive: Option<Arc<Alive>>,
}

impl Drop for Seen {
    fn drop(&mut self) {
        let Some(alive) = &self.alive else { return };
        let mut alive = alive.lock();
        let count = alive.get_mut(&self.oldest).expect("a living snapshot is registered");
        *count -= 1;
        if *count == 0 {
            alive.remove(&self.oldest);
        }
    }
}

/// Decides which transactions' changes a statement sees. Holds up the horizon while it lives.
#[derive(Clone, Debug)]
pub struct Snapshot {
    seen: Arc<Seen>,
    own: Option<Xid>,
    command: u32,
}

impl Snapshot {
    /// Sees what is frozen and nothing else; holds up nothing.
    pub fn empty() -> Snapshot {
        Snapshot { seen: Arc::new(Seen { next: 0, oldest: 0, active: [].into(), alive: None }), own: None, command: 0 }
    }

    /// The same snapshot for a later command of a transaction, which has an id by now or not.
    pub fn own(&self, own: Option<Xid>, command: u32) -> Snapshot {
        Snapshot { seen: self.seen.clone(), own, command }
    }

    /// Does it see what `command` of `xid` did: had `xid` committed before, or is it the snapshot's own and the command
    /// an earlier one?
    #[inline]
    pub fn sees(&self, xid: Xid, command: u32) -> bool {
        if Some(xid) == self.own {
            return command < self.command;
        }
        self.is_past(xid) || (xid < self.seen.next && self.seen.active.binary_search(&xid).is_err())
    }

    /// Had every transaction up to this one ended before? What it did is seen by all snapshots that are younger than this one.
    #[inline]
    pub fn is_past(&self, xid: Xid) -> bool {
        xid < self.seen.oldest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_see_what_had_committed_and_their_own_earlier_commands() {
        let txns = Transactions::new(0);
        let (a, b) = (txns.begin(1).xid, txns.begin(2).xid);
        let before = txns.snapshot(Some(b), 1);
        txns.end(a);
        let after = txns.snapshot(None, 0);
        assert!(!before.sees(a, 0) && before.sees(b, 0) && !before.sees(b, 1));
        assert!(after.sees(a, 0) && !after.sees(b, 0));
        assert!(after.sees(FROZEN, 0) && before.sees(1, 0));
        assert!(!before.sees(b + 10, 0), "the future");
        assert!(before.own(None, 0).sees(FROZEN, 0) && !before.own(None, 0).sees(a, 0));
    }

    #[test]
    fn the_horizon_waits_for_transactions_and_snapshots() {
        let txns = Transactions::new(10);
        let a = txns.begin(1).xid;
        assert_eq!(txns.horizon(), a);
        let snapshot = txns.snapshot(None, 0);
        txns.end(a);
        let b = txns.begin(2).xid;
        assert_eq!(txns.horizon(), a, "the snapshot does not see it");
        let copy = snapshot.clone();
        drop(snapshot);
        assert_eq!(txns.horizon(), a);
        drop(copy);
        assert_eq!(txns.horizon(), b);
        txns.end(b);
        assert_eq!(txns.horizon(), b + 1);
    }

    #[test]
    fn a_checkpoint_knows_what_is_to_be_undone() {
        let txns = Transactions::new(10);
        let a = txns.begin(1);
        a.set_undo(UndoPtr::new(7, 99));
        assert_eq!(txns.for_checkpoint(), (11, vec![(10, UndoPtr::new(7, 99))]));
        assert_eq!((a.undo().block(), a.undo().offset()), (7, 99));
    }
}
