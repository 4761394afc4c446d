//! What may not be NULL where a condition holds: by this outer joins become inner ones.

use std::collections::BTreeSet;

use analyze::query::*;
use catalog::Catalog;

use super::contain::{function_is_strict, is_strict_scalar_array};
use crate::compile::ROOM;

/// A column of this query: its entry and attribute.
pub type Column = (RangeTableIndex, i16);

/// The entries whose rows cannot be all NULL where a condition holds.
pub fn find_nonnullable_rels(catalog: Catalog<'_>, condition: &Expr) -> BTreeSet<RangeTableIndex> {
    let finder = Finder { catalog, through_text: true, of: |var: &Var| var.relation };
    finder.find(condition, true)
}

/// As [`find_nonnullable_rels`], of a list of conditions that all hold.
pub fn find_nonnullable_rels_of_all(catalog: Catalog<'_>, conditions: &[Expr]) -> BTreeSet<RangeTableIndex> {
    conditions.iter().flat_map(|condition| find_nonnullable_rels(catalog, condition)).collect()
}

/// The columns that cannot be NULL where a condition holds.
pub fn find_nonnullable_vars(catalog: Catalog<'_>, condition: &Expr) -> BTreeSet<Column> {
    let finder = Finder { catalog, through_text: false, of: |var: &Var| (var.relation, var.attribute) };
    finder.find(condition, true)
}

/// As [`find_nonnullable_vars`], of a list of conditions that all hold.
pub fn find_nonnullable_vars_of_all(catalog: Catalog<'_>, conditions: &[Expr]) -> BTreeSet<Column> {
    conditions.iter().flat_map(|condition| find_nonnullable_vars(catalog, condition)).collect()
}

/// The columns that must be NULL where a condition holds.
pub fn find_forced_null_vars(condition: &Expr) -> BTreeSet<Column> {
    match condition {
        Expr::BoolExpr(e) if e.operator == BoolOperator::And => {
            syntax::with_stack_for(ROOM, || e.arguments.iter().flat_map(find_forced_null_vars).collect())
        }
        _ => find_forced_null_var(condition).map(|var| (var.relation, var.attribute)).into_iter().collect(),
    }
}

/// The column of `column IS NULL`.
pub fn find_forced_null_var(condition: &Expr) -> Option<&Var> {
    let argument = match condition {
        Expr::NullTest(e) if e.is_null && !e.row => &e.argument,
        Expr::BooleanTest(e) if e.kind == BooleanTestKind::IsUnknown => &e.argument,
        _ => return None,
    };
    match argument {
        Expr::Var(var) if var.levels_up == 0 => Some(var),
        _ => None,
    }
}

struct Finder<'a, T> {
    catalog: Catalog<'a>,
    /// A conversion through text is as good as its argument at the top level.
    through_text: bool,
    of: fn(&Var) -> T,
}

impl<T: Ord + Clone> Finder<'_, T> {
    /// What cannot be NULL where an expression is true (at the `top`), or where it is not NULL.
    fn find(&self, expr: &Expr, top: bool) -> BTreeSet<T> {
        syntax::with_stack_for(ROOM, || self.find_in(expr, top))
    }

    fn find_in(&self, expr: &Expr, top: bool) -> BTreeSet<T> {
        match expr {
            Expr::Var(var) if var.levels_up == 0 => BTreeSet::from([(self.of)(var)]),
            Expr::FuncExpr(e) if function_is_strict(self.catalog, e.function) => self.union(&e.arguments, false),
            Expr::OpExpr(e) if function_is_strict(self.catalog, e.function) => self.union(&e.arguments, false),
            Expr::ScalarArrayOpExpr(e) if is_strict_scalar_array(self.catalog, e, top) => {
                let mut found = self.find(&e.scalar, false);
                found.extend(self.find(&e.array, false));
                found
            }
            Expr::BoolExpr(e) => match e.operator {
                BoolOperator::And if top => self.union(&e.arguments, true),
                // Below the top level an AND is NULL or false for other reasons too.
                BoolOperator::And | BoolOperator::Or => self.intersection(&e.arguments, top),
                BoolOperator::Not => self.union(&e.arguments, false),
            },
            Expr::RelabelType(e) => self.find(&e.argument, top),
            Expr::CoerceViaIo(e) => self.find(&e.argument, top && self.through_text),
            Expr::ArrayCoerce(e) => self.find(&e.argument, top),
            Expr::NullTest(e) if top && !e.is_null && !e.row => self.find(&e.argument, false),
            Expr::BooleanTest(e) if top => match e.kind {
                BooleanTestKind::IsTrue | BooleanTestKind::IsFalse | BooleanTestKind::IsNotUnknown => {
                    self.find(&e.argument, false)
                }
                _ => BTreeSet::new(),
            },
            Expr::SubPlan(e) if (top && e.kind == SubLinkKind::Any) || e.kind == SubLinkKind::RowCompare => {
                e.test.as_ref().map_or_else(BTreeSet::new, |test| self.find(test, top))
            }
            _ => BTreeSet::new(),
        }
    }

    fn union(&self, exprs: &[Expr], top: bool) -> BTreeSet<T> {
        exprs.iter().flat_map(|expr| self.find(expr, top)).collect()
    }

    fn intersection(&self, exprs: &[Expr], top: bool) -> BTreeSet<T> {
        let mut found: Option<BTreeSet<T>> = None;
        for expr in exprs {
            let these = self.find(expr, top);
            let both = match found {
                None => these,
                Some(found) => found.intersection(&these).cloned().collect(),
            };
            if both.is_empty() {
                return both;
            }
            found = Some(both);
        }
        found.unwrap_or_default()
    }
}
