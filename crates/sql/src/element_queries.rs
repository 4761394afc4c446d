//! `ARRAY(SELECT 'toast.' || x FROM unnest(c.reloptions) AS x)`: what a query computes of the elements of an array beside
//! it is computed element by element (DataFusion joins no rows to a function of them).

use std::ops::ControlFlow;

use datafusion::sql::sqlparser::ast::{
    self, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, LambdaFunction,
    LambdaFunctionParameter, LambdaSyntax, OneOrManyWithParens, Query, Select, SelectItem, SetExpr, TableAlias,
    TableFactor,
};

use crate::ddl::ident;
use crate::rewrite::{call, calls};

/// The array that such a query gives.
pub fn replacement(expr: &Expr) -> Option<Expr> {
    let Expr::Function(function) = expr else { return None };
    let FunctionArguments::Subquery(query) = &function.args else { return None };
    if function.name.0.last().and_then(|part| part.as_ident()).map(ident).as_deref() != Some("array") {
        return None;
    }
    let (element, array, variable) = parts(query)?;
    let flat = call("pg_flat", array.clone());
    let same = matches!(element, Expr::Identifier(name) if ident(name) == ident(variable));
    let made = match same {
        true => flat,
        false => {
            let parameter = LambdaFunctionParameter { name: variable.clone(), data_type: None };
            let lambda = Expr::Lambda(LambdaFunction {
                params: OneOrManyWithParens::One(parameter),
                body: Box::new(element.clone()),
                syntax: LambdaSyntax::Arrow,
            });
            calls("array_transform", vec![flat, lambda])
        }
    };
    Some(call("pg_array_or_empty", made))
}

/// What is computed, of which array's elements, and the name that they have there.
fn parts(query: &Query) -> Option<(&Expr, &Expr, &Ident)> {
    let Query { with: None, body, order_by: None, limit_clause: None, fetch: None, .. } = query else { return None };
    let SetExpr::Select(select) = &**body else { return None };
    let Select { distinct: None, top: None, selection: None, having: None, projection, from, .. } = &**select else {
        return None;
    };
    let ast::GroupByExpr::Expressions(keys, _) = &select.group_by else { return None };
    let ([item], [from], true) = (projection.as_slice(), from.as_slice(), keys.is_empty()) else { return None };
    let (SelectItem::UnnamedExpr(element) | SelectItem::ExprWithAlias { expr: element, .. }) = item else {
        return None;
    };
    let (array, alias) = unnested(&from.relation).filter(|_| from.joins.is_empty())?;
    let variable = alias.columns.first().map_or(&alias.name, |column| &column.name);
    // Of a constant array DataFusion makes rows itself.
    let outer = matches!(array, Expr::Identifier(_) | Expr::CompoundIdentifier(_));
    let only_variable = ast::visit_expressions(element, |inner| match inner {
        Expr::Identifier(name) if ident(name) != ident(variable) => ControlFlow::Break(()),
        Expr::CompoundIdentifier(_) | Expr::Function(_) | Expr::Subquery(_) | Expr::Exists { .. } => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    });
    (outer && only_variable.is_continue()).then_some((element, array, variable))
}

fn unnested(factor: &TableFactor) -> Option<(&Expr, &TableAlias)> {
    match factor {
        TableFactor::Table { name, args: Some(args), alias: Some(alias), with_ordinality: false, .. } => {
            let function = name.0.last().and_then(|part| part.as_ident()).map(ident);
            match args.args.as_slice() {
                [FunctionArg::Unnamed(FunctionArgExpr::Expr(array))] if function.as_deref() == Some("unnest") => {
                    Some((array, alias))
                }
                _ => None,
            }
        }
        TableFactor::UNNEST { array_exprs, alias: Some(alias), with_offset: false, with_ordinality: false, .. } => {
            match array_exprs.as_slice() {
                [array] => Some((array, alias)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Is it the call that [`replacement`] makes? Nobody else can write one.
pub fn is_lambda_call(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    list.args.iter().any(|argument| matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Expr(Expr::Lambda(_)))))
}
