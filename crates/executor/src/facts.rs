//! What compiling a plan asks about tables: it opens none.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use engine::{Database, PgType, SequenceDef, Table, TableDef};
use types::{Oid, Repr, Result};

use crate::estate::Tables;

/// Who knows the tables of the database.
pub trait Facts {
    /// A table's columns, by position.
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>>;

    /// A table's CHECK constraints, over its columns as Vars of this entry.
    fn checks(&self, table: Oid, relation: RangeTableIndex) -> Result<Vec<Check>> {
        let _ = (table, relation);
        Ok(Vec::new())
    }

    /// The position of an index among its table's, and its key: positions in the table.
    fn index(&self, table: Oid, index: Oid) -> Result<IndexFacts>;
}

/// A column as it is stored.
#[derive(Clone, Debug)]
pub struct TableColumn {
    pub name: String,
    pub repr: Repr,
    /// `character(n)`: the blanks are not stored.
    pub padded: Option<usize>,
    pub not_null: bool,
}

/// A CHECK constraint.
#[derive(Clone, Debug)]
pub struct Check {
    pub name: String,
    pub condition: Expr,
}

#[derive(Clone, Debug)]
pub struct IndexFacts {
    /// Among the table's indexes.
    pub position: usize,
    pub columns: Vec<IndexKey>,
    pub unique: bool,
}

/// A column of an index's key.
#[derive(Clone, Copy, Debug)]
pub struct IndexKey {
    /// Position in the table.
    pub column: usize,
    pub descending: bool,
    pub nulls_first: bool,
}

/// The representation of a stored column.
pub fn repr_of(ty: PgType) -> Repr {
    match ty {
        PgType::Bool => Repr::Bool,
        PgType::Int2 => Repr::Int2,
        PgType::Int4 => Repr::Int4,
        PgType::Int8 => Repr::Int8,
        PgType::Float4 => Repr::Float4,
        PgType::Float8 => Repr::Float8,
        PgType::Numeric(precision, scale) => Repr::Decimal { precision, scale },
        PgType::Text | PgType::Varchar(_) => Repr::Text,
        PgType::Char(_) => Repr::Bpchar,
        PgType::Date => Repr::Date,
        PgType::Timestamp => Repr::Timestamp,
        PgType::Timestamptz => Repr::TimestampTz,
        PgType::Bytea => Repr::Bytea,
        PgType::Uuid => Repr::Uuid,
    }
}

/// What a table's definition says.
pub fn columns_of(table: &TableDef) -> Vec<TableColumn> {
    let column = |column: &engine::ColumnDef| TableColumn {
        name: column.name.clone(),
        repr: repr_of(column.ty),
        padded: match column.ty {
            PgType::Char(length) => Some(length as usize),
            _ => None,
        },
        not_null: column.not_null,
    };
    table.columns.iter().map(column).collect()
}

pub fn index_of(table: &TableDef, index: Oid) -> Result<IndexFacts> {
    let missing = || types::Error::new("XX000", format!("could not open relation with OID {index}"));
    let position = table.indexes.iter().position(|def| def.oid == index).ok_or_else(missing)?;
    let def = &table.indexes[position];
    let key = |column: &engine::IndexColumn| IndexKey {
        column: column.column,
        descending: column.descending,
        nulls_first: column.nulls_first,
    };
    Ok(IndexFacts { position, columns: def.columns.iter().map(key).collect(), unique: def.unique })
}

/// The tables of a database, as a version of engine's catalog has them. CHECK constraints are there as texts; whoever
/// analyzes them answers [`Facts::checks`].
#[derive(Clone)]
pub struct EngineTables {
    pub database: Database,
    pub oid: Oid,
    pub catalog: Arc<engine::Catalog>,
}

impl EngineTables {
    pub fn table(&self, table: Oid) -> Result<&Arc<TableDef>> {
        let missing = || types::Error::new("XX000", format!("could not open relation with OID {table}"));
        self.catalog.database_by_oid(self.oid).and_then(|found| found.tables.get(&table)).ok_or_else(missing)
    }
}

impl Facts for EngineTables {
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>> {
        Ok(columns_of(self.table(table)?))
    }

    fn index(&self, table: Oid, index: Oid) -> Result<IndexFacts> {
        index_of(self.table(table)?, index)
    }
}

impl Tables for EngineTables {
    fn open(&self, table: Oid) -> crate::error::Result<Arc<Table>> {
        Ok(self.database.table(self.oid, self.table(table)?)?)
    }

    fn sequence(&self, sequence: Oid) -> crate::error::Result<(Oid, Arc<SequenceDef>)> {
        let missing = || types::Error::new("XX000", format!("could not open relation with OID {sequence}"));
        let found = self.catalog.database_by_oid(self.oid).and_then(|database| database.sequences.get(&sequence));
        Ok((self.oid, found.ok_or_else(missing)?.clone()))
    }
}
