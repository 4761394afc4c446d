//! `text` and the types that are held as text: `varchar`, `character`, `name`, `cstring`.
//!
//! Texts are compared by their bytes: the collation is `C`.

use crate::base_type::{BaseType, value};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid::{self, Oid};
use crate::sql::*;

pub const TYPES: &[BaseType] = &[
    text_type(oid::TEXT, |_, text, _| Ok(Datum::text(text))),
    text_type(oid::VARCHAR, |_, text, typmod| Ok(Datum::text(limited(text, typmod, "character varying")?))),
    text_type(oid::BPCHAR, |_, text, typmod| Ok(Datum::text(padded(text, typmod)?))),
    text_type(oid::NAME, |_, text, _| Ok(Datum::text(truncated_name(text)))),
    text_type(oid::CSTRING, |_, text, _| Ok(Datum::text(text))),
    text_type(oid::UNKNOWN, |_, text, _| Ok(Datum::text(text))),
    text_type(oid::VOID, |_, _, _| Ok(Datum::text(""))),
    text_type(oid::PG_NODE_TREE, |_, _, _| Err(Error::new("0A000", "cannot accept a value of type pg_node_tree"))),
];

pub const FUNCTIONS: &[&[Function]] = &[functions! {
    texteq(text, text) -> boolean = |a, b| Result::Ok(a == b);
    textne(text, text) -> boolean = |a, b| Result::Ok(a != b);
    text_lt(text, text) -> boolean = |a, b| Result::Ok(a < b);
    text_le(text, text) -> boolean = |a, b| Result::Ok(a <= b);
    text_gt(text, text) -> boolean = |a, b| Result::Ok(a > b);
    text_ge(text, text) -> boolean = |a, b| Result::Ok(a >= b);
    bttextcmp(text, text) -> int4 = |a: &str, b: &str| Result::Ok(compare(a, b));
    text_larger(text, text) -> text = |a: &str, b: &str| Result::Ok(if a > b { a } else { b }.to_string());
    text_smaller(text, text) -> text = |a: &str, b: &str| Result::Ok(if a < b { a } else { b }.to_string());
}];

type Input = fn(&Context, &str, i32) -> Result<Datum>;

const fn text_type(oid: Oid, input: Input) -> BaseType {
    BaseType {
        oid,
        input,
        output: put,
        receive: |_, bytes, _| match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Datum::text(text)),
            Err(_) => Err(Error::new("22021", "invalid byte sequence for encoding \"UTF8\"")),
        },
        send: put,
    }
}

fn put(_: &Context, array: &dyn arrow_array::Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    out.extend_from_slice(value::<text>(array, index).as_bytes());
    Ok(())
}

/// As C's `strcmp`: the difference of the first bytes that differ.
fn compare(a: &str, b: &str) -> i32 {
    let ended = |text: &str, at: usize| text.as_bytes().get(at).map_or(0, |&byte| i32::from(byte));
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    ended(a, same) - ended(b, same)
}

/// The characters that a type modifier leaves; blanks beyond them are dropped, anything else is too long.
fn limited<'a>(text: &'a str, typmod: i32, title: &str) -> Result<&'a str> {
    let Some(most) = usize::try_from(typmod - 4).ok() else { return Ok(text) };
    let Some((end, _)) = text.char_indices().nth(most) else { return Ok(text) };
    if text[end..].bytes().any(|b| b != b' ') {
        return Err(Error::new("22001", format!("value too long for type {title}({most})")));
    }
    Ok(&text[..end])
}

/// A `character(n)`: as many characters as its type modifier says.
fn padded(text: &str, typmod: i32) -> Result<String> {
    let mut padded = limited(text, typmod, "character")?.to_string();
    let length = padded.chars().count();
    let wanted = usize::try_from(typmod - 4).unwrap_or(0);
    padded.extend(std::iter::repeat_n(' ', wanted.saturating_sub(length)));
    Ok(padded)
}

/// As much as a name holds: 63 bytes, and no part of a character.
pub fn truncated_name(text: &str) -> &str {
    &text[..text.floor_char_boundary(63)]
}
