//! GRANT and REVOKE of roles: memberships with their options and grantors (`GrantRole`, `AddRoleMems`, `DelRoleMems`).

use catalog::CatalogKey;
use catalog::Keyed;
use catalog::acl::role::PG_DATABASE_OWNER;
use catalog::acl::{BOOTSTRAP_SUPERUSER, Behavior};
use catalog::catalogs::{PgAuthMembers, PgAuthid};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::errors::at;
use session::{ParsedStatement, Reply, Session, def_elem, done};
use syntax::nodes::{AccessPriv, DefElem, DropBehavior, GrantRoleStmt, Node};
use txn::{LockMode, LockTag};
use types::names::PG_AUTH_MEMBERS;
use types::{Oid, oid};

use super::grant::invalid;
use super::{change_members, grantees, held};
use crate::role::user;

/// The options that a statement gives or takes; `None`: it does not say.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    pub admin: Option<bool>,
    pub inherit: Option<bool>,
    pub set: Option<bool>,
}

pub async fn run(session: &mut Session, statement: &ParsedStatement, grant: &GrantRoleStmt) -> Result<Reply> {
    let tag = if grant.is_grant { "GRANT ROLE" } else { "REVOKE ROLE" };
    session.require_writable(tag)?;
    let options = read(statement, &grant.opt)?;
    let grantor = match &grant.grantor {
        Some(role) => Some(held(session, role).await?),
        None => None,
    };
    let members = grantees(session, &grant.grantee_roles).await?;
    if members.contains(&oid::INVALID) {
        return Err(user::missing("public"));
    }
    let behavior = match grant.behavior {
        DropBehavior::DROP_CASCADE => Behavior::Cascade,
        DropBehavior::DROP_RESTRICT => Behavior::Restrict,
    };
    for node in &grant.granted_roles {
        let Node::AccessPriv(privilege) = node else { continue };
        let AccessPriv { priv_name, cols } = &**privilege;
        let Some(name) = priv_name.as_deref().filter(|_| cols.is_empty()) else {
            return Err(invalid("column names cannot be included in GRANT/REVOKE ROLE"));
        };
        user::hold(session, name).await?;
        let role = user::oid_of(session, name)?;
        check_authorization(session, role, grant.is_grant)?;
        match grant.is_grant {
            true => add(session, role, &members, grantor, options).await?,
            false => remove(session, role, &members, grantor, options, behavior).await?,
        }
    }
    Ok(done(tag))
}

fn read(statement: &ParsedStatement, given: &[Node]) -> Result<Options> {
    let mut options = Options::default();
    for node in given {
        let Node::DefElem(option) = node else { continue };
        let kept = match def_elem::name(option) {
            "admin" => &mut options.admin,
            "inherit" => &mut options.inherit,
            "set" => &mut options.set,
            other => {
                let error = EngineError::new(sqlstate::SYNTAX_ERROR, format!("unrecognized role option \"{other}\""));
                return Err(at(error, &statement.text, option.location));
            }
        };
        *kept = Some(value(statement, option)?);
    }
    Ok(options)
}

fn value(statement: &ParsedStatement, option: &DefElem) -> Result<bool> {
    let text = def_elem::string(option)?;
    config::parse_bool(&text).ok_or_else(|| {
        let name = def_elem::name(option);
        let message = format!("unrecognized value for role option \"{name}\": \"{text}\"");
        at(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message), &statement.text, option.location)
    })
}

fn denied(message: String, detail: String) -> EngineError {
    EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message).detail(detail)
}

fn name_of(session: &Session, role: Oid) -> String {
    session.shared.catalog().role_name(role).to_string()
}

/// Who may give or take memberships in a role (`check_role_membership_authorization`).
pub fn check_authorization(session: &Session, role: Oid, is_grant: bool) -> Result<()> {
    let name = name_of(session, role);
    if is_grant && role == PG_DATABASE_OWNER {
        return Err(EngineError::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("role \"{name}\" cannot have explicit members"),
        ));
    }
    let (of_superuser, is_superuser, is_admin) = session
        .shared
        .with_roles(|roles, own| (roles.is_superuser(role), roles.is_superuser(own), roles.is_admin(own, role)))?;
    let verb = if is_grant { "grant" } else { "revoke" };
    let message = format!("permission denied to {verb} role \"{name}\"");
    if of_superuser && !is_superuser {
        let detail = format!("Only roles with the SUPERUSER attribute may {verb} roles with the SUPERUSER attribute.");
        return Err(denied(message, detail));
    }
    if !of_superuser && !is_admin {
        let detail = format!("Only roles with the ADMIN option on role \"{name}\" may {verb} this role.");
        return Err(denied(message, detail));
    }
    Ok(())
}

/// As which role memberships in a role are given or taken (`check_role_grantor`).
fn grantor_of(session: &Session, role: Oid, given: Option<Oid>, is_grant: bool) -> Result<Oid> {
    let (is_superuser, best) =
        session.shared.with_roles(|roles, own| (roles.is_superuser(own), roles.best_admin(own, role)))?;
    let Some(grantor) = given else {
        return match is_superuser {
            true => Ok(BOOTSTRAP_SUPERUSER),
            false => best.ok_or_else(|| EngineError::new(sqlstate::INTERNAL_ERROR, "no possible grantors")),
        };
    };
    let name = name_of(session, grantor);
    let (may_act, is_admin) = session.shared.with_roles(|roles, own| {
        (roles.has_privileges_of(own, grantor), roles.best_admin(grantor, role) == Some(grantor))
    })?;
    if !may_act {
        let (message, detail) = match is_grant {
            true => {
                (format!("permission denied to grant privileges as role \"{name}\""), "grant privileges as this role")
            }
            false => (
                format!("permission denied to revoke privileges granted by role \"{name}\""),
                "revoke privileges granted by this role",
            ),
        };
        return Err(denied(message, format!("Only roles with privileges of role \"{name}\" may {detail}.")));
    }
    if is_grant && grantor != BOOTSTRAP_SUPERUSER && !is_admin {
        let message = format!("permission denied to grant privileges as role \"{name}\"");
        let of = name_of(session, role);
        return Err(denied(message, format!("The grantor must have the ADMIN option on role \"{of}\".")));
    }
    Ok(grantor)
}

/// Waits until no other session changes memberships, and keeps others from it: none sees half of a circle.
async fn lock_memberships(session: &mut Session) -> Result<()> {
    let tag = LockTag::Relation { database: 0, oid: PG_AUTH_MEMBERS };
    session.lock(tag, LockMode::ShareUpdateExclusive).await?;
    session.show_changes();
    Ok(())
}

/// Makes roles members of a role (`AddRoleMems`). Who may is checked.
pub async fn add(
    session: &mut Session,
    role: Oid,
    members: &[Oid],
    grantor: Option<Oid>,
    options: Options,
) -> Result<()> {
    lock_memberships(session).await?;
    let grantor = grantor_of(session, role, grantor, true)?;
    let name = name_of(session, role);
    for &member in members {
        if member == PG_DATABASE_OWNER {
            let message = format!("role \"{}\" cannot be a member of any role", name_of(session, member));
            return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        if session.shared.roles(|roles| roles.is_listed_member(role, member)) {
            return Err(invalid(format!("role \"{name}\" is a member of role \"{}\"", name_of(session, member))));
        }
    }
    if options.admin == Some(true) && grantor != BOOTSTRAP_SUPERUSER {
        refuse_circle(session, role, members, grantor)?;
    }
    for &member in members {
        add_one(session, (role, member, grantor), options);
    }
    Ok(())
}

/// Fails where the grantor could not grant without what the members have got.
fn refuse_circle(session: &Session, role: Oid, members: &[Oid], grantor: Oid) -> Result<()> {
    let mut plan = Plan::new(session, role);
    for &member in members {
        for at in 0..plan.rows.len() {
            if plan.rows[at].member == member {
                plan.revoke(at, false, Behavior::Cascade)?;
            }
        }
    }
    let keeps = |(row, action): (&PgAuthMembers, &Action)| {
        *action == Action::Nothing && row.member == grantor && row.admin_option
    };
    match plan.rows.iter().zip(&plan.actions).any(keeps) {
        true => Ok(()),
        false => Err(invalid("ADMIN option cannot be granted back to your own grantor")),
    }
}

fn add_one(session: &mut Session, (role, member, grantor): (Oid, Oid, Oid), options: Options) {
    let environment = session.environment();
    let catalog = environment.catalog();
    let known = catalog.members_of(role).find(|row| row.member == member && row.grantor == grantor);
    let row = match known {
        Some(row) => PgAuthMembers {
            admin_option: options.admin.unwrap_or(row.admin_option),
            inherit_option: options.inherit.unwrap_or(row.inherit_option),
            set_option: options.set.unwrap_or(row.set_option),
            ..row.clone()
        },
        None => PgAuthMembers {
            oid: session.db().new_oid(),
            roleid: role,
            member,
            grantor,
            admin_option: options.admin.unwrap_or(false),
            inherit_option: options.inherit.unwrap_or_else(|| catalog.role(member).is_some_and(|row| row.rolinherit)),
            set_option: options.set.unwrap_or(true),
        },
    };
    if known == Some(&row) {
        let (member, role, grantor) = (name_of(session, member), name_of(session, role), name_of(session, grantor));
        let message =
            format!("role \"{member}\" has already been granted membership in role \"{role}\" by role \"{grantor}\"");
        return session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message));
    }
    put_new(session, row);
}

/// Puts a membership, which its grantor has to outlive.
fn put_new(session: &mut Session, row: PgAuthMembers) {
    let object = ObjectAddress { class: PG_AUTH_MEMBERS, oid: row.oid, column: 0 };
    let grantor = row.grantor;
    session.transaction().put(oid::INVALID, row);
    change_members(session, object, oid::INVALID, &[], &[grantor]);
}

/// Ends memberships in a role, or takes one of their options (`DelRoleMems`).
pub async fn remove(
    session: &mut Session,
    role: Oid,
    members: &[Oid],
    grantor: Option<Oid>,
    options: Options,
    behavior: Behavior,
) -> Result<()> {
    lock_memberships(session).await?;
    let grantor = grantor_of(session, role, grantor, false)?;
    let mut plan = Plan::new(session, role);
    for &member in members {
        let found = plan.rows.iter().position(|row| row.member == member && row.grantor == grantor);
        let Some(at) = found else {
            let (member, role, grantor) = (name_of(session, member), name_of(session, role), name_of(session, grantor));
            let message =
                format!("role \"{member}\" has not been granted membership in role \"{role}\" by role \"{grantor}\"");
            session.notice("WARNING", EngineError::new(sqlstate::WARNING, message));
            continue;
        };
        match options {
            Options { inherit: Some(_), .. } => plan.actions[at] = Action::NoInherit,
            Options { set: Some(_), .. } => plan.actions[at] = Action::NoSet,
            Options { admin, .. } => plan.revoke(at, admin.is_some(), behavior)?,
        }
    }
    for (row, action) in plan.rows.into_iter().zip(plan.actions) {
        let row = match action {
            Action::Nothing => continue,
            Action::Delete => {
                delete(session, &row);
                continue;
            }
            Action::NoAdmin => PgAuthMembers { admin_option: false, ..row },
            Action::NoInherit => PgAuthMembers { inherit_option: false, ..row },
            Action::NoSet => PgAuthMembers { set_option: false, ..row },
        };
        session.transaction().put(oid::INVALID, row);
    }
    session.show_changes();
    Ok(())
}

pub(super) fn delete(session: &mut Session, row: &PgAuthMembers) {
    let object = ObjectAddress { class: PG_AUTH_MEMBERS, oid: row.oid, column: 0 };
    session.transaction().delete(oid::INVALID, CatalogKey::PgAuthMembers(row.key()));
    change_members(session, object, oid::INVALID, &[row.grantor], &[]);
}

/// Ends the memberships in a role that is dropped, and its own.
pub fn memberships_gone(session: &mut Session, role: Oid) {
    let environment = session.environment();
    let catalog = environment.catalog();
    let rows: Vec<PgAuthMembers> = catalog.members_of(role).chain(catalog.memberships_of(role)).cloned().collect();
    rows.iter().for_each(|row| delete(session, row));
}

/// What becomes of a membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Nothing,
    Delete,
    NoAdmin,
    NoInherit,
    NoSet,
}

/// The memberships in a role, and what becomes of each (`plan_recursive_revoke`).
struct Plan {
    rows: Vec<PgAuthMembers>,
    actions: Vec<Action>,
}

impl Plan {
    fn new(session: &Session, role: Oid) -> Plan {
        let rows: Vec<PgAuthMembers> = session.shared.roles(|roles| roles.catalog.members_of(role).cloned().collect());
        let actions = vec![Action::Nothing; rows.len()];
        Plan { rows, actions }
    }

    /// Ends a membership, or takes its ADMIN option alone; what its member has granted by that option ends, too.
    fn revoke(&mut self, at: usize, admin_alone: bool, behavior: Behavior) -> Result<()> {
        let mut revoked = vec![(at, admin_alone)];
        while let Some((at, admin_alone)) = revoked.pop() {
            let done = self.actions[at] == Action::Delete || (self.actions[at] == Action::NoAdmin && admin_alone);
            let PgAuthMembers { member, admin_option, .. } = self.rows[at];
            if done || (admin_alone && !admin_option) {
                continue;
            }
            self.actions[at] = if admin_alone { Action::NoAdmin } else { Action::Delete };
            let administers = |(row, action): (&PgAuthMembers, &Action)| {
                row.member == member && row.admin_option && *action == Action::Nothing
            };
            if !admin_option || self.rows.iter().zip(&self.actions).any(administers) {
                continue;
            }
            for (next, row) in self.rows.iter().enumerate() {
                if row.grantor == member && self.actions[next] != Action::Delete {
                    if behavior == Behavior::Restrict {
                        return Err(EngineError::new(
                            sqlstate::DEPENDENT_OBJECTS_STILL_EXIST,
                            "dependent privileges exist",
                        )
                        .hint("Use CASCADE to revoke them too."));
                    }
                    revoked.push((next, false));
                }
            }
        }
        Ok(())
    }
}

/// A role that no superuser has made is administered by the role that made it, which may have set that it gets more
/// (`createrole_self_grant`).
pub fn self_grant(session: &mut Session, role: Oid, creator: &PgAuthid) {
    let granted = |grantor, admin_option, inherit_option, set_option| PgAuthMembers {
        oid: oid::INVALID,
        roleid: role,
        member: creator.oid,
        grantor,
        admin_option,
        inherit_option,
        set_option,
    };
    let oid = session.db().new_oid();
    put_new(session, PgAuthMembers { oid, ..granted(BOOTSTRAP_SUPERUSER, true, false, false) });
    let wanted = session.shared.settings.read().get("createrole_self_grant").to_ascii_lowercase();
    let wants = |option: &str| wanted.split(',').any(|one| one.trim() == option);
    if wants("set") || wants("inherit") {
        let oid = session.db().new_oid();
        put_new(session, PgAuthMembers { oid, ..granted(creator.oid, false, wants("inherit"), wants("set")) });
    }
}
