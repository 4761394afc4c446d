//! CREATE, ALTER and DROP TABLESPACE, and which one a relation goes to: PostgreSQL's `tablespace.c`.
//!
//! A session that puts something into a tablespace locks it until the transaction ends, so that DROP TABLESPACE sees it.

use std::sync::Arc;

use catalog::catalogs::PgTablespace;
use catalog::facts::Name;
use catalog::object::address::ObjectName;
use engine::{DEFAULT_TABLESPACE, EngineError, ObjectAddress, Result, Table, TableDef, is_temporary};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::tablespace::{GLOBAL, missing, oid_of};
use session::{Reply, Session, done, uninterrupted};
use syntax::nodes::{
    AlterTableMoveAllStmt, AlterTableSpaceOptionsStmt, CreateTableSpaceStmt, DropTableSpaceStmt, Node, ObjectType,
};
use txn::{LockMode, LockTag};
use types::acl::mode::CREATE;
use types::names::PG_TABLESPACE;
use types::{Oid, oid};

use crate::index::reindex;
use crate::object::{alter, namespace, reloptions};
use crate::role::user;
use crate::table::rewrite_table;

fn must_own(name: &str) -> EngineError {
    EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("must be owner of tablespace {name}"))
}

fn denied(name: &str) -> EngineError {
    EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied for tablespace {name}"))
}

fn tag(oid: Oid) -> LockTag {
    LockTag::Relation { database: 0, oid }
}

/// Where a new relation goes, as [`TableDef::tablespace`] has it: what is said, or `default_tablespace`.
pub async fn of_new(session: &mut Session, given: Option<&str>) -> Result<Oid> {
    let default = session.shared.settings.read().get("default_tablespace").to_string();
    let (name, said) = match given {
        Some(name) => (name, true),
        None if default.is_empty() => return Ok(0),
        None => (&*default, false),
    };
    let Some(oid) = oid_of(&session.shared.catalog(), name) else {
        // A default that is gone is none.
        return if said { Err(missing(name)) } else { Ok(0) };
    };
    match oid {
        DEFAULT_TABLESPACE => return Ok(0),
        GLOBAL => {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "only shared relations can be placed in pg_global tablespace",
            ));
        }
        _ => {}
    }
    session.lock(tag(oid), LockMode::AccessShare).await?;
    session.show_changes();
    let catalog = session.shared.catalog();
    let found = catalog.tablespace_by_oid(oid).filter(|found| found.spcname == name).ok_or_else(|| missing(name))?;
    debug_assert_eq!(found.oid, oid);
    session.shared.require(ObjectAddress { class: PG_TABLESPACE, oid, column: 0 }, CREATE)?;
    Ok(oid)
}

/// The same for what is in a schema: temporary things do not follow `default_tablespace`.
pub async fn of_new_in(session: &mut Session, schema: &str, given: Option<&str>) -> Result<Oid> {
    match given {
        None if is_temporary(schema) => Ok(0),
        _ => of_new(session, given).await,
    }
}

pub async fn create(session: &mut Session, create: &CreateTableSpaceStmt) -> Result<Reply> {
    session.refuse_in_block("CREATE TABLESPACE")?;
    session.require_writable("CREATE TABLESPACE")?;
    let name = create.tablespacename.as_deref().unwrap_or_default();
    let role = user::current(&session.shared)?;
    if !role.rolsuper {
        let message = format!("permission denied to create tablespace \"{name}\"");
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message)
            .hint("Must be superuser to create a tablespace."));
    }
    let owner = match &create.owner {
        Some(role) => user::named(session, role)?,
        None => role.rolname.into_owned(),
    };
    user::hold(session, &owner).await?;
    let location = location(session, create.location.as_deref().unwrap_or_default())?;
    check_name(name)?;
    if oid_of(&session.shared.catalog(), name).is_some() {
        return Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, format!("tablespace \"{name}\" already exists")));
    }
    let options = reloptions::read(reloptions::Of::Tablespace, &create.options)?;
    let (db, backend) = (session.db().clone(), session.shared.backend.clone());
    let row = PgTablespace {
        oid: db.new_oid(),
        spcname: Name::Owned(name.into()),
        spcowner: user::oid_of(session, &owner)?,
        spcacl: None,
        spcoptions: reloptions::stored(&options),
    };
    let _committing = session.shared.backend.commits();
    uninterrupted(async move { db.create_tablespace(&backend.io, row, &location).await }).await?;
    Ok(done("CREATE TABLESPACE"))
}

/// The location without slashes at its end, checked.
fn location(session: &mut Session, given: &str) -> Result<String> {
    let location = if given.len() > 1 { given.trim_end_matches('/') } else { given };
    if location.contains('\'') {
        return Err(EngineError::new(sqlstate::INVALID_NAME, "tablespace location cannot contain single quotes"));
    }
    let in_place = location.is_empty() && session.shared.settings.read().bool("allow_in_place_tablespaces");
    if !in_place && !location.starts_with('/') {
        return Err(EngineError::new(
            sqlstate::INVALID_OBJECT_DEFINITION,
            "tablespace location must be an absolute path",
        ));
    }
    let root = session.db().root().canonicalize().unwrap_or_else(|_| session.db().root().to_owned());
    if !in_place && std::path::Path::new(location).starts_with(root) {
        let message = "tablespace location should not be inside the data directory";
        session.notice("WARNING", EngineError::new(sqlstate::INVALID_OBJECT_DEFINITION, message));
    }
    Ok(location.to_string())
}

fn check_name(name: &str) -> Result<()> {
    match name.starts_with("pg_") {
        true => Err(EngineError::new(sqlstate::RESERVED_NAME, format!("unacceptable tablespace name \"{name}\""))
            .detail("The prefix \"pg_\" is reserved for system tablespaces.")),
        false => Ok(()),
    }
}

pub async fn drop(session: &mut Session, drop: &DropTableSpaceStmt) -> Result<Reply> {
    session.refuse_in_block("DROP TABLESPACE")?;
    session.require_writable("DROP TABLESPACE")?;
    let name = drop.tablespacename.as_deref().unwrap_or_default();
    let Some(oid) = oid_of(&session.shared.catalog(), name) else {
        if drop.missing_ok {
            let message = format!("tablespace \"{name}\" does not exist, skipping");
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
            return Ok(done("DROP TABLESPACE"));
        }
        return Err(missing(name));
    };
    let catalog = session.shared.catalog();
    let Some(found) = catalog.tablespace_by_oid(oid) else { return Err(denied(name)) };
    if !ownership::owns(&session.shared, found.spcowner)? {
        return Err(must_own(name));
    }
    // Transactions that put something into it are waited for.
    session.lock(tag(oid), LockMode::AccessExclusive).await?;
    if session.shared.catalog().tablespace_by_oid(oid).is_none_or(|found| found.spcname != name) {
        return Err(missing(name));
    }
    let (db, backend) = (session.db().clone(), session.shared.backend.clone());
    let _committing = session.shared.backend.commits();
    uninterrupted(async move { db.drop_tablespace(&backend.io, oid).await }).await?;
    Ok(done("DROP TABLESPACE"))
}

/// One that is to be changed, locked.
async fn lock(session: &mut Session, name: &str) -> Result<PgTablespace> {
    let Some(oid) = oid_of(&session.shared.catalog(), name) else { return Err(missing(name)) };
    session.lock(tag(oid), LockMode::ShareUpdateExclusive).await?;
    session.show_changes();
    let catalog = session.shared.catalog();
    let Some(found) = catalog.tablespace_by_oid(oid) else {
        return match oid {
            DEFAULT_TABLESPACE | GLOBAL if !user::current(&session.shared)?.rolsuper => Err(must_own(name)),
            DEFAULT_TABLESPACE | GLOBAL => Err(EngineError::unsupported("a change of a built-in tablespace")),
            _ => Err(missing(name)),
        };
    };
    match ownership::owns(&session.shared, found.spcowner)? {
        true => Ok(found.clone()),
        false => Err(must_own(name)),
    }
}

fn put(session: &mut Session, row: PgTablespace) {
    session.transaction().put(oid::INVALID, row);
    session.show_changes();
}

/// ALTER TABLESPACE … SET and RESET.
pub async fn set_options(session: &mut Session, alter: &AlterTableSpaceOptionsStmt) -> Result<Reply> {
    session.require_writable("ALTER TABLESPACE")?;
    let row = lock(session, alter.tablespacename.as_deref().unwrap_or_default()).await?;
    let mut options = reloptions::given(row.spcoptions.as_deref());
    match alter.is_reset {
        true => reloptions::reset(reloptions::Of::Tablespace, &mut options, &alter.options)?,
        false => reloptions::set(reloptions::Of::Tablespace, &mut options, &alter.options)?,
    }
    put(session, PgTablespace { spcoptions: reloptions::stored(&options), ..row });
    Ok(done("ALTER TABLESPACE"))
}

/// What a tablespace has against a new name (`RenameTableSpace`).
pub fn may_rename(session: &mut Session, name: &ObjectName, tablespace: ObjectAddress, new: &str) -> Result<()> {
    ownership::require_owner_of(session, ObjectKind::Tablespace, name, tablespace).map_err(|_| denied(name.last()))?;
    check_name(new)?;
    alter::require_free(session, ObjectKind::Tablespace, new)
}

/// ALTER TABLE … SET TABLESPACE: the rows are written anew there; indexes stay where they are.
pub async fn move_table(session: &mut Session, table: &Arc<Table>, name: &str) -> Result<()> {
    let tablespace = of_new(session, Some(name)).await?;
    if tablespace == table.def.tablespace {
        return Ok(());
    }
    // PostgreSQL copies the pages, in which an older snapshot finds its rows.
    let moved_by = session.transaction().writer().transaction.xid;
    let def = TableDef { tablespace, moved_by, ..TableDef::clone(&table.def) };
    rewrite_table::as_it_is(session, table, def).await
}

/// ALTER INDEX … SET TABLESPACE: it is built anew there.
pub async fn move_index(session: &mut Session, table: &Arc<Table>, position: usize, name: &str) -> Result<()> {
    let tablespace = of_new(session, Some(name)).await?;
    if tablespace == table.def.indexes[position].tablespace {
        return Ok(());
    }
    reindex::rebuild_in(session, table, position..position + 1, Some(tablespace)).await
}

/// ALTER TABLE, INDEX, or MATERIALIZED VIEW, of which there is none yet, ALL IN TABLESPACE … SET TABLESPACE.
pub async fn move_all(session: &mut Session, alter: &AlterTableMoveAllStmt) -> Result<Reply> {
    let tag = match alter.objtype {
        ObjectType::OBJECT_INDEX => "ALTER INDEX",
        ObjectType::OBJECT_MATVIEW => "ALTER MATERIALIZED VIEW",
        _ => "ALTER TABLE",
    };
    session.require_writable(tag)?;
    let resolve = |session: &Session, name: Option<&str>| {
        let name = name.unwrap_or_default();
        oid_of(&session.shared.catalog(), name).ok_or_else(|| missing(name))
    };
    let from = resolve(session, alter.orig_tablespacename.as_deref())?;
    let new = alter.new_tablespacename.as_deref().unwrap_or_default();
    let to = resolve(session, Some(new))?;
    if from == GLOBAL || to == GLOBAL {
        let message = "cannot move relations in to or out of pg_global tablespace";
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
    }
    let from = if from == DEFAULT_TABLESPACE { 0 } else { from };
    let mut owners = Vec::new();
    for role in &alter.roles {
        let Node::RoleSpec(role) = role else { continue };
        owners.push(user::oid_of(session, &user::named(session, role)?)?);
    }
    let mut moved = 0;
    for (schema, name) in namespace::tables(session).into_iter().filter(|(schema, _)| !is_temporary(schema)) {
        let wanted = |def: &TableDef| {
            let owned = owners.is_empty() || owners.contains(&def.owner);
            let inside = match alter.objtype {
                ObjectType::OBJECT_INDEX => def.indexes.iter().any(|index| index.tablespace == from),
                ObjectType::OBJECT_MATVIEW => false,
                _ => def.tablespace == from,
            };
            owned && inside
        };
        if !session.shared.find_table(&schema, &name)?.is_some_and(|table| wanted(&table.def)) {
            continue;
        }
        if alter.nowait
            && let Some(table) = session.shared.find_table(&schema, &name)?
        {
            let tag = session.shared.table_tag(&table.def);
            if !session.transaction().try_lock(tag, LockMode::AccessExclusive)? {
                let message = format!("aborting because lock on relation \"{schema}.{name}\" is not available");
                return Err(EngineError::new(sqlstate::OBJECT_IN_USE, message));
            }
        }
        let locked = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::of_table).await?;
        let Some(table) = locked.filter(|table| wanted(&table.def)) else { continue };
        moved += 1;
        if alter.objtype != ObjectType::OBJECT_INDEX {
            move_table(session, &table, new).await?;
            continue;
        }
        for position in (0..table.def.indexes.len()).filter(|&at| table.def.indexes[at].tablespace == from) {
            let table = session.table_of(table.def.oid)?;
            move_index(session, &table, position, new).await?;
        }
    }
    if moved == 0 {
        let from = alter.orig_tablespacename.as_deref().unwrap_or_default();
        let message = format!("no matching relations in tablespace \"{from}\" found");
        session.notice("NOTICE", EngineError::new(sqlstate::NO_DATA, message));
    }
    Ok(done(tag))
}
