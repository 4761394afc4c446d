//! Functions that make arrays of others' members: in another order, fewer of them, or one many times.

use std::cmp::Ordering;
use std::hash::{BuildHasher, Hasher, RandomState};

use arrow_array::ArrayRef;
use error::sqlstate;

use crate::column::Argument;
use crate::compare;
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::functions;
use crate::made_of;
use crate::oid::{ANYARRAY, ANYELEMENT, INT4_ARRAY};
use crate::scalar::Scalar;
use crate::sql::*;

use super::builder::{ArrayBuilder, empty};
use super::column::plain;
use super::shape::{MOST_BYTES, MOST_DIMENSIONS, Shape, item_count, too_many_bytes, too_many_dimensions};
use super::subscript::{array_at, each_row, slice};
use super::types::type_name;
use super::value::anyarray;
use super::view::ArrayView;

pub const FUNCTIONS: &[&[Function]] = &[
    functions! {
        array_reverse(anyarray) -> anyarray = |a| reverse(&a);
        array_shuffle(anyarray) -> anyarray = |a: ArrayView<'_>| {
            let order = shuffled(a.shape().length(), a.shape().length());
            rearranged(&a, &order)
        };
        array_sample(anyarray, int4) -> anyarray = |a, n| sample(&a, n);
        trim_array(anyarray, int4) -> anyarray = |a, n| trim(&a, n);
        array_sort(anyarray) -> anyarray = |a| sort(&a, false, false);
        array_sort(anyarray, boolean) -> anyarray = |a, descending| sort(&a, descending, descending);
        array_sort(anyarray, boolean, boolean) -> anyarray = |a, descending, nulls_first| {
            sort(&a, descending, nulls_first)
        };
    },
    &[
        Function {
            name: "array_fill",
            arguments: &[ANYELEMENT, INT4_ARRAY],
            result: ANYARRAY,
            strict: false,
            kernel: array_fill,
        },
        Function {
            name: "array_fill",
            arguments: &[ANYELEMENT, INT4_ARRAY, INT4_ARRAY],
            result: ANYARRAY,
            strict: false,
            kernel: array_fill,
        },
    ],
];

/// The members of the first dimension with these numbers.
fn rearranged(array: &ArrayView<'_>, members: &[usize]) -> Result<Vec<u8>> {
    if members.is_empty() {
        return Ok(empty(array.element(), array.repr()));
    }
    let step = array.shape().step();
    let mut builder = ArrayBuilder::like(array);
    members.iter().try_for_each(|member| builder.extend(array, member * step..(member + 1) * step))?;
    builder.finish(&array.shape().with_length(members.len())?)
}

fn reverse(array: &ArrayView<'_>) -> Result<Vec<u8>> {
    let members: Vec<usize> = (0..array.shape().length()).rev().collect();
    rearranged(array, &members)
}

fn sample(array: &ArrayView<'_>, count: i32) -> Result<Vec<u8>> {
    let members = array.shape().length();
    match usize::try_from(count) {
        Ok(0) => Ok(empty(array.element(), array.repr())),
        Ok(count) if count <= members => {
            let sample = rearranged(array, &shuffled(members, count))?;
            let sample = ArrayView::new(&sample);
            let mut builder = ArrayBuilder::like(&sample);
            builder.extend(&sample, 0..sample.len())?;
            builder.finish(&sample.shape().beginning(1))
        }
        _ => Err(Error::new(sqlstate::INVALID_PARAMETER_VALUE, format!("sample size must be between 0 and {members}"))),
    }
}

/// The first of so many numbers in random order.
fn shuffled(numbers: usize, count: usize) -> Vec<usize> {
    let mut all: Vec<usize> = (0..numbers).collect();
    let random = RandomState::new();
    for at in 0..count {
        // Each number has a hash of its own under random keys.
        let mut hasher = random.build_hasher();
        hasher.write_usize(at);
        let left = (numbers - at) as u64;
        all.swap(at, at + (hasher.finish() % left) as usize);
    }
    all.truncate(count);
    all
}

fn trim(array: &ArrayView<'_>, count: i32) -> Result<Vec<u8>> {
    let length = array.shape().length() as i32;
    if !(0..=length).contains(&count) {
        let message = format!("number of elements to trim must be between 0 and {length}");
        return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, message));
    }
    let upper = (!array.is_empty()).then(|| array.shape().upper(0) - count);
    slice(array, &[None], &[upper])
}

fn sort(array: &ArrayView<'_>, descending: bool, nulls_first: bool) -> Result<Vec<u8>> {
    let length = array.shape().length();
    if length < 2 {
        return Ok(array.bytes().to_vec());
    }
    if !compare::has_order(array.element()) {
        let name = type_name(array.element());
        return Err(Error::new(
            sqlstate::FEATURE_NOT_SUPPORTED,
            format!("could not identify a comparison function for type {name}"),
        ));
    }
    let step = array.shape().step();
    let repr = array.repr();
    let directed = |order: Ordering| if descending { order.reverse() } else { order };
    let of_elements = |a: usize, b: usize| match (array.get(a), array.get(b)) {
        (Some(a), Some(b)) => directed(compare::scalars(repr, a, b)),
        (a, b) if nulls_first => a.is_some().cmp(&b.is_some()),
        (a, b) => a.is_none().cmp(&b.is_none()),
    };
    let of_arrays = |a: usize, b: usize| {
        let mut orders =
            (0..step).map(|at| compare::nullable(repr, array.get(a * step + at), array.get(b * step + at)));
        directed(orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal))
    };
    let mut members: Vec<usize> = (0..length).collect();
    match array.shape().dimensions() {
        1 => members.sort_by(|&a, &b| of_elements(a, b)),
        _ => members.sort_by(|&a, &b| of_arrays(a, b)),
    }
    rearranged(array, &members)
}

fn array_fill(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    let values = plain(arguments[0].array());
    let element = call.arguments[0];
    let repr = made_of::repr(call.context, element)?;
    each_row(call.rows, |row| {
        let missing =
            || Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "dimension array or low bound array cannot be null");
        let lengths = array_at(&arguments[1], row).ok_or_else(missing)?;
        let lower = match arguments.get(2) {
            Some(lower) => Some(array_at(lower, row).ok_or_else(missing)?),
            None => None,
        };
        let shape = filled(&lengths, lower.as_ref())?;
        let value = Scalar::of(&values, arguments[0].index(row));
        if let Some(Scalar::Bytes(bytes)) = value
            && bytes.len().saturating_mul(shape.items()) > MOST_BYTES
        {
            return Err(too_many_bytes());
        }
        let mut builder = ArrayBuilder::new(element, repr);
        builder.push_times(value, shape.items())?;
        builder.finish(&shape).map(Some)
    })
}

/// The shape that lists of lengths and of first subscripts mean.
fn filled(lengths: &ArrayView<'_>, lower: Option<&ArrayView<'_>>) -> Result<Shape> {
    let wrong =
        |detail: &str| Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts").detail(detail);
    let numbers = |list: &ArrayView<'_>| -> Result<Vec<i32>> {
        if list.shape().dimensions() > 1 {
            return Err(wrong("Dimension array must be one dimensional."));
        }
        if list.has_nulls() {
            return Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "dimension values cannot be null"));
        }
        Ok(list.iter().take(MOST_DIMENSIONS + 1).map(|number| number.map_or(0, Scalar::int) as i32).collect())
    };
    let given = numbers(lengths)?;
    if given.len() > MOST_DIMENSIONS {
        return Err(too_many_dimensions(lengths.len()));
    }
    let lower = match lower {
        Some(lower) => numbers(lower)?,
        None => vec![1; given.len()],
    };
    if lower.len() != given.len() {
        return Err(wrong("Low bound array has different size than dimensions array."));
    }
    item_count(&given)?;
    Shape::new(&given, &lower)
}
