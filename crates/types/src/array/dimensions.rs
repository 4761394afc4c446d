//! Functions that ask how large an array is.

use crate::error::Result;
use crate::function::Function;
use crate::functions;
use crate::sql::*;

use super::output;
use super::value::anyarray;
use super::view::ArrayView;

pub const FUNCTIONS: &[Function] = functions! {
    array_ndims(anyarray) -> Option<int4> = |a: ArrayView<'_>| {
        Result::Ok(dimensions(&a))
    };
    array_dims(anyarray) -> Option<text> = |a: ArrayView<'_>| {
        Result::Ok(dimensions(&a).map(|_| output::dimensions(&a)))
    };
    array_length(anyarray, int4) -> Option<int4> = |a: ArrayView<'_>, dimension| {
        Result::Ok(at(&a, dimension).map(|at| a.shape().lengths()[at]))
    };
    array_lower(anyarray, int4) -> Option<int4> = |a: ArrayView<'_>, dimension| {
        Result::Ok(at(&a, dimension).map(|at| a.shape().lower()[at]))
    };
    array_upper(anyarray, int4) -> Option<int4> = |a: ArrayView<'_>, dimension| {
        Result::Ok(at(&a, dimension).map(|at| a.shape().upper(at)))
    };
    cardinality(anyarray) -> int4 = |a: ArrayView<'_>| Result::Ok(a.len() as i32);
};

fn dimensions(array: &ArrayView<'_>) -> Option<i32> {
    Some(array.shape().dimensions() as i32).filter(|&dimensions| dimensions > 0)
}

/// A dimension that the array has, from 0.
fn at(array: &ArrayView<'_>, dimension: i32) -> Option<usize> {
    let at = usize::try_from(dimension).ok()?.checked_sub(1)?;
    (at < array.shape().dimensions()).then_some(at)
}
