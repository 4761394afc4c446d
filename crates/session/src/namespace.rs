//! Which schema a name of a command means: PostgreSQL's `namespace.c`, as far as commands ask.

use engine::{EngineError, Result};
use syntax::nodes::RangeVar;

use crate::session::Session;

fn check_database(session: &Session, relation: &RangeVar) -> Result<()> {
    let Some(database) = relation.catalogname.as_deref().filter(|name| *name != session.shared.database.1) else {
        return Ok(());
    };
    let (schema, name) =
        (relation.schemaname.as_deref().unwrap_or_default(), relation.relname.as_deref().unwrap_or_default());
    let message = format!("cross-database references are not implemented: \"{database}.{schema}.{name}\"");
    Err(EngineError::new("0A000", message))
}

/// A name of several parts as the grammar gives it (`makeRangeVarFromNameList`).
pub fn range_var(parts: &[String]) -> RangeVar {
    let part = |from_end: usize| parts.len().checked_sub(from_end).map(|at| parts[at].as_str().into());
    RangeVar {
        catalogname: part(3),
        schemaname: part(2),
        relname: part(1),
        inh: true,
        relpersistence: 'p',
        alias: None,
        location: -1,
    }
}

/// There is no such relation.
pub fn missing(relation: &RangeVar) -> EngineError {
    let name = relation.relname.as_deref().unwrap_or_default();
    let shown = match relation.schemaname.as_deref() {
        Some(schema) => format!("{schema}.{name}"),
        None => name.to_string(),
    };
    EngineError::new("42P01", format!("relation \"{shown}\" does not exist"))
}

/// The schema and the name of a relation that is to be there: without a schema, that of the first of the search path that
/// has such a relation, or else the first at all.
pub fn find(session: &Session, relation: &RangeVar) -> Result<(String, String)> {
    check_database(session, relation)?;
    let name = relation.relname.as_deref().unwrap_or_default().to_string();
    if let Some(schema) = relation.schemaname.as_deref() {
        return Ok((schema.into(), name));
    }
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let style = session.shared.settings.read().style().clone();
    let has = |schema: &&&str| database.is_some_and(|database| database.has_relation(schema, &name));
    let schema = style.path.iter().find(has).or(style.path.first()).map_or("public", |schema| schema);
    Ok((schema.to_string(), name))
}

/// The schema in which a relation is to be made (`RangeVarGetCreationNamespace`).
pub fn creation(session: &Session, relation: &RangeVar) -> Result<(String, String)> {
    check_database(session, relation)?;
    let name = relation.relname.as_deref().unwrap_or_default().to_string();
    let style = session.shared.settings.read().style().clone();
    let schema = match relation.schemaname.as_deref() {
        Some(schema) => schema.to_string(),
        None => match style.path.first() {
            Some(first) => first.to_string(),
            None => return Err(EngineError::new("3F000", "no schema has been selected to create in")),
        },
    };
    match schema.as_str() {
        "public" => Ok((schema, name)),
        "pg_catalog" | "information_schema" => {
            Err(EngineError::new("42501", format!("permission denied to create \"{schema}.{name}\""))
                .detail("System catalog modifications are currently disallowed."))
        }
        _ => Err(EngineError::new("3F000", format!("schema \"{schema}\" does not exist"))),
    }
}
