//! A session's settings: how they are changed, put back and looked up (PostgreSQL's `guc.c`). [`crate::setting::variable`] has the
//! commands; functions (`set_config`) come here too.

use catalog::acl::role::PG_READ_ALL_SETTINGS;
use config::{Settings, Source, find};
use engine::{EngineError, Result};
use error::sqlstate;
use types::Oid;
use types::acl::AclMode;
use types::acl::mode::SET;
use types::text::truncated_name;

use crate::identity;
use crate::session::shared::Shared;
use crate::setting::tablespace;

/// What a transaction is like that does not say otherwise: a block that begins, or a statement without one.
pub fn follow_defaults(settings: &mut Settings) {
    for (name, default) in [
        ("transaction_isolation", "default_transaction_isolation"),
        ("transaction_read_only", "default_transaction_read_only"),
        ("transaction_deferrable", "default_transaction_deferrable"),
    ] {
        if settings.get(name) != settings.get(default) {
            let value = settings.get(default).to_string();
            settings.set(name, &value, Source::Session).expect("the two take the same values");
        }
    }
}

/// Puts back what SET LOCAL changed: a session value that was not set locally stays.
pub fn end_local(shared: &Shared, before: &Settings) {
    let mut now = shared.settings.write();
    if now.version() == before.version() {
        return;
    }
    now.end_local();
    follow_defaults(&mut now);
    follow_activity(shared, &now);
}

/// How far a transaction is that changes what it is like.
#[derive(Clone, Copy)]
pub struct Stage {
    /// It has looked at something.
    pub looked: bool,
    pub in_subtransaction: bool,
}

/// A transaction that has looked at something keeps its isolation level, and stays read-only; so does a subtransaction
/// (`check_transaction_read_only` and its neighbours).
pub fn check_transaction_setting(settings: &Settings, name: &str, value: &str, stage: Stage) -> Result<()> {
    let of_transaction =
        |name: &str| matches!(name, "transaction_isolation" | "transaction_read_only" | "transaction_deferrable");
    let Some(definition) = find(name).filter(|definition| of_transaction(definition.name)) else { return Ok(()) };
    let value = definition.parse(value)?;
    let Stage { looked, in_subtransaction } = stage;
    let message = match definition.name {
        "transaction_read_only" if value == "on" || settings.get(definition.name) == "off" => return Ok(()),
        "transaction_read_only" if in_subtransaction => {
            "cannot set transaction read-write mode inside a read-only transaction"
        }
        "transaction_read_only" if looked => "transaction read-write mode must be set before any query",
        "transaction_isolation" if value == settings.get(definition.name) => return Ok(()),
        "transaction_isolation" if looked => "SET TRANSACTION ISOLATION LEVEL must be called before any query",
        "transaction_isolation" if in_subtransaction => {
            "SET TRANSACTION ISOLATION LEVEL must not be called in a subtransaction"
        }
        "transaction_deferrable" if in_subtransaction => {
            "SET TRANSACTION [NOT] DEFERRABLE cannot be called within a subtransaction"
        }
        "transaction_deferrable" if looked => "SET TRANSACTION [NOT] DEFERRABLE must be called before any query",
        _ => return Ok(()),
    };
    Err(EngineError::new(sqlstate::ACTIVE_SQL_TRANSACTION, message))
}

/// Checks and sets, or with `None` resets, a setting among `settings`; `local`: for the transaction alone.
pub fn change(shared: &Shared, settings: &mut Settings, name: &str, value: Option<&str>, local: bool) -> Result<()> {
    if local {
        return settings.locally(|settings| change(shared, settings, name, value, false));
    }
    if let Some(definition) = find(name) {
        definition.may_change(may_set(shared, settings, definition.name), false)?;
    }
    if let Some(value) = value {
        tablespace::check_setting(shared, name, value)?;
        tell_cut(shared, name, value);
    }
    let identity = find(name).map(|d| d.name).filter(|name| matches!(*name, "role" | "session_authorization"));
    if let (Some(setting), Some(value)) = (identity, value) {
        identity::may_become(shared, settings, setting, value)?;
    }
    match value {
        Some(value) => settings.set(name, value, Source::Session)?,
        // A made-up parameter is there from now on.
        None if find(name).is_none() && settings.custom(name).is_none() => settings.set(name, "", Source::Session)?,
        None => settings.reset(name, &shared.initial.read()),
    }
    identity.map_or(Ok(()), |setting| identity::follow(shared, settings, setting))
}

/// Tells that a name is too long.
fn tell_cut(shared: &Shared, name: &str, value: &str) {
    let cut = truncated_name(value);
    if cut.len() < value.len() && find(name).is_some_and(|definition| definition.name == "application_name") {
        let message = format!("identifier \"{value}\" will be truncated to \"{cut}\"");
        shared.notice("NOTICE", EngineError::new(sqlstate::NAME_TOO_LONG, message));
    }
}

/// Shows others what they are to see of the settings.
pub fn follow_activity(shared: &Shared, settings: &Settings) {
    let name = settings.get("application_name").to_string();
    shared.backend.update(|s| s.application_name = name);
}

/// May the session set what superusers set? GRANT SET ON PARAMETER lets others, too.
pub fn may_set(shared: &Shared, settings: &Settings, name: &str) -> bool {
    may_with_parameter(shared, settings, name, SET)
}

/// May the session do this with a parameter that superusers set?
pub fn may_with_parameter(shared: &Shared, settings: &Settings, name: &str, mode: AclMode) -> bool {
    let role = shared.identities.current(settings);
    shared.roles(|roles| roles.catalog.role(role).is_some() && roles.may_with_parameter(role, name, mode))
}

/// May the session see settings that are secret?
pub fn may_examine_all(shared: &Shared, settings: &Settings) -> bool {
    let reads = |role: Oid| shared.roles(|roles| roles.has_privileges_of(role, PG_READ_ALL_SETTINGS));
    reads(shared.identities.current(settings))
}

/// A setting's own spelling of its name, and what SHOW prints; `None` if there is none of this name.
pub fn look_up(shared: &Shared, settings: &Settings, name: &str) -> Result<Option<(String, String)>> {
    let Some(definition) = find(name) else {
        return Ok(settings.custom(name).map(|custom| (custom.name.clone(), custom.value.clone())));
    };
    definition.may_examine(may_examine_all(shared, settings))?;
    Ok(Some((definition.name.into(), definition.show(settings.get(definition.name)))))
}
