//! Type modifiers of `interval`: which fields it has (`DAY TO SECOND`), and how many digits of a second.

use error::sqlstate;

use crate::error::{Error, Result};

use super::interval::{Interval, out_of_range};
use super::values::{HOUR, MINUTE};
use super::words::Unit;

/// The fields that a type modifier leaves, as PostgreSQL's bits of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range(i32);

const MONTH: i32 = 1 << 1;
const YEAR: i32 = 1 << 2;
const DAY: i32 = 1 << 3;
const HOURS: i32 = 1 << 10;
const MINUTES: i32 = 1 << 11;
const SECONDS: i32 = 1 << 12;

impl Range {
    const FULL: Range = Range(0x7fff);
    pub const MINUTE_TO_SECOND: Range = Range(MINUTES | SECONDS);

    pub fn of(typmod: i32) -> Range {
        if typmod < 0 { Range::FULL } else { Range((typmod >> 16) & 0x7fff) }
    }

    /// The last of the fields: what a number without a unit counts.
    pub fn last(self) -> Unit {
        let fields = [
            (SECONDS, Unit::Second),
            (MINUTES, Unit::Minute),
            (HOURS, Unit::Hour),
            (DAY, Unit::Day),
            (MONTH, Unit::Month),
        ];
        match fields.into_iter().find(|(bit, _)| self.0 & bit != 0) {
            Some((_, unit)) => unit,
            None if self.0 & YEAR != 0 => Unit::Year,
            None => Unit::Second,
        }
    }
}

/// Cuts off the fields behind the last one, and rounds to the digits of a type modifier.
pub fn adjust(mut value: Interval, typmod: i32) -> Result<Interval> {
    if typmod < 0 || value.is_infinite() {
        return Ok(value);
    }
    let range = Range::of(typmod);
    if range != Range::FULL {
        match range.last() {
            Unit::Year => value = Interval { months: value.months / 12 * 12, days: 0, micros: 0 },
            Unit::Month => value = Interval { days: 0, micros: 0, ..value },
            Unit::Day => value.micros = 0,
            Unit::Hour => value.micros = value.micros / HOUR * HOUR,
            Unit::Minute => value.micros = value.micros / MINUTE * MINUTE,
            _ => {}
        }
    }
    match typmod & 0xffff {
        0xffff => {}
        digits @ 0..=6 => {
            let unit = 10i64.pow(6 - digits as u32);
            let half = if value.micros < 0 { -(unit / 2) } else { unit / 2 };
            let moved = value.micros.checked_add(half).ok_or_else(out_of_range)?;
            value.micros = moved - moved % unit;
        }
        digits => {
            let message = format!("interval({digits}) precision must be between 0 and 6");
            return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
    }
    Ok(value)
}
