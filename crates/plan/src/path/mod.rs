//! Paths: PostgreSQL's `optimizer/path`.

mod settings;

pub use settings::PlannerSettings;

use types::Result;

use crate::plan::Plan;
use crate::planner::{PlannerGlobal, PlannerInfo, unsupported};

/// What is known about a query's relations and paths.
#[derive(Default)]
pub struct PathInfo {}

/// Makes the paths of a prepared query.
pub fn grouping_planner(_global: &mut PlannerGlobal, _root: &mut PlannerInfo, _tuple_fraction: f64) -> Result<()> {
    Err(unsupported("planning"))
}

/// The plan of its best path, finished.
pub fn create_plan(_global: &mut PlannerGlobal, _root: &mut PlannerInfo, _tuple_fraction: f64) -> Result<Plan> {
    Err(unsupported("planning"))
}
