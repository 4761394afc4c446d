//! Elements and slices of arrays, and assignments to them.

use std::ops::Range;

use arrow_array::builder::BinaryBuilder;
use arrow_array::{Array, ArrayRef, BinaryArray, UInt8Array};
use error::sqlstate;
use std::sync::Arc;

use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::{Error, Result};
use crate::memory::claim_once;
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar::{self, Scalar};
use crate::sql::{int4, name};

use super::builder::{ArrayBuilder, empty};
use super::column::{append, plain};
use super::shape::{MOST_DIMENSIONS, Shape, too_many_dimensions, too_many_elements};
use super::value::anyarray;
use super::view::ArrayView;

/// The element of as many subscripts as there are dimensions; `None`: NULL, or there is none.
pub fn element<'a>(array: &ArrayView<'a>, subscripts: &[i32]) -> Option<Scalar<'a>> {
    array.get(array.shape().offset(subscripts)?)
}

/// The elements between bounds, which begin with 1 in the result; a bound that is left out is the array's. Dimensions
/// without bounds are whole.
pub fn slice(array: &ArrayView<'_>, lower: &[Option<i32>], upper: &[Option<i32>]) -> Result<Vec<u8>> {
    let shape = array.shape();
    let nothing = || Ok(empty(array.element(), array.repr()));
    if array.is_empty() || shape.dimensions() < lower.len() {
        return nothing();
    }
    let Some(part) = Part::within(shape, lower, upper) else { return nothing() };
    let mut builder = ArrayBuilder::like(array);
    part.runs(shape, |run| builder.extend(array, run))?;
    builder.finish(&part.shape()?.from_one())
}

/// The array with another element. One with one dimension grows as far as it takes, filled up with NULLs. Fails with 2202E
/// for any other subscript that is outside, and with 54000 where the array gets too large.
pub fn set_element(array: &ArrayView<'_>, subscripts: &[i32], value: Option<Scalar<'_>>) -> Result<Vec<u8>> {
    let mut source = ArrayBuilder::like(array);
    source.push(value)?;
    let shape = array.shape();
    if array.is_empty() {
        return source.finish(&Shape::new(&[1; MOST_DIMENSIONS][..subscripts.len()], subscripts)?);
    }
    if shape.dimensions() != subscripts.len() {
        return Err(wrong_number());
    }
    let source = source.finish_list()?;
    if let &[subscript] = subscripts {
        return replace(array, subscript, subscript, &ArrayView::new(&source));
    }
    let offset = shape.offset(subscripts).ok_or_else(out_of_range)?;
    let mut builder = ArrayBuilder::like(array);
    builder.extend(array, 0..offset)?;
    builder.extend(&ArrayView::new(&source), 0..1)?;
    builder.extend(array, offset + 1..array.len())?;
    builder.finish(shape)
}

/// The array with other elements between bounds: those of `source`, in the order in which they lie there. What
/// [`set_element`] says of growing and errors goes for slices too.
pub fn set_slice(
    array: &ArrayView<'_>,
    lower: &[Option<i32>],
    upper: &[Option<i32>],
    source: &ArrayView<'_>,
) -> Result<Vec<u8>> {
    let shape = array.shape();
    if array.is_empty() {
        return first_slice(array, lower, upper, source);
    }
    if shape.dimensions() < lower.len() || lower.is_empty() {
        return Err(wrong_number());
    }
    if shape.dimensions() == 1 {
        let first = lower[0].unwrap_or(shape.lower()[0]);
        let last = upper[0].unwrap_or(shape.upper(0));
        return replace(array, first, last, source);
    }
    let part = Part::assigned(shape, lower, upper)?;
    if part.shape()?.items() > source.len() {
        return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "source array too small"));
    }
    let mut builder = ArrayBuilder::like(array);
    let (mut kept, mut taken) = (0, 0);
    part.runs(shape, |run| {
        builder.extend(array, kept..run.start)?;
        builder.extend(source, taken..taken + run.len())?;
        taken += run.len();
        kept = run.end;
        Ok(())
    })?;
    builder.extend(array, kept..array.len())?;
    builder.finish(shape)
}

/// A slice of an array that has no elements yet.
fn first_slice(
    array: &ArrayView<'_>,
    lower: &[Option<i32>],
    upper: &[Option<i32>],
    source: &ArrayView<'_>,
) -> Result<Vec<u8>> {
    let (mut lengths, mut first) = ([0; MOST_DIMENSIONS], [0; MOST_DIMENSIONS]);
    for (dimension, bounds) in lower.iter().zip(upper).enumerate() {
        let (Some(lower), Some(upper)) = bounds else {
            let detail = "When assigning to a slice of an empty array value, slice boundaries must be fully specified.";
            return Err(Error::new(
                sqlstate::ARRAY_SUBSCRIPT_ERROR,
                "array slice subscript must provide both boundaries",
            )
            .detail(detail));
        };
        let length = upper.checked_sub(*lower).and_then(|span| span.checked_add(1));
        lengths[dimension] = length.ok_or_else(too_many_elements)?;
        first[dimension] = *lower;
    }
    let items = super::shape::item_count(&lengths[..lower.len()])?;
    if source.len() < items {
        return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "source array too small"));
    }
    let shape = Shape::new(&lengths[..lower.len()], &first[..lower.len()])?;
    let mut builder = ArrayBuilder::like(array);
    builder.extend(source, 0..shape.items())?;
    builder.finish(&shape)
}

/// Puts elements from the first on between two subscripts of an array with one dimension.
fn replace(array: &ArrayView<'_>, first: i32, last: i32, source: &ArrayView<'_>) -> Result<Vec<u8>> {
    let shape = array.shape();
    let (lower, upper) = (i64::from(shape.lower()[0]), i64::from(shape.upper(0)));
    let (first, last) = (i64::from(first), i64::from(last));
    if first > last {
        return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound"));
    }
    let (new_lower, new_upper) = (lower.min(first), upper.max(last));
    let length = i32::try_from(new_upper - new_lower + 1).map_err(|_| too_many_elements())?;
    let new_shape = Shape::new(&[length], &[new_lower as i32])?;
    let taken = (last - first + 1) as usize;
    if taken > source.len() {
        return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "source array too small"));
    }
    let offset = |subscript: i64| (subscript.clamp(lower, upper + 1) - lower) as usize;
    let mut builder = ArrayBuilder::like(array);
    builder.extend(array, 0..offset(first))?;
    builder.push_nulls((first - upper - 1).max(0) as usize)?;
    builder.extend(source, 0..taken)?;
    builder.push_nulls((lower - last - 1).max(0) as usize)?;
    builder.extend(array, offset(last + 1)..array.len())?;
    builder.finish(&new_shape)
}

fn wrong_number() -> Error {
    Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "wrong number of array subscripts")
}

fn out_of_range() -> Error {
    Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "array subscript out of range")
}

/// The subscripts that a slice has in each dimension.
struct Part {
    dimensions: usize,
    lower: [i32; MOST_DIMENSIONS],
    upper: [i32; MOST_DIMENSIONS],
}

impl Part {
    /// All of an array.
    fn whole(shape: &Shape) -> Part {
        let mut part = Part { dimensions: shape.dimensions(), lower: [0; 6], upper: [0; 6] };
        for dimension in 0..part.dimensions {
            part.lower[dimension] = shape.lower()[dimension];
            part.upper[dimension] = shape.upper(dimension);
        }
        part
    }

    /// What there is of a slice; `None`: nothing.
    fn within(shape: &Shape, lower: &[Option<i32>], upper: &[Option<i32>]) -> Option<Part> {
        let mut part = Part::whole(shape);
        for (dimension, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            part.lower[dimension] = lower.map_or(part.lower[dimension], |lower| lower.max(part.lower[dimension]));
            part.upper[dimension] = upper.map_or(part.upper[dimension], |upper| upper.min(part.upper[dimension]));
            if part.lower[dimension] > part.upper[dimension] {
                return None;
            }
        }
        Some(part)
    }

    /// A slice that must be inside.
    fn assigned(shape: &Shape, lower: &[Option<i32>], upper: &[Option<i32>]) -> Result<Part> {
        let mut part = Part::whole(shape);
        for (dimension, (lower, upper)) in lower.iter().zip(upper).enumerate() {
            let lower = lower.unwrap_or(part.lower[dimension]);
            let upper = upper.unwrap_or(part.upper[dimension]);
            if lower > upper {
                return Err(Error::new(sqlstate::ARRAY_SUBSCRIPT_ERROR, "upper bound cannot be less than lower bound"));
            }
            if lower < part.lower[dimension] || upper > part.upper[dimension] {
                return Err(out_of_range());
            }
            (part.lower[dimension], part.upper[dimension]) = (lower, upper);
        }
        Ok(part)
    }

    fn shape(&self) -> Result<Shape> {
        let mut lengths = [0; MOST_DIMENSIONS];
        for (dimension, length) in lengths[..self.dimensions].iter_mut().enumerate() {
            *length = self.upper[dimension] - self.lower[dimension] + 1;
        }
        Shape::new(&lengths[..self.dimensions], &self.lower[..self.dimensions])
    }

    /// Calls `run` with the elements that lie beside each other, one such run after the other.
    fn runs(&self, shape: &Shape, mut run: impl FnMut(Range<usize>) -> Result<()>) -> Result<()> {
        let last = self.dimensions - 1;
        let length = (self.upper[last] - self.lower[last] + 1) as usize;
        let mut at = self.lower;
        loop {
            let begin = shape.offset(&at[..self.dimensions]).expect("a slice is inside");
            run(begin..begin + length)?;
            // The next combination of the other subscripts, the last of which goes round first.
            let Some(next) = (0..last).rev().find(|&dimension| at[dimension] < self.upper[dimension]) else {
                return Ok(());
            };
            at[next] += 1;
            at[next + 1..last].copy_from_slice(&self.lower[next + 1..last]);
        }
    }
}

/// What the subscripts of a row are.
enum Subscripts {
    Given([Option<i32>; MOST_DIMENSIONS]),
    /// One of them is NULL.
    Null,
}

fn subscripts(arguments: &[Option<Argument>], row: usize) -> Subscripts {
    let mut given = [None; MOST_DIMENSIONS];
    for (subscript, argument) in given.iter_mut().zip(arguments) {
        let Some(argument) = argument else { continue };
        let (column, index) = (argument.of::<int4>(), argument.index(row));
        if column.is_null(index) {
            return Subscripts::Null;
        }
        *subscript = Some(column.value(index));
    }
    Subscripts::Given(given)
}

fn check_count(count: usize) -> Result<()> {
    if count > MOST_DIMENSIONS { Err(too_many_dimensions(count)) } else { Ok(()) }
}

/// An array of an argument; `None` for NULL.
pub(super) fn array_at(argument: &Argument, row: usize) -> Option<ArrayView<'_>> {
    let (column, index): (&BinaryArray, usize) = (argument.of::<anyarray>(), argument.index(row));
    (!column.is_null(index)).then(|| ArrayView::new(column.value(index)))
}

/// `array[subscript, …]` of each row, of elements that are represented so.
pub fn elements(rows: usize, array: &Argument, each: &[Argument], repr: Repr) -> Result<ArrayRef> {
    check_count(each.len())?;
    let columns: Vec<_> = each.iter().map(|argument| (argument.of::<int4>(), argument)).collect();
    let mut out = ColumnBuilder::new(repr, rows);
    let mut subscripts = [0; MOST_DIMENSIONS];
    for row in 0..rows {
        let mut given = true;
        for (subscript, (column, argument)) in subscripts.iter_mut().zip(&columns) {
            given &= !column.is_null(argument.index(row));
            *subscript = column.value(argument.index(row));
        }
        let array = array_at(array, row).filter(|_| given);
        let value = array.and_then(|array| element(&array, &subscripts[..each.len()]));
        let _room = claim_once(value.map_or(0, |value| value.bytes().len()))?;
        scalar::append(&mut out, value);
        out.check()?;
    }
    Ok(out.finish())
}

/// Bytes of a `name`.
const NAMEDATALEN: usize = 64;

/// `name[subscript]` of each row: one dimension from 0 to the size of a `name`, filled up with zeros.
pub fn characters(rows: usize, names: &Argument, each: &[Argument]) -> UInt8Array {
    let column = names.of::<name>();
    let one = |row: usize| {
        let [subscript] = each else { return None };
        let (at, index) = (subscript.of::<int4>(), subscript.index(row));
        if at.is_null(index) || column.is_null(names.index(row)) {
            return None;
        }
        let at = usize::try_from(at.value(index)).ok().filter(|at| *at < NAMEDATALEN)?;
        Some(column.value(names.index(row)).as_bytes().get(at).copied().unwrap_or(0))
    };
    (0..rows).map(one).collect()
}

/// `array[lower:upper, …]` of each row; `None` for a bound that is left out.
pub fn slices(
    rows: usize,
    array: &Argument,
    lower: &[Option<Argument>],
    upper: &[Option<Argument>],
) -> Result<ArrayRef> {
    check_count(lower.len())?;
    each_row(rows, |row| {
        let Some(array) = array_at(array, row) else { return Ok(None) };
        match (subscripts(lower, row), subscripts(upper, row)) {
            (Subscripts::Given(first), Subscripts::Given(last)) => {
                slice(&array, &first[..lower.len()], &last[..upper.len()]).map(Some)
            }
            _ => Ok(None),
        }
    })
}

/// The arrays of each row, one element of each replaced: `SET array[subscript, …] = value`. NULL is taken for an array
/// without elements.
pub fn assign_elements(
    rows: usize,
    array: &Argument,
    each: &[Argument],
    value: &Argument,
    (element, repr): (Oid, Repr),
) -> Result<ArrayRef> {
    check_count(each.len())?;
    let values = plain(value.array());
    let each: Vec<_> = each.iter().cloned().map(Some).collect();
    let nothing = empty(element, repr);
    each_row(rows, |row| {
        let Subscripts::Given(given) = subscripts(&each, row) else { return Err(null_subscript()) };
        let mut subscripts = [0; MOST_DIMENSIONS];
        subscripts.iter_mut().zip(given).for_each(|(subscript, given)| *subscript = given.unwrap_or(0));
        let array = array_at(array, row).unwrap_or(ArrayView::new(&nothing));
        set_element(&array, &subscripts[..each.len()], Scalar::of(&values, value.index(row))).map(Some)
    })
}

/// The arrays of each row, a slice of each replaced: `SET array[lower:upper, …] = source`. A source that is NULL changes
/// nothing.
pub fn assign_slices(
    rows: usize,
    array: &Argument,
    (lower, upper): (&[Option<Argument>], &[Option<Argument>]),
    source: &Argument,
    (element, repr): (Oid, Repr),
) -> Result<ArrayRef> {
    check_count(lower.len())?;
    let nothing = empty(element, repr);
    each_row(rows, |row| {
        let (Subscripts::Given(first), Subscripts::Given(last)) = (subscripts(lower, row), subscripts(upper, row))
        else {
            return Err(null_subscript());
        };
        let array = array_at(array, row).unwrap_or(ArrayView::new(&nothing));
        match array_at(source, row) {
            None => Ok(Some(array.bytes().to_vec())),
            Some(source) => set_slice(&array, &first[..lower.len()], &last[..upper.len()], &source).map(Some),
        }
    })
}

fn null_subscript() -> Error {
    Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, "array subscript in assignment must not be null")
}

/// A column of arrays, each made for its row; `None` for NULL.
pub(super) fn each_row(rows: usize, mut make: impl FnMut(usize) -> Result<Option<Vec<u8>>>) -> Result<ArrayRef> {
    let mut out = BinaryBuilder::with_capacity(rows, rows * 32);
    for row in 0..rows {
        match make(row)? {
            Some(bytes) => append(&mut out, &bytes)?,
            None => out.append_null(),
        }
    }
    Ok(Arc::new(out.finish()))
}
