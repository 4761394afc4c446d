//! The statements of PostgreSQL 18's regression files are accepted and rejected as PostgreSQL did when they were recorded
//! (`crates/server/tests/regress`).

use serde_json::Value;
use syntax::{RawParseMode, Settings, parse_with};

const RECORDING: &[u8] = include_bytes!("../../server/tests/regress/postgresql18.jsonl.zst");

#[derive(Default)]
struct Counts {
    statements: usize,
    rejected_alike: usize,
    rejected_later: usize,
    with_variables: usize,
    different: Vec<String>,
}

#[test]
fn regression_files_parse_as_in_postgresql() {
    let text = zstd::decode_all(RECORDING).unwrap();
    let mut counts = Counts::default();
    for line in std::str::from_utf8(&text).unwrap().lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let Some(script) = entry.get("script") else { continue };
        let mut settings = Settings::default();
        for step in script["steps"].as_array().unwrap() {
            let Some(query) = step.get("query") else { continue };
            let at = format!("{}:{}", script["name"], step["line"]);
            check(query, &at, &mut settings, &mut counts);
        }
    }
    println!(
        "{} statements, {} rejected alike, {} rejected after parsing, {} with psql's variables",
        counts.statements, counts.rejected_alike, counts.rejected_later, counts.with_variables
    );
    assert!(counts.statements > 48_000 && counts.rejected_alike > 150, "the recording is not read");
    assert!(counts.different.is_empty(), "{}", counts.different.join("\n"));
}

fn check(query: &Value, at: &str, settings: &mut Settings, counts: &mut Counts) {
    let sql = query["sql"].as_str().unwrap();
    counts.statements += 1;
    let ours = parse_with(sql, RawParseMode::Default, *settings).statements;
    let theirs = query["answers"].as_array().unwrap().last().and_then(|a| a["error"].as_array());
    let theirs = theirs.map(|e| (e[0].as_str().unwrap(), e[1].as_str().unwrap()));
    match (ours, theirs) {
        (Ok(_), None) => follow(sql, settings),
        (Ok(_), Some(("42601", _))) => counts.rejected_later += 1,
        (Ok(_), Some(_)) => {}
        (Err(e), Some((code, message))) if e.sqlstate() == code && &*e.message == message => counts.rejected_alike += 1,
        // psql puts variables in before it sends a statement.
        (Err(e), _) if &*e.message == "syntax error at or near \":\"" => counts.with_variables += 1,
        (Err(e), theirs) => counts.different.push(format!("{at}: {sql}\n  {e:?}\n  PostgreSQL: {theirs:?}")),
    }
}

/// The one setting that the files change.
fn follow(sql: &str, settings: &mut Settings) {
    let words: Vec<_> = sql.split([' ', '=']).filter(|w| !w.is_empty()).map(str::to_ascii_lowercase).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["set", "standard_conforming_strings", .., value] => settings.standard_conforming_strings = *value == "on",
        ["reset", "standard_conforming_strings"] => settings.standard_conforming_strings = true,
        _ => {}
    }
}
