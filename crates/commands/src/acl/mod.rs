//! GRANT and REVOKE, of privileges and of roles: PostgreSQL's `aclchk.c` and the memberships of `user.c`. What they make of a list of
//! rights is [`catalog::acl`]'s.
//!
//! * `grant`: privileges on objects. `target`: which objects. `member`: roles.
//!
//! # Invariants
//! * Whose rights a list says, `pg_shdepend` says too (`put`): such a role is not dropped.
//! * The list of an object is changed by one session at a time (`lock_rights`).

mod default;
mod grant;
mod member;
mod owned;
mod target;

pub use default::alter as alter_default_privileges;
pub use default::rights_of_new;
pub use grant::run as grant;
pub use member::{Options, add, check_authorization, memberships_gone, remove, run as grant_role, self_grant};
pub use owned::{drop as drop_owned, reassign as reassign_owned};

use std::hash::{DefaultHasher, Hash, Hasher};

use catalog::acl::members;
use catalog::catalogs::{PgAttribute, PgShdepend};
use catalog::object::ObjectChange;
use catalog::{CatalogKey, FIRST_NORMAL_OBJECT_ID, Keyed};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::Session;
use syntax::nodes::{Node, RoleSpec, RoleSpecType};
use txn::{LockMode, LockTag};
use types::acl::AclItem;
use types::names::{PG_AUTH_MEMBERS, PG_AUTHID, PG_CLASS, PG_DATABASE, PG_PARAMETER_ACL, PG_TABLESPACE};
use types::{Oid, oid};

use crate::object::alter;
use crate::role::user;

/// Waits until no other session changes the rights on an object (of a column: on its relation), and keeps others from it.
async fn lock_rights(session: &mut Session, object: ObjectAddress) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    ("rights", object.class, object.oid).hash(&mut hasher);
    let database = database_of(session, object.class);
    session.lock(LockTag::Name { database, hash: hasher.finish() }, LockMode::AccessExclusive).await?;
    session.show_changes();
    Ok(())
}

/// The database that `pg_shdepend` says objects of a catalog are in; 0: all share them.
fn database_of(session: &Session, class: Oid) -> Oid {
    match class {
        PG_DATABASE | PG_TABLESPACE | PG_PARAMETER_ACL | PG_AUTH_MEMBERS | PG_AUTHID => oid::INVALID,
        _ => session.shared.database.0,
    }
}

/// The roles of a list; PUBLIC is 0. They are not dropped before the transaction ends.
pub async fn grantees(session: &mut Session, roles: &[Node]) -> Result<Vec<Oid>> {
    let mut found = Vec::with_capacity(roles.len());
    for role in roles {
        let Node::RoleSpec(role) = role else { continue };
        found.push(match role.roletype {
            RoleSpecType::ROLESPEC_PUBLIC => oid::INVALID,
            _ => held(session, role).await?,
        });
    }
    Ok(found)
}

/// A role that is not dropped before the transaction ends.
async fn held(session: &mut Session, role: &RoleSpec) -> Result<Oid> {
    let name = user::named(session, role)?;
    user::hold(session, &name).await?;
    user::oid_of(session, &name)
}

/// Puts the rights of an object, and in `pg_shdepend` whose they are. `before`: the list that the object had, if it had one.
fn put(session: &mut Session, object: ObjectAddress, owner: Oid, before: Option<&[AclItem]>, after: &[AclItem]) {
    put_list(session, object, Some(after));
    let before = before.map(members).unwrap_or_default();
    change_members(session, object, owner, &before, &members(after));
}

fn put_list(session: &mut Session, object: ObjectAddress, list: Option<&[AclItem]>) {
    if object.class != PG_CLASS || object.column == 0 {
        return alter::change(session, object, ObjectChange::Acl(list));
    }
    let environment = session.environment();
    let mut columns = environment.catalog().attributes(object.oid);
    if let Some(row) = columns.find(|row| i32::from(row.attnum) == object.column) {
        // The rights of a column are none by default.
        let attacl = list.filter(|list| !list.is_empty()).map(Box::from);
        let database = session.shared.database.0;
        session.transaction().put(database, PgAttribute { attacl, ..row.clone() });
        session.show_changes();
    }
}

/// Records whose rights there are on an object (`updateAclDependencies`); both lists are sorted. The owner is recorded as such, and built-in
/// roles stay.
fn change_members(session: &mut Session, object: ObjectAddress, owner: Oid, before: &[Oid], after: &[Oid]) {
    let dbid = database_of(session, object.class);
    let row = |role: Oid| PgShdepend::on_role(dbid, object, role, b'a');
    let counts = |role: &&Oid| **role != owner && **role >= FIRST_NORMAL_OBJECT_ID;
    for &role in before.iter().filter(counts).filter(|role| after.binary_search(role).is_err()) {
        session.transaction().delete(dbid, CatalogKey::PgShdepend(row(role).key()));
    }
    for &role in after.iter().filter(counts).filter(|role| before.binary_search(role).is_err()) {
        session.transaction().put(dbid, row(role));
    }
    session.show_changes();
}

/// The rights of an object that gets another owner (`changeDependencyOnOwner` and `aclnewowner`).
pub fn change_owner(session: &mut Session, object: ObjectAddress, old: Oid, new: Oid) {
    let environment = session.environment();
    let catalog = environment.catalog();
    let columns: Vec<(i32, Vec<AclItem>)> = match object.class {
        PG_CLASS => catalog
            .attributes(object.oid)
            .filter_map(|row| Some((row.attnum.into(), row.attacl.as_ref()?.to_vec())))
            .collect(),
        _ => Vec::new(),
    };
    let own = catalog.object(object).and_then(|found| found.acl).map(|acl| (0, acl.to_vec()));
    for (column, list) in own.into_iter().chain(columns) {
        let object = ObjectAddress { column, ..object };
        let changed = catalog::acl::new_owner(&list, old, new);
        put_list(session, object, Some(&changed));
        // The new owner is recorded as such, and the old one has no rights any more.
        let before: Vec<Oid> = members(&list).into_iter().filter(|role| *role != old).collect();
        change_members(session, object, new, &before, &members(&changed));
        change_members(session, object, oid::INVALID, &[new], &[]);
    }
}

/// Rights are granted as the session's role alone.
fn require_own_grantor(session: &Session, grantor: Option<&RoleSpec>) -> Result<()> {
    let Some(grantor) = grantor else { return Ok(()) };
    let name = user::named(session, grantor)?;
    if user::oid_of(session, &name)? == user::current(&session.shared)?.oid {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "grantor must be current user"))
}
