//! Several sessions at once, step by step, as PostgreSQL's isolation tester runs them; what each step answers was recorded
//! from real PostgreSQL 18.
//!
//! A script (`isolation/*.sql`) has a step a line: `a> statement` runs it in session `a`. A step that waits for a lock is
//! shown as `<waiting>`, and its answer where it comes: after the step that let it go on. `INFLIGHT_RECORD_FROM='host=…
//! port=… user=…'` runs the scripts there and rewrites the expected answers (`.out`).

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use testkit::Server;
use tokio::sync::mpsc;
use tokio_postgres::{NoTls, SimpleQueryMessage};

/// A session: statements go in, answers come out.
struct Session {
    pid: i32,
    send: mpsc::UnboundedSender<String>,
    answers: mpsc::UnboundedReceiver<String>,
    waiting: bool,
}

fn show(result: Result<Vec<SimpleQueryMessage>, tokio_postgres::Error>) -> String {
    let mut out = String::new();
    match result {
        Err(error) => match error.as_db_error() {
            Some(e) => out.push_str(&format!("{}: {} {}\n", e.severity(), e.code().code(), e.message())),
            None => out.push_str(&format!("connection: {error}\n")),
        },
        Ok(messages) => {
            for message in messages {
                match message {
                    SimpleQueryMessage::Row(row) => {
                        let values = (0..row.len()).map(|i| row.get(i).unwrap_or("NULL"));
                        out.push_str(&format!("({})\n", values.collect::<Vec<_>>().join(", ")));
                    }
                    SimpleQueryMessage::CommandComplete(rows) => out.push_str(&format!("done {rows}\n")),
                    _ => {}
                }
            }
        }
    }
    out
}

async fn session(config: &str) -> Session {
    let (client, connection) = tokio_postgres::connect(config, NoTls).await.unwrap();
    tokio::spawn(connection);
    let pid = client.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    let (send, mut statements) = mpsc::unbounded_channel::<String>();
    let (done, answers) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Some(sql) = statements.recv().await {
            let _ = done.send(show(client.simple_query(&sql).await));
        }
    });
    Session { pid, send, answers, waiting: false }
}

/// A step that neither answers nor waits for a lock after this long hangs.
const HANGS: Duration = Duration::from_secs(60);

/// Does the session wait for a lock? Asked again until it either does or answers.
async fn await_answer(control: &tokio_postgres::Client, session: &mut Session) -> Option<String> {
    let waits = format!("SELECT 1 FROM pg_stat_activity WHERE pid = {} AND wait_event_type = 'Lock'", session.pid);
    let mut seen = 0;
    let started = tokio::time::Instant::now();
    loop {
        assert!(started.elapsed() < HANGS, "a step neither answers nor waits for a lock");
        tokio::select! {
            answer = session.answers.recv() => {
                session.waiting = false;
                return answer;
            }
            () = tokio::time::sleep(Duration::from_millis(20)) => {}
        }
        let rows = control.simple_query(&waits).await.unwrap();
        let waiting = rows.iter().any(|m| matches!(m, SimpleQueryMessage::Row(_)));
        seen = if waiting { seen + 1 } else { 0 };
        // A waiter that was just let go shows as waiting for a moment.
        if seen >= 15 {
            session.waiting = true;
            return None;
        }
    }
}

async fn run(config: &str, script: &str) -> String {
    let (control, connection) = tokio_postgres::connect(config, NoTls).await.unwrap();
    tokio::spawn(connection);
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let mut out = String::new();
    for line in script.lines() {
        let Some((name, sql)) = line.split_once("> ").filter(|(name, _)| name.len() == 1) else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        if !sessions.contains_key(name) {
            sessions.insert(name.to_string(), session(config).await);
        }
        let current = sessions.get_mut(name).unwrap();
        out.push_str(line);
        out.push('\n');
        current.send.send(sql.to_string()).unwrap();
        match await_answer(&control, current).await {
            Some(answer) => out.push_str(&answer),
            None => out.push_str("<waiting>\n"),
        }
        // Those that waited may have been let go.
        for (other, session) in &mut sessions {
            if other != name
                && session.waiting
                && let Some(answer) = await_answer(&control, session).await
            {
                out.push_str(&format!("{other}: "));
                out.push_str(&answer);
            }
        }
    }
    out
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_meet_as_in_postgresql() {
    let record = std::env::var("INFLIGHT_RECORD_FROM").ok();
    // Cargo runs tests in their package's folder; a path compiled in would outlive a checkout that moves.
    let dir = Path::new("tests/isolation");
    let server = record.is_none().then(|| Server::start(&[]));
    let mut scripts: Vec<_> = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).collect();
    scripts.retain(|p| p.extension().is_some_and(|e| e == "sql"));
    scripts.sort();
    assert!(!scripts.is_empty());
    let mut wrong = Vec::new();
    for path in scripts {
        let script = std::fs::read_to_string(&path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let base = match (&record, &server) {
            (Some(from), _) => from.clone(),
            (None, Some(server)) => format!("host=127.0.0.1 port={} user=postgres", server.port),
            (None, None) => unreachable!(),
        };
        // A database each: scripts use the same names.
        let (admin, connection) = tokio_postgres::connect(&format!("{base} dbname=postgres"), NoTls).await.unwrap();
        tokio::spawn(connection);
        let _ = admin.simple_query(&format!("DROP DATABASE IF EXISTS iso_{name}")).await;
        admin.simple_query(&format!("CREATE DATABASE iso_{name}")).await.unwrap();
        let answers = run(&format!("{base} dbname=iso_{name}"), &script).await;
        let expected = path.with_extension("out");
        if record.is_some() {
            std::fs::write(&expected, &answers).unwrap();
            continue;
        }
        let expected = std::fs::read_to_string(expected).unwrap();
        if answers != expected {
            let at = answers.lines().zip(expected.lines()).take_while(|(ours, theirs)| ours == theirs).count();
            let around = |text: &str| text.lines().skip(at.saturating_sub(3)).take(8).collect::<Vec<_>>().join("\n  ");
            eprintln!("{name}, line {at}: ours:\n  {}\ntheirs:\n  {}", around(&answers), around(&expected));
            wrong.push(name);
        }
    }
    assert!(wrong.is_empty(), "different from PostgreSQL 18: {wrong:?}");
}
