//! What each owner holds until the end of its transaction, and the fast path (PostgreSQL's `lock.c`).
//!
//! Nearly every lock is a weak one of a table: ACCESS SHARE, ROW SHARE or ROW EXCLUSIVE, which do not conflict with each
//! other. While no owner wants the table in a mode that does, such a lock is written down with its owner and nowhere else.
//! Owners are spread over shards, so statements on different processors share no lock, however many of them use one table.
//!
//! # Invariants
//! * A lock is `fast` if the lock table does not know it.
//! * An owner that wants a strong lock is counted in `strong` first and then moves the tag's fast locks to the lock table. A
//!   fast lock is taken under its shard's mutex and only if the count is zero, so it comes before the move, which then
//!   finds it, or sees the count.
//! * A shard's mutex is the last that is taken, after the lock table's.

use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};

use aio::lwlock::Mutex;
use foldhash::fast::FixedState;
use smallvec::SmallVec;

use super::mode::LockMode;
use super::table::Map;
use super::tag::LockTag;
use crate::id::Owner;

/// A power of two; more than processors that one would run this on.
const SHARDS: usize = 64;
/// Counts of strong locks, by a hash of their tag: PostgreSQL's `FAST_PATH_STRONG_LOCK_HASH_PARTITIONS`.
const PARTITIONS: usize = 1024;
/// Locks of one owner that are looked through, and among which there are fast ones. Further ones go to the lock table, whose
/// size is bounded.
const MOST: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OwnedLock {
    pub(super) tag: LockTag,
    pub(super) mode: LockMode,
    pub(super) fast: bool,
}

impl OwnedLock {
    /// The owner that gets it next may conclude that its owner has ended. Rows are told apart by whether they were changed
    /// ([`crate::Transaction::locked_row`]), and weak locks of tables conflict with strong ones alone, whose takers are told of.
    pub(super) fn is_sign(&self) -> bool {
        match self.tag {
            LockTag::Relation { .. } => !self.mode.is_weak(),
            LockTag::Row { .. } | LockTag::Tuple { .. } => false,
            _ => true,
        }
    }
}

/// In the order they were taken.
pub(super) type OwnedList = SmallVec<[OwnedLock; 4]>;

/// By itself in its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Shard(Mutex<Map<Owner, OwnedList>>);

#[derive(Debug)]
pub(super) struct OwnedLocks {
    shards: Box<[Shard]>,
    strong: Box<[AtomicU32]>,
}

impl OwnedLocks {
    pub(super) fn new() -> OwnedLocks {
        OwnedLocks {
            shards: (0..SHARDS).map(|_| Shard::default()).collect(),
            strong: (0..PARTITIONS).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    fn shard(&self, owner: Owner) -> &Mutex<Map<Owner, OwnedList>> {
        &self.shards[owner as usize % SHARDS].0
    }

    fn strong(&self, tag: LockTag) -> &AtomicU32 {
        &self.strong[FixedState::default().hash_one(tag) as usize % PARTITIONS]
    }

    /// Takes a table's lock if the owner has it already, or if that is possible without the lock table. A transaction locks a
    /// table with every statement and unlocks it once, at its end: counting would only make its list grow.
    pub(super) fn take(&self, owner: Owner, tag: LockTag, mode: LockMode) -> bool {
        let mut shard = self.shard(owner).lock();
        let held = shard.get(&owner);
        if held.is_some_and(|held| held.iter().take(MOST).any(|lock| (lock.tag, lock.mode) == (tag, mode))) {
            return true;
        }
        let fits = mode.is_weak() && held.is_none_or(|held| held.len() < MOST);
        if !fits || self.strong(tag).load(Ordering::Acquire) > 0 {
            return false;
        }
        debug_assert!(matches!(tag, LockTag::Relation { .. }), "only tables' locks are fast");
        shard.entry(owner).or_default().push(OwnedLock { tag, mode, fast: true });
        true
    }

    /// A strong lock is about to be asked for, or is held or waited for.
    pub(super) fn count_strong(&self, tag: LockTag) {
        self.strong(tag).fetch_add(1, Ordering::AcqRel);
    }

    pub(super) fn forget_strong(&self, tag: LockTag) {
        let before = self.strong(tag).fetch_sub(1, Ordering::AcqRel);
        assert!(before > 0, "a strong lock that was counted");
    }

    /// Gives the fast locks of a tag to the lock table.
    pub(super) fn transfer(&self, tag: LockTag, mut add: impl FnMut(Owner, LockMode)) {
        for shard in &self.shards {
            for (&owner, held) in shard.0.lock().iter_mut() {
                for lock in held.iter_mut().filter(|lock| lock.fast && lock.tag == tag) {
                    lock.fast = false;
                    add(owner, lock.mode);
                }
            }
        }
    }

    /// The lock table has granted a lock.
    pub(super) fn push(&self, owner: Owner, tag: LockTag, mode: LockMode) {
        self.shard(owner).lock().entry(owner).or_default().push(OwnedLock { tag, mode, fast: false });
    }

    /// Forgets one lock, the latest of several alike; says if it was fast, or `None` where there is none.
    pub(super) fn remove(&self, owner: Owner, tag: LockTag, mode: LockMode) -> Option<bool> {
        let mut shard = self.shard(owner).lock();
        let held = shard.get_mut(&owner)?;
        let index = held.iter().rposition(|lock| (lock.tag, lock.mode) == (tag, mode))?;
        let lock = held.swap_remove(index);
        if held.is_empty() {
            shard.remove(&owner);
        }
        Some(lock.fast)
    }

    /// Forgets what the owner holds; gives what the lock table knows of it.
    pub(super) fn remove_all(&self, owner: Owner) -> OwnedList {
        let mut held = self.shard(owner).lock().remove(&owner).unwrap_or_default();
        held.retain(|lock| !lock.fast);
        held
    }

    /// The same for what the owner has taken after it held `keep` locks.
    pub(super) fn remove_after(&self, owner: Owner, keep: usize) -> OwnedList {
        let mut shard = self.shard(owner).lock();
        let Some(held) = shard.get_mut(&owner) else { return OwnedList::new() };
        held.drain(keep.min(held.len())..).filter(|lock| !lock.fast).collect()
    }

    pub(super) fn len(&self, owner: Owner) -> usize {
        self.shard(owner).lock().get(&owner).map_or(0, SmallVec::len)
    }

    /// Looks at every fast lock.
    pub(super) fn for_each_fast(&self, mut look: impl FnMut(Owner, LockTag, LockMode)) {
        for shard in &self.shards {
            for (&owner, held) in shard.0.lock().iter() {
                held.iter().filter(|lock| lock.fast).for_each(|lock| look(owner, lock.tag, lock.mode));
            }
        }
    }

    #[cfg(test)]
    pub(super) fn is_empty(&self) -> bool {
        let counts = self.strong.iter().map(|count| count.load(Ordering::Relaxed));
        self.shards.iter().all(|shard| shard.0.lock().is_empty()) && counts.sum::<u32>() == 0
    }
}
