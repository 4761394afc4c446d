//! A simulated cloud volume: delays the completion of real operations so that a fast disk behaves like a volume with
//! a given latency and caps on operations and bytes a second.
//!
//! Two token buckets without burst decide when an operation may start, the latency is added to that, and any number of
//! operations may be under way: exactly what a cloud volume does below its caps. A blocking method sleeps until the
//! operation is due, so its depth is what its threads make it; a method that completes from an event queue hands the
//! completion to [`SimulatedVolume::defer`], whose timer thread delivers it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::str::FromStr;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::clock::Nanos;
use crate::engine::Shared;

/// `latency=1ms,iops=20000,bandwidth=1GB`; what is left out is not limited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct VolumeSpec {
    pub latency: Duration,
    /// Operations a second.
    pub iops: Option<u64>,
    /// Bytes a second, in powers of ten as vendors count them: `1GB` is 1,000,000,000.
    pub bandwidth: Option<u64>,
}

impl FromStr for VolumeSpec {
    type Err = String;

    fn from_str(text: &str) -> Result<VolumeSpec, String> {
        let mut spec = VolumeSpec::default();
        for part in text.split(',').filter(|p| !p.trim().is_empty()) {
            let (name, value) = part.split_once('=').ok_or_else(|| format!("\"{part}\" is not NAME=VALUE"))?;
            let value = value.trim();
            match name.trim() {
                "latency" => {
                    let nanos = scaled(value, &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)])?;
                    if nanos > 60e9 {
                        return Err(format!("a latency of \"{value}\" is more than a minute"));
                    }
                    spec.latency = Duration::from_nanos(nanos as u64);
                }
                "iops" => spec.iops = Some(positive(name, scaled(value, &[("k", 1e3), ("", 1.0)])?)?),
                "bandwidth" => {
                    let units = [("GB", 1e9), ("MB", 1e6), ("kB", 1e3), ("B", 1.0)];
                    spec.bandwidth = Some(positive(name, scaled(value, &units)?)?);
                }
                other => return Err(format!("\"{other}\" is not one of latency, iops, bandwidth")),
            }
        }
        Ok(spec)
    }
}

fn positive(name: &str, value: f64) -> Result<u64, String> {
    if value >= 1.0 { Ok(value as u64) } else { Err(format!("{name} must be at least 1")) }
}

fn scaled(value: &str, units: &[(&str, f64)]) -> Result<f64, String> {
    for (unit, factor) in units {
        if let Some(number) = value.strip_suffix(unit)
            && let Ok(number) = number.trim().parse::<f64>()
            && number.is_finite()
            && number >= 0.0
        {
            return Ok(number * factor);
        }
    }
    let names: Vec<_> = units.iter().map(|u| u.0).filter(|u| !u.is_empty()).collect();
    Err(format!("\"{value}\" is not a number with one of the units {}", names.join(", ")))
}

impl std::fmt::Display for VolumeSpec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "latency={}us", self.latency.as_micros())?;
        if let Some(iops) = self.iops {
            write!(f, ",iops={iops}")?;
        }
        if let Some(bandwidth) = self.bandwidth {
            write!(f, ",bandwidth={}kB", bandwidth / 1000)?;
        }
        Ok(())
    }
}

#[derive(Debug, Default)]
struct Buckets {
    /// When the next operation finds a token.
    iops_free: Nanos,
    bytes_free: Nanos,
}

/// A kernel answer that waits for its time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Deferred {
    due: Nanos,
    slot: u32,
    result: i64,
}

#[derive(Debug)]
pub(crate) struct SimulatedVolume {
    spec: VolumeSpec,
    buckets: Mutex<Buckets>,
    waiting: Mutex<BinaryHeap<Reverse<Deferred>>>,
    changed: Condvar,
}

impl SimulatedVolume {
    pub(crate) fn new(spec: VolumeSpec) -> Arc<SimulatedVolume> {
        Arc::new(SimulatedVolume {
            spec,
            buckets: Mutex::default(),
            waiting: Mutex::default(),
            changed: Condvar::new(),
        })
    }

    /// Takes the tokens for an operation of `bytes` that starts `now`; says when it ends at the earliest.
    pub(crate) fn admit(&self, now: Nanos, bytes: u64) -> Nanos {
        let mut buckets = self.buckets.lock();
        let mut start = now;
        if let Some(iops) = self.spec.iops {
            start = start.max(buckets.iops_free);
            buckets.iops_free = buckets.iops_free.max(now) + 1_000_000_000 / iops;
        }
        if let Some(bandwidth) = self.spec.bandwidth {
            let cost = (u128::from(bytes) * 1_000_000_000 / u128::from(bandwidth)) as u64;
            buckets.bytes_free = buckets.bytes_free.max(now) + cost;
            // The last byte passes when the bucket has paid for it.
            start = start.max(buckets.bytes_free);
        }
        start + self.spec.latency.as_nanos() as Nanos
    }

    /// Delivers the kernel's answer for `slot` at `due`.
    pub(crate) fn defer(&self, due: Nanos, slot: u32, result: i64) {
        let mut waiting = self.waiting.lock();
        waiting.push(Reverse(Deferred { due, slot, result }));
        if waiting.peek().is_some_and(|first| first.0.slot == slot) {
            self.changed.notify_one();
        }
    }

    /// The timer thread. Ends when the engine is gone.
    pub(crate) fn run(self: Arc<Self>, engine: Weak<Shared>) {
        precise_timers();
        let mut due = Vec::new();
        while let Some(engine) = engine.upgrade() {
            let mut waiting = self.waiting.lock();
            let now = engine.clock.now();
            while waiting.peek().is_some_and(|first| first.0.due <= now) {
                due.push(waiting.pop().expect("peeked").0);
            }
            if due.is_empty() {
                let pause = waiting.peek().map_or(100_000_000, |first| first.0.due - now);
                drop(engine);
                self.changed.wait_for(&mut waiting, Duration::from_nanos(pause.min(100_000_000)));
            } else {
                drop(waiting);
                for done in due.drain(..) {
                    engine.finish(done.slot, done.result);
                }
            }
        }
    }
}

/// Linux rounds a sleeping thread's timers up by 50 µs unless asked not to.
pub(crate) fn precise_timers() {
    #[cfg(target_os = "linux")]
    #[allow(unsafe_code)]
    // SAFETY: sets a number of the calling thread; no memory is involved.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1_000);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_units_and_rejects_nonsense() {
        let spec: VolumeSpec = "latency=1ms,iops=20000,bandwidth=1GB".parse().unwrap();
        assert_eq!(
            spec,
            VolumeSpec { latency: Duration::from_millis(1), iops: Some(20000), bandwidth: Some(1_000_000_000) }
        );
        assert_eq!("latency=500us".parse::<VolumeSpec>().unwrap().latency, Duration::from_micros(500));
        for bad in ["latency", "latency=x", "iops=0", "depth=3", "bandwidth=-1GB", "latency=NaNms", "latency=2000s"] {
            assert!(bad.parse::<VolumeSpec>().is_err(), "{bad}");
        }
    }

    #[test]
    fn caps_hold_and_latency_overlaps() {
        let spec = VolumeSpec { latency: Duration::from_millis(1), iops: Some(1000), bandwidth: None };
        let volume = SimulatedVolume::new(spec);
        // Ten operations at once: one a millisecond may start, each takes a millisecond more.
        let ends: Vec<_> = (0..10).map(|_| volume.admit(0, 8192) / 1_000_000).collect();
        assert_eq!(ends, (1..=10).collect::<Vec<_>>());
        let spec = VolumeSpec { latency: Duration::ZERO, iops: None, bandwidth: Some(1_000_000) };
        let volume = SimulatedVolume::new(spec);
        assert_eq!(volume.admit(0, 500_000), 500_000_000);
        assert_eq!(volume.admit(0, 500_000), 1_000_000_000);
    }
}
