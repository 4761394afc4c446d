//! What functions tell of the server ([`types::server`]): PostgreSQL's `pgstatfuncs.c`, `lockfuncs.c`, `guc_funcs.c`,
//! `hbafuncs.c`. Its system views are queries over them.
//!
//! [`answer`] and [`answer_rows`] find a function by its name; each file has those of one subject. What this server does not
//! count is what PostgreSQL shows where nothing has happened: 0, or NULL for a time.

mod absent;
mod activity;
mod databases;
pub mod extensions;
mod io;
mod locks;
mod objects;
mod own;
mod progress;
mod server;
mod settings;
mod snapshot;
mod tables;
mod undo;

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::{SystemTime, UNIX_EPOCH};

use analyze::funcapi::out_parameters;
use analyze::relations::CatalogRelations;
use analyze::rewrite::stored::StoredTrees;
use catalog::acl::role::PG_READ_ALL_STATS;
use catalog::acl::{Memberships, Roles};
use catalog::{Catalog, Objects};
use config::Settings;
use engine::{Backend, Database};
use error::sqlstate;
use types::array::ArrayBuilder;
use types::record::{RecordBuilder, RowNames};
use types::set_returning::{Given, Set};
use types::{Datum, Error, Oid, Repr, Result, Scalar, oid};

use crate::environment::stored_context;

pub use own::{Cursor, Own, PreparedStatement};
pub use snapshot::StatsSnapshot;

/// The server as a session sees it.
pub struct Server<'a> {
    pub db: &'a Database,
    /// The session that asks.
    pub backend: &'a Backend,
    /// Its database.
    pub database: Oid,
    pub catalog: Arc<engine::Catalog>,
    /// The same as rows.
    objects: Arc<Objects>,
    /// Whom the session acts as.
    pub role: &'a str,
    pub settings: &'a Settings,
    /// What RESET goes back to.
    pub initial: &'a Settings,
    /// What the session keeps; `None`: it does not tell.
    pub own: Option<&'a Own>,
    /// What its transaction keeps of the statistics, and the transaction. `None`: no session is in one.
    pub snapshot: Option<&'a StatsSnapshot>,
    pub transaction: Option<&'a executor::SharedTransaction>,
}

type Answer = fn(&Server<'_>, &[Datum]) -> Result<Datum>;
type Row = Vec<Datum>;
type AnswerRows = fn(&Server<'_>, &[Datum]) -> Result<Vec<Row>>;

impl<'a> Server<'a> {
    pub fn new(
        (db, backend): (&'a Database, &'a Backend),
        database: Oid,
        catalog: Arc<engine::Catalog>,
        role: &'a str,
        (settings, initial): (&'a Settings, &'a Settings),
    ) -> Server<'a> {
        let objects = catalog.database_by_oid(database).map(|found| found.objects().clone()).unwrap_or_default();
        Server {
            db,
            backend,
            database,
            catalog,
            objects,
            role,
            settings,
            initial,
            own: None,
            snapshot: None,
            transaction: None,
        }
    }

    fn is_superuser(&self) -> bool {
        self.catalog.is_superuser(self.role)
    }

    /// May the session see what a role does?
    fn may_see(&self, role: Option<&str>) -> bool {
        let may_act = |other: &str| {
            let other = self.catalog.role(other).map(|row| row.oid);
            other.is_some_and(|other| self.has_privileges_of(other))
        };
        self.has_privileges_of(PG_READ_ALL_STATS) || role.is_some_and(may_act)
    }

    /// Has the session's role the privileges of another?
    fn has_privileges_of(&self, role: Oid) -> bool {
        self.with_roles(|roles, own| roles.has_privileges_of(own, role)) == Some(true)
    }

    /// Asks about roles; the second is the session's. `None`: that is gone.
    fn with_roles<T>(&self, ask: impl FnOnce(Roles<'_>, Oid) -> T) -> Option<T> {
        let known = Memberships::default();
        let roles = Roles { catalog: self.rows(), database: self.database, known: &known };
        self.catalog.role(self.role).map(|own| ask(roles, own.oid))
    }

    pub(crate) fn require_superuser(&self, what: &str) -> Result<()> {
        match self.is_superuser() {
            true => Ok(()),
            false => Err(Error::new(sqlstate::INSUFFICIENT_PRIVILEGE, format!("permission denied for {what}"))),
        }
    }

    fn rows(&self) -> Catalog<'_> {
        Catalog { search_path: &[], objects: Some(&self.objects), viewer: None }
    }

    /// Asks about relations, whose definitions may have to be read.
    fn with_relations<T>(&self, ask: impl FnOnce(&CatalogRelations<'_>) -> T) -> T {
        let database = self.catalog.database_by_oid(self.database);
        let database = (self.database, database.map_or_else(String::new, |database| database.name().to_string()));
        let trees = StoredTrees::new(stored_context(&self.objects, &database));
        ask(&CatalogRelations { catalog: self.rows(), trees: &trees })
    }

    fn directory(&self) -> &Path {
        self.db.root()
    }
}

static ANSWERS: LazyLock<HashMap<&str, Answer>> = LazyLock::new(|| {
    let all = [
        absent::ANSWERS,
        activity::ANSWERS,
        progress::ANSWERS,
        databases::ANSWERS,
        objects::ANSWERS,
        server::ANSWERS,
        tables::ANSWERS,
    ];
    all.concat().into_iter().collect()
});

static ROWS: LazyLock<HashMap<&str, AnswerRows>> = LazyLock::new(|| {
    let all = [
        absent::ROWS,
        activity::ROWS,
        progress::ROWS,
        io::buffers::ROWS,
        io::devices::ROWS,
        undo::ROWS,
        extensions::ROWS,
        io::files::ROWS,
        io::ROWS,
        locks::ROWS,
        objects::ROWS,
        own::ROWS,
        server::ROWS,
        settings::ROWS,
    ];
    all.concat().into_iter().collect()
});

/// What a function gives that returns one value.
pub fn answer(server: &Server<'_>, function: &str, arguments: &[Datum]) -> Result<Datum> {
    if let Some(kind) = snapshot::fixed_kind(function) {
        let rows = server.fixed(kind, function)?;
        return Ok(rows.into_iter().flatten().next().unwrap_or(Datum::Null));
    }
    let answer = ANSWERS.get(function).ok_or_else(|| Error::unsupported(format_args!("{function}()")))?;
    answer(server, arguments)
}

/// The same as a row of one column, or what a function gives that returns a set, as it is now.
fn ask(server: &Server<'_>, function: &str) -> Result<Vec<Row>> {
    match (ANSWERS.get(function), ROWS.get(function)) {
        (Some(answer), _) => answer(server, &[]).map(|value| vec![vec![value]]),
        (None, Some(answer)) => answer(server, &[]),
        (None, None) => Err(Error::unsupported(format_args!("{function}()"))),
    }
}

/// What a function gives that returns a set.
pub fn answer_set(server: &Server<'_>, function: &str, arguments: &[Datum]) -> Result<Box<dyn Set>> {
    match function {
        "pg_buffercache_pages" => io::buffers::Buffers::of(server),
        _ => answer_rows(server, function, arguments).map(Given::rows),
    }
}

/// Its rows, where they are few.
pub fn answer_rows(server: &Server<'_>, function: &str, arguments: &[Datum]) -> Result<Vec<Row>> {
    if let Some(kind) = snapshot::fixed_kind(function) {
        return server.fixed(kind, function);
    }
    let answer = ROWS.get(function).ok_or_else(|| Error::unsupported(format_args!("{function}()")))?;
    answer(server, arguments)
}

/// A row from values as Rust has them.
macro_rules! row {
    ($($value:expr),* $(,)?) => { vec![$(types::Datum::from($value)),*] };
}
use row;

/// The first argument, which is an oid.
fn oid_argument(arguments: &[Datum]) -> Oid {
    match arguments.first() {
        Some(Datum::U32(oid)) => *oid,
        _ => oid::INVALID,
    }
}

/// The first argument, which is an integer.
fn int_argument(arguments: &[Datum]) -> Option<i32> {
    match arguments.first() {
        Some(Datum::I32(number)) => Some(*number),
        _ => None,
    }
}

fn time(time: SystemTime) -> Datum {
    let micros = time.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros();
    Datum::I64(i64::try_from(micros).unwrap_or(i64::MAX))
}

fn optional_time(at: Option<SystemTime>) -> Datum {
    at.map_or(Datum::Null, time)
}

fn count(number: u64) -> Datum {
    Datum::I64(i64::try_from(number).unwrap_or(i64::MAX))
}

fn numeric(number: u64) -> Datum {
    types::numeric::datum(&types::numeric::Numeric::from(i64::try_from(number).unwrap_or(i64::MAX)))
}

/// Milliseconds, as views have times that were spent.
fn milliseconds(nanos: u64) -> Datum {
    Datum::F64(nanos as f64 / 1e6)
}

fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Result<Datum> {
    let mut array = ArrayBuilder::new(oid::TEXT, Repr::Text);
    for text in texts {
        array.push(Some(Scalar::Bytes(text.as_ref().as_bytes())))?;
    }
    array.finish_list().map(Datum::bytes)
}

/// The row that a function gives as a value.
fn record(function: &str, row: &[Datum]) -> Result<Datum> {
    let facts = Catalog::BUILT_IN.functions_named(function).next();
    let columns: Vec<_> = facts.and_then(out_parameters).into_iter().flatten().collect();
    let names = RowNames::new(columns.iter().map(|(name, _)| &**name));
    let mut record = RecordBuilder::new(oid::RECORD, &names);
    for ((_, ty), value) in columns.into_iter().zip(row) {
        let repr = Repr::of(ty, -1).ok_or_else(|| Error::unsupported(format_args!("{function}()")))?;
        record.push(ty, repr, Scalar::of_datum(value))?;
    }
    Ok(Datum::bytes(record.finish()))
}

#[cfg(test)]
mod tests;
