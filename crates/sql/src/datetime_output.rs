//! Dates, times and intervals as text, in the session's DateStyle, TimeZone and IntervalStyle.

use std::fmt::Display;
use std::io::Write;

use engine::Style;
use engine::style::{DateOrder, DateStyle, IntervalStyle};

use crate::calendar::{date_of, weekday};
use crate::datetime_input::{DATE_INFINITY, DAY, INFINITY};

pub fn put(out: &mut Vec<u8>, value: impl Display) {
    write!(out, "{value}").expect("writing to memory");
}

/// Days since 1970.
pub fn put_date(out: &mut Vec<u8>, days: i32, style: &Style) {
    match days {
        DATE_INFINITY => return out.extend_from_slice(b"infinity"),
        days if days == -DATE_INFINITY - 1 => return out.extend_from_slice(b"-infinity"),
        _ => {}
    }
    let date = date_of(days.into());
    put_day(out, date, style);
    put_era(out, date.0);
}

/// Years before the first count backwards: 0 is 1 BC.
fn put_day(out: &mut Vec<u8>, (year, month, day): (i64, i64, i64), style: &Style) {
    let year = if year > 0 { year } else { 1 - year };
    let day_first = style.order == DateOrder::Dmy;
    match style.date {
        DateStyle::Iso => put(out, format_args!("{year:04}-{month:02}-{day:02}")),
        DateStyle::German => put(out, format_args!("{day:02}.{month:02}.{year:04}")),
        DateStyle::Sql if day_first => put(out, format_args!("{day:02}/{month:02}/{year:04}")),
        DateStyle::Sql => put(out, format_args!("{month:02}/{day:02}/{year:04}")),
        DateStyle::Postgres if day_first => put(out, format_args!("{day:02}-{month:02}-{year:04}")),
        DateStyle::Postgres => put(out, format_args!("{month:02}-{day:02}-{year:04}")),
    }
}

fn put_era(out: &mut Vec<u8>, year: i64) {
    if year <= 0 {
        out.extend_from_slice(b" BC");
    }
}

/// Microseconds since 1970; `zoned` ones are shown in the session's zone.
pub fn put_timestamp(out: &mut Vec<u8>, micros: i64, zoned: bool, style: &Style) {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];
    match micros {
        INFINITY => return out.extend_from_slice(b"infinity"),
        micros if micros == -INFINITY - 1 => return out.extend_from_slice(b"-infinity"),
        _ => {}
    }
    let utc = micros.div_euclid(1_000_000);
    let offset = if zoned { style.zone.offset_at(utc) } else { 0 };
    let local = i128::from(micros) + i128::from(offset) * 1_000_000;
    let (days, time) = (local.div_euclid(DAY.into()) as i64, local.rem_euclid(DAY.into()) as i64);
    let date = date_of(days);
    if style.date == DateStyle::Postgres {
        let (year, month, day) = date;
        let (weekday, month) = (WEEKDAYS[weekday(days) as usize], MONTHS[month as usize - 1]);
        match style.order {
            DateOrder::Dmy => put(out, format_args!("{weekday} {day:02} {month} ")),
            _ => put(out, format_args!("{weekday} {month} {day:02} ")),
        }
        put_time(out, time);
        put(out, format_args!(" {:04}", if year > 0 { year } else { 1 - year }));
    } else {
        put_day(out, date, style);
        out.push(b' ');
        put_time(out, time);
    }
    if zoned && style.date == DateStyle::Iso {
        put_offset(out, offset);
    } else if zoned {
        put(out, format_args!(" {}", style.zone.abbreviation(utc)));
    }
    put_era(out, date.0);
}

/// `+01`, `-07:30`.
pub fn put_offset(out: &mut Vec<u8>, seconds: i32) {
    let rest = seconds.abs();
    put(out, format_args!("{}{:02}", if seconds < 0 { '-' } else { '+' }, rest / 3600));
    if rest % 3600 != 0 {
        put(out, format_args!(":{:02}", rest / 60 % 60));
    }
    if rest % 60 != 0 {
        put(out, format_args!(":{:02}", rest % 60));
    }
}

fn put_fraction(out: &mut Vec<u8>, micros: i64) {
    if micros != 0 {
        let digits = format!("{micros:06}");
        put(out, format_args!(".{}", digits.trim_end_matches('0')));
    }
}

/// `HH:MM:SS[.ffffff]`, of microseconds that are not negative.
pub fn put_time(out: &mut Vec<u8>, micros: i64) {
    let seconds = micros / 1_000_000;
    put(out, format_args!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    put_fraction(out, micros % 1_000_000);
}

pub fn put_interval(out: &mut Vec<u8>, months: i32, days: i32, micros: i64, style: &Style) {
    let parts = Parts { years: months / 12, months: months % 12, days, micros };
    match style.interval {
        IntervalStyle::Postgres => parts.postgres(out),
        IntervalStyle::PostgresVerbose => parts.verbose(out),
        IntervalStyle::SqlStandard => parts.sql_standard(out),
        IntervalStyle::Iso8601 => parts.iso_8601(out),
    }
}

/// An interval's parts, each with its own sign.
struct Parts {
    years: i32,
    months: i32,
    days: i32,
    micros: i64,
}

impl Parts {
    /// Hours, minutes, seconds and microseconds, without the sign.
    fn clock(&self) -> (u64, u64, u64, u64) {
        let micros = self.micros.unsigned_abs();
        let seconds = micros / 1_000_000;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, micros % 1_000_000)
    }

    /// Behind a negative part, a positive one has a plus.
    fn postgres(&self, out: &mut Vec<u8>) {
        let start = out.len();
        let mut negative = false;
        for (value, name) in [(self.years, "year"), (self.months, "mon"), (self.days, "day")] {
            if value != 0 {
                let space = if out.len() > start { " " } else { "" };
                let plus = if negative && value > 0 { "+" } else { "" };
                put(out, format_args!("{space}{plus}{value} {name}{}", if value == 1 { "" } else { "s" }));
                negative = value < 0;
            }
        }
        if self.micros != 0 || out.len() == start {
            if out.len() > start {
                out.push(b' ');
            }
            if self.micros < 0 {
                out.push(b'-');
            } else if negative {
                out.push(b'+');
            }
            let (hours, minutes, seconds, micros) = self.clock();
            put(out, format_args!("{hours:02}:{minutes:02}:{seconds:02}"));
            put_fraction(out, micros as i64);
        }
    }

    /// `@ 1 year 2 mons -3 days 4 hours ago`: the first part is positive, `ago` turns all round.
    fn verbose(&self, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.clock();
        let sign = self.micros.signum();
        out.push(b'@');
        let mut ago = None;
        let whole = [
            (i64::from(self.years), "year"),
            (i64::from(self.months), "mon"),
            (i64::from(self.days), "day"),
            (hours as i64 * sign, "hour"),
            (minutes as i64 * sign, "min"),
        ];
        for (value, name) in whole.into_iter().filter(|(value, _)| *value != 0) {
            let value = if *ago.get_or_insert(value < 0) { -value } else { value };
            put(out, format_args!(" {value} {name}{}", if value == 1 { "" } else { "s" }));
        }
        if seconds != 0 || micros != 0 {
            let minus = if *ago.get_or_insert(sign < 0) != (sign < 0) { "-" } else { "" };
            put(out, format_args!(" {minus}{seconds}"));
            put_fraction(out, micros as i64);
            put(out, if seconds == 1 && micros == 0 { " sec" } else { " secs" });
        }
        match ago {
            None => put(out, " 0"),
            Some(true) => put(out, " ago"),
            Some(false) => {}
        }
    }

    fn sql_standard(&self, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.clock();
        let all = [i64::from(self.years), i64::from(self.months), i64::from(self.days), self.micros];
        let (negative, positive) = (all.iter().any(|v| *v < 0), all.iter().any(|v| *v > 0));
        let year_month = self.years != 0 || self.months != 0;
        let day_time = self.days != 0 || self.micros != 0;
        let sign = |negative: bool| if negative { '-' } else { '+' };
        if !negative && !positive {
            return put(out, "0");
        }
        if negative && positive || year_month && day_time {
            // No value of the standard's: every part has its sign.
            put(
                out,
                format_args!(
                    "{}{}-{} {}{} {}{hours}:{minutes:02}:{seconds:02}",
                    sign(self.years < 0 || self.months < 0),
                    self.years.unsigned_abs(),
                    self.months.unsigned_abs(),
                    sign(self.days < 0),
                    self.days.unsigned_abs(),
                    sign(self.micros < 0)
                ),
            );
            return put_fraction(out, micros as i64);
        }
        if negative {
            out.push(b'-');
        }
        if year_month {
            return put(out, format_args!("{}-{}", self.years.unsigned_abs(), self.months.unsigned_abs()));
        }
        if self.days != 0 {
            put(out, format_args!("{} ", self.days.unsigned_abs()));
        }
        put(out, format_args!("{hours}:{minutes:02}:{seconds:02}"));
        put_fraction(out, micros as i64);
    }

    fn iso_8601(&self, out: &mut Vec<u8>) {
        let (hours, minutes, seconds, micros) = self.clock();
        let minus = if self.micros < 0 { "-" } else { "" };
        if self.years == 0 && self.months == 0 && self.days == 0 && self.micros == 0 {
            return put(out, "PT0S");
        }
        out.push(b'P');
        for (value, unit) in [(self.years, 'Y'), (self.months, 'M'), (self.days, 'D')] {
            if value != 0 {
                put(out, format_args!("{value}{unit}"));
            }
        }
        if self.micros != 0 {
            out.push(b'T');
        }
        for (value, unit) in [(hours, 'H'), (minutes, 'M')] {
            if value != 0 {
                put(out, format_args!("{minus}{value}{unit}"));
            }
        }
        if seconds != 0 || micros != 0 {
            put(out, format_args!("{minus}{seconds}"));
            put_fraction(out, micros as i64);
            out.push(b'S');
        }
    }
}
