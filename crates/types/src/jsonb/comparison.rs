//! How values are compared (`compareJsonbContainers`), hashed, and bytes that compare so.

use std::cmp::Ordering;

use super::layout::{Shape, Value, View, number};
use super::value::jsonb;
use super::walk::{Step, Walk};
use crate::bytea::hash::{hash_any, hash_any_extended};
use crate::compare::append_escaped;
use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::numeric::{Numeric, bytes};
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    jsonb_eq(jsonb, jsonb) -> boolean = |a, b| Result::Ok(compare(a, b).is_eq());
    jsonb_ne(jsonb, jsonb) -> boolean = |a, b| Result::Ok(compare(a, b).is_ne());
    jsonb_lt(jsonb, jsonb) -> boolean = |a, b| Result::Ok(compare(a, b).is_lt());
    jsonb_le(jsonb, jsonb) -> boolean = |a, b| Result::Ok(compare(a, b).is_le());
    jsonb_gt(jsonb, jsonb) -> boolean = |a, b| Result::Ok(compare(a, b).is_gt());
    jsonb_ge(jsonb, jsonb) -> boolean = |a, b| Result::Ok(compare(a, b).is_ge());
    jsonb_cmp(jsonb, jsonb) -> int4 = |a, b| Result::Ok(compare(a, b) as i32);
    jsonb_hash(jsonb) -> int4 = |a| Result::Ok(hash(a));
    jsonb_hash_extended(jsonb, int8) -> int8 = |a, seed| Result::Ok(hash_extended(a, seed));
};

/// What a step is compared by first. All arrays are less than all objects, and a value that stands alone is one.
fn rank(step: &Step<'_>) -> u8 {
    match step {
        Step::End(_) => 0,
        Step::Scalar(Value::Null) => 1,
        Step::Key(_) | Step::Scalar(Value::String(_)) => 2,
        Step::Scalar(Value::Number(_)) => 3,
        Step::Scalar(Value::Bool(_)) => 4,
        Step::Begin(Shape::Array | Shape::Scalar, _) => 5,
        Step::Begin(Shape::Object, _) | Step::Scalar(Value::Container(_)) => 6,
    }
}

/// The order of values: of containers those with fewer things are less, of scalars null, strings, numbers and truth values in
/// this order.
pub fn compare(a: View<'_>, b: View<'_>) -> Ordering {
    if a.bytes() == b.bytes() {
        return Ordering::Equal;
    }
    let mut steps = Walk::new(a).zip(Walk::new(b)).map(|(a, b)| match (&a, &b) {
        (Step::Scalar(Value::Number(a)), Step::Scalar(Value::Number(b))) => bytes::key(a).cmp(bytes::key(b)),
        (Step::Scalar(Value::Bool(a)), Step::Scalar(Value::Bool(b))) => a.cmp(b),
        (Step::Scalar(Value::String(a)), Step::Scalar(Value::String(b))) | (Step::Key(a), Step::Key(b)) => a.cmp(b),
        (Step::Begin(a, many), Step::Begin(b, more)) if (*a == Shape::Object) == (*b == Shape::Object) => {
            let alone = |shape: &Shape| *shape == Shape::Scalar;
            many.cmp(more).then_with(|| alone(b).cmp(&alone(a)))
        }
        (a, b) => rank(a).cmp(&rank(b)),
    });
    steps.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
}

/// Appends bytes that compare as values do.
pub fn append_key(view: View<'_>, out: &mut Vec<u8>) {
    for step in Walk::new(view) {
        // The number of things in a container says where it ends.
        if matches!(step, Step::End(_)) {
            continue;
        }
        out.push(rank(&step));
        match step {
            Step::Begin(shape, count) => {
                out.extend_from_slice(&(count as u32).to_be_bytes());
                out.push(u8::from(shape != Shape::Scalar));
            }
            Step::Key(text) | Step::Scalar(Value::String(text)) => append_escaped(text, out),
            Step::Scalar(Value::Number(number)) => append_escaped(bytes::key(number), out),
            Step::Scalar(Value::Bool(value)) => out.push(value.into()),
            _ => {}
        }
    }
}

/// A number's digits of base 10000 without zeros at its ends, as bytes, and the power of the first one (`hash_numeric`). `None`:
/// it is zero.
fn digits(number: &Numeric) -> Option<(Vec<u8>, i32)> {
    let Numeric::Finite(decimal) = number else { return None };
    let (digits, weight) = decimal.base_10000();
    let first = digits.iter().position(|&digit| digit != 0)?;
    let last = digits.iter().rposition(|&digit| digit != 0)?;
    Some((digits[first..=last].iter().flat_map(|digit| digit.to_le_bytes()).collect(), weight - first as i32))
}

fn hash_number(value: &[u8]) -> i32 {
    digits(&number(value)).map_or(-1, |(digits, weight)| hash_any(&digits) ^ weight)
}

fn hash_number_extended(value: &[u8], seed: i64) -> i64 {
    match digits(&number(value)) {
        Some((digits, weight)) => hash_any_extended(&digits, seed) ^ i64::from(weight),
        None => seed.wrapping_sub(1),
    }
}

const ARRAY: u32 = 0x4000_0000;
const OBJECT: u32 = 0x2000_0000;

fn hash(view: View<'_>) -> i32 {
    if view.is_empty() {
        return 0;
    }
    let step = |hash: u32, step: Step<'_>| {
        let scalar = match step {
            Step::Begin(Shape::Object, _) => return hash ^ OBJECT,
            Step::Begin(..) => return hash ^ ARRAY,
            Step::End(_) => return hash,
            Step::Key(text) | Step::Scalar(Value::String(text)) => hash_any(text) as u32,
            Step::Scalar(Value::Number(bytes)) => hash_number(bytes) as u32,
            Step::Scalar(Value::Bool(true)) => 2,
            Step::Scalar(Value::Bool(false)) => 4,
            Step::Scalar(_) => 1,
        };
        hash.rotate_left(1) ^ scalar
    };
    Walk::new(view).fold(0, step) as i32
}

fn hash_extended(view: View<'_>, seed: i64) -> i64 {
    if view.is_empty() {
        return seed;
    }
    let both = |mark: u32| u64::from(mark) << 32 | u64::from(mark);
    let step = |hash: u64, step: Step<'_>| {
        let scalar = match step {
            Step::Begin(Shape::Object, _) => return hash ^ both(OBJECT),
            Step::Begin(..) => return hash ^ both(ARRAY),
            Step::End(_) => return hash,
            Step::Key(text) | Step::Scalar(Value::String(text)) => hash_any_extended(text, seed) as u64,
            Step::Scalar(Value::Number(bytes)) => hash_number_extended(bytes, seed) as u64,
            Step::Scalar(Value::Bool(value)) if seed != 0 => {
                hash_any_extended(&u32::from(value).to_le_bytes(), seed) as u64
            }
            Step::Scalar(Value::Bool(true)) => 2,
            Step::Scalar(Value::Bool(false)) => 4,
            Step::Scalar(_) => (seed as u64).wrapping_add(1),
        };
        // Both halves are rotated.
        ((hash << 1) & 0xffff_fffe_ffff_fffe | (hash >> 31) & 0x1_0000_0001) ^ scalar
    };
    Walk::new(view).fold(0, step) as i64
}
