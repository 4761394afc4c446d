//! `cargo run -p sim -- --seed N` runs a seed; `--seeds COUNT` runs many and tells of those that fail.

use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use sim::{Bug, Report, run_many};

#[derive(Parser)]
#[command(about = "Runs the whole engine over a simulated disk, seed by seed")]
struct Args {
    /// Run one seed
    #[arg(long, conflicts_with = "seeds")]
    seed: Option<u64>,
    /// Run this many seeds
    #[arg(long, default_value_t = 200)]
    seeds: u64,
    /// The first of them
    #[arg(long, default_value_t = 1)]
    from: u64,
    /// Seeds at once
    #[arg(long, default_value_t = std::thread::available_parallelism().map_or(1, |n| n.get()))]
    jobs: usize,
    /// Plant a bug, which is to be found
    #[arg(long)]
    bug: Option<Bug>,
}

fn main() -> ExitCode {
    let args = Args::parse();
    if args.seed.is_none() {
        // The seed tells where; running it alone shows the rest.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let (from, count) = args.seed.map_or((args.from, args.seeds), |seed| (seed, 1));
    let started = Instant::now();
    let failed = AtomicU64::new(0);
    let totals = Mutex::new(Report::default());
    let jobs = args.jobs.min(count as usize).max(1);
    run_many(from..from + count, jobs, args.bug, |seed, outcome| {
        match outcome {
            Ok(report) => {
                let mut totals = totals.lock().expect("no thread panics with it");
                totals.lives += report.lives;
                totals.crashes += report.crashes;
                totals.commits += report.commits;
                totals.blocks_cut += report.blocks_cut;
                totals.steps += report.steps;
                totals.digest ^= report.digest;
            }
            Err(problem) => {
                failed.fetch_add(1, Ordering::Relaxed);
                println!("seed {seed}: {problem}");
                println!("    again: cargo run --release -p sim -- --seed {seed}");
            }
        }
        let done = seed - from + 1;
        if done.is_multiple_of(5000) {
            println!("{done} seeds in {:.0} s", started.elapsed().as_secs_f64());
        }
        ControlFlow::Continue(())
    });
    let (totals, failed) = (totals.into_inner().expect("no thread panics with it"), failed.into_inner());
    println!(
        "{count} seeds, {failed} failed: {} lives, {} crashes, {} commits, {} blocks cut, {} steps in {:.1} s (digest {:016x})",
        totals.lives,
        totals.crashes,
        totals.commits,
        totals.blocks_cut,
        totals.steps,
        started.elapsed().as_secs_f64(),
        totals.digest
    );
    if failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
