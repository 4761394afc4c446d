//! Aggregates over floating-point numbers whose last digits or type would differ from PostgreSQL's: `sum(real)` is real, and
//! variances are computed by the recurrence of Youngs and Cramer (`float8_accum`).

use std::fmt::Debug;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float32Type, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::format_state_name;
use datafusion::logical_expr::{Accumulator, AggregateUDF, AggregateUDFImpl, Signature, Volatility};
use engine::EngineError;

use crate::errors::wrap;

pub fn aggregate(name: &str, argument: &DataType) -> Option<Arc<AggregateUDF>> {
    let kind = match name {
        "sum" if *argument == DataType::Float32 => Kind::RealSum,
        "var_pop" => Kind::Variance { sample: false, root: false },
        "var" | "var_samp" | "var_sample" => Kind::Variance { sample: true, root: false },
        "stddev_pop" => Kind::Variance { sample: false, root: true },
        "stddev" | "stddev_samp" => Kind::Variance { sample: true, root: true },
        _ => return None,
    };
    let signature = Signature::any(1, Volatility::Immutable);
    Some(Arc::new(AggregateUDF::new_from_impl(Aggregate { kind, name: format!("pg_{name}"), signature })))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Kind {
    RealSum,
    Variance { sample: bool, root: bool },
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Aggregate {
    kind: Kind,
    name: String,
    signature: Signature,
}

impl AggregateUDFImpl for Aggregate {
    fn name(&self) -> &str {
        &self.name
    }
    fn signature(&self) -> &Signature {
        &self.signature
    }
    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(if self.kind == Kind::RealSum { DataType::Float32 } else { DataType::Float64 })
    }
    fn accumulator(&self, args: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if args.is_distinct {
            return Err(wrap(EngineError::unsupported(format!(
                "{}(DISTINCT) beside other aggregates",
                &self.name[3..]
            ))));
        }
        Ok(Box::new(Sums { kind: self.kind, count: 0.0, sum: 0.0, squares: 0.0 }))
    }
    fn state_fields(&self, args: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let field = |name: &str| Arc::new(Field::new(format_state_name(args.name, name), DataType::Float64, true));
        Ok(vec![field("count"), field("sum"), field("squares")])
    }
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
            Kind::RealSum => Some(self.sum),
            Kind::Variance { sample: true, .. } if self.count < 2.0 => None,
            Kind::Variance { sample, root } => {
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
            Kind::Variance { .. } => ScalarValue::Float64(result),
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
