//! Values made of those of other types (`datum_to_jsonb_internal`): `to_jsonb`, `jsonb_build_array`, `jsonb_build_object`,
//! `jsonb_object`.

use arrow_array::ArrayRef;

use super::layout::Value;
use super::value::jsonb;
use super::{Builder, built, input, invalid_parameter};
use crate::array::ArrayView;
use crate::array::column::to_column;
use crate::array::value::text_array;
use crate::base_type::value;
use crate::column::{Argument, Put, SqlType};
use crate::context::Context;
use crate::datum::ColumnBuilder;
use crate::decimal;
use crate::error::Result;
use crate::function::{Call, Function, Kernel};
use crate::functions;
use crate::json::build::{check_pairs, key_text, row_values, text_pairs, text_pairs_of_two};
use crate::json::write::{Category, category, each_field, plain_text, scalar_text};
use crate::memory::claim_once;
use crate::numeric::text::parse;
use crate::numeric::value::Decimal;
use crate::numeric::whole::Whole;
use crate::numeric::{Numeric, numeric};
use crate::oid::{self, Oid};
use crate::record::value::record;
use crate::record::{Field, RecordView};
use crate::scalar::{self, Scalar};
use crate::sql::*;
use crate::text::utf8;

pub const FUNCTIONS: &[Function] = &[
    function("to_jsonb", &[oid::ANYELEMENT], true, to_jsonb),
    function("jsonb_build_array", &[], false, build_array),
    function("jsonb_build_array", &[oid::ANY], false, build_array),
    function("jsonb_build_object", &[], false, build_object),
    function("jsonb_build_object", &[oid::ANY], false, build_object),
];

pub const OF_TEXTS: &[Function] = functions! {
    jsonb_object(text_array) -> jsonb = |pairs: ArrayView<'_>| object_of_texts(&text_pairs(&pairs)?);
    jsonb_object(text_array, text_array) -> jsonb =
        |keys: ArrayView<'_>, values: ArrayView<'_>| object_of_texts(&text_pairs_of_two(&keys, &values)?);
};

const fn function(name: &'static str, arguments: &'static [Oid], strict: bool, kernel: Kernel) -> Function {
    Function { name, arguments, result: oid::JSONB, strict, kernel }
}

/// Builds a value for each row; NULL where nothing is built.
fn each(
    call: &Call<'_>,
    arguments: &[Argument],
    mut build: impl FnMut(&[Argument], usize, &mut Builder) -> Result<()>,
) -> Result<ArrayRef> {
    let columns: Vec<Argument> = arguments.iter().map(decimal::argument_to_numeric).collect();
    let (mut builder, mut bytes, mut values) = (Builder::default(), Vec::new(), jsonb::builder(call.rows));
    for row in 0..call.rows {
        builder.clear();
        build(&columns, row, &mut builder)?;
        match builder.is_empty() {
            true => jsonb::put_null(&mut values),
            false => {
                builder.finish(&mut bytes)?;
                let _room = claim_once(bytes.len())?;
                <jsonb as Put<&[u8]>>::put(&mut values, &bytes);
            }
        }
        jsonb::check(&values)?;
    }
    Ok(jsonb::finish(values))
}

fn to_jsonb(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    each(call, arguments, |columns, row, out| {
        let (column, index) = (columns[0].array(), columns[0].index(row));
        if column.is_null(index) { Ok(()) } else { append(call.context, call.arguments[0], column, index, out) }
    })
}

fn build_array(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let mut values = Vec::new();
    each(call, arguments, |columns, row, out| {
        if !row_values(call, columns, row, &mut values)? {
            return Ok(());
        }
        out.begin_array()?;
        for (ty, column, index) in &values {
            append(call.context, *ty, column, *index, out)?;
        }
        out.end();
        Ok(())
    })
}

fn build_object(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let mut values = Vec::new();
    each(call, arguments, |columns, row, out| {
        if !row_values(call, columns, row, &mut values)? {
            return Ok(());
        }
        check_pairs(values.len(), "jsonb_build_object")?;
        out.begin_object()?;
        for (number, pair) in values.chunks_exact(2).enumerate() {
            let [(key_type, keys, key), (ty, column, index)] = pair else { continue };
            if keys.is_null(*key) {
                return Err(invalid_parameter(format!("argument {}: key must not be null", 2 * number + 1)));
            }
            out.key(&key_text(call.context, *key_type, keys, *key)?)?;
            append(call.context, *ty, column, *index, out)?;
        }
        out.end();
        Ok(())
    })
}

fn object_of_texts(pairs: &[(&[u8], Option<&[u8]>)]) -> Result<Vec<u8>> {
    built(|out| {
        out.begin_object()?;
        for (key, value) in pairs {
            out.key(key)?;
            match value {
                Some(text) => out.string(text)?,
                None => out.null()?,
            }
        }
        out.end();
        Ok(())
    })
}

/// Adds a value of a column, or null.
pub fn append(context: &Context, ty: Oid, column: &ArrayRef, row: usize, out: &mut Builder) -> Result<()> {
    if column.is_null(row) {
        return out.null();
    }
    let (category, ty) = category(context, ty);
    match category {
        Category::Boolean => out.bool(value::<boolean>(column, row)),
        Category::Number => append_number(context, ty, column, row, out),
        Category::Json => input::append(value::<json>(column, row), out),
        Category::Jsonb => out.value(value::<jsonb>(column, row).root()),
        Category::Array => {
            let bytes = Scalar::of(column, row).map(Scalar::bytes).unwrap_or_default();
            append_array(context, &ArrayView::new(bytes), out)
        }
        Category::Composite => append_row(context, &value::<record>(column, row), out),
        Category::Date | Category::Timestamp | Category::TimestampTz | Category::Other => match ty {
            oid::TEXT | oid::VARCHAR => out.string(value::<text>(column, row).as_bytes()),
            _ => out.string(&scalar_text(context, category, ty, column, row)?),
        },
    }
}

/// NaN and the infinities are no numbers in JSON: they are strings.
fn append_number(context: &Context, ty: Oid, column: &ArrayRef, row: usize, out: &mut Builder) -> Result<()> {
    match (ty, Scalar::of(column, row)) {
        (_, Some(Scalar::Int(value))) => out.number(&Numeric::Finite(Decimal::whole(Whole::Small(value.into())))),
        (oid::NUMERIC, Some(Scalar::Bytes(bytes))) if matches!(value::<numeric>(column, row), Numeric::Finite(_)) => {
            out.value(Value::Number(bytes))
        }
        _ => {
            let text = plain_text(context, ty, column, row)?;
            match text.last() {
                Some(b'0'..=b'9') => out.number(&parse(utf8(&text)?)?),
                _ => out.string(&text),
            }
        }
    }
}

fn append_array(context: &Context, array: &ArrayView<'_>, out: &mut Builder) -> Result<()> {
    if array.is_empty() {
        out.begin_array()?;
        out.end();
        return Ok(());
    }
    let elements = to_column(array)?;
    let lengths: Vec<usize> = array.shape().lengths().iter().map(|&length| length as usize).collect();
    // How many elements are in one of each dimension.
    let sizes: Vec<usize> = (0..lengths.len()).map(|dimension| lengths[dimension..].iter().product()).collect();
    for index in 0..array.len() {
        for _ in sizes.iter().filter(|&&size| index % size == 0) {
            out.begin_array()?;
        }
        append(context, array.element(), &elements, index, out)?;
        for _ in sizes.iter().filter(|&&size| (index + 1) % size == 0) {
            out.end();
        }
    }
    Ok(())
}

fn append_row(context: &Context, row: &RecordView<'_>, out: &mut Builder) -> Result<()> {
    out.begin_object()?;
    each_field(context, row, &mut |name, field| {
        out.key(name.as_bytes())?;
        append_field(context, field, out)
    })?;
    out.end();
    Ok(())
}

/// Adds a column of a row. The most common need no column of their own for it.
fn append_field(context: &Context, field: &Field<'_>, out: &mut Builder) -> Result<()> {
    match (field.value, field.ty) {
        (None, _) => out.null(),
        (Some(Scalar::Bytes(text)), oid::TEXT | oid::VARCHAR | oid::NAME) => out.string(text),
        (value, ty) => {
            let mut column = ColumnBuilder::new(field.repr, 1);
            scalar::append(&mut column, value);
            append(context, ty, &column.finish(), 0, out)
        }
    }
}
