//! A query string cut into statements (`pg_parse_query`).

use std::fmt;
use std::sync::{Arc, OnceLock};

use engine::{EngineError, Result};
use error::sqlstate;
use parking_lot::Mutex;
use syntax::RawStmt;
use syntax::nodes::Node;
use types::datetime::{DateOrder, DateStyle, IntervalStyle, Zone};
use types::{Context, Oid};

use crate::plan_cache::CachedPlanSource;
use crate::session::notice::Notice;

/// From now on the trees of long statements take no more memory than there is.
pub fn bound_trees() {
    syntax::limit_memory(engine::memory::left);
}

/// A statement as the grammar has read it, and what was made of it.
pub struct ParsedStatement {
    /// The whole query string: positions are in it.
    pub text: Arc<str>,
    pub raw: RawStmt,
    /// What was said about the query string when it was read; it is said each time that the string comes.
    pub(crate) notices: Box<[Notice]>,
    /// Constants have become parameters in it ([`syntax::shape`]).
    pub(crate) shaped: bool,
    /// Of a statement that is prepared, how its constants are read each time that it is understood anew.
    pub(crate) constants: OnceLock<ReadConstants>,
    /// What it means, for the types of parameters that the client declared.
    pub(crate) source: Mutex<Option<(Vec<Oid>, Arc<CachedPlanSource>)>>,
}

impl ParsedStatement {
    pub fn new(text: Arc<str>, raw: RawStmt) -> ParsedStatement {
        let (notices, constants, source) = (Box::default(), OnceLock::new(), Mutex::default());
        ParsedStatement { text, raw, notices, shaped: false, constants, source }
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

/// All statements of a query string; nothing is run if one of them is wrong. What is said about it is added to the notices.
pub(crate) fn parse_raw(text: &str, notices: &mut Vec<Notice>) -> Result<Vec<RawStmt>> {
    let parsed = syntax::parse_with(text, syntax::RawParseMode::Default, syntax::Settings::default());
    notices.extend(parsed.notices.into_iter().map(|notice| {
        let severity = match notice.severity {
            syntax::Severity::Notice => "NOTICE",
            syntax::Severity::Warning => "WARNING",
        };
        Notice { severity, error: reported(notice.report) }
    }));
    parsed.statements.map_err(reported)
}

fn reported(report: syntax::Report) -> EngineError {
    let mut error = EngineError::new(code(report.sqlstate()), report.message);
    error.detail = report.detail.map(String::from);
    error.hint = report.hint.map(String::from);
    error.position = report.position;
    error
}

/// The codes that the grammar and the scanner raise, or tell.
fn code(sqlstate: &str) -> &'static str {
    const CODES: &[&str] = &[
        sqlstate::SUCCESSFUL_COMPLETION,
        sqlstate::WARNING,
        sqlstate::FEATURE_NOT_SUPPORTED,
        sqlstate::CHARACTER_NOT_IN_REPERTOIRE,
        sqlstate::INVALID_PARAMETER_VALUE,
        sqlstate::INVALID_ESCAPE_SEQUENCE,
        sqlstate::UNTRANSLATABLE_CHARACTER,
        sqlstate::NONSTANDARD_USE_OF_ESCAPE_CHARACTER,
        sqlstate::SYNTAX_ERROR,
        sqlstate::INVALID_NAME,
        sqlstate::INVALID_COLUMN_DEFINITION,
        sqlstate::NAME_TOO_LONG,
        sqlstate::RESERVED_NAME,
        sqlstate::INVALID_COLUMN_REFERENCE,
        sqlstate::INVALID_FUNCTION_DEFINITION,
        sqlstate::INVALID_OBJECT_DEFINITION,
        sqlstate::WINDOWING_ERROR,
        sqlstate::OUT_OF_MEMORY,
        sqlstate::STATEMENT_TOO_COMPLEX,
    ];
    CODES.iter().find(|code| **code == sqlstate).copied().unwrap_or(sqlstate::SYNTAX_ERROR)
}

/// Is it planned (or else a command)?
pub fn is_query(node: &Node) -> bool {
    match node {
        Node::SelectStmt(select) => !analyze::has_into(select),
        Node::InsertStmt(_) | Node::UpdateStmt(_) | Node::DeleteStmt(_) | Node::MergeStmt(_) => true,
        _ => false,
    }
}
