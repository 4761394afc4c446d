//! `to_char` of numbers and `to_number` (`formatting.c`).
//!
//! * [`pattern`]: what a pattern's text says; [`write`]: numbers to texts; [`read`]: texts to numbers; [`roman`]: numerals.
//!
//! The locale is `C`: the point is `.`, groups are separated by `,`, and a currency's sign is a blank.

mod pattern;
mod read;
mod roman;
mod write;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::numeric::functions::whole;
use crate::numeric::value::{Decimal, Numeric};
use crate::numeric::{math, numeric};
use crate::sql::*;
use pattern::Pattern;
use write::Number;

pub const FUNCTIONS: &[Function] = functions! {
    to_char(int4, text) -> text = int4_to_char;
    to_char(int8, text) -> text = int8_to_char;
    to_char(numeric, text) -> text = numeric_to_char;
    to_char(float4, text) -> text = float4_to_char;
    to_char(float8, text) -> text = float8_to_char;
    to_number(text, text) -> Option<numeric> = to_number;
};

fn int4_to_char(value: i32, format: &str) -> Result<String> {
    let Some(mut pattern) = Pattern::parse(format)? else { return Ok(String::new()) };
    if pattern.roman {
        return write::write(Number::whole(roman::write(value)), pattern);
    }
    if pattern.exponent {
        let text = write::exponential(value.into(), pattern.after);
        return write::write(Number::whole(text), pattern);
    }
    // As PostgreSQL multiplies: a product that does not fit is one of another number.
    let factor = 10f64.powi(pattern.shift) as i32;
    let text = if pattern.shift_digits() { value.wrapping_mul(factor) } else { value }.to_string();
    write::write(Number::fitted(&with_zeros(&text, pattern.after), &pattern), pattern)
}

fn int8_to_char(value: i64, format: &str) -> Result<String> {
    let Some(mut pattern) = Pattern::parse(format)? else { return Ok(String::new()) };
    if pattern.roman {
        let value = i32::try_from(value).unwrap_or(i32::MAX);
        return write::write(Number::whole(roman::write(value)), pattern);
    }
    if pattern.exponent {
        let text = scientific(&Decimal::whole(value), pattern.after);
        return write::write(Number::whole(text), pattern);
    }
    let out_of_range = || Error::out_of_range("bigint");
    let factor = 10i64.checked_pow(pattern.shift as u32);
    let text = match pattern.shift_digits() {
        true => value.checked_mul(factor.ok_or_else(out_of_range)?).ok_or_else(out_of_range)?,
        false => value,
    };
    write::write(Number::fitted(&with_zeros(&text.to_string(), pattern.after), &pattern), pattern)
}

/// A whole number's text with so many zeros after the point.
fn with_zeros(text: &str, after: i32) -> String {
    if after == 0 { text.to_string() } else { format!("{text}.{}", "0".repeat(after as usize)) }
}

fn numeric_to_char(value: Numeric, format: &str) -> Result<String> {
    let Some(mut pattern) = Pattern::parse(format)? else { return Ok(String::new()) };
    if pattern.roman {
        let value = whole(value, "integer").unwrap_or(i32::MAX);
        return write::write(Number::whole(roman::write(value)), pattern);
    }
    if pattern.exponent {
        let text = match &value {
            Numeric::Finite(decimal) => scientific(decimal, pattern.after),
            _ => pattern.no_exponential(),
        };
        return write::write(Number::whole(text), pattern);
    }
    let value = match pattern.shift_digits() {
        true => value.multiply(&math::power(Numeric::from(10), Numeric::from(i64::from(pattern.shift)))?)?,
        false => value,
    };
    let text = value.map(|d| d.round(pattern.after))?.to_string();
    write::write(Number::fitted(&text, &pattern), pattern)
}

/// A number with one digit in front of the point and an exponent, and a blank for its sign if it has none.
fn scientific(value: &Decimal, after: i32) -> String {
    let exponent = value.exponent();
    let shifted = match exponent >= 0 {
        true => Decimal { value: value.value.clone(), scale: value.scale + exponent }.round(after),
        false => value.divide(&Decimal { value: 1i64.into(), scale: -exponent }, after),
    };
    let blank = if shifted.value.is_negative() { "" } else { " " };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{blank}{shifted}e{sign}{:02}", exponent.abs())
}

fn float4_to_char(value: f32, format: &str) -> Result<String> {
    // Products are of single precision.
    float_to_char(value.into(), 6, |value, factor| f64::from(value as f32 * factor as f32), format)
}

fn float8_to_char(value: f64, format: &str) -> Result<String> {
    float_to_char(value, 15, |value, factor| value * factor, format)
}

fn float_to_char(value: f64, digits: i32, multiply: fn(f64, f64) -> f64, format: &str) -> Result<String> {
    let Some(mut pattern) = Pattern::parse(format)? else { return Ok(String::new()) };
    if pattern.roman {
        let rounded = value.round_ties_even();
        let fits = rounded >= f64::from(i32::MIN) && rounded < -f64::from(i32::MIN);
        let value = if fits { rounded as i32 } else { i32::MAX };
        return write::write(Number::whole(roman::write(value)), pattern);
    }
    if pattern.exponent {
        let text = if value.is_finite() { write::exponential(value, pattern.after) } else { pattern.no_exponential() };
        return write::write(Number::whole(text), pattern);
    }
    let value = match pattern.shift_digits() {
        true => multiply(value, 10f64.powi(pattern.shift)),
        false => value,
    };
    // No more digits than the type keeps.
    let before = fixed(value.abs(), 0).len() as i32;
    pattern.after = pattern.after.min((digits - before).max(0));
    let text = fixed(value, pattern.after);
    write::write(Number::fitted(&text, &pattern), pattern)
}

/// As C's `%.*f`.
fn fixed(value: f64, after: i32) -> String {
    match value {
        value if value.is_nan() => "NaN".to_string(),
        f64::INFINITY => "Infinity".to_string(),
        f64::NEG_INFINITY => "-Infinity".to_string(),
        value => format!("{value:.0$}", after as usize),
    }
}

fn to_number(text: &str, format: &str) -> Result<Option<Numeric>> {
    let Some(pattern) = Pattern::parse(format)? else { return Ok(None) };
    let shift = pattern.shifts.then_some(pattern.shift);
    let (number, before, after) = read::read(text, pattern)?;
    let precision = before + shift.unwrap_or(0) + after;
    let typmod = (precision.wrapping_shl(16) | after).wrapping_add(4);
    let value = crate::numeric::text::parse(&number)?.fit(typmod)?;
    match shift {
        None => Ok(Some(value)),
        Some(shift) => {
            let factor = math::power(Numeric::from(10), Numeric::from(-i64::from(shift)))?;
            value.multiply(&factor).map(Some)
        }
    }
}
