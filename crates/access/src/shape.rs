//! How a table's columns lie in a page.
//!
//! # Columns that come and go
//! No row is written when a column is added or dropped, or may be NULL from now on. A page has the columns of the *first layout* of its
//! file, those that the table had when the file was made, unless it says how it differs ([`crate::page`]): a first column is not
//! there, or has NULL bits; a column that was added later is there, known by a number that no other column of the file ever has, not
//! even one that a rollback took back. Pages made from then on have the *current layout*. A page of another one is laid out anew when
//! a row on it gets a value that it has no place for; what the page lacks stands for the column's missing value, or NULL.
//!
//! Invariants: the columns that the file began with come before those that were added; a page has its columns in the table's order;
//! a column that the shape does not know was never committed, and is not read; one that was dropped stays on pages that have it
//! for as long as its drop may be taken back.

use arrow_schema::{DataType, Schema};
use smallvec::SmallVec;
use txn::Xid;

use crate::{AccessError, Result};

/// What may be done about a long value (`pg_type.typstorage`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Storage {
    /// Nothing.
    Plain,
    /// It may go out of line, as it is.
    External,
    /// It is compressed, and goes out of line if that is not enough.
    Extended,
    /// It is compressed, and goes out of line if the row does not fit a page otherwise.
    Main,
}

/// A column's arrays on a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lying {
    Nowhere,
    /// Its values.
    Values,
    /// The same, and a bit a row that says NULL.
    Nullable,
}

/// Since when a column is on the pages of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    /// It is one of the first layout, and lies like this in it.
    First(Lying),
    /// It was added later, under this number, with NULL bits.
    Added(u32),
}

/// A column, as the page sees it.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnShape {
    pub data_type: DataType,
    pub nullable: bool,
    /// Bytes of a value; `None` for values of variable length.
    pub width: Option<usize>,
    pub storage: Storage,
    pub since: Since,
    /// The transaction that dropped it.
    pub dropped: Option<Xid>,
    /// What rows have on pages that lack the column, as it is stored; `None`: NULL.
    pub missing: Option<Vec<u8>>,
}

impl ColumnShape {
    /// A column of the first layout.
    pub fn first(data_type: DataType, nullable: bool, width: Option<usize>, storage: Storage) -> ColumnShape {
        let since = Since::First(if nullable { Lying::Nullable } else { Lying::Values });
        ColumnShape { data_type, nullable, width, storage, since, dropped: None, missing: None }
    }

    /// How it lies on pages made now.
    fn now(&self) -> Lying {
        match self.since {
            _ if self.dropped.is_some() => Lying::Nowhere,
            Since::First(Lying::Values) if self.nullable => Lying::Nullable,
            Since::First(first) => first,
            Since::Added(_) => Lying::Nullable,
        }
    }
}

/// How each column of a table lies on a page, in order.
pub type Layout = SmallVec<[Lying; 16]>;

/// What lies before a column's arrays on a page, for each row: pages are parsed often, and their columns' places follow from
/// how many rows they have room for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Before {
    pub lying: Lying,
    /// Rows of pages that lack the column have a value.
    pub has_missing: bool,
    /// Bits that say NULL.
    pub bits: usize,
    /// Bytes of values, or of their places.
    pub bytes: usize,
}

/// A table's columns, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct TableShape {
    pub columns: Vec<ColumnShape>,
    /// Longer rows are made shorter, if they have values for it, in bytes (`toast_tuple_target`).
    pub target: usize,
    /// How many of the columns the file began with.
    pub(crate) first_columns: usize,
    first: Layout,
    current: Layout,
    before_first: Vec<Before>,
}

/// Bytes of the place of a value of variable length: its offset and its length.
pub(crate) const PLACE: usize = 4;

/// A quarter of a page (`TOAST_TUPLE_TARGET`).
pub const TOAST_TUPLE_TARGET: usize = 2032;

/// What lies before each column in a layout, and before the end.
fn before_each(columns: &[ColumnShape], layout: &Layout) -> Vec<Before> {
    let (mut bits, mut bytes) = (0, 0);
    let mut before = Vec::with_capacity(columns.len() + 1);
    for (column, &lying) in columns.iter().zip(layout) {
        before.push(Before { lying, has_missing: column.missing.is_some(), bits, bytes });
        bits += usize::from(lying == Lying::Nullable);
        bytes += if lying == Lying::Nowhere { 0 } else { column.width.unwrap_or(PLACE) };
    }
    before.push(Before { lying: Lying::Nowhere, has_missing: false, bits, bytes });
    before
}

impl TableShape {
    /// Fails for Arrow types that no PostgreSQL type of ours maps to.
    pub fn new(schema: &Schema) -> Result<TableShape> {
        let columns = schema.fields().iter().map(|field| {
            let width = match field.data_type() {
                DataType::Boolean => Some(1),
                DataType::Utf8 | DataType::Binary => None,
                DataType::FixedSizeBinary(n) if *n > 0 => Some(*n as usize),
                DataType::Decimal128(_, _) => Some(16),
                other => match other.primitive_width() {
                    Some(width) => Some(width),
                    None => return Err(AccessError::Unsupported(other.to_string())),
                },
            };
            let storage = if width.is_some() { Storage::Plain } else { Storage::Extended };
            Ok(ColumnShape::first(field.data_type().clone(), field.is_nullable(), width, storage))
        });
        Ok(TableShape::of(columns.collect::<Result<_>>()?))
    }

    pub fn of(columns: Vec<ColumnShape>) -> TableShape {
        let is_first = |column: &ColumnShape| matches!(column.since, Since::First(_));
        let first_columns = columns.iter().take_while(|column| is_first(column)).count();
        assert!(!columns[first_columns..].iter().any(is_first), "columns that were added come last");
        let first = |column: &ColumnShape| match column.since {
            Since::First(lying) => lying,
            Since::Added(_) => Lying::Nowhere,
        };
        let (first, current) = (columns.iter().map(first).collect(), columns.iter().map(ColumnShape::now).collect());
        let before_first = before_each(&columns, &first);
        TableShape { columns, target: TOAST_TUPLE_TARGET, first_columns, first, current, before_first }
    }

    /// What lies before each column's arrays on pages of the first layout, and what lies on them in all.
    pub(crate) fn before_first(&self) -> (&[Before], Before) {
        let (all, columns) = self.before_first.split_last().expect("the end is in it");
        (columns, *all)
    }

    /// How the columns lie on pages that say nothing about it.
    #[inline]
    pub fn first(&self) -> &[Lying] {
        &self.first
    }

    /// How they lie on pages made now.
    #[inline]
    pub fn current(&self) -> &[Lying] {
        &self.current
    }

    /// In how many columns a page that is laid out like this differs from the first layout.
    pub fn differences(&self, layout: &[Lying]) -> usize {
        self.first.iter().zip(layout).filter(|(first, own)| first != own).count()
    }

    /// Do pages that say nothing lie alike?
    pub(crate) fn begins_as(&self, other: &TableShape) -> bool {
        let widths = |shape: &TableShape| -> Vec<_> {
            let first = shape.columns[..shape.first_columns].iter().zip(&shape.first);
            first.filter(|(_, lying)| **lying != Lying::Nowhere).map(|(column, lying)| (column.width, *lying)).collect()
        };
        (self.first_columns, widths(self)) == (other.first_columns, widths(other))
    }

    /// Are a column's values of variable length?
    #[inline]
    pub fn is_variable(&self, column: usize) -> bool {
        self.columns[column].width.is_none()
    }

    /// The columns whose values are of variable length.
    pub fn variable(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.columns.len()).filter(|&column| self.is_variable(column))
    }

    /// Bytes that a row takes at least on a page that is laid out like this, without its variable values, rounded up.
    pub fn fixed_row_bytes(&self, layout: &[Lying]) -> usize {
        let bits = layout.iter().filter(|lying| **lying == Lying::Nullable).count();
        self.array_bytes(layout) + bits.div_ceil(8)
    }

    /// Bytes that a row takes in the arrays of values.
    pub(crate) fn array_bytes(&self, layout: &[Lying]) -> usize {
        let there = self.columns.iter().zip(layout).filter(|(_, lying)| **lying != Lying::Nowhere);
        there.map(|(column, _)| column.width.unwrap_or(PLACE)).sum()
    }
}
