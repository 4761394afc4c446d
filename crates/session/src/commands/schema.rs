//! CREATE, ALTER and DROP SCHEMA: PostgreSQL's `schemacmds.c`.

use catalog::catalogs::PgNamespace;
use catalog::facts::Name;
use config::Source;
use engine::{DatabaseDef, EngineError, Result};
use error::sqlstate;
use syntax::nodes::{CreateSchemaStmt, Node, RangeVar, RoleSpec};
use txn::LockMode;
use types::names::PG_NAMESPACE;

use crate::commands::{create_table, index, names, owner, sequence, user, view};
use crate::ownership::{self, ObjectKind};
use crate::parse::ParsedStatement;
use crate::search_path;
use crate::session::{Reply, Session, done};

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreateSchemaStmt) -> Result<Reply> {
    session.require_writable("CREATE SCHEMA")?;
    let owner = match create.authrole.as_deref() {
        Some(role) => user::named(session, role)?,
        None => session.shared.current_user(),
    };
    let name = create.schemaname.as_deref().unwrap_or(&owner).to_string();
    user::hold(session, &owner).await?;
    may_create(session, &owner)?;
    check_name(&name)?;
    names::lock_schema(session, &name, LockMode::AccessExclusive).await?;
    if find(session, &name).is_some() || catalog::Catalog::BUILT_IN.namespace_oid(&name).is_ok() {
        let message = format!("schema \"{name}\" already exists");
        if create.if_not_exists {
            session.notice("NOTICE", EngineError::new(sqlstate::DUPLICATE_SCHEMA, message + ", skipping"));
            return Ok(done("CREATE SCHEMA"));
        }
        return Err(EngineError::new(sqlstate::DUPLICATE_SCHEMA, message));
    }
    let nspowner = user::oid_of(session, &owner)?;
    let oid = session.db().new_oid();
    put(session, None, PgNamespace { oid, nspname: Name::Owned(name.clone()), nspowner, nspacl: None });
    if !create.schema_elts.is_empty() {
        Box::pin(elements(session, statement, &name, &create.schema_elts)).await?;
    }
    Ok(done("CREATE SCHEMA"))
}

/// Changes a schema.
fn put(session: &mut Session, before: Option<&PgNamespace>, namespace: PgNamespace) {
    let owners = (before.map(|before| before.nspowner), namespace.nspowner);
    session.change_owner((PG_NAMESPACE, namespace.oid), owners);
    let database = session.shared.database.0;
    session.transaction().put(database, namespace);
    session.show_changes();
}

/// Somebody's schema of this name.
pub fn find(session: &Session, name: &str) -> Option<PgNamespace> {
    let catalog = session.shared.catalog();
    catalog.database_by_oid(session.shared.database.0)?.namespace(name).cloned()
}

/// Only superusers and the owner of the database make schemas, for whom they can become.
fn may_create(session: &Session, owner: &str) -> Result<()> {
    let role = user::current(&session.shared)?;
    if role.rolsuper {
        return Ok(());
    }
    let catalog = session.shared.catalog();
    let (oid, name) = &session.shared.database;
    if catalog.database_by_oid(*oid).is_none_or(|database| database.datdba != role.oid) {
        return Err(EngineError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied for database {name}"),
        ));
    }
    if owner != role.rolname {
        return Err(EngineError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("must be able to SET ROLE \"{owner}\""),
        ));
    }
    Ok(())
}

fn check_name(name: &str) -> Result<()> {
    if name.starts_with("pg_") {
        return Err(EngineError::new(sqlstate::RESERVED_NAME, format!("unacceptable schema name \"{name}\""))
            .detail("The prefix \"pg_\" is reserved for system schemas."));
    }
    Ok(())
}

/// What CREATE SCHEMA makes besides, in the new schema, which names without one are looked for in first.
async fn elements(session: &mut Session, statement: &ParsedStatement, schema: &str, elements: &[Node]) -> Result<()> {
    let path = session.shared.settings.read().get("search_path").to_string();
    let quoted = format!("\"{}\"", schema.replace('"', "\"\""));
    let rest = path.trim_start();
    let first = if rest.is_empty() { quoted } else { format!("{quoted}, {rest}") };
    session.remember_settings();
    session.shared.settings.write().set("search_path", &first, Source::Session)?;
    let made = make_elements(session, statement, schema, elements).await;
    session.shared.settings.write().set("search_path", &path, Source::Session)?;
    made
}

async fn make_elements(
    session: &mut Session,
    statement: &ParsedStatement,
    schema: &str,
    elements: &[Node],
) -> Result<()> {
    let mut ordered: Vec<&Node> = elements.iter().collect();
    ordered.sort_by_key(|node| match node {
        Node::CreateSeqStmt(_) => 0,
        Node::CreateStmt(_) => 1,
        Node::ViewStmt(_) => 2,
        Node::IndexStmt(_) => 3,
        _ => 4,
    });
    for node in ordered {
        session.new_command();
        match node {
            Node::CreateSeqStmt(given) => {
                check_element(given.sequence.as_deref(), schema)?;
                sequence::create(session, statement, given).await?;
            }
            Node::CreateStmt(given) => {
                check_element(given.relation.as_deref(), schema)?;
                create_table::create(session, statement, given).await?;
            }
            Node::ViewStmt(given) => {
                check_element(given.view.as_deref(), schema)?;
                view::create(session, statement, given).await?;
            }
            Node::IndexStmt(given) => {
                check_element(given.relation.as_deref(), schema)?;
                index::create(session, statement, given).await?;
            }
            _ => return Err(EngineError::unsupported("this element of CREATE SCHEMA")),
        };
    }
    Ok(())
}

/// What is made in the schema is named by it, so that nothing temporary is among it.
fn check_element(relation: Option<&RangeVar>, schema: &str) -> Result<()> {
    if let Some(other) = relation.and_then(|relation| relation.schemaname.as_deref()).filter(|other| *other != schema) {
        let message = format!("CREATE specifies a schema ({other}) different from the one being created ({schema})");
        return Err(EngineError::new(sqlstate::INVALID_SCHEMA_DEFINITION, message));
    }
    if relation.is_some_and(|relation| relation.relpersistence == 't') {
        return Err(EngineError::new(
            sqlstate::INVALID_TABLE_DEFINITION,
            "cannot create temporary relation in non-temporary schema",
        ));
    }
    Ok(())
}

/// A schema that is to be changed by its owner, locked.
pub async fn lock_owned(session: &mut Session, name: &str) -> Result<PgNamespace> {
    let missing = || EngineError::new(sqlstate::UNDEFINED_SCHEMA, format!("schema \"{name}\" does not exist"));
    if catalog::Catalog::BUILT_IN.namespace_oid(name).is_ok() {
        return Err(EngineError::unsupported(format!("a change of schema {name}")));
    }
    let found = find(session, name).ok_or_else(missing)?;
    ownership::require_owner(&session.shared, ObjectKind::Schema, name, found.nspowner)?;
    names::lock_schema(session, name, LockMode::AccessExclusive).await?;
    // Who was waited for may have put another one in its place.
    let found = find(session, name).ok_or_else(missing)?;
    ownership::require_owner(&session.shared, ObjectKind::Schema, name, found.nspowner)?;
    Ok(found)
}

/// A built-in schema that is to be changed by its owner, locked: `public` is the database's owner's, the others are the
/// superusers'.
pub async fn lock_built_in(session: &mut Session, name: &str) -> Result<()> {
    let role = user::current(&session.shared)?;
    let catalog = session.shared.catalog();
    let owns_database = |database: &DatabaseDef| name == "public" && database.datdba == role.oid;
    if !role.rolsuper && !catalog.database_by_oid(session.shared.database.0).is_some_and(owns_database) {
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("must be owner of schema {name}")));
    }
    names::lock_schema(session, name, LockMode::AccessExclusive).await
}

/// ALTER SCHEMA … RENAME TO.
pub async fn rename(session: &mut Session, old: &str, new: &str) -> Result<()> {
    let found = lock_owned(session, old).await?;
    names::lock_schema(session, new, LockMode::AccessExclusive).await?;
    let catalog = session.shared.catalog();
    if search_path::exists(catalog.database_by_oid(session.shared.database.0), new) {
        return Err(EngineError::new(sqlstate::DUPLICATE_SCHEMA, format!("schema \"{new}\" already exists")));
    }
    check_name(new)?;
    put(session, Some(&found), PgNamespace { nspname: Name::Owned(new.into()), ..found.clone() });
    Ok(())
}

/// ALTER SCHEMA … OWNER TO.
pub async fn change_owner(session: &mut Session, name: &str, role: Option<&RoleSpec>) -> Result<()> {
    let found = lock_owned(session, name).await?;
    let nspowner = owner::lock_new_owner(session, role, found.nspowner).await?;
    put(session, Some(&found), PgNamespace { nspowner, ..found.clone() });
    Ok(())
}
