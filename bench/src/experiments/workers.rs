//! E11: parallel workers.

use super::scan::{COUNT, DEEP, DEEP_17};
use crate::error::Result;
use crate::run::{Contender, Stage};

pub fn run(stage: &mut Stage) -> Result<()> {
    let systems = stage.load_all()?;
    for round in 0..stage.bench.repeat {
        stage.limit(crate::fio::SCAN, round)?;
        for workers in ["0", "1", "2", "4", "8"] {
            let knob = ("max_parallel_workers_per_gather", workers);
            // PostgreSQL plans workers by the table's size and their cost; all are wanted here.
            let wanted = [
                ("min_parallel_table_scan_size", "0"),
                ("parallel_setup_cost", "0"),
                ("max_worker_processes", "16"),
                knob,
            ];
            for software in &systems {
                let contender = match software {
                    crate::peers::Software::Inflight { .. } => Contender::new(software, "", &[knob]),
                    crate::peers::Software::Postgres { version, .. } if *version >= 18 => {
                        let method = software.best_method();
                        // With what helped it in E1.
                        let settings = [&[("io_method", method)][..], &DEEP, &wanted].concat();
                        Contender::new(software, method, &settings)
                    }
                    _ => Contender::new(software, "", &[&DEEP_17[..], &wanted].concat()),
                };
                stage.cold(&contender, round, &[], COUNT)?;
            }
        }
        for software in &systems {
            stage.cold(&Contender::defaults(software), round, &[], COUNT)?;
        }
    }
    Ok(())
}
