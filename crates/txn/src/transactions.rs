//! Transactions in progress, and snapshots.
//!
//! # Invariants
//! * An id is in progress from [`Transactions::begin`] until [`Transactions::end`]. A transaction that fails ends only
//!   after everything it changed has been put back, so an id below the next one that is not in progress is an id whose
//!   changes count: the failures need not be remembered.
//! * The log record of a commit is inserted before `end` or [`Transactions::precommit`] is called. After `precommit` it need
//!   not be durable: the transaction gives its locks back early (early lock release, as in Aether, VLDB 2010). A session that sees or
//!   overwrites what it did comes to depend on it ([`CommitDependency`]) and tells no client before the record is durable. One that
//!   writes depends on it anyway: its own commit record is behind it in the log.
//! * A transaction that only reads need not depend on others: [`Transactions::durable_snapshot`] sees those whose records are durable, which is
//!   what all saw at a moment a little before. That is so while no session has a sign that others have come further. Changed rows
//!   are none: a session that finds them depends on the one that has changed them. What else may be one is told of by [`Transactions::all_must_see`]: a
//!   lock that is given back early or taken, a change of the catalog, and a client that is told anything before what its session
//!   depends on is durable.
//! * [`Transactions::horizon`] never passes a transaction that a living snapshot does not see, nor one whose commit record is
//!   not durable: what is past the horizon can be looked at without coming to depend on others.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use aio::lwlock::{Mutex, RwLock};

use crate::id::{FIRST_XID, Owner, UndoPtr, Xid};

/// A transaction that has an id.
#[derive(Debug, Default)]
pub struct Transaction {
    pub xid: Xid,
    /// The owner of its locks.
    pub owner: Owner,
    /// Its latest undo record. Changed only while the log record of the same change is inserted, so that a checkpoint
    /// sees the one that belongs to its redo position.
    undo: AtomicU64,
    /// It has locked rows that it may not have changed.
    locks_rows: AtomicBool,
}

impl Transaction {
    pub fn locked_row(&self) {
        self.locks_rows.store(true, Ordering::Relaxed);
    }

    pub fn has_locked_rows(&self) -> bool {
        self.locks_rows.load(Ordering::Relaxed)
    }

    pub fn undo(&self) -> UndoPtr {
        UndoPtr(self.undo.load(Ordering::Acquire))
    }

    pub fn set_undo(&self, undo: UndoPtr) {
        self.undo.store(undo.0, Ordering::Release);
    }
}

/// A transaction in progress in whose hands something was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    pub xid: Xid,
    /// What [`Transactions::subaborts`] was before, or while it could not be put back.
    pub subaborts: u64,
}

/// How far the log must be durable before the client of a session may be told what it has seen: the end of the last commit
/// record that it depends on.
#[derive(Debug, Default)]
pub struct CommitDependency(AtomicU64);

impl CommitDependency {
    pub fn lsn(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// On what ends at `lsn`, too.
    pub fn add(&self, lsn: u64) {
        // Asked for row after row: mostly it is known.
        if self.0.load(Ordering::Relaxed) < lsn {
            self.0.fetch_max(lsn, Ordering::AcqRel);
        }
    }
}

/// A session as others need to know it (PostgreSQL's `PGPROC`): how far the log must be durable before its client is told anything,
/// and what its snapshots hold up.
#[derive(Debug, Default)]
pub struct Proc {
    pub dependency: CommitDependency,
    /// How many snapshots it has, by their oldest transaction in progress. Few.
    snapshots: Mutex<Vec<(Xid, u32)>>,
}

impl Proc {
    /// The oldest transaction in progress that one of its snapshots does not see: it holds up the horizon there.
    pub fn xmin(&self) -> Option<Xid> {
        self.snapshots.lock().iter().map(|(oldest, _)| *oldest).min()
    }

    fn register(&self, oldest: Xid) {
        let mut snapshots = self.snapshots.lock();
        match snapshots.iter_mut().find(|(known, _)| *known == oldest) {
            Some((_, count)) => *count += 1,
            None => snapshots.push((oldest, 1)),
        }
    }

    fn unregister(&self, oldest: Xid) {
        let mut snapshots = self.snapshots.lock();
        let at = snapshots.iter().position(|(known, _)| *known == oldest).expect("a snapshot is registered");
        snapshots[at].1 -= 1;
        if snapshots[at].1 == 0 {
            snapshots.swap_remove(at);
        }
    }
}

/// A snapshot is a session's until this is dropped.
#[derive(Debug)]
struct Registered {
    proc: Arc<Proc>,
    oldest: Xid,
}

impl Drop for Registered {
    fn drop(&mut self) {
        self.proc.unregister(self.oldest);
    }
}

#[derive(Debug)]
struct State {
    next: Xid,
    /// In the order of their ids.
    active: VecDeque<Arc<Transaction>>,
    /// Ended, by the ends of the commit records that they, and all who see them, depend on. Those that were durable when the state was last changed are gone.
    precommitted: BTreeSet<(u64, Xid)>,
    /// What a snapshot sees, for as long as neither of the two changes.
    seen: OnceLock<Arc<Seen>>,
}

/// How many snapshots are alive, by their oldest transaction in progress.
type Alive = Mutex<BTreeMap<Xid, u32>>;

impl State {
    /// What is changed is not what a snapshot has seen. That is to be dropped when the lock was given back.
    #[must_use]
    fn change(&mut self, durable: u64) -> Option<Arc<Seen>> {
        while self.precommitted.first().is_some_and(|(lsn, _)| *lsn <= durable) {
            self.precommitted.pop_first();
        }
        self.seen.take()
    }

    /// Where a transaction is among those in progress.
    fn place(&self, xid: Xid) -> Result<usize, usize> {
        self.active.binary_search_by_key(&xid, |transaction| transaction.xid)
    }

    /// Whose commit records are not durable.
    fn precommitted(&self, durable: u64) -> impl Iterator<Item = (Xid, u64)> + '_ {
        self.precommitted.range((durable + 1, 0)..).map(|&(lsn, xid)| (xid, lsn))
    }

    /// The oldest transaction that is in progress, or precommitted.
    fn oldest(&self, durable: u64) -> Xid {
        let active = self.active.front().map_or(self.next, |transaction| transaction.xid);
        self.precommitted(durable).fold(active, |oldest, (xid, _)| oldest.min(xid))
    }
}

/// All transactions of a server.
#[derive(Debug)]
pub struct Transactions {
    state: RwLock<State>,
    /// How far the log is durable.
    durable: Arc<AtomicU64>,
    snapshots: Arc<Alive>,
    owners: AtomicU64,
    subaborts: AtomicU64,
    /// The end of the last commit record that a transaction precommitted with, and what all are to see.
    last_precommit: CommitDependency,
    all_must_see: CommitDependency,
}

impl Transactions {
    /// Goes on from a checkpoint and the log behind it. `durable` is how far the log is durable; it only grows.
    pub fn new(next: Xid, durable: Arc<AtomicU64>) -> Transactions {
        let state = State {
            next: next.max(FIRST_XID),
            active: VecDeque::new(),
            precommitted: BTreeSet::new(),
            seen: OnceLock::new(),
        };
        Transactions {
            state: RwLock::new(state),
            durable,
            snapshots: Arc::default(),
            owners: AtomicU64::new(1),
            subaborts: AtomicU64::new(0),
            last_precommit: CommitDependency::default(),
            all_must_see: CommitDependency::default(),
        }
    }

    fn durable(&self) -> u64 {
        self.durable.load(Ordering::Acquire)
    }

    /// A new lock owner: PostgreSQL's virtual transaction id.
    pub fn new_owner(&self) -> Owner {
        self.owners.fetch_add(1, Ordering::Relaxed)
    }

    /// The id of an owner's transaction, if it has one.
    pub fn id_of(&self, owner: Owner) -> Option<Xid> {
        self.state.read().active.iter().find(|transaction| transaction.owner == owner).map(|found| found.xid)
    }

    pub fn begin(&self, owner: Owner) -> Arc<Transaction> {
        let mut transaction = Arc::new(Transaction { owner, ..Transaction::default() });
        let own = Arc::get_mut(&mut transaction).expect("it was just made");
        let durable = self.durable();
        let mut state = self.state.write();
        own.xid = state.next;
        state.next += 1;
        debug_assert!(state.active.back().is_none_or(|last| last.xid < own.xid), "ids are in progress in their order");
        state.active.push_back(transaction.clone());
        let _seen = state.change(durable);
        drop(state);
        transaction
    }

    /// Gives out an id that is no transaction's: snapshots that are taken from now on, and no others, began after it.
    pub fn mark(&self) -> Xid {
        let mut state = self.state.write();
        let _seen = state.change(self.durable());
        state.next += 1;
        let mark = state.next - 1;
        drop(state);
        mark
    }

    /// Puts a transaction that recovery found unfinished back in progress, to be rolled back.
    pub fn resume(&self, xid: Xid, undo: UndoPtr) -> Arc<Transaction> {
        let owner = self.new_owner();
        let transaction = Arc::new(Transaction { xid, owner, ..Transaction::default() });
        transaction.set_undo(undo);
        let mut state = self.state.write();
        assert!(xid < state.next, "recovery has seen every id");
        let place = state.place(xid).expect_err("it is resumed once");
        state.active.insert(place, transaction.clone());
        let _seen = state.change(self.durable());
        drop(state);
        transaction
    }

    /// The transaction has committed, or everything it did was undone.
    pub fn end(&self, xid: Xid) {
        self.precommit(xid, 0);
    }

    /// The transaction has committed, with a commit record that ends at `lsn` and may not be durable; or, if it does not wait for its
    /// own, it depends on one that does.
    pub fn precommit(&self, xid: Xid, lsn: u64) {
        let durable = self.durable();
        let mut state = self.state.write();
        let place = state.place(xid);
        debug_assert!(place.is_ok(), "transaction {xid} is not in progress");
        let _transaction = place.ok().and_then(|place| state.active.remove(place));
        if lsn > durable {
            state.precommitted.insert((lsn, xid));
            self.last_precommit.add(lsn);
        }
        let _seen = state.change(durable);
        drop(state);
    }

    /// How often transactions have rolled back to a savepoint (`AbortSubTransaction`).
    pub fn subaborts(&self) -> u64 {
        self.subaborts.load(Ordering::SeqCst)
    }

    /// A transaction in progress has put back some of what it had changed. To be said before those who wait for it are woken.
    pub fn subaborted(&self) {
        // In one order with the count of those who are about to wait: see `LockManager::transaction_ended`.
        self.subaborts.fetch_add(1, Ordering::SeqCst);
    }

    /// May what was found in a transaction's hands be there still?
    pub fn holds(&self, holder: Holder) -> bool {
        self.subaborts() == holder.subaborts && self.active(holder.xid).is_some()
    }

    /// How many transactions have an id and have not ended, or wait for their commit record to be durable.
    pub fn in_progress(&self) -> usize {
        let state = self.state.read();
        state.active.len() + state.precommitted(self.durable()).count()
    }

    /// The transaction, if it is in progress.
    pub fn active(&self, xid: Xid) -> Option<Arc<Transaction>> {
        let state = self.state.read();
        state.place(xid).ok().map(|place| state.active[place].clone())
    }

    /// Is the transaction in progress? A session that learns that it is not depends on its commit.
    pub fn is_active(&self, xid: Xid, dependency: Option<&CommitDependency>) -> bool {
        let state = self.state.read();
        let active = state.place(xid).is_ok();
        if !active
            && let Some(dependency) = dependency
            && let Some((_, lsn)) = state.precommitted(self.durable()).find(|(other, _)| *other == xid)
        {
            dependency.add(lsn);
        }
        active
    }

    /// What a statement that starts now sees. `own` is its transaction, if it has an id; of that one's changes it sees
    /// those of commands before `command`. It is the session `proc`'s, which depends on what it sees.
    pub fn snapshot(&self, own: Option<Xid>, command: u32, proc: Option<&Arc<Proc>>) -> Snapshot {
        let state = self.state.read();
        let seen = match state.seen.get() {
            Some(seen) => seen.clone(),
            None => {
                let seen = Arc::new(self.look(&state));
                // Another one may have been quicker. To wait for it would take longer than to look.
                let _ = state.seen.set(seen.clone());
                seen
            }
        };
        drop(state);
        let registered = proc.map(|proc| {
            proc.register(seen.oldest);
            Arc::new(Registered { proc: proc.clone(), oldest: seen.oldest })
        });
        Snapshot { seen, own, command, registered, limit: None }
    }

    /// What a statement may see that only reads, of a transaction that has changed nothing: nothing that is not durable, if the session
    /// has no sign of it.
    pub fn durable_snapshot(&self, command: u32, proc: &Arc<Proc>) -> Snapshot {
        let snapshot = self.snapshot(None, command, Some(proc));
        let durable = self.durable();
        let knows_more = proc.dependency.lsn().max(self.all_must_see.lsn()) > durable;
        Snapshot { limit: (!knows_more).then_some(durable), ..snapshot }
    }

    /// Snapshots from now on are to see all that has precommitted, durable or not.
    pub fn all_must_see(&self) {
        self.all_must_see.add(self.last_precommit.lsn());
    }

    /// What a snapshot sees now.
    fn look(&self, state: &State) -> Seen {
        let durable = self.durable();
        let oldest = state.oldest(durable);
        // Registered under the lock: the horizon cannot pass in between.
        *self.snapshots.lock().entry(oldest).or_default() += 1;
        let active = state.active.iter().map(|transaction| transaction.xid).collect();
        let mut precommitted: Box<[_]> = state.precommitted(durable).collect();
        precommitted.sort_unstable();
        Seen { next: state.next, oldest, active, precommitted, alive: Some(self.snapshots.clone()) }
    }

    /// Changes of transactions before this one are seen by every snapshot, alive or to come, and durable: what they replaced
    /// is of no use any more.
    pub fn horizon(&self) -> Xid {
        let durable = self.durable();
        let mut state = self.state.read();
        let is_durable = |seen: &Arc<Seen>| seen.precommitted.iter().all(|(_, lsn)| *lsn <= durable);
        if state.seen.get().is_some_and(|seen| !seen.precommitted.is_empty() && is_durable(seen)) {
            // Nothing has changed since, and what is kept for the next statement must not hold it up.
            drop(state);
            let seen = self.state.write().change(durable);
            drop(seen);
            state = self.state.read();
        }
        let oldest = state.oldest(durable);
        let horizon = self.snapshots.lock().first_key_value().map_or(oldest, |(&x, _)| x.min(oldest));
        debug_assert!(horizon <= state.next, "the horizon passes no id that was not given out");
        horizon
    }

    /// What a checkpoint must remember: the next id, and the transactions to be undone after a crash.
    pub fn for_checkpoint(&self) -> (Xid, Vec<(Xid, UndoPtr)>) {
        let state = self.state.read();
        (state.next, state.active.iter().map(|t| (t.xid, t.undo())).collect())
    }
}

#[derive(Debug)]
struct Seen {
    next: Xid,
    /// The oldest transaction that was in progress, or precommitted.
    oldest: Xid,
    active: Box<[Xid]>,
    /// Seen, with the ends of their commit records, which were not durable.
    precommitted: Box<[(Xid, u64)]>,
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
    /// The session that looks through it.
    registered: Option<Arc<Registered>>,
    /// Of those that had precommitted it sees the ones whose commit records end here, or before.
    limit: Option<u64>,
}

impl Snapshot {
    /// Sees what is frozen and nothing else; holds up nothing.
    pub fn empty() -> Snapshot {
        let seen = Seen { next: 0, oldest: 0, active: [].into(), precommitted: [].into(), alive: None };
        Snapshot { seen: Arc::new(seen), own: None, command: 0, registered: None, limit: None }
    }

    /// The same snapshot for a later command of a transaction, which has an id by now or not.
    pub fn own(&self, own: Option<Xid>, command: u32) -> Snapshot {
        Snapshot { own, command, ..self.clone() }
    }

    /// The same snapshot as another session's, which depends on what it sees from now on.
    pub fn of_session(&self, proc: &Arc<Proc>) -> Snapshot {
        proc.register(self.seen.oldest);
        let registered = Registered { proc: proc.clone(), oldest: self.seen.oldest };
        Snapshot { registered: Some(Arc::new(registered)), ..self.clone() }
    }

    /// It sees what was durable up to here and nothing else; `None`: all that had committed.
    pub fn limit(&self) -> Option<u64> {
        self.limit
    }

    pub fn dependency(&self) -> Option<&CommitDependency> {
        self.registered.as_ref().map(|registered| &registered.proc.dependency)
    }

    /// Does it see what `command` of `xid` did: had `xid` committed before, or is it the snapshot's own and the command
    /// an earlier one? The session that asks depends on what it sees.
    #[inline]
    pub fn sees(&self, xid: Xid, command: u32) -> bool {
        if Some(xid) == self.own {
            return command < self.command;
        }
        self.is_past(xid) || self.had_committed(xid)
    }

    /// [`Snapshot::sees`] for the younger ones.
    fn had_committed(&self, xid: Xid) -> bool {
        let seen = &*self.seen;
        if xid >= seen.next || seen.active.binary_search(&xid).is_ok() {
            return false;
        }
        let Ok(at) = seen.precommitted.binary_search_by_key(&xid, |(xid, _)| *xid) else { return true };
        let lsn = seen.precommitted[at].1;
        match self.limit {
            Some(limit) => lsn <= limit,
            None => {
                self.dependency().inspect(|dependency| dependency.add(lsn));
                true
            }
        }
    }

    /// Was it taken after this id was given out?
    pub fn began_after(&self, xid: Xid) -> bool {
        xid < self.seen.next
    }

    /// Had every transaction up to this one ended before, with a durable commit? What it did is seen by all snapshots that are
    /// younger than this one.
    #[inline]
    pub fn is_past(&self, xid: Xid) -> bool {
        xid < self.seen.oldest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::FROZEN;

    #[test]
    fn snapshots_see_what_had_committed_and_their_own_earlier_commands() {
        let txns = Transactions::new(0, Arc::default());
        let (a, b) = (txns.begin(1).xid, txns.begin(2).xid);
        let before = txns.snapshot(Some(b), 1, None);
        txns.end(a);
        let after = txns.snapshot(None, 0, None);
        assert!(!before.sees(a, 0) && before.sees(b, 0) && !before.sees(b, 1));
        assert!(after.sees(a, 0) && !after.sees(b, 0));
        assert!(after.sees(FROZEN, 0) && before.sees(1, 0));
        assert!(!before.sees(b + 10, 0), "the future");
        assert!(before.own(None, 0).sees(FROZEN, 0) && !before.own(None, 0).sees(a, 0));
    }

    #[test]
    fn a_session_that_sees_what_is_not_durable_depends_on_it() {
        let durable = Arc::new(AtomicU64::new(100));
        let txns = Transactions::new(0, durable.clone());
        let (a, b, c) = (txns.begin(1).xid, txns.begin(2).xid, txns.begin(3).xid);
        txns.precommit(b, 200);
        txns.precommit(a, 150);
        let proc = Arc::new(Proc::default());
        let dependency = &proc.dependency;
        let snapshot = txns.snapshot(None, 0, Some(&proc));
        assert_eq!((txns.horizon(), txns.in_progress()), (a, 3));
        assert!(!snapshot.sees(c, 0) && snapshot.sees(FROZEN, 0) && !snapshot.is_past(a));
        assert_eq!(dependency.lsn(), 0, "it has seen nothing of theirs");
        assert!(snapshot.sees(b, 0) && !txns.is_active(a, Some(dependency)));
        assert_eq!(dependency.lsn(), 200);
        drop(snapshot);
        durable.store(150, Ordering::Release);
        let other = Arc::new(Proc::default());
        assert!(txns.snapshot(None, 0, Some(&other)).own(None, 1).sees(b, 0));
        assert!(!txns.is_active(a, Some(&other.dependency)));
        assert_eq!((other.dependency.lsn(), other.xmin()), (200, None));
        txns.end(c);
        assert_eq!(txns.horizon(), b);
        durable.store(200, Ordering::Release);
        assert_eq!((txns.horizon(), txns.in_progress()), (c + 1, 0));
    }

    #[test]
    fn who_only_reads_sees_what_is_durable() {
        let durable = Arc::new(AtomicU64::new(100));
        let txns = Transactions::new(0, durable.clone());
        let (a, b) = (txns.begin(1).xid, txns.begin(2).xid);
        txns.precommit(b, 200);
        txns.precommit(a, 150);
        let proc = Arc::new(Proc::default());
        let before = txns.durable_snapshot(0, &proc);
        assert!(!before.sees(a, 0) && !before.sees(b, 0));
        // Nothing has changed since, and yet one of them is durable now.
        durable.store(150, Ordering::Release);
        let after = txns.durable_snapshot(0, &proc);
        assert!(after.sees(a, 0) && !after.sees(b, 0) && !before.sees(a, 0));
        assert_eq!((proc.dependency.lsn(), txns.horizon()), (0, a));
        // A session that has seen one knows of it.
        assert!(txns.snapshot(None, 0, Some(&proc)).sees(b, 0) && txns.durable_snapshot(0, &proc).sees(b, 0));
        let other = Arc::new(Proc::default());
        assert!(!txns.durable_snapshot(0, &other).sees(b, 0));
        txns.all_must_see();
        assert!(txns.durable_snapshot(0, &other).sees(b, 0));
        durable.store(200, Ordering::Release);
        assert_eq!(txns.durable_snapshot(0, &other).limit(), Some(200));
    }

    #[test]
    fn a_rollback_to_a_savepoint_may_have_given_back_what_was_found() {
        let txns = Transactions::new(10, Arc::default());
        let xid = txns.begin(1).xid;
        let found = Holder { xid, subaborts: txns.subaborts() };
        assert!(txns.holds(found));
        txns.subaborted();
        assert!(!txns.holds(found) && txns.holds(Holder { xid, subaborts: txns.subaborts() }));
        txns.end(xid);
        assert!(!txns.holds(Holder { xid, subaborts: txns.subaborts() }));
    }

    #[test]
    fn the_horizon_waits_for_transactions_and_snapshots() {
        let txns = Transactions::new(10, Arc::default());
        let a = txns.begin(1).xid;
        assert_eq!(txns.horizon(), a);
        let snapshot = txns.snapshot(None, 0, None);
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
    fn it_is_known_whose_snapshots_hold_up_the_horizon() {
        let txns = Transactions::new(10, Arc::default());
        let (one, other) = (Arc::new(Proc::default()), Arc::new(Proc::default()));
        let a = txns.begin(1).xid;
        let old = txns.snapshot(None, 0, Some(&one));
        txns.end(a);
        let (young, again) = (txns.snapshot(None, 0, Some(&one)), txns.snapshot(None, 0, Some(&other)));
        assert_eq!((one.xmin(), other.xmin()), (Some(a), Some(a + 1)));
        let copy = old.own(None, 3);
        drop(old);
        assert_eq!(one.xmin(), Some(a));
        drop(copy);
        assert_eq!(one.xmin(), Some(a + 1));
        drop((young, again));
        assert_eq!((one.xmin(), other.xmin()), (None, None));
    }

    #[test]
    fn a_checkpoint_knows_what_is_to_be_undone() {
        let txns = Transactions::new(10, Arc::default());
        let a = txns.begin(1);
        a.set_undo(UndoPtr::new(7, 99));
        assert_eq!(txns.for_checkpoint(), (11, vec![(10, UndoPtr::new(7, 99))]));
        assert_eq!((a.undo().block(), a.undo().offset()), (7, 99));
    }
}
