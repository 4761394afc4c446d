//! What the fields of a date and a time mean, as PostgreSQL's `DecodeDateTime` and `DecodeTimeOnly` decide it.

use error::sqlstate;

use crate::context::Context;
use crate::error::Error;

use super::abbreviations;
use super::fields::{Field, Kind, MAX_FIELDS, fraction, leading, micros_of_fraction};
use super::local::{Local, Tm, is_no_time};
use super::style::DateOrder;
use super::values::DAY;
use super::words::{DateWord, date_word};
use super::zone::{Meaning, Zone};

/// What was wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wrong {
    Syntax,
    Field,
    /// Another order of the numbers might do.
    MonthOrDay,
    Displacement,
    Zone(String),
}

pub type Decoded<T> = std::result::Result<T, Wrong>;

impl Wrong {
    /// The error for a text that should be a value of the type called `ty`.
    pub fn error(self, text: &str, ty: &str) -> Error {
        let field = || {
            Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, format!("date/time field value out of range: \"{text}\""))
        };
        match self {
            Wrong::Syntax => {
                Error::new(sqlstate::INVALID_DATETIME_FORMAT, format!("invalid input syntax for type {ty}: \"{text}\""))
            }
            Wrong::Field => field(),
            Wrong::MonthOrDay => field().hint("Perhaps you need a different \"DateStyle\" setting."),
            Wrong::Displacement => Error::new(
                sqlstate::INVALID_TIME_ZONE_DISPLACEMENT_VALUE,
                format!("time zone displacement out of range: \"{text}\""),
            ),
            Wrong::Zone(zone) => unknown_zone(&zone),
        }
    }
}

pub fn unknown_zone(name: &str) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("time zone \"{name}\" not recognized"))
}

/// What a text says.
#[derive(Clone, Debug)]
pub enum Instant {
    Local(Tm, Place),
    Infinity,
    NegativeInfinity,
    Epoch,
}

/// Where clocks are.
#[derive(Clone, Debug, PartialEq)]
pub enum Place {
    /// Nothing is said of it: in the session's zone.
    Here,
    /// Seconds east of Greenwich.
    East(i32),
    Zone(Zone),
    /// Where an abbreviation is used whose offset depends on the time.
    Abbreviation(Zone, String),
}

impl Place {
    /// Seconds east of Greenwich where the clocks show `local`.
    pub fn offset_of_local(&self, context: &Context, local: Local) -> i32 {
        match self {
            Place::Here => context.zone.offset_of_local(local.seconds()),
            Place::East(east) => *east,
            Place::Zone(zone) => zone.offset_of_local(local.seconds()),
            Place::Abbreviation(zone, abbreviation) => {
                let east = zone.offset_of_local(local.seconds());
                zone.offset_of_abbreviation(abbreviation, local.seconds() - i64::from(east)).unwrap_or(east)
            }
        }
    }

    /// Seconds east of Greenwich at a time, in seconds since 1970.
    pub fn offset_at(&self, context: &Context, utc: i64) -> i32 {
        match self {
            Place::Here => context.zone.offset_at(utc),
            Place::East(east) => *east,
            Place::Zone(zone) => zone.offset_at(utc),
            Place::Abbreviation(zone, abbreviation) => {
                zone.offset_of_abbreviation(abbreviation, utc).unwrap_or_else(|| zone.offset_at(utc))
            }
        }
    }

    /// What AT TIME ZONE takes: an abbreviation, a name, or POSIX's spelling.
    pub fn named(context: &Context, name: &str) -> Result<Place, Error> {
        match abbreviation(context, &name.to_lowercase()) {
            Some((place, _)) => Ok(place),
            None => Zone::named(name).map(Place::Zone).ok_or_else(|| unknown_zone(name)),
        }
    }
}

/// Where an abbreviation is used, first by the session's zone, and whether it says that it is summer.
pub fn abbreviation(context: &Context, word: &str) -> Option<(Place, bool)> {
    if let Some(meaning) = context.zone.meaning(word) {
        return Some(match meaning {
            Meaning::Fixed(east, summer) => (Place::East(east), summer),
            Meaning::Varying => (Place::Abbreviation(context.zone.clone(), word.to_string()), false),
        });
    }
    match abbreviations::meaning(word)? {
        (Meaning::Fixed(east, summer), _) => Some((Place::East(east), summer)),
        (Meaning::Varying, zone) => Some((Place::Abbreviation(zone?, word.to_string()), false)),
    }
}

/// Parts that fields have said, as bits.
const YEAR: u32 = 1;
const MONTH: u32 = 2;
const DAY_OF_MONTH: u32 = 4;
const DATE: u32 = YEAR | MONTH | DAY_OF_MONTH;
const DAY_OF_YEAR: u32 = 8;
const TIME: u32 = 16;
const ZONE: u32 = 32;
/// A zone in summer.
const SUMMER_ZONE: u32 = 64;
const SUMMER: u32 = 128;
/// A zone by an abbreviation whose offset depends on the time.
const VARYING_ZONE: u32 = 2048;
const MERIDIAN: u32 = 256;
const ERA: u32 = 512;
const WEEKDAY: u32 = 1024;

/// A word that says what follows it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prefix {
    Julian,
    Time,
    Other,
}

/// What the fields have said so far.
struct Decoder<'a> {
    context: &'a Context,
    /// A time alone is wanted.
    only_time: bool,
    said: u32,
    tm: Tm,
    day_of_year: i32,
    /// The month was a word.
    named_month: bool,
    /// The date is from a Julian day.
    julian: bool,
    /// The year had one or two digits.
    short_year: bool,
    before_christ: bool,
    afternoon: Option<bool>,
    place: Place,
    /// Seconds that `DST` adds.
    summer: i32,
    prefix: Option<Prefix>,
    special: Option<Instant>,
}

/// What the fields of a date and a time say.
pub fn date_time(context: &Context, fields: &[Field]) -> Decoded<Instant> {
    let mut decoder = Decoder::new(context, false);
    decoder.read(fields)?;
    if let Some(special) = decoder.special {
        return Ok(special);
    }
    decoder.validate_date()?;
    decoder.meridian()?;
    if decoder.said & DATE != DATE {
        return Err(Wrong::Syntax);
    }
    let place = decoder.where_()?;
    Ok(Instant::Local(decoder.tm, place))
}

/// What the fields of a time say: the time of the day in microseconds, and seconds east of Greenwich.
pub fn time(context: &Context, fields: &[Field]) -> Decoded<(i64, i32)> {
    let mut decoder = Decoder::new(context, true);
    decoder.read(fields)?;
    decoder.validate_date()?;
    decoder.meridian()?;
    let tm = decoder.tm;
    if is_no_time(tm.hour, tm.minute, tm.second, tm.micros) {
        return Err(Wrong::Field);
    }
    if decoder.said & TIME != TIME {
        return Err(Wrong::Syntax);
    }
    let place = decoder.where_()?;
    Ok((tm.time(), decoder.offset_of_time(place)?))
}

/// The number of digits as C's `atoi` has it: of too many, some bits.
fn atoi(digits: &str) -> i32 {
    digits.parse::<i64>().unwrap_or(i64::MAX) as i32
}

impl<'a> Decoder<'a> {
    fn new(context: &'a Context, only_time: bool) -> Decoder<'a> {
        Decoder {
            context,
            only_time,
            said: 0,
            tm: Tm::default(),
            day_of_year: 0,
            named_month: false,
            julian: false,
            short_year: false,
            before_christ: false,
            afternoon: None,
            place: Place::Here,
            summer: 0,
            prefix: None,
            special: None,
        }
    }

    fn read(&mut self, fields: &[Field]) -> Decoded<()> {
        for (at, field) in fields.iter().enumerate() {
            let text = &*field.text;
            let said = match field.kind {
                Kind::Date if self.only_time => self.date_in_time(fields, at)?,
                Kind::Date => self.date_or_zone(text)?,
                Kind::Time => {
                    if !matches!(self.prefix.take(), None | Some(Prefix::Time)) {
                        return Err(Wrong::Syntax);
                    }
                    self.clock(text)?;
                    TIME
                }
                Kind::Signed => {
                    (self.place, self.summer) = (Place::East(displacement(text)?), 0);
                    ZONE
                }
                Kind::Number => match self.prefix.take() {
                    Some(prefix) => self.prefixed(prefix, text)?,
                    None if self.only_time => self.number_in_time(fields, at)?,
                    None => self.number(text)?,
                },
                Kind::Word | Kind::SignedWord => self.word(text)?,
            };
            if said & self.said != 0 {
                return Err(Wrong::Syntax);
            }
            self.said |= said;
        }
        if self.prefix.is_some() { Err(Wrong::Syntax) } else { Ok(()) }
    }

    /// A field with signs between its parts: a date, or behind one a zone's name or a time with its zone.
    fn date_or_zone(&mut self, text: &str) -> Decoded<u32> {
        if self.prefix == Some(Prefix::Julian) {
            let (day, zone) = leading(text).ok_or(Wrong::Field)?;
            self.set_julian(day);
            self.place = Place::East(displacement(zone)?);
            self.prefix = None;
            return Ok(DATE | TIME | ZONE);
        }
        let has_day = self.said & (MONTH | DAY_OF_MONTH) == MONTH | DAY_OF_MONTH;
        match self.prefix.take() {
            None if !has_day => self.date(text),
            None if !text.starts_with(|c: char| c.is_ascii_digit()) => self.named_zone(text),
            None | Some(Prefix::Time) => self.time_and_zone(text, self.said),
            Some(_) => Err(Wrong::Syntax),
        }
    }

    /// `america/new_york`.
    fn named_zone(&mut self, text: &str) -> Decoded<u32> {
        self.place = Place::Zone(Zone::named(text).ok_or_else(|| Wrong::Zone(text.to_string()))?);
        Ok(ZONE)
    }

    /// `040506-08`. A zone that there cannot be is seen first.
    fn time_and_zone(&mut self, text: &str, said: u32) -> Decoded<u32> {
        if self.said & TIME != 0 {
            return Err(Wrong::Syntax);
        }
        let sign = text.find('-').ok_or(Wrong::Syntax)?;
        self.place = Place::East(displacement(&text[sign..])?);
        Ok(self.run_together(&text[..sign], said)? | ZONE)
    }

    /// Where a time alone is wanted, a date may stand at the beginning, so that the zone's offset is known.
    fn date_in_time(&mut self, fields: &[Field], at: usize) -> Decoded<u32> {
        let text = &*fields[at].text;
        let date = at == 0
            && fields.len() >= 2
            && (fields.last().is_some_and(|f| f.kind == Kind::Date) || fields[1].kind == Kind::Time);
        if date {
            return self.date(text);
        }
        match text.starts_with(|c: char| c.is_ascii_digit()) {
            true => self.time_and_zone(text, self.said | DATE),
            false => self.named_zone(text),
        }
    }

    fn number_in_time(&mut self, fields: &[Field], at: usize) -> Decoded<u32> {
        let text = &*fields[at].text;
        match text.find('.') {
            Some(_) if at == 0 && fields.len() >= 2 && fields.last().is_some_and(|f| f.kind == Kind::Date) => {
                self.date(text)
            }
            Some(point) if point > 2 => self.run_together(text, self.said | DATE),
            Some(_) => Err(Wrong::Syntax),
            None if text.len() > 4 => self.run_together(text, self.said | DATE),
            None => self.one_number(text, false, self.said | DATE),
        }
    }

    /// A number behind a word that says what it is.
    fn prefixed(&mut self, prefix: Prefix, text: &str) -> Decoded<u32> {
        let (number, rest) = leading(text).ok_or(Wrong::Field)?;
        if !rest.is_empty() && !rest.starts_with('.') {
            return Err(Wrong::Syntax);
        }
        match prefix {
            Prefix::Julian => {
                self.set_julian(number);
                if rest.is_empty() {
                    return Ok(DATE);
                }
                let part = fraction(rest).ok_or(Wrong::Syntax)?;
                self.tm.set_time((part * DAY as f64) as i64);
                Ok(DATE | TIME)
            }
            Prefix::Time => match self.run_together(text, self.said | DATE)? {
                TIME => Ok(TIME),
                _ => Err(Wrong::Syntax),
            },
            Prefix::Other => Err(Wrong::Syntax),
        }
    }

    fn set_julian(&mut self, day: i32) {
        self.tm.set_date(i64::from(day) - 2_440_588);
        self.julian = true;
    }

    fn number(&mut self, text: &str) -> Decoded<u32> {
        let has_date = self.said & DATE != 0;
        match text.find('.') {
            Some(_) if !has_date => self.date(text),
            Some(point) if point > 2 => self.run_together(text, self.said),
            None if text.len() >= 6 && (!has_date || self.said & TIME == 0) => self.run_together(text, self.said),
            _ => self.one_number(text, self.named_month, self.said),
        }
    }

    /// A date whose parts are separated by any signs.
    fn date(&mut self, text: &str) -> Decoded<u32> {
        let mut parts: Vec<&str> = Vec::new();
        let mut rest = text;
        while !rest.is_empty() && parts.len() < MAX_FIELDS {
            rest = rest.trim_start_matches(|c: char| !c.is_ascii_alphanumeric());
            let digits = rest.starts_with(|c: char| c.is_ascii_digit());
            let belongs = |c: char| if digits { c.is_ascii_digit() } else { c.is_ascii_alphabetic() };
            let end = rest.find(|c| !belongs(c)).unwrap_or(rest.len());
            if end == 0 {
                return Err(Wrong::Syntax);
            }
            parts.push(&rest[..end]);
            // The sign behind it, whatever it is.
            rest = rest.get(end + 1..).unwrap_or("");
        }
        let mut said = self.said;
        let mut add = |part: u32| {
            let again = said & part != 0;
            said |= part;
            if again { Err(Wrong::Syntax) } else { Ok(said) }
        };
        let is_word = |part: &&str| part.starts_with(|c: char| c.is_ascii_alphabetic());
        let mut named_month = false;
        for word in parts.iter().copied().filter(is_word) {
            match date_word(word) {
                Some(DateWord::Month(month)) => (self.tm.month, named_month) = (month, true),
                _ => return Err(Wrong::Syntax),
            }
            add(MONTH)?;
        }
        let mut all = add(0)?;
        for number in parts.iter().copied().filter(|part| !is_word(part)) {
            let part = self.one_number(number, named_month, all)?;
            all = add(part)?;
        }
        if all & !(DAY_OF_YEAR | ZONE) != DATE { Err(Wrong::Syntax) } else { Ok(all & !self.said) }
    }

    /// A number alone, which means what `said` still lacks.
    fn one_number(&mut self, text: &str, named_month: bool, said: u32) -> Decoded<u32> {
        let (value, rest) = leading(text).ok_or(Wrong::Field)?;
        match rest.len() {
            0 => {}
            _ if rest.len() == text.len() => return Err(Wrong::Syntax),
            _ if !rest.starts_with('.') => return Err(Wrong::Syntax),
            _ if text.len() - rest.len() > 2 => return self.run_together(text, said | DATE),
            _ => self.tm.micros = micros_of_fraction(rest).ok_or(Wrong::Syntax)? as i32,
        }
        let long = text.len() >= 3;
        let order = self.context.date_order;
        if text.len() == 3 && said & DATE == YEAR && (1..=366).contains(&value) {
            self.day_of_year = value;
            return Ok(DAY_OF_YEAR | MONTH | DAY_OF_MONTH);
        }
        const YEAR_MONTH: u32 = YEAR | MONTH;
        const MONTH_DAY: u32 = MONTH | DAY_OF_MONTH;
        let part = match said & DATE {
            0 if long || order == DateOrder::Ymd => YEAR,
            0 if order == DateOrder::Dmy => DAY_OF_MONTH,
            0 | YEAR | DAY_OF_MONTH => MONTH,
            MONTH if named_month && (long || order == DateOrder::Ymd) => YEAR,
            MONTH => DAY_OF_MONTH,
            YEAR_MONTH => {
                if named_month && long && self.short_year {
                    // What looked like a year was the day.
                    (self.tm.day, self.tm.year, self.short_year) = (self.tm.year, value, false);
                    return Ok(DAY_OF_MONTH);
                }
                DAY_OF_MONTH
            }
            MONTH_DAY => YEAR,
            DATE => return self.run_together(text, said),
            _ => return Err(Wrong::Syntax),
        };
        match part {
            YEAR => (self.tm.year, self.short_year) = (value, text.len() <= 2),
            MONTH => self.tm.month = value,
            _ => self.tm.day = value,
        }
        Ok(part)
    }

    /// `20240102`, `240102`, `040506`, `0405`, `040506.789`.
    fn run_together(&mut self, text: &str, said: u32) -> Decoded<u32> {
        if !text.bytes().all(|b| b.is_ascii_digit() || b == b'.') {
            return Err(Wrong::Syntax);
        }
        let (digits, point) = text.split_at(text.find('.').unwrap_or(text.len()));
        let number = |from: usize, to: usize| atoi(&digits[from..to]);
        let len = digits.len();
        if !point.is_empty() {
            self.tm.micros = micros_of_fraction(point).ok_or(Wrong::Syntax)? as i32;
        } else if said & DATE != DATE && len >= 6 {
            (self.tm.day, self.tm.month) = (number(len - 2, len), number(len - 4, len - 2));
            self.tm.year = number(0, len - 4);
            self.short_year |= len == 6;
            return Ok(DATE);
        }
        if said & TIME != 0 || (len != 6 && len != 4) {
            return Err(Wrong::Syntax);
        }
        (self.tm.hour, self.tm.minute) = (number(0, 2), number(2, 4));
        self.tm.second = if len == 6 { number(4, 6) } else { 0 };
        Ok(TIME)
    }

    /// `HH:MM[:SS[.ffffff]]`; two parts with a point are minutes and seconds.
    fn clock(&mut self, text: &str) -> Decoded<()> {
        let time = clock(text, false)?;
        let hour = i32::try_from(time.hour).map_err(|_| Wrong::Field)?;
        (self.tm.hour, self.tm.minute, self.tm.second) = (hour, time.minute, time.second);
        self.tm.micros = time.micros;
        if !self.only_time && is_no_time(hour, time.minute, time.second, time.micros) {
            return Err(Wrong::Field);
        }
        Ok(())
    }

    fn word(&mut self, text: &str) -> Decoded<u32> {
        // Zones before words.
        if let Some((place, summer)) = abbreviation(self.context, text) {
            let kind = match place {
                Place::Abbreviation(..) => VARYING_ZONE,
                _ if summer => SUMMER_ZONE,
                _ => 0,
            };
            (self.place, self.summer) = (place, 0);
            return Ok(ZONE | kind);
        }
        let Some(word) = date_word(text) else {
            self.place = Place::Zone(Zone::named(text).ok_or(Wrong::Syntax)?);
            return Ok(ZONE);
        };
        match word {
            DateWord::Filler => Ok(0),
            DateWord::Summer => {
                self.summer += 3600;
                Ok(SUMMER | SUMMER_ZONE)
            }
            DateWord::Meridian { afternoon } => {
                self.afternoon = Some(afternoon);
                Ok(MERIDIAN)
            }
            DateWord::Era { before_christ } => {
                self.before_christ = before_christ;
                Ok(ERA)
            }
            DateWord::Julian => self.expect(Prefix::Julian),
            DateWord::Time if !self.only_time && self.said & DATE != DATE => Err(Wrong::Syntax),
            DateWord::Time => self.expect(Prefix::Time),
            DateWord::Unit => self.expect(Prefix::Other),
            DateWord::Now if self.only_time => {
                self.set_now();
                Ok(TIME)
            }
            DateWord::Zulu => {
                self.tm.set_time(0);
                self.place = Place::East(0);
                Ok(TIME | ZONE)
            }
            _ if self.only_time => Err(Wrong::Syntax),
            DateWord::Now => {
                let east = self.set_now();
                self.place = Place::East(east);
                Ok(DATE | TIME | ZONE)
            }
            DateWord::Yesterday => self.day_from_now(-1),
            DateWord::Today => self.day_from_now(0),
            DateWord::Tomorrow => self.day_from_now(1),
            DateWord::Epoch => self.special(Instant::Epoch),
            DateWord::Infinity => self.special(Instant::Infinity),
            DateWord::NegativeInfinity => self.special(Instant::NegativeInfinity),
            DateWord::Weekday => Ok(WEEKDAY),
            DateWord::Month(month) => {
                let was_day = self.said & (MONTH | DAY_OF_MONTH) == MONTH && (1..=31).contains(&self.tm.month);
                let said = if was_day && !self.named_month {
                    // What looked like a month was the day.
                    self.tm.day = self.tm.month;
                    DAY_OF_MONTH
                } else {
                    MONTH
                };
                (self.tm.month, self.named_month) = (month, true);
                Ok(said)
            }
        }
    }

    fn expect(&mut self, prefix: Prefix) -> Decoded<u32> {
        if self.prefix.replace(prefix).is_some() { Err(Wrong::Syntax) } else { Ok(0) }
    }

    fn special(&mut self, instant: Instant) -> Decoded<u32> {
        self.special = Some(instant);
        Ok(DATE | TIME | ZONE)
    }

    fn set_now(&mut self) -> i32 {
        let now = self.context.transaction_start;
        let east = self.context.zone.offset_at(now.div_euclid(1_000_000));
        self.tm = Local::of_offset(now, east).into();
        east
    }

    fn day_from_now(&mut self, days: i64) -> Decoded<u32> {
        let today = Local::at(self.context.transaction_start, &self.context.zone).days;
        self.tm.set_date(today + days);
        Ok(DATE)
    }

    /// The year as it is counted here, and a month and a day that there are.
    fn validate_date(&mut self) -> Decoded<()> {
        let tm = &mut self.tm;
        if self.said & YEAR != 0 && !self.julian {
            full_year(tm, self.before_christ, self.short_year)?;
        }
        if self.said & DAY_OF_YEAR != 0 {
            let first = Tm { month: 1, day: 1, ..*tm };
            tm.set_date(first.days() + i64::from(self.day_of_year) - 1);
        }
        if self.said & MONTH != 0 && !(1..=12).contains(&tm.month) {
            return Err(Wrong::MonthOrDay);
        }
        if self.said & DAY_OF_MONTH != 0 && !(1..=31).contains(&tm.day) {
            return Err(Wrong::MonthOrDay);
        }
        if self.said & DATE == DATE && !tm.has_day() { Err(Wrong::Field) } else { Ok(()) }
    }

    fn meridian(&mut self) -> Decoded<()> {
        let Some(afternoon) = self.afternoon else { return Ok(()) };
        match self.tm.hour {
            13.. => return Err(Wrong::Field),
            12 if !afternoon => self.tm.hour = 0,
            12 => {}
            _ if afternoon => self.tm.hour += 12,
            _ => {}
        }
        Ok(())
    }

    /// The zone, with what `DST` adds to a fixed one.
    fn where_(&mut self) -> Decoded<Place> {
        let place = std::mem::replace(&mut self.place, Place::Here);
        match place {
            Place::East(east) => Ok(Place::East(east + self.summer)),
            _ if self.said & SUMMER != 0 => Err(Wrong::Syntax),
            place => Ok(place),
        }
    }

    /// Without a date, the offset of today holds; a zone that changes its clocks needs one.
    fn offset_of_time(&self, place: Place) -> Decoded<i32> {
        let mut tm = self.tm;
        match &place {
            Place::East(east) => return Ok(*east),
            Place::Zone(zone) if let Some(east) = zone.fixed_offset() => return Ok(east),
            Place::Zone(_) if self.said & DATE != DATE => return Err(Wrong::Syntax),
            Place::Here | Place::Abbreviation(..) if self.said & DATE == 0 => {
                tm.set_date(Local::at(self.context.transaction_start, &self.context.zone).days);
            }
            _ if self.said & DATE != DATE => return Err(Wrong::Syntax),
            _ => {}
        }
        Ok(place.offset_of_local(self.context, tm.local()))
    }
}

/// Years before Christ count backwards from 0, those of two digits are of 1970 to 2069.
fn full_year(tm: &mut Tm, before_christ: bool, short: bool) -> Decoded<()> {
    tm.year = match tm.year {
        year @ ..=0 if before_christ || !short || year < 0 => return Err(Wrong::Field),
        year if before_christ => 1 - year,
        year @ ..=69 if short => year + 2000,
        year @ 70..=99 if short => year + 1900,
        year => year,
    };
    Ok(())
}

/// Checks a date, and makes its year the one that is counted here (`ValidateDate`).
pub fn validate(tm: &mut Tm, before_christ: bool) -> Decoded<()> {
    full_year(tm, before_christ, false)?;
    if !(1..=12).contains(&tm.month) || !(1..=31).contains(&tm.day) {
        return Err(Wrong::MonthOrDay);
    }
    if tm.has_day() { Ok(()) } else { Err(Wrong::Field) }
}

/// A time with colons.
pub struct Clock {
    pub hour: i64,
    pub minute: i32,
    pub second: i32,
    pub micros: i32,
}

/// `HH:MM[:SS[.ffffff]]`; two parts are minutes and seconds if there is a point or `to_second` says so.
pub fn clock(text: &str, to_second: bool) -> Decoded<Clock> {
    let (hour, rest) = super::fields::leading_long(text).ok_or(Wrong::Field)?;
    let rest = rest.strip_prefix(':').ok_or(Wrong::Syntax)?;
    let (minute, rest) = leading(rest).ok_or(Wrong::Field)?;
    let mut clock = Clock { hour, minute, second: 0, micros: 0 };
    if let Some(rest) = rest.strip_prefix(':') {
        let (second, rest) = leading(rest).ok_or(Wrong::Field)?;
        clock.second = second;
        clock.micros = match rest {
            "" => 0,
            rest if rest.starts_with('.') => micros_of_fraction(rest).ok_or(Wrong::Syntax)? as i32,
            _ => return Err(Wrong::Syntax),
        };
    } else if rest.is_empty() && !to_second {
    } else if rest.is_empty() || rest.starts_with('.') {
        if !rest.is_empty() {
            clock.micros = micros_of_fraction(rest).ok_or(Wrong::Syntax)? as i32;
        }
        clock.second = minute;
        clock.minute = i32::try_from(hour).map_err(|_| Wrong::Field)?;
        clock.hour = 0;
    } else {
        return Err(Wrong::Syntax);
    }
    let in_range = clock.hour >= 0 && (0..60).contains(&clock.minute) && (0..=60).contains(&clock.second);
    if in_range { Ok(clock) } else { Err(Wrong::Field) }
}

/// `+03`, `-0730`, `+5:45:10` in seconds east of Greenwich.
pub fn displacement(text: &str) -> Decoded<i32> {
    let sign = match text.bytes().next() {
        Some(b'-') => -1,
        Some(b'+') => 1,
        _ => return Err(Wrong::Syntax),
    };
    let part = |text| leading(text).ok_or(Wrong::Displacement);
    // A second sign is C's, too.
    let (mut hours, mut rest) = part(&text[1..])?;
    let (mut minutes, mut seconds) = (0, 0);
    if let Some(behind) = rest.strip_prefix(':') {
        (minutes, rest) = part(behind)?;
        if let Some(behind) = rest.strip_prefix(':') {
            (seconds, rest) = part(behind)?;
        }
    } else if rest.is_empty() && text.len() > 3 {
        (hours, minutes) = (hours / 100, hours % 100);
    }
    if !(0..=15).contains(&hours) || !(0..60).contains(&minutes) || !(0..60).contains(&seconds) {
        return Err(Wrong::Displacement);
    }
    if rest.is_empty() { Ok(sign * (hours * 3600 + minutes * 60 + seconds)) } else { Err(Wrong::Syntax) }
}
