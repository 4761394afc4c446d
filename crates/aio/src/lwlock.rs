//! Locks that no thread keeps for long, as PostgreSQL's `LWLock`s: held for a few instructions, never across an await.
//!
//! A thread that finds one taken tries a few times before it sleeps: it would be woken much later than the lock was free,
//! and all that come meanwhile would sleep behind it. And a lock that is given back is free: a thread that runs takes it,
//! and threads that are woken try again. Locks that are handed over to sleepers stand still until the system has a
//! processor for them, which with more threads than processors is long: `parking_lot`'s now and then, the standard
//! library's where both readers and writers wait.

#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use parking_lot::lock_api::{self, GuardNoSend, RawMutex, RawRwLock};
use parking_lot_core::{
    DEFAULT_PARK_TOKEN, DEFAULT_UNPARK_TOKEN, FilterOp, ParkToken, UnparkResult, UnparkToken, park, unpark_filter,
};

/// With a pause more between each two of them: 120 in all, which take 2 to 6 µs.
const TRIES: u32 = 16;
/// A thread that has slept for so long tries again: where many share it one after the other, it is never given back by all
/// of them at once.
const SLEEP: Duration = Duration::from_millis(1);

/// The state: a thread has it exclusively; a thread sleeps; a thread that wants it exclusively is trying, and others that
/// would share it are to let him; how many share it.
const EXCLUSIVE: u32 = 1 << 31;
const SLEEPERS: u32 = 1 << 30;
const WANTED: u32 = 1 << 29;
const SHARERS: u32 = WANTED - 1;

/// What sleepers wait for.
const TO_SHARE: ParkToken = DEFAULT_PARK_TOKEN;
const TO_HAVE: ParkToken = ParkToken(1);

/// One at a time.
pub type Mutex<T> = lock_api::Mutex<LwLock, T>;
/// Many readers, or one writer.
pub type RwLock<T> = lock_api::RwLock<LwLock, T>;
pub type RwLockReadGuard<'a, T> = lock_api::RwLockReadGuard<'a, LwLock, T>;
pub type RwLockWriteGuard<'a, T> = lock_api::RwLockWriteGuard<'a, LwLock, T>;
pub type MappedRwLockReadGuard<'a, T> = lock_api::MappedRwLockReadGuard<'a, LwLock, T>;
pub type MappedRwLockWriteGuard<'a, T> = lock_api::MappedRwLockWriteGuard<'a, LwLock, T>;

/// The lock itself.
pub struct LwLock(AtomicU32);

/// Tries a few times.
fn spin(mut get: impl FnMut() -> bool) -> bool {
    (1..TRIES).any(|pauses| {
        (0..pauses).for_each(|_| std::hint::spin_loop());
        get()
    })
}

impl LwLock {
    /// Takes it unless one of `against` is set. What it leaves behind is `left`, of what it finds.
    #[inline]
    fn take(&self, against: u32, left: impl Fn(u32) -> u32) -> bool {
        let update = |state: u32| (state & against == 0).then(|| left(state));
        self.0.fetch_update(Ordering::Acquire, Ordering::Relaxed, update).is_ok()
    }

    #[inline]
    fn take_exclusive(&self) -> bool {
        self.take(EXCLUSIVE | SHARERS, |state| state & SLEEPERS | EXCLUSIVE)
    }

    #[inline]
    fn take_shared(&self, against: u32) -> bool {
        self.take(against, |state| {
            debug_assert!(state & SHARERS < SHARERS, "fewer threads than that share a lock");
            state + 1
        })
    }

    #[cold]
    fn wait_exclusive(&self) {
        loop {
            self.0.fetch_or(WANTED, Ordering::Relaxed);
            if spin(|| self.take_exclusive()) {
                return;
            }
            self.0.fetch_and(!WANTED, Ordering::Relaxed);
            self.sleep(EXCLUSIVE | SHARERS, TO_HAVE);
            if self.take_exclusive() {
                return;
            }
        }
    }

    #[cold]
    fn wait_shared(&self) {
        // Threads that want it exclusively come first, but none sleeps for one that may sleep itself.
        while !spin(|| self.take_shared(EXCLUSIVE | WANTED)) && !self.take_shared(EXCLUSIVE) {
            self.sleep(EXCLUSIVE, TO_SHARE);
            if self.take_shared(EXCLUSIVE) {
                return;
            }
        }
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).addr()
    }

    /// Sleeps until a thread has given it back, if it is taken in one of these ways, or for a while.
    fn sleep(&self, ways: u32, token: ParkToken) {
        let is_taken = || {
            let note = |state: u32| (state & ways != 0).then_some(state | SLEEPERS);
            self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, note).is_ok()
        };
        let give_up = |_: usize, was_last: bool| {
            if was_last {
                self.0.fetch_and(!SLEEPERS, Ordering::Relaxed);
            }
        };
        // SAFETY: the address is this lock's own, which lives as long as the caller refers to it; the functions neither panic nor
        // park. Threads that change `SLEEPERS` do so while the queue is locked.
        unsafe { park(self.address(), is_taken, || {}, give_up, token, Some(Instant::now() + SLEEP)) };
    }

    /// It was given back: wakes the thread that has slept longest, and if that would share it, all that would.
    #[cold]
    fn wake(&self) {
        let mut woken = None;
        let choose = |token: ParkToken| match woken {
            None => {
                woken = Some(token);
                FilterOp::Unpark
            }
            Some(TO_SHARE) if token == TO_SHARE => FilterOp::Unpark,
            Some(TO_SHARE) => FilterOp::Skip,
            Some(_) => FilterOp::Stop,
        };
        let note = |result: UnparkResult| -> UnparkToken {
            // No thread begins to sleep meanwhile: the queue is locked.
            if !result.have_more_threads {
                self.0.fetch_and(!SLEEPERS, Ordering::Relaxed);
            }
            DEFAULT_UNPARK_TOKEN
        };
        // SAFETY: the address is this lock's own, which is free by now, but lives as long as the thread that gave it back
        // refers to it: none may free it for having found it unlocked. The functions neither panic nor park.
        unsafe { unpark_filter(self.address(), choose, note) };
    }
}

// SAFETY: a thread that has it exclusively is alone: see below.
unsafe impl RawMutex for LwLock {
    #[allow(clippy::declare_interior_mutable_const)] // What the trait asks for.
    const INIT: LwLock = <LwLock as RawRwLock>::INIT;
    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock(&self) {
        self.lock_exclusive();
    }

    #[inline]
    fn try_lock(&self) -> bool {
        self.try_lock_exclusive()
    }

    #[inline]
    unsafe fn unlock(&self) {
        // SAFETY: the caller has it for himself.
        unsafe { self.unlock_exclusive() };
    }
}

// SAFETY: `take_exclusive` succeeds only where no thread has it in any way, `take_shared` where none has it exclusively.
unsafe impl RawRwLock for LwLock {
    #[allow(clippy::declare_interior_mutable_const)] // What the trait asks for.
    const INIT: LwLock = LwLock(AtomicU32::new(0));
    type GuardMarker = GuardNoSend;

    #[inline]
    fn lock_shared(&self) {
        if !self.take_shared(EXCLUSIVE | WANTED) {
            self.wait_shared();
        }
    }

    #[inline]
    fn try_lock_shared(&self) -> bool {
        self.take_shared(EXCLUSIVE)
    }

    #[inline]
    unsafe fn unlock_shared(&self) {
        let state = self.0.fetch_sub(1, Ordering::Release);
        if state & SHARERS == 1 && state & SLEEPERS != 0 {
            self.wake();
        }
    }

    #[inline]
    fn lock_exclusive(&self) {
        if !self.take_exclusive() {
            self.wait_exclusive();
        }
    }

    #[inline]
    fn try_lock_exclusive(&self) -> bool {
        self.take_exclusive()
    }

    #[inline]
    unsafe fn unlock_exclusive(&self) {
        // Others may have come to want it, or sleep.
        if self.0.fetch_and(!EXCLUSIVE, Ordering::Release) & SLEEPERS != 0 {
            self.wake();
        }
    }

    fn is_locked(&self) -> bool {
        self.0.load(Ordering::Relaxed) & (EXCLUSIVE | SHARERS) != 0
    }

    fn is_locked_exclusive(&self) -> bool {
        self.0.load(Ordering::Relaxed) & EXCLUSIVE != 0
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;

    use super::*;

    #[test]
    fn one_at_a_time_changes_what_many_look_at() {
        let (mutex, pair) = (Mutex::new(0), RwLock::new((0, 0)));
        thread::scope(|threads| {
            for _ in 0..8 {
                threads.spawn(|| {
                    for turn in 0..10_000 {
                        *mutex.lock() += 1;
                        let mut changed = pair.write();
                        changed.0 += 1;
                        if turn % 100 == 0 {
                            // Others find it taken, try, and sleep.
                            thread::sleep(Duration::from_micros(50));
                        }
                        changed.1 += 1;
                        drop(changed);
                        let seen = pair.read();
                        assert_eq!(seen.0, seen.1);
                    }
                });
            }
        });
        assert_eq!((*mutex.lock(), *pair.read()), (80_000, (80_000, 80_000)));
        // SAFETY: no thread uses them any more.
        let states = unsafe { [mutex.raw(), pair.raw()] }.map(|lock| lock.0.load(Ordering::Relaxed));
        assert_eq!(states, [0, 0], "no thread sleeps");
    }

    #[test]
    fn whoever_sleeps_is_woken_when_it_is_given_back() {
        let lock = RwLock::new(1);
        let (told, tells) = channel();
        thread::scope(|threads| {
            let held = lock.write();
            for name in ["reader", "writer", "reader", "writer"] {
                let (lock, told) = (&lock, told.clone());
                threads.spawn(move || {
                    match name {
                        "reader" => drop(lock.read()),
                        _ => *lock.write() += 1,
                    }
                    told.send(()).unwrap();
                });
            }
            assert!(tells.recv_timeout(Duration::from_millis(20)).is_err() && lock.is_locked_exclusive());
            drop(held);
            (0..4).for_each(|_| tells.recv().unwrap());
            let reading = lock.read();
            threads.spawn(|| *lock.write() += 1);
            // A writer sleeps; other readers still read.
            thread::sleep(Duration::from_millis(20));
            assert_eq!(*lock.read(), 3);
            drop(reading);
        });
        assert_eq!(*lock.read(), 4);
    }

    #[test]
    fn a_panic_gives_a_lock_back() {
        let (mutex, shared) = (Mutex::new(1), RwLock::new(1));
        let panics = catch_unwind(AssertUnwindSafe(|| {
            let (_mutex, _shared) = (mutex.lock(), shared.write());
            assert!(mutex.try_lock().is_none() && shared.try_read().is_none() && shared.is_locked_exclusive());
            panic!("on purpose");
        }));
        assert!(panics.is_err() && mutex.try_lock().is_some() && shared.try_write().is_some());
        let _reading = shared.read();
        assert!(shared.is_locked() && !shared.is_locked_exclusive() && shared.try_write().is_none());
    }
}
