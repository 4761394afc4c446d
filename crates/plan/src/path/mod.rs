//! Paths: PostgreSQL's `optimizer/path`, and what its planner does above the joins. A path is a way to get rows, with its
//! costs; of all paths the cheapest becomes the plan.
//!
//! * [`state`]: what is known; [`relset`]: sets of relations. [`settings`]: what sessions may set.
//! * [`base`]: base relations, their paths, and what indexes can do for conditions. [`join`]: where conditions belong, what is
//!   equal, the order of joins and their ways. [`upper`]: grouping, windows, set operations.
//! * [`cost`]: what paths cost. [`estimate`]: how many rows they give.
//! * [`pathnode`]: paths are made and kept; [`pathkeys`]: orders; [`predtest`]: what follows from what; [`clauses`], [`arrays`],
//!   [`coerce`]: what is asked about expressions.

pub mod arrays;
pub mod base;
pub mod clauses;
pub mod coerce;
pub mod cost;
pub mod estimate;
pub mod join;
pub mod pathkeys;
pub mod pathnode;
pub mod predtest;
pub mod relset;
pub mod settings;
pub mod state;
pub mod upper;

pub use settings::PlannerSettings;
