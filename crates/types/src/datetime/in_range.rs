//! `in_range` of dates and times: whether a value is within a window frame that goes as far as an interval from another.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::arithmetic::{minus, minus_in, plus, plus_in};
use super::casts::date_to_timestamp;
use super::interval::Interval;
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    in_range(date, date, interval, boolean, boolean) -> boolean = |value, base, offset, before, less| {
        of_timestamps(date_to_timestamp(value)?, date_to_timestamp(base)?, offset, before, less)
    };
    in_range(timestamp, timestamp, interval, boolean, boolean) -> boolean = of_timestamps;
    in_range[c](timestamptz, timestamptz, interval, boolean, boolean) -> boolean = of_instants;
    in_range(interval, interval, interval, boolean, boolean) -> boolean = of_intervals;
    in_range(time, time, interval, boolean, boolean) -> boolean = of_times;
    in_range(timetz, timetz, interval, boolean, boolean) -> boolean = of_times_with_zones;
};

fn invalid() -> Error {
    Error::new(sqlstate::INVALID_PRECEDING_OR_FOLLOWING_SIZE, "invalid preceding or following size in window function")
}

fn within<T: Ord>(value: T, limit: T, less: bool) -> bool {
    if less { value <= limit } else { value >= limit }
}

/// Whether an offset goes from one infinity as far as the other: all values are taken to be within.
fn is_everything(base: i64, offset: Interval, before: bool) -> bool {
    offset == Interval::INFINITY && base == if before { INFINITY } else { MINUS_INFINITY }
}

fn of_timestamps(value: i64, base: i64, offset: Interval, before: bool, less: bool) -> Result<bool> {
    if offset.span() < 0 {
        return Err(invalid());
    }
    if is_everything(base, offset, before) {
        return Ok(true);
    }
    let limit = if before { minus(base, offset) } else { plus(base, offset) }?;
    Ok(within(value, limit, less))
}

fn of_instants(c: &Context, value: i64, base: i64, offset: Interval, before: bool, less: bool) -> Result<bool> {
    if offset.span() < 0 {
        return Err(invalid());
    }
    if is_everything(base, offset, before) {
        return Ok(true);
    }
    let limit = if before { minus_in(base, offset, &c.zone) } else { plus_in(base, offset, &c.zone) }?;
    Ok(within(value, limit, less))
}

fn of_intervals(value: Interval, base: Interval, offset: Interval, before: bool, less: bool) -> Result<bool> {
    if offset.span() < 0 {
        return Err(invalid());
    }
    let far = if before { Interval::INFINITY } else { Interval::MINUS_INFINITY };
    if offset == Interval::INFINITY && base == far {
        return Ok(true);
    }
    let limit = if before { base.minus(offset) } else { base.plus(offset) }?;
    Ok(within(value.span(), limit.span(), less))
}

/// What does not fit is later than all times.
fn time_limit(base: i64, offset: Interval, before: bool) -> Result<Option<i64>> {
    if offset.micros < 0 {
        return Err(invalid());
    }
    Ok(if before { base.checked_sub(offset.micros) } else { base.checked_add(offset.micros) })
}

fn of_times(value: i64, base: i64, offset: Interval, before: bool, less: bool) -> Result<bool> {
    Ok(time_limit(base, offset, before)?.map_or(less, |limit| within(value, limit, less)))
}

fn of_times_with_zones(value: TimeTz, base: TimeTz, offset: Interval, before: bool, less: bool) -> Result<bool> {
    let limit = time_limit(base.micros, offset, before)?;
    Ok(limit.map_or(less, |micros| within(value.rank(), TimeTz { micros, ..base }.rank(), less)))
}
