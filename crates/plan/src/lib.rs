//! Queries to plans: PostgreSQL's planner (`src/backend/optimizer`). It knows tables and indexes by what the catalog and
//! statistics say of them, and nothing of how a plan is run.
//!
//! * [`plan`]: the trees that it makes, PostgreSQL's `plannodes.h`. EXPLAIN prints them, `executor` runs them.

pub mod plan;
