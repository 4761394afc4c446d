//! COPY, cursors and other commands, run in a session, against what PostgreSQL 18's psql prints for them: rows, tags,
//! notices, errors with their details, hints and contexts (`commands.tsv`). The data of COPY FROM stands behind it, until a
//! line of `\.`, and comes in pieces. `INFLIGHT_RECORD_FROM='host=… port=… user=… dbname=…'` records anew, in a schema of
//! its own.

mod support;

use std::process::{Command, Stdio};

use aio::block_on;
use engine::EngineError;
use session::{CopyIn, CopyOut, Format, Portal, Reply, Session};

const STATEMENTS: &str = include_str!("commands.sql");

const TABLES: &str = "
create table t (id int primary key, name text default 'none', price numeric(10,2) check (price > -5), born date, ok bool);
create table v (id int, code varchar(4));
create table n (id int);
";

const ROWS: &str = "insert into n values (1), (2), (3), (4), (5)";

struct Server(support::Server);

impl Server {
    fn new() -> Server {
        let mut server = Server(support::Server::new());
        server.0.session.received(std::time::SystemTime::now());
        for table in TABLES.split_inclusive(';').filter(|table| table.contains("create")) {
            assert_eq!(server.run(table, ""), "CREATE TABLE\n");
        }
        assert_eq!(server.run(ROWS, ""), "INSERT 0 5\n");
        server
    }

    /// What psql prints for a statement; `data` is for COPY FROM.
    fn run(&mut self, text: &str, data: &str) -> String {
        let session = &mut self.0.session;
        block_on(self.0.db.engine(), async {
            let mut out = String::new();
            let mut answered = answer(session, text, data, &mut out).await;
            if answered.is_ok() {
                answered = session.end_implicit(true).await;
            }
            let notices = session.take_notices();
            let notices: String = notices.iter().map(|notice| told(notice.severity, &notice.error)).collect();
            out.insert_str(0, &notices);
            if let Err(error) = answered {
                session.statement_failed().await;
                out += &told("ERROR", &error);
            }
            out
        })
    }
}

/// A message as psql prints it, but for the line of the statement that it points at.
fn told(severity: &str, error: &EngineError) -> String {
    let mut text = format!("{severity}:  {}\n", error.message);
    let parts = [("DETAIL", error.detail.as_deref()), ("HINT", error.hint.as_deref())];
    let context = error.context.as_deref().filter(|_| severity == "ERROR");
    for (what, part) in parts.into_iter().chain([("CONTEXT", context)]) {
        if let Some(part) = part {
            text += &format!("{what}:  {part}\n");
        }
    }
    text
}

async fn answer(session: &mut Session, text: &str, data: &str, out: &mut String) -> Result<(), EngineError> {
    session.begin_implicit();
    for statement in session.statements(text)? {
        match session.run(&statement).await? {
            Reply::Done { tag } => *out += &format!("{tag}\n"),
            Reply::Rows(portal) => rows(session, *portal, out).await?,
            Reply::CopyIn(copy) => *out += &format!("{}\n", copy_in(session, copy, data.as_bytes()).await?),
            Reply::CopyOut(copy) => copy_out(session, copy, out).await?,
        }
    }
    Ok(())
}

async fn rows(session: &mut Session, mut portal: Portal, out: &mut String) -> Result<(), EngineError> {
    while let Some(batch) = portal.next(session).await? {
        for row in 0..batch.rows {
            let mut line = Vec::new();
            for (at, column) in batch.columns.iter().enumerate() {
                if at > 0 {
                    line.push(b'|');
                }
                portal.encode(&mut line, Format::Text, at, column, row)?;
            }
            *out += &String::from_utf8(line).unwrap();
            out.push('\n');
        }
    }
    Ok(())
}

async fn copy_in(session: &mut Session, mut copy: Box<dyn CopyIn>, data: &[u8]) -> Result<String, EngineError> {
    for piece in data.chunks(5) {
        copy.feed(session, piece).await?;
    }
    copy.finish(session).await
}

async fn copy_out(session: &mut Session, mut copy: Box<dyn CopyOut>, out: &mut String) -> Result<(), EngineError> {
    *out += &String::from_utf8(copied(session, &mut *copy).await?).unwrap();
    Ok(())
}

async fn copied(session: &mut Session, copy: &mut dyn CopyOut) -> Result<Vec<u8>, EngineError> {
    let mut data = Vec::new();
    while let Some(chunk) = copy.next(session).await? {
        assert_eq!(chunk.ends.last(), Some(&chunk.bytes.len()));
        data.extend(chunk.bytes);
    }
    Ok(data)
}

/// The statements, each with its data.
fn statements() -> Vec<(&'static str, Option<&'static str>)> {
    let mut all = Vec::new();
    let mut rest = STATEMENTS;
    while let Some((statement, behind)) = rest.split_once(";\n") {
        let takes = statement.starts_with("copy") && statement.contains(" from stdin");
        let data = behind.split_once("\\.\n").filter(|_| takes);
        let (data, behind) = data.map_or((None, behind), |(data, behind)| (Some(data), behind));
        all.push((statement, data));
        rest = behind;
    }
    all
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

/// What PostgreSQL's psql prints.
fn record(server: &str) -> String {
    let mut script =
        "\\set VERBOSITY default\n\\set QUIET on\ncreate schema commands;\nset search_path = commands;\n".to_string();
    script += &format!("{TABLES}{ROWS};\n\\set QUIET off\n");
    for (statement, data) in statements() {
        script += &format!("\\echo ####\n{statement};\n");
        // psql skips it where the statement fails.
        script.extend(data.into_iter().flat_map(|data| [data, "\\.\n"]));
    }
    script += "\\echo ####\n\\set QUIET on\ndrop schema commands cascade;\n";
    // Errors stand among the rows.
    let mut psql = Command::new("sh")
        .args(["-c", "exec pg18 psql -XAt -d \"$0\" 2>&1", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("psql is there");
    std::io::Write::write_all(&mut psql.stdin.take().unwrap(), script.as_bytes()).unwrap();
    let output = String::from_utf8(psql.wait_with_output().unwrap().stdout).unwrap();
    let answers = output.split("####\n").skip(1);
    let lines = statements().into_iter().zip(answers);
    lines
        .map(|((statement, _), answer)| format!("{}\t{}\n", escape(statement), escape(&without_lines(answer))))
        .collect()
}

/// Without the line that an error points at, and the mark below it.
fn without_lines(answer: &str) -> String {
    let mut kept = String::new();
    let mut lines = answer.lines();
    while let Some(line) = lines.next() {
        if line.starts_with("LINE ") {
            lines.next();
        } else {
            kept += line;
            kept.push('\n');
        }
    }
    kept
}

#[test]
fn answers_are_postgresqls() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/commands.tsv");
    if let Ok(server) = std::env::var("INFLIGHT_RECORD_FROM") {
        std::fs::write(path, record(&server)).unwrap();
    }
    let recorded = std::fs::read_to_string(path).unwrap();
    let mut server = Server::new();
    let mut wrong = Vec::new();
    let statements = statements();
    assert_eq!(statements.len(), recorded.lines().count(), "record anew");
    for ((statement, data), line) in statements.into_iter().zip(recorded.lines()) {
        let (text, answer) = line.split_once('\t').unwrap();
        assert_eq!(text, escape(statement), "record anew");
        let ours = escape(&server.run(statement, data.unwrap_or_default()));
        if ours != answer {
            wrong.push(format!("{statement}\n  PostgreSQL: {answer}\n  here:       {ours}"));
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// What PostgreSQL gives for three rows of `t`: (1, 'a', 1.50, null, true), (2, 'ü', null, '2024-02-29', null) and
/// (3, '', -0.05, '1999-12-31', false).
const BINARY: &str = "\
    5047434f50590aff0d0a0000000000000000000005000000040000000100000001610000000c000200000000000200011388ffffffff0000000101\
    0005000000040000000200000002c3bcffffffff0000000400002279ffffffff00050000000400000003000000000000000a0001ffff4000000201\
    f400000004ffffffff0000000100ffff";

/// COPY t FROM STDIN in binary.
async fn copy_binary(session: &mut Session, data: &[u8]) -> Result<String, EngineError> {
    session.begin_implicit();
    for statement in session.statements("copy t from stdin (format binary)")? {
        if let Reply::CopyIn(copy) = session.run(&statement).await? {
            let tag = copy_in(session, copy, data).await?;
            session.end_implicit(true).await?;
            return Ok(tag);
        }
    }
    panic!("COPY takes rows")
}

#[test]
fn binary_data_is_postgresqls() {
    let digits: Vec<u32> = BINARY.chars().filter_map(|digit| digit.to_digit(16)).collect();
    let data: Vec<u8> = digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect();
    let mut server = Server::new();
    let session = &mut server.0.session;
    block_on(server.0.db.engine(), async {
        for (wrong, code) in [(&data[..40], "22P04"), (&data[1..], "22P04"), (&[], "22P04")] {
            assert_eq!(copy_binary(session, wrong).await.unwrap_err().code, code);
            session.statement_failed().await;
        }
        let long = [&data[..], b"x"].concat();
        let error = copy_binary(session, &long).await.unwrap_err();
        assert_eq!(error.message, "received copy data after EOF marker");
        session.statement_failed().await;
        assert_eq!(copy_binary(session, &data).await.unwrap(), "COPY 3");
        session.begin_implicit();
        for statement in session.statements("copy t to stdout (format binary)").unwrap() {
            let Reply::CopyOut(mut copy) = session.run(&statement).await.unwrap() else { panic!("COPY gives rows") };
            assert_eq!(copied(session, &mut *copy).await.unwrap(), data);
        }
        session.end_implicit(true).await.unwrap();
    });
}
