//! How many page writes a volume gets at once, where nobody waits for them.
//!
//! What a volume has taken it answers in its order: a commit's log behind thirty page writes waits for thirty of the operations that
//! it is metered by. So page writers watch how long their writes take. Longer than in quiet times means that they queue, and
//! fewer are given at once; otherwise more. The queue stays short, and the volume busy as long as there is something to
//! write (TCP Vegas, Brakmo and Peterson, SIGCOMM 1994, does so with packets).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::Nanos;

/// Depths are counted in parts of this size.
const ONE: u32 = 256;
/// The fewest, the first and the most at once.
const LEAST: u32 = 4;
const FIRST: u32 = 8;
const MOST: u32 = 32;
/// Latencies are compared among writes of about the same size: powers of two, in pages of 8 KiB.
const SIZES: usize = 8;
/// The latency of quiet times grows by this part with each write: it may have been a better day.
const FORGET: u64 = 4096;

/// One volume's.
#[derive(Debug, Default)]
pub struct WriteDepth {
    /// In parts of `ONE`; 0: nothing was written yet.
    depth: AtomicU32,
    /// The shortest latency lately, for each size; 0: none was written.
    quiet: [AtomicU64; SIZES],
}

impl WriteDepth {
    /// How many are to be in flight at most.
    pub fn limit(&self) -> usize {
        (self.parts() / ONE) as usize
    }

    fn parts(&self) -> u32 {
        match self.depth.load(Ordering::Relaxed) {
            0 => FIRST * ONE,
            depth => depth,
        }
    }

    /// One has ended, after so long. (Two that end at once may forget one of their changes.)
    pub fn note(&self, bytes: usize, latency: Nanos) {
        let size = (bytes >> 13).max(1).ilog2() as usize;
        let quiet = &self.quiet[size.min(SIZES - 1)];
        let shortest = match quiet.load(Ordering::Relaxed) {
            0 => latency,
            before => latency.min(before + (before / FORGET).max(1)),
        };
        quiet.store(shortest, Ordering::Relaxed);
        let depth = self.parts();
        // Half as long again is what a queue half as long as the volume's own parallelism makes of it.
        let next = if latency > shortest + shortest / 2 { depth - depth / 16 } else { depth + ONE * ONE / depth };
        self.depth.store(next.clamp(LEAST * ONE, MOST * ONE), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Nanos = 1_000_000;

    /// Writes to a volume that answers after a millisecond, and so many a second; gives the depth in the end.
    fn depth_on(a_second: u64) -> usize {
        let depth = WriteDepth::default();
        // The first writes find it idle.
        depth.note(8192, MS);
        for _ in 0..20_000 {
            depth.note(8192, MS.max(depth.limit() as u64 * 1000 * MS / a_second));
        }
        depth.limit()
    }

    #[test]
    fn the_queue_stays_short() {
        let (slow, fast, fastest) = (depth_on(3000), depth_on(16_000), depth_on(1_000_000));
        assert!((4..=5).contains(&slow), "{slow}");
        assert!((16..=25).contains(&fast), "{fast}");
        assert_eq!(fastest, 32);
    }

    #[test]
    fn large_writes_may_take_longer() {
        let depth = WriteDepth::default();
        for _ in 0..1000 {
            depth.note(8192, MS);
            depth.note(128 << 10, 3 * MS);
        }
        assert_eq!(depth.limit(), 32);
    }

    #[test]
    fn a_volume_may_become_slower() {
        let depth = WriteDepth::default();
        depth.note(8192, MS);
        (0..20_000).for_each(|_| depth.note(8192, 3 * MS));
        assert_eq!(depth.limit(), 32, "it takes longer however few there are");
    }
}
