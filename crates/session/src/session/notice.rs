//! What a client is told beside answers and errors.

use engine::EngineError;

/// A message that is no error.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub severity: &'static str,
    pub error: EngineError,
}
