//! TPC-C minute by minute: does the rate decline, and what grows? Of each minute the rate of new orders, and at its end the sizes of the
//! database, its indexes and its undo log, and the server's memory.

use super::memory::{in_turns, tuned};
use super::tpcc::Tpcc;
use crate::error::Result;
use crate::fio;
use crate::peers::Software;
use crate::peers::cluster::Running;
use crate::program::{check_interrupt, follow};
use crate::record::Sample;
use crate::run::{Contender, Stage};

const MINUTE: u32 = 60;
const HOUR: u32 = 60 * MINUTE;

/// What a server does beside its clients belongs to an hour, whose data are still in memory.
const SETTINGS: [(&str, &str); 4] =
    [("synchronous_commit", "on"), ("autovacuum", "on"), ("checkpoint_timeout", "300"), ("shared_buffers", "4GB")];

const SIZES: &str = "SELECT pg_database_size(current_database()) >> 20, sum(pg_indexes_size(oid))::bigint >> 20 FROM pg_class \
                     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace";
const UNDO: &str = "SELECT size >> 20 FROM inflight_undo";

pub fn run(stage: &mut Stage) -> Result<()> {
    let tpcc = Tpcc::new(stage)?;
    for round in 0..stage.bench.repeat {
        stage.limit(fio::FLUSH, round)?;
        for software in in_turns(stage, round) {
            measure(stage, &tpcc, &software, round)?;
        }
    }
    Ok(())
}

fn measure(stage: &mut Stage, tpcc: &Tpcc, software: &Software, round: u32) -> Result<()> {
    let minutes = (stage.bench.seconds.unwrap_or(HOUR) / MINUTE).max(2);
    let contender = tuned(software, &SETTINGS);
    if stage.bench.records.has(&minute(stage, &contender, minutes, round)) {
        return Ok(());
    }
    check_interrupt()?;
    let running = stage.start_cold(&contender)?;
    tpcc.prepare(stage, &running)?;
    let server = running.client.run(&[crate::run::SERVER_SETTINGS])?;
    let mut samples: Vec<Sample> = Vec::new();
    // go-tpc does not tell of an interval that ends when it does.
    let seconds = minutes * MINUTE + MINUTE / 2;
    stage.observe();
    follow(&mut tpcc.transactions(seconds, MINUTE), |line| {
        let Some(rate) = new_orders(line) else { return Ok(()) };
        let blank = minute(stage, &contender, samples.len() as u32 + 1, round);
        let (observed, text) = (stage.observe(), state(software, &running)?);
        eprintln!("   round {} {}, minute {}: {rate:.0} tpmC, {text}", round + 1, blank.system, samples.len() + 1);
        samples.push(Sample { value: rate, unit: "tpmC".into(), observed, text, server: server.clone(), ..blank });
        Ok(())
    })?;
    tpcc.check(stage)?;
    running.stop()?;
    // All of them, or none: a part of an hour is no use.
    samples.into_iter().try_for_each(|sample| stage.bench.records.add(sample))
}

fn minute(stage: &Stage, contender: &Contender, number: u32, round: u32) -> Sample {
    stage.blank(&contender.name(), &vec![("minute".into(), number.to_string())], round)
}

/// The rate that go-tpc tells of an interval.
fn new_orders(line: &str) -> Option<f64> {
    line.strip_prefix("[Current] NEW_ORDER ")?.split_once("TPM: ")?.1.split(',').next()?.parse().ok()
}

/// How large everything is.
fn state(software: &Software, running: &Running) -> Result<String> {
    let sizes = running.client.run(&[SIZES])?;
    let (database, indexes) = sizes.split_once('|').unwrap_or((&sizes, ""));
    // PostgreSQL's old rows are in its tables.
    let undo = match software {
        Software::Inflight { .. } => format!(", undo {} MB", running.client.run(&[UNDO])?),
        Software::Postgres { .. } => String::new(),
    };
    let memory = running.memory()? >> 20;
    Ok(format!("database {database} MB, indexes {indexes} MB{undo}, memory {memory} MB"))
}

#[cfg(test)]
mod tests {
    use super::new_orders;

    #[test]
    fn rates_are_those_of_the_intervals() {
        let line = "[Current] NEW_ORDER - Takes(s): 2.0, Count: 944, TPM: 28662.8, Sum(ms): 3183.6, Avg(ms): 3.4";
        assert_eq!(new_orders(line), Some(28662.8));
        for other in
            ["[Summary] NEW_ORDER - Takes(s): 6.0, Count: 3053, TPM: 30628.7", "tpmC: 30628.4, tpmTotal: 69320.5"]
        {
            assert_eq!(new_orders(other), None);
        }
    }
}
