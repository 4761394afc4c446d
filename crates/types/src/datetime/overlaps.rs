//! `OVERLAPS`: whether two periods have a time in common. A period's end may be an interval behind its beginning.

use crate::context::Context;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::arithmetic::{plus, plus_in, time_plus};
use super::interval::Interval;
use super::values::*;

pub const FUNCTIONS: &[Function] = functions! {
    overlaps(Option<timetz>, Option<timetz>, Option<timetz>, Option<timetz>) -> Option<boolean> =
        |a: Option<TimeTz>, b: Option<TimeTz>, c: Option<TimeTz>, d: Option<TimeTz>| {
            let rank = |clock: Option<TimeTz>| clock.map(TimeTz::rank);
            Result::Ok(overlap(rank(a), rank(b), rank(c), rank(d)))
        };
    overlaps(Option<time>, Option<time>, Option<time>, Option<time>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, b, c, d));
    overlaps(Option<time>, Option<interval>, Option<time>, Option<interval>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, end(a, b, time_plus)?, c, end(c, d, time_plus)?));
    overlaps(Option<time>, Option<interval>, Option<time>, Option<time>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, end(a, b, time_plus)?, c, d));
    overlaps(Option<time>, Option<time>, Option<time>, Option<interval>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, b, c, end(c, d, time_plus)?));
    overlaps(Option<timestamp>, Option<timestamp>, Option<timestamp>, Option<timestamp>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, b, c, d));
    overlaps(Option<timestamp>, Option<interval>, Option<timestamp>, Option<interval>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, end(a, b, plus)?, c, end(c, d, plus)?));
    overlaps(Option<timestamp>, Option<interval>, Option<timestamp>, Option<timestamp>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, end(a, b, plus)?, c, d));
    overlaps(Option<timestamp>, Option<timestamp>, Option<timestamp>, Option<interval>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, b, c, end(c, d, plus)?));
    overlaps(Option<timestamptz>, Option<timestamptz>, Option<timestamptz>, Option<timestamptz>) -> Option<boolean> =
        |a, b, c, d| Result::Ok(overlap(a, b, c, d));
    overlaps[x](Option<timestamptz>, Option<interval>, Option<timestamptz>, Option<interval>) -> Option<boolean> =
        |x, a, b, c, d| Result::Ok(overlap(a, end_in(x, a, b)?, c, end_in(x, c, d)?));
    overlaps[x](Option<timestamptz>, Option<interval>, Option<timestamptz>, Option<timestamptz>) -> Option<boolean> =
        |x, a, b, c, d| Result::Ok(overlap(a, end_in(x, a, b)?, c, d));
    overlaps[x](Option<timestamptz>, Option<timestamptz>, Option<timestamptz>, Option<interval>) -> Option<boolean> =
        |x, a, b, c, d| Result::Ok(overlap(a, b, c, end_in(x, c, d)?));
};

type Plus = fn(i64, Interval) -> Result<i64>;

fn end(start: Option<i64>, length: Option<Interval>, plus: Plus) -> Result<Option<i64>> {
    start.zip(length).map(|(start, length)| plus(start, length)).transpose()
}

fn end_in(context: &Context, start: Option<i64>, length: Option<Interval>) -> Result<Option<i64>> {
    start.zip(length).map(|(start, length)| plus_in(start, length, &context.zone)).transpose()
}

/// Two periods, each by two times in any order; of one that has one time only, the other is unknown.
fn overlap<T: PartialOrd>(a: Option<T>, b: Option<T>, c: Option<T>, d: Option<T>) -> Option<bool> {
    let (first, second) = (period(a, b)?, period(c, d)?);
    if first.0 == second.0 {
        return first.1.and(second.1).map(|_| true);
    }
    // The later one begins before the earlier one ends.
    let (early, late) = if first.0 < second.0 { (first, second) } else { (second, first) };
    let end = early.1?;
    if late.0 < end { Some(true) } else { late.1.map(|_| false) }
}

/// The lesser of two times, then the other one.
fn period<T: PartialOrd>(a: Option<T>, b: Option<T>) -> Option<(T, Option<T>)> {
    match (a, b) {
        (Some(a), Some(b)) if a > b => Some((b, Some(a))),
        (Some(a), b) => Some((a, b)),
        (None, b) => Some((b?, None)),
    }
}
