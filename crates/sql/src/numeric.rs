//! `numeric` without a declared precision: decimal numbers of any length, NaN and the infinities, with PostgreSQL's rules
//! (`numeric.c`) for how many digits a result shows.
//!
//! In Arrow they are `LargeBinary` holding the decimal text. Nothing else here is `LargeBinary`, so DataFusion can neither
//! compute with them nor mix them with other types by itself: what [`crate::semantics`] does not send here is an error.
//! `numeric(p,s)` is Arrow's `Decimal128`; sums and products stay there, quotients and averages come here.

use std::cmp::Ordering;
use std::fmt;

use bigdecimal::num_bigint::{BigInt, Sign};
use datafusion::arrow::array::{Array, ArrayRef, AsArray, LargeBinaryArray};
use datafusion::arrow::datatypes::*;
use engine::{EngineError, Result};

/// The Arrow type.
pub const NUMERIC: DataType = DataType::LargeBinary;

/// Digits after the point that a result may have, and digits in front of it (`NUMERIC_MAX_DISPLAY_SCALE`, and the
/// format's limit).
const MAX_SCALE: i64 = 1000;
const MAX_DIGITS: i64 = 131_072;

/// `value / 10^scale`, shown with `scale` digits after the point.
#[derive(Clone, Debug)]
pub struct Decimal {
    pub value: BigInt,
    pub scale: i64,
}

#[derive(Clone, Debug)]
pub enum Numeric {
    NegativeInfinity,
    Finite(Decimal),
    Infinity,
    NaN,
}

use Numeric::{Finite, Infinity, NaN, NegativeInfinity};

fn ten_to(exponent: i64) -> BigInt {
    BigInt::from(10).pow(u32::try_from(exponent).expect("callers check the sign and the size"))
}

/// `n / d`, half away from zero.
fn divide_rounded(n: &BigInt, d: &BigInt) -> BigInt {
    let (magnitude, divisor) = (n.magnitude(), d.magnitude());
    let rounded = (magnitude * 2u32 + divisor) / (divisor * 2u32);
    let sign = if n.sign() == d.sign() { Sign::Plus } else { Sign::Minus };
    BigInt::from_biguint(sign, rounded)
}

impl Decimal {
    pub fn new(value: impl Into<BigInt>, scale: i64) -> Decimal {
        Decimal { value: value.into(), scale }
    }

    fn is_zero(&self) -> bool {
        self.value.sign() == Sign::NoSign
    }

    /// With this many digits after the point, rounding half away from zero; a negative number rounds before the point.
    pub fn round(&self, scale: i64) -> Decimal {
        let value = match scale - self.scale {
            0 => self.value.clone(),
            more @ 1.. => &self.value * ten_to(more),
            less => divide_rounded(&self.value, &ten_to(-less)),
        };
        if scale >= 0 { Decimal { value, scale } } else { Decimal { value: value * ten_to(-scale), scale: 0 } }
    }

    pub fn truncate(&self, scale: i64) -> Decimal {
        let cut = self.scale - scale;
        if cut <= 0 {
            return self.round(scale);
        }
        let value = &self.value / ten_to(cut);
        if scale >= 0 { Decimal { value, scale } } else { Decimal { value: value * ten_to(-scale), scale: 0 } }
    }

    fn aligned(&self, other: &Decimal) -> (BigInt, BigInt, i64) {
        let scale = self.scale.max(other.scale);
        (self.round(scale).value, other.round(scale).value, scale)
    }

    /// Weight and value of the first digit in base 10000, as `numeric.c` stores numbers.
    fn first_digit(&self) -> (i64, i64) {
        if self.is_zero() {
            return (0, 0);
        }
        let digits = self.value.magnitude().to_string();
        let exponent = digits.len() as i64 - 1 - self.scale;
        let weight = exponent.div_euclid(4);
        let wanted = (exponent - 4 * weight + 1) as usize;
        let first = (0..wanted).fold(0, |n, i| n * 10 + i64::from(digits.as_bytes().get(i).map_or(0, |b| b - b'0')));
        (weight, first)
    }

    /// `select_div_scale`: at least 16 significant digits, and no fewer after the point than the operands have.
    pub fn quotient_scale(&self, other: &Decimal) -> i64 {
        let ((weight1, first1), (weight2, first2)) = (self.first_digit(), other.first_digit());
        let weight = weight1 - weight2 - i64::from(first1 <= first2);
        (16 - weight * 4).max(self.scale).max(other.scale).clamp(0, MAX_SCALE)
    }

    /// The quotient with `scale` digits after the point. The divisor is not zero.
    pub fn divide(&self, other: &Decimal, scale: i64) -> Decimal {
        let shift = scale + other.scale - self.scale;
        let value = if shift >= 0 {
            divide_rounded(&(&self.value * ten_to(shift)), &other.value)
        } else {
            divide_rounded(&self.value, &(&other.value * ten_to(-shift)))
        };
        Decimal { value, scale }
    }

    /// The square root with `scale` digits after the point, of a number that is not negative.
    pub fn square_root(&self, scale: i64) -> Decimal {
        // Of all its digits; rounded at the end.
        let exact = scale.max((self.scale + 1) / 2);
        let square = self.round(2 * exact).value;
        let root = square.sqrt();
        let value = if &square - &root * &root > root { root + 1 } else { root };
        Decimal { value, scale: exact }.round(scale)
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.value.magnitude().to_string();
        let scale = self.scale as usize;
        let digits = if digits.len() > scale { digits } else { "0".repeat(scale + 1 - digits.len()) + &digits };
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let minus = if self.value.sign() == Sign::Minus { "-" } else { "" };
        if fraction.is_empty() { write!(f, "{minus}{whole}") } else { write!(f, "{minus}{whole}.{fraction}") }
    }
}

impl fmt::Display for Numeric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NegativeInfinity => write!(f, "-Infinity"),
            Finite(decimal) => decimal.fmt(f),
            Infinity => write!(f, "Infinity"),
            NaN => write!(f, "NaN"),
        }
    }
}

/// NaN equals itself and is greater than everything else, as in PostgreSQL.
impl Ord for Numeric {
    fn cmp(&self, other: &Numeric) -> Ordering {
        let rank = |n: &Numeric| match n {
            NegativeInfinity => 0,
            Finite(_) => 1,
            Infinity => 2,
            NaN => 3,
        };
        match (self, other) {
            (Finite(a), Finite(b)) => {
                let (a, b, _) = a.aligned(b);
                a.cmp(&b)
            }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
    /// `div`: the quotient without its fraction.
    WholeQuotient,
}

fn overflows() -> EngineError {
    EngineError::new("22003", "value overflows numeric format")
}

impl Numeric {
    /// PostgreSQL's input syntax.
    pub fn parse(text: &str) -> Result<Numeric> {
        let invalid = || EngineError::new("22P02", format!("invalid input syntax for type numeric: \"{text}\""));
        let trimmed = text.trim();
        match trimmed.to_ascii_lowercase().as_str() {
            "nan" => return Ok(NaN),
            "inf" | "infinity" | "+inf" | "+infinity" => return Ok(Infinity),
            "-inf" | "-infinity" => return Ok(NegativeInfinity),
            _ => {}
        }
        let (mantissa, exponent) = match trimmed.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().map_err(|_| invalid())?),
            None => (trimmed, 0),
        };
        let unsigned = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
        let digits = format!("{whole}{fraction}");
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return Err(invalid());
        }
        let scale = (fraction.len() as i64).saturating_sub(exponent);
        if !(-MAX_DIGITS..=16_383).contains(&scale) || whole.len() as i64 + exponent.max(0) > MAX_DIGITS {
            return Err(overflows());
        }
        let mut value: BigInt = digits.parse().map_err(|_| invalid())?;
        if mantissa.starts_with('-') {
            value = -value;
        }
        Ok(Finite(if scale >= 0 { Decimal { value, scale } } else { Decimal::new(value * ten_to(-scale), 0) }))
    }

    /// As a cast from double precision (15 digits) or real (6) gives it.
    pub fn from_float(value: f64, digits: usize) -> Numeric {
        if value.is_nan() {
            return NaN;
        }
        if value.is_infinite() {
            return if value > 0.0 { Infinity } else { NegativeInfinity };
        }
        let text = format!("{value:.*e}", digits - 1);
        let (mantissa, exponent) = text.split_once('e').expect("LowerExp writes an exponent");
        let mantissa =
            if mantissa.contains('.') { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
        Numeric::parse(&format!("{mantissa}e{exponent}")).expect("a float's text is a number")
    }

    /// The nearest double; 22003 beyond the greatest.
    pub fn to_f64(&self) -> Result<f64> {
        let float: f64 = self.to_string().parse().expect("a number's text is a float's");
        match self {
            Finite(_) if float.is_infinite() => {
                Err(EngineError::new("22003", format!("\"{self}\" is out of range for type double precision")))
            }
            _ => Ok(float),
        }
    }

    /// Rounded, or `None` if it is out of range.
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Finite(decimal) => decimal.round(0).value.try_into().ok(),
            _ => None,
        }
    }

    pub fn negate(&self) -> Numeric {
        match self {
            NegativeInfinity => Infinity,
            Infinity => NegativeInfinity,
            NaN => NaN,
            Finite(d) => Finite(Decimal { value: -&d.value, scale: d.scale }),
        }
    }

    /// -1, 0 or 1; NaN has none.
    pub fn signum(&self) -> Option<i32> {
        match self {
            NegativeInfinity => Some(-1),
            Infinity => Some(1),
            NaN => None,
            Finite(d) => Some(match d.value.sign() {
                Sign::Minus => -1,
                Sign::NoSign => 0,
                Sign::Plus => 1,
            }),
        }
    }

    pub fn map(&self, f: impl FnOnce(&Decimal) -> Decimal) -> Numeric {
        match self {
            Finite(decimal) => Finite(f(decimal)),
            other => other.clone(),
        }
    }

    pub fn compute(&self, op: Arithmetic, other: &Numeric) -> Result<Numeric> {
        let (a, b) = match (self, other) {
            (Finite(a), Finite(b)) => (a, b),
            _ => return self.compute_special(op, other),
        };
        if matches!(op, Arithmetic::Divide | Arithmetic::Modulo | Arithmetic::WholeQuotient) && b.is_zero() {
            return Err(EngineError::new("22012", "division by zero"));
        }
        let result = match op {
            Arithmetic::Add | Arithmetic::Subtract | Arithmetic::Modulo | Arithmetic::WholeQuotient => {
                let (x, y, scale) = a.aligned(b);
                match op {
                    Arithmetic::Add => Decimal { value: x + y, scale },
                    Arithmetic::Subtract => Decimal { value: x - y, scale },
                    Arithmetic::Modulo => Decimal { value: x % y, scale },
                    _ => Decimal { value: x / y, scale: 0 },
                }
            }
            Arithmetic::Multiply => {
                let product = Decimal { value: &a.value * &b.value, scale: a.scale + b.scale };
                if product.scale > 16_383 { product.round(16_383) } else { product }
            }
            Arithmetic::Divide => a.divide(b, a.quotient_scale(b)),
        };
        // Bits are cheap to ask for; 10^131072 has some 435,000.
        if result.value.bits() > 436_000 + 4 * result.scale.unsigned_abs() {
            return Err(overflows());
        }
        Ok(Finite(result))
    }

    /// With NaN and infinities, floating point has the same rules: only the sign of a finite operand counts.
    fn compute_special(&self, op: Arithmetic, other: &Numeric) -> Result<Numeric> {
        let float = |n: &Numeric| match n {
            Infinity => f64::INFINITY,
            NegativeInfinity => f64::NEG_INFINITY,
            n => n.signum().map_or(f64::NAN, f64::from),
        };
        let (a, b) = (float(self), float(other));
        if b == 0.0 && !a.is_nan() && matches!(op, Arithmetic::Divide | Arithmetic::Modulo | Arithmetic::WholeQuotient)
        {
            return Err(EngineError::new("22012", "division by zero"));
        }
        let result = match op {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
            Arithmetic::Divide | Arithmetic::WholeQuotient => a / b,
            Arithmetic::Modulo if b.is_infinite() && a.is_finite() => return Ok(self.clone()),
            Arithmetic::Modulo => f64::NAN,
        };
        Ok(if result.is_finite() { Finite(Decimal::new(0, 0)) } else { Numeric::from_float(result, 15) })
    }

    /// Bytes that sort as the numbers do; equal numbers have equal bytes.
    pub fn sort_key(&self) -> Vec<u8> {
        let decimal = match self {
            NegativeInfinity => return vec![0],
            Infinity => return vec![4],
            NaN => return vec![5],
            Finite(decimal) if decimal.is_zero() => return vec![2],
            Finite(decimal) => decimal,
        };
        let negative = decimal.value.sign() == Sign::Minus;
        let digits = decimal.value.magnitude().to_string();
        let exponent = digits.len() as i64 - decimal.scale;
        let mut key = vec![3];
        key.extend_from_slice(&((exponent + (1 << 31)) as u32).to_be_bytes());
        key.extend_from_slice(digits.trim_end_matches('0').as_bytes());
        if negative {
            // Every byte the other way round; the end counts as the greatest of all.
            key.iter_mut().skip(1).for_each(|b| *b = !*b);
            key[0] = 1;
            key.push(0xff);
        }
        key
    }
}

/// A number of any exact type, or text, or a float.
pub fn read(array: &ArrayRef, row: usize) -> Result<Option<Numeric>> {
    if array.is_null(row) {
        return Ok(None);
    }
    let whole = |v: i64| Finite(Decimal::new(v, 0));
    Ok(Some(match array.data_type() {
        DataType::Null => return Ok(None),
        DataType::Int16 => whole(array.as_primitive::<Int16Type>().value(row).into()),
        DataType::Int32 => whole(array.as_primitive::<Int32Type>().value(row).into()),
        DataType::Int64 => whole(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt32 => whole(array.as_primitive::<UInt32Type>().value(row).into()),
        DataType::UInt64 => Finite(Decimal::new(array.as_primitive::<UInt64Type>().value(row), 0)),
        DataType::Decimal128(_, scale) => {
            let decimal = Decimal::new(array.as_primitive::<Decimal128Type>().value(row), i64::from(*scale));
            // A negative scale is an exponent.
            Finite(if *scale < 0 { Decimal::new(decimal.value * ten_to(-i64::from(*scale)), 0) } else { decimal })
        }
        DataType::Float32 => Numeric::from_float(array.as_primitive::<Float32Type>().value(row).into(), 6),
        DataType::Float64 => Numeric::from_float(array.as_primitive::<Float64Type>().value(row), 15),
        DataType::LargeBinary => from_bytes(array.as_binary::<i64>().value(row))?,
        DataType::Utf8 => Numeric::parse(array.as_string::<i32>().value(row))?,
        DataType::LargeUtf8 => Numeric::parse(array.as_string::<i64>().value(row))?,
        DataType::Utf8View => Numeric::parse(array.as_string_view().value(row))?,
        other => {
            let from = crate::output::type_name(other);
            return Err(EngineError::new("42846", format!("cannot cast type {from} to numeric")));
        }
    }))
}

/// A value of [`NUMERIC`].
pub fn from_bytes(bytes: &[u8]) -> Result<Numeric> {
    Numeric::parse(std::str::from_utf8(bytes).map_err(|e| EngineError::new("XX000", e.to_string()))?)
}

/// An array of [`NUMERIC`].
pub fn to_array(values: impl Iterator<Item = Result<Option<Numeric>>>) -> Result<ArrayRef> {
    let texts = values.map(|v| Ok(v?.map(|n| n.to_string()))).collect::<Result<Vec<_>>>()?;
    Ok(std::sync::Arc::new(LargeBinaryArray::from_iter(
        texts.iter().map(Option::as_ref).map(|t| t.map(String::as_bytes)),
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn n(text: &str) -> Numeric {
        Numeric::parse(text).unwrap()
    }

    /// The expected texts are PostgreSQL's.
    #[test]
    fn results_show_as_many_digits_as_postgresqls() {
        let div = |a: &str, b: &str| n(a).compute(Arithmetic::Divide, &n(b)).unwrap().to_string();
        assert_eq!(div("1", "3"), "0.33333333333333333333");
        assert_eq!(div("10", "3"), "3.3333333333333333");
        assert_eq!(div("10000", "1"), "10000.0000000000000000");
        assert_eq!(div("49999995000000", "10000000"), "4999999.500000000000");
        assert_eq!(div("3", "2"), "1.5000000000000000");
        assert_eq!(div("1", "1"), "1.00000000000000000000");
        assert_eq!(div("-7.5", "2"), "-3.7500000000000000");
        assert_eq!(div("0", "3"), "0.00000000000000000000");
        assert_eq!(div("1e10", "Infinity"), "0");
        assert_eq!(n("1.10").compute(Arithmetic::Add, &n("2.2")).unwrap().to_string(), "3.30");
        assert_eq!(n("0.00").compute(Arithmetic::Add, &n("1.5")).unwrap().to_string(), "1.50");
        assert_eq!(n("1.10").compute(Arithmetic::Multiply, &n("2.2")).unwrap().to_string(), "2.420");
        assert_eq!(n("-7.5").compute(Arithmetic::Modulo, &n("2")).unwrap().to_string(), "-1.5");
        assert_eq!(n("1").compute(Arithmetic::Divide, &n("0")).unwrap_err().code, "22012");
    }

    #[test]
    fn text_is_read_and_printed() {
        for (text, printed) in [
            ("1e3", "1000"),
            ("-1.50", "-1.50"),
            (" .5 ", "0.5"),
            ("1.5e-3", "0.0015"),
            ("nan", "NaN"),
            ("-inf", "-Infinity"),
        ] {
            assert_eq!(n(text).to_string(), printed);
        }
        for bad in ["", ".", "1e", "1.2.3", "0x1F", "1e999999999999"] {
            assert!(Numeric::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(Numeric::from_float(0.1, 15).to_string(), "0.1");
        assert_eq!(Numeric::from_float(1e20, 15).to_string(), "100000000000000000000");
        assert_eq!(Numeric::from_float(-2.5e-7, 15).to_string(), "-0.00000025");
    }

    #[test]
    fn rounding_and_roots() {
        let Finite(x) = n("-1234.5675") else { panic!() };
        assert_eq!(x.round(3).to_string(), "-1234.568");
        assert_eq!(x.round(-2).to_string(), "-1200");
        assert_eq!(x.truncate(2).to_string(), "-1234.56");
        let Finite(two) = n("2") else { panic!() };
        assert_eq!(two.square_root(15).to_string(), "1.414213562373095");
    }

    #[test]
    fn keys_sort_as_numbers() {
        let sorted = [
            "-inf", "-1e5", "-10", "-9.5", "-1", "-0.5", "-0.05", "0", "0.05", "0.5", "1", "1.01", "9.5", "10", "1e5",
            "inf", "nan",
        ];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                assert_eq!(n(a).sort_key().cmp(&n(b).sort_key()), i.cmp(&j), "{a} {b}");
                assert_eq!(n(a).cmp(&n(b)), i.cmp(&j), "{a} {b}");
            }
        }
        assert_eq!(n("1.0").sort_key(), n("1.000").sort_key());
        assert_eq!(n("1.0"), n("1"));
    }
}
