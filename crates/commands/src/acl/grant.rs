//! GRANT and REVOKE of privileges on objects (`ExecuteGrantStmt`).

use catalog::Catalog;
use catalog::acl::{Behavior, Change, Grantor, How, Roles, default_of, denied_column, securable};
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::errors::reported;
use session::{ParsedStatement, Reply, Session, done};
use syntax::nodes::{AccessPriv, DropBehavior, GrantStmt, Node, ObjectType};
use types::acl::{
    AclItem, AclMode, PRIVILEGES, all_privileges, grant_options, mode, of_grant_options, privilege_of_name,
};
use types::names::{PG_CLASS, PG_PARAMETER_ACL, PG_PROC, Securable};
use types::{Oid, oid};

use super::{grantees, put, require_own_grantor, target};
use crate::object::object_address;

/// What is granted or revoked, whatever the object is.
pub(super) struct Grant {
    pub change: Change,
    /// All privileges of the object's kind.
    pub all: bool,
    pub privileges: AclMode,
    /// Privileges on columns: each with the columns' names.
    columns: Vec<(AclMode, Vec<String>)>,
    pub grantees: Vec<Oid>,
    /// WITH GRANT OPTION, or GRANT OPTION FOR.
    pub grant_option: bool,
    pub behavior: Behavior,
}

pub async fn run(session: &mut Session, statement: &ParsedStatement, grant: &GrantStmt) -> Result<Reply> {
    let tag = if grant.is_grant { "GRANT" } else { "REVOKE" };
    session.require_writable(tag)?;
    require_own_grantor(session, grant.grantor.as_deref())?;
    let objects = target::objects(session, statement, grant).await?;
    let given = read(session, grant, privileges_on(grant.objtype)).await?;
    for object in objects {
        let environment = session.environment();
        target::check(environment.catalog(), grant.objtype, object)?;
        match object.class {
            PG_CLASS => on_relation(session, &given, grant.objtype, object)?,
            _ => on_object(session, &given, object)?,
        }
    }
    Ok(done(tag))
}

/// What a statement says besides objects. `on`: what may be granted, and how messages call that kind.
pub(super) async fn read(session: &mut Session, grant: &GrantStmt, on: (AclMode, &str)) -> Result<Grant> {
    let grantees = grantees(session, &grant.grantees).await?;
    let mut given = Grant {
        change: if grant.is_grant { Change::Grant } else { Change::Revoke },
        all: grant.privileges.is_empty(),
        privileges: 0,
        columns: Vec::new(),
        grantees,
        grant_option: grant.grant_option,
        behavior: match grant.behavior {
            DropBehavior::DROP_CASCADE => Behavior::Cascade,
            DropBehavior::DROP_RESTRICT => Behavior::Restrict,
        },
    };
    for node in &grant.privileges {
        let Node::AccessPriv(privilege) = node else { continue };
        let AccessPriv { priv_name, cols } = &**privilege;
        let mode = priv_name.as_deref().map(mode_of).transpose()?;
        if !cols.is_empty() {
            if grant.objtype != ObjectType::OBJECT_TABLE {
                return Err(invalid("column privileges are only valid for relations"));
            }
            let all = all_privileges(Securable::Column);
            let names = cols.iter().filter_map(object_address::string).collect();
            given.columns.push((mode.unwrap_or(all), names));
            continue;
        }
        let mode = mode.unwrap_or_default();
        if mode & !on.0 != 0 {
            return Err(invalid(format!("invalid privilege type {} for {}", name_of(mode), on.1)));
        }
        given.privileges |= mode;
    }
    Ok(given)
}

pub(super) fn invalid(message: impl Into<String>) -> EngineError {
    EngineError::new(sqlstate::INVALID_GRANT_OPERATION, message)
}

/// `string_to_privilege`.
fn mode_of(name: &str) -> Result<AclMode> {
    // An old name of nothing.
    if name == "rule" {
        return Ok(0);
    }
    let unknown = || EngineError::new(sqlstate::SYNTAX_ERROR, format!("unrecognized privilege type \"{name}\""));
    privilege_of_name(&name.to_ascii_uppercase()).ok_or_else(unknown)
}

fn name_of(mode: AclMode) -> &'static str {
    if mode == mode::TEMPORARY {
        return "TEMP";
    }
    PRIVILEGES.iter().find(|(.., known)| *known == mode).map_or("", |(_, name, _)| name)
}

/// What may be granted on objects of the grammar's kind, and how messages call it.
fn privileges_on(kind: ObjectType) -> (AclMode, &'static str) {
    use ObjectType::*;
    match kind {
        // The grammar does not tell tables from sequences.
        OBJECT_TABLE => (all_privileges(Securable::Table) | all_privileges(Securable::Sequence), "relation"),
        OBJECT_SEQUENCE => (all_privileges(Securable::Sequence), "sequence"),
        OBJECT_DATABASE => (all_privileges(Securable::Database), "database"),
        OBJECT_DOMAIN => (all_privileges(Securable::Type), "domain"),
        OBJECT_FUNCTION => (all_privileges(Securable::Function), "function"),
        OBJECT_LANGUAGE => (all_privileges(Securable::Language), "language"),
        OBJECT_LARGEOBJECT => (all_privileges(Securable::LargeObject), "large object"),
        OBJECT_SCHEMA => (all_privileges(Securable::Schema), "schema"),
        OBJECT_PROCEDURE => (all_privileges(Securable::Function), "procedure"),
        OBJECT_ROUTINE => (all_privileges(Securable::Function), "routine"),
        OBJECT_TABLESPACE => (all_privileges(Securable::Tablespace), "tablespace"),
        OBJECT_TYPE => (all_privileges(Securable::Type), "type"),
        OBJECT_FDW => (all_privileges(Securable::ForeignDataWrapper), "foreign-data wrapper"),
        OBJECT_FOREIGN_SERVER => (all_privileges(Securable::ForeignServer), "foreign server"),
        _ => (all_privileges(Securable::Parameter), "parameter"),
    }
}

impl Grant {
    /// All rights of a role, whatever the object is, with what depends on them.
    pub(super) fn revoke_all(role: Oid) -> Grant {
        let (change, behavior) = (Change::Revoke, Behavior::Cascade);
        let (all, grant_option) = (true, false);
        Grant { change, all, privileges: 0, columns: Vec::new(), grantees: vec![role], grant_option, behavior }
    }
}

/// Changes the rights on an object of any kind.
pub(super) fn on(session: &mut Session, given: &Grant, object: ObjectAddress) -> Result<()> {
    match object.class {
        PG_CLASS => on_relation(session, given, ObjectType::OBJECT_TABLE, object),
        _ => on_object(session, given, object),
    }
}

/// An object that is no relation (`ExecGrant_common`, `ExecGrant_Parameter`).
fn on_object(session: &mut Session, given: &Grant, object: ObjectAddress) -> Result<()> {
    let kind = securable(session.environment().catalog(), object);
    let privileges = match (given.all, kind) {
        (true, Some(kind)) => all_privileges(kind),
        _ => given.privileges,
    };
    change_list(session, given, object, privileges, &[])?;
    if object.class == PG_PARAMETER_ACL {
        forget_parameter(session, object);
    }
    Ok(())
}

/// A parameter that only superusers set has no row.
fn forget_parameter(session: &mut Session, object: ObjectAddress) {
    let environment = session.environment();
    let catalog = environment.catalog();
    let default = default_of(catalog, object, catalog::acl::BOOTSTRAP_SUPERUSER);
    let row = catalog.parameter_acl(object.oid).filter(|row| row.paracl.as_deref() == Some(&default[..]));
    if let Some(row) = row {
        let key = catalog::CatalogKey::PgParameterAcl(catalog::Keyed::key(row));
        session.transaction().delete(oid::INVALID, key);
        session.show_changes();
    }
}

/// A relation and its columns (`ExecGrant_Relation`).
fn on_relation(session: &mut Session, given: &Grant, kind: ObjectType, object: ObjectAddress) -> Result<()> {
    let environment = session.environment();
    let catalog = environment.catalog();
    let Some(row) = catalog.relation(object.oid) else { return Ok(()) };
    let is_sequence = row.relkind == b'S';
    let all = all_privileges(if is_sequence { Securable::Sequence } else { Securable::Table });
    let mut privileges = if given.all { all } else { given.privileges };
    if kind == ObjectType::OBJECT_TABLE && privileges & !all != 0 {
        if !is_sequence {
            return Err(invalid("invalid privilege type USAGE for table"));
        }
        let message = format!("sequence \"{}\" only supports USAGE, SELECT, and UPDATE privileges", row.relname);
        session.notice("WARNING", invalid(message));
        privileges &= all;
    }
    let columns = of_columns(session, given, object, privileges)?;
    let before = row.relacl.as_deref().map_or_else(|| default_of(catalog, object, row.relowner), <[_]>::to_vec);
    if privileges != 0 {
        change_list(session, given, object, privileges, &[])?;
    }
    for (number, privileges) in columns {
        let column = ObjectAddress { column: number.into(), ..object };
        change_list(session, given, column, privileges, &before)?;
    }
    Ok(())
}

/// What changes of columns, by their numbers: what is said of them, and what is revoked from the whole relation.
fn of_columns(
    session: &Session,
    given: &Grant,
    object: ObjectAddress,
    privileges: AclMode,
) -> Result<Vec<(i16, AclMode)>> {
    let catalog = session.shared.catalog();
    let Some(catalog) = catalog.database_by_oid(session.shared.database.0).map(|found| found.catalog()) else {
        return Ok(Vec::new());
    };
    let Some(row) = catalog.relation(object.oid) else { return Ok(Vec::new()) };
    let all = all_privileges(Securable::Column);
    let revoked = if given.change == Change::Revoke { privileges & all } else { 0 };
    let mut own: Vec<_> = catalog.attributes(object.oid).filter(|column| !column.attisdropped).collect();
    own.sort_by_key(|column| column.attnum);
    let mut wanted: Vec<(i16, AclMode)> = own.iter().map(|column| (column.attnum, revoked)).collect();
    for (mode, names) in &given.columns {
        let mut mode = *mode;
        if mode & !all != 0 {
            return Err(invalid(format!("invalid privilege type {} for column", name_of(mode))));
        }
        if row.relkind == b'S' && mode & !mode::SELECT != 0 {
            let message = format!("sequence \"{}\" only supports SELECT column privileges", row.relname);
            session.notice("WARNING", invalid(message));
            mode &= mode::SELECT;
        }
        for name in names {
            let missing = || {
                let message = format!("column \"{name}\" of relation \"{}\" does not exist", row.relname);
                EngineError::new(sqlstate::UNDEFINED_COLUMN, message)
            };
            let at = own.iter().position(|column| column.attname == *name).ok_or_else(missing)?;
            wanted[at].1 |= mode;
        }
    }
    wanted.retain(|(_, mode)| *mode != 0);
    Ok(wanted)
}

/// Changes the rights of an object, or of a column, whose relation's rights are `whole`.
fn change_list(
    session: &mut Session,
    given: &Grant,
    object: ObjectAddress,
    privileges: AclMode,
    whole: &[AclItem],
) -> Result<()> {
    let environment = session.environment();
    let (roles, catalog) = (environment.roles(), environment.catalog());
    let Some(found) = catalog.object(object) else { return Ok(()) };
    let owner = found.owner.unwrap_or(catalog::acl::BOOTSTRAP_SUPERUSER);
    let stored: Option<Vec<AclItem>> = match object.column {
        0 => found.acl.map(<[_]>::to_vec),
        number => {
            let mut columns = catalog.attributes(object.oid);
            columns
                .find(|row| i32::from(row.attnum) == number)
                .and_then(|row| row.attacl.as_ref().map(|acl| acl.to_vec()))
        }
    };
    let before = stored.clone().unwrap_or_else(|| default_of(catalog, object, owner));
    let merged = [whole, &before].concat();
    let grantor = roles.best_grantor(environment.role(), privileges, &merged, owner);
    let privileges = allowed(session, given, (roles, object), grantor, privileges)?;
    let after = merge(roles, &before, given, privileges, (grantor.role, owner))?;
    if object.column != 0 && after.is_empty() && stored.is_none() {
        return Ok(());
    }
    put(session, object, owner, stored.as_deref(), &after);
    Ok(())
}

/// What of the privileges the grantor may grant or revoke; warns of the others (`restrict_and_check_grant`).
fn allowed(
    session: &Session,
    given: &Grant,
    (roles, object): (Roles<'_>, ObjectAddress),
    grantor: Grantor,
    privileges: AclMode,
) -> Result<AclMode> {
    let catalog = roles.catalog;
    let kind = securable(catalog, object).map_or(0, all_privileges);
    if grantor.options == 0 {
        let whole = ObjectAddress { column: 0, ..object };
        let any = kind | grant_options(kind);
        let has =
            [object, whole].into_iter().any(|object| roles.mask(grantor.role, object, any, How::Any).unwrap_or(0) != 0);
        if !has {
            return Err(refused(catalog, object));
        }
    }
    let may = privileges & of_grant_options(grantor.options);
    let all = if object.column == 0 { given.all } else { privileges == kind };
    let how_many = match may {
        0 => "no",
        may if may != privileges && !all => "not all",
        _ => return Ok(may),
    };
    let (code, what) = match given.change {
        Change::Grant => (sqlstate::WARNING_PRIVILEGE_NOT_GRANTED, "were granted"),
        Change::Revoke => (sqlstate::WARNING_PRIVILEGE_NOT_REVOKED, "could be revoked"),
    };
    let shown = match column_name(catalog, object) {
        Some(column) => format!("column \"{column}\" of relation \"{}\"", name(catalog, object)),
        None => format!("\"{}\"", name(catalog, object)),
    };
    session.notice("WARNING", EngineError::new(code, format!("{how_many} privileges {what} for {shown}")));
    Ok(may)
}

fn name(catalog: Catalog<'_>, object: ObjectAddress) -> String {
    catalog.object(object).and_then(|found| found.name).unwrap_or_default().to_string()
}

fn column_name(catalog: Catalog<'_>, object: ObjectAddress) -> Option<String> {
    let mut columns = catalog.attributes(object.oid);
    let is_column = object.class == PG_CLASS && object.column != 0;
    columns.find(|row| is_column && i32::from(row.attnum) == object.column).map(|row| row.attname.to_string())
}

/// What a role is told that has no right on an object at all.
fn refused(catalog: Catalog<'_>, object: ObjectAddress) -> EngineError {
    let name = name(catalog, object);
    if let Some(column) = column_name(catalog, object) {
        return reported(denied_column(&column, &name), "");
    }
    let kind = match (securable(catalog, object), object.class) {
        // Whatever relation it is.
        (Some(Securable::Table), _) => "table",
        (Some(Securable::Sequence), _) => "sequence",
        (Some(Securable::Type), _) => "type",
        (_, PG_PROC) => return reported(catalog::acl::denied(catalog, object), ""),
        (Some(Securable::Database), _) => "database",
        (Some(Securable::Language), _) => "language",
        (Some(Securable::Schema), _) => "schema",
        (Some(Securable::Tablespace), _) => "tablespace",
        _ => "parameter",
    };
    EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied for {kind} {name}"))
}

/// A list with what is granted or revoked, for each grantee (`merge_acl_with_grant`).
pub(super) fn merge(
    roles: Roles<'_>,
    before: &[AclItem],
    given: &Grant,
    privileges: AclMode,
    (grantor, owner): (Oid, Oid),
) -> Result<Vec<AclItem>> {
    let mut list = before.to_vec();
    let grants = given.change == Change::Grant;
    for &grantee in &given.grantees {
        if grants && given.grant_option && grantee == oid::INVALID {
            // Who has a right by PUBLIC alone cannot hand it on: nothing would take it back.
            return Err(invalid("grant options can only be granted to roles"));
        }
        // REVOKE takes the option with the privilege, GRANT OPTION FOR the option alone.
        let plain = if grants || !given.grant_option { privileges } else { 0 };
        let options = if !grants || given.grant_option { privileges } else { 0 };
        let item = AclItem { grantee, grantor, privs: plain | grant_options(options) };
        let changed = roles.update(&list, item, given.change, owner, given.behavior);
        list = changed.map_err(|error| reported(error, ""))?;
    }
    Ok(list)
}
