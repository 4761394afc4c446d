//! Many seeds, several at once.

use std::ops::{ControlFlow, Range};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::run::{Bug, Report, run};

/// A panic inside counts as a finding.
fn attempt(seed: u64, bug: Option<Bug>) -> Result<Report, String> {
    std::panic::catch_unwind(|| run(seed, bug)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()));
        Err(format!("panic: {}", text.unwrap_or_default()))
    })
}

/// Runs seeds on `jobs` threads until all are done or `tell`, which hears of each outcome, breaks off.
pub fn run_many(
    seeds: Range<u64>,
    jobs: usize,
    bug: Option<Bug>,
    tell: impl Fn(u64, Result<Report, String>) -> ControlFlow<()> + Sync,
) {
    let (next, enough) = (AtomicU64::new(seeds.start), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds.end || enough.load(Ordering::Relaxed) {
                        return;
                    }
                    if tell(seed, attempt(seed, bug)).is_break() {
                        enough.store(true, Ordering::Relaxed);
                    }
                }
            });
        }
    });
}
