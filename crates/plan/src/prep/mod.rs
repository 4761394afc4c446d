//! Queries made ready for paths: PostgreSQL's `optimizer/prep`.

use types::Result;

use crate::planner::{PlannerGlobal, PlannerInfo};

/// What `subquery_planner` does before paths are made.
pub fn prepare(_global: &mut PlannerGlobal, _root: &mut PlannerInfo) -> Result<()> {
    Ok(())
}
