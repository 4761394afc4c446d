//! COMMENT ON: PostgreSQL's `comment.c`. Definitions keep their comments, and databases those on what is built in.

use std::sync::Arc;

use catalog::Catalog;
use engine::{Change, CommentDef, EngineError, ExtensionDef, NamespaceDef, Result, SequenceDef, TableDef, ViewDef};
use error::sqlstate;
use syntax::nodes::{CommentStmt, Node, ObjectType};
use txn::LockMode;
use types::names::PG_NAMESPACE;

use crate::commands::drop::string;
use crate::commands::{extension, index, names, schema, sequence, tablespace, user, view};
use crate::namespace;
use crate::ownership::{self, Owned};
use crate::session::{Reply, Session, done};

pub async fn run(session: &mut Session, statement: &CommentStmt) -> Result<Reply> {
    session.require_writable("COMMENT")?;
    // An empty one is none.
    let comment = statement.comment.as_deref().filter(|text| !text.is_empty()).map(str::to_string);
    let names: Vec<String> = match &statement.object {
        Some(Node::List(parts)) => parts.iter().filter_map(string).collect(),
        Some(Node::String(name)) => vec![name.to_string()],
        _ => vec![],
    };
    match statement.objtype {
        ObjectType::OBJECT_TABLE => on_table(session, &names, comment).await?,
        ObjectType::OBJECT_VIEW => on_view(session, &names, comment).await?,
        ObjectType::OBJECT_SEQUENCE => on_sequence(session, &names, comment).await?,
        ObjectType::OBJECT_INDEX => on_index(session, &names, comment).await?,
        ObjectType::OBJECT_COLUMN => on_column(session, &names, comment).await?,
        ObjectType::OBJECT_TABCONSTRAINT => on_constraint(session, &names, comment).await?,
        ObjectType::OBJECT_SCHEMA => on_schema(session, names.first().map_or("", String::as_str), comment).await?,
        ObjectType::OBJECT_EXTENSION => {
            let found = extension::owned(session, names.first().map_or("", String::as_str))?;
            extension::put(session, ExtensionDef { comment, ..ExtensionDef::clone(&found) });
        }
        ObjectType::OBJECT_DATABASE => on_database(session, names.first().map_or("", String::as_str), comment).await?,
        ObjectType::OBJECT_ROLE => user::comment(session, names.first().map_or("", String::as_str), comment).await?,
        ObjectType::OBJECT_TABLESPACE => {
            tablespace::comment(session, names.first().map_or("", String::as_str), comment).await?;
        }
        _ => return Err(EngineError::unsupported("COMMENT on this kind of object")),
    }
    Ok(done("COMMENT"))
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

async fn on_table(session: &mut Session, parts: &[String], comment: Option<String>) -> Result<()> {
    let table = table(session, parts, "a table").await?;
    session.put_table(&table.def, TableDef { comment, ..TableDef::clone(&table.def) });
    Ok(())
}

/// A view of this name, if there is one.
async fn locked_view(session: &mut Session, parts: &[String]) -> Result<Option<ViewDef>> {
    let (schema, name) = namespace::find(session, &namespace::range_var(parts))?;
    view::lock_owned(session, &schema, &name).await
}

async fn on_view(session: &mut Session, parts: &[String], comment: Option<String>) -> Result<()> {
    let Some(found) = locked_view(session, parts).await? else {
        let relation = namespace::range_var(parts);
        let (schema, name) = namespace::find(session, &relation)?;
        return Err(match names::is_taken(session, &schema, &name) {
            true => EngineError::new(sqlstate::WRONG_OBJECT_TYPE, format!("\"{name}\" is not a view")),
            false => namespace::missing(&relation),
        });
    };
    view::put(session, ViewDef { comment, ..found });
    Ok(())
}

async fn on_schema(session: &mut Session, name: &str, comment: Option<String>) -> Result<()> {
    if let Ok(oid) = Catalog::BUILT_IN.namespace_oid(name) {
        schema::lock_built_in(session, name).await?;
        on_built_in(session, CommentDef { class: PG_NAMESPACE, oid, column: 0, comment });
        return Ok(());
    }
    let found = schema::lock_owned(session, name).await?;
    schema::put(session, NamespaceDef { comment, ..NamespaceDef::clone(&found) });
    Ok(())
}

/// One that is not there is no error: a dump may name the database that it was made of.
async fn on_database(session: &mut Session, name: &str, comment: Option<String>) -> Result<()> {
    let catalog = session.shared.catalog();
    let Some(found) = catalog.databases.get(name) else {
        let message = format!("database \"{name}\" does not exist");
        session.notice("WARNING", EngineError::new(sqlstate::UNDEFINED_DATABASE, message));
        return Ok(());
    };
    ownership::require_owner(&session.shared, Owned::Database, name, &found.owner)?;
    session.transaction().change(Change::CommentOnDatabase { database: found.oid, comment });
    session.show_changes();
    Ok(())
}

/// An object without a definition: the database keeps the comment, if it is another one.
fn on_built_in(session: &mut Session, comment: CommentDef) {
    let database = session.shared.database.0;
    let built_in = Catalog::BUILT_IN.description((comment.oid, comment.class, comment.column));
    let is_same = built_in.map(|row| &*row.description) == comment.comment.as_deref();
    session.transaction().change(match is_same {
        true => Change::DropComment { database, comment },
        false => Change::PutComment { database, comment },
    });
    session.show_changes();
}

async fn on_sequence(session: &mut Session, parts: &[String], comment: Option<String>) -> Result<()> {
    let relation = namespace::range_var(parts);
    let found = sequence::lock_owned(session, &relation).await?;
    let found = found.ok_or_else(|| namespace::missing(&relation))?;
    sequence::put(session, Arc::new(SequenceDef { comment, ..SequenceDef::clone(&found) }));
    Ok(())
}

async fn on_index(session: &mut Session, parts: &[String], comment: Option<String>) -> Result<()> {
    let relation = namespace::range_var(parts);
    let found = index::lock_owned(session, &relation, LockMode::ShareUpdateExclusive).await?;
    let (table, position) = found.ok_or_else(|| namespace::missing(&relation))?;
    let mut def = TableDef::clone(&table.def);
    def.indexes[position].comment = comment;
    session.put_table(&table.def, def);
    Ok(())
}

async fn on_column(session: &mut Session, parts: &[String], comment: Option<String>) -> Result<()> {
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
    if let Some(mut found) = locked_view(session, relation).await? {
        let at = found.columns.iter().position(|known| known.name == *column);
        let at = at.ok_or_else(|| missing(&found.name))?;
        found.columns[at].comment = comment;
        view::put(session, found);
        return Ok(());
    }
    let table = table(session, relation, "a table, view, materialized view, composite type, or foreign table").await?;
    let mut def = TableDef::clone(&table.def);
    let at = def.column(column).ok_or_else(|| missing(&def.name))?;
    def.columns[at].comment = comment;
    session.put_table(&table.def, def);
    Ok(())
}

async fn on_constraint(session: &mut Session, parts: &[String], comment: Option<String>) -> Result<()> {
    let [relation @ .., name] = parts else { return Err(EngineError::unsupported("this form of COMMENT")) };
    let table = table(session, relation, "a table").await?;
    let mut def = TableDef::clone(&table.def);
    let key = def.indexes.iter_mut().find(|index| index.constraint && index.name == *name);
    if let Some(key) = key {
        key.constraint_comment = comment;
    } else if let Some(check) = def.checks.iter_mut().find(|check| check.name == *name) {
        check.comment = comment;
    } else {
        let message = format!("constraint \"{name}\" for table \"{}\" does not exist", def.name);
        return Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, message));
    }
    session.put_table(&table.def, def);
    Ok(())
}
