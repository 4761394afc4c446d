//! A bounded number of seeds; `cargo run --release -p sim -- --seeds 100000` runs as many as wanted.

use std::ops::ControlFlow;
use std::sync::Mutex;

use sim::{Bug, run, run_many};

/// Runs seeds on all processors until `count` are done, or one fails and `stop` says that this is enough.
fn failures(count: u64, bug: Option<Bug>, stop: bool) -> Vec<(u64, String)> {
    let failed = Mutex::new(Vec::new());
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    run_many(1..count + 1, jobs, bug, |seed, outcome| {
        let Err(problem) = outcome else { return ControlFlow::Continue(()) };
        failed.lock().unwrap().push((seed, problem));
        if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
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
    let of_rows = [Bug::SkipFlush, Bug::EarlyAck, Bug::NoImages, Bug::EarlyVisible, Bug::EarlyReuse];
    for bug in of_rows.into_iter().chain([Bug::StaleDefinitions, Bug::ReusedNumbers, Bug::EarlyRemoval]) {
        assert!(!failures(200, Some(bug), true).is_empty(), "{bug:?} was not found");
    }
}

#[test]
fn a_seed_does_the_same_again() {
    for seed in 1..=5 {
        assert_eq!(run(seed, None), run(seed, None), "seed {seed}");
    }
}
