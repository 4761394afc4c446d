//! `AT TIME ZONE`, which is the function `timezone`, and `AT LOCAL`.

use error::sqlstate;

use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::casts;
use super::decode::Place;
use super::interval::Interval;
use super::interval_output::put_interval;
use super::local::Local;
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    timezone[c](text, timestamp) -> timestamptz = |c, name: &str, local| to_utc(c, local, || Place::named(c, name));
    timezone[c](text, timestamptz) -> timestamp = |c, name: &str, utc| to_local(c, utc, || Place::named(c, name));
    timezone[c](text, timetz) -> timetz = |c, name: &str, clock| Result::Ok(turned(c, clock, &Place::named(c, name)?));
    timezone[c](interval, timestamp) -> timestamptz = |c, zone, local| to_utc(c, local, || offset(c, zone));
    timezone[c](interval, timestamptz) -> timestamp = |c, zone, utc| to_local(c, utc, || offset(c, zone));
    timezone[c](interval, timetz) -> timetz = |c, zone, clock| Result::Ok(turned(c, clock, &offset(c, zone)?));
    timezone[c](timestamp) -> timestamptz = casts::from_local;
    timezone[c](timestamptz) -> timestamp = casts::to_local;
    timezone[c](timetz) -> timetz =
        |c: &Context, clock| Result::Ok(turned(c, clock, &Place::named(c, c.zone.name())?));
};

/// When clocks there show `local`.
fn to_utc(context: &Context, local: i64, place: impl FnOnce() -> Result<Place>) -> Result<i64> {
    if is_infinite(local) {
        return Ok(local);
    }
    let east = place()?.offset_of_local(context, Local::of(local));
    to_timestamp(i128::from(local) - i128::from(east) * i128::from(SECOND))
}

/// What clocks there show at an instant.
fn to_local(context: &Context, utc: i64, place: impl FnOnce() -> Result<Place>) -> Result<i64> {
    if is_infinite(utc) {
        return Ok(utc);
    }
    let east = place()?.offset_at(context, utc.div_euclid(SECOND));
    to_timestamp(i128::from(utc) + i128::from(east) * i128::from(SECOND))
}

/// The same time as clocks there show it; their offset is today's.
fn turned(context: &Context, clock: TimeTz, place: &Place) -> TimeTz {
    let west = -place.offset_at(context, context.transaction_start.div_euclid(SECOND));
    let micros = clock.micros + i64::from(clock.west - west) * SECOND;
    TimeTz { micros: micros.rem_euclid(DAY), west }
}

/// An offset from Greenwich that an interval says.
fn offset(context: &Context, zone: Interval) -> Result<Place> {
    let refused = |why: &str| {
        let mut text = Vec::new();
        put_interval(&mut text, zone, context.interval_style);
        let text = String::from_utf8_lossy(&text);
        Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("interval time zone \"{text}\" must {why}")))
    };
    if zone.is_infinite() {
        return refused("be finite");
    }
    if zone.months != 0 || zone.days != 0 {
        return refused("not include months or days");
    }
    // C's int: what does not fit is no timestamp either.
    Ok(Place::East((zone.micros / SECOND) as i32))
}
