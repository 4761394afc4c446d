//! Dates and times from text.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};

use super::calendar::{days_of, month_days};
use super::decode::{self, Instant, Wrong};
use super::fields::split;
use super::values::*;

/// How long the fields of a text may be together (`MAXDATELEN`).
const ROOM: usize = 128;

fn instant(context: &Context, text: &str, room: usize, ty: &str) -> Result<Instant> {
    let lower = text.to_ascii_lowercase();
    let fields = split(&lower, room).ok_or(Wrong::Syntax);
    fields.and_then(|fields| decode::date_time(context, &fields)).map_err(|wrong| wrong.error(text, ty))
}

/// A date as most texts have it, `YYYY-MM-DD`, which is the same whatever DateStyle says; days since 1970.
fn iso_date(text: &[u8]) -> Option<i64> {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = text else { return None };
    let (year, month, day) = (number(&[*y0, *y1, *y2, *y3])?, number(&[*m0, *m1])?, number(&[*d0, *d1])?);
    let is_date = year > 0 && (1..=12).contains(&month) && (1..=month_days(year, month)).contains(&day);
    is_date.then(|| days_of(year, month, day))
}

/// A date and a time of the day likewise, `YYYY-MM-DD HH:MM:SS`, with as many as six digits behind a point; microseconds since 1970.
fn iso_timestamp(text: &[u8]) -> Option<i64> {
    let (date, time) = text.split_at_checked(10)?;
    let ([b' ', h0, h1, b':', m0, m1, b':', s0, s1], rest) = time.split_at_checked(9)? else { return None };
    let (hour, minute, second) = (number(&[*h0, *h1])?, number(&[*m0, *m1])?, number(&[*s0, *s1])?);
    let fraction = match rest {
        [] => 0,
        [b'.', digits @ ..] if (1..=6).contains(&digits.len()) => number(digits)? * 10i64.pow(6 - digits.len() as u32),
        _ => return None,
    };
    let is_time = hour < 24 && minute < 60 && second < 60;
    is_time.then_some(iso_date(date)? * DAY + hour * HOUR + minute * MINUTE + second * SECOND + fraction)
}

fn number(digits: &[u8]) -> Option<i64> {
    digits.iter().try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + i64::from(digit - b'0')))
}

/// Days since 1970.
pub fn parse_date(context: &Context, text: &str) -> Result<i32> {
    if let Some(days) = iso_date(text.as_bytes()) {
        return Ok(days as i32);
    }
    let range = || Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, format!("date out of range: \"{text}\""));
    match instant(context, text, ROOM + 1, "date")? {
        Instant::Infinity => Ok(DATE_INFINITY),
        Instant::NegativeInfinity => Ok(DATE_MINUS_INFINITY),
        Instant::Epoch => Ok(0),
        Instant::Local(tm, _) if !tm.in_calendar() => Err(range()),
        Instant::Local(tm, _) => to_date(tm.days()).ok_or_else(range),
    }
}

/// Microseconds since 1970, without a zone: one in the text does not count.
pub fn parse_timestamp(context: &Context, text: &str, typmod: i32) -> Result<i64> {
    parse(context, text, typmod, "timestamp", false)
}

/// Microseconds since 1970.
pub fn parse_timestamptz(context: &Context, text: &str, typmod: i32) -> Result<i64> {
    parse(context, text, typmod, "timestamp with time zone", true)
}

fn parse(context: &Context, text: &str, typmod: i32, ty: &str, zoned: bool) -> Result<i64> {
    let range = || Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, format!("timestamp out of range: \"{text}\""));
    if !zoned && let Some(micros) = iso_timestamp(text.as_bytes()) {
        return rounded(micros, typmod);
    }
    let micros = match instant(context, text, ROOM + 25, ty)? {
        Instant::Infinity => return Ok(INFINITY),
        Instant::NegativeInfinity => return Ok(MINUS_INFINITY),
        Instant::Epoch => 0,
        Instant::Local(tm, _) if !tm.in_calendar() => return Err(range()),
        Instant::Local(tm, place) => {
            let local = tm.local();
            let east = if zoned { place.offset_of_local(context, local) } else { 0 };
            timestamp_or(local.total() - i128::from(east) * i128::from(SECOND), range)?
        }
    };
    rounded(micros, typmod)
}

/// A timestamp with as many digits as its type modifier says. Fails with 22023 for a modifier that there is not.
pub fn rounded(micros: i64, typmod: i32) -> Result<i64> {
    match typmod {
        -1 => Ok(micros),
        _ if is_infinite(micros) => Ok(micros),
        0..=6 => to_timestamp(round_wide(micros, typmod, EPOCH_MICROS)),
        _ => Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            format!("timestamp({typmod}) precision must be between 0 and 6"),
        )),
    }
}

/// Microseconds of the day.
pub fn parse_time(context: &Context, text: &str, typmod: i32) -> Result<i64> {
    let (micros, _) = clock(context, text, "time")?;
    Ok(if typmod < 0 { micros } else { round(micros, typmod, 0) })
}

pub fn parse_timetz(context: &Context, text: &str, typmod: i32) -> Result<TimeTz> {
    let (micros, east) = clock(context, text, "time with time zone")?;
    Ok(TimeTz { micros: if typmod < 0 { micros } else { round(micros, typmod, 0) }, west: -east })
}

fn clock(context: &Context, text: &str, ty: &str) -> Result<(i64, i32)> {
    let lower = text.to_ascii_lowercase();
    let fields = split(&lower, ROOM + 1).ok_or(Wrong::Syntax);
    fields.and_then(|fields| decode::time(context, &fields)).map_err(|wrong| wrong.error(text, ty))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datetime::calendar::date_of;
    use crate::datetime::{Interval, Zone};

    /// 2024-06-30 22:30 in Greenwich.
    const NOW: i64 = 1_719_786_600_000_000;

    #[test]
    fn words_for_days_are_of_the_session() {
        let day = 19_905;
        for (zone, today) in [("Europe/Berlin", day), ("UTC", day - 1)] {
            let context = Context { transaction_start: NOW, zone: Zone::named(zone).unwrap(), ..Context::default() };
            for (text, expected) in
                [("today", today), ("yesterday", today - 1), ("tomorrow", today + 1), ("NOW", today)]
            {
                assert_eq!(parse_date(&context, text), Ok(expected), "{text} in {zone}");
            }
            assert_eq!(parse_timestamptz(&context, "now", -1), Ok(NOW));
            let midnight = i64::from(today) * DAY;
            assert_eq!(parse_timestamp(&context, "today 01:02", -1), Ok(midnight + 62 * MINUTE));
            assert_eq!(parse_timestamp(&context, "tomorrow allballs", -1), Ok(midnight + DAY));
            let east = i64::from(context.zone.offset_at(NOW / SECOND)) * SECOND;
            assert_eq!(parse_time(&context, "now", -1), Ok((NOW + east).rem_euclid(DAY)));
            assert_eq!(parse_timetz(&context, "12:00", -1).map(|clock| clock.west), Ok((-east / SECOND) as i32));
        }
        let wrong = parse_date(&Context::default(), "today tomorrow").unwrap_err();
        assert_eq!(wrong.0.code, "22007");
    }

    #[test]
    fn usual_texts_mean_what_others_do() {
        let context = Context::default();
        for days in [-719_162, -1, 0, 59, 60, 11_016, 11_017, 20_000, 2_932_896] {
            let (year, month, day) = date_of(days);
            let (usual, other) = (format!("{year:04}-{month:02}-{day:02}"), format!("{month}/{day}/{year:04}"));
            assert_eq!(iso_date(usual.as_bytes()), Some(days));
            assert_eq!(parse_date(&context, &other), Ok(days as i32));
            for (time, micros) in [("00:00:00", 0), ("23:59:59.5", DAY - 500_000), ("01:02:03.000004", 3_723_000_004)] {
                let local = days * DAY + micros;
                assert_eq!(iso_timestamp(format!("{usual} {time}").as_bytes()), Some(local));
                assert_eq!(parse_timestamp(&context, &format!("{other} {time}"), -1), Ok(local));
            }
        }
        for none in ["0000-01-01", "1999-02-29", "1999-13-01", "1999-00-01", "1999-01-00", "1999-1-001", "+999-01-01"] {
            assert_eq!(iso_date(none.as_bytes()), None, "{none}");
        }
        for none in
            ["1999-01-01 24:00:00", "1999-01-01 00:00:60", "1999-01-01 00:00:00.", "1999-01-01 00:00:00.1234567"]
        {
            assert_eq!(iso_timestamp(none.as_bytes()), None, "{none}");
        }
    }

    #[test]
    fn errors_have_hints() {
        let error = parse_date(&Context::default(), "13/13/2000").unwrap_err();
        assert_eq!(
            (error.0.code, error.0.message.as_str()),
            ("22008", "date/time field value out of range: \"13/13/2000\"")
        );
        assert_eq!(error.0.hint.as_deref(), Some("Perhaps you need a different \"DateStyle\" setting."));
    }

    #[test]
    fn what_64_bits_do_not_hold_is_refused() {
        let parse = |text: &str| parse_timestamp(&Context::default(), text, -1);
        assert_eq!(parse("294247-01-10 04:00:54.775806"), Ok(i64::MAX - 1));
        assert_eq!(parse("294247-01-10 04:00:54.775807").unwrap_err().0.code, "0A000");
        assert_eq!(parse("294276-12-31").unwrap_err().0.code, "0A000");
        assert_eq!(parse("294277-01-01").unwrap_err().0.code, "22008");
    }

    proptest::proptest! {
        /// Whatever a text is, it is read or refused.
        #[test]
        fn no_text_panics(text in "[0-9a-zA-Z:./+ -]{0,24}|\\PC{0,12}") {
            let context = Context { transaction_start: NOW, ..Context::default() };
            let _ = parse_date(&context, &text);
            let _ = parse_timetz(&context, &text, 3);
            let _ = parse_timestamptz(&context, &text, 6);
            let _ = crate::datetime::interval_input::parse(&context, &text, -1);
        }

        /// The text of an interval means the interval.
        #[test]
        fn intervals_survive_texts(months: i32, days: i32, micros: i64, style in 0..4) {
            let interval_style = match style {
                0 => crate::datetime::IntervalStyle::Postgres,
                1 => crate::datetime::IntervalStyle::PostgresVerbose,
                2 => crate::datetime::IntervalStyle::SqlStandard,
                _ => crate::datetime::IntervalStyle::Iso8601,
            };
            let context = Context { interval_style, ..Context::default() };
            // PostgreSQL reads ISO's numbers as floating-point ones.
            let micros = if style == 3 { micros % (10_000 * HOUR) } else { micros };
            let value = Interval { months, days, micros };
            let mut text = Vec::new();
            crate::datetime::interval_output::put_interval(&mut text, value, interval_style);
            let text = String::from_utf8(text).unwrap();
            let read = crate::datetime::interval_input::parse(&context, &text, -1).unwrap();
            proptest::prop_assert_eq!(read, value, "{}", text);
        }
    }
}
