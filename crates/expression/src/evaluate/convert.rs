//! From one representation, or type, to another.

use std::sync::Arc;

use analyze::query::SqlValue;
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType, Decimal128Array, Int32Array, StringArray, UInt32Array};
use arrow_schema::DataType;
use error::sqlstate;
use types::memory::claim_once;
use types::{Argument, BaseType, ColumnBuilder, Datum, Error, Reader, Repr, Result, SqlType, decimal};

use crate::frame::Frame;

/// The same of an array of another representation.
fn like(value: &Argument, array: ArrayRef) -> Argument {
    if value.is_constant() { Argument::constant(array) } else { Argument::column(array) }
}

fn decimals(value: &Argument) -> &Decimal128Array {
    value.array().as_primitive()
}

pub(crate) fn to_numeric(value: &Argument) -> Argument {
    like(value, Arc::new(decimal::to_numeric(decimals(value))))
}

pub(crate) fn to_decimal(value: &Argument, precision: u8, scale: i8) -> Result<Argument> {
    let numeric = match value.array().data_type() {
        DataType::Decimal128(..) => to_numeric(value),
        _ => value.clone(),
    };
    Ok(like(value, Arc::new(decimal::from_numeric(numeric.array().as_binary(), (precision, scale))?)))
}

/// A decimal that has room for all values.
pub(crate) fn rescale(value: &Argument, precision: u8, scale: i8) -> Argument {
    fn integers<T: ArrowPrimitiveType>(value: &Argument) -> Decimal128Array
    where
        T::Native: Into<i128>,
    {
        value.array().as_primitive::<T>().unary(Into::into)
    }
    let array = match value.array().data_type() {
        DataType::Int16 => integers::<Int16Type>(value),
        DataType::Int32 => integers::<Int32Type>(value),
        DataType::Int64 => integers::<Int64Type>(value),
        _ => decimals(value).clone(),
    };
    let factor = 10i128.pow((scale - array.scale().min(scale)) as u32);
    // What lies under a NULL may have no room.
    let array = if factor == 1 { array } else { array.unary(|units| rescaled(units, factor)) };
    like(value, Arc::new(array.with_data_type(DataType::Decimal128(precision, scale))))
}

fn rescaled(units: i128, factor: i128) -> i128 {
    if units == decimal::NAN { units } else { units.wrapping_mul(factor) }
}

/// The same 32 bits.
pub(crate) fn reinterpret(value: &Argument) -> Argument {
    let array: ArrayRef = match value.array().data_type() {
        DataType::Int32 => {
            Arc::new(value.array().as_primitive::<Int32Type>().unary::<_, UInt32Type>(|bits| bits as u32) as UInt32Array)
        }
        _ => {
            Arc::new(value.array().as_primitive::<UInt32Type>().unary::<_, Int32Type>(|bits| bits as i32) as Int32Array)
        }
    };
    like(value, array)
}

/// Through the text of a value: what one type writes, the other one reads. `None`: the text is the value.
pub(crate) fn through_text(
    frame: &Frame<'_>,
    output: Option<&BaseType>,
    input: Option<Reader>,
    value: &Argument,
    repr: Repr,
) -> Result<Argument> {
    let (array, context) = (value.array(), &*frame.execution.context);
    let rows = if value.is_constant() { 1 } else { frame.rows };
    let texts = match output {
        None => array.clone(),
        Some(ty) => Arc::new(written(ty, context, array, rows)?) as ArrayRef,
    };
    let Some(reader) = input else { return Ok(like(value, texts)) };
    let texts = texts.as_string::<i32>();
    let mut out = ColumnBuilder::new(repr, rows);
    for row in 0..rows {
        match texts.is_null(row) {
            true => out.push(&Datum::Null),
            false => {
                let value = reader.input(context, texts.value(row), -1)?;
                // Of variable length it is about as long as its text.
                let _room = claim_once(texts.value(row).len())?;
                out.push(&value);
            }
        }
    }
    Ok(like(value, out.finish()))
}

/// The texts of values.
fn written(ty: &BaseType, context: &types::Context, array: &ArrayRef, rows: usize) -> Result<StringArray> {
    let mut out = StringBuilder::with_capacity(rows, rows * 8);
    let mut text = Vec::new();
    for row in 0..rows {
        if array.is_null(row) {
            out.append_null();
            continue;
        }
        text.clear();
        (ty.output)(context, array, row, &mut text)?;
        let _room = claim_once(text.len())?;
        let text = std::str::from_utf8(&text)
            .map_err(|_| Error::new(sqlstate::INTERNAL_ERROR, "a value's text is no text"))?;
        out.append_value(text);
        types::sql::text::check(&out)?;
    }
    Ok(out.finish())
}

/// A name that the session has.
pub(crate) fn session_name(frame: &Frame<'_>, value: SqlValue) -> Result<Argument> {
    let session = &frame.execution.context.session;
    let name = match value {
        SqlValue::SessionUser => Some(session.session_user()?),
        SqlValue::CurrentCatalog => Some(session.database()?),
        SqlValue::CurrentSchema => session.search_path(false)?.into_iter().next(),
        _ => Some(session.current_user()?),
    };
    Ok(Argument::constant(Arc::new(StringArray::from(vec![name]))))
}
