//! What PostgreSQL's parser spells out before it plans: stars, the columns that USING and NATURAL merge, aliases of joins
//! and of some columns, named windows, names in GROUPING SETS, what `count(t)` counts.
//!
//! DataFusion knows most of this in another order or less exactly. The statement is walked from its WITH queries and
//! subqueries outwards; what a FROM clause shows is [`crate::scope`]'s to say.

use std::collections::HashMap;
use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, JoinConstraint, OrderByKind, Query, Select,
    SelectItem, SetExpr, Statement, TableAlias, TableAliasColumnDef, TableFactor, TableWithJoins, Value, Visit,
    VisitMut, VisitorMut,
};
use engine::{EngineError, Result};

use crate::ddl::ident;
use crate::scope::{Column, Scope, Scopes, constraint_mut, constraint_of, merge, merged_names, quoted, star};
use crate::session::Session;
use crate::{outside, windows};

/// Spells out a statement's SELECTs.
pub fn spell_out(session: &Session, statement: &mut Statement) -> Result<()> {
    let mut walk = Walk { scopes: Scopes::new(session) };
    match statement {
        Statement::Query(query) => walk.query(query),
        other => walk.nested(other),
    }
}

struct Walk<'a> {
    scopes: Scopes<'a>,
}

/// Gives the queries directly inside of a node to `each`.
struct Inner<'a, 'b> {
    walk: &'a mut Walk<'b>,
    depth: usize,
}

impl VisitorMut for Inner<'_, '_> {
    type Break = EngineError;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<EngineError> {
        self.depth += 1;
        match if self.depth == 1 { self.walk.query(query) } else { Ok(()) } {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<EngineError> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }
}

impl Walk<'_> {
    fn nested(&mut self, node: &mut impl VisitMut) -> Result<()> {
        match node.visit(&mut Inner { walk: self, depth: 0 }) {
            ControlFlow::Break(error) => Err(error),
            ControlFlow::Continue(()) => Ok(()),
        }
    }

    fn query(&mut self, query: &mut Query) -> Result<()> {
        let before = self.scopes.visible();
        if let Some(with) = &mut query.with {
            for cte in &mut with.cte_tables {
                let own = self.scopes.visible();
                if with.recursive {
                    self.scopes.define(&cte.alias, &cte.query);
                }
                self.query(&mut cte.query)?;
                self.scopes.forget(own);
                self.scopes.define(&cte.alias, &cte.query);
            }
        }
        if let Some(order) = &mut query.order_by {
            self.nested(order)?;
        }
        if let Some(limit) = &mut query.limit_clause {
            self.nested(limit)?;
        }
        let Query { body, order_by, .. } = query;
        let mut no_order = vec![];
        let order: &mut Vec<_> = match order_by.as_mut().map(|order| &mut order.kind) {
            Some(OrderByKind::Expressions(keys)) => keys,
            _ => &mut no_order,
        };
        self.body(body, order)?;
        self.scopes.forget(before);
        Ok(())
    }

    fn body(&mut self, body: &mut SetExpr, order: &mut (impl Visit + VisitMut)) -> Result<()> {
        match body {
            SetExpr::Select(select) => self.select(select, order),
            SetExpr::Query(query) => self.query(query),
            SetExpr::SetOperation { left, right, .. } => {
                let mut none: Vec<Expr> = vec![];
                self.body(left, &mut none)?;
                self.body(right, &mut none)
            }
            other => self.nested(other),
        }
    }

    fn select(&mut self, select: &mut Select, order: &mut (impl Visit + VisitMut)) -> Result<()> {
        self.nested(select)?;
        windows::resolve(select, order)?;
        for tables in &mut select.from {
            self.aliases(tables)?;
        }
        let merges = select.from.iter().any(merges_columns);
        let counts = counts_rows(select, order);
        let whole = names_relations(select);
        if !merges && !counts && !whole && !has_star(select) && !has_sets(select) {
            return Ok(());
        }
        let Some(scope) = self.scopes.of(&select.from)? else {
            // Of a function's columns nothing is known; DataFusion has its own way then.
            return match (merges, counts) {
                (true, _) => Err(EngineError::unsupported("USING or NATURAL over this FROM clause")),
                (_, true) => Err(EngineError::unsupported("counting whole rows of this FROM clause")),
                _ => Ok(()),
            };
        };
        sets(select, &scope)?;
        if whole {
            refuse_rows(select, &scope)?;
        }
        if merges || counts || select.projection.len() > 1 || has_equal_names(&scope.columns) {
            expand(select, &scope)?;
        }
        if counts {
            count_rows(select, order, &scope)?;
        }
        if merges {
            self.replace_merged(select, order, &scope);
            for tables in &mut select.from {
                self.spell_conditions(tables)?;
            }
        }
        Ok(())
    }

    /// Gives `t a(x)` names for all of its columns, and makes a join with an alias a query with its columns.
    fn aliases(&mut self, tables: &mut TableWithJoins) -> Result<()> {
        if tables.joins.iter().any(|join| constraint_of(&join.join_operator) == Some(&JoinConstraint::None)) {
            return Err(EngineError::new("42601", "syntax error: a join has no condition"));
        }
        let factors = std::iter::once(&mut tables.relation).chain(tables.joins.iter_mut().map(|j| &mut j.relation));
        for factor in factors {
            if let TableFactor::NestedJoin { table_with_joins, alias: None } = factor {
                self.aliases(table_with_joins)?;
                continue;
            }
            if let TableFactor::NestedJoin { table_with_joins, alias } = factor {
                let mut query = crate::parse::query("SELECT * FROM x")?;
                let SetExpr::Select(select) = &mut *query.body else { unreachable!("it is a SELECT") };
                select.from = vec![(**table_with_joins).clone()];
                self.query(&mut query)?;
                let alias = alias.take();
                *factor = TableFactor::Derived { lateral: false, subquery: Box::new(query), alias, sample: None };
            }
            let (TableFactor::Derived { alias: Some(alias), .. } | TableFactor::Table { alias: Some(alias), .. }) =
                &*factor
            else {
                continue;
            };
            let given = alias.columns.len();
            if given == 0 || matches!(factor, TableFactor::Table { args: Some(_), .. }) {
                continue;
            }
            let name = ident(&alias.name);
            let Some(scope) = self.scopes.of_factor(factor)? else { continue };
            let all = &scope.relations[0].columns;
            if given > all.len() {
                let has = all.len();
                let message = format!("table \"{name}\" has {has} columns available but {given} columns specified");
                return Err(EngineError::new("42P10", message));
            }
            let others = all[given..].iter().map(|c| TableAliasColumnDef { name: quoted(c), data_type: None });
            if let TableFactor::Derived { alias: Some(alias), .. } | TableFactor::Table { alias: Some(alias), .. } =
                factor
            {
                alias.columns.extend(others);
            }
        }
        Ok(())
    }

    /// Writes ON for USING and NATURAL.
    fn spell_conditions(&mut self, tables: &mut TableWithJoins) -> Result<()> {
        if let TableFactor::NestedJoin { table_with_joins, .. } = &mut tables.relation {
            self.spell_conditions(table_with_joins)?;
        }
        let unknown = || EngineError::unsupported("USING or NATURAL over this FROM clause");
        let mut scope = self.scopes.of_factor(&tables.relation)?.ok_or_else(unknown)?;
        for join in &mut tables.joins {
            if let TableFactor::NestedJoin { table_with_joins, .. } = &mut join.relation {
                self.spell_conditions(table_with_joins)?;
            }
            let right = self.scopes.of_factor(&join.relation)?.ok_or_else(unknown)?;
            let names = merged_names(&join.join_operator, &scope, &right)?;
            let condition;
            (scope, condition) = merge(scope, right, &names, &join.join_operator)?;
            if let Some(constraint) = constraint_mut(&mut join.join_operator)
                && matches!(constraint, JoinConstraint::Using(_) | JoinConstraint::Natural)
            {
                // Without common columns, NATURAL joins everything.
                let condition = condition.unwrap_or(Expr::value(Value::Boolean(true)));
                *constraint = JoinConstraint::On(condition);
            }
        }
        Ok(())
    }

    /// Puts what merged columns are in the place of their names.
    fn replace_merged(&mut self, select: &mut Select, order: &mut impl VisitMut, scope: &Scope) {
        let mut merged: HashMap<String, Expr> = HashMap::new();
        for column in scope.columns.iter().filter(|column| column.merged) {
            let once = scope.columns.iter().filter(|other| other.name == column.name).count() == 1;
            if once {
                merged.insert(column.name.clone(), column.expr.clone());
            }
        }
        for item in &mut select.projection {
            // It keeps its name.
            if let SelectItem::UnnamedExpr(Expr::Identifier(name)) = item
                && let Some(expr) = merged.get(&ident(name))
            {
                *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: quoted(&ident(name)) };
            }
        }
        let output = |name: &str| {
            select.projection.iter().any(|item| match item {
                SelectItem::ExprWithAlias { alias, .. } => ident(alias) == name,
                SelectItem::UnnamedExpr(expr) => crate::labels::label(expr).as_deref() == Some(name),
                _ => false,
            })
        };
        let mut sorted = merged.clone();
        sorted.retain(|name, _| !output(name));
        replace(order, &sorted, self);
        if let Some(distinct) = &mut select.distinct {
            replace(distinct, &sorted, self);
        }
        replace(&mut select.projection, &merged, self);
        replace(&mut select.selection, &merged, self);
        replace(&mut select.group_by, &merged, self);
        replace(&mut select.having, &merged, self);
        for tables in &mut select.from {
            for join in &mut tables.joins {
                if let Some(JoinConstraint::On(condition)) = constraint_mut(&mut join.join_operator) {
                    replace(condition, &merged, self);
                }
            }
        }
    }
}

/// The name of a column that is true in all rows.
const MARKER: &str = "?row?";

/// Does it count rows of one of its relations?
fn counts_rows(select: &Select, order: &impl Visit) -> bool {
    let names = relation_names(&select.from);
    let counts = |expr: &Expr| match counted(expr) {
        Some(Counted::Star(_)) => ControlFlow::Break(()),
        Some(Counted::Name(name)) if names.contains(&name) => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    outside::visit(&select.projection, counts).is_break()
        || outside::visit(&select.having, counts).is_break()
        || outside::visit(order, counts).is_break()
}

/// `count(t.*)` counts the rows of `t` that an outer join has found: those in which a column that is always true is.
fn count_rows(select: &mut Select, order: &mut impl VisitMut, scope: &Scope) -> Result<()> {
    let mut marked: Vec<String> = vec![];
    let mut replace = |expr: &mut Expr| {
        let name = match counted(expr) {
            Some(Counted::Star(name)) => name,
            Some(Counted::Name(name)) if !scope.has_column(&name) && scope.relation(&name).is_some() => name,
            _ => return ControlFlow::Continue(()),
        };
        let Some(relation) = scope.relation(&name) else {
            let message = format!("missing FROM-clause entry for table \"{name}\"");
            return ControlFlow::Break(EngineError::new("42P01", message));
        };
        let Expr::Function(function) = expr else { return ControlFlow::Continue(()) };
        let FunctionArguments::List(list) = &mut function.args else { return ControlFlow::Continue(()) };
        if list.duplicate_treatment.is_some() {
            return ControlFlow::Break(EngineError::unsupported("count(DISTINCT) of whole rows"));
        }
        let marker = Expr::CompoundIdentifier(vec![relation.name.clone(), quoted(MARKER)]);
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(marker))];
        marked.push(name);
        ControlFlow::Continue(())
    };
    let done = [
        outside::visit_mut(&mut select.projection, &mut replace),
        outside::visit_mut(&mut select.having, &mut replace),
        outside::visit_mut(order, &mut replace),
    ];
    for done in done {
        if let ControlFlow::Break(error) = done {
            return Err(error);
        }
    }
    for name in marked {
        select.from.iter_mut().for_each(|tables| mark(tables, &name));
    }
    Ok(())
}

fn names_relations(select: &Select) -> bool {
    let names = relation_names(&select.from);
    select.projection.iter().any(|item| {
        matches!(item, SelectItem::UnnamedExpr(Expr::Identifier(name))
            | SelectItem::ExprWithAlias { expr: Expr::Identifier(name), .. } if names.contains(&ident(name)))
    })
}

/// `SELECT t FROM t`, with no column of that name.
fn refuse_rows(select: &Select, scope: &Scope) -> Result<()> {
    for item in &select.projection {
        if let SelectItem::UnnamedExpr(Expr::Identifier(name))
        | SelectItem::ExprWithAlias { expr: Expr::Identifier(name), .. } = item
            && !scope.has_column(&ident(name))
            && scope.relation(&ident(name)).is_some()
        {
            return Err(EngineError::unsupported("a whole row as a value"));
        }
    }
    Ok(())
}

enum Counted {
    Star(String),
    Name(String),
}

/// What `count(t.*)` or `count(t)` counts.
fn counted(expr: &Expr) -> Option<Counted> {
    let Expr::Function(function) = expr else { return None };
    if function.name.0.last()?.as_ident().map(ident)? != "count" {
        return None;
    }
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::QualifiedWildcard(name))] => {
            Some(Counted::Star(name.0.last()?.as_ident().map(ident)?))
        }
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Identifier(name)))] => Some(Counted::Name(ident(name))),
        _ => None,
    }
}

/// Makes the relation of that name one with a marker.
fn mark(tables: &mut TableWithJoins, name: &str) {
    let factors = std::iter::once(&mut tables.relation).chain(tables.joins.iter_mut().map(|j| &mut j.relation));
    for factor in factors {
        if let TableFactor::NestedJoin { table_with_joins, .. } = factor {
            mark(table_with_joins, name);
        }
        if name_of(factor).as_deref() != Some(name) || is_marked(factor) {
            continue;
        }
        let mut query = crate::parse::query(&format!("SELECT *, true AS \"{MARKER}\" FROM x")).expect("it is a query");
        let SetExpr::Select(select) = &mut *query.body else { unreachable!("it is a SELECT") };
        std::mem::swap(&mut select.from[0].relation, factor);
        let alias = Some(TableAlias { explicit: true, name: quoted(name), columns: vec![], at: None });
        *factor = TableFactor::Derived { lateral: false, subquery: Box::new(query), alias, sample: None };
    }
}

fn is_marked(factor: &TableFactor) -> bool {
    let TableFactor::Derived { subquery, .. } = factor else { return false };
    let SetExpr::Select(select) = &*subquery.body else { return false };
    matches!(select.projection.last(), Some(SelectItem::ExprWithAlias { alias, .. }) if alias.value == MARKER)
}

/// The name by which expressions know a relation.
fn name_of(factor: &TableFactor) -> Option<String> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(ident(&alias.name))
        }
        TableFactor::Table { name, .. } => name.0.last()?.as_ident().map(ident),
        _ => None,
    }
}

fn relation_names(from: &[TableWithJoins]) -> Vec<String> {
    fn walk(tables: &TableWithJoins, names: &mut Vec<String>) {
        for factor in std::iter::once(&tables.relation).chain(tables.joins.iter().map(|join| &join.relation)) {
            match factor {
                TableFactor::NestedJoin { table_with_joins, .. } => walk(table_with_joins, names),
                factor => names.extend(name_of(factor)),
            }
        }
    }
    let mut names = vec![];
    from.iter().for_each(|tables| walk(tables, &mut names));
    names
}

fn merges_columns(tables: &TableWithJoins) -> bool {
    let nested = |factor: &TableFactor| match factor {
        TableFactor::NestedJoin { table_with_joins, .. } => merges_columns(table_with_joins),
        _ => false,
    };
    nested(&tables.relation)
        || tables.joins.iter().any(|join| {
            let merges =
                matches!(constraint_of(&join.join_operator), Some(JoinConstraint::Using(_) | JoinConstraint::Natural));
            merges || nested(&join.relation)
        })
}

fn is_star(item: &SelectItem) -> bool {
    matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))
}

fn has_star(select: &Select) -> bool {
    select.projection.iter().any(is_star)
}

fn has_equal_names(columns: &[Column]) -> bool {
    columns.iter().enumerate().any(|(at, column)| columns[..at].iter().any(|other| other.name == column.name))
}

/// Puts columns in the place of stars.
fn expand(select: &mut Select, scope: &Scope) -> Result<()> {
    let mut items = Vec::with_capacity(select.projection.len());
    for item in std::mem::take(&mut select.projection) {
        if !is_star(&item) {
            items.push(qualified(item, scope));
            continue;
        }
        let Some(columns) = star(&item, scope) else {
            let SelectItem::QualifiedWildcard(kind, _) = &item else { unreachable!("a star has columns") };
            let name = kind.to_string();
            let message = format!("missing FROM-clause entry for table \"{}\"", name.trim_end_matches(".*"));
            return Err(EngineError::new("42P01", message));
        };
        items.extend(columns.into_iter().map(|column| match &column.expr {
            Expr::CompoundIdentifier(parts) if parts.last().is_some_and(|part| ident(part) == column.name) => {
                SelectItem::UnnamedExpr(column.expr)
            }
            _ => SelectItem::ExprWithAlias { expr: column.expr, alias: quoted(&column.name) },
        }));
    }
    select.projection = items;
    Ok(())
}

/// A column beside a star is written as the star's is: ORDER BY sees that they are the same.
fn qualified(item: SelectItem, scope: &Scope) -> SelectItem {
    let SelectItem::UnnamedExpr(Expr::Identifier(name)) = &item else { return item };
    let mut found = scope.columns.iter().filter(|column| column.name == ident(name));
    match (found.next(), found.next()) {
        (Some(Column { expr: expr @ Expr::CompoundIdentifier(_), merged: false, .. }), None) => {
            SelectItem::UnnamedExpr(expr.clone())
        }
        _ => item,
    }
}

fn has_sets(select: &Select) -> bool {
    let GroupByExpr::Expressions(keys, _) = &select.group_by else { return false };
    keys.iter().any(|key| matches!(key, Expr::GroupingSets(_) | Expr::Rollup(_) | Expr::Cube(_)))
}

/// In GROUPING SETS, ROLLUP and CUBE, too, a bare name may be an output column's, and a number its position.
fn sets(select: &mut Select, scope: &Scope) -> Result<()> {
    let Select { projection, group_by, .. } = select;
    let GroupByExpr::Expressions(keys, _) = group_by else { return Ok(()) };
    let meant = |expr: &Expr| -> Option<Expr> {
        let item = match expr {
            Expr::Identifier(name) if !scope.has_column(&ident(name)) => projection
                .iter()
                .find(|item| matches!(item, SelectItem::ExprWithAlias { alias, .. } if ident(alias) == ident(name))),
            Expr::Value(value) => match &value.value {
                Value::Number(text, _) => projection.get(text.parse::<usize>().ok()?.checked_sub(1)?),
                _ => None,
            },
            _ => None,
        };
        match item? {
            SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr) => Some(expr.clone()),
            _ => None,
        }
    };
    for key in keys {
        let (Expr::GroupingSets(sets) | Expr::Rollup(sets) | Expr::Cube(sets)) = key else { continue };
        for expr in sets.iter_mut().flatten() {
            if let Some(new) = meant(expr) {
                *expr = new;
            }
            if matches!(expr, Expr::BinaryOp { .. } | Expr::UnaryOp { .. } | Expr::Value(_) | Expr::Nested(_)) {
                return Err(EngineError::unsupported("GROUPING SETS, ROLLUP and CUBE of computed values")
                    .hint("Compute them in a subquery in FROM."));
            }
        }
    }
    Ok(())
}

/// Replaces bare names, in subqueries where these have no such column of their own.
fn replace(node: &mut impl VisitMut, merged: &HashMap<String, Expr>, walk: &mut Walk) {
    struct Replace<'a, 'b> {
        merged: &'a HashMap<String, Expr>,
        walk: &'a mut Walk<'b>,
        /// The columns of the queries around the place.
        hidden: Vec<Vec<String>>,
    }
    impl VisitorMut for Replace<'_, '_> {
        type Break = ();

        fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
            let own = match &*query.body {
                SetExpr::Select(select) => self.walk.scopes.of(&select.from).ok().flatten(),
                _ => None,
            };
            let names = own.map(|scope| scope.columns.into_iter().map(|column| column.name).collect());
            self.hidden.push(names.unwrap_or_default());
            ControlFlow::Continue(())
        }
        fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
            self.hidden.pop();
            ControlFlow::Continue(())
        }
        fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
            if let Expr::Identifier(name) = expr
                && let Some(meant) = self.merged.get(&ident(name))
                && !self.hidden.iter().any(|names| names.contains(&ident(name)))
            {
                *expr = meant.clone();
            }
            ControlFlow::Continue(())
        }
    }
    let _ = node.visit(&mut Replace { merged, walk, hidden: vec![] });
}
