//! Deadlocks (PostgreSQL's `deadlock.c`), found before the wait that would close a circle begins.

use std::collections::HashSet;

use super::mode::LockMode;
use super::queue::Lock;
use super::table::LockTable;
use super::tag::LockTag;
use crate::id::Owner;

/// Those for whom a request of `owner` waits, or would, as far as they wait for others than it does: one that is before it in the
/// same queue, and in the way of no more than it is itself, waits for no other. An owner that holds the thing already passes the queue by
/// ([`Lock::grant_waiters`]).
fn blockers(lock: &Lock, owner: Owner, mode: LockMode) -> impl Iterator<Item = Owner> {
    let queues = !lock.holds(owner);
    let before = lock.queue.iter().take_while(move |w| queues && w.owner != owner);
    let others = before.filter(move |w| w.mode.conflicts_with(mode) && w.mode.conflicts() & !mode.conflicts() != 0);
    lock.holders_against(owner, mode).chain(others.map(|w| w.owner))
}

/// The waits that would close a circle if `owner` waited for `tag`. It waits for nothing yet, so it is in no queue itself.
pub(super) fn cycle(
    state: &LockTable,
    owner: Owner,
    tag: LockTag,
    mode: LockMode,
) -> Option<Vec<(Owner, LockTag, LockMode)>> {
    fn follow(
        state: &LockTable,
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
