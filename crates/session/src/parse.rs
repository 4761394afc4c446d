//! A query string cut into statements (`pg_parse_query`).

use std::fmt;
use std::sync::{Arc, OnceLock};

use engine::{EngineError, Result};
use parking_lot::Mutex;
use syntax::RawStmt;
use syntax::nodes::Node;
use types::datetime::{DateOrder, DateStyle, IntervalStyle, Zone};
use types::{Context, Oid};

use crate::plan_cache::CachedPlanSource;

/// From now on the trees of long statements take no more memory than there is.
pub fn bound_trees() {
    syntax::limit_memory(engine::memory::left);
}

/// A statement as the grammar has read it, and what was made of it.
pub struct ParsedStatement {
    /// The whole query string: positions are in it.
    pub text: Arc<str>,
    pub raw: RawStmt,
    /// Constants have become parameters in it ([`syntax::shape`]).
    pub(crate) shaped: bool,
    /// Of a statement that is prepared, how its constants are read each time that it is understood anew.
    pub(crate) constants: OnceLock<ReadConstants>,
    /// What it means, for the types of parameters that the client declared.
    pub(crate) source: Mutex<Option<(Vec<Oid>, Arc<CachedPlanSource>)>>,
}

impl ParsedStatement {
    pub fn new(text: Arc<str>, raw: RawStmt) -> ParsedStatement {
        ParsedStatement { text, raw, shaped: false, constants: OnceLock::new(), source: Mutex::default() }
    }

    /// It is prepared with `context`: what its constants mean stays so, whatever is set afterwards, and when.
    pub(crate) fn keep_constants(&self, context: &Context) {
        self.constants.get_or_init(|| ReadConstants {
            transaction_start: context.transaction_start,
            statement_start: context.statement_start,
            zone: context.zone.clone(),
            date_style: context.date_style,
            date_order: context.date_order,
            interval_style: context.interval_style,
        });
    }

    /// With what its constants are to be read, where everything else is read with `context`.
    pub(crate) fn reading(&self, context: Context) -> Context {
        let Some(kept) = self.constants.get() else { return context };
        Context {
            transaction_start: kept.transaction_start,
            statement_start: kept.statement_start,
            zone: kept.zone.clone(),
            date_style: kept.date_style,
            date_order: kept.date_order,
            interval_style: kept.interval_style,
            ..context
        }
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

/// What the texts of constants are read with ([`Context`]).
pub(crate) struct ReadConstants {
    transaction_start: i64,
    statement_start: i64,
    zone: Zone,
    date_style: DateStyle,
    date_order: DateOrder,
    interval_style: IntervalStyle,
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
