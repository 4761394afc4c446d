//! AND and OR, which do not look at what cannot change them.

use std::sync::Arc;

use arrow_array::BooleanArray;
use types::Argument;

use crate::frame::Frame;
use crate::mask::Mask;

/// What is known so far of an AND or an OR.
pub(crate) struct Junction {
    and: bool,
    /// The rows that are not decided.
    open: Mask,
    /// Those for which some argument was NULL.
    unknown: Mask,
    /// The next argument comes for the open rows only.
    narrow: bool,
}

impl Junction {
    pub fn new(and: bool, rows: usize) -> Junction {
        Junction { and, open: Mask::all(rows), unknown: Mask::none(rows), narrow: false }
    }

    /// The rows to evaluate the next argument for; `Some(None)`: all; `None`: everything is decided.
    pub fn next<'a>(&mut self, frame: &Frame<'a>, cheap: bool) -> Option<Option<Frame<'a>>> {
        let open = self.open.count();
        // To pick rows costs more than to compute what is not needed.
        self.narrow = open < frame.rows && !(cheap && open * 8 >= frame.rows);
        (open > 0).then(|| self.narrow.then(|| frame.narrow(&self.open)))
    }

    pub fn take(&mut self, value: &Argument) {
        let rows = if self.narrow { self.open.count() } else { self.open.rows() };
        let (trues, nulls) = (Mask::trues(value, rows), Mask::nulls(value, rows));
        let goes_on = if self.and { trues.or(&nulls) } else { trues.complement() };
        let (goes_on, nulls) = match self.narrow {
            true => (self.open.pick(&goes_on), self.open.pick(&nulls)),
            false => (goes_on, nulls),
        };
        self.open = self.open.and(&goes_on);
        self.unknown = self.unknown.or(&nulls);
    }

    pub fn finish(self) -> Argument {
        let nulls = self.open.and(&self.unknown);
        let trues = if self.and { self.open } else { self.open.complement() };
        let rows = trues.rows();
        // Where all rows agree, one value says so.
        if nulls.is_full() {
            return Argument::constant(Arc::new(BooleanArray::new_null(1)));
        }
        match (nulls.is_empty(), trues.count()) {
            (true, 0) => constant(false),
            (true, all) if all == rows => constant(true),
            _ => Argument::column(Arc::new(trues.to_booleans_with(&nulls))),
        }
    }
}

/// A truth value for all rows.
pub(crate) fn constant(value: bool) -> Argument {
    Argument::constant(Arc::new(BooleanArray::from(vec![value])))
}
