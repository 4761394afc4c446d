//! Real PostgreSQL's answers to some seven hundred statements (`postgresql_answers.jsonl`, recorded from PostgreSQL 15, and
//! `postgresql18_answers.jsonl`, from 18), against ours: each must be the same, or an error that says "not yet" (0A000). The
//! statements for which that is not so yet are listed in the `_wrong.txt` beside; the list must be exact, so it can only be
//! shortened. `INFLIGHT_RECORD=1` writes it anew.

use serde_json::Value;
use testkit::{Server, code};
use tokio_postgres::SimpleQueryMessage;

/// Statements whose answer differs with a reason.
const DIFFERENT: &[(&str, &str)] = &[
    ("select version()", "names another server"),
    ("select current_catalog", "the recorded database had another name"),
    ("select current_database()", "the recorded database had another name"),
    ("select demo.public.e_t.id from demo.public.e_t where id=1", "the recorded database had another name"),
    ("select * from (select 1)", "PostgreSQL 16 and later want no alias"),
    ("select 0x1F", "31 in PostgreSQL 16 and later"),
    ("select 1_000", "1000 in PostgreSQL 16 and later"),
];

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_postgresql_15s_or_not_yet() {
    compare(
        "postgresql_answers_wrong.txt",
        include_str!("postgresql_answers.jsonl"),
        include_str!("postgresql_answers_wrong.txt"),
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_postgresql_18s_or_not_yet() {
    compare(
        "postgresql18_answers_wrong.txt",
        include_str!("postgresql18_answers.jsonl"),
        include_str!("postgresql18_answers_wrong.txt"),
    )
    .await;
}

async fn compare(list: &str, answers: &str, known: &str) {
    let server = Server::start(&[]);
    let client = server.connect().await;
    client.batch_execute("CREATE TABLE test(id int)").await.unwrap();
    let mut wrong = Vec::new();
    let (mut same, mut not_yet) = (0, 0);
    for line in answers.lines() {
        let expected: Value = serde_json::from_str(line).unwrap();
        let sql = expected["sql"].as_str().unwrap();
        if DIFFERENT.iter().any(|(s, _)| *s == sql) {
            continue;
        }
        match (client.simple_query(sql).await, expected["error"].as_str()) {
            (Err(error), _) if code(&error) == "0A000" => not_yet += 1,
            (Err(error), Some(state)) if code(&error) == state => same += 1,
            (Err(error), state) => {
                let message = error.as_db_error().map_or_else(|| error.to_string(), |e| e.message().to_string());
                wrong.push(format!(
                    "{sql}\n    expected {}, got {} {message}",
                    state.map_or(expected.to_string(), str::to_string),
                    code(&error)
                ));
            }
            (Ok(_), Some(state)) => wrong.push(format!("{sql}\n    expected error {state}, got an answer")),
            (Ok(messages), None) => {
                let (mut columns, mut rows) = (Value::Null, Vec::new());
                for message in &messages {
                    match message {
                        SimpleQueryMessage::RowDescription(c) => {
                            columns = c.iter().map(|c| Value::from(c.name())).collect();
                        }
                        SimpleQueryMessage::Row(row) => {
                            rows.push(
                                (0..row.len()).map(|i| row.get(i).map_or(Value::Null, Value::from)).collect::<Value>(),
                            );
                        }
                        _ => {}
                    }
                }
                let mut wanted = expected["rows"].as_array().cloned().unwrap_or_default();
                if !sql.to_lowercase().contains("order by") {
                    // Then no order is promised.
                    rows.sort_by_key(Value::to_string);
                    wanted.sort_by_key(Value::to_string);
                }
                let rows = Value::from(rows);
                if expected["rows"].is_null() || (columns == expected["columns"] && rows == Value::from(wanted)) {
                    same += 1;
                } else {
                    wrong.push(format!(
                        "{sql}\n    expected {} {}\n    got      {columns} {rows}",
                        expected["columns"], expected["rows"]
                    ));
                }
            }
        }
    }
    println!("{same} the same, {not_yet} not yet, {} wrong", wrong.len());
    let found: Vec<&str> = wrong.iter().map(|w| w.split("\n    expected").next().unwrap()).collect();
    if std::env::var_os("INFLIGHT_RECORD").is_some() {
        let path = format!("tests/{list}");
        let lines: Vec<String> = found.iter().map(|s| serde_json::to_string(s).unwrap() + "\n").collect();
        std::fs::write(path, lines.concat()).unwrap();
        println!("{}", wrong.join("\n"));
        return;
    }
    let known: Vec<String> = known.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let new: Vec<_> =
        wrong.iter().zip(&found).filter(|(_, f)| !known.iter().any(|k| k == *f)).map(|(w, _)| w.clone()).collect();
    assert!(new.is_empty(), "{} wrong answers:\n{}", new.len(), new.join("\n"));
    let mended: Vec<_> = known.iter().filter(|k| !found.contains(&k.as_str())).collect();
    assert!(mended.is_empty(), "right by now, take them off the list: {mended:?}");
}
