//! Paths: PostgreSQL's `optimizer/path`, and what its planner does above the joins. A path is a way to get rows, with its
//! costs; of all paths the cheapest becomes the plan.
//!
//! * [`state`]: what is known; [`relset`]: sets of relations. [`settings`]: what sessions may set.
//! * [`allpaths`]: base relations and their paths; [`subquery`]: those of subqueries. [`initsplan`]: where conditions belong;
//!   [`restrictinfo`]: a condition; [`orclauses`]: what ORs say of one relation. [`equivclass`], [`pathkeys`]: what is equal, and orders.
//! * [`indxpath`], [`bitmap`], [`indexmatch`], [`predtest`], [`likesupport`]: what indexes can do for conditions.
//! * [`joinrels`]: the order of joins; [`joinpath`], [`unique`]: their ways.
//! * [`costsize`], [`joincost`]: costs; [`clausesel`], [`selfuncs`], [`values`]: how many rows.
//! * [`grouping`], [`targets`], [`windows`], [`setops`]: above the joins. [`pathnode`]: paths are made and kept.

pub mod aggregates;
pub mod allpaths;
pub mod arrays;
pub mod bitmap;
pub mod clauses;
pub mod clausesel;
pub mod coerce;
pub mod costsize;
pub mod equivclass;
pub mod grouping;
pub mod indexmatch;
pub mod indxpath;
pub mod initsplan;
pub mod joincost;
pub mod joinpath;
pub mod joinrels;
pub mod likesupport;
pub mod orclauses;
pub mod pathkeys;
pub mod pathnode;
pub mod predtest;
pub mod relset;
pub mod restrictinfo;
pub mod run_condition;
pub mod selfuncs;
pub mod setops;
mod sets;
mod settings;
pub mod state;
pub mod subquery;
pub mod targets;
pub mod unique;
pub mod values;
pub mod windows;

pub use crate::plan::create_plan::create_plan;
pub use grouping::grouping_planner;
pub use settings::PlannerSettings;
pub use state::PathInfo;
