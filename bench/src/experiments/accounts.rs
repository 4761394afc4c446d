//! pgbench's accounts: E6 scans them, E10 prewarms them. Inflight does not store the blanks of their filler, so its table takes
//! an eighth of PostgreSQL's bytes. Beside them stand accounts whose filler is text, of which both take nearly the same bytes: so
//! one tells format and depth apart.

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
        for (table, workers) in TABLES.into_iter().flat_map(|table| [(table, 0), (table, 2)]) {
            let name = format!("{table}, {workers} workers");
            let before = [format!("SET max_parallel_workers_per_gather = {workers}")];
            let statement = format!("SELECT count(bid) FROM {table}");
            for contender in systems.iter().flat_map(|software| contenders(software, &["sync", "io_uring"])) {
                stage.ask(
                    &contender,
                    round,
                    &Question { name: &name, before: &before, statement: &statement, warm: false },
                )?;
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
        for (table, mode) in TABLES.into_iter().flat_map(|table| [(table, "read"), (table, "buffer")]) {
            let name = format!("{table}, {mode}");
            let statement =
                format!("SELECT pg_prewarm('{table}', '{mode}') = pg_relation_size('{table}') / 8192 AS whole");
            for contender in systems.iter().flat_map(|software| contenders(software, &["io_uring"])) {
                stage.ask(
                    &contender,
                    round,
                    &Question { name: &name, before: &[], statement: &statement, warm: false },
                )?;
            }
        }
    }
    Ok(())
}

/// pgbench's own, and half as many rows whose filler is 256 bytes of text.
const TABLES: [&str; 2] = ["pgbench_accounts", "text_accounts"];

/// A tenth of PostgreSQL's rows of E6 is 750,000,000; a run at scale 0.1 has 5,000,000 (640 MB).
fn load(stage: &mut Stage) -> Result<Vec<Software>> {
    let systems = stage.bench.systems.clone();
    let scale = (stage.bench.rows() / 200_000).max(1);
    for software in &systems {
        eprintln!("   loading {software}");
        stage.unlimited(|stage| {
            let running = stage.start_cold(&Contender::new(software, "", &[]))?;
            super::pgbench::initialise(stage, scale)?;
            let rows = scale * 50_000;
            let text = format!(
                "INSERT INTO text_accounts SELECT i, i / 100000 + 1, 0, repeat(md5(i::text), 4) || repeat(md5(i::text), 4)
                   FROM generate_series(1::bigint, {rows}) i"
            );
            running.client.run(&[
                "DROP TABLE IF EXISTS text_accounts",
                "CREATE TABLE text_accounts (aid int NOT NULL, bid int, abalance int, filler text STORAGE PLAIN)",
                &text,
                "CREATE EXTENSION IF NOT EXISTS pg_prewarm",
            ])?;
            running.client.run(&["VACUUM ANALYZE"])?;
            running.client.run(&["CHECKPOINT"])?;
            let bytes = TABLES.map(|table| format!("pg_relation_size('{table}')")).join(" || ' and ' || ");
            eprintln!("   tables of {} bytes", running.client.run(&[&format!("SELECT {bytes}")])?);
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
