//! Subqueries over tables of which it is known that they have no rows.
//!
//! Clients ask the catalog a dozen questions about what nobody has here (triggers, policies, publications), in correlated
//! subqueries that DataFusion would have to join. What provably gives no rows becomes an empty relation before that is
//! tried, and names nothing around it any more.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{JoinType, Result, ScalarValue};
use datafusion::datasource::empty::EmptyTable;
use datafusion::datasource::source_as_provider;
use datafusion::logical_expr::{EmptyRelation, Expr, Filter, LogicalPlan, Subquery};
use datafusion::optimizer::AnalyzerRule;

use crate::semantics::rewrite;

/// The analyzer's rule.
#[derive(Debug)]
pub struct Nothing;

impl AnalyzerRule for Nothing {
    fn name(&self) -> &str {
        "nothing"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let emptied = plan.transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Subquery(subquery) => emptied(subquery),
            plan => Ok(Transformed::no(plan)),
        })?;
        // Over no rows nothing is computed: what DataFusion cannot join need not be joined.
        let over_nothing = |plan: &LogicalPlan| matches!(plan.inputs()[..], [input] if gives_nothing(input));
        rewrite(emptied.data, |expr, _| never_computed(expr), |plan| !over_nothing(plan))
    }
}

/// An expression that is computed for no row: its subqueries are any value of their type.
fn never_computed(expr: Expr) -> Result<Transformed<Expr>> {
    Ok(match expr {
        Expr::ScalarSubquery(subquery) => {
            let ty = subquery.subquery.schema().field(0).data_type();
            Transformed::yes(Expr::Literal(ScalarValue::try_from(ty)?, None))
        }
        Expr::Exists(_) | Expr::InSubquery(_) => Transformed::yes(Expr::Literal(ScalarValue::Boolean(None), None)),
        expr => Transformed::no(expr),
    })
}

fn emptied(subquery: Subquery) -> Result<Transformed<LogicalPlan>> {
    let plan = Arc::unwrap_or_clone(subquery.subquery).transform_down(|node| {
        if !gives_nothing(&node) {
            return Ok(Transformed::no(node));
        }
        let empty = EmptyRelation { produce_one_row: false, schema: node.schema().clone() };
        Ok(Transformed::new(LogicalPlan::EmptyRelation(empty), true, TreeNodeRecursion::Jump))
    })?;
    let outer_ref_columns = if plan.transformed { plan.data.all_out_ref_exprs() } else { subquery.outer_ref_columns };
    let again = Subquery { subquery: Arc::new(plan.data), outer_ref_columns, spans: subquery.spans };
    Ok(Transformed::new_transformed(LogicalPlan::Subquery(again), plan.transformed))
}

/// Is it certain that the plan gives no rows?
fn gives_nothing(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::TableScan(scan) => {
            source_as_provider(&scan.source).is_ok_and(|provider| (&*provider as &dyn TableProvider).is::<EmptyTable>())
        }
        LogicalPlan::Projection(projection) => gives_nothing(&projection.input),
        LogicalPlan::Filter(Filter { input, .. }) => gives_nothing(input),
        LogicalPlan::Sort(sort) => gives_nothing(&sort.input),
        LogicalPlan::Limit(limit) => gives_nothing(&limit.input),
        LogicalPlan::SubqueryAlias(alias) => gives_nothing(&alias.input),
        LogicalPlan::Join(join) => {
            let (left, right) = (|| gives_nothing(&join.left), || gives_nothing(&join.right));
            match join.join_type {
                JoinType::Inner => left() || right(),
                JoinType::Left => left(),
                JoinType::Right => right(),
                JoinType::Full => left() && right(),
                _ => false,
            }
        }
        LogicalPlan::Aggregate(aggregate) => {
            !aggregate.group_expr.is_empty() && !has_sets(&aggregate.group_expr) && gives_nothing(&aggregate.input)
        }
        LogicalPlan::Union(union) => union.inputs.iter().all(|input| gives_nothing(input)),
        _ => false,
    }
}

/// GROUPING SETS may have one that is empty, which has a row even of nothing.
fn has_sets(keys: &[Expr]) -> bool {
    keys.iter().any(|key| matches!(key, Expr::GroupingSet(_)))
}
