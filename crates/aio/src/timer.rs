//! Waiting for a moment of the engine's clock, to the microsecond: group commit waits for tens of them, where a runtime's
//! timers count milliseconds.
//!
//! With a real clock a thread, started by the first to wait, sleeps until the next moment is due. Under the simulated
//! method no thread is needed: a thread that parks lets virtual time pass, to the next moment or the next completion.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Once, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::clock::Nanos;
use crate::config::IoMethod;
use crate::engine::{Engine, Shared};
use crate::volume::precise_timers;

pub(crate) struct Timers {
    waiting: Mutex<Waiting>,
    changed: Condvar,
    thread: Once,
    stopped: AtomicBool,
}

impl Default for Timers {
    fn default() -> Timers {
        Timers {
            waiting: Mutex::default(),
            changed: Condvar::new(),
            thread: Once::new(),
            stopped: AtomicBool::new(false),
        }
    }
}

#[derive(Default)]
struct Waiting {
    /// By time, then in the order they came.
    wakers: BTreeMap<(Nanos, u64), Waker>,
    count: u64,
}

impl Timers {
    /// When the first of the waiters is due.
    pub(crate) fn next(&self) -> Option<Nanos> {
        self.waiting.lock().wakers.keys().next().map(|&(due, _)| due)
    }

    /// Wakes all that are due.
    pub(crate) fn fire(&self, now: Nanos) {
        let due = {
            let mut waiting = self.waiting.lock();
            let later = waiting.wakers.split_off(&(now + 1, 0));
            std::mem::replace(&mut waiting.wakers, later)
        };
        due.into_values().for_each(Waker::wake);
    }

    pub(crate) fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        let _waiting = self.waiting.lock();
        self.changed.notify_one();
    }

    fn run(engine: &Weak<Shared>) {
        precise_timers();
        while let Some(shared) = engine.upgrade() {
            let timers = &shared.timers;
            if timers.stopped.load(Ordering::Acquire) {
                return;
            }
            timers.fire(shared.clock.now());
            let mut waiting = timers.waiting.lock();
            if timers.stopped.load(Ordering::Acquire) {
                return;
            }
            match waiting.wakers.keys().next().map(|&(due, _)| due) {
                Some(due) => {
                    let pause = due.saturating_sub(shared.clock.now());
                    timers.changed.wait_for(&mut waiting, Duration::from_nanos(pause));
                }
                None => timers.changed.wait(&mut waiting),
            }
        }
    }
}

/// Resolves at a moment of the engine's clock. Dropping it forgets the moment.
#[must_use = "time passes only when it is awaited"]
pub struct Sleep {
    engine: Engine,
    due: Nanos,
    key: Option<(Nanos, u64)>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let engine = self.engine.clone();
        let shared = engine.shared();
        if shared.clock.now() >= self.due {
            return Poll::Ready(());
        }
        let timers = &shared.timers;
        if shared.config.method != IoMethod::Sim {
            timers.thread.call_once(|| {
                let weak = engine.downgrade();
                let thread = std::thread::Builder::new().name("inflight-timer".into());
                thread.spawn(move || Timers::run(&weak)).expect("a thread for timers");
            });
        }
        let mut waiting = timers.waiting.lock();
        let key = self.key.unwrap_or_else(|| {
            waiting.count += 1;
            (self.due, waiting.count)
        });
        self.key = Some(key);
        let first = waiting.wakers.keys().next().is_none_or(|first| key < *first);
        waiting.wakers.insert(key, cx.waker().clone());
        if first {
            timers.changed.notify_one();
        }
        Poll::Pending
    }
}

impl Drop for Sleep {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.engine.shared().timers.waiting.lock().wakers.remove(&key);
        }
    }
}

impl Engine {
    /// Waits until the engine's clock shows `due`.
    pub fn sleep_until(&self, due: Nanos) -> Sleep {
        Sleep { engine: self.clone(), due, key: None }
    }

    pub fn sleep(&self, time: Duration) -> Sleep {
        self.sleep_until(self.clock().now().saturating_add(time.as_nanos() as Nanos))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, block_on};

    #[test]
    fn virtual_time_passes_in_order() {
        let engine = Engine::new(Config { method: IoMethod::Sim, ..Config::default() }).unwrap();
        block_on(&engine, async {
            let mut long = std::pin::pin!(engine.sleep(Duration::from_secs(3600)));
            assert!(std::future::poll_fn(|cx| Poll::Ready(long.as_mut().poll(cx).is_pending())).await);
            engine.sleep(Duration::from_micros(30)).await;
            assert_eq!(engine.clock().now(), 30_000);
            long.await;
            assert_eq!(engine.clock().now(), 3_600_000_000_000);
        });
    }

    #[test]
    fn real_time_passes_and_forgotten_moments_leave_nothing() {
        let engine = Engine::new(Config { method: IoMethod::Sync, ..Config::default() }).unwrap();
        block_on(&engine, async {
            let before = engine.clock().now();
            engine.sleep(Duration::from_micros(200)).await;
            assert!(engine.clock().now() - before >= 200_000);
            let mut long = Box::pin(engine.sleep(Duration::from_secs(3600)));
            assert!(std::future::poll_fn(|cx| Poll::Ready(long.as_mut().poll(cx).is_pending())).await);
            assert!(engine.shared().timers.next().is_some());
            drop(long);
            assert!(engine.shared().timers.next().is_none());
        });
    }
}
