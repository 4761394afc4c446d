//! Window frames: which rows of its partition a row sees.

use std::ops::Range;

use error::sqlstate;

use super::offset::RangeOffset;
use super::partition::Partition;
use crate::context::Context;
use crate::error::{Error, Result};

/// Where a frame begins or ends.
#[derive(Clone, Debug)]
pub enum Bound<O> {
    UnboundedPreceding,
    Preceding(O),
    CurrentRow,
    Following(O),
    UnboundedFollowing,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exclusion {
    #[default]
    NoOthers,
    CurrentRow,
    Group,
    Ties,
}

/// What frames count in, and their bounds.
#[derive(Clone, Debug)]
pub enum Frame {
    Rows(Bound<i64>, Bound<i64>),
    /// Groups of peers.
    Groups(Bound<i64>, Bound<i64>),
    /// Distances of values.
    Range(Bound<RangeOffset>, Bound<RangeOffset>),
}

/// The offset of ROWS or GROUPS as it was evaluated. Fails with 22004 for NULL and 22013 for what is negative.
pub fn frame_offset(offset: Option<i64>, starting: bool) -> Result<i64> {
    let which = if starting { "starting" } else { "ending" };
    match offset {
        None => Err(Error::new(sqlstate::NULL_VALUE_NOT_ALLOWED, format!("frame {which} offset must not be null"))),
        Some(..0) => Err(Error::new(
            sqlstate::INVALID_PRECEDING_OR_FOLLOWING_SIZE,
            format!("frame {which} offset must not be negative"),
        )),
        Some(offset) => Ok(offset),
    }
}

/// The frames of a partition's rows.
#[derive(Clone, Debug)]
pub struct Frames {
    first: usize,
    /// Of each row; without what is excluded from within.
    bounds: Vec<Range<usize>>,
    exclusion: Exclusion,
}

impl Frames {
    pub fn new(context: &Context, partition: &Partition, frame: &Frame, exclusion: Exclusion) -> Result<Frames> {
        let rows = partition.rows();
        let bounds = match frame {
            Frame::Rows(start, end) => {
                let bounds = |row| row_position(&rows, row, start, 0)..row_position(&rows, row, end, 1);
                rows.clone().map(bounds).collect()
            }
            Frame::Groups(start, end) => {
                let bounds = |row| group_position(partition, row, start, 0)..group_position(partition, row, end, 1);
                rows.clone().map(bounds).collect()
            }
            Frame::Range(start, end) => {
                for (bound, starting) in [(start, true), (end, false)] {
                    if let Bound::Preceding(offset) | Bound::Following(offset) = bound {
                        offset.check(starting)?;
                    }
                }
                let starts = range_positions(context, partition, start, true)?;
                let ends = range_positions(context, partition, end, false)?;
                starts.into_iter().zip(ends).map(|(start, end)| start..end).collect()
            }
        };
        // What ends before it begins is empty.
        let bounds: Vec<Range<usize>> = bounds;
        let bounds = bounds.into_iter().map(|bound| bound.start..bound.end.max(bound.start)).collect();
        Ok(Frames { first: rows.start, bounds, exclusion })
    }

    /// The frame of a row, without regard to what is excluded.
    pub fn bounds(&self, row: usize) -> Range<usize> {
        self.bounds[row - self.first].clone()
    }

    pub fn excludes(&self) -> bool {
        self.exclusion != Exclusion::NoOthers
    }

    /// The parts of the frame of a row, in their order; some may be empty.
    pub fn parts(&self, partition: &Partition, row: usize) -> [Range<usize>; 3] {
        let frame = self.bounds(row);
        let within = |part: Range<usize>| {
            let start = part.start.clamp(frame.start, frame.end);
            start..part.end.clamp(start, frame.end)
        };
        let (peers, end) = (partition.peers(row), frame.end);
        let none = end..end;
        match self.exclusion {
            Exclusion::NoOthers => [frame, none.clone(), none],
            Exclusion::CurrentRow => [within(0..row), none, within(row + 1..end)],
            Exclusion::Group => [within(0..peers.start), none, within(peers.end..end)],
            Exclusion::Ties => [within(0..peers.start), within(row..row + 1), within(peers.end..end)],
        }
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        self.bounds.capacity() * size_of::<Range<usize>>()
    }
}

/// The position before (0) or behind (1) the row that a bound means.
fn row_position(rows: &Range<usize>, row: usize, bound: &Bound<i64>, behind: i128) -> usize {
    let position = |from_row: i128| {
        let position = row as i128 + from_row + behind;
        position.clamp(rows.start as i128, rows.end as i128) as usize
    };
    match bound {
        Bound::UnboundedPreceding => rows.start,
        Bound::Preceding(offset) => position(-i128::from(*offset)),
        Bound::CurrentRow => position(0),
        Bound::Following(offset) => position((*offset).into()),
        Bound::UnboundedFollowing => rows.end,
    }
}

/// As [`row_position`], of groups of peers.
fn group_position(partition: &Partition, row: usize, bound: &Bound<i64>, behind: i128) -> usize {
    let rows = partition.rows();
    let position = |from_group: i128| {
        let group = partition.group(row) as i128 + from_group + behind;
        match usize::try_from(group) {
            Ok(group) if group < partition.group_count() => partition.group_rows(group).start,
            Ok(_) => rows.end,
            Err(_) => rows.start,
        }
    };
    match bound {
        Bound::UnboundedPreceding => rows.start,
        Bound::Preceding(offset) => position(-i128::from(*offset)),
        Bound::CurrentRow => position(0),
        Bound::Following(offset) => position((*offset).into()),
        Bound::UnboundedFollowing => rows.end,
    }
}

/// Where the frames of all rows begin, or end.
fn range_positions(
    context: &Context,
    partition: &Partition,
    bound: &Bound<RangeOffset>,
    starts: bool,
) -> Result<Vec<usize>> {
    let rows = partition.rows();
    match bound {
        Bound::UnboundedPreceding => Ok(vec![rows.start; rows.len()]),
        Bound::UnboundedFollowing => Ok(vec![rows.end; rows.len()]),
        Bound::CurrentRow => {
            let position = |row| if starts { partition.peers(row).start } else { partition.peers(row).end };
            Ok(rows.map(position).collect())
        }
        Bound::Preceding(offset) => offset.positions(context, rows, true, starts),
        Bound::Following(offset) => offset.positions(context, rows, false, starts),
    }
}
