//! The rows that a part of an expression is evaluated for: those of a batch, or some of them.

use arrow_array::{ArrayRef, UInt32Array};
use arrow_select::take::take;
use smallvec::SmallVec;
use types::Argument;

use crate::execution::Execution;
use crate::mask::Mask;

pub(crate) struct Frame<'a> {
    pub execution: &'a Execution,
    /// How many there are: one at least.
    pub rows: usize,
    batch: &'a [ArrayRef],
    /// Their positions in the batch; `None`: all of it.
    selected: Option<UInt32Array>,
    /// Values that a part of the expression gives another, such as the argument of CASE.
    locals: SmallVec<[Argument; 2]>,
}

impl<'a> Frame<'a> {
    pub fn new(batch: &'a [ArrayRef], rows: usize, execution: &'a Execution) -> Frame<'a> {
        Frame { execution, rows, batch, selected: None, locals: SmallVec::new() }
    }

    /// One whose values are all locals.
    pub fn of_locals(locals: SmallVec<[Argument; 2]>, rows: usize, execution: &'a Execution) -> Frame<'a> {
        Frame { execution, rows, batch: &[], selected: None, locals }
    }

    pub fn column(&self, at: usize) -> Argument {
        Argument::column(match &self.selected {
            None => self.batch[at].clone(),
            Some(rows) => taken(&self.batch[at], rows),
        })
    }

    pub fn local(&self, at: usize) -> Argument {
        self.locals[at].clone()
    }

    /// The same rows with a local more.
    pub fn with_local(&self, value: Argument) -> Frame<'a> {
        let mut locals = self.locals.clone();
        locals.push(value);
        Frame { execution: self.execution, rows: self.rows, batch: self.batch, selected: self.selected.clone(), locals }
    }

    /// Some of its rows.
    pub fn narrow(&self, rows: &Mask) -> Frame<'a> {
        let positions = UInt32Array::from_iter_values(rows.iter().map(|row| row as u32));
        let locals = self.locals.iter().map(|local| match local.is_constant() {
            true => local.clone(),
            false => Argument::column(taken(local.array(), &positions)),
        });
        Frame {
            execution: self.execution,
            rows: positions.len(),
            batch: self.batch,
            locals: locals.collect(),
            selected: Some(match &self.selected {
                None => positions,
                Some(selected) => positions.values().iter().map(|&row| selected.value(row as usize)).collect(),
            }),
        }
    }
}

fn taken(column: &ArrayRef, rows: &UInt32Array) -> ArrayRef {
    take(column, rows, None).expect("rows of the column")
}
