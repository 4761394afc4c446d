//! Places of those who work beside the clients' sessions: `max_worker_processes` for all, of which sessions' parallel workers
//! have `max_parallel_workers`. A session that finds none does the work alone; no client's place is ever taken.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

#[derive(Debug)]
pub(crate) struct WorkerPlaces {
    most: usize,
    taken: AtomicUsize,
    parallel: AtomicUsize,
}

/// A place, while it lives.
#[derive(Debug)]
pub(crate) struct WorkerPlace {
    places: Arc<WorkerPlaces>,
    is_parallel: bool,
}

fn take(taken: &AtomicUsize, most: usize) -> bool {
    let one_more = |taken: usize| (taken < most).then_some(taken + 1);
    taken.fetch_update(Ordering::AcqRel, Ordering::Relaxed, one_more).is_ok()
}

impl WorkerPlaces {
    pub fn new(most: usize) -> Arc<WorkerPlaces> {
        Arc::new(WorkerPlaces { most, taken: AtomicUsize::new(0), parallel: AtomicUsize::new(0) })
    }

    /// A parallel worker's, if there are fewer than `most` of these.
    pub fn take_parallel(self: &Arc<Self>, most: usize) -> Option<WorkerPlace> {
        if !take(&self.parallel, most) {
            return None;
        }
        if !take(&self.taken, self.most) {
            self.parallel.fetch_sub(1, Ordering::AcqRel);
            return None;
        }
        Some(WorkerPlace { places: self.clone(), is_parallel: true })
    }

    /// Another worker's.
    pub fn take_other(self: &Arc<Self>) -> Option<WorkerPlace> {
        take(&self.taken, self.most).then(|| WorkerPlace { places: self.clone(), is_parallel: false })
    }
}

impl Drop for WorkerPlace {
    fn drop(&mut self) {
        self.places.taken.fetch_sub(1, Ordering::AcqRel);
        if self.is_parallel {
            self.places.parallel.fetch_sub(1, Ordering::AcqRel);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_so_many() {
        let places = WorkerPlaces::new(3);
        let parallel: Vec<_> = (0..5).map_while(|_| places.take_parallel(2)).collect();
        assert_eq!(parallel.len(), 2);
        // Another session may have more, and others than parallel ones have what is left.
        let third = places.take_parallel(8).unwrap();
        assert!(places.take_other().is_none() && places.take_parallel(8).is_none());
        drop(parallel);
        let other = places.take_other().unwrap();
        assert!(places.take_parallel(1).is_none() && places.take_parallel(2).is_some());
        drop((third, other));
        assert!(WorkerPlaces::new(0).take_other().is_none() && places.take_parallel(0).is_none());
        assert_eq!((places.taken.load(Ordering::Relaxed), places.parallel.load(Ordering::Relaxed)), (0, 0));
    }
}
