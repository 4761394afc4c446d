//! Subscripts: `json['a'][0]` (`jsonbsubs.c`).

use std::borrow::Cow;

use arrow_array::{Array, ArrayRef, Int32Array};
use error::sqlstate;

use super::access::follow;
use super::layout::{Value, View};
use super::set_path::assign;
use super::value::jsonb;
use crate::column::{Argument, Put, SqlType};
use crate::error::{Error, Result};
use crate::sql::text;

fn value(argument: &Argument, row: usize) -> Option<View<'_>> {
    let (column, index) = (argument.of::<jsonb>(), argument.index(row));
    column.is_valid(index).then(|| jsonb::get(column, index))
}

fn number(argument: &Argument) -> Option<&Int32Array> {
    argument.array().as_any().downcast_ref()
}

/// A subscript of a row as the step of a path: it is a number or a text.
fn step(argument: &Argument, row: usize) -> Option<Cow<'_, str>> {
    let index = argument.index(row);
    if argument.array().is_null(index) {
        return None;
    }
    Some(match number(argument) {
        Some(numbers) => Cow::Owned(numbers.value(index).to_string()),
        None => Cow::Borrowed(text::get(argument.of::<text>(), index)),
    })
}

/// What is there; NULL where nothing is, or where anything is NULL.
pub fn elements(rows: usize, json: &Argument, subscripts: &[Argument]) -> Result<ArrayRef> {
    let mut out = jsonb::builder(rows);
    let mut steps = Vec::new();
    for row in 0..rows {
        steps.clear();
        steps.extend(subscripts.iter().map_while(|subscript| step(subscript, row)));
        let found = match value(json, row) {
            Some(json) if steps.len() == subscripts.len() => follow(json, steps.iter().map(|step| &**step)),
            _ => None,
        };
        match found {
            Some(found) => <jsonb as Put<Value<'_>>>::put(&mut out, found),
            None => jsonb::put_null(&mut out),
        }
        jsonb::check(&out)?;
    }
    Ok(jsonb::finish(out))
}

/// The values with something else there; NULL is null.
pub fn assign_elements(rows: usize, json: &Argument, subscripts: &[Argument], new: &Argument) -> Result<ArrayRef> {
    let mut out = jsonb::builder(rows);
    let first_is_number = subscripts.first().is_some_and(|first| number(first).is_some());
    for row in 0..rows {
        let steps: Option<Vec<Cow<'_, str>>> = subscripts.iter().map(|subscript| step(subscript, row)).collect();
        let null = || Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "jsonb subscript in assignment must not be null");
        let steps = steps.ok_or_else(null)?;
        let steps: Vec<&str> = steps.iter().map(|step| &**step).collect();
        let new = value(new, row).map_or(Value::Null, |new| new.root());
        let bytes = assign(value(json, row), &steps, first_is_number, new)?;
        <jsonb as Put<&[u8]>>::put(&mut out, &bytes);
        jsonb::check(&out)?;
    }
    Ok(jsonb::finish(out))
}
