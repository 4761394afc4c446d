//! Tables, for the executor, which makes plans ready and runs them: their definitions in an [`Environment`], and the tables.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use analyze::relations::Relations;
use catalog::FIRST_NORMAL_OBJECT_ID;
use engine::{Database, SequenceDef, Table, TableDef};
use error::sqlstate;
use executor::facts::{Check, ComputedKeys, Facts, IndexFacts, TableColumn, columns_of, index_of};
use types::{Error, Oid, Result};

use crate::environment::Environment;
use crate::environment::table_statistics::TableStatistics;

impl Environment {
    /// The definition of a user's table.
    pub fn table_def(&self, table: Oid) -> Result<&Arc<TableDef>> {
        let database = self.engine.database_by_oid(self.database.0);
        let missing = || match table {
            ..FIRST_NORMAL_OBJECT_ID => Error::unsupported("a change of a catalog's rows"),
            _ => Error::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {table}")),
        };
        database.and_then(|database| database.table_by_oid(table)).ok_or_else(missing)
    }
}

impl Facts for Environment {
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>> {
        columns_of(self.table_def(table)?)
    }

    fn checks(&self, table: Oid, relation: RangeTableIndex) -> Result<Vec<Check>> {
        let def = self.table_def(table)?;
        let check = |check: &engine::CheckDef| {
            let mut condition = Expr::clone(&*self.relations().check_condition(check.oid)?);
            move_vars(&mut condition, relation);
            Ok(Check { name: check.name.clone(), condition })
        };
        // In the order in which PostgreSQL asks them.
        let mut checks: Vec<&engine::CheckDef> = def.checks.iter().collect();
        checks.sort_by(|one, other| one.name.cmp(&other.name));
        checks.into_iter().map(check).collect()
    }

    fn computed_keys(&self, table: Oid) -> Result<ComputedKeys> {
        let def = self.table_def(table)?;
        let mut keys = ComputedKeys::default();
        for index in def.indexes.iter().filter(|index| index.is_computed()) {
            let expressions = self.relations().index_expressions(index.oid)?;
            keys.exprs.extend(expressions.predicate.iter().chain(&expressions.keys).cloned());
        }
        if !keys.exprs.is_empty() {
            keys.inputs = def.indexes.iter().flat_map(|index| index.sorted_inputs()).collect();
        }
        Ok(keys)
    }

    fn index(&self, table: Oid, index: Oid) -> Result<IndexFacts> {
        index_of(self.table_def(table)?, index)
    }
}

/// With what only open tables tell.
impl Facts for TableStatistics<'_> {
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>> {
        self.environment.columns(table)
    }

    fn checks(&self, table: Oid, relation: RangeTableIndex) -> Result<Vec<Check>> {
        self.environment.checks(table, relation)
    }

    fn computed_keys(&self, table: Oid) -> Result<ComputedKeys> {
        self.environment.computed_keys(table)
    }

    fn index(&self, table: Oid, index: Oid) -> Result<IndexFacts> {
        self.environment.index(table, index)
    }

    fn has_long_values(&self, table: Oid) -> bool {
        let toast = self.table(table).map(|table| table.heap().toast());
        // The statement that reads the values tells an error.
        matches!(toast, Some(Ok(Some(_)) | Err(_)))
    }
}

/// Makes columns of entry 1 those of another one.
fn move_vars(expr: &mut Expr, relation: RangeTableIndex) {
    if let Expr::Var(var) = expr {
        var.relation = relation;
    }
    expr.mutate(&mut |child| move_vars(child, relation), &mut |_| {});
}

/// Opens the tables of an environment.
pub struct OpenTables {
    pub db: Database,
    pub environment: Arc<Environment>,
}

impl executor::Tables for OpenTables {
    fn open(&self, table: Oid) -> executor::Result<Arc<Table>> {
        let def = self.environment.table_def(table)?;
        Ok(self.db.table(self.environment.database.0, def)?)
    }

    fn sequence(&self, sequence: Oid) -> executor::Result<(Oid, Arc<SequenceDef>)> {
        let own = self.environment.database.0;
        let missing = || Error::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {sequence}"));
        let found =
            self.environment.engine.database_by_oid(own).and_then(|database| database.sequence_by_oid(sequence));
        Ok((own, found.ok_or_else(missing)?.clone()))
    }
}
