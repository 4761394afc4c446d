//! The views about roles and about who may connect how.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use engine::hba::{self, Address, Name};
use engine::{EngineError, Result, RoleDef};

use super::{Cell, Rows};
use crate::roles::require_superuser;
use crate::session::Shared;

/// Columns and rows, if it is one of these views.
pub fn view(shared: &Shared, name: &str) -> Result<Option<(&'static str, Rows)>> {
    let secret = |what: &str| require_superuser(shared, &format!("for {what} {name}"));
    Ok(Some(match name {
        "pg_roles" => roles(shared, false),
        "pg_authid" => {
            secret("table")?;
            roles(shared, true)
        }
        "pg_user" => users(shared, false),
        "pg_shadow" => {
            secret("view")?;
            users(shared, true)
        }
        "pg_hba_file_rules" => {
            secret("view")?;
            rules(shared)?
        }
        "pg_ident_file_mappings" => {
            secret("view")?;
            mappings(shared)?
        }
        "pg_stat_ssl" => ssl(shared),
        _ => return Ok(None),
    }))
}

/// The end of a password, if it has one.
fn until(role: &RoleDef) -> Option<SystemTime> {
    let micros = role.valid_until.filter(|micros| *micros != i64::MAX)?;
    Some(UNIX_EPOCH + Duration::from_micros(micros.max(0) as u64))
}

fn roles(shared: &Shared, secrets: bool) -> (&'static str, Rows) {
    let spec = if secrets {
        "oid oid, rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool, \
         rolreplication bool, rolbypassrls bool, rolconnlimit int4, rolpassword text, rolvaliduntil timestamptz"
    } else {
        "rolname name, rolsuper bool, rolinherit bool, rolcreaterole bool, rolcreatedb bool, rolcanlogin bool, \
         rolreplication bool, rolconnlimit int4, rolpassword text, rolvaliduntil timestamptz, rolbypassrls bool, \
         rolconfig text[], oid oid"
    };
    let catalog = shared.catalog();
    let rows = catalog.roles.values().map(|r| {
        let (name, limit) = (r.name.as_str(), r.connection_limit.map_or(-1, i64::from));
        if secrets {
            row![
                r.oid,
                name,
                r.superuser,
                r.inherit,
                r.create_role,
                r.create_db,
                r.login,
                r.replication,
                r.bypass_rls,
                limit,
                r.password.clone(),
                until(r),
            ]
        } else {
            row![
                name,
                r.superuser,
                r.inherit,
                r.create_role,
                r.create_db,
                r.login,
                r.replication,
                limit,
                "********",
                until(r),
                r.bypass_rls,
                Cell::Null,
                r.oid,
            ]
        }
    });
    (spec, rows.collect())
}

fn users(shared: &Shared, secrets: bool) -> (&'static str, Rows) {
    let spec = "usename name, usesysid oid, usecreatedb bool, usesuper bool, userepl bool, usebypassrls bool, passwd text, \
                valuntil timestamptz, useconfig text[]";
    let catalog = shared.catalog();
    let rows = catalog.roles.values().filter(|r| r.login).map(|r| {
        let password = if secrets { r.password.clone() } else { Some("********".into()) };
        row![
            r.name.as_str(),
            r.oid,
            r.create_db,
            r.superuser,
            r.replication,
            r.bypass_rls,
            password,
            until(r),
            Cell::Null,
        ]
    });
    (spec, rows.collect())
}

fn names(names: &[Name]) -> Vec<String> {
    names.iter().map(|name| name.word.text.clone()).collect()
}

fn unreadable(error: String) -> EngineError {
    EngineError::new("58P01", error)
}

fn rules(shared: &Shared) -> Result<(&'static str, Rows)> {
    let spec = "rule_number int4, file_name text, line_number int4, type text, database text[], user_name text[], \
                address text, netmask text, auth_method text, options text[], error text";
    let path = shared.db.settings().get("hba_file").to_string();
    let mut number = 0;
    let mut rows = Rows::new();
    for line in hba::load(Path::new(&path)).map_err(unreadable)? {
        let file = line.file.display().to_string();
        rows.push(match line.rule {
            Err(error) => {
                let n = Cell::Null;
                row![
                    n.clone(),
                    file,
                    line.number,
                    n.clone(),
                    n.clone(),
                    n.clone(),
                    n.clone(),
                    n.clone(),
                    n.clone(),
                    n,
                    error
                ]
            }
            Ok(rule) => {
                number += 1;
                let (address, mask) = match &rule.address {
                    None => (None, None),
                    Some(Address::All) => (Some("all".to_string()), None),
                    Some(Address::SameHost) => (Some("samehost".to_string()), None),
                    Some(Address::SameNet) => (Some("samenet".to_string()), None),
                    Some(Address::Net(net, mask)) => (Some(net.to_string()), Some(mask.to_string())),
                };
                let mut options = rule.options.clone();
                if rule.method == hba::Method::Cert && !options.iter().any(|o| o.starts_with("clientcert=")) {
                    options.push("clientcert=verify-full".into());
                }
                let options = (!options.is_empty()).then_some(options);
                row![
                    number,
                    file,
                    line.number,
                    rule.kind.name(),
                    names(&rule.databases),
                    names(&rule.users),
                    address,
                    mask,
                    rule.method.name(),
                    options,
                    Cell::Null,
                ]
            }
        });
    }
    Ok((spec, rows))
}

fn mappings(shared: &Shared) -> Result<(&'static str, Rows)> {
    let spec =
        "map_number int4, file_name text, line_number int4, map_name text, sys_name text, pg_username text, error text";
    let path = shared.db.settings().get("ident_file").to_string();
    let mut number = 0;
    let mut rows = Rows::new();
    for line in hba::load_idents(Path::new(&path)).map_err(unreadable)? {
        let file = line.file.display().to_string();
        rows.push(match line.map {
            Err(error) => {
                row![Cell::Null, file, line.number, Cell::Null, Cell::Null, Cell::Null, error]
            }
            Ok(map) => {
                number += 1;
                row![number, file, line.number, map.map, map.system_name.word.text, map.role.word.text, Cell::Null]
            }
        });
    }
    Ok((spec, rows))
}

fn ssl(shared: &Shared) -> (&'static str, Rows) {
    let spec = "pid int4, ssl bool, version text, cipher text, bits int4, client_dn text, client_serial numeric, issuer_dn text";
    let clients = shared.db.activity().list().into_iter().filter_map(|a| Some((a.pid, a.client?)));
    let rows = clients.map(|(pid, client)| {
        let tls = client.tls.as_deref();
        let certificate = tls.and_then(|tls| tls.certificate.as_ref());
        row![
            pid,
            tls.is_some(),
            tls.map(|tls| tls.version),
            tls.map(|tls| tls.cipher.clone()),
            tls.map(|tls| tls.bits),
            certificate.map(|c| c.subject.clone()),
            certificate.map(|c| c.serial.clone()),
            certificate.map(|c| c.issuer.clone()),
        ]
    });
    (spec, rows.collect())
}
