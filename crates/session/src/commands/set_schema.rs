//! ALTER … SET SCHEMA: PostgreSQL's `alter.c`, and `AlterTableNamespace`.

use engine::{EngineError, Result, SequenceDef, TableDef, ViewDef};
use error::sqlstate;
use syntax::nodes::{AlterObjectSchemaStmt, ObjectType};
use txn::LockMode;

use crate::commands::{names, sequence, view};
use crate::namespace;
use crate::ownership;
use crate::search_path;
use crate::session::{Reply, Session, done};

pub async fn run(session: &mut Session, alter: &AlterObjectSchemaStmt) -> Result<Reply> {
    let tag = match alter.object_type {
        ObjectType::OBJECT_TABLE => "ALTER TABLE",
        ObjectType::OBJECT_SEQUENCE => "ALTER SEQUENCE",
        ObjectType::OBJECT_VIEW => "ALTER VIEW",
        _ => return Err(EngineError::unsupported("this form of SET SCHEMA")),
    };
    session.require_writable(tag)?;
    let Some(relation) = &alter.relation else { return Err(EngineError::unsupported("this form of SET SCHEMA")) };
    let schema = alter.newschema.as_deref().unwrap_or_default();
    let (from, name) = namespace::find(session, relation)?;
    let moved = match alter.object_type {
        ObjectType::OBJECT_SEQUENCE => move_sequence(session, &from, &name, schema).await?,
        ObjectType::OBJECT_VIEW => move_view(session, &from, &name, schema).await?,
        _ => move_table(session, &from, &name, schema).await?,
    };
    if !moved {
        let kind = match alter.object_type {
            ObjectType::OBJECT_SEQUENCE => "sequence",
            ObjectType::OBJECT_VIEW => "view",
            _ => "table",
        };
        if names::is_taken(session, &from, &name) {
            return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a {kind}")));
        }
        let error = namespace::missing(relation);
        if !alter.missing_ok {
            return Err(error);
        }
        session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
        return Ok(done(tag));
    }
    Ok(done(tag))
}

/// The new schema must be there, and stays.
async fn check(session: &mut Session, from: &str, to: &str) -> Result<()> {
    if engine::is_temporary(from) || engine::is_temporary(to) || to == search_path::PG_TEMP {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot move objects into or out of temporary schemas",
        ));
    }
    names::lock_schema(session, to, LockMode::AccessShare).await?;
    let catalog = session.shared.catalog();
    if !search_path::exists(catalog.database_by_oid(session.shared.database.0), to) {
        return Err(namespace::missing_schema(to));
    }
    match to {
        "pg_catalog" | "information_schema" => Err(EngineError::unsupported("SET SCHEMA to a system schema")),
        _ => Ok(()),
    }
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

/// `false`: there is no such relation, as for the next two.
async fn move_table(session: &mut Session, from: &str, name: &str, to: &str) -> Result<bool> {
    let found = session.lock_owned(from, name, LockMode::AccessExclusive, ownership::of_table).await?;
    let Some(table) = found else {
        if view::lock_owned(session, from, name).await?.is_some() {
            return move_view(session, from, name, to).await;
        }
        return Ok(false);
    };
    check(session, from, to).await?;
    if from == to {
        return Ok(true);
    }
    let namespace = session.schema_oid(to)?;
    let def = TableDef { namespace, ..TableDef::clone(&table.def) };
    claim(session, to, name).await?;
    for index in &def.indexes {
        claim(session, to, &index.name).await?;
    }
    let owned = sequence::lock_of_table(session, def.oid, None).await?;
    for found in &owned {
        claim(session, to, &found.name).await?;
    }
    for found in &owned {
        sequence::put(session, SequenceDef { namespace, ..SequenceDef::clone(found) });
    }
    session.put_table(&table.def, def);
    Ok(true)
}

async fn move_sequence(session: &mut Session, from: &str, name: &str, to: &str) -> Result<bool> {
    let relation = namespace::range_var(&[from.to_string(), name.to_string()]);
    let Some(found) = sequence::lock_owned(session, &relation).await? else { return Ok(false) };
    if let Some((table, _)) = sequence::owner_table(session, &found) {
        let table = &table.name;
        let detail = format!("Sequence \"{name}\" is linked to table \"{table}\".");
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            "cannot move an owned sequence into another schema",
        )
        .detail(detail));
    }
    check(session, from, to).await?;
    if from == to {
        return Ok(true);
    }
    let namespace = session.schema_oid(to)?;
    claim(session, to, name).await?;
    sequence::put(session, SequenceDef { namespace, ..SequenceDef::clone(&found) });
    Ok(true)
}

async fn move_view(session: &mut Session, from: &str, name: &str, to: &str) -> Result<bool> {
    let Some(found) = view::lock_owned(session, from, name).await? else { return Ok(false) };
    check(session, from, to).await?;
    if from == to {
        return Ok(true);
    }
    let namespace = session.schema_oid(to)?;
    claim(session, to, name).await?;
    view::put(session, ViewDef { namespace, ..found });
    Ok(true)
}
