//! `jsonb`: JSON in a form in which members are found without reading the rest.
//!
//! * [`layout`]: the bytes of a value, and how it is read; [`walk`]: through all that is in it. [`builder`] makes one.
//! * [`input`], [`output`]: its texts. [`comparison`]: order, equality, hashes, keys.
//! * [`access`]: what is in it; [`subscript`]: `json[…]`; `contains`: whether something is; `change`, `set_path`: values made of others; [`build`]: of values of
//!   other types; `casts`: to them.

pub mod access;
pub mod build;
pub mod builder;
mod casts;
mod change;
mod comparison;
mod contains;
mod input;
pub mod layout;
mod output;
mod set_path;
pub mod subscript;
mod value;
pub mod walk;

use error::sqlstate;

use crate::base_type::{self, BaseType, no_data_left};
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::oid;
use crate::text::utf8;

pub use builder::{Builder, Rules};
pub use comparison::{append_key, compare};
pub use input::{append, parse};
pub use layout::{Value, View};
pub use output::append as write;
pub use value::jsonb;

pub const FUNCTIONS: &[&[Function]] = &[
    access::FUNCTIONS,
    build::FUNCTIONS,
    build::OF_TEXTS,
    casts::FUNCTIONS,
    change::FUNCTIONS,
    comparison::FUNCTIONS,
    contains::FUNCTIONS,
    set_path::FUNCTIONS,
];

/// The version of the bytes that clients write and read: the text behind it.
const VERSION: u8 = 1;

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::JSONB,
    input: |_, text, _| Ok(Datum::bytes(parse(text)?)),
    output: |_, array, index, out| write(base_type::value::<jsonb>(array, index), out),
    receive: |_, bytes, _| match bytes {
        [] => Err(no_data_left()),
        [VERSION, text @ ..] => Ok(Datum::bytes(parse(utf8(text)?)?)),
        [version, ..] => {
            Err(Error::new(sqlstate::INTERNAL_ERROR, format!("unsupported jsonb version number {version}")))
        }
    },
    send: |_, array, index, out| {
        out.push(VERSION);
        write(base_type::value::<jsonb>(array, index), out)
    },
}];

/// A string.
pub fn of_string(text: &str) -> Vec<u8> {
    let mut out = Vec::new();
    layout::write::alone(Value::String(text.as_bytes()), |bytes| out.extend_from_slice(bytes));
    out
}

fn invalid_parameter(message: impl Into<String>) -> Error {
    Error::new(sqlstate::INVALID_PARAMETER_VALUE, message)
}

/// Makes a value with a builder.
fn built(make: impl FnOnce(&mut Builder) -> Result<()>) -> Result<Vec<u8>> {
    let (mut builder, mut out) = (Builder::default(), Vec::new());
    make(&mut builder)?;
    builder.finish(&mut out)?;
    Ok(out)
}
