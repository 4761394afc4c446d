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
use types::oid;

pub use crate::identity::role::{NO_ROLE, current_user};
pub use crate::identity::role_rights::{
    Signal, current, denied, may_administer, may_signal, missing, require_administered, require_superuser,
};
pub use crate::identity::roles::{may_connect, roles_of};
use crate::session::shared::Shared;

/// May the role that the session acts as do all?
pub fn is_superuser(shared: &Shared, settings: &Settings) -> bool {
    shared.catalog().is_superuser(current_user(settings))
}

/// May the session become this role, or this user?
pub fn may_become(shared: &Shared, settings: &Settings, setting: &str, name: &str) -> Result<()> {
    if setting == "role" && name == NO_ROLE {
        return Ok(());
    }
    let catalog = shared.catalog();
    if catalog.role(name).is_none() {
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("role \"{name}\" does not exist")));
    }
    // A role may be set by the present session authorization, an authorization by the user that has logged in.
    let (asks, what) = match setting {
        "role" => (settings.get("session_authorization"), "role"),
        _ => (shared.user.as_str(), "session authorization"),
    };
    if asks == name || catalog.is_superuser(asks) {
        return Ok(());
    }
    let oid = |name: &str| catalog.role(name).map_or(oid::INVALID, |row| row.oid);
    if setting == "role" && shared.roles(|roles| roles.can_set_role(oid(asks), oid(name))) {
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
