//! `to_date` and `to_timestamp`: dates and times from texts that a picture describes.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::calendar::{days_of, is_leap};
use super::decode::{Place, Wrong, abbreviation};
use super::input::rounded;
use super::local::Tm;
use super::picture::{Code, DAYS, Field, MONTHS, Node, ROMAN_MONTHS, is_separator, is_space, parse};
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    to_date[c](text, text) -> date = |c, text: &str, picture: &str| {
        let range = || Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, format!("date out of range: \"{text}\""));
        let read = read(c, text, picture)?;
        if read.tm.in_calendar() { to_date(read.tm.days()).ok_or_else(range) } else { Err(range()) }
    };
    to_timestamp[c](text, text) -> timestamptz = |c, text: &str, picture: &str| {
        let read = read(c, text, picture)?;
        if !read.tm.in_calendar() {
            return Err(timestamp_out_of_range());
        }
        let local = read.tm.local();
        let east = read.place.offset_of_local(c, local);
        let utc = to_timestamp(local.total() - i128::from(east) * i128::from(SECOND))?;
        rounded(utc, if read.digits == 0 { -1 } else { read.digits.into() })
    };
};

/// What a text says.
struct Read {
    tm: Tm,
    place: Place,
    /// Digits of a second that the picture has.
    digits: u8,
}

/// Numbers as they stand in the text; 0 where there is none.
#[derive(Default)]
struct Numbers {
    /// Of ISO's calendar of weeks, or of months and days.
    of_weeks: Option<bool>,
    hour: i32,
    afternoon: i32,
    twelve_hours: bool,
    minute: i32,
    second: i32,
    second_of_day: i32,
    /// 1 is Sunday.
    weekday: i32,
    day: i32,
    day_of_year: i32,
    month: i32,
    millis: i32,
    micros: i32,
    year: i32,
    /// Digits of the year that the picture has.
    year_digits: u8,
    before_christ: i32,
    week: i32,
    week_of_month: i32,
    century: i32,
    julian: i32,
    /// 0 where no hours or minutes of a zone are read.
    zone_sign: i32,
    zone_hour: i32,
    zone_minute: i32,
    zone: Option<Place>,
    digits: u8,
}

fn syntax(message: String) -> Error {
    Error::new(sqlstate::INVALID_DATETIME_FORMAT, message)
}

/// Reads a text along its picture.
struct Reader<'a> {
    context: &'a Context,
    text: &'a str,
    at: usize,
    numbers: Numbers,
    /// What follows is read as it stands.
    exact: bool,
    /// Characters that were passed beyond those of the picture.
    passed: i32,
}

fn read(context: &Context, text: &str, picture: &str) -> Result<Read> {
    // As a C string.
    let text = text.split('\0').next().unwrap_or("");
    let mut reader = Reader { context, text, at: 0, numbers: Numbers::default(), exact: false, passed: 0 };
    let nodes = parse(picture)?;
    for at in 0..nodes.len() {
        if reader.rest().is_empty() {
            break;
        }
        reader.node(&nodes, at)?;
    }
    reader.numbers.read(text)
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_char(&mut self) {
        self.at += self.rest().chars().next().map_or(0, char::len_utf8);
    }

    fn skip_spaces(&mut self) -> i32 {
        let rest = self.rest();
        let spaces = rest.len() - rest.trim_start_matches(is_space).len();
        self.at += spaces;
        spaces as i32
    }

    fn node(&mut self, nodes: &[Node], at: usize) -> Result<()> {
        let is_field = matches!(&nodes[at], Node::Field(_));
        let is_exact = matches!(&nodes[at], Node::Field(field) if field.code == Code::Exact);
        if !self.exact && !is_exact && (is_field || at == 0) {
            self.passed += self.skip_spaces();
        }
        match &nodes[at] {
            Node::Space(_) | Node::Separator(_) if self.exact => self.skip_char(),
            // One sign or space for one of the picture, or none.
            Node::Space(_) | Node::Separator(_) => {
                self.passed -= 1;
                if self.rest().starts_with(|c| is_space(c) || is_separator(c)) {
                    self.at += 1;
                    self.passed += 1;
                }
            }
            // What was passed before may have been for this one.
            Node::Text(_) if !self.exact && self.passed > 0 => self.passed -= 1,
            Node::Text(_) => self.skip_char(),
            Node::Field(field) => {
                self.one_calendar(field)?;
                self.field(field, nodes.get(at + 1))?;
                if !self.exact {
                    self.passed = self.skip_spaces();
                }
            }
        }
        Ok(())
    }

    fn one_calendar(&mut self, field: &Field) -> Result<()> {
        let Some(of_weeks) = field.code.of_weeks() else { return Ok(()) };
        if *self.numbers.of_weeks.get_or_insert(of_weeks) == of_weeks {
            return Ok(());
        }
        let hint = "Do not mix Gregorian and ISO week date conventions in a formatting template.";
        Err(syntax("invalid combination of date conventions".to_string()).hint(hint))
    }

    fn field(&mut self, field: &Field, next: Option<&Node>) -> Result<()> {
        let points = field.name.contains('.');
        match field.code {
            Code::Exact => self.exact = true,
            Code::Meridian => {
                let words = if points { &["a.m.", "p.m."] } else { &["am", "pm"] };
                let found = self.word(field, words)?;
                set(&mut self.numbers.afternoon, found, field)?;
                self.numbers.twelve_hours = true;
            }
            Code::Era => {
                let words = if points { &["a.d.", "b.c."] } else { &["ad", "bc"] };
                let found = self.word(field, words)?;
                set(&mut self.numbers.before_christ, found, field)?;
            }
            Code::MonthName | Code::MonthAbbreviation => {
                let short = field.code == Code::MonthAbbreviation;
                let found = self.word(field, &MONTHS.map(|month| if short { &month[..3] } else { month }))?;
                set(&mut self.numbers.month, found + 1, field)?;
            }
            Code::RomanMonth => {
                let found = self.word(field, &ROMAN_MONTHS)?;
                set(&mut self.numbers.month, 12 - found, field)?;
            }
            Code::DayName | Code::DayAbbreviation => {
                let short = field.code == Code::DayAbbreviation;
                let found = self.word(field, &DAYS.map(|day| if short { &day[..3] } else { day }))?;
                set(&mut self.numbers.weekday, found, field)?;
                self.numbers.weekday += 1;
            }
            Code::Zone => self.zone(field, next)?,
            Code::Offset => self.offset(field, next)?,
            Code::ZoneHour => {
                self.zone_sign();
                self.number(field, next, 2, |n| &mut n.zone_hour)?;
            }
            Code::ZoneMinute => {
                if self.numbers.zone_sign == 0 {
                    self.numbers.zone_sign = 1;
                }
                self.number(field, next, 2, |n| &mut n.zone_minute)?;
            }
            Code::YearWithComma => self.year_with_comma(field)?,
            _ => self.digits(field, next)?,
        }
        let has_ending = field.code.is_digits() && field.code != Code::ZoneMinute;
        if field.ordinal.is_some() && has_ending {
            self.skip_char();
            self.skip_char();
        }
        Ok(())
    }

    /// A field that is a number.
    fn digits(&mut self, field: &Field, next: Option<&Node>) -> Result<()> {
        let width = field.name.len();
        match field.code {
            Code::Hour12 => {
                self.number(field, next, 2, |n| &mut n.hour)?;
                self.numbers.twelve_hours = true;
            }
            Code::Hour24 => drop(self.number(field, next, 2, |n| &mut n.hour)?),
            Code::Minute => drop(self.number(field, next, width, |n| &mut n.minute)?),
            Code::Second => drop(self.number(field, next, width, |n| &mut n.second)?),
            Code::SecondOfDay => drop(self.number(field, next, width, |n| &mut n.second_of_day)?),
            Code::Millisecond => {
                // 25 is a quarter of a second, 025 is not.
                let read = self.number(field, next, 3, |n| &mut n.millis)?;
                self.numbers.millis = scaled(self.numbers.millis, 3, read);
            }
            Code::Microsecond | Code::Fraction(_) => {
                let mut width = 6;
                if let Code::Fraction(digits) = field.code {
                    (self.numbers.digits, width) = (digits, digits.into());
                }
                let read = self.number(field, next, width, |n| &mut n.micros)?;
                self.numbers.micros = scaled(self.numbers.micros, 6, read);
            }
            Code::Month => drop(self.number(field, next, width, |n| &mut n.month)?),
            Code::DayOfYear | Code::IsoDayOfYear => drop(self.number(field, next, 3, |n| &mut n.day_of_year)?),
            Code::DayOfMonth => drop(self.number(field, next, width, |n| &mut n.day)?),
            Code::DayOfWeek => drop(self.number(field, next, width, |n| &mut n.weekday)?),
            Code::IsoDayOfWeek => {
                self.number(field, next, 1, |n| &mut n.weekday)?;
                let weekday = self.numbers.weekday.saturating_add(1);
                self.numbers.weekday = if weekday > 7 { 1 } else { weekday };
            }
            Code::Week | Code::IsoWeek => drop(self.number(field, next, width, |n| &mut n.week)?),
            Code::WeekOfMonth => drop(self.number(field, next, width, |n| &mut n.week_of_month)?),
            Code::Century => drop(self.number(field, next, width, |n| &mut n.century)?),
            Code::Julian => drop(self.number(field, next, width, |n| &mut n.julian)?),
            // Which day of it is meant is not known.
            Code::Quarter => drop(self.integer(field, next, width)?),
            Code::Year(digits) | Code::IsoYear(digits) => {
                let read = self.number(field, next, width, |n| &mut n.year)?;
                if digits < 4 && read < 4 {
                    self.numbers.year = near_2020(self.numbers.year);
                }
                self.numbers.year_digits = digits;
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads an integer into its place. Gives the bytes that were read.
    fn number(
        &mut self,
        field: &Field,
        next: Option<&Node>,
        width: usize,
        place: impl Fn(&mut Numbers) -> &mut i32,
    ) -> Result<usize> {
        let begin = self.at;
        let value = self.integer(field, next, width)?;
        set(place(&mut self.numbers), value, field)?;
        Ok(self.at - begin)
    }

    /// An integer of so many characters, or, where no digit may follow it, of all there are.
    fn integer(&mut self, field: &Field, next: Option<&Node>, width: usize) -> Result<i32> {
        let begin = self.at;
        self.skip_spaces();
        let rest = self.rest();
        let copy = &rest[..rest.floor_char_boundary(width)];
        let name = field.name;
        let ends = field.fill
            || field.ordinal.is_some()
            || match next {
                None => true,
                Some(Node::Field(next)) => !next.code.is_digits(),
                Some(Node::Text(char) | Node::Separator(char) | Node::Space(char)) => !char.is_ascii_digit(),
            };
        let wrong = || syntax(format!("invalid value \"{copy}\" for \"{name}\""));
        let hint = "If your source string is not fixed-width, try using the \"FM\" modifier.";
        let (value, used) = if ends {
            integer(rest)
        } else {
            if rest.len() < width {
                let error = syntax(format!("source string too short for \"{name}\" formatting field"));
                let detail = format!("Field requires {width} characters, but only {} remain.", rest.len());
                return Err(error.detail(detail).hint(hint));
            }
            let (value, used) = integer(copy);
            if used > 0 && used < width {
                let detail = format!("Field requires {width} characters, but only {used} could be parsed.");
                return Err(wrong().detail(detail).hint(hint));
            }
            (value, used)
        };
        self.at = if used == 0 && ends { begin } else { self.at + used };
        if self.at == begin {
            return Err(wrong().detail("Value must be an integer."));
        }
        value.ok_or_else(|| {
            let error = Error::new(
                sqlstate::DATETIME_VALUE_OUT_OF_RANGE,
                format!("value for \"{name}\" in source string is out of range"),
            );
            error.detail(format!("Value must be in the range {} to {}.", i32::MIN, i32::MAX))
        })
    }

    /// Which of some words stands here, in any case.
    fn word(&mut self, field: &Field, words: &[&str]) -> Result<i32> {
        let rest = self.rest().as_bytes();
        let stands =
            |word: &&str| rest.get(..word.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(word.as_bytes()));
        match words.iter().position(stands) {
            Some(found) => {
                self.at += words[found].len();
                Ok(found as i32)
            }
            None => {
                let is_end = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c');
                let word = self.rest().split(is_end).next().unwrap_or("");
                let error = syntax(format!("invalid value \"{word}\" for \"{}\"", field.name));
                Err(error.detail("The given value did not match any of the allowed values for this field."))
            }
        }
    }

    /// A zone's abbreviation: the longest one with which the text goes on; or an offset.
    fn zone(&mut self, field: &Field, next: Option<&Node>) -> Result<()> {
        let rest = self.rest();
        let letters = rest.bytes().take(10).take_while(u8::is_ascii_alphabetic).count();
        for len in (1..=letters).rev() {
            if let Some((place, _)) = abbreviation(self.context, &rest[..len].to_ascii_lowercase()) {
                (self.numbers.zone, self.numbers.zone_sign) = (Some(place), 0);
                self.at += len;
                return Ok(());
            }
        }
        if letters > 0 {
            let error = syntax(format!("invalid value \"{rest}\" for \"{}\"", field.name));
            return Err(error.detail("Time zone abbreviation is not recognized."));
        }
        self.offset(field, next)
    }

    /// `+05` or `+05:30`.
    fn offset(&mut self, field: &Field, next: Option<&Node>) -> Result<()> {
        self.zone_sign();
        self.number(field, next, 2, |n| &mut n.zone_hour)?;
        if self.rest().starts_with(':') {
            self.at += 1;
            self.number(field, next, 2, |n| &mut n.zone_minute)?;
        }
        Ok(())
    }

    /// A minus may have been taken for a separator.
    fn zone_sign(&mut self) {
        let passed_minus = self.passed > 0 && self.text[..self.at].ends_with('-');
        (self.numbers.zone_sign, self.at) = match self.rest().bytes().next() {
            Some(b'-') => (-1, self.at + 1),
            Some(b'+' | b' ') => (1, self.at + 1),
            _ => (if passed_minus { -1 } else { 1 }, self.at),
        };
    }

    /// `2,024`: thousands, and at most three digits.
    fn year_with_comma(&mut self, field: &Field) -> Result<()> {
        let rest = self.rest();
        let read = || {
            let (thousands, used) = integer(rest);
            let behind = rest[used..].strip_prefix(',').filter(|_| used > 0)?;
            let blanks = behind.len() - behind.trim_start_matches(is_space).len();
            let digits = &behind[blanks..];
            let (years, len) = integer(&digits[..digits.floor_char_boundary(3)]);
            (len > 0).then_some((thousands, years, used + 1 + blanks + len))
        };
        let Some((thousands, years, used)) = read() else {
            return Err(syntax(format!("invalid value \"{rest}\" for \"Y,YYY\"")));
        };
        let year = thousands.and_then(|thousands| thousands.checked_mul(1000)?.checked_add(years?));
        let range = || {
            Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "value for \"Y,YYY\" in source string is out of range")
        };
        set(&mut self.numbers.year, year.ok_or_else(range)?, field)?;
        self.numbers.year_digits = 4;
        self.at += used;
        Ok(())
    }
}

/// A field may come twice, but not with another value.
fn set(place: &mut i32, value: i32, field: &Field) -> Result<()> {
    if *place != 0 && *place != value {
        let error = syntax(format!("conflicting values for \"{}\" field in formatting string", field.name));
        return Err(error.detail("This value contradicts a previous setting for the same field type."));
    }
    *place = value;
    Ok(())
}

/// The integer with which a text begins, behind blanks, as C's `strtol` reads it; `None` if it does not fit. And how many
/// bytes it has: 0 if there is none.
fn integer(text: &str) -> (Option<i32>, usize) {
    let trimmed = text.trim_start_matches(is_space);
    let unsigned = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    let digits = unsigned.bytes().take_while(u8::is_ascii_digit).count();
    if digits == 0 {
        return (Some(0), 0);
    }
    let end = text.len() - unsigned.len() + digits;
    (text[text.len() - trimmed.len()..end].parse().ok(), end)
}

/// Digits behind a point, as many as a unit has.
fn scaled(value: i32, digits: usize, read: usize) -> i32 {
    value.saturating_mul(10i32.pow(digits.saturating_sub(read) as u32))
}

/// Years of fewer than four digits are those that are nearest to 2020.
fn near_2020(year: i32) -> i32 {
    match year {
        ..70 => year.saturating_add(2000),
        70..100 => year + 1900,
        100..520 => year + 2000,
        520..1000 => year + 1000,
        _ => year,
    }
}

/// The first day of a week in ISO's calendar.
fn week_start(year: i32, week: i32) -> i64 {
    let fourth = days_of(year.into(), 1, 4);
    (i64::from(week) - 1) * 7 + fourth - (fourth + 3).rem_euclid(7)
}

const YEAR: u8 = 1;
const MONTH: u8 = 2;
const DAY_OF_MONTH: u8 = 4;
const ALL: u8 = YEAR | MONTH | DAY_OF_MONTH;

impl Numbers {
    /// What the numbers mean together.
    fn read(mut self, text: &str) -> Result<Read> {
        let field = || Wrong::Field.error(text, "timestamp");
        let mut tm = Tm { month: 1, day: 1, ..Tm::default() };
        self.clock(&mut tm)?;
        let said = self.date(&mut tm, &field)?;
        tm.micros = self.millis.checked_mul(1000).ok_or_else(field)?.checked_add(self.micros).ok_or_else(field)?;
        let no_month = said & MONTH != 0 && !(1..=12).contains(&tm.month);
        let no_day = said & DAY_OF_MONTH != 0 && !(1..=31).contains(&tm.day);
        if no_month || no_day || said == ALL && !tm.has_day() {
            return Err(field());
        }
        let is_time = (0..24).contains(&tm.hour) && (0..60).contains(&tm.minute) && (0..60).contains(&tm.second);
        if !is_time || !(0..1_000_000).contains(&tm.micros) {
            return Err(field());
        }
        let place = match self.zone.take() {
            _ if self.zone_sign != 0 => {
                if !(0..=15).contains(&self.zone_hour) || !(0..60).contains(&self.zone_minute) {
                    return Err(Wrong::Displacement.error(text, "timestamp"));
                }
                Place::East(self.zone_sign * (self.zone_hour * 60 + self.zone_minute) * 60)
            }
            Some(place) => place,
            None => Place::Here,
        };
        Ok(Read { tm, place, digits: self.digits })
    }

    fn clock(&self, tm: &mut Tm) -> Result<()> {
        let seconds = self.second_of_day;
        (tm.hour, tm.minute, tm.second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let said = [(&mut tm.hour, self.hour), (&mut tm.minute, self.minute), (&mut tm.second, self.second)];
        for (place, value) in said.into_iter().filter(|(_, value)| *value != 0) {
            *place = value;
        }
        if !self.twelve_hours {
            return Ok(());
        }
        if !(1..=12).contains(&tm.hour) {
            let error = syntax(format!("hour \"{}\" is invalid for the 12-hour clock", tm.hour));
            return Err(error.hint("Use the 24-hour clock, or give an hour between 1 and 12."));
        }
        match (self.afternoon != 0, tm.hour) {
            (true, ..12) => tm.hour += 12,
            (false, 12) => tm.hour = 0,
            _ => {}
        }
        Ok(())
    }

    /// Year 0 is 1 BC; `None` for years that do not fit.
    fn full_year(&mut self) -> Option<i32> {
        if self.century != 0 && self.before_christ != 0 && (self.year == 0 || self.year_digits <= 2) {
            self.century = self.century.checked_neg()?;
        }
        if self.year == 0 {
            // The first year of a century.
            let first = if self.century >= 0 { self.century.checked_sub(1)? } else { self.century };
            return first.checked_mul(100)?.checked_add(1);
        }
        if self.century == 0 || self.year_digits > 2 {
            let year = if self.before_christ != 0 { self.year.checked_neg()? } else { self.year };
            return Some(if year < 0 { year + 1 } else { year });
        }
        match (self.year % 100, self.century) {
            (0, century) => century.checked_mul(100)?.checked_add(i32::from(century < 0)),
            (year, 0..) => (self.century - 1).checked_mul(100)?.checked_add(year),
            (year, _) => (self.century + 1).checked_mul(100)?.checked_sub(year)?.checked_add(1),
        }
    }

    /// Gives what has been said of the date, as bits.
    fn date(&mut self, tm: &mut Tm, field: &impl Fn() -> Error) -> Result<u8> {
        let mut said = 0;
        if self.year != 0 || self.century != 0 {
            tm.year = self.full_year().ok_or_else(field)?;
            said |= YEAR;
        }
        if self.julian != 0 {
            tm.set_date(i64::from(self.julian) - 2_440_588);
            said = ALL;
        }
        let by_weeks = |week: i32| week.checked_sub(1)?.checked_mul(7)?.checked_add(1);
        if self.week != 0 && self.of_weeks == Some(true) {
            let monday = week_start(tm.year, self.week);
            tm.set_date(match self.weekday {
                0 => monday,
                // Sunday is the last day of the week.
                weekday if weekday > 1 => monday + i64::from(weekday) - 2,
                _ => monday + 6,
            });
            said = ALL;
        } else if self.week != 0 {
            self.day_of_year = by_weeks(self.week).ok_or_else(field)?;
        }
        if self.week_of_month != 0 {
            self.day = by_weeks(self.week_of_month).ok_or_else(field)?;
        }
        if self.day != 0 {
            tm.day = self.day;
            said |= DAY_OF_MONTH;
        }
        if self.month != 0 {
            tm.month = self.month;
            said |= MONTH;
        }
        if self.day_of_year == 0 || tm.month > 1 && tm.day > 1 {
            return Ok(said);
        }
        if tm.year == 0 && self.before_christ == 0 {
            return Err(syntax("cannot calculate day of year without year information".to_string()));
        }
        if self.of_weeks == Some(true) {
            tm.set_date(week_start(tm.year, 1) - 1 + i64::from(self.day_of_year));
            return Ok(ALL);
        }
        // The month in which the day is; a 13th one behind the year's end.
        let first = |month: i32| {
            const BEFORE: [i32; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
            BEFORE[month as usize - 1] + i32::from(month > 2 && is_leap(tm.year.into()))
        };
        let month = (1..=12).find(|month| self.day_of_year <= first(month + 1)).unwrap_or(13);
        let day = self.day_of_year - first(month);
        if tm.month <= 1 {
            tm.month = month;
        }
        if tm.day <= 1 {
            tm.day = day;
        }
        Ok(said | MONTH | DAY_OF_MONTH)
    }
}
