//! A `numeric` in Rust, and arithmetic with it by `numeric.c`'s rules of how many digits a result shows.

use std::cmp::Ordering;
use std::fmt;

use super::whole::{Whole, small_power};
use crate::error::{Error, Result};

/// Digits after the point that a value may show, and digits that it may have in front of the point.
pub const MAX_SCALE: i32 = 16_383;
pub const MAX_DIGITS: i32 = 131_072;

/// Digits after the point that a quotient, a root … shows at most (`NUMERIC_MAX_DISPLAY_SCALE`).
pub const MAX_DISPLAY_SCALE: i32 = 1000;

/// Digits that such a result has at least (`NUMERIC_MIN_SIG_DIGITS`).
pub const MIN_SIGNIFICANT: i32 = 16;

/// `value / 10^scale`, shown with `scale` digits after the point.
#[derive(Clone, Debug)]
pub struct Decimal {
    pub value: Whole,
    /// Never negative.
    pub scale: i32,
}

#[derive(Clone, Debug)]
pub enum Numeric {
    NegativeInfinity,
    Finite(Decimal),
    Infinity,
    NaN,
}

use Numeric::{Finite, Infinity, NaN, NegativeInfinity};
use error::sqlstate;

pub fn overflow() -> Error {
    Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "value overflows numeric format")
}

impl Decimal {
    pub const ZERO: Decimal = Decimal { value: Whole::ZERO, scale: 0 };

    pub fn whole(value: impl Into<Whole>) -> Decimal {
        Decimal { value: value.into(), scale: 0 }
    }

    pub fn is_zero(&self) -> bool {
        self.value.is_zero()
    }

    /// The value times `10^scale`, for a scale that is no smaller than its own.
    #[inline]
    fn at_scale(&self, scale: i32) -> Whole {
        self.value.shift((scale - self.scale) as u32)
    }

    /// With this many digits after the point, rounding half away from zero; a negative number rounds before the point.
    pub fn round(&self, scale: i32) -> Decimal {
        self.rescaled(scale, Whole::divide_rounded)
    }

    /// As [`Decimal::round`], towards zero.
    pub fn truncate(&self, scale: i32) -> Decimal {
        self.rescaled(scale, |value, by| value.divide(by).0)
    }

    fn rescaled(&self, scale: i32, divide: impl Fn(&Whole, &Whole) -> Whole) -> Decimal {
        if scale >= self.scale {
            return Decimal { value: self.at_scale(scale), scale };
        }
        let cut = (self.scale - scale) as u32;
        // Less than a tenth of the last place: also keeps the power of ten in bounds.
        if cut > self.value.digits() {
            return Decimal { value: Whole::ZERO, scale: scale.max(0) };
        }
        let value = divide(&self.value, &super::whole::power_of_ten(cut));
        if scale >= 0 { Decimal { value, scale } } else { Decimal { value: value.shift(-scale as u32), scale: 0 } }
    }

    pub fn floor(&self) -> Decimal {
        let whole = self.truncate(0);
        if self.value.is_negative() && whole != *self {
            return Decimal { value: whole.value.subtract(&Whole::Small(1)), scale: 0 };
        }
        whole
    }

    pub fn negate(self) -> Decimal {
        Decimal { value: self.value.negate(), scale: self.scale }
    }

    pub fn abs(self) -> Decimal {
        Decimal { value: self.value.abs(), scale: self.scale }
    }

    pub fn ceil(&self) -> Decimal {
        self.clone().negate().floor().negate()
    }

    pub fn is_integral(&self) -> bool {
        self.trimmed().scale == 0
    }

    /// Without the zeros at its end that are behind the point.
    pub fn trimmed(&self) -> Decimal {
        let mut trimmed = self.clone();
        if self.is_zero() {
            return Decimal::ZERO;
        }
        // Halving steps: a number of many digits is divided a few times only.
        let mut step = 1 << (31 - self.scale.max(1).leading_zeros());
        while step > 0 {
            while step <= trimmed.scale {
                let (value, rest) = trimmed.value.divide(&super::whole::power_of_ten(step as u32));
                if !rest.is_zero() {
                    break;
                }
                trimmed = Decimal { value, scale: trimmed.scale - step };
            }
            step /= 2;
        }
        trimmed
    }

    #[inline]
    fn aligned(&self, other: &Decimal) -> (Whole, Whole, i32) {
        let scale = self.scale.max(other.scale);
        (self.at_scale(scale), other.at_scale(scale), scale)
    }

    #[inline]
    pub fn add(&self, other: &Decimal) -> Decimal {
        if self.scale == other.scale {
            return Decimal { value: self.value.add(&other.value), scale: self.scale };
        }
        let (a, b, scale) = self.aligned(other);
        Decimal { value: a.add(&b), scale }
    }

    #[inline]
    pub fn subtract(&self, other: &Decimal) -> Decimal {
        if self.scale == other.scale {
            return Decimal { value: self.value.subtract(&other.value), scale: self.scale };
        }
        let (a, b, scale) = self.aligned(other);
        Decimal { value: a.subtract(&b), scale }
    }

    /// All digits of the product.
    #[inline]
    pub fn multiply(&self, other: &Decimal) -> Decimal {
        Decimal { value: self.value.multiply(&other.value), scale: self.scale + other.scale }
    }

    /// The quotient with `scale` digits after the point, rounded. The divisor is not zero.
    pub fn divide(&self, other: &Decimal, scale: i32) -> Decimal {
        let value = self.quotient(other, scale, Whole::divide_rounded);
        Decimal { value, scale }
    }

    /// The quotient without its fraction. The divisor is not zero.
    pub fn divide_whole(&self, other: &Decimal) -> Decimal {
        Decimal { value: self.quotient(other, 0, |a, b| a.divide(b).0), scale: 0 }
    }

    fn quotient(&self, other: &Decimal, scale: i32, divide: impl Fn(&Whole, &Whole) -> Whole) -> Whole {
        let shift = scale + other.scale - self.scale;
        match shift >= 0 {
            true => divide(&self.value.shift(shift as u32), &other.value),
            false => divide(&self.value, &other.value.shift(-shift as u32)),
        }
    }

    /// What division leaves, with the dividend's sign. The divisor is not zero.
    pub fn remainder(&self, other: &Decimal) -> Decimal {
        let (a, b, scale) = self.aligned(other);
        Decimal { value: a.divide(&b).1, scale }
    }

    /// The power of ten of the first digit; 0 for zero.
    pub fn exponent(&self) -> i32 {
        if self.is_zero() { 0 } else { self.value.digits() as i32 - 1 - self.scale }
    }

    /// `numeric.c` has digits of base 10000: the first one's power of that, and itself.
    pub fn first_digit(&self) -> (i32, i32) {
        if self.is_zero() {
            return (0, 0);
        }
        let digits = self.value.digits() as i32;
        let exponent = digits - 1 - self.scale;
        let weight = exponent.div_euclid(4);
        // The first digit is of 1 to 4 decimal digits.
        let wanted = exponent - 4 * weight + 1;
        let first = match wanted <= digits {
            true => self.value.divide(&super::whole::power_of_ten((digits - wanted) as u32)).0,
            false => self.value.shift((wanted - digits) as u32),
        };
        (weight, first.abs().to_i64().map_or(0, |d| d as i32))
    }

    /// The power of 10000 of the first digit in that base.
    pub fn weight(&self) -> i32 {
        self.exponent().div_euclid(4)
    }

    /// `select_div_scale`: at least 16 digits, and no fewer after the point than the operands have.
    pub fn quotient_scale(&self, other: &Decimal) -> i32 {
        let ((weight1, first1), (weight2, first2)) = (self.first_digit(), other.first_digit());
        let weight = weight1 - weight2 - i32::from(first1 <= first2);
        (MIN_SIGNIFICANT - weight * 4).max(self.scale).max(other.scale).clamp(0, MAX_DISPLAY_SCALE)
    }

    /// The nearest double; infinite or zero where there is none.
    pub fn to_f64(&self) -> f64 {
        // Both are exact, so the quotient is rounded once.
        if let Whole::Small(value) = self.value
            && value.unsigned_abs() <= 1 << 53
            && self.scale <= 22
        {
            return value as f64 / small_power(self.scale as u32).expect("a small power") as f64;
        }
        self.to_string().parse().expect("a number's text is a double's")
    }

    /// The digits in base 10000, first one first, without zeros around them, and the first one's power.
    pub fn base_10000(&self) -> (Vec<u16>, i32) {
        if self.is_zero() {
            return (Vec::new(), 0);
        }
        let mut text = Vec::new();
        self.value.write_magnitude(&mut text);
        let exponent = text.len() as i32 - 1 - self.scale;
        let weight = exponent.div_euclid(4);
        let first = (exponent - 4 * weight + 1) as usize;
        let number = |digits: &[u8], length: usize| {
            (0..length).fold(0, |n, i| n * 10 + u16::from(digits.get(i).map_or(0, |d| d - b'0')))
        };
        let mut digits = vec![number(&text, first)];
        digits.extend(text.get(first..).unwrap_or(&[]).chunks(4).map(|four| number(four, 4)));
        let used = digits.iter().rposition(|&d| d != 0).map_or(0, |last| last + 1);
        digits.truncate(used);
        (digits, weight)
    }
}

impl PartialEq for Decimal {
    fn eq(&self, other: &Decimal) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Decimal {}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Decimal) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Decimal) -> Ordering {
        if self.scale == other.scale {
            return self.value.cmp(&other.value);
        }
        let (a, b, _) = self.aligned(other);
        a.cmp(&b)
    }
}

/// NaN equals itself and is greater than everything else.
impl Ord for Numeric {
    fn cmp(&self, other: &Numeric) -> Ordering {
        let rank = |n: &Numeric| match n {
            NegativeInfinity => 0,
            Finite(_) => 1,
            Infinity => 2,
            NaN => 3,
        };
        match (self, other) {
            (Finite(a), Finite(b)) => a.cmp(b),
            _ => rank(self).cmp(&rank(other)),
        }
    }
}

impl PartialOrd for Numeric {
    fn partial_cmp(&self, other: &Numeric) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Numeric {
    fn eq(&self, other: &Numeric) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Numeric {}

impl From<i64> for Numeric {
    fn from(value: i64) -> Numeric {
        Finite(Decimal::whole(value))
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        super::text::write_decimal(self, &mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NegativeInfinity => f.write_str("-Infinity"),
            Finite(decimal) => decimal.fmt(f),
            Infinity => f.write_str("Infinity"),
            NaN => f.write_str("NaN"),
        }
    }
}

impl Numeric {
    /// A result, unless the format has no room for it.
    #[inline]
    pub fn finite(decimal: Decimal) -> Result<Numeric> {
        let fits = match &decimal.value {
            Whole::Small(_) => decimal.scale <= MAX_SCALE,
            Whole::Large(_) => decimal.scale <= MAX_SCALE && decimal.exponent() < MAX_DIGITS,
        };
        if fits { Ok(Finite(decimal)) } else { Err(overflow()) }
    }

    /// Finite numbers by `exact`, others as in floating point, where only the sign of a finite operand counts.
    #[inline]
    fn combine(
        &self,
        other: &Numeric,
        exact: impl Fn(&Decimal, &Decimal) -> Decimal,
        special: impl Fn(f64, f64) -> f64,
    ) -> Result<Numeric> {
        match (self, other) {
            (Finite(a), Finite(b)) => Numeric::finite(exact(a, b)),
            _ => Ok(match special(self.sign_or_special(), other.sign_or_special()) {
                result if result.is_nan() => NaN,
                f64::INFINITY => Infinity,
                f64::NEG_INFINITY => NegativeInfinity,
                _ => Numeric::from(0),
            }),
        }
    }

    fn sign_or_special(&self) -> f64 {
        match self {
            Infinity => f64::INFINITY,
            NegativeInfinity => f64::NEG_INFINITY,
            NaN => f64::NAN,
            Finite(_) => self.signum().into(),
        }
    }

    #[inline]
    pub fn add(&self, other: &Numeric) -> Result<Numeric> {
        self.combine(other, Decimal::add, |a, b| a + b)
    }

    #[inline]
    pub fn subtract(&self, other: &Numeric) -> Result<Numeric> {
        self.combine(other, Decimal::subtract, |a, b| a - b)
    }

    #[inline]
    pub fn multiply(&self, other: &Numeric) -> Result<Numeric> {
        let exact = |a: &Decimal, b: &Decimal| match a.multiply(b) {
            product if product.scale > MAX_SCALE => product.round(MAX_SCALE),
            product => product,
        };
        self.combine(other, exact, |a, b| a * b)
    }

    pub fn divide(&self, other: &Numeric) -> Result<Numeric> {
        self.check_divisor(other)?;
        self.combine(other, |a, b| a.divide(b, a.quotient_scale(b)), |a, b| a / b)
    }

    /// `div`: the quotient without its fraction.
    pub fn divide_whole(&self, other: &Numeric) -> Result<Numeric> {
        self.check_divisor(other)?;
        self.combine(other, Decimal::divide_whole, |a, b| a / b)
    }

    pub fn remainder(&self, other: &Numeric) -> Result<Numeric> {
        self.check_divisor(other)?;
        match (self, other) {
            (Finite(_), Infinity | NegativeInfinity) => Ok(self.clone()),
            _ => self.combine(other, Decimal::remainder, |_, _| f64::NAN),
        }
    }

    fn check_divisor(&self, divisor: &Numeric) -> Result<()> {
        match (self, divisor) {
            (NaN, _) => Ok(()),
            (_, Finite(divisor)) if divisor.is_zero() => Err(Error::division_by_zero()),
            _ => Ok(()),
        }
    }

    pub fn negate(self) -> Numeric {
        match self {
            NegativeInfinity => Infinity,
            Infinity => NegativeInfinity,
            NaN => NaN,
            Finite(decimal) => Finite(decimal.negate()),
        }
    }

    pub fn abs(self) -> Numeric {
        if self.signum() < 0 { self.negate() } else { self }
    }

    /// -1, 0 or 1; that of NaN is 1.
    pub fn signum(&self) -> i32 {
        match self {
            NegativeInfinity => -1,
            Infinity | NaN => 1,
            Finite(decimal) if decimal.is_zero() => 0,
            Finite(decimal) => 1 - 2 * i32::from(decimal.value.is_negative()),
        }
    }

    pub fn is_nan(&self) -> bool {
        matches!(self, NaN)
    }

    pub fn is_infinite(&self) -> bool {
        matches!(self, Infinity | NegativeInfinity)
    }

    /// A finite number by `f`; others are what they are.
    pub fn map(&self, f: impl FnOnce(&Decimal) -> Decimal) -> Result<Numeric> {
        match self {
            Finite(decimal) => Numeric::finite(f(decimal)),
            other => Ok(other.clone()),
        }
    }

    /// Rounded to a type modifier's digits. Fails with 22003 where there are too many in front of the point.
    pub fn fit(self, typmod: i32) -> Result<Numeric> {
        let Some((precision, scale)) = crate::repr::precision_and_scale(typmod) else { return Ok(self) };
        let most = precision - scale;
        let field_overflow = |detail: String| {
            let detail = format!("A field with precision {precision}, scale {scale} {detail}");
            Err(Error::new(sqlstate::NUMERIC_VALUE_OUT_OF_RANGE, "numeric field overflow").detail(detail))
        };
        match self {
            NaN => Ok(NaN),
            Infinity | NegativeInfinity => field_overflow("cannot hold an infinite value.".to_string()),
            Finite(decimal) => {
                let rounded = if decimal.scale == scale { decimal } else { decimal.round(scale) };
                if !rounded.is_zero() && rounded.exponent() >= most {
                    let power = if most == 0 { "1".to_string() } else { format!("10^{most}") };
                    return field_overflow(format!("must round to an absolute value less than {power}."));
                }
                Numeric::finite(rounded)
            }
        }
    }
}
