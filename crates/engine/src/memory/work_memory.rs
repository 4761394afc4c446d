//! What all statements may use together for sorting, hashing and the like, and who has it.
//!
//! Three fourths are for shares: a statement that has one can do with it what it has to do, on disk if need be, whatever others
//! do. It is promised as a whole, when a statement needs more than a little for the first time, is larger where no other
//! statement has one, and counts for the statement until it ends. Where there is none left statements wait, in the order in which
//! they came. They have next to nothing then, so no statement waits for their memory, but others may wait for their sessions'
//! locks and cursors: so where nothing is given back for some time, the first one gets a part of the last fourth. That is for
//! statements that need little, which do not wait behind large ones.
//!
//! What can only be in memory as a whole (values) is granted by what is really taken.

use std::collections::VecDeque;
use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use aio::lwlock::Mutex;
use futures::future::{Either, select};
use tokio::sync::oneshot;

/// Values that can only be in memory as a whole may have this much, if there is as much, in bytes.
const LEAST_VALUES: usize = 64 << 20;
/// A share is no smaller than this, if there is as much.
const LEAST_SHARE: usize = 6 << 20;
/// What a statement may have without a share, in bytes, and which part of the whole it is where that is more.
const LITTLE: usize = 256 << 10;
const LITTLE_PART: usize = 1024;

#[derive(Debug)]
pub struct WorkMemory {
    limit: usize,
    used: AtomicUsize,
    /// Of that for what can only be in memory as a whole.
    values: AtomicUsize,
    /// Of that for statements that have no share.
    little: AtomicUsize,
    shares: Mutex<Shares>,
}

#[derive(Debug, Default)]
struct Shares {
    /// Bytes of all shares.
    promised: usize,
    /// How many of those who waited have got one.
    served: u64,
    waiting: VecDeque<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    most: usize,
    gets: oneshot::Sender<Share>,
}

/// Memory that was promised, until this is dropped.
#[derive(Debug)]
pub struct Share {
    memory: Arc<WorkMemory>,
    pub bytes: usize,
}

impl WorkMemory {
    /// `limit` is in bytes.
    pub fn new(limit: usize) -> WorkMemory {
        let (used, values, little, shares) = Default::default();
        WorkMemory { limit, used, values, little, shares }
    }

    pub fn limit(&self) -> usize {
        self.limit
    }

    /// Bytes of shares, at most.
    fn for_shares(&self) -> usize {
        self.limit / 4 * 3
    }

    /// Bytes that are taken.
    pub fn used(&self) -> usize {
        self.used.load(Ordering::Relaxed)
    }

    /// Takes `bytes` whatever the limit says: of a share, or because they are in use already.
    pub fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// So many bytes a statement may have without a share.
    pub fn little(&self) -> usize {
        LITTLE.max(self.limit / LITTLE_PART)
    }

    /// Takes `bytes` for a statement without a share, if there are as many.
    pub fn try_take_little(&self, bytes: usize) -> bool {
        let most = self.limit - self.for_shares();
        let more = |little: usize| Some(little + bytes).filter(|little| *little <= most);
        let taken = self.little.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok();
        if taken {
            self.take(bytes);
        }
        taken
    }

    /// The same, whatever there is.
    pub fn take_little(&self, bytes: usize) {
        self.little.fetch_add(bytes, Ordering::Relaxed);
        self.take(bytes);
    }

    pub fn give_back_little(&self, bytes: usize) {
        self.little.fetch_sub(bytes, Ordering::Relaxed);
        self.give_back(bytes);
    }

    /// What was taken by a statement that has a share now is of that.
    pub fn little_is_of_share(&self, bytes: usize) {
        self.little.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// So many bytes at most are for what can only be in memory as a whole: half, or all where that is little.
    pub fn values_limit(&self) -> usize {
        (self.limit / 2).max(self.limit.min(LEAST_VALUES))
    }

    /// Takes `bytes` for such a value whatever the limits say.
    pub fn take_value(&self, bytes: usize) {
        self.values.fetch_add(bytes, Ordering::Relaxed);
        self.take(bytes);
    }

    /// Takes `bytes` for such a value if there are as many.
    pub fn try_take_value(&self, bytes: usize) -> bool {
        let more = |most: usize| move |taken: usize| Some(taken + bytes).filter(|taken| *taken <= most);
        let values = more(self.values_limit());
        if self.values.fetch_update(Ordering::Relaxed, Ordering::Relaxed, values).is_err() {
            return false;
        }
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more(self.limit)).is_ok();
        if !taken {
            self.values.fetch_sub(bytes, Ordering::Relaxed);
        }
        taken
    }

    pub fn give_back_value(&self, bytes: usize) {
        self.values.fetch_sub(bytes, Ordering::Relaxed);
        self.give_back(bytes);
    }

    /// How large a share of `most` bytes would be now: half of what is free, so that others get some, but enough to work with.
    fn next_share(&self, shares: &Shares, most: usize) -> Option<usize> {
        let free = self.for_shares().saturating_sub(shares.promised);
        let least = LEAST_SHARE.min(self.for_shares()).min(most);
        (free >= least).then(|| (free / 2).clamp(least, most))
    }

    fn promise(self: &Arc<Self>, shares: &mut Shares, bytes: usize) -> Share {
        shares.promised += bytes;
        Share { memory: self.clone(), bytes }
    }

    /// A share of `most` bytes or less, if there is one and no statement waits for it.
    pub fn try_share(self: &Arc<Self>, most: usize) -> Option<Share> {
        let mut shares = self.shares.lock();
        if shares.waiting.iter().any(|other| !other.gets.is_closed()) {
            return None;
        }
        let bytes = self.next_share(&shares, most)?;
        Some(self.promise(&mut shares, bytes))
    }

    /// A share of `most` bytes or less, as soon as there is one. When `patience` ends and no statement has got one since, those
    /// that have them may wait for this statement's session: it gets one of what is not for shares, as long as there is some.
    pub async fn share<P: Future<Output = ()> + Unpin>(
        self: &Arc<Self>,
        most: usize,
        mut patience: impl FnMut() -> P,
    ) -> Share {
        let (gets, mut got) = oneshot::channel();
        let mut served = {
            let mut shares = self.shares.lock();
            shares.waiting.push_back(Waiting { most, gets });
            shares.served
        };
        self.serve();
        loop {
            match select(&mut got, patience()).await {
                Either::Left((Ok(share), _)) => return share,
                // It is never forgotten while it waits.
                Either::Left((Err(_), _)) => return self.promise(&mut self.shares.lock(), most.min(LEAST_SHARE)),
                Either::Right(((), _)) => {}
            }
            if let Ok(share) = got.try_recv() {
                return share;
            }
            let mut shares = self.shares.lock();
            let least = LEAST_SHARE.min(self.for_shares()).min(most);
            let stands_still = std::mem::replace(&mut served, shares.served) == shares.served;
            if stands_still && shares.promised + least <= self.limit.max(2 * least) {
                return self.promise(&mut shares, least);
            }
        }
    }

    /// Gives shares to those who wait.
    fn serve(self: &Arc<Self>) {
        loop {
            let (first, share) = {
                let mut shares = self.shares.lock();
                while shares.waiting.front().is_some_and(|first| first.gets.is_closed()) {
                    shares.waiting.pop_front();
                }
                let Some(first) = shares.waiting.front() else { return };
                let Some(bytes) = self.next_share(&shares, first.most) else { return };
                let Some(first) = shares.waiting.pop_front() else { return };
                shares.served += 1;
                (first, self.promise(&mut shares, bytes))
            };
            // A statement that has gone meanwhile gives it back.
            drop(first.gets.send(share));
        }
    }

    /// Promises and takes as much as there is of `most`, and `least` in any case.
    pub fn grant(self: &Arc<Self>, least: usize, most: usize) -> Grant {
        let mut shares = self.shares.lock();
        let bytes = most.min(self.for_shares().saturating_sub(shares.promised)).max(least);
        let share = self.promise(&mut shares, bytes);
        self.take(bytes);
        Grant { share }
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut shares = self.memory.shares.lock();
        shares.promised -= self.bytes;
        let is_waited_for = !shares.waiting.is_empty();
        drop(shares);
        if is_waited_for {
            self.memory.serve();
        }
    }
}

/// Memory that was taken, until this is dropped.
#[derive(Debug)]
pub struct Grant {
    share: Share,
}

impl Grant {
    pub fn bytes(&self) -> usize {
        self.share.bytes
    }

    /// So many bytes are in use now, whatever the limit says.
    pub fn hold(&mut self, bytes: usize) {
        let memory = &self.share.memory;
        let mut shares = memory.shares.lock();
        shares.promised = shares.promised + bytes - self.share.bytes;
        memory.take(bytes);
        memory.give_back(self.share.bytes);
        drop(shares);
        self.share.bytes = bytes;
    }
}

impl Drop for Grant {
    fn drop(&mut self) {
        self.share.memory.give_back(self.share.bytes);
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::pin::pin;

    use futures::FutureExt;

    use super::*;

    const MB: usize = 1 << 20;

    #[test]
    fn a_grant_takes_what_is_left_and_gives_it_back() {
        let memory = Arc::new(WorkMemory::new(100));
        let first = memory.grant(1, 60);
        let second = memory.grant(10, 80);
        let mut third = memory.grant(10, 80);
        assert_eq!((first.bytes(), second.bytes(), third.bytes(), memory.used()), (60, 15, 10, 85));
        drop((first, second));
        third.hold(3);
        assert_eq!((memory.used(), memory.grant(0, 1000).bytes()), (3, 72));
        drop(third);
        assert_eq!((memory.used(), memory.grant(0, 1000).bytes()), (0, 75));
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn what_is_granted_at_once_is_within_the_limit() {
        let memory = Arc::new(WorkMemory::new(100));
        let start = std::sync::Barrier::new(4);
        std::thread::scope(|threads| {
            for _ in 0..4 {
                threads.spawn(|| {
                    start.wait();
                    for _ in 0..100_000 {
                        let _grant = memory.grant(0, 60);
                        assert!(memory.used() <= memory.limit);
                    }
                });
            }
        });
        assert_eq!(memory.used(), 0);
    }

    #[test]
    fn shares_get_smaller_until_there_is_none_and_who_came_first_is_served_first() {
        let memory = Arc::new(WorkMemory::new(64 * MB));
        let all: Vec<Share> = std::iter::from_fn(|| memory.try_share(90 * MB)).collect();
        let sizes: Vec<usize> = all.iter().map(|share| share.bytes / MB).collect();
        assert_eq!(sizes, [24, 12, 6, 6]);
        let waits = || memory.share(90 * MB, pending::<()>);
        let (mut a, mut b, mut c) = (pin!(waits()), pin!(waits()), Box::pin(waits()));
        assert!(a.as_mut().now_or_never().is_none() && b.as_mut().now_or_never().is_none());
        assert!(c.as_mut().now_or_never().is_none());
        drop(c);
        let mut all = all.into_iter();
        drop(all.next());
        let (a, b) = (a.now_or_never().unwrap(), b.now_or_never().unwrap());
        assert_eq!((a.bytes / MB, b.bytes / MB), (12, 6));
        // 6 are left.
        assert_eq!(memory.try_share(90 * MB).map(|share| share.bytes), Some(6 * MB));
        drop((a, b, all));
        assert_eq!(memory.shares.lock().promised, 0);
        assert_eq!(memory.try_share(MB).map(|share| share.bytes), Some(MB));
    }

    #[test]
    fn who_has_waited_while_nothing_came_back_gets_of_the_last_fourth() {
        let memory = Arc::new(WorkMemory::new(64 * MB));
        let all: Vec<Share> = std::iter::from_fn(|| memory.try_share(90 * MB)).collect();
        let impatient = || memory.share(90 * MB, || ready(()));
        let forced: Vec<Share> = (0..2).map(|_| impatient().now_or_never().unwrap()).collect();
        assert!(forced.iter().all(|share| share.bytes == 6 * MB));
        // That is enough of it.
        let mut patience = [Either::Left(ready(())), Either::Right(pending::<()>())].into_iter();
        assert!(memory.share(90 * MB, || patience.next().unwrap()).now_or_never().is_none());
        drop((all, forced));
        assert_eq!(memory.shares.lock().promised, 0);
    }

    #[test]
    fn little_is_had_beside_shares_and_values_by_what_is_taken() {
        let memory = Arc::new(WorkMemory::new(400));
        let share = memory.try_share(1000).unwrap();
        assert_eq!(share.bytes, 300);
        assert!(memory.try_take_little(100) && !memory.try_take_little(1));
        memory.take(50);
        assert!(memory.try_take_value(250) && !memory.try_take_value(1));
        memory.give_back_value(250);
        memory.little_is_of_share(60);
        assert!(memory.try_take_little(60));
        memory.give_back_little(100);
        memory.give_back(110);
        assert_eq!(memory.used(), 0);
    }
}
