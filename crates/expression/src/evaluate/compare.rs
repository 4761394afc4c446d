//! Comparisons of numbers, dates and texts: what most conditions are made of. The same as the functions of these names in
//! the room of types, without a branch for each row.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType, BooleanArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use types::Argument;

use crate::frame::Frame;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    class: Class,
    operator: Operator,
}

#[derive(Clone, Copy, Debug)]
enum Class {
    Int2,
    Int4,
    Int8,
    Int24,
    Int42,
    Int28,
    Int82,
    Int48,
    Int84,
    Oid,
    Date,
    Time,
    Timestamp,
    Float4,
    Float8,
    Text,
}

#[derive(Clone, Copy, Debug)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl Comparison {
    /// What a function of PostgreSQL's compares.
    pub fn of(function: &str) -> Option<Comparison> {
        let (class, operator) = function.split_at_checked(function.len().checked_sub(2)?)?;
        let operator = match operator {
            "eq" => Operator::Equal,
            "ne" => Operator::NotEqual,
            "lt" => Operator::Less,
            "le" => Operator::LessEqual,
            "gt" => Operator::Greater,
            "ge" => Operator::GreaterEqual,
            _ => return None,
        };
        let class = match class {
            "int2" => Class::Int2,
            "int4" => Class::Int4,
            "int8" => Class::Int8,
            "int24" => Class::Int24,
            "int42" => Class::Int42,
            "int28" => Class::Int28,
            "int82" => Class::Int82,
            "int48" => Class::Int48,
            "int84" => Class::Int84,
            "oid" => Class::Oid,
            "date_" => Class::Date,
            "time_" => Class::Time,
            "timestamp_" | "timestamptz_" => Class::Timestamp,
            "float4" => Class::Float4,
            "float8" => Class::Float8,
            "text" | "text_" => Class::Text,
            _ => return None,
        };
        Some(Comparison { class, operator })
    }

    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Argument {
        let (a, b) = (&values[0], &values[1]);
        let null = |value: &Argument| value.is_constant() && value.array().is_null(0);
        if null(a) || null(b) {
            return Argument::constant(Arc::new(BooleanArray::new_null(1)));
        }
        let constant = a.is_constant() && b.is_constant();
        let rows = if constant { 1 } else { frame.rows };
        let nulls = |value: &Argument| (!value.is_constant()).then(|| value.array().nulls().cloned()).flatten();
        let nulls = NullBuffer::union(nulls(a).as_ref(), nulls(b).as_ref());
        let result = Arc::new(BooleanArray::new(self.bits(rows, a, b), nulls));
        if constant { Argument::constant(result) } else { Argument::column(result) }
    }

    fn bits(&self, rows: usize, a: &Argument, b: &Argument) -> BooleanBuffer {
        let operator = self.operator;
        match self.class {
            Class::Int2 => same::<Int16Type>(operator, rows, a, b),
            Class::Int4 => same::<Int32Type>(operator, rows, a, b),
            Class::Int8 => same::<Int64Type>(operator, rows, a, b),
            Class::Int24 => mixed::<Int16Type, Int32Type>(operator, rows, a, b),
            Class::Int42 => mixed::<Int32Type, Int16Type>(operator, rows, a, b),
            Class::Int28 => mixed::<Int16Type, Int64Type>(operator, rows, a, b),
            Class::Int82 => mixed::<Int64Type, Int16Type>(operator, rows, a, b),
            Class::Int48 => mixed::<Int32Type, Int64Type>(operator, rows, a, b),
            Class::Int84 => mixed::<Int64Type, Int32Type>(operator, rows, a, b),
            Class::Oid => same::<UInt32Type>(operator, rows, a, b),
            Class::Date => same::<Date32Type>(operator, rows, a, b),
            Class::Time => same::<Time64MicrosecondType>(operator, rows, a, b),
            Class::Timestamp => same::<TimestampMicrosecondType>(operator, rows, a, b),
            Class::Float4 => primitive::<Float32Type, Float32Type, _>(operator, rows, a, b, float4, float4),
            Class::Float8 => primitive::<Float64Type, Float64Type, _>(operator, rows, a, b, float8, float8),
            Class::Text => {
                let (x, y) = (a.array().as_string::<i32>(), b.array().as_string::<i32>());
                match (a.is_constant(), b.is_constant()) {
                    (false, true) => {
                        let y = y.value(0).as_bytes();
                        bits(operator, rows, |row| x.value(row).as_bytes(), |_| y)
                    }
                    _ => bits(operator, rows, |row| x.value(a.index(row)), |row| y.value(b.index(row))),
                }
            }
        }
    }
}

/// NaN is equal to itself and greater than all else.
fn float4(value: f32) -> (bool, f32) {
    if value.is_nan() { (true, 0.0) } else { (false, value) }
}

fn float8(value: f64) -> (bool, f64) {
    if value.is_nan() { (true, 0.0) } else { (false, value) }
}

fn same<T: ArrowPrimitiveType>(operator: Operator, rows: usize, a: &Argument, b: &Argument) -> BooleanBuffer
where
    T::Native: PartialOrd,
{
    primitive::<T, T, _>(operator, rows, a, b, |value| value, |value| value)
}

/// Integers of two widths.
fn mixed<A: ArrowPrimitiveType, B: ArrowPrimitiveType>(
    operator: Operator,
    rows: usize,
    a: &Argument,
    b: &Argument,
) -> BooleanBuffer
where
    A::Native: Into<i64>,
    B::Native: Into<i64>,
{
    primitive::<A, B, i64>(operator, rows, a, b, Into::into, Into::into)
}

#[inline]
fn primitive<A: ArrowPrimitiveType, B: ArrowPrimitiveType, K: PartialOrd + Copy>(
    operator: Operator,
    rows: usize,
    a: &Argument,
    b: &Argument,
    key_a: impl Fn(A::Native) -> K,
    key_b: impl Fn(B::Native) -> K,
) -> BooleanBuffer {
    let (x, y) = (a.array().as_primitive::<A>().values(), b.array().as_primitive::<B>().values());
    match (a.is_constant(), b.is_constant()) {
        (false, true) => {
            let (x, y) = (&x[..rows], key_b(y[0]));
            bits(operator, rows, |row| key_a(x[row]), |_| y)
        }
        (false, false) => {
            let (x, y) = (&x[..rows], &y[..rows]);
            bits(operator, rows, |row| key_a(x[row]), |row| key_b(y[row]))
        }
        _ => bits(operator, rows, |row| key_a(x[a.index(row)]), |row| key_b(y[b.index(row)])),
    }
}

#[inline]
fn bits<K: PartialOrd>(
    operator: Operator,
    rows: usize,
    a: impl Fn(usize) -> K,
    b: impl Fn(usize) -> K,
) -> BooleanBuffer {
    match operator {
        Operator::Equal => BooleanBuffer::collect_bool(rows, |row| a(row) == b(row)),
        Operator::NotEqual => BooleanBuffer::collect_bool(rows, |row| a(row) != b(row)),
        Operator::Less => BooleanBuffer::collect_bool(rows, |row| a(row) < b(row)),
        Operator::LessEqual => BooleanBuffer::collect_bool(rows, |row| a(row) <= b(row)),
        Operator::Greater => BooleanBuffer::collect_bool(rows, |row| a(row) > b(row)),
        Operator::GreaterEqual => BooleanBuffer::collect_bool(rows, |row| a(row) >= b(row)),
    }
}
