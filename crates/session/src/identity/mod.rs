//! Who a session is: SET ROLE and SET SESSION AUTHORIZATION. Both are kept as the settings `role` and
//! `session_authorization`, so that they are local to a transaction, and rolled back, like other settings.

pub mod ownership;
pub mod permissions;
pub mod role;
pub mod role_rights;
mod roles;

use config::{Settings, Source};
use engine::{EngineError, Result};
use error::sqlstate;

pub use crate::identity::role::{Identities, NO_ROLE};
pub use crate::identity::role_rights::{
    Signal, current, denied, may_administer, may_signal, missing, require_administered, require_superuser,
};
pub use crate::identity::roles::{may_begin_with, may_connect, roles_of};
use crate::session::shared::Shared;

/// May the role that the session acts as do all?
pub fn is_superuser(shared: &Shared, settings: &Settings) -> bool {
    let role = shared.identities.current(settings);
    shared.catalog().role_by_oid(role).is_some_and(|row| row.rolsuper)
}

/// May the session become this role, or this user? The name means that role from now on.
pub fn may_become(shared: &Shared, settings: &Settings, setting: &str, name: &str) -> Result<()> {
    if setting == "role" && name == NO_ROLE {
        return Ok(());
    }
    let catalog = shared.catalog();
    let Some(role) = catalog.role(name).map(|row| row.oid) else {
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("role \"{name}\" does not exist")));
    };
    // A role may be set by the present session authorization, an authorization by the user that has logged in.
    let (asks, what) = match setting {
        "role" => (shared.identities.session(settings), "role"),
        _ => (shared.user, "session authorization"),
    };
    let is_superuser = || catalog.role_by_oid(asks).is_some_and(|row| row.rolsuper);
    let may_set = || setting == "role" && shared.roles(|roles| roles.can_set_role(asks, role));
    if asks == role || is_superuser() || may_set() {
        shared.identities.put(name, role);
        return Ok(());
    }
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied to set {what} \"{name}\"")))
}

/// Lets the other settings follow a change of `role` or `session_authorization`.
pub fn follow(shared: &Shared, settings: &mut Settings, changed: &str) -> Result<()> {
    if changed == "session_authorization" && settings.get("role") != NO_ROLE {
        settings.set("role", NO_ROLE, Source::Session)?;
    }
    let superuser = is_superuser(shared, settings);
    settings.set("is_superuser", if superuser { "on" } else { "off" }, Source::Session)
}
