//! Counters that many threads count in: each thread has its stripe, on lines of the processors' caches that few others write to.
//! Relaxed atomics: each counter is exact, but they are no consistent set.

use std::sync::atomic::{AtomicU64, Ordering};

const STRIPES: usize = 8;

#[derive(Debug)]
#[repr(align(64))]
struct Stripe<const N: usize>([AtomicU64; N]);

/// `N` counters, by number.
#[derive(Debug)]
pub struct Striped<const N: usize>([Stripe<N>; STRIPES]);

impl<const N: usize> Default for Striped<N> {
    fn default() -> Striped<N> {
        Striped(std::array::from_fn(|_| Stripe(std::array::from_fn(|_| AtomicU64::new(0)))))
    }
}

impl<const N: usize> Striped<N> {
    /// Counters that go on from there.
    pub fn of(numbers: [u64; N]) -> Striped<N> {
        let striped = Striped::default();
        striped.0[0].0.iter().zip(numbers).for_each(|(counter, number)| counter.store(number, Ordering::Relaxed));
        striped
    }

    fn own(&self) -> &Stripe<N> {
        &self.0[crate::thread_number() % STRIPES]
    }

    pub fn add(&self, counter: usize, count: u64) {
        self.own().0[counter].fetch_add(count, Ordering::Relaxed);
    }

    /// Makes a counter whose largest value counts no smaller than this.
    pub fn raise(&self, counter: usize, to: u64) {
        self.own().0[counter].fetch_max(to, Ordering::Relaxed);
    }

    pub fn sums(&self) -> [u64; N] {
        std::array::from_fn(|counter| self.each(counter).sum())
    }

    /// Begins anew.
    pub fn reset(&self) {
        self.0.iter().flat_map(|stripe| &stripe.0).for_each(|counter| counter.store(0, Ordering::Relaxed));
    }

    pub fn largest(&self, counter: usize) -> u64 {
        self.each(counter).max().unwrap_or(0)
    }

    fn each(&self, counter: usize) -> impl Iterator<Item = u64> {
        self.0.iter().map(move |stripe| stripe.0[counter].load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_count_together_and_counters_go_on() {
        let striped = Striped::of([1, 40]);
        std::thread::scope(|scope| {
            for number in 0..20 {
                let striped = &striped;
                scope.spawn(move || {
                    striped.add(0, 2);
                    striped.raise(1, number);
                });
            }
        });
        assert_eq!((striped.sums()[0], striped.largest(1)), (41, 40));
    }
}
