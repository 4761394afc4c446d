//! Dates and times from text.

use crate::context::Context;
use crate::error::{Error, Result};

use super::decode::{self, Instant, Wrong};
use super::fields::split;
use super::values::*;

/// How long the fields of a text may be together (`MAXDATELEN`).
const ROOM: usize = 128;

fn instant(context: &Context, text: &str, room: usize, ty: &str) -> Result<Instant> {
    let lower = text.to_ascii_lowercase();
    let fields = split(&lower, room).ok_or(Wrong::Syntax);
    fields.and_then(|fields| decode::date_time(context, &fields)).map_err(|wrong| wrong.error(text, ty))
}

/// Days since 1970.
pub fn parse_date(context: &Context, text: &str) -> Result<i32> {
    let range = || Error::new("22008", format!("date out of range: \"{text}\""));
    match instant(context, text, ROOM + 1, "date")? {
        Instant::Infinity => Ok(DATE_INFINITY),
        Instant::NegativeInfinity => Ok(DATE_MINUS_INFINITY),
        Instant::Epoch => Ok(0),
        Instant::Local(tm, _) if !tm.in_calendar() => Err(range()),
        Instant::Local(tm, _) => to_date(tm.days()).ok_or_else(range),
    }
}

/// Microseconds since 1970, without a zone: one in the text does not count.
pub fn parse_timestamp(context: &Context, text: &str, typmod: i32) -> Result<i64> {
    parse(context, text, typmod, "timestamp", false)
}

/// Microseconds since 1970.
pub fn parse_timestamptz(context: &Context, text: &str, typmod: i32) -> Result<i64> {
    parse(context, text, typmod, "timestamp with time zone", true)
}

fn parse(context: &Context, text: &str, typmod: i32, ty: &str, zoned: bool) -> Result<i64> {
    let range = || Error::new("22008", format!("timestamp out of range: \"{text}\""));
    let micros = match instant(context, text, ROOM + 25, ty)? {
        Instant::Infinity => return Ok(INFINITY),
        Instant::NegativeInfinity => return Ok(MINUS_INFINITY),
        Instant::Epoch => 0,
        Instant::Local(tm, _) if !tm.in_calendar() => return Err(range()),
        Instant::Local(tm, place) => {
            let local = tm.local();
            let east = if zoned { place.offset_of_local(context, local) } else { 0 };
            timestamp_or(local.total() - i128::from(east) * i128::from(SECOND), range)?
        }
    };
    rounded(micros, typmod)
}

/// A timestamp with as many digits as its type modifier says.
pub fn rounded(micros: i64, typmod: i32) -> Result<i64> {
    if typmod < 0 || is_infinite(micros) { Ok(micros) } else { Ok(round(micros, typmod, EPOCH_MICROS)) }
}

/// Microseconds of the day.
pub fn parse_time(context: &Context, text: &str, typmod: i32) -> Result<i64> {
    let (micros, _) = clock(context, text, "time")?;
    Ok(if typmod < 0 { micros } else { round(micros, typmod, 0) })
}

pub fn parse_timetz(context: &Context, text: &str, typmod: i32) -> Result<TimeTz> {
    let (micros, east) = clock(context, text, "time with time zone")?;
    Ok(TimeTz { micros: if typmod < 0 { micros } else { round(micros, typmod, 0) }, west: -east })
}

fn clock(context: &Context, text: &str, ty: &str) -> Result<(i64, i32)> {
    let lower = text.to_ascii_lowercase();
    let fields = split(&lower, ROOM + 1).ok_or(Wrong::Syntax);
    fields.and_then(|fields| decode::time(context, &fields)).map_err(|wrong| wrong.error(text, ty))
}
