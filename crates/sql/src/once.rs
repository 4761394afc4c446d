//! COALESCE and NULLIF over volatile expressions. DataFusion makes them a CASE that computes what it tests again: of
//! `coalesce(nextval('s'), 0)` one value would be tested and the next one given.

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::compute::kernels::cmp::eq;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::compute::{is_not_null, nullif};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{DFSchema, Result};
use datafusion::logical_expr::expr::{Cast, ScalarFunction};
use datafusion::logical_expr::{Expr, ExprSchemable, Volatility};
use engine::EngineError;

use crate::errors::wrap;
use crate::function::Function;

/// The call by a function that computes its arguments once; `None` where DataFusion's does.
pub fn once(function: &ScalarFunction, schema: &DFSchema) -> Result<Option<Expr>> {
    let ours = match function.name() {
        // The last one is never tested.
        "coalesce" if function.args.iter().rev().skip(1).any(Expr::is_volatile) => coalesce(),
        "nullif" if function.args.first().is_some_and(Expr::is_volatile) => null_if(),
        _ => return Ok(None),
    };
    // All are computed: only what cannot fail may be computed in vain.
    let harmless = |expr: &Expr| match expr {
        Expr::Cast(cast) => matches!(&*cast.expr, Expr::Literal(..) | Expr::Column(_)),
        expr => matches!(expr, Expr::Literal(..) | Expr::Column(_)),
    };
    let types = function.args.iter().map(|arg| arg.get_type(schema)).collect::<Result<Vec<DataType>>>()?;
    let integers = types.iter().all(DataType::is_integer);
    if !function.args[1..].iter().all(harmless) || !(integers || types.iter().all(|ty| *ty == types[0])) {
        let name = function.name();
        return Err(wrap(EngineError::unsupported(format!("{name} of volatile expressions of several types"))));
    }
    let widest = if types.contains(&DataType::Int64) { DataType::Int64 } else { types[0].clone() };
    let cast = |(expr, ty): (&Expr, &DataType)| match *ty == widest {
        true => expr.clone(),
        false => Expr::Cast(Cast::new(Box::new(expr.clone()), widest.clone())),
    };
    Ok(Some(ours.call(function.args.iter().zip(&types).map(cast).collect())))
}

fn failed(error: impl std::fmt::Display) -> EngineError {
    EngineError::new("XX000", error.to_string())
}

fn of_first_type(name: &'static str, body: fn(&[ArrayRef]) -> engine::Result<ArrayRef>) -> Function {
    // Its arguments are the volatile ones.
    let function = Function::new(name, usize::MAX, DataType::Null, Volatility::Immutable, move |call| body(&call.args));
    function.returning(|args| Ok(args.arg_fields[0].data_type().clone()))
}

fn coalesce() -> Function {
    of_first_type("pg_coalesce", |args| {
        let mut values = args[0].clone();
        for next in &args[1..] {
            values = zip(&is_not_null(&values).map_err(failed)?, &values, next).map_err(failed)?;
        }
        Ok(values)
    })
}

fn null_if() -> Function {
    of_first_type("pg_nullif", |args| {
        let equal = eq(&args[0], &args[1]).map_err(failed)?;
        nullif(&args[0], &equal).map_err(failed)
    })
}
