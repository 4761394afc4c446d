//! What the parser reports: the error that a text is, and notices on the way.

use std::fmt;

use error::sqlstate;

/// An error with PostgreSQL's words, or a notice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Five characters: 42601 for most errors, 54001 for statements that are too deep, …
    pub sqlstate: [u8; 5],
    pub message: Box<str>,
    pub detail: Option<Box<str>>,
    pub hint: Option<Box<str>>,
    /// Where in the text, in characters from 1, as the wire's field `P` has it.
    pub position: Option<u32>,
}

impl Report {
    /// The code as text, `42601`.
    pub fn sqlstate(&self) -> &str {
        std::str::from_utf8(&self.sqlstate).unwrap_or(sqlstate::INTERNAL_ERROR)
    }
}

/// Why a text is no statement.
pub type SyntaxError = Report;

/// What PostgreSQL says while it parses: `identifier "…" will be truncated to "…"`, `GLOBAL is deprecated in temporary
/// table creation`, `nonstandard use of \\ in a string literal`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub severity: Severity,
    pub report: Report,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Notice,
    Warning,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}
