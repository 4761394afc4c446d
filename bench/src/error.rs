//! What goes wrong, in the user's words.

use std::fmt;

#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Asked for something there is not.
    #[error("{0}")]
    Usage(String),
    /// This machine cannot do it.
    #[error("{0}")]
    Missing(String),
    #[error("{what}: {source}")]
    Io { what: String, source: std::io::Error },
    /// A program we started did not do as it should.
    #[error("{0}")]
    Program(String),
    #[error("interrupted")]
    Interrupted,
}

pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    pub fn usage(message: impl fmt::Display) -> Error {
        Error::Usage(message.to_string())
    }

    pub fn missing(message: impl fmt::Display) -> Error {
        Error::Missing(message.to_string())
    }

    pub fn program(message: impl fmt::Display) -> Error {
        Error::Program(message.to_string())
    }
}

/// Says what was being done when an I/O error came.
pub trait Context<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Context<T> for std::io::Result<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|source| Error::Io { what: what(), source })
    }
}
