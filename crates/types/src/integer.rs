//! `smallint`, `integer` and `bigint`.

use error::sqlstate;

use crate::base_type::{BaseType, fixed, value};
use crate::column::SqlType;
use crate::datum::Datum;
use crate::digits::put_integer;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::quote::is_space;
use crate::sql::*;

pub const TYPES: &[BaseType] = &[of_two::TYPE, of_four::TYPE, of_eight::TYPE];

pub const FUNCTIONS: &[&[Function]] = &[
    of_two::FUNCTIONS,
    of_four::FUNCTIONS,
    of_eight::FUNCTIONS,
    two_and_four::FUNCTIONS,
    two_and_eight::FUNCTIONS,
    four_and_two::FUNCTIONS,
    four_and_eight::FUNCTIONS,
    eight_and_two::FUNCTIONS,
    eight_and_four::FUNCTIONS,
    OTHERS,
];

/// What is said of a result of this type that does not fit it.
trait Integer: Copy {
    const TITLE: &str;
    /// Of the least number.
    const MAGNITUDE: u64;
}

impl Integer for i16 {
    const TITLE: &str = "smallint";
    const MAGNITUDE: u64 = i16::MIN.unsigned_abs() as u64;
}

impl Integer for i32 {
    const TITLE: &str = "integer";
    const MAGNITUDE: u64 = i32::MIN.unsigned_abs() as u64;
}

impl Integer for i64 {
    const TITLE: &str = "bigint";
    const MAGNITUDE: u64 = i64::MIN.unsigned_abs();
}

/// The result of an operation, unless there was none that fits.
fn fits<T: Integer>(result: Option<T>) -> Result<T> {
    result.ok_or_else(|| Error::out_of_range(T::TITLE))
}

fn narrow<T: Integer + TryFrom<i64>>(value: i64) -> Result<T> {
    fits(T::try_from(value).ok())
}

fn divisor<T: PartialEq + From<i16>>(b: T) -> Result<T> {
    if b == T::from(0) { Err(Error::division_by_zero()) } else { Ok(b) }
}

/// The type of a width and the functions on it alone. `$word` is what C shifts it as: the count is taken modulo its bits.
macro_rules! width {
    ($module:ident, $name:ident, $rust:ty, $word:ty, $datum:ident, $compare:expr;
     $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident $cmp:ident $larger:ident $smaller:ident
     $pl:ident $mi:ident $mul:ident $div:ident $rem:ident $um:ident $up:ident $abs:ident
     $and:ident $or:ident $xor:ident $not:ident $shl:ident $shr:ident) => {
        mod $module {
            use super::*;

            pub const TYPE: BaseType = BaseType {
                oid: $name::OID,
                input: |_, text, _| Ok(Datum::$datum(parse(text)?)),
                output: |_, array, index, out| {
                    put_integer(out, value::<$name>(array, index));
                    Ok(())
                },
                receive: |_, bytes, _| Ok(Datum::$datum(<$rust>::from_be_bytes(fixed(bytes)?))),
                send: |_, array, index, out| {
                    out.extend(value::<$name>(array, index).to_be_bytes());
                    Ok(())
                },
            };

            pub const FUNCTIONS: &[Function] = functions! {
                $eq($name, $name) -> boolean = |a, b| Result::Ok(a == b);
                $ne($name, $name) -> boolean = |a, b| Result::Ok(a != b);
                $lt($name, $name) -> boolean = |a, b| Result::Ok(a < b);
                $le($name, $name) -> boolean = |a, b| Result::Ok(a <= b);
                $gt($name, $name) -> boolean = |a, b| Result::Ok(a > b);
                $ge($name, $name) -> boolean = |a, b| Result::Ok(a >= b);
                $cmp($name, $name) -> int4 = |a: $rust, b: $rust| Result::Ok($compare(a, b));
                $larger($name, $name) -> $name = |a: $rust, b: $rust| Result::Ok(a.max(b));
                $smaller($name, $name) -> $name = |a: $rust, b: $rust| Result::Ok(a.min(b));
                $pl($name, $name) -> $name = |a: $rust, b| fits(a.checked_add(b));
                $mi($name, $name) -> $name = |a: $rust, b| fits(a.checked_sub(b));
                $mul($name, $name) -> $name = |a: $rust, b| fits(a.checked_mul(b));
                $div($name, $name) -> $name = |a: $rust, b| fits(a.checked_div(divisor(b)?));
                // -1 leaves no rest, also of the number whose quotient does not fit.
                $rem($name, $name) -> $name = |a: $rust, b| Result::Ok(a.wrapping_rem(divisor(b)?));
                mod($name, $name) -> $name = |a: $rust, b| Result::Ok(a.wrapping_rem(divisor(b)?));
                $um($name) -> $name = |a: $rust| fits(a.checked_neg());
                $up($name) -> $name = |a: $rust| Result::Ok(a);
                $abs($name) -> $name = |a: $rust| fits(a.checked_abs());
                abs($name) -> $name = |a: $rust| fits(a.checked_abs());
                $and($name, $name) -> $name = |a: $rust, b: $rust| Result::Ok(a & b);
                $or($name, $name) -> $name = |a: $rust, b: $rust| Result::Ok(a | b);
                $xor($name, $name) -> $name = |a: $rust, b: $rust| Result::Ok(a ^ b);
                $not($name) -> $name = |a: $rust| Result::Ok(!a);
                $shl($name, int4) -> $name = |a, by: i32| Result::Ok(<$word>::from(a).wrapping_shl(by as u32) as $rust);
                $shr($name, int4) -> $name = |a, by: i32| Result::Ok(<$word>::from(a).wrapping_shr(by as u32) as $rust);
            };
        }
    };
}

width! {
    of_two, int2, i16, i32, I16, |a: i16, b: i16| i32::from(a) - i32::from(b);
    int2eq int2ne int2lt int2le int2gt int2ge btint2cmp int2larger int2smaller
    int2pl int2mi int2mul int2div int2mod int2um int2up int2abs int2and int2or int2xor int2not int2shl int2shr
}

width! {
    of_four, int4, i32, i32, I32, |a: i32, b: i32| a.cmp(&b) as i32;
    int4eq int4ne int4lt int4le int4gt int4ge btint4cmp int4larger int4smaller
    int4pl int4mi int4mul int4div int4mod int4um int4up int4abs int4and int4or int4xor int4not int4shl int4shr
}

width! {
    of_eight, int8, i64, i64, I64, |a: i64, b: i64| a.cmp(&b) as i32;
    int8eq int8ne int8lt int8le int8gt int8ge btint8cmp int8larger int8smaller
    int8pl int8mi int8mul int8div int8mod int8um int8up int8abs int8and int8or int8xor int8not int8shl int8shr
}

/// What is between two widths is done in the greater one.
macro_rules! mixed {
    ($module:ident, $a:ident, $b:ident, $wide:ident, $rust:ty;
     $eq:ident $ne:ident $lt:ident $le:ident $gt:ident $ge:ident $cmp:ident $pl:ident $mi:ident $mul:ident $div:ident) => {
        mod $module {
            use super::*;

            pub const FUNCTIONS: &[Function] = functions! {
                $eq($a, $b) -> boolean = |a, b| Result::Ok(<$rust>::from(a) == <$rust>::from(b));
                $ne($a, $b) -> boolean = |a, b| Result::Ok(<$rust>::from(a) != <$rust>::from(b));
                $lt($a, $b) -> boolean = |a, b| Result::Ok(<$rust>::from(a) < <$rust>::from(b));
                $le($a, $b) -> boolean = |a, b| Result::Ok(<$rust>::from(a) <= <$rust>::from(b));
                $gt($a, $b) -> boolean = |a, b| Result::Ok(<$rust>::from(a) > <$rust>::from(b));
                $ge($a, $b) -> boolean = |a, b| Result::Ok(<$rust>::from(a) >= <$rust>::from(b));
                $cmp($a, $b) -> int4 = |a, b| Result::Ok(<$rust>::from(a).cmp(&<$rust>::from(b)) as i32);
                $pl($a, $b) -> $wide = |a, b| fits(<$rust>::from(a).checked_add(<$rust>::from(b)));
                $mi($a, $b) -> $wide = |a, b| fits(<$rust>::from(a).checked_sub(<$rust>::from(b)));
                $mul($a, $b) -> $wide = |a, b| fits(<$rust>::from(a).checked_mul(<$rust>::from(b)));
                $div($a, $b) -> $wide = |a, b| fits(<$rust>::from(a).checked_div(divisor(<$rust>::from(b))?));
            };
        }
    };
}

mixed! {
    two_and_four, int2, int4, int4, i32;
    int24eq int24ne int24lt int24le int24gt int24ge btint24cmp int24pl int24mi int24mul int24div
}

mixed! {
    two_and_eight, int2, int8, int8, i64;
    int28eq int28ne int28lt int28le int28gt int28ge btint28cmp int28pl int28mi int28mul int28div
}

mixed! {
    four_and_two, int4, int2, int4, i32;
    int42eq int42ne int42lt int42le int42gt int42ge btint42cmp int42pl int42mi int42mul int42div
}

mixed! {
    four_and_eight, int4, int8, int8, i64;
    int48eq int48ne int48lt int48le int48gt int48ge btint48cmp int48pl int48mi int48mul int48div
}

mixed! {
    eight_and_two, int8, int2, int8, i64;
    int82eq int82ne int82lt int82le int82gt int82ge btint82cmp int82pl int82mi int82mul int82div
}

mixed! {
    eight_and_four, int8, int4, int8, i64;
    int84eq int84ne int84lt int84le int84gt int84ge btint84cmp int84pl int84mi int84mul int84div
}

const OTHERS: &[Function] = functions! {
    in_range(int2, int2, int2, boolean, boolean) -> boolean =
        |value: i16, base: i16, offset: i16, before, less| in_range(value.into(), base.into(), offset.into(), before, less);
    in_range(int2, int2, int4, boolean, boolean) -> boolean =
        |value: i16, base: i16, offset: i32, before, less| in_range(value.into(), base.into(), offset.into(), before, less);
    in_range(int2, int2, int8, boolean, boolean) -> boolean =
        |value: i16, base: i16, offset, before, less| in_range(value.into(), base.into(), offset, before, less);
    in_range(int4, int4, int2, boolean, boolean) -> boolean =
        |value: i32, base: i32, offset: i16, before, less| in_range(value.into(), base.into(), offset.into(), before, less);
    in_range(int4, int4, int4, boolean, boolean) -> boolean =
        |value: i32, base: i32, offset: i32, before, less| in_range(value.into(), base.into(), offset.into(), before, less);
    in_range(int4, int4, int8, boolean, boolean) -> boolean =
        |value: i32, base: i32, offset, before, less| in_range(value.into(), base.into(), offset, before, less);
    in_range(int8, int8, int8, boolean, boolean) -> boolean = in_range;
    // Casts; those to and from other types are with those.
    int2(int4) -> int2 = |a: i32| narrow(a.into());
    int2(int8) -> int2 = narrow;
    int4(int2) -> int4 = |a: i16| Result::Ok(a.into());
    int4(int8) -> int4 = narrow;
    int8(int2) -> int8 = |a: i16| Result::Ok(a.into());
    int8(int4) -> int8 = |a: i32| Result::Ok(a.into());
    gcd(int4, int4) -> int4 = |a: i32, b: i32| narrow(gcd(a.into(), b.into()) as i64);
    gcd(int8, int8) -> int8 = |a, b| fits(i64::try_from(gcd(a, b)).ok());
    lcm(int4, int4) -> int4 = |a: i32, b: i32| fits(lcm(a.into(), b.into()).and_then(|m| i32::try_from(m).ok()));
    lcm(int8, int8) -> int8 = |a, b| fits(lcm(a, b).and_then(|m| i64::try_from(m).ok()));
};

/// Whether a value is within a window frame that goes as far as `offset` from `base`.
fn in_range(value: i64, base: i64, offset: i64, before: bool, less: bool) -> Result<bool> {
    if offset < 0 {
        return Err(Error::new(
            sqlstate::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
            "invalid preceding or following size in window function",
        ));
    }
    let offset = i128::from(offset);
    let (value, limit) = (i128::from(value), i128::from(base) + if before { -offset } else { offset });
    Ok(if less { value <= limit } else { value >= limit })
}

fn gcd(a: i64, b: i64) -> u64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn lcm(a: i64, b: i64) -> Option<u64> {
    if a == 0 || b == 0 {
        return Some(0);
    }
    (a.unsigned_abs() / gcd(a, b)).checked_mul(b.unsigned_abs())
}

/// A number as PostgreSQL reads it (`pg_strtoint64_safe`): blanks around it, `0x`, `0o`, `0b`, underscores between digits.
/// A number that is too large is seen while its digits are read, before what stands behind them.
fn parse<T: Integer + TryFrom<i128>>(text: &str) -> Result<T> {
    let invalid = || Error::invalid_input(T::TITLE, text);
    let out_of_range = || {
        Error::new(
            sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
            format!("value \"{text}\" is out of range for type {}", T::TITLE),
        )
    };
    let (negative, digits) = match text.trim_start_matches(is_space).as_bytes() {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (radix, mut rest) = match digits {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', b'o' | b'O', rest @ ..] => (8, rest),
        [b'0', b'b' | b'B', rest @ ..] => (2, rest),
        rest => (10, rest),
    };
    let digit = |byte: Option<&u8>| char::from(*byte?).to_digit(radix).map(u64::from);
    let mut value = 0u64;
    // Behind a prefix there may be an underscore too.
    let (mut any, mut after_digit) = (false, radix != 10);
    loop {
        if let Some(digit) = digit(rest.first()) {
            if value > T::MAGNITUDE / u64::from(radix) {
                return Err(out_of_range());
            }
            value = value * u64::from(radix) + digit;
            (any, after_digit) = (true, true);
        } else if rest.first() == Some(&b'_') {
            if !after_digit || digit(rest.get(1)).is_none() {
                return Err(invalid());
            }
        } else {
            break;
        }
        rest = &rest[1..];
    }
    if !any || !rest.iter().all(|&byte| is_space(byte.into())) {
        return Err(invalid());
    }
    let value = if negative { -i128::from(value) } else { value.into() };
    T::try_from(value).map_err(|_| out_of_range())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_postgresql_reads_them() {
        assert_eq!(parse::<i32>(" -12 ").unwrap(), -12);
        assert_eq!(parse::<i16>("0x7f_ff").unwrap(), i16::MAX);
        assert_eq!(parse::<i64>("0b_101").unwrap(), 5);
        assert_eq!(parse::<i64>("-9223372036854775808").unwrap(), i64::MIN);
        for wrong in ["", " ", "-", "1 2", "1__0", "_1", "1_", "0x", "1.0", "a"] {
            assert_eq!(parse::<i32>(wrong).unwrap_err().0.code, "22P02", "{wrong}");
        }
        for large in ["2147483648", "99999999999999999999999999999999999999999999999999999"] {
            assert_eq!(parse::<i32>(large).unwrap_err().0.code, "22003", "{large}");
        }
    }

    #[test]
    fn greatest_common_divisors() {
        assert_eq!(gcd(i64::MIN, 0), 1 << 63);
        assert_eq!(gcd(-12, 18), 6);
        assert_eq!(lcm(4, 6), Some(12));
        assert_eq!(lcm(i64::MAX, 2), Some((i64::MAX as u64) * 2));
    }
}
