//! Commands that define objects, one after another in a session, against what PostgreSQL 18 told (`definitions.tsv`: a statement,
//! and the rows, notices, error and tag that it gave). `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` records them
//! anew, in a database of their own.

mod support;

use std::process::{Command, Stdio};
use std::time::SystemTime;

use aio::block_on;
use engine::EngineError;
use session::{Format, Reply, Session, Statement};

const STATEMENTS: &str = include_str!("definitions.sql");

struct Server(support::Server);

impl Server {
    fn new() -> Server {
        Server(support::Server::new())
    }

    /// What psql prints of a statement.
    fn run(&mut self, text: &str) -> String {
        let mut told = String::new();
        let db = self.0.db.clone();
        let session = &mut self.0.session;
        let statements = match session.statements(text) {
            Ok(statements) => statements,
            Err(error) => return message("ERROR", &error),
        };
        block_on(db.engine(), async {
            for statement in statements.iter() {
                session.received(SystemTime::now());
                let answer = match rows_and_tag(session, statement).await {
                    Ok(answer) => session.end_implicit(true).await.map(|()| answer),
                    Err(error) => {
                        session.statement_failed().await;
                        session.end_implicit(false).await.unwrap();
                        Err(error)
                    }
                };
                for notice in session.take_notices() {
                    told += &message(notice.severity, &notice.error);
                }
                told += &answer.unwrap_or_else(|error| message("ERROR", &error));
            }
        });
        told
    }
}

async fn rows_and_tag(session: &mut Session, statement: &Statement) -> engine::Result<String> {
    let mut portal = match session.run(statement).await? {
        Reply::Done { tag } => return Ok(format!("{tag}\n")),
        Reply::Rows(portal) => portal,
        Reply::CopyIn(_) | Reply::CopyOut(_) => return Ok(String::new()),
    };
    let (mut told, mut rows) = (Vec::new(), 0);
    while let Some(batch) = portal.next(session).await? {
        rows += batch.rows as u64;
        for row in 0..batch.rows {
            for (at, column) in batch.columns.iter().enumerate() {
                if at > 0 {
                    told.push(b'|');
                }
                portal.encode(&mut told, Format::Text, at, column, row)?;
            }
            told.push(b'\n');
        }
    }
    let tag = portal.tag(rows);
    if !tag.starts_with("SELECT") && !tag.starts_with("SHOW") {
        told.extend(tag.bytes().chain([b'\n']));
    }
    Ok(String::from_utf8(told).unwrap())
}

fn message(severity: &str, error: &EngineError) -> String {
    let mut told = format!("{severity}:  {}: {}\n", error.code, error.message);
    for (what, text) in [("DETAIL", &error.detail), ("HINT", &error.hint)] {
        if let Some(text) = text {
            told += &format!("{what}:  {text}\n");
        }
    }
    if let Some(about) = &error.about {
        let names = [("COLUMN", &about.column), ("CONSTRAINT", &about.constraint)];
        told += &format!("SCHEMA NAME:  {}\nTABLE NAME:  {}\n", about.schema, about.table);
        for (what, name) in names.iter().filter_map(|(what, name)| Some((what, name.as_deref()?))) {
            told += &format!("{what} NAME:  {name}\n");
        }
    }
    told
}

/// Statements end with a semicolon at the end of a line; lines that begin with `--` are comments.
fn statements() -> Vec<String> {
    let lines = STATEMENTS.lines().filter(|line| !line.starts_with("--"));
    let text: String = lines.map(|line| format!("{line}\n")).collect();
    text.split(";\n").map(|statement| statement.trim().to_string()).filter(|s| !s.is_empty()).collect()
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

/// Without what says where in the text, or in PostgreSQL's source, something is.
fn without_places(answer: &str) -> String {
    let mut kept = String::new();
    let mut lines = answer.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("LINE ") {
            lines.next();
        } else if !line.starts_with("LOCATION:") {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

/// What PostgreSQL tells.
fn record(server: &str) -> String {
    let mut script = String::from(
        "drop database if exists ddl_answers;\ncreate database ddl_answers template template0 locale 'C.UTF-8';\n\
         \\c ddl_answers\n\\set VERBOSITY verbose\n",
    );
    for statement in statements() {
        script += &format!("\\echo ####\n{statement};\n");
    }
    script += "\\c postgres\ndrop database ddl_answers;\n";
    let mut psql = Command::new("sh")
        .args(["-c", "exec psql -XAt -d \"$0\" 2>&1", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("psql is there");
    std::io::Write::write_all(&mut psql.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = String::from_utf8(psql.wait_with_output().unwrap().stdout).unwrap();
    let output = output.split("You are now connected").take(2).collect::<String>();
    let statements = statements();
    let lines = statements.iter().zip(output.split("####\n").skip(1));
    lines.map(|(statement, answer)| format!("{}\t{}\n", escape(statement), escape(&without_places(answer)))).collect()
}

#[test]
fn answers_are_postgresqls() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/definitions.tsv");
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        std::fs::write(path, record(&server)).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    let mut server = Server::new();
    let statements = statements();
    assert_eq!(statements.len(), recorded.lines().count(), "record anew");
    let mut wrong = Vec::new();
    for (statement, line) in statements.iter().zip(recorded.lines()) {
        let (recorded, answer) = line.split_once('\t').unwrap();
        assert_eq!(recorded, escape(statement), "record anew");
        let ours = escape(&server.run(statement));
        if ours != answer {
            wrong.push(format!("{statement}\n  PostgreSQL: {answer}\n  here:       {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {} are wrong:\n{}", wrong.len(), statements.len(), wrong.join("\n"));
}
