//! `(a, b) < (c, d)`: the first pair that differs decides.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::Array;
use arrow_array::builder::BooleanBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use types::{Argument, Result};

use crate::frame::Frame;
use crate::mask::Mask;
use crate::node::RowColumn;

/// The orders of the rows, as far as they are known.
pub(crate) struct RowComparison {
    /// Rows whose pairs so far were equal.
    open: Mask,
    /// `None`: a NULL decided.
    orders: Vec<Option<Ordering>>,
}

impl RowComparison {
    pub fn new(rows: usize) -> RowComparison {
        RowComparison { open: Mask::all(rows), orders: vec![Some(Ordering::Equal); rows] }
    }

    /// The rows for which the next pair is compared; `None`: all.
    pub fn rest<'a>(&self, frame: &Frame<'a>) -> Option<Frame<'a>> {
        (!self.open.is_full()).then(|| frame.narrow(&self.open))
    }

    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// The next pair of columns, for the open rows.
    pub fn take(&mut self, column: &RowColumn, frame: &Frame<'_>, pair: &[Argument]) -> Result<()> {
        let result = column.compare.evaluate(frame, pair)?;
        let orders = result.array().as_primitive::<Int32Type>();
        let mut equal = Mask::none(self.open.rows());
        for (position, row) in self.open.iter().enumerate() {
            let at = result.index(position);
            self.orders[row] = orders.is_valid(at).then(|| orders.value(at).cmp(&0));
            if self.orders[row] == Some(Ordering::Equal) {
                equal.insert(row);
            }
        }
        self.open = equal;
        Ok(())
    }

    pub fn finish(self, accept: fn(Ordering) -> bool) -> Argument {
        let mut out = BooleanBuilder::with_capacity(self.orders.len());
        self.orders.into_iter().for_each(|order| out.append_option(order.map(accept)));
        Argument::column(Arc::new(out.finish()))
    }
}
