//! Parts of a statement that run before it: queries inside it that lock rows, and WITH queries that change rows.
//!
//! PostgreSQL has nodes for both in its plans; DataFusion's plans only read. So these parts run first, each after those
//! that stand before it, and what they give stays in memory, where the statement finds it as a table. They are of the
//! statement's command and read with its snapshot, as in PostgreSQL: none sees what another one has changed. The
//! statement's other WITH queries run with them, once, since both a part and the statement may read them.
//!
//! A part must not depend on the rows around it: a correlated subquery cannot lock. A WITH RECURSIVE that both read runs
//! for each.

use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::datasource::MemTable;
use datafusion::sql::sqlparser::ast::{
    self, Cte, Query, SetExpr, Statement, Visit, VisitMut, Visitor, VisitorMut, With,
};
use engine::{EngineError, Result};
use futures::StreamExt;

use crate::ddl::ident;
use crate::errors::translate;
use crate::output::Column;
use crate::rewrite::hidden;
use crate::session::{Reply, Session};
use crate::tables::STAGED;
use crate::{insert, lock_rows, modify};

/// What stages have left for their statement.
#[derive(Clone, Default)]
pub struct Staged {
    /// Their rows, by number.
    pub tables: Vec<Arc<dyn TableProvider>>,
    /// What the statement reads with, if it has stages.
    pub snapshot: Option<txn::Snapshot>,
}

/// Runs the stages of a statement, which finds their rows in [`Session::staged`].
pub async fn run(session: &mut Session, mut statement: Statement) -> Result<Statement> {
    session.staged = Staged::default();
    if !has_stages(&statement) {
        return Ok(statement);
    }
    session.lock_relations(&statement).await?;
    session.staged.snapshot = Some(session.snapshot());
    for stage in take(&mut statement, false)? {
        let table = match Box::pin(run_one(session, stage)).await? {
            Reply::Rows(mut rows) => {
                let schema = schema_of(&rows.batches.schema(), &rows.columns);
                let mut batches = Vec::new();
                while let Some(batch) = rows.batches.next().await {
                    batches.push(batch.map_err(translate)?);
                }
                table(schema, batches)?
            }
            _ => table(Arc::new(Schema::empty()), vec![])?,
        };
        session.staged.tables.push(table);
    }
    Ok(statement)
}

/// A statement in which the stages' rows, of which there are none, have the columns that they are going to have. Its
/// parameters are found by the way.
pub async fn describe(session: &mut Session, mut statement: Statement, parameters: &mut [u32]) -> Result<Statement> {
    session.staged = Staged::default();
    if !has_stages(&statement) {
        return Ok(statement);
    }
    for stage in take(&mut statement, true)? {
        let (with, stage) = split(stage);
        let described = Box::pin(session.describe_change(with, &stage, parameters)).await?;
        let schema = described.map(|planned| schema_of(&planned.schema(), &planned.columns()));
        session.staged.tables.push(table(schema.unwrap_or_else(|| Arc::new(Schema::empty())), vec![])?);
    }
    Ok(statement)
}

async fn run_one(session: &mut Session, stage: Statement) -> Result<Reply> {
    match split(stage) {
        (_, Statement::Query(query)) if query.locks.is_empty() => session.query(Statement::Query(query)).await,
        (_, Statement::Query(query)) => lock_rows::run(session, *query).await,
        (with, change) => run_change(session, with, change).await,
    }
}

/// Runs an INSERT, UPDATE or DELETE whose own stages have run.
pub async fn run_change(session: &mut Session, with: Option<With>, change: Statement) -> Result<Reply> {
    match change {
        Statement::Insert(insert) => insert::run(session, insert).await,
        change => modify::modify(session, with, change).await,
    }
}

/// `WITH … UPDATE` and so on are queries to the parser: what they begin with, and the statement. An INSERT's source begins
/// with it.
pub fn split(statement: Statement) -> (Option<With>, Statement) {
    let Statement::Query(mut query) = statement else { return (None, statement) };
    match *query.body {
        SetExpr::Update(change) | SetExpr::Delete(change) => (query.with, change),
        SetExpr::Insert(Statement::Insert(mut insert)) => {
            if let Some(source) = &mut insert.source {
                source.with = joined(query.with, source.with.take());
            }
            (None, Statement::Insert(insert))
        }
        body => {
            *query.body = body;
            (None, Statement::Query(query))
        }
    }
}

/// The names of the second may hide those of the first.
fn joined(first: Option<With>, second: Option<With>) -> Option<With> {
    match (first, second) {
        (Some(mut first), Some(second)) => {
            let hides = |cte: &Cte| second.cte_tables.iter().any(|own| own.alias.name == cte.alias.name);
            first.cte_tables.retain(|cte| !hides(cte));
            first.cte_tables.extend(second.cte_tables);
            first.recursive |= second.recursive;
            Some(first)
        }
        (first, second) => first.or(second),
    }
}

fn changes(query: &Query) -> bool {
    matches!(&*query.body, SetExpr::Insert(_) | SetExpr::Update(_) | SetExpr::Delete(_))
}

/// Does it give rows?
fn returns(query: &Query) -> bool {
    match &*query.body {
        SetExpr::Insert(Statement::Insert(insert)) => insert.returning.is_some(),
        SetExpr::Update(Statement::Update(update)) => update.returning.is_some(),
        SetExpr::Delete(Statement::Delete(delete)) => delete.returning.is_some(),
        _ => true,
    }
}

fn schema_of(schema: &Schema, columns: &[Column]) -> SchemaRef {
    let names = || columns.iter().map(|c| &c.name);
    let fields = schema.fields().iter().zip(columns).enumerate().map(|(index, (field, column))| {
        let twice = names().filter(|name| **name == column.name).count() > 1;
        let name = if twice { hidden(index, &column.name) } else { column.name.clone() };
        Field::clone(field).with_name(name).with_nullable(true)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

fn table(schema: SchemaRef, batches: Vec<RecordBatch>) -> Result<Arc<dyn TableProvider>> {
    let failed = |e: String| EngineError::new("XX000", e);
    let batches: std::result::Result<Vec<_>, _> = batches
        .into_iter()
        .map(|batch| {
            // Without columns, the number is all there is.
            let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
            RecordBatch::try_new_with_options(schema.clone(), batch.columns().to_vec(), &options)
        })
        .collect();
    let batches = batches.map_err(|e| failed(e.to_string()))?;
    Ok(Arc::new(MemTable::try_new(schema, vec![batches]).map_err(|e| failed(e.to_string()))?))
}

/// Takes the stages out of a statement, in the order in which they run. To describe it, a lock need not be taken: the
/// query stays.
fn take(statement: &mut Statement, describing: bool) -> Result<Vec<Statement>> {
    let top = matches!(statement, Statement::Query(_));
    let mut stages =
        Stages { top, describing, open: vec![], visible: vec![], recursive: false, silent: vec![], found: vec![] };
    let _ = VisitMut::visit(statement, &mut stages);
    let named = ast::visit_relations(&*statement, |name| match name.0.as_slice() {
        [one] if one.as_ident().is_some_and(|one| stages.silent.contains(&ident(one))) => {
            ControlFlow::Break(name.clone())
        }
        _ => ControlFlow::Continue(()),
    });
    if let ControlFlow::Break(name) = named {
        let message = format!("WITH query \"{name}\" does not have a RETURNING clause");
        return Err(EngineError::new("0A000", message));
    }
    Ok(stages.found)
}

/// Most statements have none.
fn has_stages(statement: &Statement) -> bool {
    statement.visit(&mut Any { depth: 0 }).is_break()
}

/// Looks for a stage.
struct Any {
    depth: usize,
}

impl Visitor for Any {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        // A query that is the statement runs by itself.
        if self.depth == 0 && !matches!(statement, Statement::Query(_)) {
            self.depth = 1;
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.depth += 1;
        let stage = self.depth > 1 && (changes(query) || !query.locks.is_empty());
        if stage { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

struct Stages {
    /// The outermost query is the statement.
    top: bool,
    describing: bool,
    /// The queries around the place: how many WITH queries were visible before, those of their own that have not been
    /// passed, and whether they are recursive.
    open: Vec<(usize, VecDeque<Cte>, bool)>,
    /// The WITH queries that may be named here.
    visible: Vec<Cte>,
    recursive: bool,
    /// Names of WITH queries that give no rows.
    silent: Vec<String>,
    found: Vec<Statement>,
}

impl VisitorMut for Stages {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let own = query.with.iter().flat_map(|with| with.cte_tables.iter().cloned()).collect();
        self.recursive |= query.with.as_ref().is_some_and(|with| with.recursive);
        let recursive = query.with.as_ref().is_some_and(|with| with.recursive);
        self.open.push((self.visible.len(), own, recursive));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let (visible, ..) = self.open.pop().expect("it was opened");
        self.visible.truncate(visible);
        let is_statement = self.open.is_empty() && self.top;
        // A WITH query of the statement itself.
        let outermost = self.open.len() == 1 && !self.open[0].1.is_empty() && !self.open[0].2;
        if self.describing && !changes(query) {
            query.locks.clear();
        }
        let shared = outermost && !self.describing;
        if !is_statement && (shared || changes(query) || !query.locks.is_empty()) {
            let text = format!("SELECT * FROM \"{STAGED}\".\"{}\"", self.found.len());
            let read = crate::parse::query(&text).expect("it is a query");
            let of = self.open.last().and_then(|(_, own, _)| own.front());
            if let (true, Some(cte)) = (!returns(query), of) {
                self.silent.push(ident(&cte.alias.name));
            }
            let mut stage = std::mem::replace(query, read);
            let around = (!self.visible.is_empty()).then(|| With {
                with_token: ast::helpers::attached_token::AttachedToken::empty(),
                recursive: self.recursive,
                cte_tables: self.visible.clone(),
            });
            stage.with = joined(around, stage.with);
            self.found.push(Statement::Query(Box::new(stage)));
        }
        if let Some((_, own, _)) = self.open.last_mut()
            && let Some(passed) = own.pop_front()
        {
            self.visible.push(Cte { query: Box::new(query.clone()), ..passed });
        }
        ControlFlow::Continue(())
    }
}
