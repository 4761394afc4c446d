//! A value that is not NULL, borrowed from where it lies: what functions over values of any type work with (arrays, rows,
//! comparisons). Its type's [`Repr`] says how it is read.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_schema::DataType;

use crate::datum::{ColumnBuilder, Datum};
use crate::repr::Repr;

/// The classes of values, by what holds them.
#[derive(Clone, Copy, Debug)]
pub enum Scalar<'a> {
    /// Integers, dates, times, timestamps.
    Int(i64),
    /// Truth values, `"char"`, oids, transaction ids.
    Unsigned(u64),
    Float(f64),
    /// All else, texts too.
    Bytes(&'a [u8]),
}

impl<'a> Scalar<'a> {
    /// A value of a column; `None` for NULL. Columns of [`Repr::Decimal`] are converted beforehand
    /// ([`crate::decimal::to_numeric`]).
    pub fn of(column: &'a dyn Array, index: usize) -> Option<Scalar<'a>> {
        if column.is_null(index) {
            return None;
        }
        Some(match column.data_type() {
            DataType::Boolean => Scalar::Unsigned(column.as_boolean().value(index).into()),
            DataType::UInt8 => Scalar::Unsigned(column.as_primitive::<UInt8Type>().value(index).into()),
            DataType::Int16 => Scalar::Int(column.as_primitive::<Int16Type>().value(index).into()),
            DataType::Int32 => Scalar::Int(column.as_primitive::<Int32Type>().value(index).into()),
            DataType::Int64 => Scalar::Int(column.as_primitive::<Int64Type>().value(index)),
            DataType::UInt32 => Scalar::Unsigned(column.as_primitive::<UInt32Type>().value(index).into()),
            DataType::UInt64 => Scalar::Unsigned(column.as_primitive::<UInt64Type>().value(index)),
            DataType::Float32 => Scalar::Float(column.as_primitive::<Float32Type>().value(index).into()),
            DataType::Float64 => Scalar::Float(column.as_primitive::<Float64Type>().value(index)),
            DataType::Date32 => Scalar::Int(column.as_primitive::<Date32Type>().value(index).into()),
            DataType::Time64(_) => Scalar::Int(column.as_primitive::<Time64MicrosecondType>().value(index)),
            DataType::Timestamp(..) => Scalar::Int(column.as_primitive::<TimestampMicrosecondType>().value(index)),
            DataType::Utf8 => Scalar::Bytes(column.as_string::<i32>().value(index).as_bytes()),
            DataType::Binary => Scalar::Bytes(column.as_binary::<i32>().value(index)),
            DataType::FixedSizeBinary(_) => Scalar::Bytes(column.as_fixed_size_binary().value(index)),
            other => unreachable!("no value of {other} is a scalar"),
        })
    }

    /// A value as pages have it: numbers are little-endian. Not of [`Repr::Decimal`].
    pub fn of_page(repr: Repr, value: &'a [u8]) -> Scalar<'a> {
        fn number<const N: usize>(value: &[u8]) -> [u8; N] {
            value.try_into().unwrap_or([0; N])
        }
        match repr {
            Repr::Bool | Repr::Char => Scalar::Unsigned(u8::from_le_bytes(number(value)).into()),
            Repr::Int2 => Scalar::Int(i16::from_le_bytes(number(value)).into()),
            Repr::Int4 | Repr::Date => Scalar::Int(i32::from_le_bytes(number(value)).into()),
            Repr::Int8 | Repr::Time | Repr::Timestamp | Repr::TimestampTz => {
                Scalar::Int(i64::from_le_bytes(number(value)))
            }
            Repr::Oid => Scalar::Unsigned(u32::from_le_bytes(number(value)).into()),
            Repr::Xid8 => Scalar::Unsigned(u64::from_le_bytes(number(value))),
            Repr::Float4 => Scalar::Float(f32::from_le_bytes(number(value)).into()),
            Repr::Float8 => Scalar::Float(f64::from_le_bytes(number(value))),
            Repr::Decimal { .. } => unreachable!("digits of a decimal are no scalar"),
            _ => Scalar::Bytes(value),
        }
    }

    /// `None` for NULL.
    pub fn of_datum(datum: &'a Datum) -> Option<Scalar<'a>> {
        Some(match datum {
            Datum::Null => return None,
            Datum::Bool(v) => Scalar::Unsigned((*v).into()),
            Datum::U8(v) => Scalar::Unsigned((*v).into()),
            Datum::I16(v) => Scalar::Int((*v).into()),
            Datum::I32(v) => Scalar::Int((*v).into()),
            Datum::I64(v) => Scalar::Int(*v),
            Datum::U32(v) => Scalar::Unsigned((*v).into()),
            Datum::U64(v) => Scalar::Unsigned(*v),
            Datum::F32(v) => Scalar::Float((*v).into()),
            Datum::F64(v) => Scalar::Float(*v),
            Datum::I128(_) => unreachable!("digits of a decimal are no scalar"),
            Datum::Text(v) => Scalar::Bytes(v.as_bytes()),
            Datum::Bytes(v) => Scalar::Bytes(v),
        })
    }

    pub fn to_datum(self, repr: Repr) -> Datum {
        match repr {
            Repr::Bool => Datum::Bool(self.unsigned() != 0),
            Repr::Char => Datum::U8(self.unsigned() as u8),
            Repr::Oid => Datum::U32(self.unsigned() as u32),
            Repr::Xid8 => Datum::U64(self.unsigned()),
            Repr::Int2 => Datum::I16(self.int() as i16),
            Repr::Int4 | Repr::Date => Datum::I32(self.int() as i32),
            Repr::Int8 | Repr::Time | Repr::Timestamp | Repr::TimestampTz => Datum::I64(self.int()),
            Repr::Float4 => Datum::F32(self.float() as f32),
            Repr::Float8 => Datum::F64(self.float()),
            Repr::Text | Repr::Bpchar => Datum::text(self.text()),
            Repr::Decimal { .. } => unreachable!("digits of a decimal are no scalar"),
            _ => Datum::bytes(self.bytes()),
        }
    }

    /// Appends the value to a column of its type.
    pub fn append_to(self, column: &mut ColumnBuilder) {
        match column {
            ColumnBuilder::Bool(column) => column.append_value(self.unsigned() != 0),
            ColumnBuilder::U8(column) => column.append_value(self.unsigned() as u8),
            ColumnBuilder::I16(column) => column.append_value(self.int() as i16),
            ColumnBuilder::I32(column) => column.append_value(self.int() as i32),
            ColumnBuilder::I64(column) => column.append_value(self.int()),
            ColumnBuilder::U32(column) => column.append_value(self.unsigned() as u32),
            ColumnBuilder::U64(column) => column.append_value(self.unsigned()),
            ColumnBuilder::F32(column) => column.append_value(self.float() as f32),
            ColumnBuilder::F64(column) => column.append_value(self.float()),
            ColumnBuilder::I128(_) => unreachable!("digits of a decimal are no scalar"),
            ColumnBuilder::Date(column) => column.append_value(self.int() as i32),
            ColumnBuilder::Time(column) => column.append_value(self.int()),
            ColumnBuilder::Timestamp(column) => column.append_value(self.int()),
            ColumnBuilder::Text(column) => column.append_value(self.text()),
            ColumnBuilder::Bytes(column) => column.append_value(self.bytes()),
            ColumnBuilder::Fixed(column) => column.append_value(self.bytes()).expect("the representation's width"),
        }
    }

    /// Of the first three: the value that is asked for in the way of its representation. Another representation's is 0.
    pub fn int(self) -> i64 {
        if let Scalar::Int(value) = self { value } else { 0 }
    }

    pub fn unsigned(self) -> u64 {
        if let Scalar::Unsigned(value) = self { value } else { 0 }
    }

    pub fn float(self) -> f64 {
        if let Scalar::Float(value) = self { value } else { 0.0 }
    }

    pub fn bytes(self) -> &'a [u8] {
        if let Scalar::Bytes(value) = self { value } else { &[] }
    }

    /// Texts are UTF-8; empty for what is none.
    pub fn text(self) -> &'a str {
        std::str::from_utf8(self.bytes()).unwrap_or_default()
    }
}

/// Appends a value or NULL to a column.
pub fn append(column: &mut ColumnBuilder, value: Option<Scalar<'_>>) {
    match value {
        Some(value) => value.append_to(column),
        None => column.push(&Datum::Null),
    }
}
