//! Composite types: relations without rows. The type of their rows is the type.

use catalog::catalogs::*;
use catalog::{CatalogRow, FIRST_NORMAL_OBJECT_ID};
use types::names::{PG_CLASS, PG_NAMESPACE, PG_TYPE};
use types::{Oid, oid};

use super::Rows;
use super::prototype::{attribute, relation};
use crate::catalog::owner_dependency;
use crate::column_type::ColumnType;

/// A composite type, whose columns all are there.
pub struct CompositeDef {
    pub oid: Oid,
    pub row_type: Oid,
    pub array_type: Oid,
    pub namespace: Oid,
    pub name: String,
    /// The name of the type of its arrays.
    pub array_name: String,
    pub owner: Oid,
    pub columns: Vec<CompositeColumn>,
}

/// A column of one.
pub struct CompositeColumn {
    pub name: String,
    pub ty: ColumnType,
    /// Where it is not the type's.
    pub collation: Option<Oid>,
}

impl CompositeDef {
    /// Its rows in a database.
    pub fn rows(&self, database: Oid) -> Vec<CatalogRow> {
        let mut rows = Rows::new(database);
        rows.composite(self);
        rows.rows
    }
}

impl CompositeColumn {
    /// Its rows, under a number in a type's relation.
    pub fn rows(&self, relation: Oid, number: i16) -> Vec<CatalogRow> {
        let mut rows = Rows::new(oid::INVALID);
        rows.composite_column(relation, number, self);
        rows.rows
    }
}

impl Rows {
    fn composite(&mut self, def: &CompositeDef) {
        let row = PgClass {
            reltype: def.row_type,
            relkind: b'c',
            relnatts: def.columns.len() as i16,
            ..relation(def.oid, (def.namespace, &def.name), def.owner)
        };
        self.types_of_rows(&row, (def.array_type, &def.array_name));
        // Unlike a table it is there for its type's sake.
        self.depend((PG_TYPE, def.row_type, 0), (PG_NAMESPACE, def.namespace, 0), b'n');
        self.depend((PG_CLASS, def.oid, 0), (PG_TYPE, def.row_type, 0), b'i');
        let owner = owner_dependency(self.database, (PG_TYPE, def.row_type), def.owner);
        owner.into_iter().for_each(|owner| self.push(owner));
        self.push(row);
        for (number, column) in (1..).zip(&def.columns) {
            self.composite_column(def.oid, number, column);
        }
    }

    fn composite_column(&mut self, relation: Oid, number: i16, column: &CompositeColumn) {
        let row = attribute(relation, &column.name, number, column.ty);
        self.push(PgAttribute { attcollation: column.collation.unwrap_or(row.attcollation), ..row });
        if column.ty.oid >= FIRST_NORMAL_OBJECT_ID {
            self.depend((PG_CLASS, relation, i32::from(number)), (PG_TYPE, column.ty.oid, 0), b'n');
        }
    }
}
