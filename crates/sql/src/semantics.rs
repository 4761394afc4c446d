//! Where DataFusion's meaning silently differs from PostgreSQL's, the plan is changed here or refused (0A000).
//!
//! * before type coercion ([`Narrow`]): integer literals are `integer` where they fit; constants in quotes take the type of
//!   what they meet, and types that PostgreSQL does not mix are refused; quotients, averages and whatever else PostgreSQL
//!   computes in `numeric` goes to [`crate::exact`].
//! * after it ([`Operators`]): integer arithmetic is checked, division by zero of floats is an error, casts round and
//!   complain as PostgreSQL's do, `char(n)` compares without its padding, a date plus an interval is a timestamp.
//! * at last ([`keys`]): `numeric` values are sorted as numbers; grouping by them is refused.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Field, FieldRef, Float32Type, Float64Type, IntervalUnit, TimeUnit,
};
use datafusion::arrow::error::ArrowError;
use datafusion::common::config::ConfigOptions;
use datafusion::common::metadata::FieldMetadata;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, Result, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::functions::string::expr_fn::rtrim;
use datafusion::logical_expr::expr::{AggregateFunction, Between, Case, Cast, InList, ScalarFunction, WindowFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, TypePlanner};
use datafusion::logical_expr::{
    BinaryExpr, Distinct, Expr, ExprSchemable, LogicalPlan, LogicalPlanBuilder, Operator, RecursiveQuery, Values,
    Volatility, WindowFunctionDefinition, not,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::resolve_grouping_function::ResolveGroupingFunction;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use datafusion::sql::sqlparser::ast::{ArrayElemTypeDef, BinaryOperator, DataType as SqlType, ExactNumberInfo};
use engine::{EngineError, PgType};

use crate::aggregate_arguments::{self, Arguments};
use crate::array_types;
use crate::arrays::{element_of, list_of};
use crate::cast::{Purpose, cast};
use crate::constants::Constants;
use crate::ddl::ident;
use crate::errors::wrap;
use crate::fence::Fences;
use crate::function::Function;
use crate::nothing::Nothing;
use crate::numeric::NUMERIC;
use crate::style::Manner;
use crate::subqueries::{SingleRows, Truths};
use crate::tables::{TYPE_KEY, tagged};
use crate::{exact, infer, once, set_operations, window_arguments};

/// `numeric` without precision, on its way from the parser to [`Narrow`].
const BARE_NUMERIC: &str = "1700,-1";

const INTERVAL: DataType = DataType::Interval(IntervalUnit::MonthDayNano);

/// Is this what [`PgTypes`] makes of `numeric`?
pub fn is_bare_numeric(field: &Field) -> bool {
    field.metadata().get(TYPE_KEY).is_some_and(|tag| tag == BARE_NUMERIC)
}

/// Columns have no type `oid`; arrays of it come from clients.
pub fn is_oid(ty: &SqlType) -> bool {
    let SqlType::Custom(name, arguments) = ty else { return false };
    arguments.is_empty() && name.0.last().and_then(|part| part.as_ident()).is_some_and(|name| ident(name) == "oid")
}

/// SQL type names to Arrow types.
#[derive(Debug)]
pub struct PgTypes;

impl TypePlanner for PgTypes {
    fn plan_type_field(&self, ty: &SqlType) -> Result<Option<FieldRef>> {
        let field = |ty: PgType| Field::new("", ty.arrow(), true);
        let tagged = |ty: PgType| {
            field(ty).with_metadata([(TYPE_KEY.to_string(), format!("{},{}", ty.oid(), ty.typmod()))].into())
        };
        let bare = |info: &ExactNumberInfo| matches!(info, ExactNumberInfo::None);
        Ok(Some(Arc::new(match ty {
            SqlType::Numeric(info) | SqlType::Decimal(info) | SqlType::Dec(info) if bare(info) => {
                Field::new("", DataType::Decimal128(38, 10), true)
                    .with_metadata([(TYPE_KEY.to_string(), BARE_NUMERIC.to_string())].into())
            }
            // Types that DataFusion plans and PostgreSQL prints as we do.
            SqlType::Interval { .. } => return Ok(None),
            // However many brackets there are, and whatever stands in them.
            SqlType::Array(ArrayElemTypeDef::SquareBracket(element, _)) => {
                let mut innermost = &**element;
                while let SqlType::Array(ArrayElemTypeDef::SquareBracket(inner, _)) = innermost {
                    innermost = inner;
                }
                if let SqlType::Interval { .. } = innermost {
                    return Ok(Some(Arc::new(Field::new("", list_of(&INTERVAL), true))));
                }
                if is_oid(innermost) {
                    return Ok(Some(Arc::new(Field::new("", list_of(&DataType::UInt32), true))));
                }
                let field = self.plan_type_field(innermost)?;
                let field = field.ok_or_else(|| wrap(EngineError::unsupported(format!("arrays of {innermost}"))))?;
                let item = Arc::unwrap_or_clone(field).with_name(Field::LIST_FIELD_DEFAULT_NAME);
                Field::new("", DataType::List(Arc::new(item)), true)
            }
            SqlType::Array(_) => return Err(wrap(EngineError::new("42601", "syntax error at or near \"ARRAY\""))),
            ty => {
                let ty = crate::ddl::pg_type(ty).map_err(wrap)?;
                let modified = matches!(ty, PgType::Varchar(_) | PgType::Char(_) | PgType::Numeric(_, _));
                if modified { tagged(ty) } else { field(ty) }
            }
        })))
    }
}

/// Constants in quotes beside arithmetic operators, whose types DataFusion asks for while it plans.
#[derive(Debug)]
pub struct Quoted;

impl ExprPlanner for Quoted {
    fn plan_binary_op(&self, mut raw: RawBinaryExpr, schema: &DFSchema) -> Result<PlannerResult<RawBinaryExpr>> {
        let array_operator = match raw.op {
            BinaryOperator::StringConcat => Some(Operator::StringConcat),
            BinaryOperator::Eq => Some(Operator::Eq),
            BinaryOperator::NotEq => Some(Operator::NotEq),
            BinaryOperator::Lt => Some(Operator::Lt),
            BinaryOperator::LtEq => Some(Operator::LtEq),
            BinaryOperator::Gt => Some(Operator::Gt),
            BinaryOperator::GtEq => Some(Operator::GtEq),
            BinaryOperator::AtArrow => Some(Operator::AtArrow),
            BinaryOperator::ArrowAt => Some(Operator::ArrowAt),
            // `&&`, which DataFusion takes for AND.
            BinaryOperator::PGOverlap => Some(Operator::And),
            _ => None,
        };
        if let (Some(op), Ok(lt), Ok(rt)) = (array_operator, raw.left.get_type(schema), raw.right.get_type(schema))
            && let Some(expr) = array_types::binary(raw.left.clone(), &lt, op, raw.right.clone(), &rt)?
        {
            return Ok(PlannerResult::Planned(expr));
        }
        if let (Some(Operator::StringConcat), Ok(lt), Ok(rt)) =
            (array_operator, raw.left.get_type(schema), raw.right.get_type(schema))
        {
            (raw.left, raw.right) = infer::in_concatenation(raw.left, &lt, raw.right, &rt);
        }
        let op = match raw.op {
            BinaryOperator::Plus => Operator::Plus,
            BinaryOperator::Minus => Operator::Minus,
            BinaryOperator::Multiply => Operator::Multiply,
            BinaryOperator::Divide => Operator::Divide,
            BinaryOperator::Modulo => Operator::Modulo,
            _ => return Ok(PlannerResult::Original(raw)),
        };
        if let (Ok(lt), Ok(rt)) = (raw.left.get_type(schema), raw.right.get_type(schema)) {
            // Small integers now, so that the planner sees the same types as the narrowed plan has.
            let small = |e: &mut Expr, ty: DataType| match e {
                Expr::Literal(ScalarValue::Int64(Some(value)), None) if i32::try_from(*value).is_ok() => {
                    *e = Expr::Literal(ScalarValue::Int32(Some(*value as i32)), None);
                    DataType::Int32
                }
                _ => ty,
            };
            let (lt, rt) = (small(&mut raw.left, lt), small(&mut raw.right, rt));
            (raw.left, raw.right) = quoted(raw.left, &lt, op, raw.right, &rt)?;
            (raw.left, raw.right) = infer::in_arithmetic(raw.left, &lt, op, raw.right, &rt)?;
            let (lt, rt) = (raw.left.get_type(schema)?, raw.right.get_type(schema)?);
            no_text(&raw.left, &lt, op, &raw.right, &rt)?;
            if let Some(expr) = crate::time_functions::operator(raw.left.clone(), &lt, op, raw.right.clone(), &rt) {
                return Ok(PlannerResult::Planned(expr));
            }
        }
        Ok(PlannerResult::Original(raw))
    }
}

pub fn analyzer_rules() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    vec![
        Arc::new(Nothing),
        Arc::new(Truths),
        Arc::new(SingleRows),
        Arc::new(ResolveGroupingFunction::new()),
        Arc::new(Narrow),
        Arc::new(TypeCoercion::new()),
        Arc::new(Operators),
        Arc::new(Constants),
        Arc::new(Fences),
    ]
}

/// Plans that DataFusion would run and PostgreSQL would not.
pub fn check(plan: LogicalPlan) -> Result<LogicalPlan> {
    match plan {
        LogicalPlan::Copy(_) | LogicalPlan::Ddl(_) | LogicalPlan::Dml(_) | LogicalPlan::Statement(_) => {
            Err(wrap(EngineError::unsupported("this statement")))
        }
        plan => Ok(plan),
    }
}

pub fn refused(what: &str, hint: &str) -> datafusion::error::DataFusionError {
    wrap(EngineError::unsupported(what).hint(hint))
}

/// Applies `f` to every expression of every node, keeping output names.
pub fn rewrite(
    plan: LogicalPlan,
    mut f: impl FnMut(Expr, &DFSchema) -> Result<Transformed<Expr>>,
    skip: impl Fn(&LogicalPlan) -> bool,
) -> Result<LogicalPlan> {
    let rewritten = plan.transform_up_with_subqueries(|plan| match skip(&plan) {
        true => Ok(Transformed::no(plan)),
        false => rewrite_node(plan, &mut f),
    })?;
    Ok(rewritten.data)
}

/// The columns that a node's expressions are over.
pub fn input_schema(plan: &LogicalPlan) -> Result<DFSchema> {
    if let LogicalPlan::TableScan(scan) = plan {
        return DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema());
    }
    let mut schema = DFSchema::empty();
    for input in plan.inputs() {
        schema.merge(input.schema());
    }
    Ok(schema)
}

fn rewrite_node(
    plan: LogicalPlan,
    f: &mut impl FnMut(Expr, &DFSchema) -> Result<Transformed<Expr>>,
) -> Result<Transformed<LogicalPlan>> {
    let schema = input_schema(&plan)?;
    let names = NamePreserver::new(&plan);
    plan.map_expressions(|expr| {
        let name = names.save(&expr);
        let done = expr.transform_up(|e| f(e, &schema))?;
        Ok(done.update_data(|e| name.restore(e)))
    })?
    .map_data(LogicalPlan::recompute_schema)
}

#[derive(Debug)]
struct Narrow;

impl AnalyzerRule for Narrow {
    fn name(&self) -> &str {
        "pg_narrow"
    }

    fn analyze(&self, plan: LogicalPlan, options: &ConfigOptions) -> Result<LogicalPlan> {
        Manner::from_config(options).within(|| self.narrow(plan))
    }
}

impl Narrow {
    fn narrow(&self, plan: LogicalPlan) -> Result<LogicalPlan> {
        // LIMIT and window frames must stay bigint; VALUES has a schema of its own.
        let apart =
            |p: &LogicalPlan| matches!(p, LogicalPlan::Limit(_) | LogicalPlan::Values(_) | LogicalPlan::Window(_));
        let plan = plan.transform_up_with_subqueries(values)?.data;
        let plan = plan.transform_up_with_subqueries(recursive)?.data;
        // What is above a set operation sees the types that its branches have got.
        let narrowed = plan.transform_up_with_subqueries(|plan| match plan {
            LogicalPlan::Union(of) => set_operations::union(of).map(Transformed::yes),
            LogicalPlan::Join(of) => rewrite_node(set_operations::intersection(of)?, &mut narrow),
            plan if apart(&plan) => Ok(Transformed::no(plan)),
            plan => rewrite_node(plan, &mut narrow),
        })?;
        rewrite(narrowed.data, window, |p| !matches!(p, LogicalPlan::Window(_)))
    }
}

/// Both parts of a recursive query keep the types that its table was planned with.
fn recursive(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::RecursiveQuery(query) = plan else { return Ok(Transformed::no(plan)) };
    crate::recursion::check_aggregates(&query.name, &query.recursive_term)?;
    let types = query.static_term.schema().clone();
    let typed = |term: Arc<LogicalPlan>| {
        let columns = term.schema().iter().zip(types.fields()).map(|((relation, field), wanted)| {
            let column = Expr::Column(Column::from((relation, field)));
            let cast = Expr::Cast(Cast::new(Box::new(column), wanted.data_type().clone()));
            cast.alias_qualified(relation.cloned(), field.name())
        });
        let columns: Vec<Expr> = columns.collect();
        LogicalPlanBuilder::from(Arc::unwrap_or_clone(term)).project(columns)?.build().map(Arc::new)
    };
    let (first, next) = (typed(query.static_term)?, typed(query.recursive_term)?);
    let query = RecursiveQuery::try_new(query.name, first, next, query.is_distinct)?;
    Ok(Transformed::yes(LogicalPlan::RecursiveQuery(query)))
}

/// VALUES gets its columns' types anew from the narrowed expressions.
fn values(plan: LogicalPlan) -> Result<Transformed<LogicalPlan>> {
    let LogicalPlan::Values(Values { values, .. }) = plan else { return Ok(Transformed::no(plan)) };
    let schema = DFSchema::empty();
    // DataFusion has made them one type already, without the zone.
    let from = |row: &Vec<Expr>, at: usize| match row.get(at) {
        Some(Expr::Cast(cast))
            if *cast.field.data_type() == DataType::Timestamp(TimeUnit::Microsecond, None)
                || matches!(cast.field.data_type(), DataType::Timestamp(TimeUnit::Nanosecond, None)) =>
        {
            cast.expr.get_type(&schema).ok()
        }
        _ => None,
    };
    for at in 0..values.first().map_or(0, Vec::len) {
        let kinds: Vec<DataType> = values.iter().filter_map(|row| from(row, at)).collect();
        let zoned = |ty: &DataType| matches!(ty, DataType::Timestamp(_, Some(_)));
        if kinds.iter().any(zoned) && !kinds.iter().all(zoned) {
            return Err(refused("VALUES of timestamps with and without time zone", "Cast them to one type."));
        }
    }
    let mut rows = values
        .into_iter()
        .map(|row| row.into_iter().map(|e| Ok(e.transform_up(|e| narrow(e, &schema))?.data)).collect())
        .collect::<Result<Vec<Vec<Expr>>>>()?;
    for column in 0..rows.first().map_or(0, Vec::len) {
        if rows.iter().any(|row| was_float(&row[column])) {
            return Err(refused("VALUES of numeric and floating-point values", "Cast them to one type."));
        }
        if rows.iter().any(|row| own_digits(&row[column]).is_some()) {
            for value in rows.iter_mut().map(|row| &mut row[column]) {
                *value = exact::to_numeric(own_digits(value).unwrap_or_else(|| value.clone()));
            }
        }
    }
    Ok(Transformed::yes(LogicalPlanBuilder::values(rows)?.build()?))
}

/// A number of VALUES as it was before DataFusion gave it the digits of the others: an integer among decimals (the type
/// has room for any integer then), or a decimal with fewer digits behind the point.
fn own_digits(expr: &Expr) -> Option<Expr> {
    let Expr::Cast(Cast { expr, field }) = expr else { return None };
    let DataType::Decimal128(precision, scale) = field.data_type() else { return None };
    let before = expr.get_type(&DFSchema::empty()).ok()?;
    let given = match (&**expr, before) {
        (Expr::Cast(_), DataType::Decimal128(_, before)) => before < *scale,
        (_, ty) => ty.is_integer() && *scale > 0 && i16::from(*precision) - i16::from(*scale) >= 19,
    };
    given.then(|| (**expr).clone())
}

/// Has DataFusion made a decimal of a floating-point number among decimals? It takes these precisions.
fn was_float(expr: &Expr) -> bool {
    let Expr::Cast(Cast { expr, field }) = expr else { return false };
    matches!(
        (expr.get_type(&DFSchema::empty()), field.data_type()),
        (Ok(DataType::Float32), DataType::Decimal128(_, 7)) | (Ok(DataType::Float64), DataType::Decimal128(_, 15))
    )
}

pub fn literal_text(expr: &Expr) -> bool {
    match expr {
        Expr::Literal(ScalarValue::Utf8(_), metadata) => metadata.is_none(),
        Expr::Alias(alias) => literal_text(&alias.expr),
        _ => false,
    }
}

fn is_string(ty: &DataType) -> bool {
    matches!(ty, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// PostgreSQL converts among types of one category by itself, not between categories.
pub fn category(ty: &DataType) -> char {
    match ty {
        DataType::Boolean => 'B',
        ty if ty.is_numeric() || *ty == NUMERIC => 'N',
        ty if is_string(ty) => 'S',
        DataType::Date32 | DataType::Timestamp(_, _) => 'D',
        DataType::Interval(_) | DataType::Duration(_) => 'T',
        DataType::List(_) | DataType::LargeList(_) => 'A',
        DataType::Time32(_) | DataType::Time64(_) => 't',
        DataType::Null => '-',
        _ => 'U',
    }
}

pub fn missing_operator(op: impl std::fmt::Display, left: &DataType, right: &DataType) -> DataFusionError {
    let (left, right) = (crate::output::type_name(left), crate::output::type_name(right));
    let error = EngineError::new("42883", format!("operator does not exist: {left} {op} {right}"));
    wrap(
        error.hint("No operator matches the given name and argument types. You might need to add explicit type casts."),
    )
}

fn narrow(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let type_of = |e: &Expr| e.get_type(schema).ok();
    match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), metadata) if i32::try_from(value).is_ok() => {
            Ok(Transformed::yes(Expr::Literal(ScalarValue::Int32(Some(value as i32)), metadata)))
        }
        Expr::Literal(ScalarValue::UInt64(Some(value)), metadata) => {
            Ok(Transformed::yes(Expr::Literal(ScalarValue::Decimal128(Some(i128::from(value)), 20, 0), metadata)))
        }
        Expr::Cast(Cast { expr, field }) if matches!(field.data_type(), DataType::List(_)) => {
            let DataType::List(element) = field.data_type() else { unreachable!("just looked at") };
            let from = expr.get_type(schema)?;
            array_types::cast(*expr, &from, element).map(Transformed::yes)
        }
        Expr::Cast(Cast { expr, field }) if is_bare_numeric(&field) => {
            Ok(Transformed::yes(match expr.get_type(schema)? {
                DataType::Decimal128(_, _) => *expr,
                ty if ty == NUMERIC => *expr,
                DataType::Int16 | DataType::Int32 => to(*expr, DataType::Decimal128(10, 0)),
                DataType::Int64 => to(*expr, DataType::Decimal128(19, 0)),
                _ => match &*expr {
                    Expr::Literal(ScalarValue::Utf8(Some(text)), _) => match numeric_literal(text)? {
                        Some(literal) => literal,
                        None => exact::to_numeric(*expr),
                    },
                    _ => exact::to_numeric(*expr),
                },
            }))
        }
        Expr::AggregateFunction(function) => aggregate(function, schema),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match (type_of(&left), type_of(&right)) {
            (Some(lt), Some(rt)) => binary(*left, lt, op, *right, rt),
            _ => Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right }))),
        },
        Expr::Negative(inner) if type_of(&inner).is_some_and(|t| t == NUMERIC) => {
            let zero = Expr::Literal(ScalarValue::Int32(Some(0)), None);
            Ok(Transformed::yes(exact::operator(zero, Operator::Minus, *inner).expect("numbers are subtracted")))
        }
        Expr::Between(Between { expr, negated, low, high })
            if [&expr, &low, &high].iter().any(|e| {
                literal_text(e)
                    || type_of(e)
                        .is_some_and(|t| t == NUMERIC || matches!(t, DataType::Interval(_) | DataType::List(_)))
            }) =>
        {
            let above = compare((*expr).clone(), Operator::GtEq, *low, schema)?;
            let both = above.and(compare(*expr, Operator::LtEq, *high, schema)?);
            Ok(Transformed::yes(if negated { not(both) } else { both }))
        }
        Expr::InList(InList { expr, list, negated })
            if list.iter().chain([&*expr]).any(|e| {
                type_of(e).is_some_and(|t| t == NUMERIC || matches!(t, DataType::Interval(_) | DataType::List(_)))
            }) =>
        {
            let exact = list.iter().chain([&*expr]).all(|e| type_of(e).is_some_and(|t| exact::is_exact(&t)));
            if exact {
                let any = exact::one_of(*expr, list);
                return Ok(Transformed::yes(if negated { not(any) } else { any }));
            }
            if expr.is_volatile() {
                return Err(refused("IN over volatile numeric values and others", "Cast them to numeric."));
            }
            let mut any = Expr::Literal(ScalarValue::Boolean(Some(false)), None);
            for item in list {
                any = any.or(compare((*expr).clone(), Operator::Eq, item, schema)?);
            }
            Ok(Transformed::yes(if negated { not(any) } else { any }))
        }
        Expr::InList(InList { expr, list, negated }) => {
            let Some(ty) = type_of(&expr) else {
                return Ok(Transformed::no(Expr::InList(InList { expr, list, negated })));
            };
            let mut items = Vec::with_capacity(list.len());
            for item in list {
                items.push(match type_of(&item) {
                    Some(_) if literal_text(&item) && !is_string(&ty) => typed_literal(item, &ty)?,
                    Some(t) if is_string(&t) != is_string(&ty) && t != DataType::Null && ty != DataType::Null => {
                        return Err(missing_operator("=", &ty, &t));
                    }
                    _ => item,
                });
            }
            Ok(Transformed::yes(Expr::InList(InList { expr, list: items, negated })))
        }
        Expr::Case(Case { expr, mut when_then_expr, mut else_expr }) => {
            if expr.is_none() {
                for (when, _) in &when_then_expr {
                    boolean(when, schema, "CASE/WHEN")?;
                }
            } else if expr.as_deref().and_then(type_of).is_some_and(|t| has_many_forms(&t)) {
                return Err(refused(
                    "CASE over numeric (without precision) or interval values",
                    "Write CASE WHEN x = ... THEN.",
                ));
            }
            let results = when_then_expr.iter_mut().map(|(_, then)| &mut **then).chain(else_expr.as_deref_mut());
            unify(results.collect(), schema, "CASE")?;
            Ok(Transformed::yes(Expr::Case(Case { expr, when_then_expr, else_expr })))
        }
        Expr::Not(inner) => {
            boolean(&inner, schema, "NOT")?;
            Ok(Transformed::no(Expr::Not(inner)))
        }
        Expr::ScalarFunction(function) => scalar(function, schema),
        expr => Ok(Transformed::no(expr)),
    }
}

/// What stands where a condition is wanted must be boolean.
fn boolean(expr: &Expr, schema: &DFSchema, place: &str) -> Result<()> {
    match expr.get_type(schema) {
        Ok(ty) if !matches!(ty, DataType::Boolean | DataType::Null) && !literal_text(expr) => {
            let ty = crate::output::type_name(&ty);
            Err(wrap(EngineError::new("42804", format!("argument of {place} must be type boolean, not type {ty}"))))
        }
        _ => Ok(()),
    }
}

/// A comparison of operands that have been narrowed.
fn compare(left: Expr, op: Operator, right: Expr, schema: &DFSchema) -> Result<Expr> {
    let (lt, rt) = (left.get_type(schema)?, right.get_type(schema)?);
    Ok(binary(left, lt, op, right, rt)?.data)
}

fn binary(left: Expr, lt: DataType, op: Operator, right: Expr, rt: DataType) -> Result<Transformed<Expr>> {
    let arithmetic =
        matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply | Operator::Divide | Operator::Modulo);
    let comparison = op.supports_propagation()
        || matches!(op, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom | Operator::NotEq);
    let unchanged = |left: Expr, right: Expr| {
        Transformed::no(Expr::BinaryExpr(BinaryExpr { left: Box::new(left), op, right: Box::new(right) }))
    };
    let changed = |left: Expr, right: Expr| Transformed::yes(unchanged(left, right).data);
    if matches!(op, Operator::And | Operator::Or) {
        for (operand, ty) in [(&left, &lt), (&right, &rt)] {
            if !matches!(ty, DataType::Boolean | DataType::Null) && !literal_text(operand) {
                let ty = crate::output::type_name(ty);
                let message = format!("argument of {op} must be type boolean, not type {ty}");
                return Err(wrap(EngineError::new("42804", message)));
            }
        }
        return Ok(unchanged(left, right));
    }
    if (matches!(lt, DataType::List(_)) || matches!(rt, DataType::List(_)))
        && let Some(expr) = array_types::binary(left.clone(), &lt, op, right.clone(), &rt)?
    {
        array_types::same_elements(op, (&left, &lt), (&right, &rt))?;
        return Ok(Transformed::yes(expr));
    }
    if let Some(expr) = crate::operand_types::checked(&left, &lt, op, &right, &rt)? {
        return Ok(Transformed::yes(expr));
    }
    if op == Operator::StringConcat && category(&lt) == 'N' && category(&rt) == 'N' {
        return Err(missing_operator(op, &lt, &rt));
    }
    if op == Operator::StringConcat && (lt == NUMERIC || rt == NUMERIC) {
        let text = |e: Expr, ty: &DataType| if *ty == NUMERIC { to(e, DataType::Utf8) } else { e };
        return Ok(changed(text(left, &lt), text(right, &rt)));
    }
    if !arithmetic && !comparison {
        return Ok(unchanged(left, right));
    }
    let constants = (literal_text(&left), literal_text(&right));
    let (left, right) = quoted(left, &lt, op, right, &rt)?;
    let adapted = |expr: &Expr, ty, constant| {
        if constant { expr.get_type(&DFSchema::empty()) } else { Ok(ty) }
    };
    let (lt, rt) = (adapted(&left, lt, constants.0)?, adapted(&right, rt, constants.1)?);
    let intervals = |a: &DataType, b: &DataType| {
        matches!((category(a), category(b)), ('D' | 't' | 'T', 'T' | 'N') | ('T' | 'N', 'D' | 't'))
    };
    if category(&lt) != category(&rt) && lt != DataType::Null && rt != DataType::Null {
        if comparison || is_string(&lt) || is_string(&rt) || lt == DataType::Boolean || rt == DataType::Boolean {
            return Err(missing_operator(op, &lt, &rt));
        }
        if !intervals(&lt, &rt) {
            return Ok(unchanged(left, right));
        }
    }
    if category(&lt) == 'N' && category(&rt) == 'N' {
        let floating = lt.is_floating() || rt.is_floating();
        if floating && op == Operator::Modulo {
            return Err(missing_operator(op, &lt, &rt));
        }
        if floating {
            let float =
                |e: Expr, ty: &DataType| if *ty == NUMERIC { exact::to_float(e) } else { to(e, DataType::Float64) };
            if lt == NUMERIC || rt == NUMERIC || (lt == DataType::Float32) != (rt == DataType::Float32) {
                return Ok(changed(float(left, &lt), float(right, &rt)));
            }
        } else if (lt == NUMERIC || rt == NUMERIC)
            && matches!(op, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom)
        {
            return Err(refused("IS DISTINCT FROM over numeric values without precision", GROUP_HINT));
        } else if lt == NUMERIC
            || rt == NUMERIC
            || matches!(op, Operator::Divide | Operator::Modulo) && (exact::is_numeric(&lt) || exact::is_numeric(&rt))
            || op == Operator::Multiply
                && digits(&lt) + digits(&rt) > 38
                && exact::is_numeric(&lt)
                && exact::is_numeric(&rt)
        {
            return match exact::operator(left.clone(), op, right.clone()) {
                Some(expr) => Ok(Transformed::yes(expr)),
                None => Err(missing_operator(op, &lt, &rt)),
            };
        }
        return Ok(unchanged(left, right));
    }
    if comparison && category(&lt) == 'D' && category(&rt) == 'D' && lt != rt {
        // Not what DataFusion makes of the constants among them.
        let ty = crate::arrays::common(&[lt, rt]).expect("dates and timestamps have one");
        return Ok(changed(to(left, ty.clone()), to(right, ty)));
    }
    if comparison && matches!((&lt, &rt), (DataType::Interval(_), DataType::Interval(_))) {
        return Ok(changed(crate::interval::key(left), crate::interval::key(right)));
    }
    if let Some(expr) = crate::time_functions::operator(left.clone(), &lt, op, right.clone(), &rt) {
        return Ok(Transformed::yes(expr));
    }
    Ok(unchanged(left, right))
}

/// A constant in quotes takes the other operand's type.
/// Texts have no arithmetic.
fn no_text(left: &Expr, lt: &DataType, op: Operator, right: &Expr, rt: &DataType) -> Result<()> {
    let text = |e: &Expr, ty: &DataType| is_string(ty) && !literal_text(e);
    if !text(left, lt) && !text(right, rt) {
        return Ok(());
    }
    let shown = |e: &Expr, ty: &DataType| if literal_text(e) { DataType::Null } else { ty.clone() };
    Err(missing_operator(op, &shown(left, lt), &shown(right, rt)))
}

fn quoted(left: Expr, lt: &DataType, op: Operator, right: Expr, rt: &DataType) -> Result<(Expr, Expr)> {
    let arithmetic = !op.supports_propagation();
    match (literal_text(&left), literal_text(&right)) {
        (true, true) if arithmetic => {
            Err(wrap(EngineError::new("42725", format!("operator is not unique: unknown {op} unknown"))))
        }
        (false, true) if !is_string(lt) && *lt != DataType::Null => {
            if *lt == DataType::Date32 && op == Operator::Plus {
                return Err(wrap(EngineError::new("42725", "operator is not unique: date + unknown")));
            }
            if matches!(lt, DataType::Timestamp(_, _)) && op == Operator::Plus {
                return Ok((left, crate::interval::from_text(right)));
            }
            let right = typed_literal(right, lt)?;
            Ok((left, right))
        }
        (true, false) if !is_string(rt) && *rt != DataType::Null => Ok((typed_literal(left, rt)?, right)),
        _ => Ok((left, right)),
    }
}

/// The constant in quotes as a value of `ty`. It is read now, as PostgreSQL does: even where it is never used it must be
/// valid.
pub fn typed_literal(expr: Expr, ty: &DataType) -> Result<Expr> {
    let field = Field::new("", ty.clone(), true);
    let text = match &expr {
        Expr::Literal(value @ ScalarValue::Utf8(_), _) => value.to_array()?,
        Expr::Alias(alias) => {
            let name = alias.name.clone();
            return Ok(typed_literal((*alias.expr).clone(), ty)?.alias(name));
        }
        _ => return Ok(to(expr, ty.clone())),
    };
    if let (Some(element), Expr::Literal(ScalarValue::Utf8(Some(text)), _)) = (element_of(ty), &expr) {
        return array_types::constant(text, &Field::new_list_field(element.clone(), true));
    }
    if *ty == NUMERIC {
        let number = crate::numeric::to_array(std::iter::once(crate::numeric::read(&text, 0))).map_err(wrap)?;
        return Ok(Expr::Literal(ScalarValue::try_from_array(&number, 0)?, None));
    }
    if let (DataType::Decimal128(_, _), Expr::Literal(ScalarValue::Utf8(Some(text)), _)) = (ty, &expr) {
        // With its own digits.
        return Ok(numeric_literal(text)?.unwrap_or_else(|| exact::to_numeric(expr)));
    }
    match target(&DataType::Utf8, &field) {
        Some(ty) => {
            let value = cast(&text, ty, Purpose::Explicit).map_err(wrap)?;
            Ok(Expr::Literal(ScalarValue::try_from_array(&value, 0)?, None))
        }
        None if matches!(ty, DataType::Interval(_)) => Ok(crate::interval::from_text(expr)),
        None => Ok(to(expr, ty.clone())),
    }
}

/// A value of a type of ours, which may be numeric.
pub fn to_known(expr: Expr, ty: &DataType) -> Expr {
    if *ty == NUMERIC { exact::to_numeric(expr) } else { to(expr, ty.clone()) }
}

/// Digits that values of an exact type may have.
fn digits(ty: &DataType) -> u32 {
    match ty {
        DataType::Decimal128(precision, _) => u32::from(*precision),
        DataType::Int64 | DataType::UInt64 => 19,
        _ => 10,
    }
}

/// Gives the alternatives of a CASE and the like one type: constants in quotes take the others', numbers with different
/// digits behind the point keep theirs.
pub fn unify(alternatives: Vec<&mut Expr>, schema: &DFSchema, what: &str) -> Result<()> {
    let Some(types) = alternatives.iter().map(|e| e.get_type(schema).ok()).collect::<Option<Vec<_>>>() else {
        return Ok(());
    };
    let known: Vec<&DataType> = types
        .iter()
        .zip(&alternatives)
        .filter(|(ty, e)| **ty != DataType::Null && !literal_text(e))
        .map(|(ty, _)| ty)
        .collect();
    let Some(first) = known.first() else { return Ok(()) };
    if let Some(other) = known.iter().find(|t| category(t) != category(first)) {
        let (a, b) = (crate::output::type_name(first), crate::output::type_name(other));
        return Err(wrap(EngineError::new("42804", format!("{what} types {a} and {b} cannot be matched"))));
    }
    let padded: Vec<bool> = alternatives
        .iter()
        .filter(|e| !literal_text(e) && !matches!(e, Expr::Literal(value, _) if value.is_null()))
        .map(|e| is_padded(e, schema))
        .collect();
    if padded.first() == Some(&true) && padded.contains(&false) {
        return Err(refused(&format!("{what} of char(n) values and others"), "Cast them to text."));
    }
    let floating = known.iter().any(|t| t.is_floating());
    let numeric = category(first) == 'N' && !floating && mixed(&known);
    let target = if floating || category(first) == 'D' {
        let types: Vec<DataType> = known.iter().map(|ty| (*ty).clone()).collect();
        crate::arrays::common(&types).expect("they are of one category")
    } else {
        // The widest integer; of other types, the first.
        known.iter().find(|t| ***t == DataType::Int64).map_or((*first).clone(), |t| (*t).clone())
    };
    for (expr, ty) in alternatives.into_iter().zip(&types) {
        let taken = |expr: &mut Expr| std::mem::replace(expr, Expr::Literal(ScalarValue::Null, None));
        if *ty == DataType::Null {
            continue;
        }
        if numeric {
            *expr = exact::to_numeric(taken(expr));
        } else if *ty == NUMERIC && floating {
            *expr = to(exact::to_float(taken(expr)), target.clone());
        } else if (floating || category(first) == 'D') && *ty != target && !literal_text(expr) {
            *expr = to(taken(expr), target.clone());
        } else if literal_text(expr) && category(first) != 'S' {
            *expr = typed_literal(taken(expr), &target)?;
        }
    }
    Ok(())
}

/// Do numbers of these types show different numbers of digits behind the point?
pub fn mixed(types: &[&DataType]) -> bool {
    let scale = |ty: &DataType| match ty {
        DataType::Decimal128(_, scale) => i32::from(*scale),
        ty if *ty == NUMERIC => i32::MAX,
        _ => 0,
    };
    types.iter().any(|t| **t == NUMERIC) || types.iter().any(|t| scale(t) != scale(types[0]))
}

fn aggregate(function: AggregateFunction, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let AggregateFunction { func, mut params } = function;
    let name = func.name().to_string();
    let Some(Ok(ty)) = params.args.first().map(|a| a.get_type(schema)) else {
        return Ok(Transformed::no(Expr::AggregateFunction(AggregateFunction { func, params })));
    };
    let given = Arguments { args: &mut params.args, order_by: &mut params.order_by, distinct: &mut params.distinct };
    aggregate_arguments::prepare(&name, given, schema)?;
    if name == "string_agg" && ty == DataType::Binary {
        return Err(refused("string_agg of bytea values", "Gather them with array_agg."));
    }
    if let Some(exact) = of_pairs(&name, &mut params.args, schema)? {
        return Ok(Transformed::yes(Expr::AggregateFunction(AggregateFunction { func: exact, params })));
    }
    if has_many_forms(&ty) && params.distinct {
        return Err(refused(&format!("{name}(DISTINCT) of numeric values without precision"), GROUP_HINT));
    }
    for sort in &params.order_by {
        if sort.expr.get_type(schema).is_ok_and(|t| has_many_forms(&t)) {
            return Err(refused("an aggregate ordered by numeric (without precision) or interval values", GROUP_HINT));
        }
    }
    let exact = crate::floats::extreme(&name, &ty).map(Some);
    if let Some(exact) = exact.or_else(|| other_aggregate(&name, &ty, &mut params.args)) {
        return Ok(Transformed::yes(Expr::AggregateFunction(AggregateFunction {
            func: exact.unwrap_or(func),
            params,
        })));
    }
    Ok(Transformed::no(Expr::AggregateFunction(AggregateFunction { func, params })))
}

/// Is this made from values of a type that is held as another (`name` as text, `oid` as bigint), in a way that forgets it?
fn loses_type(expr: &Expr, schema: &DFSchema) -> bool {
    let held = |field: &Field| {
        let tag = field.metadata().get(TYPE_KEY).and_then(|tag| tag.split(',').next());
        matches!(tag, Some("18" | "19" | "26" | "1042" | "1043"))
    };
    let Ok((_, field)) = expr.to_field(schema) else { return false };
    if held(&field) {
        return false;
    }
    let array = element_of(field.data_type());
    let passes = match expr {
        Expr::Case(_) => true,
        Expr::ScalarFunction(f) => matches!(f.name(), "coalesce" | "nullif" | "greatest" | "least" | "pg_once"),
        _ => false,
    };
    if array.is_some() && matches!(expr, Expr::Column(_)) {
        return array == Some(&DataType::Utf8);
    }
    (passes || array.is_some())
        && expr
            .exists(|e| {
                let cast =
                    matches!(e, Expr::Cast(cast) if matches!(cast.field.data_type(), DataType::List(i) if held(i)));
                Ok(cast || tagged_field(e, schema).is_some_and(|field| held(&field)))
            })
            .unwrap_or(false)
}

/// `corr` and its sisters, over double precision.
fn of_pairs(
    name: &str,
    args: &mut [Expr],
    schema: &DFSchema,
) -> Result<Option<Arc<datafusion::logical_expr::AggregateUDF>>> {
    let Some(exact) = crate::regression::aggregate(name).filter(|_| args.len() == 2) else { return Ok(None) };
    for arg in args {
        let ty = arg.get_type(schema)?;
        if category(&ty) != 'N' && ty != DataType::Null && !literal_text(arg) {
            let ty = crate::output::type_name(&ty);
            return Err(wrap(EngineError::new("42883", format!("function {name}({ty}) does not exist"))));
        }
        let taken = std::mem::replace(arg, Expr::Literal(ScalarValue::Null, None));
        *arg = if ty == NUMERIC { exact::to_float(taken) } else { to(taken, DataType::Float64) };
    }
    Ok(Some(exact))
}

/// Does PostgreSQL compute this aggregate otherwise? `Some(None)`: by the same function, over changed arguments.
fn other_aggregate(
    name: &str,
    ty: &DataType,
    args: &mut Vec<Expr>,
) -> Option<Option<Arc<datafusion::logical_expr::AggregateUDF>>> {
    if name == "sum" && *ty == DataType::Int64 {
        let argument = args.remove(0);
        args.insert(0, to(argument, DataType::Decimal128(19, 0)));
        return Some(None);
    }
    if ty.is_floating() {
        return crate::floats::aggregate(name, ty).map(Some);
    }
    if !exact::is_exact(ty) {
        return None;
    }
    exact::aggregate(name, ty).map(Some)
}

/// Aggregates over windows; everything else in a window's expressions stays as it is.
fn window(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    let Expr::WindowFunction(mut function) = expr else { return Ok(Transformed::no(expr)) };
    let numeric = |e: &Expr| e.get_type(schema).is_ok_and(|t| has_many_forms(&t));
    let WindowFunction { fun, params } = &mut *function;
    if params.partition_by.iter().any(numeric) || params.order_by.iter().any(|s| numeric(&s.expr)) {
        return Err(refused("a window over numeric values without precision", GROUP_HINT));
    }
    aggregate_arguments::distances(&params.window_frame, &mut params.order_by, schema)?;
    let WindowFunctionDefinition::AggregateUDF(func) = fun else {
        window_arguments::prepare(&mut function, schema)?;
        return Ok(Transformed::yes(Expr::WindowFunction(function)));
    };
    let Some(Ok(ty)) = params.args.first().map(|a| a.get_type(schema)) else {
        return Ok(Transformed::no(Expr::WindowFunction(function)));
    };
    // The window's order is not the aggregate's.
    let given = Arguments { args: &mut params.args, order_by: &mut vec![], distinct: &mut params.distinct };
    aggregate_arguments::prepare(func.name(), given, schema)?;
    let pairs = of_pairs(func.name(), &mut params.args, schema)?;
    let moves = !params.window_frame.start_bound.is_unbounded();
    let moving = if moves { crate::floats::over_moving_frame(func.name(), &ty) } else { None };
    match moving.or(pairs).map(Some).or_else(|| other_aggregate(func.name(), &ty, &mut params.args)) {
        Some(exact) => {
            if let Some(exact) = exact {
                *func = exact;
            }
            Ok(Transformed::yes(Expr::WindowFunction(function)))
        }
        None => Ok(Transformed::no(Expr::WindowFunction(function))),
    }
}

fn scalar(mut function: ScalarFunction, schema: &DFSchema) -> Result<Transformed<Expr>> {
    if let Some(expr) = array_types::function(function.clone(), schema)? {
        return Ok(Transformed::yes(expr));
    }
    if let Some(expr) = crate::signatures::checked(function.clone(), schema)? {
        return Ok(Transformed::yes(expr));
    }
    let name = function.name().to_string();
    let types: Vec<Option<DataType>> = function.args.iter().map(|a| a.get_type(schema).ok()).collect();
    let first = types.first().cloned().flatten();
    match name.as_str() {
        "pg_numeric" => return Ok(Transformed::yes(exact::to_numeric(function.args.remove(0)))),
        "coalesce" => {
            unify(function.args.iter_mut().collect(), schema, "COALESCE")?;
            let once = once::once(&function, schema)?;
            return Ok(Transformed::yes(once.unwrap_or(Expr::ScalarFunction(function))));
        }
        "pg_typeof"
            if function
                .args
                .first()
                .is_some_and(|a| literal_text(a) || matches!(a, Expr::Literal(ScalarValue::Null, _))) =>
        {
            let regtype = FieldMetadata::new_from_field(&tagged("", DataType::Utf8, crate::system::REGTYPE));
            let unknown = ScalarValue::Utf8(Some("unknown".into()));
            return Ok(Transformed::yes(Expr::Literal(unknown, Some(regtype))));
        }
        "pg_typeof" if function.args.first().is_some_and(|a| loses_type(a, schema)) => {
            return Err(refused("pg_typeof of a value whose type is held as another", "Cast the value first."));
        }
        "concat" | "concat_ws" if types.iter().flatten().any(|t| *t == DataType::Boolean) => {
            return Err(refused(&format!("{name} of boolean values"), "Cast them to text."));
        }
        "nullif" if function.args.len() == 2 && types[0] != types[1] => {
            if let Some(expr) = null_if(&function.args, schema)? {
                return Ok(Transformed::yes(expr));
            }
        }
        // Its last digit is the C library's.
        "pg_cube_root" if first.as_ref().is_some_and(exact::is_numeric) => {
            return Err(refused("the cube root of numeric values", "Cast the argument to double precision."));
        }
        "signum" if first.as_ref().is_some_and(DataType::is_floating) => {
            return Ok(Transformed::yes(crate::floats::sign().call(function.args)));
        }
        _ => {}
    }
    match name.as_str() {
        "greatest" | "least" | "nullif" => {
            if types.iter().flatten().any(|t| has_many_forms(t) || element_of(t).is_some()) {
                return Err(refused(
                    &format!("{name} of numeric (without precision), interval or array values"),
                    "Write it as CASE.",
                ));
            }
            if name != "nullif" {
                unify(function.args.iter_mut().collect(), schema, &name.to_uppercase())?;
                if function.args.iter().any(|a| a.get_type(schema).is_ok_and(|t| t == NUMERIC)) {
                    return Err(refused(
                        &format!("{name} of numbers of different scales"),
                        "Cast to one numeric(p,s).",
                    ));
                }
            }
            let once = once::once(&function, schema)?;
            return Ok(Transformed::yes(once.unwrap_or(Expr::ScalarFunction(function))));
        }
        _ => {}
    }
    if matches!(name.as_str(), "round" | "trunc")
        && types.len() == 2
        && first.as_ref().is_some_and(DataType::is_floating)
    {
        let error = EngineError::new("42883", format!("function {name}(double precision, integer) does not exist"));
        return Err(wrap(error.hint("You might need to add explicit type casts.")));
    }
    let numeric = types.iter().flatten().any(exact::is_numeric)
        || matches!(name.as_str(), "round" | "trunc")
            && types.len() == 2
            && first.as_ref().is_some_and(DataType::is_integer);
    let float = types.iter().flatten().any(DataType::is_floating);
    if numeric && !float {
        // With constant digits, a declared precision stays one.
        if let ("round", [_, Expr::Literal(ScalarValue::Int32(Some(places)), _)]) =
            (name.as_str(), function.args.as_slice())
            && (0..=20).contains(places)
            && first.as_ref().is_some_and(|t| matches!(t, DataType::Decimal128(_, _)))
        {
            let Some(DataType::Decimal128(precision, scale)) = first else { unreachable!("just looked at") };
            let places = *places as i8;
            let precision = (i16::from(precision) - i16::from(scale) + i16::from(places) + 1).max(1);
            if precision <= 38 {
                let value = function.args.swap_remove(0);
                return Ok(Transformed::yes(to(value, DataType::Decimal128(precision as u8, places))));
            }
        }
        // Arrow's own abs keeps the declared precision.
        if name == "abs" && !types.iter().flatten().any(|t| *t == NUMERIC) {
            return Ok(Transformed::no(Expr::ScalarFunction(function)));
        }
        if let Some(expr) = exact::function(&name, function.args.clone()) {
            return Ok(Transformed::yes(expr));
        }
        let float = ["power", "pow", "exp", "ln", "log", "log10", "log2"];
        if float.contains(&name.as_str()) || name.starts_with("pg_") && float.contains(&&name[3..]) {
            return Err(refused(&format!("{name} of numeric values"), "Cast the argument to double precision."));
        }
    }
    if crate::floats::OF_DOUBLES.contains(&name.as_str()) && first == Some(NUMERIC) {
        function.args = function.args.into_iter().map(exact::to_float).collect();
        return Ok(Transformed::yes(Expr::ScalarFunction(function)));
    }
    Ok(Transformed::no(Expr::ScalarFunction(function)))
}

/// `nullif(a, b)` of two types that are compared without converting `a`, whose type the result has. `None` for others.
fn null_if(args: &[Expr], schema: &DFSchema) -> Result<Option<Expr>> {
    let (lt, rt) = (args[0].get_type(schema)?, args[1].get_type(schema)?);
    let alike = lt.is_integer() && rt.is_integer()
        || lt.is_floating() && rt.is_floating()
        || category(&lt) == 'D' && category(&rt) == 'D';
    if !alike || args[0].is_volatile() {
        return Ok(None);
    }
    let equal = compare(args[0].clone(), Operator::Eq, args[1].clone(), schema)?;
    let null = Expr::Literal(ScalarValue::try_from(&lt)?, None);
    let case = Case {
        expr: None,
        when_then_expr: vec![(Box::new(equal), Box::new(null))],
        else_expr: Some(Box::new(args[0].clone())),
    };
    Ok(Some(Expr::Case(case)))
}

/// How the tag of char(n) begins.
pub const CHAR: &str = "1042,";
/// And that of varchar.
pub const VARCHAR: &str = "1043,";

const GROUP_HINT: &str = "Cast to numeric(p,s) or double precision.";

/// May equal values of this type have different bytes?
pub fn has_many_forms(ty: &DataType) -> bool {
    let ty = element_of(ty).unwrap_or(ty);
    *ty == NUMERIC || matches!(ty, DataType::Interval(_) | DataType::Duration(_))
}

/// The last word on numeric (without precision) or interval values: sorted by their keys, and nowhere compared as bytes.
fn keys(plan: LogicalPlan) -> Result<LogicalPlan> {
    let many_forms = has_many_forms;
    let numeric = |plan: &LogicalPlan| plan.schema().fields().iter().any(|f| many_forms(f.data_type()));
    let done = plan.transform_up_with_subqueries(|plan| match plan {
        LogicalPlan::Sort(mut sort) => {
            let schema = sort.input.schema().clone();
            for key in &mut sort.expr {
                match key.expr.get_type(&schema)? {
                    ty if ty == NUMERIC => key.expr = exact::sort_key(key.expr.clone()),
                    DataType::Interval(_) => key.expr = crate::interval::key(key.expr.clone()),
                    _ => {}
                }
            }
            Ok(Transformed::yes(LogicalPlan::Sort(sort)))
        }
        LogicalPlan::Aggregate(ref aggregate) => {
            let schema = aggregate.input.schema();
            let grouping = |e: &Expr| match e {
                Expr::GroupingSet(set) => set.distinct_expr().into_iter().cloned().collect(),
                e => vec![e.clone()],
            };
            let groups: Vec<Expr> = aggregate.group_expr.iter().flat_map(grouping).collect();
            if groups.iter().any(|e| e.get_type(schema).is_ok_and(|t| many_forms(&t))) {
                return Err(refused("GROUP BY numeric (without precision) or interval values", GROUP_HINT));
            }
            Ok(Transformed::no(plan))
        }
        LogicalPlan::Distinct(Distinct::All(ref input)) if numeric(input) => {
            Err(refused("DISTINCT over numeric (without precision) or interval values", GROUP_HINT))
        }
        LogicalPlan::Distinct(Distinct::On(ref on))
            if on.on_expr.iter().any(|e| e.get_type(on.input.schema()).is_ok_and(|t| many_forms(&t))) =>
        {
            Err(refused("DISTINCT ON numeric (without precision) or interval values", GROUP_HINT))
        }
        LogicalPlan::Join(ref join)
            if join.on.iter().any(|(l, _)| l.get_type(join.left.schema()).is_ok_and(|t| many_forms(&t))) =>
        {
            Err(refused("a join by numeric (without precision) or interval values", GROUP_HINT))
        }
        LogicalPlan::Join(ref join)
            if join.on.iter().any(|(l, r)| {
                let tag = |e: &Expr, side: &LogicalPlan| {
                    tagged_field(e, side.schema())
                        .map(|f| f.metadata()[TYPE_KEY].clone())
                        .filter(|t| t.starts_with(CHAR))
                };
                tag(l, &join.left) != tag(r, &join.right)
            }) =>
        {
            Err(refused("EXCEPT and INTERSECT of char(n) values and others", "Cast them to text."))
        }
        LogicalPlan::Filter(ref filter) => {
            let schema = filter.input.schema();
            let mut refusal = None;
            filter.predicate.apply(|e| {
                if let Expr::InSubquery(subquery) = e
                    && subquery.expr.get_type(schema).is_ok_and(|t| many_forms(&t))
                {
                    refusal = Some(refused(
                        "IN (SELECT ...) over numeric (without precision) or interval values",
                        GROUP_HINT,
                    ));
                }
                Ok(datafusion::common::tree_node::TreeNodeRecursion::Continue)
            })?;
            refusal.map_or(Ok(Transformed::no(plan)), Err)
        }
        plan => Ok(Transformed::no(plan)),
    })?;
    Ok(done.data)
}

/// The constant as `numeric(p,s)`, if it fits one.
fn numeric_literal(text: &str) -> Result<Option<Expr>> {
    let crate::numeric::Numeric::Finite(number) = crate::numeric::Numeric::parse(text).map_err(wrap)? else {
        return Ok(None);
    };
    let value: Option<i128> = number.value.clone().try_into().ok();
    Ok(match (value, u8::try_from(number.scale)) {
        (Some(value), Ok(scale)) if scale <= 38 && value.unsigned_abs() < 10u128.pow(38) => {
            let precision = (value.unsigned_abs().to_string().len() as u8).max(scale).max(1);
            Some(Expr::Literal(ScalarValue::Decimal128(Some(value), precision, scale as i8), None))
        }
        _ => None,
    })
}

pub fn to(expr: Expr, ty: DataType) -> Expr {
    Expr::Cast(Cast { expr: Box::new(expr), field: Arc::new(Field::new("", ty, true)) })
}

#[derive(Debug)]
struct Operators;

impl AnalyzerRule for Operators {
    fn name(&self) -> &str {
        "pg_operators"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        keys(rewrite(plan, operators, |p| matches!(p, LogicalPlan::Limit(_)))?)
    }
}

/// The field of an expression that has a type of ours.
fn tagged_field(expr: &Expr, schema: &DFSchema) -> Option<Arc<Field>> {
    // Operators have none, and a field's name costs as much as the expression is long.
    if matches!(expr, Expr::BinaryExpr(_)) {
        return None;
    }
    let (_, field) = expr.to_field(schema).ok()?;
    field.metadata().contains_key(TYPE_KEY).then_some(field)
}

pub fn is_padded(expr: &Expr, schema: &DFSchema) -> bool {
    tagged_field(expr, schema).is_some_and(|f| f.metadata()[TYPE_KEY].starts_with(CHAR))
}

fn is_tagged(expr: &Expr, schema: &DFSchema) -> bool {
    tagged_field(expr, schema).is_some_and(|f| *f.data_type() == DataType::Utf8)
}

fn casts_to_text(field: &Field) -> bool {
    *field.data_type() == DataType::Utf8 && !field.metadata().get(TYPE_KEY).is_some_and(|t| t.starts_with("1042,"))
}

fn operators(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (lt, rt) = (left.get_type(schema)?, right.get_type(schema)?);
            let arithmetic = matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply);
            if arithmetic && lt.is_integer() && lt == rt {
                return Ok(Transformed::yes(checked(op).call(vec![*left, *right])));
            }
            if (arithmetic || op == Operator::Divide) && lt.is_floating() && lt == rt {
                return Ok(Transformed::yes(float_arithmetic(op).call(vec![*left, *right])));
            }
            if arithmetic && matches!((&lt, &rt), (DataType::Decimal128(_, _), DataType::Decimal128(_, _))) {
                return Ok(Transformed::yes(decimal_arithmetic(op).call(vec![*left, *right])));
            }
            let comparison = op.supports_propagation() || op == Operator::NotEq;
            let regex = matches!(
                op,
                Operator::RegexMatch | Operator::RegexNotMatch | Operator::RegexIMatch | Operator::RegexNotIMatch
            );
            if regex && is_padded(&left, schema) {
                return Err(refused("a regular expression over char(n) values", "Cast them to text."));
            }
            let (padded_left, padded_right) = (is_padded(&left, schema), is_padded(&right, schema));
            if (comparison || op == Operator::StringConcat) && (padded_left || padded_right) {
                // A char(n) is text without its padding. What is compared with it is a char(n) too, unless it is text.
                let trim = |e: Box<Expr>, padded: bool| {
                    let trims = padded || (comparison && (literal_text(&e) || is_tagged(&e, schema)));
                    if trims { Box::new(rtrim(vec![*e])) } else { e }
                };
                let expr = BinaryExpr { left: trim(left, padded_left), op, right: trim(right, padded_right) };
                return Ok(Transformed::yes(Expr::BinaryExpr(expr)));
            }
            Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })))
        }
        Expr::Like(like) if crate::like::differs(&like) => Ok(Transformed::yes(crate::like::call(like))),
        Expr::Negative(inner) if inner.get_type(schema)?.is_integer() => {
            let zero = Expr::Literal(ScalarValue::new_zero(&inner.get_type(schema)?)?, None);
            Ok(Transformed::yes(checked(Operator::Minus).call(vec![zero, *inner])))
        }
        Expr::ScalarFunction(mut function)
            if !matches!(function.name(), "pg_octet_length" | "pg_typeof" | "pg_bpchar" | "rtrim")
                && function.args.iter().any(|a| is_padded(a, schema)) =>
        {
            // To every function, char(n) is text without its padding.
            for argument in &mut function.args {
                if is_padded(argument, schema) {
                    *argument = rtrim(vec![argument.clone()]);
                }
            }
            Ok(Transformed::yes(Expr::ScalarFunction(function)))
        }
        Expr::InList(ref list) if is_padded(&list.expr, schema) => Err(refused("IN over char(n) values", "Use text.")),
        Expr::Cast(Cast { expr, field }) if casts_to_text(&field) && is_tagged(&expr, schema) => {
            // varchar(n) and char(n) become plain text, or varchar, without the padding.
            let padded = is_padded(&expr, schema);
            let expr = if padded { rtrim(vec![*expr]) } else { *expr };
            let ty = target(&DataType::Binary, &field).unwrap_or(PgType::Text);
            Ok(Transformed::yes(pg_cast(ty).call(vec![expr])))
        }
        Expr::Cast(Cast { expr, field })
            if field.data_type().is_integer()
                && tagged_field(&expr, schema).is_some_and(|f| f.metadata()[TYPE_KEY].starts_with("18,")) =>
        {
            Err(refused("a cast of \"char\" to a number", "Use ascii()."))
        }
        Expr::Cast(Cast { expr, field }) => {
            let from = expr.get_type(schema)?;
            match target(&from, &field) {
                Some(ty) => Ok(Transformed::yes(pg_cast(ty).call(vec![*expr]))),
                None => Ok(Transformed::no(Expr::Cast(Cast { expr, field }))),
            }
        }
        expr => Ok(Transformed::no(expr)),
    }
}

/// The type of a cast that PostgreSQL makes differently than Arrow; `None` where they agree.
pub fn target(from: &DataType, field: &Field) -> Option<PgType> {
    let to = field.data_type();
    let string = |t: &DataType| matches!(t, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let tagged = field.metadata().get(TYPE_KEY).and_then(|t| t.split_once(','));
    let typmod: i32 = tagged.and_then(|(_, m)| m.parse().ok()).unwrap_or(-1);
    let ty = match to {
        DataType::Utf8 => match tagged.map(|t| t.0) {
            Some("1043") if typmod >= 4 => PgType::Varchar(Some((typmod - 4) as u32)),
            Some("1043") => PgType::Varchar(None),
            Some("1042") if typmod >= 4 => PgType::Char((typmod - 4) as u32),
            _ => PgType::Text,
        },
        DataType::Boolean => PgType::Bool,
        DataType::Int16 => PgType::Int2,
        DataType::Int32 => PgType::Int4,
        DataType::Int64 => PgType::Int8,
        DataType::Float32 => PgType::Float4,
        DataType::Float64 => PgType::Float8,
        DataType::Decimal128(p, s) => PgType::Numeric(*p, *s),
        DataType::Date32 => PgType::Date,
        DataType::Timestamp(TimeUnit::Microsecond, None) => PgType::Timestamp,
        DataType::Timestamp(TimeUnit::Microsecond, Some(_)) => PgType::Timestamptz,
        DataType::Binary => PgType::Bytea,
        DataType::FixedSizeBinary(16) => PgType::Uuid,
        _ => return None,
    };
    let widening = matches!(
        (from, to),
        (DataType::Int16, DataType::Int32 | DataType::Int64)
            | (DataType::Int32, DataType::Int64)
            | (
                DataType::Int16 | DataType::Int32 | DataType::Int64,
                DataType::Float32 | DataType::Float64 | DataType::Decimal128(_, _)
            )
            | (DataType::Float32, DataType::Float64)
            | (DataType::Null, _)
    );
    let same = from == to && !(string(to) && matches!(ty, PgType::Varchar(Some(_)) | PgType::Char(_)));
    (!widening && !same).then_some(ty)
}

/// A cast with PostgreSQL's rules.
pub fn pg_cast(to: PgType) -> Function {
    let body = move |call: &crate::function::Call| cast(&call.args[0], to, Purpose::Explicit);
    // Those of times depend on the zone; a plan does not live longer than its statement, so constants may be folded.
    let function = Function::new("pg_cast", 1, to.arrow(), Volatility::Immutable, body).variant(to);
    match to {
        PgType::Varchar(_) | PgType::Char(_) | PgType::Numeric(_, _) => {
            let tag = format!("{},{}", to.oid(), to.typmod());
            let field = Field::new("pg_cast", to.arrow(), true).with_metadata([(TYPE_KEY.to_string(), tag)].into());
            function.returning_field(field)
        }
        _ => function,
    }
}

/// Arithmetic of two operands of the first one's type.
fn arithmetic(
    name: &'static str,
    body: impl Fn(&ArrayRef, &ArrayRef) -> engine::Result<ArrayRef> + Send + Sync + 'static,
) -> Function {
    let function =
        Function::new(name, 2, DataType::Null, Volatility::Immutable, move |call| body(&call.args[0], &call.args[1]));
    function.returning(|args| Ok(args.arg_fields[0].data_type().clone()))
}

/// Integer arithmetic that overflows with 22003.
fn checked(op: Operator) -> Function {
    let name = match op {
        Operator::Plus => "pg_add",
        Operator::Minus => "pg_subtract",
        _ => "pg_multiply",
    };
    arithmetic(name, move |left, right| {
        let result = match op {
            Operator::Plus => numeric::add(left, right),
            Operator::Minus => numeric::sub(left, right),
            _ => numeric::mul(left, right),
        };
        result.map_err(|_| {
            let ty = crate::output::type_name(left.data_type());
            EngineError::new("22003", format!("{ty} out of range"))
        })
    })
}

/// Arithmetic of `numeric(p,s)`, whose results PostgreSQL lets grow without limit.
fn decimal_arithmetic(op: Operator) -> Function {
    let name = match op {
        Operator::Plus => "pg_numeric_add",
        Operator::Minus => "pg_numeric_subtract",
        _ => "pg_numeric_multiply",
    };
    let kernel = move |left: &ArrayRef, right: &ArrayRef| match op {
        Operator::Plus => numeric::add(left, right),
        Operator::Minus => numeric::sub(left, right),
        _ => numeric::mul(left, right),
    };
    let too_long = || {
        EngineError::unsupported("a result of more than 38 digits")
            .hint("Cast the operands to numeric without precision.")
    };
    let body = move |call: &crate::function::Call| {
        let result = kernel(&call.args[0], &call.args[1]).map_err(|_| too_long())?;
        // Arrow checks only the 128 bits, and prints no more digits than the precision says.
        let decimals = result.as_primitive::<Decimal128Type>();
        decimals.validate_decimal_precision(decimals.precision()).map_err(|_| too_long())?;
        Ok(result)
    };
    Function::new(name, 2, DataType::Null, Volatility::Immutable, body).returning(move |args| {
        let empty = |field: &FieldRef| datafusion::arrow::array::new_empty_array(field.data_type());
        let result = kernel(&empty(&args.arg_fields[0]), &empty(&args.arg_fields[1]));
        Ok(result.map_err(|_| too_long())?.data_type().clone())
    })
}

/// Arithmetic of floating-point numbers with PostgreSQL's errors: division by zero, overflow and underflow.
fn float_arithmetic(op: Operator) -> Function {
    let name = match op {
        Operator::Plus => "pg_float_add",
        Operator::Minus => "pg_float_subtract",
        Operator::Multiply => "pg_float_multiply",
        _ => "pg_divide",
    };
    arithmetic(name, move |left, right| match left.data_type() {
        DataType::Float32 => {
            let result = float_kernel(
                left.as_primitive::<Float32Type>(),
                right.as_primitive::<Float32Type>(),
                op,
                f64::from,
                |x| x as f32,
            )?;
            Ok(Arc::new(result))
        }
        _ => {
            let result = float_kernel(
                left.as_primitive::<Float64Type>(),
                right.as_primitive::<Float64Type>(),
                op,
                |x| x,
                |x| x,
            )?;
            Ok(Arc::new(result))
        }
    })
}

/// `narrow` rounds to the type's precision: the result of one operation on doubles, rounded once more, is the float's own.
fn float_kernel<T: ArrowPrimitiveType>(
    left: &PrimitiveArray<T>,
    right: &PrimitiveArray<T>,
    op: Operator,
    wide: impl Fn(T::Native) -> f64,
    narrow: impl Fn(f64) -> T::Native,
) -> engine::Result<PrimitiveArray<T>> {
    datafusion::arrow::compute::try_binary(left, right, |a, b| {
        let (a, b) = (wide(a), wide(b));
        let failed =
            |code: &'static str, message: &str| ArrowError::ExternalError(Box::new(EngineError::new(code, message)));
        if op == Operator::Divide && b == 0.0 && !a.is_nan() {
            return Err(failed("22012", "division by zero"));
        }
        let exact = match op {
            Operator::Plus => a + b,
            Operator::Minus => a - b,
            Operator::Multiply => a * b,
            _ => a / b,
        };
        let result = narrow(exact);
        let r = wide(result);
        if r.is_infinite() && a.is_finite() && b.is_finite() {
            return Err(failed("22003", "value out of range: overflow"));
        }
        let vanished = match op {
            Operator::Multiply => a != 0.0 && b != 0.0,
            Operator::Divide => a != 0.0 && b.is_finite(),
            _ => false,
        };
        if r == 0.0 && vanished {
            return Err(failed("22003", "value out of range: underflow"));
        }
        Ok(result)
    })
    .map_err(|error| match error {
        ArrowError::ExternalError(inner) => inner
            .downcast::<EngineError>()
            .map_or_else(|other| EngineError::new("XX000", other.to_string()), |ours| *ours),
        other => EngineError::new("XX000", other.to_string()),
    })
}
