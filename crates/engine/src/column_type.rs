//! The types of columns, as `pg_attribute` has them.

use serde::{Deserialize, Serialize};
use types::{Oid, Repr};

/// A type and its modifier; -1: none. Which types there are, and how their values lie, `types` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ColumnType {
    pub oid: Oid,
    pub typmod: i32,
}

impl ColumnType {
    /// A type without a modifier.
    pub const fn of(oid: Oid) -> ColumnType {
        ColumnType { oid, typmod: -1 }
    }

    /// How a column's values lie; `None`: they cannot be stored.
    pub fn repr(self) -> Option<Repr> {
        Repr::of(self.oid, self.typmod)
    }

    /// The characters that values of a `character(n)` are filled up to with blanks, which are not stored.
    pub fn padding(self) -> Option<usize> {
        let length = usize::try_from(self.typmod.checked_sub(VARHDRSZ)?).ok()?;
        (self.oid == types::oid::BPCHAR).then_some(length)
    }
}

/// What a length's modifier is more than the length.
const VARHDRSZ: i32 = 4;
