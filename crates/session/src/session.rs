//! A session: what one connected user has set and begun. [`crate::xact`] has its transactions, [`crate::postgres`] runs its
//! statements.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use ::error::sqlstate;
use analyze::relations::{Relation, Relations};
use catalog::{CatalogKey, Keyed};
use config::{Settings, Source};
use engine::{
    Backend, Catalog, Database, EngineError, Result, SequenceDef, Table, TableDef, TemporaryFiles, ViewDef,
    WriteOptions,
};
use parking_lot::{Mutex, RwLock};
use storage::Concurrency;
use txn::{LockMode, LockTag};
use types::names::{PG_DATABASE, PG_TABLESPACE};

use crate::copy::{CopyIn, CopyOut};
use crate::cursor::CursorFacts;
use crate::environment::Environment;
use crate::identity;
use crate::index_compiler::IndexCompiler;
use crate::on_commit::OnCommit;
use crate::portal::Portal;
use crate::portals::Cursors;
use crate::prepare::PreparedStatements;
use crate::search_path;
use crate::sequences::Sequences;
use crate::stat::StatsSnapshot;
use crate::statement_cache::StatementCache;
use crate::utility::Utility;
use crate::variable;
use crate::xact::Block;

/// How long a session that ends waits for locks on what it drops, in milliseconds.
const LONGEST_DROP: u64 = 10_000;

/// What functions and system views know of the session.
pub struct Shared {
    pub db: Database,
    pub backend: Arc<Backend>,
    pub database: (u32, String),
    /// Who has logged in.
    pub user: String,
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
    /// Who the session acts as.
    pub fn current_user(&self) -> String {
        identity::current_user(&self.settings.read()).to_string()
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

    /// Keeps the settings that the transaction began with; somebody is about to change them.
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

/// A message that is no error.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub severity: &'static str,
    pub error: EngineError,
}

/// What a statement answers.
pub enum Reply {
    Done {
        tag: String,
    },
    Rows(Box<Portal>),
    /// The client sends rows: COPY FROM STDIN.
    CopyIn(Box<dyn CopyIn>),
    /// The client gets rows as data of COPY TO STDOUT.
    CopyOut(Box<dyn CopyOut>),
}

pub struct Session {
    pub shared: Arc<Shared>,
    /// The commands that are not its own.
    pub(crate) utility: &'static dyn Utility,
    pub(crate) block: Block,
    pub prepared: PreparedStatements,
    /// Temporary tables that do something when a transaction commits.
    pub(crate) on_commit: Vec<OnCommit>,
    pub(crate) statement_cache: StatementCache,
    pub cursors: Cursors,
    /// [`engine::Database::reloads`] that both have followed.
    reloads: u64,
    /// What the last query was understood with.
    pub(crate) environment: Option<Arc<Environment>>,
    /// Has the transaction while a portal runs.
    pub(crate) lent: executor::SharedTransaction,
    /// It may be there.
    pub(crate) is_lent: bool,
    /// [`Shared::overlay`] is set.
    pub(crate) is_overlaid: bool,
}

impl Session {
    /// A session of `user`, who has logged in: `initial` says so (`session_authorization`). `utility`: what runs the commands that
    /// are not the session's own.
    pub fn new(
        db: &Database,
        backend: Arc<Backend>,
        database: (u32, String),
        user: &str,
        mut initial: Settings,
        utility: &'static dyn Utility,
    ) -> Session {
        variable::follow_defaults(&mut initial);
        db.compile_keys_with(Arc::new(IndexCompiler));
        let now = SystemTime::now();
        let (cursors, prepared) = (Cursors::default(), PreparedStatements::default());
        let shared = Arc::new(Shared {
            db: db.clone(),
            backend,
            database,
            user: user.to_string(),
            settings: RwLock::new(initial.clone()),
            initial: RwLock::new(initial),
            before: Mutex::default(),
            statement_start: Mutex::new(now),
            transaction_start: Mutex::new(now),
            overlay: RwLock::new(None),
            sequences: Sequences::default(),
            prepared: prepared.clone(),
            cursors: cursors.facts(),
            temporary: TemporaryFiles::default(),
            stats: StatsSnapshot::default(),
            notices: Mutex::default(),
            waiting: tokio::sync::Mutex::default(),
        });
        Session {
            shared,
            utility,
            block: Block::default(),
            prepared,
            on_commit: Vec::new(),
            statement_cache: StatementCache::default(),
            cursors,
            reloads: db.reloads(),
            environment: None,
            lent: executor::SharedTransaction::default(),
            is_lent: false,
            is_overlaid: false,
        }
    }

    /// A session of the server's own, or of a program without a server, which may do all.
    pub fn of_server(
        db: &Database,
        backend: Arc<Backend>,
        database: (u32, String),
        mut settings: Settings,
        utility: &'static dyn Utility,
    ) -> Result<Session> {
        let superuser = db.catalog().roles().find(|role| role.rolsuper).map(|role| role.rolname.to_string());
        let superuser =
            superuser.ok_or_else(|| EngineError::new(sqlstate::UNDEFINED_OBJECT, "there is no superuser"))?;
        settings.set("is_superuser", "on", Source::Client)?;
        settings.set("session_authorization", &superuser, Source::Client)?;
        Ok(Session::new(db, backend, database, &superuser, settings, utility))
    }

    /// Notices and warnings since the last call, as far as `client_min_messages` wants them.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut *self.shared.notices.lock());
        if !notices.is_empty() {
            let least = match self.shared.settings.read().get("client_min_messages") {
                "error" => 4,
                "warning" => 3,
                "notice" => 2,
                "log" => 1,
                _ => 0,
            };
            let level = |severity| match severity {
                // It was asked for.
                "INFO" => 4,
                "WARNING" => 3,
                "DEBUG1" => 0,
                _ => 2,
            };
            notices.retain(|notice| level(notice.severity) >= least);
        }
        notices
    }

    pub fn notice(&self, severity: &'static str, error: EngineError) {
        self.shared.notice(severity, error);
    }

    pub fn db(&self) -> &Database {
        &self.shared.db
    }

    pub fn io(&self) -> &aio::Session {
        &self.shared.backend.io
    }

    /// A message with statements came: what they call the time of the statement, and of the transaction if they begin one.
    pub fn received(&mut self, now: SystemTime) {
        *self.shared.statement_start.lock() = now;
        let reloads = self.shared.db.reloads();
        // A transaction keeps the settings that it began with.
        if reloads != self.reloads && self.block.is_idle() {
            self.reloads = reloads;
            let fresh = self.shared.db.settings();
            for settings in [&self.shared.initial, &self.shared.settings] {
                let mut settings = settings.write();
                settings.reload(&fresh);
                variable::follow_defaults(&mut settings);
            }
        }
    }

    /// Nothing has happened for a while: what can be made again is let go of.
    pub fn rest(&mut self) {
        self.environment = None;
        self.statement_cache = StatementCache::default();
    }

    /// The client is gone: its open transaction is undone, what was temporary is dropped.
    pub async fn abandon(&mut self) {
        self.rollback().await;
        if let Err(error) = self.db().drop_temporary(&self.shared.backend, LONGEST_DROP).await {
            tracing::warn!(%error, "what was temporary stays until the next start");
        }
        self.db().release_kept_locks(&self.shared.backend);
    }

    /// What a statement is understood with now.
    pub fn environment(&mut self) -> Arc<Environment> {
        self.show_changes();
        let kept = self.kept_snapshot();
        let settings = self.shared.settings.read();
        let is_current = |known: &&Arc<Environment>| {
            self.shared.is_catalog(&known.engine) && known.has_settings(&settings) && known.suits(kept.as_ref())
        };
        if let Some(known) = self.environment.as_ref().filter(is_current) {
            return known.clone();
        }
        let made = Arc::new(Environment::new(
            self.shared.database.clone(),
            self.shared.catalog(),
            &settings,
            &self.shared.backend.temporary_schema(),
            kept.as_ref(),
        ));
        drop(settings);
        self.environment = Some(made.clone());
        made
    }

    /// Takes a lock until the transaction ends.
    pub async fn lock(&mut self, tag: LockTag, mode: LockMode) -> Result<()> {
        self.transaction();
        self.shared.lock(tag, mode).await
    }

    /// Locks a table until the transaction ends; gives it as it is then, because whoever was waited for may have changed
    /// or dropped it.
    pub async fn lock_table(&mut self, schema: &str, name: &str, mode: LockMode) -> Result<Option<Arc<Table>>> {
        loop {
            let Some(table) = self.shared.find_table(schema, name)? else { return Ok(None) };
            self.lock(self.shared.table_tag(&table.def), mode).await?;
            self.show_changes();
            match self.shared.find_table(schema, name)? {
                Some(now) if now.def.oid == table.def.oid => return Ok(Some(now)),
                _ => continue,
            }
        }
    }

    /// A table's definition as it is for the session.
    pub fn table_def(&self, oid: u32) -> Option<Arc<TableDef>> {
        let catalog = self.shared.catalog();
        catalog.database_by_oid(self.shared.database.0)?.table_by_oid(oid).cloned()
    }

    pub fn sequence_def(&self, oid: u32) -> Option<Arc<SequenceDef>> {
        let catalog = self.shared.catalog();
        catalog.database_by_oid(self.shared.database.0)?.sequence_by_oid(oid).cloned()
    }

    pub fn view_def(&self, oid: u32) -> Option<Arc<ViewDef>> {
        let catalog = self.shared.catalog();
        catalog.database_by_oid(self.shared.database.0)?.view_by_oid(oid).cloned()
    }

    /// A table as it is for the session.
    pub fn table_of(&self, oid: u32) -> Result<Arc<Table>> {
        let missing = || EngineError::new(sqlstate::UNDEFINED_TABLE, format!("relation {oid} does not exist"));
        self.db().table(self.shared.database.0, &self.table_def(oid).ok_or_else(missing)?)
    }

    /// A table as analysis sees it.
    pub fn relation(&mut self, oid: u32) -> Result<Arc<Relation>> {
        let missing = || EngineError::new(sqlstate::INTERNAL_ERROR, format!("could not open relation with OID {oid}"));
        self.environment().relations().relation_by_oid(oid).ok_or_else(missing)
    }

    pub fn is_temporary(&self, table: u32) -> bool {
        let catalog = self.shared.catalog();
        let table = catalog.database_by_oid(self.shared.database.0).and_then(|d| d.table_by_oid(table));
        table.is_some_and(|table| table.temporary)
    }

    /// The name of a schema.
    pub fn schema_name(&self, namespace: u32) -> String {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        database.map_or("", |database| database.namespace_name(namespace)).to_string()
    }

    /// The oid of a schema that there is.
    pub fn schema_oid(&self, name: &str) -> Result<u32> {
        let catalog = self.shared.catalog();
        let database = catalog.database_by_oid(self.shared.database.0);
        let found = database.and_then(|database| database.namespace_oid(name));
        found.ok_or_else(|| search_path::missing_schema(name))
    }

    /// Records who owns an object that is no relation (`recordDependencyOnOwner`, `changeDependencyOnOwner`): `owners` are the one
    /// before, if the object was there, and the one now.
    pub fn change_owner(&mut self, (class, oid): (u32, u32), (before, now): (Option<u32>, u32)) {
        if before == Some(now) {
            return;
        }
        let shared = matches!(class, PG_DATABASE | PG_TABLESPACE);
        let dbid = if shared { 0 } else { self.shared.database.0 };
        let row = |owner| engine::owner_dependency(dbid, (class, oid), owner);
        if let Some(gone) = before.and_then(row) {
            self.transaction().delete(dbid, CatalogKey::PgShdepend(gone.key()));
        }
        if let Some(row) = row(now) {
            self.transaction().put(dbid, row);
        }
        self.show_changes();
    }

    /// Makes a table.
    pub fn put_new_table(&mut self, def: TableDef) {
        let database = self.shared.database.0;
        self.transaction().alter_table(database, None, def);
        self.show_changes();
    }

    /// Changes a table's definition, which was made from `before`; gives it. What others change of the table at the same time stays.
    pub fn put_table(&mut self, before: &Arc<TableDef>, def: TableDef) -> Arc<TableDef> {
        let database = self.shared.database.0;
        let def = self.transaction().alter_table(database, Some(before), def);
        self.show_changes();
        def
    }

    pub fn write_options(&self) -> WriteOptions {
        let settings = self.shared.settings.read().each_statement();
        WriteOptions {
            lock_timeout: settings.lock_timeout,
            maintenance_work_mem: settings.maintenance_work_mem,
            maintenance_workers: settings.max_parallel_maintenance_workers,
            concurrency: settings.maintenance_io_concurrency.map_or(Concurrency::Auto, Concurrency::Fixed),
            context: self.environment.as_ref().map_or_else(Arc::default, |environment| environment.context.clone()),
            temporary: self.shared.temporary.with_limit(settings.temp_file_limit),
        }
    }

    /// How deep what is in a tablespace is read for maintenance.
    pub fn maintenance_concurrency(&self, tablespace: u32) -> Concurrency {
        let said = self.shared.catalog().concurrency(tablespace, "maintenance_io_concurrency");
        said.unwrap_or_else(|| self.write_options().concurrency)
    }

    /// With what an index on a table in a tablespace is built.
    pub fn maintenance_options(&self, tablespace: u32) -> WriteOptions {
        WriteOptions { concurrency: self.maintenance_concurrency(tablespace), ..self.write_options() }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        self.shared.settings.read().each_statement().transaction_read_only
    }

    /// Refuses to write where that is not allowed.
    pub fn require_writable(&self, what: &str) -> Result<()> {
        if self.is_read_only() {
            return Err(EngineError::new(
                sqlstate::READ_ONLY_SQL_TRANSACTION,
                format!("cannot execute {what} in a read-only transaction"),
            ));
        }
        Ok(())
    }
}

pub fn done(tag: &str) -> Reply {
    Reply::Done { tag: tag.to_string() }
}

/// Is it the name of a column that every table has?
pub fn is_system_column(name: &str) -> bool {
    ["ctid", "xmin", "xmax", "cmin", "cmax", "tableoid"].contains(&name)
}
