//! `SELECT unnest(a), generate_subscripts(a, 1)`: functions that give rows, as whole entries of a select list. They go side by
//! side; the shorter ones end in NULLs. `information_schema._pg_expandarray` gives elements and their numbers.

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    AccessExpr, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, Ident, Select, SelectItem,
};

use crate::ddl::ident;
use crate::rewrite::{calls, gives_no_row};

/// Makes them what DataFusion unnests.
pub fn replace(select: &mut Select) {
    // Beside groups and aggregates it is another matter; there they stay and are refused.
    let grouped = !matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    let aggregates = select.projection.iter().any(|item| {
        crate::outside::visit(item, |expr| match expr {
            Expr::Function(function) if row_maker(function).is_none() && gives_no_row(function) => {
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        })
        .is_break()
    });
    if grouped || aggregates || select.having.is_some() || select.distinct.is_some() {
        return;
    }
    for item in &mut select.projection {
        let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = &mut *item else { continue };
        let Some((name, list)) = rows(expr) else { continue };
        *expr = calls("unnest", vec![list]);
        if let SelectItem::UnnamedExpr(expr) = item {
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias: Ident::with_quote('"', name) };
        }
    }
}

/// Is it what [`replace`] has made?
pub fn is_list(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    let [FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Function(inner)))] = list.args.as_slice() else {
        return false;
    };
    inner.name.0.last().and_then(|part| part.as_ident()).is_some_and(|name| LISTS.contains(&&*name.value))
}

const FLAT: &str = "pg_flat";
const SUBSCRIPTS: &str = "pg_subscripts";
const ORDINALS: &str = "pg_ordinals";
const EXPANDED: &str = "pg_expanded";
const ANCESTORS: &str = "pg_ancestors";
const LISTS: [&str; 5] = [FLAT, SUBSCRIPTS, ORDINALS, EXPANDED, ANCESTORS];

/// The name of an entry that gives rows, and the list of them.
fn rows(expr: &Expr) -> Option<(String, Expr)> {
    match expr {
        Expr::Nested(inner) => rows(inner),
        Expr::Function(function) => row_maker(function),
        // `(information_schema._pg_expandarray(a)).n`
        Expr::CompoundFieldAccess { root, access_chain } => {
            let [AccessExpr::Dot(Expr::Identifier(field))] = access_chain.as_slice() else { return None };
            let (Expr::Nested(root), field) = (&**root, ident(field)) else { return None };
            let Expr::Function(function) = &**root else { return None };
            let array = expanded(function)?;
            match field.as_str() {
                "x" => Some((field, calls(FLAT, vec![array]))),
                "n" => Some((field, calls(ORDINALS, vec![array]))),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The array that `information_schema._pg_expandarray` is called with.
fn expanded(function: &Function) -> Option<Expr> {
    let [schema, name] = function.name.0.as_slice() else { return None };
    let (schema, name) = (ident(schema.as_ident()?), ident(name.as_ident()?));
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.as_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(array))]
            if schema == "information_schema" && name == "_pg_expandarray" =>
        {
            Some(array.clone())
        }
        _ => None,
    }
}

/// The name of a function that gives rows, and the list of them.
fn row_maker(function: &Function) -> Option<(String, Expr)> {
    if function.over.is_some() || function.filter.is_some() {
        return None;
    }
    if let Some(array) = expanded(function) {
        return Some(("_pg_expandarray".into(), calls(EXPANDED, vec![array])));
    }
    let name = function.name.0.last().and_then(|part| part.as_ident()).map(ident)?;
    let FunctionArguments::List(list) = &function.args else { return None };
    let argument = |at: usize| match list.args.get(at) {
        Some(FunctionArg::Unnamed(FunctionArgExpr::Expr(expr))) => Some(expr.clone()),
        _ => None,
    };
    let made = match (name.as_str(), list.args.len()) {
        ("unnest", 1) => calls(FLAT, vec![argument(0)?]),
        ("generate_subscripts", 2) => calls(SUBSCRIPTS, vec![argument(0)?, argument(1)?]),
        // No table here is a partition.
        ("pg_partition_ancestors", 1) => calls(ANCESTORS, vec![argument(0)?]),
        _ => return None,
    };
    Some((name, made))
}
