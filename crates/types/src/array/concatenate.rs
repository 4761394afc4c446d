//! Functions that put arrays and elements together: `||`.

use arrow_array::ArrayRef;
use error::sqlstate;

use crate::column::Argument;
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::functions;
use crate::made_of;
use crate::oid::{ANYCOMPATIBLE, ANYCOMPATIBLEARRAY, Oid};
use crate::scalar::Scalar;

use super::builder::{ArrayBuilder, empty};
use super::column::plain;
use super::shape::{Shape, too_many_elements};
use super::subscript::{array_at, each_row, set_element};
use super::types::{element_type, type_name};
use super::value::anycompatiblearray;
use super::view::ArrayView;

pub const FUNCTIONS: &[&[Function]] = &[
    &[
        Function {
            name: "array_append",
            arguments: &[ANYCOMPATIBLEARRAY, ANYCOMPATIBLE],
            result: ANYCOMPATIBLEARRAY,
            strict: false,
            kernel: array_append,
        },
        Function {
            name: "array_prepend",
            arguments: &[ANYCOMPATIBLE, ANYCOMPATIBLEARRAY],
            result: ANYCOMPATIBLEARRAY,
            strict: false,
            kernel: array_prepend,
        },
    ],
    functions! {
        array_cat(Option<anycompatiblearray>, Option<anycompatiblearray>) -> Option<anycompatiblearray> = array_cat;
    },
];

fn array_append(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    with_element(call, &arguments[0], (&arguments[1], call.arguments[1]), |array, element| {
        let at = match array.shape().lengths() {
            [] => 1,
            [length] => array.shape().lower()[0].checked_add(*length).ok_or_else(|| Error::out_of_range("integer"))?,
            _ => return Err(not_a_list()),
        };
        set_element(array, &[at], element)
    })
}

fn array_prepend(call: &Call<'_>, arguments: &[Argument]) -> Result<ArrayRef> {
    with_element(call, &arguments[1], (&arguments[0], call.arguments[0]), |array, element| {
        let (lower, length) = match array.shape().lengths() {
            [] => return set_element(array, &[1], element),
            [length] => (array.shape().lower()[0], *length),
            _ => return Err(not_a_list()),
        };
        lower.checked_sub(1).ok_or_else(|| Error::out_of_range("integer"))?;
        let mut builder = ArrayBuilder::like(array);
        builder.push(element)?;
        builder.extend(array, 0..array.len())?;
        let length = length.checked_add(1).ok_or_else(too_many_elements)?;
        builder.finish(&Shape::new(&[length], &[lower - 1])?.beginning(lower))
    })
}

/// For each row, what `make` makes of an array, or of one without elements where there is none, and an element.
fn with_element(
    call: &Call<'_>,
    arrays: &Argument,
    (elements, element): (&Argument, Oid),
    make: impl Fn(&ArrayView<'_>, Option<Scalar<'_>>) -> Result<Vec<u8>>,
) -> Result<ArrayRef> {
    let column = plain(elements.array());
    each_row(call.rows, |row| {
        let value = Scalar::of(&column, elements.index(row));
        match array_at(arrays, row) {
            Some(array) => make(&array, value).map(Some),
            None => {
                let element = element_type(call.result).unwrap_or(element);
                let nothing = empty(element, made_of::repr(call.context, element)?);
                make(&ArrayView::new(&nothing), value).map(Some)
            }
        }
    })
}

fn not_a_list() -> Error {
    Error::new(sqlstate::DATA_EXCEPTION, "argument must be empty or one-dimensional array")
}

fn incompatible(detail: String) -> Error {
    Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "cannot concatenate incompatible arrays").detail(detail)
}

fn array_cat(a: Option<ArrayView<'_>>, b: Option<ArrayView<'_>>) -> Result<Option<Vec<u8>>> {
    let copy = |array: ArrayView<'_>| array.bytes().to_vec();
    let (a, b) = match (a, b) {
        (Some(a), Some(b)) => (a, b),
        (a, b) => return Ok(a.or(b).map(copy)),
    };
    if a.element() != b.element() {
        let (a, b) = (type_name(a.element()), type_name(b.element()));
        let detail = format!("Arrays with element types {a} and {b} are not compatible for concatenation.");
        return Err(Error::new(sqlstate::DATATYPE_MISMATCH, "cannot concatenate incompatible arrays").detail(detail));
    }
    if a.is_empty() && !b.is_empty() {
        return Ok(Some(copy(b)));
    }
    if b.is_empty() {
        return Ok(Some(copy(a)));
    }
    let shape = joined(a.shape(), b.shape())?;
    let mut builder = ArrayBuilder::like(&a);
    builder.extend(&a, 0..a.len())?;
    builder.extend(&b, 0..b.len())?;
    builder.finish(&shape).map(Some)
}

/// The shape of two arrays one behind the other: of the same dimensions, or one a member of the other.
fn joined(a: &Shape, b: &Shape) -> Result<Shape> {
    let (count_a, count_b) = (a.dimensions(), b.dimensions());
    if count_a.abs_diff(count_b) > 1 {
        let detail = format!("Arrays of {count_a} and {count_b} dimensions are not compatible for concatenation.");
        return Err(incompatible(detail));
    }
    let (outer, inner) = if count_a >= count_b { (a, b) } else { (b, a) };
    // What a member of the outer array has.
    let (lengths, lower) = (&outer.lengths()[1..], &outer.lower()[1..]);
    if count_a == count_b {
        if inner.lengths()[1..] != *lengths || inner.lower()[1..] != *lower {
            let detail = "Arrays with differing element dimensions are not compatible for concatenation.";
            return Err(incompatible(detail.into()));
        }
        return outer.with_length(a.length() + b.length());
    }
    if inner.lengths() != lengths || inner.lower() != lower {
        let detail = "Arrays with differing dimensions are not compatible for concatenation.";
        return Err(incompatible(detail.into()));
    }
    outer.with_length(outer.length() + 1)
}
