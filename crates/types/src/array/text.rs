//! `array_to_string` and `string_to_array`.

use crate::base_type::{BaseType, writer};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::memory::{claim_once, reserve};
use crate::oid;
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::*;

use arrow_array::Array;
use error::sqlstate;

use super::builder::ArrayBuilder;
use super::column::to_column;
use super::output::text_bytes;
use super::value::{anyarray, text_array};
use super::view::ArrayView;

pub const FUNCTIONS: &[Function] = functions! {
    array_to_string[context](anyarray, text) -> text = |context, array, separator| {
        join(context, &array, separator, None)
    };
    array_to_string[context](anyarray, text, Option<text>) -> text = |context, array, separator, null| {
        join(context, &array, separator, null)
    };
    string_to_array(text, Option<text>) -> text_array = |string, separator| split(string, separator, None);
    string_to_array(text, Option<text>, Option<text>) -> text_array = split;
};

/// The texts of the elements, `null` for NULL; without it NULLs are left out.
fn join(context: &Context, array: &ArrayView<'_>, separator: &str, null: Option<&str>) -> Result<String> {
    if array.is_empty() {
        return Ok(String::new());
    }
    let element: &BaseType = writer(&*context.names, array.element(), array.repr())?;
    let elements = to_column(array)?;
    let mut out = Vec::new();
    let mut first = true;
    for index in 0..array.len() {
        reserve(&mut out, separator.len() + text_bytes(array, index))?;
        let is_null = elements.is_null(index);
        if is_null && null.is_none() {
            continue;
        }
        if !first {
            out.extend_from_slice(separator.as_bytes());
        }
        first = false;
        match null.filter(|_| is_null) {
            Some(null) => out.extend_from_slice(null.as_bytes()),
            None => (element.output)(context, &elements, index, &mut out)?,
        }
    }
    // Of the value in its column.
    drop(claim_once(out.len())?);
    String::from_utf8(out)
        .map_err(|_| Error::new(sqlstate::CHARACTER_NOT_IN_REPERTOIRE, "invalid byte sequence for encoding \"UTF8\""))
}

/// The parts of a text; without a separator its characters. A part that is `null` is NULL.
pub fn split(string: &str, separator: Option<&str>, null: Option<&str>) -> Result<Vec<u8>> {
    let mut parts = ArrayBuilder::new(oid::TEXT, Repr::Text);
    let mut push = |part: &str| match null {
        Some(null) if null == part => parts.push(None),
        _ => parts.push(Some(Scalar::Bytes(part.as_bytes()))),
    };
    match separator {
        _ if string.is_empty() => {}
        Some("") => push(string)?,
        Some(separator) => string.split(separator).try_for_each(push)?,
        None => string.char_indices().try_for_each(|(at, c)| push(&string[at..at + c.len_utf8()]))?,
    }
    parts.finish_list()
}
