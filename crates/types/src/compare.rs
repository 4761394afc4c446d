//! How values are compared, type by type: the order of their types' B-tree operators, and bytes that compare so.

use std::cmp::Ordering;

use crate::array::ArrayView;
use crate::datetime::{Interval, TimeTz};
use crate::datum::Datum;
use crate::jsonb;
use crate::numeric::bytes;
use crate::oid::{self, Oid};
use crate::record::RecordView;
use crate::repr::Repr;
use crate::scalar::Scalar;

/// The order of two values of a type.
pub fn scalars(repr: Repr, a: Scalar<'_>, b: Scalar<'_>) -> Ordering {
    match (a, b) {
        (Scalar::Int(a), Scalar::Int(b)) => a.cmp(&b),
        (Scalar::Unsigned(a), Scalar::Unsigned(b)) => a.cmp(&b),
        (Scalar::Float(a), Scalar::Float(b)) => floats(a, b),
        (a, b) => in_bytes(repr, a.bytes(), b.bytes()),
    }
}

/// NULL is after all values, and equal to itself.
pub fn nullable(repr: Repr, a: Option<Scalar<'_>>, b: Option<Scalar<'_>>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => scalars(repr, a, b),
        (a, b) => a.is_none().cmp(&b.is_none()),
    }
}

/// [`nullable`] of values that stand alone.
pub fn datums(repr: Repr, a: &Datum, b: &Datum) -> Ordering {
    match (a, b) {
        // The digits have one scale.
        (Datum::I128(a), Datum::I128(b)) => a.cmp(b),
        (Datum::I128(_), _) | (_, Datum::I128(_)) => a.is_null().cmp(&b.is_null()),
        (a, b) => nullable(repr, Scalar::of_datum(a), Scalar::of_datum(b)),
    }
}

/// NaN is equal to itself and after all else; there is one zero.
fn floats(a: f64, b: f64) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

fn in_bytes(repr: Repr, a: &[u8], b: &[u8]) -> Ordering {
    match repr {
        Repr::Numeric => bytes::key(a).cmp(bytes::key(b)),
        Repr::Bpchar => unpadded(a).cmp(unpadded(b)),
        Repr::Interval => match (a.try_into(), b.try_into()) {
            (Ok(a), Ok(b)) => Interval::from_bytes(a).span().cmp(&Interval::from_bytes(b).span()),
            _ => a.cmp(b),
        },
        Repr::TimeTz => match (a.try_into(), b.try_into()) {
            (Ok(a), Ok(b)) => TimeTz::from_bytes(a).rank().cmp(&TimeTz::from_bytes(b).rank()),
            _ => a.cmp(b),
        },
        Repr::Array => ArrayView::new(a).compare(&ArrayView::new(b)),
        Repr::Record => RecordView::new(a).compare(&RecordView::new(b)),
        Repr::Jsonb => jsonb::compare(jsonb::View::new(a), jsonb::View::new(b)),
        _ => a.cmp(b),
    }
}

/// A `character(n)` without the blanks at its end.
pub fn unpadded(text: &[u8]) -> &[u8] {
    let end = text.iter().rposition(|&b| b != b' ').map_or(0, |last| last + 1);
    &text[..end]
}

/// Appends bytes that compare as values of the type do. Those of one value are no beginning of another's, so keys can
/// stand one behind the other.
pub fn append_key(repr: Repr, value: Scalar<'_>, out: &mut Vec<u8>) {
    match value {
        Scalar::Int(v) => match repr {
            Repr::Int2 => out.extend((v as i16 ^ i16::MIN).to_be_bytes()),
            Repr::Int4 | Repr::Date => out.extend((v as i32 ^ i32::MIN).to_be_bytes()),
            _ => out.extend((v ^ i64::MIN).to_be_bytes()),
        },
        Scalar::Unsigned(v) => match repr {
            Repr::Bool | Repr::Char => out.push(v as u8),
            Repr::Oid => out.extend((v as u32).to_be_bytes()),
            _ => out.extend(v.to_be_bytes()),
        },
        Scalar::Float(v) => out.extend(float_key(v).to_be_bytes()),
        Scalar::Bytes(v) => match repr {
            Repr::Numeric => append_escaped(bytes::key(v), out),
            Repr::Bpchar => append_escaped(unpadded(v), out),
            Repr::Interval => match v.try_into() {
                Ok(v) => out.extend(crate::key::interval(v)),
                Err(_) => out.extend([0; 16]),
            },
            Repr::TimeTz => match v.try_into() {
                Ok(v) => out.extend(crate::key::time_with_zone(v)),
                Err(_) => out.extend([0; 12]),
            },
            Repr::Uuid | Repr::Tid => out.extend(v),
            Repr::Array => ArrayView::new(v).append_key(out),
            Repr::Record => RecordView::new(v).append_key(out),
            Repr::Jsonb => jsonb::append_key(jsonb::View::new(v), out),
            _ => append_escaped(v, out),
        },
    }
}

/// Does [`append_key`] keep all of a type's values, as pages have them, so that [`decode_key`] gives them back?
pub fn key_is_whole(ty: Oid, typmod: i32) -> bool {
    match Repr::of(ty, typmod) {
        // Values can be equal and not the same: 1.0 and 1.00, 1 month and 30 days, 0 and -0.
        Some(Repr::Numeric | Repr::Float4 | Repr::Float8 | Repr::Interval | Repr::TimeTz) => false,
        Some(Repr::Array | Repr::Record | Repr::Jsonb) | None => false,
        // Pages have no blanks at the end where the type has a length.
        Some(Repr::Bpchar) => typmod >= 0,
        Some(_) => true,
    }
}

/// Bytes of a value's key, if all values have as many.
fn key_width(repr: Repr) -> Option<usize> {
    match repr {
        Repr::Bool | Repr::Char => Some(1),
        Repr::Int2 => Some(2),
        Repr::Int4 | Repr::Date | Repr::Oid => Some(4),
        Repr::Tid => Some(6),
        Repr::Int8 | Repr::Time | Repr::Timestamp | Repr::TimestampTz => Some(8),
        Repr::Xid8 | Repr::Float4 | Repr::Float8 => Some(8),
        Repr::TimeTz => Some(12),
        Repr::Decimal { .. } | Repr::Uuid | Repr::Interval => Some(16),
        Repr::Numeric | Repr::Text | Repr::Bpchar | Repr::Bytea => None,
        Repr::Array | Repr::Record | Repr::Jsonb => None,
    }
}

/// Bytes of a value's key, `key` beginning with it, all whose bytes are inverted if it is `descending`. `None`: it is none.
pub fn key_len(repr: Repr, key: &[u8], descending: bool) -> Option<usize> {
    let end = if descending { 0xff } else { 0 };
    if let Some(width) = key_width(repr) {
        return (key.len() >= width).then_some(width);
    }
    if matches!(repr, Repr::Array | Repr::Record | Repr::Jsonb) {
        return None;
    }
    let mut at = 0;
    loop {
        at += key[at..].iter().position(|&byte| byte == end)? + 2;
        if key.get(at - 1)? == &end {
            return Some(at);
        }
    }
}

/// Appends the value of a key that [`append_key`] has made, as pages have it, `key` beginning with it; all its bytes are
/// inverted if it is `descending`. Gives how many bytes of `key` it has. Digits of [`Repr::Decimal`] are the other way round.
/// What is lost in a key is lost. `None`: it is none.
pub fn decode_key(repr: Repr, key: &[u8], descending: bool, out: &mut Vec<u8>) -> Option<usize> {
    let invert = if descending { 0xff } else { 0 };
    let Some(width) = key_width(repr) else {
        return match repr {
            Repr::Array | Repr::Record | Repr::Jsonb => None,
            _ => decode_escaped(key, invert, out),
        };
    };
    let (start, bytes) = (out.len(), key.get(..width)?.iter().map(|byte| byte ^ invert));
    match repr {
        Repr::Uuid | Repr::Interval | Repr::Tid | Repr::TimeTz => out.extend(bytes),
        _ => out.extend(bytes.rev()),
    }
    use Repr::*;
    if matches!(repr, Int2 | Int4 | Date | Int8 | Time | Timestamp | TimestampTz | Decimal { .. }) {
        out[start + width - 1] ^= 0x80;
    }
    Some(width)
}

fn decode_escaped(key: &[u8], invert: u8, out: &mut Vec<u8>) -> Option<usize> {
    let mut at = 0;
    loop {
        let zero = at + key[at..].iter().position(|&byte| byte == invert)?;
        match (invert, &key[at..zero]) {
            (0, piece) => out.extend_from_slice(piece),
            (_, piece) => out.extend(piece.iter().map(|byte| byte ^ invert)),
        }
        if key.get(zero + 1)? == &invert {
            return Some(zero + 2);
        }
        out.push(0);
        at = zero + 2;
    }
}

/// A key, NULL's after all others.
pub fn append_nullable_key(repr: Repr, value: Option<Scalar<'_>>, out: &mut Vec<u8>) {
    match value {
        Some(value) => {
            out.push(KEY_OF_VALUE);
            append_key(repr, value, out);
        }
        None => out.push(KEY_OF_NULL),
    }
}

/// What stands before the keys of values that are one behind the other, and behind the last: the end is before all.
pub(crate) const KEY_OF_END: u8 = 0;
const KEY_OF_VALUE: u8 = 1;
const KEY_OF_NULL: u8 = 2;

/// What is the same for equal values that are bytes, in them or in `buffer`.
pub fn equality_key<'a>(repr: Repr, value: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
    match repr {
        Repr::Numeric => bytes::key(value),
        Repr::Bpchar => unpadded(value),
        Repr::Interval | Repr::TimeTz | Repr::Array | Repr::Record | Repr::Jsonb => {
            buffer.clear();
            append_key(repr, Scalar::Bytes(value), buffer);
            buffer
        }
        _ => value,
    }
}

/// What is the same for equal values that are numbers; 0 for others.
pub fn number_key(value: Scalar<'_>) -> u64 {
    match value {
        Scalar::Int(v) => v as u64,
        Scalar::Unsigned(v) => v,
        Scalar::Float(v) => float_key(v),
        Scalar::Bytes(_) => 0,
    }
}

/// Bits that compare as numbers do.
fn float_key(value: f64) -> u64 {
    // Adding zero makes the one zero of both.
    let bits = if value.is_nan() { f64::NAN.to_bits() } else { (value + 0.0).to_bits() };
    let negative = bits >> 63 == 1;
    if negative { !bits } else { bits ^ (1 << 63) }
}

/// Bytes with an end that is before all that goes on.
pub(crate) fn append_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    for piece in bytes.split_inclusive(|&b| b == 0) {
        out.extend_from_slice(piece);
        if piece.last() == Some(&0) {
            out.push(0xff);
        }
    }
    out.extend([0, 0]);
}

/// Whether values of a type can be equal: it has an operator `=` in a B-tree or hash family.
pub fn has_equality(ty: Oid) -> bool {
    let none = [oid::JSON, oid::JSONPATH, oid::XML, oid::PG_NODE_TREE, oid::REFCURSOR, oid::UNKNOWN, oid::CSTRING];
    let element = crate::array::element_type(ty).unwrap_or(ty);
    !none.contains(&element)
}

/// Whether values of a type have an order.
pub fn has_order(ty: Oid) -> bool {
    let element = crate::array::element_type(ty).unwrap_or(ty);
    has_equality(element) && !matches!(element, oid::XID | oid::CID | oid::ACLITEM)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_bytes_keep_their_order() {
        let mut all: Vec<&[u8]> =
            vec![b"", b"\0", b"\0\0", b"\0\x01", b"\0\xff", b"\x01", b"a", b"a\0", b"ab", b"\xff"];
        let key = |bytes: &[u8]| {
            let mut out = Vec::new();
            append_escaped(bytes, &mut out);
            out
        };
        all.sort();
        assert!(all.windows(2).all(|pair| key(pair[0]) < key(pair[1])));
        assert!(all.iter().all(|a| all.iter().all(|b| a == b || !key(b).starts_with(&key(a)))));
    }

    #[test]
    fn keys_of_floats_compare_as_floats() {
        let all = [f64::NEG_INFINITY, -1.5, -1e-320, -0.0, 0.0, 1e-320, 1.0, f64::INFINITY, f64::NAN, -f64::NAN];
        for a in all {
            for b in all {
                assert_eq!(float_key(a).cmp(&float_key(b)), floats(a, b), "{a} {b}");
            }
        }
    }
}
