//! E5: the plan that each system prints.

use super::scan::{COUNT, SERIAL};
use crate::error::Result;
use crate::peers::Software;
use crate::run::{Contender, Stage};

pub fn run(stage: &mut Stage) -> Result<()> {
    for software in stage.bench.systems.clone() {
        stage.load(&software)?;
        let contender = match &software {
            Software::Postgres { version, .. } => {
                let timing = ("track_io_timing", "on");
                if *version >= 18 {
                    Contender::new(&software, "", &[("io_method", software.best_method()), timing])
                } else {
                    Contender::new(&software, "", &[timing])
                }
            }
            Software::Inflight { .. } => Contender::new(&software, "", &[]),
        };
        let mut sample = stage.blank(&contender.name(), &contender.settings, 0);
        if stage.bench.records.has(&sample) {
            continue;
        }
        let running = stage.start_cold(&contender)?;
        let explain = format!("EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) {COUNT}");
        sample.text = running.client.run(&[SERIAL, &explain])?;
        running.stop()?;
        stage.bench.records.add(sample)?;
    }
    Ok(())
}
