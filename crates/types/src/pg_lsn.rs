//! `pg_lsn`: a place in the log.
#![allow(non_camel_case_types)]

use std::io::Write;

use arrow_array::types::UInt64Type;

use crate::base_type::{BaseType, fixed, value};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::numeric::numeric;
use crate::numeric::value::{Decimal, Numeric};
use crate::sql::*;
use crate::{oid, sql_type};

numbers! {
    pg_lsn PG_LSN Xid8 u64, UInt64Type;
}

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::PG_LSN,
    input: |_, text, _| match parse(text) {
        Some(place) => Ok(Datum::U64(place)),
        None => Err(Error::invalid_input("pg_lsn", text)),
    },
    output: |_, array, index, out| {
        let place = value::<pg_lsn>(array, index);
        write!(out, "{:X}/{:X}", place >> 32, place as u32).expect("a vector takes it");
        Ok(())
    },
    receive: |_, bytes, _| Ok(Datum::U64(u64::from_be_bytes(fixed(bytes)?))),
    send: |_, array, index, out| {
        out.extend(value::<pg_lsn>(array, index).to_be_bytes());
        Ok(())
    },
}];

pub const FUNCTIONS: &[Function] = functions! {
    pg_lsn_eq(pg_lsn, pg_lsn) -> boolean = |a, b| Result::Ok(a == b);
    pg_lsn_ne(pg_lsn, pg_lsn) -> boolean = |a, b| Result::Ok(a != b);
    pg_lsn_lt(pg_lsn, pg_lsn) -> boolean = |a, b| Result::Ok(a < b);
    pg_lsn_le(pg_lsn, pg_lsn) -> boolean = |a, b| Result::Ok(a <= b);
    pg_lsn_gt(pg_lsn, pg_lsn) -> boolean = |a, b| Result::Ok(a > b);
    pg_lsn_ge(pg_lsn, pg_lsn) -> boolean = |a, b| Result::Ok(a >= b);
    pg_lsn_cmp(pg_lsn, pg_lsn) -> int4 = |a: u64, b: u64| Result::Ok(a.cmp(&b) as i32);
    pg_lsn_larger(pg_lsn, pg_lsn) -> pg_lsn = |a: u64, b| Result::Ok(a.max(b));
    pg_lsn_smaller(pg_lsn, pg_lsn) -> pg_lsn = |a: u64, b| Result::Ok(a.min(b));
    pg_lsn_mi(pg_lsn, pg_lsn) -> numeric = difference;
    pg_wal_lsn_diff(pg_lsn, pg_lsn) -> numeric = difference;
};

/// Two hexadecimal numbers of 32 bits.
fn parse(text: &str) -> Option<u64> {
    let (high, low) = text.split_once('/')?;
    let half = |digits: &str| {
        let well_formed = (1..=8).contains(&digits.len()) && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if well_formed { u64::from_str_radix(digits, 16).ok() } else { None }
    };
    Some(half(high)? << 32 | half(low)?)
}

fn difference(a: u64, b: u64) -> Result<Numeric> {
    Numeric::finite(Decimal::whole(num_bigint::BigInt::from(i128::from(a) - i128::from(b))))
}
