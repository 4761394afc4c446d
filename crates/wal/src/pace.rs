//! When to write: `commit_delay`, found by itself.
//!
//! A device without a limit in sight is best used by writing each commit at once, with many writes under way. A device
//! that counts operations, or that flushes one after the other, makes writes queue up instead: there it pays to gather
//! commits until the device is ready for the next write. Queueing shows as latency: so the space between the starts of
//! writes grows while even the quickest of the last few took clearly longer than the device's own latency (the least seen
//! lately), and shrinks while it did not. This is delay-based congestion control (Brakmo, Peterson, TCP Vegas, 1995), with
//! flushes for packets.
//!
//! On a device that answers at once but counts operations the space ends up longer than a write takes: only so does the
//! device's queue stay empty. The tests compare all of this with fixed delays, on simulated devices of several kinds.
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
/// Writes start at least so often, or one after the other where they take longer: a device that allows fewer than a
/// hundred a second is not waited for.
const LONGEST: Nanos = 10_000_000;
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
        // A queue of our own making: where writes do not overlap there is none, however long they take. Without this a
        // noisy device, or clients that wait for each other's locks, would be given longer and longer spaces.
        let queued = now_takes > own + own / 4 + NOISE && now_takes + now_takes / 2 > self.gap;
        let gap = if queued { self.gap + self.gap / 4 + 5_000 } else { self.gap - self.gap / 16 };
        self.gap = gap.clamp(own / OVERLAP, LONGEST.max(own));
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
    use aio::Random;

    use super::*;

    /// What a simulated device is like: nanoseconds.
    #[derive(Clone, Copy, Debug)]
    struct Device {
        /// Of a write that meets no queue, about.
        latency: f64,
        /// The part of it that varies, exponentially.
        noise: f64,
        /// Writes start at least so far apart: the inverse of its rate.
        spacing: f64,
    }

    /// Clients that commit, think for about `think`, and commit again. Gives commits a second; with `fixed` the leader of
    /// a group waits so long, as PostgreSQL does.
    fn simulate(clients: usize, device: Device, think: f64, fixed: Option<Nanos>) -> f64 {
        const END: Nanos = 2_000_000_000;
        let random = Random::new(7);
        let part = || random.below(1_000_000) as f64 / 1e6;
        let mut pace = Pace::new();
        let mut arrivals: Vec<Nanos> = (0..clients as u64).map(|i| i * 1000).collect();
        let (mut waiting, mut leading_since) = (0, 0);
        // End, start, commits.
        let mut writes: Vec<(Nanos, Nanos, usize)> = vec![];
        let (mut now, mut free, mut commits) = (0, 0, 0);
        while now < END {
            let before = arrivals.len();
            arrivals.retain(|at| *at > now);
            if waiting == 0 && arrivals.len() < before {
                leading_since = now;
            }
            waiting += before - arrivals.len();
            let (done, under_way): (Vec<_>, Vec<_>) = writes.into_iter().partition(|w| w.0 <= now);
            writes = under_way;
            for (end, start, count) in done {
                pace.finished(now, end - start);
                commits += count;
                // Exponential, over a minimum.
                arrivals.extend((0..count).map(|_| now + (think * (0.4 - 0.6 * (1.0 - part()).ln())) as Nanos));
            }
            pace.waiting(now, waiting + writes.iter().map(|w| w.2).sum::<usize>());
            let due = |waiting| fixed.map_or_else(|| pace.due(waiting), |delay| leading_since + delay);
            if waiting > 0 && due(waiting) <= now && writes.len() < 16 {
                let start = now.max(free);
                free = start + device.spacing as Nanos;
                // Two in a hundred take much longer.
                let slow = if part() < 0.02 { 4.0 } else { 0.0 };
                writes.push((
                    start + (device.latency * (1.0 - device.noise * (1.0 + (1.0 - part()).ln()) + slow)) as Nanos,
                    now,
                    waiting,
                ));
                pace.started(now);
                waiting = 0;
            }
            let due =
                if waiting > 0 { Some(fixed.map_or_else(|| pace.due(waiting), |d| leading_since + d)) } else { None };
            let events = arrivals.iter().copied().chain(writes.iter().map(|w| w.0)).chain(due);
            now = events.filter(|at| *at > now).min().unwrap_or(END);
        }
        commits as f64 / (END as f64 / 1e9)
    }

    /// Never far from the best fixed delay, which is another one for each device and each number of clients.
    #[test]
    fn auto_finds_the_delay_that_one_would_look_for_by_hand() {
        let devices = [
            ("slow, one write after the other", 3e6, 3e6),
            ("slow, 1,000 writes a second", 3e6, 1e6),
            ("one write after the other", 1.2e6, 1.2e6),
            ("fast, 1,000 writes a second", 150e3, 1e6),
            ("fast, 20,000 writes a second", 600e3, 50e3),
            ("without a limit", 1e6, 0.0),
            ("local", 100e3, 20e3),
        ];
        let devices = devices.into_iter().flat_map(|(name, latency, spacing)| {
            [0.15, 0.5].map(|noise| (format!("{name}, noise {noise}"), Device { latency, noise, spacing }))
        });
        let mut short = vec![];
        for (name, device) in devices {
            for clients in [1, 10, 50] {
                for think in [200e3, 500e3, 1e6, 2e6] {
                    let auto = simulate(clients, device, think, None);
                    let fixed =
                        [0, 200, 500, 1000, 2000, 4000].map(|us| simulate(clients, device, think, Some(us * 1000)));
                    let best = fixed.into_iter().fold(0.0, f64::max);
                    println!("{name}, {clients} clients, {think} ns: {:.2} of {fixed:.0?}", auto / best);
                    if auto < if clients == 1 { 0.99 } else { 0.75 } * best {
                        short.push(format!(
                            "{name}, {clients} clients that think for {think} ns: {auto:.0} of {fixed:.0?}"
                        ));
                    }
                }
            }
        }
        assert!(short.is_empty(), "{short:#?}");
    }
}
