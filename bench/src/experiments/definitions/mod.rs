//! Definitions and the catalog with few and with many tables in the database: what an object costs must not depend on how many
//! others there are. What is refused is recorded as refused, with the error.

mod cases;
mod queries;
mod report;

use std::process::Command;
use std::time::{Duration, Instant};

use crate::error::{Context, Error, Result};
use crate::peers::Software;
use crate::peers::cluster::Running;
use crate::program::{check_interrupt, run as run_program};
use crate::run::{Contender, Stage};

const EXPERIMENT: &str = "definitions";
/// In place of a unit: the value is none.
const REFUSED: &str = "refused";
/// Tables that there are at first.
const FEW: u32 = 10;
/// How often each is asked; the first half warms up.
const TIMES: usize = 20;

pub fn run(stage: &mut Stage) -> Result<()> {
    let many = stage.bench.tables.max(FEW);
    for software in stage.bench.systems.clone() {
        let settings = [("shared_buffers", "512MB"), ("max_wal_size", "4GB")];
        measure_system(stage, &Contender::new(&software, "", &settings), many)?;
    }
    let text = report::table(&stage.bench.records.samples, FEW, many);
    let file = stage.bench.records.dir().join("definitions.md");
    std::fs::write(&file, text).context(|| format!("writing {}", file.display()))?;
    println!("{}", file.display());
    Ok(())
}

/// What measures one system.
struct Meter<'a, 'b> {
    stage: &'a mut Stage<'b>,
    contender: &'a Contender,
    tables: u32,
}

fn measure_system(stage: &mut Stage, contender: &Contender, many: u32) -> Result<()> {
    let mut meter = Meter { stage, contender, tables: many };
    // The last figure of all.
    if meter.has(AFTER_KILL) {
        return Ok(());
    }
    let mut running = meter.stage.start_cold(contender)?;
    // A run that was interrupted begins anew.
    let there = "SELECT nspname FROM pg_namespace WHERE nspname = 'app' OR nspname LIKE 'more%'";
    for schema in running.client.run(&[there])?.lines() {
        running.client.run(&[&format!("DROP SCHEMA {schema} CASCADE")])?;
    }
    // A hundred rows for each of the tables: a million for 10,000.
    script(&running, &cases::fixture(u64::from(many) * 100))?;
    for tables in [FEW, many] {
        meter.tables = tables;
        if tables > FEW {
            let begun = Instant::now();
            script(&running, &cases::more_tables(FEW, tables))?;
            meter.record(
                "a table with a key, an index and a row, of all",
                Ok(ms(begun) / f64::from(tables - FEW)),
                "ms",
            )?;
        }
        meter.ask(&running)?;
        running = meter.start_again(running)?;
        if tables == many {
            break;
        }
    }
    running.stop()
}

const AFTER_KILL: &str = "start after kill -9";

impl Meter<'_, '_> {
    fn settings(&self, name: &str) -> Vec<(String, String)> {
        vec![("statement".into(), name.into()), ("tables".into(), self.tables.to_string())]
    }

    fn has(&self, name: &str) -> bool {
        self.stage.bench.records.has(&self.stage.blank(&self.contender.name(), &self.settings(name), 0))
    }

    /// What was measured with so many tables.
    fn figure(&self, name: &str, tables: u32) -> Option<f64> {
        let settings = vec![("statement".into(), name.into()), ("tables".into(), tables.to_string())];
        let like = self.stage.blank(&self.contender.name(), &settings, 0);
        let same = |sample: &&crate::record::Sample| {
            sample.experiment == EXPERIMENT && sample.system == like.system && sample.settings == like.settings
        };
        self.stage.bench.records.samples.iter().find(same).map(|sample| sample.value)
    }

    /// A server's error is a figure too: it says what is refused.
    fn record(&mut self, name: &str, outcome: Result<f64>, unit: &str) -> Result<()> {
        let mut sample = self.stage.blank(&self.contender.name(), &self.settings(name), 0);
        match outcome {
            Ok(value) => (sample.value, sample.unit) = (value, unit.into()),
            Err(Error::Program(text)) => {
                let line = text.split_once("ERROR:").map_or(text.as_str(), |(_, error)| error);
                (sample.unit, sample.text) = (REFUSED.into(), line.lines().next().unwrap_or(line).trim().into());
            }
            Err(other) => return Err(other),
        }
        match sample.unit.as_str() {
            REFUSED => eprintln!("   {} with {} tables: {name}: {}", sample.system, self.tables, sample.text),
            _ => eprintln!("   {} with {} tables: {name}: {:.3} {unit}", sample.system, self.tables, sample.value),
        }
        if self.stage.bench.records.has(&sample) {
            return Ok(());
        }
        self.stage.bench.records.add(sample)
    }

    /// All scripts and queries.
    fn ask(&mut self, running: &Running) -> Result<()> {
        for case in cases::all() {
            check_interrupt()?;
            let outcome = median_of(running, &case.before, &case.measured, &case.after);
            if outcome.is_err() {
                // What it left behind is in the next one's way.
                for left in ["DROP SCHEMA IF EXISTS ten CASCADE", "DROP TABLE IF EXISTS app.wide, app.n, app.t0"] {
                    running.client.run(&[left])?;
                }
            }
            self.record(&case.name, outcome, "ms")?;
        }
        for (name, text) in queries::ALL {
            check_interrupt()?;
            let outcome = median_of(running, "", text, "");
            self.record(name, outcome, "ms")?;
        }
        for command in [r"\d app.t1", r"\dt app.*"] {
            let outcome = meta_command(running, command);
            self.record(command, outcome, "ms")?;
        }
        let outcome = dump(self.stage, running);
        self.record("pg_dump -s of a schema", outcome, "ms")
    }

    /// Stops the server and kills it, and says how long it takes to be there again, and how much memory it has then.
    fn start_again(&mut self, running: Running) -> Result<Running> {
        running.stop()?;
        let (running, took) = self.start()?;
        self.record("start after a clean stop", Ok(took), "ms")?;
        if matches!(self.contender.software, Software::Inflight { .. }) {
            // Each row of the catalog that is kept in memory is there after this.
            running.client.run(&["SELECT count(*) FROM pg_attribute JOIN pg_class ON attrelid = pg_class.oid"])?;
            let memory = running.memory()? as f64 / 1024.0;
            self.record("memory of the server", Ok(memory), "kB")?;
            if let Some(few) = self.figure("memory of the server", FEW).filter(|_| self.tables > FEW) {
                let each = (memory - few) / f64::from(self.tables - FEW);
                self.record("memory for each table more", Ok(each), "kB")?;
            }
        }
        running.client.run(&["CREATE TABLE app.last (id int)", "DROP TABLE app.last"])?;
        running.kill()?;
        // Its other processes notice.
        std::thread::sleep(Duration::from_secs(1));
        let (running, took) = self.start()?;
        self.record(AFTER_KILL, Ok(took), "ms")?;
        Ok(running)
    }

    fn start(&mut self) -> Result<(Running, f64)> {
        let begun = Instant::now();
        let running = self.stage.start(self.contender)?;
        Ok((running, ms(begun)))
    }
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

/// Gives psql a script; gives what it printed.
fn script(running: &Running, text: &str) -> Result<String> {
    let file = std::env::temp_dir().join(format!("inflight-bench-definitions.{}.sql", std::process::id()));
    std::fs::write(&file, text).context(|| format!("writing {}", file.display()))?;
    let printed = run_program(running.client.psql().arg("-f").arg(&file));
    let _ = std::fs::remove_file(&file);
    printed
}

/// The median of the times that psql tells of the measured statements, added up.
fn median_of(running: &Running, before: &str, measured: &str, after: &str) -> Result<f64> {
    let once = format!("{before}\\echo @\n\\timing on\n{measured}\n\\timing off\n{after}");
    let printed = script(running, &format!("\\o /dev/null\n{}", once.repeat(TIMES)))?;
    let mut times: Vec<f64> = Vec::new();
    for line in printed.lines() {
        if line == "@" {
            times.push(0.0);
        } else if let Some(time) =
            line.strip_prefix("Time: ").and_then(|rest| rest.split(' ').next()?.parse::<f64>().ok())
            && let Some(sum) = times.last_mut()
        {
            *sum += time;
        }
    }
    if times.len() != TIMES || times.contains(&0.0) {
        return Err(Error::program(format!("psql printed no time: {printed}")));
    }
    Ok(median(times.split_off(TIMES / 2)))
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// psql has no clock for these: the time of many less that of one, in the same session.
fn meta_command(running: &Running, command: &str) -> Result<f64> {
    let timed = |times: usize| -> Result<f64> {
        let begun = Instant::now();
        script(running, &format!("\\o /dev/null\n{}", format!("{command}\n").repeat(times)))?;
        Ok(ms(begun))
    };
    let one = timed(1)?;
    Ok((timed(1 + TIMES)? - one).max(0.0) / TIMES as f64)
}

fn dump(stage: &Stage, running: &Running) -> Result<f64> {
    let mut times = Vec::new();
    for _ in 0..5 {
        // The server's version or newer: PostgreSQL's own, where one is measured beside.
        let own = stage.bench.systems.iter().find_map(|software| software.program("pg_dump"));
        let mut command = own.unwrap_or_else(|| Command::new("pg_dump"));
        command.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &running.client.port.to_string(), "-s", "-n", "app"]);
        let begun = Instant::now();
        run_program(command.arg("postgres"))?;
        times.push(ms(begun));
    }
    Ok(median(times))
}
