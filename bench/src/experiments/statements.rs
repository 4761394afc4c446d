//! Scripts of pgbench alone on one connection: the median of their times, by what they ask, in each protocol. `statements` are the
//! least ones there are, `application` what a shop's application asks, `migrations` what migrations and test suites do.

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

/// Scripts behind lines with their names; the first one makes the tables.
const APPLICATION: &str = include_str!("application.sql");
const MIGRATIONS: &str = include_str!("migrations.sql");

/// Half of them warm up.
const TIMES: usize = 200;

pub fn run(stage: &mut Stage) -> Result<()> {
    let scripts = STATEMENTS.iter().map(|statement| (*statement, format!("{statement};\n"))).collect();
    measure_all(stage, TABLES, scripts, &["simple", "prepared"], &super::sysbench::ASYNCHRONOUS)
}

pub fn application(stage: &mut Stage) -> Result<()> {
    let (tables, scripts) = parts(APPLICATION);
    measure_all(stage, &tables, scripts, &["simple", "prepared"], &super::sysbench::ASYNCHRONOUS)
}

/// Commits are durable: what each of them waits for is what is measured.
pub fn migrations(stage: &mut Stage) -> Result<()> {
    stage.limit(crate::fio::FLUSH, 0)?;
    let (tables, scripts) = parts(MIGRATIONS);
    measure_all(stage, &tables, scripts, &["simple"], &[])
}

/// The statements that make the tables, and the scripts by their names.
fn parts(text: &'static str) -> (Vec<&'static str>, Vec<(&'static str, String)>) {
    let parts = text.split("\n-- ").filter_map(|part| part.split_once('\n'));
    let mut scripts = parts.skip_while(|(name, _)| *name != "tables");
    let (_, tables) = scripts.next().expect("it begins with the tables");
    (tables.split_inclusive(";\n").collect(), scripts.map(|(name, script)| (name, format!("{script}\n"))).collect())
}

fn measure_all(
    stage: &mut Stage,
    tables: &[&str],
    scripts: Vec<(&str, String)>,
    modes: &[&'static str],
    settings: &[(&str, &str)],
) -> Result<()> {
    let in_modes = |(name, script): (&str, String)| -> Vec<_> {
        modes.iter().map(|mode| (format!("{name} ({mode})"), (script.clone(), *mode))).collect()
    };
    let scripts = Measured { kind: "statement", each: scripts.into_iter().flat_map(in_modes).collect() };
    let load = |running: &Running| running.client.run(tables).map(drop);
    scripts.by_turns(stage, settings, load, |stage, running, (script, mode), sample| {
        measure(stage, running, script, mode, sample)
    })
}

fn measure(stage: &mut Stage, running: &Running, text: &str, mode: &str, mut sample: Sample) -> Result<()> {
    let script = std::env::temp_dir().join(format!("inflight-bench-statement.{}.sql", std::process::id()));
    std::fs::write(&script, text).map_err(|e| crate::error::Error::program(e.to_string()))?;
    let mut command = client("pgbench");
    command.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &stage.bench.port.to_string(), "-n", "-c", "1"]);
    command.args(["-M", mode, "-t", &TIMES.to_string(), "-f"]).arg(&script);
    let times = pgbench::logged(|prefix| run_program(command.args(["-l", prefix, "postgres"])).map(drop));
    let _ = std::fs::remove_file(&script);
    let mut times = times?.split_off(TIMES / 2);
    times.sort_unstable();
    sample.value = times[times.len() / 2] as f64 / 1e3;
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    eprintln!("   round {} {}{}: {:.3} ms", sample.round + 1, sample.system, show(&sample.settings), sample.value);
    stage.bench.records.add(sample)
}
