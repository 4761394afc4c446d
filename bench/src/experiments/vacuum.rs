//! VACUUM of a table that is not in memory, a fifth of whose rows were deleted.

use super::bitmap::best;
use crate::error::Result;
use crate::peers::Software;
use crate::run::{Contender, Stage};

/// PostgreSQL at its best: a ring as large as may be, all keys in one pass over the indexes, and little log.
const ROOMY: [(&str, &str); 4] = [
    ("shared_buffers", "1GB"),
    ("maintenance_work_mem", "256MB"),
    ("vacuum_buffer_usage_limit", "16GB"),
    ("wal_compression", "lz4"),
];

pub fn run(stage: &mut Stage) -> Result<()> {
    let rows = (stage.bench.rows() / 7).max(10_000);
    for round in 0..stage.bench.repeat {
        stage.limit(crate::fio::SCAN, round)?;
        for software in stage.bench.systems.clone() {
            let mut contender = best(&software);
            if matches!(software, Software::Postgres { .. }) {
                contender.settings.extend(ROOMY.map(|(name, value)| (name.to_string(), value.to_string())));
            }
            let mut sample = stage.blank(&contender.name(), &contender.settings, round);
            if stage.bench.records.has(&sample) {
                continue;
            }
            stage.unlimited(|stage| load(stage, &contender, rows))?;
            let running = stage.start_cold(&contender)?;
            stage.observe();
            sample.value = running.client.timed(&[], "VACUUM holed")?.ms;
            sample.observed = stage.observe();
            running.stop()?;
            eprintln!("   round {} {}: {:.0} ms", round + 1, sample.system, sample.value);
            stage.bench.records.add(sample)?;
        }
    }
    Ok(())
}

fn load(stage: &mut Stage, contender: &Contender, rows: u64) -> Result<()> {
    let running = stage.start_cold(contender)?;
    let rows = format!(
        "INSERT INTO holed SELECT i, i * 7919 % 1000000, repeat('x', 60) || i FROM generate_series(1::bigint, {rows}) i"
    );
    running.client.run(&[
        "DROP TABLE IF EXISTS holed",
        "CREATE TABLE holed (id int PRIMARY KEY, k int, filler text) WITH (autovacuum_enabled = off)",
        &rows,
        "CREATE INDEX ON holed (k)",
        "VACUUM ANALYZE holed",
        "DELETE FROM holed WHERE id % 5 = 0",
        "CHECKPOINT",
    ])?;
    running.stop()
}
