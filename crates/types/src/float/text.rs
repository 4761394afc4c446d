//! The text of floating-point numbers (`float8in`, `float8out`).

use std::io::Write;

use error::sqlstate;

use super::arithmetic::Float;
use crate::error::{Error, Result};
use crate::quote::is_space;

/// A number in any spelling that C's `strtod` takes, with blanks around it.
pub fn parse<F: Float>(text: &str) -> Result<F> {
    let invalid = || no_number::<F>(text);
    let number = text.trim_matches(is_space);
    let (sign, unsigned) = match number.as_bytes() {
        [b'-', ..] => (-1.0, &number[1..]),
        [b'+', ..] => (1.0, &number[1..]),
        _ => (1.0, number),
    };
    match unsigned.as_bytes() {
        word if word.eq_ignore_ascii_case(b"nan") => return Ok(F::from_f64(f64::NAN.copysign(sign))),
        word if word.eq_ignore_ascii_case(b"infinity") || word.eq_ignore_ascii_case(b"inf") => {
            return Ok(F::from_f64(sign * f64::INFINITY));
        }
        [b'0', b'x' | b'X', digits @ ..] => {
            let (value, nonzero) = hexadecimal::<F>(digits).ok_or_else(invalid)?;
            return in_range(F::from_f64(sign * value), nonzero, number);
        }
        [b'0'..=b'9' | b'.', ..] => {}
        _ => return Err(invalid()),
    }
    let value: F = number.parse().map_err(|_| invalid())?;
    let mantissa = unsigned.bytes().take_while(|b| !matches!(b, b'e' | b'E'));
    in_range(value, mantissa.into_iter().any(|b| matches!(b, b'1'..=b'9')), number)
}

/// The error for what is no number. PostgreSQL looks first whether the number with which it begins fits the type.
fn no_number<F: Float>(text: &str) -> Error {
    let number = text.trim_matches(is_space);
    let begin = &number[..strtod_length(number.as_bytes())];
    if begin.len() < number.len()
        && let Err(error) = parse::<F>(begin)
        && error.0.code == sqlstate::NUMERIC_VALUE_OUT_OF_RANGE
    {
        return error;
    }
    Error::invalid_input(F::TITLE, text)
}

/// How far C's `strtod` reads a text that begins as a number: digits with a point, and an exponent that has digits.
fn strtod_length(text: &[u8]) -> usize {
    let after = |from: usize, belongs: fn(&u8) -> bool| {
        from + text[from..].iter().position(|byte| !belongs(byte)).unwrap_or(text.len() - from)
    };
    let sign = |at: usize| at + usize::from(matches!(text.get(at), Some(b'+' | b'-')));
    let start = sign(0);
    let (from, belongs, exponent): (_, fn(&u8) -> bool, _) = match text[start..] {
        [b'0', b'x' | b'X', ..] => (start + 2, u8::is_ascii_hexdigit, b'p'),
        _ => (start, u8::is_ascii_digit, b'e'),
    };
    let mut end = after(from, belongs);
    if text.get(end) == Some(&b'.') {
        end = after(end + 1, belongs);
    }
    if text.get(end).is_some_and(|byte| byte.to_ascii_lowercase() == exponent) {
        let digits = sign(end + 1);
        if text.get(digits).is_some_and(u8::is_ascii_digit) {
            end = after(digits, u8::is_ascii_digit);
        }
    }
    end
}

/// A number that is neither too large for the type nor too small.
fn in_range<F: Float>(value: F, nonzero: bool, number: &str) -> Result<F> {
    if value.to_f64().is_infinite() || (value.to_f64() == 0.0 && nonzero) {
        return Err(Error::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("\"{number}\" is out of range for type {}", F::TITLE),
        ));
    }
    Ok(value)
}

/// What follows `0x`: hexadecimal digits, a point among them, and a power of two. Also says whether it is more than zero.
fn hexadecimal<F: Float>(text: &[u8]) -> Option<(f64, bool)> {
    let (digits, power) = match text.iter().position(|b| matches!(b, b'p' | b'P')) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (mut value, mut exponent, mut any, mut point) = (0u64, 0i64, false, false);
    for &byte in digits {
        if byte == b'.' && !point {
            point = true;
            continue;
        }
        let digit = u64::from(char::from(byte).to_digit(16)?);
        any = true;
        exponent -= if point { 4 } else { 0 };
        if value < 1 << 59 {
            value = value << 4 | digit;
        } else {
            // More bits than any type has: all that counts is whether they are zero.
            value |= u64::from(digit != 0);
            exponent += 4;
        }
    }
    if let Some(power) = power {
        let number = std::str::from_utf8(power).ok()?;
        let unsigned = number.strip_prefix(['+', '-']).unwrap_or(number);
        if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        let size = unsigned.parse::<i64>().unwrap_or(i64::MAX).min(1 << 40);
        exponent += if number.starts_with('-') { -size } else { size };
    }
    any.then(|| (scaled::<F>(value, exponent), value != 0))
}

/// `value * 2^exponent`, rounded once, to as many bits as the type has for a number of this size.
fn scaled<F: Float>(value: u64, exponent: i64) -> f64 {
    if value == 0 {
        return 0.0;
    }
    let bits = 64 - value.leading_zeros();
    let last = (exponent + i64::from(bits) - i64::from(F::FRACTION_BITS)).max(F::LEAST_EXPONENT.into());
    let drop = last - exponent;
    let kept = match drop {
        ..=0 => value,
        1..=64 => {
            let whole = value.checked_shr(drop as u32).unwrap_or(0);
            let rest = value - whole.checked_shl(drop as u32).unwrap_or(0);
            let half = 1u64 << (drop - 1);
            whole + u64::from(rest > half || (rest == half && whole & 1 == 1))
        }
        _ => 0,
    };
    // Both factors are exact; two steps reach the smallest numbers.
    let exponent = if drop > 0 { last } else { exponent }.clamp(-5000, 5000) as i32;
    kept as f64 * 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2)
}

/// Appends a number's text: the shortest one that reads as the number, or one of fewer digits where the session wants that.
pub fn write<F: Float>(value: F, extra_float_digits: i32, out: &mut Vec<u8>) {
    let float = value.to_f64();
    if float.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if float.is_sign_negative() {
        out.push(b'-');
    }
    let value = F::from_f64(float.abs());
    if float.is_infinite() {
        return out.extend_from_slice(b"Infinity");
    }
    if float == 0.0 {
        return out.push(b'0');
    }
    let digits = F::DIGITS + extra_float_digits;
    match extra_float_digits > 0 {
        true => shortest(value, out),
        false => general(value, digits.max(1), out),
    }
}

/// The digits of a number, first one first, and the power of ten of that.
struct Digits {
    digits: [u8; 40],
    count: usize,
    exponent: i32,
}

impl Digits {
    /// Takes a number apart that Rust writes with an exponent.
    fn of(text: std::fmt::Arguments<'_>) -> Digits {
        let mut buffer = [0; 64];
        let mut rest = &mut buffer[..];
        rest.write_fmt(text).expect("a number has room");
        let unused = rest.len();
        let text = &buffer[..buffer.len() - unused];
        let mut digits = Digits { digits: [0; 40], count: 0, exponent: 0 };
        let end = text.iter().position(|&b| b == b'e').expect("an exponent");
        for &byte in text[..end].iter().filter(|b| b.is_ascii_digit()).take(40) {
            digits.digits[digits.count] = byte;
            digits.count += 1;
        }
        let exponent = std::str::from_utf8(&text[end + 1..]).expect("digits");
        digits.exponent = exponent.parse().expect("a number");
        digits
    }

    fn digits(&self) -> &[u8] {
        &self.digits[..self.count]
    }

    /// The digits as a number, and the power of ten that they are multiplied by.
    fn number(&self) -> (u128, i32) {
        let number = self.digits().iter().fold(0u128, |n, d| n * 10 + u128::from(d - b'0'));
        (number, self.exponent + 1 - self.count as i32)
    }

    /// The number that the digits are read as, without its sign.
    fn value<F: Float>(&self) -> Option<F> {
        let (number, tens) = self.number();
        format!("{number}e{tens}").parse().ok()
    }

    /// Appends the number, with an exponent if it is one of `fixed` or outside of -4 to there.
    fn write(&self, fixed: i32, out: &mut Vec<u8>) {
        let digits = self.digits();
        if !(-4..fixed).contains(&self.exponent) {
            out.push(digits[0]);
            if digits.len() > 1 {
                out.push(b'.');
                out.extend_from_slice(&digits[1..]);
            }
            let sign = if self.exponent < 0 { '-' } else { '+' };
            return write!(out, "e{sign}{:02}", self.exponent.abs()).expect("a vector takes it");
        }
        if self.exponent < 0 {
            out.extend_from_slice(b"0.");
            out.extend(std::iter::repeat_n(b'0', (-self.exponent - 1) as usize));
            return out.extend_from_slice(digits);
        }
        let whole = self.exponent as usize + 1;
        out.extend_from_slice(&digits[..whole.min(digits.len())]);
        out.extend(std::iter::repeat_n(b'0', whole.saturating_sub(digits.len())));
        if digits.len() > whole {
            out.push(b'.');
            out.extend_from_slice(&digits[whole..]);
        }
    }
}

/// The shortest text that reads as the number, and among those the one nearest to it.
fn shortest<F: Float>(value: F, out: &mut Vec<u8>) {
    let mut digits = Digits::of(format_args!("{value:e}"));
    // PostgreSQL does not write what lies just between two numbers, which a reader might round to the other one.
    while is_midpoint(value, &digits) {
        let more = digits.count;
        digits = Digits::of(format_args!("{value:.more$e}"));
    }
    // Of two texts that are equally near, it writes the even one, Rust the greater one.
    if digits.digits[digits.count - 1] % 2 == 1 && digits_are_half_up(value, &digits) {
        digits.digits[digits.count - 1] -= 1;
        // Below a power of two numbers are twice as close: the even one may be another number.
        if digits.value::<F>() != Some(value) {
            digits.digits[digits.count - 1] += 1;
        }
    }
    digits.write(F::DIGITS, out);
}

/// `number * 10^tens` as an odd number and a power of two, if it is such a product and the odd number is of some 60 bits.
fn binary(number: u128, tens: i32) -> Option<(u128, i32)> {
    let five = |exponent: i32| 5u128.pow(exponent as u32);
    let number = match tens {
        0..=23 => number * five(tens),
        -26..0 if number.is_multiple_of(five(-tens)) => number / five(-tens),
        _ => return None,
    };
    let twos = number.trailing_zeros() as i32;
    Some((number >> twos, tens + twos))
}

/// Whether digits are the middle between a number and one of its neighbours.
fn is_midpoint<F: Float>(value: F, digits: &Digits) -> bool {
    let (number, tens) = digits.number();
    let Some((odd, power)) = binary(number, tens) else { return false };
    let (fraction, last) = value.parts();
    let fraction = u128::from(fraction);
    // Below a power of two numbers are twice as close.
    let lower = fraction.is_power_of_two() && odd == 4 * fraction - 1 && power == last - 2;
    lower || (power == last - 1 && (odd == 2 * fraction + 1 || odd == 2 * fraction - 1))
}

/// Whether a number is half a unit of the last digit below its digits.
fn digits_are_half_up<F: Float>(value: F, digits: &Digits) -> bool {
    let (number, tens) = digits.number();
    let (fraction, last) = value.parts();
    let twos = fraction.trailing_zeros() as i32;
    binary(number * 10 - 5, tens - 1) == Some(((fraction >> twos).into(), last + twos))
}

/// As C's `%.*g`.
fn general<F: Float>(value: F, precision: i32, out: &mut Vec<u8>) {
    let after = precision as usize - 1;
    let mut digits = Digits::of(format_args!("{value:.after$e}"));
    while digits.count > 1 && digits.digits[digits.count - 1] == b'0' {
        digits.count -= 1;
    }
    digits.write(precision, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts<F: Float>(values: &[F], extra_float_digits: i32) -> String {
        let mut out = Vec::new();
        for value in values {
            write(*value, extra_float_digits, &mut out);
            out.push(b' ');
        }
        String::from_utf8(out).unwrap().trim_end().to_string()
    }

    /// The expected texts are PostgreSQL's.
    #[test]
    fn fewer_digits() {
        let doubles = [
            0.1,
            0.30000000000000004,
            123456789012345678.0,
            1e15,
            99999.99999999999,
            1e-5,
            -0.0,
            1.5e300,
            0.00012345678901234567,
            999999999999999.9,
            1e100,
        ];
        let singles = [0.1f32, 123456.7, 1e6, 999999.9, 1e-5, 16777216.0, 3.4e38];
        for (digits, of_doubles, of_singles) in [
            (
                1,
                "0.1 0.30000000000000004 1.2345678901234568e+17 1e+15 99999.99999999999 1e-05 -0 1.5e+300 0.00012345678901234567 999999999999999.9 1e+100",
                "0.1 123456.7 1e+06 999999.9 1e-05 1.6777216e+07 3.4e+38",
            ),
            (
                0,
                "0.1 0.3 1.23456789012346e+17 1e+15 100000 1e-05 -0 1.5e+300 0.000123456789012346 1e+15 1e+100",
                "0.1 123457 1e+06 1e+06 1e-05 1.67772e+07 3.4e+38",
            ),
            (
                -3,
                "0.1 0.3 1.23456789012e+17 1e+15 100000 1e-05 -0 1.5e+300 0.000123456789012 1e+15 1e+100",
                "0.1 1.23e+05 1e+06 1e+06 1e-05 1.68e+07 3.4e+38",
            ),
            (
                -15,
                "0.1 0.3 1e+17 1e+15 1e+05 1e-05 -0 2e+300 0.0001 1e+15 1e+100",
                "0.1 1e+05 1e+06 1e+06 1e-05 2e+07 3e+38",
            ),
        ] {
            assert_eq!(texts(&doubles, digits), of_doubles);
            assert_eq!(texts(&singles, digits), of_singles);
        }
    }
}
