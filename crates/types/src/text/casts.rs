//! Conversions among the types that are held as text, and `"char"`.

use error::sqlstate;

use super::compare::trimmed;
use super::{end_of, limit, limited, pad, truncated_name};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    text(name) -> text = |a: &str| Result::Ok(a.to_string());
    text(bpchar) -> text = |a: &str| Result::Ok(trimmed(a).to_string());
    varchar(name) -> varchar = |a: &str| Result::Ok(a.to_string());
    bpchar(name) -> bpchar = |a: &str| Result::Ok(a.to_string());
    name(text) -> name = |a: &str| Result::Ok(truncated_name(a).to_string());
    name(varchar) -> name = |a: &str| Result::Ok(truncated_name(a).to_string());
    name(bpchar) -> name = |a: &str| Result::Ok(trimmed(truncated_name(a)).to_string());
    varchar(varchar, int4, boolean) -> varchar =
        |a: &str, typmod, explicit| Result::Ok(fitted(a, typmod, explicit, "character varying")?.to_string());
    bpchar(bpchar, int4, boolean) -> bpchar =
        |a: &str, typmod: i32, explicit| pad(fitted(a, typmod, explicit, "character")?, typmod);
};

/// The characters that a type modifier leaves; an explicit conversion drops whatever is beyond.
fn fitted<'a>(text: &'a str, typmod: i32, explicit: bool, title: &str) -> Result<&'a str> {
    match limit(typmod) {
        None => Ok(text),
        Some(most) if explicit => Ok(&text[..end_of(text, most).unwrap_or(text.len())]),
        Some(_) => limited(text, typmod, title),
    }
}

pub const CHAR_COMPARISONS: &[Function] = functions! {
    chareq(quoted_char, quoted_char) -> boolean = |a, b| Result::Ok(a == b);
    charne(quoted_char, quoted_char) -> boolean = |a, b| Result::Ok(a != b);
    charlt(quoted_char, quoted_char) -> boolean = |a, b| Result::Ok(a < b);
    charle(quoted_char, quoted_char) -> boolean = |a, b| Result::Ok(a <= b);
    chargt(quoted_char, quoted_char) -> boolean = |a, b| Result::Ok(a > b);
    charge(quoted_char, quoted_char) -> boolean = |a, b| Result::Ok(a >= b);
    btcharcmp(quoted_char, quoted_char) -> int4 = |a: u8, b: u8| Result::Ok(i32::from(a) - i32::from(b));
};

pub const OF_CHAR: &[Function] = functions! {
    char(text) -> quoted_char = |a| Result::Ok(parse_char(a));
    char(int4) -> quoted_char = |a| match i8::try_from(a) {
        Ok(value) => Result::Ok(value as u8),
        Err(_) => Err(Error::out_of_range("\"char\"")),
    };
    int4(quoted_char) -> int4 = |a: u8| Result::Ok(i32::from(a as i8));
    text(quoted_char) -> text = |a| Result::Ok(char_text(a));
    bpchar(quoted_char) -> bpchar = |a: u8| match a {
        0..0x80 => Result::Ok(char_text(a)),
        _ => Err(Error::new(sqlstate::CHARACTER_NOT_IN_REPERTOIRE, format!("invalid byte sequence for encoding \"UTF8\": 0x{a:02x}"))),
    };
};

/// The first byte of a text, or the one that it writes as `\ooo`.
pub fn parse_char(text: &str) -> u8 {
    match text.as_bytes() {
        [b'\\', a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7'] => {
            ((a - b'0') << 6) | ((b - b'0') << 3) | (c - b'0')
        }
        [first, ..] => *first,
        [] => 0,
    }
}

/// A byte as text: nothing for 0, `\ooo` for what is not ASCII.
pub fn char_text(value: u8) -> String {
    match value {
        0 => String::new(),
        1..0x80 => char::from(value).to_string(),
        _ => format!("\\{value:03o}"),
    }
}
