//! Rows are built column by column.

use error::sqlstate;

use crate::array::packed;
use crate::error::{Error, Result};
use crate::memory::reserve;
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar::Scalar;

use super::shape::RowNames;
use super::view::NULL;

/// Bytes that a row has at most.
const MOST_BYTES: usize = 0x3fff_ffff;

/// Gathers the columns of a row.
#[derive(Debug)]
pub struct RecordBuilder<'a> {
    bytes: Vec<u8>,
    names: &'a [u8],
    fields: u32,
    /// Of arrays and rows in the columns.
    levels: u8,
    data: Vec<u8>,
}

impl<'a> RecordBuilder<'a> {
    /// Of a row of a type: `record`, or a composite one. It has as many names as it gets columns, or none.
    pub fn new(ty: Oid, names: &'a RowNames) -> RecordBuilder<'a> {
        let names = names.bytes();
        let mut bytes = ty.to_le_bytes().to_vec();
        bytes.extend([0; 4]);
        bytes.extend((names.len() as u32).to_le_bytes());
        RecordBuilder { bytes, names, fields: 0, levels: 0, data: Vec::new() }
    }

    /// Fails with 54000 where the row would be too large, with 53200 where there is no memory for it.
    pub fn push(&mut self, ty: Oid, repr: Repr, value: Option<Scalar<'_>>) -> Result<()> {
        if let Some(value) = value {
            self.levels = self.levels.max(packed::levels(repr, value)?);
            reserve(&mut self.data, value.bytes().len())?;
            packed::pack(repr, value, &mut self.data);
        }
        if self.bytes.len() + self.names.len() + self.data.len() > MOST_BYTES {
            return Err(Error::new(
                sqlstate::PROGRAM_LIMIT_EXCEEDED,
                format!("row is too big: its maximum size is {MOST_BYTES} bytes"),
            ));
        }
        self.bytes.extend(ty.to_le_bytes());
        self.bytes.push(packed::code(repr) | if value.is_none() { NULL } else { 0 });
        self.bytes.extend((self.data.len() as u32).to_le_bytes());
        self.fields += 1;
        Ok(())
    }

    pub fn finish(mut self) -> Vec<u8> {
        self.bytes[4..8].copy_from_slice(&self.fields.to_le_bytes());
        self.bytes[packed::LEVELS] = self.levels;
        self.bytes.extend_from_slice(self.names);
        self.bytes.append(&mut self.data);
        self.bytes
    }
}
