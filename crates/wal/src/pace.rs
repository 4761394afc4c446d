//! When to write: `commit_delay`, found by itself.
//!
//! A device without a limit in sight is best used by writing each commit at once, with many writes under way. A device
//! that counts operations, or that flushes one after the other, makes writes queue up instead: there it pays to gather
//! commits until the device is ready for the next write. Queueing shows as latency: so the space between the starts of
//! writes grows while even the quickest of the last few took clearly longer than the device's own latency (the least seen
//! lately), and shrinks while it did not. This is delay-based congestion control (Brakmo, Peterson, TCP Vegas, 1995), with
//! flushes for packets.
//!
//! Waiting is in vain when everybody who commits these days is there already; then the write starts at once. So a single
//! client never waits.

use aio::Nanos;

/// Looked at together.
const SAMPLES: usize = 8;
/// The device's own latency is the least of this time, or of twice this time.
const MEMORY: Nanos = 5_000_000_000;
/// Commits that wait together, of this time or of twice this time.
const CROWD_MEMORY: Nanos = 50_000_000;
/// At most so many writes start within the device's latency: below that, batches save more processor than waiting costs.
const OVERLAP: Nanos = 4;
/// Differences below this are the machine's, not the device's.
const NOISE: Nanos = 30_000;

/// The extreme of a sliding time, kept for the current span and the one before it.
#[derive(Debug)]
struct Lately<T> {
    span: Nanos,
    since: Nanos,
    current: Option<T>,
    before: Option<T>,
}

impl<T: Copy> Lately<T> {
    fn new(span: Nanos) -> Lately<T> {
        Lately { span, since: 0, current: None, before: None }
    }

    fn add(&mut self, now: Nanos, value: T, better: impl Fn(T, T) -> T) {
        if now >= self.since + self.span {
            self.before = if now >= self.since + 2 * self.span { None } else { self.current };
            self.current = None;
            self.since = now;
        }
        self.current = Some(self.current.map_or(value, |c| better(c, value)));
    }

    fn get(&self, better: impl Fn(T, T) -> T) -> Option<T> {
        match (self.current, self.before) {
            (Some(a), Some(b)) => Some(better(a, b)),
            (a, b) => a.or(b),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Pace {
    quickest: Lately<Nanos>,
    samples: [Nanos; SAMPLES],
    count: usize,
    gap: Nanos,
    last_start: Nanos,
    crowd: Lately<usize>,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace {
            quickest: Lately::new(MEMORY),
            samples: [0; SAMPLES],
            count: 0,
            gap: 0,
            last_start: 0,
            crowd: Lately::new(CROWD_MEMORY),
        }
    }

    /// So many commits wait, for a write to start or to end.
    pub(crate) fn waiting(&mut self, now: Nanos, commits: usize) {
        self.crowd.add(now, commits, usize::max);
    }

    /// How many commits have lately waited at once: at least one.
    pub(crate) fn crowd(&self) -> usize {
        self.crowd.get(usize::max).unwrap_or(1).max(1)
    }

    pub(crate) fn started(&mut self, now: Nanos) {
        self.last_start = now;
    }

    /// A write took `latency`, its flush included.
    pub(crate) fn finished(&mut self, now: Nanos, latency: Nanos) {
        self.quickest.add(now, latency, Nanos::min);
        self.samples[self.count % SAMPLES] = latency;
        self.count += 1;
        if !self.count.is_multiple_of(SAMPLES) {
            return;
        }
        let own = self.quickest.get(Nanos::min).expect("just added");
        let now_takes = *self.samples.iter().min().expect("not empty");
        // More than the time of a write would be worse than one write after the other.
        let (least, most) = (own / OVERLAP, now_takes.max(own));
        let queued = now_takes > own + own / 8 + NOISE;
        let gap = if queued { self.gap + self.gap / 4 + 5_000 } else { self.gap - self.gap / 16 };
        self.gap = gap.clamp(least, most);
    }

    /// The space between the starts of writes.
    pub(crate) fn gap(&self) -> Nanos {
        self.gap
    }

    /// When the next write may start, with `gathered` commits waiting for it.
    pub(crate) fn due(&self, gathered: usize) -> Nanos {
        if gathered >= self.crowd() { 0 } else { self.last_start + self.gap }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A device with a latency and a rate; a crowd that commits again `think` after each commit. Gives commits a second.
    fn simulate(clients: usize, latency: Nanos, iops: Option<u64>, think: Nanos) -> f64 {
        const END: Nanos = 4_000_000_000;
        let mut pace = Pace::new();
        let mut arrivals: Vec<Nanos> = (0..clients as u64).map(|i| i * 1000).collect();
        let mut waiting: usize = 0;
        // End, start, commits.
        let mut writes: Vec<(Nanos, Nanos, usize)> = vec![];
        let (mut now, mut free, mut commits) = (0, 0, 0);
        while now < END {
            let arrived = arrivals.iter().filter(|at| **at <= now).count();
            arrivals.retain(|at| *at > now);
            waiting += arrived;
            let (done, under_way): (Vec<_>, Vec<_>) = writes.into_iter().partition(|w| w.0 <= now);
            writes = under_way;
            for (end, start, count) in done {
                pace.finished(now, end - start);
                commits += count;
                arrivals.extend((0..count).map(|_| now + think));
            }
            pace.waiting(now, waiting + writes.iter().map(|w| w.2).sum::<usize>());
            if waiting > 0 && pace.due(waiting) <= now && writes.len() < 16 {
                let start = now.max(free);
                free = start + iops.map_or(0, |iops| 1_000_000_000 / iops);
                writes.push((start + latency, now, waiting));
                pace.started(now);
                waiting = 0;
            }
            let mut next = END;
            let events = arrivals.iter().copied().chain(writes.iter().map(|w| w.0));
            events.filter(|at| *at > now).for_each(|at| next = next.min(at));
            if waiting > 0 && pace.due(waiting) > now {
                next = next.min(pace.due(waiting));
            }
            now = next;
        }
        commits as f64 / (END as f64 / 1e9)
    }

    #[test]
    fn a_limited_device_gets_batches() {
        // Ten clients that are back within 0.6 ms, 1,000 writes a second: ten commits fit in each.
        let rate = simulate(10, 150_000, Some(1000), 600_000);
        assert!(rate > 9_000.0, "{rate}");
        let rate = simulate(50, 150_000, Some(1000), 600_000);
        assert!(rate > 42_000.0, "{rate}");
    }

    #[test]
    fn an_unlimited_device_gets_every_commit_at_once() {
        for clients in [1, 10, 50] {
            let rate = simulate(clients, 1_000_000, None, 200_000);
            let best = clients as f64 / 1.2e-3;
            assert!(rate > 0.9 * best, "{clients} clients: {rate} of {best}");
        }
    }

    #[test]
    fn a_single_client_never_waits() {
        let rate = simulate(1, 150_000, Some(1000), 100_000);
        assert!(rate > 990.0, "{rate}");
    }
}
