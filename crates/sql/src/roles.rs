//! Roles: made, changed, renamed and dropped, and who may do so. As in PostgreSQL a role that is no superuser needs CREATEROLE,
//! and may change only what it made itself; everybody may change their own password.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::datatypes::TimestampMicrosecondType;
use engine::{Backend, Change, EngineError, PgType, Result, RoleDef, password};
use txn::{LockMode, LockTag};

use crate::identity;
use crate::role_statement::{RoleName, RoleOptions, RoleStatement};
use crate::session::{Reply, Session, Shared, done};

/// The role that a new data directory has.
const BOOTSTRAP: u32 = 10;

fn missing(name: &str) -> EngineError {
    EngineError::new("42704", format!("role \"{name}\" does not exist"))
}

fn denied(what: &str, detail: impl Into<String>) -> EngineError {
    EngineError::new("42501", format!("permission denied to {what}")).detail(detail)
}

/// Who the session acts as.
pub fn current(shared: &Shared) -> Result<RoleDef> {
    let name = identity::current_user(&shared.settings.read()).to_string();
    shared.catalog().roles.get(&name).cloned().ok_or_else(|| missing(&name))
}

/// Fails for who is no superuser. `what` is what is not allowed: `permission denied to …`.
pub fn require_superuser(shared: &Shared, what: &str) -> Result<()> {
    if current(shared)?.superuser {
        Ok(())
    } else {
        Err(EngineError::new("42501", format!("permission denied {what}")))
    }
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
    if own.superuser || own.name == target {
        return Ok(());
    }
    let superuser = shared.catalog().roles.get(target).is_none_or(|role| role.superuser);
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

pub async fn run(session: &mut Session, statement: RoleStatement) -> Result<Reply> {
    match statement {
        RoleStatement::Create { name, options } => create(session, &name, options).await,
        RoleStatement::Alter { name, options } => alter(session, name, options).await,
        RoleStatement::Rename { name, to } => rename(session, &name, &to).await,
        RoleStatement::Drop { names, if_exists } => drop(session, names, if_exists).await,
    }
}

/// Keeps others from making or changing a role of this name until the transaction ends.
async fn claim(session: &mut Session, name: &str) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    ("role", name).hash(&mut hasher);
    session.lock(LockTag::Name { database: 0, hash: hasher.finish() }, LockMode::AccessExclusive).await?;
    session.show_changes();
    Ok(())
}

fn put(session: &mut Session, role: RoleDef) {
    session.transaction().change(Change::PutRole(Arc::new(role)));
    session.show_changes();
}

fn resolve(session: &Session, name: RoleName) -> String {
    let settings = session.shared.settings.read();
    match name {
        RoleName::Name(name) => name,
        RoleName::CurrentUser => identity::current_user(&settings).to_string(),
        RoleName::SessionUser => settings.get("session_authorization").to_string(),
    }
}

/// The attributes that only who has them may give.
fn given(options: &RoleOptions, own: &RoleDef) -> [(&'static str, Option<bool>, bool); 3] {
    [
        ("CREATEDB", options.create_db, own.create_db),
        ("REPLICATION", options.replication, own.replication),
        ("BYPASSRLS", options.bypass_rls, own.bypass_rls),
    ]
}

/// The role as the options make it.
async fn changed(session: &mut Session, mut role: RoleDef, options: RoleOptions) -> Result<RoleDef> {
    for (kept, new) in [
        (&mut role.superuser, options.superuser),
        (&mut role.inherit, options.inherit),
        (&mut role.create_role, options.create_role),
        (&mut role.create_db, options.create_db),
        (&mut role.login, options.login),
        (&mut role.replication, options.replication),
        (&mut role.bypass_rls, options.bypass_rls),
    ] {
        *kept = new.unwrap_or(*kept);
    }
    if let Some(limit) = options.connection_limit {
        role.connection_limit = u32::try_from(limit).ok();
    }
    if let Some(until) = options.valid_until {
        role.valid_until = Some(time(session, &until).await?);
    }
    match options.password {
        None => {}
        Some(None) => role.password = None,
        Some(Some(text)) => {
            let rounds = session.shared.settings.read().integer("scram_iterations") as u32;
            role.password = password::kept(&text, rounds)?;
            if role.password.is_none() {
                let message = "empty string is not a valid password, clearing password";
                session.notice("NOTICE", EngineError::new("00000", message));
            }
        }
    }
    Ok(role)
}

/// Microseconds since 1970.
async fn time(session: &mut Session, text: &str) -> Result<i64> {
    if text.trim().eq_ignore_ascii_case("infinity") {
        return Ok(i64::MAX);
    }
    let expr = crate::parse::expression(&format!("'{}'::timestamptz", text.replace('\'', "''")))?;
    let value = crate::insert::evaluate(session, &expr, PgType::Timestamptz, 1).await?;
    let value = value.as_primitive_opt::<TimestampMicrosecondType>().map(|times| times.value(0));
    value.ok_or_else(|| {
        EngineError::new("22007", format!("invalid input syntax for type timestamp with time zone: \"{text}\""))
    })
}

async fn create(session: &mut Session, name: &str, options: RoleOptions) -> Result<Reply> {
    session.require_writable("CREATE ROLE")?;
    let own = current(&session.shared)?;
    if !own.superuser {
        let only = |attribute: &str| {
            format!("Only roles with the {attribute} attribute may create roles with the {attribute} attribute.")
        };
        if !own.create_role {
            return Err(denied("create role", "Only roles with the CREATEROLE attribute may create roles."));
        }
        if options.superuser == Some(true) {
            return Err(denied("create role", only("SUPERUSER")));
        }
        if let Some((name, ..)) = given(&options, &own).iter().find(|(_, new, own)| *new == Some(true) && !own) {
            return Err(denied("create role", only(name)));
        }
    }
    claim(session, name).await?;
    if session.shared.catalog().roles.contains_key(name) {
        return Err(EngineError::new("42710", format!("role \"{name}\" already exists")));
    }
    let made_by = (!own.superuser).then_some(own.oid);
    let new = RoleDef { made_by, ..RoleDef::new(session.db().new_oid(), name) };
    let new = changed(session, new, options).await?;
    put(session, new);
    Ok(done("CREATE ROLE"))
}

async fn alter(session: &mut Session, name: RoleName, options: RoleOptions) -> Result<Reply> {
    session.require_writable("ALTER ROLE")?;
    let name = resolve(session, name);
    claim(session, &name).await?;
    let role = session.shared.catalog().roles.get(&name).cloned().ok_or_else(|| missing(&name))?;
    let own = current(&session.shared)?;
    may_alter(&own, &role, &options)?;
    if role.oid == BOOTSTRAP && options.superuser == Some(false) {
        let detail = "The bootstrap superuser must have the SUPERUSER attribute.";
        return Err(EngineError::new("0A000", "permission denied to alter role").detail(detail));
    }
    let role = changed(session, role, options).await?;
    put(session, role);
    Ok(done("ALTER ROLE"))
}

fn may_alter(own: &RoleDef, role: &RoleDef, options: &RoleOptions) -> Result<()> {
    if own.superuser {
        return Ok(());
    }
    if role.superuser {
        let detail = "Only roles with the SUPERUSER attribute may alter roles with the SUPERUSER attribute.";
        // Their own password too: a superuser is not here.
        return Err(denied("alter role", detail));
    }
    if options.superuser.is_some() {
        let detail = "Only roles with the SUPERUSER attribute may change the SUPERUSER attribute.";
        return Err(denied("alter role", detail));
    }
    if may_administer(own, role) {
        return match given(options, own).iter().find(|(_, new, own)| new.is_some() && !own) {
            Some((name, ..)) => {
                let detail = format!("Only roles with the {name} attribute may change the {name} attribute.");
                Err(denied("alter role", detail))
            }
            None => Ok(()),
        };
    }
    let RoleOptions { password, connection_limit, valid_until, .. } = options;
    let flags = [options.inherit, options.create_role, options.create_db, options.login, options.replication];
    let others = flags.iter().any(Option::is_some) || options.bypass_rls.is_some();
    if others || connection_limit.is_some() || valid_until.is_some() {
        return Err(denied(
            "alter role",
            format!(
                "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{}\" may alter this role.",
                role.name
            ),
        ));
    }
    if password.is_some() && own.oid != role.oid {
        return Err(denied(
            "alter role",
            "To change another role's password, the current user must have the CREATEROLE attribute and the ADMIN option on \
             the role.",
        ));
    }
    Ok(())
}

fn may_administer(own: &RoleDef, role: &RoleDef) -> bool {
    own.superuser || (own.create_role && role.made_by == Some(own.oid))
}

/// Fails for what the session is, which cannot go or get another name under it.
fn not_oneself(session: &Session, name: &str, code: &'static str, what: &str) -> Result<()> {
    let settings = session.shared.settings.read();
    for (own, is) in
        [(identity::current_user(&settings), "current user"), (settings.get("session_authorization"), "session user")]
    {
        if own == name {
            return Err(EngineError::new(code, format!("{is} cannot be {what}")));
        }
    }
    Ok(())
}

async fn rename(session: &mut Session, name: &str, to: &str) -> Result<Reply> {
    session.require_writable("ALTER ROLE")?;
    for name in [name, to] {
        claim(session, name).await?;
    }
    let catalog = session.shared.catalog();
    let role = catalog.roles.get(name).cloned().ok_or_else(|| missing(name))?;
    not_oneself(session, name, "0A000", "renamed")?;
    if catalog.roles.contains_key(to) {
        return Err(EngineError::new("42710", format!("role \"{to}\" already exists")));
    }
    let own = current(&session.shared)?;
    if role.superuser && !own.superuser {
        let detail = "Only roles with the SUPERUSER attribute may rename roles with the SUPERUSER attribute.";
        return Err(denied("rename role", detail));
    }
    if !may_administer(&own, &role) {
        return Err(denied(
            "rename role",
            format!(
                "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may rename this role."
            ),
        ));
    }
    put(session, RoleDef { name: to.into(), ..role });
    Ok(done("ALTER ROLE"))
}

async fn drop(session: &mut Session, names: Vec<RoleName>, if_exists: bool) -> Result<Reply> {
    session.require_writable("DROP ROLE")?;
    let own = current(&session.shared)?;
    if !own.superuser && !own.create_role {
        let detail =
            "Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.";
        return Err(denied("drop role", detail));
    }
    for name in names {
        let RoleName::Name(name) = name else {
            return Err(EngineError::new("22023", "cannot use special role specifier in DROP ROLE"));
        };
        claim(session, &name).await?;
        let Some(role) = session.shared.catalog().roles.get(&name).cloned() else {
            if !if_exists {
                return Err(missing(&name));
            }
            let message = format!("role \"{name}\" does not exist, skipping");
            session.notice("NOTICE", EngineError::new("00000", message));
            continue;
        };
        not_oneself(session, &name, "55006", "dropped")?;
        if role.superuser && !own.superuser {
            let detail = "Only roles with the SUPERUSER attribute may drop roles with the SUPERUSER attribute.";
            return Err(denied("drop role", detail));
        }
        if !may_administer(&own, &role) {
            let detail = format!(
                "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may drop this role."
            );
            return Err(denied("drop role", detail));
        }
        if role.oid == BOOTSTRAP {
            let message = format!("cannot drop role {name} because it is required by the database system");
            return Err(EngineError::new("2BP01", message));
        }
        owns_nothing(&session.shared, &role)?;
        session.transaction().change(Change::DropRole { oid: role.oid });
        session.show_changes();
    }
    Ok(done("DROP ROLE"))
}

fn owns_nothing(shared: &Shared, role: &RoleDef) -> Result<()> {
    let catalog = shared.catalog();
    let mut details = Vec::new();
    for (database, objects) in catalog.owned_by(&role.name) {
        if database.owner == role.name {
            details.push(format!("owner of database {}", database.name));
        }
        match objects {
            0 => {}
            1 => details.push(format!("1 object in database {}", database.name)),
            n => details.push(format!("{n} objects in database {}", database.name)),
        }
    }
    if details.is_empty() {
        return Ok(());
    }
    let message = format!("role \"{}\" cannot be dropped because some objects depend on it", role.name);
    Err(EngineError::new("2BP01", message).detail(details.join("\n")))
}
