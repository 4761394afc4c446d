//! Dates and times as text, in the session's DateStyle and TimeZone.

use std::fmt::Display;
use std::io::Write;

use crate::context::Context;
use crate::digits::{put_four_digits, put_two_digits};

use super::calendar::{date_of, weekday};
use super::local::Local;
use super::style::{DateOrder, DateStyle};
use super::values::*;

pub const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS: [&str; 7] = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

pub fn put(out: &mut Vec<u8>, text: impl Display) {
    write!(out, "{text}").expect("a vector takes it");
}

/// Days since 1970.
pub fn put_date(out: &mut Vec<u8>, days: i32, context: &Context) {
    match days {
        DATE_INFINITY => return out.extend_from_slice(b"infinity"),
        DATE_MINUS_INFINITY => return out.extend_from_slice(b"-infinity"),
        _ => {}
    }
    let date = date_of(days.into());
    put_day(out, date, context);
    put_era(out, date.0);
}

/// Years before the first count backwards: 0 is 1 BC.
fn put_day(out: &mut Vec<u8>, (year, month, day): (i64, i64, i64), context: &Context) {
    let year = if year > 0 { year } else { 1 - year };
    if context.date_style == DateStyle::Iso {
        return put_iso_day(out, (year, month, day));
    }
    let day_first = context.date_style == DateStyle::German || context.date_order == DateOrder::Dmy;
    let between = match context.date_style {
        DateStyle::German => b'.',
        DateStyle::Sql => b'/',
        DateStyle::Postgres | DateStyle::Iso => b'-',
    };
    let (first, second) = if day_first { (day, month) } else { (month, day) };
    put_two_digits(out, first);
    out.push(between);
    put_two_digits(out, second);
    out.push(between);
    put_four_digits(out, year);
}

fn put_iso_day(out: &mut Vec<u8>, (year, month, day): (i64, i64, i64)) {
    put_four_digits(out, year);
    out.push(b'-');
    put_two_digits(out, month);
    out.push(b'-');
    put_two_digits(out, day);
}

fn put_era(out: &mut Vec<u8>, year: i64) {
    if year <= 0 {
        out.extend_from_slice(b" BC");
    }
}

/// Microseconds since 1970; `zoned` ones are shown in the session's zone.
pub fn put_timestamp(out: &mut Vec<u8>, micros: i64, zoned: bool, context: &Context) {
    match micros {
        INFINITY => return out.extend_from_slice(b"infinity"),
        MINUS_INFINITY => return out.extend_from_slice(b"-infinity"),
        _ => {}
    }
    let span = zoned.then(|| context.zone.at(micros.div_euclid(SECOND)));
    let Local { days, micros } = Local::of_offset(micros, span.map_or(0, |span| span.east));
    let date = date_of(days);
    if context.date_style == DateStyle::Postgres {
        let (year, month, day) = date;
        let (weekday, month) = (WEEKDAYS[weekday(days) as usize], MONTHS[month as usize - 1]);
        match context.date_order {
            DateOrder::Dmy => put(out, format_args!("{weekday} {day:02} {month} ")),
            _ => put(out, format_args!("{weekday} {month} {day:02} ")),
        }
        put_time(out, micros);
        put(out, format_args!(" {:04}", if year > 0 { year } else { 1 - year }));
    } else {
        put_day(out, date, context);
        out.push(b' ');
        put_time(out, micros);
    }
    match span {
        Some(span) if context.date_style == DateStyle::Iso => put_offset(out, span.east),
        // Names of zones are cut (`MAXTZLEN`).
        Some(span) => put(out, format_args!(" {}", span.name.get(..10).unwrap_or(&span.name))),
        None => {}
    }
    put_era(out, date.0);
}

/// As XML and JSON write timestamps: ISO 8601, with `T` and the zone's minutes.
pub fn put_xml_timestamp(out: &mut Vec<u8>, micros: i64, zoned: bool, context: &Context) {
    if is_infinite(micros) {
        return put_timestamp(out, micros, zoned, context);
    }
    let east = if zoned { context.zone.at(micros.div_euclid(SECOND)).east } else { 0 };
    let Local { days, micros } = Local::of_offset(micros, east);
    let (year, month, day) = date_of(days);
    put_iso_day(out, (if year > 0 { year } else { 1 - year }, month, day));
    out.push(b'T');
    put_time(out, micros);
    if zoned {
        put_offset(out, east);
        if east % 3600 == 0 {
            out.extend_from_slice(b":00");
        }
    }
    put_era(out, year);
}

/// `+01`, `-07:30`: seconds east of Greenwich.
pub fn put_offset(out: &mut Vec<u8>, east: i32) {
    let rest = i64::from(east.abs());
    out.push(if east < 0 { b'-' } else { b'+' });
    put_two_digits(out, rest / 3600);
    if rest % 3600 != 0 {
        out.push(b':');
        put_two_digits(out, rest / 60 % 60);
    }
    if rest % 60 != 0 {
        out.push(b':');
        put_two_digits(out, rest % 60);
    }
}

/// `.5`, of microseconds of a second.
pub fn put_fraction(out: &mut Vec<u8>, micros: i64) {
    if micros != 0 {
        out.push(b'.');
        for two in [micros / 10_000, micros / 100 % 100, micros % 100] {
            put_two_digits(out, two);
        }
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// `HH:MM:SS[.ffffff]`, of microseconds that are not negative.
pub fn put_time(out: &mut Vec<u8>, micros: i64) {
    let seconds = micros / SECOND;
    put_two_digits(out, seconds / 3600);
    out.push(b':');
    put_two_digits(out, seconds / 60 % 60);
    out.push(b':');
    put_two_digits(out, seconds % 60);
    put_fraction(out, micros % SECOND);
}

pub fn put_timetz(out: &mut Vec<u8>, value: TimeTz) {
    put_time(out, value.micros);
    put_offset(out, -value.west);
}
