//! Mathematical functions of `double precision`. The last digits of most are the C library's, which
//! Rust's functions call; cube roots, error functions, gammas and inverse hyperbolic functions may differ in the last one.

use std::sync::LazyLock;

use error::sqlstate;

use super::arithmetic::{double, overflow, underflow};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

const RADIANS_PER_DEGREE: f64 = 0.017_453_292_519_943_295;

pub const FUNCTIONS: &[Function] = functions! {
    dround(float8) -> float8 = |x: f64| Result::Ok(x.round_ties_even());
    round(float8) -> float8 = |x: f64| Result::Ok(x.round_ties_even());
    ceil(float8) -> float8 = |x: f64| Result::Ok(x.ceil());
    ceiling(float8) -> float8 = |x: f64| Result::Ok(x.ceil());
    floor(float8) -> float8 = |x: f64| Result::Ok(x.floor());
    dtrunc(float8) -> float8 = |x: f64| Result::Ok(x.trunc());
    trunc(float8) -> float8 = |x: f64| Result::Ok(x.trunc());
    sign(float8) -> float8 = |x: f64| Result::Ok(if x > 0.0 { 1.0 } else if x < 0.0 { -1.0 } else { 0.0 });
    dsqrt(float8) -> float8 = sqrt;
    sqrt(float8) -> float8 = sqrt;
    dcbrt(float8) -> float8 = |x: f64| Result::Ok(x.cbrt());
    cbrt(float8) -> float8 = |x: f64| Result::Ok(x.cbrt());
    dexp(float8) -> float8 = |x: f64| within(x.exp(), x);
    exp(float8) -> float8 = |x: f64| within(x.exp(), x);
    dlog1(float8) -> float8 = |x| logarithm(x, f64::ln);
    ln(float8) -> float8 = |x| logarithm(x, f64::ln);
    dlog10(float8) -> float8 = |x| logarithm(x, f64::log10);
    log(float8) -> float8 = |x| logarithm(x, f64::log10);
    log10(float8) -> float8 = |x| logarithm(x, f64::log10);
    dpow(float8, float8) -> float8 = power;
    power(float8, float8) -> float8 = power;
    pow(float8, float8) -> float8 = power;
    pi() -> float8 = || Result::Ok(std::f64::consts::PI);
    degrees(float8) -> float8 = |x| double::divide(x, RADIANS_PER_DEGREE);
    radians(float8) -> float8 = |x| double::multiply(x, RADIANS_PER_DEGREE);
    sin(float8) -> float8 = |x: f64| Result::Ok(periodic(x)?.sin());
    cos(float8) -> float8 = |x: f64| Result::Ok(periodic(x)?.cos());
    tan(float8) -> float8 = |x: f64| Result::Ok(periodic(x)?.tan());
    cot(float8) -> float8 = |x: f64| Result::Ok(1.0 / periodic(x)?.tan());
    asin(float8) -> float8 = |x: f64| Result::Ok(ratio(x)?.asin());
    acos(float8) -> float8 = |x: f64| Result::Ok(ratio(x)?.acos());
    atan(float8) -> float8 = |x: f64| Result::Ok(x.atan());
    atan2(float8, float8) -> float8 = |y: f64, x| Result::Ok(y.atan2(x));
    sinh(float8) -> float8 = |x: f64| Result::Ok(x.sinh());
    cosh(float8) -> float8 = |x: f64| Result::Ok(x.cosh());
    tanh(float8) -> float8 = |x: f64| Result::Ok(x.tanh());
    asinh(float8) -> float8 = |x| Result::Ok(libm::asinh(x));
    acosh(float8) -> float8 = |x: f64| if x < 1.0 { Err(out_of_range()) } else { Result::Ok(libm::acosh(x)) };
    atanh(float8) -> float8 = |x| Result::Ok(libm::atanh(ratio(x)?));
    erf(float8) -> float8 = |x| Result::Ok(libm::erf(x));
    erfc(float8) -> float8 = |x| Result::Ok(libm::erfc(x));
    gamma(float8) -> float8 = gamma;
    lgamma(float8) -> float8 = |x: f64| match libm::lgamma(x) {
        result if result.is_infinite() && !x.is_infinite() => Err(overflow()),
        result => Result::Ok(result),
    };
    width_bucket(float8, float8, float8, int4) -> int4 = width_bucket;
};

pub const DEGREES: &[Function] = functions! {
    sind(float8) -> float8 = |x| Result::Ok(Quadrant::of(x)?.sine());
    cosd(float8) -> float8 = |x| Result::Ok(Quadrant::of(x)?.cosine());
    tand(float8) -> float8 = |x| Result::Ok(Quadrant::of(x)?.tangent());
    cotd(float8) -> float8 = |x| Result::Ok(Quadrant::of(x)?.cotangent());
    asind(float8) -> float8 = |x| Result::Ok(arc_sine(ratio(x)?.abs()).copysign(x));
    acosd(float8) -> float8 = |x| Result::Ok(match ratio(x)? {
        x if x >= 0.0 => arc_cosine(x),
        x => 90.0 + arc_sine(-x),
    });
    atand(float8) -> float8 = |x: f64| Result::Ok(x.atan() / UNITS.atan_1 * 45.0);
    atan2d(float8, float8) -> float8 = |y: f64, x| Result::Ok(y.atan2(x) / UNITS.atan_1 * 45.0);
};

fn out_of_range() -> Error {
    Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "input is out of range")
}

/// A result that must be finite and not zero where the argument is finite.
fn within(result: f64, x: f64) -> Result<f64> {
    if x.is_finite() && result.is_infinite() {
        return Err(overflow());
    }
    if x.is_finite() && result == 0.0 {
        return Err(underflow());
    }
    Ok(result)
}

fn sqrt(x: f64) -> Result<f64> {
    if x < 0.0 {
        return Err(Error::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "cannot take square root of a negative number",
        ));
    }
    Ok(x.sqrt())
}

fn logarithm(x: f64, of: fn(f64) -> f64) -> Result<f64> {
    if x == 0.0 {
        return Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of zero"));
    }
    if x < 0.0 {
        return Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_LOG, "cannot take logarithm of a negative number"));
    }
    Ok(of(x))
}

fn power(x: f64, y: f64) -> Result<f64> {
    // Of NaNs and infinities, C's function has the same rules.
    if x.is_nan() || y.is_nan() {
        return Ok(x.powf(y));
    }
    if x == 0.0 && y < 0.0 {
        return Err(Error::new(
            sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION,
            "zero raised to a negative power is undefined",
        ));
    }
    if x < 0.0 && y.floor() != y {
        let message = "a negative number raised to a non-integer power yields a complex result";
        return Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_POWER_FUNCTION, message));
    }
    let result = x.powf(y);
    if x.is_infinite() || y.is_infinite() {
        return Ok(result);
    }
    if result.is_infinite() {
        return Err(overflow());
    }
    if result == 0.0 && x != 0.0 {
        return Err(underflow());
    }
    Ok(result)
}

/// An angle, which must be finite.
fn periodic(x: f64) -> Result<f64> {
    if x.is_infinite() { Err(out_of_range()) } else { Ok(x) }
}

/// A number from -1 to 1.
fn ratio(x: f64) -> Result<f64> {
    if x.abs() > 1.0 { Err(out_of_range()) } else { Ok(x) }
}

fn gamma(x: f64) -> Result<f64> {
    if x.is_nan() || x == f64::INFINITY {
        return Ok(x);
    }
    if x == f64::NEG_INFINITY {
        return Err(overflow());
    }
    match libm::tgamma(x) {
        0.0 => Err(underflow()),
        result if result.is_finite() => Ok(result),
        _ => Err(overflow()),
    }
}

/// The bucket of `count` equal ones between two bounds in which the operand is.
fn width_bucket(operand: f64, low: f64, high: f64, count: i32) -> Result<i32> {
    let invalid = |message: &str| Err(Error::new(sqlstate::INVALID_ARGUMENT_FOR_WIDTH_BUCKET_FUNCTION, message));
    if count <= 0 {
        return invalid("count must be greater than zero");
    }
    if operand.is_nan() || low.is_nan() || high.is_nan() {
        return invalid("operand, lower bound, and upper bound cannot be NaN");
    }
    if low.is_infinite() || high.is_infinite() {
        return invalid("lower and upper bounds must be finite");
    }
    if low == high {
        return invalid("lower bound cannot equal upper bound");
    }
    // Falling bounds are rising ones of the opposite numbers.
    let (operand, low, high) = if low < high { (operand, low, high) } else { (-operand, -low, -high) };
    if operand < low {
        return Ok(0);
    }
    if operand >= high {
        return count.checked_add(1).ok_or_else(|| Error::out_of_range("integer"));
    }
    let part = match (high - low).is_infinite() {
        false => (operand - low) / (high - low),
        true => (operand / 2.0 - low / 2.0) / (high / 2.0 - low / 2.0),
    };
    // The quotient may have been rounded to 1.
    Ok(((f64::from(count) * part) as i32).min(count - 1) + 1)
}

/// What functions of degrees are divided by, so that they are exact where mathematics has exact results.
struct Units {
    sin_30: f64,
    one_minus_cos_60: f64,
    asin_half: f64,
    acos_half: f64,
    atan_1: f64,
    tan_45: f64,
    cot_45: f64,
}

static UNITS: LazyLock<Units> = LazyLock::new(|| {
    let mut units = Units {
        sin_30: (30.0 * RADIANS_PER_DEGREE).sin(),
        one_minus_cos_60: 1.0 - (60.0 * RADIANS_PER_DEGREE).cos(),
        asin_half: 0.5f64.asin(),
        acos_half: 0.5f64.acos(),
        atan_1: 1f64.atan(),
        tan_45: 1.0,
        cot_45: 1.0,
    };
    let (sine, cosine) = (units.sine(45.0), units.cosine(45.0));
    (units.tan_45, units.cot_45) = (sine / cosine, cosine / sine);
    units
});

impl Units {
    /// Of 0 to 30 degrees.
    fn small_sine(&self, x: f64) -> f64 {
        (x * RADIANS_PER_DEGREE).sin() / self.sin_30 / 2.0
    }

    /// Of 0 to 60 degrees.
    fn small_cosine(&self, x: f64) -> f64 {
        1.0 - (1.0 - (x * RADIANS_PER_DEGREE).cos()) / self.one_minus_cos_60 / 2.0
    }

    /// Of 0 to 90 degrees.
    fn sine(&self, x: f64) -> f64 {
        if x <= 30.0 { self.small_sine(x) } else { self.small_cosine(90.0 - x) }
    }

    /// Of 0 to 90 degrees.
    fn cosine(&self, x: f64) -> f64 {
        if x <= 60.0 { self.small_cosine(x) } else { self.small_sine(90.0 - x) }
    }
}

/// An angle as one of 0 to 90 degrees, and what folding it has done to the signs.
struct Quadrant {
    angle: f64,
    sine: f64,
    cosine: f64,
}

impl Quadrant {
    fn of(x: f64) -> Result<Quadrant> {
        let mut folded = Quadrant { angle: periodic(x)? % 360.0, sine: 1.0, cosine: 1.0 };
        if folded.angle < 0.0 {
            folded.angle = -folded.angle;
            folded.sine = -1.0;
        }
        if folded.angle > 180.0 {
            folded.angle = 360.0 - folded.angle;
            folded.sine = -folded.sine;
        }
        if folded.angle > 90.0 {
            folded.angle = 180.0 - folded.angle;
            folded.cosine = -1.0;
        }
        Ok(folded)
    }

    fn sine(&self) -> f64 {
        self.sine * UNITS.sine(self.angle)
    }

    fn cosine(&self) -> f64 {
        self.cosine * UNITS.cosine(self.angle)
    }

    // Zero is never negative.

    fn tangent(&self) -> f64 {
        let tangent = UNITS.sine(self.angle) / UNITS.cosine(self.angle);
        self.sine * self.cosine * (tangent / UNITS.tan_45) + 0.0
    }

    fn cotangent(&self) -> f64 {
        let cotangent = UNITS.cosine(self.angle) / UNITS.sine(self.angle);
        self.sine * self.cosine * (cotangent / UNITS.cot_45) + 0.0
    }
}

/// In degrees, of 0 to 1. At one half both branches give 30, so that the result rises steadily.
fn arc_sine(x: f64) -> f64 {
    match x <= 0.5 {
        true => x.asin() / UNITS.asin_half * 30.0,
        false => 90.0 - x.acos() / UNITS.acos_half * 60.0,
    }
}

/// In degrees, of 0 to 1.
fn arc_cosine(x: f64) -> f64 {
    match x <= 0.5 {
        true => 90.0 - x.asin() / UNITS.asin_half * 30.0,
        false => x.acos() / UNITS.acos_half * 60.0,
    }
}
