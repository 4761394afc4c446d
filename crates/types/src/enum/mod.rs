//! Enums: PostgreSQL's `enum.c`.
//!
//! # The bytes of a value
//! The place of its label among those of its type (12 bytes, big-endian) and the label's oid (4). Values are compared by their
//! bytes, so pages, indexes and sorts need no catalog to have them in their order. A place is given once: a label that is added
//! between two others gets one between theirs, and no label's ever changes. So what an index has stays in order for ever.
//!
//! # Invariants
//! * No two labels of a type have the same place: values are equal where their bytes are.
//! * A label that its transaction has added to a type that was there before is not given out (55P04): others would find the
//!   value in indexes if that transaction failed.

mod functions;
mod place;
pub mod value;

pub use functions::FUNCTIONS;
pub use place::{Neighbours, between, initial};

use arrow_array::Array;
use error::sqlstate;

use crate::base_type::{self, BaseType};
use crate::context::Context;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::system::format_type;
use crate::text::utf8;

use value::anyenum;

/// A label of an enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub oid: Oid,
    pub name: String,
    /// As [`initial`] or [`between`] gave it.
    pub place: u128,
    /// May values have it?
    pub usable: bool,
}

impl Label {
    /// The value that has this label.
    fn value(&self) -> u128 {
        self.place << 32 | u128::from(self.oid)
    }

    /// The same, where it may be used (`check_safe_enum_use`).
    fn usable_value(&self, context: &Context, ty: Oid) -> Result<u128> {
        if self.usable {
            return Ok(self.value());
        }
        let message =
            format!("unsafe use of new value \"{}\" of enum type {}", self.name, format_type(context, ty, None));
        Err(Error::new(sqlstate::UNSAFE_NEW_ENUM_VALUE_USAGE, message)
            .hint("New enum values must be committed before they can be used."))
    }
}

/// The label's oid in a value.
fn label_of(value: u128) -> Oid {
    value as Oid
}

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::ANYENUM,
    input: |_, _, _| Err(no_input()),
    output,
    receive: |_, _, _| Err(no_input()),
    send: output,
}];

fn no_input() -> Error {
    Error::new(sqlstate::FEATURE_NOT_SUPPORTED, "cannot accept a value of type anyenum")
}

/// `enum_out`, and `enum_send`, which sends the same.
fn output(context: &Context, column: &dyn Array, index: usize, out: &mut Vec<u8>) -> Result<()> {
    let label = label_of(base_type::value::<anyenum>(column, index));
    let missing = || {
        let message = format!("invalid internal value for enum: {label}");
        Error::new(sqlstate::INVALID_BINARY_REPRESENTATION, message)
    };
    let name = context.names.enum_label(label).ok_or_else(missing)?;
    out.extend_from_slice(name.as_bytes());
    Ok(())
}

/// `enum_in`: the value of an enum that a text means.
pub fn input(context: &Context, ty: Oid, text: &str) -> Result<Datum> {
    let label = context.names.enum_labelled(ty, text).ok_or_else(|| {
        let message = format!("invalid input value for enum {}: \"{text}\"", format_type(context, ty, None));
        Error::new(sqlstate::INVALID_TEXT_REPRESENTATION, message)
    })?;
    Ok(Datum::bytes(label.usable_value(context, ty)?.to_be_bytes()))
}

/// `enum_recv`.
pub fn receive(context: &Context, ty: Oid, bytes: &[u8]) -> Result<Datum> {
    input(context, ty, utf8(bytes)?)
}
