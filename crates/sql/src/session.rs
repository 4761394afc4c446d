//! A session: what one connected user has set and begun, and running their statements.
//!
//! # Transactions
//! Every statement runs in a transaction: a block that BEGIN opened, or an implicit one, which the caller begins and ends
//! around a query string or what comes before a Sync ([`Session::begin_implicit`], [`Session::end_implicit`]).

use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{DataType, Field, Float64Type, Schema, SchemaRef};
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::execution::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{ExecutionPlan, execute_stream};
use datafusion::sql::parser::Statement as PlannerStatement;
use datafusion::sql::sqlparser::ast::{self, Expr as AstExpr, Statement};
use engine::{
    Backend, Catalog, Database, Durability, EngineError, Result, Savepoint, Settings, Table, TableDef, Transaction,
    WriteOptions,
};
use futures::StreamExt;
use parking_lot::{Mutex, RwLock};
use txn::{LockMode, LockTag};

use crate::copy::{CopyFormat, CopyIn};
use crate::errors::translate;
use crate::output::{Column, Plain};
use crate::parameters::{Parameter, bind};
use crate::parse::{Parsed, ParsedKind};
use crate::point::Points;
use crate::query_memory::QueryMemory;
use crate::role_statement::RoleStatement;
use crate::rows::{RowSource, RowsReply};
use crate::stages::Staged;
use crate::style::Manner;
use crate::tables::View;
use crate::unbroken::unbroken;
use crate::volatile::Volatile;
use crate::{
    advisory, alter, append, constraints, copy, ddl, discard, explain, fence, identity, insert, labels, lock_rows,
    outside, ownership, pace, planner_state, planning, prepared, rewrite, roles, row_values, select_list, semantics,
    sequence, session_calls, settings, stages,
};

/// Columns of a result (`MaxTupleAttributeNumber`).
const MAX_COLUMNS: usize = 1664;

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
    pub statement_start: Mutex<SystemTime>,
    pub transaction_start: Mutex<SystemTime>,
    /// The catalog with the open transaction's changes, if it made any.
    pub overlay: RwLock<Option<Arc<Catalog>>>,
    pub sequences: sequence::Sequences,
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

    pub fn notice(&self, severity: &'static str, error: EngineError) {
        self.notices.lock().push(Notice { severity, error });
    }

    pub fn table_tag(&self, def: &TableDef) -> LockTag {
        LockTag::Relation { database: self.database.0, oid: def.oid }
    }

    /// How a statement reads and writes values now.
    pub fn manner(&self) -> Manner {
        let since = self.transaction_start.lock().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Manner { style: self.settings.read().style().clone(), now: since.as_micros() as i64 }
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransactionStatus {
    Idle,
    Active,
    Failed,
}

/// A message that is no error.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    pub severity: &'static str,
    pub error: EngineError,
}

/// What a statement answers.
pub enum Reply {
    /// Nothing was asked.
    Empty,
    Done {
        tag: String,
    },
    Rows(RowsReply),
    /// A SELECT's single row, or none.
    Row(Arc<[Column]>, Option<Vec<Plain>>),
    /// COPY FROM STDIN: the client is to send rows.
    CopyIn(Box<CopyIn>),
    /// COPY TO STDOUT.
    CopyOut(RowsReply, CopyFormat),
}

/// The catalog and the settings that a statement was understood with.
#[derive(Clone)]
pub struct Stamp {
    catalog: Arc<Catalog>,
    settings: u64,
}

/// A transaction block, explicit or not.
struct Block {
    /// Once something was to be seen or locked.
    transaction: Option<Transaction>,
    status: TransactionStatus,
    /// BEGIN opened it.
    explicit: bool,
    /// Set locally, to be put back at the end.
    before: Option<Settings>,
    savepoints: Vec<Named>,
}

/// A savepoint with its name.
struct Named {
    name: String,
    /// The first [`Session::place`] after it.
    place: u64,
    savepoint: Savepoint,
    settings: Settings,
}

/// What a plan may see besides the tables.
#[derive(Clone, Default)]
pub(crate) struct Extra {
    /// Only these rows, of the table that is being changed, or one for each of those that are being locked.
    pub only: Option<Arc<[Option<access::Tid>]>>,
    /// Rows that are in memory, as the table [`crate::tables::ROWS`].
    pub rows: Option<Arc<dyn datafusion::catalog::TableProvider>>,
}

pub struct Session {
    pub shared: Arc<Shared>,
    /// Made when a statement needs it.
    template: OnceLock<Box<SessionState>>,
    block: Block,
    /// Shapes of statements that the short path knows.
    pub(crate) points: Points,
    pub named: prepared::Named,
    /// What the statement's stages have left for it.
    pub(crate) staged: Staged,
    /// The statement is one of several in a query string, which are a transaction block of their own.
    pub several: bool,
    /// [`engine::Database::reloads`] that both have followed.
    reloads: u64,
    /// Counts savepoints.
    place: u64,
    undone: Option<u64>,
    /// What the last query was understood with.
    pub(crate) environment: Option<Arc<session::environment::Environment>>,
    /// Has the transaction while a portal runs.
    pub(crate) lent: executor::SharedTransaction,
}

/// A statement planned and ready.
pub(crate) struct Planned {
    /// With the types that the analyzer gave.
    pub optimized: LogicalPlan,
    pub physical: Arc<dyn ExecutionPlan>,
    pub state: SessionState,
    pub labels: Vec<String>,
    /// What its scans see: whoever changes rows that it gives must decide by the same.
    pub snapshot: txn::Snapshot,
}

impl Session {
    pub fn new(
        db: &Database,
        backend: Arc<Backend>,
        database: (u32, String),
        user: &str,
        mut initial: Settings,
    ) -> Result<Session> {
        settings::follow_defaults(&mut initial);
        let now = SystemTime::now();
        let reloads = db.reloads();
        let shared = Arc::new(Shared {
            db: db.clone(),
            backend,
            database,
            user: user.to_string(),
            settings: RwLock::new(initial.clone()),
            initial: RwLock::new(initial),
            statement_start: Mutex::new(now),
            transaction_start: Mutex::new(now),
            overlay: RwLock::new(None),
            sequences: sequence::Sequences::default(),
            notices: Mutex::default(),
            waiting: tokio::sync::Mutex::default(),
        });
        Ok(Session {
            shared,
            template: OnceLock::new(),
            block: Block {
                transaction: None,
                status: TransactionStatus::Idle,
                explicit: false,
                before: None,
                savepoints: Vec::new(),
            },
            points: Points::default(),
            named: prepared::Named::default(),
            staged: Staged::default(),
            several: false,
            reloads,
            place: 0,
            undone: None,
            environment: None,
            lent: executor::SharedTransaction::default(),
        })
    }

    /// Where in the session's transactions we are: what is begun here is taken back when [`Session::take_undone`] gives
    /// this place or an earlier one.
    pub fn place(&self) -> u64 {
        self.place
    }

    /// The earliest place since which everything has been undone, or has ended with its transaction, since the last call.
    pub fn take_undone(&mut self) -> Option<u64> {
        self.undone.take()
    }

    pub fn status(&self) -> TransactionStatus {
        if self.block.explicit { self.block.status } else { TransactionStatus::Idle }
    }

    /// How values are written now.
    pub fn style(&self) -> Arc<engine::Style> {
        self.shared.settings.read().style().clone()
    }

    /// Notices and warnings since the last call, as far as `client_min_messages` wants them.
    pub fn take_notices(&mut self) -> Vec<Notice> {
        let mut notices = std::mem::take(&mut *self.shared.notices.lock());
        if !notices.is_empty() {
            let least = match self.shared.settings.read().get("client_min_messages") {
                "error" => 3,
                "warning" => 2,
                "notice" => 1,
                _ => 0,
            };
            let level = |severity| match severity {
                "WARNING" => 2,
                _ => 1,
            };
            notices.retain(|notice| level(notice.severity) >= least);
        }
        notices
    }

    pub(crate) fn notice(&self, severity: &'static str, error: EngineError) {
        self.shared.notice(severity, error);
    }

    pub(crate) fn db(&self) -> &Database {
        &self.shared.db
    }

    pub(crate) fn io(&self) -> &aio::Session {
        &self.shared.backend.io
    }

    /// Is this a transaction block, which more statements may belong to?
    pub(crate) fn in_block(&self) -> bool {
        self.block.explicit || self.several
    }

    /// Fails for what commits by itself, half of which could not be taken back.
    pub(crate) fn refuse_in_block(&self, what: &str) -> Result<()> {
        if self.in_block() {
            return Err(EngineError::new("25001", format!("{what} cannot run inside a transaction block")));
        }
        Ok(())
    }

    // Transactions.

    /// A message with statements came: what they call the time of the statement, and of the transaction if they begin one.
    pub fn received(&mut self, now: SystemTime) {
        *self.shared.statement_start.lock() = now;
        let reloads = self.shared.db.reloads();
        // A transaction keeps the settings that it began with.
        if reloads != self.reloads && self.block.status == TransactionStatus::Idle {
            self.reloads = reloads;
            let fresh = self.shared.db.settings();
            for settings in [&self.shared.initial, &self.shared.settings] {
                let mut settings = settings.write();
                settings.reload(&fresh);
                settings::follow_defaults(&mut settings);
            }
        }
    }

    /// The statements to come share a transaction, until [`Session::end_implicit`].
    pub fn begin_implicit(&mut self) {
        if self.block.status == TransactionStatus::Idle {
            self.block.status = TransactionStatus::Active;
            *self.shared.transaction_start.lock() = *self.shared.statement_start.lock();
        }
    }

    /// Ends what [`Session::begin_implicit`] began, unless a BEGIN has made it explicit.
    pub async fn end_implicit(&mut self, commit: bool) -> Result<()> {
        if self.block.explicit || self.block.status == TransactionStatus::Idle {
            return Ok(());
        }
        if commit && self.block.status == TransactionStatus::Active {
            self.commit().await
        } else {
            self.rollback().await;
            Ok(())
        }
    }

    /// Gives the transaction to the portals, until somebody else needs it. Before each of their steps.
    pub fn lend_transaction(&mut self) {
        self.transaction();
        if let Some(transaction) = self.block.transaction.take() {
            self.lent.lend(transaction);
        }
    }

    /// Takes it back.
    fn reclaim(&mut self) {
        if let Some(transaction) = self.lent.reclaim() {
            self.block.transaction = Some(transaction);
        }
    }

    /// Has the transaction looked at anything yet?
    pub(crate) fn has_looked(&self) -> bool {
        self.block.transaction.as_ref().is_some_and(Transaction::has_snapshot)
            || self.lent.with(|transaction| transaction.has_snapshot()) == Some(true)
    }

    /// The transaction; from now on there is one.
    pub(crate) fn transaction(&mut self) -> &mut Transaction {
        self.reclaim();
        let shared = &self.shared;
        self.block.transaction.get_or_insert_with(|| Transaction::new(&shared.db, &shared.backend))
    }

    pub(crate) async fn commit(&mut self) -> Result<()> {
        self.reclaim();
        let transaction = self.block.transaction.take();
        self.finish_block();
        let Some(transaction) = transaction else { return Ok(()) };
        let _committing = self.shared.backend.commits();
        let durability = self.shared.settings.read().each_statement().durability;
        let drawn = self.shared.sequences.take_lsn();
        if transaction.xid().is_none() {
            if drawn > 0 && durability != Durability::Asynchronous {
                let log = self.db().log().clone();
                log.flush_to(self.io(), drawn).await?;
            }
            // Nothing else to wait for.
            return transaction.commit(Durability::Asynchronous).await;
        }
        // Once the commit record may exist nothing may interrupt: a cancelled or vanished client must not leave a
        // transaction that is neither in progress nor ended.
        unbroken(transaction.commit(durability)).await
    }

    pub(crate) async fn rollback(&mut self) {
        self.reclaim();
        let transaction = self.block.transaction.take();
        if let Some(before) = self.block.before.take() {
            let mut settings = self.shared.settings.write();
            settings.roll_back(before);
            settings::follow_activity(&self.shared, &settings);
        }
        self.finish_block();
        Self::take_back(transaction).await;
    }

    async fn take_back(transaction: Option<Transaction>) {
        if let Some(transaction) = transaction {
            // As a commit, it is not left half-way.
            unbroken(transaction.rollback()).await;
        }
    }

    fn finish_block(&mut self) {
        self.block.status = TransactionStatus::Idle;
        self.block.explicit = false;
        self.block.savepoints.clear();
        self.undone = Some(0);
        *self.shared.overlay.write() = None;
        self.shared.sequences.close();
        if let Some(before) = self.block.before.take() {
            settings::end_local(&mut self.shared.settings.write(), &before);
        }
    }

    /// Settings as they were when the block began, once something is about to change them.
    pub(crate) fn remember_settings(&mut self) {
        if self.block.status != TransactionStatus::Idle && self.block.before.is_none() {
            self.block.before = Some(self.shared.settings.read().clone());
        }
    }

    /// An error ended the statement: in a block, everything until its end is refused.
    pub async fn statement_failed(&mut self) {
        self.staged = Staged::default();
        if !self.block.explicit {
            self.rollback().await;
            return;
        }
        self.block.status = TransactionStatus::Failed;
        if self.block.savepoints.is_empty() {
            // Nothing of it can be seen any more; waiting for ROLLBACK would only keep it in progress.
            *self.shared.overlay.write() = None;
            self.shared.sequences.close();
            self.undone = Some(0);
            self.reclaim();
            Self::take_back(self.block.transaction.take()).await;
        }
    }

    /// The client is gone: its open transaction is undone.
    pub async fn abandon(&mut self) {
        self.rollback().await;
        self.db().release_kept_locks(&self.shared.backend);
    }

    /// Takes a lock until the transaction ends.
    pub(crate) async fn lock(&mut self, tag: LockTag, mode: LockMode) -> Result<()> {
        self.transaction();
        self.shared.lock(tag, mode).await
    }

    /// Locks a table until the transaction ends; gives it as it is then, because whoever was waited for may have changed
    /// or dropped it.
    pub(crate) async fn lock_table(&mut self, schema: &str, name: &str, mode: LockMode) -> Result<Option<Arc<Table>>> {
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

    /// Milliseconds that a lock may be waited for; 0 is for ever.
    pub(crate) fn lock_timeout(&self) -> u64 {
        self.shared.settings.read().each_statement().lock_timeout
    }

    pub(crate) fn write_options(&self) -> WriteOptions {
        let settings = self.shared.settings.read().each_statement();
        WriteOptions {
            lock_timeout: settings.lock_timeout,
            maintenance_work_mem: settings.maintenance_work_mem,
            maintenance_workers: settings.max_parallel_maintenance_workers,
            describe: insert::describe,
        }
    }

    /// Refuses to write where that is not allowed.
    pub(crate) fn require_writable(&self, what: &str) -> Result<()> {
        if self.shared.settings.read().each_statement().transaction_read_only {
            return Err(EngineError::new("25006", format!("cannot execute {what} in a read-only transaction")));
        }
        Ok(())
    }

    fn savepoint(&mut self, name: &ast::Ident) -> Result<Reply> {
        if !self.block.explicit {
            return Err(EngineError::new("25P01", "SAVEPOINT can only be used in transaction blocks"));
        }
        let savepoint = self.transaction().savepoint();
        let settings = self.shared.settings.read().clone();
        self.place += 1;
        self.block.savepoints.push(Named { name: ddl::ident(name), place: self.place, savepoint, settings });
        Ok(done("SAVEPOINT"))
    }

    fn find_savepoint(&self, name: &ast::Ident, what: &str) -> Result<usize> {
        if !self.block.explicit {
            return Err(EngineError::new("25P01", format!("{what} can only be used in transaction blocks")));
        }
        let name = ddl::ident(name);
        let found = self.block.savepoints.iter().rposition(|s| s.name == name);
        found.ok_or_else(|| EngineError::new("3B001", format!("savepoint \"{name}\" does not exist")))
    }

    async fn roll_back_to(&mut self, name: &ast::Ident) -> Result<Reply> {
        let index = self.find_savepoint(name, "ROLLBACK TO SAVEPOINT")?;
        // Those made since go, and what was locked since may be dropped by others.
        self.shared.sequences.close();
        // If this is given up before its end, so is the block: there is nothing left to go back to.
        let mut savepoints = std::mem::take(&mut self.block.savepoints);
        savepoints.truncate(index + 1);
        let Named { place, savepoint, settings, .. } = &savepoints[index];
        self.shared.settings.write().roll_back(settings.clone());
        self.undone = Some(self.undone.map_or(*place, |undone| undone.min(*place)));
        self.reclaim();
        if let Some(transaction) = self.block.transaction.take() {
            let (transaction, outcome) = undo(transaction, savepoint.clone()).await;
            self.block.transaction = Some(transaction);
            self.show_changes();
            outcome?;
        }
        self.block.savepoints = savepoints;
        self.block.status = TransactionStatus::Active;
        Ok(done("ROLLBACK"))
    }

    /// Lets the session see the transaction's changes of the catalog.
    pub(crate) fn show_changes(&mut self) {
        self.reclaim();
        let changed = match &mut self.block.transaction {
            Some(transaction) if transaction.changes_catalog() => Some(transaction.catalog()),
            _ => None,
        };
        *self.shared.overlay.write() = changed;
    }

    /// What the current statement sees.
    pub(crate) fn snapshot(&mut self) -> txn::Snapshot {
        self.choose_isolation();
        self.transaction().snapshot()
    }

    /// The isolation level holds from the first statement on.
    fn choose_isolation(&mut self) {
        let repeatable = self.block.explicit && self.shared.settings.read().each_statement().repeatable_read;
        let transaction = self.transaction();
        if !transaction.has_snapshot() {
            transaction.set_repeatable(repeatable);
        }
    }

    // Statements.

    /// Runs a statement; `parameters` replace `$1` and so on. After an error the caller calls
    /// [`Session::statement_failed`].
    pub async fn run(&mut self, parsed: &Parsed, parameters: &[Parameter]) -> Result<Reply> {
        // What a statement that failed or was cancelled has left.
        self.staged = Staged::default();
        self.begin_implicit();
        self.require_live(Some(parsed))?;
        let manner = self.shared.manner();
        manner.of(self.run_parsed(parsed, parameters)).await
    }

    async fn run_parsed(&mut self, parsed: &Parsed, parameters: &[Parameter]) -> Result<Reply> {
        let old;
        let statement = match &parsed.kind {
            ParsedKind::Query(raw) => {
                self.new_command();
                // Boxed, as what is rare or large.
                if let Some(reply) = Box::pin(self.run_query(raw, parameters)).await? {
                    return Ok(reply);
                }
                old = crate::parse::parse_old(&parsed.text)?;
                let Some(ParsedKind::Sql(statement)) = old.first().map(|parsed| &parsed.kind) else {
                    return Err(EngineError::unsupported("this statement"));
                };
                statement
            }
            ParsedKind::Sql(statement) => statement,
            ParsedKind::Checkpoint => {
                roles::require_superuser(&self.shared, "to execute CHECKPOINT command").map_err(|e| {
                    e.detail("Only roles with privileges of the \"pg_checkpoint\" role may execute this command.")
                })?;
                // Given up half-way, its last writes would race with the next ones of the same pages.
                let db = self.db().clone();
                unbroken(async move { db.checkpoint().await }).await?;
                return Ok(done("CHECKPOINT"));
            }
            ParsedKind::AlterSystem(change) => {
                settings::alter_system(self, change)?;
                return Ok(done("ALTER SYSTEM"));
            }
            ParsedKind::AlterSequence(change) => {
                self.new_command();
                return sequence::alter(self, change).await;
            }
            ParsedKind::Role(statement) => {
                self.new_command();
                return roles::run(self, RoleStatement::clone(statement)).await;
            }
            ParsedKind::Maintenance { vacuum, analyze, tables } => {
                if *vacuum {
                    self.refuse_in_block("VACUUM")?;
                }
                return self.maintain(*vacuum, *analyze, tables).await;
            }
        };
        let statement = match &**statement {
            // Its parameters come with EXECUTE.
            prepare @ Statement::Prepare { .. } => prepare.clone(),
            statement => bind(statement, parameters)?,
        };
        advisory::check(&statement)?;
        let looks = !matches!(
            statement,
            Statement::StartTransaction { .. }
                | Statement::Commit { .. }
                | Statement::Rollback { .. }
                | Statement::Savepoint { .. }
                | Statement::ReleaseSavepoint { .. }
                | Statement::Set(_)
                | Statement::ShowVariable { .. }
        );
        if looks {
            self.new_command();
        }
        self.run_statement(statement).await
    }

    /// In a failed transaction only what ends it is understood.
    pub fn require_live(&self, parsed: Option<&Parsed>) -> Result<()> {
        let ends = |kind: &ParsedKind| matches!(kind, ParsedKind::Sql(s) if matches!(**s, Statement::Commit { .. } | Statement::Rollback { .. }));
        if self.block.status != TransactionStatus::Failed || parsed.is_none_or(|parsed| ends(&parsed.kind)) {
            return Ok(());
        }
        let text = "current transaction is aborted, commands ignored until end of transaction block";
        Err(EngineError::new("25P02", text))
    }

    /// VACUUM and ANALYZE.
    async fn maintain(&mut self, vacuum: bool, analyze: bool, names: &[String]) -> Result<Reply> {
        let mut tables: Vec<String> = names.to_vec();
        if tables.is_empty() {
            let catalog = self.shared.catalog();
            let database = catalog.database_by_oid(self.shared.database.0);
            tables = database.into_iter().flat_map(|d| d.tables.values()).map(|t| t.name.clone()).collect();
        }
        for name in &tables {
            if let Some(table) = self.shared.find_table("public", name)?
                && !ownership::owns(&self.shared, &table.def.owner)?
            {
                let what = if vacuum { "vacuum" } else { "analyze" };
                let message = format!("permission denied to {what} \"{name}\", skipping it");
                self.notice("WARNING", EngineError::new("01000", message));
                continue;
            }
            let Some(table) = self.lock_table("public", name, LockMode::ShareUpdateExclusive).await? else {
                if names.is_empty() {
                    // Dropped since all were listed.
                    continue;
                }
                return Err(EngineError::new("42P01", format!("relation \"{name}\" does not exist")));
            };
            if vacuum {
                let stats = table.vacuum(self.io()).await?;
                tracing::debug!(table = name, ?stats, "vacuum");
            }
            if analyze {
                let snapshot = self.transaction().snapshot();
                let sample = table.analyze(self.io(), snapshot).await?;
                let context = types::Context::default();
                let columns = session::statistics::columns(&table.def, &sample, &context);
                let columns = columns.map_err(crate::session_functions::engine_error)?;
                let analyzed = Some(engine::Analyzed { pages: sample.pages, rows: sample.rows, columns });
                if table.def.analyzed != analyzed {
                    self.put_table(table.database, TableDef { analyzed, ..TableDef::clone(&table.def) });
                }
            }
        }
        Ok(done(if vacuum { "VACUUM" } else { "ANALYZE" }))
    }

    /// What the statement does is a command of its own.
    pub(crate) fn new_command(&mut self) {
        self.choose_isolation();
        self.transaction().next_command();
    }

    /// With what a statement that is prepared now was understood; `None` if that is this transaction's own.
    pub fn stamp(&self) -> Option<Stamp> {
        if !self.short_path() {
            return None;
        }
        Some(Stamp { catalog: self.shared.db.catalog(), settings: self.shared.settings.read().version() })
    }

    /// Would a statement be understood as it was then?
    pub fn is_current(&self, stamp: &Stamp) -> bool {
        self.short_path()
            && Arc::ptr_eq(&stamp.catalog, &self.shared.db.catalog())
            && stamp.settings == self.shared.settings.read().version()
    }

    /// May statements take the short path?
    pub(crate) fn short_path(&self) -> bool {
        self.block.status != TransactionStatus::Failed
            && self.shared.overlay.read().is_none()
            && self.shared.settings.read().each_statement().enable_short_path
            && self.shared.settings.read().style().path.contains(&"public")
    }

    async fn run_statement(&mut self, statement: Statement) -> Result<Reply> {
        match statement {
            Statement::Query(_) | Statement::Insert(_) | Statement::Update(_) | Statement::Delete(_) => {
                let statement = stages::run(self, statement).await?;
                let reply = stages::execute(self, statement).await;
                self.staged = Staged::default();
                reply
            }
            Statement::Lock(lock) => lock_rows::lock_table(self, lock).await,
            Statement::Explain { .. } => explain::run(self, statement).await,
            Statement::AlterTable(alter) => alter::run(self, alter).await,
            Statement::CreateIndex(create) => constraints::create_index(self, create).await,
            statement @ Statement::CreateSequence { .. } => sequence::create(self, statement).await,
            Statement::Savepoint { name } => self.savepoint(&name),
            Statement::ReleaseSavepoint { name } => {
                let index = self.find_savepoint(&name, "RELEASE SAVEPOINT")?;
                // SET TRANSACTION READ ONLY ends with its subtransaction, however that ends; other settings stay.
                let read_only = self.block.savepoints[index].settings.get("transaction_read_only").to_string();
                if self.shared.settings.read().get("transaction_read_only") != read_only {
                    let source = engine::settings::Source::Session;
                    self.shared.settings.write().set("transaction_read_only", &read_only, source)?;
                }
                self.block.savepoints.truncate(index);
                Ok(done("RELEASE"))
            }
            Statement::Rollback { savepoint: Some(name), .. } => self.roll_back_to(&name).await,
            Statement::Copy { .. } => copy::run(self, statement).await,
            Statement::CreateTable(create) => ddl::create_table(self, create).await,
            Statement::Drop { object_type, if_exists, names, .. } => {
                ddl::drop(self, object_type, if_exists, names).await
            }
            Statement::Truncate(truncate) => ddl::truncate(self, truncate).await,
            Statement::CreateDatabase { db_name, if_not_exists, .. } => {
                ddl::create_database(self, db_name, if_not_exists).await
            }
            Statement::Set(set) => settings::set(self, set).await,
            Statement::Reset(reset) => settings::reset(self, reset),
            Statement::ShowVariable { variable } => settings::show(self, variable),
            Statement::StartTransaction { modes, begin, .. } => {
                self.begin_block(modes, if begin { "BEGIN" } else { "START TRANSACTION" })
            }
            Statement::Commit { chain: false, .. } => {
                if !self.block.explicit {
                    self.notice("WARNING", EngineError::new("25P01", "there is no transaction in progress"));
                }
                if self.block.status == TransactionStatus::Failed {
                    self.rollback().await;
                    return Ok(done("ROLLBACK"));
                }
                self.commit().await?;
                Ok(done("COMMIT"))
            }
            Statement::Rollback { savepoint: None, chain: false } => {
                if !self.block.explicit {
                    self.notice("WARNING", EngineError::new("25P01", "there is no transaction in progress"));
                }
                self.rollback().await;
                Ok(done("ROLLBACK"))
            }
            Statement::Discard { object_type } => discard::run(self, object_type),
            // There are no cursors and nobody listens: both ask for what is so.
            Statement::Close { cursor: ast::CloseCursor::All } => Ok(done("CLOSE CURSOR ALL")),
            Statement::UNLISTEN { .. } => Ok(done("UNLISTEN")),
            Statement::Prepare { name, data_types, statement } => {
                prepared::prepare(self, &name, &data_types, *statement).await
            }
            Statement::Execute { name: Some(name), parameters, .. } => {
                let name = name.0.last().and_then(|p| p.as_ident()).map(ddl::ident).unwrap_or_default();
                let statement = prepared::execute(self, &name, &parameters).await?;
                Box::pin(self.run_statement(statement)).await
            }
            Statement::Deallocate { name, .. } => prepared::deallocate(self, &name),
            other => Err(EngineError::unsupported(kind_of(&other))),
        }
    }

    fn begin_block(&mut self, modes: Vec<ast::TransactionMode>, tag: &str) -> Result<Reply> {
        use ast::{TransactionAccessMode, TransactionIsolationLevel, TransactionMode};
        if self.block.explicit {
            self.notice("WARNING", EngineError::new("25001", "there is already a transaction in progress"));
            return Ok(done(tag));
        }
        self.block.status = TransactionStatus::Active;
        self.block.explicit = true;
        self.remember_settings();
        let set = |name: &str, value: &str| {
            // What is so already is not set: a change of settings costs more than the rest of BEGIN.
            if self.shared.settings.read().get(name) == value {
                return Ok(());
            }
            self.shared.settings.write().set(name, value, engine::settings::Source::Session)
        };
        settings::follow_defaults(&mut self.shared.settings.write());
        for mode in modes {
            match mode {
                TransactionMode::AccessMode(TransactionAccessMode::ReadOnly) => set("transaction_read_only", "on")?,
                TransactionMode::AccessMode(TransactionAccessMode::ReadWrite) => set("transaction_read_only", "off")?,
                TransactionMode::IsolationLevel(TransactionIsolationLevel::Serializable) => {
                    return Err(EngineError::unsupported("isolation level SERIALIZABLE"));
                }
                TransactionMode::IsolationLevel(level) => {
                    set("transaction_isolation", &level.to_string().to_lowercase())?;
                }
            }
        }
        Ok(done(tag))
    }

    pub(crate) async fn query(&mut self, statement: Statement) -> Result<Reply> {
        if let Some(seconds) = sleep_of(&statement) {
            return self.sleep(seconds).await;
        }
        let planned = self.plan(statement).await?;
        let columns = planned.columns();
        let batches = execute_stream(planned.physical, planned.state.task_ctx()).map_err(translate)?;
        Ok(Reply::Rows(RowsReply {
            columns: columns.into(),
            rows: RowSource::Stream(batches),
            tag: "SELECT",
            counted: true,
        }))
    }

    /// `SELECT pg_sleep(seconds)`, alone: nothing else may hold a thread for so long.
    async fn sleep(&mut self, seconds: AstExpr) -> Result<Reply> {
        let planned = self.plan(seconds_query(seconds)?).await?;
        let mut batches = execute_stream(planned.physical, planned.state.task_ctx()).map_err(translate)?;
        let batch = batches.next().await.transpose().map_err(translate)?;
        let seconds = batch.map(|b| b.column(0).clone());
        let seconds = seconds.as_ref().and_then(|s| s.as_primitive_opt::<Float64Type>().filter(|s| s.is_valid(0)));
        if let Some(seconds) = seconds.map(|s| s.value(0).clamp(0.0, 1e9)) {
            let _waiting = self.shared.backend.wait_for("Timeout", "PgSleep");
            tokio::time::sleep(std::time::Duration::from_secs_f64(seconds)).await;
        }
        // A value of type void, which prints as nothing.
        let rows = datafusion::arrow::array::StringArray::from(vec![""]);
        let schema = Arc::new(Schema::new(vec![Field::new("pg_sleep", DataType::Utf8, false)]));
        let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(rows)]);
        let batch = batch.map_err(|e| EngineError::new("XX000", e.to_string()))?;
        let batches = Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter([Ok(batch)])));
        let columns = vec![sleep_column()];
        Ok(Reply::Rows(RowsReply {
            columns: columns.into(),
            rows: RowSource::Stream(batches),
            tag: "SELECT",
            counted: true,
        }))
    }

    /// What the planner's states begin with.
    fn template(&self) -> Result<&SessionState> {
        if let Some(template) = self.template.get() {
            return Ok(template);
        }
        let template = planner_state::of_session(&self.shared)?;
        Ok(self.template.get_or_init(|| Box::new(template)))
    }

    /// Nothing has happened for a while: what can be made again is let go of.
    pub fn rest(&mut self) {
        self.template = OnceLock::new();
        self.environment = None;
        self.points = Points::default();
    }

    /// A planner state for one statement.
    fn state(&mut self, extra: Extra, snapshot: txn::Snapshot) -> Result<SessionState> {
        self.show_changes();
        let view = View { shared: self.shared.clone(), snapshot, extra, staged: self.staged.clone() };
        let (work_mem, workers) = {
            let settings = self.shared.settings.read();
            (
                settings.bytes("work_mem"),
                settings.integer("max_parallel_workers_per_gather").min(settings.integer("max_parallel_workers")),
            )
        };
        let memory = QueryMemory::new(self.db().work_memory(), work_mem);
        let manner = self.shared.manner();
        let schema = if manner.style.path.contains(&"public") { "public" } else { "pg_catalog" };
        let template = self.template()?.clone();
        let mut config = template.config().clone();
        config = config.with_default_catalog_and_schema(&self.shared.database.1, schema);
        config = config.with_target_partitions((workers.clamp(0, 32) as usize + 1).min(memory.participants()));
        config.options_mut().extensions.insert(manner);
        // Kept for merging by each participant's sort: little of little.
        let spill = &mut config.options_mut().execution.sort_spill_reservation_bytes;
        *spill = (*spill).min(memory.limit() / 16);
        let runtime = RuntimeEnv { memory_pool: Arc::new(memory), ..RuntimeEnv::clone(template.runtime_env()) };
        let mut state = SessionStateBuilder::new_from_existing(template)
            .with_config(config)
            .with_catalog_list(Arc::new(view))
            .with_runtime_env(Arc::new(runtime))
            .build();
        let options = state.config().options().clone();
        state.execution_props_mut().mark_start_execution(options);
        Ok(state)
    }

    /// Plans without optimising: for parameters and result columns.
    pub(crate) async fn plan_logical(
        &mut self,
        mut statement: Statement,
        insert: bool,
        extra: Extra,
    ) -> Result<(LogicalPlan, SessionState, Vec<String>, txn::Snapshot)> {
        self.lock_relations(&statement).await?;
        // Who looks again at rows that others have changed looks with a new one.
        let snapshot = match &self.staged.snapshot {
            Some(snapshot) if extra.only.is_none() => snapshot.clone(),
            _ => self.snapshot(),
        };
        select_list::spell_out(self, &mut statement)?;
        let labels = labels::of(&statement);
        row_values::spell_out(&mut statement, &self.volatile()?)?;
        sequence::open_all(self, &mut statement).await?;
        session_calls::prepare(self, &mut statement);
        rewrite::statement(&mut statement, &self.shared, insert)?;
        let state = self.state(extra, snapshot.clone())?;
        let large = planning::is_large(&statement);
        let statement = PlannerStatement::Statement(Box::new(statement));
        // The state goes there and comes back: it is large.
        let plan = async move {
            let plan = state.statement_to_plan(statement).await.and_then(semantics::check);
            (plan, state)
        };
        let (plan, state) = planning::plan(large, plan).await?;
        let plan = plan.map_err(translate)?;
        if plan.schema().fields().len() > MAX_COLUMNS {
            let message = format!("target lists can have at most {MAX_COLUMNS} entries");
            return Err(EngineError::new("54011", message));
        }
        let labels = labels::complete(labels, plan.schema());
        Ok((plan, state, labels, snapshot))
    }

    pub(crate) async fn plan(&mut self, statement: Statement) -> Result<Planned> {
        self.plan_for(statement, false, Extra::default()).await
    }

    /// Locks the tables that a statement reads, before the snapshot that it reads with is taken: what whoever was waited
    /// for has done is to be seen.
    pub(crate) async fn lock_relations(&mut self, statement: &Statement) -> Result<()> {
        let mut names = Vec::new();
        let _ = ast::visit_relations(statement, |name| {
            names.push(name.clone());
            std::ops::ControlFlow::<()>::Continue(())
        });
        for name in names {
            if let Ok((schema, name)) = ddl::object_name(&name, &self.shared.database.1) {
                self.lock_table(&schema, &name, LockMode::AccessShare).await?;
            }
        }
        Ok(())
    }

    /// `insert` says that the rows go into a table.
    pub(crate) async fn plan_for(&mut self, statement: Statement, insert: bool, extra: Extra) -> Result<Planned> {
        let large = planning::is_large(&statement);
        let (logical, state, labels, snapshot) = self.plan_logical(statement, insert, extra).await?;
        let ready = planning::plan(large, physical_plan(logical, state)).await?;
        let (optimized, physical, state) = ready.map_err(translate)?;
        if pace::makes_tasks(&physical) {
            // They are made where the statement runs.
            aio::announce_long_work().await;
        }
        Ok(Planned { optimized, physical, state, labels, snapshot })
    }

    /// Which functions are volatile.
    pub(crate) fn volatile(&self) -> Result<Volatile<'_>> {
        Ok(Volatile { functions: self.template()?.scalar_functions() })
    }

    /// Fails where an expression outside of subqueries aggregates.
    pub(crate) fn refuse_aggregates(&self, node: &impl ast::Visit, place: &str) -> Result<()> {
        use std::ops::ControlFlow;
        let functions = self.template()?.aggregate_functions();
        let found = outside::visit(node, |expr| {
            let AstExpr::Function(function) = expr else { return ControlFlow::Continue(()) };
            let name = function.name.0.last().and_then(|p| p.as_ident()).map(ddl::ident).unwrap_or_default();
            if function.over.is_some() {
                return ControlFlow::Break(("42P20", "window"));
            }
            if functions.contains_key(&name) {
                ControlFlow::Break(("42803", "aggregate"))
            } else {
                ControlFlow::Continue(())
            }
        });
        match found {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break((code, what)) => {
                Err(EngineError::new(code, format!("{what} functions are not allowed in {place}")))
            }
        }
    }
}

/// The optimized plan, and how it is run.
async fn physical_plan(
    logical: LogicalPlan,
    mut state: SessionState,
) -> datafusion::common::Result<(LogicalPlan, Arc<dyn ExecutionPlan>, SessionState)> {
    let optimized = state.optimize(&logical)?;
    // A single participant avoids exchanges that small tables do not repay.
    let alone = !explain::scans_large_table(&optimized) || fence::keeps_order(&optimized);
    if alone {
        let config = state.config().clone().with_target_partitions(1);
        state = SessionStateBuilder::new_from_existing(state).with_config(config).build();
        let options = state.config().options().clone();
        state.execution_props_mut().mark_start_execution(options);
    }
    let mut physical = state.query_planner().create_physical_plan(&optimized, &state).await?;
    if alone {
        physical = append::in_order(physical)?;
    }
    Ok((optimized, pace::paced(physical)?, state))
}

/// ROLLBACK TO. As a rollback, it is not left half-way: a transaction that nobody waits for any more is undone as a whole.
async fn undo(mut transaction: Transaction, savepoint: Savepoint) -> (Transaction, Result<()>) {
    let (give, undone) = tokio::sync::oneshot::channel();
    let work = unbroken(async move {
        let outcome = transaction.roll_back_to(&savepoint).await;
        if let Err((transaction, _)) = give.send((transaction, outcome)) {
            transaction.rollback().await;
        }
    });
    work.await;
    undone.await.expect("the work above ended by giving it")
}

impl Planned {
    pub(crate) fn columns(&self) -> Vec<Column> {
        columns_of(self.optimized.schema().inner(), &self.labels)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        self.physical.schema()
    }
}

pub(crate) fn columns_of(schema: &Schema, labels: &[String]) -> Vec<Column> {
    schema.fields().iter().zip(labels).map(|(field, label)| Column::new(label, field)).collect()
}

pub(crate) fn done(tag: &str) -> Reply {
    Reply::Done { tag: tag.to_string() }
}

/// The words a user knows a statement by.
fn kind_of(statement: &Statement) -> String {
    let text = statement.to_string();
    let words: Vec<_> = text.split_whitespace().take(2).collect();
    words.join(" ").to_uppercase()
}

/// What gives the seconds to sleep.
pub(crate) fn seconds_query(seconds: AstExpr) -> Result<Statement> {
    let mut query = crate::parse::query("SELECT pg_sleep")?;
    if let ast::SetExpr::Select(select) = &mut *query.body {
        select.projection = vec![ast::SelectItem::UnnamedExpr(typed(seconds, "double precision"))];
    }
    Ok(Statement::Query(Box::new(query)))
}

pub(crate) fn sleep_column() -> Column {
    Column { name: "pg_sleep".into(), oid: 2278, typmod: -1, len: 4 }
}

/// The argument, if the statement is `SELECT pg_sleep(x)`.
pub(crate) fn sleep_of(statement: &Statement) -> Option<AstExpr> {
    let Statement::Query(query) = statement else { return None };
    let ast::SetExpr::Select(select) = &*query.body else { return None };
    let [ast::SelectItem::UnnamedExpr(AstExpr::Function(function))] = select.projection.as_slice() else { return None };
    let name = function.name.0.last()?.as_ident()?;
    let ast::FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(seconds))]
            if crate::ddl::ident(name) == "pg_sleep" && select.from.is_empty() && query.with.is_none() =>
        {
            Some(seconds.clone())
        }
        _ => None,
    }
}

pub(crate) fn typed(value: AstExpr, ty: &str) -> AstExpr {
    let dialect = datafusion::sql::sqlparser::dialect::PostgreSqlDialect {};
    let data_type = datafusion::sql::sqlparser::parser::Parser::new(&dialect)
        .try_with_sql(ty)
        .and_then(|mut p| p.parse_data_type())
        .expect("the names of our types parse");
    AstExpr::Cast { kind: ast::CastKind::Cast, expr: Box::new(value), data_type, array: false, format: None }
}
