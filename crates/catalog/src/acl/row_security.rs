//! Whether row level security counts for a role (`check_enable_rls`).

use error::sqlstate;
use types::{Error, Oid};

use super::Roles;
use crate::catalogs::PgClass;
use crate::syscache::FIRST_NORMAL_OBJECT_ID;

/// What the policies of a table are to a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSecurity {
    /// Nothing: the table has none, or the role passes them by.
    None,
    /// They say what the role may read and write. `for_owner`: it owns the table, which forces them on it.
    Enabled { for_owner: bool },
}

impl Roles<'_> {
    pub fn row_security(self, role: Oid, table: &PgClass) -> RowSecurity {
        if table.oid < FIRST_NORMAL_OBJECT_ID || !table.relrowsecurity || self.bypasses_row_security(role) {
            return RowSecurity::None;
        }
        let is_owner = self.has_privileges_of(role, table.relowner);
        match is_owner && !table.relforcerowsecurity {
            true => RowSecurity::None,
            false => RowSecurity::Enabled { for_owner: is_owner },
        }
    }

    /// Are policies to be put into what a role does with a table? Fails where they are and its session does not want them to
    /// (`row_security`).
    pub fn applies_row_security(self, role: Oid, table: &PgClass, row_security: bool) -> Result<bool, Error> {
        let RowSecurity::Enabled { for_owner } = self.row_security(role, table) else { return Ok(false) };
        if row_security {
            return Ok(true);
        }
        let message = format!("query would be affected by row-level security policy for table \"{}\"", table.relname);
        let error = Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, message);
        let hint = "To disable the policy for the table's owner, use ALTER TABLE NO FORCE ROW LEVEL SECURITY.";
        Err(if for_owner { error.hint(hint) } else { error })
    }

    /// `has_bypassrls_privilege`.
    fn bypasses_row_security(self, role: Oid) -> bool {
        self.catalog.role(role).is_some_and(|row| row.rolsuper || row.rolbypassrls)
    }
}
