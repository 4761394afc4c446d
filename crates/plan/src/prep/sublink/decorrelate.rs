//! `x < (SELECT avg(y) FROM b WHERE b.k = a.k)` as a join with `SELECT avg(y), k FROM b GROUP BY k`. PostgreSQL asks the
//! subquery for each row, whatever that costs; here it is done so where no index answers `b.k = …`, and where nothing can
//! fail for the values of `k` that no row of `a` has.
//!
//! Rows without a group are lost by the join: in their place would be NULL, and the comparison is strict.

use analyze::query::*;
use expression::clauses::{contain_nonstrict_functions, function_is_strict, query_contains_volatile_functions};
use types::Oid;

use crate::manip::*;
use crate::path::clauses::strip_relabel;
use crate::planner_info::Planner;
use crate::prep::failing::query_may_fail;
use crate::prep::qual;
use crate::prep::sublink::simplify::equality_with_outer;
use crate::relids::Relids;

/// Aggregates of no row that are NULL.
const NULL_OF_NOTHING: &[&str] = &[
    "sum",
    "avg",
    "min",
    "max",
    "stddev",
    "stddev_pop",
    "stddev_samp",
    "variance",
    "var_pop",
    "var_samp",
    "bool_and",
    "bool_or",
    "every",
    "bit_and",
    "bit_or",
    "bit_xor",
];

/// A condition whose sublink became a member of FROM.
pub struct Joined {
    pub relation: RangeTableIndex,
    /// Which rows of it belong to a row.
    pub equalities: Vec<Expr>,
}

/// Puts a column of a new entry in the place of a sublink in a condition that has to be true, if it can be.
pub fn decorrelate(planner: &Planner, query: &mut Query, condition: &mut Expr, available: &Relids) -> Option<Joined> {
    let place = strict_sublink(planner, condition)?;
    let Expr::SubLink(link) = &*place else {
        return None;
    };
    let (grouped, equal) = grouped(planner, &link.query)?;
    if !equal.iter().all(|equal| relations_of(&equal.outer).is_subset(available)) {
        return None;
    }
    let relation = RangeTableIndex(query.range_table.len() as u32 + 1);
    let columns = grouped.visible_columns();
    let equalities = equal.into_iter().zip(columns.iter().enumerate().skip(1)).map(|(equal, (index, column))| {
        Expr::OpExpr(OpExpr {
            operator: equal.operator,
            function: equal.function,
            result: types::oid::BOOL,
            collation: types::oid::INVALID,
            arguments: vec![equal.outer, Expr::Var(make_var(relation, index as i16 + 1, column.ty))],
            location: Location::NONE,
        })
    });
    let equalities = equalities.collect();
    *place = Expr::Var(make_var(relation, 1, link.result));
    query.range_table.push(RangeTableEntry {
        kind: RangeTableKind::Subquery(Box::new(grouped)),
        name: "grouped".to_string(),
        aliased: true,
        columns: columns.into(),
        aliased_columns: 0,
        lateral: false,
        in_from: true,
        ..Default::default()
    });
    Some(Joined { relation, equalities })
}

/// A scalar subquery that makes the condition NULL when it is NULL.
fn strict_sublink<'e>(planner: &Planner, expr: &'e mut Expr) -> Option<&'e mut Expr> {
    if matches!(expr, Expr::SubLink(link) if link.kind == SubLinkKind::Scalar) {
        return Some(expr);
    }
    let catalog = planner.catalog;
    match expr {
        Expr::OpExpr(op) if function_is_strict(catalog, op.function) => {
            op.arguments.iter_mut().find_map(|argument| strict_sublink(planner, argument))
        }
        Expr::FuncExpr(call) if !call.returns_set && function_is_strict(catalog, call.function) => {
            call.arguments.iter_mut().find_map(|argument| strict_sublink(planner, argument))
        }
        Expr::RelabelType(relabel) => strict_sublink(planner, &mut relabel.argument),
        _ => None,
    }
}

/// `outer = inner`.
struct Equal {
    operator: Oid,
    function: Oid,
    outer: Expr,
}

/// The subquery for all rows at once, its value first, then what its rows are compared with.
fn grouped(planner: &Planner, query: &Query) -> Option<(Query, Vec<Equal>)> {
    if !is_one_aggregate(planner, query) || query_may_fail(planner.catalog, query) {
        return None;
    }
    let mut query = query.clone();
    let condition = query.join_tree.condition.take()?;
    if query_has_level(&query, 1) {
        return None;
    }
    let (mut rest, mut equal) = (Vec::new(), Vec::new());
    for part in and_list(qual::canonicalize(condition)) {
        match equality_with_outer(planner, &part) {
            Some((operator, function, outer, inner)) => {
                if has_index(planner, &query, inner) {
                    return None;
                }
                let clause = group_clause(planner, operator, inner, equal.len() as u32 + 1)?;
                let number = equal.len() as i16 + 2;
                query.targets.push(TargetEntry {
                    reference: clause.reference,
                    ..TargetEntry::new(inner.clone(), number, format!("key{number}"))
                });
                query.group_clause.push(clause);
                let mut outer = outer.clone();
                increment_levels(&mut outer, -1, 1);
                equal.push(Equal { operator, function, outer });
            }
            None if has_level(&part, 1) => return None,
            None => rest.push(part),
        }
    }
    query.join_tree.condition = make_and(rest);
    (!equal.is_empty()).then_some((query, equal))
}

/// A query of one row with one value, which is NULL where there are no rows.
fn is_one_aggregate(planner: &Planner, query: &Query) -> bool {
    let plain = query.command == CommandType::Select
        && query.has_aggregates
        && !query.has_window_functions
        && query.group_clause.is_empty()
        && query.grouping_sets.is_empty()
        && query.having.is_none()
        && query.distinct == Distinct::None
        && query.sort_clause.is_empty()
        && query.limit.is_none()
        && query.offset.is_none()
        && query.set_operations.is_none()
        && query.row_marks.is_empty()
        && query.ctes.is_empty();
    let [target] = &query.targets[..] else {
        return false;
    };
    // What is computed of the aggregates is NULL when they are: strict but for them.
    let mut aggregates = Vec::new();
    let mut around = target.expr.clone();
    let mut gather = |e: &mut Expr, depth: u32| {
        if let Expr::Aggref(aggregate) = e
            && depth == 0
        {
            aggregates.push(aggregate.function);
            let column = make_var(RangeTableIndex(1), 1, aggregate.result);
            *e = Expr::Var(column);
            return false;
        }
        true
    };
    mutate(&mut gather, &mut around, 0);
    let catalog = planner.catalog;
    let null_of_nothing =
        |function: &Oid| catalog.function(*function).is_some_and(|row| NULL_OF_NOTHING.contains(&&*row.proname));
    plain
        && !aggregates.is_empty()
        && aggregates.iter().all(null_of_nothing)
        && !target.expr.returns_set()
        && !contain_nonstrict_functions(catalog, &around)
        && !query_contains_volatile_functions(catalog, query)
}

/// Is there an index by which the rows for one value are found?
fn has_index(planner: &Planner, query: &Query, inner: &Expr) -> bool {
    let Expr::Var(var) = strip_relabel(inner) else {
        return false;
    };
    match query.entry(var.relation).kind {
        RangeTableKind::Relation { oid, .. } => planner
            .catalog
            .indexes_of_relation(oid)
            .any(|index| index.indisvalid && index.indkey.first() == Some(&var.attribute)),
        // It is not known what it is made of.
        _ => true,
    }
}

/// Groups by what the comparison takes for equal.
fn group_clause(planner: &Planner, operator: Oid, inner: &Expr, reference: u32) -> Option<SortGroupClause> {
    let catalog = planner.catalog;
    let operators = catalog.sort_group_operators(inner.ty().oid, false, true).ok()?;
    let equality = operators.equal?;
    let families = catalog.mergejoin_opfamilies(equality);
    let same = catalog.mergejoin_opfamilies(operator).iter().any(|family| families.contains(family));
    let sort = operators.less.unwrap_or(types::oid::INVALID);
    same.then_some(SortGroupClause { reference, equality, sort, nulls_first: false, hashable: operators.hashable })
}
