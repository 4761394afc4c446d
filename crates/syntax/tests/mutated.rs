//! Damaged statements: PostgreSQL's regression statements, mutated from a seed. Nothing may crash, and what PostgreSQL 18.6
//! answered to a sample of them (`mutated/answers.jsonl.zst`) is answered alike: SQLSTATE, message, position, detail, hint.
//!
//! * It takes a few seconds; `INFLIGHT_FUZZ_SECONDS=1800` makes it long. A failure names its seed:
//!   `INFLIGHT_FUZZ_SEED=N` replays that text alone.
//! * `INFLIGHT_RECORD_FROM=127.0.0.1:5432` records the sample's answers anew (as `postgres`, with trust). The texts are
//!   sent within a failed transaction, where PostgreSQL parses and does nothing else.

#[path = "mutated/mutate.rs"]
mod mutate;
#[path = "mutated/record.rs"]
mod record;

use std::time::{Duration, Instant};

use mutate::{Random, mutated, seeds};
use serde::{Deserialize, Serialize};
use syntax::{RawParseMode, Settings, SyntaxError, parse, parse_type_name, parse_with};

const ANSWERS: &str = "tests/mutated/answers.jsonl.zst";

/// What PostgreSQL said to a text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Answer {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<Error>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Error {
    sqlstate: String,
    message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hint: Option<String>,
}

impl From<SyntaxError> for Error {
    fn from(e: SyntaxError) -> Error {
        Error {
            sqlstate: e.sqlstate().to_string(),
            message: e.message.into(),
            position: e.position,
            detail: e.detail.map(Into::into),
            hint: e.hint.map(Into::into),
        }
    }
}

#[test]
fn mutated_statements_are_answered_as_by_postgresql() {
    if let Ok(address) = std::env::var("INFLIGHT_RECORD_FROM") {
        record::record(&address, ANSWERS);
    }
    let lines = zstd::decode_all(std::fs::File::open(ANSWERS).unwrap()).unwrap();
    let answers = std::str::from_utf8(&lines).unwrap().lines().map(|l| serde_json::from_str::<Answer>(l).unwrap());
    let (mut texts, mut errors, mut different) = (0, 0, Vec::new());
    for theirs in answers {
        let ours = Answer { text: theirs.text.clone(), error: parse(&theirs.text).err().map(Error::from) };
        texts += 1;
        errors += usize::from(theirs.error.is_some());
        if ours != theirs {
            different.push(format!("{}\n  ours: {:?}\n  PostgreSQL: {:?}", theirs.text, ours.error, theirs.error));
        }
    }
    println!("{texts} texts, {errors} rejected");
    assert!(texts > 1_000 && errors > 500 && texts - errors > 200, "the answers are not read");
    assert!(different.is_empty(), "{} differ\n{}", different.len(), different.join("\n"));
}

#[test]
fn no_text_does_harm() {
    let seeds = seeds();
    if let Ok(seed) = std::env::var("INFLIGHT_FUZZ_SEED") {
        try_one(&seeds, seed.parse().unwrap());
        return;
    }
    let seconds = std::env::var("INFLIGHT_FUZZ_SECONDS").map_or(3, |s| s.parse().unwrap());
    let first = if seconds > 3 { std::time::UNIX_EPOCH.elapsed().unwrap().as_nanos() as u64 } else { 1 };
    let end = Instant::now() + Duration::from_secs(seconds);
    let mut seed = first;
    while Instant::now() < end {
        for _ in 0..100 {
            // A crash leaves no message: a long run tells its seed.
            try_one(&seeds, seed);
            seed += 1;
        }
    }
    println!("{} texts from seed {first}", seed - first);
}

fn try_one(seeds: &[String], seed: u64) {
    let mut random = Random::new(seed);
    let text = mutated(seeds, &mut random);
    let began = Instant::now();
    let settings = Settings { standard_conforming_strings: !random.one_in(8), ..Settings::default() };
    match parse_with(&text, RawParseMode::Default, settings).statements {
        Ok(statements) => {
            let mut last = 0;
            for statement in &statements {
                let start = statement.stmt_location as usize;
                let end = if statement.stmt_len == 0 { text.len() } else { start + statement.stmt_len as usize };
                assert!(last <= start && text.get(start..end).is_some(), "seed {seed}: {start}..{end}: {text}");
                last = end;
            }
        }
        Err(e) => {
            let characters = text.chars().count() as u32;
            assert!(e.position.is_none_or(|p| p <= characters + 1), "seed {seed}: {e:?}: {text}");
            assert!(e.sqlstate() != "XX000", "seed {seed}: {e:?}: {text}");
        }
    }
    let modes = [RawParseMode::PlpgsqlExpr, RawParseMode::PlpgsqlAssign1, RawParseMode::PlpgsqlAssign3];
    if random.one_in(4) {
        let _ = parse_with(&text, modes[random.below(3)], settings);
        let _ = parse_type_name(&text);
    }
    assert!(began.elapsed() < Duration::from_secs(60), "seed {seed} takes long");
}
