//! What `pg_timezone_names` and `pg_timezone_abbrevs` show: zones and abbreviations, as they are when the transaction began.

use crate::datum::Datum;
use crate::error::Result;
use crate::oid;
use crate::set_returning::{Given, Set, SetCall, SetFunction};

use super::abbreviations::{FIXED, VARYING};
use super::interval::Interval;
use super::zone::{self, Span, Zone};

pub const SET_FUNCTIONS: &[SetFunction] = &[
    list("pg_timezone_names", names),
    list("pg_timezone_abbrevs_zone", of_session),
    list("pg_timezone_abbrevs_abbrevs", everywhere),
];

const fn list(name: &'static str, start: fn(&SetCall<'_>) -> Result<Box<dyn Set>>) -> SetFunction {
    SetFunction { name, arguments: &[], result: oid::RECORD, strict: true, start }
}

fn now(call: &SetCall<'_>) -> i64 {
    call.context.transaction_start.div_euclid(1_000_000)
}

fn offset(east: i32) -> Datum {
    Datum::bytes(Interval { micros: i64::from(east) * 1_000_000, ..Interval::ZERO }.to_bytes())
}

fn names(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let row =
        |(name, span): (&str, Span)| vec![name.into(), (*span.name).into(), offset(span.east), span.summer.into()];
    Ok(Given::rows(zone::all_at(now(call)).map(row).collect()))
}

fn abbreviation(name: &str, east: i32, summer: bool) -> Vec<Datum> {
    vec![name.to_ascii_uppercase().into(), offset(east), summer.into()]
}

/// The abbreviations of the session's zone.
fn of_session(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let zone = &call.context.zone;
    let row = |name: &str| {
        let span = zone.span_of_abbreviation(name, now(call))?;
        Some(abbreviation(name, span.east, span.summer))
    };
    Ok(Given::rows(zone.abbreviations().into_iter().filter_map(row).collect()))
}

/// Those of `timezone_abbreviations`.
fn everywhere(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let fixed = FIXED.iter().map(|&(name, east, summer)| abbreviation(name, east, summer));
    let varying = VARYING.iter().filter_map(|(name, zone)| {
        let zone = Zone::named(zone)?;
        let span = zone.span_of_abbreviation(name, now(call))?;
        Some(abbreviation(name, span.east, span.summer))
    });
    Ok(Given::rows(fixed.chain(varying).collect()))
}
