//! What DataFusion's optimizer must leave as it is: the order of a subquery's rows, and how often volatile functions are
//! called.
//!
//! PostgreSQL delivers the rows of `(SELECT … ORDER BY …)` in that order to whatever reads them, and computes a subquery's
//! volatile columns once for each of its rows. DataFusion drops a sort that nothing asks for, and moves, merges and prunes
//! projections. A [`Fence`] asks for the order, or stops them. In a SELECT list, volatile functions are called behind the
//! sort, for no more rows than OFFSET and LIMIT ask for.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::catalog::Session;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Column, DFSchemaRef, Result};
use datafusion::execution::context::QueryPlanner;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::expr::Sort as SortExpr;
use datafusion::logical_expr::physical_planning_context::PhysicalPlanningContext;
use datafusion::logical_expr::{
    Expr, Extension, FetchType, Limit, LogicalPlan, LogicalPlanBuilder, Projection, SkipType, Sort,
    UserDefinedLogicalNode, UserDefinedLogicalNodeCore, lit,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_expr::{
    Distribution, EquivalenceProperties, LexOrdering, OrderingRequirements, PhysicalExpr, create_physical_sort_exprs,
};
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion::physical_planner::{DefaultPhysicalPlanner, ExtensionPlanner, PhysicalPlanner};
use engine::EngineError;

use crate::errors::wrap;

/// Rows that pass as they come.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd)]
pub struct Fence {
    input: LogicalPlan,
    /// The order in which they come; none: it does not matter.
    order: Vec<SortExpr>,
    /// Columns of volatile functions.
    volatile: Vec<String>,
}

impl UserDefinedLogicalNodeCore for Fence {
    fn name(&self) -> &str {
        "Fence"
    }
    fn inputs(&self) -> Vec<&LogicalPlan> {
        vec![&self.input]
    }
    fn schema(&self) -> &DFSchemaRef {
        self.input.schema()
    }
    fn expressions(&self) -> Vec<Expr> {
        self.order.iter().map(|key| key.expr.clone()).collect()
    }
    fn prevent_predicate_push_down_columns(&self) -> HashSet<String> {
        self.volatile.iter().cloned().collect()
    }
    fn fmt_for_explain(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "Fence")
    }
    fn with_exprs_and_inputs(&self, exprs: Vec<Expr>, mut inputs: Vec<LogicalPlan>) -> Result<Fence> {
        let order = exprs.into_iter().zip(&self.order).map(|(expr, key)| key.with_expr(expr)).collect();
        Ok(Fence { input: inputs.remove(0), order, volatile: self.volatile.clone() })
    }
    fn necessary_children_exprs(&self, output_columns: &[usize]) -> Option<Vec<Vec<usize>>> {
        // What is volatile is computed, whether somebody reads it or not.
        self.volatile.is_empty().then(|| vec![output_columns.to_vec()])
    }
    fn supports_limit_pushdown(&self) -> bool {
        self.volatile.is_empty()
    }
}

fn fence(input: LogicalPlan, order: Vec<SortExpr>, volatile: Vec<String>) -> LogicalPlan {
    LogicalPlan::Extension(Extension { node: Arc::new(Fence { input, order, volatile }) })
}

fn fence_of(plan: &LogicalPlan) -> Option<&Fence> {
    match plan {
        LogicalPlan::Extension(extension) => extension.node.as_any().downcast_ref::<Fence>(),
        _ => None,
    }
}

/// Does the plan deliver rows in an order that nothing but a fence asks for? Participants would mix them.
pub fn keeps_order(plan: &LogicalPlan) -> bool {
    let mut found = false;
    let _ = plan.apply_with_subqueries(|node| {
        found |= fence_of(node).is_some_and(|fence| !fence.order.is_empty());
        Ok(TreeNodeRecursion::Continue)
    });
    found
}

/// The analyzer's last rule: it wants sorts with the keys that they have in the end.
#[derive(Debug)]
pub struct Fences;

impl AnalyzerRule for Fences {
    fn name(&self) -> &str {
        "fences"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let fenced = plan.transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Sort(sort) if sort.fetch.is_none() => sorted(sort).map(Transformed::yes),
            LogicalPlan::Limit(limit) => limited(limit).map(Transformed::yes),
            LogicalPlan::SubqueryAlias(mut alias) => match volatile_columns(&alias.input) {
                Some(volatile) => {
                    alias.input = Arc::new(fence(Arc::unwrap_or_clone(alias.input), vec![], volatile));
                    Ok(Transformed::yes(LogicalPlan::SubqueryAlias(alias)))
                }
                None => Ok(Transformed::no(LogicalPlan::SubqueryAlias(alias))),
            },
            LogicalPlan::Subquery(ref subquery) if !subquery.outer_ref_columns.is_empty() => {
                unordered_if_correlated(plan)
            }
            plan => Ok(Transformed::no(plan)),
        })?;
        bare(fenced.data)
    }
}

/// A sort, behind a fence, and behind it what is volatile in the SELECT list that is sorted.
fn sorted(sort: Sort) -> Result<LogicalPlan> {
    let calls = |key: &SortExpr| {
        key.expr.exists(|expr| {
            Ok(matches!(expr, Expr::ScalarFunction(call) if !call.args.is_empty() && expr.is_volatile_node()))
        })
    };
    for key in &sort.expr {
        if calls(key)? {
            // To DataFusion it is a constant, and nothing to sort by.
            return Err(wrap(EngineError::unsupported("ORDER BY volatile functions of arguments")));
        }
    }
    let LogicalPlan::Projection(projection) = &*sort.input else { return Ok(ordered(sort)) };
    let is_key = |index: usize| {
        let column = Column::from(projection.schema.qualified_field(index));
        sort.expr.iter().any(|key| key.expr.column_refs().contains(&column))
    };
    let postponed = |index: usize| projection.expr[index].is_volatile() && !is_key(index);
    if !(0..projection.expr.len()).any(postponed) {
        return Ok(match volatile_columns(&sort.input) {
            Some(volatile) => {
                let input = fence(Arc::unwrap_or_clone(sort.input), vec![], volatile);
                ordered(Sort { input: Arc::new(input), ..sort })
            }
            None => ordered(sort),
        });
    }
    let (mut below, mut above) = (vec![], vec![]);
    let mut carried: Vec<Column> = vec![];
    for (index, expr) in projection.expr.iter().enumerate() {
        let (relation, field) = projection.schema.qualified_field(index);
        if !postponed(index) {
            below.push(expr.clone());
            above.push(Expr::Column(Column::from((relation, field))));
            continue;
        }
        let name = |at: usize| format!("?carried?{at}");
        let over = expr.clone().unalias().transform_up(|expr| match expr {
            Expr::Column(column) => {
                let at = carried.iter().position(|known| *known == column).unwrap_or_else(|| {
                    carried.push(column);
                    carried.len() - 1
                });
                Ok(Transformed::yes(Expr::Column(Column::from_name(name(at)))))
            }
            expr => Ok(Transformed::no(expr)),
        })?;
        above.push(over.data.alias_qualified(relation.cloned(), field.name()));
    }
    let carry =
        carried.into_iter().enumerate().map(|(at, column)| Expr::Column(column).alias(format!("?carried?{at}")));
    below.extend(carry);
    let below = Projection::try_new(below, projection.input.clone())?;
    let sort = Sort { input: Arc::new(LogicalPlan::Projection(below)), ..sort };
    Ok(LogicalPlan::Projection(Projection::try_new(above, Arc::new(ordered(sort)))?))
}

fn ordered(sort: Sort) -> LogicalPlan {
    let order = sort.expr.clone();
    fence(LogicalPlan::Sort(sort), order, vec![])
}

/// A LIMIT does not need to be told that its rows come in order. Rows that it drops behind those it gives are not
/// computed; those before them are.
fn limited(limit: Limit) -> Result<LogicalPlan> {
    let input = bare(Arc::unwrap_or_clone(limit.input.clone()))?;
    let Some(volatile) = volatile_columns(&input) else {
        return Ok(LogicalPlan::Limit(Limit { input: Arc::new(input), ..limit }));
    };
    let input = match (limit.get_skip_type()?, limit.get_fetch_type()?) {
        (SkipType::Literal(skip), FetchType::Literal(Some(fetch))) => first_rows(input, skip.saturating_add(fetch))?,
        _ => input,
    };
    Ok(LogicalPlan::Limit(Limit { input: Arc::new(fence(input, vec![], volatile)), ..limit }))
}

/// No more than the first rows of what projections are over.
fn first_rows(plan: LogicalPlan, count: usize) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Projection(projection) => {
            let input = first_rows(Arc::unwrap_or_clone(projection.input), count)?;
            Ok(LogicalPlan::Projection(Projection::try_new(projection.expr, Arc::new(input))?))
        }
        LogicalPlan::SubqueryAlias(alias) => {
            let input = first_rows(Arc::unwrap_or_clone(alias.input), count)?;
            LogicalPlanBuilder::from(input).alias(alias.alias)?.build()
        }
        LogicalPlan::Extension(ref extension) => match extension.node.as_any().downcast_ref::<Fence>() {
            Some(Fence { input, order, volatile }) if order.is_empty() => {
                Ok(fence(first_rows(input.clone(), count)?, vec![], volatile.clone()))
            }
            _ => LogicalPlanBuilder::from(plan).limit_by_expr(None, Some(lit(count as i64)))?.build(),
        },
        plan => LogicalPlanBuilder::from(plan).limit_by_expr(None, Some(lit(count as i64)))?.build(),
    }
}

/// The plan without the fence around its own order, which DataFusion keeps.
fn bare(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Projection(projection) => {
            let input = Arc::new(bare(Arc::unwrap_or_clone(projection.input))?);
            Projection::try_new_with_schema(projection.expr, input, projection.schema).map(LogicalPlan::Projection)
        }
        plan => match fence_of(&plan) {
            Some(Fence { input, order, .. }) if !order.is_empty() => Ok(input.clone()),
            _ => Ok(plan),
        },
    }
}

/// The columns of a query that call volatile functions; `None`: there are no calls in it.
fn volatile_columns(plan: &LogicalPlan) -> Option<Vec<String>> {
    let all = || plan.schema().fields().iter().map(|field| field.name().clone()).collect();
    match plan {
        LogicalPlan::Projection(projection) => {
            let fields = projection.schema.fields().iter().zip(&projection.expr);
            let own: Vec<String> =
                fields.filter(|(_, expr)| expr.is_volatile()).map(|(field, _)| field.name().clone()).collect();
            match (own.is_empty(), volatile_columns(&projection.input)) {
                (true, None) => None,
                (false, None) => Some(own),
                _ => Some(all()),
            }
        }
        LogicalPlan::Sort(sort) => volatile_columns(&sort.input),
        LogicalPlan::Limit(limit) => volatile_columns(&limit.input),
        LogicalPlan::Filter(filter) => volatile_columns(&filter.input),
        LogicalPlan::Window(window) => volatile_columns(&window.input).map(|_| all()),
        LogicalPlan::Union(union) => union.inputs.iter().any(|input| volatile_columns(input).is_some()).then(all),
        LogicalPlan::Extension(_) => {
            let fence = fence_of(plan)?;
            if fence.volatile.is_empty() { volatile_columns(&fence.input) } else { Some(fence.volatile.clone()) }
        }
        _ => None,
    }
}

/// DataFusion joins a correlated subquery to the rows around it, and an order in it is lost. Where aggregates gather rows
/// in it that is refused; elsewhere it does not matter.
fn unordered_if_correlated(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let gathers = |node: &LogicalPlan| {
        let LogicalPlan::Aggregate(aggregate) = node else { return Ok(false) };
        let gathers = aggregate.aggr_expr.iter().any(|expr| {
            matches!(expr.clone().unalias(), Expr::AggregateFunction(function)
                if function.params.order_by.is_empty() && ["array_agg", "string_agg"].contains(&function.func.name()))
        });
        Ok(gathers && keeps_order(&aggregate.input))
    };
    if plan.exists(gathers)? {
        let error = EngineError::unsupported("the order of a correlated subquery's rows");
        return Err(wrap(error.hint("Write ORDER BY inside of the aggregate.")));
    }
    plan.transform_down(|node| match fence_of(&node) {
        Some(Fence { input, .. }) => Ok(Transformed::yes(input.clone())),
        None => Ok(Transformed::no(node)),
    })
}

/// DataFusion's planner, which knows fences.
#[derive(Debug)]
pub struct Planner;

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(&self, plan: &LogicalPlan, session: &dyn Session) -> Result<Arc<dyn ExecutionPlan>> {
        let planner = DefaultPhysicalPlanner::with_extension_planners(vec![Arc::new(FencePlanner)]);
        planner.create_physical_plan(plan, session).await
    }
}

struct FencePlanner;

#[async_trait]
impl ExtensionPlanner for FencePlanner {
    async fn plan_extension(
        &self,
        _: &dyn PhysicalPlanner,
        node: &dyn UserDefinedLogicalNode,
        _: &[&LogicalPlan],
        inputs: &[Arc<dyn ExecutionPlan>],
        session: &dyn Session,
        context: &PhysicalPlanningContext,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let Some(fence) = node.as_any().downcast_ref::<Fence>() else { return Ok(None) };
        let keys = create_physical_sort_exprs(&fence.order, fence.input.schema(), session.execution_props(), context)?;
        Ok(Some(Arc::new(FenceExec::new(inputs[0].clone(), LexOrdering::new(keys)))))
    }
}

/// A fence in a plan that runs.
#[derive(Debug)]
pub struct FenceExec {
    input: Arc<dyn ExecutionPlan>,
    order: Option<LexOrdering>,
    properties: Arc<PlanProperties>,
}

impl FenceExec {
    fn new(input: Arc<dyn ExecutionPlan>, order: Option<LexOrdering>) -> FenceExec {
        let below = input.properties();
        // DataFusion takes `nextval('s')` for a constant, and `array_agg(DISTINCT x ORDER BY x)` for the reverse of what
        // comes in the opposite order: what it knows of the rows ends here.
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            below.output_partitioning().clone(),
            below.emission_type,
            below.boundedness,
        );
        FenceExec { input, order, properties: Arc::new(properties) }
    }
}

impl DisplayAs for FenceExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "FenceExec")
    }
}

impl ExecutionPlan for FenceExec {
    fn name(&self) -> &str {
        "FenceExec"
    }
    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }
    fn required_input_distribution(&self) -> Vec<Distribution> {
        vec![Distribution::SinglePartition]
    }
    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        vec![self.order.clone().map(Into::into)]
    }
    fn maintains_input_order(&self) -> Vec<bool> {
        // It does, but a sort above must not be moved below.
        vec![false]
    }
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![false]
    }
    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }
    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }
    fn with_new_children(self: Arc<Self>, mut inputs: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(Arc::new(FenceExec::new(inputs.remove(0), self.order.clone())))
    }
    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.input.execute(partition, context)
    }
}
