//! What goes wrong while a statement runs: a function's error, or the engine's.

use ::error::sqlstate;
use engine::EngineError;

pub type Result<T> = std::result::Result<T, Error>;

#[derive(Clone, Debug, thiserror::Error)]
pub enum Error {
    /// Raised by types, expressions and nodes.
    #[error(transparent)]
    Report(#[from] types::Error),
    /// Raised by the engine.
    #[error("{0}")]
    Engine(Box<EngineError>),
}

impl Error {
    pub fn new(code: &'static str, message: impl Into<String>) -> Error {
        types::Error::new(code, message).into()
    }

    pub fn unsupported(what: impl std::fmt::Display) -> Error {
        types::Error::unsupported(what).into()
    }

    /// What should not happen.
    pub fn internal(what: impl std::fmt::Display) -> Error {
        Error::new(sqlstate::INTERNAL_ERROR, what.to_string())
    }

    /// SQLSTATE.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Report(report) => report.0.code,
            Error::Engine(error) => error.code,
        }
    }
}

impl From<EngineError> for Error {
    fn from(error: EngineError) -> Error {
        Error::Engine(Box::new(error))
    }
}

impl From<access::AccessError> for Error {
    fn from(error: access::AccessError) -> Error {
        EngineError::from(error).into()
    }
}

impl From<arrow_schema::ArrowError> for Error {
    /// Columns have the types that they were compiled for; what is left is columns of more than 2 GB.
    fn from(error: arrow_schema::ArrowError) -> Error {
        match error {
            arrow_schema::ArrowError::OffsetOverflowError(_) => Error::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                "the values of a column are too large to be handled together",
            ),
            arrow_schema::ArrowError::IoError(_, error) => io_error(&error),
            other => Error::internal(other),
        }
    }
}

impl From<datafusion_common::DataFusionError> for Error {
    fn from(error: datafusion_common::DataFusionError) -> Error {
        use datafusion_common::DataFusionError;
        match error.find_root() {
            DataFusionError::ResourcesExhausted(reason) => {
                types::Error::new(sqlstate::OUT_OF_MEMORY, "out of memory").detail(reason.clone()).into()
            }
            DataFusionError::External(other) => match other.downcast_ref::<Error>() {
                Some(own) => own.clone(),
                None => Error::internal(other),
            },
            DataFusionError::IoError(error) => io_error(error),
            DataFusionError::ArrowError(error, _) if let arrow_schema::ArrowError::IoError(_, error) = &**error => {
                io_error(error)
            }
            other => Error::internal(other),
        }
    }
}

/// What does not fit in memory could not be written or read.
fn io_error(error: &std::io::Error) -> Error {
    use datafusion_common::DataFusionError;
    // Those of its files come in errors of DataFusion's.
    let within = error.get_ref().and_then(|inner| inner.downcast_ref::<DataFusionError>());
    if let Some(DataFusionError::IoError(error)) = within.map(DataFusionError::find_root) {
        return io_error(error);
    }
    if let Some(own) = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        return own.clone();
    }
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            Error::new(sqlstate::DISK_FULL, format!("could not write to a temporary file: {error}"))
        }
        _ => {
            let code = if aio::descriptors::is_out_of_files(error) {
                sqlstate::INSUFFICIENT_RESOURCES
            } else {
                sqlstate::IO_ERROR
            };
            Error::new(code, format!("could not access a temporary file: {error}"))
        }
    }
}

impl From<Error> for datafusion_common::DataFusionError {
    fn from(error: Error) -> datafusion_common::DataFusionError {
        datafusion_common::DataFusionError::External(Box::new(error))
    }
}
