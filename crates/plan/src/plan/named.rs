//! The relations that a plan's queries name, on which rights are asked for (`add_rtes_to_flat_rtable`): those of the queries that it is
//! made of, and of subqueries that have no rows, which it does not read. What was left out before it was planned is not asked about:
//! WITH queries that are not read, subqueries of expressions that are constant without them.

use std::cell::RefCell;

use analyze::query::*;

use super::NamedRelation;
use crate::path::state::RelOptInfo;
use crate::planner_info::PlannerInfo;

/// What a query that is planned names.
pub fn of_level(root: &PlannerInfo, named: &mut Vec<NamedRelation>) {
    named.extend(root.query.range_table.iter().filter_map(of_entry));
    let is_unplanned = |rel: &&RelOptInfo| rel.dummy && !rel.is_join && rel.relation.0 > 0 && rel.subroot.is_none();
    for rel in root.paths.rels.iter().filter(is_unplanned) {
        if let RangeTableKind::Subquery(query) = &root.query.entry(rel.relation).kind {
            of_query(query, named);
        }
    }
}

fn of_entry(entry: &RangeTableEntry) -> Option<NamedRelation> {
    let oid = match &entry.kind {
        RangeTableKind::Relation { oid, .. } => Some(*oid),
        _ => entry.view,
    };
    oid.map(|oid| NamedRelation { oid, check_as: entry.check_as })
}

/// All that a query names that was not planned (`flatten_unplanned_rtes`).
fn of_query(query: &Query, named: &mut Vec<NamedRelation>) -> Walk {
    named.extend(query.range_table.iter().filter_map(of_entry));
    let named = RefCell::new(named);
    walk_query(query, &mut |expr| of_expr(expr, &mut named.borrow_mut()), &mut |inner| {
        of_query(inner, &mut named.borrow_mut())
    })
}

fn of_expr(expr: &Expr, named: &mut Vec<NamedRelation>) -> Walk {
    let named = RefCell::new(named);
    expr.walk(&mut |child| of_expr(child, &mut named.borrow_mut()), &mut |query| {
        of_query(query, &mut named.borrow_mut())
    })
}
