//! A statement's memory for sorting, hashing and the like. It needs little, or gets a share of what all statements have
//! ([`engine::memory::WorkMemory`]), for which it may have to wait. An operator that gets no more of it writes to disk if it can;
//! what it needs for that, it has.

pub(crate) mod counted_files;
pub(crate) mod secure;
pub(crate) mod temp_file;
pub(crate) mod tuplestore;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use datafusion_common::DataFusionError;
use datafusion_execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation};
use engine::memory::{OPERATORS, Share, WorkMemory};
use parking_lot::Mutex;

use crate::error::{Error, Result};

/// A statement may have this much whatever `work_mem` says, in bytes: operators that spill need some to do so.
const LEAST: usize = 64 << 20;

/// What is asked for at once, in bytes: small amounts are not worth asking for each time.
const STEP: usize = 64 << 10;

/// A sort on disk keeps this part for merging from the beginning.
pub const SORT_PART: usize = 16;

#[derive(Debug)]
pub struct QueryMemory {
    shared: Arc<WorkMemory>,
    /// What it would have where it had all it wants.
    most: usize,
    taken: Mutex<Taken>,
    /// One of the statement's tasks waits for the share of all.
    joining: tokio::sync::Mutex<()>,
    /// Something was asked for.
    asked: AtomicBool,
}

/// Two thirds of a share are the statement's limit.
#[derive(Debug, Default)]
struct Taken {
    /// `None`: it has needed little so far.
    share: Option<Share>,
    /// Operators that can write to disk get equal parts: none starves. They have half of the limit: a sort that merges what it holds
    /// takes up to three times as much of the others' for it, the rows' keys and the rows in order.
    spilling: usize,
    spillers: usize,
    /// The others may have the limit for themselves: what merges the runs of a sort would find it taken by sorts beside it.
    rest: usize,
    /// The most that they had together.
    peak: usize,
}

impl Taken {
    fn limit(&self, most: usize) -> usize {
        self.share.as_ref().map_or(most, |share| share.bytes / 3 * 2)
    }

    /// Is there as much for a consumer?
    fn has(&self, reservation: &MemoryReservation, additional: usize, most: usize) -> bool {
        let limit = self.limit(most);
        match reservation.consumer().can_spill() {
            true => reservation.size() + additional <= limit / 2 / self.spillers.max(1),
            false => self.rest + additional <= limit,
        }
    }

    fn part(&mut self, consumer: &MemoryConsumer) -> &mut usize {
        if consumer.can_spill() { &mut self.spilling } else { &mut self.rest }
    }

    fn all(&self) -> usize {
        self.spilling + self.rest
    }

    fn add(&mut self, consumer: &MemoryConsumer, additional: usize) {
        *self.part(consumer) += additional;
        self.peak = self.peak.max(self.all());
    }
}

/// A statement that had so many bytes leaves more to be given back than is soon used again.
const MUCH: usize = 32 << 20;

impl QueryMemory {
    /// `work_mem` is in bytes, for each of [`OPERATORS`].
    pub fn new(shared: &Arc<WorkMemory>, work_mem: usize) -> QueryMemory {
        let most = work_mem.saturating_mul(OPERATORS).max(LEAST).min(shared.limit());
        let (taken, joining, asked) = Default::default();
        QueryMemory { shared: shared.clone(), most, taken, joining, asked }
    }

    /// The most it gives to either kind of operators, in bytes.
    pub fn limit(&self) -> usize {
        self.taken.lock().limit(self.most)
    }

    fn wanted(&self) -> usize {
        self.most.saturating_mul(3) / 2
    }

    /// What it has belongs to a share from now on, unless another task was quicker.
    fn join(&self, taken: &mut Taken, share: Share) {
        if taken.share.is_none() {
            self.shared.little_is_of_share(taken.all());
            taken.share = Some(share);
        }
    }
}

/// The statement's operators have freed all that they had.
impl Drop for QueryMemory {
    fn drop(&mut self) {
        if *self.asked.get_mut() {
            aio::give_back();
        }
        if self.taken.get_mut().peak >= MUCH {
            aio::note_much_freed();
        }
    }
}

fn refused(reservation: &MemoryReservation, additional: usize, whose: &str, limit: usize) -> DataFusionError {
    let who = reservation.consumer().name();
    let message = format!("{who} needs {additional} bytes more than its part of {whose} {limit} bytes");
    DataFusionError::ResourcesExhausted(message)
}

impl MemoryPool for QueryMemory {
    fn name(&self) -> &str {
        "work_mem"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.taken.lock().spillers += usize::from(consumer.can_spill());
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.taken.lock().spillers -= usize::from(consumer.can_spill());
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.asked.store(true, Ordering::Relaxed);
        let mut taken = self.taken.lock();
        taken.add(reservation.consumer(), additional);
        match taken.share {
            Some(_) => self.shared.take(additional),
            None => self.shared.take_little(additional),
        }
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut taken = self.taken.lock();
        *taken.part(reservation.consumer()) -= shrink;
        match taken.share {
            Some(_) => self.shared.give_back(shrink),
            None => self.shared.give_back_little(shrink),
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> datafusion_common::Result<()> {
        self.asked.store(true, Ordering::Relaxed);
        let mut taken = self.taken.lock();
        if taken.share.is_none() {
            if taken.all() + additional <= self.shared.little() && self.shared.try_take_little(additional) {
                taken.add(reservation.consumer(), additional);
                return Ok(());
            }
            match self.shared.try_share(self.wanted()) {
                Some(share) => self.join(&mut taken, share),
                None => return Err(refused(reservation, additional, "all statements'", self.shared.limit())),
            }
        }
        if !taken.has(reservation, additional, self.most) {
            return Err(refused(reservation, additional, "the statement's", taken.limit(self.most)));
        }
        taken.add(reservation.consumer(), additional);
        self.shared.take(additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.taken.lock().all()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit())
    }
}

impl fmt::Display for QueryMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (used: {}, limit: {})", self.name(), self.reserved(), self.limit())
    }
}

/// For one sort on disk: what it needs for that it has, whatever the statement's other operators have taken.
#[derive(Debug)]
pub struct SortMemory {
    query: Arc<QueryMemory>,
    /// What it merges with.
    merging: AtomicUsize,
    /// The most that it has had for rows that it gathers.
    gathered: AtomicUsize,
}

/// It gathers rows in this part of what the statement may have, or so many bytes, at least, and merges them with that part.
const GATHERED_PART: usize = 3;
const LEAST_GATHERED: usize = 3 << 19;
const MERGED_PART: usize = 4;
/// Merging takes so many times what is merged, at most.
const MERGED_TIMES: usize = 3;

impl SortMemory {
    pub fn new(query: &Arc<QueryMemory>) -> SortMemory {
        SortMemory { query: query.clone(), merging: AtomicUsize::new(0), gathered: AtomicUsize::new(0) }
    }

    /// Are so many bytes more there whatever others have?
    fn has_in_any_case(&self, reservation: &MemoryReservation, additional: usize) -> bool {
        let limit = self.query.limit();
        if reservation.consumer().can_spill() {
            // The first rows are in memory already, however long they are.
            let least = (limit / GATHERED_PART).max(LEAST_GATHERED);
            return reservation.size() == 0 || reservation.size() + additional <= least;
        }
        let merged = MERGED_TIMES * self.gathered.load(Ordering::Relaxed) + limit / SORT_PART;
        self.merging.load(Ordering::Relaxed) + additional <= merged.max(limit / MERGED_PART)
    }

    /// Have the statement's other operators more than half of what it could merge with?
    fn is_scarce(&self) -> bool {
        let rest = self.query.taken.lock().rest;
        rest.saturating_sub(self.merging.load(Ordering::Relaxed)) > self.query.limit() / 2
    }

    fn note(&self, reservation: &MemoryReservation, additional: usize) {
        if reservation.consumer().can_spill() {
            self.gathered.fetch_max(reservation.size() + additional, Ordering::Relaxed);
        } else {
            self.merging.fetch_add(additional, Ordering::Relaxed);
        }
    }
}

impl MemoryPool for SortMemory {
    fn name(&self) -> &str {
        "sort"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.query.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.query.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.query.grow(reservation, additional);
        self.note(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.query.shrink(reservation, shrink);
        if !reservation.consumer().can_spill() {
            self.merging.fetch_sub(shrink, Ordering::Relaxed);
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> datafusion_common::Result<()> {
        let in_any_case = self.has_in_any_case(reservation, additional);
        if !in_any_case && reservation.consumer().can_spill() && self.is_scarce() {
            return Err(refused(reservation, additional, "the statement's", self.query.limit()));
        }
        match self.query.try_grow(reservation, additional) {
            Err(error) if !in_any_case => return Err(error),
            Err(_) => self.query.grow(reservation, additional),
            Ok(()) => {}
        }
        self.note(reservation, additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.query.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.query.memory_limit()
    }
}

impl fmt::Display for SortMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.name(), self.query)
    }
}

/// For what can only be in memory as a whole, as one long value is: it is not refused while there is memory, but all
/// statements' values together leave half of that to others ([`WorkMemory::try_take_value`]).
#[derive(Debug)]
pub struct ValueMemory {
    shared: Arc<WorkMemory>,
    reserved: AtomicUsize,
    /// The most that was.
    peak: AtomicUsize,
    /// Something was asked for.
    asked: AtomicBool,
}

impl ValueMemory {
    pub fn new(shared: &Arc<WorkMemory>) -> ValueMemory {
        let (reserved, peak, asked) = Default::default();
        ValueMemory { shared: shared.clone(), reserved, peak, asked }
    }

    fn add(&self, additional: usize) {
        let before = self.reserved.fetch_add(additional, Ordering::Relaxed);
        self.peak.fetch_max(before + additional, Ordering::Relaxed);
    }
}

/// As with [`QueryMemory`].
impl Drop for ValueMemory {
    fn drop(&mut self) {
        if *self.asked.get_mut() {
            aio::give_back();
        }
        if *self.peak.get_mut() >= MUCH {
            aio::note_much_freed();
        }
    }
}

impl MemoryPool for ValueMemory {
    fn name(&self) -> &str {
        "values"
    }

    fn grow(&self, _: &MemoryReservation, additional: usize) {
        self.shared.take_value(additional);
        self.add(additional);
    }

    fn shrink(&self, _: &MemoryReservation, shrink: usize) {
        self.shared.give_back_value(shrink);
        self.reserved.fetch_sub(shrink, Ordering::Relaxed);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> datafusion_common::Result<()> {
        self.asked.store(true, Ordering::Relaxed);
        if !self.shared.try_take_value(additional) {
            return Err(refused(reservation, additional, "all statements' values,", self.shared.values_limit()));
        }
        self.add(additional);
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.reserved.load(Ordering::Relaxed)
    }
}

impl fmt::Display for ValueMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (used: {})", self.name(), self.reserved())
    }
}

/// Memory that a node holds, given back when this is dropped. Asks the pool only when it holds more than a little.
pub struct Reservation {
    pool: Arc<dyn MemoryPool>,
    name: &'static str,
    /// The node can write what it holds to disk.
    can_spill: bool,
    held: usize,
    granted: Option<MemoryReservation>,
}

impl Reservation {
    pub fn new(pool: &Arc<dyn MemoryPool>, name: &'static str) -> Reservation {
        Reservation { pool: pool.clone(), name, can_spill: false, held: 0, granted: None }
    }

    /// The same for a node that can write to disk when it gets no more: those have a part each, and leave the others theirs.
    pub fn can_spill(mut self) -> Reservation {
        self.can_spill = true;
        self
    }

    /// Holds so many bytes more. Fails with 53200.
    pub fn grow(&mut self, bytes: usize) -> Result<()> {
        self.resize(self.held + bytes)
    }

    /// Holds so many bytes in all.
    pub fn resize(&mut self, bytes: usize) -> Result<()> {
        self.held = bytes;
        let granted = self.granted.as_ref().map_or(0, MemoryReservation::size);
        if bytes <= granted || bytes < STEP {
            return Ok(());
        }
        let register = || MemoryConsumer::new(self.name).with_can_spill(self.can_spill).register(&self.pool);
        let reservation = self.granted.get_or_insert_with(register);
        reservation.try_grow(bytes - granted + STEP).map_err(Error::from)
    }

    pub fn held(&self) -> usize {
        self.held
    }

    /// Holds nothing any more.
    pub fn free(&mut self) {
        self.held = 0;
        self.granted = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_leave_half_to_others() {
        let shared = Arc::new(WorkMemory::new(1 << 30));
        let pools: [Arc<dyn MemoryPool>; 2] = std::array::from_fn(|_| Arc::new(ValueMemory::new(&shared)) as _);
        let [mut a, mut b] = pools.each_ref().map(|pool| Reservation::new(pool, "value"));
        a.grow(300 << 20).unwrap();
        assert_eq!(b.grow(300 << 20).unwrap_err().code(), "53200");
        a.free();
        b.grow(1).unwrap();
        shared.take(512 << 20);
        // What others have is not there, even if values may have it.
        assert_eq!(a.grow(500 << 20).unwrap_err().code(), "53200");
        drop((a, b));
        shared.give_back(512 << 20);
        assert_eq!(shared.used(), 0);
    }

    fn statements(shared: &Arc<WorkMemory>) -> [Arc<dyn MemoryPool>; 2] {
        std::array::from_fn(|_| Arc::new(QueryMemory::new(shared, 1)) as _)
    }

    #[test]
    fn statements_are_bounded_each_and_together() {
        let shared = Arc::new(WorkMemory::new(400 << 20));
        let [mut a, mut b] = statements(&shared).each_ref().map(|pool| Reservation::new(pool, "sort"));
        assert!(a.grow(LEAST - STEP).is_ok());
        // The last step is taken as a whole.
        assert!(a.grow(2).is_ok());
        assert_eq!(a.grow(STEP).unwrap_err().code(), "53200");
        assert!(b.grow(LEAST - STEP).is_ok());
        drop((a, b));
        assert_eq!(shared.used(), 0);
    }

    #[test]
    fn who_has_a_share_has_it_whatever_others_take() {
        let shared = Arc::new(WorkMemory::new(64 << 20));
        let [first, second] = statements(&shared);
        let [mut a, mut b] = [&first, &second].map(|pool| Reservation::new(pool, "sort"));
        // Of 48 MB for shares: 24 and 12, of which two thirds are the limit.
        assert!(a.grow(15 << 20).is_ok() && a.grow(1 << 20).is_err());
        assert!(b.grow(7 << 20).is_ok() && b.grow(1 << 20).is_err());
        // Those who can write to disk have half of it, in equal parts.
        let spilling = || Reservation::new(&first, "hash").can_spill();
        let (mut c, mut d) = (spilling(), spilling());
        assert!(c.grow(7 << 20).is_ok());
        assert!(d.grow(4 << 20).is_err());
        drop(d);
        let all: Vec<Share> = std::iter::from_fn(|| shared.try_share(usize::MAX)).collect();
        assert_eq!(all.len(), 2);
        // A statement that needs little gets that.
        let [other, _] = statements(&shared);
        let mut little = Reservation::new(&other, "sort");
        assert!(little.grow(100 << 10).is_ok() && little.grow(1 << 20).is_err());
        drop((a, b, c, little));
        assert_eq!(shared.used(), 0);
    }

    #[test]
    fn a_sort_on_disk_has_what_it_needs() {
        let shared = Arc::new(WorkMemory::new(64 << 20));
        let query = Arc::new(QueryMemory::new(&shared, 1));
        let pool: Arc<dyn MemoryPool> = query.clone();
        let [mut a, mut other] = [(); 2].map(|()| Reservation::new(&pool, "hash"));
        a.grow(15 << 20).unwrap();
        assert!(other.grow(1 << 20).is_err());
        let sort: Arc<dyn MemoryPool> = Arc::new(SortMemory::new(&query));
        let mut merging = Reservation::new(&sort, "merge");
        assert!(merging.grow(3 << 20).is_ok() && merging.grow(2 << 20).is_err());
        // Rows that are there already, and what they are merged with.
        let mut rows = Reservation::new(&sort, "sort").can_spill();
        assert!(rows.grow(20 << 20).is_ok() && rows.grow(1 << 20).is_err());
        assert!(merging.grow(30 << 20).is_ok() && merging.grow(60 << 20).is_err());
        drop((a, merging, rows, other));
        assert_eq!((query.reserved(), shared.used()), (0, 0));
    }
}
