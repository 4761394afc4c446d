//! The error, under the name it has in this crate.

pub use error::{Error as EngineError, Result};
