//! Changing columns in trees (PostgreSQL's `rewriteManip.c`).

use std::cell::RefCell;

use types::{Datum, Oid, oid};

use crate::query::*;

/// Calls `each` for an expression and all in it, subqueries too, with the number of queries that it is further in. What
/// `each` says is done with is not looked into.
pub(super) fn visit_mut(expr: &mut Expr, depth: u32, each: &mut dyn FnMut(&mut Expr, u32) -> Done) {
    if each(expr, depth) == Done::Yes {
        return;
    }
    let each = RefCell::new(each);
    expr.mutate(&mut |child| visit_mut(child, depth, &mut **each.borrow_mut()), &mut |query| {
        visit_query_mut(query, depth + 1, &mut **each.borrow_mut())
    });
}

/// As [`visit_mut`], for all of a query.
pub(super) fn visit_query_mut(query: &mut Query, depth: u32, each: &mut dyn FnMut(&mut Expr, u32) -> Done) {
    let each = RefCell::new(each);
    mutate_query(query, &mut |expr| visit_mut(expr, depth, &mut **each.borrow_mut()), &mut |inner| {
        visit_query_mut(inner, depth + 1, &mut **each.borrow_mut())
    });
}

/// Whether a node and all in it have been seen to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Done {
    Yes,
    No,
}

/// Moves an expression so many queries further in (`IncrementVarSublevelsUp`).
pub(super) fn increment_levels(expr: &mut Expr, by: u32) {
    if by == 0 {
        return;
    }
    visit_mut(expr, 0, &mut |e, depth| {
        let levels = match e {
            Expr::Var(var) => &mut var.levels_up,
            Expr::Aggref(aggregate) => &mut aggregate.levels_up,
            Expr::GroupingFunc(grouping) => &mut grouping.levels_up,
            _ => return Done::No,
        };
        if *levels >= depth {
            *levels += by;
        }
        Done::No
    });
}

/// Another number for an entry in an expression over it (`ChangeVarNodes`).
pub(super) fn change_relation(expr: &mut Expr, from: RangeTableIndex, to: RangeTableIndex) {
    visit_mut(expr, 0, &mut |e, depth| {
        if let Expr::Var(var) = e
            && var.relation == from
            && var.levels_up == depth
        {
            var.relation = to;
        }
        Done::No
    });
}

/// Says for which role the relations in an expression's queries are read (`setRuleCheckAsUser`).
pub(super) fn set_check_as(expr: &mut Expr, role: Option<Oid>) {
    expr.mutate(&mut |child| set_check_as(child, role), &mut |query| set_check_as_in_query(query, role));
}

/// The same for all relations of a query.
pub(super) fn set_check_as_in_query(query: &mut Query, role: Option<Oid>) {
    query.range_table.iter_mut().for_each(|entry| entry.check_as = role);
    mutate_query(query, &mut |expr| set_check_as(expr, role), &mut |inner| set_check_as_in_query(inner, role));
}

/// What is computed from a row is NULL where there is none (`ReturningExpr`).
fn null_without_row(expr: &mut Expr, row: RangeTableIndex) {
    const TABLE_OID: i16 = -6;
    if matches!(expr, Expr::Var(_)) {
        return;
    }
    let (location, result) = (Location::NONE, expr.ty());
    let table = Var {
        relation: row,
        attribute: TABLE_OID,
        ty: TypeRef::of(oid::OID),
        collation: Collation::NONE,
        levels_up: 0,
        location,
    };
    let there = NullTest { argument: Expr::Var(table), is_null: false, row: false, location };
    let value = std::mem::replace(expr, Expr::MergeAction);
    let when = vec![CaseWhen { condition: Expr::NullTest(Box::new(there)), result: value }];
    let null = Expr::Const(Const { ty: result, value: Datum::Null, location });
    *expr = Expr::Case(Box::new(CaseExpr { result, argument: None, when, otherwise: Some(null), location }));
}

/// Puts expressions in the places of an entry's columns (`ReplaceVarsFromTargetList`).
pub(super) struct Replacement<'q> {
    pub relation: RangeTableIndex,
    /// By the columns' numbers, from 1.
    pub columns: &'q [TargetEntry],
    /// There may be no row: it is NULL then, and so is what is computed from it.
    pub may_lack: bool,
}

impl Replacement<'_> {
    pub fn in_query(&self, query: &mut Query) {
        visit_query_mut(query, 0, &mut |e, depth| self.replace(e, depth));
    }

    fn replace(&self, expr: &mut Expr, depth: u32) -> Done {
        let Expr::Var(var) = expr else { return Done::No };
        if var.relation != self.relation || var.levels_up != depth {
            return Done::No;
        }
        let column = |attribute: i16| {
            let found = self.columns.iter().find(|target| target.number == attribute && !target.junk);
            found.map(|target| target.expr.clone())
        };
        let new = match var.attribute {
            // The whole row: its columns.
            0 => {
                let fields = self.columns.iter().filter(|target| !target.junk).map(|target| target.number);
                let names = self.columns.iter().filter(|target| !target.junk).map(|target| target.name.clone());
                let (ty, location) = (var.ty.oid, var.location);
                let fields = fields.filter_map(column).collect();
                Some(Expr::Row(RowExpr { names: names.collect(), fields, ty, location }))
            }
            attribute => column(attribute),
        };
        if let Some(mut new) = new {
            if self.may_lack {
                null_without_row(&mut new, self.relation);
            }
            increment_levels(&mut new, depth);
            *expr = new;
        }
        Done::Yes
    }
}
