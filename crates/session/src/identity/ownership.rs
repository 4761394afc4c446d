//! Whose an object is: only the owner, roles with its privileges, and superusers change or drop it.

use std::sync::Arc;

use catalog::Catalog;
pub use catalog::object::ObjectKind;
use catalog::object::address::ObjectName;
use engine::{EngineError, ObjectAddress, Result, Table};
use error::sqlstate;
use txn::LockMode;
use types::acl::mode;
use types::names::{PG_AUTHID, PG_CLASS, PG_TYPE};
use types::{Oid, oid};

use crate::identity;
use crate::session::{Session, Shared};

/// Does the session act as the owner, as a role with the owner's privileges, or as a superuser?
pub fn owns(shared: &Shared, owner: Oid) -> Result<bool> {
    shared.with_roles(|roles, role| roles.has_privileges_of(role, owner))
}

/// Fails for all but the owner of an object and superusers (`check_object_ownership`). `name`: as the command has it.
pub fn require_owner_of(
    session: &mut Session,
    kind: ObjectKind,
    name: &ObjectName,
    object: ObjectAddress,
) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    if object.class == PG_AUTHID {
        return identity::require_administered(&session.shared, object.oid);
    }
    let whole = catalog.containing_relation(object).filter(|_| object.class != PG_TYPE);
    let owned = whole.map_or(object, |oid| ObjectAddress { class: PG_CLASS, oid, column: 0 });
    // What belongs to no role is the superusers'.
    let owner = catalog.object(owned).and_then(|object| object.owner).unwrap_or(oid::INVALID);
    if owns(&session.shared, owner)? {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, not_owner(catalog, kind, name, object)))
}

/// The same for DROP, which the owner of the schema may do as well.
pub fn require_owner_or_schema_owner(
    session: &mut Session,
    kind: ObjectKind,
    name: &ObjectName,
    object: ObjectAddress,
) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let namespace = catalog.object(object).and_then(|object| object.namespace);
    let owner = namespace.and_then(|namespace| catalog.namespace(namespace)).map(|schema| schema.nspowner);
    match owner.map(|owner| owns(&session.shared, owner)).transpose()? {
        Some(true) => Ok(()),
        _ => require_owner_of(session, kind, name, object),
    }
}

/// What a role is told that does not own an object.
fn not_owner(catalog: Catalog<'_>, kind: ObjectKind, name: &ObjectName, object: ObjectAddress) -> String {
    let ty = |place: usize| name.types.get(place).map_or_else(String::new, |ty| catalog.format_type(ty.oid));
    let shown = match kind {
        ObjectKind::AccessMethod | ObjectKind::TextSearchParser | ObjectKind::TextSearchTemplate => {
            return "must be superuser".into();
        }
        ObjectKind::Cast => return format!("must be owner of type {} or type {}", ty(0), ty(1)),
        ObjectKind::Type | ObjectKind::Domain | ObjectKind::DomainConstraint => ty(0),
        ObjectKind::Column | ObjectKind::TableConstraint | ObjectKind::Rule | ObjectKind::Policy => {
            let relation = catalog.containing_relation(object).and_then(|oid| catalog.relation(oid));
            relation.map_or_else(String::new, |row| row.relname.to_string())
        }
        _ if object.class == PG_CLASS => name.last().to_string(),
        _ => name.written(),
    };
    format!("must be owner of {} {shown}", kind.owned())
}

/// Fails (42501) for all roles but the owner and superusers.
pub fn require_owner(shared: &Shared, what: ObjectKind, name: &str, owner: Oid) -> Result<()> {
    if owns(shared, owner)? {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("must be owner of {} {name}", what.owned())))
}

impl Session {
    /// Locks a table for its owner. A role that does not own it does not wait for the lock, behind which all others would wait.
    pub async fn lock_owned(
        &mut self,
        schema: &str,
        name: &str,
        mode: LockMode,
        refusal: impl Fn(&Shared, &Table) -> Result<()>,
    ) -> Result<Option<Arc<Table>>> {
        if let Some(table) = self.shared.find_table(schema, name)? {
            refusal(&self.shared, &table)?;
        }
        let locked = self.lock_table(schema, name, mode).await?;
        if let Some(table) = &locked {
            refusal(&self.shared, table)?;
        }
        Ok(locked)
    }
}

/// For [`Session::lock_owned`]: the table is to be changed.
pub fn of_table(shared: &Shared, table: &Table) -> Result<()> {
    require_owner(shared, ObjectKind::Table, &table.def.name, table.def.owner)
}

/// For [`Session::lock_owned`]: the table is to be emptied.
pub fn to_truncate(shared: &Shared, table: &Table) -> Result<()> {
    shared.require(ObjectAddress { class: PG_CLASS, oid: table.def.oid, column: 0 }, mode::TRUNCATE)
}

/// For [`Session::lock_owned`]: the table is to be clustered, or its indexes made anew.
pub fn to_maintain(shared: &Shared, table: &Table) -> Result<()> {
    shared.require(ObjectAddress { class: PG_CLASS, oid: table.def.oid, column: 0 }, mode::MAINTAIN)
}
