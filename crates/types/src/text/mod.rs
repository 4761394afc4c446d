//! `text` and the types that are held as text: `varchar`, `character`, `name`, `cstring`; and `"char"`, a byte.
//!
//! Texts are compared by their bytes, in every collation that there is. Their characters are those of `C.UTF-8`, or in the
//! collation `C` those of ASCII: [`FUNCTIONS_IN_C`].
//!
//! * [`compare`], [`casts`]: comparisons and conversions; [`classes`], [`case`]: kinds of characters.
//! * [`functions`], [`unicode`], [`parse_ident`]: functions of texts. [`concat`], [`format`]: of values of [`any`] type.
//! * [`like`]: LIKE and its like. Regular expressions are [`crate::regex`].

pub mod any;
mod case;
mod casts;
pub mod classes;
pub mod compare;
mod concat;
mod format;
mod functions;
pub mod like;
mod parse_ident;
mod unicode;

use std::fmt;

use error::sqlstate;

use crate::base_type::{BaseType, one_byte, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::memory::claim;
use crate::oid::{self, Oid};
use crate::sql::*;

pub use case::{lower, upper};
pub use concat::texts;
pub use functions::{MOST, characters, room, too_long};

pub const TYPES: &[BaseType] = &[
    text_type(oid::TEXT, |_, text, _| Ok(Datum::text(text))),
    BaseType {
        receive: |_, bytes, typmod| Ok(Datum::text(limited(utf8(bytes)?, typmod, "character varying")?)),
        ..text_type(oid::VARCHAR, |_, text, typmod| Ok(Datum::text(limited(text, typmod, "character varying")?)))
    },
    BaseType {
        receive: |_, bytes, typmod| Ok(Datum::text(padded(utf8(bytes)?, typmod)?)),
        ..text_type(oid::BPCHAR, |_, text, typmod| Ok(Datum::text(padded(text, typmod)?)))
    },
    text_type(oid::NAME, |_, text, _| Ok(Datum::text(truncated_name(text)))),
    text_type(oid::CSTRING, |_, text, _| Ok(Datum::text(text))),
    text_type(oid::UNKNOWN, |_, text, _| Ok(Datum::text(text))),
    text_type(oid::VOID, |_, _, _| Ok(Datum::text(""))),
    text_type(oid::PG_NODE_TREE, |_, _, _| {
        Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot accept a value of type pg_node_tree"))
    }),
    BaseType {
        oid: oid::CHAR,
        input: |_, text, _| Ok(Datum::U8(casts::parse_char(text))),
        output: |_, array, index, out| {
            out.extend(casts::char_text(value::<quoted_char>(array, index)).into_bytes());
            Ok(())
        },
        receive: |_, bytes, _| Ok(Datum::U8(one_byte(bytes)?)),
        send: |_, array, index, out| {
            out.push(value::<quoted_char>(array, index));
            Ok(())
        },
    },
];

pub const FUNCTIONS: &[&[Function]] = &[
    casts::FUNCTIONS,
    casts::CHAR_COMPARISONS,
    casts::OF_CHAR,
    case::FUNCTIONS,
    unicode::FUNCTIONS,
    concat::FUNCTIONS,
    concat::OF_ANY,
    format::FUNCTIONS,
    parse_ident::FUNCTIONS,
];

/// What the collation `C` makes different, but for regular expressions.
pub const FUNCTIONS_IN_C: &[&[Function]] = &[case::FUNCTIONS_IN_C, like::FUNCTIONS_IN_C];

pub use crate::bytea::{utf8, utf8_owned};
pub use compare::FUNCTIONS as COMPARISONS;
pub use functions::FUNCTIONS as OF_CHARACTERS;
pub use like::FUNCTIONS as LIKE;

type Input = fn(&Context, &str, i32) -> Result<Datum>;

const fn text_type(oid: Oid, input: Input) -> BaseType {
    BaseType { oid, input, output: put, receive: |_, bytes, _| Ok(Datum::text(utf8(bytes)?)), send: put }
}

fn put(_: &Context, array: &dyn arrow_array::Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(value::<text>(array, index).as_bytes());
    Ok(())
}

/// As many characters as a type modifier says, if it says something.
fn limit(typmod: i32) -> Option<usize> {
    usize::try_from(typmod.checked_sub(4)?).ok()
}

/// The characters that a type modifier leaves; blanks beyond them are dropped, anything else is too long.
fn limited<'a>(text: &'a str, typmod: i32, title: &str) -> Result<&'a str> {
    let Some(most) = limit(typmod) else { return Ok(text) };
    let Some(end) = end_of(text, most) else { return Ok(text) };
    if text[end..].bytes().any(|b| b != b' ') {
        return Err(Error::new(
            sqlstate::STRING_DATA_RIGHT_TRUNCATION,
            format!("value too long for type {title}({most})"),
        ));
    }
    Ok(&text[..end])
}

/// Where so many characters of a text end; `None`: it has no more than these.
fn end_of(text: &str, characters: usize) -> Option<usize> {
    if text.len() <= characters {
        return None;
    }
    if text.is_ascii() {
        return Some(characters);
    }
    text.char_indices().nth(characters).map(|(end, _)| end)
}

/// A `character(n)`: as many characters as its type modifier says.
fn padded(text: &str, typmod: i32) -> Result<String> {
    pad(limited(text, typmod, "character")?, typmod)
}

/// Fails with XX000 for more bytes than a value of PostgreSQL has, whose header has four.
fn pad(text: &str, typmod: i32) -> Result<String> {
    let blanks = limit(typmod).map_or(0, |wanted| missing_blanks(text, wanted));
    let bytes = text.len() + blanks;
    if bytes > MOST {
        return Err(Error::new(sqlstate::INTERNAL_ERROR, format!("invalid memory alloc request size {}", bytes + 4)));
    }
    let _room = claim(bytes)?;
    let mut padded = String::with_capacity(bytes);
    padded.push_str(text);
    padded.extend(std::iter::repeat_n(' ', blanks));
    Ok(padded)
}

/// How many blanks a `character(n)` of so many characters lacks.
pub fn missing_blanks(text: &str, wanted: usize) -> usize {
    wanted.saturating_sub(if text.is_ascii() { text.len() } else { text.chars().count() })
}

/// Adds blanks, many at once.
pub fn push_blanks(out: &mut impl fmt::Write, mut count: usize) -> fmt::Result {
    const BLANKS: &str = "                                                                ";
    while count > 0 {
        let some = count.min(BLANKS.len());
        out.write_str(&BLANKS[..some])?;
        count -= some;
    }
    Ok(())
}

/// As much as a name holds: 63 bytes, and no part of a character.
pub fn truncated_name(text: &str) -> &str {
    &text[..text.floor_char_boundary(63)]
}
