//! The types of columns, as `pg_attribute` has them.

use access::Storage;
use arrow_schema::DataType;
use types::{Oid, Repr};

/// A type and its modifier; -1: none. Which types there are, and how their values lie, `types` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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

    /// What may be done about its long values (`pg_type.typstorage`).
    pub fn storage(self) -> Storage {
        use types::oid::{CIDR, INET, NAME, NUMERIC};
        match self.repr() {
            // Also where their modifier makes them all of one width.
            Some(_) if matches!(self.oid, CIDR | INET | NUMERIC) => Storage::Main,
            // As long as it may be, a name is no long value.
            Some(_) if self.is_variable() && self.oid != NAME => Storage::Extended,
            _ => Storage::Plain,
        }
    }

    /// Are its values of variable length?
    pub fn is_variable(self) -> bool {
        self.repr().is_some_and(|repr| matches!(repr.arrow(), DataType::Utf8 | DataType::Binary))
    }

    /// The characters that values of a `character(n)` are filled up to with blanks, which are not stored.
    pub fn padding(self) -> Option<usize> {
        let length = usize::try_from(self.typmod.checked_sub(VARHDRSZ)?).ok()?;
        (self.oid == types::oid::BPCHAR).then_some(length)
    }
}

/// What a length's modifier is more than the length.
const VARHDRSZ: i32 = 4;
