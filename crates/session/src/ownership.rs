//! Whose a table, an index or a sequence is: only the owner and superusers change or drop it (there is no GRANT yet).

use std::sync::Arc;

pub use catalog::object::ObjectKind;
use engine::{EngineError, Result, Table, TableDef};
use error::sqlstate;
use txn::{LockMode, LockTag};
use types::Oid;

use crate::commands::user;
use crate::session::{Session, Shared};

/// Does the session act as the owner, or as a superuser?
pub fn owns(shared: &Shared, owner: Oid) -> Result<bool> {
    let role = user::current(shared)?;
    Ok(role.rolsuper || role.oid == owner)
}

/// Fails (42501) for everybody but the owner and superusers.
pub fn require_owner(shared: &Shared, what: ObjectKind, name: &str, owner: Oid) -> Result<()> {
    if owns(shared, owner)? {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("must be owner of {} {name}", what.owned())))
}

impl Session {
    /// Locks a table for its owner. Who does not own it does not wait for the lock, behind which all others would wait.
    pub(crate) async fn lock_owned(
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

    /// Locks a table that its owner is to drop, or of which an index is to be dropped; `find` says which it is, also after the
    /// wait for the lock. The table is not opened: what its definition says may be understood by nobody any more.
    pub(crate) async fn lock_to_drop(
        &mut self,
        (what, name): (ObjectKind, &str),
        mode: LockMode,
        find: impl Fn(&Session) -> Option<Arc<TableDef>>,
    ) -> Result<Option<Arc<TableDef>>> {
        loop {
            let Some(found) = find(self) else { return Ok(None) };
            require_owner(&self.shared, what, name, found.owner)?;
            self.lock(LockTag::Relation { database: self.shared.database.0, oid: found.oid }, mode).await?;
            self.show_changes();
            if let Some(now) = find(self).filter(|now| now.oid == found.oid) {
                require_owner(&self.shared, what, name, now.owner)?;
                return Ok(Some(now));
            }
        }
    }
}

/// For [`Session::lock_owned`]: the table is to be changed.
pub fn of_table(shared: &Shared, table: &Table) -> Result<()> {
    require_owner(shared, ObjectKind::Table, &table.def.name, table.def.owner)
}

/// For [`Session::lock_owned`]: the table is to be emptied, for which PostgreSQL has a privilege that only the owner gets.
pub fn to_truncate(shared: &Shared, table: &Table) -> Result<()> {
    if owns(shared, table.def.owner)? {
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied for table {}", table.def.name)))
}
