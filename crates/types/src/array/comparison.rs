//! Functions that compare arrays.

use std::cmp::Ordering;

use error::sqlstate;

use crate::compare::{self, has_equality, has_order};
use crate::error::{Error, Result};
use crate::function::Function;
use crate::functions;
use crate::oid::Oid;
use crate::scalar::Scalar;
use crate::sql::*;

use super::types::type_name;
use super::value::anyarray;
use super::view::ArrayView;

pub const FUNCTIONS: &[Function] = functions! {
    array_eq(anyarray, anyarray) -> boolean = equal;
    array_ne(anyarray, anyarray) -> boolean = |a, b| Result::Ok(!equal(a, b)?);
    array_lt(anyarray, anyarray) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_lt());
    array_le(anyarray, anyarray) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_le());
    array_gt(anyarray, anyarray) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_gt());
    array_ge(anyarray, anyarray) -> boolean = |a, b| Result::Ok(order(&a, &b)?.is_ge());
    btarraycmp(anyarray, anyarray) -> int4 = |a, b| Result::Ok(order(&a, &b)? as i32);
    array_larger(anyarray, anyarray) -> anyarray = |a, b| Result::Ok(if order(&a, &b)?.is_gt() { a } else { b });
    array_smaller(anyarray, anyarray) -> anyarray = |a, b| Result::Ok(if order(&a, &b)?.is_lt() { a } else { b });
    arraycontains(anyarray, anyarray) -> boolean = |a, b| contains(&a, &b);
    arraycontained(anyarray, anyarray) -> boolean = |a, b| contains(&b, &a);
    arrayoverlap(anyarray, anyarray) -> boolean = overlap;
};

fn check_types(a: &ArrayView<'_>, b: &ArrayView<'_>) -> Result<()> {
    match a.element() == b.element() {
        true => Ok(()),
        false => Err(Error::new(sqlstate::DATATYPE_MISMATCH, "cannot compare arrays of different element types")),
    }
}

/// Fails with 42883 for a type whose values cannot be equal.
pub(super) fn check_equality(element: Oid) -> Result<()> {
    match has_equality(element) {
        true => Ok(()),
        false => {
            let name = type_name(element);
            Err(Error::new(
                sqlstate::UNDEFINED_FUNCTION,
                format!("could not identify an equality operator for type {name}"),
            ))
        }
    }
}

fn equal(a: ArrayView<'_>, b: ArrayView<'_>) -> Result<bool> {
    check_types(&a, &b)?;
    if a.shape() != b.shape() {
        return Ok(false);
    }
    check_equality(a.element())?;
    Ok(a.bytes() == b.bytes() || a.equals(&b))
}

pub(crate) fn order(a: &ArrayView<'_>, b: &ArrayView<'_>) -> Result<Ordering> {
    check_types(a, b)?;
    if !has_order(a.element()) {
        let name = type_name(a.element());
        return Err(Error::new(
            sqlstate::UNDEFINED_FUNCTION,
            format!("could not identify a comparison function for type {name}"),
        ));
    }
    Ok(a.compare(b))
}

/// Whether all elements of `b` are in `a`; NULL never is.
fn contains(a: &ArrayView<'_>, b: &ArrayView<'_>) -> Result<bool> {
    check_types(a, b)?;
    check_equality(a.element())?;
    let within = Within::new(a, b.len());
    Ok(b.iter().all(|value| value.is_some_and(|value| within.has(value))))
}

/// Whether the arrays have an element in common that is not NULL.
fn overlap(a: ArrayView<'_>, b: ArrayView<'_>) -> Result<bool> {
    check_types(&a, &b)?;
    check_equality(a.element())?;
    let within = Within::new(&b, a.len());
    Ok(a.iter().flatten().any(|value| within.has(value)))
}

/// An array in which many values are looked for.
enum Within<'a> {
    Few(ArrayView<'a>),
    Sorted(ArrayView<'a>, Vec<Scalar<'a>>),
}

impl<'a> Within<'a> {
    /// For so many searches.
    fn new(array: &ArrayView<'a>, searches: usize) -> Within<'a> {
        if array.len() <= 8 || searches <= 8 {
            return Within::Few(*array);
        }
        let mut sorted: Vec<_> = array.iter().flatten().collect();
        sorted.sort_unstable_by(|a, b| compare::scalars(array.repr(), *a, *b));
        Within::Sorted(*array, sorted)
    }

    fn has(&self, value: Scalar<'_>) -> bool {
        match self {
            Within::Few(array) => array.iter().flatten().any(|v| compare::scalars(array.repr(), v, value).is_eq()),
            Within::Sorted(array, sorted) => {
                sorted.binary_search_by(|v| compare::scalars(array.repr(), *v, value)).is_ok()
            }
        }
    }
}
