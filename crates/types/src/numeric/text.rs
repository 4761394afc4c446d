//! The text of a `numeric` (`numeric_in`, `numeric_out`).

use num_bigint::BigUint;

use super::value::{Decimal, MAX_DIGITS, MAX_SCALE, Numeric, overflow};
use super::whole::Whole;
use crate::error::{Error, Result};

/// Digits that are gathered in a machine's number.
const SMALL_DIGITS: usize = 38;

/// A value in any spelling that PostgreSQL takes.
pub fn parse(text: &str) -> Result<Numeric> {
    let invalid = || Error::invalid_input("numeric", text);
    let trimmed = text.trim_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
    let (negative, signed, unsigned) = match trimmed.as_bytes() {
        [b'-', rest @ ..] => (true, true, rest),
        [b'+', rest @ ..] => (false, true, rest),
        rest => (false, false, rest),
    };
    let radix = match unsigned {
        [b'0', b'x' | b'X', ..] => 16,
        [b'0', b'o' | b'O', ..] => 8,
        [b'0', b'b' | b'B', ..] => 2,
        [b'0'..=b'9' | b'.', ..] => 10,
        word => return special(word, negative, signed).ok_or_else(invalid),
    };
    let number = match radix {
        10 => decimal(unsigned, invalid)?,
        radix => Decimal::whole(in_radix(&unsigned[2..], radix).ok_or_else(invalid)?),
    };
    Numeric::finite(if negative { number.negate() } else { number })
}

fn special(word: &[u8], negative: bool, signed: bool) -> Option<Numeric> {
    if word.eq_ignore_ascii_case(b"infinity") || word.eq_ignore_ascii_case(b"inf") {
        return Some(if negative { Numeric::NegativeInfinity } else { Numeric::Infinity });
    }
    (word.eq_ignore_ascii_case(b"nan") && !signed).then_some(Numeric::NaN)
}

fn in_radix(digits: &[u8], radix: u32) -> Option<Whole> {
    let mut values = Vec::with_capacity(digits.len());
    let mut after_underscore = false;
    for &byte in digits {
        match byte {
            b'_' if !after_underscore => after_underscore = true,
            byte => {
                values.push(char::from(byte).to_digit(radix)? as u8);
                after_underscore = false;
            }
        }
    }
    if values.is_empty() || after_underscore {
        return None;
    }
    let zeros = values.iter().take_while(|&&v| v == 0).count();
    // Four bits a digit at most: no number of so many digits has room.
    if values.len() - zeros > MAX_DIGITS as usize * 4 {
        return Some(super::whole::power_of_ten(MAX_DIGITS as u32));
    }
    BigUint::from_radix_be(&values[zeros..], radix).map_or(Some(Whole::ZERO), |value| Some(value.into()))
}

/// Reads `digits [. digits] [e exponent]`, with underscores between digits.
fn decimal(text: &[u8], invalid: impl Fn() -> Error) -> Result<Decimal> {
    let mut at = 0;
    let mut small = 0u128;
    // Digits from the first one that is not zero.
    let mut significant = 0;
    let mut scale = None;
    let mut any = false;
    while at < text.len() {
        match text[at] {
            digit @ b'0'..=b'9' => {
                any = true;
                significant += usize::from(significant > 0 || digit != b'0');
                if significant <= SMALL_DIGITS {
                    small = small * 10 + u128::from(digit - b'0');
                }
                scale = scale.map(|s: i64| s + 1);
            }
            b'.' if scale.is_none() => scale = Some(0),
            b'_' if between_digits(text, at) => {}
            _ => break,
        }
        at += 1;
    }
    if !any {
        return Err(invalid());
    }
    let exponent = match text.get(at) {
        None => 0,
        Some(b'e' | b'E') => exponent(&text[at + 1..]).ok_or_else(&invalid)?,
        Some(_) => return Err(invalid()),
    };
    if exponent.abs() > i64::from(i32::MAX / 2) {
        return Err(overflow());
    }
    let scale = scale.unwrap_or(0) - exponent;
    if scale > i64::from(MAX_SCALE) || (significant > 0 && significant as i64 - scale > i64::from(MAX_DIGITS)) {
        return Err(overflow());
    }
    let value = match significant <= SMALL_DIGITS {
        true => Whole::Small(small as i128),
        false => {
            let digits: Vec<u8> = text[..at].iter().filter(|b| b.is_ascii_digit()).map(|b| b - b'0').collect();
            BigUint::from_radix_be(&digits, 10).unwrap_or_default().into()
        }
    };
    Ok(match scale < 0 {
        true => Decimal { value: value.shift(-scale.max(-i64::from(MAX_DIGITS)) as u32), scale: 0 },
        false => Decimal { value, scale: scale as i32 },
    })
}

fn between_digits(text: &[u8], at: usize) -> bool {
    let digit = |at: usize| text.get(at).is_some_and(u8::is_ascii_digit);
    at > 0 && digit(at - 1) && digit(at + 1)
}

/// What follows an `e`. A number that is too large is only known to be so.
fn exponent(text: &[u8]) -> Option<i64> {
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    if digits.is_empty() {
        return None;
    }
    let mut value = 0i64;
    for (at, &byte) in digits.iter().enumerate() {
        match byte {
            b'0'..=b'9' => value = (value * 10 + i64::from(byte - b'0')).min(1 << 40),
            b'_' if between_digits(digits, at) => {}
            _ => return None,
        }
    }
    Some(if negative { -value } else { value })
}

/// Appends a value's text.
pub fn write(value: &Numeric, out: &mut Vec<u8>) {
    match value {
        Numeric::NegativeInfinity => out.extend_from_slice(b"-Infinity"),
        Numeric::Finite(decimal) => write_decimal(decimal, out),
        Numeric::Infinity => out.extend_from_slice(b"Infinity"),
        Numeric::NaN => out.extend_from_slice(b"NaN"),
    }
}

pub fn write_decimal(decimal: &Decimal, out: &mut Vec<u8>) {
    if decimal.value.is_negative() {
        out.push(b'-');
    }
    let start = out.len();
    decimal.value.write_magnitude(out);
    let scale = decimal.scale as usize;
    if scale == 0 {
        return;
    }
    let digits = out.len() - start;
    if digits <= scale {
        out.splice(start..start, std::iter::repeat_n(b'0', scale + 1 - digits));
    }
    out.insert(out.len() - scale, b'.');
}
