//! Runs a recorded script here, and says of each statement how the answer compares.

use std::time::Duration;

use super::client::{Answer, Broken, Client, Target};
use super::follow::{Differences, Ended};
use super::mention::Statement;
use super::record::{OPTIONS, set_row, variables};
use super::recording::{Action, Kept, Query, Step, is_ordered};
use testkit::Server;

/// How our answer to a statement compares with PostgreSQL's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// The same rows, columns and tag, or the same SQLSTATE.
    Same,
    /// Both ran it, and what it answers is not promised; see [`VARIES`].
    NotCompared,
    /// 0A000.
    Refused,
    /// An error because what it names is not there (it was refused before, or is a function or type that we lack), or
    /// because the transaction had failed before.
    Absent,
    /// Another SQLSTATE than PostgreSQL's, or an error where it has none.
    OtherError,
    /// Wrong or a missing error, but it names an object that an earlier statement failed to make or change here; see
    /// `follow.rs`.
    Follows,
    /// An error that says that the server is at fault: XX000 and its like.
    Internal,
    /// Another result.
    Wrong,
    /// PostgreSQL gives an error, we do not.
    MissingError,
    /// No answer within [`LIMIT`].
    Hang,
    /// The server panicked.
    Panic,
    /// The connection broke.
    Lost,
}

pub const CLASSES: [Class; 12] = [
    Class::Same,
    Class::NotCompared,
    Class::Refused,
    Class::Absent,
    Class::OtherError,
    Class::Follows,
    Class::Internal,
    Class::Wrong,
    Class::MissingError,
    Class::Hang,
    Class::Panic,
    Class::Lost,
];

impl Class {
    pub fn name(self) -> &'static str {
        match self {
            Class::Same => "same",
            Class::NotCompared => "not compared",
            Class::Refused => "refused",
            Class::Absent => "absent",
            Class::OtherError => "other error",
            Class::Follows => "follows",
            Class::Internal => "internal error",
            Class::Wrong => "wrong",
            Class::MissingError => "missing error",
            Class::Hang => "hang",
            Class::Panic => "panic",
            Class::Lost => "lost",
        }
    }
}

/// How long a statement may take in a debug build on a busy machine: longer than any that ends.
const LIMIT: Duration = Duration::from_secs(120);

/// After so many hangs the rest of a script counts as lost.
const MOST_HANGS: usize = 3;

/// Undefined table, column, function, type or object, schema, cursor, prepared statement, parameter; failed transaction.
const ABSENT: &[&str] =
    &["42P01", "42703", "42883", "42704", "3F000", "34000", "26000", "42P02", "25P02", "3D000", "3B001"];

/// Words of statements whose answer depends on more than the statement, and why.
const VARIES: &[(&str, &str)] = &[
    ("explain", "plans and costs are each planner's own"),
    ("pg_backend_pid", "processes differ"),
    ("ctid", "where a row lies differs"),
    ("xmin", "transaction ids differ"),
    ("txid_current", "transaction ids differ"),
];

pub struct Verdict {
    pub line: usize,
    pub sql: String,
    pub class: Class,
    /// What differs, in a word.
    pub kind: &'static str,
    pub theirs: String,
    pub ours: String,
}

/// A script's session here.
pub struct Player<'a> {
    server: &'a Server,
    target: Target,
    client: Option<Client>,
    variables: super::variables::Variables,
    differences: Differences,
    /// How much of the server's log has been looked at.
    logged: usize,
    hangs: usize,
}

impl<'a> Player<'a> {
    /// A session in the database `regression` of a server, in which `differences` are already. `folder` has the files that
    /// COPY reads in `data`.
    pub fn new(server: &'a Server, folder: &std::path::Path, differences: Differences) -> Result<Player<'a>, Broken> {
        let target = Target {
            address: format!("127.0.0.1:{}", server.port),
            user: "postgres".into(),
            database: "regression".into(),
            options: OPTIONS.to_vec(),
            limit: LIMIT,
        };
        let client = Some(Client::connect(&target)?);
        Ok(Player { server, target, client, variables: variables(folder), differences, logged: 0, hangs: 0 })
    }

    /// What differs after all that was played.
    pub fn into_differences(self) -> Differences {
        self.differences
    }

    pub fn play(&mut self, steps: &[Step]) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for step in steps {
            match &step.action {
                Action::Set(arguments) => self.variables.set_from(arguments),
                Action::Connect(user) => {
                    let target = Target { user: user.clone(), ..self.target.clone() };
                    self.client = Client::connect(&target).or_else(|_| Client::connect(&self.target)).ok();
                }
                Action::Query(query) => verdicts.push(self.query(step.line, query)),
            }
        }
        verdicts
    }

    fn query(&mut self, line: usize, query: &Query) -> Verdict {
        let mut verdict = Verdict {
            line,
            sql: query.sql.clone(),
            class: Class::Lost,
            kind: "",
            theirs: query.answers.iter().map(show_kept).collect(),
            ours: String::new(),
        };
        if self.client.is_none() && self.hangs < MOST_HANGS {
            self.client = Client::connect(&self.target).ok();
        }
        let Some(mut client) = self.client.take() else {
            verdict.ours = "no connection".into();
            return verdict;
        };
        let sql = self.variables.expand(&query.sql, client.escapes);
        let statements = Statement::all(&sql, client.escapes);
        let mut data = query.data.iter();
        match client.query(&sql, &mut || data.next().cloned()) {
            Ok(ours) => {
                if let Some(prefix) = &query.gset {
                    let theirs = query.answers.last().and_then(|a| match a {
                        Kept::Whole(answer) => Some(answer),
                        Kept::Sum { .. } => None,
                    });
                    let ok = ours.last().filter(|a| a.error.is_none());
                    set_row(&mut self.variables, prefix, ok.or(theirs));
                }
                self.judge(query, &statements, &ours, client.block, &mut verdict);
                verdict.ours = ours.iter().map(show).collect();
                self.client = Some(client);
            }
            Err(Broken::Hang) => {
                verdict.class = Class::Hang;
                self.hangs += 1;
                self.differences.after(&statements, &broken_off(query));
                client.cancel();
            }
            Err(Broken::Lost(why)) => {
                verdict.ours = why;
                self.differences.after(&statements, &broken_off(query));
            }
        }
        if self.has_panicked() {
            verdict.class = Class::Panic;
        }
        verdict
    }

    fn judge(&mut self, query: &Query, statements: &[Statement], ours: &[Answer], block: u8, verdict: &mut Verdict) {
        let their_error = query.answers.iter().find_map(|a| match a {
            Kept::Whole(answer) => answer.error.as_ref(),
            Kept::Sum { .. } => None,
        });
        let our_error = ours.iter().find_map(|a| a.error.as_ref());
        let follows = self.differences.reach(statements, their_error.map(|e| e.0.as_str()));
        verdict.class = match (their_error, our_error) {
            (Some(theirs), Some(ours)) if theirs.0 == ours.0 => Class::Same,
            (_, Some((state, _))) if state == "0A000" => Class::Refused,
            (_, Some((state, _))) if state.starts_with("XX") => Class::Internal,
            (_, Some((state, _))) if ABSENT.contains(&state.as_str()) => Class::Absent,
            (_, Some(_)) => Class::OtherError,
            (Some(_), None) if follows => Class::Follows,
            (Some(_), None) => Class::MissingError,
            (None, None) if varies(&query.sql) => Class::NotCompared,
            // psql shows no value that a variable is set to, so PostgreSQL does not compare it either: it is the server's
            // own, or another statement asks for it.
            (None, None) if query.gset.is_some() && same_shape(&query.answers, ours) => Class::NotCompared,
            (None, None) => match same(&query.answers, ours, is_ordered(&query.sql)) {
                Ok(()) => Class::Same,
                Err(kind) => {
                    verdict.kind = kind;
                    if follows { Class::Follows } else { Class::Wrong }
                }
            },
        };
        let ended = Ended {
            alike: their_error.is_some() == our_error.is_some(),
            ran: our_error.is_none(),
            theirs: (query.block, last_tag(query)),
            ours: (block, ours.last().map_or("", |answer| &answer.tag)),
        };
        self.differences.after(statements, &ended);
    }

    fn has_panicked(&mut self) -> bool {
        let log = self.server.log.lock().unwrap();
        let new = &log[self.logged..];
        self.logged = log.len();
        new.contains("panicked at")
    }
}

fn last_tag(query: &Query) -> &str {
    match query.answers.last() {
        Some(Kept::Whole(answer)) => &answer.tag,
        Some(Kept::Sum { tag, .. }) => tag,
        None => "",
    }
}

/// A statement that our session did not survive.
fn broken_off(query: &Query) -> Ended<'_> {
    Ended { alike: false, ran: false, theirs: (query.block, last_tag(query)), ours: (b'I', "") }
}

fn same(theirs: &[Kept], ours: &[Answer], ordered: bool) -> Result<(), &'static str> {
    if theirs.len() != ours.len() {
        return Err("number of results");
    }
    theirs.iter().zip(ours).try_for_each(|(theirs, ours)| theirs.compare(ours, ordered))
}

/// The same columns and the same number of rows.
fn same_shape(theirs: &[Kept], ours: &[Answer]) -> bool {
    let shape = |(theirs, ours): (&Kept, &Answer)| matches!(theirs.compare(ours, false), Ok(()) | Err("rows"));
    theirs.len() == ours.len() && theirs.iter().zip(ours).all(shape)
}

fn varies(sql: &str) -> bool {
    let sql = sql.to_ascii_lowercase();
    sql.split(|c: char| !(c.is_alphanumeric() || c == '_')).any(|word| VARIES.iter().any(|(w, _)| *w == word))
}

/// The longest an answer is shown.
const SHOWN: usize = 600;

fn show(answer: &Answer) -> String {
    let mut out = String::new();
    if let Some((state, message)) = &answer.error {
        return format!("ERROR {state} {message}\n");
    }
    if let Some(columns) = &answer.columns {
        let columns: Vec<_> = columns.iter().map(|(name, oid)| format!("{name}:{oid}")).collect();
        out.push_str(&format!("[{}]", columns.join(", ")));
    }
    for row in &answer.rows {
        let values: Vec<_> = row.iter().map(|v| v.as_deref().unwrap_or("NULL")).collect();
        out.push_str(&format!(" ({})", values.join(", ")));
    }
    out.push_str(&answer.copied);
    if out.len() > SHOWN {
        out.truncate((0..=SHOWN).rev().find(|i| out.is_char_boundary(*i)).unwrap_or(0));
        out.push('…');
    }
    format!("{out} {}\n", answer.tag)
}

fn show_kept(kept: &Kept) -> String {
    match kept {
        Kept::Whole(answer) => show(answer),
        Kept::Sum { columns, rows, tag, .. } => format!("{columns:?}, {rows} rows {tag}\n"),
    }
}
