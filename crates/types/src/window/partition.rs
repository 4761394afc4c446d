//! The rows of a partition and their peers.

use std::ops::Range;

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::Decimal128Type;

use crate::compare;
use crate::repr::Repr;
use crate::scalar::Scalar;

/// The rows of a partition, in their order, and which of them are equal in what they are sorted by.
#[derive(Clone, Debug)]
pub struct Partition {
    rows: Range<usize>,
    /// The first row of each group of peers, and then the partition's end.
    starts: Vec<usize>,
    /// The number of each row's group.
    groups: Vec<u32>,
}

impl Partition {
    /// The rows of a window that is sorted by these columns, with their representations: by none, all are peers.
    pub fn new(rows: Range<usize>, sorted_by: &[(Repr, ArrayRef)]) -> Partition {
        Self::with_peers(rows, |row| sorted_by.iter().all(|(repr, column)| are_equal(*repr, column, row - 1, row)))
    }

    /// `is_peer` says whether a row is a peer of the one before.
    pub fn with_peers(rows: Range<usize>, mut is_peer: impl FnMut(usize) -> bool) -> Partition {
        let mut partition =
            Partition { rows: rows.clone(), starts: Vec::new(), groups: Vec::with_capacity(rows.len()) };
        for row in rows.clone() {
            if row == rows.start || !is_peer(row) {
                partition.starts.push(row);
            }
            partition.groups.push(partition.starts.len() as u32 - 1);
        }
        partition.starts.push(rows.end);
        partition
    }

    pub fn rows(&self) -> Range<usize> {
        self.rows.clone()
    }

    /// The number of a row's group of peers, from 0.
    pub fn group(&self, row: usize) -> usize {
        self.groups[row - self.rows.start] as usize
    }

    /// How many groups of peers there are.
    pub fn group_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The rows of a group.
    pub fn group_rows(&self, group: usize) -> Range<usize> {
        self.starts[group]..self.starts[group + 1]
    }

    /// A row's peers, with the row itself.
    pub fn peers(&self, row: usize) -> Range<usize> {
        self.group_rows(self.group(row))
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.starts.capacity() * size_of::<usize>() + self.groups.capacity() * size_of::<u32>()
    }
}

/// Whether two values of a column are equal, or both NULL.
fn are_equal(repr: Repr, column: &ArrayRef, a: usize, b: usize) -> bool {
    match column.as_primitive_opt::<Decimal128Type>() {
        Some(_) if column.is_null(a) || column.is_null(b) => column.is_null(a) && column.is_null(b),
        Some(decimals) => decimals.value(a) == decimals.value(b),
        None => compare::nullable(repr, Scalar::of(column, a), Scalar::of(column, b)).is_eq(),
    }
}
