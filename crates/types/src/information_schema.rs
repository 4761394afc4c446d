//! The functions of `information_schema`: what its views say of types, by their oids and modifiers.

use std::sync::Arc;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{ArrayRef, BinaryArray};

use crate::column::SqlType;
use crate::context::Context;
use crate::error::Result;
use crate::function::Function;
use crate::oid::{self, Oid};
use crate::record::RecordView;
use crate::repr::precision_and_scale;
use crate::scalar::Scalar;
use crate::sql::*;
use crate::{functions, sql_type};

pub const FUNCTIONS: &[Function] = functions! {
    _pg_truetypid(pg_attribute, pg_type) -> Option<oid_> =
        |column: RecordView<'_>, ty: RecordView<'_>| Result::Ok(true_type(column, ty).map(|found| found.unsigned() as u32));
    _pg_truetypmod(pg_attribute, pg_type) -> Option<int4> =
        |column: RecordView<'_>, ty: RecordView<'_>| Result::Ok(true_typmod(column, ty).map(|found| found.int() as i32));
    _pg_char_max_length(oid_, int4) -> Option<int4> = |ty, typmod| Result::Ok(char_max_length(ty, typmod));
    _pg_char_octet_length(oid_, int4) -> Option<int4> = |ty, typmod| Result::Ok(char_octet_length(ty, typmod));
    _pg_numeric_precision(oid_, int4) -> Option<int4> = |ty, typmod| Result::Ok(numeric_precision(ty, typmod));
    _pg_numeric_precision_radix(oid_, int4) -> Option<int4> = |ty, _| Result::Ok(numeric_precision_radix(ty));
    _pg_numeric_scale(oid_, int4) -> Option<int4> = |ty, typmod| Result::Ok(numeric_scale(ty, typmod));
    _pg_datetime_precision(oid_, int4) -> Option<int4> = |ty, typmod| Result::Ok(datetime_precision(ty, typmod));
    _pg_interval_type[context](oid_, int4) -> Option<text> = |c, ty, typmod| Result::Ok(interval_type(c, ty, typmod));
    nameconcatoid(name, oid_) -> name = |name: &str, oid| Result::Ok(with_oid(name, oid));
};

/// Rows of catalogs.
macro_rules! rows {
    ($($name:ident $oid:literal;)*) => {$(
        #[allow(non_camel_case_types)]
        pub enum $name {}

        impl SqlType for $name {
            const OID: Oid = $oid;
            type Value<'a> = RecordView<'a>;
            type Array = BinaryArray;
            type Builder = BinaryBuilder;

            fn get(array: &BinaryArray, index: usize) -> RecordView<'_> {
                RecordView::new(array.value(index))
            }
            fn builder(rows: usize) -> BinaryBuilder {
                BinaryBuilder::with_capacity(rows, rows * 256)
            }
            fn put_null(builder: &mut BinaryBuilder) {
                builder.append_null();
            }
            fn finish(mut builder: BinaryBuilder) -> ArrayRef {
                Arc::new(builder.finish())
            }
        }

        sql_type!($name);
    )*};
}

rows! {
    pg_type 71;
    pg_attribute 75;
}

/// Places of columns in these rows, from 0.
mod column {
    pub const ATTTYPID: usize = 2;
    pub const ATTTYPMOD: usize = 5;
    pub const TYPTYPE: usize = 6;
    pub const TYPBASETYPE: usize = 25;
    pub const TYPTYPMOD: usize = 26;
}

fn field<'a>(row: &RecordView<'a>, column: usize) -> Option<Scalar<'a>> {
    row.get(column).and_then(|field| field.value)
}

fn is_domain(ty: &RecordView<'_>) -> bool {
    field(ty, column::TYPTYPE).is_some_and(|kind| kind.unsigned() == u64::from(b'd'))
}

fn true_type<'a>(column: RecordView<'a>, ty: RecordView<'a>) -> Option<Scalar<'a>> {
    if is_domain(&ty) { field(&ty, column::TYPBASETYPE) } else { field(&column, column::ATTTYPID) }
}

fn true_typmod<'a>(column: RecordView<'a>, ty: RecordView<'a>) -> Option<Scalar<'a>> {
    if is_domain(&ty) { field(&ty, column::TYPTYPMOD) } else { field(&column, column::ATTTYPMOD) }
}

fn char_max_length(ty: Oid, typmod: i32) -> Option<i32> {
    match ty {
        _ if typmod == -1 => None,
        oid::BPCHAR | oid::VARCHAR => Some(typmod.wrapping_sub(4)),
        oid::BIT | oid::VARBIT => Some(typmod),
        _ => None,
    }
}

fn char_octet_length(ty: Oid, typmod: i32) -> Option<i32> {
    match ty {
        oid::TEXT | oid::BPCHAR | oid::VARCHAR if typmod == -1 => Some(1 << 30),
        // UTF-8 has up to 4 bytes a character.
        oid::TEXT | oid::BPCHAR | oid::VARCHAR => char_max_length(ty, typmod).map(|length| length.wrapping_mul(4)),
        _ => None,
    }
}

fn numeric_precision(ty: Oid, typmod: i32) -> Option<i32> {
    match ty {
        oid::INT2 => Some(16),
        oid::INT4 => Some(32),
        oid::INT8 => Some(64),
        oid::FLOAT4 => Some(24),
        oid::FLOAT8 => Some(53),
        oid::NUMERIC => precision_and_scale(typmod).map(|(precision, _)| precision),
        _ => None,
    }
}

fn numeric_precision_radix(ty: Oid) -> Option<i32> {
    match ty {
        oid::INT2 | oid::INT4 | oid::INT8 | oid::FLOAT4 | oid::FLOAT8 => Some(2),
        oid::NUMERIC => Some(10),
        _ => None,
    }
}

/// As the function is written, the scale is the modifier's lower half: a negative one has its bits there.
fn numeric_scale(ty: Oid, typmod: i32) -> Option<i32> {
    match ty {
        oid::INT2 | oid::INT4 | oid::INT8 => Some(0),
        oid::NUMERIC if typmod != -1 => Some(typmod.wrapping_sub(4) & 0xffff),
        _ => None,
    }
}

fn datetime_precision(ty: Oid, typmod: i32) -> Option<i32> {
    match ty {
        oid::DATE => Some(0),
        oid::TIME | oid::TIMESTAMP | oid::TIMESTAMPTZ | oid::TIMETZ => Some(if typmod < 0 { 6 } else { typmod }),
        oid::INTERVAL if typmod < 0 || typmod & 0xffff == 0xffff => Some(6),
        oid::INTERVAL => Some(typmod & 0xffff),
        _ => None,
    }
}

/// `DAY TO SECOND`: what the type's name has behind the word and its precision.
fn interval_type(context: &Context, ty: Oid, typmod: i32) -> Option<String> {
    if ty != oid::INTERVAL {
        return None;
    }
    let name = context.names.type_name(ty, Some(typmod))?;
    let (_, fields) = name.split_once(' ')?;
    Some(fields.to_uppercase())
}

/// Bytes of a name.
const MOST_BYTES: usize = 63;

/// A name that an oid makes unique. The name gives way where both do not fit.
fn with_oid(name: &str, oid: Oid) -> String {
    let suffix = format!("_{oid}");
    format!("{}{suffix}", &name[..name.floor_char_boundary(MOST_BYTES - suffix.len())])
}
