//! ALTER ROLE … SET and ALTER DATABASE … SET: settings that sessions begin with (PostgreSQL's `pg_db_role_setting.c`, and
//! `GUCArrayAdd` and its neighbours of `guc.c`).

use std::hash::{DefaultHasher, Hash, Hasher};

use ::error::sqlstate;
use catalog::CatalogKey;
use catalog::acl::{Memberships, Roles};
use catalog::catalogs::PgDbRoleSetting;
use config::{Settings, Source, find, unknown};
use engine::{Catalog, EngineError, Result};
use session::identity::NO_ROLE;
use session::ownership::{self, ObjectKind};
use session::{Reply, Session, done, guc, variable};
use syntax::nodes::{AlterDatabaseSetStmt, AlterRoleSetStmt, RoleSpec, VariableSetKind, VariableSetStmt};
use txn::{LockMode, LockTag};
use types::oid;

use crate::object::reloptions;
use crate::role::user;

/// ALTER ROLE … [IN DATABASE …] SET and RESET.
pub async fn alter_role(session: &mut Session, alter: &AlterRoleSetStmt) -> Result<Reply> {
    session.require_writable("ALTER ROLE")?;
    let role = match alter.role.as_deref() {
        Some(role) => alterable_role(session, role).await?,
        None => 0,
    };
    let database = match alter.database.as_deref() {
        Some(name) => database(session, name, role == 0)?,
        None if role == 0 && !session.shared.is_superuser() => {
            return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, "permission denied to alter setting")
                .detail("Only roles with the SUPERUSER attribute may alter settings globally."));
        }
        None => 0,
    };
    change(session, (database, role), alter.setstmt.as_deref()).await?;
    Ok(done("ALTER ROLE"))
}

/// ALTER DATABASE … SET and RESET.
pub async fn alter_database(session: &mut Session, alter: &AlterDatabaseSetStmt) -> Result<Reply> {
    session.require_writable("ALTER DATABASE")?;
    let database = database(session, alter.dbname.as_deref().unwrap_or_default(), true)?;
    change(session, (database, 0), alter.setstmt.as_deref()).await?;
    Ok(done("ALTER DATABASE"))
}

/// The oid of a role whose settings may be changed. It does not go before the transaction ends.
async fn alterable_role(session: &mut Session, role: &RoleSpec) -> Result<u32> {
    let name = user::named(session, role)?;
    user::hold(session, &name).await?;
    let role = session.shared.catalog().role(&name).cloned().ok_or_else(|| user::missing(&name))?;
    user::may_set(&session.shared, &user::current(&session.shared)?, &role)?;
    Ok(role.oid)
}

/// The oid of a database; `owned`: only its owner may change what is set for all of its sessions.
fn database(session: &Session, name: &str, owned: bool) -> Result<u32> {
    let catalog = session.shared.catalog();
    let found = catalog.database(name);
    let found = found
        .ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_DATABASE, format!("database \"{name}\" does not exist")))?;
    if owned {
        ownership::require_owner(&session.shared, ObjectKind::Database, name, found.datdba)?;
    }
    Ok(found.oid)
}

/// `AlterSetting`.
async fn change(session: &mut Session, of: (u32, u32), set: Option<&VariableSetStmt>) -> Result<()> {
    let Some(set) = set else { return Err(EngineError::new(sqlstate::INTERNAL_ERROR, "ALTER … SET without SET")) };
    // One change of them builds on another.
    let mut hasher = DefaultHasher::new();
    ("settings of", of).hash(&mut hasher);
    session.lock(LockTag::Name { database: 0, hash: hasher.finish() }, LockMode::AccessExclusive).await?;
    session.show_changes();
    let mut settings = reloptions::given(Some(session.shared.catalog().settings_of(of.0, of.1)));
    let given = set.name.as_deref().unwrap_or_default();
    match set.kind {
        VariableSetKind::VAR_RESET_ALL => {
            let own = session.shared.settings.read();
            let may_set = |name: &str| guc::may_set(&session.shared, &own, name);
            // Those that the session may not change stay.
            settings
                .retain(|(name, _)| find(name).is_some_and(|known| known.may_change(may_set(name), false).is_err()));
        }
        VariableSetKind::VAR_SET_VALUE => {
            let (name, value) = checked(session, given, Some(variable::flatten(given, &set.args)?))?;
            put(&mut settings, name, value);
        }
        VariableSetKind::VAR_SET_CURRENT => {
            let found = guc::look_up(&session.shared, &session.shared.settings.read(), given)?;
            let (_, now) = found.ok_or_else(|| unknown(given))?;
            let (name, value) = checked(session, given, Some(now))?;
            put(&mut settings, name, value);
        }
        _ if settings.is_empty() => {}
        _ => {
            let (name, _) = checked(session, given, None)?;
            settings.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        }
    }
    let transaction = session.transaction();
    match reloptions::stored(&settings) {
        Some(setconfig) => {
            let row = PgDbRoleSetting { setdatabase: of.0, setrole: of.1, setconfig: Some(setconfig) };
            transaction.put(oid::INVALID, row);
        }
        None => transaction.delete(oid::INVALID, CatalogKey::PgDbRoleSetting(of)),
    }
    session.show_changes();
    Ok(())
}

fn put(settings: &mut Vec<(String, String)>, name: String, value: String) {
    match settings.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
        Some((_, known)) => *known = value,
        None => settings.push((name, value)),
    }
}

/// A setting's own name and the value that it is to have (empty: none), if the session could set it (`validate_option_array_item`).
fn checked(session: &Session, name: &str, value: Option<String>) -> Result<(String, String)> {
    let mut scratch = session.shared.settings.read().clone();
    let name = match find(name) {
        Some(definition) => {
            definition.may_change(guc::may_set(&session.shared, &scratch, definition.name), false)?;
            definition.name.to_string()
        }
        None => {
            config::check_custom_name(name)?;
            scratch.custom(name).map_or_else(|| name.to_string(), |custom| custom.name.clone())
        }
    };
    if let Some(value) = &value {
        scratch.set(&name, value, Source::User)?;
    }
    Ok((name, value.unwrap_or_default()))
}

/// Gives a session that begins what was set for it (`process_settings`): what says more of it holds. What does not hold any more
/// is left out, and told in the log.
pub fn apply(catalog: &Catalog, database: u32, user: &str, settings: &mut Settings) {
    let role = catalog.role(user).map_or(0, |role| role.oid);
    let places = [
        (0, 0, Source::Global),
        (database, 0, Source::Database),
        (0, role, Source::User),
        (database, role, Source::DatabaseUser),
    ];
    for (database, role, source) in places {
        for (name, value) in catalog.settings_of(database, role).iter().filter_map(|setting| setting.split_once('=')) {
            let set = match name {
                "role" => become_role(catalog, user, settings, (value, source)),
                // It is the user that has logged in.
                "session_authorization" => Ok(()),
                _ => settings.set(name, value, source),
            };
            if let Err(error) = set {
                tracing::warn!(%error, name, value, "a setting of a role or a database does not hold");
            }
        }
    }
}

/// A session may begin as another role, if its user could become that.
pub fn become_role(
    catalog: &Catalog,
    user: &str,
    settings: &mut Settings,
    (name, source): (&str, Source),
) -> Result<()> {
    if name == NO_ROLE || name == user {
        return settings.set("role", name, source);
    }
    if catalog.role(name).is_none() {
        return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, format!("role \"{name}\" does not exist")));
    }
    if !can_become(catalog, user, name) {
        return Err(EngineError::new(
            sqlstate::INSUFFICIENT_PRIVILEGE,
            format!("permission denied to set role \"{name}\""),
        ));
    }
    settings.set("role", name, source)?;
    settings.set("is_superuser", if catalog.is_superuser(name) { "on" } else { "off" }, Source::Client)
}

fn can_become(catalog: &Catalog, user: &str, name: &str) -> bool {
    let known = Memberships::default();
    let roles = Roles { catalog: catalog.shared(), database: oid::INVALID, known: &known };
    let oid = |name: &str| catalog.role(name).map_or(oid::INVALID, |row| row.oid);
    roles.can_set_role(oid(user), oid(name))
}
