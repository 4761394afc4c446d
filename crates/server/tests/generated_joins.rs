//! Joins, groupings, windows and changes that are made from a seed ([`generate`]), over small tables with indexes that are
//! analyzed, and others that are not ([`tables`]). Each statement has one answer, which must be PostgreSQL's, and the same
//! with every `enable_…` off, with other orders of joins, and without statistics.
//!
//! * CI asks what is in `generated_joins/postgresql18.jsonl.zst`, with PostgreSQL's answers; it takes a minute.
//!   `INFLIGHT_RECORD_FROM='host=… port=… user=…'` makes that anew.
//! * `INFLIGHT_FUZZ_SECONDS=3600` makes new statements for an hour; `INFLIGHT_PEER='host=… port=… user=…'` is a PostgreSQL to
//!   compare with, without which our own answers have to agree. What differs is made as small as it can be and shown.
//!   `INFLIGHT_FUZZ_SEED=N` says where to begin, `INFLIGHT_FUZZ_NUMBER=N` asks that statement of it alone.

#[path = "generated_joins/generate.rs"]
mod generate;
#[path = "generated_joins/play.rs"]
mod play;
#[path = "generated_joins/random.rs"]
mod random;
#[path = "generated_joins/shrink.rs"]
mod shrink;
#[path = "generated_joins/sql.rs"]
mod sql;
#[path = "generated_joins/tables.rs"]
mod tables;

use std::time::{Duration, Instant};

use play::{Answer, Kept, Question, Session};
use random::Random;
use serde::{Deserialize, Serialize};
use sql::Statement;
use testkit::Server;

/// Cargo runs tests in their package's folder.
const RECORDING: &str = "tests/generated_joins/postgresql18.jsonl.zst";

/// CI's seed, and how many of its statements are kept.
const SEED: u64 = 18;
const RECORDED: usize = 900;

/// Longer answers are not asked for.
const MOST_ROWS: usize = 4000;

/// After so many the search ends.
const ENOUGH: usize = 20;

/// Smaller statements are tried for so long.
const SHRINKS: Duration = Duration::from_secs(60);

/// A statement of the recording.
#[derive(Serialize, Deserialize)]
struct Recorded {
    #[serde(flatten)]
    question: Question,
    answer: Kept,
}

/// How a statement is asked: in a schema, with settings.
#[derive(Clone, Debug)]
struct Way {
    schema: &'static str,
    settings: Vec<String>,
}

/// All but the plain one.
fn ways(enable: &[String]) -> Vec<Way> {
    let mut found = vec![Way { schema: "bare", settings: Vec::new() }];
    let off = |names: &[&str]| names.iter().map(|name| format!("enable_{name} = off")).collect::<Vec<_>>();
    let mut together: Vec<Vec<String>> = enable.iter().map(|name| vec![format!("{name} = off")]).collect();
    together.extend([
        off(&["hashjoin", "mergejoin"]),
        off(&["hashjoin", "nestloop"]),
        off(&["mergejoin", "nestloop"]),
        off(&["hashjoin", "mergejoin", "seqscan", "bitmapscan", "material"]),
        off(&["seqscan", "indexscan", "indexonlyscan"]),
        off(&["hashagg", "hashjoin", "sort"]),
        vec!["join_collapse_limit = 1".to_string(), "from_collapse_limit = 1".to_string()],
        vec!["geqo_threshold = 2".to_string()],
        vec!["random_page_cost = 0.01".to_string()],
    ]);
    for settings in together {
        found.push(Way { schema: "known", settings: settings.clone() });
        found.push(Way { schema: "bare", settings });
    }
    found
}

fn plain() -> Way {
    Way { schema: "known", settings: Vec::new() }
}

async fn ask(session: &mut Session, way: &Way, question: &Question) -> Answer {
    session.ask(way.schema, &way.settings, question).await
}

fn question(statement: &Statement) -> Question {
    let changes = statement.changes().map(str::to_string);
    Question { sql: statement.to_string(), changes, ordered: statement.is_ordered() }
}

#[tokio::test(flavor = "multi_thread")]
async fn joins_have_postgresqls_answers_whatever_their_plans() {
    if let Ok(from) = std::env::var("INFLIGHT_RECORD_FROM") {
        return record(&from).await;
    }
    let server = Server::start(&[]);
    let ours = Session::with_tables(&format!("host=127.0.0.1 port={} user=postgres", server.port)).await;
    match number_of("INFLIGHT_FUZZ_SECONDS") {
        Some(seconds) => search(ours, Duration::from_secs(seconds)).await,
        None => replay(ours).await,
    }
    let log = server.log.lock().unwrap().clone();
    assert!(!log.contains("panicked"), "{log}");
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{variable} is a number")))
}

async fn record(from: &str) {
    let mut peer = Session::with_tables(from).await;
    let mut lines = String::new();
    let (mut kept, mut number) = (0, 0);
    while kept < RECORDED {
        let question = question(&generate::statement(SEED, number));
        number += 1;
        let answer = ask(&mut peer, &plain(), &question).await;
        if answer.is_none() || matches!(&answer, Answer::Rows(rows) if rows.len() > MOST_ROWS) {
            continue;
        }
        lines.push_str(&serde_json::to_string(&Recorded { question, answer: answer.kept() }).unwrap());
        lines.push('\n');
        kept += 1;
    }
    peer.end().await;
    std::fs::write(RECORDING, zstd::encode_all(lines.as_bytes(), 19).unwrap()).unwrap();
}

/// The recording, each statement plainly, without statistics and in one more way.
async fn replay(mut ours: Session) {
    let text = zstd::decode_all(&*std::fs::read(RECORDING).unwrap()).unwrap();
    let recorded = std::str::from_utf8(&text).unwrap().lines();
    let ways = ways(&ours.enable_settings().await);
    let (mut not_yet, mut wrong) = (0, Vec::new());
    for (at, line) in recorded.enumerate() {
        let Recorded { question, answer: expected } = serde_json::from_str(line).unwrap();
        for way in [&plain(), &ways[0], &ways[1 + at % (ways.len() - 1)]] {
            let answer = ask(&mut ours, way, &question).await;
            if answer.is_none() {
                not_yet += 1;
            } else if answer.kept() != expected {
                wrong.push(format!("{}\n    {way:?}: {expected:?}, but {}", question.sql, answer.shown()));
                break;
            }
        }
    }
    println!("{not_yet} not yet, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is compared: us in a way, with PostgreSQL or with us as it is plain.
struct Sides {
    ours: Session,
    peer: Option<Session>,
}

impl Sides {
    async fn expected(&mut self, question: &Question) -> Answer {
        match &mut self.peer {
            Some(peer) => ask(peer, &plain(), question).await,
            None => ask(&mut self.ours, &plain(), question).await,
        }
    }

    /// Both answers, if they differ.
    async fn difference(&mut self, way: &Way, question: &Question, expected: &Answer) -> Option<Answer> {
        let ours = ask(&mut self.ours, way, question).await;
        let same = ours.is_none() || ours.kept() == expected.kept();
        (!same).then_some(ours)
    }

    /// The smallest statement that differs in the same manner.
    async fn shrink(&mut self, mut statement: Statement, way: &Way, ours: &Answer, theirs: &Answer) -> Statement {
        let manner = |answer: &Answer| match answer {
            Answer::Rows(_) => String::new(),
            Answer::Error(code, _) => code.clone(),
            Answer::Lost(_) => "lost".to_string(),
        };
        let wanted = (manner(ours), manner(theirs));
        let started = Instant::now();
        'again: loop {
            for smaller in shrink::statement(&statement) {
                if started.elapsed() > SHRINKS {
                    return statement;
                }
                let question = question(&smaller);
                let expected = self.expected(&question).await;
                if expected.is_none() {
                    continue;
                }
                if let Some(ours) = self.difference(way, &question, &expected).await
                    && (manner(&ours), manner(&expected)) == wanted
                {
                    statement = smaller;
                    continue 'again;
                }
            }
            return statement;
        }
    }
}

/// New statements until the time is over.
async fn search(ours: Session, time: Duration) {
    let peer = match std::env::var("INFLIGHT_PEER") {
        Ok(base) => Some(Session::with_tables(&base).await),
        Err(_) => None,
    };
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let seed = number_of("INFLIGHT_FUZZ_SEED").unwrap_or(now);
    let only = number_of("INFLIGHT_FUZZ_NUMBER");
    let ways = ways(&ours.enable_settings().await);
    let mut sides = Sides { ours, peer };
    let (started, mut asked, mut wrong) = (Instant::now(), 0, Vec::new());
    let mut number = only.unwrap_or(0);
    while started.elapsed() < time && wrong.len() < ENOUGH {
        let statement = generate::statement(seed, number);
        if let Some(found) = compare(&mut sides, seed, number, statement, &ways).await {
            eprintln!("{found}");
            wrong.push(found);
        }
        (asked, number) = (asked + 1, number + 1);
        if only.is_some() {
            break;
        }
    }
    println!("{asked} statements of seed {seed}, {} wrong", wrong.len());
    if let Some(peer) = sides.peer {
        peer.end().await;
    }
    assert!(wrong.is_empty(), "{} wrong answers:\n{}", wrong.len(), wrong.join("\n"));
}

/// One statement, plainly and in some other ways.
async fn compare(sides: &mut Sides, seed: u64, number: u64, statement: Statement, ways: &[Way]) -> Option<String> {
    let asked = question(&statement);
    let expected = sides.expected(&asked).await;
    if expected.is_none() || matches!(&expected, Answer::Rows(rows) if rows.len() > MOST_ROWS) {
        return None;
    }
    let mut random = Random::of(seed, !number);
    let mut chosen = vec![plain(), ways[0].clone()];
    chosen.extend((0..6).map(|_| ways[random.below(ways.len())].clone()));
    for way in chosen {
        let Some(ours) = sides.difference(&way, &asked, &expected).await else { continue };
        let smallest = sides.shrink(statement, &way, &ours, &expected).await;
        let question = question(&smallest);
        let theirs = sides.expected(&question).await;
        let ours = ask(&mut sides.ours, &way, &question).await;
        return Some(format!(
            "seed {seed}, number {number}, {way:?}\n  {}\n    expected {}\n    ours     {}",
            question.sql,
            theirs.shown(),
            ours.shown()
        ));
    }
    None
}
