//! The functions of `numeric`.

use error::sqlstate;

use super::value::{Decimal, MAX_DIGITS, MAX_SCALE, Numeric, overflow};
use super::whole::Whole;
use super::{math, numeric, numeric_key};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[&[Function]] = &[COMPARISONS, ARITHMETIC, ROUNDING, MATH, CASTS];

const COMPARISONS: &[Function] = functions! {
    numeric_eq(numeric_key, numeric_key) -> boolean = |a, b| Result::Ok(a == b);
    numeric_ne(numeric_key, numeric_key) -> boolean = |a, b| Result::Ok(a != b);
    numeric_lt(numeric_key, numeric_key) -> boolean = |a, b| Result::Ok(a < b);
    numeric_le(numeric_key, numeric_key) -> boolean = |a, b| Result::Ok(a <= b);
    numeric_gt(numeric_key, numeric_key) -> boolean = |a, b| Result::Ok(a > b);
    numeric_ge(numeric_key, numeric_key) -> boolean = |a, b| Result::Ok(a >= b);
    numeric_cmp(numeric_key, numeric_key) -> int4 = |a: &[u8], b: &[u8]| Result::Ok(a.cmp(b) as i32);
    // Of equal ones the second one, which may show other digits.
    numeric_larger(numeric, numeric) -> numeric = |a, b| Result::Ok(if a > b { a } else { b });
    numeric_smaller(numeric, numeric) -> numeric = |a, b| Result::Ok(if a < b { a } else { b });
    in_range(numeric, numeric, numeric, boolean, boolean) -> boolean = in_range;
};

const ARITHMETIC: &[Function] = functions! {
    numeric_add(numeric, numeric) -> numeric = |a: Numeric, b| a.add(&b);
    numeric_sub(numeric, numeric) -> numeric = |a: Numeric, b| a.subtract(&b);
    numeric_mul(numeric, numeric) -> numeric = |a: Numeric, b| a.multiply(&b);
    numeric_div(numeric, numeric) -> numeric = |a: Numeric, b| a.divide(&b);
    numeric_div_trunc(numeric, numeric) -> numeric = |a: Numeric, b| a.divide_whole(&b);
    div(numeric, numeric) -> numeric = |a: Numeric, b| a.divide_whole(&b);
    numeric_mod(numeric, numeric) -> numeric = |a: Numeric, b| a.remainder(&b);
    mod(numeric, numeric) -> numeric = |a: Numeric, b| a.remainder(&b);
    numeric_inc(numeric) -> numeric = |a: Numeric| a.add(&Numeric::from(1));
    numeric_uplus(numeric) -> numeric = |a: Numeric| Result::Ok(a);
    numeric_uminus(numeric) -> numeric = |a: Numeric| Result::Ok(a.negate());
    numeric_abs(numeric) -> numeric = |a: Numeric| Result::Ok(a.abs());
    abs(numeric) -> numeric = |a: Numeric| Result::Ok(a.abs());
    sign(numeric) -> numeric = |a: Numeric| Result::Ok(sign(a));
    gcd(numeric, numeric) -> numeric = gcd;
    lcm(numeric, numeric) -> numeric = lcm;
    factorial(int8) -> numeric = factorial;
    width_bucket(numeric, numeric, numeric, int4) -> int4 = width_bucket;
};

const ROUNDING: &[Function] = functions! {
    ceil(numeric) -> numeric = |a: Numeric| a.map(Decimal::ceil);
    ceiling(numeric) -> numeric = |a: Numeric| a.map(Decimal::ceil);
    floor(numeric) -> numeric = |a: Numeric| a.map(Decimal::floor);
    round(numeric) -> numeric = |a: Numeric| a.map(|d| d.round(0));
    round(numeric, int4) -> numeric = |a: Numeric, scale| a.map(|d| d.round(bounded(scale)));
    trunc(numeric) -> numeric = |a: Numeric| a.map(|d| d.truncate(0));
    trunc(numeric, int4) -> numeric = |a: Numeric, scale| a.map(|d| d.truncate(bounded(scale)));
    scale(numeric) -> Option<int4> = |a| Result::Ok(finite(&a).map(|d| d.scale));
    min_scale(numeric) -> Option<int4> = |a| Result::Ok(finite(&a).map(|d| d.trimmed().scale));
    trim_scale(numeric) -> numeric = |a: Numeric| a.map(Decimal::trimmed);
    numeric(numeric, int4) -> numeric = |a: Numeric, typmod| a.fit(typmod);
};

const MATH: &[Function] = functions! {
    numeric_sqrt(numeric) -> numeric = math::sqrt;
    sqrt(numeric) -> numeric = math::sqrt;
    numeric_exp(numeric) -> numeric = math::exp;
    exp(numeric) -> numeric = math::exp;
    numeric_ln(numeric) -> numeric = math::ln;
    ln(numeric) -> numeric = math::ln;
    numeric_log(numeric, numeric) -> numeric = math::log;
    log(numeric, numeric) -> numeric = math::log;
    log(numeric) -> numeric = |a| math::log(Numeric::from(10), a);
    log10(numeric) -> numeric = |a| math::log(Numeric::from(10), a);
    numeric_power(numeric, numeric) -> numeric = math::power;
    power(numeric, numeric) -> numeric = math::power;
    pow(numeric, numeric) -> numeric = math::power;
};

const CASTS: &[Function] = functions! {
    numeric(int2) -> numeric = |a: i16| Result::Ok(Numeric::from(i64::from(a)));
    numeric(int4) -> numeric = |a: i32| Result::Ok(Numeric::from(i64::from(a)));
    numeric(int8) -> numeric = |a: i64| Result::Ok(Numeric::from(a));
    numeric(float4) -> numeric = |a: f32| from_float(a.into(), 6);
    numeric(float8) -> numeric = |a: f64| from_float(a, 15);
    int2(numeric) -> int2 = |a| whole(a, "smallint");
    int4(numeric) -> int4 = |a| whole(a, "integer");
    int8(numeric) -> int8 = |a| whole(a, "bigint");
    float4(numeric) -> float4 = to_float4;
    float8(numeric) -> float8 = to_float8;
};

fn finite(value: &Numeric) -> Option<&Decimal> {
    match value {
        Numeric::Finite(decimal) => Some(decimal),
        _ => None,
    }
}

/// Places to round to that make a difference.
fn bounded(scale: i32) -> i32 {
    scale.clamp(-MAX_DIGITS - 1, MAX_SCALE)
}

fn sign(value: Numeric) -> Numeric {
    if value.is_nan() { value } else { Numeric::from(i64::from(value.signum())) }
}

/// Whether a value is within a window frame that goes as far as `offset` from `base`.
fn in_range(value: Numeric, base: Numeric, offset: Numeric, before: bool, less: bool) -> Result<bool> {
    if offset.is_nan() || offset.signum() < 0 {
        return Err(Error::new(
            sqlstate::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
            "invalid preceding or following size in window function",
        ));
    }
    if value.is_nan() || base.is_nan() {
        return Ok(if less { base.is_nan() } else { value.is_nan() });
    }
    let limit = if before { base.subtract(&offset) } else { base.add(&offset) }?;
    // Infinity an infinity away from the other one: all values are taken to be within.
    Ok(limit.is_nan() || if less { value <= limit } else { value >= limit })
}

fn gcd(a: Numeric, b: Numeric) -> Result<Numeric> {
    let (Some(x), Some(y)) = (finite(&a), finite(&b)) else { return Ok(Numeric::NaN) };
    Numeric::finite(divisor(x, y))
}

/// The greatest common divisor.
fn divisor(a: &Decimal, b: &Decimal) -> Decimal {
    let scale = a.scale.max(b.scale);
    let (mut a, mut b) = (a.round(scale).value.abs(), b.round(scale).value.abs());
    while !b.is_zero() {
        let rest = a.divide(&b).1;
        (a, b) = (b, rest);
    }
    Decimal { value: a, scale }
}

fn lcm(a: Numeric, b: Numeric) -> Result<Numeric> {
    let (Some(x), Some(y)) = (finite(&a), finite(&b)) else { return Ok(Numeric::NaN) };
    let scale = x.scale.max(y.scale);
    if x.is_zero() || y.is_zero() {
        return Ok(Numeric::Finite(Decimal { value: Whole::ZERO, scale }));
    }
    let (x, y, divisor) = (x.round(scale).value, y.round(scale).value, divisor(x, y).value);
    let value = x.divide(&divisor).0.multiply(&y).abs();
    Numeric::finite(Decimal { value, scale })
}

fn factorial(n: i64) -> Result<Numeric> {
    if n < 0 {
        return Err(Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "factorial of a negative number is undefined"));
    }
    // The factorial of the next number has too many digits.
    if n > 32_177 {
        return Err(overflow());
    }
    let mut product = Whole::Small(1);
    // Factors are gathered while they fit a machine's word.
    let mut factor = 1i64;
    for i in 2..=n {
        factor = factor.checked_mul(i).unwrap_or_else(|| {
            product = product.multiply(&Whole::from(factor));
            i
        });
    }
    Numeric::finite(Decimal { value: product.multiply(&Whole::from(factor)), scale: 0 })
}

/// The bucket of `count` equal ones between two bounds in which the operand is.
fn width_bucket(operand: Numeric, low: Numeric, high: Numeric, count: i32) -> Result<i32> {
    let invalid = |message: &str| Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, message));
    if count <= 0 {
        return invalid("count must be greater than zero");
    }
    if operand.is_nan() || low.is_nan() || high.is_nan() {
        return invalid("operand, lower bound, and upper bound cannot be NaN");
    }
    let (Some(first), Some(last)) = (finite(&low), finite(&high)) else {
        return invalid("lower and upper bounds must be finite");
    };
    if low == high {
        return invalid("lower bound cannot equal upper bound");
    }
    let rising = low < high;
    let outside = |bound: &Numeric, below: bool| if below == rising { operand < *bound } else { operand > *bound };
    if outside(&low, true) {
        return Ok(0);
    }
    if outside(&high, false) || operand == high {
        return count.checked_add(1).ok_or_else(|| Error::out_of_range("integer"));
    }
    let Some(operand) = finite(&operand) else { return Ok(0) };
    let part = operand.subtract(first).multiply(&Decimal::whole(i64::from(count)));
    let bucket = part.divide_whole(&last.subtract(first)).value.to_i64().unwrap_or(0);
    Ok(bucket as i32 + 1)
}

/// As many digits of a float as its type keeps of any decimal number.
pub fn from_float(value: f64, digits: usize) -> Result<Numeric> {
    if value.is_nan() {
        return Ok(Numeric::NaN);
    }
    if value.is_infinite() {
        return Ok(if value > 0.0 { Numeric::Infinity } else { Numeric::NegativeInfinity });
    }
    let text = format!("{value:.*e}", digits - 1);
    let Numeric::Finite(decimal) = super::text::parse(&text)? else { return Ok(Numeric::NaN) };
    // What `%g` writes has no zeros at its end.
    Ok(Numeric::Finite(decimal.trimmed()))
}

pub fn whole<T: TryFrom<i64>>(value: Numeric, title: &str) -> Result<T> {
    let Numeric::Finite(decimal) = value else {
        let what = if value.is_nan() { "NaN" } else { "infinity" };
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("cannot convert {what} to {title}")));
    };
    let rounded = decimal.round(0).value.to_i64().and_then(|v| T::try_from(v).ok());
    rounded.ok_or_else(|| Error::out_of_range(title))
}

pub fn to_float8(value: Numeric) -> Result<f64> {
    match &value {
        Numeric::NaN => Ok(f64::NAN),
        Numeric::Infinity => Ok(f64::INFINITY),
        Numeric::NegativeInfinity => Ok(f64::NEG_INFINITY),
        Numeric::Finite(decimal) => match decimal.to_f64() {
            float if float.is_infinite() || (float == 0.0 && !decimal.is_zero()) => Err(Error::new(
                sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("\"{value}\" is out of range for type double precision"),
            )),
            float => Ok(float),
        },
    }
}

pub fn to_float4(value: Numeric) -> Result<f32> {
    match &value {
        Numeric::NaN => Ok(f32::NAN),
        Numeric::Infinity => Ok(f32::INFINITY),
        Numeric::NegativeInfinity => Ok(f32::NEG_INFINITY),
        Numeric::Finite(decimal) => match decimal.to_string().parse::<f32>() {
            Ok(float) if float.is_finite() && (float != 0.0 || decimal.is_zero()) => Ok(float),
            _ => Err(Error::new(
                sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("\"{value}\" is out of range for type real"),
            )),
        },
    }
}
