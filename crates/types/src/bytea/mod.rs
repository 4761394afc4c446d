//! `bytea`: bytes.
//!
//! * [`bits`]: parts, bytes and bits of values; [`text`]: how they are written, and `encode`; [`digest`]: sums of them.
//! * [`encoding`]: texts in other encodings than the database's, which are bytes there.

mod bits;
mod digest;
mod encoding;
pub mod hash;
mod text;

use crate::base_type::{BaseType, value};
use crate::column::SqlType;
use crate::datum::Datum;
use crate::function::Function;
use crate::sql::bytea;

pub use encoding::{utf8, utf8_owned};

pub const TYPES: &[BaseType] = &[BaseType {
    oid: bytea::OID,
    input: |_, text, _| Ok(Datum::bytes(text::parse(text)?)),
    output: |context, array, index, out| text::write(value::<bytea>(array, index), context.bytea_escape, out),
    receive: |_, bytes, _| Ok(Datum::bytes(bytes)),
    send: |_, array, index, out| {
        out.extend_from_slice(value::<bytea>(array, index));
        Ok(())
    },
}];

pub const FUNCTIONS: &[&[Function]] = &[
    bits::COMPARISONS,
    bits::PARTS,
    bits::BITS,
    bits::NUMBERS,
    text::FUNCTIONS,
    digest::FUNCTIONS,
    encoding::FUNCTIONS,
    hash::FUNCTIONS,
];
