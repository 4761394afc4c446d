//! What an abbreviation (`MSK`, `IST`) means in a zone: those that the zone has used itself come before all others, and one
//! that has meant several offsets means the one that it had at the time, as in PostgreSQL 18.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex, PoisonError};

use chrono::{DateTime, Offset, TimeZone};
use chrono_tz::{OffsetName, Tz};

/// Time zones begin about here (1840), and repeat themselves behind here (2037), in seconds since 1970.
const FIRST: i64 = -4_102_444_800;
const LAST: i64 = 2_145_916_800;
/// How often a zone is looked at: none has used an abbreviation for less than a week and again before or after.
const STEP: i64 = 7 * 86_400;

/// Of each abbreviation of a zone its only offset, or `None` if it has had several.
type Meanings = HashMap<String, Option<i32>>;

/// As many as there are zones, at most.
static KNOWN: LazyLock<Mutex<HashMap<Tz, Meanings>>> = LazyLock::new(Mutex::default);

fn at(tz: Tz, utc: i64) -> (Option<String>, i32) {
    let time = DateTime::from_timestamp(utc, 0).unwrap_or_default().naive_utc();
    let offset = tz.offset_from_utc_datetime(&time);
    let name = offset.abbreviation().filter(|name| name.bytes().all(|b| b.is_ascii_alphabetic()));
    (name.map(str::to_uppercase), offset.fix().local_minus_utc())
}

fn meanings(tz: Tz) -> Meanings {
    let mut found = Meanings::new();
    for utc in (FIRST..LAST).step_by(STEP as usize) {
        if let (Some(name), offset) = at(tz, utc) {
            let meaning = found.entry(name).or_insert(Some(offset));
            if *meaning != Some(offset) {
                *meaning = None;
            }
        }
    }
    found
}

/// Has the zone used the abbreviation (in capitals)? `Some(Some(_))`: always with this offset.
pub fn in_zone(tz: Tz, abbreviation: &str) -> Option<Option<i32>> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.entry(tz).or_insert_with(|| meanings(tz)).get(abbreviation).copied()
}

/// The offset that the abbreviation had last at a time, or first if it came later.
pub fn offset_at(tz: Tz, abbreviation: &str, utc: i64) -> i32 {
    let start = utc.clamp(FIRST, LAST);
    let means = |utc: i64| {
        let (name, offset) = at(tz, utc);
        (name.as_deref() == Some(abbreviation)).then_some(offset)
    };
    let before = (0..).map(|n| start - n * STEP).take_while(|utc| *utc >= FIRST).find_map(means);
    let after = || (1..).map(|n| start + n * STEP).take_while(|utc| *utc <= LAST).find_map(means);
    before.or_else(after).unwrap_or_else(|| at(tz, start).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviations_mean_what_they_meant_then() {
        assert_eq!(in_zone(Tz::Asia__Kolkata, "IST"), Some(Some(19_800)));
        assert_eq!(in_zone(Tz::Europe__Moscow, "MSK"), Some(None));
        assert_eq!(in_zone(Tz::Europe__Berlin, "IST"), None);
        let july_2005 = 1_120_176_000;
        assert_eq!(offset_at(Tz::Europe__Moscow, "MSK", july_2005), 3 * 3600);
        let july_2012 = 1_341_100_800;
        assert_eq!(offset_at(Tz::Europe__Moscow, "MSK", july_2012), 4 * 3600);
    }
}
