//! What the role that the session acts as may do, asked of the catalogs as they are for the session now. Statements ask what they
//! were understood with ([`crate::identity::permissions`]).

use catalog::Catalog;
use catalog::acl::{Memberships, Recursion, Roles};
use catalog::object::ObjectAddress;
use engine::{DatabaseDef, EngineError, Result};
use error::sqlstate;
use types::acl::{AclMode, mode};
use types::names::{PG_CLASS, PG_DATABASE};
use types::{Oid, oid};

use crate::errors::reported;
use crate::identity::role_rights::dropped;
use crate::session::shared::Shared;

/// May a role begin a session in a database?
pub fn may_connect(database: &DatabaseDef, role: Oid) -> bool {
    let object = ObjectAddress { class: PG_DATABASE, oid: database.oid, column: 0 };
    in_database(database, |roles| roles.may(role, object, mode::CONNECT))
}

/// May a role begin a session in a database with another value of a parameter that superusers set?
pub fn may_begin_with(database: &DatabaseDef, role: Oid, parameter: &str) -> bool {
    in_database(database, |roles| roles.may_with_parameter(role, parameter, mode::SET))
}

fn in_database<T>(database: &DatabaseDef, ask: impl FnOnce(Roles<'_>) -> T) -> T {
    ask(Roles { catalog: database.catalog(), database: database.oid, known: &Memberships::default() })
}

/// The roles that a user is a member of, by their names; a superuser is none for being one.
pub fn roles_of(catalog: &engine::Catalog, user: &str) -> Vec<String> {
    let known = Memberships::default();
    let roles = Roles { catalog: catalog.shared(), database: oid::INVALID, known: &known };
    let Some(user) = catalog.role(user).map(|row| row.oid) else { return Vec::new() };
    roles.member_of(user, Recursion::Members).iter().map(|role| catalog.role_name(*role).to_string()).collect()
}

impl Shared {
    /// Asks about roles and rights; the second of what is given is the session's role.
    pub fn with_roles<T>(&self, ask: impl FnOnce(Roles<'_>, Oid) -> T) -> Result<T> {
        let role = self.role();
        self.roles(|roles| match roles.catalog.role(role) {
            Some(role) => Ok(ask(roles, role.oid)),
            None => Err(dropped(role)),
        })
    }

    /// The same without asking who the session is.
    pub fn roles<T>(&self, ask: impl FnOnce(Roles<'_>) -> T) -> T {
        let catalog = self.catalog();
        let (known, database) = (Memberships::default(), self.database.0);
        let found = catalog.database_by_oid(database);
        let own = found.and_then(|found| found.namespace(&self.backend.temporary_schema())).map(|row| row.oid);
        let catalog = found.map_or(Catalog::BUILT_IN, |found| found.catalog());
        ask(Roles { catalog: Catalog { search_path: own.as_slice(), ..catalog }, database, known: &known })
    }

    /// May the session do any of this with an object?
    pub fn may(&self, object: ObjectAddress, mode: AclMode) -> Result<bool> {
        self.with_roles(|roles, role| roles.may(role, object, mode))
    }

    /// Fails with 42501 where the session may do none of this with an object.
    pub fn require(&self, object: ObjectAddress, mode: AclMode) -> Result<()> {
        self.with_roles(|roles, role| roles.require(role, object, mode))?.map_err(|error| reported(error, ""))
    }

    /// The same of the session's database.
    pub fn require_of_database(&self, mode: AclMode) -> Result<()> {
        self.require(ObjectAddress { class: PG_DATABASE, oid: self.database.0, column: 0 }, mode)
    }

    /// May the session vacuum, analyze or cluster a table? The owner of the database may, too.
    pub fn may_maintain(&self, table: Oid) -> Result<bool> {
        let object = ObjectAddress { class: PG_CLASS, oid: table, column: 0 };
        self.with_roles(|roles, role| {
            let owner = roles.catalog.database(self.database.0).map_or(oid::INVALID, |row| row.datdba);
            roles.has_privileges_of(role, owner) || roles.may(role, object, mode::MAINTAIN)
        })
    }

    /// Fails where the session could not become a role (`check_can_set_role`).
    pub fn require_set_role(&self, role: Oid) -> Result<()> {
        self.with_roles(|roles, own| match roles.can_set_role(own, role) {
            true => Ok(()),
            false => {
                let name = roles.catalog.role(role).map_or_else(String::new, |row| row.rolname.to_string());
                let message = format!("must be able to SET ROLE \"{name}\"");
                Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
            }
        })?
    }
}
