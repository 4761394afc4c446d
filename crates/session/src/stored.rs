//! Expressions and queries that definitions keep as SQL. They are written as `ruleutils` writes them, with the schemas of what
//! is neither in `pg_catalog` nor in `public`, and read by [`analyze::rewrite::stored`].

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use analyze::Analyzed;
use analyze::query::{Expr, Var, WindowIndex};
use analyze::relations::{IndexExpressions, Relation, Relations};
use analyze::ruleutils::{Deparse, Referent, VarNames, WindowReferent, deparse_expression};
use catalog::{Catalog, PG_CATALOG, PUBLIC};
use engine::{Change, EngineError, Result, TableDef, ViewDef};
use syntax::with_stack_for;
use types::Oid;
use types::names::{PG_CLASS, PG_REWRITE};

use crate::definitions::stored_query;
use crate::dependency::Followers;
use crate::environment::Environment;
use crate::errors::reported;
use crate::expressions::MAX_KEPT_LEVELS;
use crate::session::Session;

/// The columns of one table, by their names alone.
pub struct Columns<'a>(pub Option<&'a Relation>);

impl VarNames for Columns<'_> {
    fn var(&self, var: &Var) -> types::Result<Referent<'_>> {
        let relation = self.0.ok_or_else(|| types::Error::new("XX000", "a column of no table"))?;
        let name = match var.attribute {
            0 => None,
            number => Some(column_name(relation, number)?),
        };
        let whole = name.is_none().then_some(Cow::Borrowed(&*relation.name));
        Ok(Referent::Column { relation: whole, qualified: false, name })
    }

    fn window(&self, _: WindowIndex) -> types::Result<WindowReferent<'_>> {
        Err(types::Error::new("XX000", "a window outside of a query"))
    }
}

fn column_name(relation: &Relation, number: i16) -> types::Result<Cow<'_, str>> {
    let own = usize::try_from(number).ok().and_then(|number| relation.columns.get(number - 1));
    match own {
        Some(column) => Ok(Cow::Borrowed(&*column.name)),
        // No other system column may be in an expression that is kept.
        None if number == TABLE_OID => Ok(Cow::Borrowed("tableoid")),
        None => Err(types::Error::new("XX000", format!("a table without column {number}"))),
    }
}

/// The number of the column `tableoid`.
const TABLE_OID: i16 = -6;

impl Environment {
    /// An expression over a table's columns as it is kept.
    pub fn deparse(&self, expr: &Expr, relation: Option<&Relation>) -> types::Result<String> {
        deparse_expression(self.deparsing(&self.relations()), expr, &Columns(relation), false)
    }

    pub(crate) fn deparsing<'a>(&'a self, relations: &'a dyn Relations) -> Deparse<'a> {
        let catalog = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: Some(&self.objects) };
        Deparse { catalog, relations, context: &self.stored, pretty: false }
    }

    /// The expressions of a table's definition.
    fn expressions(&self, def: &TableDef) -> types::Result<Expressions> {
        let relations = self.relations();
        let default = |number: i16| relations.column_default(def.oid, number);
        let check = |check: &engine::CheckDef| self.check_condition(def.oid, &check.condition);
        let columns = (1..).zip(&def.columns);
        let given = |column: &engine::ColumnDef| column.default.is_some() && column.identity.is_none();
        Ok(Expressions {
            defaults: columns
                .map(|(number, column)| if given(column) { default(number) } else { Ok(None) })
                .collect::<types::Result<_>>()?,
            checks: def.checks.iter().map(check).collect::<types::Result<_>>()?,
            indexes: def
                .indexes
                .iter()
                .map(|index| relations.index_expressions(index.oid))
                .collect::<types::Result<_>>()?,
        })
    }
}

/// What the catalog of before a column is dropped says, but for the table: the column has no name any more.
pub(crate) struct WithoutColumn<'a> {
    pub catalog: Catalog<'a>,
    pub without: &'a Arc<Relation>,
}

impl Relations for WithoutColumn<'_> {
    fn relation(&self, schema: Option<&str>, name: &str) -> types::Result<Option<Arc<Relation>>> {
        Relations::relation(&self.catalog, schema, name)
    }

    fn relation_by_oid(&self, oid: Oid) -> Option<Arc<Relation>> {
        if oid == self.without.oid { Some(self.without.clone()) } else { self.catalog.relation_by_oid(oid) }
    }

    fn column_default(&self, relation: Oid, attribute: i16) -> types::Result<Option<Arc<Expr>>> {
        self.catalog.column_default(relation, attribute)
    }

    fn view_query(&self, view: Oid) -> types::Result<Arc<Analyzed>> {
        self.catalog.view_query(view)
    }

    fn index_expressions(&self, index: Oid) -> types::Result<Arc<IndexExpressions>> {
        self.catalog.index_expressions(index)
    }
}

/// The views that refer to a relation.
fn views_over(environment: &Environment, relation: Oid) -> Vec<Oid> {
    let catalog = environment.catalog();
    let rules = catalog.dependents((PG_CLASS, relation)).filter(|row| row.classid == PG_REWRITE);
    let views: BTreeSet<Oid> = rules.filter_map(|row| Some(catalog.rule(row.objid)?.ev_class)).collect();
    views.into_iter().filter(|view| *view != relation).collect()
}

struct Expressions {
    /// By column.
    defaults: Vec<Option<Arc<Expr>>>,
    checks: Vec<Expr>,
    indexes: Vec<Arc<IndexExpressions>>,
}

impl Session {
    /// An expression over a table's columns, as its definition keeps it.
    pub(crate) fn deparse(&mut self, expr: &Expr, relation: Option<&Relation>) -> Result<String> {
        let environment = self.environment();
        let written = with_stack_for(MAX_KEPT_LEVELS, || environment.deparse(expr, relation));
        written.map_err(|error| reported(error, ""))
    }

    /// A table as analysis sees it.
    pub(crate) fn relation(&mut self, oid: u32) -> Result<Arc<Relation>> {
        let missing = || engine::EngineError::new("XX000", format!("could not open relation with OID {oid}"));
        self.environment().relations().relation_by_oid(oid).ok_or_else(missing)
    }

    /// Something got another name, which definitions may say: what they keep is written anew. All that may say it is locked
    /// ([`Session::lock_followers`]), and nothing else is written: somebody may have changed it meanwhile.
    pub(crate) fn follow_names(&mut self, followers: &Followers) -> Result<()> {
        let Followers { before, relations } = followers;
        let Some(database) = before.engine.database_by_oid(before.database.0) else { return Ok(()) };
        for def in relations.iter().filter_map(|oid| database.table_by_oid(*oid)) {
            // What cannot be understood any more says no name that we would know.
            let Ok(expressions) = before.expressions(def) else { continue };
            if let Some((before, renamed)) = self.renamed(def.oid, &expressions)? {
                self.put_table(&before, renamed);
            }
        }
        for &view in relations.iter().filter(|oid| database.views.contains_key(*oid)) {
            self.rewrite_view(before, view, None)?;
        }
        self.show_changes();
        Ok(())
    }

    /// A table or view got columns behind those that it had `before`: views that give its columns names of their own say so.
    pub(crate) fn follow_new_columns(&mut self, before: &Environment, relation: Oid) -> Result<()> {
        for view in views_over(before, relation) {
            self.rewrite_view(before, view, None)?;
        }
        self.show_changes();
        Ok(())
    }

    /// A table has lost a column that no view refers to: those that give its columns names of their own leave one out.
    pub(crate) fn follow_dropped_column(&mut self, before: &Environment, table: Oid, position: usize) -> Result<()> {
        let Some(relation) = before.relations().relation_by_oid(table) else { return Ok(()) };
        let mut without = Relation::clone(&relation);
        without.columns[position].name.clear();
        let without = Arc::new(without);
        for view in views_over(before, table) {
            self.rewrite_view(before, view, Some(&without))?;
        }
        self.show_changes();
        Ok(())
    }

    /// Writes a view's query anew, as the environment `before` understands it, in the one of now, or with what `without` calls
    /// the columns of a table. The text must mean the same: a name may have come to mean something else where it stands.
    fn rewrite_view(&mut self, before: &Environment, view: Oid, without: Option<&Arc<Relation>>) -> Result<()> {
        // What cannot be understood any more says no name that we would know.
        let Ok(query) = before.relations().view_query(view) else { return Ok(()) };
        let environment = self.environment();
        let database = environment.database.0;
        let now = environment.engine.database_by_oid(database).and_then(|database| database.view_by_oid(view));
        let Some(now) = now else { return Ok(()) };
        let names: Vec<String> = now.columns.iter().map(|column| column.name.clone()).collect();
        let write = |environment: &Environment, without: Option<&Arc<Relation>>, query: &Analyzed| {
            let written = with_stack_for(query.depth * 2, || stored_query(environment, without, &query.query, &names));
            written.map_err(|error| reported(error, ""))
        };
        let text = write(if without.is_some() { before } else { &environment }, without, &query)?;
        if text != now.query {
            let view = ViewDef { query: text.clone(), ..ViewDef::clone(now) };
            self.transaction().put(Change::PutView { database, view: Arc::new(view) });
            self.show_changes();
        }
        let environment = self.environment();
        let again = environment.relations().view_query(view).ok();
        let again = again.map(|again| write(&environment, None, &again)).transpose()?;
        if again.as_ref() != Some(&text) {
            let message = format!("view \"{}\" would no longer mean the same", now.name);
            return Err(EngineError::new("0A000", message));
        }
        Ok(())
    }

    /// A table's definition, and the same with its expressions written anew, if that makes a difference.
    fn renamed(&mut self, table: u32, expressions: &Expressions) -> Result<Option<(Arc<TableDef>, TableDef)>> {
        let environment = self.environment();
        let Ok(def) = environment.table_def(table) else { return Ok(None) };
        let relation = self.relation(table)?;
        let write = |expr: &Expr| environment.deparse(expr, Some(&relation)).map_err(|error| reported(error, ""));
        let mut renamed = TableDef::clone(def);
        for (column, default) in renamed.columns.iter_mut().zip(&expressions.defaults) {
            if let Some(default) = default {
                column.default = Some(write(default)?);
            }
        }
        for (check, condition) in renamed.checks.iter_mut().zip(&expressions.checks) {
            check.condition = write(condition)?;
        }
        for (index, expressions) in renamed.indexes.iter_mut().zip(&expressions.indexes) {
            let written = expressions.keys.iter().chain(&expressions.predicate);
            for (computed, expr) in index.computed_mut().zip(written) {
                computed.text = write(expr)?;
            }
        }
        Ok((renamed != **def).then(|| (def.clone(), renamed)))
    }
}
