//! Rows as bytes for clients: the number of columns, then each one's type and its value behind its length.

use ::error::sqlstate;
use arrow_array::Array;

use crate::array::types::type_name;
use crate::array::wire::{Message, is_of_users, left_over, send_item, sent_type_name};
use crate::base_type::value;
use crate::context::Context;
use crate::datum::{ColumnBuilder, Datum};
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::scalar::{self, Scalar};

use super::builder::RecordBuilder;
use super::value::record;
use super::{Column, RowNames, writer};

/// `record_send`: appends the bytes of a column's row.
pub fn send(context: &Context, column: &dyn Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    let row = value::<record>(column, index);
    out.extend((row.present().count() as i32).to_be_bytes());
    for field in row.present() {
        out.extend(field.ty.to_be_bytes());
        let mut column = ColumnBuilder::new(field.repr, 1);
        scalar::append(&mut column, field.value);
        send_item(context, writer(context, &field)?, &column.finish(), 0, out)?;
    }
    Ok(())
}

/// `record_recv`: the row of a composite type that bytes mean.
pub fn receive(context: &Context, ty: Oid, columns: &[Column], bytes: &[u8]) -> Result<Datum> {
    let mut message = Message { rest: bytes };
    let count = message.int()?;
    let expected = columns.iter().filter(|column| column.ty != oid::INVALID).count();
    if count != expected as i32 {
        let message = format!("wrong number of columns: {count}, expected {expected}");
        return Err(Error::new(sqlstate::DATATYPE_MISMATCH, message));
    }
    let names = RowNames::default();
    let mut row = RecordBuilder::new(ty, &names);
    for (number, column) in columns.iter().enumerate() {
        if column.ty == oid::INVALID {
            row.push(oid::INVALID, column.repr, None)?;
            continue;
        }
        let found = message.int()? as Oid;
        if found != column.ty && !is_of_users(found) && !is_of_users(column.ty) {
            return Err(mismatch(context, found, column.ty, number + 1));
        }
        let value = match message.item()? {
            Some(item) => column
                .reader
                .receive(context, item, column.typmod)
                .map_err(|error| left_over(error, "record column", number + 1))?,
            None => Datum::Null,
        };
        row.push(column.ty, column.repr, Scalar::of_datum(&value))?;
    }
    if !message.rest.is_empty() {
        return Err(Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, "incorrect binary data format"));
    }
    Ok(Datum::bytes(row.finish()))
}

fn mismatch(context: &Context, found: Oid, expected: Oid, column: usize) -> Error {
    let (found_name, expected_name) = (sent_type_name(context, found), type_name(expected));
    let message = format!(
        "binary data has type {found} ({found_name}) instead of expected {expected} ({expected_name}) in record column {column}"
    );
    Error::new(sqlstate::DATATYPE_MISMATCH, message)
}
