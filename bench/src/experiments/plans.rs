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
                let uring: &[(&str, &str)] = &[("io_method", "io_uring"), timing];
                let settings = if *version >= 18 { uring } else { &[timing] };
                Contender::new(&software, "", settings)
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
