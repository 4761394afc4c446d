//! Subqueries that DataFusion does not run as they are written.
//!
//! * [`SingleRows`]: correlated scalar subqueries that do not aggregate, `(SELECT y FROM b WHERE b.id = a.id)`. DataFusion
//!   joins a subquery to the rows around it, grouped by what correlates them, and therefore wants it to aggregate. Here it
//!   is made to: `LIMIT 1` becomes the first value, and anything else a list of at most two values, of which the row around
//!   it, if there is one, takes the only one or complains (21000). The complaint is the row's, not the group's: groups that
//!   nobody asks for may have as many rows as they like.
//! * [`Truths`]: EXISTS and IN among the results, where DataFusion knows them in conditions only. They become counts.
//!
//! What DataFusion would compute wrongly is refused: window functions over rows that correlate (it takes the rows of all
//! groups for one), and whether a correlated aggregate gives a row (it loses those that aggregate nothing).

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, UInt64Array};
use datafusion::arrow::compute::take;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, ExprSchema, Result, ScalarValue, Spans};
use datafusion::functions_aggregate::count::count;
use datafusion::functions_aggregate::first_last::first_value_udaf;
use datafusion::logical_expr::expr::{AggregateFunction, Exists, InSubquery, Sort};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, Expr, FetchType, Filter, LogicalPlan, LogicalPlanBuilder, Signature,
    SkipType, Subquery, Volatility, lit, not, when,
};
use datafusion::optimizer::AnalyzerRule;
use engine::EngineError;

use crate::errors::wrap;
use crate::function::Function;
use crate::semantics::rewrite;

/// The analyzer's rule.
#[derive(Debug)]
pub struct SingleRows;

impl AnalyzerRule for SingleRows {
    fn name(&self) -> &str {
        "single_rows"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let aggregated = |expr: Expr, _: &DFSchema| match expr {
            Expr::ScalarSubquery(subquery) => {
                refuse_windows(&subquery)?;
                if is_open(&subquery) { single(subquery).map(Transformed::yes) } else { Ok(one_row(subquery)) }
            }
            Expr::Exists(Exists { ref subquery, .. }) | Expr::InSubquery(InSubquery { ref subquery, .. }) => {
                refuse_windows(subquery)?;
                Ok(Transformed::no(expr))
            }
            other => Ok(Transformed::no(other)),
        };
        rewrite(plan, aggregated, |_| false)
    }
}

fn refuse_windows(subquery: &Subquery) -> Result<()> {
    let over_outer = |plan: &LogicalPlan| {
        let found = matches!(plan, LogicalPlan::Window(_)) && !plan.all_out_ref_exprs().is_empty();
        Ok(found)
    };
    if !subquery.outer_ref_columns.is_empty() && subquery.subquery.exists(over_outer)? {
        return Err(wrap(EngineError::unsupported("a correlated subquery with window functions")));
    }
    Ok(())
}

/// The analyzer's rule.
#[derive(Debug)]
pub struct Truths;

impl AnalyzerRule for Truths {
    fn name(&self) -> &str {
        "truths"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        let counted = |expr: Expr, schema: &DFSchema| match expr {
            Expr::Exists(Exists { subquery, negated }) => {
                let found = some(subquery.subquery.clone(), &subquery.outer_ref_columns)?;
                Ok(Transformed::yes(if negated { not(found) } else { found }))
            }
            Expr::InSubquery(InSubquery { expr, subquery, negated }) => {
                let found = contains(*expr, subquery, schema)?;
                Ok(Transformed::yes(if negated { not(found) } else { found }))
            }
            other => Ok(Transformed::no(other)),
        };
        rewrite(plan, counted, |plan| !matches!(plan, LogicalPlan::Projection(_) | LogicalPlan::Aggregate(_)))
    }
}

/// Does the query give a row?
fn some(plan: Arc<LogicalPlan>, outer: &[Expr]) -> Result<Expr> {
    let plan = unordered(Arc::unwrap_or_clone(plan))?;
    let ungrouped = |plan: &LogicalPlan| {
        Ok(matches!(plan, LogicalPlan::Aggregate(aggregate) if aggregate.group_expr.is_empty())
            && !plan.all_out_ref_exprs().is_empty())
    };
    let plan = if outer.is_empty() {
        LogicalPlanBuilder::from(plan).limit(0, Some(1))?.build()?
    } else if plan.exists(ungrouped)? {
        return Err(wrap(EngineError::unsupported("EXISTS or IN with a correlated aggregate, among the results")));
    } else {
        plan
    };
    let rows = Expr::ScalarSubquery(Subquery {
        subquery: Arc::new(grouped(plan, count(lit(1i64)))?),
        outer_ref_columns: outer.to_vec(),
        spans: Spans::new(),
    });
    Ok(rows.gt(lit(0i64)))
}

/// For whether there are rows neither their order matters nor how many may be behind the first.
fn unordered(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Sort(sort) if sort.fetch.is_none() => unordered(Arc::unwrap_or_clone(sort.input)),
        LogicalPlan::Limit(limit) => match (limit.get_skip_type()?, limit.get_fetch_type()?) {
            (SkipType::Literal(0), FetchType::Literal(Some(1..))) => unordered(Arc::unwrap_or_clone(limit.input)),
            _ => Ok(LogicalPlan::Limit(limit)),
        },
        plan => Ok(plan),
    }
}

/// `expr IN (subquery)`, with NULLs as SQL has them.
fn contains(expr: Expr, subquery: Subquery, schema: &DFSchema) -> Result<Expr> {
    let correlated = subquery.outer_ref_columns;
    let mut outer = correlated.clone();
    // Inside of the subquery the columns of the expression are outer ones.
    let inside = expr.clone().transform_up(|expr| match expr {
        Expr::Column(column) => {
            let field = schema.field_from_column(&column)?;
            let reference = Expr::OuterReferenceColumn(field.clone(), column);
            outer.push(reference.clone());
            Ok(Transformed::yes(reference))
        }
        expr => Ok(Transformed::no(expr)),
    })?;
    if subquery.subquery.schema().fields().is_empty() {
        return Err(wrap(EngineError::new("42601", "subquery has too few columns")));
    }
    // A name of its own: the expression's columns may be of the same table.
    let named = first_column(&subquery.subquery).alias("?in?");
    let rows = LogicalPlanBuilder::from(Arc::unwrap_or_clone(subquery.subquery)).project([named])?.build()?;
    let rows = Arc::new(rows);
    let value = first_column(&rows);
    let only = |condition: Expr| -> Result<Arc<LogicalPlan>> {
        let plan = LogicalPlanBuilder::from(LogicalPlan::clone(&rows));
        Ok(Arc::new(plan.filter(condition)?.build()?))
    };
    let found = some(only(value.clone().eq(inside.data))?, &outer)?;
    let nulls = some(only(value.is_null())?, &correlated)?;
    let any = some(rows.clone(), &correlated)?;
    let unknown = nulls.or(expr.is_null().and(any));
    when(found, lit(true)).when(unknown, lit(ScalarValue::Boolean(None))).otherwise(lit(false))
}

/// Is it correlated, and nothing says that it gives one row?
fn is_open(subquery: &Subquery) -> bool {
    let one_column = subquery.subquery.schema().fields().len() == 1;
    one_column && !subquery.outer_ref_columns.is_empty() && !aggregates(&subquery.subquery)
}

/// Is it known to give one row, to DataFusion?
fn aggregates(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => aggregates(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => aggregates(&alias.input),
        LogicalPlan::Filter(Filter { input, .. }) => matches!(&**input, LogicalPlan::Aggregate(_)),
        LogicalPlan::Sort(sort) => is_total(&sort.input),
        LogicalPlan::Limit(limit) => is_total(&limit.input),
        LogicalPlan::Aggregate(_) | LogicalPlan::EmptyRelation(_) => true,
        _ => false,
    }
}

/// Is it an aggregate of all rows?
fn is_total(plan: &LogicalPlan) -> bool {
    match plan {
        LogicalPlan::Projection(projection) => is_total(&projection.input),
        LogicalPlan::SubqueryAlias(alias) => is_total(&alias.input),
        LogicalPlan::Sort(sort) => is_total(&sort.input),
        LogicalPlan::Aggregate(aggregate) => aggregate.group_expr.is_empty(),
        _ => false,
    }
}

/// `LIMIT 1` behind an aggregate is in DataFusion's way.
fn one_row(subquery: Subquery) -> Transformed<Expr> {
    let limited = matches!(&*subquery.subquery, LogicalPlan::Limit(_) | LogicalPlan::Sort(_));
    if !limited || subquery.outer_ref_columns.is_empty() {
        return Transformed::no(Expr::ScalarSubquery(subquery));
    }
    match unordered(LogicalPlan::clone(&subquery.subquery)) {
        Ok(plan) if aggregates(&plan) => {
            Transformed::yes(Expr::ScalarSubquery(Subquery { subquery: Arc::new(plan), ..subquery }))
        }
        _ => Transformed::no(Expr::ScalarSubquery(subquery)),
    }
}

fn single(subquery: Subquery) -> Result<Expr> {
    let plan = Arc::unwrap_or_clone(subquery.subquery);
    let again = |plan: LogicalPlan| {
        Expr::ScalarSubquery(Subquery {
            subquery: Arc::new(plan),
            outer_ref_columns: subquery.outer_ref_columns,
            spans: subquery.spans,
        })
    };
    if let LogicalPlan::Limit(limit) = &plan
        && let (SkipType::Literal(0), FetchType::Literal(Some(1))) = (limit.get_skip_type()?, limit.get_fetch_type()?)
    {
        let (value, order, input) = first_of(Arc::unwrap_or_clone(limit.input.clone()))?;
        let first = aggregate(first_value_udaf(), value, order);
        return Ok(again(grouped(input, first)?));
    }
    let value = first_column(&plan);
    let list = aggregate(Arc::new(AggregateUDF::new_from_impl(UpToTwo { signature: any() })), value, vec![]);
    Ok(only().call(vec![again(grouped(plan, list)?)]))
}

/// What a query with `LIMIT 1` gives the first of, by which order, from which rows.
fn first_of(plan: LogicalPlan) -> Result<(Expr, Vec<Sort>, LogicalPlan)> {
    Ok(match plan {
        LogicalPlan::Sort(sort) => (first_column(&sort.input), sort.expr, Arc::unwrap_or_clone(sort.input)),
        // It drops what the rows are sorted by.
        LogicalPlan::Projection(projection) if matches!(&*projection.input, LogicalPlan::Sort(_)) => {
            let value = projection.expr[0].clone().unalias();
            let (_, order, input) = first_of(Arc::unwrap_or_clone(projection.input))?;
            (value, order, input)
        }
        other => (first_column(&other), vec![], other),
    })
}

fn first_column(plan: &LogicalPlan) -> Expr {
    Expr::Column(Column::from(plan.schema().qualified_field(0)))
}

fn aggregate(function: Arc<AggregateUDF>, value: Expr, order: Vec<Sort>) -> Expr {
    Expr::AggregateFunction(AggregateFunction::new_udf(function, vec![value], false, None, order, None))
}

fn grouped(input: LogicalPlan, aggregate: Expr) -> Result<LogicalPlan> {
    LogicalPlanBuilder::from(input).aggregate(Vec::<Expr>::new(), vec![aggregate])?.build()
}

/// The only value of a list; NULL if there is none.
fn only() -> Function {
    let element = |ty: &DataType| match ty {
        DataType::List(field) => field.data_type().clone(),
        other => other.clone(),
    };
    Function::new("pg_only", 1, DataType::Null, Volatility::Immutable, |call| {
        let lists = call.args[0].as_list::<i32>();
        let mut places = Vec::with_capacity(lists.len());
        for row in 0..lists.len() {
            let (start, end) = (lists.value_offsets()[row], lists.value_offsets()[row + 1]);
            places.push(match end - start {
                0 => None,
                _ if lists.is_null(row) => None,
                1 => Some(start as u64),
                _ => {
                    let message = "more than one row returned by a subquery used as an expression";
                    return Err(EngineError::new("21000", message));
                }
            });
        }
        let values = take(lists.values(), &UInt64Array::from(places), None);
        values.map_err(|e| EngineError::new("XX000", e.to_string()))
    })
    .returning(move |args| Ok(element(args.arg_fields[0].data_type())))
}

fn any() -> Signature {
    Signature::any(1, Volatility::Immutable)
}

/// Gathers values, two at most: more is as wrong as two.
#[derive(Debug, PartialEq, Eq, Hash)]
struct UpToTwo {
    signature: Signature,
}

fn list_of(ty: &DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(ty.clone(), true)))
}

impl AggregateUDFImpl for UpToTwo {
    fn name(&self) -> &str {
        "pg_up_to_two"
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, args: &[DataType]) -> Result<DataType> {
        Ok(list_of(&args[0]))
    }
    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        Ok(Box::new(Values { ty: args.expr_fields[0].data_type().clone(), values: vec![] }))
    }
    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let ty = list_of(args.input_fields[0].data_type());
        Ok(vec![Arc::new(Field::new(format_state_name(args.name, "values"), ty, true))])
    }
}

#[derive(Debug)]
struct Values {
    ty: DataType,
    values: Vec<ScalarValue>,
}

impl Accumulator for Values {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        for row in 0..values[0].len().min(2 - self.values.len()) {
            self.values.push(ScalarValue::try_from_array(&values[0], row)?);
        }
        Ok(())
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        states[0].as_list::<i32>().iter().flatten().try_for_each(|values| self.update_batch(&[values]))
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![self.evaluate()?])
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(ScalarValue::List(ScalarValue::new_list_nullable(&self.values, &self.ty)))
    }
    fn size(&self) -> usize {
        size_of_val(self) + ScalarValue::size_of_vec(&self.values)
    }
}
