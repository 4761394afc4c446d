//! The error every layer above shows to the user: PostgreSQL's code, message, detail and hint.

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
    pub context: Option<String>,
    /// Characters from the start of the statement, from 1.
    pub position: Option<u32>,
}

impl EngineError {
    pub fn new(code: &'static str, message: impl Into<String>) -> EngineError {
        EngineError { code, message: message.into(), detail: None, hint: None, context: None, position: None }
    }

    pub fn unsupported(what: impl std::fmt::Display) -> EngineError {
        EngineError::new("0A000", format!("{what} is not supported yet"))
    }

    pub fn detail(mut self, detail: impl Into<String>) -> EngineError {
        self.detail = Some(detail.into());
        self
    }

    pub fn context(mut self, context: impl Into<String>) -> EngineError {
        self.context = Some(context.into());
        self
    }

    pub fn hint(mut self, hint: impl Into<String>) -> EngineError {
        self.hint = Some(hint.into());
        self
    }
}

impl From<storage::StorageError> for EngineError {
    fn from(e: storage::StorageError) -> EngineError {
        EngineError::new(e.sqlstate(), e.to_string())
    }
}

impl From<access::AccessError> for EngineError {
    fn from(e: access::AccessError) -> EngineError {
        EngineError::new(e.sqlstate(), e.to_string())
    }
}

impl From<wal::LogError> for EngineError {
    fn from(e: wal::LogError) -> EngineError {
        access::AccessError::Log(e).into()
    }
}
