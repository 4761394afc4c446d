//! Randomness that depends on a seed alone: the simulated method's, its disk's, and the tests'.

use std::cell::Cell;

/// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
#[derive(Debug)]
pub struct Random(Cell<u64>);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(Cell::new(seed))
    }

    pub fn next(&self) -> u64 {
        let state = self.0.get().wrapping_add(0x9E37_79B9_7F4A_7C15);
        self.0.set(state);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 to `n - 1`.
    pub fn below(&self, n: u64) -> u64 {
        self.next() % n
    }

    /// True `part` times of a hundred.
    pub fn percent(&self, part: u64) -> bool {
        self.below(100) < part
    }

    pub fn range(&self, from: i64, to: i64) -> i64 {
        from + self.below((to - from + 1) as u64) as i64
    }
}
