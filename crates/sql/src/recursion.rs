//! What a query may not do with itself in WITH RECURSIVE. DataFusion runs some of it, and without an end.

use std::ops::ControlFlow;

use datafusion::common::Result;
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::sqlparser::ast::{LimitClause, Query, SetExpr, SetOperator};
use engine::EngineError;

use crate::errors::wrap;

/// Of a query that reads itself: the clauses that would hold for its whole result, and its form.
pub fn check_clauses(name: &str, query: &Query) -> ControlFlow<EngineError> {
    let refuse = |what: &str| {
        ControlFlow::Break(EngineError::new("0A000", format!("{what} in a recursive query is not implemented")))
    };
    if !matches!(&*query.body, SetExpr::SetOperation { op: SetOperator::Union, .. }) {
        let message =
            format!("recursive query \"{name}\" does not have the form non-recursive-term UNION [ALL] recursive-term");
        return ControlFlow::Break(EngineError::new("42P19", message));
    }
    if query.order_by.is_some() {
        return refuse("ORDER BY");
    }
    match &query.limit_clause {
        Some(LimitClause::LimitOffset { offset: Some(_), .. } | LimitClause::OffsetCommaLimit { .. }) => {
            return refuse("OFFSET");
        }
        Some(LimitClause::LimitOffset { limit: Some(_), .. }) => return refuse("LIMIT"),
        _ if query.fetch.is_some() => return refuse("LIMIT"),
        _ => {}
    }
    if query.locks.is_empty() { ControlFlow::Continue(()) } else { refuse("FOR UPDATE/SHARE") }
}

/// The recursive term may not aggregate the query's own rows.
pub fn check_aggregates(name: &str, term: &LogicalPlan) -> Result<()> {
    term.apply(|node| {
        if let LogicalPlan::Aggregate(aggregate) = node
            && !aggregate.aggr_expr.is_empty()
            && reads(name, &aggregate.input)?
        {
            let message = "aggregate functions are not allowed in a recursive query's recursive term";
            return Err(wrap(EngineError::new("42P19", message)));
        }
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(())
}

fn reads(name: &str, plan: &LogicalPlan) -> Result<bool> {
    plan.exists(|node| Ok(matches!(node, LogicalPlan::TableScan(scan) if scan.table_name.table() == name)))
}
