//! The error every layer above shows to the user: PostgreSQL's code, message, detail and hint.

use crate::catalog::TableDef;

pub type Result<T> = std::result::Result<T, EngineError>;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EngineError {
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

impl EngineError {
    pub fn new(code: &'static str, message: impl Into<String>) -> EngineError {
        EngineError {
            code,
            message: message.into(),
            detail: None,
            hint: None,
            context: None,
            position: None,
            about: None,
        }
    }

    pub fn unsupported(what: impl std::fmt::Display) -> EngineError {
        EngineError::new("0A000", format!("{what} is not supported yet"))
    }

    pub fn detail(mut self, detail: impl Into<String>) -> EngineError {
        self.detail = Some(detail.into());
        self
    }

    pub fn context(mut self, context: impl Into<Box<str>>) -> EngineError {
        self.context = Some(context.into());
        self
    }

    /// It is about a column of a table.
    pub fn column(mut self, table: &TableDef, column: &str) -> EngineError {
        let column = Some(column.to_string());
        self.about = Some(Box::new(About { column, ..About::of(table) }));
        self
    }

    /// It is about a constraint of a table.
    pub fn constraint(mut self, table: &TableDef, constraint: &str) -> EngineError {
        let constraint = Some(constraint.to_string());
        self.about = Some(Box::new(About { constraint, ..About::of(table) }));
        self
    }

    /// Drivers know it by PostgreSQL's function that reports it.
    pub fn routine(mut self, routine: &'static str) -> EngineError {
        self.about.get_or_insert_default().routine = Some(routine);
        self
    }

    /// It is about this row.
    pub fn at_row(mut self, row: usize) -> EngineError {
        self.about.get_or_insert_default().row = Some(row);
        self
    }

    pub fn row(&self) -> Option<usize> {
        self.about.as_ref()?.row
    }

    pub fn hint(mut self, hint: impl Into<String>) -> EngineError {
        self.hint = Some(hint.into());
        self
    }
}

impl About {
    fn of(table: &TableDef) -> About {
        About { schema: table.schema.clone(), table: table.name.clone(), ..About::default() }
    }
}

impl From<types::Error> for EngineError {
    fn from(e: types::Error) -> EngineError {
        let types::error::Report { code, message, detail, hint, .. } = *e.0;
        EngineError { detail, hint, ..EngineError::new(code, message) }
    }
}

impl From<storage::StorageError> for EngineError {
    fn from(e: storage::StorageError) -> EngineError {
        EngineError::new(e.sqlstate(), e.to_string())
    }
}

impl From<access::AccessError> for EngineError {
    fn from(e: access::AccessError) -> EngineError {
        let error = EngineError::new(e.sqlstate(), e.to_string());
        match e {
            access::AccessError::NoRoom { size } => error.detail(format!("Failed on request of size {size}.")),
            _ => error,
        }
    }
}

impl From<wal::LogError> for EngineError {
    fn from(e: wal::LogError) -> EngineError {
        access::AccessError::Log(e).into()
    }
}
