//! ALTER … RENAME.

use std::sync::Arc;

use engine::{EngineError, Named, Result, SequenceDef, Table, TableDef, ViewDef};
use error::sqlstate;
use syntax::nodes::{ObjectType, RangeVar, RenameStmt};
use txn::LockMode;

use crate::commands::{column, constraint, index, names, schema, sequence, tablespace, user, view};
use crate::namespace;
use crate::ownership;
use crate::session::{Reply, Session, done};

pub async fn run(session: &mut Session, rename: &RenameStmt) -> Result<Reply> {
    use ObjectType::*;
    let (old, new) = (rename.subname.as_deref().unwrap_or_default(), rename.newname.as_deref().unwrap_or_default());
    if rename.rename_type == OBJECT_ROLE {
        return user::rename(session, old, new).await;
    }
    if rename.rename_type == OBJECT_TABLESPACE {
        return tablespace::rename(session, old, new).await;
    }
    let kind = if rename.rename_type == OBJECT_COLUMN { rename.relation_type } else { rename.rename_type };
    if rename.rename_type == OBJECT_SCHEMA {
        session.require_writable("ALTER SCHEMA")?;
        schema::rename(session, old, new).await?;
        return Ok(done("ALTER SCHEMA"));
    }
    let tag = match kind {
        OBJECT_TABLE | OBJECT_TABCONSTRAINT => "ALTER TABLE",
        OBJECT_INDEX => "ALTER INDEX",
        OBJECT_SEQUENCE => "ALTER SEQUENCE",
        OBJECT_VIEW => "ALTER VIEW",
        _ => return Err(EngineError::unsupported("this form of ALTER … RENAME")),
    };
    let Some(relation) = &rename.relation else { return Err(EngineError::unsupported("this form of RENAME")) };
    session.require_writable(tag)?;
    let renamed = match rename.rename_type {
        OBJECT_TABLE | OBJECT_INDEX => rename_relation(session, relation, new).await?,
        OBJECT_SEQUENCE => rename_sequence(session, relation, new).await?,
        OBJECT_VIEW => rename_view(session, relation, new).await?,
        _ => rename_part(session, rename, relation).await?,
    };
    if !renamed {
        let error = namespace::missing(relation);
        if !rename.missing_ok {
            return Err(error);
        }
        session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
    }
    Ok(done(tag))
}

async fn lock_table(session: &mut Session, relation: &RangeVar) -> Result<Option<Arc<Table>>> {
    let (schema, name) = namespace::find(session, relation)?;
    let found = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::of_table).await?;
    if found.is_none() && names::is_taken(session, &schema, &name) {
        return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a table")));
    }
    Ok(found)
}

/// A column or a constraint. `false`: there is nothing that could get another name, as for the next ones.
async fn rename_part(session: &mut Session, rename: &RenameStmt, relation: &RangeVar) -> Result<bool> {
    let (old, new) = (rename.subname.as_deref().unwrap_or_default(), rename.newname.as_deref().unwrap_or_default());
    let is_column = rename.rename_type == ObjectType::OBJECT_COLUMN;
    if is_column && rename_view_column(session, relation, old, new).await? {
        return Ok(true);
    }
    let Some(table) = lock_table(session, relation).await? else { return Ok(false) };
    match is_column {
        true => rename_column(session, &table, old, new).await?,
        false => rename_constraint(session, &table, old, new).await?,
    }
    Ok(true)
}

/// ALTER TABLE or INDEX … RENAME TO, which take other relations too.
async fn rename_relation(session: &mut Session, relation: &RangeVar, new: &str) -> Result<bool> {
    let (schema, name) = namespace::find(session, relation)?;
    let catalog = session.shared.catalog();
    let database = catalog.database_by_oid(session.shared.database.0);
    match database.and_then(|database| database.relation(&schema, &name)) {
        Some(Named::Sequence(_)) => return rename_sequence(session, relation, new).await,
        Some(Named::Index { .. }) => return rename_index(session, relation, new).await,
        Some(Named::View(_)) => return rename_view(session, relation, new).await,
        Some(Named::Table(_)) | None => {}
    }
    let Some(table) = lock_table(session, relation).await? else { return Ok(false) };
    names::claim_in(session, table.def.namespace, new).await?;
    session.put_table(&table.def, TableDef { name: new.into(), ..TableDef::clone(&table.def) });
    Ok(true)
}

async fn rename_index(session: &mut Session, relation: &RangeVar, new: &str) -> Result<bool> {
    let Some((table, position)) = index::lock_owned(session, relation, LockMode::ShareUpdateExclusive).await? else {
        return Ok(false);
    };
    names::claim_in(session, table.def.namespace, new).await?;
    let mut def = TableDef::clone(&table.def);
    def.indexes[position].name = new.into();
    session.put_table(&table.def, def);
    Ok(true)
}

async fn rename_sequence(session: &mut Session, relation: &RangeVar, new: &str) -> Result<bool> {
    let Some(found) = sequence::lock_owned(session, relation).await? else { return Ok(false) };
    names::claim_in(session, found.namespace, new).await?;
    sequence::put(session, SequenceDef { name: new.into(), ..SequenceDef::clone(&found) });
    Ok(true)
}

async fn rename_view(session: &mut Session, relation: &RangeVar, new: &str) -> Result<bool> {
    let (schema, name) = namespace::find(session, relation)?;
    let Some(found) = view::lock_owned(session, &schema, &name).await? else {
        return match names::is_taken(session, &schema, &name) {
            true => Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a view"))),
            false => Ok(false),
        };
    };
    names::claim(session, &schema, new).await?;
    view::put(session, ViewDef { name: new.into(), ..found });
    Ok(true)
}

/// `false`: it is no view.
async fn rename_view_column(session: &mut Session, relation: &RangeVar, old: &str, new: &str) -> Result<bool> {
    let (schema, name) = namespace::find(session, relation)?;
    let Some(mut found) = view::lock_owned(session, &schema, &name).await? else { return Ok(false) };
    let position = found.columns.iter().position(|column| column.name == old);
    let position = position
        .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{old}\" does not exist")))?;
    column::check_name(new)?;
    if found.columns.iter().any(|column| column.name == new) {
        let message = format!("column \"{new}\" of relation \"{name}\" already exists");
        return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    found.columns[position].name = new.into();
    view::put(session, found);
    Ok(true)
}

async fn rename_column(session: &mut Session, table: &Arc<Table>, old: &str, new: &str) -> Result<()> {
    if column::is_system(old) {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("cannot rename system column \"{old}\""),
        ));
    }
    let mut def = TableDef::clone(&table.def);
    let position = def.column(old);
    let position = position
        .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_COLUMN, format!("column \"{old}\" does not exist")))?;
    column::check_name(new)?;
    if def.column(new).is_some() {
        let message = format!("column \"{new}\" of relation \"{}\" already exists", def.name);
        return Err(EngineError::new(sqlstate::DUPLICATE_COLUMN, message));
    }
    def.columns[position].name = new.into();
    session.put_table(&table.def, def);
    Ok(())
}

async fn rename_constraint(session: &mut Session, table: &Arc<Table>, old: &str, new: &str) -> Result<()> {
    let mut def = TableDef::clone(&table.def);
    let key = def.indexes.iter().position(|index| index.constraint && index.name == old);
    let check = def.checks.iter().position(|check| check.name == old);
    if key.is_none() && check.is_none() {
        let message = format!("constraint \"{old}\" for table \"{}\" does not exist", def.name);
        return Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, message));
    }
    if names::has_constraint(&def, new) {
        return Err(constraint::already_exists(&def, new));
    }
    if key.is_some() {
        names::claim_in(session, def.namespace, new).await?;
    }
    // An index goes by the name of its constraint.
    if let Some(key) = key {
        def.indexes[key].name = new.into();
    } else if let Some(check) = check {
        def.checks[check].name = new.into();
    }
    session.put_table(&table.def, def);
    Ok(())
}
