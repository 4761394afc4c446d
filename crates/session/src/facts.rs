//! Tables, for whoever makes plans ready and runs them: their definitions in an [`Environment`], and the tables themselves.

use std::sync::Arc;

use analyze::query::{Expr, RangeTableIndex};
use analyze::relations::Relations;
use analyze::{ExprKind, Parameters, Statement, analyze_expression};
use engine::{Database, SequenceDef, Table, TableDef};
use executor::facts::{Check, Facts, IndexFacts, TableColumn, columns_of, index_of};
use syntax::nodes::Node;
use types::{Error, Oid, Result, oid};

use crate::environment::Environment;

impl Environment {
    /// The definition of a user's table.
    pub fn table_def(&self, table: Oid) -> Result<&Arc<TableDef>> {
        let database = self.engine.database_by_oid(self.database.0);
        let missing = || Error::new("XX000", format!("could not open relation with OID {table}"));
        database.and_then(|database| database.tables.get(&table)).ok_or_else(missing)
    }

    /// A table's CHECK condition over its columns, as boolean.
    fn condition(&self, table: Oid, text: &str) -> Result<Expr> {
        let catalog = self.catalog();
        let statement = Statement::new(catalog, &catalog, &self.stored, &self.database.1, Parameters::fixed(&[]));
        let broken = || Error::new("XX000", format!("no condition: {text}"));
        let parsed = syntax::parse(&format!("SELECT {text}")).map_err(|_| broken())?;
        let Some(Node::SelectStmt(select)) = parsed.first().map(|raw| &raw.stmt) else { return Err(broken()) };
        let Some(Node::ResTarget(target)) = select.target_list.first() else { return Err(broken()) };
        let value = target.val.as_ref().ok_or_else(broken)?;
        let relation = catalog.relation_by_oid(table);
        analyze_expression(&statement, value, relation.as_ref(), ExprKind::CheckConstraint)
    }
}

impl Facts for Environment {
    fn columns(&self, table: Oid) -> Result<Vec<TableColumn>> {
        Ok(columns_of(self.table_def(table)?))
    }

    fn checks(&self, table: Oid, relation: RangeTableIndex) -> Result<Vec<Check>> {
        let def = self.table_def(table)?;
        let check = |check: &engine::CheckDef| {
            let mut condition = self.condition(table, &check.condition)?;
            debug_assert_eq!(condition.ty().oid, oid::BOOL);
            move_vars(&mut condition, relation);
            Ok(Check { name: check.name.clone(), condition })
        };
        def.checks.iter().map(check).collect()
    }

    fn index(&self, table: Oid, index: Oid) -> Result<IndexFacts> {
        index_of(self.table_def(table)?, index)
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
        let missing = || Error::new("XX000", format!("could not open relation with OID {sequence}"));
        let found = self.environment.engine.database_by_oid(own).and_then(|database| database.sequences.get(&sequence));
        Ok((own, found.ok_or_else(missing)?.clone()))
    }
}
