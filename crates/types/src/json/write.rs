//! Values as JSON (`datum_to_json`).

use arrow_array::ArrayRef;

use crate::array::column::to_column;
use crate::array::{ArrayView, element_type};
use crate::base_type::{value, writer};
use crate::context::Context;
use crate::datetime::values::{date, timestamp, timestamptz};
use crate::datetime::{self, DateStyle};
use crate::datum::ColumnBuilder;
use crate::digits::put_integer;
use crate::error::Result;
use crate::jsonb;
use crate::memory::{LONG, reserve};
use crate::oid::{self, Oid};
use crate::record::value::record;
use crate::record::{Field, RecordView};
use crate::repr::Repr;
use crate::scalar::{self, Scalar};
use crate::sql::*;

/// What becomes of values of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    Boolean,
    Number,
    Date,
    Timestamp,
    TimestampTz,
    Json,
    Jsonb,
    Array,
    Composite,
    Other,
}

/// What becomes of values of a type, and the built-in type that they are of.
pub fn category(context: &Context, ty: Oid) -> (Category, Oid) {
    let ty = context.names.value_type(ty);
    let category = match ty {
        oid::BOOL => Category::Boolean,
        oid::INT2 | oid::INT4 | oid::INT8 | oid::FLOAT4 | oid::FLOAT8 | oid::NUMERIC => Category::Number,
        oid::DATE => Category::Date,
        oid::TIMESTAMP => Category::Timestamp,
        oid::TIMESTAMPTZ => Category::TimestampTz,
        oid::JSON => Category::Json,
        oid::JSONB => Category::Jsonb,
        oid::RECORD => Category::Composite,
        // The arrays of a column of `pg_statistic` say themselves what they are.
        oid::ANYARRAY => Category::Array,
        _ if element_type(ty).is_some() => Category::Array,
        _ => Category::Other,
    };
    (category, ty)
}

/// Appends a value of a column, or `null`.
pub fn append(context: &Context, ty: Oid, column: &ArrayRef, row: usize, out: &mut Vec<u8>) -> Result<()> {
    if column.is_null(row) {
        out.extend_from_slice(b"null");
        return Ok(());
    }
    let (category, ty) = category(context, ty);
    match category {
        Category::Boolean => out.extend_from_slice(if value::<boolean>(column, row) { b"true" } else { b"false" }),
        Category::Number => {
            let number = plain_text(context, ty, column, row)?;
            reserve(out, number.len())?;
            // NaN and the infinities are no numbers in JSON.
            match number.last() {
                Some(b'0'..=b'9') => out.extend_from_slice(&number),
                _ => append_string(&number, out)?,
            }
        }
        Category::Json => {
            let json = value::<json>(column, row).as_bytes();
            reserve(out, json.len())?;
            out.extend_from_slice(json);
        }
        Category::Jsonb => jsonb::write(value::<jsonb::jsonb>(column, row), out)?,
        Category::Array => {
            let bytes = Scalar::of(column, row).map(Scalar::bytes).unwrap_or_default();
            append_array(context, &ArrayView::new(bytes), false, out)?;
        }
        Category::Composite => append_row(context, &value::<record>(column, row), false, out)?,
        Category::Date | Category::Timestamp | Category::TimestampTz | Category::Other => {
            append_string(&scalar_text(context, category, ty, column, row)?, out)?;
        }
    }
    Ok(())
}

/// The text of a value that is a string in JSON; dates and times in ISO 8601.
pub fn scalar_text(context: &Context, category: Category, ty: Oid, column: &ArrayRef, row: usize) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    if !matches!(category, Category::Date | Category::Timestamp | Category::TimestampTz) {
        return plain_text(context, ty, column, row);
    }
    let iso = Context { date_style: DateStyle::Iso, ..context.clone() };
    match category {
        Category::Date => datetime::put_date(&mut out, value::<date>(column, row), &iso),
        Category::Timestamp => datetime::put_xml_timestamp(&mut out, value::<timestamp>(column, row), false, &iso),
        _ => datetime::put_xml_timestamp(&mut out, value::<timestamptz>(column, row), true, &iso),
    }
    Ok(out)
}

/// The text of a value, as its type writes it.
pub fn plain_text(context: &Context, ty: Oid, column: &ArrayRef, row: usize) -> Result<Vec<u8>> {
    let repr = Repr::of(ty, -1).unwrap_or(Repr::Text);
    let mut out = Vec::new();
    (writer(&*context.names, ty, repr)?.output)(context, column, row, &mut out)?;
    Ok(out)
}

/// Bytes of a number or of a word, and of what stands between values, at most; strings ask for theirs.
const SHORT: usize = 32;

/// Appends an array; `lines` puts the elements of the outermost dimension on lines of their own.
pub fn append_array(context: &Context, array: &ArrayView<'_>, lines: bool, out: &mut Vec<u8>) -> Result<()> {
    if array.is_empty() {
        out.extend_from_slice(b"[]");
        return Ok(());
    }
    let elements = to_column(array)?;
    let lengths: Vec<usize> = array.shape().lengths().iter().map(|&length| length as usize).collect();
    // How many elements are in one of each dimension.
    let sizes: Vec<usize> = (0..lengths.len()).map(|dimension| lengths[dimension..].iter().product()).collect();
    for index in 0..array.len() {
        reserve(out, SHORT + 2 * sizes.len())?;
        let begins = sizes.iter().filter(|&&size| index % size == 0).count();
        if index > 0 {
            let outermost = sizes.get(1).is_none_or(|&size| index % size == 0);
            out.extend_from_slice(if lines && outermost { b",\n " } else { b"," });
        }
        out.extend(std::iter::repeat_n(b'[', begins));
        append(context, array.element(), &elements, index, out)?;
        let ends = sizes.iter().filter(|&&size| (index + 1) % size == 0).count();
        out.extend(std::iter::repeat_n(b']', ends));
    }
    Ok(())
}

/// Appends a row (`composite_to_json`); `lines` puts its columns on lines of their own.
pub fn append_row(context: &Context, row: &RecordView<'_>, lines: bool, out: &mut Vec<u8>) -> Result<()> {
    out.push(b'{');
    let begin = out.len();
    each_field(context, row, &mut |name, field| {
        if out.len() > begin {
            out.extend_from_slice(if lines { b",\n " } else { b"," });
        }
        append_string(name.as_bytes(), out)?;
        out.push(b':');
        append_field(context, field, out)
    })?;
    out.push(b'}');
    Ok(())
}

/// Calls `take` with the name of each column of a row, and the column.
pub fn each_field(
    context: &Context,
    row: &RecordView<'_>,
    take: &mut dyn FnMut(&str, &Field<'_>) -> Result<()>,
) -> Result<()> {
    let mut fields = row.iter().enumerate();
    let mut result = Ok(());
    let mut put = |name: Option<&str>| {
        let Some((number, field)) = fields.next() else { return false };
        if field.ty != oid::INVALID && result.is_ok() {
            result = match name {
                Some(name) => take(name, &field),
                None => take(&format!("f{}", number + 1), &field),
            };
        }
        true
    };
    match row.ty() {
        oid::RECORD => row.names().for_each(|name| _ = put(Some(name))),
        ty => context.names.column_names(ty, &mut |name| _ = put(Some(name))),
    }
    while put(None) {}
    result
}

/// Appends a column of a row. The most common need no column of their own for it.
fn append_field(context: &Context, field: &Field<'_>, out: &mut Vec<u8>) -> Result<()> {
    match (field.value, field.ty) {
        (None, _) => out.extend_from_slice(b"null"),
        (Some(Scalar::Int(number)), oid::INT2 | oid::INT4 | oid::INT8) => {
            put_integer(out, number);
        }
        (Some(Scalar::Bytes(text)), oid::TEXT | oid::VARCHAR | oid::NAME) => append_string(text, out)?,
        (value, ty) => {
            let mut column = ColumnBuilder::new(field.repr, 1);
            scalar::append(&mut column, value);
            append(context, ty, &column.finish(), 0, out)?;
        }
    }
    Ok(())
}

/// Bytes that a byte of a string has, in strings that are long.
fn string_bytes(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | 8 | 12 | b'\n' | b'\r' | b'\t' => 2,
        0..32 => 6,
        _ => 1,
    }
}

/// Appends a string in quotes. Fails with 53200.
pub fn append_string(text: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let bytes = match text.len() {
        LONG.. => text.iter().map(|&byte| string_bytes(byte)).sum(),
        short => short,
    };
    reserve(out, bytes + 2)?;
    out.push(b'"');
    for &byte in text {
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            8 => out.extend_from_slice(b"\\b"),
            12 => out.extend_from_slice(b"\\f"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..32 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(byte),
        }
    }
    out.push(b'"');
    Ok(())
}
