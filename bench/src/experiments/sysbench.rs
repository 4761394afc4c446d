//! sysbench's OLTP tests (Debian's package): point and range selects, and writes that no script of pgbench has.

use std::process::Command;

use super::memory::{COMMITS, Measured, client};
use crate::error::{Error, Result};
use crate::fio;
use crate::peers::cluster::Running;
use crate::program::{exists, run as run_program};
use crate::record::Sample;
use crate::run::{Stage, show};

const TESTS: [&str; 10] = [
    "oltp_point_select",
    "oltp_read_only",
    "select_random_points",
    "select_random_ranges",
    "oltp_read_write",
    "oltp_write_only",
    "oltp_update_index",
    "oltp_update_non_index",
    "oltp_insert",
    "oltp_delete",
];
const CLIENTS: u32 = 8;
const SECONDS: u32 = 20;

pub fn run(stage: &mut Stage) -> Result<()> {
    if !exists("sysbench") {
        return Err(Error::missing("this needs sysbench (apt-get install sysbench)"));
    }
    let tests = Measured { kind: "test", each: TESTS.map(|test| (test.to_string(), test)).to_vec() };
    stage.limit(fio::FLUSH, 0)?;
    for commit in &COMMITS {
        tests.by_turns(
            stage,
            commit,
            |_| Ok(()),
            |stage, running, test, sample| measure(stage, running, test, sample),
        )?;
    }
    Ok(())
}

/// A test on tables of its own: what the one before left behind is not its concern.
fn measure(stage: &mut Stage, running: &Running, test: &str, mut sample: Sample) -> Result<()> {
    let rows = ((1_000_000.0 * stage.bench.scale) as u64).max(10_000);
    let (port, seconds) = (stage.bench.port, stage.bench.seconds.unwrap_or(SECONDS));
    let sysbench = |test: &str, what: &str| -> Command {
        let mut command = client("sysbench");
        command.arg(test).args(["--db-driver=pgsql", "--pgsql-host=127.0.0.1", "--pgsql-user=postgres"]);
        command.args(["--pgsql-db=postgres", "--tables=1", "--report-interval=0"]);
        command.arg(format!("--pgsql-port={port}")).arg(format!("--table-size={rows}"));
        command.args([format!("--threads={CLIENTS}"), format!("--time={seconds}"), what.into()]);
        command
    };
    stage.unlimited(|_| {
        running.client.run(&["DROP TABLE IF EXISTS sbtest1"])?;
        run_program(&mut sysbench("oltp_read_write", "prepare"))?;
        running.client.run(&["VACUUM ANALYZE sbtest1", "CHECKPOINT"])
    })?;
    stage.observe();
    let output = run_program(&mut sysbench(test, "run"))?;
    sample.observed = stage.observe();
    let tps = output.lines().find_map(|line| line.trim().strip_prefix("transactions:")?.split_once('('));
    sample.value = tps
        .and_then(|(_, rate)| rate.split(' ').next()?.parse().ok())
        .ok_or_else(|| Error::program(format!("sysbench said nothing of transactions: {output}")))?;
    sample.unit = "tps".into();
    sample.server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    eprintln!("   round {} {}{}: {:.0} tps", sample.round + 1, sample.system, show(&sample.settings), sample.value);
    stage.bench.records.add(sample)
}
