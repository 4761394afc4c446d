//! Arrays as bytes for clients: the number of dimensions, whether there are NULLs, the elements' type, the length and the
//! first subscript of each dimension, then each element behind its length.

use ::error::sqlstate;
use arrow_array::Array;

use crate::base_type::{BaseType, LEFT_OVER, value, writer};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::made_of::Reader;
use crate::oid::Oid;

use super::builder::ArrayBuilder;
use super::column::to_column;
use super::shape::{MOST_DIMENSIONS, Shape, too_many_dimensions};
use super::types::{element_repr, type_name};
use super::value::anyarray;
use super::view::ArrayView;

/// Whether the type may be a user's. The oids of all others mean the same everywhere.
pub(crate) fn is_of_users(ty: Oid) -> bool {
    ty >= 10_000
}

/// `array_recv`: the array of a built-in type's elements that bytes mean.
pub fn receive(context: &Context, element: Oid, bytes: &[u8], typmod: i32) -> Result<Datum> {
    let builder = ArrayBuilder::new(element, element_repr(element)?);
    read(context, Reader::of(element), builder, bytes, typmod)
}

/// The array that bytes mean, of elements that `element` receives into `builder`, which is empty.
pub fn read(context: &Context, element: Reader, mut builder: ArrayBuilder, bytes: &[u8], typmod: i32) -> Result<Datum> {
    let mut message = Message { rest: bytes };
    let dimensions = message.int()?;
    if dimensions < 0 {
        return Err(Error::new(
            sqlstate::INVALID_BINARY_REPRESENTATION,
            format!("invalid number of dimensions: {dimensions}"),
        ));
    }
    let dimensions = dimensions as usize;
    if dimensions > MOST_DIMENSIONS {
        return Err(too_many_dimensions(dimensions));
    }
    if !matches!(message.int()?, 0 | 1) {
        return Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, "invalid array flags"));
    }
    let (found, expected) = (message.int()? as Oid, builder.element());
    if found != expected && !is_of_users(found) && !is_of_users(expected) {
        return Err(mismatch(context, found, expected));
    }
    let (mut lengths, mut lower) = ([0; MOST_DIMENSIONS], [0; MOST_DIMENSIONS]);
    for dimension in 0..dimensions {
        lengths[dimension] = message.int()?;
        lower[dimension] = message.int()?;
    }
    let shape = Shape::new(&lengths[..dimensions], &lower[..dimensions])?;
    for number in 1..=shape.items() {
        match message.item()? {
            None => builder.push(None)?,
            Some(item) => {
                let value = element.receive(context, item, typmod);
                builder.push_datum(&value.map_err(|error| left_over(error, "array element", number))?)?
            }
        }
    }
    if !message.rest.is_empty() {
        return Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, "incorrect binary data format"));
    }
    Ok(Datum::bytes(builder.finish(&shape)?))
}

/// Bytes that are left of a part of a value are told with its place.
pub(crate) fn left_over(error: Error, part: &str, number: usize) -> Error {
    match error.0.message == LEFT_OVER {
        true => {
            Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, format!("improper binary format in {part} {number}"))
        }
        false => error,
    }
}

/// The name of a type that a client sends, which may be wrong.
pub(crate) fn sent_type_name(context: &Context, ty: Oid) -> String {
    match ty {
        0 => "-".into(),
        _ => context.names.type_name(ty, None).unwrap_or_else(|| "???".into()),
    }
}

fn mismatch(context: &Context, found: Oid, expected: Oid) -> Error {
    let (found_name, expected_name) = (sent_type_name(context, found), type_name(expected));
    let message = format!(
        "binary data has array element type {found} ({found_name}) instead of expected {expected} ({expected_name})"
    );
    Error::new(sqlstate::DATATYPE_MISMATCH, message)
}

/// What is left of a message.
pub(crate) struct Message<'a> {
    pub rest: &'a [u8],
}

impl<'a> Message<'a> {
    pub fn int(&mut self) -> Result<i32> {
        let missing = || Error::new(sqlstate::PROTOCOL_VIOLATION, "insufficient data left in message");
        let (int, rest) = self.rest.split_first_chunk().ok_or_else(missing)?;
        self.rest = rest;
        Ok(i32::from_be_bytes(*int))
    }

    /// A value's bytes behind their length; `None` for NULL.
    pub fn item(&mut self) -> Result<Option<&'a [u8]>> {
        let length = self.int()?;
        if length == -1 {
            return Ok(None);
        }
        let split = usize::try_from(length).ok().and_then(|length| self.rest.split_at_checked(length));
        let (item, rest) = split
            .ok_or_else(|| Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, "insufficient data left in message"))?;
        self.rest = rest;
        Ok(Some(item))
    }
}

/// `array_send`: appends the bytes of a column's array.
pub fn send(context: &Context, column: &dyn Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    let array = value::<anyarray>(column, index);
    write(context, writer(&*context.names, array.element(), array.repr())?, &array, out)
}

/// Appends the bytes of an array whose elements `element` sends.
pub fn write(context: &Context, element: &BaseType, array: &ArrayView<'_>, out: &mut Vec<u8>) -> Result<()> {
    let shape = array.shape();
    out.extend((shape.dimensions() as i32).to_be_bytes());
    out.extend(i32::from(array.has_nulls()).to_be_bytes());
    out.extend(array.element().to_be_bytes());
    for (length, lower) in shape.lengths().iter().zip(shape.lower()) {
        out.extend(length.to_be_bytes());
        out.extend(lower.to_be_bytes());
    }
    let elements = to_column(array)?;
    for index in 0..array.len() {
        send_item(context, element, &elements, index, out)?;
    }
    Ok(())
}

/// Appends a value's bytes behind their length.
pub(crate) fn send_item(
    context: &Context,
    ty: &BaseType,
    column: &dyn Array,
    index: usize,
    out: &mut Vec<u8>,
) -> Result<()> {
    if column.is_null(index) {
        out.extend((-1i32).to_be_bytes());
        return Ok(());
    }
    let begin = out.len();
    out.extend([0; 4]);
    (ty.send)(context, column, index, out)?;
    let length = (out.len() - begin - 4) as i32;
    out[begin..begin + 4].copy_from_slice(&length.to_be_bytes());
    Ok(())
}
