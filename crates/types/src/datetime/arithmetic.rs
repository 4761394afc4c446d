//! Dates and times plus and minus others, intervals and days.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::calendar::add_months;
use super::casts;
use super::decode::Place;
use super::interval::{Interval, out_of_range};
use super::local::Local;
use super::values::*;
use super::zone::Zone;

pub const FUNCTIONS: &[Function] = functions! {
    date_pli(date, int4) -> date = |days, more: i32| add_days(days, more.into());
    date_mii(date, int4) -> date = |days, fewer: i32| add_days(days, -i64::from(fewer));
    integer_pl_date(int4, date) -> date = |more: i32, days| add_days(days, more.into());
    date_mi(date, date) -> int4 = date_minus_date;
    date_pl_interval(date, interval) -> timestamp = date_plus;
    date_mi_interval(date, interval) -> timestamp = |days, by: Interval| minus(casts::date_to_timestamp(days)?, by);
    interval_pl_date(interval, date) -> timestamp = |by, days| date_plus(days, by);
    datetime_pl(date, time) -> timestamp = casts::date_and_time;
    timedate_pl(time, date) -> timestamp = |micros, days| casts::date_and_time(days, micros);
    datetimetz_pl(date, timetz) -> timestamptz = casts::date_and_timetz;
    timetzdate_pl(timetz, date) -> timestamptz = |clock, days| casts::date_and_timetz(days, clock);
    timestamp_pl_interval(timestamp, interval) -> timestamp = plus;
    timestamp_mi_interval(timestamp, interval) -> timestamp = minus;
    interval_pl_timestamp(interval, timestamp) -> timestamp = |by, micros| plus(micros, by);
    timestamptz_pl_interval[c](timestamptz, interval) -> timestamptz = |c: &Context, utc, by| plus_in(utc, by, &c.zone);
    timestamptz_mi_interval[c](timestamptz, interval) -> timestamptz = |c: &Context, utc, by| minus_in(utc, by, &c.zone);
    interval_pl_timestamptz[c](interval, timestamptz) -> timestamptz = |c: &Context, by, utc| plus_in(utc, by, &c.zone);
    date_add[c](timestamptz, interval) -> timestamptz = |c: &Context, utc, by| plus_in(utc, by, &c.zone);
    date_add[c](timestamptz, interval, text) -> timestamptz =
        |c: &Context, utc, by, name: &str| plus_in(utc, by, &zone_named(c, name)?);
    date_subtract[c](timestamptz, interval) -> timestamptz = |c: &Context, utc, by| minus_in(utc, by, &c.zone);
    date_subtract[c](timestamptz, interval, text) -> timestamptz =
        |c: &Context, utc, by, name: &str| minus_in(utc, by, &zone_named(c, name)?);
    timestamp_mi(timestamp, timestamp) -> interval = difference;
    timestamptz_mi(timestamptz, timestamptz) -> interval = difference;
    time_pl_interval(time, interval) -> time = time_plus;
    time_mi_interval(time, interval) -> time = time_minus;
    interval_pl_time(interval, time) -> time = |by, micros| time_plus(micros, by);
    time_mi_time(time, time) -> interval = |a, b| Result::Ok(Interval { months: 0, days: 0, micros: a - b });
    timetz_pl_interval(timetz, interval) -> timetz = timetz_plus;
    timetz_mi_interval(timetz, interval) -> timetz =
        |clock: TimeTz, by| Result::Ok(TimeTz { micros: time_minus(clock.micros, by)?, ..clock });
    interval_pl_timetz(interval, timetz) -> timetz = |by, clock| timetz_plus(clock, by);
};

/// The zone that a name or an abbreviation means.
pub fn zone_named(context: &Context, name: &str) -> Result<Zone> {
    Ok(match Place::named(context, name)? {
        Place::Here => context.zone.clone(),
        Place::East(east) => Zone::east(east),
        Place::Zone(zone) | Place::Abbreviation(zone, _) => zone,
    })
}

fn add_days(days: i32, more: i64) -> Result<i32> {
    if is_infinite_date(days) {
        return Ok(days);
    }
    to_date(i64::from(days) + more).ok_or_else(date_out_of_range)
}

fn date_minus_date(a: i32, b: i32) -> Result<i32> {
    if is_infinite_date(a) || is_infinite_date(b) {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "cannot subtract infinite dates"));
    }
    Ok(a - b)
}

fn date_plus(days: i32, by: Interval) -> Result<i64> {
    plus(casts::date_to_timestamp(days)?, by)
}

/// What infinity on either side gives; `None` where both are finite.
fn infinite_sum(micros: i64, by: Interval) -> Result<Option<i64>> {
    let by = match by {
        Interval::INFINITY => INFINITY,
        Interval::MINUS_INFINITY => MINUS_INFINITY,
        _ => return Ok(is_infinite(micros).then_some(micros)),
    };
    if is_infinite(micros) && micros != by { Err(timestamp_out_of_range()) } else { Ok(Some(by)) }
}

/// The timestamp that much later: months, where the day is the month's last one at most, then days, then the rest.
pub fn plus(micros: i64, by: Interval) -> Result<i64> {
    if let Some(infinite) = infinite_sum(micros, by)? {
        return Ok(infinite);
    }
    let mut micros = i128::from(micros);
    for local in [later_by_months as fn(Local, Interval) -> Option<Local>, later_by_days] {
        if let Some(local) = local(Local::of(micros as i64), by) {
            micros = to_timestamp(local.total())?.into();
        }
    }
    to_timestamp(micros + i128::from(by.micros))
}

pub fn minus(micros: i64, by: Interval) -> Result<i64> {
    plus(micros, by.negated()?)
}

/// The instant that much later: months and days as the clocks of a zone count them, then the rest as it passes.
pub fn plus_in(utc: i64, by: Interval, zone: &Zone) -> Result<i64> {
    if let Some(infinite) = infinite_sum(utc, by)? {
        return Ok(infinite);
    }
    let mut utc = utc;
    for local in [later_by_months as fn(Local, Interval) -> Option<Local>, later_by_days] {
        if let Some(local) = local(Local::at(utc, zone), by) {
            utc = local.to_utc(zone)?;
        }
    }
    to_timestamp(i128::from(utc) + i128::from(by.micros))
}

pub fn minus_in(utc: i64, by: Interval, zone: &Zone) -> Result<i64> {
    plus_in(utc, by.negated()?, zone)
}

fn later_by_months(local: Local, by: Interval) -> Option<Local> {
    (by.months != 0).then(|| Local { days: add_months(local.days, by.months.into()), ..local })
}

fn later_by_days(local: Local, by: Interval) -> Option<Local> {
    (by.days != 0).then(|| Local { days: local.days + i64::from(by.days), ..local })
}

/// Days and hours between two.
fn difference(a: i64, b: i64) -> Result<Interval> {
    if let Some(infinite) = infinite_difference(a, b)? {
        return Ok(infinite);
    }
    let micros = a.checked_sub(b).ok_or_else(out_of_range)?;
    Interval { months: 0, days: 0, micros }.with_hours_justified()
}

/// What infinity on either side gives; `None` where both are finite.
pub fn infinite_difference(a: i64, b: i64) -> Result<Option<Interval>> {
    if !is_infinite(a) && !is_infinite(b) {
        return Ok(None);
    }
    match a.cmp(&b) {
        std::cmp::Ordering::Equal => Err(out_of_range()),
        std::cmp::Ordering::Greater => Ok(Some(Interval::INFINITY)),
        std::cmp::Ordering::Less => Ok(Some(Interval::MINUS_INFINITY)),
    }
}

/// The time of the day that much later; days and months do not change it.
pub fn time_plus(micros: i64, by: Interval) -> Result<i64> {
    if by.is_infinite() {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "cannot add infinite interval to time"));
    }
    // As in C, what does not fit comes round.
    Ok(micros.wrapping_add(by.micros).rem_euclid(DAY))
}

fn time_minus(micros: i64, by: Interval) -> Result<i64> {
    if by.is_infinite() {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "cannot subtract infinite interval from time"));
    }
    Ok(micros.wrapping_sub(by.micros).rem_euclid(DAY))
}

fn timetz_plus(clock: TimeTz, by: Interval) -> Result<TimeTz> {
    Ok(TimeTz { micros: time_plus(clock.micros, by)?, ..clock })
}
