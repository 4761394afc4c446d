//! Comparisons of bytes, parts of them, single bytes and bits, and numbers as bytes.

use error::sqlstate;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;
use crate::text::compare::memcmp;
use crate::text::room;

pub const COMPARISONS: &[Function] = functions! {
    byteaeq(bytea, bytea) -> boolean = |a, b| Result::Ok(a == b);
    byteane(bytea, bytea) -> boolean = |a, b| Result::Ok(a != b);
    bytealt(bytea, bytea) -> boolean = |a, b| Result::Ok(a < b);
    byteale(bytea, bytea) -> boolean = |a, b| Result::Ok(a <= b);
    byteagt(bytea, bytea) -> boolean = |a, b| Result::Ok(a > b);
    byteage(bytea, bytea) -> boolean = |a, b| Result::Ok(a >= b);
    byteacmp(bytea, bytea) -> int4 = |a, b| Result::Ok(memcmp(a, b));
    bytea_larger(bytea, bytea) -> bytea = |a: &[u8], b: &[u8]| Result::Ok(if a > b { a } else { b }.to_vec());
    bytea_smaller(bytea, bytea) -> bytea = |a: &[u8], b: &[u8]| Result::Ok(if a < b { a } else { b }.to_vec());
};

pub const PARTS: &[Function] = functions! {
    length(bytea) -> int4 = |a: &[u8]| Result::Ok(a.len() as i32);
    octet_length(bytea) -> int4 = |a: &[u8]| Result::Ok(a.len() as i32);
    bit_length(bytea) -> int4 = |a: &[u8]| i32::try_from(a.len() * 8).map_err(|_| Error::out_of_range("integer"));
    byteacat(bytea, bytea) -> bytea = |a, b| concat(&[a, b]);
    substring(bytea, int4, int4) -> bytea = |a, from, length| substring(a, from, Some(length));
    substr(bytea, int4, int4) -> bytea = |a, from, length| substring(a, from, Some(length));
    substring(bytea, int4) -> bytea = |a, from| substring(a, from, None);
    substr(bytea, int4) -> bytea = |a, from| substring(a, from, None);
    overlay(bytea, bytea, int4, int4) -> bytea = overlay;
    overlay(bytea, bytea, int4) -> bytea = |a, b: &[u8], from| overlay(a, b, from, b.len() as i32);
    position(bytea, bytea) -> int4 = |a, b| Result::Ok(position(a, b));
    btrim(bytea, bytea) -> bytea = |a, set| Result::Ok(trim(a, set, true, true).to_vec());
    ltrim(bytea, bytea) -> bytea = |a, set| Result::Ok(trim(a, set, true, false).to_vec());
    rtrim(bytea, bytea) -> bytea = |a, set| Result::Ok(trim(a, set, false, true).to_vec());
    reverse(bytea) -> bytea = |a: &[u8]| Result::Ok(a.iter().rev().copied().collect::<Vec<u8>>());
};

fn concat(parts: &[&[u8]]) -> Result<Vec<u8>> {
    let _room = room(parts.iter().map(|part| part.len()).sum())?;
    Ok(parts.concat())
}

/// The bytes from the one with this number on, so many of them; they need not be there.
fn substring(bytes: &[u8], from: i32, length: Option<i32>) -> Result<&[u8]> {
    let begin = i64::from(from) - 1;
    let end = match length {
        Some(..0) => return Err(Error::new(sqlstate::SUBSTRING_ERROR, "negative substring length not allowed")),
        Some(length) => begin + i64::from(length),
        None => i64::MAX,
    };
    let within = |at: i64| at.clamp(0, bytes.len() as i64) as usize;
    Ok(&bytes[within(begin)..within(end).max(within(begin))])
}

fn overlay(bytes: &[u8], new: &[u8], from: i32, length: i32) -> Result<Vec<u8>> {
    if from <= 0 {
        return Err(Error::new(sqlstate::SUBSTRING_ERROR, "negative substring length not allowed"));
    }
    let behind = from.checked_add(length).ok_or_else(|| Error::out_of_range("integer"))?;
    concat(&[substring(bytes, 1, Some(from - 1))?, new, substring(bytes, behind, None)?])
}

/// The number of the byte where `part` begins; 0: it is not there.
fn position(bytes: &[u8], part: &[u8]) -> i32 {
    match part.is_empty() {
        true => 1,
        false => bytes.windows(part.len()).position(|window| window == part).map_or(0, |at| at as i32 + 1),
    }
}

fn trim<'a>(mut bytes: &'a [u8], set: &[u8], left: bool, right: bool) -> &'a [u8] {
    while let [first, rest @ ..] = bytes
        && left
        && set.contains(first)
    {
        bytes = rest;
    }
    while let [rest @ .., last] = bytes
        && right
        && set.contains(last)
    {
        bytes = rest;
    }
    bytes
}

pub const BITS: &[Function] = functions! {
    get_byte(bytea, int4) -> int4 = |a: &[u8], n: i32| Result::Ok(i32::from(a[place(n.into(), a.len())?]));
    set_byte(bytea, int4, int4) -> bytea = |a: &[u8], n: i32, value: i32| {
        let place = place(n.into(), a.len())?;
        let mut bytes = a.to_vec();
        bytes[place] = value as u8;
        Result::Ok(bytes)
    };
    get_bit(bytea, int8) -> int4 = |a: &[u8], n| {
        let bit = place(n, a.len() * 8)?;
        Result::Ok(i32::from(a[bit / 8] >> (bit % 8) & 1))
    };
    set_bit(bytea, int8, int4) -> bytea = set_bit;
    bit_count(bytea) -> int8 = |a: &[u8]| Result::Ok(a.iter().map(|byte| i64::from(byte.count_ones())).sum::<i64>());
};

/// A byte's or a bit's place, if it is there.
fn place(n: i64, count: usize) -> Result<usize> {
    let there = usize::try_from(n).ok().filter(|n| *n < count);
    there.ok_or_else(|| {
        Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, format!("index {n} out of valid range, 0..{}", count as i64 - 1))
    })
}

fn set_bit(bytes: &[u8], n: i64, value: i32) -> Result<Vec<u8>> {
    let bit = place(n, bytes.len() * 8)?;
    let mut bytes = bytes.to_vec();
    match value {
        0 => bytes[bit / 8] &= !(1 << (bit % 8)),
        1 => bytes[bit / 8] |= 1 << (bit % 8),
        _ => return Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, "new bit must be 0 or 1")),
    }
    Ok(bytes)
}

pub const NUMBERS: &[Function] = functions! {
    bytea(int2) -> bytea = |a: i16| Result::Ok(a.to_be_bytes());
    bytea(int4) -> bytea = |a: i32| Result::Ok(a.to_be_bytes());
    bytea(int8) -> bytea = |a: i64| Result::Ok(a.to_be_bytes());
    int2(bytea) -> int2 = |a| Result::Ok(number(a, 2, "smallint")? as i16);
    int4(bytea) -> int4 = |a| Result::Ok(number(a, 4, "integer")? as i32);
    int8(bytea) -> int8 = |a| number(a, 8, "bigint");
};

/// The number of up to so many bytes, of which the first counts most. Fewer bytes are no negative number.
fn number(bytes: &[u8], most: usize, title: &str) -> Result<i64> {
    match bytes.len() > most {
        true => Err(Error::out_of_range(title)),
        false => Ok(bytes.iter().fold(0, |value, byte| value << 8 | i64::from(*byte))),
    }
}
