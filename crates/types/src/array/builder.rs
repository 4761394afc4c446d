//! Arrays are built element by element, then given their shape.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::*;

use crate::datum::Datum;
use crate::error::Result;
use crate::memory::{claim, reserve};
use crate::oid::Oid;
use crate::repr::Repr;
use crate::scalar::Scalar;

use super::packed;
use super::shape::{MOST_BYTES, MOST_ELEMENTS, Shape, too_many_bytes, too_many_elements};
use super::view::{ArrayView, HAS_NULLS, HEADER};

/// Gathers the elements of an array.
#[derive(Clone, Debug)]
pub struct ArrayBuilder {
    element: Oid,
    repr: Repr,
    items: usize,
    /// Of arrays and rows in the elements.
    levels: u8,
    /// As in the array's bytes; empty while there has been no NULL.
    valid: Vec<u8>,
    ends: Vec<u8>,
    data: Vec<u8>,
}

impl ArrayBuilder {
    /// Of elements of a type and how they are represented.
    pub fn new(element: Oid, repr: Repr) -> ArrayBuilder {
        ArrayBuilder { element, repr, items: 0, levels: 0, valid: Vec::new(), ends: Vec::new(), data: Vec::new() }
    }

    /// Of elements such as those of another array.
    pub fn like(array: &ArrayView<'_>) -> ArrayBuilder {
        ArrayBuilder::new(array.element(), array.repr())
    }

    /// The type of the elements.
    pub fn element(&self) -> Oid {
        self.element
    }

    /// The representation of the elements.
    pub fn repr(&self) -> Repr {
        self.repr
    }

    /// Elements so far.
    pub fn len(&self) -> usize {
        self.items
    }

    pub fn is_empty(&self) -> bool {
        self.items == 0
    }

    /// Bytes in use.
    pub fn memory(&self) -> usize {
        self.valid.capacity() + self.ends.capacity() + self.data.capacity()
    }

    /// Fails with 54000 where the array would be too large, with 53200 where there is no memory for it.
    #[inline]
    pub fn push(&mut self, value: Option<Scalar<'_>>) -> Result<()> {
        if self.items >= MOST_ELEMENTS {
            return Err(too_many_elements());
        }
        let bytes = packed::width(self.repr).unwrap_or_else(|| value.map_or(0, |value| value.bytes().len()));
        reserve(&mut self.data, bytes)?;
        match value {
            Some(value) => {
                self.levels = self.levels.max(packed::levels(self.repr, value)?);
                packed::pack(self.repr, value, &mut self.data);
            }
            None => self.data.resize(self.data.len() + packed::width(self.repr).unwrap_or(0), 0),
        }
        self.mark(value.is_some());
        self.end_element()
    }

    pub fn push_datum(&mut self, value: &Datum) -> Result<()> {
        self.push(Scalar::of_datum(value))
    }

    fn end_element(&mut self) -> Result<()> {
        if packed::width(self.repr).is_none() {
            reserve(&mut self.ends, 4)?;
            self.ends.extend_from_slice(&(self.data.len() as u32).to_le_bytes());
        }
        self.items += 1;
        if self.data.len() > MOST_BYTES { Err(too_many_bytes()) } else { Ok(()) }
    }

    pub fn push_nulls(&mut self, count: usize) -> Result<()> {
        self.push_times(None, count)
    }

    /// Appends a value that is the same so many times.
    pub fn push_times(&mut self, value: Option<Scalar<'_>>, count: usize) -> Result<()> {
        let Some(others) = count.checked_sub(1) else { return Ok(()) };
        if self.items.saturating_add(count) > MOST_ELEMENTS {
            return Err(too_many_elements());
        }
        let start = self.data.len();
        self.push(value)?;
        let one = self.data.len() - start;
        let end = one.saturating_mul(count).saturating_add(start);
        if end > MOST_BYTES {
            return Err(too_many_bytes());
        }
        let more = end - self.data.len();
        reserve(&mut self.data, more)?;
        while self.data.len() < end {
            // All that there is of it, so that each copy is twice as long as the last.
            let some = (self.data.len() - start).min(end - self.data.len());
            self.data.extend_from_within(start..start + some);
        }
        if packed::width(self.repr).is_none() {
            reserve(&mut self.ends, others * 4)?;
            let ends = (2..=count).flat_map(|number| ((start + number * one) as u32).to_le_bytes());
            self.ends.extend(ends);
        }
        if value.is_some() && self.valid.is_empty() {
            self.items += others;
            return Ok(());
        }
        for _ in 0..others {
            self.mark(value.is_some());
            self.items += 1;
        }
        Ok(())
    }

    /// Notes whether the next element is no NULL.
    fn mark(&mut self, valid: bool) {
        if self.valid.is_empty() {
            if valid {
                return;
            }
            self.valid = vec![0xff; self.items / 8];
            if !self.items.is_multiple_of(8) {
                self.valid.push((1 << (self.items % 8)) - 1);
            }
        }
        let bit = self.items % 8;
        if bit == 0 {
            self.valid.push(0);
        }
        if let Some(last) = self.valid.last_mut() {
            *last |= u8::from(valid) << bit;
        }
    }

    /// Appends some elements of an array of the same type.
    pub fn extend(&mut self, array: &ArrayView<'_>, elements: std::ops::Range<usize>) -> Result<()> {
        let Some(width) = packed::width(self.repr) else {
            return elements.into_iter().try_for_each(|index| self.push(array.get(index)));
        };
        if self.items + elements.len() > MOST_ELEMENTS {
            return Err(too_many_elements());
        }
        reserve(&mut self.data, elements.len() * width)?;
        self.data.extend_from_slice(&array.data()[elements.start * width..elements.end * width]);
        if array.has_nulls() || !self.valid.is_empty() {
            for index in elements {
                self.mark(!array.is_null(index));
                self.items += 1;
            }
        } else {
            self.items += elements.len();
        }
        if self.data.len() > MOST_BYTES { Err(too_many_bytes()) } else { Ok(()) }
    }

    /// Appends some values of a column of the elements' representation.
    pub fn extend_column(&mut self, column: &dyn Array, values: std::ops::Range<usize>) -> Result<()> {
        if column.null_count() == 0 && self.valid.is_empty() && self.items + values.len() <= MOST_ELEMENTS {
            macro_rules! numbers {
                ($($ty:ty)*) => {$(
                    if let Some(column) = column.as_primitive_opt::<$ty>() {
                        reserve(&mut self.data, values.len() * 8)?;
                        self.items += values.len();
                        column.values()[values].iter().for_each(|v| self.data.extend_from_slice(&v.to_le_bytes()));
                        return if self.data.len() > MOST_BYTES { Err(too_many_bytes()) } else { Ok(()) };
                    }
                )*};
            }
            numbers!(Int32Type Int64Type Int16Type Float64Type Float32Type UInt32Type Date32Type TimestampMicrosecondType);
        }
        values.into_iter().try_for_each(|index| self.push(Scalar::of(column, index)))
    }

    /// Begins again, with the room that it has.
    pub fn clear(&mut self) {
        (self.items, self.levels) = (0, 0);
        self.valid.clear();
        self.ends.clear();
        self.data.clear();
    }

    /// The array, with as many elements as the shape has. Fails with 54000, or 53200.
    pub fn finish(&self, shape: &Shape) -> Result<Vec<u8>> {
        assert_eq!(self.items, shape.items(), "the shape is that of the elements");
        let size = HEADER + shape.dimensions() * 8 + self.valid.len() + self.ends.len() + self.data.len();
        if size > MOST_BYTES {
            return Err(too_many_bytes());
        }
        let _room = claim(size)?;
        let mut bytes = Vec::with_capacity(size);
        bytes.extend_from_slice(&self.element.to_le_bytes());
        let flags = if self.valid.is_empty() { 0 } else { HAS_NULLS };
        bytes.extend_from_slice(&[packed::code(self.repr), shape.dimensions() as u8, flags, self.levels]);
        for (length, lower) in shape.lengths().iter().zip(shape.lower()) {
            bytes.extend_from_slice(&length.to_le_bytes());
            bytes.extend_from_slice(&lower.to_le_bytes());
        }
        bytes.extend_from_slice(&self.valid);
        bytes.extend_from_slice(&self.ends);
        bytes.extend_from_slice(&self.data);
        Ok(bytes)
    }

    /// The elements as a list: one dimension that begins with 1.
    pub fn finish_list(&self) -> Result<Vec<u8>> {
        self.finish_from(1)
    }

    /// The elements as one dimension that begins with a number: 0 is that of an `int2vector` or `oidvector`.
    pub fn finish_from(&self, first: i32) -> Result<Vec<u8>> {
        let shape = match self.items {
            // Unlike any other array without elements a vector has a dimension.
            0 if first == 0 => Shape::trusted(&[0], &[0]),
            items => Shape::list(items)?.beginning(first),
        };
        self.finish(&shape)
    }
}

/// An array without elements.
pub fn empty(element: Oid, repr: Repr) -> Vec<u8> {
    ArrayBuilder::new(element, repr).finish(&Shape::EMPTY).expect("a few bytes")
}
