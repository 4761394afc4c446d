//! What compiling a plan asks about tables: it opens none.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use engine::{Database, SequenceDef, Table, TableDef};
use error::sqlstate;
use types::{Oid, Repr, Result};

use crate::run::estate::Tables;

/// What knows the tables of the database.
pub trait Facts {
    /// A table's columns, by position.
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>>;

    /// A table's CHECK constraints, over its columns as Vars of this entry.
    fn checks(&self, table: Oid, relation: RangeTableIndex) -> Result<Vec<Check>> {
        let _ = (table, relation);
        Ok(Vec::new())
    }

    /// What a table's indexes compute of its rows.
    fn computed_keys(&self, table: Oid) -> Result<ComputedKeys> {
        let _ = table;
        Ok(ComputedKeys::default())
    }

    /// The position of an index among its table's, and what its columns are.
    fn index(&self, table: Oid, index: Oid) -> Result<IndexFacts>;

    /// Whether values of a table may be out of line. It may be wrong: what is said here only makes plans better.
    fn has_long_values(&self, table: Oid) -> bool {
        let _ = table;
        false
    }
}

/// A column as it is stored.
#[derive(Clone, Debug)]
pub struct TableColumn {
    pub name: String,
    pub repr: Repr,
    /// `character(n)`: the blanks are not stored.
    pub padded: Option<usize>,
    pub not_null: bool,
    /// It has NULLs, of whatever type these come.
    pub dropped: bool,
}

/// A CHECK constraint.
#[derive(Clone, Debug)]
pub struct Check {
    pub name: String,
    pub condition: Expr,
}

/// What indexes compute of rows.
#[derive(Clone, Debug, Default)]
pub struct ComputedKeys {
    /// Keys that are expressions, and predicates.
    pub exprs: Vec<Expr>,
    /// The columns, by position, without a change of which a row keeps its entries.
    pub inputs: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct IndexFacts {
    /// Among the table's indexes.
    pub position: usize,
    /// How the columns of its key lie.
    pub keys: Vec<Repr>,
    /// The columns of the table that its columns are, those behind the key's included; `None`: an expression.
    pub columns: Vec<Option<usize>>,
    pub unique: bool,
    /// It has expressions or a predicate.
    pub computed: bool,
}

/// What a table's definition says.
pub fn columns_of(table: &TableDef) -> Result<Vec<TableColumn>> {
    let column = |column: &engine::ColumnDef| {
        Ok(TableColumn {
            name: column.name.clone(),
            repr: column.repr().map_err(|error| types::Error::new(error.code, error.message))?,
            padded: column.ty.padding(),
            not_null: column.not_null,
            dropped: column.dropped,
        })
    };
    table.columns.iter().map(column).collect()
}

pub fn index_of(table: &TableDef, index: Oid) -> Result<IndexFacts> {
    let missing = || types::Error::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {index}"));
    let position = table.indexes.iter().position(|def| def.oid == index).ok_or_else(missing)?;
    let def = &table.indexes[position];
    let told = |error: engine::EngineError| types::Error::new(error.code, error.message);
    let repr = |column: &engine::IndexColumn| match &column.key {
        engine::IndexKey::Column(at) => table.columns[*at].repr().map_err(told),
        engine::IndexKey::Expression(expression) => expression.repr().map_err(told),
    };
    let keys = def.columns.iter().map(|column| column.key.column());
    Ok(IndexFacts {
        position,
        keys: def.columns.iter().map(repr).collect::<Result<_>>()?,
        columns: keys.chain(def.included.iter().copied().map(Some)).collect(),
        unique: def.unique,
        computed: def.is_computed(),
    })
}

/// The tables of a database, as a version of engine's catalog has them. CHECK constraints are there as texts; the caller that
/// analyzes them answers [`Facts::checks`].
#[derive(Clone)]
pub struct EngineTables {
    pub database: Database,
    pub oid: Oid,
    pub catalog: Arc<engine::Catalog>,
}

impl EngineTables {
    pub fn table(&self, table: Oid) -> Result<&Arc<TableDef>> {
        let missing =
            || types::Error::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {table}"));
        self.catalog.database_by_oid(self.oid).and_then(|found| found.table_by_oid(table)).ok_or_else(missing)
    }
}

impl Facts for EngineTables {
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>> {
        columns_of(self.table(table)?)
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
        let missing =
            || types::Error::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {sequence}"));
        let found = self.catalog.database_by_oid(self.oid).and_then(|database| database.sequence_by_oid(sequence));
        Ok((self.oid, found.ok_or_else(missing)?.clone()))
    }
}
