//! Functions and aggregates over [`numeric`](crate::numeric) values of any length. [`crate::semantics`] puts them into plans
//! where PostgreSQL computes exactly and DataFusion would use floating point.

use std::cmp::Ordering;
use std::sync::Arc;

use bigdecimal::num_bigint::BigInt;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, BinaryArray, BooleanArray, Float64Array};
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Int16Type, Int32Type, Int64Type};
use datafusion::common::{Result, ScalarValue};
use datafusion::logical_expr::{Accumulator, AggregateUDF, Expr, Operator, Volatility};
use engine::EngineError;

use crate::aggregate::{Aggregate, Variance};
use crate::errors::wrap;
use crate::function::{Call, Function};
use crate::numeric::{Arithmetic, Decimal, NUMERIC, Numeric, from_bytes, read, to_array};

/// Is this an exact number: an integer or a numeric?
pub fn is_exact(ty: &DataType) -> bool {
    ty.is_integer() || is_numeric(ty)
}

/// Is this numeric, with a declared precision or without?
pub fn is_numeric(ty: &DataType) -> bool {
    matches!(ty, DataType::Decimal128(_, _)) || *ty == NUMERIC
}

/// The expression as numeric without precision.
pub fn to_numeric(expr: Expr) -> Expr {
    map("pg_exact", Ok).call(vec![expr])
}

/// What the planner takes a numeric for until the plan is narrowed: functions that check their arguments while planning
/// would refuse [`NUMERIC`].
pub const PLANNED: DataType = DataType::Decimal128(38, 10);

/// `pg_numeric(x)`: [`to_numeric`] for the planner; narrowing replaces it.
pub fn conversion() -> Function {
    map("pg_numeric", Ok).returning(|_| Ok(PLANNED))
}

/// What ORDER BY sorts by.
pub fn sort_key(expr: Expr) -> Expr {
    let function = Function::new("pg_numeric_key", 1, DataType::Binary, Volatility::Immutable, |call| {
        let keys = (0..call.rows).map(|row| Ok(read(&call.args[0], row)?.map(|n| n.sort_key())));
        let keys = keys.collect::<engine::Result<Vec<_>>>()?;
        Ok(Arc::new(BinaryArray::from_iter(keys)))
    });
    function.call(vec![expr])
}

/// `left op right`, with at least one numeric among exact operands. `None` for operators that numbers do not have.
pub fn operator(left: Expr, op: Operator, right: Expr) -> Option<Expr> {
    let arithmetic = match op {
        Operator::Plus => Arithmetic::Add,
        Operator::Minus => Arithmetic::Subtract,
        Operator::Multiply => Arithmetic::Multiply,
        Operator::Divide => Arithmetic::Divide,
        Operator::Modulo => Arithmetic::Modulo,
        _ => return comparison(left, op, right),
    };
    Some(compute("pg_numeric_operator", arithmetic).call(vec![left, right]))
}

fn comparison(left: Expr, op: Operator, right: Expr) -> Option<Expr> {
    let holds: fn(Ordering) -> bool = match op {
        Operator::Eq => Ordering::is_eq,
        Operator::NotEq => Ordering::is_ne,
        Operator::Lt => Ordering::is_lt,
        Operator::LtEq => Ordering::is_le,
        Operator::Gt => Ordering::is_gt,
        Operator::GtEq => Ordering::is_ge,
        _ => return None,
    };
    let function = Function::new("pg_numeric_compare", 2, DataType::Boolean, Volatility::Immutable, move |call| {
        let mut results = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let (a, b) = (read(&call.args[0], row)?, read(&call.args[1], row)?);
            results.push(a.zip(b).map(|(a, b)| holds(a.cmp(&b))));
        }
        Ok(Arc::new(BooleanArray::from(results)))
    });
    Some(function.variant(op).call(vec![left, right]))
}

/// `value IN (list)`, of exact numbers; each is computed once.
pub fn one_of(value: Expr, list: Vec<Expr>) -> Expr {
    let function = Function::new("pg_numeric_in", usize::MAX, DataType::Boolean, Volatility::Immutable, |call| {
        let mut results = Vec::with_capacity(call.rows);
        for row in 0..call.rows {
            let Some(value) = read(&call.args[0], row)? else {
                results.push(None);
                continue;
            };
            let mut found = Some(false);
            for item in &call.args[1..] {
                match read(item, row)? {
                    Some(item) if item.cmp(&value).is_eq() => {
                        found = Some(true);
                        break;
                    }
                    Some(_) => {}
                    None => found = None,
                }
            }
            results.push(found);
        }
        Ok(Arc::new(BooleanArray::from(results)))
    });
    function.call(std::iter::once(value).chain(list).collect())
}

/// What [`to_numeric`] makes of a constant, as a constant.
pub fn literal(expr: &Expr) -> Result<Option<Expr>> {
    let Expr::ScalarFunction(function) = expr else { return Ok(None) };
    let [Expr::Literal(value, _)] = function.args.as_slice() else { return Ok(None) };
    let number = to_array(std::iter::once(read(&value.to_array()?, 0))).map_err(wrap)?;
    Ok(Some(Expr::Literal(ScalarValue::try_from_array(&number, 0)?, None)))
}

/// `div` of any exact numbers.
pub fn whole_quotient() -> Function {
    compute("div", Arithmetic::WholeQuotient)
}

fn compute(name: &'static str, op: Arithmetic) -> Function {
    let function = Function::new(name, 2, NUMERIC, Volatility::Immutable, move |call| {
        to_array((0..call.rows).map(|row| {
            let (a, b) = (read(&call.args[0], row)?, read(&call.args[1], row)?);
            a.zip(b).map(|(a, b)| a.compute(op, &b)).transpose()
        }))
    });
    function.variant(op)
}

fn map(name: &'static str, f: impl Fn(Numeric) -> engine::Result<Numeric> + Send + Sync + 'static) -> Function {
    Function::new(name, 1, NUMERIC, Volatility::Immutable, move |call| {
        to_array((0..call.rows).map(|row| read(&call.args[0], row)?.map(&f).transpose()))
    })
}

/// The exact form of the function `name` over `args`, at least one of which is numeric; `None` if there is none yet.
pub fn function(name: &str, args: Vec<Expr>) -> Option<Expr> {
    let zero = || Numeric::Finite(Decimal::new(0, 0));
    let one_more_if = |cut: &Decimal, whole: Decimal, by: i32| {
        let differs = Numeric::Finite(whole.clone()) != Numeric::Finite(cut.clone());
        if differs { Decimal { value: whole.value + by, scale: 0 } } else { whole }
    };
    let function = match (name.strip_prefix("pg_").unwrap_or(name), args.len()) {
        ("abs", 1) => map("pg_abs", move |n| Ok(if n < zero() { n.negate() } else { n })),
        ("ceil" | "ceiling", 1) => map("pg_ceil", move |n| {
            let positive = n > zero();
            Ok(n.map(|d| if positive { one_more_if(d, d.truncate(0), 1) } else { d.truncate(0) }))
        }),
        ("floor", 1) => map("pg_floor", move |n| {
            let negative = n < zero();
            Ok(n.map(|d| if negative { one_more_if(d, d.truncate(0), -1) } else { d.truncate(0) }))
        }),
        ("sign" | "signum", 1) => {
            map("pg_sign", |n| Ok(n.signum().map_or(Numeric::NaN, |s| Numeric::Finite(Decimal::new(s, 0)))))
        }
        ("trunc", 1) => map("pg_trunc", |n| Ok(n.map(|d| d.truncate(0)))),
        ("trunc", 2) => scaled("pg_trunc", Decimal::truncate),
        ("round", 1) => map("pg_round", |n| Ok(n.map(|d| d.round(0)))),
        ("round", 2) => scaled("pg_round", Decimal::round),
        ("mod", 2) => compute("mod", Arithmetic::Modulo),
        ("sqrt", 1) => map("pg_sqrt", |n| match n.signum() {
            Some(-1) => Err(EngineError::new("2201F", "cannot take square root of a negative number")),
            _ => Ok(n.map(square_root)),
        }),
        _ => return None,
    };
    Some(function.variant(args.len()).call(args))
}

/// `numeric_sqrt`: at least 16 significant digits.
fn square_root(n: &Decimal) -> Decimal {
    let digits = n.value.magnitude().to_string().len() as i64;
    let zero = n.value == BigInt::from(0);
    let weight = if zero { 0 } else { (digits - 1 - n.scale).div_euclid(4) };
    // The weight of the result, in decimal digits.
    let whole = if weight >= 0 { weight * 4 / 2 + 1 } else { 1 - (-weight * 4) / 2 };
    let scale = (16 - whole).max(n.scale).clamp(0, 1000);
    n.square_root(scale)
}

/// `round(x, digits)` and `trunc(x, digits)`.
fn scaled(name: &'static str, f: fn(&Decimal, i64) -> Decimal) -> Function {
    Function::new(name, 2, NUMERIC, Volatility::Immutable, move |call: &Call| {
        let places = datafusion::arrow::compute::cast(&call.args[1], &DataType::Int64)
            .map_err(|e| EngineError::new("42883", e.to_string()))?;
        let places = places.as_primitive::<Int64Type>();
        to_array((0..call.rows).map(|row| {
            let n = read(&call.args[0], row)?;
            Ok(n.filter(|_| places.is_valid(row)).map(|n| n.map(|d| f(d, places.value(row).clamp(-131_073, 16_383)))))
        }))
    })
}

/// As double precision, for arithmetic with floats.
pub fn to_float(expr: Expr) -> Expr {
    let function = Function::new("pg_numeric_float8", 1, DataType::Float64, Volatility::Immutable, |call| {
        let floats = (0..call.rows).map(|row| read(&call.args[0], row)?.map(|n| n.to_f64()).transpose());
        Ok(Arc::new(floats.collect::<engine::Result<Float64Array>>()?))
    });
    function.call(vec![expr])
}

/// The exact form of an aggregate over exact numbers, if PostgreSQL's result is numeric. `sum` over `numeric(p,s)` and
/// small integers is DataFusion's own.
pub fn aggregate(name: &str, argument: &DataType) -> Option<Arc<AggregateUDF>> {
    let kind = match name {
        // DataFusion's own adds up to 38 digits, and wraps behind them: ten more than the column's must be left.
        "sum" if *argument == NUMERIC || matches!(argument, DataType::Decimal128(p, _) if *p > 28) => Kind::Sum,
        "min" if *argument == NUMERIC => Kind::Least,
        "max" if *argument == NUMERIC => Kind::Greatest,
        "avg" | "mean" => Kind::Average,
        name => Kind::Variance(Variance::named(name)?),
    };
    let state = [("count", DataType::Int64), ("sum", NUMERIC), ("squares", NUMERIC), ("special", NUMERIC)];
    Some(Aggregate::new(name, NUMERIC, state.to_vec(), move || Box::new(Sums::new(kind))).udaf())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Sum,
    Average,
    Variance(Variance),
    Least,
    Greatest,
}

/// Count, sum and sum of squares, exactly; a NaN or infinity among them decides the result.
#[derive(Debug)]
struct Sums {
    kind: Kind,
    count: i64,
    sum: Decimal,
    squares: Decimal,
    /// The sum of the values that are not finite; or, for `min` and `max`, the best so far.
    special: Option<Numeric>,
}

impl Sums {
    fn new(kind: Kind) -> Sums {
        Sums { kind, count: 0, sum: Decimal::new(0, 0), squares: Decimal::new(0, 0), special: None }
    }

    fn wants_squares(&self) -> bool {
        matches!(self.kind, Kind::Variance(_))
    }

    fn add(sum: &mut Decimal, value: impl Into<BigInt>, scale: i64) {
        if scale > sum.scale {
            *sum = sum.round(scale);
        }
        let value = Decimal::new(value, scale);
        sum.value += if scale < sum.scale { value.round(sum.scale).value } else { value.value };
    }

    /// Adds (or with a `sign` of -1 takes away) integers that share a scale.
    fn take(&mut self, values: impl Iterator<Item = Option<i128>>, scale: i64, sign: i32) {
        let (mut sum, mut squares) = (0i128, 0i128);
        for value in values.flatten() {
            self.count += i64::from(sign);
            match sum.checked_add(value) {
                Some(next) => sum = next,
                None => {
                    Sums::add(&mut self.sum, BigInt::from(sum) * sign, scale);
                    sum = value;
                }
            }
            if self.wants_squares() {
                match value.checked_mul(value).and_then(|square| squares.checked_add(square)) {
                    Some(next) => squares = next,
                    None => Sums::add(&mut self.squares, BigInt::from(value) * value * sign, 2 * scale),
                }
            }
        }
        Sums::add(&mut self.sum, BigInt::from(sum) * sign, scale);
        if self.wants_squares() {
            Sums::add(&mut self.squares, BigInt::from(squares) * sign, 2 * scale);
        }
    }

    fn take_array(&mut self, array: &ArrayRef, sign: i32) -> engine::Result<()> {
        if matches!(self.kind, Kind::Least | Kind::Greatest) {
            for row in 0..array.len() {
                let Some(value) = read(array, row)? else { continue };
                let better = match &self.special {
                    None => true,
                    Some(best) if self.kind == Kind::Least => value < *best,
                    Some(best) => value > *best,
                };
                if better {
                    self.special = Some(value);
                }
            }
            return Ok(());
        }
        match array.data_type() {
            DataType::Int16 => self.take(array.as_primitive::<Int16Type>().iter().map(|v| v.map(i128::from)), 0, sign),
            DataType::Int32 => self.take(array.as_primitive::<Int32Type>().iter().map(|v| v.map(i128::from)), 0, sign),
            DataType::Int64 => self.take(array.as_primitive::<Int64Type>().iter().map(|v| v.map(i128::from)), 0, sign),
            DataType::Decimal128(_, scale) if *scale >= 0 => {
                self.take(array.as_primitive::<Decimal128Type>().iter(), i64::from(*scale), sign);
            }
            _ => {
                if sign < 0 {
                    // What leaves would have to take its digits behind the point with it.
                    return Err(EngineError::unsupported("a sliding window over numeric values without precision"));
                }
                for row in 0..array.len() {
                    match read(array, row)? {
                        None => {}
                        Some(Numeric::Finite(d)) => {
                            self.count += 1;
                            if self.wants_squares() {
                                Sums::add(&mut self.squares, &d.value * &d.value, 2 * d.scale);
                            }
                            Sums::add(&mut self.sum, d.value, d.scale);
                        }
                        Some(special) => {
                            self.count += 1;
                            self.add_special(special)?;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn add_special(&mut self, special: Numeric) -> engine::Result<()> {
        self.special = Some(match self.special.take() {
            Some(sum) => sum.compute(Arithmetic::Add, &special)?,
            None => special,
        });
        Ok(())
    }

    fn result(&self) -> Option<Numeric> {
        if matches!(self.kind, Kind::Least | Kind::Greatest) {
            return self.special.clone();
        }
        let n = Decimal::new(self.count, 0);
        match self.kind {
            _ if self.count == 0 => None,
            Kind::Variance(Variance { sample: true, .. }) if self.count == 1 => None,
            Kind::Variance(_) if self.special.is_some() => Some(Numeric::NaN),
            _ if self.special.is_some() => self.special.clone(),
            Kind::Average => Some(Numeric::Finite(self.sum.divide(&n, self.sum.quotient_scale(&n)))),
            Kind::Variance(Variance { sample, root }) => {
                // As numeric_stddev_internal: (N ΣX² - (ΣX)²) / (N (N or N-1)).
                let square = Decimal::new(&self.sum.value * &self.sum.value, 2 * self.sum.scale);
                let scaled = Decimal::new(&self.squares.value * self.count, self.squares.scale);
                let scale = square.scale.max(scaled.scale);
                let numerator = Decimal::new(scaled.round(scale).value - square.round(scale).value, scale);
                if numerator.value <= BigInt::from(0) {
                    return Some(Numeric::Finite(Decimal::new(0, 0)));
                }
                let other = if sample { self.count - 1 } else { self.count };
                let denominator = Decimal::new(BigInt::from(self.count) * other, 0);
                let scale = numerator.quotient_scale(&denominator);
                let variance = numerator.divide(&denominator, scale);
                Some(Numeric::Finite(if root { variance.square_root(scale) } else { variance }))
            }
            _ => Some(Numeric::Finite(self.sum.clone())),
        }
    }
}

fn scalar(value: Option<Numeric>) -> ScalarValue {
    ScalarValue::LargeBinary(value.map(|n| n.to_string().into_bytes()))
}

impl Accumulator for Sums {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.take_array(&values[0], 1).map_err(wrap)
    }
    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        self.take_array(&values[0], -1).map_err(wrap)
    }
    fn supports_retract_batch(&self) -> bool {
        !matches!(self.kind, Kind::Least | Kind::Greatest)
    }
    fn evaluate(&mut self) -> Result<ScalarValue> {
        Ok(scalar(self.result()))
    }
    fn size(&self) -> usize {
        size_of_val(self) + (self.sum.value.bits() + self.squares.value.bits()) as usize / 8
    }
    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        Ok(vec![
            ScalarValue::Int64(Some(self.count)),
            scalar(Some(Numeric::Finite(self.sum.clone()))),
            scalar(Some(Numeric::Finite(self.squares.clone()))),
            scalar(self.special.clone()),
        ])
    }
    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        let counts = states[0].as_primitive::<Int64Type>();
        let finite = |array: &ArrayRef, row: usize| match from_bytes(array.as_binary::<i64>().value(row)) {
            Ok(Numeric::Finite(decimal)) => Ok(decimal),
            Ok(_) => Err(wrap(EngineError::new("XX000", "a sum is not finite"))),
            Err(error) => Err(wrap(error)),
        };
        for row in 0..counts.len() {
            self.count += counts.value(row);
            let (sum, squares) = (finite(&states[1], row)?, finite(&states[2], row)?);
            Sums::add(&mut self.sum, sum.value, sum.scale);
            Sums::add(&mut self.squares, squares.value, squares.scale);
            if states[3].is_valid(row) {
                let special: ArrayRef = states[3].slice(row, 1);
                match self.kind {
                    Kind::Least | Kind::Greatest => self.take_array(&special, 1).map_err(wrap)?,
                    _ => {
                        let special = from_bytes(special.as_binary::<i64>().value(0)).map_err(wrap)?;
                        self.add_special(special).map_err(wrap)?;
                    }
                }
            }
        }
        Ok(())
    }
}
