//! Does the planner choose well? Forty queries, cold and in memory: Inflight's own plan beside those that are forced by hand.

use crate::error::Result;
use crate::peers::Software;
use crate::run::{Contender, Question, Stage};

/// Percent of the rows.
const SELECTIVITIES: [f64; 4] = [0.01, 1.0, 10.0, 60.0];

const OFF: &str = "off";
const NO_INDEX: [(&str, &str); 3] =
    [("enable_indexscan", OFF), ("enable_indexonlyscan", OFF), ("enable_bitmapscan", OFF)];
const NO_HASH: (&str, &str) = ("enable_hashjoin", OFF);
const NO_MERGE: (&str, &str) = ("enable_mergejoin", OFF);
const NO_LOOP: (&str, &str) = ("enable_nestloop", OFF);
const NO_SEQ: (&str, &str) = ("enable_seqscan", OFF);
const NO_BITMAP: (&str, &str) = ("enable_bitmapscan", OFF);

/// What is forced on a query of one table.
const SCANS: &[(&str, &[(&str, &str)])] = &[
    ("sequential", &NO_INDEX),
    ("index", &[NO_SEQ, NO_BITMAP]),
    ("bitmap", &[NO_SEQ, ("enable_indexscan", OFF), ("enable_indexonlyscan", OFF)]),
];

/// What is forced on a join.
const JOINS: &[(&str, &[(&str, &str)])] = &[
    ("hash", &[NO_MERGE, NO_LOOP]),
    ("hash, sequential", &[NO_MERGE, NO_LOOP, NO_INDEX[0], NO_INDEX[1], NO_INDEX[2]]),
    ("merge", &[NO_HASH, NO_LOOP]),
    ("nested loop", &[NO_HASH, NO_MERGE]),
    ("nested loop, index", &[NO_HASH, NO_MERGE, NO_SEQ, NO_BITMAP]),
];

/// `{c}` and `{k}` stand for conditions on a column in the table's order, and on one that lies anywhere.
const OF_ONE: &[(&str, &str)] = &[
    ("in order", "SELECT count(*), sum(length(pad)) FROM fact WHERE {c}"),
    ("anywhere", "SELECT count(*), sum(length(pad)) FROM fact WHERE {k}"),
    ("and", "SELECT count(*), sum(length(pad)) FROM fact WHERE {k} AND m BETWEEN 100 AND 300"),
    ("or", "SELECT count(*), sum(length(pad)) FROM fact WHERE {k} OR d1 = 77"),
    ("limit", "SELECT sum(length(pad)) FROM (SELECT pad FROM fact WHERE {c} ORDER BY k LIMIT 20) s"),
];
const OF_SEVERAL: &[(&str, &str)] = &[
    ("two tables", "SELECT count(*), sum(length(dim1.t)) FROM fact JOIN dim1 ON d1 = dim1.id WHERE {k}"),
    (
        "three tables",
        "SELECT count(*), sum(length(dim1.t)) FROM fact JOIN dim1 ON d1 = dim1.id JOIN dim2 ON d2 = dim2.id
          WHERE {k} AND dim2.v < 300",
    ),
    (
        "four tables",
        "SELECT dim3.v, count(*) FROM fact JOIN dim1 ON d1 = dim1.id JOIN dim2 ON d2 = dim2.id JOIN dim3 ON d3 = dim3.id
          WHERE {c} AND dim1.v < 500 GROUP BY 1 ORDER BY 1 LIMIT 5",
    ),
    (
        "five tables",
        "SELECT count(*), sum(dim4.v) FROM fact JOIN dim1 ON d1 = dim1.id JOIN dim2 ON d2 = dim2.id JOIN dim3 ON d3 = dim3.id
           JOIN dim4 ON dim4.id = fact.id WHERE {k} AND dim3.v < 700",
    ),
    ("half a join", "SELECT count(*), sum(v) FROM dim1 WHERE EXISTS (SELECT 1 FROM fact WHERE d1 = dim1.id AND {k})"),
];

pub fn run(stage: &mut Stage) -> Result<()> {
    let Some(inflight) = stage.bench.inflight().cloned() else { return Ok(()) };
    let rows = stage.bench.rows() / 20;
    eprintln!("   loading {inflight}");
    stage.unlimited(|stage| load(stage, &inflight, rows))?;
    use_volume(stage, &inflight, IN_ORDER, ANYWHERE)?;
    for round in 0..stage.bench.repeat {
        for (queries, forced) in [(OF_ONE, SCANS), (OF_SEVERAL, JOINS)] {
            let of = |(label, settings): &(&str, &[(&str, &str)])| Contender::new(&inflight, label, settings);
            let mut contenders = vec![Contender::new(&inflight, OWN, &[])];
            contenders.extend(forced.iter().map(of));
            for (name, query) in queries {
                for percent in SELECTIVITIES {
                    let statement = with_conditions(query, (rows as f64 * percent / 100.0) as u64);
                    for warm in [false, true] {
                        let name = format!("{name}, {percent} %, {}", if warm { "warm" } else { "cold" });
                        for contender in &contenders {
                            stage.ask(
                                contender,
                                round,
                                &Question { name: &name, before: &[], statement: &statement, warm },
                            )?;
                        }
                        say_if_bad(stage, &name);
                    }
                }
            }
        }
    }
    Ok(())
}

/// What the planner chooses by itself.
const OWN: &str = "own plan";

fn with_conditions(query: &str, rows: u64) -> String {
    query.replace("{c}", &format!("c BETWEEN 1000 AND {}", rows + 1000)).replace("{k}", &format!("k < {rows}"))
}

/// Says where the own plan takes more than twice the time of the best that was forced, and more than a few milliseconds more.
fn say_if_bad(stage: &Stage, name: &str) {
    let of_query = stage.bench.records.samples.iter().filter(|sample| {
        sample.experiment == "choice" && sample.settings.iter().any(|(_, statement)| statement == name)
    });
    let (own, forced): (Vec<_>, Vec<_>) = of_query.partition(|sample| sample.system.ends_with(OWN));
    let least = |a: &f64, b: &f64| a.total_cmp(b);
    let own = own.iter().map(|sample| sample.value).min_by(least);
    let best = forced.iter().min_by(|a, b| a.value.total_cmp(&b.value));
    if let (Some(own), Some(best)) = (own, best)
        && own > 2.0 * best.value
        && own > best.value + 5.0
    {
        eprintln!("   !! [{name}]: {own:.1} ms, where {} takes {:.1} ms", best.system, best.value);
    }
}

fn load(stage: &mut Stage, software: &Software, rows: u64) -> Result<()> {
    let running = stage.start_cold(&Contender::new(software, "", &[]))?;
    let dimension = |number: u32, rows: u64| {
        [
            format!("CREATE TABLE dim{number} (id int PRIMARY KEY, v int, t text)"),
            format!(
                "INSERT INTO dim{number} SELECT i, i * 7 % 1000, repeat(md5(i::text), 2) FROM generate_series(1::bigint, {rows}) i"
            ),
        ]
    };
    let mut statements = vec![
        "DROP TABLE IF EXISTS fact, dim1, dim2, dim3, dim4".to_string(),
        "CREATE TABLE fact (id int PRIMARY KEY, k int, c int, m int, d1 int, d2 int, d3 int, pad text)".to_string(),
        format!(
            "INSERT INTO fact SELECT i, i * 7919 % {rows}, i, i * 31 % 1000, i * 104729 % {} + 1, i * 13 % {} + 1, i * 17 % 500 + 1,
                    repeat(md5(i::text), 4) FROM generate_series(1::bigint, {rows}) i",
            rows / 10,
            rows / 100
        ),
    ];
    statements.extend(
        [(1, rows / 10), (2, rows / 100), (3, 500), (4, rows)].into_iter().flat_map(|(n, rows)| dimension(n, rows)),
    );
    statements.extend(["k", "c", "m", "d1"].map(|column| format!("CREATE INDEX ON fact ({column})")));
    statements.extend(["VACUUM ANALYZE".to_string(), "CHECKPOINT".to_string()]);
    running.client.run(&statements.iter().map(String::as_str).collect::<Vec<_>>())?;
    running.stop()
}

const IN_ORDER: &str = "SELECT sum(length(pad)) FROM fact";
const ANYWHERE: &str = "SELECT sum(length(pad)) FROM fact WHERE k % 2 = 0 AND k < 100000";

/// So often, for what was found before counts too: the volume was unlimited while the tables were made.
const USES: usize = 3;

/// What the volume can do is found out by using it: in order, and anywhere, by statements that read the one way or the other.
pub(super) fn use_volume(stage: &mut Stage, software: &Software, in_order: &str, anywhere: &str) -> Result<()> {
    let both = [(&NO_INDEX[..], in_order), (&[NO_SEQ, NO_BITMAP][..], anywhere)];
    for (settings, statement) in std::iter::repeat_n(both, USES).flatten() {
        let running = stage.start_cold(&Contender::new(software, "", settings))?;
        running.client.run(&[statement])?;
        let devices =
            "SELECT string_agg(concat_ws(' ', operation, sequential_depth, random_depth), ', ') FROM inflight_devices";
        eprintln!("   what is known of the volume: {}", running.client.run(&[devices])?);
        running.stop()?;
    }
    Ok(())
}
