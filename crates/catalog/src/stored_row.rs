//! Rows of catalogs as bytes: as a data directory and its log keep them.
//!
//! # Format
//! The fields that are not zero (0, false, empty, NULL), in their order, each as its number from 1 and its value. So a row is
//! short, and one that was written before its catalog had a field has zero there. Fields are added at the end only, and none goes.
//!
//! * Integers are varints (LEB128), signed ones zigzag; a `bool` is its number; a `float4` has four bytes, little-endian.
//! * Texts and arrays begin with their length. What is not NULL stands for itself, even if it is zero.
//!
//! # Invariants
//! * Bytes that are no row give `None`, never a panic.

use types::Oid;
use types::acl::AclItem;

use crate::catalogs::AnyArray;
use crate::facts::{Char, Expressions, Name};

/// The value of a field.
pub trait Stored: Sized {
    fn zero() -> Self;

    fn is_zero(&self) -> bool;

    fn put(&self, out: &mut Vec<u8>);

    /// Takes it from the beginning of bytes.
    fn take(bytes: &mut &[u8]) -> Option<Self>;
}

pub(crate) fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

pub(crate) fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

pub(crate) fn take_bytes<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

macro_rules! integers {
    ($($ty:ty, |$value:ident| $to:expr, |$raw:ident| $from:expr;)*) => {$(
        impl Stored for $ty {
            fn zero() -> $ty {
                0
            }

            fn is_zero(&self) -> bool {
                *self == 0
            }

            fn put(&self, out: &mut Vec<u8>) {
                let $value = *self;
                put_varint($to, out);
            }

            fn take(bytes: &mut &[u8]) -> Option<$ty> {
                let $raw = take_varint(bytes)?;
                <$ty>::try_from($from).ok()
            }
        }
    )*};
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn unzigzag(raw: u64) -> i64 {
    (raw >> 1) as i64 ^ -((raw & 1) as i64)
}

integers! {
    Oid, |value| value.into(), |raw| raw;
    Char, |value| value.into(), |raw| raw;
    i16, |value| zigzag(value.into()), |raw| unzigzag(raw);
    i32, |value| zigzag(value.into()), |raw| unzigzag(raw);
    i64, |value| zigzag(value), |raw| unzigzag(raw);
}

impl Stored for bool {
    fn zero() -> bool {
        false
    }

    fn is_zero(&self) -> bool {
        !self
    }

    fn put(&self, out: &mut Vec<u8>) {
        // What is NULL or not has a field of its own number: it may be false.
        out.push(u8::from(*self));
    }

    fn take(bytes: &mut &[u8]) -> Option<bool> {
        match take_bytes(bytes, 1)? {
            [0] => Some(false),
            [1] => Some(true),
            _ => None,
        }
    }
}

impl Stored for f32 {
    fn zero() -> f32 {
        0.0
    }

    /// -0 is not.
    fn is_zero(&self) -> bool {
        self.to_bits() == 0
    }

    fn put(&self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<f32> {
        Some(f32::from_le_bytes(take_bytes(bytes, 4)?.try_into().ok()?))
    }
}

impl Stored for Name {
    fn zero() -> Name {
        Name::Borrowed("")
    }

    fn is_zero(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_varint(self.len() as u64, out);
        out.extend(self.as_bytes());
    }

    fn take(bytes: &mut &[u8]) -> Option<Name> {
        let length = usize::try_from(take_varint(bytes)?).ok()?;
        let text = std::str::from_utf8(take_bytes(bytes, length)?).ok()?;
        Some(Name::Owned(text.into()))
    }
}

impl<T: Stored> Stored for Option<T> {
    fn zero() -> Option<T> {
        None
    }

    fn is_zero(&self) -> bool {
        self.is_none()
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|value| value.put(out));
    }

    fn take(bytes: &mut &[u8]) -> Option<Option<T>> {
        T::take(bytes).map(Some)
    }
}

impl<T: Stored> Stored for Box<[T]> {
    fn zero() -> Box<[T]> {
        Box::default()
    }

    fn is_zero(&self) -> bool {
        self.is_empty()
    }

    fn put(&self, out: &mut Vec<u8>) {
        put_varint(self.len() as u64, out);
        self.iter().for_each(|value| value.put(out));
    }

    fn take(bytes: &mut &[u8]) -> Option<Box<[T]>> {
        let length = take_varint(bytes)?;
        // Each value has a byte at least: a length that cannot be is not believed.
        (length <= bytes.len() as u64).then(|| (0..length).map(|_| T::take(bytes)).collect())?
    }
}

impl Stored for AclItem {
    fn zero() -> AclItem {
        AclItem { grantee: 0, grantor: 0, privs: 0 }
    }

    fn is_zero(&self) -> bool {
        *self == AclItem::zero()
    }

    fn put(&self, out: &mut Vec<u8>) {
        [self.grantee.into(), self.grantor.into(), self.privs].into_iter().for_each(|part| put_varint(part, out));
    }

    fn take(bytes: &mut &[u8]) -> Option<AclItem> {
        Some(AclItem { grantee: Stored::take(bytes)?, grantor: Stored::take(bytes)?, privs: take_varint(bytes)? })
    }
}

impl Stored for Expressions {
    fn zero() -> Expressions {
        Expressions(Box::default())
    }

    fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<Expressions> {
        Stored::take(bytes).map(Expressions)
    }
}

impl Stored for AnyArray {
    fn zero() -> AnyArray {
        AnyArray { element: 0, values: Box::default() }
    }

    fn is_zero(&self) -> bool {
        self.element == 0 && self.values.is_empty()
    }

    fn put(&self, out: &mut Vec<u8>) {
        self.element.put(out);
        self.values.put(out);
    }

    fn take(bytes: &mut &[u8]) -> Option<AnyArray> {
        Some(AnyArray { element: Stored::take(bytes)?, values: Stored::take(bytes)? })
    }
}

#[cfg(test)]
mod tests {
    use crate::catalogs::*;
    use crate::facts::Row;
    use crate::syscache::Scan;

    fn bytes(row: &impl Row) -> Vec<u8> {
        let mut out = Vec::new();
        row.encode(&mut out);
        out
    }

    fn round<R: Scan + std::fmt::Debug>() {
        let mut all = 0;
        for row in R::all() {
            let stored = bytes(row);
            all += stored.len();
            assert_eq!(R::decode(&stored).as_ref(), Some(row), "{}", R::RELATION);
            // No part of a row, and no row with more behind it, is one with other values unseen.
            for end in 0..stored.len() {
                assert_ne!(R::decode(&stored[..end]).as_ref(), Some(row), "{}", R::RELATION);
            }
            assert_eq!(R::decode(&[&stored[..], &[255]].concat()), None);
        }
        assert!(all <= 200 * R::all().len() + 1, "{}: {all} bytes", R::RELATION);
    }

    #[test]
    fn rows_come_back() {
        round::<PgClass>();
        round::<PgAttribute>();
        round::<PgType>();
        round::<PgIndex>();
        round::<PgConstraint>();
        round::<PgDepend>();
        round::<PgOperator>();
        round::<PgAmop>();
        round::<PgNamespace>();
        round::<PgAuthid>();
        round::<PgDatabase>();
        round::<PgInitPrivs>();
    }

    #[test]
    fn extremes_come_back() {
        let index = PgIndex {
            indexrelid: u32::MAX,
            indrelid: 0,
            indnatts: i16::MIN,
            indnkeyatts: i16::MAX,
            indisunique: true,
            indnullsnotdistinct: false,
            indisprimary: false,
            indisexclusion: false,
            indimmediate: true,
            indisclustered: false,
            indisvalid: true,
            indcheckxmin: false,
            indisready: false,
            indislive: false,
            indisreplident: true,
            indkey: [0, -1, i16::MIN].into(),
            indcollation: [].into(),
            indclass: [0, u32::MAX].into(),
            indoption: [].into(),
            indexprs: Some("".into()),
            indpred: Some("ä\0".into()),
        };
        assert_eq!(PgIndex::decode(&bytes(&index)), Some(index));
    }

    proptest::proptest! {
        #[test]
        fn other_bytes_are_no_rows(noise: Vec<u8>) {
            // Whatever they give, it is no panic, and what it gives comes back.
            if let Some(row) = PgClass::decode(&noise) {
                let again = PgClass::decode(&bytes(&row)).unwrap();
                proptest::prop_assert_eq!(bytes(&again), bytes(&row));
            }
            PgStatistic::decode(&noise);
        }
    }
}
