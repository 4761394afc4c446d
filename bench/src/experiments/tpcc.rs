//! TPC-C by go-tpc (`go install github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12`). Its checks of the data (TPC-C's conditions 3.3.2) must
//! hold afterwards, else there is no figure.

use std::process::Command;

use super::memory::{client, in_turns, tuned};
use super::sysbench::ASYNCHRONOUS;
use crate::error::{Error, Result};
use crate::program::{check_interrupt, exists, run as run_program};
use crate::run::{Contender, Stage};

const CLIENTS: u32 = 8;
const WARM_SECONDS: u32 = 10;
const SECONDS: u32 = 60;

pub fn run(stage: &mut Stage) -> Result<()> {
    if !exists("go-tpc") {
        return Err(Error::missing("this needs go-tpc (go install github.com/pingcap/go-tpc/cmd/go-tpc@v1.0.12)"));
    }
    for round in 0..stage.bench.repeat {
        for software in in_turns(stage, round) {
            measure(stage, &tuned(&software, &ASYNCHRONOUS), round)?;
        }
    }
    Ok(())
}

fn measure(stage: &mut Stage, contender: &Contender, round: u32) -> Result<()> {
    let mut sample = stage.blank(&contender.name(), &vec![], round);
    if stage.bench.records.has(&sample) {
        return Ok(());
    }
    check_interrupt()?;
    // Two at the usual scale of a tenth.
    let warehouses = ((20.0 * stage.bench.scale) as u32).max(1);
    let port = stage.bench.port;
    let tpcc = |what: &[&str]| -> Command {
        let mut command = client("go-tpc");
        command.args(["tpcc", "-d", "postgres", "-H", "127.0.0.1", "-U", "postgres", "-D", "postgres"]);
        command.args(["-P", &port.to_string(), "--conn-params", "sslmode=disable"]);
        command.args(["--warehouses", &warehouses.to_string(), "-T", &CLIENTS.to_string()]);
        command.args(what);
        command
    };
    let running = stage.start_cold(contender)?;
    stage.unlimited(|_| {
        run_program(&mut tpcc(&["cleanup"]))?;
        run_program(&mut tpcc(&["prepare", "--no-check"]))?;
        running.client.run(&["VACUUM ANALYZE", "CHECKPOINT"])?;
        run_program(&mut tpcc(&["run", "--time", &format!("{WARM_SECONDS}s")]))
    })?;
    stage.observe();
    let output = run_program(&mut tpcc(&["run", "--time", &format!("{SECONDS}s")]))?;
    sample.observed = stage.observe();
    let figure = output.lines().find_map(|line| line.split_once("tpmC: ")?.1.split([',', ' ']).next()?.parse().ok());
    sample.value = figure.ok_or_else(|| Error::program(format!("go-tpc said nothing of tpmC: {output}")))?;
    sample.unit = "tpmC".into();
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    stage.unlimited(|_| run_program(&mut tpcc(&["check"])))?;
    running.stop()?;
    eprintln!("   round {} {}: {:.0} tpmC", round + 1, sample.system, sample.value);
    stage.bench.records.add(sample)
}
