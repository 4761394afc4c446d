//! `extract` and `date_part`: a field of a date, a time or an interval as an exact or a floating-point number.

use std::borrow::Cow;

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::numeric::value::Decimal;
use crate::numeric::whole::Whole;
use crate::numeric::{Numeric, numeric};
use crate::sql::*;

use super::calendar::{iso_week, weekday};
use super::casts;
use super::interval::Interval;
use super::local::{Local, Tm};
use super::values::*;
use super::words::{Field, Unit, field};

pub const FUNCTIONS: &[Function] = functions! {
    date_part(text, date) -> Option<float8> = |word, days| {
        float(of_timestamp(word, casts::date_to_timestamp(days)?))
    };
    date_part(text, timestamp) -> Option<float8> = |word, micros| float(of_timestamp(word, micros));
    date_part[c](text, timestamptz) -> Option<float8> = |c, word, utc| float(of_timestamptz(c, word, utc));
    date_part(text, time) -> Option<float8> = |word, micros| float(of_time(word, micros));
    date_part(text, timetz) -> Option<float8> = |word, clock| float(of_timetz(word, clock));
    date_part(text, interval) -> Option<float8> = |word, value| float(of_interval(word, value));
    extract(text, date) -> Option<numeric> = |word, days| exact(of_date(word, days));
    extract(text, timestamp) -> Option<numeric> = |word, micros| exact(of_timestamp(word, micros));
    extract[c](text, timestamptz) -> Option<numeric> = |c, word, utc| exact(of_timestamptz(c, word, utc));
    extract(text, time) -> Option<numeric> = |word, micros| exact(of_time(word, micros));
    extract(text, timetz) -> Option<numeric> = |word, clock| exact(of_timetz(word, clock));
    extract(text, interval) -> Option<numeric> = |word, value| exact(of_interval(word, value));
};

/// A field's value, exact.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Part {
    Null,
    Infinity,
    MinusInfinity,
    Whole(i64),
    /// Microseconds, shown in thousands.
    Milliseconds(i64),
    /// Microseconds of a minute, shown in millions.
    Seconds(i64),
    /// Microseconds, shown in millions.
    Epoch(i64),
    /// A time of the day since midnight at Greenwich.
    TimeTz(TimeTz),
    /// An interval in seconds, where a year has 365.25 days and a month 30.
    Span(Interval),
    /// A Julian day, and microseconds of it.
    Julian(i64, i64),
}

/// A name as PostgreSQL looks it up.
pub fn lower(word: &str) -> Cow<'_, str> {
    let word = &word[..word.floor_char_boundary(63)];
    if word.bytes().any(|b| b.is_ascii_uppercase()) { word.to_ascii_lowercase().into() } else { word.into() }
}

fn float(part: Result<Part>) -> Result<Option<f64>> {
    const DAYS: f64 = 86_400.0;
    Ok(Some(match part? {
        Part::Null => return Ok(None),
        Part::Infinity => f64::INFINITY,
        Part::MinusInfinity => f64::NEG_INFINITY,
        Part::Whole(number) => number as f64,
        Part::Milliseconds(micros) => (micros / SECOND) as f64 * 1000.0 + (micros % SECOND) as f64 / 1000.0,
        Part::Seconds(micros) => (micros / SECOND) as f64 + (micros % SECOND) as f64 / 1e6,
        Part::Epoch(micros) => micros as f64 / 1e6,
        Part::TimeTz(clock) => clock.micros as f64 / 1e6 + f64::from(clock.west),
        Part::Span(Interval { months, days, micros }) => {
            let mut seconds = micros as f64 / 1e6;
            seconds += 365.25 * DAYS * f64::from(months / 12);
            seconds += 30.0 * DAYS * f64::from(months % 12);
            seconds + DAYS * f64::from(days)
        }
        Part::Julian(day, micros) => {
            let seconds = (micros / SECOND) as f64 + (micros % SECOND) as f64 / 1e6;
            day as f64 + seconds / DAYS
        }
    }))
}

fn exact(part: Result<Part>) -> Result<Option<Numeric>> {
    let scaled = |value: i128, scale: i32| Numeric::Finite(Decimal { value: Whole::Small(value), scale });
    Ok(Some(match part? {
        Part::Null => return Ok(None),
        Part::Infinity => Numeric::Infinity,
        Part::MinusInfinity => Numeric::NegativeInfinity,
        Part::Whole(number) => scaled(number.into(), 0),
        Part::Milliseconds(micros) => scaled(micros.into(), 3),
        Part::Seconds(micros) | Part::Epoch(micros) => scaled(micros.into(), 6),
        Part::TimeTz(clock) => scaled(clock.rank().0.into(), 6),
        Part::Span(Interval { months, days, micros }) => {
            let (years, months) = (i128::from(months / 12), i128::from(months % 12));
            // Four years have a whole number of days.
            let quarter_days = years * 1461 + (months * 30 + i128::from(days)) * 4;
            scaled(quarter_days * i128::from(DAY / 4) + i128::from(micros), 6)
        }
        Part::Julian(day, micros) => Numeric::from(day).add(&Numeric::from(micros).divide(&DAY.into())?)?,
    }))
}

fn known(word: &str, ty: &str) -> Result<Field> {
    field(word).ok_or_else(|| {
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unit \"{word}\" not recognized for type {ty}"))
    })
}

fn unsupported(word: &str, ty: &str) -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("unit \"{word}\" not supported for type {ty}"))
}

/// A field of a time of the day.
fn clock_field(field: Field, micros: i64) -> Option<Part> {
    Some(match field {
        Field::Unit(Unit::Microsecond) => Part::Whole(micros % MINUTE),
        Field::Unit(Unit::Millisecond) => Part::Milliseconds(micros % MINUTE),
        Field::Unit(Unit::Second) => Part::Seconds(micros % MINUTE),
        Field::Unit(Unit::Minute) => Part::Whole(micros / MINUTE % 60),
        Field::Unit(Unit::Hour) => Part::Whole(micros / HOUR),
        _ => return None,
    })
}

/// A field of a date. There is no year 0: what is before the first year counts down from -1.
fn date_field(field: Field, days: i64) -> Option<i64> {
    let tm = Tm::from(Local { days, micros: 0 });
    let year = i64::from(tm.year);
    let since_one = |years: i64| if year > 0 { (year + years - 1) / years } else { -((years - year) / years) };
    Some(match field {
        Field::Unit(Unit::Day) => tm.day.into(),
        Field::Unit(Unit::Week) => iso_week(days).1,
        Field::Unit(Unit::Month) => tm.month.into(),
        Field::Unit(Unit::Quarter) => i64::from(tm.month - 1) / 3 + 1,
        Field::Unit(Unit::Year) if year <= 0 => year - 1,
        Field::Unit(Unit::Year) => year,
        Field::Unit(Unit::Decade) => year.div_euclid(10),
        Field::Unit(Unit::Century) => since_one(100),
        Field::Unit(Unit::Millennium) => since_one(1000),
        Field::Dow => weekday(days),
        Field::IsoDow => (weekday(days) + 6) % 7 + 1,
        Field::Doy => tm.day_of_year(),
        Field::IsoYear => match iso_week(days).0 {
            year @ ..=0 => year - 1,
            year => year,
        },
        _ => return None,
    })
}

/// A field of what clocks show, and of infinity: what grows is infinite, what comes again is unknown.
fn local_field(field: Field, micros: i64, local: Local) -> Option<Part> {
    let grows = matches!(
        field,
        Field::Unit(Unit::Year | Unit::Decade | Unit::Century | Unit::Millennium)
            | Field::Julian
            | Field::IsoYear
            | Field::Epoch
    );
    let part = match field {
        Field::Epoch => Part::Epoch(micros),
        Field::Julian => Part::Julian(local.days + 2_440_588, local.micros),
        _ => clock_field(field, local.micros).or_else(|| date_field(field, local.days).map(Part::Whole))?,
    };
    Some(match micros {
        INFINITY if grows => Part::Infinity,
        MINUS_INFINITY if grows => Part::MinusInfinity,
        INFINITY | MINUS_INFINITY => Part::Null,
        _ => part,
    })
}

fn of_date(word: &str, days: i32) -> Result<Part> {
    const TYPE: &str = "date";
    let word = lower(word);
    let (field, local) = (known(&word, TYPE)?, Local { days: days.into(), micros: 0 });
    if clock_field(field, 0).is_some() {
        return Err(unsupported(&word, TYPE));
    }
    let infinite = match days {
        DATE_INFINITY => INFINITY,
        DATE_MINUS_INFINITY => MINUS_INFINITY,
        _ => 0,
    };
    Ok(match local_field(field, infinite, local).ok_or_else(|| unsupported(&word, TYPE))? {
        Part::Julian(day, _) => Part::Whole(day),
        Part::Epoch(_) => Part::Whole(i64::from(days) * 86_400),
        part => part,
    })
}

fn of_timestamp(word: &str, micros: i64) -> Result<Part> {
    const TYPE: &str = "timestamp without time zone";
    let word = lower(word);
    let field = known(&word, TYPE)?;
    if matches!(field, Field::Unit(Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute)) && is_infinite(micros) {
        return Ok(Part::Null);
    }
    local_field(field, micros, Local::of(micros)).ok_or_else(|| unsupported(&word, TYPE))
}

fn zone_field(field: Field, east: i32) -> Option<Part> {
    Some(match field {
        Field::Unit(Unit::Timezone) => Part::Whole(east.into()),
        Field::Unit(Unit::TimezoneHour) => Part::Whole((east / 3600).into()),
        Field::Unit(Unit::TimezoneMinute) => Part::Whole((east / 60 % 60).into()),
        _ => return None,
    })
}

fn of_timestamptz(context: &Context, word: &str, utc: i64) -> Result<Part> {
    const TYPE: &str = "timestamp with time zone";
    let word = lower(word);
    let field = known(&word, TYPE)?;
    let east = context.zone.offset_at(utc.div_euclid(SECOND));
    match zone_field(field, east) {
        Some(_) if is_infinite(utc) => Ok(Part::Null),
        Some(part) => Ok(part),
        None => local_field(field, utc, Local::of_offset(utc, east)).ok_or_else(|| unsupported(&word, TYPE)),
    }
}

/// Words for dates are unknown here.
fn known_of_time(word: &str, ty: &str) -> Result<Field> {
    known(if field(word) == Some(Field::Other) { "" } else { word }, ty).map_err(|_| {
        Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("unit \"{word}\" not recognized for type {ty}"))
    })
}

fn of_time(word: &str, micros: i64) -> Result<Part> {
    const TYPE: &str = "time without time zone";
    let word = lower(word);
    match known_of_time(&word, TYPE)? {
        Field::Epoch => Ok(Part::Epoch(micros)),
        field => clock_field(field, micros).ok_or_else(|| unsupported(&word, TYPE)),
    }
}

fn of_timetz(word: &str, clock: TimeTz) -> Result<Part> {
    const TYPE: &str = "time with time zone";
    let word = lower(word);
    match known_of_time(&word, TYPE)? {
        Field::Epoch => Ok(Part::TimeTz(clock)),
        field => clock_field(field, clock.micros)
            .or_else(|| zone_field(field, -clock.west))
            .ok_or_else(|| unsupported(&word, TYPE)),
    }
}

fn of_interval(word: &str, value: Interval) -> Result<Part> {
    const TYPE: &str = "interval";
    let word = lower(word);
    let field = if value.is_infinite() { known(&word, TYPE)? } else { known_of_time(&word, TYPE)? };
    let Interval { months, days, micros } = value;
    let years = i64::from(months / 12);
    let (part, grows) = match field {
        Field::Epoch => (Part::Span(value), true),
        Field::Unit(Unit::Hour) => (Part::Whole(micros / HOUR), true),
        Field::Unit(Unit::Day) => (Part::Whole(days.into()), true),
        Field::Unit(Unit::Week) => (Part::Whole((days / 7).into()), false),
        Field::Unit(Unit::Month) => (Part::Whole((months % 12).into()), false),
        Field::Unit(Unit::Quarter) if months >= 0 => (Part::Whole((months % 12 / 3 + 1).into()), false),
        Field::Unit(Unit::Quarter) => (Part::Whole((months % 12 / 3 - 1).into()), false),
        Field::Unit(Unit::Year) => (Part::Whole(years), true),
        Field::Unit(Unit::Decade) => (Part::Whole(years / 10), true),
        Field::Unit(Unit::Century) => (Part::Whole(years / 100), true),
        Field::Unit(Unit::Millennium) => (Part::Whole(years / 1000), true),
        field => (clock_field(field, micros).ok_or_else(|| unsupported(&word, TYPE))?, false),
    };
    Ok(match value {
        Interval::INFINITY if grows => Part::Infinity,
        Interval::MINUS_INFINITY if grows => Part::MinusInfinity,
        value if value.is_infinite() => Part::Null,
        _ => part,
    })
}
