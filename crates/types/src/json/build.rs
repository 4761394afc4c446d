//! JSON made of values: `to_json`, `array_to_json`, `row_to_json`, `json_build_array`, `json_build_object`,
//! `json_object`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;
use error::sqlstate;

use super::write::{self, Category, category};
use crate::array::ArrayView;
use crate::array::column::to_column;
use crate::array::value::text_array;
use crate::column::{Argument, SqlType};
use crate::context::Context;
use crate::decimal;
use crate::error::{Error, Result};
use crate::function::{Call, Function, Kernel};
use crate::functions;
use crate::memory::claim_once;
use crate::oid::{self, Oid};
use crate::record::RecordView;
use crate::scalar::Scalar;
use crate::sql::json;
use crate::text::{utf8, utf8_owned};

pub const FUNCTIONS: &[Function] = &[
    function("to_json", &[oid::ANYELEMENT], true, |call, arguments| {
        each(call, arguments, |columns, row, out| {
            let (column, index) = at(columns, 0, row);
            match column.is_null(index) {
                true => Ok(()),
                false => write::append(call.context, call.arguments[0], column, index, out),
            }
        })
    }),
    function("array_to_json", &[oid::ANYARRAY], true, array_to_json),
    function("array_to_json", &[oid::ANYARRAY, oid::BOOL], true, array_to_json),
    function("row_to_json", &[oid::RECORD], true, row_to_json),
    function("row_to_json", &[oid::RECORD, oid::BOOL], true, row_to_json),
    function("json_build_array", &[], false, build_array),
    function("json_build_array", &[oid::ANY], false, build_array),
    function("json_build_object", &[], false, build_object),
    function("json_build_object", &[oid::ANY], false, build_object),
];

pub const OF_TEXTS: &[Function] = functions! {
    json_object(text_array) -> json = |pairs: ArrayView<'_>| object_of_texts(&text_pairs(&pairs)?);
    json_object(text_array, text_array) -> json =
        |keys: ArrayView<'_>, values: ArrayView<'_>| object_of_texts(&text_pairs_of_two(&keys, &values)?);
};

const fn function(name: &'static str, arguments: &'static [Oid], strict: bool, kernel: Kernel) -> Function {
    Function { name, arguments, result: oid::JSON, strict, kernel }
}

fn at(columns: &[Argument], number: usize, row: usize) -> (&ArrayRef, usize) {
    (columns[number].array(), columns[number].index(row))
}

/// Writes a text for each row. One argument that is NULL is NULL, if there is one only.
fn each(
    call: &Call<'_>,
    arguments: &[Argument],
    mut write: impl FnMut(&[Argument], usize, &mut Vec<u8>) -> Result<()>,
) -> Result<ArrayRef> {
    let columns: Vec<Argument> = arguments.iter().map(decimal::argument_to_numeric).collect();
    let mut texts = StringBuilder::with_capacity(call.rows, call.rows * 16);
    let mut out = Vec::new();
    for row in 0..call.rows {
        out.clear();
        write(&columns, row, &mut out)?;
        match out.is_empty() {
            true => texts.append_null(),
            false => {
                let _room = claim_once(out.len())?;
                texts.append_value(utf8(&out)?);
            }
        }
        json::check(&texts)?;
    }
    Ok(Arc::new(texts.finish()))
}

/// A value, and whether its parts go on lines of their own; `None`: one of both is NULL.
fn value_and_lines<'a>(columns: &'a [Argument], row: usize) -> Option<(&'a [u8], bool)> {
    let value = |column: &'a Argument| Scalar::of(column.array(), column.index(row));
    let lines = columns.get(1).map_or(Some(false), |lines| value(lines).map(|lines| lines.unsigned() != 0));
    Some((value(&columns[0])?.bytes(), lines?))
}

fn array_to_json(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    each(call, arguments, |columns, row, out| match value_and_lines(columns, row) {
        Some((array, lines)) => write::append_array(call.context, &ArrayView::new(array), lines, out),
        None => Ok(()),
    })
}

fn row_to_json(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    each(call, arguments, |columns, row, out| match value_and_lines(columns, row) {
        Some((record, lines)) => write::append_row(call.context, &RecordView::new(record), lines, out),
        None => Ok(()),
    })
}

/// The arguments of a call of a `VARIADIC "any"` function for a row, or the elements of the array that stands for them: a type, a
/// column and where in it. `false`: that array is NULL.
pub fn row_values(
    call: &Call<'_>,
    columns: &[Argument],
    row: usize,
    values: &mut Vec<(Oid, ArrayRef, usize)>,
) -> Result<bool> {
    values.clear();
    if !call.variadic {
        let at = |number| at(columns, number, row);
        values.extend((0..columns.len()).map(|number| (call.arguments[number], at(number).0.clone(), at(number).1)));
        return Ok(true);
    }
    let (column, index) = at(columns, 0, row);
    let Some(array) = Scalar::of(column, index) else { return Ok(false) };
    let array = ArrayView::new(array.bytes());
    if !array.is_empty() {
        let elements = to_column(&array)?;
        values.extend((0..array.len()).map(|index| (array.element(), elements.clone(), index)));
    }
    Ok(true)
}

fn build_array(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let mut values = Vec::new();
    each(call, arguments, |columns, row, out| {
        if !row_values(call, columns, row, &mut values)? {
            return Ok(());
        }
        out.push(b'[');
        for (number, (ty, column, index)) in values.iter().enumerate() {
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            write::append(call.context, *ty, column, *index, out)?;
        }
        out.push(b']');
        Ok(())
    })
}

/// Fails unless so many arguments are pairs.
pub fn check_pairs(count: usize, function: &str) -> Result<()> {
    if count.is_multiple_of(2) {
        return Ok(());
    }
    let error = Error::new(sqlstate::INVALID_PARAMETER_VALUE, "argument list must have even number of elements");
    Err(error.hint(format!("The arguments of {function}() must consist of alternating keys and values.")))
}

fn null_key() -> Error {
    Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key")
}

fn build_object(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    if !call.variadic {
        check_pairs(arguments.len(), "json_build_object")?;
    }
    let mut values = Vec::new();
    each(call, arguments, |columns, row, out| {
        if !row_values(call, columns, row, &mut values)? {
            return Ok(());
        }
        check_pairs(values.len(), "json_build_object")?;
        out.push(b'{');
        for (number, pair) in values.chunks_exact(2).enumerate() {
            let [(key_type, keys, key), (ty, column, index)] = pair else { continue };
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            if keys.is_null(*key) {
                return Err(null_key());
            }
            append_key(call.context, *key_type, keys, *key, out)?;
            out.extend_from_slice(b" : ");
            write::append(call.context, *ty, column, *index, out)?;
        }
        out.push(b'}');
        Ok(())
    })
}

/// The text of a key. It is not NULL.
pub fn key_text(context: &Context, ty: Oid, column: &ArrayRef, row: usize) -> Result<Vec<u8>> {
    let (category, ty) = category(context, ty);
    match category {
        Category::Array | Category::Composite | Category::Json | Category::Jsonb => Err(Error::new(
            sqlstate::INVALID_PARAMETER_VALUE,
            "key value must be scalar, not array, composite, or json",
        )),
        Category::Boolean => {
            let value = crate::base_type::value::<crate::sql::boolean>(column, row);
            Ok(if value { b"true".to_vec() } else { b"false".to_vec() })
        }
        _ => write::scalar_text(context, category, ty, column, row),
    }
}

/// Appends a key in quotes. It is not NULL.
pub fn append_key(context: &Context, ty: Oid, column: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<()> {
    write::append_string(&key_text(context, ty, column, row)?, out)
}

type TextPairs<'a> = Vec<(&'a [u8], Option<&'a [u8]>)>;

fn wrong_subscripts(message: &str) -> Error {
    Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, message)
}

fn paired<'a>(
    keys: impl Iterator<Item = Option<Scalar<'a>>>,
    values: impl Iterator<Item = Option<Scalar<'a>>>,
) -> Result<TextPairs<'a>> {
    let pair = |(key, value): (Option<Scalar<'a>>, Option<Scalar<'a>>)| {
        Ok((key.ok_or_else(null_key)?.bytes(), value.map(Scalar::bytes)))
    };
    keys.zip(values).map(pair).collect()
}

/// The keys and values that are the elements of an array, in turn.
pub fn text_pairs<'a>(array: &ArrayView<'a>) -> Result<TextPairs<'a>> {
    match *array.shape().lengths() {
        [] => {}
        [count] if count % 2 == 1 => return Err(wrong_subscripts("array must have even number of elements")),
        [_] | [_, 2] => {}
        [_, _] => return Err(wrong_subscripts("array must have two columns")),
        _ => return Err(wrong_subscripts("wrong number of array subscripts")),
    }
    paired(array.iter().step_by(2), array.iter().skip(1).step_by(2))
}

/// The keys and values of two arrays.
pub fn text_pairs_of_two<'a>(keys: &ArrayView<'a>, values: &ArrayView<'a>) -> Result<TextPairs<'a>> {
    let dimensions = keys.shape().dimensions();
    if dimensions > 1 || dimensions != values.shape().dimensions() {
        return Err(wrong_subscripts("wrong number of array subscripts"));
    }
    if keys.len() != values.len() {
        return Err(wrong_subscripts("mismatched array dimensions"));
    }
    paired(keys.iter(), values.iter())
}

fn object_of_texts(pairs: &[(&[u8], Option<&[u8]>)]) -> Result<String> {
    let mut out = vec![b'{'];
    for (number, (key, value)) in pairs.iter().enumerate() {
        if number > 0 {
            out.extend_from_slice(b", ");
        }
        write::append_string(key, &mut out)?;
        out.extend_from_slice(b" : ");
        match value {
            Some(text) => write::append_string(text, &mut out)?,
            None => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
    utf8_owned(out)
}
