//! Scripts of pgbench alone on one connection: the median of their times, by what they ask, in each protocol. `statements` are
//! everyday ones, `application` what a shop's application asks, `migrations` what migrations and test suites do.

use super::memory::{ASYNCHRONOUS, Measured, client};
use super::pgbench;
use crate::error::Result;
use crate::peers::cluster::Running;
use crate::program::run as run_program;
use crate::record::Sample;
use crate::run::{Stage, show};

/// Scripts behind lines with their names; the first one makes the tables.
const STATEMENTS: &str = include_str!("statements.sql");
const APPLICATION: &str = include_str!("application.sql");
const MIGRATIONS: &str = include_str!("migrations.sql");

/// Half of them warm up.
const TIMES: usize = 200;

pub fn run(stage: &mut Stage) -> Result<()> {
    in_memory(stage, STATEMENTS)
}

pub fn application(stage: &mut Stage) -> Result<()> {
    in_memory(stage, APPLICATION)
}

fn in_memory(stage: &mut Stage, text: &'static str) -> Result<()> {
    let (tables, scripts) = parts(text);
    measure_all(stage, &tables, scripts, &["simple", "prepared"], &ASYNCHRONOUS)
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

#[cfg(test)]
mod tests {
    use super::{APPLICATION, MIGRATIONS, STATEMENTS, parts};

    #[test]
    fn each_script_has_a_name_of_its_own() {
        for (text, count) in [(STATEMENTS, 150), (APPLICATION, 60), (MIGRATIONS, 18)] {
            let (tables, scripts) = parts(text);
            assert!(tables.len() > 1);
            let names: std::collections::BTreeSet<_> = scripts.iter().map(|(name, _)| name).collect();
            assert_eq!((scripts.len(), names.len()), (count, count));
            assert!(scripts.iter().all(|(_, script)| script.trim_end().ends_with(';')));
        }
    }
}
