//! Do prepared queries and plans say what the next stage takes them to say? In debug builds everything in them is looked at;
//! what is found is a bug of the planner, and panics.
//!
//! * [`prepared`]: a query whose expressions are ready for paths, by [`analyze::verify`].
//! * [`planned`]: a statement's plan: what each node takes from its children, tables and indexes (`node`, `columns`), and that
//!   each parameter, CTE and work table is there where it is asked for (`needs`).
//!
//! # Invariants
//! * Nothing is changed: verifying can be left out, as release builds do.

mod columns;
mod needs;
mod node;

use analyze::query::TypeRef;
use analyze::verify::{self, Checked, Stage, holds};
use catalog::Catalog;

use crate::plan::{Plan, PlannedStmt};
use crate::planner_info::{PlannerGlobal, PlannerInfo};

/// A query that has been prepared.
pub fn prepared(global: &PlannerGlobal, root: &PlannerInfo) {
    let known = verify::Known {
        catalog: root.planner.catalog,
        relations: root.planner.relations,
        external: None,
        exec: &global.parameters,
        plans: global.sub_plans.len(),
    };
    verify::between_stages(Stage::Preparation, &root.query, &known);
}

/// The plan of a statement, finished.
pub fn planned(planned: &PlannedStmt, catalog: Catalog<'_>) {
    if cfg!(debug_assertions)
        && let Err(finding) = verified(planned, catalog)
    {
        panic!("after planning: {finding}");
    }
}

/// Looks at all of a plan.
pub fn verified(planned: &PlannedStmt, catalog: Catalog<'_>) -> Checked {
    let verifier = Verifier { planned, catalog };
    for (plan, number) in planned.sub_plans.iter().zip(0..) {
        verifier.plan(plan).map_err(|finding| format!("plan {number}: {finding}"))?;
    }
    verifier.plan(&planned.plan)?;
    holds(planned.modifying.iter().all(|plan| *plan < planned.sub_plans.len()), || "no plan of a data-modifying CTE")?;
    needs::satisfied(planned)
}

struct Verifier<'a> {
    planned: &'a PlannedStmt,
    catalog: Catalog<'a>,
}

impl Verifier<'_> {
    /// A node and those below it.
    fn plan(&self, plan: &Plan) -> Checked {
        syntax::with_stack_for(8, || {
            self.node(plan).map_err(|finding| format!("{}: {finding}", node::name(plan)))?;
            plan.children().try_for_each(|child| self.plan(child))
        })
    }

    /// The columns of a plan of the statement's list that others see.
    fn shown_types(&self, plan: usize) -> std::result::Result<Vec<TypeRef>, String> {
        let plan = self.planned.sub_plans.get(plan).ok_or_else(|| format!("no plan {plan}"))?;
        Ok(plan.targets.iter().filter(|target| !target.junk).map(|target| target.expr.ty()).collect())
    }
}
