//! `uuid`.

use std::convert::identity;
use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use error::sqlstate;

use crate::base_type::{BaseType, fixed, value};
use crate::context::Context;
use crate::datetime::values::{interval, timestamptz};
use crate::datetime::{Interval, plus_in};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid;
use crate::sql::fixed;
use crate::sql::*;
use crate::text::compare::memcmp;

type Uuid = [u8; 16];

fixed! {
    uuid UUID Uuid, 16, identity, identity;
}

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::UUID,
    input: |_, text, _| match parse(text) {
        Some(value) => Ok(Datum::bytes(value)),
        None => Err(Error::invalid_input("uuid", text)),
    },
    output: |_, array, index, out| {
        for (at, byte) in value::<uuid>(array, index).into_iter().enumerate() {
            let hyphen = if matches!(at, 4 | 6 | 8 | 10) { "-" } else { "" };
            write!(out, "{hyphen}{byte:02x}").expect("a vector takes it");
        }
        Ok(())
    },
    receive: |_, bytes, _| Ok(Datum::bytes(fixed::<16>(bytes)?)),
    send: |_, array, index, out| {
        out.extend(value::<uuid>(array, index));
        Ok(())
    },
}];

pub const FUNCTIONS: &[Function] = functions! {
    uuid_eq(uuid, uuid) -> boolean = |a, b| Result::Ok(a == b);
    uuid_ne(uuid, uuid) -> boolean = |a, b| Result::Ok(a != b);
    uuid_lt(uuid, uuid) -> boolean = |a, b| Result::Ok(a < b);
    uuid_le(uuid, uuid) -> boolean = |a, b| Result::Ok(a <= b);
    uuid_gt(uuid, uuid) -> boolean = |a, b| Result::Ok(a > b);
    uuid_ge(uuid, uuid) -> boolean = |a, b| Result::Ok(a >= b);
    uuid_cmp(uuid, uuid) -> int4 = |a: Uuid, b: Uuid| Result::Ok(memcmp(a, b));
    gen_random_uuid() -> uuid = version_4;
    uuidv4() -> uuid = version_4;
    uuidv7() -> uuid = || version_7(now());
    uuidv7[context](interval) -> uuid = shifted_version_7;
    uuid_extract_version(uuid) -> Option<int2> = |a| Result::Ok(version(&a).map(i16::from));
    uuid_extract_timestamp(uuid) -> Option<timestamptz> = |a| Result::Ok(timestamp(&a));
};

/// 32 digits, with hyphens behind groups of four, perhaps in braces.
fn parse(text: &str) -> Option<Uuid> {
    let mut rest = match text.strip_prefix('{') {
        Some(inner) => inner.strip_suffix('}')?,
        None => text,
    }
    .as_bytes();
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let mut value = [0; 16];
    for (at, byte) in value.iter_mut().enumerate() {
        let [first, second, behind @ ..] = rest else { return None };
        *byte = digit(*first)? << 4 | digit(*second)?;
        rest = match behind {
            [b'-', behind @ ..] if at % 2 == 1 && at < 15 => behind,
            _ => behind,
        };
    }
    rest.is_empty().then_some(value)
}

/// Says in a value which version it is, and that it is one of RFC 9562.
fn mark(mut value: Uuid, version: u8) -> Uuid {
    value[6] = value[6] & 0x0f | version << 4;
    value[8] = value[8] & 0x3f | 0x80;
    value
}

fn random(bytes: &mut [u8]) -> Result<()> {
    getrandom::fill(bytes).map_err(|_| Error::new(sqlstate::INTERNAL_ERROR, "could not generate random values"))
}

fn version_4() -> Result<Uuid> {
    let mut value = [0; 16];
    random(&mut value)?;
    Ok(mark(value, 4))
}

/// Nanoseconds since 1970: at each call by so many more that the value of version 7 is a greater one.
fn now() -> i64 {
    /// What 12 bits of a millisecond tell apart.
    const STEP: i64 = 1_000_000 / (1 << 12) + 1;
    static LAST: AtomicI64 = AtomicI64::new(0);
    let clock = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as i64);
    let next = |last: i64| Some(clock.max(last + STEP));
    let last = LAST.fetch_update(Ordering::Relaxed, Ordering::Relaxed, next).expect("there is always a next one");
    clock.max(last + STEP)
}

/// Milliseconds, 12 bits of the next one, and chance.
fn version_7(nanoseconds: i64) -> Result<Uuid> {
    let (milliseconds, rest) = (nanoseconds / 1_000_000, nanoseconds % 1_000_000);
    let mut value = [0; 16];
    value[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
    value[6..8].copy_from_slice(&((rest * (1 << 12) / 1_000_000) as u16).to_be_bytes());
    random(&mut value[8..])?;
    Ok(mark(value, 7))
}

fn shifted_version_7(context: &Context, by: Interval) -> Result<Uuid> {
    let nanoseconds = now();
    if by.is_infinite() {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "interval out of range for UUID version 7")
            .detail("UUID version 7 does not support infinite intervals."));
    }
    let shifted = plus_in(nanoseconds / 1000, by, &context.zone)?;
    // 48 bits of milliseconds.
    if !(0..1 << 48).contains(&shifted.div_euclid(1000)) {
        return Err(Error::new(sqlstate::DATETIME_VALUE_OUT_OF_RANGE, "timestamp out of range for UUID version 7")
            .detail("UUID version 7 supports timestamps from 1970-01-01 to approximately year 10889."));
    }
    // Nanoseconds of that many years do not fit: the parts do.
    let (milliseconds, microseconds) = (shifted / 1000, shifted % 1000);
    let mut value = version_7(microseconds * 1000 + nanoseconds % 1000)?;
    value[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
    Ok(value)
}

/// The version of a value that has one.
fn version(value: &Uuid) -> Option<u8> {
    (value[8] & 0xc0 == 0x80).then_some(value[6] >> 4)
}

/// The time in a value, in microseconds since 1970; only versions 1 and 7 have one.
fn timestamp(value: &Uuid) -> Option<i64> {
    let number = |bytes: &[u8]| bytes.iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    match version(value)? {
        1 => {
            // Tenths of microseconds since 1582-10-15.
            let high = number(&value[6..8]) & 0x0fff;
            let time = high << 48 | number(&value[4..6]) << 32 | number(&value[..4]);
            Some((time / 10) as i64 - 12_219_292_800_000_000)
        }
        7 => Some(number(&value[..6]) as i64 * 1000),
        _ => None,
    }
}
