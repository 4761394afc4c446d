//! pgbench: E7, the search for the best `commit_delay`, transactions in memory, and servers as they come. Each system's server is started once,
//! with all data in its memory; what is varied is set by the sessions, and systems take turns in each round.

use std::process::Command;

use super::memory::{client, tuned};
use crate::error::{Context, Error, Result};
use crate::fio;
use crate::peers::Software;
use crate::peers::cluster::{Running, Settings};
use crate::program::{check_interrupt, run as run_program};
use crate::record::Sample;
use crate::run::{Contender, Stage};

/// The published values.
const DELAYS: [u32; 12] = [0, 10, 30, 50, 100, 200, 500, 750, 1000, 1250, 1500, 2000];
/// Fixed values that `auto` is compared with.
const OWN_DELAYS: [u32; 6] = [0, 50, 200, 500, 1000, 2000];
pub const SECONDS: u32 = 8;

pub struct Load {
    pub script: Script,
    pub mode: &'static str,
    pub clients: u32,
    pub seconds: u32,
}

#[derive(Clone, Copy)]
pub enum Script {
    Builtin(&'static str),
    Own(&'static str),
}

impl Script {
    /// Runs pgbench with it.
    fn run(self, command: &mut Command) -> Result<String> {
        match self {
            Script::Builtin(name) => run_program(command.args(["-b", name])),
            Script::Own(text) => {
                let path = std::env::temp_dir().join(format!("inflight-bench-script.{}", std::process::id()));
                std::fs::write(&path, text).context(|| format!("writing {}", path.display()))?;
                let outcome = run_program(command.arg("-f").arg(&path));
                let _ = std::fs::remove_file(&path);
                outcome
            }
        }
    }
}

fn pgbench(port: u16) -> Command {
    let mut command = client("pgbench");
    command.args(["-h", "127.0.0.1", "-U", "postgres", "-p", &port.to_string()]);
    command
}

/// Makes pgbench's tables in the server that runs.
pub fn initialise(stage: &Stage, scale: u64) -> Result<()> {
    run_program(pgbench(stage.bench.port).args(["-i", "-q", "-s", &scale.to_string(), "postgres"])).map(drop)
}

/// Starts a server with pgbench's tables on it, in its memory (or the system's) as far as they fit.
fn prepare(stage: &mut Stage, contender: &Contender) -> Result<Running> {
    // Of the published 100; never less than 20.
    let scale = ((100.0 * stage.bench.scale) as u32).max(20);
    let running = stage.start_cold(contender)?;
    eprintln!("   pgbench -i -s {scale}: {}", contender.name());
    stage.unlimited(|stage| {
        initialise(stage, scale.into())?;
        running.client.run(&["CHECKPOINT", "SELECT sum(abalance) FROM pgbench_accounts"])?;
        let warm = ["-n", "-S", "-M", "prepared", "-c", "8", "-j", "2", "-T", "8", "postgres"];
        run_program(pgbench(stage.bench.port).args(warm))
    })?;
    Ok(running)
}

/// Runs pgbench without measuring.
pub fn warm(stage: &Stage, load: &Load, seconds: u32) -> Result<()> {
    let mut command = pgbench(stage.bench.port);
    command.args(["-n", "-M", load.mode, "-j", "2", "-c", &load.clients.to_string()]);
    load.script.run(command.args(["-T", &seconds.to_string(), "-d", "postgres"])).map(drop)
}

/// Runs pgbench; the sample has transactions a second, and how long they took.
pub fn measure(
    stage: &mut Stage,
    running: &Running,
    mut sample: Sample,
    load: &Load,
    options: &Settings,
) -> Result<()> {
    if stage.bench.records.has(&sample) {
        return Ok(());
    }
    check_interrupt()?;
    let mut command = pgbench(stage.bench.port);
    command.args(["-n", "-M", load.mode, "-j", "2"]);
    let seconds = stage.bench.seconds.unwrap_or(load.seconds);
    command.args(["-c", &load.clients.to_string(), "-T", &seconds.to_string(), "-l"]);
    let text: Vec<String> = options.iter().map(|(name, value)| format!("-c {name}={value}")).collect();
    command.env("PGOPTIONS", text.join(" "));
    stage.observe();
    let mut output = String::new();
    let latencies = logged(|prefix| {
        output = load.script.run(command.args([prefix, "-d", "postgres"]))?;
        Ok(())
    })?;
    sample.observed = stage.observe();
    let tps = output.lines().find_map(|l| l.strip_prefix("tps = ")).and_then(|l| l.split(' ').next());
    sample.value = tps
        .and_then(|t| t.parse().ok())
        .ok_or_else(|| Error::program(format!("pgbench said nothing of tps: {output}")))?;
    sample.unit = "tps".into();
    sample.text = operations(sample.observed.as_ref(), latencies.len(), seconds);
    sample.latency = percentiles(latencies);
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    let [p50, p95, p99] = sample.latency.unwrap_or_default();
    eprintln!(
        "   round {} {}{}: {:.1} tps, {p50:.2} / {p95:.2} / {p99:.2} ms, {}",
        sample.round + 1,
        sample.system,
        crate::run::show(&sample.settings),
        sample.value,
        sample.text
    );
    stage.bench.records.add(sample)
}

/// What the volume saw, by transaction and by second.
fn operations(observed: Option<&crate::volume::Observed>, transactions: usize, seconds: u32) -> String {
    let Some(observed) = observed else { return String::new() };
    let each = |count: u64| count as f64 / transactions.max(1) as f64;
    let (reads, writes, flushes) = (each(observed.reads), each(observed.writes), each(observed.flushes));
    let rate = (observed.reads + observed.writes) as f64 / f64::from(seconds);
    let bytes = (observed.read_bytes + observed.write_bytes) as f64 / f64::from(seconds) / 1e6;
    format!("{reads:.2} reads, {writes:.2} writes, {flushes:.2} flushes each, {rate:.0} IOPS, {bytes:.0} MB/s")
}

/// Runs pgbench with the argument that says where its logs go; gives how long each transaction took, in microseconds, client
/// by client.
pub fn logged(run: impl FnOnce(&str) -> Result<()>) -> Result<Vec<u64>> {
    let logs = std::env::temp_dir().join(format!("inflight-bench-pgbench.{}", std::process::id()));
    std::fs::create_dir_all(&logs).context(|| format!("making {}", logs.display()))?;
    let times = run(&format!("--log-prefix={}/log", logs.display())).and_then(|()| {
        let mut all: Vec<u64> = Vec::new();
        for entry in std::fs::read_dir(&logs).context(|| format!("listing {}", logs.display()))?.flatten() {
            let text = std::fs::read_to_string(entry.path()).context(|| "reading pgbench's log".into())?;
            all.extend(text.lines().filter_map(|line| line.split(' ').nth(2)?.parse::<u64>().ok()));
        }
        Ok(all)
    });
    let _ = std::fs::remove_dir_all(&logs);
    times
}

/// The 50th, 95th and 99th percentile of microseconds, in milliseconds.
fn percentiles(mut all: Vec<u64>) -> Option<[f64; 3]> {
    all.sort_unstable();
    let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize] as f64 / 1e3;
    (!all.is_empty()).then(|| [at(0.5), at(0.95), at(0.99)])
}

/// One round of a server: all variants, each a label and session settings.
fn round(
    stage: &mut Stage,
    contender: &Contender,
    round: u32,
    load: &Load,
    variants: &[(String, Settings)],
) -> Result<()> {
    let base = contender.name();
    let mut samples: Vec<(Sample, &Settings)> = variants
        .iter()
        .map(|(label, options)| {
            let mut shown = options.clone();
            shown.push(("clients".into(), load.clients.to_string()));
            (stage.blank(format!("{base} {label}").trim(), &shown, round), options)
        })
        .collect();
    if samples.iter().all(|(sample, _)| stage.bench.records.has(sample)) {
        return Ok(());
    }
    let running = prepare(stage, contender)?;
    // The first change of a page after a checkpoint logs all of it. Without this what is measured first would write more
    // than what comes later: 18 MB/s beside 6.
    let touch = ["-n", "-M", "prepared", "-c", "10", "-j", "2", "-T", "20", "-d", "postgres"];
    let mut command = pgbench(stage.bench.port);
    command.env("PGOPTIONS", "-c synchronous_commit=off").args(touch);
    stage.unlimited(|_| load.script.run(&mut command))?;
    // For a while the server writes what that has changed; and what comes first must not come first in every round.
    warm(stage, load, SECONDS)?;
    if round % 2 == 1 {
        samples.reverse();
    }
    for (sample, options) in samples {
        measure(stage, &running, sample, load, options)?;
    }
    stage.unlimited(|_| running.stop())
}

/// With no settings of the session.
fn as_it_comes() -> (String, Settings) {
    (String::new(), vec![])
}

fn fixed(delay: u32) -> (String, Settings) {
    (String::new(), vec![("commit_delay".into(), delay.to_string())])
}

/// E7: PostgreSQL over the whole table, Inflight as it comes.
pub fn commit_delay(stage: &mut Stage) -> Result<()> {
    let load = Load { script: Script::Builtin("simple-update"), mode: "simple", clients: 10, seconds: SECONDS };
    for number in 0..stage.bench.repeat {
        stage.limit(fio::FLUSH, number)?;
        for software in stage.bench.systems.clone() {
            let variants: Vec<_> = match software {
                Software::Inflight { .. } => vec![("auto".to_string(), vec![])],
                Software::Postgres { .. } => DELAYS.into_iter().map(fixed).collect(),
            };
            round(stage, &tuned(&software, &[]), number, &load, &variants)?;
            round(stage, &Contender::defaults(&software), number, &load, &[as_it_comes()])?;
        }
    }
    Ok(())
}

/// E19: more data than PostgreSQL's default buffers hold, less than the machine's memory; with nothing set, and with
/// buffers for all of it.
pub fn defaults(stage: &mut Stage) -> Result<()> {
    let load = Load { script: Script::Builtin("simple-update"), mode: "simple", clients: 10, seconds: SECONDS };
    for number in 0..stage.bench.repeat {
        stage.limit(fio::FLUSH, number)?;
        let mut contenders: Vec<_> = stage.bench.systems.iter().map(Contender::defaults).collect();
        let large = |software| Contender::new(software, "2GB", &[("shared_buffers", "2GB")]);
        contenders.extend(stage.bench.systems.iter().map(large));
        for contender in contenders {
            round(stage, &contender, number, &load, &[as_it_comes()])?;
        }
    }
    Ok(())
}

/// `commit_delay = auto` beside our own fixed values.
pub fn own_delays(stage: &mut Stage) -> Result<()> {
    let Some(software) = stage.bench.inflight().cloned() else { return Ok(()) };
    for number in 0..stage.bench.repeat {
        for clients in [1, 10, 50] {
            let load = Load { script: Script::Builtin("simple-update"), mode: "simple", clients, seconds: SECONDS };
            let mut variants = vec![("auto".to_string(), vec![])];
            variants.extend(OWN_DELAYS.into_iter().map(fixed));
            round(stage, &tuned(&software, &[]), number, &load, &variants)?;
        }
    }
    Ok(())
}

/// Transactions in memory: what the processor allows.
pub fn in_memory(stage: &mut Stage) -> Result<()> {
    for number in 0..stage.bench.repeat {
        for contender in stage.bench.systems.clone().iter().flat_map(|s| [tuned(s, &[]), Contender::defaults(s)]) {
            let name = contender.name();
            let loads = ["select-only", "simple-update", "tpcb-like"].into_iter();
            let loads = loads.flat_map(|name| ["prepared", "simple"].map(|mode| (name, mode)));
            let samples: Vec<(Sample, Load)> = loads
                .map(|(script, mode)| {
                    let shown = vec![("load".to_string(), format!("{script} {mode}"))];
                    let load = Load { script: Script::Builtin(script), mode, clients: 10, seconds: SECONDS };
                    (stage.blank(&name, &shown, number), load)
                })
                .collect();
            if samples.iter().all(|(sample, _)| stage.bench.records.has(sample)) {
                continue;
            }
            let running = prepare(stage, &contender)?;
            for (sample, load) in samples {
                measure(stage, &running, sample, &load, &vec![])?;
            }
            running.stop()?;
        }
    }
    Ok(())
}
