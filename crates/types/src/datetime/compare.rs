//! Comparisons of dates and times, also of a date with a timestamp: a date is its midnight, and what has no zone is in the
//! session's. And which of them are finite.

use std::cmp::Ordering;

use crate::context::Context;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::local::Local;
use super::values::*;

/// The functions of types whose values are compared by numbers that a Rust function gives.
macro_rules! same {
    ($($name:ident $rank:expr; $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident $cmp:ident
       $larger:ident $smaller:ident;)*) => {
        functions! {$(
            $eq($name, $name) -> boolean = |a, b| Result::Ok($rank(a) == $rank(b));
            $ne($name, $name) -> boolean = |a, b| Result::Ok($rank(a) != $rank(b));
            $lt($name, $name) -> boolean = |a, b| Result::Ok($rank(a) < $rank(b));
            $le($name, $name) -> boolean = |a, b| Result::Ok($rank(a) <= $rank(b));
            $gt($name, $name) -> boolean = |a, b| Result::Ok($rank(a) > $rank(b));
            $ge($name, $name) -> boolean = |a, b| Result::Ok($rank(a) >= $rank(b));
            $cmp($name, $name) -> int4 = |a, b| Result::Ok($rank(a).cmp(&$rank(b)) as i32);
            $larger($name, $name) -> $name = |a, b| Result::Ok(if $rank(a) > $rank(b) { a } else { b });
            $smaller($name, $name) -> $name = |a, b| Result::Ok(if $rank(a) < $rank(b) { a } else { b });
        )*}
    };
}

pub const SAME: &[Function] = same! {
    date i32::from;
    date_eq date_ne date_lt date_le date_gt date_ge date_cmp date_larger date_smaller;
    time i64::from;
    time_eq time_ne time_lt time_le time_gt time_ge time_cmp time_larger time_smaller;
    timetz TimeTz::rank;
    timetz_eq timetz_ne timetz_lt timetz_le timetz_gt timetz_ge timetz_cmp timetz_larger timetz_smaller;
    timestamp i64::from;
    timestamp_eq timestamp_ne timestamp_lt timestamp_le timestamp_gt timestamp_ge timestamp_cmp
    timestamp_larger timestamp_smaller;
    timestamptz i64::from;
    timestamptz_eq timestamptz_ne timestamptz_lt timestamptz_le timestamptz_gt timestamptz_ge timestamptz_cmp
    timestamptz_larger timestamptz_smaller;
};

macro_rules! mixed {
    ($($a:ident $b:ident $compare:ident; $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident $cmp:ident;)*) => {
        functions! {$(
            $eq[c]($a, $b) -> boolean = |c, a, b| Result::Ok($compare(c, a, b).is_eq());
            $ne[c]($a, $b) -> boolean = |c, a, b| Result::Ok($compare(c, a, b).is_ne());
            $lt[c]($a, $b) -> boolean = |c, a, b| Result::Ok($compare(c, a, b).is_lt());
            $le[c]($a, $b) -> boolean = |c, a, b| Result::Ok($compare(c, a, b).is_le());
            $gt[c]($a, $b) -> boolean = |c, a, b| Result::Ok($compare(c, a, b).is_gt());
            $ge[c]($a, $b) -> boolean = |c, a, b| Result::Ok($compare(c, a, b).is_ge());
            $cmp[c]($a, $b) -> int4 = |c, a, b| Result::Ok($compare(c, a, b) as i32);
        )*}
    };
}

pub const MIXED: &[Function] = mixed! {
    date timestamp date_and_timestamp;
    date_eq_timestamp date_ne_timestamp date_lt_timestamp date_le_timestamp date_gt_timestamp date_ge_timestamp
    date_cmp_timestamp;
    date timestamptz date_and_timestamptz;
    date_eq_timestamptz date_ne_timestamptz date_lt_timestamptz date_le_timestamptz date_gt_timestamptz
    date_ge_timestamptz date_cmp_timestamptz;
    timestamp date timestamp_and_date;
    timestamp_eq_date timestamp_ne_date timestamp_lt_date timestamp_le_date timestamp_gt_date timestamp_ge_date
    timestamp_cmp_date;
    timestamp timestamptz timestamp_and_timestamptz;
    timestamp_eq_timestamptz timestamp_ne_timestamptz timestamp_lt_timestamptz timestamp_le_timestamptz
    timestamp_gt_timestamptz timestamp_ge_timestamptz timestamp_cmp_timestamptz;
    timestamptz date timestamptz_and_date;
    timestamptz_eq_date timestamptz_ne_date timestamptz_lt_date timestamptz_le_date timestamptz_gt_date
    timestamptz_ge_date timestamptz_cmp_date;
    timestamptz timestamp timestamptz_and_timestamp;
    timestamptz_eq_timestamp timestamptz_ne_timestamp timestamptz_lt_timestamp timestamptz_le_timestamp
    timestamptz_gt_timestamp timestamptz_ge_timestamp timestamptz_cmp_timestamp;
};

pub const FINITE: &[Function] = functions! {
    isfinite(date) -> boolean = |days| Result::Ok(!is_infinite_date(days));
    isfinite(timestamp) -> boolean = |micros| Result::Ok(!is_infinite(micros));
    isfinite(timestamptz) -> boolean = |utc| Result::Ok(!is_infinite(utc));
};

/// Where a timestamp is in the order of all; dates and local times that are no timestamps have their places, too.
fn place(micros: i64) -> i128 {
    match micros {
        INFINITY => i128::MAX,
        MINUS_INFINITY => i128::MIN,
        micros => micros.into(),
    }
}

/// Where a date's midnight is among the instants, or with `zoned` not among local times; the infinities are at the ends of all.
pub fn place_of_date(context: &Context, days: i32, zoned: bool) -> i128 {
    match days {
        DATE_INFINITY => i128::MAX,
        DATE_MINUS_INFINITY => i128::MIN,
        days => {
            let midnight = Local { days: days.into(), micros: 0 };
            if zoned { midnight.utc(&context.zone) } else { midnight.total() }
        }
    }
}

/// Where a local time is among the instants.
pub fn place_of_local(context: &Context, local: i64) -> i128 {
    if is_infinite(local) { place(local) } else { Local::of(local).utc(&context.zone) }
}

fn date_and_timestamp(context: &Context, a: i32, b: i64) -> Ordering {
    place_of_date(context, a, false).cmp(&place(b))
}

fn date_and_timestamptz(context: &Context, a: i32, b: i64) -> Ordering {
    place_of_date(context, a, true).cmp(&place(b))
}

fn timestamp_and_date(context: &Context, a: i64, b: i32) -> Ordering {
    date_and_timestamp(context, b, a).reverse()
}

fn timestamptz_and_date(context: &Context, a: i64, b: i32) -> Ordering {
    date_and_timestamptz(context, b, a).reverse()
}

fn timestamp_and_timestamptz(context: &Context, a: i64, b: i64) -> Ordering {
    place_of_local(context, a).cmp(&place(b))
}

fn timestamptz_and_timestamp(context: &Context, a: i64, b: i64) -> Ordering {
    timestamp_and_timestamptz(context, b, a).reverse()
}
