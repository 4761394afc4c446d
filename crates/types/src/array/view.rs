//! An array in its bytes.

use std::cmp::Ordering;

use crate::compare;
use crate::oid::{self, Oid};
use crate::repr::Repr;
use crate::scalar::Scalar;

use super::packed;
use super::shape::{MOST_DIMENSIONS, Shape, item_count};

/// Bytes before the dimensions.
pub(super) const HEADER: usize = 8;

/// The flag of an array with NULLs among its elements.
pub(super) const HAS_NULLS: u8 = 1;

/// An array, read where it lies: its parts are found once, an element in a step.
#[derive(Clone, Copy, Debug)]
pub struct ArrayView<'a> {
    bytes: &'a [u8],
    element: Oid,
    repr: Repr,
    shape: Shape,
    /// A bit for each element that is not NULL; empty where there is no NULL.
    valid: &'a [u8],
    /// Where each element ends, if they are not of one width.
    ends: &'a [u8],
    data: &'a [u8],
}

impl<'a> ArrayView<'a> {
    /// The array of these bytes. Bytes that no [`super::ArrayBuilder`] has made are an array without elements.
    pub fn new(bytes: &'a [u8]) -> ArrayView<'a> {
        Self::parse(bytes).unwrap_or(ArrayView {
            bytes,
            element: oid::UNKNOWN,
            repr: Repr::Text,
            shape: Shape::EMPTY,
            valid: &[],
            ends: &[],
            data: &[],
        })
    }

    fn parse(bytes: &'a [u8]) -> Option<ArrayView<'a>> {
        let (header, rest) = bytes.split_at_checked(HEADER)?;
        let element = Oid::from_le_bytes(header[..4].try_into().ok()?);
        let repr = packed::repr(header[4])?;
        let dimensions = usize::from(header[5]);
        if dimensions > MOST_DIMENSIONS {
            return None;
        }
        let (sizes, rest) = rest.split_at_checked(dimensions * 8)?;
        let mut lengths = [0; MOST_DIMENSIONS];
        let mut lower = [0; MOST_DIMENSIONS];
        for (dimension, size) in sizes.chunks_exact(8).enumerate() {
            lengths[dimension] = i32::from_le_bytes(size[..4].try_into().ok()?);
            lower[dimension] = i32::from_le_bytes(size[4..].try_into().ok()?);
        }
        let shape = Shape::trusted(&lengths[..dimensions], &lower[..dimensions]);
        let items = item_count(shape.lengths()).ok()?;
        let bitmap = if header[6] & HAS_NULLS != 0 { items.div_ceil(8) } else { 0 };
        let (valid, rest) = rest.split_at_checked(bitmap)?;
        let (ends, data) = match packed::width(repr) {
            Some(width) => (&rest[..0], rest.get(..items.checked_mul(width)?)?),
            None => rest.split_at_checked(items.checked_mul(4)?)?,
        };
        Some(ArrayView { bytes, element, repr, shape, valid, ends, data })
    }

    /// The bytes themselves.
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The type of the elements.
    pub fn element(&self) -> Oid {
        self.element
    }

    /// The representation of the elements.
    pub fn repr(&self) -> Repr {
        self.repr
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// How many elements there are, in all dimensions together.
    pub fn len(&self) -> usize {
        self.shape.items()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn has_nulls(&self) -> bool {
        !self.valid.is_empty()
    }

    #[inline]
    pub fn is_null(&self, index: usize) -> bool {
        self.valid.get(index / 8).is_some_and(|byte| byte >> (index % 8) & 1 == 0)
    }

    /// The bytes of elements of one width, or of all the others; those of NULLs are zeros, or none.
    pub(super) fn data(&self) -> &'a [u8] {
        self.data
    }

    pub(super) fn end(&self, index: usize) -> usize {
        match self.ends.get(index * 4..index * 4 + 4) {
            Some(end) => u32::from_le_bytes(end.try_into().expect("four bytes")) as usize,
            None => 0,
        }
    }

    /// Where an element begins, in elements that are not of one width.
    pub(super) fn start(&self, index: usize) -> usize {
        if index == 0 { 0 } else { self.end(index - 1) }
    }

    /// An element by its number in the order in which they lie, from 0; `None` for NULL, and where there is none.
    #[inline]
    pub fn get(&self, index: usize) -> Option<Scalar<'a>> {
        if self.is_null(index) {
            return None;
        }
        let bytes = match packed::width(self.repr) {
            Some(width) => self.data.get(index * width..(index + 1) * width)?,
            None if index * 4 < self.ends.len() => self.data.get(self.start(index)..self.end(index))?,
            None => return None,
        };
        Some(packed::unpack(self.repr, bytes))
    }

    /// All elements, in the order in which they lie.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<Scalar<'a>>> + use<'a> {
        let array = *self;
        (0..self.len()).map(move |index| array.get(index))
    }

    /// The order of PostgreSQL's `btarraycmp`: the elements', then their number, then the dimensions'.
    pub fn compare(&self, other: &ArrayView<'_>) -> Ordering {
        let mut elements = self.iter().zip(other.iter()).map(|(a, b)| compare::nullable(self.repr, a, b));
        let (a, b) = (&self.shape, &other.shape);
        elements
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
            .then_with(|| a.items().cmp(&b.items()))
            .then_with(|| a.dimensions().cmp(&b.dimensions()))
            .then_with(|| a.lengths().cmp(b.lengths()))
            .then_with(|| a.lower().cmp(b.lower()))
    }

    /// Whether the arrays are the same for `=`.
    pub fn equals(&self, other: &ArrayView<'_>) -> bool {
        self.shape == other.shape && self.compare(other).is_eq()
    }

    /// Appends bytes that compare as arrays do.
    pub fn append_key(&self, out: &mut Vec<u8>) {
        for element in self.iter() {
            compare::append_nullable_key(self.repr, element, out);
        }
        out.push(compare::KEY_OF_END);
        out.push(self.shape.dimensions() as u8);
        for &number in self.shape.lengths().iter().chain(self.shape.lower()) {
            out.extend((number ^ i32::MIN).to_be_bytes());
        }
    }
}

impl AsRef<[u8]> for ArrayView<'_> {
    fn as_ref(&self) -> &[u8] {
        self.bytes
    }
}
