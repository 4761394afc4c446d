//! Cold scans of indexes whose rows lie anywhere in the table. PostgreSQL is given its plain index scan and, with reads ahead as
//! deep as helps it, the best plan that it finds. Rows are text, so that both servers' tables take the same bytes.

use super::scan::DEEP;
use crate::error::{Error, Result};
use crate::fio::SCATTERED;
use crate::peers::Software;
use crate::peers::client::Timed;
use crate::program::check_interrupt;
use crate::record::Sample;
use crate::run::{Contender, SERVER_SETTINGS, Stage};

/// What is asked of the table, by name. `{n}` is the number of its rows, `{p}` one percent of them.
const STATEMENTS: &[(&str, &str)] = &[
    ("range of 1 %", "SELECT sum(length(pad)) FROM scattered WHERE k BETWEEN {n} / 2 AND {n} / 2 + {p}"),
    (
        "range of 1 %, backward",
        "SELECT sum(length(pad)) FROM (SELECT pad FROM scattered WHERE k < {n} / 3 ORDER BY k DESC LIMIT {p}) s",
    ),
    ("LIMIT 10", "SELECT sum(length(pad)) FROM (SELECT pad FROM scattered WHERE k > {n} / 4 ORDER BY k LIMIT 10) s"),
    (
        "1,000 keys",
        "SELECT sum(length(pad)) FROM scattered WHERE k = ANY (ARRAY(SELECT i * 104729 % {n} FROM generate_series(1, 1000) i))",
    ),
    ("join by one key of 250", "SELECT sum(length(s.pad)) FROM keys JOIN scattered s ON s.k = keys.k"),
];

/// Nothing but the index, and no sorting of its entries by page.
const PLAIN: [(&str, &str); 4] =
    [("enable_seqscan", "off"), ("enable_bitmapscan", "off"), ("enable_hashjoin", "off"), ("enable_mergejoin", "off")];

pub fn run(stage: &mut Stage) -> Result<()> {
    let systems = stage.bench.systems.clone();
    let rows = stage.bench.rows() / 20;
    systems.iter().try_for_each(|software| load(stage, software, rows))?;
    let contenders: Vec<Contender> = systems.iter().flat_map(contenders).collect();
    for round in 0..stage.bench.repeat {
        stage.limit(SCATTERED, round)?;
        for (name, statement) in STATEMENTS {
            let statement = statement.replace("{n}", &rows.to_string()).replace("{p}", &(rows / 100).to_string());
            for contender in &contenders {
                measure(stage, contender, round, name, &statement)?;
            }
        }
    }
    Ok(())
}

fn contenders(software: &Software) -> Vec<Contender> {
    match software {
        Software::Inflight { .. } => vec![Contender::new(software, "", &[])],
        Software::Postgres { version, .. } if *version < 18 => vec![Contender::new(software, "", &[])],
        Software::Postgres { .. } => {
            let best = [&[("io_method", software.best_method())][..], &DEEP].concat();
            vec![
                Contender::new(software, "index scan", &[&best[..], &PLAIN].concat()),
                Contender::new(software, "best plan", &best),
            ]
        }
    }
}

/// A table of 200 bytes a row, and an index of a column whose values have nothing to do with the rows' places.
fn load(stage: &mut Stage, software: &Software, rows: u64) -> Result<()> {
    eprintln!("   loading {software}");
    stage.unlimited(|stage| load_tables(stage, software, rows))
}

fn load_tables(stage: &mut Stage, software: &Software, rows: u64) -> Result<()> {
    let running = stage.start_cold(&Contender::new(software, "", &[]))?;
    running.client.run(&[
        "DROP TABLE IF EXISTS scattered, keys",
        "CREATE TABLE scattered (k int, pad text)",
        &format!(
            "INSERT INTO scattered SELECT i * 7919 % {rows}, repeat(md5(i::text), 6) FROM generate_series(1::bigint, {rows}) i"
        ),
        "CREATE INDEX ON scattered (k)",
        "CREATE TABLE keys (k int)",
        &format!("INSERT INTO keys SELECT i * 104729 % {rows} FROM generate_series(1::bigint, {rows} / 250) i"),
        "VACUUM ANALYZE",
        "CHECKPOINT",
    ])?;
    running.stop()
}

fn measure(stage: &mut Stage, contender: &Contender, round: u32, name: &str, statement: &str) -> Result<()> {
    let settings = [("statement".to_string(), name.to_string())];
    let mut sample = stage.blank(&contender.name(), &settings.to_vec(), round);
    if stage.bench.records.has(&sample) {
        return Ok(());
    }
    check_interrupt()?;
    let running = stage.start_cold(contender)?;
    let before = ["SET max_parallel_workers_per_gather = 0".to_string()];
    let Timed { ms, answer } = running.client.timed(&before, statement)?;
    sample.observed = stage.observe();
    sample.bytes = running.client.run(&["SELECT pg_table_size('scattered')"])?.parse().ok();
    sample.server = running.client.run(&[SERVER_SETTINGS])?;
    running.stop()?;
    sample.value = ms;
    sample.answer = answer;
    let same = |other: &&Sample| {
        other.experiment == sample.experiment && other.profile == sample.profile && other.settings == sample.settings
    };
    if let Some(other) = stage.bench.records.samples.iter().find(same).filter(|other| other.answer != sample.answer) {
        let (system, answer) = (&sample.system, &sample.answer);
        return Err(Error::program(format!(
            "{system} answers {answer}, where {} answered {}",
            other.system, other.answer
        )));
    }
    let reads = sample.observed.as_ref().map_or(0, |observed| observed.reads);
    sample.text = format!("{reads} reads, {:.0} a second", reads as f64 / ms * 1e3);
    eprintln!("   round {} {} [{name}]: {ms:.0} ms, {}", round + 1, sample.system, sample.text);
    stage.bench.records.add(sample)
}
