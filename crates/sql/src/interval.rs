//! Intervals from text, as PostgreSQL reads them: `1 day 02:03:04`, `1.5 hours ago`, `P1Y2M3DT4H5M6S`.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Decimal128Array, IntervalMonthDayNanoArray};
use datafusion::arrow::datatypes::{DataType, IntervalMonthDayNano, IntervalMonthDayNanoType, IntervalUnit};
use datafusion::logical_expr::{Expr, Volatility};
use engine::{EngineError, Result};

use engine::style::IntervalStyle;

use crate::datetime_fields::{Kind, micros_of_fraction, split};
use crate::function::Function;
use crate::style::current;

/// Microseconds.
const DAY: f64 = 86_400e6;

/// `pg_interval(text or interval[, fields[, digits]])`: the fields as `YEAR TO MONTH` has them, or an empty text.
pub fn function() -> Function {
    let ty = DataType::Interval(IntervalUnit::MonthDayNano);
    Function::new("pg_interval", usize::MAX, ty.clone(), Volatility::Stable, move |call| {
        let constant = |at: usize| match call.args.get(at) {
            Some(array) => crate::output::text_array(array).map(|t| t.is_valid(0).then(|| t.value(0).to_string())),
            None => Ok(None),
        };
        let fields = constant(1)?.and_then(|words| {
            let (first, last) = words.split_once(" to ").unwrap_or((&words, &words));
            Some((Unit::field(first)?, Unit::field(last)?))
        });
        let digits = constant(2)?.and_then(|digits| digits.parse().ok());
        let values = match call.args[0].data_type() {
            DataType::Interval(_) | DataType::Duration(_) => {
                let array = datafusion::arrow::compute::cast(&call.args[0], &ty)
                    .map_err(|e| EngineError::new("22015", e.to_string()))?;
                array.as_primitive::<IntervalMonthDayNanoType>().iter().collect::<Vec<_>>()
            }
            DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null => {
                let texts = crate::output::text_array(&call.args[0])?;
                // The fields say what a number without a unit counts in constants only.
                let quoted = matches!(call.given.args[0], datafusion::logical_expr::ColumnarValue::Scalar(_));
                let fields = fields.filter(|_| quoted);
                texts.iter().map(|t| t.map(|t| parse(t, fields)).transpose()).collect::<Result<Vec<_>>>()?
            }
            other => {
                let from = crate::output::type_name(other);
                return Err(EngineError::new("42846", format!("cannot cast type {from} to interval")));
            }
        };
        let fitted = values.into_iter().map(|value| value.map(|value| fit(value, fields, digits)));
        Ok(Arc::new(fitted.collect::<IntervalMonthDayNanoArray>()) as ArrayRef)
    })
}

pub fn from_text(expr: Expr) -> Expr {
    function().call(vec![expr])
}

/// What intervals compare by, in nanoseconds: a month is 30 days, a day 24 hours. `1 day` and `24 hours` are equal.
pub fn length(value: IntervalMonthDayNano) -> i128 {
    (i128::from(value.months) * 30 + i128::from(value.days)) * 86_400_000_000_000 + i128::from(value.nanoseconds)
}

/// [`length`] in a plan.
pub fn key(expr: Expr) -> Expr {
    let function = Function::new("pg_interval_key", 1, DataType::Decimal128(38, 0), Volatility::Immutable, |call| {
        let array = datafusion::arrow::compute::cast(&call.args[0], &DataType::Interval(IntervalUnit::MonthDayNano))
            .map_err(|e| EngineError::new("42883", e.to_string()))?;
        let keys: Decimal128Array =
            array.as_primitive::<IntervalMonthDayNanoType>().iter().map(|v| v.map(length)).collect();
        Ok(Arc::new(keys.with_precision_and_scale(38, 0).map_err(|e| EngineError::new("XX000", e.to_string()))?)
            as ArrayRef)
    });
    function.call(vec![expr])
}

/// Which fields `INTERVAL '…' YEAR TO MONTH` keeps: the first and the last.
pub type Fields = (Unit, Unit);

/// What numbers of an interval count, from the greatest to the smallest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Unit {
    Millennium,
    Century,
    Decade,
    Year,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
}

impl Unit {
    /// By one of its many names; PostgreSQL looks at ten letters.
    fn named(word: &str) -> Option<Unit> {
        let word = word.get(..10).unwrap_or(word);
        Some(match word {
            "y" | "yr" | "yrs" | "year" | "years" => Unit::Year,
            "mon" | "mons" | "month" | "months" => Unit::Month,
            "decade" | "decades" | "decs" | "dec" => Unit::Decade,
            "century" | "centuries" | "cent" | "c" => Unit::Century,
            "millennium" | "millennia" | "mil" | "mils" => Unit::Millennium,
            "w" | "week" | "weeks" => Unit::Week,
            "d" | "day" | "days" => Unit::Day,
            "h" | "hr" | "hrs" | "hour" | "hours" => Unit::Hour,
            "m" | "min" | "mins" | "minute" | "minutes" => Unit::Minute,
            "s" | "sec" | "secs" | "second" | "seconds" => Unit::Second,
            "ms" | "msec" | "msecs" | "mseconds" | "millisecon" => Unit::Millisecond,
            "us" | "usec" | "usecs" | "useconds" | "microsecon" => Unit::Microsecond,
            _ => return None,
        })
    }

    /// A field of `INTERVAL '…' YEAR TO MONTH`.
    pub fn field(word: &str) -> Option<Unit> {
        let unit = Unit::named(word)?;
        matches!(unit, Unit::Year | Unit::Month | Unit::Day | Unit::Hour | Unit::Minute | Unit::Second).then_some(unit)
    }
}

/// What a text says, and which units it has said: each may be once.
#[derive(Default)]
struct Sum {
    months: i64,
    days: i64,
    micros: i64,
    seen: Vec<Unit>,
}

/// Syntax (22007) or range (22015).
#[derive(Clone, Copy, Debug)]
enum Wrong {
    Syntax,
    Range,
}

type Read<T> = std::result::Result<T, Wrong>;

/// A number as it is written: the whole part, and the fraction with the same sign.
#[derive(Clone, Copy)]
struct Number {
    whole: i64,
    fraction: f64,
}

impl Number {
    fn read(text: &str) -> Read<Number> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        if (whole.is_empty() && fraction.is_empty())
            || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit())
        {
            return Err(Wrong::Syntax);
        }
        // The fraction by itself: taken from the whole number it would have lost digits.
        let fraction: f64 =
            if fraction.is_empty() { 0.0 } else { format!("0.{fraction}").parse().map_err(|_| Wrong::Syntax)? };
        let whole: i64 = if whole.is_empty() { 0 } else { whole.parse().map_err(|_| Wrong::Range)? };
        Ok(Number { whole: sign * whole, fraction: sign as f64 * fraction })
    }
}

impl Sum {
    fn add(place: &mut i64, value: i64, factor: i64) -> Read<()> {
        *place = value.checked_mul(factor).and_then(|v| place.checked_add(v)).ok_or(Wrong::Range)?;
        Ok(())
    }

    fn fraction_of_micros(&mut self, fraction: f64, scale: f64) -> Read<()> {
        let (micros, whole) = (fraction * scale, (fraction * scale).trunc());
        let rest = micros - whole;
        Sum::add(&mut self.micros, whole as i64 + i64::from(rest > 0.5) - i64::from(rest < -0.5), 1)
    }

    fn fraction_of_days(&mut self, fraction: f64, scale: f64) -> Read<()> {
        let days = fraction * scale;
        Sum::add(&mut self.days, days.trunc() as i64, 1)?;
        self.fraction_of_micros(days - days.trunc(), DAY)
    }

    fn years(&mut self, number: Number, years: i64) -> Read<()> {
        Sum::add(&mut self.months, number.whole, years * 12)?;
        Sum::add(&mut self.months, (number.fraction * (years * 12) as f64).round_ties_even() as i64, 1)
    }

    /// Counts a number; `false` if its unit was there already.
    fn count(&mut self, number: Number, unit: Unit) -> Read<bool> {
        let Number { whole, fraction } = number;
        let time = |sum: &mut Sum, micros: i64| {
            Sum::add(&mut sum.micros, whole, micros)?;
            sum.fraction_of_micros(fraction, micros as f64)
        };
        match unit {
            Unit::Millennium => self.years(number, 1000)?,
            Unit::Century => self.years(number, 100)?,
            Unit::Decade => self.years(number, 10)?,
            Unit::Year => self.years(number, 1)?,
            Unit::Month => {
                Sum::add(&mut self.months, whole, 1)?;
                self.fraction_of_days(fraction, 30.0)?;
            }
            Unit::Week => {
                Sum::add(&mut self.days, whole, 7)?;
                self.fraction_of_days(fraction, 7.0)?;
            }
            Unit::Day => {
                Sum::add(&mut self.days, whole, 1)?;
                self.fraction_of_micros(fraction, DAY)?;
            }
            Unit::Hour => time(self, 3_600_000_000)?,
            Unit::Minute => time(self, 60_000_000)?,
            Unit::Second => time(self, 1_000_000)?,
            Unit::Millisecond => time(self, 1000)?,
            Unit::Microsecond => time(self, 1)?,
        }
        // Seconds with a fraction say the smaller units too.
        let smaller: &[Unit] = if unit == Unit::Second { &[Unit::Millisecond, Unit::Microsecond] } else { &[] };
        let said = [unit].into_iter().chain(smaller.iter().copied().filter(|_| fraction != 0.0));
        let fresh = !said.clone().any(|unit| self.seen.contains(&unit));
        self.seen.extend(said);
        Ok(fresh)
    }

    fn once(&mut self, number: Number, unit: Unit) -> Read<()> {
        if self.count(number, unit)? { Ok(()) } else { Err(Wrong::Syntax) }
    }

    /// `[+-]HH:MM[:SS[.ffffff]]`; `MM:SS.ffffff` has a point in its second part.
    fn clock(&mut self, text: &str, fields: Option<Fields>) -> Read<()> {
        let (sign, digits) = match text.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, text.strip_prefix('+').unwrap_or(text)),
        };
        let (clock, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let micros = micros_of_fraction(fraction).ok_or(Wrong::Syntax)?;
        let part = |part: &str| {
            let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            if digits { part.parse::<i64>().map_err(|_| Wrong::Range) } else { Err(Wrong::Syntax) }
        };
        let parts = clock.split(':').map(part).collect::<Read<Vec<i64>>>()?;
        let (hours, minutes, seconds) = match parts.as_slice() {
            [m, s] if digits.contains('.') || fields == Some((Unit::Minute, Unit::Second)) => (0, *m, *s),
            [h, m] => (*h, *m, 0),
            [h, m, s] => (*h, *m, *s),
            _ => return Err(Wrong::Syntax),
        };
        if minutes > 59 || seconds > 60 {
            return Err(Wrong::Range);
        }
        const SAID: [Unit; 5] = [Unit::Hour, Unit::Minute, Unit::Second, Unit::Millisecond, Unit::Microsecond];
        if SAID.iter().any(|unit| self.seen.contains(unit)) {
            return Err(Wrong::Syntax);
        }
        self.seen.extend(SAID);
        Sum::add(&mut self.micros, hours, sign * 3_600_000_000)?;
        Sum::add(&mut self.micros, (minutes * 60 + seconds) * 1_000_000 + micros, sign)
    }

    fn negate(&mut self) {
        (self.months, self.days, self.micros) = (-self.months, -self.days, -self.micros);
    }
}

/// Reads an interval; `fields` say what a number without a unit counts.
pub fn parse(text: &str, fields: Option<Fields>) -> Result<IntervalMonthDayNano> {
    let failed = |wrong: Wrong| match wrong {
        Wrong::Syntax => EngineError::new("22007", format!("invalid input syntax for type interval: \"{text}\"")),
        Wrong::Range => EngineError::new("22015", format!("interval field value out of range: \"{text}\"")),
    };
    let mut sum = Sum::default();
    let lower = text.trim().to_lowercase();
    match verbose(&lower, fields, &mut sum) {
        Ok(()) => {}
        Err(Wrong::Syntax) if lower.starts_with('p') => {
            sum = Sum::default();
            iso_8601(&lower[1..], &mut sum).map_err(failed)?;
        }
        Err(wrong) => return Err(failed(wrong)),
    }
    if matches!(lower.trim_start_matches(['+', '-']).trim(), "infinity" | "inf") {
        return Err(EngineError::unsupported("infinite intervals"));
    }
    let narrow = |value: i64| i32::try_from(value).map_err(|_| failed(Wrong::Range));
    let (months, days) = (narrow(sum.months)?, narrow(sum.days)?);
    // Arrow counts nanoseconds: 292 years of them.
    let nanos = sum.micros.checked_mul(1000).ok_or_else(|| EngineError::unsupported("an interval of so many hours"))?;
    Ok(IntervalMonthDayNano::new(months, days, nanos))
}

/// Numbers with units, and times with colons. They are read from the end: a unit stands behind its number.
fn verbose(text: &str, range: Option<Fields>, sum: &mut Sum) -> Read<()> {
    let fields = split(text, |word| Unit::named(word).is_some()).filter(|f| !f.is_empty()).ok_or(Wrong::Syntax)?;
    if let [word] = fields.as_slice()
        && matches!(word.text.as_str(), "infinity" | "inf" | "+infinity" | "-infinity" | "+inf" | "-inf")
    {
        return Ok(());
    }
    // SQL's way to write a negative value: one sign for all.
    let signed = |text: &str| text.starts_with(['-', '+']);
    let all_negative = current().style.interval == IntervalStyle::SqlStandard
        && fields[0].text.starts_with('-')
        && !fields[1..].iter().any(|f| signed(&f.text));
    let (mut unit, mut ago, mut any): (Option<(Unit, bool)>, bool, bool) = (None, false, false);
    for (at, field) in fields.iter().enumerate().rev() {
        match field.kind {
            Kind::Word => {
                if field.text == "ago" {
                    if at + 1 != fields.len() {
                        return Err(Wrong::Syntax);
                    }
                    ago = true;
                    continue;
                }
                if unit.is_some_and(|(_, used)| !used) {
                    return Err(Wrong::Syntax);
                }
                unit = Some((Unit::named(&field.text).ok_or(Wrong::Syntax)?, false));
            }
            Kind::Time | Kind::Signed if field.text.contains(':') => {
                let minus = if all_negative && !signed(&field.text) { "-" } else { "" };
                sum.clock(&format!("{minus}{}", field.text), range)?;
                (unit, any) = (Some((Unit::Day, true)), true);
            }
            Kind::Number | Kind::Date | Kind::Signed => {
                let counted = unit.map_or_else(|| range.map_or(Unit::Second, |(_, last)| last), |(unit, _)| unit);
                number(&field.text, counted, all_negative, sum)?;
                // Before hours there may be days without their word.
                let next = if counted == Unit::Hour { Unit::Day } else { counted };
                (unit, any) = (Some((next, true)), true);
            }
            _ => return Err(Wrong::Syntax),
        }
    }
    // A unit without its number, too.
    if !any || unit.is_some_and(|(_, used)| !used) {
        return Err(Wrong::Syntax);
    }
    if ago {
        sum.negate();
    }
    Ok(())
}

/// One number, or years and months: `1-2`.
fn number(text: &str, unit: Unit, negative: bool, sum: &mut Sum) -> Read<()> {
    let turned = |n: Number| {
        if negative && (n.whole > 0 || n.fraction > 0.0) {
            Number { whole: -n.whole, fraction: -n.fraction }
        } else {
            n
        }
    };
    let body = text.strip_prefix(['-', '+']).unwrap_or(text);
    let Some((years, months)) = body.split_once('-') else {
        return sum.once(turned(Number::read(text)?), unit);
    };
    let (years, months) = (Number::read(years)?, Number::read(months)?);
    if years.fraction != 0.0 || months.fraction != 0.0 {
        return Err(Wrong::Syntax);
    }
    if !(0..12).contains(&months.whole) {
        return Err(Wrong::Range);
    }
    let months = years.whole.checked_mul(12).and_then(|m| m.checked_add(months.whole)).ok_or(Wrong::Range)?;
    let whole = if text.starts_with('-') { -months } else { months };
    sum.once(turned(Number { whole, fraction: 0.0 }), Unit::Month)
}

/// Behind the `P`: numbers with designators, those of time behind a `T`; or `0001-02-03T04:05:06`.
fn iso_8601(text: &str, sum: &mut Sum) -> Read<()> {
    let (date, time) = match text.split_once('t') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    if text.is_empty() || time == Some("") {
        return Err(Wrong::Syntax);
    }
    let parts: Vec<&str> = date.split('-').collect();
    if parts.len() == 3 && parts.iter().all(|p| !p.is_empty() && p.bytes().all(|b| b.is_ascii_digit())) {
        for (part, unit) in parts.iter().zip([Unit::Year, Unit::Month, Unit::Day]) {
            sum.once(Number::read(part)?, unit)?;
        }
    } else {
        designated(date, sum, |letter| match letter {
            b'y' => Some(Unit::Year),
            b'm' => Some(Unit::Month),
            b'w' => Some(Unit::Week),
            b'd' => Some(Unit::Day),
            _ => None,
        })?;
    }
    match time {
        None => Ok(()),
        Some(time) if time.contains(':') => sum.clock(time, None),
        Some(time) => designated(time, sum, |letter| match letter {
            b'h' => Some(Unit::Hour),
            b'm' => Some(Unit::Minute),
            b's' => Some(Unit::Second),
            _ => None,
        }),
    }
}

fn designated(text: &str, sum: &mut Sum, unit: impl Fn(u8) -> Option<Unit>) -> Read<()> {
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || "+-.".contains(c))).ok_or(Wrong::Syntax)?;
        let unit = unit(rest.as_bytes()[end]).ok_or(Wrong::Syntax)?;
        // Here a unit may come twice.
        sum.count(Number::read(&rest[..end])?, unit)?;
        rest = &rest[end + 1..];
    }
    Ok(())
}

/// Cuts off what `INTERVAL … DAY TO HOUR` and `interval(p)` leave out (`AdjustIntervalForTypmod`).
pub fn fit(value: IntervalMonthDayNano, fields: Option<Fields>, precision: Option<u32>) -> IntervalMonthDayNano {
    let IntervalMonthDayNano { mut months, mut days, mut nanoseconds } = value;
    if let Some((_, last)) = fields {
        let unit: i64 = match last {
            Unit::Hour => 3_600_000_000_000,
            Unit::Minute => 60_000_000_000,
            Unit::Second => 1,
            _ => i64::MAX,
        };
        match last {
            Unit::Year => (months, days) = (months / 12 * 12, 0),
            Unit::Month => days = 0,
            _ => {}
        }
        nanoseconds = if unit == i64::MAX { 0 } else { nanoseconds / unit * unit };
    }
    if let Some(digits) = precision.filter(|digits| *digits < 6) {
        let unit = 10i64.pow(9 - digits);
        let half = unit / 2 * nanoseconds.signum();
        nanoseconds = nanoseconds.saturating_add(half) / unit * unit;
    }
    IntervalMonthDayNano::new(months, days, nanoseconds)
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
            ("1-2", 14, 0, 0),
            ("-1-2 3 4:05", -14, 3, 4 * hour + 300_000_000),
            ("@ 1 minute ago", 0, 0, -60_000_000),
            ("-1 +2:03", 0, -1, 2 * hour + 180_000_000),
            ("P0001-02-03T04:05:06", 14, 3, 4 * hour + 306_000_000),
            ("2.3 months", 2, 9, 0),
            ("0.375 years", 4, 0, 0),
        ] {
            assert_eq!(parse(text, None).unwrap(), IntervalMonthDayNano::new(months, days, micros * 1000), "{text}");
        }
        for bad in ["abc", "", "1 fortnight", "P", "1:2:3:4", "1 day ago 2 hours", "1 day 2 days", "1 2"] {
            assert_eq!(parse(bad, None).unwrap_err().code, "22007", "{bad}");
        }
    }
}
