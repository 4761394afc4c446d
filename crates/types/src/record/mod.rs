//! Rows: PostgreSQL's `rowtypes.c`.
//!
//! # The bytes of a row
//! The row's type (`record` or a composite one; 4 bytes) and the number of its columns (4); for each column its type (4), how
//! it is represented ([`crate::array::packed::code`]; with the highest bit set it is NULL; 1) and where its value ends (4);
//! then the values one behind the other. Numbers are little-endian.

use std::cmp::Ordering;

use crate::array::packed;
use crate::compare;
use crate::error::{Error, Result};
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;

const HEADER: usize = 8;
const FIELD: usize = 9;
const NULL: u8 = 0x80;

/// Bytes that a row has at most.
const MOST_BYTES: usize = 0x3fff_ffff;

/// A row, read where it lies.
#[derive(Clone, Copy, Debug)]
pub struct RecordView<'a> {
    ty: Oid,
    fields: &'a [u8],
    data: &'a [u8],
}

/// A column of a row.
#[derive(Clone, Copy, Debug)]
pub struct Field<'a> {
    pub ty: Oid,
    pub repr: Repr,
    pub value: Option<Scalar<'a>>,
}

impl<'a> RecordView<'a> {
    /// The row of these bytes. Bytes that no [`RecordBuilder`] has made are a row without columns.
    pub fn new(bytes: &'a [u8]) -> RecordView<'a> {
        let none = RecordView { ty: oid::RECORD, fields: &[], data: &[] };
        let Some((header, rest)) = bytes.split_at_checked(HEADER) else { return none };
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        match (number(4) as usize).checked_mul(FIELD).and_then(|size| rest.split_at_checked(size)) {
            Some((fields, data)) => RecordView { ty: number(0), fields, data },
            None => none,
        }
    }

    /// The row's type.
    pub fn ty(&self) -> Oid {
        self.ty
    }

    pub fn len(&self) -> usize {
        self.fields.len() / FIELD
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// A column, from 0.
    pub fn get(&self, index: usize) -> Option<Field<'a>> {
        let field = self.fields.get(index * FIELD..(index + 1) * FIELD)?;
        let end_of = |field: &[u8]| u32::from_le_bytes(field[5..].try_into().expect("four bytes")) as usize;
        let start = if index == 0 { 0 } else { end_of(&self.fields[(index - 1) * FIELD..index * FIELD]) };
        let repr = packed::repr(field[4] & !NULL)?;
        let ty = Oid::from_le_bytes(field[..4].try_into().expect("four bytes"));
        let value = match field[4] & NULL {
            0 => Some(packed::unpack(repr, self.data.get(start..end_of(field))?)),
            _ => None,
        };
        Some(Field { ty, repr, value })
    }

    pub fn iter(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let record = *self;
        (0..self.len()).filter_map(move |index| record.get(index))
    }

    /// The order of PostgreSQL's `btrecordcmp`, of rows whose columns have the same types.
    pub fn compare(&self, other: &RecordView<'_>) -> Ordering {
        let mut columns = self.iter().zip(other.iter()).map(|(a, b)| match a.repr == b.repr {
            true => compare::nullable(a.repr, a.value, b.value),
            false => a.ty.cmp(&b.ty),
        });
        columns.find(|order| order.is_ne()).unwrap_or_else(|| self.len().cmp(&other.len()))
    }

    /// Appends bytes that compare as rows do whose columns have the same types.
    pub fn append_key(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|field| compare::append_nullable_key(field.repr, field.value, out));
        out.push(compare::KEY_OF_END);
    }
}

/// Gathers the columns of a row.
#[derive(Debug)]
pub struct RecordBuilder {
    bytes: Vec<u8>,
    fields: u32,
    data: Vec<u8>,
}

impl RecordBuilder {
    /// Of a row of a type: `record`, or a composite one.
    pub fn new(ty: Oid) -> RecordBuilder {
        let mut bytes = ty.to_le_bytes().to_vec();
        bytes.extend([0; 4]);
        RecordBuilder { bytes, fields: 0, data: Vec::new() }
    }

    /// Fails with 54000 where the row would be too large.
    pub fn push(&mut self, ty: Oid, repr: Repr, value: Option<Scalar<'_>>) -> Result<()> {
        if let Some(value) = value {
            packed::pack(repr, value, &mut self.data);
        }
        if self.bytes.len() + self.data.len() > MOST_BYTES {
            return Err(Error::new("54000", format!("row is too big: its maximum size is {MOST_BYTES} bytes")));
        }
        self.bytes.extend(ty.to_le_bytes());
        self.bytes.push(packed::code(repr) | if value.is_none() { NULL } else { 0 });
        self.bytes.extend((self.data.len() as u32).to_le_bytes());
        self.fields += 1;
        Ok(())
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.bytes[4..8].copy_from_slice(&self.fields.to_le_bytes());
        self.bytes.append(&mut self.data);
        self.bytes
    }
}
