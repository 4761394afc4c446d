//! Which schema a name of a command means: PostgreSQL's `namespace.c`, as far as commands ask.

use catalog::catalogs::PgClass;
use catalog::{FIRST_NORMAL_OBJECT_ID, QualifiedName};
use engine::{EngineError, ObjectAddress, Result, is_temporary};
use error::sqlstate;
use session::errors::reported;
use session::ownership::{self, ObjectKind};
use session::{Session, Shared, search_path};
use syntax::nodes::RangeVar;
use txn::LockMode;
use types::Oid;
use types::acl::mode::{CREATE, MAINTAIN, TEMPORARY, USAGE};
use types::names::{PG_CLASS, PG_DATABASE, PG_NAMESPACE};

use crate::object::{alter, names};
use crate::role::user;

fn check_database(session: &Session, relation: &RangeVar) -> Result<()> {
    let Some(database) = relation.catalogname.as_deref().filter(|name| *name != session.shared.database.1) else {
        return Ok(());
    };
    let (schema, name) =
        (relation.schemaname.as_deref().unwrap_or_default(), relation.relname.as_deref().unwrap_or_default());
    let message = format!("cross-database references are not implemented: \"{database}.{schema}.{name}\"");
    Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message))
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

/// Schemas and names of the tables that there are; of the temporary ones the session's own.
pub fn tables(session: &Session) -> Vec<(String, String)> {
    let own = session.shared.backend.temporary_schema();
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let all = database.into_iter().flat_map(|database| database.relations(b'r'));
    let named = |table: &PgClass| {
        let schema = database.map_or("", |database| database.namespace_name(table.relnamespace));
        (schema.to_string(), table.relname.to_string())
    };
    all.map(named).filter(|(schema, _)| !is_temporary(schema) || *schema == own).collect()
}

/// Why a command does not find a relation among users' that is to be its owner's to change: there is none, or it is built in.
pub fn missing(session: &mut Session, relation: &RangeVar) -> EngineError {
    missing_to(session, relation, owns)
}

/// The same where the session's role has to be allowed something else.
pub fn missing_to(session: &mut Session, relation: &RangeVar, may: fn(&Shared, &PgClass) -> Result<()>) -> EngineError {
    match built_in(session, relation, may) {
        None => not_there(session, relation),
        Some(Err(denied)) => denied,
        Some(Ok(())) => alter::system_catalog(relation.relname.as_deref().unwrap_or_default()),
    }
}

/// There is no such relation, or no such schema (`RangeVarGetRelid`).
pub fn not_there(session: &Session, relation: &RangeVar) -> EngineError {
    let name = relation.relname.as_deref().unwrap_or_default();
    let shown = match relation.schemaname.as_deref() {
        Some(schema) if schema != search_path::PG_TEMP && !has_schema(session, schema) => {
            return search_path::missing_schema(schema);
        }
        Some(schema) => format!("{schema}.{name}"),
        None => name.to_string(),
    };
    EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation \"{shown}\" does not exist"))
}

/// May the session's role do this with a built-in relation? `None`: it is none.
pub fn built_in(
    session: &mut Session,
    relation: &RangeVar,
    may: fn(&Shared, &PgClass) -> Result<()>,
) -> Option<Result<()>> {
    let environment = session.environment();
    let (schema, name) = (relation.schemaname.as_deref(), relation.relname.as_deref().unwrap_or_default());
    let found = environment.catalog().relation_by_name(QualifiedName { schema, name }).ok().flatten();
    found.filter(|row| row.oid < FIRST_NORMAL_OBJECT_ID).map(|row| may(&session.shared, row))
}

fn owns(shared: &Shared, row: &PgClass) -> Result<()> {
    let kind = ObjectKind::of_relation(row.relkind).unwrap_or(ObjectKind::Table);
    ownership::require_owner(shared, kind, &row.relname, row.relowner)
}

/// May the session's role maintain a relation?
pub fn maintains(shared: &Shared, row: &PgClass) -> Result<()> {
    shared.require(ObjectAddress { class: PG_CLASS, oid: row.oid, column: 0 }, MAINTAIN)
}

/// The same as [`missing`] where that is no error (IF EXISTS).
pub fn skip_missing(session: &mut Session, relation: &RangeVar) -> Result<()> {
    if built_in(session, relation, owns).is_some() {
        return Err(missing(session, relation));
    }
    let name = relation.relname.as_deref().unwrap_or_default();
    let message = format!("relation \"{name}\" does not exist, skipping");
    session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    Ok(())
}

fn has_schema(session: &Session, schema: &str) -> bool {
    let catalog = session.shared.catalog();
    search_path::exists(catalog.database_by_oid(session.shared.database.0), schema)
}

/// The schema and the name of a relation that is to be there: without a schema, that of the first of the search path that
/// has such a relation, or else the first at all. Fails for a schema that the session's role may not use.
pub fn find(session: &Session, relation: &RangeVar) -> Result<(String, String)> {
    check_database(session, relation)?;
    let name = relation.relname.as_deref().unwrap_or_default().to_string();
    if let Some(schema) = relation.schemaname.as_deref() {
        let own = (schema == search_path::PG_TEMP).then(|| session.shared.backend.temporary_schema());
        let schema = own.unwrap_or_else(|| schema.into());
        may_use(session, &schema)?;
        return Ok((schema, name));
    }
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let temporary = session.shared.backend.temporary_schema();
    let own = (session.shared.role(), &*temporary);
    let path = search_path::searched(&session.shared.settings.read(), database, own);
    let has = |schema: &&String| database.is_some_and(|database| database.has_relation(schema, &name));
    // What is built in is not meant to be changed.
    let first = path.iter().find(|schema| !matches!(schema.as_str(), "pg_catalog" | "information_schema"));
    let schema = path.iter().find(has).or(first).map_or("pg_catalog", |schema| schema);
    Ok((schema.to_string(), name))
}

/// The schema in which a relation is to be made (`RangeVarGetAndCheckCreationNamespace`); no other session drops it, or the role
/// that the relation will belong to, before the transaction ends.
pub async fn creation(session: &mut Session, relation: &RangeVar) -> Result<(String, String)> {
    let (schema, name) = creation_schema(session, relation)?;
    names::lock_schema(session, &schema, LockMode::AccessShare).await?;
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    if !search_path::exists(database, &schema) {
        return Err(search_path::missing_schema(&schema));
    }
    let own = user::current(&session.shared)?.oid;
    if let Some(namespace) = database.and_then(|database| database.namespace_oid(&schema)) {
        may_create_in(session, namespace, own)?;
    }
    let owner = session.shared.current_user()?;
    user::hold(session, &owner).await?;
    Ok((schema, name))
}

/// Fails where the session's role may not use a schema (`LookupExplicitNamespace`). That there is none, others tell.
fn may_use(session: &Session, schema: &str) -> Result<()> {
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    match database.and_then(|database| database.namespace_oid(schema)) {
        Some(oid) => session.shared.require(ObjectAddress { class: PG_NAMESPACE, oid, column: 0 }, USAGE),
        None => Ok(()),
    }
}

/// Fails for a role that may not make things in a schema.
pub fn may_create_in(session: &Session, namespace: Oid, role: Oid) -> Result<()> {
    let schema = ObjectAddress { class: PG_NAMESPACE, oid: namespace, column: 0 };
    let may = session.shared.roles(|roles| roles.require(role, schema, CREATE));
    may.map_err(|error| reported(error, ""))
}

/// The same for the schema that a relation is in.
pub fn may_create_beside(session: &Session, relation: Oid) -> Result<()> {
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let own = user::current(&session.shared)?.oid;
    match database.and_then(|database| database.catalog().relation(relation)) {
        Some(row) => may_create_in(session, row.relnamespace, own),
        None => Ok(()),
    }
}

/// Fails where the session may make nothing temporary (`InitTempTableNamespace`).
fn require_temporary(session: &Session) -> Result<()> {
    let database = ObjectAddress { class: PG_DATABASE, oid: session.shared.database.0, column: 0 };
    match session.shared.may(database, TEMPORARY)? {
        true => Ok(()),
        false => {
            let name = &session.shared.database.1;
            let message = format!("permission denied to create temporary tables in database \"{name}\"");
            Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
        }
    }
}

/// The same whether the session may make something there or not (`RangeVarGetCreationNamespace`).
pub fn creation_schema(session: &mut Session, relation: &RangeVar) -> Result<(String, String)> {
    check_database(session, relation)?;
    let own = session.shared.backend.temporary_schema();
    let given = relation.schemaname.as_deref();
    let is_own = |schema: &str| schema == search_path::PG_TEMP || schema == own;
    if relation.relpersistence == 't' && given.is_some_and(|schema| !is_own(schema)) {
        return Err(EngineError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            "cannot create temporary relation in non-temporary schema",
        ));
    }
    if given.is_some_and(|schema| !is_own(schema) && engine::is_temporary(schema)) {
        return Err(EngineError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            "cannot create relations in temporary schemas of other sessions",
        ));
    }
    if relation.relpersistence == 't' || given.is_some_and(is_own) {
        require_temporary(session)?;
        let schema = session.transaction().temporary_schema();
        session.show_changes();
        return Ok((schema, relation.relname.as_deref().unwrap_or_default().to_string()));
    }
    let name = relation.relname.as_deref().unwrap_or_default().to_string();
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    let temporary = session.shared.backend.temporary_schema();
    let own = (session.shared.role(), &*temporary);
    let lacks = search_path::lacks_temporary(&session.shared.settings.read(), database, own);
    if relation.schemaname.is_none() && lacks {
        require_temporary(session)?;
        let schema = session.transaction().temporary_schema();
        session.show_changes();
        return Ok((schema, name));
    }
    let path = search_path::named(&session.shared.settings.read(), database, own);
    let schema = match relation.schemaname.as_deref() {
        Some(schema) => schema.to_string(),
        None => match path.first() {
            Some(first) => first.to_string(),
            None => {
                return Err(EngineError::new(sqlstate::UNDEFINED_SCHEMA, "no schema has been selected to create in"));
            }
        },
    };
    if search_path::exists(database, &schema) { Ok((schema, name)) } else { Err(search_path::missing_schema(&schema)) }
}
