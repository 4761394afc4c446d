//! `interval`: months, days and microseconds, which are not converted to one another unless asked to.
//!
//! A value lies in 16 bytes: microseconds, days and months, big-endian, which is PostgreSQL's binary format. Infinity has
//! the greatest number in each, minus infinity the least.

use error::sqlstate;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::interval_typmod::adjust;
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    interval_eq(interval, interval) -> boolean = |a: Interval, b: Interval| Result::Ok(a.span() == b.span());
    interval_ne(interval, interval) -> boolean = |a: Interval, b: Interval| Result::Ok(a.span() != b.span());
    interval_lt(interval, interval) -> boolean = |a: Interval, b: Interval| Result::Ok(a.span() < b.span());
    interval_le(interval, interval) -> boolean = |a: Interval, b: Interval| Result::Ok(a.span() <= b.span());
    interval_gt(interval, interval) -> boolean = |a: Interval, b: Interval| Result::Ok(a.span() > b.span());
    interval_ge(interval, interval) -> boolean = |a: Interval, b: Interval| Result::Ok(a.span() >= b.span());
    interval_cmp(interval, interval) -> int4 = |a: Interval, b: Interval| Result::Ok(a.span().cmp(&b.span()) as i32);
    interval_larger(interval, interval) -> interval =
        |a: Interval, b: Interval| Result::Ok(if a.span() > b.span() { a } else { b });
    interval_smaller(interval, interval) -> interval =
        |a: Interval, b: Interval| Result::Ok(if a.span() < b.span() { a } else { b });
    interval_um(interval) -> interval = Interval::negated;
    interval_pl(interval, interval) -> interval = Interval::plus;
    interval_mi(interval, interval) -> interval = Interval::minus;
    interval_mul(interval, float8) -> interval = Interval::times;
    mul_d_interval(float8, interval) -> interval = |factor, value: Interval| value.times(factor);
    interval_div(interval, float8) -> interval = Interval::divided;
    interval(interval, int4) -> interval = adjust;
    interval(time) -> interval = |micros| Result::Ok(Interval { months: 0, days: 0, micros });
    isfinite(interval) -> boolean = |a: Interval| Result::Ok(!a.is_infinite());
    justify_hours(interval) -> interval = Interval::with_hours_justified;
    justify_days(interval) -> interval = justified_days;
    justify_interval(interval) -> interval = justified;
    make_interval(int4, int4, int4, int4, int4, int4, float8) -> interval = make;
};

/// A value of `interval`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    pub months: i32,
    pub days: i32,
    pub micros: i64,
}

pub fn out_of_range() -> Error {
    Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "interval out of range")
}

impl Interval {
    pub const ZERO: Interval = Interval { months: 0, days: 0, micros: 0 };
    pub const INFINITY: Interval = Interval { months: i32::MAX, days: i32::MAX, micros: i64::MAX };
    pub const MINUS_INFINITY: Interval = Interval { months: i32::MIN, days: i32::MIN, micros: i64::MIN };

    pub fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.micros.to_be_bytes());
        bytes[8..12].copy_from_slice(&self.days.to_be_bytes());
        bytes[12..].copy_from_slice(&self.months.to_be_bytes());
        bytes
    }

    pub fn from_bytes(bytes: &[u8; 16]) -> Interval {
        let four = |at: usize| i32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        let micros = i64::from_be_bytes(bytes[..8].try_into().expect("eight bytes"));
        Interval { months: four(12), days: four(8), micros }
    }

    pub fn is_infinite(self) -> bool {
        self == Interval::INFINITY || self == Interval::MINUS_INFINITY
    }

    /// Microseconds, with days of 24 hours and months of 30 days: what intervals are compared by.
    pub fn span(self) -> i128 {
        let days = i128::from(self.months) * 30 + i128::from(self.days);
        days * i128::from(DAY) + i128::from(self.micros)
    }

    /// An error for what looks like infinity and is none.
    fn finite(self) -> Result<Interval> {
        if self.is_infinite() { Err(out_of_range()) } else { Ok(self) }
    }

    pub fn negated(self) -> Result<Interval> {
        match self {
            Interval::INFINITY => return Ok(Interval::MINUS_INFINITY),
            Interval::MINUS_INFINITY => return Ok(Interval::INFINITY),
            _ => {}
        }
        let negated = || {
            let (months, days) = (self.months.checked_neg()?, self.days.checked_neg()?);
            Some(Interval { months, days, micros: self.micros.checked_neg()? })
        };
        negated().ok_or_else(out_of_range)?.finite()
    }

    pub fn plus(self, other: Interval) -> Result<Interval> {
        match (self.is_infinite(), other.is_infinite()) {
            (true, true) if self != other => return Err(out_of_range()),
            (true, _) => return Ok(self),
            (_, true) => return Ok(other),
            _ => {}
        }
        let sum = || {
            let months = self.months.checked_add(other.months)?;
            let (days, micros) = (self.days.checked_add(other.days)?, self.micros.checked_add(other.micros)?);
            Some(Interval { months, days, micros })
        };
        sum().ok_or_else(out_of_range)?.finite()
    }

    pub fn minus(self, other: Interval) -> Result<Interval> {
        match (self.is_infinite(), other.is_infinite()) {
            (true, true) if self == other => return Err(out_of_range()),
            (true, _) => return Ok(self),
            (_, true) => return other.negated(),
            _ => {}
        }
        let difference = || {
            let months = self.months.checked_sub(other.months)?;
            let (days, micros) = (self.days.checked_sub(other.days)?, self.micros.checked_sub(other.micros)?);
            Some(Interval { months, days, micros })
        };
        difference().ok_or_else(out_of_range)?.finite()
    }

    pub fn times(self, factor: f64) -> Result<Interval> {
        if factor.is_nan() || self.is_infinite() && factor == 0.0 {
            return Err(out_of_range());
        }
        if self.is_infinite() {
            return if factor < 0.0 { self.negated() } else { Ok(self) };
        }
        if factor.is_infinite() {
            return match self.span().signum() as f64 * factor {
                product if product > 0.0 => Ok(Interval::INFINITY),
                product if product < 0.0 => Ok(Interval::MINUS_INFINITY),
                _ => Err(out_of_range()),
            };
        }
        scaled(self, |part| part * factor)
    }

    pub fn divided(self, divisor: f64) -> Result<Interval> {
        if divisor == 0.0 {
            return Err(Error::division_by_zero());
        }
        if divisor.is_nan() || self.is_infinite() && divisor.is_infinite() {
            return Err(out_of_range());
        }
        if self.is_infinite() {
            return if divisor < 0.0 { self.negated() } else { Ok(self) };
        }
        scaled(self, |part| part / divisor)
    }

    /// Whole days of hours counted as days, and both of one sign.
    pub fn with_hours_justified(mut self) -> Result<Interval> {
        if self.is_infinite() {
            return Ok(self);
        }
        let days = (self.micros / DAY) as i32;
        self.micros %= DAY;
        self.days = self.days.checked_add(days).ok_or_else(out_of_range)?;
        self.same_sign_of_hours();
        Ok(self)
    }

    fn same_sign_of_hours(&mut self) {
        if self.days > 0 && self.micros < 0 {
            (self.days, self.micros) = (self.days - 1, self.micros + DAY);
        } else if self.days < 0 && self.micros > 0 {
            (self.days, self.micros) = (self.days + 1, self.micros - DAY);
        }
    }

    /// Months of 30 days taken out of the days.
    fn move_months(&mut self) -> Result<()> {
        self.months = self.months.checked_add(self.days / 30).ok_or_else(out_of_range)?;
        self.days %= 30;
        Ok(())
    }
}

fn justified_days(mut value: Interval) -> Result<Interval> {
    if value.is_infinite() {
        return Ok(value);
    }
    value.move_months()?;
    if value.months > 0 && value.days < 0 {
        (value.months, value.days) = (value.months - 1, value.days + 30);
    } else if value.months < 0 && value.days > 0 {
        (value.months, value.days) = (value.months + 1, value.days - 30);
    }
    Ok(value)
}

fn justified(mut value: Interval) -> Result<Interval> {
    if value.is_infinite() {
        return Ok(value);
    }
    // Days that the hours make more could be too many.
    if value.days > 0 && value.micros > 0 || value.days < 0 && value.micros < 0 {
        value.move_months()?;
    }
    value.days += (value.micros / DAY) as i32;
    value.micros %= DAY;
    value.move_months()?;
    let Interval { months, days, micros } = value;
    if months > 0 && (days < 0 || days == 0 && micros < 0) {
        (value.months, value.days) = (months - 1, days + 30);
    } else if months < 0 && (days > 0 || days == 0 && micros > 0) {
        (value.months, value.days) = (months + 1, days - 30);
    }
    value.same_sign_of_hours();
    Ok(value)
}

/// Each part scaled; what is left of a month becomes days, what is left of a day becomes hours.
fn scaled(value: Interval, scale: impl Fn(f64) -> f64) -> Result<Interval> {
    const SECONDS_A_DAY: f64 = 86_400.0;
    let whole = |part: f64| {
        let fits = part >= f64::from(i32::MIN) && part < -f64::from(i32::MIN);
        if fits { Ok(part as i32) } else { Err(out_of_range()) }
    };
    let rounded = |part: f64| (part * 1e6).round_ties_even() / 1e6;
    let (months, days) = (scale(value.months.into()), scale(value.days.into()));
    let (whole_months, mut whole_days) = (whole(months)?, whole(days)?);
    let rest_of_months = rounded((months - f64::from(whole_months)) * 30.0);
    let more_days = rest_of_months as i32;
    let rest_of_days = days - f64::from(whole_days) + rest_of_months - f64::from(more_days);
    let mut seconds = rounded(rest_of_days * SECONDS_A_DAY);
    let add = |days: i32, more: i32| days.checked_add(more).ok_or_else(out_of_range);
    if seconds.abs() >= SECONDS_A_DAY {
        let more = (seconds / SECONDS_A_DAY) as i32;
        whole_days = add(whole_days, more)?;
        seconds -= f64::from(more) * SECONDS_A_DAY;
    }
    whole_days = add(whole_days, more_days)?;
    let micros = micros_of_float((scale(value.micros as f64) + seconds * 1e6).round_ties_even())?;
    Interval { months: whole_months, days: whole_days, micros }.finite()
}

/// A whole number that fits.
fn micros_of_float(micros: f64) -> Result<i64> {
    let fits = micros >= i64::MIN as f64 && micros < -(i64::MIN as f64);
    if fits { Ok(micros as i64) } else { Err(out_of_range()) }
}

fn make(years: i32, months: i32, weeks: i32, days: i32, hours: i32, minutes: i32, seconds: f64) -> Result<Interval> {
    if !seconds.is_finite() {
        return Err(out_of_range());
    }
    let months = || years.checked_mul(12)?.checked_add(months);
    let days = || weeks.checked_mul(7)?.checked_add(days);
    let (months, days) = months().zip(days()).ok_or_else(out_of_range)?;
    let scaled = seconds * 1e6;
    if scaled.is_infinite() {
        return Err(Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow"));
    }
    let micros = i64::from(hours) * HOUR + i64::from(minutes) * MINUTE;
    let micros = micros.checked_add(micros_of_float(scaled.round_ties_even())?).ok_or_else(out_of_range)?;
    Interval { months, days, micros }.finite()
}
