//! Casts as PostgreSQL makes them: rounding, ranges, lengths, and its error messages.

use std::sync::Arc;

use datafusion::arrow::array::*;
use datafusion::arrow::compute::{CastOptions, cast_with_options};
use datafusion::arrow::datatypes::*;
use engine::{EngineError, PgType, Result};

/// How a cast treats strings that are too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// `CAST(… AS varchar(3))` cuts.
    Explicit,
    /// Storing into a column fails (22001), unless only spaces are lost.
    Assignment,
}

fn invalid(ty: &str, text: &str) -> EngineError {
    EngineError::new("22P02", format!("invalid input syntax for type {ty}: \"{text}\""))
}

fn out_of_range(ty: &str) -> EngineError {
    EngineError::new("22003", format!("{ty} out of range"))
}

/// Converts `array` to `to`.
pub fn cast(array: &ArrayRef, to: PgType, purpose: Purpose) -> Result<ArrayRef> {
    let from = array.data_type().clone();
    match (&from, to) {
        (DataType::Null, _) => Ok(new_null_array(&to.arrow(), array.len())),
        (DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View, _) => from_text(&text(array)?, to, purpose),
        (DataType::LargeBinary, _) => from_numeric(array, to, purpose),
        (DataType::Decimal128(_, _), PgType::Float8) => Ok(decimal_to_float(array)),
        (DataType::Date32 | DataType::Timestamp(_, _), PgType::Date | PgType::Timestamp | PgType::Timestamptz) => {
            crate::time_functions::cast(array, &to.arrow())
        }
        (_, PgType::Text | PgType::Varchar(_) | PgType::Char(_)) => {
            from_text(&crate::output::text_array(array)?, to, purpose)
        }
        (_, PgType::Int2 | PgType::Int4 | PgType::Int8) => to_integer(array, to),
        (DataType::Decimal128(_, _), PgType::Numeric(p, s)) => to_decimal(array, p, s),
        (_, PgType::Numeric(_, _)) if from.is_floating() => {
            // Through 15 (or 6) decimal digits, as PostgreSQL does it.
            let texts = (0..array.len()).map(|row| Ok(crate::numeric::read(array, row)?.map(|n| n.to_string())));
            from_text(&texts.collect::<Result<StringArray>>()?, to, purpose)
        }
        (_, PgType::Numeric(p, s)) if from.is_integer() => to_decimal(array, p, s),
        (DataType::Boolean, PgType::Float4 | PgType::Float8 | PgType::Numeric(_, _)) => Err(cannot(&from, to)),
        (_, PgType::Float4) => {
            let result = arrow(array, &DataType::Float32)?;
            let floats = result.as_primitive::<Float32Type>();
            let wide = arrow(array, &DataType::Float64)?;
            let wide = wide.as_primitive::<Float64Type>();
            let lost = |(narrow, wide): (Option<f32>, Option<f64>)| {
                narrow.zip(wide).is_some_and(|(n, w)| (n.is_infinite() && w.is_finite()) || (n == 0.0 && w != 0.0))
            };
            if floats.iter().zip(wide.iter()).any(lost) { Err(out_of_range("\"real\" value")) } else { Ok(result) }
        }
        (from, PgType::Bool) if from.is_floating() || matches!(from, DataType::Int64 | DataType::Int16) => {
            Err(cannot(from, to))
        }
        (from, to) if allowed(from, to) => arrow(array, &to.arrow()),
        (from, to) => Err(cannot(from, to)),
    }
}

/// From numeric without precision.
fn from_numeric(array: &ArrayRef, to: PgType, purpose: Purpose) -> Result<ArrayRef> {
    let numbers = || (0..array.len()).map(|row| crate::numeric::read(array, row));
    match to {
        PgType::Int2 | PgType::Int4 | PgType::Int8 => {
            let whole = numbers().map(|n| match n? {
                None => Ok(None),
                Some(n) => n.to_i64().map(Some).ok_or_else(|| out_of_range(&to.name())),
            });
            narrow(whole.collect::<Result<_>>()?, to)
        }
        PgType::Float8 => {
            let floats = numbers().map(|n| n?.map(|n| n.to_f64()).transpose());
            Ok(Arc::new(floats.collect::<Result<Float64Array>>()?))
        }
        PgType::Float4 | PgType::Numeric(_, _) | PgType::Text | PgType::Varchar(_) | PgType::Char(_) => {
            from_text(&crate::output::text_array(array)?, to, purpose)
        }
        _ => Err(cannot(array.data_type(), to)),
    }
}

/// The nearest double: exact operands give a correctly rounded quotient, the others go through their text.
fn decimal_to_float(array: &ArrayRef) -> ArrayRef {
    let decimals = array.as_primitive::<Decimal128Type>();
    let scale = decimals.scale();
    let floats = decimals.iter().enumerate().map(|(row, value)| {
        value.map(|value| {
            if (0..=22).contains(&scale) && value.unsigned_abs() < 1 << 53 {
                value as f64 / 10f64.powi(i32::from(scale))
            } else {
                decimals.value_as_string(row).parse().expect("a number's text is a float's")
            }
        })
    });
    Arc::new(floats.collect::<Float64Array>())
}

fn allowed(from: &DataType, to: PgType) -> bool {
    use DataType::*;
    *from == to.arrow()
        || match to {
            PgType::Float8 => from.is_numeric(),
            PgType::Bool => matches!(from, Int32),
            PgType::Bytea => matches!(from, Binary | BinaryView),
            _ => false,
        }
}

fn cannot(from: &DataType, to: PgType) -> EngineError {
    EngineError::new("42846", format!("cannot cast type {} to {}", crate::output::type_name(from), to.name()))
}

fn arrow(array: &ArrayRef, to: &DataType) -> Result<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    cast_with_options(array, to, &options).map_err(|e| EngineError::new("22003", e.to_string()))
}

fn text(array: &ArrayRef) -> Result<StringArray> {
    Ok(arrow(array, &DataType::Utf8)?.as_string::<i32>().clone())
}

fn to_integer(array: &ArrayRef, to: PgType) -> Result<ArrayRef> {
    let name = to.name();
    let wide: Int64Array = match array.data_type() {
        DataType::Float32 | DataType::Float64 => {
            let floats = arrow(array, &DataType::Float64)?;
            let floats = floats.as_primitive::<Float64Type>();
            // Half to even, as rint() does.
            floats
                .iter()
                .map(|v| match v.map(f64::round_ties_even) {
                    None => Ok(None),
                    Some(v) if (-9223372036854775808.0..9223372036854775808.0).contains(&v) => Ok(Some(v as i64)),
                    Some(_) => Err(out_of_range(&name)),
                })
                .collect::<Result<_>>()?
        }
        DataType::Decimal128(_, scale) => {
            if *scale < 0 {
                // An exponent: 1e10.
                let whole = arrow(array, &DataType::Decimal128(38, 0))?;
                return to_integer(&whole, to);
            }
            let factor = 10i128.checked_pow(u32::from(scale.unsigned_abs())).ok_or_else(|| out_of_range(&name))?;
            let values = array.as_primitive::<Decimal128Type>();
            values
                .iter()
                .map(|v| {
                    // Half away from zero.
                    let rounded = v.map(|v| (v + v.signum() * (factor / 2)) / factor);
                    rounded.map(i64::try_from).transpose().map_err(|_| out_of_range(&name))
                })
                .collect::<Result<_>>()?
        }
        DataType::UInt64 => {
            let values = array.as_primitive::<UInt64Type>();
            let values = values.iter().map(|v| v.map(i64::try_from).transpose().map_err(|_| out_of_range(&name)));
            values.collect::<Result<_>>()?
        }
        DataType::Boolean if to == PgType::Int4 => arrow(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
        from if from.is_integer() => arrow(array, &DataType::Int64)?.as_primitive::<Int64Type>().clone(),
        from => return Err(cannot(from, to)),
    };
    narrow(wide, to)
}

fn narrow(wide: Int64Array, to: PgType) -> Result<ArrayRef> {
    let failed = || out_of_range(&to.name());
    Ok(match to {
        PgType::Int8 => Arc::new(wide),
        PgType::Int4 => Arc::new(wide.try_unary::<_, Int32Type, _>(i32::try_from).map_err(|_| failed())?),
        _ => Arc::new(wide.try_unary::<_, Int16Type, _>(i16::try_from).map_err(|_| failed())?),
    })
}

fn to_decimal(array: &ArrayRef, precision: u8, scale: i8) -> Result<ArrayRef> {
    let options = CastOptions { safe: false, ..CastOptions::default() };
    let result = cast_with_options(array, &DataType::Decimal128(precision, scale), &options).and_then(|a| {
        a.as_primitive::<Decimal128Type>().validate_decimal_precision(precision)?;
        Ok(a)
    });
    result.map_err(|_| overflow(precision, scale))
}

fn overflow(precision: u8, scale: i8) -> EngineError {
    let digits = i16::from(precision) - i16::from(scale);
    EngineError::new("22003", "numeric field overflow").detail(format!(
        "A field with precision {precision}, scale {scale} must round to an absolute value less than {}{}.",
        if digits == 0 { "" } else { "10^" },
        if digits == 0 { 1 } else { digits }
    ))
}

fn from_text(array: &StringArray, to: PgType, purpose: Purpose) -> Result<ArrayRef> {
    macro_rules! parse {
        ($builder:ty, $parse:expr) => {{
            let mut values = <$builder>::with_capacity(array.len());
            for value in array {
                match value {
                    None => values.append_null(),
                    Some(text) => values.append_value($parse(text)?),
                }
            }
            Arc::new(values.finish()) as ArrayRef
        }};
    }
    let name = to.name();
    Ok(match to {
        PgType::Bool => {
            parse!(BooleanBuilder, |t: &str| engine::settings::parse_bool(t).ok_or_else(|| invalid("boolean", t)))
        }
        PgType::Int2 => parse!(Int16Builder, |t: &str| integer(t, &name)
            .and_then(|v| i16::try_from(v).map_err(|_| too_wide(t, &name)))),
        PgType::Int4 => parse!(Int32Builder, |t: &str| integer(t, &name)
            .and_then(|v| i32::try_from(v).map_err(|_| too_wide(t, &name)))),
        PgType::Int8 => parse!(Int64Builder, |t: &str| integer(t, &name)),
        PgType::Float4 => parse!(Float32Builder, |t: &str| float(t, &name).and_then(|v| {
            let narrow = v as f32;
            if (narrow.is_infinite() && v.is_finite()) || (narrow == 0.0 && v != 0.0) {
                Err(too_wide(t, &name))
            } else {
                Ok(narrow)
            }
        })),
        PgType::Float8 => parse!(Float64Builder, |t: &str| float(t, &name)),
        PgType::Numeric(p, s) => {
            let values = parse!(Decimal128Builder, |t: &str| decimal(t, p, s));
            Arc::new(
                values
                    .as_primitive::<Decimal128Type>()
                    .clone()
                    .with_precision_and_scale(p, s)
                    .map_err(|_| overflow(p, s))?,
            )
        }
        PgType::Text | PgType::Varchar(None) => Arc::new(array.clone()),
        PgType::Varchar(Some(n)) => {
            parse!(StringBuilderWithCapacity, |t: &str| fit(t, n, purpose, "character varying"))
        }
        PgType::Char(n) => parse!(StringBuilderWithCapacity, |t: &str| {
            let fitted = fit(t, n, purpose, "character")?;
            let missing = n as usize - fitted.chars().count().min(n as usize);
            Ok::<_, EngineError>(fitted + &" ".repeat(missing))
        }),
        PgType::Date => parse!(Date32Builder, |t: &str| crate::datetime_input::parse_date(t)),
        PgType::Timestamp => {
            parse!(TimestampMicrosecondBuilder, |t: &str| crate::datetime_input::parse_timestamp(t, false))
        }
        PgType::Timestamptz => {
            let values = parse!(TimestampMicrosecondBuilder, |t: &str| crate::datetime_input::parse_timestamp(t, true));
            Arc::new(values.as_primitive::<TimestampMicrosecondType>().clone().with_timezone("UTC"))
        }
        PgType::Bytea => {
            let mut values = BinaryBuilder::with_capacity(array.len(), array.len() * 16);
            for value in array {
                match value {
                    None => values.append_null(),
                    Some(text) => values.append_value(bytea(text)?),
                }
            }
            Arc::new(values.finish())
        }
        PgType::Uuid => {
            let mut values = FixedSizeBinaryBuilder::with_capacity(array.len(), 16);
            for value in array {
                match value {
                    None => values.append_null(),
                    Some(text) => values.append_value(uuid(text)?).expect("16 bytes"),
                }
            }
            Arc::new(values.finish())
        }
    })
}

/// Gives `StringBuilder` the constructor that the other builders have.
struct StringBuilderWithCapacity(StringBuilder);

impl StringBuilderWithCapacity {
    fn with_capacity(rows: usize) -> StringBuilderWithCapacity {
        StringBuilderWithCapacity(StringBuilder::with_capacity(rows, rows * 16))
    }
    fn append_null(&mut self) {
        self.0.append_null();
    }
    fn append_value(&mut self, value: String) {
        self.0.append_value(value);
    }
    fn finish(&mut self) -> StringArray {
        self.0.finish()
    }
}

fn too_wide(text: &str, ty: &str) -> EngineError {
    EngineError::new("22003", format!("value \"{text}\" is out of range for type {ty}"))
}

fn integer(text: &str, ty: &str) -> Result<i64> {
    let trimmed = text.trim();
    let digits = trimmed.strip_prefix(['-', '+']).unwrap_or(trimmed);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(invalid(ty, text));
    }
    trimmed.parse().map_err(|_| too_wide(text, ty))
}

fn float(text: &str, ty: &str) -> Result<f64> {
    let trimmed = text.trim();
    match trimmed.to_ascii_lowercase().as_str() {
        "nan" => return Ok(f64::NAN),
        "infinity" | "inf" | "+infinity" | "+inf" => return Ok(f64::INFINITY),
        "-infinity" | "-inf" => return Ok(f64::NEG_INFINITY),
        _ => {}
    }
    let plain = trimmed.bytes().all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let value: f64 = trimmed.parse().ok().filter(|_| plain).ok_or_else(|| invalid(ty, text))?;
    let vanished =
        value == 0.0 && trimmed.split(['e', 'E']).next().is_some_and(|m| m.bytes().any(|b| (b'1'..=b'9').contains(&b)));
    if value.is_infinite() || vanished {
        return Err(EngineError::new("22003", format!("\"{text}\" is out of range for type {ty}")));
    }
    Ok(value)
}

/// Rounds half away from zero to `scale` digits.
fn decimal(text: &str, precision: u8, scale: i8) -> Result<i128> {
    let trimmed = text.trim();
    let bad = || invalid("numeric", text);
    let (mantissa, exponent) = match trimmed.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().map_err(|_| bad())?),
        None => (trimmed, 0),
    };
    if matches!(
        trimmed.to_ascii_lowercase().as_str(),
        "nan" | "inf" | "infinity" | "-inf" | "-infinity" | "+inf" | "+infinity"
    ) {
        return Err(EngineError::unsupported(format!("{trimmed} in numeric({precision},{scale})")));
    }
    if exponent.unsigned_abs() > i32::MAX as u32 / 2 {
        return Err(EngineError::new("22003", "value overflows numeric format"));
    }
    let (negative, digits) = match mantissa.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, mantissa.strip_prefix('+').unwrap_or(mantissa)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if (whole.is_empty() && fraction.is_empty()) || !whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit()) {
        return Err(bad());
    }
    let all: Vec<u8> = whole.bytes().chain(fraction.bytes()).map(|b| b - b'0').collect();
    // The digit at this index is the first one to be cut off.
    let keep = whole.len() as i64 + i64::from(exponent) + i64::from(scale);
    let mut value: i128 = 0;
    for index in 0..keep.max(0) {
        let digit = all.get(index as usize).copied().unwrap_or(0);
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(i128::from(digit)))
            .ok_or_else(|| overflow(precision, scale))?;
        if value == 0 && index as usize >= all.len() {
            // Only zeros follow, however many the exponent asks for.
            break;
        }
    }
    if keep >= 0 && all.get(keep as usize).is_some_and(|&d| d >= 5) {
        value += 1;
    }
    if value >= 10i128.pow(u32::from(precision)) {
        return Err(overflow(precision, scale));
    }
    Ok(if negative { -value } else { value })
}

fn fit(text: &str, limit: u32, purpose: Purpose, ty: &str) -> Result<String> {
    let cut = text.char_indices().nth(limit as usize).map(|(at, _)| at);
    match cut {
        None => Ok(text.to_string()),
        Some(at) if purpose == Purpose::Explicit || text[at..].bytes().all(|b| b == b' ') => Ok(text[..at].to_string()),
        Some(_) => Err(EngineError::new("22001", format!("value too long for type {ty}({limit})"))),
    }
}

fn bytea(text: &str) -> Result<Vec<u8>> {
    if let Some(hex) = text.strip_prefix("\\x") {
        let digits: Vec<u8> = hex.bytes().filter(|b| !b.is_ascii_whitespace()).collect();
        if let Some(bad) = digits.iter().find(|b| !b.is_ascii_hexdigit()) {
            return Err(EngineError::new("22023", format!("invalid hexadecimal digit: \"{}\"", char::from(*bad))));
        }
        if !digits.len().is_multiple_of(2) {
            return Err(EngineError::new("22023", "invalid hexadecimal data: odd number of digits"));
        }
        let value = |b: u8| char::from(b).to_digit(16).expect("checked") as u8;
        return Ok(digits.chunks(2).map(|p| value(p[0]) << 4 | value(p[1])).collect());
    }
    let mut out = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] != b'\\' {
            out.push(bytes[at]);
            at += 1;
        } else if bytes.get(at + 1) == Some(&b'\\') {
            out.push(b'\\');
            at += 2;
        } else {
            let octal = bytes.get(at + 1..at + 4).and_then(|d| std::str::from_utf8(d).ok());
            let value = octal.and_then(|d| u8::from_str_radix(d, 8).ok()).ok_or_else(|| invalid("bytea", text))?;
            out.push(value);
            at += 4;
        }
    }
    Ok(out)
}

fn uuid(text: &str) -> Result<[u8; 16]> {
    let bad = || invalid("uuid", text);
    // Braces around all of it, and dashes between groups of four digits, may be left out.
    let inner = match text.strip_prefix('{') {
        Some(rest) => rest.strip_suffix('}').ok_or_else(bad)?,
        None => text,
    };
    let (mut digits, mut dash) = (Vec::with_capacity(32), false);
    for byte in inner.bytes() {
        match byte {
            b'-' if !dash && !digits.is_empty() && digits.len() % 4 == 0 && digits.len() < 32 => dash = true,
            b'-' => return Err(bad()),
            byte => {
                digits.push(byte);
                dash = false;
            }
        }
    }
    if digits.len() != 32 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(bad());
    }
    let mut out = [0; 16];
    for (byte, pair) in out.iter_mut().zip(digits.chunks(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).map_err(|_| bad())?, 16).map_err(|_| bad())?;
    }
    Ok(out)
}
