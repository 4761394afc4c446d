//! A row in its bytes.

use std::cmp::Ordering;

use crate::array::packed;
use crate::compare;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;

use super::shape;

const HEADER: usize = 12;
const FIELD: usize = 9;
pub(super) const NULL: u8 = 0x80;

/// A row, read where it lies.
#[derive(Clone, Copy, Debug)]
pub struct RecordView<'a> {
    bytes: &'a [u8],
    ty: Oid,
    fields: &'a [u8],
    names: &'a [u8],
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
    /// The row of these bytes. Bytes that no [`super::RecordBuilder`] has made are a row without columns.
    pub fn new(bytes: &'a [u8]) -> RecordView<'a> {
        let none = RecordView { bytes, ty: oid::RECORD, fields: &[], names: &[], data: &[] };
        let Some((header, rest)) = bytes.split_at_checked(HEADER) else { return none };
        let number = |at: usize| u32::from_le_bytes(header[at..at + 4].try_into().expect("four bytes"));
        // The last byte is the levels'.
        let fields = ((number(4) & 0xff_ffff) as usize).checked_mul(FIELD);
        let Some((fields, rest)) = fields.and_then(|size| rest.split_at_checked(size)) else { return none };
        let Some((names, data)) = rest.split_at_checked(number(8) as usize) else { return none };
        RecordView { bytes, ty: number(0), fields, names, data }
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

    /// The names of its columns, in their order; none where it has no names.
    pub fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        shape::read(self.names)
    }

    pub fn iter(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        let record = *self;
        (0..self.len()).filter_map(move |index| record.get(index))
    }

    /// The columns that have not been dropped.
    pub fn present(&self) -> impl Iterator<Item = Field<'a>> + use<'a> {
        self.iter().filter(|field| field.ty != oid::INVALID)
    }

    /// The order of PostgreSQL's `btrecordcmp`, of rows whose columns have the same types. Dropped ones do not count.
    pub fn compare(&self, other: &RecordView<'_>) -> Ordering {
        let mut columns = self.present().zip(other.present()).map(|(a, b)| match a.repr == b.repr {
            true => compare::nullable(a.repr, a.value, b.value),
            false => a.ty.cmp(&b.ty),
        });
        columns.find(|order| order.is_ne()).unwrap_or_else(|| self.present().count().cmp(&other.present().count()))
    }

    /// Appends bytes that compare as rows do whose columns have the same types.
    pub fn append_key(&self, out: &mut Vec<u8>) {
        self.present().for_each(|field| compare::append_nullable_key(field.repr, field.value, out));
        out.push(compare::KEY_OF_END);
    }
}

impl AsRef<[u8]> for RecordView<'_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}
