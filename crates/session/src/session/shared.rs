//! What functions and system views know of a session. It is behind an [`Arc`], for they are asked while the session itself is at
//! work.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use config::Settings;
use engine::{Backend, Catalog, Database, EngineError, Result, Table, TableDef, TemporaryFiles};
use error::sqlstate;
use parking_lot::{Mutex, RwLock};
use txn::{LockMode, LockTag};
use types::Oid;

use crate::functions::drawn_sequences::Sequences;
use crate::identity::{self, Identities};
use crate::portal::cursor_facts::CursorFacts;
use crate::session::notice::Notice;
use crate::stat::StatsSnapshot;
use crate::statement::prepared::PreparedStatements;

/// What functions and system views know of the session.
pub struct Shared {
    pub db: Database,
    pub backend: Arc<Backend>,
    pub database: (u32, String),
    /// The role that has logged in.
    pub user: Oid,
    pub identities: Identities,
    pub settings: RwLock<Settings>,
    /// What the connection started with, for RESET.
    pub initial: RwLock<Settings>,
    /// As the settings were when the transaction began, once something has set them in it.
    pub before: Mutex<Option<Settings>>,
    pub statement_start: Mutex<SystemTime>,
    pub transaction_start: Mutex<SystemTime>,
    /// The catalog with the open transaction's changes, if it made any.
    pub overlay: RwLock<Option<Arc<Catalog>>>,
    pub sequences: Sequences,
    /// For `pg_prepared_statements`.
    pub prepared: PreparedStatements,
    /// What `pg_cursors` tells, by name.
    pub cursors: Arc<Mutex<BTreeMap<String, CursorFacts>>>,
    pub temporary: TemporaryFiles,
    /// What the transaction keeps of the statistics.
    pub stats: StatsSnapshot,
    /// Since the client was told the last time.
    pub notices: Mutex<Vec<Notice>>,
    /// A session waits for one lock at a time, whichever part of a plan asks.
    waiting: tokio::sync::Mutex<()>,
}

impl Shared {
    /// Of a session that begins.
    pub(super) fn new(
        (db, backend): (&Database, Arc<Backend>),
        database: (u32, String),
        user: &str,
        initial: Settings,
        (prepared, cursors): (PreparedStatements, Arc<Mutex<BTreeMap<String, CursorFacts>>>),
    ) -> Shared {
        let now = SystemTime::now();
        let (identities, catalog) = (Identities::default(), db.catalog());
        for role in [user, initial.get("role")].into_iter().filter_map(|name| catalog.role(name)) {
            identities.put(&role.rolname, role.oid);
        }
        Shared {
            db: db.clone(),
            backend,
            database,
            user: identities.of(user),
            identities,
            settings: RwLock::new(initial.clone()),
            initial: RwLock::new(initial),
            before: Mutex::default(),
            statement_start: Mutex::new(now),
            transaction_start: Mutex::new(now),
            overlay: RwLock::new(None),
            sequences: Sequences::default(),
            prepared,
            cursors,
            temporary: TemporaryFiles::default(),
            stats: StatsSnapshot::default(),
            notices: Mutex::default(),
            waiting: tokio::sync::Mutex::default(),
        }
    }

    /// Who the session acts as.
    pub fn role(&self) -> Oid {
        self.identities.current(&self.settings.read())
    }

    /// Its name. Fails where the role was dropped.
    pub fn current_user(&self) -> Result<String> {
        self.role_name(self.role())
    }

    /// The name of whom it acts as without SET ROLE.
    pub fn session_user(&self) -> Result<String> {
        let role = self.identities.session(&self.settings.read());
        self.role_name(role)
    }

    fn role_name(&self, role: Oid) -> Result<String> {
        let missing = || EngineError::new(sqlstate::UNDEFINED_OBJECT, format!("invalid role OID: {role}"));
        self.catalog().role_by_oid(role).map(|row| row.rolname.to_string()).ok_or_else(missing)
    }

    /// May the session do all?
    pub fn is_superuser(&self) -> bool {
        identity::is_superuser(self, &self.settings.read())
    }

    /// What exists, as far as the session is concerned.
    pub fn catalog(&self) -> Arc<Catalog> {
        self.overlay.read().clone().unwrap_or_else(|| self.db.catalog())
    }

    /// Is it what the session sees now?
    pub fn is_catalog(&self, catalog: &Arc<Catalog>) -> bool {
        match &*self.overlay.read() {
            Some(own) => Arc::ptr_eq(own, catalog),
            None => self.db.is_catalog(catalog),
        }
    }

    /// Takes a lock for the current transaction, waiting as long as `lock_timeout` allows.
    pub async fn lock(&self, tag: LockTag, mode: LockMode) -> Result<()> {
        let timeout = self.settings.read().each_statement().lock_timeout;
        self.db.lock(&self.backend, self.backend.owner(), tag, mode, timeout).await
    }

    /// Takes a lock for the transaction or the session, as [`Shared::lock`]; parts of a plan may ask at once.
    pub async fn lock_until(&self, tag: LockTag, mode: LockMode, until: txn::Until) -> Result<()> {
        let _one = self.waiting.lock().await;
        let timeout = self.settings.read().each_statement().lock_timeout;
        self.db.lock_until(&self.backend, self.backend.owner(), tag, mode, until, timeout).await
    }

    /// Keeps the settings that the transaction began with; the caller is about to change them.
    pub fn remember(&self, settings: &Settings) {
        self.before.lock().get_or_insert_with(|| settings.clone());
    }

    pub fn notice(&self, severity: &'static str, error: EngineError) {
        self.notices.lock().push(Notice { severity, error });
    }

    pub fn table_tag(&self, def: &TableDef) -> LockTag {
        LockTag::Relation { database: self.database.0, oid: def.oid }
    }

    /// A table of the session's database.
    pub fn find_table(&self, schema: &str, name: &str) -> Result<Option<Arc<Table>>> {
        let catalog = self.catalog();
        let database = catalog.database_by_oid(self.database.0);
        match database.and_then(|d| d.table(schema, name)) {
            Some(def) => Ok(Some(self.db.table(self.database.0, def)?)),
            None => Ok(None),
        }
    }
}
