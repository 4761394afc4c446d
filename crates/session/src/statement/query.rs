//! SELECT, INSERT, UPDATE, DELETE and MERGE, alone or within a command: understood, planned, locked, started.

use std::borrow::Cow;
use std::sync::Arc;

use analyze::query::{CommandType, LockStrength};
use engine::{EngineError, Result};
use error::sqlstate;
use executor::{Point, Tables};
use plan::plan::{Node as PlanNode, Plan, PlanRowMark, PlannedRelation, PlannedStmt, RelationLock};
use smallvec::SmallVec;
use storage::Concurrency;
use syntax::nodes::Node;
use txn::{LockMode, LockTag};
use types::{Context, Datum, Oid, Reader, made_of, oid};

use crate::environment::Environment;
use crate::environment::facts::OpenTables;
use crate::errors::{raised, reported};
use crate::functions::SessionFunctions;
use crate::plan_cache::{CachedPlan, CachedPlanSource};
use crate::portal::Portal;
use crate::session::{Reply, Session};
use crate::statement::parameter::Parameter;
use crate::statement::parse::ParsedStatement;
use crate::statement::planning::{apart, has_many_relations, is_long, owned};

/// A query of a statement: the statement itself, or what a command has in it.
#[derive(Clone, Copy)]
pub struct QueryText<'a> {
    pub node: &'a Node,
    /// Levels of nodes within nodes.
    pub depth: usize,
    /// The query string.
    pub text: &'a Arc<str>,
    /// Its analysis and planning may take long.
    long: bool,
    /// Keeps what it means.
    kept: Option<&'a ParsedStatement>,
}

impl<'a> QueryText<'a> {
    pub fn of(statement: &'a ParsedStatement) -> QueryText<'a> {
        QueryText {
            node: statement.node(),
            depth: statement.raw.depth,
            text: &statement.text,
            long: is_long(statement.own_text(), statement.raw.depth),
            kept: Some(statement),
        }
    }

    /// A statement with parameters for the constants of the text that was sent.
    pub fn of_shape(statement: &'a ParsedStatement, text: &'a Arc<str>) -> QueryText<'a> {
        QueryText { text, ..QueryText::of(statement) }
    }

    fn is_of_shape(&self) -> bool {
        self.kept.is_some_and(|kept| kept.shaped)
    }

    /// A part of a statement.
    pub fn within(statement: &'a ParsedStatement, node: &'a Node) -> QueryText<'a> {
        QueryText { node, kept: None, ..QueryText::of(statement) }
    }
}

/// A query that is ready to run, with the values of its parameters as their types have them.
pub struct Ready<'p> {
    pub source: Arc<CachedPlanSource>,
    pub plan: Arc<CachedPlan>,
    pub parameters: Cow<'p, [Parameter]>,
    pub context: Arc<Context>,
}

impl Ready<'_> {
    /// It is a SELECT in which nothing is changed.
    pub fn only_selects(&self) -> bool {
        self.source.analyzed.query.command == CommandType::Select && self.plan.planned.modifying.is_empty()
    }
}

impl Session {
    /// What functions may ask while a statement of this text runs.
    pub fn context(&self, environment: &Environment, text: &Arc<str>) -> Context {
        let micros = |time: std::time::SystemTime| {
            time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default().as_micros() as i64
        };
        let functions = SessionFunctions {
            shared: self.shared.clone(),
            transaction: self.lent.clone(),
            in_subtransaction: self.in_subtransaction(),
            query: text.clone(),
            permitted: std::sync::OnceLock::new(),
        };
        let transaction = micros(*self.shared.transaction_start.lock());
        let statement = micros(*self.shared.statement_start.lock());
        environment.context(Arc::new(functions), transaction, statement)
    }

    /// What a query means. `declared` are the types of its parameters that are known.
    pub async fn understand(&mut self, query: QueryText<'_>, declared: &[Oid]) -> Result<Arc<CachedPlanSource>> {
        let environment = self.environment();
        if let Some(kept) = query.kept
            && let Some((types, source)) = &*kept.source.lock()
            && (*types == declared || source.analyzed.parameters == declared)
            && source.is_valid(&environment)
        {
            return Ok(source.clone());
        }
        let context = self.context(&environment, query.text);
        let context = match query.kept {
            Some(kept) => kept.reading(context),
            None => context,
        };
        let made = if query.long {
            let (raw, declared) = (owned(query.node, query.depth), declared.to_vec());
            apart(move || CachedPlanSource::new(&environment, &context, &raw.stmt, raw.depth, &declared)).await?
        } else {
            CachedPlanSource::new(&environment, &context, query.node, query.depth, declared)
        };
        let mut source = made.map_err(|error| reported(error, query.text))?;
        let Some(kept) = query.kept else { return Ok(Arc::new(source)) };
        let mut known = kept.source.lock();
        if let Some((_, before)) = &*known {
            source.go_on_counting(before);
        }
        let source = Arc::new(source);
        *known = Some((declared.to_vec(), source.clone()));
        Ok(source)
    }

    /// Plans a query for the values of its parameters.
    pub(crate) async fn plan_query<'p>(
        &mut self,
        query: QueryText<'_>,
        parameters: &'p [Parameter],
    ) -> Result<Ready<'p>> {
        let declared: SmallVec<[Oid; 8]> = parameters.iter().map(Parameter::declared).collect();
        let source = self.understand(query, &declared).await?;
        if source.identifier.is_some() {
            self.shared.backend.update(|state| state.query_id = source.identifier);
        }
        let context = Arc::new(self.context(&source.environment, query.text));
        let told = |error| reported(error, query.text);
        let denied = source.check_permissions().err();
        let ready = self.plan_source(query, source, &context, parameters).await;
        match denied {
            None => ready,
            // Planning computes constants, whose failures are not for a role that may not run the query.
            Some(denied) => ready.ok().filter(|ready| ready.source.allows(&ready.plan)).ok_or_else(|| told(denied)),
        }
    }

    async fn plan_source<'p>(
        &mut self,
        query: QueryText<'_>,
        source: Arc<CachedPlanSource>,
        context: &Arc<Context>,
        parameters: &'p [Parameter],
    ) -> Result<Ready<'p>> {
        let told = |error| reported(error, query.text);
        let parameters = typed(&source, parameters, context).map_err(told)?;
        let long = query.long || has_many_relations(&source.analyzed.query);
        let written = query.is_of_shape();
        let plan = if long && !source.has_plan(self.db(), context, &parameters, written) {
            let (source, db) = (source.clone(), self.db().clone());
            let (context, values) = (context.clone(), parameters.to_vec());
            apart(move || source.plan_for(&db, &context, &values, written)).await?
        } else {
            source.plan_for(self.db(), context, &parameters, written)
        };
        let plan = plan.map_err(told)?;
        if written && !plan.planned.custom {
            source.check_constants(context, &parameters).map_err(told)?;
        }
        tracing::trace!(plan = ?plan.planned.plan);
        Ok(Ready { source, plan, parameters, context: context.clone() })
    }

    /// Locks what a plan uses, as strongly as it is going to need that. A transaction that was waited for may have changed what
    /// the statement means: then there is another plan.
    pub(crate) async fn lock_planned<'p>(
        &mut self,
        query: QueryText<'_>,
        parameters: &'p [Parameter],
        mut ready: Ready<'p>,
    ) -> Result<Ready<'p>> {
        loop {
            for &view in &ready.source.views {
                let tag = LockTag::Relation { database: self.shared.database.0, oid: view };
                self.lock(tag, LockMode::AccessShare).await?;
            }
            self.lock_relations(&ready.plan.planned).await?;
            if ready.source.is_valid(&self.environment()) {
                return Ok(ready);
            }
            ready = self.plan_query(query, parameters).await?;
        }
    }

    /// Plans a query and locks what it uses.
    pub async fn ready<'p>(&mut self, query: QueryText<'_>, parameters: &'p [Parameter]) -> Result<Ready<'p>> {
        let planned = self.plan_query(query, parameters).await?;
        self.lock_planned(query, parameters, planned).await
    }

    pub(crate) async fn lock_relations(&mut self, planned: &PlannedStmt) -> Result<()> {
        for relation in &planned.relations {
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
        Ok(())
    }

    /// Begins to run a query.
    pub fn start(&mut self, ready: &Ready<'_>, text: &Arc<str>) -> Result<Portal> {
        let snapshot = self.snapshot_of(ready)?;
        self.start_with(ready, text, snapshot)
    }

    /// The same for a portal that may not take all of its rows: so many may be enough for the beginning.
    pub(crate) fn start_leaving(&mut self, ready: &Ready<'_>, text: &Arc<str>, rows: usize) -> Result<Portal> {
        let snapshot = self.snapshot_of(ready)?;
        self.begin(ready, text, snapshot, Some(rows))
    }

    /// What a query is to see.
    pub(crate) fn snapshot_of(&mut self, ready: &Ready<'_>) -> Result<txn::Snapshot> {
        self.check_writable(ready)?;
        let only_reads = ready.plan.planned.relations.iter().all(|relation| relation.lock == RelationLock::AccessShare);
        Ok(if only_reads { self.read_snapshot() } else { self.snapshot() })
    }

    /// As [`Session::start`], with what the query is to see, and for commands that write in a read-only transaction too.
    pub(crate) fn start_with(&mut self, ready: &Ready<'_>, text: &Arc<str>, snapshot: txn::Snapshot) -> Result<Portal> {
        self.begin(ready, text, snapshot, None)
    }

    fn begin(
        &mut self,
        ready: &Ready<'_>,
        text: &Arc<str>,
        snapshot: txn::Snapshot,
        first_rows: Option<usize>,
    ) -> Result<Portal> {
        let Ready { source, plan, parameters, context } = ready;
        check_parameters(source, parameters)?;
        self.lend_transaction();
        let values = parameters.iter().map(|parameter| (parameter.repr, &parameter.value));
        let execution = expression::Execution::new(context.clone()).with_external(values);
        let given = self.executor_environment(source.environment.clone(), execution, snapshot);
        let given = executor::Environment { first_rows, ..given };
        let command = source.analyzed.query.command;
        let started = Portal::start(plan, command, source.columns.clone(), text, given);
        started.map_err(|error| raised(error, text))
    }

    /// Runs a query as far as has to be before its rows are asked for. `snapshot`: what it sees, if that is known. `wanted`: the
    /// client asks for so many of its rows, and perhaps for no others.
    pub(crate) async fn run_ready(
        &mut self,
        ready: &Ready<'_>,
        text: &Arc<str>,
        snapshot: Option<txn::Snapshot>,
        wanted: Option<usize>,
    ) -> Result<Reply> {
        if let Some(point) = &ready.plan.executable.point {
            return self.run_point(ready, point, text, snapshot).await;
        }
        let snapshot = match snapshot {
            Some(snapshot) => snapshot,
            None => self.snapshot_of(ready)?,
        };
        let runs_on = ready.only_selects();
        let mut portal = self.begin(ready, text, snapshot, wanted.filter(|_| runs_on))?;
        if portal.columns.is_none() {
            portal.drain(self).await?;
            return Ok(Reply::Done { tag: portal.tag(0) });
        }
        if !runs_on {
            portal.finish(self).await?;
        }
        Ok(Reply::Rows(Box::new(portal)))
    }

    /// Runs a plan that looks for one row by its key, without batches.
    async fn run_point(
        &mut self,
        ready: &Ready<'_>,
        point: &Point,
        text: &Arc<str>,
        snapshot: Option<txn::Snapshot>,
    ) -> Result<Reply> {
        let Ready { source, plan, parameters, context } = ready;
        check_parameters(source, parameters)?;
        let snapshot = snapshot.unwrap_or_else(|| self.read_snapshot());
        let values = parameters.iter().map(|parameter| (parameter.repr, &parameter.value));
        let execution = expression::Execution::new(context.clone()).with_external(values);
        let tables = OpenTables { db: self.db().clone(), environment: source.environment.clone() };
        let table = tables.open(point.table).map_err(|error| raised(error, text))?;
        let row = point.row(&table, self.io(), &snapshot, &execution).await;
        let row = row.map_err(|error| raised(error, text))?;
        Ok(Reply::Rows(Box::new(Portal::of_row(plan, row, source.columns.clone(), text, context.clone()))))
    }

    /// In a read-only transaction rows of temporary tables alone are changed and locked (`ExecCheckXactReadOnly`).
    fn check_writable(&self, ready: &Ready<'_>) -> Result<()> {
        if !self.is_read_only() {
            return Ok(());
        }
        let planned = &ready.plan.planned;
        let is_written = |relation: &PlannedRelation| relation.lock != RelationLock::AccessShare;
        match planned.relations.iter().any(|relation| is_written(relation) && !self.is_temporary(relation.oid)) {
            true => self.require_writable(command_name(planned)),
            false => Ok(()),
        }
    }

    pub fn executor_environment(
        &self,
        environment: Arc<Environment>,
        execution: expression::Execution,
        snapshot: txn::Snapshot,
    ) -> executor::Environment {
        let settings = self.shared.settings.read().each_statement();
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
                work_mem: settings.work_mem,
                participants: settings.participants,
                parallel_workers: settings.parallel_workers,
                concurrency: settings.io_concurrency.map_or(Concurrency::Auto, Concurrency::Fixed),
                write: self.write_options(),
            },
            first_rows: None,
        }
    }
}

/// The values as their types have them: constants in quotes get the types that analysis has found.
fn typed<'p>(
    source: &CachedPlanSource,
    parameters: &'p [Parameter],
    context: &Context,
) -> types::Result<Cow<'p, [Parameter]>> {
    if parameters.iter().all(|parameter| parameter.ty != oid::UNKNOWN) {
        return Ok(Cow::Borrowed(parameters));
    }
    let value = |(parameter, &ty): (&Parameter, &Oid)| {
        let Datum::Text(text) = &parameter.value else { return Ok(parameter.clone()) };
        if parameter.ty != oid::UNKNOWN {
            return Ok(parameter.clone());
        }
        let ty = if matches!(ty, 0 | oid::UNKNOWN) { oid::TEXT } else { ty };
        let repr = made_of::repr(context, ty)?;
        Ok(Parameter { ty, repr, value: Reader::of(ty).input(context, text, -1)? })
    };
    parameters.iter().zip(&source.analyzed.parameters).map(value).collect()
}

/// What a query is called (`CreateCommandName`).
fn command_name(planned: &PlannedStmt) -> &'static str {
    match planned.command {
        CommandType::Insert => "INSERT",
        CommandType::Update => "UPDATE",
        CommandType::Delete => "DELETE",
        CommandType::Merge => "MERGE",
        CommandType::Select => match first_mark(planned).and_then(|mark| mark.strength) {
            None => "SELECT",
            Some(LockStrength::KeyShare) => "SELECT FOR KEY SHARE",
            Some(LockStrength::Share) => "SELECT FOR SHARE",
            Some(LockStrength::NoKeyUpdate) => "SELECT FOR NO KEY UPDATE",
            Some(LockStrength::Update) => "SELECT FOR UPDATE",
        },
    }
}

/// The mark that PostgreSQL has first in its list: the topmost one.
fn first_mark(planned: &PlannedStmt) -> Option<&PlanRowMark> {
    let mut plans: Vec<&Plan> = planned.sub_plans.iter().rev().collect();
    plans.push(&planned.plan);
    while let Some(plan) = plans.pop() {
        match &plan.node {
            // Without any it locks what is no table.
            PlanNode::LockRows { marks, .. } => return marks.first(),
            PlanNode::ModifyTable(node) if !node.marks.is_empty() => return node.marks.first(),
            _ => {}
        }
        let below = plans.len();
        plans.extend(plan.children());
        plans[below..].reverse();
    }
    None
}

fn check_parameters(source: &CachedPlanSource, parameters: &[Parameter]) -> Result<()> {
    let wanted = source.analyzed.parameters.len();
    if wanted > parameters.len() {
        return Err(EngineError::new(
            sqlstate::UNDEFINED_PARAMETER,
            format!("there is no parameter ${}", parameters.len() + 1),
        ));
    }
    Ok(())
}
