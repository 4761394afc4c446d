//! Definitions as rows of the catalogs: what a command makes of a relation, and what it puts in place of which rows.
//!
//! * This file: what all relations have. `table`: tables, their columns and checks. `index`: indexes and the constraints that
//!   they are for. `view`: views. `sequence`: sequences. `statistic`: what ANALYZE found. `prototype`: what rows of one catalog
//!   have in common. `change`: what differs between two definitions.
//!
//! `pg_depend` says what DROP has to look at: relations depend on their schemas, views on what their queries refer to.
//!
//! # Invariants
//! * [`super::relcache`] derives the same definition from the rows (a test there says so for each kind): what a definition has
//!   is in a row.

mod change;
mod composite;
mod index;
mod prototype;
mod sequence;
pub(super) mod statistic;
mod table;
mod view;

use std::sync::Arc;

use access::Storage;
use access::shape::TOAST_TUPLE_TARGET;
use catalog::catalogs::*;
use catalog::facts::Char;
use catalog::{Catalog, CatalogRow, Keyed, Objects};
use storage::RelationId;
use types::names::{PG_ATTRDEF, PG_CLASS, PG_NAMESPACE, PG_TYPE};
use types::{Oid, oid};

use crate::column_type::ColumnType;

use super::{ColumnDef, IndexDef, NodeTree, ObjectAddress, SequenceDef, TableDef, ViewDef, owner_dependency};
pub(crate) use change::difference;
pub use composite::{CompositeColumn, CompositeDef};
pub(super) use prototype::collation;
use prototype::owned;

/// Rows of `pg_am`.
const HEAP: Oid = 2;
/// The namespace of relations with long values.
const PG_TOAST: Oid = 99;

/// The rows of an object in a database.
pub(crate) struct Rows {
    database: Oid,
    rows: Vec<CatalogRow>,
}

/// What has rows of its own.
pub(crate) trait Defined {
    fn add_to(&self, rows: &mut Rows);
}

impl Defined for TableDef {
    fn add_to(&self, rows: &mut Rows) {
        rows.table(self);
    }
}

impl Defined for ViewDef {
    fn add_to(&self, rows: &mut Rows) {
        rows.view(self);
    }
}

impl Defined for SequenceDef {
    fn add_to(&self, rows: &mut Rows) {
        rows.sequence(self);
    }
}

/// What is known of an index that is being opened: itself and its table.
pub fn objects_of_index(table: &TableDef, index: &IndexDef) -> Objects {
    // What it may be made of; not what else its table has.
    let bare = |column: &ColumnDef| ColumnDef { not_null: false, default: None, identity: None, ..column.clone() };
    let columns = table.columns.iter().map(bare).collect();
    let mut rows = Rows::new(0);
    table.columns.iter().for_each(|column| rows.bare_type(column.ty));
    rows.table(&TableDef { columns, indexes: vec![index.clone()], checks: vec![], analyzed: None, ..table.clone() });
    let mut objects = Objects::default();
    rows.rows.into_iter().for_each(|row| catalog::RowChange::Put(row).apply(&mut objects));
    objects
}

/// The oid of the relation with a table's long values: the fork of its files, which other relations' oids are below.
pub fn toast_table(table: Oid) -> Oid {
    RelationId { database: 0, file: table }.toast().file
}

/// Can a row of a table be so long that values go out of line (`needs_toast_table`)?
pub fn needs_toast_table(table: &TableDef) -> bool {
    let longest = |column: &ColumnDef| {
        let (ty, typmod) = column.ty.value;
        let length = usize::try_from(typmod - VARHDRSZ).ok();
        match ty {
            oid::BPCHAR | oid::VARCHAR => Some(4 * length? + 4),
            // Two bytes for four digits.
            oid::NUMERIC => Some(length.map(|typmod| typmod >> 16)? / 2 + 12),
            oid::BIT | oid::VARBIT => Some(usize::try_from(typmod).ok()? / 8 + 9),
            _ => None,
        }
    };
    let mut bytes = Some(0);
    let mut toastable = false;
    for (_, column) in table.live_columns() {
        let fixed = Catalog::BUILT_IN.pg_type(column.ty.value.0).and_then(|row| usize::try_from(row.typlen).ok());
        toastable |= column.storage() != Storage::Plain;
        bytes = bytes.and_then(|bytes| Some(bytes + fixed.or_else(|| longest(column))?));
    }
    toastable && bytes.is_none_or(|bytes| bytes > TOAST_TUPLE_TARGET)
}

/// What a length's modifier is more than the length.
const VARHDRSZ: i32 = 4;

impl Rows {
    pub(super) fn new(database: Oid) -> Rows {
        Rows { database, rows: Vec::new() }
    }

    fn push<R: Keyed>(&mut self, row: R) {
        self.rows.push(R::any(Arc::new(row)));
    }

    /// Adds a table, view or sequence, whose schema is not dropped without it.
    fn relation(&mut self, row: PgClass) {
        self.depend((PG_CLASS, row.oid, 0), (PG_NAMESPACE, row.relnamespace, 0), b'n');
        let owner = owner_dependency(self.database, (PG_CLASS, row.oid), row.relowner);
        owner.into_iter().for_each(|owner| self.push(owner));
        self.push(row);
    }

    /// The type of a table's rows, and that of arrays of them.
    fn row_type(&mut self, relation: &PgClass, array_type: Oid) {
        if relation.reltype != oid::INVALID {
            self.types_of_rows(relation, (array_type, &format!("_{}", relation.relname)));
            self.depend((PG_TYPE, relation.reltype, 0), (PG_CLASS, relation.oid, 0), b'i');
        }
    }

    /// The rows of both types.
    fn types_of_rows(&mut self, relation: &PgClass, (array_type, array_name): (Oid, &str)) {
        let Some(record) = Catalog::BUILT_IN.pg_type(oid::RECORD) else { return };
        let Some(array) = Catalog::BUILT_IN.pg_type(oid::RECORDARRAY) else { return };
        let named = |row: &PgType, oid: Oid, name: String| PgType {
            oid,
            typname: name.into(),
            typnamespace: relation.relnamespace,
            typowner: relation.relowner,
            ..row.clone()
        };
        self.push(PgType {
            typtype: b'c',
            typcategory: b'C',
            typrelid: relation.oid,
            typarray: array_type,
            ..named(record, relation.reltype, relation.relname.to_string())
        });
        self.push(PgType {
            typtype: b'b',
            typcategory: b'A',
            typelem: relation.reltype,
            ..named(array, array_type, array_name.to_string())
        });
        self.depend((PG_TYPE, array_type, 0), (PG_TYPE, relation.reltype, 0), b'i');
    }

    /// A type of users' own as far as its values say it: what they are, and how they are compared.
    fn bare_type(&mut self, ty: ColumnType) {
        let (value, typmod) = ty.value;
        let Some(row) = Catalog::BUILT_IN.pg_type(value).filter(|_| ty.oid != value) else { return };
        let typtype = match value {
            oid::ANYENUM => b'e',
            oid::RECORD => b'c',
            _ => b'd',
        };
        self.push(PgType { oid: ty.oid, typtype, typbasetype: value, typtypmod: typmod, ..row.clone() });
    }

    fn column_default(&mut self, relation: Oid, number: i16, (oid, default): (Oid, &NodeTree)) {
        assert_ne!(oid, oid::INVALID, "a default has an oid before it has a row");
        self.push(PgAttrdef { oid, adrelid: relation, adnum: number, adbin: owned(&default.text) });
        self.depend((PG_ATTRDEF, oid, 0), (PG_CLASS, relation, i32::from(number)), b'a');
        self.refer((PG_ATTRDEF, oid, 0), &default.references);
    }

    /// An object cannot be without what its expression refers to.
    fn refer(&mut self, dependent: (Oid, Oid, i32), references: &[ObjectAddress]) {
        for object in references {
            self.depend(dependent, (object.class, object.oid, object.column), b'n');
        }
    }

    /// What goes with, or keeps, what: each a catalog, an object in it, and a column or 0.
    fn depend(&mut self, dependent: (Oid, Oid, i32), referenced: (Oid, Oid, i32), kind: Char) {
        self.push(PgDepend {
            classid: dependent.0,
            objid: dependent.1,
            objsubid: dependent.2,
            refclassid: referenced.0,
            refobjid: referenced.1,
            refobjsubid: referenced.2,
            deptype: kind,
        });
    }
}
