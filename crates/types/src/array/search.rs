//! Functions that look for elements, and those that remove or replace what they find.

use arrow_array::{Array, ArrayRef};
use error::sqlstate;
use std::sync::Arc;

use crate::column::Argument;
use crate::compare;
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::oid::{ANYCOMPATIBLE, ANYCOMPATIBLEARRAY, INT4, INT4_ARRAY};
use crate::repr::Repr;
use crate::scalar::Scalar;
use crate::sql::int4;

use super::builder::{ArrayBuilder, empty};
use super::column::plain;
use super::comparison::check_equality;
use super::subscript::{array_at, each_row};
use super::types::type_name;
use super::view::ArrayView;

pub const FUNCTIONS: &[Function] = &[
    Function {
        name: "array_position",
        arguments: &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE],
        result: INT4,
        strict: false,
        kernel: array_position,
    },
    Function {
        name: "array_position",
        arguments: &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, INT4],
        result: INT4,
        strict: false,
        kernel: array_position,
    },
    Function {
        name: "array_positions",
        arguments: &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE],
        result: INT4_ARRAY,
        strict: false,
        kernel: array_positions,
    },
    Function {
        name: "array_remove",
        arguments: &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE],
        result: ANYCOMPATIBLEARRAY,
        strict: false,
        kernel: array_remove,
    },
    Function {
        name: "array_replace",
        arguments: &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE, ANYCOMPATIBLE],
        result: ANYCOMPATIBLEARRAY,
        strict: false,
        kernel: array_replace,
    },
    Function {
        name: "width_bucket",
        arguments: &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY],
        result: INT4,
        strict: true,
        kernel: width_bucket,
    },
];

/// Whether an element is what is looked for; NULL is if NULL is looked for.
fn matches(repr: Repr, element: Option<Scalar<'_>>, wanted: Option<Scalar<'_>>) -> bool {
    match (element, wanted) {
        (Some(element), Some(wanted)) => compare::scalars(repr, element, wanted).is_eq(),
        (element, wanted) => element.is_none() && wanted.is_none(),
    }
}

/// Where the elements are that are looked for. Fails for an array in which a place is more than one number.
fn positions<'a>(
    array: &ArrayView<'a>,
    wanted: Option<Scalar<'a>>,
) -> Result<impl Iterator<Item = (usize, i32)> + use<'a>> {
    if array.shape().dimensions() > 1 {
        let message = "searching for elements in multidimensional arrays is not supported";
        return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
    }
    if !array.is_empty() && (wanted.is_some() || array.has_nulls()) {
        check_equality(array.element())?;
    }
    let repr = array.repr();
    let lower = array.shape().lower().first().copied().unwrap_or(1);
    let found = array.iter().enumerate().filter(move |(_, element)| matches(repr, *element, wanted));
    Ok(found.map(move |(index, _)| (index, lower + index as i32)))
}

fn array_position(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let wanted = plain(arguments[1].array());
    let one = |row: usize| -> Result<Option<i32>> {
        let Some(array) = array_at(&arguments[0], row) else { return Ok(None) };
        let wanted = Scalar::of(&wanted, arguments[1].index(row));
        let mut found = positions(&array, wanted)?;
        if array.is_empty() || (wanted.is_none() && !array.has_nulls()) {
            return Ok(None);
        }
        let least = match arguments.get(2) {
            None => i32::MIN,
            Some(from) => {
                let (column, index) = (from.of::<int4>(), from.index(row));
                if column.is_null(index) {
                    return Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "initial position must not be null"));
                }
                column.value(index)
            }
        };
        Ok(found.find(|(_, position)| *position >= least).map(|(_, position)| position))
    };
    let values = (0..call.rows).map(one).collect::<Result<arrow_array::Int32Array>>()?;
    Ok(Arc::new(values))
}

fn array_positions(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let wanted = plain(arguments[1].array());
    each_row(call.rows, |row| {
        let Some(array) = array_at(&arguments[0], row) else { return Ok(None) };
        let mut builder = ArrayBuilder::new(INT4, Repr::Int4);
        for (_, position) in positions(&array, Scalar::of(&wanted, arguments[1].index(row)))? {
            builder.push(Some(Scalar::Int(position.into())))?;
        }
        builder.finish_list().map(Some)
    })
}

fn array_remove(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let wanted = plain(arguments[1].array());
    each_row(call.rows, |row| {
        let Some(array) = array_at(&arguments[0], row) else { return Ok(None) };
        let wanted = Scalar::of(&wanted, arguments[1].index(row));
        if array.is_empty() {
            return Ok(Some(array.bytes().to_vec()));
        }
        if array.shape().dimensions() > 1 {
            let message = "removing elements from multidimensional arrays is not supported";
            return Err(Error::new(sqlstate::FEATURE_NOT_SUPPORTED, message));
        }
        check_equality(array.element())?;
        let mut builder = ArrayBuilder::like(&array);
        for element in array.iter().filter(|element| !matches(array.repr(), *element, wanted)) {
            builder.push(element)?;
        }
        match builder.len() {
            0 => Ok(Some(empty(array.element(), array.repr()))),
            left => builder.finish(&array.shape().with_length(left)?).map(Some),
        }
    })
}

fn array_replace(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let (wanted, replacement) = (plain(arguments[1].array()), plain(arguments[2].array()));
    each_row(call.rows, |row| {
        let Some(array) = array_at(&arguments[0], row) else { return Ok(None) };
        let wanted = Scalar::of(&wanted, arguments[1].index(row));
        let replacement = Scalar::of(&replacement, arguments[2].index(row));
        if !array.is_empty() {
            check_equality(array.element())?;
        }
        let mut builder = ArrayBuilder::like(&array);
        for element in array.iter() {
            builder.push(if matches(array.repr(), element, wanted) { replacement } else { element })?;
        }
        builder.finish(array.shape()).map(Some)
    })
}

/// The number of the thresholds that are not greater.
fn width_bucket(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let values = plain(arguments[0].array());
    let one = |row: usize| -> Result<Option<i32>> {
        let value = Scalar::of(&values, arguments[0].index(row));
        let (Some(value), Some(array)) = (value, array_at(&arguments[1], row)) else { return Ok(None) };
        if array.shape().dimensions() > 1 {
            return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "thresholds must be one-dimensional array"));
        }
        if array.has_nulls() {
            return Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "thresholds array must not contain NULLs"));
        }
        if !compare::has_order(array.element()) {
            let name = type_name(array.element());
            return Err(Error::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("could not identify a comparison function for type {name}"),
            ));
        }
        let (mut low, mut high) = (0, array.len());
        while low < high {
            let middle = (low + high) / 2;
            let less = array.get(middle).is_some_and(|t| compare::scalars(array.repr(), value, t).is_lt());
            if less {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        Ok(Some(low as i32))
    };
    let values = (0..call.rows).map(one).collect::<Result<arrow_array::Int32Array>>()?;
    Ok(Arc::new(values))
}
