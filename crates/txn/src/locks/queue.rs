//! One lock: its holders, and the queue of those who wait for it, first come first served.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::Waker;

use aio::lwlock::Mutex;

use super::mode::LockMode;
use super::tag::Until;
use crate::id::Owner;

/// Counts by mode of what one owner holds of one thing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    pub(super) counts: [u32; 8],
}

impl Held {
    pub(super) fn mask(&self) -> u8 {
        (0..8).filter(|&i| self.counts[i] > 0).fold(0, |mask, i| mask | 1 << i)
    }
}

#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) owner: Owner,
    pub(super) mode: LockMode,
    pub(super) until: Until,
    pub(super) cell: Arc<Cell>,
}

/// What a waiting future and its grantor share.
#[derive(Debug, Default)]
pub(super) struct Cell(pub(super) Mutex<(bool, Option<Waker>)>);

impl Cell {
    pub(super) fn grant(&self) {
        let mut cell = self.0.lock();
        cell.0 = true;
        if let Some(waker) = cell.1.take() {
            waker.wake();
        }
    }
}

#[derive(Debug, Default)]
pub(super) struct Lock {
    pub(super) granted: Vec<(Owner, Held)>,
    pub(super) queue: VecDeque<Waiter>,
    /// An owner holds or waits for it in a strong mode, and [`OwnedLocks`] knows.
    pub(super) strong: bool,
}

impl Lock {
    /// Does another owner hold it in a mode that conflicts?
    pub(super) fn is_held_against(&self, owner: Owner, mode: LockMode) -> bool {
        self.holders_against(owner, mode).next().is_some()
    }

    /// Those besides `owner` who hold it in a mode that conflicts.
    pub(super) fn holders_against(&self, owner: Owner, mode: LockMode) -> impl Iterator<Item = Owner> {
        let others = self.granted.iter().filter(move |(o, held)| *o != owner && held.mask() & mode.conflicts() != 0);
        others.map(|(o, _)| *o)
    }

    pub(super) fn is_held(&self) -> bool {
        !self.granted.is_empty()
    }

    pub(super) fn holds(&self, owner: Owner) -> bool {
        self.granted.iter().any(|(o, _)| *o == owner)
    }

    pub(super) fn times(&self, owner: Owner, mode: LockMode) -> u32 {
        self.granted.iter().find(|(o, _)| *o == owner).map_or(0, |(_, held)| held.counts[mode as usize])
    }

    pub(super) fn is_strong(&self) -> bool {
        let is_strong = |held: &Held| held.counts[LockMode::Share as usize..].iter().any(|count| *count > 0);
        self.granted.iter().any(|(_, held)| is_strong(held)) || self.queue.iter().any(|w| w.mode.is_strong())
    }

    pub(super) fn add(&mut self, owner: Owner, mode: LockMode) {
        let index = self.granted.iter().position(|(o, _)| *o == owner).unwrap_or_else(|| {
            self.granted.push((owner, Held::default()));
            self.granted.len() - 1
        });
        self.granted[index].1.counts[mode as usize] += 1;
    }

    pub(super) fn remove(&mut self, owner: Owner, mode: LockMode) {
        if let Some(index) = self.granted.iter().position(|(o, _)| *o == owner) {
            let held = &mut self.granted[index].1;
            held.counts[mode as usize] = held.counts[mode as usize].saturating_sub(1);
            if held.mask() == 0 {
                self.granted.swap_remove(index);
            }
        }
    }

    /// Takes those out of the queue whose turn has come, in order. They are to be told.
    pub(super) fn grant_waiters(&mut self) -> Vec<Waiter> {
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
        debug_assert!(self.holders_are_compatible(), "a lock is granted when it conflicts with no holder");
        granted
    }

    fn holders_are_compatible(&self) -> bool {
        let holders =
            |mode: LockMode| self.granted.iter().filter(move |(_, held)| held.mask() & mode.bit() != 0).count();
        let holders: Vec<(LockMode, usize)> = LockMode::ALL.map(|mode| (mode, holders(mode))).into();
        self.granted.iter().all(|(_, held)| {
            let others = holders.iter().filter(|(mode, count)| *count > usize::from(held.mask() & mode.bit() != 0));
            others.fold(0, |all, (mode, _)| all | mode.conflicts()) & held.mask() == 0
        })
    }
}
