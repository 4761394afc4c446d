//! What PostgreSQL answered to its regression files, as it is kept (`postgresql18.jsonl.zst`): a line of JSON a file.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::client::Answer;
use super::script::top_level_words;

/// Results larger than this many bytes are kept as their sum.
const KEPT_WHOLE: usize = 16 << 10;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Entry {
    /// A file that COPY reads.
    Data { path: String, text: String },
    /// A script; `needs` were played before it in its database, `skipped` counts its statements and commands that only psql
    /// knows.
    Script { name: String, needs: Vec<String>, skipped: usize, steps: Vec<Step> },
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Step {
    pub line: usize,
    #[serde(flatten)]
    pub action: Action,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Action {
    Query(Query),
    /// `\set`, with its arguments.
    Set(String),
    /// `\connect` as this user.
    Connect(String),
}

#[derive(Clone, Serialize, Deserialize)]
pub struct Query {
    /// Variables are not put in yet.
    pub sql: String,
    /// What each COPY FROM STDIN was given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub data: Vec<String>,
    /// `\gset`: the row becomes variables with this prefix.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gset: Option<String>,
    pub answers: Vec<Kept>,
    /// The transaction block afterwards: `I`dle, in one (`T`), in a failed one (`E`).
    pub block: u8,
}

/// An answer, or the sum of one that is long.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Kept {
    Sum { columns: Option<Vec<(String, u32)>>, tag: String, rows: usize, crc: u32 },
    Whole(Answer),
}

impl Kept {
    pub fn of(answer: Answer, ordered: bool) -> Kept {
        let size: usize = answer.rows.iter().flatten().flatten().map(|v| v.len() + 4).sum();
        if size + answer.copied.len() > KEPT_WHOLE { sum(&answer, ordered) } else { Kept::Whole(answer) }
    }

    /// The same, where `ours` is given in whole; says what differs.
    pub fn compare(&self, ours: &Answer, ordered: bool) -> Result<(), &'static str> {
        match (self, sum(ours, ordered)) {
            (Kept::Sum { columns, tag, rows, crc }, Kept::Sum { columns: c, tag: t, rows: r, crc: s }) => {
                same_columns(columns.as_deref(), c.as_deref())?;
                if *tag != t {
                    return Err("tag");
                }
                if *rows != r {
                    Err("number of rows")
                } else if *crc != s {
                    Err("rows")
                } else {
                    Ok(())
                }
            }
            (Kept::Whole(theirs), _) => compare(theirs, ours, ordered),
            _ => unreachable!("a sum is a sum"),
        }
    }
}

/// Rows as lines, sorted unless their order was asked for.
fn lines(answer: &Answer, ordered: bool) -> Vec<String> {
    let types = answer.columns.as_deref().unwrap_or_default();
    let value = |(at, value): (usize, &Option<String>)| match value {
        None => "\\N".to_string(),
        Some(value) if types.get(at).is_some_and(|column| is_given(column.1, value)) => "an OID".to_string(),
        Some(value) => value.replace('\\', "\\\\"),
    };
    let row = |row: &Vec<Option<String>>| row.iter().enumerate().map(value).collect::<Vec<_>>().join("\t");
    let mut lines: Vec<String> = answer.rows.iter().map(row).collect();
    lines.extend(answer.copied.lines().map(str::to_string));
    if !ordered {
        lines.sort();
    }
    lines
}

fn sum(answer: &Answer, ordered: bool) -> Kept {
    let lines = lines(answer, ordered);
    let crc = crc32c::crc32c(lines.join("\n").as_bytes());
    Kept::Sum { columns: answer.columns.clone(), tag: answer.tag.clone(), rows: lines.len(), crc }
}

fn compare(theirs: &Answer, ours: &Answer, ordered: bool) -> Result<(), &'static str> {
    same_columns(theirs.columns.as_deref(), ours.columns.as_deref())?;
    if theirs.rows.len() != ours.rows.len() {
        return Err("number of rows");
    }
    if lines(theirs, ordered) != lines(ours, ordered) {
        return Err(if lines(theirs, false) == lines(ours, false) { "order" } else { "rows" });
    }
    if theirs.tag != ours.tag { Err("tag") } else { Ok(()) }
}

/// OIDs from this on are given to what users make, in the order in which they make it.
const FIRST_USER_OID: u32 = 16_384;
const OID: u32 = 26;

/// Is it the OID of something that a user has made? Which one it is, is each server's own.
fn is_given(kind: u32, value: &str) -> bool {
    kind == OID && value.parse::<u32>().is_ok_and(|oid| oid >= FIRST_USER_OID)
}

fn same_columns(theirs: Option<&[(String, u32)]>, ours: Option<&[(String, u32)]>) -> Result<(), &'static str> {
    let (Some(theirs), Some(ours)) = (theirs, ours) else {
        return if theirs.is_some() == ours.is_some() { Ok(()) } else { Err("columns") };
    };
    if !theirs.iter().map(|c| &c.0).eq(ours.iter().map(|c| &c.0)) {
        return Err("columns");
    }
    let same = |(a, b): (u32, u32)| a == b || (a >= FIRST_USER_OID && b >= FIRST_USER_OID);
    if theirs.iter().zip(ours).all(|(a, b)| same((a.1, b.1))) { Ok(()) } else { Err("types") }
}

/// Does the statement promise an order?
pub fn is_ordered(sql: &str) -> bool {
    let words = top_level_words(sql);
    words.windows(2).any(|w| w == ["order", "by"])
}

pub fn read(bytes: &[u8]) -> Vec<Entry> {
    let text = zstd::decode_all(bytes).unwrap();
    let text = std::str::from_utf8(&text).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub fn write(path: &Path, entries: &[Entry]) {
    let lines: String = entries.iter().map(|e| serde_json::to_string(e).unwrap() + "\n").collect();
    std::fs::write(path, zstd::encode_all(lines.as_bytes(), 19).unwrap()).unwrap();
}
