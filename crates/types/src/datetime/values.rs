//! The types as functions see them, and their limits.
#![allow(non_camel_case_types)]

use arrow_array::types::{Date32Type, Time64MicrosecondType, TimestampMicrosecondType};
use error::sqlstate;

use crate::error::{Error, Result};
use crate::sql::{fixed, numbers};
use crate::sql_type;

use super::interval::Interval;

pub const SECOND: i64 = 1_000_000;
pub const MINUTE: i64 = 60 * SECOND;
pub const HOUR: i64 = 60 * MINUTE;
pub const DAY: i64 = 24 * HOUR;

/// PostgreSQL counts from 2000-01-01: so many days and microseconds later than we do.
pub const EPOCH_DAYS: i32 = 10_957;
pub const EPOCH_MICROS: i64 = EPOCH_DAYS as i64 * DAY;

/// The greatest and the least value stand for the infinities.
pub const DATE_INFINITY: i32 = i32::MAX;
pub const DATE_MINUS_INFINITY: i32 = i32::MIN;
pub const INFINITY: i64 = i64::MAX;
pub const MINUS_INFINITY: i64 = i64::MIN;

/// 4714-11-24 BC and 5874898-01-01, in days since 1970.
const FIRST_DATE: i64 = -2_440_588;
const END_DATE: i64 = 2_145_042_906;
/// 4714-11-24 BC and 294277-01-01, in microseconds since 1970. The last of these years do not fit 64 bits.
const FIRST_TIMESTAMP: i128 = -210_866_803_200_000_000;
const END_TIMESTAMP: i128 = 9_224_318_016_000_000_000;

pub fn timestamp_out_of_range() -> Error {
    Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "timestamp out of range")
}

pub fn date_out_of_range() -> Error {
    Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "date out of range")
}

/// A date, if there is one of so many days.
pub fn to_date(days: i64) -> Option<i32> {
    (FIRST_DATE..END_DATE).contains(&days).then_some(days as i32)
}

/// Whether there is a timestamp of so many microseconds.
pub fn is_timestamp(micros: i128) -> bool {
    (FIRST_TIMESTAMP..END_TIMESTAMP).contains(&micros)
}

/// A timestamp of so many microseconds; `range` is the error where there is none.
pub fn timestamp_or(micros: i128, range: impl FnOnce() -> Error) -> Result<i64> {
    if !is_timestamp(micros) {
        return Err(range());
    }
    // The greatest number is infinity.
    match i64::try_from(micros) {
        Ok(micros) if micros != INFINITY => Ok(micros),
        _ => Err(Error::unsupported("a timestamp after 294247-01-10 04:00:54")),
    }
}

pub fn to_timestamp(micros: i128) -> Result<i64> {
    timestamp_or(micros, timestamp_out_of_range)
}

pub fn is_infinite(micros: i64) -> bool {
    micros == INFINITY || micros == MINUS_INFINITY
}

pub fn is_infinite_date(days: i32) -> bool {
    days == DATE_INFINITY || days == DATE_MINUS_INFINITY
}

/// Microseconds rounded to so many digits of a second, half away from PostgreSQL's epoch.
pub fn round(micros: i64, digits: i32, epoch: i64) -> i64 {
    round_wide(micros, digits, epoch) as i64
}

/// The same, which may be too many for a timestamp.
pub fn round_wide(micros: i64, digits: i32, epoch: i64) -> i128 {
    let unit = 10i128.pow(6 - digits.clamp(0, 6) as u32);
    let counted = i128::from(micros) - i128::from(epoch);
    let rounded = (counted.abs() + unit / 2) / unit * unit * counted.signum();
    rounded + i128::from(epoch)
}

/// A time of the day with its zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeTz {
    /// Of the day, as the clock shows them.
    pub micros: i64,
    /// Seconds west of Greenwich.
    pub west: i32,
}

impl TimeTz {
    /// Microseconds, then seconds west, big-endian: PostgreSQL's binary format.
    pub fn to_bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[..8].copy_from_slice(&self.micros.to_be_bytes());
        bytes[8..].copy_from_slice(&self.west.to_be_bytes());
        bytes
    }

    pub fn from_bytes(bytes: &[u8; 12]) -> TimeTz {
        let (micros, west) = bytes.split_at(8);
        TimeTz {
            micros: i64::from_be_bytes(micros.try_into().expect("eight bytes")),
            west: i32::from_be_bytes(west.try_into().expect("four bytes")),
        }
    }

    /// As times are compared: by the instant, then by the zone.
    pub fn rank(self) -> (i64, i32) {
        (self.micros.wrapping_add(i64::from(self.west) * SECOND), self.west)
    }
}

numbers! {
    date DATE Date i32, Date32Type;
    time TIME Time i64, Time64MicrosecondType;
    timestamp TIMESTAMP Timestamp i64, TimestampMicrosecondType;
    timestamptz TIMESTAMPTZ TimestampTz i64, TimestampMicrosecondType;
}

fixed! {
    timetz TIMETZ TimeTz, 12, TimeTz::from_bytes, TimeTz::to_bytes;
    interval INTERVAL Interval, 16, Interval::from_bytes, Interval::to_bytes;
}
