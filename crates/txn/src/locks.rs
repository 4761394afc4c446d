//! The lock manager: PostgreSQL's eight modes and their conflicts (`lock.c`), first come first served.
//!
//! Rows that were changed are not in here: the row itself says who changed it, and whoever wants it waits for that
//! transaction ([`LockTag::Transaction`]). Only rows locked by `SELECT … FOR UPDATE` and its sisters ([`LockTag::Row`]), and
//! the queues of those who wait for a row ([`LockTag::Tuple`]), take memory here; how much is bounded. The two are apart,
//! because whoever has changed or locked a row may go on with it while others queue. Weak locks of tables mostly pass this
//! table by ([`crate::owned_locks`]).
//!
//! # Invariants
//! * A request is granted when it conflicts with nobody who holds or waited before; an owner who holds the thing in some
//!   mode already does not queue behind others.
//! * A request that would wait for its own owner, through any number of others, fails at once with a deadlock: waiting
//!   graphs have no cycle.
//! * Nothing here blocks a thread: waiting is a future, and giving it up (dropping it) leaves the queue.

use std::collections::{HashMap, HashSet, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use aio::lwlock::Mutex;

use crate::owned_locks::{OwnedLock, OwnedLocks};
use crate::transactions::Xid;

/// Who holds locks: a transaction, whether it has an id or not.
pub type Owner = u64;

/// What can be locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockTag {
    /// A table, by database and OID.
    Relation { database: u32, oid: u32 },
    /// A row that is locked, by the table's database and file, block and row number.
    Row { database: u32, file: u32, block: u32, row: u16 },
    /// The first place in the queue for a row: whoever has it waits for those who have changed or locked the row.
    Tuple { database: u32, file: u32, block: u32, row: u16 },
    /// The end of a transaction. Held by it exclusively, without an entry until somebody waits.
    Transaction(Xid),
    /// The end of an owner's transaction, whether it has an id or not; likewise.
    VirtualTransaction(Owner),
    /// A name that is being given, by database and a hash.
    Name { database: u32, hash: u64 },
    /// A user's own, by database and key: one of 64 bits, or a pair of 32 bits each.
    Advisory { database: u32, key: i64, pair: bool },
}

/// How long a lock is held unless it is given back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    TransactionEnd,
    /// Beyond the transaction's end and its rollback: advisory locks.
    SessionEnd,
}

/// PostgreSQL's lock modes, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum LockMode {
    AccessShare,
    RowShare,
    RowExclusive,
    ShareUpdateExclusive,
    Share,
    ShareRowExclusive,
    Exclusive,
    AccessExclusive,
}

impl LockMode {
    pub const ALL: [LockMode; 8] = [
        LockMode::AccessShare,
        LockMode::RowShare,
        LockMode::RowExclusive,
        LockMode::ShareUpdateExclusive,
        LockMode::Share,
        LockMode::ShareRowExclusive,
        LockMode::Exclusive,
        LockMode::AccessExclusive,
    ];

    /// `pg_locks.mode`.
    pub fn name(self) -> &'static str {
        match self {
            LockMode::AccessShare => "AccessShareLock",
            LockMode::RowShare => "RowShareLock",
            LockMode::RowExclusive => "RowExclusiveLock",
            LockMode::ShareUpdateExclusive => "ShareUpdateExclusiveLock",
            LockMode::Share => "ShareLock",
            LockMode::ShareRowExclusive => "ShareRowExclusiveLock",
            LockMode::Exclusive => "ExclusiveLock",
            LockMode::AccessExclusive => "AccessExclusiveLock",
        }
    }

    /// The modes it conflicts with, a bit each: PostgreSQL's table.
    fn conflicts(self) -> u8 {
        const AS: u8 = 1;
        const RS: u8 = 2;
        const RX: u8 = 4;
        const SUX: u8 = 8;
        const S: u8 = 16;
        const SRX: u8 = 32;
        const X: u8 = 64;
        const AX: u8 = 128;
        match self {
            LockMode::AccessShare => AX,
            LockMode::RowShare => X | AX,
            LockMode::RowExclusive => S | SRX | X | AX,
            LockMode::ShareUpdateExclusive => SUX | S | SRX | X | AX,
            LockMode::Share => RX | SUX | SRX | X | AX,
            LockMode::ShareRowExclusive => RX | SUX | S | SRX | X | AX,
            LockMode::Exclusive => RS | RX | SUX | S | SRX | X | AX,
            LockMode::AccessExclusive => AS | RS | RX | SUX | S | SRX | X | AX,
        }
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Conflicts with no other weak one.
    pub fn is_weak(self) -> bool {
        self <= LockMode::RowExclusive
    }

    /// Conflicts with a weak one.
    pub(crate) fn is_strong(self) -> bool {
        self >= LockMode::Share
    }

    pub fn conflicts_with(self, other: LockMode) -> bool {
        self.conflicts() & other.bit() != 0
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LockError {
    /// Who would wait for whom, first the one who asked: process numbers are the caller's to find.
    #[error("deadlock detected")]
    Deadlock(Vec<(Owner, LockTag, LockMode)>),
    /// Too many row locks are held.
    #[error("out of shared memory")]
    TooMany,
}

/// Counts by mode of what one owner holds of one thing.
#[derive(Clone, Copy, Debug, Default)]
struct Held {
    counts: [u32; 8],
}

impl Held {
    fn mask(&self) -> u8 {
        (0..8).filter(|&i| self.counts[i] > 0).fold(0, |mask, i| mask | 1 << i)
    }
}

#[derive(Debug)]
struct Waiter {
    owner: Owner,
    mode: LockMode,
    until: Until,
    cell: Arc<Cell>,
}

/// What a waiting future and its grantor share.
#[derive(Debug, Default)]
struct Cell(Mutex<(bool, Option<Waker>)>);

impl Cell {
    fn grant(&self) {
        let mut cell = self.0.lock();
        cell.0 = true;
        if let Some(waker) = cell.1.take() {
            waker.wake();
        }
    }
}

#[derive(Debug, Default)]
struct Lock {
    granted: Vec<(Owner, Held)>,
    queue: VecDeque<Waiter>,
    /// Somebody holds or waits for it in a strong mode, and [`OwnedLocks`] knows.
    strong: bool,
}

impl Lock {
    /// Does anybody but `owner` hold it in a mode that conflicts?
    fn is_held_against(&self, owner: Owner, mode: LockMode) -> bool {
        self.holders_against(owner, mode).next().is_some()
    }

    /// Those besides `owner` who hold it in a mode that conflicts.
    fn holders_against(&self, owner: Owner, mode: LockMode) -> impl Iterator<Item = Owner> {
        let others = self.granted.iter().filter(move |(o, held)| *o != owner && held.mask() & mode.conflicts() != 0);
        others.map(|(o, _)| *o)
    }

    fn is_held(&self) -> bool {
        !self.granted.is_empty()
    }

    fn holds(&self, owner: Owner) -> bool {
        self.granted.iter().any(|(o, _)| *o == owner)
    }

    fn times(&self, owner: Owner, mode: LockMode) -> u32 {
        self.granted.iter().find(|(o, _)| *o == owner).map_or(0, |(_, held)| held.counts[mode as usize])
    }

    fn is_strong(&self) -> bool {
        let is_strong = |held: &Held| held.counts[LockMode::Share as usize..].iter().any(|count| *count > 0);
        self.granted.iter().any(|(_, held)| is_strong(held)) || self.queue.iter().any(|w| w.mode.is_strong())
    }

    fn add(&mut self, owner: Owner, mode: LockMode) {
        let index = self.granted.iter().position(|(o, _)| *o == owner).unwrap_or_else(|| {
            self.granted.push((owner, Held::default()));
            self.granted.len() - 1
        });
        self.granted[index].1.counts[mode as usize] += 1;
    }

    fn remove(&mut self, owner: Owner, mode: LockMode) {
        if let Some(index) = self.granted.iter().position(|(o, _)| *o == owner) {
            let held = &mut self.granted[index].1;
            held.counts[mode as usize] = held.counts[mode as usize].saturating_sub(1);
            if held.mask() == 0 {
                self.granted.swap_remove(index);
            }
        }
    }

    /// Takes those out of the queue whose turn has come, in order. They are to be told.
    fn grant_waiters(&mut self) -> Vec<Waiter> {
        let mut passed = 0u8;
        let mut granted = Vec::new();
        let mut index = 0;
        while index < self.queue.len() {
            let (owner, mode) = (self.queue[index].owner, self.queue[index].mode);
            let free = !self.is_held_against(owner, mode);
            if free && (passed & mode.conflicts() == 0 || self.holds(owner)) {
                let waiter = self.queue.remove(index).expect("the index is in range");
                self.add(owner, mode);
                granted.push(waiter);
            } else {
                passed |= mode.bit();
                index += 1;
            }
        }
        granted
    }
}

pub(crate) type Map<K, V> = HashMap<K, V, foldhash::fast::RandomState>;

#[derive(Debug, Default)]
struct State {
    locks: Map<LockTag, Lock>,
    /// Until the session ends, and how often each was taken.
    kept: Map<Owner, Map<(LockTag, LockMode), u64>>,
    /// An owner waits for one thing at a time.
    waiting: Map<Owner, (LockTag, LockMode)>,
}

/// A lock held or waited for, for `pg_locks`.
#[derive(Clone, Debug, PartialEq)]
pub struct LockView {
    pub tag: LockTag,
    pub owner: Owner,
    pub mode: LockMode,
    pub granted: bool,
    /// The lock table does not know it.
    pub fast: bool,
}

/// All locks of a server.
#[derive(Debug)]
pub struct LockManager {
    state: Mutex<State>,
    /// Until the transaction ends.
    owned: OwnedLocks,
    /// Ends of transactions with an entry: while there are none, nobody has to be woken.
    ends: AtomicUsize,
    /// Rows with an entry: while there are none, nobody has to look.
    rows: AtomicUsize,
    /// Owners with locks beyond their transaction: while there are none, nobody has to look.
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

    /// Whoever wants a strong lock of a table has all locks of it in the lock table, and keeps new ones there while the result
    /// lives. From then on the lock's own entry counts.
    fn expect(&self, state: &mut State, tag: LockTag, mode: LockMode) -> Option<Strong<'_>> {
        if !matches!(tag, LockTag::Relation { .. }) || !mode.is_strong() {
            return None;
        }
        self.owned.count_strong(tag);
        self.transfer(state, tag);
        Some(Strong { owned: &self.owned, tag })
    }

    /// Brings the fast locks of a table to the lock table.
    fn transfer(&self, state: &mut State, tag: LockTag) {
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
        state: &mut State,
        owner: Owner,
        tag: LockTag,
        mode: LockMode,
        until: Until,
    ) -> Result<bool, LockError> {
        if let Some(lock) = state.locks.get_mut(&tag) {
            // What somebody has already takes no more memory when it is taken again, as in `OwnedLocks::take`, which does
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
            // Who waits for a row's holders keeps nobody from joining them.
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

    fn note(&self, state: &mut State, owner: Owner, (tag, mode): (LockTag, LockMode), until: Until) {
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
    /// when whoever does that has to look for those who wait, so it is not missed.
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

    /// Wakes those who wait for the end of `xid`, to look again. Whoever ends it has taken it out of the transactions in
    /// progress before, under the lock under which others ask if it is: whoever saw it there had counted himself. The count of rollbacks
    /// to savepoints and `ends` are in one order (SeqCst).
    pub fn transaction_ended(&self, xid: Xid) {
        if self.ends.load(Ordering::SeqCst) > 0 {
            self.end(&mut self.state.lock(), LockTag::Transaction(xid));
        }
    }

    /// Wakes those who wait for the end of a transaction.
    fn end(&self, state: &mut State, tag: LockTag) {
        let Some(mut lock) = state.locks.remove(&tag) else { return };
        self.count(&tag, -1);
        for waiter in lock.queue.drain(..) {
            state.waiting.remove(&waiter.owner);
            waiter.cell.grant();
        }
    }

    /// Those besides `owner` who hold `tag` in a mode that conflicts with this one.
    pub fn conflicts(&self, owner: Owner, tag: LockTag, mode: LockMode) -> Vec<Owner> {
        let mut state = self.state.lock();
        self.transfer(&mut state, tag);
        state.locks.get(&tag).map_or_else(Vec::new, |lock| lock.holders_against(owner, mode).collect())
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
        state: &mut State,
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
        state: &mut State,
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

    /// Gives one count of a lock back.
    pub fn unlock(&self, owner: Owner, tag: LockTag, mode: LockMode) -> bool {
        self.unlock_until(owner, tag, mode, Until::TransactionEnd)
    }

    /// Gives back one count of a lock that was taken for so long.
    pub fn unlock_until(&self, owner: Owner, tag: LockTag, mode: LockMode, until: Until) -> bool {
        let mut state = self.state.lock();
        let known = match until {
            Until::TransactionEnd => self.owned.remove(owner, tag, mode).map(|fast| !fast),
            Until::SessionEnd => self.remove_kept(&mut state, owner, (tag, mode)),
        };
        if known == Some(true) {
            self.release(&mut state, owner, tag, mode);
        }
        known.is_some()
    }

    /// Forgets that a lock was taken once; says if that was the last time, or `None` where there is none.
    fn remove_kept(&self, state: &mut State, owner: Owner, lock: (LockTag, LockMode)) -> Option<bool> {
        let held = state.kept.get_mut(&owner)?;
        let times = held.get_mut(&lock)?;
        *times -= 1;
        if *times > 0 {
            return Some(false);
        }
        held.remove(&lock);
        if held.is_empty() {
            state.kept.remove(&owner);
            self.keepers.fetch_sub(1, Ordering::AcqRel);
        }
        Some(true)
    }

    /// Gives everything back, at the end of a transaction. `sign` is called before, if whoever gets a lock may conclude from it that the
    /// transaction has ended.
    pub fn release_all(&self, owner: Owner, sign: impl FnOnce()) {
        let known = self.owned.remove_all(owner);
        if known.iter().any(OwnedLock::is_sign) {
            sign();
        }
        // Whoever waits for this end has counted it, and seen one of its locks in the lock table.
        if known.is_empty() && self.ends.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut state = self.state.lock();
        debug_assert!(!state.waiting.contains_key(&owner), "whoever ends does not wait");
        for lock in known {
            self.release(&mut state, owner, lock.tag, lock.mode);
        }
        self.end(&mut state, LockTag::VirtualTransaction(owner));
    }

    /// Does the owner hold locks beyond its transaction? It must stay the session's owner then.
    pub fn keeps(&self, owner: Owner) -> bool {
        self.keepers.load(Ordering::Acquire) > 0 && self.state.lock().kept.contains_key(&owner)
    }

    /// Gives back what is held until the session ends.
    pub fn release_kept(&self, owner: Owner) {
        if self.keepers.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut state = self.state.lock();
        let Some(locks) = state.kept.remove(&owner) else { return };
        self.keepers.fetch_sub(1, Ordering::AcqRel);
        for (tag, mode) in locks.into_keys() {
            self.release(&mut state, owner, tag, mode);
        }
    }

    /// What is held until the session ends gets another owner: a transaction of the old one outlives the session's interest.
    pub fn move_kept(&self, from: Owner, to: Owner) {
        let mut state = self.state.lock();
        let Some(locks) = state.kept.remove(&from) else { return };
        for (tag, mode) in locks.keys() {
            let lock = state.locks.get_mut(tag).expect("what is held has an entry");
            lock.add(to, *mode);
            lock.remove(from, *mode);
        }
        state.kept.insert(to, locks);
    }

    /// How many locks the owner holds: what [`LockManager::release_after`] goes back to.
    pub fn held(&self, owner: Owner) -> usize {
        self.owned.len(owner)
    }

    /// Gives back what was taken after the owner held `keep` locks: the end of a savepoint.
    pub fn release_after(&self, owner: Owner, keep: usize) {
        let known = self.owned.remove_after(owner, keep);
        if known.is_empty() {
            return;
        }
        let mut state = self.state.lock();
        for lock in known {
            self.release(&mut state, owner, lock.tag, lock.mode);
        }
    }

    fn release(&self, state: &mut State, owner: Owner, tag: LockTag, mode: LockMode) {
        let Some(lock) = state.locks.get_mut(&tag) else { return };
        lock.remove(owner, mode);
        self.wake_waiters(state, tag);
    }

    /// Grants what has become possible on `tag`, and forgets it when nobody is left.
    fn wake_waiters(&self, state: &mut State, tag: LockTag) {
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

    /// Does anybody but `owner` hold a row in a mode that conflicts, or wait in its queue for whoever has changed it? Who waits for
    /// holders keeps nobody from joining them. `queue` is `None` for an owner who has changed the row. Costs nothing while no row is
    /// locked.
    pub fn row_is_held_against(&self, owner: Owner, row: LockTag, queue: Option<LockTag>, mode: LockMode) -> bool {
        if self.rows.load(Ordering::Acquire) == 0 {
            return false;
        }
        let state = self.state.lock();
        let lock = state.locks.get(&row);
        if lock.is_some_and(|lock| lock.is_held_against(owner, mode)) {
            return true;
        }
        let queue = queue.filter(|_| !lock.is_some_and(Lock::is_held));
        queue.and_then(|queue| state.locks.get(&queue)).is_some_and(|queue| queue.is_held_against(owner, mode))
    }

    /// Does the owner hold it, in any mode? Fast locks of tables are not looked at.
    pub fn holds(&self, owner: Owner, tag: LockTag) -> bool {
        self.state.lock().locks.get(&tag).is_some_and(|lock| lock.holds(owner))
    }

    /// Does anybody wait for it?
    pub fn is_waited_for(&self, tag: LockTag) -> bool {
        self.state.lock().locks.get(&tag).is_some_and(|lock| !lock.queue.is_empty())
    }

    /// Everything held and waited for.
    pub fn list(&self) -> Vec<LockView> {
        let state = self.state.lock();
        let mut views = Vec::new();
        for (&tag, lock) in &state.locks {
            for (owner, held) in &lock.granted {
                let modes = LockMode::ALL.into_iter().filter(|m| held.mask() & m.bit() != 0);
                views.extend(modes.map(|mode| LockView { tag, owner: *owner, mode, granted: true, fast: false }));
            }
            let waiters = lock.queue.iter();
            views.extend(waiters.map(|w| LockView { tag, owner: w.owner, mode: w.mode, granted: false, fast: false }));
        }
        self.owned
            .for_each_fast(|owner, tag, mode| views.push(LockView { tag, owner, mode, granted: true, fast: true }));
        views
    }
}

/// Those for whom a request of `owner` waits, or would, as far as they wait for others than it does: who is before it in the
/// same queue, and in the way of no more than it is itself, waits for nobody else. Who holds the thing already passes the queue by
/// ([`Lock::grant_waiters`]).
fn blockers(lock: &Lock, owner: Owner, mode: LockMode) -> impl Iterator<Item = Owner> {
    let queues = !lock.holds(owner);
    let before = lock.queue.iter().take_while(move |w| queues && w.owner != owner);
    let others = before.filter(move |w| w.mode.conflicts_with(mode) && w.mode.conflicts() & !mode.conflicts() != 0);
    lock.holders_against(owner, mode).chain(others.map(|w| w.owner))
}

/// The waits that would close a circle if `owner` waited for `tag`. It waits for nothing yet, so it is in no queue itself.
fn cycle(state: &State, owner: Owner, tag: LockTag, mode: LockMode) -> Option<Vec<(Owner, LockTag, LockMode)>> {
    fn follow(
        state: &State,
        target: Owner,
        path: &mut Vec<(Owner, LockTag, LockMode)>,
        seen: &mut HashSet<Owner>,
    ) -> bool {
        let &(owner, tag, mode) = path.last().expect("the path begins with the one who asks");
        let Some(lock) = state.locks.get(&tag) else { return false };
        for next in blockers(lock, owner, mode) {
            if next == target {
                return true;
            }
            // Most wait for nothing: they need not be remembered.
            let Some(&(tag, mode)) = state.waiting.get(&next) else { continue };
            if !seen.insert(next) {
                continue;
            }
            path.push((next, tag, mode));
            if follow(state, target, path, seen) {
                return true;
            }
            path.pop();
        }
        false
    }
    let mut path = vec![(owner, tag, mode)];
    follow(state, owner, &mut path, &mut HashSet::new()).then_some(path)
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
            // Granted, and nobody was there to take it.
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

#[cfg(test)]
mod tests {
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
    fn a_granted_lock_that_nobody_took_is_given_back() {
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
    fn weak_locks_pass_by_the_table_until_somebody_wants_a_strong_one() {
        let locks = LockManager::new(100);
        let fast = || locks.list().iter().map(|lock| lock.fast).collect::<Vec<_>>();
        assert!(locks.try_lock(1, TABLE, LockMode::RowExclusive).unwrap());
        assert!(locks.try_lock(1, OTHER, LockMode::AccessShare).unwrap());
        assert!(locks.try_lock(2, TABLE, LockMode::ShareUpdateExclusive).unwrap(), "VACUUM is in nobody's way");
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
        // Readers add one, whoever locks them out a thousand.
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
    fn the_end_of_a_transaction_wakes_everybody_and_closes_circles_too() {
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
        assert!(!stands(2, Some(queue), LockMode::RowShare), "who waits for holders keeps nobody from joining them");
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
