//! Errors of constant expressions: `SELECT 1/0 FROM t WHERE false` fails in PostgreSQL, which computes constants while it
//! plans. DataFusion leaves what it cannot compute to the execution, which may never come to it.
//!
//! As in PostgreSQL, AND, OR, CASE and COALESCE stop at what decides them.

use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::execution_props::ExecutionProps;
use datafusion::logical_expr::expr::Case;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{BinaryExpr, ColumnarValue, Expr, LogicalPlan, Operator, Volatility};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::create_physical_expr;

/// The analyzer's rule.
#[derive(Debug)]
pub struct Constants;

impl AnalyzerRule for Constants {
    fn name(&self) -> &str {
        "constants"
    }

    fn analyze(&self, plan: LogicalPlan, options: &ConfigOptions) -> Result<LogicalPlan> {
        let mut props = ExecutionProps::new();
        props.mark_start_execution(Arc::new(options.clone()));
        let constant = |expr: &Expr| constant(expr, &props);
        results(&plan, &props)?;
        plan.apply_with_subqueries(|node| {
            match node {
                LogicalPlan::Filter(filter) => drop(constant(&filter.predicate)?),
                LogicalPlan::Join(join) => drop(join.filter.as_ref().map(constant).transpose()?),
                _ => {}
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(plan)
    }
}

/// The statement's own results. Those of a subquery may be nobody's.
fn results(plan: &LogicalPlan, props: &ExecutionProps) -> Result<()> {
    let constant = |expr: &Expr| constant(expr, props);
    match plan {
        LogicalPlan::Projection(projection) => {
            projection.expr.iter().try_for_each(|expr| constant(expr).map(drop))?;
            results(&projection.input, props)
        }
        LogicalPlan::Sort(sort) => results(&sort.input, props),
        LogicalPlan::Limit(limit) => results(&limit.input, props),
        LogicalPlan::Aggregate(aggregate) => {
            aggregate.group_expr.iter().chain(&aggregate.aggr_expr).try_for_each(|expr| constant(expr).map(drop))
        }
        LogicalPlan::Union(union) => union.inputs.iter().try_for_each(|input| results(input, props)),
        _ => Ok(()),
    }
}

/// The expression's value, if it is constant. Fails if a constant in it does.
fn constant(expr: &Expr, props: &ExecutionProps) -> Result<Option<ScalarValue>> {
    let computed = |expr| computed(expr, props);
    let constant = |expr: &Expr| constant(expr, props);
    match expr {
        Expr::Literal(value, _) => Ok(Some(value.clone())),
        Expr::Alias(alias) => constant(&alias.expr),
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let decides = ScalarValue::Boolean(Some(*op == Operator::Or));
            let left = constant(left)?;
            if left.as_ref() == Some(&decides) {
                return Ok(left);
            }
            let right = constant(right)?;
            match (left, right) {
                (_, Some(right)) if right == decides => Ok(Some(right)),
                (Some(ScalarValue::Boolean(Some(_))), right) => Ok(right),
                (left, Some(ScalarValue::Boolean(Some(_)))) => Ok(left),
                _ => Ok(None),
            }
        }
        Expr::Case(Case { expr: None, when_then_expr, else_expr }) => {
            let mut sure = true;
            for (when, then) in when_then_expr {
                match constant(when)? {
                    Some(ScalarValue::Boolean(Some(true))) => {
                        let then = constant(then)?;
                        return Ok(if sure { then } else { None });
                    }
                    Some(_) => {}
                    None => {
                        constant(then)?;
                        sure = false;
                    }
                }
            }
            let other = else_expr.as_deref().map_or(Ok(None), constant)?;
            Ok(if sure { other } else { None })
        }
        // Which branch it takes is seen when it runs.
        Expr::Case(Case { expr: Some(operand), .. }) => constant(operand).map(|_| None),
        Expr::ScalarFunction(function) if function.name() == "coalesce" => {
            for arg in &function.args {
                match constant(arg)? {
                    Some(value) if value.is_null() => {}
                    value => return Ok(value),
                }
            }
            Ok(None)
        }
        other => computed(other),
    }
}

fn computed(expr: &Expr, props: &ExecutionProps) -> Result<Option<ScalarValue>> {
    let mut constants = vec![];
    let mut all = true;
    expr.apply_children(|child| {
        let value = constant(child, props)?;
        all &= value.is_some();
        constants.extend(value);
        Ok(TreeNodeRecursion::Continue)
    })?;
    let computable = match expr {
        Expr::ScalarFunction(function) => {
            !function.args.is_empty() && function.func.signature().volatility == Volatility::Immutable
        }
        Expr::BinaryExpr(_) | Expr::Cast(_) | Expr::Not(_) | Expr::Negative(_) | Expr::Between(_) | Expr::InList(_) => {
            true
        }
        _ => false,
    };
    if !all || !computable {
        return Ok(None);
    }
    let mut constants = constants.into_iter();
    let expr = expr.clone().map_children(|child| {
        Ok(match constants.next() {
            Some(value) => Transformed::yes(Expr::Literal(value, None)),
            None => Transformed::no(child),
        })
    })?;
    let empty = DFSchema::empty();
    // What is no expression of its own (an interval's unit, a typed NULL) is left for the execution.
    let Ok(physical) = create_physical_expr(&expr.data, &empty, props, &PhysicalPlanningContext::default()) else {
        return Ok(None);
    };
    let row = RecordBatch::try_new_with_options(
        empty.inner().clone(),
        vec![],
        &RecordBatchOptions::new().with_row_count(Some(1)),
    )?;
    Ok(match physical.evaluate(&row)? {
        ColumnarValue::Scalar(value) => Some(value),
        ColumnarValue::Array(values) => Some(ScalarValue::try_from_array(&values, 0)?),
    })
}
