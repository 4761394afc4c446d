//! Arrays as functions see them.
#![allow(non_camel_case_types)]

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};

use crate::column::{Put, SqlType};
use crate::oid::{self, Oid};
use crate::sql_type;

use super::view::ArrayView;

macro_rules! arrays {
    ($($name:ident $oid:expr;)*) => {$(
        pub enum $name {}

        impl SqlType for $name {
            const OID: Oid = $oid;
            type Value<'a> = ArrayView<'a>;
            type Array = BinaryArray;
            type Builder = BinaryBuilder;

            #[inline]
            fn get(array: &BinaryArray, index: usize) -> ArrayView<'_> {
                ArrayView::new(array.value(index))
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
        impl<B: AsRef<[u8]>> Put<B> for $name {
            #[inline]
            fn put(builder: &mut BinaryBuilder, value: B) {
                builder.append_value(value);
            }
        }

        sql_type!($name);
    )*};
}

arrays! {
    anyarray oid::ANYARRAY;
    anycompatiblearray oid::ANYCOMPATIBLEARRAY;
    int2vector oid::INT2VECTOR;
    oidvector oid::OIDVECTOR;
    int4_array oid::INT4_ARRAY;
    text_array oid::TEXT_ARRAY;
    name_array oid::NAME_ARRAY;
    aclitem_array oid::ACLITEM_ARRAY;
}
