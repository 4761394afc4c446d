//! Whether an expression could tell of the rows it is computed for (`contain_leaked_vars`): a function that is not leakproof
//! may fail, or say what it was given, for a row that the user must not see.

use analyze::query::*;
use catalog::Catalog;
use types::Oid;

use super::contain::{calls, contain_var_clause};
use crate::compile::ROOM;

/// A function is leakproof: it tells nothing of its arguments but its result.
pub fn function_is_leakproof(catalog: Catalog<'_>, function: Oid) -> bool {
    catalog.function(function).is_some_and(|row| row.proleakproof)
}

/// Could the expression tell of values of columns? What is not known to be harmless could.
pub fn contain_leaked_vars(catalog: Catalog<'_>, expr: &Expr) -> bool {
    let leaks = match expr {
        // Leaves, and nodes that call nothing.
        Expr::Var(_)
        | Expr::Const(_)
        | Expr::Param(_)
        | Expr::CaseTest(_)
        | Expr::RelabelType(_)
        | Expr::BoolExpr(_)
        | Expr::NullTest(_)
        | Expr::BooleanTest(_)
        | Expr::Case(_)
        | Expr::Array(_)
        | Expr::Row(_)
        | Expr::FieldSelect(_)
        | Expr::FieldStore(_)
        | Expr::SubscriptingRef(_)
        | Expr::SqlValue(_)
        | Expr::NextValue { .. } => false,
        Expr::FuncExpr(_)
        | Expr::OpExpr(_)
        | Expr::DistinctExpr(_)
        | Expr::NullIfExpr(_)
        | Expr::ScalarArrayOpExpr(_)
        | Expr::CoerceViaIo(_)
        | Expr::RowCompare(_) => {
            calls(catalog, expr, |function| !function_is_leakproof(catalog, function)) && contain_var_clause(expr)
        }
        other => contain_var_clause(other),
    };
    let stop = |found: bool| if found { Walk::Stop } else { Walk::On };
    leaks
        || syntax::with_stack_for(ROOM, || {
            let mut each = |child: &Expr| stop(contain_leaked_vars(catalog, child));
            expr.walk(&mut each, &mut |_| Walk::On) == Walk::Stop
        })
}
