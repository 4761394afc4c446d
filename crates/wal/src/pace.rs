//! When to write: `commit_delay`, found by itself.
//!
//! A device without a limit in sight is best used by writing each commit at once, with many writes under way. A device
//! that counts operations, or that flushes one after the other, makes writes queue up instead: there it pays that the first
//! commit of a group waits a while for others. Queueing shows as latency: so the wait grows while even the quickest of the
//! last few writes took clearly longer than the device's own latency (the least seen lately), and shrinks while it did not.
//! This is delay-based congestion control (Brakmo, Peterson, TCP Vegas, 1995), with flushes for packets.
//!
//! What is controlled is how long a group's first commit waits, not the space between the starts of writes: clients that
//! were answered together come back together, and their group should go when it is complete, at whatever distance from the
//! one before. (Even spaces make the group's round last a whole number of them: 15 % less on a volume that allows 1,000
//! writes a second.) The tests compare all of this with fixed delays, on simulated devices of several kinds.
//!
//! Waiting is in vain when all sessions that commit these days are there already; then the write starts at once. So a single
//! client never waits.

use aio::Nanos;

/// Looked at together.
const SAMPLES: usize = 8;
/// The device's own latency is the least of this time, or of twice this time.
const MEMORY: Nanos = 5_000_000_000;
/// Commits that wait together, of this time or of twice this time.
const CROWD_MEMORY: Nanos = 50_000_000;
/// At most so many writes start within the device's latency: below that, batches save more processor than waiting costs.
const OVERLAP: Nanos = 8;
/// No commit waits longer, or longer than a write takes where that is more: a device that allows fewer than a hundred
/// writes a second is not waited for.
const LONGEST: Nanos = 10_000_000;
/// Differences below this are the machine's, not the device's.
const NOISE: Nanos = 30_000;

/// The extreme of a sliding time, kept for the current span and the one before it.
#[derive(Debug)]
struct Windowed<T> {
    span: Nanos,
    since: Nanos,
    current: Option<T>,
    before: Option<T>,
}

impl<T: Copy> Windowed<T> {
    fn new(span: Nanos) -> Windowed<T> {
        Windowed { span, since: 0, current: None, before: None }
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
    quickest: Windowed<Nanos>,
    samples: [Nanos; SAMPLES],
    count: usize,
    delay: Nanos,
    last_start: Nanos,
    /// Of the writes that are looked at, one began while another was under way.
    overlapped: bool,
    crowd: Windowed<usize>,
}

impl Pace {
    pub(crate) fn new() -> Pace {
        Pace {
            quickest: Windowed::new(MEMORY),
            samples: [0; SAMPLES],
            count: 0,
            delay: 0,
            last_start: 0,
            overlapped: false,
            crowd: Windowed::new(CROWD_MEMORY),
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

    /// A write starts, perhaps while another is under way.
    pub(crate) fn started(&mut self, now: Nanos, overlaps: bool) {
        self.last_start = now;
        self.overlapped |= overlaps;
    }

    /// A write took `latency`, its flush included.
    pub(crate) fn finished(&mut self, now: Nanos, latency: Nanos) {
        self.quickest.add(now, latency, Nanos::min);
        self.samples[self.count % SAMPLES] = latency;
        self.count += 1;
        if !self.count.is_multiple_of(SAMPLES) {
            return;
        }
        let own = self.own();
        let now_takes = *self.samples.iter().min().expect("not empty");
        // A queue of our own making: where writes do not overlap there is none, however long they take. Without this a
        // noisy device, or clients that wait for each other's locks, would make commits wait longer and longer.
        let queued = now_takes > own + own / 4 + NOISE && self.overlapped;
        let delay = if queued { self.delay + self.delay / 4 + 5_000 } else { self.delay - self.delay / 16 };
        self.delay = delay.min(LONGEST.max(own));
        self.overlapped = false;
    }

    fn own(&self) -> Nanos {
        self.quickest.get(Nanos::min).unwrap_or(0)
    }

    /// How long a group's first commit waits for others.
    pub(crate) fn delay(&self) -> Nanos {
        self.delay
    }

    /// When the next write may start, with `gathered` commits waiting for it, the first of them since `first`.
    pub(crate) fn due(&self, gathered: usize, first: Nanos) -> Nanos {
        if gathered >= self.crowd() { 0 } else { (first + self.delay).max(self.last_start + self.own() / OVERLAP) }
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
        /// Of a flush that follows each write, if any; one runs at a time, and covers all that was written when it began.
        flush: f64,
    }

    /// What clients do between two commits.
    #[derive(Clone, Copy, Debug)]
    enum Think {
        /// Something else, for about so long.
        Elsewhere(f64),
        /// They keep two processors busy that all share: clients that were answered together come back together.
        Here(f64),
    }

    /// Clients that commit, think, and commit again. Gives commits a second; with `fixed` the leader of a group waits so
    /// long, as PostgreSQL does.
    fn simulate(clients: usize, device: Device, think: Think, fixed: Option<Nanos>) -> f64 {
        const WARM: Nanos = 700_000_000;
        const END: Nanos = 1_500_000_000;
        let random = Random::new(7);
        let part = || random.below(1_000_000) as f64 / 1e6;
        let mut pace = Pace::new();
        // What is left to do before the next commit, in the processor's nanoseconds.
        let mut thinking: Vec<f64> = (0..clients).map(|i| i as f64 * 1000.0).collect();
        let share = |thinking: usize| match think {
            Think::Elsewhere(_) => 1.0,
            Think::Here(_) => (2.0 / thinking as f64).min(1.0),
        };
        let (mut waiting, mut first) = (0, 0);
        // End, start, commits.
        let mut writes: Vec<(Nanos, Nanos, usize)> = vec![];
        let (mut now, mut free, mut commits) = (0, 0, 0);
        // When flushes begin.
        let mut flushes: Vec<Nanos> = vec![];
        while now < END {
            let before = thinking.len();
            thinking.retain(|left| *left > 0.5);
            let came = before - thinking.len();
            if waiting == 0 && came > 0 {
                first = now;
            }
            waiting += came;
            let (done, under_way): (Vec<_>, Vec<_>) = writes.into_iter().partition(|w| w.0 <= now);
            writes = under_way;
            for (end, start, count) in done {
                pace.finished(now, end - start);
                commits += if now > WARM { count } else { 0 };
                // Exponential, over a minimum.
                thinking.extend((0..count).map(|_| match think {
                    Think::Elsewhere(time) => time * (0.4 - 0.6 * (1.0 - part()).ln()),
                    Think::Here(time) => time * (0.8 - 0.2 * (1.0 - part()).ln()),
                }));
            }
            pace.waiting(now, waiting + writes.iter().map(|w| w.2).sum::<usize>());
            let due = |waiting| fixed.map_or_else(|| pace.due(waiting, first), |delay| first + delay);
            if waiting > 0 && due(waiting) <= now && writes.len() < 16 {
                let start = now.max(free);
                free = start + device.spacing as Nanos;
                // Two in a hundred take much longer.
                let slow = if part() < 0.02 { 4.0 } else { 0.0 };
                let varied = 1.0 - device.noise * (1.0 + (1.0 - part()).ln());
                let mut end = start + (device.latency * (varied + slow)) as Nanos;
                if device.flush > 0.0 {
                    let flush = device.flush as Nanos;
                    // The first flush that begins when this is written.
                    let planned = flushes.iter().copied().find(|begin| *begin >= end);
                    let begin = planned.unwrap_or_else(|| end.max(flushes.last().map_or(0, |last| last + flush)));
                    if planned.is_none() {
                        flushes.push(begin);
                    }
                    end = begin + flush;
                }
                pace.started(now, !writes.is_empty());
                writes.push((end, now, waiting));
                waiting = 0;
            }
            let due =
                if waiting > 0 { Some(fixed.map_or_else(|| pace.due(waiting, first), |d| first + d)) } else { None };
            let share = share(thinking.len());
            let comes = thinking.iter().copied().reduce(f64::min).map(|left| now + (left / share).ceil() as Nanos);
            let events = comes.into_iter().chain(writes.iter().map(|w| w.0)).chain(due);
            let next = events.filter(|at| *at > now).min().unwrap_or(END);
            let done = (next - now) as f64 * share;
            thinking.iter_mut().for_each(|left| *left -= done);
            now = next;
        }
        commits as f64 / ((END - WARM) as f64 / 1e9)
    }

    /// Never far from the best fixed delay, which is another one for each device and each number of clients.
    #[test]
    fn auto_finds_the_delay_that_one_would_look_for_by_hand() {
        let devices = [
            ("slow, one write after the other", 3e6, 3e6, 0.0),
            ("slow, 1,000 writes a second", 3e6, 1e6, 0.0),
            ("one write after the other", 1.2e6, 1.2e6, 0.0),
            ("fast, 1,000 writes a second", 150e3, 1e6, 0.0),
            ("fast, 20,000 writes a second", 600e3, 50e3, 0.0),
            ("without a limit", 1e6, 0.0, 0.0),
            ("local", 100e3, 20e3, 0.0),
            ("1,000 writes a second, one flush after the other", 1.2e6, 1e6, 1.2e6),
        ];
        let devices = devices.into_iter().flat_map(|(name, latency, spacing, flush)| {
            [0.15, 0.5].map(|noise| (format!("{name}, noise {noise}"), Device { latency, noise, spacing, flush }))
        });
        let mut short = vec![];
        for (name, device) in devices {
            for clients in [1, 10, 50] {
                let elsewhere = [300e3, 1e6, 2e6].map(Think::Elsewhere);
                for think in elsewhere.into_iter().chain([100e3, 300e3].map(Think::Here)) {
                    let auto = simulate(clients, device, think, None);
                    let fixed =
                        [0, 200, 500, 1000, 2000, 4000].map(|us| simulate(clients, device, think, Some(us * 1000)));
                    let best = fixed.into_iter().fold(0.0, f64::max);
                    println!("{name}, {clients} clients, {think:?}: {:.2} of {fixed:.0?}", auto / best);
                    if auto < if clients == 1 { 0.99 } else { 0.85 } * best {
                        short.push(format!(
                            "{name}, {clients} clients that think {think:?} ns: {auto:.0} of {fixed:.0?}"
                        ));
                    }
                }
            }
        }
        assert!(short.is_empty(), "{short:#?}");
    }
}
