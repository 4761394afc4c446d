//! Time zones: names of the IANA database, fixed offsets in POSIX's spelling, and the abbreviations that may stand behind a
//! time (PostgreSQL's `Default` set).

use std::sync::Arc;

use chrono::{DateTime, NaiveDateTime, Offset, TimeZone};
use chrono_tz::{OffsetName, TZ_VARIANTS, Tz};

use crate::zone_abbreviations;

/// Seconds in 400 years, after which the calendar repeats itself.
const CYCLE: i64 = 146_097 * 86_400;
/// chrono's calendar ends earlier than PostgreSQL's: beyond this many seconds from 1970 an earlier year stands for a later one.
const FARTHEST: i64 = 8_000_000_000_000;
/// Offsets must be less than this many hours (`MAX_TZDISP_HOUR` for POSIX zones).
const MAX_HOURS: f64 = 168.0;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Zone {
    Named(Tz),
    /// Seconds east of Greenwich, and what the zone is called behind a time.
    Fixed(i32, Arc<str>),
    /// An abbreviation that has meant several offsets, in the zone that says which.
    Moving(Tz, Arc<str>),
}

impl Zone {
    pub fn utc() -> Zone {
        Zone::Named(Tz::UTC)
    }

    /// What SET TIME ZONE takes: a name, a number of hours, `<+03>-3`. Gives its canonical text too.
    pub fn parse(text: &str) -> Option<(Zone, String)> {
        if let Some(tz) = named(text) {
            return Some((Zone::Named(tz), tz.name().to_string()));
        }
        if let Ok(hours) = text.trim().parse::<f64>() {
            return (hours.abs() < MAX_HOURS).then(|| Zone::east((hours * 3600.0).round() as i32));
        }
        posix(text).map(|zone| (zone, text.to_uppercase()))
    }

    /// What AT TIME ZONE takes: an abbreviation, a name, or POSIX's spelling.
    pub fn named(text: &str, session: &Zone) -> Option<Zone> {
        abbreviated_in(session, text).or_else(|| named(text).map(Zone::Named)).or_else(|| posix(text))
    }

    /// So many seconds east of Greenwich, as PostgreSQL names it: `<+05:30>-05:30`.
    pub fn east(seconds: i32) -> (Zone, String) {
        let east = offset_text(seconds);
        let west = offset_text(-seconds);
        (Zone::Fixed(seconds, east.as_str().into()), format!("<{east}>{west}"))
    }

    /// Seconds east of Greenwich at a time, in seconds since 1970.
    pub fn offset_at(&self, utc: i64) -> i32 {
        match self {
            Zone::Named(tz) => tz.offset_from_utc_datetime(&calendar(utc)).fix().local_minus_utc(),
            Zone::Fixed(seconds, _) => *seconds,
            Zone::Moving(tz, name) => zone_abbreviations::offset_at(*tz, name, utc),
        }
    }

    /// Seconds east of Greenwich where the clock shows `local`. A time that a transition leaves out is read as before it,
    /// one that it repeats as after it.
    pub fn offset_of_local(&self, local: i64) -> i32 {
        match self {
            Zone::Named(tz) => match tz.offset_from_local_datetime(&calendar(local)) {
                chrono::LocalResult::Single(offset) => offset.fix().local_minus_utc(),
                chrono::LocalResult::Ambiguous(_, after) => after.fix().local_minus_utc(),
                chrono::LocalResult::None => self.offset_at(local - 26 * 3600),
            },
            Zone::Fixed(seconds, _) => *seconds,
            Zone::Moving(tz, _) => self.offset_at(local - i64::from(Zone::Named(*tz).offset_of_local(local))),
        }
    }

    /// What the zone is called at a time: `CET`, `CEST`, `+03`.
    pub fn abbreviation(&self, utc: i64) -> String {
        match self {
            Zone::Named(tz) => {
                let offset = tz.offset_from_utc_datetime(&calendar(utc));
                offset.abbreviation().map_or_else(|| offset_text(offset.fix().local_minus_utc()), str::to_string)
            }
            Zone::Fixed(_, name) | Zone::Moving(_, name) => name.to_string(),
        }
    }
}

/// `+03`, `-07:30`.
fn offset_text(seconds: i32) -> String {
    let sign = if seconds < 0 { '-' } else { '+' };
    let (hours, minutes, rest) = (seconds.abs() / 3600, seconds.abs() / 60 % 60, seconds.abs() % 60);
    match (minutes, rest) {
        (0, 0) => format!("{sign}{hours:02}"),
        (_, 0) => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{rest:02}"),
    }
}

fn calendar(seconds: i64) -> NaiveDateTime {
    let cycles =
        if seconds.abs() > FARTHEST { (seconds - FARTHEST * seconds.signum()) / CYCLE + seconds.signum() } else { 0 };
    let time = DateTime::from_timestamp(seconds - cycles * CYCLE, 0).expect("it was brought into range");
    time.naive_utc()
}

/// A zone of the IANA database, in any case.
pub fn named(name: &str) -> Option<Tz> {
    TZ_VARIANTS.iter().find(|tz| tz.name().eq_ignore_ascii_case(name)).copied()
}

/// `FOO+3` or `<+03>-3:30`: a name, and hours west of Greenwich. Zones with rules of their own are not among them.
fn posix(text: &str) -> Option<Zone> {
    let (name, rest) = match text.strip_prefix('<') {
        Some(rest) => rest.split_once('>')?,
        None => text.split_at(text.find(|c: char| !c.is_ascii_alphabetic())?),
    };
    // The name may be missing: `+03` is west of Greenwich.
    if (1..3).contains(&name.len()) {
        return None;
    }
    let (sign, digits) = match rest.strip_prefix('-') {
        Some(digits) => (1, digits),
        None => (-1, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let mut parts = digits.split(':').map(|part| {
        let plain = !part.is_empty() && part.len() <= 3 && part.bytes().all(|b| b.is_ascii_digit());
        plain.then(|| part.parse::<i32>().ok()).flatten()
    });
    let hours = parts.next()??;
    let minutes = parts.next().unwrap_or(Some(0))?;
    let seconds = parts.next().unwrap_or(Some(0))?;
    if parts.next().is_some() || hours >= MAX_HOURS as i32 || minutes > 59 || seconds > 59 {
        return None;
    }
    Some(Zone::Fixed(sign * (hours * 3600 + minutes * 60 + seconds), name.to_uppercase().into()))
}

/// The zone that an abbreviation behind a time means.
pub fn abbreviated(name: &str) -> Option<Zone> {
    let upper = name.to_ascii_uppercase();
    if let Ok(found) = FIXED.binary_search_by(|(known, _)| (*known).cmp(&upper)) {
        return Some(Zone::Fixed(FIXED[found].1, upper.into()));
    }
    let found = MOVING.binary_search_by(|(known, _)| (*known).cmp(&upper)).ok()?;
    Some(Zone::Moving(MOVING[found].1, upper.into()))
}

/// The zone that an abbreviation means in a session's zone, whose own ones come first.
pub fn abbreviated_in(session: &Zone, name: &str) -> Option<Zone> {
    let own = match session {
        Zone::Named(tz) => {
            let upper = name.to_ascii_uppercase();
            zone_abbreviations::in_zone(*tz, &upper).map(|only| match only {
                Some(offset) => Zone::Fixed(offset, upper.into()),
                None => Zone::Moving(*tz, upper.into()),
            })
        }
        _ => None,
    };
    own.or_else(|| abbreviated(name))
}

/// Abbreviations and their seconds east of Greenwich.
const FIXED: &[(&str, i32)] = &[
    ("ACDT", 37800),
    ("ACSST", 37800),
    ("ACST", 34200),
    ("ACT", -18000),
    ("ACWST", 31500),
    ("ADT", -10800),
    ("AEDT", 39600),
    ("AESST", 39600),
    ("AEST", 36000),
    ("AFT", 16200),
    ("AKDT", -28800),
    ("AKST", -32400),
    ("ALMST", 25200),
    ("ALMT", 21600),
    ("AMT", -14400),
    ("AST", -14400),
    ("AWSST", 32400),
    ("AWST", 28800),
    ("AZOST", 0),
    ("AZOT", -3600),
    ("BDST", 7200),
    ("BDT", 21600),
    ("BNT", 28800),
    ("BORT", 28800),
    ("BOT", -14400),
    ("BRA", -10800),
    ("BRST", -7200),
    ("BRT", -10800),
    ("BST", 3600),
    ("BTT", 21600),
    ("CADT", 37800),
    ("CAST", 34200),
    ("CCT", 28800),
    ("CDT", -18000),
    ("CEST", 7200),
    ("CET", 3600),
    ("CETDST", 7200),
    ("CHADT", 49500),
    ("CHAST", 45900),
    ("CHUT", 36000),
    ("CLST", -10800),
    ("COT", -18000),
    ("CST", -21600),
    ("CXT", 25200),
    ("DDUT", 36000),
    ("EAT", 10800),
    ("EDT", -14400),
    ("EEST", 10800),
    ("EET", 7200),
    ("EETDST", 10800),
    ("EGST", 0),
    ("EGT", -3600),
    ("EST", -18000),
    ("FET", 10800),
    ("FJST", 46800),
    ("FJT", 43200),
    ("FNST", -3600),
    ("FNT", -7200),
    ("GALT", -21600),
    ("GAMT", -32400),
    ("GFT", -10800),
    ("GILT", 43200),
    ("GMT", 0),
    ("HKT", 28800),
    ("HST", -36000),
    ("ICT", 25200),
    ("IDT", 10800),
    ("IRT", 12600),
    ("IST", 7200),
    ("JAYT", 32400),
    ("JST", 32400),
    ("KDT", 36000),
    ("KGST", 21600),
    ("KST", 32400),
    ("LHST", 37800),
    ("LIGT", 36000),
    ("MART", -34200),
    ("MDT", -21600),
    ("MEST", 7200),
    ("MESZ", 7200),
    ("MET", 3600),
    ("METDST", 7200),
    ("MEZ", 3600),
    ("MHT", 43200),
    ("MMT", 23400),
    ("MPT", 36000),
    ("MSD", 14400),
    ("MST", -25200),
    ("MUST", 18000),
    ("MUT", 14400),
    ("MVT", 18000),
    ("MYT", 28800),
    ("NDT", -9000),
    ("NFT", -12600),
    ("NPT", 20700),
    ("NST", -12600),
    ("NZDT", 46800),
    ("NZST", 43200),
    ("NZT", 43200),
    ("PDT", -25200),
    ("PET", -18000),
    ("PGT", 36000),
    ("PHT", 28800),
    ("PKST", 21600),
    ("PKT", 18000),
    ("PMDT", -7200),
    ("PMST", -10800),
    ("PONT", 39600),
    ("PST", -28800),
    ("PWT", 32400),
    ("PYST", -10800),
    ("RET", 14400),
    ("SADT", 37800),
    ("SAST", 7200),
    ("SCT", 14400),
    ("TAHT", -36000),
    ("TFT", 18000),
    ("TJT", 18000),
    ("TOT", 46800),
    ("TRUT", 36000),
    ("TVT", 43200),
    ("UCT", 0),
    ("ULAST", 32400),
    ("UT", 0),
    ("UTC", 0),
    ("UYST", -7200),
    ("UYT", -10800),
    ("UZST", 21600),
    ("UZT", 18000),
    ("VUT", 39600),
    ("WADT", 28800),
    ("WAKT", 43200),
    ("WAST", 25200),
    ("WAT", 3600),
    ("WDT", 32400),
    ("WET", 0),
    ("WETDST", 3600),
    ("WFT", 43200),
    ("WGST", -7200),
    ("WGT", -10800),
    ("XJT", 21600),
    ("YAPT", 36000),
    ("YEKST", 21600),
    ("Z", 0),
    ("ZULU", 0),
];

/// Abbreviations whose offset has changed: that of the zone at the time holds.
const MOVING: &[(&str, Tz)] = &[
    ("AMST", Tz::Asia__Yerevan),
    ("ANAST", Tz::Asia__Anadyr),
    ("ANAT", Tz::Asia__Anadyr),
    ("ARST", Tz::America__Argentina__Buenos_Aires),
    ("ART", Tz::America__Argentina__Buenos_Aires),
    ("AZST", Tz::Asia__Baku),
    ("AZT", Tz::Asia__Baku),
    ("CKT", Tz::Pacific__Rarotonga),
    ("CLT", Tz::America__Santiago),
    ("DAVT", Tz::Antarctica__Davis),
    ("EASST", Tz::Pacific__Easter),
    ("EAST", Tz::Pacific__Easter),
    ("FKST", Tz::Atlantic__Stanley),
    ("FKT", Tz::Atlantic__Stanley),
    ("GEST", Tz::Asia__Tbilisi),
    ("GET", Tz::Asia__Tbilisi),
    ("GYT", Tz::America__Guyana),
    ("IOT", Tz::Indian__Chagos),
    ("IRKST", Tz::Asia__Irkutsk),
    ("IRKT", Tz::Asia__Irkutsk),
    ("KGT", Tz::Asia__Bishkek),
    ("KOST", Tz::Pacific__Kosrae),
    ("KRAST", Tz::Asia__Krasnoyarsk),
    ("KRAT", Tz::Asia__Krasnoyarsk),
    ("LHDT", Tz::Australia__Lord_Howe),
    ("LINT", Tz::Pacific__Kiritimati),
    ("LKT", Tz::Asia__Colombo),
    ("MAGST", Tz::Asia__Magadan),
    ("MAGT", Tz::Asia__Magadan),
    ("MAWT", Tz::Antarctica__Mawson),
    ("MSK", Tz::Europe__Moscow),
    ("NOVST", Tz::Asia__Novosibirsk),
    ("NOVT", Tz::Asia__Novosibirsk),
    ("NUT", Tz::Pacific__Niue),
    ("OMSST", Tz::Asia__Omsk),
    ("OMST", Tz::Asia__Omsk),
    ("PETST", Tz::Asia__Kamchatka),
    ("PETT", Tz::Asia__Kamchatka),
    ("PYT", Tz::America__Asuncion),
    ("SGT", Tz::Asia__Singapore),
    ("TKT", Tz::Pacific__Fakaofo),
    ("TMT", Tz::Asia__Ashgabat),
    ("ULAT", Tz::Asia__Ulaanbaatar),
    ("VET", Tz::America__Caracas),
    ("VLAST", Tz::Asia__Vladivostok),
    ("VLAT", Tz::Asia__Vladivostok),
    ("VOLT", Tz::Europe__Volgograd),
    ("YAKST", Tz::Asia__Yakutsk),
    ("YAKT", Tz::Asia__Yakutsk),
    ("YEKT", Tz::Asia__Yekaterinburg),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_are_named_as_postgresql_does() {
        let name = |text: &str| Zone::parse(text).map(|(_, name)| name);
        for (text, canonical) in [
            ("3", "<+03>-03"),
            ("-7.5", "<-07:30>+07:30"),
            ("5.5", "<+05:30>-05:30"),
            ("utc", "UTC"),
            ("europe/paris", "Europe/Paris"),
            ("foo+3", "FOO+3"),
            ("<+03>-3", "<+03>-3"),
        ] {
            assert_eq!(name(text).as_deref(), Some(canonical), "{text}");
        }
        for wrong in ["", "nope", "200", "ab3", "<+03>", "foo+", "foo+3:99", "NaN"] {
            assert_eq!(name(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn transitions() {
        let (paris, _) = Zone::parse("Europe/Paris").unwrap();
        let local = |month: u32, day: u32, hour: u32| {
            let time = chrono::NaiveDate::from_ymd_opt(2024, month, day).unwrap().and_hms_opt(hour, 30, 0).unwrap();
            time.and_utc().timestamp()
        };
        // Left out, before; repeated, after.
        assert_eq!(paris.offset_of_local(local(3, 31, 2)), 3600);
        assert_eq!(paris.offset_of_local(local(10, 27, 2)), 3600);
        assert_eq!(paris.offset_of_local(local(7, 1, 2)), 7200);
        assert_eq!(paris.abbreviation(local(7, 1, 2)), "CEST");
        // Beyond chrono's calendar.
        assert_eq!(paris.offset_at(9_224_000_000_000), paris.offset_at(9_224_000_000_000 - CYCLE));
    }

    #[test]
    fn abbreviations_are_sorted() {
        assert!(FIXED.is_sorted_by_key(|(name, _)| *name) && MOVING.is_sorted_by_key(|(name, _)| *name));
        assert_eq!(abbreviated("pst"), Some(Zone::Fixed(-28_800, "PST".into())));
        assert_eq!(abbreviated("xyz"), None);
    }
}
