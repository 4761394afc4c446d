//! PostgreSQL's binary representations: results, and parameters, which become text here.

use datafusion::arrow::array::{Array, AsArray};
use datafusion::arrow::datatypes::*;
use engine::encoding::Encoding;
use engine::{EngineError, PLAIN, Result};

use crate::datetime_output::{put, put_date, put_interval, put_time, put_timestamp};
use crate::output::{encode_value, put_array_item, put_float, put_hex, put_uuid, timestamp_micros};
use crate::parameters::{column_type, element_of};
use crate::system;

/// Days and microseconds from 1970-01-01 to PostgreSQL's epoch, 2000-01-01.
const EPOCH_DAYS: i32 = 10_957;
const EPOCH_MICROS: i64 = 946_684_800_000_000;
/// Dimensions of an array (`MAXDIM`).
const MAX_DIMENSIONS: usize = 6;

/// Is a value's binary representation its text?
pub fn is_text(oid: u32) -> bool {
    matches!(oid, 0 | 18 | 19 | 25 | 114 | 705 | 1042 | 1043 | 2278)
}

/// Appends a value, which is not NULL, of a column of type `oid`.
pub fn encode(out: &mut Vec<u8>, array: &dyn Array, row: usize, oid: u32, encoding: &Encoding) -> Result<()> {
    let range = |name: &str| EngineError::new("22003", format!("{name} out of range"));
    match (oid, array.data_type()) {
        (16, DataType::Boolean) => out.push(u8::from(array.as_boolean().value(row))),
        (20, ty) if ty.is_integer() => {
            let value = i64::try_from(integer(array, row)).map_err(|_| range("bigint"))?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        (21, ty) if ty.is_integer() => {
            let value = i16::try_from(integer(array, row)).map_err(|_| range("smallint"))?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        (23, ty) if ty.is_integer() => {
            let value = i32::try_from(integer(array, row)).map_err(|_| range("integer"))?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        (26, ty) if ty.is_integer() => {
            let value = u32::try_from(integer(array, row)).map_err(|_| range("OID"))?;
            out.extend_from_slice(&value.to_be_bytes());
        }
        (700, DataType::Float32) => {
            out.extend_from_slice(&array.as_primitive::<Float32Type>().value(row).to_be_bytes())
        }
        (701, DataType::Float64) => {
            out.extend_from_slice(&array.as_primitive::<Float64Type>().value(row).to_be_bytes())
        }
        (1700, ty) if ty.is_numeric() || *ty == DataType::LargeBinary => {
            let mut text = Vec::new();
            encode_value(&mut text, array, row, &PLAIN)?;
            put_numeric(out, std::str::from_utf8(&text).expect("numbers are ASCII"));
        }
        (17, DataType::Binary) => out.extend_from_slice(array.as_binary::<i32>().value(row)),
        (17, DataType::BinaryView) => out.extend_from_slice(array.as_binary_view().value(row)),
        (2950, DataType::FixedSizeBinary(16)) => out.extend_from_slice(array.as_fixed_size_binary().value(row)),
        (1082, DataType::Date32) => {
            let days = match array.as_primitive::<Date32Type>().value(row) {
                // The infinities.
                days @ (i32::MIN | i32::MAX) => Some(days),
                days => days.checked_sub(EPOCH_DAYS),
            };
            let days = days.ok_or_else(|| EngineError::new("22008", "date out of range"))?;
            out.extend_from_slice(&days.to_be_bytes());
        }
        (1083, DataType::Time64(unit)) => {
            let micros = match unit {
                TimeUnit::Nanosecond => array.as_primitive::<Time64NanosecondType>().value(row) / 1000,
                _ => array.as_primitive::<Time64MicrosecondType>().value(row),
            };
            out.extend_from_slice(&micros.to_be_bytes());
        }
        (1114 | 1184, DataType::Timestamp(_, _)) => {
            let micros = match timestamp_micros(array, row) {
                micros @ (i64::MIN | i64::MAX) => Some(micros),
                micros => micros.checked_sub(EPOCH_MICROS),
            };
            let micros = micros.ok_or_else(|| EngineError::new("22008", "timestamp out of range"))?;
            out.extend_from_slice(&micros.to_be_bytes());
        }
        (1186, DataType::Interval(IntervalUnit::MonthDayNano)) => {
            let value = array.as_primitive::<IntervalMonthDayNanoType>().value(row);
            out.extend_from_slice(&(value.nanoseconds / 1000).to_be_bytes());
            out.extend_from_slice(&value.days.to_be_bytes());
            out.extend_from_slice(&value.months.to_be_bytes());
        }
        (oid @ (system::REGTYPE | system::REGNAMESPACE), DataType::Utf8) => {
            let name = array.as_string::<i32>().value(row);
            let known = if oid == system::REGTYPE { system::type_oid(name) } else { system::schema_oid(name) };
            // A number is one that nothing has.
            let number = known.or_else(|| name.parse().ok());
            let none = || EngineError::unsupported(format!("the binary format of {name}"));
            out.extend_from_slice(&number.ok_or_else(none)?.to_be_bytes());
        }
        (oid, DataType::List(_)) => encode_array(out, &array.as_list::<i32>().value(row), oid, encoding)?,
        (oid, DataType::LargeList(_)) => encode_array(out, &array.as_list::<i64>().value(row), oid, encoding)?,
        (oid, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View) if is_text(oid) => {
            let start = out.len();
            encode_value(out, array, row, &PLAIN)?;
            if !encoding.is_utf8() {
                let text = String::from_utf8(out.split_off(start)).expect("texts are UTF-8");
                out.extend_from_slice(&encoding.encode(&text)?);
            }
        }
        (oid, _) => return Err(EngineError::unsupported(format!("the binary format of type {oid} for this value"))),
    }
    Ok(())
}

fn integer(array: &dyn Array, row: usize) -> i128 {
    match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).into(),
        _ => array.as_primitive::<Int64Type>().value(row).into(),
    }
}

/// Dimensions, whether there are NULLs, the elements' type; for each dimension its length and first subscript; the elements
/// (`array_send`).
fn encode_array(out: &mut Vec<u8>, items: &dyn Array, oid: u32, encoding: &Encoding) -> Result<()> {
    let element = element_of(oid)
        .ok_or_else(|| EngineError::unsupported(format!("the binary format of arrays of type {oid}")))?;
    let (mut lengths, mut elements, mut nulls) = (Vec::new(), Vec::new(), false);
    flatten(items, 0, &mut lengths, &mut |array, row| {
        if array.is_null(row) {
            nulls = true;
            elements.extend_from_slice(&(-1i32).to_be_bytes());
            return Ok(());
        }
        // Its length stands before it, and is known behind it.
        let place = elements.len();
        elements.extend_from_slice(&[0; 4]);
        encode(&mut elements, array, row, element, encoding)?;
        let length = (elements.len() - place - 4) as i32;
        elements[place..place + 4].copy_from_slice(&length.to_be_bytes());
        Ok(())
    })?;
    if lengths.contains(&0) {
        lengths.clear();
    }
    out.extend_from_slice(&(lengths.len() as i32).to_be_bytes());
    out.extend_from_slice(&i32::from(nulls).to_be_bytes());
    out.extend_from_slice(&element.to_be_bytes());
    for length in lengths {
        out.extend_from_slice(&(length as i32).to_be_bytes());
        out.extend_from_slice(&1i32.to_be_bytes());
    }
    out.extend_from_slice(&elements);
    Ok(())
}

/// Gives the elements of an array in order, and notes each dimension's length.
fn flatten(
    items: &dyn Array,
    depth: usize,
    lengths: &mut Vec<usize>,
    each: &mut impl FnMut(&dyn Array, usize) -> Result<()>,
) -> Result<()> {
    match lengths.get(depth) {
        None => lengths.push(items.len()),
        Some(length) if *length == items.len() => {}
        Some(_) => return Err(EngineError::unsupported("arrays of arrays of different lengths")),
    }
    for row in 0..items.len() {
        match items.data_type() {
            DataType::List(_) => flatten(&items.as_list::<i32>().value(row), depth + 1, lengths, each)?,
            DataType::LargeList(_) => flatten(&items.as_list::<i64>().value(row), depth + 1, lengths, each)?,
            _ => each(items, row)?,
        }
    }
    Ok(())
}

/// Base-10000 digits with a weight and a display scale (`numeric_send`).
fn put_numeric(out: &mut Vec<u8>, text: &str) {
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

/// A parameter of the extended protocol as text of type `oid`; `number` counts from 1.
pub fn decode(bytes: &[u8], oid: u32, number: usize, encoding: &Encoding) -> Result<String> {
    let wrong = || format!("incorrect binary data format in bind parameter {number}");
    decode_whole(bytes, oid, encoding, wrong)
}

/// A field of COPY as text of type `oid`.
pub fn decode_field(bytes: &[u8], oid: u32) -> Result<String> {
    decode_whole(bytes, oid, &engine::encoding::UTF8, || "incorrect binary data format".into())
}

/// `wrong` is said where bytes are left over.
fn decode_whole(bytes: &[u8], oid: u32, encoding: &Encoding, wrong: impl FnOnce() -> String) -> Result<String> {
    let mut value = Reader { rest: bytes, encoding };
    let mut out = Vec::new();
    value.read(&mut out, oid)?;
    if !value.rest.is_empty() {
        return Err(malformed(wrong()));
    }
    Ok(String::from_utf8(out).expect("text representations are UTF-8"))
}

fn malformed(message: impl Into<String>) -> EngineError {
    EngineError::new("22P03", message)
}

struct Reader<'a> {
    rest: &'a [u8],
    /// The client's.
    encoding: &'a Encoding,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        let short = || EngineError::new("08P01", "insufficient data left in message");
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(short)?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        Ok(self.take(N)?.try_into().expect("as many bytes as were taken"))
    }

    fn int2(&mut self) -> Result<i16> {
        self.array().map(i16::from_be_bytes)
    }

    fn int4(&mut self) -> Result<i32> {
        self.array().map(i32::from_be_bytes)
    }

    fn int8(&mut self) -> Result<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// Appends a value's text.
    fn read(&mut self, out: &mut Vec<u8>, oid: u32) -> Result<()> {
        // Whatever the session's style is, this is read in every one.
        let style = &*PLAIN;
        let range = |what: &str| EngineError::new("22008", format!("{what} out of range"));
        match oid {
            oid if is_text(oid) => {
                let text = self.encoding.decode(self.take(self.rest.len())?)?;
                out.extend_from_slice(text.as_bytes());
            }
            16 => put(out, self.take(1)?[0] != 0),
            17 => put_hex(out, self.take(self.rest.len())?),
            20 => put(out, self.int8()?),
            21 => put(out, self.int2()?),
            23 => put(out, self.int4()?),
            26 => put(out, self.int4()? as u32),
            700 => put_float(out, f32::from_be_bytes(self.array()?), 6, style),
            701 => put_float(out, f64::from_be_bytes(self.array()?), 15, style),
            1082 => match self.int4()? {
                days @ (i32::MIN | i32::MAX) => put_date(out, days, style),
                days => put_date(out, days.checked_add(EPOCH_DAYS).ok_or_else(|| range("date"))?, style),
            },
            1083 => {
                let micros = self.int8()?;
                if !(0..=86_400_000_000).contains(&micros) {
                    return Err(range("time"));
                }
                put_time(out, micros);
            }
            1114 | 1184 => {
                let micros = match self.int8()? {
                    micros @ (i64::MIN | i64::MAX) => Some(micros),
                    micros => micros.checked_add(EPOCH_MICROS),
                };
                put_timestamp(out, micros.ok_or_else(|| range("timestamp"))?, oid == 1184, style);
            }
            1186 => {
                let (micros, days, months) = (self.int8()?, self.int4()?, self.int4()?);
                put_interval(out, months, days, micros, style);
            }
            1700 => self.numeric(out)?,
            2950 => put_uuid(out, self.take(16)?),
            oid => match element_of(oid) {
                Some(element) => self.elements(out, element)?,
                None => return Err(EngineError::unsupported(format!("the binary format of type {oid}"))),
            },
        }
        Ok(())
    }

    fn numeric(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let (count, weight, sign, scale) =
            (self.int2()? as u16, self.int2()?, self.int2()? as u16, self.int2()? as u16);
        match sign {
            0 => {}
            0x4000 => out.push(b'-'),
            0xc000 => out.extend_from_slice(b"NaN"),
            0xd000 => out.extend_from_slice(b"Infinity"),
            0xf000 => out.extend_from_slice(b"-Infinity"),
            _ => return Err(malformed("invalid sign in external \"numeric\" value")),
        }
        if scale > 0x3fff {
            return Err(malformed("invalid scale in external \"numeric\" value"));
        }
        let mut digits = Vec::with_capacity(count.into());
        for _ in 0..count {
            let digit = self.int2()?;
            if !(0..10_000).contains(&digit) {
                return Err(malformed("invalid digit in external \"numeric\" value"));
            }
            digits.push(digit);
        }
        if sign & 0xc000 == 0xc000 {
            return Ok(());
        }
        // The group of four digits worth 10000^place.
        let weight = i32::from(weight);
        let group = |place: i32| usize::try_from(weight - place).ok().and_then(|i| digits.get(i)).copied().unwrap_or(0);
        put(out, group(weight.max(0)));
        (0..weight.max(0)).rev().for_each(|place| put(out, format_args!("{:04}", group(place))));
        if scale > 0 {
            let groups = (1..=i32::from(scale.div_ceil(4))).map(|place| format!("{:04}", group(-place)));
            let fraction: String = groups.collect();
            put(out, format_args!(".{}", &fraction[..scale.into()]));
        }
        Ok(())
    }

    fn elements(&mut self, out: &mut Vec<u8>, element: u32) -> Result<()> {
        let (dimensions, flags, given) = (self.int4()?, self.int4()?, self.int4()? as u32);
        let dimensions = usize::try_from(dimensions)
            .map_err(|_| malformed(format!("invalid number of dimensions: {dimensions}")))?;
        if dimensions > MAX_DIMENSIONS {
            let text =
                format!("number of array dimensions ({dimensions}) exceeds the maximum allowed ({MAX_DIMENSIONS})");
            return Err(EngineError::new("54000", text));
        }
        if !(0..=1).contains(&flags) {
            return Err(malformed("invalid array flags"));
        }
        if given != element {
            let named = |oid: u32| match column_type(oid) {
                Some(ty) => format!("{oid} ({})", ty.name()),
                None => oid.to_string(),
            };
            let (given, element) = (named(given), named(element));
            let text = format!("binary data has array element type {given} instead of expected {element}");
            return Err(EngineError::new("42804", text));
        }
        let mut lengths = Vec::with_capacity(dimensions);
        for _ in 0..dimensions {
            let (length, first) = (self.int4()?, self.int4()?);
            if first != 1 {
                return Err(EngineError::unsupported("an array whose subscripts do not begin with 1"));
            }
            // Each element takes four bytes at least.
            let length = usize::try_from(length).ok().filter(|n| *n <= self.rest.len());
            lengths.push(length.ok_or_else(|| EngineError::new("54000", "array size exceeds the maximum allowed"))?);
        }
        if lengths.is_empty() || lengths.contains(&0) {
            out.extend_from_slice(b"{}");
            return Ok(());
        }
        self.dimension(out, &lengths, element)
    }

    fn dimension(&mut self, out: &mut Vec<u8>, lengths: &[usize], element: u32) -> Result<()> {
        let (length, inner) = lengths.split_first().expect("there is a dimension");
        out.push(b'{');
        for index in 0..*length {
            if index > 0 {
                out.push(b',');
            }
            if !inner.is_empty() {
                self.dimension(out, inner, element)?;
                continue;
            }
            match self.int4()? {
                -1 => out.extend_from_slice(b"NULL"),
                size => {
                    let size =
                        usize::try_from(size).map_err(|_| malformed("improper binary format in array element"))?;
                    let (mut value, mut text) =
                        (Reader { rest: self.take(size)?, encoding: self.encoding }, Vec::new());
                    value.read(&mut text, element)?;
                    if !value.rest.is_empty() {
                        return Err(malformed("improper binary format in array element"));
                    }
                    put_array_item(out, &text);
                }
            }
        }
        out.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use engine::encoding::UTF8;

    use super::*;

    #[test]
    fn numerics_come_back() {
        for text in
            ["0", "0.00", "1", "-1.5", "10000", "99999999.0001", "0.00001234", "-123456789012345678901234567890.5"]
        {
            let mut bytes = Vec::new();
            put_numeric(&mut bytes, text);
            assert_eq!(decode(&bytes, 1700, 1, &UTF8).unwrap(), text);
        }
        for text in ["NaN", "Infinity", "-Infinity"] {
            let mut bytes = Vec::new();
            put_numeric(&mut bytes, text);
            assert_eq!(decode(&bytes, 1700, 1, &UTF8).unwrap(), text);
        }
    }

    #[test]
    fn lengths_are_checked() {
        assert_eq!(decode(&[1, 2, 3], 23, 1, &UTF8).unwrap_err().code, "08P01");
        assert_eq!(decode(&[1, 2, 3, 4, 5], 23, 2, &UTF8).unwrap_err().code, "22P03");
        // An array of two billion elements, in 20 bytes.
        let mut bytes = vec![0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 23, 0x7f, 0xff, 0xff, 0xff, 0, 0, 0, 1];
        assert_eq!(decode(&bytes, 1007, 1, &UTF8).unwrap_err().code, "54000");
        bytes[12..16].copy_from_slice(&0i32.to_be_bytes());
        assert_eq!(decode(&bytes, 1007, 1, &UTF8).unwrap(), "{}");
    }
}
