//! Paths: PostgreSQL's `optimizer/path`.

use types::Result;

use crate::plan::{Plan, PlannedStmt};
use crate::planner::{PlannerGlobal, PlannerInfo, unsupported};

/// What is known about a query's relations and paths.
#[derive(Default)]
pub struct PathInfo {}

/// Makes the paths of a prepared query.
pub fn grouping_planner(_global: &mut PlannerGlobal, _root: &mut PlannerInfo, _tuple_fraction: f64) -> Result<()> {
    Err(unsupported("planning"))
}

/// The plan of its best path.
pub fn create_best_plan(_global: &mut PlannerGlobal, _root: &mut PlannerInfo, _tuple_fraction: f64) -> Result<Plan> {
    Err(unsupported("planning"))
}

/// Makes of the plans what can be run.
pub fn set_references(_global: PlannerGlobal, _root: PlannerInfo, _plan: Plan) -> Result<PlannedStmt> {
    Err(unsupported("planning"))
}
