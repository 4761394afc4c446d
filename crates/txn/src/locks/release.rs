//! Giving locks back.

use std::sync::atomic::Ordering;

use super::LockManager;
use super::mode::LockMode;
use super::owned::OwnedLock;
use super::table::LockTable;
use super::tag::{LockTag, Until};
use crate::id::Owner;

impl LockManager {
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
    fn remove_kept(&self, state: &mut LockTable, owner: Owner, lock: (LockTag, LockMode)) -> Option<bool> {
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

    /// Gives everything back, at the end of a transaction. `sign` is called before, if an owner that gets a lock may conclude from it that the
    /// transaction has ended.
    pub fn release_all(&self, owner: Owner, sign: impl FnOnce()) {
        let known = self.owned.remove_all(owner);
        if known.iter().any(OwnedLock::is_sign) {
            sign();
        }
        // An owner that waits for this end has counted it, and seen one of its locks in the lock table.
        if known.is_empty() && self.ends.load(Ordering::Acquire) == 0 {
            return;
        }
        let mut state = self.state.lock();
        debug_assert!(!state.waiting.contains_key(&owner), "an owner that ends does not wait");
        for lock in known {
            self.release(&mut state, owner, lock.tag, lock.mode);
        }
        self.end(&mut state, LockTag::VirtualTransaction(owner));
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
}
