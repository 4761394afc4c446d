//! Functions in FROM (`transformRangeFunction` of `parse_clause.c`, `addRangeTableEntryForFunction` of `parse_relation.c`).

use ::error::sqlstate;
use syntax::nodes as raw;
use syntax::nodes::Node;
use types::{Result, oid};

use super::raw::strings;
use super::relation::{Alias, aliased_columns};
use super::state::{ExprKind, NamespaceItem, ParseState};
use super::{error, unexpected, unsupported};
use crate::query::*;

impl ParseState<'_> {
    pub(crate) fn transform_range_function(&mut self, function: &raw::RangeFunction) -> Result<NamespaceItem> {
        // Functions see what is before them in FROM without LATERAL too.
        let before = std::mem::replace(&mut self.lateral_active, true);
        let calls = self.transform_functions(function);
        self.lateral_active = before;
        let calls = calls?;
        if !function.coldeflist.is_empty() {
            let place = calls.first().map_or(-1, |(call, _)| call.location().0);
            return Err(unsupported("a column definition list", place));
        }
        let lateral =
            function.lateral || calls.iter().any(|(call, _)| super::level::column_of_level(call, 0).is_some());
        let alias = function.alias.as_deref().map(super::from::alias);
        self.add_function(calls, function.ordinality, alias.as_ref(), lateral)
    }

    /// The calls, each with the name that a column of it has.
    fn transform_functions(&mut self, function: &raw::RangeFunction) -> Result<Vec<(Expr, String)>> {
        let mut calls = Vec::with_capacity(function.functions.len());
        for node in &function.functions {
            let Node::List(pair) = node else { return Err(unexpected()) };
            let call = pair.first().ok_or_else(unexpected)?;
            if let Some(Node::List(definitions)) = pair.get(1)
                && !definitions.is_empty()
            {
                return Err(unsupported("a column definition list", super::raw::location(call)));
            }
            if let Node::FuncCall(func) = call
                && is_unnest_of_many(func)
            {
                for argument in &func.args {
                    let one = raw::FuncCall { args: vec![argument.clone()], ..(**func).clone() };
                    calls.push((self.transform_range_call(&Node::FuncCall(Box::new(one)))?, "unnest".to_string()));
                }
                continue;
            }
            calls.push((self.transform_range_call(call)?, self.figure_name(call)));
        }
        Ok(calls)
    }

    fn transform_range_call(&mut self, node: &Node) -> Result<Expr> {
        let before = self.set_returning.count;
        let call = self.transform_expr(node, ExprKind::FromFunction)?;
        let top = u32::from(matches!(&call, Expr::FuncExpr(call) if call.returns_set));
        if self.set_returning.count - before > top {
            let message = "set-returning functions must appear at top level of FROM";
            return Err(error(sqlstate::FEATURE_NOT_SUPPORTED, message, self.set_returning.location));
        }
        Ok(call)
    }

    fn add_function(
        &mut self,
        calls: Vec<(Expr, String)>,
        ordinality: bool,
        alias: Option<&Alias>,
        lateral: bool,
    ) -> Result<NamespaceItem> {
        let name = match (alias, calls.first()) {
            (Some(alias), _) => alias.name.clone(),
            (None, Some((_, name))) => name.clone(),
            (None, None) => return Err(unexpected()),
        };
        let only = calls.len() == 1;
        let (mut functions, mut columns) = (Vec::with_capacity(calls.len()), Vec::new());
        for (mut call, function_name) in calls {
            let collation = self.assign_collations(&mut call)?;
            let own = self.function_columns(&call, collation, &function_name, alias.filter(|_| only))?;
            functions.push(FunctionColumns { call, columns: own.len() });
            columns.extend(own);
        }
        if ordinality {
            columns.push(Column {
                name: "ordinality".to_string(),
                ty: TypeRef::of(oid::INT8),
                collation: Collation::NONE,
            });
        }
        let columns = aliased_columns(columns, alias, &name)?;
        Ok(self.add_entry(RangeTableKind::Function { functions, ordinality }, name, alias, columns, lateral))
    }

    /// The columns of a function's result (`get_expr_result_type`).
    fn function_columns(
        &self,
        call: &Expr,
        collation: Collation,
        name: &str,
        alias: Option<&Alias>,
    ) -> Result<Vec<Column>> {
        let ty = call.ty();
        if let Some(columns) = self.row_columns(call) {
            return Ok(columns);
        }
        if ty.oid == oid::RECORD {
            let message = "a column definition list is required for functions returning \"record\"";
            return Err(error(sqlstate::SYNTAX_ERROR, message, call.location().0));
        }
        let pseudo = self.catalog().pg_type(ty.oid).is_some_and(|row| row.typtype == b'p');
        if pseudo && !matches!(ty.oid, oid::VOID | oid::CSTRING) {
            let message = format!("function \"{name}\" in FROM has unsupported return type {}", self.type_text(ty.oid));
            return Err(error(sqlstate::DATATYPE_MISMATCH, message, call.location().0));
        }
        let result = match call {
            Expr::FuncExpr(call) => self.result_name(call.function),
            _ => None,
        };
        let name = result.or_else(|| alias.map(|alias| alias.name.clone())).unwrap_or_else(|| name.to_string());
        Ok(vec![Column { name, ty, collation }])
    }
}

/// `unnest(a, b)` in FROM is `ROWS FROM (unnest(a), unnest(b))`.
fn is_unnest_of_many(call: &raw::FuncCall) -> bool {
    strings(&call.funcname) == ["unnest"]
        && call.args.len() > 1
        && call.agg_order.is_empty()
        && call.agg_filter.is_none()
        && call.over.is_none()
        && !call.agg_star
        && !call.agg_distinct
        && !call.func_variadic
}
