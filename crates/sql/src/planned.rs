//! Queries that go the new way: through the rooms of `session`. What these do not know yet (0A000 before anything has run)
//! goes the old way, DataFusion's.

use std::sync::Arc;

use analyze::query::CommandType;
use engine::{EngineError, Result};
use parking_lot::Mutex;
use plan::plan::RelationLock;
use session::environment::Environment;
use session::facts::OpenTables;
use session::plan_cache::{CachedPlan, CachedPlanSource};
use session::portal::Portal;
use syntax::RawStmt;
use syntax::nodes::Node;
use txn::{LockMode, LockTag};
use types::{Context, Datum, Oid};

use crate::output::Column;
use crate::parameters::Parameter;
use crate::rows::{RowSource, RowsReply};
use crate::session::{Reply, Session};
use crate::session_functions::SessionFunctions;

/// A statement as the grammar has read it, and what was made of it.
pub struct Raw {
    /// The whole query string: positions are in it.
    text: Arc<str>,
    pub statement: RawStmt,
    /// For the parameters' types that the client declared.
    source: Mutex<Option<(Vec<Oid>, Arc<CachedPlanSource>)>>,
}

impl std::fmt::Debug for Raw {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text)
    }
}

/// The statements of a query string: those that may go the new way with their trees, others without.
pub fn split(text: &str) -> Result<Vec<(String, Option<Arc<Raw>>)>> {
    let statements = syntax::parse(text).map_err(syntax_error)?;
    let whole: Arc<str> = text.into();
    let one = |statement: RawStmt| {
        let from = statement.stmt_location.max(0) as usize;
        let to = if statement.stmt_len == 0 { text.len() } else { from + statement.stmt_len as usize };
        let own = text[from..to].trim().to_string();
        let goes = matches!(
            statement.stmt,
            Node::SelectStmt(_) | Node::InsertStmt(_) | Node::UpdateStmt(_) | Node::DeleteStmt(_) | Node::MergeStmt(_)
        );
        (own, goes.then(|| Arc::new(Raw { text: whole.clone(), statement, source: Mutex::default() })))
    };
    Ok(statements.into_iter().map(one).collect())
}

fn syntax_error(report: syntax::Report) -> EngineError {
    let code = match report.sqlstate() {
        "54001" => "54001",
        "53200" => "53200",
        "22021" => "22021",
        "22023" => "22023",
        "22P05" => "22P05",
        "0A000" => "0A000",
        "42602" => "42602",
        "42622" => "42622",
        "42611" => "42611",
        "42939" => "42939",
        "42P10" => "42P10",
        "42P13" => "42P13",
        "42P17" => "42P17",
        "42P20" => "42P20",
        _ => "42601",
    };
    let mut error = EngineError::new(code, report.message.to_string());
    error.detail = report.detail.map(String::from);
    error.hint = report.hint.map(String::from);
    error.position = report.position;
    error
}

/// As the client is told; `text` is the query string.
pub(crate) fn reported(error: types::Error, text: &str) -> EngineError {
    let report = *error.0;
    let mut told = EngineError::new(report.code, report.message);
    told.detail = report.detail;
    told.hint = report.hint;
    let before = report.location.map(|at| text.get(..at).map_or(at, |before| before.chars().count()));
    told.position = before.map(|characters| characters as u32 + 1);
    told
}

pub(crate) fn raised(error: executor::Error, text: &str) -> EngineError {
    match error {
        executor::Error::Report(report) => reported(report, text),
        executor::Error::Engine(error) => *error,
    }
}

/// A row's columns as clients are told.
pub(crate) fn described(columns: &[session::plan_cache::Column]) -> Arc<[Column]> {
    let length = |ty: Oid| catalog::Catalog::BUILT_IN.pg_type(ty).map_or(-1, |row| row.typlen);
    let column = |column: &session::plan_cache::Column| {
        let oid = if column.ty.oid == types::oid::UNKNOWN { types::oid::TEXT } else { column.ty.oid };
        Column { name: column.name.clone(), oid, typmod: column.ty.typmod, len: length(oid) }
    };
    columns.iter().map(column).collect()
}

impl Session {
    /// Is it what the new way does not know yet?
    fn goes_the_old_way(&self, error: &EngineError) -> bool {
        error.code == "0A000" && self.shared.settings.read().each_statement().enable_old_planner
    }

    /// What a statement is understood with now.
    fn environment(&mut self) -> Arc<Environment> {
        self.show_changes();
        let engine = self.shared.catalog();
        let settings = self.shared.settings.read();
        if let Some(environment) = self.environment.as_ref().filter(|known| known.is_current(&engine, &settings)) {
            return environment.clone();
        }
        let made = Arc::new(Environment::new(self.shared.database.clone(), engine, &settings));
        drop(settings);
        self.environment = Some(made.clone());
        made
    }

    fn context(&self, environment: &Environment, raw: &Raw) -> Context {
        let micros = |time: &Mutex<std::time::SystemTime>| {
            let since = time.lock().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
            since.as_micros() as i64
        };
        let functions =
            SessionFunctions { shared: self.shared.clone(), transaction: self.lent.clone(), query: raw.text.clone() };
        let (transaction, statement) = (micros(&self.shared.transaction_start), micros(&self.shared.statement_start));
        environment.context(Arc::new(functions), transaction, statement)
    }

    /// What a statement means; `None`: it goes the old way.
    pub(crate) fn understand(&mut self, raw: &Raw, declared: &[Oid]) -> Result<Option<Arc<CachedPlanSource>>> {
        if !self.shared.settings.read().each_statement().enable_planner {
            return Ok(None);
        }
        let environment = self.environment();
        let known = raw.source.lock().clone();
        let same =
            |types: &[Oid], source: &CachedPlanSource| types == declared || source.analyzed.parameters == declared;
        if let Some((_, source)) = known.filter(|(types, source)| same(types, source) && source.is_valid(&environment))
        {
            return Ok(Some(source));
        }
        let context = self.context(&environment, raw);
        let made = CachedPlanSource::new(&environment, &context, &raw.statement, declared);
        match made.map_err(|error| reported(error, &raw.text)) {
            Ok(source) => {
                let source = Arc::new(source);
                *raw.source.lock() = Some((declared.to_vec(), source.clone()));
                Ok(Some(source))
            }
            Err(error) if self.goes_the_old_way(&error) => {
                tracing::debug!(statement = &*raw.text, reason = error.message, "goes the old way");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Runs a query the new way; `None`: it has to go the old way, and nothing has happened.
    pub(crate) async fn run_query(&mut self, raw: &Raw, parameters: &[Parameter]) -> Result<Option<Reply>> {
        let declared: Vec<Oid> = parameters.iter().map(|parameter| parameter.ty).collect();
        let (source, cached) = loop {
            let Some(source) = self.understand(raw, &declared)? else { return Ok(None) };
            let Some(cached) = self.planned(&source, raw)? else { return Ok(None) };
            self.check_writable(&source)?;
            for relation in &cached.planned.relations {
                let mode = match relation.lock {
                    RelationLock::AccessShare => LockMode::AccessShare,
                    RelationLock::RowShare => LockMode::RowShare,
                    RelationLock::RowExclusive => LockMode::RowExclusive,
                };
                if relation.oid >= catalog::FIRST_NORMAL_OBJECT_ID {
                    let tag = LockTag::Relation { database: self.shared.database.0, oid: relation.oid };
                    self.lock(tag, mode).await?;
                }
            }
            // Whoever was waited for may have changed what the statement means.
            if source.is_valid(&self.environment()) {
                break (source, cached);
            }
        };
        let environment = self.environment();
        let context = Arc::new(self.context(&environment, raw));
        let values = self.values(&source, parameters, &context)?;
        let snapshot = self.snapshot();
        self.lend_transaction();
        let given = self.executor_environment(environment, context, snapshot, &values);
        let command = source.analyzed.query.command;
        let columns = source.columns.clone();
        let started = Portal::start(&cached.executable, command, columns, given);
        let mut portal = started.map_err(|error| raised(error, &raw.text))?;
        let Some(columns) = &portal.columns else {
            while portal.next().await.map_err(|error| raised(error, &raw.text))?.is_some() {}
            return Ok(Some(Reply::Done { tag: portal.tag(0) }));
        };
        let columns = described(columns);
        if command != CommandType::Select {
            portal.finish().await.map_err(|error| raised(error, &raw.text))?;
        }
        let rows = RowSource::Portal(Box::new(portal), raw.text.clone());
        Ok(Some(Reply::Rows(RowsReply { columns, rows, tag: "SELECT", counted: true })))
    }

    pub(crate) fn planned(&mut self, source: &CachedPlanSource, raw: &Raw) -> Result<Option<Arc<CachedPlan>>> {
        let environment = self.environment();
        let execution = expression::Execution::new(Arc::new(self.context(&environment, raw)));
        match source.generic_plan(self.db(), &execution).map_err(|error| reported(error, &raw.text)) {
            Ok(plan) => {
                tracing::trace!(plan = ?plan.planned.plan);
                Ok(Some(plan))
            }
            Err(error) if self.goes_the_old_way(&error) => {
                tracing::debug!(statement = &*raw.text, reason = error.message, "goes the old way");
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    fn check_writable(&self, source: &CachedPlanSource) -> Result<()> {
        match source.analyzed.query.command {
            CommandType::Select => Ok(()),
            CommandType::Insert => self.require_writable("INSERT"),
            CommandType::Update => self.require_writable("UPDATE"),
            CommandType::Delete => self.require_writable("DELETE"),
            CommandType::Merge => self.require_writable("MERGE"),
        }
    }

    /// The values of `$1`, … as their types hold them.
    fn values(
        &self,
        source: &CachedPlanSource,
        parameters: &[Parameter],
        context: &Context,
    ) -> Result<Vec<(types::Repr, Datum)>> {
        let types = source.analyzed.parameters.iter();
        let value = |(ty, parameter): (&Oid, &Parameter)| {
            let ty = if matches!(*ty, 0 | types::oid::UNKNOWN) { types::oid::TEXT } else { *ty };
            let missing = || types::Error::unsupported(format_args!("a parameter of type {ty}"));
            let base_type = types::base_type::base_type(ty).ok_or_else(missing)?;
            let value = parameter.text.as_ref().map_or(Ok(Datum::Null), |text| (base_type.input)(context, text, -1))?;
            Ok((types::Repr::of(ty, -1).ok_or_else(missing)?, value))
        };
        let values: types::Result<_> = types.zip(parameters).map(value).collect();
        values.map_err(|error| reported(error, ""))
    }

    fn executor_environment(
        &self,
        environment: Arc<Environment>,
        context: Arc<Context>,
        snapshot: txn::Snapshot,
        values: &[(types::Repr, Datum)],
    ) -> executor::Environment {
        let values = values.iter().map(|(repr, value)| (*repr, value));
        let execution = expression::Execution::new(context).with_external(values);
        let settings = self.shared.settings.read();
        let workers = settings.integer("max_parallel_workers_per_gather").min(settings.integer("max_parallel_workers"));
        executor::Environment {
            database: self.db().clone(),
            backend: self.shared.backend.clone(),
            transaction: self.lent.clone(),
            snapshot,
            objects: Some(environment.objects.clone()),
            search_path: environment.search_path.clone(),
            tables: Arc::new(OpenTables { db: self.db().clone(), environment }),
            execution,
            settings: executor::Settings {
                work_mem: settings.bytes("work_mem"),
                participants: workers.clamp(0, 32) as usize + 1,
                concurrency: concurrency(&settings),
                write: self.write_options(),
            },
        }
    }
}

fn concurrency(settings: &engine::Settings) -> storage::Concurrency {
    match settings.get("effective_io_concurrency") {
        "auto" => storage::Concurrency::Auto,
        number => number.parse().map_or(storage::Concurrency::Auto, storage::Concurrency::Fixed),
    }
}
