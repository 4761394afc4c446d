//! Casts among dates and times, to their type modifiers too. What has no zone is in the session's.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::input::rounded;
use super::interval::Interval;
use super::local::Local;
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    date(timestamp) -> date = |micros| Result::Ok(day(micros, Local::of(micros)));
    date[c](timestamptz) -> date = |c: &Context, utc| Result::Ok(day(utc, Local::at(utc, &c.zone)));
    time(timestamp) -> Option<time> = |micros| Result::Ok((!is_infinite(micros)).then(|| Local::of(micros).micros));
    time[c](timestamptz) -> Option<time> =
        |c: &Context, utc| Result::Ok((!is_infinite(utc)).then(|| Local::at(utc, &c.zone).micros));
    time(interval) -> time = interval_to_time;
    time(timetz) -> time = |clock: TimeTz| Result::Ok(clock.micros);
    time(time, int4) -> time = |micros, typmod: i32| Result::Ok(rounded_time(micros, typmod));
    timetz[c](time) -> timetz = |c, micros| Result::Ok(time_to_timetz(c, micros));
    timetz[c](timestamptz) -> Option<timetz> = |c, utc| Result::Ok((!is_infinite(utc)).then(|| clock(c, utc)));
    timetz(timetz, int4) -> timetz =
        |clock: TimeTz, typmod| Result::Ok(TimeTz { micros: rounded_time(clock.micros, typmod), ..clock });
    timestamp(date) -> timestamp = date_to_timestamp;
    timestamp(date, time) -> timestamp = date_and_time;
    timestamp[c](timestamptz) -> timestamp = to_local;
    timestamp(timestamp, int4) -> timestamp = rounded;
    timestamptz[c](date) -> timestamptz = date_to_timestamptz;
    timestamptz[c](date, time) -> timestamptz = |c, days, micros| from_local(c, date_and_time(days, micros)?);
    timestamptz(date, timetz) -> timestamptz = date_and_timetz;
    timestamptz[c](timestamp) -> timestamptz = from_local;
    timestamptz(timestamptz, int4) -> timestamptz = rounded;
};

fn date_out_of_range_for_timestamp() -> Error {
    Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "date out of range for timestamp")
}

fn day(micros: i64, local: Local) -> i32 {
    match micros {
        INFINITY => DATE_INFINITY,
        MINUS_INFINITY => DATE_MINUS_INFINITY,
        _ => local.days as i32,
    }
}

/// The day that the session's calendars show at an instant.
pub fn date_at(context: &Context, utc: i64) -> i32 {
    day(utc, Local::at(utc, &context.zone))
}

fn infinite(days: i32) -> Option<i64> {
    match days {
        DATE_INFINITY => Some(INFINITY),
        DATE_MINUS_INFINITY => Some(MINUS_INFINITY),
        _ => None,
    }
}

/// A date's midnight.
pub fn date_to_timestamp(days: i32) -> Result<i64> {
    match infinite(days) {
        Some(infinite) => Ok(infinite),
        None => timestamp_or(Local { days: days.into(), micros: 0 }.total(), date_out_of_range_for_timestamp),
    }
}

pub fn date_to_timestamptz(context: &Context, days: i32) -> Result<i64> {
    if let Some(infinite) = infinite(days) {
        return Ok(infinite);
    }
    let midnight = Local { days: days.into(), micros: 0 };
    if !is_timestamp(midnight.total()) {
        return Err(date_out_of_range_for_timestamp());
    }
    timestamp_or(midnight.utc(&context.zone), date_out_of_range_for_timestamp)
}

pub fn date_and_time(days: i32, micros: i64) -> Result<i64> {
    match infinite(days) {
        Some(infinite) => Ok(infinite),
        None => {
            let midnight = Local { days: days.into(), micros: 0 }.total();
            if !is_timestamp(midnight) {
                return Err(date_out_of_range_for_timestamp());
            }
            to_timestamp(midnight + i128::from(micros))
        }
    }
}

pub fn date_and_timetz(days: i32, clock: TimeTz) -> Result<i64> {
    if let Some(infinite) = infinite(days) {
        return Ok(infinite);
    }
    let midnight = Local { days: days.into(), micros: 0 }.total();
    if !is_timestamp(midnight) {
        return Err(date_out_of_range_for_timestamp());
    }
    timestamp_or(midnight + i128::from(clock.rank().0), date_out_of_range_for_timestamp)
}

/// What the session's clocks show at an instant.
pub fn to_local(context: &Context, utc: i64) -> Result<i64> {
    if is_infinite(utc) { Ok(utc) } else { to_timestamp(Local::at(utc, &context.zone).total()) }
}

/// When the session's clocks show this.
pub fn from_local(context: &Context, local: i64) -> Result<i64> {
    if is_infinite(local) { Ok(local) } else { Local::of(local).to_utc(&context.zone) }
}

fn interval_to_time(value: Interval) -> Result<i64> {
    if value.is_infinite() {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "cannot convert infinite interval to time"));
    }
    Ok(value.micros.rem_euclid(DAY))
}

pub fn rounded_time(micros: i64, typmod: i32) -> i64 {
    if typmod < 0 { micros } else { round(micros, typmod, 0) }
}

/// With the offset that the session's clocks have today when they show this time.
pub fn time_to_timetz(context: &Context, micros: i64) -> TimeTz {
    let today = Local { micros, ..Local::at(context.transaction_start, &context.zone) };
    TimeTz { micros, west: -context.zone.offset_of_local(today.seconds()) }
}

/// What the session's clocks show at an instant, and their offset.
pub fn clock(context: &Context, utc: i64) -> TimeTz {
    let east = context.zone.offset_at(utc.div_euclid(SECOND));
    TimeTz { micros: Local::of_offset(utc, east).micros, west: -east }
}
