//! What is asked about single objects and needs no definition: may a view be changed, where a column is in an index.

use std::path::Path;

use analyze::rewrite::{DELETE_EVENT, UPDATE_EVENT, relation_is_updatable};
use catalog::acl::role::PG_READ_ALL_STATS;
use catalog::acl::{How, Roles, RowSecurity, denied};
use catalog::object::ObjectAddress;
use engine::DEFAULT_TABLESPACE;
use error::sqlstate;
use storage::RelationId;
use types::acl::mode::CREATE;
use types::names::PG_TABLESPACE;
use types::{Datum, Error, Oid, Result, oid};

use super::{Answer, AnswerRows, Row, Server, count, oid_argument};
use crate::functions::sizes::file_of;
use crate::setting::tablespace::GLOBAL;

pub const ANSWERS: &[(&str, Answer)] = &[
    ("pg_is_other_temp_schema", |_, _| Ok(false.into())),
    ("pg_relation_is_updatable", |server, arguments| Ok(events(server, oid_argument(arguments), None).into())),
    ("pg_column_is_updatable", column_is_updatable),
    ("pg_relation_is_publishable", relation_is_publishable),
    ("row_security_active", row_security_active),
    ("pg_relation_filenode", relation_filenode),
    ("pg_relation_filepath", relation_filepath),
    ("pg_tablespace_location", tablespace_location),
    ("pg_tablespace_size", tablespace_size),
    ("_pg_index_position", index_position),
];

pub const ROWS: &[(&str, AnswerRows)] = &[("pg_tablespace_databases", tablespace_databases)];

/// What may be done with a relation's rows or a column of them, as bits of commands.
fn events(server: &Server<'_>, relation: Oid, column: Option<i16>) -> i32 {
    server.with_relations(|relations| relation_is_updatable(relations, relation, column))
}

fn column_is_updatable(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let column = match arguments.get(1) {
        Some(Datum::I16(column)) => *column,
        _ => 0,
    };
    let needed = UPDATE_EVENT | DELETE_EVENT;
    // No statement may change system columns.
    Ok((column > 0 && events(server, oid_argument(arguments), Some(column)) & needed == needed).into())
}

/// The first oid of what is not pinned.
const FIRST_UNPINNED: Oid = 12000;

fn relation_is_publishable(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let row = server.rows().relation(oid_argument(arguments));
    let is = |row: &catalog::catalogs::PgClass| {
        matches!(row.relkind, b'r' | b'p') && row.relpersistence == b'p' && row.oid >= FIRST_UNPINNED
    };
    Ok(row.map(is).into())
}

/// Do policies say which rows of a relation the session's role sees? `false` for what is no relation.
fn row_security_active(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let active = |row| server.with_roles(|roles, own| roles.row_security(own, row) != RowSecurity::None);
    Ok(server.rows().relation(oid_argument(arguments)).and_then(active).unwrap_or(false).into())
}

/// The number of a relation's file. Catalogs have none: they are in memory.
fn relation_filenode(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    Ok(relation_file(server, arguments).map(|id| id.file).into())
}

/// Where a relation's file is in the data directory; of one in another tablespace, what leads there.
fn relation_filepath(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    Ok(relation_file(server, arguments).map(|id| id.to_string()).into())
}

fn relation_file(server: &Server<'_>, arguments: &[Datum]) -> Option<RelationId> {
    let database = server.catalog.database_by_oid(server.database)?;
    file_of(database, oid_argument(arguments)).map(|file| RelationId { database: server.database, file })
}

/// The built-in ones are in the data directory; so are those made in place, as PostgreSQL calls it.
fn tablespace_location(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let tablespace = oid_argument(arguments);
    if matches!(tablespace, oid::INVALID | DEFAULT_TABLESPACE | GLOBAL) {
        return Ok("".into());
    }
    if server.rows().tablespace(tablespace).is_some() {
        let location = server.db.files().tablespace_location(tablespace);
        return Ok(location.unwrap_or_else(|| format!("pg_tblspc/{tablespace}")).into());
    }
    let message = format!("could not stat file \"pg_tblspc/{tablespace}\": No such file or directory");
    Err(Error::new(sqlstate::UNDEFINED_FILE, message))
}

/// The bytes of all files in a tablespace.
fn tablespace_size(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let named = |name: &str| {
        let found = server.rows().tablespaces_named(name).next().map(|row| row.oid);
        found.ok_or_else(|| Error::new(sqlstate::UNDEFINED_OBJECT, format!("tablespace \"{name}\" does not exist")))
    };
    let tablespace = match arguments.first() {
        Some(Datum::Text(name)) => named(name)?,
        _ => oid_argument(arguments),
    };
    require_to_see_size(server, tablespace)?;
    let directory = match tablespace {
        DEFAULT_TABLESPACE => server.directory().join("base"),
        GLOBAL => server.directory().join("global"),
        _ if server.rows().tablespace(tablespace).is_some() => server.db.files().tablespace_directory(tablespace),
        _ => return Ok(Datum::Null),
    };
    Ok(count(bytes_below(&directory, 2)))
}

/// How large the tablespace of the database is each role may see, others those that may make things there or see all statistics.
fn require_to_see_size(server: &Server<'_>, tablespace: Oid) -> Result<()> {
    let is_own = server.rows().database(server.database).is_some_and(|row| row.dattablespace == tablespace);
    let object = ObjectAddress { class: PG_TABLESPACE, oid: tablespace, column: 0 };
    let asked = |roles: Roles<'_>, own| match roles.mask(own, object, CREATE, How::Any) {
        Some(0) if !roles.has_privileges_of(own, PG_READ_ALL_STATS) => Err(denied(roles.catalog, object)),
        _ => Ok(()),
    };
    if is_own { Ok(()) } else { server.with_roles(asked).unwrap_or(Ok(())) }
}

/// The databases that have something in a tablespace (`pg_tablespace_databases`).
fn tablespace_databases(server: &Server<'_>, arguments: &[Datum]) -> Result<Vec<Row>> {
    let databases: Vec<Oid> = match oid_argument(arguments) {
        DEFAULT_TABLESPACE => server.catalog.databases().map(|database| database.oid).collect(),
        tablespace => server.catalog.databases_in(tablespace).map(|database| database.oid).collect(),
    };
    Ok(databases.into_iter().map(|oid| vec![Datum::U32(oid)]).collect())
}

/// The bytes of the files and directories in a directory, and in those so many levels down.
fn bytes_below(directory: &Path, levels: usize) -> u64 {
    let Ok(entries) = std::fs::read_dir(directory) else { return 0 };
    let bytes = |entry: std::fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() && levels > 0 => found.len() + bytes_below(&entry.path(), levels - 1),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.flatten().map(bytes).sum()
}

fn index_position(server: &Server<'_>, arguments: &[Datum]) -> Result<Datum> {
    let Some(Datum::I16(column)) = arguments.get(1) else { return Ok(Datum::Null) };
    let index = server.rows().index(oid_argument(arguments));
    let place = index.and_then(|index| index.indkey.iter().position(|key| key == column));
    Ok(place.map(|place| place as i32 + 1).into())
}
