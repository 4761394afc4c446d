//! `to_char` of timestamps and intervals.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::calendar::weekday;
use super::interval::Interval;
use super::local::{Local, Tm};
use super::output::put;
use super::picture::{Case, Code, DAYS, Field, MONTHS, Node, ROMAN_MONTHS, parse};
use super::values::*;
use super::zone::Span;

pub const FUNCTIONS: &[Function] = functions! {
    to_char(timestamp, text) -> Option<text> = |micros, picture| {
        if is_infinite(micros) { Ok(None) } else { written(&Shown::of(Local::of(micros), None), picture) }
    };
    to_char[c](timestamptz, text) -> Option<text> = |c: &Context, utc: i64, picture| {
        if is_infinite(utc) {
            return Ok(None);
        }
        let span = c.zone.at(utc.div_euclid(SECOND));
        written(&Shown::of(Local::of_offset(utc, span.east), Some(span)), picture)
    };
    to_char(interval, text) -> Option<text> = |value: Interval, picture| {
        if value.is_infinite() { Ok(None) } else { written(&Shown::of_interval(value), picture) }
    };
};

/// What is written, in parts.
struct Shown<'a> {
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    minute: i64,
    second: i64,
    micros: i64,
    /// 0 is Sunday.
    weekday: i64,
    day_of_year: i64,
    zone: Option<&'a Span>,
    interval: bool,
}

impl Shown<'_> {
    fn of(local: Local, zone: Option<&Span>) -> Shown<'_> {
        let tm = Tm::from(local);
        Shown {
            year: tm.year.into(),
            month: tm.month.into(),
            day: tm.day.into(),
            hour: tm.hour.into(),
            minute: tm.minute.into(),
            second: tm.second.into(),
            micros: tm.micros.into(),
            weekday: weekday(local.days),
            day_of_year: tm.day_of_year(),
            zone,
            interval: false,
        }
    }

    fn of_interval(value: Interval) -> Shown<'static> {
        let (months, days) = (i64::from(value.months), i64::from(value.days));
        Shown {
            year: months / 12,
            month: months % 12,
            day: days,
            hour: value.micros / HOUR,
            minute: value.micros / MINUTE % 60,
            second: value.micros / SECOND % 60,
            micros: value.micros % SECOND,
            weekday: 0,
            // All of it, with months of 30 days, as C's int.
            day_of_year: int(months * 30 + days),
            zone: None,
            interval: true,
        }
    }

    /// Years before Christ without their sign.
    fn positive(&self, year: i64) -> i64 {
        if self.interval || year > 0 { year } else { 1 - year }
    }

    fn east(&self) -> i64 {
        self.zone.map_or(0, |span| span.east.into())
    }
}

/// The Julian day of a date, whose month and day may be any numbers, as those of intervals are (`date2j`). C's int holds
/// less than all of them.
fn julian(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year + 4800, month + 1) } else { (year + 4799, month + 13) };
    let century = year / 100;
    int(year * 365 - 32_167 + year / 4 - century + century / 4 + 7834 * month / 256 + day)
}

/// As much of a number as C's int holds.
fn int(number: i64) -> i64 {
    (number as i32).into()
}

/// Year, week and day of the year in ISO's calendar of weeks (`date2isoyear`, `date2isoweek`, `date2isoyearday`).
fn iso(shown: &Shown) -> (i64, i64, i64) {
    let day = julian(shown.year, shown.month, shown.day);
    let first_monday = |year: i64| {
        let fourth = julian(year, 1, 4);
        int(fourth - fourth.rem_euclid(7))
    };
    let mut year = shown.year;
    if day < first_monday(year) {
        year -= 1;
    }
    let mut week = int(day - first_monday(year)) / 7 + 1;
    if week >= 52 && day >= first_monday(year + 1) {
        year += 1;
        week = int(day - first_monday(year)) / 7 + 1;
    }
    (year, week, int(day - first_monday(year) + 1))
}

fn written(shown: &Shown, picture: &str) -> Result<Option<String>> {
    if picture.is_empty() {
        return Ok(None);
    }
    let mut out = Vec::with_capacity(picture.len() * 2);
    for node in parse(picture)? {
        match node {
            Node::Field(field) => put_field(&mut out, &field, shown)?,
            Node::Text(char) | Node::Separator(char) | Node::Space(char) => put(&mut out, char),
        }
    }
    Ok(Some(String::from_utf8(out).expect("characters are written")))
}

fn cased(word: &str, case: Case) -> String {
    match case {
        Case::Upper => word.to_ascii_uppercase(),
        Case::Title => word.to_string(),
        Case::Lower => word.to_ascii_lowercase(),
    }
}

/// A name, filled up with blanks to a width.
fn put_name(out: &mut Vec<u8>, field: &Field, name: &str, width: usize) {
    let width = if field.fill || field.translated { 0 } else { width };
    put(out, format_args!("{:width$}", cased(name, field.case)));
}

fn put_field(out: &mut Vec<u8>, field: &Field, shown: &Shown) -> Result<()> {
    let has_no_date = matches!(
        field.code,
        Code::Era
            | Code::DayName
            | Code::DayAbbreviation
            | Code::DayOfWeek
            | Code::IsoDayOfWeek
            | Code::MonthName
            | Code::MonthAbbreviation
            | Code::Offset
            | Code::Zone
            | Code::ZoneHour
            | Code::ZoneMinute
    );
    if shown.interval && has_no_date {
        let error = Error::new(sqlstate::INVALID_DATETIME_FORMAT, "invalid format specification for an interval value");
        return Err(error.hint("Intervals are not tied to specific calendar dates."));
    }
    if put_word(out, field, shown) {
        return Ok(());
    }
    let Some((number, width)) = number(field, shown) else { return Ok(()) };
    let begin = out.len();
    if field.code == Code::YearWithComma {
        put(out, format_args!("{},{:03}", number / 1000, number % 1000));
    } else {
        let fraction = matches!(field.code, Code::Fraction(_) | Code::Millisecond | Code::Microsecond);
        let width = if field.fill && !fraction { 0 } else { width };
        put(out, format_args!("{number:0width$}"));
    }
    if let Some(case) = field.ordinal {
        let ending = match out[begin..] {
            [.., b'1', _] => "TH",
            [.., b'1'] => "ST",
            [.., b'2'] => "ND",
            [.., b'3'] => "RD",
            _ => "TH",
        };
        put(out, cased(ending, case));
    }
    Ok(())
}

/// Writes a field that is no number.
fn put_word(out: &mut Vec<u8>, field: &Field, shown: &Shown) -> bool {
    let points = field.name.contains('.');
    match field.code {
        Code::Meridian => {
            let afternoon = shown.hour % 24 >= 12;
            let word = match (afternoon, points) {
                (false, false) => "AM",
                (false, true) => "A.M.",
                (true, false) => "PM",
                (true, true) => "P.M.",
            };
            put(out, cased(word, field.case));
        }
        Code::Era => {
            let word = match (shown.year <= 0, points) {
                (false, false) => "AD",
                (false, true) => "A.D.",
                (true, false) => "BC",
                (true, true) => "B.C.",
            };
            put(out, cased(word, field.case));
        }
        Code::MonthName => put_name(out, field, MONTHS[shown.month as usize - 1], 9),
        Code::MonthAbbreviation => put_name(out, field, &MONTHS[shown.month as usize - 1][..3], 0),
        Code::DayName => put_name(out, field, DAYS[shown.weekday as usize], 9),
        Code::DayAbbreviation => put_name(out, field, &DAYS[shown.weekday as usize][..3], 0),
        Code::RomanMonth => {
            let index = match shown.month {
                // Whole years of an interval.
                0 if shown.year == 0 => return true,
                0 => 11 * i64::from(shown.year < 0),
                month if month < 0 => -month - 1,
                month => 12 - month,
            };
            let width = if field.fill { 0 } else { 4 };
            put(out, format_args!("{:width$}", cased(ROMAN_MONTHS[index as usize], field.case)));
        }
        Code::Zone => {
            let name = shown.zone.map_or("", |span| &span.name);
            put(out, if field.case == Case::Lower { name.to_ascii_lowercase() } else { name.to_string() });
        }
        Code::ZoneHour => {
            put(out, format_args!("{}{:02}", sign(shown.east()), shown.east().abs() / 3600));
        }
        Code::ZoneMinute => put(out, format_args!("{:02}", shown.east().abs() / 60 % 60)),
        Code::Offset => {
            let width = if field.fill { 0 } else { 2 };
            put(out, format_args!("{}{:0width$}", sign(shown.east()), shown.east().abs() / 3600));
            if shown.east() % 3600 != 0 {
                put(out, format_args!(":{:02}", shown.east().abs() / 60 % 60));
            }
        }
        Code::Exact => {}
        _ => return false,
    }
    true
}

fn sign(east: i64) -> char {
    if east < 0 { '-' } else { '+' }
}

/// A field's number, and how many digits it has at least, a minus among them. `None`: nothing is written.
fn number(field: &Field, shown: &Shown) -> Option<(i64, usize)> {
    let signed = |number: i64, sign: i64, width: usize| Some((number, width + usize::from(sign < 0)));
    let year = shown.positive(shown.year);
    let of_year = |number: i64, digits: u8| {
        let all = [10, 100, 1000].get(digits as usize - 1).map_or(number, |unit| number % unit);
        if digits == 1 { Some((all, 1)) } else { signed(all, year, digits.into()) }
    };
    match field.code {
        Code::Hour12 => signed(if shown.hour % 12 == 0 { 12 } else { shown.hour % 12 }, shown.hour, 2),
        Code::Hour24 => signed(shown.hour, shown.hour, 2),
        Code::Minute => signed(shown.minute, shown.minute, 2),
        Code::Second => signed(shown.second, shown.second, 2),
        Code::Fraction(digits) => Some((shown.micros / 10i64.pow(6 - u32::from(digits)), digits.into())),
        Code::Millisecond => Some((shown.micros / 1000, 3)),
        Code::Microsecond => Some((shown.micros, 6)),
        Code::SecondOfDay => Some(((shown.hour * 60 + shown.minute) * 60 + shown.second, 1)),
        Code::Month => signed(shown.month, shown.month, 2),
        Code::DayOfYear => Some((shown.day_of_year, 3)),
        Code::IsoDayOfYear => Some((iso(shown).2, 3)),
        Code::DayOfMonth => Some((shown.day, 2)),
        Code::DayOfWeek => Some((shown.weekday + 1, 1)),
        Code::IsoDayOfWeek => Some(((shown.weekday + 6) % 7 + 1, 1)),
        Code::Week => Some((int(shown.day_of_year - 1) / 7 + 1, 2)),
        Code::IsoWeek => Some((iso(shown).1, 2)),
        Code::WeekOfMonth => Some((int(shown.day - 1) / 7 + 1, 1)),
        Code::Quarter => (shown.month != 0).then(|| ((shown.month - 1) / 3 + 1, 1)),
        Code::Century => {
            let century = match shown.year {
                year if shown.interval => year / 100,
                year if year > 0 => (year - 1) / 100 + 1,
                year => year / 100 - 1,
            };
            signed(century, century, 2)
        }
        Code::YearWithComma => Some((year, 0)),
        Code::Year(digits) => of_year(year, digits),
        Code::IsoYear(digits) => of_year(shown.positive(iso(shown).0), digits),
        Code::Julian => Some((julian(shown.year, shown.month, shown.day), 1)),
        _ => None,
    }
}
