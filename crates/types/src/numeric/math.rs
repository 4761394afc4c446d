//! Roots, exponentials, logarithms and powers of `numeric`. How many digits a result shows is `numeric.c`'s; the digits are
//! computed in binary fixed point with more bits than they need, and rounded once.

use std::f64::consts::{LN_10, LOG2_10, LOG2_E, LOG10_E};

use error::sqlstate;
use num_bigint::{BigInt, Sign};

use super::value::{Decimal, MAX_DIGITS, MAX_DISPLAY_SCALE, MIN_SIGNIFICANT, Numeric, overflow};
use super::whole::{Whole, power_of_ten};
use crate::error::{Error, Result};

use Numeric::{Finite, Infinity, NaN, NegativeInfinity};

/// Results of exponentials have this many digits in front of the point at most, by far (`NUMERIC_MAX_RESULT_SCALE`).
const MAX_RESULT_SCALE: f64 = 2000.0;

pub fn sqrt(value: Numeric) -> Result<Numeric> {
    if value.signum() < 0 {
        return Err(Error::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "cannot take square root of a negative number",
        ));
    }
    value.map(|x| {
        let scale = display_scale((x.weight() + 1) * 2 - 1, &[x]);
        square_root(x, scale)
    })
}

/// With so many digits behind the point, rounded. The number is not negative.
pub fn square_root(x: &Decimal, scale: i32) -> Decimal {
    let square = x.truncate(2 * scale).value.big();
    let root = square.sqrt();
    let root = if &square - &root * &root > root { root + 1 } else { root };
    Decimal { value: root.into(), scale }
}

pub fn exp(value: Numeric) -> Result<Numeric> {
    match &value {
        NegativeInfinity => Ok(Numeric::from(0)),
        Finite(x) => {
            let digits = (x.to_f64() * LOG10_E).clamp(-MAX_RESULT_SCALE, MAX_RESULT_SCALE);
            Numeric::finite(exp_of(x, display_scale(digits as i32, &[x]))?)
        }
        other => Ok(other.clone()),
    }
}

pub fn ln(value: Numeric) -> Result<Numeric> {
    check_logarithm(&value)?;
    value.map(|x| ln_of(x, display_scale(ln_weight(x), &[x])))
}

pub fn log(base: Numeric, value: Numeric) -> Result<Numeric> {
    let (b, x) = match (&base, &value) {
        (NaN, _) | (_, NaN) => return Ok(NaN),
        (Finite(b), Finite(x)) => {
            check_logarithm(&base)?;
            check_logarithm(&value)?;
            (b, x)
        }
        _ => {
            // A negative one is said before a zero.
            [&base, &value].into_iter().filter(|n| n.signum() < 0).try_for_each(check_logarithm)?;
            [&base, &value].into_iter().try_for_each(check_logarithm)?;
            return Ok(match (&base, &value) {
                (Infinity, Infinity) => NaN,
                (Infinity, _) => Numeric::from(0),
                _ => Infinity,
            });
        }
    };
    let (base_weight, weight) = (ln_weight(b), ln_weight(x));
    let digits = weight - base_weight;
    let scale = display_scale(digits, &[b, x]);
    let ln_base = ln_of(b, (scale + digits - base_weight + 8).max(0));
    let ln_value = ln_of(x, (scale + digits - weight + 8).max(0));
    if ln_base.is_zero() {
        return Err(Error::division_by_zero());
    }
    Numeric::finite(ln_value.divide(&ln_base, scale))
}

pub fn power(base: Numeric, exponent: Numeric) -> Result<Numeric> {
    let invalid = |message: &str| Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION, message));
    let one = Numeric::from(1);
    match (&base, &exponent) {
        (NaN, Finite(y)) if y.is_zero() => return Ok(one),
        (Finite(_), NaN) if base == one => return Ok(one),
        (NaN, _) | (_, NaN) => return Ok(NaN),
        _ => {}
    }
    if base.signum() == 0 && exponent.signum() < 0 {
        return invalid("zero raised to a negative power is undefined");
    }
    if base.signum() < 0 && matches!(&exponent, Finite(y) if !y.is_integral()) {
        return invalid("a negative number raised to a non-integer power yields a complex result");
    }
    match (&base, &exponent) {
        (Finite(x), Finite(y)) => Numeric::finite(power_of(x, y)?),
        _ => Ok(power_with_infinity(&base, &exponent)),
    }
}

/// As POSIX's `pow` has it.
fn power_with_infinity(base: &Numeric, exponent: &Numeric) -> Numeric {
    let (zero, one) = (Numeric::from(0), Numeric::from(1));
    match (base, exponent) {
        _ if *base == one || exponent.signum() == 0 => one,
        (Finite(x), _) if x.is_zero() => zero,
        (_, Infinity | NegativeInfinity) => match base.clone().abs() {
            size if size == one => one,
            size if (size > one) == (exponent.signum() > 0) => Infinity,
            _ => zero,
        },
        _ if exponent.signum() < 0 => zero,
        (NegativeInfinity, Finite(y)) if is_odd(y) => NegativeInfinity,
        _ => Infinity,
    }
}

/// Digits after the point of a result whose first digit is at this power of ten: so many that there are 16 of them, and no
/// fewer than the arguments show.
fn display_scale(exponent: i32, arguments: &[&Decimal]) -> i32 {
    let shown = arguments.iter().map(|d| d.scale).max().unwrap_or(0);
    (MIN_SIGNIFICANT - exponent).max(shown).clamp(0, MAX_DISPLAY_SCALE)
}

fn check_logarithm(value: &Numeric) -> Result<()> {
    match value.signum() {
        0 => Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of zero")),
        -1 => Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of a negative number")),
        _ => Ok(()),
    }
}

fn is_odd(value: &Decimal) -> bool {
    value.is_integral() && !value.remainder(&Decimal::whole(2)).is_zero()
}

/// `estimate_ln_dweight`: the power of ten of the first digit of a positive number's logarithm, about.
fn ln_weight(x: &Decimal) -> i32 {
    let near = |tenths: i64| Decimal { value: Whole::from(tenths), scale: 1 };
    if *x >= near(9) && *x <= near(11) {
        // ln(1 + x) is about x.
        return x.subtract(&Decimal::whole(1)).exponent();
    }
    let (digits, mut weight) = x.base_10000();
    let Some(&first) = digits.first() else { return 0 };
    let mut leading = f64::from(first);
    weight *= 4;
    if let Some(&second) = digits.get(1) {
        leading = leading * 10_000.0 + f64::from(second);
        weight -= 4;
    }
    (leading.ln() + f64::from(weight) * LN_10).abs().log10() as i32
}

fn power_of(base: &Decimal, exponent: &Decimal) -> Result<Decimal> {
    if exponent.is_integral()
        && let Some(times) = exponent.truncate(0).value.to_i64().and_then(|y| i32::try_from(y).ok())
    {
        return power_of_whole(base, times, exponent.scale);
    }
    if base.is_zero() {
        return Ok(Decimal { value: Whole::ZERO, scale: MIN_SIGNIFICANT });
    }
    let negative = base.value.is_negative() && is_odd(exponent);
    let base = base.clone().abs();
    let weight = ln_weight(&base);
    // To eight digits, for how large the result is.
    let rough = product(&ln_of(&base, (8 - weight).max(0)), exponent, (8 - weight).max(0)).to_f64();
    if rough.abs() > MAX_RESULT_SCALE * 3.01 {
        return underflow(rough > 0.0, MAX_DISPLAY_SCALE);
    }
    let digits = (rough * LOG10_E) as i32;
    let scale = display_scale(digits, &[&base, exponent]);
    let precise = ((scale + digits).max(0) - weight + 8).max(0);
    let result = exp_of(&product(&ln_of(&base, precise), exponent, precise), scale)?;
    Ok(if negative { result.negate() } else { result })
}

/// An error for a result that is too large, zero for one that is too small.
fn underflow(large: bool, scale: i32) -> Result<Decimal> {
    if large { Err(overflow()) } else { Ok(Decimal { value: Whole::ZERO, scale }) }
}

/// The product, rounded to `scale` digits after the point if it has more.
fn product(a: &Decimal, b: &Decimal, scale: i32) -> Decimal {
    let product = a.multiply(b);
    if product.scale > scale { product.round(scale) } else { product }
}

/// `power_var_int`: by squaring, with as many digits in each step as the result needs.
fn power_of_whole(base: &Decimal, times: i32, shown: i32) -> Result<Decimal> {
    let digits = f64::from(times) * log10(base);
    if digits > f64::from(MAX_DIGITS) {
        return Err(overflow());
    }
    if digits + 1.0 < f64::from(-MAX_DISPLAY_SCALE) {
        return Ok(Decimal { value: Whole::ZERO, scale: MAX_DISPLAY_SCALE });
    }
    let shown = Decimal { value: Whole::ZERO, scale: shown };
    let scale = display_scale(digits as i32, &[base, &shown]);
    let one = Decimal::whole(1);
    match times {
        0 => return Ok(one.round(scale)),
        1 => return Ok(base.round(scale)),
        2 => return Ok(base.multiply(base).round(scale)),
        _ if base.is_zero() && times < 0 => return Err(Error::division_by_zero()),
        _ if base.is_zero() => return Ok(Decimal { value: Whole::ZERO, scale }),
        -1 => return Ok(one.divide(base, scale)),
        _ => {}
    }
    let significant = 1 + scale + digits as i32 + f64::from(times).abs().ln() as i32 + 8;
    let mut bits = times.unsigned_abs();
    let mut square = base.clone();
    let mut result = if bits & 1 == 1 { base.clone() } else { one.clone() };
    loop {
        bits >>= 1;
        if bits == 0 {
            break;
        }
        square = product(&square, &square, (significant - 8 * square.weight()).max(0));
        if bits & 1 == 1 {
            result = product(&square, &result, (significant - 4 * (square.weight() + result.weight())).max(0));
        }
        if square.exponent() >= MAX_DIGITS || result.exponent() >= MAX_DIGITS {
            return underflow(times > 0, scale);
        }
    }
    Ok(match times < 0 {
        true if result.is_zero() => return Err(Error::division_by_zero()),
        true => one.divide(&result, scale),
        false => result.round(scale),
    })
}

/// The logarithm of a number's size; 0 for zero.
fn log10(x: &Decimal) -> f64 {
    let (digits, weight) = x.base_10000();
    if digits.is_empty() {
        return 0.0;
    }
    let used = digits.len().min(4);
    let leading = digits[..used].iter().fold(0.0, |n, &d| n * 10_000.0 + f64::from(d));
    leading.log10() + f64::from((weight - used as i32 + 1) * 4)
}

/// Bits for so many decimal digits.
fn bits_of(digits: i32) -> u64 {
    (f64::from(digits) * LOG2_10) as u64 + 1
}

/// A number times `2^bits`, without what is behind the point then.
fn fixed(x: &Decimal, bits: u64) -> BigInt {
    (x.value.big() << bits) / power_of_ten(x.scale as u32).big()
}

/// A fixed-point number, times `2^exponent`, with `scale` digits after the point. What is less than a half by no more than
/// the inexact last `guard` bits counts as a half: numbers next to 0 or 1 have such results.
fn rounded(x: &BigInt, bits: u64, guard: u64, exponent: i64, scale: i32) -> Decimal {
    let nearby = x.magnitude() + (num_bigint::BigUint::from(1u32) << guard);
    let scaled = nearby * power_of_ten(scale as u32).big().magnitude();
    let shift = bits as i64 - exponent;
    let value = match shift > 0 {
        true => (scaled + (num_bigint::BigUint::from(1u32) << (shift - 1))) >> shift,
        false => scaled << -shift,
    };
    let value: Whole = value.into();
    Decimal { value: if x.sign() == Sign::Minus { value.negate() } else { value }, scale }
}

/// `atanh(1 / n)` in fixed point.
fn atanh_of_inverse(n: u32, bits: u64) -> BigInt {
    let mut power = (BigInt::from(1) << bits) / n;
    let mut sum = power.clone();
    for i in 1u32.. {
        power /= n * n;
        if power.sign() == Sign::NoSign {
            break;
        }
        sum += &power / (2 * i + 1);
    }
    sum
}

fn ln_2(bits: u64) -> BigInt {
    18 * atanh_of_inverse(26, bits) - 2 * atanh_of_inverse(4801, bits) + 8 * atanh_of_inverse(8749, bits)
}

/// The exponential with `scale` digits after the point.
fn exp_of(x: &Decimal, scale: i32) -> Result<Decimal> {
    let rough = x.to_f64();
    if rough.abs() >= MAX_RESULT_SCALE * 3.0 {
        return underflow(rough > 0.0, scale);
    }
    let digits = scale + (rough * LOG10_E) as i32;
    let bits = bits_of(digits.max(0) + 12) + 32;
    // e^x = 2^twos e^rest
    let twos = (rough * LOG2_E).round() as i64;
    let rest = fixed(x, bits) - twos * ln_2(bits);
    // A small rest has a short series: it is halved, and the result squared as often.
    let halvings = (bits as f64).sqrt() as u64 / 2 + 1;
    let guard = 2 * halvings + 8;
    let work = bits + guard;
    let part = (rest << guard) >> halvings;
    let one = BigInt::from(1) << work;
    let (mut sum, mut term) = (&one + &part, part.clone());
    for i in 2u32.. {
        term = ((term * &part) >> work) / i;
        // Shifting rounds down: a negative one ends at -1.
        if term.bits() <= 1 {
            break;
        }
        sum += &term;
    }
    for _ in 0..halvings {
        sum = (&sum * &sum) >> work;
    }
    Ok(rounded(&sum, work, guard + 24, twos, scale))
}

/// The logarithm of a positive number with `scale` digits after the point.
fn ln_of(x: &Decimal, scale: i32) -> Decimal {
    let bits = bits_of(scale + 8) + 64;
    let (value, unit) = (x.value.big(), power_of_ten(x.scale as u32).big());
    // x = 2^twos part, 0.75 <= part < 1.5
    let mut twos = value.bits() as i64 - unit.bits() as i64;
    let mut part = match bits as i64 - twos {
        shift @ 0.. => (value << shift) / unit,
        shift => value / (unit << -shift),
    };
    if part.bits() > bits && &part << 1u32 >= BigInt::from(3) << bits {
        part >>= 1;
        twos += 1;
    } else if &part << 2u32 < BigInt::from(3) << bits {
        part <<= 1;
        twos -= 1;
    }
    // Roots come near 1, where the series is short.
    let roots = (bits as f64).sqrt() as u64 / 4 + 3;
    let guard = roots + 8;
    let work = bits + guard;
    part <<= guard;
    for _ in 0..roots {
        part = (part << work).sqrt();
    }
    let one = BigInt::from(1) << work;
    let z = ((&part - &one) << work) / (part + one);
    let square = (&z * &z) >> work;
    let (mut sum, mut power) = (z.clone(), z);
    for i in 1u32.. {
        power = (power * &square) >> work;
        if power.bits() <= 1 {
            break;
        }
        sum += &power / (2 * i + 1);
    }
    let sum = (sum << (roots + 1)) + twos * ln_2(work);
    rounded(&sum, work, guard + 24, 0, scale)
}
