//! Queries to plans: PostgreSQL's planner (`src/backend/optimizer`). It knows tables and indexes by what the catalog and
//! statistics say of them, and nothing of how a plan is run.
//!
//! * [`planner`]: its entry. [`planner_info`]: what it knows while it works.
//! * [`prep`]: queries made simpler without a change of their meaning. [`path`]: ways to get their rows, with costs.
//! * [`subselect`]: queries in expressions and WITH. [`manip`], [`relids`]: what expressions are made of.
//! * [`plancat`]: what is asked about tables and indexes.
//! * [`verify`]: in debug builds, whether what it makes fits together.
//! * [`plan`]: the trees that it makes, PostgreSQL's `plannodes.h`. EXPLAIN prints them, `executor` runs them.

pub mod explain;
pub mod generic;
pub mod manip;
pub mod path;
pub mod plan;
pub mod plancat;
pub mod planner;
pub mod planner_info;
pub mod prep;
pub mod relids;
pub mod subselect;
pub mod verify;

pub use planner::planner;
pub use planner_info::{Planner, PlannerGlobal, PlannerInfo};
