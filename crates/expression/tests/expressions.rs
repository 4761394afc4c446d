//! Expressions give PostgreSQL 18's results: statements of expressions.sql, which generate.py writes, over rows of VALUES.
//!
//! `expressions.out` has the answers: a statement's rows, each as the text of a record, or `!` with SQLSTATE and message.
//! They are recorded from a real server by running the test with `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'`.

mod query;

use query::{Runner, rows};

const STATEMENTS: &str = include_str!("expressions.sql");
const ANSWERS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/expressions.out");

const PROBE: &str = r#"
set timezone = 'UTC';
set client_min_messages = error;
create function pg_temp.probe(query text) returns text language plpgsql as $$
declare
  result text;
begin
  execute 'select coalesce(string_agg(t::text, chr(30)), '''') from (' || query || ') t' into result;
  return replace(replace(result, '\', '\\'), chr(10), '\n');
exception when others then
  return '!' || sqlstate || ' ' || sqlerrm;
end $$;
"#;

fn record(server: &str) {
    let probes: String =
        STATEMENTS.lines().map(|statement| format!("select pg_temp.probe($probe${statement}$probe$);\n")).collect();
    std::fs::write(ANSWERS, testkit::ask(server, &[], &format!("{PROBE}{probes}"))).unwrap();
}

/// Statements of which something is not here yet, by SQLSTATE 0A000, at most.
const REFUSED: usize = 152;

#[test]
fn expressions_give_the_same() {
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        record(&server);
    }
    let answers = std::fs::read_to_string(ANSWERS).unwrap();
    assert_eq!(STATEMENTS.lines().count(), answers.lines().count(), "the answers have to be recorded again");
    let (mut same, mut refused, mut wrong) = (0, Vec::new(), Vec::new());
    for (statement, expected) in STATEMENTS.lines().zip(answers.lines()) {
        // With constants computed beforehand, as the planner does, and without: rows are reached alike.
        for folded in [true, false] {
            let got = match rows(statement, &Runner::new(folded)) {
                Ok(rows) => rows.join("\u{1e}").replace('\\', "\\\\").replace('\n', "\\n"),
                Err(error) if error.0.code == "0A000" => {
                    refused.push(format!("{statement}: {error}"));
                    continue;
                }
                Err(error) => format!("!{} {error}", error.0.code),
            };
            match got == expected {
                true => same += 1,
                // What fails when it is planned, fails there even if no row would reach it.
                false if !folded && expected.starts_with('!') => same += 1,
                false => wrong.push(format!("{statement} ({folded})\n    ours:   {got}\n    theirs: {expected}")),
            }
        }
    }
    println!("{same} the same, {} refused:\n{}", refused.len(), refused.join("\n"));
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), wrong.len() + same, wrong.join("\n"));
    assert!(refused.len() <= REFUSED, "{} are refused", refused.len());
}
