//! COMMENT ON: PostgreSQL's `comment.c`. A comment is a row of `pg_description`, or of `pg_shdescription`, whatever kind of object
//! it is on. What differs is who may set it, and what is locked.

use catalog::catalogs::{PgDescription, PgShdescription};
use catalog::facts::Name;
use catalog::object::ObjectAddress;
use catalog::object::address::ObjectName;
use catalog::{Catalog, CatalogKey};
use engine::{EngineError, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::CommentStmt;
use txn::LockMode;
use types::names::{PG_AUTHID, PG_CLASS, PG_DATABASE, PG_TABLESPACE};

use crate::object::object_address;

pub async fn run(session: &mut Session, statement: &ParsedStatement, comment_on: &CommentStmt) -> Result<Reply> {
    session.require_writable("COMMENT")?;
    let kind = object_address::kind(comment_on.objtype)?;
    let object = comment_on.object.as_ref().ok_or_else(|| EngineError::unsupported("this form of COMMENT"))?;
    let name = object_address::name(session, statement, kind, object)?;
    if let Some(address) = lock(session, kind, &name).await? {
        set(session, address, comment_on.comment.as_deref());
    }
    Ok(done("COMMENT"))
}

/// Sets the comment on an object; an empty one is none (`CreateComments`, `CreateSharedComments`).
pub fn set(session: &mut Session, object: ObjectAddress, comment: Option<&str>) {
    let database = session.shared.database.0;
    let comment = comment.filter(|text| !text.is_empty()).map(|text| Name::Owned(text.into()));
    let ObjectAddress { class: classoid, oid: objoid, column: objsubid } = object;
    let is_shared = matches!(classoid, PG_AUTHID | PG_DATABASE | PG_TABLESPACE);
    let transaction = session.transaction();
    match comment {
        Some(description) if is_shared => transaction.put(database, PgShdescription { objoid, classoid, description }),
        Some(description) => transaction.put(database, PgDescription { objoid, classoid, objsubid, description }),
        None if is_shared => transaction.delete(database, CatalogKey::PgShdescription((objoid, classoid))),
        None => transaction.delete(database, CatalogKey::PgDescription((objoid, classoid, objsubid))),
    }
    session.show_changes();
}

/// Locks an object that a comment is to be on, for its owner. `None`: there is none, and that is no error.
async fn lock(session: &mut Session, kind: ObjectKind, name: &ObjectName) -> Result<Option<ObjectAddress>> {
    if kind == ObjectKind::Database && session.shared.catalog().database(name.last()).is_none() {
        // A dump may name the database that it was made of.
        let message = format!("database \"{}\" does not exist", name.last());
        session.notice("WARNING", EngineError::new(sqlstate::UNDEFINED_DATABASE, message));
        return Ok(None);
    }
    let find = |session: &mut Session| {
        let address = object_address::find(session, kind, name)?;
        ownership::require_owner_of(session, kind, name, address)?;
        require_commented(session.environment().catalog(), address)?;
        Ok::<_, EngineError>(address)
    };
    object_address::lock(session, LockMode::ShareUpdateExclusive, find).await.map(Some)
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
