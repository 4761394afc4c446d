//! One value. Its type is known from elsewhere; what is here is how it is held ([`Repr`]).

use std::any::Any;
use std::fmt::Write;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow_array::builder::*;
use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, Int32Array, Int64Array, StringArray};
use arrow_buffer::{Buffer, OffsetBuffer};
use arrow_schema::DataType;

use crate::column::{Put, SqlType};
use crate::error::Result;
use crate::repr::Repr;
use crate::sql::{bytea, text};
use crate::text::push_blanks;

/// A value, or NULL. Dates and times are numbers, as in Arrow; what has no number is bytes.
#[derive(Clone, Debug)]
pub enum Datum {
    Null,
    Bool(bool),
    U8(u8),
    I16(i16),
    I32(i32),
    I64(i64),
    U32(u32),
    U64(u64),
    F32(f32),
    F64(f64),
    /// Digits of a [`Repr::Decimal`], without the point.
    I128(i128),
    Text(Arc<str>),
    Bytes(Arc<[u8]>),
}

impl Datum {
    pub fn text(text: impl Into<Arc<str>>) -> Datum {
        Datum::Text(text.into())
    }

    pub fn bytes(bytes: impl Into<Arc<[u8]>>) -> Datum {
        Datum::Bytes(bytes.into())
    }

    pub fn is_null(&self) -> bool {
        matches!(self, Datum::Null)
    }

    /// A value of a column.
    pub fn of(array: &dyn Array, index: usize) -> Datum {
        if array.is_null(index) {
            return Datum::Null;
        }
        match array.data_type() {
            DataType::Boolean => Datum::Bool(array.as_boolean().value(index)),
            DataType::UInt8 => Datum::U8(array.as_primitive::<UInt8Type>().value(index)),
            DataType::Int16 => Datum::I16(array.as_primitive::<Int16Type>().value(index)),
            DataType::Int32 => Datum::I32(array.as_primitive::<Int32Type>().value(index)),
            DataType::Int64 => Datum::I64(array.as_primitive::<Int64Type>().value(index)),
            DataType::UInt32 => Datum::U32(array.as_primitive::<UInt32Type>().value(index)),
            DataType::UInt64 => Datum::U64(array.as_primitive::<UInt64Type>().value(index)),
            DataType::Float32 => Datum::F32(array.as_primitive::<Float32Type>().value(index)),
            DataType::Float64 => Datum::F64(array.as_primitive::<Float64Type>().value(index)),
            DataType::Decimal128(..) => Datum::I128(array.as_primitive::<Decimal128Type>().value(index)),
            DataType::Date32 => Datum::I32(array.as_primitive::<Date32Type>().value(index)),
            DataType::Time64(_) => Datum::I64(array.as_primitive::<Time64MicrosecondType>().value(index)),
            DataType::Timestamp(..) => Datum::I64(array.as_primitive::<TimestampMicrosecondType>().value(index)),
            DataType::Utf8 => Datum::text(array.as_string::<i32>().value(index)),
            DataType::Binary => Datum::bytes(array.as_binary::<i32>().value(index)),
            DataType::FixedSizeBinary(_) => Datum::bytes(array.as_fixed_size_binary().value(index)),
            other => unreachable!("no type is represented by {other}"),
        }
    }

    /// A column with this one value.
    pub fn to_array(&self, repr: Repr) -> ArrayRef {
        // What most parameters are, without a builder.
        match (self, repr) {
            (Datum::I32(value), Repr::Int4) => Arc::new(Int32Array::from(vec![*value])),
            (Datum::I64(value), Repr::Int8) => Arc::new(Int64Array::from(vec![*value])),
            (Datum::Text(value), Repr::Text | Repr::Bpchar) => {
                let offsets = OffsetBuffer::from_lengths([value.len()]);
                Arc::new(StringArray::new(offsets, Buffer::from(value.as_bytes()), None))
            }
            _ => {
                let mut builder = ColumnBuilder::new(repr, 1);
                builder.push(self);
                builder.finish()
            }
        }
    }
}

/// Values as Rust has them: a number of the type's width, a text.
macro_rules! values {
    ($($ty:ty, $class:ident;)*) => {$(
        impl From<$ty> for Datum {
            fn from(value: $ty) -> Datum {
                Datum::$class(value.into())
            }
        }
    )*};
}

values! {
    bool, Bool;
    i16, I16;
    i32, I32;
    i64, I64;
    u32, U32;
    f64, F64;
    &str, Text;
    String, Text;
}

impl<T: Into<Datum>> From<Option<T>> for Datum {
    fn from(value: Option<T>) -> Datum {
        value.map_or(Datum::Null, Into::into)
    }
}

/// Equal as constants are: the same bits.
impl PartialEq for Datum {
    fn eq(&self, other: &Datum) -> bool {
        use Datum::*;
        match (self, other) {
            (Null, Null) => true,
            (Bool(a), Bool(b)) => a == b,
            (U8(a), U8(b)) => a == b,
            (I16(a), I16(b)) => a == b,
            (I32(a), I32(b)) => a == b,
            (I64(a), I64(b)) => a == b,
            (U32(a), U32(b)) => a == b,
            (U64(a), U64(b)) => a == b,
            (F32(a), F32(b)) => a.to_bits() == b.to_bits(),
            (F64(a), F64(b)) => a.to_bits() == b.to_bits(),
            (I128(a), I128(b)) => a == b,
            (Text(a), Text(b)) => a == b,
            (Bytes(a), Bytes(b)) => a == b,
            _ => false,
        }
    }
}

impl Eq for Datum {}

impl Hash for Datum {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Datum::Null => {}
            Datum::Bool(v) => v.hash(state),
            Datum::U8(v) => v.hash(state),
            Datum::I16(v) => v.hash(state),
            Datum::I32(v) => v.hash(state),
            Datum::I64(v) => v.hash(state),
            Datum::U32(v) => v.hash(state),
            Datum::U64(v) => v.hash(state),
            Datum::F32(v) => v.to_bits().hash(state),
            Datum::F64(v) => v.to_bits().hash(state),
            Datum::I128(v) => v.hash(state),
            Datum::Text(v) => v.hash(state),
            Datum::Bytes(v) => v.hash(state),
        }
    }
}

/// Gathers values of one representation into a column.
pub enum ColumnBuilder {
    Bool(BooleanBuilder),
    U8(UInt8Builder),
    I16(Int16Builder),
    I32(Int32Builder),
    I64(Int64Builder),
    U32(UInt32Builder),
    U64(UInt64Builder),
    F32(Float32Builder),
    F64(Float64Builder),
    I128(Decimal128Builder),
    Date(Date32Builder),
    Time(Time64MicrosecondBuilder),
    Timestamp(TimestampMicrosecondBuilder),
    Text(StringBuilder),
    Bytes(BinaryBuilder),
    Fixed(FixedSizeBinaryBuilder),
}

impl ColumnBuilder {
    pub fn new(repr: Repr, rows: usize) -> ColumnBuilder {
        ColumnBuilder::with_capacity(repr, rows, rows * 8)
    }

    /// With room for so many rows and, where values are of variable length, so many bytes.
    pub fn with_capacity(repr: Repr, rows: usize, bytes: usize) -> ColumnBuilder {
        let arrow = repr.arrow();
        match &arrow {
            DataType::Boolean => ColumnBuilder::Bool(BooleanBuilder::with_capacity(rows)),
            DataType::UInt8 => ColumnBuilder::U8(UInt8Builder::with_capacity(rows)),
            DataType::Int16 => ColumnBuilder::I16(Int16Builder::with_capacity(rows)),
            DataType::Int32 => ColumnBuilder::I32(Int32Builder::with_capacity(rows)),
            DataType::Int64 => ColumnBuilder::I64(Int64Builder::with_capacity(rows)),
            DataType::UInt32 => ColumnBuilder::U32(UInt32Builder::with_capacity(rows)),
            DataType::UInt64 => ColumnBuilder::U64(UInt64Builder::with_capacity(rows)),
            DataType::Float32 => ColumnBuilder::F32(Float32Builder::with_capacity(rows)),
            DataType::Float64 => ColumnBuilder::F64(Float64Builder::with_capacity(rows)),
            DataType::Decimal128(..) => {
                ColumnBuilder::I128(Decimal128Builder::with_capacity(rows).with_data_type(arrow))
            }
            DataType::Date32 => ColumnBuilder::Date(Date32Builder::with_capacity(rows)),
            DataType::Time64(_) => ColumnBuilder::Time(Time64MicrosecondBuilder::with_capacity(rows)),
            DataType::Timestamp(..) => {
                ColumnBuilder::Timestamp(TimestampMicrosecondBuilder::with_capacity(rows).with_data_type(arrow))
            }
            DataType::Utf8 => ColumnBuilder::Text(StringBuilder::with_capacity(rows, bytes)),
            DataType::Binary => ColumnBuilder::Bytes(BinaryBuilder::with_capacity(rows, bytes)),
            DataType::FixedSizeBinary(width) => {
                ColumnBuilder::Fixed(FixedSizeBinaryBuilder::with_capacity(rows, *width))
            }
            other => unreachable!("no representation is {other}"),
        }
    }

    /// Panics for a value that is held otherwise, which is a bug of its maker.
    pub fn push(&mut self, value: &Datum) {
        macro_rules! push {
            ($($class:ident $value:ident,)*) => {
                match (self, value) {
                    $((ColumnBuilder::$class(builder), Datum::$value(value)) => builder.append_value(*value),)*
                    (ColumnBuilder::Text(builder), Datum::Text(value)) => builder.append_value(value),
                    (ColumnBuilder::Text(builder), Datum::Null) => builder.append_null(),
                    (ColumnBuilder::Bytes(builder), Datum::Bytes(value)) => builder.append_value(value),
                    (ColumnBuilder::Bytes(builder), Datum::Null) => builder.append_null(),
                    $((ColumnBuilder::$class(builder), Datum::Null) => builder.append_null(),)*
                    (ColumnBuilder::Fixed(builder), Datum::Bytes(value)) => {
                        builder.append_value(value).expect("the representation's width")
                    }
                    (ColumnBuilder::Fixed(builder), Datum::Null) => builder.append_null(),
                    (_, value) => unreachable!("{value:?} is of another representation"),
                }
            };
        }
        push! {
            Bool Bool, U8 U8, I16 I16, I32 I32, I64 I64, U32 U32, U64 U64, F32 F32, F64 F64, I128 I128, Date I32, Time I64,
            Timestamp I64,
        }
    }

    /// Appends a value of a type, as [`Put`] takes it. Panics for a type that is represented otherwise, which is a bug.
    pub fn put<T, V>(&mut self, value: Option<V>)
    where
        T: Put<V, Builder: 'static>,
    {
        macro_rules! builder {
            ($($class:ident)*) => {
                match self { $(ColumnBuilder::$class(builder) => builder as &mut dyn Any,)* }
            };
        }
        let builder = builder!(Bool U8 I16 I32 I64 U32 U64 F32 F64 I128 Date Time Timestamp Text Bytes Fixed);
        let builder = builder.downcast_mut().expect("a type that is represented so");
        match value {
            Some(value) => T::put(builder, value),
            None => T::put_null(builder),
        }
    }

    /// Appends a value by its bytes: a text, whose bytes are UTF-8, or some bytes.
    pub fn put_bytes(&mut self, value: Option<&[u8]>) {
        match self {
            ColumnBuilder::Text(builder) => {
                builder.append_option(value.map(|text| std::str::from_utf8(text).expect("a text is UTF-8")))
            }
            ColumnBuilder::Bytes(builder) => builder.append_option(value),
            ColumnBuilder::Fixed(builder) => match value {
                Some(value) => builder.append_value(value).expect("the representation's width"),
                None => builder.append_null(),
            },
            _ => unreachable!("texts and bytes"),
        }
    }

    /// Bytes of the values of variable length in it.
    pub fn bytes(&self) -> usize {
        match self {
            ColumnBuilder::Text(builder) => builder.values_slice().len(),
            ColumnBuilder::Bytes(builder) => builder.values_slice().len(),
            _ => 0,
        }
    }

    /// Fails with 53200 where its values are too long to be there at once.
    #[inline]
    pub fn check(&self) -> Result<()> {
        match self {
            ColumnBuilder::Text(builder) => text::check(builder),
            ColumnBuilder::Bytes(builder) => bytea::check(builder),
            _ => Ok(()),
        }
    }

    /// Appends integers by their bytes, the first of which counts most, as they are sent in binary; `None`: NULL. Gives the position of
    /// one that is not as long as those of the column are, and ends there.
    pub fn put_integers<'a>(&mut self, values: impl Iterator<Item = Option<&'a [u8]>>) -> Option<usize> {
        macro_rules! put {
            ($builder:ident, $type:ty) => {{
                for (at, bytes) in values.enumerate() {
                    match bytes.map(<[u8; size_of::<$type>()]>::try_from) {
                        Some(Ok(bytes)) => $builder.append_value(<$type>::from_be_bytes(bytes)),
                        Some(Err(_)) => return Some(at),
                        None => $builder.append_null(),
                    }
                }
                None
            }};
        }
        match self {
            ColumnBuilder::I16(builder) => put!(builder, i16),
            ColumnBuilder::I32(builder) => put!(builder, i32),
            ColumnBuilder::I64(builder) => put!(builder, i64),
            _ => Some(0),
        }
    }

    /// Appends a text, and so many blanks.
    pub fn put_text(&mut self, text: &str, blanks: usize) {
        let ColumnBuilder::Text(builder) = self else { unreachable!("texts") };
        if blanks > 0 {
            builder.write_str(text).and_then(|()| push_blanks(builder, blanks)).expect("a builder takes it");
            return builder.append_value("");
        }
        builder.append_value(text);
    }

    /// Appends the digits of a decimal.
    pub fn put_decimal(&mut self, value: i128) {
        match self {
            ColumnBuilder::I128(builder) => builder.append_value(value),
            _ => unreachable!("decimals"),
        }
    }

    pub fn finish(self) -> ArrayRef {
        macro_rules! finish {
            ($($class:ident)*) => {
                match self { $(ColumnBuilder::$class(mut builder) => Arc::new(builder.finish()) as ArrayRef,)* }
            };
        }
        finish!(Bool U8 I16 I32 I64 U32 U64 F32 F64 I128 Date Time Timestamp Text Bytes Fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_survive_columns() {
        let bytes = |n: usize| Datum::bytes(vec![7; n]);
        let values = [
            (Repr::Bool, Datum::Bool(true)),
            (Repr::Char, Datum::U8(200)),
            (Repr::Int2, Datum::I16(-2)),
            (Repr::Int4, Datum::I32(-3)),
            (Repr::Int8, Datum::I64(1 << 40)),
            (Repr::Oid, Datum::U32(u32::MAX)),
            (Repr::Xid8, Datum::U64(u64::MAX)),
            (Repr::Float4, Datum::F32(f32::NAN)),
            (Repr::Float8, Datum::F64(-0.0)),
            (Repr::Decimal { precision: 12, scale: 2 }, Datum::I128(-12345)),
            (Repr::Numeric, bytes(9)),
            (Repr::Text, Datum::text("a")),
            (Repr::Bpchar, Datum::text("a  ")),
            (Repr::Bytea, bytes(3)),
            (Repr::Uuid, bytes(16)),
            (Repr::Date, Datum::I32(1)),
            (Repr::Time, Datum::I64(2)),
            (Repr::TimeTz, bytes(12)),
            (Repr::Timestamp, Datum::I64(3)),
            (Repr::TimestampTz, Datum::I64(4)),
            (Repr::Interval, bytes(16)),
            (Repr::Tid, bytes(6)),
        ];
        for (repr, value) in values {
            let array = value.to_array(repr);
            assert_eq!(*array.data_type(), repr.arrow());
            assert_eq!(Datum::of(&array, 0), value, "{repr:?}");
            assert_eq!(Datum::of(&Datum::Null.to_array(repr), 0), Datum::Null);
        }
    }
}
