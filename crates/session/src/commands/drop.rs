//! DROP TABLE, INDEX and SEQUENCE: PostgreSQL's `RemoveRelations`.

use engine::{EngineError, Result, Table};
use syntax::nodes::{DropStmt, Node, ObjectType};
use txn::LockMode;

use crate::commands::dependency::{self, Object};
use crate::commands::{index, sequence};
use crate::namespace;
use crate::ownership::{self, Owned};
use crate::session::{Reply, Session, Shared, done};

/// What can be dropped, as messages name it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Table,
    Index,
    Sequence,
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Table, Kind::Index, Kind::Sequence];

    fn of(ty: ObjectType) -> Result<Kind> {
        match ty {
            ObjectType::OBJECT_TABLE => Ok(Kind::Table),
            ObjectType::OBJECT_INDEX => Ok(Kind::Index),
            ObjectType::OBJECT_SEQUENCE => Ok(Kind::Sequence),
            _ => Err(EngineError::unsupported("this form of DROP")),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Table => "table",
            Kind::Index => "index",
            Kind::Sequence => "sequence",
        }
    }

    fn with_article(self) -> &'static str {
        match self {
            Kind::Table => "a table",
            Kind::Index => "an index",
            Kind::Sequence => "a sequence",
        }
    }

    fn command(self) -> &'static str {
        match self {
            Kind::Table => "DROP TABLE",
            Kind::Index => "DROP INDEX",
            Kind::Sequence => "DROP SEQUENCE",
        }
    }

    fn is(self, session: &Session, schema: &str, name: &str) -> bool {
        let catalog = session.shared.catalog();
        let Some(database) = catalog.database_by_oid(session.shared.database.0) else { return false };
        match self {
            Kind::Table => database.table(schema, name).is_some(),
            Kind::Index => database.index(schema, name).is_some(),
            Kind::Sequence => database.sequence(schema, name).is_some(),
        }
    }

    /// There is no such thing, or it is another one.
    fn missing(self, session: &Session, schema: &str, name: &str) -> EngineError {
        let Some(other) = Kind::ALL.into_iter().find(|kind| kind.is(session, schema, name)) else {
            let code = if self == Kind::Index { "42704" } else { "42P01" };
            return EngineError::new(code, format!("{} \"{name}\" does not exist", self.name()));
        };
        let message = format!("\"{name}\" is not {}", self.with_article());
        let hint = format!("Use {} to remove {}.", other.command(), other.with_article());
        EngineError::new("42809", message).hint(hint)
    }
}

pub async fn run(session: &mut Session, drop: &DropStmt) -> Result<Reply> {
    let kind = Kind::of(drop.remove_type)?;
    session.require_writable(kind.command())?;
    if drop.concurrent {
        session.refuse_in_block("DROP INDEX CONCURRENTLY")?;
    }
    let mut objects = Vec::new();
    for node in &drop.objects {
        let Node::List(parts) = node else { continue };
        let parts: Vec<String> = parts.iter().filter_map(string).collect();
        let (schema, name) = namespace::find(session, &namespace::range_var(&parts))?;
        if !kind.is(session, &schema, &name) {
            let error = kind.missing(session, &schema, &name);
            if drop.missing_ok && error.code != "42809" {
                session.notice("NOTICE", EngineError::new("00000", error.message + ", skipping"));
                continue;
            }
            return Err(error);
        }
        match kind {
            Kind::Index => drop_index(session, &schema, &name).await?,
            Kind::Table => {
                let found = session.lock_owned(&schema, &name, LockMode::AccessExclusive, ownership::of_table).await?;
                let table = found.ok_or_else(|| kind.missing(session, &schema, &name))?;
                objects.push(Object::Table(table.def.oid));
            }
            Kind::Sequence => {
                let found =
                    sequence::lock_owned(session, &namespace::range_var(&[schema.clone(), name.clone()])).await?;
                let def = found.ok_or_else(|| kind.missing(session, &schema, &name))?;
                if let Some(table) = sequence::identity_of(session, &def)? {
                    let column = def.owned_by.as_ref().map_or("", |(_, column)| column);
                    let whole = format!("column {column} of table {table}");
                    let message = format!("cannot drop sequence {name} because {whole} requires it");
                    return Err(EngineError::new("2BP01", message).hint(format!("You can drop {whole} instead.")));
                }
                objects.push(Object::Sequence(def.oid));
            }
        }
    }
    dependency::drop_all(session, &objects, drop.behavior).await?;
    Ok(done(kind.command()))
}

pub fn string(node: &Node) -> Option<String> {
    match node {
        Node::String(text) => Some(text.to_string()),
        _ => None,
    }
}

async fn drop_index(session: &mut Session, schema: &str, name: &str) -> Result<()> {
    let find = |session: &Session| {
        let catalog = session.shared.catalog();
        let database = catalog.database_by_oid(session.shared.database.0)?;
        database.index(schema, name).map(|(table, index)| (table.name.clone(), index.clone()))
    };
    let of_index =
        |shared: &Shared, table: &Table| ownership::require_owner(shared, Owned::Index, name, &table.def.owner);
    let missing = || EngineError::new("42704", format!("index \"{name}\" does not exist"));
    let (table, _) = find(session).ok_or_else(missing)?;
    let table = session.lock_owned(schema, &table, LockMode::AccessExclusive, of_index).await?.ok_or_else(missing)?;
    let (_, index) = find(session).ok_or_else(missing)?;
    if index.constraint {
        let whole = format!("constraint {name} on table {}", table.def.name);
        let message = format!("cannot drop index {name} because {whole} requires it");
        return Err(EngineError::new("2BP01", message).hint(format!("You can drop {whole} instead.")));
    }
    index::remove(session, &table.def, &index);
    Ok(())
}
