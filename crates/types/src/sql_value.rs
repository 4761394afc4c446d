//! What SQL writes without parentheses: `CURRENT_DATE`, `CURRENT_USER` and their like. Times are those of the transaction's
//! start. `typmod` is the number of digits of a second, -1 for all.

use crate::context::Context;
use crate::datetime::values::{EPOCH_MICROS, round};
use crate::datetime::{TimeTz, casts};
use crate::error::Result;

/// Days since 1970.
pub fn current_date(context: &Context) -> i32 {
    casts::date_at(context, context.transaction_start)
}

pub fn current_time(context: &Context, typmod: i32) -> TimeTz {
    let clock = casts::clock(context, context.transaction_start);
    TimeTz { micros: casts::rounded_time(clock.micros, typmod), ..clock }
}

/// Microseconds since 1970 (UTC).
pub fn current_timestamp(context: &Context, typmod: i32) -> i64 {
    rounded(context.transaction_start, typmod)
}

/// Microseconds of the day.
pub fn local_time(context: &Context, typmod: i32) -> i64 {
    casts::rounded_time(casts::clock(context, context.transaction_start).micros, typmod)
}

/// Microseconds since 1970, as the session's clocks show them.
pub fn local_timestamp(context: &Context, typmod: i32) -> Result<i64> {
    Ok(rounded(casts::to_local(context, context.transaction_start)?, typmod))
}

fn rounded(micros: i64, typmod: i32) -> i64 {
    if typmod < 0 { micros } else { round(micros, typmod, EPOCH_MICROS) }
}

/// `CURRENT_USER`, `USER` and `CURRENT_ROLE`.
pub fn current_user(context: &Context) -> Result<String> {
    context.session.current_user()
}

pub fn session_user(context: &Context) -> Result<String> {
    context.session.session_user()
}

/// The database's name.
pub fn current_catalog(context: &Context) -> Result<String> {
    context.session.database()
}

/// The first schema of the search path that is there; `None` if none is.
pub fn current_schema(context: &Context) -> Result<Option<String>> {
    Ok(context.session.search_path(false)?.into_iter().next())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datetime::Zone;

    #[test]
    fn times_are_the_sessions() {
        // 2026-11-23 23:30:00.123456 UTC is the next day in Berlin.
        let start = 1_795_476_600_123_456;
        let zone = Zone::named("Europe/Berlin").unwrap();
        let context = Context { transaction_start: start, zone, ..Context::default() };
        assert_eq!(current_date(&context), 20_781);
        assert_eq!(current_timestamp(&context, 3), start - 456);
        assert_eq!(local_time(&context, -1), 30 * 60_000_000 + 123_456);
        assert_eq!(current_time(&context, 0), TimeTz { micros: 30 * 60_000_000, west: -3600 });
        assert_eq!(local_timestamp(&context, 6).unwrap(), start + 3_600_000_000);
    }
}
