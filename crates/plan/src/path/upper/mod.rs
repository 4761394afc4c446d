//! What is above the joins.
//!
//! * [`grouping`]: grouping, DISTINCT, ORDER BY and LIMIT; [`aggregates`]: what aggregates cost and which order serves them.
//! * [`windows`], [`setops`]; [`targets`]: what each step gives; `sets`: functions that give sets.

pub mod aggregates;
pub mod grouping;
pub mod setops;
pub(super) mod sets;
pub mod targets;
pub mod windows;
