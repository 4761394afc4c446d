//! `min(x)` and `max(x)` as the first row of an index: PostgreSQL's `planagg.c`. The aggregate becomes
//! `(SELECT x FROM … WHERE x IS NOT NULL ORDER BY x LIMIT 1)`; the cheaper of both queries is taken.

use access::index::Method;
use analyze::query::*;
use expression::clauses::contain_mutable_functions;
use types::{Datum, Oid, oid};

use crate::manip::*;
use crate::path::clauses::strip_relabel;
use crate::planner_info::Planner;

/// The same query over such subqueries, if it is one of minima and maxima of a table only, and an index might help.
pub fn by_index(planner: &Planner, query: &Query) -> Option<Query> {
    if !is_candidate(query) {
        return None;
    }
    let [JoinTree::Relation(relation)] = query.join_tree.from[..] else {
        return None;
    };
    let RangeTableKind::Relation { oid: table, sample: None, .. } = query.entry(relation).kind else {
        return None;
    };
    let mut fits = true;
    let exprs = query.targets.iter().map(|target| &target.expr).chain(&query.having);
    for expr in exprs {
        let mut each = |e: &Expr, depth: u32| {
            if let Expr::Aggref(aggregate) = e
                && aggregate.levels_up == depth
            {
                fits &= depth == 0
                    && order_of(planner, aggregate).is_some()
                    && is_indexed(planner, table, &aggregate.arguments[0]);
            }
            fits
        };
        visit(&mut each, expr, 0);
    }
    fits.then(|| over_subqueries(planner, query))
}

fn is_candidate(query: &Query) -> bool {
    query.command == CommandType::Select
        && query.has_aggregates
        && !query.has_window_functions
        && query.group_clause.is_empty()
        && query.grouping_sets.is_empty()
        && query.set_operations.is_none()
        && query.ctes.is_empty()
        && query.row_marks.is_empty()
}

/// The operator that sorts what the aggregate wants to the front.
fn order_of(planner: &Planner, aggregate: &Aggref) -> Option<Oid> {
    let operator = planner.catalog.aggregate(aggregate.function)?.aggsortop;
    let [argument] = &aggregate.arguments[..] else {
        return None;
    };
    let plain = operator != oid::INVALID
        && aggregate.order.is_empty()
        && aggregate.filter.is_none()
        && !has_sublinks(argument)
        && !contain_mutable_functions(planner.catalog, argument);
    plain.then_some(operator)
}

/// Is it a part of some index's key?
fn is_indexed(planner: &Planner, table: Oid, argument: &Expr) -> bool {
    let attribute = match strip_relabel(argument) {
        Expr::Var(var) => var.attribute,
        _ => 0,
    };
    let catalog = planner.catalog;
    catalog.indexes_of_relation(table).any(|index| {
        let keys = index.indkey.iter().take(index.indnkeyatts as usize);
        let method = || Method::of(catalog.relation(index.indexrelid)?.relam);
        let ordered = || method().is_some_and(|method| method.capabilities().can_order);
        index.indisvalid && keys.into_iter().any(|key| *key == attribute) && ordered()
    })
}

fn over_subqueries(planner: &Planner, query: &Query) -> Query {
    let mut above = query.clone();
    let mut base = Query::new(CommandType::Select);
    base.range_table = std::mem::take(&mut above.range_table);
    base.join_tree = std::mem::take(&mut above.join_tree);
    base.has_sublinks = above.has_sublinks;
    increment_levels_in_query(&mut base, 1, 1);
    let mut replace = |expr: &mut Expr, depth: u32| {
        if let Expr::Aggref(aggregate) = expr
            && aggregate.levels_up == depth
            && let Some(operator) = order_of(planner, aggregate)
        {
            let mut argument = aggregate.arguments.swap_remove(0);
            increment_levels(&mut argument, 1, 1);
            let first = first_row(planner, base.clone(), argument, operator);
            *expr = Expr::SubLink(Box::new(SubLink {
                kind: SubLinkKind::Scalar,
                test: None,
                operator_name: String::new(),
                query: first,
                result: aggregate.result,
                location: aggregate.location,
            }));
            return false;
        }
        true
    };
    for target in &mut above.targets {
        mutate(&mut replace, &mut target.expr, 0);
    }
    if let Some(mut having) = above.having.take() {
        mutate(&mut replace, &mut having, 0);
        above.join_tree.condition = Some(having);
    }
    above.has_aggregates = false;
    above.has_sublinks = true;
    above
}

/// `SELECT argument FROM … WHERE … AND argument IS NOT NULL ORDER BY argument USING operator LIMIT 1`.
fn first_row(planner: &Planner, mut base: Query, argument: Expr, operator: Oid) -> Query {
    let catalog = planner.catalog;
    let is_null = NullTest { argument: argument.clone(), is_null: false, row: false, location: Location::NONE };
    let condition = base.join_tree.condition.take();
    base.join_tree.condition = and(condition, Some(Expr::NullTest(Box::new(is_null))));
    base.targets = vec![TargetEntry { reference: 1, ..TargetEntry::new(argument, 1, "min_max".to_string()) }];
    base.sort_clause = vec![SortGroupClause {
        reference: 1,
        equality: catalog.equality_of_ordering(operator).unwrap_or(oid::INVALID),
        sort: operator,
        // As an index is read backwards.
        nulls_first: catalog.ordering_properties(operator).is_some_and(|order| order.descending),
        hashable: false,
    }];
    let one = Const { ty: TypeRef::of(oid::INT8), value: Datum::I64(1), location: Location::NONE };
    base.limit = Some(Expr::Const(one));
    base
}
