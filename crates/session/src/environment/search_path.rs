//! search_path: the schemas in which names without one are looked for (PostgreSQL's `recomputeNamespacePath`).

use catalog::Catalog;
use catalog::acl::{Memberships, Roles};
use catalog::object::ObjectAddress;
use config::{Settings, names};
use engine::{DatabaseDef, EngineError};
use error::sqlstate;
use types::Oid;
use types::acl::mode::USAGE;
use types::names::PG_NAMESPACE;

/// What the setting names of a session's own schema.
pub const PG_TEMP: &str = "pg_temp";

/// Is there such a schema in the database?
pub fn exists(database: Option<&DatabaseDef>, schema: &str) -> bool {
    match database {
        Some(database) => database.namespace_oid(schema).is_some(),
        None => Catalog::BUILT_IN.namespace_oid(schema).is_ok(),
    }
}

/// The schemas that the setting names, that are there and that the session's role may use, each once. `temporary`: its own.
pub fn named(settings: &Settings, database: Option<&DatabaseDef>, (role, temporary): (Oid, &str)) -> Vec<String> {
    let mut path: Vec<String> = Vec::new();
    // It was checked when it was set.
    for name in names(settings.get("search_path")).unwrap_or_default() {
        let schema = match name.as_str() {
            "$user" => name_of(database, role),
            PG_TEMP => temporary,
            other => other,
        };
        if exists(database, schema) && !path.iter().any(|known| known == schema) {
            path.push(schema.into());
        }
    }
    if let Some(database) = database {
        let known = Memberships::default();
        let roles = Roles { catalog: database.catalog(), database: database.oid, known: &known };
        path.retain(|schema| schema == temporary || is_usable(roles, role, schema));
    }
    path
}

fn name_of(database: Option<&DatabaseDef>, role: Oid) -> &str {
    database.and_then(|database| database.catalog().role(role)).map_or("", |row| &row.rolname)
}

/// May a role use a schema?
fn is_usable(roles: Roles<'_>, role: Oid, schema: &str) -> bool {
    let schema = roles.catalog.namespaces_named(schema).next();
    schema.is_some_and(|row| roles.may(role, ObjectAddress { class: PG_NAMESPACE, oid: row.oid, column: 0 }, USAGE))
}

/// Is the session's own schema the first that the setting names, and has still to be made (`activeTempCreationPending`)?
pub fn lacks_temporary(settings: &Settings, database: Option<&DatabaseDef>, (role, temporary): (Oid, &str)) -> bool {
    let first = names(settings.get("search_path")).unwrap_or_default().into_iter().find(|name| match name.as_str() {
        "$user" => exists(database, name_of(database, role)),
        PG_TEMP => true,
        other => exists(database, other),
    });
    first.as_deref() == Some(PG_TEMP) && !exists(database, temporary)
}

/// [`named`] behind those that are searched without being named: what is temporary, and `pg_catalog`.
pub fn searched(settings: &Settings, database: Option<&DatabaseDef>, (role, temporary): (Oid, &str)) -> Vec<String> {
    let mut path = named(settings, database, (role, temporary));
    for first in ["pg_catalog", temporary] {
        if exists(database, first) && !path.iter().any(|known| known == first) {
            path.insert(0, first.into());
        }
    }
    path
}

pub fn missing_schema(schema: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{schema}\" does not exist"))
}
