//! Whether values are in others: `@>`, `?` and their like.

use error::sqlstate;

use super::layout::{Shape, Value, View};
use super::value::jsonb;
use crate::array::ArrayView;
use crate::array::value::text_array;
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::numeric::bytes;
use crate::sql::*;

pub const FUNCTIONS: &[Function] = functions! {
    jsonb_contains(jsonb, jsonb) -> boolean = contains;
    jsonb_contained(jsonb, jsonb) -> boolean = |part, whole| contains(whole, part);
    jsonb_exists(jsonb, text) -> boolean = |json, key: &str| Result::Ok(exists(json, key.as_bytes()));
    jsonb_exists_any(jsonb, text_array) -> boolean =
        |json, keys: ArrayView<'_>| Result::Ok(keys.iter().flatten().any(|key| exists(json, key.bytes())));
    jsonb_exists_all(jsonb, text_array) -> boolean =
        |json, keys: ArrayView<'_>| Result::Ok(keys.iter().flatten().all(|key| exists(json, key.bytes())));
};

/// Levels that are looked into at most.
const MOST_LEVELS: usize = 10_000;

/// Whether a text is a key of an object, or an element of an array.
fn exists(json: View<'_>, key: &[u8]) -> bool {
    match json.shape() {
        Shape::Object => json.find(key).is_some(),
        _ => json.elements().any(|element| matches!(element, Value::String(text) if text == key)),
    }
}

/// Whether two scalars are equal.
fn is_equal(a: Value<'_>, b: Value<'_>) -> bool {
    match (a, b) {
        (Value::Null, Value::Null) => true,
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Number(a), Value::Number(b)) => bytes::key(a) == bytes::key(b),
        (Value::Bool(a), Value::Bool(b)) => a == b,
        _ => false,
    }
}

fn contains(whole: View<'_>, part: View<'_>) -> Result<bool> {
    is_in(part, whole, 0)
}

/// `JsonbDeepContains`: every pair of an object is in the other, every element of an array is one of the other's.
fn is_in(part: View<'_>, whole: View<'_>, level: usize) -> Result<bool> {
    if level > MOST_LEVELS {
        return Err(Error::new(sqlstate::STATEMENT_TOO_COMPLEX, "stack depth limit exceeded"));
    }
    if (part.shape() == Shape::Object) != (whole.shape() == Shape::Object) {
        return Ok(false);
    }
    if part.shape() == Shape::Object {
        return pairs_are_in(part, whole, level);
    }
    // An array may contain a scalar, but not the other way round.
    if whole.shape() == Shape::Scalar && part.shape() != Shape::Scalar {
        return Ok(false);
    }
    for element in part.elements() {
        let mut found = false;
        for candidate in whole.elements() {
            found = match (element, candidate) {
                (Value::Container(element), Value::Container(candidate)) => is_in(element, candidate, level + 1)?,
                (element, candidate) => is_equal(element, candidate),
            };
            if found {
                break;
            }
        }
        if !found {
            return Ok(false);
        }
    }
    Ok(true)
}

fn pairs_are_in(part: View<'_>, whole: View<'_>, level: usize) -> Result<bool> {
    if whole.len() < part.len() {
        return Ok(false);
    }
    for (key, value) in part.pairs() {
        let is_there = match (value, whole.field(key)) {
            (_, None) => false,
            (Value::Container(value), Some(Value::Container(other))) => is_in(value, other, level + 1)?,
            (value, Some(other)) => is_equal(value, other),
        };
        if !is_there {
            return Ok(false);
        }
    }
    Ok(true)
}
