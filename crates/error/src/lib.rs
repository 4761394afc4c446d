//! The error that every layer shows to the user: PostgreSQL's code, message, detail and hint. The lowest crate: it knows
//! nothing, and layers whose errors are of their own kind say in their own crates what these are here (`From`).
//!
//! `types::Error` stays apart. It is one pointer, for the results of functions that are called for each value, and says
//! where in the text it is in bytes; this one says it in characters, as the protocol does, and has the names that drivers ask
//! for. It becomes this one where a statement ends.

pub mod sqlstate;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// SQLSTATE.
    pub code: &'static str,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// Where it happened: `COPY t, line 3`.
    pub context: Option<Box<str>>,
    /// Characters from the start of the statement, from 1.
    pub position: Option<u32>,
    pub about: Option<Box<About>>,
}

/// The object that an error is about: drivers hand these names to programs. Empty: it is about none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    pub schema: String,
    pub table: String,
    pub column: Option<String>,
    pub constraint: Option<String>,
    /// PostgreSQL's function that reports it, where drivers tell errors apart by that.
    pub routine: Option<&'static str>,
    /// The row, of those that were to be put into a table together, from 0.
    pub row: Option<usize>,
}

impl Error {
    pub fn new(code: &'static str, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), detail: None, hint: None, context: None, position: None, about: None }
    }

    pub fn unsupported(what: impl std::fmt::Display) -> Error {
        Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{what} is not supported yet"))
    }

    pub fn detail(mut self, detail: impl Into<String>) -> Error {
        self.detail = Some(detail.into());
        self
    }

    pub fn context(mut self, context: impl Into<Box<str>>) -> Error {
        self.context = Some(context.into());
        self
    }

    /// It is about a column of a table.
    pub fn column(mut self, schema: &str, table: &str, column: &str) -> Error {
        let column = Some(column.to_string());
        self.about = Some(Box::new(About { column, ..About::table(schema, table) }));
        self
    }

    /// It is about a constraint of a table.
    pub fn constraint(mut self, schema: &str, table: &str, constraint: &str) -> Error {
        let constraint = Some(constraint.to_string());
        self.about = Some(Box::new(About { constraint, ..About::table(schema, table) }));
        self
    }

    /// Drivers know it by PostgreSQL's function that reports it.
    pub fn routine(mut self, routine: &'static str) -> Error {
        self.about.get_or_insert_default().routine = Some(routine);
        self
    }

    /// It is about this row.
    pub fn at_row(mut self, row: usize) -> Error {
        self.about.get_or_insert_default().row = Some(row);
        self
    }

    pub fn row(&self) -> Option<usize> {
        self.about.as_ref()?.row
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
}

impl About {
    fn table(schema: &str, table: &str) -> About {
        About { schema: schema.into(), table: table.into(), ..About::default() }
    }
}
