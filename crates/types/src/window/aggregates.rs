//! Aggregates over window frames.

use std::ops::Range;

use arrow_array::BooleanArray;

use super::Window;
use super::frame::Frames;
use crate::aggregate::{GroupStates, Members, Rows};
use crate::datum::ColumnBuilder;
use crate::error::Result;

/// Appends an aggregate's result for the frame of each row of a partition. `states` are those of the call, and are without
/// groups before and after.
pub fn aggregate_over(
    states: &mut dyn GroupStates,
    window: &Window<'_>,
    frames: &Frames,
    filter: Option<&BooleanArray>,
    out: &mut ColumnBuilder,
) -> Result<()> {
    let mut moving = Moving { states, window, filter, now: 0..0 };
    moving.begin(window.partition.rows().start)?;
    for row in window.partition.rows() {
        match frames.excludes() {
            true => moving.begin_with(frames.parts(window.partition, row))?,
            false => moving.move_to(frames.bounds(row))?,
        }
        moving.states.results(0..1, &[], out)?;
    }
    moving.states.discard(1);
    Ok(())
}

/// The same for rows whose frames begin where those of the rows before did: `states` have all rows before these, and have these too
/// afterwards.
pub fn aggregate_on(
    states: &mut dyn GroupStates,
    window: &Window<'_>,
    frames: &Frames,
    filter: Option<&BooleanArray>,
    out: &mut ColumnBuilder,
) -> Result<()> {
    let rows = window.partition.rows();
    let mut moving = Moving { states, window, filter, now: rows.start..rows.start };
    for row in rows {
        moving.move_to(frames.bounds(row))?;
        moving.states.results(0..1, &[], out)?;
    }
    Ok(())
}

struct Moving<'a> {
    states: &'a mut dyn GroupStates,
    window: &'a Window<'a>,
    filter: Option<&'a BooleanArray>,
    /// The rows that are in the state.
    now: Range<usize>,
}

impl Moving<'_> {
    /// Makes the state that of no rows.
    fn begin(&mut self, at: usize) -> Result<()> {
        self.states.discard(self.states.groups());
        self.now = at..at;
        self.add(at..at)
    }

    fn add(&mut self, rows: Range<usize>) -> Result<()> {
        let (arguments, filter) = (self.window.arguments, self.filter);
        self.states.update(&Rows { arguments, rows, members: Members::OneGroup, filter, groups: 1 })
    }

    fn retract(&mut self, rows: Range<usize>) -> Result<bool> {
        let (arguments, filter) = (self.window.arguments, self.filter);
        self.states.retract(&Rows { arguments, rows, members: Members::OneGroup, filter, groups: 1 })
    }

    fn begin_with(&mut self, parts: [Range<usize>; 3]) -> Result<()> {
        self.begin(0)?;
        parts.into_iter().filter(|part| !part.is_empty()).try_for_each(|part| self.add(part))
    }

    fn move_to(&mut self, frame: Range<usize>) -> Result<()> {
        // Frames go forward; one that begins behind the last one's end has nothing of it.
        let overlaps = frame.start < self.now.end && frame.end >= self.now.end && frame.start >= self.now.start;
        if frame.start != self.now.start {
            let gone = self.now.start..frame.start;
            if overlaps && self.states.retracts() && self.retract(gone)? {
                self.now.start = frame.start;
            } else {
                self.begin(frame.start)?;
            }
        }
        if frame.end < self.now.end {
            self.begin(frame.start)?;
        }
        self.add(self.now.end..frame.end)?;
        self.now.end = frame.end;
        Ok(())
    }
}
