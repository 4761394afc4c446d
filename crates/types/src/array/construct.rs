//! `ARRAY[…]`: arrays of values, and of arrays.

use arrow_array::ArrayRef;
use error::sqlstate;

use crate::column::Argument;
use crate::error::{Error, Result};
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar::Scalar;

use super::builder::{ArrayBuilder, empty};
use super::column::plain;
use super::shape::{MOST_DIMENSIONS, Shape, too_many_dimensions};
use super::subscript::{array_at, each_row};
use super::types::type_name;
use super::view::ArrayView;

/// For each row, the list of the arguments' values.
pub fn array_of(rows: usize, members: &[Argument], (element, repr): (Oid, Repr)) -> Result<ArrayRef> {
    let columns: Vec<ArrayRef> = members.iter().map(|member| plain(member.array())).collect();
    let mut builder = ArrayBuilder::new(element, repr);
    each_row(rows, |row| {
        builder.clear();
        for (member, column) in members.iter().zip(&columns) {
            builder.push(Scalar::of(column, member.index(row)))?;
        }
        builder.finish_list().map(Some)
    })
}

/// For each row, the array whose members are the arguments' arrays.
pub fn array_of_arrays(rows: usize, members: &[Argument], (element, repr): (Oid, Repr)) -> Result<ArrayRef> {
    each_row(rows, |row| merge(element, repr, members.iter().map(|member| array_at(member, row))).map(Some))
}

/// The array with one more dimension whose members are these, all of the same dimensions. Without any that has elements, an
/// array without elements.
pub fn merge<'a>(
    element: Oid,
    repr: Repr,
    members: impl IntoIterator<Item = Option<ArrayView<'a>>>,
) -> Result<Vec<u8>> {
    let mut builder = ArrayBuilder::new(element, repr);
    let mut first: Option<Shape> = None;
    let (mut count, mut empties) = (0, false);
    for member in members {
        let Some(member) = member else {
            empties = true;
            continue;
        };
        if member.element() != element {
            return Err(incompatible(member.element(), element));
        }
        let shape = member.shape();
        if shape.dimensions() == 0 {
            empties = true;
            continue;
        }
        if shape.dimensions() == MOST_DIMENSIONS {
            return Err(too_many_dimensions(MOST_DIMENSIONS + 1));
        }
        if *first.get_or_insert(*shape) != *shape {
            return Err(unequal());
        }
        builder.extend(&member, 0..member.len())?;
        count += 1;
    }
    match first {
        None => Ok(empty(element, repr)),
        Some(_) if empties => Err(unequal()),
        Some(shape) => {
            let lengths: Vec<i32> = std::iter::once(count).chain(shape.lengths().iter().copied()).collect();
            let lower: Vec<i32> = std::iter::once(1).chain(shape.lower().iter().copied()).collect();
            builder.finish(&Shape::new(&lengths, &lower)?)
        }
    }
}

fn unequal() -> Error {
    Error::new(
        sqlstate::ARRAY_SUBSCRIPT_ERROR,
        "multidimensional arrays must have array expressions with matching dimensions",
    )
}

fn incompatible(member: Oid, element: Oid) -> Error {
    let detail = format!(
        "Array with element type {} cannot be included in ARRAY construct with element type {}.",
        type_name(member),
        type_name(element)
    );
    Error::new(sqlstate::DATATYPE_MISMATCH, "cannot merge incompatible arrays").detail(detail)
}
