//! How a value lies among others in the bytes of an array or a row: numbers little-endian in their width, all else as it
//! is. A representation has a number there, which is on pages and never changes its meaning.

use error::sqlstate;

use crate::error::{Error, Result};
use crate::repr::Repr;
use crate::scalar::Scalar;

macro_rules! codes {
    ($($repr:ident $code:literal)*) => {
        /// The number of a representation.
        pub fn code(repr: Repr) -> u8 {
            match repr {
                $(Repr::$repr => $code,)*
                Repr::Decimal { .. } => code(Repr::Numeric),
            }
        }

        /// The representation of a number.
        pub fn repr(code: u8) -> Option<Repr> {
            Some(match code {
                $($code => Repr::$repr,)*
                _ => return None,
            })
        }
    };
}

codes! {
    Bool 1 Char 2 Int2 3 Int4 4 Int8 5 Oid 6 Xid8 7 Float4 8 Float8 9 Numeric 10 Text 11 Bpchar 12 Bytea 13 Uuid 14 Date 15
    Time 16 TimeTz 17 Timestamp 18 TimestampTz 19 Interval 20 Tid 21 Array 22 Record 23 Jsonb 24
}

/// Levels of arrays and rows in each other that a value has at most, so that what goes through them has an end.
const MOST_LEVELS: u8 = 200;

/// Where the bytes of arrays and rows have the levels of arrays and rows that are in them.
pub const LEVELS: usize = 7;

/// The levels that a value adds to what it is put into: none, but for an array or a row. Fails with 54001 where there are
/// too many.
#[inline]
pub fn levels(repr: Repr, value: Scalar<'_>) -> Result<u8> {
    if !matches!(repr, Repr::Array | Repr::Record) {
        return Ok(0);
    }
    match value.bytes().get(LEVELS).copied().unwrap_or(0) {
        levels if levels >= MOST_LEVELS => {
            Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"))
        }
        levels => Ok(levels + 1),
    }
}

/// Bytes that each value has; `None`: as many as it needs.
pub fn width(repr: Repr) -> Option<usize> {
    Some(match repr {
        Repr::Bool | Repr::Char => 1,
        Repr::Int2 => 2,
        Repr::Int4 | Repr::Oid | Repr::Float4 | Repr::Date => 4,
        Repr::Int8 | Repr::Xid8 | Repr::Float8 | Repr::Time | Repr::Timestamp | Repr::TimestampTz => 8,
        Repr::Uuid | Repr::Interval => 16,
        Repr::TimeTz => 12,
        Repr::Tid => 6,
        Repr::Numeric | Repr::Text | Repr::Bpchar | Repr::Bytea | Repr::Array | Repr::Record => return None,
        Repr::Decimal { .. } | Repr::Jsonb => return None,
    })
}

/// Appends a value.
#[inline]
pub fn pack(repr: Repr, value: Scalar<'_>, out: &mut Vec<u8>) {
    match (value, width(repr)) {
        (Scalar::Int(v), Some(width)) => out.extend_from_slice(&v.to_le_bytes()[..width.min(8)]),
        (Scalar::Unsigned(v), Some(width)) => out.extend_from_slice(&v.to_le_bytes()[..width.min(8)]),
        (Scalar::Float(v), Some(4)) => out.extend_from_slice(&(v as f32).to_le_bytes()),
        (Scalar::Float(v), _) => out.extend_from_slice(&v.to_le_bytes()),
        (value, _) => out.extend_from_slice(value.bytes()),
    }
}

/// The value of bytes that [`pack`] has made; of others, some value.
#[inline]
pub fn unpack(repr: Repr, bytes: &[u8]) -> Scalar<'_> {
    macro_rules! number {
        ($native:ty) => {
            <$native>::from_le_bytes(bytes.try_into().unwrap_or_default())
        };
    }
    match repr {
        Repr::Bool | Repr::Char => Scalar::Unsigned(number!(u8).into()),
        Repr::Int2 => Scalar::Int(number!(i16).into()),
        Repr::Int4 | Repr::Date => Scalar::Int(number!(i32).into()),
        Repr::Int8 | Repr::Time | Repr::Timestamp | Repr::TimestampTz => Scalar::Int(number!(i64)),
        Repr::Oid => Scalar::Unsigned(number!(u32).into()),
        Repr::Xid8 => Scalar::Unsigned(number!(u64)),
        Repr::Float4 => Scalar::Float(number!(f32).into()),
        Repr::Float8 => Scalar::Float(number!(f64)),
        _ => Scalar::Bytes(bytes),
    }
}
