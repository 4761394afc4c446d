//! Keys whose bytes compare as their values do.
//!
//! Each column begins with a byte that puts NULL first or last. Integers are big-endian with the sign flipped; floats
//! likewise, by IEEE 754's order of bits, with NaN above everything and one zero; texts and byte strings escape their zeros
//! and end with two. A descending column has all its value's bytes inverted. (The encoding is MyRocks' and CockroachDB's.)

use arrow_schema::DataType;

use crate::page::Tid;
use crate::shape::TableShape;
use crate::{AccessError, Result};

/// The longest key: three entries must fit a page, as in PostgreSQL.
pub const MAX_KEY: usize = 2600;
/// Bytes of a row's identity behind the key.
pub const TID: usize = 6;

#[derive(Clone, Debug, PartialEq)]
pub struct KeyColumn {
    /// Position in the table.
    pub column: usize,
    pub data_type: DataType,
    pub descending: bool,
    pub nulls_first: bool,
}

/// What an index's keys are made of.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyShape {
    pub columns: Vec<KeyColumn>,
}

impl KeyShape {
    /// `columns`: position in the table, descending, NULLs first.
    pub fn new(shape: &TableShape, columns: impl Iterator<Item = (usize, bool, bool)>) -> KeyShape {
        let columns = columns.map(|(column, descending, nulls_first)| KeyColumn {
            column,
            data_type: shape.columns[column].data_type.clone(),
            descending,
            nulls_first,
        });
        KeyShape { columns: columns.collect() }
    }

    /// The key of a row, given by the values of the table's columns as pages have them. Gives whether a column is NULL.
    pub fn encode<'a>(&self, out: &mut Vec<u8>, value: impl Fn(usize) -> Option<&'a [u8]>) -> Result<bool> {
        out.clear();
        let mut null = false;
        for column in &self.columns {
            let value = value(column.column);
            null |= value.is_none();
            column.encode(out, value);
        }
        if out.len() > MAX_KEY {
            return Err(AccessError::KeyTooLong { size: out.len(), max: MAX_KEY });
        }
        Ok(null)
    }
}

impl KeyColumn {
    /// Appends one column's part of a key.
    pub fn encode(&self, out: &mut Vec<u8>, value: Option<&[u8]>) {
        let Some(value) = value else {
            out.push(if self.nulls_first { 0 } else { 2 });
            return;
        };
        out.push(1);
        let start = out.len();
        match &self.data_type {
            DataType::Utf8 | DataType::Binary => {
                for &byte in value {
                    out.push(byte);
                    if byte == 0 {
                        out.push(0xff);
                    }
                }
                out.extend_from_slice(&[0, 0]);
            }
            DataType::Float32 => {
                let bits = f32::from_le_bytes(value.try_into().expect("4 bytes"));
                let bits = if bits.is_nan() { f32::NAN } else { bits + 0.0 }.to_bits() & !nan_sign32(bits);
                let ordered = if bits >> 31 == 1 { !bits } else { bits | 1 << 31 };
                out.extend_from_slice(&ordered.to_be_bytes());
            }
            DataType::Float64 => {
                let bits = f64::from_le_bytes(value.try_into().expect("8 bytes"));
                let bits = if bits.is_nan() { f64::NAN } else { bits + 0.0 }.to_bits() & !nan_sign64(bits);
                let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
                out.extend_from_slice(&ordered.to_be_bytes());
            }
            DataType::Boolean | DataType::FixedSizeBinary(_) => out.extend_from_slice(value),
            // Integers of any width: numbers, dates, timestamps, decimals.
            _ => {
                out.extend(value.iter().rev());
                out[start] ^= 0x80;
            }
        }
        if self.descending {
            out[start..].iter_mut().for_each(|byte| *byte = !*byte);
        }
    }
}

/// The bit of a NaN's sign, which means nothing.
fn nan_sign32(value: f32) -> u32 {
    u32::from(value.is_nan()) << 31
}

fn nan_sign64(value: f64) -> u64 {
    u64::from(value.is_nan()) << 63
}

/// A row's identity, to be put behind its key.
pub fn put_tid(out: &mut Vec<u8>, tid: Tid) {
    out.extend_from_slice(&tid.block.to_be_bytes());
    out.extend_from_slice(&tid.row.to_be_bytes());
}

/// The identity behind a key.
pub fn tid_of(entry: &[u8]) -> Tid {
    let at = entry.len() - TID;
    Tid {
        block: u32::from_be_bytes(entry[at..at + 4].try_into().expect("4 bytes")),
        row: u16::from_be_bytes(entry[at + 4..].try_into().expect("2 bytes")),
    }
}

/// The smallest bytes that are greater than everything that begins with `prefix`; `None` when there are none.
pub fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|&byte| byte != 0xff)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::cmp::Ordering;

    fn key(data_type: DataType, descending: bool, value: Option<&[u8]>) -> Vec<u8> {
        let mut out = vec![];
        KeyColumn { column: 0, data_type, descending, nulls_first: false }.encode(&mut out, value);
        out
    }

    fn check(data_type: &DataType, a: &[u8], b: &[u8], expected: Ordering) {
        let order =
            |descending| key(data_type.clone(), descending, Some(a)).cmp(&key(data_type.clone(), descending, Some(b)));
        assert_eq!(order(false), expected);
        assert_eq!(order(true), expected.reverse());
    }

    proptest! {
        #[test]
        fn keys_compare_as_their_values(
            a in any::<i64>(), b in any::<i64>(), x in any::<f64>(), y in any::<f64>(),
            s in proptest::collection::vec(0u8..3, 0..6), t in proptest::collection::vec(0u8..3, 0..6),
        ) {
            check(&DataType::Int64, &a.to_le_bytes(), &b.to_le_bytes(), a.cmp(&b));
            let (c, d) = (i128::from(a) << 40, i128::from(b) << 40);
            check(&DataType::Decimal128(38, 0), &c.to_le_bytes(), &d.to_le_bytes(), c.cmp(&d));
            check(&DataType::Utf8, &s, &t, s.cmp(&t));
            let order = match (x.is_nan(), y.is_nan()) {
                (true, true) => Ordering::Equal,
                (true, false) => Ordering::Greater,
                (false, true) => Ordering::Less,
                _ => x.partial_cmp(&y).unwrap(),
            };
            check(&DataType::Float64, &x.to_le_bytes(), &y.to_le_bytes(), order);
        }
    }

    #[test]
    fn zeros_nans_and_nulls() {
        let float = |x: f64| key(DataType::Float64, false, Some(&x.to_le_bytes()));
        assert_eq!(float(0.0), float(-0.0));
        assert_eq!(float(f64::NAN), float(-f64::NAN));
        assert!(float(f64::NAN) > float(f64::INFINITY));
        assert!(key(DataType::Int32, true, None) > key(DataType::Int32, true, Some(&[0; 4])));
        assert_eq!(after_prefix(&[1, 0xff]), Some(vec![2]));
        assert_eq!(after_prefix(&[0xff]), None);
        let mut entry = vec![9, 9];
        put_tid(&mut entry, Tid { block: 70_000, row: 300 });
        assert_eq!(tid_of(&entry), Tid { block: 70_000, row: 300 });
    }
}
