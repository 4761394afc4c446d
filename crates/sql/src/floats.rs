//! Functions over floating-point numbers that PostgreSQL checks, and aggregates whose last digits or type would differ from
//! PostgreSQL's: `sum(real)` is real, and variances are computed by the recurrence of Youngs and Cramer (`float8_accum`).

use std::collections::VecDeque;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Float32Type, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Accumulator, AggregateUDF, Volatility};
use engine::EngineError;

use crate::aggregate::{Aggregate, Variance};
use crate::errors::wrap;
use crate::function::Function;

pub fn aggregate(name: &str, argument: &DataType) -> Option<Arc<AggregateUDF>> {
    let kind = match name {
        "sum" if *argument == DataType::Float32 => Kind::RealSum,
        name => Kind::Variance(Variance::named(name)?),
    };
    let returns = if kind == Kind::RealSum { DataType::Float32 } else { DataType::Float64 };
    let state = [("count", DataType::Float64), ("sum", DataType::Float64), ("squares", DataType::Float64)];
    let start = move || Box::new(Sums::new(kind)) as _;
    Some(Aggregate::new(name, returns, state.to_vec(), start).udaf())
}

/// `min` and `max` over groups, where NaN is greater than all others.
pub fn extreme(name: &str, argument: &DataType) -> Option<Arc<AggregateUDF>> {
    let greatest = match name {
        "min" => false,
        "max" => true,
        _ => return None,
    };
    if !argument.is_floating() {
        return None;
    }
    let ty = argument.clone();
    let start = move || Box::new(Extreme { greatest, ty: ty.clone(), found: None }) as _;
    Some(Aggregate::new(name, argument.clone(), vec![("found", DataType::Float64)], start).udaf())
}

#[derive(Debug)]
struct Extreme {
    greatest: bool,
    ty: DataType,
    found: Option<f64>,
}

impl Accumulator for Extreme {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = cast(&values[0], &DataType::Float64)?;
        for value in values.as_primitive::<Float64Type>().iter().flatten() {
            let better = match self.found {
                None => true,
                Some(found) if self.greatest => value > found || value.is_nan(),
                Some(found) => value < found || found.is_nan(),
            };
            if better {
                self.found = Some(value);
            }
        }
        Ok(())
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::Float64(self.found).cast_to(&self.ty)
    }
    fn size(&self) -> usize {
        size_of_val(self)
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![ScalarValue::Float64(self.found)])
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.update_batch(states)
    }
}

/// Sums over frames whose start moves: computed anew for each row, because what is subtracted again leaves its error.
pub fn over_moving_frame(name: &str, argument: &DataType) -> Option<Arc<AggregateUDF>> {
    if !argument.is_floating() {
        return None;
    }
    let kind = match name {
        "sum" if *argument == DataType::Float32 => Kind::RealSum,
        "sum" => Kind::Sum,
        "avg" | "mean" => Kind::Average,
        name => Kind::Variance(Variance::named(name)?),
    };
    let returns = if kind == Kind::RealSum { DataType::Float32 } else { DataType::Float64 };
    let start = move || Box::new(Moving { kind, values: VecDeque::new() }) as _;
    // Its state is never asked for: a window has one accumulator.
    Some(Aggregate::new(name, returns, vec![("values", DataType::Float64)], start).udaf())
}

/// The values of a frame, oldest first.
#[derive(Debug)]
struct Moving {
    kind: Kind,
    values: VecDeque<Option<f64>>,
}

impl Accumulator for Moving {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let values = cast(&values[0], &DataType::Float64)?;
        self.values.extend(values.as_primitive::<Float64Type>().iter());
        Ok(())
    }
    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.values.drain(..values[0].len().min(self.values.len()));
        Ok(())
    }
    fn supports_retract_batch(&self) -> bool {
        true
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        let mut sums = Sums::new(self.kind);
        self.values.iter().flatten().for_each(|value| sums.take(*value));
        sums.evaluate()
    }
    fn size(&self) -> usize {
        size_of_val(self) + self.values.capacity() * size_of::<Option<f64>>()
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Err(wrap(EngineError::unsupported("a moving frame in parts")))
    }
    fn merge_batch(&mut self, _: &[ArrayRef]) -> Result<()> {
        Err(wrap(EngineError::unsupported("a moving frame in parts")))
    }
}

/// Functions that PostgreSQL has for double precision only, to which it converts numbers by itself.
pub const OF_DOUBLES: &[&str] =
    &["pg_degrees", "pg_radians", "pg_cube_root", "pg_square_root", "pg_asinh", "pg_cot", "pg_atanh"];

const DEGREE: f64 = 0.017_453_292_519_943_295;

/// Those of [`OF_DOUBLES`] that are not [`crate::functions`]', with the last digits that the C library gives.
pub fn of_doubles() -> Vec<Function> {
    let outside = || Err(EngineError::new("22003", "input is out of range"));
    let finite = |x: f64, result: f64| match result.is_infinite() && x.is_finite() {
        true => Err(EngineError::new("22003", "value out of range: overflow")),
        false => Ok(result),
    };
    vec![
        float_function("pg_degrees", 1, move |x, _| finite(x, x / DEGREE)),
        float_function("pg_radians", 1, |x, _| Ok(x * DEGREE)),
        float_function("pg_cube_root", 1, |x, _| Ok(x.cbrt())),
        float_function("pg_square_root", 1, |x, _| match x < 0.0 {
            true => Err(EngineError::new("2201F", "cannot take square root of a negative number")),
            false => Ok(x.sqrt()),
        }),
        float_function("pg_asinh", 1, |x, _| Ok(asinh(x))),
        float_function("pg_atanh", 1, move |x, _| if x.abs() > 1.0 { outside() } else { Ok(atanh(x)) }),
        float_function("pg_cot", 1, move |x, _| if x.is_infinite() { outside() } else { Ok(1.0 / x.tan()) }),
    ]
}

/// As fdlibm computes it.
fn asinh(x: f64) -> f64 {
    let a = x.abs();
    let result = if !a.is_finite() || a < 1.0 / (1u64 << 28) as f64 {
        a
    } else if a > (1u64 << 28) as f64 {
        a.ln() + std::f64::consts::LN_2
    } else if a > 2.0 {
        (2.0 * a + 1.0 / ((a * a + 1.0).sqrt() + a)).ln()
    } else {
        let square = a * a;
        (a + square / (1.0 + (1.0 + square).sqrt())).ln_1p()
    };
    result.copysign(x)
}

/// As fdlibm computes it.
fn atanh(x: f64) -> f64 {
    let a = x.abs();
    let result = if a < 0.5 {
        let double = a + a;
        0.5 * (double + double * a / (1.0 - a)).ln_1p()
    } else {
        0.5 * ((a + a) / (1.0 - a)).ln_1p()
    };
    result.copysign(x)
}

/// `sign(x)`: of NaN it is 0.
pub fn sign() -> Function {
    float_function("pg_sign", 1, |x, _| {
        Ok(match x {
            x if x > 0.0 => 1.0,
            x if x < 0.0 => -1.0,
            _ => 0.0,
        })
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    RealSum,
    /// Those of moving frames; DataFusion's own otherwise.
    Sum,
    Average,
    Variance(Variance),
}

/// `squares` is the sum of squared differences from the mean.
#[derive(Debug)]
struct Sums {
    kind: Kind,
    count: f64,
    sum: f64,
    squares: f64,
}

impl Sums {
    fn new(kind: Kind) -> Sums {
        Sums { kind, count: 0.0, sum: 0.0, squares: 0.0 }
    }

    fn take(&mut self, value: f64) {
        self.count += 1.0;
        if self.kind == Kind::RealSum {
            // In single precision, as float4pl adds.
            self.sum = f64::from(self.sum as f32 + value as f32);
            return;
        }
        self.sum += value;
        if self.count > 1.0 {
            let difference = value * self.count - self.sum;
            self.squares += difference * difference / (self.count * (self.count - 1.0));
        } else if !value.is_finite() {
            self.squares = f64::NAN;
        }
    }

    fn result(&self) -> Option<f64> {
        match self.kind {
            _ if self.count == 0.0 => None,
            Kind::RealSum | Kind::Sum => Some(self.sum),
            Kind::Average => Some(self.sum / self.count),
            Kind::Variance(Variance { sample: true, .. }) if self.count < 2.0 => None,
            Kind::Variance(Variance { sample, root }) => {
                let variance = self.squares / if sample { self.count - 1.0 } else { self.count };
                Some(if root { variance.sqrt() } else { variance })
            }
        }
    }
}

impl Accumulator for Sums {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        match values[0].as_primitive_opt::<Float32Type>() {
            Some(values) => values.iter().flatten().for_each(|v| self.take(f64::from(v))),
            None => {
                let values = cast(&values[0], &DataType::Float64)?;
                values.as_primitive::<Float64Type>().iter().flatten().for_each(|v| self.take(v));
            }
        }
        Ok(())
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        let result = self.result();
        Ok(match self.kind {
            Kind::RealSum => ScalarValue::Float32(result.map(|r| r as f32)),
            Kind::Sum | Kind::Average | Kind::Variance(_) => ScalarValue::Float64(result),
        })
    }
    fn size(&self) -> usize {
        size_of_val(self)
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok([self.count, self.sum, self.squares].map(|v| ScalarValue::Float64(Some(v))).to_vec())
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let [counts, sums, squares] = [0, 1, 2].map(|i| states[i].as_primitive::<Float64Type>());
        for row in (0..counts.len()).filter(|&row| counts.is_valid(row) && counts.value(row) > 0.0) {
            let (count, sum) = (counts.value(row), sums.value(row));
            if self.count == 0.0 {
                (self.count, self.sum, self.squares) = (count, sum, squares.value(row));
                continue;
            }
            // float8_combine.
            let difference = self.sum / self.count - sum / count;
            let total = self.count + count;
            self.squares += squares.value(row) + self.count * count * difference * difference / total;
            self.count = total;
            self.sum =
                if self.kind == Kind::RealSum { f64::from(self.sum as f32 + sum as f32) } else { self.sum + sum };
        }
        Ok(())
    }
}

/// A function over double precision that PostgreSQL checks: `f` says what is wrong with an argument.
pub fn float_function(
    name: &'static str,
    arguments: usize,
    f: impl Fn(f64, f64) -> engine::Result<f64> + Send + Sync + 'static,
) -> Function {
    Function::new(name, arguments, DataType::Float64, Volatility::Immutable, move |call| {
        let floats = call
            .args
            .iter()
            .map(|a| match a.data_type() {
                ty if ty.is_numeric() || ty == &DataType::Null => {
                    datafusion::arrow::compute::cast(a, &DataType::Float64)
                        .map_err(|e| EngineError::new("22003", e.to_string()))
                }
                // A constant in quotes.
                DataType::Utf8 => crate::cast::cast(a, engine::PgType::Float8, crate::cast::Purpose::Explicit),
                other => {
                    let ty = crate::output::type_name(other);
                    Err(EngineError::new("42883", format!("function {name}({ty}) does not exist")))
                }
            })
            .collect::<engine::Result<Vec<_>>>()?;
        let x = floats[0].as_primitive::<Float64Type>();
        let y = floats.last().expect("an argument").as_primitive::<Float64Type>();
        let mut out = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            out.push(if x.is_null(row) || y.is_null(row) { None } else { Some(f(x.value(row), y.value(row))?) });
        }
        Ok(Arc::new(Float64Array::from(out)))
    })
}
