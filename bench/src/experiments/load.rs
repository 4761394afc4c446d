//! The load.

use crate::error::Result;
use crate::peers::Software;
use crate::run::{Contender, Stage};

/// Inflight has one row: nothing is set for it.
fn contenders(software: &Software) -> Vec<Contender> {
    match software {
        Software::Inflight { .. } => vec![Contender::new(software, "", &[])],
        Software::Postgres { version, .. } if *version >= 18 => {
            let method = software.best_method();
            vec![Contender::new(software, method, &[("io_method", method)]), Contender::defaults(software)]
        }
        Software::Postgres { .. } => vec![Contender::new(software, "", &[]), Contender::defaults(software)],
    }
}

pub fn run(stage: &mut Stage) -> Result<()> {
    let rows = stage.bench.rows();
    let systems = stage.bench.systems.clone();
    for round in 0..stage.bench.repeat {
        stage.limit(crate::fio::LOAD, round)?;
        for contender in systems.iter().flat_map(contenders) {
            let software = &contender.software;
            let mut sample = stage.blank(&contender.name(), &contender.settings, round);
            if stage.bench.records.has(&sample) {
                continue;
            }
            let running = stage.start_cold(&contender)?;
            running.client.run(&["DROP TABLE IF EXISTS test", "CREATE TABLE test(id int)", "CHECKPOINT"])?;
            stage.observe();
            let insert = format!("INSERT INTO test SELECT * FROM generate_series(1, {rows})");
            let timed = running.client.timed(&[], &insert)?;
            sample.observed = stage.observe();
            sample.value = timed.ms;
            sample.answer = running.client.run(&["SELECT count(*) FROM test"])?;
            let bytes = running.client.run(&["SELECT pg_table_size('test')"])?;
            sample.bytes = bytes.parse().ok();
            running.client.run(&["VACUUM test", "CHECKPOINT"])?;
            running.stop()?;
            stage.agree(&sample)?;
            stage.reloaded(software);
            eprintln!("   round {} {}: {:.0} ms, {bytes} bytes", round + 1, sample.system, sample.value);
            stage.bench.records.add(sample)?;
        }
    }
    Ok(())
}
