//! The types under PostgreSQL's names, as declarations of functions spell them. They have no values of their own: each
//! says what a value of the type is in Rust ([`SqlType`]).
#![allow(non_camel_case_types)]

use std::sync::Arc;

use arrow_array::builder::{BinaryBuilder, BooleanBuilder, StringBuilder};
use arrow_array::types::{
    Float32Type, Float64Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BinaryArray, BooleanArray, StringArray};

use crate::column::{Put, SqlType};
use crate::error::Result;
use crate::memory;
use crate::oid::{self, Oid};

/// Makes a [`SqlType`] a parameter and a result.
#[macro_export]
macro_rules! sql_type {
    ($name:ident) => {
        impl $crate::column::Parameter for $name {
            type Type = $name;
            const STRICT: bool = true;
            type Value<'a> = <$name as $crate::column::SqlType>::Value<'a>;

            #[inline]
            fn get(array: &<$name as $crate::column::SqlType>::Array, index: usize) -> Option<Self::Value<'_>> {
                use arrow_array::Array;
                (!array.is_null(index)).then(|| <$name as $crate::column::SqlType>::get(array, index))
            }
        }

        impl $crate::column::Return for $name {
            type Type = $name;
        }

        impl<V> $crate::column::Give<V> for $name
        where
            $name: $crate::column::Put<V>,
        {
            #[inline]
            fn give(builder: &mut <$name as $crate::column::SqlType>::Builder, value: V) {
                <$name as $crate::column::Put<V>>::put(builder, value)
            }
        }
    };
}

/// Types whose values are so many bytes: what makes a value of them, and the way back.
macro_rules! fixed {
    ($($name:ident $oid:ident $value:ty, $width:literal, $read:expr, $write:expr;)*) => {$(
        #[allow(non_camel_case_types)]
        pub enum $name {}

        impl $crate::column::SqlType for $name {
            const OID: $crate::Oid = $crate::oid::$oid;
            type Value<'a> = $value;
            type Array = arrow_array::FixedSizeBinaryArray;
            type Builder = arrow_array::builder::FixedSizeBinaryBuilder;

            #[inline]
            fn get(array: &Self::Array, index: usize) -> $value {
                ($read)(array.value(index).try_into().expect("the representation's width"))
            }
            fn builder(rows: usize) -> Self::Builder {
                arrow_array::builder::FixedSizeBinaryBuilder::with_capacity(rows, $width)
            }
            #[inline]
            fn put_null(builder: &mut Self::Builder) {
                builder.append_null();
            }
            fn finish(mut builder: Self::Builder) -> arrow_array::ArrayRef {
                std::sync::Arc::new(builder.finish())
            }
        }

        impl $crate::column::Put<$value> for $name {
            #[inline]
            fn put(builder: &mut Self::Builder, value: $value) {
                builder.append_value(($write)(value)).expect("the representation's width");
            }
        }

        $crate::sql_type!($name);
    )*};
}

/// Types whose values are Rust's numbers.
macro_rules! numbers {
    ($($name:ident $oid:ident $repr:ident $native:ty, $arrow:ty;)*) => {$(
        pub enum $name {}

        impl $crate::column::SqlType for $name {
            const OID: $crate::Oid = $crate::oid::$oid;
            type Value<'a> = $native;
            type Array = arrow_array::PrimitiveArray<$arrow>;
            type Builder = arrow_array::builder::PrimitiveBuilder<$arrow>;

            #[inline]
            fn get(array: &Self::Array, index: usize) -> $native {
                array.value(index)
            }
            fn builder(rows: usize) -> Self::Builder {
                Self::Builder::with_capacity(rows).with_data_type($crate::Repr::$repr.arrow())
            }
            #[inline]
            fn put_null(builder: &mut Self::Builder) {
                builder.append_null();
            }
            fn finish(mut builder: Self::Builder) -> arrow_array::ArrayRef {
                std::sync::Arc::new(builder.finish())
            }
        }

        impl $crate::column::Put<$native> for $name {
            #[inline]
            fn put(builder: &mut Self::Builder, value: $native) {
                builder.append_value(value);
            }
        }

        sql_type!($name);
    )*};
}

pub(crate) use {fixed, numbers};

numbers! {
    // `"char"`
    quoted_char CHAR Char u8, UInt8Type;
    int2 INT2 Int2 i16, Int16Type;
    int4 INT4 Int4 i32, Int32Type;
    int8 INT8 Int8 i64, Int64Type;
    float4 FLOAT4 Float4 f32, Float32Type;
    float8 FLOAT8 Float8 f64, Float64Type;
    oid_ OID Oid u32, UInt32Type;
    xid XID Oid u32, UInt32Type;
    cid CID Oid u32, UInt32Type;
    xid8 XID8 Xid8 u64, UInt64Type;
    regproc REGPROC Oid u32, UInt32Type;
    regprocedure REGPROCEDURE Oid u32, UInt32Type;
    regoper REGOPER Oid u32, UInt32Type;
    regoperator REGOPERATOR Oid u32, UInt32Type;
    regclass REGCLASS Oid u32, UInt32Type;
    regtype REGTYPE Oid u32, UInt32Type;
    regnamespace REGNAMESPACE Oid u32, UInt32Type;
    regrole REGROLE Oid u32, UInt32Type;
    regcollation REGCOLLATION Oid u32, UInt32Type;
}

/// Types whose values are texts. A function writes its result, or gives one that exists already.
macro_rules! texts {
    ($($name:ident $oid:ident;)*) => {$(
        pub enum $name {}

        impl SqlType for $name {
            const OID: Oid = oid::$oid;
            type Value<'a> = &'a str;
            type Array = StringArray;
            type Builder = StringBuilder;

            #[inline]
            fn get(array: &StringArray, index: usize) -> &str {
                array.value(index)
            }
            fn builder(rows: usize) -> StringBuilder {
                StringBuilder::with_capacity(rows, rows * 8)
            }
            #[inline]
            fn put_null(builder: &mut StringBuilder) {
                builder.append_null();
            }
            #[inline]
            fn check(builder: &StringBuilder) -> Result<()> {
                bounded(builder.values_slice().len(), builder.offsets_slice().len() - 1)
            }
            fn finish(mut builder: StringBuilder) -> ArrayRef {
                Arc::new(builder.finish())
            }
        }

        impl<S: AsRef<str>> Put<S> for $name {
            #[inline]
            fn put(builder: &mut StringBuilder, value: S) {
                builder.append_value(value);
            }
        }

        sql_type!($name);
    )*};
}

texts! {
    text TEXT;
    varchar VARCHAR;
    bpchar BPCHAR;
    name NAME;
    cstring CSTRING;
    json JSON;
    jsonpath JSONPATH;
    refcursor REFCURSOR;
    pg_node_tree PG_NODE_TREE;
    unknown UNKNOWN;
}

pub enum boolean {}

impl SqlType for boolean {
    const OID: Oid = oid::BOOL;
    type Value<'a> = bool;
    type Array = BooleanArray;
    type Builder = BooleanBuilder;

    #[inline]
    fn get(array: &BooleanArray, index: usize) -> bool {
        array.value(index)
    }
    fn builder(rows: usize) -> BooleanBuilder {
        BooleanBuilder::with_capacity(rows)
    }
    #[inline]
    fn put_null(builder: &mut BooleanBuilder) {
        builder.append_null();
    }
    fn finish(mut builder: BooleanBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Put<bool> for boolean {
    #[inline]
    fn put(builder: &mut BooleanBuilder, value: bool) {
        builder.append_value(value);
    }
}

sql_type!(boolean);

pub enum bytea {}

impl SqlType for bytea {
    const OID: Oid = oid::BYTEA;
    type Value<'a> = &'a [u8];
    type Array = BinaryArray;
    type Builder = BinaryBuilder;

    #[inline]
    fn get(array: &BinaryArray, index: usize) -> &[u8] {
        array.value(index)
    }
    fn builder(rows: usize) -> BinaryBuilder {
        BinaryBuilder::with_capacity(rows, rows * 8)
    }
    #[inline]
    fn put_null(builder: &mut BinaryBuilder) {
        builder.append_null();
    }
    #[inline]
    fn check(builder: &BinaryBuilder) -> Result<()> {
        bounded(builder.values_slice().len(), builder.offsets_slice().len() - 1)
    }
    fn finish(mut builder: BinaryBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl<B: AsRef<[u8]>> Put<B> for bytea {
    #[inline]
    fn put(builder: &mut BinaryBuilder, value: B) {
        builder.append_value(value);
    }
}

sql_type!(bytea);

/// What a function gives that gives nothing: an empty text.
pub enum void {}

impl SqlType for void {
    const OID: Oid = oid::VOID;
    type Value<'a> = ();
    type Array = StringArray;
    type Builder = StringBuilder;

    fn get(_: &StringArray, _: usize) {}
    fn builder(rows: usize) -> StringBuilder {
        StringBuilder::with_capacity(rows, 0)
    }
    fn put_null(builder: &mut StringBuilder) {
        builder.append_null();
    }
    fn finish(mut builder: StringBuilder) -> ArrayRef {
        Arc::new(builder.finish())
    }
}

impl Put<()> for void {
    fn put(builder: &mut StringBuilder, (): ()) {
        builder.append_value("");
    }
}

sql_type!(void);

/// A value has less than 1 GiB, and what is before it less than [`memory::batch_bytes`]: offsets of 31 bits suffice.
#[inline]
fn bounded(bytes: usize, values: usize) -> Result<()> {
    if bytes >= memory::LEAST_BATCH && bytes > memory::batch_bytes() && values > 1 {
        return Err(memory::too_long_for_a_batch());
    }
    Ok(())
}
