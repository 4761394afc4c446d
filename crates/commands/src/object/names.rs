//! Names of new tables, indexes, sequences and constraints: taken until the transaction ends, or chosen as PostgreSQL chooses
//! them (`ChooseRelationName`, `ChooseConstraintName`).

use std::hash::{DefaultHasher, Hash, Hasher};

use engine::{EngineError, Result, TableDef};
use error::sqlstate;
use txn::{LockMode, LockTag};

use catalog::object_name::{MAX_NAME, object_name};
use session::{Session, search_path};

/// Takes a name for a new relation. Fails when there is one already.
pub async fn claim(session: &mut Session, schema: &str, name: &str) -> Result<()> {
    if matches!(schema, "pg_catalog" | "information_schema" | "pg_toast") {
        let message = format!("permission denied to create \"{schema}.{name}\"");
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message)
            .detail("System catalog modifications are currently disallowed."));
    }
    // Definitions name their schemas: that of one which others do not see yet is neither renamed nor dropped.
    lock_schema(session, schema, LockMode::AccessShare).await?;
    let catalog = session.shared.catalog();
    if !engine::is_temporary(schema) && !search_path::exists(catalog.database_by_oid(session.shared.database.0), schema)
    {
        return Err(search_path::missing_schema(schema));
    }
    let mut hasher = DefaultHasher::new();
    (schema, name).hash(&mut hasher);
    let tag = LockTag::Name { database: session.shared.database.0, hash: hasher.finish() };
    session.lock(tag, LockMode::AccessExclusive).await?;
    session.show_changes();
    if is_taken(session, schema, name) { Err(already_exists(name)) } else { Ok(()) }
}

/// Locks the name of a schema. The session's own stays.
pub async fn lock_schema(session: &mut Session, schema: &str, mode: LockMode) -> Result<()> {
    if engine::is_temporary(schema) {
        return Ok(());
    }
    let mut hasher = DefaultHasher::new();
    ("schema", schema).hash(&mut hasher);
    let tag = LockTag::Name { database: session.shared.database.0, hash: hasher.finish() };
    session.lock(tag, mode).await?;
    session.show_changes();
    Ok(())
}

/// [`claim`] in a schema of this oid.
pub async fn claim_in(session: &mut Session, namespace: u32, name: &str) -> Result<()> {
    let schema = session.schema_name(namespace);
    claim(session, &schema, name).await
}

pub fn already_exists(name: &str) -> EngineError {
    EngineError::new(sqlstate::DUPLICATE_TABLE, format!("relation \"{name}\" already exists"))
}

/// Is there a relation of this name?
pub fn is_taken(session: &Session, schema: &str, name: &str) -> bool {
    let catalog = session.shared.catalog();
    catalog.database_by_oid(session.shared.database.0).is_some_and(|database| database.has_relation(schema, name))
}

/// Takes a name for a relation that belongs to a table: `table_column_label`, with a number if that is taken.
pub async fn choose(session: &mut Session, namespace: u32, table: &str, columns: &str, label: &str) -> Result<String> {
    for number in 0.. {
        let name = object_name(table, columns, &numbered(label, number));
        match claim_in(session, namespace, &name).await {
            Err(error) if error.code == sqlstate::DUPLICATE_TABLE => {}
            other => return other.map(|()| name),
        }
    }
    unreachable!("numbers do not end")
}

/// A name for a constraint.
pub fn choose_constraint(def: &TableDef, column: &str, label: &str) -> String {
    let mut names = (0..).map(|number| object_name(&def.name, column, &numbered(label, number)));
    names.find(|name| !has_constraint(def, name)).expect("numbers do not end")
}

/// Is there a constraint of this name?
pub fn has_constraint(def: &TableDef, name: &str) -> bool {
    def.checks.iter().any(|check| check.name == name) || def.indexes.iter().any(|i| i.constraint && i.name == name)
}

fn numbered(label: &str, number: u32) -> String {
    if number == 0 { label.to_string() } else { format!("{label}{number}") }
}

/// The columns' part of the name of an index (`ChooseIndexNameAddition`).
pub fn of_columns(columns: &[String]) -> String {
    let mut joined = String::new();
    for column in columns {
        if !joined.is_empty() {
            joined.push('_');
        }
        joined.push_str(column);
        if joined.len() > MAX_NAME {
            break;
        }
    }
    joined
}
