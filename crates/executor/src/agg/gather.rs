//! Rows of an aggregate that have to be sorted or made distinct before it gets them: they are kept until all are there.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::UInt64Type;
use arrow_array::{ArrayRef, UInt32Array, UInt64Array};
use arrow_ord::sort::SortOptions;
use types::aggregate::{GroupStates, Members, Rows};
use types::{Argument, Repr};

use super::call::{AggCall, Input};
use crate::batch::Batch;
use crate::error::Result;
use crate::keys::{KeyColumn, RowKeys, sorted};

#[derive(Default)]
pub struct Gathered {
    /// The arguments, and the group behind them.
    batches: Vec<Batch>,
    pub memory: usize,
}

impl Gathered {
    pub fn take(&mut self, input: &Input, groups: &[usize]) -> Result<()> {
        let mut columns: Vec<ArrayRef> = input.arguments.iter().map(|argument| argument.array().clone()).collect();
        columns.push(Arc::new(UInt64Array::from_iter_values(groups.iter().map(|&group| group as u64))));
        let batch = Batch::new(columns, groups.len());
        let batch = match &input.filter {
            Some(filter) => batch.filter(filter)?,
            None => batch,
        };
        self.memory += batch.memory();
        self.batches.push(batch);
        Ok(())
    }

    /// Gives the rows, group by group and in their order, to the aggregate.
    pub fn finish(&mut self, call: &AggCall, states: &mut dyn GroupStates, groups: usize) -> Result<()> {
        let batches = std::mem::take(&mut self.batches);
        self.memory = 0;
        if batches.is_empty() {
            return Ok(());
        }
        let all = Batch::concat(&batches, &[])?;
        drop(batches);
        let group = all.columns.len() - 1;
        let options = SortOptions { descending: false, nulls_first: false };
        // Groups have no key of their own: they are numbers.
        let by_group = KeyColumn { column: group, repr: Repr::Xid8, options };
        let keys: Vec<KeyColumn> = [by_group].into_iter().chain(call.sorted_by.iter().copied()).collect();
        let mut rows = all.take(&sorted(&all, &keys, None)?)?;
        if call.distinct {
            let shown = keys.iter().filter(|key| key.column == group || key.column < call.shown()).copied();
            rows = distinct(rows, shown.collect())?;
        }
        let members: Vec<usize> =
            rows.columns[group].as_primitive::<UInt64Type>().values().iter().map(|&group| group as usize).collect();
        let arguments: Vec<Argument> =
            rows.columns[..call.shown()].iter().map(|column| Argument::column(column.clone())).collect();
        let members = Members::Of(&members);
        Ok(states.update(&Rows { arguments: &arguments, rows: 0..rows.rows, members, filter: None, groups })?)
    }
}

/// Of rows that stand together and are equal the first.
fn distinct(rows: Batch, keys: Vec<KeyColumn>) -> Result<Batch> {
    let keys = RowKeys::new(keys)?.of(&rows)?;
    let first = (0..rows.rows).filter(|&row| row == 0 || keys.row(row) != keys.row(row - 1));
    let first = UInt32Array::from_iter_values(first.map(|row| row as u32));
    if first.len() == rows.rows { Ok(rows) } else { rows.take(&first) }
}
