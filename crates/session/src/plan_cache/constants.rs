//! What PostgreSQL computes when it plans a statement: calls of constants alone. Where the constants of a query string have
//! become parameters, and a plan for any values runs it, they are computed before it runs: an error of theirs is raised
//! though no row asks for them.

use analyze::query::{Expr, ParamKind, Query, Walk, walk_query};
use catalog::Catalog;

use expression::{Execution, Folding, fold};
use types::Result;

/// The expressions of a query that have calls of parameters and constants alone, with a parameter among them.
pub fn with_calls_of_parameters(query: &Query) -> Vec<Expr> {
    let mut found = Vec::new();
    collect(query, &mut found);
    found
}

fn collect(query: &Query, found: &mut Vec<Expr>) {
    let mut each = |expr: &Expr| {
        if expr.contains(&mut is_call_of_parameters) {
            found.push(expr.clone());
        }
        collect_sublinks(expr, found);
        Walk::On
    };
    walk_query(query, &mut each, &mut |_| Walk::On);
    query.subqueries().for_each(|inner| collect(inner, found));
}

/// Those of the queries of an expression's sublinks.
fn collect_sublinks(expr: &Expr, found: &mut Vec<Expr>) {
    let mut child = |child: &Expr| {
        collect_sublinks(child, found);
        Walk::On
    };
    expr.walk(&mut child, &mut |_| Walk::On);
    let mut query = |query: &Query| {
        collect(query, found);
        Walk::On
    };
    expr.walk(&mut |_| Walk::On, &mut query);
}

fn is_call_of_parameters(expr: &Expr) -> bool {
    let calls = matches!(
        expr,
        Expr::FuncExpr(_) | Expr::OpExpr(_) | Expr::CoerceViaIo(_) | Expr::ArrayCoerce(_) | Expr::SubscriptingRef(_)
    );
    let is_parameter = |e: &Expr| matches!(e, Expr::Param(param) if param.kind == ParamKind::External);
    calls
        && leaves(expr, &mut |leaf| is_parameter(leaf) || matches!(leaf, Expr::Const(_)))
        && expr.contains(&mut { is_parameter })
}

/// Are all that have nothing below them such ones?
fn leaves(expr: &Expr, is: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut is_leaf = true;
    let below = expr.walk(
        &mut |child| {
            is_leaf = false;
            if leaves(child, is) { Walk::On } else { Walk::Stop }
        },
        &mut |_| Walk::Stop,
    );
    below == Walk::On && (!is_leaf || is(expr))
}

/// Computes what can be computed of them. Fails as that fails.
pub fn compute(exprs: &[Expr], catalog: Catalog<'_>, execution: &Execution) -> Result<()> {
    let folding = Folding { catalog, execution, bound: true, estimate: false };
    exprs.iter().try_for_each(|expr| fold(expr.clone(), &folding).map(drop))
}
