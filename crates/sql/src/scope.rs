//! What a FROM clause shows: its relations, and the columns that a star stands for, in PostgreSQL's order. It is found out
//! from the syntax tree and the catalog alone, before a statement is planned.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, Query, SelectItem,
    SelectItemQualifiedWildcardKind, SetExpr, TableAlias, TableFactor, TableWithJoins,
};
use engine::{EngineError, Result};

use crate::ddl::{ident, object_name};
use crate::labels::label;
use crate::rewrite::{calls, hidden, visible};
use crate::session::Session;
use crate::system::SEQUENCE_COLUMNS;
use crate::tables::{ROWS, STAGED, TARGET};

/// A column that expressions may name.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    /// What it is to the planner.
    pub expr: Expr,
    /// USING or NATURAL has made it of two.
    pub merged: bool,
}

/// A relation of a FROM clause.
#[derive(Clone, Debug)]
pub struct Relation {
    pub name: Ident,
    pub columns: Vec<String>,
}

/// What is visible in a query.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    pub relations: Vec<Relation>,
    /// What a star stands for.
    pub columns: Vec<Column>,
}

impl Scope {
    pub fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|relation| ident(&relation.name) == name)
    }

    pub fn has_column(&self, name: &str) -> bool {
        self.columns.iter().any(|column| column.name == name)
    }

    /// Does a star show this column of a relation?
    pub fn shows(&self, relation: &str, column: &str) -> bool {
        self.columns.iter().any(|shown| match &shown.expr {
            Expr::CompoundIdentifier(parts) => {
                matches!(parts.as_slice(), [r, c] if ident(r) == relation && ident(c) == column)
            }
            _ => false,
        })
    }

    fn and(mut self, other: Scope) -> Scope {
        self.relations.extend(other.relations);
        self.columns.extend(other.columns);
        self
    }
}

/// Finds out what FROM clauses show.
pub struct Scopes<'a> {
    session: &'a Session,
    /// WITH queries and their columns, the innermost last; `None`: not known.
    ctes: Vec<(String, Option<Vec<String>>)>,
}

pub fn quoted(name: &str) -> Ident {
    Ident::with_quote('"', name)
}

fn qualified(relation: &Ident, column: &str) -> Expr {
    Expr::CompoundIdentifier(vec![relation.clone(), quoted(column)])
}

/// The columns as an alias names them: its first ones.
fn renamed(mut columns: Vec<String>, alias: Option<&TableAlias>) -> Vec<String> {
    for (column, new) in columns.iter_mut().zip(alias.iter().flat_map(|alias| &alias.columns)) {
        *column = ident(&new.name);
    }
    columns
}

impl<'a> Scopes<'a> {
    pub fn new(session: &'a Session) -> Scopes<'a> {
        Scopes { session, ctes: vec![] }
    }

    /// How many WITH queries are visible; [`Scopes::forget`] takes it.
    pub fn visible(&self) -> usize {
        self.ctes.len()
    }

    pub fn forget(&mut self, visible: usize) {
        self.ctes.truncate(visible);
    }

    /// A WITH query is visible from now on.
    pub fn define(&mut self, alias: &TableAlias, query: &Query) {
        let columns = self.columns_of_query(query).map(|columns| renamed(columns, Some(alias)));
        self.ctes.push((ident(&alias.name), columns));
    }

    /// `None` where something is not known, such as a function's columns.
    pub fn of(&mut self, from: &[TableWithJoins]) -> Result<Option<Scope>> {
        let mut all = Scope::default();
        for tables in from {
            let Some(scope) = self.of_joins(&tables.relation, &tables.joins)? else { return Ok(None) };
            all = all.and(scope);
        }
        Ok(Some(all))
    }

    fn of_joins(&mut self, relation: &TableFactor, joins: &[Join]) -> Result<Option<Scope>> {
        let Some(mut scope) = self.of_factor(relation)? else { return Ok(None) };
        for join in joins {
            let Some(right) = self.of_factor(&join.relation)? else { return Ok(None) };
            let names = merged_names(&join.join_operator, &scope, &right)?;
            scope = merge(scope, right, &names, &join.join_operator)?.0;
        }
        Ok(Some(scope))
    }

    pub fn of_factor(&mut self, factor: &TableFactor) -> Result<Option<Scope>> {
        let (alias, columns, own_name) = match factor {
            TableFactor::NestedJoin { table_with_joins, alias } => {
                let inner = self.of_joins(&table_with_joins.relation, &table_with_joins.joins)?;
                let (Some(alias), Some(inner)) = (alias, &inner) else { return Ok(inner) };
                (Some(alias), inner.columns.iter().map(|column| column.name.clone()).collect(), None)
            }
            TableFactor::Derived { subquery, alias, .. } => match self.columns_of_query(subquery) {
                Some(columns) => (alias.as_ref(), columns, None),
                None => return Ok(None),
            },
            TableFactor::Table { name, alias, args, .. } => {
                let last = name.0.last().and_then(|part| part.as_ident()).cloned();
                match args {
                    // It has one column, which the alias names, too.
                    Some(_) if last.as_ref().map(ident).as_deref() == Some("generate_series") => {
                        let name = alias.as_ref().map_or_else(|| "generate_series".into(), |alias| ident(&alias.name));
                        (alias.as_ref(), vec![name], None)
                    }
                    Some(_) => return Ok(None),
                    None => match self.columns_of_table(name)? {
                        Some(columns) => (alias.as_ref(), columns, last),
                        None => return Ok(None),
                    },
                }
            }
            _ => return Ok(None),
        };
        let columns = renamed(columns, alias);
        let name = alias.map(|alias| alias.name.clone()).or(own_name);
        let expr = |column: &String| match &name {
            Some(name) => qualified(name, column),
            None => Expr::Identifier(quoted(column)),
        };
        let own = columns.iter().map(|c| Column { name: visible(c).to_string(), expr: expr(c), merged: false });
        Ok(Some(Scope {
            columns: own.collect(),
            relations: name.iter().map(|name| Relation { name: name.clone(), columns: columns.clone() }).collect(),
        }))
    }

    fn columns_of_table(&self, name: &ObjectName) -> Result<Option<Vec<String>>> {
        if let [one] = name.0.as_slice()
            && let Some(one) = one.as_ident().map(ident)
            && let Some((_, columns)) = self.ctes.iter().rev().find(|(cte, _)| *cte == one)
        {
            return Ok(columns.clone());
        }
        let shared = &self.session.shared;
        let (schema, name) = object_name(name, &shared.database.1)?;
        let fields = |schema: datafusion::arrow::datatypes::SchemaRef| {
            schema.fields().iter().map(|field| field.name().clone()).collect()
        };
        if schema == STAGED {
            let table = name.parse().ok().and_then(|at: usize| self.session.staged.tables.get(at));
            return Ok(table.map(|table| fields(table.schema())));
        }
        if schema == ROWS {
            return Ok(None);
        }
        let own = if schema.starts_with(TARGET) { "public" } else { &schema };
        if let Some(table) = shared.find_table(own, &name)? {
            return Ok(Some(table.def.columns.iter().map(|column| column.name.clone()).collect()));
        }
        let catalog = if schema == "public" { "pg_catalog" } else { &schema };
        let view = crate::system::table(shared, catalog, &name).map_err(crate::errors::translate)?;
        if let Some(view) = view {
            return Ok(Some(fields(view.schema())));
        }
        let catalog = shared.catalog();
        let sequence = catalog.database_by_oid(shared.database.0).and_then(|d| d.sequence(&schema, &name));
        Ok(sequence.map(|_| SEQUENCE_COLUMNS.map(|(name, ..)| name.to_string()).to_vec()))
    }

    /// The columns of a query by the names under which another one finds them.
    fn columns_of_query(&mut self, query: &Query) -> Option<Vec<String>> {
        let before = self.visible();
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.define(&cte.alias, &cte.query);
        }
        let columns = self.columns_of_body(&query.body);
        self.forget(before);
        columns
    }

    fn columns_of_body(&mut self, body: &SetExpr) -> Option<Vec<String>> {
        match body {
            SetExpr::Select(select) => {
                let mut names = Vec::new();
                let mut scope = None;
                for item in &select.projection {
                    match item {
                        SelectItem::ExprWithAlias { alias, .. } => names.push(ident(alias)),
                        SelectItem::UnnamedExpr(expr) => names.push(label(expr).unwrap_or_else(|| "?column?".into())),
                        SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..) => {
                            if scope.is_none() {
                                scope = Some(self.of(&select.from).ok().flatten()?);
                            }
                            names.extend(star(item, scope.as_ref()?)?.into_iter().map(|column| column.name));
                        }
                        SelectItem::ExprWithAliases { .. } => return None,
                    }
                }
                // As `rewrite` names them.
                let own = names.iter().enumerate().map(|(at, name)| {
                    let once = names.iter().filter(|other| *other == name).count() == 1;
                    if once { name.clone() } else { hidden(at, name) }
                });
                Some(own.collect())
            }
            SetExpr::Query(query) => self.columns_of_query(query),
            SetExpr::SetOperation { left, .. } => self.columns_of_body(left),
            SetExpr::Values(values) => {
                let width = values.rows.first()?.content.len();
                Some((1..=width).map(|at| format!("column{at}")).collect())
            }
            _ => None,
        }
    }
}

/// What `*` or `t.*` stands for; `None`: nothing of that name.
pub fn star(item: &SelectItem, scope: &Scope) -> Option<Vec<Column>> {
    match item {
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
            let relation = scope.relation(&name.0.last()?.as_ident().map(ident)?)?;
            let column = |column: &String| Column {
                name: visible(column).to_string(),
                expr: qualified(&relation.name, column),
                merged: false,
            };
            Some(relation.columns.iter().map(column).collect())
        }
        SelectItem::Wildcard(_) => Some(scope.columns.clone()),
        _ => None,
    }
}

pub fn constraint_of(join: &JoinOperator) -> Option<&JoinConstraint> {
    match join {
        JoinOperator::Join(c)
        | JoinOperator::Inner(c)
        | JoinOperator::Left(c)
        | JoinOperator::LeftOuter(c)
        | JoinOperator::Right(c)
        | JoinOperator::RightOuter(c)
        | JoinOperator::FullOuter(c) => Some(c),
        _ => None,
    }
}

pub fn constraint_mut(join: &mut JoinOperator) -> Option<&mut JoinConstraint> {
    match join {
        JoinOperator::Join(c)
        | JoinOperator::Inner(c)
        | JoinOperator::Left(c)
        | JoinOperator::LeftOuter(c)
        | JoinOperator::Right(c)
        | JoinOperator::RightOuter(c)
        | JoinOperator::FullOuter(c) => Some(c),
        _ => None,
    }
}

/// The columns that a join merges.
pub fn merged_names(join: &JoinOperator, left: &Scope, right: &Scope) -> Result<Vec<String>> {
    match constraint_of(join) {
        Some(JoinConstraint::Using(names)) => {
            Ok(names.iter().filter_map(|name| name.0.last()?.as_ident()).map(ident).collect())
        }
        Some(JoinConstraint::Natural) => {
            let common = left.columns.iter().filter(|column| right.has_column(&column.name));
            Ok(common.map(|column| column.name.clone()).collect())
        }
        _ => Ok(vec![]),
    }
}

/// What both sides of a join show, and the condition that merging `names` means.
pub fn merge(left: Scope, right: Scope, names: &[String], join: &JoinOperator) -> Result<(Scope, Option<Expr>)> {
    let find = |scope: &Scope, name: &str, side: &str| -> Result<Expr> {
        let mut found = scope.columns.iter().filter(|column| column.name == name);
        match (found.next(), found.next()) {
            (Some(column), None) => Ok(column.expr.clone()),
            (None, _) => {
                let message = format!("column \"{name}\" specified in USING clause does not exist in {side} table");
                Err(EngineError::new("42703", message))
            }
            (Some(_), Some(_)) => {
                let message = format!("common column name \"{name}\" appears more than once in {side} table");
                Err(EngineError::new("42702", message))
            }
        }
    };
    let mut merged = Vec::with_capacity(names.len());
    let mut condition: Option<Expr> = None;
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            let message = format!("column name \"{name}\" appears more than once in USING clause");
            return Err(EngineError::new("42701", message));
        }
        let (l, r) = (find(&left, name, "left")?, find(&right, name, "right")?);
        let binary = |left: Expr, op, right: Expr| Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) };
        let equal = binary(l.clone(), BinaryOperator::Eq, r.clone());
        condition = Some(match condition.take() {
            Some(before) => binary(before, BinaryOperator::And, equal),
            None => equal,
        });
        let expr = match join {
            JoinOperator::Right(_) | JoinOperator::RightOuter(_) => r,
            JoinOperator::FullOuter(_) => calls("coalesce", vec![l, r]),
            _ => l,
        };
        merged.push(Column { name: name.clone(), expr, merged: true });
    }
    let rest = |scope: Vec<Column>| scope.into_iter().filter(|column| !names.contains(&column.name));
    let columns = merged.into_iter().chain(rest(left.columns)).chain(rest(right.columns)).collect();
    let relations = left.relations.into_iter().chain(right.relations).collect();
    Ok((Scope { relations, columns }, condition))
}
