//! A statement's memory for sorting, hashing and the like: within its own limit, and within what all statements share.
//! An operator that gets no more writes to disk if it can; otherwise the statement fails with 53200.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use datafusion_common::DataFusionError;
use datafusion_execution::memory_pool::{
    FairSpillPool, GreedyMemoryPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use engine::memory::{OPERATORS, WorkMemory};

use crate::error::{Error, Result};

/// A statement may have this much whatever `work_mem` says, in bytes: operators that spill need some to do so.
const LEAST: usize = 64 << 20;

/// What a participant of a parallel statement needs to sort and merge, in bytes.
const PARTICIPANT: usize = 8 << 20;

/// What is asked for at once, in bytes: small amounts are not worth asking for each time.
const STEP: usize = 64 << 10;

#[derive(Debug)]
pub struct QueryMemory {
    shared: Arc<WorkMemory>,
    /// Operators that can write to disk get equal parts: none starves. They have half: a sort that merges what it holds takes up to
    /// three times as much of the others' for it, the rows' keys and the rows in order.
    spilling: FairSpillPool,
    /// The others have all for themselves: what merges the runs of a sort would find it taken by sorts beside it.
    rest: GreedyMemoryPool,
    limit: usize,
    /// Something was asked for.
    asked: AtomicBool,
}

impl QueryMemory {
    /// `work_mem` is in bytes, for each of [`OPERATORS`].
    pub fn new(shared: &Arc<WorkMemory>, work_mem: usize) -> QueryMemory {
        let limit = work_mem.saturating_mul(OPERATORS).max(LEAST).min(shared.limit());
        QueryMemory {
            shared: shared.clone(),
            spilling: FairSpillPool::new(limit / 2),
            rest: GreedyMemoryPool::new(limit),
            limit,
            asked: AtomicBool::new(false),
        }
    }

    /// The most it gives to either kind of operators, in bytes.
    pub fn limit(&self) -> usize {
        self.limit
    }

    /// How many may take part in the statement: with less memory for each, sorts fail where one alone would write to disk.
    pub fn participants(&self) -> usize {
        (self.limit / PARTICIPANT).max(1)
    }

    /// The pool of a consumer that asks for more.
    fn asked(&self, consumer: &MemoryConsumer) -> &dyn MemoryPool {
        self.asked.store(true, Ordering::Relaxed);
        self.own(consumer)
    }

    fn own(&self, consumer: &MemoryConsumer) -> &dyn MemoryPool {
        if consumer.can_spill() { &self.spilling } else { &self.rest }
    }
}

/// The statement's operators have freed all that they had.
impl Drop for QueryMemory {
    fn drop(&mut self) {
        if *self.asked.get_mut() {
            aio::give_back();
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
        self.own(consumer).register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.own(consumer).unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.asked(reservation.consumer()).grow(reservation, additional);
        self.shared.take(additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.own(reservation.consumer()).shrink(reservation, shrink);
        self.shared.give_back(shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> datafusion_common::Result<()> {
        let refused = |whose: &str, limit: usize| refused(reservation, additional, whose, limit);
        self.asked(reservation.consumer())
            .try_grow(reservation, additional)
            .map_err(|_| refused("the statement's", self.limit))?;
        if !self.shared.try_take(additional) {
            self.own(reservation.consumer()).shrink(reservation, additional);
            return Err(refused("all statements'", self.shared.limit()));
        }
        Ok(())
    }

    fn reserved(&self) -> usize {
        self.spilling.reserved() + self.rest.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}

impl fmt::Display for QueryMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (used: {}, limit: {})", self.name(), self.reserved(), self.limit)
    }
}

/// For what can only be in memory as a whole, as one long value is: it is not refused while there is memory, but all
/// statements' values together leave half of that to others ([`WorkMemory::try_take_value`]).
#[derive(Debug)]
pub struct ValueMemory {
    shared: Arc<WorkMemory>,
    reserved: AtomicUsize,
    /// Something was asked for.
    asked: AtomicBool,
}

impl ValueMemory {
    pub fn new(shared: &Arc<WorkMemory>) -> ValueMemory {
        ValueMemory { shared: shared.clone(), reserved: AtomicUsize::new(0), asked: AtomicBool::new(false) }
    }
}

/// As with [`QueryMemory`].
impl Drop for ValueMemory {
    fn drop(&mut self) {
        if *self.asked.get_mut() {
            aio::give_back();
        }
    }
}

impl MemoryPool for ValueMemory {
    fn name(&self) -> &str {
        "values"
    }

    fn grow(&self, _: &MemoryReservation, additional: usize) {
        self.shared.take_value(additional);
        self.reserved.fetch_add(additional, Ordering::Relaxed);
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
        self.reserved.fetch_add(additional, Ordering::Relaxed);
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
        assert!(shared.try_take(512 << 20));
        // What others have is not there, even if values may have it.
        assert_eq!(a.grow(500 << 20).unwrap_err().code(), "53200");
        drop((a, b));
        shared.give_back(512 << 20);
        assert_eq!(shared.used(), 0);
    }

    #[test]
    fn statements_are_bounded_each_and_together() {
        let shared = Arc::new(WorkMemory::new(100 << 20));
        let pools: [Arc<dyn MemoryPool>; 2] = std::array::from_fn(|_| Arc::new(QueryMemory::new(&shared, 1)) as _);
        let [mut a, mut b] = pools.each_ref().map(|pool| Reservation::new(pool, "sort"));
        assert!(a.grow(LEAST - STEP).is_ok());
        // The last step is taken as a whole.
        assert!(a.grow(2).is_ok());
        assert_eq!(a.grow(STEP).unwrap_err().code(), "53200");
        assert_eq!(b.grow(LEAST - STEP).unwrap_err().code(), "53200");
        b.free();
        assert!(b.grow(32 << 20).is_ok());
        drop((a, b));
        assert!(shared.try_take(100 << 20));
    }
}
