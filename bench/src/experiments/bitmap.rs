//! E8: rows of some of a table's pages, which lie anywhere, through an index. Both servers' rows are text of 192 bytes, so that
//! their tables take the same bytes. The published statement is asked with everything in memory, and a bitmap that is lossy.

use super::index::load;
use super::scan::{DEEP, SERIAL};
use crate::error::Result;
use crate::fio::SCATTERED;
use crate::peers::Software;
use crate::run::{Contender, Question, Stage};

/// Percent of the pages, and how many rows anywhere lie on so many, for each page.
const COLD: &[(u32, f64)] = &[(1, 0.01005), (5, 0.0513), (20, 0.2231)];
/// Rows on a page.
const ROWS: f64 = 36.0;
/// Nothing but the bitmap.
const BITMAP: [&str; 3] = ["SET enable_seqscan = off", "SET enable_indexscan = off", "SET enable_indexonlyscan = off"];
/// Workers as many as are asked for.
const PARALLEL: [(&str, &str); 4] = [
    ("min_parallel_table_scan_size", "0"),
    ("parallel_setup_cost", "0"),
    ("parallel_tuple_cost", "0"),
    ("max_worker_processes", "16"),
];

pub fn run(stage: &mut Stage) -> Result<()> {
    let systems = stage.bench.systems.clone();
    let rows = stage.bench.rows() / 10;
    systems.iter().try_for_each(|software| load(stage, software, rows))?;
    for round in 0..stage.bench.repeat {
        stage.limit(SCATTERED, round)?;
        for (percent, share) in COLD {
            let most = (rows as f64 / ROWS * share).round();
            let name = format!("{percent} % of the pages");
            let statement = format!("SELECT sum(length(pad)) FROM scattered WHERE k < {most}");
            for contender in systems.iter().map(best) {
                let before = [SERIAL.to_string()];
                stage.ask(
                    &contender,
                    round,
                    &Question { name: &name, before: &before, statement: &statement, warm: false },
                )?;
            }
        }
        for workers in [0, 4] {
            let name = format!("lossy, in memory, {workers} workers");
            let mut before: Vec<String> = BITMAP.map(String::from).to_vec();
            before.push("SET work_mem = '64kB'".into());
            before.push(format!("SET max_parallel_workers_per_gather = {workers}"));
            let statement = format!("SELECT count(*) FROM scattered WHERE k > {}", rows / 10_000);
            for software in &systems {
                let contender = in_memory(software);
                stage.ask(
                    &contender,
                    round,
                    &Question { name: &name, before: &before, statement: &statement, warm: true },
                )?;
            }
        }
    }
    Ok(())
}

/// What reads deepest from cold volumes.
pub(super) fn best(software: &Software) -> Contender {
    match software {
        Software::Postgres { version, .. } if *version >= 18 => {
            let settings = [&[("io_method", software.best_method())][..], &DEEP].concat();
            Contender::new(software, "", &settings)
        }
        _ => Contender::new(software, "", &[]),
    }
}

fn in_memory(software: &Software) -> Contender {
    match software {
        Software::Postgres { version, .. } if *version >= 18 => {
            let method = ("io_method", software.best_method());
            Contender::new(software, "", &[&[method, ("shared_buffers", "1GB")][..], &PARALLEL].concat())
        }
        Software::Postgres { .. } => {
            Contender::new(software, "", &[&[("shared_buffers", "1GB")][..], &PARALLEL].concat())
        }
        Software::Inflight { .. } => Contender::new(software, "", &[]),
    }
}
