//! REASSIGN OWNED and DROP OWNED: what roles own and may do in the database (`shdepReassignOwned`, `shdepDropOwned`).

use catalog::FIRST_NORMAL_OBJECT_ID;
use catalog::catalogs::PgShdepend;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::{Reply, Session, done};
use syntax::nodes::{DropOwnedStmt, Node, ReassignOwnedStmt};
use types::Oid;
use types::names::{PG_AUTH_MEMBERS, PG_AUTHID, PG_CLASS, PG_DATABASE, PG_DEFAULT_ACL, PG_NAMESPACE, PG_TABLESPACE};

use super::default::{self, Of};
use super::grant::{self, Grant};
use super::{grantees, held, lock_rights, member};
use crate::object::{alter, deletion, owner};
use crate::{policy, schema, r#type};

pub async fn reassign(session: &mut Session, reassign: &ReassignOwnedStmt) -> Result<Reply> {
    const TAG: &str = "REASSIGN OWNED";
    session.require_writable(TAG)?;
    let roles = of_session(session, &reassign.roles, "reassign", "owned by it").await?;
    let Some(new) = &reassign.newrole else { return Err(EngineError::unsupported("this form of REASSIGN OWNED")) };
    let new = held(session, new).await?;
    require_privileges(session, new, "reassign", "to it")?;
    for role in roles {
        refuse_built_in(session, role, "reassign ownership of")?;
        for row in rows_of(session, role).into_iter().filter(|row| row.deptype == b'o') {
            let object = ObjectAddress { class: row.classid, oid: row.objid, column: 0 };
            match object.class {
                PG_CLASS => owner::give(session, object.oid, new).await?,
                // Default privileges stay those of the role.
                PG_DEFAULT_ACL => {}
                _ => {
                    may_reassign(session, object, new)?;
                    alter::change_owner(session, object, new);
                    r#type::give_parts(session, object, new);
                    super::change_owner(session, object, role, new);
                }
            }
        }
    }
    Ok(done(TAG))
}

/// What ALTER … OWNER TO asks of the session's role besides (`AlterSchemaOwner_oid`, `AlterObjectOwner_internal`); relations are given
/// without a question.
fn may_reassign(session: &Session, object: ObjectAddress, new: Oid) -> Result<()> {
    session.shared.require_set_role(new)?;
    if object.class == PG_NAMESPACE { schema::may_create(session) } else { Ok(()) }
}

pub async fn drop(session: &mut Session, drop: &DropOwnedStmt) -> Result<Reply> {
    const TAG: &str = "DROP OWNED";
    session.require_writable(TAG)?;
    let roles = of_session(session, &drop.roles, "drop", "owned by it").await?;
    let mut owned = Vec::new();
    for role in roles {
        refuse_built_in(session, role, "drop")?;
        for row in rows_of(session, role) {
            let object = ObjectAddress { class: row.classid, oid: row.objid, column: row.objsubid };
            match (row.deptype, object.class) {
                (b'a' | b'o', PG_AUTH_MEMBERS) => remove_membership(session, object.oid),
                (b'a', _) => revoke_all(session, object, role).await?,
                (b'r', _) => {
                    let is_left = policy::remove_role(session, object.oid, role).await?;
                    owned.extend((!is_left).then_some(object));
                }
                (b'o', PG_DEFAULT_ACL) => remove_default(session, object.oid),
                // What all databases share stays.
                (b'o', PG_DATABASE | PG_TABLESPACE) => {}
                (b'o', _) => owned.push(object),
                _ => {}
            }
        }
    }
    deletion::drop_all(session, &owned, drop.behavior).await?;
    Ok(done(TAG))
}

/// The roles of a list, whose privileges the session has.
async fn of_session(session: &mut Session, roles: &[Node], verb: &str, which: &str) -> Result<Vec<Oid>> {
    let roles = grantees(session, roles).await?;
    roles.iter().try_for_each(|&role| require_privileges(session, role, verb, which))?;
    Ok(roles)
}

fn require_privileges(session: &Session, role: Oid, verb: &str, which: &str) -> Result<()> {
    if session.shared.with_roles(|roles, own| roles.has_privileges_of(own, role))? {
        return Ok(());
    }
    let catalog = session.shared.catalog();
    let detail =
        format!("Only roles with privileges of role \"{}\" may {verb} objects {which}.", catalog.role_name(role));
    let message = format!("permission denied to {verb} objects");
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message).detail(detail))
}

fn refuse_built_in(session: &Session, role: Oid, verb: &str) -> Result<()> {
    if role >= FIRST_NORMAL_OBJECT_ID {
        return Ok(());
    }
    let catalog = session.shared.catalog();
    let name = catalog.role_name(role);
    let what = if verb == "drop" { "drop objects" } else { "reassign ownership of objects" };
    let message = format!("cannot {what} owned by role {name} because they are required by the database system");
    Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message))
}

/// What depends on a role, here or in what all databases share.
fn rows_of(session: &mut Session, role: Oid) -> Vec<PgShdepend> {
    let environment = session.environment();
    let own = session.shared.database.0;
    let rows = environment.catalog().shared_dependents((PG_AUTHID, role));
    let mut rows: Vec<PgShdepend> = rows.filter(|row| row.dbid == 0 || row.dbid == own).cloned().collect();
    rows.sort_by_key(|row| (row.classid, row.objid, row.objsubid));
    rows
}

/// A role has no rights on an object any more (`RemoveRoleFromObjectACL`).
async fn revoke_all(session: &mut Session, object: ObjectAddress, role: Oid) -> Result<()> {
    let mut given = Grant::revoke_all(role);
    if object.class == PG_DEFAULT_ACL {
        let environment = session.environment();
        let Some(row) = environment.catalog().default_acl(object.oid) else { return Ok(()) };
        let of = Of { role: row.defaclrole, namespace: row.defaclnamespace, kind: row.defaclobjtype };
        given.privileges = default::all_of(of.kind);
        return default::set(session, &given, of).await;
    }
    let whole = ObjectAddress { column: 0, ..object };
    lock_rights(session, whole).await?;
    grant::on(session, &given, whole)
}

fn remove_default(session: &mut Session, oid: Oid) {
    let environment = session.environment();
    if let Some(row) = environment.catalog().default_acl(oid) {
        default::forget(session, row);
    }
}

fn remove_membership(session: &mut Session, oid: Oid) {
    let environment = session.environment();
    environment.catalog().auth_members_of_oid(oid).for_each(|row| member::delete(session, row));
}
