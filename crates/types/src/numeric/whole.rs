//! Whole numbers of any size, which take no memory of their own while they have at most 38 digits.

use std::cmp::Ordering;

use num_bigint::{BigInt, BigUint, Sign};

/// A whole number. Only what does not fit an `i128` is large.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    Small(i128),
    Large(Box<BigInt>),
}

use Whole::{Large, Small};

/// The powers of ten that an `i128` holds.
const POWERS: [i128; 39] = {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < 39 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// `10^exponent`, if it is small.
#[inline]
pub fn small_power(exponent: u32) -> Option<i128> {
    POWERS.get(exponent as usize).copied()
}

/// `10^exponent`.
pub fn power_of_ten(exponent: u32) -> Whole {
    small_power(exponent).map_or_else(|| Large(Box::new(BigInt::from(10).pow(exponent))), Small)
}

impl From<BigInt> for Whole {
    fn from(value: BigInt) -> Whole {
        match i128::try_from(&value) {
            Ok(small) => Small(small),
            Err(_) => Large(Box::new(value)),
        }
    }
}

impl From<BigUint> for Whole {
    fn from(value: BigUint) -> Whole {
        BigInt::from(value).into()
    }
}

impl From<i64> for Whole {
    fn from(value: i64) -> Whole {
        Small(value.into())
    }
}

impl PartialOrd for Whole {
    fn partial_cmp(&self, other: &Whole) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Whole {
    fn cmp(&self, other: &Whole) -> Ordering {
        match (self, other) {
            (Small(a), Small(b)) => a.cmp(b),
            (Large(a), Large(b)) => a.cmp(b),
            // What is large is farther from zero than all that is small.
            (Small(_), Large(b)) if b.sign() == Sign::Minus => Ordering::Greater,
            (Small(_), Large(_)) => Ordering::Less,
            (Large(_), Small(_)) => other.cmp(self).reverse(),
        }
    }
}

impl Whole {
    pub const ZERO: Whole = Small(0);

    pub fn big(&self) -> BigInt {
        match self {
            Small(value) => BigInt::from(*value),
            Large(value) => (**value).clone(),
        }
    }

    /// Bytes that are held besides the value itself.
    pub fn memory(&self) -> usize {
        match self {
            Small(_) => 0,
            Large(value) => size_of::<BigInt>() + value.bits() as usize / 8,
        }
    }

    pub fn is_zero(&self) -> bool {
        matches!(self, Small(0))
    }

    pub fn is_negative(&self) -> bool {
        match self {
            Small(value) => *value < 0,
            Large(value) => value.sign() == Sign::Minus,
        }
    }

    pub fn negate(self) -> Whole {
        match self {
            Small(value) if value != i128::MIN => Small(-value),
            other => (-other.big()).into(),
        }
    }

    pub fn abs(self) -> Whole {
        if self.is_negative() { self.negate() } else { self }
    }

    #[inline]
    pub fn add(&self, other: &Whole) -> Whole {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(sum) = a.checked_add(*b)
        {
            return Small(sum);
        }
        (self.big() + other.big()).into()
    }

    #[inline]
    pub fn subtract(&self, other: &Whole) -> Whole {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(difference) = a.checked_sub(*b)
        {
            return Small(difference);
        }
        (self.big() - other.big()).into()
    }

    #[inline]
    pub fn multiply(&self, other: &Whole) -> Whole {
        if let (Small(a), Small(b)) = (self, other)
            && let Some(product) = product(*a, *b)
        {
            return Small(product);
        }
        (self.big() * other.big()).into()
    }

    /// Quotient, without its fraction, and rest, with this number's sign. The divisor is not zero.
    pub fn divide(&self, divisor: &Whole) -> (Whole, Whole) {
        if let (Small(a), Small(b)) = (self, divisor)
            && let Some(quotient) = quotient(*a, *b)
        {
            return (Small(quotient), Small(a - quotient * b));
        }
        let (a, b) = (self.big(), divisor.big());
        let quotient = &a / &b;
        let rest = a - &quotient * b;
        (quotient.into(), rest.into())
    }

    /// The quotient, rounded half away from zero. The divisor is not zero.
    pub fn divide_rounded(&self, divisor: &Whole) -> Whole {
        let (quotient, rest) = self.divide(divisor);
        let up = match (&rest, divisor) {
            (Small(0), _) => false,
            (Small(rest), Small(divisor)) => {
                let (rest, divisor) = (rest.unsigned_abs(), divisor.unsigned_abs());
                rest >= divisor - rest
            }
            _ => rest.big().magnitude() * 2u32 >= *divisor.big().magnitude(),
        };
        match up {
            false => quotient,
            true if self.is_negative() == divisor.is_negative() => quotient.add(&Small(1)),
            true => quotient.subtract(&Small(1)),
        }
    }

    /// Times `10^exponent`.
    #[inline]
    pub fn shift(&self, exponent: u32) -> Whole {
        if exponent == 0 || self.is_zero() {
            return self.clone();
        }
        self.multiply(&power_of_ten(exponent))
    }

    /// The decimal digits; zero has none.
    pub fn digits(&self) -> u32 {
        match self {
            Small(0) => 0,
            Small(value) => digits(value.unsigned_abs()),
            Large(value) => {
                // 2^(bits-1) <= value < 2^bits, so the length is one of two.
                let least = ((value.bits() - 1) as f64 * std::f64::consts::LOG10_2) as u32;
                if *value.magnitude() >= BigUint::from(10u32).pow(least + 1) {
                    least + 2
                } else if *value.magnitude() >= BigUint::from(10u32).pow(least) {
                    least + 1
                } else {
                    least
                }
            }
        }
    }

    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Small(value) => i64::try_from(*value).ok(),
            Large(_) => None,
        }
    }

    /// Appends the digits of the magnitude; those of zero are `0`.
    pub fn write_magnitude(&self, out: &mut Vec<u8>) {
        match self {
            Small(value) => {
                let mut buffer = [0; 39];
                let mut at = buffer.len();
                let mut rest = value.unsigned_abs();
                // Sixteen digits at a time: dividing 64 bits is much faster than dividing 128.
                loop {
                    let (more, mut part) = match u64::try_from(rest) {
                        Ok(part) => (0, part),
                        Err(_) => (rest / 10_000_000_000_000_000, (rest % 10_000_000_000_000_000) as u64),
                    };
                    let start = at;
                    while part > 0 || (more > 0 && start - at < 16) {
                        at -= 1;
                        buffer[at] = b'0' + (part % 10) as u8;
                        part /= 10;
                    }
                    rest = more;
                    if rest == 0 {
                        break;
                    }
                }
                if at == buffer.len() {
                    at -= 1;
                    buffer[at] = b'0';
                }
                out.extend_from_slice(&buffer[at..]);
            }
            Large(value) => out.extend_from_slice(value.magnitude().to_str_radix(10).as_bytes()),
        }
    }
}

/// Decimal digits of a number that is not zero.
#[inline]
pub fn digits(value: u128) -> u32 {
    match u64::try_from(value) {
        Ok(value) => value.ilog10() + 1,
        Err(_) => value.ilog10() + 1,
    }
}

/// The product, if it fits. Most factors are of 64 bits, whose product always does.
#[inline]
fn product(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i128::from(a) * i128::from(b)),
        _ => a.checked_mul(b),
    }
}

/// The quotient, if it fits.
#[inline]
fn quotient(a: i128, b: i128) -> Option<i128> {
    match (i64::try_from(a), i64::try_from(b)) {
        (Ok(a), Ok(b)) if b != -1 => Some((a / b).into()),
        _ => a.checked_div(b),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers around the limits of the machine's, too.
    fn any_whole() -> impl Strategy<Value = Whole> {
        prop_oneof![
            any::<i128>().prop_map(Small),
            any::<i64>().prop_map(Whole::from),
            (-3i128..4).prop_map(Small),
            prop_oneof![Just(i128::MIN), Just(i128::MAX), Just(i128::from(i64::MIN)), Just(-1)].prop_map(Small),
            ("-?[1-9][0-9]{30,90}").prop_map(|text| text.parse::<BigInt>().unwrap().into()),
            (0u32..80, any::<bool>()).prop_map(|(e, minus)| {
                let power = power_of_ten(e);
                if minus { power.negate() } else { power }
            }),
        ]
    }

    proptest! {
        #[test]
        fn they_compute_as_large_ones(a in any_whole(), b in any_whole()) {
            let (x, y) = (a.big(), b.big());
            prop_assert_eq!(a.add(&b).big(), &x + &y);
            prop_assert_eq!(a.subtract(&b).big(), &x - &y);
            prop_assert_eq!(a.multiply(&b).big(), &x * &y);
            prop_assert_eq!(a.cmp(&b), x.cmp(&y));
            prop_assert_eq!(a.clone().negate().big(), -&x);
            if !b.is_zero() {
                let (quotient, rest) = a.divide(&b);
                prop_assert_eq!((quotient.big(), rest.big()), (&x / &y, &x % &y));
                let twice = BigInt::from_biguint(Sign::Plus, x.magnitude() * 2u32 + y.magnitude());
                let rounded = twice / (BigInt::from_biguint(Sign::Plus, y.magnitude() * 2u32));
                prop_assert_eq!(a.divide_rounded(&b).abs().big(), rounded);
            }
        }

        #[test]
        fn they_are_written_as_large_ones(a in any_whole()) {
            let mut text = Vec::new();
            a.write_magnitude(&mut text);
            let text = String::from_utf8(text).unwrap();
            prop_assert_eq!(&text, &a.big().magnitude().to_string());
            prop_assert_eq!(a.digits() as usize, if a.is_zero() { 0 } else { text.len() });
            prop_assert!(matches!(a, Small(_)) == i128::try_from(a.big()).is_ok());
        }
    }
}
