//! Window functions, and aggregates over window frames.
//!
//! Whoever executes sorts the rows, finds where partitions begin and holds a partition's rows as columns. The rest is here,
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

pub use aggregates::aggregate_over;
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
    /// Appends the result for each row of the partition, in the representation of the result's type without type modifier.
    pub evaluate: fn(&Window<'_>, &mut ColumnBuilder) -> Result<()>,
}

/// A partition, for a call of a function.
#[derive(Clone, Copy)]
pub struct Window<'a> {
    pub partition: &'a Partition,
    pub frames: Option<&'a Frames>,
    pub arguments: &'a [Argument],
}
