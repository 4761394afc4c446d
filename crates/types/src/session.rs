//! What functions ask of the session that runs the statement.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

use crate::advisory::AdvisoryLock;
use crate::datum::Datum;
use crate::error::{Error, Result};
use crate::oid::Oid;
use crate::set_returning::{Given, Set};
use crate::statistics::NamedValue;

/// A result that may have to wait: for a page, for a lock, for a time. It ends early when the statement is cancelled.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = Result<T>> + Send + 'a>>;

/// Of what there are statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistics {
    Relation,
    Column,
}

/// The session, as functions see it. What a session does not answer is 0A000; that is the default of every method.
///
/// Methods that give a [`Wait`] are called by [`crate::asynchronous`] functions only, which the executor awaits between
/// batches; no function that is evaluated within an expression waits.
pub trait Session: Debug + Send + Sync {
    /// What `version()` says.
    fn version(&self) -> Result<String> {
        unknown("version()")
    }

    fn database(&self) -> Result<String> {
        unknown("current_database()")
    }

    /// The names of the schemas that are searched and exist; with `pg_catalog` and the like where they are searched without
    /// being named, if `implicit`.
    fn search_path(&self, _implicit: bool) -> Result<Vec<String>> {
        unknown("current_schemas()")
    }

    fn current_user(&self) -> Result<String> {
        unknown("current_user")
    }

    /// The role that the session acts as, though it may have been dropped.
    fn current_role(&self) -> Result<Oid> {
        unknown("current_user")
    }

    fn session_user(&self) -> Result<String> {
        unknown("session_user")
    }

    /// How the client proved who it is and as whom: `scram-sha-256:alice`.
    fn system_user(&self) -> Result<Option<String>> {
        unknown("system_user")
    }

    /// What `random()` draws from, if the session has one of its own.
    fn generator(&self) -> Option<&crate::random::Shared> {
        None
    }

    fn process_id(&self) -> Result<i32> {
        unknown("pg_backend_pid()")
    }

    /// The text of the statement that the client sent.
    fn query(&self) -> Result<Option<String>> {
        unknown("current_query()")
    }

    /// A setting's value as SHOW has it; `None`: there is no such setting. Fails for one that the role may not see.
    fn setting(&self, _name: &str) -> Result<Option<String>> {
        unknown("current_setting()")
    }

    /// Sets a setting, until the transaction ends if `local`; `None` resets it. Gives the value as SHOW has it then.
    fn set(&self, _name: &str, _value: Option<&str>, _local: bool) -> Result<String> {
        unknown("set_config()")
    }

    /// The transaction's id with its epoch. `assign`: it gets one if it has none.
    fn transaction_id(&self, _assign: bool) -> Result<Option<u64>> {
        unknown("pg_current_xact_id()")
    }

    /// Lets other transactions see what this one does; gives the snapshot's name.
    fn export_snapshot(&self) -> Result<String> {
        unknown("pg_export_snapshot()")
    }

    /// What became of a transaction: `committed`, `aborted`, `in progress`; `None`: it is too old to know.
    fn transaction_status(&self, _id: u64) -> Result<Option<&'static str>> {
        unknown("pg_xact_status()")
    }

    /// The schema of the session's temporary tables; 0: there is none yet.
    fn temporary_namespace(&self) -> Result<Oid> {
        unknown("pg_my_temp_schema()")
    }

    /// When the server started and when it last read its settings, in microseconds since 1970.
    fn server_times(&self) -> Result<(i64, i64)> {
        unknown("pg_postmaster_start_time()")
    }

    /// The value that the session drew last from a sequence. Fails with 55000 where it drew none.
    fn currval(&self, _sequence: Oid) -> Result<i64> {
        unknown("currval()")
    }

    /// The value that the session drew last from any sequence. Fails with 55000 where it drew none.
    fn lastval(&self) -> Result<i64> {
        unknown("lastval()")
    }

    /// Draws a value.
    fn nextval(&self, _sequence: Oid) -> Wait<'_, i64> {
        Box::pin(async { unknown("nextval()") })
    }

    /// The same for an identity column, with whose table the statement may do what it does.
    fn next_identity(&self, sequence: Oid) -> Wait<'_, i64> {
        self.nextval(sequence)
    }

    /// Sets a sequence; `called`: the value counts as drawn.
    fn setval(&self, _sequence: Oid, _value: i64, _called: bool) -> Wait<'_, i64> {
        Box::pin(async { unknown("setval()") })
    }

    /// The last value of a sequence, of whatever session; `None`: none was drawn yet.
    fn sequence_last_value(&self, _sequence: Oid) -> Wait<'_, Option<i64>> {
        Box::pin(async { unknown("pg_sequence_last_value()") })
    }

    /// The value in a sequence and whether it was drawn; `None`: there is no such sequence.
    fn sequence_data(&self, _sequence: Oid) -> Wait<'_, Option<(i64, bool)>> {
        Box::pin(async { unknown("pg_get_sequence_data()") })
    }

    /// The bytes of a relation's files; `None`: there is no such relation.
    fn relation_size(&self, _relation: Oid, _of: Size) -> Wait<'_, Option<i64>> {
        Box::pin(async { unknown("pg_relation_size()") })
    }

    /// The bytes of a database's files; `None`: there is no such database.
    fn database_size(&self, _database: DatabaseName<'_>) -> Wait<'_, Option<i64>> {
        Box::pin(async { unknown("pg_database_size()") })
    }

    /// Brings blocks of a relation into memory; gives how many.
    fn prewarm<'a>(&'a self, _what: Prewarm<'a>) -> Wait<'a, i64> {
        Box::pin(async { unknown("pg_prewarm()") })
    }

    /// Writes down which pages are in memory; gives how many.
    fn dump_buffers(&self) -> Wait<'_, i64> {
        Box::pin(async { unknown("autoprewarm_dump_now()") })
    }

    /// Puts statistics of a relation, or of a column of one, in place of what is known; `false`: something was left out, of which
    /// the client is told.
    fn restore_statistics(&self, _what: Statistics, _given: Vec<NamedValue>) -> Wait<'_, bool> {
        Box::pin(async { unknown("pg_restore_relation_stats()") })
    }

    /// Forgets them. `what` are the schema, the relation and perhaps a column; `None` is NULL.
    fn clear_statistics<'a>(&'a self, _of: Statistics, _what: [Option<&'a str>; 3]) -> Wait<'a, ()> {
        Box::pin(async { unknown("pg_clear_relation_stats()") })
    }

    /// Does nothing for so many microseconds.
    fn sleep(&self, _microseconds: u64) -> Wait<'_, ()> {
        Box::pin(async { unknown("pg_sleep()") })
    }

    /// Takes an advisory lock, waiting for it.
    fn advisory_lock(&self, _lock: AdvisoryLock) -> Wait<'_, ()> {
        Box::pin(async { unknown("advisory locks") })
    }

    /// Takes one if that needs no waiting; says whether it did.
    fn try_advisory_lock(&self, _lock: AdvisoryLock) -> Result<bool> {
        unknown("advisory locks")
    }

    /// Gives one back that the session holds; says whether it did.
    fn advisory_unlock(&self, _lock: AdvisoryLock) -> Result<bool> {
        unknown("advisory locks")
    }

    /// Gives all back but those of the transaction.
    fn advisory_unlock_all(&self) -> Result<()> {
        unknown("advisory locks")
    }

    /// What a function gives that [`crate::server`] declares: a value of its result's type.
    fn answer(&self, function: &'static str, _arguments: &[Datum]) -> Result<Datum> {
        unknown(function)
    }

    /// The same for one that returns a set: its rows, with a value for each column.
    fn answer_rows(&self, function: &'static str, _arguments: &[Datum]) -> Result<Vec<Vec<Datum>>> {
        unknown(function)
    }

    /// The same, row by row where there are many.
    fn answer_set(&self, function: &'static str, arguments: &[Datum]) -> Result<Box<dyn Set>> {
        Ok(Given::rows(self.answer_rows(function, arguments)?))
    }

    /// Cancels what another session does, or ends that session; says whether there is one.
    fn signal(&self, _process: i32, _terminate: bool) -> Result<bool> {
        unknown("pg_cancel_backend()")
    }
}

/// What `pg_prewarm` is asked for; its arguments may be NULL.
#[derive(Clone, Copy, Debug)]
pub struct Prewarm<'a> {
    pub relation: Option<Oid>,
    pub mode: Option<&'a str>,
    pub fork: Option<&'a str>,
    pub first: Option<i64>,
    pub last: Option<i64>,
}

/// Which of a relation's files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Its rows, or an index's entries.
    Main,
    FreeSpaceMap,
    VisibilityMap,
    Init,
    /// Rows with all that belongs to them but indexes.
    Table,
    /// All indexes of a table.
    Indexes,
    Total,
}

#[derive(Clone, Copy, Debug)]
pub enum DatabaseName<'a> {
    Oid(Oid),
    Name(&'a str),
}

fn unknown<T>(what: &str) -> Result<T> {
    Err(Error::unsupported(what))
}

/// No session: what is evaluated without one knows nothing of it.
#[derive(Debug)]
pub struct NoSession;

impl Session for NoSession {}
