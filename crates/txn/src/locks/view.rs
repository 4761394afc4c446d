//! Which owners hold and wait for what.

use std::sync::atomic::Ordering;

use super::LockManager;
use super::mode::LockMode;
use super::queue::Lock;
use super::tag::LockTag;
use crate::id::Owner;

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

impl LockManager {
    /// Those besides `owner` who hold `tag` in a mode that conflicts with this one.
    pub fn conflicts(&self, owner: Owner, tag: LockTag, mode: LockMode) -> Vec<Owner> {
        let mut state = self.state.lock();
        self.transfer(&mut state, tag);
        state.locks.get(&tag).map_or_else(Vec::new, |lock| lock.holders_against(owner, mode).collect())
    }

    /// Does the owner hold locks beyond its transaction? It must stay the session's owner then.
    pub fn keeps(&self, owner: Owner) -> bool {
        self.keepers.load(Ordering::Acquire) > 0 && self.state.lock().kept.contains_key(&owner)
    }

    /// How many locks the owner holds: what [`LockManager::release_after`] goes back to.
    pub fn held(&self, owner: Owner) -> usize {
        self.owned.len(owner)
    }

    /// Does another owner hold a row in a mode that conflicts, or wait in its queue for the one that has changed it? One that waits for
    /// holders keeps none from joining them. `queue` is `None` for an owner who has changed the row. Costs nothing while no row is
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

    /// Does an owner wait for it?
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
