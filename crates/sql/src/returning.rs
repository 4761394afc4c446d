//! RETURNING: what a statement that changes rows gives back for each of them.
//!
//! The expressions are computed when the rows have been changed, over rows in memory: the table's columns, and behind
//! them what else the expressions name (columns of FROM or USING, of `old`). Those come with the query that finds the
//! rows, as [`Returning::query_items`].

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Field, FieldRef};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::sql::sqlparser::ast::{
    self, Expr as AstExpr, Ident, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement, TableAlias,
    TableFactor, TableWithJoins,
};
use engine::{EngineError, PgType, Result, Table};

use crate::ddl::ident;
use crate::errors::translate;
use crate::labels::label;
use crate::modify::column_of;
use crate::rewrite::visible;
use crate::rows::{RowSource, RowsReply};
use crate::scope::Scopes;
use crate::session::{Extra, Planned, Reply, Session, typed};
use crate::tables::described_schema;
use crate::{infer, outside, over_rows};

/// What a statement does with rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    Insert,
    /// INSERT … ON CONFLICT DO UPDATE, which does not keep the old rows.
    Upsert,
    Update,
    Delete,
}

/// A RETURNING clause, understood.
pub struct Returning {
    table: Arc<Table>,
    named: Ident,
    /// What the statement begins with: its subqueries may name it.
    with: Option<ast::With>,
    items: Vec<SelectItem>,
    /// What the query must give behind the table's columns.
    others: Vec<(AstExpr, Field)>,
}

/// A column that RETURNING may name.
struct Column {
    relation: String,
    name: String,
    source: Source,
    /// Also without its relation, and by a star.
    plain: bool,
}

#[derive(Clone)]
enum Source {
    /// The row in memory.
    Row,
    Null(PgType),
    Query(Field),
    /// Why it is not to be had.
    Refused(&'static str),
}

/// A column of a table in FROM or USING.
pub struct Other {
    pub relation: String,
    pub field: FieldRef,
    /// A star gives it: USING has not merged it into another.
    pub starred: bool,
}

/// `*`, or `table.*`.
pub struct Star {
    relation: Option<String>,
}

impl Star {
    pub fn of(item: &SelectItem) -> Option<Star> {
        match item {
            SelectItem::Wildcard(_) => Some(Star { relation: None }),
            SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                Some(Star { relation: Some(name.0.last().and_then(|p| p.as_ident()).map(ident).unwrap_or_default()) })
            }
            _ => None,
        }
    }

    /// Those that it stands for. `known` tells a column's relation, and whether a star without one means it.
    pub fn columns<'c, C>(&self, columns: &'c [C], known: impl Fn(&C) -> (&String, bool)) -> Result<Vec<&'c C>> {
        let meant = |column: &&C| match (&self.relation, known(column)) {
            (None, (_, plain)) => plain,
            (Some(wanted), (relation, _)) => wanted == relation,
        };
        let found: Vec<&C> = columns.iter().filter(meant).collect();
        match &self.relation {
            Some(relation) if found.is_empty() => {
                let message = format!("missing FROM-clause entry for table \"{relation}\"");
                Err(EngineError::new("42P01", message))
            }
            _ => Ok(found),
        }
    }
}

/// Gives subqueries in FROM that have no name one by which nobody can mean them.
pub fn name_all(from: &mut [TableWithJoins]) {
    fn name(factor: &mut TableFactor, count: &mut usize) {
        match factor {
            TableFactor::Derived { alias: alias @ None, .. } => {
                *count += 1;
                let name = Ident::with_quote('"', format!("?unnamed?{count}"));
                *alias = Some(TableAlias { explicit: true, name, columns: vec![], at: None });
            }
            TableFactor::NestedJoin { table_with_joins, .. } => walk(table_with_joins, count),
            _ => {}
        }
    }
    fn walk(tables: &mut TableWithJoins, count: &mut usize) {
        name(&mut tables.relation, count);
        tables.joins.iter_mut().for_each(|join| name(&mut join.relation, count));
    }
    let mut count = 0;
    from.iter_mut().for_each(|tables| walk(tables, &mut count));
}

/// The columns of the tables in FROM or USING; `with` is what the statement begins with.
pub async fn columns_of(session: &mut Session, with: Option<ast::With>, from: &[TableWithJoins]) -> Result<Vec<Other>> {
    if from.is_empty() {
        return Ok(vec![]);
    }
    let shown = {
        let mut scopes = Scopes::new(session);
        for cte in with.iter().flat_map(|with| &with.cte_tables) {
            scopes.define(&cte.alias, &cte.query);
        }
        scopes.of(from)?
    };
    let mut query = crate::parse::query("SELECT * FROM x")?;
    query.with = with;
    if let SetExpr::Select(select) = &mut *query.body {
        select.from = from.to_vec();
    }
    let statement = Statement::Query(Box::new(query));
    let (plan, state, ..) = session.plan_logical(statement, true, Extra::default()).await?;
    // The analyzer changes types (1 is an integer).
    let plan = state.analyzer().execute_and_check(plan, state.config_options(), |_, _| {}).map_err(translate)?;
    let schema = match &plan {
        LogicalPlan::Projection(projection) => projection.input.schema(),
        plan => plan.schema(),
    };
    let columns = schema.iter().map(|(relation, field)| {
        let Some(relation) = relation else {
            return Err(EngineError::unsupported(format!("the column \"{}\" of a table without a name", field.name())));
        };
        let starred = match &shown {
            Some(scope) => scope.shows(relation.table(), field.name()),
            None => plan.schema().has_column_with_qualified_name(relation, field.name()),
        };
        Ok(Other { relation: relation.table().to_string(), field: field.clone(), starred })
    });
    columns.collect()
}

impl Returning {
    /// Understands the clause of a statement that changes `table`, which it calls `named`, by help of `others`, the result
    /// of [`columns_of`].
    pub fn new(
        session: &Session,
        table: &Arc<Table>,
        named: Ident,
        with: Option<ast::With>,
        items: Vec<SelectItem>,
        others: &[Other],
        change: Change,
    ) -> Result<Returning> {
        let columns = visible_columns(table, &ident(&named), others, change);
        let mut returning = Returning { table: table.clone(), named, with, items: vec![], others: vec![] };
        for item in items {
            session.refuse_aggregates(&item, "RETURNING")?;
            returning.add(item, &columns)?;
        }
        Ok(returning)
    }

    fn add(&mut self, item: SelectItem, columns: &[Column]) -> Result<()> {
        let star = match Star::of(&item) {
            Some(star) => star,
            None => {
                let (mut expr, alias) = match item {
                    SelectItem::ExprWithAlias { expr, alias } => (expr, alias),
                    SelectItem::UnnamedExpr(expr) => {
                        let label = label(&expr).unwrap_or_else(|| "?column?".into());
                        (expr, Ident::with_quote('"', label))
                    }
                    other => return Err(EngineError::unsupported(format!("RETURNING {other}"))),
                };
                let renamed = outside::visit_mut(&mut expr, |expr| match self.rename(expr, columns) {
                    Ok(()) => ControlFlow::Continue(()),
                    Err(error) => ControlFlow::Break(error),
                });
                if let ControlFlow::Break(error) = renamed {
                    return Err(error);
                }
                self.items.push(SelectItem::ExprWithAlias { expr, alias });
                return Ok(());
            }
        };
        for column in star.columns(columns, |column| (&column.relation, column.plain))? {
            let expr = self.expression(column)?;
            let alias = Ident::with_quote('"', &column.name);
            self.items.push(SelectItem::ExprWithAlias { expr, alias });
        }
        Ok(())
    }

    /// Puts what the rows in memory call a column in the place of its name.
    fn rename(&mut self, expr: &mut AstExpr, columns: &[Column]) -> Result<()> {
        let found: Vec<&Column> = match expr {
            AstExpr::Identifier(name) => {
                let name = ident(name);
                let found: Vec<_> = columns.iter().filter(|c| c.plain && c.name == name).collect();
                if found.len() > 1 {
                    return Err(EngineError::new("42702", format!("column reference \"{name}\" is ambiguous")));
                }
                found
            }
            AstExpr::CompoundIdentifier(parts) => match parts.as_slice() {
                [.., relation, name] => {
                    let (relation, name) = (ident(relation), ident(name));
                    columns.iter().filter(|c| c.relation == relation && c.name == name).collect()
                }
                _ => return Ok(()),
            },
            _ => return Ok(()),
        };
        // What is not found is left for the planner to complain about.
        if let Some(column) = found.first() {
            *expr = self.expression(column)?;
        }
        Ok(())
    }

    /// A column over the rows in memory.
    fn expression(&mut self, column: &Column) -> Result<AstExpr> {
        match &column.source {
            Source::Row => Ok(column_of(&self.named, &column.name)),
            Source::Null(ty) => Ok(typed(AstExpr::value(ast::Value::Null), &ty.name())),
            Source::Refused(why) => Err(EngineError::unsupported(why)),
            Source::Query(field) => {
                let relation = match column.relation.as_str() {
                    OLD => self.named.clone(),
                    relation => Ident::with_quote('"', relation),
                };
                let item = column_of(&relation, field.name());
                let known = self.others.iter().position(|(other, _)| *other == item);
                let index = known.unwrap_or(self.others.len());
                let name = format!("?other?{index}");
                if known.is_none() {
                    self.others.push((item, field.clone().with_name(&name).with_nullable(true)));
                }
                Ok(AstExpr::Identifier(Ident::with_quote('"', name)))
            }
        }
    }

    /// What the query must give behind the table's columns, with names.
    pub fn query_items(&self) -> Vec<SelectItem> {
        let items = self.others.iter().map(|(expr, field)| SelectItem::ExprWithAlias {
            expr: expr.clone(),
            alias: Ident::with_quote('"', field.name()),
        });
        items.collect()
    }

    /// The clause as a query over rows in memory.
    fn query(&self, rows: Vec<RecordBatch>) -> Result<(Statement, Extra)> {
        let others: Vec<Field> = self.others.iter().map(|(_, field)| field.clone()).collect();
        let extra = over_rows::in_memory(&self.table, &others, rows)?;
        let mut query = over_rows::query(&self.table, &self.named, &self.items)?;
        query.with = self.with.clone();
        Ok((Statement::Query(Box::new(query)), extra))
    }

    async fn plan(&self, session: &mut Session, rows: Vec<RecordBatch>) -> Result<Planned> {
        let (query, extra) = self.query(rows)?;
        session.plan_for(query, false, extra).await
    }

    /// The types of parameters that the clause tells; one that cannot be planned tells none.
    pub async fn infer(&self, session: &mut Session, parameters: &mut [u32]) {
        if parameters.contains(&0)
            && let Ok((query, extra)) = self.query(vec![])
            && let Ok((plan, ..)) = session.plan_logical(query, false, extra).await
        {
            infer::from_plan(&plan, parameters);
        }
    }

    /// A plan of the clause over no rows: its columns.
    pub async fn describe(&self, session: &mut Session) -> Result<Planned> {
        self.plan(session, vec![]).await
    }

    /// What it gives for the changed rows; `tag` is the statement's.
    pub async fn reply(&self, session: &mut Session, rows: Vec<RecordBatch>, tag: &'static str) -> Result<Reply> {
        let planned = self.plan(session, rows).await?;
        let columns = planned.columns();
        let batches = execute_stream(planned.physical, planned.state.task_ctx()).map_err(translate)?;
        Ok(Reply::Rows(RowsReply { columns: columns.into(), rows: RowSource::Stream(batches), tag, counted: true }))
    }
}

const OLD: &str = "old";
const NEW: &str = "new";

fn visible_columns(table: &Table, named: &str, others: &[Other], change: Change) -> Vec<Column> {
    let own = described_schema(&table.def.columns, false);
    let of_table = |relation: &str, plain: bool, source: &dyn Fn(usize) -> Source| -> Vec<Column> {
        let columns = table.def.columns.iter().enumerate();
        let column = |(index, column): (usize, &engine::ColumnDef)| Column {
            relation: relation.to_string(),
            name: column.name.clone(),
            source: source(index),
            plain,
        };
        columns.map(column).collect()
    };
    let null = |index: usize| Source::Null(table.def.columns[index].ty);
    let mut columns = of_table(named, true, &|_| Source::Row);
    columns.extend(others.iter().map(|other| Column {
        relation: other.relation.clone(),
        name: visible(other.field.name()).to_string(),
        source: Source::Query(Field::clone(&other.field)),
        plain: other.starred,
    }));
    // A table of that name is meant before PostgreSQL 18's rows are.
    let taken = |name: &str| named == name || others.iter().any(|other| other.relation == name);
    if !taken(OLD) {
        columns.extend(of_table(OLD, false, &|index| match change {
            Change::Insert => null(index),
            Change::Update => Source::Query(own.field(index).clone()),
            Change::Delete => Source::Row,
            Change::Upsert => Source::Refused("RETURNING old of INSERT ... ON CONFLICT DO UPDATE"),
        }));
    }
    if !taken(NEW) {
        columns.extend(of_table(NEW, false, &|index| if change == Change::Delete { null(index) } else { Source::Row }));
    }
    columns
}
