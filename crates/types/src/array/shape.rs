//! How many dimensions an array has, how long each is and where its subscripts begin.

use error::sqlstate;

use crate::error::{Error, Result};

/// Dimensions that an array has at most.
pub const MOST_DIMENSIONS: usize = 6;

/// Elements that an array has at most, as in PostgreSQL.
pub const MOST_ELEMENTS: usize = 134_217_727;

/// Bytes that an array has at most, as in PostgreSQL.
pub const MOST_BYTES: usize = 0x3fff_ffff;

/// An array without elements has no dimensions (but for an `int2vector` or `oidvector`, which has one), any other at least
/// one, and none that is empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    dimensions: u8,
    lengths: [i32; MOST_DIMENSIONS],
    lower: [i32; MOST_DIMENSIONS],
}

impl Shape {
    pub const EMPTY: Shape = Shape { dimensions: 0, lengths: [0; 6], lower: [0; 6] };

    /// Fails with 54000 where there are too many dimensions or elements, or a bound is too large.
    pub fn new(lengths: &[i32], lower: &[i32]) -> Result<Shape> {
        if lengths.len() > MOST_DIMENSIONS {
            return Err(too_many_dimensions(lengths.len()));
        }
        let items = item_count(lengths)?;
        for (length, lower) in lengths.iter().zip(lower) {
            if length.checked_add(*lower).is_none() {
                return Err(Error::new(
                    sqlstate::PROGRAM_LIMIT_EXCEEDED,
                    format!("array lower bound is too large: {lower}"),
                ));
            }
        }
        Ok(if items == 0 { Shape::EMPTY } else { Shape::trusted(lengths, lower) })
    }

    /// Of lengths and bounds that have been checked.
    pub(super) fn trusted(lengths: &[i32], lower: &[i32]) -> Shape {
        let mut shape = Shape { dimensions: lengths.len() as u8, ..Shape::EMPTY };
        shape.lengths[..lengths.len()].copy_from_slice(lengths);
        shape.lower[..lower.len()].copy_from_slice(lower);
        shape
    }

    /// A list: one dimension that begins with 1.
    pub fn list(length: usize) -> Result<Shape> {
        if length > MOST_ELEMENTS {
            return Err(too_many_elements());
        }
        Ok(if length == 0 { Shape::EMPTY } else { Shape::trusted(&[length as i32], &[1]) })
    }

    pub fn dimensions(&self) -> usize {
        self.dimensions.into()
    }

    pub fn lengths(&self) -> &[i32] {
        &self.lengths[..self.dimensions()]
    }

    /// The first subscript of each dimension.
    pub fn lower(&self) -> &[i32] {
        &self.lower[..self.dimensions()]
    }

    /// The last subscript of a dimension.
    pub fn upper(&self, dimension: usize) -> i32 {
        // The bounds have been checked: it fits, while the sum of two of these may not.
        self.lengths[dimension].wrapping_add(self.lower[dimension]).wrapping_sub(1)
    }

    /// The length of the first dimension; 0 of an array without elements.
    pub fn length(&self) -> usize {
        self.lengths().first().map_or(0, |&length| length as usize)
    }

    pub fn items(&self) -> usize {
        match self.dimensions {
            0 => 0,
            _ => self.lengths().iter().map(|&length| length as usize).product(),
        }
    }

    /// Elements that one step in the first dimension passes.
    pub fn step(&self) -> usize {
        self.items().checked_div(self.length()).unwrap_or(0)
    }

    /// Where the element of these subscripts is; `None`: outside, or there are too few or too many of them.
    pub fn offset(&self, subscripts: &[i32]) -> Option<usize> {
        if subscripts.len() != self.dimensions() || subscripts.is_empty() {
            return None;
        }
        let mut offset = 0;
        for (dimension, &subscript) in subscripts.iter().enumerate() {
            if subscript < self.lower[dimension] || subscript > self.upper(dimension) {
                return None;
            }
            let distance = i64::from(subscript) - i64::from(self.lower[dimension]);
            offset = offset * self.lengths[dimension] as usize + distance as usize;
        }
        Some(offset)
    }

    /// The same dimensions, beginning with 1.
    pub fn from_one(&self) -> Shape {
        Shape { lower: [1; MOST_DIMENSIONS], ..*self }.clean()
    }

    /// As this one, but for the length of the first dimension. Fails with 54000.
    pub fn with_length(&self, length: usize) -> Result<Shape> {
        let mut lengths = self.lengths;
        lengths[0] = i32::try_from(length).map_err(|_| too_many_elements())?;
        Shape::new(&lengths[..self.dimensions()], self.lower())
    }

    /// As this one, but for the first subscript of the first dimension, which is one that fits.
    pub(super) fn beginning(&self, lower: i32) -> Shape {
        let mut shape = *self;
        shape.lower[0] = lower;
        shape.clean()
    }

    /// What is beyond the dimensions is zero, so that equal shapes are equal values.
    fn clean(mut self) -> Shape {
        let dimensions = self.dimensions();
        self.lengths[dimensions..].fill(0);
        self.lower[dimensions..].fill(0);
        self
    }
}

/// The product of lengths. Fails with 54000 where it is too large.
pub fn item_count(lengths: &[i32]) -> Result<usize> {
    if lengths.is_empty() {
        return Ok(0);
    }
    let mut items = 1i64;
    for &length in lengths {
        items *= i64::from(length);
        if length < 0 || items > i64::from(i32::MAX) {
            return Err(too_many_elements());
        }
    }
    if items > MOST_ELEMENTS as i64 {
        return Err(too_many_elements());
    }
    Ok(items as usize)
}

pub fn too_many_elements() -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, format!("array size exceeds the maximum allowed ({MOST_ELEMENTS})"))
}

pub fn too_many_bytes() -> Error {
    Error::new(sqlstate::PROGRAM_LIMIT_EXCEEDED, format!("array size exceeds the maximum allowed ({MOST_BYTES})"))
}

pub fn too_many_dimensions(count: usize) -> Error {
    let most = MOST_DIMENSIONS;
    Error::new(
        sqlstate::PROGRAM_LIMIT_EXCEEDED,
        format!("number of array dimensions ({count}) exceeds the maximum allowed ({most})"),
    )
}
