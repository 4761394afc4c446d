//! Results that come from one of several parts for each row: CASE, COALESCE, GREATEST and LEAST.

use arrow_array::cast::AsArray;
use arrow_array::types::Int32Type;
use arrow_array::{Array, BooleanArray};
use arrow_select::interleave::interleave;
use smallvec::SmallVec;
use types::memory::LEAST_BATCH;
use types::{Argument, Result};

use crate::evaluate::call::{bytes_of, long_bytes};
use crate::frame::Frame;
use crate::mask::Mask;
use crate::node::CallNode;
use crate::state::room_for_column;

/// The parts of a result, for the rows that have one so far.
pub(crate) struct Branches {
    open: Mask,
    parts: SmallVec<[(Mask, Argument); 3]>,
}

impl Branches {
    pub fn new(rows: usize) -> Branches {
        Branches { open: Mask::all(rows), parts: SmallVec::new() }
    }

    /// The rows without a result; `None`: all rows.
    pub fn rest<'a>(&self, frame: &Frame<'a>) -> Option<Frame<'a>> {
        self.frame_of(frame, &self.open)
    }

    /// Some rows; `None`: all of them.
    pub fn frame_of<'a>(&self, frame: &Frame<'a>, rows: &Mask) -> Option<Frame<'a>> {
        (!rows.is_full()).then(|| frame.narrow(rows))
    }

    pub fn is_done(&self) -> bool {
        self.open.is_empty()
    }

    /// Of the rows without a result, those for which a condition, evaluated for them, is true. They are no longer open.
    pub fn choose(&mut self, condition: &Argument) -> Option<Mask> {
        let chosen = self.open.pick(&Mask::trues(condition, self.open.count()));
        self.open = self.open.without(&chosen);
        (!chosen.is_empty()).then_some(chosen)
    }

    pub fn take(&mut self, rows: Mask, value: Argument) {
        self.parts.push((rows, value));
    }

    pub fn take_rest(&mut self, value: Argument) {
        let rows = std::mem::replace(&mut self.open, Mask::none(0));
        self.take(rows, value);
    }

    /// Values for the open rows, those that are not NULL; or all of them.
    pub fn take_values(&mut self, value: Argument, nulls_too: bool) {
        let open = self.open.count();
        let nulls = Mask::nulls(&value, open);
        if nulls_too || nulls.is_empty() {
            return self.take_rest(value);
        }
        let values = nulls.complement();
        if values.is_empty() {
            return;
        }
        let taken = self.open.pick(&values);
        self.open = self.open.without(&taken);
        // The value of a row is where it was among the rows that were open.
        let value = match value.is_constant() {
            true => value,
            false => Argument::column(
                arrow_select::filter::filter(value.array(), &values.to_booleans()).expect("as many rows"),
            ),
        };
        self.take(taken, value);
    }

    pub fn finish(self) -> Result<Argument> {
        if let [(rows, value)] = self.parts.as_slice()
            && rows.is_full()
        {
            return Ok(value.clone());
        }
        let rows = self.parts[0].0.rows();
        let mut picked = vec![(0, 0); rows];
        for (part, (rows, value)) in self.parts.iter().enumerate() {
            for (position, row) in rows.iter().enumerate() {
                picked[row] = (part, value.index(position));
            }
        }
        interleaved(self.parts.iter().map(|(_, value)| value), &picked)
    }
}

/// For each row one of several values: which, and where in it.
fn interleaved<'a>(values: impl Iterator<Item = &'a Argument>, picked: &[(usize, usize)]) -> Result<Argument> {
    let values: SmallVec<[&Argument; 4]> = values.collect();
    let _room =
        if values.iter().any(|value| value.is_constant() && long_bytes(value) >= LEAST_BATCH / picked.len().max(1)) {
            // It may be many rows' value.
            let bytes = picked.iter().map(|&(part, row)| bytes_of(values[part], row));
            room_for_column(bytes.sum())?
        } else {
            room_for_column(values.iter().map(|value| long_bytes(value)).sum())?
        };
    let arrays: SmallVec<[&dyn Array; 4]> = values.iter().map(|value| value.array().as_ref()).collect();
    Ok(Argument::column(interleave(&arrays, picked).expect("columns of one type")))
}

/// GREATEST and LEAST: NULLs do not count.
pub(crate) fn min_max(frame: &Frame<'_>, greatest: bool, compare: &CallNode, values: &[Argument]) -> Result<Argument> {
    let mut best = values[0].clone();
    for value in &values[1..] {
        let order = compare.evaluate(frame, &[best.clone(), value.clone()])?;
        let constant = best.is_constant() && value.is_constant();
        let rows = if constant { 1 } else { frame.rows };
        let orders = order.array().as_primitive::<Int32Type>();
        let better: BooleanArray = (0..rows)
            .map(|row| {
                let (old, new) = (best.array().is_null(best.index(row)), value.array().is_null(value.index(row)));
                let order = orders.value(order.index(row));
                Some(match (old, new) {
                    (false, false) => {
                        if greatest {
                            order < 0
                        } else {
                            order > 0
                        }
                    }
                    (old, _) => old,
                })
            })
            .collect();
        let picked: Vec<(usize, usize)> =
            (0..rows).map(|row| if better.value(row) { (1, value.index(row)) } else { (0, best.index(row)) }).collect();
        let merged = interleaved([&best, value].into_iter(), &picked)?;
        best = if constant { Argument::constant(merged.array().clone()) } else { merged };
    }
    Ok(best)
}
