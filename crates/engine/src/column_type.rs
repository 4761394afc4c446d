//! The types of columns, as `pg_attribute` has them.

use access::Storage;
use arrow_schema::DataType;
use catalog::Catalog;
use types::{Oid, Repr};

/// A type and its modifier; -1: none. Which types there are, and how their values lie, `types` knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnType {
    pub oid: Oid,
    pub typmod: i32,
    /// The built-in type and the modifier that its values are of: another one for a type of users' own
    /// ([`Catalog::value_type`]), which is as its column was declared as long as there is the column.
    pub value: (Oid, i32),
    /// A type of users' own whose values are arrays, and which is no domain.
    array: bool,
}

impl ColumnType {
    /// A built-in type without a modifier.
    pub const fn of(oid: Oid) -> ColumnType {
        ColumnType::built_in(oid, -1)
    }

    pub const fn built_in(oid: Oid, typmod: i32) -> ColumnType {
        ColumnType { oid, typmod, value: (oid, typmod), array: false }
    }

    /// Any type.
    pub fn new(catalog: Catalog<'_>, oid: Oid, typmod: i32) -> ColumnType {
        if oid < catalog::FIRST_NORMAL_OBJECT_ID && Repr::of(oid, typmod).is_some() {
            return ColumnType::built_in(oid, typmod);
        }
        let (_, base_typmod) = catalog.base_type_and_typmod(oid, typmod);
        ColumnType { oid, typmod, value: (catalog.value_type(oid), base_typmod), array: catalog.is_array(oid) }
    }

    /// What is left of it when its column is dropped: the type itself may be dropped then.
    pub fn dropped(self) -> ColumnType {
        let (oid, typmod) = self.value;
        ColumnType::built_in(oid, typmod)
    }

    /// How a column's values lie; `None`: they cannot be stored.
    pub fn repr(self) -> Option<Repr> {
        let (oid, typmod) = self.value;
        Repr::of(oid, typmod)
    }

    /// What may be done about its long values (`pg_type.typstorage`).
    pub fn storage(self) -> Storage {
        use types::oid::{CIDR, INET, NAME, NUMERIC};
        let (oid, _) = self.value;
        match self.repr() {
            // Also where their modifier makes them all of one width.
            Some(_) if matches!(oid, CIDR | INET | NUMERIC) => Storage::Main,
            // As long as it may be, a name is no long value.
            Some(_) if self.is_variable() && oid != NAME => Storage::Extended,
            _ => Storage::Plain,
        }
    }

    /// Are its values of variable length?
    pub fn is_variable(self) -> bool {
        self.repr().is_some_and(|repr| matches!(repr.arrow(), DataType::Utf8 | DataType::Binary))
    }

    /// Was it declared as an array?
    pub fn is_array(self) -> bool {
        let facts = Catalog::BUILT_IN.pg_type(self.oid);
        self.array || facts.is_some_and(|facts| facts.typcategory == b'A')
    }

    /// The characters that values of a `character(n)` are filled up to with blanks, which are not stored.
    pub fn padding(self) -> Option<usize> {
        let (oid, typmod) = self.value;
        let length = usize::try_from(typmod.checked_sub(VARHDRSZ)?).ok()?;
        (oid == types::oid::BPCHAR).then_some(length)
    }
}

/// What a length's modifier is more than the length.
const VARHDRSZ: i32 = 4;
