//! `date_trunc`, `date_bin` and `age`.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::arithmetic::{infinite_difference, zone_named};
use super::calendar::{date_of, days_of, month_days};
use super::casts;
use super::interval::{Interval, out_of_range};
use super::local::{Local, Tm};
use super::part::lower;
use super::values::*;
use super::words::{Unit, unit};
use super::zone::Zone;

pub const FUNCTIONS: &[Function] = functions! {
    date_trunc(text, timestamp) -> timestamp = truncated_timestamp;
    date_trunc[c](text, timestamptz) -> timestamptz = |c: &Context, unit, utc| truncated_in(unit, utc, &c.zone);
    date_trunc[c](text, timestamptz, text) -> timestamptz =
        |c, unit, utc, zone: &str| truncated_in(unit, utc, &zone_named(c, zone)?);
    date_trunc(text, interval) -> interval = truncated_interval;
    date_bin(interval, timestamp, timestamp) -> timestamp = binned;
    date_bin(interval, timestamptz, timestamptz) -> timestamptz = binned;
    age(timestamp, timestamp) -> interval = |a, b| age(a, b, Local::of);
    age[c](timestamptz, timestamptz) -> interval = |c: &Context, a, b| age(a, b, |utc| Local::at(utc, &c.zone));
    age[c](timestamp) -> interval = |c: &Context, b| {
        let today = Local::at(c.transaction_start, &c.zone).days;
        age(casts::date_to_timestamp(today as i32)?, b, Local::of)
    };
    age[c](timestamptz) -> interval = |c: &Context, b| {
        let today = Local::at(c.transaction_start, &c.zone).days;
        age(casts::date_to_timestamptz(c, today as i32)?, b, |utc| Local::at(utc, &c.zone))
    };
};

fn known(word: &str, ty: &str) -> Result<Unit> {
    let unknown =
        || Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unit \"{word}\" not recognized for type {ty}"));
    unit(word).ok_or_else(unknown)
}

fn unsupported(word: &str, ty: &str) -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("unit \"{word}\" not supported for type {ty}"))
}

/// Whole units of what clocks show; `None` for units that it has none of.
fn truncated(unit: Unit, local: Local) -> Option<Local> {
    let Local { days, micros } = local;
    let (year, month, _) = date_of(days);
    let whole = |unit: i64| Some(Local { days, micros: micros / unit * unit });
    let first = |year: i64, month: i64| Some(Local { days: days_of(year, month, 1), micros: 0 });
    // Centuries and millennia begin with a year 1, before the first one too.
    let first_of = |years: i64| {
        first(if year > 0 { (year + years - 1) / years * years } else { -((-year) / years) * years } - years + 1, 1)
    };
    match unit {
        Unit::Microsecond => Some(local),
        Unit::Millisecond => whole(1000),
        Unit::Second => whole(SECOND),
        Unit::Minute => whole(MINUTE),
        Unit::Hour => whole(HOUR),
        Unit::Day => whole(DAY),
        Unit::Week => Some(Local { days: days - (days + 3).rem_euclid(7), micros: 0 }),
        Unit::Month => first(year, month),
        Unit::Quarter => first(year, (month - 1) / 3 * 3 + 1),
        Unit::Year => first(year, 1),
        Unit::Decade => first(year.div_euclid(10) * 10, 1),
        Unit::Century => first_of(100),
        Unit::Millennium => first_of(1000),
        Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute => None,
    }
}

fn truncated_timestamp(word: &str, micros: i64) -> Result<i64> {
    const TYPE: &str = "timestamp without time zone";
    let word = lower(word);
    let unit = known(&word, TYPE)?;
    let whole = truncated(unit, Local::of(micros)).ok_or_else(|| unsupported(&word, TYPE))?;
    if is_infinite(micros) { Ok(micros) } else { to_timestamp(whole.total()) }
}

fn truncated_in(word: &str, utc: i64, zone: &Zone) -> Result<i64> {
    const TYPE: &str = "timestamp with time zone";
    let word = lower(word);
    let unit = known(&word, TYPE)?;
    let local = Local::at(utc, zone);
    let whole = truncated(unit, local).ok_or_else(|| unsupported(&word, TYPE))?;
    if is_infinite(utc) {
        return Ok(utc);
    }
    match unit {
        // They stay in the hour that there may be twice.
        Unit::Microsecond | Unit::Millisecond | Unit::Second | Unit::Minute | Unit::Hour => {
            to_timestamp(i128::from(utc) - (local.total() - whole.total()))
        }
        _ => whole.to_utc(zone),
    }
}

fn truncated_interval(word: &str, value: Interval) -> Result<Interval> {
    const TYPE: &str = "interval";
    let word = lower(word);
    let Interval { months, days, micros } = value;
    let years = |years: i32| Interval { months: months / 12 / years * years * 12, ..Interval::ZERO };
    let time = |unit: i64| Interval { months, days, micros: micros / unit * unit };
    let whole = match known(&word, TYPE)? {
        Unit::Microsecond => value,
        Unit::Millisecond => time(1000),
        Unit::Second => time(SECOND),
        Unit::Minute => time(MINUTE),
        Unit::Hour => time(HOUR),
        Unit::Day => Interval { micros: 0, ..value },
        Unit::Month => Interval { months, ..Interval::ZERO },
        Unit::Quarter => Interval { months: months / 3 * 3, ..Interval::ZERO },
        Unit::Year => years(1),
        Unit::Decade => years(10),
        Unit::Century => years(100),
        Unit::Millennium => years(1000),
        Unit::Week => return Err(unsupported(&word, TYPE).detail("Months usually have fractional weeks.")),
        Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute => return Err(unsupported(&word, TYPE)),
    };
    Ok(if value.is_infinite() { value } else { whole })
}

/// The beginning of the stride from `origin` on in which a time is.
fn binned(stride: Interval, micros: i64, origin: i64) -> Result<i64> {
    let wrong = |message: &str| Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, message));
    if is_infinite(micros) {
        return Ok(micros);
    }
    if is_infinite(origin) {
        return wrong("origin out of range");
    }
    if stride.is_infinite() {
        return wrong("timestamps cannot be binned into infinite intervals");
    }
    if stride.months != 0 {
        let message = "timestamps cannot be binned into intervals containing months or years";
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    let width = i64::from(stride.days).checked_mul(DAY).and_then(|days| days.checked_add(stride.micros));
    let width = width.ok_or_else(out_of_range)?;
    if width <= 0 {
        return wrong("stride must be greater than zero");
    }
    let passed = micros.checked_sub(origin).ok_or_else(out_of_range)?;
    to_timestamp(i128::from(origin) + i128::from(passed.div_euclid(width)) * i128::from(width))
}

/// Years, months, days and hours between two times as clocks show them.
fn age(a: i64, b: i64, local: impl Fn(i64) -> Local) -> Result<Interval> {
    if let Some(infinite) = infinite_difference(a, b)? {
        return Ok(infinite);
    }
    let (one, other) = (Tm::from(local(a)), Tm::from(local(b)));
    let sign = if a < b { -1 } else { 1 };
    let (early, late) = if a < b { (one, other) } else { (other, one) };
    let mut micros = late.time() - early.time();
    let mut days = i64::from(late.day - early.day);
    let mut months = i64::from(late.year - early.year) * 12 + i64::from(late.month - early.month);
    while micros < 0 {
        (micros, days) = (micros + DAY, days - 1);
    }
    // Days that are missing are those of the earlier month.
    while days < 0 {
        (days, months) = (days + month_days(early.year.into(), early.month.into()), months - 1);
    }
    Ok(Interval { months: sign * months as i32, days: sign * days as i32, micros: i64::from(sign) * micros })
}
