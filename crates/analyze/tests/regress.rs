//! The statements of PostgreSQL 18's regression files are analyzed without a panic, and those that name nothing but what is
//! built in are analyzed or refused as in the recording (`crates/server/tests/regress`).

#[allow(dead_code)]
mod statements;

use serde_json::Value;
use statements::{Tables, analyzed};

const RECORDING: &[u8] = include_bytes!("../../server/tests/regress/postgresql18.jsonl.zst");

/// Errors of analysis; others come when a statement runs.
const OF_ANALYSIS: &[&str] = &[
    "42601", "42703", "42702", "42712", "42803", "42804", "42809", "42846", "42883", "42725", "42P01", "42P02",
    "42P09", "42P10", "42P18", "42P19", "42P20", "42704",
];

#[derive(Default)]
struct Counts {
    analyzed: usize,
    same_error: usize,
    refused: usize,
    /// Names of users' objects, which are not here.
    missing: usize,
    /// PostgreSQL gives an error of analysis and we none, or another one.
    other: Vec<String>,
    /// An error where PostgreSQL has an answer, though all objects are there.
    wrong: Vec<String>,
}

fn is_query(sql: &str) -> bool {
    use syntax::nodes::Node::*;
    syntax::parse(sql).is_ok_and(|parsed| {
        let first = parsed.first().map(|statement| &statement.stmt);
        matches!(first, Some(SelectStmt(_) | InsertStmt(_) | UpdateStmt(_) | DeleteStmt(_) | MergeStmt(_)))
    })
}

fn check(tables: &Tables, query: &Value, counts: &mut Counts) {
    let sql = query["sql"].as_str().unwrap();
    if !is_query(sql) {
        return;
    }
    let theirs = query["answers"].as_array().unwrap().last().and_then(|answer| answer["error"].as_array());
    let theirs = theirs.map(|error| (error[0].as_str().unwrap(), error[1].as_str().unwrap()));
    let ours = analyzed(tables, sql);
    let ours = ours.as_ref().err().map(|error| (error.0.code, error.0.message.as_str()));
    match (ours, theirs) {
        (Some(("0A000", message)), _) if message.ends_with("not supported yet") => counts.refused += 1,
        (Some(ours), Some(theirs)) if ours == theirs => counts.same_error += 1,
        (Some(("42P01" | "42704" | "3F000" | "42883", _)), _) => counts.missing += 1,
        (None, Some((code, _))) if OF_ANALYSIS.contains(&code) => {
            counts.other.push(format!("{sql}\n  PostgreSQL: {theirs:?}"));
        }
        (None, _) => counts.analyzed += 1,
        (Some(ours), theirs) => counts.wrong.push(format!("{sql}\n  {ours:?}\n  PostgreSQL: {theirs:?}")),
    }
}

#[test]
fn regression_files_are_analyzed() {
    let text = zstd::decode_all(RECORDING).unwrap();
    let tables = Tables::none();
    let mut counts = Counts::default();
    for line in std::str::from_utf8(&text).unwrap().lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let Some(script) = entry.get("script") else { continue };
        let queries = script["steps"].as_array().unwrap().iter().filter_map(|step| step.get("query"));
        queries.for_each(|query| check(&tables, query, &mut counts));
    }
    println!(
        "{} analyzed, {} errors alike, {} refused, {} of objects that are not here, {} other errors, {} errors alone",
        counts.analyzed,
        counts.same_error,
        counts.refused,
        counts.missing,
        counts.other.len(),
        counts.wrong.len()
    );
    if let Ok(path) = std::env::var("INFLIGHT_REGRESS_DETAILS") {
        std::fs::write(path, format!("{}\n=====\n{}", counts.wrong.join("\n"), counts.other.join("\n"))).unwrap();
    }
    assert!(counts.analyzed > 1000 && counts.same_error > 100, "the recording is not read");
    // SELECT INTO, which is a utility command, and settings of the session (DateStyle).
    assert!(counts.wrong.len() < 40, "{}", counts.wrong.join("\n"));
}
