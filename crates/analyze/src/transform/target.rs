//! Target lists (`parse_target.c`): what SELECT and RETURNING give, and the names of the columns.

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Oid, Result};

use super::raw::{location, string, strings};
use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, required, unexpected};
use crate::query::*;

/// The name of a column that nothing names.
const UNNAMED: &str = "?column?";

/// Columns of a result: numbers of 11 bits.
pub(crate) const MAX_TARGETS: usize = 1664;

impl ParseState<'_> {
    /// The targets of SELECT or RETURNING, stars written out (`transformTargetList`).
    pub fn transform_target_list(&mut self, list: &[Node], kind: ExprKind) -> Result<Vec<TargetEntry>> {
        let mut targets = Vec::with_capacity(list.len());
        for node in list {
            let Node::ResTarget(target) = node else { return Err(unexpected()) };
            let value = required(&target.val)?;
            if !self.expand(value, kind, &mut targets)? {
                let expr = self.transform_expr(value, kind)?;
                let name = target.name.as_deref().map_or_else(|| self.figure_name(value), str::to_string);
                push(&mut targets, expr, name);
            }
            if targets.len() > MAX_TARGETS {
                let message = format!("target lists can have at most {MAX_TARGETS} entries");
                return Err(types::Error::new(sqlstate::TOO_MANY_COLUMNS, message));
            }
        }
        Ok(targets)
    }

    /// The values of a row, stars written out (`transformExpressionList`).
    pub fn transform_expression_list(&mut self, list: &[Node], kind: ExprKind) -> Result<Vec<Expr>> {
        let mut targets = Vec::with_capacity(list.len());
        for value in list {
            if !self.expand(value, kind, &mut targets)? {
                let expr = self.transform_expr(value, kind)?;
                push(&mut targets, expr, String::new());
            }
        }
        Ok(targets.into_iter().map(|target| target.expr).collect())
    }

    /// Writes a star out, if it is one.
    fn expand(&mut self, value: &Node, kind: ExprKind, targets: &mut Vec<TargetEntry>) -> Result<bool> {
        match value {
            Node::ColumnRef(column) if matches!(column.fields.last(), Some(Node::A_Star(_))) => {
                self.expand_star(column, targets)?;
            }
            Node::A_Indirection(of) if matches!(of.indirection.last(), Some(Node::A_Star(_))) => {
                let row = self.transform_row_of_star(of, kind)?;
                self.expand_row(row, location(required(&of.arg)?), targets)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `*`, `t.*` and `schema.t.*` (`ExpandColumnRefStar`).
    fn expand_star(&mut self, column: &raw::ColumnRef, targets: &mut Vec<TargetEntry>) -> Result<()> {
        let place = column.location;
        if column.fields.len() == 1 {
            return self.expand_all(place, targets);
        }
        let (item, level) = self.item_of_names(&column.fields, place)?;
        let columns: Vec<_> = columns_of(item, level, place).collect();
        for (name, var) in columns {
            push(targets, var, name);
        }
        Ok(())
    }

    fn expand_all(&mut self, place: i32, targets: &mut Vec<TargetEntry>) -> Result<()> {
        let items = self.namespace.iter().filter(|item| item.columns_visible);
        let mut any = false;
        for (name, var) in items.inspect(|_| any = true).flat_map(|item| columns_of(item, 0, place)) {
            push(targets, var, name);
        }
        if !any {
            return Err(error(sqlstate::SYNTAX_ERROR, "SELECT * with no tables specified is not valid", place));
        }
        Ok(())
    }

    /// The table and column that each target is, through subqueries (`markTargetListOrigins`).
    pub(crate) fn mark_origins(&self, targets: &mut [TargetEntry]) {
        for target in targets {
            if let Expr::Var(var) = &target.expr {
                target.origin = self.origin(var);
            }
        }
    }

    fn origin(&self, var: &Var) -> Option<(Oid, i16)> {
        if var.attribute <= 0 {
            return None;
        }
        let state = self.at_level(var.levels_up);
        let number = var.attribute as usize;
        match &state.entry(var.relation).kind {
            RangeTableKind::Relation { oid, .. } => Some((*oid, var.attribute)),
            RangeTableKind::Subquery(query) => query.visible_targets().nth(number - 1)?.origin,
            RangeTableKind::Cte { name, levels_up, self_reference: false } => {
                let cte = state.at_level(*levels_up).ctes.iter().find(|cte| cte.name == *name)?;
                cte.query.visible_targets().nth(number - 1)?.origin
            }
            _ => None,
        }
    }

    /// The name of a column that has no `AS` (`FigureColname`).
    pub(crate) fn figure_name(&self, node: &Node) -> String {
        name_of(node, &self.sublink_names).map_or(UNNAMED.to_string(), |(name, _)| name)
    }
}

/// The columns of an item, dropped ones left out (`expandNSItemAttrs`).
fn columns_of(item: &NamespaceItem, levels_up: u32, location: i32) -> impl Iterator<Item = (String, Expr)> {
    let live = item.columns.iter().filter(|column| !column.name.is_empty());
    live.map(move |column| (column.name.clone(), column.var(levels_up, location)))
}

/// Adds a target under the next number.
pub(crate) fn push(targets: &mut Vec<TargetEntry>, expr: Expr, name: String) {
    let number = targets.len() as i16 + 1;
    targets.push(TargetEntry::new(expr, number, name));
}

/// The name that an index gives a column for an expression (`FigureIndexColname`).
pub fn figure_index_name(node: &Node) -> Option<String> {
    name_of(node, &[]).map(|(name, _)| name)
}

/// How good a name is: that of a type is taken where nothing better is inside.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Type,
    Name,
}

/// `FigureColnameInternal`.
fn name_of(node: &Node, sublinks: &[(*const raw::SubLink, String)]) -> Option<(String, Strength)> {
    let name_of = |node: &Node| name_of(node, sublinks);
    let good = |name: &str| Some((name.to_string(), Strength::Name));
    let last = |names: &[Node]| strings(names).last().copied().and_then(good);
    match node {
        Node::ColumnRef(e) => e.fields.iter().rev().find_map(string).and_then(good),
        Node::A_Indirection(e) => {
            let field = e.indirection.iter().rev().find_map(string).and_then(good);
            field.or_else(|| e.arg.as_ref().and_then(name_of))
        }
        Node::FuncCall(e) => last(&e.funcname),
        Node::A_Expr(e) if e.kind == raw::A_Expr_Kind::AEXPR_NULLIF => good("nullif"),
        Node::TypeCast(e) => match e.arg.as_ref().and_then(name_of) {
            Some(name @ (_, Strength::Name)) => Some(name),
            inner => {
                let ty = e.type_name.as_ref().and_then(|ty| strings(&ty.names).last().map(|name| name.to_string()));
                ty.map(|ty| (ty, Strength::Type)).or(inner)
            }
        },
        Node::CollateClause(e) => e.arg.as_ref().and_then(name_of),
        Node::GroupingFunc(_) => good("grouping"),
        Node::MergeSupportFunc(_) => good("merge_action"),
        Node::SubLink(e) => match e.sub_link_type {
            raw::SubLinkType::EXISTS_SUBLINK => good("exists"),
            raw::SubLinkType::ARRAY_SUBLINK => good("array"),
            raw::SubLinkType::EXPR_SUBLINK => {
                // A scalar subquery has the name of its column.
                let known = sublinks.iter().rev().find(|(link, _)| std::ptr::eq(*link, &**e));
                known.and_then(|(_, name)| good(name))
            }
            _ => None,
        },
        Node::CaseExpr(e) => match e.defresult.as_ref().and_then(name_of) {
            Some(name @ (_, Strength::Name)) => Some(name),
            _ => Some(("case".to_string(), Strength::Type)),
        },
        Node::A_ArrayExpr(_) => good("array"),
        Node::RowExpr(_) => good("row"),
        Node::CoalesceExpr(_) => good("coalesce"),
        Node::MinMaxExpr(e) => good(match e.op {
            raw::MinMaxOp::IS_GREATEST => "greatest",
            raw::MinMaxOp::IS_LEAST => "least",
        }),
        Node::SQLValueFunction(e) => good(sql_value_name(e.op)),
        _ => None,
    }
}

fn sql_value_name(op: raw::SQLValueFunctionOp) -> &'static str {
    use raw::SQLValueFunctionOp::*;
    match op {
        SVFOP_CURRENT_DATE => "current_date",
        SVFOP_CURRENT_TIME | SVFOP_CURRENT_TIME_N => "current_time",
        SVFOP_CURRENT_TIMESTAMP | SVFOP_CURRENT_TIMESTAMP_N => "current_timestamp",
        SVFOP_LOCALTIME | SVFOP_LOCALTIME_N => "localtime",
        SVFOP_LOCALTIMESTAMP | SVFOP_LOCALTIMESTAMP_N => "localtimestamp",
        SVFOP_CURRENT_ROLE => "current_role",
        SVFOP_CURRENT_USER => "current_user",
        SVFOP_USER => "user",
        SVFOP_SESSION_USER => "session_user",
        SVFOP_CURRENT_CATALOG => "current_catalog",
        SVFOP_CURRENT_SCHEMA => "current_schema",
    }
}
