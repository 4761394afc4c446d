//! `inflight demo`: what depth is worth. Loads a table, then scans it cold on a simulated cloud volume under each I/O
//! method, and with one read at a time.

use std::io::Write;
use std::time::{Duration, Instant};

use aio::BackendKind;
use commands::Commands;
use engine::{EngineError, Result};
use error::sqlstate;
use session::{Format, Reply, Session};

use crate::DemoArgs;
use crate::serve::open;

/// Runs one statement in a session of its own; gives the first value, if there are rows.
async fn statement(
    root: &std::path::Path,
    overrides: &[(&str, &str)],
    text: &str,
) -> Result<(Duration, Option<String>)> {
    let mut all: Vec<(String, String)> = overrides.iter().map(|(n, v)| (n.to_string(), v.to_string())).collect();
    all.push(("max_parallel_workers_per_gather".into(), "0".into()));
    let (db, _) = open(engine::OpenOptions { root: root.into(), overrides: all, ..Default::default() }).await?;
    let identity = (5, "postgres".to_string());
    let backend = db.activity().enter(BackendKind::Client, Some(identity.clone()), None, None, None)?;
    let mut session = Session::of_server(&db, backend, identity, db.settings(), &Commands)?;
    let start = Instant::now();
    let mut first = None;
    for statement in session.statements(text)? {
        if let Reply::Rows(mut rows) = session.run(&statement).await? {
            while let Some(batch) = rows.next(&mut session).await? {
                let mut text = Vec::new();
                if first.is_none() && batch.rows > 0 && rows.encode(&mut text, Format::Text, 0, &batch.columns[0], 0)? {
                    first = Some(String::from_utf8_lossy(&text).into_owned());
                }
            }
        }
    }
    session.end_implicit(true).await?;
    let took = start.elapsed();
    drop(session);
    db.close().await?;
    Ok((took, first))
}

fn progress(done: usize, total: usize, what: &str) {
    let filled = 30 * done / total;
    eprint!("\r[{}{}] {what:<40}", "#".repeat(filled), ".".repeat(30 - filled));
    let _ = std::io::stderr().flush();
}

async fn run_all(args: &DemoArgs, root: &std::path::Path) -> Result<()> {
    let cases: &[(&str, &str, &str)] = &[
        ("io_uring, depth found by itself", "io_uring", "auto"),
        ("worker, depth found by itself", "worker", "auto"),
        ("posix_aio, depth found by itself", "posix_aio", "auto"),
        ("sync", "sync", "auto"),
        ("io_uring, one read at a time", "io_uring", "0"),
    ];
    let total = cases.len() + 1;
    progress(0, total, &format!("loading {} rows", args.rows));
    let load = format!("CREATE TABLE test(id int); INSERT INTO test SELECT * FROM generate_series(1, {})", args.rows);
    let (loaded, _) = statement(root, &[], &load).await?;
    let mut results = Vec::new();
    for (index, (name, method, depth)) in cases.iter().enumerate() {
        progress(index + 1, total, name);
        let overrides = [
            ("io_method", *method),
            ("effective_io_concurrency", *depth),
            ("simulate_volume", args.simulate_volume.as_str()),
        ];
        let (took, count) = statement(root, &overrides, "SELECT count(*) FROM test").await?;
        if count.as_deref() != Some(args.rows.to_string().as_str()) {
            return Err(EngineError::new(
                sqlstate::INTERNAL_ERROR,
                format!("{name} counted {count:?} instead of {} rows", args.rows),
            ));
        }
        results.push((*name, took));
    }
    progress(total, total, "done");
    eprintln!();
    println!("SELECT count(*) over {} rows, cold, on a volume with {}", args.rows, args.simulate_volume);
    println!("(loaded in {:.2} s)\n", loaded.as_secs_f64());
    let slowest = results.iter().map(|r| r.1).max().unwrap_or_default().as_secs_f64();
    println!("{:<34} {:>9} {:>12}", "", "ms", "Mrows/s");
    for (name, took) in &results {
        let seconds = took.as_secs_f64();
        println!("{name:<34} {:>9.1} {:>12.1}", seconds * 1e3, args.rows as f64 / seconds / 1e6);
    }
    println!();
    for (name, took) in &results {
        let length = (took.as_secs_f64() / slowest * 50.0).ceil() as usize;
        println!("{name:<34} {}", "█".repeat(length.max(1)));
    }
    Ok(())
}

pub async fn run(args: DemoArgs) -> Result<()> {
    let base = args.dir.clone().unwrap_or_else(|| ".".into());
    let root = base.join(format!("inflight-demo-{}", std::process::id()));
    let result = run_all(&args, &root).await;
    // Only what the demo itself made.
    let _ = std::fs::remove_dir_all(&root);
    result
}
