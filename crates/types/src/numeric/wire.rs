//! The binary format of a `numeric` for clients (`numeric_recv`, `numeric_send`): digits of base 10000 with the power of the
//! first one, a sign, and how many decimal digits are shown after the point.

use error::sqlstate;

use super::value::{Decimal, Numeric};
use super::whole::{Whole, power_of_ten};
use crate::error::{Error, Result};

const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const NEGATIVE_INFINITY: u16 = 0xf000;

/// The sign and the digits after the point have these bits.
const SCALE_MASK: u16 = 0x3fff;

pub fn send(value: &Numeric, out: &mut Vec<u8>) {
    let mut put = |digits: &[u16], weight: i16, sign: u16, scale: u16| {
        out.extend((digits.len() as u16).to_be_bytes());
        out.extend(weight.to_be_bytes());
        out.extend(sign.to_be_bytes());
        out.extend(scale.to_be_bytes());
        out.extend(digits.iter().flat_map(|d| d.to_be_bytes()));
    };
    match value {
        Numeric::NaN => put(&[], 0, NAN, 0),
        // PostgreSQL writes bits of its own header as the scale of these.
        Numeric::Infinity => put(&[], 0, INFINITY, 32),
        Numeric::NegativeInfinity => put(&[], 0, NEGATIVE_INFINITY, 32),
        Numeric::Finite(decimal) => {
            let (digits, weight) = decimal.base_10000();
            let sign = if decimal.value.is_negative() { NEGATIVE } else { 0 };
            put(&digits, weight as i16, sign, decimal.scale as u16);
        }
    }
}

/// The value that a client's bytes mean, made to fit a type modifier.
pub fn receive(bytes: &[u8], typmod: i32) -> Result<Numeric> {
    let malformed = |what: &str| {
        Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, format!("invalid {what} in external \"numeric\" value"))
    };
    let insufficient = || Error::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message");
    let (words, odd) = bytes.as_chunks::<2>();
    let mut words = words.iter().map(|w| u16::from_be_bytes(*w));
    let mut next = || words.next().ok_or_else(insufficient);
    let (count, weight, sign, scale) = (next()?, next()? as i16, next()?, next()?);
    if ![0, NEGATIVE, NAN, INFINITY, NEGATIVE_INFINITY].contains(&sign) {
        return Err(malformed("sign"));
    }
    if scale & SCALE_MASK != scale {
        return Err(malformed("scale"));
    }
    let mut digits = Vec::with_capacity(usize::from(count).min(bytes.len() / 2) * 4);
    for _ in 0..count {
        let digit = next()?;
        if digit >= 10_000 {
            return Err(malformed("digit"));
        }
        digits.extend([digit / 1000, digit / 100 % 10, digit / 10 % 10, digit % 10].map(|d| d as u8));
    }
    if words.next().is_some() || !odd.is_empty() {
        return Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, "incorrect binary data format"));
    }
    let value = match sign {
        NAN => Numeric::NaN,
        INFINITY => Numeric::Infinity,
        NEGATIVE_INFINITY => Numeric::NegativeInfinity,
        sign => {
            let value: Whole = num_bigint::BigUint::from_radix_be(&digits, 10).unwrap_or_default().into();
            // Decimal places behind the point that the digits reach; fewer than none where zeros follow them.
            let places = (i32::from(count) - 1 - i32::from(weight)) * 4;
            let exact = match places < 0 {
                true => Decimal { value: value.multiply(&power_of_ten(-places as u32)), scale: 0 },
                false => Decimal { value, scale: places },
            };
            // Digits beyond those that are shown are dropped.
            let shown = exact.truncate(scale.into());
            Numeric::finite(if sign == NEGATIVE { shown.negate() } else { shown })?
        }
    };
    value.fit(typmod)
}
