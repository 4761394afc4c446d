//! A statement's memory for sorting, hashing and the like: within its own limit, and within what all statements share.
//! An operator that gets no more writes to disk if it can; otherwise the statement fails with 53200.

use std::fmt;
use std::sync::Arc;

use datafusion::common::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    FairSpillPool, GreedyMemoryPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};
use engine::memory::{OPERATORS, WorkMemory};

/// A statement may have this much whatever `work_mem` says, in bytes: operators that spill need some to do so.
const LEAST: usize = 64 << 20;

/// What a participant of a parallel statement needs to sort and merge, in bytes.
const PARTICIPANT: usize = 8 << 20;

#[derive(Debug)]
pub struct QueryMemory {
    shared: Arc<WorkMemory>,
    /// Operators that can write to disk get equal parts: none starves.
    spilling: FairSpillPool,
    /// The others have as much for themselves: what merges the runs of a sort would find all taken by sorts beside it.
    rest: GreedyMemoryPool,
    limit: usize,
}

impl QueryMemory {
    /// `work_mem` is in bytes, for each of [`OPERATORS`].
    pub fn new(shared: &Arc<WorkMemory>, work_mem: usize) -> QueryMemory {
        let limit = (work_mem * OPERATORS).max(LEAST).min(shared.limit());
        QueryMemory {
            shared: shared.clone(),
            spilling: FairSpillPool::new(limit),
            rest: GreedyMemoryPool::new(limit),
            limit,
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

    fn own(&self, consumer: &MemoryConsumer) -> &dyn MemoryPool {
        if consumer.can_spill() { &self.spilling } else { &self.rest }
    }
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
        self.own(reservation.consumer()).grow(reservation, additional);
        self.shared.take(additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.own(reservation.consumer()).shrink(reservation, shrink);
        self.shared.give_back(shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let refused = |whose: &str, limit: usize| {
            let who = reservation.consumer().name();
            let message = format!("{who} needs {additional} bytes more than its part of {whose} {limit} bytes");
            DataFusionError::ResourcesExhausted(message)
        };
        self.own(reservation.consumer())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_bounded_each_and_together() {
        let shared = Arc::new(WorkMemory::new(100 << 20));
        let pools: [Arc<dyn MemoryPool>; 2] = std::array::from_fn(|_| Arc::new(QueryMemory::new(&shared, 1)) as _);
        let [a, b] = pools.each_ref().map(|pool| MemoryConsumer::new("sort").register(pool));
        assert!(a.try_grow(LEAST).is_ok());
        assert!(a.try_grow(1).unwrap_err().to_string().contains("the statement's"));
        assert!(b.try_grow(LEAST).unwrap_err().to_string().contains("all statements'"));
        assert!(b.try_grow(36 << 20).is_ok());
        drop(a);
        assert!(b.try_grow(1).is_ok());
        drop(b);
        assert!(shared.try_take(100 << 20));
    }
}
