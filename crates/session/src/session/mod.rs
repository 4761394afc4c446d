//! A session: what one connected user has set and begun. [`crate::transaction`] has its transactions,
//! [`crate::statement::postgres`] runs its statements.

pub mod notice;
pub mod relations;
pub mod reply;
pub mod shared;

use std::sync::Arc;
use std::time::SystemTime;

use ::error::sqlstate;
use config::{Settings, Source};
use engine::{Backend, Database, EngineError, Result};
use futures::future::BoxFuture;

use crate::definition::index_compiler::IndexCompiler;
use crate::environment::Environment;
use crate::plan_cache::Column;
use crate::portal::cursors::Cursors;
pub use crate::session::notice::Notice;
pub use crate::session::reply::{Reply, done};
pub use crate::session::shared::Shared;
use crate::setting::guc;
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;
use crate::statement::prepared::PreparedStatements;
use crate::statement::statement_cache::StatementCache;
use crate::transaction::block::Block;
use crate::transaction::on_commit::OnCommit;

/// How long a session that ends waits for locks on what it drops, in milliseconds.
const LONGEST_DROP: u64 = 10_000;

/// The commands that are not the session's own, as it calls them (PostgreSQL's `ProcessUtility`).
pub trait Utility: Send + Sync {
    /// Runs a command that is no query.
    fn run<'a>(
        &self,
        session: &'a mut Session,
        statement: &'a ParsedStatement,
        parameters: &'a [Parameter],
    ) -> BoxFuture<'a, Result<Reply>>;

    /// The columns of what a command gives (`UtilityTupleDescriptor`); `None`: it gives no rows.
    fn result_columns(&self, statement: &ParsedStatement) -> Result<Option<Arc<[Column]>>>;

    /// Does what temporary tables are to do before a transaction commits (`PreCommit_on_commit_actions`):
    /// [`Session::on_commit_actions`].
    fn before_commit<'a>(&self, session: &'a mut Session) -> BoxFuture<'a, Result<()>>;
}

/// `block`, `lent` and their flags are [`crate::transaction`]'s: all else goes by its methods.
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
        guc::follow_defaults(&mut initial);
        db.compile_keys_with(Arc::new(IndexCompiler));
        let (cursors, prepared) = (Cursors::default(), PreparedStatements::default());
        let told = (prepared.clone(), cursors.facts());
        let shared = Arc::new(Shared::new((db, backend), database, user, initial, told));
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
                guc::follow_defaults(&mut settings);
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
        let role = || self.shared.identities.current(&settings);
        let is_current = |known: &&Arc<Environment>| {
            self.shared.is_catalog(&known.engine) && known.has_settings(&settings, role) && known.suits(kept.as_ref())
        };
        if let Some(known) = self.environment.as_ref().filter(is_current) {
            return known.clone();
        }
        let made = Arc::new(Environment::new(
            self.shared.database.clone(),
            (self.shared.catalog(), self.shared.db.catalog()),
            &settings,
            (role(), &self.shared.backend.temporary_schema()),
            kept.as_ref(),
        ));
        drop(settings);
        self.environment = Some(made.clone());
        made
    }
}
