//! DROP TABLE, VIEW, INDEX, SEQUENCE and SCHEMA: PostgreSQL's `RemoveRelations` and `RemoveObjects`. Kinds that nobody can make
//! are [`drop_built_in`]'s.

use ::error::sqlstate;
use engine::{EngineError, Named, Result};
use syntax::nodes::{DropBehavior, DropStmt, Node, ObjectType};
use txn::LockMode;
use types::Oid;
use types::names::{Definition, PG_CLASS, PG_CONSTRAINT};

use crate::commands::deletion::{self, Object};
use crate::commands::{concurrently, drop_built_in, extension, index, schema, sequence, view};
use crate::errors::reported;
use crate::namespace;
use crate::ownership::ObjectKind;
use crate::parse::ParsedStatement;
use crate::search_path;
use crate::session::{Reply, Session, done};

/// What can be dropped, as messages name it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    View,
    Index,
    Sequence,
    // Nobody can make these yet.
    MaterializedView,
    ForeignTable,
}

impl Kind {
    fn of(ty: ObjectType) -> Result<Kind> {
        match ty {
            ObjectType::OBJECT_TABLE => Ok(Kind::Table),
            ObjectType::OBJECT_VIEW => Ok(Kind::View),
            ObjectType::OBJECT_INDEX => Ok(Kind::Index),
            ObjectType::OBJECT_SEQUENCE => Ok(Kind::Sequence),
            ObjectType::OBJECT_MATVIEW => Ok(Kind::MaterializedView),
            ObjectType::OBJECT_FOREIGN_TABLE => Ok(Kind::ForeignTable),
            _ => Err(EngineError::unsupported("this form of DROP")),
        }
    }

    fn is(named: Named) -> Kind {
        match named {
            Named::Table(_) => Kind::Table,
            Named::View(_) => Kind::View,
            Named::Index { .. } => Kind::Index,
            Named::Sequence(_) => Kind::Sequence,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Table => "table",
            Kind::View => "view",
            Kind::Index => "index",
            Kind::Sequence => "sequence",
            Kind::MaterializedView => "materialized view",
            Kind::ForeignTable => "foreign table",
        }
    }

    fn with_article(self) -> String {
        let article = if self == Kind::Index { "an" } else { "a" };
        format!("{article} {}", self.name())
    }

    fn command(self) -> &'static str {
        match self {
            Kind::Table => "DROP TABLE",
            Kind::View => "DROP VIEW",
            Kind::Index => "DROP INDEX",
            Kind::Sequence => "DROP SEQUENCE",
            Kind::MaterializedView => "DROP MATERIALIZED VIEW",
            Kind::ForeignTable => "DROP FOREIGN TABLE",
        }
    }

    fn missing(self, name: &str) -> EngineError {
        let code = if matches!(self, Kind::Index | Kind::ForeignTable) {
            sqlstate::UNDEFINED_OBJECT
        } else {
            sqlstate::UNDEFINED_TABLE
        };
        EngineError::new(code, format!("{} \"{name}\" does not exist", self.name()))
    }

    /// It is another kind of relation.
    fn wrong(self, other: Kind, name: &str) -> EngineError {
        let message = format!("\"{name}\" is not {}", self.with_article());
        let hint = format!("Use {} to remove {}.", other.command(), other.with_article());
        EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).hint(hint)
    }
}

pub async fn run(session: &mut Session, statement: &ParsedStatement, drop: &DropStmt) -> Result<Reply> {
    if drop.remove_type == ObjectType::OBJECT_EXTENSION {
        return extension::drop(session, drop).await;
    }
    if let Some(command) = drop_built_in::command(drop.remove_type) {
        return drop_built_in::run(session, statement, drop, command);
    }
    if drop.remove_type == ObjectType::OBJECT_SCHEMA {
        return drop_schemas(session, drop).await;
    }
    let kind = Kind::of(drop.remove_type)?;
    session.require_writable(kind.command())?;
    if drop.concurrent {
        session.refuse_in_block("DROP INDEX CONCURRENTLY")?;
        if drop.objects.len() > 1 {
            let message = "DROP INDEX CONCURRENTLY does not support dropping multiple objects";
            return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        if drop.behavior == DropBehavior::DROP_CASCADE {
            return Err(EngineError::new(
                sqlstate::FEATURE_NOT_SUPPORTED,
                "DROP INDEX CONCURRENTLY does not support CASCADE",
            ));
        }
    }
    let mut objects = Vec::new();
    for node in &drop.objects {
        let Node::List(parts) = node else { continue };
        let parts: Vec<String> = parts.iter().filter_map(string).collect();
        let relation = namespace::range_var(&parts);
        let (schema, name) = namespace::find(session, &relation)?;
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0);
        let missing = match database.and_then(|database| database.relation(&schema, &name)) {
            Some(named) if Kind::is(named) == kind => None,
            Some(named) => return Err(kind.wrong(Kind::is(named), &name)),
            None if relation.schemaname.is_some() && !search_path::exists(database, &schema) => {
                Some(namespace::missing_schema(&schema))
            }
            None => {
                refuse_built_in(session, relation.schemaname.as_deref(), &name)?;
                Some(kind.missing(&name))
            }
        };
        let is_gone = missing.is_some();
        let found = match missing {
            None if drop.concurrent => drop_index(session, &schema, &name, true).await.map(|()| None),
            None => found(session, kind, &schema, &name).await,
            Some(error) => Err(error),
        };
        match found {
            Ok(object) => objects.extend(object),
            // Also where somebody else has dropped it while its lock was waited for.
            Err(error) if drop.missing_ok && (is_gone || error == kind.missing(&name)) => {
                session
                    .notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
            }
            Err(error) => return Err(error),
        }
    }
    deletion::drop_all(session, &objects, drop.behavior).await?;
    Ok(done(kind.command()))
}

/// Fails for what PostgreSQL needs.
fn refuse_built_in(session: &mut Session, schema: Option<&str>, name: &str) -> Result<()> {
    use analyze::relations::Relations;
    let environment = session.environment();
    let found = environment.relations().relation(schema, name);
    match found.map_err(|error| crate::errors::reported(error, ""))? {
        Some(found) if found.oid < catalog::FIRST_NORMAL_OBJECT_ID => Err(EngineError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied: \"{name}\" is a system catalog"),
        )),
        _ => Ok(()),
    }
}

pub fn string(node: &Node) -> Option<String> {
    match node {
        Node::String(text) => Some(text.to_string()),
        _ => None,
    }
}

/// Locks what is to be dropped for its owner; an index is dropped at once.
async fn found(session: &mut Session, kind: Kind, schema: &str, name: &str) -> Result<Option<Object>> {
    match kind {
        Kind::Index => drop_index(session, schema, name, false).await.map(|()| None),
        Kind::Table => {
            let find = |session: &Session| {
                let catalog = session.shared.catalog();
                catalog.database_by_oid(session.shared.database.0)?.table(schema, name).cloned()
            };
            let found = session.lock_to_drop((ObjectKind::Table, name), LockMode::AccessExclusive, find).await?;
            found.map(|def| Some(Object::Table(def.oid))).ok_or_else(|| kind.missing(name))
        }
        Kind::MaterializedView | Kind::ForeignTable => Err(kind.missing(name)),
        Kind::View => {
            let found = view::lock_owned(session, schema, name).await?;
            found.map(|view| Some(Object::View(view.oid))).ok_or_else(|| kind.missing(name))
        }
        Kind::Sequence => {
            let relation = namespace::range_var(&[schema.to_string(), name.to_string()]);
            let def = sequence::lock_owned(session, &relation).await?.ok_or_else(|| kind.missing(name))?;
            if let Some((table, position)) = sequence::identity_of(session, &def) {
                let column = (PG_CLASS, table.oid, position as i32 + 1);
                return Err(required(session, (PG_CLASS, def.oid, 0), column)?);
            }
            Ok(Some(Object::Sequence(def.oid)))
        }
    }
}

/// An object is part of another, with which it goes. Each is a catalog, an object in it, and a column or 0.
fn required(session: &mut Session, part: (Oid, Oid, i32), whole: (Oid, Oid, i32)) -> Result<EngineError> {
    let names = session.environment().context.names.clone();
    let describe = |(catalog, object, column)| {
        let described = names.definition(Definition::Object { catalog, object, column });
        described.map(Option::unwrap_or_default).map_err(|error| reported(error, ""))
    };
    let (part, whole) = (describe(part)?, describe(whole)?);
    let message = format!("cannot drop {part} because {whole} requires it");
    Ok(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message)
        .hint(format!("You can drop {whole} instead.")))
}

async fn drop_index(session: &mut Session, schema: &str, name: &str, concurrent: bool) -> Result<()> {
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0)?;
        database.index(schema, name).map(|(table, index)| (table.clone(), index.clone()))
    };
    let missing = || Kind::Index.missing(name);
    // A temporary table is nobody else's.
    let concurrent = concurrent && !engine::is_temporary(schema);
    let mode = if concurrent { concurrently::MODE } else { LockMode::AccessExclusive };
    let table_of = |session: &Session| find(session).map(|(table, _)| table);
    session.lock_to_drop((ObjectKind::Index, name), mode, table_of).await?.ok_or_else(missing)?;
    let (def, index) = find(session).ok_or_else(missing)?;
    if index.constraint {
        return Err(required(session, (PG_CLASS, index.oid, 0), (PG_CONSTRAINT, index.oid, 0))?);
    }
    if concurrent {
        let table = session.table_of(def.oid)?;
        return concurrently::drop(session, &table, &index).await;
    }
    session.check_not_in_use(index.oid, name, "DROP INDEX")?;
    index::remove(session, &def, &index);
    Ok(())
}

async fn drop_schemas(session: &mut Session, drop: &DropStmt) -> Result<Reply> {
    session.require_writable("DROP SCHEMA")?;
    let mut objects = Vec::new();
    for name in drop.objects.iter().filter_map(string) {
        if matches!(&*name, "pg_catalog" | "information_schema") {
            let message = format!("cannot drop schema {name} because it is required by the database system");
            return Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message));
        }
        match schema::lock_owned(session, &name).await {
            Ok(found) => objects.push(Object::Schema(found.oid)),
            Err(error) if error.code == sqlstate::UNDEFINED_SCHEMA && drop.missing_ok => {
                session
                    .notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, error.message + ", skipping"));
            }
            Err(error) => return Err(error),
        }
    }
    deletion::drop_all(session, &objects, drop.behavior).await?;
    Ok(done("DROP SCHEMA"))
}
