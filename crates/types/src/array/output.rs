//! Writes arrays as texts.

use arrow_array::Array;
use error::sqlstate;

use crate::array::column::to_column;
use crate::base_type::{BaseType, value, writer};
use crate::context::Context;
use crate::error::{Error, Result};
use crate::memory::reserve;

use super::input::is_space;
use super::shape::MOST_BYTES;
use super::value::anyarray;
use super::view::ArrayView;

/// `array_out`: appends the text of a column's array.
pub fn output(context: &Context, column: &dyn Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    let array = value::<anyarray>(column, index);
    write(context, writer(&*context.names, array.element(), array.repr())?, &array, out)
}

/// Appends the text of an array whose elements `element` writes.
pub fn write(context: &Context, element: &BaseType, array: &ArrayView<'_>, out: &mut Vec<u8>) -> Result<()> {
    if array.is_empty() {
        out.extend_from_slice(b"{}");
        return Ok(());
    }
    let shape = array.shape();
    if shape.lower().iter().any(|&lower| lower != 1) {
        out.extend_from_slice(dimensions(array).as_bytes());
        out.push(b'=');
    }
    // Elements that one member of each dimension has.
    let lengths = shape.lengths();
    let spans: Vec<usize> = (0..lengths.len()).map(|at| lengths[at..].iter().map(|&l| l as usize).product()).collect();
    let elements = to_column(array)?;
    for index in 0..array.len() {
        reserve(out, 2 * spans.len() + text_bytes(array, index))?;
        let opened = spans.iter().filter(|&&span| index.is_multiple_of(span)).count();
        if index > 0 {
            // The braces that open here were closed by the element before.
            out.extend(std::iter::repeat_n(b'}', opened));
            out.push(b',');
        }
        out.extend(std::iter::repeat_n(b'{', opened));
        if elements.is_null(index) {
            out.extend_from_slice(b"NULL");
        } else {
            let begin = out.len();
            (element.output)(context, &elements, index, out)?;
            quote(out, begin)?;
        }
    }
    out.extend(std::iter::repeat_n(b'}', spans.len()));
    Ok(())
}

/// Bytes of the text of an element of one width, about; writing it makes room for what it needs beyond that.
const SHORT: usize = 32;

/// As many bytes as an element's text needs, most likely.
pub(super) fn text_bytes(array: &ArrayView<'_>, index: usize) -> usize {
    SHORT + 2 * array.get(index).map_or(0, |value| value.bytes().len())
}

/// `[0:1][1:2]`
pub fn dimensions(array: &ArrayView<'_>) -> String {
    let shape = array.shape();
    let each = |dimension: usize| format!("[{}:{}]", shape.lower()[dimension], shape.upper(dimension));
    (0..shape.dimensions()).map(each).collect()
}

/// Puts an element's text, which begins at `begin`, into quotes if it needs them.
fn quote(out: &mut Vec<u8>, begin: usize) -> Result<()> {
    let text = &out[begin..];
    let special = |&b: &u8| matches!(b, b'"' | b'\\' | b'{' | b'}' | b',') || is_space(b);
    if !text.is_empty() && !text.eq_ignore_ascii_case(b"null") && !text.iter().any(special) {
        return Ok(());
    }
    check_length(text)?;
    reserve(out, text.len() + 2)?;
    let text = out.split_off(begin);
    out.push(b'"');
    for byte in text {
        if matches!(byte, b'"' | b'\\') {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
    Ok(())
}

/// A text that gets quotes may double, and do so again in each row or array around: it is bounded as in PostgreSQL.
pub(crate) fn check_length(text: &[u8]) -> Result<()> {
    if text.len() > MOST_BYTES {
        let message = format!("string buffer exceeds maximum allowed length ({MOST_BYTES} bytes)");
        return Err(Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, message));
    }
    Ok(())
}
