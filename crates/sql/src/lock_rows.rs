//! `SELECT … FOR UPDATE` and its sisters: the rows are locked as the query gives them.
//!
//! LIMIT and OFFSET count locked rows, so they are applied here, behind the locks. A row that somebody has changed since
//! the query's snapshot is, under READ COMMITTED, looked at again: the query runs for the same rows of its tables alone.
//! (Of subqueries in FROM all rows are looked at again: where several fit, the first counts.)

use std::sync::Arc;

use access::{Outcome, Tid};
use datafusion::arrow::array::{Array, AsArray, RecordBatch};
use datafusion::arrow::datatypes::{Int64Type, Schema};
use datafusion::physical_plan::execute_stream;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::sql::sqlparser::ast::{
    self, Expr as AstExpr, GroupByExpr, Ident, JoinConstraint, JoinOperator, LimitClause, ObjectName, ObjectNamePart,
    Query, SelectItem, SetExpr, Statement, TableAlias, TableFactor, TableWithJoins,
};
use engine::{EngineError, Result, TID_COLUMN, Table};
use futures::StreamExt;
use txn::LockMode;

use crate::ddl::{ident, object_name};
use crate::errors::translate;
use crate::insert::collect;
use crate::locking_clause::{LockingClause, Waiting};
use crate::modify::{column_of, wait_for_row};
use crate::returning::{Star, columns_of, name_all};
use crate::rows::{RowSource, RowsReply};
use crate::session::{Extra, Reply, Session};
use crate::tables::TARGET;

/// A table in FROM.
struct Target {
    table: Arc<Table>,
    /// What the query calls it.
    named: Ident,
    lock: Option<Lock>,
}

/// How a table's rows are locked.
#[derive(Clone, Copy)]
struct Lock {
    mode: LockMode,
    waiting: Waiting,
}

pub async fn run(session: &mut Session, mut query: Query) -> Result<Reply> {
    let clauses: Vec<LockingClause> = std::mem::take(&mut query.locks).iter().map(LockingClause::new).collect();
    let words = clauses.iter().max_by_key(|clause| clause.mode).expect("the caller looked").words;
    session.require_writable(&format!("SELECT {words}"))?;
    let refused = |what: &str| EngineError::new("0A000", format!("{words} is not allowed with {what}"));
    let SetExpr::Select(select) = &mut *query.body else { return Err(refused("UNION/INTERSECT/EXCEPT")) };
    if select.distinct.is_some() {
        return Err(refused("DISTINCT clause"));
    }
    if !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty()) {
        return Err(refused("GROUP BY clause"));
    }
    if select.having.is_some() {
        return Err(refused("HAVING clause"));
    }
    let with = query.with.clone();
    name_all(&mut select.from);
    let original = select.from.clone();
    let hidden: Vec<String> = with.iter().flat_map(|w| &w.cte_tables).map(|cte| ident(&cte.alias.name)).collect();
    let mut from = FromClause { clauses: &clauses, hidden: &hidden, found: vec![], others: vec![], natural: false };
    for tables in &mut select.from {
        from.walk(tables, false)?;
    }
    let FromClause { found, others, natural, .. } = from;
    for clause in &clauses {
        let unknown = |of: &&String| !found.iter().any(|f| ident(&f.named) == **of) && !others.contains(of);
        if let Some(of) = clause.of.iter().find(unknown) {
            let message = format!("relation \"{of}\" in {} clause not found in FROM clause", clause.words);
            return Err(EngineError::new("42P01", message));
        }
    }
    let mut targets = Vec::with_capacity(found.len());
    for Found { name, named, lock } in &found {
        let mode = if lock.is_some() { LockMode::RowShare } else { LockMode::AccessShare };
        let (schema, name) = object_name(name, &session.shared.database.1)?;
        let Some(table) = session.lock_table(&schema, &name, mode).await? else {
            return Err(EngineError::new("42P01", format!("relation \"{name}\" does not exist")));
        };
        targets.push(Target { table, named: named.clone(), lock: *lock });
    }
    if natural && targets.len() > 1 {
        // The rows' identities would be joined, too.
        return Err(EngineError::unsupported(format!("{words} of a NATURAL JOIN")).hint("Write USING or ON."));
    }
    let mut items = Vec::new();
    let mut columns = None;
    for item in std::mem::take(&mut select.projection) {
        // The identity is no column that a star stands for.
        let Some(star) = Star::of(&item) else {
            items.push(item);
            continue;
        };
        if columns.is_none() {
            columns = Some(columns_of(session, with.clone(), &original).await?);
        }
        let meant = star.columns(columns.as_deref().unwrap_or_default(), |c| (&c.relation, c.starred))?;
        items.extend(meant.into_iter().map(|column| {
            let relation = Ident::with_quote('"', &column.relation);
            SelectItem::UnnamedExpr(column_of(&relation, column.field.name()))
        }));
    }
    items.extend(targets.iter().map(|target| SelectItem::UnnamedExpr(column_of(&target.named, TID_COLUMN))));
    select.projection = items;
    let bounds = bounds(session, &mut query).await?;
    let statement = Statement::Query(Box::new(query));
    lock(session, &targets, statement, bounds, words).await
}

/// A table as FROM writes it.
struct Found {
    name: ObjectName,
    named: Ident,
    lock: Option<Lock>,
}

/// Finds the tables of a FROM clause and gives them names under which they have identities.
struct FromClause<'a> {
    clauses: &'a [LockingClause],
    /// WITH queries: no tables, though they look alike.
    hidden: &'a [String],
    found: Vec<Found>,
    /// Names of what is not a table.
    others: Vec<String>,
    natural: bool,
}

impl FromClause<'_> {
    /// `nullable`: an outer join may put NULLs in the place of the rows.
    fn walk(&mut self, tables: &mut TableWithJoins, nullable: bool) -> Result<()> {
        // A join makes what stands before it nullable, whatever comes between.
        let makes_nullable = |join: &ast::Join, left: bool| match &join.join_operator {
            JoinOperator::Left(_) | JoinOperator::LeftOuter(_) => !left,
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => left,
            JoinOperator::FullOuter(_) => true,
            _ => false,
        };
        let from_here = |at: usize, joins: &[ast::Join]| joins[at..].iter().any(|join| makes_nullable(join, true));
        self.factor(&mut tables.relation, nullable || from_here(0, &tables.joins))?;
        for at in 0..tables.joins.len() {
            let later = from_here(at + 1, &tables.joins);
            let join = &mut tables.joins[at];
            let own = makes_nullable(join, false);
            self.natural |= matches!(
                &join.join_operator,
                JoinOperator::Join(JoinConstraint::Natural)
                    | JoinOperator::Inner(JoinConstraint::Natural)
                    | JoinOperator::Left(JoinConstraint::Natural)
                    | JoinOperator::LeftOuter(JoinConstraint::Natural)
            );
            self.factor(&mut join.relation, nullable || own || later)?;
        }
        Ok(())
    }

    fn factor(&mut self, factor: &mut TableFactor, nullable: bool) -> Result<()> {
        match factor {
            TableFactor::NestedJoin { table_with_joins, alias: None } => self.walk(table_with_joins, nullable),
            TableFactor::Table { name, alias, args: None, .. } if !self.is_hidden(name) => {
                let last = name.0.last().and_then(|part| part.as_ident());
                let own = || Ident::with_quote('"', last.map(ident).unwrap_or_default());
                let named = alias.as_ref().map_or_else(own, |alias| alias.name.clone());
                let lock = self.lock_of(&ident(&named));
                if lock.is_some() && nullable {
                    let words = self.words(&ident(&named));
                    let message = format!("{words} cannot be applied to the nullable side of an outer join");
                    return Err(EngineError::new("0A000", message));
                }
                let written = name.clone();
                let schema = format!("{TARGET}{}", self.found.len());
                let parts = [schema, last.map(ident).unwrap_or_default()];
                *name = ObjectName(parts.map(|p| ObjectNamePart::Identifier(Ident::with_quote('"', p))).to_vec());
                let columns = alias.take().map(|alias| alias.columns).unwrap_or_default();
                *alias = Some(TableAlias { explicit: true, name: named.clone(), columns, at: None });
                self.found.push(Found { name: written, named, lock });
                Ok(())
            }
            other => {
                let (alias, what) = match other {
                    TableFactor::Table { name, alias, args, .. } => {
                        let what = if args.is_some() { None } else { Some("a WITH query") };
                        let name = name.0.last().and_then(|part| part.as_ident()).map(ident);
                        (alias.as_ref().map(|alias| ident(&alias.name)).or(name), what)
                    }
                    TableFactor::Derived { alias, .. } => {
                        (alias.as_ref().map(|alias| ident(&alias.name)), Some("a subquery in FROM"))
                    }
                    TableFactor::NestedJoin { alias, .. } => {
                        (alias.as_ref().map(|alias| ident(&alias.name)), Some("a join"))
                    }
                    _ => (None, None),
                };
                let alias = alias.unwrap_or_default();
                let meant = self.clauses.iter().find(|clause| clause.of.contains(&alias));
                if let (Some(clause), Some(what)) = (meant, what) {
                    let message = format!("{} cannot be applied to {what}", clause.words);
                    return Err(EngineError::new("0A000", message));
                }
                let all = self.clauses.iter().find(|clause| clause.of.is_empty());
                if let (Some(clause), TableFactor::Derived { .. }) = (all, &*other) {
                    return Err(EngineError::unsupported(format!("{} of a subquery in FROM", clause.words))
                        .hint("Name the tables behind OF, or lock in the subquery."));
                }
                self.others.push(alias);
                Ok(())
            }
        }
    }

    fn is_hidden(&self, name: &ObjectName) -> bool {
        matches!(name.0.as_slice(), [one] if one.as_ident().is_some_and(|one| self.hidden.contains(&ident(one))))
    }

    /// The strongest of the clauses that speak of a table, and the most impatient.
    fn lock_of(&self, named: &str) -> Option<Lock> {
        let clauses = || self.clauses.iter().filter(|clause| clause.concerns(named));
        let mode = clauses().map(|clause| clause.mode).max()?;
        Some(Lock { mode, waiting: clauses().map(|clause| clause.waiting).max()? })
    }

    fn words(&self, named: &str) -> &'static str {
        let clauses = self.clauses.iter().filter(|clause| clause.concerns(named));
        clauses.max_by_key(|clause| clause.mode).map_or("FOR UPDATE", |clause| clause.words)
    }
}

/// OFFSET and LIMIT as numbers; the query has none any more.
async fn bounds(session: &mut Session, query: &mut Query) -> Result<(usize, usize)> {
    let (offset, mut limit) = match query.limit_clause.take() {
        None => (None, None),
        Some(LimitClause::LimitOffset { limit, offset, .. }) => (offset.map(|o| o.value), limit),
        Some(LimitClause::OffsetCommaLimit { offset, limit }) => (Some(offset), Some(limit)),
    };
    if let Some(fetch) = query.fetch.take() {
        if fetch.with_ties || fetch.percent {
            return Err(EngineError::unsupported("FETCH ... WITH TIES with locks"));
        }
        limit = Some(fetch.quantity.unwrap_or_else(|| AstExpr::value(ast::Value::Number("1".into(), false))));
    }
    let mut number = async |expr: Option<AstExpr>, missing: usize| match expr {
        None => Ok::<usize, EngineError>(missing),
        Some(expr) => {
            let array = crate::insert::evaluate(session, &expr, engine::PgType::Int8, 1).await?;
            let value = array.as_primitive::<Int64Type>().iter().next().flatten();
            Ok(value.map_or(missing, |v| v.max(0) as usize))
        }
    };
    Ok((number(offset, 0).await?, number(limit, usize::MAX).await?))
}

/// The rows of the tables that a row of the result is made of.
type Rows = Arc<[Option<Tid>]>;

async fn lock(
    session: &mut Session,
    targets: &[Target],
    statement: Statement,
    (offset, limit): (usize, usize),
    words: &str,
) -> Result<Reply> {
    let planned =
        session.plan_for(statement.clone(), false, Extra::default()).await.map_err(|error| match error.code {
            // The identity stands beside them.
            "42803" => EngineError::new("0A000", format!("{words} is not allowed with aggregate functions")),
            _ => error,
        })?;
    let mut columns = planned.columns();
    let shown = columns.len() - targets.len();
    columns.truncate(shown);
    let mut kept: Vec<RecordBatch> = Vec::new();
    let (mut seen, wanted) = (0usize, offset.saturating_add(limit));
    let mut batches = execute_stream(planned.physical.clone(), planned.state.task_ctx()).map_err(translate)?;
    'rows: while seen < wanted {
        let Some(batch) = batches.next().await.transpose().map_err(translate)? else { break };
        let identities: Vec<_> =
            (shown..batch.num_columns()).map(|c| batch.column(c).as_primitive::<Int64Type>()).collect();
        for row in 0..batch.num_rows() {
            if seen >= wanted {
                break 'rows;
            }
            let rows: Rows =
                identities.iter().map(|tids| tids.is_valid(row).then(|| Tid::unpack(tids.value(row)))).collect();
            let Some(again) = lock_one(session, targets, &statement, &planned.snapshot, rows).await? else {
                continue;
            };
            seen += 1;
            if seen > offset {
                kept.push(again.unwrap_or_else(|| batch.slice(row, 1)));
            }
        }
    }
    let given: Vec<usize> = (0..shown).collect();
    let schema: Arc<Schema> =
        Arc::new(planned.schema().project(&given).map_err(|e| EngineError::new("XX000", e.to_string()))?);
    let batches: Vec<_> = kept.iter().map(|b| b.project(&given).map_err(Into::into)).collect();
    let batches = Box::pin(RecordBatchStreamAdapter::new(schema, futures::stream::iter(batches)));
    Ok(Reply::Rows(RowsReply {
        columns: columns.into(),
        rows: RowSource::Stream(batches),
        tag: "SELECT",
        counted: true,
    }))
}

/// Locks the rows of one row of the result. `None`: it is not wanted any more, or skipped; `Some(Some(…))`: it has changed,
/// and this is it.
async fn lock_one(
    session: &mut Session,
    targets: &[Target],
    statement: &Statement,
    snapshot: &txn::Snapshot,
    rows: Rows,
) -> Result<Option<Option<RecordBatch>>> {
    let mut snapshot = snapshot.clone();
    let mut current = None;
    for (target, tid) in targets.iter().zip(rows.iter()) {
        let (Some(lock), Some(tid)) = (target.lock, *tid) else { continue };
        let tag = target.table.heap().row_tag(tid);
        let mut queued = false;
        let wanted = loop {
            let writer = session.transaction().writer();
            let outcome = match target.table.heap().lock_row(writer, &snapshot, tid, lock.mode).await? {
                Ok(outcome) => outcome,
                Err(error) => return Err(session.db().lock_error(error)),
            };
            match (outcome, lock.waiting) {
                (Outcome::Done | Outcome::Mine, _) => break true,
                (Outcome::Busy(_) | Outcome::Locked, Waiting::Fail) => {
                    let message = format!("could not obtain lock on row in relation \"{}\"", target.table.def.name);
                    return Err(EngineError::new("55P03", message));
                }
                (Outcome::Busy(_) | Outcome::Locked, Waiting::Skip) => break false,
                (outcome, _) => {
                    if !wait_for_row(session, tag, lock.mode, outcome, &mut queued).await? {
                        break false;
                    }
                }
            }
            let again = Extra { only: Some(rows.clone()), rows: None };
            let planned = session.plan_for(statement.clone(), false, again).await?;
            let Some(row) = collect(&planned).await?.into_iter().find(|b| b.num_rows() > 0) else { break false };
            snapshot = planned.snapshot.clone();
            current = Some(row.slice(0, 1));
        };
        if !wanted {
            if queued {
                session.transaction().unlock(tag, lock.mode);
            }
            return Ok(None);
        }
    }
    Ok(Some(current))
}

/// `LOCK TABLE`.
pub async fn lock_table(session: &mut Session, lock: ast::Lock) -> Result<Reply> {
    if !session.in_block() {
        return Err(EngineError::new("25P01", "LOCK TABLE can only be used in transaction blocks"));
    }
    use ast::LockTableMode as Mode;
    let mode = match lock.lock_mode {
        Some(Mode::AccessShare) => LockMode::AccessShare,
        Some(Mode::RowShare) => LockMode::RowShare,
        Some(Mode::RowExclusive) => LockMode::RowExclusive,
        Some(Mode::ShareUpdateExclusive) => LockMode::ShareUpdateExclusive,
        Some(Mode::Share) => LockMode::Share,
        Some(Mode::ShareRowExclusive) => LockMode::ShareRowExclusive,
        Some(Mode::Exclusive) => LockMode::Exclusive,
        Some(Mode::AccessExclusive) | None => LockMode::AccessExclusive,
    };
    for target in &lock.tables {
        let (schema, name) = object_name(&target.name, &session.shared.database.1)?;
        let missing = || EngineError::new("42P01", format!("relation \"{name}\" does not exist"));
        if lock.nowait {
            let table = session.shared.find_table(&schema, &name)?.ok_or_else(missing)?;
            let tag = session.shared.table_tag(&table.def);
            if !session.transaction().try_lock(tag, mode)? {
                return Err(EngineError::new("55P03", format!("could not obtain lock on relation \"{name}\"")));
            }
        } else {
            session.lock_table(&schema, &name, mode).await?.ok_or_else(missing)?;
        }
    }
    Ok(crate::session::done("LOCK TABLE"))
}
