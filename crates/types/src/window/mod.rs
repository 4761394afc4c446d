//! Window functions, and aggregates over window frames.
//!
//! The executor sorts the rows, finds where partitions begin and holds a partition's rows as columns. The rest is here,
//! a partition at a time:
//!
//! * [`Partition`]: which rows are one another's peers. [`Frame`] and [`Frames`]: the frame of each row.
//! * [`WindowFunction`]: what is declared; [`BUILT_IN_WINDOW_FUNCTIONS`] has them all. They append a result for each row.
//! * [`aggregate_over`]: the same for an aggregate.
//!
//! Rows are numbered as in the columns, so that several partitions can be in one set of columns.

mod aggregates;
mod frame;
mod offset;
mod partition;
mod rank;
mod value;

pub use aggregates::{aggregate_on, aggregate_over};
pub use frame::{Bound, Exclusion, Frame, Frames, frame_offset};
pub use offset::RangeOffset;
pub use partition::Partition;

use crate::column::Argument;
use crate::datum::ColumnBuilder;
use crate::error::Result;
use crate::oid::Oid;

/// Every window function that is declared in this room.
pub const BUILT_IN_WINDOW_FUNCTIONS: &[&[WindowFunction]] = &[rank::FUNCTIONS, value::FUNCTIONS];

/// A window function that is here.
#[derive(Clone, Copy, Debug)]
pub struct WindowFunction {
    /// As in `pg_proc`.
    pub name: &'static str,
    pub arguments: &'static [Oid],
    pub result: Oid,
    /// It looks at frames. [`Window::frames`] may be `None` for others.
    pub framed: bool,
    pub reach: Reach,
    /// Appends the result for each row of the partition, in the representation of the result's type without type modifier.
    pub evaluate: fn(&Window<'_>, &mut ColumnBuilder) -> Result<()>,
}

/// What a function needs of its partition for the results of some rows in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// These rows, of whatever groups; how many rows come before them is added to the results.
    Rows,
    /// The same, and the groups are whole.
    RowsOfGroups,
    /// The same, and how many groups come before them is added.
    Groups,
    /// The row that is as many rows before (-1) or behind (1) as the second argument says, or one.
    Away(i64),
    /// The whole partition, or each row's frame.
    Partition,
}

/// A partition, for a call of a function.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    pub partition: &'a Partition,
    pub frames: Option<&'a Frames>,
    pub arguments: &'a [Argument],
}
