//! Intervals from text: numbers with units in any order, SQL's, and ISO 8601's with designators.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};

use super::decode::{Decoded, Wrong, clock};
use super::fields::{Field, Kind, fraction, leading, leading_long, split};
use super::interval::Interval;
use super::interval_typmod::{Range, adjust};
use super::style::IntervalStyle;
use super::values::{DAY, HOUR, MINUTE, SECOND};
use super::words::{DateWord, Unit, date_word, unit};

/// How long the fields of a text may be together.
const ROOM: usize = 256;

/// The interval that a text means, made to fit a type modifier.
pub fn parse(context: &Context, text: &str, typmod: i32) -> Result<Interval> {
    let range = Range::of(typmod);
    let lower = text.to_ascii_lowercase();
    let verbose = split(&lower, ROOM).ok_or(Wrong::Syntax).and_then(|fields| verbose(context, &fields, range));
    let read = match verbose {
        // A text of another form may be ISO 8601's.
        Err(Wrong::Syntax) => iso_8601(text),
        verbose => verbose,
    };
    let interval = match read {
        Ok(Read::Sum(sum)) => sum.interval()?,
        Ok(Read::Infinity) => Interval::INFINITY,
        Ok(Read::MinusInfinity) => Interval::MINUS_INFINITY,
        Err(Wrong::Field) => {
            return Err(Error::new(
                sqlstate::INTERVAL_FIELD_OVERFLOW,
                format!("interval field value out of range: \"{text}\""),
            ));
        }
        Err(wrong) => return Err(wrong.error(text, "interval")),
    };
    adjust(interval, typmod)
}

enum Read {
    Sum(Sum),
    Infinity,
    MinusInfinity,
}

/// What has been added up.
#[derive(Clone, Copy, Default)]
struct Sum {
    micros: i64,
    days: i32,
    months: i32,
    years: i32,
}

/// A number as it is written: the whole part, and the fraction with the same sign.
#[derive(Clone, Copy)]
struct Number {
    whole: i64,
    fraction: f64,
}

impl Sum {
    fn interval(self) -> Result<Interval> {
        let months = i64::from(self.years) * 12 + i64::from(self.months);
        let months = i32::try_from(months)
            .map_err(|_| Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "interval out of range"))?;
        Ok(Interval { months, days: self.days, micros: self.micros })
    }

    fn add_micros(&mut self, value: i64, unit: i64) -> Decoded<()> {
        let sum = value.checked_mul(unit).and_then(|v| self.micros.checked_add(v));
        self.micros = sum.ok_or(Wrong::Field)?;
        Ok(())
    }

    fn add(place: &mut i32, value: i64, factor: i32) -> Decoded<()> {
        let value = i32::try_from(value).ok().and_then(|v| v.checked_mul(factor));
        *place = value.and_then(|v| place.checked_add(v)).ok_or(Wrong::Field)?;
        Ok(())
    }

    fn add_fraction_of_micros(&mut self, fraction: f64, unit: i64) -> Decoded<()> {
        if fraction == 0.0 {
            return Ok(());
        }
        let micros = fraction * unit as f64;
        let (whole, rest) = (micros.trunc() as i64, micros - micros.trunc());
        self.add_micros(whole + i64::from(rest > 0.5) - i64::from(rest < -0.5), 1)
    }

    fn add_fraction_of_days(&mut self, fraction: f64, unit: i32) -> Decoded<()> {
        if fraction == 0.0 {
            return Ok(());
        }
        let days = fraction * f64::from(unit);
        Sum::add(&mut self.days, days.trunc() as i64, 1)?;
        self.add_fraction_of_micros(days - days.trunc(), DAY)
    }

    fn add_time(&mut self, number: Number, unit: i64) -> Decoded<()> {
        self.add_micros(number.whole, unit)?;
        self.add_fraction_of_micros(number.fraction, unit)
    }

    fn add_years(&mut self, number: Number, unit: i32) -> Decoded<()> {
        Sum::add(&mut self.years, number.whole, unit)?;
        let months = (number.fraction * f64::from(unit) * 12.0).round_ties_even();
        Sum::add(&mut self.months, months as i64, 1)
    }

    fn add_months(&mut self, number: Number) -> Decoded<()> {
        Sum::add(&mut self.months, number.whole, 1)?;
        self.add_fraction_of_days(number.fraction, 30)
    }

    fn add_weeks(&mut self, number: Number) -> Decoded<()> {
        Sum::add(&mut self.days, number.whole, 7)?;
        self.add_fraction_of_days(number.fraction, 7)
    }

    fn add_days(&mut self, number: Number) -> Decoded<()> {
        Sum::add(&mut self.days, number.whole, 1)?;
        self.add_fraction_of_micros(number.fraction, DAY)
    }

    /// Counts a number; gives what it has said, as bits.
    fn count(&mut self, number: Number, unit: Unit) -> Decoded<u32> {
        match unit {
            Unit::Microsecond => self.add_time(number, 1)?,
            Unit::Millisecond => self.add_time(number, 1000)?,
            Unit::Second => self.add_time(number, SECOND)?,
            Unit::Minute => self.add_time(number, MINUTE)?,
            Unit::Hour => self.add_time(number, HOUR)?,
            Unit::Day => self.add_days(number)?,
            Unit::Week => self.add_weeks(number)?,
            Unit::Month => self.add_months(number)?,
            Unit::Year => self.add_years(number, 1)?,
            Unit::Decade => self.add_years(number, 10)?,
            Unit::Century => self.add_years(number, 100)?,
            Unit::Millennium => self.add_years(number, 1000)?,
            Unit::Quarter | Unit::Timezone | Unit::TimezoneHour | Unit::TimezoneMinute => return Err(Wrong::Syntax),
        }
        // Seconds with a fraction say the smaller units too.
        Ok(if unit == Unit::Second && number.fraction != 0.0 { ALL_SECONDS } else { bit(unit) })
    }

    /// The time of `[HH:]MM:SS` takes the place of what there was.
    fn clock(&mut self, text: &str, range: Range) -> Decoded<()> {
        let clock = clock(text, range == Range::MINUTE_TO_SECOND)?;
        self.micros = i64::from(clock.micros);
        self.add_micros(clock.hour, HOUR)?;
        self.add_micros(clock.minute.into(), MINUTE)?;
        self.add_micros(clock.second.into(), SECOND)
    }

    fn negated(self) -> Decoded<Sum> {
        let negated = || {
            Some(Sum {
                micros: self.micros.checked_neg()?,
                days: self.days.checked_neg()?,
                months: self.months.checked_neg()?,
                years: self.years.checked_neg()?,
            })
        };
        negated().ok_or(Wrong::Field)
    }
}

const fn bit(unit: Unit) -> u32 {
    1 << unit as u32
}

const ALL_SECONDS: u32 = bit(Unit::Second) | bit(Unit::Millisecond) | bit(Unit::Microsecond);
const TIME: u32 = bit(Unit::Hour) | bit(Unit::Minute) | ALL_SECONDS;
const DATE: u32 = bit(Unit::Day) | bit(Unit::Month) | bit(Unit::Year);

/// What the unit of a number is.
#[derive(Clone, Copy)]
enum Counted {
    /// Nothing is said of it; the type modifier may say it.
    Unknown,
    Unit(Unit),
    /// Behind `ago` there is none.
    Nothing,
}

/// Numbers with units, and times with colons. They are read from the end: a unit stands behind its number.
fn verbose(context: &Context, fields: &[Field], range: Range) -> Decoded<Read> {
    // SQL's way to write a negative value: one sign for all.
    let signed = |field: &Field| field.text.starts_with(['-', '+']);
    let all_negative = context.interval_style == IntervalStyle::SqlStandard
        && fields.first().is_some_and(|first| first.text.starts_with('-'))
        && !fields[1..].iter().any(signed);
    let (mut sum, mut said, mut special) = (Sum::default(), 0, None);
    let mut counted = Counted::Unknown;
    let (mut unit_waits, mut ago) = (false, false);
    for (at, field) in fields.iter().enumerate().rev() {
        let text = &*field.text;
        let last = at + 1 == fields.len();
        let says = match field.kind {
            Kind::Word | Kind::SignedWord => {
                if unit_waits {
                    return Err(Wrong::Syntax);
                }
                match (unit(text), date_word(text)) {
                    (Some(unit), _) => {
                        (counted, unit_waits) = (Counted::Unit(unit), true);
                        0
                    }
                    (None, Some(DateWord::Filler)) => {
                        counted = Counted::Unknown;
                        continue;
                    }
                    // Minutes in the words of dates, where `m` is a month.
                    (None, Some(DateWord::Unit)) if text == "mm" => {
                        (counted, unit_waits) = (Counted::Unit(Unit::Minute), true);
                        0
                    }
                    // `dow` and the like are units that nothing counts.
                    (None, Some(DateWord::Unit | DateWord::Julian)) => {
                        (counted, unit_waits) = (Counted::Nothing, true);
                        0
                    }
                    // Before it there can be no number, whatever its size.
                    (None, Some(DateWord::Infinity)) if last => {
                        (special, counted) = (Some(Read::Infinity), Counted::Nothing);
                        DATE | TIME
                    }
                    (None, Some(DateWord::NegativeInfinity)) if last => {
                        (special, counted) = (Some(Read::MinusInfinity), Counted::Nothing);
                        DATE | TIME
                    }
                    (None, None) if text == "ago" && last => {
                        (counted, ago) = (Counted::Nothing, true);
                        0
                    }
                    _ => return Err(Wrong::Syntax),
                }
            }
            Kind::Time => {
                sum.clock(text, range)?;
                if all_negative && sum.micros > 0 {
                    sum.micros = -sum.micros;
                }
                (counted, unit_waits) = (Counted::Unit(Unit::Day), false);
                TIME
            }
            Kind::Signed if text[1..].contains(':') && sum.clock(&text[1..], range).is_ok() => {
                if text.starts_with('-') || all_negative && sum.micros > 0 {
                    sum.micros = sum.micros.checked_neg().ok_or(Wrong::Field)?;
                }
                (counted, unit_waits) = (Counted::Unit(Unit::Day), false);
                TIME
            }
            Kind::Signed | Kind::Date | Kind::Number => {
                let unit = match counted {
                    Counted::Unknown => Some(range.last()),
                    Counted::Unit(unit) => Some(unit),
                    Counted::Nothing => None,
                };
                let (number, unit) = number(text, unit)?;
                let unit = unit.ok_or(Wrong::Syntax)?;
                let number = if all_negative { negative(number) } else { number };
                let says = sum.count(number, unit)?;
                // Before hours there may be days without their word.
                counted = Counted::Unit(if unit == Unit::Hour { Unit::Day } else { unit });
                unit_waits = false;
                says
            }
        };
        if says & said != 0 {
            return Err(Wrong::Syntax);
        }
        said |= says;
    }
    if said == 0 || unit_waits {
        return Err(Wrong::Syntax);
    }
    if ago {
        sum = sum.negated()?;
    }
    Ok(special.unwrap_or(Read::Sum(sum)))
}

fn negative(number: Number) -> Number {
    let whole = if number.whole > 0 { -number.whole } else { number.whole };
    Number { whole, fraction: -number.fraction.abs() }
}

/// One number, or years and months: `1-2`; with what it counts.
fn number(text: &str, unit: Option<Unit>) -> Decoded<(Number, Option<Unit>)> {
    let minus = text.starts_with('-');
    let (whole, rest) = leading_long(text).ok_or(Wrong::Field)?;
    if let Some(months) = rest.strip_prefix('-') {
        let (months, rest) = leading(months).filter(|(months, _)| (0..12).contains(months)).ok_or(Wrong::Field)?;
        if !rest.is_empty() {
            return Err(Wrong::Syntax);
        }
        let months = i64::from(if minus { -months } else { months });
        let whole = whole.checked_mul(12).and_then(|all| all.checked_add(months)).ok_or(Wrong::Field)?;
        return Ok((Number { whole, fraction: 0.0 }, Some(Unit::Month)));
    }
    let fraction = match rest {
        "" => 0.0,
        rest if rest.starts_with('.') => fraction(rest).ok_or(Wrong::Syntax)?,
        _ => return Err(Wrong::Syntax),
    };
    Ok((Number { whole, fraction: if minus { -fraction } else { fraction } }, unit))
}

/// Behind a `P`: numbers with designators, those of time behind a `T`; or `0001-02-03T04:05:06`.
fn iso_8601(text: &str) -> Decoded<Read> {
    let mut rest = text.strip_prefix('P').filter(|rest| !rest.is_empty()).ok_or(Wrong::Syntax)?;
    let mut sum = Sum::default();
    let (mut of_date, mut any) = (true, false);
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix('T') {
            (of_date, any, rest) = (false, false, behind);
            continue;
        }
        let field = rest;
        let number = iso_number(&mut rest)?;
        let designator = rest.chars().next();
        let behind = rest.get(1..).unwrap_or("");
        match (of_date, designator) {
            (true, Some('Y')) => sum.add_years(number, 1)?,
            (true, Some('M')) => sum.add_months(number)?,
            (true, Some('W')) => sum.add_weeks(number)?,
            (true, Some('D')) => sum.add_days(number)?,
            (true, None | Some('T' | '-')) => {
                let dashed = designator == Some('-');
                if any {
                    return Err(Wrong::Syntax);
                }
                if !dashed && digits(field) == 8 {
                    sum.add_years(Number { whole: number.whole / 10_000, fraction: 0.0 }, 1)?;
                    sum.add_months(Number { whole: number.whole / 100 % 100, fraction: 0.0 })?;
                    sum.add_days(Number { whole: number.whole % 100, ..number })?;
                } else {
                    sum.add_years(number, 1)?;
                }
                if dashed {
                    rest = behind;
                    dashed_date(&mut rest, &mut sum)?;
                }
                continue;
            }
            (false, Some('H')) => sum.add_time(number, HOUR)?,
            (false, Some('M')) => sum.add_time(number, MINUTE)?,
            (false, Some('S')) => sum.add_time(number, SECOND)?,
            (false, None) if digits(field) == 6 && !any => {
                sum.add_micros(number.whole / 10_000, HOUR)?;
                sum.add_micros(number.whole / 100 % 100, MINUTE)?;
                sum.add_micros(number.whole % 100, SECOND)?;
                sum.add_fraction_of_micros(number.fraction, 1)?;
            }
            (false, None | Some(':')) if !any => {
                sum.add_time(number, HOUR)?;
                rest = behind;
                return if designator.is_some() { colons(rest, sum) } else { Ok(Read::Sum(sum)) };
            }
            _ => return Err(Wrong::Syntax),
        }
        (rest, any) = (behind, true);
    }
    Ok(Read::Sum(sum))
}

/// The months and days of `0001-02-03`.
fn dashed_date(rest: &mut &str, sum: &mut Sum) -> Decoded<()> {
    let months = iso_number(rest)?;
    sum.add_months(months)?;
    if let Some(behind) = rest.strip_prefix('-') {
        *rest = behind;
        let days = iso_number(rest)?;
        sum.add_days(days)?;
    }
    if rest.is_empty() || rest.starts_with('T') { Ok(()) } else { Err(Wrong::Syntax) }
}

/// The minutes and seconds of `04:05:06`.
fn colons(mut rest: &str, mut sum: Sum) -> Decoded<Read> {
    let minutes = iso_number(&mut rest)?;
    sum.add_time(minutes, MINUTE)?;
    if let Some(behind) = rest.strip_prefix(':') {
        rest = behind;
        let seconds = iso_number(&mut rest)?;
        sum.add_time(seconds, SECOND)?;
    }
    if rest.is_empty() { Ok(Read::Sum(sum)) } else { Err(Wrong::Syntax) }
}

/// Digits before the point, without the sign.
fn digits(field: &str) -> usize {
    field.strip_prefix('-').unwrap_or(field).bytes().take_while(u8::is_ascii_digit).count()
}

/// A number as C's `strtod` takes it.
fn iso_number(rest: &mut &str) -> Decoded<Number> {
    if !rest.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '.') {
        return Err(Wrong::Syntax);
    }
    let bytes = rest.as_bytes();
    let run = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let mut end = run(usize::from(bytes[0] == b'-'));
    if bytes.get(end) == Some(&b'.') {
        end = run(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let signed = end + 1 + usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = run(signed);
        end = if exponent > signed { exponent } else { end };
    }
    let value: f64 = rest[..end].parse().map_err(|_| Wrong::Syntax)?;
    if !(-1e15..=1e15).contains(&value) {
        return Err(Wrong::Field);
    }
    *rest = &rest[end..];
    Ok(Number { whole: value.trunc() as i64, fraction: value - value.trunc() })
}
