//! What functions ask of the session ([`types::session`]).

use std::fmt;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use engine::settings::Source;
use engine::{EngineError, Sequence};
use session::stat::{self, Server};
use types::session::{DatabaseName, Session, Size, Wait};
use types::{Datum, Error, Oid, Result};

use crate::session::Shared;
use crate::{roles, sequence, settings, system};

/// The session and its transaction.
#[derive(Clone)]
pub struct SessionFunctions {
    pub shared: Arc<Shared>,
    pub transaction: executor::SharedTransaction,
    /// The text of the statement that the client sent.
    pub query: Arc<str>,
}

impl fmt::Debug for SessionFunctions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "session {}", self.shared.backend.pid)
    }
}

/// As functions raise errors.
pub(crate) fn report(error: EngineError) -> Error {
    let mut report = Error::new(error.code, error.message);
    report.0.detail = error.detail;
    report.0.hint = error.hint;
    report
}

pub(crate) fn engine_error(error: Error) -> EngineError {
    crate::planned::reported(error, "")
}

fn micros(time: SystemTime) -> i64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_micros() as i64
}

impl SessionFunctions {
    async fn sequence(&self, oid: Oid) -> Result<Arc<Sequence>> {
        sequence::open(&self.shared, oid).await.map_err(report)
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
        let style = self.shared.settings.read().style().clone();
        let named = style.path.iter().map(|schema| schema.to_string());
        let first = (implicit && !style.path.contains(&"pg_catalog")).then(|| "pg_catalog".to_string());
        Ok(first.into_iter().chain(named).collect())
    }

    fn current_user(&self) -> Result<String> {
        Ok(self.shared.current_user())
    }

    fn session_user(&self) -> Result<String> {
        Ok(self.shared.settings.read().get("session_authorization").to_string())
    }

    fn process_id(&self) -> Result<i32> {
        Ok(self.shared.backend.pid)
    }

    fn query(&self) -> Result<Option<String>> {
        Ok(Some(self.query.to_string()))
    }

    fn setting(&self, name: &str) -> Result<Option<String>> {
        let settings = self.shared.settings.read();
        let found = settings::look_up(&self.shared, &settings, name).map_err(report)?;
        Ok(found.map(|(_, value)| value))
    }

    /// What was before is remembered when the statement begins.
    fn set(&self, name: &str, value: Option<&str>, local: bool) -> Result<String> {
        let shared = &self.shared;
        let mut settings = shared.settings.write();
        if let Some(value) = value {
            settings::settled(&settings, name, value).map_err(report)?;
        }
        let source = if local { Source::Override } else { Source::Session };
        settings::change(shared, &mut settings, name, value, source).map_err(report)?;
        settings::follow_activity(shared, &settings);
        let found = settings::look_up(shared, &settings, name).map_err(report)?;
        Ok(found.map(|(_, value)| value).unwrap_or_default())
    }

    fn transaction_id(&self, assign: bool) -> Result<Option<u64>> {
        let id = self.transaction.with(|transaction| match assign {
            true => Some(transaction.writer().transaction.xid),
            false => transaction.xid(),
        });
        Ok(id.flatten())
    }

    fn temporary_namespace(&self) -> Result<Oid> {
        Ok(0)
    }

    fn server_times(&self) -> Result<(i64, i64)> {
        let started = micros(self.shared.db.started());
        Ok((started, started))
    }

    fn currval(&self, sequence: Oid) -> Result<i64> {
        self.shared.sequences.currval_of(&self.shared, sequence).map_err(report)
    }

    fn lastval(&self) -> Result<i64> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        let exists = |oid| database.is_some_and(|database| database.sequences.contains_key(&oid));
        self.shared.sequences.lastval(exists).map_err(report)
    }

    fn nextval(&self, sequence: Oid) -> Wait<'_, i64> {
        Box::pin(async move {
            self.require_writable("nextval()")?;
            let sequence = self.sequence(sequence).await?;
            self.shared.sequences.draw(&sequence).map_err(report)
        })
    }

    fn setval(&self, sequence: Oid, value: i64, called: bool) -> Wait<'_, i64> {
        Box::pin(async move {
            self.require_writable("setval()")?;
            self.sequence(sequence).await?;
            self.shared.sequences.setval(sequence.into(), value, called).map_err(report)
        })
    }

    fn sequence_last_value(&self, sequence: Oid) -> Wait<'_, Option<i64>> {
        Box::pin(async move {
            let (value, called) = self.sequence(sequence).await?.state();
            Ok(called.then_some(value))
        })
    }

    fn sequence_data(&self, sequence: Oid) -> Wait<'_, Option<(i64, bool)>> {
        Box::pin(async move {
            let catalog = self.shared.catalog();
            let database = catalog.database_by_oid(self.shared.database.0);
            if !database.is_some_and(|database| database.sequences.contains_key(&sequence)) {
                return Ok(None);
            }
            Ok(Some(self.sequence(sequence).await?.state()))
        })
    }

    fn relation_size(&self, relation: Oid, of: Size) -> Wait<'_, Option<i64>> {
        Box::pin(async move {
            let bytes = system::relation_bytes(&self.shared, relation.into());
            Ok(bytes.map(|(own, indexes)| match of {
                Size::Main | Size::Table => own,
                Size::FreeSpaceMap | Size::VisibilityMap | Size::Init => 0,
                Size::Indexes => indexes,
                Size::Total => own + indexes,
            }))
        })
    }

    fn database_size(&self, database: DatabaseName<'_>) -> Wait<'_, Option<i64>> {
        let name = match database {
            DatabaseName::Oid(oid) => oid.to_string(),
            DatabaseName::Name(name) => name.to_string(),
        };
        Box::pin(async move { Ok(system::database_bytes(&self.shared, &name)) })
    }

    fn sleep(&self, microseconds: u64) -> Wait<'_, ()> {
        Box::pin(async move {
            let _waiting = self.shared.backend.wait_for("Timeout", "PgSleep");
            tokio::time::sleep(std::time::Duration::from_micros(microseconds)).await;
            Ok(())
        })
    }

    fn answer(&self, function: &'static str, arguments: &[Datum]) -> Result<Datum> {
        self.with_server(|server| stat::answer(server, function, arguments))
    }

    fn answer_rows(&self, function: &'static str, arguments: &[Datum]) -> Result<Vec<Vec<Datum>>> {
        self.with_server(|server| stat::answer_rows(server, function, arguments))
    }

    fn signal(&self, process: i32, terminate: bool) -> Result<bool> {
        let Some(backend) = self.shared.db.activity().get(process) else { return Ok(false) };
        let how = if terminate { roles::Signal::Terminate } else { roles::Signal::Cancel };
        roles::may_signal(&self.shared, &backend, how).map_err(report)?;
        if terminate {
            backend.request_termination();
        } else {
            backend.request_cancel();
        }
        Ok(true)
    }
}

impl SessionFunctions {
    fn with_server<T>(&self, ask: impl FnOnce(&Server<'_>) -> Result<T>) -> Result<T> {
        let shared = &self.shared;
        let (settings, initial) = (shared.settings.read(), shared.initial.read());
        let role = crate::identity::current_user(&settings);
        let server = Server::new(
            (&shared.db, &*shared.backend),
            shared.database.0,
            shared.catalog(),
            role,
            (&*settings, &*initial),
        );
        ask(&server)
    }

    fn require_writable(&self, what: &str) -> Result<()> {
        if self.shared.settings.read().each_statement().transaction_read_only {
            return Err(Error::new("25006", format!("cannot execute {what} in a read-only transaction")));
        }
        Ok(())
    }
}
