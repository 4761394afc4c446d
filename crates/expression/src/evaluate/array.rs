//! Arrays: made, taken apart, and converted.

use arrow_array::cast::AsArray;
use arrow_array::{Array, new_empty_array};
use types::array::{column, construct, subscript};
use types::{Argument, Oid, Repr, Result, jsonb};

use crate::frame::Frame;
use crate::node::{Kind, Node};

/// `ARRAY[…]`
#[derive(Clone, Copy, Debug)]
pub(crate) struct ArrayNode {
    pub element: Oid,
    pub repr: Repr,
    /// The children are arrays.
    pub multidimensional: bool,
}

/// `a[…]`, or the array with something else there.
#[derive(Debug)]
pub(crate) struct SubscriptNode {
    /// Which bounds are written; no lower ones for an element.
    pub lower: Box<[bool]>,
    pub upper: Box<[bool]>,
    pub assigns: bool,
    pub element: (Oid, Repr),
}

/// A conversion of each element.
#[derive(Debug)]
pub(crate) struct CoerceNode {
    /// Over a local, the element.
    pub element: Box<Node>,
    pub from: Repr,
    pub to: (Oid, Repr),
}

/// The rows to compute for, and whether one stands for all.
fn rows(frame: &Frame<'_>, values: &[Argument]) -> (usize, fn(arrow_array::ArrayRef) -> Argument) {
    match values.iter().all(Argument::is_constant) {
        true => (1, Argument::constant),
        false => (frame.rows, Argument::column),
    }
}

impl ArrayNode {
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let (rows, argument) = rows(frame, values);
        let make = if self.multidimensional { construct::array_of_arrays } else { construct::array_of };
        Ok(argument(make(rows, values, (self.element, self.repr))?))
    }
}

impl SubscriptNode {
    pub fn evaluate(&self, frame: &Frame<'_>, values: &[Argument]) -> Result<Argument> {
        let (rows, argument) = rows(frame, values);
        let (array, mut rest) = (&values[0], values[1..].iter());
        let mut bounds = |given: &[bool]| -> Vec<Option<Argument>> {
            given.iter().map(|given| given.then(|| rest.next().cloned()).flatten()).collect()
        };
        let (lower, upper) = (bounds(&self.lower), bounds(&self.upper));
        let each = || -> Vec<Argument> { upper.iter().flatten().cloned().collect() };
        Ok(argument(match (self.assigns.then(|| &values[values.len() - 1]), lower.is_empty()) {
            (None, true) => subscript::elements(rows, array, &each(), self.element.1)?,
            (None, false) => subscript::slices(rows, array, &lower, &upper)?,
            (Some(value), true) => subscript::assign_elements(rows, array, &each(), value, self.element)?,
            (Some(source), false) => subscript::assign_slices(rows, array, (&lower, &upper), source, self.element)?,
        }))
    }
}

/// `json[…]`, or the value with something else there; the first child is the value.
pub(super) fn jsonb_subscript(frame: &Frame<'_>, values: &[Argument], assigns: bool) -> Result<Argument> {
    let (rows, argument) = rows(frame, values);
    let (json, rest) = (&values[0], &values[1..]);
    Ok(argument(match rest.split_last() {
        Some((new, subscripts)) if assigns => jsonb::subscript::assign_elements(rows, json, subscripts, new)?,
        _ => jsonb::subscript::elements(rows, json, rest)?,
    }))
}

/// `name[subscript]`: its bytes from 0, zeros behind its end (`raw_array_subscript_handler`).
pub(super) fn char_of_name(frame: &Frame<'_>, values: &[Argument]) -> Argument {
    let (rows, argument) = rows(frame, values);
    argument(std::sync::Arc::new(subscript::characters(rows, &values[0], &values[1..])))
}

impl CoerceNode {
    pub fn evaluate(&self, frame: &Frame<'_>, value: &Argument) -> Result<Argument> {
        let (_, argument) = rows(frame, std::slice::from_ref(value));
        let arrays = value.array().as_binary::<i32>();
        // Another type of elements with the same representation.
        if let Kind::Local(_) = self.element.kind {
            return Ok(argument(std::sync::Arc::new(column::relabel(arrays, self.to.0)?)));
        }
        let elements = column::flatten(self.from, arrays)?.column;
        let count = elements.len();
        let converted = match count {
            0 => new_empty_array(&self.to.1.arrow()),
            _ => {
                let locals = smallvec::smallvec![Argument::column(elements)];
                let inner = Frame::of_locals(locals, count, frame.execution);
                crate::state::to_column(&self.element.evaluate(&inner)?, count)?
            }
        };
        Ok(argument(std::sync::Arc::new(column::rebuild(arrays, &converted, self.to.0, self.to.1)?)))
    }
}
