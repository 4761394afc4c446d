//! TPC-C by go-tpc (`go install github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12`). Its checks of the data (TPC-C's conditions 3.3.2) must
//! hold afterwards, else there is no figure.

use std::process::Command;
use std::time::Instant;

use super::memory::{COMMITS, client, in_turns, tuned};
use crate::error::{Error, Result};
use crate::fio;
use crate::peers::cluster::Running;
use crate::program::{check_interrupt, exists, run as run_program};
use crate::record::Sample;
use crate::run::{Stage, show};

const CLIENTS: u32 = 8;
const LOADERS: u32 = 4;
const WARM_SECONDS: u32 = 10;
const SECONDS: u32 = 60;

/// go-tpc, told where the server is and how large the data are.
pub struct Tpcc {
    port: u16,
    warehouses: u32,
}

impl Tpcc {
    pub fn new(stage: &Stage) -> Result<Tpcc> {
        if !exists("go-tpc") {
            return Err(Error::missing("this needs go-tpc (go install github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12)"));
        }
        // Two at the usual scale of a tenth.
        Ok(Tpcc { port: stage.bench.port, warehouses: ((20.0 * stage.bench.scale) as u32).max(1) })
    }

    fn command(&self, clients: u32, what: &[&str]) -> Command {
        let mut command = client("go-tpc");
        command.args(["tpcc", "-d", "postgres", "-H", "127.0.0.1", "-U", "postgres", "-D", "postgres"]);
        command.args(["-P", &self.port.to_string(), "--conn-params", "sslmode=disable"]);
        command.args(["--warehouses", &self.warehouses.to_string(), "-T", &clients.to_string()]);
        command.args(what);
        command
    }

    /// Transactions for so long, with their rates at each interval.
    pub fn transactions(&self, seconds: u32, interval: u32) -> Command {
        let [time, interval] = [seconds, interval].map(|seconds| format!("{seconds}s"));
        self.command(CLIENTS, &["run", "--time", &time, "--interval", &interval])
    }

    /// Takes away what there is.
    fn clean_up(&self) -> Result<()> {
        run_program(&mut self.command(CLIENTS, &["cleanup"])).map(drop)
    }

    fn fill(&self) -> Result<()> {
        run_program(&mut self.command(LOADERS, &["prepare", "--no-check"])).map(drop)
    }

    /// Makes the data anew and warms up, on an unlimited volume.
    pub fn prepare(&self, stage: &mut Stage, running: &Running) -> Result<()> {
        stage.unlimited(|_| {
            self.clean_up()?;
            self.fill()?;
            running.client.run(&["VACUUM ANALYZE", "CHECKPOINT"])?;
            run_program(&mut self.transactions(WARM_SECONDS, WARM_SECONDS)).map(drop)
        })
    }

    /// Are the data what TPC-C asks for?
    pub fn check(&self, stage: &mut Stage) -> Result<()> {
        stage.unlimited(|_| run_program(&mut self.command(CLIENTS, &["check"])).map(drop))
    }
}

pub fn run(stage: &mut Stage) -> Result<()> {
    by_turns(stage, "tpmC", |stage, running, tpcc, sample| {
        tpcc.prepare(stage, running)?;
        stage.observe();
        let seconds = stage.bench.seconds.unwrap_or(SECONDS);
        let output = run_program(&mut tpcc.transactions(seconds, seconds))?;
        sample.observed = stage.observe();
        let figure =
            output.lines().find_map(|line| line.split_once("tpmC: ")?.1.split([',', ' ']).next()?.parse().ok());
        sample.value = figure.ok_or_else(|| Error::program(format!("go-tpc said nothing of tpmC: {output}")))?;
        tpcc.check(stage)
    })
}

/// INSERTs of many VALUES rows into tables with keys.
pub fn load(stage: &mut Stage) -> Result<()> {
    by_turns(stage, "ms", |stage, _, tpcc, sample| {
        tpcc.clean_up()?;
        stage.observe();
        let begun = Instant::now();
        tpcc.fill()?;
        sample.value = begun.elapsed().as_secs_f64() * 1e3;
        sample.observed = stage.observe();
        Ok(())
    })
}

/// What is measured of each system by turns, with durable commits and without.
fn by_turns(
    stage: &mut Stage,
    unit: &str,
    measure: impl Fn(&mut Stage, &Running, &Tpcc, &mut Sample) -> Result<()>,
) -> Result<()> {
    let tpcc = Tpcc::new(stage)?;
    for round in 0..stage.bench.repeat {
        stage.limit(fio::FLUSH, round)?;
        for commit in &COMMITS {
            for contender in in_turns(stage, round).iter().map(|software| tuned(software, commit)) {
                let shown = commit.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
                let mut sample = stage.blank(&contender.name(), &shown, round);
                if stage.bench.records.has(&sample) {
                    continue;
                }
                check_interrupt()?;
                let running = stage.start_cold(&contender)?;
                measure(stage, &running, &tpcc, &mut sample)?;
                finish(stage, &running, sample, unit)?;
                running.stop()?;
            }
        }
    }
    Ok(())
}

fn finish(stage: &mut Stage, running: &Running, mut sample: Sample, unit: &str) -> Result<()> {
    sample.unit = unit.into();
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    let (system, settings) = (&sample.system, show(&sample.settings));
    eprintln!("   round {} {system}{settings}: {:.0} {unit}", sample.round + 1, sample.value);
    stage.bench.records.add(sample)
}
