//! E1. PostgreSQL is given its best: each method with the settings that may help it, of which the report takes the fastest.

use crate::error::Result;
use crate::peers::Software;
use crate::run::{Contender, Stage};

/// No parallel query, as published.
pub const SERIAL: &str = "SET max_parallel_workers_per_gather = 0";
pub const COUNT: &str = "SELECT count(*) FROM test";

/// Deeper and wider reads. io_combine_limit is capped by io_max_combine_limit, whose default is 16; 17 knows no such cap.
pub const DEEP: [(&str, &str); 3] =
    [("effective_io_concurrency", "128"), ("io_max_combine_limit", "128"), ("io_combine_limit", "128")];
pub const DEEP_17: [(&str, &str); 2] = [("effective_io_concurrency", "64"), ("io_combine_limit", "32")];

/// The fastest settings of a method are not the same on every volume: these are tried.
pub fn contenders(software: &Software) -> Vec<Contender> {
    let of = |label: &str, settings: &[(&str, &str)]| Contender::new(software, label, settings);
    match software {
        Software::Inflight { .. } => vec![of("", &[])],
        Software::Postgres { version, .. } if *version < 18 => {
            vec![of("", &[]), of("", &DEEP_17), Contender::defaults(software)]
        }
        Software::Postgres { .. } => {
            let mut all = Vec::new();
            for method in ["io_uring", "worker", "sync"] {
                if method == "io_uring" && !software.has_uring() {
                    continue;
                }
                all.push(of(method, &[("io_method", method)]));
                all.push(of(method, &[&[("io_method", method)][..], &DEEP].concat()));
            }
            all.push(of("worker", &[&[("io_method", "worker"), ("io_workers", "12")][..], &DEEP].concat()));
            all.push(Contender::defaults(software));
            all
        }
    }
}

pub fn run(stage: &mut Stage) -> Result<()> {
    let systems = stage.load_all()?;
    let contenders: Vec<_> = systems.iter().flat_map(contenders).collect();
    for round in 0..stage.bench.repeat {
        stage.limit(crate::fio::SCAN, round)?;
        // None is always behind the same one.
        let (before, first) = contenders.split_at(round as usize % contenders.len().max(1));
        for contender in first.iter().chain(before) {
            stage.cold(contender, round, &[SERIAL.into()], COUNT)?;
        }
    }
    Ok(())
}
