//! Who a session is: SET ROLE and SET SESSION AUTHORIZATION. Both are kept as the settings `role` and
//! `session_authorization`, so that they are local to a transaction, and rolled back, like other settings.

pub mod ownership;
pub mod permissions;
pub mod role;

use catalog::catalogs::PgAuthid;
use config::{Settings, Source};
use engine::{Backend, EngineError, Result};
use error::sqlstate;
use types::Oid;

pub use crate::identity::role::{NO_ROLE, current_user};
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

/// Who the session acts as.
pub fn current(shared: &Shared) -> Result<PgAuthid> {
    let name = current_user(&shared.settings.read()).to_string();
    shared.catalog().role(&name).cloned().ok_or_else(|| missing(&name))
}

pub fn missing(name: &str) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("role \"{name}\" does not exist"))
}

pub fn denied(what: &str, detail: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied to {what}")).detail(detail)
}

/// Fails for who is no superuser. `what` is what is not allowed: `permission denied to …`.
pub fn require_superuser(shared: &Shared, what: &str) -> Result<()> {
    if current(shared)?.rolsuper {
        Ok(())
    } else {
        Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied {what}")))
    }
}

pub fn may_administer(shared: &Shared, own: &PgAuthid, role: &PgAuthid) -> bool {
    let catalog = shared.catalog();
    let mut members = catalog.shared().members_of(role.oid);
    own.rolsuper || (own.rolcreaterole && members.any(|row| row.member == own.oid && row.admin_option))
}

/// Fails for who may not change a role as its owner changes other objects (`check_object_ownership`).
pub fn require_administered(shared: &Shared, role: Oid) -> Result<()> {
    let catalog = shared.catalog();
    let (Some(role), own) = (catalog.role_by_oid(role), current(shared)?) else { return Ok(()) };
    let detail = match () {
        () if own.rolsuper => return Ok(()),
        () if role.rolsuper => "The current user must have the SUPERUSER attribute.".to_string(),
        () if !own.rolcreaterole => "The current user must have the CREATEROLE attribute.".to_string(),
        () if !may_administer(shared, &own, role) => {
            format!("The current user must have the ADMIN option on role \"{}\".", role.rolname)
        }
        () => return Ok(()),
    };
    Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, "permission denied").detail(detail))
}

/// What one session may do to another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    Cancel,
    Terminate,
}

/// May the session do this to `backend`?
pub fn may_signal(shared: &Shared, backend: &Backend, signal: Signal) -> Result<()> {
    let own = current(shared)?;
    let target = backend.user.as_deref().unwrap_or_default();
    if own.rolsuper || own.rolname == target {
        return Ok(());
    }
    let superuser = shared.catalog().role(target).is_none_or(|role| role.rolsuper);
    let (what, verb, done) = match signal {
        Signal::Cancel => ("cancel query", "cancel queries of", "canceled"),
        Signal::Terminate => ("terminate process", "terminate processes of", "terminated"),
    };
    let detail = if superuser {
        format!("Only roles with the SUPERUSER attribute may {verb} roles with the SUPERUSER attribute.")
    } else {
        let (object, last) = what.split_once(' ').expect("two words");
        format!(
            "Only roles with privileges of the role whose {last} is being {done} or with privileges of the \
             \"pg_signal_backend\" role may {object} this {last}."
        )
    };
    Err(denied(what, detail))
}
