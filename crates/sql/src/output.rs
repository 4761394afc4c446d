//! Values on the wire: PostgreSQL's text and binary representations, and reading parameters.

use datafusion::arrow::array::*;
use datafusion::arrow::datatypes::*;
use datafusion::arrow::temporal_conversions::{date32_to_datetime, timestamp_us_to_datetime};
use engine::{EngineError, PgType, Result};

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
        DataType::List(field) | DataType::LargeList(field) => match type_oid(field.data_type()) {
            16 => 1000,
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
    match type_oid(ty) {
        16 => "boolean",
        17 => "bytea",
        20 => "bigint",
        21 => "smallint",
        23 => "integer",
        26 => "oid",
        700 => "real",
        701 => "double precision",
        1082 => "date",
        1083 => "time without time zone",
        1114 => "timestamp without time zone",
        1184 => "timestamp with time zone",
        1186 => "interval",
        1700 => "numeric",
        2950 => "uuid",
        1000..=1231 | 2951 => "array",
        _ => "text",
    }
    .to_string()
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
pub fn encode_value(out: &mut Vec<u8>, array: &dyn Array, row: usize, format: Format) -> Result<bool> {
    if array.is_null(row) || array.data_type() == &DataType::Null {
        return Ok(false);
    }
    match format {
        Format::Text => text_value(out, array, row)?,
        Format::Binary => binary_value(out, array, row)?,
    }
    Ok(true)
}

fn put(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    use std::io::Write;
    write!(out, "{value}").expect("writing to memory");
}

fn text_value(out: &mut Vec<u8>, array: &dyn Array, row: usize) -> Result<()> {
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
        DataType::Float32 => put_float(out, array.as_primitive::<Float32Type>().value(row), 6),
        DataType::Float64 => put_float(out, array.as_primitive::<Float64Type>().value(row), 15),
        DataType::Decimal128(_, _) => put(out, array.as_primitive::<Decimal128Type>().value_as_string(row)),
        DataType::Decimal256(_, _) => put(out, array.as_primitive::<Decimal256Type>().value_as_string(row)),
        DataType::Utf8 => out.extend_from_slice(array.as_string::<i32>().value(row).as_bytes()),
        DataType::LargeUtf8 => out.extend_from_slice(array.as_string::<i64>().value(row).as_bytes()),
        DataType::Utf8View => out.extend_from_slice(array.as_string_view().value(row).as_bytes()),
        DataType::Binary => put_hex(out, array.as_binary::<i32>().value(row)),
        DataType::LargeBinary => out.extend_from_slice(array.as_binary::<i64>().value(row)),
        DataType::BinaryView => put_hex(out, array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(16) => put_uuid(out, array.as_fixed_size_binary().value(row)),
        DataType::FixedSizeBinary(_) => put_hex(out, array.as_fixed_size_binary().value(row)),
        DataType::Date32 => put_date(out, array.as_primitive::<Date32Type>().value(row))?,
        DataType::Timestamp(_, zone) => {
            put_timestamp(out, timestamp_micros(array, row), zone.is_some())?;
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
            put_interval(out, value.months, value.days, value.nanoseconds / 1000);
        }
        DataType::Duration(unit) => {
            let micros = match unit {
                TimeUnit::Nanosecond => array.as_primitive::<DurationNanosecondType>().value(row) / 1000,
                TimeUnit::Microsecond => array.as_primitive::<DurationMicrosecondType>().value(row),
                TimeUnit::Millisecond => array.as_primitive::<DurationMillisecondType>().value(row) * 1000,
                TimeUnit::Second => array.as_primitive::<DurationSecondType>().value(row) * 1_000_000,
            };
            let day = 86_400_000_000;
            put_interval(out, 0, (micros / day) as i32, micros % day);
        }
        DataType::List(_) => put_list(out, &array.as_list::<i32>().value(row))?,
        DataType::LargeList(_) => put_list(out, &array.as_list::<i64>().value(row))?,
        other => return Err(EngineError::unsupported(format!("a result of type {other}"))),
    }
    Ok(())
}

fn timestamp_micros(array: &dyn Array, row: usize) -> i64 {
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

/// The shortest text that reads back as the same number, in PostgreSQL's choice of notation.
fn put_float<F: std::fmt::LowerExp + Into<f64> + Copy>(out: &mut Vec<u8>, value: F, digits: i32) {
    let wide: f64 = value.into();
    if wide.is_nan() {
        return out.extend_from_slice(b"NaN");
    }
    if wide.is_infinite() {
        return out.extend_from_slice(if wide > 0.0 { b"Infinity" } else { b"-Infinity" });
    }
    let scientific = format!("{value:e}");
    let (mantissa, exponent) = scientific.split_once('e').expect("LowerExp writes an exponent");
    let exponent: i32 = exponent.parse().expect("LowerExp writes a number");
    let negative = mantissa.starts_with('-');
    let significant: String = mantissa.chars().filter(char::is_ascii_digit).collect();
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

fn put_date(out: &mut Vec<u8>, days: i32) -> Result<()> {
    let date = date32_to_datetime(days).ok_or_else(|| EngineError::new("22008", "date out of range"))?;
    put_day(out, date.date());
    put_era(out, date.date());
    Ok(())
}

/// Years before the first count backwards: 0 is 1 BC.
fn put_day(out: &mut Vec<u8>, date: chrono::NaiveDate) {
    use chrono::Datelike;
    let year = if date.year() > 0 { date.year() } else { 1 - date.year() };
    put(out, format_args!("{year:04}-{:02}-{:02}", date.month(), date.day()));
}

fn put_era(out: &mut Vec<u8>, date: chrono::NaiveDate) {
    use chrono::Datelike;
    if date.year() <= 0 {
        out.extend_from_slice(b" BC");
    }
}

fn put_timestamp(out: &mut Vec<u8>, micros: i64, zoned: bool) -> Result<()> {
    let time = timestamp_us_to_datetime(micros).ok_or_else(|| EngineError::new("22008", "timestamp out of range"))?;
    put_day(out, time.date());
    put(out, time.format(" %H:%M:%S"));
    put_fraction(out, micros.rem_euclid(1_000_000));
    if zoned {
        out.extend_from_slice(b"+00");
    }
    put_era(out, time.date());
    Ok(())
}

fn put_fraction(out: &mut Vec<u8>, micros: i64) {
    if micros != 0 {
        let digits = format!("{micros:06}");
        put(out, format_args!(".{}", digits.trim_end_matches('0')));
    }
}

fn put_time(out: &mut Vec<u8>, micros: i64) {
    let seconds = micros / 1_000_000;
    put(out, format_args!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    put_fraction(out, micros % 1_000_000);
}

/// `IntervalStyle = postgres`: behind a negative part, a positive one has a plus.
fn put_interval(out: &mut Vec<u8>, months: i32, days: i32, micros: i64) {
    let start = out.len();
    let mut negative = false;
    for (value, name) in [(months / 12, "year"), (months % 12, "mon"), (days, "day")] {
        if value != 0 {
            let space = if out.len() > start { " " } else { "" };
            let plus = if negative && value > 0 { "+" } else { "" };
            put(out, format_args!("{space}{plus}{value} {name}{}", if value == 1 { "" } else { "s" }));
            negative = value < 0;
        }
    }
    if micros != 0 || out.len() == start {
        if out.len() > start {
            out.push(b' ');
        }
        if micros < 0 {
            out.push(b'-');
        } else if negative {
            out.push(b'+');
        }
        put_time(out, micros.abs());
    }
}

fn put_list(out: &mut Vec<u8>, items: &dyn Array) -> Result<()> {
    out.push(b'{');
    for row in 0..items.len() {
        if row > 0 {
            out.push(b',');
        }
        let mut item = Vec::new();
        if !encode_value(&mut item, items, row, Format::Text)? {
            out.extend_from_slice(b"NULL");
            continue;
        }
        let nested = matches!(items.data_type(), DataType::List(_) | DataType::LargeList(_));
        let special = |b: &u8| b"{},\"\\".contains(b) || b.is_ascii_whitespace();
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

/// Days and microseconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROS: i64 = 946_684_800_000_000;

fn binary_value(out: &mut Vec<u8>, array: &dyn Array, row: usize) -> Result<()> {
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
            text_value(&mut text, array, row)?;
            put_binary_numeric(out, std::str::from_utf8(&text).expect("numbers are ASCII"));
        }
        DataType::Binary => out.extend_from_slice(array.as_binary::<i32>().value(row)),
        DataType::BinaryView => out.extend_from_slice(array.as_binary_view().value(row)),
        DataType::FixedSizeBinary(_) => out.extend_from_slice(array.as_fixed_size_binary().value(row)),
        DataType::Date32 => {
            let days = array.as_primitive::<Date32Type>().value(row) - EPOCH_DAYS;
            out.extend_from_slice(&days.to_be_bytes());
        }
        DataType::Timestamp(_, _) => {
            out.extend_from_slice(&(timestamp_micros(array, row) - EPOCH_MICROS).to_be_bytes());
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            out.extend_from_slice(&(value.nanoseconds / 1000).to_be_bytes());
            out.extend_from_slice(&value.days.to_be_bytes());
            out.extend_from_slice(&value.months.to_be_bytes());
        }
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => text_value(out, array, row)?,
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
    for row in 0..array.len() {
        bytes.clear();
        if array.data_type() == &DataType::Boolean && !array.is_null(row) {
            // The cast says it in full; the output function in a letter.
            bytes.extend_from_slice(if array.as_boolean().value(row) { b"true" } else { b"false" });
        } else if !encode_value(&mut bytes, array, row, Format::Text)? {
            builder.append_null();
            continue;
        }
        builder.append_value(std::str::from_utf8(&bytes).expect("text representations are UTF-8"));
    }
    Ok(builder.finish())
}

/// Days since 1970.
pub fn parse_date(text: &str) -> Result<i32> {
    let micros = parse_instant(text, "date")?.0;
    Ok(micros.div_euclid(86_400_000_000) as i32)
}

/// Microseconds since 1970; a zone in the text counts only where the type has one.
pub fn parse_timestamp(text: &str, zoned: bool) -> Result<i64> {
    let name = if zoned { "timestamp with time zone" } else { "timestamp" };
    let (micros, offset) = parse_instant(text, name)?;
    Ok(if zoned { micros - offset } else { micros })
}

/// `YYYY-MM-DD[ HH:MM[:SS[.ffffff]]][ zone]`: local microseconds and the zone's offset in microseconds.
fn parse_instant(text: &str, ty: &str) -> Result<(i64, i64)> {
    let bad = || EngineError::new("22007", format!("invalid input syntax for type {ty}: \"{text}\""));
    let range = || EngineError::new("22008", format!("date/time field value out of range: \"{text}\""));
    let trimmed = text.trim();
    match trimmed.to_ascii_lowercase().as_str() {
        "epoch" => return Ok((0, 0)),
        "infinity" | "-infinity" | "now" | "today" | "tomorrow" | "yesterday" => {
            return Err(EngineError::unsupported(format!("the {ty} \"{trimmed}\"")));
        }
        _ => {}
    }
    let (date, rest) = match trimmed.find([' ', 'T', 't']) {
        Some(at) => (&trimmed[..at], trimmed[at + 1..].trim()),
        None => (trimmed, ""),
    };
    let numbers = |text: &str, separator: char| -> Option<Vec<i64>> {
        text.split(separator)
            .map(|p| if p.bytes().all(|b| b.is_ascii_digit()) { p.parse().ok() } else { None })
            .collect()
    };
    let parts = match numbers(date, '-') {
        Some(parts) if parts.len() == 3 => parts,
        Some(parts) if parts.len() == 1 && date.len() == 8 => {
            vec![parts[0] / 10_000, parts[0] / 100 % 100, parts[0] % 100]
        }
        _ => return Err(bad()),
    };
    let (year, month, day) = (parts[0], parts[1], parts[2]);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) || year > 294_276 || year == 0 {
        return Err(range());
    }
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    if day > month_days[month as usize - 1] {
        return Err(range());
    }
    // Days from civil (Hinnant).
    let y = if month <= 2 { year - 1 } else { year };
    let (era, yoe) = (y.div_euclid(400), y.rem_euclid(400));
    let doy = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era * 146_097 + yoe * 365 + yoe / 4 - yoe / 100 + doy - 719_468;
    let mut micros = days.checked_mul(86_400_000_000).ok_or_else(range)?;
    let mut offset = 0;
    if !rest.is_empty() {
        let zone_at = rest.find(['+', '-', 'Z', 'z', ' ']).unwrap_or(rest.len());
        let (time, zone) = (&rest[..zone_at], rest[zone_at..].trim());
        let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
        let hms = numbers(clock, ':').filter(|p| (2..=3).contains(&p.len())).ok_or_else(bad)?;
        let (h, m, s) = (hms[0], hms[1], hms.get(2).copied().unwrap_or(0));
        if h > 24 || m > 59 || s > 60 || (h == 24 && (m > 0 || s > 0)) {
            return Err(range());
        }
        if !fraction.bytes().all(|b| b.is_ascii_digit()) {
            return Err(bad());
        }
        let digits: String = fraction.chars().chain(std::iter::repeat('0')).take(7).collect();
        let tenths: i64 = digits.parse().map_err(|_| bad())?;
        let time = (h * 3600 + m * 60 + s) * 1_000_000 + (tenths + 5) / 10;
        micros = micros.checked_add(time).ok_or_else(range)?;
        offset = match zone.to_ascii_uppercase().as_str() {
            "" | "Z" | "UTC" | "GMT" => 0,
            zone => {
                let sign = if zone.starts_with('-') { -1 } else { 1 };
                let value = zone
                    .strip_prefix(['+', '-'])
                    .ok_or_else(|| EngineError::unsupported(format!("the time zone \"{zone}\"")))?;
                let parts = numbers(value, ':').ok_or_else(bad)?;
                let (hours, minutes) = match (parts.as_slice(), value.len()) {
                    ([n], 4) => (n / 100, n % 100),
                    ([h], _) => (*h, 0),
                    ([h, m], _) => (*h, *m),
                    _ => return Err(bad()),
                };
                if hours > 15 || minutes > 59 {
                    return Err(EngineError::new("22009", format!("time zone displacement out of range: \"{text}\"")));
                }
                sign * (hours * 3600 + minutes * 60) * 1_000_000
            }
        };
    }
    Ok((micros, offset))
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
    match oid {
        16 => put(&mut out, number!(u8) != 0),
        21 => put(&mut out, number!(i16)),
        23 | 26 => put(&mut out, number!(i32)),
        20 => put(&mut out, number!(i64)),
        700 => put_float(&mut out, number!(f32), 6),
        701 => put_float(&mut out, number!(f64), 15),
        17 => put_hex(&mut out, bytes),
        2950 if bytes.len() == 16 => put_uuid(&mut out, bytes),
        1082 => put_date(&mut out, number!(i32).checked_add(EPOCH_DAYS).ok_or_else(wrong)?)?,
        1114 | 1184 => {
            put_timestamp(&mut out, number!(i64).checked_add(EPOCH_MICROS).ok_or_else(wrong)?, oid == 1184)?;
        }
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
