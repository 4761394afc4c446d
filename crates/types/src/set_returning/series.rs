//! `generate_series`.

use std::cmp::Ordering;

use error::sqlstate;

use super::{Set, SetCall, SetFunction};
use crate::column::Put;
use crate::datetime::arithmetic::{plus, plus_in, zone_named};
use crate::datetime::values::{interval, is_infinite, timestamp, timestamptz};
use crate::datetime::{Interval, Zone};
use crate::datum::ColumnBuilder;
use crate::decimal;
use crate::error::{Error, Result};
use crate::numeric::numeric;
use crate::numeric::value::Numeric;
use crate::oid::{self, Oid};
use crate::sql::*;

pub const FUNCTIONS: &[SetFunction] = &[
    series(&[oid::INT4, oid::INT4], oid::INT4, of_integers::<int4, i32>),
    series(&[oid::INT4, oid::INT4, oid::INT4], oid::INT4, of_integers::<int4, i32>),
    series(&[oid::INT8, oid::INT8], oid::INT8, of_integers::<int8, i64>),
    series(&[oid::INT8, oid::INT8, oid::INT8], oid::INT8, of_integers::<int8, i64>),
    series(&[oid::NUMERIC, oid::NUMERIC], oid::NUMERIC, of_numerics),
    series(&[oid::NUMERIC, oid::NUMERIC, oid::NUMERIC], oid::NUMERIC, of_numerics),
    series(&[oid::TIMESTAMP, oid::TIMESTAMP, oid::INTERVAL], oid::TIMESTAMP, of_timestamps),
    series(&[oid::TIMESTAMPTZ, oid::TIMESTAMPTZ, oid::INTERVAL], oid::TIMESTAMPTZ, of_instants),
    series(&[oid::TIMESTAMPTZ, oid::TIMESTAMPTZ, oid::INTERVAL, oid::TEXT], oid::TIMESTAMPTZ, of_instants),
];

type Start = fn(&SetCall<'_>) -> Result<Box<dyn Set>>;

const fn series(arguments: &'static [Oid], result: Oid, start: Start) -> SetFunction {
    SetFunction { name: "generate_series", arguments, result, strict: true, start }
}

fn invalid<T>(message: &str) -> Result<T> {
    Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, message))
}

const NO_STEP: &str = "step size cannot equal zero";

/// Values from one to another.
struct Series<V, N> {
    /// `None`: there are no more.
    next: Option<V>,
    last: V,
    down: bool,
    /// The value behind another; `None` where there is none.
    after: N,
    put: fn(&mut ColumnBuilder, &V),
}

impl<V: PartialOrd + Send, N: FnMut(&V) -> Result<Option<V>> + Send> Set for Series<V, N> {
    fn fill(&mut self, most: usize, out: &mut [ColumnBuilder]) -> Result<usize> {
        let beyond = if self.down { Ordering::Less } else { Ordering::Greater };
        for filled in 0..most {
            let Some(value) = self.next.take().filter(|value| value.partial_cmp(&self.last) != Some(beyond)) else {
                return Ok(filled);
            };
            self.next = (self.after)(&value)?;
            (self.put)(&mut out[0], &value);
        }
        Ok(most)
    }
}

fn of_integers<T, V>(call: &SetCall<'_>) -> Result<Box<dyn Set>>
where
    T: for<'a> crate::SqlType<Value<'a> = V> + Put<V> + 'static,
    V: Copy + TryFrom<i128> + Into<i64> + PartialOrd + Send + 'static,
{
    let value = |number| -> i64 { call.get::<T>(number).into() };
    let step = if call.arguments.len() > 2 { value(2) } else { 1 };
    if step == 0 {
        return invalid(NO_STEP);
    }
    Ok(Box::new(Series {
        next: Some(call.get::<T>(0)),
        last: call.get::<T>(1),
        down: step < 0,
        after: move |&value: &V| Ok(V::try_from(i128::from(value.into()) + i128::from(step)).ok()),
        put: |out, value| out.put::<T, _>(Some(*value)),
    }))
}

fn of_numerics(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let arguments: Vec<_> = call.arguments.iter().map(decimal::argument_to_numeric).collect();
    let call = SetCall { arguments: &arguments, ..*call };
    let value = |number: usize, title: &str| {
        let value = call.get::<numeric>(number);
        match (value.is_nan(), value.is_infinite()) {
            (true, _) => invalid(&format!("{title} cannot be NaN")),
            (_, true) => invalid(&format!("{title} cannot be infinity")),
            _ => Ok(value),
        }
    };
    let (first, last) = (value(0, "start value")?, value(1, "stop value")?);
    let step = if arguments.len() > 2 { value(2, "step size")? } else { Numeric::from(1) };
    if step.signum() == 0 {
        return invalid(NO_STEP);
    }
    Ok(Box::new(Series {
        next: Some(first),
        last,
        down: step.signum() < 0,
        after: move |value: &Numeric| Ok(value.add(&step).ok()),
        put: |out, value| out.put::<numeric, _>(Some(value.clone())),
    }))
}

/// A step, which is neither zero nor infinite.
fn step(call: &SetCall<'_>) -> Result<Interval> {
    let step = call.get::<interval>(2);
    match step.span() {
        _ if step.is_infinite() => invalid("step size cannot be infinite"),
        0 => invalid(NO_STEP),
        _ => Ok(step),
    }
}

/// The value behind the last one that there was. What PostgreSQL still has and is not here is behind all that are.
fn next_time(next: Result<i64>, last: i64) -> Result<Option<i64>> {
    match next {
        Err(error) if error.0.code == sqlstate::FEATURE_NOT_SUPPORTED && !is_infinite(last) => Ok(None),
        next => next.map(Some),
    }
}

fn of_timestamps(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let (step, last) = (step(call)?, call.get::<timestamp>(1));
    Ok(Box::new(Series {
        next: Some(call.get::<timestamp>(0)),
        last,
        down: step.span() < 0,
        after: move |&micros: &i64| next_time(plus(micros, step), last),
        put: |out, value| out.put::<timestamp, _>(Some(*value)),
    }))
}

fn of_instants(call: &SetCall<'_>) -> Result<Box<dyn Set>> {
    let (step, last) = (step(call)?, call.get::<timestamptz>(1));
    let zone: Zone = match call.arguments.len() {
        3 => call.context.zone.clone(),
        _ => zone_named(call.context, call.get::<text>(3))?,
    };
    Ok(Box::new(Series {
        next: Some(call.get::<timestamptz>(0)),
        last,
        down: step.span() < 0,
        after: move |&micros: &i64| next_time(plus_in(micros, step, &zone), last),
        put: |out, value| out.put::<timestamptz, _>(Some(*value)),
    }))
}
