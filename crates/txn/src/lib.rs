//! Transaction ids, their fate, and snapshots. Ids are 64 bits: they never wrap, and nothing ever has to be frozen for
//! the sake of the counter.
//!
//! # Invariants
//! * An id is in progress from [`Transactions::begin`] until [`Transactions::commit`] or [`Transactions::abort`]; an id
//!   below the next one that is neither in progress nor aborted has committed. So only the failures are remembered.
//! * The log record of a commit is durable (or, with `synchronous_commit = off`, inserted) before `commit` is called.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::RwLock;

pub type Xid = u64;

/// No transaction: rows visible to everybody.
pub const FROZEN: Xid = 0;
/// The first id that is given out; PostgreSQL's first normal one.
pub const FIRST_XID: Xid = 3;

#[derive(Debug)]
struct State {
    next: Xid,
    active: BTreeSet<Xid>,
    /// Shared with snapshots; copied when a transaction aborts while one is held.
    aborted: Arc<BTreeSet<Xid>>,
}

/// All transactions of a server.
#[derive(Debug)]
pub struct Transactions {
    state: RwLock<State>,
}

impl Transactions {
    /// Goes on from a checkpoint and the log behind it.
    pub fn new(next: Xid, aborted: BTreeSet<Xid>) -> Transactions {
        let next = next.max(FIRST_XID);
        Transactions { state: RwLock::new(State { next, active: BTreeSet::new(), aborted: Arc::new(aborted) }) }
    }

    pub fn begin(&self) -> Xid {
        let mut state = self.state.write();
        let xid = state.next;
        state.next += 1;
        state.active.insert(xid);
        xid
    }

    pub fn commit(&self, xid: Xid) {
        let was_active = self.state.write().active.remove(&xid);
        debug_assert!(was_active, "transaction {xid} is not in progress");
    }

    pub fn abort(&self, xid: Xid) {
        let mut state = self.state.write();
        let was_active = state.active.remove(&xid);
        debug_assert!(was_active, "transaction {xid} is not in progress");
        Arc::make_mut(&mut state.aborted).insert(xid);
    }

    pub fn is_active(&self, xid: Xid) -> bool {
        self.state.read().active.contains(&xid)
    }

    /// What a statement that starts now sees; `own` is its transaction, if it has an id.
    pub fn snapshot(&self, own: Option<Xid>) -> Snapshot {
        let state = self.state.read();
        Snapshot {
            next: state.next,
            oldest_active: state.active.first().copied().unwrap_or(state.next),
            active: state.active.iter().copied().filter(|&x| Some(x) != own).collect(),
            aborted: state.aborted.clone(),
            own,
        }
    }

    /// What a checkpoint must remember: the next id, and the ids that must not count as committed after a crash.
    pub fn for_checkpoint(&self) -> (Xid, Vec<Xid>) {
        let state = self.state.read();
        (state.next, state.aborted.iter().chain(&state.active).copied().collect())
    }
}

/// Decides which transactions' rows a statement sees.
#[derive(Clone, Debug)]
pub struct Snapshot {
    next: Xid,
    oldest_active: Xid,
    active: Arc<[Xid]>,
    aborted: Arc<BTreeSet<Xid>>,
    own: Option<Xid>,
}

impl Snapshot {
    /// The same snapshot for a transaction that has an id by now.
    pub fn own(&self, own: Option<Xid>) -> Snapshot {
        Snapshot { own, ..self.clone() }
    }

    /// Did `xid` commit before the snapshot, or is it the snapshot's own?
    pub fn sees(&self, xid: Xid) -> bool {
        if xid < self.oldest_active && self.aborted.is_empty() {
            return true;
        }
        if Some(xid) == self.own || xid == FROZEN {
            return true;
        }
        xid < self.next && self.active.binary_search(&xid).is_err() && !self.aborted.contains(&xid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn snapshots_see_what_had_committed_and_their_own() {
        let txns = Transactions::new(0, BTreeSet::from([2]));
        let (a, b) = (txns.begin(), txns.begin());
        let before = txns.snapshot(Some(b));
        txns.commit(a);
        let c = txns.begin();
        txns.abort(c);
        let after = txns.snapshot(None);
        assert!(!before.sees(a) && before.sees(b) && !before.sees(c));
        assert!(after.sees(a) && !after.sees(b) && !after.sees(c));
        assert!(!after.sees(2), "aborted before the restart");
        assert!(after.sees(FROZEN) && before.sees(1));
        assert!(!before.sees(c + 10), "the future");
    }

    #[test]
    fn what_was_in_progress_at_a_crash_did_not_commit() {
        let txns = Transactions::new(10, BTreeSet::new());
        let (a, b) = (txns.begin(), txns.begin());
        txns.commit(a);
        let (next, failed) = txns.for_checkpoint();
        let restarted = Transactions::new(next, failed.into_iter().collect());
        let snapshot = restarted.snapshot(None);
        assert!(snapshot.sees(a) && !snapshot.sees(b));
    }
}
