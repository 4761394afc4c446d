//! What the planner asks about tables and indexes.

/// What is known about the rows of tables.
pub trait Statistics {}

/// The settings that the planner looks at.
#[derive(Clone, Debug, Default)]
pub struct PlannerSettings {}
