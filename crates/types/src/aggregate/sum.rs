//! `sum` and `avg`, but for the mean of floating-point numbers, which is with their variance.

use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;
use arrow_array::{Array, ArrayRef, Decimal128Array};

use super::fold::{Combine, fold};
use super::states::{Finish, Row, State, States, Take, optional_part, part};
use super::{Aggregate, AggregateCall, GroupStates, Start};
use crate::column::{Argument, Parameter};
use crate::datetime::Interval;
use crate::datetime::values::interval;
use crate::datum::ColumnBuilder;
use crate::decimal::NAN;
use crate::error::Result;
use crate::float::arithmetic::{double, single};
use crate::numeric::sum::Sum;
use crate::numeric::value::{Decimal, Numeric};
use crate::numeric::whole::Whole;
use crate::numeric::{numeric, value};
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::sql::*;

pub const AGGREGATES: &[Aggregate] = &[
    aggregate("sum", &[oid::INT2], oid::INT8, |_| States::<IntegerSum, (int2,)>::boxed(int8_sum)),
    aggregate("sum", &[oid::INT4], oid::INT8, |_| States::<IntegerSum, (int4,)>::boxed(int8_sum)),
    aggregate("sum", &[oid::INT8], oid::NUMERIC, |_| States::<IntegerSum, (int8,)>::boxed(numeric_sum)),
    aggregate("avg", &[oid::INT2], oid::NUMERIC, |_| States::<IntegerSum, (int2,)>::boxed(integer_average)),
    aggregate("avg", &[oid::INT4], oid::NUMERIC, |_| States::<IntegerSum, (int4,)>::boxed(integer_average)),
    aggregate("avg", &[oid::INT8], oid::NUMERIC, |_| States::<IntegerSum, (int8,)>::boxed(integer_average)),
    aggregate("sum", &[oid::FLOAT4], oid::FLOAT4, fold::<float4, f32, Plus>),
    aggregate("sum", &[oid::FLOAT8], oid::FLOAT8, fold::<float8, f64, Plus>),
    aggregate("sum", &[oid::NUMERIC], oid::NUMERIC, |call| of_numeric(call, sum)),
    aggregate("avg", &[oid::NUMERIC], oid::NUMERIC, |call| of_numeric(call, average)),
    aggregate("sum", &[oid::INTERVAL], oid::INTERVAL, |_| States::<IntervalSum, (interval,)>::boxed(interval_sum)),
    aggregate("avg", &[oid::INTERVAL], oid::INTERVAL, |_| States::<IntervalSum, (interval,)>::boxed(interval_average)),
];

const fn aggregate(name: &'static str, arguments: &'static [Oid], result: Oid, start: Start) -> Aggregate {
    Aggregate { name, arguments, result, decimals: true, start }
}

/// The sum of whole numbers, which has room for 2^63 of them.
#[derive(Clone, Default)]
struct IntegerSum {
    sum: i128,
    count: i64,
}

fn int8_sum(state: &IntegerSum, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<int8, _>((state.count > 0).then_some(state.sum as i64));
    Ok(())
}

fn numeric_sum(state: &IntegerSum, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<numeric, _>((state.count > 0).then(|| whole(state.sum)));
    Ok(())
}

fn integer_average(state: &IntegerSum, out: &mut ColumnBuilder) -> Result<()> {
    let average = (state.count > 0).then(|| whole(state.sum).divide(&Numeric::from(state.count)));
    out.put::<numeric, _>(average.transpose()?);
    Ok(())
}

fn whole(value: i128) -> Numeric {
    Numeric::Finite(Decimal { value: Whole::Small(value), scale: 0 })
}

impl State for IntegerSum {
    const PARTS: &'static [Repr] = &[Repr::Decimal { precision: 38, scale: 0 }, Repr::Int8];
    const RETRACTS: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put_decimal(self.sum);
        parts[1].put::<int8, _>(Some(self.count));
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        self.sum += parts[0].as_primitive::<Decimal128Type>().value(row);
        self.count += part::<int8>(parts, 1, row);
        Ok(())
    }
}

impl<P> Take<(P,)> for IntegerSum
where
    P: Parameter + 'static,
    for<'a> i128: From<P::Value<'a>>,
{
    #[inline]
    fn add(&mut self, value: P::Value<'_>) -> Result<()> {
        self.sum += i128::from(value);
        self.count += 1;
        Ok(())
    }

    fn remove(&mut self, value: P::Value<'_>) -> Result<bool> {
        self.sum -= i128::from(value);
        self.count -= 1;
        Ok(true)
    }
}

struct Plus;

impl Combine<f32> for Plus {
    #[inline]
    fn combine(old: f32, new: f32) -> Result<f32> {
        single::add(old, new)
    }
}

impl Combine<f64> for Plus {
    #[inline]
    fn combine(old: f64, new: f64) -> Result<f64> {
        double::add(old, new)
    }
}

fn of_numeric(call: &AggregateCall<'_>, finish: Finish<Sum>) -> Result<Box<dyn GroupStates>> {
    match call.reprs[0] {
        Repr::Decimal { .. } => States::<Sum, Units>::boxed(finish),
        _ => States::<Sum, (numeric,)>::boxed(finish),
    }
}

fn sum(state: &Sum, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<numeric, _>(state.sum()?);
    Ok(())
}

fn average(state: &Sum, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<numeric, _>(state.average()?);
    Ok(())
}

impl State for Sum {
    const PARTS: &'static [Repr] = &[Repr::Numeric, Repr::Int8, Repr::Int8, Repr::Int8, Repr::Int8, Repr::Int8];
    const HEAP: bool = true;
    const RETRACTS: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put::<numeric, _>(Some(Numeric::Finite(self.total())));
        for (part, count) in parts[1..].iter_mut().zip(self.counts()) {
            part.put::<int8, _>(Some(count));
        }
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        let Numeric::Finite(total) = part::<numeric>(parts, 0, row) else { return Err(value::overflow()) };
        let counts = [1, 2, 3, 4, 5].map(|number| part::<int8>(parts, number, row));
        Sum::merge(self, &Sum::restored(&total, counts));
        Ok(())
    }

    fn heap(&self) -> usize {
        self.memory()
    }
}

impl Take<(numeric,)> for Sum {
    #[inline]
    fn add(&mut self, value: Numeric) -> Result<()> {
        Sum::add(self, value);
        Ok(())
    }

    fn remove(&mut self, value: Numeric) -> Result<bool> {
        Ok(Sum::remove(self, value))
    }
}

/// Values of a column of decimals: units, and how many digits they have behind the point.
struct Units;

impl Row for Units {
    type Columns<'a> = (&'a Decimal128Array, &'a Argument);
    type Value<'a> = (i128, i32);

    fn columns(arguments: &[Argument]) -> Self::Columns<'_> {
        (arguments[0].array().as_primitive(), &arguments[0])
    }

    #[inline]
    fn get<'a>(columns: &Self::Columns<'a>, row: usize) -> Option<Self::Value<'a>> {
        let index = columns.1.index(row);
        columns.0.is_valid(index).then(|| (columns.0.value(index), columns.0.scale().into()))
    }
}

impl Take<Units> for Sum {
    #[inline]
    fn add(&mut self, (units, scale): (i128, i32)) -> Result<()> {
        match units {
            NAN => Sum::add(self, Numeric::NaN),
            units => self.add_units(units, scale),
        }
        Ok(())
    }

    fn remove(&mut self, (units, scale): (i128, i32)) -> Result<bool> {
        Ok(match units {
            NAN => Sum::remove(self, Numeric::NaN),
            units => Sum::remove(self, Numeric::Finite(Decimal { value: Whole::Small(units), scale })),
        })
    }
}

/// The sum of those that are finite, and how many are and are not (`IntervalAggState`).
#[derive(Clone)]
struct IntervalSum {
    sum: Interval,
    finite: i64,
    infinities: i64,
    minus_infinities: i64,
}

impl Default for IntervalSum {
    fn default() -> IntervalSum {
        IntervalSum { sum: Interval::ZERO, finite: 0, infinities: 0, minus_infinities: 0 }
    }
}

fn interval_sum(state: &IntervalSum, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<interval, _>(state.total(Ok)?);
    Ok(())
}

fn interval_average(state: &IntervalSum, out: &mut ColumnBuilder) -> Result<()> {
    out.put::<interval, _>(state.total(|sum| sum.divided(state.finite as f64))?);
    Ok(())
}

impl IntervalSum {
    fn total(&self, of_finite: impl FnOnce(Interval) -> Result<Interval>) -> Result<Option<Interval>> {
        match (self.infinities > 0, self.minus_infinities > 0) {
            (true, true) => Interval::INFINITY.plus(Interval::MINUS_INFINITY).map(Some),
            (true, false) => Ok(Some(Interval::INFINITY)),
            (false, true) => Ok(Some(Interval::MINUS_INFINITY)),
            (false, false) if self.finite == 0 => Ok(None),
            (false, false) => of_finite(self.sum).map(Some),
        }
    }

    fn count(&mut self, value: Interval) -> &mut i64 {
        match value {
            Interval::INFINITY => &mut self.infinities,
            Interval::MINUS_INFINITY => &mut self.minus_infinities,
            _ => &mut self.finite,
        }
    }
}

impl State for IntervalSum {
    const PARTS: &'static [Repr] = &[Repr::Interval, Repr::Int8, Repr::Int8, Repr::Int8];
    const RETRACTS: bool = true;

    fn save(&self, parts: &mut [ColumnBuilder]) -> Result<()> {
        parts[0].put::<interval, _>(Some(self.sum));
        for (part, count) in parts[1..].iter_mut().zip([self.finite, self.infinities, self.minus_infinities]) {
            part.put::<int8, _>(Some(count));
        }
        Ok(())
    }

    fn merge(&mut self, parts: &[ArrayRef], row: usize) -> Result<()> {
        if let Some(sum) = optional_part::<interval>(parts, 0, row) {
            self.sum = self.sum.plus(sum)?;
        }
        self.finite += part::<int8>(parts, 1, row);
        self.infinities += part::<int8>(parts, 2, row);
        self.minus_infinities += part::<int8>(parts, 3, row);
        Ok(())
    }
}

impl Take<(interval,)> for IntervalSum {
    #[inline]
    fn add(&mut self, value: Interval) -> Result<()> {
        *self.count(value) += 1;
        if !value.is_infinite() {
            self.sum = self.sum.plus(value)?;
        }
        Ok(())
    }

    fn remove(&mut self, value: Interval) -> Result<bool> {
        *self.count(value) -= 1;
        if !value.is_infinite() {
            self.sum = if self.finite > 0 { self.sum.minus(value)? } else { Interval::ZERO };
        }
        Ok(true)
    }
}
