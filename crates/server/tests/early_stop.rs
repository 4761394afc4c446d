//! Plans that PostgreSQL's costs take for cheap because they stop early look at about as many rows as PostgreSQL's do.
//!
//! `early_stop/plans.sql` has the statements, `early_stop/plans.out` what PostgreSQL 18 made of each: the plan's shape, and of every
//! scan how often it ran and how many rows it looked at, those that it left out included. Ours has to have the same shape, and to
//! look at no more than [`most`]. `INFLIGHT_RECORD_FROM='host=… port=… user=…'` runs the statements there, in a database that it
//! makes and drops, and writes what is expected anew.
//!
//! Cursors and portals with row limits are counted by a sequence that their condition asks: exactly the rows that PostgreSQL looks
//! at.

use std::fmt::Write;
use std::path::Path;

use serde_json::Value;
use testkit::Server;
use tokio_postgres::{Client, NoTls, SimpleQueryMessage};

/// Settings that hold for all statements.
const ALWAYS: &str = "SET max_parallel_workers_per_gather = 0";

/// What joins may be told apart by.
const JOINS: [&str; 3] = ["hashjoin", "mergejoin", "nestloop"];

/// A scan of a plan that ran.
#[derive(Debug, PartialEq)]
struct Scan {
    name: String,
    loops: f64,
    /// In all loops.
    looked_at: f64,
}

/// So many rows may a scan look at of which PostgreSQL's looks at so many: batches grow from one row on, and twice as many rows are
/// looked at each time that the last ones were not enough. At each start some are looked at that are not needed.
fn most(theirs: &Scan) -> f64 {
    2.0 * theirs.looked_at + 32.0 + 4.0 * theirs.loops
}

enum Step<'a> {
    Settings(&'a str),
    Setup(&'a str),
    Plan(&'a str),
}

fn steps(script: &str) -> impl Iterator<Item = Step<'_>> {
    script.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(|line| match line.strip_prefix('!') {
        Some(settings) => Step::Settings(settings.trim()),
        None if ["create ", "insert ", "vacuum "].iter().any(|command| line.starts_with(command)) => Step::Setup(line),
        None => Step::Plan(line),
    })
}

/// What a scan reads, without the number that tells it from others.
fn name(node: &Value) -> Option<&str> {
    let name = node["Alias"].as_str().or(node["CTE Name"].as_str())?;
    let numbered = name.rsplit_once('_').filter(|(_, number)| number.bytes().all(|digit| digit.is_ascii_digit()));
    Some(numbered.map_or(name, |(name, _)| name))
}

/// A node and those below it, in a line.
fn shape(node: &Value, out: &mut String) {
    let text = |key: &str| node[key].as_str().unwrap_or_default();
    let kind = match text("Node Type") {
        "Aggregate" => text("Strategy").to_string() + " Aggregate",
        "SetOp" => text("Strategy").to_string() + " SetOp",
        kind => kind.to_string(),
    };
    let join = match text("Join Type") {
        "" | "Inner" => String::new(),
        join => format!(" {join}"),
    };
    let of = name(node).map(|of| format!(" {of}")).unwrap_or_default();
    let _ = write!(out, "{kind}{join}{of}");
    let Some(children) = node["Plans"].as_array() else { return };
    for (at, child) in children.iter().enumerate() {
        out.push_str(if at == 0 { " (" } else { ", " });
        shape(child, out);
    }
    out.push(')');
}

/// What scans are among a node and those below it.
fn scans(node: &Value, out: &mut Vec<Scan>) {
    let number = |key: &str| node[key].as_f64().unwrap_or_default();
    if node["Relation Name"].is_string() {
        let loops = number("Actual Loops");
        let left_out = number("Rows Removed by Filter") + number("Rows Removed by Index Recheck");
        let looked_at = (loops * (number("Actual Rows") + left_out)).round();
        let name = name(node).unwrap_or_default().to_string();
        out.push(Scan { name, loops, looked_at });
    }
    for child in node["Plans"].as_array().into_iter().flatten() {
        scans(child, out);
    }
}

async fn run(client: &Client, sql: &str) -> (String, Vec<Scan>) {
    let explain = format!("EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF, FORMAT JSON) {sql}");
    let messages = client.simple_query(&explain).await.unwrap_or_else(|error| panic!("{sql}: {error:?}"));
    let row = |message: &SimpleQueryMessage| match message {
        SimpleQueryMessage::Row(row) => row.get(0).map(str::to_string),
        _ => None,
    };
    let text = messages.iter().filter_map(row).collect::<Vec<_>>().join("\n");
    let explained: Value = serde_json::from_str(&text).unwrap();
    let plan = &explained[0]["Plan"];
    let (mut shown, mut found) = (String::new(), Vec::new());
    shape(plan, &mut shown);
    scans(plan, &mut found);
    (shown, found)
}

async fn set(client: &Client, settings: &str) {
    let settings = settings.split_whitespace().map(|setting| format!("; SET {setting}"));
    client.batch_execute(&format!("RESET ALL; {ALWAYS}{}", settings.collect::<String>())).await.unwrap();
}

/// What PostgreSQL made of a statement, as it was recorded.
fn recorded(lines: &[&str]) -> (String, Vec<Scan>) {
    let scan = |line: &&str| {
        let [name, loops, looked_at] = line.split_whitespace().collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (loops, looked_at) = (loops.parse().unwrap(), looked_at.parse().unwrap());
        Scan { name: name.into(), loops, looked_at }
    };
    (lines[0].trim().to_string(), lines[1..].iter().map(scan).collect())
}

async fn record(config: &str, script: &str, path: &Path) {
    let connect = async |config: String| {
        let (client, connection) = tokio_postgres::connect(&config, NoTls).await.unwrap();
        tokio::spawn(connection);
        client
    };
    let admin = connect(format!("{config} dbname=postgres")).await;
    admin.batch_execute("DROP DATABASE IF EXISTS early_stop").await.unwrap();
    admin.batch_execute("CREATE DATABASE early_stop").await.unwrap();
    let client = connect(format!("{config} dbname=early_stop")).await;
    let mut out = String::new();
    for step in steps(script) {
        match step {
            Step::Settings(settings) => set(&client, settings).await,
            Step::Setup(sql) => client.batch_execute(sql).await.unwrap(),
            Step::Plan(sql) => {
                let (shape, scans) = run(&client, sql).await;
                let _ = write!(out, "{sql}\n    {shape}\n");
                for Scan { name, loops, looked_at } in scans {
                    let _ = writeln!(out, "    {name} {loops} {looked_at}");
                }
            }
        }
    }
    drop(client);
    std::fs::write(path, out).unwrap();
    admin.batch_execute("DROP DATABASE early_stop WITH (FORCE)").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_stop_where_postgresqls_do() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/early_stop");
    let script = std::fs::read_to_string(directory.join("plans.sql")).unwrap();
    let expected = directory.join("plans.out");
    if let Ok(config) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&config, &script, &expected).await;
    }
    let expected = std::fs::read_to_string(expected).unwrap();
    let lines: Vec<&str> = expected.lines().collect();
    let mut expected = lines.chunk_by(|_, next| next.starts_with(' '));
    let server = Server::start(&[]);
    let client = server.connect().await;
    let (mut wrong, mut plans) = (String::new(), 0);
    for step in steps(&script) {
        match step {
            Step::Settings(settings) => set(&client, settings).await,
            Step::Setup(sql) => client.batch_execute(sql).await.unwrap(),
            Step::Plan(sql) => {
                let lines = expected.next().unwrap_or_else(|| panic!("{sql} is not recorded"));
                assert_eq!(lines[0], sql, "what is recorded");
                plans += 1;
                let (shape, theirs) = recorded(&lines[1..]);
                let (own_shape, own) = run(&client, sql).await;
                if shape != own_shape {
                    let _ = writeln!(wrong, "{sql}\n  is {own_shape}\n not {shape}");
                    continue;
                }
                for (own, theirs) in own.iter().zip(&theirs).filter(|(own, theirs)| own.looked_at > most(theirs)) {
                    let _ = writeln!(wrong, "{sql}\n  {own:?}\n  {theirs:?}");
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(plans >= 100, "{plans} plans");
}

/// A sequence counts the rows that a cursor's conditions and targets were computed for: those that were fetched, and those before
/// them, as in PostgreSQL.
#[tokio::test(flavor = "multi_thread")]
async fn cursors_and_portals_look_at_no_row_ahead() {
    let server = Server::start(&[]);
    let mut client = server.connect().await;
    client
        .batch_execute(
            "CREATE TABLE a AS SELECT i AS id, (i * 7) % 1000 AS f FROM generate_series(1, 20000) i;
             CREATE INDEX ON a(id); CREATE TABLE b AS SELECT i % 500 AS a, i AS n FROM generate_series(1, 2000) i; ANALYZE;
             CREATE SEQUENCE looked",
        )
        .await
        .unwrap();
    // Of each query what the sequence has given after the first row, after three more, and after ten more.
    let queries = [
        ("SELECT id FROM a WHERE nextval('looked') > 0", [1, 4, 14]),
        ("SELECT id FROM a WHERE nextval('looked') > 0 AND f = 5", [1, 4, 14]),
        ("SELECT id FROM a WHERE f + 0 * nextval('looked') = 5", [715, 3715, 13715]),
        ("SELECT id FROM a WHERE f + 0 * nextval('looked') = 5 ORDER BY id", [715, 3715, 13715]),
        ("SELECT nextval('looked') FROM a", [1, 4, 14]),
        ("SELECT nextval('looked') FROM a WHERE f < 100", [1, 4, 14]),
        ("SELECT nextval('looked') FROM a ORDER BY id", [1, 4, 14]),
        ("SELECT nextval('looked') FROM (SELECT id FROM a ORDER BY f LIMIT 100) q", [1, 4, 14]),
        ("SELECT nextval('looked') FROM a JOIN b ON b.a = a.f", [1, 4, 14]),
        ("SELECT nextval('looked') FROM generate_series(1, 1000)", [1, 4, 14]),
        ("SELECT nextval('looked') FROM (VALUES (1), (2), (3), (4), (5)) v", [1, 4, 5]),
        ("WITH w AS MATERIALIZED (SELECT nextval('looked') FROM a) SELECT * FROM w", [1, 4, 14]),
        ("SELECT id FROM a WHERE nextval('looked') > 0 UNION ALL SELECT n FROM b", [1, 4, 14]),
    ];
    for (query, expected) in queries {
        for join in JOINS {
            let others = JOINS.iter().filter(|other| **other != join);
            let off: String = others.map(|other| format!("SET enable_{other} = off; ")).collect();
            client
                .batch_execute(&format!("RESET ALL; SET enable_sort = off; {off} ALTER SEQUENCE looked RESTART"))
                .await
                .unwrap();
            let mut seen = Vec::new();
            client.batch_execute(&format!("BEGIN; DECLARE c CURSOR FOR {query}")).await.unwrap();
            for count in [1, 3, 10] {
                client.batch_execute(&format!("FETCH {count} FROM c")).await.unwrap();
                let looked = client.query_one("SELECT last_value FROM looked", &[]).await.unwrap();
                seen.push(looked.get::<_, i64>(0));
            }
            client.batch_execute("COMMIT; ALTER SEQUENCE looked RESTART").await.unwrap();
            assert_eq!(seen, expected, "FETCH with {join}: {query}");
            seen.clear();
            let transaction = client.transaction().await.unwrap();
            let portal = transaction.bind(query, &[]).await.unwrap();
            for count in [1, 3, 10] {
                transaction.query_portal(&portal, count).await.unwrap();
                let looked = transaction.query_one("SELECT last_value FROM looked", &[]).await.unwrap();
                seen.push(looked.get::<_, i64>(0));
            }
            transaction.commit().await.unwrap();
            assert_eq!(seen, expected, "Execute with {join}: {query}");
        }
    }
}
