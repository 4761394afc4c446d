//! A bounded number of seeds; `cargo run --release -p sim -- --seeds 100000` runs as many as wanted.

use std::sync::atomic::{AtomicU64, Ordering};

use sim::{Bug, run};

/// Runs seeds on all processors until `count` are done, or one fails and `stop` says that this is enough.
fn failures(count: u64, bug: Option<Bug>, stop: bool) -> Vec<(u64, String)> {
    let next = AtomicU64::new(1);
    let failed = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |n| n.get()) {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed > count || (stop && !failed.lock().unwrap().is_empty()) {
                        return;
                    }
                    let outcome = std::panic::catch_unwind(|| run(seed, bug));
                    let problem = match outcome {
                        Ok(Ok(_)) => continue,
                        Ok(Err(problem)) => problem,
                        Err(_) => "a panic".into(),
                    };
                    failed.lock().unwrap().push((seed, problem));
                }
            });
        }
    });
    failed.into_inner().unwrap()
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_else_is_there() {
    let seeds = std::env::var("INFLIGHT_SIM_SEEDS").map_or(200, |n| n.parse().expect("a number of seeds"));
    let failed = failures(seeds, None, false);
    for (seed, problem) in &failed {
        eprintln!("seed {seed}: {problem}\n    again: cargo run --release -p sim -- --seed {seed}");
    }
    assert!(failed.is_empty(), "{} of {seeds} seeds fail", failed.len());
}

#[test]
fn planted_bugs_are_found() {
    for bug in [Bug::SkipFlush, Bug::EarlyAck, Bug::NoImages] {
        assert!(!failures(200, Some(bug), true).is_empty(), "{bug:?} was not found");
    }
}

#[test]
fn a_seed_does_the_same_again() {
    for seed in 1..=5 {
        assert_eq!(run(seed, None), run(seed, None), "seed {seed}");
    }
}
