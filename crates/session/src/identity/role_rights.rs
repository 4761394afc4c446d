//! What the role that a session acts as may do by its attributes, and to other roles. Commands ask, and functions that signal
//! other sessions.

use catalog::acl::role::PG_SIGNAL_BACKEND;
use catalog::catalogs::PgAuthid;
use engine::{Backend, EngineError, Result};
use error::sqlstate;
use types::Oid;

use crate::session::shared::Shared;

/// Who the session acts as.
pub fn current(shared: &Shared) -> Result<PgAuthid> {
    let role = shared.role();
    shared.catalog().role_by_oid(role).cloned().ok_or_else(|| dropped(role))
}

/// The session's role is no more.
pub fn dropped(role: Oid) -> EngineError {
    EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("role {role} was concurrently dropped"))
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
    own.rolsuper || (own.rolcreaterole && shared.roles(|roles| roles.is_admin(own.oid, role.oid)))
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
    let target = shared.catalog().role(target).cloned();
    let superuser = target.as_ref().is_none_or(|role| role.rolsuper);
    let of_target = |role: &PgAuthid| {
        shared.roles(|roles| {
            let signals = roles.has_privileges_of(own.oid, PG_SIGNAL_BACKEND);
            roles.has_privileges_of(own.oid, role.oid) || (signals && !superuser)
        })
    };
    if own.rolsuper || target.as_ref().is_some_and(of_target) {
        return Ok(());
    }
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
