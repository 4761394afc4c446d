//! Dates and times from text, as PostgreSQL's `DecodeDateTime` reads them: any order of fields, DateStyle's order of
//! numbers, names of months, `now`, `infinity`, BC, zones.

use engine::style::DateOrder;
use engine::zone::{abbreviated_in, named};
use engine::{EngineError, Result, Zone};

use crate::calendar::{days_of, month_days};
use crate::datetime_fields::{Field, Kind, micros_of_fraction, split};
use crate::style::{Manner, current};

pub const DAY: i64 = 86_400_000_000;
/// Arrow's greatest and least values stand for the infinities, as they do in PostgreSQL.
pub const DATE_INFINITY: i32 = i32::MAX;
pub const INFINITY: i64 = i64::MAX;
/// 4714-11-24 BC, and 294247-01-01, in microseconds since 1970. PostgreSQL, which counts from 2000, has 30 years more.
pub const FIRST_TIMESTAMP: i64 = -210_866_803_200_000_000;
pub const END_TIMESTAMP: i64 = 9_223_371_244_800_000_000;
/// 4714-11-24 BC, and 5874898-01-01, in days since 1970.
pub const FIRST_DATE: i64 = -2_440_588;
pub const END_DATE: i64 = 2_145_042_906;

/// What was wrong with a text.
enum Wrong {
    Syntax,
    Field,
    /// Another order of the numbers might do.
    MonthOrDay,
    Displacement,
    Zone(String),
}

type Decoded<T> = std::result::Result<T, Wrong>;

/// What a text says.
enum Instant {
    /// Days since 1970, microseconds of the day, and the zone, if one is named.
    Local {
        days: i64,
        micros: i64,
        zone: Option<Zone>,
    },
    Infinity,
    NegativeInfinity,
    Epoch,
}

fn error(wrong: Wrong, text: &str, ty: &str) -> EngineError {
    let field = || EngineError::new("22008", format!("date/time field value out of range: \"{text}\""));
    match wrong {
        Wrong::Syntax => EngineError::new("22007", format!("invalid input syntax for type {ty}: \"{text}\"")),
        Wrong::Field => field(),
        Wrong::MonthOrDay => field().hint("Perhaps you need a different \"DateStyle\" setting."),
        Wrong::Displacement => EngineError::new("22009", format!("time zone displacement out of range: \"{text}\"")),
        Wrong::Zone(zone) => EngineError::new("22023", format!("time zone \"{zone}\" not recognized")),
    }
}

/// Days since 1970.
pub fn parse_date(text: &str) -> Result<i32> {
    let days = match decode(text, &current()).map_err(|wrong| error(wrong, text, "date"))? {
        Instant::Infinity => return Ok(DATE_INFINITY),
        Instant::NegativeInfinity => return Ok(-DATE_INFINITY - 1),
        Instant::Epoch => 0,
        Instant::Local { days, .. } => days,
    };
    if (FIRST_DATE..END_DATE).contains(&days) {
        Ok(days as i32)
    } else {
        Err(EngineError::new("22008", format!("date out of range: \"{text}\"")))
    }
}

/// Microseconds since 1970, of `timestamp` or (`zoned`) `timestamp with time zone`. A zone in the text counts only where
/// the type has one.
pub fn parse_timestamp(text: &str, zoned: bool) -> Result<i64> {
    let manner = current();
    let name = if zoned { "timestamp with time zone" } else { "timestamp" };
    let range = || EngineError::new("22008", format!("timestamp out of range: \"{text}\""));
    let local = match decode(text, &manner).map_err(|wrong| error(wrong, text, name))? {
        Instant::Infinity => return Ok(INFINITY),
        Instant::NegativeInfinity => return Ok(-INFINITY - 1),
        Instant::Epoch => return Ok(0),
        Instant::Local { days, micros, zone } => {
            let local = i128::from(days) * i128::from(DAY) + i128::from(micros);
            if (i128::from(END_TIMESTAMP)..i128::from(END_TIMESTAMP) + 30 * 366 * i128::from(DAY)).contains(&local) {
                return Err(EngineError::unsupported("a timestamp behind the year 294246"));
            }
            let local = i64::try_from(local).map_err(|_| range())?;
            if !zoned {
                local
            } else {
                let zone = zone.as_ref().unwrap_or(&manner.style.zone);
                let offset = i64::from(zone.offset_of_local(local.div_euclid(1_000_000)));
                local.checked_sub(offset * 1_000_000).ok_or_else(range)?
            }
        }
    };
    if (FIRST_TIMESTAMP..END_TIMESTAMP).contains(&local) { Ok(local) } else { Err(range()) }
}

/// The zone of `AT TIME ZONE`.
pub fn zone(name: &str) -> Result<Zone> {
    Zone::named(name, &crate::style::current().style.zone)
        .ok_or_else(|| EngineError::new("22023", format!("time zone \"{name}\" not recognized")))
}

/// What the fields have said so far.
#[derive(Default)]
struct Parts {
    year: Option<i64>,
    month: Option<i64>,
    day: Option<i64>,
    /// The month was a word.
    named_month: bool,
    /// The year had one or two digits.
    short_year: bool,
    /// Microseconds of the day.
    time: Option<i64>,
    hour: i64,
    zone: Option<Zone>,
    before_christ: bool,
    afternoon: Option<bool>,
    day_of_year: Option<i64>,
    julian_day: bool,
    special: Option<Instant>,
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

fn month_named(word: &str) -> Option<i64> {
    const FULL: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let word = if word == "sept" { "sep" } else { word };
    let found = MONTHS.iter().position(|m| *m == word).or_else(|| FULL.iter().position(|m| *m == word));
    found.map(|month| month as i64 + 1)
}

fn is_weekday(word: &str) -> bool {
    const FULL: [&str; 7] = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
    WEEKDAYS.contains(&word) || FULL.contains(&word) || ["tues", "weds", "wednes", "thur", "thurs"].contains(&word)
}

/// Words that stand before digits without being part of them.
fn known_word(word: &str) -> bool {
    month_named(word).is_some()
        || is_weekday(word)
        || [
            "infinity",
            "-infinity",
            "ad",
            "allballs",
            "am",
            "at",
            "bc",
            "d",
            "dow",
            "doy",
            "dst",
            "epoch",
            "h",
            "isodow",
            "isoyear",
            "j",
            "jd",
            "julian",
            "m",
            "mm",
            "now",
            "on",
            "pm",
            "s",
            "t",
            "today",
            "tomorrow",
            "y",
            "yesterday",
            "z",
            "zulu",
            "utc",
            "gmt",
            "ut",
            "zt",
        ]
        .contains(&word)
}

fn decode(text: &str, manner: &Manner) -> Decoded<Instant> {
    let fields = split(text, known_word).filter(|fields| !fields.is_empty()).ok_or(Wrong::Syntax)?;
    let mut parts = Parts::default();
    let mut prefix = None;
    for (at, field) in fields.iter().enumerate() {
        let last = at + 1 == fields.len();
        match (prefix.take(), field.kind) {
            (Some('j'), Kind::Number) => parts.julian(&field.text)?,
            (Some('t'), Kind::Number | Kind::Time) if field.kind == Kind::Number => {
                parts.run_together(&field.text, manner)?;
            }
            (Some('j'), _) => return Err(Wrong::Syntax),
            (_, Kind::Time) => parts.clock(&field.text)?,
            (_, Kind::Number) => parts.number_field(&field.text, manner)?,
            (_, Kind::Date) => parts.date_or_zone(&field.text, manner)?,
            (_, Kind::Signed) => {
                if parts.zone.is_some() || parts.time.is_none() && parts.year.is_none() {
                    return Err(Wrong::Syntax);
                }
                parts.zone = Some(Zone::east(displacement(&field.text)?).0);
            }
            (_, Kind::SignedWord) => match field.text.as_str() {
                "+infinity" if fields.len() == 1 => parts.special = Some(Instant::Infinity),
                "-infinity" if fields.len() == 1 => parts.special = Some(Instant::NegativeInfinity),
                _ => return Err(Wrong::Syntax),
            },
            (_, Kind::Word) => prefix = parts.word(&field.text, &fields, at, manner)?,
        }
        if last && prefix == Some('j') {
            return Err(Wrong::Syntax);
        }
    }
    parts.finish()
}

/// `+03`, `-0730`, `+5:45:10` in seconds.
fn displacement(text: &str) -> Decoded<i32> {
    let (sign, digits) = (if text.starts_with('-') { -1 } else { 1 }, &text[1..]);
    let numbers: Option<Vec<i32>> = digits.split(':').map(|part| part.parse().ok()).collect();
    let numbers = numbers.ok_or(Wrong::Syntax)?;
    let (hours, minutes, seconds) = match numbers.as_slice() {
        [n] if digits.len() > 2 => (n / 100, n % 100, 0),
        [h] => (*h, 0, 0),
        [h, m] => (*h, *m, 0),
        [h, m, s] => (*h, *m, *s),
        _ => return Err(Wrong::Syntax),
    };
    if !(0..=15).contains(&hours) || !(0..60).contains(&minutes) || !(0..60).contains(&seconds) {
        return Err(Wrong::Displacement);
    }
    Ok(sign * (hours * 3600 + minutes * 60 + seconds))
}

impl Parts {
    fn has_date(&self) -> bool {
        self.day_of_year.is_some() && self.year.is_some()
            || self.year.is_some() && self.month.is_some() && self.day.is_some()
    }

    fn set_time(&mut self, hour: i64, minute: i64, second: i64, micros: i64) -> Decoded<()> {
        if self.time.is_some() {
            return Err(Wrong::Syntax);
        }
        let late = hour == 24 && (minute > 0 || second > 0 || micros > 0);
        if minute > 59 || second > 60 || hour > 24 || late {
            return Err(Wrong::Field);
        }
        self.hour = hour;
        self.time = Some(((hour * 60 + minute) * 60 + second) * 1_000_000 + micros);
        Ok(())
    }

    /// `HH:MM[:SS[.ffffff]]`; two parts with a point are minutes and seconds.
    fn clock(&mut self, text: &str) -> Decoded<()> {
        let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
        let micros = micros_of_fraction(fraction).ok_or(Wrong::Syntax)?;
        let parts: Option<Vec<i64>> = clock.split(':').map(|part| part.parse().ok()).collect();
        match parts.as_deref() {
            Some([minute, second]) if text.contains('.') => self.set_time(0, *minute, *second, micros),
            Some([hour, minute]) => self.set_time(*hour, *minute, 0, 0),
            Some([hour, minute, second]) => self.set_time(*hour, *minute, *second, micros),
            _ => Err(Wrong::Syntax),
        }
    }

    /// `J2451187`, perhaps with a fraction of the day.
    fn julian(&mut self, text: &str) -> Decoded<()> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let day: i64 = whole.parse().map_err(|_| Wrong::Field)?;
        if self.has_date() || day > i64::from(i32::MAX) {
            return Err(Wrong::Field);
        }
        let (year, month, day) = crate::calendar::date_of(day - 2_440_588);
        (self.year, self.month, self.day, self.julian_day) = (Some(year), Some(month), Some(day), true);
        if !fraction.is_empty() {
            let part: f64 = format!("0.{fraction}").parse().map_err(|_| Wrong::Syntax)?;
            self.time = Some((part * DAY as f64).round() as i64);
        }
        Ok(())
    }

    fn number_field(&mut self, text: &str, manner: &Manner) -> Decoded<()> {
        let point = text.find('.');
        match point {
            Some(_) if !self.has_date() && self.year.is_none() && self.month.is_none() && self.day.is_none() => {
                self.date(text, manner)
            }
            Some(point) if point > 2 => self.run_together(text, manner),
            None if text.len() >= 6 && (!self.has_date() || self.time.is_none()) => self.run_together(text, manner),
            _ => self.number(text, manner),
        }
    }

    /// A number alone, which means what is still missing.
    fn number(&mut self, text: &str, manner: &Manner) -> Decoded<()> {
        if let Some(point) = text.find('.') {
            return if point > 2 { self.run_together(text, manner) } else { Err(Wrong::Syntax) };
        }
        let value: i64 = text.parse().map_err(|_| Wrong::Field)?;
        let long = text.len() >= 3;
        let order = manner.style.order;
        if text.len() == 3
            && self.year.is_some()
            && self.month.is_none()
            && self.day.is_none()
            && (1..=366).contains(&value)
        {
            self.day_of_year = Some(value);
            return Ok(());
        }
        let place = match (self.year, self.month, self.day) {
            (None, None, None) if long || order == DateOrder::Ymd => 'y',
            (None, None, None) if order == DateOrder::Dmy => 'd',
            (None, None, None) => 'm',
            (Some(_), None, None) => 'm',
            (None, Some(_), None) if self.named_month && (long || order == DateOrder::Ymd) => 'y',
            (None, Some(_), None) => 'd',
            (Some(year), Some(_), None) => {
                if self.named_month && long && self.short_year {
                    // What looked like a year was the day.
                    self.day = Some(year);
                    'y'
                } else {
                    'd'
                }
            }
            (None, None, Some(_)) => 'm',
            (None, Some(_), Some(_)) => 'y',
            (Some(_), Some(_), Some(_)) => return self.run_together(text, manner),
            (Some(_), None, Some(_)) => return Err(Wrong::Syntax),
        };
        match place {
            'y' => (self.year, self.short_year) = (Some(value), text.len() <= 2),
            'm' => self.month = Some(value),
            _ => self.day = Some(value),
        }
        Ok(())
    }

    /// `20240102`, `240102`, `040506`, `0405`, `040506.789`.
    fn run_together(&mut self, text: &str, _: &Manner) -> Decoded<()> {
        let (digits, fraction) = text.split_once('.').unwrap_or((text, ""));
        let number = |from: usize, to: usize| digits[from..to].parse::<i64>().map_err(|_| Wrong::Field);
        let len = digits.len();
        if !text.contains('.') && !self.has_date() && len >= 6 {
            if self.year.is_some() || self.month.is_some() || self.day.is_some() {
                return Err(Wrong::Syntax);
            }
            (self.day, self.month) = (Some(number(len - 2, len)?), Some(number(len - 4, len - 2)?));
            (self.year, self.short_year) = (Some(number(0, len - 4)?), len == 6);
            return Ok(());
        }
        let micros = micros_of_fraction(fraction).ok_or(Wrong::Syntax)?;
        match len {
            6 => self.set_time(number(0, 2)?, number(2, 4)?, number(4, 6)?, micros),
            4 if fraction.is_empty() => self.set_time(number(0, 2)?, number(2, 4)?, 0, 0),
            _ => Err(Wrong::Syntax),
        }
    }

    fn date_or_zone(&mut self, text: &str, manner: &Manner) -> Decoded<()> {
        if self.month.is_none() || self.day.is_none() {
            if !text.starts_with(|c: char| c.is_ascii_digit()) && self.has_date() {
                return Err(Wrong::Syntax);
            }
            return self.date(text, manner);
        }
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            // A time with a displacement: `040506-08`.
            let (time, zone) = text.split_at(text.find('-').ok_or(Wrong::Syntax)?);
            self.zone = Some(Zone::east(displacement(zone)?).0);
            return self.run_together(time, manner);
        }
        self.set_zone(
            Zone::named(text, &crate::style::current().style.zone).ok_or_else(|| Wrong::Zone(text.to_string()))?,
        )
    }

    fn set_zone(&mut self, zone: Zone) -> Decoded<()> {
        if self.zone.replace(zone).is_some() { Err(Wrong::Syntax) } else { Ok(()) }
    }

    /// The parts of a date between signs. Names of months come first: they tell what the numbers are.
    fn date(&mut self, text: &str, manner: &Manner) -> Decoded<()> {
        let parts: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|p| !p.is_empty()).collect();
        let (words, numbers): (Vec<&str>, Vec<&str>) =
            parts.iter().copied().partition(|p| p.starts_with(|c: char| c.is_ascii_alphabetic()));
        for word in words {
            if is_weekday(word) {
                continue;
            }
            let month = month_named(word).ok_or(Wrong::Syntax)?;
            if self.month.is_some() {
                return Err(Wrong::Syntax);
            }
            (self.month, self.named_month) = (Some(month), true);
        }
        for number in numbers {
            if self.has_date() || !number.bytes().all(|b| b.is_ascii_digit()) {
                return Err(Wrong::Syntax);
            }
            self.number(number, manner)?;
        }
        if self.has_date() { Ok(()) } else { Err(Wrong::Syntax) }
    }

    fn today(&mut self, by: i64, manner: &Manner) -> Decoded<()> {
        if self.has_date() {
            return Err(Wrong::Syntax);
        }
        let seconds = manner.now.div_euclid(1_000_000);
        let local = seconds + i64::from(manner.style.zone.offset_at(seconds));
        let (year, month, day) = crate::calendar::date_of(local.div_euclid(86_400) + by);
        (self.year, self.month, self.day, self.julian_day) = (Some(year), Some(month), Some(day), true);
        Ok(())
    }

    /// Gives what the next field is, if the word says so.
    fn word(&mut self, word: &str, fields: &[Field], at: usize, manner: &Manner) -> Decoded<Option<char>> {
        let alone = fields.len() == 1;
        match word {
            "infinity" | "inf" if alone => self.special = Some(Instant::Infinity),
            "epoch" if alone => self.special = Some(Instant::Epoch),
            "now" => {
                self.today(0, manner)?;
                let seconds = manner.now.div_euclid(1_000_000);
                let offset = i64::from(manner.style.zone.offset_at(seconds));
                self.time = Some((manner.now + offset * 1_000_000).rem_euclid(DAY));
                self.zone = Some(Zone::east(offset as i32).0);
            }
            "today" => self.today(0, manner)?,
            "tomorrow" => self.today(1, manner)?,
            "yesterday" => self.today(-1, manner)?,
            "allballs" => {
                self.set_time(0, 0, 0, 0)?;
                self.set_zone(Zone::utc())?;
            }
            "am" | "pm" if self.afternoon.is_none() => self.afternoon = Some(word == "pm"),
            "ad" | "bc" => self.before_christ = word == "bc",
            "at" | "on" => {}
            "j" | "jd" | "julian" => return Ok(Some('j')),
            // The ISO 8601 word between date and time.
            "t" if self.has_date() => {
                let time = fields.get(at + 1).is_some_and(|f| matches!(f.kind, Kind::Number | Kind::Time | Kind::Date));
                return if time { Ok(Some('t')) } else { Err(Wrong::Syntax) };
            }
            word if is_weekday(word) => {}
            word => {
                if let Some(month) = month_named(word) {
                    if let (Some(number), false, None) = (self.month, self.named_month, self.day) {
                        // The number was the day.
                        self.day = Some(number);
                    } else if self.month.is_some() {
                        return Err(Wrong::Syntax);
                    }
                    (self.month, self.named_month) = (Some(month), true);
                    return Ok(None);
                }
                let session = crate::style::current().style.zone.clone();
                let zone =
                    abbreviated_in(&session, word).or_else(|| named(word).map(Zone::Named)).ok_or(Wrong::Syntax)?;
                self.set_zone(zone)?;
            }
        }
        Ok(None)
    }

    fn finish(mut self) -> Decoded<Instant> {
        if let Some(special) = self.special {
            return Ok(special);
        }
        let Some(mut year) = self.year.filter(|_| self.has_date()) else { return Err(Wrong::Syntax) };
        if self.before_christ {
            if year <= 0 {
                return Err(Wrong::Field);
            }
            year = 1 - year;
        } else if self.short_year {
            year += if year < 70 { 2000 } else { 1900 };
        } else if year <= 0 && !self.julian_day {
            return Err(Wrong::Field);
        }
        if year > 6_000_000 {
            return Err(Wrong::Field);
        }
        let days = match (self.day_of_year, self.month, self.day) {
            (Some(day), ..) => days_of(year, 1, 1) + day - 1,
            (None, Some(month), Some(day)) => {
                if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
                    return Err(Wrong::MonthOrDay);
                }
                if day > month_days(year, month) {
                    return Err(Wrong::Field);
                }
                days_of(year, month, day)
            }
            _ => return Err(Wrong::Syntax),
        };
        let mut micros = self.time.unwrap_or(0);
        if let Some(afternoon) = self.afternoon.take() {
            if self.hour > 12 {
                return Err(Wrong::Field);
            }
            match (afternoon, self.hour) {
                (false, 12) => micros -= DAY / 2,
                (true, hour) if hour != 12 => micros += DAY / 2,
                _ => {}
            }
        }
        Ok(Instant::Local { days, micros, zone: self.zone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::datetime_output::{put_date, put_timestamp};
    use engine::Style;

    fn shown(text: &str) -> String {
        let mut out = Vec::new();
        put_timestamp(&mut out, parse_timestamp(text, false).unwrap(), false, &Style::default());
        String::from_utf8(out).unwrap()
    }

    /// The expected texts are PostgreSQL's.
    #[test]
    fn many_spellings() {
        for (text, time) in [
            ("2024-01-02", "2024-01-02 00:00:00"),
            ("Jan 2 2024 3:04 PM", "2024-01-02 15:04:00"),
            ("2 January 2024", "2024-01-02 00:00:00"),
            ("02-Jan-24 12:00 AM", "2024-01-02 00:00:00"),
            ("1/2/99", "1999-01-02 00:00:00"),
            ("20240102T030405", "2024-01-02 03:04:05"),
            ("20240102 030405.5", "2024-01-02 03:04:05.5"),
            ("2024-01-02T03:04:05Z", "2024-01-02 03:04:05"),
            ("2024.123", "2024-05-02 00:00:00"),
            ("J2451187", "1999-01-08 00:00:00"),
            ("0044-03-15 BC", "0044-03-15 00:00:00 BC"),
            ("Tue Jan 02 03:04:05.678901 2024 PST", "2024-01-02 03:04:05.678901"),
            ("2024-01-02 24:00:00", "2024-01-03 00:00:00"),
            ("2024-01-02 03:04:05 Europe/Paris", "2024-01-02 03:04:05"),
            ("infinity", "infinity"),
            ("-infinity", "-infinity"),
            ("294246-12-31 23:59:59.999999", "294246-12-31 23:59:59.999999"),
        ] {
            assert_eq!(shown(text), time, "{text}");
        }
        for (text, code) in [
            ("", "22007"),
            ("foo", "22007"),
            ("2024-13-01", "22008"),
            ("2024-02-30", "22008"),
            ("2024-01-02 25:00", "22008"),
            ("2024-01-02 03:04:05 nowhere/else", "22023"),
            ("2024-01-02 03:04:05+99", "22009"),
            ("0000-01-01", "22008"),
            ("294280-01-01", "22008"),
            ("294276-12-31", "0A000"),
            ("2024-01-02 03:04 05:06", "22007"),
        ] {
            assert_eq!(parse_timestamp(text, false).unwrap_err().code, code, "{text}");
        }
        let mut out = Vec::new();
        put_date(&mut out, parse_date("5874897-12-31").unwrap(), &Style::default());
        assert_eq!(out, b"5874897-12-31");
        assert!(parse_date("5874898-01-01").is_err());
    }
}
