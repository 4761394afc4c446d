//! What functions may ask of the session that calls them.

use std::sync::Arc;

use crate::datetime::{DateOrder, DateStyle, IntervalStyle, Zone};
use crate::names::{Names, NoNames};
use crate::session::{NoSession, Session};

/// The session's state, as it is for one statement.
#[derive(Clone, Debug)]
pub struct Context {
    /// When the transaction began, in microseconds since 1970 (UTC): `now()`.
    pub transaction_start: i64,
    /// When the statement came, in the same unit.
    pub statement_start: i64,
    /// TimeZone.
    pub zone: Zone,
    /// How dates and times are written: the first word of DateStyle.
    pub date_style: DateStyle,
    /// How dates are read: the second word of DateStyle.
    pub date_order: DateOrder,
    /// IntervalStyle.
    pub interval_style: IntervalStyle,
    /// Digits that the texts of floating-point numbers have beyond those that are exact: -15 to 0; above 0, as many as it
    /// takes to read the number again (the setting of this name).
    pub extra_float_digits: i32,
    /// bytea_output is `escape` and not `hex`.
    pub bytea_escape: bool,
    /// The catalog, as the statement sees it.
    pub names: Arc<dyn Names>,
    /// The session itself.
    pub session: Arc<dyn Session>,
}

impl Default for Context {
    fn default() -> Context {
        Context {
            transaction_start: 0,
            statement_start: 0,
            zone: Zone::utc(),
            date_style: DateStyle::default(),
            date_order: DateOrder::default(),
            interval_style: IntervalStyle::default(),
            extra_float_digits: 1,
            bytea_escape: false,
            names: Arc::new(NoNames),
            session: Arc::new(NoSession),
        }
    }
}
