//! Errors of functions and of representations: what PostgreSQL's `ereport(ERROR, …)` says.

use error::sqlstate;

pub type Result<T> = std::result::Result<T, Error>;

/// An error for the user. Boxed: it is rare, and results that carry it stay small.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.message)]
pub struct Error(pub Box<Report>);

/// What is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// SQLSTATE.
    pub code: &'static str,
    pub message: String,
    pub detail: Option<String>,
    pub hint: Option<String>,
    /// Bytes from the start of the statement's text to what it is about.
    pub location: Option<usize>,
}

impl Error {
    pub fn new(code: &'static str, message: impl Into<String>) -> Error {
        let message = message.into();
        Error(Box::new(Report { code, message, detail: None, hint: None, location: None }))
    }

    /// What PostgreSQL knows and we do not yet.
    pub fn unsupported(what: impl std::fmt::Display) -> Error {
        Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{what} is not supported yet"))
    }

    /// `text` is no value of the type called `name`.
    pub fn invalid_input(name: &str, text: &str) -> Error {
        Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, format!("invalid input syntax for type {name}: \"{text}\""))
    }

    /// The result is no value of the type called `name`: `integer out of range`.
    pub fn out_of_range(name: &str) -> Error {
        Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, format!("{name} out of range"))
    }

    pub fn division_by_zero() -> Error {
        Error::new(sqlstate::DIVISION_BY_ZERO, "division by zero")
    }

    pub fn detail(mut self, detail: impl Into<String>) -> Error {
        self.0.detail = Some(detail.into());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.0.hint = Some(hint.into());
        self
    }

    /// Where it is, unless something nearer has said so already.
    pub fn at(mut self, location: usize) -> Error {
        self.0.location.get_or_insert(location);
        self
    }
}

impl From<Error> for error::Error {
    fn from(e: Error) -> error::Error {
        let Report { code, message, detail, hint, .. } = *e.0;
        error::Error { detail, hint, ..error::Error::new(code, message) }
    }
}
