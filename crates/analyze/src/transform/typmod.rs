//! Type modifiers as they are written (`typmodin` of `utils/adt`), and the values of numbers.

use catalog::Catalog;
use error::sqlstate;
use types::{Datum, Error, Oid, Result, oid};

/// The longest `character varying`.
const MAX_LENGTH: i32 = 10_485_760;
const MAX_NUMERIC_PRECISION: i32 = 1000;
const MAX_TIME_PRECISION: i32 = 6;

/// The modifier that a type's parentheses mean; `None`: the type has none.
pub(crate) fn input(ty: Oid, modifiers: &[String]) -> Option<Result<i32>> {
    let parse = match Catalog::BUILT_IN.element_type(ty).unwrap_or(ty) {
        oid::VARCHAR => |n: &[i32]| length("varchar", MAX_LENGTH, n).map(|n| n + 4),
        oid::BPCHAR => |n: &[i32]| length("char", MAX_LENGTH, n).map(|n| n + 4),
        oid::BIT => |n: &[i32]| length("bit", MAX_LENGTH * 8, n),
        oid::VARBIT => |n: &[i32]| length("varbit", MAX_LENGTH * 8, n),
        oid::NUMERIC => numeric,
        oid::TIME => |n: &[i32]| only(n).and_then(|n| time_precision(oid::TIME, n)),
        oid::TIMETZ => |n: &[i32]| only(n).and_then(|n| time_precision(oid::TIMETZ, n)),
        oid::TIMESTAMP => |n: &[i32]| only(n).and_then(|n| time_precision(oid::TIMESTAMP, n)),
        oid::TIMESTAMPTZ => |n: &[i32]| only(n).and_then(|n| time_precision(oid::TIMESTAMPTZ, n)),
        oid::INTERVAL => interval,
        _ => return None,
    };
    let numbers: Result<Vec<i32>> = modifiers.iter().map(|text| integer(text)).collect();
    Some(numbers.and_then(|numbers| parse(&numbers)))
}

fn integer(text: &str) -> Result<i32> {
    match text.trim().parse::<i64>() {
        Ok(number) => i32::try_from(number).map_err(|_| {
            Error::new(
                sqlstate::NUMERIC_VALUE_OUT_OF_RANGE,
                format!("value \"{text}\" is out of range for type integer"),
            )
        }),
        Err(_) => Err(Error::invalid_input("integer", text)),
    }
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

fn only(numbers: &[i32]) -> Result<i32> {
    match numbers {
        [only] => Ok(*only),
        _ => Err(invalid("invalid type modifier")),
    }
}

fn length(name: &str, most: i32, numbers: &[i32]) -> Result<i32> {
    match only(numbers)? {
        ..1 => Err(invalid(format!("length for type {name} must be at least 1"))),
        n if n > most => Err(invalid(format!("length for type {name} cannot exceed {most}"))),
        n => Ok(n),
    }
}

fn numeric(numbers: &[i32]) -> Result<i32> {
    let (precision, scale) = match *numbers {
        [precision] => (precision, 0),
        [precision, scale] => (precision, scale),
        _ => return Err(invalid("invalid NUMERIC type modifier")),
    };
    if !(1..=MAX_NUMERIC_PRECISION).contains(&precision) {
        let message = format!("NUMERIC precision {precision} must be between 1 and {MAX_NUMERIC_PRECISION}");
        return Err(invalid(message));
    }
    if !(-MAX_NUMERIC_PRECISION..=MAX_NUMERIC_PRECISION).contains(&scale) {
        return Err(invalid(format!(
            "NUMERIC scale {scale} must be between -{MAX_NUMERIC_PRECISION} and {MAX_NUMERIC_PRECISION}"
        )));
    }
    Ok(((precision << 16) | (scale & 0x7ff)) + 4)
}

/// Digits of seconds; more than there are mean all.
pub(crate) fn time_precision(ty: Oid, digits: i32) -> Result<i32> {
    if digits < 0 {
        let (name, zone) = match ty {
            oid::TIME => ("TIME", ""),
            oid::TIMETZ => ("TIME", " WITH TIME ZONE"),
            oid::TIMESTAMP => ("TIMESTAMP", ""),
            _ => ("TIMESTAMP", " WITH TIME ZONE"),
        };
        return Err(invalid(format!("{name}({digits}){zone} precision must not be negative")));
    }
    Ok(digits.min(MAX_TIME_PRECISION))
}

fn interval(numbers: &[i32]) -> Result<i32> {
    const FULL_RANGE: i32 = 0x7fff;
    const FULL_PRECISION: i32 = 0xffff;
    let (range, digits) = match *numbers {
        [FULL_RANGE] => return Ok(-1),
        [range] => (range, FULL_PRECISION),
        [range, digits] if digits >= 0 => (range, digits.min(MAX_TIME_PRECISION)),
        [_, digits] => return Err(invalid(format!("INTERVAL({digits}) precision must not be negative"))),
        _ => return Err(invalid("invalid INTERVAL type modifier")),
    };
    Ok(((range & 0x7fff) << 16) | (digits & 0xffff))
}

/// A number that is no `int4` for the grammar (`make_const`): `integer`, `bigint` where it fits, otherwise `numeric`.
pub(crate) fn number(text: &str) -> Result<(Oid, Datum)> {
    if let Some(value) = whole(text) {
        return Ok(match i32::try_from(value) {
            Ok(value) => (oid::INT4, Datum::I32(value)),
            Err(_) => (oid::INT8, Datum::I64(value)),
        });
    }
    let ty = types::base_type::base_type(oid::NUMERIC).ok_or_else(|| Error::unsupported("type numeric"))?;
    Ok((oid::NUMERIC, (ty.input)(&types::Context::default(), text, -1)?))
}

fn whole(text: &str) -> Option<i64> {
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.as_str()),
    };
    let radix = match digits.get(..2)? {
        "0x" | "0X" => 16,
        "0o" | "0O" => 8,
        "0b" | "0B" => 2,
        _ => return plain.parse().ok(),
    };
    i64::from_str_radix(&format!("{sign}{}", &digits[2..]), radix).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_smallest_type() {
        assert_eq!(number("2147483648").unwrap(), (oid::INT8, Datum::I64(1 << 31)));
        assert_eq!(number("-2147483648").unwrap(), (oid::INT4, Datum::I32(i32::MIN)));
        assert_eq!(number("0xFFFFFFFF").unwrap(), (oid::INT8, Datum::I64(0xffff_ffff)));
        assert_eq!(number("9223372036854775808").unwrap().0, oid::NUMERIC);
        assert_eq!(number("1.5").unwrap().0, oid::NUMERIC);
        assert_eq!(number("5_000_000_000").unwrap(), (oid::INT8, Datum::I64(5_000_000_000)));
    }

    #[test]
    fn modifiers_are_read() {
        let of = |ty, modifiers: &[&str]| {
            let modifiers: Vec<String> = modifiers.iter().map(|m| m.to_string()).collect();
            input(ty, &modifiers).unwrap()
        };
        assert_eq!(of(oid::VARCHAR, &["10"]), Ok(14));
        assert_eq!(of(oid::NUMERIC, &["10", "2"]), Ok((10 << 16 | 2) + 4));
        assert_eq!(of(oid::NUMERIC, &["0"]).unwrap_err().0.message, "NUMERIC precision 0 must be between 1 and 1000");
        assert_eq!(of(oid::TIMESTAMP, &["9"]), Ok(6));
        assert_eq!(input(oid::TEXT, &[]), None);
    }
}
