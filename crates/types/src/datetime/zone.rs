//! Time zones: names of the IANA database, and POSIX's spelling (`CET-1CEST,M3.5.0,M10.5.0/3`).

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock, OnceLock};

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::{OffsetComponents, OffsetName, TZ_VARIANTS, Tz};

use super::calendar::{date_of, days_of, is_leap, weekday};
use super::posix;

const DAY: i64 = 86_400;
/// The years whose rules stand for those of all later ones: after 28 years weekdays and leap days are the same again.
const CYCLE: std::ops::RangeInclusive<i64> = 2071..=2098;

/// A time zone: what its clocks have shown since when.
#[derive(Clone, Debug)]
pub struct Zone(Arc<Rules>);

#[derive(Debug)]
pub(super) struct Rules {
    /// As SHOW TimeZone writes it.
    pub name: String,
    /// In order; the first one begins with time.
    pub spans: Vec<Span>,
    /// The rules hold for all years before, too.
    pub always: bool,
}

/// A time in which the clocks are not turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// Seconds since 1970.
    pub start: i64,
    /// Seconds east of Greenwich.
    pub east: i32,
    /// What the clocks' time is called: `CET`, `CEST`, `+03`.
    pub name: Box<str>,
    /// Daylight saving time.
    pub summer: bool,
}

/// What a zone means by an abbreviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// Seconds east of Greenwich, and whether it is daylight saving time.
    Fixed(i32, bool),
    /// It depends on the time.
    Varying,
}

impl Default for Zone {
    fn default() -> Zone {
        Zone::utc()
    }
}

impl PartialEq for Zone {
    fn eq(&self, other: &Zone) -> bool {
        self.0.name == other.0.name
    }
}

impl Zone {
    pub fn utc() -> Zone {
        static UTC: LazyLock<Zone> = LazyLock::new(|| Zone::named("UTC").expect("the database has it"));
        UTC.clone()
    }

    /// What SET TIME ZONE takes: a name, POSIX's spelling, or a number of hours east of Greenwich.
    pub fn parse(text: &str) -> Option<Zone> {
        match text.trim_start().parse::<f64>() {
            // Less than a week, as PostgreSQL has it.
            Ok(hours) => (hours.abs() < 168.0).then(|| Zone::east((hours * 3600.0) as i32)),
            Err(_) => Zone::named(text),
        }
    }

    /// A zone of the IANA database, in any case, or one in POSIX's spelling.
    pub fn named(text: &str) -> Option<Zone> {
        let lower = text.to_ascii_lowercase();
        match REGIONS.binary_search_by(|region| region.key.cmp(&lower)) {
            Ok(found) => Some(REGIONS[found].zone()),
            Err(_) => posix::parse(&text.to_ascii_uppercase()).map(|rules| Zone(Arc::new(rules))),
        }
    }

    /// So many seconds east of Greenwich, as PostgreSQL names it: `<+05:30>-05:30`.
    pub fn east(seconds: i32) -> Zone {
        let (east, west) = (offset_text(seconds), offset_text(-seconds));
        let span = Span { start: i64::MIN, east: seconds, name: east.as_str().into(), summer: false };
        Zone(Arc::new(Rules { name: format!("<{east}>{west}"), spans: vec![span], always: true }))
    }

    /// As SHOW TimeZone writes it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What holds at a time, in seconds since 1970.
    pub fn at(&self, utc: i64) -> &Span {
        let utc = self.known(utc);
        &self.0.spans[self.index(utc)]
    }

    /// Seconds east of Greenwich at a time, in seconds since 1970.
    pub fn offset_at(&self, utc: i64) -> i32 {
        self.at(utc).east
    }

    /// Seconds east of Greenwich where the clock shows `local`. A time that a transition leaves out is read as before it,
    /// one that it repeats as after it.
    pub fn offset_of_local(&self, local: i64) -> i32 {
        let local = self.known(local);
        // No zone turns its clocks twice in two days.
        let before = self.index(local - DAY);
        let Some(next) = self.0.spans.get(before + 1) else { return self.0.spans[before].east };
        let (early, late) = (self.0.spans[before].east, next.east);
        let (before, after) = (local - i64::from(early), local - i64::from(late));
        if before < next.start && after < next.start {
            early
        } else if before > next.start && after >= next.start {
            late
        } else if before > after {
            early
        } else {
            late
        }
    }

    /// The offset of a zone that has always had one.
    pub fn fixed_offset(&self) -> Option<i32> {
        let east = self.0.spans[0].east;
        self.0.spans.iter().all(|span| span.east == east).then_some(east)
    }

    /// What an abbreviation, in any case, means here.
    pub fn meaning(&self, abbreviation: &str) -> Option<Meaning> {
        let mut spans = self.0.spans.iter().filter(|span| span.name.eq_ignore_ascii_case(abbreviation));
        let first = spans.next()?;
        let same = spans.all(|span| (span.east, span.summer) == (first.east, first.summer));
        Some(if same { Meaning::Fixed(first.east, first.summer) } else { Meaning::Varying })
    }

    /// Seconds east of Greenwich that an abbreviation means at a time.
    pub fn offset_of_abbreviation(&self, abbreviation: &str, utc: i64) -> Option<i32> {
        self.span_of_abbreviation(abbreviation, utc).map(|span| span.east)
    }

    /// What an abbreviation means at a time: what it meant last, or else what it will mean first.
    pub fn span_of_abbreviation(&self, abbreviation: &str, utc: i64) -> Option<&Span> {
        let now = self.index(self.known(utc));
        let is_it = |span: &&Span| span.name.eq_ignore_ascii_case(abbreviation);
        let (past, future) = self.0.spans.split_at(now + 1);
        past.iter().rev().find(is_it).or_else(|| future.iter().find(is_it))
    }

    /// The names that its times have or had, as far as they are words.
    pub fn abbreviations(&self) -> BTreeSet<&str> {
        let words = self.0.spans.iter().filter(|span| span.name.bytes().all(|byte| byte.is_ascii_alphabetic()));
        words.map(|span| &*span.name).collect()
    }

    fn index(&self, utc: i64) -> usize {
        self.0.spans.partition_point(|span| span.start <= utc).saturating_sub(1)
    }

    /// A time for which the rules are spelled out, and are those of this time.
    fn known(&self, seconds: i64) -> i64 {
        if self.0.spans.len() == 1 {
            return seconds;
        }
        let (year, ..) = date_of(seconds.div_euclid(DAY));
        if year <= *CYCLE.end() && !(self.0.always && year < *CYCLE.start()) {
            return seconds;
        }
        let first = days_of(year, 1, 1);
        let alike = |other: &i64| is_leap(*other) == is_leap(year) && weekday(days_of(*other, 1, 1)) == weekday(first);
        let like = CYCLE.rev().find(alike).expect("28 years have all there are");
        seconds - (first - days_of(like, 1, 1)) * DAY
    }
}

/// `+03`, `-07:30`: how PostgreSQL names a zone that is only an offset.
fn offset_text(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes, rest) = (seconds.abs() / 3600, seconds.abs() / 60 % 60, seconds.abs() % 60);
    match (minutes, rest) {
        (0, 0) => format!("{sign}{hours:02}"),
        (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{rest:02}"),
    }
}

/// A zone of the IANA database, whose spans are computed when it is first used.
struct Region {
    key: String,
    tz: Tz,
    zone: OnceLock<Zone>,
}

/// All of them, by their names in lower case.
static REGIONS: LazyLock<Vec<Region>> = LazyLock::new(|| {
    let region = |tz: &Tz| Region { key: tz.name().to_ascii_lowercase(), tz: *tz, zone: OnceLock::new() };
    let mut regions: Vec<Region> = TZ_VARIANTS.iter().map(region).collect();
    regions.sort_by(|a, b| a.key.cmp(&b.key));
    regions
});

/// The zones of the IANA database with what holds there at a time, in seconds since 1970.
pub fn all_at(utc: i64) -> impl Iterator<Item = (&'static str, Span)> {
    REGIONS.iter().map(move |region| (region.tz.name(), region.span(utc)))
}

impl Region {
    fn zone(&self) -> Zone {
        let made = || Zone(Arc::new(Rules { name: self.tz.name().to_string(), spans: self.spans(), always: false }));
        self.zone.get_or_init(made).clone()
    }

    fn span(&self, utc: i64) -> Span {
        let time = DateTime::from_timestamp(utc, 0).expect("the years are chrono's").naive_utc();
        let offset = self.tz.offset_from_utc_datetime(&time);
        let east = offset.fix().local_minus_utc();
        let name = match offset.abbreviation() {
            Some(name) => name.into(),
            // Zones whose time has no name.
            None => offset_text(east).replace(':', "").into(),
        };
        Span { start: utc, east, name, summer: !offset.dst_offset().is_zero() }
    }

    /// chrono-tz tells what holds at a time, but not until when: that is looked for, first by days, then by seconds.
    fn spans(&self) -> Vec<Span> {
        let (begin, end) = (days_of(1830, 1, 1) * DAY, days_of(CYCLE.end() + 1, 1, 1) * DAY);
        let same = |a: &Span, b: &Span| (a.east, &a.name, a.summer) == (b.east, &b.name, b.summer);
        let mut spans = vec![Span { start: i64::MIN, ..self.span(begin) }];
        let mut at = begin;
        while at < end {
            let last = spans.last().expect("the first one");
            let (mut before, mut after) = (at, at + 2 * DAY);
            at = after;
            if same(last, &self.span(after)) {
                continue;
            }
            while after - before > 1 {
                let middle = before + (after - before) / 2;
                if same(last, &self.span(middle)) { before = middle } else { after = middle }
            }
            let next = self.span(after);
            // There may be another one in these two days.
            at = after;
            spans.push(next);
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_named_as_postgresql_names_them() {
        for (text, canonical) in [
            ("3", "<+03>-03"),
            ("-7.5", "<-07:30>+07:30"),
            (" 5.5", "<+05:30>-05:30"),
            ("utc", "UTC"),
            ("europe/paris", "Europe/Paris"),
            ("foo+3", "FOO+3"),
            ("<+03>-3", "<+03>-3"),
            ("ab3", "AB3"),
            ("cst7cdt,m4.1.0,m10.5.0", "CST7CDT,M4.1.0,M10.5.0"),
        ] {
            assert_eq!(Zone::parse(text).as_ref().map(Zone::name), Some(canonical), "{text}");
        }
        for wrong in ["", "nope", "200", "<+03>", "foo+", "foo+3:99", "NaN", "inf", "foo168", "abc-3,4", "a3b,J0,J5"] {
            assert_eq!(Zone::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn transitions() {
        let paris = Zone::named("Europe/Paris").unwrap();
        let local = |month: i64, day: i64, hour: i64| days_of(2024, month, day) * DAY + hour * 3600 + 1800;
        // Left out, before; repeated, after.
        assert_eq!(paris.offset_of_local(local(3, 31, 2)), 3600);
        assert_eq!(paris.offset_of_local(local(10, 27, 2)), 3600);
        assert_eq!(paris.offset_of_local(local(7, 1, 2)), 7200);
        assert_eq!(&*paris.at(local(7, 1, 2)).name, "CEST");
        // Rules go on for ever.
        assert_eq!(paris.offset_at(days_of(2524, 7, 1) * DAY), 7200);
        assert_eq!(paris.offset_at(days_of(294_246, 12, 1) * DAY), 3600);
        assert_eq!(paris.offset_at(i64::MAX / 1_000_000), paris.offset_at(days_of(2071, 1, 9) * DAY));
    }

    #[test]
    fn abbreviations_mean_what_they_meant() {
        let moscow = Zone::named("Europe/Moscow").unwrap();
        assert_eq!(moscow.meaning("msk"), Some(Meaning::Varying));
        assert_eq!(moscow.offset_of_abbreviation("MSK", days_of(2012, 1, 1) * DAY), Some(4 * 3600));
        assert_eq!(moscow.offset_of_abbreviation("MSK", days_of(2020, 1, 1) * DAY), Some(3 * 3600));
        assert_eq!(moscow.offset_of_abbreviation("CET", 0), None);
        assert_eq!(Zone::utc().meaning("utc"), Some(Meaning::Fixed(0, false)));
    }
}
