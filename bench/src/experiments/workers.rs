//! E11: parallel workers.

use super::scan::COUNT;
use crate::error::Result;
use crate::run::{Contender, Stage};

pub fn run(stage: &mut Stage) -> Result<()> {
    stage.limit(crate::fio::SCAN)?;
    let systems = stage.bench.systems.clone();
    for software in &systems {
        stage.load(software)?;
    }
    for round in 0..stage.bench.repeat {
        for workers in ["0", "1", "2", "4", "8"] {
            let knob = ("max_parallel_workers_per_gather", workers);
            // PostgreSQL plans workers by the table's size; all are wanted here.
            let small = ("min_parallel_table_scan_size", "0");
            let enough = ("max_worker_processes", "16");
            for software in &systems {
                let contender = match software {
                    crate::peers::Software::Inflight { .. } => Contender::new(software, "", &[knob]),
                    crate::peers::Software::Postgres { version, .. } if *version >= 18 => {
                        Contender::new(software, "io_uring", &[("io_method", "io_uring"), small, enough, knob])
                    }
                    _ => Contender::new(software, "", &[small, enough, knob]),
                };
                stage.cold(&contender, round, &["SET parallel_setup_cost = 0".into()], COUNT)?;
            }
        }
    }
    Ok(())
}
