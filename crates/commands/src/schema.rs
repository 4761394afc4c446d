//! CREATE SCHEMA, and who may alter one: PostgreSQL's `schemacmds.c`.

use catalog::catalogs::PgNamespace;
use catalog::facts::Name;
use catalog::object::address::ObjectName;
use config::Source;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done, search_path};
use syntax::nodes::{CreateSchemaStmt, Node, RangeVar};
use txn::LockMode;
use types::acl::mode::CREATE;
use types::names::PG_NAMESPACE;

use crate::object::{alter, names};
use crate::role::user;
use crate::table::create_table;
use crate::{acl, index, sequence, view};

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreateSchemaStmt) -> Result<Reply> {
    session.require_writable("CREATE SCHEMA")?;
    let owner = match create.authrole.as_deref() {
        Some(role) => user::named(session, role)?,
        None => session.shared.current_user()?,
    };
    let name = create.schemaname.as_deref().unwrap_or(&owner).to_string();
    user::hold(session, &owner).await?;
    may_create_for(session, &owner)?;
    check_name(&name)?;
    let exists = |session: &Session| {
        let catalog = session.shared.catalog();
        search_path::exists(catalog.database_by_oid(session.shared.database.0), &name)
    };
    if !exists(session) {
        names::lock_schema(session, &name, LockMode::AccessExclusive).await?;
    }
    if exists(session) {
        let message = format!("schema \"{name}\" already exists");
        if create.if_not_exists {
            session.notice("NOTICE", EngineError::new(sqlstate::DUPLICATE_SCHEMA, message + ", skipping"));
            return Ok(done("CREATE SCHEMA"));
        }
        return Err(EngineError::new(sqlstate::DUPLICATE_SCHEMA, message));
    }
    let nspowner = user::oid_of(session, &owner)?;
    let oid = session.db().new_oid();
    let database = session.shared.database.0;
    let row = PgNamespace { oid, nspname: Name::Owned(name.clone()), nspowner, nspacl: None };
    session.transaction().put(database, row);
    session.change_owner((PG_NAMESPACE, oid), (None, nspowner));
    acl::rights_of_new(session, ObjectAddress { class: PG_NAMESPACE, oid, column: 0 });
    if !create.schema_elts.is_empty() {
        Box::pin(elements(session, statement, &name, &create.schema_elts)).await?;
    }
    Ok(done("CREATE SCHEMA"))
}

/// A role makes schemas for roles that it can become.
fn may_create_for(session: &Session, owner: &str) -> Result<()> {
    may_create(session)?;
    session.shared.require_set_role(user::oid_of(session, owner)?)
}

/// Fails for a role that may not make schemas in the database.
pub fn may_create(session: &Session) -> Result<()> {
    session.shared.require_of_database(CREATE)
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

/// What a schema has against a new name (`RenameSchema`).
pub fn may_rename(session: &mut Session, name: &ObjectName, schema: ObjectAddress, new: &str) -> Result<()> {
    alter::require_free(session, ObjectKind::Schema, new)?;
    ownership::require_owner_of(session, ObjectKind::Schema, name, schema)?;
    may_create(session)?;
    check_name(new)
}
