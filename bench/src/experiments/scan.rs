//! E1. PostgreSQL is given its best: each method with the settings that may help it, of which the report takes the fastest.

use crate::error::Result;
use crate::peers::Software;
use crate::run::{Contender, Stage};

/// No parallel query, as published.
pub const SERIAL: &str = "SET max_parallel_workers_per_gather = 0";
pub const COUNT: &str = "SELECT count(*) FROM test";

/// The fastest settings of a method are not the same on every volume: these are tried.
pub fn contenders(software: &Software) -> Vec<Contender> {
    let of = |label: &str, settings: &[(&str, &str)]| Contender::new(software, label, settings);
    match software {
        Software::Inflight { .. } => vec![of("", &[])],
        Software::Postgres { version, .. } if *version < 18 => {
            vec![of("", &[]), of("", &[("effective_io_concurrency", "64"), ("io_combine_limit", "32")])]
        }
        Software::Postgres { .. } => {
            let mut all = Vec::new();
            for method in ["io_uring", "worker", "sync"] {
                if method == "io_uring" && !software.has_uring() {
                    continue;
                }
                all.push(of(method, &[("io_method", method)]));
                // io_combine_limit is capped by io_max_combine_limit, whose default is 16.
                let deep = [
                    ("io_method", method),
                    ("effective_io_concurrency", "128"),
                    ("io_max_combine_limit", "128"),
                    ("io_combine_limit", "128"),
                ];
                all.push(of(method, &deep));
            }
            let workers = [
                ("io_method", "worker"),
                ("io_workers", "12"),
                ("effective_io_concurrency", "128"),
                ("io_max_combine_limit", "128"),
                ("io_combine_limit", "128"),
            ];
            all.push(of("worker", &workers));
            all
        }
    }
}

pub fn run(stage: &mut Stage) -> Result<()> {
    let systems = stage.bench.systems.clone();
    for software in &systems {
        stage.load(software)?;
    }
    for round in 0..stage.bench.repeat {
        stage.limit(crate::fio::SCAN, round)?;
        let mut contenders: Vec<_> = systems.iter().flat_map(contenders).collect();
        // Nobody is always behind the same one.
        let first = round as usize % contenders.len().max(1);
        contenders.rotate_left(first);
        for contender in &contenders {
            stage.cold(contender, round, &[SERIAL.into()], COUNT)?;
        }
    }
    Ok(())
}
