//! Base relations and their paths.
//!
//! * [`allpaths`]: sizes and paths of each, and the paths of the whole FROM; [`subquery`]: those of subqueries;
//!   [`run_condition`]: after which a subquery's windows may stop.
//! * [`indxpath`], [`bitmap`]: paths by indexes; [`indexmatch`]: what an index can do for a condition; [`indexcover`]: what its
//!   columns cover.

pub mod allpaths;
pub mod bitmap;
pub mod indexcover;
pub mod indexmatch;
pub mod indxpath;
pub mod run_condition;
pub mod subquery;
