//! Aggregates of pairs: `corr`, `covar_*` and `regr_*`, by PostgreSQL's recurrence (`float8_regr_accum`), so that their last
//! digits are the same.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray};
use datafusion::arrow::datatypes::{DataType, Float64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Accumulator, AggregateUDF};

use crate::aggregate::Aggregate;

/// How many values the state has.
const STATE: usize = 6;

/// The aggregate by its name; its arguments are double precision.
pub fn aggregate(name: &str) -> Option<Arc<AggregateUDF>> {
    let result: fn(&Sums) -> Option<f64> = match name {
        "regr_count" => |s| Some(s.count),
        "regr_sxx" => |s| s.of(1, s.xx),
        "regr_syy" => |s| s.of(1, s.yy),
        "regr_sxy" => |s| s.of(1, s.xy),
        "regr_avgx" => |s| s.of(1, s.x / s.count),
        "regr_avgy" => |s| s.of(1, s.y / s.count),
        "covar_pop" => |s| s.of(1, s.xy / s.count),
        "covar" | "covar_samp" => |s| s.of(2, s.xy / (s.count - 1.0)),
        "corr" => |s| s.of(1, s.xy / (s.xx * s.yy).sqrt()).filter(|_| s.xx != 0.0 && s.yy != 0.0),
        "regr_r2" => |s| {
            let square = if s.yy == 0.0 { 1.0 } else { s.xy * s.xy / (s.xx * s.yy) };
            s.of(1, square).filter(|_| s.xx != 0.0)
        },
        "regr_slope" => |s| s.of(1, s.xy / s.xx).filter(|_| s.xx != 0.0),
        "regr_intercept" => |s| s.of(1, (s.y - s.x * s.xy / s.xx) / s.count).filter(|_| s.xx != 0.0),
        _ => return None,
    };
    let counts = name == "regr_count";
    let returns = if counts { DataType::Int64 } else { DataType::Float64 };
    let state = ["count", "x", "xx", "y", "yy", "xy"].map(|name| (name, DataType::Float64));
    let start = move || Box::new(Pairs { sums: Sums::default(), result, counts }) as _;
    Some(Aggregate::new(name, returns, state.to_vec(), start).of_pairs().udaf())
}

/// Sums of the values, and of the products of their differences from their means.
#[derive(Debug, Default)]
struct Sums {
    count: f64,
    x: f64,
    xx: f64,
    y: f64,
    yy: f64,
    xy: f64,
}

impl Sums {
    /// The value, if there are as many pairs.
    fn of(&self, pairs: u32, value: f64) -> Option<f64> {
        (self.count >= f64::from(pairs)).then_some(value)
    }

    fn take(&mut self, y: f64, x: f64) {
        self.count += 1.0;
        self.x += x;
        self.y += y;
        if self.count > 1.0 {
            let (dx, dy) = (x * self.count - self.x, y * self.count - self.y);
            let scale = 1.0 / (self.count * (self.count - 1.0));
            self.xx += dx * dx * scale;
            self.yy += dy * dy * scale;
            self.xy += dx * dy * scale;
            return;
        }
        if !x.is_finite() {
            (self.xx, self.xy) = (f64::NAN, f64::NAN);
        }
        if !y.is_finite() {
            (self.yy, self.xy) = (f64::NAN, f64::NAN);
        }
    }

    /// `float8_regr_combine`.
    fn add(&mut self, other: Sums) {
        if other.count == 0.0 {
            return;
        }
        if self.count == 0.0 {
            *self = other;
            return;
        }
        let count = self.count + other.count;
        let dx = self.x / self.count - other.x / other.count;
        let dy = self.y / self.count - other.y / other.count;
        self.xx += other.xx + self.count * other.count * dx * dx / count;
        self.yy += other.yy + self.count * other.count * dy * dy / count;
        self.xy += other.xy + self.count * other.count * dx * dy / count;
        (self.count, self.x, self.y) = (count, self.x + other.x, self.y + other.y);
    }
}

#[derive(Debug)]
struct Pairs {
    sums: Sums,
    result: fn(&Sums) -> Option<f64>,
    /// The result is an integer.
    counts: bool,
}

impl Accumulator for Pairs {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [y, x] = [0, 1].map(|at| values[at].as_primitive::<Float64Type>());
        for (y, x) in y.iter().zip(x) {
            if let (Some(y), Some(x)) = (y, x) {
                self.sums.take(y, x);
            }
        }
        Ok(())
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        let result = (self.result)(&self.sums);
        Ok(if self.counts { ScalarValue::Int64(result.map(|n| n as i64)) } else { ScalarValue::Float64(result) })
    }
    fn size(&self) -> usize {
        size_of_val(self)
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let Sums { count, x, xx, y, yy, xy } = self.sums;
        Ok([count, x, xx, y, yy, xy].map(|v| ScalarValue::Float64(Some(v))).to_vec())
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let columns: Vec<_> = states[..STATE].iter().map(|state| state.as_primitive::<Float64Type>()).collect();
        for row in (0..columns[0].len()).filter(|&row| columns[0].is_valid(row)) {
            let [count, x, xx, y, yy, xy] = [0, 1, 2, 3, 4, 5].map(|at| columns[at].value(row));
            self.sums.add(Sums { count, x, xx, y, yy, xy });
        }
        Ok(())
    }
}
