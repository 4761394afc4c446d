//! COMMENT ON: PostgreSQL's `comment.c`. A comment is a row of `pg_description`, or of `pg_shdescription`, whatever kind of object
//! it is on. What differs is who may set it, and what is locked.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use catalog::catalogs::{PgDescription, PgShdescription};
use catalog::facts::Name;
use catalog::object::ObjectAddress;
use catalog::object::address::ObjectName;
use catalog::{Catalog, CatalogKey};
use engine::{EngineError, Result};
use error::sqlstate;
use syntax::nodes::CommentStmt;
use txn::{LockMode, LockTag};
use types::names::{PG_AUTHID, PG_CLASS, PG_CONSTRAINT, PG_DATABASE, PG_EXTENSION, PG_NAMESPACE, PG_TABLESPACE};

use crate::commands::{extension, index, names, object_address, schema, sequence, tablespace, user, view};
use crate::namespace;
use crate::ownership::{self, ObjectKind};
use crate::parse::ParsedStatement;
use crate::session::{Reply, Session, done};

pub async fn run(session: &mut Session, statement: &ParsedStatement, comment_on: &CommentStmt) -> Result<Reply> {
    session.require_writable("COMMENT")?;
    let kind = object_address::kind(comment_on.objtype)?;
    let object = comment_on.object.as_ref().ok_or_else(|| EngineError::unsupported("this form of COMMENT"))?;
    let name = object_address::name(session, statement, kind, object)?;
    if let Some(address) = lock(session, kind, &name).await? {
        set(session, address, comment_on.comment.as_deref());
    }
    Ok(done("COMMENT"))
}

/// Sets the comment on an object; an empty one is none (`CreateComments`, `CreateSharedComments`).
pub fn set(session: &mut Session, object: ObjectAddress, comment: Option<&str>) {
    let database = session.shared.database.0;
    let comment = comment.filter(|text| !text.is_empty()).map(|text| Name::Owned(text.into()));
    let ObjectAddress { class: classoid, oid: objoid, column: objsubid } = object;
    let is_shared = matches!(classoid, PG_AUTHID | PG_DATABASE | PG_TABLESPACE);
    let transaction = session.transaction();
    match comment {
        Some(description) if is_shared => transaction.put(database, PgShdescription { objoid, classoid, description }),
        Some(description) => transaction.put(database, PgDescription { objoid, classoid, objsubid, description }),
        None if is_shared => transaction.delete(database, CatalogKey::PgShdescription((objoid, classoid))),
        None => transaction.delete(database, CatalogKey::PgDescription((objoid, classoid, objsubid))),
    }
    session.show_changes();
}

/// Locks an object that a comment is to be on, for its owner. `None`: there is none, and that is no error.
async fn lock(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Result<Option<ObjectAddress>> {
    let of = |class, oid| Ok(Some(ObjectAddress { class, oid, column: 0 }));
    match kind {
        ObjectKind::Database => database(session, name.last()),
        ObjectKind::Role => of(PG_AUTHID, user::lock_to_comment(session, name.last()).await?),
        ObjectKind::Tablespace => of(PG_TABLESPACE, tablespace::lock_to_comment(session, name.last()).await?),
        ObjectKind::Schema => of(PG_NAMESPACE, schema_oid(session, name.last()).await?),
        kind => {
            let address = object_address::find(session, kind, name)?;
            match address.oid < catalog::FIRST_NORMAL_OBJECT_ID {
                true => built_in(session, kind, name, address).await.map(Some),
                false => of_user(session, kind, &name.names).await.map(Some),
            }
        }
    }
}

/// An object of a user.
async fn of_user(session: &mut Session, kind: ObjectKind, names: &[String]) -> Result<ObjectAddress> {
    let of_relation = |oid| ObjectAddress { class: PG_CLASS, oid, column: 0 };
    match kind {
        ObjectKind::Table => Ok(of_relation(table(session, names, "a table").await?.def.oid)),
        ObjectKind::View => view(session, names).await.map(of_relation),
        ObjectKind::Sequence => sequence(session, names).await.map(of_relation),
        ObjectKind::Index => index(session, names).await.map(of_relation),
        ObjectKind::Column => column(session, names).await,
        ObjectKind::TableConstraint => constraint(session, names).await,
        ObjectKind::Extension => {
            let oid = extension::owned(session, names.first().map_or("", String::as_str))?.oid;
            Ok(ObjectAddress { class: PG_EXTENSION, oid, column: 0 })
        }
        _ => Err(EngineError::unsupported("COMMENT on this kind of object")),
    }
}

/// All that is built in belongs to the superuser that made the cluster: superusers alone own it.
async fn built_in(
    session: &mut Session,
    kind: ObjectKind,
    name: &ObjectName,
    address: ObjectAddress,
) -> Result<ObjectAddress> {
    debug_assert!(address.oid < catalog::FIRST_NORMAL_OBJECT_ID);
    if !user::current(&session.shared)?.rolsuper {
        let environment = session.environment();
        let message = not_owner(environment.catalog(), kind, name, address);
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    require_commented(session.environment().catalog(), address)?;
    let mut hasher = DefaultHasher::new();
    ("comment", address).hash(&mut hasher);
    let tag = LockTag::Name { database: session.shared.database.0, hash: hasher.finish() };
    session.lock(tag, MODE).await?;
    session.show_changes();
    Ok(address)
}

/// What a role is told that owns no built-in object (`check_object_ownership`).
fn not_owner(catalog: Catalog<'_>, kind: ObjectKind, name: &ObjectName, address: ObjectAddress) -> String {
    let relation = |parts: &[String]| parts.last().cloned().unwrap_or_default();
    let shown = match kind {
        ObjectKind::AccessMethod | ObjectKind::TextSearchParser | ObjectKind::TextSearchTemplate => {
            return "must be superuser".into();
        }
        ObjectKind::Cast => {
            let types: Vec<String> =
                name.types.iter().map(|ty| format!("type {}", catalog.format_type(ty.oid))).collect();
            return format!("must be owner of {}", types.join(" or "));
        }
        ObjectKind::Column | ObjectKind::TableConstraint | ObjectKind::Rule => {
            relation(&name.names[..name.names.len() - 1])
        }
        ObjectKind::Type | ObjectKind::Domain | ObjectKind::DomainConstraint => {
            name.types.first().map_or_else(String::new, |ty| catalog.format_type(ty.oid))
        }
        _ if address.class == PG_CLASS => relation(&name.names),
        _ => name.written(),
    };
    format!("must be owner of {} {shown}", kind.owned())
}

/// Columns of relations that SELECT reads have comments, and those of composite types.
fn require_commented(catalog: Catalog<'_>, address: ObjectAddress) -> Result<()> {
    let is_column = address.class == PG_CLASS && address.column != 0;
    let Some(relation) = catalog.relation(address.oid).filter(|_| is_column) else { return Ok(()) };
    let kinds = match relation.relkind {
        b'i' | b'I' => "indexes",
        b'S' => "sequences",
        b't' => "TOAST tables",
        _ => return Ok(()),
    };
    let message = format!("cannot set comment on relation \"{}\"", relation.relname);
    let detail = format!("This operation is not supported for {kinds}.");
    Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).detail(detail))
}

const MODE: LockMode = LockMode::ShareUpdateExclusive;

/// A table with this name; what else has it is not meant.
async fn table(session: &mut Session, parts: &[String], kind: &str) -> Result<Arc<engine::Table>> {
    let relation = namespace::range_var(parts);
    let (schema, name) = namespace::find(session, &relation)?;
    let found = session.lock_owned(&schema, &name, MODE, ownership::of_table).await?;
    found.ok_or_else(|| match names::is_taken(session, &schema, &name) {
        true => EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not {kind}")),
        false => namespace::missing(&relation),
    })
}

/// A view of this name, if there is one.
async fn locked_view(session: &mut Session, parts: &[String]) -> Result<Option<engine::ViewDef>> {
    let (schema, name) = namespace::find(session, &namespace::range_var(parts))?;
    view::lock_owned(session, &schema, &name).await
}

async fn view(session: &mut Session, parts: &[String]) -> Result<u32> {
    if let Some(found) = locked_view(session, parts).await? {
        return Ok(found.oid);
    }
    let relation = namespace::range_var(parts);
    let (schema, name) = namespace::find(session, &relation)?;
    Err(match names::is_taken(session, &schema, &name) {
        true => EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a view")),
        false => namespace::missing(&relation),
    })
}

async fn schema_oid(session: &mut Session, name: &str) -> Result<u32> {
    if let Ok(oid) = Catalog::BUILT_IN.namespace_oid(name) {
        schema::lock_built_in(session, name).await?;
        return Ok(oid);
    }
    Ok(schema::lock_owned(session, name).await?.oid)
}

/// One that is not there is no error: a dump may name the database that it was made of.
fn database(session: &mut Session, name: &str) -> Result<Option<ObjectAddress>> {
    let catalog = session.shared.catalog();
    let Some(found) = catalog.database(name) else {
        let message = format!("database \"{name}\" does not exist");
        session.notice("WARNING", EngineError::new(sqlstate::UNDEFINED_DATABASE, message));
        return Ok(None);
    };
    ownership::require_owner(&session.shared, ObjectKind::Database, name, found.datdba)?;
    Ok(Some(ObjectAddress { class: PG_DATABASE, oid: found.oid, column: 0 }))
}

async fn sequence(session: &mut Session, parts: &[String]) -> Result<u32> {
    let relation = namespace::range_var(parts);
    let found = sequence::lock_owned(session, &relation).await?;
    Ok(found.ok_or_else(|| namespace::missing(&relation))?.oid)
}

async fn index(session: &mut Session, parts: &[String]) -> Result<u32> {
    let relation = namespace::range_var(parts);
    let found = index::lock_owned(session, &relation, MODE).await?;
    let (table, position) = found.ok_or_else(|| namespace::missing(&relation))?;
    Ok(table.def.indexes[position].oid)
}

async fn column(session: &mut Session, parts: &[String]) -> Result<ObjectAddress> {
    let [relation @ .., column] = parts else { return Err(EngineError::unsupported("this form of COMMENT")) };
    if relation.is_empty() {
        return Err(EngineError::new(sqlstate::SYNTAX_ERROR, "column name must be qualified"));
    }
    let missing = |relation: &str| {
        EngineError::new(
            sqlstate::UNDEFINED_COLUMN,
            format!("column \"{column}\" of relation \"{relation}\" does not exist"),
        )
    };
    let of = |oid: u32, position: usize| ObjectAddress { class: PG_CLASS, oid, column: position as i32 + 1 };
    if let Some(found) = locked_view(session, relation).await? {
        let at = found.columns.iter().position(|known| known.name == *column);
        return Ok(of(found.oid, at.ok_or_else(|| missing(&found.name))?));
    }
    let table = table(session, relation, "a table, view, materialized view, composite type, or foreign table").await?;
    let at = table.def.column(column).ok_or_else(|| missing(&table.def.name))?;
    Ok(of(table.def.oid, at))
}

async fn constraint(session: &mut Session, parts: &[String]) -> Result<ObjectAddress> {
    let [relation @ .., name] = parts else { return Err(EngineError::unsupported("this form of COMMENT")) };
    let table = table(session, relation, "a table").await?;
    let environment = session.environment();
    let mut constraints = environment.catalog().constraints_of_relation(table.def.oid);
    let found = constraints.find(|constraint| constraint.conname == *name).ok_or_else(|| {
        let message = format!("constraint \"{name}\" for table \"{}\" does not exist", table.def.name);
        EngineError::new(sqlstate::UNDEFINED_OBJECT, message)
    })?;
    Ok(ObjectAddress { class: PG_CONSTRAINT, oid: found.oid, column: 0 })
}
