//! Frames of `RANGE … PRECEDING` and `FOLLOWING`: as far as values are near that of the row.

use std::ops::Range;

use arrow_array::{Array, ArrayRef, BooleanArray};
use error::sqlstate;

use crate::column::Argument;
use crate::context::Context;
use crate::datum::{ColumnBuilder, Datum};
use crate::decimal;
use crate::error::{Error, Result};
use crate::function::{Call, Function};
use crate::repr::Repr;
use crate::scalar::{self, Scalar};

/// A distance, and what it is counted in.
#[derive(Clone, Debug)]
pub struct RangeOffset {
    /// `in_range` of the sort column's type and the offset's.
    pub in_range: &'static Function,
    /// What the window is sorted by.
    pub column: ArrayRef,
    pub descending: bool,
    pub nulls_first: bool,
    /// As it was evaluated; one value.
    pub offset: Argument,
}

impl RangeOffset {
    /// Fails with 22004 for an offset that is NULL.
    pub(super) fn check(&self, starting: bool) -> Result<()> {
        let which = if starting { "starting" } else { "ending" };
        match self.offset.array().is_null(0) {
            true => Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, format!("frame {which} offset must not be null"))),
            false => Ok(()),
        }
    }

    /// For each row where its frame begins, or ends. Rows with NULL see one another.
    pub(super) fn positions(
        &self,
        context: &Context,
        rows: Range<usize>,
        preceding: bool,
        starts: bool,
    ) -> Result<Vec<usize>> {
        let sort_by = decimal::argument_to_numeric(&Argument::column(self.column.clone()));
        let column = sort_by.array();
        let nulls = rows.clone().filter(|&row| column.is_null(row)).count();
        let (values, nulls) = match self.nulls_first {
            true => (rows.start + nulls..rows.end, rows.start..rows.start + nulls),
            false => (rows.start..rows.end - nulls, rows.end - nulls..rows.end),
        };
        let of_null = if starts { nulls.start } else { nulls.end };
        let mut positions = vec![of_null; rows.len()];
        let search = Search { context, offset: self, column, values: values.clone(), preceding, starts };
        let found = search.positions()?;
        positions[values.start - rows.start..values.end - rows.start].copy_from_slice(&found);
        Ok(positions)
    }
}

/// Searches the positions for all rows at the same time, by halves, so that `in_range` is called for whole columns.
struct Search<'a> {
    context: &'a Context,
    offset: &'a RangeOffset,
    column: &'a ArrayRef,
    /// The rows that are not NULL.
    values: Range<usize>,
    preceding: bool,
    starts: bool,
}

impl Search<'_> {
    fn positions(&self) -> Result<Vec<usize>> {
        // What is before `low` is outside of the frame (or of what is in front of its end), what is at `high` or behind is not.
        let mut low = vec![self.values.start; self.values.len()];
        let mut high = vec![self.values.end; self.values.len()];
        loop {
            let open: Vec<usize> = (0..low.len()).filter(|&at| low[at] < high[at]).collect();
            if open.is_empty() {
                return Ok(low);
            }
            let middle: Vec<usize> = open.iter().map(|&at| low[at] + (high[at] - low[at]) / 2).collect();
            let bases: Vec<usize> = open.iter().map(|&at| self.values.start + at).collect();
            let in_range = self.in_range(&middle, &bases)?;
            for ((&at, &middle), within) in open.iter().zip(&middle).zip(in_range.values().iter()) {
                // A frame begins with the first row that is in range, and ends before the first that is not.
                if within == self.starts { high[at] = middle } else { low[at] = middle + 1 }
            }
        }
    }

    /// Whether the values of some rows are in the ranges of others.
    fn in_range(&self, values: &[usize], bases: &[usize]) -> Result<BooleanArray> {
        let repr = Repr::of(self.offset.in_range.arguments[0], -1).expect("a type with values");
        let take = |rows: &[usize]| {
            let mut taken = ColumnBuilder::new(repr, rows.len());
            rows.iter().for_each(|&row| scalar::append(&mut taken, Scalar::of(self.column, row)));
            Argument::column(taken.finish())
        };
        let truth = |value: bool| Argument::constant(Datum::Bool(value).to_array(Repr::Bool));
        let offset = decimal::argument_to_numeric(&self.offset.offset);
        let subtract = self.preceding != self.offset.descending;
        let less = self.starts == self.offset.descending;
        let arguments = [take(values), take(bases), offset, truth(subtract), truth(less)];
        let function = self.offset.in_range;
        let call = Call {
            context: self.context,
            rows: values.len(),
            arguments: function.arguments,
            result: function.result,
            variadic: false,
        };
        let result = (function.kernel)(&call, &arguments)?;
        Ok(result.as_any().downcast_ref::<BooleanArray>().expect("truth values").clone())
    }
}
