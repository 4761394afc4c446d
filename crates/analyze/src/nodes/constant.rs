//! Values of constants in a tree's text: each exactly as it is, floats by their bits.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use types::Datum;

#[derive(Serialize, Deserialize)]
enum Value {
    Null,
    Bool(bool),
    U8(u8),
    I16(i16),
    I32(i32),
    I64(i64),
    U32(u32),
    U64(u64),
    F32(u32),
    F64(u64),
    I128(i128),
    Text(String),
    /// In hexadecimal digits.
    Bytes(String),
}

pub(crate) fn serialize<S: Serializer>(value: &Datum, to: S) -> Result<S::Ok, S::Error> {
    let value = match value {
        Datum::Null => Value::Null,
        Datum::Bool(value) => Value::Bool(*value),
        Datum::U8(value) => Value::U8(*value),
        Datum::I16(value) => Value::I16(*value),
        Datum::I32(value) => Value::I32(*value),
        Datum::I64(value) => Value::I64(*value),
        Datum::U32(value) => Value::U32(*value),
        Datum::U64(value) => Value::U64(*value),
        Datum::F32(value) => Value::F32(value.to_bits()),
        Datum::F64(value) => Value::F64(value.to_bits()),
        Datum::I128(value) => Value::I128(*value),
        Datum::Text(text) => Value::Text(text.to_string()),
        Datum::Bytes(bytes) => Value::Bytes(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    };
    value.serialize(to)
}

pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Datum, D::Error> {
    Ok(match Value::deserialize(from)? {
        Value::Null => Datum::Null,
        Value::Bool(value) => Datum::Bool(value),
        Value::U8(value) => Datum::U8(value),
        Value::I16(value) => Datum::I16(value),
        Value::I32(value) => Datum::I32(value),
        Value::I64(value) => Datum::I64(value),
        Value::U32(value) => Datum::U32(value),
        Value::U64(value) => Datum::U64(value),
        Value::F32(bits) => Datum::F32(f32::from_bits(bits)),
        Value::F64(bits) => Datum::F64(f64::from_bits(bits)),
        Value::I128(value) => Datum::I128(value),
        Value::Text(text) => Datum::text(text),
        Value::Bytes(digits) => {
            let bytes = bytes(&digits).ok_or_else(|| serde::de::Error::custom("bytes are hexadecimal digits"))?;
            Datum::bytes(bytes)
        }
    })
}

fn bytes(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(pair).collect()
}
