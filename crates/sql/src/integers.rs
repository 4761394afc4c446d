//! Functions over integers that DataFusion computes in 64 bits whatever their type is.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::logical_expr::Volatility;
use engine::{EngineError, PgType, Result};

use crate::cast::{Purpose, cast};
use crate::function::Function;
use crate::output::type_name;

/// `gcd` and `lcm`, of the wider type of the two.
pub fn common_divisors() -> [Function; 2] {
    [
        divisor("pg_gcd", |a, b| Some(gcd(a, b))),
        divisor("pg_lcm", |a, b| match gcd(a, b) {
            0 => Some(0),
            divisor => (a.unsigned_abs() / divisor).checked_mul(b.unsigned_abs()),
        }),
    ]
}

fn gcd(a: i64, b: i64) -> u64 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

fn divisor(name: &'static str, f: fn(i64, i64) -> Option<u64>) -> Function {
    let wider = |a: &DataType, b: &DataType| match (a, b) {
        (DataType::Int64, _) | (_, DataType::Int64) => PgType::Int8,
        _ => PgType::Int4,
    };
    let function = Function::new(name, 2, DataType::Null, Volatility::Immutable, move |call| {
        let ty = wider(call.args[0].data_type(), call.args[1].data_type());
        let range = || EngineError::new("22003", format!("{} out of range", ty.name()));
        let [left, right] = [0, 1].map(|at| cast(&call.args[at], PgType::Int8, Purpose::Explicit));
        let (left, right) = (left?, right?);
        let pairs = left.as_primitive::<Int64Type>().iter().zip(right.as_primitive::<Int64Type>().iter());
        let values = pairs.map(|pair| match pair {
            (Some(a), Some(b)) => f(a, b).and_then(|v| i64::try_from(v).ok()).map(Some).ok_or_else(range),
            _ => Ok(None),
        });
        let wide: ArrayRef = Arc::new(values.collect::<Result<Int64Array>>()?);
        cast(&wide, ty, Purpose::Explicit)
    });
    function.returning(move |args| {
        let [left, right] = [0, 1].map(|at| args.arg_fields[at].data_type());
        let integer = |ty: &DataType| ty.is_integer() || *ty == DataType::Null;
        if integer(left) && integer(right) {
            return Ok(wider(left, right).arrow());
        }
        let known = |ty: &DataType| crate::exact::is_exact(ty) || *ty == DataType::Null;
        if known(left) && known(right) {
            return Err(EngineError::unsupported(format!("{} of numeric values", &name[3..])));
        }
        let message = format!("function {}({}, {}) does not exist", &name[3..], type_name(left), type_name(right));
        Err(EngineError::new("42883", message))
    })
}
