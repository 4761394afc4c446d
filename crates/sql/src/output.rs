//! Values on the wire: PostgreSQL's text and binary representations, and reading parameters.

use datafusion::arrow::array::*;
use datafusion::arrow::datatypes::*;
use engine::encoding::Encoding;
use engine::{EngineError, PgType, Result, Style};

use crate::binary;
use crate::datetime_output::{put, put_date, put_interval, put_time, put_timestamp};
use crate::style::current;
use crate::tables::TYPE_KEY;

/// How a value is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Text,
    Binary,
}

/// A result column, as RowDescription tells it.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    pub name: String,
    pub oid: u32,
    pub typmod: i32,
    pub len: i16,
}

impl Column {
    pub fn new(name: &str, field: &Field) -> Column {
        let (oid, typmod) = match field.metadata().get(TYPE_KEY).and_then(|t| t.split_once(',')) {
            // What is computed from a numeric(p,s) may keep its tag, but not its form.
            Some(("1700", typmod)) => match *field.data_type() {
                DataType::Decimal128(p, s) if typmod == PgType::Numeric(p, s).typmod().to_string() => {
                    (1700, PgType::Numeric(p, s).typmod())
                }
                ref other => (type_oid(other), -1),
            },
            Some((oid, typmod)) => (oid.parse().unwrap_or(25), typmod.parse().unwrap_or(-1)),
            None => (type_oid(field.data_type()), -1),
        };
        let len = match oid {
            16 | 18 => 1,
            21 => 2,
            23 | 26 | 700 | 1082 => 4,
            20 | 701 | 1114 | 1184 | 1083 => 8,
            19 => 64,
            2950 | 1186 => 16,
            _ => -1,
        };
        Column { name: name.to_string(), oid, typmod, len }
    }

    pub fn text(name: &str) -> Column {
        Column { name: name.to_string(), oid: 25, typmod: -1, len: -1 }
    }
}

/// The OID of the type that an Arrow type shows as.
pub fn type_oid(ty: &DataType) -> u32 {
    match ty {
        DataType::Boolean => 16,
        DataType::Int8 | DataType::Int16 | DataType::UInt8 => 21,
        DataType::Int32 | DataType::UInt16 => 23,
        DataType::Int64 | DataType::UInt64 => 20,
        DataType::UInt32 => 26,
        DataType::Float16 | DataType::Float32 => 700,
        DataType::Float64 => 701,
        DataType::Decimal128(_, _) | DataType::Decimal256(_, _) => 1700,
        // See `crate::numeric`.
        DataType::LargeBinary => 1700,
        DataType::Binary | DataType::BinaryView => 17,
        DataType::FixedSizeBinary(16) => 2950,
        DataType::Date32 | DataType::Date64 => 1082,
        DataType::Time32(_) | DataType::Time64(_) => 1083,
        DataType::Timestamp(_, None) => 1114,
        DataType::Timestamp(_, Some(_)) => 1184,
        DataType::Interval(_) | DataType::Duration(_) => 1186,
        // One type for any number of dimensions.
        DataType::List(field) if matches!(field.data_type(), DataType::List(_)) => type_oid(field.data_type()),
        DataType::List(field) | DataType::LargeList(field) => match type_oid(field.data_type()) {
            16 => 1000,
            17 => 1001,
            26 => 1028,
            1083 => 1183,
            1186 => 1187,
            21 => 1005,
            23 => 1007,
            20 => 1016,
            700 => 1021,
            701 => 1022,
            1700 => 1231,
            1082 => 1182,
            1114 => 1115,
            1184 => 1185,
            2950 => 2951,
            _ => 1009,
        },
        _ => 25,
    }
}

/// The name `pg_typeof` gives.
pub fn type_name(ty: &DataType) -> String {
    if let Some(element) = crate::arrays::element_of(ty) {
        return format!("{}[]", type_name(element));
    }
    match ty {
        DataType::Null => "unknown".into(),
        ty => crate::system::format_type(type_oid(ty), -1),
    }
}

/// A value that needs no Arrow array to be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Plain {
    Null,
    Int2(i16),
    Int4(i32),
    Int8(i64),
    Text(Vec<u8>),
}

impl Plain {
    pub(crate) fn can_be(ty: PgType) -> bool {
        matches!(ty, PgType::Int2 | PgType::Int4 | PgType::Int8 | PgType::Text | PgType::Varchar(_))
    }

    /// A value as tables store it, of a type that [`Plain::can_be`].
    pub(crate) fn of(ty: PgType, bytes: Option<&[u8]>) -> Plain {
        match (ty, bytes) {
            (_, None) => Plain::Null,
            (PgType::Int2, Some(bytes)) => Plain::Int2(i16::from_le_bytes(bytes.try_into().expect("2 bytes"))),
            (PgType::Int4, Some(bytes)) => Plain::Int4(i32::from_le_bytes(bytes.try_into().expect("4 bytes"))),
            (PgType::Int8, Some(bytes)) => Plain::Int8(i64::from_le_bytes(bytes.try_into().expect("8 bytes"))),
            (_, Some(bytes)) => Plain::Text(bytes.to_vec()),
        }
    }

    /// Appends the representation; `false` (and nothing appended) for NULL.
    pub fn encode(&self, out: &mut Vec<u8>, format: Format) -> bool {
        match (self, format) {
            (Plain::Null, _) => return false,
            (Plain::Text(bytes), _) => out.extend_from_slice(bytes),
            (Plain::Int2(value), Format::Text) => put(out, value),
            (Plain::Int4(value), Format::Text) => put(out, value),
            (Plain::Int8(value), Format::Text) => put(out, value),
            (Plain::Int2(value), Format::Binary) => out.extend_from_slice(&value.to_be_bytes()),
            (Plain::Int4(value), Format::Binary) => out.extend_from_slice(&value.to_be_bytes()),
            (Plain::Int8(value), Format::Binary) => out.extend_from_slice(&value.to_be_bytes()),
        }
        true
    }
}

/// Appends the text of a value; `false` (and nothing appended) for NULL.
pub fn encode_value(out: &mut Vec<u8>, array: &dyn Array, row: usize, style: &Style) -> Result<bool> {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Ok(false);
    }
    text_value(out, array, row, style)?;
    Ok(true)
}

/// Appends the binary representation of a value of a column of type `oid`; `false` (and nothing appended) for NULL.
pub fn encode_binary(out: &mut Vec<u8>, array: &dyn Array, row: usize, oid: u32, encoding: &Encoding) -> Result<bool> {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Ok(false);
    }
    binary::encode(out, array, row, oid, encoding)?;
    Ok(true)
}

fn text_value(out: &mut Vec<u8>, array: &dyn Array, row: usize, style: &Style) -> Result<()> {
    match array.data_type() {
        DataType::Boolean => out.push(if array.as_boolean().value(row) { b't' } else { b'f' }),
        DataType::Int8 => put(out, array.as_primitive::<Int8Type>().value(row)),
        DataType::Int16 => put(out, array.as_primitive::<Int16Type>().value(row)),
        DataType::Int32 => put(out, array.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => put(out, array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt8 => put(out, array.as_primitive::<UInt8Type>().value(row)),
        DataType::UInt16 => put(out, array.as_primitive::<UInt16Type>().value(row)),
        DataType::UInt32 => put(out, array.as_primitive::<UInt32Type>().value(row)),
        DataType::UInt64 => put(out, array.as_primitive::<UInt64Type>().value(row)),
        DataType::Float32 => put_float(out, array.as_primitive::<Float32Type>().value(row), 6, style),
        DataType::Float64 => put_float(out, array.as_primitive::<Float64Type>().value(row), 15, style),
        DataType::Decimal128(_, _) => put(out, array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(_, _) => put(out, array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Utf8 => out.extend_from_slice(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => out.extend_from_slice(array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => out.extend_from_slice(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => put_bytes(out, array.as_binary::<i32>().value(row), style),
        DataType::LargeBinary => out.extend_from_slice(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => put_bytes(out, array.as_binary_view().value(row), style),
        DataType::FixedSizeBinary(16) => put_uuid(out, array.as_fixed_size_binary().value(row)),
        DataType::FixedSizeBinary(_) => put_hex(out, array.as_fixed_size_binary().value(row)),
        DataType::Date32 => put_date(out, array.as_primitive::<Date32Type>().value(row), style),
        DataType::Timestamp(_, zone) => {
            put_timestamp(out, timestamp_micros(array, row), zone.is_some(), style);
        }
        DataType::Time64(unit) => {
            let micros = match unit {
                TimeUnit::Nanosecond => array.as_primitive::<Time64NanosecondType>().value(row) / 1000,
                _ => array.as_primitive::<Time64MicrosecondType>().value(row),
            };
            put_time(out, micros);
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            put_interval(out, value.months, value.days, value.nanoseconds / 1000, style);
        }
        DataType::Duration(unit) => {
            let micros = match unit {
                TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().value(row) / 1000,
                TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().value(row),
                TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().value(row) * 1000,
                TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(row) * 1_000_000,
            };
            let day = 86_400_000_000;
            put_interval(out, 0, (micros / day) as i32, micros % day, style);
        }
        DataType::List(_) => put_list(out, &array.as_list::<i32>().value(row), style)?,
        DataType::LargeList(_) => put_list(out, &array.as_list::<i64>().value(row), style)?,
        other => return Err(EngineError::unsupported(format!("a result of type {other}"))),
    }
    Ok(())
}

/// Microseconds since 1970.
pub fn timestamp_micros(array: &dyn Array, row: usize) -> i64 {
    match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => array.as_primitive::<TimestampSecondType>().value(row) * 1_000_000,
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            array.as_primitive::<TimestampMillisecondType>().value(row) * 1000
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            array.as_primitive::<TimestampNanosecondType>().value(row).div_euclid(1000)
        }
        _ => array.as_primitive::<TimestampMicrosecondType>().value(row),
    }
}

/// The shortest text that reads back as the same number, in PostgreSQL's choice of notation; or, where extra_float_digits
/// is not positive, so many more than `digits`.
pub(crate) fn put_float<F: std::fmt::LowerExp + Into<f64> + Copy>(
    out: &mut Vec<u8>,
    value: F,
    digits: i32,
    style: &Style,
) {
    let wide: f64 = value.into();
    if wide.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if wide.is_infinite() {
        return out.extend_from_slice(if wide > 0.0 { b"Infinity" } else { b"-Infinity" });
    }
    let shortest = style.extra_float_digits > 0;
    let digits = if shortest { digits } else { (digits + style.extra_float_digits).max(1) };
    let scientific = if shortest { format!("{value:e}") } else { format!("{value:.*e}", digits as usize - 1) };
    let (mantissa, exponent) = scientific.split_once('e').expect("LowerExp writes an exponent");
    let exponent: i32 = exponent.parse().expect("LowerExp writes a number");
    let negative = mantissa.starts_with('-');
    let significant: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = match significant.trim_end_matches('0') {
        "" => "0",
        digits => digits,
    };
    if negative {
        out.push(b'-');
    }
    if exponent < -4 || exponent >= digits {
        put(out, &significant[..1]);
        if significant.len() > 1 {
            put(out, format_args!(".{}", &significant[1..]));
        }
        put(out, format_args!("e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()));
    } else if exponent < 0 {
        put(out, format_args!("0.{}{significant}", "0".repeat((-exponent - 1) as usize)));
    } else {
        let point = exponent as usize + 1;
        if significant.len() <= point {
            put(out, format_args!("{significant}{}", "0".repeat(point - significant.len())));
        } else {
            put(out, format_args!("{}.{}", &significant[..point], &significant[point..]));
        }
    }
}

fn put_bytes(out: &mut Vec<u8>, bytes: &[u8], style: &Style) {
    if !style.escapes {
        return put_hex(out, bytes);
    }
    for byte in bytes {
        match byte {
            b'\\' => out.extend_from_slice(b"\\\\"),
            0x20..=0x7e => out.push(*byte),
            byte => put(out, format_args!("\\{byte:03o}")),
        }
    }
}

pub(crate) fn put_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"\\x");
    bytes.iter().for_each(|b| put(out, format_args!("{b:02x}")));
}

pub(crate) fn put_uuid(out: &mut Vec<u8>, bytes: &[u8]) {
    for (index, byte) in bytes.iter().enumerate() {
        if matches!(index, 4 | 6 | 8 | 10) {
            out.push(b'-');
        }
        put(out, format_args!("{byte:02x}"));
    }
}

/// An array's elements in braces. What would be read as something else stands in quotes.
fn put_list(out: &mut Vec<u8>, items: &dyn Array, style: &Style) -> Result<()> {
    let nested = matches!(items.data_type(), DataType::List(_) | DataType::LargeList(_));
    if nested && is_empty(items) {
        out.extend_from_slice(b"{}");
        return Ok(());
    }
    out.push(b'{');
    for row in 0..items.len() {
        if row > 0 {
            out.push(b',');
        }
        let mut item = Vec::new();
        if !encode_value(&mut item, items, row, style)? {
            out.extend_from_slice(b"NULL");
            continue;
        }
        if nested {
            out.extend_from_slice(&item);
        } else {
            put_array_item(out, &item);
        }
    }
    out.push(b'}');
    Ok(())
}

/// An element of an array's text, in quotes where it needs them.
pub(crate) fn put_array_item(out: &mut Vec<u8>, item: &[u8]) {
    let special = |b: &u8| b"{},\"\\ \t\n\r\x0b\x0c".contains(b);
    if !item.is_empty() && !item.iter().any(special) && !item.eq_ignore_ascii_case(b"null") {
        return out.extend_from_slice(item);
    }
    out.push(b'"');
    for &byte in item {
        if byte == b'"' || byte == b'\\' {
            out.push(b'\\');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// Has a list of lists no elements, however deep?
fn is_empty(items: &dyn Array) -> bool {
    match items.data_type() {
        DataType::List(_) => is_empty(&items.as_list::<i32>().values().slice(
            items.as_list::<i32>().value_offsets()[0] as usize,
            (items.as_list::<i32>().value_offsets()[items.len()] - items.as_list::<i32>().value_offsets()[0]) as usize,
        )),
        _ => items.is_empty(),
    }
}

/// Every value as text, for casts.
pub fn text_array(array: &dyn Array) -> Result<StringArray> {
    let mut builder = StringBuilder::with_capacity(array.len(), array.len() * 8);
    let mut bytes = Vec::new();
    let style = current().style;
    for row in 0..array.len() {
        bytes.clear();
        if array.data_type() == &DataType::Boolean && !array.is_null(row) {
            // The cast says it in full; the output function in a letter.
            bytes.extend_from_slice(if array.as_boolean().value(row) { b"true" } else { b"false" });
        } else if !encode_value(&mut bytes, array, row, &style)? {
            builder.append_null();
            continue;
        }
        builder.append_value(std::str::from_utf8(&bytes).expect("text representations are UTF-8"));
    }
    Ok(builder.finish())
}

/// A parameter of the extended protocol as text of type `oid`; `None` for NULL. `number` counts from 1.
pub fn decode_parameter(
    bytes: Option<&[u8]>,
    oid: u32,
    format: Format,
    number: usize,
    encoding: &Encoding,
) -> Result<Option<String>> {
    let Some(bytes) = bytes else { return Ok(None) };
    match format {
        Format::Text => Ok(Some(encoding.decode(bytes)?.into_owned())),
        Format::Binary => binary::decode(bytes, oid, number, encoding).map(Some),
    }
}
