//! Numbers that are not for counting: `oid`, `xid`, `cid`, `xid8`, and `tid`, where a row is.

use std::convert::identity;
use std::io::Write;

use error::sqlstate;

use crate::base_type::{BaseType, fixed, value};
use crate::datum::Datum;
use crate::digits::put_integer;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::oid::Oid;
use crate::quote::is_space;
use crate::sql::fixed;
use crate::sql::*;
use crate::{functions, oid};

pub const TYPES: &[BaseType] = &[
    of_32_bits(oid::OID, |_, text, _| Ok(Datum::U32(parse_u32(text, "oid")?))),
    of_32_bits(oid::XID, |_, text, _| Ok(Datum::U32(parse_u32(text, "xid")?))),
    of_32_bits(oid::CID, |_, text, _| Ok(Datum::U32(parse_u32(text, "cid")?))),
    BaseType {
        oid: oid::XID8,
        input: |_, text, _| Ok(Datum::U64(parse_u64(text, "xid8")?)),
        output: |_, array, index, out| {
            put_integer(out, value::<xid8>(array, index));
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::U64(u64::from_be_bytes(fixed(bytes)?))),
        send: |_, array, index, out| {
            out.extend(value::<xid8>(array, index).to_be_bytes());
            Ok(())
        },
    },
    BaseType {
        oid: oid::TID,
        input: |_, text, _| match parse_tid(text) {
            Some(tid) => Ok(Datum::bytes(tid)),
            None => Err(Error::invalid_input("tid", text)),
        },
        output: |_, array, index, out| {
            let [a, b, c, d, row @ ..] = value::<tid>(array, index);
            let (block, row) = (u32::from_be_bytes([a, b, c, d]), u16::from_be_bytes(row));
            write!(out, "({block},{row})").expect("a vector takes it");
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::bytes(fixed::<6>(bytes)?)),
        send: |_, array, index, out| {
            out.extend(value::<tid>(array, index));
            Ok(())
        },
    },
];

type Input = fn(&crate::Context, &str, i32) -> Result<Datum>;

const fn of_32_bits(oid: Oid, input: Input) -> BaseType {
    BaseType {
        oid,
        input,
        output: |_, array, index, out| {
            put_integer(out, value::<oid_>(array, index));
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::U32(u32::from_be_bytes(fixed(bytes)?))),
        send: |_, array, index, out| {
            out.extend(value::<oid_>(array, index).to_be_bytes());
            Ok(())
        },
    }
}

pub const FUNCTIONS: &[&[Function]] = &[
    functions! {
        oideq(oid_, oid_) -> boolean = |a, b| Result::Ok(a == b);
        oidne(oid_, oid_) -> boolean = |a, b| Result::Ok(a != b);
        oidlt(oid_, oid_) -> boolean = |a, b| Result::Ok(a < b);
        oidle(oid_, oid_) -> boolean = |a, b| Result::Ok(a <= b);
        oidgt(oid_, oid_) -> boolean = |a, b| Result::Ok(a > b);
        oidge(oid_, oid_) -> boolean = |a, b| Result::Ok(a >= b);
        btoidcmp(oid_, oid_) -> int4 = |a: u32, b: u32| Result::Ok(a.cmp(&b) as i32);
        oidlarger(oid_, oid_) -> oid_ = |a: u32, b| Result::Ok(a.max(b));
        oidsmaller(oid_, oid_) -> oid_ = |a: u32, b| Result::Ok(a.min(b));
        oid(int8) -> oid_ = |a| u32::try_from(a).map_err(|_| Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "OID out of range"));
        int8(oid_) -> int8 = |a: u32| Result::Ok(i64::from(a));
    },
    functions! {
        xideq(xid, xid) -> boolean = |a, b| Result::Ok(a == b);
        xidneq(xid, xid) -> boolean = |a, b| Result::Ok(a != b);
        xideqint4(xid, int4) -> boolean = |a, b: i32| Result::Ok(a == b as u32);
        xidneqint4(xid, int4) -> boolean = |a, b: i32| Result::Ok(a != b as u32);
        xid(xid8) -> xid = |a: u64| Result::Ok(a as u32);
        cideq(cid, cid) -> boolean = |a, b| Result::Ok(a == b);
        xid8eq(xid8, xid8) -> boolean = |a, b| Result::Ok(a == b);
        xid8ne(xid8, xid8) -> boolean = |a, b| Result::Ok(a != b);
        xid8lt(xid8, xid8) -> boolean = |a, b| Result::Ok(a < b);
        xid8le(xid8, xid8) -> boolean = |a, b| Result::Ok(a <= b);
        xid8gt(xid8, xid8) -> boolean = |a, b| Result::Ok(a > b);
        xid8ge(xid8, xid8) -> boolean = |a, b| Result::Ok(a >= b);
        xid8cmp(xid8, xid8) -> int4 = |a: u64, b: u64| Result::Ok(a.cmp(&b) as i32);
        xid8_larger(xid8, xid8) -> xid8 = |a: u64, b| Result::Ok(a.max(b));
        xid8_smaller(xid8, xid8) -> xid8 = |a: u64, b| Result::Ok(a.min(b));
    },
    functions! {
        tideq(tid, tid) -> boolean = |a, b| Result::Ok(a == b);
        tidne(tid, tid) -> boolean = |a, b| Result::Ok(a != b);
        tidlt(tid, tid) -> boolean = |a, b| Result::Ok(a < b);
        tidle(tid, tid) -> boolean = |a, b| Result::Ok(a <= b);
        tidgt(tid, tid) -> boolean = |a, b| Result::Ok(a > b);
        tidge(tid, tid) -> boolean = |a, b| Result::Ok(a >= b);
        bttidcmp(tid, tid) -> int4 = |a: Tid, b: Tid| Result::Ok(a.cmp(&b) as i32);
        tidlarger(tid, tid) -> tid = |a: Tid, b| Result::Ok(a.max(b));
        tidsmaller(tid, tid) -> tid = |a: Tid, b| Result::Ok(a.min(b));
    },
];

/// Block and row, big-endian: bytes compare as rows do.
pub type Tid = [u8; 6];

fixed! {
    tid TID Tid, 6, identity, identity;
}

/// What C's `strtoul` makes of a text with base 0 (`None`) or 10: sign, digits' value (`None`: too large) and what follows.
fn strtoul(text: &str, base: Option<u32>) -> Option<(Option<u64>, &str)> {
    let rest = text.trim_start_matches(is_space);
    let (negative, rest) = match rest.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, rest.strip_prefix('+').unwrap_or(rest)),
    };
    let has_digit = |rest: &str, radix| rest.chars().next().is_some_and(|c| c.is_digit(radix));
    let prefixed = |radix, small: &str, large: &str| {
        let digits = rest.strip_prefix(small).or_else(|| rest.strip_prefix(large))?;
        has_digit(digits, radix).then_some((radix, digits))
    };
    let (radix, digits) = match base {
        Some(base) => (base, rest),
        None => prefixed(16, "0x", "0X").or_else(|| prefixed(2, "0b", "0B")).unwrap_or(if rest.starts_with('0') {
            (8, rest)
        } else {
            (10, rest)
        }),
    };
    if !has_digit(digits, radix) {
        return None;
    }
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let value = u64::from_str_radix(&digits[..end], radix).ok();
    Some((value.map(|v| if negative { v.wrapping_neg() } else { v }), &digits[end..]))
}

/// A number as PostgreSQL reads it for the type called `name` (`uint64in_subr`).
pub fn parse_u64(text: &str, name: &str) -> Result<u64> {
    let (value, rest) = strtoul(text, None).ok_or_else(|| Error::invalid_input(name, text))?;
    let value = value.ok_or_else(|| out_of_range(text, name))?;
    if !rest.trim_start_matches(is_space).is_empty() {
        return Err(Error::invalid_input(name, text));
    }
    Ok(value)
}

/// As [`parse_u64`]; negative numbers of 32 bits are large ones.
pub fn parse_u32(text: &str, name: &str) -> Result<u32> {
    narrow(parse_u64(text, name)?).ok_or_else(|| out_of_range(text, name))
}

fn narrow(value: u64) -> Option<u32> {
    u32::try_from(value).ok().or_else(|| i32::try_from(value as i64).ok().map(|v| v as u32))
}

fn out_of_range(text: &str, name: &str) -> Error {
    Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, format!("value \"{text}\" is out of range for type {name}"))
}

/// `(block,row)`; what is before and behind does not matter. A number that is missing is 0.
fn parse_tid(text: &str) -> Option<Tid> {
    // Where the first two numbers begin: behind `(` and the next `,`.
    let mut starts = Vec::new();
    for (at, c) in text.char_indices() {
        if c == ')' || starts.len() == 2 {
            break;
        }
        if c == ',' || (c == '(' && starts.is_empty()) {
            starts.push(at + 1);
        }
    }
    let [block, row] = starts[..] else { return None };
    let number = |at: usize, end: char| match strtoul(&text[at..], Some(10)) {
        Some((value, rest)) if rest.starts_with(end) => value,
        None if text[at..].starts_with(end) => Some(0),
        _ => None,
    };
    let block = narrow(number(block, ',')?)?;
    let row = u16::try_from(number(row, ')')?).ok()?;
    let mut bytes = [0; 6];
    bytes[..4].copy_from_slice(&block.to_be_bytes());
    bytes[4..].copy_from_slice(&row.to_be_bytes());
    Some(bytes)
}
