//! Parts of a statement that run before it: queries inside it that lock rows, and WITH queries that change rows.
//!
//! PostgreSQL has nodes for both in its plans; DataFusion's plans only read. So these parts run first, each after those
//! that stand before it, and what they give stays in memory, where the statement finds it as a table. They are of the
//! statement's command and read with its snapshot, as in PostgreSQL: none sees what another one has changed. WITH queries
//! that a part reads, or RETURNING, run with them, once: the statement may read them, too. So do WITH queries of volatile
//! functions that are read more than once: DataFusion would run them for each.
//!
//! A part must not depend on the rows around it: a correlated subquery cannot lock. A WITH RECURSIVE that both read runs
//! for each.

use std::collections::{HashSet, VecDeque};
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::TableProvider;
use datafusion::sql::sqlparser::ast::{
    self, Cte, ObjectName, Query, SelectItem, SetExpr, Statement, TableFactor, Visit, VisitMut, Visitor, VisitorMut,
    With,
};
use engine::{EngineError, Result};
use futures::StreamExt;
use txn::LockMode;

use crate::ddl::{ident, object_name};
use crate::errors::translate;
use crate::output::Column;
use crate::over_rows::memory_table;
use crate::rewrite::hidden;
use crate::rows::{RowSource, RowsReply};
use crate::session::{Reply, Session};
use crate::tables::STAGED;
use crate::volatile::Volatile;
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
    let mut survey = Survey::of(&statement);
    survey.read_again(&statement, &session.volatile()?)?;
    if !survey.found {
        return Ok(statement);
    }
    // As strongly as it is going to need them, before the snapshot: what whoever was waited for has done is to be seen.
    for (name, mode) in &survey.targets {
        if let Ok((schema, name)) = object_name(name, &session.shared.database.1) {
            session.lock_table(&schema, &name, *mode).await?;
        }
    }
    session.lock_relations(&statement).await?;
    session.staged.snapshot = Some(session.snapshot());
    for stage in take(&mut statement, survey.named, false)? {
        let table = match Box::pin(execute(session, stage)).await? {
            Reply::Rows(RowsReply { rows: RowSource::Stream(mut rows), columns, .. }) => {
                let schema = schema_of(&rows.schema(), &columns);
                let mut batches = Vec::new();
                while let Some(batch) = rows.next().await {
                    batches.push(batch.map_err(translate)?);
                }
                memory_table(schema, batches)?
            }
            _ => memory_table(Arc::new(Schema::empty()), vec![])?,
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
    // No rows are the same however often.
    for stage in take(&mut statement, HashSet::new(), true)? {
        let (with, stage) = split(stage);
        let described = Box::pin(session.describe_change(with, &stage, parameters)).await?;
        let schema = described.map(|planned| schema_of(&planned.schema(), &planned.columns()));
        session.staged.tables.push(memory_table(schema.unwrap_or_else(|| Arc::new(Schema::empty())), vec![])?);
    }
    Ok(statement)
}

/// Runs a stage, or a statement whose stages have run.
pub async fn execute(session: &mut Session, statement: Statement) -> Result<Reply> {
    match split(statement) {
        (_, Statement::Query(query)) if query.locks.is_empty() => session.query(Statement::Query(query)).await,
        (_, Statement::Query(query)) => lock_rows::run(session, *query).await,
        (_, Statement::Insert(insert)) => insert::run(session, insert).await,
        (with, change) => modify::modify(session, with, change).await,
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

/// The RETURNING clause of a query that changes rows.
fn returning_of(body: &SetExpr) -> Option<&Vec<SelectItem>> {
    match body {
        SetExpr::Insert(Statement::Insert(insert)) => insert.returning.as_ref(),
        SetExpr::Update(Statement::Update(update)) => update.returning.as_ref(),
        SetExpr::Delete(Statement::Delete(delete)) => delete.returning.as_ref(),
        _ => None,
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

/// Takes the stages out of a statement, in the order in which they run. To describe it, a lock need not be taken: the
/// query stays.
fn take(statement: &mut Statement, named: HashSet<String>, describing: bool) -> Result<Vec<Statement>> {
    let top = matches!(statement, Statement::Query(_));
    let mut stages = Stages {
        top,
        named,
        describing,
        open: vec![],
        visible: vec![],
        recursive: false,
        silent: vec![],
        found: vec![],
    };
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
pub fn has_stages(statement: &Statement) -> bool {
    Survey::of(statement).found
}

/// What is to be known before stages are taken out.
struct Survey {
    found: bool,
    /// What stages, and RETURNING's subqueries, read: the WITH queries among them are to run once.
    named: HashSet<String>,
    /// The tables that the statement changes or locks rows of.
    targets: Vec<(ObjectName, LockMode)>,
    /// How many queries are around the place, and from which on they are a stage's. A statement that is no query is one.
    open: usize,
    stage: Option<usize>,
}

impl Survey {
    fn of(statement: &Statement) -> Survey {
        let open = usize::from(!matches!(statement, Statement::Query(_)));
        let mut survey = Survey { found: false, named: HashSet::new(), targets: vec![], open, stage: None };
        let _ = statement.visit(&mut survey);
        let (with, returning) = match statement {
            Statement::Query(query) => (query.with.as_ref(), returning_of(&query.body)),
            Statement::Insert(insert) => {
                (insert.source.as_ref().and_then(|source| source.with.as_ref()), insert.returning.as_ref())
            }
            _ => (None, None),
        };
        let own = with.map_or(&[][..], |with| &with.cte_tables);
        if let Some(items) = returning {
            let mut read = HashSet::new();
            names_of(items, &mut read);
            survey.found |= own.iter().any(|cte| read.contains(&ident(&cte.alias.name)));
            survey.named.extend(read);
        }
        for cte in own.iter().rev() {
            if survey.named.contains(&ident(&cte.alias.name)) {
                names_of(&cte.query, &mut survey.named);
            }
        }
        survey
    }
}

impl Survey {
    /// Finds the WITH queries that must run once because they call volatile functions.
    fn read_again(&mut self, statement: &Statement, volatile: &Volatile) -> Result<()> {
        let mut again = Again { volatile, statement, own: vec![], inner: false };
        let _ = statement.visit(&mut again);
        if again.inner {
            return Err(EngineError::unsupported(
                "a WITH query of volatile functions that is recursive, or inside of another query, and read twice",
            ));
        }
        self.found |= !again.own.is_empty();
        self.named.extend(again.own);
        Ok(())
    }
}

/// Looks for WITH queries of volatile functions that are read more than once.
struct Again<'a> {
    volatile: &'a Volatile<'a>,
    statement: &'a Statement,
    /// Those of the statement itself.
    own: Vec<String>,
    /// Are there others?
    inner: bool,
}

impl Visitor for Again<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let Some(with) = &query.with else { return ControlFlow::Continue(()) };
        // Also those that read such a one.
        let mut calling: Vec<String> = vec![];
        for cte in &with.cte_tables {
            let name = ident(&cte.alias.name);
            let mut read = HashSet::new();
            names_of(&cte.query, &mut read);
            let inlined = cte.materialized == Some(ast::CteAsMaterialized::NotMaterialized);
            if inlined || !(self.volatile.is_in(&*cte.query) || calling.iter().any(|other| read.contains(other))) {
                continue;
            }
            let recursive = with.recursive && read.contains(&name);
            // A recursive one reads itself.
            if times(self.statement, &name) > 1 + usize::from(recursive) {
                let own = match self.statement {
                    Statement::Query(own) => Some(own),
                    Statement::Insert(insert) => insert.source.as_ref(),
                    _ => None,
                };
                if own.is_some_and(|own| std::ptr::eq(&**own, query)) && !with.recursive {
                    self.own.push(name.clone());
                } else {
                    self.inner = true;
                }
            }
            calling.push(name);
        }
        ControlFlow::Continue(())
    }
}

/// How often a relation of that name is read.
fn times(node: &impl Visit, wanted: &str) -> usize {
    let mut times = 0;
    let _ = ast::visit_relations(node, |name| {
        if let [one] = name.0.as_slice() {
            times += usize::from(one.as_ident().is_some_and(|one| ident(one) == wanted));
        }
        ControlFlow::<()>::Continue(())
    });
    times
}

/// The relations without a schema that it reads.
fn names_of(node: &impl Visit, names: &mut HashSet<String>) {
    let _ = ast::visit_relations(node, |name| {
        if let [one] = name.0.as_slice() {
            names.extend(one.as_ident().map(ident));
        }
        ControlFlow::<()>::Continue(())
    });
}

impl Visitor for Survey {
    type Break = ();

    fn pre_visit_statement(&mut self, statement: &Statement) -> ControlFlow<()> {
        let target = match statement {
            Statement::Insert(insert) => match &insert.table {
                ast::TableObject::TableName(name) => Some(name),
                _ => None,
            },
            Statement::Update(update) => modify::target_name(&update.table).ok().map(|(name, _)| name),
            Statement::Delete(delete) => {
                modify::target_of(delete).and_then(modify::target_name).ok().map(|(name, _)| name)
            }
            _ => None,
        };
        self.targets.extend(target.map(|name| (name.clone(), LockMode::RowExclusive)));
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        self.open += 1;
        if self.open > 1 && (changes(query) || !query.locks.is_empty()) {
            self.found = true;
            self.stage = self.stage.or(Some(self.open));
        }
        if let (false, SetExpr::Select(select)) = (query.locks.is_empty(), &*query.body) {
            let factors = select
                .from
                .iter()
                .flat_map(|from| std::iter::once(&from.relation).chain(from.joins.iter().map(|join| &join.relation)));
            self.targets.extend(factors.filter_map(|factor| match factor {
                TableFactor::Table { name, args: None, .. } => Some((name.clone(), LockMode::RowShare)),
                _ => None,
            }));
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.stage = self.stage.filter(|stage| *stage != self.open);
        self.open -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<()> {
        if let (Some(_), [one]) = (self.stage, name.0.as_slice()) {
            self.named.extend(one.as_ident().map(ident));
        }
        ControlFlow::Continue(())
    }
}

struct Stages {
    /// The outermost query is the statement.
    top: bool,
    /// WITH queries that are to run once.
    named: HashSet<String>,
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
        let recursive = query.with.as_ref().is_some_and(|with| with.recursive);
        self.recursive |= recursive;
        self.open.push((self.visible.len(), own, recursive));
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        let (visible, ..) = self.open.pop().expect("it was opened");
        self.visible.truncate(visible);
        let is_statement = self.open.is_empty() && self.top;
        // A WITH query of the statement itself that others read, too.
        let shared = match self.open.as_slice() {
            [(_, own, false)] => own.front().is_some_and(|cte| self.named.contains(&ident(&cte.alias.name))),
            _ => false,
        };
        if self.describing && !changes(query) {
            query.locks.clear();
        }
        if !is_statement && (shared || changes(query) || !query.locks.is_empty()) {
            let text = format!("SELECT * FROM \"{STAGED}\".\"{}\"", self.found.len());
            let read = crate::parse::query(&text).expect("it is a query");
            let of = self.open.last().and_then(|(_, own, _)| own.front());
            if let (true, None, Some(cte)) = (changes(query), returning_of(&query.body), of) {
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
