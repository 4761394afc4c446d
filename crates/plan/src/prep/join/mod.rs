//! The join tree made simpler.

pub mod join_alias;
pub mod outer_joins;
pub mod pull_up;
pub mod results;
pub mod useless_joins;
