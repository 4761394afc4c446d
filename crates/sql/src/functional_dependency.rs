//! GROUP BY a primary key: its table's other columns depend on it, so they may stand beside aggregates. DataFusion does
//! not know that; those that are used are added to GROUP BY, which does not change the groups.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::sql::sqlparser::ast::{
    self, Expr, GroupByExpr, Ident, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, Statement,
    TableFactor, Value, VisitMut, VisitorMut,
};
use engine::{Result, TableDef};

use crate::ddl::{ident, object_name};
use crate::session::Shared;

pub fn complete(statement: &mut Statement, shared: &Shared) -> Result<()> {
    let mut named = HashSet::new();
    let _ = statement.visit(&mut Complete { shared, named: &mut named });
    Ok(())
}

struct Complete<'a> {
    shared: &'a Shared,
    /// WITH queries anywhere: what has such a name may be no table.
    named: &'a mut HashSet<String>,
}

impl VisitorMut for Complete<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<()> {
        for cte in query.with.iter().flat_map(|with| &with.cte_tables) {
            self.named.insert(ident(&cte.alias.name));
        }
        let order = query.order_by.clone();
        if let SetExpr::Select(select) = &mut *query.body {
            self.select(select, order.as_ref());
        }
        ControlFlow::Continue(())
    }
}

/// A table of FROM, by the name that it has in the query.
struct From {
    name: Ident,
    def: Arc<TableDef>,
}

impl Complete<'_> {
    fn select(&self, select: &mut Select, order: Option<&ast::OrderBy>) {
        let GroupByExpr::Expressions(by, modifiers) = &select.group_by else { return };
        if by.is_empty() || !modifiers.is_empty() {
            return;
        }
        let factors: Vec<&TableFactor> = select
            .from
            .iter()
            .flat_map(|f| std::iter::once(&f.relation).chain(f.joins.iter().map(|j| &j.relation)))
            .collect();
        let tables: Vec<From> = factors.iter().filter_map(|factor| self.table(factor)).collect();
        // Of what else a bare name may be, nothing is known.
        let only_tables = tables.len() == factors.len();
        let owner = |name: &str| -> Option<&From> {
            let mut owners = tables.iter().filter(|t| t.def.column(name).is_some());
            owners.next().filter(|_| only_tables && owners.next().is_none())
        };
        let mut grouped: HashMap<String, HashSet<String>> = HashMap::new();
        for key in by {
            let key = match ordinal(key) {
                Some(at) => match select.projection.get(at.wrapping_sub(1)) {
                    Some(SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) => expr,
                    _ => continue,
                },
                None => key,
            };
            match key {
                Expr::Identifier(name) => {
                    if let Some(from) = owner(&ident(name)) {
                        grouped.entry(ident(&from.name)).or_default().insert(ident(name));
                    }
                }
                Expr::CompoundIdentifier(parts) => {
                    if let [table, column] = parts.as_slice() {
                        grouped.entry(ident(table)).or_default().insert(ident(column));
                    }
                }
                _ => {}
            }
        }
        let used = Used::of(select, order);
        let mut added = Vec::new();
        for from in &tables {
            let name = ident(&from.name);
            let Some(keys) = grouped.get(&name) else { continue };
            let Some(primary) = from.def.primary_key() else { continue };
            if !primary.columns.iter().all(|c| keys.contains(&from.def.columns[c.column].name)) {
                continue;
            }
            for column in from.def.columns.iter().filter(|c| !keys.contains(&c.name)) {
                let bare = used.bare.contains(&column.name) && owner(&column.name).is_some();
                if used.all
                    || used.tables.contains(&name)
                    || bare
                    || used.qualified.contains(&(name.clone(), column.name.clone()))
                {
                    let column = Ident::with_quote('"', column.name.clone());
                    added.push(Expr::CompoundIdentifier(vec![from.name.clone(), column]));
                }
            }
        }
        if let GroupByExpr::Expressions(by, _) = &mut select.group_by {
            by.extend(added);
        }
    }

    fn table(&self, factor: &TableFactor) -> Option<From> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else { return None };
        if alias.as_ref().is_some_and(|alias| !alias.columns.is_empty()) {
            return None;
        }
        let (schema, table) = object_name(name, &self.shared.database.1).ok()?;
        if name.0.len() == 1 && self.named.contains(&table) {
            return None;
        }
        let def = self.shared.find_table(&schema, &table).ok()??.def.clone();
        let last = name.0.last().and_then(|part| part.as_ident()).cloned()?;
        Some(From { name: alias.as_ref().map_or(last, |alias| alias.name.clone()), def })
    }
}

/// The position that a whole number in GROUP BY means.
fn ordinal(expr: &Expr) -> Option<usize> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.parse().ok(),
            _ => None,
        },
        _ => None,
    }
}

/// Names that a SELECT's results, conditions on groups and order use, those of its subqueries among them.
#[derive(Default)]
struct Used {
    all: bool,
    tables: HashSet<String>,
    qualified: HashSet<(String, String)>,
    bare: HashSet<String>,
}

impl Used {
    fn of(select: &Select, order: Option<&ast::OrderBy>) -> Used {
        let mut used = Used::default();
        for item in &select.projection {
            match item {
                SelectItem::Wildcard(_) => used.all = true,
                SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => {
                    used.tables.extend(name.0.last().and_then(|part| part.as_ident()).map(ident));
                }
                SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => used.note(expr),
                _ => {}
            }
        }
        if let Some(having) = &select.having {
            used.note(having);
        }
        if let Some(order) = order {
            used.note(order);
        }
        used
    }

    fn note(&mut self, node: &impl ast::Visit) {
        let _ = ast::visit_expressions(node, |expr| {
            match expr {
                Expr::Identifier(name) => {
                    self.bare.insert(ident(name));
                }
                Expr::CompoundIdentifier(parts) => {
                    if let [.., table, column] = parts.as_slice() {
                        self.qualified.insert((ident(table), ident(column)));
                    }
                }
                _ => {}
            }
            ControlFlow::<()>::Continue(())
        });
    }
}
