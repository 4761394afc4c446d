//! Intervals from text, as PostgreSQL reads them: `1 day 02:03:04`, `1.5 hours ago`, `P1Y2M3DT4H5M6S`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Decimal128Array, IntervalMonthDayNanoArray};
use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit};
use datafusion::logical_expr::{Expr, Volatility};
use engine::{EngineError, Result};

use crate::function::Function;

const SECOND: f64 = 1e6;
const DAY: f64 = 86_400.0 * SECOND;

/// `pg_interval(text)`.
pub fn function() -> Function {
    let ty = DataType::Interval(IntervalUnit::MonthDayNano);
    Function::new("pg_interval", 1, ty, Volatility::Immutable, |call| {
        let texts = crate::output::text_array(&call.args[0])?;
        let values = texts.iter().map(|t| t.map(parse).transpose()).collect::<Result<Vec<_>>>()?;
        Ok(Arc::new(IntervalMonthDayNanoArray::from(values)) as ArrayRef)
    })
}

pub fn from_text(expr: Expr) -> Expr {
    function().call(vec![expr])
}

/// What intervals compare by: a month is 30 days, a day 24 hours. `1 day` and `24 hours` are equal.
pub fn key(expr: Expr) -> Expr {
    let function = Function::new("pg_interval_key", 1, DataType::Decimal128(38, 0), Volatility::Immutable, |call| {
        let array = datafusion::arrow::compute::cast(&call.args[0], &DataType::Interval(IntervalUnit::MonthDayNano))
            .map_err(|e| EngineError::new("42883", e.to_string()))?;
        let values = array.as_primitive::<IntervalMonthDayNanoType>();
        let days = |v: IntervalMonthDayNano| i128::from(v.months) * 30 + i128::from(v.days);
        let keys = values.iter().map(|v| v.map(|v| days(v) * 86_400_000_000_000 + i128::from(v.nanoseconds)));
        let keys: Decimal128Array = keys.collect();
        Ok(Arc::new(keys.with_precision_and_scale(38, 0).map_err(|e| EngineError::new("XX000", e.to_string()))?)
            as ArrayRef)
    });
    function.call(vec![expr])
}

/// Months, days and microseconds; fractions run down to the smaller ones, as in PostgreSQL (30 days a month).
#[derive(Default)]
struct Sum {
    months: f64,
    days: f64,
    micros: f64,
    /// Units that were named: each may be once.
    seen: Vec<&'static str>,
}

impl Sum {
    /// Thirty days of a month's fraction, and what is left of a day in microseconds.
    fn months(&mut self, whole: f64, fraction: f64) {
        self.months += whole;
        let days = fraction * 30.0;
        // Fractions like 0.3 of 30 days are whole days, whatever the binary digits say.
        let near = days.round();
        if (days - near).abs() < 1e-9 { self.days(near, 0.0) } else { self.days(days.trunc(), days.fract()) }
    }

    fn days(&mut self, whole: f64, fraction: f64) {
        self.days += whole;
        self.micros += (fraction * DAY).round();
    }

    /// A number with its unit in lower case; `None` if there is no such unit, or it was there already.
    fn add(&mut self, number: &str, unit: &str) -> Option<()> {
        let value: f64 = number.parse().ok()?;
        // The fraction by itself: taken from the whole number it would have lost digits.
        let (whole, fraction) = match number.split_once('.') {
            Some((_, digits)) => {
                let fraction: f64 = if digits.is_empty() { 0.0 } else { format!("0.{digits}").parse().ok()? };
                (value.trunc(), if number.starts_with('-') { -fraction } else { fraction })
            }
            None => (value, 0.0),
        };
        let time = |micros: f64| (value * micros).round();
        let unit = match unit {
            "y" | "yr" | "yrs" | "year" | "years" => {
                self.months += (value * 12.0).round_ties_even();
                "year"
            }
            "mon" | "mons" | "month" | "months" => {
                self.months(whole, fraction);
                "month"
            }
            "decade" | "decades" | "decs" | "dec" => {
                self.months += (value * 120.0).round_ties_even();
                "decade"
            }
            "century" | "centuries" | "cent" | "c" => {
                self.months += (value * 1200.0).round_ties_even();
                "century"
            }
            "millennium" | "millennia" | "mil" | "mils" => {
                self.months += (value * 12_000.0).round_ties_even();
                "millennium"
            }
            "w" | "week" | "weeks" => {
                let days = fraction * 7.0;
                self.days(whole * 7.0 + days.trunc(), days.fract());
                "week"
            }
            "d" | "day" | "days" => {
                self.days(whole, fraction);
                "day"
            }
            "h" | "hr" | "hrs" | "hour" | "hours" => {
                self.micros += time(3600.0 * SECOND);
                "hour"
            }
            "m" | "min" | "mins" | "minute" | "minutes" => {
                self.micros += time(60.0 * SECOND);
                "minute"
            }
            "s" | "sec" | "secs" | "second" | "seconds" => {
                self.micros += time(SECOND);
                "second"
            }
            "ms" | "msec" | "msecs" | "millisecond" | "milliseconds" => {
                self.micros += time(1000.0);
                "millisecond"
            }
            "us" | "usec" | "usecs" | "microsecond" | "microseconds" => {
                self.micros += time(1.0);
                "microsecond"
            }
            _ => return None,
        };
        let fresh = !self.seen.contains(&unit);
        self.seen.push(unit);
        fresh.then_some(())
    }
}

pub fn parse(text: &str) -> Result<IntervalMonthDayNano> {
    let invalid = || EngineError::new("22007", format!("invalid input syntax for type interval: \"{text}\""));
    let lower = text.trim().to_lowercase();
    let mut sum = Sum::default();
    if let Some(iso) = lower.strip_prefix('p') {
        iso_8601(iso, &mut sum).ok_or_else(invalid)?;
    } else {
        let body = lower.strip_prefix('@').unwrap_or(&lower);
        let (body, ago) = match body.trim_end().strip_suffix("ago") {
            Some(rest) => (rest, true),
            None => (body, false),
        };
        verbose(body, &mut sum).ok_or_else(invalid)?;
        if ago {
            sum = Sum { months: -sum.months, days: -sum.days, micros: -sum.micros, seen: sum.seen };
        }
    }
    let whole = |v: f64, limit: f64| {
        if v.abs() <= limit { Ok(v) } else { Err(EngineError::new("22015", "interval field value out of range")) }
    };
    let months = whole(sum.months, f64::from(i32::MAX))? as i32;
    let days = whole(sum.days, f64::from(i32::MAX))? as i32;
    // Arrow counts nanoseconds: 292 years of them.
    let nanos = whole(sum.micros, 9.2e15)? as i64 * 1000;
    Ok(IntervalMonthDayNano::new(months, days, nanos))
}

/// Numbers with units, and times with colons.
fn verbose(text: &str, sum: &mut Sum) -> Option<()> {
    let mut rest = text.trim();
    let mut any = false;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || "+-.:".contains(c))).unwrap_or(rest.len());
        let (number, behind) = rest.split_at(end);
        rest = behind.trim_start();
        if number.contains(':') {
            sum.micros += clock(number)?;
            if sum.seen.contains(&"hour") {
                return None;
            }
            sum.seen.extend(["hour", "minute", "second"]);
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let (unit, behind) = rest.split_at(end);
            // A number alone counts seconds.
            sum.add(number, if unit.is_empty() { "s" } else { unit })?;
            rest = behind.trim_start();
        }
        any = true;
    }
    any.then_some(())
}

/// `[+-]HH:MM[:SS[.ffffff]]` in microseconds; `MM:SS.fff` has a point in its second part.
fn clock(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    let parts: Vec<f64> =
        digits.split(':').map(|p| p.parse().ok().filter(|v: &f64| *v >= 0.0)).collect::<Option<_>>()?;
    let seconds = match parts.as_slice() {
        [m, s] if digits.contains('.') => m * 60.0 + s,
        [h, m] if *m < 60.0 => h * 3600.0 + m * 60.0,
        [h, m, s] if *m < 60.0 && *s <= 60.0 => h * 3600.0 + m * 60.0 + s,
        _ => return None,
    };
    Some(sign * (seconds * SECOND).round())
}

/// Behind the `P`: numbers with designators, those of time behind a `T`.
fn iso_8601(text: &str, sum: &mut Sum) -> Option<()> {
    let (mut rest, mut time, mut any) = (text, false, false);
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('t') {
            (rest, time) = (behind, true);
            continue;
        }
        let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
        let number = &rest[..end];
        let unit = match (&rest[end..=end], time) {
            ("m", false) => "mon",
            ("h" | "m" | "s", true) | ("y" | "w" | "d", false) => &rest[end..=end],
            _ => return None,
        };
        sum.add(number, unit)?;
        rest = &rest[end + 1..];
        any = true;
    }
    any.then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Months, days and microseconds as PostgreSQL computes them.
    #[test]
    fn text_is_read() {
        let hour = 3_600_000_000;
        for (text, months, days, micros) in [
            ("1 day 02:03:04", 0, 1, 2 * hour + 184_000_000),
            ("1 year 2 mons", 14, 0, 0),
            ("-1 day", 0, -1, 0),
            ("1.5 days", 0, 1, 12 * hour),
            ("1.5 months", 1, 15, 0),
            ("90 minutes", 0, 0, hour * 3 / 2),
            ("0", 0, 0, 0),
            ("-00:00:01", 0, 0, -1_000_000),
            ("1 mon -1 day +02:00", 1, -1, 2 * hour),
            ("P1Y2M3DT4H5M6S", 14, 3, 4 * hour + 306_000_000),
            ("2 hours 5 min ago", 0, 0, -2 * hour - 300_000_000),
            ("1w", 0, 7, 0),
            ("25:00", 0, 0, 25 * hour),
            ("2.3 months", 2, 9, 0),
            ("0.375 years", 4, 0, 0),
        ] {
            assert_eq!(parse(text).unwrap(), IntervalMonthDayNano::new(months, days, micros * 1000), "{text}");
        }
        for bad in ["abc", "", "1 fortnight", "12:99", "P", "1:2:3:4", "1 day 2 days", "1 2"] {
            assert_eq!(parse(bad).unwrap_err().code, "22007", "{bad}");
        }
    }
}
