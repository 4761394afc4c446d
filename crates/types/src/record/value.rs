//! Rows as functions see them.
#![allow(non_camel_case_types)]

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};

use crate::column::{Put, SqlType};
use crate::oid::{self, Oid};
use crate::sql_type;

use super::view::RecordView;

pub enum record {}

impl SqlType for record {
    const OID: Oid = oid::RECORD;
    type Value<'a> = RecordView<'a>;
    type Array = BinaryArray;
    type Builder = BinaryBuilder;

    #[inline]
    fn get(array: &BinaryArray, index: usize) -> RecordView<'_> {
        RecordView::new(array.value(index))
    }
    fn builder(rows: usize) -> BinaryBuilder {
        BinaryBuilder::with_capacity(rows, rows * 32)
    }
    #[inline]
    fn put_null(builder: &mut BinaryBuilder) {
        builder.append_null();
    }
    fn finish(mut builder: BinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

/// The bytes that a builder has made, or a view has.
impl<B: AsRef<[u8]>> Put<B> for record {
    #[inline]
    fn put(builder: &mut BinaryBuilder, value: B) {
        builder.append_value(value);
    }
}

sql_type!(record);
