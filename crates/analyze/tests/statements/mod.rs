//! Statements over the tables of tables.sql.

use std::sync::Arc;

use analyze::relations::{CatalogRelations, Relations};
use analyze::rewrite::stored::StoredTrees;
use analyze::{Analyzed, Parameters, Statement, analyze, rewrite};
use catalog::catalogs::*;
use catalog::{Catalog, FIRST_NORMAL_OBJECT_ID, Keyed, Objects, PG_CATALOG};
use syntax::RawStmt;
use trees::as_trees;
use types::names::{Named, Names};
use types::{Error, Oid, Result};

#[path = "../trees/mod.rs"]
mod trees;

/// The objects of users, and a search path that has them.
#[derive(Clone, Debug)]
pub struct Tables {
    objects: Objects,
    path: Vec<Oid>,
}

impl Tables {
    pub fn new() -> Tables {
        let rows = |name: &str| -> &'static str {
            let (_, rest) = include_str!("../tables.tsv").split_once(&format!("# {name}\n")).expect("it is there");
            rest.split_once("# ").map_or(rest, |(rows, _)| rows)
        };
        fn put<R: Keyed>(objects: Objects, rows: impl Fn(&str) -> &'static str) -> Objects {
            objects.with::<R>(catalog::facts::read(rows(R::RELATION)))
        }
        let objects = put::<PgAttribute>(Objects::default(), rows);
        let objects = put::<PgAttrdef>(objects, rows);
        let objects = put::<PgDepend>(objects, rows);
        let objects = put::<PgRewrite>(objects, rows);
        let objects = put::<PgClass>(objects, rows);
        let objects = put::<PgConstraint>(objects, rows);
        let objects = put::<PgIndex>(objects, rows);
        let objects = put::<PgNamespace>(objects, rows);
        let objects = put::<PgType>(objects, rows);
        let schema = Catalog { search_path: &[], objects: Some(&objects), viewer: None }.namespace_oid("q").unwrap();
        assert!(schema >= FIRST_NORMAL_OBJECT_ID);
        let recorded = Tables { objects, path: vec![PG_CATALOG, schema] };
        let context = types::Context { names: Arc::new(recorded.clone()), ..Default::default() };
        Tables { objects: as_trees(&recorded.objects, &recorded.path, &context), ..recorded }
    }

    /// What is built in alone.
    pub fn none() -> Tables {
        Tables { objects: Objects::default(), path: vec![PG_CATALOG] }
    }

    pub fn catalog(&self) -> Catalog<'_> {
        Catalog { search_path: &self.path, objects: Some(&self.objects), viewer: None }
    }
}

/// Literals name relations and types.
impl Names for Tables {
    fn find(&self, kind: Named, name: &[String]) -> Result<Vec<Oid>> {
        if kind != Named::Relation {
            return Ok(vec![]);
        }
        let (schema, name) = match name {
            [name] => (None, name),
            [schema, name] => (Some(&**schema), name),
            _ => return Ok(vec![]),
        };
        let found = Relations::relation(&self.catalog(), schema, name)?;
        Ok(found.into_iter().map(|relation| relation.oid).collect())
    }

    fn parse_type(&self, text: &str) -> Result<(Oid, i32)> {
        let (catalog, context) = (self.catalog(), types::Context::default());
        let statement = Statement::new(catalog, &catalog, &context, "", Parameters::fixed(&[]));
        analyze::parse_type_string(&statement, text).map(|ty| (ty.oid, ty.typmod))
    }

    fn name_of(&self, _: Named, object: Oid) -> Option<String> {
        self.catalog().relation(object).map(|row| row.relname.to_string())
    }

    fn type_name(&self, ty: Oid, _: Option<i32>) -> Option<String> {
        Some(self.catalog().format_type(ty))
    }
}

/// The first statement of a text.
pub fn analyzed(tables: &Tables, text: &str) -> Result<Analyzed> {
    with_statement(tables, text, analyze)
}

/// The same, rewritten.
pub fn rewritten(tables: &Tables, text: &str) -> Result<Analyzed> {
    with_statement(tables, text, |statement, raw| Ok(rewrite(statement, analyze(statement, raw)?)?.analyzed))
}

fn with_statement<T>(
    tables: &Tables,
    text: &str,
    run: impl FnOnce(&Statement<'_>, &RawStmt) -> Result<T>,
) -> Result<T> {
    let parsed = syntax::parse(text).map_err(|report| {
        let mut error = Error::new("42601", report.message.to_string());
        error.0.detail = report.detail.map(String::from);
        error.0.hint = report.hint.map(String::from);
        let position = report.position.map(|position| position as usize - 1);
        error.0.location = position.and_then(|chars| text.char_indices().nth(chars)).map(|(at, _)| at);
        error
    })?;
    let catalog = tables.catalog();
    let context = types::Context { names: Arc::new(tables.clone()), ..Default::default() };
    let trees = StoredTrees::new(context.clone());
    let relations = CatalogRelations { catalog, trees: &trees };
    let statement = Statement::new(catalog, &relations, &context, "front_q", Parameters::variable(&[]));
    run(&statement, &parsed[0])
}
