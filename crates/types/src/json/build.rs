//! JSON made of values: `to_json`, `array_to_json`, `row_to_json`, `json_build_array`, `json_build_object`.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::StringBuilder;
use error::sqlstate;

use super::write::{self, Category, category};
use crate::array::ArrayView;
use crate::column::{Argument, SqlType};
use crate::context::Context;
use crate::decimal;
use crate::error::{Error, Result};
use crate::function::{Call, Function, Kernel};
use crate::memory::claim_once;
use crate::oid::{self, Oid};
use crate::record::RecordView;
use crate::scalar::Scalar;
use crate::sql::json;
use crate::text::utf8;

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

fn without_variadic(call: &Call<'_>) -> Result<()> {
    if call.variadic { Err(Error::unsupported("VARIADIC with an array of values for JSON")) } else { Ok(()) }
}

fn build_array(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    without_variadic(call)?;
    each(call, arguments, |columns, row, out| {
        out.push(b'[');
        for number in 0..columns.len() {
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            let (column, index) = at(columns, number, row);
            write::append(call.context, call.arguments[number], column, index, out)?;
        }
        out.push(b']');
        Ok(())
    })
}

fn build_object(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    without_variadic(call)?;
    if arguments.len() % 2 == 1 {
        let error = Error::new(sqlstate::INVALID_PARAMETER_VALUE, "argument list must have even number of elements");
        let hint = "The arguments of json_build_object() must consist of alternating keys and values.";
        return Err(error.hint(hint));
    }
    each(call, arguments, |columns, row, out| {
        out.push(b'{');
        for number in (0..columns.len()).step_by(2) {
            if number > 0 {
                out.extend_from_slice(b", ");
            }
            let (key, index) = at(columns, number, row);
            if key.is_null(index) {
                return Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "null value not allowed for object key"));
            }
            append_key(call.context, call.arguments[number], key, index, out)?;
            out.extend_from_slice(b" : ");
            let (column, index) = at(columns, number + 1, row);
            write::append(call.context, call.arguments[number + 1], column, index, out)?;
        }
        out.push(b'}');
        Ok(())
    })
}

/// Appends a key in quotes. It is not NULL.
pub fn append_key(context: &Context, ty: Oid, column: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<()> {
    let (category, ty) = category(context, ty);
    let text = match category {
        Category::Array | Category::Composite | Category::Json => {
            return Err(Error::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "key value must be scalar, not array, composite, or json",
            ));
        }
        Category::Boolean => {
            let value = crate::base_type::value::<crate::sql::boolean>(column, row);
            if value { b"true".to_vec() } else { b"false".to_vec() }
        }
        _ => write::scalar_text(context, category, ty, column, row)?,
    };
    write::append_string(&text, out)
}
