//! ALTER … SET SCHEMA, for objects of all kinds.

use catalog::object::ObjectChange;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done, search_path};
use syntax::nodes::AlterObjectSchemaStmt;
use txn::{LockMode, LockTag};
use types::Oid;
use types::names::PG_CONSTRAINT;

use crate::extension;
use crate::object::alter::{self, Parts};
use crate::object::{names, namespace, object_address, rename};
use crate::role::user;
use crate::r#type;

pub async fn run(session: &mut Session, statement: &ParsedStatement, alter: &AlterObjectSchemaStmt) -> Result<Reply> {
    let kind = object_address::kind(alter.object_type)?;
    let tag = format!("ALTER {}", kind.of_command());
    session.require_writable(&tag)?;
    let schema = alter.newschema.as_deref().unwrap_or_default();
    if let Some(relation) = &alter.relation {
        let name = object_address::of_relation(relation, None);
        let find = |session: &mut Session| {
            let found = alter::relation(session, kind, &name)?;
            refuse_index(session, found.oid)?;
            Ok::<_, EngineError>(found)
        };
        match object_address::lock(session, LockMode::AccessExclusive, find).await {
            Ok(found) => move_relation(session, found.oid, schema).await?,
            Err(error) if alter.missing_ok && rename::is_missing(&error) => {
                let name = relation.relname.as_deref().unwrap_or_default();
                let message = format!("relation \"{name}\" does not exist, skipping");
                session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
            }
            Err(error) => return Err(error),
        }
        return Ok(done(&tag));
    }
    let Some(node) = &alter.object else { return Err(EngineError::unsupported("this form of SET SCHEMA")) };
    let name = object_address::name(session, statement, kind, node)?;
    let find = |session: &mut Session| {
        let object = object_address::find(session, kind, &name)?;
        if kind == ObjectKind::Extension {
            schema_to_move_to(session, schema)?;
        }
        ownership::require_owner_of(session, kind, &name, object)?;
        Ok::<_, EngineError>(object)
    };
    let object = object_address::lock(session, LockMode::AccessExclusive, find).await?;
    match kind {
        ObjectKind::Extension => extension::set_schema(session, object, schema).await?,
        ObjectKind::Type | ObjectKind::Domain => {
            alter::refuse_row_type(session.environment().catalog(), object.oid)?;
            alter::refuse_built_in(object)?;
            r#type::set_schema(session, object, schema).await?;
        }
        _ => alter::refuse_built_in(object)?,
    }
    Ok(done(&tag))
}

/// An index is where its table is.
fn refuse_index(session: &mut Session, relation: Oid) -> Result<()> {
    let environment = session.environment();
    match environment.catalog().relation(relation).filter(|row| row.relkind == b'i') {
        None => Ok(()),
        Some(row) => {
            let message = format!("cannot change schema of index \"{}\"", row.relname);
            let hint = "Change the schema of the table instead.";
            Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).hint(hint))
        }
    }
}

/// A relation that is locked (`AlterTableNamespace`).
pub async fn move_relation(session: &mut Session, relation: Oid, schema: &str) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = catalog.relation(relation) else { return Ok(()) };
    let linked = alter::owner_of_sequence(catalog, relation).and_then(|table| catalog.relation(table));
    if let Some(table) = linked.filter(|_| row.relkind == b'S') {
        let detail = format!("Sequence \"{}\" is linked to table \"{}\".", row.relname, table.relname);
        let message = "cannot move an owned sequence into another schema";
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(detail));
    }
    let from = session.schema_name(row.relnamespace);
    let namespace = lock_target(session, &from, schema).await?;
    if namespace == row.relnamespace {
        return Ok(());
    }
    let parts = Parts::of(catalog, relation);
    for oid in [relation].into_iter().chain(parts.indexes.iter().copied()).chain(parts.sequences.iter().copied()) {
        let name = catalog.relation(oid).map_or("", |row| &*row.relname);
        claim(session, schema, name).await?;
    }
    for &oid in &parts.sequences {
        let tag = LockTag::Relation { database: session.shared.database.0, oid };
        session.lock(tag, LockMode::AccessExclusive).await?;
        session.shared.sequences.shut(oid);
        alter::change_namespace(session, alter::of_class(oid), namespace);
    }
    alter::change_namespace(session, alter::of_class(relation), namespace);
    let constraint = |oid: &Oid| ObjectAddress { class: PG_CONSTRAINT, oid: *oid, column: 0 };
    let indexes = parts.indexes.iter().map(|&oid| alter::of_class(oid));
    let types = parts.types.iter().map(|&oid| alter::of_type(oid));
    for part in indexes.chain(types).chain(parts.constraints.iter().map(constraint)) {
        alter::change(session, part, ObjectChange::Namespace(namespace));
    }
    Ok(())
}

/// Fails for a schema that is not there (`LookupCreationNamespace`).
fn schema_to_move_to(session: &mut Session, schema: &str) -> Result<()> {
    let catalog = session.shared.catalog();
    match search_path::exists(catalog.database_by_oid(session.shared.database.0), schema) {
        true => Ok(()),
        false => Err(search_path::missing_schema(schema)),
    }
}

/// The oid of the new schema, which stays; the session may make something there (`CheckSetNamespace`).
pub async fn lock_target(session: &mut Session, from: &str, to: &str) -> Result<Oid> {
    if engine::is_temporary(from) || engine::is_temporary(to) || to == search_path::PG_TEMP {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot move objects into or out of temporary schemas",
        ));
    }
    names::lock_schema(session, to, LockMode::AccessShare).await?;
    schema_to_move_to(session, to)?;
    if matches!(to, "pg_catalog" | "information_schema") {
        return Err(EngineError::unsupported("SET SCHEMA to a system schema"));
    }
    let namespace = session.schema_oid(to)?;
    let own = user::current(&session.shared)?.oid;
    namespace::may_create_in(session, namespace, own)?;
    Ok(namespace)
}

async fn claim(session: &mut Session, schema: &str, name: &str) -> Result<()> {
    names::claim(session, schema, name).await.map_err(|error| match error.code {
        sqlstate::DUPLICATE_TABLE => EngineError::new(
            sqlstate::DUPLICATE_TABLE,
            format!("relation \"{name}\" already exists in schema \"{schema}\""),
        ),
        _ => error,
    })
}
