//! Values as functions see them.

use std::io::Write;
use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};

use super::layout::{Value, View, write};
use crate::column::{Put, SqlType};
use crate::error::Result;
use crate::oid::{self, Oid};
use crate::sql::bytea;
use crate::sql_type;

#[allow(non_camel_case_types)]
pub enum jsonb {}

impl SqlType for jsonb {
    const OID: Oid = oid::JSONB;
    type Value<'a> = View<'a>;
    type Array = BinaryArray;
    type Builder = BinaryBuilder;

    #[inline]
    fn get(array: &BinaryArray, index: usize) -> View<'_> {
        View::new(array.value(index))
    }
    fn builder(rows: usize) -> BinaryBuilder {
        BinaryBuilder::with_capacity(rows, rows * 32)
    }
    #[inline]
    fn put_null(builder: &mut BinaryBuilder) {
        builder.append_null();
    }
    #[inline]
    fn check(builder: &BinaryBuilder) -> Result<()> {
        bytea::check(builder)
    }
    fn finish(mut builder: BinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// The bytes that a builder has made.
impl<B: AsRef<[u8]>> Put<B> for jsonb {
    #[inline]
    fn put(builder: &mut BinaryBuilder, value: B) {
        builder.append_value(value);
    }
}

/// A value out of another one.
impl Put<Value<'_>> for jsonb {
    #[inline]
    fn put(builder: &mut BinaryBuilder, value: Value<'_>) {
        write::alone(value, |bytes| builder.write_all(bytes).expect("a builder takes it"));
        builder.append_value("");
    }
}

sql_type!(jsonb);
