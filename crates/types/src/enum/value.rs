//! Values of enums as functions see them: numbers that have the values' order.
#![allow(non_camel_case_types)]

use std::sync::Arc;

use arrow_array::builder::FixedSizeBinaryBuilder;
use arrow_array::{ArrayRef, FixedSizeBinaryArray};

use crate::column::{Put, SqlType};
use crate::oid::{self, Oid};
use crate::sql_type;

pub enum anyenum {}

impl SqlType for anyenum {
    const OID: Oid = oid::ANYENUM;
    type Value<'a> = u128;
    type Array = FixedSizeBinaryArray;
    type Builder = FixedSizeBinaryBuilder;

    #[inline]
    fn get(array: &FixedSizeBinaryArray, index: usize) -> u128 {
        u128::from_be_bytes(array.value(index).try_into().expect("the representation's width"))
    }
    fn builder(rows: usize) -> FixedSizeBinaryBuilder {
        FixedSizeBinaryBuilder::with_capacity(rows, 16)
    }
    fn put_null(builder: &mut FixedSizeBinaryBuilder) {
        builder.append_null();
    }
    fn finish(mut builder: FixedSizeBinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Put<u128> for anyenum {
    #[inline]
    fn put(builder: &mut FixedSizeBinaryBuilder, value: u128) {
        builder.append_value(value.to_be_bytes()).expect("the representation's width");
    }
}

sql_type!(anyenum);
