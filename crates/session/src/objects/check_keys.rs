//! The columns that CHECK constraints are about (`pg_constraint.conkey`), which only analysis of their conditions tells.

use analyze::query::{Expr, Walk};
use analyze::rewrite::stored::check_condition;
use catalog::catalogs::PgConstraint;
use catalog::{Catalog, Objects, PG_CATALOG, PUBLIC};
use types::Context;

/// The constraints, with the columns of checks. `others` are all other objects.
pub fn filled(mut constraints: Vec<PgConstraint>, others: &Objects) -> Vec<PgConstraint> {
    let catalog = Catalog { search_path: &[PG_CATALOG, PUBLIC], objects: Some(others) };
    let context = Context::default();
    for check in constraints.iter_mut().filter(|constraint| constraint.contype == b'c') {
        let condition = check.conbin.as_deref().unwrap_or_default();
        // One that cannot be read says so where it is used.
        let Ok(condition) = check_condition(catalog, &context, check.conrelid, condition) else { continue };
        let mut columns = Vec::new();
        add_columns(&condition, &mut columns);
        columns.sort_unstable();
        columns.dedup();
        check.conkey = (!columns.is_empty()).then(|| columns.into());
    }
    constraints
}

fn add_columns(expr: &Expr, found: &mut Vec<i16>) {
    if let Expr::Var(var) = expr {
        found.extend((var.attribute > 0).then_some(var.attribute));
    }
    expr.walk(
        &mut |child| {
            add_columns(child, found);
            Walk::On
        },
        &mut |_| Walk::On,
    );
}
