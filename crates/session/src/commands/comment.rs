//! COMMENT ON: PostgreSQL's `comment.c`. Definitions keep their comments, and databases those on what is built in, whatever kind
//! of object it is.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use catalog::Catalog;
use catalog::object::ObjectAddress;
use catalog::object::address::ObjectName;
use engine::{Change, CommentDef, EngineError, ExtensionDef, NamespaceDef, Result, SequenceDef, TableDef, ViewDef};
use error::sqlstate;
use syntax::nodes::CommentStmt;
use txn::{LockMode, LockTag};
use types::names::{PG_CLASS, PG_NAMESPACE};

use crate::commands::{extension, index, names, object_address, schema, sequence, tablespace, user, view};
use crate::namespace;
use crate::ownership::{self, ObjectKind};
use crate::parse::ParsedStatement;
use crate::session::{Reply, Session, done};

pub async fn run(session: &mut Session, statement: &ParsedStatement, comment_on: &CommentStmt) -> Result<Reply> {
    session.require_writable("COMMENT")?;
    // An empty one is none.
    let comment = comment_on.comment.as_deref().filter(|text| !text.is_empty()).map(str::to_string);
    let kind = object_address::kind(comment_on.objtype)?;
    let object = comment_on.object.as_ref().ok_or_else(|| EngineError::unsupported("this form of COMMENT"))?;
    let name = object_address::name(session, statement, kind, object)?;
    match kind {
        ObjectKind::Database => on_database(session, name.last(), comment).await?,
        ObjectKind::Role => user::comment(session, name.last(), comment).await?,
        ObjectKind::Tablespace => tablespace::comment(session, name.last(), comment).await?,
        ObjectKind::Schema => on_schema(session, name.last(), comment).await?,
        kind => {
            let address = object_address::find(session, kind, &name)?;
            match address.oid < catalog::FIRST_NORMAL_OBJECT_ID {
                true => on_built_in_object(session, kind, &name, address, comment).await?,
                false => on_definition(session, kind, &name.names, comment).await?,
            }
        }
    }
    Ok(done("COMMENT"))
}

/// An object of a user, whose definition keeps the comment.
async fn on_definition(
    session: &mut Session,
    kind: ObjectKind,
    names: &[String],
    comment: Option<String>,
) -> Result<()> {
    match kind {
        ObjectKind::Table => on_table(session, names, comment).await,
        ObjectKind::View => on_view(session, names, comment).await,
        ObjectKind::Sequence => on_sequence(session, names, comment).await,
        ObjectKind::Index => on_index(session, names, comment).await,
        ObjectKind::Column => on_column(session, names, comment).await,
        ObjectKind::TableConstraint => on_constraint(session, names, comment).await,
        ObjectKind::Extension => {
            let found = extension::owned(session, names.first().map_or("", String::as_str))?;
            extension::put(session, ExtensionDef { comment, ..ExtensionDef::clone(&found) });
            Ok(())
        }
        _ => Err(EngineError::unsupported("COMMENT on this kind of object")),
    }
}

/// All that is built in belongs to the superuser that made the cluster: superusers alone own it.
async fn on_built_in_object(
    session: &mut Session,
    kind: ObjectKind,
    name: &ObjectName,
    address: ObjectAddress,
    comment: Option<String>,
) -> Result<()> {
    debug_assert!(address.oid < catalog::FIRST_NORMAL_OBJECT_ID);
    if !user::current(&session.shared)?.superuser {
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
    let ObjectAddress { class, oid, column } = address;
    on_built_in(session, CommentDef { class, oid, column, comment });
    Ok(())
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
    ownership::require_owner(&session.shared, ObjectKind::Database, name, &found.owner)?;
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
