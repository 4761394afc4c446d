//! CREATE, ALTER and DROP DATABASE: PostgreSQL's `dbcommands.c`.

use std::time::{Duration, Instant};

use catalog::catalogs::PgDatabase;
use catalog::object::address::ObjectName;
use engine::{EngineError, ObjectAddress, Result};
use error::sqlstate;
use session::errors::at;
use session::ownership::{self, ObjectKind};
use session::{ParsedStatement, Reply, Session, Shared, def_elem, done, uninterrupted};
use syntax::nodes::{AlterDatabaseStmt, CreatedbStmt, DefElem, DropdbStmt, Node};
use txn::LockMode;
use types::names::PG_DATABASE;
use types::oid;

use crate::object::{alter, object_address};
use crate::role::user;

/// How long sessions that are leaving a database may take before it cannot be dropped: PostgreSQL's.
const LEAVING: Duration = Duration::from_secs(5);

/// A connection limit that is none.
const UNLIMITED: i32 = -1;

/// What CREATE DATABASE says that can be done.
#[derive(Default)]
struct Options {
    owner: Option<String>,
}

impl Options {
    fn read(statement: &ParsedStatement, options: &[Node]) -> Result<Options> {
        let mut found = Options::default();
        check_distinct(statement, options)?;
        for option in options {
            let Node::DefElem(option) = option else { continue };
            found.option(option).map_err(|error| at(error, &statement.text, option.location))?;
        }
        Ok(found)
    }

    /// A value that is what every database here has is taken; DEFAULT is no value.
    fn option(&mut self, option: &DefElem) -> Result<()> {
        let name = def_elem::name(option);
        let Some(value) = def_elem::text(option)? else { return Ok(()) };
        let known = match name {
            "owner" => {
                self.owner = Some(value);
                return Ok(());
            }
            "template" => matches!(&*value, "template0" | "template1"),
            "encoding" => {
                let plain: String = value.to_ascii_lowercase().chars().filter(|c| c.is_alphanumeric()).collect();
                matches!(&*plain, "utf8" | "unicode" | "6")
            }
            "locale" | "lc_collate" | "lc_ctype" => matches!(&*value, "C.UTF-8" | "C.UTF8" | "C.utf8"),
            "locale_provider" => value.eq_ignore_ascii_case("libc"),
            "tablespace" => value == "pg_default",
            "connection_limit" => value == "-1",
            "is_template" => !def_elem::boolean(option)?,
            "allow_connections" => def_elem::boolean(option)?,
            "strategy" => ["wal_log", "file_copy"].iter().any(|known| value.eq_ignore_ascii_case(known)),
            "builtin_locale" | "icu_locale" | "icu_rules" | "collation_version" | "oid" => false,
            other => {
                return Err(EngineError::new(sqlstate::SYNTAX_ERROR, format!("option \"{other}\" not recognized")));
            }
        };
        if known { Ok(()) } else { Err(EngineError::unsupported(format!("{name} \"{value}\" of a database"))) }
    }
}

/// No option stands twice.
fn check_distinct(statement: &ParsedStatement, options: &[Node]) -> Result<()> {
    let mut seen: Vec<&str> = Vec::new();
    for option in options {
        let Node::DefElem(option) = option else { continue };
        if seen.contains(&def_elem::name(option)) {
            let error = EngineError::new(sqlstate::SYNTAX_ERROR, "conflicting or redundant options");
            return Err(at(error, &statement.text, option.location));
        }
        seen.push(def_elem::name(option));
    }
    Ok(())
}

pub async fn create(session: &mut Session, statement: &ParsedStatement, create: &CreatedbStmt) -> Result<Reply> {
    session.refuse_in_block("CREATE DATABASE")?;
    session.require_writable("CREATE DATABASE")?;
    let options = Options::read(statement, &create.options)?;
    let role = user::current(&session.shared)?;
    if !role.rolsuper && !role.rolcreatedb {
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, "permission denied to create database"));
    }
    if let Some(owner) = &options.owner {
        if session.shared.catalog().role(owner).is_none() {
            return Err(EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("role \"{owner}\" does not exist")));
        }
        if !role.rolsuper && role.rolname != *owner {
            return Err(EngineError::new(
                sqlstate::INSUFFICIENT_PRIVILEGE,
                format!("must be able to SET ROLE \"{owner}\""),
            ));
        }
    }
    let name = create.dbname.as_deref().unwrap_or_default().to_string();
    let owner = options.owner.unwrap_or(role.rolname.into_owned());
    user::hold(session, &owner).await?;
    let owner = user::oid_of(session, &owner)?;
    let shared = &session.shared;
    let (db, backend) = (shared.db.clone(), shared.backend.clone());
    let _committing = shared.backend.commits();
    uninterrupted(async move { db.create_database(&backend.io, &name, owner).await }).await?;
    Ok(done("CREATE DATABASE"))
}

/// What ALTER DATABASE changes; `None` is what it does not name.
#[derive(Default)]
struct Changes {
    connection_limit: Option<i32>,
    is_template: Option<bool>,
    allow_connections: Option<bool>,
}

impl Changes {
    fn read(statement: &ParsedStatement, options: &[Node]) -> Result<Changes> {
        check_distinct(statement, options)?;
        let mut found = Changes::default();
        for node in options {
            let Node::DefElem(option) = node else { continue };
            let place = |error| at(error, &statement.text, option.location);
            match def_elem::name(option) {
                "connection_limit" | "is_template" | "allow_connections" => {}
                "tablespace" if options.len() > 1 => {
                    let message = "option \"tablespace\" cannot be specified with other options";
                    return Err(place(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, message)));
                }
                "tablespace" => return Err(EngineError::unsupported("moving a database to another tablespace")),
                other => {
                    let message = format!("option \"{other}\" not recognized");
                    return Err(place(EngineError::new(sqlstate::SYNTAX_ERROR, message)));
                }
            }
        }
        let given =
            options.iter().filter_map(|node| if let Node::DefElem(option) = node { Some(option) } else { None });
        // DEFAULT says nothing.
        given.filter(|option| option.arg.is_some()).try_for_each(|option| found.option(option))?;
        Ok(found)
    }

    fn option(&mut self, option: &DefElem) -> Result<()> {
        match def_elem::name(option) {
            "is_template" => self.is_template = Some(def_elem::boolean(option)?),
            "allow_connections" => self.allow_connections = Some(def_elem::boolean(option)?),
            _ => {
                let limit = def_elem::int32(option)?;
                if limit < UNLIMITED {
                    let message = format!("invalid connection limit: {limit}");
                    return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
                }
                self.connection_limit = Some(limit);
            }
        }
        Ok(())
    }
}

pub async fn alter(session: &mut Session, statement: &ParsedStatement, alter: &AlterDatabaseStmt) -> Result<Reply> {
    session.require_writable("ALTER DATABASE")?;
    let changes = Changes::read(statement, &alter.options)?;
    let name = alter.dbname.as_deref().unwrap_or_default();
    let row = |session: &Session| {
        let missing = || EngineError::new(sqlstate::UNDEFINED_DATABASE, format!("database \"{name}\" does not exist"));
        session.shared.catalog().database(name).map(|found| PgDatabase::clone(found)).ok_or_else(missing)
    };
    let find = |session: &mut Session| {
        let row = row(session)?;
        ownership::require_owner(&session.shared, ObjectKind::Database, name, row.datdba)?;
        if changes.allow_connections == Some(false) && row.oid == session.shared.database.0 {
            let message = "cannot disallow connections for current database";
            return Err(EngineError::new(sqlstate::INVALID_PARAMETER_VALUE, message));
        }
        Ok(ObjectAddress { class: PG_DATABASE, oid: row.oid, column: 0 })
    };
    object_address::lock(session, LockMode::AccessExclusive, find).await?;
    let mut row = row(session)?;
    row.datconnlimit = changes.connection_limit.unwrap_or(row.datconnlimit);
    row.datistemplate = changes.is_template.unwrap_or(row.datistemplate);
    row.datallowconn = changes.allow_connections.unwrap_or(row.datallowconn);
    session.transaction().put(oid::INVALID, row);
    session.show_changes();
    Ok(done("ALTER DATABASE"))
}

pub async fn drop(session: &mut Session, drop: &DropdbStmt) -> Result<Reply> {
    session.refuse_in_block("DROP DATABASE")?;
    session.require_writable("DROP DATABASE")?;
    // The grammar knows no other option than FORCE.
    let force = !drop.options.is_empty();
    let name = drop.dbname.as_deref().unwrap_or_default();
    let catalog = session.shared.catalog();
    let Some(database) = catalog.database(name) else {
        let message = format!("database \"{name}\" does not exist");
        if drop.missing_ok {
            session.notice("NOTICE", EngineError::new(sqlstate::SUCCESSFUL_COMPLETION, message + ", skipping"));
            return Ok(done("DROP DATABASE"));
        }
        return Err(EngineError::new(sqlstate::UNDEFINED_DATABASE, message));
    };
    ownership::require_owner(&session.shared, ObjectKind::Database, name, database.datdba)?;
    if database.datistemplate {
        return Err(EngineError::new(sqlstate::WRONG_OBJECT_TYPE, "cannot drop a template database"));
    }
    if name == session.shared.database.1 {
        return Err(EngineError::new(sqlstate::OBJECT_IN_USE, "cannot drop the currently open database"));
    }
    let oid = database.oid;
    if force {
        end_sessions(&session.shared, oid)?;
    }
    drop_database(&session.shared, name.to_string(), oid).await?;
    Ok(done("DROP DATABASE"))
}

/// WITH (FORCE): ends all sessions in a database, or none where one may not be ended (`TerminateOtherDBBackends`).
fn end_sessions(shared: &Shared, oid: u32) -> Result<()> {
    let sessions: Vec<_> = shared.db.activity().clients_in(oid).collect();
    sessions.iter().try_for_each(|session| user::may_signal(shared, session, user::Signal::Terminate))?;
    sessions.iter().for_each(|session| session.request_termination());
    Ok(())
}

/// What a database has against a new name (`RenameDatabase`).
pub fn may_rename(session: &mut Session, name: &ObjectName, database: ObjectAddress, new: &str) -> Result<()> {
    ownership::require_owner_of(session, ObjectKind::Database, name, database)?;
    let role = user::current(&session.shared)?;
    if !role.rolsuper && !role.rolcreatedb {
        let message = "permission denied to rename database";
        return Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message));
    }
    alter::require_free(session, ObjectKind::Database, new)?;
    if database.oid == session.shared.database.0 {
        return Err(EngineError::new(sqlstate::FEATURE_NOT_SUPPORTED, "current database cannot be renamed"));
    }
    Ok(())
}

/// Sessions keep the name of their database: fails where there are any in it.
pub async fn await_leaving(session: &mut Session, name: &str) -> Result<()> {
    let Some(oid) = session.shared.catalog().database(name).map(|database| database.oid) else { return Ok(()) };
    await_no_sessions(&session.shared, oid).await;
    match session.db().activity().sessions_in(oid) {
        0 => Ok(()),
        others => Err(engine::database_in_use(name, others)),
    }
}

/// The role gives a database to another, as if it made one for it.
pub fn may_give(session: &Session) -> Result<()> {
    let role = user::current(&session.shared)?;
    match role.rolsuper || role.rolcreatedb {
        true => Ok(()),
        false => {
            let message = "permission denied to change owner of database";
            Err(EngineError::new(sqlstate::INSUFFICIENT_PRIVILEGE, message))
        }
    }
}

/// As PostgreSQL, waits for sessions that are just leaving.
async fn await_no_sessions(shared: &Shared, oid: u32) {
    let deadline = Instant::now() + LEAVING;
    while shared.db.activity().sessions_in(oid) > 0 && Instant::now() < deadline {
        tokio::time::sleep(LEAVING / 50).await;
    }
}

async fn drop_database(shared: &Shared, name: String, oid: u32) -> Result<()> {
    let (db, backend) = (shared.db.clone(), shared.backend.clone());
    await_no_sessions(shared, oid).await;
    let _committing = shared.backend.commits();
    uninterrupted(async move { db.drop_database(&backend.io, &name).await }).await
}
