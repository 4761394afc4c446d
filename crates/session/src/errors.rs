//! Errors of functions, of analysis and of plans, as the engine's, which clients are told.

use engine::EngineError;

/// As the client is told; `text` is the query string, which the error's place is in.
pub fn reported(error: types::Error, text: &str) -> EngineError {
    let report = *error.0;
    let mut told = EngineError::new(report.code, report.message);
    told.detail = report.detail;
    told.hint = report.hint;
    let before = report.location.map(|at| text.get(..at).map_or(at, |before| before.chars().count()));
    told.position = before.map(|characters| characters as u32 + 1);
    told
}

pub fn raised(error: executor::Error, text: &str) -> EngineError {
    match error {
        executor::Error::Report(report) => reported(report, text),
        executor::Error::Engine(error) => *error,
    }
}

/// As functions raise errors.
pub fn report(error: EngineError) -> types::Error {
    let mut report = types::Error::new(error.code, error.message);
    report.0.detail = error.detail;
    report.0.hint = error.hint;
    report
}

/// An error about what stands at a place of the query string, where the grammar says one.
pub fn at(error: EngineError, text: &str, location: syntax::ParseLoc) -> EngineError {
    let before = usize::try_from(location).ok().and_then(|at| text.get(..at));
    let position = before.map(|before| before.chars().count() as u32 + 1).or(error.position);
    EngineError { position, ..error }
}
