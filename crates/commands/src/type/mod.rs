//! Types of users' own: PostgreSQL's `typecmds.c` and `pg_type.c`.
//!
//! * This file: what all new types have. `name`: their names, and those of their arrays. `enum`: CREATE TYPE … AS ENUM and what
//!   ALTER TYPE does with labels. `composite`: CREATE TYPE … AS, and attributes. `domain`: domains.
//!
//! Their owners, names, schemas and comments change as those of all objects do ([`crate::object`]); a type's array follows it.
//!
//! # Invariants
//! * What a type's values are never changes: columns keep it ([`engine::ColumnType::value`]).

pub mod composite;
pub mod domain;
pub mod r#enum;
pub mod name;

use catalog::Catalog;
use catalog::catalogs::{PgDepend, PgType};
use catalog::facts::Name;
use catalog::object::ObjectChange;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::Session;
use types::names::{PG_NAMESPACE, PG_TYPE};
use types::{Oid, oid};

use crate::acl;
use crate::object::alter::{self, of_class, of_type};
use crate::object::{names, set_schema};
use name::TypeName;

/// A new type whose row is made from one of a built-in type.
pub struct NewType<'a> {
    pub name: &'a TypeName,
    pub owner: Oid,
    /// The built-in type, and the type of arrays whose row the array's is made from.
    pub like: (Oid, Oid),
}

/// Puts a new type, and that of its arrays, which `complete` has the last word about (`TypeCreate`). Gives its oid.
pub async fn create(session: &mut Session, new: NewType<'_>, complete: impl FnOnce(PgType) -> PgType) -> Result<Oid> {
    let array_name = name::of_array(session, new.name.namespace, &new.name.name).await?;
    let row = |like: Oid| Catalog::BUILT_IN.pg_type(like).expect("it is built in").clone();
    let (oid, array) = (session.db().new_oid(), session.db().new_oid());
    let named = |row: PgType, oid: Oid, name: &str| PgType {
        oid,
        typname: Name::Owned(name.into()),
        typnamespace: new.name.namespace,
        typowner: new.owner,
        typacl: None,
        ..row
    };
    let ty = complete(PgType { typarray: array, ..named(row(new.like.0), oid, &new.name.name) });
    let of_arrays = PgType {
        typtype: b'b',
        typcategory: b'A',
        typispreferred: false,
        typdelim: ty.typdelim,
        typelem: oid,
        typarray: oid::INVALID,
        typalign: if ty.typalign == b'd' { b'd' } else { b'i' },
        typcollation: ty.typcollation,
        ..named(row(new.like.1), array, &array_name)
    };
    let database = session.shared.database.0;
    session.transaction().put(database, ty);
    session.transaction().put(database, of_arrays);
    depend(session, of_type(oid), ObjectAddress { class: PG_NAMESPACE, oid: new.name.namespace, column: 0 }, b'n');
    depend(session, of_type(array), of_type(oid), b'i');
    session.change_owner((PG_TYPE, oid), (None, new.owner));
    acl::rights_of_new(session, of_type(oid));
    Ok(oid)
}

/// Says that an object cannot be without another one.
pub fn depend(session: &mut Session, object: ObjectAddress, referenced: ObjectAddress, deptype: u8) {
    let database = session.shared.database.0;
    session.transaction().put(database, PgDepend::new(object, referenced, deptype));
    session.show_changes();
}

/// A built-in function that types are read and written by.
fn function(name: &str) -> Oid {
    Catalog::BUILT_IN.functions_named(name).next().map_or(oid::INVALID, |row| row.oid)
}

/// The relation of a composite type, which has the type's name, owner and schema.
fn relation_of(session: &mut Session, object: ObjectAddress) -> Option<ObjectAddress> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let relation = (object.class == PG_TYPE).then(|| catalog.pg_type(object.oid)).flatten()?.typrelid;
    catalog.relation(relation).filter(|row| row.relkind == b'c').map(|row| of_class(row.oid))
}

/// The type of the arrays of a type, which has its owner and its schema.
fn array_of(session: &mut Session, object: ObjectAddress) -> Option<ObjectAddress> {
    let environment = session.environment();
    (object.class == PG_TYPE).then(|| environment.catalog().array_type(object.oid)).flatten().map(of_type)
}

/// Gives a type that is locked another name (`RenameTypeInternal`).
pub async fn rename(session: &mut Session, object: ObjectAddress, new: &str) -> Result<()> {
    let environment = session.environment();
    let Some(row) = environment.catalog().pg_type(object.oid) else { return Ok(()) };
    if let Some(relation) = relation_of(session, object) {
        names::claim_in(session, row.typnamespace, new).await?;
        alter::change(session, relation, ObjectChange::Name(new));
    }
    let array = array_of(session, object);
    let taken = name::named(environment.catalog(), row.typnamespace, new).map(|taken| of_type(taken.oid));
    name::take(session, row.typnamespace, new).await?;
    alter::change(session, object, ObjectChange::Name(new));
    // Its own array has got another name where it had this one.
    if let Some(array) = array.filter(|array| taken != Some(*array)) {
        let of_array = name::of_array(session, row.typnamespace, new).await?;
        alter::change(session, array, ObjectChange::Name(&of_array));
    }
    Ok(())
}

/// Puts a type that is locked into another schema (`AlterTypeNamespaceInternal`).
pub async fn set_schema(session: &mut Session, object: ObjectAddress, schema: &str) -> Result<()> {
    let environment = session.environment();
    let Some(row) = environment.catalog().pg_type(object.oid) else { return Ok(()) };
    let from = session.schema_name(row.typnamespace);
    let namespace = set_schema::lock_target(session, &from, schema).await?;
    if namespace == row.typnamespace {
        return Ok(());
    }
    name::lock(session, namespace, &row.typname).await?;
    if name::named(session.environment().catalog(), namespace, &row.typname).is_some() {
        let message = format!("type \"{}\" already exists in schema \"{schema}\"", row.typname);
        return Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, message));
    }
    if let Some(relation) = relation_of(session, object) {
        names::claim_in(session, namespace, &row.typname).await?;
        alter::change(session, relation, ObjectChange::Namespace(namespace));
    }
    alter::change_namespace(session, object, namespace);
    if let Some(array) = array_of(session, object) {
        let of_array = name::of_array(session, namespace, &row.typname).await?;
        alter::change(session, array, ObjectChange::Name(&of_array));
        alter::change(session, array, ObjectChange::Namespace(namespace));
    }
    Ok(())
}

/// What belongs to a type's owner with the type.
pub fn give_parts(session: &mut Session, object: ObjectAddress, owner: Oid) {
    for part in [array_of(session, object), relation_of(session, object)].into_iter().flatten() {
        alter::change(session, part, ObjectChange::Owner(owner));
    }
}
