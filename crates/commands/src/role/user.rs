//! PostgreSQL's `user.c`. Roles: made, changed, renamed and dropped, and who may do so. As in PostgreSQL a role that is no superuser needs CREATEROLE,
//! and may change only what it made itself; every role may change its own password.

use std::hash::{DefaultHasher, Hash, Hasher};

use ::error::sqlstate;
use auth::password;
use catalog::acl::Behavior;
use catalog::catalogs::{PgAuthid, PgShdepend};
use catalog::facts::Name;
use engine::{EngineError, ObjectAddress, Result};
use session::errors::{at, reported};
pub use session::identity::{Signal, current, may_signal, missing};
use session::identity::{denied, may_administer};
use session::ownership::ObjectKind;
use session::{ParsedStatement, Reply, Session, Shared, def_elem, done};
use syntax::nodes::{AlterRoleStmt, CreateRoleStmt, DefElem, DropRoleStmt, Node, RoleSpec, RoleSpecType, RoleStmtType};
use txn::{LockMode, LockTag};
use types::base_type::base_type;
use types::names::PG_AUTHID;
use types::{Datum, Oid, oid};

use crate::acl;
use crate::object::alter;

/// The role that a new data directory has.
const BOOTSTRAP: u32 = 10;

/// Locks the name of a role until the transaction ends. ACCESS EXCLUSIVE is for who makes or drops it, ACCESS SHARE for who
/// gives it something ([`hold`]).
pub async fn lock(session: &mut Session, name: &str, mode: LockMode) -> Result<()> {
    let mut hasher = DefaultHasher::new();
    ("role", name).hash(&mut hasher);
    session.lock(LockTag::Name { database: 0, hash: hasher.finish() }, mode).await?;
    session.show_changes();
    Ok(())
}

/// A role is about to own something: no session drops or renames it until others see that (`shdepLockAndCheckObject`).
pub async fn hold(session: &mut Session, name: &str) -> Result<()> {
    lock(session, name, LockMode::AccessShare).await?;
    match session.shared.catalog().role(name).is_some() {
        true => Ok(()),
        false => Err(missing(name)),
    }
}

/// The oid of a role.
pub fn oid_of(session: &Session, name: &str) -> Result<Oid> {
    session.shared.catalog().role(name).map(|role| role.oid).ok_or_else(|| missing(name))
}

fn put(session: &mut Session, role: PgAuthid) {
    session.transaction().put(oid::INVALID, role);
    session.show_changes();
}

/// The role that a statement names, by its name or by what it is to the session.
pub fn named(session: &Session, role: &RoleSpec) -> Result<String> {
    match role.roletype {
        RoleSpecType::ROLESPEC_CSTRING => Ok(role.rolename.as_deref().unwrap_or_default().to_string()),
        RoleSpecType::ROLESPEC_CURRENT_ROLE | RoleSpecType::ROLESPEC_CURRENT_USER => session.shared.current_user(),
        RoleSpecType::ROLESPEC_SESSION_USER => session.shared.session_user(),
        RoleSpecType::ROLESPEC_PUBLIC => Err(missing("public")),
    }
}

/// Fails for names that are PostgreSQL's own.
fn check_name(name: &str) -> Result<()> {
    if name.starts_with("pg_") {
        return Err(EngineError::new(sqlstate::RESERVED_NAME, format!("role name \"{name}\" is reserved"))
            .detail("Role names starting with \"pg_\" are reserved."));
    }
    Ok(())
}

/// What a statement says of a role; `None` is what it does not say.
#[derive(Default)]
struct RoleOptions {
    superuser: Option<bool>,
    inherit: Option<bool>,
    create_role: Option<bool>,
    create_db: Option<bool>,
    login: Option<bool>,
    replication: Option<bool>,
    bypass_rls: Option<bool>,
    /// -1: any number.
    connection_limit: Option<i64>,
    /// `Some(None)`: PASSWORD NULL.
    password: Option<Option<String>>,
    valid_until: Option<String>,
}

impl RoleOptions {
    fn read<'n>(statement: &ParsedStatement, options: impl IntoIterator<Item = &'n Node>) -> Result<RoleOptions> {
        let mut found = RoleOptions::default();
        for option in options {
            if let Node::DefElem(option) = option {
                let outcome = found.option(option);
                outcome.map_err(|error| at(error, &statement.text, option.location))?;
            }
        }
        Ok(found)
    }

    fn option(&mut self, option: &DefElem) -> Result<()> {
        let flag = match def_elem::name(option) {
            "superuser" => &mut self.superuser,
            "inherit" => &mut self.inherit,
            "createrole" => &mut self.create_role,
            "createdb" => &mut self.create_db,
            "canlogin" => &mut self.login,
            "isreplication" => &mut self.replication,
            "bypassrls" => &mut self.bypass_rls,
            "connectionlimit" => {
                let limit = def_elem::integer(option)?;
                if limit < -1 {
                    return Err(EngineError::new(
                        sqlstate::INVALID_PARAMETER_VALUE,
                        format!("invalid connection limit: {limit}"),
                    ));
                }
                return once(&mut self.connection_limit, limit);
            }
            "password" => return once(&mut self.password, def_elem::text(option)?),
            "validUntil" => return once(&mut self.valid_until, def_elem::string(option)?),
            other => return Err(EngineError::unsupported(format!("role option {other}"))),
        };
        once(flag, def_elem::boolean(option)?)
    }
}

fn once<T>(kept: &mut Option<T>, value: T) -> Result<()> {
    match kept.replace(value) {
        None => Ok(()),
        Some(_) => Err(EngineError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options")),
    }
}

/// The attributes that only who has them may give.
fn given(options: &RoleOptions, own: &PgAuthid) -> [(&'static str, Option<bool>, bool); 3] {
    [
        ("CREATEDB", options.create_db, own.rolcreatedb),
        ("REPLICATION", options.replication, own.rolreplication),
        ("BYPASSRLS", options.bypass_rls, own.rolbypassrls),
    ]
}

/// The role as the options make it.
fn changed(session: &mut Session, mut role: PgAuthid, options: RoleOptions) -> Result<PgAuthid> {
    for (kept, new) in [
        (&mut role.rolsuper, options.superuser),
        (&mut role.rolinherit, options.inherit),
        (&mut role.rolcreaterole, options.create_role),
        (&mut role.rolcreatedb, options.create_db),
        (&mut role.rolcanlogin, options.login),
        (&mut role.rolreplication, options.replication),
        (&mut role.rolbypassrls, options.bypass_rls),
    ] {
        *kept = new.unwrap_or(*kept);
    }
    if let Some(limit) = options.connection_limit {
        role.rolconnlimit = i32::try_from(limit).unwrap_or(-1);
    }
    if let Some(until) = options.valid_until {
        role.rolvaliduntil = Some(time(session, &until)?);
    }
    match options.password {
        None => {}
        Some(None) => role.rolpassword = None,
        Some(Some(text)) => {
            let rounds = session.shared.settings.read().integer("scram_iterations") as u32;
            role.rolpassword = password::kept(&text, rounds)?.map(Name::Owned);
            if role.rolpassword.is_none() {
                let message = "empty string is not a valid password, clearing password";
                session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
            }
        }
    }
    Ok(role)
}

/// Microseconds since 1970.
fn time(session: &mut Session, text: &str) -> Result<i64> {
    let environment = session.environment();
    let context = session.context(&environment, &"".into());
    let ty = base_type(oid::TIMESTAMPTZ).expect("it is built in");
    match (ty.input)(&context, text, -1).map_err(|error| reported(error, ""))? {
        Datum::I64(micros) => Ok(micros),
        _ => Err(EngineError::new(sqlstate::INTERNAL_ERROR, "a time is no number")),
    }
}

/// CREATE ROLE, USER and GROUP.
pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreateRoleStmt) -> Result<Reply> {
    let name = create.role.as_deref().unwrap_or_default();
    let (members, others): (Vec<&Node>, Vec<&Node>) = create.options.iter().partition(|option| is_of_members(option));
    let mut options = RoleOptions::read(statement, others)?;
    if create.stmt_type == RoleStmtType::ROLESTMT_USER {
        options.login.get_or_insert(true);
    }
    check_name(name)?;
    session.require_writable("CREATE ROLE")?;
    let own = current(&session.shared)?;
    if !own.rolsuper {
        let only = |attribute: &str| {
            format!("Only roles with the {attribute} attribute may create roles with the {attribute} attribute.")
        };
        if !own.rolcreaterole {
            return Err(denied("create role", "Only roles with the CREATEROLE attribute may create roles."));
        }
        if options.superuser == Some(true) {
            return Err(denied("create role", only("SUPERUSER")));
        }
        if let Some((name, ..)) = given(&options, &own).iter().find(|(_, new, own)| *new == Some(true) && !own) {
            return Err(denied("create role", only(name)));
        }
    }
    lock(session, name, LockMode::AccessExclusive).await?;
    if session.shared.catalog().role(name).is_some() {
        return Err(EngineError::new(sqlstate::DUPLICATE_OBJECT, format!("role \"{name}\" already exists")));
    }
    let new = changed(session, new_role(session.db().new_oid(), name), options)?;
    let role = new.oid;
    put(session, new);
    if !own.rolsuper {
        acl::self_grant(session, role, &own);
    }
    add_members(session, role, &members).await?;
    Ok(done("CREATE ROLE"))
}

/// As CREATE ROLE makes one that says nothing more.
fn new_role(oid: Oid, name: &str) -> PgAuthid {
    PgAuthid {
        oid,
        rolname: Name::Owned(name.into()),
        rolsuper: false,
        rolinherit: true,
        rolcreaterole: false,
        rolcreatedb: false,
        rolcanlogin: false,
        rolreplication: false,
        rolbypassrls: false,
        rolconnlimit: -1,
        rolpassword: None,
        rolvaliduntil: None,
    }
}

/// IN ROLE, ROLE, ADMIN.
fn is_of_members(option: &Node) -> bool {
    matches!(option, Node::DefElem(option) if matches!(def_elem::name(option), "addroleto" | "rolemembers" | "adminmembers"))
}

/// The memberships that CREATE ROLE makes: the new role's in others first.
async fn add_members(session: &mut Session, role: Oid, options: &[&Node]) -> Result<()> {
    let mut lists = [Vec::new(), Vec::new(), Vec::new()];
    for option in options {
        let Node::DefElem(option) = option else { continue };
        let Some(Node::List(list)) = &option.arg else { continue };
        let at = ["addroleto", "rolemembers", "adminmembers"].iter().position(|name| *name == def_elem::name(option));
        lists[at.unwrap_or_default()] = acl::grantees(session, list).await?;
    }
    let [others, members, administrators] = lists;
    for other in others {
        acl::check_authorization(session, other, true)?;
        acl::add(session, other, &[role], None, acl::Options::default()).await?;
    }
    let admin = acl::Options { admin: Some(true), ..acl::Options::default() };
    for (members, options) in [(members, acl::Options::default()), (administrators, admin)] {
        if !members.is_empty() {
            acl::add(session, role, &members, None, options).await?;
        }
    }
    Ok(())
}

/// ALTER GROUP … ADD and DROP USER.
async fn change_group(session: &mut Session, role: Oid, list: &[Node], adds: bool) -> Result<()> {
    let members = acl::grantees(session, list).await?;
    require_admin(session, role)?;
    match adds {
        true => acl::add(session, role, &members, None, acl::Options::default()).await,
        false => acl::remove(session, role, &members, None, acl::Options::default(), Behavior::Restrict).await,
    }
}

/// Who may add and drop the members of a group.
fn require_admin(session: &Session, role: Oid) -> Result<()> {
    let (is_superuser, of_superuser, is_admin, name) = session.shared.with_roles(|roles, own| {
        let name = roles.catalog.role(role).map_or_else(String::new, |row| row.rolname.to_string());
        (roles.is_superuser(own), roles.is_superuser(role), roles.is_admin(own, role), name)
    })?;
    let detail = match () {
        () if is_superuser || is_admin && !of_superuser => return Ok(()),
        () if of_superuser => {
            "Only roles with the SUPERUSER attribute may alter roles with the SUPERUSER attribute.".to_string()
        }
        () => format!("Only roles with the ADMIN option on role \"{name}\" may add or drop members."),
    };
    Err(denied("alter role", detail))
}

/// ALTER ROLE with options.
pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterRoleStmt) -> Result<Reply> {
    if let [Node::DefElem(option)] = &alter.options[..]
        && let (Some(role), Some(Node::List(list))) = (&alter.role, &option.arg)
        && def_elem::name(option) == "rolemembers"
    {
        session.require_writable("ALTER ROLE")?;
        let name = named(session, role)?;
        hold(session, &name).await?;
        let role = oid_of(session, &name)?;
        change_group(session, role, list, alter.action > 0).await?;
        return Ok(done("ALTER ROLE"));
    }
    let options = RoleOptions::read(statement, &alter.options)?;
    let Some(role) = &alter.role else { return Err(EngineError::unsupported("ALTER ROLE ALL")) };
    session.require_writable("ALTER ROLE")?;
    let name = named(session, role)?;
    // Statements that give it something need not wait: it stays the same role.
    lock(session, &name, LockMode::ShareUpdateExclusive).await?;
    let role = session.shared.catalog().role(&name).cloned().ok_or_else(|| missing(&name))?;
    let own = current(&session.shared)?;
    may_alter(&session.shared, &own, &role, &options)?;
    if role.oid != BOOTSTRAP && role.oid < engine::FIRST_USER_OID {
        return Err(EngineError::new(sqlstate::RESERVED_NAME, format!("role name \"{name}\" is reserved"))
            .detail("Cannot alter reserved roles."));
    }
    if role.oid == BOOTSTRAP && options.superuser == Some(false) {
        let detail = "The bootstrap superuser must have the SUPERUSER attribute.";
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "permission denied to alter role").detail(detail));
    }
    let role = changed(session, role, options)?;
    put(session, role);
    Ok(done("ALTER ROLE"))
}

fn may_alter(shared: &Shared, own: &PgAuthid, role: &PgAuthid, options: &RoleOptions) -> Result<()> {
    if own.rolsuper {
        return Ok(());
    }
    if role.rolsuper {
        let detail = "Only roles with the SUPERUSER attribute may alter roles with the SUPERUSER attribute.";
        // Their own password too: a superuser is not here.
        return Err(denied("alter role", detail));
    }
    if options.superuser.is_some() {
        let detail = "Only roles with the SUPERUSER attribute may change the SUPERUSER attribute.";
        return Err(denied("alter role", detail));
    }
    if may_administer(shared, own, role) {
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
                role.rolname
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

/// May a role's settings be changed (`AlterRoleSet`)? Every role may change its own.
pub fn may_set(shared: &Shared, own: &PgAuthid, role: &PgAuthid) -> Result<()> {
    if role.rolsuper && !own.rolsuper {
        let detail = "Only roles with the SUPERUSER attribute may alter roles with the SUPERUSER attribute.";
        return Err(denied("alter role", detail));
    }
    if own.oid != role.oid && !may_administer(shared, own, role) {
        let name = &role.rolname;
        return Err(denied(
            "alter role",
            format!(
                "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may alter this role."
            ),
        ));
    }
    Ok(())
}

/// Fails for what the session is, which cannot go under it.
fn not_oneself(session: &Session, name: &str) -> Result<()> {
    let shared = &session.shared;
    for (own, is) in [(shared.current_user()?, "current user"), (shared.session_user()?, "session user")] {
        if own == name {
            return Err(EngineError::new(sqlstate::OBJECT_IN_USE, format!("{is} cannot be dropped")));
        }
    }
    Ok(())
}

/// What a role has against a new name (`RenameRole`).
pub fn may_rename(session: &mut Session, name: &str, new: &str) -> Result<()> {
    let shared = session.shared.clone();
    for (own, is) in [(shared.session_user()?, "session user"), (shared.current_user()?, "current user")] {
        if own == name {
            return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, format!("{is} cannot be renamed")));
        }
    }
    check_name(name)?;
    check_name(new)?;
    alter::require_free(session, ObjectKind::Role, new)?;
    let role = session.shared.catalog().role(name).cloned().ok_or_else(|| missing(name))?;
    let own = current(&session.shared)?;
    if role.rolsuper && !own.rolsuper {
        let detail = "Only roles with the SUPERUSER attribute may rename roles with the SUPERUSER attribute.";
        return Err(denied("rename role", detail));
    }
    if !may_administer(&session.shared, &own, &role) {
        return Err(denied(
            "rename role",
            format!(
                "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may rename this role."
            ),
        ));
    }
    Ok(())
}

pub async fn drop(session: &mut Session, drop: &DropRoleStmt) -> Result<Reply> {
    session.require_writable("DROP ROLE")?;
    let own = current(&session.shared)?;
    if !own.rolsuper && !own.rolcreaterole {
        let detail =
            "Only roles with the CREATEROLE attribute and the ADMIN option on the target roles may drop roles.";
        return Err(denied("drop role", detail));
    }
    let mut going: Vec<PgAuthid> = Vec::new();
    for role in &drop.roles {
        let Node::RoleSpec(role) = role else { continue };
        if role.roletype != RoleSpecType::ROLESPEC_CSTRING {
            return Err(EngineError::new(
                sqlstate::INVALID_PARAMETER_VALUE,
                "cannot use special role specifier in DROP ROLE",
            ));
        }
        let name = named(session, role)?;
        lock(session, &name, LockMode::AccessExclusive).await?;
        let Some(role) = session.shared.catalog().role(&name).cloned() else {
            if !drop.missing_ok {
                return Err(missing(&name));
            }
            let message = format!("role \"{name}\" does not exist, skipping");
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
            continue;
        };
        not_oneself(session, &name)?;
        if role.rolsuper && !own.rolsuper {
            let detail = "Only roles with the SUPERUSER attribute may drop roles with the SUPERUSER attribute.";
            return Err(denied("drop role", detail));
        }
        if !may_administer(&session.shared, &own, &role) {
            let detail = format!(
                "Only roles with the CREATEROLE attribute and the ADMIN option on role \"{name}\" may drop this role."
            );
            return Err(denied("drop role", detail));
        }
        if role.oid < engine::FIRST_USER_OID {
            let message = format!("cannot drop role {name} because it is required by the database system");
            return Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message));
        }
        acl::memberships_gone(session, role.oid);
        going.push(role);
    }
    // What is between roles that go together is no reason to keep one.
    for role in going {
        owns_nothing(session, &role)?;
        let catalog = session.shared.catalog();
        for key in engine::without_shared(&catalog, PG_AUTHID, role.oid) {
            session.transaction().delete(oid::INVALID, key);
        }
        session.show_changes();
    }
    Ok(done("DROP ROLE"))
}

/// Fails (2BP01) where something depends on a role (`checkSharedDependencies`). What is in other databases is counted.
fn owns_nothing(session: &mut Session, role: &PgAuthid) -> Result<()> {
    let environment = session.environment();
    let (catalog, own) = (environment.catalog(), session.shared.database.0);
    let mut theirs: Vec<&PgShdepend> = catalog.shared_dependents((PG_AUTHID, role.oid)).collect();
    theirs.sort_by_key(|row| (row.objid, row.classid, row.objsubid, row.deptype));
    let mut details = Vec::new();
    for row in theirs.iter().filter(|row| row.dbid == oid::INVALID || row.dbid == own) {
        let object = ObjectAddress { class: row.classid, oid: row.objid, column: row.objsubid };
        let what = match row.deptype {
            b'a' => "privileges for",
            b'r' => "target of",
            _ => "owner of",
        };
        details.extend(catalog.describe(object)?.map(|object| format!("{what} {object}")));
    }
    for database in environment.engine.databases().filter(|database| database.oid != own) {
        match theirs.iter().filter(|row| row.dbid == database.oid).count() {
            0 => {}
            1 => details.push(format!("1 object in database {}", database.name())),
            n => details.push(format!("{n} objects in database {}", database.name())),
        }
    }
    if details.is_empty() {
        return Ok(());
    }
    let message = format!("role \"{}\" cannot be dropped because some objects depend on it", role.rolname);
    Err(EngineError::new(sqlstate::DEPENDENT_OBJECTS_STILL_EXIST, message).detail(details.join("\n")))
}
