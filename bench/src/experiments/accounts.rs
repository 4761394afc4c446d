//! pgbench's accounts: E6 scans them, E10 prewarms them. Inflight does not store the blanks of their filler, so its table takes
//! an eighth of PostgreSQL's bytes: times compare what users see, and bytes a second the servers' ways to the device.

use super::scan::DEEP;
use crate::error::Result;
use crate::fio::SCAN;
use crate::peers::Software;
use crate::run::{Contender, Question, Stage};

/// E6: `count(bid)`, cold, by workers.
pub fn scan(stage: &mut Stage) -> Result<()> {
    let systems = load(stage)?;
    for round in 0..stage.bench.repeat {
        stage.limit(SCAN, round)?;
        for workers in [0, 2] {
            let name = format!("{workers} workers");
            let before = [format!("SET max_parallel_workers_per_gather = {workers}")];
            for contender in systems.iter().flat_map(|software| contenders(software, &["sync", "io_uring"])) {
                let statement = "SELECT count(bid) FROM pgbench_accounts";
                stage.ask(&contender, round, &Question { name: &name, before: &before, statement, warm: false })?;
            }
        }
    }
    Ok(())
}

/// E10: `pg_prewarm` in the modes that wait for the device. That the pages were all read is the answer.
pub fn prewarm(stage: &mut Stage) -> Result<()> {
    let systems = load(stage)?;
    for round in 0..stage.bench.repeat {
        stage.limit(SCAN, round)?;
        for mode in ["read", "buffer"] {
            let statement = format!(
                "SELECT pg_prewarm('pgbench_accounts', '{mode}') = pg_relation_size('pgbench_accounts') / 8192 AS whole"
            );
            for contender in systems.iter().flat_map(|software| contenders(software, &["io_uring"])) {
                stage.ask(
                    &contender,
                    round,
                    &Question { name: mode, before: &[], statement: &statement, warm: false },
                )?;
            }
        }
    }
    Ok(())
}

/// A tenth of PostgreSQL's rows of E6 is 750,000,000; a run at scale 0.1 has 5,000,000 (640 MB).
fn load(stage: &mut Stage) -> Result<Vec<Software>> {
    let systems = stage.bench.systems.clone();
    let scale = (stage.bench.rows() / 200_000).max(1);
    for software in &systems {
        eprintln!("   loading {software}");
        stage.unlimited(|stage| {
            let running = stage.start_cold(&Contender::new(software, "", &[]))?;
            super::pgbench::initialise(stage, scale)?;
            running.client.run(&["CREATE EXTENSION IF NOT EXISTS pg_prewarm", "VACUUM ANALYZE", "CHECKPOINT"])?;
            running.stop()
        })?;
    }
    Ok(systems)
}

/// PostgreSQL with each method, as deep as helps it, and room for the table.
fn contenders(software: &Software, methods: &[&str]) -> Vec<Contender> {
    let buffers = ("shared_buffers", "2GB");
    match software {
        Software::Inflight { .. } => vec![Contender::new(software, "", &[])],
        Software::Postgres { version, .. } if *version < 18 => vec![Contender::new(software, "", &[buffers])],
        Software::Postgres { .. } => {
            let has = |method: &&&str| **method != "io_uring" || software.has_uring();
            let of = |method: &&str| {
                Contender::new(software, method, &[&[("io_method", *method), buffers][..], &DEEP].concat())
            };
            methods.iter().filter(has).map(of).collect()
        }
    }
}
