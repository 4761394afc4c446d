//! Numbers that are the same for the same seed, everywhere.

/// splitmix64.
pub struct Random(u64);

impl Random {
    /// Of the statement with this number.
    pub fn of(seed: u64, number: u64) -> Random {
        let mut random = Random(seed ^ number.wrapping_mul(0xd134_2543_de82_ef95));
        random.next();
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Takes some out of a list, which keep their order.
    pub fn some<T: Clone>(&mut self, of: &[T], most: usize) -> Vec<T> {
        let mut found: Vec<T> = of.to_vec();
        while found.len() > most {
            found.remove(self.below(found.len()));
        }
        found
    }
}
