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
    let mut below = Vec::new();
    let mut each = |expr: &Expr| {
        if expr.contains(&mut is_call_of_parameters) {
            found.push(expr.clone());
        }
        collect_below(expr, &mut below);
        Walk::On
    };
    let mut subqueries = Vec::new();
    walk_query(query, &mut each, &mut |inner| {
        subqueries.push(inner.clone());
        Walk::On
    });
    below.iter().chain(&subqueries).for_each(|inner| collect(inner, found));
}

/// The queries of an expression's sublinks.
fn collect_below(expr: &Expr, below: &mut Vec<Query>) {
    let mut inside = Vec::new();
    expr.walk(
        &mut |child| {
            collect_below(child, &mut inside);
            Walk::On
        },
        &mut |query| {
            below.push(query.clone());
            Walk::On
        },
    );
    below.append(&mut inside);
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
