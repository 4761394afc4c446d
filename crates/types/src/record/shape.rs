//! What rows of one kind have in common: their type, and their columns' names and types.

use crate::oid::Oid;
use crate::repr::Repr;

/// The kind of rows that [`super::column::row_of`] makes.
#[derive(Clone, Debug)]
pub struct RowShape {
    /// `record`, or a composite type.
    pub ty: Oid,
    pub names: RowNames,
    /// The columns' types, and how their values are represented.
    pub columns: Box<[(Oid, Repr)]>,
}

/// The names of a row's columns as rows of type `record` carry them: each behind its length (2 bytes, little-endian). Those of
/// other types have them in the catalog. Where there are none they are `f1`, `f2` and so on.
#[derive(Clone, Debug, Default)]
pub struct RowNames(Box<[u8]>);

impl RowNames {
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>) -> RowNames {
        let mut bytes = Vec::new();
        for name in names {
            let length = u16::try_from(name.len()).expect("an identifier is short");
            bytes.extend(length.to_le_bytes());
            bytes.extend(name.as_bytes());
        }
        RowNames(bytes.into())
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Reads the names that a row carries; nothing behind what is none.
pub(super) fn read(mut bytes: &[u8]) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (length, rest) = bytes.split_first_chunk()?;
        let (name, rest) = rest.split_at_checked(u16::from_le_bytes(*length).into())?;
        bytes = rest;
        std::str::from_utf8(name).ok()
    })
}
