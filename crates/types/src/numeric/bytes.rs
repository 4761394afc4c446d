//! The bytes of a `numeric` in columns and on pages: the key, which is equal for equal values and compares (as bytes) as
//! the values do, then how many digits the value shows after the point, in two bytes.
//!
//! The key of a positive number is the power of 100 of its first digit in that base and one more than each of its digits,
//! without zeros at the end. That of a negative number has every byte of its opposite's complemented, and 0xff at the end,
//! so that what goes on is less than what has ended.

use num_bigint::{BigInt, BigUint, Sign};

use super::value::{Decimal, Numeric};
use super::whole::{Whole, small_power};

const NEGATIVE_INFINITY: u8 = 0x01;
const ZERO: u8 = 0x80;
/// Two bytes have the exponent of a number that is so small, or so large.
const TINY: u8 = 0x81;
const HUGE: u8 = 0xfd;
const INFINITY: u8 = 0xfe;
const NAN: u8 = 0xff;

/// The byte of a positive number's first digit that is right behind the point.
const POINT: i32 = 0xbf;

/// Bytes that a number of up to 38 digits takes at most: it has 20 digits of base 100 at most.
const SMALL: usize = 1 + 2 + 20 + 1 + 2;

/// Calls `take` with the bytes of a value.
#[inline]
pub fn with_bytes<R>(value: &Numeric, take: impl FnOnce(&[u8]) -> R) -> R {
    let decimal = match value {
        Numeric::Finite(decimal) => decimal,
        Numeric::NegativeInfinity => return take(&[NEGATIVE_INFINITY, 0, 0]),
        Numeric::Infinity => return take(&[INFINITY, 0, 0]),
        Numeric::NaN => return take(&[NAN, 0, 0]),
    };
    match &decimal.value {
        Whole::Small(small) => small_bytes(*small, decimal.scale, take),
        Whole::Large(large) => take(&large_bytes(large, decimal.scale)),
    }
}

/// [`with_bytes`] of a number of up to 38 digits.
#[inline]
pub fn small_bytes<R>(value: i128, scale: i32, take: impl FnOnce(&[u8]) -> R) -> R {
    let shown = (scale as u16).to_be_bytes();
    if value == 0 {
        return take(&[ZERO, shown[0], shown[1]]);
    }
    let flip = if value < 0 { 0xff } else { 0 };
    let mut buffer = [0; SMALL];
    let mut end = SMALL;
    let mut put = |byte: u8| {
        end -= 1;
        buffer[end] = byte;
    };
    put(shown[1]);
    put(shown[0]);
    if flip != 0 {
        put(0xff);
    }
    let (mut count, mut begun) = (0, false);
    // Writes a part of the digits, at least so many, but no zeros at the number's end.
    let mut put_part = |mut part: u64, places: i32| {
        let end = count + places;
        while part > 0 || count < end {
            let digit = (part % 100) as u8;
            part /= 100;
            count += 1;
            begun |= digit != 0;
            if begun {
                put((digit + 1) ^ flip);
            }
        }
    };
    let mut rest = value.unsigned_abs();
    if scale % 2 == 1 {
        // The last decimal digit is the tens of a digit of base 100.
        let (more, last) = match u64::try_from(rest) {
            Ok(rest) => ((rest / 10).into(), rest % 10),
            Err(_) => (rest / 10, (rest % 10) as u64),
        };
        put_part(last * 10, 1);
        rest = more;
    }
    while rest > u64::MAX.into() {
        // Dividing 64 bits is much faster than dividing 128.
        put_part((rest % 10_000_000_000_000_000) as u64, 8);
        rest /= 10_000_000_000_000_000;
    }
    put_part(rest as u64, 0);
    let exponent = count - (scale + 1) / 2;
    match exponent + POINT {
        short @ 0x82..=0xfc => put(short as u8 ^ flip),
        _ => {
            let [high, low] = wide(exponent);
            put(low ^ flip);
            put(high ^ flip);
            put(if exponent < 0 { TINY } else { HUGE } ^ flip);
        }
    }
    take(&buffer[end..])
}

/// An exponent that has two bytes: those of large numbers reach 65536, those of small ones -8191.
fn wide(exponent: i32) -> [u8; 2] {
    let bits = if exponent < 0 { exponent + 0x8000 } else { exponent - 1 };
    (bits as u16).to_be_bytes()
}

fn large_bytes(value: &BigInt, scale: i32) -> Vec<u8> {
    let flip = if value.sign() == Sign::Minus { 0xff } else { 0 };
    let digits = match scale % 2 {
        1 => (value.magnitude() * 10u32).to_radix_be(100),
        _ => value.magnitude().to_radix_be(100),
    };
    let exponent = digits.len() as i32 - (scale + 1) / 2;
    let mut bytes = Vec::with_capacity(digits.len() + 6);
    match exponent + POINT {
        short @ 0x82..=0xfc => bytes.push(short as u8),
        _ => {
            bytes.push(if exponent < 0 { TINY } else { HUGE });
            bytes.extend(wide(exponent));
        }
    }
    let used = digits.iter().rposition(|&d| d != 0).map_or(0, |last| last + 1);
    bytes.extend(digits[..used].iter().map(|d| d + 1));
    bytes.iter_mut().for_each(|byte| *byte ^= flip);
    if flip != 0 {
        bytes.push(0xff);
    }
    bytes.extend((scale as u16).to_be_bytes());
    bytes
}

/// What stands for the value in comparisons: its bytes without the digits that it shows.
#[inline]
pub fn key(bytes: &[u8]) -> &[u8] {
    &bytes[..bytes.len().saturating_sub(2)]
}

/// The value of bytes that [`with_bytes`] has made.
#[inline]
pub fn from_bytes(bytes: &[u8]) -> Numeric {
    let [key @ .., high, low] = bytes else { return Numeric::NaN };
    let scale = i32::from(u16::from_be_bytes([*high, *low]));
    let (&first, mut rest) = match key.split_first() {
        None | Some((&NAN, _)) => return Numeric::NaN,
        Some((&INFINITY, _)) => return Numeric::Infinity,
        Some((&NEGATIVE_INFINITY, _)) => return Numeric::NegativeInfinity,
        Some((&ZERO, _)) => return Numeric::Finite(Decimal { value: Whole::ZERO, scale }),
        Some(split) => split,
    };
    let flip = if first < ZERO { 0xff } else { 0 };
    if flip != 0 {
        rest = &rest[..rest.len().saturating_sub(1)];
    }
    let exponent = match (first ^ flip, rest) {
        (class @ (TINY | HUGE), [high, low, digits @ ..]) => {
            rest = digits;
            let bits = i32::from(u16::from_be_bytes([high ^ flip, low ^ flip]));
            if class == TINY { bits - 0x8000 } else { bits + 1 }
        }
        (short, _) => i32::from(short) - POINT,
    };
    // Decimal places that the value has beyond its digits: -1 where the last digit's units are not shown.
    let beyond = 2 * (exponent - rest.len() as i32) + scale;
    let value = small_value(rest, flip, beyond).unwrap_or_else(|| large_value(rest, flip, beyond));
    Numeric::Finite(Decimal { value: if flip != 0 { value.negate() } else { value }, scale })
}

#[inline]
fn small_value(digits: &[u8], flip: u8, beyond: i32) -> Option<Whole> {
    if digits.len() > 19 {
        return None;
    }
    let number = |digits: &[u8]| digits.iter().fold(0u64, |n, d| n * 100 + u64::from((d ^ flip).wrapping_sub(1)));
    let value = match digits.split_at_checked(9) {
        None => i128::from(number(digits)),
        Some((high, low)) => {
            let low_value = match low.split_at_checked(9) {
                None => i128::from(number(low)),
                Some((middle, last)) => {
                    i128::from(number(middle)) * small_power(2 * last.len() as u32)? + i128::from(number(last))
                }
            };
            i128::from(number(high)).checked_mul(small_power(2 * low.len() as u32)?)?.checked_add(low_value)?
        }
    };
    match beyond {
        0 => Some(value),
        -1 => Some(value / 10),
        beyond => value.checked_mul(small_power(u32::try_from(beyond).ok()?)?),
    }
    .map(Whole::Small)
}

fn large_value(digits: &[u8], flip: u8, beyond: i32) -> Whole {
    let digits: Vec<u8> = digits.iter().map(|d| (d ^ flip).wrapping_sub(1)).collect();
    let value = BigUint::from_radix_be(&digits, 100).unwrap_or_default();
    match u32::try_from(beyond) {
        Ok(beyond) => Whole::from(value).shift(beyond),
        Err(_) => (value / 10u32).into(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::numeric::text;

    fn bytes(value: &Numeric) -> Vec<u8> {
        with_bytes(value, <[u8]>::to_vec)
    }

    fn any_numeric() -> impl Strategy<Value = Numeric> {
        let text = prop_oneof![
            // Many digits, few of them, and such that are next to each other.
            "-?[0-9]{1,60}(\\.[0-9]{1,60})?",
            "-?[0-9]{1,3}(\\.[0-9]{0,3})?",
            "-?1?0{0,4}(\\.0{0,4}1?)?[0-9]",
            "-?[0-9]{1,3}e[0-9]{1,4}",
            "-?[0-9]{1,3}e-[0-9]{1,4}",
            "NaN|-?Infinity",
        ];
        text.prop_map(|text| text::parse(&text).unwrap())
    }

    proptest! {
        #[test]
        fn values_survive(value in any_numeric()) {
            let again = from_bytes(&bytes(&value));
            prop_assert_eq!(value.to_string(), again.to_string());
        }

        #[test]
        fn keys_compare_as_values(a in any_numeric(), b in any_numeric()) {
            prop_assert_eq!(key(&bytes(&a)).cmp(key(&bytes(&b))), a.cmp(&b), "{} {}", a, b);
        }

        /// Of numbers that are near each other, and of one that shows more digits.
        #[test]
        fn keys_of_neighbours(a: i64, scale in 0..20, step in -2i64..3, more in 0..5) {
            let value = |units: i64, more: i32| {
                let units = i128::from(units) * 10i128.pow(more as u32);
                Numeric::Finite(Decimal { value: Whole::Small(units), scale: scale + more })
            };
            let (a, b) = (value(a, 0), value(a.saturating_add(step), more));
            prop_assert_eq!(key(&bytes(&a)).cmp(key(&bytes(&b))), a.cmp(&b), "{} {}", a, b);
            prop_assert_eq!(from_bytes(&bytes(&b)).to_string(), b.to_string());
        }
    }

    #[test]
    fn the_longest_numbers() {
        for text in ["1e131071", "-9e131071", "1e-16383", "-3e-16383", "170141183460469231731687303715884105727"] {
            let value = text::parse(text).unwrap();
            assert_eq!(from_bytes(&bytes(&value)).to_string(), value.to_string());
        }
        assert!(text::parse("1e131072").is_err());
        assert!(text::parse("1e-16384").is_err());
    }

    #[test]
    fn other_bytes_are_some_value() {
        for bytes in
            [&b""[..], b"1", b"\x81\0\0", b"\xfd\x01\0\0", b"\xc0\xff\0\0", b"\x01", b"\xc0\0\0\0", b"\x3f\0\0"]
        {
            from_bytes(bytes).to_string();
        }
    }
}
