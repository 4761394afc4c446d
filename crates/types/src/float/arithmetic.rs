//! Operators, comparisons and casts of `real` and `double precision`. NaN equals itself and is greater than everything else.

use std::cmp::Ordering;

use error::sqlstate;

use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

/// A floating-point number.
pub trait Float: Copy + PartialOrd + std::fmt::LowerExp + std::str::FromStr {
    /// What PostgreSQL calls the type.
    const TITLE: &str;
    /// Decimal digits that the type keeps of any number (`FLT_DIG`, `DBL_DIG`).
    const DIGITS: i32;
    /// Bits of the fraction, and the power of two of its last bit in the smallest number.
    const FRACTION_BITS: u32;
    const LEAST_EXPONENT: i32;

    fn from_f64(value: f64) -> Self;
    fn to_f64(self) -> f64;
    /// The bits of the fraction, with the first one that is not kept, and the power of two of the last one.
    fn parts(self) -> (u64, i32);
}

impl Float for f32 {
    const TITLE: &str = "real";
    const DIGITS: i32 = 6;
    const FRACTION_BITS: u32 = 24;
    const LEAST_EXPONENT: i32 = -149;

    fn from_f64(value: f64) -> f32 {
        value as f32
    }
    fn to_f64(self) -> f64 {
        self.into()
    }
    fn parts(self) -> (u64, i32) {
        let bits = self.to_bits();
        let (exponent, fraction) = ((bits >> 23 & 0xff) as i32, u64::from(bits & 0x7f_ffff));
        if exponent == 0 { (fraction, -149) } else { (fraction | 1 << 23, exponent - 150) }
    }
}

impl Float for f64 {
    const TITLE: &str = "double precision";
    const DIGITS: i32 = 15;
    const FRACTION_BITS: u32 = 53;
    const LEAST_EXPONENT: i32 = -1074;

    fn from_f64(value: f64) -> f64 {
        value
    }
    fn to_f64(self) -> f64 {
        self
    }
    fn parts(self) -> (u64, i32) {
        let bits = self.to_bits();
        let (exponent, fraction) = ((bits >> 52 & 0x7ff) as i32, bits & ((1 << 52) - 1));
        if exponent == 0 { (fraction, -1074) } else { (fraction | 1 << 52, exponent - 1075) }
    }
}

pub fn overflow() -> Error {
    Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: overflow")
}

pub fn underflow() -> Error {
    Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value out of range: underflow")
}

#[inline]
pub fn compare(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

/// A result that must not be infinite unless an operand is, nor zero where `nonzero`.
#[inline]
fn checked<F: Float>(result: F, infinite: bool, nonzero: bool) -> Result<F> {
    let value = result.to_f64();
    if value.is_infinite() && !infinite {
        return Err(overflow());
    }
    if value == 0.0 && nonzero {
        return Err(underflow());
    }
    Ok(result)
}

/// The arithmetic of a type. It is done in the type itself: a result of single precision is rounded once.
macro_rules! arithmetic {
    ($module:ident, $rust:ty) => {
        pub mod $module {
            use super::*;

            #[inline]
            pub fn add(a: $rust, b: $rust) -> Result<$rust> {
                checked(a + b, a.is_infinite() || b.is_infinite(), false)
            }

            #[inline]
            pub fn subtract(a: $rust, b: $rust) -> Result<$rust> {
                checked(a - b, a.is_infinite() || b.is_infinite(), false)
            }

            #[inline]
            pub fn multiply(a: $rust, b: $rust) -> Result<$rust> {
                checked(a * b, a.is_infinite() || b.is_infinite(), a != 0.0 && b != 0.0)
            }

            #[inline]
            pub fn divide(a: $rust, b: $rust) -> Result<$rust> {
                if b == 0.0 && !a.is_nan() {
                    return Err(Error::division_by_zero());
                }
                checked(a / b, a.is_infinite(), a != 0.0 && !b.is_infinite())
            }
        }
    };
}

arithmetic!(single, f32);
arithmetic!(double, f64);

/// What there is between two types: comparisons, and arithmetic in the wider one.
macro_rules! between {
    ($list:ident, $a:ident, $b:ident, $wide:ident, $rust:ty, $module:ident;
     $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident $cmp:ident $pl:ident $mi:ident $mul:ident $div:ident;
     $($more:tt)*) => {
        pub const $list: &[Function] = functions! {
            $eq($a, $b) -> boolean = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)).is_eq());
            $ne($a, $b) -> boolean = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)).is_ne());
            $lt($a, $b) -> boolean = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)).is_lt());
            $le($a, $b) -> boolean = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)).is_le());
            $gt($a, $b) -> boolean = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)).is_gt());
            $ge($a, $b) -> boolean = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)).is_ge());
            $cmp($a, $b) -> int4 = |a, b| Result::Ok(compare(f64::from(a), f64::from(b)) as i32);
            $pl($a, $b) -> $wide = |a, b| $module::add(<$rust>::from(a), <$rust>::from(b));
            $mi($a, $b) -> $wide = |a, b| $module::subtract(<$rust>::from(a), <$rust>::from(b));
            $mul($a, $b) -> $wide = |a, b| $module::multiply(<$rust>::from(a), <$rust>::from(b));
            $div($a, $b) -> $wide = |a, b| $module::divide(<$rust>::from(a), <$rust>::from(b));
            $($more)*
        };
    };
}

between! {
    OF_FOUR, float4, float4, float4, f32, single;
    float4eq float4ne float4lt float4le float4gt float4ge btfloat4cmp float4pl float4mi float4mul float4div;
    float4larger(float4, float4) -> float4 =
        |a: f32, b: f32| Result::Ok(if compare(a.into(), b.into()).is_gt() { a } else { b });
    float4smaller(float4, float4) -> float4 =
        |a: f32, b: f32| Result::Ok(if compare(a.into(), b.into()).is_lt() { a } else { b });
    float4um(float4) -> float4 = |a: f32| Result::Ok(-a);
    float4up(float4) -> float4 = |a: f32| Result::Ok(a);
    float4abs(float4) -> float4 = |a: f32| Result::Ok(a.abs());
    abs(float4) -> float4 = |a: f32| Result::Ok(a.abs());
    in_range(float4, float4, float8, boolean, boolean) -> boolean =
        |value: f32, base: f32, offset, before, less| in_range(value.into(), base.into(), offset, before, less);
}

between! {
    OF_EIGHT, float8, float8, float8, f64, double;
    float8eq float8ne float8lt float8le float8gt float8ge btfloat8cmp float8pl float8mi float8mul float8div;
    float8larger(float8, float8) -> float8 = |a, b| Result::Ok(if compare(a, b).is_gt() { a } else { b });
    float8smaller(float8, float8) -> float8 = |a, b| Result::Ok(if compare(a, b).is_lt() { a } else { b });
    float8um(float8) -> float8 = |a: f64| Result::Ok(-a);
    float8up(float8) -> float8 = |a: f64| Result::Ok(a);
    float8abs(float8) -> float8 = |a: f64| Result::Ok(a.abs());
    abs(float8) -> float8 = |a: f64| Result::Ok(a.abs());
    in_range(float8, float8, float8, boolean, boolean) -> boolean = in_range;
}

between! {
    FOUR_AND_EIGHT, float4, float8, float8, f64, double;
    float48eq float48ne float48lt float48le float48gt float48ge btfloat48cmp float48pl float48mi float48mul float48div;
}

between! {
    EIGHT_AND_FOUR, float8, float4, float8, f64, double;
    float84eq float84ne float84lt float84le float84gt float84ge btfloat84cmp float84pl float84mi float84mul float84div;
}

pub const CASTS: &[Function] = functions! {
    float4(int2) -> float4 = |a: i16| Result::Ok(f32::from(a));
    float4(int4) -> float4 = |a: i32| Result::Ok(a as f32);
    float4(int8) -> float4 = |a: i64| Result::Ok(a as f32);
    float4(float8) -> float4 = |a: f64| checked(a as f32, a.is_infinite(), a != 0.0);
    float8(int2) -> float8 = |a: i16| Result::Ok(f64::from(a));
    float8(int4) -> float8 = |a: i32| Result::Ok(f64::from(a));
    float8(int8) -> float8 = |a: i64| Result::Ok(a as f64);
    float8(float4) -> float8 = |a: f32| Result::Ok(f64::from(a));
    int2(float4) -> int2 = |a: f32| Result::Ok(whole(a.into(), 15, "smallint")? as i16);
    int4(float4) -> int4 = |a: f32| Result::Ok(whole(a.into(), 31, "integer")? as i32);
    int8(float4) -> int8 = |a: f32| whole(a.into(), 63, "bigint");
    int2(float8) -> int2 = |a| Result::Ok(whole(a, 15, "smallint")? as i16);
    int4(float8) -> int4 = |a| Result::Ok(whole(a, 31, "integer")? as i32);
    int8(float8) -> int8 = |a| whole(a, 63, "bigint");
};

/// Rounded, halves to even, to a number of so many bits and a sign.
fn whole(value: f64, bits: i32, title: &str) -> Result<i64> {
    let (rounded, beyond) = (value.round_ties_even(), 2f64.powi(bits));
    if rounded >= -beyond && rounded < beyond { Ok(rounded as i64) } else { Err(Error::out_of_range(title)) }
}

/// Whether a value is within a window frame that goes as far as `offset` from `base`.
fn in_range(value: f64, base: f64, offset: f64, before: bool, less: bool) -> Result<bool> {
    if offset.is_nan() || offset < 0.0 {
        return Err(Error::new(
            sqlstate::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
            "invalid preceding or following size in window function",
        ));
    }
    if value.is_nan() || base.is_nan() {
        return Ok(if less { base.is_nan() } else { value.is_nan() });
    }
    let limit = if before { base - offset } else { base + offset };
    // Infinity an infinity away from the other one: all values are taken to be within.
    Ok(limit.is_nan() || if less { value <= limit } else { value >= limit })
}
