//! Arguments of window functions as PostgreSQL takes them: `lead` and `lag` have a default of their value's type or of one
//! to which both can be converted, `ntile` and `nth_value` count from one.

use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result, ScalarValue};
use datafusion::logical_expr::expr::{Cast, WindowFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, WindowFunctionDefinition};
use engine::EngineError;

use crate::errors::wrap;
use crate::exact;
use crate::numeric::NUMERIC;
use crate::semantics::unify;

/// Checks and converts the arguments of a window function.
pub fn prepare(function: &mut WindowFunction, schema: &DFSchema) -> Result<()> {
    let WindowFunctionDefinition::WindowUDF(udf) = &function.fun else { return Ok(()) };
    let name = udf.name().to_string();
    let args = &mut function.params.args;
    let (code, position) = match name.as_str() {
        "ntile" => ("22014", 0),
        "nth_value" => ("22016", 1),
        "lead" | "lag" => return with_default(&name, args, schema),
        _ => return Ok(()),
    };
    if args.get(position).is_some_and(|arg| matches!(arg, Expr::Literal(value, _) if value.is_null())) {
        return Err(wrap(EngineError::unsupported(format!("{name} of NULL"))));
    }
    let not_positive = |value: &ScalarValue| match value {
        ScalarValue::Int32(Some(n)) => *n <= 0,
        ScalarValue::Int64(Some(n)) => *n <= 0,
        _ => false,
    };
    let wrong = match args.get(position) {
        Some(Expr::Literal(value, _)) => not_positive(value),
        Some(Expr::Negative(inner)) => matches!(&**inner, Expr::Literal(value, _) if !value.is_null()),
        _ => false,
    };
    if wrong {
        let message = format!("argument of {name} must be greater than zero");
        return Err(wrap(EngineError::new(code, message)));
    }
    Ok(())
}

fn with_default(name: &str, args: &mut [Expr], schema: &DFSchema) -> Result<()> {
    let refused = |what: &str| Err(wrap(EngineError::unsupported(format!("{name} with {what}"))));
    if matches!(args.get(1), Some(Expr::Literal(distance, _)) if distance.is_null()) {
        return refused("a distance of NULL");
    }
    let [value, _, default] = args else { return Ok(()) };
    if let Expr::Negative(inner) = default
        && let Expr::Literal(number, _) = &**inner
    {
        *default = Expr::Literal(number.arithmetic_negate()?, None);
    }
    if let Expr::Literal(ScalarValue::Int64(Some(number)), None) = default
        && let Ok(number) = i32::try_from(*number)
    {
        *default = Expr::Literal(ScalarValue::Int32(Some(number)), None);
    }
    if !matches!(default, Expr::Literal(..)) {
        return refused("a default that is not a constant");
    }
    unify(vec![&mut *value, &mut *default], schema, &name.to_uppercase())?;
    let (wanted, given) = (value.get_type(schema)?, default.get_type(schema)?);
    if wanted == NUMERIC && given == NUMERIC && !matches!(default, Expr::Literal(..)) {
        // DataFusion wants a constant.
        match exact::literal(default)? {
            Some(literal) => *default = literal,
            None => return refused("a numeric default"),
        }
    }
    let wider = |a: &DataType, b: &DataType| {
        a.is_integer() && b.is_integer() && a.primitive_width() < b.primitive_width()
            || a.is_integer() && b.is_floating()
    };
    if wider(&wanted, &given) {
        let taken = std::mem::replace(value, Expr::Literal(ScalarValue::Null, None));
        *value = Expr::Cast(Cast::new(Box::new(taken), given));
    }
    Ok(())
}
