//! Functions that fail in PostgreSQL where DataFusion's give some value: `gcd`, `lcm`, `chr`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array, StringArray};
use datafusion::arrow::datatypes::{DataType, Int64Type};
use datafusion::logical_expr::{ReturnFieldArgs, Volatility};
use engine::EngineError;

use crate::function::{Call, Function};

/// The three, to be registered over DataFusion's.
pub fn functions() -> [Function; 3] {
    let lcm = |a: i128, b: i128| if a == 0 || b == 0 { 0 } else { (a / gcd(a, b) * b).abs() };
    [of_integers("gcd", gcd), of_integers("lcm", lcm), chr()]
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A function of two integers, of integer where both are, else of bigint; it must fit its type.
fn of_integers(name: &'static str, f: fn(i128, i128) -> i128) -> Function {
    let integer = |t: &DataType| matches!(t, DataType::Int16 | DataType::Int32);
    let returns = move |args: &ReturnFieldArgs| {
        let types: Vec<_> = args.arg_fields.iter().map(|field| field.data_type()).collect();
        match types.iter().all(|t| integer(t)) {
            true => Ok(DataType::Int32),
            false if types.iter().all(|t| integer(t) || matches!(t, DataType::Int64 | DataType::Null)) => {
                Ok(DataType::Int64)
            }
            false => Err(EngineError::unsupported(format!("{name} of other types than integers"))),
        }
    };
    let function = Function::new(name, 2, DataType::Int64, Volatility::Immutable, move |call| {
        let to = call.given.return_field.data_type();
        let (left, right) = (bigint(call, 0)?, bigint(call, 1)?);
        let (left, right) = (left.as_primitive::<Int64Type>(), right.as_primitive::<Int64Type>());
        let mut results = Vec::with_capacity(left.len());
        for (a, b) in left.iter().zip(right) {
            let (Some(a), Some(b)) = (a, b) else {
                results.push(None);
                continue;
            };
            let result = i64::try_from(f(a.into(), b.into())).ok();
            let fits = |r: &i64| to == &DataType::Int64 || i32::try_from(*r).is_ok();
            let kind = if to == &DataType::Int64 { "bigint" } else { "integer" };
            let result =
                result.filter(fits).ok_or_else(|| EngineError::new("22003", format!("{kind} out of range")))?;
            results.push(Some(result));
        }
        cast(&(Arc::new(Int64Array::from(results)) as ArrayRef), to)
    });
    function.returning(returns)
}

fn chr() -> Function {
    Function::new("chr", 1, DataType::Utf8, Volatility::Immutable, |call| {
        let codes = bigint(call, 0)?;
        let mut out = Vec::with_capacity(codes.len());
        for code in codes.as_primitive::<Int64Type>() {
            out.push(code.map(character).transpose()?.map(String::from));
        }
        Ok(Arc::new(StringArray::from(out)))
    })
}

fn character(code: i64) -> engine::Result<char> {
    let fails = |message: String| Err(EngineError::new("54000", message));
    match u32::try_from(code) {
        Err(_) if code < 0 => Err(EngineError::new("22023", "character number must be positive")),
        Ok(0) => fails("null character not permitted".into()),
        Ok(n @ 0..=0x10_FFFF) => match char::from_u32(n) {
            Some(c) => Ok(c),
            None => fails(format!("requested character not valid for encoding: {n}")),
        },
        _ => fails(format!("requested character too large for encoding: {code}")),
    }
}

fn bigint(call: &Call, argument: usize) -> engine::Result<ArrayRef> {
    cast(&call.args[argument], &DataType::Int64)
}

fn cast(values: &ArrayRef, to: &DataType) -> engine::Result<ArrayRef> {
    datafusion::arrow::compute::cast(values, to).map_err(|error| EngineError::new("22003", error.to_string()))
}
