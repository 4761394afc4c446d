//! The text of a row: `(1,,"a b")`.

use arrow_array::Array;
use error::sqlstate;

use crate::array::output::check_length;
use crate::base_type::value;
use crate::context::Context;
use crate::datum::{ColumnBuilder, Datum};
use crate::error::{Error, Result};
use crate::memory::reserve;
use crate::oid::{self, Oid};
use crate::scalar::Scalar;

use super::builder::RecordBuilder;
use super::value::record;
use super::{Column, RowNames, writer};

/// `record_out`: appends the text of a column's row.
pub fn output(context: &Context, column: &dyn Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    out.push(b'(');
    for (number, field) in value::<record>(column, index).present().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let Some(value) = field.value else { continue };
        let begin = out.len();
        let mut column = ColumnBuilder::new(field.repr, 1);
        reserve(out, value.bytes().len())?;
        value.append_to(&mut column);
        (writer(context, &field)?.output)(context, &column.finish(), 0, out)?;
        quote(out, begin)?;
    }
    out.push(b')');
    Ok(())
}

/// Puts a value's text, which begins at `begin`, into quotes if it needs them.
fn quote(out: &mut Vec<u8>, begin: usize) -> Result<()> {
    let special = |&b: &u8| matches!(b, b'"' | b'\\' | b'(' | b')' | b',') || is_space(b);
    if out.len() > begin && !out[begin..].iter().any(special) {
        return Ok(());
    }
    let length = out.len() - begin;
    check_length(&out[begin..])?;
    reserve(out, length + 2)?;
    let text = out.split_off(begin);
    out.push(b'"');
    for byte in text {
        if matches!(byte, b'"' | b'\\') {
            out.push(byte);
        }
        out.push(byte);
    }
    out.push(b'"');
    Ok(())
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

/// `record_in`: the row of a composite type that a text means.
pub fn input(context: &Context, ty: Oid, columns: &[Column], text: &str) -> Result<Datum> {
    let malformed = |detail: &str| {
        Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, format!("malformed record literal: \"{text}\""))
            .detail(detail)
    };
    let bytes = text.as_bytes();
    let skip_space = |mut at: usize| {
        while bytes.get(at).is_some_and(|&b| is_space(b)) {
            at += 1;
        }
        at
    };
    let mut at = skip_space(0);
    if bytes.get(at) != Some(&b'(') {
        return Err(malformed("Missing left parenthesis."));
    }
    at += 1;
    let names = RowNames::default();
    let mut row = RecordBuilder::new(ty, &names);
    let mut is_first = true;
    for column in columns {
        if column.ty == oid::INVALID {
            row.push(oid::INVALID, column.repr, None)?;
            continue;
        }
        if !std::mem::take(&mut is_first) {
            if bytes.get(at) != Some(&b',') {
                return Err(malformed("Too few columns."));
            }
            at += 1;
        }
        let value = match bytes.get(at) {
            Some(b',' | b')') => Datum::Null,
            _ => {
                let (unquoted, end) = field(text, at).ok_or_else(|| malformed("Unexpected end of input."))?;
                at = end;
                column.reader.input(context, &unquoted, column.typmod)?
            }
        };
        row.push(column.ty, column.repr, Scalar::of_datum(&value))?;
    }
    if bytes.get(at) != Some(&b')') {
        return Err(malformed("Too many columns."));
    }
    if skip_space(at + 1) < bytes.len() {
        return Err(malformed("Junk after right parenthesis."));
    }
    Ok(Datum::bytes(row.finish()))
}

/// The value that begins at a place, without quotes, and the place of the comma or parenthesis behind it; `None`: there is
/// none.
fn field(text: &str, begin: usize) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut quoted = false;
    let mut rest = text[begin..].char_indices().peekable();
    loop {
        match rest.next()? {
            (at, ',' | ')') if !quoted => return Some((value, begin + at)),
            (_, '\\') => value.push(rest.next()?.1),
            (_, '"') if quoted && rest.peek().is_some_and(|(_, next)| *next == '"') => {
                rest.next();
                value.push('"');
            }
            (_, '"') => quoted = !quoted,
            (_, other) => value.push(other),
        }
    }
}
