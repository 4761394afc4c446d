//! Names of types: those that are made for arrays give way to others (`makeArrayTypeName`, `moveArrayTypeName`).

use std::hash::{DefaultHasher, Hash, Hasher};

use catalog::Catalog;
use catalog::catalogs::PgType;
use catalog::object::ObjectChange;
use catalog::object_name::{MAX_NAME, cut, object_name};
use engine::{EngineError, Result, is_temporary};
use error::sqlstate;
use session::Session;
use syntax::nodes::{Node, RangeVar};
use txn::{LockMode, LockTag};
use types::Oid;

use crate::object::alter::{self, of_type};
use crate::object::{namespace, object_address};

/// The name of a new type, and its schema, which is locked.
pub struct TypeName {
    pub namespace: Oid,
    pub name: String,
}

/// Takes the name of a new type (`QualifiedNameGetCreationNamespace`). Fails where there is such a type.
pub async fn claim(session: &mut Session, parts: &[Node]) -> Result<TypeName> {
    let parts: Vec<String> = parts.iter().filter_map(object_address::string).collect();
    claim_relation(session, &namespace::range_var(&parts)).await
}

/// The same for a type that is a relation as well. What a session leaves in its own schema are relations with rows: types are
/// refused there.
pub async fn claim_relation(session: &mut Session, relation: &RangeVar) -> Result<TypeName> {
    let (schema, name) = namespace::creation(session, relation).await?;
    if is_temporary(&schema) {
        return Err(EngineError::unsupported("a temporary type"));
    }
    let namespace = session.schema_oid(&schema)?;
    take(session, namespace, &name).await?;
    Ok(TypeName { namespace, name })
}

/// Takes a name in a schema: no other session makes a type of this name before the transaction ends.
pub async fn take(session: &mut Session, namespace: Oid, name: &str) -> Result<()> {
    lock(session, namespace, name).await?;
    let environment = session.environment();
    let Some(row) = named(environment.catalog(), namespace, name) else { return Ok(()) };
    if !is_made_for_arrays(environment.catalog(), row) {
        return Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, format!("type \"{name}\" already exists")));
    }
    let other = of_array(session, namespace, name).await?;
    alter::change(session, of_type(row.oid), ObjectChange::Name(&other));
    Ok(())
}

/// Takes the names of the types of a new relation's rows.
pub async fn claim_of_rows(session: &mut Session, namespace: Oid, name: &str) -> Result<()> {
    take(session, namespace, name).await.map_err(|error| {
        let hint = "A relation has an associated type of the same name, so you must use a name that doesn't conflict with any existing type.";
        error.hint(hint)
    })?;
    let of_arrays = object_name("", "", cut(name, MAX_NAME - 1));
    lock(session, namespace, &of_arrays).await?;
    match named(session.environment().catalog(), namespace, &of_arrays) {
        None => Ok(()),
        Some(_) => Err(EngineError::unsupported(format_args!("a relation beside a type \"{of_arrays}\""))),
    }
}

pub async fn lock(session: &mut Session, namespace: Oid, name: &str) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    ("type", namespace, name).hash(&mut hasher);
    let tag = LockTag::Name { database: session.shared.database.0, hash: hasher.finish() };
    session.lock(tag, LockMode::AccessExclusive).await?;
    session.show_changes();
    Ok(())
}

/// The type of a name in a schema.
pub fn named<'a>(catalog: Catalog<'a>, namespace: Oid, name: &str) -> Option<&'a PgType> {
    catalog.types_named(name).find(|row| row.typnamespace == namespace)
}

fn is_made_for_arrays(catalog: Catalog<'_>, row: &PgType) -> bool {
    catalog.element_type(row.oid).and_then(|element| catalog.array_type(element)) == Some(row.oid)
}

/// Takes a free name for the arrays of a type that is called so.
pub async fn of_array(session: &mut Session, namespace: Oid, name: &str) -> Result<String> {
    for number in 0.. {
        let free = match number {
            0 => object_name("", "", cut(name, MAX_NAME - 1)),
            number => object_name("", name, &number.to_string()),
        };
        lock(session, namespace, &free).await?;
        if named(session.environment().catalog(), namespace, &free).is_none() {
            return Ok(free);
        }
    }
    unreachable!("numbers do not end")
}
