//! One statement alone on one connection: the median of 250, by what it asks, in each protocol.

use super::memory::{Measured, client};
use super::pgbench;
use crate::error::Result;
use crate::peers::cluster::Running;
use crate::program::run as run_program;
use crate::record::Sample;
use crate::run::{Stage, show};

const TABLES: &[&str] = &[
    "DROP TABLE IF EXISTS k, m",
    "CREATE TABLE k (id int PRIMARY KEY, g int, v int)",
    "INSERT INTO k SELECT i, i % 100, i * 7 % 1000 FROM generate_series(1, 100000) i",
    "CREATE INDEX ON k (g)",
    "CREATE TABLE m (k_id int, n int)",
    "INSERT INTO m SELECT i % 1000, i FROM generate_series(1, 100000) i",
    "CREATE INDEX ON m (k_id)",
    "VACUUM ANALYZE",
];

const STATEMENTS: &[&str] = &[
    "SELECT 1",
    "SELECT v FROM k WHERE id = 77",
    "SELECT v FROM k WHERE id IN (77, 7077)",
    "SELECT count(*) FROM k WHERE id BETWEEN 100 AND 120",
    "SELECT count(*) FROM k WHERE g = 5 AND id IN (5, 105, 205)",
    "SELECT max(n) FROM m WHERE k_id IN (1, 2, 3)",
    "SELECT k.v, m.n FROM k JOIN m ON m.k_id = k.id WHERE k.id = 77",
    "SELECT g, count(*) FROM k WHERE id BETWEEN 100 AND 150 GROUP BY g",
    "SELECT v FROM k WHERE g = 5 ORDER BY v LIMIT 10",
    "UPDATE k SET v = v + 1 WHERE id = 77",
];

const TIMES: usize = 250;

pub fn run(stage: &mut Stage) -> Result<()> {
    let modes = STATEMENTS.iter().flat_map(|statement| ["simple", "prepared"].map(|mode| (*statement, mode)));
    let each = modes.map(|(statement, mode)| (format!("{statement} ({mode})"), (statement, mode))).collect();
    let statements = Measured { kind: "statement", each };
    let load = |running: &Running| running.client.run(TABLES).map(drop);
    statements.by_turns(stage, &super::sysbench::ASYNCHRONOUS, load, |stage, running, (statement, mode), sample| {
        measure(stage, running, statement, mode, sample)
    })
}

fn measure(stage: &mut Stage, running: &Running, statement: &str, mode: &str, mut sample: Sample) -> Result<()> {
    let script = std::env::temp_dir().join(format!("inflight-bench-statement.{}.sql", std::process::id()));
    std::fs::write(&script, format!("{statement};\n")).map_err(|e| crate::error::Error::program(e.to_string()))?;
    let mut command = client("pgbench");
    command.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &stage.bench.port.to_string(), "-n", "-c", "1"]);
    command.args(["-M", mode, "-t", &(2 * TIMES).to_string(), "-f"]).arg(&script);
    let times = pgbench::logged(|prefix| run_program(command.args(["-l", prefix, "postgres"])).map(drop));
    let _ = std::fs::remove_file(&script);
    // The first half warms up.
    let mut times = times?.split_off(TIMES);
    times.sort_unstable();
    sample.value = times[times.len() / 2] as f64 / 1e3;
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    eprintln!("   round {} {}{}: {:.3} ms", sample.round + 1, sample.system, show(&sample.settings), sample.value);
    stage.bench.records.add(sample)
}
