//! Cold scans of indexes whose rows lie anywhere in the table. PostgreSQL is given its plain index scan and, with reads ahead as
//! deep as helps it, the best plan that it finds. Rows are text, so that both servers' tables take the same bytes.

use super::scan::{DEEP, SERIAL};
use crate::error::Result;
use crate::fio::SCATTERED;
use crate::peers::Software;
use crate::run::{Contender, Question, Stage};

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
                let before = [SERIAL.to_string()];
                stage.ask(contender, round, &Question { name, before: &before, statement: &statement, warm: false })?;
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
pub fn load(stage: &mut Stage, software: &Software, rows: u64) -> Result<()> {
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
