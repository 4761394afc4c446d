//! Time zones in POSIX's spelling: `EST5EDT,M3.2.0,M11.1.0`, read as PostgreSQL's `tzparse` reads it.

use super::calendar::{days_of, is_leap, month_days, weekday};
use super::zone::{Rules, Span};

/// Names longer than this no zone has.
const LONGEST: usize = 255;
/// When the clocks are turned where nothing is said of it.
const USUAL: &str = ",M3.2.0,M11.1.0";

/// A day of the year on which the clocks are turned, and the seconds of it that they show then.
struct Turn {
    day: Day,
    time: i32,
}

enum Day {
    /// 1 to 365: the 29th of February is not counted.
    Julian(i64),
    /// 0 to 365.
    OfYear(i64),
    /// Month, week (5: the last) and weekday.
    OfMonth(i64, i64, i64),
}

/// The zone of a text in upper case.
pub(super) fn parse(text: &str) -> Option<Rules> {
    if text.len() > LONGEST {
        return None;
    }
    let mut rest = text;
    let standard = name(&mut rest)?;
    let west = offset(&mut rest)?;
    let mut spans = vec![Span { start: i64::MIN, east: -west, name: standard.into(), summer: false }];
    if !rest.is_empty() {
        let summer = name(&mut rest).filter(|name| !name.is_empty())?;
        let early = match rest.chars().next() {
            None | Some(',' | ';') => west - 3600,
            _ => offset(&mut rest)?,
        };
        if rest.is_empty() {
            rest = USUAL;
        }
        let mut rules = rest.strip_prefix([',', ';'])?;
        let begin = turn(&mut rules)?;
        let mut rules = rules.strip_prefix(',')?;
        let end = turn(&mut rules)?;
        if !rules.is_empty() {
            return None;
        }
        let summer = Span { start: 0, east: -early, name: summer.into(), summer: true };
        turns(&mut spans, summer, &begin, &end);
    }
    Some(Rules { name: text.to_string(), spans, always: true })
}

/// `EST` or `<+03>`.
fn name<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let (name, behind) = match rest.strip_prefix('<') {
        Some(quoted) => quoted.split_once('>')?,
        None => rest.split_at(rest.find(|c: char| c.is_ascii_digit() || ",+-".contains(c)).unwrap_or(rest.len())),
    };
    *rest = behind;
    Some(name)
}

fn number(rest: &mut &str, range: std::ops::RangeInclusive<i32>) -> Option<i32> {
    let (digits, behind) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    *rest = behind;
    digits.parse().ok().filter(|number| range.contains(number))
}

/// `[+-]hh[:mm[:ss]]` in seconds.
fn offset(rest: &mut &str) -> Option<i32> {
    let (sign, unsigned) = match rest.strip_prefix('-') {
        Some(unsigned) => (-1, unsigned),
        None => (1, rest.strip_prefix('+').unwrap_or(rest)),
    };
    *rest = unsigned;
    let mut seconds = number(rest, 0..=167)? * 3600;
    for (most, unit) in [(59, 60), (60, 1)] {
        let Some(behind) = rest.strip_prefix(':') else { break };
        *rest = behind;
        seconds += number(rest, 0..=most)? * unit;
    }
    Some(sign * seconds)
}

fn turn(rest: &mut &str) -> Option<Turn> {
    let point = |rest: &mut &str| rest.strip_prefix('.').map(|behind| *rest = behind);
    let day = if let Some(behind) = rest.strip_prefix('J') {
        *rest = behind;
        Day::Julian(number(rest, 1..=365)?.into())
    } else if let Some(behind) = rest.strip_prefix('M') {
        *rest = behind;
        let month = number(rest, 1..=12)?;
        point(rest)?;
        let week = number(rest, 1..=5)?;
        point(rest)?;
        Day::OfMonth(month.into(), week.into(), number(rest, 0..=6)?.into())
    } else {
        Day::OfYear(number(rest, 0..=365)?.into())
    };
    let time = match rest.strip_prefix('/') {
        Some(behind) => {
            *rest = behind;
            offset(rest)?
        }
        None => 2 * 3600,
    };
    Some(Turn { day, time })
}

impl Turn {
    /// When clocks that are so far east are turned in a year, in seconds since 1970.
    fn at(&self, year: i64, east: i32) -> i64 {
        let first = days_of(year, 1, 1);
        let day = match self.day {
            Day::Julian(day) => first + day - 1 + i64::from(is_leap(year) && day >= 60),
            Day::OfYear(day) => first + day,
            Day::OfMonth(month, week, wanted) => {
                let first = days_of(year, month, 1);
                let nearest = (wanted - weekday(first)).rem_euclid(7);
                let last = month_days(year, month) - 1;
                let days = nearest + (week - 1) * 7;
                first + if days > last { days - 7 } else { days }
            }
        };
        day * 86_400 + i64::from(self.time) - i64::from(east)
    }
}

/// Appends the spans of all years that a zone spells out.
fn turns(spans: &mut Vec<Span>, summer: Span, begin: &Turn, end: &Turn) {
    let standard = spans[0].clone();
    let mut all = Vec::new();
    for year in 1970..=2100 {
        all.push(Span { start: begin.at(year, standard.east), ..summer.clone() });
        all.push(Span { start: end.at(year, summer.east), ..standard.clone() });
    }
    all.sort_by_key(|span| span.start);
    spans.extend(all);
}
