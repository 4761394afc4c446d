//! Dates and times from numbers, and the clock.

use std::time::{SystemTime, UNIX_EPOCH};

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::casts;
use super::decode::{Decoded, Place, Wrong, displacement, validate};
use super::local::{Local, Tm};
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    make_date(int4, int4, int4) -> date = make_date;
    make_time(int4, int4, float8) -> time = make_time;
    make_timestamp(int4, int4, int4, int4, int4, float8) -> timestamp = make_timestamp;
    make_timestamptz[c](int4, int4, int4, int4, int4, float8) -> timestamptz =
        |c, year, month, day, hour, minute, second| {
            casts::from_local(c, make_timestamp(year, month, day, hour, minute, second)?)
        };
    make_timestamptz[c](int4, int4, int4, int4, int4, float8, text) -> timestamptz =
        |c, year, month, day, hour, minute, second, zone: &str| {
            let local = Local::of(make_timestamp(year, month, day, hour, minute, second)?);
            let east = place(c, zone)?.offset_of_local(c, local);
            to_timestamp(local.total() - i128::from(east) * i128::from(SECOND))
        };
    to_timestamp(float8) -> timestamptz = from_epoch;
    now[c]() -> timestamptz = |c: &Context| Result::Ok(c.transaction_start);
    transaction_timestamp[c]() -> timestamptz = |c: &Context| Result::Ok(c.transaction_start);
    statement_timestamp[c]() -> timestamptz = |c: &Context| Result::Ok(c.statement_start);
    clock_timestamp() -> timestamptz = || Result::Ok(clock());
};

/// Microseconds since 1970.
fn clock() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |passed| passed.as_micros() as i64)
}

/// A date from its parts; negative years are BC. The parts are those that a message shows.
fn date_parts(year: i32, month: i32, day: i32) -> (Tm, Decoded<()>) {
    let mut tm = Tm { year, month, day, ..Tm::default() };
    if year >= 0 {
        let valid = validate(&mut tm, false);
        return (tm, valid);
    }
    let Some(positive) = year.checked_neg() else { return (tm, Err(Wrong::Field)) };
    tm.year = positive;
    let valid = validate(&mut tm, true);
    (tm, valid)
}

fn wrong_date(what: &str, year: i32, month: i32, day: i32) -> Error {
    Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, format!("{what}: {year}-{month:02}-{day:02}"))
}

fn make_date(year: i32, month: i32, day: i32) -> Result<i32> {
    let (tm, valid) = date_parts(year, month, day);
    if valid.is_err() {
        return Err(wrong_date("date field value out of range", tm.year, month, day));
    }
    let days = if tm.in_calendar() { to_date(tm.days()) } else { None };
    days.ok_or_else(|| wrong_date("date out of range", tm.year, month, day))
}

/// Microseconds of the day.
fn make_time(hour: i32, minute: i32, second: f64) -> Result<i64> {
    let micros = (second * 1e6).round_ties_even();
    let in_range = (0..=24).contains(&hour) && (0..60).contains(&minute) && (0.0..=60e6).contains(&micros);
    if in_range {
        let time = i64::from(hour) * HOUR + i64::from(minute) * MINUTE + micros as i64;
        if time <= DAY {
            return Ok(time);
        }
    }
    let second = general(second, 2);
    Err(Error::new(
        sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
        format!("time field value out of range: {hour}:{minute:02}:{second}"),
    ))
}

fn make_timestamp(year: i32, month: i32, day: i32, hour: i32, minute: i32, second: f64) -> Result<i64> {
    let (tm, valid) = date_parts(year, month, day);
    if valid.is_err() {
        return Err(wrong_date("date field value out of range", year, month, day));
    }
    if !tm.in_calendar() {
        return Err(wrong_date("date out of range", year, month, day));
    }
    let time = make_time(hour, minute, second)?;
    let micros = Local { days: tm.days(), micros: time }.total();
    timestamp_or(micros, || {
        let clock = format!("{hour}:{minute:02}:{}", general(second, 2));
        Error::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            format!("timestamp out of range: {year}-{month:02}-{day:02} {clock}"),
        )
    })
}

/// The zone of a text: an offset with a sign, an abbreviation or a name.
fn place(context: &Context, text: &str) -> Result<Place> {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        let message = format!("invalid input syntax for type numeric time zone: \"{text}\"");
        let hint = "Numeric time zones must have \"-\" or \"+\" as first character.";
        return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message).hint(hint));
    }
    match displacement(text) {
        Ok(east) => Ok(Place::East(east)),
        Err(Wrong::Displacement) => {
            Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("numeric time zone \"{text}\" out of range")))
        }
        Err(_) => Place::named(context, text),
    }
}

/// Seconds since 1970.
fn from_epoch(seconds: f64) -> Result<i64> {
    let range = || {
        Error::new(
            sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
            format!("timestamp out of range: \"{}\"", general(seconds, 0)),
        )
    };
    if seconds.is_nan() {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "timestamp cannot be NaN"));
    }
    if seconds.is_infinite() {
        return Ok(if seconds > 0.0 { INFINITY } else { MINUS_INFINITY });
    }
    if !is_timestamp((seconds * 1e6) as i128) {
        return Err(range());
    }
    // PostgreSQL rounds what it counts from 2000.
    let since_2000 = seconds - f64::from(EPOCH_DAYS) * 86_400.0;
    let micros = (since_2000 * 1e6).round_ties_even() as i128 + i128::from(EPOCH_MICROS);
    timestamp_or(micros, range)
}

/// `%g` as PostgreSQL prints it: six digits, with an exponent where there would be more; filled up with zeros to a width.
fn general(value: f64, width: usize) -> String {
    if !value.is_finite() {
        return format!("{value}").replace("inf", "Infinity");
    }
    let scientific = format!("{value:.5e}");
    let (digits, exponent) = scientific.split_once('e').expect("it has an exponent");
    let exponent: i32 = exponent.parse().expect("a number");
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    let text = if (-4..6).contains(&exponent) {
        trimmed(&format!("{value:.*}", (5 - exponent) as usize))
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", trimmed(digits), exponent.abs())
    };
    match text.strip_prefix('-') {
        Some(unsigned) => format!("-{unsigned:0>0$}", width.saturating_sub(1)),
        None => format!("{text:0>width$}"),
    }
}
