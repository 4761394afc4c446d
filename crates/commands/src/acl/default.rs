//! ALTER DEFAULT PRIVILEGES: what may be done with objects that a role makes, from when it makes them (`SetDefaultACL`,
//! `get_user_default_acl`).

use catalog::acl::{Behavior, Change};
use catalog::catalogs::{PgDefaultAcl, PgDepend};
use catalog::{CatalogKey, Keyed};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::errors::reported;
use session::{Reply, Session, def_elem, done};
use syntax::nodes::{AlterDefaultPrivilegesStmt, DefElem, Node, ObjectType};
use types::acl::{AclItem, AclMode, all_privileges, default_acl};
use types::names::{PG_CLASS, PG_DEFAULT_ACL, PG_NAMESPACE, PG_TYPE, Securable};
use types::{Oid, oid};

use super::grant::{self, Grant, invalid, merge};
use super::{change_members, held, lock_rights, put};
use crate::object::{deletion, object_address};
use crate::role::user;

/// Whose objects, of which kind, in which schema.
#[derive(Clone, Copy)]
pub(super) struct Of {
    pub role: Oid,
    /// 0: in any.
    pub namespace: Oid,
    pub kind: u8,
}

pub async fn alter(session: &mut Session, alter: &AlterDefaultPrivilegesStmt) -> Result<Reply> {
    const TAG: &str = "ALTER DEFAULT PRIVILEGES";
    session.require_writable(TAG)?;
    let Some(action) = &alter.action else {
        return Err(EngineError::unsupported("this form of ALTER DEFAULT PRIVILEGES"));
    };
    let (kind, on) = kind_of(action.objtype)?;
    let has_columns = |node: &Node| matches!(node, Node::AccessPriv(privilege) if !privilege.cols.is_empty());
    if action.privileges.iter().any(has_columns) {
        return Err(invalid("default privileges cannot be set for columns"));
    }
    let mut given = grant::read(session, action, (all_privileges(securable_of(kind)), on)).await?;
    if given.all {
        given.privileges = all_privileges(securable_of(kind));
    }
    let roles = roles(session, &alter.options).await?;
    let schemas = schemas(session, &alter.options)?;
    if !schemas.is_empty() && kind == b'n' {
        return Err(invalid("cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS"));
    }
    for role in roles {
        let any = [oid::INVALID];
        for &namespace in if schemas.is_empty() { &any[..] } else { &schemas[..] } {
            set(session, &given, Of { role, namespace, kind }).await?;
        }
    }
    Ok(done(TAG))
}

/// The letter of a kind in the catalog, and how messages call it.
fn kind_of(kind: ObjectType) -> Result<(u8, &'static str)> {
    Ok(match kind {
        ObjectType::OBJECT_TABLE => (b'r', "relation"),
        ObjectType::OBJECT_SEQUENCE => (b'S', "sequence"),
        ObjectType::OBJECT_FUNCTION | ObjectType::OBJECT_PROCEDURE | ObjectType::OBJECT_ROUTINE => (b'f', "function"),
        ObjectType::OBJECT_TYPE => (b'T', "type"),
        ObjectType::OBJECT_SCHEMA => (b'n', "schema"),
        _ => return Err(EngineError::unsupported("rights on large objects")),
    })
}

fn securable_of(kind: u8) -> Securable {
    match kind {
        b'r' => Securable::Table,
        b'S' => Securable::Sequence,
        b'f' => Securable::Function,
        b'T' => Securable::Type,
        _ => Securable::Schema,
    }
}

fn option<'a>(options: &'a [Node], name: &str) -> Option<&'a DefElem> {
    options.iter().find_map(|node| match node {
        Node::DefElem(option) if def_elem::name(option) == name => Some(&**option),
        _ => None,
    })
}

/// FOR ROLE, or the session's own.
async fn roles(session: &mut Session, options: &[Node]) -> Result<Vec<Oid>> {
    let list = option(options, "roles").and_then(|option| option.arg.as_ref());
    let Some(Node::List(list)) = list else { return Ok(vec![user::current(&session.shared)?.oid]) };
    let mut found = Vec::with_capacity(list.len());
    for node in list {
        let Node::RoleSpec(role) = node else { continue };
        let role = held(session, role).await?;
        if !session.shared.with_roles(|roles, own| roles.has_privileges_of(own, role))? {
            let message = "permission denied to change default privileges";
            return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message));
        }
        found.push(role);
    }
    Ok(found)
}

/// IN SCHEMA.
fn schemas(session: &mut Session, options: &[Node]) -> Result<Vec<Oid>> {
    let list = option(options, "schemas").and_then(|option| option.arg.as_ref());
    let Some(Node::List(list)) = list else { return Ok(Vec::new()) };
    let environment = session.environment();
    let find = |name: String| environment.catalog().find_namespace(&name).map_err(|error| reported(error, ""));
    list.iter().filter_map(object_address::string).map(find).collect()
}

fn sorted(mut list: Vec<AclItem>) -> Vec<AclItem> {
    list.sort_by_key(|item| (item.grantee, item.grantor, item.privs));
    list
}

/// Changes the rights for one role, schema and kind. What is as it is without a row has none.
pub(super) async fn set(session: &mut Session, given: &Grant, of: Of) -> Result<()> {
    lock_rights(session, ObjectAddress { class: PG_DEFAULT_ACL, oid: of.role, column: 0 }).await?;
    let environment = session.environment();
    let catalog = environment.catalog();
    let known = catalog.default_acls_of((of.role, of.namespace, of.kind)).next();
    let default = match of.namespace {
        oid::INVALID => default_acl(securable_of(of.kind), of.role),
        // Those of a schema are added to the others.
        _ => Vec::new(),
    };
    let before = known.map_or_else(|| default.clone(), |row| row.defaclacl.to_vec());
    let after = merge(environment.roles(), &before, given, given.privileges, (of.role, of.role))?;
    let after = sorted(after);
    let database = session.shared.database.0;
    if after == sorted(default) {
        if let Some(row) = known {
            forget(session, row);
        }
        return Ok(());
    }
    let row = PgDefaultAcl {
        oid: known.map_or_else(|| session.db().new_oid(), |row| row.oid),
        defaclrole: of.role,
        defaclnamespace: of.namespace,
        defaclobjtype: of.kind,
        defaclacl: after.clone().into(),
    };
    let object = ObjectAddress { class: PG_DEFAULT_ACL, oid: row.oid, column: 0 };
    session.transaction().put(database, row);
    if known.is_none() {
        session.change_owner((PG_DEFAULT_ACL, object.oid), (None, of.role));
        if of.namespace != oid::INVALID {
            let schema = ObjectAddress { class: PG_NAMESPACE, oid: of.namespace, column: 0 };
            session.transaction().put(database, PgDepend::new(object, schema, b'a'));
        }
    }
    let members = |list: &[AclItem]| catalog::acl::members(list);
    let before = known.map(|row| members(&row.defaclacl)).unwrap_or_default();
    change_members(session, object, of.role, &before, &members(&after));
    Ok(())
}

/// Takes a row away, with what is said of it.
pub(super) fn forget(session: &mut Session, row: &PgDefaultAcl) {
    let database = session.shared.database.0;
    session.transaction().delete(database, CatalogKey::PgDefaultAcl(row.key()));
    deletion::forget(session, ObjectAddress { class: PG_DEFAULT_ACL, oid: row.oid, column: 0 });
}

/// Gives a new object the rights that its owner's default privileges say.
pub fn rights_of_new(session: &mut Session, object: ObjectAddress) {
    let environment = session.environment();
    let catalog = environment.catalog();
    let kind = match object.class {
        PG_CLASS => match catalog.relation(object.oid).map(|row| row.relkind) {
            Some(b'S') => b'S',
            Some(b'i') | None => return,
            Some(_) => b'r',
        },
        PG_NAMESPACE => b'n',
        PG_TYPE => b'T',
        _ => return,
    };
    let Some(found) = catalog.object(object) else { return };
    let Some(owner) = found.owner else { return };
    let row = |namespace| catalog.default_acls_of((owner, namespace, kind)).next();
    let in_schema = found.namespace.and_then(row);
    let anywhere = row(oid::INVALID);
    if in_schema.is_none() && anywhere.is_none() {
        return;
    }
    let default = default_acl(securable_of(kind), owner);
    let mut list = anywhere.map_or_else(|| default.clone(), |row| row.defaclacl.to_vec());
    for item in in_schema.iter().flat_map(|row| row.defaclacl.iter()) {
        let merged = environment.roles().update(&list, *item, Change::Grant, owner, Behavior::Restrict);
        list = merged.unwrap_or(list);
    }
    let list = sorted(list);
    if list != sorted(default) {
        put(session, object, owner, None, &list);
    }
}

/// All privileges of the objects that a row is about.
pub(super) fn all_of(kind: u8) -> AclMode {
    all_privileges(securable_of(kind))
}
