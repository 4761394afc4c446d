//! ALTER … OWNER TO, for objects of all kinds.

use catalog::object::address::ObjectName;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{AlterOwnerStmt, RoleSpec};
use txn::{LockMode, LockTag};
use types::Oid;

use crate::acl;
use crate::object::alter::{self, Parts};
use crate::object::{namespace, object_address};
use crate::role::user;
use crate::{dbcommands, schema, r#type};

/// ALTER … OWNER TO of what is no relation (`AlterObjectOwner_internal`).
pub async fn run(session: &mut Session, statement: &ParsedStatement, alter: &AlterOwnerStmt) -> Result<Reply> {
    let kind = object_address::kind(alter.object_type)?;
    let tag = format!("ALTER {}", kind.of_command());
    session.require_writable(&tag)?;
    let Some(node) = &alter.object else { return Err(EngineError::unsupported("this form of OWNER TO")) };
    let owner = lock_role(session, alter.newowner.as_deref()).await?;
    let name = object_address::name(session, statement, kind, node)?;
    let find = |session: &mut Session| {
        let object = object_address::find(session, kind, &name)?;
        may_give(session, (kind, &name), object, owner)?;
        Ok::<_, EngineError>(object)
    };
    let object = object_address::lock(session, LockMode::AccessExclusive, find).await?;
    if owner_of(session, object) != Some(owner) {
        alter::refuse_built_in(object)?;
        let before = owner_of(session, object);
        alter::change_owner(session, object, owner);
        r#type::give_parts(session, object, owner);
        before.into_iter().for_each(|before| acl::change_owner(session, object, before, owner));
    }
    Ok(done(&tag))
}

/// The role that something is to belong to; no session drops it until the transaction ends.
async fn lock_role(session: &mut Session, role: Option<&RoleSpec>) -> Result<Oid> {
    let Some(role) = role else { return Err(EngineError::unsupported("this form of OWNER TO")) };
    let name = user::named(session, role)?;
    user::hold(session, &name).await?;
    user::oid_of(session, &name)
}

fn owner_of(session: &mut Session, object: ObjectAddress) -> Option<Oid> {
    session.environment().catalog().object(object)?.owner
}

/// Fails for a role that may not give an object to another. Nothing is asked where nothing changes.
fn may_give(
    session: &mut Session,
    (kind, name): (ObjectKind, &ObjectName),
    object: ObjectAddress,
    owner: Oid,
) -> Result<()> {
    if matches!(kind, ObjectKind::Type | ObjectKind::Domain) {
        alter::refuse_row_type(session.environment().catalog(), object.oid)?;
    }
    if owner_of(session, object) == Some(owner) {
        return Ok(());
    }
    ownership::require_owner_of(session, kind, name, object)?;
    session.shared.require_set_role(owner)?;
    match kind {
        ObjectKind::Schema => schema::may_create(session),
        ObjectKind::Database => dbcommands::may_give(session),
        _ => Ok(()),
    }
}

/// ALTER TABLE … OWNER TO of a relation of any kind that the session has locked and may alter (`ATExecChangeOwner`).
pub async fn of_relation(session: &mut Session, relation: Oid, role: Option<&RoleSpec>) -> Result<()> {
    let owner = lock_role(session, role).await?;
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = catalog.relation(relation).filter(|row| row.relowner != owner) else { return Ok(()) };
    if row.relkind == b'i' {
        let message = format!("cannot change owner of index \"{}\"", row.relname);
        let hint = "Change the ownership of the index's table instead.";
        session.notice("WARNING", EngineError::new(sqlstate::WRONG_OBJECT_TYPE, message).hint(hint));
        return Ok(());
    }
    let linked = alter::owner_of_sequence(catalog, relation).and_then(|table| catalog.relation(table));
    if let Some(table) = linked.filter(|_| row.relkind == b'S') {
        let detail = format!("Sequence \"{}\" is linked to table \"{}\".", row.relname, table.relname);
        let message = format!("cannot change owner of sequence \"{}\"", row.relname);
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message).detail(detail));
    }
    if !user::current(&session.shared)?.rolsuper {
        session.shared.require_set_role(owner)?;
        namespace::may_create_in(session, row.relnamespace, owner)?;
    }
    give(session, relation, owner).await
}

/// Gives a relation, which the session has locked, to another role, with what belongs to it.
pub async fn give(session: &mut Session, relation: Oid, owner: Oid) -> Result<()> {
    let environment = session.environment();
    let parts = Parts::of(environment.catalog(), relation);
    for &oid in &parts.sequences {
        let tag = LockTag::Relation { database: session.shared.database.0, oid };
        session.lock(tag, LockMode::AccessExclusive).await?;
        session.shared.sequences.shut(oid);
        give_relation(session, oid, owner);
    }
    give_relation(session, relation, owner);
    for oid in parts.indexes.into_iter().chain(parts.toast) {
        alter::change(session, alter::of_class(oid), catalog::object::ObjectChange::Owner(owner));
    }
    Ok(())
}

/// A relation with the types of its rows, which belong to whom it belongs to.
fn give_relation(session: &mut Session, relation: Oid, owner: Oid) {
    let environment = session.environment();
    let before = owner_of(session, alter::of_class(relation));
    alter::change_owner(session, alter::of_class(relation), owner);
    before.into_iter().for_each(|before| acl::change_owner(session, alter::of_class(relation), before, owner));
    for ty in Parts::of(environment.catalog(), relation).types {
        alter::change(session, alter::of_type(ty), catalog::object::ObjectChange::Owner(owner));
    }
}
