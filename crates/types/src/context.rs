//! What functions may ask of the session that calls them.

/// The session's state, as it is for one statement.
#[derive(Clone, Debug, Default)]
pub struct Context {
    /// When the transaction began, in microseconds since 1970 (UTC): `now()`.
    pub transaction_start: i64,
    /// When the statement came, in the same unit.
    pub statement_start: i64,
}
