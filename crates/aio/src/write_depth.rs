//! How many page writes a volume gets at once, where no session waits for them.
//!
//! What a volume has taken it answers in its order: a commit's log behind thirty page writes waits for thirty of the operations that
//! it is metered by. So page writers watch how long their writes take. Longer than when there are few means that they queue, and
//! fewer are given at once; otherwise more. The queue stays short, and the volume busy as long as there is something to
//! write (TCP Vegas, Brakmo and Peterson, SIGCOMM 1994, does so with packets).
//!
//! # Invariant
//! What counts as short was measured with the fewest writes under way, lately: were it measured beside many, their queue would
//! pass for the volume's own time, and grow.

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
/// So many writes of each `WINDOW` are few at once, and the last half of them, beside which no others are under way, tell how long they
/// take then.
const WINDOW: u32 = 4096;
const FEW: u32 = 128;
/// Means are moved by this part of what is new.
const NEW: u64 = 16;

/// One volume's.
#[derive(Debug, Default)]
pub struct WriteDepth {
    /// In parts of `ONE`; 0: nothing was written yet.
    depth: AtomicU32,
    written: AtomicU32,
    /// Mean latencies lately, for each size: of all writes, and where they are few; 0: there were none.
    means: [[AtomicU64; 2]; SIZES],
}

/// Moves a mean, and gives it.
fn move_mean(mean: &AtomicU64, latency: Nanos) -> Nanos {
    let moved = match mean.load(Ordering::Relaxed) {
        0 => latency,
        before => before - before / NEW + latency / NEW,
    };
    mean.store(moved, Ordering::Relaxed);
    moved
}

impl WriteDepth {
    /// How many are to be in flight at most.
    pub fn limit(&self) -> usize {
        let is_measured = self.written.load(Ordering::Relaxed) % WINDOW < FEW;
        (if is_measured { LEAST } else { self.parts() / ONE }) as usize
    }

    fn parts(&self) -> u32 {
        match self.depth.load(Ordering::Relaxed) {
            0 => FIRST * ONE,
            depth => depth,
        }
    }

    /// One has ended, after so long. (Two that end at once may forget one of their changes.)
    pub fn note(&self, bytes: usize, latency: Nanos) {
        let written = self.written.fetch_add(1, Ordering::Relaxed);
        let size = (bytes >> 13).max(1).ilog2() as usize;
        let [all, few] = &self.means[size.min(SIZES - 1)];
        let mean = move_mean(all, latency);
        let in_window = written % WINDOW;
        if in_window < FEW || few.load(Ordering::Relaxed) == 0 {
            if in_window >= FEW / 2 {
                move_mean(few, latency);
            }
            return;
        }
        let alone = few.load(Ordering::Relaxed);
        // Half as long again is what a queue makes of it that is half as long as what the volume does at once.
        let depth = self.parts();
        let next = if mean > alone + alone / 2 { depth - depth / 16 } else { depth + ONE * ONE / depth };
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
        for _ in 0..60_000 {
            depth.note(8192, MS.max(depth.limit() as u64 * 1000 * MS / a_second));
        }
        depth.limit()
    }

    #[test]
    fn the_queue_stays_short() {
        let (slow, fast, fastest) = (depth_on(3000), depth_on(16_000), depth_on(1_000_000));
        assert!((4..=6).contains(&slow), "{slow}");
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
        (0..5000).for_each(|_| depth.note(8192, MS));
        (0..15_000).for_each(|_| depth.note(8192, 3 * MS));
        assert_eq!(depth.limit(), 32, "it takes longer however few there are");
    }
}
