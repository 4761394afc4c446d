//! What functions ask of the session ([`types::session`]).

pub mod drawn_sequences;
pub mod prewarm;
pub mod restored_statistics;
pub mod sequences;
pub mod sizes;

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use catalog::acl::role::PG_READ_ALL_STATS;
use catalog::acl::{How, Roles, denied};
use engine::{EngineError, ObjectAddress, Sequence, SequenceDef, SequenceState};
use error::sqlstate;
use txn::{LockMode, LockTag, Until};
use types::acl::{AclMode, mode::*};
use types::advisory::AdvisoryLock;
use types::names::{PG_CLASS, PG_DATABASE};
use types::session::{DatabaseName, Prewarm, Session, Size, Statistics, Wait};
use types::set_returning::Set;
use types::statistics::NamedValue;
use types::{Datum, Error, Oid, Result, oid};

use crate::environment::search_path;
use crate::errors::report;
use crate::functions::sizes::RelationBytes;

use crate::identity;
use crate::portal::cursor_facts::CursorFacts;
use crate::session::Shared;
use crate::setting::guc::{self, Stage};
use crate::stat::{self, Own, PreparedStatement, Server};
use crate::statement::prepared::Prepared;

/// The session and its transaction.
#[derive(Clone)]
pub struct SessionFunctions {
    pub shared: Arc<Shared>,
    pub transaction: executor::SharedTransaction,
    /// There was a savepoint when the statement began.
    pub in_subtransaction: bool,
    /// The text of the statement that the client sent.
    pub query: Arc<str>,
    /// A sequence of which the role was allowed something in the statement.
    pub permitted: OnceLock<(Oid, AclMode)>,
}

impl fmt::Debug for SessionFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", self.shared.backend.pid)
    }
}

fn micros(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64
}

impl SessionFunctions {
    async fn sequence(&self, oid: Oid) -> Result<Arc<Sequence>> {
        sequences::open(&self.shared, oid).await.map_err(report)
    }
}

impl Session for SessionFunctions {
    fn version(&self) -> Result<String> {
        Ok(format!(
            "PostgreSQL 18.0 (Inflight {}) on {}-{}",
            env!("CARGO_PKG_VERSION"),
            std::env::consts::ARCH,
            std::env::consts::OS
        ))
    }

    fn database(&self) -> Result<String> {
        Ok(self.shared.database.1.clone())
    }

    fn search_path(&self, implicit: bool) -> Result<Vec<String>> {
        let mut catalog = self.shared.catalog();
        let mut database = catalog.database_by_oid(self.shared.database.0);
        let (settings, temporary) = (self.shared.settings.read(), self.shared.backend.temporary_schema());
        let own = (self.shared.identities.current(&settings), &*temporary);
        // Where relations would be made in it, it is made.
        if search_path::lacks_temporary(&settings, database, own)
            && let Some(changed) = self.transaction.with(|transaction| {
                transaction.temporary_schema();
                transaction.catalog()
            })
        {
            catalog = changed;
            database = catalog.database_by_oid(self.shared.database.0);
        }
        let schemas = if implicit { search_path::searched } else { search_path::named };
        Ok(schemas(&settings, database, own))
    }

    fn current_user(&self) -> Result<String> {
        self.shared.current_user().map_err(report)
    }

    fn current_role(&self) -> Result<Oid> {
        Ok(self.shared.role())
    }

    fn session_user(&self) -> Result<String> {
        self.shared.session_user().map_err(report)
    }

    fn process_id(&self) -> Result<i32> {
        Ok(self.shared.backend.pid)
    }

    fn query(&self) -> Result<Option<String>> {
        Ok(Some(self.query.to_string()))
    }

    fn setting(&self, name: &str) -> Result<Option<String>> {
        let settings = self.shared.settings.read();
        let found = guc::look_up(&self.shared, &settings, name).map_err(report)?;
        Ok(found.map(|(_, value)| value))
    }

    fn set(&self, name: &str, value: Option<&str>, local: bool) -> Result<String> {
        let shared = &self.shared;
        let mut settings = shared.settings.write();
        shared.remember(&settings);
        if let Some(value) = value {
            let stage = Stage { looked: true, in_subtransaction: self.in_subtransaction };
            guc::check_transaction_setting(&settings, name, value, stage).map_err(report)?;
        }
        guc::change(shared, &mut settings, name, value, local).map_err(report)?;
        guc::follow_activity(shared, &settings);
        let found = guc::look_up(shared, &settings, name).map_err(report)?;
        Ok(found.map(|(_, value)| value).unwrap_or_default())
    }

    fn transaction_id(&self, assign: bool) -> Result<Option<u64>> {
        let id = self.transaction.with(|transaction| match assign {
            true => Some(transaction.writer().transaction.xid),
            false => transaction.xid(),
        });
        Ok(id.flatten())
    }

    fn export_snapshot(&self) -> Result<String> {
        if self.in_subtransaction {
            return Err(Error::new(sqlstate::ACTIVE_SQL_TRANSACTION, "cannot export a snapshot from a subtransaction"));
        }
        let exported = self.transaction.with(|transaction| transaction.export_snapshot());
        exported
            .ok_or_else(|| Error::new(sqlstate::INTERNAL_ERROR, "a statement without a transaction"))?
            .map_err(report)
    }

    fn temporary_namespace(&self) -> Result<Oid> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        let own = database.and_then(|found| found.namespace(&self.shared.backend.temporary_schema()));
        Ok(own.map_or(oid::INVALID, |namespace| namespace.oid))
    }

    fn server_times(&self) -> Result<(i64, i64)> {
        let started = micros(self.shared.db.started());
        Ok((started, started))
    }

    fn currval(&self, sequence: Oid) -> Result<i64> {
        self.require_of_sequence_oid(sequence, SELECT | USAGE)?;
        sequences::currval(&self.shared, sequence).map_err(report)
    }

    fn lastval(&self) -> Result<i64> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        let exists = |oid| database.is_some_and(|database| database.has_sequence(oid));
        let (sequence, value) = self.shared.sequences.lastval(exists).map_err(report)?;
        self.require_of_sequence_oid(sequence, SELECT | USAGE)?;
        Ok(value)
    }

    fn nextval(&self, sequence: Oid) -> Wait<'_, i64> {
        Box::pin(async move {
            let sequence = self.sequence(sequence).await?;
            self.require_of_sequence(&sequence.def, USAGE | UPDATE)?;
            self.draw(&sequence)
        })
    }

    fn next_identity(&self, sequence: Oid) -> Wait<'_, i64> {
        Box::pin(async move { self.draw(&*self.sequence(sequence).await?) })
    }

    fn setval(&self, sequence: Oid, value: i64, called: bool) -> Wait<'_, i64> {
        Box::pin(async move {
            let sequence = self.sequence(sequence).await?;
            self.require_of_sequence(&sequence.def, UPDATE)?;
            self.require_writable(&sequence, "setval()")?;
            self.shared.sequences.setval(&sequence, value, called).map_err(report)
        })
    }

    fn sequence_last_value(&self, sequence: Oid) -> Wait<'_, Option<i64>> {
        Box::pin(async move {
            let found = self.sequence(sequence).await?;
            let SequenceState { value, called, .. } = found.state();
            Ok((called && self.may_with_sequence(sequence, SELECT | USAGE)?).then_some(value))
        })
    }

    fn sequence_data(&self, sequence: Oid) -> Wait<'_, Option<(i64, bool)>> {
        Box::pin(async move {
            let catalog = self.shared.catalog();
            let database = catalog.database_by_oid(self.shared.database.0);
            let is_there = database.is_some_and(|database| database.has_sequence(sequence));
            if !is_there || !self.may_with_sequence(sequence, SELECT)? {
                return Ok(None);
            }
            let SequenceState { value, called, .. } = self.sequence(sequence).await?.state();
            Ok(Some((value, called)))
        })
    }

    fn relation_size(&self, relation: Oid, of: Size) -> Wait<'_, Option<i64>> {
        Box::pin(async move {
            let bytes = sizes::relation_bytes(&self.shared, relation);
            Ok(bytes.map(|RelationBytes { main, toast, indexes }| match of {
                Size::Main => main,
                Size::Table => main + toast,
                Size::FreeSpaceMap | Size::VisibilityMap | Size::Init => 0,
                Size::Indexes => indexes,
                Size::Total => main + toast + indexes,
            }))
        })
    }

    fn database_size(&self, database: DatabaseName<'_>) -> Wait<'_, Option<i64>> {
        let catalog = self.shared.catalog();
        let found = match database {
            DatabaseName::Oid(oid) => catalog.database_by_oid(oid),
            DatabaseName::Name(name) => catalog.database(name),
        };
        let found = found.map(|database| database.oid);
        Box::pin(async move {
            let Some(oid) = found else { return Ok(None) };
            self.require_to_see_size(ObjectAddress { class: PG_DATABASE, oid, column: 0 }, CONNECT)?;
            Ok(sizes::database_bytes(&self.shared, oid))
        })
    }

    fn prewarm<'a>(&'a self, what: Prewarm<'a>) -> Wait<'a, i64> {
        Box::pin(async move { prewarm::prewarm(&self.shared, what).await })
    }

    fn dump_buffers(&self) -> Wait<'_, i64> {
        Box::pin(async move {
            self.with_server(|server| server.require_superuser("function autoprewarm_dump_now"))?;
            let database = self.shared.db.clone();
            let dumped = tokio::task::spawn_blocking(move || database.dump_buffers()).await;
            let count =
                dumped.map_err(|error| Error::new(sqlstate::INTERNAL_ERROR, error.to_string()))?.map_err(report)?;
            Ok(count as i64)
        })
    }

    fn sleep(&self, microseconds: u64) -> Wait<'_, ()> {
        Box::pin(async move {
            let _waiting = self.shared.backend.wait_for("Timeout", "PgSleep");
            tokio::time::sleep(std::time::Duration::from_micros(microseconds)).await;
            Ok(())
        })
    }

    fn restore_statistics(&self, what: Statistics, given: Vec<NamedValue>) -> Wait<'_, bool> {
        Box::pin(async move { restored_statistics::restore(self, what, given).await.map_err(report) })
    }

    fn clear_statistics<'a>(&'a self, of: Statistics, what: [Option<&'a str>; 3]) -> Wait<'a, ()> {
        Box::pin(async move { restored_statistics::clear(self, of, what).await.map_err(report) })
    }

    fn advisory_lock(&self, lock: AdvisoryLock) -> Wait<'_, ()> {
        Box::pin(async move {
            let (tag, mode, until) = self.advisory(lock);
            self.shared.lock_until(tag, mode, until).await.map_err(report)
        })
    }

    fn try_advisory_lock(&self, lock: AdvisoryLock) -> Result<bool> {
        let (tag, mode, until) = self.advisory(lock);
        self.shared.db.try_lock_until(&self.shared.backend, tag, mode, until).map_err(report)
    }

    fn advisory_unlock(&self, lock: AdvisoryLock) -> Result<bool> {
        let (tag, mode, _) = self.advisory(lock);
        let held = self.shared.db.unlock_kept(&self.shared.backend, tag, mode);
        if !held {
            let message = format!("you don't own a lock of type {}", mode.name());
            self.shared.notice("WARNING", EngineError::new(sqlstate::WARNING, message));
        }
        Ok(held)
    }

    fn advisory_unlock_all(&self) -> Result<()> {
        self.shared.db.release_kept_locks(&self.shared.backend);
        Ok(())
    }

    fn answer(&self, function: &'static str, arguments: &[Datum]) -> Result<Datum> {
        self.with_server(|server| stat::answer(server, function, arguments))
    }

    fn answer_rows(&self, function: &'static str, arguments: &[Datum]) -> Result<Vec<Vec<Datum>>> {
        self.with_server(|server| stat::answer_rows(server, function, arguments))
    }

    fn answer_set(&self, function: &'static str, arguments: &[Datum]) -> Result<Box<dyn Set>> {
        self.with_server(|server| stat::answer_set(server, function, arguments))
    }

    fn signal(&self, process: i32, terminate: bool) -> Result<bool> {
        let Some(backend) = self.shared.db.activity().get(process) else {
            let message = format!("PID {process} is not a PostgreSQL backend process");
            self.shared.notice("WARNING", EngineError::new(sqlstate::WARNING, message));
            return Ok(false);
        };
        let how = if terminate { identity::Signal::Terminate } else { identity::Signal::Cancel };
        identity::may_signal(&self.shared, &backend, how).map_err(report)?;
        if terminate {
            backend.request_termination();
        } else {
            backend.request_cancel();
        }
        // The own statement is ended before it goes on.
        match (process == self.shared.backend.pid, terminate) {
            (false, _) => Ok(true),
            (true, true) => {
                Err(Error::new(sqlstate::ADMIN_SHUTDOWN, "terminating connection due to administrator command"))
            }
            (true, false) => Err(Error::new(sqlstate::QUERY_CANCELED, "canceling statement due to user request")),
        }
    }
}

impl SessionFunctions {
    fn advisory(&self, lock: AdvisoryLock) -> (LockTag, LockMode, Until) {
        let tag = LockTag::Advisory { database: self.shared.database.0, key: lock.key, pair: lock.pair };
        let mode = if lock.shared { LockMode::Share } else { LockMode::Exclusive };
        let until = if lock.of_transaction { Until::TransactionEnd } else { Until::SessionEnd };
        (tag, mode, until)
    }

    /// What the session keeps for its client.
    fn own(&self) -> Own {
        let statement = |(name, prepared): (String, Arc<Prepared>)| {
            let (generic_plans, custom_plans) = prepared.plans();
            PreparedStatement {
                name,
                text: prepared.statement.as_ref().map_or_else(String::new, |statement| statement.text.to_string()),
                prepared: prepared.prepared_at,
                parameters: prepared.parameters.clone(),
                results: prepared.columns.as_ref().map(|columns| columns.iter().map(|column| column.oid).collect()),
                from_sql: prepared.from_sql,
                generic_plans,
                custom_plans,
            }
        };
        let cursor = |(name, facts): (&String, &CursorFacts)| stat::Cursor {
            name: name.clone(),
            text: facts.statement.clone(),
            holdable: facts.is_holdable,
            binary: facts.is_binary,
            scrollable: facts.is_scrollable,
            created: facts.created,
        };
        Own {
            statements: self.shared.prepared.all().into_iter().map(statement).collect(),
            cursors: self.shared.cursors.lock().iter().map(cursor).collect(),
        }
    }

    fn with_server<T>(&self, ask: impl FnOnce(&Server<'_>) -> Result<T>) -> Result<T> {
        let shared = &self.shared;
        let role = shared.current_user().unwrap_or_default();
        let (settings, initial) = (shared.settings.read(), shared.initial.read());
        let own = self.own();
        let mut server = Server::new(
            (&shared.db, &*shared.backend),
            shared.database.0,
            shared.catalog(),
            &role,
            (&*settings, &*initial),
        );
        server.own = Some(&own);
        server.snapshot = Some(&shared.stats);
        server.transaction = Some(&self.transaction);
        ask(&server)
    }

    /// Fails where the session may do none of this with a sequence.
    fn draw(&self, sequence: &Sequence) -> Result<i64> {
        self.require_writable(sequence, "nextval()")?;
        self.shared.sequences.draw(sequence).map_err(report)
    }

    fn require_of_sequence(&self, sequence: &SequenceDef, mode: AclMode) -> Result<()> {
        self.require_of_sequence_oid(sequence.oid, mode)
    }

    /// Who may see how large something is that many have a part in: a role with such rights on it, or one that sees all statistics.
    fn require_to_see_size(&self, object: ObjectAddress, mode: AclMode) -> Result<()> {
        let sees = self.shared.with_roles(|roles, role| roles.has_privileges_of(role, PG_READ_ALL_STATS));
        if sees.map_err(report)? { Ok(()) } else { self.shared.require(object, mode).map_err(report) }
    }

    fn may_with_sequence(&self, sequence: Oid, mode: AclMode) -> Result<bool> {
        self.shared.may(ObjectAddress { class: PG_CLASS, oid: sequence, column: 0 }, mode).map_err(report)
    }

    /// A statement that draws for each row asks once.
    fn require_of_sequence_oid(&self, sequence: Oid, mode: AclMode) -> Result<()> {
        if self.permitted.get() == Some(&(sequence, mode)) {
            return Ok(());
        }
        let object = ObjectAddress { class: PG_CLASS, oid: sequence, column: 0 };
        let asked = |roles: Roles<'_>, role| match roles.mask(role, object, mode, How::Any) {
            Some(0) => Err(denied(roles.catalog, object)),
            // What is gone is told by others.
            _ => Ok(()),
        };
        self.shared.with_roles(asked).map_err(report)??;
        // The first is that of most statements.
        self.permitted.get_or_init(|| (sequence, mode));
        Ok(())
    }

    fn require_writable(&self, sequence: &Sequence, what: &str) -> Result<()> {
        if !sequence.def.temporary && self.shared.settings.read().each_statement().transaction_read_only {
            return Err(Error::new(
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                format!("cannot execute {what} in a read-only transaction"),
            ));
        }
        Ok(())
    }
}
