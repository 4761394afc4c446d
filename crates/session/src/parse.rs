//! A query string cut into statements (`pg_parse_query`).

use std::fmt;
use std::sync::Arc;

use engine::{EngineError, Result};
use parking_lot::Mutex;
use syntax::RawStmt;
use syntax::nodes::Node;
use types::Oid;

use crate::plan_cache::CachedPlanSource;

/// A statement as the grammar has read it, and what was made of it.
pub struct ParsedStatement {
    /// The whole query string: positions are in it.
    pub text: Arc<str>,
    pub raw: RawStmt,
    /// Constants have become parameters in it ([`syntax::shape`]).
    pub(crate) shaped: bool,
    /// What it means, for the types of parameters that the client declared.
    pub(crate) source: Mutex<Option<(Vec<Oid>, Arc<CachedPlanSource>)>>,
}

impl ParsedStatement {
    pub fn new(text: Arc<str>, raw: RawStmt) -> ParsedStatement {
        ParsedStatement { text, raw, shaped: false, source: Mutex::default() }
    }

    /// What it is.
    pub fn node(&self) -> &Node {
        &self.raw.stmt
    }

    /// Its own part of the query string.
    pub fn own_text(&self) -> &str {
        let from = usize::try_from(self.raw.stmt_location).unwrap_or(0);
        let to = usize::try_from(self.raw.stmt_len).ok().filter(|&length| length > 0);
        self.text[from..to.map_or(self.text.len(), |length| from + length)].trim()
    }
}

impl fmt::Debug for ParsedStatement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.own_text())
    }
}

/// All statements of a query string; nothing is run if one of them is wrong.
pub(crate) fn parse_raw(text: &str) -> Result<Vec<RawStmt>> {
    syntax::parse(text).map_err(syntax_error)
}

/// The same, for a statement that is prepared or run in pieces.
pub fn parse(text: &str) -> Result<Vec<Arc<ParsedStatement>>> {
    let whole: Arc<str> = text.into();
    Ok(parse_raw(text)?.into_iter().map(|raw| Arc::new(ParsedStatement::new(whole.clone(), raw))).collect())
}

fn syntax_error(report: syntax::Report) -> EngineError {
    let mut error = EngineError::new(code(report.sqlstate()), report.message);
    error.detail = report.detail.map(String::from);
    error.hint = report.hint.map(String::from);
    error.position = report.position;
    error
}

/// The codes that the grammar and the scanner raise.
fn code(sqlstate: &str) -> &'static str {
    const CODES: &[&str] = &[
        "0A000", "22021", "22023", "22025", "22P05", "22P06", "42601", "42602", "42611", "42622", "42939", "42P10",
        "42P13", "42P17", "42P20", "53200", "54001",
    ];
    CODES.iter().find(|code| **code == sqlstate).copied().unwrap_or("42601")
}
