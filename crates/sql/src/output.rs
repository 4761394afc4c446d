//! Values on the wire: PostgreSQL's text and binary representations, and reading parameters.

use datafusion::arrow::array::*;
use datafusion::arrow::datatypes::*;
use engine::{EngineError, PgType, Result, Style};

use crate::datetime_input::{DATE_INFINITY, INFINITY};
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

/// Appends the representation of a value; `false` (and nothing appended) for NULL.
pub fn encode_value(out: &mut Vec<u8>, array: &dyn Array, row: usize, format: Format, style: &Style) -> Result<bool> {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Ok(false);
    }
    match format {
        Format::Text => text_value(out, array, row, style)?,
        Format::Binary => binary_value(out, array, row, style)?,
    }
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
fn put_float<F: std::fmt::LowerExp + Into<f64> + Copy>(out: &mut Vec<u8>, value: F, digits: i32, style: &Style) {
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

fn put_hex(out: &mut Vec<u8>, bytes: &[u8]) {
    out.extend_from_slice(b"\\x");
    bytes.iter().for_each(|b| put(out, format_args!("{b:02x}")));
}

fn put_uuid(out: &mut Vec<u8>, bytes: &[u8]) {
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
        if !encode_value(&mut item, items, row, Format::Text, style)? {
            out.extend_from_slice(b"NULL");
            continue;
        }
        let special = |b: &u8| b"{},\"\\ \t\n\r\x0b\x0c".contains(b);
        let quote = !nested && (item.is_empty() || item.iter().any(special) || item.eq_ignore_ascii_case(b"null"));
        if quote {
            out.push(b'"');
            for byte in item {
                if byte == b'"' || byte == b'\\' {
                    out.push(b'\\');
                }
                out.push(byte);
            }
            out.push(b'"');
        } else {
            out.extend_from_slice(&item);
        }
    }
    out.push(b'}');
    Ok(())
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

/// Days and microseconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROS: i64 = 946_684_800_000_000;

fn binary_value(out: &mut Vec<u8>, array: &dyn Array, row: usize, style: &Style) -> Result<()> {
    match array.data_type() {
        DataType::Boolean => out.push(u8::from(array.as_boolean().value(row))),
        DataType::Int8 => out.extend_from_slice(&i16::from(array.as_primitive::<Int8Type>().value(row)).to_be_bytes()),
        DataType::Int16 => out.extend_from_slice(&array.as_primitive::<Int16Type>().value(row).to_be_bytes()),
        DataType::UInt8 => {
            out.extend_from_slice(&i16::from(array.as_primitive::<UInt8Type>().value(row)).to_be_bytes())
        }
        DataType::Int32 => out.extend_from_slice(&array.as_primitive::<Int32Type>().value(row).to_be_bytes()),
        DataType::UInt16 => {
            out.extend_from_slice(&i32::from(array.as_primitive::<UInt16Type>().value(row)).to_be_bytes())
        }
        DataType::Int64 => out.extend_from_slice(&array.as_primitive::<Int64Type>().value(row).to_be_bytes()),
        DataType::UInt32 => out.extend_from_slice(&array.as_primitive::<UInt32Type>().value(row).to_be_bytes()),
        DataType::UInt64 => {
            let value = i64::try_from(array.as_primitive::<UInt64Type>().value(row))
                .map_err(|_| EngineError::new("22003", "bigint out of range"))?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        DataType::Float32 => out.extend_from_slice(&array.as_primitive::<Float32Type>().value(row).to_be_bytes()),
        DataType::Float64 => out.extend_from_slice(&array.as_primitive::<Float64Type>().value(row).to_be_bytes()),
        DataType::Decimal128(_, _) | DataType::LargeBinary => {
            let mut text = Vec::new();
            text_value(&mut text, array, row, style)?;
            put_binary_numeric(out, std::str::from_utf8(&text).expect("numbers are ASCII"));
        }
        DataType::Binary => out.extend_from_slice(array.as_binary::<i32>().value(row)),
        DataType::BinaryView => out.extend_from_slice(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => out.extend_from_slice(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row);
            let infinite = days == DATE_INFINITY || days == -DATE_INFINITY - 1;
            out.extend_from_slice(&(if infinite { days } else { days - EPOCH_DAYS }).to_be_bytes());
        }
        DataType::Timestamp(_, _) => {
            let micros = timestamp_micros(array, row);
            let infinite = micros == INFINITY || micros == -INFINITY - 1;
            out.extend_from_slice(&(if infinite { micros } else { micros - EPOCH_MICROS }).to_be_bytes());
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            out.extend_from_slice(&(value.nanoseconds / 1000).to_be_bytes());
            out.extend_from_slice(&value.days.to_be_bytes());
            out.extend_from_slice(&value.months.to_be_bytes());
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => text_value(out, array, row, style)?,
        other => return Err(EngineError::unsupported(format!("the binary format of {}", type_name(other)))),
    }
    Ok(())
}

/// Base-10000 digits with a weight and a display scale (`numeric_send`).
fn put_binary_numeric(out: &mut Vec<u8>, text: &str) {
    let header = |out: &mut Vec<u8>, digits: usize, weight: i32, sign: u16, scale: usize| {
        out.extend_from_slice(&(digits as i16).to_be_bytes());
        out.extend_from_slice(&(weight as i16).to_be_bytes());
        out.extend_from_slice(&sign.to_be_bytes());
        out.extend_from_slice(&(scale as u16).to_be_bytes());
    };
    match text {
        "NaN" => return header(out, 0, 0, 0xc000, 0),
        "Infinity" => return header(out, 0, 0, 0xd000, 0),
        "-Infinity" => return header(out, 0, 0, 0xf000, 0),
        _ => {}
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    // Groups of four digits, counted from the point.
    let aligned = format!(
        "{}{whole}{fraction}{}",
        "0".repeat(whole.len().next_multiple_of(4) - whole.len()),
        "0".repeat(fraction.len().next_multiple_of(4) - fraction.len())
    );
    let group = |bytes: &[u8]| bytes.iter().fold(0u16, |n, b| n * 10 + u16::from(b - b'0'));
    let digits: Vec<u16> = aligned.as_bytes().chunks(4).map(group).collect();
    let leading = digits.iter().take_while(|d| **d == 0).count();
    let trailing = digits.iter().rev().take_while(|d| **d == 0).count();
    let digits = if leading == digits.len() { &[][..] } else { &digits[leading..digits.len() - trailing] };
    let weight = if digits.is_empty() { 0 } else { whole.len().div_ceil(4) as i32 - 1 - leading as i32 };
    let sign = if text.starts_with('-') && !digits.is_empty() { 0x4000 } else { 0 };
    header(out, digits.len(), weight, sign, fraction.len());
    digits.iter().for_each(|d| out.extend_from_slice(&d.to_be_bytes()));
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
        } else if !encode_value(&mut bytes, array, row, Format::Text, &style)? {
            builder.append_null();
            continue;
        }
        builder.append_value(std::str::from_utf8(&bytes).expect("text representations are UTF-8"));
    }
    Ok(builder.finish())
}

/// A parameter of the extended protocol as SQL text of type `oid`; `None` for NULL. `number` counts from 1.
pub fn decode_parameter(bytes: Option<&[u8]>, oid: u32, format: Format, number: usize) -> Result<Option<String>> {
    let Some(bytes) = bytes else { return Ok(None) };
    if format == Format::Text || matches!(oid, 25 | 1043 | 1042 | 19 | 705 | 0) {
        return Ok(Some(engine::encoding::utf8(bytes)?.to_string()));
    }
    let wrong = || EngineError::new("22P03", format!("incorrect binary data format in bind parameter {number}"));
    macro_rules! number {
        ($type:ty) => {
            <$type>::from_be_bytes(bytes.try_into().map_err(|_| wrong())?)
        };
    }
    let mut out = Vec::new();
    // Whatever the session's style is, this is read in every one.
    let style = Style { zone: current().style.zone.clone(), ..Style::default() };
    match oid {
        16 => put(&mut out, number!(u8) != 0),
        21 => put(&mut out, number!(i16)),
        23 | 26 => put(&mut out, number!(i32)),
        20 => put(&mut out, number!(i64)),
        700 => put_float(&mut out, number!(f32), 6, &style),
        701 => put_float(&mut out, number!(f64), 15, &style),
        17 => put_hex(&mut out, bytes),
        2950 if bytes.len() == 16 => put_uuid(&mut out, bytes),
        1082 => match number!(i32) {
            days @ (i32::MIN | i32::MAX) => put_date(&mut out, days, &style),
            days => put_date(&mut out, days.checked_add(EPOCH_DAYS).ok_or_else(wrong)?, &style),
        },
        1114 | 1184 => match number!(i64) {
            micros @ (i64::MIN | i64::MAX) => put_timestamp(&mut out, micros, oid == 1184, &style),
            micros => {
                put_timestamp(&mut out, micros.checked_add(EPOCH_MICROS).ok_or_else(wrong)?, oid == 1184, &style);
            }
        },
        1700 => put_numeric_parameter(&mut out, bytes).ok_or_else(wrong)?,
        _ => return Err(EngineError::unsupported(format!("the binary format of type {oid}"))),
    }
    Ok(Some(String::from_utf8(out).expect("text representations are UTF-8")))
}

fn put_numeric_parameter(out: &mut Vec<u8>, bytes: &[u8]) -> Option<()> {
    let short = |at: usize| Some(i16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
    let (count, weight, sign, scale) = (short(0)?, short(2)?, short(4)? as u16, short(6)?);
    if !(0..=4096).contains(&count) || !(0..=4096).contains(&scale) || !(-2048..=2048).contains(&weight) {
        return None;
    }
    match sign {
        0 => {}
        0x4000 => out.push(b'-'),
        _ => {
            out.extend_from_slice(b"NaN");
            return Some(());
        }
    }
    let digit = |group: i32| -> Option<i16> {
        let index = i32::from(weight) - group;
        if (0..i32::from(count)).contains(&index) { short(8 + index as usize * 2) } else { Some(0) }
    };
    put(out, digit(weight.max(0).into()).unwrap_or(0));
    for group in (0..i32::from(weight.max(0))).rev() {
        put(out, format_args!("{:04}", digit(group)?));
    }
    if scale > 0 {
        let mut fraction = String::new();
        for group in 1..=(i32::from(scale) + 3) / 4 {
            fraction.push_str(&format!("{:04}", digit(-group)?));
        }
        put(out, format_args!(".{}", &fraction[..scale as usize]));
    }
    Some(())
}

/// The type of a parameter that the client declared or the server inferred.
pub fn parameter_type(oid: u32) -> Option<PgType> {
    Some(match oid {
        16 => PgType::Bool,
        17 => PgType::Bytea,
        20 => PgType::Int8,
        21 => PgType::Int2,
        23 => PgType::Int4,
        700 => PgType::Float4,
        701 => PgType::Float8,
        1082 => PgType::Date,
        1114 => PgType::Timestamp,
        1184 => PgType::Timestamptz,
        2950 => PgType::Uuid,
        _ => return None,
    })
}
