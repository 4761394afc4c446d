//! `numeric`: decimal numbers of any length, NaN and the infinities.
//!
//! * [`value`]: what a value is in Rust, and arithmetic; [`whole`]: the whole numbers under it.
//! * [`bytes`]: how a value lies in columns and on pages; [`text`] and [`wire`]: how clients write and read it.
//! * [`functions`]: what is declared; [`math`]: roots, powers and logarithms; [`sum`]: what `sum` and `avg` gather.
//!
//! Values in columns are always [`Repr::Numeric`](crate::Repr::Numeric)'s bytes here. [`crate::decimal`] converts them to
//! and from the columns of a `numeric(p,s)` that are Arrow's decimals.

pub mod bytes;
pub mod functions;
pub mod math;
pub mod sum;
pub mod text;
pub mod value;
pub mod whole;
pub mod wire;

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};

use crate::base_type::{self, BaseType};
use crate::column::{Put, SqlType};
use crate::datum::Datum;
use crate::oid::{self, Oid};
use crate::sql_type;
pub use value::Numeric;

/// The type, for declarations of functions that compute.
#[allow(non_camel_case_types)]
pub enum numeric {}

impl SqlType for numeric {
    const OID: Oid = oid::NUMERIC;
    type Value<'a> = Numeric;
    type Array = BinaryArray;
    type Builder = BinaryBuilder;

    #[inline]
    fn get(array: &BinaryArray, index: usize) -> Numeric {
        bytes::from_bytes(array.value(index))
    }
    fn builder(rows: usize) -> BinaryBuilder {
        BinaryBuilder::with_capacity(rows, rows * 8)
    }
    #[inline]
    fn put_null(builder: &mut BinaryBuilder) {
        builder.append_null();
    }
    fn finish(mut builder: BinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Put<Numeric> for numeric {
    #[inline]
    fn put(builder: &mut BinaryBuilder, value: Numeric) {
        bytes::with_bytes(&value, |bytes| builder.append_value(bytes));
    }
}

sql_type!(numeric);

/// The type, for declarations of functions that only compare: the value is its key.
#[allow(non_camel_case_types)]
pub enum numeric_key {}

impl SqlType for numeric_key {
    const OID: Oid = oid::NUMERIC;
    type Value<'a> = &'a [u8];
    type Array = BinaryArray;
    type Builder = BinaryBuilder;

    #[inline]
    fn get(array: &BinaryArray, index: usize) -> &[u8] {
        bytes::key(array.value(index))
    }
    fn builder(rows: usize) -> BinaryBuilder {
        numeric::builder(rows)
    }
    fn put_null(builder: &mut BinaryBuilder) {
        builder.append_null();
    }
    fn finish(builder: BinaryBuilder) -> ArrayRef {
        numeric::finish(builder)
    }
}

sql_type!(numeric_key);

/// A value as a column has it.
pub fn datum(value: &Numeric) -> Datum {
    bytes::with_bytes(value, |bytes| Datum::bytes(bytes))
}

pub const TYPES: &[BaseType] = &[BaseType {
    oid: oid::NUMERIC,
    input: |_, text, typmod| Ok(datum(&text::parse(text)?.fit(typmod)?)),
    output: |_, array, index, out| {
        text::write(&base_type::value::<numeric>(array, index), out);
        Ok(())
    },
    receive: |_, bytes, typmod| Ok(datum(&wire::receive(bytes, typmod)?)),
    send: |_, array, index, out| {
        wire::send(&base_type::value::<numeric>(array, index), out);
        Ok(())
    },
}];
