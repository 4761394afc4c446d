//! Query strings that came before, so that they need not be parsed, analyzed and planned again. Those that differ in constants
//! are one ([`syntax::shape`]): their constants are parameters of it.
//!
//! A text of a shape that did not come lately is run as it is written and kept the next time it comes (TinyLFU's
//! doorkeeper): many come once only, and what is kept of them would cost more than what they do themselves.
//!
//! A statement may not mean the same with a constant as with a parameter (`'x'` where no type is known). What cannot be
//! understood or given its values in this way, [`crate::statement::postgres`] runs as it is written.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::sync::Arc;

use engine::Result;
use foldhash::fast::RandomState;
use syntax::shape::{Cut, Kind, Shape};
use types::base_type::base_type;
use types::{Context, Datum, Repr, oid};

use crate::session::notice::Notice;
use crate::statement::parameter::Parameter;
use crate::statement::parse::is_query;
use crate::statement::parse::{ParsedStatement, parse_raw};

/// Shapes that are kept.
const MAX_ENTRIES: usize = 512;
/// Bytes of their texts.
const MAX_BYTES: usize = 1 << 20;

/// Shapes that are known to have come once.
const MAX_SEEN: usize = 1024;

/// A statement with its parameters' values, as it is to be run.
#[derive(Clone)]
pub struct Statement {
    pub parsed: Arc<ParsedStatement>,
    /// What was sent.
    pub text: Arc<str>,
    pub parameters: Vec<Parameter>,
}

#[derive(Default)]
pub(crate) struct StatementCache {
    cut: Cut,
    seen: Seen,
    /// By skeleton.
    shapes: HashMap<Box<str>, Shape, RandomState>,
    /// By skeleton and constants that are none of the parameters.
    statements: HashMap<Box<str>, Entry, RandomState>,
    bytes: usize,
}

/// Hashes of skeletons that came once, each at its place; a later one takes it from an earlier one.
#[derive(Default)]
struct Seen(Vec<u32>);

impl Seen {
    /// Has the skeleton of this hash come before? From now on it has. (Another with its hash costs a place in the cache, no
    /// more.)
    fn insert(&mut self, hash: u64) -> bool {
        // A session that sends no query strings takes nothing.
        self.0.resize(MAX_SEEN, 0);
        let place = &mut self.0[(hash >> 32) as usize % MAX_SEEN];
        std::mem::replace(place, hash as u32) == hash as u32
    }
}

struct Entry {
    parsed: Arc<ParsedStatement>,
    /// Since room was made the last time.
    used: bool,
}

impl StatementCache {
    /// The statements of a query string. What is said about it is added to the notices.
    pub fn statements(&mut self, text: &str, notices: &mut Vec<Notice>) -> Result<Vec<Statement>> {
        if !self.cut.read(text) {
            return plain(text, notices);
        }
        if let Some(statement) = self.find(text) {
            notices.extend_from_slice(&statement.parsed.notices);
            return Ok(vec![statement]);
        }
        if !self.seen.insert(self.shapes.hasher().hash_one(self.cut.skeleton())) {
            return plain(text, notices);
        }
        let mut raw = parse_raw(text, notices)?;
        let whole: Arc<str> = text.into();
        if raw.len() != 1 {
            return Ok(wrap(&whole, raw));
        }
        let shape = Shape::of(text, &self.cut, &mut raw);
        let values = values(&shape, text, &self.cut).filter(|_| is_query(&raw[0].stmt) || shape.parameters() == 0);
        // Constants that are parameters in statements which have none are put back by reading the text again.
        let Some(parameters) = values else { return plain(text, &mut Vec::new()) };
        let Some(raw) = raw.pop() else { return Ok(vec![]) };
        let shaped = shape.parameters() > 0;
        let notices = notices.as_slice().into();
        let parsed = Arc::new(ParsedStatement { shaped, notices, ..ParsedStatement::new(whole.clone(), raw) });
        self.keep(text, shape, &parsed);
        Ok(vec![Statement { parsed, text: whole, parameters }])
    }

    fn find(&mut self, text: &str) -> Option<Statement> {
        let shape = self.shapes.get(self.cut.skeleton())?;
        let entry = self.statements.get_mut(&*shape.key(text, &self.cut))?;
        entry.used = true;
        let parameters = values(shape, text, &self.cut)?;
        Some(Statement { parsed: entry.parsed.clone(), text: text.into(), parameters })
    }

    fn keep(&mut self, text: &str, shape: Shape, parsed: &Arc<ParsedStatement>) {
        if self.statements.len() >= MAX_ENTRIES || self.bytes >= MAX_BYTES {
            self.make_room();
        }
        let key: Box<str> = shape.key(text, &self.cut).into();
        self.bytes += key.len();
        self.shapes.insert(self.cut.skeleton().into(), shape);
        self.statements.insert(key, Entry { parsed: parsed.clone(), used: false });
    }

    /// Forgets what was not used since it was called the last time, or else everything.
    fn make_room(&mut self) {
        self.statements.retain(|_, entry| std::mem::take(&mut entry.used));
        self.bytes = self.statements.keys().map(|key| key.len()).sum();
        if self.statements.len() > MAX_ENTRIES / 2 || self.bytes > MAX_BYTES / 2 {
            self.statements.clear();
            self.bytes = 0;
        }
        // No text has a zero byte: it ends the skeleton.
        let kept: HashSet<&str> = self.statements.keys().filter_map(|key| key.split('\0').next()).collect();
        self.shapes.retain(|skeleton, _| kept.contains(&**skeleton));
    }
}

/// Each constant's value; `None`: one is none of its kind.
fn values(shape: &Shape, text: &str, cut: &Cut) -> Option<Vec<Parameter>> {
    let value = |(kind, text): (Kind, std::borrow::Cow<'_, str>)| {
        Some(match kind {
            Kind::Int4 => Parameter { ty: oid::INT4, repr: Repr::Int4, value: Datum::I32(text.parse().ok()?) },
            Kind::Int8 => Parameter { ty: oid::INT8, repr: Repr::Int8, value: Datum::I64(text.parse().ok()?) },
            Kind::Numeric => {
                let value = (base_type(oid::NUMERIC)?.input)(&Context::default(), &text, -1).ok()?;
                Parameter { ty: oid::NUMERIC, repr: Repr::Numeric, value }
            }
            Kind::String => Parameter { ty: oid::UNKNOWN, repr: Repr::Text, value: Datum::text(&*text) },
        })
    };
    shape.values(text, cut).map(value).collect()
}

/// A query string as it is written.
pub(crate) fn plain(text: &str, notices: &mut Vec<Notice>) -> Result<Vec<Statement>> {
    Ok(wrap(&text.into(), parse_raw(text, notices)?))
}

fn wrap(text: &Arc<str>, raw: Vec<syntax::RawStmt>) -> Vec<Statement> {
    let statement = |raw| Statement {
        parsed: Arc::new(ParsedStatement::new(text.clone(), raw)),
        text: text.clone(),
        parameters: vec![],
    };
    raw.into_iter().map(statement).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(cache: &mut StatementCache, text: &str) -> Vec<Statement> {
        cache.statements(text, &mut Vec::new()).unwrap()
    }

    #[test]
    fn constants_are_parameters_of_one_statement() {
        let mut cache = StatementCache::default();
        let once = read(&mut cache, "select a from t where b = 3 and c = 'y'").remove(0);
        assert!(once.parameters.is_empty() && cache.statements.is_empty(), "it may never come again");
        let first = read(&mut cache, "select a from t where b = 1 and c = 'x'").remove(0);
        let second = read(&mut cache, "select a from t where b = -20 and c = 'it''s'").remove(0);
        assert!(!Arc::ptr_eq(&first.parsed, &second.parsed), "a minus is part of the skeleton");
        let third = read(&mut cache, "select a from t where b = 20 and c = 'it''s'").remove(0);
        assert!(Arc::ptr_eq(&first.parsed, &third.parsed));
        let values: Vec<_> = third.parameters.iter().map(|parameter| parameter.value.clone()).collect();
        assert_eq!(values, [Datum::I32(20), Datum::text("it's")]);
        assert_eq!(&*third.text, "select a from t where b = 20 and c = 'it''s'");
    }

    #[test]
    fn commands_keep_their_constants() {
        let mut cache = StatementCache::default();
        for text in ["set work_mem = 1", "begin", "create table t (a numeric(10,2) default 5)", "select 1; select 2"] {
            for _ in 0..2 {
                let statements = read(&mut cache, text);
                assert!(statements.iter().all(|statement| statement.parameters.is_empty()), "{text}");
            }
        }
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let mut cache = StatementCache::default();
        for number in 0..10000 {
            read(&mut cache, &format!("select {number} as c{}", number / 2));
            assert!(!cache.statements.is_empty() || number == 0);
            assert!(cache.statements.len() <= MAX_ENTRIES && cache.shapes.len() <= MAX_ENTRIES);
        }
    }

    #[test]
    fn what_is_said_about_a_text_is_said_again() {
        let mut cache = StatementCache::default();
        let text = format!("select 1 as {}", "x".repeat(70));
        for _ in 0..4 {
            let mut notices = Vec::new();
            cache.statements(&text, &mut notices).unwrap();
            assert_eq!(notices.iter().map(|notice| notice.error.code).collect::<Vec<_>>(), ["42622"]);
        }
        assert_eq!(cache.statements.len(), 1);
    }
}
