//! Whether the role that a statement is run for may call the functions in its expressions (`ExecInitFunc`).

use analyze::query::*;
use catalog::Catalog;
use types::{Oid, Result};

use crate::compile::ROOM;

/// The function that a node calls and that is asked about: comparisons that go by an operator class are not.
pub(crate) fn called_function(expr: &Expr) -> Option<Oid> {
    match expr {
        Expr::FuncExpr(call) => Some(call.function),
        Expr::OpExpr(call) | Expr::DistinctExpr(call) | Expr::NullIfExpr(call) => Some(call.function),
        Expr::ScalarArrayOpExpr(call) => Some(call.function),
        _ => None,
    }
}

/// Fails with 42501 for the first function in an expression, but for subqueries, that may not be called.
pub fn require_execute(catalog: Catalog<'_>, expr: &Expr) -> Result<()> {
    called_function(expr).map_or(Ok(()), |function| catalog.require_execute(function))?;
    let mut asked = Ok(());
    let mut child = |child: &Expr| {
        asked = require_execute(catalog, child);
        if asked.is_err() { Walk::Stop } else { Walk::On }
    };
    syntax::with_stack_for(ROOM, || expr.walk(&mut child, &mut |_| Walk::On));
    asked
}
