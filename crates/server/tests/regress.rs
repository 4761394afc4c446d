//! PostgreSQL 18's own regression files, statement by statement, here and on PostgreSQL, whose answers are kept in
//! `regress/postgresql18.jsonl.zst`. Each file is played in a database in which those were played that it needs, in the
//! schedule's order (`regress/schedule.rs`), so that it finds the tables and indexes of PostgreSQL's own run.
//!
//! What is answered otherwise than there is on `regress/wrong.txt`, each with its reason: what is refused, what is each
//! server's own, or, behind `WRONG:`, a fault that is to be mended. Nothing may be added, and what is right by now is named,
//! to be taken off; hangs, panics and lost connections are on no list.
//!
//! * `INFLIGHT_REGRESS_FILES=boolean,join` runs these files alone.
//! * `INFLIGHT_REGRESS_DETAILS=path` writes every statement that is not the same there, with both answers.
//! * `INFLIGHT_RECORD=1` writes the list anew, keeping the reasons.
//! * `INFLIGHT_RECORD_FROM='127.0.0.1:5432'` with `INFLIGHT_REGRESS_SOURCE=…/src/test/regress` (which the server must see
//!   under the same path) makes the recording anew, from a PostgreSQL that nothing else uses.

#[path = "regress/client.rs"]
mod client;
#[path = "regress/compare.rs"]
mod compare;
#[path = "regress/follow.rs"]
mod follow;
#[path = "regress/mention.rs"]
mod mention;
#[path = "regress/record.rs"]
mod record;
#[path = "regress/recording.rs"]
mod recording;
#[path = "regress/report.rs"]
mod report;
#[path = "regress/schedule.rs"]
mod schedule;
#[path = "regress/script.rs"]
mod script;
#[path = "regress/stages.rs"]
mod stages;
#[path = "regress/variables.rs"]
mod variables;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use recording::{Entry, Step};
use report::Played;
use stages::Stages;

/// Cargo runs tests in their package's folder.
const RECORDING: &str = "tests/regress/postgresql18.jsonl.zst";
const LIST: &str = "tests/regress/wrong.txt";

/// Servers at a time.
const WORKERS: usize = 2;

pub struct Script {
    name: String,
    needs: Vec<String>,
    skipped: usize,
    steps: Vec<Step>,
}

#[test]
fn answers_are_postgresqls_or_listed() {
    if let Ok(address) = std::env::var("INFLIGHT_RECORD_FROM") {
        let source = std::env::var("INFLIGHT_REGRESS_SOURCE").expect("INFLIGHT_REGRESS_SOURCE");
        recording::write(Path::new(RECORDING), &record::record(&address, Path::new(&source)));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    for name in ["data", "results"] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
    }
    let mut scripts = Vec::new();
    for entry in recording::read(&std::fs::read(RECORDING).unwrap()) {
        match entry {
            Entry::Data { path, text } => std::fs::write(folder.path().join("data").join(path), text).unwrap(),
            Entry::Script { name, needs, skipped, steps } => scripts.push(Script { name, needs, skipped, steps }),
        }
    }
    let only = std::env::var("INFLIGHT_REGRESS_FILES").ok();
    let chosen = |script: &&Script| only.as_ref().is_none_or(|only| only.split(',').any(|name| name == script.name));
    let played = play_all(&scripts.iter().filter(chosen).collect::<Vec<_>>(), &Stages::new(&scripts, folder.path()));
    println!("{}", report::table(&played));
    if let Ok(path) = std::env::var("INFLIGHT_REGRESS_DETAILS") {
        std::fs::write(path, report::details(&played)).unwrap();
    }
    hold_the_list(&played);
}

/// In the schedule's order; each on a server of its own, so that roles and settings keep apart.
fn play_all(scripts: &[&Script], stages: &Stages) -> Vec<Played> {
    let (next, played) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                while let Some(script) = scripts.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let started = Instant::now();
                    let verdicts = stages.play(script);
                    let seconds = started.elapsed().as_secs_f64();
                    let (name, skipped) = (script.name.clone(), script.skipped);
                    played.lock().unwrap().push(Played { name, skipped, verdicts, seconds });
                }
            });
        }
    });
    let mut played = played.into_inner().unwrap();
    played.sort_by(|a, b| a.name.cmp(&b.name));
    played
}

/// The list holds a line a statement: `file:line class | text # reason`.
fn hold_the_list(played: &[Played]) {
    let known = std::fs::read_to_string(LIST).unwrap_or_default();
    let known: BTreeMap<&str, &str> =
        known.lines().map(|line| line.rsplit_once(" # ").expect("a reason behind ` # `")).collect();
    let mut found = Vec::new();
    let mut never = Vec::new();
    for file in played {
        for verdict in &file.verdicts {
            let key = report::key(&file.name, verdict);
            if report::may_not_be(verdict.class) {
                never.push(key);
            } else if report::must_be_listed(verdict.class) {
                found.push(key);
            }
        }
    }
    if std::env::var_os("INFLIGHT_RECORD").is_some() {
        let reason = |key: &str| known.get(key).copied().unwrap_or("no reason yet");
        let lines: String = found.iter().map(|key| format!("{key} # {}\n", reason(key))).collect();
        std::fs::write(LIST, lines).unwrap();
        return;
    }
    assert!(never.is_empty(), "hangs, panics or lost connections:\n{}", never.join("\n"));
    let new: Vec<_> = found.iter().filter(|key| !known.contains_key(key.as_str())).collect();
    assert!(new.is_empty(), "{} wrong answers that are not listed:\n{new:#?}", new.len());
    let ran = |key: &str| played.iter().any(|file| key.starts_with(&format!("{}.sql:", file.name)));
    let mended: Vec<_> = known.keys().filter(|key| ran(key) && !found.iter().any(|f| f == *key)).collect();
    // Not a failure: a run on a busy machine or with a change beside it would fail for good news.
    println!("{} listed answers are right by now, take them off the list: {mended:#?}", mended.len());
}
