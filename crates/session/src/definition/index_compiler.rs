//! The functions of indexes, for the engine, which asks for them while it opens a table: the index's expressions are read
//! and compiled with nothing but the table's definition at hand.

use std::sync::Arc;

use analyze::relations::Relations;
use analyze::ruleutils::Deparse;
use catalog::{Catalog, PG_CATALOG, PUBLIC};
use engine::{IndexDef, IndexFunctions, KeyCompiler, Result, TableDef};
use types::{Context, Error};

use crate::definition::index_definition::index_key;
use crate::errors::reported;
use engine::objects_of_index;

pub struct IndexCompiler;

impl KeyCompiler for IndexCompiler {
    fn compile(&self, table: &TableDef, index: &IndexDef, inputs: &[usize]) -> Result<Arc<dyn IndexFunctions>> {
        let functions = compile(table, index, inputs).map_err(|error| reported(error, ""))?;
        Ok(Arc::new(functions))
    }
}

fn compile(table: &TableDef, index: &IndexDef, inputs: &[usize]) -> types::Result<executor::IndexFunctions> {
    let objects = objects_of_index(table, index);
    let catalog = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: Some(&objects), viewer: None };
    let context = Context::default();
    let expressions = catalog.index_expressions(index.oid)?;
    let relation = catalog.relation_by_oid(table.oid);
    let deparse = Deparse { catalog, relations: &catalog, context: &context, pretty: true };
    let names = expressions.keys.iter().map(|key| index_key(deparse, key, relation.as_deref()));
    // Labels of enums are not at hand here.
    let names = names.collect::<types::Result<_>>();
    let names = names.map_err(|_| Error::unsupported("an index on this expression"))?;
    executor::IndexFunctions::compile(catalog, (table, index), &expressions, inputs, names)
}
