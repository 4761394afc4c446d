//! Where DataFusion's meaning silently differs from PostgreSQL's, the plan is changed here or refused (0A000).
//!
//! * before type coercion ([`Narrow`]): integer literals are `integer` where they fit; `sum(bigint)` adds up as numeric;
//!   `avg` and its kin over exact numbers, and float functions over numeric, are refused: PostgreSQL computes them exactly.
//! * after it ([`Operators`]): integer arithmetic is checked, division by zero of floats is an error, casts round and
//!   complain as PostgreSQL's do, `char(n)` compares without its padding, a date plus an interval is a timestamp.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::kernels::numeric;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float32Type, Float64Type, TimeUnit};
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{AggregateFunction, Cast, ScalarFunction};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::planner::TypePlanner;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, LogicalPlan, Operator, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, Volatility,
};
use datafusion::optimizer::AnalyzerRule;
use datafusion::optimizer::analyzer::resolve_grouping_function::ResolveGroupingFunction;
use datafusion::optimizer::analyzer::type_coercion::TypeCoercion;
use datafusion::sql::sqlparser::ast::{DataType as SqlType, ExactNumberInfo};
use engine::{EngineError, PgType};

use crate::cast::{Purpose, cast};
use crate::errors::wrap;
use crate::tables::TYPE_KEY;

/// `numeric` without precision, on its way from the parser to [`Narrow`].
const BARE_NUMERIC: &str = "1700,-1";

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
            SqlType::Interval { .. } | SqlType::Array(_) => return Ok(None),
            ty => {
                let ty = crate::ddl::pg_type(ty).map_err(wrap)?;
                if matches!(ty, PgType::Varchar(_) | PgType::Char(_)) { tagged(ty) } else { field(ty) }
            }
        })))
    }
}

pub fn analyzer_rules() -> Vec<Arc<dyn AnalyzerRule + Send + Sync>> {
    vec![Arc::new(ResolveGroupingFunction::new()), Arc::new(Narrow), Arc::new(TypeCoercion::new()), Arc::new(Operators)]
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

fn refused(what: &str, hint: &str) -> datafusion::error::DataFusionError {
    wrap(EngineError::unsupported(what).hint(hint))
}

/// Applies `f` to every expression of every node, keeping output names.
fn rewrite(
    plan: LogicalPlan,
    mut f: impl FnMut(Expr, &DFSchema) -> Result<Transformed<Expr>>,
    skip: impl Fn(&LogicalPlan) -> bool,
) -> Result<LogicalPlan> {
    let rewritten = plan.transform_up_with_subqueries(|plan| {
        if skip(&plan) {
            return Ok(Transformed::no(plan));
        }
        let mut schema = DFSchema::empty();
        for input in plan.inputs() {
            schema.merge(input.schema());
        }
        if let LogicalPlan::TableScan(scan) = &plan {
            schema = DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema())?;
        }
        let names = NamePreserver::new(&plan);
        plan.map_expressions(|expr| {
            let name = names.save(&expr);
            let done = expr.transform_up(|e| f(e, &schema))?;
            Ok(done.update_data(|e| name.restore(e)))
        })?
        .map_data(LogicalPlan::recompute_schema)
    })?;
    Ok(rewritten.data)
}

#[derive(Debug)]
struct Narrow;

impl AnalyzerRule for Narrow {
    fn name(&self) -> &str {
        "pg_narrow"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        // LIMIT and window arguments must stay bigint; VALUES has a schema of its own.
        let skip =
            |p: &LogicalPlan| matches!(p, LogicalPlan::Limit(_) | LogicalPlan::Values(_) | LogicalPlan::Window(_));
        rewrite(plan, narrow, skip)
    }
}

fn narrow(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::Literal(ScalarValue::Int64(Some(value)), metadata) if i32::try_from(value).is_ok() => {
            Ok(Transformed::yes(Expr::Literal(ScalarValue::Int32(Some(value as i32)), metadata)))
        }
        Expr::Literal(ScalarValue::UInt64(Some(value)), metadata) => {
            Ok(Transformed::yes(Expr::Literal(ScalarValue::Decimal128(Some(i128::from(value)), 20, 0), metadata)))
        }
        Expr::Cast(Cast { expr, field }) if field.metadata().get(TYPE_KEY).is_some_and(|t| t == BARE_NUMERIC) => {
            Ok(Transformed::yes(match expr.get_type(schema)? {
                DataType::Decimal128(_, _) => *expr,
                DataType::Int16 | DataType::Int32 => to(*expr, DataType::Decimal128(10, 0)),
                DataType::Int64 => to(*expr, DataType::Decimal128(19, 0)),
                DataType::Null => to(*expr, DataType::Decimal128(38, 0)),
                DataType::Utf8 => match &*expr {
                    Expr::Literal(ScalarValue::Utf8(Some(text)), _) => numeric_literal(text)?,
                    _ => return Err(refused("a cast of text to numeric without precision", "Write numeric(p,s).")),
                },
                _ => return Err(refused("a cast to numeric without precision", "Write numeric(p,s).")),
            }))
        }
        Expr::AggregateFunction(AggregateFunction { func, mut params }) => {
            let exact = match params.args.first().map(|a| a.get_type(schema)).transpose()? {
                Some(DataType::Decimal128(_, _)) => true,
                Some(ty) => ty.is_integer(),
                None => false,
            };
            let name = func.name().to_string();
            let float_only = [
                "avg",
                "mean",
                "stddev",
                "stddev_pop",
                "stddev_samp",
                "var",
                "var_pop",
                "var_samp",
                "variance",
                "var_sample",
            ];
            if exact && float_only.contains(&name.as_str()) {
                return Err(refused(
                    &format!("{name} of integer and numeric values"),
                    "Cast the argument to double precision.",
                ));
            }
            let mut changed = false;
            if name == "sum" && params.args[0].get_type(schema)? == DataType::Int64 {
                let argument = params.args.remove(0);
                params.args.insert(0, to(argument, DataType::Decimal128(19, 0)));
                changed = true;
            }
            let expr = Expr::AggregateFunction(AggregateFunction { func, params });
            Ok(if changed { Transformed::yes(expr) } else { Transformed::no(expr) })
        }
        Expr::BinaryExpr(BinaryExpr { ref left, op: Operator::Plus | Operator::Minus, ref right })
            if left.get_type(schema).is_ok_and(|t| t == DataType::Date32)
                && right.get_type(schema).is_ok_and(|t| t.is_integer())
                || right.get_type(schema).is_ok_and(|t| t == DataType::Date32)
                    && left.get_type(schema).is_ok_and(|t| t.is_integer()) =>
        {
            Err(refused("a date plus or minus an integer", "Add an interval."))
        }
        Expr::ScalarFunction(ref function)
            if function.name() == "date_trunc"
                && function.args.get(1).is_some_and(|a| a.get_type(schema).is_ok_and(|t| t == DataType::Date32)) =>
        {
            Err(refused("date_trunc of a date", "Cast it to timestamp."))
        }
        Expr::ScalarFunction(ref function) => {
            let mut decimal = false;
            for argument in &function.args {
                decimal |= matches!(argument.get_type(schema), Ok(DataType::Decimal128(_, _)));
            }
            // Type coercion has not run yet, so a function may not know its type; those that do and give a float
            // would compute in floating point what PostgreSQL computes exactly.
            let float = [
                "sqrt", "power", "pow", "exp", "ln", "log", "log10", "log2", "cbrt", "ceil", "floor", "signum", "sign",
                "degrees", "radians",
            ];
            if decimal && float.contains(&function.name()) {
                return Err(refused(
                    &format!("{} of numeric values", function.name()),
                    "Cast the argument to double precision.",
                ));
            }
            Ok(Transformed::no(expr))
        }
        expr => Ok(Transformed::no(expr)),
    }
}

fn numeric_literal(text: &str) -> Result<Expr> {
    let digits = text.trim();
    let scale = digits.split_once('.').map_or(0, |(_, f)| f.len());
    if digits.contains(['e', 'E']) || scale > 38 {
        return Err(refused("this numeric constant", "Write numeric(p,s)."));
    }
    let array: ArrayRef = Arc::new(datafusion::arrow::array::StringArray::from(vec![digits]));
    let value = cast(&array, PgType::Numeric(38, scale as i8), Purpose::Explicit).map_err(wrap)?;
    Ok(Expr::Literal(ScalarValue::try_from_array(&value, 0)?, None))
}

fn to(expr: Expr, ty: DataType) -> Expr {
    Expr::Cast(Cast { expr: Box::new(expr), field: Arc::new(Field::new("", ty, true)) })
}

#[derive(Debug)]
struct Operators;

impl AnalyzerRule for Operators {
    fn name(&self) -> &str {
        "pg_operators"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> Result<LogicalPlan> {
        rewrite(plan, operators, |p| matches!(p, LogicalPlan::Limit(_)))
    }
}

fn udf(implementation: impl ScalarUDFImpl + 'static, args: Vec<Expr>) -> Transformed<Expr> {
    let func = Arc::new(ScalarUDF::new_from_impl(implementation));
    Transformed::yes(Expr::ScalarFunction(ScalarFunction { func, args }))
}

fn is_padded(expr: &Expr, schema: &DFSchema) -> bool {
    expr.to_field(schema).is_ok_and(|(_, f)| f.metadata().get(TYPE_KEY).is_some_and(|t| t.starts_with("1042,")))
}

fn operators(expr: Expr, schema: &DFSchema) -> Result<Transformed<Expr>> {
    match expr {
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
            let (lt, rt) = (left.get_type(schema)?, right.get_type(schema)?);
            let arithmetic = matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply);
            if arithmetic && lt.is_integer() && lt == rt {
                return Ok(udf(Checked::new(op), vec![*left, *right]));
            }
            if op == Operator::Divide && lt.is_floating() {
                return Ok(udf(FloatDivide::new(), vec![*left, *right]));
            }
            if op == Operator::Divide && matches!(lt, DataType::Decimal128(_, _)) {
                return Err(refused("division of numeric values", "Cast an operand to double precision."));
            }
            let date_math = matches!(op, Operator::Plus | Operator::Minus);
            let timestamp = DataType::Timestamp(TimeUnit::Microsecond, None);
            if date_math && lt == DataType::Date32 && matches!(rt, DataType::Interval(_)) {
                let expr = BinaryExpr { left: Box::new(to(*left, timestamp)), op, right };
                return Ok(Transformed::yes(Expr::BinaryExpr(expr)));
            }
            if op == Operator::Plus && rt == DataType::Date32 && matches!(lt, DataType::Interval(_)) {
                let expr = BinaryExpr { left, op, right: Box::new(to(*right, timestamp)) };
                return Ok(Transformed::yes(Expr::BinaryExpr(expr)));
            }
            if (op.supports_propagation() || op == Operator::StringConcat)
                && (is_padded(&left, schema) || is_padded(&right, schema))
            {
                let trim = |e: Box<Expr>| Box::new(datafusion::functions::string::expr_fn::rtrim(vec![*e]));
                let expr = BinaryExpr { left: trim(left), op, right: trim(right) };
                return Ok(Transformed::yes(Expr::BinaryExpr(expr)));
            }
            Ok(Transformed::no(Expr::BinaryExpr(BinaryExpr { left, op, right })))
        }
        Expr::Negative(inner) if inner.get_type(schema)?.is_integer() => {
            let zero = Expr::Literal(ScalarValue::new_zero(&inner.get_type(schema)?)?, None);
            Ok(udf(Checked::new(Operator::Minus), vec![zero, *inner]))
        }
        Expr::ScalarFunction(mut function)
            if !matches!(function.name(), "octet_length" | "pg_typeof" | "rtrim")
                && function.args.iter().any(|a| is_padded(a, schema)) =>
        {
            // To every function, char(n) is text without its padding.
            for argument in &mut function.args {
                if is_padded(argument, schema) {
                    *argument = datafusion::functions::string::expr_fn::rtrim(vec![argument.clone()]);
                }
            }
            Ok(Transformed::yes(Expr::ScalarFunction(function)))
        }
        Expr::InList(ref list) if is_padded(&list.expr, schema) => Err(refused("IN over char(n) values", "Use text.")),
        Expr::Cast(Cast { expr, field }) => {
            let from = expr.get_type(schema)?;
            match target(&from, &field) {
                Some(ty) => Ok(udf(PgCast::new(ty), vec![*expr])),
                None => Ok(Transformed::no(Expr::Cast(Cast { expr, field }))),
            }
        }
        expr => Ok(Transformed::no(expr)),
    }
}

/// The type of a cast that PostgreSQL makes differently than Arrow; `None` where they agree.
fn target(from: &DataType, field: &Field) -> Option<PgType> {
    let to = field.data_type();
    let string = |t: &DataType| matches!(t, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View);
    let tagged = field.metadata().get(TYPE_KEY).and_then(|t| t.split_once(','));
    let typmod: i32 = tagged.and_then(|(_, m)| m.parse().ok()).unwrap_or(-1);
    let ty = match to {
        DataType::Utf8 => match tagged.map(|t| t.0) {
            Some("1043") if typmod >= 4 => PgType::Varchar(Some((typmod - 4) as u32)),
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
            | (DataType::Decimal128(_, _), DataType::Float64)
            | (DataType::Date32, DataType::Timestamp(_, _))
            | (DataType::Timestamp(_, _), DataType::Timestamp(_, _) | DataType::Date32)
            | (DataType::Null, _)
    );
    let same = from == to && !(string(to) && matches!(ty, PgType::Varchar(Some(_)) | PgType::Char(_)));
    (!widening && !same && !matches!(from, DataType::List(_) | DataType::Interval(_))).then_some(ty)
}

/// A cast with PostgreSQL's rules.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct PgCast {
    to: PgType,
    signature: Signature,
}

impl PgCast {
    pub fn new(to: PgType) -> PgCast {
        PgCast { to, signature: Signature::any(1, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for PgCast {
    fn name(&self) -> &str {
        "pg_cast"
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.to.arrow())
    }
    fn return_field_from_args(&self, args: datafusion::logical_expr::ReturnFieldArgs) -> Result<FieldRef> {
        let field = Field::new("pg_cast", self.to.arrow(), args.arg_fields[0].is_nullable());
        Ok(Arc::new(match self.to {
            PgType::Varchar(_) | PgType::Char(_) => {
                let tag = format!("{},{}", self.to.oid(), self.to.typmod());
                field.with_metadata([(TYPE_KEY.to_string(), tag)].into())
            }
            _ => field,
        }))
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match &args.args[0] {
            ColumnarValue::Array(array) => {
                Ok(ColumnarValue::Array(cast(array, self.to, Purpose::Explicit).map_err(wrap)?))
            }
            ColumnarValue::Scalar(value) => {
                let result = cast(&value.to_array()?, self.to, Purpose::Explicit).map_err(wrap)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?))
            }
        }
    }
}

/// Integer arithmetic that overflows with 22003.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    op: Operator,
    signature: Signature,
}

impl Checked {
    fn new(op: Operator) -> Checked {
        Checked { op, signature: Signature::any(2, Volatility::Immutable) }
    }
}

fn both(args: &ScalarFunctionArgs) -> Result<(ArrayRef, ArrayRef, bool)> {
    let scalar = args.args.iter().all(|a| matches!(a, ColumnarValue::Scalar(_)));
    let rows = if scalar { 1 } else { args.number_rows };
    Ok((args.args[0].to_array(rows)?, args.args[1].to_array(rows)?, scalar))
}

fn answer(result: ArrayRef, scalar: bool) -> Result<ColumnarValue> {
    Ok(if scalar {
        ColumnarValue::Scalar(ScalarValue::try_from_array(&result, 0)?)
    } else {
        ColumnarValue::Array(result)
    })
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        match self.op {
            Operator::Plus => "pg_add",
            Operator::Minus => "pg_subtract",
            _ => "pg_multiply",
        }
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types[0].clone())
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (left, right, scalar) = both(&args)?;
        let result = match self.op {
            Operator::Plus => numeric::add(&left, &right),
            Operator::Minus => numeric::sub(&left, &right),
            _ => numeric::mul(&left, &right),
        };
        let result = result.map_err(|_| {
            let ty = crate::output::type_name(left.data_type());
            wrap(EngineError::new("22003", format!("{ty} out of range")))
        })?;
        answer(result, scalar)
    }
}

/// Division of floating-point numbers that refuses zero, as PostgreSQL does.
#[derive(Debug, PartialEq, Eq, Hash)]
struct FloatDivide {
    signature: Signature,
}

impl FloatDivide {
    fn new() -> FloatDivide {
        FloatDivide { signature: Signature::any(2, Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for FloatDivide {
    fn name(&self) -> &str {
        "pg_divide"
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(types[0].clone())
    }
    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let (left, right, scalar) = both(&args)?;
        let zero = match right.data_type() {
            DataType::Float32 => {
                let (l, r) = (left.as_primitive::<Float32Type>(), right.as_primitive::<Float32Type>());
                (0..r.len()).any(|i| r.is_valid(i) && l.is_valid(i) && r.value(i) == 0.0)
            }
            _ => {
                let (l, r) = (left.as_primitive::<Float64Type>(), right.as_primitive::<Float64Type>());
                (0..r.len()).any(|i| r.is_valid(i) && l.is_valid(i) && r.value(i) == 0.0)
            }
        };
        if zero {
            return Err(wrap(EngineError::new("22012", "division by zero")));
        }
        answer(numeric::div(&left, &right)?, scalar)
    }
}
