//! The volumes that files are on: what each one has done, how long it took, how much of that it can do, and how deep it is
//! best read. The engine counts here, an operation of the kernel's at a time; `inflight_devices` shows it, and read
//! streams and the planner learn from it.
//!
//! Counters are relaxed atomics: each is exact, but they are no consistent set.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::clock::Nanos;
use crate::op::OpKind;
use crate::write_depth::WriteDepth;

/// What a volume is asked to do, as far as it takes different times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceOp {
    Read,
    Write,
    /// A write and the flush behind it: a commit, mostly.
    DurableWrite,
    Flush,
}

impl DeviceOp {
    pub const ALL: [DeviceOp; 4] = [DeviceOp::Read, DeviceOp::Write, DeviceOp::DurableWrite, DeviceOp::Flush];

    /// `inflight_devices.operation`.
    pub fn name(self) -> &'static str {
        match self {
            DeviceOp::Read => "read",
            DeviceOp::Write => "write",
            DeviceOp::DurableWrite => "write and flush",
            DeviceOp::Flush => "flush",
        }
    }

    fn of(kind: OpKind) -> Option<DeviceOp> {
        match kind {
            OpKind::Read => Some(DeviceOp::Read),
            OpKind::Write => Some(DeviceOp::Write),
            OpKind::WriteFlush => Some(DeviceOp::DurableWrite),
            OpKind::Fsync | OpKind::Fdatasync => Some(DeviceOp::Flush),
            // A change of the file system's own; what of it reaches the volume is not to be seen.
            OpKind::Allocate => None,
        }
    }
}

/// How a volume is read: the two take different depths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// Neighbours, many in one operation.
    Sequential,
    /// Single pages from anywhere.
    Scattered,
}

/// A volume.
#[derive(Debug)]
pub struct Device {
    number: u64,
    in_flight: AtomicUsize,
    operations: [Operations; DeviceOp::ALL.len()],
    speeds: [Speed; 2],
    /// How many page writes it gets at once.
    pub write_depth: WriteDepth,
}

/// What read streams have found out: see [`ReadSpeed`].
#[derive(Debug, Default)]
struct Speed {
    depth: AtomicUsize,
    /// The bits of a number.
    rate: AtomicU64,
}

/// How a volume is best read in a pattern, as far as is known: 0 stands for what is not.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ReadSpeed {
    /// Pages in flight: where read streams look first.
    pub depth: usize,
    /// Pages a second with so many in flight.
    pub rate: f64,
}

/// What was done of one kind.
#[derive(Debug, Default)]
struct Operations {
    count: AtomicU64,
    bytes: AtomicU64,
    latency: Histogram,
    rate: Rate,
}

/// What was done of one kind, to be shown.
#[derive(Clone, Copy, Debug)]
pub struct DeviceView {
    pub operation: DeviceOp,
    pub count: u64,
    pub bytes: u64,
    /// Operations and bytes a second, in the last tenth of one that is over.
    pub rate: (f64, f64),
    /// The most of each that was ever seen.
    pub ceiling: (f64, f64),
    /// From submission to answer: the 50th, 95th and 99th percentile (within an eighth), and the longest.
    pub latency: [Nanos; 4],
}

impl Device {
    fn new(number: u64) -> Device {
        Device {
            number,
            in_flight: AtomicUsize::new(0),
            operations: Default::default(),
            speeds: Default::default(),
            write_depth: WriteDepth::default(),
        }
    }

    /// The system's number for it (`st_dev`).
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Operations under way.
    pub fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// How it is best read.
    pub fn read_speed(&self, pattern: Pattern) -> ReadSpeed {
        let Speed { depth, rate } = &self.speeds[pattern as usize];
        ReadSpeed { depth: depth.load(Ordering::Relaxed), rate: f64::from_bits(rate.load(Ordering::Relaxed)) }
    }

    /// Passes on what a stream, or an earlier run of the server, has found.
    pub fn set_read_speed(&self, pattern: Pattern, speed: ReadSpeed) {
        let Speed { depth, rate } = &self.speeds[pattern as usize];
        depth.store(speed.depth, Ordering::Relaxed);
        rate.store(speed.rate.to_bits(), Ordering::Relaxed);
    }

    /// Reads that it has done so far, and their bytes.
    pub fn reads(&self) -> (u64, u64) {
        let reads = &self.operations[DeviceOp::Read as usize];
        (reads.count.load(Ordering::Relaxed), reads.bytes.load(Ordering::Relaxed))
    }

    /// What it has done so far; nothing for kinds that never came.
    pub fn operations(&self, now: Nanos) -> impl Iterator<Item = DeviceView> {
        let seen = |operation: &DeviceOp| self.operations[*operation as usize].count.load(Ordering::Relaxed) > 0;
        DeviceOp::ALL
            .into_iter()
            .filter(seen)
            .map(move |operation| self.operations[operation as usize].view(operation, now))
    }

    pub(crate) fn started(&self) {
        self.in_flight.fetch_add(1, Ordering::Relaxed);
    }

    /// The kernel has answered for good, at `now`, after so long.
    pub(crate) fn ended(&self, kind: OpKind, bytes: u64, latency: Nanos, now: Nanos) {
        self.in_flight.fetch_sub(1, Ordering::Relaxed);
        let Some(operation) = DeviceOp::of(kind) else { return };
        let operations = &self.operations[operation as usize];
        operations.count.fetch_add(1, Ordering::Relaxed);
        operations.bytes.fetch_add(bytes, Ordering::Relaxed);
        operations.latency.note(latency);
        operations.rate.note(now, bytes);
    }
}

impl Operations {
    fn view(&self, operation: DeviceOp, now: Nanos) -> DeviceView {
        let [p50, p95, p99] = self.latency.percentiles([0.5, 0.95, 0.99]);
        DeviceView {
            operation,
            count: self.count.load(Ordering::Relaxed),
            bytes: self.bytes.load(Ordering::Relaxed),
            rate: self.rate.last(now),
            ceiling: self.rate.best(),
            latency: [p50, p95, p99, self.latency.longest.load(Ordering::Relaxed)],
        }
    }
}

/// Times in buckets, four for each power of two, from a microsecond to a minute.
#[derive(Debug)]
struct Histogram {
    buckets: [AtomicU64; BUCKETS],
    longest: AtomicU64,
}

const BUCKETS: usize = 26 * 4;
/// Times below 2 to this are in the first bucket.
const SHORTEST: u32 = 10;

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram { buckets: std::array::from_fn(|_| AtomicU64::new(0)), longest: AtomicU64::new(0) }
    }
}

impl Histogram {
    fn note(&self, time: Nanos) {
        self.buckets[Histogram::bucket(time)].fetch_add(1, Ordering::Relaxed);
        self.longest.fetch_max(time, Ordering::Relaxed);
    }

    fn bucket(time: Nanos) -> usize {
        let Some(power) = time.checked_ilog2().and_then(|power| power.checked_sub(SHORTEST)) else { return 0 };
        let quarter = (time >> (power + SHORTEST - 2)) & 3;
        (power as usize * 4 + quarter as usize).min(BUCKETS - 1)
    }

    /// The middle of a bucket.
    fn middle(bucket: usize) -> Nanos {
        let quarter = 1u64 << (bucket as u32 / 4 + SHORTEST - 2);
        (4 + bucket as u64 % 4) * quarter + quarter / 2
    }

    fn percentiles<const N: usize>(&self, shares: [f64; N]) -> [Nanos; N] {
        let counts: Vec<u64> = self.buckets.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let all = counts.iter().sum::<u64>() as f64;
        let longest = self.longest.load(Ordering::Relaxed);
        shares.map(|share| {
            let mut below = 0;
            let at = counts.iter().position(|count| {
                below += count;
                below as f64 >= share * all
            });
            at.map_or(0, Histogram::middle).min(longest)
        })
    }
}

/// How much is done a second, counted in windows of a tenth of one. The first operation in a new window closes the one
/// before; what ends at that very moment may be counted in the neighbour.
#[derive(Debug, Default)]
struct Rate {
    /// The number of the window that is being counted, and its operations and bytes.
    window: AtomicU64,
    now: [AtomicU64; 2],
    /// The number of the last window before in which something ended, and what did.
    last_window: AtomicU64,
    last: [AtomicU64; 2],
    best: [AtomicU64; 2],
}

const WINDOW: Nanos = 100_000_000;

impl Rate {
    fn note(&self, now: Nanos, bytes: u64) {
        self.close(now);
        self.now[0].fetch_add(1, Ordering::Relaxed);
        self.now[1].fetch_add(bytes, Ordering::Relaxed);
    }

    /// Closes the window if its time is over.
    fn close(&self, now: Nanos) {
        let (window, counted) = (now / WINDOW, self.window.load(Ordering::Relaxed));
        let mine = || self.window.compare_exchange(counted, window, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if window <= counted || !mine() {
            return;
        }
        self.last_window.store(counted, Ordering::Relaxed);
        for ((now, last), best) in self.now.iter().zip(&self.last).zip(&self.best) {
            let done = now.swap(0, Ordering::Relaxed);
            last.store(done, Ordering::Relaxed);
            best.fetch_max(done, Ordering::Relaxed);
        }
    }

    /// Operations and bytes a second in the window before this one.
    fn last(&self, now: Nanos) -> (f64, f64) {
        self.close(now);
        if self.last_window.load(Ordering::Relaxed) + 1 < now / WINDOW {
            return (0.0, 0.0);
        }
        Rate::a_second(&self.last)
    }

    fn best(&self) -> (f64, f64) {
        Rate::a_second(&self.best)
    }

    fn a_second([operations, bytes]: &[AtomicU64; 2]) -> (f64, f64) {
        let windows = 1e9 / WINDOW as f64;
        (operations.load(Ordering::Relaxed) as f64 * windows, bytes.load(Ordering::Relaxed) as f64 * windows)
    }
}

/// All volumes that an engine has met. Those beyond its places are one.
#[derive(Debug)]
pub(crate) struct Devices {
    places: [OnceLock<Device>; 64],
}

impl Default for Devices {
    fn default() -> Devices {
        Devices { places: [const { OnceLock::new() }; 64] }
    }
}

impl Devices {
    /// The volume with the system's number for it.
    pub(crate) fn of(&self, number: u64) -> &Device {
        let (last, places) = self.places.split_last().expect("an array");
        let all = places.iter().map(|place| place.get_or_init(|| Device::new(number)));
        let mut mine = all.filter(|device| device.number == number);
        mine.next().unwrap_or_else(|| last.get_or_init(|| Device::new(number)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Device> {
        self.places.iter().map_while(OnceLock::get)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_their_buckets() {
        for time in [0, 1, 1_023, 1_024, 1_500, 100_000, 1_000_000, 1_999_999, 70_000_000_000, u64::MAX] {
            let histogram = Histogram::default();
            histogram.note(time);
            let [found] = histogram.percentiles([0.5]);
            assert!(found <= time, "{time} is shown as {found}");
            if (1_024..60_000_000_000).contains(&time) {
                assert!((found as f64 / time as f64 - 1.0).abs() <= 0.125, "{time} is shown as {found}");
            }
        }
    }

    #[test]
    fn percentiles_are_of_all_times() {
        let histogram = Histogram::default();
        (1..=1_000).for_each(|i| histogram.note(i * 10_000));
        for (share, found) in [0.5, 0.95, 0.99].into_iter().zip(histogram.percentiles([0.5, 0.95, 0.99])) {
            let exact = share * 10_000_000.0;
            assert!((found as f64 / exact - 1.0).abs() <= 0.15, "{share}: {found}, not {exact}");
        }
    }

    #[test]
    fn rates_are_of_whole_windows() {
        let rate = Rate::default();
        (0..50).for_each(|i| rate.note(WINDOW * 7 + i, 8192));
        assert_eq!(rate.last(WINDOW * 8 + 5), (500.0, 4_096_000.0));
        rate.note(WINDOW * 8 + 6, 100);
        assert_eq!(rate.last(WINDOW * 9), (10.0, 1_000.0));
        assert_eq!(rate.last(WINDOW * 11), (0.0, 0.0), "nothing happened since");
        assert_eq!(rate.best(), (500.0, 4_096_000.0));
    }

    #[test]
    fn a_volume_is_found_again() {
        let devices = Devices::default();
        let first: *const Device = devices.of(5);
        assert_ne!(first, std::ptr::from_ref(devices.of(6)));
        assert_eq!(first, std::ptr::from_ref(devices.of(5)));
        (0..100).for_each(|number| devices.of(number).started());
        assert_eq!(devices.iter().count(), 64);
        assert_eq!(devices.iter().map(Device::in_flight).sum::<usize>(), 100);
    }
}
