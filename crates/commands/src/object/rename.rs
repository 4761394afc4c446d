//! ALTER … RENAME TO, for objects of all kinds.

use catalog::catalogs::PgAttribute;
use catalog::facts::Name;
use catalog::object::ObjectChange;
use catalog::object::address::ObjectName;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{RangeVar, RenameStmt};
use txn::LockMode;
use types::names::{PG_CONSTRAINT, PG_TYPE};
use types::{Oid, oid};

use crate::object::alter;
use crate::object::{names, namespace, object_address};
use crate::role::user;
use crate::table::column;
use crate::{dbcommands, policy, schema, tablespace, r#type};

pub async fn run(session: &mut Session, statement: &ParsedStatement, rename: &RenameStmt) -> Result<Reply> {
    let kind = object_address::kind(rename.rename_type)?;
    let of = match kind {
        ObjectKind::Column => object_address::kind(rename.relation_type)?,
        ObjectKind::TableConstraint => ObjectKind::Table,
        ObjectKind::DomainConstraint => ObjectKind::Domain,
        kind => kind,
    };
    let tag = format!("ALTER {}", of.of_command());
    session.require_writable(&tag)?;
    let (old, new) = (rename.subname.as_deref().unwrap_or_default(), rename.newname.as_deref().unwrap_or_default());
    let renamed = match (&rename.relation, kind) {
        (Some(relation), ObjectKind::Column) => rename_column(session, of, relation, (old, new)).await,
        (Some(relation), ObjectKind::TableConstraint) => rename_constraint(session, relation, (old, new)).await,
        (Some(relation), ObjectKind::Policy) => policy::rename(session, relation, (old, new)).await,
        (Some(relation), kind) if kind.is_relation() => rename_relation(session, kind, relation, new).await,
        _ => rename_object(session, statement, kind, rename).await,
    };
    match (renamed, &rename.relation) {
        // IF EXISTS says nothing of a policy's table.
        (Err(error), Some(relation)) if rename.missing_ok && kind != ObjectKind::Policy && is_missing(&error) => {
            let name = relation.relname.as_deref().unwrap_or_default();
            let message = format!("relation \"{name}\" does not exist, skipping");
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
        }
        (renamed, _) => renamed?,
    }
    Ok(done(&tag))
}

/// The relation is not there, or its schema.
pub fn is_missing(error: &EngineError) -> bool {
    matches!(error.code, sqlstate::UNDEFINED_TABLE | sqlstate::UNDEFINED_SCHEMA)
}

/// What is no relation, and no part of one (`AlterObjectRename_internal`).
async fn rename_object(
    session: &mut Session,
    statement: &ParsedStatement,
    kind: ObjectKind,
    rename: &RenameStmt,
) -> Result<()> {
    let (old, new) = (rename.subname.as_deref().unwrap_or_default(), rename.newname.as_deref().unwrap_or_default());
    let name = match (&rename.object, &rename.relation) {
        (Some(node), _) => object_address::name(session, statement, kind, node)?,
        (None, Some(relation)) => object_address::of_relation(relation, Some(old)),
        (None, None) => ObjectName { names: vec![old.into()], ..ObjectName::default() },
    };
    // ALTER DOMAIN looks for types.
    let looked_for = if kind == ObjectKind::Domain { ObjectKind::Type } else { kind };
    let find = |session: &mut Session| {
        let object = object_address::find(session, looked_for, &name)?;
        may_rename(session, (kind, &name), object, new)?;
        Ok::<_, EngineError>(object)
    };
    object_address::lock(session, LockMode::AccessExclusive, find).await?;
    match kind {
        ObjectKind::Schema => names::lock_schema(session, new, LockMode::AccessExclusive).await?,
        ObjectKind::Role => user::lock(session, new, LockMode::AccessExclusive).await?,
        ObjectKind::Database => dbcommands::await_leaving(session, old).await?,
        _ => {}
    }
    // Another may have taken the name while it was waited for.
    let object = find(session)?;
    alter::refuse_built_in(object)?;
    if object.class == PG_TYPE {
        return r#type::rename(session, object, new).await;
    }
    alter::change(session, object, ObjectChange::Name(new));
    Ok(())
}

/// What kinds have against a new name, in the order in which PostgreSQL says it.
fn may_rename(
    session: &mut Session,
    (kind, name): (ObjectKind, &ObjectName),
    object: ObjectAddress,
    new: &str,
) -> Result<()> {
    match kind {
        ObjectKind::Schema => schema::may_rename(session, name, object, new),
        ObjectKind::Role => user::may_rename(session, name.last(), new),
        ObjectKind::Tablespace => tablespace::may_rename(session, name, object, new),
        ObjectKind::Database => dbcommands::may_rename(session, name, object, new),
        ObjectKind::Rule => {
            ownership::require_owner_of(session, kind, name, object)?;
            let message = "renaming an ON SELECT rule is not allowed";
            Err(EngineError::new(sqlstate::INVALID_OBJECT_DEFINITION, message))
        }
        ObjectKind::Type | ObjectKind::Domain => {
            ownership::require_owner_of(session, kind, name, object)?;
            let environment = session.environment();
            let row = environment.catalog().pg_type(object.oid);
            if kind == ObjectKind::Domain && row.is_some_and(|row| row.typtype != b'd') {
                let message = format!("{} is not a domain", environment.catalog().format_type(object.oid));
                return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message));
            }
            alter::refuse_row_type(environment.catalog(), object.oid)
        }
        _ => ownership::require_owner_of(session, kind, name, object),
    }
}

/// ALTER TABLE or INDEX … RENAME TO take other relations, too (`RenameRelation`).
async fn rename_relation(session: &mut Session, kind: ObjectKind, relation: &RangeVar, new: &str) -> Result<()> {
    let name = object_address::of_relation(relation, None);
    let find = |session: &mut Session| {
        let found = alter::relation(session, kind, &name)?;
        namespace::may_create_beside(session, found.oid)?;
        Ok::<_, EngineError>(found)
    };
    let found = find(session)?;
    let environment = session.environment();
    let is_index = environment.catalog().index(found.oid).is_some();
    let mode = if is_index { LockMode::ShareUpdateExclusive } else { LockMode::AccessExclusive };
    let found = object_address::lock(session, mode, find).await?;
    set_relation_name(session, found.oid, new).await
}

/// `RenameRelationInternal`: the types of its rows, or the constraint of an index, follow.
async fn set_relation_name(session: &mut Session, relation: Oid, new: &str) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = catalog.relation(relation) else { return Ok(()) };
    names::claim_in(session, row.relnamespace, new).await?;
    alter::change(session, alter::of_class(relation), ObjectChange::Name(new));
    if row.reltype != oid::INVALID {
        r#type::rename(session, alter::of_type(row.reltype), new).await?;
    }
    if let Some(index) = catalog.index(relation) {
        let mut constraints = catalog.constraints_of_relation(index.indrelid);
        if let Some(constraint) = constraints.find(|row| row.conindid == relation) {
            set_constraint_name(session, constraint.oid, new)?;
        }
    }
    Ok(())
}

/// `RenameConstraintById`.
fn set_constraint_name(session: &mut Session, constraint: Oid, new: &str) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = catalog.constraint(constraint) else { return Ok(()) };
    let relation = catalog.relation(row.conrelid).map_or("", |row| &*row.relname);
    if catalog.constraints_of_relation(row.conrelid).any(|other| other.conname == new) {
        let message = format!("constraint \"{new}\" for relation \"{relation}\" already exists");
        return Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, message));
    }
    alter::change(session, ObjectAddress { class: PG_CONSTRAINT, oid: constraint, column: 0 }, ObjectChange::Name(new));
    Ok(())
}

/// The name of a constraint, and of its index.
async fn rename_constraint(session: &mut Session, relation: &RangeVar, (old, new): (&str, &str)) -> Result<()> {
    let name = object_address::of_relation(relation, None);
    let find = |session: &mut Session| alter::relation(session, ObjectKind::Table, &name);
    let table = object_address::lock(session, LockMode::AccessExclusive, find).await?;
    let environment = session.environment();
    let catalog = environment.catalog();
    let found = catalog.constraints_of_relation(table.oid).find(|row| row.conname == old).ok_or_else(|| {
        let relation = catalog.relation(table.oid).map_or("", |row| &*row.relname);
        let message = format!("constraint \"{old}\" for table \"{relation}\" does not exist");
        EngineError::new(sqlstate::UNDEFINED_OBJECT, message)
    })?;
    match catalog.index(found.conindid) {
        Some(index) => set_relation_name(session, index.indexrelid, new).await,
        None => set_constraint_name(session, found.oid, new),
    }
}

/// `renameatt`.
async fn rename_column(
    session: &mut Session,
    kind: ObjectKind,
    relation: &RangeVar,
    (old, new): (&str, &str),
) -> Result<()> {
    let name = object_address::of_relation(relation, None);
    let find = |session: &mut Session| {
        let found = alter::relation(session, ObjectKind::Table, &name)?;
        refuse_columns(session, kind, found.oid)?;
        Ok::<_, EngineError>(found)
    };
    let found = object_address::lock(session, LockMode::AccessExclusive, find).await?;
    let environment = session.environment();
    let catalog = environment.catalog();
    let relation = catalog.relation(found.oid).map_or("", |row| &*row.relname);
    let row = catalog.attributes(found.oid).find(|row| row.attname == old && !row.attisdropped);
    let row =
        row.ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{old}\" does not exist")))?;
    if row.attnum <= 0 {
        let message = format!("cannot rename system column \"{old}\"");
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    column::check_name(new)?;
    if catalog.attributes(found.oid).any(|row| row.attname == new && !row.attisdropped) {
        let message = format!("column \"{new}\" of relation \"{relation}\" already exists");
        return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    let database = session.shared.database.0;
    let row = PgAttribute { attname: Name::Owned(new.into()), ..row.clone() };
    session.transaction().put(database, row);
    session.show_changes();
    Ok(())
}

/// Columns of tables and views have names that are given (`renameatt_check`); those of an index are made of its table's.
fn refuse_columns(session: &mut Session, kind: ObjectKind, relation: Oid) -> Result<()> {
    let environment = session.environment();
    let Some(row) = environment.catalog().relation(relation) else { return Ok(()) };
    let is = ObjectKind::of_relation(row.relkind);
    match is {
        Some(ObjectKind::Index) => Err(EngineError::unsupported("RENAME COLUMN of an index")),
        Some(ObjectKind::Sequence) => {
            let message = format!("cannot rename columns of relation \"{}\"", row.relname);
            let detail = "This operation is not supported for sequences.";
            Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).detail(detail))
        }
        _ if matches!(kind, ObjectKind::MaterializedView | ObjectKind::ForeignTable) => {
            let message = format!("\"{}\" is not {}", row.relname, kind.with_article());
            Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message))
        }
        _ => Ok(()),
    }
}
